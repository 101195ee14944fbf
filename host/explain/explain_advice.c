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
    if (e->zero[i].approach.sequence == approach->sequence && e->zero[i].approach.hold == CS_LAGRANGE &&
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
    if (a->sequence == NULL || a->iterations > 0 || a->hold != CS_LAGRANGE) continue;
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

static void advise_leading(const struct cs_explanation *e, const struct cs_explain_leading *l, struct cs_text *text) {
  const double turn = fabs(atan2(l->lambda.im, l->lambda.re));
  const double frequency = cs_explain_frequency(l);
  if (!(hypot(l->lambda.re, l->lambda.im) > 1.0) || !(turn > 0.0)) return;
  if (turn > 0.8 * PI) {
    cs_text_add(text,
                "The mode that becomes unstable first changes sign nearly every step; the coupling creates it.\n");
    return;
  }
  for (size_t i = 0; i < e->network.states; i++) {
    const double own = fabs(e->mode[i].lambda.im) / (2.0 * PI);
    if (own > frequency / 1.5 && own < frequency * 1.5) return;
  }
  cs_text_add(text, "The model has no mode at %.2g Hz; the coupling creates it.\n", frequency);
}

/* ---- what allows larger steps */

/* A sentence, and how many times as large as that of --for a step may then be. */
struct gain {
  double factor; /* INFINITY: any */
  struct cs_text text;
};

enum { GAINS = 8 };
struct gains {
  struct gain gain[GAINS];
  size_t count;
  double limit; /* the first one of --for */
};

/* A place for a sentence that allows steps up to `own`; NULL where that is not worth it. Of sentences of one kind, from
 * number `begin` on, the best two stay. */
static struct cs_text *gain_by(struct gains *g, size_t begin, double own) {
  const double factor = own / g->limit;
  size_t at = begin;
  if (!(factor >= 1.2)) return NULL;
  while (at < g->count && g->gain[at].factor >= factor)
    at++;
  if (at >= begin + 2 || at >= GAINS) return NULL;
  if (g->count == begin + 2) cs_text_free(&g->gain[--g->count].text);
  memmove(&g->gain[at + 1], &g->gain[at], (g->count - at) * sizeof *g->gain);
  g->gain[at] = (struct gain){.factor = factor};
  g->count++;
  return &g->gain[at].text;
}

/* ": 1.4 times the step, up to 0.11 s" */
static void add_step(const struct gains *g, double own, struct cs_text *text) {
  if (own == INFINITY)
    cs_text_add(text, ": no step is too large.\n");
  else
    cs_text_add(text, ": %.2g times the step, up to %#.3g s.\n", own / g->limit, cs_explain_below(own));
}

static void advise_merge(const struct cs_explanation *e, struct gains *g) {
  const size_t begin = g->count;
  for (size_t i = 0; i < e->merges; i++) {
    const struct cs_explain_merge *merge = &e->merge[i];
    const double own = cs_explain_first(&merge->limit);
    struct cs_text *text = gain_by(g, begin, own);
    if (text == NULL) continue;
    cs_text_add(text, "Merge %s and %s", e->network.part[merge->i].name, e->network.part[merge->j].name);
    add_step(g, own, text);
  }
}

/* The best of other masters and sequences at the order of --for, and of other orders. */
static void advise_rows(const struct cs_explanation *e, bool orders, struct gains *g) {
  const struct cs_explain_row *own_row = cs_explain_row_for(e), *best_row = NULL;
  unsigned best_order = 0;
  double best = 0.0;
  for (size_t r = 0; r < e->rows; r++)
    for (unsigned m = 0; m < CS_EXPLAIN_ORDERS; m++) {
      const struct cs_explain_row *row = &e->row[r];
      const double own = cs_explain_first(&row->order[m]);
      if (row->approach.iterations > 0 || row->approach.hold != e->wish->approach.hold) continue;
      if (orders ? row != own_row || m == e->wish->order : row == own_row || m != e->wish->order) continue;
      if (!(own > best)) continue;
      best = own;
      best_row = row;
      best_order = m;
    }
  struct cs_text *text = best_row != NULL ? gain_by(g, g->count, best) : NULL;
  if (text == NULL) return;
  if (orders) {
    cs_text_add(text, "Use order %u with ", best_order);
    cs_explain_add_approach(e, &best_row->approach, text);
  } else {
    cs_text_add(text, "Use ");
    cs_explain_add_approach(e, &best_row->approach, text);
    cs_text_add(text, " in place of %s", cs_experiment_master(&e->wish->approach));
  }
  add_step(g, best, text);
}

/* Iterations that converge, at the order and with the hold of --for. */
static void advise_converged(const struct cs_explanation *e, struct gains *g) {
  double converged = 0.0;
  for (size_t r = 0; r < e->rows; r++) {
    const struct cs_approach *a = &e->row[r].approach;
    if (a->sequence == NULL && a->iterations == CS_CONVERGED && a->hold == e->wish->approach.hold)
      converged = cs_explain_first(&e->row[r].order[e->wish->order]);
  }
  struct cs_text *text = gain_by(g, g->count, converged);
  if (text == NULL) return;
  cs_text_add(text, "Iterate each step until it converges");
  add_step(g, converged, text);
}

static int compare_gains(const void *left, const void *right) {
  const struct gain *a = left, *b = right;
  return (a->factor < b->factor) - (a->factor > b->factor);
}

/* The most worthwhile first. */
static void advise_steps(const struct cs_explanation *e, struct cs_text *text) {
  const struct cs_explain_row *row = cs_explain_row_for(e);
  struct gains g = {.limit = row != NULL ? cs_explain_first(&row->order[e->wish->order]) : NAN};
  if (!isfinite(g.limit) || !(g.limit > 0.0)) return;
  advise_merge(e, &g);
  advise_rows(e, false, &g);
  advise_rows(e, true, &g);
  advise_converged(e, &g);
  qsort(g.gain, g.count, sizeof *g.gain, compare_gains);
  for (size_t i = 0; i < g.count; i++) {
    cs_text_add(text, "%s", cs_text_string(&g.gain[i].text));
    text->failed |= g.gain[i].text.failed;
    cs_text_free(&g.gain[i].text);
  }
}

/* The largest step of all settings that need nothing but inputs and outputs, as other tools name them. */
static void advise_tools(const struct cs_explanation *e, struct cs_text *text) {
  const struct cs_explain_row *best = NULL;
  unsigned order = 0;
  double most = 0.0;
  for (size_t r = 0; r < e->rows; r++)
    for (unsigned m = 0; m < CS_EXPLAIN_ORDERS; m++) {
      const double own = cs_explain_first(&e->row[r].order[m]);
      const struct cs_approach *a = &e->row[r].approach;
      if (a->iterations > 0 || a->compensated || a->hold != CS_LAGRANGE || !(own > most)) continue;
      most = own;
      best = &e->row[r];
      order = m;
    }
  if (best == NULL) return;
  if (most == INFINITY)
    cs_text_add(text, "In other tools no communication step up to %.3g s is too large, with ", e->last);
  else
    cs_text_add(text, "In other tools the largest stable communication step is %#.3g s, with ", cs_explain_below(most));
  cs_experiment_add_practice(&e->network, &best->approach, order, text);
  cs_text_add(text, ".\n");
}

/* Whether a limit is better than another one: nearer to no growth where no mode is damped, else a larger step. */
static bool is_better(const struct cs_explanation *e, const struct cs_explain_limit *own,
                      const struct cs_explain_limit *best) {
  if (e->growth == CS_GROWTH_UNDAMPED) return fabs(own->excess) + 1e-12 * e->fastest < fabs(best->excess);
  return cs_explain_first(own) > cs_explain_first(best);
}

/* Held constants that alternate, where no explicit coupling of order 2 and more does better. */
static void advise_alternating(const struct cs_explanation *e, struct cs_text *text) {
  const struct cs_explain_limit *best = NULL;
  if (cs_experiment_is_direct(&e->network) || e->growth == CS_GROWTH_GROWS || !(e->fastest > 0.0)) return;
  for (size_t r = 0; r < e->rows && best == NULL; r++)
    if (e->row[r].approach.alternating && e->row[r].approach.hold == CS_LAGRANGE) best = &e->row[r].order[0];
  if (best == NULL || cs_explain_first(best) == 0.0) return;
  for (size_t r = 0; r < e->rows; r++)
    for (unsigned m = 1; m < CS_EXPLAIN_ORDERS; m++) {
      const struct cs_explain_row *row = &e->row[r];
      if (row->approach.iterations == 0 && row->order[m].there && is_better(e, &row->order[m], best)) return;
    }
  const double first = cs_explain_first(best);
  cs_text_add(text,
              "Held constants have order 2 at communication points with gauss_seidel alternating, as no output depends "
              "directly on an input; of what has order 2 and more without iterations ");
  if (e->growth == CS_GROWTH_UNDAMPED)
    cs_text_add(text, "it changes the undamped model least%s.\n",
                fabs(best->excess) <= 1e-12 * e->fastest ? ", namely not at all" : "");
  else if (first == INFINITY)
    cs_text_add(text, "nothing allows larger steps: it has no limit up to %.3g s.\n", e->last);
  else
    cs_text_add(text, "it has the largest stable step, %#.3g s.\n", cs_explain_below(first));
}

/* A monitor with a flow is a discrepancy: what two subsystems integrate of one signal differs by what inputs lack. */
static void advise_discrepancies(const struct cs_model *model, struct cs_text *text) {
  struct cs_text names = {0};
  size_t count = 0;
  for (size_t i = 0; i < model->monitors; i++) {
    if (model->monitor[i].flow < 0) continue;
    cs_text_add_name(&names, model->monitor[i].name);
    count++;
  }
  if (count > 0)
    cs_text_add(text,
                "Monitor%s %s grow%s by what inputs lack of a flow: with hold lagrange and compensation 1 only that of "
                "the last step remains.\n",
                count > 1 ? "s" : "", cs_text_string(&names), count > 1 ? "" : "s");
  text->failed |= names.failed;
  cs_text_free(&names);
}

/* What is sequential for the sake of events, of which most steps have none. */
static void advise_events(const struct cs_explanation *e, struct cs_text *text) {
  size_t r = 0, stages = 1;
  size_t *room = malloc((2 * e->network.parts + 1) * sizeof *room);
  text->failed |= room == NULL;
  while (r < e->rows && (e->row[r].approach.sequence == NULL || e->row[r].approach.alternating))
    r++;
  if (room != NULL && r < e->rows && e->model->state_events > 0)
    stages = cs_explain_stages(e, &e->row[r].approach, room);
  if (stages > 1)
    cs_text_add(text,
                "With gauss_seidel and method.events.first parallel all subsystems step at once while no event is "
                "predicted: 1 stage in place of %zu, for a larger error with the same H.\n",
                stages);
  free(room);
}

void cs_explain_add_advice(const struct cs_explanation *e, struct cs_text *text) {
  advise_steps(e, text);
  if (e->growth == CS_GROWTH_DAMPED) advise_tools(e, text);
  advise_alternating(e, text);
  for (size_t i = 0; i < e->leadings; i++)
    advise_leading(e, &e->leading[i], text);
  cs_explain_advise_repetitions(e, text);
  advise_zero(e, text);
  advise_discrepancies(e->model, text);
  advise_events(e, text);
  if (e->jumping != NULL) cs_text_add(text, "With these settings %s.\n", e->jumping);
}
