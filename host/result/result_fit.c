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
               : cs_table_add_homed(table, name[c].data, column[c].abscissa ? axis_unit : "1", sentence.data,
                                    column[c].count ? CS_INT64 : CS_FLOAT64, dimensions, dimension, NULL, error);
    cs_text_free(&sentence);
  }
  for (int c = 0; c < FIT_COLUMNS; c++) { /* no array moves any more */
    to[c] = code == CS_OK ? cs_table_find(table, name[c].data) : NULL;
    cs_text_free(&name[c]);
  }
  return code;
}

/* Lines along the axis that are fitted at a time: `wide` of them side by side, at each of `places` places of the axes
 * outside it. */
struct lines {
  const struct cs_table *from, *to;
  int metric;
  const struct cs_axis *axis;
  size_t most, places, wide;
  double *value; /* [places][length][wide], room for `most` lines */
  double *line;  /* [length] of one */
  double *fit[FIT_COLUMNS - 1];
  int64_t *points; /* as fit[]: [places][wide] */
};

enum { LINES_BYTES = 16 << 20 };

static int lines_open(int metric, const struct cs_axis *axis, size_t all, struct lines *s, struct cs_error *error) {
  const size_t room = LINES_BYTES / sizeof *s->value / axis->length + 1;
  s->metric = metric;
  s->axis = axis;
  s->most = all < room ? all : room;
  s->value = malloc(s->most * axis->length * sizeof *s->value);
  s->line = malloc(axis->length * sizeof *s->line);
  s->points = malloc(s->most * sizeof *s->points);
  bool good = s->value != NULL && s->line != NULL && s->points != NULL;
  for (int c = 0; c < FIT_COLUMNS - 1; c++) {
    s->fit[c] = malloc(s->most * sizeof *s->fit[c]);
    good = good && s->fit[c] != NULL;
  }
  return good ? CS_OK : cs_error_memory(error);
}

static void lines_close(struct lines *s) {
  for (int c = 0; c < FIT_COLUMNS - 1; c++)
    free(s->fit[c]);
  free(s->value);
  free(s->line);
  free(s->points);
}

static int fit_line(struct lines *s, size_t place, size_t i, struct cs_error *error) {
  const size_t length = s->axis->length, at = place * s->wide + i;
  for (size_t k = 0; k < length; k++)
    s->line[k] = s->value[(place * length + k) * s->wide + i];
  const struct cs_fit fit = cs_metric_table[s->metric].of_events ? cs_fit_scattered(s->axis->values, s->line, length)
                                                                 : cs_fit_order(s->axis->values, s->line, length, 0.0);
  if (fit.points < 0) return cs_error_memory(error);
  s->fit[0][at] = fit.order;
  s->fit[1][at] = fit.r2;
  s->fit[2][at] = fit.first;
  s->fit[3][at] = fit.last;
  s->points[at] = fit.points;
  return CS_OK;
}

/* Fits lines from number `first` of the `inner` lines at place number `outer`. */
static int fit_lines(struct lines *s, const struct cs_array *source, size_t outer, size_t inner, size_t first,
                     struct cs_array *const *to, struct cs_error *error) {
  const size_t length = s->axis->length, at = outer * inner + first, lines = s->places * s->wide;
  const size_t pieces = s->wide == inner ? 1 : length, piece = lines * length / pieces;
  int code = CS_OK;
  for (size_t k = 0; k < pieces && code == CS_OK; k++)
    code = cs_table_get(s->from, source, (outer * length + k) * inner + first, s->value + k * piece, piece, error);
  for (size_t i = 0; i < lines && code == CS_OK; i++)
    code = fit_line(s, i / s->wide, i % s->wide, error);
  for (int c = 0; c < FIT_COLUMNS && code == CS_OK; c++)
    code = cs_table_put(s->to, to[c], at, c < FIT_COLUMNS - 1 ? (const void *)s->fit[c] : s->points, lines, error);
  return code;
}

/* Whole places as long as there is room for them, else one in parts. */
static int fit_all(struct lines *s, const struct cs_array *source, size_t outer, size_t inner,
                   struct cs_array *const *to, struct cs_error *error) {
  const size_t most = s->most / inner > 0 ? s->most / inner : 1;
  int code = CS_OK;
  for (size_t place = 0; place < outer && code == CS_OK; place += s->places) {
    s->places = outer - place < most ? outer - place : most;
    for (size_t first = 0; first < inner && code == CS_OK; first += s->wide) {
      s->wide = inner - first < s->most ? inner - first : s->most;
      code = fit_lines(s, source, place, inner, first, to, error);
    }
  }
  return code;
}

static int fit_metric(const struct cs_table *from, struct cs_table *table, int metric, const struct cs_axis *axis,
                      size_t along, struct cs_error *error) {
  const char *name = cs_metric_table[metric].name;
  struct cs_array *to[FIT_COLUMNS];
  const struct cs_array *source = cs_table_find(table, name);
  if (source == NULL) return CS_OK;
  int code = add_fit_arrays(table, source, name, axis->name, along, axis->unit, to, error);
  if (code != CS_OK || table->home == CS_NOWHERE) return code;
  source = cs_table_find(from, name); /* arrays may have moved */
  size_t inner = 1, outer = 1;
  for (size_t i = 0; i < source->dimensions; i++) {
    const size_t length = from->dimension[source->dimension[i]].length;
    if (i < along) outer *= length;
    if (i > along) inner *= length;
  }
  struct lines lines = {.from = from, .to = table};
  code = lines_open(metric, axis, outer * inner, &lines, error);
  if (code == CS_OK) code = fit_all(&lines, source, outer, inner, to, error);
  lines_close(&lines);
  return code;
}

int cs_result_fit(const struct cs_sweep *sweep, size_t modes, const struct cs_table *from, struct cs_table *table,
                  struct cs_error *error) {
  int code = CS_OK;
  for (size_t f = 0; f < sweep->fits; f++)
    for (int m = 0; m < CS_METRICS && code == CS_OK; m++)
      if (sweep->fit[f].metric[m] && cs_metric_type(m) == CS_FLOAT64 && cs_result_signals(sweep, modes, m) > 0)
        code = fit_metric(from, table, m, &sweep->axis[sweep->fit[f].axis], sweep->fit[f].axis, error);
  return code;
}
