#include "interrupt.h"

#include <stddef.h>

/* The one variable of the program that is not passed along: a signal handler gets nothing else to write to. */
static volatile sig_atomic_t interrupted;

static void remember(int signal) {
  (void)signal;
  interrupted = 1;
}

const volatile sig_atomic_t *cs_interrupt_catch(void) {
  /* SA_RESETHAND: the next one has its usual effect. */
  struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESETHAND | SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &interrupted;
}
