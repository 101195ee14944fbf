/* Errors that stop falling with the tolerance, because the first step is never rejected. */
#include <math.h>
#include <string.h>

#include "digest_private.h"
#include "metric.h"

enum { FEW = 3 }; /* values of a tolerance that show a floor */
static const double LEVEL = 1.25, SHARE = 0.5;

static const char *const knobs[] = {"method.step.tolerance", "method.step.rtol", "method.step.atol"};

static bool is_tolerance(const struct cs_digest *d, size_t axis) {
  for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++)
    if (strcmp(d->axis[axis].paths, knobs[i]) == 0) return d->axis[axis].dimension->values != NULL;
  return false;
}

static double metric_of(const struct cs_digest *d, enum cs_metric metric, size_t run) {
  const struct cs_array *array = cs_table_find(d->table, cs_metric_table[metric].name);
  return array != NULL && array->type == CS_FLOAT64 && array->count == d->runs ? cs_table_float64(array, run) : NAN;
}

/* The first step of a run whose control never rejects one, if it is the largest by far; NaN otherwise. */
static double dominant_step(const struct cs_digest *d, size_t run) {
  const struct cs_runs_value control = cs_runs_value(&d->over, run, "method.step.control");
  const double initial = cs_runs_value(&d->over, run, "method.step.initial").number;
  const bool keeps =
      control.word != NULL && (strcmp(control.word, "pi_defect") == 0 || strcmp(control.word, "pi_ecco") == 0);
  const bool largest = fabs(metric_of(d, CS_STEP_MAX, run) - initial) <= 1e-9 * initial;
  return keeps && largest && metric_of(d, CS_STEP_MEAN, run) < SHARE * initial ? initial : NAN;
}

/* Looks at the runs that differ from `run` along the axis alone, `run` at its first value. */
static void look(struct cs_digest *d, size_t axis, size_t run, size_t stride) {
  const struct cs_dimension *tolerance = d->axis[axis].dimension;
  const size_t n = tolerance->length;
  const bool up = tolerance->values[0] < tolerance->values[n - 1];
  const size_t finest = run + (up ? 0 : n - 1) * stride;
  const double value = cs_digest_judge(d, finest).value, initial = dominant_step(d, finest);
  size_t level = 0;
  for (; level < n && !isnan(initial); level++) {
    const size_t other = run + (up ? level : n - 1 - level) * stride;
    if (!(cs_digest_judge(d, other).value <= LEVEL * value) || isnan(dominant_step(d, other))) break;
  }
  if (!(value > 0.0) || level < FEW || d->floor.run != CS_DIGEST_NONE) return;
  d->floor = (struct cs_digest_floor){.axis = axis,
                                      .run = finest,
                                      .value = value,
                                      .initial = initial,
                                      .tolerance = tolerance->values[up ? level - 1 : n - level]};
}

void cs_digest_find_floor(struct cs_digest *d) {
  size_t stride = d->runs;
  d->floor.run = CS_DIGEST_NONE;
  if (d->judge == NULL || cs_metric_table[cs_metric_find(d->judge->name)].order != CS_ORDER_ERROR) return;
  for (size_t a = 0; a < d->axes; a++) {
    stride /= d->axis[a].dimension->length;
    for (size_t run = 0; is_tolerance(d, a) && run < d->runs; run++)
      if (cs_runs_position(&d->over, run, a) == 0) look(d, a, run, stride);
  }
}
