#include "layout_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 16, MOST_PIECES = 65536 };

/* ---- z ----------------------------------------------------------------------------------------------------------- */

/* Least degree of what a subsystem receives; 0 where it receives nothing. */
static size_t degree_behind(const struct cs_layout *l, size_t subsystem) {
  size_t least = CS_MAX_ORDER + 1;
  for (size_t i = 0; i < l->u; i++)
    for (size_t o = 0; o < l->y; o++)
      if (l->model->input[i].subsystem == subsystem && cs_layout_connected(l, i, o) && l->input_order[i] < least)
        least = l->input_order[i];
  return least > CS_MAX_ORDER ? 0 : least;
}

/* Degrees in use: with hold taylor derivatives above every source's output order do not exist. */
static void choose_orders(struct cs_layout *l) {
  size_t most = 0;
  for (size_t o = 0; o < l->y; o++) {
    l->output_order[o] = l->method.subsystem[l->model->output[o].subsystem].output_order;
    if (l->stability && l->method.hold != CS_TAYLOR) l->output_order[o] = 0; /* what is reconstructed does not act */
    most = cs_max_size(most, l->output_order[o]);
  }
  for (size_t i = 0; i < l->u; i++) {
    size_t order = l->method.subsystem[l->model->input[i].subsystem].input_order, sources = 0;
    for (size_t o = 0; o < l->y; o++)
      if (cs_layout_connected(l, i, o)) sources = cs_max_size(sources, 1 + l->output_order[o]);
    if (l->method.hold == CS_TAYLOR && sources > 0 && order > sources - 1) order = sources - 1;
    if (sources == 0) order = 0;
    l->input_order[i] = order;
    most = cs_max_size(most, order);
  }
  for (size_t o = 0; o < l->y; o++)
    l->estimate_degree[o] = degree_behind(l, l->model->output[o].subsystem);
  l->coefficients_of_input = most + 1;
  l->ramp_steps = l->method.start == CS_RAMP ? most : 0;
}

/* Inputs whose values of part 0 are no memory of their own. */
static void find_values_from_states(struct cs_layout *l) {
  const struct cs_pattern *feedthrough = &l->pattern[CS_OP_D];
  for (size_t i = 0; i < l->u; i++) {
    l->from_states[i] = l->user == NULL && l->input_at[i] >= 0;
    for (size_t o = 0; o < l->y; o++)
      for (size_t j = 0; cs_layout_connected(l, i, o) && j < l->u; j++)
        if (feedthrough->set[o * l->u + j]) l->from_states[i] = false;
    l->kept -= l->from_states[i];
  }
}

/* Whether an input keeps something of a part from step to step: of new values only hold points do, from degree 1. */
static bool has_memory(const struct cs_layout *l, size_t input, size_t part) {
  const size_t to = l->model->input[input].subsystem;
  bool any = false, old = false;
  for (size_t o = 0; o < l->y; o++) {
    if (!cs_layout_connected(l, input, o)) continue;
    const bool newer = l->newer[to * l->model->subsystems + l->model->output[o].subsystem] != 0;
    any = any || newer;
    old = old || !newer;
  }
  if (part == 0) return old || !any;
  return any && l->method.hold != CS_TAYLOR && l->input_order[input] > 0;
}

static void place_z(struct cs_layout *l) {
  size_t at = l->r;
  l->block_first[0] = 0;
  for (size_t s = 0; s < l->model->subsystems; s++) {
    const struct cs_subsystem *sub = &l->model->subsystem[s];
    l->block_first[1 + s] = at;
    for (size_t i = 0; i < sub->states; i++)
      l->state_at[sub->first_state + i] = at++;
    for (size_t i = sub->first_input; i < sub->first_input + sub->inputs; i++)
      for (size_t part = 0; part < l->parts; part++) {
        const bool memory = has_memory(l, i, part);
        l->input_at[part * l->u + i] = memory ? (long)at : -1;
        if (memory) at += l->input_order[i] + 1;
      }
    for (size_t o = sub->first_output; o < sub->first_output + sub->outputs; o++) {
      const bool memory = l->method.hold != CS_TAYLOR && l->output_order[o] > 0;
      l->output_at[o] = memory ? (long)at : -1;
      if (memory) at += l->output_order[o] + 1;
    }
  }
  if (l->master_memory > 0) l->block_first[1 + l->model->subsystems] = l->master_at = at;
  at += l->master_memory;
  l->block_first[l->blocks] = at;
  l->z = at;
  l->modes = l->z - l->r;
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

static int choose_segments(struct cs_layout *l, struct cs_error *error) {
  l->pieces = 1;
  l->follows_model = l->follows_throughout = l->method.hold == CS_TAYLOR;
  for (size_t s = 0; s < l->model->subsystems; s++) {
    const struct cs_subsystem_method *m = &l->method.subsystem[s];
    if (m->solver == CS_EXACT || l->model->subsystem[s].states == 0) continue;
    if (m->solver == CS_DOPRI5) {
      l->adaptive = true;
      l->follows_model = l->follows_throughout = false;
      continue;
    }
    l->inexact = true;
    l->pieces = lcm(l->pieces, m->micro_steps);
    if (l->pieces > MOST_PIECES)
      return cs_error_set(error, CS_INPUT,
                          "the subsystems' micro_steps together cut the macro step into %zu pieces; want at most %d",
                          l->pieces, MOST_PIECES);
    if (m->solver == CS_IMPLICIT_EULER || m->solver == CS_TRAPEZOIDAL) l->implicit = true;
    if (m->solver == CS_EULER && l->method.hold == CS_TAYLOR) l->frozen = true;
    if (m->solver != CS_EULER || m->micro_steps > 2) l->follows_model = false;
    if (m->solver != CS_EULER || m->micro_steps > 1) l->follows_throughout = false;
  }
  l->segments = l->stability ? l->pieces : lcm(l->pieces, 2);         /* the midpoint is measured, it does not act */
  if (l->stability) l->follows_model = l->follows_throughout = false; /* what defects are taken from */
  l->few = l->inexact || l->adaptive ? CS_NODES_FULL - 1 : l->coefficients_of_input + 3;
  for (size_t a = 0; a < l->x; a++) {
    const struct cs_subsystem_method *m = &l->method.subsystem[l->model->state[a].subsystem];
    l->micro_length[a] = l->segments / (m->solver == CS_EXACT || m->solver == CS_DOPRI5 ? 1 : m->micro_steps);
  }
  return CS_OK;
}

/* ---- coefficients ------------------------------------------------------------------------------------------------ */

static int coefficients_new(struct cs_layout *l, struct cs_error *error) {
  size_t count = 0;
  for (int pass = 0; pass < 2; pass++) {
    count = 0;
    for (int op = 0; op < CS_OPERATORS; op++) {
      const struct cs_pattern *p = &l->pattern[op];
      if (op >= CS_OP_EVENT_TIME && !l->varies) continue;
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
      l->coefficient = cs_layout_take(count, sizeof *l->coefficient, &failed);
      if (failed) return cs_error_memory(error);
    }
  }
  l->estimate_at = CS_K_X0 + l->x + count;
  if (l->method.estimate == CS_ESTIMATE_CORRECTED && (l->wanted[CS_ROWS_LOCAL_ESTIMATE] || l->halves))
    l->estimates = l->coefficients_of_input;
  l->control_at = l->estimate_at + l->estimates * l->y * l->y;
  l->coefficients = l->control_at + (l->varies ? CS_CONTROL_NUMBERS + 1 + l->model->subsystems : 0);
  return CS_OK;
}

int cs_layout_new(const struct cs_sweep *sweep, const struct cs_method *method, enum cs_study study, bool records,
                  struct cs_layout **layout, struct cs_error *error) {
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
  l->stability = study == CS_STABILITY;
  l->records = records;
  l->varies = !l->stability && (records || cs_sweep_varies_with(sweep, method));
  l->blocks = 1 + l->model->subsystems;
  l->method.subsystem = cs_layout_take(l->model->subsystems, sizeof *method->subsystem, &failed);
  l->block_first = cs_layout_take(l->blocks + 1, sizeof *l->block_first, &failed);
  l->input_order = cs_layout_take(l->u, sizeof *l->input_order, &failed);
  l->output_order = cs_layout_take(l->y, sizeof *l->output_order, &failed);
  l->estimate_degree = cs_layout_take(l->y, sizeof *l->estimate_degree, &failed);
  l->state_at = cs_layout_take(l->x, sizeof *l->state_at, &failed);
  l->input_at = cs_layout_take(2 * l->u, sizeof *l->input_at, &failed);
  l->output_at = cs_layout_take(l->y, sizeof *l->output_at, &failed);
  l->micro_length = cs_layout_take(l->x, sizeof *l->micro_length, &failed);
  l->from_states = cs_layout_take(l->u, sizeof *l->from_states, &failed);
  l->connection_row = cs_layout_take(l->u, sizeof *l->connection_row, &failed);
  l->connection_degree = cs_layout_take(l->u, sizeof *l->connection_degree, &failed);
  int code = failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) {
    memcpy(l->method.subsystem, method->subsystem, l->model->subsystems * sizeof *method->subsystem);
    code = cs_layout_patterns(l, error);
  }
  if (code == CS_OK) {
    choose_orders(l);
    cs_layout_control(l);
    code = cs_layout_master(l, error);
  }
  if (code == CS_OK) {
    place_z(l);
    l->kept = l->z;
    find_values_from_states(l);
    code = choose_segments(l, error);
    if (code == CS_OK) code = cs_layout_rows(l, error);
    l->doubles = !l->stability && !l->varies && l->method.engine != CS_STEP && l->tops == 0;
  }
  if (code == CS_OK) code = coefficients_new(l, error);
  if (code != CS_OK) {
    cs_layout_free(l);
    return code;
  }
  *layout = l;
  return CS_OK;
}

void cs_layout_free(struct cs_layout *l) {
  if (l == NULL) return;
  cs_layout_rows_free(l);
  for (int op = 0; op < CS_OPERATORS; op++)
    free(l->pattern[op].set);
  free(l->method.subsystem);
  free(l->block_first);
  free(l->input_order);
  free(l->output_order);
  free(l->estimate_degree);
  free(l->state_at);
  free(l->input_at);
  free(l->newer);
  free(l->reach);
  free(l->output_at);
  free(l->micro_length);
  free(l->from_states);
  free(l->connection_row);
  free(l->connection_degree);
  free(l->coefficient);
  free(l);
}

/* ---- quadrature -------------------------------------------------------------------------------------------------- */

size_t cs_layout_panels_most(const struct cs_layout *l) {
  return cs_max_size(MOST_PANELS / l->pieces, 1);
}

size_t cs_layout_quadrature(const struct cs_layout *l, double norm, double *panels, double *levels, double *first_panel,
                            double *nodes) {
  const double piece = norm / (double)l->pieces;
  const double most = (double)cs_layout_panels_most(l);
  *panels = ceil(piece / 2.0);
  if (!(*panels >= 1.0)) *panels = 1.0;
  if (*panels > most) *panels = most;
  *levels = piece / *panels > 2.0 ? ceil(log2(piece / *panels / 2.0)) : 0.0;
  if (*levels > 30.0) *levels = 30.0;
  *first_panel = ldexp(1.0, -(int)*levels) / *panels;
  *nodes = !l->inexact && !l->adaptive && norm <= CS_NORM_FEW ? (double)l->few : CS_NODES_FULL;
  if (l->inside_rows == 0) *panels = 1.0, *levels = 0.0, *nodes = 0.0;
  return (size_t)((double)l->pieces * (*panels + *levels) * *nodes);
}
