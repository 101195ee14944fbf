/* Methods as text, for messages. */
#include <string.h>

#include "setting.h"
#include "sweep.h"

static void describe_master(const struct cs_sweep *sweep, const struct cs_method *method, struct cs_text *text) {
  const struct cs_model *model = sweep->model;
  if (method->master == CS_USER) {
    cs_text_add(text, "%s, ", sweep->masters->user.item[method->user].path);
  } else if (method->master != CS_JACOBI) {
    cs_text_add(text, "%s", cs_setting_word(CS_SETTING_MASTER, method->master));
    for (size_t s = 0; s < model->subsystems; s++) {
      const size_t next = sweep->masters->sequence[method->sequence][s];
      cs_text_add(text, "%s%s", s ? ", " : " (", model->subsystem[next].name);
    }
    cs_text_add(text, "%s), ", method->sequence == CS_SEQUENCE_ALTERNATING ? ", alternating" : "");
  }
  if (method->iterations == CS_CONVERGED)
    cs_text_add(text, "iterations converged, ");
  else if (cs_method_tolerates(method))
    cs_text_add(text, "iterations to a tolerance%s%s, ", method->acceleration != CS_ACCELERATION_NONE ? ", " : "",
                method->acceleration != CS_ACCELERATION_NONE
                    ? cs_setting_word(CS_SETTING_ACCELERATION, method->acceleration)
                    : "");
  else if (method->iterations > 0)
    cs_text_add(text, "%u iteration%s, ", method->iterations, method->iterations > 1 ? "s" : "");
  if (method->jacobian > 0) cs_text_add(text, "jacobian %s, ", cs_setting_word(CS_SETTING_JACOBIAN, method->jacobian));
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
                own ? controls->user.item[method->user_control].path : cs_method_control_name(method->control));
  }
  if (method->control == CS_PI_ECCO) {
    const size_t bonds = controls->list[method->bonds].bonds;
    cs_text_add(text, " of %zu bond%s", bonds, bonds > 1 ? "s" : "");
  }
  if (method->control == CS_THRESHOLD) cs_text_add(text, " of %s", sweep->model->output[method->signal].name);
  if (method->end != CS_END_EXACT) cs_text_add(text, ", end %s", cs_setting_word(CS_SETTING_END, method->end));
  if (method->estimate != CS_ESTIMATE_PLAIN)
    cs_text_add(text, ", estimate %s", cs_setting_word(CS_SETTING_ESTIMATE, method->estimate));
  if (method->norm != CS_NORM_RMS) cs_text_add(text, ", norm %s", cs_setting_word(CS_SETTING_NORM, method->norm));
  if (method->defects != CS_DEFECTS_BOTH)
    cs_text_add(text, ", defects %s", cs_setting_word(CS_SETTING_DEFECTS, method->defects));
}

static void describe_events(const struct cs_method *method, struct cs_text *text) {
  if (method->detect != CS_DETECT_ALL)
    cs_text_add(text, ", detect %s", cs_setting_word(CS_SETTING_DETECT, method->detect));
  if (method->reset != CS_RESET_JOINT)
    cs_text_add(text, ", reset %s", cs_setting_word(CS_SETTING_RESET, method->reset));
  if (method->grid != CS_GRID_RESTART) cs_text_add(text, ", grid %s", cs_setting_word(CS_SETTING_GRID, method->grid));
  if (method->first != CS_FIRST_SEQUENCE)
    cs_text_add(text, ", first %s", cs_setting_word(CS_SETTING_FIRST, method->first));
}

static void describe_solver(const struct cs_subsystem_method *method, struct cs_text *text) {
  if (method->latency > 0) cs_text_add(text, "latency %u, ", method->latency);
  if (method->rate > 1) cs_text_add(text, "rate %u, ", method->rate);
  if (method->compensates) cs_text_add(text, "compensation, ");
  cs_text_add(text, "%s", cs_setting_word(CS_SETTING_SOLVER, method->solver));
  if (method->keeps) cs_text_add(text, " with memory kept");
  if (method->micro_steps > 1) cs_text_add(text, " in %u micro steps", method->micro_steps);
}

void cs_sweep_describe_method(const struct cs_sweep *sweep, const struct cs_method *method, struct cs_text *text) {
  const struct cs_model *model = sweep->model;
  const struct cs_subsystem_method *own = method->subsystem;
  bool uniform = true;
  for (size_t s = 1; s < model->subsystems; s++)
    uniform = uniform && memcmp(&own[s], &own[0], sizeof own[0]) == 0;
  describe_master(sweep, method, text);
  cs_text_add(text, "%s%s, ", cs_setting_word(CS_SETTING_HOLD, method->hold),
              method->nodes == CS_EQUAL ? " at equal nodes" : "");
  if (cs_method_waves(method)) cs_text_add(text, "lines waves, ");
  if (cs_method_fits(method)) cs_text_add(text, "of %u points, ", method->points);
  if (uniform) {
    describe_orders(&own[0], text);
    cs_text_add(text, ", ");
  }
  if (method->continuity != CS_JUMPS)
    cs_text_add(text, "%s, ", cs_setting_word(CS_SETTING_CONTINUITY, method->continuity));
  cs_text_add(text, "%s", cs_setting_word(CS_SETTING_FEEDTHROUGH, method->feedthrough));
  if (sweep->study == CS_SIMULATION) cs_text_add(text, ", %s", cs_setting_word(CS_SETTING_START, method->start));
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
  describe_events(method, text);
  if (method->error_at != CS_CONTINUOUS) cs_text_add(text, ", errors at points");
  if (method->engine != CS_AUTO) cs_text_add(text, ", engine %s", cs_setting_word(CS_SETTING_ENGINE, method->engine));
}
