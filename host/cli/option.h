/* The table of command-line options, used by parsing, messages, --help, manual pages and completion. */
#ifndef COSWEEP_OPTION_H
#define COSWEEP_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "text.h"

/* Commands are recorded in results with their options in this order. */
enum cs_option {
  CS_OPTION_SET,
  CS_OPTION_AT,
  CS_OPTION_RUN,
  CS_OPTION_MOST,
  CS_OPTION_DEVICE,
  CS_OPTION_LANES,
  CS_OPTION_TILE_RUNS,
  CS_OPTION_MEMORY,
  CS_OPTION_OUTPUT,
  CS_OPTION_DRY_RUN,
  CS_OPTION_PRINT_KERNEL,
  CS_OPTION_FORCE,
  CS_OPTION_NO_FRAGMENTS,
  CS_OPTION_NO_CODE,
  CS_OPTION_QUIET,
  CS_OPTION_JSON,
  CS_OPTION_MATRICES,
  CS_OPTION_RANK,
  CS_OPTION_BY,
  CS_OPTION_COST,
  CS_OPTION_SIGNAL,
  CS_OPTION_ERROR,
  CS_OPTION_BUDGET,
  CS_OPTION_KIND,
  CS_OPTION_METRIC,
  CS_OPTION_X,
  CS_OPTION_Y,
  CS_OPTION_CURVE,
  CS_OPTION_PANEL,
  CS_OPTION_METHODS,
  CS_OPTION_HIGHLIGHT,
  CS_OPTION_SLOPES,
  CS_OPTION_WHERE,
  CS_OPTION_TITLE,
  CS_OPTION_XRANGE,
  CS_OPTION_YRANGE,
  CS_OPTION_X_LABEL,
  CS_OPTION_Y_LABEL,
  CS_OPTION_LABEL,
  CS_OPTION_NO_NOTES,
  CS_OPTION_WIDTH,
  CS_OPTION_FONT,
  CS_OPTION_SCRIPT,
  CS_OPTION_OPEN,
  CS_OPTION_TRACE,
  CS_OPTION_GROUP,
  CS_OPTION_FORMAT,
  CS_OPTION_STEP,
  CS_OPTION_JOURNAL,
  CS_OPTION_FRESH,
  CS_OPTION_RESUME,
  CS_OPTION_SHARD,
  CS_OPTION_COMPLETE,
  CS_OPTION_SIZES,
  CS_OPTION_PATTERNS,
  CS_OPTION_FOR,
  CS_OPTION_CAN,
  CS_OPTION_T_END,
  CS_OPTION_TOLERANCE,
  CS_OPTION_NAME,
  CS_OPTION_CONNECT,
  CS_OPTION_MATCH,
  CS_OPTION_IDENTIFY,
  CS_OPTION_STATES,
  CS_OPTION_TIME,
  CS_OPTION_TIME_LIMIT,
  CS_OPTION_RECOMPUTE,
  CS_OPTION_SEED,
  CS_OPTION_HELP,
  CS_OPTIONS
};

/* The kind of an option's value or of an operand: how it is parsed and completed. */
enum cs_value {
  CS_VALUE_NONE,      /* a flag; a command without operands */
  CS_VALUE_TEXT,      /* any text */
  CS_VALUE_WORD,      /* one of the row's words, or another value that the row allows */
  CS_VALUE_COUNT,     /* a whole number: one of the row's words if there are any, otherwise from 1, or from 0 */
  CS_VALUE_NUMBER,    /* a number above 0 */
  CS_VALUE_SIZE,      /* megabytes, or a number with K, M, G or T */
  CS_VALUE_FILE,      /* a file with one of the row's extensions */
  CS_VALUE_DIRECTORY, /* a directory */
  CS_VALUE_SETTING,   /* PATH=VALUE */
  CS_VALUE_POINT,     /* AXIS=VALUE */
  CS_VALUE_AXIS,      /* the name of an axis */
  CS_VALUE_METRIC,    /* the name of a metric */
  CS_VALUE_METHOD,    /* MASTER,HOLD,ORDER */
  CS_VALUE_SIGNAL     /* the name of a signal */
};

enum { CS_WORDS = 8 }; /* at most this many words in a row, including the final NULL */

struct cs_option_row {
  const char *name;
  char letter; /* 0: none */
  enum cs_value kind;
  const char *value;           /* placeholder of the value in the help; NULL for a flag */
  const char *words[CS_WORDS]; /* the allowed words; up to the first NULL */
  const char *others;          /* description of other allowed values, or NULL */
  bool zero;                   /* CS_VALUE_COUNT: 0 is allowed */
  bool repeated;               /* may be given several times, and every value counts */
  bool recorded;               /* recorded with the command in results */
  const char *initial;         /* the default in words; NULL: none, or it depends on the command */
  const char *help;            /* a phrase; NULL if every command has its own */
};
const struct cs_option_row *cs_option_row(int option);

/* An option as used by one command; NULL: as in the option's row. */
struct cs_option_use {
  enum cs_option option;
  const char *help, *initial;
  const char *extensions; /* of CS_VALUE_FILE, separated by spaces */
  bool listed;            /* the value may be a list, separated by commas */
  bool share;             /* a number that may be a percentage */
  enum cs_option needs;   /* an error without this other one; 0: none */
};

/* Whether `text` is one of the words up to the first NULL. */
bool cs_option_is_word(const char *const *words, const char *text);
/* Appends words up to the first NULL: "a, b or c" with `separator` ", " and `last` " or ". */
void cs_option_add_words(const char *const *words, const char *separator, const char *last, struct cs_text *text);
/* Appends a description as one phrase: "output format: csv, matlab or xdmf (default: csv)". */
void cs_option_add_phrase(const struct cs_option_use *use, struct cs_text *text);
/* Appends the help for an option, in lines of at most 79 columns. */
void cs_option_add_help(const struct cs_option_use *use, struct cs_text *text);

struct cs_values {
  const char **text; /* [count], borrowed from argv */
  size_t count;
};

struct cs_farm;

struct cs_arguments {
  struct cs_farm *farm; /* that this process belongs to; NULL: none */
  const char **operand; /* [operands], borrowed from argv; NULL if there are none */
  size_t operands;
  bool given[CS_OPTIONS];
  const char *text[CS_OPTIONS];      /* the last value given, or NULL */
  size_t number[CS_OPTIONS];         /* of options CS_VALUE_COUNT, and bytes of CS_VALUE_SIZE; 0 if not given */
  double real[CS_OPTIONS];           /* of options CS_VALUE_NUMBER; 0 if not given */
  struct cs_values list[CS_OPTIONS]; /* of options that may be repeated: all values in order */
};

/* Parses the words after the command's name; `use` [uses] are its options. CS_USAGE with a one-line message that ends
 * in a hint. Call cs_option_free_arguments also on failure. */
int cs_option_read_arguments(const char *command, const struct cs_option_use *use, size_t uses, int words, char **word,
                             struct cs_arguments *arguments, struct cs_error *error);
void cs_option_free_arguments(struct cs_arguments *arguments);

#endif
