/* What the tests of the engine share: running sweeps written as text, looking values up, comparing with tables.
 * Whatever goes wrong here fails the running test. Paths of data are relative to the source directory. */
#ifndef COSWEEP_TESTS_HARNESS_H
#define COSWEEP_TESTS_HARNESS_H

#include <stddef.h>

#include "device.h"
#include "engine.h"
#include "harness_files.h"
#include "sweep.h"
#include "table.h"
#include "text.h"

/* ---- runs */

struct harness {
  char directory[HARNESS_FILES_PATH]; /* temporary, emptied by harness_close */
  struct cs_device *device;
  struct cs_sweep *sweep; /* the newest */
  struct cs_table *table; /* its results; NULL before harness_run */
};

/* A temporary directory and no device: enough for harness_load. */
void harness_directory(struct harness *harness);
/* With a device as well, for harness_run: that of COSWEEP_DEVICE, which ctest sets to the host. */
void harness_open(struct harness *harness);
/* With one of OpenCL: for chosen lanes, fragments of users, and what is said of kernels. Without a driver the test is
 * skipped (opencl.h), before anything is made. */
void harness_open_opencl(struct harness *harness);
/* With device `auto`, for fragments of users, which need OpenCL like the one above: they are built without
 * optimisation, which takes a fifth of the time. */
void harness_open_auto(struct harness *harness);
/* The program, which serves as a builder. */
const char *harness_program(void);
void harness_close(struct harness *harness);
/* Writes `text` as `name` into the temporary directory. */
void harness_write(struct harness *harness, const char *name, const char *text);
/* Loads a sweep from its text; "model" is a path in the temporary directory or an absolute one. */
void harness_load(struct harness *harness, const char *sweep);
/* The same from a file. */
void harness_load_file(struct harness *harness, const char *path);
/* As harness_load, with method.engine `engine`; for "double" without the maxima, which it cannot give. */
void harness_load_engine(struct harness *harness, const char *sweep, const char *engine);
/* Runs the loaded sweep with the engine's default options. */
void harness_run(struct harness *harness);
/* For .build_pays: so that programs of a device that was named are optimised, as those of long sweeps are. */
double harness_build_pays(const struct cs_device *device);
/* Loads sweeps/NAME.json as shipped and runs it. */
void harness_run_shipped(struct harness *harness, const char *name);

/* Copy of a model's text with its monitors replaced by one monitor per state, named as the state but with '_' for
 * '.'. The caller frees it. */
char *harness_monitor_states(const char *model);

/* Copy of a model's text with its subsystems last to first. The caller frees it. */
char *harness_reverse_subsystems(const char *model);

/* ---- results */

/* Value of `name` at position `index` (one number per axis) and `signal` (NULL where there is none). */
double harness_value(const struct cs_table *table, const char *name, const size_t *index, const char *signal);

/* A comparison in progress: counts, and remembers the worst. */
struct harness_check {
  size_t compared, failed;
  double worst; /* largest |actual - expected| / allowed */
  char worst_case[512];
};

/* |actual - expected| <= max(relative |expected|, absolute); the first failures are printed. */
void harness_compare(struct harness_check *check, double actual, double expected, double relative, double absolute,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Prints how many were compared and the worst case; fails the test if any comparison failed or none was made. */
void harness_finish(const struct harness_check *check, const char *title);

#endif
