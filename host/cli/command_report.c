/* cosweep report: a result as one page of HTML. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "interrupt.h"
#include "print.h"
#include "report.h"
#include "store.h"

/* The page of `explore` of a result if it lies beside the report and is not older than the result; "" otherwise. */
static void find_explore(const char *path, const char *output, struct cs_text *page) {
  struct stat of_page, of_result;
  if (strcmp(output, "-") == 0) return;
  cs_text_append(page, output, cs_command_folder(output));
  cs_command_add_renamed(page, path, cs_command_folder(path), "_explore.html");
  if (page->failed ||
      (stat(page->data, &of_page) == 0 && stat(path, &of_result) == 0 && of_page.st_mtime >= of_result.st_mtime))
    return;
  cs_text_free(page);
}

int cs_command_report(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *path = arguments->operand[0];
  struct cs_report_figures figures = {0};
  struct cs_table *table = NULL;
  struct cs_error why = {0};
  struct cs_text output = {0}, page = {0}, explore = {0};
  const size_t folder = cs_command_folder(path);
  cs_command_add_output(&output, arguments, ".html");
  int code = output.failed ? cs_error_memory(error) : cs_command_check_output(arguments, output.data, "report", error);
  if (code == CS_OK) code = cs_command_absent(arguments, output.data, error);
  if (code == CS_OK) code = cs_store_read_lazily(path, CS_STORE_LARGE, &table, error);
  if (code == CS_OK) code = cs_report_draw(table, &figures, error);
  if (code == CS_OK) find_explore(path, output.data, &explore);
  if (code == CS_OK && explore.failed) code = cs_error_memory(error);
  const char *beside = explore.length > 0 ? explore.data + cs_command_folder(explore.data) : NULL;
  if (code == CS_OK && (code = cs_report_write(table, path + folder, beside, &figures, &page, &why)) != CS_OK)
    cs_error_set(error, code, "%s: %s", path, why.message);
  if (code == CS_OK) code = cs_table_check(table, error);
  if (code == CS_OK && figures.missing != NULL && cs_interrupt_came()) code = cs_error_interrupted(error);
  if (code == CS_OK) code = cs_command_write(output.data, arguments->given[CS_OPTION_FORCE], &page, error);
  if (code == CS_OK && strcmp(output.data, "-") != 0) cs_print_path(output.data);
  if (code == CS_OK && figures.missing != NULL) {
    struct cs_text note = {0};
    cs_text_add(&note, "%s: no figures: %s\n", output.data, figures.missing);
    cs_command_tell(&note);
  }
  cs_report_free_figures(&figures);
  cs_table_free(table);
  cs_text_free(&output);
  cs_text_free(&page);
  cs_text_free(&explore);
  return code;
}
