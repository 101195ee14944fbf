/* cosweep info: what a result file holds, within 80 columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "info.h"
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

/* Headings, the first words of lines that are not moved in, stand out; so do the signs behind orders. */
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

static void colour(struct cs_text *text) {
  struct cs_text with = {0};
  for (const char *line = text->data; line != NULL && *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    add_coloured(&with, line, length);
    cs_text_add(&with, "\n");
    line += length + (line[length] == '\n');
  }
  with.failed |= text->failed;
  cs_text_free(text);
  *text = with;
}

/* ---- head */

static void add_statuses(const struct cs_digest *d, struct cs_text *text) {
  const char *separator = ": ";
  cs_text_add(text, "runs      ");
  cs_add_count(text, (double)d->runs);
  if (d->good > 0) {
    cs_text_add(text, ": ");
    cs_add_count(text, (double)d->good);
    cs_text_add(text, " ok");
    separator = ", ";
  }
  for (size_t i = 0; i < d->failures; i++, separator = ", ") {
    cs_text_add(text, "%s", separator);
    cs_add_count(text, (double)d->failure[i].count);
    cs_text_add(text, " %s", cs_digest_status(d->failure[i].status));
  }
  cs_text_add(text, "\n");
}

/* How much of a map is stable. */
static void add_stable(const struct cs_digest *d, struct cs_text *text) {
  const size_t stable = cs_digest_stable(d);
  if (stable == CS_DIGEST_NONE) return;
  cs_text_add(text, "stable    ");
  cs_add_count(text, (double)stable);
  cs_text_add(text, "\n");
}

/* "took": what it cost. */
static void add_cost(const struct cs_table *table, struct cs_text *text) {
  const double wall = cs_digest_number(table, "wall_seconds"), steps = cs_digest_number(table, "steps");
  if (steps == steps) {
    cs_text_add(text, "steps     ");
    cs_add_count(text, steps);
    cs_text_add(text, "\n");
  }
  if (wall != wall) return;
  cs_text_add(text, "took      ");
  cs_add_duration(text, wall);
  cs_text_add(text, ", ");
  cs_add_duration(text, cs_digest_number(table, "device_seconds"));
  cs_text_add(text, " on the device\n");
}

/* A line, or several, behind a word. */
static void add_line(const char *label, const char *words, struct cs_text *text) {
  const size_t start = text->length;
  if (words[0] == '\0') return;
  cs_add_paragraph(text, 10, words);
  if (!text->failed && text->length > start) memcpy(text->data + start, label, strlen(label));
}

static void add_head(const struct cs_table *table, const char *path, struct cs_text *text) {
  cs_text_add(text, "%s\n", path);
  cs_add_paragraph(text, 2, table->title);
  cs_text_add(text, "\n");
}

static void add_provenance(const struct cs_table *table, struct cs_text *text) {
  struct cs_text made = {0}, driver = {0};
  cs_text_add(&made, "%s, started %s", table->source, cs_digest_text(table, "started"));
  cs_text_add(&driver, "%s %s", cs_digest_text(table, "platform"), cs_digest_text(table, "driver"));
  cs_text_add(text, "\n");
  add_line("made by", cs_text_string(&made), text);
  add_line("device", cs_digest_text(table, "device"), text);
  add_line("driver", cs_text_string(&driver), text);
  add_line("command", cs_digest_text(table, "command"), text);
  text->failed |= made.failed || driver.failed;
  cs_text_free(&made);
  cs_text_free(&driver);
}

/* ---- the command */

/* Options that say how to rank want --rank. */
static int check_options(const struct cs_arguments *arguments, struct cs_error *error) {
  static const struct {
    enum cs_option option;
    const char *name;
  } rank_only[] = {{CS_OPTION_COST, "cost"},
                   {CS_OPTION_SIGNAL, "signal"},
                   {CS_OPTION_AT, "at"},
                   {CS_OPTION_ERROR, "error"},
                   {CS_OPTION_BUDGET, "budget"}};
  for (size_t i = 0; i < sizeof rank_only / sizeof *rank_only && !arguments->given[CS_OPTION_RANK]; i++)
    if (arguments->given[rank_only[i].option])
      return cs_error_set(error, CS_USAGE,
                          "cosweep info: --%s says how to rank; want --rank METRIC with it (see: cosweep info --help)",
                          rank_only[i].name);
  return CS_OK;
}

static int describe_trace(const char *path, const struct cs_table *table, bool json, struct cs_text *text,
                          struct cs_error *error) {
  struct cs_digest_trace trace;
  const int code = cs_digest_open_trace(table, &trace, error);
  if (code == CS_OK && json) cs_info_add_trace_json(path, &trace, text);
  if (code == CS_OK && !json) {
    add_head(table, path, text);
    cs_info_add_trace(&trace, text);
    add_provenance(table, text);
  }
  cs_digest_free_trace(&trace);
  return code;
}

static int describe_result(const char *path, const struct cs_table *table, bool json, struct cs_text *text,
                           struct cs_error *error) {
  struct cs_digest digest;
  int code = cs_digest_open(table, &digest, error);
  if (code == CS_OK && json) cs_info_add_json(path, &digest, text);
  if (code == CS_OK && !json) {
    add_head(table, path, text);
    add_statuses(&digest, text);
    if (cs_table_find_note(table, "study") != NULL) cs_text_add(text, "study     %s\n", cs_digest_text(table, "study"));
    add_stable(&digest, text);
    add_cost(table, text);
    cs_info_add_result(&digest, text);
    add_provenance(table, text);
  }
  cs_digest_free(&digest);
  return code;
}

int cs_command_info(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *path = arguments->operand[0];
  const bool json = arguments->given[CS_OPTION_JSON];
  struct cs_table *table = NULL;
  struct cs_error why = {0};
  struct cs_text text = {0};
  int code = check_options(arguments, error);
  if (code == CS_OK) code = cs_store_read(path, &table, error);
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
  if (!json && wants_colour()) colour(&text);
  code = cs_command_print(&text, error);
out:
  cs_text_free(&text);
  cs_table_free(table);
  return code;
}
