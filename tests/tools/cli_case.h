/* The built program as a child process, in a temporary directory that is the working directory of the test. What goes
 * wrong here fails the running test. */
#ifndef COSWEEP_TESTS_CLI_CASE_H
#define COSWEEP_TESTS_CLI_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes the directory with model.json, a lag with the parameters p = 1 and q = 1 and an integrator in a ring, and
 * sweep.json, "small": four runs along p, few steps, one kernel. */
void cli_case_open(void);
void cli_case_close(void);
void cli_case_write(const char *name, const char *text);
/* Writes a sweep of model.json: name, step size and end (s), its "axes" and "metrics" without the brackets. */
void cli_case_sweep(const char *file, const char *name, double step, double t_end, const char *axes,
                    const char *metrics);
/* Files of the working directory, sorted, separated by blanks; the caller frees it. */
char *cli_case_files(void);
/* Waits, 60 s at most, until there is a file of that name. The name may be a pattern. */
void cli_case_await(const char *name);
/* Whether there is a file that matches the pattern. */
bool cli_case_has(const char *name);

struct cli_how {
  const char *environment; /* "NAME=VALUE" added to it, or NULL */
  const char *out;         /* file to which stdout goes; NULL: cli_result.out */
  bool unprivileged;       /* as a user who owns nothing */
  bool terminal;           /* stderr is a terminal */
  bool closed;             /* stdin, stdout and stderr are closed */
  size_t largest_file;     /* bytes that it may write into a file; 0: any number */
};

struct cli_result {
  int status; /* exit status; 1000 + signal where one ended it */
  char *out, *err;
};

struct cli_child {
  pid_t pid;
  int terminal; /* our end of it, or -1 */
  char out[80], err[80];
};

/* `words`: the command line after the program's name, separated by blanks. `how` may be NULL. */
struct cli_child cli_start(const char *words, const struct cli_how *how);
/* Waits for the end. cli_free the result. */
struct cli_result cli_end(struct cli_child *child);
struct cli_result cli_run(const char *words);
struct cli_result cli_run_how(const char *words, const struct cli_how *how);
void cli_free(struct cli_result *result);
/* Expects an exit status, and a text on stdout where that is 0, otherwise on stderr. */
void cli_expect(const char *words, int status, const char *message);

#endif
