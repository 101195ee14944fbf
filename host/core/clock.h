/* Time that passes. */
#ifndef COSWEEP_CLOCK_H
#define COSWEEP_CLOCK_H

/* Seconds on a monotonic clock. */
double cs_clock_seconds(void);
/* Seconds that all threads of this process have computed. */
double cs_clock_core_seconds(void);

#endif
