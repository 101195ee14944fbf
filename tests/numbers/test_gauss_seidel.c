/* The masters on three subsystems that are all connected with each other, against long double reference values: every
 * row of tests/data/gauss_seidel.csv, which holds Jacobi rows as well, and the orders of subsystems in the model file.
 *
 * Tolerance: 1e-11 relative, or 1e-16 for signals of order 1: what the reference values themselves lose. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"

static const char table_path[] = "tests/data/gauss_seidel.csv", model_path[] = "tests/data/three_way.json";

/* ---- the table */

/* The settings that one row names, and the paths of the zip axis they go to. */
static const struct {
  const char *column, *path;
  bool word;
} settings[] = {{"hold", "method.hold", true},       {"m", "method.input_order", false},
                {"n", "method.output_order", false}, {"feedthrough", "method.feedthrough", true},
                {"start", "method.start", true},     {"solver", "method.solver", true}};
enum { SETTINGS = sizeof settings / sizeof *settings, MOST_VARIANTS = 64 };

/* Rows of one master, sequence and step size, and the distinct settings among them, given by their first rows. */
struct group {
  const struct harness_csv *csv;
  const char *master, *sequence, *H;
  size_t count;
  size_t row[MOST_VARIANTS];
};

static bool belongs(const struct group *group, size_t row) {
  return strcmp(harness_csv_text(group->csv, row, "master"), group->master) == 0 &&
         strcmp(harness_csv_text(group->csv, row, "sequence"), group->sequence) == 0 &&
         strcmp(harness_csv_text(group->csv, row, "H"), group->H) == 0;
}

/* Position of a row's settings along the zip axis. */
static size_t variant_index(struct group *group, size_t row) {
  for (size_t i = group->count; i-- > 0;) {
    size_t equal = 0;
    for (size_t j = 0; j < SETTINGS; j++) {
      equal += strcmp(harness_csv_text(group->csv, group->row[i], settings[j].column),
                      harness_csv_text(group->csv, row, settings[j].column)) == 0;
    }
    if (equal == SETTINGS) return i;
  }
  cr_assert_lt(group->count, MOST_VARIANTS);
  group->row[group->count] = row;
  return group->count++;
}

/* "a b c" as a list of JSON: the words are names. */
static void add_sequence(struct cs_text *text, const char *words) {
  cs_text_add(text, ", \"sequence\": [");
  for (const char *separator = ""; *words; separator = ", ") {
    const size_t length = strcspn(words, " ");
    cs_text_add(text, "%s\"%.*s\"", separator, (int)length, words);
    words += length + strspn(words + length, " ");
  }
  cs_text_add(text, "]");
}

static char *write_sweep(const struct group *group) {
  struct cs_text text = {0};
  cs_text_add(
      &text,
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"masters\", \"model\": \"model.json\", \"t_end\": 2,\n"
      "\"study\": \"simulation\", \"metrics\": [\"state_error_max\", \"output_defect\", \"connection_defect\",\n"
      "\"output_error\", \"input_error\", \"state_error\", \"state_error_final\"],\n"
      "\"method\": {\"step\": {\"size\": %s}, \"master\": \"%s\"",
      group->H, group->master);
  if (*group->sequence) add_sequence(&text, group->sequence);
  cs_text_add(&text, "},\n\"axes\": [{\"name\": \"settings\", \"zip\": {");
  for (size_t j = 0; j < SETTINGS; j++) {
    const char *quote = settings[j].word ? "\"" : "";
    cs_text_add(&text, "%s\"%s\": [", j ? ",\n" : "", settings[j].path);
    for (size_t i = 0; i < group->count; i++) {
      cs_text_add(&text, "%s%s%s%s", i ? ", " : "", quote,
                  harness_csv_text(group->csv, group->row[i], settings[j].column), quote);
    }
    cs_text_add(&text, "]");
  }
  cs_text_add(&text, "}}]}\n");
  cr_assert(!text.failed);
  return text.data;
}

static void compare_row(const struct harness *harness, const struct group *group, size_t row, size_t index,
                        struct harness_check *check) {
  const struct harness_csv *csv = group->csv;
  const char *metric = harness_csv_text(csv, row, "metric"), *signal = harness_csv_text(csv, row, "signal");
  if (cs_table_find(harness->table, metric) == NULL) {
    cr_assert(cs_metric_table[cs_metric_find(metric)].every_step, "no %s", metric);
    return;
  }
  harness_compare(check, harness_value(harness->table, metric, &index, signal), harness_csv_number(csv, row, "value"),
                  1e-11, 1e-16, "%s %s, H = %s, %s, orders %s and %s, %s, %s, %s: %s of %s", group->master,
                  group->sequence, group->H, harness_csv_text(csv, row, "hold"), harness_csv_text(csv, row, "m"),
                  harness_csv_text(csv, row, "n"), harness_csv_text(csv, row, "feedthrough"),
                  harness_csv_text(csv, row, "start"), harness_csv_text(csv, row, "solver"), metric, signal);
}

/* Runs what one group of rows asks for and compares all of it. */
static void compare_group(const struct harness_csv *csv, const char *engine, const char *master, const char *sequence,
                          const char *H) {
  struct group group = {.csv = csv, .master = master, .sequence = sequence, .H = H};
  struct harness harness;
  struct harness_check check = {0};
  for (size_t row = 0; row < csv->rows; row++)
    if (belongs(&group, row)) variant_index(&group, row);
  char *sweep = write_sweep(&group), title[128];
  harness_open(&harness);
  engine_case_model(&harness, model_path);
  harness_load_engine(&harness, sweep, engine);
  harness_run(&harness);
  for (size_t row = 0; row < csv->rows; row++)
    if (belongs(&group, row)) compare_row(&harness, &group, row, variant_index(&group, row), &check);
  snprintf(title, sizeof title, "%s %s, H = %s, %s", master, sequence, H, engine);
  harness_finish(&check, title);
  harness_close(&harness);
  free(sweep);
}

/* Every group of the table with this master; by doubling only one sequence. */
static void compare_master(const char *master, const char *engine, const char *only) {
  struct harness_csv csv;
  harness_csv_load(table_path, &csv);
  size_t groups = 0;
  for (size_t row = 0; row < csv.rows; row++) {
    const char *sequence = harness_csv_text(&csv, row, "sequence"), *H = harness_csv_text(&csv, row, "H");
    struct group previous = {.csv = &csv, .master = master, .sequence = sequence, .H = H};
    if (!belongs(&previous, row) || (row > 0 && belongs(&previous, row - 1)) ||
        (only != NULL && strcmp(sequence, only) != 0))
      continue;
    compare_group(&csv, engine, master, sequence, H);
    groups++;
  }
  cr_assert_geq(groups, 2);
  harness_csv_free(&csv);
}

Test(gauss_seidel, jacobi_rows_by_stepping) {
  compare_master("jacobi", "step", NULL);
}

Test(gauss_seidel, every_sequence_by_stepping) {
  compare_master("gauss_seidel", "step", NULL);
}

Test(gauss_seidel, one_sequence_by_doubling) {
  compare_master("gauss_seidel", "double", "a b c");
}

/* ---- the order of subsystems in the model file */

/* The sweep of `method`, on the model as written and on one that lists its subsystems last to first; the second with
 * `backwards`. By name and to rounding they are the same. */
static void compare_listings(const char *method, const char *backwards, const char *title) {
  static const char frame[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"listing\", \"model\": \"model.json\", \"t_end\": 2,\n"
      "\"study\": \"simulation\", \"metrics\": " ENGINE_CASE_METRICS
      ",\n"
      "\"method\": {%s, \"step\": {\"size\": 0.1}}, \"axes\": [{\"name\": \"settings\", \"zip\": {\n"
      "\"method.hold\": [\"taylor\", \"lagrange\"], \"method.feedthrough\": [\"explicit\", \"solved\"],\n"
      "\"method.input_order\": [2, 1], \"method.output_order\": [1, 2], \"method.solver\": [\"euler\", "
      "\"exact\"]}}]}\n";
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case first, reversed;
  struct cs_text sweep = {0}, other = {0};
  char *model = harness_read(model_path), *last_to_first = harness_reverse_subsystems(model);
  cs_text_add(&sweep, frame, method);
  cs_text_add(&other, frame, backwards);
  cr_assert(!sweep.failed && !other.failed);
  harness_open(&harness);
  harness_write(&harness, "model.json", model);
  engine_case_run(&harness, sweep.data, 0, 0, &first);
  harness_write(&harness, "model.json", last_to_first);
  engine_case_run(&harness, other.data, 0, 0, &reversed);
  cr_assert_str_eq(harness.sweep->model->subsystem[0].name, "c");
  engine_case_compare_by_name(&check, &reversed, &first, 1e-13, 1e-16);
  harness_finish(&check, title);
  engine_case_free(&first);
  engine_case_free(&reversed);
  harness_close(&harness);
  cs_text_free(&sweep);
  cs_text_free(&other);
  free(model);
  free(last_to_first);
}

Test(gauss_seidel, jacobi_does_not_see_the_listing) {
  compare_listings("\"master\": \"jacobi\"", "\"master\": \"jacobi\"", "listing, jacobi");
}

Test(gauss_seidel, a_sequence_does_not_see_the_listing) {
  static const char method[] = "\"master\": \"gauss_seidel\", \"sequence\": [\"b\", \"a\", \"c\"]";
  compare_listings(method, method, "listing, sequence");
}

Test(gauss_seidel, without_a_sequence_the_listing_is_it) {
  compare_listings("\"master\": \"gauss_seidel\", \"sequence\": [\"c\", \"b\", \"a\"]", "\"master\": \"gauss_seidel\"",
                   "listing, no sequence");
}
