/* Progress of a run on stderr: on a terminal one line that is redrawn, otherwise a line every 30 seconds. */
#ifndef COSWEEP_PROGRESS_H
#define COSWEEP_PROGRESS_H

#include <stdbool.h>

#include "engine.h"

struct cs_progress_bar {
  const char *name; /* of the sweep */
  bool quiet, terminal, colour;
  int columns;            /* of the terminal */
  double due;             /* time of the next output, s since the start */
  bool drawn;             /* the line is on the terminal */
  const char *what;       /* as in the last progress, like `building` */
  size_t building, lines; /* lines: written or redrawn so far */
};

/* Lets `options` report progress to this bar. `name` and `bar` are kept. */
void cs_progress_open(struct cs_progress_bar *bar, const char *name, bool quiet, struct cs_engine_options *options);
/* Clears the line on the terminal. */
void cs_progress_close(struct cs_progress_bar *bar);

#endif
