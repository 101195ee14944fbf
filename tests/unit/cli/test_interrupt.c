#include "interrupt.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child: how it ends after so many signals; those that it survives have to be noticed. */
static int end_of(int signal, int times) {
  int status = 0;
  const pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) {
    const volatile sig_atomic_t *interrupted = cs_interrupt_catch();
    if (*interrupted != 0) _exit(2);
    for (int i = 0; i < times; i++)
      raise(signal);
    _exit(*interrupted != 0 ? 0 : 1);
  }
  cr_assert_eq(waitpid(child, &status, 0), child);
  return status;
}

Test(interrupt, the_first_is_noticed_and_the_second_ends_the_process) {
  static const int signals[] = {SIGINT, SIGTERM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    const int once = end_of(signals[i], 1), twice = end_of(signals[i], 2);
    cr_expect(WIFEXITED(once) && WEXITSTATUS(once) == 0, "signal %d: status %d", signals[i], once);
    cr_expect(WIFSIGNALED(twice) && WTERMSIG(twice) == signals[i], "signal %d twice: status %d", signals[i], twice);
  }
}
