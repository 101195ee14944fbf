/* cosweep trace: one run of a sweep, step by step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "digest.h"
#include "inputs.h"
#include "interrupt.h"
#include "print.h"
#include "progress.h"
#include "scale.h"
#include "store.h"
#include "trace.h"

/* ---- which run */

/* "axis=value": position[axis] gets the position of the value. */
static int place(const struct cs_sweep *sweep, const char *at, size_t *position, struct cs_error *error) {
  struct cs_text names = {0};
  for (size_t i = 0; i < sweep->axes; i++) {
    const struct cs_axis *axis = &sweep->axis[i];
    const char *value = cs_scale_value(at, axis->name);
    cs_text_add_name(&names, axis->name);
    if (value == NULL) continue;
    cs_text_free(&names);
    return cs_scale_choose(axis->length, axis->values, axis->labels, value, "at", at, &position[i], error);
  }
  return cs_scale_fail_axis("at", at, &names, error);
}

/* Reports the axes with several values of which none was chosen. */
static int fail_choice(const struct cs_sweep *sweep, const size_t *position, struct cs_error *error) {
  struct cs_text text = {0};
  for (size_t i = 0; i < sweep->axes; i++) {
    const struct cs_axis *axis = &sweep->axis[i];
    if (position[i] < axis->length) continue;
    cs_text_add(&text, "%s%s (", text.length > 0 ? "; " : "", axis->name);
    cs_scale_list(axis->length, axis->values, axis->labels, &text);
    cs_text_add(&text, ")");
  }
  const int code = cs_error_set(error, CS_USAGE,
                                "cosweep trace: %s has %zu runs; want --run N, 0 to %zu, or --at AXIS=VALUE for each "
                                "of: %s",
                                sweep->path, sweep->runs, sweep->runs - 1, cs_text_string(&text));
  cs_text_free(&text);
  return code;
}

static int choose_at(const struct cs_arguments *arguments, const struct cs_sweep *sweep, size_t *run,
                     struct cs_error *error) {
  size_t *position = malloc((sweep->axes + 1) * sizeof *position);
  bool chosen = true;
  int code = position == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t i = 0; i < sweep->axes && code == CS_OK; i++)
    position[i] = sweep->axis[i].length > 1 ? sweep->axis[i].length : 0;
  for (size_t i = 0; i < arguments->list[CS_OPTION_AT].count && code == CS_OK; i++)
    code = cs_error_usage(error, place(sweep, arguments->list[CS_OPTION_AT].text[i], position, error), "trace");
  *run = 0;
  for (size_t i = 0; i < sweep->axes && code == CS_OK; i++) {
    chosen = chosen && position[i] < sweep->axis[i].length;
    *run = *run * sweep->axis[i].length + position[i];
  }
  if (code == CS_OK && !chosen) code = fail_choice(sweep, position, error);
  free(position);
  return code;
}

static int choose(const struct cs_arguments *arguments, const struct cs_sweep *sweep, size_t *run,
                  struct cs_error *error) {
  if (!arguments->given[CS_OPTION_RUN]) return choose_at(arguments, sweep, run, error);
  *run = arguments->number[CS_OPTION_RUN];
  if (arguments->given[CS_OPTION_AT])
    return cs_error_set(error, CS_USAGE, "cosweep trace: --run and --at both select the run; want one of them");
  if (*run < sweep->runs) return CS_OK;
  return cs_error_set(error, CS_USAGE, "cosweep trace: --run %zu; %s has %zu run%s, want 0 to %zu", *run, sweep->path,
                      sweep->runs, sweep->runs == 1 ? "" : "s", sweep->runs - 1);
}

/* ---- the run */

static int print_json(const char *output, const struct cs_sweep *sweep, size_t run, const struct cs_table *table,
                      const struct cs_trace_report *report, struct cs_error *error) {
  struct cs_text text = {0}, at = {0};
  struct cs_writer w = {.text = &text};
  cs_sweep_describe_run(sweep, run, &at);
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "output", output);
  cs_command_write_device(&w, table);
  cs_writer_count(&w, "run", run);
  cs_writer_string(&w, "at", cs_text_string(&at));
  cs_writer_string(&w, "status", cs_digest_status((int)report->status));
  cs_writer_number(&w, "steps", report->steps);
  cs_writer_number(&w, "rejected_steps", report->rejected);
  cs_writer_number(&w, "given_up_steps", report->given_up);
  cs_writer_number(&w, "t_final", report->t_final);
  cs_writer_token(&w, "seconds", "%.6g", report->wall_seconds);
  cs_writer_end(&w);
  cs_text_add(&text, "\n");
  text.failed |= at.failed;
  cs_text_free(&at);
  return cs_command_print(&text, error);
}

static void summarise(const struct cs_sweep *sweep, size_t run, const struct cs_trace_report *report) {
  struct cs_text text = {0}, at = {0};
  cs_sweep_describe_settings(sweep, run, false, &at);
  cs_text_add(&text, "%s: run %zu%s%s%s, ", sweep->name, run, at.length > 0 ? " (" : "", cs_text_string(&at),
              at.length > 0 ? ")" : "");
  cs_words_add_count(&text, report->steps);
  cs_text_add(&text, " accepted and ");
  cs_words_add_count(&text, report->rejected);
  cs_text_add(&text, " rejected steps");
  if (report->given_up > 0) cs_text_add(&text, ", %.0f given up at events,", report->given_up);
  cs_text_add(&text, " up to %g s, in ", report->t_final);
  cs_command_add_took(&text, report->wall_seconds, &report->programs, report->device_seconds);
  cs_text_add(&text, "\n");
  cs_command_tell(&text);
  cs_text_free(&at);
}

static int run_on(const struct cs_arguments *arguments, const struct cs_sweep *sweep, size_t run, const char *output,
                  struct cs_device *device, struct cs_engine_options *options, struct cs_error *error) {
  const bool quiet = arguments->given[CS_OPTION_QUIET];
  const size_t most = arguments->given[CS_OPTION_MOST] ? arguments->number[CS_OPTION_MOST] : CS_TRACE_MOST;
  struct cs_trace_report report = {0};
  struct cs_store *store = NULL;
  struct cs_table *table = NULL;
  struct cs_progress_bar bar;
  int code = cs_store_open(output, arguments->given[CS_OPTION_FORCE], &store, error);
  if (code != CS_OK) return code;
  if (!quiet) cs_command_tell_fragments(sweep);
  cs_progress_open(&bar, sweep->name, quiet, options);
  code = cs_trace_run(sweep, run, most, device, options, &table, &report, error);
  cs_progress_close(&bar);
  if (code == CS_OK) code = cs_store_commit(store, table, error);
  cs_store_close(store); /* before anything is printed: a reader that has gone ends the process */
  if (code != CS_OK) goto out;
  if (!quiet) summarise(sweep, run, &report);
  if (arguments->given[CS_OPTION_JSON])
    code = print_json(output, sweep, run, table, &report, error);
  else
    cs_print_path(output);
  cs_print_flush();
  if (code == CS_OK && report.status != CS_STATUS_OK)
    code = cs_error_set(error, CS_NO_RESULT, "%s: run %zu %s", output, run,
                        report.failure.data != NULL ? report.failure.data : "failed");
out:
  cs_table_free(table);
  cs_trace_report_free(&report);
  return code;
}

static int open_device(const struct cs_arguments *arguments, struct cs_devices *devices, struct cs_error *error) {
  const int code = cs_devices_open(arguments->text[CS_OPTION_DEVICE], devices, error);
  if (code != CS_OK || devices->count == 1) return code;
  return cs_error_set(error, CS_USAGE, "cosweep trace: --device %s matches %zu devices; want a single one",
                      arguments->text[CS_OPTION_DEVICE], devices->count);
}

int cs_command_trace(const struct cs_arguments *arguments, struct cs_error *error) {
  struct cs_engine_options options = cs_command_engine(arguments);
  struct cs_text command = {0}, output = {0};
  struct cs_devices devices = {0};
  struct cs_sweep *sweep = NULL;
  struct cs_inputs inputs = {0};
  size_t run = 0;
  options.stop = cs_interrupt_catch();
  cs_command_add_line(&command, "trace", arguments);
  options.command = command.data;
  int code = cs_command_load(arguments->operand[0], arguments, &sweep, error);
  if (code == CS_OK) code = choose(arguments, sweep, &run, error);
  if (code != CS_OK) goto out;
  if (arguments->given[CS_OPTION_OUTPUT])
    cs_text_add(&output, "%s", arguments->text[CS_OPTION_OUTPUT]);
  else
    cs_text_add(&output, "%s_trace.h5", sweep->name);
  if (command.failed || output.failed) code = cs_error_memory(error);
  if (code == CS_OK) code = cs_inputs_add_sweep(&inputs, sweep, error);
  if (code == CS_OK) code = cs_inputs_check(&inputs, output.data, "trace", error);
  if (code == CS_OK) code = open_device(arguments, &devices, error);
  if (code == CS_OK) code = run_on(arguments, sweep, run, output.data, devices.device[0], &options, error);
out:
  cs_devices_close(&devices);
  cs_inputs_free(&inputs);
  cs_sweep_free(sweep);
  cs_text_free(&command);
  cs_text_free(&output);
  return code;
}
