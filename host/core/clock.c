#include "clock.h"

#include <time.h>

static double seconds_on(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cs_clock_seconds(void) {
  return seconds_on(CLOCK_MONOTONIC);
}

double cs_clock_core_seconds(void) {
  return seconds_on(CLOCK_PROCESS_CPUTIME_ID);
}
