/* What the kinds of figures share: pieces of figures. */
#ifndef COSWEEP_FIGURE_PRIVATE_H
#define COSWEEP_FIGURE_PRIVATE_H

#include "figure.h"
#include "view.h"

/* ---- pieces */

/* A figure with empty panels; NULL if out of memory. `across`: panels in a row; 0: chosen to suit. */
struct cs_figure *cs_figure_begin(const char *kind, size_t panels, size_t across);
/* The same with a titled panel for every panel of the view. */
int cs_figure_begin_view(const char *kind, struct cs_view *view, struct cs_figure **figure, struct cs_error *error);
/* Appends "H=0.00158114, order=1" of `length` bytes, its numbers with at most so many digits. */
enum { CS_FIGURE_DIGITS = 6 };
void cs_figure_add_settings(const char *settings, size_t length, int digits, struct cs_text *text);
/* Appends the lines of `more` that the notes do not have yet. */
void cs_figure_add_notes(const char *more, struct cs_text *notes);
void cs_figure_free_panel(struct cs_figure_panel *panel);
/* Adds a curve with room for [points]; NULL if out of memory. `title` (may be NULL) is copied. */
struct cs_figure_curve *cs_figure_add_curve(struct cs_figure_panel *panel, size_t points, const char *title);
/* Appends "slope 1.98" to the name of a curve that has one. */
/* Removes the curve added last. */
void cs_figure_drop_curve(struct cs_figure_panel *panel);
int cs_figure_add_label(struct cs_figure_panel *panel, double x, double y, const char *text);
/* Whether the ends of a range are equal up to rounding, so that it must be widened. */
bool cs_figure_is_flat(double least, double most);
/* Removes panels without any point beside others that have some, with a note. */
void cs_figure_drop_empty(struct cs_figure *figure, struct cs_text *notes);
/* Sets the range of an axis, with a margin at both ends; that of names stays. */
void cs_figure_set_range(struct cs_figure_axis *axis, double least, double most);
/* Sets the ranges of x and y of all panels from their curves: x is common to all, y to panels with the same label.
 * Outliers that would compress all other values are left outside the range, with a note. */
void cs_figure_set_ranges(struct cs_figure *figure, struct cs_text *notes);

/* Chooses the slice of the horizontal axis: the requested one, else the fitted axis, else by nature. */
int cs_figure_choose_x(struct cs_view *view, struct cs_slice **x, struct cs_error *error);
/* Number of the slice along which orders of the metric were fitted and that still has several positions; `slices` if
 * there is none. */
size_t cs_figure_fitted(const struct cs_view *view);

/* Adds triangles of integer slope near the curves of a panel with logarithmic axes: one for every integer close to a
 * fitted slope. */
int cs_figure_add_triangles(struct cs_figure_panel *panel, struct cs_error *error);

/* ---- contours */

struct cs_contour_point {
  double x, y, value;
};

/* A field over a grid, whose line at 0 is drawn; 0 itself is inside, NaN has no side. */
struct cs_contour {
  size_t columns, rows;
  const double *x, *y; /* [columns], [rows] ascending */
  bool log_x, log_y;   /* drawn on logarithmic axes, along which values are interpolated */
  const double *value; /* [rows][columns]; infinite: it says the side only, and the line is half way to it */
  const struct cs_contour_point *point; /* [points] that divide cells into halves, quarters, ... */
  size_t points;
  const double *frame; /* NULL, or where the outermost cells of a map end: from, to of x, from, to of y */
  bool bent;           /* values are the largest of several: those below 0 may belong to another one than those above */
  /* NULL, or where the line crosses a line of the grid: number `line` of the columns (upwards) or rows, the first
   * crossing from one value along it to another; NaN where that is not known. */
  double (*crossing)(const void *context, bool upwards, size_t line, double from, double to);
  const void *context;
};

/* Adds the line as segments, unless there is nothing of it. */
int cs_figure_add_contour(const struct cs_contour *contour, struct cs_figure_panel *panel, enum cs_figure_ink ink,
                          struct cs_error *error);

/* ---- kinds; each makes *figure, which the caller frees even on failure */

/* `kind`: convergence, lines or points. */
int cs_figure_lines(const struct cs_table *table, const struct cs_figure_request *request, const char *kind,
                    struct cs_figure **figure, struct cs_error *error);
int cs_figure_cost(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                   struct cs_error *error);
/* Whether the array is a count for every run, which can be a cost. */
bool cs_figure_is_count(const struct cs_view *view, const struct cs_array *array);
int cs_figure_map_of(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                     struct cs_error *error);
void cs_figure_trace_add_metrics(const struct cs_table *table, struct cs_text *lines);
int cs_figure_trace(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                    struct cs_error *error);
/* Lays the figures of several results over each other; `name`: what the legend calls the files. */
int cs_figure_results(const struct cs_figure_file *file, size_t files, const struct cs_text *name,
                      const struct cs_figure_request *request, struct cs_figure **figure, struct cs_error *error);
/* Replaces the panel of step sizes by a note if they are all alike. */
void cs_figure_drop_constant_steps(struct cs_figure *figure, struct cs_text *notes);
/* Merges the curves of `from` into those of `to`, sorted by number. */
int cs_figure_merge_panel(struct cs_figure_panel *to, struct cs_figure_panel *from, struct cs_error *error);
/* The panels of a trace, without ranges, with at most `most` signals in a panel. */
int cs_figure_course(const struct cs_table *table, const struct cs_figure_request *request, size_t most,
                     struct cs_figure **figure, struct cs_error *error);

#endif
