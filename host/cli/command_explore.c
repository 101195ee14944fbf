/* cosweep explore: a result as a page to look around in. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "explore.h"
#include "histories.h"
#include "print.h"
#include "store.h"

struct results {
  struct cs_explore_file file[CS_EXPLORE_FILES];
  struct cs_table *table[CS_EXPLORE_FILES]; /* owned */
  struct cs_histories histories;            /* of the first one */
  struct cs_explore_trace trace[CS_HISTORIES_MOST];
  size_t count;
};

static int read_results(const struct cs_arguments *arguments, struct results *r, struct cs_error *error) {
  int code = CS_OK;
  if (arguments->operands > CS_EXPLORE_FILES)
    return cs_error_usage(
        error, cs_error_set(error, CS_USAGE, "%zu files; want one, or two to compare", arguments->operands), "explore");
  for (; r->count < arguments->operands && code == CS_OK; r->count++) {
    struct cs_explore_file *file = &r->file[r->count];
    file->path = arguments->operand[r->count];
    code = cs_store_read_lazily(file->path, CS_STORE_LARGE, &r->table[r->count], error);
    file->table = r->table[r->count];
  }
  return code;
}

static int read_histories(const struct cs_arguments *arguments, struct results *r, struct cs_error *error) {
  if (!arguments->given[CS_OPTION_TRACE]) return CS_OK;
  const int code = cs_histories_compute(r->file[0].path, r->table[0], arguments, &r->histories, error);
  r->file[0].trace = r->trace;
  r->file[0].traces = r->histories.count;
  for (size_t i = 0; i < r->histories.count; i++)
    r->trace[i] = (struct cs_explore_trace){r->histories.run[i], r->histories.table[i]};
  return code;
}

/* Hands the page to the user's browser; CS_IO if there is none. */
static int show(const char *page, struct cs_error *error) {
  const pid_t child = fork();
  int status = 0;
  if (child < 0) return cs_error_set(error, CS_IO, "xdg-open: %s", strerror(errno));
  if (child == 0) { /* which of all browsers it has looked for says nothing to the user */
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDERR_FILENO);
    execlp("xdg-open", "xdg-open", page, (char *)NULL);
    _exit(127);
  }
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CS_OK;
  return cs_error_set(error, CS_IO, "%s is written, but %s", page,
                      WIFEXITED(status) && WEXITSTATUS(status) == 127
                          ? "xdg-open, which would show it, is not installed"
                          : "xdg-open found no browser for it");
}

int cs_command_explore(const struct cs_arguments *arguments, struct cs_error *error) {
  const struct cs_values *metric = &arguments->list[CS_OPTION_METRIC], *where = &arguments->list[CS_OPTION_WHERE];
  const struct cs_explore_wish wish = {metric->text, metric->count, where->text, where->count};
  struct results results = {.count = 0};
  struct cs_text output = {0}, page = {0};
  cs_command_add_output(&output, arguments, "_explore.html");
  int code = output.failed ? cs_error_memory(error) : cs_command_check_output(arguments, output.data, "explore", error);
  if (code == CS_OK && arguments->given[CS_OPTION_OPEN] && strcmp(output.data, "-") == 0)
    code =
        cs_error_usage(error, cs_error_set(error, CS_USAGE, "-o -: a browser opens no stdout; want a file"), "explore");
  if (code == CS_OK) code = cs_command_absent(arguments, output.data, error);
  if (code == CS_OK) code = read_results(arguments, &results, error);
  if (code == CS_OK) code = read_histories(arguments, &results, error);
  if (code == CS_OK) code = cs_explore_write(results.file, results.count, &wish, &page, error);
  if (code == CS_OK) code = cs_command_write(output.data, arguments->given[CS_OPTION_FORCE], &page, error);
  if (code == CS_OK && strcmp(output.data, "-") != 0) cs_print_path(output.data);
  if (code == CS_OK && arguments->given[CS_OPTION_OPEN]) code = show(output.data, error);
  cs_histories_free(&results.histories);
  for (size_t i = 0; i < CS_EXPLORE_FILES; i++)
    cs_table_free(results.table[i]);
  cs_text_free(&output);
  cs_text_free(&page);
  return code;
}
