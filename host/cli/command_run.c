/* cosweep run: runs sweeps. All inputs are checked before anything is computed. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "command.h"
#include "digest.h"
#include "inputs.h"
#include "interrupt.h"
#include "machine.h"
#include "plan.h"
#include "prediction.h"
#include "progress.h"
#include "radius.h"
#include "result.h"
#include "store.h"

struct job {
  const char *path; /* of the sweep file */
  struct cs_sweep *sweep;
  char *output;
  struct cs_store *store; /* claim on `output`; NULL if nothing is written */
};

struct batch {
  const struct cs_arguments *arguments;
  size_t jobs;
  struct job *job;
  struct cs_engine_options options;
  struct cs_text command; /* command line, as a shell would take it */
};

/* ---- before anything runs */

static char *output_of(const struct batch *batch, const char *name) {
  const char *given = batch->arguments->text[CS_OPTION_OUTPUT];
  struct cs_text text = {0};
  if (given != NULL && batch->jobs == 1)
    cs_text_add(&text, "%s", given);
  else
    cs_text_add(&text, "%s%s%s.h5", given != NULL ? given : "", given != NULL ? "/" : "", name);
  if (text.failed) cs_text_free(&text);
  return text.data;
}

static int load(struct batch *batch, struct cs_error *error) {
  const struct cs_arguments *arguments = batch->arguments;
  int code = CS_OK;
  batch->job = calloc(arguments->operands, sizeof *batch->job);
  if (batch->job == NULL) return cs_error_memory(error);
  batch->jobs = arguments->operands;
  for (size_t i = 0; i < batch->jobs && code == CS_OK; i++) {
    struct job *job = &batch->job[i];
    job->path = arguments->operand[i];
    code = cs_command_load(job->path, arguments, &job->sweep, error);
    if (code != CS_OK) break;
    job->output = output_of(batch, job->sweep->name);
    if (job->output == NULL) code = cs_error_memory(error);
    for (size_t j = 0; j < i && code == CS_OK; j++)
      if (strcmp(job->output, batch->job[j].output) == 0)
        code = cs_error_set(error, CS_USAGE, "%s: its result %s is also that of %s; want different names", job->path,
                            job->output, batch->job[j].path);
  }
  return code;
}

/* No sweep's result may replace what it or another one is read from. */
static int check_outputs(const struct batch *batch, struct cs_error *error) {
  struct cs_inputs inputs = {0};
  int code = CS_OK;
  for (size_t i = 0; i < batch->jobs && code == CS_OK; i++)
    code = cs_inputs_add_sweep(&inputs, batch->job[i].sweep, error);
  for (size_t i = 0; i < batch->jobs && code == CS_OK; i++)
    code = cs_inputs_check(&inputs, batch->job[i].output, "run", error);
  cs_inputs_free(&inputs);
  return code;
}

/* All results must find room in memory and on the disk, as far as their sizes are known in advance. */
static int check_room(const struct batch *batch, struct cs_error *error) {
  double all = 0.0;
  int code = CS_OK;
  for (size_t i = 0; i < batch->jobs && code == CS_OK; i++) {
    struct cs_prediction prediction;
    cs_prediction_make(batch->job[i].sweep, &prediction);
    all += prediction.file;
    code = cs_prediction_check_memory(batch->job[i].sweep, false, error);
    if (code == CS_OK) code = cs_machine_check_file(batch->job[i].output, prediction.file, error);
  }
  return code == CS_OK ? cs_machine_check_space(batch->job[0].output, all, error) : code;
}

static int claim(struct batch *batch, struct cs_error *error) {
  const struct cs_arguments *arguments = batch->arguments;
  const char *directory = batch->jobs > 1 ? arguments->text[CS_OPTION_OUTPUT] : NULL;
  int code = CS_OK;
  if (directory != NULL && mkdir(directory, 0777) != 0 && errno != EEXIST)
    return cs_error_set(error, CS_IO, "%s: cannot create the directory: %s", directory, strerror(errno));
  for (size_t i = 0; i < batch->jobs && code == CS_OK; i++)
    code = cs_store_open(batch->job[i].output, arguments->given[CS_OPTION_FORCE], &batch->job[i].store, error);
  return code;
}

static void batch_close(struct batch *batch) {
  for (size_t i = 0; i < batch->jobs; i++) {
    cs_store_close(batch->job[i].store);
    cs_sweep_free(batch->job[i].sweep);
    free(batch->job[i].output);
  }
  free(batch->job);
  cs_text_free(&batch->command);
}

/* ---- without running */

static int forecast(const struct batch *batch, const struct job *job, const struct cs_device_info *device,
                    struct cs_error *error) {
  struct cs_forecast forecast;
  struct cs_text text = {0};
  struct stat there;
  const int code = cs_engine_forecast(job->sweep, device, &batch->options, &forecast, error);
  if (code != CS_OK) return code;
  if (batch->arguments->given[CS_OPTION_JSON]) {
    struct cs_writer w = {.text = &text};
    cs_writer_object(&w, NULL);
    cs_writer_string(&w, "output", job->output);
    cs_writer_string(&w, "device", device->name);
    cs_command_write_forecast(&w, &forecast);
    cs_writer_end(&w);
    cs_text_add(&text, "\n");
  } else {
    cs_text_add(&text, "%s -> %s, on %s\n", job->path, job->output, device->name);
    cs_command_add_forecast(&text, &forecast);
  }
  if (!batch->arguments->given[CS_OPTION_FORCE] && stat(job->output, &there) == 0)
    fprintf(stderr, "%s: exists; --force overwrites it\n", job->output);
  return cs_command_print(&text, error);
}

/* The sources of all variants, one after the other. */
static int print_kernels(const struct batch *batch, const struct job *job, const struct cs_device_info *device,
                         struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; code == CS_OK; i++) {
    struct cs_text source = {0};
    code = cs_engine_kernel(job->sweep, device, &batch->options, i, &source, error);
    if (code == CS_OK) code = cs_command_print(&source, error);
    cs_text_free(&source);
    if (code == CS_INPUT && i > 0) return CS_OK; /* there is no such variant */
  }
  return code;
}

static int look_ahead(const struct batch *batch, struct cs_error *error) {
  struct cs_device_info device;
  int code = cs_device_describe(batch->arguments->text[CS_OPTION_DEVICE], &device, error);
  for (size_t i = 0; i < batch->jobs && code == CS_OK; i++)
    code = batch->arguments->given[CS_OPTION_PRINT_KERNEL] ? print_kernels(batch, &batch->job[i], &device, error)
                                                           : forecast(batch, &batch->job[i], &device, error);
  return code;
}

/* ---- running */

static bool is_failure(int status) {
  return status != CS_STATUS_OK && status != CS_STATUS_SKIPPED;
}

/* Processor time of the process, all cores. */
static double core_seconds(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0.0;
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Indented copies of lines. */
static void add_lines(struct cs_text *text, const struct cs_text *lines) {
  for (const char *line = lines->data; line != NULL && *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    cs_text_add(text, "  %.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
}

static bool grows(double radius) {
  return !isnan(radius) && !cs_result_stable(radius);
}

/* Why the first run that diverged did: its steps multiply errors. */
static void add_divergence(const struct job *job, const struct cs_array *status, struct cs_text *text) {
  struct cs_devices host = {0};
  struct cs_error error;
  size_t run = 0;
  double radius = NAN, at_0 = NAN;
  while (run < status->count && status->data.uint8[run] != CS_STATUS_DIVERGED)
    run++;
  if (run == status->count || job->sweep->study != CS_SIMULATION) return;
  if (cs_devices_open("host", &host, &error) == CS_OK)
    cs_radius_of_run(job->sweep, run, host.device[0], &radius, &at_0, &error);
  cs_devices_close(&host);
  if (grows(radius)) {
    cs_text_add(text, "  run %zu: the spectral radius of its step is %.4g", run, radius);
    if (grows(at_0)) cs_text_add(text, ", and still %.4g for H -> 0: no step size helps", at_0);
    cs_text_add(text, "\n");
  }
}

/* A line for each status, where its runs are, and an example of each reason. */
static void add_failures(const struct job *job, const struct cs_table *table, const struct cs_outcome *outcome,
                         size_t failed, struct cs_text *text) {
  struct cs_digest d;
  struct cs_error error;
  const int code = cs_digest_open(table, &d, &error);
  cs_text_add(text, "%s: ", job->sweep->name);
  cs_words_add_count(text, (double)failed);
  cs_text_add(text, " of ");
  cs_words_add_count(text, (double)job->sweep->runs);
  cs_text_add(text, " runs failed\n");
  for (size_t i = 0; code == CS_OK && i < d.failures; i++) {
    struct cs_text region = {0};
    if (!is_failure(d.failure[i].status)) continue;
    cs_text_add(text, "  %s: ", cs_digest_status(d.failure[i].status));
    cs_words_add_count(text, (double)d.failure[i].count);
    if (d.failure[i].count > 1) cs_digest_add_region(&d, &d.failure[i], &region);
    cs_text_add(text, "%s%s\n", region.length > 0 ? ", " : "", cs_text_string(&region));
    cs_text_free(&region);
  }
  cs_digest_free(&d);
  add_lines(text, &outcome->failures);
  add_divergence(job, cs_table_find(table, "status"), text);
}

/* Prints warnings and failures on stderr, also with --quiet. */
static void complain(const struct job *job, const struct cs_table *table, const struct cs_outcome *outcome) {
  struct cs_text text = {0};
  size_t failed = 0;
  for (int i = 0; i < CS_STATUSES; i++)
    failed += is_failure(i) ? outcome->status[i] : 0;
  if (outcome->warnings.length > 0) {
    cs_text_add(&text, "%s: warning\n", job->sweep->name);
    add_lines(&text, &outcome->warnings);
  }
  if (failed > 0) add_failures(job, table, outcome, failed, &text);
  cs_command_tell(&text);
}

static void summarise(const struct job *job, const struct cs_outcome *outcome) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s: ", job->sweep->name);
  cs_words_add_count(&text, (double)job->sweep->runs);
  cs_text_add(&text, job->sweep->runs == 1 ? " run" : " runs");
  if (job->sweep->study == CS_SIMULATION) {
    cs_text_add(&text, ", ");
    cs_words_add_count(&text, outcome->steps);
    cs_text_add(&text, " steps");
  }
  if (outcome->points > 0) {
    cs_text_add(&text, " and ");
    cs_words_add_count(&text, (double)outcome->points);
    cs_text_add(&text, " boundary points");
  }
  cs_text_add(&text, " in ");
  cs_command_add_took(&text, outcome->wall_seconds, &outcome->programs, outcome->device_seconds);
  cs_text_add(&text, "\n");
  cs_command_tell(&text);
}

static int print_json(const struct job *job, const struct cs_table *table, const struct cs_outcome *outcome,
                      double cores, struct cs_error *error) {
  const struct cs_note *kernels = cs_table_find_note(table, "kernel");
  struct cs_text text = {0};
  struct cs_writer w = {.text = &text};
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "output", job->output);
  cs_command_write_device(&w, table);
  cs_writer_count(&w, "variants", kernels != NULL ? kernels->count : 0);
  cs_writer_count(&w, "runs", job->sweep->runs);
  cs_writer_number(&w, "steps", outcome->steps);
  if (outcome->points > 0) cs_writer_count(&w, "points", outcome->points);
  cs_writer_token(&w, "seconds", "%.6g", outcome->wall_seconds);
  if (outcome->programs.built + outcome->programs.kept > 0) {
    cs_writer_token(&w, "build_seconds", "%.6g", outcome->programs.seconds);
    cs_writer_count(&w, "kernels_built", outcome->programs.built);
    cs_writer_count(&w, "kernels_kept", outcome->programs.kept);
  }
  cs_writer_token(&w, "device_seconds", "%.6g", outcome->device_seconds);
  cs_writer_token(&w, "core_seconds", "%.6g", cores);
  cs_writer_object(&w, "status");
  for (int i = 0; i < CS_STATUSES; i++)
    cs_writer_count(&w, cs_digest_status(i), outcome->status[i]);
  cs_writer_end(&w);
  cs_writer_end(&w);
  cs_text_add(&text, "\n");
  return cs_command_print(&text, error);
}

/* Computes one sweep and writes its result. CS_NO_RESULT if all runs failed. */
static int run(const struct batch *batch, struct job *job, const struct cs_devices *devices, struct cs_error *error) {
  const bool quiet = batch->arguments->given[CS_OPTION_QUIET];
  struct cs_engine_options options = batch->options;
  struct cs_outcome outcome = {0};
  struct cs_table *table = NULL;
  struct cs_progress_bar bar;
  const double start = core_seconds();
  if (!quiet) cs_command_tell_fragments(job->sweep);
  cs_progress_open(&bar, job->sweep->name, quiet, &options);
  int code = cs_engine_run_on(job->sweep, devices->device, devices->count, &options, &table, &outcome, error);
  const double cores = core_seconds() - start;
  cs_progress_close(&bar);
  if (code == CS_OK) code = cs_store_commit(job->store, table, error);
  cs_store_close(job->store); /* before anything is printed: a reader that has gone ends the process */
  job->store = NULL;
  if (code != CS_OK) goto out;
  complain(job, table, &outcome);
  if (!quiet) summarise(job, &outcome);
  if (batch->arguments->given[CS_OPTION_JSON])
    code = print_json(job, table, &outcome, cores, error);
  else
    puts(job->output);
  fflush(stdout);
  if (code == CS_OK && outcome.status[CS_STATUS_OK] == 0)
    code = cs_error_set(error, CS_NO_RESULT, "%s: no run succeeded", job->output);
out:
  cs_table_free(table);
  cs_outcome_free(&outcome);
  return code;
}

/* Runs all sweeps, continuing after one whose runs all failed. */
static int run_all(struct batch *batch, struct cs_error *error) {
  struct cs_devices devices = {0};
  int result = CS_OK;
  int code = check_room(batch, error);
  if (code == CS_OK) code = claim(batch, error);
  if (code == CS_OK) code = cs_devices_open(batch->arguments->text[CS_OPTION_DEVICE], &devices, error);
  for (size_t i = 0; i < batch->jobs && code == CS_OK; i++) {
    if (*batch->options.stop != 0) {
      code = cs_error_interrupted(error);
      break;
    }
    code = run(batch, &batch->job[i], &devices, error);
    if (code == CS_NO_RESULT) {
      result = code;
      code = CS_OK;
    }
  }
  cs_devices_close(&devices);
  return code != CS_OK ? code : result;
}

int cs_command_run(const struct cs_arguments *arguments, struct cs_error *error) {
  struct batch batch = {.arguments = arguments, .options = cs_command_engine(arguments)};
  batch.options.stop = cs_interrupt_catch();
  cs_command_add_line(&batch.command, "run", arguments);
  batch.options.command = batch.command.data;
  int code = batch.command.failed ? cs_error_memory(error) : load(&batch, error);
  if (code == CS_OK) code = check_outputs(&batch, error);
  if (code == CS_OK)
    code = arguments->given[CS_OPTION_DRY_RUN] || arguments->given[CS_OPTION_PRINT_KERNEL] ? look_ahead(&batch, error)
                                                                                           : run_all(&batch, error);
  batch_close(&batch);
  return code;
}
