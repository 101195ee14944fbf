/* Progress of a run on stderr: on a terminal one line that is redrawn, elsewhere a line every
 * 30 seconds. */
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

/* From now on the engine that gets `options` shows its progress here. `name` is kept. */
void cs_bar_open(struct cs_bar *bar, const char *name, bool quiet, struct cs_engine_options *options);
/* Takes the line off the terminal. */
void cs_bar_close(struct cs_bar *bar);

#endif
