/* Orders of convergence expected of the runs in a result file, by the rules of docs/methods.md section 6. */
#ifndef COSWEEP_THEORY_H
#define COSWEEP_THEORY_H

#include <stdbool.h>
#include <stddef.h>

#include "runs.h"

struct cs_theory;

/* Reads the model from the provenance of the runs' table; `runs` is borrowed. CS_IO if the model or the sweep is
 * missing or not valid JSON, so that the file is not a result of cosweep. If this version rejects the model, no orders
 * are expected. cs_theory_free is needed even on failure. */
int cs_theory_open(const struct cs_runs *runs, struct cs_theory **theory, struct cs_error *error);
void cs_theory_free(struct cs_theory *theory);

/* Order along axis number `axis` of a metric (its row in metric.h; negative: none) for signal number `signal`, for the
 * runs that share all other settings with run number `run`. Infinite: the metric is zero up to rounding; NaN: no
 * expectation. */
double cs_theory_order(struct cs_theory *theory, size_t axis, size_t run, int metric, size_t signal);

/* Whether the model has events at given times, where polynomials through points begin anew. */
bool cs_theory_restarts(const struct cs_theory *theory);

#endif
