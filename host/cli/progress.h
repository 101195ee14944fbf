/* Progress of a run on stderr: one line redrawn on a terminal, a line now and then elsewhere. */
#ifndef COSWEEP_PROGRESS_H
#define COSWEEP_PROGRESS_H

#include <stdbool.h>

#include "engine.h"

struct cs_bar {
  const char *name; /* of the sweep */
  bool quiet, terminal, colour;
  int columns; /* of the terminal */
  double due;  /* s since the start: not to be shown before */
  bool drawn;  /* a line stands there */
  bool beside; /* as the last progress told, like */
  size_t building;
};

void cs_bar_open(struct cs_bar *bar, const char *name, bool quiet);
/* As cs_engine_options.progress wants it; `context` is a struct cs_bar. */
void cs_bar_show(const struct cs_progress *progress, void *context);
/* Takes the line off the terminal. */
void cs_bar_close(struct cs_bar *bar);

#endif
