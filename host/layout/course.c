#include "course.h"

#include <stdint.h>
#include <string.h>

enum { QUEUE = 8 }; /* as in kernels/vary/matching.clh */

static const char *const names[CS_COURSE_PARTS] = {[CS_COURSE_AIM] = "C_AIM",
                                                   [CS_COURSE_TRIGGER] = "C_TRIGGER",
                                                   [CS_COURSE_LAP] = "C_LAP",
                                                   [CS_COURSE_GIVEN_UP] = "C_GIVEN_UP",
                                                   [CS_COURSE_ROLLED] = "C_ROLLED",
                                                   [CS_COURSE_ROLLBACKS] = "C_ROLLBACKS",
                                                   [CS_COURSE_LEADER] = "C_LEADER",
                                                   [CS_COURSE_CHANGES] = "C_CHANGES",
                                                   [CS_COURSE_CONFIGURATION] = "C_CONFIGURATION",
                                                   [CS_COURSE_EXACT_CONFIGURATION] = "C_EXACT_CONFIGURATION",
                                                   [CS_COURSE_PARTED] = "C_PARTED",
                                                   [CS_COURSE_LENGTH] = "C_LENGTH",
                                                   [CS_COURSE_DIVERGENCE] = "C_DIVERGENCE",
                                                   [CS_COURSE_TOTAL] = "C_TOTAL",
                                                   [CS_COURSE_ROW] = "C_ROW",
                                                   [CS_COURSE_LAST] = "C_LAST",
                                                   [CS_COURSE_EXACT_TOTAL] = "C_EXACT_TOTAL",
                                                   [CS_COURSE_EXACT_ROW] = "C_EXACT_ROW",
                                                   [CS_COURSE_EXACT_LAST] = "C_EXACT_LAST",
                                                   [CS_COURSE_R] = "C_R",
                                                   [CS_COURSE_COUNT] = "C_COUNT",
                                                   [CS_COURSE_EXACT_COUNT] = "C_EXACT_COUNT",
                                                   [CS_COURSE_LATE] = "C_LATE",
                                                   [CS_COURSE_MISSED] = "C_MISSED",
                                                   [CS_COURSE_SPURIOUS] = "C_SPURIOUS",
                                                   [CS_COURSE_PAIRS] = "C_PAIRS",
                                                   [CS_COURSE_SQUARES] = "C_SQUARES",
                                                   [CS_COURSE_MOST] = "C_MOST",
                                                   [CS_COURSE_FIRST] = "C_FIRST",
                                                   [CS_COURSE_WAITING] = "C_WAITING",
                                                   [CS_COURSE_SIDE] = "C_SIDE",
                                                   [CS_COURSE_QUEUE] = "C_QUEUE",
                                                   [CS_COURSE_BETWEEN] = "C_BETWEEN",
                                                   [CS_COURSE_TIMES] = "C_TIMES",
                                                   [CS_COURSE_KINDS] = "C_KINDS",
                                                   [CS_COURSE_EXACT_TIMES] = "C_EXACT_TIMES",
                                                   [CS_COURSE_EXACT_KINDS] = "C_EXACT_KINDS",
                                                   [CS_COURSE_TOGETHER] = "C_TOGETHER",
                                                   [CS_COURSE_AHEAD] = "C_AHEAD",
                                                   [CS_COURSE_CONDITIONS] = "C_CONDITIONS"};

const char *cs_course_name(enum cs_course_part part) {
  return names[part];
}

size_t cs_course_table(const struct cs_layout *l) {
  const bool *m = l->sweep->metric;
  const bool wanted = m[CS_EVENT_TIMES] || m[CS_EVENT_KINDS] || m[CS_EXACT_EVENT_TIMES] || m[CS_EXACT_EVENT_KINDS];
  return wanted ? l->sweep->table : 0;
}

static size_t count_of(const struct cs_layout *l, enum cs_course_part part) {
  if (part < CS_COURSE_R) return 1;
  if (part == CS_COURSE_R) return l->dims.exact;
  if (part >= CS_COURSE_TOGETHER)
    return !l->master.together ? 0 : part == CS_COURSE_CONDITIONS ? l->model->conditions : 1;
  if (part >= CS_COURSE_TIMES) return cs_course_table(l);
  if (part == CS_COURSE_QUEUE) return QUEUE * l->model->state_events;
  return part == CS_COURSE_BETWEEN ? l->dims.states + l->dims.inputs + l->dims.outputs : l->model->state_events;
}

size_t cs_course_place(const struct cs_layout *l, enum cs_course_part part) {
  size_t place = 0;
  for (int i = 0; i < (int)part; i++)
    place += count_of(l, (enum cs_course_part)i);
  return place;
}

size_t cs_course_start(const struct cs_sweep *sweep, const struct cs_settings *settings) {
  const size_t subsystems = sweep->model->subsystems;
  size_t start = 0;
  while (memcmp(sweep->start + start * subsystems, settings->mode, subsystems * sizeof *settings->mode) != 0)
    start++;
  return start;
}

long cs_course_after(const struct cs_layout *l, size_t from, size_t event) {
  const size_t to = cs_configurations_after(&l->configurations, l->model, from, event);
  return to == SIZE_MAX ? -1 : (long)to;
}

/* Whether an input of `to` receives the output's value at the end of the step within the step. */
static bool is_new(const struct cs_layout *l, size_t leader, size_t to, size_t output) {
  return l->method.iterations > 0 || cs_layout_newer(l, leader, to, l->model->output[output].subsystem);
}

bool cs_course_looks(const struct cs_layout *l, size_t leader, size_t subsystem) {
  if (l->method.detect == CS_DETECT_POINTS || (l->master.together && leader == 1)) return false;
  for (size_t i = 0; i < l->dims.inputs; i++)
    for (size_t o = 0; o < l->dims.outputs && l->model->input[i].subsystem == subsystem; o++) {
      if (!l->pattern[CS_OP_L].set[i * l->dims.outputs + o] || !is_new(l, leader, subsystem, o)) continue;
      const size_t order = l->method.subsystem[subsystem].input_order,
                   sent = l->method.subsystem[l->model->output[o].subsystem].output_order;
      if (l->method.detect == CS_DETECT_FIRST || order == 0 || (l->method.hold == CS_TAYLOR && sent == 0)) return false;
    }
  return true;
}

size_t cs_course_beyond(const struct cs_layout *l, size_t leader, size_t subsystem) {
  const size_t n = l->model->subsystems, *sequence = l->master.sequence + leader * n;
  if (l->method.iterations > 0) return (1 + cs_method_repetitions(&l->method)) * n - 1;
  size_t place = 0;
  while (l->method.master == CS_GAUSS_SEIDEL && sequence[place] != subsystem)
    place++;
  return l->method.master == CS_GAUSS_SEIDEL ? place : n - 1;
}
