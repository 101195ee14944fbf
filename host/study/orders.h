/* How orders in H pass through a network in one macro step, and in many: of a sum the least counts, and what states
 * integrate over a step gains one. Which entries the matrices have matters, their values do not. */
#ifndef COSWEEP_ORDERS_H
#define COSWEEP_ORDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "model.h"

/* Orders of the errors of all signals; INFINITY: there is none. */
struct cs_orders {
  double *input;  /* [inputs] of what is held, within the step */
  double *effect; /* [inputs] the same as states feel it: higher where its mean over the step is */
  double *end;    /* [inputs] of what is held, at the end of the step */
  double *state;  /* [states] */
  double *output; /* [outputs] as recorded */
  double *handed; /* [outputs] as handed on to others that interpolate */
  double *room;   /* [inputs] */
  bool *advanced; /* [subsystems] */
};

int cs_orders_new(const struct cs_model *model, struct cs_orders **orders, struct cs_error *error);
void cs_orders_free(struct cs_orders *orders);
/* No errors. */
void cs_orders_none(const struct cs_model *model, struct cs_orders *orders);

/* Orders of the error of a polynomial through exact values, as above. */
struct cs_orders_held {
  double input, effect, end;
};

struct cs_orders_step {
  struct cs_orders_held extrapolated, interpolated;
  size_t repetitions;     /* iterations */
  bool converged;         /* in place of them */
  bool in_turn, solved;   /* master gauss_seidel, feedthrough solved */
  const size_t *sequence; /* [subsystems] in which they advance */
};

/* One macro step from exact states and samples. */
void cs_orders_take_step(const struct cs_model *model, const struct cs_orders_step *step, struct cs_orders *orders);

/* A run of many steps: `usual` are all but the first ones, which are like `first`; solver: the order of what solvers
 * add up to. */
void cs_orders_of_run(const struct cs_model *model, bool solved, double solver, const struct cs_orders *usual,
                      const struct cs_orders *first, struct cs_orders *run);

/* Of an output before others replace what its subsystem has received. */
double cs_orders_own(const struct cs_model *model, const struct cs_orders *orders, size_t output);

#endif
