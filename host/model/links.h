/* The connections of a model one by one. */
#ifndef COSWEEP_LINKS_H
#define COSWEEP_LINKS_H

#include "model.h"

struct cs_link {
  size_t from, to; /* output, input */
  double gain;
};

/* At most so many. */
size_t cs_links_room(const struct cs_model *model);
/* Those from outputs, in the order of the file, also with the gain 0, and those of lines: link [*count]. parameters: as
 * from cs_model_parameters. */
int cs_links_read(const struct cs_model *model, const double *parameters, struct cs_link *link, size_t *count,
                  struct cs_error *error);

#endif
