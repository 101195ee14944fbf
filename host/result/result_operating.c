/* Where a nonlinear model was linearised. */
#include <string.h>

#include "derived.h"
#include "result.h"

struct point {
  size_t states;
  struct cs_array *at, *residual; /* NULL: not requested */
};

/* The states, then their derivatives. */
static int compute(const struct cs_model *model, const size_t *mode, const double *values, double T, double *value,
                   struct cs_error *error) {
  (void)mode;
  (void)T;
  memcpy(value, values + model->parameters, model->states * sizeof *value);
  return cs_model_slopes(model, values, value + model->states, error);
}

static void enter(void *context, size_t run, const double *value) {
  const struct point *p = context;
  struct cs_array *const to[] = {p->at, p->residual};
  for (size_t i = 0; i < 2; i++)
    if (to[i] != NULL) memcpy(to[i]->data.float64 + run * p->states, value + i * p->states, p->states * sizeof *value);
}

int cs_result_add_operating_point(const struct cs_plan *plan, struct cs_table *table, struct cs_text *warnings,
                                  struct cs_error *error) {
  struct point p = {plan->sweep->model->states, cs_table_find(table, cs_metric_table[CS_OPERATING_POINT].name),
                    cs_table_find(table, cs_metric_table[CS_EQUILIBRIUM_RESIDUAL].name)};
  if (p.at == NULL && p.residual == NULL) return CS_OK;
  const struct cs_derived points = {CS_OPERATING_POINT, 2 * p.states, compute, enter, &p};
  return cs_derived_each(plan, table, NULL, &points, warnings, error);
}
