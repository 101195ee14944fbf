/* The options of the command line, a row each: parsing, messages, --help, manual pages and completion read the fields
 * of the rows, never their sentences. */
#ifndef COSWEEP_OPTION_H
#define COSWEEP_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "text.h"

/* A result names the options that matter to it in this order. */
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
  CS_OPTION_QUIET,
  CS_OPTION_JSON,
  CS_OPTION_RANK,
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
  CS_OPTION_WHERE,
  CS_OPTION_TITLE,
  CS_OPTION_SCRIPT,
  CS_OPTION_GROUP,
  CS_OPTION_FORMAT,
  CS_OPTION_HELP,
  CS_OPTIONS
};

/* What an option's value or an operand is: how it is read, and what completion offers. */
enum cs_value {
  CS_VALUE_NONE,      /* a flag; a command without operands */
  CS_VALUE_TEXT,      /* any text */
  CS_VALUE_WORD,      /* one of the row's words, or what the row names beside them */
  CS_VALUE_COUNT,     /* a whole number: one of the row's words where it has some, else from 1, or from 0 */
  CS_VALUE_NUMBER,    /* a number above 0 */
  CS_VALUE_FILE,      /* a file with one of the row's extensions */
  CS_VALUE_DIRECTORY, /* a directory */
  CS_VALUE_SETTING,   /* PATH=VALUE */
  CS_VALUE_POINT,     /* AXIS=VALUE */
  CS_VALUE_AXIS,      /* the name of an axis */
  CS_VALUE_METRIC     /* the name of a metric */
};

enum { CS_WORDS = 8 }; /* room for a row's words, and the NULL behind them */

struct cs_option_row {
  const char *name;
  char letter; /* 0: none */
  enum cs_value kind;
  const char *value;           /* what stands for the value in the help; NULL for a flag */
  const char *words[CS_WORDS]; /* the values that have a name; up to the first NULL */
  const char *others;          /* what other values are called, where there are any beside the words */
  bool zero;                   /* whole numbers: 0 is one of them */
  bool repeated;               /* may be given several times: every value counts, not the last one alone */
  bool recorded;               /* part of the command that a result names */
  const char *initial;         /* the default, in words; NULL: there is none, or it depends on the command */
  const char *help;            /* a phrase; NULL where every command has its own */
};
const struct cs_option_row *cs_option_row(int option);

/* An option of one command, with what the command says itself; NULL where the row's own holds. */
struct cs_option_use {
  enum cs_option option;
  const char *help, *initial;
  const char *extensions; /* of CS_VALUE_FILE, separated by blanks */
  bool listed;            /* the value may be a list, separated by commas */
  bool needs_rank;        /* an error without --rank */
};

/* Whether `text` is one of the words up to the first NULL. */
bool cs_option_is_word(const char *const *words, const char *text);
/* Appends words up to the first NULL: "a, b or c" with the separators ", " and " or ". */
void cs_option_add_words(const char *const *words, const char *separator, const char *last, struct cs_text *text);
/* Appends all that the fields say as one phrase: "output format: csv, matlab or xdmf (default: csv)". */
void cs_option_add_phrase(const struct cs_option_use *use, struct cs_text *text);
/* Appends the help on an option, in lines of at most 79 columns. */
void cs_option_add_help(const struct cs_option_use *use, struct cs_text *text);

struct cs_values {
  const char **text; /* [count], borrowed from argv */
  size_t count;
};

struct cs_arguments {
  const char **operand; /* [operands], borrowed from argv; NULL where there is none */
  size_t operands;
  bool given[CS_OPTIONS];
  const char *text[CS_OPTIONS];      /* the last value given, or NULL */
  size_t number[CS_OPTIONS];         /* of options that want a whole number; 0 where not given */
  double real[CS_OPTIONS];           /* of options that want any positive number; 0 where not given */
  struct cs_values list[CS_OPTIONS]; /* of options that may be repeated: all values, in their order */
};

/* Reads the words after the command's name; `use` [uses] are its options. CS_USAGE with one line that ends in a hint.
 * cs_arguments_free is needed also on failure. */
int cs_arguments_read(const char *command, const struct cs_option_use *use, size_t uses, int words, char **word,
                      struct cs_arguments *arguments, struct cs_error *error);
void cs_arguments_free(struct cs_arguments *arguments);

/* The entry of `list` that is the fewest edits away from `word`; NULL where the list is empty. */
const char *cs_nearest(const char *word, const char *const *list, size_t count);

#endif
