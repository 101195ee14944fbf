#include "option.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, TEXT, NUMBER, REAL };

static const struct option {
  const char *name, *value; /* `value`: what stands for it in the help, NULL for a flag */
  const char *help;         /* lines separated by newlines */
  const char *legal;        /* numbers: the only ones, " 1 2 "; NULL: any from 1 */
  enum kind kind;
  bool zero; /* numbers: 0 is one of them */
  char letter;
} table[CS_OPTIONS] = {
    [CS_OPTION_OUTPUT] = {.name = "output",
                          .letter = 'o',
                          .kind = TEXT,
                          .value = "FILE"}, /* every command says itself what it writes */
    [CS_OPTION_DEVICE] = {.name = "device",
                          .kind = TEXT,
                          .value = "D",
                          .help = "index, cpu, gpu, or part of a name; several with\n"
                                  "commas, or all: they share the runs; see\n"
                                  "cosweep devices"},
    [CS_OPTION_SET] = {.name = "set",
                       .kind = TEXT,
                       .value = "PATH=VALUE",
                       .help = "override a scalar of the sweep file; may be repeated"},
    [CS_OPTION_DRY_RUN] = {.name = "dry-run", .help = "say what would be done, touch nothing"},
    [CS_OPTION_PRINT_KERNEL] = {.name = "print-kernel", .help = "print the OpenCL source of every kernel, do not run"},
    [CS_OPTION_FORCE] = {.name = "force", .help = "replace an existing file"},
    [CS_OPTION_LANES] = {.name = "lanes",
                         .kind = NUMBER,
                         .legal = " 1 2 4 8 16 ",
                         .value = "N",
                         .help = "runs per work-item: 1, 2, 4, 8 or 16\n"
                                 "(default: what suits the device)"},
    [CS_OPTION_TILE_RUNS] = {.name = "tile-runs",
                             .kind = NUMBER,
                             .value = "N",
                             .help = "runs per tile (default: from the memory)"},
    [CS_OPTION_MEMORY] = {.name = "memory",
                          .kind = NUMBER,
                          .value = "MB",
                          .help = "device memory to use (default: half, at most 1.6 GB)"},
    [CS_OPTION_QUIET] = {.name = "quiet", .letter = 'q', .help = "no progress and no summary"},
    [CS_OPTION_JSON] = {.name = "json"},
    [CS_OPTION_RANK] = {.name = "rank",
                        .kind = TEXT,
                        .value = "METRIC",
                        .help = "which settings reach a small METRIC at least cost:\n"
                                "Pareto front, ranking at equal error and cost"},
    [CS_OPTION_COST] = {.name = "cost",
                        .kind = TEXT,
                        .value = "COUNT",
                        .help = "the cost: evaluations, stages or steps\n"
                                "(default: the first of them in the file)"},
    [CS_OPTION_SIGNAL] = {.name = "signal", .kind = TEXT, .value = "NAME"},
    [CS_OPTION_AT] = {.name = "at",
                      .kind = TEXT,
                      .value = "AXIS=VALUE",
                      .help = "only runs with this value; may be repeated"},
    [CS_OPTION_RUN] = {.name = "run",
                       .kind = NUMBER,
                       .zero = true,
                       .value = "N",
                       .help = "number of the run, from 0, the last axis fastest"},
    [CS_OPTION_MOST] = {.name = "most",
                        .kind = NUMBER,
                        .value = "N",
                        .help = "steps to tell, taken or rejected (default: 1000000)"},
    [CS_OPTION_ERROR] = {.name = "error",
                         .kind = REAL,
                         .value = "E",
                         .help = "rank by the cost of METRIC <= E (default: median)"},
    [CS_OPTION_BUDGET] = {.name = "budget",
                          .kind = REAL,
                          .value = "C",
                          .help = "rank by METRIC at cost <= C (default: median)"},
    [CS_OPTION_KIND] = {.name = "kind",
                        .kind = TEXT,
                        .value = "KIND",
                        .help = "convergence, map, cost, trace, lines or points\n"
                                "(default: what suits the file)"},
    [CS_OPTION_METRIC] = {.name = "metric", .kind = TEXT, .value = "METRIC"},
    [CS_OPTION_X] = {.name = "x", .kind = TEXT, .value = "AXIS", .help = "axis to the right; of kind cost a count"},
    [CS_OPTION_Y] = {.name = "y", .kind = TEXT, .value = "AXIS", .help = "axis upwards, of a map"},
    [CS_OPTION_CURVE] = {.name = "curve",
                         .kind = TEXT,
                         .value = "AXIS",
                         .help = "a curve for each value; several with commas"},
    [CS_OPTION_PANEL] = {.name = "panel",
                         .kind = TEXT,
                         .value = "AXIS",
                         .help = "a panel for each value; several with commas"},
    [CS_OPTION_WHERE] = {.name = "where", .kind = TEXT, .value = "AXIS=VALUE"},
    [CS_OPTION_TITLE] = {.name = "title",
                         .kind = TEXT,
                         .value = "TEXT",
                         .help = "title of the figure, '' for none (default: the file's)"},
    [CS_OPTION_SCRIPT] = {.name = "script", .help = "keep gnuplot's script and numbers beside the figure"},
    [CS_OPTION_GROUP] = {.name = "group", .kind = TEXT, .value = "NAME", .help = "a group of the file: refined"},
    [CS_OPTION_FORMAT] = {.name = "format", .kind = TEXT, .value = "FORMAT", .help = "csv (default), matlab or xdmf"},
    [CS_OPTION_HELP] = {.name = "help", .letter = 'h', .help = "this text"},
};

/* ---- nearest words */

/* Edits (insert, delete, replace) from `a` to `b`; words too long for the table are far away. */
static size_t distance(const char *a, const char *b) {
  enum { LONGEST = 64 };
  const size_t m = strlen(a), n = strlen(b);
  size_t row[LONGEST + 1];
  if (m > LONGEST || n > LONGEST) return SIZE_MAX;
  for (size_t j = 0; j <= n; j++)
    row[j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      const size_t shorter = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
      diagonal = row[j];
      row[j] = replaced < shorter ? replaced : shorter;
    }
  }
  return row[n];
}

const char *cs_nearest(const char *word, const char *const *list, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    if (distance(word, list[i]) < distance(word, list[best])) best = i;
  return count > 0 ? list[best] : NULL;
}

/* ---- reading */

struct reader {
  const char *command;
  uint64_t legal;
  int words, at; /* `at`: the word being read */
  char **word;
  struct cs_arguments *arguments;
  struct cs_error *error;
};

static bool is_legal(const struct reader *reader, int option) {
  return (reader->legal & CS_OPTION_BIT(option)) != 0;
}

static int unknown(const struct reader *reader, const char *name, size_t length) {
  const char *list[CS_OPTIONS];
  char word[128];
  size_t count = 0;
  for (int i = 0; i < CS_OPTIONS; i++)
    if (is_legal(reader, i)) list[count++] = table[i].name;
  if (length >= sizeof word) length = sizeof word - 1;
  memcpy(word, name, length);
  word[length] = '\0';
  return cs_error_set(reader->error, CS_USAGE,
                      "cosweep %s: unknown option \"--%s\"; nearest is --%s (all: cosweep %s --help)", reader->command,
                      word, cs_nearest(word, list, count), reader->command);
}

static int read_number(const struct reader *reader, int option, const char *text) {
  size_t *number = &reader->arguments->number[option];
  char *end = NULL;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  bool good = isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0 && value <= SIZE_MAX / 1000000 &&
              (value > 0 || table[option].zero);
  if (good && table[option].legal != NULL) {
    struct cs_text word = {0};
    cs_text_add(&word, " %s ", text);
    good = !word.failed && strstr(table[option].legal, word.data) != NULL;
    cs_text_free(&word);
  }
  *number = (size_t)value;
  if (good) return CS_OK;
  return cs_error_set(reader->error, CS_USAGE, "cosweep %s: --%s %s; want %s%s(see: cosweep %s --help)",
                      reader->command, table[option].name, text,
                      table[option].legal != NULL ? "one of"
                      : table[option].zero        ? "a whole number from 0 "
                                                  : "a whole number from 1 ",
                      table[option].legal != NULL ? table[option].legal : "", reader->command);
}

static int read_real(const struct reader *reader, int option, const char *text) {
  char *end = NULL;
  const double value = strtod(text, &end);
  reader->arguments->real[option] = value;
  if (end != text && *end == '\0' && isfinite(value) && value > 0) return CS_OK;
  return cs_error_set(reader->error, CS_USAGE, "cosweep %s: --%s %s; want a number above 0 (see: cosweep %s --help)",
                      reader->command, table[option].name, text, reader->command);
}

/* Takes an option; `value` is what followed its name in the same word, or NULL. */
static int take(struct reader *reader, int option, const char *value) {
  struct cs_arguments *arguments = reader->arguments;
  const char *name = table[option].name, *command = reader->command;
  arguments->given[option] = true;
  if (table[option].kind == FLAG) {
    if (value == NULL) return CS_OK;
    return cs_error_set(reader->error, CS_USAGE, "cosweep %s: --%s takes no value (see: cosweep %s --help)", command,
                        name, command);
  }
  if (value == NULL && ++reader->at < reader->words) value = reader->word[reader->at];
  if (value == NULL)
    return cs_error_set(reader->error, CS_USAGE, "cosweep %s: --%s needs a value, %s (see: cosweep %s --help)", command,
                        name, table[option].value, command);
  if (option == CS_OPTION_SET && (strchr(value, '=') == NULL || value[0] == '='))
    return cs_error_set(
        reader->error, CS_USAGE,
        "cosweep %s: --set \"%s\"; want PATH=VALUE, as in method.step.size=0.1 (see: cosweep %s --help)", command,
        value, command);
  if (option == CS_OPTION_SET) arguments->set[arguments->sets++] = value;
  if (option == CS_OPTION_AT) arguments->at[arguments->ats++] = value;
  if (option == CS_OPTION_METRIC) arguments->metric[arguments->metrics++] = value;
  if (option == CS_OPTION_WHERE) arguments->where[arguments->wheres++] = value;
  arguments->text[option] = value;
  if (table[option].kind == REAL) return read_real(reader, option, value);
  return table[option].kind == NUMBER ? read_number(reader, option, value) : CS_OK;
}

/* "--name" or "--name=value". */
static int read_long(struct reader *reader, const char *name) {
  const size_t length = strcspn(name, "=");
  for (int i = 0; i < CS_OPTIONS; i++)
    if (is_legal(reader, i) && strlen(table[i].name) == length && memcmp(name, table[i].name, length) == 0)
      return take(reader, i, name[length] == '=' ? name + length + 1 : NULL);
  return unknown(reader, name, length);
}

/* "-o", "-oFILE", or several flags in one word. */
static int read_short(struct reader *reader, const char *letters) {
  for (; *letters != '\0'; letters++) {
    int option = 0;
    while (option < CS_OPTIONS && !(is_legal(reader, option) && table[option].letter == *letters))
      option++;
    if (option == CS_OPTIONS) return unknown(reader, letters, 1);
    if (table[option].kind != FLAG) return take(reader, option, letters[1] != '\0' ? letters + 1 : NULL);
    reader->arguments->given[option] = true;
  }
  return CS_OK;
}

int cs_arguments_read(const char *command, uint64_t legal, int words, char **word, struct cs_arguments *arguments,
                      struct cs_error *error) {
  struct reader reader = {
      .command = command, .legal = legal, .words = words, .word = word, .arguments = arguments, .error = error};
  bool options = true;
  *arguments = (struct cs_arguments){0};
  arguments->operand = calloc((size_t)words + 1, sizeof *arguments->operand);
  arguments->set = calloc((size_t)words + 1, sizeof *arguments->set);
  arguments->at = calloc((size_t)words + 1, sizeof *arguments->at);
  arguments->metric = calloc((size_t)words + 1, sizeof *arguments->metric);
  arguments->where = calloc((size_t)words + 1, sizeof *arguments->where);
  if (arguments->operand == NULL || arguments->set == NULL || arguments->at == NULL || arguments->metric == NULL ||
      arguments->where == NULL)
    return cs_error_memory(error);
  int code = CS_OK;
  for (; reader.at < words && code == CS_OK; reader.at++) {
    const char *text = word[reader.at];
    if (!options || text[0] != '-' || text[1] == '\0')
      arguments->operand[arguments->operands++] = text;
    else if (strcmp(text, "--") == 0)
      options = false;
    else
      code = text[1] == '-' ? read_long(&reader, text + 2) : read_short(&reader, text + 1);
  }
  return code;
}

void cs_arguments_free(struct cs_arguments *arguments) {
  free(arguments->operand);
  free(arguments->set);
  free(arguments->at);
  free(arguments->metric);
  free(arguments->where);
  *arguments = (struct cs_arguments){0};
}

/* ---- help */

struct cs_option_text cs_option_text(int option) {
  const struct option *row = &table[option];
  return (struct cs_option_text){row->name, row->value, row->help, row->legal, row->letter};
}

void cs_options_help(uint64_t legal, const char *const *own, struct cs_text *text) {
  enum { COLUMN = 24 };
  for (int i = 0; i < CS_OPTIONS; i++) {
    if ((legal & CS_OPTION_BIT(i)) == 0) continue;
    const size_t start = text->length;
    cs_text_add(text, "  ");
    if (table[i].letter != '\0')
      cs_text_add(text, "-%c, ", table[i].letter);
    else
      cs_text_add(text, "    ");
    cs_text_add(text, "--%s%s%s", table[i].name, table[i].value != NULL ? " " : "",
                table[i].value != NULL ? table[i].value : "");
    const size_t used = text->length - start;
    int pad = used + 2 <= COLUMN ? (int)(COLUMN - used) : 2;
    for (const char *line = own[i] != NULL ? own[i] : table[i].help; line != NULL;) {
      const size_t length = strcspn(line, "\n");
      cs_text_add(text, "%*s%.*s\n", pad, "", (int)length, line);
      line = line[length] == '\n' ? line + length + 1 : NULL;
      pad = COLUMN;
    }
  }
}
