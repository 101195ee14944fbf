/* cosweep import: a model from files of other programs. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "import.h"

/* ---- options of FMUs, and of code */

/* An option for files that none of the operands is, or that does not go together with them. */
static int check_options(const struct cs_arguments *arguments, struct cs_error *error) {
  static const enum cs_option options[] = {CS_OPTION_IDENTIFY, CS_OPTION_STATES, CS_OPTION_TIME, CS_OPTION_STEP};
  bool fmus = false, alone = false;
  for (size_t i = 0; i < arguments->operands; i++) {
    const struct cs_python_kind *kind = cs_python_kind(arguments->operand[i]);
    fmus = fmus || (kind != NULL && kind->fmus);
    alone = alone || (kind != NULL && strcmp(kind->extension, ".fmu") == 0);
  }
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (arguments->given[options[i]] && !fmus)
      return cs_error_set(error, CS_USAGE, "--%s: means nothing without FMUs", cs_option_row(options[i])->name);
  if (arguments->given[CS_OPTION_TIME] && alone &&
      (arguments->given[CS_OPTION_CONNECT] || arguments->given[CS_OPTION_MATCH]))
    return cs_error_set(error, CS_USAGE,
                        "--at: FMUs run up to there one by one; want an SSP file of those that are connected");
  return CS_OK;
}

/* Says on stderr what is about to be run, or refuses it. */
static int tell_code(const struct cs_arguments *arguments, struct cs_error *error) {
  struct cs_text text = {0};
  for (size_t i = 0; i < arguments->operands; i++) {
    const struct cs_python_kind *kind = cs_python_kind(arguments->operand[i]);
    if (kind == NULL || kind->code == NULL) continue;
    if (arguments->given[CS_OPTION_NO_CODE])
      return cs_error_set(error, CS_INPUT, "%s: reading %s runs %s; --no-code allows none", arguments->operand[i],
                          kind->plural, kind->code);
    cs_text_add(&text, "%s: runs %s\n", arguments->operand[i], kind->code);
  }
  cs_text_make_plain(&text);
  if (!arguments->given[CS_OPTION_QUIET]) cs_command_tell(&text);
  cs_text_free(&text);
  return CS_OK;
}

/* ---- the model */

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
  const double patience = arguments->real[CS_OPTION_TIME_LIMIT];
  const size_t memory = arguments->number[CS_OPTION_MEMORY];
  const struct cs_import_wish wish = {.file = arguments->operand,
                                      .files = arguments->operands,
                                      .connect = connect->text,
                                      .connects = connect->count,
                                      .name = arguments->text[CS_OPTION_NAME],
                                      .match = arguments->given[CS_OPTION_MATCH],
                                      .python = {.identify = arguments->text[CS_OPTION_IDENTIFY],
                                                 .states = arguments->text[CS_OPTION_STATES],
                                                 .at = arguments->text[CS_OPTION_TIME],
                                                 .step = arguments->text[CS_OPTION_STEP],
                                                 .seconds = patience > 0 ? patience : 60,
                                                 .memory = memory > 0 ? memory : (size_t)4000000000}};
  struct cs_text output = {0}, model = {0}, warnings = {0}, text = {0};
  /* What runs no code is read first: a model of cosweep is said to be one, not to be in the way of its own name. */
  const bool first = cs_python_kind(arguments->operand[0]) == NULL;
  int code = cs_error_usage(error, check_options(arguments, error), "import");
  if (code == CS_OK && !first) code = choose_output(arguments, &output, error);
  if (code == CS_OK) code = tell_code(arguments, error);
  if (code == CS_OK) code = cs_import_write(&wish, &model, &warnings, error);
  if (code == CS_OK && first) code = choose_output(arguments, &output, error);
  if (code == CS_OK) code = summarise(output.data, &model, &text, error);
  if (code == CS_OK) code = cs_command_write(output.data, arguments->given[CS_OPTION_FORCE], &model, error);
  if (code == CS_OK) {
    cs_command_tell(&warnings);
    if (!arguments->given[CS_OPTION_QUIET]) code = cs_command_print(&text, error);
  }
  cs_text_free(&warnings);
  cs_text_free(&text);
  cs_text_free(&model);
  cs_text_free(&output);
  return code;
}
