#include "collect.h"

#include <math.h>
#include <stdlib.h>

#include "rounding.h"

/* Growth of the solution before the start above which there is a warning. */
#define LARGE_GROWTH 1e8

int cs_collect_open(const struct cs_plan *plan, bool radii, struct cs_table *table, struct cs_outcome *outcome,
                    struct cs_collect_all *all, struct cs_collect *c, struct cs_error *error) {
  *c = (struct cs_collect){.plan = plan, .outcome = outcome, .all = all};
  pthread_mutex_init(&c->lock, NULL);
  cs_result_open(plan, table, &c->result);
  for (int i = 0; i < CS_STATUSES; i++)
    outcome->status[i] += plan->status[i];
  cs_plan_add_reasons(&all->reasons, &plan->reasons);
  if (plan->paced != NULL && (c->again = malloc((plan->runs + 1) * sizeof *c->again)) == NULL)
    return cs_error_memory(error);
  if (!radii) return CS_OK;
  c->radius = malloc((plan->runs + 1) * sizeof *c->radius);
  for (size_t i = 0; c->radius != NULL && i < plan->runs; i++)
    c->radius[i] = NAN;
  return c->radius != NULL ? CS_OK : cs_error_memory(error);
}

void cs_collect_close(struct cs_collect *c) {
  if (c->plan == NULL) return; /* never opened */
  free(c->radius);
  free(c->again);
  pthread_mutex_destroy(&c->lock);
}

/* ---- run by run -------------------------------------------------------------------------------------------------- */

static void note_failed(struct cs_collect *c, size_t run, double number, enum cs_status status) {
  struct cs_collect_failure *first = &c->failed[status];
  if (c->failed_runs[status]++ == 0 || run < first->run) *first = (struct cs_collect_failure){run, number, status};
}

/* Number of the step at which a run failed. */
static double failed_step(const struct cs_collect *c, const struct cs_layout *l, size_t run, const double *state,
                          size_t pitch) {
  if (l->kind.varies) {
    const double *own = state + l->state.vary; /* a step that diverges is neither accepted nor rejected */
    return own[CS_VARY_STEPS] + own[CS_VARY_REJECTED] + (own[CS_VARY_STATUS] == CS_STATUS_DIVERGED ? 1.0 : 0.0);
  }
  const double step = state[l->state.diverged * pitch];
  return step > 0.0 ? step : c->plan->run[run].steps;
}

/* Whether the run ended because its steps became too long for the network. */
static bool note_again(struct cs_collect *c, const struct cs_layout *l, size_t run, const double *state) {
  if (!l->kind.varies || state[l->state.vary + CS_VARY_STATUS] != CS_AGAIN_STIFF) return false;
  pthread_mutex_lock(&c->lock);
  c->again[c->repeated++] = run;
  pthread_mutex_unlock(&c->lock);
  return true;
}

/* Whether some output has no local error, or no estimate of it. */
static bool is_missing(const struct cs_collect *c, size_t run) {
  static const enum cs_metric local[] = {CS_LOCAL_ERROR, CS_LOCAL_ERROR_ESTIMATE};
  const size_t outputs = c->plan->sweep->model->outputs;
  for (size_t i = 0; i < 2 * outputs; i++) {
    const struct cs_array *array = c->result.metric[local[i / outputs]];
    if (array != NULL && isnan(array->data.float64[run * outputs + i % outputs])) return true;
  }
  return false;
}

static void note_missing(struct cs_collect *c, size_t run) {
  if (c->missing_runs++ == 0 || run < c->first_missing) c->first_missing = run;
}

void cs_collect_enter(void *collect, size_t run, enum cs_way way, const double *state, size_t pitch) {
  struct cs_collect *c = collect;
  const struct cs_layout *l = c->plan->variant[c->plan->run[run].variant];
  if (note_again(c, l, run, state)) return;
  const enum cs_status status = l->kind.stability ? cs_result_enter_spectrum(&c->result, run, state, pitch)
                                                  : cs_result_enter(&c->result, run, way, state, pitch);
  const bool missing = status == CS_STATUS_OK && is_missing(c, run);
  const double growth = l->kind.stability ? 0.0 : state[l->state.growth * pitch];
  if (c->radius != NULL) c->radius[run] = cs_result_radius(state, pitch);
  pthread_mutex_lock(&c->lock);
  c->outcome->status[status]++;
  if (status != CS_STATUS_OK) note_failed(c, run, failed_step(c, l, run, state, pitch), status);
  if (missing) note_missing(c, run);
  if (l->kind.varies) c->steps += state[l->state.vary + CS_VARY_STEPS] + state[l->state.vary + CS_VARY_REJECTED];
  if (growth > LARGE_GROWTH) {
    c->growth_runs++;
    c->worst_growth = fmax(c->worst_growth, growth);
  }
  pthread_mutex_unlock(&c->lock);
}

void cs_collect_degrade(struct cs_collect *c, size_t run, enum cs_status status, double number) {
  c->result.status->data.uint8[run] = (uint8_t)status;
  c->outcome->status[CS_STATUS_OK]--;
  c->outcome->status[status]++;
  note_failed(c, run, number, status);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void describe_failure(const struct cs_collect *c, const struct cs_collect_failure *failed,
                             struct cs_text *text) {
  const struct cs_run *run = &c->plan->run[failed->run];
  struct cs_text where = {0};
  cs_sweep_describe_settings(c->plan->sweep, failed->run, true, &where);
  cs_text_add(text, "run %zu (%s): ", c->plan->sweep->first + failed->run, cs_text_string(&where));
  text->failed |= where.failed;
  cs_text_free(&where);
  if (c->plan->options.study == CS_STABILITY) {
    cs_text_add(text, "the map of a step is not finite, or its eigenvalues did not converge\n");
    return;
  }
  if (failed->status == CS_STATUS_IMPRECISE) {
    cs_rounding_describe(failed->number, cs_rounding_doubts(c->plan, failed->run), text);
    return;
  }
  const struct cs_layout *l = c->plan->variant[run->variant];
  cs_result_describe_end(l, failed->status, failed->number, text);
  if (!l->kind.varies) cs_text_add(text, " of %.0f", run->steps);
  cs_text_add(text, "\n");
}

void cs_collect_finish(struct cs_collect *c) {
  const struct cs_plan *plan = c->plan;
  c->outcome->steps += plan->steps + c->steps;
  for (int i = 0; i < CS_STATUSES; i++)
    if (c->failed_runs[i] > 0 && c->all->failure[i].length == 0)
      describe_failure(c, &c->failed[i], &c->all->failure[i]);
  if (c->all->missing_runs == 0) c->all->first_missing = plan->sweep->first + c->first_missing;
  c->all->missing_runs += c->missing_runs;
  c->all->growth_runs += c->growth_runs;
  c->all->worst_growth = fmax(c->all->worst_growth, c->worst_growth);
}

static void add_text(struct cs_text *to, const struct cs_text *text) {
  to->failed |= text->failed;
  if (text->length > 0) cs_text_append(to, text->data, text->length);
}

void cs_collect_tell(const struct cs_collect_all *all, struct cs_outcome *outcome) {
  add_text(&outcome->failures, &all->reasons.text);
  for (int i = 0; i < CS_STATUSES; i++)
    add_text(&outcome->failures, &all->failure[i]);
  if (all->growth_runs > 0)
    cs_text_add(&outcome->warnings,
                "start consistent: the exact solution before the start grows up to %.3g times in %zu runs; "
                "consider \"start\": \"ramp\"\n",
                all->worst_growth, all->growth_runs);
  if (all->missing_runs > 0)
    cs_text_add(&outcome->warnings,
                "local errors: none of some output for run %zu and %zu more: the exact past that they begin with grows "
                "beyond the range of double precision, or the matrix of a corrected estimate does not exist\n",
                all->first_missing, all->missing_runs - 1);
}

void cs_collect_free_all(struct cs_collect_all *all) {
  cs_text_free(&all->reasons.text);
  for (int i = 0; i < CS_STATUSES; i++)
    cs_text_free(&all->failure[i]);
}
