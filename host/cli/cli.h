/* The command line: which commands there are, and their help. */
#ifndef COSWEEP_CLI_H
#define COSWEEP_CLI_H

#include "option.h"

/* What a command works on. */
struct cs_operand {
  enum cs_value kind;          /* CS_VALUE_NONE: there may not be any */
  const char *name;            /* as usage lines show it */
  const char *what;            /* "a sweep file" */
  const char *words[CS_WORDS]; /* of CS_VALUE_WORD: what it may be; up to the first NULL */
  const char *extensions;      /* of CS_VALUE_FILE, separated by blanks */
  bool optional, several;
};

enum { CS_EXITS = 4 }; /* room for the exit statuses of one command, and the 0 behind them */

struct cs_command {
  const char *name, *help;
  struct cs_operand operand;
  const struct cs_option_use *use; /* [uses], its options in the order of its help */
  size_t uses;
  int exits[CS_EXITS]; /* exit statuses beside those of every command; up to the first 0 */
  int (*run)(const struct cs_arguments *arguments, struct cs_error *error);
};

/* The commands, [count]: --help, manual pages and completion read the same rows. */
const struct cs_command *cs_cli_commands(size_t *count);
/* Appends "run SWEEP... [-o FILE]". */
void cs_cli_add_usage(const struct cs_command *command, struct cs_text *text);

struct cs_exit {
  int status; /* enum cs_code */
  bool every; /* any command may end with it */
  const char *meaning;
};
/* The exit statuses, [count]. */
const struct cs_exit *cs_cli_exits(size_t *count);
/* Whether a command may end with it; NULL: any command. */
bool cs_cli_ends_with(const struct cs_command *command, const struct cs_exit *exit);

/* Runs the command that the words name and returns the exit status; prints what went wrong. */
int cs_cli(int words, char **word);

#endif
