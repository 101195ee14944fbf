#include "engine_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "result.h"

void engine_case_model(struct harness *harness, const char *path) {
  char *model = harness_read(path);
  harness_write(harness, "model.json", model);
  free(model);
}

void engine_case_run(struct harness *harness, const char *sweep, unsigned lanes, size_t tile_runs,
                     struct engine_case *result) {
  struct cs_error error;
  if (cs_device_info(harness->device)->host) lanes = 0; /* those of its instruction set */
  const struct cs_engine_options options = {.lanes = lanes,
                                            .tile_runs = tile_runs,
                                            .builder = harness_program(),
                                            .build_pays = harness_build_pays(harness->device)};
  *result = (struct engine_case){0};
  harness_load(harness, sweep);
  result->runs = harness->sweep->runs;
  cr_assert_eq(cs_engine_run(harness->sweep, harness->device, &options, &result->table, &result->outcome, &error),
               CS_OK, "%s", error.message);
  const struct cs_note *used = cs_table_find_note(result->table, "lanes");
  cr_assert(used != NULL && (lanes == 0 || used->int64 == lanes), "not run with %u lanes", lanes);
}

void engine_case_free(struct engine_case *result) {
  cs_table_free(result->table);
  cs_outcome_free(&result->outcome);
  *result = (struct engine_case){0};
}

static const struct cs_array *find(const struct engine_case *result, const char *name) {
  const struct cs_array *array = cs_table_find(result->table, name);
  cr_assert(array == NULL || array->count % result->runs == 0, "%s: %zu values of %zu runs", name, array->count,
            result->runs);
  return array;
}

const double *engine_case_values(const struct engine_case *result, const char *metric, size_t run, size_t *signals) {
  const struct cs_array *array = find(result, metric);
  cr_assert(array != NULL && array->type == CS_FLOAT64 && run < result->runs, "no numbers of %s", metric);
  *signals = array->count / result->runs;
  return array->data.float64 + run * *signals;
}

int engine_case_status(const struct engine_case *result, size_t run) {
  return find(result, "status")->data.uint8[run];
}

void engine_case_all_doubled(const struct engine_case *result) {
  for (size_t run = 0; run < result->runs; run++) {
    const int way = find(result, "engine_used")->data.uint8[run];
    cr_assert(way == CS_WAY_DOUBLE || way == CS_WAY_NONE, "run %zu was stepped", run);
  }
}

long engine_case_steps(const struct engine_case *result, size_t run) {
  return (long)find(result, "steps")->data.int64[run];
}

void engine_case_same_run(const struct engine_case *one, size_t a, const struct engine_case *other, size_t b) {
  size_t compared = 0;
  cr_assert_eq(engine_case_status(one, a), engine_case_status(other, b), "status of run %zu and run %zu", a, b);
  for (size_t m = 0; m < CS_METRICS; m++) {
    const char *name = cs_metric_table[m].name;
    const struct cs_array *left = find(one, name), *right = find(other, name);
    if (left == NULL || right == NULL) continue;
    const size_t signals = left->count / one->runs;
    cr_assert_eq(right->count / other->runs, signals, "%s: signals", name);
    for (size_t i = 0; i < signals; i++, compared++) {
      if (left->type == CS_UINT8) {
        cr_assert_eq(left->data.uint8[a * signals + i], right->data.uint8[b * signals + i], "%s of run %zu", name, a);
        continue;
      }
      const int64_t *x = left->data.int64 + a * signals + i, *y = right->data.int64 + b * signals + i;
      cr_assert_eq(memcmp(x, y, sizeof *x), 0, "%s, signal %zu of run %zu: %.17g, of run %zu: %.17g", name, i, a,
                   left->type == CS_FLOAT64 ? left->data.float64[a * signals + i] : (double)*x, b,
                   left->type == CS_FLOAT64 ? right->data.float64[b * signals + i] : (double)*y);
    }
  }
  cr_assert_gt(compared, 0);
}

void engine_case_same(const struct engine_case *one, const struct engine_case *other) {
  cr_assert_eq(one->runs, other->runs);
  for (size_t run = 0; run < one->runs; run++)
    engine_case_same_run(one, run, other, run);
}

void engine_case_compare(struct harness_check *check, const struct engine_case *actual,
                         const struct engine_case *expected, double relative, double absolute) {
  cr_assert_eq(actual->runs, expected->runs);
  for (size_t m = 0; m < CS_METRICS; m++) {
    const char *name = cs_metric_table[m].name;
    if (cs_metric_table[m].reduction == CS_COUNT || find(actual, name) == NULL) continue;
    for (size_t run = 0; run < actual->runs; run++) {
      size_t signals, wanted;
      const double *x = engine_case_values(actual, name, run, &signals);
      const double *y = engine_case_values(expected, name, run, &wanted);
      cr_assert_eq(signals, wanted);
      for (size_t i = 0; i < signals; i++)
        harness_compare(check, x[i], y[i], relative, absolute, "run %zu: %s, signal %zu", run, name, i);
    }
  }
}

static const struct cs_dimension *signals_of(const struct engine_case *result, const char *metric) {
  const struct cs_array *array = find(result, metric);
  return &result->table->dimension[array->dimension[array->dimensions - 1]];
}

/* Position of a label; fails the test where there is none. */
static size_t position(const struct cs_dimension *signal, const char *label) {
  size_t i = 0;
  while (i < signal->length && strcmp(signal->labels[i], label) != 0)
    i++;
  cr_assert_lt(i, signal->length, "no %s", label);
  return i;
}

void engine_case_compare_by_name(struct harness_check *check, const struct engine_case *actual,
                                 const struct engine_case *expected, double relative, double absolute) {
  cr_assert_eq(actual->runs, expected->runs);
  for (size_t m = 0; m < CS_METRICS; m++) {
    const char *name = cs_metric_table[m].name;
    if (cs_metric_table[m].over == CS_OVER_NOTHING || find(actual, name) == NULL) continue;
    const struct cs_dimension *theirs = signals_of(expected, name), *ours = signals_of(actual, name);
    for (size_t run = 0; run < actual->runs; run++) {
      size_t signals;
      const double *x = engine_case_values(actual, name, run, &signals);
      const double *y = engine_case_values(expected, name, run, &signals);
      for (size_t i = 0; i < signals; i++) {
        harness_compare(check, x[position(ours, theirs->labels[i])], y[i], relative, absolute, "run %zu: %s of %s", run,
                        name, theirs->labels[i]);
      }
    }
  }
}
