/* Events of a model file: states that change instantaneously at a given time. */
#include "list.h"
#include "model_read.h"

/* One state of "set" or "add"; `other` is the matrix of the other one. */
static int read_change(const struct cs_reader *reader, const struct cs_node *member, enum cs_matrix matrix,
                       enum cs_matrix other, size_t event) {
  const struct cs_entries *entries = &reader->model->matrix[other];
  size_t state = 0;
  int code = cs_model_read_signal(reader, member, true, cs_json_key(member), CS_OVER_STATE, &state);
  for (size_t i = 0; i < entries->count && code == CS_OK; i++) {
    if (entries->entry[i].row == event && entries->entry[i].column == state) {
      code = cs_json_fail_key(reader->json, member, reader->error,
                              "both set and added to by the event; want each state of an event once");
    }
  }
  return code != CS_OK ? code : cs_model_read_entry(reader, matrix, event, state, member);
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
static int read_time(const struct cs_reader *reader, const struct cs_node *item, size_t event) {
  const struct cs_node *time = NULL;
  int code = cs_json_need(reader->json, item, "t", &time, reader->error);
  if (code == CS_OK && cs_json_kind(time) == CS_NUMBER && !(cs_json_number(time) > 0))
    code = cs_json_fail(reader->json, time, reader->error, "found %g; want a time > 0", cs_json_number(time));
  return code != CS_OK ? code : cs_model_read_entry(reader, CS_EVENT_TIME, event, 0, time);
}

static int read_event(const struct cs_reader *reader, const struct cs_node *item) {
  static const char *const keys[] = {"name", "description", "t", "set", "add", NULL};
  struct cs_model *model = reader->model;
  if (!cs_list_grow(&model->event, model->events, sizeof *model->event)) return cs_error_memory(reader->error);
  const size_t index = model->events++;
  model->event[index] = (struct cs_event){0};
  int code = cs_json_check_keys(reader->json, item, keys, reader->error);
  if (code == CS_OK)
    code = cs_model_read_item_name(reader, item, "events", model->event, sizeof *model->event, index,
                                   &model->event[index].name);
  if (code == CS_OK) code = cs_model_read_check_text(reader, item, "description");
  if (code == CS_OK) code = read_time(reader, item, index);
  if (code == CS_OK && cs_json_get(item, "set") == NULL && cs_json_get(item, "add") == NULL)
    code = cs_json_fail(reader->json, item, reader->error, "the event changes nothing; want \"set\", \"add\" or both");
  if (code == CS_OK) code = read_changes(reader, item, "set", CS_EVENT_SET, CS_EVENT_ADD, index);
  return code != CS_OK ? code : read_changes(reader, item, "add", CS_EVENT_ADD, CS_EVENT_SET, index);
}

int cs_model_read_events(const struct cs_reader *reader, const struct cs_node *root) {
  return cs_model_read_each(reader, root, "events", read_event);
}
