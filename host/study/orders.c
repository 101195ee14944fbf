#include "orders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int cs_orders_new(const struct cs_model *model, struct cs_orders **orders, struct cs_error *error) {
  const size_t numbers = 4 * model->inputs + model->states + 2 * model->outputs;
  struct cs_orders *o = *orders = malloc(sizeof *o + numbers * sizeof(double) + model->subsystems * sizeof(bool));
  if (o == NULL) return cs_error_memory(error);
  o->input = (double *)(o + 1);
  o->effect = o->input + model->inputs;
  o->end = o->effect + model->inputs;
  o->room = o->end + model->inputs;
  o->state = o->room + model->inputs;
  o->output = o->state + model->states;
  o->handed = o->output + model->outputs;
  o->advanced = (bool *)(o->handed + model->outputs);
  return CS_OK;
}

void cs_orders_free(struct cs_orders *orders) {
  free(orders);
}

static void set(double *order, size_t count, double value) {
  for (size_t i = 0; i < count; i++)
    order[i] = value;
}

void cs_orders_none(const struct cs_model *model, struct cs_orders *o) {
  set(o->input, model->inputs, INFINITY);
  set(o->effect, model->inputs, INFINITY);
  set(o->end, model->inputs, INFINITY);
  set(o->state, model->states, INFINITY);
  set(o->output, model->outputs, INFINITY);
}

/* Adds `m` times `from`, `more` orders higher, to `count` rows from `first` on; returns whether any fell. */
static bool add(const struct cs_entries *m, size_t first, size_t count, const double *from, double more, double *to) {
  bool fell = false;
  for (size_t i = 0; i < m->count; i++) {
    const size_t row = m->entry[i].row;
    const double order = from[m->entry[i].column] + more;
    if (row < first || row - first >= count || order >= to[row]) continue;
    to[row] = order;
    fell = true;
  }
  return fell;
}

/* Outputs that satisfy the network follow from the states alone. */
static void solve(const struct cs_model *model, struct cs_orders *o) {
  set(o->output, model->outputs, INFINITY);
  set(o->room, model->inputs, INFINITY);
  add(&model->matrix[CS_C], 0, model->outputs, o->state, 0, o->output);
  do
    add(&model->matrix[CS_L], 0, model->inputs, o->output, 0, o->room);
  while (add(&model->matrix[CS_D], 0, model->outputs, o->room, 0, o->output));
}

/* What an input receives from an output: interpolated, or extrapolated from exact values. */
static void receive(const struct cs_orders_step *step, bool interpolated, size_t input, size_t output,
                    struct cs_orders *o) {
  const struct cs_orders_held *held = interpolated ? &step->interpolated : &step->extrapolated;
  const double value = interpolated ? o->handed[output] : INFINITY;
  o->input[input] = fmin(o->input[input], fmin(held->input, value));
  o->effect[input] = fmin(o->effect[input], fmin(held->effect, value));
  o->end[input] = fmin(o->end[input], fmin(held->end, value));
}

static void advance(const struct cs_model *model, const struct cs_orders_step *step, bool repeated, size_t subsystem,
                    struct cs_orders *o) {
  const struct cs_subsystem *s = &model->subsystem[subsystem];
  const struct cs_entries *m = model->matrix;
  set(o->input + s->first_input, s->inputs, INFINITY);
  set(o->effect + s->first_input, s->inputs, INFINITY);
  set(o->end + s->first_input, s->inputs, INFINITY);
  set(o->state + s->first_state, s->states, INFINITY);
  set(o->output + s->first_output, s->outputs, INFINITY);
  for (size_t i = 0; i < m[CS_L].count; i++) {
    const size_t input = m[CS_L].entry[i].row, output = m[CS_L].entry[i].column;
    if (model->input[input].subsystem == subsystem)
      receive(step, repeated || o->advanced[model->output[output].subsystem], input, output, o);
  }
  add(&m[CS_B], s->first_state, s->states, o->effect, 1, o->state);
  while (add(&m[CS_A], s->first_state, s->states, o->state, 1, o->state))
    ;
  add(&m[CS_C], s->first_output, s->outputs, o->state, 0, o->output);
  add(&m[CS_D], s->first_output, s->outputs, o->end, 0, o->output);
  o->advanced[subsystem] = step->in_turn;
  for (size_t i = s->first_output; step->in_turn && i < s->first_output + s->outputs; i++)
    o->handed[i] = o->output[i];
}

void cs_orders_take_step(const struct cs_model *model, const struct cs_orders_step *step, struct cs_orders *o) {
  bool changed = true;
  set(o->handed, model->outputs, step->converged ? INFINITY : step->extrapolated.end);
  for (size_t r = 0; step->converged ? changed : r <= step->repetitions; r++) {
    changed = false;
    memset(o->advanced, 0, model->subsystems * sizeof *o->advanced);
    for (size_t i = 0; i < model->subsystems; i++)
      advance(model, step, step->converged || r > 0, step->sequence[i], o);
    if (step->solved) solve(model, o);
    for (size_t i = 0; i < model->outputs; i++) {
      changed |= o->handed[i] != o->output[i];
      o->handed[i] = o->output[i];
    }
  }
}

/* A state keeps what inputs did to it: once in the first steps, and as often as there are others, so that these lose
 * the order that integration has gained. */
void cs_orders_of_run(const struct cs_model *model, bool solved, double solver, const struct cs_orders *usual,
                      const struct cs_orders *first, struct cs_orders *run) {
  const struct cs_entries *m = model->matrix;
  bool changed = true;
  set(run->state, model->states, solver);
  set(run->output, model->outputs, INFINITY);
  for (size_t i = 0; i < model->inputs; i++) {
    run->input[i] = usual->input[i];
    run->effect[i] = fmin(usual->effect[i], first->effect[i] + 1);
    run->end[i] = usual->end[i];
  }
  while (changed) {
    changed = add(&m[CS_B], 0, model->states, run->effect, 0, run->state);
    changed |= add(&m[CS_A], 0, model->states, run->state, 0, run->state);
    if (solved)
      solve(model, run);
    else
      changed |= add(&m[CS_C], 0, model->outputs, run->state, 0, run->output) |
                 add(&m[CS_D], 0, model->outputs, run->end, 0, run->output);
    changed |= add(&m[CS_L], 0, model->inputs, run->output, 0, run->input);
    changed |= add(&m[CS_L], 0, model->inputs, run->output, 0, run->effect);
    changed |= add(&m[CS_L], 0, model->inputs, run->output, 0, run->end);
  }
}

double cs_orders_own(const struct cs_model *model, const struct cs_orders *o, size_t output) {
  const struct cs_entries *c = &model->matrix[CS_C], *d = &model->matrix[CS_D];
  double order = INFINITY;
  for (size_t i = 0; i < c->count; i++)
    if (c->entry[i].row == output) order = fmin(order, o->state[c->entry[i].column]);
  for (size_t i = 0; i < d->count; i++)
    if (d->entry[i].row == output) order = fmin(order, o->input[d->entry[i].column]);
  return order;
}
