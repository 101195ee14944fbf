/* Rows of the assembled map and of the measures: the blocks each depends on, the positions of its entries, and its
 * accumulators. */
#include "course.h"
#include "layout_private.h"

#include <stdlib.h>
#include <string.h>

static void touch(struct cs_row *row, const unsigned char *subsystems, size_t count) {
  for (size_t s = 0; s < count; s++)
    row->block[1 + s] |= subsystems[s];
}

/* Subsystems on which the inputs' new memories depend, [inputs][subsystems]; with `refresh` also through inputs already
 * refreshed. */
static void exchange_subsystems(const struct cs_layout *l, const unsigned char *of_output, unsigned char *of_input) {
  const size_t n = l->model->subsystems;
  for (size_t i = 0; i < l->dims.inputs; i++) {
    if (l->method.hold != CS_TAYLOR) of_input[i * n + l->model->input[i].subsystem] = 1;
    for (size_t o = 0; o < l->dims.outputs; o++) {
      if (!cs_layout_connected(l, i, o)) continue;
      for (size_t s = 0; s < n; s++)
        of_input[i * n + s] |= of_output[o * n + s];
      for (size_t k = 0; l->method.feedthrough == CS_REFRESH && k < i; k++)
        for (size_t s = 0; l->pattern[CS_OP_D].set[o * l->dims.inputs + k] && s < n; s++)
          of_input[i * n + s] |= of_input[k * n + s];
    }
  }
}

/* Blocks on which a step of a subsystem depends. */
static void touch_step(const struct cs_layout *l, size_t subsystem, struct cs_row *row) {
  touch(row, l->master.reach + subsystem * l->model->subsystems, l->model->subsystems);
  if (l->master.memory > 0) row->block[1 + l->model->subsystems] = 1;
}

static void touch_reconstruction(const struct cs_layout *l, const unsigned char *of_output, size_t o,
                                 struct cs_row *row) {
  touch(row, of_output + o * l->model->subsystems, l->model->subsystems);
  touch_step(l, l->model->output[o].subsystem, row);
}

static void touch_monitor(const struct cs_layout *l, const unsigned char *of_output, size_t m, struct cs_row *row) {
  for (size_t a = 0; a < l->dims.states; a++)
    if (l->pattern[CS_OP_MX].set[m * l->dims.states + a]) touch_step(l, l->model->state[a].subsystem, row);
  for (size_t i = 0; i < l->dims.inputs; i++)
    if (l->pattern[CS_OP_MU].set[m * l->dims.inputs + i]) touch_step(l, l->model->input[i].subsystem, row);
  for (size_t o = 0; o < l->dims.outputs; o++)
    if (l->pattern[CS_OP_MY].set[m * l->dims.outputs + o]) touch_reconstruction(l, of_output, o, row);
}

static void touch_row(const struct cs_layout *l, const unsigned char *of_output, struct cs_row *row) {
  const size_t s = row->signal;
  row->block[0] = 1;
  switch (row->group) {
    case CS_ROWS_CONNECTION_DEFECT:
      touch_step(l, l->model->input[s].subsystem, row);
      for (size_t o = 0; o < l->dims.outputs; o++)
        if (cs_layout_connected(l, s, o)) touch_reconstruction(l, of_output, o, row);
      break;
    case CS_ROWS_OUTPUT_POINT:
      touch(row, of_output + s * l->model->subsystems, l->model->subsystems);
      if (l->master.memory > 0) touch_step(l, l->model->output[s].subsystem, row);
      break;
    case CS_ROWS_OUTPUT_DEFECT:
    case CS_ROWS_OUTPUT_ERROR:
    case CS_ROWS_OUTPUT_DEFECT_TRUE:
      touch_reconstruction(l, of_output, s, row);
      break;
    case CS_ROWS_INPUT_POINT:
    case CS_ROWS_INPUT_ERROR:
      touch_step(l, l->model->input[s].subsystem, row);
      break;
    case CS_ROWS_STATE_POINT:
    case CS_ROWS_STATE_ERROR:
    case CS_ROWS_INTEGRATION_DEFECT:
      touch_step(l, l->model->state[s].subsystem, row);
      break;
    case CS_ROWS_MONITOR:
      touch_monitor(l, of_output, s, row);
      break;
    default:
      break;
  }
}

/* Rows of the map: r, then per subsystem its states and memories; signal = position in z. */
static void touch_map(struct cs_layout *l, const unsigned char *of_output, const unsigned char *of_input) {
  const size_t n = l->model->subsystems;
  for (size_t i = 0; i < l->dims.coordinates && !l->kind.lean; i++)
    l->map.row[i].block[0] = 1;
  for (size_t a = 0; a < l->dims.states; a++)
    touch_step(l, l->model->state[a].subsystem, &l->map.row[l->at.state[a]]);
  for (size_t i = 0; i < l->master.parts * l->dims.inputs; i++)
    for (size_t j = 0; l->at.input[i] >= 0 && j <= l->degree.input[i % l->dims.inputs]; j++) {
      struct cs_row *row = &l->map.row[l->at.input[i] + (long)j];
      touch(row, of_input + i % l->dims.inputs * n, n);
      if (l->master.memory > 0) touch_step(l, l->model->input[i % l->dims.inputs].subsystem, row);
    }
  for (size_t i = 0; i < l->dims.inputs; i++)
    for (size_t j = 0; l->at.late[i] >= 0 && j < cs_layout_latency(l, i) * (l->degree.input[i] + 1); j++)
      l->map.row[l->at.late[i] + (long)j].block[1 + l->model->input[i].subsystem] = 1;
  for (size_t i = 0; i < l->dims.inputs; i++)
    for (size_t j = 0; l->at.joint[i] >= 0 && j < l->method.continuity; j++)
      touch_step(l, l->model->input[i].subsystem, &l->map.row[l->at.joint[i] + (long)j]);
  for (size_t i = 0; i < l->master.memory; i++)
    memset(l->map.row[l->at.master + i].block, 1, l->dims.blocks);
  for (size_t o = 0; o < l->dims.outputs; o++)
    for (size_t j = 0; l->at.output[o] >= 0 && j <= l->degree.output[o]; j++)
      touch_reconstruction(l, of_output, o, &l->map.row[l->at.output[o] + (long)j]);
  for (size_t o = 0; o < l->dims.outputs; o++)
    for (size_t j = 0; j < l->degree.past[o]; j++)
      touch_reconstruction(l, of_output, o, &l->map.row[l->at.past[o] + (long)j]);
}

/* Local errors, which are those of fixed steps. */
static void want_local(struct cs_layout *l) {
  const bool can = l->dims.outputs > 0 && l->method.control == CS_FIXED;
  l->map.wanted[CS_ROWS_LOCAL_ERROR] = l->sweep->metric[CS_LOCAL_ERROR] && can;
  l->map.wanted[CS_ROWS_LOCAL_ESTIMATE] = l->sweep->metric[CS_LOCAL_ERROR_ESTIMATE] && can;
}

/* Rows recorded for every step of a trace. */
static void want_recorded(struct cs_layout *l) {
  bool *w = l->map.wanted;
  const bool defects = !cs_layout_has_rates(l);
  w[CS_ROWS_OUTPUT_POINT] = l->dims.outputs > 0;
  w[CS_ROWS_INPUT_POINT] = l->dims.inputs > 0;
  w[CS_ROWS_OUTPUT_DEFECT] = defects && l->dims.outputs > 0;
  w[CS_ROWS_CONNECTION_DEFECT] = defects && l->dims.inputs > 0;
  w[CS_ROWS_STATE_POINT] = l->dims.states > 0;
  w[CS_ROWS_MONITOR] = l->dims.monitors > 0;
  want_local(l);
}

bool cs_layout_sees(const struct cs_layout *l, enum cs_rows group) {
  const unsigned short other = group == CS_ROWS_OUTPUT_DEFECT ? CS_DEFECTS_CONNECTION : CS_DEFECTS_OUTPUT;
  return l->kind.sees_defects && l->method.defects != other &&
         (group == CS_ROWS_OUTPUT_DEFECT || group == CS_ROWS_CONNECTION_DEFECT);
}

static void want_rows(struct cs_layout *l) {
  const bool *m = l->sweep->metric;
  const bool points = l->method.error_at == CS_POINTS;
  const bool errors = m[CS_OUTPUT_ERROR] || m[CS_OUTPUT_ERROR_RELATIVE];
  bool *w = l->map.wanted;
  w[CS_ROWS_OUTPUT_DEFECT] = (m[CS_OUTPUT_DEFECT] || cs_layout_sees(l, CS_ROWS_OUTPUT_DEFECT)) && l->dims.outputs > 0;
  w[CS_ROWS_CONNECTION_DEFECT] =
      (m[CS_CONNECTION_DEFECT] || cs_layout_sees(l, CS_ROWS_CONNECTION_DEFECT)) && l->dims.inputs > 0;
  w[CS_ROWS_OUTPUT_POINT] =
      (m[CS_OUTPUT_ERROR_MAX] || m[CS_OUTPUT_ERROR_FINAL] || (points && errors)) && l->dims.outputs > 0;
  w[CS_ROWS_INPUT_POINT] =
      (m[CS_INPUT_ERROR_MAX] || m[CS_INPUT_ERROR_FINAL] || (points && m[CS_INPUT_ERROR])) && l->dims.inputs > 0;
  w[CS_ROWS_STATE_POINT] =
      (m[CS_STATE_ERROR_MAX] || (points && m[CS_STATE_ERROR]) || (l->kind.stiff && m[CS_STATE_ERROR_FINAL])) &&
      l->dims.states > 0;
  w[CS_ROWS_MONITOR] = (m[CS_MONITOR_RMS] || m[CS_MONITOR_MAX] || m[CS_MONITOR_FINAL]) && l->dims.monitors > 0;
  want_local(l);
  w[CS_ROWS_OUTPUT_ERROR] = ((errors && !points) || m[CS_OUTPUT_ERROR_BETWEEN]) && l->dims.outputs > 0;
  w[CS_ROWS_INPUT_ERROR] = ((m[CS_INPUT_ERROR] && !points) || m[CS_INPUT_ERROR_BETWEEN]) && l->dims.inputs > 0;
  w[CS_ROWS_STATE_ERROR] = ((m[CS_STATE_ERROR] && !points) || m[CS_STATE_ERROR_BETWEEN]) && l->dims.states > 0;
  w[CS_ROWS_OUTPUT_DEFECT_TRUE] = m[CS_OUTPUT_DEFECT_TRUE] && l->dims.outputs > 0;
  w[CS_ROWS_BOND_ENERGY] = l->control.energies > 0;
  w[CS_ROWS_INTEGRATION_DEFECT] = m[CS_INTEGRATION_DEFECT] && (l->kind.inexact || l->kind.adaptive);
}

static size_t signals_of(const struct cs_layout *l, enum cs_rows group) {
  switch (group) {
    case CS_ROWS_OUTPUT_DEFECT:
    case CS_ROWS_OUTPUT_POINT:
    case CS_ROWS_LOCAL_ERROR:
    case CS_ROWS_LOCAL_ESTIMATE:
    case CS_ROWS_OUTPUT_ERROR:
    case CS_ROWS_OUTPUT_DEFECT_TRUE:
      return l->dims.outputs;
    case CS_ROWS_CONNECTION_DEFECT:
    case CS_ROWS_INPUT_POINT:
    case CS_ROWS_INPUT_ERROR:
      return l->dims.inputs;
    case CS_ROWS_BOND_ENERGY:
      return l->control.energies;
    case CS_ROWS_MONITOR:
      return l->dims.monitors;
    default:
      return l->dims.states;
  }
}

/* The state contains the results of spectrum.cl only. */
static void place_spectrum(struct cs_layout *l) {
  const bool *m = l->sweep->metric;
  l->state.diverged = CS_SPECTRUM_FAILED;
  l->state.items = CS_SPECTRUM_EIGENVALUES + (m[CS_EIGENVALUE_RE] || m[CS_EIGENVALUE_IM] ? 2 * l->dims.modes : 0);
}

/* State between z and the accumulators with variable steps. */
static void place_variable(struct cs_layout *l) {
  l->state.vary = l->dims.coordinates;
  l->state.memory = l->state.vary + CS_VARY_ITEMS;
  l->state.coarse = l->state.memory + l->control.memory;
  l->state.flow = l->state.coarse + (l->kind.halves ? l->dims.coordinates + 4 : 0);
  l->state.share = l->state.flow + (l->sweep->metric[CS_MONITOR_PREDICTED] ? 2 * l->dims.monitors : 0);
  l->state.course = l->state.share + l->control.bonds;
  l->state.sums = l->state.course + (l->kind.eventful ? cs_course_place(l, CS_COURSE_PARTS) : 0);
}

enum accumulator { SUM, TOP, FINAL };

/* Accumulators of one metric, one per signal of the group of rows, which is wanted. */
static void place_metric(struct cs_layout *l, enum cs_metric metric, enum cs_rows group, enum accumulator kind) {
  struct cs_layout_measures *m = &l->measures;
  size_t *count = kind == SUM ? &m->sums : kind == TOP ? &m->tops : &m->finals;
  const bool inside = group >= CS_ROWS_POINT_GROUPS;
  struct cs_row *row = inside ? l->map.inside : l->map.row;
  const size_t rows = inside ? l->map.inside_rows : l->map.rows;
  (kind == SUM ? m->sum_of : kind == TOP ? m->top_of : m->final_of)[metric] = (long)*count;
  for (size_t i = 0; i < rows; i++)
    if (row[i].group == group)
      *(kind == SUM ? &row[i].sum : kind == TOP ? &row[i].top : &row[i].final) = (int)(*count + row[i].signal);
  *count += signals_of(l, group);
}

/* Accumulators of the requested metrics; a row contributes to sums, maxima and final values. */
static void place_metrics(struct cs_layout *l) {
  const bool *m = l->sweep->metric;
  const bool points = l->method.error_at == CS_POINTS;
  const struct {
    enum cs_metric metric;
    enum cs_rows rows;
    enum accumulator kind;
  } table[] = {
      {CS_OUTPUT_DEFECT, CS_ROWS_OUTPUT_DEFECT, SUM},
      {CS_OUTPUT_DEFECT_TRUE, CS_ROWS_OUTPUT_DEFECT_TRUE, SUM},
      {CS_CONNECTION_DEFECT, CS_ROWS_CONNECTION_DEFECT, SUM},
      {CS_INTEGRATION_DEFECT, CS_ROWS_INTEGRATION_DEFECT, SUM},
      {CS_BOND_ENERGY, CS_ROWS_BOND_ENERGY, SUM},
      {CS_OUTPUT_ERROR, points ? CS_ROWS_OUTPUT_POINT : CS_ROWS_OUTPUT_ERROR, SUM},
      {CS_INPUT_ERROR, points ? CS_ROWS_INPUT_POINT : CS_ROWS_INPUT_ERROR, SUM},
      {CS_STATE_ERROR, points ? CS_ROWS_STATE_POINT : CS_ROWS_STATE_ERROR, SUM},
      {CS_MONITOR_RMS, CS_ROWS_MONITOR, SUM},
      {CS_LOCAL_ERROR, CS_ROWS_LOCAL_ERROR, SUM},
      {CS_LOCAL_ERROR_ESTIMATE, CS_ROWS_LOCAL_ESTIMATE, SUM},
      {CS_OUTPUT_ERROR_MAX, CS_ROWS_OUTPUT_POINT, TOP},
      {CS_INPUT_ERROR_MAX, CS_ROWS_INPUT_POINT, TOP},
      {CS_STATE_ERROR_MAX, CS_ROWS_STATE_POINT, TOP},
      {CS_MONITOR_MAX, CS_ROWS_MONITOR, TOP},
      {CS_OUTPUT_ERROR_FINAL, CS_ROWS_OUTPUT_POINT, FINAL},
      {CS_INPUT_ERROR_FINAL, CS_ROWS_INPUT_POINT, FINAL},
      {CS_MONITOR_FINAL, CS_ROWS_MONITOR, FINAL},
  };
  for (int i = 0; i < CS_METRICS; i++)
    l->measures.sum_of[i] = l->measures.top_of[i] = l->measures.final_of[i] = -1;
  l->measures.states = -1;
  if (l->kind.records) return; /* what is recorded is not added up */
  for (size_t t = 0; t < sizeof table / sizeof table[0]; t++)
    if ((m[table[t].metric] || (table[t].metric == CS_OUTPUT_ERROR && m[CS_OUTPUT_ERROR_RELATIVE])) &&
        l->map.wanted[table[t].rows])
      place_metric(l, table[t].metric, table[t].rows, table[t].kind);
  if (m[CS_OUTPUT_ERROR_RELATIVE]) l->measures.sum_of[CS_OUTPUT_ERROR_RELATIVE] = l->measures.sum_of[CS_OUTPUT_ERROR];
  if (m[CS_STATE_ERROR_FINAL] && l->kind.stiff && l->dims.states > 0) {
    place_metric(l, CS_STATE_ERROR_FINAL, CS_ROWS_STATE_POINT, FINAL);
  } else if (m[CS_STATE_ERROR_FINAL] && l->dims.states > 0) {
    l->measures.final_of[CS_STATE_ERROR_FINAL] = l->measures.states = (long)l->measures.finals;
    l->measures.finals += l->dims.states;
  }
}

static void place_state(struct cs_layout *l) {
  l->state.sums = l->dims.coordinates;
  if (l->kind.varies) place_variable(l);
  l->state.tops = l->state.sums + l->measures.sums;
  l->state.finals = l->state.tops + l->measures.tops;
  l->state.diverged = l->state.finals + l->measures.finals;
  l->state.growth = l->state.diverged + 1;
  if (l->kind.varies) {
    l->state.diverged = l->state.vary + CS_VARY_STATUS;
    l->state.growth = l->state.vary + CS_VARY_GROWTH;
  }
  l->state.items = l->state.finals + l->measures.finals + (l->kind.varies ? 0 : 2);
  l->stepped = l->state;
  if (l->kind.stability) place_spectrum(l);
}

static size_t rows_of_signal(const struct cs_layout *l, enum cs_rows group, size_t signal) {
  return group == CS_ROWS_CONNECTION_DEFECT ? l->degree.connection[signal] + 1 : 1;
}

static bool row_new(const struct cs_layout *l, struct cs_row *row, enum cs_rows group, size_t signal) {
  bool failed = false;
  row->group = group;
  row->signal = signal;
  row->sum = row->top = row->final = -1;
  row->block = cs_layout_take(l->dims.blocks, 1, &failed);
  row->entry = cs_layout_take(l->dims.blocks, sizeof *row->entry, &failed);
  return !failed;
}

static size_t place_entries(const struct cs_layout *l, struct cs_row *row, size_t rows) {
  size_t at = 0;
  for (size_t i = 0; i < rows; i++)
    for (size_t b = 0; b < l->dims.blocks; b++) {
      row[i].entry[b] = row[i].block[b] && l->at.block[b + 1] > l->at.block[b] ? (int)at : -1;
      if (row[i].entry[b] >= 0) at += l->at.block[b + 1] - l->at.block[b];
    }
  return at;
}

static void count_rows(struct cs_layout *l) {
  l->map.rows = l->dims.coordinates;
  for (int g = 1; g < CS_ROWS_GROUPS; g++) {
    size_t *count = g < CS_ROWS_POINT_GROUPS ? &l->map.rows : &l->map.inside_rows;
    l->map.first_row[g] = *count;
    if (!l->map.wanted[g]) continue;
    for (size_t s = 0; s < signals_of(l, (enum cs_rows)g); s++) {
      if (g == CS_ROWS_CONNECTION_DEFECT) l->map.connection_row[s] = *count;
      *count += rows_of_signal(l, (enum cs_rows)g, s);
    }
  }
}

int cs_layout_rows(struct cs_layout *l, struct cs_error *error) {
  bool failed = false;
  unsigned char *of_output = cs_layout_take(l->dims.outputs * l->model->subsystems, 1, &failed);
  unsigned char *of_input = cs_layout_take(l->dims.inputs * l->model->subsystems, 1, &failed);
  if (failed) {
    free(of_output);
    free(of_input);
    return cs_error_memory(error);
  }
  cs_layout_recorded(l, of_output);
  exchange_subsystems(l, of_output, of_input);
  for (size_t i = 0; i < l->dims.inputs; i++) {
    l->degree.connection[i] = cs_max_size(cs_max_size(l->degree.input[i], l->degree.wave), cs_layout_joined_degree(l));
    for (size_t o = 0; o < l->dims.outputs; o++)
      if (cs_layout_connected(l, i, o))
        l->degree.connection[i] = cs_max_size(l->degree.connection[i], l->degree.output[o]);
  }
  if (l->kind.records)
    want_recorded(l);
  else if (!l->kind.lean)
    want_rows(l);
  count_rows(l);
  l->map.row = cs_layout_take(l->map.rows, sizeof *l->map.row, &failed);
  l->map.inside = cs_layout_take(l->map.inside_rows, sizeof *l->map.inside, &failed);
  for (size_t i = 0; !failed && i < l->dims.coordinates; i++)
    failed = !row_new(l, &l->map.row[i], CS_ROWS_MAP, i);
  for (int g = 1; !failed && g < CS_ROWS_GROUPS; g++) {
    struct cs_row *row = (g < CS_ROWS_POINT_GROUPS ? l->map.row : l->map.inside) + l->map.first_row[g];
    for (size_t s = 0; l->map.wanted[g] && !failed && s < signals_of(l, (enum cs_rows)g); s++)
      for (size_t i = 0; !failed && i < rows_of_signal(l, (enum cs_rows)g, s); i++, row++) {
        failed = !row_new(l, row, (enum cs_rows)g, s);
        if (!failed) touch_row(l, of_output, row);
      }
  }
  if (!failed) {
    touch_map(l, of_output, of_input);
    l->map.point_items = place_entries(l, l->map.row, l->map.rows);
    l->map.inside_items = place_entries(l, l->map.inside, l->map.inside_rows);
    if (!l->kind.varies && l->sweep->metric[CS_CONTRACTION] && l->method.iterations > 0)
      l->dims.handed = cs_layout_samples(l);
    l->map.handed_at = l->map.point_items;
    l->map.point_items += l->dims.handed * l->dims.handed;
    place_metrics(l);
    place_state(l);
  }
  free(of_output);
  free(of_input);
  return failed ? cs_error_memory(error) : CS_OK;
}

size_t cs_layout_spectrum_places(const struct cs_layout *l) {
  return l->dims.modes * (l->dims.modes + 1) + l->dims.states * l->dims.states;
}

/* Positions of M's entries among the coefficients, or -1: table [states][states]. */
static void exact_table(const struct cs_layout *l, int64_t *table) {
  const size_t n = l->dims.states, fixed = CS_K_X0 + n;
  for (size_t i = 0; i < n * n; i++)
    table[i] = -1;
  for (size_t i = 0; i + fixed < l->coefficients.estimate_at; i++) {
    const struct cs_coefficient *c = &l->coefficients.list[i];
    if (c->from == CS_OP_M && c->row < n && c->column < n) table[c->row * n + c->column] = (int64_t)(fixed + i);
  }
}

/* Whether a coordinate is of a reconstruction between communication points, on which nothing else depends. */
static bool is_reconstruction(const struct cs_layout *l, size_t coordinate) {
  for (size_t o = 0; o < l->dims.outputs; o++)
    if (l->at.output[o] >= 0 && coordinate - (size_t)l->at.output[o] <= l->degree.output[o]) return true;
  return false;
}

/* Positions of a row's entries in the columns of what acts on the run, [modes]. */
static void spectrum_row(const struct cs_layout *l, const struct cs_row *row, int64_t *table) {
  for (size_t b = 1; b < l->dims.blocks; b++)
    for (size_t j = l->at.block[b]; j < l->at.block[b + 1]; j++)
      if (!is_reconstruction(l, j)) *table++ = row->entry[b] < 0 ? -1 : row->entry[b] + (int64_t)(j - l->at.block[b]);
}

static bool is_state(const struct cs_layout *l, size_t coordinate) {
  size_t a = 0;
  while (a < l->dims.states && l->at.state[a] != coordinate)
    a++;
  return a < l->dims.states;
}

void cs_layout_spectrum_table(const struct cs_layout *l, int64_t *table) {
  const size_t n = l->dims.modes;
  size_t at = 0;
  for (size_t coordinate = l->dims.exact; coordinate < l->dims.coordinates; coordinate++) {
    if (is_reconstruction(l, coordinate)) continue;
    spectrum_row(l, &l->map.row[coordinate], table + at * n);
    table[n * n + at++] = is_state(l, coordinate);
  }
  exact_table(l, table + n * n + n);
}

static void rows_free(struct cs_row *row, size_t rows) {
  for (size_t i = 0; row != NULL && i < rows; i++) {
    free(row[i].block);
    free(row[i].entry);
  }
  free(row);
}

void cs_layout_rows_free(struct cs_layout *l) {
  rows_free(l->map.row, l->map.rows);
  rows_free(l->map.inside, l->map.inside_rows);
}
