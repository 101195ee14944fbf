/* Files that the Python package reads: FMUs, systems of them, archives of NumPy and Python files. */
#ifndef COSWEEP_PYTHON_H
#define COSWEEP_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct cs_python_kind {
  const char *extension, *plural; /* ".fmu", "FMUs" */
  const char *code;               /* what of it is run, "its code"; NULL: nothing, it is data */
  bool fmus;
};
/* Of a file by its name; NULL for those that Python does not read. */
const struct cs_python_kind *cs_python_kind(const char *file);

struct cs_python_wish {
  const char *identify, *states, *at, *step; /* of FMUs, as the command line has them; NULL: not given */
  double seconds;                            /* that reading a file may take */
  size_t memory;                             /* bytes */
};

/* For a process of its own, of which nothing returns but a failure, CS_IO: becomes the Python that reads a file, with
 * temporary files in `scratch`, and answers to a descriptor. Nothing of the working directory is looked up by it. */
int cs_python_become(const char *file, const char *scratch, const struct cs_python_wish *wish, int to,
                     struct cs_error *error);
/* Without an answer: the exit status that says that the package is missing, and that error. */
enum { CS_PYTHON_NO_PACKAGE = 97 };
int cs_python_fail(const char *file, struct cs_error *error);

#endif
