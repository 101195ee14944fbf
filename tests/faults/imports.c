/* `cosweep import` of damaged files, many in one process: what `serve` does for every command, without the two
 * processes for each file, which are most of the time under AddressSanitizer.
 *
 * usage: imports SECONDS
 *
 * Reads and answers what `serve` does, for the command `import FILE.mat ... MODEL.json` alone. A process reads up to
 * MANY files by itself, also what the product has read in a process of its own. Where it ends or has computed for
 * SECONDS, the file is read once more as the product does, and that is the answer; `err` says what happened before.
 * Each file has to be a new one (inode): HDF5 would find again what it has left open of the last one.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "import.h"

enum { MOST_WORDS = 16, MOST_CHARACTERS = 4096, PATIENCE = 60, MANY = 200 };

/* ---- what the linker calls instead of the functions of child.h (--wrap) */

int __real_cs_child_open(void (*work)(FILE *to, void *context), void *context, struct cs_child *child,
                         struct cs_error *error);
bool __real_cs_child_close(struct cs_child *child, struct cs_text *why);
void __real_cs_child_limit_memory(size_t bytes);
void __real_cs_child_limit_time(double seconds);
int __wrap_cs_child_open(void (*work)(FILE *to, void *context), void *context, struct cs_child *child,
                         struct cs_error *error);
bool __wrap_cs_child_close(struct cs_child *child, struct cs_text *why);
void __wrap_cs_child_limit_memory(size_t bytes);
void __wrap_cs_child_limit_time(double seconds);

static bool inside; /* this process does the work of its children */
static char *said;  /* what the last one would have written */

int __wrap_cs_child_open(void (*work)(FILE *to, void *context), void *context, struct cs_child *child,
                         struct cs_error *error) {
  size_t length = 0;
  if (!inside) return __real_cs_child_open(work, context, child, error);
  FILE *to = open_memstream(&said, &length);
  if (to == NULL) return cs_error_memory(error);
  work(to, context);
  fclose(to);
  *child = (struct cs_child){.from = fmemopen(said, length, "rb")};
  return child->from != NULL ? CS_OK : cs_error_memory(error);
}

bool __wrap_cs_child_close(struct cs_child *child, struct cs_text *why) {
  if (!inside) return __real_cs_child_close(child, why);
  fclose(child->from);
  free(said);
  said = NULL;
  return true;
}

void __wrap_cs_child_limit_memory(size_t bytes) {
  if (!inside) __real_cs_child_limit_memory(bytes);
}

void __wrap_cs_child_limit_time(double seconds) {
  if (!inside) __real_cs_child_limit_time(seconds);
}

/* ---- a file */

static int write_text(const char *path, const struct cs_text *text, struct cs_error *error) {
  FILE *file = fopen(path, "wb");
  const bool whole = file != NULL && fwrite(text->data, 1, text->length, file) == text->length;
  return file != NULL && fclose(file) == 0 && whole ? CS_OK : cs_error_set(error, CS_IO, "%s: cannot be written", path);
}

/* What the command does after it has written a model: reads it as `check` does. */
static int look(const char *path, const struct cs_text *bytes, struct cs_error *error) {
  struct cs_json *json = NULL;
  struct cs_model *model = NULL;
  struct cs_text text = {0};
  int code = cs_json_parse(path, bytes->data, bytes->length, &json, error);
  if (code == CS_OK) code = cs_model_read(json, &model, error);
  if (code == CS_OK) code = cs_model_check_values(model, error);
  if (code == CS_OK) code = cs_import_add_summary(model, &text, error);
  cs_text_free(&text);
  cs_model_free(model);
  return code;
}

/* The command's exit status. */
static int import(char *line) {
  struct cs_text model = {0}, warnings = {0};
  struct cs_error error = {0};
  const char *word[MOST_WORDS] = {NULL};
  int words = 0;
  for (char *w = strtok(line, "\t\n"); w != NULL && words < MOST_WORDS; w = strtok(NULL, "\t\n"))
    word[words++] = w;
  if (words < 3 || strcmp(word[0], "import") != 0) _exit(99);
  const struct cs_import_wish wish = {.file = word + 1, .files = 1};
  const char *output = word[words - 1];
  int code = cs_import_write(&wish, &model, &warnings, &error);
  if (code == CS_OK) code = look(output, &model, &error);
  if (code == CS_OK) code = write_text(output, &model, &error);
  cs_text_make_plain(&warnings);
  if (code == CS_OK)
    fputs(cs_text_string(&warnings), stderr);
  else
    fprintf(stderr, "%s\n", error.message);
  cs_text_free(&model);
  cs_text_free(&warnings);
  return code;
}

/* ---- many files in one process */

struct worker {
  FILE *to, *from;
  pid_t process;
  int files;
};

static void work(FILE *from, FILE *to, rlim_t seconds) {
  static char line[MOST_CHARACTERS];
  const struct itimerval time = {.it_value.tv_sec = (time_t)seconds}, never = {0};
  inside = true;
  while (fgets(line, sizeof line, from) != NULL) {
    setitimer(ITIMER_PROF, &time, NULL);
    const int status = import(line);
    setitimer(ITIMER_PROF, &never, NULL);
    fprintf(to, "%d\n", status);
    fflush(to);
  }
  _exit(0);
}

static void begin(struct worker *w, unsigned seconds) {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) exit(4);
  w->process = fork();
  if (w->process < 0) exit(4);
  if (w->process == 0) {
    close(there[1]);
    close(back[0]);
    work(fdopen(there[0], "r"), fdopen(back[1], "w"), seconds);
  }
  close(there[0]);
  close(back[1]);
  w->to = fdopen(there[1], "w");
  w->from = fdopen(back[0], "r");
  w->files = 0;
}

/* Returns the status of waitpid. */
static int end(struct worker *w) {
  int status = 0;
  fclose(w->to);
  fclose(w->from);
  while (waitpid(w->process, &status, 0) < 0 && errno == EINTR)
    continue;
  w->process = 0;
  return status;
}

/* Whether the process has answered; it ends where not. */
static bool ask(struct worker *w, const char *line, unsigned seconds, int *status) {
  char answer[16];
  if (w->process == 0) begin(w, seconds);
  alarm(PATIENCE * seconds);
  const bool answered = fputs(line, w->to) >= 0 && fflush(w->to) == 0 && fgets(answer, sizeof answer, w->from) != NULL;
  alarm(0);
  if (answered) {
    *status = atoi(answer) << 8;
    if (++w->files == MANY) end(w);
    return true;
  }
  kill(w->process, SIGKILL); /* in vain where it has ended */
  const int ended = end(w);
  fprintf(stderr, "\nimports: the process of many files ended: %s %d\n", WIFSIGNALED(ended) ? "signal" : "status",
          WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended));
  return false;
}

/* ---- one file, as the product reads it */

static int read_alone(char *line, unsigned seconds, bool *late) {
  const struct rlimit limits = {.rlim_cur = seconds, .rlim_max = seconds + 1};
  int status = 0;
  const pid_t command = fork();
  if (command < 0) exit(4);
  if (command == 0) {
    if (setrlimit(RLIMIT_CPU, &limits) != 0 || setpgid(0, 0) != 0) _exit(99);
    _exit(import(line));
  }
  alarm(PATIENCE * seconds);
  *late = waitpid(command, &status, 0) != command;
  alarm(0);
  if (*late) kill(-command, SIGKILL);
  while (*late && waitpid(command, &status, 0) < 0 && errno == EINTR)
    continue;
  return status;
}

static void be_late(int signal) {
  (void)signal; /* what waits ends */
}

int main(int words, char **word) {
  static char line[MOST_CHARACTERS];
  struct worker worker = {0};
  const unsigned seconds = words == 2 ? (unsigned)strtoul(word[1], NULL, 10) : 0;
  const struct sigaction late = {.sa_handler = be_late}, ignore = {.sa_handler = SIG_IGN};
  if (seconds == 0 || fclose(fopen("out", "w")) != 0 || freopen("err", "a", stderr) == NULL) {
    fputs("usage: imports SECONDS\n", stderr);
    return 2;
  }
  setvbuf(stderr, NULL, _IONBF, 0);
  sigaction(SIGALRM, &late, NULL);
  sigaction(SIGPIPE, &ignore, NULL);
  while (fgets(line, sizeof line, stdin) != NULL) {
    int status = 0;
    bool was_late = false;
    if (truncate("err", 0) != 0) return 4;
    if (!ask(&worker, line, seconds, &status)) status = read_alone(line, seconds, &was_late);
    if (was_late)
      puts("late");
    else
      printf("%d\n", status);
    fflush(stdout);
  }
  if (worker.process != 0) end(&worker);
  return 0;
}
