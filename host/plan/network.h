/* Numeric values of a network's operators, one set per distinct parameter set of a sweep. */
#ifndef COSWEEP_NETWORK_H
#define COSWEEP_NETWORK_H

#include "layout.h"

/* Distinct parameter sets of a sweep, each evaluated once in every configuration. */
struct cs_networks {
  const struct cs_model *model;
  const struct cs_layout *layout; /* of any variant: patterns depend on the model only */
  size_t packed;                  /* numbers per set: x0, then every operator's entries, row by row */
  size_t configurations;          /* sets per parameter set, one for each configuration of the layout */
  bool distinct;                  /* set by the caller: nobody asks for a parameter set twice, so none is looked for */
  size_t count, room;
  double *numbers; /* [count][packed] */
  /* [count] bound of ||M|| and ||A_i|| (1/s), of their components and balanced; in study stability of ||A_i|| only */
  double *norm;
  size_t *chain;   /* [count] most couplings one way between components, in sequence */
  size_t *zeros;   /* [count] in study stability: eigenvalues 0 of M, with multiplicity */
  double *neutral; /* [count] distance from 1 to which rounding moves an eigenvalue of a step that belongs to them */
  unsigned char *status; /* [count] 0, 4 (algebraic loop singular) or 7 (invalid) */
  char **reason;         /* [count] why it is invalid, or NULL */
  struct cs_network_private *private_;
};

int cs_networks_new(const struct cs_layout *layout, struct cs_networks **networks, struct cs_error *error);
/* Makes room for so many parameter sets, beyond which it grows. */
int cs_networks_reserve(struct cs_networks *networks, size_t sets, struct cs_error *error);
void cs_networks_free(struct cs_networks *networks);

/* Index of the set for these overrides (as in cs_settings), with lines as waves over steps of size `wave` (0: as
 * subsystems), in configuration 0, which is evaluated with all others if new. A network that is singular in a
 * configuration has the norm NaN there. */
int cs_networks_find(struct cs_networks *networks, const double *overrides, const unsigned char *given, double wave,
                     size_t *index, struct cs_error *error);

/* Positions of a layout's coefficients, CS_K_X0 to before estimate_at, in the packed numbers:
 * places [estimate_at - CS_K_X0]. */
void cs_networks_places(const struct cs_layout *layout, size_t *places);

#endif
