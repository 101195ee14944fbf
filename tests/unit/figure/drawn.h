/* Figures drawn for tests, and what is found in them. */
#ifndef COSWEEP_TESTS_DRAWN_H
#define COSWEEP_TESTS_DRAWN_H

#include "figure.h"

/* A figure, for the caller to free; a request that is refused fails the test. */
struct cs_figure *draw(const struct cs_table *table, const struct cs_figure_request *request);
/* Curves beside reference triangles. */
size_t count_series(const struct cs_figure_panel *panel);
/* The first curve of an ink, or NULL. */
const struct cs_figure_curve *find_ink(const struct cs_figure_panel *panel, enum cs_figure_ink ink);
/* Expects that the legend says this of a curve. */
void expect_entry(const struct cs_figure_curve *curve, const char *want);

#endif
