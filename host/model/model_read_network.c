/* The part of a model file that refers to signals: connections and monitors. */
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "model_read.h"
#include "near.h"

/* The kinds of signals, in the order x, u, y. */
struct kind {
  const struct cs_signal *signal;
  size_t count;
  enum cs_matrix matrix; /* of the monitors */
  const char *letter, *noun;
};

enum { STATE, INPUT, OUTPUT, KINDS };

static void list_kinds(const struct cs_model *model, struct kind kinds[KINDS]) {
  kinds[STATE] = (struct kind){model->state, model->states, CS_MX, "x", "a state"};
  kinds[INPUT] = (struct kind){model->input, model->inputs, CS_MU, "u", "an input"};
  kinds[OUTPUT] = (struct kind){model->output, model->outputs, CS_MY, "y", "an output"};
}

/* Index of the signal "subsystem.name", or the count if there is none. */
static size_t find_signal(const struct kind *kind, const char *name) {
  size_t i = 0;
  while (i < kind->count && strcmp(kind->signal[i].name, name) != 0)
    i++;
  return i;
}

/* Appends "subsystem.name", with a letter "subsystem.x.name", of every signal of a kind. */
static void list_signals(const struct cs_model *model, const struct kind *kind, bool letter, struct cs_text *text) {
  for (size_t i = 0; i < kind->count; i++) {
    const char *subsystem = model->subsystem[kind->signal[i].subsystem].name;
    const char *name = kind->signal[i].name + strlen(subsystem) + 1;
    cs_text_add(text, "%s%s.%s%s%s", text->length > 0 ? ", " : "", subsystem, letter ? kind->letter : "",
                letter ? "." : "", name);
  }
}

/* Fails at the key of `node` or at its value: "what; want one of: legal". `unknown`: a name that may be a typing error,
 * or NULL. Frees both texts. */
static int fail_list(const struct cs_reader *reader, const struct cs_node *node, bool key, const char *unknown,
                     struct cs_text *what, struct cs_text *legal) {
  cs_text_add(what, "; want one of: %s", legal->length > 0 ? legal->data : "(there are none)");
  if (unknown != NULL) cs_near_suggest(what, unknown);
  what->failed |= legal->failed;
  cs_text_free(legal);
  return cs_json_fail_text(reader->json, node, key, what, reader->error);
}

int cs_model_read_signal(const struct cs_reader *reader, const struct cs_node *node, bool key, const char *name,
                         enum cs_over over, size_t *index) {
  struct kind kinds[KINDS];
  const int want = over == CS_OVER_STATE ? STATE : over == CS_OVER_INPUT ? INPUT : OUTPUT;
  list_kinds(reader->model, kinds);
  *index = find_signal(&kinds[want], name);
  if (*index < kinds[want].count) return CS_OK;
  struct cs_text what = {0}, legal = {0};
  cs_text_add(&what, "unknown %s \"%s\"", cs_metric_over_name(over), name);
  const char *unknown = name;
  for (int i = 0; i < KINDS; i++) {
    if (find_signal(&kinds[i], name) < kinds[i].count) {
      unknown = NULL;
      cs_text_free(&what);
      cs_text_add(&what, "\"%s\" is %s, not %s", name, kinds[i].noun, kinds[want].noun);
      break;
    }
  }
  list_signals(reader->model, &kinds[want], false, &legal);
  return fail_list(reader, node, key, unknown, &what, &legal);
}

/* The index of the input or output that the member `key` names. */
static int read_end(const struct cs_reader *reader, const struct cs_node *item, const char *key, enum cs_over over,
                    size_t *index) {
  const char *name;
  int code = cs_json_need_string(reader->json, item, key, &name, reader->error);
  return code != CS_OK ? code : cs_model_read_signal(reader, cs_json_get(item, key), false, name, over, index);
}

static int read_connection(const struct cs_reader *reader, const struct cs_node *item, unsigned char *reached) {
  static const char *const keys[] = {"from", "to", "gain", "value", NULL};
  size_t input, output;
  int code = cs_json_check_keys(reader->json, item, keys, reader->error);
  if (code == CS_OK) code = read_end(reader, item, "to", CS_OVER_INPUT, &input);
  if (code != CS_OK) return code;
  if (cs_model_is_line(reader->model, reader->model->input[input].subsystem))
    return cs_json_fail(reader->json, cs_json_get(item, "to"), reader->error,
                        "%s is reached by its line alone; want an input of a subsystem of the list",
                        reader->model->input[input].name);
  reached[input] = 1;
  const struct cs_node *from = cs_json_get(item, "from"), *gain = cs_json_get(item, "gain");
  const struct cs_node *value = cs_json_get(item, "value");
  if ((from == NULL) == (value == NULL)) {
    return cs_json_fail(reader->json, item, reader->error, "%s; want either \"from\" (an output) or \"value\"",
                        from != NULL ? "both \"from\" and \"value\"" : "neither \"from\" nor \"value\"");
  }
  if (value != NULL && gain != NULL)
    return cs_json_fail_key(reader->json, gain, reader->error,
                            "a gain together with \"value\"; want it with \"from\" only");
  if (value != NULL) return cs_model_read_entry(reader, CS_BIAS, input, 0, value);
  code = read_end(reader, item, "from", CS_OVER_OUTPUT, &output);
  if (code != CS_OK) return code;
  return gain != NULL ? cs_model_read_entry(reader, CS_L, input, output, gain)
                      : cs_model_read_add(reader, CS_L, input, output, cs_expr_number(1), item);
}

static int check_reached(const struct cs_reader *reader, const struct cs_node *place, const unsigned char *reached) {
  struct cs_text wrong = {0};
  for (size_t i = 0; i < reader->model->inputs; i++)
    if (!reached[i])
      cs_text_add(&wrong, "%s%s",
                  wrong.length > 0 ? ", " : "inputs without a connection: ", reader->model->input[i].name);
  if (wrong.length == 0 && !wrong.failed) return CS_OK;
  cs_text_add(&wrong, "; want every input reached by an output or a value");
  return cs_json_fail_text(reader->json, place, false, &wrong, reader->error);
}

int cs_model_read_connections(const struct cs_reader *reader, const struct cs_node *root) {
  const struct cs_node *list = cs_json_get(root, "connections");
  int code = list != NULL ? cs_json_want(reader->json, list, CS_LIST, reader->error) : CS_OK;
  if (code != CS_OK) return code;
  unsigned char *reached = calloc(reader->model->inputs + 1, 1);
  if (reached == NULL) return cs_error_memory(reader->error);
  for (size_t i = 0; list != NULL && i < cs_json_length(list) && cs_json_goes_on(reader->json, code); i++)
    code = cs_json_also(reader->json, code, read_connection(reader, cs_json_at(list, i), reached), reader->error);
  if (code == CS_OK) code = cs_model_read_lines(reader, root, reached);
  if (code == CS_OK) code = check_reached(reader, list != NULL ? list : root, reached);
  free(reached);
  return code;
}

/* The kind that the letter in "subsystem.x.name" stands for; KINDS if `name` has another form. */
static int letter_kind(const char *name, const struct kind kinds[KINDS]) {
  const char *dot = strchr(name, '.');
  int kind = 0;
  if (dot == NULL || dot[1] == '\0' || dot[2] != '.') return KINDS;
  while (kind < KINDS && dot[1] != *kinds[kind].letter)
    kind++;
  return kind;
}

/* The signals that `name` may refer to: index[kind], the kind's count if there is none. Returns how many. */
static int find_meanings(const char *name, const struct kind kinds[KINDS], size_t index[KINDS], struct cs_text *bare) {
  int only = letter_kind(name, kinds), found = 0;
  size_t subsystem = strcspn(name, ".");
  cs_text_append(bare, name, subsystem);
  cs_text_add(bare, "%s", name + subsystem + (only < KINDS ? 2 : 0));
  for (int i = 0; i < KINDS; i++) {
    bool asked = (only == KINDS || only == i) && !bare->failed;
    index[i] = asked ? find_signal(&kinds[i], bare->data) : kinds[i].count;
    found += index[i] < kinds[i].count;
  }
  return found;
}

/* Kind and index of the signal that a term of a monitor refers to. */
static int read_term(const struct cs_reader *reader, const struct cs_node *term, int *kind, size_t *index) {
  struct kind kinds[KINDS];
  size_t meaning[KINDS];
  const char *name = cs_json_key(term);
  struct cs_text bare = {0}, what = {0}, legal = {0};
  list_kinds(reader->model, kinds);
  int found = find_meanings(name, kinds, meaning, &bare);
  bool memory = bare.failed;
  cs_text_free(&bare);
  if (memory) return cs_error_memory(reader->error);
  cs_text_add(&what, found == 0 ? "unknown signal \"%s\"" : "\"%s\" is", name);
  const char *joint = " ";
  for (int i = 0; i < KINDS; i++) {
    if (meaning[i] < kinds[i].count) {
      *kind = i;
      *index = meaning[i];
      cs_text_add(&what, "%s%s", joint, kinds[i].noun);
      joint = " and ";
      kinds[i].signal += meaning[i];
      kinds[i].count = 1;
    } else if (found > 0) {
      kinds[i].count = 0;
    }
    list_signals(reader->model, &kinds[i], true, &legal);
  }
  if (found != 1) return fail_list(reader, term, true, found == 0 ? name : NULL, &what, &legal);
  cs_text_free(&what);
  cs_text_free(&legal);
  return CS_OK;
}

static int read_terms(const struct cs_reader *reader, const struct cs_node *terms, size_t monitor) {
  struct kind kinds[KINDS];
  list_kinds(reader->model, kinds);
  int code = cs_json_want(reader->json, terms, CS_OBJECT, reader->error);
  if (code == CS_OK && cs_json_length(terms) == 0)
    code = cs_json_fail(reader->json, terms, reader->error, "found no terms; want at least one signal");
  for (size_t i = 0; code == CS_OK && i < cs_json_length(terms); i++) {
    const struct cs_node *term = cs_json_at(terms, i);
    int kind = STATE;
    size_t index = 0;
    code = read_term(reader, term, &kind, &index);
    const struct cs_entries *entries = code != CS_OK ? NULL : &reader->model->matrix[kinds[kind].matrix];
    for (size_t k = 0; code == CS_OK && k < entries->count; k++) {
      if (entries->entry[k].row == monitor && entries->entry[k].column == index) {
        code = cs_json_fail_key(reader->json, term, reader->error, "the same signal as \"%s\"; want each signal once",
                                cs_json_key(entries->entry[k].node));
      }
    }
    if (code == CS_OK) code = cs_model_read_entry(reader, kinds[kind].matrix, monitor, index, term);
  }
  return code;
}

static int read_monitor(const struct cs_reader *reader, const struct cs_node *item) {
  static const char *const keys[] = {"name", "unit", "description", "terms", "constant", "flow", NULL};
  struct cs_model *model = reader->model;
  if (!cs_list_grow(&model->monitor, model->monitors, sizeof *model->monitor)) return cs_error_memory(reader->error);
  size_t index = model->monitors++, flow = 0;
  struct cs_monitor *monitor = &model->monitor[index];
  const struct cs_node *terms, *constant = cs_json_get(item, "constant");
  *monitor = (struct cs_monitor){.flow = -1};
  int code = cs_json_check_keys(reader->json, item, keys, reader->error);
  if (code == CS_OK)
    code = cs_model_read_item_name(reader, item, "monitors", model->monitor, sizeof *monitor, index, &monitor->name);
  if (code == CS_OK) code = cs_model_read_text(reader, item, "unit", &monitor->unit);
  if (code == CS_OK) code = cs_model_read_check_text(reader, item, "description");
  if (code == CS_OK) code = cs_json_need(reader->json, item, "terms", &terms, reader->error);
  if (code == CS_OK) code = read_terms(reader, terms, index);
  if (code == CS_OK && constant != NULL) code = cs_model_read_entry(reader, CS_MC, index, 0, constant);
  if (code == CS_OK && cs_json_get(item, "flow") != NULL) {
    code = read_end(reader, item, "flow", CS_OVER_OUTPUT, &flow);
    monitor->flow = (long)flow;
  }
  return code;
}

int cs_model_read_monitors(const struct cs_reader *reader, const struct cs_node *root) {
  return cs_model_read_each(reader, root, "monitors", read_monitor);
}
