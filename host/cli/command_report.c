/* cosweep report: a result as one page of HTML. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "command.h"
#include "interrupt.h"
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

/* What fails on stdout is told at the end of the program. */
static int write_page(const char *path, bool force, const struct cs_text *page, struct cs_error *error) {
  struct cs_claim *claim = NULL;
  if (strcmp(path, "-") == 0) {
    fwrite(page->data, 1, page->length, stdout);
    return CS_OK;
  }
  int code = cs_claim_open(path, force, &claim, error);
  if (code == CS_OK) code = cs_claim_commit(claim, page->data, page->length, error);
  cs_claim_close(claim);
  if (code == CS_OK) puts(path);
  return code;
}

static int check_absent(const struct cs_arguments *arguments, const char *path, struct cs_error *error) {
  if (arguments->given[CS_OPTION_FORCE] || strcmp(path, "-") == 0 || access(path, F_OK) != 0) return CS_OK;
  return cs_error_set(error, CS_IO, "%s: exists; --force overwrites it", path);
}

int cs_command_report(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *path = arguments->operand[0];
  const volatile sig_atomic_t *interrupted = cs_interrupt_catch(); /* gnuplot ends, what it has begun is removed */
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
  if (*interrupted) code = cs_error_set(error, CS_INTERRUPTED, "interrupted");
  if (code == CS_OK) code = write_page(output.data, arguments->given[CS_OPTION_FORCE], &page, error);
  if (code == CS_OK && figures.missing != NULL) fprintf(stderr, "%s: no figures: %s\n", output.data, figures.missing);
  cs_report_free_figures(&figures);
  cs_table_free(table);
  cs_text_free(&output);
  cs_text_free(&page);
  return code;
}
