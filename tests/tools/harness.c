#include "harness.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "opencl.h"

/* ---- runs */

void harness_directory(struct harness *harness) {
  *harness = (struct harness){0};
  harness_files_open(harness->directory);
}

void harness_open(struct harness *harness) {
  struct cs_error error;
  harness_directory(harness);
  if (getenv("POCL_CACHE_DIR") == NULL)
    setenv("POCL_KERNEL_CACHE", "0", 0); /* processes that share a cold cache of PoCL spoil it for each other */
  cr_assert_eq(cs_device_open(NULL, &harness->device, &error), CS_OK, "%s", error.message);
}

void harness_open_opencl(struct harness *harness) {
  opencl_needed();
  setenv("COSWEEP_DEVICE", "cpu", 1);
  harness_open(harness);
}

void harness_open_auto(struct harness *harness) {
  opencl_needed();
  setenv("COSWEEP_DEVICE", "auto", 1);
  harness_open(harness);
}

const char *harness_program(void) {
  const char *given = getenv("COSWEEP_PROGRAM");
  return given != NULL ? given : "cosweep";
}

void harness_close(struct harness *harness) {
  cs_table_free(harness->table);
  cs_sweep_free(harness->sweep);
  cs_device_close(harness->device);
  harness_files_close(harness->directory);
}

void harness_write(struct harness *harness, const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", harness->directory, name);
  FILE *file = fopen(path, "wb");
  cr_assert(file != NULL, "cannot write %s", path);
  size_t length = strlen(text);
  cr_assert_eq(fwrite(text, 1, length, file), length);
  cr_assert_eq(fclose(file), 0);
}

/* `set`: an override, or NULL. */
static void load(struct harness *harness, const char *path, const char *set) {
  struct cs_error error;
  cs_table_free(harness->table);
  cs_sweep_free(harness->sweep);
  harness->table = NULL;
  harness->sweep = NULL;
  cr_assert_eq(cs_sweep_load(path, &set, set != NULL, &harness->sweep, &error), CS_OK, "%s", error.message);
}

static void load_text(struct harness *harness, const char *sweep, const char *set) {
  char path[256];
  harness_write(harness, "sweep.json", sweep);
  snprintf(path, sizeof path, "%s/sweep.json", harness->directory);
  load(harness, path, set);
}

void harness_load_file(struct harness *harness, const char *path) {
  load(harness, path, NULL);
}

void harness_load(struct harness *harness, const char *sweep) {
  load_text(harness, sweep, NULL);
}

/* Blanks an item of a list of words out, with its comma. */
static void blank_item(char *text, const char *word) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\"", word);
  char *at = strstr(text, quoted);
  if (at != NULL) {
    const size_t length = strlen(quoted) + strspn(at + strlen(quoted), " \n");
    memset(at, ' ', length + (at[length] == ','));
  }
}

void harness_load_engine(struct harness *harness, const char *sweep, const char *engine) {
  char set[64];
  struct cs_text text = {0};
  snprintf(set, sizeof set, "method.engine=%s", engine);
  cs_text_add(&text, "%s", sweep);
  cr_assert(!text.failed);
  for (size_t i = 0; i < CS_METRICS && strcmp(engine, "double") == 0; i++)
    if (cs_metric_table[i].every_step) blank_item(text.data, cs_metric_table[i].name);
  load_text(harness, text.data, set);
  cs_text_free(&text);
}

double harness_build_pays(const struct cs_device *device) {
  return cs_device_info(device)->automatic ? 0.0 : 1e-9;
}

void harness_run(struct harness *harness) {
  struct cs_error error;
  const struct cs_engine_options options = {.builder = harness_program(),
                                            .build_pays = harness_build_pays(harness->device)};
  cr_assert_eq(cs_engine_run(harness->sweep, harness->device, &options, &harness->table, NULL, &error), CS_OK, "%s",
               error.message);
}

void harness_run_shipped(struct harness *harness, const char *name) {
  struct cs_text text = {0};
  cs_text_add(&text, "sweeps/%s.json", name);
  cr_assert(!text.failed);
  char *path = harness_source_path(text.data);
  harness_load_file(harness, path);
  harness_run(harness);
  cs_text_free(&text);
  free(path);
}

char *harness_monitor_states(const char *model) {
  struct cs_error error;
  struct cs_json *json = NULL;
  struct cs_text out = {0};
  cr_assert_eq(cs_json_parse("model", model, strlen(model), &json, &error), CS_OK, "%s", error.message);
  const struct cs_node *root = cs_json_root(json), *subsystems = cs_json_get(root, "subsystems");
  cs_text_add(&out, "{");
  for (size_t i = 0; i < cs_json_length(root); i++) {
    const struct cs_node *member = cs_json_at(root, i);
    if (strcmp(cs_json_key(member), "monitors") != 0) {
      cs_text_add(&out, "\"%s\": ", cs_json_key(member));
      cs_json_print(member, &out);
      cs_text_add(&out, ",\n");
    }
  }
  cs_text_add(&out, "\"monitors\": [");
  const char *separator = "";
  for (size_t i = 0; i < cs_json_length(subsystems); i++) {
    const char *name = cs_json_string(cs_json_get(cs_json_at(subsystems, i), "name"));
    const struct cs_node *states = cs_json_get(cs_json_at(subsystems, i), "states");
    for (size_t j = 0; states != NULL && j < cs_json_length(states); j++) {
      const struct cs_node *state = cs_json_at(states, j);
      const char *x = cs_json_string(cs_json_kind(state) == CS_OBJECT ? cs_json_get(state, "name") : state);
      cs_text_add(&out, "%s{\"name\": \"%s_%s\", \"terms\": {\"%s.x.%s\": 1}}", separator, name, x, name, x);
      separator = ", ";
    }
  }
  cs_text_add(&out, "]}\n");
  cr_assert(!out.failed);
  cs_json_free(json);
  return out.data;
}

char *harness_reverse_subsystems(const char *model) {
  struct cs_error error;
  struct cs_json *json = NULL;
  struct cs_text out = {0};
  cr_assert_eq(cs_json_parse("model", model, strlen(model), &json, &error), CS_OK, "%s", error.message);
  const struct cs_node *root = cs_json_root(json);
  for (size_t i = 0; i < cs_json_length(root); i++) {
    const struct cs_node *member = cs_json_at(root, i);
    cs_text_add(&out, "%s\"%s\": ", i ? ",\n" : "{", cs_json_key(member));
    if (strcmp(cs_json_key(member), "subsystems") != 0) {
      cs_json_print(member, &out);
      continue;
    }
    for (size_t s = cs_json_length(member); s-- > 0;) {
      cs_text_add(&out, s + 1 == cs_json_length(member) ? "[" : ", ");
      cs_json_print(cs_json_at(member, s), &out);
    }
    cs_text_add(&out, "]");
  }
  cs_text_add(&out, "}\n");
  cr_assert(!out.failed);
  cs_json_free(json);
  return out.data;
}

/* ---- results */

static size_t find_label(const struct cs_dimension *dimension, const char *label) {
  for (size_t i = 0; dimension->labels != NULL && i < dimension->length; i++)
    if (strcmp(dimension->labels[i], label) == 0) return i;
  cr_assert_fail("dimension %s has no %s", dimension->name, label);
  return 0;
}

double harness_value(const struct cs_table *table, const char *name, const size_t *index, const char *signal) {
  const struct cs_array *array = cs_table_find(table, name);
  cr_assert(array != NULL, "no array %s", name);
  cr_assert(array->dimensions >= (signal != NULL));
  size_t at = 0, axes = array->dimensions - (signal != NULL);
  for (size_t i = 0; i < array->dimensions; i++) {
    const struct cs_dimension *dimension = &table->dimension[array->dimension[i]];
    size_t position = i < axes ? index[i] : find_label(dimension, signal);
    cr_assert_lt(position, dimension->length, "%s: beyond dimension %s", name, dimension->name);
    at = at * dimension->length + position;
  }
  switch (array->type) {
    case CS_FLOAT64:
      return array->data.float64[at];
    case CS_INT64:
      return (double)array->data.int64[at];
    case CS_UINT8:
      return array->data.uint8[at];
    default:
      cr_assert_fail("%s holds no numbers", name);
      return NAN;
  }
}

void harness_compare(struct harness_check *check, double actual, double expected, double relative, double absolute,
                     const char *format, ...) {
  enum { PRINTED = 20 };
  char what[sizeof check->worst_case - 128];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  double difference = fabs(actual - expected), allowed = fmax(relative * fabs(expected), absolute);
  double ratio = difference == 0 ? 0 : difference / allowed;
  int good = ratio <= 1; /* false for NaN */
  check->compared++;
  check->failed += !good;
  if (!good && check->failed <= PRINTED)
    fprintf(stderr, "%s: %.17g, want %.17g (off by %.3g, allowed %.3g)\n", what, actual, expected, difference, allowed);
  if (!isnan(check->worst) && !(ratio <= check->worst)) {
    check->worst = ratio;
    snprintf(check->worst_case, sizeof check->worst_case, "%s: %.17g, want %.17g", what, actual, expected);
  }
}

void harness_finish(const struct harness_check *check, const char *title) {
  fprintf(stderr, "%s: %zu values, %zu off; worst %.3g of the tolerance at %s\n", title, check->compared, check->failed,
          check->worst, check->worst_case);
  cr_assert(check->compared > 0 && check->failed == 0, "%s: %zu of %zu values off", title, check->failed,
            check->compared);
}
