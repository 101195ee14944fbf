#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "version.h"

#define BIT CS_OPTION_BIT

static const struct cs_command table[] = {
    {.name = "run",
     .operands = " SWEEP... [-o FILE]",
     .help = "run sweeps and write their results",
     .needs = "a sweep file",
     .options = BIT(CS_OPTION_OUTPUT) | BIT(CS_OPTION_DEVICE) | BIT(CS_OPTION_SET) | BIT(CS_OPTION_DRY_RUN) |
                BIT(CS_OPTION_PRINT_KERNEL) | BIT(CS_OPTION_FORCE) | BIT(CS_OPTION_LANES) | BIT(CS_OPTION_TILE_RUNS) |
                BIT(CS_OPTION_MEMORY) | BIT(CS_OPTION_QUIET) | BIT(CS_OPTION_JSON) | BIT(CS_OPTION_HELP),
     .own[CS_OPTION_OUTPUT] = "result file (default: the sweep's name + .h5); with\n"
                              "several sweeps a directory, made if missing",
     .own[CS_OPTION_JSON] = "one JSON object per sweep on stdout",
     .run = cs_command_run},
    {.name = "trace",
     .operands = " SWEEP [-o FILE]",
     .help = "write the time series of one run of a sweep",
     .needs = "a sweep file",
     .single = true,
     .options = BIT(CS_OPTION_OUTPUT) | BIT(CS_OPTION_DEVICE) | BIT(CS_OPTION_SET) | BIT(CS_OPTION_AT) |
                BIT(CS_OPTION_RUN) | BIT(CS_OPTION_MOST) | BIT(CS_OPTION_FORCE) | BIT(CS_OPTION_LANES) |
                BIT(CS_OPTION_QUIET) | BIT(CS_OPTION_JSON) | BIT(CS_OPTION_HELP),
     .own[CS_OPTION_OUTPUT] = "result file (default: the sweep's name + _trace.h5)",
     .own[CS_OPTION_JSON] = "a JSON object on stdout",
     .own[CS_OPTION_AT] = "the run with this value; may be repeated, for every axis",
     .run = cs_command_trace},
    {.name = "check",
     .operands = " FILE...",
     .help = "validate model or sweep files, say what they would do",
     .needs = "a model or sweep file",
     .options = BIT(CS_OPTION_DEVICE) | BIT(CS_OPTION_SET) | BIT(CS_OPTION_LANES) | BIT(CS_OPTION_TILE_RUNS) |
                BIT(CS_OPTION_MEMORY) | BIT(CS_OPTION_HELP),
     .run = cs_command_check},
    {.name = "info",
     .operands = " FILE.h5",
     .help = "show a result: axes, ranges, orders, provenance",
     .needs = "a result file",
     .single = true,
     .options = BIT(CS_OPTION_RANK) | BIT(CS_OPTION_COST) | BIT(CS_OPTION_SIGNAL) | BIT(CS_OPTION_AT) |
                BIT(CS_OPTION_ERROR) | BIT(CS_OPTION_BUDGET) | BIT(CS_OPTION_JSON) | BIT(CS_OPTION_HELP),
     .own[CS_OPTION_JSON] = "all of it as one JSON object",
     .own[CS_OPTION_SIGNAL] = "one signal (default: the largest over all)",
     .run = cs_command_info},
    {.name = "plot",
     .operands = " FILE.h5... [-o FIG]",
     .help = "draw a figure of a result or of traces, with gnuplot",
     .needs = "a result file",
     .options = BIT(CS_OPTION_OUTPUT) | BIT(CS_OPTION_KIND) | BIT(CS_OPTION_METRIC) | BIT(CS_OPTION_SIGNAL) |
                BIT(CS_OPTION_X) | BIT(CS_OPTION_Y) | BIT(CS_OPTION_CURVE) | BIT(CS_OPTION_PANEL) |
                BIT(CS_OPTION_WHERE) | BIT(CS_OPTION_TITLE) | BIT(CS_OPTION_SCRIPT) | BIT(CS_OPTION_FORCE) |
                BIT(CS_OPTION_HELP),
     .own[CS_OPTION_OUTPUT] = "figure, by its ending SVG, PNG or PDF (default: the\n"
                              "files' names + .svg in the working directory)",
     .own[CS_OPTION_METRIC] = "what to draw (default: an error, a spectral radius);\n"
                              "may be repeated, several with commas",
     .own[CS_OPTION_SIGNAL] = "one signal (default: all)",
     .own[CS_OPTION_WHERE] = "only this value; may be repeated, also for one axis",
     .run = cs_command_plot},
    {.name = "report",
     .operands = " FILE.h5",
     .help = "write a result as one page of HTML",
     .needs = "a result file",
     .single = true,
     .options = BIT(CS_OPTION_OUTPUT) | BIT(CS_OPTION_FORCE) | BIT(CS_OPTION_HELP),
     .own[CS_OPTION_OUTPUT] = "page to write, - for stdout (default: the result's\n"
                              "name + .html in the working directory)",
     .run = cs_command_report},
    {.name = "export",
     .operands = " FILE.h5",
     .help = "write a result as CSV, for MATLAB or for ParaView",
     .needs = "a result file",
     .single = true,
     .options = BIT(CS_OPTION_OUTPUT) | BIT(CS_OPTION_METRIC) | BIT(CS_OPTION_WHERE) | BIT(CS_OPTION_GROUP) |
                BIT(CS_OPTION_FORMAT) | BIT(CS_OPTION_FORCE) | BIT(CS_OPTION_HELP),
     .own[CS_OPTION_OUTPUT] = "file to write, - for stdout (default: FILE with the\n"
                              "ending .csv, .mat or .xmf)",
     .own[CS_OPTION_METRIC] = "only this metric; may be repeated",
     .own[CS_OPTION_WHERE] = "only this value; may be repeated, also for one axis;\n"
                             "signals too, output=NAME",
     .run = cs_command_export},
    {.name = "new",
     .operands = " [DIR]",
     .help = "write a model and a sweep to start from",
     .needs = "a directory",
     .single = true,
     .optional = true,
     .options = BIT(CS_OPTION_QUIET) | BIT(CS_OPTION_HELP),
     .run = cs_command_new},
    {.name = "schema",
     .operands = " model|sweep",
     .help = "print the JSON Schema of model or sweep files",
     .needs = "model or sweep",
     .single = true,
     .options = BIT(CS_OPTION_HELP),
     .run = cs_command_schema},
    {.name = "devices",
     .operands = "",
     .help = "list OpenCL devices; * marks the default",
     .options = BIT(CS_OPTION_HELP),
     .run = cs_command_devices},
};
enum { COMMANDS = sizeof table / sizeof *table };

const char cs_exit_help[] =
    "Exit status: 0 done, 1 finished but no run succeeded, 2 command line,\n"
    "3 input file, 4 device or kernel, 5 reading or writing files, 130 interrupted.\n";

const struct cs_command *cs_commands(size_t *count) {
  *count = COMMANDS;
  return table;
}

const char *cs_command_option_help(const struct cs_command *command, int option) {
  return command->own[option] != NULL ? command->own[option] : cs_option_text(option).help;
}

static int print_help(struct cs_error *error) {
  struct cs_text text = {0};
  cs_text_add(&text, "cosweep %s: batch experiments on co-simulations\n\n", CS_VERSION);
  cs_text_add(&text, "usage: cosweep <command> [options]\n\n");
  for (size_t i = 0; i < COMMANDS; i++) {
    char usage[64];
    snprintf(usage, sizeof usage, "%s%s", table[i].name, table[i].operands);
    cs_text_add(&text, "  %-26s%s\n", usage, table[i].help);
  }
  cs_text_add(&text, "\ncosweep <command> --help lists a command's options, cosweep --version prints the version.\n%s",
              cs_exit_help);
  return cs_command_print(&text, error);
}

static int print_command_help(const struct cs_command *command, struct cs_error *error) {
  struct cs_text text = {0};
  cs_text_add(&text, "usage: cosweep %s%s [options]\n\n  %s\n\noptions:\n", command->name, command->operands,
              command->help);
  cs_options_help(command->options, command->own, &text);
  cs_text_add(&text, "\n%s", cs_exit_help);
  return cs_command_print(&text, error);
}

static int unknown_command(const char *word, struct cs_error *error) {
  const char *names[COMMANDS];
  for (size_t i = 0; i < COMMANDS; i++)
    names[i] = table[i].name;
  return cs_error_set(error, CS_USAGE, "cosweep: unknown %s \"%s\"; nearest is %s (all: cosweep --help)",
                      word[0] == '-' ? "option" : "command", word,
                      word[0] != '-'              ? cs_nearest(word, names, COMMANDS)
                      : strchr(word, 'v') != NULL ? "--version"
                                                  : "--help");
}

static int check_operands(const struct cs_command *command, const struct cs_arguments *arguments,
                          struct cs_error *error) {
  if (command->needs != NULL && !command->optional && arguments->operands == 0)
    return cs_error_set(error, CS_USAGE, "cosweep %s: want %s (see: cosweep %s --help)", command->name, command->needs,
                        command->name);
  const size_t most = command->needs == NULL ? 0 : command->single ? 1 : arguments->operands;
  if (arguments->operands > most)
    return cs_error_set(error, CS_USAGE, "cosweep %s: \"%s\" is one too many (see: cosweep %s --help)", command->name,
                        arguments->operand[most], command->name);
  return CS_OK;
}

/* What a command reads is never what it writes, --force or not: another form of a result does not hold what it held. */
static int check_output(const struct cs_command *command, const struct cs_arguments *arguments,
                        struct cs_error *error) {
  const char *output = arguments->text[CS_OPTION_OUTPUT];
  struct stat written, read;
  if (!arguments->given[CS_OPTION_OUTPUT] || stat(output, &written) != 0) return CS_OK;
  for (size_t i = 0; i < arguments->operands; i++)
    if (stat(arguments->operand[i], &read) == 0 && read.st_dev == written.st_dev && read.st_ino == written.st_ino)
      return cs_error_set(error, CS_USAGE, "cosweep %s: --output %s is the file that is read; want another name",
                          command->name, output);
  return CS_OK;
}

static int run_command(const struct cs_command *command, int words, char **word, struct cs_error *error) {
  struct cs_arguments arguments;
  int code = cs_arguments_read(command->name, command->options, words, word, &arguments, error);
  if (code != CS_OK) goto out;
  if (arguments.given[CS_OPTION_HELP]) {
    code = print_command_help(command, error);
    goto out;
  }
  code = check_operands(command, &arguments, error);
  if (code == CS_OK) code = check_output(command, &arguments, error);
  if (code == CS_OK) code = command->run(&arguments, error);
out:
  cs_arguments_free(&arguments);
  return code;
}

static int dispatch(int words, char **word, struct cs_error *error) {
  if (words == 0) return cs_error_set(error, CS_USAGE, "cosweep: want a command (see: cosweep --help)");
  if (strcmp(word[0], "--help") == 0 || strcmp(word[0], "-h") == 0 || strcmp(word[0], "help") == 0)
    return print_help(error);
  if (strcmp(word[0], "--version") == 0) {
    puts("cosweep " CS_VERSION);
    return CS_OK;
  }
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(word[0], table[i].name) == 0) return run_command(&table[i], words - 1, word + 1, error);
  return unknown_command(word[0], error);
}

int cs_cli(int words, char **word) {
  struct cs_error error = {0};
  int code = dispatch(words, word, &error);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    const int reason = errno;
    if (code == CS_OK) code = cs_error_set(&error, CS_IO, "standard output: %s", strerror(reason));
  }
  if (code != CS_OK && error.message[0] != '\0') fprintf(stderr, "%s\n", error.message);
  return code;
}
