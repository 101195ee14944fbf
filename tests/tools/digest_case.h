/* A result made by hand: what its digest and its report have to say is known. */
#ifndef COSWEEP_TESTS_DIGEST_CASE_H
#define COSWEEP_TESTS_DIGEST_CASE_H

#include "table.h"

enum { A_X, A_V, B_W };
enum { SETTINGS = 2, SIZES = 4, RUNS = SETTINGS * SIZES, OUTPUTS = 3 };

/* JSON of a model; "%s": its events, with the comma before them. The first subsystem has an integrator behind a lag,
 * the second an output with feed-through; they are a ring. Outputs as in the enum. */
extern const char digest_case_model[];

/* Axis 0 moves the orders and the start together, axis 1 is H. The error of run r, output o is (r + 1) (o + 1); run 3
 * diverged, run 7 is invalid, and output 1 of run 0 has no value. The caller frees it. */
struct cs_table *digest_case_result(void);

void digest_case_note(struct cs_table *table, const char *name, const char *text);

#endif
