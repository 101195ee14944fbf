/* cosweep export: a result for programs that do not read HDF5, or not this well. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claim.h"
#include "command.h"
#include "export.h"
#include "store.h"

enum format { CSV, MATLAB, XDMF, FORMATS };

static const struct {
  const char *name, *ending;
} format_table[FORMATS] = {{"csv", ".csv"}, {"matlab", ".mat"}, {"xdmf", ".xmf"}};

static int choose_format(const struct cs_arguments *arguments, enum format *format, struct cs_error *error) {
  const char *name = arguments->text[CS_OPTION_FORMAT];
  for (*format = CSV; *format < FORMATS; ++*format)
    if (name == NULL || strcmp(name, format_table[*format].name) == 0) return CS_OK;
  return cs_error_set(error, CS_USAGE,
                      "cosweep export: --format %s; want one of: csv, matlab, xdmf%s (see: cosweep export --help)",
                      name, strcmp(name, "netcdf") == 0 ? "; a result is a netCDF-4 file as it is" : "");
}

/* ---- names of files */

static size_t directory_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* The result's name with another ending. */
static void add_default_output(struct cs_text *output, const char *path, enum format format) {
  const size_t length = strlen(path), ending = length > 3 && strcmp(path + length - 3, ".h5") == 0 ? 3 : 0;
  cs_text_append(output, path, length - ending);
  cs_text_add(output, "%s", format_table[format].ending);
}

/* The result as a file beside it names it, or any other. */
static int add_reference(struct cs_text *reference, const char *path, const char *output, struct cs_error *error) {
  const size_t directory = directory_length(path);
  if (strcmp(output, "-") != 0 && directory_length(output) == directory && strncmp(path, output, directory) == 0) {
    cs_text_add(reference, "%s", path + directory);
    return CS_OK;
  }
  char *absolute = realpath(path, NULL);
  if (absolute == NULL) return cs_error_set(error, CS_IO, "%s: %s", path, strerror(errno));
  cs_text_add(reference, "%s", absolute);
  free(absolute);
  return CS_OK;
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

/* What fails on stdout is told at the end of the program. */
static int write_to(const char *output, bool force, const struct cs_text *bytes, struct cs_error *error) {
  struct cs_claim *claim = NULL;
  if (strcmp(output, "-") == 0) {
    fwrite(bytes->data, 1, bytes->length, stdout);
    return CS_OK;
  }
  int code = cs_claim_open(output, force, &claim, error);
  if (code == CS_OK) code = cs_claim_commit(claim, bytes->data, bytes->length, error);
  cs_claim_close(claim);
  if (code == CS_OK) puts(output);
  return code;
}

int cs_command_export(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *path = arguments->operand[0];
  const struct cs_export_wish wish = {.path = path,
                                      .group = arguments->text[CS_OPTION_GROUP],
                                      .metric = arguments->metric,
                                      .metrics = arguments->metrics,
                                      .where = arguments->where,
                                      .wheres = arguments->wheres};
  struct cs_text output = {0}, bytes = {0};
  struct cs_table *table = NULL;
  struct cs_export export = {0};
  enum format format;
  int code = choose_format(arguments, &format, error);
  if (code != CS_OK) return code;
  if (arguments->given[CS_OPTION_OUTPUT])
    cs_text_add(&output, "%s", arguments->text[CS_OPTION_OUTPUT]);
  else
    add_default_output(&output, path, format);
  if (output.failed) code = cs_error_memory(error);
  if (code == CS_OK) code = cs_store_read(path, &table, error);
  if (code == CS_OK) code = cs_export_open(table, &wish, &export, error);
  if (code == CS_OK) code = convert(&export, format, path, output.data, &bytes, error);
  if (code == CS_OK) code = write_to(output.data, arguments->given[CS_OPTION_FORCE], &bytes, error);
  cs_export_close(&export);
  cs_table_free(table);
  cs_text_free(&bytes);
  cs_text_free(&output);
  return code;
}
