/* Time that passes. */
#ifndef COSWEEP_CLOCK_H
#define COSWEEP_CLOCK_H

/* Seconds on a monotonic clock. */
double cs_clock_seconds(void);

#endif
