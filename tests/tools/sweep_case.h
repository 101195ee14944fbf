/* A sweep of a small model, written to a temporary directory that is the working directory of the test. */
#ifndef COSWEEP_TESTS_SWEEP_CASE_H
#define COSWEEP_TESTS_SWEEP_CASE_H

#include "sweep.h"

/* Makes the directory with model.json: parameters p = 1 and q = 2, subsystems a and b with a state, an input and an
 * output each, in a ring. */
void sweep_case_open(void);
void sweep_case_close(void);
void sweep_case_write(const char *name, const char *text);
/* Writes s.json. Its line 3 is `method`, line 5 `axes`, line 6 `rest`: further members of those objects, or "". */
void sweep_case_compose(const char *method, const char *axes, const char *rest);
/* Another: t_end is 2, line 2 is `step`, the whole of method.step, line 3 `method`, line 4 `axes`. */
void sweep_case_compose_step(const char *step, const char *method, const char *axes);
/* That of sweep_case_compose, loaded; fails the test if that fails. */
struct cs_sweep *sweep_case_load(const char *method, const char *axes, const char *rest);

#endif
