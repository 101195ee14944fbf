/* A trace: one run of a sweep, step by step, as a table over the unlimited dimension `t` (docs/formats.md section 4).
 */
#ifndef COSWEEP_TRACE_H
#define COSWEEP_TRACE_H

#include "device.h"
#include "options.h"
#include "outcome.h"
#include "status.h"
#include "sweep.h"
#include "table.h"

/* Default limit on the steps of a trace, accepted or rejected. */
enum { CS_TRACE_MOST = 1000000 };

struct cs_trace_report {
  enum cs_status status;
  double steps, rejected, given_up;             /* steps: accepted ones; given up: tries, because of an event inside */
  double t_final, wall_seconds, device_seconds; /* s */
  struct cs_preparation programs;
  struct cs_text failure; /* why the run ended before t_end, one line; otherwise empty */
};
void cs_trace_report_free(struct cs_trace_report *report);

/* Computes run number `run` (below sweep->runs) to its end, or until `most` steps were tried. A run that fails on its
 * way is recorded up to the failure and returns CS_OK; one that is skipped or invalid returns CS_NO_RESULT with *table
 * NULL. CS_INPUT in study stability, CS_INTERRUPTED when stopped. `options` may be NULL. Free `report` also on failure.
 */
int cs_trace_run(const struct cs_sweep *sweep, size_t run, size_t most, struct cs_device *device,
                 const struct cs_engine_options *options, struct cs_table **table, struct cs_trace_report *report,
                 struct cs_error *error);

#endif
