/* The command line: which commands there are, and their help. */
#ifndef COSWEEP_CLI_H
#define COSWEEP_CLI_H

/* Runs the command that the words name and returns the exit status; prints what went wrong. */
int cs_cli(int words, char **word);

#endif
