/* The command line: the table of commands, and their help. */
#ifndef COSWEEP_CLI_H
#define COSWEEP_CLI_H

#include "farm.h"
#include "option.h"

/* The operands of a command. */
struct cs_operand {
  enum cs_value kind;           /* CS_VALUE_NONE: it takes none */
  const char *name;             /* as usage lines show it */
  const char *what;             /* "a sweep file" */
  const char *words[CS_WORDS];  /* of CS_VALUE_WORD: the allowed words; up to the first NULL */
  const char *extensions;       /* of CS_VALUE_FILE, separated by spaces */
  bool optional, several, pair; /* none; any number; exactly two */
};

enum { CS_EXITS = 3 }; /* at most this many exit statuses of one command, including the final 0 */

struct cs_command {
  const char *name, *help;
  struct cs_operand operand;
  const struct cs_option_use *use; /* [uses] options, in the order of the help */
  size_t uses;
  int exits[CS_EXITS]; /* exit statuses in addition to those of every command; up to the first 0 */
  int (*run)(const struct cs_arguments *arguments, struct cs_error *error);
  bool shared; /* by the processes of a farm */
};

/* The commands, [count]; --help, manual pages and completion use this table. */
const struct cs_command *cs_cli_commands(size_t *count);
/* Appends "run SWEEP... [-o FILE]". */
void cs_cli_add_usage(const struct cs_command *command, struct cs_text *text);

struct cs_exit {
  int status; /* enum cs_code */
  bool every; /* any command may return it */
  const char *meaning;
};
/* The exit statuses, [count]. */
const struct cs_exit *cs_cli_exits(size_t *count);
/* Whether a command (NULL: any command) may return that exit status. */
bool cs_cli_ends_with(const struct cs_command *command, const struct cs_exit *exit);

/* Runs the command given by the words and returns the exit status; prints errors on stderr. */
int cs_cli(int words, char **word);
/* The same for a process of a farm, or NULL. Of commands that do not share their work only rank 0 does something. */
int cs_cli_among(struct cs_farm *farm, int words, char **word);

#endif
