/* Windows: results do not depend on how many runs are planned at a time, nor does what is said of them; a journal and
 * shards go on with other windows. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine_case.h"
#include "harness.h"
#include "journal.h"
#include "result.h"
#include "window.h"

static struct harness harness;
static struct cs_error error;

struct ran {
  struct cs_table *table;
  struct cs_outcome outcome;
  int code;
};

static void open_sweep(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "sweeps/%s.json", name);
  char *whole = harness_source_path(path);
  harness_load_file(&harness, whole);
  free(whole);
}

static struct ran run(struct cs_engine_options options) {
  struct ran r = {0};
  options.command = "run";
  r.code = cs_engine_run(harness.sweep, harness.device, &options, &r.table, &r.outcome, &error);
  return r;
}

static void end(struct ran *r) {
  cs_table_free(r->table);
  cs_outcome_free(&r->outcome);
}

static void expect_same(const struct ran *one, const struct ran *other, const char *what) {
  cr_assert_eq(one->code, CS_OK, "%s: %s", what, error.message);
  cr_assert_eq(other->code, CS_OK, "%s: %s", what, error.message);
  cr_assert_eq(one->table->arrays, other->table->arrays);
  for (size_t i = 0; i < one->table->arrays; i++) {
    const struct cs_array *a = &one->table->array[i], *b = &other->table->array[i];
    cr_assert_str_eq(a->name, b->name);
    cr_assert_eq(a->count, b->count, "%s: %s", what, a->name);
    if (a->type == CS_TEXT) continue;
    const size_t bytes = a->count * cs_table_item_size(a->type);
    char *items = malloc(bytes);
    cr_assert_not_null(items);
    cr_assert_eq(cs_table_get(other->table, b, 0, items, a->count, &error), CS_OK, "%s", error.message);
    cr_expect(memcmp(a->data.uint8, items, bytes) == 0, "%s: %s differs", what, a->name);
    free(items);
  }
  for (int i = 0; i < CS_STATUSES; i++)
    cr_expect_eq(one->outcome.status[i], other->outcome.status[i], "%s: status %d", what, i);
  cr_expect_str_eq(cs_text_string(&one->outcome.failures), cs_text_string(&other->outcome.failures), "%s", what);
  cr_expect_str_eq(cs_text_string(&one->outcome.warnings), cs_text_string(&other->outcome.warnings), "%s", what);
}

static int compare_run(void *context, size_t run, const struct cs_table *table, struct cs_error *failure) {
  (void)failure;
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *one = &table->array[i], *all = cs_table_find(context, one->name);
    const size_t bytes = one->count * cs_table_item_size(one->type);
    cr_assert_not_null(all);
    cr_expect(memcmp(one->data.uint8, all->data.uint8 + run * bytes, bytes) == 0, "run %zu: %s", run, one->name);
  }
  return CS_OK;
}

/* Runs that are computed alone. */
static void expect_single(const struct ran *whole) {
  const size_t runs = harness.sweep->runs, run[] = {0, runs / 4, runs / 2, runs - 1};
  const struct cs_engine_options options = {0};
  const struct cs_engine_again again = {.receive = compare_run, .context = whole->table};
  struct cs_outcome outcome = {0};
  cr_assert_eq(cs_engine_again(harness.sweep, &harness.device, 1, &options, run, 4, &again, &outcome, &error), CS_OK,
               "%s", error.message);
  cs_outcome_free(&outcome);
}

/* Sweeps with fits, spectra beside, eigenvalues that methods have different numbers of, runs that are skipped, fail,
 * are equal, or are repeated by variants for stiff networks, events, and boundaries, whose points are of runs of all
 * windows, with a refined map and without. */
static const struct {
  const char *name;
  size_t window;
} list[] = {{"glumac_orders", 7},
            {"andersson_quarter_car", 5},
            {"compare_methods", 100},
            {"kyllingstad_oscillator", 11},
            {"glumac_variable_step_stated", 3},
            {"thermostat", 100},
            {"andersson_woodpecker", 3},
            {"two_mass_sample", 50},
            {"step_patterns", 1000},
            {"map", 100},
            {"andersson_limits", 50}};

static void open_map(void) {
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_load(
      &harness,
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"map\", \"model\": \"model.json\", \"study\": \"stability\", "
      "\"method\": {\"hold\": \"lagrange\", \"feedthrough\": \"explicit\"}, \"axes\": ["
      "{\"name\": \"master\", \"path\": \"method.master\", \"values\": [\"jacobi\", \"gauss_seidel\"]}, "
      "{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1, 2]}, "
      "{\"name\": \"dk\", \"path\": \"parameters.dk\", \"logspace\": [0.1, 100, 9]}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.01, 20, 50]}], "
      "\"boundary\": {\"along\": \"H\"}, \"refine\": 2}");
}

Test(windows, results_do_not_depend_on_them) {
  harness_open(&harness);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    if (strcmp(list[i].name, "map") == 0)
      open_map();
    else
      open_sweep(list[i].name);
    struct ran whole = run((struct cs_engine_options){0});
    struct ran parts = run((struct cs_engine_options){.window = list[i].window});
    expect_same(&whole, &parts, list[i].name);
    expect_single(&whole);
    cr_expect_eq(whole.outcome.steps, parts.outcome.steps, "%s", list[i].name);
    const struct cs_note *a = cs_table_find_note(whole.table, "kernel");
    const struct cs_note *b = cs_table_find_note(parts.table, "kernel");
    cr_assert_eq(a->count, b->count, "%s", list[i].name);
    for (size_t k = 0; k < a->count; k++)
      cr_expect(strcmp(a->text[k], b->text[k]) == 0, "%s: kernel %zu differs", list[i].name, k);
    end(&whole);
    end(&parts);
  }
  harness_close(&harness);
}

/* Windows have the same methods, and hence the same programs. */
Test(windows, open_their_programs_once) {
  harness_open_opencl(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_load(&harness,
               "{\"format\": \"cosweep-sweep/1\", \"name\": \"w\", \"model\": \"model.json\", \"t_end\": 1, "
               "\"method\": {\"hold\": \"lagrange\", \"order\": 0}, \"metrics\": [\"output_error\"], "
               "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.01, 0.1, 12]}]}");
  struct ran whole = run((struct cs_engine_options){0});
  struct ran parts = run((struct cs_engine_options){.window = 3});
  expect_same(&whole, &parts, "programs");
  cr_expect_gt(whole.outcome.programs.built + whole.outcome.programs.kept, 0);
  cr_expect_eq(parts.outcome.programs.built + parts.outcome.programs.kept, 0, "it is open");
  end(&whole);
  end(&parts);
  harness_close(&harness);
}

/* The same where memory has no room for the table, with fits along the first, the middle and the last axis. */
Test(windows, results_in_a_file_are_the_same) {
  static const char *const axis[] = {"{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.02, 0.3, 30]}",
                                     "{\"name\": \"dk\", \"path\": \"parameters.dk\", \"linspace\": [1, 2, 20]}",
                                     "{\"name\": \"ck\", \"path\": \"parameters.ck\", \"linspace\": [1, 2, 10]}"};
  struct cs_text beside = {0};
  harness_open(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  cs_text_add(&beside, "%s/result.h5", harness.directory);
  for (size_t i = 0; i < 3; i++) {
    struct cs_text text = {0};
    cs_text_add(&text,
                "{\"format\": \"cosweep-sweep/1\", \"name\": \"w\", \"model\": \"model.json\", "
                "\"study\": \"simulation\", \"t_end\": 0.5, \"metrics\": [\"output_error\", \"spectral_radius\"], "
                "\"axes\": [%s, %s, %s], \"fits\": [{\"along\": \"H\", \"metrics\": [\"output_error\"]}]}",
                axis[i], axis[(i + 1) % 3], axis[(i + 2) % 3]);
    harness_load(&harness, text.data);
    struct ran want = run((struct cs_engine_options){0});
    struct ran got = run((struct cs_engine_options){.window = 77, .memory = 400000, .beside = beside.data});
    cr_assert_eq(got.code, CS_OK, "%s", error.message);
    cr_expect_eq(got.table->home, CS_IN_FILE);
    expect_same(&want, &got, text.data);
    end(&want);
    end(&got);
    cs_text_free(&text);
  }
  cs_text_free(&beside);
  harness_close(&harness);
}

/* Orders have different numbers of eigenvalues; the window with the largest is the last. */
Test(windows, all_have_room_for_the_most_eigenvalues) {
  harness_open(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_load(
      &harness,
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"w\", \"model\": \"model.json\", \"study\": \"stability\", "
      "\"metrics\": [\"eigenvalue\"], "
      "\"method\": {\"hold\": \"lagrange\"}, "
      "\"axes\": [{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1, 2]}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.01, 0.1, 5]}]}");
  struct ran whole = run((struct cs_engine_options){0});
  struct ran parts = run((struct cs_engine_options){.window = 5});
  expect_same(&whole, &parts, "eigenvalues");
  const struct cs_array *most = cs_table_find(parts.table, "eigenvalue_re");
  cr_assert_not_null(most);
  cr_expect(isnan(most->data.float64[most->count / 15 - 1]) && isfinite(most->data.float64[most->count - 1]));
  end(&whole);
  end(&parts);
  harness_close(&harness);
}

/* More lines side by side than are fitted at a time: errors H^p, p different on neighbours. */
Test(windows, fits_of_many_lines) {
  enum { STEPS = 3, LINES = 400000 };
  struct cs_table *table = NULL;
  harness_directory(&harness);
  engine_case_model(&harness, "models/two_mass_oscillator/model.json");
  harness_load(&harness,
               "{\"format\": \"cosweep-sweep/1\", \"name\": \"w\", \"model\": \"model.json\", "
               "\"study\": \"simulation\", \"t_end\": 1, \"metrics\": [\"output_error\"], "
               "\"axes\": [{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2, 0.4]}, "
               "{\"name\": \"dk\", \"path\": \"parameters.dk\", \"linspace\": [1, 2, 400000]}], "
               "\"fits\": [{\"along\": \"H\"}]}");
  cr_assert_eq(cs_result_new(harness.sweep, 0, (struct cs_result_home){0}, NULL, "", &table, &error), CS_OK);
  double *value = cs_table_find(table, "output_error")->data.float64;
  const size_t lines = cs_table_find(table, "output_error")->count / STEPS;
  cr_assert_geq(lines, LINES);
  for (size_t i = 0; i < STEPS * lines; i++)
    value[i] = pow(harness.sweep->axis[0].values[i / lines], (double)(1 + i % lines % 7));
  cr_assert_eq(cs_result_fit(harness.sweep, 0, table, table, &error), CS_OK, "%s", error.message);
  const struct cs_array *order = cs_table_find(table, "output_error_order");
  cr_assert_eq(order->count, lines);
  for (size_t i = 0; i < lines; i++)
    cr_assert_float_eq(order->data.float64[i], (double)(1 + i % 7), 1e-9, "line %zu", i);
  cs_table_free(table);
  harness_close(&harness);
}

/* ---- with journals ----------------------------------------------------------------------------------------------- */

static struct cs_journal *journal_of(const char *name) {
  struct cs_text path = {0};
  struct cs_journal *journal = NULL;
  cs_text_add(&path, "%s/%s", harness.directory, name);
  const struct cs_journal_setup setup = {.path = path.data, .plan = "plan", .session = "{}", .seconds = 0.0};
  cr_assert_eq(cs_journal_open(&setup, &journal, &error), CS_OK, "%s", error.message);
  cs_text_free(&path);
  return journal;
}

static volatile sig_atomic_t stop;

/* Asks to stop after so many runs. */
static void watch(const struct cs_progress *progress, void *context) {
  cr_expect(progress->runs == harness.sweep->runs && progress->runs_done <= progress->runs, "%zu of %zu runs",
            progress->runs_done, progress->runs);
  if (progress->runs_done >= *(size_t *)context) stop = 1;
}

Test(windows, a_journal_goes_on_with_others) {
  harness_open(&harness);
  open_sweep("compare_methods");
  struct ran want = run((struct cs_engine_options){0});
  size_t found = 0;
  for (int round = 0; round < 4; round++) {
    struct cs_journal *journal = journal_of("j.journal");
    size_t most = round < 3 ? harness.sweep->runs * (size_t)(round + 1) / 4 : SIZE_MAX;
    struct cs_engine_options options = {.window = 40 + 37 * (size_t)round, .tile_runs = 8, .stop = &stop};
    options.journal = &journal;
    options.journals = 1;
    options.progress = watch;
    options.context = &most;
    cr_expect(round == 0 || cs_journal_found(journal, CS_PASS_RUNS) > found, "round %d", round);
    found = cs_journal_found(journal, CS_PASS_RUNS);
    stop = 0;
    struct ran parts = run(options);
    cr_expect_eq(parts.code, round < 3 ? CS_INTERRUPTED : CS_OK, "round %d: %d", round, parts.code);
    if (round == 3) expect_same(&want, &parts, "gone on");
    cr_assert_eq(cs_journal_sync(journal, true, &error), CS_OK, "%s", error.message);
    cs_journal_close(journal, false);
    end(&parts);
  }
  end(&want);
  harness_close(&harness);
}

Test(windows, shards_are_merged_with_others) {
  enum { SHARDS = 3 };
  struct cs_journal *journal[SHARDS + 1];
  harness_open(&harness);
  open_sweep("glumac_orders");
  struct ran want = run((struct cs_engine_options){0});
  for (size_t s = 1; s <= SHARDS; s++) {
    char name[16];
    snprintf(name, sizeof name, "s%zu", s);
    journal[s] = journal_of(name);
    struct cs_engine_options options = {.window = 16 * s, .journals = 1, .shard = s, .shards = SHARDS};
    options.journal = &journal[s];
    struct ran shard = run(options);
    cr_assert_eq(shard.code, CS_OK, "%s", error.message);
    cr_expect_null(shard.table);
    cr_assert_eq(cs_journal_sync(journal[s], true, &error), CS_OK);
    cs_journal_close(journal[s], false);
    journal[s] = journal_of(name);
    end(&shard);
  }
  journal[0] = journal_of("own");
  struct cs_engine_options options = {.window = 8, .journals = SHARDS + 1, .shards = SHARDS};
  options.journal = journal;
  struct ran merged = run(options);
  expect_same(&want, &merged, "merged");
  cr_expect_eq(cs_journal_kept(journal[0]), 0);
  end(&merged);
  options.journals = SHARDS; /* without the last shard's */
  merged = run(options);
  cr_expect_eq(merged.code, CS_IO);
  cr_expect(strstr(error.message, "shard 3 of 3 has ") != NULL && strstr(error.message, " runs from number ") != NULL,
            "%s", error.message);
  end(&merged);
  for (size_t s = 0; s <= SHARDS; s++)
    cs_journal_close(journal[s], false);
  end(&want);
  harness_close(&harness);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static void load_axes(size_t steps, size_t dampings, const char *more) {
  struct cs_text text = {0};
  char *model = harness_source_path("models/two_mass_oscillator/model.json");
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"w\", \"model\": \"%s\", \"study\": \"stability\", "
              "\"axes\": [{\"name\": \"dk\", \"path\": \"parameters.dk\", \"linspace\": [1, 2, %zu]}, "
              "{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [1, 2, %zu]}]%s}",
              model, dampings, steps, more);
  harness_load(&harness, text.data);
  cs_text_free(&text);
  free(model);
}

Test(windows, memory_decides_on_their_size) {
  struct cs_engine_options options = {0};
  harness_directory(&harness);
  load_axes(10000, 1000, "");
  const size_t usual = cs_window_runs(harness.sweep, &options);
  cr_expect(usual >= 1 << 17 && usual <= 1 << 20, "%zu", usual);
  options.memory = 64 << 20;
  const size_t small = cs_window_runs(harness.sweep, &options);
  cr_expect(small >= 1 << 14 && small < usual, "%zu", small);
  load_axes(10, 1000000, ""); /* as many networks as that */
  cr_expect(cs_window_runs(harness.sweep, &options) < small);
  options.memory = 1;
  cr_expect_eq(cs_window_runs(harness.sweep, &options), 4096);
  load_axes(10, 100, "");
  cr_expect_eq(cs_window_runs(harness.sweep, &options), 1000, "all");
  load_axes(10000, 100, ", \"boundary\": {\"along\": \"H\"}");
  options.memory = 0;
  cr_expect(cs_window_runs(harness.sweep, &options) < 1000000, "boundaries");
  harness_close(&harness);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

struct counted {
  size_t most, within; /* runs told as done; how often some of the tile's, not all */
};

static void count(const struct cs_progress *progress, void *context) {
  struct counted *c = context;
  cr_expect(progress->runs_done >= c->most && progress->runs_done <= progress->runs, "%zu of %zu runs after %zu",
            progress->runs_done, progress->runs, c->most);
  c->most = progress->runs_done;
  c->within += c->most > 0 && c->most < progress->runs;
}

/* Runs with variable steps count as soon as they end, not once their tile does. */
Test(windows, runs_of_a_tile_are_counted) {
  harness_open(&harness);
  open_sweep("glumac_variable_step_stated");
  struct counted counted = {0};
  struct ran r =
      run((struct cs_engine_options){.tile_runs = harness.sweep->runs, .progress = count, .context = &counted});
  cr_assert_eq(r.code, CS_OK, "%s", error.message);
  cr_expect_eq(counted.most, harness.sweep->runs, "%zu", counted.most);
  cr_expect_gt(counted.within, 0);
  end(&r);
  harness_close(&harness);
}
