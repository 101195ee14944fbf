/* A result made by hand, for figures. */
#ifndef COSWEEP_TESTS_FIGURE_CASE_H
#define COSWEEP_TESTS_FIGURE_CASE_H

#include <stdbool.h>

#include "figure.h"
#include "table.h"

enum { SOLVERS = 2, ORDERS = 3, STEPS = 9, OUTPUTS = 2 };

/* The step sizes, from 0.001 to 0.1. */
double figure_case_step(size_t i);

/* output_error = (1 + solver) 10^output H^(order + 1), of outputs in m and in N; the run with solver euler, order 1 and
 * the third H failed; order 2 of euler is zero. `fitted`: with orders, order + 1, of euler 7. Title: "A title". */
struct cs_table *figure_case_table(bool fitted);

/* What the legend says of a curve, until the next call. */
const char *figure_case_entry(const struct cs_figure_curve *curve);

#endif
