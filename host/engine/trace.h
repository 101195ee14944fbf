/* A trace: one run of a sweep, step by step, as a table over the unlimited dimension `t` (docs/formats.md section 4).
 */
#ifndef COSWEEP_TRACE_H
#define COSWEEP_TRACE_H

#include "device.h"
#include "options.h"
#include "status.h"
#include "sweep.h"
#include "table.h"

/* Steps a trace may have, taken or rejected, unless asked otherwise. */
enum { CS_TRACE_MOST = 1000000 };

struct cs_trace_report {
  enum cs_status status;
  double steps, rejected, t_final, wall_seconds; /* steps: accepted ones; s */
  struct cs_text failure;                        /* why the run did not come to its end, one line; else empty */
};
void cs_trace_report_free(struct cs_trace_report *report);

/* Runs number `run` (below sweep->runs) until its end or until `most` steps were tried. A run that fails on its way is
 * told up to there and CS_OK; one that cannot begin leaves *table NULL, which is CS_NO_RESULT. CS_INPUT in study
 * stability, CS_INTERRUPTED when stopped. `report` is to be freed in any case. */
int cs_trace_run(const struct cs_sweep *sweep, size_t run, size_t most, struct cs_device *device,
                 const struct cs_engine_options *options, struct cs_table **table, struct cs_trace_report *report,
                 struct cs_error *error);

#endif
