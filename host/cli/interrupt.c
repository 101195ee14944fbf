#include "interrupt.h"

#include <stddef.h>

/* Global because a signal handler has no argument for it. */
static volatile sig_atomic_t interrupted;

static void remember(int signal) {
  (void)signal;
  interrupted = 1;
}

const volatile sig_atomic_t *cs_interrupt_catch(void) {
  /* SA_RESETHAND: the next signal has its default effect. */
  struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &interrupted;
}
