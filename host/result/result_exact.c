/* The metrics that need the RMS of the exact outputs. */
#include <math.h>

#include "derived.h"
#include "exact.h"
#include "result.h"

struct exact {
  size_t outputs;
  struct cs_array *exact, *relative; /* NULL: not requested */
};

/* NaN where the exact output is 0. */
static void enter(void *context, size_t run, const double *rms) {
  const struct exact *x = context;
  for (size_t i = 0; i < x->outputs; i++) {
    if (x->exact != NULL) x->exact->data.float64[run * x->outputs + i] = rms[i];
    if (x->relative == NULL) continue;
    double *error = &x->relative->data.float64[run * x->outputs + i];
    *error = rms[i] > 0.0 ? *error / rms[i] : NAN;
  }
}

int cs_result_add_exact(const struct cs_plan *plan, struct cs_table *table, struct cs_text *warnings,
                        struct cs_error *error) {
  struct exact x = {plan->sweep->model->outputs, cs_table_find(table, cs_metric_table[CS_OUTPUT_EXACT].name),
                    cs_table_find(table, cs_metric_table[CS_OUTPUT_ERROR_RELATIVE].name)};
  if (x.exact == NULL && x.relative == NULL) return CS_OK;
  const struct cs_derived rms = {CS_OUTPUT_EXACT, x.outputs, cs_exact_rms, enter, &x};
  return cs_derived_each(plan, table, NULL, &rms, warnings, error);
}
