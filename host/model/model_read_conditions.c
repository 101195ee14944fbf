/* What events look at: a subsystem's own signals, and conditions on them. */
#include <string.h>

#include "list.h"
#include "model_read.h"
#include "near.h"

/* The kinds of signals that terms name, in the order of the matrices for them. */
enum { STATE, INPUT, OUTPUT, KINDS };
static const char letter[KINDS] = "xuy";

/* A subsystem's own signals of a kind. */
struct own {
  const struct cs_signal *signal;
  size_t first, count;
  const char *noun;
};

/* A model without such signals has no list of them. */
static struct own own_of(const struct cs_signal *signal, size_t first, size_t count, const char *noun) {
  return (struct own){count > 0 ? signal + first : NULL, first, count, noun};
}

static void list_own(const struct cs_model *model, size_t subsystem, struct own own[KINDS]) {
  const struct cs_subsystem *s = &model->subsystem[subsystem];
  own[STATE] = own_of(model->state, s->first_state, s->states, "a state");
  own[INPUT] = own_of(model->input, s->first_input, s->inputs, "an input");
  own[OUTPUT] = own_of(model->output, s->first_output, s->outputs, "an output");
}

/* The name of a signal without its subsystem's. */
static const char *bare(const struct cs_signal *signal) {
  return strchr(signal->name, '.') + 1;
}

/* Kind and index among all of the signals that a name means; *meanings: how many. */
static void find_own(const struct own own[KINDS], const char *name, bool means[KINDS], size_t index[KINDS],
                     size_t *meanings) {
  const bool lettered = name[0] != '\0' && name[1] == '.';
  *meanings = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    means[kind] = false;
    for (size_t i = 0; i < own[kind].count && (!lettered || name[0] == letter[kind]); i++)
      if (strcmp(bare(&own[kind].signal[i]), lettered ? name + 2 : name) == 0) {
        means[kind] = true;
        index[kind] = own[kind].first + i;
        ++*meanings;
      }
  }
}

/* "a" is a state and an output of S; want x.a or y.a */
static int fail_ambiguous(const struct cs_reader *reader, const struct cs_node *term, size_t subsystem,
                          const struct own own[KINDS], const bool means[KINDS]) {
  struct cs_text wrong = {0}, want = {0};
  int last = KINDS - 1;
  while (!means[last])
    last--;
  cs_text_add(&wrong, "\"%s\" is ", cs_json_key(term));
  for (int kind = 0; kind <= last; kind++) {
    const bool first = want.length == 0;
    if (!means[kind]) continue;
    cs_text_add(&wrong, "%s%s", first ? "" : kind == last ? " and " : ", ", own[kind].noun);
    cs_text_add(&want, "%s%c.%s", first ? "" : kind == last ? " or " : ", ", letter[kind], cs_json_key(term));
  }
  cs_text_add(&wrong, " of %s; want %s", reader->model->subsystem[subsystem].name, cs_text_string(&want));
  wrong.failed |= want.failed;
  cs_text_free(&want);
  return cs_json_fail_text(reader->json, term, true, &wrong, reader->error);
}

/* Whether the name is "T.n", with a signal n of another subsystem T; n may have a letter in front. */
static bool names_another(const struct cs_model *model, const char *name, size_t subsystem) {
  const size_t length = strcspn(name, ".");
  for (size_t s = 0; s < model->subsystems && name[length] == '.'; s++) {
    struct own own[KINDS];
    bool means[KINDS];
    size_t index[KINDS], meanings;
    if (s == subsystem || strlen(model->subsystem[s].name) != length ||
        strncmp(model->subsystem[s].name, name, length) != 0)
      continue;
    list_own(model, s, own);
    find_own(own, name + length + 1, means, index, &meanings);
    return meanings > 0;
  }
  return false;
}

static int fail_unknown(const struct cs_reader *reader, const struct cs_node *term, size_t subsystem,
                        const struct own own[KINDS]) {
  const struct cs_model *model = reader->model;
  const char *name = cs_json_key(term), *self = model->subsystem[subsystem].name;
  struct cs_text wrong = {0};
  if (names_another(model, name, subsystem))
    return cs_json_fail_key(reader->json, term, reader->error,
                            "events see their own subsystem alone; give %s an input that receives %s", self, name);
  cs_text_add(&wrong, "unknown signal \"%s\" of subsystem %s; want one of: ", name, self);
  const char *comma = "";
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t i = 0; i < own[kind].count; i++, comma = ", ")
      cs_text_add(&wrong, "%s%c.%s", comma, letter[kind], bare(&own[kind].signal[i]));
  cs_near_suggest(&wrong, name);
  return cs_json_fail_text(reader->json, term, true, &wrong, reader->error);
}

static int read_own_term(const struct cs_reader *reader, const struct cs_node *term, size_t subsystem,
                         enum cs_matrix states, size_t row) {
  struct own own[KINDS];
  bool means[KINDS];
  size_t index[KINDS], meanings;
  list_own(reader->model, subsystem, own);
  find_own(own, cs_json_key(term), means, index, &meanings);
  if (meanings == 0) return fail_unknown(reader, term, subsystem, own);
  if (meanings > 1) return fail_ambiguous(reader, term, subsystem, own, means);
  const int kind = means[STATE] ? STATE : means[INPUT] ? INPUT : OUTPUT;
  const enum cs_matrix matrix = (enum cs_matrix)((int)states + kind);
  const struct cs_entries *entries = &reader->model->matrix[matrix];
  for (size_t i = 0; i < entries->count; i++)
    if (entries->entry[i].row == row && entries->entry[i].column == index[kind])
      return cs_json_fail_key(reader->json, term, reader->error, "the same signal as \"%s\"; want each signal once",
                              cs_json_key(entries->entry[i].node));
  return cs_model_read_entry(reader, matrix, row, index[kind], term);
}

int cs_model_read_own_terms(const struct cs_reader *reader, const struct cs_node *terms, size_t subsystem,
                            enum cs_matrix states, size_t row) {
  int code = cs_json_want(reader->json, terms, CS_OBJECT, reader->error);
  for (size_t i = 0; code == CS_OK && i < cs_json_length(terms); i++)
    code = read_own_term(reader, cs_json_at(terms, i), subsystem, states, row);
  return code;
}

int cs_model_read_subsystem_key(const struct cs_reader *reader, const struct cs_node *member, size_t *subsystem) {
  const struct cs_model *model = reader->model;
  for (*subsystem = 0; *subsystem < model->subsystems; ++*subsystem)
    if (strcmp(model->subsystem[*subsystem].name, cs_json_key(member)) == 0) return CS_OK;
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "unknown subsystem \"%s\"; want one of: ", cs_json_key(member));
  for (size_t s = 0; s < model->subsystems; s++)
    cs_text_add(&wrong, "%s%s", s > 0 ? ", " : "", model->subsystem[s].name);
  cs_near_suggest(&wrong, cs_json_key(member));
  return cs_json_fail_text(reader->json, member, true, &wrong, reader->error);
}

static int read_condition(const struct cs_reader *reader, const struct cs_node *item, size_t subsystem) {
  static const char *const keys[] = {"terms", "above", "below", NULL};
  struct cs_model *model = reader->model;
  const struct cs_node *above = cs_json_get(item, "above"), *below = cs_json_get(item, "below"), *terms = NULL;
  int code = cs_json_check_keys(reader->json, item, keys, reader->error);
  if (code == CS_OK) code = cs_json_need(reader->json, item, "terms", &terms, reader->error);
  if (code == CS_OK && (above == NULL) == (below == NULL))
    code = cs_json_fail(reader->json, item, reader->error, "found %s; want one of them",
                        above != NULL ? "both \"above\" and \"below\"" : "neither \"above\" nor \"below\"");
  if (code == CS_OK) code = cs_json_want(reader->json, terms, CS_OBJECT, reader->error);
  if (code == CS_OK && cs_json_length(terms) == 0)
    code = cs_json_fail(reader->json, terms, reader->error, "found no signals; want at least one");
  if (code != CS_OK) return code;
  if (!cs_list_grow(&model->condition, model->conditions, sizeof *model->condition))
    return cs_error_memory(reader->error);
  const size_t index = model->conditions++;
  model->condition[index] =
      (struct cs_condition){.event = model->events - 1, .subsystem = subsystem, .above = above != NULL};
  code = cs_model_read_own_terms(reader, terms, subsystem, CS_WHEN_X, index);
  return code != CS_OK ? code : cs_model_read_entry(reader, CS_WHEN_BOUND, index, 0, above != NULL ? above : below);
}

static int read_view(const struct cs_reader *reader, const struct cs_node *view, size_t subsystem) {
  int code = cs_json_want(reader->json, view, CS_LIST, reader->error);
  if (code == CS_OK && cs_json_length(view) == 0)
    code = cs_json_fail(reader->json, view, reader->error, "found no conditions; want at least one");
  for (size_t i = 0; code == CS_OK && i < cs_json_length(view); i++)
    code = read_condition(reader, cs_json_at(view, i), subsystem);
  return code;
}

int cs_model_read_when(const struct cs_reader *reader, const struct cs_node *when) {
  struct cs_event *event = &reader->model->event[reader->model->events - 1];
  size_t named;
  int code = cs_json_want(reader->json, when, CS_OBJECT, reader->error);
  if (code == CS_OK && cs_json_length(when) == 0)
    code = cs_json_fail(reader->json, when, reader->error, "found no conditions; want at least one subsystem");
  for (size_t i = 0; code == CS_OK && i < cs_json_length(when); i++)
    code = cs_model_read_subsystem_key(reader, cs_json_at(when, i), &named);
  for (size_t s = 0; code == CS_OK && s < reader->model->subsystems; s++) {
    const struct cs_node *view = cs_json_get(when, reader->model->subsystem[s].name);
    if (view != NULL) code = read_view(reader, view, s);
  }
  event->conditions = reader->model->conditions - event->first_condition;
  return code;
}
