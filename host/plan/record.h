/* The row that a trace records for every step: its numbers, as record.clh writes and trace.c reads them. */
#ifndef COSWEEP_RECORD_H
#define COSWEEP_RECORD_H

#include "layout.h"
#include "occurrence.h"

enum cs_record {
  CS_RECORD_T,
  CS_RECORD_START,
  CS_RECORD_H,
  CS_RECORD_NOMINAL,
  CS_RECORD_ACCEPTED,
  CS_RECORD_STATUS, /* of the run after the step, CS_RUNNING if it has not ended */
  CS_RECORD_EVENT,
  CS_RECORD_FOUND,
  CS_RECORD_FIRST,
  CS_RECORD_CONFIGURATION, /* after the step; number in layout->configurations */
  CS_RECORD_EPS,
  CS_RECORD_DEGREE,
  CS_RECORD_X,
  CS_RECORD_X_EXACT,
  CS_RECORD_X_ERROR,
  CS_RECORD_X_AFTER,
  CS_RECORD_U_START,
  CS_RECORD_U,
  CS_RECORD_U_ERROR,
  CS_RECORD_CONNECTION_DEFECT,
  CS_RECORD_Y,
  CS_RECORD_Y_EXACT,
  CS_RECORD_Y_ERROR,
  CS_RECORD_Y_AFTER,
  CS_RECORD_OUTPUT_DEFECT,
  CS_RECORD_LOCAL_ERROR,
  CS_RECORD_ESTIMATE,
  CS_RECORD_MONITOR,
  CS_RECORD_OCCURRENCES, /* of events: how many, then those for which there is room */
  CS_RECORDS
};

struct cs_record_info {
  const char *place;            /* kernel macro: position of its first number in the row */
  const char *name, *long_name; /* NULL: no dataset of its own */
  const char *unit;             /* NULL: the signals' own */
  const char *flags;            /* words for the values 0, 1, ..., separated by blanks; NULL: a real number */
  enum cs_over over;
  bool whole; /* an integer */
  enum {
    CS_RECORD_ALWAYS,
    CS_RECORD_WITH_EVENTS,
    CS_RECORD_WITH_HALVES,
    CS_RECORD_WITH_LOCAL_ERROR,
    CS_RECORD_WITH_ESTIMATE,
    CS_RECORD_WITH_STATE_EVENTS,
    CS_RECORD_WITH_LEADERS
  } when;
};
extern const struct cs_record_info cs_record_table[CS_RECORDS];

/* Numbers of a kind in a row: one per signal, 0 if the run does not have this kind. */
size_t cs_record_count(const struct cs_layout *layout, enum cs_record record);
/* Position of the first of them; of CS_RECORDS: the length of a row. */
size_t cs_record_place(const struct cs_layout *layout, enum cs_record record);

#endif
