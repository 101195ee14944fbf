/* The command line: which commands there are, and their help. */
#ifndef COSWEEP_CLI_H
#define COSWEEP_CLI_H

#include "option.h"

struct cs_command {
  const char *name, *operands, *help;
  const char *needs; /* what is missing where there is no operand; NULL: there may not be any */
  bool single;       /* one operand at most */
  bool optional;     /* may do without */
  uint64_t options;
  const char *own[CS_OPTIONS]; /* help of options that say something else than option.c does, or about which it says
                                  nothing; NULL of the others */
  int (*run)(const struct cs_arguments *arguments, struct cs_error *error);
};

/* The commands, [count]: --help, manual pages and completion read the same table. */
const struct cs_command *cs_commands(size_t *count);
const char *cs_command_option_help(const struct cs_command *command, int option); /* in lines */
extern const char cs_exit_help[]; /* "Exit status: 0 done, ...", in lines */

/* Runs the command that the words name and returns the exit status; prints what went wrong. */
int cs_cli(int words, char **word);

#endif
