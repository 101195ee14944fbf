/* cosweep verify: the exit status is 0 only for a file whose every bit is as it was written, and the other commands
 * refuse what it calls damaged. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli_case.h"
#include "digest_case.h"
#include "harness_files.h"
#include "store.h"
#include "text.h"

TestSuite(verify, .init = cli_case_open, .fini = cli_case_close, .timeout = 120);

static long write_result(void) {
  struct cs_table *table = digest_case_result();
  struct cs_store *store = NULL;
  struct cs_error error = {0};
  struct stat found;
  int code = cs_store_open("a.h5", 1, &store, &error);
  if (code == CS_OK) code = cs_store_commit(store, table, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  cs_store_close(store);
  cs_table_free(table);
  cr_assert_eq(stat("a.h5", &found), 0);
  return (long)found.st_size;
}

/* Where the first two numbers of output_error stand in the file, which does not compress so few. */
static long place_of_error(void) {
  struct cs_table *table = digest_case_result();
  const double *number = cs_table_find(table, "output_error")->data.float64;
  FILE *file = fopen("a.h5", "rb");
  unsigned char block[1 << 16];
  const size_t bytes = file != NULL ? fread(block, 1, sizeof block, file) : 0;
  size_t at = 0;
  while (at + 2 * sizeof *number <= bytes && memcmp(block + at, number, 2 * sizeof *number) != 0)
    at++;
  cr_assert(at + 2 * sizeof *number <= bytes, "it is not among the first %zu bytes", bytes);
  fclose(file);
  cs_table_free(table);
  return (long)at;
}

static void flip(long at) {
  FILE *file = fopen("a.h5", "r+b");
  cr_assert(file != NULL && fseek(file, at, SEEK_SET) == 0);
  const int byte = fgetc(file);
  cr_assert(fseek(file, at, SEEK_SET) == 0 && fputc(byte ^ 4, file) != EOF && fclose(file) == 0);
}

static void expect(const char *words, int status, const char *out, const char *err) {
  struct cli_result result = cli_run(words);
  cr_expect_eq(result.status, status, "%s: %d", words, result.status);
  cr_expect(strstr(result.out, out), "%s: %s", words, result.out);
  cr_expect(err[0] != '\0' ? strstr(result.err, err) != NULL : result.err[0] == '\0', "%s: %s", words, result.err);
  cli_free(&result);
}

Test(verify, whole) {
  write_result();
  expect("verify a.h5", 0, "ok        output_error\n", "");
  expect("verify a.h5", 0, "ok        provenance/sweep\n", "");
  struct cli_result result = cli_run("verify --quiet a.h5");
  cr_expect(result.status == 0 && result.out[0] == '\0');
  cli_free(&result);
}

Test(verify, a_flipped_bit) {
  static const char *const readers[] = {"info a.h5", "plot a.h5", "report a.h5", "export a.h5"};
  const long size = write_result(), number = place_of_error();
  flip(number);
  expect("verify --quiet a.h5", 5, "damaged   output_error", "a.h5: is damaged: 1 of ");
  flip(number);
  flip(size - 33); /* the last byte of HDF5's data */
  expect("verify --quiet a.h5", 5, "", "a.h5: is damaged: ");
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
    expect(readers[i], 5, "", "a.h5: is damaged: its bytes differ from their checksum (see: cosweep verify a.h5)");
  flip(size - 33);
  flip(size - 30); /* in the line itself, which then is none */
  expect("verify a.h5", 5, "readable  provenance/sweep\n", "a.h5: has no checksum at its end");
  expect("export a.h5 -o -", 0, "output_error", "");
}

/* Damage is said once, with what HDF5 makes of it. */
Test(verify, a_damaged_head) {
  write_result();
  flip(1);
  expect("verify a.h5", 5, "", "a.h5: is damaged: its bytes differ from their checksum, and it cannot be read (a.h5: ");
  expect("info a.h5", 5, "", "a.h5: is damaged: its bytes differ from their checksum (see: cosweep verify a.h5)");
}

/* A result in which 64 bytes were moved, so that HDF5 reads provenance/sweep without end: one process that took all its
 * time is enough. */
Test(verify, a_file_without_end) {
  const struct rlimit second = {1, 60};
  const char *said = "reading it did not come to an end";
  char *data = harness_source_path("tests/data/endless.h5.gz");
  struct cs_text unpack = {0};
  cs_text_add(&unpack, "gzip -dc '%s' > a.h5", data);
  cr_assert_eq(system(cs_text_string(&unpack)), 0);
  cr_assert_eq(setrlimit(RLIMIT_CPU, &second), 0); /* the process that reads may take a minute otherwise */
  struct cli_result result = cli_run("verify a.h5");
  cr_expect_eq(result.status, 5);
  cr_expect_not_null(strstr(result.err, "a.h5: is damaged: reading it did not come to an end"), "%s", result.err);
  cr_expect_not_null(strstr(result.out, "readable  provenance/model\n"), "%s", result.out); /* what was read before */
  const char *first = strstr(result.out, said);
  cr_expect(first != NULL && strstr(first + 1, said) == NULL, "%s", result.out);
  cli_free(&result);
  cs_text_free(&unpack);
  free(data);
}

Test(verify, without_a_checksum) {
  const long size = write_result();
  cr_assert_eq(truncate("a.h5", size - 32), 0);
  expect("verify a.h5", 5, "ok        output_error\n", "a.h5: has no checksum at its end: it was written by another");
  expect("info a.h5", 0, "output_error", "");
  expect("verify none.h5", 5, "", "none.h5: cannot open: No such file");
}

/* ---- runs computed again */

/* A result with something changed, and with a checksum of its own. */
static void write_changed(const char *result, void (*change)(struct cs_table *table)) {
  struct cs_table *table = NULL;
  struct cs_store *store = NULL;
  struct cs_error error = {0};
  int code = cs_store_read(result, &table, &error);
  if (code == CS_OK) change(table);
  if (code == CS_OK) code = cs_store_open("changed.h5", 1, &store, &error);
  if (code == CS_OK) code = cs_store_commit(store, table, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  cs_store_close(store);
  cs_table_free(table);
}

static void change_text(struct cs_table *table, const char *name, const char *text) {
  for (size_t i = 0; i < table->notes; i++)
    if (strcmp(table->note[i].name, name) == 0) {
      free(table->note[i].text[0]);
      table->note[i].text[0] = strdup(text);
    }
}

static void change_bit(struct cs_table *table) {
  cs_table_find(table, "steps")->data.int64[2] ^= 1;
}

static void change_last_digit(struct cs_table *table) {
  double *number = &cs_table_find(table, "output_error")->data.float64[3];
  *number = nextafter(*number, 1);
}

static void change_version(struct cs_table *table) {
  change_text(table, "version", "0.0.1");
  change_text(table, "plan", "0");
}

static void change_device(struct cs_table *table) {
  change_text(table, "device", "abacus");
  change_text(table, "plan", "0");
}

static void change_plan(struct cs_table *table) {
  change_text(table, "plan", "0");
}

/* Computed by two devices; the last digit as above. */
static void change_devices(struct cs_table *table) {
  for (size_t i = 0; i < table->notes; i++) {
    struct cs_note *note = &table->note[i];
    if (strcmp(note->name, "device") != 0) continue;
    note->text = realloc(note->text, 2 * sizeof *note->text);
    note->text[1] = strdup("abacus");
    note->count = 2;
    note->scalar = 0;
  }
  change_last_digit(table);
}

static void change_sweep(struct cs_table *table) {
  change_text(table, "sweep", "{");
}

static void change_lanes(struct cs_table *table) {
  for (size_t i = 0; i < table->notes; i++)
    if (strcmp(table->note[i].name, "lanes") == 0) table->note[i].int64 += 1;
}

static void change_unit(struct cs_table *table) {
  struct cs_array *array = cs_table_find(table, "output_error");
  free(array->unit);
  array->unit = strdup("km");
}

static void change_units(struct cs_table *table) {
  struct cs_array *array = cs_table_find(table, "output_units");
  free(array->data.text[1]);
  array->data.text[1] = strdup("km");
}

static void change_value(struct cs_table *table) {
  table->dimension[0].values[1] *= 2;
}

/* All numbers of all runs but those that are counted. */
static void change_errors(struct cs_table *table) {
  struct cs_array *errors = cs_table_find(table, "output_error");
  for (size_t i = 0; i < errors->count; i++)
    errors->data.float64[i] = 7;
}

static void change_word(struct cs_table *table) {
  free(table->dimension[0].labels[1]);
  table->dimension[0].labels[1] = strdup("other");
}

static void change_column(struct cs_table *table) {
  for (size_t i = 0; i < table->arrays; i++)
    if (strcmp(table->array[i].name, "pair_tolerance") == 0) table->array[i].data.float64[1] *= 2;
}

static void change_order(struct cs_table *table) {
  cs_table_find(table, "output_error_order")->data.float64[1] += 1e-3;
}

static void change_limit(struct cs_table *table) {
  double *limit = &cs_table_find(table, "H_stable_max")->data.float64[1];
  *limit = nextafter(*limit, 0);
}

static void change_radius(struct cs_table *table) {
  double *radius = &cs_table_find(table->group, "spectral_radius")->data.float64[4];
  *radius = nextafter(*radius, 0);
}

/* A point that refining does not add. */
static void change_coordinate(struct cs_table *table) {
  double *value = &cs_table_find(table->group, "p")->data.float64[4];
  *value = nextafter(*value, 0);
}

static void change_status(struct cs_table *table) {
  cs_table_find(table, "status")->data.uint8[1] ^= 1;
}

Test(verify, computes_runs_again) {
  static const struct {
    void (*change)(struct cs_table *table);
    int status;
    const char *said;
  } list[] = {
      {change_bit, 5, "changed.h5: 1 of 4 runs, drawn by seed 1, differ"},
      {change_last_digit, 5, "changed.h5: 1 of 4 runs, drawn by seed 1, differ"},
      {change_version, 4, "changed.h5: cannot be computed again: it is of cosweep 0.0.1, this is "},
      {change_device, 4, "changed.h5: cannot be computed again: it was computed on abacus; want this device"},
      {change_plan, 4,
       "cannot be computed again on host: its driver or lanes, the kernels of this program, the fragments, the sweep"},
      {change_devices, 4,
       "changed.h5: 1 of 4 runs, drawn by seed 1, differ where they are computed again: they may be those of abacus"},
      {change_sweep, 4, "changed.h5: provenance/sweep:1:2: "},
      {change_lanes, 4, "changed.h5: cannot be computed again on host: its driver or lanes, "},
      {change_unit, 5, "changed.h5: output_error is not that of the sweep and the model in it"},
      {change_units, 5, "changed.h5: output_units is not that of the sweep and the model in it"},
      {change_value, 5, "changed.h5: p is not that of the sweep and the model in it"},
  };
  cli_expect("run sweep.json", 0, "small.h5");
  cli_expect("verify small.h5 --recompute 3", 0,
             "ok        3 of 4 runs, drawn by seed 1, computed again on host: every byte is the same");
  cli_expect("verify small.h5 --recompute 9 --device host", 0, "4 of 4 runs");
  cli_expect("verify small.h5 --recompute 9 --device auto --seed 0", 0, "4 of 4 runs, drawn by seed 0, ");
  cli_expect("verify small.h5 --recompute 0", 2, "--recompute");
  cli_expect("verify small.h5 --recompute all", 2, "--recompute");
  cli_expect("verify small.h5 --seed 1", 2, "--seed");
  cli_expect("trace sweep.json --run 0", 0, "small_trace.h5");
  cli_expect("verify small_trace.h5 --recompute 1", 4, "small_trace.h5: is a trace");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    write_changed("small.h5", list[i].change);
    expect("verify --quiet changed.h5", 0, "", "");
    cli_expect("verify changed.h5 --recompute 4", list[i].status, list[i].said);
  }
  write_changed("small.h5", change_bit);
  struct cli_result result = cli_run("verify changed.h5 --recompute 4");
  cr_expect_not_null(strstr(result.out, "\ndiffers   run 2 (p="), "%s", result.out);
  cr_expect_not_null(strstr(result.out, "): steps: "), "%s", result.out);
  cli_free(&result);
}

/* A line for each of the first ten, with the first of its numbers. */
Test(verify, says_of_runs_what_differs) {
  cli_case_sweep("sweep.json", "more", 0.1, 1,
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [1, 4, 12]}", "\"output_error\"");
  cli_expect("run sweep.json", 0, "more.h5");
  write_changed("more.h5", change_errors);
  struct cli_result result = cli_run("verify changed.h5 --recompute 12");
  size_t lines = 0;
  for (const char *line = result.out; (line = strstr(line, "): output_error[0]: 7 in the file, ")) != NULL; line++)
    lines++;
  cr_expect(lines == 10 && strstr(result.out, "output_error[1]") == NULL, "%s", result.out);
  cr_expect_not_null(strstr(result.out, " computed; 2 numbers differ\ndiffers   2 runs more\n"), "%s", result.out);
  cr_expect_not_null(strstr(result.err, "changed.h5: 12 of 12 runs, drawn by seed 1, differ"), "%s", result.err);
  cli_free(&result);
}

/* Variable steps along words and pairs of settings, and stability with its boundary. */
Test(verify, computes_runs_of_both_studies_again) {
  cli_case_write(
      "vary.json",
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"vary\", \"model\": \"model.json\", \"t_end\": 1, "
      "\"axes\": [{\"name\": \"master\", \"path\": \"method.master\", \"values\": [\"jacobi\", "
      "\"gauss_seidel\"]}, {\"name\": \"pair\", \"zip\": {\"method.step.tolerance\": [1e-3, 1e-4], "
      "\"method.order\": [0, 1]}}], \"method\": {\"step\": {\"control\": \"pi_defect\", \"initial\": 0.1}}}");
  cli_case_write(
      "limits.json",
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"limits\", \"model\": \"model.json\", \"study\": "
      "\"stability\", \"axes\": [{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2]}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"linspace\": [0.5, 4, 5]}], \"boundary\": {\"along\": "
      "\"H\"}}");
  cli_expect("run vary.json", 0, "vary.h5");
  cli_expect("run limits.json", 0, "limits.h5");
  cli_expect("verify vary.h5 --recompute 3", 0, "ok        3 of 4 runs");
  cli_expect("verify limits.h5 --recompute 99", 0, "ok        10 of 10 runs");
  write_changed("vary.h5", change_word);
  cli_expect("verify changed.h5 --recompute 4", 5, "changed.h5: master is not that of the sweep and the model in it");
  write_changed("vary.h5", change_column);
  cli_expect("verify changed.h5 --recompute 4", 5,
             "changed.h5: pair_tolerance is not that of the sweep and the model in it");
  write_changed("limits.h5", change_status);
  cli_expect("verify changed.h5 --recompute 10", 5, "changed.h5: 1 of 10 runs, drawn by seed 1, differ");
}

/* Orders, a boundary and refined points. */
Test(verify, computes_again_what_follows_from_runs) {
  static const char frame[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"map\", \"model\": \"model.json\", \"study\": \"stability\", "
      "\"axes\": [{\"name\": \"m\", \"path\": \"method.master\", \"values\": [\"jacobi\", \"gauss_seidel\"]}, "
      "{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [1, 4, 4]}, {\"name\": \"H\", \"path\": "
      "\"method.step.size\", \"linspace\": [0.5, 4, 5]}], \"boundary\": {\"along\": \"H\"}, \"refine\": 2%s}";
  static const struct {
    const char *result;
    void (*change)(struct cs_table *table);
    const char *said;
  } list[] = {{"fit.h5", change_order, "changed.h5: output_error_order does not follow from the runs in it"},
              {"map.h5", change_limit, "differs   boundary from run 5 (m=jacobi, p=2, H=0.5): H_stable_max: "},
              {"map.h5", change_radius, "differs   refined point in the map of run 0 (m=jacobi, "},
              {"map.h5", change_coordinate, "changed.h5: the group refined does not follow from the runs in it"}};
  struct cs_text sweep = {0};
  cli_case_sweep("fit.json", "fit", 0.1, 1,
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2]}, {\"name\": \"H\", \"path\": "
                 "\"method.step.size\", \"values\": [0.01, 0.02, 0.05]}],\n\"fits\": [{\"along\": \"H\"}",
                 "\"output_error\"");
  cs_text_add(&sweep, frame, "");
  cli_case_write("map.json", sweep.data);
  cs_text_free(&sweep);
  cs_text_add(&sweep, frame, ", \"metrics\": [\"stable\"]");
  cli_case_write("bare.json", sweep.data);
  cs_text_free(&sweep);
  cli_expect("run fit.json", 0, "fit.h5");
  cli_expect("run map.json", 0, "map.h5");
  cli_expect("verify fit.h5 --recompute 2", 0, "\nok        orders, which follow from the runs\n");
  cli_expect("verify map.h5 --recompute 3", 0,
             "\nok        3 of 8 lines with a boundary, computed again: every byte is");
  cli_expect("verify map.h5 --recompute 3", 0, "\nok        3 of ");
  cli_expect("run bare.json -o bare.h5", 0, "bare.h5");
  cli_expect("verify bare.h5 --recompute 3", 0,
             "\nleft out  what lies between the runs: spectral_radius is not among the metrics\n");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    write_changed(list[i].result, list[i].change);
    struct cli_result result = cli_run("verify changed.h5 --recompute 1000");
    cr_expect_eq(result.status, 5, "%s", list[i].said);
    cr_expect(strstr(result.out, list[i].said) != NULL || strstr(result.err, list[i].said) != NULL, "%s%s", result.out,
              result.err);
    cli_free(&result);
  }
}
