#include "origin.h"

#include <string.h>

#include "command.h"
#include "json.h"
#include "text.h"

static int parse(const char *path, const struct cs_table *table, const char *name, struct cs_json **json,
                 struct cs_error *error) {
  const char *text = cs_table_text(table, name);
  struct cs_text said = {0};
  if (text == NULL)
    return cs_error_set(error, CS_DEVICE,
                        "%s: has no %s in its provenance; only results of sweeps can be computed again", path, name);
  cs_text_add(&said, "%s: provenance/%s", path, name);
  const int code = said.failed ? cs_error_memory(error) : cs_json_parse(said.data, text, strlen(text), json, error);
  cs_text_free(&said);
  return code;
}

int cs_origin_sweep(const char *path, const struct cs_table *table, const struct cs_arguments *arguments,
                    struct cs_sweep **sweep, struct cs_error *error) {
  struct cs_json *json[2] = {NULL, NULL};
  struct cs_model *model = NULL;
  if (cs_table_find_note(table, "run") != NULL)
    return cs_error_set(error, CS_DEVICE, "%s: is a trace; only results of sweeps can be computed again", path);
  int code = parse(path, table, "model", &json[0], error);
  if (code == CS_OK) {
    code = cs_model_read(json[0], &model, error);
    json[0] = NULL;
  }
  if (code == CS_OK) code = parse(path, table, "sweep", &json[1], error);
  if (code == CS_OK) {
    code = cs_sweep_read(path, json[1], model, NULL, 0, sweep, error);
    model = NULL;
  }
  cs_model_free(model);
  if (code == CS_INPUT) code = error->code = CS_DEVICE; /* of the result, not of whoever asks */
  return code == CS_OK ? cs_command_check_fragments(path, arguments, *sweep, error) : code;
}
