#include "option.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "near.h"
#include "words.h"

static const struct cs_option_row table[CS_OPTIONS] = {
    [CS_OPTION_SET] = {.name = "set",
                       .kind = CS_VALUE_SETTING,
                       .value = "PATH=VALUE",
                       .repeated = true,
                       .recorded = true,
                       .help = "override a scalar of the sweep file"},
    [CS_OPTION_AT] = {.name = "at", .kind = CS_VALUE_POINT, .value = "AXIS=VALUE", .repeated = true, .recorded = true},
    [CS_OPTION_RUN] = {.name = "run",
                       .kind = CS_VALUE_COUNT,
                       .value = "N",
                       .zero = true,
                       .recorded = true,
                       .help = "number of the run, from 0; the last axis varies fastest"},
    [CS_OPTION_MOST] = {.name = "most",
                        .kind = CS_VALUE_COUNT,
                        .value = "N",
                        .recorded = true,
                        .initial = "1000000",
                        .help = "number of steps to record, accepted or rejected"},
    [CS_OPTION_DEVICE] = {.name = "device",
                          .kind = CS_VALUE_WORD,
                          .value = "D",
                          .words = {"auto", "host", "cpu", "gpu", "all"},
                          .others = "an index, or part of a name",
                          .initial = "auto: the host, and programs of OpenCL where they pay",
                          .recorded = true,
                          .help = "device"},
    [CS_OPTION_LANES] = {.name = "lanes",
                         .kind = CS_VALUE_COUNT,
                         .value = "N",
                         .words = {"1", "2", "4", "8", "16"},
                         .recorded = true,
                         .initial = "chosen for the device",
                         .help = "runs per work-item"},
    [CS_OPTION_TILE_RUNS] = {.name = "tile-runs",
                             .kind = CS_VALUE_COUNT,
                             .value = "N",
                             .recorded = true,
                             .initial = "as many as fit in memory",
                             .help = "runs per tile"},
    [CS_OPTION_MEMORY] = {.name = "memory",
                          .kind = CS_VALUE_SIZE,
                          .value = "SIZE",
                          .recorded = true,
                          .initial = "half, at most 1.6 GB",
                          .help = "memory of each device to use, as 512M or 1.5G"},
    [CS_OPTION_OUTPUT] = {.name = "output", .letter = 'o', .kind = CS_VALUE_FILE, .value = "FILE", .recorded = true},
    [CS_OPTION_DRY_RUN] = {.name = "dry-run", .help = "print what would be done, and stop"},
    [CS_OPTION_PRINT_KERNEL] = {.name = "print-kernel", .help = "print the OpenCL source of every kernel, and stop"},
    [CS_OPTION_FORCE] = {.name = "force", .help = "replace existing files"},
    [CS_OPTION_NO_FRAGMENTS] = {.name = "no-fragments",
                                .help = "refuse custom masters and controllers, which are code"},
    [CS_OPTION_NO_CODE] = {.name = "no-code", .help = "refuse FMUs, SSP files and Python files, whose code is run"},
    [CS_OPTION_QUIET] = {.name = "quiet", .letter = 'q', .help = "print neither progress nor summary"},
    [CS_OPTION_JSON] = {.name = "json"},
    [CS_OPTION_MATRICES] = {.name = "matrices", .help = "print the matrices of every subsystem of a model"},
    [CS_OPTION_RANK] = {.name = "rank",
                        .kind = CS_VALUE_METRIC,
                        .value = "METRIC",
                        .help = "rank settings by the cost of a small METRIC: Pareto front, ranking at equal error and "
                                "at equal cost"},
    [CS_OPTION_COST] = {.name = "cost",
                        .kind = CS_VALUE_WORD,
                        .value = "COUNT",
                        .words = {"evaluations", "stages", "steps"},
                        .initial = "the first of them in the file",
                        .help = "count that serves as the cost"},
    [CS_OPTION_SIGNAL] = {.name = "signal", .kind = CS_VALUE_SIGNAL, .value = "NAME", .recorded = true},
    [CS_OPTION_BY] = {.name = "by",
                      .kind = CS_VALUE_AXIS,
                      .value = "AXIS",
                      .initial = "axes of names and orders",
                      .help = "rank combinations of the values of these axes, each with the best of all others"},
    [CS_OPTION_ERROR] = {.name = "error",
                         .kind = CS_VALUE_NUMBER,
                         .value = "E",
                         .initial = "median",
                         .help = "rank by the cost of METRIC <= E"},
    [CS_OPTION_BUDGET] = {.name = "budget",
                          .kind = CS_VALUE_NUMBER,
                          .value = "C",
                          .initial = "median",
                          .help = "rank by METRIC at a cost <= C"},
    [CS_OPTION_KIND] = {.name = "kind",
                        .kind = CS_VALUE_WORD,
                        .value = "KIND",
                        .words = {"convergence", "map", "cost", "trace", "lines", "points"},
                        .initial = "chosen from the file",
                        .recorded = true,
                        .help = "kind of figure"},
    [CS_OPTION_METRIC] =
        {.name = "metric", .kind = CS_VALUE_METRIC, .value = "METRIC", .repeated = true, .recorded = true},
    [CS_OPTION_X] = {.name = "x",
                     .kind = CS_VALUE_AXIS,
                     .value = "AXIS",
                     .recorded = true,
                     .help = "horizontal axis; for kind cost, the count that serves as the cost"},
    [CS_OPTION_Y] =
        {.name = "y", .kind = CS_VALUE_AXIS, .value = "AXIS", .recorded = true, .help = "vertical axis of a map"},
    [CS_OPTION_CURVE] = {.name = "curve",
                         .kind = CS_VALUE_AXIS,
                         .value = "AXIS",
                         .recorded = true,
                         .help = "one curve per value of AXIS"},
    [CS_OPTION_PANEL] = {.name = "panel",
                         .kind = CS_VALUE_AXIS,
                         .value = "AXIS",
                         .recorded = true,
                         .help = "one panel per value of AXIS"},
    [CS_OPTION_METHODS] = {.name = "methods",
                           .kind = CS_VALUE_COUNT,
                           .value = "N",
                           .recorded = true,
                           .initial = "8",
                           .help = "number of methods or curves in colour, the best ones; all others are grey"},
    [CS_OPTION_HIGHLIGHT] = {.name = "highlight",
                             .kind = CS_VALUE_POINT,
                             .value = "AXIS=VALUE",
                             .repeated = true,
                             .recorded = true,
                             .help = "only these methods or curves in colour"},
    [CS_OPTION_SLOPES] = {.name = "slopes",
                          .recorded = true,
                          .help = "name the slope of every line in colour, of error over cost"},
    [CS_OPTION_WHERE] =
        {.name = "where", .kind = CS_VALUE_POINT, .value = "AXIS=VALUE", .repeated = true, .recorded = true},
    [CS_OPTION_TITLE] = {.name = "title",
                         .kind = CS_VALUE_TEXT,
                         .value = "TEXT",
                         .initial = "the file's",
                         .recorded = true,
                         .help = "title of the figure, '' for none"},
    [CS_OPTION_XRANGE] = {.name = "xrange",
                          .kind = CS_VALUE_TEXT,
                          .value = "A:B",
                          .initial = "all values",
                          .recorded = true,
                          .help = "range of the horizontal axis"},
    [CS_OPTION_YRANGE] = {.name = "yrange",
                          .kind = CS_VALUE_TEXT,
                          .value = "A:B",
                          .initial = "all values",
                          .recorded = true,
                          .help = "range of the vertical axis"},
    [CS_OPTION_X_LABEL] = {.name = "xlabel",
                           .kind = CS_VALUE_TEXT,
                           .value = "TEXT",
                           .initial = "name and unit",
                           .recorded = true,
                           .help = "label of the horizontal axis"},
    [CS_OPTION_Y_LABEL] = {.name = "ylabel",
                           .kind = CS_VALUE_TEXT,
                           .value = "TEXT",
                           .initial = "name and unit",
                           .recorded = true,
                           .help = "label of the vertical axis"},
    [CS_OPTION_LABEL] = {.name = "label",
                         .kind = CS_VALUE_TEXT,
                         .value = "OLD=NEW",
                         .repeated = true,
                         .recorded = true,
                         .help = "write NEW for the name OLD of curves and panels"},
    [CS_OPTION_NO_NOTES] = {.name = "no-notes", .recorded = true, .help = "leave out the notes below the figure"},
    [CS_OPTION_WIDTH] = {.name = "width",
                         .kind = CS_VALUE_TEXT,
                         .value = "LENGTH",
                         .initial = "chosen for the panels",
                         .recorded = true,
                         .help = "width of the figure in mm, cm or in, for example 85mm"},
    [CS_OPTION_FONT] = {.name = "font",
                        .kind = CS_VALUE_TEXT,
                        .value = "NAME,SIZE",
                        .initial = "sans-serif,9",
                        .recorded = true,
                        .help = "font of the figure, and the size of labels in pt; one of them may be left out"},
    [CS_OPTION_SCRIPT] = {.name = "script", .help = "keep the gnuplot script and its data beside the figure"},
    [CS_OPTION_OPEN] = {.name = "open", .help = "show the page in the browser, by xdg-open"},
    [CS_OPTION_TRACE] = {.name = "trace",
                         .kind = CS_VALUE_TEXT,
                         .value = "RUNS",
                         .help = "have time histories of these runs on the page: numbers, best, worst"},
    [CS_OPTION_GROUP] = {.name = "group",
                         .kind = CS_VALUE_WORD,
                         .value = "NAME",
                         .words = {"refined", "events"},
                         .help = "export a group of the file"},
    [CS_OPTION_FORMAT] = {.name = "format",
                          .kind = CS_VALUE_WORD,
                          .value = "FORMAT",
                          .words = {"csv", "matlab", "xdmf", "fmu", "ssp", "osp"},
                          .initial = "csv",
                          .help = "output format"},
    [CS_OPTION_STEP] = {.name = "step",
                        .kind = CS_VALUE_NUMBER,
                        .value = "H",
                        .initial = "a tenth of the shortest time constant, rounded",
                        .help = "step size (s) that fmu, ssp and osp name"},
    [CS_OPTION_JOURNAL] = {.name = "journal",
                           .kind = CS_VALUE_TEXT,
                           .value = "SECONDS",
                           .initial = "5",
                           .help =
                               "keep finished runs in a journal from so many seconds on, and sync it as often; or off"},
    [CS_OPTION_RESUME] = {.name = "resume", .help = "succeed at once if the result of this sweep already exists"},
    [CS_OPTION_SHARD] = {.name = "shard",
                         .kind = CS_VALUE_TEXT,
                         .value = "I/N",
                         .help = "compute part I of N, for cosweep merge: RESULT.IofN.journal, and no result"},
    [CS_OPTION_COMPLETE] = {.name = "complete", .help = "compute what shards have not"},
    [CS_OPTION_FRESH] = {.name = "fresh", .help = "discard what an interrupted run has kept, and start over"},
    [CS_OPTION_SIZES] = {.name = "H",
                         .kind = CS_VALUE_TEXT,
                         .value = "H[,H...]",
                         .initial = "just above the largest stable one of --for",
                         .help = "step sizes (s) at which the mode that becomes unstable first is shown"},
    [CS_OPTION_PATTERNS] =
        {.name = "steps",
         .kind = CS_VALUE_TEXT,
         .value = "A:B",
         .initial = "none",
         .help =
             "step sizes A and B (s) that the master takes in turn: find the pattern of up to 6 steps that grows most"},
    [CS_OPTION_FOR] = {.name = "for",
                       .kind = CS_VALUE_METHOD,
                       .value = "MASTER,HOLD,ORDER",
                       .initial = "jacobi,lagrange,1",
                       .help = "method of which more is said: the mode that becomes unstable first, merges, advice"},
    [CS_OPTION_CAN] = {.name = "can",
                       .kind = CS_VALUE_TEXT,
                       .value = "WORD[,WORD]",
                       .initial = "neither",
                       .help = "what the subsystems can do: send derivatives of outputs (adds hold taylor), take back "
                               "a step and repeat it (rollback, adds iterations), tell integrals of outputs over a "
                               "step (integrals, adds compensation)"},
    [CS_OPTION_T_END] = {.name = "t-end",
                         .kind = CS_VALUE_NUMBER,
                         .value = "T",
                         .initial = "five times the slowest time constant"},
    [CS_OPTION_TOLERANCE] = {.name = "tolerance",
                             .kind = CS_VALUE_NUMBER,
                             .value = "R",
                             .initial = "0",
                             .help = "largest difference, relative to a variable's largest value, with exit status 0"},
    [CS_OPTION_NAME] = {.name = "name",
                        .kind = CS_VALUE_TEXT,
                        .value = "NAME",
                        .initial = "the first file's",
                        .help = "name of the model"},
    [CS_OPTION_CONNECT] = {.name = "connect",
                           .kind = CS_VALUE_TEXT,
                           .value = "\"A.Y -> B.U [* GAIN]\"",
                           .repeated = true,
                           .help = "connect output Y of subsystem A to input U of B"},
    [CS_OPTION_MATCH] = {.name = "match", .help = "connect outputs to inputs of the same name that nothing else feeds"},
    [CS_OPTION_IDENTIFY] = {.name = "identify",
                            .kind = CS_VALUE_NUMBER,
                            .value = "H",
                            .help = "take FMUs as black boxes: matrices from responses with steps of H s"},
    [CS_OPTION_STATES] = {.name = "states",
                          .kind = CS_VALUE_COUNT,
                          .value = "N",
                          .initial = "as many as stand out",
                          .help = "number of states of a black box"},
    [CS_OPTION_TIME] = {.name = "at",
                        .kind = CS_VALUE_NUMBER,
                        .value = "T",
                        .initial = "not at all",
                        .help = "run FMUs and SSP files up to T s first, with steps of --step"},
    [CS_OPTION_TIME_LIMIT] = {.name = "time-limit",
                              .kind = CS_VALUE_NUMBER,
                              .value = "S",
                              .initial = "60",
                              .help = "time (s) that reading a file by Python may take"},
    [CS_OPTION_RECOMPUTE] = {.name = "recompute",
                             .kind = CS_VALUE_COUNT,
                             .value = "N",
                             .help = "compute N runs again, drawn at random, and compare their bytes"},
    [CS_OPTION_SEED] = {.name = "seed",
                        .kind = CS_VALUE_COUNT,
                        .value = "S",
                        .zero = true,
                        .initial = "1",
                        .help = "seed of the random numbers that draw the runs"},
    [CS_OPTION_HELP] = {.name = "help", .letter = 'h', .help = "print this help"},
};

const struct cs_option_row *cs_option_row(int option) {
  return &table[option];
}

/* ---- reading */

struct reader {
  const char *command;
  const struct cs_option_use *use;
  size_t uses;
  int words, at; /* `at`: the word being read */
  char **word;
  struct cs_arguments *arguments;
  struct cs_error *error;
};

static int unknown(const struct reader *reader, const char *name, size_t length) {
  const char *list[CS_OPTIONS];
  char word[128];
  for (size_t i = 0; i < reader->uses; i++)
    list[i] = table[reader->use[i].option].name;
  if (length >= sizeof word) length = sizeof word - 1;
  memcpy(word, name, length);
  word[length] = '\0';
  const char *near = cs_near_find(word, list, reader->uses);
  return cs_error_set(reader->error, CS_USAGE, "cosweep %s: unknown option \"--%s\"%s%s%s (all: cosweep %s --help)",
                      reader->command, word, near != NULL ? "; did you mean \"--" : "", near != NULL ? near : "",
                      near != NULL ? "\"?" : "", reader->command);
}

/* "cosweep run: --lanes 3; want one of: 1, 2, 4, 8, 16 (see: cosweep run --help)" */
static int fail_value(const struct reader *reader, int option, const char *text, const char *want) {
  return cs_error_set(reader->error, CS_USAGE, "cosweep %s: --%s %s; want %s (see: cosweep %s --help)", reader->command,
                      table[option].name, text, want, reader->command);
}

static int fail_word(const struct reader *reader, int option, const char *text) {
  struct cs_text want = {0};
  cs_text_add(&want, "one of: ");
  cs_option_add_words(table[option].words, ", ", ", ", &want);
  const int code = fail_value(reader, option, text, cs_text_string(&want));
  cs_text_free(&want);
  return code;
}

static int read_count(const struct reader *reader, int option, const char *text) {
  const struct cs_option_row *row = &table[option];
  char *end = NULL;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  const bool good = isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0 && value <= SIZE_MAX / 1000000 &&
                    (value > 0 || row->zero);
  reader->arguments->number[option] = (size_t)value;
  if (row->words[0] != NULL) return cs_option_is_word(row->words, text) ? CS_OK : fail_word(reader, option, text);
  if (good) return CS_OK;
  return fail_value(reader, option, text, row->zero ? "a whole number from 0" : "a whole number from 1");
}

static int read_number(const struct reader *reader, int option, const char *text) {
  char *end = NULL;
  double value = strtod(text, &end);
  bool share = false;
  for (size_t i = 0; i < reader->uses; i++)
    share = share || ((int)reader->use[i].option == option && reader->use[i].share);
  if (share && end != text && strcmp(end, "%") == 0) {
    value /= 100.0;
    end++;
  }
  reader->arguments->real[option] = value;
  if (end != text && *end == '\0' && isfinite(value) && value > 0) return CS_OK;
  return fail_value(reader, option, text, share ? "a number above 0, or a percentage, as 1%" : "a number above 0");
}

/* Bytes: a number of megabytes, or of what a letter says. */
static int read_size(const struct reader *reader, int option, const char *text) {
  static const char letters[] = "KMGT";
  char *end = NULL;
  double bytes = strtod(text, &end), unit = 1e6;
  const bool plain = end == text + strspn(text, "0123456789.");
  const char *letter = *end != '\0' ? strchr(letters, toupper((unsigned char)*end)) : NULL;
  if (letter != NULL) {
    unit = pow(1e3, (double)(letter - letters + 1));
    end++;
  }
  bytes *= unit;
  const bool good = plain && *end == '\0' && bytes >= 1.0 && bytes < 1e18;
  reader->arguments->number[option] = good ? (size_t)bytes : 0;
  if (good) return CS_OK;
  return fail_value(reader, option, text, "megabytes, as 512, or a size with K, M, G or T, as 512M or 1.5G");
}

static int read_setting(const struct reader *reader, int option, const char *text) {
  if (strchr(text, '=') != NULL && text[0] != '=') return CS_OK;
  struct cs_text quoted = {0};
  cs_text_add(&quoted, "\"%s\"", text);
  const int code = fail_value(reader, option, cs_text_string(&quoted), "PATH=VALUE, for example method.step.size=0.1");
  cs_text_free(&quoted);
  return code;
}

/* A name is said in one line. */
static int check_name(const struct reader *reader, const char *name) {
  if (strchr(name, '\n') == NULL) return CS_OK;
  return cs_error_set(reader->error, CS_USAGE, "cosweep %s: \"%s\" has a line break; want a name in one line",
                      reader->command, name);
}

static int add_value(const char ***list, size_t *count, const char *value, struct cs_error *error) {
  if (!cs_list_grow(list, *count, sizeof **list)) return cs_error_memory(error);
  (*list)[(*count)++] = value;
  return CS_OK;
}

static int add_operand(struct reader *reader, const char *text) {
  const int code = check_name(reader, text);
  return code != CS_OK ? code
                       : add_value(&reader->arguments->operand, &reader->arguments->operands, text, reader->error);
}

/* Records an option; `value` is the rest of its word, or NULL. */
static int take(struct reader *reader, int option, const char *value) {
  const struct cs_option_row *row = &table[option];
  struct cs_arguments *arguments = reader->arguments;
  arguments->given[option] = true;
  if (row->kind == CS_VALUE_NONE) {
    if (value == NULL) return CS_OK;
    return cs_error_set(reader->error, CS_USAGE, "cosweep %s: --%s takes no value (see: cosweep %s --help)",
                        reader->command, row->name, reader->command);
  }
  if (value == NULL && ++reader->at < reader->words) value = reader->word[reader->at];
  if (value == NULL)
    return cs_error_set(reader->error, CS_USAGE, "cosweep %s: --%s needs a value, %s (see: cosweep %s --help)",
                        reader->command, row->name, row->value, reader->command);
  arguments->text[option] = value;
  int code = CS_OK;
  if (row->kind == CS_VALUE_FILE || row->kind == CS_VALUE_DIRECTORY) code = check_name(reader, value);
  if (row->kind == CS_VALUE_COUNT) code = read_count(reader, option, value);
  if (row->kind == CS_VALUE_NUMBER) code = read_number(reader, option, value);
  if (row->kind == CS_VALUE_SIZE) code = read_size(reader, option, value);
  if (row->kind == CS_VALUE_SETTING) code = read_setting(reader, option, value);
  struct cs_values *list = &arguments->list[option];
  if (code == CS_OK && row->repeated) code = add_value(&list->text, &list->count, value, reader->error);
  return code;
}

/* "--name" or "--name=value". */
static int read_long(struct reader *reader, const char *name) {
  const size_t length = strcspn(name, "=");
  for (size_t i = 0; i < reader->uses; i++) {
    const int option = reader->use[i].option;
    if (strlen(table[option].name) == length && memcmp(name, table[option].name, length) == 0)
      return take(reader, option, name[length] == '=' ? name + length + 1 : NULL);
  }
  return unknown(reader, name, length);
}

/* "-o", "-oFILE", or several flags in one word. */
static int read_short(struct reader *reader, const char *letters) {
  for (; *letters != '\0'; letters++) {
    size_t i = 0;
    while (i < reader->uses && table[reader->use[i].option].letter != *letters)
      i++;
    if (i == reader->uses) return unknown(reader, letters, 1);
    const int option = reader->use[i].option;
    if (table[option].kind != CS_VALUE_NONE) return take(reader, option, letters[1] != '\0' ? letters + 1 : NULL);
    reader->arguments->given[option] = true;
  }
  return CS_OK;
}

int cs_option_read_arguments(const char *command, const struct cs_option_use *use, size_t uses, int words, char **word,
                             struct cs_arguments *arguments, struct cs_error *error) {
  struct reader reader = {.command = command,
                          .use = use,
                          .uses = uses,
                          .words = words,
                          .word = word,
                          .arguments = arguments,
                          .error = error};
  bool options = true;
  int code = CS_OK;
  *arguments = (struct cs_arguments){0};
  for (; reader.at < words && code == CS_OK; reader.at++) {
    const char *text = word[reader.at];
    if (!options || text[0] != '-' || text[1] == '\0')
      code = add_operand(&reader, text);
    else if (strcmp(text, "--") == 0)
      options = false;
    else
      code = text[1] == '-' ? read_long(&reader, text + 2) : read_short(&reader, text + 1);
  }
  return code;
}

void cs_option_free_arguments(struct cs_arguments *arguments) {
  free(arguments->operand);
  for (int i = 0; i < CS_OPTIONS; i++)
    free(arguments->list[i].text);
  *arguments = (struct cs_arguments){0};
}

/* ---- help */

bool cs_option_is_word(const char *const *words, const char *text) {
  while (*words != NULL && strcmp(*words, text) != 0)
    words++;
  return *words != NULL;
}

void cs_option_add_words(const char *const *words, const char *separator, const char *last, struct cs_text *text) {
  for (size_t i = 0; words[i] != NULL; i++)
    cs_text_add(text, "%s%s", i == 0 ? "" : words[i + 1] == NULL ? last : separator, words[i]);
}

/* "svg png pdf" -> ".svg, .png or .pdf" */
static void add_extensions(const char *extensions, struct cs_text *text) {
  for (const char *at = extensions; *at != '\0';) {
    const size_t length = strcspn(at, " ");
    const char *next = at + length + strspn(at + length, " ");
    cs_text_add(text, "%s.%.*s", at == extensions ? "" : *next == '\0' ? " or " : ", ", (int)length, at);
    at = next;
  }
}

void cs_option_add_phrase(const struct cs_option_use *use, struct cs_text *text) {
  const struct cs_option_row *row = &table[use->option];
  const char *initial = use->initial != NULL ? use->initial : row->initial;
  cs_text_add(text, "%s", use->help != NULL ? use->help : row->help);
  if (row->words[0] != NULL) cs_text_add(text, ": ");
  cs_option_add_words(row->words, ", ", row->others != NULL ? ", " : " or ", text);
  if (row->others != NULL) cs_text_add(text, ", %s", row->others);
  if (use->listed) cs_text_add(text, "; several separated by commas");
  if (row->repeated) cs_text_add(text, "; may be repeated");
  const bool choice = use->extensions != NULL && strchr(use->extensions, ' ') != NULL;
  if (choice || initial != NULL) cs_text_add(text, " (");
  if (choice) add_extensions(use->extensions, text);
  if (initial != NULL) cs_text_add(text, "%sdefault: %s", choice ? "; " : "", initial);
  if (choice || initial != NULL) cs_text_add(text, ")");
}

void cs_option_add_help(const struct cs_option_use *use, struct cs_text *text) {
  enum { COLUMN = 24 };
  const struct cs_option_row *row = &table[use->option];
  struct cs_text phrase = {0};
  char label[64] = "    ";
  if (row->letter != '\0') snprintf(label, sizeof label, "-%c, ", row->letter);
  snprintf(label + 4, sizeof label - 4, "--%s%s%s", row->name, row->value != NULL ? " " : "",
           row->value != NULL ? row->value : "");
  const size_t length = strlen(label), start = text->length;
  cs_option_add_phrase(use, &phrase);
  if (length + 4 > COLUMN) cs_text_add(text, "  %s\n", label);
  cs_words_add_paragraph(text, COLUMN, cs_text_string(&phrase));
  text->failed |= phrase.failed;
  if (length + 4 <= COLUMN && !text->failed) memcpy(text->data + start + 2, label, length);
  cs_text_free(&phrase);
}
