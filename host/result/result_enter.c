/* Enters final states of runs, as written by the kernels, into the arrays of a result. */
#include <math.h>

#include "course.h"
#include "result.h"

void cs_result_open(const struct cs_plan *plan, struct cs_table *table, struct cs_result *result) {
  result->plan = plan;
  for (int m = 0; m < CS_METRICS; m++)
    result->metric[m] = plan->sweep->metric[m] && cs_metric_table[m].study == plan->options.study
                            ? cs_table_find(table, cs_metric_table[m].name)
                            : NULL;
  result->status = plan->options.study == plan->sweep->study ? cs_table_find(table, "status") : NULL;
  result->engine = result->status != NULL ? cs_table_find(table, "engine_used") : NULL;
}

static void enter_count(const struct cs_result *r, enum cs_metric metric, size_t run, double value) {
  if (r->metric[metric] != NULL) r->metric[metric]->data.int64[run] = (int64_t)value;
}

static void enter_number(const struct cs_result *r, enum cs_metric metric, size_t run, double value) {
  if (r->metric[metric] != NULL) r->metric[metric]->data.float64[run] = value;
}

/* Sets the metrics of a failed run to NaN. */
static void enter_nothing(const struct cs_result *r, size_t run) {
  for (int m = 0; m < CS_METRICS; m++) {
    if (r->metric[m] == NULL || r->metric[m]->type != CS_FLOAT64) continue;
    const size_t count = cs_result_signals(r->plan->sweep, r->plan->modes, m);
    for (size_t i = 0; i < count; i++)
      r->metric[m]->data.float64[run * count + i] = NAN;
  }
}

/* Subsystem calls, or sequential stages of calls, per macro step; a step with step doubling consists of three. */
static double calls(const struct cs_layout *l, size_t of_step) {
  return (double)of_step * (l->kind.halves ? 3.0 : 1.0);
}

/* Whether a successful run may have NaN for the metric: a local error whose exact past is beyond doubles, an estimate
 * that does not exist, a monitor without a flow, a run without bonds. */
static bool may_be_missing(int metric) {
  return metric == CS_LOCAL_ERROR || metric == CS_LOCAL_ERROR_ESTIMATE || metric == CS_MONITOR_PREDICTED ||
         metric == CS_BOND_SHARE || metric == CS_BOND_ENERGY;
}

/* Enters the metrics that the kernels computed as sums, maxima or final values; `whole`: divisor of sums of squares,
 * steps or s. False if one is not finite. */
static bool enter_values(const struct cs_result *r, size_t number, const double *state, size_t pitch, double whole) {
  const struct cs_layout *l = r->plan->variant[r->plan->run[number].variant];
  bool finite = true;
  for (int m = 0; m < CS_METRICS; m++) {
    if (r->metric[m] == NULL || r->metric[m]->type != CS_FLOAT64) continue;
    const size_t count = cs_result_signals(r->plan->sweep, r->plan->modes, m);
    double *to = r->metric[m]->data.float64 + number * count;
    for (size_t i = 0; i < count; i++) {
      if (m == CS_BOND_ENERGY)
        to[i] = i < l->control.energies ? state[(l->state.sums + (size_t)l->measures.sum_of[m] + i) * pitch] : NAN;
      else if (l->measures.sum_of[m] >= 0)
        to[i] = sqrt(state[(l->state.sums + (size_t)l->measures.sum_of[m] + i) * pitch] / whole);
      else if (l->measures.top_of[m] >= 0)
        to[i] = state[(l->state.tops + (size_t)l->measures.top_of[m] + i) * pitch];
      else if (l->measures.final_of[m] >= 0)
        to[i] = state[(l->state.finals + (size_t)l->measures.final_of[m] + i) * pitch];
      else if (m == CS_MONITOR_PREDICTED)
        to[i] = l->model->monitor[i].flow >= 0 ? state[(l->state.flow + l->dims.monitors + i) * pitch] : NAN;
      else if (m == CS_BOND_SHARE)
        to[i] = i < l->control.bonds
                    ? state[(l->state.share + i) * pitch] / state[(l->state.vary + CS_VARY_SHARED) * pitch]
                    : NAN;
      else if (m == CS_INTEGRATION_DEFECT)
        to[i] = 0.0; /* exact solvers only */
      else
        continue;
      if (l->measures.final_of[m] >= 0 && m != CS_MONITOR_FINAL) to[i] = fabs(to[i]);
      if (!isfinite(to[i]) && may_be_missing(m)) to[i] = NAN;
      finite = finite && (isfinite(to[i]) || may_be_missing(m));
    }
  }
  return finite;
}

/* Enters the status of a run, how it was computed and, if it succeeded, its metrics. */
static enum cs_status enter_end(const struct cs_result *r, size_t number, enum cs_status status, enum cs_way way,
                                const double *state, size_t pitch, double whole) {
  if (status == CS_STATUS_OK && !enter_values(r, number, state, pitch, whole)) status = CS_STATUS_DIVERGED;
  if (status != CS_STATUS_OK) enter_nothing(r, number);
  r->status->data.uint8[number] = (uint8_t)status;
  r->engine->data.uint8[number] = (uint8_t)way;
  return status;
}

/* Tries in which all subsystems went at once; the one that a run diverges in is none. */
static double tries_at_once(const struct cs_layout *l, const double *course, enum cs_status status) {
  if (course == NULL || !l->master.together) return 0.0;
  const bool last = course[cs_course_place(l, CS_COURSE_LEADER)] == 1.0;
  return course[cs_course_place(l, CS_COURSE_TOGETHER)] - (status == CS_STATUS_DIVERGED && last);
}

/* How much a run has called, and how often it has done a step: mean and most. */
struct counts {
  double steps, rejected, evaluations, stages, repeated, unconverged, mean, most;
};

/* As the method says. `beyond`: subsystems that went beyond an event and were brought back; `rolled`: in how many
 * tries; `at_once`: tries of a single stage. */
static struct counts expected(const struct cs_layout *l, double steps, double rejected, double beyond, double rolled,
                              double at_once) {
  const double tried = steps + rejected, repetitions = (double)cs_method_repetitions(&l->method);
  return (struct counts){
      .steps = steps,
      .rejected = rejected,
      .evaluations = tried * calls(l, cs_layout_evaluations(l)) + beyond,
      .stages = (tried - at_once) * calls(l, cs_layout_stages(l)) + at_once * calls(l, 1) + rolled,
      .repeated = tried * repetitions,
      .mean = 1.0 + repetitions,
      .most = 1.0 + repetitions,
  };
}

/* As a run has counted that repeats steps to a tolerance, and rejects none. */
static struct counts counted(const struct cs_layout *l, double steps, const double *own) {
  const double passes = own[CS_REPEATED];
  return (struct counts){
      .steps = steps,
      .evaluations = passes * (double)l->model->subsystems,
      .stages = passes * (double)l->master.stages,
      .repeated = passes - steps,
      .unconverged = own[CS_REPEATED_UNCONVERGED],
      .mean = passes / steps,
      .most = own[CS_REPEATED_MOST],
  };
}

static void enter_counts(const struct cs_result *r, size_t number, const struct counts *c) {
  enter_count(r, CS_STEPS, number, c->steps);
  enter_count(r, CS_REJECTED_STEPS, number, c->rejected);
  enter_count(r, CS_EVALUATIONS, number, c->evaluations);
  enter_count(r, CS_CALL_STAGES, number, c->stages);
  enter_count(r, CS_REPEATED_STEPS, number, c->repeated);
  enter_count(r, CS_REPETITIONS_MAX, number, c->most);
  enter_count(r, CS_UNCONVERGED_STEPS, number, c->unconverged);
}

static void enter_sizes(const struct cs_result *r, size_t number, double least, double mean, double most, double end) {
  enter_number(r, CS_STEP_MIN, number, least);
  enter_number(r, CS_STEP_MEAN, number, mean);
  enter_number(r, CS_STEP_MAX, number, most);
  enter_number(r, CS_T_FINAL, number, end);
}

/* Status of a run whose numbers are no longer finite after `steps` steps: if iterations have no fixed point, from the
 * first step on. */
static enum cs_status failed_status(const struct cs_layout *l, double steps) {
  return l->method.iterations == CS_CONVERGED && steps <= 1 ? CS_STATUS_SINGULAR : CS_STATUS_DIVERGED;
}

/* A run with step size control: its state contains the counts, the step sizes and the status. */
static enum cs_status enter_varied(const struct cs_result *r, size_t number, const double *state) {
  const struct cs_layout *l = r->plan->variant[r->plan->run[number].variant];
  const double *own = state + l->state.vary;
  const double steps = own[CS_VARY_STEPS], time = own[CS_VARY_TIME] + own[CS_VARY_REST];
  const double *course = l->kind.eventful ? state + l->state.course : NULL;
  enum cs_status status = (enum cs_status)own[CS_VARY_STATUS];
  const struct counts counts = l->kind.tolerates
                                   ? counted(l, steps, state + l->at.master)
                                   : expected(l, steps, own[CS_VARY_REJECTED],
                                              course != NULL ? course[cs_course_place(l, CS_COURSE_ROLLBACKS)] : 0.0,
                                              course != NULL ? course[cs_course_place(l, CS_COURSE_ROLLED)] : 0.0,
                                              tries_at_once(l, course, status));
  enter_counts(r, number, &counts);
  if (status == CS_STATUS_DIVERGED) status = failed_status(l, steps);
  status = enter_end(r, number, status, CS_WAY_STEP, state, 1, time);
  enter_number(r, CS_REPETITIONS, number, counts.mean);
  const double least = isfinite(own[CS_VARY_LEAST]) ? own[CS_VARY_LEAST] : own[CS_VARY_LEAST_CUT];
  enter_sizes(r, number, fmin(least, own[CS_VARY_MOST]), time / steps, own[CS_VARY_MOST], time);
  if (course != NULL) cs_result_enter_events(r, number, state, status == CS_STATUS_OK);
  return status;
}

enum cs_status cs_result_enter(const struct cs_result *r, size_t number, enum cs_way way, const double *state,
                               size_t pitch) {
  const struct cs_run *run = &r->plan->run[number];
  const struct cs_layout *l = r->plan->variant[run->variant];
  if (l->kind.varies) return enter_varied(r, number, state);
  const double diverged = state[l->state.diverged * pitch];
  const double steps = diverged > 0.0 ? diverged : run->steps;
  const struct counts counts = expected(l, steps, 0.0, 0.0, 0.0, 0.0);
  enter_counts(r, number, &counts);
  const enum cs_status status =
      enter_end(r, number, diverged > 0.0 ? failed_status(l, diverged) : CS_STATUS_OK, way, state, pitch, run->steps);
  enter_number(r, CS_REPETITIONS, number, counts.mean);
  enter_sizes(r, number, run->step_size, run->step_size, run->step_size, steps * run->step_size);
  return status;
}

void cs_result_describe_end(const struct cs_layout *layout, enum cs_status status, double step, struct cs_text *text) {
  if (status == CS_STATUS_UNDERFLOW)
    cs_text_add(text, "the step size fell below method.step.underflow after %.0f steps", step);
  else if (status == CS_STATUS_STEP_LIMIT)
    cs_text_add(text, "stopped after method.step.max_steps, %.0f steps", step);
  else if (status == CS_STATUS_EVENT_LIMIT)
    cs_text_add(text, "stopped after %.0f steps by method.events.at_once or method.events.max", step);
  else if (status == CS_STATUS_SINGULAR && step <= 1)
    cs_text_add(text, "iterations have no fixed point: I - S of a repetition is singular");
  else if (status == CS_STATUS_SINGULAR)
    cs_text_add(text, "the algebraic loop I - D L is singular in the modes entered at step %.0f", step);
  else if (status == CS_STATUS_INVALID)
    cs_text_add(
        text, "after %.0f steps the step size is more than %g times the model's fastest time scale%s", step,
        cs_layout_norm_most(layout),
        cs_layout_is_graded(layout) ? ", or a mode oscillates in it too often for integrals over the step" : "");
  else
    cs_text_add(text, "diverged at step %.0f", step);
}

bool cs_result_stable(double radius) {
  return radius <= 1.0 + CS_RESULT_NEUTRAL;
}

double cs_result_radius(const double *state, size_t pitch) {
  const double radius = state[CS_SPECTRUM_RADIUS * pitch];
  return state[CS_SPECTRUM_FAILED * pitch] == 0.0 && isfinite(radius) ? radius : NAN;
}

enum cs_status cs_result_enter_spectrum(const struct cs_result *r, size_t number, const double *state, size_t pitch) {
  const struct cs_run *run = &r->plan->run[number];
  const struct cs_layout *l = r->plan->variant[run->variant];
  const bool alone = r->plan->networks->status[run->network] == CS_STATUS_SINGULAR; /* no exact solution */
  const double radius = cs_result_radius(state, pitch), exact = alone ? NAN : state[CS_SPECTRUM_GROWTH_EXACT * pitch];
  const double time = run->step_size * cs_layout_period(l); /* of the step, or of the cycle of steps */
  const double rate = time > 0.0 ? log(radius) / time : NAN;
  const enum cs_status status = isnan(radius) ? failed_status(l, 0) : CS_STATUS_OK;
  if (r->status != NULL) r->status->data.uint8[number] = (uint8_t)status;
  enter_nothing(r, number);
  if (status != CS_STATUS_OK) return status;
  enter_number(r, CS_SPECTRAL_RADIUS, number, radius);
  enter_number(r, CS_SPECTRAL_RADIUS_EXACT, number, exp(time * exact));
  enter_number(r, CS_SPECTRAL_RADIUS_DECAYING, number, state[CS_SPECTRUM_DECAYING * pitch]);
  enter_number(r, CS_CONTRACTION, number, l->dims.handed > 0 ? state[CS_SPECTRUM_CONTRACTION * pitch] : NAN);
  enter_number(r, CS_GROWTH_RATE, number, rate);
  enter_number(r, CS_EXCESS_GROWTH_RATE, number, rate - exact);
  if (r->metric[CS_STABLE] != NULL) r->metric[CS_STABLE]->data.uint8[number] = cs_result_stable(radius);
  for (size_t i = 0; r->metric[CS_EIGENVALUE_RE] != NULL && i < l->dims.modes; i++) {
    const double *at = state + (CS_SPECTRUM_EIGENVALUES + i) * pitch;
    r->metric[CS_EIGENVALUE_RE]->data.float64[number * r->plan->modes + i] = at[0];
    r->metric[CS_EIGENVALUE_IM]->data.float64[number * r->plan->modes + i] = at[l->dims.modes * pitch];
  }
  return CS_STATUS_OK;
}
