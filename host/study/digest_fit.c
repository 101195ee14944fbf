/* Fitted orders beside those that theory expects. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest_private.h"
#include "metric.h"
#include "theory.h"

/* What the file says of the fits of a metric: "<metric>_order<what>". */
static const struct cs_array *find_part(const struct cs_table *table, const char *metric, const char *what,
                                        enum cs_type type) {
  struct cs_text name = {0};
  cs_text_add(&name, "%s_order%s", metric, what);
  const struct cs_array *array = cs_table_find(table, cs_text_string(&name));
  cs_text_free(&name);
  return array != NULL && array->type == type ? array : NULL;
}

/* The axis that the fit took away; `axes` where the arrays do not belong together. */
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

/* Run number of a row at the first value of the fitted axis. */
static size_t run_of(const struct cs_digest *d, size_t axis, size_t row) {
  size_t inner = 1;
  for (size_t i = axis + 1; i < d->axes; i++)
    inner *= d->axis[i].dimension->length;
  return row / inner * inner * d->axis[axis].dimension->length + row % inner;
}

static double part(const struct cs_array *array, size_t i) {
  return array != NULL ? cs_array_number(array, i) : NAN;
}

static int open_fit(const struct cs_digest *d, struct cs_digest_fit *fit, struct cs_error *error) {
  const struct cs_table *table = d->table;
  const char *name = fit->metric->name;
  const struct cs_array *r2 = find_part(table, name, "_r2", CS_FLOAT64),
                        *first = find_part(table, name, "_first", CS_FLOAT64),
                        *last = find_part(table, name, "_last", CS_FLOAT64),
                        *points = find_part(table, name, "_points", CS_INT64);
  fit->run = malloc(fit->rows * sizeof *fit->run);
  fit->order = malloc(fit->orders->count * sizeof *fit->order);
  if (fit->run == NULL || fit->order == NULL) return cs_error_memory(error);
  for (size_t row = 0; row < fit->rows; row++)
    fit->run[row] = run_of(d, fit->axis, row);
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
    const struct cs_array *orders = find_part(d->table, d->metric[i].array->name, "", CS_FLOAT64);
    struct cs_digest_fit fit = {.metric = d->metric[i].array, .orders = orders, .signals = d->metric[i].signals};
    if (orders == NULL || (fit.axis = fitted_axis(d, fit.metric, orders)) >= d->axes) continue;
    fit.columns = fit.signals != NULL ? fit.signals->length : 1;
    fit.rows = orders->count / fit.columns;
    d->fit[d->fits] = fit;
    code = open_fit(d, &d->fit[d->fits++], error);
  }
  return code;
}
