/* Metrics and fits of a sweep file. */
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "sweep_private.h"

/* The metrics that a list may name, and why it may not name the others of the study. */
struct choice {
  enum cs_study study;
  bool allowed[CS_METRICS];
  const char *otherwise; /* NULL: what_is_missing in `sweep` */
  const struct cs_sweep *sweep;
};

static long find_word(const char *word) {
  long m = 0;
  while (m < CS_METRICS && strcmp(cs_metric_word((int)m), word) != 0)
    m++;
  return m < CS_METRICS ? m : -1;
}

size_t cs_sweep_signals(const struct cs_sweep *sweep, enum cs_over over) {
  return over == CS_OVER_BOND         ? cs_controls_bonds(sweep->controls)
         : over == CS_OVER_OCCURRENCE ? sweep->table
                                      : cs_model_signals(sweep->model, over);
}

/* Whether a metric compares a single step from the exact solution, or is a property of it: that of study stability. */
static bool is_of_one_step(long m) {
  return m == CS_LOCAL_ERROR || m == CS_LOCAL_ERROR_ESTIMATE || cs_metric_table[m].study == CS_STABILITY;
}

/* Whether a metric needs the exact outputs by themselves. */
static bool is_of_exact_outputs(long m) {
  return m == CS_OUTPUT_EXACT || m == CS_OUTPUT_ERROR_RELATIVE;
}

/* Whether a metric compares what happens between the communication points of a macro step. */
static bool is_inside_steps(long m) {
  return m == CS_OUTPUT_DEFECT || m == CS_OUTPUT_DEFECT_TRUE || m == CS_CONNECTION_DEFECT ||
         m == CS_INTEGRATION_DEFECT || m == CS_ERROR_BOUND || m == CS_LOCAL_ERROR || m == CS_LOCAL_ERROR_ESTIMATE ||
         m == CS_MONITOR_PREDICTED || m == CS_BOND_ENERGY;
}

#define EVENTFUL "the model has state events, or events with modes, forms or settings of method.events"

/* Why the model or the methods of the sweep cannot give a metric, or NULL. */
static const char *what_is_missing(const struct cs_sweep *sweep, long m) {
  const struct cs_slots *slots = &sweep->private_->slots;
  const struct cs_model *model = sweep->model;
  const struct cs_metric_info *info = &cs_metric_table[m];
  bool flows = false;
  for (size_t i = 0; i < model->monitors; i++)
    flows = flows || model->monitor[i].flow >= 0;
  if (info->of_events && model->state_events == 0) return "not available: the model has no state events";
  if ((is_of_one_step(m) || m == CS_ROUNDING || m == CS_BOND_ENERGY || is_of_exact_outputs(m)) &&
      cs_sweep_is_eventful(sweep) && sweep->study == CS_SIMULATION)
    return info->study == CS_STABILITY ? "available in study stability only: " EVENTFUL : "not available: " EVENTFUL;
  if ((m == CS_OPERATING_POINT || m == CS_EQUILIBRIUM_RESIDUAL) && model->equations == 0)
    return "not available: the model is linear";
  if (m == CS_ERROR_BOUND && model->events > 0) return "not available: the model has events";
  for (size_t s = 0; m == CS_ERROR_BOUND && s < model->subsystems; s++)
    if (cs_slots_adapt(slots, s)) return "not available: some run has solver dopri5";
  if (is_inside_steps(m) && cs_slots_rate(slots)) return "not available: in some run subsystems have a rate";
  if ((m == CS_LOCAL_ERROR || m == CS_LOCAL_ERROR_ESTIMATE) && cs_slots_keep(slots))
    return "not available: in some run a solver keeps its memory, and an exact state has none";
  if (m == CS_ERROR_BOUND && cs_slots_may_be(slots, CS_SETTING_ERROR_AT, CS_POINTS))
    return "not available: some run has error_at points, and the bound is one over time";
  const bool tolerates = cs_slots_may_be(slots, CS_SETTING_ITERATIONS, CS_TOLERANCE);
  if (info->study == CS_STABILITY && tolerates)
    return "not available: some run has iterations tolerance, whose steps have no matrix";
  if (!tolerates && (m == CS_REPETITIONS || m == CS_REPETITIONS_MAX || m == CS_UNCONVERGED_STEPS))
    return "not available: no run has iterations tolerance";
  if (m == CS_CONTRACTION && !cs_slots_repeat(slots)) return "not available: no run has iterations";
  if (m == CS_MONITOR_PREDICTED && !flows) return "not available: no monitor of the model has a \"flow\"";
  if (m == CS_BOND_SHARE && !(cs_slots_controls(slots) >> CS_PI_ECCO & 1))
    return "not available: no run has step control pi_ecco";
  if (m == CS_BOND_ENERGY && cs_controls_bonds(sweep->controls) == 0)
    return "not available: no run has method.step.bonds";
  if (m == CS_SEQUENCE_CHANGES && !cs_slots_may_be(slots, CS_SETTING_FIRST, CS_FIRST_PREDICTED))
    return "not available: no run has first predicted";
  if (m == CS_PARALLEL_STEPS && !cs_slots_may_be(slots, CS_SETTING_FIRST, CS_FIRST_PARALLEL))
    return "not available: no run has first parallel";
  if (info->over == CS_OVER_OCCURRENCE && sweep->table == 0) return "not available: method.events.table is 0";
  return cs_sweep_signals(sweep, info->over) == 0 ? "not available: the model has no such signals" : NULL;
}

/* Whether a study can give a metric: its own, and a simulation scalar ones of study stability, but no eigenvalues. */
static bool is_of(enum cs_study study, long m) {
  const struct cs_metric_info *info = &cs_metric_table[m];
  return info->study == study ||
         (study == CS_SIMULATION && info->study == CS_STABILITY && info->over == CS_OVER_NOTHING);
}

/* Appends why a metric is not allowed. */
static void add_reason(const struct choice *choice, const char *name, long m, struct cs_text *wrong) {
  const char *absent = cs_metric_absent(name);
  if (m >= 0 && !is_of(choice->study, m)) {
    cs_text_add(wrong, "\"%s\" is available in study %s only", name, cs_metric_study_name(cs_metric_table[m].study));
  } else if (absent != NULL) {
    cs_text_add(wrong, "\"%s\" is %s", name, absent);
  } else if (m >= 0) {
    const char *otherwise = choice->otherwise != NULL ? choice->otherwise : what_is_missing(choice->sweep, m);
    cs_text_add(wrong, "\"%s\" is %s", name, otherwise);
  } else {
    cs_text_add(wrong, "unknown metric \"%s\"", name);
  }
}

/* Reads the name of an allowed metric that is not yet in `chosen`, and adds it. */
static int read_metric(const struct cs_json *json, const struct cs_node *node, const struct choice *choice,
                       bool *chosen, struct cs_error *error) {
  int code = cs_json_want(json, node, CS_STRING, error);
  if (code != CS_OK) return code;
  const char *name = cs_json_string(node);
  long m = find_word(name);
  if (m >= 0 && chosen[m])
    return cs_json_fail(json, node, error, "\"%s\" is listed twice; want each metric once", name);
  if (m >= 0 && choice->allowed[m]) {
    do {
      chosen[m++] = true;
    } while (m < CS_METRICS && !cs_metric_begins((int)m));
    return CS_OK;
  }
  struct cs_text wrong = {0};
  add_reason(choice, name, m, &wrong);
  const char *separator = "; want one of: ";
  for (int i = 0; i < CS_METRICS; i++) {
    if (choice->allowed[i] && cs_metric_begins(i)) {
      cs_text_add(&wrong, "%s%s", separator, cs_metric_word(i));
      separator = ", ";
    }
  }
  if (m < 0 && cs_metric_absent(name) == NULL) cs_near_suggest(&wrong, name);
  return cs_json_fail_text(json, node, false, &wrong, error);
}

static int read_list(const struct cs_json *json, const struct cs_node *list, const struct choice *choice, bool *chosen,
                     struct cs_error *error) {
  int code = cs_json_want(json, list, CS_LIST, error);
  if (code == CS_OK && cs_json_length(list) == 0)
    code = cs_json_fail(json, list, error, "found an empty list; want at least one metric, or no list for the default");
  if (code != CS_OK) return code;
  for (size_t i = 0; i < cs_json_length(list) && cs_json_goes_on(json, code); i++)
    code = cs_json_also(json, code, read_metric(json, cs_json_at(list, i), choice, chosen, error), error);
  return code;
}

bool cs_sweep_has_spectra_beside(const struct cs_sweep *sweep) {
  bool any = false;
  for (int m = 0; m < CS_METRICS && sweep->study == CS_SIMULATION; m++)
    any = any || (sweep->metric[m] && cs_metric_table[m].study == CS_STABILITY);
  return any;
}

int cs_sweep_read_metrics(struct cs_sweep *sweep, bool sound, struct cs_error *error) {
  const struct cs_node *list = cs_json_get(cs_json_root(sweep->json), "metrics");
  struct choice choice = {.study = sweep->study, .sweep = sweep};
  for (int m = 0; m < CS_METRICS; m++) {
    const bool own = cs_metric_table[m].study == sweep->study;
    choice.allowed[m] = is_of(sweep->study, m) && (!sound || what_is_missing(sweep, m) == NULL);
    sweep->metric[m] = list == NULL && choice.allowed[m] && own && !cs_metric_table[m].on_request;
  }
  const int code = list != NULL ? read_list(sweep->json, list, &choice, sweep->metric, error) : CS_OK;
  if (sweep->metric[CS_ERROR_BOUND]) /* what it is made from */
    sweep->metric[CS_CONNECTION_DEFECT] = sweep->metric[CS_OUTPUT_DEFECT_TRUE] = sweep->metric[CS_T_FINAL] =
        sweep->metric[CS_INTEGRATION_DEFECT] = true;
  return code;
}

static bool is_numeric(const struct cs_sweep *sweep, size_t a, bool real) {
  return sweep->axis[a].values != NULL && sweep->axis[a].columns == 0 && (!real || cs_sweep_is_real(sweep, a));
}

int cs_sweep_read_along(const struct cs_sweep *sweep, const struct cs_node *object, bool real, size_t *along,
                        struct cs_error *error) {
  const char *name = NULL;
  int code = cs_json_need_string(sweep->json, object, "along", &name, error);
  if (code != CS_OK) return code;
  struct cs_text wrong = {0};
  const char *what = "unknown axis";
  for (size_t a = 0; a < sweep->axes; a++) {
    const struct cs_axis *axis = &sweep->axis[a];
    if (strcmp(axis->name, name) == 0) {
      *along = a;
      if (is_numeric(sweep, a, real)) return CS_OK;
      what = axis->columns ? "zip axis" : axis->labels != NULL ? "axis of labels" : "axis of whole numbers";
    }
  }
  const char *separator = ", one of: ";
  cs_text_add(&wrong, "%s \"%s\"; want an axis of %snumbers", what, name, real ? "real " : "");
  for (size_t a = 0; a < sweep->axes; a++) {
    if (is_numeric(sweep, a, real)) {
      cs_text_add(&wrong, "%s%s", separator, sweep->axis[a].name);
      separator = ", ";
    }
  }
  cs_near_suggest(&wrong, name);
  return cs_json_fail_text(sweep->json, cs_json_get(object, "along"), false, &wrong, error);
}

static int read_fit(struct cs_sweep *sweep, const struct cs_node *object, struct cs_error *error) {
  static const char *const legal[] = {"along", "metrics", NULL};
  struct cs_sweep_fit *fit = &sweep->fit[sweep->fits];
  const struct cs_node *list = cs_json_get(object, "metrics");
  int code = cs_json_check_keys(sweep->json, object, legal, error);
  if (code == CS_OK) code = cs_sweep_read_along(sweep, object, false, &fit->axis, error);
  if (code == CS_OK && list != NULL) {
    struct choice choice = {.study = sweep->study, .otherwise = "not among the metrics written"};
    memcpy(choice.allowed, sweep->metric, sizeof choice.allowed);
    code = read_list(sweep->json, list, &choice, fit->metric, error);
  }
  bool any = false;
  for (int m = 0; m < CS_METRICS && code == CS_OK; m++) {
    if (list == NULL) fit->metric[m] = sweep->metric[m] && cs_metric_table[m].fitted;
    any = any || fit->metric[m];
    for (size_t f = 0; f < sweep->fits && fit->metric[m] && code == CS_OK; f++) {
      if (sweep->fit[f].metric[m]) {
        code = cs_json_fail(sweep->json, object, error, "%s is already fitted along \"%s\"; want each metric once",
                            cs_metric_table[m].name, sweep->axis[sweep->fit[f].axis].name);
      }
    }
  }
  if (code == CS_OK && !any)
    code = cs_json_fail(sweep->json, object, error, "no defect or error is among the metrics written; want one to fit");
  return code;
}

int cs_sweep_read_fits(struct cs_sweep *sweep, struct cs_error *error) {
  const struct cs_node *list = cs_json_get(cs_json_root(sweep->json), "fits");
  int code = list != NULL ? cs_json_want(sweep->json, list, CS_LIST, error) : CS_OK;
  if (code != CS_OK || list == NULL || cs_json_length(list) == 0) return code;
  if (sweep->study != CS_SIMULATION) {
    return cs_json_fail_key(sweep->json, list, error,
                            "study %s has no defects or errors to fit; want no fits, or study simulation",
                            cs_metric_study_name(sweep->study));
  }
  sweep->fit = calloc(cs_json_length(list), sizeof *sweep->fit);
  if (sweep->fit == NULL) return cs_error_memory(error);
  for (; sweep->fits < cs_json_length(list) && code == CS_OK; sweep->fits += code == CS_OK)
    code = read_fit(sweep, cs_json_at(list, sweep->fits), error);
  return code;
}
