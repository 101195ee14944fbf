#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "course.h"
#include "index.h"
#include "list.h"
#include "modes.h"

/* ||M|| t_end of a brief run. */
#define BRIEF 0.0625

/* ---- variants ---------------------------------------------------------------------------------------------------- */

/* The plan's variants by method, and those found last, [1] for stiff networks: neighbouring runs tend to have the same.
 */
struct known {
  struct cs_index index;
  size_t last[2];
};

static bool is_variant(const struct cs_plan *plan, size_t item, const struct cs_method *method, bool stiff) {
  return item < plan->variants && plan->variant[item]->kind.stiff == stiff &&
         cs_method_equal(plan->sweep->model->subsystems, method, &plan->variant[item]->method);
}

static int variant_of(struct cs_plan *plan, struct known *known, const struct cs_method *method, bool stiff,
                      uint32_t *variant, struct cs_error *error) {
  *variant = (uint32_t)known->last[stiff];
  if (is_variant(plan, *variant, method, stiff)) return CS_OK;
  const uint64_t hash = cs_method_hash(plan->sweep->model->subsystems, method);
  for (size_t probe = 0, item; (item = cs_index_next(&known->index, hash, &probe)) != CS_INDEX_NONE;)
    if (is_variant(plan, item, method, stiff)) {
      *variant = (uint32_t)(known->last[stiff] = item);
      return CS_OK;
    }
  if (!cs_list_grow(&plan->variant, plan->variants, sizeof *plan->variant)) return cs_error_memory(error);
  const int code = cs_layout_new(plan->sweep, method, plan->options.study, plan->options.records, stiff,
                                 &plan->variant[plan->variants], error);
  if (code != CS_OK) return code;
  plan->variant[plan->variants]->kind.other = plan->options.other;
  const size_t modes = plan->variant[plan->variants]->dims.modes;
  if (modes > plan->modes) plan->modes = modes;
  *variant = (uint32_t)(known->last[stiff] = plan->variants++);
  return cs_index_add(&known->index, hash, *variant) ? CS_OK : cs_error_memory(error);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Whether a line says the same as the reason, but for the digits of its numbers. */
static bool is_alike(const char *line, const char *reason) {
  for (;; line++, reason++) {
    while (cs_ascii_is_digit(*line))
      line++;
    while (cs_ascii_is_digit(*reason))
      reason++;
    if (*reason == '\0' || *reason == '\n') return *line == '\n';
    if (*line != *reason) return false;
  }
}

/* Whether there is none of that kind, and room: the first such run stands for all. `reason` ends with its line. */
static bool is_new_reason(const struct cs_plan_reasons *reasons, enum cs_status status, const char *reason) {
  for (size_t i = 0; i < reasons->count; i++)
    if (reasons->known[i].status == status && is_alike(cs_text_string(&reasons->text) + reasons->known[i].at, reason))
      return false;
  return reasons->count < CS_PLAN_REASONS;
}

static void reject(struct cs_plan *plan, size_t run, enum cs_status status, const char *reason) {
  struct cs_plan_reasons *reasons = &plan->reasons;
  plan->run[run].status = (unsigned char)status;
  plan->status[status]++;
  if (reason == NULL || plan->of_points || reasons->text.failed || !is_new_reason(reasons, status, reason)) return;
  struct cs_text where = {0};
  const size_t line = reasons->text.length;
  cs_sweep_describe_settings(plan->sweep, run, true, &where);
  cs_text_add(&reasons->text, "run %zu (%s): ", plan->sweep->first + run, cs_text_string(&where));
  reasons->known[reasons->count++] = (struct cs_plan_reason){status, line, reasons->text.length};
  cs_text_add(&reasons->text, "%s\n", reason);
  reasons->text.failed |= where.failed;
  cs_text_free(&where);
}

void cs_plan_add_reasons(struct cs_plan_reasons *all, const struct cs_plan_reasons *own) {
  all->text.failed |= own->text.failed;
  for (size_t i = 0; i < own->count && !all->text.failed; i++) {
    const struct cs_plan_reason *known = &own->known[i];
    const char *text = cs_text_string(&own->text);
    if (!is_new_reason(all, known->status, text + known->at)) continue;
    const size_t line = all->text.length;
    all->known[all->count++] = (struct cs_plan_reason){known->status, line, line + known->at - known->line};
    cs_text_append(&all->text, text + known->line, strcspn(text + known->line, "\n") + 1);
  }
}

/* reject() with a composed reason, which is freed. */
static void reject_for(struct cs_plan *plan, size_t run, enum cs_status status, struct cs_text *reason) {
  reject(plan, run, status, cs_text_string(reason));
  cs_text_free(reason);
}

/* Stability of a coupling that never solves the algebraic loop can be analysed even if the loop is singular. */
static bool works_without_exact(const struct cs_plan *plan, const struct cs_run *run) {
  const struct cs_layout *l = plan->variant[run->variant];
  return plan->networks->status[run->network] == CS_STATUS_SINGULAR && l->kind.stability &&
         l->method.feedthrough != CS_SOLVED;
}

/* The first macro step of a run with variable steps; with controls `threshold` and `cycle` the longest of theirs. */
static double first_step(const struct cs_layout *l, const struct cs_settings *settings) {
  const double *c = settings->control;
  const double wanted = settings->method.control == CS_THRESHOLD ? fmax(c[CS_CONTROL_ABOVE], c[CS_CONTROL_BELOW])
                                                                 : cs_layout_longest(l) * c[CS_CONTROL_INITIAL];
  return fmin(fmax(wanted, c[CS_CONTROL_MIN]), c[CS_CONTROL_MAX]);
}

/* Whether a run's first step is long for its network, or may become so: the controller has the limit `max`. Without
 * one a run begins as others do, and is repeated if it comes to that. */
static bool may_reach_stiff(const struct cs_plan *plan, const struct cs_run *run, const struct cs_settings *settings) {
  const double most = settings->control[CS_CONTROL_MAX];
  const bool limited = plan->variant[run->variant]->kind.varies && isfinite(most);
  return run->norm > CS_STIFF_NORM || (limited && plan->networks->norm[run->network] * most > CS_STIFF_NORM);
}

/* In a run that is brief for the model no component closes its circle: all its couplings lead one way. */
static double chain_of(const struct cs_plan *plan, const struct cs_run *run, double t_end) {
  const struct cs_networks *n = plan->networks;
  const struct cs_layout *l = plan->variant[run->variant];
  const bool brief = plan->options.study != CS_STABILITY && n->norm[run->network] * t_end <= BRIEF;
  return cs_layout_chain(l, brief && l->dims.exact > 0 ? l->dims.exact - 1 : n->chain[run->network]);
}

/* The quadrature of a run with a stiff network; *clear: whether it resolves the network's oscillations. Nothing is
 * integrated over a step whose map is analysed. */
static int grade(struct cs_plan *plan, struct cs_run *run, double H, bool *clear, struct cs_error *error) {
  const struct cs_layout *l = plan->variant[run->variant];
  const struct cs_networks *n = plan->networks;
  *clear = true;
  if (!cs_layout_is_graded(l) || (l->kind.stability && !l->kind.compensates)) return CS_OK;
  const int code = cs_modes_octave(l, n->numbers + run->network * n->packed, H, &run->octave, error);
  *clear = run->octave <= CS_MODES_OCTAVE_MOST;
  return code;
}

/* Stores the parameters of a run's master. */
static int own(struct cs_plan *plan, size_t run, const struct cs_settings *settings, struct cs_error *error) {
  const size_t names = plan->sweep->masters->user.names;
  if (names == 0) return CS_OK;
  if (plan->own == NULL) plan->own = malloc(plan->runs * names * sizeof *plan->own);
  if (plan->own == NULL) return cs_error_memory(error);
  memcpy(plan->own + run * names, settings->own, names * sizeof *plan->own);
  return CS_OK;
}

/* Decides whether a run is computed and whether by the variant for stiff networks. */
static int judge(struct cs_plan *plan, struct known *known, size_t number, const struct cs_settings *settings,
                 struct cs_error *error) {
  struct cs_run *run = &plan->run[number];
  const struct cs_networks *n = plan->networks;
  struct cs_text reason = {0};
  const bool stability = plan->options.study == CS_STABILITY;
  run->step_size = settings->step_size;
  run->relaxation = settings->relaxation;
  if (!cs_settings_check(plan->sweep, settings, plan->options.study, &reason)) {
    reject_for(plan, number, CS_STATUS_INVALID, &reason);
    return CS_OK;
  }
  if (n->status[run->network] != 0 && !works_without_exact(plan, run)) {
    reject(plan, number, (enum cs_status)n->status[run->network],
           n->status[run->network] == CS_STATUS_SINGULAR ? "the algebraic loop I - D L is singular"
                                                         : n->reason[run->network]);
    return CS_OK;
  }
  const struct cs_layout *l = plan->variant[run->variant];
  const bool varies = l->kind.varies;
  const double first = varies ? first_step(l, settings) : cs_layout_longest(l) * settings->step_size;
  run->norm = n->norm[run->network] * first;
  run->chain = chain_of(plan, run, settings->t_end);
  run->octave = 1.0;
  const bool eventful = l->kind.eventful;
  const double most = cs_layout_norm_most(l);
  if (!(run->norm <= most)) {
    cs_text_add(&reason, "the macro step is %.3g times the model's fastest time scale; want at most %g", run->norm,
                most);
    if (eventful) cs_text_add(&reason, " with state events and polynomials of degree %zu", l->dims.powers - 1);
    reject_for(plan, number, CS_STATUS_INVALID, &reason);
    return CS_OK;
  }
  if (!eventful && (may_reach_stiff(plan, run, settings) || plan->options.other)) {
    bool clear;
    int code = variant_of(plan, known, &settings->method, true, &run->variant, error);
    if (code == CS_OK) code = grade(plan, run, first, &clear, error);
    if (code != CS_OK) return code;
    if (!clear) {
      reject(plan, number, CS_STATUS_INVALID,
             "a mode oscillates in the macro step without decaying, which integrals over the step do not resolve; want "
             "method.error_at \"points\" and no metric output_defect_true or integration_defect");
      return CS_OK;
    }
  }
  if (stability) return CS_OK;
  if (varies) {
    run->steps = cs_layout_knows_steps(l)
                     ? fmin(cs_layout_steps(l, settings->step_size, settings->t_end), settings->max_steps)
                     : fmax(1.0, ceil(settings->t_end / first)); /* an estimate, for ordering */
    return CS_OK;
  }
  run->steps = cs_layout_steps(l, settings->step_size, settings->t_end);
  if (!(run->steps <= settings->max_steps)) {
    cs_text_add(&reason, "%.17g steps are more than method.step.max_steps %.17g", run->steps, settings->max_steps);
    run->steps = 0.0;
    reject_for(plan, number, CS_STATUS_STEP_LIMIT, &reason);
    return CS_OK;
  }
  if (settings->step_size < settings->control[CS_CONTROL_UNDERFLOW]) {
    cs_text_add(&reason, "method.step.size %g is below method.step.underflow %g", settings->step_size,
                settings->control[CS_CONTROL_UNDERFLOW]);
    run->steps = 0.0;
    reject_for(plan, number, CS_STATUS_UNDERFLOW, &reason);
    return CS_OK;
  }
  double panels, levels, width, nodes;
  run->nodes = (uint32_t)cs_layout_quadrature(plan->variant[run->variant], run->norm, run->chain, run->octave, &panels,
                                              &levels, &width, &nodes);
  run->doubled = cs_layout_doubles(plan->variant[run->variant], run->steps, run->nodes);
  if (run->doubled) plan->variant[run->variant]->kind.has_doubled = true;
  return CS_OK;
}

/* Stores the numbers of a run with variable steps or compensation. A trace has its own limit on steps. */
static int pace(struct cs_plan *plan, size_t run, const struct cs_settings *settings, struct cs_error *error) {
  const struct cs_layout *l = plan->variant[plan->run[run].variant];
  if (plan->run[run].status != CS_STATUS_OK || !(l->kind.varies || l->kind.compensates)) return CS_OK;
  if (plan->paced == NULL) plan->paced = calloc(plan->runs, sizeof *plan->paced);
  if (plan->paced == NULL) return cs_error_memory(error);
  struct cs_settings own = *settings;
  double *most = &own.control[CS_CONTROL_MOST];
  if (plan->options.records) *most = fmin(*most, plan->options.most);
  return cs_pacing_find(&plan->pacing, plan->sweep, &own, &plan->paced[run], error);
}

/* The list of the networks of the plan's runs. */
static int open_networks(struct cs_plan *plan, struct cs_error *error) {
  const double sets = fmin(cs_sweep_sets(plan->sweep), (double)plan->runs);
  const int code = cs_networks_new(plan->variant[0], &plan->networks, error);
  if (code != CS_OK) return code;
  plan->networks->distinct = cs_sweep_sets_differ(plan->sweep);
  return cs_networks_reserve(plan->networks, (size_t)sets, error);
}

/* The network of a run whose variant is known, and whether and how the run is computed. */
static int place(struct cs_plan *plan, struct known *known, size_t number, const struct cs_settings *settings,
                 struct cs_error *error) {
  struct cs_run *run = &plan->run[number];
  size_t network = 0;
  int code = cs_networks_find(plan->networks, settings->parameters, settings->given,
                              cs_method_waves(&settings->method) ? settings->step_size : 0, &network, error);
  if (code != CS_OK) return code;
  run->network = (uint32_t)(network + cs_course_start(plan->sweep, settings));
  code = own(plan, number, settings, error);
  if (code == CS_OK) code = judge(plan, known, number, settings, error);
  if (run->status == CS_STATUS_OK) plan->ordered++;
  return code == CS_OK ? pace(plan, number, settings, error) : code;
}

static int plan_runs(struct cs_plan *plan, struct cs_error *error) {
  struct cs_settings settings;
  struct known known = {0};
  int code = cs_settings_new(plan->sweep, &settings, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < plan->runs && code == CS_OK; i++) {
    cs_settings_of(plan->sweep, i, &settings);
    if (settings.skipped) {
      plan->run[i].status = CS_STATUS_SKIPPED;
      plan->status[CS_STATUS_SKIPPED]++;
      continue;
    }
    code = variant_of(plan, &known, &settings.method, false, &plan->run[i].variant, error);
    if (code == CS_OK && plan->networks == NULL) code = open_networks(plan, error);
    if (code == CS_OK) code = place(plan, &known, i, &settings, error);
  }
  cs_index_clear(&known.index);
  cs_settings_free(&settings);
  return code;
}

int cs_plan_modes(const struct cs_sweep *sweep, size_t *modes, struct cs_error *error) {
  struct cs_plan plan = {.sweep = sweep, .options.study = sweep->study};
  struct cs_settings settings;
  struct known known = {0};
  uint32_t variant;
  int code = cs_settings_new(sweep, &settings, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < sweep->runs && code == CS_OK; i++) {
    cs_settings_of(sweep, i, &settings);
    if (!settings.skipped) code = variant_of(&plan, &known, &settings.method, false, &variant, error);
  }
  *modes = plan.modes;
  for (size_t i = 0; i < plan.variants; i++)
    cs_layout_free(plan.variant[i]);
  free(plan.variant);
  cs_index_clear(&known.index);
  cs_settings_free(&settings);
  return code;
}

/* Whether the simulation's variant of that kind, which has the same program, uses doubling. */
static bool is_doubled_in(const struct cs_plan *simulation, const struct cs_layout *l) {
  for (size_t v = 0; v < simulation->variants; v++)
    if (is_variant(simulation, v, &l->method, l->kind.stiff)) return simulation->variant[v]->kind.doubles;
  return false;
}

/* Removes doubling from variants that do not use it, to avoid building its kernels. */
static void drop_doubling(struct cs_plan *plan) {
  const struct cs_plan *beside = plan->options.beside;
  for (size_t v = 0; v < plan->variants; v++) {
    struct cs_layout *l = plan->variant[v];
    l->kind.doubles = l->kind.doubles && (beside != NULL ? is_doubled_in(beside, l) : l->kind.has_doubled);
  }
  plan->options.beside = NULL;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

struct key {
  uint32_t variant, nodes;
  bool doubled;
  double steps, pieces; /* pieces: the norm, rounded up */
  size_t run;
};

static int compare_keys(const void *left, const void *right) {
  const struct key *a = left, *b = right;
  if (a->variant != b->variant) return a->variant < b->variant ? -1 : 1;
  if (a->doubled != b->doubled) return a->doubled ? 1 : -1;
  if (a->nodes != b->nodes) return a->nodes < b->nodes ? -1 : 1;
  if (a->steps != b->steps) return a->steps < b->steps ? -1 : 1;
  if (a->pieces != b->pieces) return a->pieces < b->pieces ? -1 : 1;
  return a->run < b->run ? -1 : a->run > b->run;
}

static int order_runs(struct cs_plan *plan, struct cs_error *error) {
  struct key *key = malloc((plan->ordered + 1) * sizeof *key);
  plan->order = malloc((plan->ordered + 1) * sizeof *plan->order);
  if (key == NULL || plan->order == NULL) {
    free(key);
    return cs_error_memory(error);
  }
  size_t count = 0;
  for (size_t i = 0; i < plan->runs; i++) {
    const struct cs_run *run = &plan->run[i];
    if (run->status == CS_STATUS_OK)
      key[count++] = (struct key){run->variant, run->nodes, run->doubled, run->steps, ceil(run->norm), i};
  }
  bool sorted = true;
  for (size_t i = 1; i < count && sorted; i++)
    sorted = compare_keys(&key[i - 1], &key[i]) < 0;
  if (!sorted) qsort(key, count, sizeof *key, compare_keys);
  for (size_t i = 0; i < count; i++)
    plan->order[i] = key[i].run;
  free(key);
  return CS_OK;
}

int cs_plan_new(const struct cs_sweep *sweep, const struct cs_plan_options *options, struct cs_plan **plan,
                struct cs_error *error) {
  struct cs_plan *p = calloc(1, sizeof *p);
  *plan = NULL;
  if (p == NULL) return cs_error_memory(error);
  p->sweep = sweep;
  p->options = *options;
  p->runs = sweep->runs;
  p->run = calloc(p->runs, sizeof *p->run);
  int code = p->run == NULL ? cs_error_memory(error) : plan_runs(p, error);
  if (code == CS_OK) drop_doubling(p);
  if (code == CS_OK) code = order_runs(p, error);
  if (code == CS_OK) code = cs_plan_cut(p, p->order, p->ordered, error);
  if (code != CS_OK) {
    cs_plan_free(p);
    return code;
  }
  *plan = p;
  return CS_OK;
}

/* The variants and networks of points: variants as the plan of runs would choose them, among those that it has and,
 * where points need others, new ones. */
static int plan_points(struct cs_plan *plan, const size_t *axis, size_t axes, const struct cs_point *point,
                       struct cs_error *error) {
  struct known known = {0};
  struct cs_settings settings;
  int code = cs_settings_new(plan->sweep, &settings, error);
  if (code != CS_OK) return code;
  for (size_t v = 0; v < plan->variants && code == CS_OK; v++)
    if (!cs_index_add(&known.index, cs_method_hash(plan->sweep->model->subsystems, &plan->variant[v]->method), v))
      code = cs_error_memory(error);
  for (size_t i = 0; i < plan->runs && code == CS_OK; i++) {
    struct cs_run *run = &plan->run[i];
    cs_settings_at(plan->sweep, point[i].run, axis, point[i].value, axes, &settings);
    code = variant_of(plan, &known, &settings.method, false, &run->variant, error);
    if (code == CS_OK && i == 0) code = cs_networks_new(plan->variant[0], &plan->networks, error);
    if (code == CS_OK) code = place(plan, &known, i, &settings, error);
  }
  cs_index_clear(&known.index);
  cs_settings_free(&settings);
  return code;
}

int cs_plan_points(struct cs_plan *parent, const struct cs_sweep *sweep, const size_t *axis, size_t axes,
                   const struct cs_point *point, size_t points, struct cs_plan **plan, struct cs_error *error) {
  struct cs_plan *p = calloc(1, sizeof *p);
  *plan = NULL;
  if (p == NULL) return cs_error_memory(error);
  p->sweep = sweep;
  p->options = parent->options;
  p->of_points = true;
  p->runs = points;
  p->variants = parent->variants;
  p->variant = parent->variant;
  p->modes = parent->modes;
  p->run = calloc(points + 1, sizeof *p->run);
  int code = p->run == NULL ? cs_error_memory(error) : plan_points(p, axis, axes, point, error);
  parent->variants = p->variants;
  parent->variant = p->variant;
  parent->modes = p->modes;
  if (code == CS_OK) code = order_runs(p, error);
  if (code == CS_OK) code = cs_plan_cut(p, p->order, p->ordered, error);
  if (code != CS_OK) {
    cs_plan_free(p);
    return code;
  }
  *plan = p;
  return CS_OK;
}

static int compare_again(const void *left, const void *right) {
  const struct key *a = left, *b = right;
  return a->variant != b->variant ? (a->variant < b->variant ? -1 : 1) : (a->run > b->run) - (a->run < b->run);
}

int cs_plan_again(struct cs_plan *plan, const size_t *run, size_t runs, struct cs_error *error) {
  struct key *key = calloc(runs + 1, sizeof *key);
  struct known known = {0};
  int code = key == NULL ? cs_error_memory(error) : CS_OK;
  free(plan->again);
  plan->again = malloc((runs + 1) * sizeof *plan->again);
  if (code == CS_OK && plan->again == NULL) code = cs_error_memory(error);
  for (size_t i = 0; i < runs && code == CS_OK; i++) {
    struct cs_run *of = &plan->run[run[i]];
    code = variant_of(plan, &known, &plan->variant[of->variant]->method, true, &of->variant, error);
    key[i] = (struct key){.variant = of->variant, .run = run[i]};
  }
  if (code == CS_OK) qsort(key, runs, sizeof *key, compare_again);
  for (size_t i = 0; i < runs && code == CS_OK; i++)
    plan->again[i] = key[i].run;
  plan->repeats = runs;
  plan->dropped = 0;
  plan->done = plan->tiles;
  if (code == CS_OK) code = cs_plan_cut(plan, plan->again, runs, error);
  cs_index_clear(&known.index);
  free(key);
  return code;
}

void cs_plan_free(struct cs_plan *p) {
  if (p == NULL) return;
  for (size_t i = 0; i < p->variants && !p->of_points; i++)
    cs_layout_free(p->variant[i]);
  if (!p->of_points) free(p->variant);
  cs_networks_free(p->networks);
  cs_pacing_clear(&p->pacing);
  free(p->own);
  free(p->paced);
  free(p->run);
  free(p->order);
  free(p->again);
  free(p->left);
  free(p->tile);
  cs_text_free(&p->reasons.text);
  free(p);
}
