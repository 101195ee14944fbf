/* Figures of a result as descriptions independent of the drawing program (gnuplot.h): panels with curves or a map,
 * axes, units and fitted slopes. */
#ifndef COSWEEP_FIGURE_H
#define COSWEEP_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "table.h"
#include "text.h"

/* The figure to make, as the user names it; NULL: chosen to suit the table. `metric`, `curve` and `panel` may list
 * several names separated by commas, which have panels of their own; "+" joins quantities of a trace in one. */
struct cs_figure_request {
  const char *kind;         /* convergence, map, cost, trace, lines or points */
  const char *metric;       /* an array of the table; for a trace its signals: x, y, u or monitor_value */
  const char *x, *y;        /* dimensions; with kind cost `x` is the cost metric */
  const char *curve;        /* dimensions along which curves differ */
  bool usual_curve;         /* the curve was chosen by cs_figure_complete */
  const char *panel;        /* dimensions along which panels differ */
  const char *signal;       /* position along the dimension of signals */
  bool usual_signal;        /* the signal was chosen by cs_figure_complete */
  const char *const *where; /* [wheres] "dimension=value"; several values of a dimension add up */
  size_t wheres;
  size_t methods;               /* lines in colour, at most 2 CS_FIGURE_CURVES; 0: CS_FIGURE_CURVES. The rest is grey */
  const char *const *highlight; /* [highlights] "dimension=value,...": the lines in colour, if there are any */
  size_t highlights;
  bool slopes; /* fitted slopes of a figure of costs; of convergence they are there anyway */
};

enum cs_figure_draw { CS_DRAW_LINE, CS_DRAW_POINTS, CS_DRAW_BOTH };

/* The role of a curve, which determines how it is drawn. */
enum cs_figure_ink {
  CS_INK_SERIES,    /* data: colour, dashes and symbols by number */
  CS_INK_EXACT,     /* the exact solution */
  CS_INK_OTHERS,    /* lines behind those in colour, with a gap between each and the next */
  CS_INK_BOUNDARY,  /* stability boundary */
  CS_INK_REFERENCE, /* triangles of known slope, limits */
  CS_INK_REJECTED,  /* rejected steps */
  CS_INK_GIVEN_UP   /* tries of steps given up because of an event inside */
};

struct cs_figure_curve {
  char *title; /* in the legend; NULL: not listed */
  bool more;   /* belongs to the curve before, in whose colour it is drawn: never listed */
  enum cs_figure_draw draw;
  enum cs_figure_ink ink;
  size_t series; /* index of its colour; for rejected steps that of the steps plus 1, or 0: a colour of their own */
  size_t points;
  double *x, *y;                 /* [points] in the order in which they are joined; NaN in y is a gap */
  bool zero;                     /* all of its values are zero, which the legend says in place of a slope */
  double order;                  /* fitted slope of log y over log x, said in the legend; NaN: none */
  double fitted_from, fitted_to; /* range of x of that fit */
};

struct cs_figure_label {
  char *text;
  double x, y; /* of its left end, in axis coordinates */
};

/* A tick at the frame, for an event at `x`. */
struct cs_figure_mark {
  double x;
  bool above; /* at the upper edge, otherwise at the lower one */
  bool alone; /* without partner in the other solution */
};

struct cs_figure_axis {
  char *label;        /* name and unit */
  bool log, whole;    /* `whole`: only whole numbers are meaningful */
  double least, most; /* range, least < most */
  size_t ticks;
  char **tick; /* [ticks], names of 0, 1, ...; NULL: numbers */
};

struct cs_figure_map {
  size_t columns, rows; /* pixels, evenly spaced over the axes as drawn, also on logarithmic ones */
  double *value;        /* [rows][columns] from the lower left; NaN: no value */
  double divide;        /* value at which the colour scale changes hue; NaN: none */
};

struct cs_figure_panel {
  char *title; /* "" for a single panel */
  struct cs_figure_axis x, y, z;
  size_t curves, labels, marks;
  struct cs_figure_curve *curve;
  struct cs_figure_label *label;
  struct cs_figure_mark *mark;
  struct cs_figure_map *map; /* or NULL */
  double signal;             /* of errors: the largest signal that has them, 0 if not known */
};

/* How large a figure is, as the user wants it. */
struct cs_figure_style {
  const char *family; /* of the font; NULL: sans-serif */
  double size;        /* of labels, in pt; 0: 9 pt */
  double width;       /* of the whole, in pixels of 1/96 inch; 0: chosen to suit */
};

struct cs_figure {
  const char *kind; /* as in the request */
  char *title;
  char *notes;    /* footnotes, one per line; "" if there are none */
  size_t panels;  /* row by row */
  size_t across;  /* panels in a row */
  bool stacked;   /* the panels of a column share the x axis of the lowest */
  bool one_scale; /* all maps have the colour scale of the first */
  bool by_ends;   /* curves are in the order in which they end, from above: their names may stand there */
  struct cs_figure_panel *panel;
  struct cs_figure_style style; /* 0 unless the user wants another one */
  const char *command, *data;   /* for the metadata: command line and files, NULL: not said */
};

/* Panels; curves in colour unless the user wants more; all curves of a panel; files. */
enum { CS_FIGURE_PANELS = 12, CS_FIGURE_CURVES = 8, CS_FIGURE_LINES = 1000, CS_FIGURE_FILES = 6 };

/* Sets kind and metric of a request that has none, and the signal and the curves of a figure of costs. Errors as
 * cs_figure_new. */
int cs_figure_complete(const struct cs_table *table, struct cs_figure_request *request, struct cs_error *error);

/* Sets the signal of a request that leaves it open: that whose errors lie farthest apart, by the ratio of their median
 * to the tenth that is smallest. */
int cs_figure_choose_signal(const struct cs_table *table, struct cs_figure_request *request, struct cs_error *error);

/* Describes a figure of `table`, a result or a trace. Failed runs are gaps. CS_USAGE if the table does not have what is
 * requested; the message lists what it has. CS_NO_RESULT if nothing is left to draw. CS_IO if the sweep in the
 * provenance is not valid JSON. */
int cs_figure_new(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                  struct cs_error *error);

struct cs_figure_file {
  const struct cs_table *table;
  const char *path; /* distinguishes the files in the legend if their runs do not */
};
/* Describes a figure of 1 to CS_FIGURE_FILES files. Several files are overlaid: traces, whose equal exact
 * solutions are drawn once, or results over the same axes. CS_USAGE for other ones. Errors as cs_figure_new. */
int cs_figure_compare(const struct cs_figure_file *file, size_t files, const struct cs_figure_request *request,
                      struct cs_figure **figure, struct cs_error *error);

/* Sets the range of x or of y in all panels; that of x fits y to what is then visible. CS_USAGE for maps, axes of
 * names, logarithmic ones with least <= 0, and panels with different y. */
int cs_figure_limit(struct cs_figure *figure, bool of_y, double least, double most, struct cs_error *error);

/* Labels the x or the y axes of all panels. CS_USAGE for axes of names, and where panels have different labels. */
int cs_figure_label_axes(struct cs_figure *figure, bool of_y, const char *label, struct cs_error *error);
/* Renames curves, panels and names along axes by "OLD=NEW": whole names, and parts of them between commas. CS_USAGE if
 * nothing has the old name. */
int cs_figure_rename(struct cs_figure *figure, const char *said, struct cs_error *error);

/* Whether a curve is in the legend. */
bool cs_figure_is_listed(const struct cs_figure_curve *curve);
/* Appends what the legend says of a curve: its name, "order 1", and its slope, "slope 2.00" or "zero". */
void cs_figure_add_entry(const struct cs_figure_curve *curve, bool name, bool slope, struct cs_text *text);

void cs_figure_free(struct cs_figure *figure);

/* Appends, a line each, what --metric of a figure may name: arrays of the table, or for a trace kinds of signals. */
void cs_figure_add_metrics(const struct cs_table *table, struct cs_text *lines);

#endif
