/* Convergence orders along the axes of a result. */
#include <stdlib.h>

#include "fit.h"
#include "result.h"

enum { FIT_COLUMNS = 5 };

static int add_fit_arrays(struct cs_table *table, const struct cs_array *source, const char *metric, const char *axis,
                          size_t along, const char *axis_unit, struct cs_array **to, struct cs_error *error) {
  static const struct {
    const char *suffix, *sentence;
    bool count, abscissa;
  } column[FIT_COLUMNS] = {{"_order", "order of %s along %s", false, false},
                           {"_order_r2", "coefficient of determination of the order of %s along %s", false, false},
                           {"_order_first", "smallest abscissa used for the order of %s along %s", false, true},
                           {"_order_last", "largest abscissa used for the order of %s along %s", false, true},
                           {"_order_points", "points used for the order of %s along %s", true, false}};
  size_t dimension[CS_MAX_DIMENSIONS], dimensions = 0;
  for (size_t i = 0; i < source->dimensions; i++)
    if (i != along) dimension[dimensions++] = source->dimension[i];
  struct cs_text name[FIT_COLUMNS] = {{0}};
  int code = CS_OK;
  for (int c = 0; c < FIT_COLUMNS && code == CS_OK; c++) {
    struct cs_text sentence = {0};
    cs_text_add(&name[c], "%s%s", metric, column[c].suffix);
    cs_text_add(&sentence, column[c].sentence, metric, axis);
    code = name[c].failed || sentence.failed
               ? cs_error_memory(error)
               : cs_table_add_array(table, name[c].data, column[c].abscissa ? axis_unit : "1", sentence.data,
                                    column[c].count ? CS_INT64 : CS_FLOAT64, dimensions, dimension, NULL, error);
    cs_text_free(&sentence);
  }
  for (int c = 0; c < FIT_COLUMNS; c++) { /* no array moves any more */
    to[c] = code == CS_OK ? cs_table_find(table, name[c].data) : NULL;
    cs_text_free(&name[c]);
  }
  return code;
}

/* Fits the values `y` of a metric along the axis; the results are item `at` of the arrays. */
static int fit_values(int metric, const struct cs_axis *axis, const double *y, struct cs_array *const *to, size_t at,
                      struct cs_error *error) {
  const struct cs_fit fit = cs_metric_table[metric].of_events ? cs_fit_scattered(axis->values, y, axis->length)
                                                              : cs_fit_order(axis->values, y, axis->length, 0.0);
  if (fit.points < 0) return cs_error_memory(error);
  to[0]->data.float64[at] = fit.order;
  to[1]->data.float64[at] = fit.r2;
  to[2]->data.float64[at] = fit.first;
  to[3]->data.float64[at] = fit.last;
  to[4]->data.int64[at] = fit.points;
  return CS_OK;
}

static int fit_metric(struct cs_table *table, int metric, const struct cs_axis *axis, size_t along,
                      struct cs_error *error) {
  const char *name = cs_metric_table[metric].name;
  struct cs_array *to[FIT_COLUMNS], *source = cs_table_find(table, name);
  if (source == NULL) return CS_OK;
  int code = add_fit_arrays(table, source, name, axis->name, along, axis->unit, to, error);
  if (code != CS_OK) return code;
  source = cs_table_find(table, name); /* arrays may have moved */
  size_t inner = 1, outer = 1;
  for (size_t i = 0; i < source->dimensions; i++) {
    const size_t length = table->dimension[source->dimension[i]].length;
    if (i < along) outer *= length;
    if (i > along) inner *= length;
  }
  double *y = malloc(axis->length * sizeof *y);
  if (y == NULL) return cs_error_memory(error);
  for (size_t at = 0; at < outer * inner && code == CS_OK; at++) {
    for (size_t k = 0; k < axis->length; k++)
      y[k] = source->data.float64[(at / inner * axis->length + k) * inner + at % inner];
    code = fit_values(metric, axis, y, to, at, error);
  }
  free(y);
  return code;
}

int cs_result_fit(const struct cs_sweep *sweep, size_t modes, struct cs_table *table, struct cs_error *error) {
  int code = CS_OK;
  for (size_t f = 0; f < sweep->fits; f++)
    for (int m = 0; m < CS_METRICS && code == CS_OK; m++)
      if (sweep->fit[f].metric[m] && cs_metric_type(m) == CS_FLOAT64 && cs_result_signals(sweep, modes, m) > 0)
        code = fit_metric(table, m, &sweep->axis[sweep->fit[f].axis], sweep->fit[f].axis, error);
  return code;
}
