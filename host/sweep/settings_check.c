/* Whether settings mean anything: the method of a combination, before anything runs, and the numbers of one run. */
#include <math.h>

#include "method.h"

static const char *word(enum cs_setting setting, unsigned value) {
  return cs_setting_table[setting].words[value];
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

static bool check_master(const struct cs_method *method, size_t *blame, struct cs_text *wrong) {
  if (method->feedthrough == CS_REFRESH && method->hold != CS_TAYLOR) {
    *blame = CS_SETTING_FEEDTHROUGH;
    cs_text_add(wrong, "feedthrough refresh has no meaning with hold %s; want hold taylor",
                word(CS_SETTING_HOLD, method->hold));
    return false;
  }
  if (method->feedthrough == CS_REFRESH && (method->master != CS_JACOBI || method->iterations > 0)) {
    *blame = CS_SETTING_FEEDTHROUGH;
    cs_text_add(wrong,
                "feedthrough refresh is an exchange of master jacobi without iterations; want explicit or solved");
    return false;
  }
  if (method->master == CS_USER && method->iterations > 0) {
    *blame = CS_SETTING_ITERATIONS;
    cs_text_add(wrong, "a master of your own repeats steps itself; want iterations 0");
    return false;
  }
  return true;
}

static bool check_control(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                          struct cs_text *wrong) {
  const char *name = cs_control_name(method->control);
  if (slots->study == CS_STABILITY && method->control != CS_FIXED) {
    *blame = CS_SETTING_CONTROL;
    cs_text_add(wrong, "control %s changes the step size, of which study stability analyses one; want control fixed",
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
    cs_text_add(wrong, "engine double adds up equal steps, and control %s changes them; want engine auto or step",
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

bool cs_method_adapts(const struct cs_model *model, const struct cs_method *method, size_t s) {
  return method->subsystem[s].solver == CS_DOPRI5 && model->subsystem[s].states > 0;
}

static bool check_solver(const struct cs_slots *slots, const struct cs_method *method, size_t s, size_t *blame,
                         struct cs_text *wrong) {
  const struct cs_subsystem_method *own = &method->subsystem[s];
  const char *name = slots->model->subsystem[s].name;
  const bool adapts = cs_method_adapts(slots->model, method, s);
  if (own->micro_steps == 1 && own->solver != CS_EULER && own->solver != CS_EXACT && own->solver != CS_DOPRI5) {
    *blame = cs_slots_deciding(slots, s, CS_SETTING_MICRO_STEPS);
    cs_text_add(wrong, "one micro step has no midpoint with solver %s of subsystem %s; want an even number",
                word(CS_SETTING_SOLVER, own->solver), name);
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
  if (adapts && method->engine == CS_DOUBLE) {
    *blame = CS_SETTING_ENGINE;
    cs_text_add(wrong,
                "engine double multiplies matrices of steps, and with solver dopri5 of subsystem %s they have none; "
                "want engine auto or step",
                name);
    return false;
  }
  return true;
}

bool cs_slots_meaningful(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                         struct cs_text *wrong) {
  bool good = check_master(method, blame, wrong) && check_control(slots, method, blame, wrong);
  for (size_t s = 0; s < slots->model->subsystems && good; s++)
    good = check_solver(slots, method, s, blame, wrong);
  return good;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* What is wrong with a number of a run, by the kind of its setting; NULL: nothing. The file itself is held to that when
 * it is read. */
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

/* Where `least` is above `most`. */
static bool check_range(const struct cs_settings *settings, enum cs_control_number least, enum cs_control_number most,
                        struct cs_text *reason) {
  if (!(settings->control[least] > settings->control[most])) return true;
  cs_text_add(reason, "%s %g is above %s %g", cs_setting_table[cs_control_setting(least)].path,
              settings->control[least], cs_setting_table[cs_control_setting(most)].path, settings->control[most]);
  return false;
}

static bool check_numbers(const struct cs_settings *settings, struct cs_text *reason) {
  for (int i = 0; i < CS_CONTROL_NUMBERS; i++) {
    const enum cs_control_number number = (enum cs_control_number)i;
    const double value = settings->control[i];
    const bool unlimited = value == INFINITY && (number == CS_CONTROL_MAX || number == CS_CONTROL_GROWTH_MAX);
    if (!isnan(value) && !unlimited && !check_setting(cs_control_setting(number), value, reason)) return false;
  }
  if (settings->control[CS_CONTROL_ATOL] == 0 && settings->control[CS_CONTROL_RTOL] == 0) {
    cs_text_add(reason, "method.step.atol and method.step.rtol are both 0");
    return false;
  }
  return check_range(settings, CS_CONTROL_MIN, CS_CONTROL_MAX, reason) &&
         check_range(settings, CS_CONTROL_SHRINK_MAX, CS_CONTROL_GROWTH_MAX, reason);
}

bool cs_settings_check(const struct cs_sweep *sweep, const struct cs_settings *settings, enum cs_study study,
                       struct cs_text *reason) {
  const bool stability = study == CS_STABILITY;
  const enum cs_setting_kind kind = stability ? CS_SETTING_NOT_NEGATIVE : CS_SETTING_POSITIVE;
  if (settings->method.control == CS_FIXED && !check_number("method.step.size", kind, settings->step_size, reason))
    return false;
  if (stability) return true;
  if (!check_setting(CS_SETTING_T_END, settings->t_end, reason) ||
      !(settings->method.control == CS_FIXED || check_numbers(settings, reason)))
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
