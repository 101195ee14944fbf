/* cosweep export of a model: its subsystems as FMUs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "command.h"
#include "print.h"

/* The options of results say nothing here. */
static int check_options(const struct cs_arguments *arguments, struct cs_error *error) {
  static const enum cs_option of_results[] = {CS_OPTION_METRIC, CS_OPTION_WHERE, CS_OPTION_GROUP};
  for (size_t i = 0; i < sizeof of_results / sizeof *of_results; i++)
    if (arguments->given[of_results[i]])
      return cs_error_set(error, CS_USAGE, "cosweep export: --%s means nothing with --format %s, which writes a model",
                          cs_option_row(of_results[i])->name, arguments->text[CS_OPTION_FORMAT]);
  return CS_OK;
}

/* Where each file goes: into a directory, or the only one by its own name. */
static int name_outputs(const struct cs_arguments *arguments, const char *directory, bool alone,
                        const struct cs_fmu_files *files, struct cs_text *output, struct cs_error *error) {
  const char *given = arguments->text[CS_OPTION_OUTPUT];
  const size_t length = strlen(directory);
  int code = CS_OK;
  if (!alone && strcmp(directory, "-") == 0)
    return cs_error_set(error, CS_USAGE, "-o -: there are several files; want a directory");
  for (size_t i = 0; i < files->count && code == CS_OK; i++) {
    const char *name = cs_text_string(&files->file[i].name);
    if (alone)
      cs_text_add(&output[i], "%s", given != NULL ? given : name);
    else
      cs_text_add(&output[i], "%s%s%s", directory, length > 0 && directory[length - 1] == '/' ? "" : "/", name);
    code =
        output[i].failed ? cs_error_memory(error) : cs_command_check_output(arguments, output[i].data, "export", error);
    if (code == CS_OK) code = cs_command_absent(arguments, output[i].data, error);
  }
  return code;
}

static int write_files(const struct cs_arguments *arguments, const struct cs_fmu_files *files,
                       const struct cs_text *output, struct cs_error *error) {
  const bool force = arguments->given[CS_OPTION_FORCE];
  size_t written = 0;
  int code = CS_OK;
  cs_claim_expect(files->count);
  for (; written < files->count && code == CS_OK; written += code == CS_OK)
    code = cs_command_write(output[written].data, force, &files->file[written].bytes, error);
  for (size_t i = 0; i < written; i++)
    if (code == CS_OK && strcmp(output[i].data, "-") != 0)
      cs_print_path(output[i].data);
    else if (code != CS_OK && !force) /* some of the files are no model */
      unlink(output[i].data);
  return code;
}

int cs_command_export_model(const struct cs_arguments *arguments, enum cs_fmu_kind kind, struct cs_error *error) {
  struct cs_model *model = NULL;
  struct cs_fmu_files files = {0};
  struct cs_text *output = NULL;
  const bool alone = kind == CS_FMU_SSP;
  const char *directory = arguments->text[CS_OPTION_OUTPUT];
  bool made = false;
  int code = check_options(arguments, error);
  if (code == CS_OK) code = cs_model_load(arguments->operand[0], &model, error);
  if (code == CS_OK) code = cs_fmu_export(model, kind, arguments->real[CS_OPTION_STEP], &files, error);
  if (code == CS_OK && (output = calloc(files.count + 1, sizeof *output)) == NULL) code = cs_error_memory(error);
  if (code == CS_OK && directory == NULL) directory = model->name;
  if (code == CS_OK) code = name_outputs(arguments, directory, alone, &files, output, error);
  if (code == CS_OK && !alone) code = cs_command_make_directory(directory, &made, error);
  if (code == CS_OK) code = write_files(arguments, &files, output, error);
  if (code != CS_OK && made) rmdir(directory);
  for (size_t i = 0; output != NULL && i < files.count; i++)
    cs_text_free(&output[i]);
  free(output);
  cs_fmu_free(&files);
  cs_model_free(model);
  return code;
}
