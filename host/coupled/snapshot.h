/* The numbers of a network for one set of parameters: what explanations derive from, and models written from them.
 *
 * x' = A x + B u + e, y = C x + D u + f, u = L y + b. Constants and initial values play no part in stability. */
#ifndef COSWEEP_SNAPSHOT_H
#define COSWEEP_SNAPSHOT_H

#include "links.h"

struct cs_part {
  char *name; /* of the subsystem; "a+b" of two that are merged */
  size_t states, inputs, outputs;
  size_t first_state, first_input, first_output;
};

struct cs_snapshot {
  size_t parts, states, inputs, outputs, links;
  struct cs_part *part;
  struct cs_link *link;  /* in the order of the model file */
  double *point;         /* [states] where a nonlinear model was linearised; NULL: it is linear */
  bool initial;          /* these are its initial states, not an equilibrium */
  double *a, *b, *c, *d; /* [states][states], [states][inputs], [outputs][states], [outputs][inputs]; block diagonal */
  /* [states], [outputs], [states], [inputs]: e, f, initial states, b; NULL before cs_snapshot_add_constants */
  double *e, *f, *start, *bias;
};

/* parameters: as from cs_model_parameters; mode: as for cs_model_numbers. Close it also on failure. */
int cs_snapshot_open(const struct cs_model *model, const size_t *mode, const double *parameters,
                     struct cs_snapshot *snapshot, struct cs_error *error);
/* Arguments and errors as of cs_snapshot_open. */
int cs_snapshot_add_constants(const struct cs_model *model, const size_t *mode, const double *parameters,
                              struct cs_snapshot *snapshot, struct cs_error *error);
void cs_snapshot_close(struct cs_snapshot *snapshot);

/* Subsystems i < j as one, in the place of i: what they exchange is solved exactly inside. CS_INPUT if the loop among
 * them is singular. Close *merged also on failure. */
int cs_snapshot_merge(const struct cs_snapshot *snapshot, size_t i, size_t j, struct cs_snapshot *merged,
                      struct cs_error *error);
/* Whether a connection joins them. */
bool cs_snapshot_joined(const struct cs_snapshot *snapshot, size_t i, size_t j);

/* Leaves every subsystem as many inputs as the columns of its B and D are independent (within 1e-13 of the largest):
 * v = R u in place of u, with B u = B' v and D u = D' v. What holds do to all inputs of a subsystem alike they do to v,
 * so that states and outputs stay what they are. It needs the constants. */
int cs_snapshot_narrow(struct cs_snapshot *snapshot, struct cs_error *error);

/* dl [outputs][outputs] = D L. */
void cs_snapshot_loop(const struct cs_snapshot *snapshot, double *dl);
/* The coupled network, u eliminated: y [outputs][columns] = (I - D L)^-1 c, m [states][columns] = a + B L y. With the
 * network's own A and C they are M and Y; further columns may follow. rcond: reciprocal condition number of I - D L in
 * balanced units; CS_INPUT if it is below 1e-13. */
int cs_snapshot_couple(const struct cs_snapshot *snapshot, size_t columns, const double *a, const double *c, double *y,
                       double *m, double *rcond, struct cs_error *error);
/* Gains: the error of output i is at most the sum of gain[i][j] times the RMS of defect j, RMS over a run of length T
 * (s) as well; of connection, output and integration defects. connection [outputs][inputs], output [outputs][outputs],
 * integration [outputs][states]. Errors as of cs_gains_add and cs_snapshot_couple. */
int cs_snapshot_gains(const struct cs_snapshot *snapshot, double T, double *connection, double *output,
                      double *integration, struct cs_error *error);
/* The subsystem of an output or an input. */
size_t cs_snapshot_of_output(const struct cs_snapshot *snapshot, size_t output);
size_t cs_snapshot_of_input(const struct cs_snapshot *snapshot, size_t input);

/* What a model file has beside the matrices and links. */
enum cs_snapshot_as {
  CS_SNAPSHOT_BARE,
  CS_SNAPSHOT_VARIED, /* gain k has the factor "gain_k", a parameter of value 1, and the diagonal of subsystem i's A the
                         term "shift_i", one of value 0 */
  CS_SNAPSHOT_WHOLE   /* constants and initial states, which it needs */
};

/* Appends a model file with these numbers. A merged subsystem has the name of its first. */
void cs_snapshot_print(const struct cs_snapshot *snapshot, enum cs_snapshot_as as, struct cs_text *text);

#endif
