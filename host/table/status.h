/* Outcome of a run (docs/formats.md section 3). */
#ifndef COSWEEP_STATUS_H
#define COSWEEP_STATUS_H

enum cs_status {
  CS_STATUS_OK,
  CS_STATUS_DIVERGED,
  CS_STATUS_UNDERFLOW,
  CS_STATUS_STEP_LIMIT,
  CS_STATUS_SINGULAR,
  CS_STATUS_EVENT_LIMIT,
  CS_STATUS_SKIPPED,
  CS_STATUS_INVALID,
  CS_STATUS_IMPRECISE,
  CS_STATUSES
};

/* Their names, in this order. */
#define CS_STATUS_WORDS "ok diverged step_underflow step_limit loop_singular event_limit skipped invalid imprecise"

#endif
