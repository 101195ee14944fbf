/* Whether the method of a combination of settings is meaningful. */

#include "slots.h"

/* What inputs without jumps exclude: inputs that are set otherwise. */
static bool check_continuity(const struct cs_method *method, size_t *blame, struct cs_text *wrong) {
  const char *instead = method->feedthrough == CS_REFRESH ? "feedthrough refresh"
                        : method->master == CS_USER       ? "a user-defined master"
                                                          : NULL;
  if (method->continuity == CS_JUMPS || instead == NULL) return true;
  *blame = CS_SETTING_CONTINUITY;
  cs_text_add(wrong, "continuity %s has no meaning with %s; want continuity none",
              cs_setting_word(CS_SETTING_CONTINUITY, method->continuity), instead);
  return false;
}

/* What a polynomial through values and slopes excludes. */
static bool check_hermite(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                          struct cs_text *wrong) {
  bool cubic = true;
  for (size_t s = 0; s < slots->model->subsystems; s++)
    cubic = cubic && method->subsystem[s].input_order == 3 && method->subsystem[s].output_order == 3;
  if (method->hold != CS_HERMITE) return true;
  *blame = CS_SETTING_HOLD;
  if (!cubic)
    cs_text_add(wrong, "hold hermite has order 3; want input_order and output_order 3, or another hold");
  else if (method->start == CS_ZERO && slots->study == CS_SIMULATION)
    cs_text_add(wrong, "hold hermite begins with a slope; want start consistent or ramp, or another hold");
  else if (method->estimate == CS_ESTIMATE_CORRECTED)
    cs_text_add(wrong,
                "estimate corrected is made for values, and hold hermite hands on slopes too; want estimate plain");
  else if (method->master == CS_USER)
    cs_text_add(wrong, "hold hermite is not known to user-defined masters; want a built-in master, or another hold");
  else if (slots->study == CS_SIMULATION && slots->model->events > 0)
    cs_text_add(wrong, "hold hermite does not begin anew at events; want another hold, or a model without events");
  else
    return true;
  return false;
}

/* Whether hold waveform has one order, above 0, and all subsystems one step in a macro step, smooth between samples. */
static const char *wave_lacks(const struct cs_slots *slots, const struct cs_method *method) {
  for (size_t s = 0; s < slots->model->subsystems; s++) {
    const struct cs_subsystem_method *own = &method->subsystem[s];
    if (own->input_order == 0 || own->input_order != method->subsystem[0].input_order)
      return "has one order for all subsystems; want the same input_order from 1 to 3";
    if (own->rate > 1) return "samples steps that are done at once; want rate 1";
    if (cs_method_adapts(slots->model, method, s))
      return "samples outputs inside a step, which are smooth only between the steps of solver dopri5; want another "
             "solver";
  }
  return NULL;
}

/* What values at nodes inside the step exclude. */
static bool check_waveform(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                           struct cs_text *wrong) {
  const char *lacks =
      method->master == CS_USER ? "is not known to user-defined masters; want a built-in master"
      : method->iterations == 0 ? "has no values ahead; want iterations from 1 on or \"converged\""
      : method->start != CS_CONSISTENT && slots->study == CS_SIMULATION
          ? "has no history to begin with; want start consistent"
      : method->continuity != CS_JUMPS ? "begins with the values that are known; want continuity none"
      : method->control == CS_RICHARDSON
          ? "has no points whose number control richardson could tell the order by; want another control"
      : method->estimate == CS_ESTIMATE_CORRECTED
          ? "has no polynomials through points, for which estimate corrected is; want estimate plain"
          : wave_lacks(slots, method);
  if (method->hold != CS_WAVEFORM || lacks == NULL) return true;
  *blame = CS_SETTING_HOLD;
  cs_text_add(wrong, "hold waveform %s, or another hold", lacks);
  return false;
}

static bool check_master(const struct cs_method *method, size_t *blame, struct cs_text *wrong) {
  if (method->feedthrough == CS_REFRESH && method->hold != CS_TAYLOR) {
    *blame = CS_SETTING_FEEDTHROUGH;
    cs_text_add(wrong, "feedthrough refresh has no meaning with hold %s; want hold taylor",
                cs_setting_word(CS_SETTING_HOLD, method->hold));
    return false;
  }
  if (method->feedthrough == CS_REFRESH && (method->master != CS_JACOBI || method->iterations > 0)) {
    *blame = CS_SETTING_FEEDTHROUGH;
    cs_text_add(wrong, "feedthrough refresh requires master jacobi without iterations; want explicit or solved");
    return false;
  }
  if (method->master == CS_USER && method->iterations > 0) {
    *blame = CS_SETTING_ITERATIONS;
    cs_text_add(wrong, "a user-defined master repeats steps itself; want iterations 0");
    return false;
  }
  return true;
}

/* What a polynomial that fits points needs. */
static bool check_fit(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                      struct cs_text *wrong) {
  if (!cs_method_fits(method)) return true;
  const char *needs = method->master != CS_JACOBI || method->iterations > 0 ? "master jacobi without iterations"
                      : method->control == CS_CYCLE || method->control == CS_RICHARDSON
                          ? "another control than cycle and richardson, whose points are of several sizes at once"
                      : method->estimate == CS_ESTIMATE_CORRECTED ? "estimate plain"
                                                                  : NULL;
  for (size_t s = 0; needs == NULL && s < slots->model->subsystems; s++)
    if (method->subsystem[s].latency > 0) needs = "latency 0";
  if (needs != NULL) {
    *blame = CS_SETTING_HOLD;
    cs_text_add(wrong, "hold least_squares needs %s; want that, or another hold", needs);
    return false;
  }
  *blame = CS_SETTING_POINTS;
  for (size_t s = 0; s < slots->model->subsystems; s++)
    if (method->points <= method->subsystem[s].input_order) {
      cs_text_add(wrong, "a polynomial of degree %u does not follow from %u point%s; want %u to %d, or a lower order",
                  method->subsystem[s].input_order, method->points, method->points == 1 ? "" : "s",
                  method->subsystem[s].input_order + 1U, CS_MAX_POINTS);
      return false;
    }
  return true;
}

/* Whether an output depends directly on an input that a line reaches, or sends to. */
static bool feels_lines(const struct cs_model *model) {
  const struct cs_entries *l = &model->matrix[CS_L], *d = &model->matrix[CS_D];
  for (size_t i = 0; i < l->count; i++)
    for (size_t k = 0; k < d->count && cs_model_is_line(model, model->output[l->entry[i].column].subsystem); k++)
      if (d->entry[k].column == l->entry[i].row) return true;
  return false;
}

/* What lines as waves exclude. */
static bool check_lines(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                        struct cs_text *wrong) {
  if (!cs_method_waves(method)) return true;
  const bool simulates = slots->study == CS_SIMULATION;
  const char *needs = method->master != CS_JACOBI || method->iterations > 0 ? "master jacobi without iterations"
                      : method->control != CS_FIXED                         ? "step control fixed"
                      : method->hold != CS_LAGRANGE                         ? "hold lagrange"
                      : method->continuity != CS_JUMPS                      ? "continuity none"
                      : simulates && method->error_at != CS_POINTS          ? "error_at points"
                      : slots->model->events > 0                            ? "a model without events"
                      : feels_lines(slots->model) ? "outputs that do not depend directly on efforts of lines"
                                                  : NULL;
  for (size_t i = 0; needs == NULL && i < slots->model->subsystems; i++)
    needs = method->subsystem[i].latency > 0          ? "latency 0"
            : method->subsystem[i].rate > 1           ? "rate 1"
            : method->subsystem[i].solver != CS_EXACT ? "solver exact"
            : method->subsystem[i].compensates        ? "compensation 0"
                                                      : NULL;
  if (needs == NULL) return true;
  *blame = CS_SETTING_LINES;
  cs_text_add(wrong, "lines waves needs %s; want that, or lines subsystem", needs);
  return false;
}

/* What corrections by an interface Jacobian exclude. */
static bool check_jacobian(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                           struct cs_text *wrong) {
  const bool counted = method->iterations > 0 && !cs_method_tolerates(method);
  const char *needs = !counted                         ? "iterations from 1 on"
                      : method->master != CS_JACOBI    ? "master jacobi"
                      : method->hold != CS_LAGRANGE    ? "hold lagrange"
                      : method->continuity != CS_JUMPS ? "continuity none"
                                                       : NULL;
  for (size_t s = 0; needs == NULL && s < slots->model->subsystems; s++)
    if (method->jacobian == CS_JACOBIAN_EXACT && cs_method_adapts(slots->model, method, s))
      needs = "another solver than dopri5, whose steps are not linear";
  if (method->jacobian == CS_JACOBIAN_NONE || needs == NULL) return true;
  *blame = CS_SETTING_JACOBIAN;
  cs_text_add(wrong, "jacobian %s needs %s; want that, or jacobian none",
              cs_setting_word(CS_SETTING_JACOBIAN, method->jacobian), needs);
  return false;
}

/* What orders that change with every step exclude. */
static bool check_sequence(const struct cs_method *method, size_t *blame, struct cs_text *wrong) {
  if (method->sequence != CS_SEQUENCE_ALTERNATING) return true;
  *blame = CS_SETTING_SEQUENCE;
  if (method->iterations > 0)
    cs_text_add(wrong, "sequence alternating is for steps that are done once; want iterations 0, or another sequence");
  else if (method->control == CS_RICHARDSON)
    cs_text_add(wrong,
                "sequence alternating changes with every step, and control richardson compares a step with two "
                "halves; want another control, or another sequence");
  else if (method->engine == CS_DOUBLE)
    cs_text_add(wrong,
                "sequence alternating changes with every step, and engine double combines equal ones; want "
                "engine auto or step");
  else if (method->first != CS_FIRST_SEQUENCE)
    cs_text_add(wrong,
                "sequence alternating and first %s both choose the order of a step; want first sequence, "
                "or another sequence",
                cs_setting_word(CS_SETTING_FIRST, method->first));
  else
    return true;
  return false;
}

/* What steps that are repeated to a tolerance exclude. */
static bool check_tolerance(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                            struct cs_text *wrong) {
  bool adapts = false;
  for (size_t s = 0; s < slots->model->subsystems; s++)
    adapts = adapts || cs_method_adapts(slots->model, method, s);
  const char *lacks = slots->study == CS_STABILITY  ? "has no matrix of a step, as values decide how often it is "
                                                      "repeated; want study simulation, or \"converged\", "
                                                      "its limit, whose speed is metric contraction"
                      : method->hold != CS_LAGRANGE ? "starts from polynomials through points; want hold lagrange"
                      : method->control != CS_FIXED ? "is for steps of one size; want control fixed"
                      : slots->model->events > 0    ? "does not begin anew at events; want a model without events"
                      : adapts ? "needs steps that are linear, which solver dopri5 does not take; want another solver"
                      : method->engine == CS_DOUBLE
                          ? "takes every step, and engine double combines them; want engine auto or step"
                          : NULL;
  if (!cs_method_tolerates(method) || lacks == NULL) return true;
  *blame = CS_SETTING_ITERATIONS;
  cs_text_add(wrong, "iterations tolerance %s, or other iterations", lacks);
  return false;
}

/* Settings of method.events about the sequence of subsystems, which only gauss_seidel has. */
static bool check_events(const struct cs_method *method, size_t *blame, struct cs_text *wrong) {
  const bool first = method->detect == CS_DETECT_FIRST, chosen = method->first != CS_FIRST_SEQUENCE;
  if ((first || chosen) && method->master != CS_GAUSS_SEIDEL) {
    *blame = first ? CS_SETTING_DETECT : CS_SETTING_FIRST;
    cs_text_add(wrong, "%s %s needs a sequence of subsystems, which %s has not; want master gauss_seidel, or %s",
                first ? "detect" : "first", first ? "first" : cs_setting_word(CS_SETTING_FIRST, method->first),
                method->master == CS_JACOBI ? "master jacobi" : "a user-defined master",
                first ? "detect all or points" : "first sequence");
    return false;
  }
  if (chosen && method->iterations > 0) {
    *blame = CS_SETTING_FIRST;
    cs_text_add(wrong, "first %s has no meaning with iterations; want iterations 0, or first sequence",
                cs_setting_word(CS_SETTING_FIRST, method->first));
    return false;
  }
  return true;
}

static bool check_control(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                          struct cs_text *wrong) {
  const char *name = cs_method_control_name(method->control);
  if (slots->study == CS_STABILITY && method->control != CS_FIXED && method->control != CS_CYCLE) {
    *blame = CS_SETTING_CONTROL;
    cs_text_add(wrong,
                "control %s changes the step size, but study stability analyses given steps; want control fixed or "
                "cycle",
                name);
    return false;
  }
  if (method->estimate == CS_ESTIMATE_CORRECTED && method->feedthrough == CS_SOLVED) {
    *blame = CS_SETTING_ESTIMATE;
    cs_text_add(wrong,
                "estimate corrected is for outputs of the held input, which feedthrough solved replaces; want estimate "
                "plain, or feedthrough explicit");
    return false;
  }
  if (method->engine == CS_DOUBLE && method->control != CS_FIXED) {
    *blame = CS_SETTING_ENGINE;
    cs_text_add(wrong, "engine double combines equal steps, but control %s changes them; want engine auto or step",
                name);
    return false;
  }
  if (method->engine == CS_DOUBLE && slots->model->events > 0) {
    *blame = CS_SETTING_ENGINE;
    cs_text_add(wrong, "engine double knows no events, which the model has; want engine auto or step");
    return false;
  }
  return true;
}

/* Whether outputs depend on each other through D L. */
static bool has_direct_loop(const struct cs_model *model) {
  const struct cs_entries *d = &model->matrix[CS_D], *l = &model->matrix[CS_L];
  for (size_t i = 0; i < d->count; i++)
    for (size_t j = 0; j < l->count; j++)
      if (d->entry[i].column == l->entry[j].row) return true;
  return false;
}

/* What a subsystem that receives old values excludes. */
static bool check_latency(const struct cs_slots *slots, const struct cs_method *method, size_t s, size_t *blame,
                          struct cs_text *wrong) {
  if (method->subsystem[s].latency == 0) return true;
  *blame = cs_slots_deciding(slots, s, CS_SETTING_LATENCY);
  if (method->master != CS_JACOBI || method->iterations > 0)
    cs_text_add(wrong,
                "values handed on within a step are not late; want master jacobi without iterations, or latency 0");
  else if (method->feedthrough == CS_REFRESH)
    cs_text_add(wrong, "latency has no meaning with feedthrough refresh; want feedthrough explicit");
  else if (method->feedthrough == CS_SOLVED && has_direct_loop(slots->model))
    cs_text_add(wrong, "solved outputs know the present; latency needs feedthrough explicit");
  else if (method->control == CS_RICHARDSON)
    cs_text_add(wrong, "half steps of control richardson are half as late; want another control, or latency 0");
  else if (slots->model->events > 0)
    cs_text_add(wrong, "what is under way at an event is not known; want latency 0, or a model without events");
  else
    return true;
  return false;
}

/* What inputs that are given back what they lacked exclude. */
static bool check_compensation(const struct cs_slots *slots, const struct cs_method *method, size_t s, size_t *blame,
                               struct cs_text *wrong) {
  const char *needs = method->master != CS_JACOBI || method->iterations > 0 ? "master jacobi without iterations"
                      : method->hold != CS_LAGRANGE                         ? "hold lagrange"
                      : method->continuity != CS_JUMPS                      ? "continuity none"
                      : method->estimate == CS_ESTIMATE_CORRECTED           ? "estimate plain"
                                                                            : NULL;
  for (size_t i = 0; needs == NULL && i < slots->model->subsystems; i++)
    needs = method->subsystem[i].latency > 0            ? "latency 0"
            : cs_method_adapts(slots->model, method, i) ? "another solver than dopri5, between whose own steps alone "
                                                          "outputs are smooth"
                                                        : NULL;
  if (!method->subsystem[s].compensates || needs == NULL) return true;
  *blame = cs_slots_deciding(slots, s, CS_SETTING_COMPENSATION);
  cs_text_add(wrong, "needs %s; want that, or compensation 0", needs);
  return false;
}

/* What a subsystem with steps of its own excludes. */
static bool check_rate(const struct cs_slots *slots, const struct cs_method *method, size_t s, size_t *blame,
                       struct cs_text *wrong) {
  const bool simulates = slots->study == CS_SIMULATION;
  const bool turns = method->master == CS_GAUSS_SEIDEL;
  const char *needs = method->master == CS_USER || method->iterations > 0    ? "master jacobi or gauss_seidel without "
                                                                               "iterations"
                      : turns && method->sequence == CS_SEQUENCE_ALTERNATING ? "another sequence than alternating"
                      : turns && method->hold != CS_LAGRANGE                 ? "hold lagrange under gauss_seidel"
                      : method->control != CS_FIXED                          ? "step control fixed"
                      : method->hold != CS_LAGRANGE && method->hold != CS_TAYLOR ? "hold lagrange or taylor"
                      : method->feedthrough == CS_REFRESH                        ? "feedthrough explicit or solved"
                      : method->continuity != CS_JUMPS                           ? "continuity none"
                      : simulates && method->error_at != CS_POINTS               ? "error_at points"
                      : slots->model->events > 0                                 ? "a model without events"
                                                                                 : NULL;
  for (size_t i = 0; needs == NULL && i < slots->model->subsystems; i++)
    needs = method->subsystem[i].latency > 0          ? "latency 0"
            : method->subsystem[i].solver != CS_EXACT ? "solver exact"
            : method->subsystem[i].compensates        ? "compensation 0"
                                                      : NULL;
  if (method->subsystem[s].rate == 1 || needs == NULL) return true;
  *blame = cs_slots_deciding(slots, s, CS_SETTING_RATE);
  cs_text_add(wrong, "needs %s; want that, or rate 1", needs);
  return false;
}

/* What solvers exclude that know more than the state at which a micro step begins. */
static bool check_memory(const struct cs_slots *slots, const struct cs_method *method, size_t s, size_t *blame,
                         struct cs_text *wrong) {
  const struct cs_subsystem_method *own = &method->subsystem[s];
  const char *needs = method->control != CS_FIXED ? "step control fixed"
                      : slots->model->events > 0  ? "a model without events"
                                                  : NULL;
  if (cs_method_remembers(own->solver) && cs_slots_are_eventful(slots)) {
    *blame = cs_slots_deciding(slots, s, CS_SETTING_SOLVER);
    cs_text_add(wrong, "solver %s of subsystem %s has no solution inside a macro step from one micro step alone, %s",
                cs_setting_word(CS_SETTING_SOLVER, own->solver), slots->model->subsystem[s].name,
                cs_model_is_eventful(slots->model)
                    ? "which events need that depend on states or change modes; want another solver, or a model whose "
                      "events add constants at given times"
                    : "which method.events needs that sets interruption, grid or restart; want another solver, or none "
                      "of these three");
    return false;
  }
  if (!own->keeps || needs == NULL) return true;
  *blame = cs_slots_deciding(slots, s, CS_SETTING_MEMORY);
  cs_text_add(wrong, "keep needs %s, as what it keeps is of steps of one size; want that, or memory restart", needs);
  return false;
}

static bool check_solver(const struct cs_slots *slots, const struct cs_method *method, size_t s, size_t *blame,
                         struct cs_text *wrong) {
  const struct cs_subsystem_method *own = &method->subsystem[s];
  const char *name = slots->model->subsystem[s].name;
  const bool adapts = cs_method_adapts(slots->model, method, s);
  if (own->micro_steps == 1 && own->solver != CS_EULER && own->solver != CS_EXACT && own->solver != CS_DOPRI5) {
    *blame = cs_slots_deciding(slots, s, CS_SETTING_MICRO_STEPS);
    cs_text_add(wrong, "one micro step has no midpoint with solver %s of subsystem %s; want an even number",
                cs_setting_word(CS_SETTING_SOLVER, own->solver), name);
    return false;
  }
  if (adapts && slots->study == CS_STABILITY) {
    *blame = cs_slots_deciding(slots, s, CS_SETTING_SOLVER);
    cs_text_add(wrong,
                "solver dopri5 of subsystem %s adapts its steps, so that a macro step has no matrix; want another "
                "solver in study stability",
                name);
    return false;
  }
  if (adapts && method->iterations == CS_CONVERGED) {
    *blame = CS_SETTING_ITERATIONS;
    cs_text_add(wrong,
                "iterations converged solves linear equations, and steps with solver dopri5 of subsystem %s are not "
                "linear; want a number of iterations, or another solver",
                name);
    return false;
  }
  if (adapts && method->engine == CS_DOUBLE) {
    *blame = CS_SETTING_ENGINE;
    cs_text_add(wrong,
                "engine double multiplies step matrices, and steps with solver dopri5 of subsystem %s have none; "
                "want engine auto or step",
                name);
    return false;
  }
  return true;
}

bool cs_slots_meaningful(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                         struct cs_text *wrong) {
  bool good = check_hermite(slots, method, blame, wrong) && check_waveform(slots, method, blame, wrong) &&
              check_master(method, blame, wrong) && check_continuity(method, blame, wrong) &&
              check_fit(slots, method, blame, wrong) && check_lines(slots, method, blame, wrong) &&
              check_jacobian(slots, method, blame, wrong) && check_sequence(method, blame, wrong) &&
              check_tolerance(slots, method, blame, wrong) && check_events(method, blame, wrong) &&
              check_control(slots, method, blame, wrong);
  for (size_t s = 0; s < slots->model->subsystems && good; s++)
    good = check_latency(slots, method, s, blame, wrong) && check_rate(slots, method, s, blame, wrong) &&
           check_compensation(slots, method, s, blame, wrong) && check_memory(slots, method, s, blame, wrong) &&
           check_solver(slots, method, s, blame, wrong);
  return good;
}
