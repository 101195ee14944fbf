/* The failure record: a message, written once, where the cause is known.
 *
 * A function that can fail returns CS_OK (0) or one of the codes below, and fills the record given as its last
 * argument. The codes are the program's exit status. */
#ifndef COSWEEP_ERROR_H
#define COSWEEP_ERROR_H

enum cs_code {
  CS_OK = 0,
  CS_NO_RESULT = 1,    /* finished, but no run succeeded */
  CS_USAGE = 2,        /* command line */
  CS_INPUT = 3,        /* model or sweep file */
  CS_DEVICE = 4,       /* OpenCL device or kernel, memory */
  CS_IO = 5,           /* reading or writing files */
  CS_INTERRUPTED = 130 /* Ctrl-C */
};

struct cs_error {
  int code;
  char message[8192]; /* UTF-8, no trailing newline; longer texts end in "..." */
};

/* Fills `error` (may be NULL) and returns `code`, so that failing is one statement: return cs_error_set(...). The
 * message is one line, unless its format has several or is "%s". */
int cs_error_set(struct cs_error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds the command before the message of a CS_USAGE error and a pointer to its --help after it; returns `code`. */
int cs_error_usage(struct cs_error *error, int code, const char *command);

/* Records a failed allocation; returns CS_DEVICE. */
int cs_error_memory(struct cs_error *error);
/* Records an interruption by the user; returns CS_INTERRUPTED. */
int cs_error_interrupted(struct cs_error *error);

#endif
