/* Axes along which a plan's runs are equal. */
#include <string.h>

#include "plan.h"

static bool same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

/* In all configurations, of which runs may begin in different ones. */
static bool equal_networks(const struct cs_networks *n, size_t a, size_t b) {
  const size_t each = n->configurations, bytes = each * n->packed * sizeof *n->numbers;
  if (a == b) return true;
  return a % each == b % each &&
         memcmp(n->numbers + a / each * each * n->packed, n->numbers + b / each * each * n->packed, bytes) == 0;
}

static bool equal_own(const struct cs_plan *plan, size_t i, size_t k) {
  const size_t names = plan->sweep->masters->user.names;
  return plan->own == NULL || memcmp(plan->own + i * names, plan->own + k * names, names * sizeof *plan->own) == 0;
}

/* Whether kernels are given the same for two runs. */
static bool equal(const struct cs_plan *plan, size_t i, size_t k) {
  const struct cs_run *a = &plan->run[i], *b = &plan->run[k];
  return a->variant == b->variant && a->steps == b->steps && same(a->step_size, b->step_size) &&
         same(a->norm, b->norm) && same(a->chain, b->chain) && same(a->relaxation, b->relaxation) &&
         equal_own(plan, i, k) && (plan->paced == NULL || plan->paced[i] == plan->paced[k]) &&
         equal_networks(plan->networks, a->network, b->network);
}

/* Compares every run with the one before it along the axis, if the plan has both and either is computed. */
static enum cs_plan_effect effect_of(const struct cs_plan *plan, size_t stride, size_t length) {
  enum cs_plan_effect effect = CS_EFFECT_UNKNOWN;
  for (size_t run = stride; run < plan->runs; run++) {
    const size_t before = run - stride;
    const unsigned char status = plan->run[run].status;
    if ((plan->sweep->first + run) / stride % length == 0) continue;
    if (status == CS_STATUS_SKIPPED || plan->run[before].status == CS_STATUS_SKIPPED) continue;
    if (status != plan->run[before].status) return CS_EFFECT_SEEN;
    if (status != CS_STATUS_OK) continue;
    if (!equal(plan, run, before)) return CS_EFFECT_SEEN;
    effect = CS_EFFECT_NONE;
  }
  return effect;
}

void cs_plan_note_effects(const struct cs_plan *plan, enum cs_plan_effect *effect) {
  size_t stride = 1;
  for (size_t a = plan->sweep->axes; a-- > 0; stride *= plan->sweep->axis[a].length) {
    if (effect[a] == CS_EFFECT_SEEN) continue;
    const enum cs_plan_effect own = effect_of(plan, stride, plan->sweep->axis[a].length);
    if (own != CS_EFFECT_UNKNOWN) effect[a] = own;
  }
}
