/* cosweep schema: JSON Schemas of the input files, for editors and other programs. */
#include <string.h>

#include "carried.h"
#include "command.h"

int cs_command_schema(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *kind = arguments->operand[0];
  struct cs_text name = {0}, text = {0};
  if (strcmp(kind, "model") != 0 && strcmp(kind, "sweep") != 0)
    return cs_error_set(error, CS_USAGE, "cosweep schema: unknown kind of file \"%s\"; want one of: model, sweep",
                        kind);
  cs_text_add(&name, "%s.schema.json", kind);
  if (!name.failed) cs_text_add(&text, "%s", cs_carried_schema(name.data));
  text.failed = text.failed || name.failed;
  cs_text_free(&name);
  return cs_command_print(&text, error);
}
