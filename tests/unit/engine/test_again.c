/* Single runs computed again: the bytes that they have among all, also by the sweep and the model as a result keeps
 * them, for all shipped sweeps. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "resume.h"

TestSuite(again, .timeout = 300);

static struct cs_error error;

/* Numbers of runs, one after the other. */
static int append(void *context, size_t run, const struct cs_table *table, struct cs_error *failure) {
  (void)run;
  (void)failure;
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *a = &table->array[i];
    cs_text_append(context, a->name, strlen(a->name));
    cs_text_append(context, (const char *)a->data.uint8, a->count * cs_table_item_size(a->type));
  }
  return CS_OK;
}

static struct cs_text compute(const struct harness *harness, const struct cs_sweep *sweep) {
  const size_t run[] = {0, sweep->runs / 3, sweep->runs - 1}, runs = sweep->runs > 2 ? 3 : 1;
  const struct cs_engine_options options = {0};
  struct cs_outcome outcome = {0};
  struct cs_text bytes = {0};
  const struct cs_engine_again again = {.receive = append, .context = &bytes};
  const int code = cs_engine_again(sweep, &harness->device, 1, &options, run, runs, &again, &outcome, &error);
  cr_assert_eq(code, CS_OK, "%s: %s", sweep->name, error.message);
  cr_expect_gt(bytes.length, 0, "%s", sweep->name);
  cs_outcome_free(&outcome);
  return bytes;
}

/* The sweep made anew of the texts that its result keeps. */
static struct cs_sweep *reread(const struct cs_sweep *sweep) {
  struct cs_text text = {0}, model = {0};
  struct cs_json *json[2] = {NULL, NULL};
  struct cs_model *read = NULL;
  struct cs_sweep *again = NULL;
  cs_sweep_print(sweep, &text);
  cs_json_print(cs_json_root(sweep->model->json), &model);
  cr_assert_eq(cs_json_parse("model", model.data, model.length, &json[0], &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_json_parse("sweep", text.data, text.length, &json[1], &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_model_read(json[0], &read, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_sweep_read(sweep->path, json[1], read, NULL, 0, &again, &error), CS_OK, "%s", error.message);
  cs_text_free(&text);
  cs_text_free(&model);
  return again;
}

static void compare(struct harness *harness, const char *path) {
  const struct cs_engine_options options = {0};
  char digest[2][CS_RESUME_DIGEST];
  harness_load_file(harness, path);
  if (harness->sweep->masters->user.count + harness->sweep->controls->user.count > 0) return; /* they need OpenCL */
  struct cs_sweep *again = reread(harness->sweep);
  struct cs_text one = compute(harness, harness->sweep), other = compute(harness, again);
  cr_expect(one.length == other.length && memcmp(one.data, other.data, one.length) == 0, "%s", path);
  cr_expect_eq(cs_resume_digest(harness->sweep, cs_device_info(harness->device), &options, digest[0], &error), CS_OK);
  cr_expect_eq(cs_resume_digest(again, cs_device_info(harness->device), &options, digest[1], &error), CS_OK);
  cr_expect_str_eq(digest[0], digest[1], "%s", path);
  cs_text_free(&one);
  cs_text_free(&other);
  cs_sweep_free(again);
}

Test(again, shipped_sweeps_by_what_their_results_keep) {
  struct harness harness;
  char *pattern = harness_source_path("sweeps/*.json");
  glob_t found;
  harness_open(&harness);
  cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
  cr_expect_gt(found.gl_pathc, 20);
  for (size_t i = 0; i < found.gl_pathc; i++)
    compare(&harness, found.gl_pathv[i]);
  globfree(&found);
  free(pattern);
  harness_close(&harness);
}
