#include "settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "sweep_private.h"

static double slot_value(const struct cs_slot *slot, size_t run) {
  return slot->values != NULL ? slot->values[run / slot->stride % slot->length] : slot->value;
}

static double subsystem_value(const struct cs_slots *slots, size_t subsystem, enum cs_setting setting, size_t run) {
  return slot_value(&slots->slot[cs_slots_deciding(slots, subsystem, setting)], run);
}

/* Parameters of the run's master: from the axis, or else from the file. */
static void evaluate_own(const struct cs_slots *slots, size_t run, struct cs_settings *settings) {
  const struct cs_user_fragments *user = &slots->lists.masters.user;
  for (size_t i = 0; i < user->names; i++) {
    const struct cs_slot *slot = &slots->slot[cs_slots_own(slots, i)];
    const double given = settings->method.master == CS_USER ? user->item[settings->method.user].own[i] : NAN;
    settings->own[i] = slot->axis != NULL && !isnan(given) ? slot_value(slot, run) : given;
  }
}

/* Fills all of `settings` except `skipped`. */
static void evaluate(const struct cs_slots *slots, size_t run, struct cs_settings *settings) {
  double value[CS_SETTINGS];
  for (size_t i = 0; i < CS_SETTINGS; i++)
    value[i] = slot_value(&slots->slot[i], run);
  cs_slots_control(slots, value, settings);
  evaluate_own(slots, run, settings);
  settings->max_steps = value[CS_SETTING_MAX_STEPS];
  settings->relaxation = cs_method_relaxes(&settings->method) ? value[CS_SETTING_RELAXATION]
                         : cs_method_fits(&settings->method)  ? value[CS_SETTING_WEIGHT]
                                                              : 1;
  settings->t_end = value[CS_SETTING_T_END];
  for (size_t s = 0; s < slots->model->subsystems; s++) {
    struct cs_subsystem_method *own = &settings->method.subsystem[s];
    memset(own, 0, sizeof *own);
    own->solver = (unsigned char)subsystem_value(slots, s, CS_SETTING_SOLVER, run);
    own->input_order = (unsigned char)subsystem_value(slots, s, CS_SETTING_INPUT_ORDER, run);
    own->output_order = (unsigned char)subsystem_value(slots, s, CS_SETTING_OUTPUT_ORDER, run);
    own->latency = (unsigned char)subsystem_value(slots, s, CS_SETTING_LATENCY, run);
    own->rate = (unsigned char)subsystem_value(slots, s, CS_SETTING_RATE, run);
    settings->compensation[s] = subsystem_value(slots, s, CS_SETTING_COMPENSATION, run);
    own->compensates = settings->compensation[s] > 0;
    /* reconstructed outputs are only measured and do not act on a run; exchanged derivatives do */
    if (slots->study == CS_STABILITY && !cs_method_sends_slopes(&settings->method)) own->output_order = 0;
    /* 0 is "auto". The exact flow needs one step; dopri5 chooses its own. */
    double micro_steps = subsystem_value(slots, s, CS_SETTING_MICRO_STEPS, run);
    if (own->solver == CS_EXACT || own->solver == CS_DOPRI5)
      micro_steps = 1;
    else if (micro_steps == 0)
      micro_steps = own->solver == CS_EULER ? 1 : 2;
    own->micro_steps = (unsigned short)micro_steps;
    own->keeps =
        cs_method_remembers(own->solver) && subsystem_value(slots, s, CS_SETTING_MEMORY, run) == CS_MEMORY_KEEP;
    settings->tolerance[s] = own->solver == CS_DOPRI5 ? subsystem_value(slots, s, CS_SETTING_TOLERANCE, run) : NAN;
  }
  for (size_t p = 0; p < slots->model->parameters; p++) {
    const struct cs_slot *slot = &slots->slot[cs_slots_parameter(slots, p)];
    settings->given[p] = cs_slot_given(slot);
    settings->parameters[p] = slot_value(slot, run);
  }
  for (size_t s = 0; s < slots->model->subsystems; s++) {
    const double mode = slot_value(&slots->slot[cs_slots_mode(slots, s)], run);
    settings->mode[s] = isnan(mode) ? SIZE_MAX : (size_t)mode;
  }
}

int cs_settings_new(const struct cs_sweep *sweep, struct cs_settings *settings, struct cs_error *error) {
  size_t subsystems = sweep->model->subsystems, parameters = sweep->model->parameters;
  memset(settings, 0, sizeof *settings);
  settings->method.subsystem = calloc(subsystems + 1, sizeof *settings->method.subsystem);
  settings->tolerance = calloc(subsystems + 1, sizeof *settings->tolerance);
  settings->compensation = calloc(subsystems + 1, sizeof *settings->compensation);
  settings->parameters = calloc(parameters + 1, sizeof *settings->parameters);
  settings->given = calloc(parameters + 1, sizeof *settings->given);
  settings->mode = calloc(subsystems + 1, sizeof *settings->mode);
  if (settings->method.subsystem == NULL || settings->tolerance == NULL || settings->compensation == NULL ||
      settings->parameters == NULL || settings->given == NULL || settings->mode == NULL) {
    cs_settings_free(settings);
    return cs_error_memory(error);
  }
  return CS_OK;
}

void cs_settings_free(struct cs_settings *settings) {
  free(settings->method.subsystem);
  free(settings->tolerance);
  free(settings->compensation);
  free(settings->parameters);
  free(settings->given);
  free(settings->mode);
  memset(settings, 0, sizeof *settings);
}

/* Whether the settings of one run could be turned into those of another. */
static bool move(const struct cs_sweep *sweep, size_t from, size_t to, struct cs_settings *settings) {
  for (size_t a = 0; a < sweep->axes; a++)
    if (!cs_axis_move(&sweep->axis[a], &sweep->private_->slots, from, to, settings)) return false;
  return true;
}

void cs_settings_of(const struct cs_sweep *sweep, size_t run, struct cs_settings *settings) {
  const size_t number = sweep->first + run; /* in the whole sweep */
  if (settings->known == 0 || !move(sweep, settings->known - 1, number, settings))
    evaluate(&sweep->private_->slots, number, settings);
  settings->known = number + 1;
  settings->skipped = cs_skips_match(&sweep->private_->skips, number);
}

void cs_settings_at(const struct cs_sweep *sweep, size_t run, const size_t *axis, const double *value, size_t axes,
                    struct cs_settings *settings) {
  cs_settings_of(sweep, run, settings);
  for (size_t a = 0; a < axes; a++)
    cs_axis_set(&sweep->axis[axis[a]], &sweep->private_->slots, value[a], settings);
}

/* ---- whether its numbers mean anything --------------------------------------------------------------------------- */

static bool check_relaxation(const struct cs_settings *settings, struct cs_text *reason) {
  const double value = settings->relaxation, most = cs_setting_table[CS_SETTING_RELAXATION].most;
  if (cs_method_fits(&settings->method)) {
    if (value > 0 && value <= 1) return true;
    cs_text_add(reason, "method.weight %g is not above 0 and up to 1", value);
    return false;
  }
  if (value > 0 && value < most) return true;
  cs_text_add(reason, "method.relaxation %g is not between 0 and %g", value, most);
  return false;
}

/* What is wrong with a number of a run, by the kind of its setting, or NULL. Numbers given directly in the file are
 * checked when it is read. */
static const char *flaw(enum cs_setting_kind kind, double value) {
  const bool positive = kind == CS_SETTING_POSITIVE, bounded = positive || kind == CS_SETTING_NOT_NEGATIVE;
  if (isfinite(value) && (positive ? value > 0 : !bounded || value >= 0)) return NULL;
  return positive ? "not above 0" : bounded ? "below 0" : "not finite";
}

static bool check_number(const char *path, enum cs_setting_kind kind, double value, struct cs_text *reason) {
  const char *wrong = flaw(kind, value);
  if (wrong != NULL) cs_text_add(reason, "%s %g is %s", path, value, wrong);
  return wrong == NULL;
}

static bool check_setting(enum cs_setting setting, double value, struct cs_text *reason) {
  return check_number(cs_setting_table[setting].path, cs_setting_table[setting].kind, value, reason);
}

/* Fails if `least` is above `most`. */
static bool check_range(const struct cs_settings *settings, enum cs_control_number least, enum cs_control_number most,
                        struct cs_text *reason) {
  if (!(settings->control[least] > settings->control[most])) return true;
  cs_text_add(reason, "%s %g is above %s %g", cs_setting_table[cs_slots_control_setting(least)].path,
              settings->control[least], cs_setting_table[cs_slots_control_setting(most)].path, settings->control[most]);
  return false;
}

static bool check_numbers(const struct cs_settings *settings, struct cs_text *reason) {
  for (int i = 0; i < CS_CONTROL_NUMBERS; i++) {
    const enum cs_control_number number = (enum cs_control_number)i;
    const double value = settings->control[i];
    const bool unlimited = value == INFINITY && (number == CS_CONTROL_MAX || number == CS_CONTROL_GROWTH_MAX);
    if (!isnan(value) && !unlimited && !check_setting(cs_slots_control_setting(number), value, reason)) return false;
  }
  if (settings->control[CS_CONTROL_ATOL] == 0 && settings->control[CS_CONTROL_RTOL] == 0) {
    cs_text_add(reason, "method.step.atol and method.step.rtol are both 0");
    return false;
  }
  return check_range(settings, CS_CONTROL_MIN, CS_CONTROL_MAX, reason) &&
         check_range(settings, CS_CONTROL_SHRINK_MAX, CS_CONTROL_GROWTH_MAX, reason);
}

static bool check_events(const struct cs_settings *settings, struct cs_text *reason) {
  for (int i = 0; i < CS_EVENT_NUMBERS; i++) {
    const enum cs_setting setting = cs_slots_event_setting((enum cs_event_number)i);
    const double value = settings->event[i], least = cs_setting_table[setting].least;
    if (cs_setting_table[setting].kind == CS_SETTING_INTEGER && value < least) {
      cs_text_add(reason, "%s %g is below %g", cs_setting_table[setting].path, value, least);
      return false;
    }
    if (!(value == INFINITY && i == CS_EVENT_RESTART) && !check_setting(setting, value, reason)) return false;
  }
  return true;
}

bool cs_settings_check(const struct cs_sweep *sweep, const struct cs_settings *settings, enum cs_study study,
                       struct cs_text *reason) {
  const bool stability = study == CS_STABILITY;
  const enum cs_setting_kind kind = stability ? CS_SETTING_NOT_NEGATIVE : CS_SETTING_POSITIVE;
  if (settings->method.control == CS_FIXED && !check_number("method.step.size", kind, settings->step_size, reason))
    return false;
  if (!check_relaxation(settings, reason)) return false;
  if (cs_method_tolerates(&settings->method) &&
      !check_setting(CS_SETTING_TOLERANCE_ITERATIONS, settings->repetition[CS_REPETITION_TOLERANCE], reason))
    return false;
  if (stability) return true;
  if (!check_setting(CS_SETTING_T_END, settings->t_end, reason) ||
      !(settings->method.control == CS_FIXED || check_numbers(settings, reason)) ||
      !(sweep->model->events == 0 || check_events(settings, reason)))
    return false;
  for (size_t s = 0; s < sweep->model->subsystems; s++) {
    const double tolerance = settings->tolerance[s];
    const char *wrong = isnan(tolerance) ? NULL : flaw(CS_SETTING_POSITIVE, tolerance);
    if (wrong == NULL) continue;
    cs_text_add(reason, "subsystem %s: tolerance %g is %s", sweep->model->subsystem[s].name, tolerance, wrong);
    return false;
  }
  return true;
}
