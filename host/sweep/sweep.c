#include "sweep.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "design.h"
#include "near.h"
#include "source.h"
#include "sweep_private.h"

static int apply_overrides(struct cs_json *json, const char *const *set, size_t sets, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < sets && code == CS_OK; i++)
    code = cs_json_assign(json, set[i], error);
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

static int read_name(struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_node *root = cs_json_root(sweep->json);
  const char *name = NULL;
  int code = cs_json_need_string(sweep->json, root, "name", &name, error);
  if (code == CS_OK && !is_file_name(name)) {
    code = cs_json_fail(sweep->json, cs_json_get(root, "name"), error,
                        "\"%s\" cannot name a result file; want a letter or digit followed by letters, digits, "
                        "_, - or .",
                        name);
  }
  return code != CS_OK ? code : copy(name, &sweep->name, error);
}

static int read_description(struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_node *root = cs_json_root(sweep->json);
  const char *description = "";
  int code = CS_OK;
  if (cs_json_get(root, "description") != NULL)
    code = cs_json_need_string(sweep->json, root, "description", &description, error);
  return code != CS_OK ? code : copy(description, &sweep->description, error);
}

static int read_study(struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_node *root = cs_json_root(sweep->json);
  const char *study = "simulation";
  int code = CS_OK;
  if (cs_json_get(root, "study") != NULL) code = cs_json_need_string(sweep->json, root, "study", &study, error);
  sweep->study = code == CS_OK && strcmp(study, cs_metric_study_name(CS_STABILITY)) == 0 ? CS_STABILITY : CS_SIMULATION;
  if (code != CS_OK || strcmp(study, cs_metric_study_name(sweep->study)) == 0) return code;
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "unknown study \"%s\"; want one of: simulation, stability", study);
  cs_near_suggest(&wrong, study);
  return cs_json_fail_text(sweep->json, cs_json_get(root, "study"), false, &wrong, error);
}

/* What nonlinear models are asked: study stability at an operating point. */
static int read_operating_point(struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_node *root = cs_json_root(sweep->json), *node = cs_json_get(root, "operating_point");
  const struct cs_model *model = sweep->model;
  const char *word = NULL;
  size_t s = 0;
  if (model->equations > 0 && sweep->study == CS_SIMULATION) {
    const struct cs_node *study = cs_json_get(root, "study");
    while (!model->subsystem[s].nonlinear)
      s++;
    return cs_json_fail(sweep->json, study != NULL ? study : cs_json_get(root, "model"), error,
                        "the equations of %s are not linear, and only linear models are simulated; want study "
                        "stability, which is that of the linearisation at an operating point",
                        model->subsystem[s].name);
  }
  if (node == NULL) return CS_OK;
  if (model->equations == 0)
    return cs_json_fail_key(sweep->json, node, error,
                            "an operating point of a linear model, whose stability is the same everywhere; want it "
                            "left out");
  const int code = cs_json_need_string(sweep->json, root, "operating_point", &word, error);
  if (code != CS_OK) return code;
  sweep->initial = strcmp(word, "initial") == 0;
  if (sweep->initial || strcmp(word, "equilibrium") == 0) return CS_OK;
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "unknown operating point \"%s\"; want one of: equilibrium, initial", word);
  cs_near_suggest(&wrong, word);
  return cs_json_fail_text(sweep->json, node, false, &wrong, error);
}

static int check_keys(struct cs_sweep *sweep, struct cs_error *error) {
  static const char *const legal[] = {
      "format", "name", "description", "model", "study",    "t_end",  "parameters", "modes",           "method",
      "axes",   "skip", "metrics",     "fits",  "boundary", "refine", "$schema",    "operating_point", NULL};
  const struct cs_node *root = cs_json_root(sweep->json), *schema = cs_json_get(root, "$schema"); /* for editors */
  int code = cs_json_check_keys(sweep->json, root, legal, error);
  if (schema != NULL && cs_json_goes_on(sweep->json, code))
    code = cs_json_also(sweep->json, code, cs_json_want(sweep->json, schema, CS_STRING, error), error);
  return code;
}

/* Loads the model, whose path is relative to the sweep file, unless the sweep has one: messages give that the sweep's.
 */
static int read_model(struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_node *root = cs_json_root(sweep->json);
  const char *given = NULL;
  int code = cs_json_need_string(sweep->json, root, "model", &given, error);
  if (code != CS_OK) return code;
  struct cs_text path = {0};
  struct cs_error inner = {0};
  if (sweep->model != NULL)
    cs_text_add(&path, "%s", sweep->path);
  else
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

/* What refers to axes, which have no faults. `settled`, `measured`: nor have the settings, the metrics. */
static int read_along_axes(struct cs_sweep *sweep, bool settled, bool measured, struct cs_error *error) {
  const struct cs_node *skips = cs_json_get(cs_json_root(sweep->json), "skip");
  const struct cs_json *json = sweep->json;
  int code = settled ? cs_slots_require(&sweep->private_->slots, json, error) : CS_OK;
  code = cs_json_also(json, CS_OK, code, error);
  if (cs_json_goes_on(json, code))
    code = cs_json_also(json, code,
                        cs_skips_read(json, skips, sweep->axis, sweep->axes, &sweep->private_->skips, error), error);
  if (cs_json_goes_on(json, code) && measured) code = cs_json_also(json, code, cs_sweep_read_fits(sweep, error), error);
  if (cs_json_goes_on(json, code)) code = cs_json_also(json, code, cs_sweep_read_boundary(sweep, error), error);
  return code;
}

/* Everything that needs the model. */
static int read_settings(struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_node *axes = cs_json_get(cs_json_root(sweep->json), "axes");
  const struct cs_json *json = sweep->json;
  struct cs_slots *slots = &sweep->private_->slots;
  int code = cs_slots_new(sweep->model, sweep->path, sweep->study, slots, error);
  if (code != CS_OK) return code;
  sweep->masters = &slots->lists.masters;
  sweep->controls = &slots->lists.controls;
  code = cs_json_also(json, code, cs_slots_read(slots, json, error), error);
  const bool settled = code == CS_OK;
  bool placed = false, measured = false;
  if (cs_json_goes_on(json, code)) {
    const int next = cs_axes_read(json, axes, slots, &sweep->axis, &sweep->axes, &sweep->runs, error);
    code = cs_json_also(json, code, next, error);
    placed = next == CS_OK;
  }
  sweep->table = (size_t)slots->slot[CS_SETTING_TABLE].value;
  if (cs_json_goes_on(json, code)) {
    const int next = cs_sweep_read_metrics(sweep, settled && placed, error);
    code = cs_json_also(json, code, next, error);
    measured = next == CS_OK;
  }
  if (cs_json_goes_on(json, code) && placed)
    code = cs_json_also(json, code, read_along_axes(sweep, settled, measured, error), error);
  if (code == CS_OK) code = cs_sweep_read_starts(sweep, error);
  if (code == CS_OK) code = cs_sweep_check_meaning(sweep, error);
  return code != CS_OK ? code : cs_sweep_check_parameters(sweep, error);
}

/* Names all faults that are independent of each other. */
static int read(struct cs_sweep *sweep, struct cs_error *error) {
  static int (*const heads[])(struct cs_sweep *, struct cs_error *) = {check_keys, read_name, read_description};
  const struct cs_json *json = sweep->json;
  int code = cs_json_need_format(json, cs_json_root(json), "sweep", error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < sizeof heads / sizeof *heads && cs_json_goes_on(json, code); i++)
    code = cs_json_also(json, code, heads[i](sweep, error), error);
  const int study = cs_json_goes_on(json, code) ? read_study(sweep, error) : code;
  code = cs_json_also(json, code, study, error);
  const int model = cs_json_goes_on(json, code) ? read_model(sweep, error) : code;
  code = cs_json_also(json, code, model, error);
  const int point = study == CS_OK && model == CS_OK ? read_operating_point(sweep, error) : CS_OK;
  code = cs_json_also(json, code, point, error);
  if (study == CS_OK && model == CS_OK && point == CS_OK)
    code = cs_json_also(json, code, read_settings(sweep, error), error);
  return cs_json_tell(json, code, error);
}

/* An override of what axes move would have no effect. */
static int check_overrides(const struct cs_sweep *sweep, const char *const *set, size_t sets, struct cs_error *error) {
  const struct cs_slots *slots = &sweep->private_->slots;
  int code = CS_OK;
  for (size_t i = 0; i < sets && code == CS_OK; i++) {
    struct cs_target target;
    struct cs_text path = {0}, wrong = {0};
    size_t moved = 0;
    cs_text_append(&path, set[i], strcspn(set[i], "="));
    const bool known = !path.failed && cs_slots_find(slots, path.data, &target, &wrong);
    while (known && moved < target.slots && slots->slot[target.slot[moved]].axis != NULL)
      moved++;
    if (known && moved == target.slots)
      code =
          cs_error_set(error, CS_USAGE, "--set %s: has no effect, axis \"%s\" moves it; want a path that no axis moves",
                       path.data, slots->slot[target.slot[0]].axis);
    cs_text_free(&path);
    cs_text_free(&wrong);
  }
  return code;
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
  const bool written = code == CS_OK;
  struct cs_text designs = {0};
  if (code == CS_OK) code = cs_design_write_out(made->json, path, &designs, error);
  made->designs = designs.data;
  if (code == CS_OK)
    code = read(made, error);
  else if (written)
    code = cs_json_tell(made->json, code, error);
  if (code == CS_OK) code = check_overrides(made, set, sets, error);
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

struct cs_sweep cs_sweep_part(const struct cs_sweep *whole, size_t first, size_t runs) {
  struct cs_sweep part = *whole;
  part.first = whole->first + first;
  part.runs = runs < whole->runs - first ? runs : whole->runs - first;
  return part;
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
  free(sweep->designs);
  free(sweep);
}
