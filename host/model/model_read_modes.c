/* Modes of subsystems: matrices of their own. */
#include <string.h>

#include "list.h"
#include "model_read.h"
#include "near.h"

static int read_mode(const struct cs_reader *reader, const struct cs_node *node, size_t first) {
  static const char *const keys[] = {"name", "description", "A", "B", "C", "D", "e", "f", NULL};
  struct cs_model *model = reader->model;
  if (!cs_list_grow(&model->mode, model->modes, sizeof *model->mode)) return cs_error_memory(reader->error);
  const size_t index = model->modes++;
  struct cs_mode *made = &model->mode[index];
  *made = (struct cs_mode){.subsystem = model->subsystems - 1};
  int code = cs_json_check_keys(reader->json, node, keys, reader->error);
  if (code == CS_OK)
    code =
        cs_model_read_item_name(reader, node, "modes", model->mode + first, sizeof *made, index - first, &made->name);
  return code != CS_OK ? code : cs_model_read_text(reader, node, "description", &made->description);
}

int cs_model_read_modes(const struct cs_reader *reader, const struct cs_node *subsystem) {
  const struct cs_node *list = cs_json_get(subsystem, "modes");
  const size_t first = reader->model->modes, count = list != NULL ? cs_json_length(list) : 0;
  reader->model->subsystem[reader->model->subsystems - 1].first_mode = first;
  int code = list != NULL ? cs_json_want(reader->json, list, CS_LIST, reader->error) : CS_OK;
  if (code == CS_OK && list != NULL && count < 2)
    code = cs_json_fail(reader->json, list, reader->error, "found %zu mode%s; want at least 2", count,
                        count == 1 ? "" : "s");
  for (size_t i = 0; i < count && code == CS_OK; i++)
    code = read_mode(reader, cs_json_at(list, i), first);
  reader->model->subsystem[reader->model->subsystems - 1].modes = reader->model->modes - first;
  return code;
}

int cs_model_read_mode(const struct cs_reader *reader, const struct cs_node *node, size_t subsystem, size_t *mode) {
  const struct cs_model *model = reader->model;
  const struct cs_subsystem *s = &model->subsystem[subsystem];
  int code = cs_json_want(reader->json, node, CS_STRING, reader->error);
  for (*mode = s->first_mode; code == CS_OK && *mode < s->first_mode + s->modes; ++*mode)
    if (strcmp(model->mode[*mode].name, cs_json_string(node)) == 0) return CS_OK;
  if (code != CS_OK) return code;
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "unknown mode \"%s\" of %s; want one of: ", cs_json_string(node), s->name);
  for (size_t i = 0; i < s->modes; i++)
    cs_text_add(&wrong, "%s%s", i > 0 ? ", " : "", model->mode[s->first_mode + i].name);
  cs_near_suggest(&wrong, cs_json_string(node));
  return cs_json_fail_text(reader->json, node, false, &wrong, reader->error);
}
