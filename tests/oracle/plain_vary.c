#include "plain_vary.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "plain_course.h"

/* A step or event this near to the nominal step's end is that end. */
#define NEAR 1e-9L

struct run {
  struct plain_simulation *sim;
  const struct cs_settings *settings;
  const struct cs_bond_list *bonds; /* of pi_ecco */
  const struct cs_ratio_list *cycle;
  const struct plain_watch *watch;
  struct plain_result *result, *part; /* part [2] */
  struct plain_memory macro;          /* richardson: the history of whole steps */
  struct before *before;              /* with state events: what a try begins with */
  int inside;                         /* whether anything is wanted that needs more than communication points */
  real T, H, t_end;                   /* H: the nominal step */
  real integral, eps_before;          /* of pi_defect, pi_ecco */
  real shares[PLAIN_MAX];             /* sums over evaluations, by bond */
  size_t steps, rejected, shared;
  int ended, chooses;  /* chooses: who comes first, before the next step */
  real least[2], most; /* accepted steps; least: of whole ones, of cut ones */
};

struct before {
  struct plain_simulation sim;
  struct plain_course course;
  struct plain_memory macro;
};

static real number(const struct run *run, enum cs_control_number which) {
  return run->settings->control[which];
}

static real clamp(real value, real low, real high) {
  return fmax(low, fmin(value, high));
}

/* Whether all steps are given by the method. */
static int is_given(const struct run *run) {
  return run->settings->method.control == CS_FIXED || run->settings->method.control == CS_CYCLE;
}

static real clamp_step(const struct run *run, real H) {
  return is_given(run) ? H : clamp(H, number(run, CS_CONTROL_MIN), number(run, CS_CONTROL_MAX));
}

/* ---- controllers */

static real by_threshold(const struct run *run) {
  const real value = run->sim->memory.sent[0][0][run->settings->method.signal];
  return number(run, value > number(run, CS_CONTROL_THRESHOLD) ? CS_CONTROL_ABOVE : CS_CONTROL_BELOW);
}

/* The step that follows `run->steps` of them. */
static real by_cycle(const struct run *run) {
  return number(run, CS_CONTROL_INITIAL) * (real)run->cycle->ratio[run->steps % run->cycle->ratios];
}

static real largest_root(const real *squares, size_t count, real most) {
  for (size_t i = 0; i < count; i++)
    most = fmax(most, sqrt(squares[i]));
  return most;
}

/* Glumac (38), (39). What min and max cut off does not wind up the integral either. */
static void by_defect(struct run *run) {
  const struct plain_result *part = run->part;
  const unsigned short judged = run->settings->method.defects;
  real eps = 1e-16L;
  if (judged != CS_DEFECTS_OUTPUT) eps = largest_root(part->metric[CS_CONNECTION_DEFECT], run->sim->n.inputs, eps);
  if (judged != CS_DEFECTS_CONNECTION) eps = largest_root(part->metric[CS_OUTPUT_DEFECT], run->sim->n.outputs, eps);
  const real e = log(number(run, CS_CONTROL_TOLERANCE)) - log(eps);
  const real integral = run->integral + number(run, CS_CONTROL_KI) * e;
  const real wanted = integral + number(run, CS_CONTROL_KP) * e;
  const real H =
      clamp(exp(wanted), number(run, CS_CONTROL_SHRINK_MAX) * run->H, number(run, CS_CONTROL_GROWTH_MAX) * run->H);
  run->H = clamp_step(run, H);
  run->integral = integral + log(run->H) - wanted;
}

/* Kyllingstad Table 1. */
static void by_energy(struct run *run) {
  const struct plain_simulation *sim = run->sim;
  real square[PLAIN_MAX] = {0}, sum = 0, u[PLAIN_MAX];
  plain_held(run->sim, 1, u);
  for (size_t i = 0; i < run->bonds->bonds; i++) {
    const struct cs_bond *bond = &run->bonds->bond[i];
    const real a = u[bond->input[0]] * sim->now[0][bond->output[0]];
    const real b = u[bond->input[1]] * sim->now[0][bond->output[1]];
    const real energy = fmax(fabs(a), fabs(b)) * sim->H;
    const real residual = fabs(a + bond->sign * b) * sim->H;
    const real ratio = residual / (number(run, CS_CONTROL_ATOL) + number(run, CS_CONTROL_RTOL) * energy);
    square[i] = ratio * ratio;
    sum += square[i];
  }
  for (size_t i = 0; i < run->bonds->bonds && sum > 0; i++)
    run->shares[i] += square[i] / sum;
  run->shared += sum > 0;
  const real eps = sqrt(sum / (real)run->bonds->bonds), kp = number(run, CS_CONTROL_KP);
  if (eps > 0 && run->eps_before > 0) {
    const real gain =
        number(run, CS_CONTROL_ALPHA) * pow(eps, -number(run, CS_CONTROL_KI) - kp) * pow(run->eps_before, kp);
    run->H *= clamp(gain, number(run, CS_CONTROL_SHRINK_MAX), number(run, CS_CONTROL_GROWTH_MAX));
  }
  run->eps_before = eps;
}

/* ---- steps */

static void accept(struct run *run, size_t parts, real h, int clipped) {
  for (size_t i = 0; i < parts; i++)
    plain_add_measures(&run->part[i], h / (real)parts, run->result);
  run->steps++;
  run->least[clipped] = fmin(run->least[clipped], h);
  run->most = fmax(run->most, h);
}

static void tell(const struct run *run, real h, real error, int accepted, size_t degree) {
  const struct plain_attempt attempt = {run->T, h, error, accepted, degree};
  if (run->watch != NULL) run->watch->look(run->watch->context, &attempt);
}

/* By control `richardson`: whether the step was accepted. */
static int try_step(struct run *run, real h, int clipped) {
  real error;
  int accepted;
  const size_t p = plain_richardson(run->sim, run->settings, h, run->inside, &run->macro, run->part, &error, &accepted);
  if (run->sim->course != NULL && run->sim->course->found) return 1;
  const real growth = number(run, CS_CONTROL_GROWTH_MAX);
  const real factor = error > 0 ? clamp(number(run, CS_CONTROL_ALPHA) * pow(error, -1 / ((real)p + 2)),
                                        number(run, CS_CONTROL_SHRINK_MAX), growth)
                                : growth;
  tell(run, h, error, accepted, p);
  run->H = accepted && clipped ? fmax(run->H, h * factor) : h * factor;
  if (accepted) accept(run, 2, h, clipped);
  run->rejected += !accepted;
  return accepted;
}

/* The nominal step after a step of a control that rejects none. */
static void control(struct run *run, int clipped) {
  const int judged = !clipped; /* a clipped step says nothing about the nominal one */
  if (run->settings->method.control == CS_PI_DEFECT && judged)
    by_defect(run);
  else if (run->settings->method.control == CS_PI_ECCO && judged && run->steps >= 2)
    by_energy(run);
}

/* Events at T; point holds forget what was before, whole steps as well as half ones. */
static int jump(struct run *run, int due) {
  const struct plain_simulation *sim = run->sim;
  if (sim->course != NULL ? plain_course_happen(run->sim, run->T, due) : plain_jump(run->sim, run->T)) {
    const size_t points = sim->method->hold == CS_TAYLOR ? run->macro.points : sim->memory.points;
    run->macro = sim->memory;
    run->macro.points = points;
    return 1;
  }
  return 0;
}

/* With state events: to what the try began with, which ends at the event that was found. */
static void give_up(struct run *run) {
  struct plain_course *c = run->sim->course, *old = &run->before->course;
  const size_t rolled[] = {c->rollbacks, c->rolled, c->given_up};
  *run->sim = run->before->sim;
  run->macro = run->before->macro;
  old->aim = c->found ? c->offset : 0;
  old->event = c->found ? c->event : SIZE_MAX;
  *c = *old;
  c->rollbacks = rolled[0];
  c->rolled = rolled[1];
  c->given_up = rolled[2];
}

static void begin_try(struct run *run, real h) {
  plain_course_try(run->sim->course, run->T, h);
  run->before->sim = *run->sim;
  run->before->course = *run->sim->course;
  run->before->macro = run->macro;
}

int plain_diverged(const struct plain_simulation *sim) {
  for (size_t i = 0; i < sim->n.states; i++)
    if (!(fabs(sim->x[i]) < 1e150L)) return 1;
  return 0;
}

/* Tries ended by events inside. */
static size_t given_up(const struct run *run) {
  return run->sim->course != NULL ? run->sim->course->given_up : 0;
}

/* Whether the run ends with whole steps. */
static int overshoots(const struct run *run) {
  return is_given(run) || run->settings->method.end == CS_END_OVERSHOOT;
}

/* After a step whose nominal size is still H. A run with whole steps ends near enough to t_end, as in fixed step: its
 * last step is no matter of rounding. */
static int ended(const struct run *run) {
  return run->t_end - run->T <= (overshoots(run) ? run->t_end * NEAR : 0);
}

/* The nominal step after a state event. */
static void restart(struct run *run) {
  const real H = fmin(run->H, (real)run->settings->event[CS_EVENT_RESTART]);
  run->integral += log(H / run->H);
  run->H = H;
}

/* One step from T, or an attempt at it. */
static void step(struct run *run) {
  const int richardson = run->settings->method.control == CS_RICHARDSON;
  const real target = plain_next_event(&run->sim->n, run->T, run->t_end);
  struct plain_course *course = run->sim->course;
  if (run->chooses) plain_course_order(run->sim, run->T, run->H);
  plain_alternate(run->sim, run->steps);
  run->chooses = 0;
  const real size = course != NULL ? plain_course_size(course, run->T, run->H) : run->H;
  const int at_event = course != NULL && course->aim > 0, cuts = at_event || (course != NULL && course->laps);
  const int aimed = target < run->t_end || !overshoots(run),
            hits = aimed && !at_event && target - run->T <= size * (1 + NEAR);
  const real h = hits ? target - run->T : size;
  const int clipped = (hits || cuts) && h < run->H * (1 - NEAR);
  if (course != NULL) begin_try(run, h);
  if (richardson && !try_step(run, h, clipped)) {
    run->H = clamp_step(run, run->H);
    run->result->status = run->H >= h ? 2 : 0; /* nothing smaller to try */
    if (course != NULL) {
      course->found = 0;
      give_up(run);
      course->laps = 0;
      course->at_once += (size_t)course->one_stage;
    }
    return;
  }
  if (!richardson) {
    tell(run, h, NAN, 1, 0);
    plain_measured_step(run->sim, h, run->inside, run->part);
    if (course == NULL || !course->found) accept(run, 1, h, clipped);
  }
  if (course != NULL && course->found) {
    give_up(run);
    return;
  }
  if (course != NULL) {
    course->parallel += (size_t)course->one_stage;
    course->at_once += (size_t)course->one_stage;
  }
  run->T = hits ? target : run->T + h;
  run->ended = ended(run);
  control(run, clipped); /* after the last step too, for the shares of bonds */
  if (run->ended) {
    run->result->status = course != NULL && plain_course_over(course) ? 5 : 0; /* of the exact solution */
    return;
  }
  const int happened = jump(run, hits);
  run->H = clamp_step(run, run->settings->method.control == CS_THRESHOLD ? by_threshold(run) : run->H);
  if (run->settings->method.control == CS_CYCLE) run->H = by_cycle(run);
  if (course == NULL) return;
  if (happened) restart(run);
  run->chooses = 1;
  run->result->status = plain_course_over(course) ? 5 : 0;
}

/* ---- the run */

static int wants_inside(const struct cs_sweep *sweep, const struct cs_settings *settings) {
  int wants = settings->method.control == CS_PI_DEFECT;
  for (size_t i = 0; i < CS_METRICS; i++) {
    const enum cs_over over = cs_metric_table[i].over;
    wants |= sweep->metric[i] &&
             (over == CS_OVER_OUTPUT || over == CS_OVER_INPUT || over == CS_OVER_STATE || i == CS_BOND_ENERGY);
  }
  return wants;
}

/* The first step, the past before it, and the controllers' memory. */
static void start(struct run *run) {
  struct plain_simulation *sim = run->sim;
  const int threshold = run->settings->method.control == CS_THRESHOLD;
  plain_start(sim, 1, &sim->memory); /* for the signal */
  run->H = clamp_step(run, threshold ? by_threshold(run) : number(run, CS_CONTROL_INITIAL));
  if (run->settings->method.control == CS_CYCLE) run->H = by_cycle(run);
  plain_start(sim, run->settings->method.control == CS_RICHARDSON ? run->H / 2 : run->H, &sim->memory);
  plain_start(sim, run->H, &run->macro);
  run->integral = log(run->H);
  run->eps_before = 1;
  if (sim->course == NULL) return;
  run->before = malloc(sizeof *run->before);
  cr_assert(run->before != NULL);
  sim->H = 1;
  jump(run, 0);
  memcpy(sim->r, sim->course->r, sizeof sim->r);
  if (sim->method->first == CS_FIRST_PARALLEL) plain_course_order(sim, 0, run->H);
  plain_measure_start(sim, run->result);
  run->result->status = plain_course_over(sim->course) ? 5 : 0;
}

static void finish(const struct run *run) {
  struct plain_result *result = run->result;
  plain_finish_measures(run->sim, run->T, result);
  if (run->sim->course != NULL) plain_course_finish(run->sim, run->T, result);
  if (run->sim->course != NULL && run->sim->course->one_stage) run->sim->sequence = run->sim->order;
  plain_count(run->sim, run->steps, run->rejected, result);
  result->metric[CS_EVALUATIONS][0] += result->metric[CS_ROLLBACKS][0];
  if (run->sim->course != NULL) result->metric[CS_CALL_STAGES][0] += (real)run->sim->course->rolled;
  result->metric[CS_STEP_MIN][0] = run->least[run->least[0] == INFINITY];
  result->metric[CS_STEP_MEAN][0] = run->T / (real)run->steps;
  result->metric[CS_STEP_MAX][0] = run->most;
  result->metric[CS_T_FINAL][0] = run->T;
  for (size_t i = 0; run->bonds != NULL && i < run->bonds->bonds; i++)
    result->metric[CS_BOND_SHARE][i] = run->shares[i] / (real)run->shared;
}

void plain_vary(struct plain_simulation *sim, const struct cs_sweep *sweep, const struct cs_settings *settings,
                const struct plain_watch *watch, struct plain_result *result) {
  struct run run = {.sim = sim, .settings = settings, .watch = watch, .result = result, .t_end = settings->t_end};
  run.part = calloc(2, sizeof *run.part);
  cr_assert(run.part != NULL);
  run.cycle = &sweep->controls->cycle[settings->method.ratios];
  run.bonds = settings->method.control == CS_PI_ECCO ? &sweep->controls->list[settings->method.bonds] : NULL;
  run.inside = wants_inside(sweep, settings);
  run.least[0] = run.least[1] = INFINITY;
  start(&run);
  while (result->status == 0 && !run.ended) {
    result->degenerate |= run.H < 1e-305L;
    if (run.H < number(&run, CS_CONTROL_UNDERFLOW)) {
      result->status = 2;
    } else if ((real)(run.steps + run.rejected + given_up(&run)) >= number(&run, CS_CONTROL_MOST)) {
      result->status = 3;
    } else {
      step(&run);
      result->status = plain_diverged(sim) ? 1 : result->status;
    }
  }
  finish(&run);
  free(run.part);
  free(run.before);
}
