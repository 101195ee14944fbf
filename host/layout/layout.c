#include "course.h"
#include "layout_private.h"
#include "mode_places.h"
#include "tableau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 16, MOST_PIECES = 65536 };

/* ---- z ----------------------------------------------------------------------------------------------------------- */

size_t cs_layout_latency(const struct cs_layout *l, size_t input) {
  return l->method.subsystem[l->model->input[input].subsystem].latency;
}

size_t cs_layout_latest(const struct cs_layout *l) {
  size_t most = 0;
  for (size_t i = 0; i < l->dims.inputs; i++)
    most = cs_max_size(most, cs_layout_latency(l, i));
  return most;
}

/* With rates: the number of values that the polynomials of receivers are made from, or of derivatives. */
static size_t past_of(const struct cs_layout *l, size_t output) {
  const size_t rate = cs_layout_rate(l, l->model->output[output].subsystem);
  size_t most = 0;
  for (size_t i = 0; i < l->dims.inputs; i++) {
    if (!cs_layout_connected(l, i, output)) continue;
    const size_t own = cs_layout_rate(l, l->model->input[i].subsystem);
    most = cs_max_size(most, 1 + l->degree.input[i] * ((rate + own - 1) / own));
  }
  return l->method.hold == CS_TAYLOR && most > 0 ? l->degree.output[output] + 1 : most;
}

size_t cs_layout_joined_degree(const struct cs_layout *l) {
  return l->method.continuity == CS_JUMPS ? 0 : 2 * (size_t)l->method.continuity - 1;
}

/* Degree of what an input holds of an output: with hold taylor there are no derivatives above the output's order. */
static size_t degree_of(const struct cs_layout *l, size_t input, size_t output) {
  const size_t held = l->method.subsystem[l->model->input[input].subsystem].input_order;
  const size_t sent = l->degree.output[output];
  if (l->degree.wave > 0) return 0;
  return l->method.hold == CS_TAYLOR && sent < held ? sent : held;
}

/* The smallest of what a subsystem receives; of a subsystem that receives nothing, and of SIZE_MAX, that of all
 * connections. 0 if there are none. */
static size_t least_degree(const struct cs_layout *l, size_t subsystem) {
  size_t least = CS_MAX_ORDER + 1;
  for (size_t i = 0; i < l->dims.inputs; i++)
    for (size_t o = 0; o < l->dims.outputs; o++)
      if ((subsystem == SIZE_MAX || l->model->input[i].subsystem == subsystem) && cs_layout_connected(l, i, o) &&
          degree_of(l, i, o) < least)
        least = degree_of(l, i, o);
  if (least <= CS_MAX_ORDER) return least;
  return subsystem == SIZE_MAX ? 0 : least_degree(l, SIZE_MAX);
}

static bool has_source(const struct cs_layout *l, size_t input) {
  bool any = false;
  for (size_t o = 0; o < l->dims.outputs; o++)
    any = any || cs_layout_connected(l, input, o);
  return any;
}

/* Order at communication points of values at nodes inside a step, as far as repetitions carry it. */
static size_t wave_order(const struct cs_layout *l) {
  const size_t p = l->degree.wave, equal = p + 2 - p % 2;
  const size_t order = l->method.nodes == CS_LOBATTO ? 2 * p : equal;
  return cs_method_repetitions(&l->method) < order && l->method.iterations != CS_CONVERGED
             ? (size_t)l->method.iterations + 1
             : order;
}

/* Effective degrees. */
static void choose_orders(struct cs_layout *l) {
  if (l->method.hold == CS_WAVEFORM) l->degree.wave = l->method.subsystem[0].input_order;
  size_t most = l->degree.wave;
  for (size_t o = 0; o < l->dims.outputs; o++) {
    l->degree.output[o] = l->method.subsystem[l->model->output[o].subsystem].output_order;
    if (l->kind.lean && !cs_method_sends_slopes(&l->method))
      l->degree.output[o] = 0; /* reconstructions do not act on the run */
    most = cs_max_size(most, l->degree.output[o]);
  }
  for (size_t i = 0; i < l->dims.inputs; i++) {
    l->degree.input[i] = 0;
    for (size_t o = 0; o < l->dims.outputs; o++)
      if (cs_layout_connected(l, i, o)) l->degree.input[i] = cs_max_size(l->degree.input[i], degree_of(l, i, o));
    most = cs_max_size(most, l->degree.input[i]);
  }
  l->degree.least = least_degree(l, SIZE_MAX);
  for (size_t o = 0; o < l->dims.outputs; o++)
    l->degree.estimate[o] = l->degree.wave > 0 ? wave_order(l) - 1 : least_degree(l, l->model->output[o].subsystem);
  if (cs_method_waves(&l->method)) most = cs_max_size(most, 1);
  l->dims.powers = cs_max_size(most, cs_layout_joined_degree(l)) + 1;
  if (cs_method_fits(&l->method)) most = cs_max_size(most, (size_t)l->method.points - 1);
  l->step.ramp = l->method.start == CS_RAMP ? most + (most > 0 ? cs_layout_latest(l) : 0) : 0;
  l->step.ramps = l->step.ramp > 0;
}

/* Inputs whose values of part 0 are determined by the states. */
static void find_values_from_states(struct cs_layout *l) {
  const struct cs_pattern *feedthrough = &l->pattern[CS_OP_D];
  for (size_t i = 0; i < l->dims.inputs; i++) {
    l->at.from_states[i] =
        l->master.user == NULL && !cs_method_fits(&l->method) && !cs_method_waves(&l->method) && l->at.input[i] >= 0;
    for (size_t o = 0; o < l->dims.outputs; o++)
      for (size_t j = 0; cs_layout_connected(l, i, o) && j < l->dims.inputs; j++)
        if (feedthrough->set[o * l->dims.inputs + j]) l->at.from_states[i] = false;
    l->dims.kept -= l->at.from_states[i];
  }
}

/* Whether an input keeps memory of a part from step to step: of values that are always new only with point holds of
 * degree >= 1, or where relaxation moves away from them. */
static bool has_memory(const struct cs_layout *l, size_t input, size_t part) {
  bool any = false, own = false;
  for (size_t o = 0; o < l->dims.outputs; o++) {
    if (!cs_layout_connected(l, input, o)) continue;
    own = own || cs_layout_part(l, input, o) == part;
    any = true;
  }
  if (part == 0) return own || !any;
  return own && (l->master.leaders > 1 || cs_layout_relaxes(l) || l->degree.wave > 0 ||
                 (l->method.hold != CS_TAYLOR && l->degree.input[input] > 0));
}

/* Whether the solver of a state remembers more from one macro step to the next. */
static bool keeps(const struct cs_layout *l, size_t state) {
  return l->method.subsystem[l->model->state[state].subsystem].keeps;
}

static void place_z(struct cs_layout *l) {
  const bool rated = cs_layout_has_rates(l);
  size_t at = l->dims.exact, reconstructions = 0;
  l->at.block[0] = 0;
  for (size_t s = 0; s < l->model->subsystems; s++) {
    const struct cs_subsystem *sub = &l->model->subsystem[s];
    l->at.block[1 + s] = at;
    for (size_t i = 0; i < sub->states; i++)
      l->at.state[sub->first_state + i] = at++;
    for (size_t i = sub->first_input; i < sub->first_input + sub->inputs; i++)
      for (size_t part = 0; part < l->master.parts; part++) {
        const bool memory = !rated && has_memory(l, i, part);
        l->at.input[part * l->dims.inputs + i] = memory ? (long)at : -1;
        if (memory) at += l->degree.input[i] + 1;
      }
    for (size_t i = sub->first_input; i < sub->first_input + sub->inputs; i++) {
      const size_t late = has_source(l, i) ? cs_layout_latency(l, i) : 0;
      l->at.late[i] = late > 0 ? (long)at : -1;
      at += late * (l->degree.input[i] + 1);
      const bool joins = l->method.continuity != CS_JUMPS && has_source(l, i);
      l->at.joint[i] = joins ? (long)at : -1;
      if (joins) at += l->method.continuity;
    }
    for (size_t o = sub->first_output; o < sub->first_output + sub->outputs; o++) {
      const bool memory =
          !rated && !l->kind.lean && l->method.hold != CS_TAYLOR && (l->degree.output[o] > 0 || l->kind.tolerates);
      l->at.output[o] = memory ? (long)at : -1;
      const size_t own = memory ? l->degree.output[o] + 1 : 0;
      at += own;
      reconstructions += own;
      l->degree.past[o] = rated ? past_of(l, o) : 0;
      l->at.past[o] = l->degree.past[o] > 0 ? (long)at : -1;
      at += l->degree.past[o];
    }
  }
  if (l->master.memory > 0) l->at.block[1 + l->model->subsystems] = l->at.master = at;
  at += l->master.memory - l->master.solvers;
  for (size_t a = 0; a < l->dims.states; a++)
    l->at.memory[a] = keeps(l, a) ? (long)at++ : -1;
  l->at.block[l->dims.blocks] = at;
  l->dims.coordinates = at;
  l->dims.modes = l->dims.coordinates - l->dims.exact - reconstructions;
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
  l->step.pieces = 1;
  l->kind.follows_model = l->kind.follows_throughout = l->method.hold == CS_TAYLOR;
  for (size_t s = 0; s < l->model->subsystems; s++) {
    const struct cs_subsystem_method *m = &l->method.subsystem[s];
    if (m->solver == CS_EXACT || l->model->subsystem[s].states == 0) continue;
    if (m->solver == CS_DOPRI5) {
      l->kind.adaptive = true;
      l->kind.follows_model = l->kind.follows_throughout = false;
      continue;
    }
    l->kind.inexact = true;
    if (cs_method_remembers(m->solver)) l->kind.remembers = true;
    l->step.pieces = lcm(l->step.pieces, m->micro_steps);
    if (l->step.pieces > MOST_PIECES)
      return cs_error_set(error, CS_INPUT,
                          "the subsystems' micro_steps together cut the macro step into %zu pieces; want at most %d",
                          l->step.pieces, MOST_PIECES);
    if (cs_tableau_of(m->solver)->implicit > 0) l->kind.implicit = true;
    if (m->solver == CS_EULER && cs_method_sends_slopes(&l->method)) l->kind.frozen = true;
    if (m->solver != CS_EULER || m->micro_steps > 2) l->kind.follows_model = false;
    if (m->solver != CS_EULER || m->micro_steps > 1) l->kind.follows_throughout = false;
  }
  l->step.segments =
      l->kind.lean ? l->step.pieces : lcm(l->step.pieces, 2); /* the midpoint is needed for measures only */
  if (l->kind.lean) l->kind.follows_model = l->kind.follows_throughout = false; /* needed for defects only */
  l->step.few = l->kind.inexact || l->kind.adaptive ? CS_NODES_FULL - 1 : l->dims.powers + 3;
  for (size_t a = 0; a < l->dims.states; a++) {
    const struct cs_subsystem_method *m = &l->method.subsystem[l->model->state[a].subsystem];
    l->step.micro_length[a] = l->step.segments / (m->solver == CS_EXACT || m->solver == CS_DOPRI5 ? 1 : m->micro_steps);
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
      if (op >= CS_OP_EVENT_TIME && !l->kind.varies) continue;
      if (op >= CS_OP_F && !l->kind.eventful) continue;
      if (op == CS_OP_S && l->method.feedthrough != CS_SOLVED) continue;
      if ((op == CS_OP_MX || op == CS_OP_MU || op == CS_OP_MY || op == CS_OP_MC) && !l->map.wanted[CS_ROWS_MONITOR])
        continue;
      for (size_t i = 0; i < p->rows * p->columns; i++) {
        if (!p->set[i]) continue;
        if (pass == 1)
          l->coefficients.list[count] = (struct cs_coefficient){(enum cs_operator)op, i / p->columns, i % p->columns};
        count++;
      }
    }
    if (pass == 0) {
      bool failed = false;
      l->coefficients.list = cs_layout_take(count, sizeof *l->coefficients.list, &failed);
      if (failed) return cs_error_memory(error);
    }
  }
  l->coefficients.estimate_at = CS_K_X0 + l->dims.states + count;
  if (l->method.estimate == CS_ESTIMATE_CORRECTED && (l->map.wanted[CS_ROWS_LOCAL_ESTIMATE] || l->kind.halves))
    l->coefficients.estimates = l->dims.powers;
  l->coefficients.modes_at =
      l->coefficients.estimate_at + l->coefficients.estimates * l->dims.outputs * l->dims.outputs;
  l->coefficients.own_at = l->coefficients.modes_at + (l->kind.stiff ? cs_mode_places_at(l, CS_MODES) : 0);
  l->coefficients.control_at = l->coefficients.own_at + (l->master.user != NULL ? l->sweep->masters->user.names : 0);
  l->coefficients.events_at =
      l->coefficients.control_at + (l->kind.varies ? CS_CONTROL_NUMBERS + 1 + l->model->subsystems : 0);
  l->coefficients.compensation_at = l->coefficients.events_at + (l->kind.eventful ? CS_EVENT_NUMBERS + 1 : 0);
  l->coefficients.repetition_at = l->coefficients.compensation_at + (l->kind.compensates ? l->dims.inputs : 0);
  l->coefficients.count =
      l->coefficients.repetition_at + (l->kind.tolerates ? CS_REPETITION_NUMBERS + CS_REPEAT_KEPT : 0);
  return CS_OK;
}

/* Lists whose lengths depend on the model only. */
static bool take_lists(struct cs_layout *l) {
  bool failed = false;
  l->method.subsystem = cs_layout_take(l->model->subsystems, sizeof *l->method.subsystem, &failed);
  l->at.block = cs_layout_take(l->dims.blocks + 2, sizeof *l->at.block, &failed); /* with one for the master's memory */
  l->degree.input = cs_layout_take(l->dims.inputs, sizeof *l->degree.input, &failed);
  l->degree.output = cs_layout_take(l->dims.outputs, sizeof *l->degree.output, &failed);
  l->degree.estimate = cs_layout_take(l->dims.outputs, sizeof *l->degree.estimate, &failed);
  l->at.state = cs_layout_take(l->dims.states, sizeof *l->at.state, &failed);
  l->at.memory = cs_layout_take(l->dims.states, sizeof *l->at.memory, &failed);
  l->at.output = cs_layout_take(l->dims.outputs, sizeof *l->at.output, &failed);
  l->at.past = cs_layout_take(l->dims.outputs, sizeof *l->at.past, &failed);
  l->degree.past = cs_layout_take(l->dims.outputs, sizeof *l->degree.past, &failed);
  l->at.late = cs_layout_take(l->dims.inputs, sizeof *l->at.late, &failed);
  l->at.joint = cs_layout_take(l->dims.inputs, sizeof *l->at.joint, &failed);
  l->step.micro_length = cs_layout_take(l->dims.states, sizeof *l->step.micro_length, &failed);
  l->at.from_states = cs_layout_take(l->dims.inputs, sizeof *l->at.from_states, &failed);
  l->map.connection_row = cs_layout_take(l->dims.inputs, sizeof *l->map.connection_row, &failed);
  l->degree.connection = cs_layout_take(l->dims.inputs, sizeof *l->degree.connection, &failed);
  return !failed;
}

int cs_layout_new(const struct cs_sweep *sweep, const struct cs_method *method, enum cs_study study, bool records,
                  bool stiff, struct cs_layout **layout, struct cs_error *error) {
  struct cs_layout *l = calloc(1, sizeof *l);
  *layout = NULL;
  if (l == NULL) return cs_error_memory(error);
  l->sweep = sweep;
  l->model = sweep->model;
  l->method = *method;
  l->dims.states = l->model->states;
  l->dims.inputs = l->model->inputs;
  l->dims.outputs = l->model->outputs;
  l->dims.monitors = l->model->monitors;
  l->dims.blocks = 1 + l->model->subsystems;
  l->dims.largest = 1;
  for (size_t s = 0; s < l->model->subsystems; s++)
    l->dims.largest = cs_max_size(l->dims.largest, l->model->subsystem[s].states);
  l->kind.stability = study == CS_STABILITY;
  l->kind.lean = l->kind.stability && (sweep->study == CS_STABILITY || cs_sweep_varies_with(sweep, method));
  l->kind.records = records;
  l->kind.compensates = cs_method_compensates(l->model, method);
  l->kind.alternates = method->sequence == CS_SEQUENCE_ALTERNATING;
  l->kind.tolerates = cs_method_tolerates(method);
  l->kind.stiff = stiff;
  l->kind.varies = !l->kind.stability && (records || cs_sweep_varies_with(sweep, method));
  l->kind.eventful = l->kind.varies && cs_sweep_is_eventful(sweep);
  int code = take_lists(l) ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = cs_configurations_find(l->model, sweep->start, sweep->starts, &l->configurations, error);
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
    l->dims.kept = l->dims.coordinates;
    find_values_from_states(l);
    code = choose_segments(l, error);
    if (code == CS_OK) code = cs_layout_rows(l, error);
    l->kind.doubles = !l->kind.lean && !l->kind.varies && l->method.engine != CS_STEP && l->measures.tops == 0;
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
  free(l->at.block);
  free(l->degree.input);
  free(l->degree.output);
  free(l->degree.estimate);
  free(l->at.state);
  free(l->at.input);
  free(l->master.sequence);
  free(l->master.newer);
  free(l->master.reach);
  free(l->at.memory);
  free(l->at.output);
  free(l->at.past);
  free(l->degree.past);
  free(l->at.late);
  free(l->at.joint);
  free(l->step.micro_length);
  free(l->at.from_states);
  free(l->map.connection_row);
  free(l->degree.connection);
  free(l->coefficients.list);
  cs_configurations_free(&l->configurations);
  free(l);
}

/* With state events a step is computed in as many pieces, and where a mode decays within it, its Taylor coefficients up
 * to power i are of size (||M|| H)^i/i!, whose rounding, by 2^-52, is then at most 1e-9 of the mode. */
double cs_layout_norm_most(const struct cs_layout *l) {
  static const double most[] = {1e4, 1e4, 3000, 300, 100, 50}; /* by i; 1e4 is a matter of time */
  const size_t i = l->dims.powers - 1, last = sizeof most / sizeof *most - 1;
  if (!l->kind.eventful) return CS_LARGEST_NORM;
  return most[i < last ? i : last];
}

/* ---- quadrature -------------------------------------------------------------------------------------------------- */

bool cs_layout_is_graded(const struct cs_layout *l) {
  return l->kind.stiff && !l->kind.adaptive && (l->map.inside_rows > 0 || l->kind.compensates);
}

size_t cs_layout_panels_most(const struct cs_layout *l) {
  if (cs_layout_is_graded(l)) return 1;
  return cs_max_size(MOST_PANELS / l->step.pieces, 1);
}

size_t cs_layout_quadrature(const struct cs_layout *l, double norm, double chain, double octave, double *panels,
                            double *levels, double *first_panel, double *nodes) {
  const double piece = norm / (double)l->step.pieces;
  const double most = (double)cs_layout_panels_most(l);
  *panels = ceil(piece / 2.0);
  if (!(*panels >= 1.0)) *panels = 1.0;
  if (*panels > most) *panels = most;
  *levels = piece / *panels > 2.0 ? ceil(log2(piece / *panels / 2.0)) : 0.0;
  if (*levels > 30.0) *levels = 30.0;
  *first_panel = ldexp(1.0, -(int)*levels) / *panels;
  if (cs_layout_is_graded(l)) *levels *= octave;
  const bool few = !l->kind.inexact && !l->kind.adaptive && norm <= CS_NORM_FEW && chain <= CS_CHAIN_FEW;
  *nodes = few ? (double)l->step.few : CS_NODES_FULL;
  if ((l->map.inside_rows == 0 || l->kind.stability) && !l->kind.compensates)
    *panels = 1.0, *levels = 0.0, *nodes = 0.0;
  return (size_t)((double)l->step.pieces * (*panels + *levels) * *nodes);
}
