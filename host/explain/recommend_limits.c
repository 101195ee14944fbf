/* Nonlinear models are not simulated, so that their candidates have no errors: they are compared at their limits of
 * stability, by what a second of a run costs there. */
#include <math.h>
#include <stdlib.h>

#include "explain_private.h"
#include "recommend_private.h"

/* The largest step size is the limit, to the digits that are sure, or where there is none the last one looked at. */
static void fill(const struct cs_explanation *e, struct cs_candidate *c, size_t *room) {
  const unsigned iterations = c->approach.iterations == CS_CONVERGED ? 1 : c->approach.iterations;
  const double repeated = 1.0 + iterations;
  c->H = !(c->limit > 0.0) ? NAN : c->limit == INFINITY ? e->last : cs_explain_round(c->limit, 8);
  c->cost[CS_COST_STEPS] = 1.0 / c->H;
  c->cost[CS_COST_EVALUATIONS] = repeated * (double)e->network.parts / c->H;
  c->cost[CS_COST_STAGES] = repeated * (double)cs_explain_stages(e, &c->approach, room) / c->H;
  c->error = c->radius = c->lowest = NAN;
}

int cs_recommend_by_limits(struct cs_recommendation *r, struct cs_error *error) {
  const struct cs_explanation *e = &r->base;
  const char *const path = r->wish->experiment.path;
  size_t *room = malloc((2 * e->network.parts + 1) * sizeof *room);
  int code = room == NULL ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK && e->growth != CS_GROWTH_DAMPED)
    code = cs_error_set(
        error, CS_NO_RESULT, "%s: the model %s, linearised %s: limits of stability say nothing; see explain", path,
        e->growth == CS_GROWTH_GROWS ? "itself grows" : "is not damped", cs_model_linearised(e->network.initial));
  r->first = e->first;
  r->last = e->last;
  r->t_end = NAN;
  for (size_t i = 0; i < r->candidates && code == CS_OK; i++) {
    code = cs_recommend_find_limit(r, &r->candidate[i], error);
    if (code == CS_OK) fill(e, &r->candidate[i], room);
  }
  free(room);
  return code;
}
