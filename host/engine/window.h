/* Windows: runs of a sweep with consecutive numbers, which are planned and computed before the next ones are, so that
 * memory need not grow with the sweep. */
#ifndef COSWEEP_WINDOW_H
#define COSWEEP_WINDOW_H

#include "options.h"
#include "sweep.h"
#include "table.h"

/* Runs of a window: a function of the sweep and of the options, on which results do not depend. */
size_t cs_window_runs(const struct cs_sweep *sweep, const struct cs_engine_options *options);

/* Bytes of the two plans that there are while a window of so many runs is computed, its own and the next one's. */
double cs_window_bytes(const struct cs_sweep *sweep, size_t runs);

struct cs_window {
  struct cs_sweep sweep; /* its runs, as a sweep of their own */
  struct cs_table table; /* their place in the arrays over all runs: borrowed but the list; or arrays of their own */
  bool owns;
};

/* `table`: of the whole sweep (cs_result_new). `apart`, or where its numbers are not in memory: with arrays of their
 * own, metrics NaN, counts 0. */
int cs_window_open(const struct cs_sweep *sweep, const struct cs_table *table, size_t first, size_t runs, bool apart,
                   struct cs_window *window, struct cs_error *error);
/* Puts numbers that are to be in the table's file there. `table`, `first`: as for cs_window_open. */
int cs_window_keep(const struct cs_window *window, struct cs_table *table, size_t first, struct cs_error *error);
void cs_window_close(struct cs_window *window);

#endif
