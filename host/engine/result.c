#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "version.h"

static const char *unit_of(const struct cs_model *model, enum cs_over over, size_t i) {
  const char *unit = cs_model_signal_unit(model, over, i);
  return unit[0] != '\0' ? unit : "1";
}

const char *cs_result_common_unit(const struct cs_model *model, enum cs_over over) {
  const bool of_model = over >= CS_OVER_OUTPUT && over <= CS_OVER_MONITOR;
  const size_t count = of_model ? cs_model_signals(model, over) : 0;
  for (size_t i = 1; i < count; i++)
    if (strcmp(unit_of(model, over, i), unit_of(model, over, 0)) != 0) return NULL;
  return count > 0 ? unit_of(model, over, 0) : NULL;
}

/* Appends a metric's own unit, the one its signals share, or where the signals' units stand. */
static void add_unit(const struct cs_model *model, const struct cs_metric_info *info, struct cs_text *unit) {
  const char *common = cs_result_common_unit(model, info->over);
  if (common != NULL && strstr(info->unit, "per s") != NULL)
    cs_text_add(unit, "%s/s", common);
  else if (info->unit[0] != '\0')
    cs_text_add(unit, "%s", info->unit);
  else if (common != NULL)
    cs_text_add(unit, "%s", common);
  else
    cs_text_add(unit, "see %s_units", cs_over_name(info->over));
}

static size_t signals(const struct cs_plan *plan, int metric) {
  const enum cs_over over = cs_metric_table[metric].over;
  return over == CS_OVER_MODE   ? plan->modes
         : over == CS_OVER_BOND ? cs_controls_bonds(plan->sweep->controls)
                                : cs_model_signals(plan->sweep->model, over);
}

/* ---- dimensions -------------------------------------------------------------------------------------------------- */

static int add_axes(const struct cs_sweep *sweep, struct cs_table *table, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < sweep->axes && code == CS_OK; i++) {
    const struct cs_axis *axis = &sweep->axis[i];
    code = cs_table_add_dimension(table, axis->name, axis->unit, axis->long_name, axis->length, axis->values,
                                  (const char *const *)axis->labels, NULL, error);
  }
  return code;
}

/* zip axes: one auxiliary array per path. */
static int add_columns(const struct cs_sweep *sweep, struct cs_table *table, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < sweep->axes; i++) {
    const struct cs_axis *axis = &sweep->axis[i];
    for (size_t c = 0; c < axis->columns && code == CS_OK; c++) {
      const struct cs_axis_column *column = &axis->column[c];
      struct cs_text long_name = {0};
      struct cs_array *array;
      cs_text_add(&long_name, "values along axis %s", axis->name);
      code = long_name.failed
                 ? cs_error_memory(error)
                 : cs_table_add_array(table, column->name, column->labels != NULL ? "" : "1", long_name.data,
                                      column->labels != NULL ? CS_TEXT : CS_FLOAT64, 1, &i, &array, error);
      cs_text_free(&long_name);
      for (size_t k = 0; k < axis->length && code == CS_OK; k++)
        if (column->labels == NULL)
          array->data.float64[k] = column->values[k];
        else if ((array->data.text[k] = cs_text_copy(column->labels[k])) == NULL)
          code = cs_error_memory(error);
    }
  }
  return code;
}

int cs_result_add_signals(const struct cs_model *model, enum cs_over over, struct cs_table *table, size_t *index,
                          struct cs_error *error) {
  const size_t count = cs_model_signals(model, over);
  const char **names = malloc(count * sizeof *names);
  if (names == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < count; i++)
    names[i] = cs_model_signal_name(model, over, i);
  int code =
      cs_table_add_dimension(table, cs_over_name(over), "", cs_over_name(over), count, NULL, names, index, error);
  free(names);
  struct cs_array *units;
  struct cs_text units_name = {0}, sentence = {0};
  cs_text_add(&units_name, "%s_units", cs_over_name(over));
  cs_text_add(&sentence, "units of the %ss", cs_over_name(over));
  if (code == CS_OK && (units_name.failed || sentence.failed)) code = cs_error_memory(error);
  if (code == CS_OK)
    code = cs_table_add_array(table, units_name.data, "", sentence.data, CS_TEXT, 1, index, &units, error);
  cs_text_free(&units_name);
  cs_text_free(&sentence);
  for (size_t i = 0; i < count && code == CS_OK; i++)
    if ((units->data.text[i] = cs_text_copy(unit_of(model, over, i))) == NULL) code = cs_error_memory(error);
  return code;
}

static bool is_over(const struct cs_sweep *sweep, enum cs_over over) {
  bool used = false;
  for (int m = 0; m < CS_METRICS; m++)
    used = used || (sweep->metric[m] && cs_metric_table[m].over == over);
  return used;
}

/* Eigenvalues by number. */
static int add_modes(const struct cs_plan *plan, struct cs_table *table, size_t *index, struct cs_error *error) {
  if (!is_over(plan->sweep, CS_OVER_MODE) || plan->modes == 0) return CS_OK;
  double *number = malloc(plan->modes * sizeof *number);
  if (number == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < plan->modes; i++)
    number[i] = (double)i;
  const int code = cs_table_add_dimension(table, cs_over_name(CS_OVER_MODE), "1", "number of the eigenvalue, from 0",
                                          plan->modes, number, NULL, index, error);
  free(number);
  return code;
}

/* Power bonds; a run with fewer of them than the longest list has not-a-number for the others. */
static int add_bonds(const struct cs_plan *plan, struct cs_table *table, size_t *index, struct cs_error *error) {
  const struct cs_controls *controls = plan->sweep->controls;
  const size_t count = cs_controls_bonds(controls);
  if (!is_over(plan->sweep, CS_OVER_BOND) || count == 0) return CS_OK;
  struct cs_text *name = calloc(count, sizeof *name);
  const char **names = calloc(count, sizeof *names);
  int code = name == NULL || names == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    cs_controls_name_bond(controls, i, &name[i]);
    names[i] = name[i].data;
    if (name[i].failed) code = cs_error_memory(error);
  }
  if (code == CS_OK)
    code =
        cs_table_add_dimension(table, cs_over_name(CS_OVER_BOND), "", "power bond", count, NULL, names, index, error);
  for (size_t i = 0; name != NULL && i < count; i++)
    cs_text_free(&name[i]);
  free(name);
  free(names);
  return code;
}

/* Signal dimensions that some metric uses, with their units beside them. *index gets the dimension, by enum cs_over. */
static int add_signals(const struct cs_plan *plan, struct cs_table *table, size_t *index, struct cs_error *error) {
  const struct cs_model *model = plan->sweep->model;
  for (int i = CS_OVER_OUTPUT; i <= CS_OVER_MONITOR; i++) {
    const enum cs_over over = (enum cs_over)i;
    const size_t count = cs_model_signals(model, over);
    if (!is_over(plan->sweep, over) || count == 0) continue;
    const int code = cs_result_add_signals(model, over, table, &index[i], error);
    if (code != CS_OK) return code;
  }
  return CS_OK;
}

/* A word per run, from a list. */
static int add_flags(struct cs_table *table, const char *name, const char *sentence, const char *meanings, size_t axes,
                     struct cs_error *error) {
  size_t dimension[CS_MAX_DIMENSIONS];
  struct cs_array *flags;
  for (size_t i = 0; i < axes; i++)
    dimension[i] = i;
  const int code = cs_table_add_array(table, name, "1", sentence, CS_UINT8, axes, dimension, &flags, error);
  if (code != CS_OK) return code;
  flags->flag_meanings = cs_text_copy(meanings);
  return flags->flag_meanings == NULL ? cs_error_memory(error) : CS_OK;
}

static int add_metrics(const struct cs_plan *plan, struct cs_table *table, const size_t *index,
                       struct cs_error *error) {
  size_t dimension[CS_MAX_DIMENSIONS];
  const size_t axes = plan->sweep->axes;
  for (size_t i = 0; i < axes; i++)
    dimension[i] = i;
  for (int m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    struct cs_text unit = {0};
    if (!plan->sweep->metric[m] || signals(plan, m) == 0) continue;
    add_unit(plan->sweep->model, info, &unit);
    if (info->over != CS_OVER_NOTHING) dimension[axes] = index[info->over];
    const int code =
        unit.failed ? cs_error_memory(error)
        : info->flags != NULL
            ? add_flags(table, info->name, info->long_name, info->flags, axes, error)
            : cs_table_add_array(table, info->name, unit.data, info->long_name, info->count ? CS_INT64 : CS_FLOAT64,
                                 axes + (info->over != CS_OVER_NOTHING), dimension, NULL, error);
    cs_text_free(&unit);
    if (code != CS_OK) return code;
  }
  return CS_OK;
}

/* The outcome of each run, as far as the plan knows it, and, where steps are made, how it was computed: nothing yet. */
static int add_outcomes(const struct cs_plan *plan, struct cs_table *table, struct cs_error *error) {
  const size_t axes = plan->sweep->axes;
  int code = add_flags(table, "status", "outcome of the run", CS_STATUS_WORDS, axes, error);
  if (code == CS_OK && plan->sweep->study == CS_SIMULATION)
    code = add_flags(table, "engine_used", "how the run was computed: step by step or by doubling", "none step double",
                     axes, error);
  if (code != CS_OK) return code;
  struct cs_array *status = cs_table_find(table, "status");
  for (size_t i = 0; i < plan->runs; i++)
    status->data.uint8[i] = plan->run[i].status;
  return CS_OK;
}

int cs_result_new(const struct cs_plan *plan, const char *command, const char *started, struct cs_table **table,
                  struct cs_error *error) {
  size_t index[CS_OVER_BOND + 1] = {0};
  char history[4096];
  snprintf(history, sizeof history, "%s %s", started, command != NULL ? command : "libcosweep");
  const char *title = plan->sweep->description != NULL && plan->sweep->description[0] != '\0' ? plan->sweep->description
                                                                                              : plan->sweep->name;
  *table = cs_table_new(title, "cosweep " CS_VERSION, history);
  if (*table == NULL) return cs_error_memory(error);
  int code = add_axes(plan->sweep, *table, error);
  if (code == CS_OK) code = add_columns(plan->sweep, *table, error);
  if (code == CS_OK) code = add_signals(plan, *table, index, error);
  if (code == CS_OK) code = add_modes(plan, *table, &index[CS_OVER_MODE], error);
  if (code == CS_OK) code = add_bonds(plan, *table, &index[CS_OVER_BOND], error);
  if (code == CS_OK) code = add_metrics(plan, *table, index, error);
  if (code == CS_OK) code = add_outcomes(plan, *table, error);
  if (code != CS_OK) {
    cs_table_free(*table);
    *table = NULL;
  }
  return code;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

void cs_result_open(const struct cs_plan *plan, struct cs_table *table, struct cs_result *result) {
  result->plan = plan;
  for (int m = 0; m < CS_METRICS; m++)
    result->metric[m] = plan->sweep->metric[m] && cs_metric_table[m].study == plan->options.study
                            ? cs_table_find(table, cs_metric_table[m].name)
                            : NULL;
  result->status = plan->options.study == plan->sweep->study ? cs_table_find(table, "status") : NULL;
  result->engine = result->status != NULL ? cs_table_find(table, "engine_used") : NULL;
}

static void enter_count(const struct cs_result *r, enum cs_metric metric, size_t run, double value) {
  if (r->metric[metric] != NULL) r->metric[metric]->data.int64[run] = (int64_t)value;
}

static void enter_number(const struct cs_result *r, enum cs_metric metric, size_t run, double value) {
  if (r->metric[metric] != NULL) r->metric[metric]->data.float64[run] = value;
}

/* The metrics of a run that has no meaning. */
static void enter_nothing(const struct cs_result *r, size_t run) {
  for (int m = 0; m < CS_METRICS; m++) {
    if (r->metric[m] == NULL || r->metric[m]->type != CS_FLOAT64) continue;
    const size_t count = signals(r->plan, m);
    for (size_t i = 0; i < count; i++)
      r->metric[m]->data.float64[run * count + i] = NAN;
  }
}

/* Step calls of subsystems in a macro step, or of those one after the other; with halves three steps are one. */
static double calls(const struct cs_layout *l, size_t of_step) {
  return (double)of_step * (l->halves ? 3.0 : 1.0);
}

/* Whether a run is good without a number for the metric: a corrected estimate may not exist, a monitor have no flow, a
 * run no bonds. */
static bool may_be_missing(int metric) {
  return metric == CS_LOCAL_ERROR_ESTIMATE || metric == CS_MONITOR_PREDICTED || metric == CS_BOND_SHARE;
}

/* The metrics that the kernels have summed, raised or kept; `whole`: what sums of squares are shared among, steps or s.
 * False where one is not finite. */
static bool enter_values(const struct cs_result *r, size_t number, const double *state, size_t pitch, double whole) {
  const struct cs_layout *l = r->plan->variant[r->plan->run[number].variant];
  bool finite = true;
  for (int m = 0; m < CS_METRICS; m++) {
    if (r->metric[m] == NULL || r->metric[m]->type != CS_FLOAT64) continue;
    const size_t count = signals(r->plan, m);
    double *to = r->metric[m]->data.float64 + number * count;
    for (size_t i = 0; i < count; i++) {
      if (l->sum_of[m] >= 0)
        to[i] = sqrt(state[(l->state_sums + (size_t)l->sum_of[m] + i) * pitch] / whole);
      else if (l->top_of[m] >= 0)
        to[i] = state[(l->state_tops + (size_t)l->top_of[m] + i) * pitch];
      else if (l->final_of[m] >= 0)
        to[i] = state[(l->state_finals + (size_t)l->final_of[m] + i) * pitch];
      else if (m == CS_MONITOR_PREDICTED)
        to[i] = l->model->monitor[i].flow >= 0 ? state[(l->state_flow + l->monitors + i) * pitch] : NAN;
      else if (m == CS_BOND_SHARE)
        to[i] =
            i < l->bonds ? state[(l->state_share + i) * pitch] / state[(l->state_vary + CS_VARY_SHARED) * pitch] : NAN;
      else if (m == CS_INTEGRATION_DEFECT)
        to[i] = 0.0; /* exact solvers only */
      else
        continue;
      if (l->final_of[m] >= 0 && m != CS_MONITOR_FINAL) to[i] = fabs(to[i]);
      finite = finite && (isfinite(to[i]) || may_be_missing(m));
    }
  }
  return finite;
}

/* How a run ended, and which way it went; its metrics, where they mean something. */
static enum cs_status enter_end(const struct cs_result *r, size_t number, enum cs_status status, enum cs_way way,
                                const double *state, size_t pitch, double whole) {
  if (status == CS_STATUS_OK && !enter_values(r, number, state, pitch, whole)) status = CS_STATUS_DIVERGED;
  if (status != CS_STATUS_OK) enter_nothing(r, number);
  r->status->data.uint8[number] = (uint8_t)status;
  r->engine->data.uint8[number] = (uint8_t)way;
  return status;
}

static void enter_counts(const struct cs_result *r, size_t number, double steps, double rejected) {
  const struct cs_layout *l = r->plan->variant[r->plan->run[number].variant];
  const double tried = steps + rejected;
  enter_count(r, CS_STEPS, number, steps);
  enter_count(r, CS_REJECTED_STEPS, number, rejected);
  enter_count(r, CS_EVALUATIONS, number, tried * calls(l, cs_layout_evaluations(l)));
  enter_count(r, CS_CALL_STAGES, number, tried * calls(l, cs_layout_stages(l)));
  enter_count(r, CS_REPEATED_STEPS, number, tried * l->method.iterations);
}

static void enter_sizes(const struct cs_result *r, size_t number, double least, double mean, double most, double end) {
  enter_number(r, CS_STEP_MIN, number, least);
  enter_number(r, CS_STEP_MEAN, number, mean);
  enter_number(r, CS_STEP_MAX, number, most);
  enter_number(r, CS_T_FINAL, number, end);
}

/* A run whose steps vary: its state says how many it took, how large they were and how it ended. */
static enum cs_status enter_varied(const struct cs_result *r, size_t number, const double *state) {
  const struct cs_layout *l = r->plan->variant[r->plan->run[number].variant];
  const double *own = state + l->state_vary;
  const double steps = own[CS_VARY_STEPS], time = own[CS_VARY_TIME] + own[CS_VARY_REST];
  enter_counts(r, number, steps, own[CS_VARY_REJECTED]);
  const enum cs_status status = enter_end(r, number, (enum cs_status)own[CS_VARY_STATUS], CS_WAY_STEP, state, 1, time);
  enter_sizes(r, number, fmin(own[CS_VARY_LEAST], own[CS_VARY_MOST]), time / steps, own[CS_VARY_MOST], time);
  return status;
}

enum cs_status cs_result_enter(const struct cs_result *r, size_t number, enum cs_way way, const double *state,
                               size_t pitch) {
  const struct cs_run *run = &r->plan->run[number];
  const struct cs_layout *l = r->plan->variant[run->variant];
  if (l->varies) return enter_varied(r, number, state);
  const double diverged = state[l->state_diverged * pitch];
  const double steps = diverged > 0.0 ? diverged : run->steps;
  enter_counts(r, number, steps, 0.0);
  const enum cs_status status =
      enter_end(r, number, diverged > 0.0 ? CS_STATUS_DIVERGED : CS_STATUS_OK, way, state, pitch, run->steps);
  enter_sizes(r, number, run->step_size, run->step_size, run->step_size, steps * run->step_size);
  return status;
}

void cs_result_describe_end(enum cs_status status, double step, struct cs_text *text) {
  if (status == CS_STATUS_UNDERFLOW)
    cs_text_add(text, "the step size fell below method.step.underflow after %.0f steps", step);
  else if (status == CS_STATUS_STEP_LIMIT)
    cs_text_add(text, "stopped after method.step.max_steps, %.0f steps", step);
  else if (status == CS_STATUS_INVALID)
    cs_text_add(text, "after %.0f steps the step size is more than %g times the model's fastest time scale", step,
                CS_LARGEST_NORM);
  else
    cs_text_add(text, "diverged at step %.0f", step);
}

bool cs_result_stable(double radius) {
  return radius <= 1.0 + 1e-9;
}

double cs_result_radius(const double *state, size_t pitch) {
  const double radius = state[CS_SPECTRUM_RADIUS * pitch];
  return state[CS_SPECTRUM_FAILED * pitch] == 0.0 && isfinite(radius) ? radius : NAN;
}

enum cs_status cs_result_enter_spectrum(const struct cs_result *r, size_t number, const double *state, size_t pitch) {
  const struct cs_run *run = &r->plan->run[number];
  const struct cs_layout *l = r->plan->variant[run->variant];
  const bool alone = r->plan->networks->status[run->network] == CS_STATUS_SINGULAR; /* no exact solution */
  const double radius = cs_result_radius(state, pitch), exact = alone ? NAN : state[CS_SPECTRUM_GROWTH_EXACT * pitch];
  const double rate = run->step_size > 0.0 ? log(radius) / run->step_size : NAN;
  const bool failed = isnan(radius);
  if (r->status != NULL) r->status->data.uint8[number] = failed ? CS_STATUS_DIVERGED : CS_STATUS_OK;
  enter_nothing(r, number);
  if (failed) return CS_STATUS_DIVERGED;
  enter_number(r, CS_SPECTRAL_RADIUS, number, radius);
  enter_number(r, CS_SPECTRAL_RADIUS_EXACT, number, exp(run->step_size * exact));
  enter_number(r, CS_SPECTRAL_RADIUS_DECAYING, number, state[CS_SPECTRUM_DECAYING * pitch]);
  enter_number(r, CS_GROWTH_RATE, number, rate);
  enter_number(r, CS_EXCESS_GROWTH_RATE, number, rate - exact);
  if (r->metric[CS_STABLE] != NULL) r->metric[CS_STABLE]->data.uint8[number] = cs_result_stable(radius);
  for (size_t i = 0; r->metric[CS_EIGENVALUE_RE] != NULL && i < l->modes; i++) {
    const double *at = state + (CS_SPECTRUM_EIGENVALUES + i) * pitch;
    r->metric[CS_EIGENVALUE_RE]->data.float64[number * r->plan->modes + i] = at[0];
    r->metric[CS_EIGENVALUE_IM]->data.float64[number * r->plan->modes + i] = at[l->modes * pitch];
  }
  return CS_STATUS_OK;
}

static void copy_run(struct cs_array *array, size_t runs, size_t from, size_t to) {
  const size_t inner = array->count / runs;
  if (array->type == CS_UINT8)
    memcpy(array->data.uint8 + to * inner, array->data.uint8 + from * inner, inner);
  else if (array->type == CS_INT64)
    memcpy(array->data.int64 + to * inner, array->data.int64 + from * inner, inner * sizeof *array->data.int64);
  else
    memcpy(array->data.float64 + to * inner, array->data.float64 + from * inner, inner * sizeof *array->data.float64);
}

void cs_result_copy(const struct cs_plan *plan, struct cs_table *table, size_t *status) {
  struct cs_result r;
  cs_result_open(plan, table, &r);
  for (size_t run = 0; plan->copies > 0 && run < plan->runs; run++) {
    const size_t from = plan->run[run].status == CS_STATUS_OK ? plan->same[run] : run;
    if (from == run) continue;
    for (int m = 0; m < CS_METRICS; m++)
      if (r.metric[m] != NULL) copy_run(r.metric[m], plan->runs, from, run);
    if (r.engine != NULL) copy_run(r.engine, plan->runs, from, run);
    if (r.status == NULL) continue;
    copy_run(r.status, plan->runs, from, run);
    status[r.status->data.uint8[run]]++;
  }
}

/* ---- fits -------------------------------------------------------------------------------------------------------- */

enum { FIT_COLUMNS = 5 };

static int add_fit_arrays(struct cs_table *table, const struct cs_array *source, const char *metric, const char *axis,
                          size_t along, const char *axis_unit, struct cs_array **to, struct cs_error *error) {
  static const struct {
    const char *suffix, *sentence;
    bool count, abscissa;
  } column[FIT_COLUMNS] = {{"_order", "order of %s along %s", false, false},
                           {"_order_r2", "coefficient of determination of the order of %s along %s", false, false},
                           {"_order_first", "smallest abscissa used for the order of %s along %s", false, true},
                           {"_order_last", "largest abscissa used for the order of %s along %s", false, true},
                           {"_order_points", "points used for the order of %s along %s", true, false}};
  size_t dimension[CS_MAX_DIMENSIONS], dimensions = 0;
  for (size_t i = 0; i < source->dimensions; i++)
    if (i != along) dimension[dimensions++] = source->dimension[i];
  struct cs_text name[FIT_COLUMNS] = {{0}};
  int code = CS_OK;
  for (int c = 0; c < FIT_COLUMNS && code == CS_OK; c++) {
    struct cs_text sentence = {0};
    cs_text_add(&name[c], "%s%s", metric, column[c].suffix);
    cs_text_add(&sentence, column[c].sentence, metric, axis);
    code = name[c].failed || sentence.failed
               ? cs_error_memory(error)
               : cs_table_add_array(table, name[c].data, column[c].abscissa ? axis_unit : "1", sentence.data,
                                    column[c].count ? CS_INT64 : CS_FLOAT64, dimensions, dimension, NULL, error);
    cs_text_free(&sentence);
  }
  for (int c = 0; c < FIT_COLUMNS; c++) { /* now that no array moves any more */
    to[c] = code == CS_OK ? cs_table_find(table, name[c].data) : NULL;
    cs_text_free(&name[c]);
  }
  return code;
}

static int fit_metric(struct cs_table *table, const char *metric, const struct cs_axis *axis, size_t along,
                      struct cs_error *error) {
  struct cs_array *to[FIT_COLUMNS], *source = cs_table_find(table, metric);
  if (source == NULL) return CS_OK;
  int code = add_fit_arrays(table, source, metric, axis->name, along, axis->unit, to, error);
  if (code != CS_OK) return code;
  source = cs_table_find(table, metric); /* arrays may have moved */
  size_t inner = 1, outer = 1;
  for (size_t i = 0; i < source->dimensions; i++) {
    const size_t length = table->dimension[source->dimension[i]].length;
    if (i < along) outer *= length;
    if (i > along) inner *= length;
  }
  double *y = malloc(axis->length * sizeof *y);
  if (y == NULL) return cs_error_memory(error);
  for (size_t o = 0; o < outer; o++)
    for (size_t i = 0; i < inner; i++) {
      for (size_t k = 0; k < axis->length; k++)
        y[k] = source->data.float64[(o * axis->length + k) * inner + i];
      const struct cs_fit fit = cs_fit_order(axis->values, y, axis->length, 0.0);
      const size_t at = o * inner + i;
      to[0]->data.float64[at] = fit.order;
      to[1]->data.float64[at] = fit.r2;
      to[2]->data.float64[at] = fit.first;
      to[3]->data.float64[at] = fit.last;
      to[4]->data.int64[at] = fit.points;
    }
  free(y);
  return CS_OK;
}

int cs_result_fit(const struct cs_plan *plan, struct cs_table *table, struct cs_error *error) {
  const struct cs_sweep *sweep = plan->sweep;
  int code = CS_OK;
  for (size_t f = 0; f < sweep->fits; f++)
    for (int m = 0; m < CS_METRICS && code == CS_OK; m++)
      if (sweep->fit[f].metric[m] && !cs_metric_table[m].count && signals(plan, m) > 0)
        code = fit_metric(table, cs_metric_table[m].name, &sweep->axis[sweep->fit[f].axis], sweep->fit[f].axis, error);
  return code;
}
