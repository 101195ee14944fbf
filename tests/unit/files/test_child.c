/* Work in a process of its own: whatever becomes of it, this one goes on and knows. */
#include "child.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void answer(FILE *to, void *context) {
  fputs(context, to);
}

static void crash(FILE *to, void *context) {
  fputs("before", to);
  fflush(to);
  raise(*(int *)context);
}

static void loop(FILE *to, void *context) {
  volatile const int *stop = context;
  cs_child_limit_time(0.0);
  while (!*stop) {
  }
  fputs("stopped", to);
}

/* Asks for more than it may have. */
static void devour(FILE *to, void *context) {
  cs_child_limit_memory(1 << 26);
  char *volatile block = malloc(*(size_t *)context);
  fputs(block == NULL ? "none" : "all", to);
  free(block);
}

static void expect(void (*work)(FILE *to, void *context), void *context, const char *said, const char *end) {
  struct cs_child child;
  struct cs_error error = {0};
  struct cs_text why = {0};
  char line[64] = "";
  cr_assert_eq(cs_child_open(work, context, &child, &error), CS_OK, "%s", error.message);
  fgets(line, sizeof line, child.from);
  cs_child_close(&child, &why);
  cr_expect_str_eq(line, said);
  cr_expect(strncmp(cs_text_string(&why), end, strlen(end)) == 0 && (end[0] != '\0' || why.length == 0), "%s",
            cs_text_string(&why));
  cs_text_free(&why);
}

TestSuite(child, .timeout = 60);

Test(child, its_answer_comes) {
  expect(answer, "yes", "yes", "");
}

Test(child, its_crash_is_reported) {
  static int deaths[] = {SIGKILL, SIGABRT};
  expect(crash, &deaths[0], "before", "crashed (Killed)");
  expect(crash, &deaths[1], "before", "crashed (Aborted)");
}

Test(child, an_endless_loop_ends) {
  static int never = 0;
  expect(loop, &never, "", "did not come to an end");
}

/* As in the program, which waits for this signal in a thread. */
Test(child, an_endless_loop_ends_where_its_signal_is_blocked) {
  static int never = 0;
  sigset_t times;
  sigemptyset(&times);
  sigaddset(&times, SIGXCPU);
  sigprocmask(SIG_BLOCK, &times, NULL);
  expect(loop, &never, "", "did not come to an end");
}

Test(child, memory_is_limited) {
#if !defined(__SANITIZE_ADDRESS__)
  static size_t little = 1 << 20, much = (size_t)1 << 32;
  expect(devour, &little, "all", "");
  expect(devour, &much, "none", "");
#else
  (void)devour;
#endif
}

/* It has more to say than a pipe holds. */
static void talk(FILE *to, void *context) {
  for (int i = 0; i < 1 << 20; i++)
    fputs(context, to);
}

Test(child, it_may_be_left_in_the_middle) {
  expect(talk, "line\n", "line\n", "crashed (Broken pipe)");
}

/* Its pipe fails. */
static void mumble(FILE *to, void *context) {
  close(fileno(to));
  fputs(context, to);
}

Test(child, what_it_cannot_say_is_known) {
  struct cs_child child;
  struct cs_error error = {0};
  struct cs_text why = {0};
  cr_assert_eq(cs_child_open(mumble, "no", &child, &error), CS_OK, "%s", error.message);
  cr_expect_eq(fgetc(child.from), EOF);
  cr_expect_not(cs_child_close(&child, &why));
  cr_assert_eq(cs_child_open(answer, "yes", &child, &error), CS_OK, "%s", error.message);
  cr_expect_eq(fgetc(child.from), 'y');
  cr_expect(cs_child_close(&child, &why));
  cr_expect_eq(why.length, 0);
}

/* ---- programs that may do anything */

static void wait_long(FILE *to, void *context) {
  sigset_t none;
  (void)to;
  cs_child_limit_wait(*(double *)context);
  sigemptyset(&none);
  for (;;)
    sigsuspend(&none);
}

Test(child, what_only_waits_ends) {
  static double short_time = 0.5;
  expect(wait_long, &short_time, "", "did not come to an end");
}

static void leave(FILE *to, void *context) {
  char byte;
  (void)context;
  cs_child_leave();
  fputs(getsid(0) == getpid() && open("/dev/tty", O_RDWR) < 0 && read(0, &byte, 1) == 0 && write(1, "x", 1) == 1 &&
                isatty(2) == 0
            ? "alone"
            : "beside",
        to);
}

Test(child, it_can_leave_the_terminal) {
  expect(leave, NULL, "alone", "");
}

Test(child, its_exit_status_is_known) {
  static const struct {
    void (*work)(FILE *to, void *context);
    int status;
  } cases[] = {{answer, 0}, {mumble, 1}, {crash, -1}};
  static int death = SIGKILL;
  for (size_t i = 0; i < 3; i++) {
    struct cs_child child;
    struct cs_error error = {0};
    struct cs_text why = {0};
    void *contexts[] = {"yes", "no", &death};
    cr_assert_eq(cs_child_open(cases[i].work, contexts[i], &child, &error), CS_OK, "%s", error.message);
    while (fgetc(child.from) != EOF) {
    }
    cs_child_close(&child, &why);
    cr_expect_eq(child.exit, cases[i].status);
    cs_text_free(&why);
  }
}

/* Leaves a process that has a pipe open for ever. */
static void leave_another(FILE *to, void *context) {
  const int *ends = context;
  cs_child_leave();
  close(ends[0]);
  const pid_t other = fork();
  if (other == 0) close(fileno(to));
  while (other == 0)
    pause();
  fputs("left", to);
}

static void expect_end_of(int ends[2]) {
  char byte;
  close(ends[1]);
  cr_expect_eq(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

Test(child, what_it_leaves_ends) {
  static int ends[2];
  cr_assert_eq(pipe(ends), 0);
  expect(leave_another, ends, "left", "");
  expect_end_of(ends);
}

static void stay(FILE *to, void *context) {
  const int *ends = context;
  cs_child_leave();
  close(ends[0]);
  fputs("here", to);
  fflush(to);
  for (;;)
    pause();
}

Test(child, it_ends_with_its_parent) {
  static int ends[2];
  cr_assert_eq(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    struct cs_child child;
    struct cs_error error;
    if (cs_child_open(stay, ends, &child, &error) != CS_OK || fgetc(child.from) != 'h') _exit(1);
    raise(SIGKILL);
  }
  cr_assert_eq(waitpid(parent, NULL, 0), parent);
  expect_end_of(ends);
}
