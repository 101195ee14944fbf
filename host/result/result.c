#include "result.h"

#include <stdlib.h>
#include <string.h>

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

/* Appends the unit of a metric: its own, the one its signals share, or a reference to the array of units. */
static void add_unit(const struct cs_model *model, const struct cs_metric_info *info, struct cs_text *unit) {
  const char *common = cs_result_common_unit(model, info->over);
  if (info->unit != NULL)
    cs_text_add(unit, "%s", info->unit);
  else if (common != NULL && info->per_second)
    cs_text_add(unit, "%s/s", common);
  else if (common != NULL)
    cs_text_add(unit, "%s", common);
  else
    cs_text_add(unit, "see %s_units%s", cs_metric_over_name(info->over), info->per_second ? ", per s" : "");
}

size_t cs_result_signals(const struct cs_sweep *sweep, size_t modes, int metric) {
  const enum cs_over over = cs_metric_table[metric].over;
  return over == CS_OVER_MODE ? modes : cs_sweep_signals(sweep, over);
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

/* Axes `zip`: one auxiliary array per path. */
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
                 : cs_table_add_array(table, column->name, column->labels != NULL ? "" : column->unit, long_name.data,
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
  int code = cs_table_add_dimension(table, cs_metric_over_name(over), "", cs_metric_over_name(over), count, NULL, names,
                                    index, error);
  free(names);
  struct cs_array *units;
  struct cs_text units_name = {0}, sentence = {0};
  cs_text_add(&units_name, "%s_units", cs_metric_over_name(over));
  cs_text_add(&sentence, "units of the %ss", cs_metric_over_name(over));
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
static int add_modes(const struct cs_sweep *sweep, size_t modes, struct cs_table *table, size_t *index,
                     struct cs_error *error) {
  if (!is_over(sweep, CS_OVER_MODE) || modes == 0) return CS_OK;
  return cs_table_add_numbers(table, cs_metric_over_name(CS_OVER_MODE), "eigenvalue", modes, index, error);
}

/* Power bonds; runs with fewer bonds than the longest list have NaN for the others. */
static int add_bonds(const struct cs_sweep *sweep, struct cs_table *table, size_t *index, struct cs_error *error) {
  const struct cs_controls *controls = sweep->controls;
  const size_t count = cs_controls_bonds(controls);
  if (!is_over(sweep, CS_OVER_BOND) || count == 0) return CS_OK;
  struct cs_text *name = calloc(count, sizeof *name);
  const char **names = calloc(count, sizeof *names);
  int code = name == NULL || names == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    cs_controls_name_bond(controls, i, &name[i]);
    names[i] = name[i].data;
    if (name[i].failed) code = cs_error_memory(error);
  }
  if (code == CS_OK)
    code = cs_table_add_dimension(table, cs_metric_over_name(CS_OVER_BOND), "", "power bond", count, NULL, names, index,
                                  error);
  for (size_t i = 0; name != NULL && i < count; i++)
    cs_text_free(&name[i]);
  free(name);
  free(names);
  return code;
}

/* State events by name, and the first events of a run by number. */
static int add_events(const struct cs_sweep *sweep, struct cs_table *table, size_t *index, struct cs_error *error) {
  const size_t events = cs_sweep_signals(sweep, CS_OVER_EVENT);
  int code = CS_OK;
  if (is_over(sweep, CS_OVER_EVENT)) {
    const char **names = malloc((events + 1) * sizeof *names);
    if (names == NULL) return cs_error_memory(error);
    for (size_t i = 0; i < events; i++)
      names[i] = cs_model_signal_name(sweep->model, CS_OVER_EVENT, i);
    code = cs_table_add_dimension(table, cs_metric_over_name(CS_OVER_EVENT), "", "state event", events, NULL, names,
                                  &index[CS_OVER_EVENT], error);
    free(names);
  }
  if (code == CS_OK && is_over(sweep, CS_OVER_OCCURRENCE))
    code = cs_table_add_numbers(table, cs_metric_over_name(CS_OVER_OCCURRENCE), "event of the run", sweep->table,
                                &index[CS_OVER_OCCURRENCE], error);
  return code;
}

/* Adds the signal dimensions that metrics use, with units. index [CS_OVERS]: number of the dimension, by enum
 * cs_over. */
static int add_signals(const struct cs_sweep *sweep, struct cs_table *table, size_t *index, struct cs_error *error) {
  const struct cs_model *model = sweep->model;
  for (int i = CS_OVER_OUTPUT; i <= CS_OVER_MONITOR; i++) {
    const enum cs_over over = (enum cs_over)i;
    const size_t count = cs_model_signals(model, over);
    if (!is_over(sweep, over) || count == 0) continue;
    const int code = cs_result_add_signals(model, over, table, &index[i], error);
    if (code != CS_OK) return code;
  }
  return CS_OK;
}

/* Adds an array of one flag per run. */
static int add_flags(struct cs_table *table, const char *name, const char *sentence, const char *meanings, size_t axes,
                     struct cs_error *error) {
  size_t dimension[CS_MAX_DIMENSIONS];
  struct cs_array *flags;
  for (size_t i = 0; i < axes; i++)
    dimension[i] = i;
  const int code = cs_table_add_homed(table, name, "1", sentence, CS_UINT8, axes, dimension, &flags, error);
  if (code != CS_OK) return code;
  flags->flag_meanings = cs_text_copy(meanings);
  return flags->flag_meanings == NULL ? cs_error_memory(error) : CS_OK;
}

static int add_metrics(const struct cs_sweep *sweep, size_t modes, struct cs_table *table, const size_t *index,
                       struct cs_error *error) {
  size_t dimension[CS_MAX_DIMENSIONS];
  const size_t axes = sweep->axes;
  for (size_t i = 0; i < axes; i++)
    dimension[i] = i;
  for (int m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    struct cs_text unit = {0};
    if (!sweep->metric[m] || cs_result_signals(sweep, modes, m) == 0) continue;
    add_unit(sweep->model, info, &unit);
    if (info->over != CS_OVER_NOTHING) dimension[axes] = index[info->over];
    const int code = unit.failed ? cs_error_memory(error)
                     : info->flags != NULL
                         ? add_flags(table, info->name, info->long_name, info->flags, axes, error)
                         : cs_table_add_homed(table, info->name, unit.data, info->long_name, cs_metric_type(m),
                                              axes + (info->over != CS_OVER_NOTHING), dimension, NULL, error);
    cs_text_free(&unit);
    if (code != CS_OK) return code;
  }
  return CS_OK;
}

/* Adds the status of each run, and in study simulation how it was computed: not yet. */
static int add_outcomes(const struct cs_sweep *sweep, struct cs_table *table, struct cs_error *error) {
  const size_t axes = sweep->axes;
  const int code = add_flags(table, "status", "outcome of the run", CS_STATUS_WORDS, axes, error);
  if (code != CS_OK || sweep->study != CS_SIMULATION) return code;
  return add_flags(table, "engine_used", "how the run was computed: step by step or by doubling", "none step double",
                   axes, error);
}

void cs_result_begin(const struct cs_plan *plan, struct cs_table *table) {
  struct cs_array *status = cs_table_find(table, "status");
  for (size_t i = 0; i < plan->runs; i++)
    status->data.uint8[i] = plan->run[i].status;
}

int cs_result_new_table(const struct cs_sweep *sweep, const char *suffix, const char *command, const char *started,
                        struct cs_table **table, struct cs_error *error) {
  const bool described = sweep->description != NULL && sweep->description[0] != '\0';
  struct cs_text title = {0}, history = {0};
  cs_text_add(&title, "%s%s", described ? sweep->description : sweep->name, suffix);
  cs_text_add(&history, "%s %s", started, command != NULL ? command : "libcosweep");
  *table = title.failed || history.failed ? NULL : cs_table_new(title.data, "cosweep " CS_VERSION, history.data);
  cs_text_free(&title);
  cs_text_free(&history);
  return *table == NULL ? cs_error_memory(error) : CS_OK;
}

int cs_result_new(const struct cs_sweep *sweep, size_t modes, struct cs_result_home home, const char *command,
                  const char *started, struct cs_table **table, struct cs_error *error) {
  size_t index[CS_OVERS] = {0};
  int code = cs_result_new_table(sweep, "", command, started, table, error);
  if (code == CS_OK) (*table)->home = home.home;
  if (code == CS_OK && home.home == CS_IN_FILE) code = cs_table_spill(*table, home.beside, error);
  if (code == CS_OK) code = add_axes(sweep, *table, error);
  if (code == CS_OK) code = add_columns(sweep, *table, error);
  if (code == CS_OK) code = add_signals(sweep, *table, index, error);
  if (code == CS_OK) code = add_modes(sweep, modes, *table, &index[CS_OVER_MODE], error);
  if (code == CS_OK) code = add_bonds(sweep, *table, &index[CS_OVER_BOND], error);
  if (code == CS_OK) code = add_events(sweep, *table, index, error);
  if (code == CS_OK) code = add_metrics(sweep, modes, *table, index, error);
  if (code == CS_OK) code = add_outcomes(sweep, *table, error);
  if (code != CS_OK) {
    cs_table_free(*table);
    *table = NULL;
  }
  return code;
}
