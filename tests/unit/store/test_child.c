/* Work in a process of its own: whatever becomes of it, this one goes on and knows. */
#include "child.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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
