#include "digest.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "digest_private.h"
#include "json.h"
#include "metric.h"
#include "theory.h"

/* ---- words */

const char *cs_digest_spacing(enum cs_spacing spacing) {
  static const char *const names[] = {"", "linear", "logarithmic", ""};
  return names[spacing];
}

static const struct {
  const char *name, *reason;
} statuses[] = {
    {"ok", "came to its end"},
    {"diverged", "a value is not finite or beyond 1e150: the run, its error or the exact solution grows without bound"},
    {"step_underflow", "the step size that the control wants fell below method.step.underflow"},
    {"step_limit", "method.step.max_steps steps did not reach the end"},
    {"loop_singular", "the algebraic loop through the feed-throughs has no solution: I - D L is singular"},
    {"event_limit", "more state events at one time than method.events.at_once, or in all than max"},
    {"skipped", "the sweep's \"skip\" leaves it out"},
    {"invalid", "a swept value makes the model or the method meaningless"},
    {"imprecise", "a second formulation, with other rounding errors, differs by more than 1e-6 of a result"},
};

const char *cs_digest_status(int status) {
  return status >= 0 && (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status].name : "";
}

const char *cs_digest_reason(int status) {
  return status >= 0 && (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status].reason : "";
}

const char *cs_digest_verdict(enum cs_verdict verdict) {
  static const char *const names[] = {"", "agrees", "deviates", "not fitted"};
  return names[verdict];
}

const char *cs_digest_text(const struct cs_table *table, const char *name) {
  const char *text = cs_table_text(table, name);
  return text != NULL ? text : "";
}

double cs_digest_number(const struct cs_table *table, const char *name) {
  const struct cs_note *note = cs_table_find_note(table, name);
  if (note == NULL || note->type == CS_TEXT) return NAN;
  return note->type == CS_FLOAT64 ? note->float64 : (double)note->int64;
}

/* ---- places */

void cs_digest_add_place(const struct cs_digest *d, size_t run, size_t without, struct cs_text *text) {
  const size_t start = text->length;
  for (size_t i = 0; i < d->columns; i++) {
    if (d->column[i].axis == without || d->axis[d->column[i].axis].dimension->length == 1) continue;
    cs_text_add(text, "%s%s ", text->length > start ? ", " : "", d->column[i].name);
    cs_runs_add_value(&d->over, &d->column[i], run, text);
  }
  if (text->length == start) cs_text_add(text, "the only run");
}

int64_t cs_digest_steps(const struct cs_digest *d, size_t run) {
  const struct cs_array *steps = cs_table_find(d->table, cs_metric_table[CS_STEPS].name);
  return steps != NULL && steps->type == CS_INT64 && steps->count == d->runs ? cs_table_int64(steps, run) : -1;
}

size_t cs_digest_stable(const struct cs_digest *d) {
  const struct cs_array *stable = cs_table_find(d->table, cs_metric_table[CS_STABLE].name);
  size_t count = 0;
  if (stable == NULL || stable->type != CS_UINT8 || stable->count != d->runs) return CS_DIGEST_NONE;
  for (size_t run = 0; run < d->runs; run++)
    count += cs_table_uint8(stable, run) == 1;
  return count;
}

/* ---- axes */

static enum cs_spacing spacing_of(const struct cs_dimension *d) {
  const size_t n = d->length;
  bool linear = n > 2, logarithmic = n > 2;
  if (n == 1) return CS_SPACING_ONE;
  if (d->values == NULL) return CS_SPACING_LIST;
  const double *v = d->values, width = v[n - 1] - v[0], ratio = v[n - 1] / v[0];
  logarithmic = logarithmic && v[0] != 0 && ratio > 0 && isfinite(ratio);
  for (size_t i = 0; i < n; i++) {
    const double share = (double)i / (double)(n - 1);
    linear = linear && fabs(v[i] - v[0] - share * width) <= 1e-9 * fabs(width);
    logarithmic =
        logarithmic && v[i] / v[0] > 0 && fabs(log(v[i] / v[0]) - share * log(ratio)) <= 1e-9 * fabs(log(ratio));
  }
  return linear ? CS_SPACING_LINEAR : logarithmic ? CS_SPACING_LOGARITHMIC : CS_SPACING_LIST;
}

void cs_digest_add_spacing(const struct cs_digest_axis *axis, struct cs_text *text) {
  static const char *const kinds[][2] = {
      {"lhs", "Latin hypercube"}, {"sobol", "Sobol sequence"}, {"random", "random points"}};
  const struct cs_node *design = axis->design, *seed = design != NULL ? cs_json_get(design, "seed") : NULL;
  if (design == NULL) cs_text_add(text, "%s", cs_digest_spacing(axis->spacing));
  if (design != NULL && cs_json_kind(design) == CS_STRING) cs_text_add(text, "from %s", cs_json_string(design));
  for (size_t i = 0; design != NULL && i < sizeof kinds / sizeof *kinds; i++)
    if (cs_json_get(design, kinds[i][0]) != NULL) cs_text_add(text, "%s", kinds[i][1]);
  if (seed != NULL && cs_json_kind(seed) == CS_NUMBER) cs_text_add(text, ", seed %.17g", cs_json_number(seed));
}

static void open_axis(struct cs_digest *d, size_t index) {
  struct cs_digest_axis *axis = &d->axis[index];
  axis->dimension = cs_runs_axis(&d->over, index);
  axis->paths = cs_runs_about(&d->over, index)->paths;
  axis->design = cs_runs_design(&d->over, axis->dimension->name);
  axis->spacing = cs_runs_is_zip(&d->over, index) ? CS_SPACING_LIST : spacing_of(axis->dimension);
  axis->least = axis->largest = NAN;
  for (size_t i = 0; axis->dimension->values != NULL && i < axis->dimension->length; i++) {
    axis->least = fmin(axis->least, axis->dimension->values[i]);
    axis->largest = fmax(axis->largest, axis->dimension->values[i]);
  }
}

/* ---- metrics */

bool cs_digest_is_over_runs(const struct cs_digest *d, const struct cs_array *array) {
  return array->dimensions >= d->axes && array->dimensions <= d->axes + 1 &&
         memcmp(array->dimension, d->status->dimension, d->axes * sizeof *array->dimension) == 0;
}

static void open_metric(const struct cs_digest *d, const struct cs_array *array, struct cs_digest_metric *metric) {
  const size_t inner = array->count / d->runs;
  *metric = (struct cs_digest_metric){.array = array};
  if (array->dimensions > d->axes) metric->signals = &d->table->dimension[array->dimension[d->axes]];
  for (size_t i = 0; i < array->count; i++) {
    const double value = cs_table_number(array, i);
    if (cs_table_uint8(d->status, i / inner) != 0 || isnan(value)) continue;
    const struct cs_digest_point point = {value, i / inner, metric->signals != NULL ? i % inner : CS_DIGEST_NONE};
    if (metric->numbers == 0 || value < metric->least.value) metric->least = point;
    if (metric->numbers == 0 || value > metric->largest.value) metric->largest = point;
    metric->numbers++;
  }
}

void cs_digest_add_units(const struct cs_digest *d, const struct cs_digest_metric *m, struct cs_text *text) {
  if (strncmp(m->array->unit, "see ", 4) != 0 || m->signals == NULL) {
    if (strcmp(m->array->unit, "1") != 0) cs_text_add(text, "%s", m->array->unit);
    return;
  }
  const struct cs_array *units = cs_runs_units(d->table, m->signals);
  const size_t start = text->length;
  for (size_t i = 0; units != NULL && i < units->count; i++) {
    bool before = false;
    for (size_t j = 0; j < i; j++)
      before = before || strcmp(units->data.text[i], units->data.text[j]) == 0;
    if (!before) cs_text_add(text, "%s%s", text->length > start ? ", " : "", units->data.text[i]);
  }
  if (strstr(m->array->unit, ", per s") != NULL) cs_text_add(text, ", per s");
}

static int open_metrics(struct cs_digest *d, struct cs_error *error) {
  d->metric = calloc(d->table->arrays + 1, sizeof *d->metric);
  if (d->metric == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < d->table->arrays; i++) {
    const struct cs_array *array = &d->table->array[i];
    if (cs_metric_find(array->name) >= 0 && array->type != CS_TEXT && cs_digest_is_over_runs(d, array))
      open_metric(d, array, &d->metric[d->metrics++]);
  }
  return CS_OK;
}

/* ---- the best and the worst runs */

/* The first array over the runs among the metrics of a use. */
static const struct cs_array *find_usual(const struct cs_digest *d, enum cs_use use, enum cs_type type) {
  long m;
  for (size_t place = 1; (m = cs_metric_usual(use, place)) >= 0; place++) {
    const struct cs_array *array = cs_table_find(d->table, cs_metric_table[m].name);
    if (array != NULL && array->type == type && cs_digest_is_over_runs(d, array)) return array;
  }
  return NULL;
}

struct cs_digest_point cs_digest_judge(const struct cs_digest *d, size_t run) {
  const size_t inner = d->judge->count / d->runs;
  struct cs_digest_point point = {NAN, run, inner > 1 || d->judge->dimensions > d->axes ? 0 : CS_DIGEST_NONE};
  for (size_t i = 0; i < inner && cs_table_uint8(d->status, run) == 0; i++) {
    const double value = fabs(cs_table_float64(d->judge, run * inner + i));
    if (isnan(value)) return (struct cs_digest_point){NAN, run, CS_DIGEST_NONE};
    if (isnan(point.value) || value > point.value) {
      point.value = value;
      if (point.signal != CS_DIGEST_NONE) point.signal = i;
    }
  }
  return point;
}

/* Values that differ by rounding only. */
static bool is_tie(double a, double b) {
  return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Inserts a point into the list of the CS_DIGEST_BEST first ones, ascending (sign 1) or descending (sign -1); ties keep
 * the order of the runs. */
static void keep(struct cs_digest_point *list, size_t *length, struct cs_digest_point point, double sign) {
  size_t at = *length;
  while (at > 0 && sign * point.value < sign * list[at - 1].value && !is_tie(point.value, list[at - 1].value))
    at--;
  if (at == CS_DIGEST_BEST) return;
  const size_t last = *length < CS_DIGEST_BEST ? (*length)++ : CS_DIGEST_BEST - 1;
  memmove(list + at + 1, list + at, (last - at) * sizeof *list);
  list[at] = point;
}

static void find_best(struct cs_digest *d) {
  size_t best = 0, worst = 0, numbers = 0;
  d->cost = find_usual(d, CS_USE_COST, CS_INT64);
  d->judge = find_usual(d, CS_USE_JUDGE, CS_FLOAT64);
  for (size_t run = 0; d->judge != NULL && run < d->runs; run++) {
    const struct cs_digest_point point = cs_digest_judge(d, run);
    if (isnan(point.value)) continue;
    numbers++;
    if (best == 0 || is_tie(point.value, d->best->value))
      d->tied++;
    else if (point.value < d->best->value)
      d->tied = 1;
    keep(d->best, &best, point, 1);
    keep(d->worst, &worst, point, -1);
  }
  d->ranked = numbers >= 2 * CS_DIGEST_BEST ? CS_DIGEST_BEST : numbers / 2;
}

/* ---- failed runs */

static int open_failure(struct cs_digest *d, int status, size_t count, struct cs_error *error) {
  struct cs_digest_failure *f = &d->failure[d->failures++];
  f->status = status;
  f->run = malloc(count * sizeof *f->run);
  f->first = malloc((d->axes + 1) * sizeof *f->first);
  f->last = calloc(d->axes + 1, sizeof *f->last);
  if (f->run == NULL || f->first == NULL || f->last == NULL) return cs_error_memory(error);
  for (size_t a = 0; a < d->axes; a++)
    f->first[a] = SIZE_MAX;
  for (size_t run = 0; run < d->runs; run++) {
    if (cs_table_uint8(d->status, run) != status) continue;
    f->run[f->count++] = run;
    for (size_t a = 0; a < d->axes; a++) {
      const size_t at = cs_runs_position(&d->over, run, a);
      if (at < f->first[a]) f->first[a] = at;
      if (at > f->last[a]) f->last[a] = at;
    }
  }
  return CS_OK;
}

static int open_failures(struct cs_digest *d, struct cs_error *error) {
  size_t count[256] = {0}, kinds = 0;
  for (size_t run = 0; run < d->runs; run++)
    count[cs_table_uint8(d->status, run)]++;
  for (int i = 1; i < 256; i++)
    kinds += count[i] > 0;
  d->good = count[0];
  d->failure = calloc(kinds + 1, sizeof *d->failure);
  int code = d->failure == NULL ? cs_error_memory(error) : CS_OK;
  for (int i = 1; i < 256 && code == CS_OK; i++)
    if (count[i] > 0) code = open_failure(d, i, count[i], error);
  return code;
}

/* ---- the whole */

int cs_digest_open(const struct cs_table *table, struct cs_digest *digest, struct cs_error *error) {
  struct cs_digest *d = digest;
  *d = (struct cs_digest){.table = table};
  int code = cs_runs_open(table, &d->over, error);
  if (code == CS_OK) code = cs_theory_open(&d->over, &d->theory, error);
  if (code != CS_OK) return code;
  d->status = d->over.status;
  d->runs = d->status->count;
  d->axes = d->status->dimensions;
  d->axis = calloc(d->axes + 1, sizeof *d->axis);
  if (d->axis == NULL) code = cs_error_memory(error);
  for (size_t i = 0; i < d->axes && code == CS_OK; i++) {
    open_axis(d, i);
    d->columns += cs_runs_columns(&d->over, i, d->column + d->columns, CS_RUNS_COLUMNS - d->columns);
  }
  if (code == CS_OK) code = open_metrics(d, error);
  if (code == CS_OK) code = open_failures(d, error);
  if (code == CS_OK) code = cs_digest_open_fits(d, error);
  if (code != CS_OK) return code;
  find_best(d);
  cs_digest_find_floor(d);
  cs_digest_find_events(d);
  return CS_OK;
}

void cs_digest_free(struct cs_digest *digest) {
  for (size_t i = 0; i < digest->failures; i++) {
    free(digest->failure[i].run);
    free(digest->failure[i].first);
    free(digest->failure[i].last);
  }
  for (size_t i = 0; i < digest->fits; i++) {
    free(digest->fit[i].run);
    free(digest->fit[i].order);
  }
  cs_theory_free(digest->theory);
  cs_runs_close(&digest->over);
  free(digest->axis);
  free(digest->metric);
  free(digest->failure);
  free(digest->fit);
  *digest = (struct cs_digest){0};
}
