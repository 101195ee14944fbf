/* Pieces of text that the terminal and the page share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_private.h"
#include "words.h"

/* "-0.9622+-1.8271i": the real part in 4 digits, the imaginary part of a pair with as many decimals. */
void cs_explain_add_complex(struct cs_text *text, struct cs_complex value) {
  char real[32];
  snprintf(real, sizeof real, "%.4g", value.re);
  const char *point = strchr(real, '.');
  if (value.im == 0.0)
    cs_text_add(text, "%s", real);
  else if (point != NULL && strchr(real, 'e') == NULL)
    cs_text_add(text, "%s+-%.*fi", real, (int)strlen(point + 1), fabs(value.im));
  else
    cs_text_add(text, "%s+-%.4gi", real, fabs(value.im));
}

static int compare_ranks(const void *left, const void *right) {
  const struct cs_explain_rank *a = left, *b = right;
  if (a->value != b->value) return a->value > b->value ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

struct cs_explain_rank *cs_explain_sort(size_t count, const double *value) {
  struct cs_explain_rank *rank = malloc((count + 1) * sizeof *rank);
  if (rank == NULL) return NULL;
  for (size_t i = 0; i < count; i++)
    rank[i] = (struct cs_explain_rank){i, fabs(value[i])};
  qsort(rank, count, sizeof *rank, compare_ranks);
  const double enough = count > 0 ? 1e-6 * rank->value : 0.0;
  for (size_t i = 1; i < count; i++)
    if (rank[i - 1].value - rank[i].value <= enough) rank[i].value = rank[i - 1].value;
  qsort(rank, count, sizeof *rank, compare_ranks);
  return rank;
}

/* "cell2 60 %, cell1 38 %", those of 5 % or more; equal ones together: "cell1, cell2 33 %". */
void cs_explain_add_shares(const struct cs_snapshot *s, const double *share, struct cs_text *text) {
  struct cs_explain_rank *rank = cs_explain_sort(s->parts, share);
  if (rank == NULL) {
    text->failed = 1;
    return;
  }
  for (size_t i = 0; i < s->parts && rank[i].value >= 0.05; i++) {
    const long own = lround(100.0 * rank[i].value);
    cs_text_add(text, "%s%s", i > 0 ? ", " : "", s->part[rank[i].index].name);
    if (i + 1 == s->parts || lround(100.0 * rank[i + 1].value) != own) cs_text_add(text, " %ld %%", own);
  }
  free(rank);
}

/* The outputs of every loop. */
void cs_explain_add_loops(const struct cs_explanation *e, struct cs_text *text) {
  size_t within = 0;
  for (size_t i = 0; i < e->network.outputs; i++)
    within += e->loop[i] > 0;
  cs_text_add(text, e->loops == 1 ? "one loop" : "%zu loops", e->loops);
  if (e->loops == 1 && within == e->network.outputs) {
    cs_text_add(text, ", all outputs");
    return;
  }
  for (size_t k = 1; k <= e->loops; k++) {
    const char *before = k == 1 ? ": " : "; ";
    for (size_t i = 0; i < e->network.outputs; i++) {
      if (e->loop[i] != k) continue;
      cs_text_add(text, "%s%s", before, e->model->output[i].name);
      before = ", ";
    }
  }
}

void cs_explain_take_line(struct cs_text *text, struct cs_text *line) {
  if (line->length > 0) cs_words_add_paragraph(text, 0, cs_text_string(line));
  text->failed |= line->failed;
  cs_text_free(line);
}

void cs_explain_add_link(const struct cs_explanation *e, size_t link, const char *arrow, struct cs_text *text) {
  cs_text_add(text, "%s%s%s", e->model->output[e->network.link[link].from].name, arrow,
              e->model->input[e->network.link[link].to].name);
}

void cs_explain_head_signal(struct cs_grid *grid, const struct cs_signal *signal) {
  cs_grid_head(grid, CS_GRID_RIGHT, signal->unit[0] != '\0' ? "%s [%s]" : "%s", signal->name, signal->unit);
}

void cs_explain_take_signal(struct cs_grid *grid, const struct cs_signal *signal) {
  cs_grid_add(grid, signal->unit[0] != '\0' ? "%s [%s]" : "%s", signal->name, signal->unit);
}

bool cs_explain_adds_up(const struct cs_explanation *e) {
  for (size_t j = 1; j < e->network.inputs; j++)
    if (strcmp(e->model->input[j].unit, e->model->input[0].unit) != 0) return false;
  return true;
}

void cs_explain_add_point(const struct cs_explanation *e, struct cs_text *text) {
  const struct cs_snapshot *s = &e->network;
  if (s->point == NULL) return;
  cs_text_add(text, "A nonlinear model, linearised %s: ", cs_model_linearised(s->initial));
  for (size_t i = 0; i < s->states; i++)
    cs_text_add(text, "%s%s = %.6g", i > 0 ? ", " : "", e->model->state[i].name, s->point[i]);
}

void cs_explain_add_setting(const struct cs_explanation *e, struct cs_text *text) {
  const struct cs_approach *a = &e->wish->approach;
  cs_text_add(text, "%s, %s %u", cs_experiment_master(a), cs_experiment_hold(a), e->wish->order);
}

void cs_explain_add_leading(const struct cs_explanation *e, const struct cs_explain_leading *l, struct cs_text *text) {
  const double growth = cs_explain_growth(l), turn = fabs(atan2(l->lambda.im, l->lambda.re));
  cs_explain_add_setting(e, text);
  cs_text_add(text, " at H = %.6g: |lambda| %.6g, ", l->H, hypot(l->lambda.re, l->lambda.im));
  if (growth > 0.0)
    cs_text_add(text, "grows by %.4g 1/s", growth);
  else
    cs_text_add(text, "decays by %.4g 1/s", fabs(growth));
  if (turn > 0.0) cs_text_add(text, ", %.4g Hz, %.2g steps a turn", cs_explain_frequency(l), 2.0 * PI / turn);
  cs_text_add(text, "; ");
  cs_explain_add_shares(&e->network, l->share, text);
}

double cs_explain_below(double value) {
  const double unit = pow(10.0, floor(log10(value)) - 2.0);
  return floor(value / unit * (1.0 + 1e-12)) * unit;
}

bool cs_explain_is_marked(const struct cs_explain_limit *limit) {
  return cs_explain_first(limit) > 0.0 && limit->changes > 1;
}

void cs_explain_add_limit(const struct cs_explanation *e, const struct cs_explain_limit *limit, struct cs_text *text) {
  const double first = cs_explain_first(limit);
  if (!limit->there) return;
  if (!isnan(limit->excess)) /* below the first it is rounding */
    cs_text_add(text, "%.3g", fabs(limit->excess) > 1e-12 * e->fastest ? limit->excess : 0.0);
  else
    cs_text_add(text, first == INFINITY ? "-" : first == 0.0 ? "0" : "%#.4g", first);
}
