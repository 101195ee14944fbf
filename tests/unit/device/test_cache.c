/* The cache is used in child processes only, because it chooses its directories once per process. */
#include "cache.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cache_place.h"
#include "device.h"
#include "harness_files.h"
#include "litter.h"
#include "opencl.h"

static char place[HARNESS_FILES_PATH];
static char kept[128], run[160];

static void open_case(void) {
  harness_files_open(place);
  snprintf(kept, sizeof kept, "%s/kept", place);
  snprintf(run, sizeof run, "%s/run", kept);
  setenv("COSWEEP_CACHE", kept, 1);
  unsetenv("POCL_CACHE_DIR");
}

static void close_case(void) {
  cs_litter_remove_tree(kept);
  harness_files_close(place);
}

/* ---- what children do */

/* Ends the child when it is not so: Criterion's own checks belong to the test's process. */
static void want(bool fact, const char *what) {
  if (fact) return;
  fprintf(stderr, "in a child: not so: %s\n", what);
  exit(1);
}
#define WANT(fact) want((fact), #fact)

static void wait_a_little(void) {
  const struct timespec pause = {.tv_nsec = 50000000};
  nanosleep(&pause, NULL);
}

static void in_pocl(char *path, size_t size, const char *name) {
  snprintf(path, size, "%s/AB/CDEF/%s", getenv("POCL_CACHE_DIR"), name);
}

/* Does what PoCL does when it builds: writes a file in its directory. */
static void build_file(const char *name, const char *text) {
  char path[512];
  in_pocl(path, sizeof path, "");
  path[strlen(path) - strlen("/CDEF/")] = '\0';
  mkdir(path, 0700);
  strcat(path, "/CDEF");
  mkdir(path, 0700);
  in_pocl(path, sizeof path, name);
  FILE *file = fopen(path, "w");
  WANT(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool is_built(const char *name, const char *text) {
  char path[512], found[64] = "";
  in_pocl(path, sizeof path, name);
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  WANT(fgets(found, sizeof found, file) != NULL && fclose(file) == 0);
  WANT(strcmp(found, text) == 0);
  return true;
}

static pid_t start(void (*what)(const char *), const char *argument) {
  fflush(NULL);
  const pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child != 0) return child;
  alarm(100);
  what(argument);
  exit(0);
}

static void finish(pid_t child, const char *what) {
  int status = 0;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: a child failed", what);
}

static void do_in_child(void (*what)(const char *), const char *argument) {
  finish(start(what, argument), argument);
}

static struct cs_cache_entry *open_entry(const char *key) {
  struct cs_cache_entry *entry;
  struct cs_error error;
  WANT(cs_cache_open(key, CS_CACHE_FILES, NULL, &entry, &error) == CS_OK);
  return entry;
}

/* Builds the program `key`, whose one file says `key`. */
static void build(const char *key) {
  struct cs_cache_entry *entry = open_entry(key);
  WANT(entry != NULL && !is_built("program.bc", key));
  build_file("program.bc", key);
  cs_cache_keep(entry);
  cs_cache_close(entry);
  WANT(cs_cache_warning() == NULL);
}

static void find(const char *key) {
  struct cs_cache_entry *entry = open_entry(key);
  WANT(is_built("program.bc", key));
  cs_cache_keep(entry);
  cs_cache_close(entry);
}

/* ---- the cache's directory, from outside */

/* Path of the one file with that ending; the number of such files. */
static size_t list(const char *directory, const char *ending, char *path, size_t size) {
  size_t count = 0;
  DIR *names = opendir(directory);
  for (struct dirent *entry; names != NULL && (entry = readdir(names)) != NULL;) {
    const size_t length = strlen(entry->d_name);
    if (entry->d_name[0] == '.' || length < strlen(ending)) continue;
    if (strcmp(entry->d_name + length - strlen(ending), ending) != 0) continue;
    if (path != NULL) snprintf(path, size, "%s/%s", directory, entry->d_name);
    count++;
  }
  if (names != NULL) closedir(names);
  return count;
}

static void make_old(const char *path, time_t seconds) {
  const struct timespec time_of[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
  cr_assert_eq(utimensat(AT_FDCWD, path, time_of, 0), 0, "%s", path);
}

static size_t read_bytes(const char *path, char *bytes, size_t size) {
  FILE *file = fopen(path, "rb");
  cr_assert_not_null(file);
  const size_t length = fread(bytes, 1, size, file);
  fclose(file);
  return length;
}

static void write_bytes(const char *path, const char *bytes, size_t length) {
  FILE *file = fopen(path, "wb");
  cr_assert_not_null(file);
  cr_assert_eq(fwrite(bytes, 1, length, file), length);
  cr_assert_eq(fclose(file), 0);
}

/* ---- one process after the other */

Test(cache, gives_the_next_process_what_was_built) {
  open_case();
  do_in_child(build, "a program");
  do_in_child(find, "a program");
  do_in_child(build, "another");
  do_in_child(find, "another");
  do_in_child(find, "a program");
  cr_expect_eq(list(kept, ".program", NULL, 0), 2);
  cr_expect_eq(list(kept, ".lock", NULL, 0), 0);
  cr_expect_eq(list(run, "", NULL, 0), 0, "PoCL's directory is removed at exit");
  close_case();
}

static void build_in_two_parts(const char *key) {
  struct cs_cache_entry *entry = open_entry(key);
  build_file("program.bc", key);
  cs_cache_keep(entry);
  build_file("later", key);
  cs_cache_close(entry);
}

static void find_both(const char *key) {
  struct cs_cache_entry *entry = open_entry(key);
  WANT(is_built("program.bc", key) && is_built("later", key));
  cs_cache_close(entry);
}

static void build_two_at_once(const char *key) {
  struct cs_cache_entry *first = open_entry(key);
  build_file("program.bc", key);
  cs_cache_keep(first);
  struct cs_cache_entry *second = open_entry("second");
  build_file("second", "second");
  cs_cache_keep(second);
  cs_cache_close(second);
  cs_cache_close(first);
}

static void find_second_alone(const char *key) {
  struct cs_cache_entry *entry = open_entry(key);
  WANT(is_built("second", "second") && !is_built("program.bc", key));
  cs_cache_close(entry);
}

Test(cache, keeps_each_program_apart_and_what_comes_later) {
  open_case();
  do_in_child(build_in_two_parts, "late");
  do_in_child(find_both, "late");
  do_in_child(build_two_at_once, "first");
  do_in_child(find, "first");
  do_in_child(find_second_alone, "second");
  close_case();
}

static void open_twice(const char *key) {
  alarm(30); /* less than a process waits for another */
  struct cs_cache_entry *first = open_entry(key);
  build_file("program.bc", key);
  struct cs_cache_entry *second = open_entry(key);
  build_file("later", key);
  cs_cache_keep(first);
  cs_cache_keep(second);
  cs_cache_close(first);
  cs_cache_close(second);
}

Test(cache, does_not_wait_for_itself) {
  open_case();
  do_in_child(open_twice, "a program");
  do_in_child(find_both, "a program");
  cr_expect_eq(list(kept, ".lock", NULL, 0), 0);
  close_case();
}

static void fail_to_build(const char *key) {
  struct cs_cache_entry *entry = open_entry(key);
  build_file("program.bc", key);
  cs_cache_close(entry);
}

Test(cache, keeps_nothing_of_a_build_that_failed) {
  open_case();
  do_in_child(fail_to_build, "wrong");
  cr_expect_eq(list(kept, ".program", NULL, 0) + list(kept, ".lock", NULL, 0), 0);
  do_in_child(build, "wrong");
  close_case();
}

Test(cache, builds_anew_what_is_damaged) {
  char path[512], good[512], bad[512];
  open_case();
  do_in_child(build, "a program");
  cr_assert_eq(list(kept, ".program", path, sizeof path), 1);
  const size_t length = read_bytes(path, good, sizeof good);
  cr_assert(length > 40 && length < sizeof good);
  for (size_t i = 0; i < length; i += 3) {
    memcpy(bad, good, length);
    bad[i] ^= 0x20;
    write_bytes(path, bad, length);
    do_in_child(build, "a program");
  }
  for (size_t cut = 0; cut < length; cut += 7) {
    write_bytes(path, good, cut);
    do_in_child(build, "a program");
  }
  memcpy(bad, good, length);
  bad[length] = 'x';
  write_bytes(path, bad, length + 1);
  do_in_child(build, "a program");
  do_in_child(find, "a program");
  close_case();
}

Test(cache, compares_the_whole_key_and_not_its_hash) {
  char first[512], second[512], bytes[512];
  open_case();
  do_in_child(build, "program A");
  cr_assert_eq(list(kept, ".program", first, sizeof first), 1);
  const size_t length = read_bytes(first, bytes, sizeof bytes);
  cr_assert_eq(unlink(first), 0);
  do_in_child(build, "program B");
  cr_assert_eq(list(kept, ".program", second, sizeof second), 1);
  write_bytes(second, bytes, length); /* as if A and B had the same hash */
  do_in_child(build, "program B");
  do_in_child(find, "program B");
  close_case();
}

Test(cache, removes_what_nobody_used_for_long) {
  const time_t day = 86400;
  char path[512], foreign[512];
  open_case();
  do_in_child(build, "a program");
  cr_assert_eq(list(kept, ".program", path, sizeof path), 1);
  snprintf(foreign, sizeof foreign, "%s/thesis.txt", kept);
  write_bytes(foreign, "", 0);
  make_old(foreign, 1000 * day);
  make_old(path, 89 * day);
  do_in_child(find, "a program"); /* which makes it young again */
  struct stat status;
  cr_assert_eq(stat(path, &status), 0);
  cr_expect_lt(time(NULL) - status.st_mtime, day);
  make_old(path, 91 * day);
  do_in_child(build, "another");
  cr_expect_neq(access(path, F_OK), 0);
  cr_expect_eq(access(foreign, F_OK), 0, "another user's file");
  unlink(foreign);
  close_case();
}

/* ---- several at once */

/* Adds a letter to a file of that name and gives its new size. */
static long count_in(const char *name) {
  char path[160];
  snprintf(path, sizeof path, "%s/%s", place, name);
  FILE *file = fopen(path, "a");
  WANT(file != NULL && fputc('x', file) == 'x');
  const long size = ftell(file);
  WANT(fclose(file) == 0);
  return size;
}

static void build_or_find(const char *key) {
  struct cs_cache_entry *entry = open_entry(key);
  if (!is_built("program.bc", key)) {
    WANT(count_in("builders") == 1);
    for (int i = 0; i < 6; i++)
      wait_a_little();
    build_file("program.bc", key);
  }
  cs_cache_keep(entry);
  cs_cache_close(entry);
}

Test(cache, is_built_by_one_of_many_processes) {
  enum { MANY = 16 };
  pid_t child[MANY];
  open_case();
  for (int i = 0; i < MANY; i++)
    child[i] = start(build_or_find, "a program");
  for (int i = 0; i < MANY; i++)
    finish(child[i], "one of many");
  cr_expect_eq(list(kept, ".lock", NULL, 0) + list(run, "", NULL, 0), 0);
  close_case();
}

static void build_without_end(const char *key) {
  struct cs_cache_entry *entry = open_entry(key);
  build_file("program.bc", "half");
  count_in("ready");
  for (;;)
    pause();
  cs_cache_close(entry);
}

static pid_t start_building_without_end(const char *key) {
  char ready[160];
  snprintf(ready, sizeof ready, "%s/ready", place);
  unlink(ready);
  const pid_t child = start(build_without_end, key);
  for (int i = 0; i < 1000 && access(ready, F_OK) != 0; i++)
    wait_a_little();
  cr_assert_eq(access(ready, F_OK), 0);
  return child;
}

Test(cache, forgets_a_process_that_was_killed) {
  char path[512];
  open_case();
  const pid_t child = start_building_without_end("a program");
  cr_assert_eq(list(run, ".d", path, sizeof path), 1);
  do_in_child(build, "another");
  cr_expect_eq(access(path, F_OK), 0, "the directory of a living process stays");
  cr_assert_eq(kill(child, SIGKILL), 0);
  waitpid(child, NULL, 0);
  do_in_child(build, "a program");
  cr_expect_neq(access(path, F_OK), 0, "that of a dead one goes");
  cr_expect_eq(list(kept, ".lock", NULL, 0) + list(run, "", NULL, 0), 0);
  close_case();
}

/* ---- where programs cannot be kept */

static void build_unkept(const char *warning) {
  struct cs_cache_entry *entry;
  cs_cache_prepare();
  entry = open_entry("a program");
  WANT(!is_built("program.bc", "a program"));
  build_file("program.bc", "a program");
  cs_cache_keep(entry);
  cs_cache_close(entry);
  if (warning[0] == '\0') WANT(cs_cache_warning() == NULL);
  if (warning[0] != '\0') WANT(cs_cache_warning() != NULL && strstr(cs_cache_warning(), warning) != NULL);
}

static void build_for_key(const char *key) {
  struct cs_cache_entry *entry = open_entry(key);
  WANT(entry != NULL && !is_built("program.bc", "short"));
  build_file("program.bc", "short");
  cs_cache_keep(entry);
  cs_cache_close(entry);
}

static void find_kept(const char *key) {
  _exit(cs_cache_has(key, CS_CACHE_FILES) ? 0 : 1);
}

static bool is_kept(const char *key) {
  const pid_t child = start(find_kept, key);
  int status = 0;
  cr_assert_eq(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Its file, which is named after its hash (FNV-1a). */
static void path_of(const char *key, char *path, size_t size) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *key != '\0'; key++)
    hash = (hash ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
  snprintf(path, size, "%s/cosweep-%016" PRIx64 ".program", kept, hash);
}

/* A file has its key in it, of 0.4 MB here. */
Test(cache, what_was_not_used_for_the_longest_time_goes_first) {
  enum { LENGTH = 400000 };
  static char key[4][LENGTH + 1];
  char foreign[512], path[512];
  open_case();
  setenv("COSWEEP_CACHE_MB", "1", 1);
  snprintf(foreign, sizeof foreign, "%s/thesis.program", kept);
  for (int i = 0; i < 4; i++)
    memset(key[i], 'a' + i, LENGTH);
  do_in_child(build_for_key, key[0]);
  do_in_child(build_for_key, key[1]);
  write_bytes(foreign, key[0], LENGTH);
  cr_expect(is_kept(key[0]) && is_kept(key[1]));
  do_in_child(build_for_key, key[2]); /* then there is no room for the first any more */
  cr_expect(!is_kept(key[0]) && is_kept(key[1]) && is_kept(key[2]));
  for (int i = 1; i < 3; i++) {
    path_of(key[i], path, sizeof path);
    make_old(path, i == 1 ? 7200 : 3600);
  }
  cr_expect(is_kept(key[1])); /* which uses the older one */
  do_in_child(build_for_key, key[3]);
  cr_expect(is_kept(key[1]) && !is_kept(key[2]) && is_kept(key[3]));
  cr_expect_eq(access(foreign, F_OK), 0, "another user's file");
  setenv("COSWEEP_CACHE_MB", "0.5", 1); /* looked at when a process begins */
  cr_expect(is_kept(key[3]) && !is_kept(key[1]));
  setenv("COSWEEP_CACHE_MB", "much", 1);
  do_in_child(build_unkept, "COSWEEP_CACHE_MB=much; want a number of MB");
  unlink(foreign);
  close_case();
}

Test(cache, does_without) {
  open_case();
  const struct {
    const char *home, *cache, *warning;
  } row[] = {{NULL, NULL, "HOME is not set"},
             {"/proc/none", NULL, "/proc/none/.cache/cosweep: "},
             {"/proc/none", "", "/proc/none/.cache/cosweep: "},
             {place, "/proc/none", "kept: /proc/none: "},
             {place, "/dev/null", "kept: /dev/null: Not a directory"},
             {place, "/tmp", "another user owns it or can write to it"},
             {place, "off", ""}};
  unsetenv("XDG_CACHE_HOME");
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    unsetenv("HOME");
    unsetenv("COSWEEP_CACHE");
    if (row[i].home != NULL) setenv("HOME", row[i].home, 1);
    if (row[i].cache != NULL) setenv("COSWEEP_CACHE", row[i].cache, 1);
    do_in_child(build_unkept, row[i].warning);
    do_in_child(build_unkept, row[i].warning);
  }
  cr_expect_eq(list(place, "", NULL, 0), 0);
  close_case();
}

static void build_on_a_full_disk(const char *warning) {
  const struct rlimit limit = {60, 60}; /* bytes of a file */
  signal(SIGXFSZ, SIG_IGN);
  cs_cache_prepare();
  setrlimit(RLIMIT_FSIZE, &limit);
  build_unkept(warning);
}

Test(cache, leaves_nothing_half_written) {
  open_case();
  do_in_child(build_on_a_full_disk, "File too large");
  cr_expect_eq(list(kept, "", NULL, 0), 1, "the directory \"run\" and nothing else");
  do_in_child(build, "a program");
  do_in_child(find, "a program");
  close_case();
}

/* ---- PoCL's directory as the user set it */

static void take_a_turn(const char *directory) {
  char path[256];
  struct cs_cache_entry *entry = open_entry("a program");
  WANT(strcmp(getenv("POCL_CACHE_DIR"), directory) == 0);
  snprintf(path, sizeof path, "%s/inside", directory);
  const int fd = open(path, O_CREAT | O_EXCL, 0600);
  WANT(fd >= 0);
  wait_a_little();
  WANT(unlink(path) == 0);
  cs_cache_keep(entry);
  cs_cache_close(entry);
}

Test(cache, takes_turns_in_a_directory_of_the_users) {
  enum { MANY = 8 };
  pid_t child[MANY];
  char shared[160];
  open_case();
  snprintf(shared, sizeof shared, "%s/pocl", place);
  unsetenv("COSWEEP_CACHE");
  setenv("POCL_CACHE_DIR", shared, 1);
  for (int i = 0; i < MANY; i++)
    child[i] = start(take_a_turn, shared);
  for (int i = 0; i < MANY; i++)
    finish(child[i], "taking turns");
  cr_expect_eq(list(shared, "", NULL, 0), 0);
  cr_expect_neq(access(kept, F_OK), 0);
  rmdir(shared);
  close_case();
}

/* ---- binaries of other drivers than PoCL */

static struct cs_cache_entry *open_binary(const char *key) {
  struct cs_cache_entry *entry;
  struct cs_error error;
  WANT(cs_cache_open(key, CS_CACHE_BINARY, NULL, &entry, &error) == CS_OK && entry != NULL);
  return entry;
}

static bool gives(const struct cs_cache_entry *entry, const char *binary) {
  size_t bytes;
  const char *given = cs_cache_binary(entry, &bytes);
  return given != NULL && bytes == strlen(binary) && memcmp(given, binary, bytes) == 0;
}

static void build_binary(const char *key) {
  size_t bytes;
  struct cs_cache_entry *entry = open_binary(key);
  WANT(!cs_cache_gave(entry) && cs_cache_binary(entry, &bytes) == NULL);
  cs_cache_keep_binary(entry, key, strlen(key));
  cs_cache_close(entry);
  WANT(cs_cache_warning() == NULL);
}

static void find_binary(const char *key) {
  struct cs_cache_entry *entry = open_binary(key);
  WANT(cs_cache_gave(entry) && gives(entry, key) && cs_cache_has(key, CS_CACHE_BINARY));
  cs_cache_keep_binary(entry, "again", 5);
  cs_cache_close(entry);
}

/* As if the driver had become another under the same name. */
static void refuse_binary(const char *key) {
  size_t bytes;
  struct cs_cache_entry *entry = open_binary(key);
  cs_cache_refuse(entry);
  WANT(!cs_cache_gave(entry) && cs_cache_binary(entry, &bytes) == NULL && !cs_cache_has(key, CS_CACHE_BINARY));
  WANT(list(kept, ".lock", NULL, 0) == 1);
  cs_cache_keep_binary(entry, "another", strlen("another"));
  cs_cache_close(entry);
  entry = open_binary(key);
  WANT(gives(entry, "another"));
  cs_cache_refuse(entry);
  cs_cache_keep_binary(entry, NULL, 0); /* a driver that gives none out */
  cs_cache_close(entry);
}

Test(cache, keeps_binaries) {
  open_case();
  do_in_child(build_binary, "a program");
  do_in_child(find_binary, "a program");
  do_in_child(find_binary, "a program");
  do_in_child(refuse_binary, "a program");
  cr_expect_eq(list(kept, ".program", NULL, 0) + list(kept, ".lock", NULL, 0), 0);
  do_in_child(build_binary, "a program");
  close_case();
}

/* Beside a folder that is PoCL's alone. */
Test(cache, keeps_binaries_where_pocl_has_a_folder_of_its_own) {
  char shared[160], home[160], path[256];
  open_case();
  snprintf(shared, sizeof shared, "%s/pocl", place);
  snprintf(home, sizeof home, "%s/home", place);
  unsetenv("COSWEEP_CACHE");
  setenv("POCL_CACHE_DIR", shared, 1);
  setenv("XDG_CACHE_HOME", home, 1);
  do_in_child(build_binary, "a program");
  do_in_child(find_binary, "a program");
  snprintf(path, sizeof path, "%s/cosweep", home);
  cr_expect_eq(list(path, ".program", NULL, 0), 1);
  cr_expect_eq(list(shared, "", NULL, 0), 0);
  cs_litter_remove_tree(home);
  cs_litter_remove_tree(shared);
  close_case();
}

/* ---- with OpenCL */

static const char source[] =
    "__kernel void fill(__global double *a, long n) {\n"
    "  for (long i = 0; i < n; i++) a[i] = FACTOR * i;\n"
    "}\n";

/* Builds with FACTOR as given and runs it. */
static void compute(const char *factor) {
  struct cs_error error = {0};
  struct cs_device *device = NULL;
  struct cs_program *program = NULL;
  struct cs_kernel *kernel = NULL;
  struct cs_buffer *buffer = NULL;
  char options[64];
  const size_t one = 1;
  double values[4] = {0};
  snprintf(options, sizeof options, "-DFACTOR=%s", factor);
  WANT(cs_device_open("cpu", &device, &error) == CS_OK);
  WANT(cs_device_program_open(device, source, options, NULL, &program, &error) == CS_OK);
  WANT(cs_device_kernel_open(program, "fill", &kernel, &error) == CS_OK);
  WANT(cs_device_buffer_new(device, sizeof values, &buffer, &error) == CS_OK);
  WANT(cs_device_kernel_set_buffer(kernel, 0, buffer, &error) == CS_OK);
  WANT(cs_device_kernel_set_long(kernel, 1, 4, &error) == CS_OK);
  WANT(cs_device_kernel_run(kernel, 1, &one, &one, NULL, &error) == CS_OK);
  cs_device_program_keep(program);
  WANT(cs_device_buffer_read(buffer, 0, sizeof values, values, &error) == CS_OK);
  WANT(values[3] == 3 * atof(factor));
  cs_device_buffer_free(buffer);
  cs_device_kernel_free(kernel);
  cs_device_program_free(program);
  cs_device_close(device);
}

static void build_wrong(const char *factor) {
  struct cs_error error = {0};
  struct cs_device *device = NULL;
  struct cs_program *program = NULL;
  char options[64];
  snprintf(options, sizeof options, "-DFACTOR=%s", factor);
  WANT(cs_device_open("cpu", &device, &error) == CS_OK);
  WANT(cs_device_program_open(device, source, options, NULL, &program, &error) == CS_DEVICE);
  WANT(program == NULL && strstr(error.message, "building the kernel failed") != NULL);
  cs_device_close(device);
}

Test(cache, serves_opencl) {
  pid_t child[4];
  char path[512];
  struct stat before, after;
  opencl_needed();
  open_case();
  for (int i = 0; i < 4; i++)
    child[i] = start(compute, "2.5");
  for (int i = 0; i < 4; i++)
    finish(child[i], "computing");
  cr_assert_eq(list(kept, ".program", path, sizeof path), 1);
  cr_assert_eq(stat(path, &before), 0);
  do_in_child(compute, "2.5");
  cr_assert_eq(stat(path, &after), 0);
  cr_expect_eq(before.st_ino, after.st_ino, "nothing was built, so nothing was written");
  do_in_child(compute, "4.0");
  cr_expect_eq(list(kept, ".program", NULL, 0), 2, "other options, another program");
  do_in_child(build_wrong, "nonsense");
  cr_expect_eq(list(kept, ".program", NULL, 0), 2);
  cr_expect_eq(list(kept, ".lock", NULL, 0) + list(run, "", NULL, 0), 0);
  close_case();
}

/* Keeps another content under the key of the program in the file `path`. */
static void spoil(const char *path) {
  static char bytes[65536];
  const size_t length = read_bytes(path, bytes, sizeof bytes);
  uint64_t key_bytes;
  WANT(length > 40);
  memcpy(&key_bytes, bytes + 16, sizeof key_bytes);
  WANT(40 + key_bytes < sizeof bytes);
  bytes[40 + key_bytes] = '\0';
  struct cs_cache_entry *entry = open_binary(bytes + 40);
  cs_cache_refuse(entry);
  cs_cache_keep_binary(entry, "nonsense", 8);
  cs_cache_close(entry);
}

static void ask_for_pocl(const char *choice) {
  struct cs_device_info info;
  struct cs_error error;
  WANT(cs_device_describe(choice, &info, &error) == CS_OK);
  _exit(cs_device_is_pocl(&info) ? 0 : 4);
}

static bool is_pocl(void) {
  int status = 0;
  const pid_t child = start(ask_for_pocl, "cpu");
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFEXITED(status) && WEXITSTATUS(status) % 4 == 0);
  return WEXITSTATUS(status) == 0;
}

Test(cache, builds_anew_what_the_driver_does_not_take) {
  char path[512];
  struct stat good, spoilt, after;
  opencl_needed();
  open_case();
  if (!is_pocl()) {
    do_in_child(compute, "2.5");
    cr_assert_eq(list(kept, ".program", path, sizeof path), 1);
    cr_assert_eq(stat(path, &good), 0);
    do_in_child(spoil, path);
    cr_assert_eq(stat(path, &spoilt), 0);
    do_in_child(compute, "2.5");
    cr_assert_eq(stat(path, &after), 0);
    cr_expect(spoilt.st_size < good.st_size && after.st_size == good.st_size);
  }
  close_case();
}

/* ---- whose directory it is */

static uid_t self; /* 0: the user that runs the test */

/* In place of the system's. */
uid_t geteuid(void) {
  struct stat status;
  if (self != 0) return self;
  return stat("/proc/self", &status) == 0 ? status.st_uid : 0;
}

static void build_as_another(const char *warning) {
  self = 4711;
  build_unkept(warning);
}

/* Programs are code: those written by another user are not run, those written by root are. */
Test(cache, another_users_directory_is_not_trusted) {
  open_case();
  cr_assert_eq(mkdir(kept, 0755), 0);
  const bool root = geteuid() == 0;
  if (root) cr_assert_eq(chown(kept, 4712, (gid_t)-1), 0);
  do_in_child(build_as_another, "another user owns it or can write to it");
  if (root) {
    do_in_child(build_unkept, "another user owns it or can write to it");
    cr_assert_eq(chown(kept, 0, (gid_t)-1), 0);
    do_in_child(build_as_another, "");
  }
  close_case();
}

/* ---- memory */

#if !defined(__SANITIZE_ADDRESS__) /* which reserves terabytes of addresses */
/* Lets this process grow by so many bytes. */
static void limit_memory(size_t bytes) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  WANT(file != NULL && fscanf(file, "%lu", &pages) == 1 && fclose(file) == 0);
  const rlim_t most = pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes;
  WANT(setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) == 0);
}

static void open_without_memory(const char *key) {
  enum { LONG = 64 << 20 };
  struct cs_cache_entry *entry;
  struct cs_error error;
  char *text = malloc(LONG);
  WANT(text != NULL);
  memset(text, key[0], LONG - 1);
  text[LONG - 1] = '\0';
  cs_cache_prepare();
  limit_memory(LONG / 4);
  WANT(cs_cache_open(text, CS_CACHE_FILES, NULL, &entry, &error) == CS_DEVICE && entry == NULL);
  WANT(strcmp(error.message, "out of memory") == 0);
  free(text);
}

/* A lack of memory is told: programs that are silently not kept cost the next process its time. */
Test(cache, says_that_memory_is_short) {
  open_case();
  do_in_child(open_without_memory, "long");
  cr_expect_eq(list(kept, ".lock", NULL, 0), 0);
  close_case();
}
#endif
