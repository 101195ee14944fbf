/* Variable step and events of the plain reference (docs/methods.md section 7, docs/formats.md section 6). */
#ifndef COSWEEP_TESTS_PLAIN_VARY_H
#define COSWEEP_TESTS_PLAIN_VARY_H

#include "plain_step.h"

/* The whole run of a simulation whose states are those at T_0: measures, counts, step sizes, status. */
void plain_vary(struct plain_simulation *sim, const struct cs_sweep *sweep, const struct cs_settings *settings,
                const struct plain_watch *watch, struct plain_result *result);

/* Whether a state has left the range of docs/methods.md section 5. */
int plain_diverged(const struct plain_simulation *sim);

/* ---- plain.c */

/* Steps of all kinds after so many macro steps, accepted and rejected. */
void plain_count(const struct plain_simulation *sim, size_t steps, size_t rejected, struct plain_result *result);

/* ---- plain_event.c */

/* The first event after T and before `end`; `end` where there is none. */
real plain_next_event(const struct plain_network *network, real T, real end);
/* Makes the states of the simulation and the exact ones jump by the events at exactly T. Whether there was any. */
int plain_jump(struct plain_simulation *sim, real T);

/* ---- plain_richardson.c */

/* A step h of `sim` by two of h/2 against one with the memory `macro` (Andersson 3.3). Leaves the fine result in sim
 * with the outputs at its points in `macro`, and its measures in part[2]; ERR in *error. Where that is not below
 * `accept` (*accepted false), sim is as before. Returns the degree p of the estimate. */
size_t plain_richardson(struct plain_simulation *sim, const struct cs_settings *settings, real h, int inside,
                        struct plain_memory *macro, struct plain_result *part, real *error, int *accepted);
/* One step h with its measures. */
void plain_measured_step(struct plain_simulation *sim, real h, int inside, struct plain_result *part);

#endif
