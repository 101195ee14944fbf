/* What the final state of a run can be: for states that come from a file or from another process, whose checksums find
 * damage but no nonsense. */
#include <math.h>

#include "course.h"
#include "result.h"

/* Numbers of a state, next to each other, from `least` to `most`. */
struct part {
  const char *what;
  size_t at, count;
  double least, most;
  enum { NUMBERS, WHOLE, UNKNOWN } kind; /* UNKNOWN: or NaN */
};

static struct part counts(const char *what, size_t at, size_t count) {
  return (struct part){what, at, count, 0.0, 0x1p53, WHOLE};
}

static struct part sizes(const char *what, size_t at, size_t count) {
  return (struct part){what, at, count, 0.0, INFINITY, UNKNOWN};
}

static bool fail(const char *what, double value, struct cs_text *wrong) {
  cs_text_add(wrong, "%s ", what);
  cs_text_add_number(wrong, value);
  return false;
}

static bool are_right(const struct part *part, size_t parts, const double *state, struct cs_text *wrong) {
  for (size_t p = 0; p < parts; p++)
    for (size_t i = 0; i < part[p].count; i++) {
      const double x = state[part[p].at + i];
      const bool right = (x >= part[p].least && x <= part[p].most && (part[p].kind != WHOLE || x == floor(x))) ||
                         (part[p].kind == UNKNOWN && isnan(x));
      if (!right) return fail(part[p].what, x, wrong);
    }
  return true;
}

/* What a run with variable steps ends with. */
static bool may_end(const struct cs_layout *l, double status) {
  if (status == CS_AGAIN_STIFF) return !l->kind.stiff && !l->kind.eventful;
  if (status == CS_STATUS_SINGULAR || status == CS_STATUS_EVENT_LIMIT) return l->kind.eventful;
  return status == CS_STATUS_OK || status == CS_STATUS_DIVERGED || status == CS_STATUS_UNDERFLOW ||
         status == CS_STATUS_STEP_LIMIT || status == CS_STATUS_INVALID;
}

static bool is_course_right(const struct cs_layout *l, const double *state, struct cs_text *wrong) {
  const double *course = state + l->state.course;
  const size_t events = l->model->state_events, table = cs_course_table(l);
#define AT(part) cs_course_place(l, CS_COURSE_##part)
  const double last = (double)events - 1.0;
  const struct part parts[] = {counts("rollbacks", AT(ROLLED), 2), /* and CS_COURSE_ROLLBACKS */
                               counts("sequence changes", AT(CHANGES), 1),
                               counts("steps at once", AT(TOGETHER), l->master.together),
                               counts("events", AT(COUNT), events),
                               counts("exact events", AT(EXACT_COUNT), events),
                               counts("late events", AT(LATE), events),
                               counts("missed events", AT(MISSED), events),
                               counts("spurious events", AT(SPURIOUS), events),
                               counts("pairs of events", AT(PAIRS), events),
                               sizes("time errors", AT(SQUARES), events),
                               sizes("largest time error", AT(MOST), events),
                               sizes("first time error", AT(FIRST), events),
                               sizes("time between events", AT(LENGTH), 1),
                               sizes("errors between events", AT(BETWEEN), AT(TIMES) - AT(BETWEEN)),
                               {"event", AT(KINDS), table, -1.0, last, WHOLE},
                               {"exact event", AT(EXACT_KINDS), table, -1.0, last, WHOLE}};
#undef AT
  return are_right(parts, sizeof parts / sizeof *parts, course, wrong);
}

static bool is_varied_right(const struct cs_plan *plan, size_t run, const double *state, struct cs_text *wrong) {
  const struct cs_layout *l = plan->variant[plan->run[run].variant];
  const size_t own = l->state.vary;
  const double *numbers = cs_pacing_numbers(&plan->pacing, plan->paced[run]);
  const double most = numbers[CS_CONTROL_MOST], t_end = numbers[CS_PACING_T_END], slack = 1.0 + 2.0 * CS_STEP_ROUNDING;
  const double time = state[own + CS_VARY_TIME], longest = state[own + CS_VARY_MOST];
  const bool ended = state[own + CS_VARY_STATUS] == CS_STATUS_OK;
  const struct part parts[] = {
      {"steps", own + CS_VARY_STEPS, 1, 0.0, most, WHOLE},
      {"rejected steps", own + CS_VARY_REJECTED, 1, 0.0, most, WHOLE},
      {"step size", own + CS_VARY_MOST, 1, 0.0, time * slack, NUMBERS},
      {"step size", own + CS_VARY_LEAST, 2, 0.0, INFINITY, NUMBERS}, /* and LEAST_CUT */
      {"time", own + CS_VARY_TIME, 1, ended ? t_end / slack : 0.0, (t_end + longest) * slack, NUMBERS},
      {"rest of a time", own + CS_VARY_REST, 1, -time, time, NUMBERS},
      sizes("judged steps", own + CS_VARY_SHARED, 1)};
  if (!may_end(l, state[own + CS_VARY_STATUS])) return fail("status", state[own + CS_VARY_STATUS], wrong);
  return are_right(parts, sizeof parts / sizeof *parts, state, wrong) &&
         (!l->kind.eventful || is_course_right(l, state, wrong));
}

static bool is_spectrum_right(const double *state, struct cs_text *wrong) {
  const struct part parts[] = {sizes("spectral radius", CS_SPECTRUM_RADIUS, 1),
                               sizes("spectral radius", CS_SPECTRUM_DECAYING, 1),
                               sizes("contraction", CS_SPECTRUM_CONTRACTION, 1),
                               {"failure", CS_SPECTRUM_FAILED, 1, 0.0, 1.0, WHOLE}};
  return are_right(parts, sizeof parts / sizeof *parts, state, wrong);
}

/* Sums of squares; products, which may have any sign, are the energies of bonds alone. */
static bool are_measures_right(const struct cs_layout *l, const double *state, struct cs_text *wrong) {
  const long energies = l->measures.sum_of[CS_BOND_ENERGY];
  const size_t before = energies < 0 ? l->measures.sums : (size_t)energies, after = before + l->control.energies;
  const struct part parts[] = {
      sizes("sum of squares", l->state.sums, before),
      sizes("sum of squares", l->state.sums + after, after < l->measures.sums ? l->measures.sums - after : 0),
      sizes("maximum", l->state.tops, l->measures.tops), sizes("growth", l->state.growth, 1)};
  return are_right(parts, sizeof parts / sizeof *parts, state, wrong);
}

bool cs_result_check(const struct cs_plan *plan, size_t run, unsigned way, const double *state, struct cs_text *wrong) {
  const struct cs_layout *l = plan->variant[plan->run[run].variant];
  const struct part diverged = {"step of divergence", l->state.diverged, 1, 0.0, plan->run[run].steps, WHOLE};
  if (way != CS_WAY_STEP && !(way == CS_WAY_DOUBLE && plan->run[run].doubled)) return fail("way", (double)way, wrong);
  if (l->kind.stability) return is_spectrum_right(state, wrong);
  if (!are_measures_right(l, state, wrong)) return false;
  return l->kind.varies ? is_varied_right(plan, run, state, wrong) : are_right(&diverged, 1, state, wrong);
}
