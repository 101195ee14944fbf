/* Figures of a result as pure descriptions: panels of curves or of a map, with axes, units and fitted slopes. Nothing
 * here knows how they are drawn (gnuplot.h). */
#ifndef COSWEEP_FIGURE_H
#define COSWEEP_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "table.h"

/* What is wanted, as the user names it; NULL: what suits the table. `metric`, `curve` and `panel` may list several
 * names with commas; several metrics stand in panels of their own. */
struct cs_figure_request {
  const char *kind;         /* convergence, map, cost, trace, lines or points */
  const char *metric;       /* an array of the table; of a trace its signals: x, y, u or monitor_value */
  const char *x, *y;        /* dimensions; with kind cost `x` is the count that is paid */
  const char *curve;        /* dimensions along which curves differ */
  const char *panel;        /* dimensions along which panels differ */
  const char *signal;       /* position along the dimension beyond the axes */
  const char *const *where; /* [wheres] "dimension=value"; several of one dimension add up */
  size_t wheres;
};

enum cs_figure_draw { CS_DRAW_LINE, CS_DRAW_POINTS, CS_DRAW_BOTH };

/* What a curve is, which says in which ink it is drawn. */
enum cs_figure_ink {
  CS_INK_SERIES,    /* one of several: colour, dashes and points by number */
  CS_INK_EXACT,     /* the exact solution beside what is simulated */
  CS_INK_FRONT,     /* Pareto front */
  CS_INK_BOUNDARY,  /* between stable and unstable */
  CS_INK_REFERENCE, /* triangles of known slope, limits */
  CS_INK_REJECTED   /* steps that were not taken */
};

struct cs_figure_curve {
  char *title; /* in the legend; NULL: not listed */
  enum cs_figure_draw draw;
  enum cs_figure_ink ink;
  size_t series; /* number of its colour; of rejected steps one more than that of the steps, 0: an ink of their own */
  size_t points;
  double *x, *y; /* [points], in the order in which they are joined; a y of NaN is a gap */
  double order;  /* fitted slope of log y over log x; NaN: none */
};

struct cs_figure_label {
  char *text;
  double x, y; /* of its left end, in the units of the axes */
};

struct cs_figure_axis {
  char *label;        /* name and unit */
  bool log, whole;    /* `whole`: only whole numbers mean something */
  double least, most; /* range, least < most */
  size_t ticks;
  char **tick; /* [ticks], names of 0, 1, ...; NULL: numbers */
};

struct cs_figure_map {
  size_t columns, rows; /* pixels; evenly spaced over the ranges of the axes as drawn, logarithmic ones too */
  double *value;        /* [rows][columns] from the lower left on; NaN: no value */
  double divide;        /* value at which the colours change; NaN: none */
};

struct cs_figure_panel {
  char *title; /* "" where there is nothing to tell apart */
  struct cs_figure_axis x, y, z;
  size_t curves, labels;
  struct cs_figure_curve *curve;
  struct cs_figure_label *label;
  struct cs_figure_map *map; /* or NULL */
};

struct cs_figure {
  const char *kind; /* as in the request */
  char *title;
  char *notes;    /* footnotes, one per line; "" where there are none */
  size_t panels;  /* row by row */
  size_t across;  /* panels in a row */
  bool stacked;   /* the panels of a column have one x axis, that of the lowest */
  bool one_scale; /* all maps have the colours of the first */
  struct cs_figure_panel *panel;
};

enum { CS_FIGURE_PANELS = 12, CS_FIGURE_CURVES = 8, CS_FIGURE_FILES = 6 };

/* Describes a figure of `table`, a result or a trace. Runs that failed are gaps. CS_USAGE on a request that the table
 * cannot fulfil, with what it has; CS_NO_RESULT where nothing is left to draw. */
int cs_figure_new(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                  struct cs_error *error);

struct cs_figure_file {
  const struct cs_table *table;
  const char *path; /* tells the files apart where the runs they hold do not */
};
/* Describes a figure of 1 to CS_FIGURE_FILES files; several have to be traces, which are drawn over each other, exact
 * solutions that agree once. Else as cs_figure_new. */
int cs_figure_compare(const struct cs_figure_file *file, size_t files, const struct cs_figure_request *request,
                      struct cs_figure **figure, struct cs_error *error);

void cs_figure_free(struct cs_figure *figure);

#endif
