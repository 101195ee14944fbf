/* The model that explain and recommend are asked about, with all that their experiments need. */
#ifndef COSWEEP_SUBJECT_H
#define COSWEEP_SUBJECT_H

#include "experiment.h"
#include "option.h"
#include "progress.h"

struct cs_subject {
  struct cs_experiment experiment;
  struct cs_engine_options options;
  struct cs_text source;
  struct cs_model *model;
  struct cs_devices devices;
};

/* Loads the model file, also from a pipe. Close also on failure. */
int cs_subject_load(const struct cs_arguments *arguments, struct cs_subject *subject, struct cs_error *error);
/* Opens the devices and reports progress to `bar`, which the caller closes once all has run. */
int cs_subject_begin(const struct cs_arguments *arguments, struct cs_subject *subject, struct cs_progress_bar *bar,
                     struct cs_error *error);
void cs_subject_close(struct cs_subject *subject);

/* The words of --can. */
int cs_subject_read_can(const struct cs_arguments *arguments, bool *derivatives, bool *rollback, bool *integrals,
                        struct cs_error *error);

#endif
