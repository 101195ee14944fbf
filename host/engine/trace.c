#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "course.h"
#include "list.h"
#include "machine.h"
#include "occurrences.h"
#include "pool.h"
#include "provenance.h"
#include "record.h"
#include "sizing.h"
#include "words.h"

struct trace {
  const struct cs_sweep *sweep;
  struct cs_sweep part; /* the run alone */
  const struct cs_engine_options *options;
  struct cs_plan *plan;
  const struct cs_layout *layout; /* of the run */
  size_t run, most;
  size_t count, items, room; /* rows, numbers per row, rows allocated */
  double *rows;              /* [count][items], without the occurrences */
  struct cs_occurrences occurrences;
  struct cs_trace_report *report;
};

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int take_rows(void *context, const double *rows, size_t count, struct cs_error *error) {
  struct trace *t = context;
  if (t->count + count > t->room) {
    const size_t room = 2 * (t->count + count);
    if (!cs_list_reserve(&t->rows, room, t->items * sizeof *rows)) return cs_error_memory(error);
    t->room = room;
  }
  const size_t whole = cs_record_place(t->layout, CS_RECORDS);
  int code = CS_OK;
  for (size_t i = 0; i < count && code == CS_OK; i++, rows += whole, t->count++) {
    memcpy(t->rows + t->count * t->items, rows, t->items * sizeof *rows);
    if (whole > t->items && rows[cs_record_place(t->layout, CS_RECORD_ACCEPTED)] > 0.0)
      code = cs_occurrences_take(&t->occurrences, t->layout, rows, t->count == 0, error);
  }
  return code;
}

static void enter(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  struct trace *t = context;
  const double *own = state + t->layout->state.vary;
  (void)run, (void)way, (void)pitch;
  t->report->status = (enum cs_status)own[CS_VARY_STATUS];
  t->report->steps = own[CS_VARY_STEPS];
  t->report->rejected = own[CS_VARY_REJECTED];
  if (t->layout->kind.eventful)
    t->report->given_up = state[t->layout->state.course + cs_course_place(t->layout, CS_COURSE_GIVEN_UP)];
  t->report->t_final = own[CS_VARY_TIME] + own[CS_VARY_REST];
}

static double *number_at(const struct trace *t, size_t row, enum cs_record record) {
  return t->rows + row * t->items + cs_record_place(t->layout, record);
}

/* The inputs at T_0 are those at the start of the first step. */
static void fill_start(struct trace *t) {
  const size_t inputs = cs_record_count(t->layout, CS_RECORD_U);
  if (t->count > 1 && inputs > 0)
    memcpy(number_at(t, 0, CS_RECORD_U), number_at(t, 1, CS_RECORD_U_START), inputs * sizeof *t->rows);
}

static void describe_failure(struct trace *t) {
  const struct cs_trace_report *r = t->report;
  const double tried = r->steps + r->rejected + r->given_up;
  struct cs_text *text = &t->report->failure;
  if (r->status == CS_STATUS_OK) return;
  if (r->status == CS_STATUS_STEP_LIMIT && tried >= (double)t->most) {
    cs_text_add(text, "stopped after %.0f steps, at t = %g s; raise --most to record more", tried, r->t_final);
    return;
  }
  cs_result_describe_end(t->layout, r->status, r->status == CS_STATUS_DIVERGED ? tried + 1.0 : tried, text);
  if (r->status != CS_STATUS_INVALID) cs_text_add(text, ", at t = %g s", r->t_final);
}

/* ---- table ------------------------------------------------------------------------------------------------------- */

static int new_table(struct trace *t, const char *started, struct cs_error *error, struct cs_table **table) {
  char suffix[32];
  snprintf(suffix, sizeof suffix, ": run %zu", t->run);
  return cs_result_new_table(t->sweep, suffix, t->options->command, started, table, error);
}

static int add_time(const struct trace *t, struct cs_table *table, struct cs_error *error) {
  const struct cs_record_info *info = &cs_record_table[CS_RECORD_T];
  size_t index = 0;
  double *end = malloc(t->count * sizeof *end);
  if (end == NULL) return cs_error_memory(error);
  for (size_t row = 0; row < t->count; row++)
    end[row] = *number_at(t, row, CS_RECORD_T);
  const int code =
      cs_table_add_dimension(table, info->name, info->unit, info->long_name, t->count, end, NULL, &index, error);
  if (code == CS_OK) table->dimension[index].unlimited = 1;
  free(end);
  return code;
}

/* Adds the array of one kind of record over all rows. */
static int add_record(const struct trace *t, enum cs_record record, const size_t *index, struct cs_table *table,
                      struct cs_error *error) {
  const struct cs_record_info *info = &cs_record_table[record];
  const size_t count = cs_record_count(t->layout, record), dimension[] = {index[CS_OVER_NOTHING], index[info->over]};
  const char *unit = info->unit != NULL ? info->unit : cs_result_common_unit(t->sweep->model, info->over);
  struct cs_array *array;
  struct cs_text see = {0};
  if (record == CS_RECORD_T || count == 0 || info->name == NULL) return CS_OK;
  cs_text_add(&see, "see %s_units", cs_metric_over_name(info->over));
  int code = see.failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK)
    code = cs_table_add_array(table, info->name, unit != NULL ? unit : cs_text_string(&see), info->long_name,
                              info->flags != NULL ? CS_UINT8
                              : info->whole       ? CS_INT64
                                                  : CS_FLOAT64,
                              info->over == CS_OVER_NOTHING ? 1 : 2, dimension, &array, error);
  cs_text_free(&see);
  if (code != CS_OK) return code;
  for (size_t row = 0; row < t->count; row++) {
    const double *value = number_at(t, row, record);
    if (info->flags != NULL)
      array->data.uint8[row] = value[0] > 0.0 ? (uint8_t)value[0] : 0;
    else if (info->whole)
      array->data.int64[row] = (int64_t)value[0];
    else
      memcpy(array->data.float64 + row * count, value, count * sizeof *value);
  }
  if (info->flags != NULL && (array->flag_meanings = cs_text_copy(info->flags)) == NULL) return cs_error_memory(error);
  return CS_OK;
}

/* Number of every subsystem's mode after each step, where the model has modes. */
static int add_modes(const struct trace *t, struct cs_table *table, struct cs_error *error) {
  const struct cs_model *m = t->sweep->model;
  size_t over[2] = {0};
  struct cs_array *array;
  if (m->modes == 0 || !t->layout->kind.eventful) return CS_OK;
  const char **names = malloc(m->subsystems * sizeof *names);
  if (names == NULL) return cs_error_memory(error);
  for (size_t s = 0; s < m->subsystems; s++)
    names[s] = m->subsystem[s].name;
  int code = cs_table_add_dimension(table, "subsystem", "", "subsystem", m->subsystems, NULL, names, &over[1], error);
  free(names);
  if (code == CS_OK)
    code = cs_table_add_array(
        table, "subsystem_mode", "1",
        "number of the mode after the step, in the order of the model file; -1: the subsystem has none", CS_INT64, 2,
        over, &array, error);
  for (size_t i = 0; i < t->count * m->subsystems && code == CS_OK; i++) {
    const size_t s = i % m->subsystems;
    const double configuration = *number_at(t, i / m->subsystems, CS_RECORD_CONFIGURATION);
    const size_t mode = t->layout->configurations.mode[(size_t)configuration * m->subsystems + s];
    array->data.int64[i] = m->subsystem[s].modes > 0 ? (int64_t)(mode - m->subsystem[s].first_mode) : -1;
  }
  return code;
}

/* The group /events. */
static int add_occurrences(struct trace *t, struct cs_table *table, struct cs_error *error) {
  struct cs_settings settings;
  int code = cs_settings_new(t->sweep, &settings, error);
  if (code == CS_OK) {
    cs_settings_of(t->sweep, t->run, &settings);
    code = cs_occurrences_add(&t->occurrences, t->layout, settings.event[CS_EVENT_WINDOW], table, error);
  }
  cs_settings_free(&settings);
  return code;
}

static int add_arrays(const struct trace *t, struct cs_table *table, struct cs_error *error) {
  size_t index[CS_OVER_MONITOR + 1] = {0};
  int code = add_time(t, table, error);
  for (int over = CS_OVER_OUTPUT; over <= CS_OVER_MONITOR && code == CS_OK; over++)
    if (cs_model_signals(t->sweep->model, (enum cs_over)over) > 0)
      code = cs_result_add_signals(t->sweep->model, (enum cs_over)over, table, &index[over], error);
  for (int i = 0; i < CS_RECORDS && code == CS_OK; i++)
    code = add_record(t, (enum cs_record)i, index, table, error);
  return code == CS_OK ? add_modes(t, table, error) : code;
}

static int add_provenance(struct trace *t, const struct cs_pool *pool, const char *started, struct cs_table *table,
                          struct cs_error *error) {
  struct cs_text at = {0};
  struct cs_kernels kernels = {0};
  const struct cs_device_info *device[2];
  const struct cs_provenance p = {.sweep = t->sweep,
                                  .kernels = &kernels,
                                  .device = device,
                                  .devices = cs_pool_devices(pool, device),
                                  .options = t->options,
                                  .started = started,
                                  .engine = "step",
                                  .runs = 1,
                                  .steps = t->report->steps + t->report->rejected,
                                  .occupancy = cs_pool_occupancy(pool),
                                  .wall = t->report->wall_seconds,
                                  .build_seconds = t->report->programs.seconds,
                                  .device_seconds = t->report->device_seconds};
  int code = cs_provenance_add_kernels(t->sweep, t->plan, &kernels, error);
  if (code == CS_OK) code = cs_provenance_add(&p, table, error);
  cs_provenance_free_kernels(&kernels);
  if (code == CS_OK) code = cs_table_add_number(table, "run", CS_INT64, 0.0, (int64_t)t->run, error);
  if (code == CS_OK && t->occurrences.left_out > 0)
    code = cs_table_add_number(table, "events_left_out", CS_INT64, 0.0, (int64_t)t->occurrences.left_out, error);
  cs_sweep_describe_run(t->sweep, t->run, &at);
  if (code == CS_OK && at.failed) code = cs_error_memory(error);
  const char *where = cs_text_string(&at);
  if (code == CS_OK) code = cs_table_add_text(table, "at", 1, 1, &where, error);
  cs_text_free(&at);
  return code;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int plan_trace(struct trace *t, const struct cs_device_info *device, struct cs_error *error) {
  if (t->sweep->study != CS_SIMULATION)
    return cs_error_set(error, CS_INPUT, "%s: study %s takes no steps; want study simulation to trace", t->sweep->path,
                        cs_metric_study_name(t->sweep->study));
  const int code = cs_sizing_plan_trace(&t->part, (double)t->most, device, t->options, &t->plan, error);
  if (code != CS_OK) return code;
  t->report->status = (enum cs_status)t->plan->run[0].status;
  if (t->plan->ordered == 0) {
    const char *reason = t->plan->reasons.text.data;
    if (t->plan->reasons.text.failed) return cs_error_memory(error);
    return reason != NULL
               ? cs_error_set(error, CS_NO_RESULT, "%s: %.*s", t->sweep->path, (int)strcspn(reason, "\n"), reason)
               : cs_error_set(error, CS_NO_RESULT, "%s: run %zu is skipped", t->sweep->path, t->run);
  }
  t->layout = t->plan->variant[t->plan->run[0].variant];
  t->items = cs_record_place(t->layout, CS_RECORD_OCCURRENCES);
  return CS_OK;
}

/* Records the run again by the variant for stiff networks. */
static int repeat(struct trace *t, struct cs_pool *pool, struct cs_error *error) {
  const size_t run = 0;
  int code = cs_plan_again(t->plan, &run, 1, error);
  t->layout = t->plan->variant[t->plan->run[0].variant];
  t->count = t->occurrences.count = 0;
  return code == CS_OK ? cs_pool_run(pool, t->plan, enter, t, error) : code;
}

/* The rows of a run whose steps are known in advance must fit the memory: as they come, and as the table. */
static int check_memory(const struct trace *t, struct cs_error *error) {
  const double rows = fmin(t->plan->run[0].steps, (double)t->most), room = cs_machine_memory();
  const double need = 2.0 * rows * (double)t->items * sizeof *t->rows;
  if (t->layout->method.control != CS_FIXED || need <= room) return CS_OK;
  struct cs_text text = {0};
  cs_text_add(&text, "%s: ", t->sweep->path);
  cs_words_add_count(&text, rows);
  cs_text_add(&text, " steps to record need at least ");
  cs_words_add_bytes(&text, need);
  cs_text_add(&text, " of memory, there are ");
  cs_words_add_bytes(&text, room);
  const int code = text.failed ? cs_error_memory(error) : cs_error_set(error, CS_DEVICE, "%s", text.data);
  cs_text_free(&text);
  return code;
}

void cs_trace_report_free(struct cs_trace_report *report) {
  cs_text_free(&report->failure);
}

int cs_trace_run(const struct cs_sweep *sweep, size_t run, size_t most, struct cs_device *device,
                 const struct cs_engine_options *options, struct cs_table **table, struct cs_trace_report *report,
                 struct cs_error *error) {
  static const struct cs_engine_options defaults;
  struct trace t = {
      .sweep = sweep, .options = options != NULL ? options : &defaults, .run = run, .most = most, .report = report};
  t.part = cs_sweep_part(sweep, run, 1);
  struct cs_pool *pool = NULL;
  char started[CS_TIME_STAMP];
  const double start = cs_clock_seconds();
  *table = NULL;
  *report = (struct cs_trace_report){0};
  cs_provenance_stamp(started);
  int code = plan_trace(&t, cs_device_info(device), error);
  if (code == CS_OK) code = check_memory(&t, error);
  if (code != CS_OK) goto out;
  const struct cs_pool_setup setup = {
      .device = &device, .devices = 1, .variants = 2 * t.plan->variants, .options = t.options, .record = take_rows};
  code = cs_pool_open(&setup, &pool, error);
  if (code == CS_OK) code = cs_pool_run(pool, t.plan, enter, &t, error);
  if (code == CS_OK && report->status == (enum cs_status)CS_AGAIN_STIFF) code = repeat(&t, pool, error);
  if (code != CS_OK) goto out;
  report->wall_seconds = cs_clock_seconds() - start;
  report->device_seconds = cs_pool_device_seconds(pool);
  cs_pool_add_preparation(pool, &report->programs);
  describe_failure(&t);
  fill_start(&t);
  code = new_table(&t, started, error, table);
  if (code == CS_OK) code = add_arrays(&t, *table, error);
  if (code == CS_OK) code = add_occurrences(&t, *table, error);
  if (code == CS_OK) code = add_provenance(&t, pool, started, *table, error);
out:
  cs_pool_close(pool);
  cs_plan_free(t.plan);
  free(t.rows);
  cs_occurrences_free(&t.occurrences);
  if (code != CS_OK) {
    cs_table_free(*table);
    *table = NULL;
  }
  return code;
}
