/* Random runs over pairs of settings, by the engine and by the plain reference. */
#ifndef COSWEEP_TESTS_PAIR_RUN_H
#define COSWEEP_TESTS_PAIR_RUN_H

#include <stddef.h>

/* Takes rows of covering arrays, runs a random network with each and compares all metrics that the program writes and
 * the reference has; prints what was covered and compared. Stiff networks and latencies of many steps are for the
 * reference in quadruple precision, all others for the usual one: each leaves the other's rows out. Fails the running
 * test if any value is beyond tolerance.
 *
 * COSWEEP_ROUNDS in the environment: so many rows, in place of `rows`; 0: one array. COSWEEP_FIRST: from this row on.
 * COSWEEP_SEED: other rows. COSWEEP_PAIRS: a folder for the model and the sweep of what deviates. */
void pair_compare(size_t rows);

#endif
