/* Runs with identical kernel inputs: one of them is computed, the others share its results. */
#include <stdlib.h>
#include <string.h>

#include "index.h"
#include "plan.h"

/* The numbers of a network that the kernel of one variant reads. */
struct reader {
  const struct cs_networks *networks;
  size_t entries, *places;
  double *number;        /* [entries] of the network in hand, beside each other */
  uint64_t *hash;        /* [networks], 0: not computed yet */
  struct cs_index index; /* of runs */
};

static int reader_open(struct reader *r, const struct cs_plan *plan, uint32_t variant, struct cs_error *error) {
  const struct cs_layout *l = plan->variant[variant];
  r->networks = plan->networks;
  r->entries = l->coefficients.estimate_at - CS_K_X0; /* the coefficients after these follow from them */
  r->places = malloc((r->entries + 1) * sizeof *r->places);
  r->number = malloc((r->entries + 1) * sizeof *r->number);
  r->hash = calloc(plan->networks->count + 1, sizeof *r->hash);
  if (r->places == NULL || r->number == NULL || r->hash == NULL) return cs_error_memory(error);
  cs_networks_places(l, r->places);
  return CS_OK;
}

static void reader_close(struct reader *r) {
  free(r->places);
  free(r->number);
  free(r->hash);
  cs_index_clear(&r->index);
}

static uint64_t network_hash(struct reader *r, uint32_t network) {
  const double *numbers = r->networks->numbers + network * r->networks->packed;
  if (r->hash[network] != 0) return r->hash[network];
  for (size_t i = 0; i < r->entries; i++)
    r->number[i] = numbers[r->places[i]];
  return r->hash[network] = cs_index_hash(CS_INDEX_SEED, r->number, r->entries * sizeof *r->number) | 1;
}

static uint64_t run_hash(struct reader *r, const struct cs_run *run) {
  const double own[] = {run->step_size, run->steps, run->norm, run->relaxation};
  return cs_index_hash(network_hash(r, run->network), own, sizeof own);
}

static bool equal(const struct reader *r, const struct cs_run *a, const struct cs_run *b) {
  const double *x = r->networks->numbers + a->network * r->networks->packed;
  const double *y = r->networks->numbers + b->network * r->networks->packed;
  if (a->step_size != b->step_size || a->steps != b->steps || a->norm != b->norm || a->chain != b->chain ||
      a->relaxation != b->relaxation)
    return false;
  for (size_t i = 0; a->network != b->network && i < r->entries; i++)
    if (memcmp(&x[r->places[i]], &y[r->places[i]], sizeof *x) != 0) return false;
  return true;
}

/* *same = the run computed in place of `run`: an earlier identical one, otherwise itself. */
static int find_equal(struct reader *r, const struct cs_plan *plan, size_t run, size_t *same, struct cs_error *error) {
  const uint64_t hash = run_hash(r, &plan->run[run]);
  for (size_t probe = 0; (*same = cs_index_next(&r->index, hash, &probe)) != CS_INDEX_NONE;)
    if (equal(r, &plan->run[run], &plan->run[*same])) return CS_OK;
  *same = run;
  return cs_index_add(&r->index, hash, run) ? CS_OK : cs_error_memory(error);
}

/* `count` runs of the order, all of the same variant. */
static int merge(struct cs_plan *plan, const size_t *order, size_t count, struct cs_error *error) {
  const uint32_t variant = plan->run[order[0]].variant;
  struct reader r = {0};
  if (plan->variant[variant]->kind.varies) { /* runs may differ in step size control, which is not compared */
    for (size_t i = 0; i < count; i++)
      plan->same[order[i]] = order[i];
    return CS_OK;
  }
  int code = reader_open(&r, plan, variant, error);
  if (code == CS_OK && !cs_index_reserve(&r.index, count)) code = cs_error_memory(error);
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    code = find_equal(&r, plan, order[i], &plan->same[order[i]], error);
    plan->copies += plan->same[order[i]] != order[i];
  }
  reader_close(&r);
  return code;
}

int cs_plan_merge_equal(struct cs_plan *plan, struct cs_error *error) {
  plan->same = malloc((plan->runs + 1) * sizeof *plan->same);
  int code = plan->same == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t first = 0, end; first < plan->ordered && code == CS_OK; first = end) {
    const uint32_t variant = plan->run[plan->order[first]].variant;
    for (end = first + 1; end < plan->ordered && plan->run[plan->order[end]].variant == variant;)
      end++;
    code = merge(plan, plan->order + first, end - first, error);
  }
  if (code != CS_OK || plan->copies == 0) {
    free(plan->same);
    plan->same = NULL;
    return code;
  }
  size_t kept = 0;
  for (size_t i = 0; i < plan->ordered; i++)
    if (plan->same[plan->order[i]] == plan->order[i]) plan->order[kept++] = plan->order[i];
  plan->ordered = kept;
  return CS_OK;
}
