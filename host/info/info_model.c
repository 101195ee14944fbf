/* The model that was run, on a page: subsystems with their signals, connections, lines, parameters. */
#include <string.h>

#include "info_private.h"
#include "json.h"

enum { MOST_OPEN = 12, MOST_ROWS = 500 }; /* rows of a table that is not folded, and that is shown */

/* A member that is a list; NULL for anything else. */
static const struct cs_node *list_of(const struct cs_node *object, const char *key) {
  const struct cs_node *list = object != NULL && cs_json_kind(object) == CS_OBJECT ? cs_json_get(object, key) : NULL;
  return list != NULL && cs_json_kind(list) == CS_LIST ? list : NULL;
}

/* A member as text: a word, a number; "" for anything else. A signal may be its name alone. */
static void add_member(const struct cs_node *object, const char *key, struct cs_text *text) {
  const struct cs_node *node = object != NULL && cs_json_kind(object) == CS_OBJECT ? cs_json_get(object, key) : NULL;
  if (object != NULL && cs_json_kind(object) == CS_STRING && strcmp(key, "name") == 0) node = object;
  if (node != NULL && cs_json_kind(node) == CS_STRING) cs_text_add(text, "%s", cs_json_string(node));
  if (node != NULL && cs_json_kind(node) == CS_NUMBER) cs_text_add(text, "%.6g", cs_json_number(node));
}

static void add_cell(struct cs_grid *grid, const struct cs_node *object, const char *key) {
  struct cs_text text = {0};
  add_member(object, key, &text);
  cs_grid_take(grid, &text);
}

static void add_table(struct cs_document *document, struct cs_grid *grid, size_t rows, const char *what) {
  struct cs_text folded = {0};
  if (rows > MOST_OPEN) cs_text_add(&folded, "%zu %s", rows, what);
  cs_document_table(document, grid, folded.data);
  if (rows > MOST_ROWS) cs_info_add_rest(document, 2, rows - MOST_ROWS);
  cs_document_free_text(document, &folded);
}

/* "x [m], v [m/s]". */
static void add_signals(struct cs_grid *grid, const struct cs_node *subsystem, const char *key) {
  const struct cs_node *list = list_of(subsystem, key);
  struct cs_text text = {0};
  for (size_t i = 0; list != NULL && i < cs_json_length(list); i++) {
    struct cs_text unit = {0};
    const struct cs_node *signal = cs_json_at(list, i);
    cs_text_add(&text, "%s", i > 0 ? ", " : "");
    add_member(signal, "name", &text);
    add_member(signal, "unit", &unit);
    if (unit.length > 0) cs_text_add(&text, " [%s]", cs_text_string(&unit));
    text.failed |= unit.failed;
    cs_text_free(&unit);
  }
  cs_grid_take(grid, &text);
}

static void add_subsystems(struct cs_document *document, const struct cs_node *model) {
  static const char *const keys[] = {"states", "inputs", "outputs"};
  const struct cs_node *list = list_of(model, "subsystems");
  struct cs_grid grid = {0};
  if (list == NULL) return;
  cs_grid_head(&grid, CS_GRID_LEFT, "subsystem");
  for (size_t k = 0; k < 3; k++)
    cs_grid_head(&grid, CS_GRID_LEFT, "%s", keys[k]);
  for (size_t i = 0; i < cs_json_length(list) && i < MOST_ROWS; i++) {
    add_cell(&grid, cs_json_at(list, i), "name");
    for (size_t k = 0; k < 3; k++)
      add_signals(&grid, cs_json_at(list, i), keys[k]);
  }
  add_table(document, &grid, cs_json_length(list), "subsystems");
}

/* Whether an item of a list has a member. */
static bool any_has(const struct cs_node *list, const char *key) {
  for (size_t i = 0; i < cs_json_length(list); i++)
    if (cs_json_kind(cs_json_at(list, i)) == CS_OBJECT && cs_json_get(cs_json_at(list, i), key) != NULL) return true;
  return false;
}

/* What feeds an input: an output with its gain, or a constant. */
static void add_connections(struct cs_document *document, const struct cs_node *model) {
  static const char *const keys[] = {"from", "gain", "value", "to"};
  const struct cs_node *list = list_of(model, "connections");
  struct cs_grid grid = {0};
  if (list == NULL || cs_json_length(list) == 0) return;
  bool shown[4];
  cs_document_part(document, "connections");
  for (size_t k = 0; k < 4; k++)
    shown[k] = any_has(list, keys[k]);
  for (size_t k = 0; k < 4; k++)
    if (shown[k]) cs_grid_head(&grid, k == 0 || k == 3 ? CS_GRID_LEFT : CS_GRID_RIGHT, "%s", keys[k]);
  for (size_t i = 0; i < cs_json_length(list) && i < MOST_ROWS; i++)
    for (size_t k = 0; k < 4; k++)
      if (shown[k]) add_cell(&grid, cs_json_at(list, i), keys[k]);
  add_table(document, &grid, cs_json_length(list), "connections");
}

/* "flow, effort" of an end. */
static void add_end(struct cs_grid *grid, const struct cs_node *line, const char *key) {
  const bool known = cs_json_kind(line) == CS_OBJECT;
  struct cs_text text = {0};
  add_member(known ? cs_json_get(line, key) : NULL, "flow", &text);
  cs_text_add(&text, ", ");
  add_member(known ? cs_json_get(line, key) : NULL, "effort", &text);
  cs_grid_take(grid, &text);
}

static void add_lines(struct cs_document *document, const struct cs_node *model) {
  const struct cs_node *list = list_of(model, "lines");
  struct cs_grid grid = {0};
  if (list == NULL || cs_json_length(list) == 0) return;
  cs_document_part(document, "lines");
  cs_grid_head(&grid, CS_GRID_LEFT, "line");
  cs_grid_head(&grid, CS_GRID_LEFT, "flow and effort at a");
  cs_grid_head(&grid, CS_GRID_LEFT, "at b");
  cs_grid_head(&grid, CS_GRID_LEFT, "stiffness");
  for (size_t i = 0; i < cs_json_length(list) && i < MOST_ROWS; i++) {
    const struct cs_node *line = cs_json_at(list, i);
    add_cell(&grid, line, "name");
    add_end(&grid, line, "a");
    add_end(&grid, line, "b");
    add_cell(&grid, line, "stiffness");
  }
  add_table(document, &grid, cs_json_length(list), "lines");
}

static void add_parameters(struct cs_document *document, const struct cs_node *model) {
  const struct cs_node *all = cs_json_get(model, "parameters");
  struct cs_grid grid = {0};
  if (all == NULL || cs_json_kind(all) != CS_OBJECT || cs_json_length(all) == 0) return;
  cs_document_part(document, "parameters");
  cs_grid_head(&grid, CS_GRID_LEFT, "parameter");
  cs_grid_head(&grid, CS_GRID_RIGHT, "value");
  cs_grid_head(&grid, CS_GRID_LEFT, "unit");
  cs_grid_head(&grid, CS_GRID_LEFT_DIM, "description");
  for (size_t i = 0; i < cs_json_length(all) && i < MOST_ROWS; i++) {
    const struct cs_node *parameter = cs_json_at(all, i);
    cs_grid_add(&grid, "%s", cs_json_key(parameter));
    if (cs_json_kind(parameter) == CS_OBJECT)
      add_cell(&grid, parameter, "value");
    else
      add_cell(&grid, all, cs_json_key(parameter));
    add_cell(&grid, parameter, "unit");
    add_cell(&grid, parameter, "description");
  }
  add_table(document, &grid, cs_json_length(all), "parameters");
}

void cs_info_add_model(struct cs_document *document, const struct cs_table *table) {
  struct cs_json *json = cs_info_parse(document, table, "model");
  if (json == NULL) return;
  const struct cs_node *model = cs_json_root(json);
  if (cs_json_kind(model) == CS_OBJECT && list_of(model, "subsystems") != NULL) {
    cs_document_section(document, "model", "model", "the model");
    add_subsystems(document, model);
    add_connections(document, model);
    add_lines(document, model);
    add_parameters(document, model);
  }
  cs_json_free(json);
}
