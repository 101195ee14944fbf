#include "rounding.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "signals.h"

/* Units of the rounding of a signal that do not count. */
#define UNITS 100.0

/* The signals that a metric compares; NULL for metrics of the run. size: as from cs_signals_find. */
static const double *sizes_of(const struct cs_layout *l, int metric, const double *size) {
  switch (cs_metric_table[metric].over) {
    case CS_OVER_OUTPUT:
      return size + cs_signals_place(l, CS_SIZE_OF_OUTPUT);
    case CS_OVER_INPUT:
      return size + cs_signals_place(l, CS_SIZE_OF_INPUT);
    case CS_OVER_STATE:
      return size + cs_signals_place(l, metric == CS_INTEGRATION_DEFECT ? CS_SIZE_OF_SLOPE : CS_SIZE_OF_STATE);
    case CS_OVER_MONITOR:
      return size + cs_signals_place(l, CS_SIZE_OF_MONITOR);
    default:
      return NULL;
  }
}

/* The same of the energy of a bond: what flows to both sides in the time t_end. */
static double energy_size(const struct cs_layout *l, size_t bond, const double *size, double t_end) {
  const struct cs_bond *own = &l->sweep->controls->list[l->method.bonds].bond[bond];
  const double *inputs = size + cs_signals_place(l, CS_SIZE_OF_INPUT);
  const double *outputs = size + cs_signals_place(l, CS_SIZE_OF_OUTPUT);
  return t_end * (inputs[own->input[0]] * outputs[own->output[0]] + inputs[own->input[1]] * outputs[own->output[1]]);
}

/* Relative difference of two values of signals of this size; 1 if only one of them is a number. */
static double difference_of(double a, double b, double size) {
  const double difference = fabs(a - b), larger = fmax(fabs(a), fabs(b));
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) ? 0.0 : 1.0;
  if (difference == 0.0 || difference <= UNITS * DBL_EPSILON * size) return 0.0;
  return difference / larger;
}

/* Of all metrics of a run that both formulations have. */
static double rounding_of(const struct cs_result *one, const struct cs_result *other, size_t run, const double *size,
                          double t_end) {
  const struct cs_layout *l = one->plan->variant[one->plan->run[run].variant];
  double most = 0.0;
  for (int m = 0; m < CS_METRICS; m++) {
    const struct cs_array *a = one->metric[m], *b = other->metric[m];
    if (a == NULL || b == NULL || m == CS_ROUNDING || a->type == CS_UINT8) continue;
    const double *sizes = sizes_of(l, m, size);
    const size_t count = cs_result_signals(one->plan->sweep, one->plan->modes, m);
    for (size_t i = 0; i < count; i++) {
      const size_t at = run * count + i;
      const double most_of = m == CS_BOND_ENERGY && i < l->control.energies ? energy_size(l, i, size, t_end)
                             : sizes != NULL                                ? sizes[i]
                                                                            : 0.0;
      const double own = isfinite(most_of) ? most_of : 0.0;
      most = fmax(most, a->type == CS_INT64 ? difference_of((double)a->data.int64[at], (double)b->data.int64[at], own)
                                            : difference_of(a->data.float64[at], b->data.float64[at], own));
    }
  }
  return most;
}

bool cs_rounding_doubts(const struct cs_plan *plan, size_t run) {
  enum { FAST = 100000 }; /* ||M|| H up to which all digits promised are there */
  const struct cs_layout *l = plan->variant[plan->run[run].variant];
  size_t order = 0;
  bool euler = false;
  if (!l->kind.stiff || !cs_method_sends_slopes(&l->method)) return false;
  for (size_t i = 0; i < l->dims.outputs; i++)
    order = l->method.hold == CS_HERMITE          ? 1
            : (size_t)l->degree.output[i] > order ? (size_t)l->degree.output[i]
                                                  : order;
  for (size_t s = 0; s < l->model->subsystems; s++)
    euler = euler || l->method.subsystem[s].solver == CS_IMPLICIT_EULER;
  if (order < (l->method.feedthrough == CS_SOLVED ? 1 : 2) || (!euler && l->method.feedthrough != CS_SOLVED))
    return false;
  return l->kind.varies || plan->run[run].norm > FAST;
}

bool cs_rounding_is_wanted(const struct cs_plan *plan) {
  if (plan->sweep->metric[CS_ROUNDING]) return true;
  for (size_t i = 0; i < plan->ordered; i++)
    if (cs_rounding_doubts(plan, plan->order[i])) return true;
  return false;
}

int cs_rounding_judge(struct cs_collect *c, const struct cs_result *other, struct cs_error *error) {
  const struct cs_plan *plan = c->plan;
  const struct cs_networks *n = plan->networks;
  const bool asked = plan->sweep->metric[CS_ROUNDING];
  struct cs_settings settings;
  int code = cs_settings_new(plan->sweep, &settings, error);
  if (code != CS_OK) return code;
  double *size = NULL, t_end = NAN;
  uint32_t network = 0;
  for (size_t i = 0; i < plan->ordered && code == CS_OK; i++) {
    const size_t run = plan->order[i];
    const struct cs_layout *l = plan->variant[plan->run[run].variant];
    const bool doubted = cs_rounding_doubts(plan, run);
    if (c->result.status->data.uint8[run] != CS_STATUS_OK || (!asked && !doubted)) continue;
    if (size == NULL) size = malloc((cs_signals_place(l, CS_SIZES_OF) + 1) * sizeof *size);
    cs_settings_of(plan->sweep, run, &settings);
    if (size == NULL) code = cs_error_memory(error);
    if (code == CS_OK && (settings.t_end != t_end || plan->run[run].network != network)) {
      t_end = settings.t_end;
      network = plan->run[run].network;
      code = cs_signals_find(l, n->numbers + network * n->packed, t_end, size, error);
    }
    if (code != CS_OK) break;
    const bool failed = other->status->data.uint8[run] != CS_STATUS_OK;
    const double rounding = failed ? 1.0 : rounding_of(&c->result, other, run, size, t_end);
    if (asked) c->result.metric[CS_ROUNDING]->data.float64[run] = rounding;
    if (!(rounding <= (doubted ? CS_PROMISED_ROUNDING : CS_LARGEST_ROUNDING)))
      cs_collect_degrade(c, run, CS_STATUS_IMPRECISE, rounding);
  }
  free(size);
  cs_settings_free(&settings);
  return code;
}

void cs_rounding_describe(double rounding, bool doubted, struct cs_text *text) {
  cs_text_add(text, "a second formulation differs by %.2g of a result; more than %g is not ok\n", rounding,
              doubted ? CS_PROMISED_ROUNDING : CS_LARGEST_ROUNDING);
}
