/* Numbers that were derived from networks, found again by what they follow from: plans of points number their networks
 * anew, and most of them have those of the plan before. From any thread. */
#ifndef COSWEEP_RECALL_H
#define COSWEEP_RECALL_H

#include "network.h"

struct cs_recall;

int cs_recall_new(struct cs_recall **recall, struct cs_error *error);
/* NULL is allowed. */
void cs_recall_free(struct cs_recall *recall);

/* Copies what was kept for a layout, which must still be the same one, and the numbers of a network, packed [count] as
 * in network.h: derived [items], as many as were kept. False if nothing was. */
bool cs_recall_find(struct cs_recall *recall, const struct cs_layout *layout, const double *packed, size_t count,
                    double *derived, size_t items);
/* Keeps a copy of both. When there are too many, all earlier ones are forgotten. */
int cs_recall_keep(struct cs_recall *recall, const struct cs_layout *layout, const double *packed, size_t count,
                   const double *derived, size_t items, struct cs_error *error);

#endif
