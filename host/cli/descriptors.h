/* Standard input, output and error of the process. */
#ifndef COSWEEP_DESCRIPTORS_H
#define COSWEEP_DESCRIPTORS_H

#include <stdbool.h>

/* Opens those of the three that are closed on /dev/null, so that no file opened later takes their numbers and receives
 * what is printed. To be called before anything is opened; false if that fails. */
bool cs_descriptors_open(void);

/* Whether standard output was closed when the process started. */
bool cs_descriptors_output_closed(void);

#endif
