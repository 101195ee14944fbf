/* cosweep export: a result in other formats; models: command_export_model.c. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "export.h"
#include "print.h"
#include "store.h"

/* In the order of the words of --format. */
enum format { CSV, MATLAB, XDMF, FMU, SSP, OSP, FORMATS };

static const char *const ending[FMU] = {".csv", ".mat", ".xmf"};

static int choose_format(const struct cs_arguments *arguments, enum format *format, struct cs_error *error) {
  const char *name = arguments->text[CS_OPTION_FORMAT], *const *words = cs_option_row(CS_OPTION_FORMAT)->words;
  struct cs_text want = {0};
  for (*format = CSV; *format < FORMATS; ++*format)
    if (name == NULL || strcmp(name, words[*format]) == 0) return CS_OK;
  cs_option_add_words(words, ", ", ", ", &want);
  const int code =
      cs_error_set(error, CS_USAGE, "cosweep export: --format %s; want one of: %s%s (see: cosweep export --help)", name,
                   cs_text_string(&want), strcmp(name, "netcdf") == 0 ? "; a result already is a netCDF-4 file" : "");
  cs_text_free(&want);
  return code;
}

/* ---- names of files */

/* The result's name with another extension. */
static void add_default_output(struct cs_text *output, const char *path, enum format format) {
  const size_t length = strlen(path), cut = length > 3 && strcmp(path + length - 3, ".h5") == 0 ? 3 : 0;
  cs_text_append(output, path, length - cut);
  cs_text_add(output, "%s", ending[format]);
}

/* The path by which `output` refers to the result: its name in the same directory, otherwise absolute. */
static int add_reference(struct cs_text *reference, const char *path, const char *output, struct cs_error *error) {
  const size_t directory = cs_command_folder(path);
  if (strcmp(output, "-") != 0 && cs_command_folder(output) == directory && strncmp(path, output, directory) == 0) {
    cs_text_add(reference, "%s", path + directory);
    return CS_OK;
  }
  char *absolute = realpath(path, NULL);
  if (absolute == NULL) return cs_error_set(error, CS_IO, "%s: %s", path, strerror(errno));
  cs_text_add(reference, "%s", absolute);
  free(absolute);
  return CS_OK;
}

static int take_part(void *context, struct cs_text *text, struct cs_error *error) {
  return cs_command_put(context, text, error);
}

/* ---- the whole */

static int convert(const struct cs_export *export, enum format format, const char *path, const char *output,
                   struct cs_text *bytes, struct cs_error *error) {
  struct cs_text reference = {0};
  int code = CS_OK;
  if (format == CSV) return cs_export_csv(export, bytes, error);
  if (format == MATLAB) return cs_export_matlab(export, bytes, error);
  code = add_reference(&reference, path, output, error);
  if (code == CS_OK && reference.failed) code = cs_error_memory(error);
  if (code == CS_OK) code = cs_export_xdmf(export, reference.data, bytes, error);
  cs_text_free(&reference);
  return code;
}

int cs_command_export(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *path = arguments->operand[0];
  const struct cs_values *metric = &arguments->list[CS_OPTION_METRIC], *where = &arguments->list[CS_OPTION_WHERE];
  const struct cs_export_wish wish = {.path = path,
                                      .group = arguments->text[CS_OPTION_GROUP],
                                      .metric = metric->text,
                                      .metrics = metric->count,
                                      .where = where->text,
                                      .wheres = where->count};
  struct cs_text output = {0}, bytes = {0};
  struct cs_table *table = NULL;
  struct cs_export export = {0};
  enum format format;
  int code = choose_format(arguments, &format, error);
  if (code != CS_OK) return code;
  if (format >= FMU)
    return cs_command_export_model(arguments,
                                   format == FMU   ? CS_FMU_ALONE
                                   : format == SSP ? CS_FMU_SSP
                                                   : CS_FMU_OSP,
                                   error);
  const size_t length = strlen(path);
  if (length > 5 && strcmp(path + length - 5, ".json") == 0)
    return cs_error_set(error, CS_USAGE,
                        "cosweep export: %s is no result; a model is exported with --format fmu, ssp or osp", path);
  if (arguments->given[CS_OPTION_STEP])
    return cs_error_set(error, CS_USAGE, "cosweep export: --step needs --format fmu, ssp or osp");
  if (arguments->given[CS_OPTION_OUTPUT])
    cs_text_add(&output, "%s", arguments->text[CS_OPTION_OUTPUT]);
  else
    add_default_output(&output, path, format);
  code = output.failed ? cs_error_memory(error) : cs_command_check_output(arguments, output.data, "export", error);
  /* MATLAB wants the first dimension fastest: that would be a block for every number */
  const size_t least = format == MATLAB ? 0 : CS_STORE_LARGE;
  if (code == CS_OK) code = cs_store_read_lazily(path, least, &table, error);
  if (code == CS_OK) code = cs_export_open(table, &wish, &export, error);
  struct cs_command_output file = {output.data, arguments->given[CS_OPTION_FORCE], NULL};
  export.take = take_part;
  export.context = &file;
  if (code == CS_OK) code = convert(&export, format, path, output.data, &bytes, error);
  if (code == CS_OK) code = cs_table_check(table, error);
  if (code == CS_OK) code = cs_command_end(&file, &bytes, error);
  cs_command_drop(&file);
  if (code == CS_OK && strcmp(output.data, "-") != 0) cs_print_path(output.data);
  cs_export_close(&export);
  cs_table_free(table);
  cs_text_free(&bytes);
  cs_text_free(&output);
  return code;
}
