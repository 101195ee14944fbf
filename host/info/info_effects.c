/* Which axes matter for the error at equal cost. */
#include "effects.h"
#include "info_private.h"

/* Runs that are sorted for it. */
enum { MOST_RUNS = 1000000 };

static void add(struct cs_document *document, const struct cs_comparison *c) {
  struct cs_effects effects = {0};
  struct cs_text words = {0};
  if (cs_effects_find(c, &effects, NULL) != CS_OK || effects.count < 2) return;
  cs_effects_add(c, &effects, &words);
  if (document->medium == CS_PAGE) cs_document_section(document, "effects", "effects", "main effects");
  if (document->medium == CS_PAGE)
    cs_document_words(document, CS_TONE_PLAIN, 0, "Shares of the variance of log %s at equal %s: %s.", c->metric->name,
                      c->cost->name, cs_text_string(&words));
  else
    cs_document_term(document, "effects", "shares of the variance of log %s at equal %s: %s", c->metric->name,
                     c->cost->name, cs_text_string(&words));
  cs_document_free_text(document, &words);
}

void cs_info_add_effects(struct cs_document *document, const struct cs_digest *d) {
  const struct cs_array *metric = cs_table_find(d->table, "output_error");
  if (metric == NULL) metric = cs_runs_usual(d->table, CS_USE_JUDGE);
  if (metric == NULL || d->status == NULL || d->status->count > MOST_RUNS) return;
  const struct cs_comparison_wish wish = {.path = "", .metric = metric->name};
  struct cs_comparison comparison;
  if (cs_comparison_open(d->table, &wish, &comparison, NULL) == CS_OK) add(document, &comparison);
  cs_comparison_free(&comparison);
}
