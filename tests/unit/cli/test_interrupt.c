#include "interrupt.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "litter.h"

static const volatile sig_atomic_t never;

/* In a child: its exit status after so many signals. It stops by itself if `stops` and then, when a signal was noticed,
 * ends with 0; otherwise it is busy for a minute. */
static int end_of(int signal, int times, bool stops, int status_of_command) {
  char file[] = "/tmp/cosweep-interrupt-XXXXXX";
  int status = 0;
  cr_assert_geq(mkstemp(file), 0);
  const struct timespec pause = {.tv_nsec = 10000000};
  const pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) {
    const volatile sig_atomic_t *interrupted = stops ? cs_interrupt_catch() : &never;
    if (cs_interrupt_watch(NULL) != CS_OK || *interrupted != 0) _exit(2);
    cs_litter_begin();
    cs_litter_note(file);
    cs_litter_end();
    if (status_of_command >= 0) cs_interrupt_finish(status_of_command);
    for (int i = 0; i < times; i++) {
      kill(getpid(), signal);
      nanosleep(&pause, NULL); /* one that is pending swallows the next */
    }
    if (stops && times == 1) _exit(cs_interrupt_came() && *interrupted == signal && unlink(file) == 0 ? 0 : 1);
    for (int i = 0; i < 6000; i++)
      nanosleep(&pause, NULL);
    _exit(3);
  }
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_expect_neq(access(file, F_OK), 0, "signal %d: the file is still there", signal);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGXFSZ};
enum { SIGNALS = sizeof signals / sizeof *signals };

Test(interrupt, the_first_is_noticed_and_the_second_ends_the_process) {
  for (size_t i = 0; i < SIGNALS; i++) {
    cr_expect_eq(end_of(signals[i], 1, true, -1), 0, "signal %d", signals[i]);
    cr_expect_eq(end_of(signals[i], 2, true, -1), CS_INTERRUPTED, "signal %d twice", signals[i]);
  }
}

/* As in a compiler, which knows nothing of a flag. */
Test(interrupt, ends_what_does_not_stop) {
  cr_expect_eq(end_of(SIGINT, 1, false, -1), CS_INTERRUPTED);
}

/* What was said to the user stays true. */
Test(interrupt, status_of_a_finished_command_stays) {
  cr_expect_eq(end_of(SIGINT, 2, true, CS_NO_RESULT), CS_NO_RESULT);
}

Test(interrupt, nohup_is_respected) {
  signal(SIGHUP, SIG_IGN);
  cr_assert_eq(cs_interrupt_watch(NULL), CS_OK);
  const volatile sig_atomic_t *interrupted = cs_interrupt_catch();
  kill(getpid(), SIGHUP);
  cr_expect(!cs_interrupt_came());
  cr_expect_eq(*interrupted, 0);
}
