/* One-step methods as tables: Butcher tableaus, and the weights by which a step differs from the exact flow. */
#ifndef COSWEEP_TABLEAU_H
#define COSWEEP_TABLEAU_H

#include <stdbool.h>

/* The local defect's series is used up to this ||M|| h; CS_SERIES terms then give full precision. */
#define CS_SERIES_REACH 2.0

enum { CS_STAGES = 4, CS_SERIES = 28 };

struct cs_tableau {
  int order, stages;
  double a[CS_STAGES][CS_STAGES], b[CS_STAGES], c[CS_STAGES]; /* explicit methods */
  double implicit;  /* theta of the implicit theta methods, 0 for explicit ones */
  double remembers; /* minus the weight of the state before in an implicit method with memory */
  bool cubic;       /* solution within a step: cubic Hermite polynomial rather than a straight line */
};

/* Table of any enum cs_solver but CS_EXACT and CS_DOPRI5. */
const struct cs_tableau *cs_tableau_of(int solver);

/* Weight of (hA)^stage X_n in the local defect x~(T+h) - x^(T+h), X_n the Taylor coefficients of the exact solution
 * x^ (docs/methods.md section 5): exactly 0 for stage + n up to the order. 0 <= stage < CS_STAGES, 1 <= n. For the
 * implicit methods the sum is multiplied by (I - implicit hA)^-1 afterwards. */
double cs_tableau_weight(const struct cs_tableau *tableau, int stage, int n);

#endif
