/* The model's matrices for one parameter set after another. Neighbouring sets differ in few parameters, and most
 * matrices use none of these: they are evaluated again only where a parameter that they use has another value. */
#ifndef COSWEEP_NUMBERS_H
#define COSWEEP_NUMBERS_H

#include "model.h"

struct cs_numbers {
  const struct cs_model *model;
  bool initial;                /* the operating point is that of the initial states; set by whoever wants it */
  double *parameters, *before; /* [values] of this set and of the last one */
  bool fresh;                  /* all matrices are those of the last set */
  struct {
    double *numbers; /* [rows][columns], as from cs_model_numbers */
    bool *uses;      /* [values] */
    bool moded;      /* entries count in some modes only */
    bool changed;    /* it was evaluated again */
  } matrix[CS_MATRICES];
};

int cs_numbers_new(const struct cs_model *model, struct cs_numbers **numbers, struct cs_error *error);
void cs_numbers_free(struct cs_numbers *numbers);

/* Evaluates all of them; arguments and errors as of cs_model_parameters and cs_model_numbers. */
int cs_numbers_find(struct cs_numbers *numbers, const double *overrides, const unsigned char *given, const size_t *mode,
                    struct cs_error *error);

/* Whether an event changes a state or a mode, by the numbers found last. */
bool cs_numbers_act(const struct cs_numbers *numbers, size_t event);

#endif
