/* Settings of step size control: which ones the controls of a sweep use, their defaults, the numbers of a run. */
#include <math.h>
#include <string.h>

#include "slots.h"

/* The setting behind each number. */
static const enum cs_setting setting_of[CS_CONTROL_NUMBERS] = {
    [CS_CONTROL_INITIAL] = CS_SETTING_INITIAL,
    [CS_CONTROL_MIN] = CS_SETTING_MIN,
    [CS_CONTROL_MAX] = CS_SETTING_MAX,
    [CS_CONTROL_MOST] = CS_SETTING_MAX_STEPS,
    [CS_CONTROL_UNDERFLOW] = CS_SETTING_UNDERFLOW,
    [CS_CONTROL_TOLERANCE] = CS_SETTING_STEP_TOLERANCE,
    [CS_CONTROL_KP] = CS_SETTING_KP,
    [CS_CONTROL_KI] = CS_SETTING_KI,
    [CS_CONTROL_ALPHA] = CS_SETTING_ALPHA,
    [CS_CONTROL_GROWTH_MAX] = CS_SETTING_GROWTH_MAX,
    [CS_CONTROL_SHRINK_MAX] = CS_SETTING_SHRINK_MAX,
    [CS_CONTROL_ATOL] = CS_SETTING_ATOL,
    [CS_CONTROL_RTOL] = CS_SETTING_RTOL,
    [CS_CONTROL_ACCEPT] = CS_SETTING_ACCEPT,
    [CS_CONTROL_THRESHOLD] = CS_SETTING_THRESHOLD,
    [CS_CONTROL_ABOVE] = CS_SETTING_ABOVE,
    [CS_CONTROL_BELOW] = CS_SETTING_BELOW,
};

static const enum cs_setting event_setting_of[CS_EVENT_NUMBERS] = {
    [CS_EVENT_INTERRUPTION] = CS_SETTING_INTERRUPTION, [CS_EVENT_HORIZON] = CS_SETTING_HORIZON,
    [CS_EVENT_RESTART] = CS_SETTING_RESTART,           [CS_EVENT_WINDOW] = CS_SETTING_WINDOW,
    [CS_EVENT_AT_ONCE] = CS_SETTING_AT_ONCE,           [CS_EVENT_MOST] = CS_SETTING_EVENTS_MOST,
};

enum cs_setting cs_slots_event_setting(enum cs_event_number number) {
  return event_setting_of[number];
}

enum cs_setting cs_slots_control_setting(enum cs_control_number number) {
  return setting_of[number];
}

static enum cs_control control_of(double value) {
  return value < CS_USER_CONTROL ? (enum cs_control)value : CS_USER_CONTROL;
}

unsigned cs_slots_controls(const struct cs_slots *slots) {
  const struct cs_slot *slot = &slots->slot[CS_SETTING_CONTROL];
  unsigned controls = 0;
  for (size_t i = 0; i < (slot->values != NULL ? slot->length : 1); i++)
    controls |= 1U << control_of(slot->values != NULL ? slot->values[i] : slot->value);
  if (slots->study == CS_STABILITY) { /* which analyses given steps; check_control refuses others */
    const unsigned given = controls & (1U << CS_FIXED | 1U << CS_CYCLE);
    return given != 0 ? given : 1U << CS_FIXED;
  }
  return controls;
}

/* ---- what is taken ----------------------------------------------------------------------------------------------- */

static bool may_be(const struct cs_slot *slot, double value) {
  bool found = slot->values == NULL && slot->value == value;
  for (size_t i = 0; slot->values != NULL && i < slot->length; i++)
    found = found || slot->values[i] == value;
  return found;
}

/* Whether subsystem `s` may have a solver in some run. */
static bool may_solve(const struct cs_slots *slots, size_t s, enum cs_solver solver) {
  return may_be(&slots->slot[cs_slots_deciding(slots, s, CS_SETTING_SOLVER)], solver);
}

/* Whether it may have one that has the setting, which is one of solvers. */
static bool may_solve_with(const struct cs_slots *slots, size_t s, size_t setting) {
  if (setting == CS_SETTING_MEMORY) return may_solve(slots, s, CS_AB2) || may_solve(slots, s, CS_BDF2);
  return may_solve(slots, s, CS_DOPRI5);
}

bool cs_slots_may_be(const struct cs_slots *slots, enum cs_setting setting, double value) {
  return may_be(&slots->slot[setting], value);
}

bool cs_slots_set(const struct cs_slots *slots, enum cs_setting setting) {
  const struct cs_slot *slot = &slots->slot[setting];
  /* words that leave the choice to cosweep are NaN */
  bool usual =
      slot->node == NULL || isnan(slot->value) || slot->value == cs_setting_initial(&cs_setting_table[setting]);
  for (int c = 0; c < CS_CONTROLS; c++)
    usual = usual || slot->value == slots->with[setting][c];
  return slot->axis != NULL || !usual;
}

/* Whether some run may repeat its steps a given number of times. */
static bool may_relax(const struct cs_slots *slots) {
  bool found = false;
  for (int i = 1; i <= CS_MAX_ITERATIONS; i++)
    found = found || may_be(&slots->slot[CS_SETTING_ITERATIONS], i);
  return found;
}

static bool may_tolerate(const struct cs_slots *slots) {
  return may_be(&slots->slot[CS_SETTING_ITERATIONS], CS_TOLERANCE);
}

bool cs_slots_repeat(const struct cs_slots *slots) {
  return may_relax(slots) || may_be(&slots->slot[CS_SETTING_ITERATIONS], CS_CONVERGED);
}

bool cs_slots_rate(const struct cs_slots *slots) {
  bool found = false;
  for (size_t s = 0; s < slots->model->subsystems; s++) {
    const struct cs_slot *slot = &slots->slot[cs_slots_subsystem(s, CS_SETTING_RATE)];
    for (size_t i = 0; cs_slot_given(slot) && i < (slot->values != NULL ? slot->length : 1); i++)
      found = found || (slot->values != NULL ? slot->values[i] : slot->value) > 1;
  }
  return found;
}

bool cs_slots_keep(const struct cs_slots *slots) {
  bool found = false;
  for (size_t s = 0; s < slots->model->subsystems; s++)
    found = found || (may_solve_with(slots, s, CS_SETTING_MEMORY) &&
                      may_be(&slots->slot[cs_slots_deciding(slots, s, CS_SETTING_MEMORY)], CS_MEMORY_KEEP));
  return found;
}

bool cs_slots_are_eventful(const struct cs_slots *slots) {
  static const enum cs_setting settings[] = {CS_SETTING_INTERRUPTION, CS_SETTING_GRID, CS_SETTING_RESTART};
  bool eventful = cs_model_is_eventful(slots->model);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    eventful = eventful || (slots->model->events > 0 && cs_slots_set(slots, settings[i]));
  return eventful;
}

bool cs_slots_adapt(const struct cs_slots *slots, size_t subsystem) {
  return slots->model->subsystem[subsystem].states > 0 && may_solve(slots, subsystem, CS_DOPRI5);
}

/* Whether the model has the events that a setting is about. */
static bool has_events(const struct cs_model *model, const struct cs_setting_info *info) {
  return info->events == CS_SETTING_ANYWAY ||
         (info->events == CS_SETTING_ANY_EVENTS ? model->events : model->state_events) > 0;
}

static bool is_of_tolerance(size_t setting) {
  return setting == CS_SETTING_ACCELERATION || setting == CS_SETTING_TOLERANCE_ITERATIONS ||
         setting == CS_SETTING_ITERATIONS_MAX;
}

static bool is_of_fit(size_t setting) {
  return setting == CS_SETTING_POINTS || setting == CS_SETTING_WEIGHT;
}

bool cs_slots_use(const struct cs_slots *slots, size_t slot) {
  const size_t setting = slot % CS_SETTINGS, of = slot / CS_SETTINGS;
  const struct cs_setting_info *info = &cs_setting_table[setting];
  if (slot >= cs_slots_parameter(slots, 0)) return true;
  if (!has_events(slots->model, info)) return false;
  if (setting == CS_SETTING_HORIZON)
    return may_be(&slots->slot[CS_SETTING_FIRST], CS_FIRST_PREDICTED) ||
           may_be(&slots->slot[CS_SETTING_FIRST], CS_FIRST_PARALLEL);
  if (setting == CS_SETTING_TOLERANCE || setting == CS_SETTING_MEMORY) {
    bool used = false;
    for (size_t s = 0; s < slots->model->subsystems; s++)
      used = used || ((of == 0 || of == 1 + s) && may_solve_with(slots, s, setting));
    return used;
  }
  if (setting == CS_SETTING_RELAXATION) return may_relax(slots) || may_tolerate(slots);
  if (is_of_tolerance(setting)) return may_tolerate(slots);
  if (setting == CS_SETTING_LINES) return slots->model->lines > 0;
  if (is_of_fit(setting)) return may_be(&slots->slot[CS_SETTING_HOLD], CS_LEAST_SQUARES);
  if (setting == CS_SETTING_BONDS && slots->energies) return true;
  const unsigned controls = cs_slots_controls(slots);
  bool used = !info->by_control;
  for (int c = 0; c < CS_CONTROLS && info->by_control; c++)
    used = used || (controls >> c & 1 && info->with[c] != NULL);
  return used;
}

/* "control fixed", "controls pi_defect, richardson": those of the sweep, or only those that require `info`. Returns how
 * many. */
static size_t add_controls(const struct cs_slots *slots, const struct cs_setting_info *info, struct cs_text *text) {
  const char *names[CS_CONTROLS];
  const unsigned controls = cs_slots_controls(slots);
  size_t count = 0;
  for (int c = 0; c < CS_CONTROLS; c++)
    if (controls >> c & 1 && (info == NULL || (info->with[c] != NULL && !*info->with[c])))
      names[count++] = cs_method_control_name((enum cs_control)c);
  cs_text_add(text, "control%s", count > 1 ? "s" : "");
  for (size_t i = 0; i < count; i++)
    cs_text_add(text, "%s%s", i ? ", " : " ", names[i]);
  return count;
}

/* Why no run uses a setting of method.events, after "has no effect with". */
static void add_event_reason(const struct cs_slots *slots, const struct cs_setting_info *info, struct cs_text *wrong) {
  if (!has_events(slots->model, info)) {
    const char *kind = info->events == CS_SETTING_STATE_EVENTS ? "state events" : "events";
    cs_text_add(wrong, "out %s; want none, or a model with %s", kind, kind);
  } else if (!info->by_control) {
    cs_text_add(wrong, "out first predicted or parallel; want none, or one of these");
  } else {
    cs_text_add(wrong, " ");
    add_controls(slots, NULL, wrong);
    cs_text_add(wrong, "; want none, or %s", info->with[CS_FIXED] != NULL ? "control fixed" : "another control");
  }
}

/* A setting that no run uses is an error, at its place in the file or at the path of its axis. */
static int fail_unused(const struct cs_slots *slots, const struct cs_json *json, size_t slot, struct cs_error *error) {
  const struct cs_setting_info *info = &cs_setting_table[slot % CS_SETTINGS];
  const struct cs_slot *unused = &slots->slot[slot];
  const struct cs_node *place = unused->axis != NULL ? unused->path : unused->node;
  const bool key = unused->axis == NULL || cs_json_kind(place) != CS_STRING; /* a path of a zip axis is a key */
  struct cs_text wrong = {0};
  if (unused->axis != NULL) cs_text_add(&wrong, "path \"%s\" ", key ? cs_json_key(place) : cs_json_string(place));
  if (slot == CS_SETTING_RELAXATION) {
    cs_text_add(&wrong, "means nothing without iterations; want none, or iterations from 1 to %d or \"tolerance\"",
                CS_MAX_ITERATIONS);
    return cs_json_fail_text(json, place, key, &wrong, error);
  }
  if (is_of_tolerance(slot) || is_of_fit(slot) || slot == CS_SETTING_LINES) {
    cs_text_add(&wrong, "means nothing without %s",
                is_of_fit(slot)            ? "hold least_squares; want none, or this hold"
                : slot == CS_SETTING_LINES ? "lines in the model; want none, or a model with lines"
                                           : "iterations \"tolerance\"; want none, or these");
    return cs_json_fail_text(json, place, key, &wrong, error);
  }
  cs_text_add(&wrong, "has no effect with");
  if (slot % CS_SETTINGS == CS_SETTING_TOLERANCE) {
    cs_text_add(&wrong, "out solver dopri5; want none, or solver dopri5");
  } else if (slot % CS_SETTINGS == CS_SETTING_MEMORY) {
    cs_text_add(&wrong, "out solver ab2 or bdf2; want none, or one of these");
  } else if (info->events != CS_SETTING_ANYWAY) {
    add_event_reason(slots, info, &wrong);
  } else {
    const char *separator = "; want one of: ";
    cs_text_add(&wrong, " ");
    add_controls(slots, NULL, &wrong);
    for (size_t i = 0; i < CS_SETTINGS; i++) {
      if (strncmp(cs_setting_table[i].path, "method.step.", 12) == 0 && cs_slots_use(slots, i)) {
        cs_text_add(&wrong, "%s%s", separator,
                    unused->axis != NULL ? cs_setting_table[i].path : cs_setting_name(&cs_setting_table[i]));
        separator = ", ";
      }
    }
  }
  return cs_json_fail_text(json, place, key, &wrong, error);
}

static bool is_needed(const struct cs_slots *slots, const struct cs_setting_info *info) {
  const unsigned controls = cs_slots_controls(slots);
  bool needed = !info->by_control && info->initial == NULL;
  for (int c = 0; c < CS_CONTROLS && info->by_control; c++)
    needed = needed || (controls >> c & 1 && info->with[c] != NULL && !*info->with[c]);
  return needed;
}

static int fail_missing(const struct cs_slots *slots, const struct cs_json *json, enum cs_setting setting,
                        struct cs_error *error) {
  const struct cs_setting_info *info = cs_slots_info(slots, setting);
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "%s is not given", info->path);
  if (cs_slots_controls(slots) != 1U << CS_FIXED && cs_setting_table[setting].by_control) {
    cs_text_add(&wrong, ", as ");
    const size_t count = add_controls(slots, &cs_setting_table[setting], &wrong);
    cs_text_add(&wrong, count > 1 ? " need it" : " needs it");
  }
  cs_text_add(&wrong, "; want ");
  cs_setting_want(info, false, &wrong);
  cs_text_add(&wrong, ", or an axis over it");
  return cs_json_fail_text(json, cs_json_root(json), false, &wrong, error);
}

int cs_slots_require(const struct cs_slots *slots, const struct cs_json *json, struct cs_error *error) {
  for (size_t i = 0; i < cs_slots_parameter(slots, 0); i++) {
    const struct cs_slot *slot = &slots->slot[i];
    if ((slot->node != NULL || slot->axis != NULL) && !cs_slots_use(slots, i))
      return fail_unused(slots, json, i, error);
  }
  for (size_t i = 0; i < CS_SETTINGS; i++) {
    const struct cs_slot *slot = &slots->slot[i];
    bool needed = cs_slots_take(slots, (enum cs_setting)i) && is_needed(slots, &cs_setting_table[i]);
    if (needed && isnan(slot->value) && slot->axis == NULL) return fail_missing(slots, json, (enum cs_setting)i, error);
  }
  return CS_OK;
}

/* ---- the numbers of a run ---------------------------------------------------------------------------------------- */

/* A setting with a control: `value` if given, else the default; NaN if the control does not use it. */
static double resolve(const struct cs_slots *slots, enum cs_setting setting, enum cs_control control, double value) {
  const struct cs_setting_info *info = &cs_setting_table[setting];
  if (setting == CS_SETTING_BONDS && slots->energies) return value;
  if (info->by_control && info->with[control] == NULL) return NAN;
  return isnan(value) && info->by_control ? slots->with[setting][control] : value;
}

/* The index of a word or item that selects a kernel. */
static unsigned short resolve_choice(const struct cs_slots *slots, enum cs_setting setting, enum cs_control control,
                                     double value) {
  const double choice = resolve(slots, setting, control, value);
  return (unsigned short)(isnan(choice) ? 0 : choice);
}

/* From `user` on, choices of master and control are fragments. */
static void split_user(unsigned short user, unsigned short *choice, unsigned short *number) {
  *number = (unsigned short)(*choice < user ? 0 : *choice - user);
  if (*choice > user) *choice = user;
}

void cs_slots_control(const struct cs_slots *slots, const double *value, struct cs_settings *settings) {
  struct cs_method *method = &settings->method;
  double *number = settings->control;
  const enum cs_control control = control_of(value[CS_SETTING_CONTROL]);
#define CHOOSE(name, setting) \
  method->name = resolve_choice(slots, CS_SETTING_##setting, control, value[CS_SETTING_##setting]);
  CS_METHOD_FIELDS(CHOOSE)
#undef CHOOSE
  split_user(CS_USER, &method->master, &method->user);
  split_user(CS_USER_CONTROL, &method->control, &method->user_control);
  if (method->iterations == CS_CONVERGED && method->master == CS_GAUSS_SEIDEL)
    method->master = CS_JACOBI; /* a fixed point is one, however it is reached */
  if (method->master != CS_GAUSS_SEIDEL) method->sequence = 0;
  if (method->iterations == CS_CONVERGED) method->jacobian = CS_JACOBIAN_NONE;
  if (method->hold != CS_WAVEFORM) method->nodes = CS_LOBATTO;
  if (!cs_method_fits(method)) method->points = 0;
  const bool tolerates = cs_method_tolerates(method);
  if (!tolerates) method->acceleration = CS_ACCELERATION_NONE;
  settings->repetition[CS_REPETITION_TOLERANCE] = tolerates ? value[CS_SETTING_TOLERANCE_ITERATIONS] : 0;
  settings->repetition[CS_REPETITION_MOST] = tolerates ? value[CS_SETTING_ITERATIONS_MAX] : 0;
  if (method->detect == CS_DETECT_POINTS) method->reset = CS_RESET_JOINT; /* no event ends a step inside */
  for (int i = 0; i < CS_CONTROL_NUMBERS; i++)
    number[i] = resolve(slots, setting_of[i], control, value[setting_of[i]]);
  if (isnan(number[CS_CONTROL_UNDERFLOW])) number[CS_CONTROL_UNDERFLOW] = 1e-13 * value[CS_SETTING_T_END];
  for (int i = 0; i < CS_EVENT_NUMBERS; i++)
    settings->event[i] = resolve(slots, event_setting_of[i], control, value[event_setting_of[i]]);
  if (isnan(settings->event[CS_EVENT_RESTART])) settings->event[CS_EVENT_RESTART] = INFINITY;
  if (isnan(settings->event[CS_EVENT_WINDOW])) settings->event[CS_EVENT_WINDOW] = value[CS_SETTING_T_END] / 50;
  settings->step_size = NAN;
  if (control == CS_FIXED || control == CS_CYCLE) {
    settings->step_size = number[CS_CONTROL_INITIAL] = value[CS_SETTING_STEP_SIZE];
    number[CS_CONTROL_MIN] = 0;
    number[CS_CONTROL_MAX] = INFINITY;
  }
}
