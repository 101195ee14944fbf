/* Whether every combination of settings that a sweep runs is meaningful. */
#include <stdlib.h>
#include <string.h>

#include "sweep_private.h"

/* The values of an axis to be checked: all of them if they select kernels; otherwise those in `skip` and one other.
 * This avoids visiting every run. */
struct candidates {
  size_t count, at;
  size_t *index; /* [count] */
};

/* Whether an axis selects kernels. */
static bool is_structural(const struct cs_sweep *sweep, size_t a) {
  const struct cs_slots *slots = &sweep->private_->slots;
  for (size_t i = 0; i < cs_slots_parameter(slots, 0); i++) {
    const char *axis = slots->slot[i].axis;
    if (axis != NULL && cs_setting_table[i % CS_SETTINGS].structural && strcmp(axis, sweep->axis[a].name) == 0)
      return true;
  }
  return false;
}

bool cs_sweep_is_real(const struct cs_sweep *sweep, size_t a) {
  const struct cs_axis *axis = &sweep->axis[a];
  return axis->values != NULL && axis->labels == NULL && axis->columns == 0 && !is_structural(sweep, a);
}

static bool is_named(const struct cs_skips *skips, size_t a, size_t index) {
  for (size_t s = 0; s < skips->count; s++) {
    for (size_t c = 0; c < skips->skip[s].conditions; c++) {
      const struct cs_skip_condition *condition = &skips->skip[s].condition[c];
      if (condition->axis == a && condition->match[index]) return true;
    }
  }
  return false;
}

static int find_candidates(const struct cs_sweep *sweep, size_t a, struct candidates *candidates,
                           struct cs_error *error) {
  bool structural = is_structural(sweep, a), other = false;
  size_t length = sweep->axis[a].length;
  candidates->index = malloc(length * sizeof *candidates->index);
  if (candidates->index == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < length; i++) {
    bool named = structural || is_named(&sweep->private_->skips, a, i);
    if (named || !other) candidates->index[candidates->count++] = i;
    other = other || !named;
  }
  return CS_OK;
}

static int fail_combination(const struct cs_sweep *sweep, size_t run, size_t blame, struct cs_text *wrong,
                            struct cs_error *error) {
  const struct cs_slot *slot = &sweep->private_->slots.slot[blame];
  const struct cs_node *place = slot->axis != NULL ? slot->path : slot->node;
  if (sweep->axes > 0) {
    cs_text_add(wrong, ", or the combination in \"skip\" (");
    cs_sweep_describe_run(sweep, run, wrong);
    cs_text_add(wrong, ")");
  }
  bool key = slot->axis != NULL && cs_json_kind(place) != CS_STRING; /* a path of a zip axis */
  return cs_json_fail_text(sweep->json, place, key, wrong, error);
}

/* Moves on to the next combination, the last axis fastest; false after the last one. */
static bool advance(const struct cs_sweep *sweep, struct candidates *candidates) {
  for (size_t a = sweep->axes; a-- > 0;) {
    if (++candidates[a].at < candidates[a].count) return true;
    candidates[a].at = 0;
  }
  return false;
}

static bool is_of_every_step(int m) {
  return cs_metric_table[m].every_step;
}

static bool is_spectral(int m) {
  return cs_metric_table[m].study == CS_STABILITY;
}

static bool is_local(int m) {
  return m == CS_LOCAL_ERROR || m == CS_LOCAL_ERROR_ESTIMATE;
}

/* A metric of that kind which the sweep writes, or NULL. */
static const char *find_metric(const struct cs_sweep *sweep, bool (*is_of_kind)(int metric)) {
  for (int m = 0; m < CS_METRICS; m++)
    if (sweep->metric[m] && is_of_kind(m)) return cs_metric_table[m].name;
  return NULL;
}

/* Whether the metrics are available with the method. */
static bool metrics_are_meaningful(const struct cs_sweep *sweep, const struct cs_method *method, size_t *blame,
                                   struct cs_text *wrong) {
  const char *each = find_metric(sweep, is_of_every_step), *local = find_metric(sweep, is_local);
  const char *spectral = sweep->study == CS_SIMULATION ? find_metric(sweep, is_spectral) : NULL;
  if (method->engine == CS_DOUBLE && each != NULL) {
    *blame = CS_SETTING_ENGINE;
    cs_text_add(wrong,
                "engine double sums squares without visiting single steps, which metric %s needs; want engine auto or "
                "step, or other metrics",
                each);
    return false;
  }
  if (method->control != CS_FIXED && (local != NULL || spectral != NULL)) {
    *blame = CS_SETTING_CONTROL;
    cs_text_add(wrong,
                "control %s changes the step size, but metric %s requires a fixed one; want control fixed, or "
                "other metrics",
                cs_method_control_name(method->control), local != NULL ? local : spectral);
    return false;
  }
  for (size_t s = 0; s < sweep->model->subsystems && spectral != NULL; s++) {
    if (cs_method_adapts(sweep->model, method, s)) {
      *blame = cs_slots_deciding(&sweep->private_->slots, s, CS_SETTING_SOLVER);
      cs_text_add(wrong,
                  "solver dopri5 of subsystem %s adapts its steps, so that a macro step has no matrix, which metric "
                  "%s needs; want another solver, or other metrics",
                  sweep->model->subsystem[s].name, spectral);
      return false;
    }
  }
  return true;
}

static bool is_meaningful(const struct cs_sweep *sweep, const struct cs_method *method, size_t *blame,
                          struct cs_text *wrong) {
  return metrics_are_meaningful(sweep, method, blame, wrong) &&
         cs_slots_meaningful(&sweep->private_->slots, method, blame, wrong);
}

/* An axis may be called as the dimension of modes, unless there are values for each. */
static int check_names(const struct cs_sweep *sweep, struct cs_error *error) {
  const char *name = cs_metric_over_name(CS_OVER_MODE);
  const struct cs_node *axes = cs_json_get(cs_json_root(sweep->json), "axes");
  for (int m = 0; m < CS_METRICS; m++)
    for (size_t a = 0; a < sweep->axes && sweep->metric[m] && cs_metric_table[m].over == CS_OVER_MODE; a++)
      if (strcmp(sweep->axis[a].name, name) == 0)
        return cs_json_fail(sweep->json, cs_json_get(cs_json_at(axes, a), "name"), error,
                            "\"%s\" is the signal dimension of metric %s; want another name", name, cs_metric_word(m));
  return CS_OK;
}

int cs_sweep_check_meaning(const struct cs_sweep *sweep, struct cs_error *error) {
  struct cs_settings settings = {0};
  struct candidates *candidates = calloc(sweep->axes + 1, sizeof *candidates);
  int code = candidates != NULL ? check_names(sweep, error) : cs_error_memory(error);
  if (code == CS_OK) code = cs_settings_new(sweep, &settings, error);
  for (size_t a = 0; a < sweep->axes && code == CS_OK; a++)
    code = find_candidates(sweep, a, &candidates[a], error);
  if (code != CS_OK) goto out;
  do {
    size_t run = 0, blame = 0;
    struct cs_text wrong = {0};
    for (size_t a = 0; a < sweep->axes; a++)
      run = run * sweep->axis[a].length + candidates[a].index[candidates[a].at];
    cs_settings_of(sweep, run, &settings);
    if (!settings.skipped && !is_meaningful(sweep, &settings.method, &blame, &wrong))
      code = fail_combination(sweep, run, blame, &wrong, error);
  } while (code == CS_OK && advance(sweep, candidates));
out:
  for (size_t a = 0; candidates != NULL && a < sweep->axes; a++)
    free(candidates[a].index);
  free(candidates);
  cs_settings_free(&settings);
  return code;
}

/* Evaluates the model for the parameters of the sweep, none of which an axis changes. */
static int check_numbers(const struct cs_sweep *sweep, const struct cs_settings *settings, struct cs_error *error) {
  const struct cs_model *model = sweep->model;
  size_t most = 1;
  for (int m = 0; m < CS_MATRICES; m++) {
    size_t size = model->matrix[m].rows * model->matrix[m].columns;
    most = size > most ? size : most;
  }
  double *parameters = calloc(model->parameters + 1, sizeof *parameters);
  double *numbers = calloc(most, sizeof *numbers);
  int code = parameters != NULL && numbers != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = cs_model_parameters(model, settings->parameters, settings->given, parameters, error);
  /* Of nonlinear models A to D belong to the operating point, which a run finds. */
  for (int m = model->equations > 0 ? CS_E : 0; m < CS_MATRICES && code == CS_OK; m++)
    code = cs_model_numbers(model, (enum cs_matrix)m, NULL, parameters, numbers, error);
  free(parameters);
  free(numbers);
  return code;
}

int cs_sweep_check_parameters(const struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_slots *slots = &sweep->private_->slots;
  const struct cs_node *given = cs_json_get(cs_json_root(sweep->json), "parameters");
  for (size_t p = 0; p < sweep->model->parameters; p++)
    if (slots->slot[cs_slots_parameter(slots, p)].axis != NULL) return CS_OK;
  struct cs_settings settings;
  int code = given != NULL ? cs_settings_new(sweep, &settings, error) : CS_OK;
  if (given == NULL || code != CS_OK) return code;
  struct cs_error inner = {0};
  cs_settings_of(sweep, 0, &settings);
  code = check_numbers(sweep, &settings, &inner);
  if (code == CS_INPUT)
    code = cs_json_fail(sweep->json, given, error, "%s", inner.message);
  else if (code != CS_OK)
    cs_error_set(error, code, "%s", inner.message);
  cs_settings_free(&settings);
  return code;
}
