/* How many terms of a series a network needs that couples one way from component to component. The bound on ||M|| does
 * not see such couplings, since their size is a matter of units; what passes through p of them begins with power p. */
#include <math.h>

#include "layout_private.h"

/* Terms beyond a chain's first one. */
enum { FURTHER = 3 };

/* Powers of across.clh beyond NQ where ||M|| H is less than 1. */
static const size_t more[CS_MOST_LEVELS - 1] = {12, 10, 8, 7, 6, 5, 4, FURTHER};

/* Terms of taylor_terms() in flow.clh: `terms`, or NQ + `more`. */
static const struct {
  double reach;
  size_t more, terms;
} flow[] = {{1.0, 0, 20},    {0.5, 0, 16},    {0.25, 0, 14},   {0.125, 0, 12},       {0.0625, 0, 11},
            {0x1p-6, 0, 10}, {0x1p-10, 5, 0}, {0x1p-13, 4, 0}, {0x1p-18, FURTHER, 0}};

/* The largest theta for which the powers below `terms` suffice: the first one omitted is below 2^-46 of the first
 * remainder, theta^terms / terms! compared with theta^NQ / NQ!. */
static double reach(size_t first, size_t terms) {
  double factorials = 1.0;
  for (size_t i = first + 1; i <= terms; i++)
    factorials *= (double)i;
  return pow(ldexp(factorials, -46), 1.0 / (double)(terms - first));
}

size_t cs_layout_powers(const struct cs_layout *l, size_t level, double *most) {
  if (level >= CS_MOST_LEVELS) return 0;
  const size_t first = l->dims.powers, powers = level == 0 ? CS_MOST_POWERS : first + more[level - 1];
  *most = level == 0 ? 1.0 : reach(first, powers);
  return powers;
}

size_t cs_layout_flow_terms(const struct cs_layout *l, size_t level, double *most) {
  if (level >= sizeof flow / sizeof *flow) return 0;
  *most = flow[level].reach;
  return flow[level].terms > 0 ? flow[level].terms : l->dims.powers + flow[level].more;
}

double cs_layout_chain(const struct cs_layout *l, size_t chain) {
  double least = 0.0, most;
  if (chain <= l->dims.powers) return 0.0;
  size_t (*const terms)(const struct cs_layout *, size_t, double *) =
      cs_layout_is_across(l) ? cs_layout_powers : cs_layout_flow_terms;
  for (size_t level = 0; level == 0 || terms(l, level, &most) >= chain + FURTHER; level++) {
    terms(l, level, &most);
    least = most;
  }
  return least;
}
