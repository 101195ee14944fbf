#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "status.h"
#include "store.h"
#include "text.h"

static struct cs_error error;
static char directory[64], path[96];

static void set_up(void) {
  error = (struct cs_error){0};
  strcpy(directory, "/tmp/cosweep-store-XXXXXX");
  cr_assert_not_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/out.h5", directory);
}

static const char *beside(const char *suffix) {
  static char name[128];
  snprintf(name, sizeof name, "%s%s", path, suffix);
  return name;
}

/* Number of files in the test's directory. */
static int files(void) {
  int count = 0;
  DIR *list = opendir(directory);
  for (struct dirent *entry = readdir(list); entry; entry = readdir(list))
    count += entry->d_name[0] != '.';
  closedir(list);
  return count;
}

static void tear_down(void) {
  unlink(path);
  cr_expect_eq(files(), 0, "litter in %s", directory);
  rmdir(directory);
}

TestSuite(store, .init = set_up, .fini = tear_down, .timeout = 60);

/* The next number of a sequence with noise in all 52 bits. */
static double noise(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  uint64_t mixed = (*state ^ (*state >> 33)) * UINT64_C(0xff51afd7ed558ccd);
  return (double)((mixed ^ (mixed >> 33)) >> 11) * 0x1p-53;
}

static void fill(struct cs_array *array, uint64_t state) {
  for (size_t i = 0; i < array->count; i++)
    array->data.float64[i] = exp(-20 * noise(&state));
}

/* One of everything: [2 solvers][points][2 outputs]. */
static struct cs_table *make_table(size_t points) {
  static const char *const solvers[] = {"exact", "euler"}, *const outputs[] = {"motor.tau", "Körper.ω"};
  static const char *const kernels[] = {"__kernel void step()\n{}\n", "", "third"}, *const command =
                                                                                        "cosweep run a.json";
  struct cs_table *table = cs_table_new("Defects", "cosweep 0.1.0", "2026-01-01 cosweep run a.json");
  double *h = calloc(points, sizeof *h);
  for (size_t i = 0; i < points; i++)
    h[i] = 1e-3 * (double)(i + 1);
  size_t axis[3];
  int code = cs_table_add_dimension(table, "solver", "1", "solver", 2, NULL, solvers, &axis[0], &error);
  code |= cs_table_add_dimension(table, "H", "s", "macro step", points, h, NULL, &axis[1], &error);
  code |= cs_table_add_dimension(table, "output", "1", "", 2, NULL, outputs, &axis[2], &error);
  struct cs_array *array;
  code |=
      cs_table_add_array(table, "output_error", "see output_units", "RMS error", CS_FLOAT64, 3, axis, &array, &error);
  fill(array, 1);
  array->data.float64[1] = NAN;
  array->data.float64[2] = -INFINITY;
  code |= cs_table_add_array(table, "steps", "1", "macro steps", CS_INT64, 2, axis, &array, &error);
  for (size_t i = 0; i < array->count; i++)
    array->data.int64[i] = (INT64_C(1) << 40) - 7 * (int64_t)i;
  code |= cs_table_add_array(table, "status", "1", "what became of the run", CS_UINT8, 2, axis, &array, &error);
  array->data.uint8[1] = 2;
  array->flag_meanings = cs_text_copy("ok diverged step_size_underflow");
  code |= cs_table_add_array(table, "output_units", "1", "units", CS_TEXT, 1, &axis[2], &array, &error);
  array->data.text[1] = cs_text_copy("rad s⁻¹"); /* the first stays NULL */
  code |= cs_table_add_array(table, "scalar", "m", "a number", CS_FLOAT64, 0, NULL, &array, &error);
  array->data.float64[0] = 0.1;
  code |= cs_table_add_text(table, "kernel", 3, 0, kernels, &error);
  code |= cs_table_add_text(table, "command", 1, 1, &command, &error);
  code |= cs_table_add_number(table, "wall_seconds", CS_FLOAT64, 1.25, 0, &error);
  code |= cs_table_add_number(table, "runs", CS_INT64, 0, INT64_C(1) << 50, &error);
  cr_assert_eq(code, 0, "%s", error.message);
  free(h);
  return table;
}

/* Claims, writes and gives up the claim; the code of the first that failed. */
static int write_table(const char *name, int force, const struct cs_table *table) {
  struct cs_store *store = NULL;
  int code = cs_store_open(name, force, &store, &error);
  if (code == CS_OK) code = cs_store_commit(store, table, &error);
  cs_store_close(store);
  return code;
}

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s", name);
}

static int holds_text(const char *name, const char *text) {
  char line[64] = "";
  FILE *file = fopen(name, "r");
  int same = file && fgets(line, sizeof line, file) && strcmp(line, text) == 0;
  if (file) fclose(file);
  return same;
}

static long size_of(const char *name) {
  struct stat found;
  return stat(name, &found) == 0 ? (long)found.st_size : -1;
}

static void expect_same_dimension(const struct cs_dimension *a, const struct cs_dimension *b) {
  cr_expect_str_eq(a->name, b->name);
  cr_expect_str_eq(a->unit, b->unit);
  cr_expect_str_eq(a->long_name, b->long_name);
  cr_assert_eq(a->length, b->length);
  cr_assert_eq(!a->labels, !b->labels);
  for (size_t i = 0; i < a->length; i++) {
    if (a->labels) cr_expect_str_eq(a->labels[i], b->labels[i]);
    if (a->values) cr_expect_eq(a->values[i], b->values[i]);
  }
}

static void expect_same_array(const struct cs_array *a, const struct cs_array *b) {
  cr_expect_str_eq(a->name, b->name);
  cr_expect_str_eq(a->unit, b->unit);
  cr_expect_str_eq(a->long_name, b->long_name);
  cr_assert_eq(a->type, b->type, "%s", a->name);
  cr_assert_eq(a->dimensions, b->dimensions);
  cr_expect_arr_eq(a->dimension, b->dimension, a->dimensions * sizeof *a->dimension);
  cr_assert_eq(a->count, b->count);
  cr_assert_eq(!a->flag_meanings, !b->flag_meanings);
  if (a->flag_meanings) cr_expect_str_eq(a->flag_meanings, b->flag_meanings);
  if (a->type == CS_TEXT) {
    for (size_t i = 0; i < a->count; i++)
      cr_expect_str_eq(a->data.text[i] ? a->data.text[i] : "", b->data.text[i], "%s %zu", a->name, i);
    return;
  }
  size_t item = a->type == CS_UINT8 ? 1 : 8; /* bytes: a NaN is the same NaN */
  cr_expect_eq(memcmp(a->data.uint8, b->data.uint8, a->count * item), 0, "%s", a->name);
}

static void expect_same_note(const struct cs_note *a, const struct cs_note *b) {
  cr_expect_str_eq(a->name, b->name);
  cr_expect_eq(a->type, b->type, "%s", a->name);
  cr_expect_eq(!a->scalar, !b->scalar, "%s", a->name);
  cr_expect_eq(a->float64, b->float64);
  cr_expect_eq(a->int64, b->int64);
  cr_assert_eq(a->count, b->count);
  for (size_t i = 0; i < a->count; i++)
    cr_expect_str_eq(a->text[i], b->text[i]);
}

static void expect_same_table(const struct cs_table *a, const struct cs_table *b) {
  cr_expect_str_eq(a->title, b->title);
  cr_expect_str_eq(a->source, b->source);
  cr_expect_str_eq(a->history, b->history);
  cr_assert_eq(a->dimensions, b->dimensions);
  cr_assert_eq(a->arrays, b->arrays);
  cr_assert_eq(a->notes, b->notes);
  for (size_t i = 0; i < a->dimensions; i++)
    expect_same_dimension(&a->dimension[i], &b->dimension[i]);
  for (size_t i = 0; i < a->arrays; i++)
    expect_same_array(&a->array[i], &b->array[i]);
  for (size_t i = 0; i < a->notes; i++)
    expect_same_note(&a->note[i], &b->note[i]);
}

/* Whether a dataset can grow along its only dimension. */
static bool grows(hid_t file, const char *name) {
  hsize_t most = 0;
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  cr_assert_eq(H5Sget_simple_extent_dims(space, NULL, &most), 1, "%s", name);
  H5Sclose(space);
  H5Dclose(set);
  return most == H5S_UNLIMITED;
}

Test(store, numbers_and_texts_over_an_unlimited_dimension) {
  struct cs_table *table = make_table(2), *back = NULL, *group;
  struct cs_array *array;
  const size_t over = 0;
  cr_assert_eq(cs_table_add_group(table, "events", "", &group, &error), CS_OK);
  cr_assert_eq(cs_table_add_numbers(group, "occurrence", "event", 2, NULL, &error), CS_OK);
  group->dimension[0].unlimited = 1;
  cr_assert_eq(cs_table_add_array(group, "time", "s", "", CS_FLOAT64, 1, &over, &array, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(group, "event_name", "", "", CS_TEXT, 1, &over, &array, &error), CS_OK);
  array->data.text[1] = cs_text_copy("hit");
  cr_assert_eq(write_table(path, false, table), CS_OK, "%s", error.message);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  cr_expect(grows(file, "events/occurrence") && grows(file, "events/time") && grows(file, "events/event_name"));
  cr_expect(!grows(file, "H"));
  H5Fclose(file);
  cr_assert_eq(cs_store_read(path, &back, &error), CS_OK, "%s", error.message);
  expect_same_array(array, cs_table_find(back->group, "event_name"));
  cs_table_free(back);
  cs_table_free(table);
}

Test(store, what_is_read_is_what_was_written) {
  const size_t points[] = {1, 50, 40000}; /* contiguous; in one chunk; in several */
  for (size_t i = 0; i < 3; i++) {
    struct cs_table *table = make_table(points[i]), *read = NULL;
    cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
    cr_assert_eq(cs_store_read(path, &read, &error), CS_OK, "%s", error.message);
    expect_same_table(table, read);
    cs_table_free(table);
    cs_table_free(read);
  }
}

/* A group beside the root has dimensions of its own, also of the same name. */
static void add_group(struct cs_table *table) {
  static const char *const words[] = {"a", "b", "a"};
  const double numbers[] = {0, 1, 2};
  const size_t first = 0;
  struct cs_table *group;
  struct cs_array *array;
  int code = cs_table_add_group(table, "refined", "more points", &group, &error);
  code |= cs_table_add_dimension(group, "H", "1", "another H", 3, numbers, NULL, NULL, &error);
  code |= cs_table_add_array(group, "status", "1", "another status", CS_UINT8, 1, &first, &array, &error);
  array->flag_meanings = strdup("no yes");
  code |= cs_table_add_array(group, "word", "", "words", CS_TEXT, 1, &first, &array, &error);
  for (size_t i = 0; i < 3; i++)
    array->data.text[i] = strdup(words[i]);
  code |= cs_table_add_array(group, "value", "m", "numbers", CS_FLOAT64, 1, &first, &array, &error);
  array->data.float64[1] = 0.1;
  cr_assert_eq(code, CS_OK, "%s", error.message);
}

Test(store, groups_are_read_as_written) {
  struct cs_table *table = make_table(5), *read = NULL, *again;
  add_group(table);
  cr_expect_neq(cs_table_add_array(table, "refined", "", "", CS_FLOAT64, 0, NULL, NULL, &error), CS_OK);
  cr_expect(strstr(error.message, "two variables are named \"refined\""), "%s", error.message);
  cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
  cr_assert_eq(cs_store_read(path, &read, &error), CS_OK, "%s", error.message);
  expect_same_table(table, read);
  cr_assert_not_null(read->group);
  cr_expect_str_eq(read->group->name, "refined");
  expect_same_table(table->group, read->group);
  again = make_table(5);
  cr_expect_neq(cs_table_add_group(again, "H", "", &again->group, &error), CS_OK, "a dimension has that name");
  cr_expect_gt(cs_store_estimate(table), cs_store_estimate(again));
  cs_table_free(table);
  cs_table_free(read);
  cs_table_free(again);
}

Test(store, the_same_table_gives_the_same_bytes) {
  struct cs_table *table = make_table(3000);
  char *bytes[2];
  long size[2];
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
    size[i] = size_of(path);
    bytes[i] = malloc((size_t)size[i]);
    FILE *file = fopen(path, "rb");
    cr_assert_eq(fread(bytes[i], 1, (size_t)size[i], file), (size_t)size[i]);
    fclose(file);
    sleep(i == 0); /* a time would show */
  }
  cr_assert_eq(size[0], size[1]);
  cr_expect_eq(memcmp(bytes[0], bytes[1], (size_t)size[0]), 0);
  free(bytes[0]);
  free(bytes[1]);
  cs_table_free(table);
}

/* Arrays of noise, [points][2], and the ratio of expected to real size. */
static double estimate_ratio(size_t points, int arrays) {
  struct cs_table *table = make_table(points);
  const size_t axis[] = {1, 2};
  for (int i = 0; i < arrays; i++) {
    char name[32];
    snprintf(name, sizeof name, "metric%d", i);
    struct cs_array *array;
    cr_assert_eq(cs_table_add_array(table, name, "1", "noise", CS_FLOAT64, 2, axis, &array, &error), CS_OK);
    fill(array, (uint64_t)i + 2);
  }
  cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
  double ratio = (double)cs_store_estimate(table) / (double)size_of(path);
  cs_table_free(table);
  return ratio;
}

Test(store, the_expected_size_is_near_the_real_one) {
  const struct {
    size_t points;
    int arrays;
  } row[] = {{300, 10}, {3000, 4}, {3000, 30}, {30000, 6}, {100000, 8}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double ratio = estimate_ratio(row[i].points, row[i].arrays);
    cr_expect(fabs(ratio - 1) < 0.1, "row %zu: %g", i, ratio);
  }
}

Test(store, an_existing_file_stays_without_force) {
  struct cs_store *store = NULL;
  write_text(path, "old");
  cr_expect_eq(cs_store_open(path, 0, &store, &error), CS_IO);
  cr_expect_null(store);
  cr_expect(strstr(error.message, "out.h5: exists; --force overwrites it"), "%s", error.message);
  cr_expect(holds_text(path, "old"));
  cr_expect_eq(files(), 1);
}

Test(store, an_existing_file_stays_until_commit) {
  struct cs_store *store = NULL;
  struct cs_table *table = make_table(3);
  write_text(path, "old");
  cr_assert_eq(cs_store_open(path, 1, &store, &error), CS_OK, "%s", error.message);
  cr_expect(holds_text(path, "old"));
  cs_store_close(store);
  cr_expect(holds_text(path, "old"));
  cr_expect_eq(files(), 1);
  cr_expect_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
  cr_expect_not(holds_text(path, "old"));
  cr_expect_eq(files(), 1);
  cs_table_free(table);
}

Test(store, a_file_that_appeared_meanwhile_stays) {
  struct cs_store *store = NULL;
  struct cs_table *table = make_table(3);
  cr_assert_eq(cs_store_open(path, 0, &store, &error), CS_OK, "%s", error.message);
  write_text(path, "new");
  cr_expect_eq(cs_store_commit(store, table, &error), CS_IO);
  cs_store_close(store);
  cr_expect(holds_text(path, "new"));
  cr_expect_eq(files(), 1);
  cs_table_free(table);
}

Test(store, one_claim_at_a_time) {
  struct cs_store *first = NULL, *second = NULL;
  cr_assert_eq(cs_store_open(path, 0, &first, &error), CS_OK, "%s", error.message);
  for (int force = 0; force < 2; force++) {
    cr_expect_eq(cs_store_open(path, force, &second, &error), CS_IO);
    cr_expect_null(second);
    cr_expect(strstr(error.message, "another process is writing it"), "%s", error.message);
  }
  cs_store_close(first);
  cr_expect_eq(files(), 0);
  cr_expect_eq(cs_store_open(path, 0, &second, &error), CS_OK, "%s", error.message);
  cs_store_close(second);
}

Test(store, what_a_killed_process_left_is_taken_over) {
  pid_t child = fork();
  if (child == 0) {
    struct cs_store *store = NULL;
    cs_store_open(path, 0, &store, &error);
    kill(getpid(), SIGKILL);
  }
  waitpid(child, NULL, 0);
  cr_expect_eq(access(beside(".part"), F_OK), 0);
  write_text(beside(".part"), "half of a file");
  struct cs_table *table = make_table(3), *read = NULL;
  cr_expect_eq(write_table(path, 0, table), CS_OK, "%s", error.message);
  cr_expect_eq(cs_store_read(path, &read, &error), CS_OK, "%s", error.message);
  cr_expect_eq(files(), 1);
  cs_table_free(table);
  cs_table_free(read);
}

Test(store, a_link_in_place_of_the_unfinished_file_is_not_followed) {
  char victim[128];
  snprintf(victim, sizeof victim, "%s/victim", directory);
  write_text(victim, "precious");
  cr_assert_eq(symlink(victim, beside(".part")), 0);
  struct cs_table *table = make_table(3);
  cr_expect_eq(write_table(path, 0, table), CS_OK, "%s", error.message);
  cr_expect(holds_text(victim, "precious"));
  cs_table_free(table);
  unlink(victim);
}

/* Claims again and again; while it has the claim nobody else may. Exit status 1 if somebody did. */
static void contend(const struct cs_table *table) {
  char marker[128];
  snprintf(marker, sizeof marker, "%s/marker", directory);
  int taken = 0;
  for (int i = 0; i < 3000; i++) {
    struct cs_store *store = NULL;
    if (cs_store_open(path, 1, &store, &error) != CS_OK) continue;
    int fd = open(marker, O_CREAT | O_EXCL | O_WRONLY, 0666);
    if (fd < 0) _exit(1);
    close(fd);
    if (i % 64 == 0 && cs_store_commit(store, table, &error) != CS_OK) _exit(2);
    unlink(marker);
    cs_store_close(store);
    taken++;
  }
  _exit(taken ? 0 : 3);
}

Test(store, many_processes_exclude_each_other) {
  enum { PROCESSES = 4 };
  struct cs_table *table = make_table(3), *read = NULL;
  for (int i = 0; i < PROCESSES; i++)
    if (fork() == 0) contend(table);
  for (int i = 0; i < PROCESSES; i++) {
    int status = 0;
    wait(&status);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) != 1, "two had the claim");
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) != 2, "a commit failed");
  }
  cr_expect_eq(cs_store_read(path, &read, &error), CS_OK, "%s", error.message);
  cr_expect_eq(files(), 1);
  cs_table_free(table);
  cs_table_free(read);
}

Test(store, places_that_cannot_be_written_are_said) {
  const struct {
    const char *name, *message;
  } row[] = {
      {"/tmp/no such directory/out.h5", "there is no directory \"/tmp/no such directory\""},
      {"/dev/null/out.h5", "there is no directory \"/dev/null\""},
      {"/tmp", "/tmp: is a directory"},
      {"/dev/null", "/dev/null: is not a regular file"},
      {"", "is not a file name"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_store *store = NULL;
    cr_expect_eq(cs_store_open(row[i].name, 1, &store, &error), CS_IO, "row %zu", i);
    cr_expect(strstr(error.message, row[i].message), "row %zu: %s", i, error.message);
    cr_expect_null(store);
  }
}

/* As a user without rights there: root may write everywhere. */
Test(store, a_directory_that_cannot_be_written_is_said) {
  chmod(directory, 0555);
  pid_t child = fork();
  if (child == 0) {
    struct passwd *nobody = getpwnam("nobody");
    if (getuid() == 0 && (!nobody || setgid(nobody->pw_gid) != 0 || setuid(nobody->pw_uid) != 0)) _exit(2);
    struct cs_store *store = NULL;
    int code = cs_store_open(path, 0, &store, &error);
    _exit(code == CS_IO && !store && strstr(error.message, "want a directory that can be written") ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  chmod(directory, 0755);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
    cr_skip_test("root may write everywhere, and there is no user \"nobody\"");
  cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The limit on a file's size stands for the full disk: a write stops anywhere, with an error. The child ends like a
 * program does, with what libraries do at the end. */
static int write_within(long limit, const struct cs_table *table) {
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)limit, (rlim_t)limit});
    int code = write_table(path, 1, table);
    exit(code == CS_IO && !strstr(error.message, "File too large") ? 99 : code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(store, a_full_disk_leaves_the_old_file_and_nothing_else) {
  struct cs_table *table = make_table(3000), *read = NULL;
  cr_assert_eq(write_table(path, 0, table), CS_OK, "%s", error.message);
  long size = size_of(path);
  write_text(path, "old");
  for (int i = 0; i < 20; i++) {
    long limit = i < 19 ? size * i / 19 : size - 1;
    cr_expect_eq(write_within(limit, table), CS_IO, "%ld of %ld bytes", limit, size);
    cr_expect(holds_text(path, "old"));
    cr_assert_eq(files(), 1, "litter after %ld of %ld bytes", limit, size);
  }
  cr_expect_eq(write_within(size, table), CS_OK);
  cr_expect_eq(cs_store_read(path, &read, &error), CS_OK, "%s", error.message);
  cs_table_free(table);
  cs_table_free(read);
}

Test(store, files_that_are_no_results_are_refused) {
  struct cs_table *read = NULL;
  cr_expect_eq(cs_store_read(path, &read, &error), CS_IO);
  cr_expect(strstr(error.message, "out.h5: cannot open: No such file"), "%s", error.message);
  write_text(path, "{\"format\": \"cosweep-sweep/1\"}");
  cr_expect_eq(cs_store_read(path, &read, &error), CS_IO);
  cr_expect(strstr(error.message, "out.h5: is not an HDF5 file; want a result file of cosweep"), "%s", error.message);
  cr_expect_null(read);
  hid_t foreign = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  cr_assert(foreign >= 0 && H5Fclose(foreign) >= 0);
  cr_expect_eq(cs_store_read(path, &read, &error), CS_IO);
  cr_expect(strstr(error.message, "out.h5: has no group \"provenance\"; want a result"), "%s", error.message);
  cr_expect_null(read);
}

static void damage(long at) {
  FILE *file = fopen(path, "r+b");
  cr_assert(fseek(file, at, SEEK_SET) == 0 && fwrite("damaged", 1, 7, file) == 7 && fclose(file) == 0);
}

static void expect_refusal(const char *message) {
  struct cs_table *read = NULL;
  cr_expect_eq(cs_store_read(path, &read, &error), CS_IO);
  cr_expect(strstr(error.message, message), "%s", error.message);
  cr_expect_null(read);
}

Test(store, damage_is_noticed) {
  struct cs_table *table = make_table(3000);
  cr_assert_eq(write_table(path, 0, table), CS_OK, "%s", error.message);
  const long size = size_of(path);
  cr_assert_eq(truncate(path, size / 2), 0);
  expect_refusal("truncated file");
  cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
  damage(size / 2);
  expect_refusal("out.h5: is damaged: its bytes differ from their checksum (see: cosweep verify");
  /* Without the checksum of the file: most of it is the chunk of output_error, and its own checksum knows its bytes. */
  cr_assert_eq(truncate(path, size - 32), 0);
  expect_refusal("cannot read \"output_error\"");
  cs_table_free(table);
}

/* Rows of one chunk, of several with a rest, and more columns than fit. */
Test(store, large_arrays_are_read_in_blocks) {
  static const size_t lengths[][2] = {{1700, 700}, {3, 300000}, {1000003, 1}};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    struct cs_table *table = cs_table_new("large", "cosweep", ""), *read = NULL;
    struct cs_array *array = NULL;
    const size_t axis[] = {0, 1};
    int code = cs_table_add_numbers(table, "row", "row", lengths[i][0], NULL, &error);
    if (code == CS_OK) code = cs_table_add_numbers(table, "column", "column", lengths[i][1], NULL, &error);
    if (code == CS_OK) code = cs_table_add_array(table, "status", "1", "", CS_UINT8, 2, axis, NULL, &error);
    if (code == CS_OK) code = cs_table_add_array(table, "noise", "1", "", CS_FLOAT64, 2, axis, &array, &error);
    if (code == CS_OK) code = write_table(path, 1, (fill(array, i), table));
    if (code == CS_OK) code = cs_store_read(path, &read, &error);
    cr_assert_eq(code, CS_OK, "%s", error.message);
    expect_same_table(table, read);
    cs_table_free(table);
    cs_table_free(read);
    /* Without the checksum of the file, in the last block. */
    const long size = size_of(path);
    cr_assert_eq(truncate(path, size - 32), 0);
    damage(size - size / 8);
    expect_refusal("cannot read \"noise\"");
  }
}

static enum cs_store_state state_of(const struct cs_store_verdict *verdict, const char *name) {
  for (size_t i = 0; i < verdict->parts; i++)
    if (strcmp(verdict->part[i].name, name) == 0) return verdict->part[i].state;
  cr_expect_fail("no verdict on %s", name);
  return CS_STORE_OK;
}

Test(store, every_dataset_has_a_verdict) {
  struct cs_store_verdict verdict;
  struct cs_table *table = make_table(3000);
  add_group(table);
  cr_assert_eq(write_table(path, 0, table), CS_OK, "%s", error.message);
  const long size = size_of(path);
  cr_expect_eq(cs_store_verify(path, &verdict, &error), CS_OK, "%s", error.message);
  cr_expect_eq(verdict.whole, CS_STORE_OK);
  cr_expect_eq(verdict.parts, 3 + 5 + 1 + 3 + 4);
  for (size_t i = 0; i < verdict.parts; i++)
    cr_expect_eq(verdict.part[i].state, CS_STORE_OK, "%s", verdict.part[i].name);
  cr_expect_eq(state_of(&verdict, "refined/word"), CS_STORE_OK);
  cr_expect_eq(state_of(&verdict, "provenance/command"), CS_STORE_OK);
  cs_store_free_verdict(&verdict);
  damage(size / 2);
  for (int sealed = 1; sealed >= 0; sealed--) {
    cr_expect_eq(cs_store_verify(path, &verdict, &error), CS_OK, "%s", error.message);
    cr_expect_eq(verdict.whole, sealed ? CS_STORE_DAMAGED : CS_STORE_READABLE);
    cr_expect_eq(state_of(&verdict, "output_error"), CS_STORE_DAMAGED);
    cr_expect_eq(state_of(&verdict, "steps"), CS_STORE_OK);
    cr_expect_eq(state_of(&verdict, "H"), CS_STORE_OK);
    cr_expect_eq(state_of(&verdict, "output_units"), CS_STORE_READABLE);
    cs_store_free_verdict(&verdict);
    cr_assert_eq(truncate(path, size - 32), 0);
  }
  cs_table_free(table);
}

/* A file of few bytes may claim to hold any number of numbers. */
Test(store, more_data_than_a_file_can_hold_are_refused) {
  const hsize_t length = (hsize_t)1 << 40, chunk = 1 << 10;
  struct cs_table *table = make_table(3);
  cr_assert_eq(write_table(path, 0, table), CS_OK, "%s", error.message);
  cs_table_free(table);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple(1, &length, NULL);
  H5Pset_chunk(list, 1, &chunk);
  hid_t dataset = H5Dcreate2(file, "vast", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  cr_expect(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0 && H5Pclose(list) >= 0 && H5Fclose(file) >= 0);
  expect_refusal("\"vast\" holds more than a file of");
}

/* ---- data that are not in the file */

static hid_t storage(const char *how, hid_t space) {
  const hsize_t length = 1;
  const unsigned options[] = {1, 2};
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  if (strcmp(how, "external") == 0) cr_assert(H5Pset_external(list, beside(".private"), 0, H5F_UNLIMITED) >= 0);
  if (strcmp(how, "virtual") == 0) cr_assert(H5Pset_virtual(list, space, beside(".other"), "/x", space) >= 0);
  if (strcmp(how, "filter") == 0)
    cr_assert(H5Pset_chunk(list, 1, &length) >= 0 && H5Pset_filter(list, 32001, H5Z_FLAG_OPTIONAL, 2, options) >= 0);
  return list;
}

/* A result with something more in a group. */
static void write_with(const char *group, const char *name, const char *how) {
  const hsize_t length = 1;
  struct cs_table *table = make_table(3);
  cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
  cs_table_free(table);
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), where = H5Gopen2(file, group, H5P_DEFAULT);
  if (strcmp(how, "link") == 0) {
    cr_assert(H5Lcreate_external(beside(".other"), "/x", where, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  } else if (strcmp(how, "soft") == 0) {
    cr_assert(H5Lcreate_external(beside(".other"), "/", file, "provenance/other", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    cr_assert(H5Lcreate_soft("/provenance/other/x", where, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  } else {
    const hid_t space = H5Screate_simple(1, &length, NULL), list = storage(how, space);
    const hid_t dataset = H5Dcreate2(where, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    cr_assert(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0 && H5Pclose(list) >= 0);
  }
  cr_assert(H5Gclose(where) >= 0 && H5Fclose(file) >= 0);
}

Test(store, what_is_not_in_the_file_is_refused) {
  static const struct {
    const char *group, *name, *how, *message;
  } row[] = {{"/", "x", "external", "out.h5: \"x\" is kept in another file"},
             {"/", "x", "virtual", "out.h5: \"x\" is kept in another file"},
             {"/", "x", "link", "out.h5: \"x\" is kept in another file"},
             {"/provenance", "x", "external", "out.h5: \"x\" is kept in another file"},
             {"/provenance", "x", "link", "out.h5: \"x\" is kept in another file"},
             {"/", "x", "soft", "out.h5: cannot open \"x\": "},
             {"/", "x", "filter", "out.h5: \"x\" is packed by filter 32001, a plugin; want it packed by HDF5's own"}};
  const hid_t other = H5Fcreate(beside(".other"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
              none = H5Screate(H5S_SCALAR);
  const hid_t inside = H5Dcreate2(other, "x", H5T_IEEE_F64LE, none, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  cr_assert(H5Dclose(inside) >= 0 && H5Sclose(none) >= 0 && H5Fclose(other) >= 0);
  write_text(beside(".private"), "what nobody else should read");
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_store_verdict verdict;
    struct cs_table *read = NULL;
    write_with(row[i].group, row[i].name, row[i].how);
    expect_refusal(row[i].message);
    cr_expect_eq(cs_store_read_lazily(path, 1, &read, &error), CS_IO);
    cs_store_verify(path, &verdict, &error);
    bool said = false;
    for (size_t k = 0; k < verdict.parts; k++)
      said = said || (verdict.part[k].state == CS_STORE_DAMAGED && strstr(verdict.part[k].reason, row[i].message));
    cr_expect(said, "%s in %s: no verdict", row[i].how, row[i].group);
    cs_store_free_verdict(&verdict);
  }
  unlink(beside(".private"));
  unlink(beside(".other"));
}

Test(store, closing_nothing_is_fine) {
  cs_store_close(NULL);
}

/* What was never written reads as missing, in programs that know netCDF's attribute and in those that know HDF5. */
Test(store, missing_numbers_are_not_numbers) {
  struct cs_table *table = make_table(3);
  double value = 0;
  H5D_fill_value_t defined;
  cr_assert_eq(write_table(path, 0, table), CS_OK, "%s", error.message);
  cs_table_free(table);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, "output_error", H5P_DEFAULT);
  hid_t list = H5Dget_create_plist(dataset), attribute = H5Aopen(dataset, "_FillValue", H5P_DEFAULT);
  cr_expect(H5Pfill_value_defined(list, &defined) >= 0 && defined == H5D_FILL_VALUE_USER_DEFINED);
  cr_expect(H5Pget_fill_value(list, H5T_NATIVE_DOUBLE, &value) >= 0 && isnan(value), "fill value %g", value);
  value = 0;
  cr_expect(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0 && isnan(value), "_FillValue %g", value);
  cr_expect(H5Aclose(attribute) >= 0 && H5Pclose(list) >= 0 && H5Dclose(dataset) >= 0 && H5Fclose(file) >= 0);
}

/* The words of a flag list correspond to the values 0, 1, 2. */
Test(store, flags_count_from_zero) {
  struct cs_table *table = make_table(3);
  uint8_t value[3] = {9, 9, 9};
  cr_assert_eq(write_table(path, 0, table), CS_OK, "%s", error.message);
  cs_table_free(table);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, "status", H5P_DEFAULT);
  hid_t attribute = H5Aopen(dataset, "flag_values", H5P_DEFAULT), space = H5Aget_space(attribute);
  cr_assert_eq(H5Sget_simple_extent_npoints(space), 3);
  cr_expect(H5Aread(attribute, H5T_NATIVE_UINT8, value) >= 0 && value[0] == 0 && value[1] == 1 && value[2] == 2,
            "flag_values %u, %u, %u", value[0], value[1], value[2]);
  cr_expect(H5Sclose(space) >= 0 && H5Aclose(attribute) >= 0 && H5Dclose(dataset) >= 0 && H5Fclose(file) >= 0);
}

/* Attributes of HDF5 end at 64 KiB, but not texts of variable length. */
Test(store, texts_may_be_long) {
  enum { LONG = 200000 };
  char *text = malloc(LONG + 1);
  const char *const names[] = {text, "b"};
  const size_t first = 0;
  memset(text, 'x', LONG);
  text[LONG] = '\0';
  struct cs_table *table = cs_table_new(text, "", ""), *read = NULL;
  int code = cs_table_add_dimension(table, "a", text, text, 2, NULL, names, NULL, &error);
  code |= cs_table_add_array(table, "status", text, text, CS_UINT8, 1, &first, NULL, &error);
  cr_assert_eq(code, CS_OK);
  cr_assert_eq(write_table(path, 0, table), CS_OK, "%s", error.message);
  cr_assert_eq(cs_store_read(path, &read, &error), CS_OK, "%s", error.message);
  expect_same_table(table, read);
  cs_table_free(table);
  cs_table_free(read);
  free(text);
}

/* A result over three axes and one of signals: a chunk of several lines, lines of several chunks, edges. */
static struct cs_table *make_result(size_t a, size_t b, size_t outputs) {
  static const char *const metrics[] = {"output_error", "output_defect"};
  struct cs_table *table = cs_table_new("large", "cosweep", "");
  struct cs_array *array = NULL;
  const size_t axis[] = {0, 1, 2};
  char names[3][8] = {"x.a", "x.b", "x.c"};
  const char *name[3] = {names[0], names[1], names[2]};
  int code = cs_table_add_numbers(table, "a", "row", a, NULL, &error);
  if (code == CS_OK) code = cs_table_add_numbers(table, "b", "column", b, NULL, &error);
  if (code == CS_OK) code = cs_table_add_dimension(table, "output", "", "output", outputs, NULL, name, NULL, &error);
  for (size_t m = 0; m < 2 && code == CS_OK; m++) {
    code = cs_table_add_array(table, metrics[m], "1", "", CS_FLOAT64, 3, axis, &array, &error);
    if (code == CS_OK) fill(array, m);
  }
  if (code == CS_OK) code = cs_table_add_array(table, "steps", "1", "", CS_INT64, 2, axis, &array, &error);
  for (size_t i = 0; code == CS_OK && i < array->count; i++)
    array->data.int64[i] = (int64_t)(7 * i);
  if (code == CS_OK) code = cs_table_add_array(table, "status", "1", "", CS_UINT8, 2, axis, &array, &error);
  for (size_t i = 0; code == CS_OK && i < array->count; i++)
    array->data.uint8[i] = (uint8_t)(i * i % CS_STATUSES);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  return table;
}

static void expect_same_items(const struct cs_array *want, const struct cs_array *have, size_t step) {
  cr_assert_not_null(have->lazy, "%s", want->name);
  cr_assert_eq(want->count, have->count);
  for (size_t i = 0, at = 0; i < want->count; i++, at = (at + step) % want->count)
    cr_assert_eq(cs_table_number(want, at), cs_table_number(have, at), "%s %zu", want->name, at);
}

Test(store, numbers_that_stay_in_the_file_are_those_that_were_written) {
  static const size_t lengths[][3] = {{700, 901, 2}, {3, 150001, 3}, {5, 7, 1}};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    struct cs_table *table = make_result(lengths[i][0], lengths[i][1], lengths[i][2]), *read = NULL;
    cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
    cr_assert_eq(cs_store_read_lazily(path, 1, &read, &error), CS_OK, "%s", error.message);
    for (size_t k = 0; k < table->arrays; k++) {
      expect_same_items(&table->array[k], &read->array[k], 1);
      expect_same_items(&table->array[k], &read->array[k], table->array[k].count / 3 + 1);
    }
    cr_expect_eq(cs_table_check(read, &error), CS_OK);
    cs_table_free(read);
    cs_table_free(table);
  }
}

/* A flag that means nothing, at once and in a block. */
Test(store, flags_that_mean_nothing_are_refused) {
  for (int lazily = 0; lazily < 2; lazily++) {
    struct cs_table *table = make_result(300, 901, 2), *read = NULL;
    struct cs_array *status = cs_table_find(table, "status");
    const size_t last = status->count - 1;
    status->data.uint8[last] = CS_STATUSES;
    cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
    int code = cs_store_read_lazily(path, lazily ? 1 : 0, &read, &error);
    if (lazily) {
      cr_assert_eq(code, CS_OK, "%s", error.message);
      cs_table_uint8(cs_table_find(read, "status"), last);
      code = cs_table_check(read, &error);
    }
    cr_expect_eq(code, CS_IO);
    cr_expect_not_null(strstr(error.message, "out.h5: \"status\" is 9 somewhere; want 0 to 8: the file is damaged"),
                       "%s", error.message);
    cs_table_free(read);
    cs_table_free(table);
  }
}

/* Small ones, and those of the largest size that does not stay, are read at once. */
Test(store, only_large_numbers_stay_in_the_file) {
  struct cs_table *table = make_result(50, 20, 2), *read = NULL;
  cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
  cr_assert_eq(cs_store_read_lazily(path, 16000, &read, &error), CS_OK, "%s", error.message);
  for (size_t k = 0; k < read->arrays; k++)
    cr_expect_eq(read->array[k].lazy != NULL, strncmp(read->array[k].name, "output", 6) == 0, "%s",
                 read->array[k].name);
  cs_table_free(read);
  cr_assert_eq(cs_store_read_lazily(path, 16001, &read, &error), CS_OK, "%s", error.message);
  expect_same_table(table, read);
  cr_expect_null(read->lazy);
  cs_table_free(read);
  cs_table_free(table);
}

/* The file is spoiled while it is read: no checksum of the whole helps then. */
Test(store, damage_that_comes_later_is_said) {
  struct cs_table *table = make_result(300, 901, 2), *read = NULL;
  cr_assert_eq(write_table(path, 1, table), CS_OK, "%s", error.message);
  cr_assert_eq(cs_store_read_lazily(path, 1, &read, &error), CS_OK, "%s", error.message);
  const struct cs_array *last = cs_table_find(read, "output_defect");
  FILE *file = fopen(path, "r+b");
  for (long at = size_of(path) / 4; at < size_of(path) * 3 / 4; at += 1000)
    cr_assert(fseek(file, at, SEEK_SET) == 0 && fputc('x', file) == 'x');
  cr_assert_eq(fclose(file), 0);
  for (size_t i = 0; i < last->count; i += 100)
    cs_table_float64(last, i);
  cr_expect_eq(cs_table_check(read, &error), CS_IO);
  cr_expect(strstr(error.message, path) != NULL, "%s", error.message);
  cs_table_free(read);
  cs_table_free(table);
}
