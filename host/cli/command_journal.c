/* cosweep info of a journal: what an unfinished run has done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "journal.h"
#include "json.h"
#include "kept.h"

/* What follows `word` in the line of the plan that begins with it, up to its end; "" if there is none. */
static char *member_of(const char *plan, const char *word) {
  const size_t length = strlen(word);
  for (const char *line = plan; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n')
    if (strncmp(line, word, length) == 0) return cs_text_copy_part(line + length, strcspn(line, "\n") - length);
  return cs_text_copy("");
}

/* The last line, "runs N". */
static size_t runs_of(const char *plan) {
  const char *last = NULL;
  for (const char *found = plan; (found = strstr(found, "\nruns ")) != NULL; found++)
    last = found;
  return last != NULL ? (size_t)strtoull(last + strlen("\nruns "), NULL, 10) : 0;
}

/* What is said of a journal. */
struct said {
  const struct cs_journal *journal;
  char *program, *device, *shard, *sweep;
  size_t runs, sessions;
  struct cs_text text;      /* of the sessions */
  struct cs_writer *writer; /* or where they go as JSON */
};

static const char *string_of(const struct cs_node *root, const char *key) {
  const struct cs_node *node = cs_json_get(root, key);
  return node != NULL && cs_json_kind(node) == CS_STRING ? cs_json_string(node) : "?";
}

/* What other programs have written is no input file of the user's. */
static int read_session(const struct said *s, const char *session, struct cs_json **json, struct cs_error *error) {
  const char *path = cs_journal_path(s->journal);
  const int code = cs_json_parse(path, session, strlen(session), json, error);
  if (code != CS_INPUT) return code;
  return cs_error_set(error, CS_IO, "%s: is damaged: what it says of a session is no JSON; want it moved away", path);
}

static int add_session(void *context, const char *session, struct cs_error *error) {
  struct said *s = context;
  struct cs_json *json = NULL;
  const int code = read_session(s, session, &json, error);
  if (code != CS_OK) return code;
  const struct cs_node *root = cs_json_root(json), *process = cs_json_get(root, "process");
  s->sessions++;
  cs_text_add(&s->text, "  %s on %s", string_of(root, "started"), string_of(root, "host"));
  if (process != NULL && cs_json_kind(process) == CS_NUMBER)
    cs_text_add(&s->text, ", process %.0f", cs_json_number(process));
  cs_text_add(&s->text, ": %s\n", string_of(root, "command"));
  cs_json_free(json);
  return CS_OK;
}

static int write_session(void *context, const char *session, struct cs_error *error) {
  const struct said *s = context;
  struct cs_json *json = NULL;
  const int code = read_session(s, session, &json, error);
  if (code == CS_OK) cs_json_write(s->writer, NULL, cs_json_root(json));
  cs_json_free(json);
  return code;
}

static const char *const pass_words[CS_PASSES] = {
    [CS_PASS_RUNS] = "runs",       [CS_PASS_AGAIN] = "repeated", [CS_PASS_OTHER] = "comparisons",
    [CS_PASS_SPECTRA] = "spectra", [CS_PASS_POINTS] = "points",
};

static void add_text(const struct said *s, struct cs_text *text) {
  cs_text_add(text, "%s: journal of a run that has not ended\n", cs_journal_path(s->journal));
  cs_text_add(text, "sweep     %s: ", s->sweep);
  cs_words_add_count(text, (double)cs_journal_found(s->journal, CS_PASS_RUNS));
  cs_text_add(text, " of ");
  cs_words_add_count(text, (double)s->runs);
  cs_text_add(text, " runs are done");
  for (int pass = CS_PASS_RUNS + 1; pass < CS_PASSES; pass++) {
    if (cs_journal_found(s->journal, pass) == 0) continue;
    cs_text_add(text, ", ");
    cs_words_add_count(text, (double)cs_journal_found(s->journal, pass));
    cs_text_add(text, " %s", pass_words[pass]);
  }
  if (s->shard[0] != '\0') cs_text_add(text, "\nshard     %s", s->shard);
  cs_text_add(text, "\nprogram   cosweep %s\ndevice    %s\nbytes     ", s->program, s->device);
  cs_words_add_count(text, (double)cs_journal_bytes(s->journal));
  if (cs_journal_dropped(s->journal) > 0) {
    cs_text_add(text, "\ndamage    ");
    cs_kept_add_damage(s->journal, text);
  }
  cs_text_add(text, "\nsessions  %zu\n%s", s->sessions, cs_text_string(&s->text));
  text->failed |= s->text.failed;
}

static int add_json(struct said *s, struct cs_journal *journal, struct cs_text *text, struct cs_error *error) {
  struct cs_writer w = {.text = text};
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "file", cs_journal_path(journal));
  cs_writer_string(&w, "sweep", s->sweep);
  if (s->shard[0] != '\0') cs_writer_string(&w, "shard", s->shard);
  cs_writer_count(&w, "runs", s->runs);
  cs_writer_object(&w, "done");
  for (int pass = 0; pass < CS_PASSES; pass++)
    cs_writer_count(&w, pass_words[pass], cs_journal_found(journal, pass));
  cs_writer_end(&w);
  cs_writer_string(&w, "program", s->program);
  cs_writer_string(&w, "device", s->device);
  cs_writer_count(&w, "bytes", cs_journal_bytes(journal));
  cs_writer_count(&w, "dropped", cs_journal_dropped(journal));
  cs_writer_count(&w, "lost", cs_journal_lost(journal));
  cs_writer_list(&w, "sessions");
  s->writer = &w;
  const int code = cs_journal_sessions(journal, write_session, s, error);
  cs_writer_end(&w);
  cs_writer_end(&w);
  cs_text_add(text, "\n");
  return code;
}

int cs_command_journal(const char *path, bool json, struct cs_error *error) {
  struct cs_journal *journal = NULL;
  struct cs_text text = {0};
  int code = cs_journal_read(path, NULL, &journal, error);
  if (code != CS_OK) return code;
  const char *plan = cs_journal_plan(journal);
  struct said s = {.journal = journal,
                   .program = member_of(plan, "cosweep "),
                   .device = member_of(plan, "device "),
                   .shard = member_of(plan, "shard "),
                   .sweep = member_of(plan, "sweep "),
                   .runs = runs_of(plan)};
  if (s.program == NULL || s.device == NULL || s.shard == NULL || s.sweep == NULL) code = cs_error_memory(error);
  if (code == CS_OK)
    code = json ? add_json(&s, journal, &text, error) : cs_journal_sessions(journal, add_session, &s, error);
  if (code == CS_OK && !json) add_text(&s, &text);
  if (code == CS_OK) code = cs_command_print(&text, error);
  cs_text_free(&text);
  cs_text_free(&s.text);
  free(s.program);
  free(s.device);
  free(s.shard);
  free(s.sweep);
  cs_journal_close(journal, false);
  return code;
}
