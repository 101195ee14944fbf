/* Runs that did not succeed: how many, where, and why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info_private.h"
#include "status.h"
#include "words.h"

/* On a page: a table of the runs. */
static void add_failed_table(struct cs_document *document, const struct cs_digest *d,
                             const struct cs_digest_failure *f) {
  enum { MOST_OPEN = 12, MOST_RUNS = 50 };
  char folded[64];
  const bool steps = cs_digest_steps(d, f->run[0]) >= 0, events = f->status == CS_STATUS_EVENT_LIMIT;
  struct cs_grid grid = {0};
  cs_grid_head(&grid, CS_GRID_RIGHT, "run");
  if (steps) cs_grid_head(&grid, CS_GRID_RIGHT, "steps until then");
  if (events) cs_grid_head(&grid, CS_GRID_LEFT, "events until then");
  cs_info_add_setting_heads(&grid, d, CS_DIGEST_NONE);
  for (size_t r = 0; r < f->count && r < MOST_RUNS; r++) {
    cs_grid_add(&grid, "%zu", f->run[r]);
    if (steps) cs_grid_add(&grid, "%lld", (long long)cs_digest_steps(d, f->run[r]));
    struct cs_text frequent = {0};
    if (events) cs_info_add_frequent(d, f->run[r], &frequent);
    if (events) cs_grid_take(&grid, &frequent);
    cs_info_add_settings(&grid, d, f->run[r], CS_DIGEST_NONE);
  }
  snprintf(folded, sizeof folded, f->count > MOST_RUNS ? "the first %d runs" : "all %d runs",
           f->count > MOST_RUNS ? MOST_RUNS : (int)f->count);
  cs_document_table(document, &grid, f->count > MOST_OPEN ? folded : NULL);
  if (f->count > MOST_RUNS) cs_info_add_rest(document, 4, f->count - MOST_RUNS);
}

/* On a terminal: a line for each of the runs. */
static void add_failed_list(struct cs_document *document, const struct cs_digest *d,
                            const struct cs_digest_failure *f) {
  enum { MOST_RUNS = 4 };
  for (size_t r = 0; r < f->count && r < MOST_RUNS; r++) {
    struct cs_text line = {0};
    cs_digest_add_place(d, f->run[r], CS_DIGEST_NONE, &line);
    if (cs_digest_steps(d, f->run[r]) > 0)
      cs_text_add(&line, ", after %lld steps", (long long)cs_digest_steps(d, f->run[r]));
    if (f->status == CS_STATUS_EVENT_LIMIT && cs_digest_frequent(d, f->run[r]) != CS_DIGEST_NONE) {
      cs_text_add(&line, ", ");
      cs_info_add_frequent(d, f->run[r], &line);
    }
    cs_document_words(document, CS_TONE_PLAIN, 4, "run %zu: %s", f->run[r], cs_text_string(&line));
    cs_document_free_text(document, &line);
  }
  if (f->count > MOST_RUNS) cs_info_add_rest(document, 4, f->count - MOST_RUNS);
}

/* What `run` found out about runs with that status: a line for each reason, "run 2 (H=0): ...". */
static void add_reasons(struct cs_document *document, const struct cs_digest *d, int status) {
  enum { MOST_REASONS = 16 };
  const struct cs_note *note = cs_table_find_note(d->table, "failures");
  for (size_t i = 0, shown = 0; note != NULL && note->type == CS_TEXT && i < note->count && shown < MOST_REASONS; i++) {
    const char *line = note->text[i];
    const size_t run = strncmp(line, "run ", 4) == 0 ? strtoul(line + 4, NULL, 10) : d->runs;
    if (run >= d->runs || cs_table_uint8(d->status, run) != status) continue;
    cs_document_words(document, CS_TONE_PLAIN, 4, "%s", line);
    shown++;
  }
}

static void add_failure(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_failure *f) {
  struct cs_text count = {0}, region = {0};
  cs_words_add_count(&count, (double)f->count);
  if (document->medium == CS_PAGE)
    cs_document_part(document, "%s: %s run%s", cs_digest_status(f->status), cs_text_string(&count),
                     f->count == 1 ? "" : "s");
  if (document->medium == CS_PAGE)
    cs_document_words(document, CS_TONE_PLAIN, 2, "%s.", cs_digest_reason(f->status));
  else
    cs_document_words(document, CS_TONE_PLAIN, 2, "%s %s: %s", cs_text_string(&count), cs_digest_status(f->status),
                      cs_digest_reason(f->status));
  if (f->count > 1) cs_digest_add_region(d, f, &region);
  if (region.length > 0) cs_document_words(document, CS_TONE_DIM, 4, "%s", cs_text_string(&region));
  cs_document_free_text(document, &count);
  cs_document_free_text(document, &region);
  add_reasons(document, d, f->status);
  if (document->medium == CS_TERMINAL)
    add_failed_list(document, d, f);
  else
    add_failed_table(document, d, f);
}

/* Runs that the sweep leaves out have not failed; where they are says enough. */
static void add_skipped(struct cs_document *document, const struct cs_digest *d, const struct cs_digest_failure *f) {
  struct cs_text line = {0}, region = {0};
  cs_words_add_count(&line, (double)f->count);
  cs_text_add(&line, ": %s", cs_digest_reason(f->status));
  if (f->count > 1) cs_digest_add_region(d, f, &region);
  cs_document_section(document, "skipped", "skipped runs", "skipped runs");
  cs_document_words(document, CS_TONE_PLAIN, 2, "%s%s", cs_text_string(&line), document->medium == CS_PAGE ? "." : "");
  if (region.length > 0) cs_document_words(document, CS_TONE_DIM, 4, "%s", cs_text_string(&region));
  cs_document_free_text(document, &line);
  cs_document_free_text(document, &region);
}

void cs_info_add_failures(struct cs_document *document, const struct cs_digest *d) {
  size_t skipped = 0;
  for (size_t i = 0; i < d->failures; i++)
    skipped += d->failure[i].status == CS_STATUS_SKIPPED;
  if (d->failures > skipped || document->medium == CS_PAGE)
    cs_document_section(document, "failures", "failed runs", "runs that did not succeed");
  if (d->failures == skipped && document->medium == CS_PAGE) cs_document_words(document, CS_TONE_PLAIN, 2, "None.");
  for (size_t i = 0; i < d->failures; i++)
    if (d->failure[i].status != CS_STATUS_SKIPPED) add_failure(document, d, &d->failure[i]);
  for (size_t i = 0; i < d->failures; i++)
    if (d->failure[i].status == CS_STATUS_SKIPPED) add_skipped(document, d, &d->failure[i]);
}
