/* What one run is: slots at a run, and the methods they make. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "method.h"
#include "sweep_private.h"

static double slot_value(const struct cs_slot *slot, size_t run) {
  return slot->values != NULL ? slot->values[run / slot->stride % slot->length] : slot->value;
}

static double subsystem_value(const struct cs_slots *slots, size_t subsystem, enum cs_setting setting, size_t run) {
  return slot_value(&slots->slot[cs_slots_deciding(slots, subsystem, setting)], run);
}

void cs_slots_settings(const struct cs_slots *slots, size_t run, struct cs_settings *settings) {
  double value[CS_SETTINGS];
  for (size_t i = 0; i < CS_SETTINGS; i++)
    value[i] = slot_value(&slots->slot[i], run);
  struct cs_method *method = &settings->method;
  const double master = value[CS_SETTING_MASTER];
  method->master = (unsigned char)(master < CS_USER ? master : CS_USER);
  method->user = (unsigned short)(master < CS_USER ? 0 : master - CS_USER);
  method->sequence = (unsigned short)(master == CS_GAUSS_SEIDEL ? value[CS_SETTING_SEQUENCE] : 0);
  method->iterations = (unsigned char)value[CS_SETTING_ITERATIONS];
  method->hold = (unsigned char)value[CS_SETTING_HOLD];
  method->feedthrough = (unsigned char)value[CS_SETTING_FEEDTHROUGH];
  method->start = (unsigned char)value[CS_SETTING_START];
  method->error_at = (unsigned char)value[CS_SETTING_ERROR_AT];
  method->engine = (unsigned char)value[CS_SETTING_ENGINE];
  cs_slots_control(slots, value, settings);
  settings->max_steps = value[CS_SETTING_MAX_STEPS];
  settings->t_end = value[CS_SETTING_T_END];
  for (size_t s = 0; s < slots->model->subsystems; s++) {
    struct cs_subsystem_method *own = &method->subsystem[s];
    memset(own, 0, sizeof *own);
    own->solver = (unsigned char)subsystem_value(slots, s, CS_SETTING_SOLVER, run);
    own->input_order = (unsigned char)subsystem_value(slots, s, CS_SETTING_INPUT_ORDER, run);
    own->output_order = (unsigned char)subsystem_value(slots, s, CS_SETTING_OUTPUT_ORDER, run);
    /* what is reconstructed of outputs is measured, it does not act on the runs; exchanged derivatives do */
    if (slots->study == CS_STABILITY && method->hold != CS_TAYLOR) own->output_order = 0;
    /* 0 is "auto"; the exact flow is the same in one step, dopri5 chooses its own. */
    double micro_steps = subsystem_value(slots, s, CS_SETTING_MICRO_STEPS, run);
    if (own->solver == CS_EXACT || own->solver == CS_DOPRI5)
      micro_steps = 1;
    else if (micro_steps == 0)
      micro_steps = own->solver == CS_EULER ? 1 : 2;
    own->micro_steps = (unsigned short)micro_steps;
    settings->tolerance[s] = own->solver == CS_DOPRI5 ? subsystem_value(slots, s, CS_SETTING_TOLERANCE, run) : NAN;
  }
  for (size_t p = 0; p < slots->model->parameters; p++) {
    const struct cs_slot *slot = &slots->slot[cs_slots_parameter(slots, p)];
    settings->given[p] = cs_slot_given(slot);
    settings->parameters[p] = slot_value(slot, run);
  }
}

static const char *word(enum cs_setting setting, unsigned value) {
  return cs_setting_table[setting].words[value];
}

int cs_settings_new(const struct cs_sweep *sweep, struct cs_settings *settings, struct cs_error *error) {
  size_t subsystems = sweep->model->subsystems, parameters = sweep->model->parameters;
  memset(settings, 0, sizeof *settings);
  settings->method.subsystem = calloc(subsystems + 1, sizeof *settings->method.subsystem);
  settings->tolerance = calloc(subsystems + 1, sizeof *settings->tolerance);
  settings->parameters = calloc(parameters + 1, sizeof *settings->parameters);
  settings->given = calloc(parameters + 1, sizeof *settings->given);
  if (settings->method.subsystem == NULL || settings->tolerance == NULL || settings->parameters == NULL ||
      settings->given == NULL) {
    cs_settings_free(settings);
    return cs_error_memory(error);
  }
  return CS_OK;
}

void cs_settings_free(struct cs_settings *settings) {
  free(settings->method.subsystem);
  free(settings->tolerance);
  free(settings->parameters);
  free(settings->given);
  memset(settings, 0, sizeof *settings);
}

void cs_sweep_settings(const struct cs_sweep *sweep, size_t run, struct cs_settings *settings) {
  cs_slots_settings(&sweep->private_->slots, run, settings);
  settings->skipped = cs_skips_match(&sweep->private_->skips, run);
}

void cs_sweep_settings_at(const struct cs_sweep *sweep, size_t run, const size_t *axis, const double *value,
                          size_t axes, struct cs_settings *settings) {
  cs_sweep_settings(sweep, run, settings);
  for (size_t a = 0; a < axes; a++)
    cs_axis_set(&sweep->axis[axis[a]], &sweep->private_->slots, value[a], settings);
}

bool cs_method_equal(const struct cs_sweep *sweep, const struct cs_method *a, const struct cs_method *b) {
  return a->master == b->master && a->hold == b->hold && a->feedthrough == b->feedthrough && a->start == b->start &&
         a->control == b->control && a->iterations == b->iterations && a->sequence == b->sequence &&
         a->user == b->user && a->end == b->end && a->estimate == b->estimate && a->norm == b->norm &&
         a->bonds == b->bonds && a->signal == b->signal && a->user_control == b->user_control &&
         a->error_at == b->error_at && a->engine == b->engine &&
         memcmp(a->subsystem, b->subsystem, sweep->model->subsystems * sizeof *a->subsystem) == 0;
}

static void describe_master(const struct cs_sweep *sweep, const struct cs_method *method, struct cs_text *text) {
  const struct cs_model *model = sweep->model;
  if (method->master == CS_USER) {
    cs_text_add(text, "%s, ", sweep->masters->user[method->user].path);
  } else if (method->master != CS_JACOBI) {
    cs_text_add(text, "%s", word(CS_SETTING_MASTER, method->master));
    for (size_t s = 0; s < model->subsystems; s++) {
      const size_t next = sweep->masters->sequence[method->sequence][s];
      cs_text_add(text, "%s%s%s", s ? ", " : " (", model->subsystem[next].name, s + 1 < model->subsystems ? "" : "), ");
    }
  }
  if (method->iterations > 0)
    cs_text_add(text, "%u iteration%s, ", method->iterations, method->iterations > 1 ? "s" : "");
}

static void describe_orders(const struct cs_subsystem_method *method, struct cs_text *text) {
  if (method->input_order == method->output_order)
    cs_text_add(text, "order %u", method->input_order);
  else
    cs_text_add(text, "input order %u, output order %u", method->input_order, method->output_order);
}

static void describe_control(const struct cs_sweep *sweep, const struct cs_method *method, struct cs_text *text) {
  const struct cs_controls *controls = sweep->controls;
  if (method->control != CS_FIXED) {
    const bool own = method->control == CS_USER_CONTROL;
    cs_text_add(text, ", control %s",
                own ? controls->user[method->user_control].path : cs_control_name(method->control));
  }
  if (method->control == CS_PI_ECCO) {
    const size_t bonds = controls->list[method->bonds].bonds;
    cs_text_add(text, " of %zu bond%s", bonds, bonds > 1 ? "s" : "");
  }
  if (method->control == CS_THRESHOLD) cs_text_add(text, " of %s", sweep->model->output[method->signal].name);
  if (method->end != CS_END_EXACT) cs_text_add(text, ", end %s", word(CS_SETTING_END, method->end));
  if (method->estimate != CS_ESTIMATE_PLAIN)
    cs_text_add(text, ", estimate %s", word(CS_SETTING_ESTIMATE, method->estimate));
  if (method->norm != CS_NORM_RMS) cs_text_add(text, ", norm %s", word(CS_SETTING_NORM, method->norm));
}

static void describe_solver(const struct cs_subsystem_method *method, struct cs_text *text) {
  cs_text_add(text, "%s", word(CS_SETTING_SOLVER, method->solver));
  if (method->micro_steps > 1) cs_text_add(text, " in %u micro steps", method->micro_steps);
}

void cs_method_describe(const struct cs_sweep *sweep, const struct cs_method *method, struct cs_text *text) {
  const struct cs_model *model = sweep->model;
  const struct cs_subsystem_method *own = method->subsystem;
  bool uniform = true;
  for (size_t s = 1; s < model->subsystems; s++)
    uniform = uniform && memcmp(&own[s], &own[0], sizeof own[0]) == 0;
  describe_master(sweep, method, text);
  cs_text_add(text, "%s, ", word(CS_SETTING_HOLD, method->hold));
  if (uniform) {
    describe_orders(&own[0], text);
    cs_text_add(text, ", ");
  }
  cs_text_add(text, "%s", word(CS_SETTING_FEEDTHROUGH, method->feedthrough));
  if (sweep->study == CS_SIMULATION) cs_text_add(text, ", %s", word(CS_SETTING_START, method->start));
  for (size_t s = 0; s < (uniform ? 1 : model->subsystems); s++) {
    cs_text_add(text, ", ");
    if (!uniform) {
      cs_text_add(text, "%s (", model->subsystem[s].name);
      describe_orders(&own[s], text);
      cs_text_add(text, ", ");
    }
    describe_solver(&own[s], text);
    cs_text_add(text, uniform ? "" : ")");
  }
  describe_control(sweep, method, text);
  if (method->error_at != CS_CONTINUOUS) cs_text_add(text, ", errors at points");
  if (method->engine != CS_AUTO) cs_text_add(text, ", engine %s", word(CS_SETTING_ENGINE, method->engine));
}
