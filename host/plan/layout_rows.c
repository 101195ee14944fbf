/* Rows of the assembled map and of the measures: what each can touch, where it stands, what it feeds. */
#include "layout_private.h"

#include <stdlib.h>
#include <string.h>

static void touch(struct cs_row *row, const unsigned char *subsystems, size_t count) {
  for (size_t s = 0; s < count; s++)
    row->block[1 + s] |= subsystems[s];
}

/* What the inputs' new memories touch, [inputs][subsystems]; with `refresh` also through inputs refreshed before. */
static void exchange_subsystems(const struct cs_layout *l, const unsigned char *of_output, unsigned char *of_input) {
  const size_t n = l->model->subsystems;
  for (size_t i = 0; i < l->u; i++) {
    if (l->method.hold != CS_TAYLOR) of_input[i * n + l->model->input[i].subsystem] = 1;
    for (size_t o = 0; o < l->y; o++) {
      if (!cs_layout_connected(l, i, o)) continue;
      for (size_t s = 0; s < n; s++)
        of_input[i * n + s] |= of_output[o * n + s];
      for (size_t k = 0; l->method.feedthrough == CS_REFRESH && k < i; k++)
        for (size_t s = 0; l->pattern[CS_OP_D].set[o * l->u + k] && s < n; s++)
          of_input[i * n + s] |= of_input[k * n + s];
    }
  }
}

/* What a step of a subsystem depends on. */
static void touch_step(const struct cs_layout *l, size_t subsystem, struct cs_row *row) {
  touch(row, l->reach + subsystem * l->model->subsystems, l->model->subsystems);
  if (l->master_memory > 0) row->block[1 + l->model->subsystems] = 1;
}

static void touch_reconstruction(const struct cs_layout *l, const unsigned char *of_output, size_t o,
                                 struct cs_row *row) {
  touch(row, of_output + o * l->model->subsystems, l->model->subsystems);
  touch_step(l, l->model->output[o].subsystem, row);
}

static void touch_monitor(const struct cs_layout *l, const unsigned char *of_output, size_t m, struct cs_row *row) {
  for (size_t a = 0; a < l->x; a++)
    if (l->pattern[CS_OP_MX].set[m * l->x + a]) touch_step(l, l->model->state[a].subsystem, row);
  for (size_t i = 0; i < l->u; i++)
    if (l->pattern[CS_OP_MU].set[m * l->u + i]) touch_step(l, l->model->input[i].subsystem, row);
  for (size_t o = 0; o < l->y; o++)
    if (l->pattern[CS_OP_MY].set[m * l->y + o]) touch_reconstruction(l, of_output, o, row);
}

static void touch_row(const struct cs_layout *l, const unsigned char *of_output, struct cs_row *row) {
  const size_t s = row->signal;
  row->block[0] = 1;
  switch (row->group) {
    case CS_ROWS_CONNECTION_DEFECT:
      touch_step(l, l->model->input[s].subsystem, row);
      for (size_t o = 0; o < l->y; o++)
        if (cs_layout_connected(l, s, o)) touch_reconstruction(l, of_output, o, row);
      break;
    case CS_ROWS_OUTPUT_POINT:
      touch(row, of_output + s * l->model->subsystems, l->model->subsystems);
      if (l->master_memory > 0) touch_step(l, l->model->output[s].subsystem, row);
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

/* Rows of the map: r, then per subsystem its states and memories; signal = place in z. */
static void touch_map(struct cs_layout *l, const unsigned char *of_output, const unsigned char *of_input) {
  const size_t n = l->model->subsystems;
  for (size_t i = 0; i < l->z && !l->stability; i++)
    l->row[i].block[0] = 1;
  for (size_t a = 0; a < l->x; a++)
    touch_step(l, l->model->state[a].subsystem, &l->row[l->state_at[a]]);
  for (size_t i = 0; i < l->parts * l->u; i++)
    for (size_t j = 0; l->input_at[i] >= 0 && j <= l->input_order[i % l->u]; j++) {
      struct cs_row *row = &l->row[l->input_at[i] + (long)j];
      touch(row, of_input + i % l->u * n, n);
      if (l->master_memory > 0) touch_step(l, l->model->input[i % l->u].subsystem, row);
    }
  for (size_t i = 0; i < l->master_memory; i++)
    memset(l->row[l->master_at + i].block, 1, l->blocks);
  for (size_t o = 0; o < l->y; o++)
    for (size_t j = 0; l->output_at[o] >= 0 && j <= l->output_order[o]; j++)
      touch_reconstruction(l, of_output, o, &l->row[l->output_at[o] + (long)j]);
}

/* What a trace tells of every step. */
static void want_recorded(struct cs_layout *l) {
  bool *w = l->wanted;
  w[CS_ROWS_OUTPUT_DEFECT] = w[CS_ROWS_OUTPUT_POINT] = l->y > 0;
  w[CS_ROWS_CONNECTION_DEFECT] = w[CS_ROWS_INPUT_POINT] = l->u > 0;
  w[CS_ROWS_STATE_POINT] = l->x > 0;
  w[CS_ROWS_MONITOR] = l->monitors > 0;
}

static void want_rows(struct cs_layout *l) {
  const bool *m = l->sweep->metric;
  const bool points = l->method.error_at == CS_POINTS;
  bool *w = l->wanted;
  w[CS_ROWS_OUTPUT_DEFECT] = (m[CS_OUTPUT_DEFECT] || l->sees_defects) && l->y > 0;
  w[CS_ROWS_CONNECTION_DEFECT] = (m[CS_CONNECTION_DEFECT] || l->sees_defects) && l->u > 0;
  w[CS_ROWS_OUTPUT_POINT] =
      (m[CS_OUTPUT_ERROR_MAX] || m[CS_OUTPUT_ERROR_FINAL] || (points && m[CS_OUTPUT_ERROR])) && l->y > 0;
  w[CS_ROWS_INPUT_POINT] =
      (m[CS_INPUT_ERROR_MAX] || m[CS_INPUT_ERROR_FINAL] || (points && m[CS_INPUT_ERROR])) && l->u > 0;
  w[CS_ROWS_STATE_POINT] = (m[CS_STATE_ERROR_MAX] || (points && m[CS_STATE_ERROR])) && l->x > 0;
  w[CS_ROWS_MONITOR] = (m[CS_MONITOR_RMS] || m[CS_MONITOR_MAX] || m[CS_MONITOR_FINAL]) && l->monitors > 0;
  w[CS_ROWS_LOCAL_ERROR] = m[CS_LOCAL_ERROR] && l->y > 0 && !l->stability && l->method.control == CS_FIXED;
  w[CS_ROWS_LOCAL_ESTIMATE] = m[CS_LOCAL_ERROR_ESTIMATE] && l->y > 0 && !l->stability && l->method.control == CS_FIXED;
  w[CS_ROWS_OUTPUT_ERROR] = m[CS_OUTPUT_ERROR] && !points && l->y > 0;
  w[CS_ROWS_INPUT_ERROR] = m[CS_INPUT_ERROR] && !points && l->u > 0;
  w[CS_ROWS_STATE_ERROR] = m[CS_STATE_ERROR] && !points && l->x > 0;
  w[CS_ROWS_OUTPUT_DEFECT_TRUE] = m[CS_OUTPUT_DEFECT_TRUE] && l->y > 0;
  w[CS_ROWS_INTEGRATION_DEFECT] = m[CS_INTEGRATION_DEFECT] && (l->inexact || l->adaptive);
}

static size_t signals_of(const struct cs_layout *l, enum cs_rows group) {
  switch (group) {
    case CS_ROWS_OUTPUT_DEFECT:
    case CS_ROWS_OUTPUT_POINT:
    case CS_ROWS_LOCAL_ERROR:
    case CS_ROWS_LOCAL_ESTIMATE:
    case CS_ROWS_OUTPUT_ERROR:
    case CS_ROWS_OUTPUT_DEFECT_TRUE:
      return l->y;
    case CS_ROWS_CONNECTION_DEFECT:
    case CS_ROWS_INPUT_POINT:
    case CS_ROWS_INPUT_ERROR:
      return l->u;
    case CS_ROWS_MONITOR:
      return l->monitors;
    default:
      return l->x;
  }
}

/* Results of spectrum.cl. */
static void place_spectrum(struct cs_layout *l) {
  const bool *m = l->sweep->metric;
  l->state_diverged = CS_SPECTRUM_FAILED;
  l->state_items = CS_SPECTRUM_EIGENVALUES + (m[CS_EIGENVALUE_RE] || m[CS_EIGENVALUE_IM] ? 2 * l->modes : 0);
}

/* What a run whose steps vary keeps between z and its accumulators. */
static void place_variable(struct cs_layout *l) {
  l->state_vary = l->z;
  l->state_memory = l->state_vary + CS_VARY_ITEMS;
  l->state_coarse = l->state_memory + l->control_memory;
  l->state_flow = l->state_coarse + (l->halves ? l->z + 4 : 0);
  l->state_share = l->state_flow + (l->sweep->metric[CS_MONITOR_PREDICTED] ? 2 * l->monitors : 0);
  l->state_sums = l->state_share + l->bonds;
}

/* Accumulators of the wanted metrics; a row feeds sums, maxima and final values. */
static void place_accumulators(struct cs_layout *l) {
  const bool *m = l->sweep->metric;
  const bool points = l->method.error_at == CS_POINTS;
  const struct {
    enum cs_metric metric;
    enum cs_rows rows;
    int kind; /* 0 sum, 1 top, 2 final */
  } table[] = {
      {CS_OUTPUT_DEFECT, CS_ROWS_OUTPUT_DEFECT, 0},
      {CS_OUTPUT_DEFECT_TRUE, CS_ROWS_OUTPUT_DEFECT_TRUE, 0},
      {CS_CONNECTION_DEFECT, CS_ROWS_CONNECTION_DEFECT, 0},
      {CS_INTEGRATION_DEFECT, CS_ROWS_INTEGRATION_DEFECT, 0},
      {CS_OUTPUT_ERROR, points ? CS_ROWS_OUTPUT_POINT : CS_ROWS_OUTPUT_ERROR, 0},
      {CS_INPUT_ERROR, points ? CS_ROWS_INPUT_POINT : CS_ROWS_INPUT_ERROR, 0},
      {CS_STATE_ERROR, points ? CS_ROWS_STATE_POINT : CS_ROWS_STATE_ERROR, 0},
      {CS_MONITOR_RMS, CS_ROWS_MONITOR, 0},
      {CS_LOCAL_ERROR, CS_ROWS_LOCAL_ERROR, 0},
      {CS_LOCAL_ERROR_ESTIMATE, CS_ROWS_LOCAL_ESTIMATE, 0},
      {CS_OUTPUT_ERROR_MAX, CS_ROWS_OUTPUT_POINT, 1},
      {CS_INPUT_ERROR_MAX, CS_ROWS_INPUT_POINT, 1},
      {CS_STATE_ERROR_MAX, CS_ROWS_STATE_POINT, 1},
      {CS_MONITOR_MAX, CS_ROWS_MONITOR, 1},
      {CS_OUTPUT_ERROR_FINAL, CS_ROWS_OUTPUT_POINT, 2},
      {CS_INPUT_ERROR_FINAL, CS_ROWS_INPUT_POINT, 2},
      {CS_MONITOR_FINAL, CS_ROWS_MONITOR, 2},
  };
  for (int i = 0; i < CS_METRICS; i++)
    l->sum_of[i] = l->top_of[i] = l->final_of[i] = -1;
  for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
    if (!m[table[t].metric] || !l->wanted[table[t].rows]) continue;
    size_t *count = table[t].kind == 0 ? &l->sums : table[t].kind == 1 ? &l->tops : &l->finals;
    long *of = table[t].kind == 0 ? l->sum_of : table[t].kind == 1 ? l->top_of : l->final_of;
    of[table[t].metric] = (long)*count;
    const bool inside = table[t].rows >= CS_ROWS_POINT_GROUPS;
    struct cs_row *row = inside ? l->inside : l->row;
    const size_t rows = inside ? l->inside_rows : l->rows;
    for (size_t i = 0; i < rows; i++) {
      if (row[i].group != table[t].rows) continue;
      const int place = (int)(*count + row[i].signal);
      if (table[t].kind == 0) row[i].sum = place;
      if (table[t].kind == 1) row[i].top = place;
      if (table[t].kind == 2) row[i].final = place;
    }
    *count += signals_of(l, table[t].rows);
  }
  if (m[CS_STATE_ERROR_FINAL] && l->x > 0) {
    l->final_of[CS_STATE_ERROR_FINAL] = (long)l->finals;
    l->finals += l->x;
  }
  if (l->stability) return place_spectrum(l);
  l->state_sums = l->z;
  if (l->varies) place_variable(l);
  l->state_tops = l->state_sums + l->sums;
  l->state_finals = l->state_tops + l->tops;
  l->state_diverged = l->state_finals + l->finals;
  l->state_growth = l->state_diverged + 1;
  if (l->varies) {
    l->state_diverged = l->state_vary + CS_VARY_STATUS;
    l->state_growth = l->state_vary + CS_VARY_GROWTH;
  }
  l->state_items = l->state_finals + l->finals + (l->varies ? 0 : 2);
}

static size_t rows_of_signal(const struct cs_layout *l, enum cs_rows group, size_t signal) {
  return group == CS_ROWS_CONNECTION_DEFECT ? l->connection_degree[signal] + 1 : 1;
}

static bool row_new(const struct cs_layout *l, struct cs_row *row, enum cs_rows group, size_t signal) {
  bool failed = false;
  row->group = group;
  row->signal = signal;
  row->sum = row->top = row->final = -1;
  row->block = cs_layout_take(l->blocks, 1, &failed);
  row->entry = cs_layout_take(l->blocks, sizeof *row->entry, &failed);
  return !failed;
}

static size_t place_entries(const struct cs_layout *l, struct cs_row *row, size_t rows) {
  size_t at = 0;
  for (size_t i = 0; i < rows; i++)
    for (size_t b = 0; b < l->blocks; b++) {
      row[i].entry[b] = row[i].block[b] && l->block_first[b + 1] > l->block_first[b] ? (int)at : -1;
      if (row[i].entry[b] >= 0) at += l->block_first[b + 1] - l->block_first[b];
    }
  return at;
}

int cs_layout_rows(struct cs_layout *l, struct cs_error *error) {
  bool failed = false;
  unsigned char *of_output = cs_layout_take(l->y * l->model->subsystems, 1, &failed);
  unsigned char *of_input = cs_layout_take(l->u * l->model->subsystems, 1, &failed);
  if (failed) {
    free(of_output);
    free(of_input);
    return cs_error_memory(error);
  }
  cs_layout_recorded(l, of_output);
  exchange_subsystems(l, of_output, of_input);
  for (size_t i = 0; i < l->u; i++) {
    l->connection_degree[i] = l->input_order[i];
    for (size_t o = 0; o < l->y; o++)
      if (cs_layout_connected(l, i, o))
        l->connection_degree[i] = cs_max_size(l->connection_degree[i], l->output_order[o]);
  }
  l->records ? want_recorded(l) : want_rows(l);
  l->rows = l->z;
  for (int g = 1; g < CS_ROWS_GROUPS; g++) {
    size_t *count = g < CS_ROWS_POINT_GROUPS ? &l->rows : &l->inside_rows;
    l->first_row[g] = *count;
    if (!l->wanted[g]) continue;
    for (size_t s = 0; s < signals_of(l, (enum cs_rows)g); s++) {
      if (g == CS_ROWS_CONNECTION_DEFECT) l->connection_row[s] = *count;
      *count += rows_of_signal(l, (enum cs_rows)g, s);
    }
  }
  l->row = cs_layout_take(l->rows, sizeof *l->row, &failed);
  l->inside = cs_layout_take(l->inside_rows, sizeof *l->inside, &failed);
  for (size_t i = 0; !failed && i < l->z; i++)
    failed = !row_new(l, &l->row[i], CS_ROWS_MAP, i);
  for (int g = 1; !failed && g < CS_ROWS_GROUPS; g++) {
    struct cs_row *row = (g < CS_ROWS_POINT_GROUPS ? l->row : l->inside) + l->first_row[g];
    for (size_t s = 0; l->wanted[g] && !failed && s < signals_of(l, (enum cs_rows)g); s++)
      for (size_t i = 0; !failed && i < rows_of_signal(l, (enum cs_rows)g, s); i++, row++) {
        failed = !row_new(l, row, (enum cs_rows)g, s);
        if (!failed) touch_row(l, of_output, row);
      }
  }
  if (!failed) {
    touch_map(l, of_output, of_input);
    l->point_items = place_entries(l, l->row, l->rows);
    l->inside_items = place_entries(l, l->inside, l->inside_rows);
    place_accumulators(l);
  }
  free(of_output);
  free(of_input);
  return failed ? cs_error_memory(error) : CS_OK;
}

size_t cs_layout_spectrum_places(const struct cs_layout *l) {
  return l->modes * (l->modes + 1) + l->x * l->x;
}

/* Place of a coefficient, or -1. */
static int64_t coefficient_place(const struct cs_layout *l, enum cs_operator from, size_t row, size_t column) {
  const size_t fixed = CS_K_X0 + l->x;
  for (size_t i = 0; i + fixed < l->estimate_at; i++) {
    const struct cs_coefficient *c = &l->coefficient[i];
    if (c->from == from && c->row == row && c->column == column) return (int64_t)(fixed + i);
  }
  return -1;
}

void cs_layout_spectrum_table(const struct cs_layout *l, int64_t *table) {
  const size_t n = l->modes;
  for (size_t i = 0; i < n; i++) {
    const struct cs_row *row = &l->row[l->r + i];
    for (size_t b = 1; b < l->blocks; b++)
      for (size_t j = l->block_first[b]; j < l->block_first[b + 1]; j++)
        table[i * n + j - l->r] = row->entry[b] < 0 ? -1 : row->entry[b] + (int64_t)(j - l->block_first[b]);
    table[n * n + i] = 0;
  }
  for (size_t a = 0; a < l->x; a++)
    table[n * n + l->state_at[a] - l->r] = 1;
  for (size_t i = 0; i < l->x; i++)
    for (size_t j = 0; j < l->x; j++)
      table[n * n + n + i * l->x + j] = coefficient_place(l, CS_OP_M, i, j);
}

static void rows_free(struct cs_row *row, size_t rows) {
  for (size_t i = 0; row != NULL && i < rows; i++) {
    free(row[i].block);
    free(row[i].entry);
  }
  free(row);
}

void cs_layout_rows_free(struct cs_layout *l) {
  rows_free(l->row, l->rows);
  rows_free(l->inside, l->inside_rows);
}
