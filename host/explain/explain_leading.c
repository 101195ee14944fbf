/* The mode of a macro step that grows first, and what it depends on: central differences over gains and shifts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_private.h"

/* Relative change of a gain; change of a shift times H. */
#define CHANGE 1e-5

/* Number of variations: none, then two of every gain, then two of every subsystem's shift. */
static size_t count_variations(const struct cs_snapshot *s) {
  return 1 + 2 * (s->links + s->parts);
}

/* One parameter's values over the variations: `value`, but its own two 1 +- CHANGE times scale. */
static void add_column(struct cs_writer *w, const char *name, size_t index, size_t number, size_t variations,
                       double value, double change) {
  char path[64];
  snprintf(path, sizeof path, "parameters.%s_%zu", name, index);
  cs_writer_list(w, path);
  for (size_t v = 0; v < variations; v++)
    cs_writer_number(w, NULL, value + (v == 1 + 2 * number ? change : v == 2 + 2 * number ? -change : 0.0));
  cs_writer_end(w);
}

static void write_sweep(const struct cs_explanation *e, double H, struct cs_text *text) {
  struct cs_writer w = {.text = text};
  const struct cs_snapshot *s = &e->network;
  const size_t variations = count_variations(s);
  cs_experiment_begin(&w, "stability", &e->wish->approach, s, H);
  cs_writer_count(&w, "order", e->wish->order);
  cs_experiment_axes(&w);
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "name", "variation");
  cs_writer_object(&w, "zip");
  for (size_t k = 0; k < s->links; k++)
    add_column(&w, "gain", k, k, variations, 1.0, CHANGE);
  for (size_t i = 0; i < s->parts; i++)
    add_column(&w, "shift", i, s->links + i, variations, 0.0, CHANGE / H);
  cs_writer_end(&w);
  cs_writer_end(&w);
  cs_experiment_end_axes(&w);
  cs_experiment_metrics(&w, (const char *[]){"eigenvalue"}, 1);
  cs_writer_end(&w);
}

struct spectrum {
  const double *re, *im; /* [count] */
  size_t count;
};

/* The largest eigenvalue with im >= 0. */
static struct cs_complex largest(struct spectrum s) {
  struct cs_complex found = {NAN, NAN};
  for (size_t i = 0; i < s.count; i++)
    if (s.im[i] >= 0.0 && !(hypot(s.re[i], s.im[i]) <= hypot(found.re, found.im)))
      found = (struct cs_complex){s.re[i], s.im[i]};
  return found;
}

static struct cs_complex nearest(struct spectrum s, struct cs_complex to) {
  struct cs_complex found = {NAN, NAN};
  double distance = INFINITY;
  for (size_t i = 0; i < s.count; i++) {
    const double own = hypot(s.re[i] - to.re, s.im[i] - to.im);
    if (!(own < distance)) continue;
    distance = own;
    found = (struct cs_complex){s.re[i], s.im[i]};
  }
  return found;
}

/* (ln plus - ln minus) / (2 change). */
static struct cs_complex slope(struct cs_complex plus, struct cs_complex minus, double change) {
  const double turn = atan2(plus.im * minus.re - plus.re * minus.im, plus.re * minus.re + plus.im * minus.im);
  const double size = log(hypot(plus.re, plus.im) / hypot(minus.re, minus.im));
  return (struct cs_complex){size / (2.0 * change), turn / (2.0 * change)};
}

static int read_leading(const struct cs_explanation *e, const struct cs_table *table, struct cs_explain_leading *to,
                        struct cs_error *error) {
  const struct cs_array *re = cs_table_find(table, "eigenvalue_re"), *im = cs_table_find(table, "eigenvalue_im");
  const struct cs_snapshot *s = &e->network;
  const size_t width = re->count / count_variations(s);
  double sum = 0.0;
  struct spectrum own = {re->data.float64, im->data.float64, width};
  to->lambda = largest(own);
  if (isnan(to->lambda.re))
    return cs_error_set(error, CS_NO_RESULT,
                        "the eigenvalues of a step of %g s cannot be computed; want a step size nearer to the model's "
                        "time scales",
                        to->H);
  to->all = malloc((width + 1) * sizeof *to->all);
  if (to->all == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < width; i++)
    to->all[to->eigenvalues++] = (struct cs_complex){own.re[i], own.im[i]};
  for (size_t n = 0; n < s->links + s->parts; n++) {
    struct spectrum plus = own, minus = own;
    plus.re += (1 + 2 * n) * width, plus.im += (1 + 2 * n) * width;
    minus.re += (2 + 2 * n) * width, minus.im += (2 + 2 * n) * width;
    const struct cs_complex d = slope(nearest(plus, to->lambda), nearest(minus, to->lambda), CHANGE);
    if (n < s->links) to->sensitivity[n] = d.re;
    if (n >= s->links) sum += to->share[n - s->links] = hypot(d.re, d.im);
  }
  for (size_t i = 0; i < s->parts; i++)
    to->share[i] /= sum;
  return CS_OK;
}

static int fill_one(const struct cs_explanation *e, double H, struct cs_explain_leading *to, struct cs_error *error) {
  const struct cs_snapshot *s = &e->network;
  struct cs_text text = {0};
  struct cs_table *table = NULL;
  *to = (struct cs_explain_leading){
      .H = H, .sensitivity = calloc(s->links + 1, sizeof(double)), .share = calloc(s->parts + 1, sizeof(double))};
  if (to->sensitivity == NULL || to->share == NULL) return cs_error_memory(error);
  write_sweep(e, H, &text);
  int code = cs_experiment_run(&e->wish->experiment, s, CS_SNAPSHOT_VARIED, &text, &table, error);
  if (code == CS_OK) code = read_leading(e, table, to, error);
  cs_table_free(table);
  return code;
}

/* 1.02 times the first limit of --for; 0: there is none. */
static double usual_size(const struct cs_explanation *e) {
  const struct cs_explain_row *row = cs_explain_row_for(e);
  const double first = row != NULL ? cs_explain_first(&row->order[e->wish->order]) : NAN;
  return isfinite(first) ? 1.02 * first : 0.0;
}

int cs_explain_fill_leading(struct cs_explanation *e, struct cs_error *error) {
  const struct cs_explain_wish *wish = e->wish;
  int code = CS_OK;
  e->leading = calloc(wish->Hs + 1, sizeof *e->leading);
  if (e->leading == NULL) return cs_error_memory(error);
  const double usual = usual_size(e);
  if (wish->Hs == 0 && usual > 0.0) code = fill_one(e, usual, &e->leading[e->leadings++], error);
  for (size_t i = 0; i < wish->Hs && code == CS_OK; i++)
    code = fill_one(e, wish->H[i], &e->leading[e->leadings++], error);
  return code;
}

double cs_explain_growth(const struct cs_explain_leading *l) {
  return log(hypot(l->lambda.re, l->lambda.im)) / l->H;
}

double cs_explain_frequency(const struct cs_explain_leading *l) {
  return fabs(atan2(l->lambda.im, l->lambda.re)) / (2.0 * PI * l->H);
}
