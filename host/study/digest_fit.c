/* Fitted orders compared with theory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest_private.h"
#include "metric.h"
#include "theory.h"

/* The axis along which the orders were fitted; `axes` if the dimensions do not match. */
static size_t fitted_axis(const struct cs_digest *d, const struct cs_array *metric, const struct cs_array *orders) {
  size_t axis = 0;
  if (orders->dimensions + 1 != metric->dimensions) return d->axes;
  while (axis < orders->dimensions && orders->dimension[axis] == metric->dimension[axis])
    axis++;
  for (size_t i = axis; i < orders->dimensions; i++)
    if (orders->dimension[i] != metric->dimension[i + 1]) return d->axes;
  return axis;
}

static enum cs_verdict judge(const struct cs_digest_order *o) {
  if (isnan(o->expected)) return CS_VERDICT_NONE;
  if (isinf(o->expected)) return isnan(o->order) ? CS_VERDICT_AGREES : CS_VERDICT_DEVIATES;
  if (isnan(o->order)) return CS_VERDICT_UNKNOWN;
  return fabs(o->order - o->expected) <= CS_DIGEST_TOLERANCE ? CS_VERDICT_AGREES : CS_VERDICT_DEVIATES;
}

static double part(const struct cs_array *array, size_t i) {
  return array != NULL ? cs_table_number(array, i) : NAN;
}

static int open_fit(const struct cs_digest *d, struct cs_digest_fit *fit, struct cs_error *error) {
  const struct cs_table *table = d->table;
  const char *name = fit->metric->name;
  const struct cs_array *r2 = cs_runs_find(table, name, "_order_r2", CS_FLOAT64),
                        *first = cs_runs_find(table, name, "_order_first", CS_FLOAT64),
                        *last = cs_runs_find(table, name, "_order_last", CS_FLOAT64),
                        *points = cs_runs_find(table, name, "_order_points", CS_INT64);
  fit->run = malloc(fit->rows * sizeof *fit->run);
  fit->order = malloc(fit->orders->count * sizeof *fit->order);
  if (fit->run == NULL || fit->order == NULL) return cs_error_memory(error);
  for (size_t row = 0; row < fit->rows; row++)
    fit->run[row] = cs_runs_of_row(&d->over, fit->axis, row);
  for (size_t i = 0; i < fit->orders->count; i++) {
    struct cs_digest_order *o = &fit->order[i];
    *o = (struct cs_digest_order){.order = fit->orders->data.float64[i],
                                  .r2 = part(r2, i),
                                  .first = part(first, i),
                                  .last = part(last, i),
                                  .points = points != NULL ? (long)points->data.int64[i] : 0};
    o->expected =
        cs_theory_order(d->theory, fit->axis, fit->run[i / fit->columns], (int)cs_metric_find(name), i % fit->columns);
    o->verdict = judge(o);
    fit->verdicts[o->verdict]++;
  }
  return CS_OK;
}

int cs_digest_open_fits(struct cs_digest *d, struct cs_error *error) {
  int code = CS_OK;
  d->fit = calloc(d->metrics + 1, sizeof *d->fit);
  if (d->fit == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < d->metrics && code == CS_OK; i++) {
    const struct cs_array *orders = cs_runs_find(d->table, d->metric[i].array->name, "_order", CS_FLOAT64);
    struct cs_digest_fit fit = {.metric = d->metric[i].array, .orders = orders, .signals = d->metric[i].signals};
    if (orders == NULL || (fit.axis = fitted_axis(d, fit.metric, orders)) >= d->axes) continue;
    fit.columns = fit.signals != NULL ? fit.signals->length : 1;
    fit.rows = orders->count / fit.columns;
    d->fit[d->fits] = fit;
    code = open_fit(d, &d->fit[d->fits++], error);
  }
  return code;
}
