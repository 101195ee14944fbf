#include "layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tableau.h"

enum { FULL_NODES = 8, MOST_PANELS = 16 };

static size_t max_size(size_t a, size_t b) {
  return a > b ? a : b;
}

static void *take(size_t count, size_t size, bool *failed) {
  void *memory = calloc(max_size(count, 1), size);
  if (memory == NULL) *failed = true;
  return memory;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static bool pattern_new(struct cs_pattern *p, size_t rows, size_t columns) {
  p->rows = rows;
  p->columns = columns;
  p->set = calloc(max_size(rows * columns, 1), 1);
  return p->set != NULL;
}

static void pattern_take(struct cs_pattern *p, const struct cs_entries *entries) {
  for (size_t i = 0; i < entries->count; i++)
    p->set[entries->entry[i].row * p->columns + entries->entry[i].column] = 1;
}

/* c |= a b, c's first columns. */
static void pattern_product(const struct cs_pattern *a, const struct cs_pattern *b, struct cs_pattern *c) {
  for (size_t i = 0; i < a->rows; i++)
    for (size_t k = 0; k < a->columns; k++)
      if (a->set[i * a->columns + k])
        for (size_t j = 0; j < b->columns; j++)
          c->set[i * c->columns + j] |= b->set[k * b->columns + j];
}

/* S = I + DL + (DL)^2 + ... */
static void pattern_closure(struct cs_pattern *s) {
  const size_t n = s->rows;
  for (size_t i = 0; i < n; i++)
    s->set[i * n + i] = 1;
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++)
      if (s->set[i * n + k])
        for (size_t j = 0; j < n; j++)
          s->set[i * n + j] |= s->set[k * n + j];
}

static int patterns_new(struct cs_layout *l, struct cs_error *error) {
  static const enum cs_matrix source[CS_OPERATORS] = {
      [CS_OP_A] = CS_A,       [CS_OP_B] = CS_B, [CS_OP_C] = CS_C,   [CS_OP_D] = CS_D,   [CS_OP_L] = CS_L,
      [CS_OP_BIAS] = CS_BIAS, [CS_OP_E] = CS_E, [CS_OP_MX] = CS_MX, [CS_OP_MU] = CS_MU, [CS_OP_MY] = CS_MY};
  const struct cs_entries *matrix = l->model->matrix;
  struct cs_pattern *p = l->pattern;
  l->affine = matrix[CS_E].count + matrix[CS_F].count + matrix[CS_BIAS].count > 0;
  l->r = l->x + (l->affine ? 1 : 0);
  bool good = pattern_new(&p[CS_OP_M], l->r, l->r) && pattern_new(&p[CS_OP_Y], l->y, l->r) &&
              pattern_new(&p[CS_OP_S], l->y, l->y) && pattern_new(&p[CS_OP_MC], l->monitors, 1);
  for (int op = 0; op < CS_OPERATORS; op++) {
    if (op == CS_OP_M || op == CS_OP_Y || op == CS_OP_S || op == CS_OP_MC) continue;
    const struct cs_entries *from = &matrix[source[op]];
    good = good && pattern_new(&p[op], from->rows, from->columns);
    if (good) pattern_take(&p[op], from);
  }
  struct cs_pattern gain = {0}, u = {0};
  good = good && pattern_new(&gain, l->y, l->r) && pattern_new(&u, l->u, l->r);
  if (!good) {
    free(gain.set);
    free(u.set);
    return cs_error_memory(error);
  }
  if (l->affine) memset(p[CS_OP_MC].set, 1, l->monitors);
  pattern_product(&p[CS_OP_D], &p[CS_OP_L], &p[CS_OP_S]);
  pattern_closure(&p[CS_OP_S]);
  /* Y = S (C, D b + f), U = (L Y, + b), M = (A, e) + B U */
  for (size_t i = 0; i < l->y; i++)
    for (size_t j = 0; j < l->x; j++)
      gain.set[i * l->r + j] = p[CS_OP_C].set[i * l->x + j];
  if (l->affine) {
    for (size_t i = 0; i < l->y; i++)
      for (size_t j = 0; j < l->u; j++)
        if (p[CS_OP_D].set[i * l->u + j] && p[CS_OP_BIAS].set[j]) gain.set[i * l->r + l->x] = 1;
    for (size_t i = 0; i < matrix[CS_F].count; i++)
      gain.set[matrix[CS_F].entry[i].row * l->r + l->x] = 1;
  }
  pattern_product(&p[CS_OP_S], &gain, &p[CS_OP_Y]);
  pattern_product(&p[CS_OP_L], &p[CS_OP_Y], &u);
  for (size_t i = 0; l->affine && i < l->u; i++)
    u.set[i * l->r + l->x] |= p[CS_OP_BIAS].set[i];
  for (size_t i = 0; i < l->x; i++) {
    for (size_t j = 0; j < l->x; j++)
      p[CS_OP_M].set[i * l->r + j] |= p[CS_OP_A].set[i * l->x + j];
    if (l->affine) p[CS_OP_M].set[i * l->r + l->x] |= p[CS_OP_E].set[i];
    for (size_t k = 0; k < l->u; k++)
      for (size_t j = 0; p[CS_OP_B].set[i * l->u + k] && j < l->r; j++)
        p[CS_OP_M].set[i * l->r + j] |= u.set[k * l->r + j];
  }
  free(gain.set);
  free(u.set);
  return CS_OK;
}

/* ---- z ----------------------------------------------------------------------------------------------------------- */

static bool connected(const struct cs_layout *l, size_t input, size_t output) {
  return l->pattern[CS_OP_L].set[input * l->y + output] != 0;
}

/* Degrees in use: with hold taylor derivatives above every source's output order do not exist. */
static void choose_orders(struct cs_layout *l) {
  size_t most = 0;
  for (size_t o = 0; o < l->y; o++) {
    l->output_order[o] = l->method.subsystem[l->model->output[o].subsystem].output_order;
    most = max_size(most, l->output_order[o]);
  }
  for (size_t i = 0; i < l->u; i++) {
    size_t order = l->method.subsystem[l->model->input[i].subsystem].input_order, sources = 0;
    for (size_t o = 0; o < l->y; o++)
      if (connected(l, i, o)) sources = max_size(sources, 1 + l->output_order[o]);
    if (l->method.hold == CS_TAYLOR && sources > 0 && order > sources - 1) order = sources - 1;
    if (sources == 0) order = 0;
    l->input_order[i] = order;
    most = max_size(most, order);
  }
  l->coefficients_of_input = most + 1;
  l->ramp_steps = l->method.start == CS_RAMP ? most : 0;
}

static void place_z(struct cs_layout *l) {
  size_t at = l->r;
  l->block_first[0] = 0;
  for (size_t s = 0; s < l->model->subsystems; s++) {
    const struct cs_subsystem *sub = &l->model->subsystem[s];
    l->block_first[1 + s] = at;
    for (size_t i = 0; i < sub->states; i++)
      l->state_at[sub->first_state + i] = at++;
    for (size_t i = sub->first_input; i < sub->first_input + sub->inputs; i++) {
      l->input_at[i] = at;
      at += l->input_order[i] + 1;
    }
    for (size_t o = sub->first_output; o < sub->first_output + sub->outputs; o++) {
      const bool memory = l->method.hold != CS_TAYLOR && l->output_order[o] > 0;
      l->output_at[o] = memory ? (long)at : -1;
      if (memory) at += l->output_order[o] + 1;
    }
  }
  l->block_first[l->blocks] = at;
  l->z = at;
}

static size_t lcm(size_t a, size_t b) {
  size_t x = a, y = b;
  while (y != 0) {
    const size_t t = x % y;
    x = y;
    y = t;
  }
  return a / x * b;
}

static void choose_segments(struct cs_layout *l) {
  l->pieces = 1;
  l->follows_model = l->method.hold == CS_TAYLOR;
  for (size_t s = 0; s < l->model->subsystems; s++) {
    const struct cs_subsystem_method *m = &l->method.subsystem[s];
    if (m->solver == CS_EXACT || l->model->subsystem[s].states == 0) continue;
    l->inexact = true;
    l->pieces = lcm(l->pieces, m->micro_steps);
    if (m->solver == CS_IMPLICIT_EULER || m->solver == CS_TRAPEZOIDAL) l->implicit = true;
    if (m->solver == CS_EULER && l->method.hold == CS_TAYLOR) l->frozen = true;
    if (m->solver != CS_EULER || m->micro_steps > 2) l->follows_model = false;
  }
  l->segments = lcm(l->pieces, 2);
  l->few = l->inexact ? FULL_NODES - 1 : l->coefficients_of_input + 3;
  for (size_t a = 0; a < l->x; a++) {
    const struct cs_subsystem_method *m = &l->method.subsystem[l->model->state[a].subsystem];
    l->micro_length[a] = m->solver == CS_EXACT ? l->segments : l->segments / m->micro_steps;
  }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Which subsystems the samples of outputs touch, [outputs][subsystems]: their own; with `solved` those behind
 * (I - D L)^-1, and all of them once derivatives are taken of the solved network. */
static void sample_subsystems(const struct cs_layout *l, unsigned char *of_output) {
  const size_t n = l->model->subsystems;
  const bool solved = l->method.feedthrough == CS_SOLVED;
  const bool everything = solved && l->method.hold == CS_TAYLOR && l->coefficients_of_input > 1;
  for (size_t o = 0; o < l->y; o++) {
    of_output[o * n + l->model->output[o].subsystem] = 1;
    for (size_t p = 0; solved && p < l->y; p++)
      if (l->pattern[CS_OP_S].set[o * l->y + p]) of_output[o * n + l->model->output[p].subsystem] = 1;
    if (everything) memset(of_output + o * n, 1, n);
  }
}

static void touch(struct cs_row *row, const unsigned char *subsystems, size_t count) {
  for (size_t s = 0; s < count; s++)
    row->block[1 + s] |= subsystems[s];
}

/* What the new memory of input i touches. */
static void touch_exchange(const struct cs_layout *l, const unsigned char *of_output, size_t i, struct cs_row *row,
                           size_t depth) {
  const size_t n = l->model->subsystems;
  if (l->method.hold != CS_TAYLOR) row->block[1 + l->model->input[i].subsystem] = 1;
  for (size_t o = 0; o < l->y; o++) {
    if (!connected(l, i, o)) continue;
    touch(row, of_output + o * n, n);
    if (l->method.feedthrough != CS_REFRESH || depth == 0) continue;
    for (size_t k = 0; k < i; k++) /* inputs refreshed before this one */
      if (l->pattern[CS_OP_D].set[o * l->u + k]) touch_exchange(l, of_output, k, row, depth - 1);
  }
}

static void touch_reconstruction(const struct cs_layout *l, const unsigned char *of_output, size_t o,
                                 struct cs_row *row) {
  touch(row, of_output + o * l->model->subsystems, l->model->subsystems);
  row->block[1 + l->model->output[o].subsystem] = 1;
}

static void touch_monitor(const struct cs_layout *l, const unsigned char *of_output, size_t m, struct cs_row *row) {
  for (size_t a = 0; a < l->x; a++)
    if (l->pattern[CS_OP_MX].set[m * l->x + a]) row->block[1 + l->model->state[a].subsystem] = 1;
  for (size_t i = 0; i < l->u; i++)
    if (l->pattern[CS_OP_MU].set[m * l->u + i]) row->block[1 + l->model->input[i].subsystem] = 1;
  for (size_t o = 0; o < l->y; o++)
    if (l->pattern[CS_OP_MY].set[m * l->y + o]) touch_reconstruction(l, of_output, o, row);
}

static void touch_row(const struct cs_layout *l, const unsigned char *of_output, struct cs_row *row) {
  const size_t s = row->signal;
  row->block[0] = 1;
  switch (row->group) {
    case CS_ROWS_CONNECTION_DEFECT:
      row->block[1 + l->model->input[s].subsystem] = 1;
      for (size_t o = 0; o < l->y; o++)
        if (connected(l, s, o)) touch_reconstruction(l, of_output, o, row);
      break;
    case CS_ROWS_OUTPUT_POINT:
      touch(row, of_output + s * l->model->subsystems, l->model->subsystems);
      break;
    case CS_ROWS_OUTPUT_DEFECT:
    case CS_ROWS_OUTPUT_ERROR:
    case CS_ROWS_OUTPUT_DEFECT_TRUE:
      touch_reconstruction(l, of_output, s, row);
      break;
    case CS_ROWS_INPUT_POINT:
    case CS_ROWS_INPUT_ERROR:
      row->block[1 + l->model->input[s].subsystem] = 1;
      break;
    case CS_ROWS_STATE_POINT:
    case CS_ROWS_STATE_ERROR:
    case CS_ROWS_INTEGRATION_DEFECT:
      row->block[1 + l->model->state[s].subsystem] = 1;
      break;
    case CS_ROWS_MONITOR:
      touch_monitor(l, of_output, s, row);
      break;
    default:
      break;
  }
}

/* Rows of the map: r, then per subsystem its states and memories; signal = place in z. */
static void touch_map(struct cs_layout *l, const unsigned char *of_output) {
  for (size_t i = 0; i < l->z; i++)
    l->row[i].block[0] = 1;
  for (size_t a = 0; a < l->x; a++)
    l->row[l->state_at[a]].block[1 + l->model->state[a].subsystem] = 1;
  for (size_t i = 0; i < l->u; i++)
    for (size_t j = 0; j <= l->input_order[i]; j++)
      touch_exchange(l, of_output, i, &l->row[l->input_at[i] + j], l->u);
  for (size_t o = 0; o < l->y; o++)
    for (size_t j = 0; l->output_at[o] >= 0 && j <= l->output_order[o]; j++)
      touch_reconstruction(l, of_output, o, &l->row[l->output_at[o] + (long)j]);
}

static void want_rows(struct cs_layout *l) {
  const bool *m = l->sweep->metric;
  const bool points = l->method.error_at == CS_POINTS;
  bool *w = l->wanted;
  w[CS_ROWS_OUTPUT_DEFECT] = m[CS_OUTPUT_DEFECT] && l->y > 0;
  w[CS_ROWS_CONNECTION_DEFECT] = m[CS_CONNECTION_DEFECT] && l->u > 0;
  w[CS_ROWS_OUTPUT_POINT] =
      (m[CS_OUTPUT_ERROR_MAX] || m[CS_OUTPUT_ERROR_FINAL] || (points && m[CS_OUTPUT_ERROR])) && l->y > 0;
  w[CS_ROWS_INPUT_POINT] =
      (m[CS_INPUT_ERROR_MAX] || m[CS_INPUT_ERROR_FINAL] || (points && m[CS_INPUT_ERROR])) && l->u > 0;
  w[CS_ROWS_STATE_POINT] = (m[CS_STATE_ERROR_MAX] || (points && m[CS_STATE_ERROR])) && l->x > 0;
  w[CS_ROWS_MONITOR] = (m[CS_MONITOR_RMS] || m[CS_MONITOR_MAX] || m[CS_MONITOR_FINAL]) && l->monitors > 0;
  w[CS_ROWS_OUTPUT_ERROR] = m[CS_OUTPUT_ERROR] && !points && l->y > 0;
  w[CS_ROWS_INPUT_ERROR] = m[CS_INPUT_ERROR] && !points && l->u > 0;
  w[CS_ROWS_STATE_ERROR] = m[CS_STATE_ERROR] && !points && l->x > 0;
  w[CS_ROWS_OUTPUT_DEFECT_TRUE] = m[CS_OUTPUT_DEFECT_TRUE] && l->y > 0;
  w[CS_ROWS_INTEGRATION_DEFECT] = m[CS_INTEGRATION_DEFECT] && l->inexact;
}

static size_t signals_of(const struct cs_layout *l, enum cs_rows group) {
  switch (group) {
    case CS_ROWS_OUTPUT_DEFECT:
    case CS_ROWS_OUTPUT_POINT:
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
  l->state_sums = l->z;
  l->state_tops = l->state_sums + l->sums;
  l->state_finals = l->state_tops + l->tops;
  l->state_diverged = l->state_finals + l->finals;
  l->state_growth = l->state_diverged + 1;
  l->state_items = l->state_growth + 1;
}

static size_t rows_of_signal(const struct cs_layout *l, enum cs_rows group, size_t signal) {
  return group == CS_ROWS_CONNECTION_DEFECT ? l->connection_degree[signal] + 1 : 1;
}

static bool row_new(const struct cs_layout *l, struct cs_row *row, enum cs_rows group, size_t signal) {
  bool failed = false;
  row->group = group;
  row->signal = signal;
  row->sum = row->top = row->final = -1;
  row->block = take(l->blocks, 1, &failed);
  row->entry = take(l->blocks, sizeof *row->entry, &failed);
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

static int rows_new(struct cs_layout *l, struct cs_error *error) {
  bool failed = false;
  unsigned char *of_output = take(l->y * l->model->subsystems, 1, &failed);
  if (failed) return cs_error_memory(error);
  sample_subsystems(l, of_output);
  for (size_t i = 0; i < l->u; i++) {
    l->connection_degree[i] = l->input_order[i];
    for (size_t o = 0; o < l->y; o++)
      if (connected(l, i, o)) l->connection_degree[i] = max_size(l->connection_degree[i], l->output_order[o]);
  }
  want_rows(l);
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
  l->row = take(l->rows, sizeof *l->row, &failed);
  l->inside = take(l->inside_rows, sizeof *l->inside, &failed);
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
    touch_map(l, of_output);
    l->point_items = place_entries(l, l->row, l->rows);
    l->inside_items = place_entries(l, l->inside, l->inside_rows);
    place_accumulators(l);
  }
  free(of_output);
  return failed ? cs_error_memory(error) : CS_OK;
}

/* ---- coefficients ------------------------------------------------------------------------------------------------ */

static int coefficients_new(struct cs_layout *l, struct cs_error *error) {
  size_t count = 0;
  for (int pass = 0; pass < 2; pass++) {
    count = 0;
    for (int op = 0; op < CS_OPERATORS; op++) {
      const struct cs_pattern *p = &l->pattern[op];
      if (op == CS_OP_S && l->method.feedthrough != CS_SOLVED) continue;
      if ((op == CS_OP_MX || op == CS_OP_MU || op == CS_OP_MY || op == CS_OP_MC) && !l->wanted[CS_ROWS_MONITOR])
        continue;
      for (size_t i = 0; i < p->rows * p->columns; i++) {
        if (!p->set[i]) continue;
        if (pass == 1)
          l->coefficient[count] = (struct cs_coefficient){(enum cs_operator)op, i / p->columns, i % p->columns};
        count++;
      }
    }
    if (pass == 0) {
      bool failed = false;
      l->coefficient = take(count, sizeof *l->coefficient, &failed);
      if (failed) return cs_error_memory(error);
    }
  }
  l->coefficients = CS_K_X0 + l->x + count;
  return CS_OK;
}

int cs_layout_new(const struct cs_sweep *sweep, const struct cs_method *method, struct cs_layout **layout,
                  struct cs_error *error) {
  bool failed = false;
  struct cs_layout *l = calloc(1, sizeof *l);
  *layout = NULL;
  if (l == NULL) return cs_error_memory(error);
  l->sweep = sweep;
  l->model = sweep->model;
  l->method = *method;
  l->x = l->model->states;
  l->u = l->model->inputs;
  l->y = l->model->outputs;
  l->monitors = l->model->monitors;
  l->blocks = 1 + l->model->subsystems;
  l->method.subsystem = take(l->model->subsystems, sizeof *method->subsystem, &failed);
  l->block_first = take(l->blocks + 1, sizeof *l->block_first, &failed);
  l->input_order = take(l->u, sizeof *l->input_order, &failed);
  l->output_order = take(l->y, sizeof *l->output_order, &failed);
  l->state_at = take(l->x, sizeof *l->state_at, &failed);
  l->input_at = take(l->u, sizeof *l->input_at, &failed);
  l->output_at = take(l->y, sizeof *l->output_at, &failed);
  l->micro_length = take(l->x, sizeof *l->micro_length, &failed);
  l->connection_row = take(l->u, sizeof *l->connection_row, &failed);
  l->connection_degree = take(l->u, sizeof *l->connection_degree, &failed);
  int code = failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) {
    memcpy(l->method.subsystem, method->subsystem, l->model->subsystems * sizeof *method->subsystem);
    code = patterns_new(l, error);
  }
  if (code == CS_OK) {
    choose_orders(l);
    place_z(l);
    choose_segments(l);
    code = rows_new(l, error);
  }
  if (code == CS_OK) code = coefficients_new(l, error);
  if (code != CS_OK) {
    cs_layout_free(l);
    return code;
  }
  *layout = l;
  return CS_OK;
}

static void rows_free(struct cs_row *row, size_t rows) {
  for (size_t i = 0; row != NULL && i < rows; i++) {
    free(row[i].block);
    free(row[i].entry);
  }
  free(row);
}

void cs_layout_free(struct cs_layout *l) {
  if (l == NULL) return;
  rows_free(l->row, l->rows);
  rows_free(l->inside, l->inside_rows);
  for (int op = 0; op < CS_OPERATORS; op++)
    free(l->pattern[op].set);
  free(l->method.subsystem);
  free(l->block_first);
  free(l->input_order);
  free(l->output_order);
  free(l->state_at);
  free(l->input_at);
  free(l->output_at);
  free(l->micro_length);
  free(l->connection_row);
  free(l->connection_degree);
  free(l->coefficient);
  free(l);
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

size_t cs_layout_quadrature(const struct cs_layout *l, double norm, double *panels, double *levels, double *first_panel,
                            double *nodes) {
  const double piece = norm / (double)l->pieces;
  double most = MOST_PANELS / (double)l->pieces;
  if (most < 1.0) most = 1.0;
  *panels = ceil(piece / 2.0);
  if (!(*panels >= 1.0)) *panels = 1.0;
  if (*panels > floor(most)) *panels = floor(most);
  *levels = piece / *panels > 2.0 ? ceil(log2(piece / *panels / 2.0)) : 0.0;
  if (*levels > 30.0) *levels = 30.0;
  *first_panel = ldexp(1.0, -(int)*levels) / *panels;
  *nodes = !l->inexact && norm <= 0.125 ? (double)l->few : FULL_NODES;
  if (l->inside_rows == 0) *panels = 1.0, *levels = 0.0, *nodes = 0.0;
  return (size_t)((double)l->pieces * (*panels + *levels) * *nodes);
}

double cs_layout_step_work(const struct cs_layout *l, size_t nodes) {
  return (double)(l->point_items + nodes * l->inside_items) + (double)l->sums + (double)l->tops;
}

double cs_layout_assembly_work(const struct cs_layout *l, double norm, size_t nodes) {
  size_t entries = 0;
  for (int op = 0; op <= CS_OP_L; op++)
    for (size_t i = 0; i < l->pattern[op].rows * l->pattern[op].columns; i++)
      entries += l->pattern[op].set[i];
  const double hops = (double)(l->segments + nodes) + ceil(norm);
  return (double)l->z * hops * 14.0 * (double)(entries + l->r + l->x + l->coefficients_of_input * (l->u + l->y));
}
