#include "boundary.h"

#include <math.h>
#include <stdlib.h>

#include "axis.h"
#include "list.h"
#include "result.h"

/* Relative width of the final interval, in units of the larger end of the interval found by the scan. */
#define PRECISION 1e-10

/* A radius above 1 by more than the first gives the slope beyond a change; one by less than the second is extrapolated
 * to where the radius is 1. */
#define CLEARLY_UNSTABLE 1e-6
#define BARELY_UNSTABLE 1e-7

/* One change: stable differs between low and high. */
struct crossing {
  size_t line, run; /* any run of the line */
  double low, high, width;
  double stable_end; /* of the scan's interval */
  bool low_stable;
  double excess;            /* radius - 1 at the unstable end */
  double far, far_excess;   /* the nearest clearly unstable point found so far */
  double last, last_excess; /* the unstable end before this one; NaN: there was none */
  unsigned small;           /* points since the interval was last halved */
};

/* The runs as lines along the axis: each has axis->length runs, `inner` apart. */
struct search {
  const struct cs_sweep *sweep;
  const struct cs_axis *axis;
  size_t index, lines, inner;
  size_t *order; /* [length] of the axis, ascending in value */
  struct crossing *crossing;
  size_t crossings;
  size_t *count;      /* [lines] */
  double *stable_max; /* [lines] */
};

struct entry {
  double value;
  size_t index;
};

static int compare_entries(const void *left, const void *right) {
  const struct entry *a = left, *b = right;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

int cs_boundary_order(const struct cs_axis *axis, size_t *order, struct cs_error *error) {
  struct entry *entry = malloc(axis->length * sizeof *entry);
  if (entry == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < axis->length; i++)
    entry[i] = (struct entry){axis->values[i], i};
  qsort(entry, axis->length, sizeof *entry, compare_entries);
  for (size_t i = 0; i < axis->length; i++)
    order[i] = entry[i].index;
  free(entry);
  return CS_OK;
}

static int search_open(const struct cs_sweep *sweep, struct search *s, struct cs_error *error) {
  *s = (struct search){.sweep = sweep, .index = (size_t)sweep->boundary};
  s->axis = &sweep->axis[s->index];
  s->inner = cs_axis_stride(sweep->axis, sweep->axes, s->index);
  s->lines = sweep->runs / s->axis->length;
  s->order = malloc(s->axis->length * sizeof *s->order);
  s->count = calloc(s->lines, sizeof *s->count);
  s->stable_max = malloc(s->lines * sizeof *s->stable_max);
  if (s->order == NULL || s->count == NULL || s->stable_max == NULL) return cs_error_memory(error);
  return cs_boundary_order(s->axis, s->order, error);
}

static void search_close(struct search *s) {
  free(s->order);
  free(s->count);
  free(s->stable_max);
  free(s->crossing);
}

static int add_crossing(struct search *s, const struct crossing *crossing, struct cs_error *error) {
  if (!cs_list_grow(&s->crossing, s->crossings, sizeof *s->crossing)) return cs_error_memory(error);
  s->crossing[s->crossings++] = *crossing;
  return CS_OK;
}

/* Finds the changes along one line in ascending order, ignoring runs without a radius. */
static int scan_line(struct search *s, size_t line, const double *radius, struct cs_error *error) {
  const size_t first = line / s->inner * s->axis->length * s->inner + line % s->inner;
  size_t before = SIZE_MAX;
  s->stable_max[line] = NAN;
  for (size_t k = 0; k < s->axis->length; k++) {
    const size_t run = first + s->order[k] * s->inner;
    const double value = s->axis->values[s->order[k]];
    if (isnan(radius[run])) continue;
    if (cs_result_stable(radius[run])) s->stable_max[line] = value;
    if (before != SIZE_MAX && cs_result_stable(radius[run]) != cs_result_stable(radius[before])) {
      const double low = s->axis->values[(before - first) / s->inner];
      struct crossing found = {.line = line,
                               .run = before,
                               .low = low,
                               .high = value,
                               .width = PRECISION * fmax(fabs(low), fabs(value)),
                               .low_stable = cs_result_stable(radius[before])};
      found.stable_end = found.low_stable ? low : value;
      const double excess = (found.low_stable ? radius[run] : radius[before]) - 1.0;
      found.excess = found.far_excess = excess;
      found.far = found.low_stable ? value : low;
      found.last = found.last_excess = NAN;
      const int code = add_crossing(s, &found, error);
      if (code != CS_OK) return code;
      s->count[line]++;
    }
    before = run;
  }
  return CS_OK;
}

static double middle(const struct crossing *c) {
  return 0.5 * c->low + 0.5 * c->high;
}

static bool is_open(const struct crossing *c) {
  const double m = middle(c);
  return c->high - c->low > c->width && m > c->low && m < c->high;
}

/* The next point to look at. Where each is much work, which is where the line through the last two unstable ones is
 * stable, if it lies inside; away from the nearer end by a part of the final width, and by more of it while only this
 * end moves, for the other has to follow. An interval that three points do not halve is halved itself. */
static double next_point(const struct crossing *c, bool dear) {
  enum { MOST_SMALL = 3 };
  const double unstable = c->low_stable ? c->high : c->low, slope = (c->last_excess - c->excess) / (c->last - unstable);
  const double guess = unstable - (c->excess - CS_RESULT_NEUTRAL) / slope, apart = 0.4 * c->width * pow(8.0, c->small);
  if (!dear || c->small == MOST_SMALL || !(guess > c->low && guess < c->high) || !(2.0 * apart < c->high - c->low))
    return middle(c);
  return fmin(fmax(guess, c->low + apart), c->high - apart);
}

/* Narrows the interval to a point inside it. */
static void narrow(struct crossing *c, double value, double radius) {
  const bool stable = cs_result_stable(radius);
  const double before = c->high - c->low;
  if (!stable) {
    c->last = c->low_stable ? c->high : c->low;
    c->last_excess = c->excess;
    c->excess = radius - 1.0;
  }
  *(stable == c->low_stable ? &c->low : &c->high) = value;
  c->small = c->high - c->low > 0.5 * before ? c->small + 1 : 0;
  if (stable || !(c->excess > CLEARLY_UNSTABLE)) return;
  c->far = value;
  c->far_excess = c->excess;
}

/* Where the radius is 1. `stable` changes slightly beyond, because it allows for rounding. Unless the radius jumps, the
 * secant through the nearest clearly unstable point leads back, at most to the stable end of the scan's interval. */
static double position(const struct crossing *c) {
  const double unstable = c->low_stable ? c->high : c->low;
  const double back = c->excess * (c->far - unstable) / (c->far_excess - c->excess);
  if (!(c->excess < BARELY_UNSTABLE) || !isfinite(back)) return middle(c);
  return c->low_stable ? fmax(unstable - back, c->stable_end) : fmin(unstable - back, c->stable_end);
}

/* Narrows intervals until all are narrow enough. A point without a radius counts as unstable. */
static int close_in(struct search *s, cs_evaluate *evaluate, void *context, struct cs_error *error) {
  struct cs_point *point = malloc((s->crossings + 1) * sizeof *point);
  size_t *owner = malloc((s->crossings + 1) * sizeof *owner);
  double *radius = malloc((s->crossings + 1) * sizeof *radius);
  const bool dear = cs_layout_is_large(s->sweep->model); /* small ones keep the points that they always had */
  int code = point == NULL || owner == NULL || radius == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t points = 1; points > 0 && code == CS_OK;) {
    points = 0;
    for (size_t i = 0; i < s->crossings; i++) {
      if (!is_open(&s->crossing[i])) continue;
      owner[points] = i;
      point[points++] = (struct cs_point){.run = s->crossing[i].run, .value = {next_point(&s->crossing[i], dear)}};
    }
    if (points > 0) code = evaluate(context, &s->index, 1, point, points, radius, error);
    for (size_t i = 0; i < points && code == CS_OK; i++)
      narrow(&s->crossing[owner[i]], point[i].value[0], radius[i]);
  }
  free(point);
  free(owner);
  free(radius);
  return code;
}

/* Adds the arrays, over all axes but the one searched. */
static int add_arrays(const struct search *s, struct cs_table *table, struct cs_array **to, struct cs_error *error) {
  size_t dimension[CS_MAX_DIMENSIONS], most = 1, others = 0, crossing = 0;
  struct cs_text name[CS_LIMITS] = {{0}};
  for (size_t i = 0; i < s->lines; i++)
    if (s->count[i] > most) most = s->count[i];
  for (size_t a = 0; a < s->sweep->axes; a++)
    if (a != s->index) dimension[others++] = a;
  int code = cs_table_add_numbers(table, "crossing", "change", most, &crossing, error);
  dimension[others] = crossing;
  for (size_t i = 0; i < CS_LIMITS && code == CS_OK; i++) {
    const struct cs_limit_info *info = &cs_metric_limit[i];
    struct cs_text sentence = {0};
    cs_text_add(&name[i], "%s%s", s->axis->name, info->suffix);
    cs_text_add(&sentence, info->long_name, s->axis->name);
    code = name[i].failed || sentence.failed
               ? cs_error_memory(error)
               : cs_table_add_array(table, name[i].data, info->count ? "1" : s->axis->unit, sentence.data,
                                    info->count ? CS_INT64 : CS_FLOAT64, others + info->list, dimension, NULL, error);
    cs_text_free(&sentence);
  }
  for (size_t i = 0; i < CS_LIMITS; i++) { /* no array moves any more */
    to[i] = code == CS_OK ? cs_table_find(table, name[i].data) : NULL;
    cs_text_free(&name[i]);
  }
  return code;
}

static int add_results(const struct search *s, struct cs_table *table, struct cs_error *error) {
  struct cs_array *to[CS_LIMITS];
  const int code = add_arrays(s, table, to, error);
  if (code != CS_OK) return code;
  double *first = to[CS_LIMIT_FIRST]->data.float64, *last = to[CS_LIMIT_LAST]->data.float64;
  const size_t most = to[CS_LIMIT_CROSSINGS]->count / s->lines;
  for (size_t i = 0; i < s->lines; i++) {
    last[i] = s->stable_max[i];
    first[i] = s->count[i] == 0 ? last[i] : NAN; /* until the first change is known to end what is stable */
    to[CS_LIMIT_COUNT]->data.int64[i] = (int64_t)s->count[i];
  }
  for (size_t i = 0, number = 0; i < s->crossings; i++) {
    const struct crossing *c = &s->crossing[i];
    number = i > 0 && c->line == s->crossing[i - 1].line ? number + 1 : 0;
    to[CS_LIMIT_CROSSINGS]->data.float64[c->line * most + number] = position(c);
    if (number == 0 && c->low_stable) first[c->line] = position(c);
    if (number + 1 == s->count[c->line] && c->low_stable) last[c->line] = position(c);
  }
  return CS_OK;
}

int cs_boundary_search(const struct cs_sweep *sweep, const double *radius, cs_evaluate *evaluate, void *context,
                       struct cs_table *table, struct cs_error *error) {
  struct search s;
  int code = search_open(sweep, &s, error);
  for (size_t line = 0; line < s.lines && code == CS_OK; line++)
    code = scan_line(&s, line, radius, error);
  if (code == CS_OK) code = close_in(&s, evaluate, context, error);
  if (code == CS_OK) code = add_results(&s, table, error);
  search_close(&s);
  return code;
}
