/* A model file, from its head to its events. */
#include "model_read.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "name.h"

static int check_parameter_name(const struct cs_reader *reader, const struct cs_node *node) {
  const char *name = cs_json_key(node);
  int code = cs_name_check(reader->json, node, true, name, reader->error);
  if (code == CS_OK && cs_expr_is_reserved(name)) {
    return cs_json_fail_key(reader->json, node, reader->error, "\"%s\" is reserved in expressions; want another name",
                            name);
  }
  return code;
}

/* The value of parameter `index`, which may use only earlier ones. */
static int read_parameter_value(const struct cs_reader *reader, size_t index, const struct cs_node *node) {
  struct cs_expr **value = &reader->model->parameter[index].value;
  int code = cs_model_read_expr(reader, node, value);
  for (size_t i = index; i < reader->names && code == CS_OK; i++) {
    if (cs_expr_uses(*value, i)) {
      code = cs_json_fail(reader->json, node, reader->error,
                          "parameter \"%s\" is not listed before this one; want parameters listed earlier",
                          reader->name[i]);
    }
  }
  return code;
}

static int read_parameter(const struct cs_reader *reader, const struct cs_node *node) {
  static const char *const keys[] = {"value", "unit", "description", NULL};
  size_t index = reader->model->parameters++;
  struct cs_parameter *parameter = &reader->model->parameter[index];
  const struct cs_node *value = node;
  int code = CS_OK;
  if (cs_json_kind(node) == CS_OBJECT) {
    code = cs_json_check_keys(reader->json, node, keys, reader->error);
    if (code == CS_OK) code = cs_json_need(reader->json, node, "value", &value, reader->error);
  }
  if (code == CS_OK) code = read_parameter_value(reader, index, value);
  if (code == CS_OK) code = cs_model_read_copy(reader, cs_json_key(node), &parameter->name);
  if (code == CS_OK) code = cs_model_read_text(reader, node, "unit", &parameter->unit);
  return code != CS_OK ? code : cs_model_read_text(reader, node, "description", &parameter->description);
}

/* The names alone, which expressions may use. */
static int read_parameter_names(struct cs_reader *reader, const struct cs_node *root) {
  const struct cs_node *list = cs_json_get(root, "parameters");
  int code = list != NULL ? cs_json_want(reader->json, list, CS_OBJECT, reader->error) : CS_OK;
  size_t count = list != NULL ? cs_json_length(list) : 0;
  if (code != CS_OK || count == 0) return code;
  reader->name = calloc(count, sizeof *reader->name);
  reader->model->parameter = calloc(count, sizeof *reader->model->parameter);
  if (reader->name == NULL || reader->model->parameter == NULL) return cs_error_memory(reader->error);
  for (size_t i = 0; i < count && cs_json_goes_on(reader->json, code); i++) {
    reader->name[reader->names++] = cs_json_key(cs_json_at(list, i));
    code = cs_json_also(reader->json, code, check_parameter_name(reader, cs_json_at(list, i)), reader->error);
  }
  return code;
}

static int read_parameters(const struct cs_reader *reader, const struct cs_node *root) {
  const struct cs_node *list = cs_json_get(root, "parameters");
  int code = CS_OK;
  for (size_t i = 0; i < reader->names && cs_json_goes_on(reader->json, code); i++)
    code = cs_json_also(reader->json, code, read_parameter(reader, cs_json_at(list, i)), reader->error);
  return code;
}

/* One item of "states", "inputs" or "outputs": a name or {name, unit, description}. */
static int read_signal(const struct cs_reader *reader, const struct cs_node *node, struct cs_signal *signal) {
  static const char *const keys[] = {"name", "unit", "description", NULL};
  const struct cs_node *name = node;
  int code = CS_OK;
  if (cs_json_kind(node) == CS_OBJECT) {
    code = cs_json_check_keys(reader->json, node, keys, reader->error);
    if (code == CS_OK) code = cs_json_need(reader->json, node, "name", &name, reader->error);
  }
  if (code == CS_OK) code = cs_model_read_check_name(reader, name);
  if (code != CS_OK) return code;
  struct cs_text full = {0};
  cs_text_add(&full, "%s.%s", reader->model->subsystem[signal->subsystem].name, cs_json_string(name));
  signal->name = full.data;
  code = full.failed ? cs_error_memory(reader->error) : cs_model_read_text(reader, node, "unit", &signal->unit);
  return code != CS_OK ? code : cs_model_read_check_text(reader, node, "description");
}

/* Appends the signals that `subsystem` (the last one) has under `key` to the stacked list. */
static int read_signals(const struct cs_reader *reader, const struct cs_node *subsystem, const char *key,
                        struct cs_signal **signal, size_t *signals, size_t *count) {
  const struct cs_node *list = cs_json_get(subsystem, key);
  int code = list != NULL ? cs_json_want(reader->json, list, CS_LIST, reader->error) : CS_OK;
  size_t first = *signals;
  for (size_t i = 0; list != NULL && i < cs_json_length(list) && code == CS_OK; i++) {
    if (!cs_list_grow(signal, *signals, sizeof **signal)) return cs_error_memory(reader->error);
    struct cs_signal *made = &(*signal)[(*signals)++];
    *made = (struct cs_signal){.subsystem = reader->model->subsystems - 1};
    code = read_signal(reader, cs_json_at(list, i), made);
    for (size_t k = first; k + 1 < *signals && code == CS_OK; k++) {
      if (strcmp((*signal)[k].name, made->name) == 0) {
        code = cs_json_fail(reader->json, cs_json_at(list, i), reader->error,
                            "%s is already item %zu of this list; want different names", made->name, k - first);
      }
    }
  }
  *count = *signals - first;
  return code;
}

/* A block of a stacked matrix: its origin, its size, and what its rows and columns correspond to. A vector has one
 * column, which corresponds to nothing (NULL). */
struct block {
  const char *key;
  enum cs_matrix matrix;
  bool required;
  size_t first_row, first_column, rows, columns;
  const char *per_row, *per_column;
};

/* The matrix in `owner`, a subsystem or one of its modes. */
static int read_block(const struct cs_reader *reader, const struct cs_node *owner, const struct block *block) {
  const struct cs_node *list = cs_json_get(owner, block->key);
  bool nothing = block->rows == 0 || block->columns == 0;
  if (list == NULL) {
    return block->required && !nothing
               ? cs_json_fail(reader->json, owner, reader->error,
                              "missing key \"%s\"; want a %zu x %zu matrix, a row per %s and a column per %s",
                              block->key, block->rows, block->columns, block->per_row, block->per_column)
               : CS_OK;
  }
  if (nothing && cs_json_kind(list) == CS_LIST && cs_json_length(list) == 0) return CS_OK;
  int code =
      cs_model_read_length(reader, list, block->rows, block->per_column != NULL ? "rows" : "entries", block->per_row);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < block->rows && cs_json_goes_on(reader->json, code); i++) {
    const struct cs_node *row = cs_json_at(list, i);
    if (block->per_column == NULL) {
      code = cs_json_also(reader->json, code, cs_model_read_entry(reader, block->matrix, block->first_row + i, 0, row),
                          reader->error);
      continue;
    }
    const int length = cs_model_read_length(reader, row, block->columns, "entries", block->per_column);
    code = cs_json_also(reader->json, code, length, reader->error);
    if (length != CS_OK) return code; /* all rows will have it */
    for (size_t k = 0; k < block->columns && cs_json_goes_on(reader->json, code); k++)
      code = cs_json_also(
          reader->json, code,
          cs_model_read_entry(reader, block->matrix, block->first_row + i, block->first_column + k, cs_json_at(row, k)),
          reader->error);
  }
  return code;
}

/* The matrix of a subsystem, or those of its modes if one of them has its own. */
static int read_block_of_modes(const struct cs_reader *reader, const struct cs_node *node, const struct cs_subsystem *s,
                               const struct block *block) {
  const struct cs_node *modes = cs_json_get(node, "modes");
  size_t own = 0;
  for (size_t i = 0; i < s->modes; i++)
    own += cs_json_get(cs_json_at(modes, i), block->key) != NULL;
  if (own == 0) return read_block(reader, node, block);
  struct cs_reader nowhere = *reader;
  nowhere.mode = CS_READER_NOWHERE;
  int code = own == s->modes && cs_json_get(node, block->key) != NULL ? read_block(&nowhere, node, block) : CS_OK;
  for (size_t i = 0; i < s->modes && code == CS_OK; i++) {
    struct cs_reader of_mode = *reader;
    const struct cs_node *mode = cs_json_at(modes, i);
    of_mode.mode = (long)(s->first_mode + i);
    code = read_block(&of_mode, cs_json_get(mode, block->key) != NULL ? mode : node, block);
  }
  return code;
}

static int read_blocks(const struct cs_reader *reader, const struct cs_node *node, const struct cs_subsystem *s) {
  const struct block blocks[] = {
      {"A", CS_A, true, s->first_state, s->first_state, s->states, s->states, "state", "state"},
      {"B", CS_B, true, s->first_state, s->first_input, s->states, s->inputs, "state", "input"},
      {"C", CS_C, true, s->first_output, s->first_state, s->outputs, s->states, "output", "state"},
      {"D", CS_D, false, s->first_output, s->first_input, s->outputs, s->inputs, "output", "input"},
      {"e", CS_E, false, s->first_state, 0, s->states, 1, "state", NULL},
      {"f", CS_F, false, s->first_output, 0, s->outputs, 1, "output", NULL},
      {"x0", CS_X0, false, s->first_state, 0, s->states, 1, "state", NULL},
  };
  const size_t count = sizeof blocks / sizeof *blocks;
  const bool equations = cs_model_read_is_by_equations(node);
  int code = equations ? cs_model_read_equations(reader, node, s) : CS_OK;
  for (size_t i = equations ? count - 1 : 0; i < count && cs_json_goes_on(reader->json, code); i++)
    code = cs_json_also(reader->json, code, read_block_of_modes(reader, node, s, &blocks[i]), reader->error);
  return code;
}

/* All but its matrices. */
static int read_subsystem(const struct cs_reader *reader, const struct cs_node *node) {
  static const char *const keys[] = {"name", "description", "states", "inputs", "outputs", "A",     "B", "C",
                                     "D",    "e",           "f",      "g",      "x0",      "modes", NULL};
  struct cs_model *model = reader->model;
  if (!cs_list_grow(&model->subsystem, model->subsystems, sizeof *model->subsystem))
    return cs_error_memory(reader->error);
  const size_t index = model->subsystems++;
  struct cs_subsystem *made = &model->subsystem[index];
  *made =
      (struct cs_subsystem){.first_state = model->states, .first_input = model->inputs, .first_output = model->outputs};
  int code = cs_json_check_keys(reader->json, node, keys, reader->error);
  if (code == CS_OK)
    code = cs_model_read_item_name(reader, node, "subsystems", model->subsystem, sizeof *made, index, &made->name);
  if (code == CS_OK) code = cs_model_read_text(reader, node, "description", &made->description);
  if (code == CS_OK) code = read_signals(reader, node, "states", &model->state, &model->states, &made->states);
  if (code == CS_OK) code = read_signals(reader, node, "inputs", &model->input, &model->inputs, &made->inputs);
  if (code == CS_OK) code = read_signals(reader, node, "outputs", &model->output, &model->outputs, &made->outputs);
  return code != CS_OK ? code : cs_model_read_modes(reader, node);
}

static int read_subsystems(const struct cs_reader *reader, const struct cs_node *root) {
  const struct cs_node *list;
  int code = cs_json_need_list(reader->json, root, "subsystems", &list, reader->error);
  if (code == CS_OK && cs_json_length(list) == 0)
    code = cs_json_fail(reader->json, list, reader->error, "found an empty list; want at least one subsystem");
  if (code == CS_OK) code = cs_model_read_each(reader, root, "subsystems", read_subsystem);
  return code != CS_OK ? code : cs_model_read_line_names(reader, root);
}

static int read_matrices(const struct cs_reader *reader, const struct cs_node *root) {
  const struct cs_node *list = cs_json_get(root, "subsystems");
  int code = CS_OK;
  for (size_t i = 0; i < cs_json_length(list) && cs_json_goes_on(reader->json, code); i++)
    code = cs_json_also(reader->json, code, read_blocks(reader, cs_json_at(list, i), &reader->model->subsystem[i]),
                        reader->error);
  return code;
}

/* What refers to parameters and signals, whose names are all known by now. */
static int read_rest(const struct cs_reader *reader, const struct cs_node *root) {
  static int (*const readers[])(const struct cs_reader *, const struct cs_node *) = {
      read_parameters,        read_matrices,        cs_model_read_connections,
      cs_model_read_monitors, cs_model_read_events, cs_model_read_nonlinear};
  int code = CS_OK;
  for (size_t i = 0; i < sizeof readers / sizeof *readers && cs_json_goes_on(reader->json, code); i++)
    code = cs_json_also(reader->json, code, readers[i](reader, root), reader->error);
  return code;
}

static int read_head(const struct cs_reader *reader, const struct cs_node *root) {
  static const char *const keys[] = {"format",      "name",  "description", "reference", "parameters", "subsystems",
                                     "connections", "lines", "monitors",    "events",    "$schema",    NULL};
  int code = cs_json_want(reader->json, root, CS_OBJECT, reader->error);
  if (code == CS_OK && cs_json_get(root, "format") != NULL)
    code = cs_json_need_format(reader->json, root, "model", reader->error);
  if (code != CS_OK) return code;
  code = cs_json_check_keys(reader->json, root, keys, reader->error);
  if (code == CS_OK) code = cs_model_read_check_text(reader, root, "$schema"); /* for editors */
  if (code == CS_OK) code = cs_json_need_format(reader->json, root, "model", reader->error);
  if (code == CS_OK) code = cs_model_read_name(reader, root, &reader->model->name);
  if (code == CS_OK) code = cs_model_read_text(reader, root, "description", &reader->model->description);
  return code != CS_OK ? code : cs_model_read_text(reader, root, "reference", &reader->model->reference);
}

static void set_shapes(struct cs_model *m) {
  const size_t shapes[CS_MATRICES][2] = {
      [CS_A] = {m->states, m->states},
      [CS_B] = {m->states, m->inputs},
      [CS_C] = {m->outputs, m->states},
      [CS_D] = {m->outputs, m->inputs},
      [CS_E] = {m->states, 1},
      [CS_F] = {m->outputs, 1},
      [CS_X0] = {m->states, 1},
      [CS_L] = {m->inputs, m->outputs},
      [CS_BIAS] = {m->inputs, 1},
      [CS_MX] = {m->monitors, m->states},
      [CS_MU] = {m->monitors, m->inputs},
      [CS_MY] = {m->monitors, m->outputs},
      [CS_MC] = {m->monitors, 1},
      [CS_EVENT_TIME] = {m->events, 1},
      [CS_EVENT_SET] = {m->events, m->states},
      [CS_EVENT_ADD] = {m->events, m->states},
      [CS_WHEN_X] = {m->conditions, m->states},
      [CS_WHEN_U] = {m->conditions, m->inputs},
      [CS_WHEN_Y] = {m->conditions, m->outputs},
      [CS_WHEN_BOUND] = {m->conditions, 1},
      [CS_CHANGE_X] = {m->changes, m->states},
      [CS_CHANGE_U] = {m->changes, m->inputs},
      [CS_CHANGE_Y] = {m->changes, m->outputs},
  };
  for (size_t i = 0; i < CS_MATRICES; i++) {
    m->matrix[i].rows = shapes[i][0];
    m->matrix[i].columns = shapes[i][1];
  }
}

int cs_model_read(struct cs_json *json, struct cs_model **model, struct cs_error *error) {
  *model = NULL;
  struct cs_model *made = calloc(1, sizeof *made);
  if (made == NULL) {
    cs_json_free(json);
    return cs_error_memory(error);
  }
  made->json = json;
  struct cs_reader reader = {.model = made, .json = json, .mode = -1, .error = error};
  const struct cs_node *root = cs_json_root(json);
  int code = read_head(&reader, root);
  const int named = cs_json_goes_on(json, code) ? read_parameter_names(&reader, root) : code;
  code = cs_json_also(json, code, named, error);
  const int known = cs_json_goes_on(json, code) ? read_subsystems(&reader, root) : code;
  code = cs_json_also(json, code, known, error);
  if (named == CS_OK && known == CS_OK) code = cs_json_also(json, code, read_rest(&reader, root), error);
  set_shapes(made);
  if (code == CS_OK) code = cs_model_check_values(made, error);
  if (code == CS_OK) code = cs_model_read_views(&reader);
  code = cs_json_tell(json, code, error);
  free(reader.name);
  if (code != CS_OK) {
    cs_model_free(made);
    return code;
  }
  *model = made;
  return CS_OK;
}

int cs_model_load(const char *path, struct cs_model **model, struct cs_error *error) {
  struct cs_json *json = NULL;
  *model = NULL;
  int code = cs_json_load(path, &json, error);
  return code != CS_OK ? code : cs_model_read(json, model, error);
}
