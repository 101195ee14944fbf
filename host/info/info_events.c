/* State events of the best and the worst run. */
#include <math.h>

#include "info_private.h"

static void add_count(struct cs_text *text, size_t start, int64_t count, const char *what) {
  if (count > 0) cs_text_add(text, "%s%lld %s", text->length > start ? ", " : "", (long long)count, what);
}

/* "5 of 5 matched, largest time error 1.2e-3 s"; "1 missed, 2 spurious" without pairs. */
static void add_event(const struct cs_digest *d, size_t run, size_t event, struct cs_text *text) {
  const struct cs_digest_event e = cs_digest_event(d, run, event);
  cs_text_add(text, "%s: ", d->events->labels[event]);
  const size_t start = text->length;
  if (e.matched > 0 && e.exact >= 0)
    cs_text_add(text, "%lld of %lld matched", (long long)e.matched, (long long)e.exact);
  if (!isnan(e.error))
    cs_text_add(text, "%s%s time error %.2g s", text->length > start ? ", " : "", d->largest ? "largest" : "RMS",
                e.error);
  add_count(text, start, e.late, "late");
  add_count(text, start, e.missed, "missed");
  add_count(text, start, e.spurious, "spurious");
  if (text->length == start) cs_text_add(text, "none");
}

static void add_run(struct cs_document *document, const struct cs_digest *d, const char *word, size_t run) {
  struct cs_text text = {0}, place = {0};
  for (size_t i = 0; i < d->events->length; i++) {
    cs_text_add(&text, "%s", i > 0 ? "; " : "");
    add_event(d, run, i, &text);
  }
  cs_digest_add_place(d, run, CS_DIGEST_NONE, &place);
  cs_document_words(document, CS_TONE_PLAIN, 2, "%srun %zu: %s", word, run, cs_text_string(&place));
  cs_document_words(document, CS_TONE_PLAIN, 4, "%s", cs_text_string(&text));
  cs_document_free_text(document, &place);
  cs_document_free_text(document, &text);
}

void cs_info_add_events(struct cs_document *document, const struct cs_digest *d) {
  if (d->right == CS_DIGEST_NONE || d->events->labels == NULL) return;
  cs_document_section(document, "events", "events", "state events");
  add_run(document, d, d->right == d->wrong ? "" : "best, ", d->right);
  if (d->wrong != d->right) add_run(document, d, "worst, ", d->wrong);
}

void cs_info_add_frequent(const struct cs_digest *d, size_t run, struct cs_text *text) {
  const size_t event = cs_digest_frequent(d, run);
  if (event == CS_DIGEST_NONE || d->events->labels == NULL) return;
  const struct cs_digest_event e = cs_digest_event(d, run, event);
  const bool exact = e.exact > e.events;
  cs_text_add(text, "most often %s, %lld times%s", d->events->labels[event], (long long)(exact ? e.exact : e.events),
              exact ? " in the exact solution" : "");
}
