/* Events of a model file: states and modes that change instantaneously, at a given time or where conditions hold. */
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "model_read.h"

enum { MOST = 64 }; /* conditions, and state events */

/* The value of a change: a number, an expression, or a form, whose terms are row `row` of the changes' matrices. */
static int read_value(const struct cs_reader *reader, const struct cs_node *member, enum cs_matrix matrix, size_t event,
                      size_t state, size_t row) {
  static const char *const keys[] = {"terms", "constant", NULL};
  if (cs_json_kind(member) != CS_OBJECT) return cs_model_read_entry(reader, matrix, event, state, member);
  const struct cs_node *terms = cs_json_get(member, "terms"), *constant = cs_json_get(member, "constant");
  int code = cs_json_check_keys(reader->json, member, keys, reader->error);
  if (code == CS_OK && terms != NULL)
    code = cs_model_read_own_terms(reader, terms, reader->model->state[state].subsystem, CS_CHANGE_X, row);
  if (code != CS_OK) return code;
  return constant != NULL ? cs_model_read_entry(reader, matrix, event, state, constant)
                          : cs_model_read_add(reader, matrix, event, state, cs_expr_number(0), member);
}

/* One state of "set" or "add"; `other` is the matrix of the other one. */
static int read_change(const struct cs_reader *reader, const struct cs_node *member, enum cs_matrix matrix,
                       enum cs_matrix other, size_t event) {
  struct cs_model *model = reader->model;
  const struct cs_entries *entries = &model->matrix[other];
  size_t state = 0;
  int code = cs_model_read_signal(reader, member, true, cs_json_key(member), CS_OVER_STATE, &state);
  for (size_t i = 0; i < entries->count && code == CS_OK; i++) {
    if (entries->entry[i].row == event && entries->entry[i].column == state) {
      code = cs_json_fail_key(reader->json, member, reader->error,
                              "both set and added to by the event; want each state of an event once");
    }
  }
  if (code != CS_OK) return code;
  if (!cs_list_grow(&model->change, model->changes, sizeof *model->change)) return cs_error_memory(reader->error);
  const size_t row = model->changes++;
  model->change[row] = (struct cs_change){.event = event, .state = state, .adds = matrix == CS_EVENT_ADD};
  return read_value(reader, member, matrix, event, state, row);
}

static int read_changes(const struct cs_reader *reader, const struct cs_node *item, const char *key,
                        enum cs_matrix matrix, enum cs_matrix other, size_t event) {
  const struct cs_node *changes = cs_json_get(item, key);
  int code = changes != NULL ? cs_json_want(reader->json, changes, CS_OBJECT, reader->error) : CS_OK;
  if (code == CS_OK && changes != NULL && cs_json_length(changes) == 0)
    code = cs_json_fail(reader->json, changes, reader->error, "found no states; want at least one");
  for (size_t i = 0; changes != NULL && code == CS_OK && i < cs_json_length(changes); i++)
    code = read_change(reader, cs_json_at(changes, i), matrix, other, event);
  return code;
}

/* A literal time is checked here, an expression in every run. */
static int read_time(const struct cs_reader *reader, const struct cs_node *time, size_t event) {
  int code = CS_OK;
  if (cs_json_kind(time) == CS_NUMBER && !(cs_json_number(time) > 0))
    code = cs_json_fail(reader->json, time, reader->error, "found %g; want a time > 0", cs_json_number(time));
  return code != CS_OK ? code : cs_model_read_entry(reader, CS_EVENT_TIME, event, 0, time);
}

/* The time or the conditions. */
static int read_cause(const struct cs_reader *reader, const struct cs_node *item, size_t event) {
  const struct cs_node *time = cs_json_get(item, "t"), *when = cs_json_get(item, "when");
  if (time != NULL && when != NULL)
    return cs_json_fail(reader->json, item, reader->error, "found both \"t\" and \"when\"; want one of them");
  if (time == NULL && when == NULL)
    return cs_json_fail(reader->json, item, reader->error,
                        "found neither \"t\" nor \"when\"; want \"t\" (a time event) or \"when\" (a state event)");
  reader->model->event[event].timed = time != NULL;
  reader->model->state_events += time == NULL;
  return time != NULL ? read_time(reader, time, event) : cs_model_read_when(reader, when);
}

/* The subsystem with modes that a key names. */
static int read_with_modes(const struct cs_reader *reader, const struct cs_node *member, size_t *subsystem) {
  int code = cs_model_read_subsystem_key(reader, member, subsystem);
  if (code == CS_OK && reader->model->subsystem[*subsystem].modes == 0)
    code = cs_json_fail_key(reader->json, member, reader->error, "subsystem %s has no modes",
                            reader->model->subsystem[*subsystem].name);
  return code;
}

/* Where the event can happen: a mode, or a list of modes, of a subsystem. */
static int read_in(const struct cs_reader *reader, const struct cs_node *member, struct cs_event *event) {
  size_t subsystem, mode;
  int code = read_with_modes(reader, member, &subsystem);
  if (code != CS_OK) return code;
  const struct cs_subsystem *s = &reader->model->subsystem[subsystem];
  const bool list = cs_json_kind(member) == CS_LIST;
  const size_t count = list ? cs_json_length(member) : 1;
  memset(event->in + s->first_mode, 0, s->modes);
  if (count == 0) return cs_json_fail(reader->json, member, reader->error, "found no modes; want at least one");
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    code = cs_model_read_mode(reader, list ? cs_json_at(member, i) : member, subsystem, &mode);
    if (code == CS_OK && event->in[mode])
      code = cs_json_fail(reader->json, cs_json_at(member, i), reader->error,
                          "found \"%s\" before; want each mode once", reader->model->mode[mode].name);
    if (code == CS_OK) event->in[mode] = 1;
  }
  return code;
}

static int read_to(const struct cs_reader *reader, const struct cs_node *member, struct cs_event *event) {
  size_t subsystem, mode, others = 0;
  int code = read_with_modes(reader, member, &subsystem);
  if (code == CS_OK) code = cs_model_read_mode(reader, member, subsystem, &mode);
  if (code != CS_OK) return code;
  const struct cs_subsystem *s = &reader->model->subsystem[subsystem];
  for (size_t i = s->first_mode; i < s->first_mode + s->modes; i++)
    others += i != mode && event->in[i];
  if (others == 0)
    return cs_json_fail(reader->json, member, reader->error,
                        "\"%s\" is the mode that \"in\" asks for; want another one", reader->model->mode[mode].name);
  event->to[subsystem] = (long)mode;
  return CS_OK;
}

static int read_modes(const struct cs_reader *reader, const struct cs_node *item, const char *key,
                      int (*read)(const struct cs_reader *, const struct cs_node *, struct cs_event *)) {
  const struct cs_node *modes = cs_json_get(item, key);
  int code = modes != NULL ? cs_json_want(reader->json, modes, CS_OBJECT, reader->error) : CS_OK;
  if (code == CS_OK && modes != NULL && cs_json_length(modes) == 0)
    code = cs_json_fail(reader->json, modes, reader->error, "found no subsystems; want at least one");
  for (size_t i = 0; modes != NULL && code == CS_OK && i < cs_json_length(modes); i++)
    code = read(reader, cs_json_at(modes, i), &reader->model->event[reader->model->events - 1]);
  return code;
}

/* It can happen in every mode, and changes none. */
static int take_event(const struct cs_reader *reader) {
  struct cs_model *model = reader->model;
  if (!cs_list_grow(&model->event, model->events, sizeof *model->event)) return cs_error_memory(reader->error);
  struct cs_event *event = &model->event[model->events++];
  *event = (struct cs_event){.first_condition = model->conditions,
                             .first_change = model->changes,
                             .in = malloc(model->modes + 1),
                             .to = malloc(model->subsystems * sizeof *event->to)};
  if (event->in == NULL || event->to == NULL) return cs_error_memory(reader->error);
  memset(event->in, 1, model->modes + 1);
  for (size_t s = 0; s < model->subsystems; s++)
    event->to[s] = -1;
  return CS_OK;
}

static int read_event(const struct cs_reader *reader, const struct cs_node *item) {
  static const char *const keys[] = {"name", "description", "t", "when", "in", "to", "set", "add", NULL};
  struct cs_model *model = reader->model;
  const size_t index = model->events;
  int code = take_event(reader);
  if (code != CS_OK) return code;
  code = cs_json_check_keys(reader->json, item, keys, reader->error);
  if (code == CS_OK)
    code = cs_model_read_item_name(reader, item, "events", model->event, sizeof *model->event, index,
                                   &model->event[index].name);
  if (code == CS_OK) code = cs_model_read_check_text(reader, item, "description");
  if (code == CS_OK) code = read_cause(reader, item, index);
  if (code == CS_OK && cs_json_get(item, "set") == NULL && cs_json_get(item, "add") == NULL &&
      cs_json_get(item, "to") == NULL)
    code =
        cs_json_fail(reader->json, item, reader->error, "the event changes nothing; want \"set\", \"add\" or \"to\"");
  if (code == CS_OK) code = read_modes(reader, item, "in", read_in);
  if (code == CS_OK) code = read_modes(reader, item, "to", read_to);
  if (code == CS_OK) code = read_changes(reader, item, "set", CS_EVENT_SET, CS_EVENT_ADD, index);
  if (code == CS_OK) code = read_changes(reader, item, "add", CS_EVENT_ADD, CS_EVENT_SET, index);
  model->event[index].changes = model->changes - model->event[index].first_change;
  return code;
}

static int check_count(const struct cs_reader *reader, const struct cs_node *root, size_t count, const char *what) {
  return count <= MOST ? CS_OK
                       : cs_json_fail(reader->json, cs_json_get(root, "events"), reader->error,
                                      "found %zu %s; want at most %d", count, what, MOST);
}

int cs_model_read_events(const struct cs_reader *reader, const struct cs_node *root) {
  int code = cs_model_read_each(reader, root, "events", read_event);
  if (code == CS_OK) code = check_count(reader, root, reader->model->state_events, "state events");
  return code != CS_OK ? code : check_count(reader, root, reader->model->conditions, "conditions");
}
