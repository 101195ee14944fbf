#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model_read.h"

static void free_signals(struct cs_signal *signal, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(signal[i].name);
    free(signal[i].unit);
  }
  free(signal);
}

void cs_model_free(struct cs_model *model) {
  if (model == NULL) return;
  for (size_t i = 0; i < model->parameters; i++) {
    free(model->parameter[i].name);
    free(model->parameter[i].unit);
    free(model->parameter[i].description);
    cs_expr_free(model->parameter[i].value);
  }
  for (size_t i = 0; i < model->subsystems; i++) {
    free(model->subsystem[i].name);
    free(model->subsystem[i].description);
  }
  for (size_t i = 0; i < model->monitors; i++) {
    free(model->monitor[i].name);
    free(model->monitor[i].unit);
  }
  for (size_t i = 0; i < model->modes; i++) {
    free(model->mode[i].name);
    free(model->mode[i].description);
  }
  for (size_t i = 0; i < model->events; i++) {
    free(model->event[i].name);
    free(model->event[i].in);
    free(model->event[i].to);
  }
  for (size_t i = 0; i < model->equations; i++)
    cs_expr_free(model->equation[i].expr);
  for (size_t m = 0; m < CS_MATRICES; m++) {
    for (size_t i = 0; i < model->matrix[m].count; i++)
      cs_expr_free(model->matrix[m].entry[i].expr);
    free(model->matrix[m].entry);
  }
  free_signals(model->state, model->states);
  free_signals(model->input, model->inputs);
  free_signals(model->output, model->outputs);
  free(model->parameter);
  free(model->subsystem);
  free(model->line);
  free(model->monitor);
  free(model->mode);
  free(model->event);
  free(model->condition);
  free(model->change);
  free(model->equation);
  free(model->name);
  free(model->description);
  free(model->reference);
  cs_json_free(model->json);
  free(model);
}

long cs_model_parameter(const struct cs_model *model, const char *name) {
  for (size_t i = 0; i < model->parameters; i++)
    if (strcmp(model->parameter[i].name, name) == 0) return (long)i;
  return -1;
}

bool cs_model_is_line(const struct cs_model *model, size_t subsystem) {
  return subsystem >= model->subsystems - model->lines;
}

bool cs_model_is_eventful(const struct cs_model *m) {
  const bool forms = m->matrix[CS_CHANGE_X].count + m->matrix[CS_CHANGE_U].count + m->matrix[CS_CHANGE_Y].count > 0;
  return m->state_events > 0 || (m->events > 0 && (m->modes > 0 || forms));
}

/* The file lists the parameters in the order of the model. */
static const struct cs_node *parameter_node(const struct cs_model *model, size_t parameter) {
  const struct cs_node *list = cs_json_get(cs_json_root(model->json), "parameters");
  const struct cs_node *node = cs_json_at(list, parameter);
  return cs_json_kind(node) == CS_OBJECT ? cs_json_get(node, "value") : node;
}

int cs_model_parameters(const struct cs_model *model, const double *overrides, const unsigned char *given,
                        double *values, struct cs_error *error) {
  for (size_t i = 0; i < model->parameters; i++) {
    struct cs_error reason;
    if (given != NULL && given[i]) {
      values[i] = overrides[i];
      if (!isfinite(values[i])) {
        return cs_json_fail(model->json, parameter_node(model, i), error, "overridden by %g; want a finite number",
                            values[i]);
      }
    } else if (cs_expr_value(model->parameter[i].value, values, &values[i], &reason)) {
      return cs_json_fail(model->json, parameter_node(model, i), error, "%s; want a finite number", reason.message);
    }
  }
  return CS_OK;
}

static int entry_value(const struct cs_model *model, const struct cs_entry *entry, const double *parameters,
                       double *value, struct cs_error *error) {
  struct cs_error reason;
  return cs_expr_value(entry->expr, parameters, value, &reason)
             ? cs_json_fail(model->json, entry->node, error, "%s; want a finite number", reason.message)
             : CS_OK;
}

/* Whether an entry counts where subsystems are in these modes, or in their first ones (NULL). */
static bool counts(const struct cs_model *model, const struct cs_entry *entry, const size_t *mode) {
  if (entry->mode < 0) return true;
  const size_t subsystem = model->mode[entry->mode].subsystem;
  return (size_t)entry->mode == (mode != NULL ? mode[subsystem] : model->subsystem[subsystem].first_mode);
}

int cs_model_numbers(const struct cs_model *model, enum cs_matrix matrix, const size_t *mode, const double *parameters,
                     double *numbers, struct cs_error *error) {
  const struct cs_entries *entries = &model->matrix[matrix];
  for (size_t i = 0; i < entries->rows * entries->columns; i++)
    numbers[i] = 0;
  for (size_t i = 0; i < entries->count; i++) {
    const struct cs_entry *entry = &entries->entry[i];
    double value, *sum = &numbers[entry->row * entries->columns + entry->column];
    if (!counts(model, entry, mode)) continue;
    int code = entry_value(model, entry, parameters, &value, error);
    if (code != CS_OK) return code;
    *sum += value;
    if (!isfinite(*sum)) {
      return cs_json_fail(model->json, entry->node, error,
                          "the sum with the entries before it is not finite; want a finite sum");
    }
  }
  return CS_OK;
}

int cs_model_check_values(const struct cs_model *model, struct cs_error *error) {
  double *parameters = calloc(model->parameters + 1, sizeof *parameters);
  int code = parameters != NULL ? cs_model_parameters(model, NULL, NULL, parameters, error) : cs_error_memory(error);
  for (size_t m = 0; m < CS_MATRICES; m++) {
    for (size_t i = 0; i < model->matrix[m].count && code == CS_OK; i++) {
      double value;
      const struct cs_entry *entry = &model->matrix[m].entry[i];
      if (!cs_expr_uses_from(entry->expr, model->parameters))
        code = entry_value(model, entry, parameters, &value, error);
    }
  }
  free(parameters);
  return code;
}

size_t cs_model_signals(const struct cs_model *model, enum cs_over over) {
  switch (over) {
    case CS_OVER_OUTPUT:
      return model->outputs;
    case CS_OVER_INPUT:
      return model->inputs;
    case CS_OVER_STATE:
      return model->states;
    case CS_OVER_MONITOR:
      return model->monitors;
    case CS_OVER_EVENT:
      return model->state_events;
    default:
      return 1;
  }
}

/* The signals of a dimension; NULL for monitors, which have their own list. */
static const struct cs_signal *signals_of(const struct cs_model *model, enum cs_over over) {
  return over == CS_OVER_OUTPUT  ? model->output
         : over == CS_OVER_INPUT ? model->input
         : over == CS_OVER_STATE ? model->state
                                 : NULL;
}

/* The state event number `index`, without the time events between them. */
static const struct cs_event *state_event(const struct cs_model *model, size_t index) {
  const struct cs_event *event = model->event;
  while (event->timed || index-- > 0)
    event++;
  return event;
}

const char *cs_model_signal_name(const struct cs_model *model, enum cs_over over, size_t index) {
  const struct cs_signal *signal = signals_of(model, over);
  if (over == CS_OVER_EVENT) return state_event(model, index)->name;
  return signal != NULL ? signal[index].name : model->monitor[index].name;
}

const char *cs_model_signal_unit(const struct cs_model *model, enum cs_over over, size_t index) {
  const struct cs_signal *signal = signals_of(model, over);
  if (over == CS_OVER_EVENT) return "";
  const char *unit = signal != NULL ? signal[index].unit : model->monitor[index].unit;
  return unit != NULL ? unit : "";
}

size_t cs_model_stages(const struct cs_model *model, const size_t *sequence, size_t *stage) {
  const struct cs_entries *links = &model->matrix[CS_L];
  size_t most = 1;
  for (size_t s = 0; s < model->subsystems; s++)
    stage[s] = 0;
  for (size_t i = 0; i < model->subsystems; i++) {
    const size_t part = sequence[i];
    size_t own = 1;
    for (size_t k = 0; k < links->count; k++) {
      const struct cs_entry *link = &links->entry[k];
      if (link->column >= model->outputs || model->input[link->row].subsystem != part) continue;
      const size_t before = stage[model->output[link->column].subsystem];
      if (before >= own) own = before + 1;
    }
    stage[part] = own;
    if (own > most) most = own;
  }
  return most;
}
