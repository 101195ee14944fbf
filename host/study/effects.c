#include "effects.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_RUNS = 8, CLASSES = 10 /* of cost in a decade */ };

/* A run, and how far its log error is from the mean of its group. */
struct item {
  double group, value;
  size_t run;
};

static int compare_items(const void *left, const void *right) {
  const struct item *a = left, *b = right;
  if (a->group != b->group) return a->group < b->group ? -1 : 1;
  return (a->run > b->run) - (a->run < b->run);
}

static int compare_effects(const void *left, const void *right) {
  const struct cs_effect *a = left, *b = right;
  if (a->share != b->share) return a->share > b->share ? -1 : 1;
  return (a->axis > b->axis) - (a->axis < b->axis);
}

/* The runs that count, in order of their groups. */
static size_t gather(const struct cs_rank_runs *runs, struct item *item) {
  size_t count = 0;
  for (size_t i = 0; i < runs->runs; i++) {
    if (!(runs->error[i] > 0.0) || !isfinite(runs->error[i]) || !(runs->cost[i] > 0.0)) continue;
    const double class = floor(CLASSES * log10(runs->cost[i]) + 1e-9);
    item[count++] = (struct item){(double)runs->case_of[i] * 1e4 + class, log10(runs->error[i]), i};
  }
  qsort(item, count, sizeof *item, compare_items);
  return count;
}

/* Takes the mean of each group away; groups of one run are left out. Returns how many items are left. */
static size_t center(struct item *item, size_t count) {
  size_t kept = 0;
  for (size_t begin = 0, end; begin < count; begin = end) {
    double sum = 0.0;
    for (end = begin; end < count && item[end].group == item[begin].group; end++)
      sum += item[end].value;
    for (size_t i = begin; i < end && end > begin + 1; i++) {
      item[kept] = item[i];
      item[kept++].value -= sum / (double)(end - begin);
    }
  }
  return kept;
}

/* The sum of squares of the means along an axis. */
static int between(const struct cs_comparison *c, size_t axis, const struct item *item, size_t count, double *squares,
                   struct cs_error *error) {
  const size_t length = cs_runs_axis(&c->over, axis)->length;
  double *sum = calloc(2 * length + 1, sizeof *sum), *number = sum + length;
  if (sum == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < count; i++) {
    const size_t at = cs_runs_position(&c->over, item[i].run, axis);
    sum[at] += item[i].value;
    number[at] += 1.0;
  }
  *squares = 0.0;
  for (size_t at = 0; at < length; at++)
    if (number[at] > 0.0) *squares += sum[at] * sum[at] / number[at];
  free(sum);
  return CS_OK;
}

int cs_effects_find(const struct cs_comparison *c, struct cs_effects *effects, struct cs_error *error) {
  struct item *item = malloc((c->runs.runs + 1) * sizeof *item);
  double total = 0.0;
  int code = CS_OK;
  *effects = (struct cs_effects){.rest = 1.0};
  if (item == NULL) return cs_error_memory(error);
  const size_t count = effects->runs = center(item, gather(&c->fronts, item));
  for (size_t i = 0; i < count; i++)
    total += item[i].value * item[i].value;
  for (size_t a = 0; a < c->status->dimensions && count >= LEAST_RUNS && total > 0.0 && code == CS_OK; a++) {
    double squares = 0.0;
    if (c->role[a] != CS_ROLE_COMBINATION && c->role[a] != CS_ROLE_KNOB) continue;
    code = between(c, a, item, count, &squares, error);
    effects->effect[effects->count++] = (struct cs_effect){a, squares / total};
    effects->rest -= squares / total;
  }
  if (effects->rest < 0.0) effects->rest = 0.0; /* axes are not independent where runs are missing */
  qsort(effects->effect, effects->count, sizeof *effects->effect, compare_effects);
  free(item);
  return code;
}

void cs_effects_add(const struct cs_comparison *c, const struct cs_effects *effects, struct cs_text *text) {
  for (size_t i = 0; i < effects->count; i++)
    cs_text_add(text, "%s%s %.0f %%", i > 0 ? ", " : "", cs_runs_axis(&c->over, effects->effect[i].axis)->name,
                100.0 * effects->effect[i].share);
  if (effects->count > 1) cs_text_add(text, ", together %.0f %%", 100.0 * effects->rest);
}
