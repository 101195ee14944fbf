/* cosweep info: shows a result file, within 80 columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "info.h"
#include "journal.h"
#include "print.h"
#include "store.h"

/* ---- colours */

static bool wants_colour(void) {
  const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_colour == NULL || no_colour[0] == '\0') &&
         !(terminal != NULL && strcmp(terminal, "dumb") == 0);
}

static void add_escape(struct cs_text *text, const char *code, const char *words, size_t length) {
  cs_text_add(text, "\033[%sm%.*s\033[0m", code, (int)length, words);
}

/* Highlights headings, which are the first words of lines without indentation, and the marks after orders. */
static void add_coloured(struct cs_text *text, const char *line, size_t length) {
  const char *two_blanks = memchr(line, ' ', length);
  size_t head = 0;
  while (two_blanks != NULL && two_blanks[1] != ' ')
    two_blanks = memchr(two_blanks + 1, ' ', length - (size_t)(two_blanks + 1 - line));
  if (length > 0 && line[0] != ' ') head = two_blanks != NULL ? (size_t)(two_blanks - line) : length;
  if (head > 0) add_escape(text, "1", line, head);
  for (size_t i = head; i < length; i++)
    if (line[i] == '!')
      add_escape(text, "33;1", line + i, 1);
    else
      cs_text_append(text, line + i, 1);
}

static void print_coloured(struct cs_text *text) {
  struct cs_text with = {0};
  cs_text_make_plain(text);
  for (const char *line = text->data; line != NULL && *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    add_coloured(&with, line, length);
    cs_text_add(&with, "\n");
    line += length + (line[length] == '\n');
  }
  cs_print_coloured(cs_text_string(&with));
  cs_text_free(&with);
}

/* ---- the command */

static int describe_trace(const char *path, const struct cs_table *table, bool json, struct cs_text *text,
                          struct cs_error *error) {
  struct cs_document document = {.medium = CS_TERMINAL};
  struct cs_digest_trace trace;
  const int code = cs_digest_open_trace(table, &trace, error);
  if (code == CS_OK && json) cs_info_add_trace_json(path, &trace, text);
  if (code == CS_OK && !json) cs_info_add_trace(&document, path, &trace);
  cs_document_print(&document, text);
  cs_document_free(&document);
  cs_digest_free_trace(&trace);
  return code;
}

static int describe_result(const char *path, const struct cs_table *table, bool json, struct cs_text *text,
                           struct cs_error *error) {
  struct cs_document document = {.medium = CS_TERMINAL};
  struct cs_digest digest;
  const int code = cs_digest_open(table, &digest, error);
  if (code == CS_OK && json) cs_info_add_json(path, &digest, text);
  if (code == CS_OK && !json) cs_info_add_result(&document, path, &digest);
  cs_document_print(&document, text);
  cs_document_free(&document);
  cs_digest_free(&digest);
  return code;
}

int cs_command_info(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *path = arguments->operand[0];
  const bool json = arguments->given[CS_OPTION_JSON];
  struct cs_table *table = NULL;
  struct cs_error why = {0};
  struct cs_text text = {0};
  if (cs_journal_is(path) && !arguments->given[CS_OPTION_RANK]) return cs_command_journal(path, json, error);
  int code = cs_store_read_lazily(path, CS_STORE_LARGE, &table, error);
  if (code != CS_OK) return code;
  if (arguments->given[CS_OPTION_RANK]) {
    if (cs_digest_is_trace(table))
      code = cs_error_set(error, CS_USAGE, "%s: a trace is one run; --rank wants a result of several", path);
    else
      code = cs_command_rank(arguments, table, error);
    goto out;
  }
  code = cs_digest_is_trace(table) ? describe_trace(path, table, json, &text, &why)
                                   : describe_result(path, table, json, &text, &why);
  if (code != CS_OK) {
    cs_error_set(error, code, "%s: %s", path, why.message);
    goto out;
  }
  code = cs_table_check(table, error);
  if (code != CS_OK) goto out;
  if (!json && !text.failed && wants_colour())
    print_coloured(&text);
  else
    code = cs_command_print(&text, error);
out:
  cs_text_free(&text);
  cs_table_free(table);
  return code;
}
