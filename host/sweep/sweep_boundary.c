/* Stability boundaries in a sweep file: "boundary" along an axis, "refine" of maps. */
#include <string.h>

#include "sweep_private.h"

enum { MOST_LEVELS = 10 };

/* Boundaries require study stability. */
static int check_study(const struct cs_sweep *sweep, const struct cs_node *node, struct cs_error *error) {
  if (sweep->study == CS_STABILITY) return CS_OK;
  return cs_json_fail_key(sweep->json, node, error,
                          "applies to study stability only, not to study %s; want none, or study stability",
                          cs_metric_study_name(sweep->study));
}

/* Fails if an axis has a name that the results of `node` need. */
static int check_name(const struct cs_sweep *sweep, const struct cs_node *node, const char *name,
                      struct cs_error *error) {
  for (size_t a = 0; a < sweep->axes; a++) {
    const struct cs_axis *axis = &sweep->axis[a];
    bool taken = strcmp(axis->name, name) == 0;
    for (size_t c = 0; c < axis->columns; c++)
      taken = taken || strcmp(axis->column[c].name, name) == 0;
    if (taken) {
      return cs_json_fail_key(sweep->json, node, error,
                              "its results need the name \"%s\", which axis \"%s\" has; want another name for the axis",
                              name, axis->name);
    }
  }
  return CS_OK;
}

static int read_along(struct cs_sweep *sweep, const struct cs_node *node, struct cs_error *error) {
  static const char *const legal[] = {"along", NULL};
  size_t along = 0;
  int code = cs_json_want(sweep->json, node, CS_OBJECT, error);
  if (code == CS_OK) code = cs_json_check_keys(sweep->json, node, legal, error);
  if (code == CS_OK) code = cs_sweep_read_along(sweep, node, true, &along, error);
  if (code == CS_OK && sweep->axis[along].length < 2) {
    code = cs_json_fail(sweep->json, cs_json_get(node, "along"), error,
                        "axis \"%s\" has one value; want at least 2 to search between", sweep->axis[along].name);
  }
  for (size_t i = 0; i < CS_LIMITS && code == CS_OK; i++) {
    struct cs_text name = {0};
    cs_text_add(&name, "%s%s", sweep->axis[along].name, cs_metric_limit[i].suffix);
    code = name.failed ? cs_error_memory(error) : check_name(sweep, node, name.data, error);
    cs_text_free(&name);
  }
  if (code == CS_OK) code = check_name(sweep, node, "crossing", error);
  sweep->boundary = (long)along;
  return code;
}

/* The two real axes that span the maps; the other axes enumerate maps. */
static int find_map(struct cs_sweep *sweep, const struct cs_node *node, struct cs_error *error) {
  size_t found = 0;
  for (size_t a = 0; a < sweep->axes; a++) {
    if (cs_sweep_is_real(sweep, a) && sweep->axis[a].length > 1) {
      sweep->refined[found < 2 ? found : 1] = a;
      found++;
    }
  }
  if (found == 2) return CS_OK;
  return cs_json_fail_key(sweep->json, node, error, "found %zu axes of several real numbers; want 2, which span a map",
                          found);
}

static int read_refine(struct cs_sweep *sweep, const struct cs_node *node, struct cs_error *error) {
  static const char *const names[] = {"point", "level", "refined"};
  int code = cs_json_want(sweep->json, node, CS_NUMBER, error);
  double levels = code != CS_OK ? 0 : cs_json_number(node);
  if (code == CS_OK && !(levels >= 1 && levels <= MOST_LEVELS && levels == (unsigned)levels))
    code = cs_json_fail(sweep->json, node, error, "found %.17g; want an integer from 1 to %d", levels, MOST_LEVELS);
  if (code == CS_OK) code = find_map(sweep, node, error);
  for (size_t i = 0; i < sizeof names / sizeof *names && code == CS_OK; i++)
    code = check_name(sweep, node, names[i], error);
  sweep->refine = code != CS_OK ? 0 : (unsigned)levels;
  return code;
}

int cs_sweep_read_boundary(struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_node *root = cs_json_root(sweep->json);
  const struct cs_node *boundary = cs_json_get(root, "boundary"), *refine = cs_json_get(root, "refine");
  sweep->boundary = -1;
  int code = boundary != NULL ? check_study(sweep, boundary, error) : CS_OK;
  code = code == CS_OK && boundary != NULL ? read_along(sweep, boundary, error) : code;
  code = code == CS_OK && refine != NULL ? check_study(sweep, refine, error) : code;
  return code == CS_OK && refine != NULL ? read_refine(sweep, refine, error) : code;
}
