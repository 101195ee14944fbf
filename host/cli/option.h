/* The options of the command line, declared once: parsing, messages and --help read the same table. */
#ifndef COSWEEP_OPTION_H
#define COSWEEP_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "text.h"

enum cs_option {
  CS_OPTION_OUTPUT,
  CS_OPTION_DEVICE,
  CS_OPTION_SET,
  CS_OPTION_DRY_RUN,
  CS_OPTION_PRINT_KERNEL,
  CS_OPTION_FORCE,
  CS_OPTION_LANES,
  CS_OPTION_TILE_RUNS,
  CS_OPTION_MEMORY,
  CS_OPTION_QUIET,
  CS_OPTION_JSON,
  CS_OPTION_RANK,
  CS_OPTION_COST,
  CS_OPTION_SIGNAL,
  CS_OPTION_AT,
  CS_OPTION_RUN,
  CS_OPTION_MOST,
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

/* A set of options, to be joined with |. */
#define CS_OPTION_BIT(option) (UINT64_C(1) << (option))

struct cs_arguments {
  const char **operand; /* [operands], borrowed from argv */
  size_t operands;
  const char **set; /* [sets], the values of --set */
  size_t sets;
  const char **at; /* [ats], the values of --at */
  size_t ats;
  const char **metric; /* [metrics], the values of --metric */
  size_t metrics;
  const char **where; /* [wheres], the values of --where */
  size_t wheres;
  bool given[CS_OPTIONS];
  const char *text[CS_OPTIONS]; /* the last value given, or NULL */
  size_t number[CS_OPTIONS];    /* of options that want a whole number; 0 where not given */
  double real[CS_OPTIONS];      /* of options that want any positive number; 0 where not given */
};

/* Reads the words after the command's name. CS_USAGE with one line that ends in a hint. `legal`: set of options.
 * cs_arguments_free is needed also on failure. */
int cs_arguments_read(const char *command, uint64_t legal, int words, char **word, struct cs_arguments *arguments,
                      struct cs_error *error);
void cs_arguments_free(struct cs_arguments *arguments);

/* What there is to say of an option. */
struct cs_option_text {
  const char *name, *value; /* `value`: what stands for it, NULL for a flag */
  const char *help;         /* lines; NULL where every command says something else */
  const char *legal;        /* the only values, " 1 2 "; NULL: any */
  char letter;              /* 0: none */
};
struct cs_option_text cs_option_text(int option);

/* Appends one line of help or more per option of the set. `own` [CS_OPTIONS]: what a command says itself of an option,
 * or NULL. */
void cs_options_help(uint64_t legal, const char *const *own, struct cs_text *text);

/* The entry of `list` that is the fewest edits away from `word`; NULL where the list is empty. */
const char *cs_nearest(const char *word, const char *const *list, size_t count);

#endif
