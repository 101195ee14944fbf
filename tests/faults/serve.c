/* Commands of the program on request, each in a process of its own that begins where the program's main does: without
 * loading libraries anew, which takes longer than a command that reads a small file.
 *
 * usage: serve SECONDS
 *        serve --slim FILE.h5 NEW.h5
 *
 * For each line of standard input, the words of a command separated by tabs, runs the command with its output in the
 * files `out` and `err` of the working directory, and prints the status of waitpid, or `late` where it did not end in
 * sixty times SECONDS; SIGXCPU ends it after SECONDS of computing.
 *
 * --slim writes a result anew with shortened texts of kernels, which are most of a small file and which nobody parses.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "store.h"

enum { MOST_WORDS = 16, MOST_CHARACTERS = 4096, PATIENCE = 60, KEPT = 64 };

/* ---- commands */

static void redirect(int fd, const char *path) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, fd) != fd || close(file) != 0) _exit(99);
}

/* In the process of a command. */
static void be_command(char *line, rlim_t seconds) {
  const struct rlimit limits = {.rlim_cur = seconds, .rlim_max = seconds + 1};
  char *word[MOST_WORDS];
  int words = 0;
  for (char *w = strtok(line, "\t\n"); w != NULL && words < MOST_WORDS; w = strtok(NULL, "\t\n"))
    word[words++] = w;
  redirect(STDOUT_FILENO, "out");
  redirect(STDERR_FILENO, "err");
  if (freopen("/dev/null", "r", stdin) == NULL || setrlimit(RLIMIT_CPU, &limits) != 0 || setpgid(0, 0) != 0) _exit(99);
  exit(cs_cli(words, word));
}

static void be_late(int signal) {
  (void)signal; /* waitpid ends */
}

/* Prints what became of the command. Its process leads a group, so that none of its children is left. */
static void await(pid_t command, unsigned seconds) {
  int status = 0;
  alarm(seconds);
  const pid_t ended = waitpid(command, &status, 0);
  alarm(0);
  if (ended == command) {
    printf("%d\n", status);
  } else {
    kill(-command, SIGKILL);
    while (waitpid(command, &status, 0) < 0 && errno == EINTR)
      continue;
    puts("late");
  }
  fflush(stdout);
}

static int serve(unsigned seconds) {
  static char line[MOST_CHARACTERS];
  const struct sigaction late = {.sa_handler = be_late};
  if (seconds == 0 || sigaction(SIGALRM, &late, NULL) != 0) return 2;
  while (fgets(line, sizeof line, stdin) != NULL) {
    const pid_t command = fork();
    if (command == 0) be_command(line, seconds);
    if (command < 0) return 4;
    await(command, PATIENCE * seconds);
  }
  return 0;
}

/* ---- small files */

static int slim(const char *from, const char *to) {
  struct cs_error error = {0};
  struct cs_table *table = NULL;
  struct cs_store *store = NULL;
  int code = cs_store_read(from, &table, &error);
  const struct cs_note *kernels = code == CS_OK ? cs_table_find_note(table, "kernel") : NULL;
  for (size_t i = 0; kernels != NULL && i < kernels->count; i++)
    if (strlen(kernels->text[i]) > KEPT) kernels->text[i][KEPT] = '\0';
  if (code == CS_OK) code = cs_store_open(to, 1, &store, &error);
  if (code == CS_OK) code = cs_store_commit(store, table, &error);
  cs_store_close(store);
  cs_table_free(table);
  if (code != CS_OK) fprintf(stderr, "serve: %s\n", error.message);
  return code;
}

int main(int words, char **word) {
  if (words == 4 && strcmp(word[1], "--slim") == 0) return slim(word[2], word[3]);
  if (words == 2) return serve((unsigned)strtoul(word[1], NULL, 10));
  fputs("usage: serve SECONDS | serve --slim FILE.h5 NEW.h5\n", stderr);
  return 2;
}
