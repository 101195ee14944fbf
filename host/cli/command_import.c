/* cosweep import: a model from files of other programs. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "import.h"

/* The file to write: that of -o, or the model's name + .json. */
static int choose_output(const struct cs_arguments *arguments, struct cs_text *output, struct cs_error *error) {
  const char *given = arguments->text[CS_OPTION_OUTPUT], *name = arguments->text[CS_OPTION_NAME];
  if (given != NULL && strcmp(given, "-") == 0)
    return cs_error_set(error, CS_USAGE, "-o -: the summary goes to standard output; want the name of a model file");
  if (given == NULL && name == NULL)
    cs_import_add_name(output, arguments->operand[0]);
  else
    cs_text_add(output, "%s", given != NULL ? given : name);
  if (given == NULL) cs_text_add(output, ".json");
  const int code =
      output->failed ? cs_error_memory(error) : cs_command_check_output(arguments, output->data, "import", error);
  return code == CS_OK ? cs_command_absent(arguments, output->data, error) : code;
}

/* What came out, as `check` sees it. */
static int summarise(const char *output, const struct cs_text *bytes, struct cs_text *text, struct cs_error *error) {
  struct cs_json *json = NULL;
  struct cs_model *model = NULL;
  int code = cs_json_parse(output, bytes->data, bytes->length, &json, error);
  if (code == CS_OK) code = cs_model_read(json, &model, error);
  if (code == CS_OK) code = cs_model_check_values(model, error);
  if (code == CS_OK) code = cs_command_add_model(output, model, text, error);
  if (code == CS_OK) code = cs_import_add_summary(model, text, error);
  if (code == CS_OK) cs_command_add_next(output, text);
  cs_model_free(model);
  return code;
}

int cs_command_import(const struct cs_arguments *arguments, struct cs_error *error) {
  const struct cs_values *connect = &arguments->list[CS_OPTION_CONNECT];
  const struct cs_import_wish wish = {.file = arguments->operand,
                                      .files = arguments->operands,
                                      .connect = connect->text,
                                      .connects = connect->count,
                                      .name = arguments->text[CS_OPTION_NAME],
                                      .match = arguments->given[CS_OPTION_MATCH]};
  struct cs_text output = {0}, model = {0}, warnings = {0}, text = {0};
  int code = choose_output(arguments, &output, error);
  if (code == CS_OK) code = cs_import_write(&wish, &model, &warnings, error);
  if (code == CS_OK) code = summarise(output.data, &model, &text, error);
  if (code == CS_OK) code = cs_command_write(output.data, arguments->given[CS_OPTION_FORCE], &model, error);
  if (code == CS_OK) {
    cs_text_make_plain(&warnings);
    cs_command_tell(&warnings);
    cs_text_make_plain(&text);
    code = cs_command_print(&text, error);
  } else {
    cs_text_free(&warnings);
    cs_text_free(&text);
  }
  cs_text_free(&model);
  cs_text_free(&output);
  return code;
}
