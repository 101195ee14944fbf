/* Parts of an explanation; each fills its fields (explain.h). */
#ifndef COSWEEP_EXPLAIN_PRIVATE_H
#define COSWEEP_EXPLAIN_PRIVATE_H

#include "explain.h"

int cs_explain_fill_loops(struct cs_explanation *explanation, struct cs_error *error);
int cs_explain_fill_modes(struct cs_explanation *explanation, struct cs_error *error);
int cs_explain_fill_limits(struct cs_explanation *explanation, struct cs_error *error);
int cs_explain_fill_leading(struct cs_explanation *explanation, struct cs_error *error);
int cs_explain_fill_merges(struct cs_explanation *explanation, struct cs_error *error);

/* The rows of the table of limits, without their limits. */
int cs_explain_list_rows(struct cs_explanation *explanation, struct cs_error *error);
/* The approach of --for in another network: its sequence, if it needs one, is that of the subsystems, [parts]. */
struct cs_approach cs_explain_approach_for(const struct cs_explanation *explanation, const size_t *sequence);

#endif
