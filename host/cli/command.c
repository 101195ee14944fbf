#include "command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "claim.h"
#include "descriptors.h"
#include "inputs.h"
#include "print.h"

/* The files with code that the sweep names, each once. */
static void add_fragments(struct cs_text *names, const struct cs_sweep *sweep) {
  const char *path;
  for (size_t i = CS_SWEEP_FRAGMENTS; (path = cs_sweep_file(sweep, i)) != NULL; i++) {
    size_t before = CS_SWEEP_FRAGMENTS;
    while (strcmp(cs_sweep_file(sweep, before), path) != 0)
      before++;
    if (before == i) cs_text_add_name(names, path);
  }
}

void cs_command_write_device(struct cs_writer *w, const struct cs_table *table) {
  const struct cs_note *note = cs_table_find_note(table, "device");
  struct cs_text names = {0};
  for (size_t i = 0; note != NULL && i < note->count; i++)
    cs_text_add_name(&names, note->text[i]);
  cs_writer_string(w, "device", cs_text_string(&names));
  w->text->failed |= names.failed;
  cs_text_free(&names);
}

int cs_command_load(const char *path, const struct cs_arguments *arguments, struct cs_sweep **sweep,
                    struct cs_error *error) {
  const struct cs_values *set = &arguments->list[CS_OPTION_SET];
  const int code = cs_sweep_load(path, set->text, set->count, sweep, error);
  return code == CS_OK ? cs_command_check_fragments(path, arguments, *sweep, error) : code;
}

int cs_command_check_fragments(const char *path, const struct cs_arguments *arguments, const struct cs_sweep *sweep,
                               struct cs_error *error) {
  struct cs_text names = {0};
  int code = CS_OK;
  if (!arguments->given[CS_OPTION_NO_FRAGMENTS]) return CS_OK;
  add_fragments(&names, sweep);
  if (names.failed)
    code = cs_error_memory(error);
  else if (names.length > 0)
    code = cs_error_set(error, CS_INPUT, "%s: has fragments of code: %s; --no-fragments allows none", path, names.data);
  cs_text_free(&names);
  return code;
}

void cs_command_tell_fragments(const struct cs_sweep *sweep) {
  struct cs_text text = {0}, names = {0};
  add_fragments(&names, sweep);
  if (names.length > 0) cs_text_add(&text, "%s: compiles %s\n", sweep->name, names.data);
  cs_text_free(&names);
  cs_command_tell(&text);
}

struct cs_engine_options cs_command_engine(const struct cs_arguments *arguments) {
  return (struct cs_engine_options){.lanes = (unsigned)arguments->number[CS_OPTION_LANES],
                                    .tile_runs = arguments->number[CS_OPTION_TILE_RUNS],
                                    .memory = arguments->number[CS_OPTION_MEMORY],
                                    .builder = "/proc/self/exe"};
}

/* What is to be printed has nowhere else to go; names of files that were written are printed without this. */
static int check_stdout(struct cs_error *error) {
  if (!cs_descriptors_output_closed()) return CS_OK;
  return cs_error_set(error, CS_IO, "standard output: is closed; want one that is open");
}

int cs_command_print(struct cs_text *text, struct cs_error *error) {
  int code = text->failed ? cs_error_memory(error) : check_stdout(error);
  if (code == CS_OK && !cs_print_text(cs_text_string(text))) code = cs_error_memory(error);
  cs_text_free(text);
  return code;
}

void cs_command_tell(struct cs_text *text) {
  cs_print_message("%s", cs_text_string(text));
  cs_text_free(text);
}

/* ---- files */

size_t cs_command_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

void cs_command_add_renamed(struct cs_text *text, const char *path, size_t from, const char *extension) {
  const char *name = path + cs_command_folder(path), *dot = strrchr(name, '.');
  const char *end = dot != NULL && dot != name ? dot : name + strlen(name);
  cs_text_append(text, path + from, (size_t)(end - path) - from);
  cs_text_add(text, "%s", extension);
}

void cs_command_add_output(struct cs_text *text, const struct cs_arguments *arguments, const char *ending) {
  if (arguments->given[CS_OPTION_OUTPUT])
    cs_text_add(text, "%s", arguments->text[CS_OPTION_OUTPUT]);
  else
    cs_command_add_renamed(text, arguments->operand[0], cs_command_folder(arguments->operand[0]), ending);
}

int cs_command_check_output(const struct cs_arguments *arguments, const char *path, const char *command,
                            struct cs_error *error) {
  struct cs_inputs inputs = {0};
  int code = cs_inputs_add_operands(&inputs, arguments, error);
  if (code == CS_OK) code = cs_inputs_check(&inputs, path, command, error);
  cs_inputs_free(&inputs);
  return code;
}

int cs_command_absent(const struct cs_arguments *arguments, const char *path, struct cs_error *error) {
  if (arguments->given[CS_OPTION_FORCE] || strcmp(path, "-") == 0 || access(path, F_OK) != 0) return CS_OK;
  return cs_error_set(error, CS_IO, "%s: exists; --force overwrites it", path);
}

int cs_command_fail_output(int reason, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "standard output: %s", strerror(reason));
}

/* A write that fails ends the command: what came behind it would have a gap before it. */
static int print_data(const struct cs_text *bytes, struct cs_error *error) {
  const int code = check_stdout(error);
  return code != CS_OK || cs_print_data(bytes) ? code : cs_command_fail_output(errno, error);
}

int cs_command_put(struct cs_command_output *output, struct cs_text *bytes, struct cs_error *error) {
  int code = CS_OK;
  if (bytes->failed) return cs_error_memory(error);
  if (strcmp(output->path, "-") == 0) {
    code = print_data(bytes, error);
  } else {
    if (output->claim == NULL) code = cs_claim_open(output->path, output->force, &output->claim, error);
    if (code == CS_OK) code = cs_claim_append(output->claim, bytes->data, bytes->length, error);
  }
  bytes->length = 0;
  return code;
}

int cs_command_end(struct cs_command_output *output, const struct cs_text *bytes, struct cs_error *error) {
  int code = CS_OK;
  if (bytes->failed) return cs_error_memory(error);
  if (strcmp(output->path, "-") == 0) return print_data(bytes, error);
  if (output->claim == NULL) code = cs_claim_open(output->path, output->force, &output->claim, error);
  return code == CS_OK ? cs_claim_commit(output->claim, bytes->data, bytes->length, error) : code;
}

void cs_command_drop(struct cs_command_output *output) {
  cs_claim_close(output->claim);
  output->claim = NULL;
}

int cs_command_write(const char *path, bool force, const struct cs_text *bytes, struct cs_error *error) {
  struct cs_command_output output = {path, force, NULL};
  const int code = cs_command_end(&output, bytes, error);
  cs_command_drop(&output);
  return code;
}

/* ---- command lines */

void cs_command_add_line(struct cs_text *text, const char *command, const struct cs_arguments *arguments) {
  cs_text_add(text, "cosweep %s", command);
  for (size_t i = 0; i < arguments->operands; i++)
    cs_words_add_word(text, arguments->operand[i]);
  for (int option = 0; option < CS_OPTIONS; option++) {
    const struct cs_option_row *row = cs_option_row(option);
    if (!row->recorded || !arguments->given[option]) continue;
    const struct cs_values *list = &arguments->list[option];
    for (size_t i = 0; i < (row->repeated ? list->count : 1); i++) {
      if (row->letter != '\0')
        cs_text_add(text, " -%c", row->letter);
      else
        cs_text_add(text, " --%s", row->name);
      if (row->kind != CS_VALUE_NONE) cs_words_add_word(text, row->repeated ? list->text[i] : arguments->text[option]);
    }
  }
}

/* ---- times */

/* "building 3 programs", "opening 1 program that was kept" */
static void add_programs(struct cs_text *text, const struct cs_preparation *programs) {
  if (programs->built > 0) {
    cs_text_add(text, " building ");
    cs_words_add_number(text, programs->built, "program");
  }
  if (programs->built > 0 && programs->kept > 0) cs_text_add(text, " and");
  if (programs->kept == 0) return;
  cs_text_add(text, " opening ");
  cs_words_add_number(text, programs->kept, "program");
  cs_text_add(text, programs->kept > 1 ? " that were kept" : " that was kept");
}

void cs_command_add_took(struct cs_text *text, double wall, const struct cs_preparation *programs, double device) {
  cs_words_add_duration(text, wall);
  cs_text_add(text, ": ");
  if (programs->built + programs->kept > 0) {
    cs_words_add_duration(text, programs->seconds);
    add_programs(text, programs);
    cs_text_add(text, ", ");
  }
  cs_words_add_duration(text, device);
  cs_text_add(text, " computing");
}

/* ---- forecasts */

/* "3 of OpenCL in 7 programs (none in the cache), " */
static void add_built(struct cs_text *text, const struct cs_forecast *forecast) {
  cs_text_add(text, "%zu of OpenCL in ", forecast->built);
  cs_words_add_number(text, forecast->programs, "program");
  cs_text_add(text, " (");
  if (forecast->kept == 0 || forecast->kept == forecast->programs)
    cs_text_add(text, "%s", forecast->kept == 0 ? "none" : forecast->programs == 1 ? "it is" : "all");
  else
    cs_text_add(text, "%zu", forecast->kept);
  cs_text_add(text, " in the cache), ");
}

static bool is_time_unknown(const struct cs_forecast *forecast) {
  return isnan(forecast->compute_seconds) || forecast->paced;
}

/* Less than anybody notices. */
static bool is_short(const struct cs_forecast *forecast) {
  return !is_time_unknown(forecast) && forecast->build_seconds + forecast->compute_seconds < 1.0;
}

/* A first guess. */
static void add_time(struct cs_text *text, const struct cs_forecast *forecast) {
  const double build = forecast->build_seconds, compute = forecast->compute_seconds;
  cs_text_add(text, "\n  time      ");
  if (is_short(forecast)) {
    cs_text_add(text, "below 1 s");
    return;
  }
  if (build > 0.0) {
    cs_text_add(text, "about ");
    cs_words_add_duration(text, build);
    cs_text_add(text, " building ");
    cs_words_add_number(text, forecast->programs - forecast->kept, "program");
    cs_text_add(text, ", ");
  }
  if (is_time_unknown(forecast)) {
    cs_text_add(text, "computing: unknown in advance");
  } else if (compute < 1.0) {
    cs_text_add(text, "below 1 s computing");
  } else {
    cs_text_add(text, "about ");
    cs_words_add_duration(text, compute < 60.0 ? ceil(compute) : compute);
    cs_text_add(text, " computing");
  }
}

/* What is beside the result until that is written. */
static void add_journal(struct cs_text *text, const struct cs_forecast *forecast) {
  cs_text_add(text, "\n  journal   %s", forecast->journal_grows ? "at least " : "");
  cs_words_add_bytes(text, (double)forecast->journal_size);
  cs_text_add(text, " until the result is written");
}

void cs_command_add_forecast(struct cs_text *text, const struct cs_forecast *forecast) {
  cs_text_add(text, "  runs      ");
  cs_words_add_count(text, (double)forecast->runs);
  if (forecast->planned < forecast->runs) {
    cs_text_add(text, ", of which ");
    cs_words_add_count(text, (double)forecast->planned);
    cs_text_add(text, " were planned: all that follows is about so");
  }
  if (forecast->skipped > 0) cs_text_add(text, ", %zu skipped", forecast->skipped);
  if (forecast->invalid > 0) cs_text_add(text, ", %zu invalid", forecast->invalid);
  cs_text_add(text, forecast->analyses > 0 ? "\n  analyses  " : "\n  steps     ");
  if (forecast->varied == 0 || forecast->steps > 0.0)
    cs_words_add_count(text, forecast->analyses > 0 ? (double)forecast->analyses : forecast->steps);
  if (forecast->varied > 0) {
    cs_text_add(text, forecast->steps > 0.0 ? ", and those of " : "unknown in advance for ");
    cs_words_add_count(text, (double)forecast->varied);
    cs_text_add(text, " run%s with %s", forecast->varied == 1 ? "" : "s",
                forecast->controlled == 0                  ? "events"
                : forecast->controlled == forecast->varied ? "step size control"
                                                           : "step size control or events");
  }
  const size_t host = forecast->variants - forecast->built;
  cs_text_add(text, "\n  kernels   ");
  if (host > 0) cs_text_add(text, "%zu of the host, ", host);
  if (forecast->built > 0) add_built(text, forecast);
  cs_text_add(text, "in ");
  cs_words_add_number(text, forecast->tiles, "tile");
  cs_text_add(text, forecast->paced ? " and at least " : " and ");
  cs_words_add_number(text, forecast->launches, "kernel call");
  add_time(text, forecast);
  cs_text_add(text, "\n  memory    %s ", forecast->journal_grows ? "at least" : "about");
  cs_words_add_bytes(text, (double)forecast->host_memory);
  cs_text_add(text, forecast->apart ? ", and tiles on the device " : ", of which tiles ");
  cs_words_add_bytes(text, (double)forecast->device_memory);
  if ((double)forecast->again_memory > 1.1 * (double)forecast->host_memory) {
    cs_text_add(text, "; ");
    cs_words_add_bytes(text, (double)forecast->again_memory);
    cs_text_add(text, " where steps become long for the network");
  }
  cs_text_add(text, "\n  result    ");
  cs_words_add_bytes(text, (double)forecast->file_size);
  if (forecast->journal_size > 0 && !is_short(forecast)) add_journal(text, forecast);
  cs_text_add(text, "\n");
}

void cs_command_write_forecast(struct cs_writer *w, const struct cs_forecast *forecast) {
  cs_writer_count(w, "variants", forecast->variants);
  cs_writer_count(w, "built", forecast->built);
  cs_writer_count(w, "programs", forecast->programs);
  cs_writer_count(w, "kept", forecast->kept);
  if (forecast->builds_for[0] != '\0') cs_writer_string(w, "builds_for", forecast->builds_for);
  cs_writer_token(w, "build_seconds", "%.3g", forecast->build_seconds);
  if (!isnan(forecast->compute_seconds)) cs_writer_token(w, "compute_seconds", "%.3g", forecast->compute_seconds);
  cs_writer_count(w, "runs", forecast->runs);
  if (forecast->planned < forecast->runs) cs_writer_count(w, "planned", forecast->planned);
  cs_writer_count(w, "skipped", forecast->skipped);
  cs_writer_count(w, "invalid", forecast->invalid);
  cs_writer_number(w, "steps", forecast->steps);
  if (forecast->varied > 0) cs_writer_count(w, "varied", forecast->varied);
  if (forecast->analyses > 0) cs_writer_count(w, "analyses", forecast->analyses);
  cs_writer_count(w, "tiles", forecast->tiles);
  cs_writer_count(w, "launches", forecast->launches);
  cs_writer_count(w, "device_memory", forecast->device_memory);
  cs_writer_count(w, "host_memory", forecast->host_memory);
  if (forecast->again_memory > forecast->host_memory) cs_writer_count(w, "again_memory", forecast->again_memory);
  cs_writer_count(w, "file_size", forecast->file_size);
  if (forecast->journal_size > 0) cs_writer_count(w, "journal_size", forecast->journal_size);
}

int cs_command_make_directory(const char *path, bool *made, struct cs_error *error) {
  *made = mkdir(path, 0777) == 0;
  if (*made || errno == EEXIST) return CS_OK;
  return cs_error_set(error, CS_IO, "%s: cannot create the directory: %s", path, strerror(errno));
}
