/* Configurations of a model, one mode of every subsystem each: those that events can lead to from where runs begin, by
 * "in" and "to" alone. */
#ifndef COSWEEP_CONFIGURATIONS_H
#define COSWEEP_CONFIGURATIONS_H

#include "model.h"

enum { CS_CONFIGURATIONS_MOST = 64, CS_CONFIGURATIONS_ENOUGH = 256 }; /* ENOUGH: it stops counting there */

struct cs_configurations {
  size_t subsystems, count;
  size_t *mode; /* [count][subsystems] into model->mode; SIZE_MAX for a subsystem without modes */
};

/* start [starts][subsystems]: where runs begin; the first ones of the result, in their order. NULL: in the first mode
 * of every subsystem. Stops counting at CS_CONFIGURATIONS_ENOUGH, far above the most, with which the caller compares.
 */
int cs_configurations_find(const struct cs_model *model, const size_t *start, size_t starts,
                           struct cs_configurations *found, struct cs_error *error);
void cs_configurations_free(struct cs_configurations *found);

/* The configuration that an event leads to from `from`: this one itself if it changes no mode, SIZE_MAX if the event
 * cannot happen there. */
size_t cs_configurations_after(const struct cs_configurations *all, const struct cs_model *model, size_t from,
                               size_t event);

#endif
