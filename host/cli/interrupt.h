/* Ctrl-C: the first asks the run to stop, the second ends the process. */
#ifndef COSWEEP_INTERRUPT_H
#define COSWEEP_INTERRUPT_H

#include <signal.h>

/* Catches SIGINT and SIGTERM from now on; the value returned becomes non-zero when the first arrives. */
const volatile sig_atomic_t *cs_interrupt_catch(void);

#endif
