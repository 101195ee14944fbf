/* The cheapest settings whose outputs are right to a relative error, found by running them (docs/methods.md section
 * 10).
 */
#ifndef COSWEEP_RECOMMEND_H
#define COSWEEP_RECOMMEND_H

#include "explain.h"

enum cs_recommend_cost { CS_COST_EVALUATIONS, CS_COST_STAGES, CS_COST_STEPS, CS_COSTS };
/* Its metric: "evaluations", ... */
const char *cs_recommend_cost_name(enum cs_recommend_cost cost);

struct cs_recommend_wish {
  struct cs_experiment experiment;
  double error; /* largest output_error / output_exact that is wanted, 0 to 1 */
  double t_end; /* s; 0: chosen */
  bool derivatives, rollback, integrals;
  enum cs_recommend_cost cost;
  const char *const *signal; /* [signals] outputs that count; none: all that move */
  size_t signals;
};

/* A setting and the largest step size that keeps the error, for which the numbers are; H NaN: not reached. */
struct cs_candidate {
  struct cs_approach approach; /* owns its sequence */
  unsigned order;
  double H, error, cost[CS_COSTS], radius;
  double limit;  /* first limit of stability (s): INFINITY: none, NaN: the model itself grows */
  double lowest; /* smallest error of any H */
};

struct cs_recommendation {
  const struct cs_model *model;
  const struct cs_recommend_wish *wish;
  bool simulated;                 /* nonlinear models are not */
  bool narrowed;                  /* base.network has fewer inputs than the model (cs_snapshot_narrow) */
  struct cs_explain_wish plain;   /* of `base` */
  struct cs_explanation base;     /* the network, its modes and their range of H */
  double t_end, first, last;      /* s; range of H */
  bool *counts;                   /* [outputs] whether an output counts */
  double *exact;                  /* [outputs] RMS of the exact outputs */
  struct cs_candidate *candidate; /* [candidates] the cheapest first, those that do not reach the error last */
  size_t candidates, reached;
};

/* CS_NO_RESULT if nothing moves or no candidate reaches the error. Close also on failure. */
int cs_recommend_open(const struct cs_model *model, const struct cs_recommend_wish *wish,
                      struct cs_recommendation *recommendation, struct cs_error *error);
void cs_recommend_close(struct cs_recommendation *recommendation);

void cs_recommend_add_text(const struct cs_recommendation *recommendation, struct cs_text *text);
/* sweep: path of the file written, or NULL. */
void cs_recommend_add_json(const struct cs_recommendation *recommendation, const char *sweep, struct cs_text *text);
/* Appends a sweep file: the best three over H around the best one's. model: its path as the file shall name it. */
int cs_recommend_add_sweep(const struct cs_recommendation *recommendation, const char *model, struct cs_text *text,
                           struct cs_error *error);

#endif
