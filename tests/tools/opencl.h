/* Whether this machine has a driver of OpenCL. What is about the host is tested without one; what needs one, or
 * compares with one, is skipped there and says so, by these alone. */
#ifndef COSWEEP_TESTS_OPENCL_H
#define COSWEEP_TESTS_OPENCL_H

#include <stdbool.h>

/* Whether the loader of OpenCL finds a driver. Asks neither the program nor its rooms, which are what is tested. Fails
 * the running test where drivers are installed and the loader finds none of them, so that nothing is skipped then. */
bool opencl_is_there(void);

/* Skips the running test where there is none, with its name and the reason on stderr. */
void opencl_needed(void);

/* Says on stderr that `what`, a part of the running test, is skipped. */
void opencl_skipped(const char *what);

#endif
