/* Ctrl-C, politely: the first one asks the run to stop, the second ends the process. */
#ifndef COSWEEP_INTERRUPT_H
#define COSWEEP_INTERRUPT_H

#include <signal.h>

/* Catches SIGINT and SIGTERM from now on; what is returned becomes non-zero with the first of them. */
const volatile sig_atomic_t *cs_interrupt_catch(void);

#endif
