#include "cli.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "builder.h"
#include "command.h"
#include "complaint.h"
#include "complete.h"
#include "descriptors.h"
#include "interrupt.h"
#include "kinds.h"
#include "near.h"
#include "print.h"
#include "version.h"

/* ---- the commands */

/* Fields .use and .uses of a command's row. */
#define USES(list) .use = list, .uses = sizeof list / sizeof *list

#define SWEEP_OPERAND \
  .operand.kind = CS_VALUE_FILE, .operand.name = "SWEEP", .operand.what = "a sweep file", .operand.extensions = "json"
#define RESULT_OPERAND \
  .operand.kind = CS_VALUE_FILE, .operand.name = "FILE.h5", .operand.what = "a result file", .operand.extensions = "h5"

/* Of commands that compute runs and keep them in a journal. */
#define COMPUTING_USES                                                                        \
  {.option = CS_OPTION_LANES}, {.option = CS_OPTION_TILE_RUNS}, {.option = CS_OPTION_MEMORY}, \
      {.option = CS_OPTION_JOURNAL}, {                                                        \
    .option = CS_OPTION_FRESH                                                                 \
  }

static const struct cs_option_use run_uses[] = {
    {.option = CS_OPTION_OUTPUT,
     .help = "result file; with several sweeps a directory, created if missing",
     .initial = "the sweep's name + .h5",
     .extensions = "h5"},
    {.option = CS_OPTION_SET},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_DRY_RUN},
    {.option = CS_OPTION_DEVICE, .help = "devices, which share the runs", .listed = true},
    {.option = CS_OPTION_RESUME},
    {.option = CS_OPTION_SHARD},
    COMPUTING_USES,
    {.option = CS_OPTION_NO_FRAGMENTS},
    {.option = CS_OPTION_PRINT_KERNEL},
    {.option = CS_OPTION_QUIET},
    {.option = CS_OPTION_JSON, .help = "print one JSON object per sweep"},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use merge_uses[] = {
    {.option = CS_OPTION_OUTPUT,
     .help = "result file, as it was given to cosweep run --shard",
     .initial = "the sweep's name + .h5",
     .extensions = "h5"},
    {.option = CS_OPTION_COMPLETE},
    {.option = CS_OPTION_DEVICE, .help = "devices, as they were given to cosweep run --shard", .listed = true},
    {.option = CS_OPTION_SET},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_NO_FRAGMENTS},
    COMPUTING_USES,
    {.option = CS_OPTION_QUIET},
    {.option = CS_OPTION_JSON, .help = "print one JSON object per sweep"},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use trace_uses[] = {
    {.option = CS_OPTION_AT, .help = "choose the run by the value of an axis, one for each axis"},
    {.option = CS_OPTION_RUN},
    {.option = CS_OPTION_OUTPUT, .help = "result file", .initial = "the sweep's name + _trace.h5", .extensions = "h5"},
    {.option = CS_OPTION_SET},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_MOST},
    {.option = CS_OPTION_DEVICE},
    {.option = CS_OPTION_NO_FRAGMENTS},
    {.option = CS_OPTION_LANES},
    {.option = CS_OPTION_QUIET},
    {.option = CS_OPTION_JSON, .help = "print a JSON object"},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use check_uses[] = {
    {.option = CS_OPTION_SET},       {.option = CS_OPTION_MATRICES}, {.option = CS_OPTION_NO_FRAGMENTS},
    {.option = CS_OPTION_DEVICE},    {.option = CS_OPTION_MEMORY},   {.option = CS_OPTION_LANES},
    {.option = CS_OPTION_TILE_RUNS}, {.option = CS_OPTION_HELP},
};

static const struct cs_option_use explain_uses[] = {
    {.option = CS_OPTION_SET},
    {.option = CS_OPTION_SIZES},
    {.option = CS_OPTION_PATTERNS},
    {.option = CS_OPTION_FOR},
    {.option = CS_OPTION_CAN},
    {.option = CS_OPTION_T_END, .help = "length of the run that gains of defects are for (s)"},
    {.option = CS_OPTION_OUTPUT, .help = "page of HTML to write instead", .initial = "none", .extensions = "html"},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_DEVICE},
    {.option = CS_OPTION_QUIET},
    {.option = CS_OPTION_JSON, .help = "print one JSON object"},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use recommend_uses[] = {
    {.option = CS_OPTION_ERROR,
     .help = "largest acceptable RMS error of an output, relative to its RMS, as 0.01 or 1%",
     .share = true,
     .initial = "0.001"},
    {.option = CS_OPTION_T_END, .help = "end of the runs (s)"},
    {.option = CS_OPTION_SIGNAL, .help = "outputs whose errors count", .initial = "all that move", .listed = true},
    {.option = CS_OPTION_COST, .help = "count to minimise", .initial = "evaluations"},
    {.option = CS_OPTION_CAN},
    {.option = CS_OPTION_SET},
    {.option = CS_OPTION_OUTPUT,
     .help = "sweep file to write",
     .initial = "the model's name + _recommended.json",
     .extensions = "json"},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_DEVICE},
    {.option = CS_OPTION_QUIET},
    {.option = CS_OPTION_JSON, .help = "print one JSON object"},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use info_uses[] = {
    {.option = CS_OPTION_RANK},
    {.option = CS_OPTION_COST, .needs = CS_OPTION_RANK},
    {.option = CS_OPTION_SIGNAL,
     .help = "rank by METRIC of one signal",
     .initial = "the largest over all signals",
     .needs = CS_OPTION_RANK},
    {.option = CS_OPTION_BY, .listed = true, .needs = CS_OPTION_RANK},
    {.option = CS_OPTION_AT, .help = "rank only runs with this value of an axis", .needs = CS_OPTION_RANK},
    {.option = CS_OPTION_ERROR, .needs = CS_OPTION_RANK},
    {.option = CS_OPTION_BUDGET, .needs = CS_OPTION_RANK},
    {.option = CS_OPTION_JSON, .help = "print everything as one JSON object"},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use plot_uses[] = {
    {.option = CS_OPTION_OUTPUT,
     .help = "figure",
     .initial = "the files' names + .svg in the working directory",
     .extensions = "svg png pdf"},
    {.option = CS_OPTION_KIND},
    {.option = CS_OPTION_METRIC, .help = "metric to draw", .initial = "an error or a spectral radius", .listed = true},
    {.option = CS_OPTION_SIGNAL, .help = "draw one signal", .initial = "all"},
    {.option = CS_OPTION_X},
    {.option = CS_OPTION_Y},
    {.option = CS_OPTION_CURVE, .listed = true},
    {.option = CS_OPTION_PANEL, .listed = true},
    {.option = CS_OPTION_METHODS},
    {.option = CS_OPTION_HIGHLIGHT, .listed = true},
    {.option = CS_OPTION_SLOPES},
    {.option = CS_OPTION_WHERE, .help = "restrict an axis to this value, to these, or to a range A:B"},
    {.option = CS_OPTION_TITLE},
    {.option = CS_OPTION_XRANGE},
    {.option = CS_OPTION_YRANGE},
    {.option = CS_OPTION_X_LABEL},
    {.option = CS_OPTION_Y_LABEL},
    {.option = CS_OPTION_LABEL},
    {.option = CS_OPTION_NO_NOTES},
    {.option = CS_OPTION_WIDTH},
    {.option = CS_OPTION_FONT},
    {.option = CS_OPTION_SCRIPT},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use report_uses[] = {
    {.option = CS_OPTION_OUTPUT,
     .help = "page to write, - for stdout",
     .initial = "the result's name + .html in the working directory",
     .extensions = "html"},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use explore_uses[] = {
    {.option = CS_OPTION_OUTPUT,
     .help = "page to write, - for stdout",
     .initial = "the result's name + _explore.html in the working directory",
     .extensions = "html"},
    {.option = CS_OPTION_METRIC, .help = "have only this metric on the page", .listed = true},
    {.option = CS_OPTION_WHERE,
     .help = "restrict an axis to this value, to these, or to a range A:B; output=NAME selects a signal"},
    {.option = CS_OPTION_TRACE, .listed = true},
    {.option = CS_OPTION_OPEN},
    {.option = CS_OPTION_NO_FRAGMENTS},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use export_uses[] = {
    {.option = CS_OPTION_OUTPUT,
     .help = "file to write, - for stdout; for fmu and osp a directory, created if missing",
     .initial = "the result's name with the format's extension; the model's name",
     .extensions = "csv mat xmf ssp"},
    {.option = CS_OPTION_FORMAT,
     .help = "output format; a model is written as fmu, ssp or osp, a result as the others"},
    {.option = CS_OPTION_METRIC, .help = "export only this metric", .listed = true},
    {.option = CS_OPTION_WHERE,
     .help = "restrict an axis to this value, to these, or to a range A:B; output=NAME selects a signal"},
    {.option = CS_OPTION_GROUP},
    {.option = CS_OPTION_STEP},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use compare_uses[] = {
    {.option = CS_OPTION_TOLERANCE},
    {.option = CS_OPTION_JSON, .help = "print one JSON object"},
    {.option = CS_OPTION_HELP},
};

static const struct cs_option_use verify_uses[] = {
    {.option = CS_OPTION_RECOMPUTE},
    {.option = CS_OPTION_SEED, .needs = CS_OPTION_RECOMPUTE},
    {.option = CS_OPTION_DEVICE, .initial = "the one of the result", .needs = CS_OPTION_RECOMPUTE},
    {.option = CS_OPTION_LANES, .initial = "those of the result", .needs = CS_OPTION_RECOMPUTE},
    {.option = CS_OPTION_MEMORY, .needs = CS_OPTION_RECOMPUTE},
    {.option = CS_OPTION_NO_FRAGMENTS, .needs = CS_OPTION_RECOMPUTE},
    {.option = CS_OPTION_QUIET, .help = "print nothing if nothing is wrong"},
    {.option = CS_OPTION_HELP}};
static const struct cs_option_use new_uses[] = {{.option = CS_OPTION_QUIET, .help = "do not print what to do next"},
                                                {.option = CS_OPTION_HELP}};
static const struct cs_option_use import_uses[] = {
    {.option = CS_OPTION_OUTPUT,
     .help = "model file to write",
     .initial = "the model's name + .json",
     .extensions = "json"},
    {.option = CS_OPTION_NAME},
    {.option = CS_OPTION_CONNECT},
    {.option = CS_OPTION_MATCH},
    {.option = CS_OPTION_IDENTIFY},
    {.option = CS_OPTION_STATES},
    {.option = CS_OPTION_TIME},
    {.option = CS_OPTION_STEP,
     .help = "step size (s) of --at, and of black boxes",
     .initial = "for black boxes, that of the FMU's default experiment"},
    {.option = CS_OPTION_TIME_LIMIT},
    {.option = CS_OPTION_MEMORY,
     .help = "memory that reading a file by Python may take, as 512M or 1.5G",
     .initial = "4G"},
    {.option = CS_OPTION_NO_CODE},
    {.option = CS_OPTION_FORCE},
    {.option = CS_OPTION_QUIET, .help = "print no summary, nor what code is run"},
    {.option = CS_OPTION_HELP},
};
static const struct cs_option_use help_uses[] = {{.option = CS_OPTION_HELP}};

static const struct cs_command table[] = {
    {.name = "run",
     .help = "run sweeps and write their results",
     SWEEP_OPERAND,
     .operand.several = true,
     USES(run_uses),
     .exits = {CS_NO_RESULT, CS_INPUT},
     .run = cs_command_run,
     .shared = true},
    {.name = "merge",
     .help = "make the result of a sweep from its shards",
     SWEEP_OPERAND,
     USES(merge_uses),
     .exits = {CS_NO_RESULT, CS_INPUT},
     .run = cs_command_merge,
     .shared = true},
    {.name = "trace",
     .help = "write the time series of one run of a sweep",
     SWEEP_OPERAND,
     USES(trace_uses),
     .exits = {CS_NO_RESULT, CS_INPUT},
     .run = cs_command_trace},
    {.name = "check",
     .help = "validate models and sweeps, show what would be run",
     .operand = {CS_VALUE_FILE, "FILE", "a model or sweep file, - for standard input", .extensions = "json",
                 .several = true},
     USES(check_uses),
     .exits = {CS_INPUT},
     .run = cs_command_check},
    {.name = "explain",
     .help = "say whether and why a coupling is stable, and up to which step size",
     .operand = {CS_VALUE_FILE, "MODEL", "a model file", .extensions = "json"},
     USES(explain_uses),
     .exits = {CS_INPUT},
     .run = cs_command_explain},
    {.name = "recommend",
     .help = "find the cheapest setting for an error, and write a sweep of it",
     .operand = {CS_VALUE_FILE, "MODEL", "a model file", .extensions = "json"},
     USES(recommend_uses),
     .exits = {CS_NO_RESULT, CS_INPUT},
     .run = cs_command_recommend},
    {.name = "info",
     .help = "show a result: axes, ranges, orders, provenance",
     RESULT_OPERAND,
     USES(info_uses),
     .exits = {CS_NO_RESULT},
     .run = cs_command_info},
    {.name = "plot",
     .help = "draw a result or traces with gnuplot",
     RESULT_OPERAND,
     .operand.several = true,
     USES(plot_uses),
     .exits = {CS_NO_RESULT},
     .run = cs_command_plot},
    {.name = "report",
     .help = "write a result as a single HTML page",
     RESULT_OPERAND,
     USES(report_uses),
     .run = cs_command_report},
    {.name = "explore",
     .help = "write a result as a page to look around in",
     RESULT_OPERAND,
     .operand.several = true,
     USES(explore_uses),
     .run = cs_command_explore},
    {.name = "export",
     .help = "write a result as CSV, for MATLAB or for ParaView; a model as FMUs",
     .operand = {CS_VALUE_FILE, "FILE", "a result or a model file", .extensions = "h5 json"},
     USES(export_uses),
     .run = cs_command_export},
    {.name = "compare",
     .help = "say what differs between two results over the same axes",
     RESULT_OPERAND,
     .operand.pair = true,
     USES(compare_uses),
     .exits = {CS_NO_RESULT},
     .run = cs_command_compare},
    {.name = "verify",
     .help = "compare a result with its checksums, and runs with what is computed now",
     RESULT_OPERAND,
     USES(verify_uses),
     .exits = {CS_INPUT},
     .run = cs_command_verify},
    {.name = "new",
     .help = "write a model and a sweep to start from",
     .operand = {CS_VALUE_DIRECTORY, "DIR", "a directory", .optional = true},
     USES(new_uses),
     .run = cs_command_new},
    {.name = "import",
     .help = "make a model from files of other programs",
     .operand = {CS_VALUE_FILE, "FILE", "a file to import", .extensions = "mo json mat h5 fmu ssp ssd npz py",
                 .several = true},
     USES(import_uses),
     .exits = {CS_INPUT},
     .run = cs_command_import},
    {.name = "schema",
     .help = "print the JSON Schema of model or sweep files",
     .operand = {CS_VALUE_WORD, "model|sweep", "model or sweep", .words = {"model", "sweep"}},
     USES(help_uses),
     .run = cs_command_schema},
    {.name = "devices", .help = "list devices; * marks the default", USES(help_uses), .run = cs_command_devices},
};
enum { COMMANDS = sizeof table / sizeof *table };

const struct cs_command *cs_cli_commands(size_t *count) {
  *count = COMMANDS;
  return table;
}

static const struct cs_exit exits[] = {
    {CS_OK, true, "success"},
    {CS_NO_RESULT, false, "finished, but no run succeeded, no setting suffices, or results differ"},
    {CS_USAGE, true, "command-line error"},
    {CS_INPUT, false, "input file error"},
    {CS_DEVICE, true, "device, kernel or memory error"},
    {CS_IO, true, "error reading or writing a file"},
    {CS_INTERRUPTED, true, "interrupted"},
};
enum { EXITS = sizeof exits / sizeof *exits };

const struct cs_exit *cs_cli_exits(size_t *count) {
  *count = EXITS;
  return exits;
}

bool cs_cli_ends_with(const struct cs_command *command, const struct cs_exit *exit) {
  if (command == NULL || exit->every) return true;
  for (size_t i = 0; command->exits[i] != CS_OK; i++)
    if (command->exits[i] == exit->status) return true;
  return false;
}

/* ---- help */

void cs_cli_add_usage(const struct cs_command *command, struct cs_text *text) {
  const struct cs_operand *operand = &command->operand;
  cs_text_add(text, "%s", command->name);
  if (operand->kind != CS_VALUE_NONE)
    cs_text_add(text, operand->optional ? " [%s]%s" : " %s%s", operand->name, operand->several ? "..." : "");
  if (operand->pair) cs_text_add(text, " %s", operand->name);
  for (size_t i = 0; i < command->uses; i++)
    if (command->use[i].option == CS_OPTION_OUTPUT) cs_text_add(text, " [-o FILE]");
}

/* "Exit status: 0 success, 2 ...": of a command, or for NULL of any command. */
static void add_exits(const struct cs_command *command, struct cs_text *text) {
  struct cs_text list = {0};
  for (size_t i = 0; i < EXITS; i++)
    if (cs_cli_ends_with(command, &exits[i]))
      cs_text_add(&list, "%s%d %s", i == 0 ? "Exit status: " : ", ", exits[i].status, exits[i].meaning);
  cs_text_add(&list, ".");
  cs_words_add_paragraph(text, 0, cs_text_string(&list));
  text->failed |= list.failed;
  cs_text_free(&list);
}

static void add_help(struct cs_text *text) {
  cs_text_add(text, "cosweep %s: batch experiments on co-simulations\n\n", CS_VERSION);
  cs_text_add(text, "usage: cosweep <command> [options]\n       cosweep --version\n\n");
  for (size_t i = 0; i < COMMANDS; i++) {
    const size_t start = text->length;
    cs_text_add(text, "  ");
    cs_cli_add_usage(&table[i], text);
    cs_text_add(text, "%*s%s\n", (int)(29 - (text->length - start)), "", table[i].help);
  }
  cs_text_add(text, "\ncosweep <command> --help lists the options of a command.\n");
  add_exits(NULL, text);
}

static int print_help(struct cs_error *error) {
  struct cs_text text = {0};
  add_help(&text);
  return cs_command_print(&text, error);
}

/* Without a command. */
static int tell_help(void) {
  struct cs_text text = {0};
  add_help(&text);
  cs_command_tell(&text);
  return CS_USAGE;
}

static int print_command_help(const struct cs_command *command, struct cs_error *error) {
  struct cs_text text = {0};
  cs_text_add(&text, "usage: cosweep ");
  cs_cli_add_usage(command, &text);
  cs_text_add(&text, " [options]\n\n  %s\n\noptions:\n", command->help);
  for (size_t i = 0; i < command->uses; i++)
    cs_option_add_help(&command->use[i], &text);
  cs_text_add(&text, "\n");
  add_exits(command, &text);
  return cs_command_print(&text, error);
}

/* ---- running */

static int unknown_command(const char *word, struct cs_error *error) {
  const char *names[COMMANDS + 2] = {"--help", "--version"};
  for (size_t i = 0; i < COMMANDS; i++)
    names[2 + i] = table[i].name;
  const char *near = cs_near_find(word, names, COMMANDS + 2);
  return cs_error_set(error, CS_USAGE, "cosweep: unknown %s \"%s\"%s%s%s (all: cosweep --help)",
                      word[0] == '-' ? "option" : "command", word, near != NULL ? "; did you mean \"" : "",
                      near != NULL ? near : "", near != NULL ? "\"?" : "");
}

/* "cosweep help run": of a command, or for NULL of all. */
static int print_help_of(const char *word, struct cs_error *error) {
  if (word == NULL) return print_help(error);
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(word, table[i].name) == 0) return print_command_help(&table[i], error);
  return unknown_command(word, error);
}

static int fail_word(const struct cs_command *command, const char *word, struct cs_error *error) {
  struct cs_text want = {0};
  cs_option_add_words(command->operand.words, ", ", ", ", &want);
  const int code = cs_error_set(error, CS_USAGE, "cosweep %s: \"%s\"; want one of: %s (see: cosweep %s --help)",
                                command->name, word, cs_text_string(&want), command->name);
  cs_text_free(&want);
  return code;
}

static int check_operands(const struct cs_command *command, const struct cs_arguments *arguments,
                          struct cs_error *error) {
  const struct cs_operand *operand = &command->operand;
  const size_t most = operand->kind == CS_VALUE_NONE ? 0 : operand->several || operand->pair ? SIZE_MAX : 1;
  if (most > 0 && !operand->optional && arguments->operands == 0)
    return cs_error_set(error, CS_USAGE, "cosweep %s: want %s (see: cosweep %s --help)", command->name, operand->what,
                        command->name);
  if (arguments->operands > most)
    return cs_error_set(error, CS_USAGE, "cosweep %s: unexpected argument \"%s\" (see: cosweep %s --help)",
                        command->name, arguments->operand[most], command->name);
  if (operand->pair && arguments->operands != 2)
    return cs_error_set(error, CS_USAGE, "cosweep %s: %zu file%s; want two (see: cosweep %s --help)", command->name,
                        arguments->operands, arguments->operands == 1 ? "" : "s", command->name);
  for (size_t i = 0; i < arguments->operands && operand->kind == CS_VALUE_WORD; i++)
    if (!cs_option_is_word(operand->words, arguments->operand[i]))
      return fail_word(command, arguments->operand[i], error);
  return CS_OK;
}

/* Options that say nothing without another one. */
static int check_needs(const struct cs_command *command, const struct cs_arguments *arguments, struct cs_error *error) {
  for (size_t i = 0; i < command->uses; i++) {
    const struct cs_option_use *use = &command->use[i];
    const struct cs_option_row *needed = cs_option_row(use->needs);
    if (use->needs != 0 && arguments->given[use->option] && !arguments->given[use->needs])
      return cs_error_set(error, CS_USAGE, "cosweep %s: --%s needs --%s %s (see: cosweep %s --help)", command->name,
                          cs_option_row(use->option)->name, needed->name, needed->value, command->name);
  }
  return CS_OK;
}

static int run_command(const struct cs_command *command, struct cs_farm *farm, int words, char **word,
                       struct cs_error *error) {
  struct cs_arguments arguments;
  int code = cs_option_read_arguments(command->name, command->use, command->uses, words, word, &arguments, error);
  if (code == CS_OK && arguments.given[CS_OPTION_HELP]) {
    if (farm == NULL || farm->rank == 0) code = print_command_help(command, error);
    goto out;
  }
  arguments.farm = farm;
  if (code == CS_OK) code = check_operands(command, &arguments, error);
  if (code == CS_OK) code = cs_kinds_check(command, &arguments, error);
  if (code == CS_OK) code = check_needs(command, &arguments, error);
  if (code == CS_OK) code = cs_interrupt_watch(error);
  if (code == CS_OK)
    code = command->run(&arguments, error);
  else if (farm != NULL && command->shared)
    code = cs_command_run_not(farm, code);
out:
  cs_option_free_arguments(&arguments);
  return code;
}

static int dispatch(struct cs_farm *farm, int words, char **word, struct cs_error *error) {
  for (size_t i = 0; i < COMMANDS && words > 0; i++)
    if (strcmp(word[0], table[i].name) == 0 && (table[i].shared || farm == NULL || farm->rank == 0))
      return run_command(&table[i], farm, words - 1, word + 1, error);
  if (farm != NULL && farm->rank > 0) return CS_OK;
  if (words == 0) return tell_help();
  if (strcmp(word[0], "--help") == 0 || strcmp(word[0], "-h") == 0 || strcmp(word[0], "help") == 0)
    return print_help_of(words > 1 ? word[1] : NULL, error);
  if (strcmp(word[0], "--version") == 0) {
    struct cs_text text = {0};
    cs_text_add(&text, "cosweep " CS_VERSION "\n");
    return cs_command_print(&text, error);
  }
  if (strcmp(word[0], CS_BUILDER_WORD) == 0) { /* the program itself says so, not a user */
    const int code = cs_interrupt_watch(error);
    return code == CS_OK ? cs_builder_serve(error) : code;
  }
  if (strcmp(word[0], CS_COMPLETE_WORD) == 0) return cs_complete(words - 1, word + 1); /* shells say so */
  return unknown_command(word[0], error);
}

int cs_cli(int words, char **word) {
  return cs_cli_among(NULL, words, word);
}

int cs_cli_among(struct cs_farm *farm, int words, char **word) {
  struct cs_error error = {0};
  if (farm != NULL && farm->rank > 0) cs_interrupt_silence();
  int code = dispatch(farm, words, word, &error);
  if (!cs_print_flush()) {
    const int reason = errno;
    if (code == CS_OK && !cs_descriptors_output_closed()) code = cs_command_fail_output(reason, &error);
  }
  if (code == CS_INTERRUPTED) cs_interrupt_describe(&error);
  const bool silent = farm != NULL && farm->rank > 0 && code == CS_INTERRUPTED; /* rank 0 says it */
  if (code != CS_OK && error.message[0] != '\0' && !silent) cs_complaint_print(&error);
  cs_interrupt_finish(code);
  return code;
}
