/* What follows from the numbers, in sentences: one each, only where it holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain_private.h"

/* Appends "orders 2 and 3" of those with which hold lagrange diverges under a master at H = 0; the count of them. */
static size_t add_diverging(const struct cs_explanation *e, const struct cs_approach *approach, struct cs_text *text) {
  unsigned order[CS_EXPLAIN_ORDERS];
  size_t count = 0;
  for (size_t i = 0; i < e->zeros; i++)
    if (e->zero[i].approach.sequence == approach->sequence && strcmp(e->zero[i].approach.hold, "lagrange") == 0 &&
        e->zero[i].factor > 1.0)
      order[count++] = e->zero[i].order;
  if (count > 0) cs_text_add(text, "order%s ", count > 1 ? "s" : "");
  for (size_t i = 0; i < count; i++)
    cs_text_add(text, "%s%u", i == 0 ? "" : i + 1 < count ? ", " : " and ", order[i]);
  return count;
}

/* What holds for jacobi, and where it is otherwise for a sequence of gauss_seidel. */
static void advise_zero(const struct cs_explanation *e, struct cs_text *text) {
  struct cs_text usual = {0};
  const size_t count = e->rows > 0 ? add_diverging(e, &e->row->approach, &usual) : 0;
  if (count > 0)
    cs_text_add(text, "With explicit outputs %s diverge%s however small H is", cs_text_string(&usual),
                count > 1 ? "" : "s");
  for (size_t r = 1; count > 0 && r < e->rows; r++) {
    struct cs_text own = {0};
    const struct cs_approach *a = &e->row[r].approach;
    if (a->sequence == NULL || a->iterations > 0 || strcmp(a->hold, "lagrange") != 0) continue;
    const size_t here = add_diverging(e, a, &own);
    if (strcmp(cs_text_string(&own), cs_text_string(&usual)) != 0) {
      cs_text_add(text, "; with ");
      cs_explain_add_approach(e, a, text);
      cs_text_add(text, " %s", here > 0 ? cs_text_string(&own) : "none does");
    }
    text->failed |= own.failed;
    cs_text_free(&own);
  }
  if (count > 0) cs_text_add(text, ".\n");
  text->failed |= usual.failed;
  cs_text_free(&usual);
}

static void advise_orders(const struct cs_explanation *e, struct cs_text *text) {
  for (size_t r = 0; r < e->rows; r++)
    for (unsigned m = 1; m < CS_EXPLAIN_ORDERS; m++) {
      const double before = cs_explain_first(&e->row[r].order[m - 1]), own = cs_explain_first(&e->row[r].order[m]);
      if (!isfinite(before) || !isfinite(own) || !(own < 0.5 * before) || own == 0.0) continue;
      cs_text_add(text, "With ");
      cs_explain_add_approach(e, &e->row[r].approach, text);
      cs_text_add(text, " order %u allows %.2g times the step of order %u.\n", m, own / before, m - 1);
    }
}

static void advise_leading(const struct cs_explanation *e, const struct cs_explain_leading *l, struct cs_text *text) {
  const double turn = fabs(atan2(l->lambda.im, l->lambda.re));
  const double frequency = cs_explain_frequency(l);
  if (!(hypot(l->lambda.re, l->lambda.im) > 1.0) || !(turn > 0.0)) return;
  if (turn > 0.8 * PI) {
    cs_text_add(text, "The mode that goes first changes sign nearly every step: it is made by the exchange.\n");
    return;
  }
  for (size_t i = 0; i < e->network.states; i++) {
    const double own = fabs(e->mode[i].lambda.im) / (2.0 * PI);
    if (own > frequency / 1.5 && own < frequency * 1.5) return;
  }
  cs_text_add(text, "No mode of the model has %.2g Hz: it is made by the exchange.\n", frequency);
}

/* The first limit of --for. */
static double limit_for(const struct cs_explanation *e) {
  const struct cs_explain_row *row = cs_explain_row_for(e);
  return row != NULL ? cs_explain_first(&row->order[e->wish->order]) : NAN;
}

static void advise_merge(const struct cs_explanation *e, struct cs_text *text) {
  const double limit = limit_for(e);
  for (size_t i = 0; i < e->merges && isfinite(limit) && limit > 0.0; i++) {
    const struct cs_explain_merge *merge = &e->merge[i];
    const double own = cs_explain_first(&merge->limit);
    const char *a = e->network.part[merge->i].name, *b = e->network.part[merge->j].name;
    if (own == INFINITY)
      cs_text_add(text, "With %s and %s merged no step is too large.\n", a, b);
    else if (own >= 1.5 * limit)
      cs_text_add(text, "With %s and %s merged the step may be %.2g times as large.\n", a, b, own / limit);
  }
}

/* Iterations that converge, at the order and with the hold of --for. */
static void advise_converged(const struct cs_explanation *e, struct cs_text *text) {
  double jacobi = NAN, converged = NAN;
  for (size_t r = 0; r < e->rows; r++) {
    const struct cs_approach *a = &e->row[r].approach;
    if (a->sequence != NULL || strcmp(a->hold, e->wish->hold) != 0) continue;
    const double own = cs_explain_first(&e->row[r].order[e->wish->order]);
    if (a->iterations == 0) jacobi = own;
    if (a->iterations == CS_CONVERGED) converged = own;
  }
  if (isfinite(jacobi) && converged == INFINITY)
    cs_text_add(text, "Iterations that converge have no limit where jacobi has one.\n");
}

/* The better of both sequences, at the order of --for. */
static void advise_sequence(const struct cs_explanation *e, struct cs_text *text) {
  double jacobi = NAN, best = 0.0;
  for (size_t r = 0; r < e->rows; r++) {
    const struct cs_explain_row *row = &e->row[r];
    const double own = cs_explain_first(&row->order[e->wish->order]);
    if (row->approach.iterations > 0 || strcmp(row->approach.hold, e->wish->hold) != 0) continue;
    if (strcmp(row->approach.master, "jacobi") == 0)
      jacobi = own;
    else
      best = fmax(best, own);
  }
  if (!isfinite(jacobi) || !(jacobi > 0.0)) return;
  if (best == INFINITY)
    cs_text_add(text, "gauss_seidel has no limit where jacobi has one.\n");
  else if (best >= 1.5 * jacobi)
    cs_text_add(text, "gauss_seidel allows %.2g times the step of jacobi.\n", best / jacobi);
}

void cs_explain_add_advice(const struct cs_explanation *e, struct cs_text *text) {
  advise_zero(e, text);
  advise_orders(e, text);
  for (size_t i = 0; i < e->leadings; i++)
    advise_leading(e, &e->leading[i], text);
  advise_merge(e, text);
  advise_sequence(e, text);
  advise_converged(e, text);
}
