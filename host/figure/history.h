/* The panels of a trace: a run over time. */
#ifndef COSWEEP_HISTORY_H
#define COSWEEP_HISTORY_H

#include "figure_private.h"

enum {
  CS_HISTORY_POINTS = 4000, /* of a curve; beyond that, points between extremes are not visible */
  CS_HISTORY_SYMBOLS = 40,  /* beyond that, symbols hide the curve */
  CS_HISTORY_MARKS = 400    /* of events; beyond that, ticks make a bar */
};

struct cs_history {
  const struct cs_table *table;
  const struct cs_figure_request *request;
  const struct cs_dimension *t;
  const struct cs_array *accepted;
  struct cs_figure *figure;
  size_t most; /* signals in a panel */
  struct cs_text notes;
  struct cs_text of; /* the quantity that is drawn alone, "u_start of " */
  bool thinned, crowded;
};

/* A dataset over time whose signals can be drawn, and the related datasets. */
struct cs_history_kind {
  const char *name, *label;
  const char *of;             /* before the name of a single signal: "u_start of " */
  const char *exact, *error;  /* the exact values, and the error; NULL: none */
  const char *after, *before; /* values after an event, and at the start of the step */
  bool jumps;                 /* the group /events says where the exact ones do */
};

/* ---- pieces */

/* The array of that name (may be NULL) if it has numbers; NULL otherwise. */
const struct cs_array *cs_history_find(const struct cs_history *c, const char *name);
/* Value of signal `s` in a row; arrays without signals have a single value. */
double cs_history_at(const struct cs_history *c, const struct cs_array *array, size_t row, size_t s);
bool cs_history_is_taken(const struct cs_history *c, size_t row);
/* The signals of an array; NULL if it has one value in a row. */
const struct cs_dimension *cs_history_signals(const struct cs_history *c, const struct cs_array *array);
/* Whether --signal lets signal `s` pass, and how many of them. */
bool cs_history_is_wanted(const struct cs_history *c, const struct cs_dimension *signals, size_t s);
size_t cs_history_count(const struct cs_history *c, const struct cs_dimension *signals);
/* The unit of signal `s`; "" if it has none. */
const char *cs_history_unit(const struct cs_history *c, const struct cs_array *array, size_t s);
/* Adds a panel at the bottom; NULL if out of memory. */
struct cs_figure_panel *cs_history_add_panel(struct cs_history *c, const char *label, const char *unit);
/* Appends a point unless one of its numbers is NaN. */
void cs_history_push(struct cs_figure_curve *curve, double x, double y);
/* The same for a value after an event: the pen is lifted where it jumps. */
void cs_history_push_after(struct cs_figure_curve *curve, double x, double y);
/* Thins a very long curve: keeps the extremes of short intervals. */
void cs_history_reduce(struct cs_history *c, struct cs_figure_curve *curve);

/* ---- panels */

/* The values of the signals, a panel for each unit, with the exact solution where it can be told apart. */
int cs_history_add_signals(struct cs_history *c, const struct cs_history_kind *kind, struct cs_error *error);
/* Errors of the signals by their absolute values, a panel for each of a few units; defects if `label` is NULL: one
 * panel that is called by their name. `estimate`: the array with estimates of them, drawn beside; NULL: none. */
int cs_history_add_measure(struct cs_history *c, const char *name, const char *label, const char *estimate,
                           struct cs_error *error);
/* Step sizes or their error estimate, with those of tries that were not taken; `stairs`: as values that hold during a
 * step. */
int cs_history_add_control(struct cs_history *c, const char *name, const char *label, bool stairs,
                           struct cs_error *error);
/* Merges each panel from number `next` on into the one of the same unit among those from `first` to `next`, if any. */
int cs_history_join(struct cs_history *c, size_t first, size_t next, struct cs_error *error);

#endif
