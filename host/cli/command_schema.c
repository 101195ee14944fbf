/* cosweep schema: JSON Schemas of the input files, for editors and other programs. */
#include "carried.h"
#include "command.h"

int cs_command_schema(const struct cs_arguments *arguments, struct cs_error *error) {
  struct cs_text name = {0}, text = {0};
  cs_text_add(&name, "%s.schema.json", arguments->operand[0]);
  if (!name.failed) cs_text_add(&text, "%s", cs_carried_schema(name.data));
  text.failed = text.failed || name.failed;
  cs_text_free(&name);
  return cs_command_print(&text, error);
}
