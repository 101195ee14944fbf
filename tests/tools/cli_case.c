#define _XOPEN_SOURCE 700
#include "cli_case.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

#ifndef COSWEEP_PROGRAM
#define COSWEEP_PROGRAM "cosweep"
#endif

/* Below `directory`: `work`, the working directory, and what children print. */
static char directory[] = "/tmp/cosweep-cli-XXXXXX";
static int children;

static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"ring\", \"parameters\": {\"p\": 1, \"q\": 1},\n"
    " \"subsystems\": [\n"
    "  {\"name\": \"lag\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "   \"A\": [[\"-sqrt(p)\"]], \"B\": [[\"q\"]], \"C\": [[1]], \"x0\": [1]},\n"
    "  {\"name\": \"integrator\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "   \"A\": [[0]], \"B\": [[-1]], \"C\": [[1]]}],\n"
    " \"connections\": [{\"from\": \"lag.y\", \"to\": \"integrator.u\"},"
    " {\"from\": \"integrator.y\", \"to\": \"lag.u\"}]}\n";

static const char *program(void) {
  const char *given = getenv("COSWEEP_PROGRAM");
  return given != NULL ? given : COSWEEP_PROGRAM;
}

/* ---- files */

void cli_case_write(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  cr_assert_not_null(file, "cannot write %s", name);
  cr_assert_geq(fputs(text, file), 0);
  cr_assert_eq(fclose(file), 0);
}

void cli_case_sweep(const char *file, const char *name, double step, double t_end, const char *axes,
                    const char *metrics) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"%s\", \"model\": \"model.json\",\n"
              " \"study\": \"simulation\", \"t_end\": %.17g,\n"
              " \"method\": {\"engine\": \"step\", \"step\": {\"control\": \"fixed\", \"size\": %.17g}},\n"
              " \"axes\": [%s],\n \"metrics\": [%s]}\n",
              name, t_end, step, axes, metrics);
  cr_assert(!text.failed);
  cli_case_write(file, text.data);
  cs_text_free(&text);
}

void cli_case_open(void) {
  cr_assert_not_null(mkdtemp(directory));
  cr_assert_eq(chdir(directory), 0);
  cr_assert_eq(chmod(".", 0755), 0);
  cr_assert_eq(mkdir("work", 0755), 0);
  cr_assert_eq(chdir("work"), 0);
  cli_case_write("model.json", model);
  cli_case_sweep("sweep.json", "small", 0.1, 1,
                 "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2, 3, 4]}",
                 "\"output_error\", \"steps\"");
}

/* Removes what is in a directory, one level deep, and then itself. */
static void remove_directory(const char *path) {
  DIR *list = opendir(path);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    char file[512];
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(file) != 0)
      remove_directory(file);
  }
  if (list != NULL) closedir(list);
  rmdir(path);
}

void cli_case_close(void) {
  cr_expect_eq(chdir("/"), 0);
  remove_directory(directory);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

char *cli_case_files(void) {
  enum { MOST = 64 };
  char *name[MOST];
  size_t count = 0;
  struct cs_text text = {0};
  DIR *list = opendir(".");
  cr_assert_not_null(list);
  for (struct dirent *entry; (entry = readdir(list)) != NULL && count < MOST;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      name[count++] = cs_text_copy(entry->d_name);
  closedir(list);
  qsort(name, count, sizeof *name, by_name);
  for (size_t i = 0; i < count; i++) {
    cs_text_add(&text, "%s%s", i > 0 ? " " : "", name[i]);
    free(name[i]);
  }
  cr_assert(!text.failed && text.data != NULL);
  return text.data;
}

static void wait_a_little(void) {
  const struct timespec tenth = {.tv_nsec = 100000000};
  nanosleep(&tenth, NULL);
}

bool cli_case_has(const char *name) {
  glob_t found;
  const bool there = glob(name, 0, NULL, &found) == 0;
  globfree(&found);
  return there;
}

void cli_case_await(const char *name) {
  for (int i = 0; i < 600; i++) {
    if (cli_case_has(name)) return;
    wait_a_little();
  }
  cr_assert_fail("there is no %s after 60 s", name);
}

static char *read_all(int fd) {
  struct cs_text text = {0};
  char block[4096];
  ssize_t length;
  cs_text_add(&text, "%s", "");
  while ((length = read(fd, block, sizeof block)) > 0)
    cs_text_append(&text, block, (size_t)length);
  cr_assert(!text.failed);
  close(fd);
  return text.data;
}

static char *read_file(const char *path) {
  const int fd = open(path, O_RDONLY);
  cr_assert_geq(fd, 0, "cannot read %s", path);
  return read_all(fd);
}

/* ---- children */

/* In the child; does not return. */
static void become(const char *words, const struct cli_how *how, const struct cli_child *child) {
  enum { MOST = 64, PATIENCE = 200 };
  static const uid_t nobody = 65534;
  char *line = cs_text_copy(words), *word[MOST] = {(char *)program()}, *rest = line;
  size_t count = 1;
  for (char *next; count + 1 < MOST && (next = strtok_r(rest, " ", &rest)) != NULL;)
    word[count++] = next;
  const char *err = child->terminal >= 0 ? ptsname(child->terminal) : child->err;
  const int out = open(how->out != NULL ? how->out : child->out, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int fd = open(err, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY, 0644);
  if (out < 0 || fd < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0) _exit(126);
  if (how->environment != NULL) putenv((char *)how->environment);
  if (how->unprivileged && getuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(126);
  for (int closed = STDIN_FILENO; closed <= STDERR_FILENO && how->closed; closed++)
    close(closed);
  const struct rlimit limit = {how->largest_file, how->largest_file};
  if (how->largest_file > 0 && setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(126);
  alarm(PATIENCE); /* so that no child outlives a test that is given up */
  execvp(word[0], word);
  _exit(127);
}

static int open_terminal(void) {
  const int fd = posix_openpt(O_RDWR | O_NOCTTY);
  if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0) cr_skip_test("this machine has no pseudo-terminals");
  return fd;
}

struct cli_child cli_start(const char *words, const struct cli_how *how) {
  static const struct cli_how plain;
  struct cli_child child = {.terminal = -1};
  if (how == NULL) how = &plain;
  if (how->terminal) child.terminal = open_terminal();
  snprintf(child.out, sizeof child.out, "%s/out.%d", directory, children);
  snprintf(child.err, sizeof child.err, "%s/err.%d", directory, children++);
  child.pid = fork();
  cr_assert_geq(child.pid, 0);
  if (child.pid == 0) become(words, how, &child);
  return child;
}

struct cli_result cli_end(struct cli_child *child) {
  struct cli_result result = {0};
  int status = 0;
  /* A terminal is read to its end first, or the child would wait for a reader. */
  if (child->terminal >= 0) result.err = read_all(child->terminal);
  cr_assert_eq(waitpid(child->pid, &status, 0), child->pid);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  if (result.err == NULL) result.err = read_file(child->err);
  result.out = access(child->out, F_OK) == 0 ? read_file(child->out) : cs_text_copy("");
  cr_assert(result.status != 126 && result.status != 127, "cannot start %s", program());
  return result;
}

struct cli_result cli_run_how(const char *words, const struct cli_how *how) {
  struct cli_child child = cli_start(words, how);
  return cli_end(&child);
}

struct cli_result cli_run(const char *words) {
  return cli_run_how(words, NULL);
}

void cli_free(struct cli_result *result) {
  free(result->out);
  free(result->err);
  *result = (struct cli_result){0};
}

void cli_expect(const char *words, int status, const char *message) {
  struct cli_result got = cli_run(words);
  cr_expect_eq(got.status, status, "%s: %d\n%s", words, got.status, got.err);
  cr_expect_not_null(strstr(status == 0 ? got.out : got.err, message), "\"%s\" is not in\n%s%s", message, got.out,
                     got.err);
  cli_free(&got);
}
