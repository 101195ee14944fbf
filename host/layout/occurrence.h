/* What kernels record of an event that has happened, in a trace. */
#ifndef COSWEEP_OCCURRENCE_H
#define COSWEEP_OCCURRENCE_H

/* CS_OCCURRENCE_ITEMS numbers, then the states before it and those after it. */
enum cs_occurrence_item {
  CS_OCCURRENCE_EXACT, /* 1: of the exact solution, 0: of the co-simulation */
  CS_OCCURRENCE_EVENT, /* number in the model's list */
  CS_OCCURRENCE_TIME,  /* s */
  CS_OCCURRENCE_LATE,
  CS_OCCURRENCE_CONFIGURATION, /* after it */
  CS_OCCURRENCE_ITEMS
};
enum { CS_OCCURRENCES_MOST = 64 }; /* in the row of a step */

#endif
