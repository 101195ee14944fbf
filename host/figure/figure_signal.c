/* Which signal a figure of costs shows if nobody says so. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"
#include "scale.h"
#include "word_list.h"

enum { RUNS = 10000 }; /* that are looked at, evenly chosen */

static int compare_numbers(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* How far the errors of signal `s` lie apart; 0 without any. `value`: workspace, [runs / stride + 1]. */
static double spread(const struct cs_array *metric, const struct cs_array *status, size_t signals, size_t s,
                     size_t stride, double *value) {
  size_t count = 0;
  for (size_t run = 0; run < metric->count / signals; run += stride) {
    const double error = fabs(cs_table_number(metric, run * signals + s));
    if (cs_table_uint8(status, run) == 0 && isfinite(error) && error > 0.0) value[count++] = error;
  }
  qsort(value, count, sizeof *value, compare_numbers);
  return count > 0 ? value[count / 2] / value[count / 10] : 0.0;
}

/* Sets *drawn if a list of dimensions has this one. */
static int find(const char *names, const char *dimension, bool *drawn, struct cs_error *error) {
  struct cs_word_list list = {0};
  const int code = names != NULL ? cs_word_list_read(names, &list, error) : CS_OK;
  for (size_t i = 0; i < list.count; i++)
    *drawn = *drawn || strcmp(list.word[i], dimension) == 0;
  cs_word_list_free(&list);
  return code;
}

int cs_figure_choose_signal(const struct cs_table *table, struct cs_figure_request *request, struct cs_error *error) {
  const struct cs_array *metric = request->metric != NULL ? cs_table_find(table, request->metric) : NULL;
  const struct cs_array *status = cs_table_find(table, "status");
  if (request->signal != NULL || metric == NULL || metric->type == CS_TEXT || metric->dimensions == 0) return CS_OK;
  const struct cs_dimension *d = &table->dimension[metric->dimension[metric->dimensions - 1]];
  const size_t runs = metric->count / d->length, stride = 1 + runs / RUNS;
  bool drawn = status == NULL || status->dimensions + 1 != metric->dimensions || d->labels == NULL || d->length < 2;
  for (size_t i = 0; i < request->wheres; i++)
    drawn = drawn || cs_scale_value(request->where[i], d->name) != NULL;
  int code = find(request->panel, d->name, &drawn, error);
  if (code == CS_OK) code = find(request->curve, d->name, &drawn, error);
  if (code != CS_OK || drawn) return code;
  double *value = malloc((runs / stride + 1) * sizeof *value), most = 0.0;
  if (value == NULL) return cs_error_memory(error);
  request->signal = d->labels[0];
  request->usual_signal = true;
  for (size_t s = 0; s < d->length; s++) {
    const double apart = spread(metric, status, d->length, s, stride, value);
    if (!(apart > most)) continue;
    most = apart;
    request->signal = d->labels[s];
  }
  free(value);
  return CS_OK;
}
