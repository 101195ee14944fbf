/* The commands of the program, and what they share. */
#ifndef COSWEEP_COMMAND_H
#define COSWEEP_COMMAND_H

#include "engine.h"
#include "fmu.h"
#include "option.h"
#include "words.h"
#include "writer.h"

/* Each prints its results on stdout. Errors go to `error`, whose message stays empty if the command has already printed
 * them. */
int cs_command_run(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_merge(const struct cs_arguments *arguments, struct cs_error *error);
/* Instead of them where a process of a farm has failed before: rank 0 says so, the others wait for it and return CS_OK
 * where it has failed too; else `code`. */
int cs_command_run_not(struct cs_farm *farm, int code);
int cs_command_check(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_trace(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_explain(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_recommend(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_info(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_plot(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_report(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_explore(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_export(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_compare(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_verify(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_devices(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_new(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_import(const struct cs_arguments *arguments, struct cs_error *error);
int cs_command_schema(const struct cs_arguments *arguments, struct cs_error *error);

/* cosweep info --rank; `table` is the contents of the file. */
int cs_command_rank(const struct cs_arguments *arguments, const struct cs_table *table, struct cs_error *error);

/* cosweep export of a model; `kind`: as what (fmu.h). */
int cs_command_export_model(const struct cs_arguments *arguments, enum cs_fmu_kind kind, struct cs_error *error);

/* cosweep info of a journal. */
int cs_command_journal(const char *path, bool json, struct cs_error *error);

/* Member "device": the names of those that a result was computed on. */
void cs_command_write_device(struct cs_writer *w, const struct cs_table *table);
/* Loads a sweep file and applies --set. CS_INPUT if it has fragments of code and --no-fragments is given. *sweep is to
 * be freed also on failure. */
int cs_command_load(const char *path, const struct cs_arguments *arguments, struct cs_sweep **sweep,
                    struct cs_error *error);
/* CS_INPUT if a sweep has fragments of code and --no-fragments is given. */
int cs_command_check_fragments(const char *path, const struct cs_arguments *arguments, const struct cs_sweep *sweep,
                               struct cs_error *error);
/* Says on stderr which fragments of code are about to be compiled, if any are. */
void cs_command_tell_fragments(const struct cs_sweep *sweep);
/* The options --lanes, --tile-runs and --memory. */
struct cs_engine_options cs_command_engine(const struct cs_arguments *arguments);
/* Appends the command line, quoted for a shell, without options that do not affect the result. */
void cs_command_add_line(struct cs_text *text, const char *command, const struct cs_arguments *arguments);
/* Prints `text` on stdout and frees it; CS_DEVICE if memory was short, CS_IO if stdout was closed from the start. */
int cs_command_print(struct cs_text *text, struct cs_error *error);

/* Length of the path's folder with its slash; 0 if it has none. */
size_t cs_command_folder(const char *path);
/* Appends `path` from byte `from` on, with another extension: ".html". */
void cs_command_add_renamed(struct cs_text *text, const char *path, size_t from, const char *extension);
/* Appends the file that --output names, else the first operand in the working directory, with another ending. */
void cs_command_add_output(struct cs_text *text, const struct cs_arguments *arguments, const char *ending);
/* CS_USAGE if writing `path` would overwrite an operand (inputs.h). */
int cs_command_check_output(const struct cs_arguments *arguments, const char *path, const char *command,
                            struct cs_error *error);
/* CS_IO if a file of that name exists, unless --force is given; "-" is stdout and never exists. */
int cs_command_absent(const struct cs_arguments *arguments, const char *path, struct cs_error *error);
/* Makes a directory unless it is there; *made: whether it was not. */
int cs_command_make_directory(const char *path, bool *made, struct cs_error *error);
/* Writes a file completely or not at all; "-" is stdout, whose errors are reported when the program ends,
 * unless it was closed from the start. */
int cs_command_write(const char *path, bool force, const struct cs_text *bytes, struct cs_error *error);
/* Of what is written bit by bit: */
struct cs_claim;
struct cs_command_output {
  const char *path;
  bool force;
  struct cs_claim *claim; /* NULL: none yet, or standard output */
};
/* A part, after which the text is empty; the last one, which completes the file. */
int cs_command_put(struct cs_command_output *output, struct cs_text *bytes, struct cs_error *error);
int cs_command_end(struct cs_command_output *output, const struct cs_text *bytes, struct cs_error *error);
/* Removes what was not completed. */
void cs_command_drop(struct cs_command_output *output);

/* Why standard output takes no more; CS_IO. */
int cs_command_fail_output(int reason, struct cs_error *error);

/* Prints `text` on stderr and frees it. */
void cs_command_tell(struct cs_text *text);

/* Appends "40.2 s: 40.1 s building 4 kernels, 3 ms computing". */
void cs_command_add_took(struct cs_text *text, double wall, const struct cs_preparation *programs, double device);

/* Appends what a model contains, as `check` prints it; `path`: its file. */
int cs_command_add_model(const char *path, const struct cs_model *model, struct cs_text *text, struct cs_error *error);

/* Appends what to do next with a model. */
void cs_command_add_next(const char *path, struct cs_text *text);

/* Append the forecast as lines of text, or as members of the open JSON object. */
void cs_command_add_forecast(struct cs_text *text, const struct cs_forecast *forecast);
void cs_command_write_forecast(struct cs_writer *writer, const struct cs_forecast *forecast);

#endif
