/* cosweep report: a result as one page of HTML. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "report.h"
#include "store.h"

static const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* The file's name with .html in place of its ending, in the working directory. */
static void add_default(const char *path, struct cs_text *text) {
  const char *name = file_name(path), *dot = strrchr(name, '.');
  cs_text_append(text, name, dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name));
  cs_text_add(text, ".html");
}

static int fail(const char *path, const char *doing, struct cs_error *error) {
  const int reason = errno;
  return cs_error_set(error, CS_IO, "%s: %s: %s", path, doing, strerror(reason));
}

/* Complete or absent: written beside its name and renamed. */
static int write_page(const char *path, const struct cs_text *page, struct cs_error *error) {
  struct cs_text beside = {0};
  cs_text_add(&beside, "%s.%ld.part", path, (long)getpid());
  if (beside.failed) return cs_error_memory(error);
  int code = CS_OK;
  FILE *file = fopen(beside.data, "wb");
  if (file == NULL) {
    code = fail(path, "cannot be written", error);
    goto out;
  }
  const bool written = fwrite(page->data, 1, page->length, file) == page->length && fflush(file) == 0;
  if (!written) code = fail(path, "cannot be written", error);
  if (fclose(file) != 0 && code == CS_OK) code = fail(path, "cannot be written", error);
  if (code == CS_OK && rename(beside.data, path) != 0) code = fail(path, "cannot be written", error);
  if (code != CS_OK) remove(beside.data);
out:
  cs_text_free(&beside);
  return code;
}

static int check_absent(const struct cs_arguments *arguments, const char *path, struct cs_error *error) {
  if (arguments->given[CS_OPTION_FORCE] || access(path, F_OK) != 0) return CS_OK;
  return cs_error_set(error, CS_IO, "%s: exists; --force overwrites it", path);
}

int cs_command_report(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *path = arguments->operand[0];
  struct cs_report_figures figures = {0};
  struct cs_table *table = NULL;
  struct cs_error why = {0};
  struct cs_text output = {0}, page = {0};
  if (arguments->given[CS_OPTION_OUTPUT])
    cs_text_add(&output, "%s", arguments->text[CS_OPTION_OUTPUT]);
  else
    add_default(path, &output);
  int code = output.failed ? cs_error_memory(error) : check_absent(arguments, output.data, error);
  if (code == CS_OK) code = cs_store_read(path, &table, error);
  if (code == CS_OK) code = cs_report_draw(table, &figures, error);
  if (code == CS_OK && (code = cs_report_write(table, file_name(path), &figures, &page, &why)) != CS_OK)
    cs_error_set(error, code, "%s: %s", path, why.message);
  if (code == CS_OK) code = write_page(output.data, &page, error);
  if (code == CS_OK && figures.missing != NULL) fprintf(stderr, "%s: no figures: %s\n", output.data, figures.missing);
  if (code == CS_OK) puts(output.data);
  cs_report_free_figures(&figures);
  cs_table_free(table);
  cs_text_free(&output);
  cs_text_free(&page);
  return code;
}
