#include "vary_case.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "plain_compare.h"

char *vary_case_text(const struct vary_case *sweep) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"vary\", \"model\": \"model.json\", \"study\": "
              "\"simulation\", \"t_end\": %.17g, \"method\": {%s\"step\": {%s}}, \"axes\": [{\"name\": \"v\", "
              "\"path\": \"%s\", \"values\": [%s]}], \"metrics\": [%s]}",
              sweep->t_end, sweep->method, sweep->step, sweep->path, sweep->values,
              sweep->metrics != NULL ? sweep->metrics : VARY_CASE_METRICS);
  cr_assert(!text.failed);
  return text.data;
}

/* Metrics that are one number per run, and those of monitors, whose values are plain sums of signals. */
static void compare_others(const struct harness *harness, size_t run, const struct plain_result *result,
                           double relative, struct harness_check *check, const char *name) {
  const struct cs_model *model = harness->sweep->model;
  for (size_t m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    if (cs_table_find(harness->table, info->name) == NULL) continue;
    if (info->over == CS_OVER_NOTHING && (info->reduction == CS_COUNT || result->status == 0)) {
      harness_compare(check, harness_value(harness->table, info->name, &run, NULL), (double)result->metric[m][0],
                      info->reduction == CS_COUNT ? 0 : relative, 0, "%s: %s", name, info->name);
    }
    for (size_t i = 0; info->over == CS_OVER_MONITOR && result->status == 0 && i < model->monitors; i++) {
      harness_compare(check, harness_value(harness->table, info->name, &run, model->monitor[i].name),
                      (double)result->metric[m][i], relative, 1e-14, "%s: %s of %s", name, info->name,
                      model->monitor[i].name);
    }
  }
}

void vary_case_against_plain(struct harness *harness, const struct vary_case *sweep, const struct plain_watch *watch,
                             double relative, double floor, struct harness_check *check) {
  char *text = vary_case_text(sweep);
  struct cs_settings settings;
  struct cs_error error;
  harness_load(harness, text);
  harness_run(harness);
  cr_assert_eq(cs_settings_new(harness->sweep, &settings, &error), CS_OK, "%s", error.message);
  for (size_t run = 0; run < harness->sweep->runs; run++) {
    struct plain_result result;
    char name[256];
    cs_settings_of(harness->sweep, run, &settings);
    plain_run_settings(harness->sweep, &settings, watch, &result);
    snprintf(name, sizeof name, "%s, %s, run %zu", sweep->step, sweep->values, run);
    const int status = (int)harness_value(harness->table, "status", &run, NULL);
    cr_expect_eq(status, result.status, "%s: status %d, want %d", name, status, result.status);
    compare_others(harness, run, &result, relative, check, name);
    if (result.status == 0) plain_compare(harness, &run, &result, relative, floor, check, name);
  }
  cs_settings_free(&settings);
  free(text);
}
