/* Repetitions of a step: whether they converge, and the relaxation that is best for them. With mu = 1 - lambda over the
 * eigenvalues lambda of a plain repetition, one with relaxation w has the contraction max |1 - w mu|, so that
 *   q(w) = (contraction^2 - 1) / w = max (|mu|^2 w - 2 Re mu)
 * is the largest of straight lines. */
#include <math.h>
#include <stdlib.h>

#include "explain_private.h"
#include "setting.h"

/* Relaxations that are looked at: so many at first, from the least to the most, evenly in their logarithms; then fewer
 * around the best, in so many rounds. */
#define LEAST 1e-3
#define MOST 1.999
enum { FIRST = 33, LATER = 17, ROUNDS = 3 };

/* Runs of one H: of each master without relaxation, or of jacobi with w. */
struct runs {
  const enum cs_master *master;
  const double *w;
  size_t count;
};

static void write_runs(const struct cs_explanation *e, double H, const struct runs *runs, struct cs_text *text) {
  struct cs_writer w = {.text = text};
  cs_experiment_begin(&w, "stability", NULL, NULL, 0.0);
  cs_writer_string(&w, "hold", cs_experiment_hold(&e->wish->approach));
  cs_writer_count(&w, "order", e->wish->order);
  cs_writer_count(&w, "iterations", 1);
  cs_writer_object(&w, "step");
  cs_writer_number(&w, "size", H);
  cs_writer_end(&w);
  cs_experiment_axes(&w);
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "name", "repetition");
  cs_writer_object(&w, "zip");
  cs_writer_list(&w, "method.master");
  for (size_t i = 0; i < runs->count; i++)
    cs_writer_string(&w, NULL, cs_setting_word(CS_SETTING_MASTER, runs->master != NULL ? runs->master[i] : CS_JACOBI));
  cs_writer_end(&w);
  cs_writer_list(&w, "method.relaxation");
  for (size_t i = 0; i < runs->count; i++)
    cs_writer_number(&w, NULL, runs->w != NULL ? runs->w[i] : 1.0);
  cs_writer_end(&w);
  cs_writer_end(&w);
  cs_writer_end(&w);
  cs_experiment_end_axes(&w);
  cs_experiment_metrics(&w, (const char *[]){"contraction"}, 1);
  cs_writer_end(&w);
}

/* contraction [count] */
static int run(const struct cs_explanation *e, double H, const struct runs *runs, double *contraction,
               struct cs_error *error) {
  struct cs_text text = {0};
  struct cs_table *table = NULL;
  write_runs(e, H, runs, &text);
  const int code = cs_experiment_run(&e->wish->experiment, &e->network, CS_SNAPSHOT_BARE, &text, &table, error);
  for (size_t i = 0; code == CS_OK && i < runs->count; i++)
    contraction[i] = cs_table_number(cs_table_find(table, "contraction"), i);
  cs_table_free(table);
  return code;
}

/* ---- the best relaxation */

/* q(w) = slope w + at_0, through two of its points. */
struct line {
  double slope, at_0;
};

static struct line line_through(const double *w, const double *q) {
  const double slope = (q[1] - q[0]) / (w[1] - w[0]);
  return (struct line){slope, q[0] - slope * w[0]};
}

static double contraction_at(const struct line line[2], double w) {
  const double q = fmax(line[0].slope * w + line[0].at_0, line[1].slope * w + line[1].at_0);
  return sqrt(fmax(1.0 + w * q, 0.0));
}

/* The best w of two lines: where they meet, or where one of them alone is best. */
static void meet(const struct line line[2], struct cs_explain_repetition *to) {
  const double candidate[] = {(line[1].at_0 - line[0].at_0) / (line[0].slope - line[1].slope),
                              -line[0].at_0 / (2.0 * line[0].slope), -line[1].at_0 / (2.0 * line[1].slope)};
  for (size_t i = 0; i < sizeof candidate / sizeof *candidate; i++) {
    const double own = candidate[i] > 0.0 && candidate[i] <= MOST ? contraction_at(line, candidate[i]) : INFINITY;
    if (!(own < to->relaxed)) continue;
    to->relaxed = own;
    to->relaxation = candidate[i];
  }
}

/* Outputs that no input uses have mu = 1: they do not count in the metric, but in a master's residual. */
static bool has_unused(const struct cs_snapshot *s) {
  bool unused = false;
  for (size_t i = 0; i < s->outputs; i++) {
    size_t k = 0;
    while (k < s->links && s->link[k].from != i)
      k++;
    unused = unused || k == s->links;
  }
  return unused;
}

/* One round: the best of w [count]; the next one looks between its second neighbours, so that in the end it has two of
 * them at either side. */
static int look(const struct cs_explanation *e, const double *w, size_t count, double from_to[2],
                struct cs_explain_repetition *to, struct cs_error *error) {
  double contraction[FIRST], q[FIRST];
  const bool unused = has_unused(&e->network);
  size_t best = 0;
  const int code = run(e, to->H, &(struct runs){NULL, w, count}, contraction, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < count; i++) {
    if (unused) contraction[i] = fmax(contraction[i], fabs(1.0 - w[i]));
    q[i] = (contraction[i] * contraction[i] - 1.0) / w[i];
    if (contraction[i] < contraction[best]) best = i;
  }
  to->relaxation = w[best];
  to->relaxed = contraction[best];
  from_to[0] = w[best > 2 ? best - 2 : 0];
  from_to[1] = w[best + 2 < count ? best + 2 : count - 1];
  if (best >= 2 && best + 2 < count)
    meet((const struct line[2]){line_through(w + best - 2, q + best - 2), line_through(w + best + 1, q + best + 1)},
         to);
  return CS_OK;
}

static int find_relaxation(const struct cs_explanation *e, struct cs_explain_repetition *to, struct cs_error *error) {
  double w[FIRST], from_to[2] = {LEAST, MOST};
  int code = CS_OK;
  for (int round = 0; round < ROUNDS && code == CS_OK; round++) {
    const size_t count = round == 0 ? FIRST : LATER;
    for (size_t i = 0; i < count; i++)
      w[i] = from_to[0] * pow(from_to[1] / from_to[0], (double)i / (double)(count - 1));
    code = look(e, w, count, from_to, to, error);
  }
  return code;
}

/* ---- all of it */

static int fill_one(const struct cs_explanation *e, double H, struct cs_explain_repetition *to,
                    struct cs_error *error) {
  static const enum cs_master master[CS_EXPLAIN_REPEATERS] = {CS_JACOBI, CS_GAUSS_SEIDEL};
  *to = (struct cs_explain_repetition){.H = H};
  const int code = run(e, H, &(struct runs){master, NULL, CS_EXPLAIN_REPEATERS}, to->contraction, error);
  return code == CS_OK ? find_relaxation(e, to, error) : code;
}

/* Step sizes of the modes that are shown, or where there is none that of the excess, or the largest. */
int cs_explain_fill_repetitions(struct cs_explanation *e, struct cs_error *error) {
  const double usual = e->growth == CS_GROWTH_DAMPED ? e->last : e->small;
  int code = CS_OK;
  if (!e->wish->rollback || e->network.links == 0 || !(e->fastest > 0.0)) return CS_OK;
  if (!cs_experiment_repeats(&e->wish->experiment)) return CS_OK;
  e->repetition = calloc(e->leadings + 1, sizeof *e->repetition);
  if (e->repetition == NULL) return cs_error_memory(error);
  if (e->leadings == 0) code = fill_one(e, usual, &e->repetition[e->repetitions++], error);
  for (size_t i = 0; i < e->leadings && code == CS_OK; i++)
    code = fill_one(e, e->leading[i].H, &e->repetition[e->repetitions++], error);
  return code;
}

size_t cs_explain_most_passes(const struct cs_explanation *e) {
  return e->network.outputs + 2;
}

void cs_explain_grid_repetitions(const struct cs_explanation *e, struct cs_grid *grid) {
  cs_grid_head(grid, CS_GRID_RIGHT, "H (s)");
  cs_grid_head(grid, CS_GRID_RIGHT, "jacobi");
  cs_grid_head(grid, CS_GRID_RIGHT, "gauss_seidel");
  cs_grid_head(grid, CS_GRID_RIGHT, "best relaxation");
  cs_grid_head(grid, CS_GRID_RIGHT, "with it");
  for (size_t i = 0; i < e->repetitions; i++) {
    const struct cs_explain_repetition *r = &e->repetition[i];
    cs_grid_add(grid, "%.6g", r->H);
    for (int master = 0; master < CS_EXPLAIN_REPEATERS; master++)
      cs_grid_add(grid, "%.3g", r->contraction[master]);
    cs_grid_add(grid, r->relaxed < 1.0 ? "%.3g" : "-", r->relaxation);
    cs_grid_add(grid, r->relaxed < 1.0 ? "%.3g" : "-", r->relaxed);
  }
}

void cs_explain_advise_repetitions(const struct cs_explanation *e, struct cs_text *text) {
  for (size_t i = 0; i < e->repetitions; i++) {
    const struct cs_explain_repetition *r = &e->repetition[i];
    if (r->contraction[0] < 1.0) continue;
    cs_text_add(text, "With jacobi plain repetitions of a step of %.6g s diverge, by %.3g each; ", r->H,
                r->contraction[0]);
    if (r->relaxed < 1.0)
      cs_text_add(text, "with relaxation %.3g they converge, by %.3g each", r->relaxation, r->relaxed);
    else
      cs_text_add(text, "no relaxation makes them converge");
    if (e->wish->approach.hold == CS_LAGRANGE)
      cs_text_add(text, "; acceleration quasi_newton converges in at most %zu", cs_explain_most_passes(e));
    cs_text_add(text, ".\n");
  }
}
