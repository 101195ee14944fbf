/* The order in which a master advances the subsystems: which new values each receives within a step, which subsystems
 * it waits for, and the resulting dependences. */
#include <stdlib.h>
#include <string.h>

#include "layout_private.h"

/* The method's sequence; where runs change between orders, also its reverse, or those with each subsystem in turn moved
 * to its start; where all go at once nothing follows from the second. */
static void find_sequences(struct cs_layout *l) {
  const size_t n = l->model->subsystems, *given = l->sweep->masters->sequence[l->method.sequence];
  for (size_t f = 0; f < l->master.leaders; f++) {
    size_t *sequence = l->master.sequence + f * n;
    for (size_t i = 0; i < n; i++)
      sequence[l->master.together             ? i
               : l->kind.alternates && f == 1 ? n - 1 - i
               : i == f                       ? 0
               : i < f                        ? i + 1
                                              : i] = given[i];
  }
}

/* Gauss-Seidel: a subsystem receives the new values of those before it in the sequence, unless all go at once. */
static void find_newer(struct cs_layout *l) {
  const size_t n = l->model->subsystems;
  for (size_t f = 0; l->method.master == CS_GAUSS_SEIDEL && f < (l->master.together ? 1 : l->master.leaders); f++) {
    const size_t *sequence = l->master.sequence + f * n;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < i; j++)
        l->master.newer[(f * n + sequence[i]) * n + sequence[j]] = 1;
  }
}

bool cs_layout_newer(const struct cs_layout *l, size_t leader, size_t to, size_t from) {
  const size_t n = l->model->subsystems;
  return l->master.newer[(leader * n + to) * n + from] != 0;
}

/* In whichever of the orders it is longest. */
static int count_stages(struct cs_layout *l, struct cs_error *error) {
  const size_t n = l->model->subsystems;
  bool failed = false;
  size_t *stage = cs_layout_take(n, sizeof *stage, &failed);
  if (failed) return cs_error_memory(error);
  l->master.stages = 1;
  for (size_t f = 0; l->method.master == CS_GAUSS_SEIDEL && f < l->master.leaders; f++)
    l->master.stages = cs_max_size(l->master.stages, cs_model_stages(l->model, l->master.sequence + f * n, stage));
  free(stage);
  return CS_OK;
}

/* With rates: own steps one after the other. Each waits for the one before, and for the points of subsystems earlier in
 * the sequence at which its polynomials end. */
static int count_own_stages(struct cs_layout *l, struct cs_error *error) {
  const size_t n = l->model->subsystems;
  bool failed = false;
  size_t *done = cs_layout_take(n * (CS_MAX_RATE + 1), sizeof *done, &failed);
  if (failed) return cs_error_memory(error);
  for (size_t place = 0; place < n; place++) {
    const size_t to = l->master.sequence[place], own = cs_layout_rate(l, to);
    size_t *at = done + to * (CS_MAX_RATE + 1);
    for (size_t step = 0; step < own; step++) {
      at[step + 1] = at[step];
      for (size_t i = 0; i < l->dims.inputs; i++)
        for (size_t o = 0; o < l->dims.outputs; o++) {
          const size_t from = l->model->output[o].subsystem, rate = cs_layout_rate(l, from);
          const size_t *source = done + from * (CS_MAX_RATE + 1) + ((step + 1) * rate + own - 1) / own;
          if (l->model->input[i].subsystem == to && cs_layout_connected(l, i, o) && cs_layout_newer(l, 0, to, from))
            at[step + 1] = cs_max_size(at[step + 1], *source);
        }
      at[step + 1]++;
    }
    l->master.own_stages = cs_max_size(l->master.own_stages, at[own]);
  }
  free(done);
  return CS_OK;
}

bool cs_layout_interpolates(const struct cs_layout *l) {
  return l->master.stages > 1 || l->method.iterations > 0;
}

bool cs_layout_extrapolates(const struct cs_layout *l) {
  bool any = false;
  for (size_t i = 0; i < l->dims.inputs && l->method.iterations == 0; i++)
    for (size_t o = 0; o < l->dims.outputs; o++)
      for (size_t f = 0; f < l->master.leaders && cs_layout_connected(l, i, o); f++)
        any = any || !cs_layout_newer(l, f, l->model->input[i].subsystem, l->model->output[o].subsystem);
  return any;
}

size_t cs_layout_rate(const struct cs_layout *l, size_t subsystem) {
  return l->method.subsystem[subsystem].rate;
}

bool cs_layout_has_rates(const struct cs_layout *l) {
  return cs_method_has_rates(l->model, &l->method);
}

bool cs_layout_rates_in_turn(const struct cs_layout *l) {
  return cs_layout_has_rates(l) && l->method.master == CS_GAUSS_SEIDEL;
}

size_t cs_layout_points(const struct cs_layout *l, size_t *numerator, size_t *denominator) {
  size_t a = 0, b = 1, points = 0;
  while (a < b) {
    if (numerator != NULL) numerator[points] = a;
    if (denominator != NULL) denominator[points] = b;
    points++;
    /* the first point after a/b */
    size_t next = 1, of = 1;
    for (size_t s = 0; s < l->model->subsystems; s++) {
      const size_t rate = cs_layout_rate(l, s), step = a * rate / b + 1;
      if (step * of < next * rate) next = step, of = rate;
    }
    a = next;
    b = of;
  }
  return points;
}

bool cs_layout_relaxes(const struct cs_layout *l) {
  return cs_method_relaxes(&l->method) && !l->kind.tolerates && cs_sweep_sets_relaxation(l->sweep);
}

size_t cs_layout_derivatives(const struct cs_layout *l) {
  return l->method.hold == CS_TAYLOR ? l->dims.powers : l->method.hold == CS_HERMITE ? 2 : 1;
}

size_t cs_layout_samples(const struct cs_layout *l) {
  return l->dims.outputs * (l->degree.wave > 0 ? l->degree.wave : cs_layout_derivatives(l));
}

size_t cs_layout_prepared(const struct cs_layout *l) {
  const size_t n = cs_layout_samples(l);
  if (l->kind.tolerates) return n * n;
  return l->method.iterations == CS_CONVERGED || l->method.jacobian > 0 ? n * (n + 1) : l->kind.compensates;
}

/* Whether an output is the input's first one of its subsystem. */
static bool is_first_of_source(const struct cs_layout *l, size_t input, size_t output) {
  size_t o = 0;
  while (!(cs_layout_connected(l, input, o) && l->model->output[o].subsystem == l->model->output[output].subsystem))
    o++;
  return o == output;
}

/* Subsystems that an input receives from, counted up to before output `end`. */
static size_t count_sources(const struct cs_layout *l, size_t input, size_t end) {
  size_t sources = 0;
  for (size_t o = 0; o < end; o++)
    sources += cs_layout_connected(l, input, o) && is_first_of_source(l, input, o);
  return sources;
}

size_t cs_layout_part(const struct cs_layout *l, size_t input, size_t output) {
  const size_t from = l->model->output[output].subsystem;
  if (l->master.leaders == 1 || l->master.together)
    return cs_layout_newer(l, 0, l->model->input[input].subsystem, from);
  if (l->kind.alternates)
    return from == l->model->input[input].subsystem ? 2 : cs_layout_newer(l, 1, l->model->input[input].subsystem, from);
  return count_sources(l, input, l->model->subsystem[from].first_output); /* outputs are in the order of subsystems */
}

static void count_parts(struct cs_layout *l) {
  l->master.parts = l->master.leaders == 1 && l->master.stages > 1 ? 2 : 1;
  for (size_t i = 0; i < l->dims.inputs && l->master.leaders > 1; i++)
    for (size_t o = 0; o < l->dims.outputs; o++)
      if (cs_layout_connected(l, i, o)) l->master.parts = cs_max_size(l->master.parts, cs_layout_part(l, i, o) + 1);
}

/* Recorded samples depend on the subsystems that the step of their own subsystem depends on; with `solved` also on
 * those coupled by (I - D L)^-1, and on all of them if derivatives of the solved network are sent. */
void cs_layout_recorded(const struct cs_layout *l, unsigned char *of_output) {
  const size_t n = l->model->subsystems;
  const bool solved = l->method.feedthrough == CS_SOLVED;
  const bool everything = solved && cs_layout_derivatives(l) > 1;
  memset(of_output, 0, l->dims.outputs * n);
  for (size_t o = 0; o < l->dims.outputs; o++)
    for (size_t p = 0; p < l->dims.outputs; p++) {
      if (p != o && !(solved && l->pattern[CS_OP_S].set[o * l->dims.outputs + p])) continue;
      for (size_t s = 0; s < n; s++)
        of_output[o * n + s] |= everything || l->master.reach[l->model->output[p].subsystem * n + s];
    }
}

/* One round of stages: every subsystem takes over the dependences of its inputs. New values have those of this round's
 * steps, others those of the samples `recorded` [outputs][subsystems]; NULL: of the subsystem's own memories. */
static void reach_round(struct cs_layout *l, const unsigned char *recorded) {
  const size_t n = l->model->subsystems;
  for (size_t stage = 0; stage < l->master.stages; stage++)
    for (size_t i = 0; i < l->dims.inputs; i++)
      for (size_t o = 0; o < l->dims.outputs; o++) {
        const size_t to = l->model->input[i].subsystem, from = l->model->output[o].subsystem;
        if (!cs_layout_connected(l, i, o)) continue;
        for (size_t s = 0; s < n * l->master.leaders; s++)
          if (cs_layout_newer(l, s / n, to, from) ? l->master.reach[from * n + s % n]
                                                  : recorded != NULL && recorded[o * n + s % n])
            l->master.reach[to * n + s % n] = 1;
      }
}

static int find_reach(struct cs_layout *l, struct cs_error *error) {
  const size_t n = l->model->subsystems;
  bool failed = false;
  unsigned char *recorded = cs_layout_take(l->dims.outputs * n, 1, &failed);
  if (failed) return cs_error_memory(error);
  for (size_t s = 0; s < n; s++)
    l->master.reach[s * n + s] = 1;
  if (l->master.user != NULL) memset(l->master.reach, 1, n * n);
  for (size_t e = 0; e < 2 * l->model->lines && cs_method_waves(&l->method); e++) { /* which send c + Z w */
    const struct cs_line *line = &l->model->line[e / 2];
    l->master.reach[line->subsystem * n + l->model->output[line->flow[e % 2]].subsystem] = 1;
  }
  reach_round(l, NULL);
  const bool far = l->method.iterations == CS_CONVERGED || l->method.jacobian > 0 || cs_layout_has_rates(l);
  for (size_t i = 0; i < n && (far || i < l->method.iterations); i++) {
    cs_layout_recorded(l, recorded);
    reach_round(l, recorded);
  }
  free(recorded);
  return CS_OK;
}

/* What fits keep of every input: its values at all points but the oldest; where steps vary, also how far back those
 * behind the newest are. */
static size_t fitted_numbers(const struct cs_layout *l) {
  const size_t points = l->method.points;
  return l->dims.inputs * (points - 1) + (l->kind.varies && points > 2 ? points - 2 : 0);
}

int cs_layout_master(struct cs_layout *l, struct cs_error *error) {
  const size_t n = l->model->subsystems;
  bool failed = false;
  l->master.together = l->kind.eventful && l->method.first == CS_FIRST_PARALLEL;
  l->master.leaders = l->kind.alternates || l->master.together                    ? 2
                      : l->kind.eventful && l->method.first == CS_FIRST_PREDICTED ? n
                                                                                  : 1;
  l->master.sequence = cs_layout_take(l->master.leaders * n, sizeof *l->master.sequence, &failed);
  l->master.newer = cs_layout_take(l->master.leaders * n * n, 1, &failed);
  l->master.reach = cs_layout_take(n * n, 1, &failed);
  if (failed) return cs_error_memory(error);
  if (l->method.master == CS_USER) {
    l->master.user = &l->sweep->masters->user.item[l->method.user];
    l->master.memory = l->master.user->memory * l->dims.inputs;
  }
  if (l->kind.compensates) l->master.memory = l->dims.inputs;
  if (l->kind.tolerates) l->master.memory = CS_REPEATED_NUMBERS;
  if (cs_method_fits(&l->method)) l->master.memory = fitted_numbers(l);
  if (cs_method_waves(&l->method)) l->master.memory = 4 * l->model->lines;
  for (size_t s = 0; s < n; s++)
    if (l->method.subsystem[s].keeps) l->master.solvers += l->model->subsystem[s].states;
  l->master.memory += l->master.solvers;
  if (l->master.solvers > 0 && l->step.ramp == 0 && !l->kind.lean) l->step.ramp = 1;
  l->dims.blocks += l->master.memory > 0;
  find_sequences(l);
  find_newer(l);
  int code = count_stages(l, error);
  if (code == CS_OK && cs_layout_has_rates(l)) code = count_own_stages(l, error);
  if (code == CS_OK) code = find_reach(l, error);
  count_parts(l);
  l->at.input = cs_layout_take(l->master.parts * l->dims.inputs, sizeof *l->at.input, &failed);
  return code == CS_OK && failed ? cs_error_memory(error) : code;
}

size_t cs_layout_evaluations(const struct cs_layout *l) {
  const size_t repetitions = cs_method_repetitions(&l->method);
  size_t steps = 0;
  for (size_t s = 0; s < l->model->subsystems; s++)
    steps += cs_layout_rate(l, s);
  if (cs_layout_has_rates(l)) return steps;
  return l->model->subsystems * (l->master.user != NULL ? l->master.user->passes : 1 + repetitions);
}

size_t cs_layout_stages(const struct cs_layout *l) {
  if (cs_layout_has_rates(l)) return l->master.own_stages;
  return l->master.user != NULL ? l->master.user->passes : l->master.stages * (1 + cs_method_repetitions(&l->method));
}
