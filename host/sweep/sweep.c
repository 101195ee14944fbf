#include "sweep.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "source.h"
#include "sweep_private.h"

static int apply_overrides(struct cs_json *json, const char *const *set, size_t sets, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < sets && code == CS_OK; i++) {
    const char *equals = strchr(set[i], '=');
    if (equals == NULL)
      return cs_error_set(error, CS_USAGE, "--set %s: no '='; want path=value, such as method.step.size=0.01", set[i]);
    char *path = cs_text_copy(set[i]);
    if (path == NULL) return cs_error_memory(error);
    path[equals - set[i]] = '\0';
    code = cs_json_set(json, path, equals + 1, error);
    free(path);
  }
  return code;
}

static int copy(const char *text, char **out, struct cs_error *error) {
  *out = cs_text_copy(text);
  return *out != NULL ? CS_OK : cs_error_memory(error);
}

/* The sweep's name becomes a file name. */
static bool is_file_name(const char *name) {
  bool good = isalnum((unsigned char)*name) && (unsigned char)*name < 0x80;
  for (const char *p = name; *p; p++)
    good = good && (unsigned char)*p < 0x80 && (isalnum((unsigned char)*p) || strchr("_-.", *p) != NULL);
  return good;
}

static int read_head(struct cs_sweep *sweep, struct cs_error *error) {
  static const char *const legal[] = {"format",     "name",     "description", "model",   "study", "t_end",
                                      "parameters", "modes",    "method",      "axes",    "skip",  "metrics",
                                      "fits",       "boundary", "refine",      "$schema", NULL};
  const struct cs_node *root = cs_json_root(sweep->json), *schema = cs_json_get(root, "$schema");
  const char *format = NULL, *name = NULL, *description = "", *study = "simulation";
  int code = cs_json_check_keys(sweep->json, root, legal, error);
  code = code == CS_OK && schema != NULL ? cs_json_want(sweep->json, schema, CS_STRING, error) : code; /* for editors */
  if (code == CS_OK) code = cs_json_need_string(sweep->json, root, "format", &format, error);
  if (code == CS_OK && strcmp(format, "cosweep-sweep/1") != 0) {
    code = cs_json_fail(sweep->json, cs_json_get(root, "format"), error,
                        "unknown format \"%s\"; want \"cosweep-sweep/1\"", format);
  }
  if (code == CS_OK) code = cs_json_need_string(sweep->json, root, "name", &name, error);
  if (code == CS_OK && !is_file_name(name)) {
    code = cs_json_fail(sweep->json, cs_json_get(root, "name"), error,
                        "\"%s\" cannot name a result file; want a letter or digit followed by letters, digits, "
                        "_, - or .",
                        name);
  }
  if (code == CS_OK) code = copy(name, &sweep->name, error);
  if (code == CS_OK && cs_json_get(root, "description") != NULL)
    code = cs_json_need_string(sweep->json, root, "description", &description, error);
  if (code == CS_OK) code = copy(description, &sweep->description, error);
  if (code == CS_OK && cs_json_get(root, "study") != NULL)
    code = cs_json_need_string(sweep->json, root, "study", &study, error);
  sweep->study = code == CS_OK && strcmp(study, cs_metric_study_name(CS_STABILITY)) == 0 ? CS_STABILITY : CS_SIMULATION;
  if (code == CS_OK && strcmp(study, cs_metric_study_name(sweep->study)) != 0) {
    code = cs_json_fail(sweep->json, cs_json_get(root, "study"), error,
                        "unknown study \"%s\"; want one of: simulation, stability", study);
  }
  return code;
}

/* Loads the model, whose path is relative to the sweep file, unless the sweep has one. */
static int read_model(struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_node *root = cs_json_root(sweep->json);
  const char *given = NULL;
  int code = cs_json_need_string(sweep->json, root, "model", &given, error);
  if (code != CS_OK) return code;
  struct cs_text path = {0};
  struct cs_error inner = {0};
  cs_source_locate(sweep->path, given, &path);
  if (path.failed) {
    cs_text_free(&path);
    return cs_error_memory(error);
  }
  sweep->model_path = path.data;
  if (sweep->model != NULL) return CS_OK;
  code = cs_model_load(path.data, &sweep->model, &inner);
  if (code == CS_IO)
    code = cs_json_fail(sweep->json, cs_json_get(root, "model"), error, "%s", inner.message);
  else if (code != CS_OK)
    cs_error_set(error, code, "%s", inner.message);
  return code;
}

/* Everything behind the head and the model. */
static int read_body(struct cs_sweep *made, struct cs_error *error) {
  struct cs_sweep_private *private_ = made->private_;
  const struct cs_node *root = cs_json_root(made->json);
  const struct cs_node *axes = cs_json_get(root, "axes"), *skips = cs_json_get(root, "skip");
  int code = cs_slots_new(made->model, made->path, made->study, &private_->slots, error);
  made->masters = &private_->slots.lists.masters;
  made->controls = &private_->slots.lists.controls;
  if (code == CS_OK) code = cs_slots_read(&private_->slots, made->json, error);
  if (code == CS_OK)
    code = cs_axes_read(made->json, axes, &private_->slots, &made->axis, &made->axes, &made->runs, error);
  if (code == CS_OK) code = cs_slots_require(&private_->slots, made->json, error);
  if (code == CS_OK) code = cs_skips_read(made->json, skips, made->axis, made->axes, &private_->skips, error);
  made->table = (size_t)private_->slots.slot[CS_SETTING_TABLE].value;
  if (code == CS_OK) code = cs_sweep_read_starts(made, error);
  if (code == CS_OK) code = cs_sweep_read_metrics(made, error);
  if (code == CS_OK) code = cs_sweep_read_fits(made, error);
  if (code == CS_OK) code = cs_sweep_read_boundary(made, error);
  if (code == CS_OK) code = cs_sweep_check_meaning(made, error);
  return code == CS_OK ? cs_sweep_check_parameters(made, error) : code;
}

int cs_sweep_read(const char *path, struct cs_json *json, struct cs_model *model, const char *const *set, size_t sets,
                  struct cs_sweep **sweep, struct cs_error *error) {
  struct cs_sweep *made = calloc(1, sizeof *made);
  struct cs_sweep_private *private_ = calloc(1, sizeof *private_);
  *sweep = NULL;
  if (made == NULL || private_ == NULL) {
    free(made);
    free(private_);
    cs_json_free(json);
    cs_model_free(model);
    return cs_error_memory(error);
  }
  *made = (struct cs_sweep){.private_ = private_, .json = json, .model = model};
  int code = copy(path, &made->path, error);
  if (code == CS_OK) code = apply_overrides(made->json, set, sets, error);
  if (code == CS_OK) code = read_head(made, error);
  if (code == CS_OK) code = read_model(made, error);
  if (code == CS_OK) code = read_body(made, error);
  if (code != CS_OK)
    cs_sweep_free(made);
  else
    *sweep = made;
  return code;
}

int cs_sweep_load(const char *path, const char *const *set, size_t sets, struct cs_sweep **sweep,
                  struct cs_error *error) {
  struct cs_json *json = NULL;
  *sweep = NULL;
  const int code = cs_json_load(path, &json, error);
  return code == CS_OK ? cs_sweep_read(path, json, NULL, set, sets, sweep, error) : code;
}

const char *cs_sweep_file(const struct cs_sweep *sweep, size_t index) {
  const struct cs_user_fragments *masters = &sweep->masters->user, *controls = &sweep->controls->user;
  if (index == 0) return sweep->path;
  if (index < CS_SWEEP_FRAGMENTS) return sweep->model_path;
  index -= CS_SWEEP_FRAGMENTS;
  if (index < masters->count) return masters->item[index].path;
  index -= masters->count;
  return index < controls->count ? controls->item[index].path : NULL;
}

void cs_sweep_free(struct cs_sweep *sweep) {
  if (sweep == NULL) return;
  cs_skips_free(&sweep->private_->skips);
  cs_slots_free(&sweep->private_->slots);
  cs_axes_free(sweep->axis, sweep->axes);
  cs_model_free(sweep->model);
  cs_json_free(sweep->json);
  free(sweep->private_);
  free(sweep->fit);
  free(sweep->start);
  free(sweep->path);
  free(sweep->model_path);
  free(sweep->name);
  free(sweep->description);
  free(sweep);
}
