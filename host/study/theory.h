/* Orders of convergence that theory expects of the runs in a result file, by the rules of docs/methods.md section 6.
 * Where these say nothing, nothing is expected. */
#ifndef COSWEEP_THEORY_H
#define COSWEEP_THEORY_H

#include <stddef.h>

#include "runs.h"

struct cs_theory;

/* Reads the model from the provenance of the runs' table; `runs` is borrowed. CS_IO where model or sweep are not there
 * or no JSON: the file is not a result of cosweep. Of a model that another version has written and this one refuses,
 * nothing is expected. */
int cs_theory_open(const struct cs_runs *runs, struct cs_theory **theory, struct cs_error *error);
void cs_theory_free(struct cs_theory *theory);

/* Order along axis number `axis` of a metric (its row in metric.h) of signal number `signal`, of the runs that share
 * the settings of run number `run` along all other axes. Infinite: the metric is zero but for rounding; NaN: theory
 * says nothing. */
double cs_theory_order(const struct cs_theory *theory, size_t axis, size_t run, int metric, size_t signal);

#endif
