/* Settings of runs. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "json.h"
#include "runs.h"

static struct cs_runs_value value_of(const struct cs_node *node) {
  if (node != NULL && cs_json_kind(node) == CS_STRING) return (struct cs_runs_value){cs_json_string(node), NAN};
  if (node != NULL && cs_json_kind(node) == CS_NUMBER) return (struct cs_runs_value){NULL, cs_json_number(node)};
  return (struct cs_runs_value){NULL, NAN};
}

/* Most axes are ruled out without a look at the sweep: there may be a question for each of many runs. */
static bool lists(const struct cs_runs_dimension *axis, const char *path) {
  const char *listed;
  if (strstr(axis->paths, path) == NULL) return false;
  for (size_t i = 0; (listed = cs_runs_path(axis->axis, i)) != NULL; i++)
    if (strcmp(listed, path) == 0) return true;
  return false;
}

/* What a setting of a run is: an entry of the file, or where that is NULL a number of an axis. */
struct entry {
  const struct cs_node *node;
  double number;
};

/* Whether the axis changes `path`, and its value at position `at`. */
static bool moved(const struct cs_runs *runs, size_t axis, size_t at, const char *path, struct entry *entry) {
  const struct cs_runs_dimension *about = cs_runs_about(runs, axis);
  if (!lists(about, path)) return false;
  const struct cs_node *zip = cs_json_get(about->axis, "zip");
  const struct cs_node *list = zip != NULL ? cs_json_get(zip, path) : cs_json_get(about->axis, "values");
  const struct cs_dimension *dimension = cs_runs_axis(runs, axis);
  *entry = (struct entry){NULL, NAN};
  if (list != NULL)
    entry->node = cs_json_at(list, at);
  else if (dimension->values != NULL)
    entry->number = dimension->values[at];
  return true;
}

/* The entry of a path in the sweep; NULL if it has none. */
static const struct cs_node *find_entry(const struct cs_runs *runs, const char *path) {
  const struct cs_node *node = runs->sweep != NULL ? cs_json_root(runs->sweep) : NULL;
  while (node != NULL && *path != '\0') {
    const size_t length = strcspn(path, ".");
    char key[64];
    if (length >= sizeof key || cs_json_kind(node) != CS_OBJECT) return NULL;
    memcpy(key, path, length);
    key[length] = '\0';
    node = cs_json_get(node, key);
    path += length + (path[length] == '.');
  }
  return node;
}

static struct entry entry_of(const struct cs_runs *runs, size_t run, const char *path) {
  const bool order = strcmp(path, "method.input_order") == 0 || strcmp(path, "method.output_order") == 0;
  struct entry entry;
  for (size_t i = 0; i < runs->status->dimensions; i++) {
    const size_t at = cs_runs_position(runs, run, i);
    if (moved(runs, i, at, path, &entry) || (order && moved(runs, i, at, "method.order", &entry))) return entry;
  }
  return (struct entry){find_entry(runs, path), NAN};
}

struct cs_runs_value cs_runs_value(const struct cs_runs *runs, size_t run, const char *path) {
  const struct entry entry = entry_of(runs, run, path);
  return entry.node != NULL ? value_of(entry.node) : (struct cs_runs_value){NULL, entry.number};
}

const struct cs_node *cs_runs_list(const struct cs_runs *runs, size_t run, const char *path) {
  const struct cs_node *node = entry_of(runs, run, path).node;
  const struct cs_node *value = node != NULL && cs_json_kind(node) == CS_OBJECT ? cs_json_get(node, "value") : node;
  return value != NULL && cs_json_kind(value) == CS_LIST ? value : NULL;
}
