/* cosweep run and merge: run sweeps. All inputs are checked before anything is computed. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "claim.h"
#include "command.h"
#include "farm.h"
#include "inputs.h"
#include "interrupt.h"
#include "kept.h"
#include "machine.h"
#include "plan.h"
#include "prediction.h"
#include "print.h"
#include "progress.h"
#include "ran.h"
#include "resume.h"
#include "serve.h"
#include "store.h"

struct job {
  const char *path; /* of the sweep file */
  struct cs_sweep *sweep;
  char *output;
  char *name;             /* of what is written: `output`, or that of a shard, which is a journal alone */
  struct cs_store *store; /* claim on `name`; NULL if nothing is written */
  bool done;              /* the result is there already */
};

struct batch {
  const struct cs_arguments *arguments;
  size_t jobs;
  struct job *job;
  bool merges;
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

static char *name_of(const struct batch *batch, const char *output) {
  struct cs_text text = {0};
  if (batch->options.shard == 0) return cs_text_copy(output);
  cs_kept_add_shard(output, batch->options.shard, batch->options.shards, &text);
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
    if (job->output == NULL || (job->name = name_of(batch, job->output)) == NULL) code = cs_error_memory(error);
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

/* The options of a sweep: where its results find room that memory does not have. */
static struct cs_engine_options options_of(const struct batch *batch, const struct job *job) {
  struct cs_engine_options options = batch->options;
  options.beside = job->name;
  return options;
}

/* Results that memory has no room for take the disk's. */
static void tell_table(const struct batch *batch, const struct job *job, double table) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s: its results take ", job->path);
  cs_words_add_bytes(&text, table);
  cs_text_add(&text,
              ", more than a quarter of --memory, or half of the machine's: until they are written they are in a "
              "file without a name beside %s\n",
              job->output);
  if (!batch->arguments->given[CS_OPTION_QUIET]) cs_command_tell(&text);
  cs_text_free(&text);
}

/* All results must find room in memory and on the disk, as far as their sizes are known in advance. */
static int check_room(const struct batch *batch, struct cs_error *error) {
  double all = 0.0, largest = 0.0; /* of the tables there is one at a time */
  int code = CS_OK;
  for (size_t i = 0; i < batch->jobs && code == CS_OK; i++) {
    const struct job *job = &batch->job[i];
    const struct cs_engine_options options = options_of(batch, job);
    struct cs_prediction prediction;
    cs_prediction_make(job->sweep, &options, &prediction);
    const bool spills = prediction.spills && options.shard == 0;
    all += prediction.file;
    if (spills && prediction.table > largest) largest = prediction.table;
    code = cs_prediction_check_memory(job->sweep, &options, error);
    if (code == CS_OK) code = cs_machine_check_file(job->output, prediction.file, error);
    if (code == CS_OK && spills) code = cs_machine_check_file(job->output, prediction.table, error);
    if (code == CS_OK) code = cs_machine_check_space(job->output, all + largest, error);
    if (code == CS_OK && spills) tell_table(batch, job, prediction.table);
  }
  return code;
}

static int claim(struct batch *batch, struct cs_error *error) {
  const struct cs_arguments *arguments = batch->arguments;
  const char *directory = batch->jobs > 1 ? arguments->text[CS_OPTION_OUTPUT] : NULL;
  bool made;
  int code = directory != NULL ? cs_command_make_directory(directory, &made, error) : CS_OK;
  for (size_t i = 0; i < batch->jobs && code == CS_OK; i++)
    if (!batch->job[i].done)
      code = cs_store_open(batch->job[i].name, arguments->given[CS_OPTION_FORCE], &batch->job[i].store, error);
  return code;
}

static void batch_close(struct batch *batch) {
  for (size_t i = 0; i < batch->jobs; i++) {
    cs_store_close(batch->job[i].store);
    cs_sweep_free(batch->job[i].sweep);
    free(batch->job[i].output);
    free(batch->job[i].name);
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
  const struct cs_engine_options options = options_of(batch, job);
  const int code = cs_engine_forecast(job->sweep, device, &options, &forecast, error);
  if (code != CS_OK) return code;
  if (cs_kept_is_off(batch->arguments)) forecast.journal_size = 0;
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
    cs_print_message("%s: exists; --force overwrites it\n", job->output);
  return cs_command_print(&text, error);
}

/* The sources of all variants, one after the other. */
static int print_kernels(const struct batch *batch, const struct job *job, const struct cs_device_info *device,
                         struct cs_error *error) {
  const struct cs_engine_options options = options_of(batch, job);
  int code = CS_OK;
  for (size_t i = 0; code == CS_OK; i++) {
    struct cs_text source = {0};
    code = cs_engine_kernel(job->sweep, device, &options, i, &source, error);
    if (code == CS_OK) code = cs_command_write("-", false, &source, error);
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

/* Processor time of the process, all cores. */
static double core_seconds(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0.0;
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Whether the result is there, of the same plan: then a journal beside it is left from before its end. */
static int find_done(const struct batch *batch, struct job *job, const struct cs_devices *devices,
                     struct cs_error *error) {
  struct cs_table *table = NULL;
  struct stat there;
  if (stat(job->output, &there) != 0) return CS_OK;
  int code = cs_store_read_lazily(job->output, CS_STORE_LARGE, &table, error);
  if (code == CS_OK)
    code =
        cs_resume_is_result(job->sweep, cs_device_info(devices->device[0]), &batch->options, table, &job->done, error);
  cs_table_free(table);
  return code == CS_OK && job->done ? cs_kept_remove(job->output, error) : code;
}

/* Opens what the run goes on from. */
static int open_kept(const struct batch *batch, const struct job *job, const struct cs_device_info *device,
                     struct cs_engine_options *options, struct cs_kept *kept, struct cs_error *error) {
  int code = batch->merges ? cs_kept_count_shards(job->output, &options->shards, error) : CS_OK;
  if (code == CS_OK) code = cs_kept_open(batch->arguments, job->sweep, job->name, device, options, kept, error);
  if (code == CS_OK && batch->merges) code = cs_kept_open_shards(job->sweep, job->output, device, options, kept, error);
  return code;
}

static void tell_done(const struct batch *batch, const struct job *job) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s: is done\n", job->output);
  if (!batch->arguments->given[CS_OPTION_QUIET]) cs_command_tell(&text);
  cs_text_free(&text);
  cs_print_path(job->output);
}

/* What rank 0 says before each sweep, and after the last or where it has failed before the first. */
struct turn {
  size_t job; /* SIZE_MAX: there is none */
  char plan[CS_RESUME_DIGEST];
};

static int tell_turn(const struct batch *batch, size_t job, const struct cs_devices *devices, struct cs_error *error) {
  struct cs_farm *farm = batch->options.farm;
  struct turn turn = {.job = job};
  int code = CS_OK;
  if (farm == NULL) return CS_OK;
  if (job < batch->jobs)
    code =
        cs_resume_digest(batch->job[job].sweep, cs_device_info(devices->device[0]), &batch->options, turn.plan, error);
  return code == CS_OK ? farm->share(farm, &turn, sizeof turn, error) : code;
}

/* Computes one sweep and writes its result. CS_NO_RESULT if all runs failed. */
static int run(const struct batch *batch, struct job *job, const struct cs_devices *devices, struct cs_error *error) {
  const bool quiet = batch->arguments->given[CS_OPTION_QUIET], json = batch->arguments->given[CS_OPTION_JSON];
  struct cs_engine_options options = options_of(batch, job);
  struct cs_outcome outcome = {0};
  struct cs_table *table = NULL;
  struct cs_progress_bar bar;
  struct cs_kept kept = {0};
  const double start = core_seconds();
  double cores = 0.0;
  int code = open_kept(batch, job, cs_device_info(devices->device[0]), &options, &kept, error);
  if (code == CS_OK) code = tell_turn(batch, (size_t)(job - batch->job), devices, error);
  if (code != CS_OK) goto out;
  if (!quiet) cs_command_tell_fragments(job->sweep);
  cs_progress_open(&bar, job->sweep->name, quiet, &options);
  code = cs_engine_run_on(job->sweep, devices->device, devices->count, &options, &table, &outcome, error);
  cores = core_seconds() - start;
  cs_progress_close(&bar);
  if (code == CS_OK && options.shard > 0) code = cs_journal_sync(kept.journal[0], true, error);
  if (code == CS_OK && outcome.status[CS_STATUS_OK] == 0) cs_claim_expect(SIZE_MAX); /* which is no success */
  if (code == CS_OK && options.shard == 0) code = cs_store_commit(job->store, table, error);
  if (code == CS_INTERRUPTED && kept.journals > 0) cs_journal_sync(kept.journal[0], false, NULL);
  if (code == CS_OK && options.shard > 0)
    code = cs_ran_shard(job->sweep, kept.journal[0], &options, &outcome, quiet, json, error);
out:
  cs_kept_close(&kept, code == CS_OK && options.shard == 0);
  cs_store_close(job->store); /* before anything is printed: a reader that has gone ends the process */
  job->store = NULL;
  if (code == CS_OK && table != NULL) {
    cs_ran_complain(job->sweep, table, &outcome);
    if (!quiet) cs_ran_summarise(job->sweep, &outcome);
    if (json)
      code = cs_ran_print_json(job->sweep, job->output, table, &outcome, cores, error);
    else
      cs_print_path(job->output);
    cs_print_flush();
    if (code == CS_OK && outcome.status[CS_STATUS_OK] == 0)
      code = cs_error_set(error, CS_NO_RESULT, "%s: no run succeeded", job->output);
  }
  cs_table_free(table);
  cs_outcome_free(&outcome);
  return code;
}

/* ---- among other processes */

/* What ranks above 0 do of the command. `code`: of what they have done so far, which counts where rank 0 begins. */
static int serve_jobs(const struct batch *batch, const struct cs_devices *devices, int code, struct cs_error *error) {
  struct cs_farm *farm = batch->options.farm;
  char own[CS_RESUME_DIGEST];
  struct turn turn;
  for (;;) {
    if (farm->share(farm, &turn, sizeof turn, NULL) != CS_OK || turn.job == SIZE_MAX) return CS_OK;
    if (code != CS_OK) return code;
    const struct cs_sweep *sweep = batch->job[turn.job].sweep;
    code = cs_resume_digest(sweep, cs_device_info(devices->device[0]), &batch->options, own, error);
    if (code == CS_OK && strcmp(own, turn.plan) != 0)
      code = cs_error_set(error, CS_DEVICE,
                          "rank %zu: its files, program or device (%s) are not those of rank 0; want "
                          "the same on all ranks",
                          farm->rank, cs_device_info(devices->device[0])->name);
    if (code == CS_OK) code = cs_serve(sweep, devices->device, devices->count, &batch->options, error);
    if (code != CS_OK) return code;
  }
}

static int serve(struct batch *batch, int code, struct cs_error *error) {
  struct cs_devices devices = {0};
  if (code == CS_OK) code = load(batch, error);
  if (code == CS_OK) code = cs_devices_open(batch->arguments->text[CS_OPTION_DEVICE], &devices, error);
  code = serve_jobs(batch, &devices, code, error);
  cs_devices_close(&devices);
  return code;
}

int cs_command_run_not(struct cs_farm *farm, int code) {
  struct turn turn = {.job = SIZE_MAX};
  farm->share(farm, &turn, sizeof turn, NULL);
  return farm->rank > 0 && turn.job == SIZE_MAX ? CS_OK : code;
}

/* ---- all sweeps */

/* Runs all sweeps, continuing after one whose runs all failed. */
static int run_jobs(struct batch *batch, const struct cs_devices *devices, struct cs_error *error) {
  int result = CS_OK;
  size_t files = 0;
  for (size_t i = 0; i < batch->jobs; i++)
    files += !batch->job[i].done;
  cs_claim_expect(files);
  for (size_t i = 0; i < batch->jobs; i++) {
    if (*batch->options.stop != 0) return cs_error_interrupted(error);
    if (batch->job[i].done) {
      tell_done(batch, &batch->job[i]);
      continue;
    }
    const int code = run(batch, &batch->job[i], devices, error);
    if (code == CS_NO_RESULT) result = code;
    if (code != CS_OK && code != CS_NO_RESULT) return code;
  }
  return result;
}

static int run_all(struct batch *batch, struct cs_error *error) {
  const bool resumes = batch->arguments->given[CS_OPTION_RESUME];
  const char *names = batch->arguments->text[CS_OPTION_DEVICE];
  struct cs_devices devices = {0};
  int code = resumes ? cs_devices_open(names, &devices, error) : CS_OK;
  for (size_t i = 0; i < batch->jobs && resumes && code == CS_OK; i++)
    code = find_done(batch, &batch->job[i], &devices, error);
  if (code == CS_OK) code = check_room(batch, error);
  if (code == CS_OK) code = claim(batch, error);
  if (code == CS_OK && !resumes) code = cs_devices_open(names, &devices, error);
  if (code == CS_OK) code = run_jobs(batch, &devices, error);
  cs_devices_close(&devices);
  return code;
}

static int run_command(const char *name, bool merges, const struct cs_arguments *arguments, struct cs_error *error) {
  struct batch batch = {.arguments = arguments, .merges = merges, .options = cs_command_engine(arguments)};
  batch.options.stop = cs_interrupt_catch();
  batch.options.complete = arguments->given[CS_OPTION_COMPLETE];
  cs_command_add_line(&batch.command, name, arguments);
  batch.options.command = batch.command.data;
  const bool looks = arguments->given[CS_OPTION_DRY_RUN] || arguments->given[CS_OPTION_PRINT_KERNEL];
  if (!looks && arguments->farm != NULL && arguments->farm->ranks > 1) batch.options.farm = arguments->farm;
  int code = batch.command.failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) code = cs_kept_shard(arguments, &batch.options.shard, &batch.options.shards, error);
  if (arguments->farm != NULL && arguments->farm->rank > 0) {
    code = looks ? CS_OK : serve(&batch, code, error);
    batch_close(&batch);
    return code;
  }
  if (code == CS_OK) code = load(&batch, error);
  if (code == CS_OK) code = check_outputs(&batch, error);
  if (code == CS_OK) code = looks ? look_ahead(&batch, error) : run_all(&batch, error);
  tell_turn(&batch, SIZE_MAX, NULL, NULL);
  batch_close(&batch);
  return code;
}

int cs_command_run(const struct cs_arguments *arguments, struct cs_error *error) {
  return run_command("run", false, arguments, error);
}

int cs_command_merge(const struct cs_arguments *arguments, struct cs_error *error) {
  return run_command("merge", true, arguments, error);
}
