/* What the kinds of figures share: the part of a table that is drawn, and pieces of figures. */
#ifndef COSWEEP_FIGURE_PRIVATE_H
#define COSWEEP_FIGURE_PRIVATE_H

#include "figure.h"
#include "runs.h"
#include "text.h"

enum cs_part { CS_PART_NONE, CS_PART_X, CS_PART_Y, CS_PART_CURVE, CS_PART_PANEL };

struct cs_slice {
  const struct cs_dimension *dimension;
  enum cs_nature nature;
  bool problem; /* its values pose other problems: parameters, t_end, error_at */
  enum cs_part part;
  size_t *kept; /* [count] positions along it that are drawn, ascending */
  size_t count;
  bool chosen; /* by the user */
};

/* An array of the table, and what is drawn of it. */
struct cs_view {
  const struct cs_table *table;
  const struct cs_figure_request *request;
  struct cs_runs runs;
  const struct cs_array *metric, *status; /* status may be NULL */
  size_t slices;                          /* the metric's dimensions, slowest first */
  struct cs_slice slice[CS_MAX_DIMENSIONS];
  struct cs_text notes;
  size_t failed, zeros; /* values not drawn: of runs that failed, not above zero on a logarithmic axis */
};

/* Has the array numbers over something? */
bool cs_view_can_draw(const struct cs_array *array);
/* Is the view's metric a spectral radius, at most 1 where maps are stable? */
bool cs_view_is_radius(const struct cs_view *view);
/* Opens a view of the array of that name, with the request's --where and --signal. cs_view_close is needed also on
 * failure. */
int cs_view_open(const struct cs_table *table, const struct cs_figure_request *request, const char *metric,
                 struct cs_view *view, struct cs_error *error);
void cs_view_close(struct cs_view *view);

/* The slice of a dimension; NULL where the metric has none of that name. */
struct cs_slice *cs_view_find(struct cs_view *view, const char *dimension);
/* CS_USAGE for an option that names no dimension of the metric. */
int cs_view_need(struct cs_view *view, const char *option, const char *name, struct cs_slice **slice,
                 struct cs_error *error);
/* Gives the dimensions listed with commas a part. */
int cs_view_assign(struct cs_view *view, const char *option, const char *names, enum cs_part part,
                   struct cs_error *error);
/* Shares what is left among curves and panels as the request says, then as suits: at most CS_FIGURE_CURVES and
 * CS_FIGURE_PANELS; values left out are named in the notes, too many on request are an error. */
int cs_view_share(struct cs_view *view, bool curves, struct cs_error *error);
/* Number of curves or panels, and the positions of number `index` along the slices of that part, the last fastest;
 * position: [slices]. */
size_t cs_view_count(const struct cs_view *view, enum cs_part part);
void cs_view_place(const struct cs_view *view, enum cs_part part, size_t index, size_t *position);
/* Number of the item there of an array; beyond the metric's own dimensions it is the first. */
size_t cs_view_item(const struct cs_view *view, const struct cs_array *array, const size_t *position);
/* The value there; NaN where the run failed. */
double cs_view_value(struct cs_view *view, const size_t *position);
/* Whether run number of that place failed. */
bool cs_view_failed(const struct cs_view *view, const size_t *position);

/* "H = 0.1 s", "jacobi", "order 1": a position along a dimension. */
void cs_view_add_place(const struct cs_view *view, const struct cs_slice *slice, size_t at, struct cs_text *text);
/* The same of all slices of a part that have several positions, with commas; "" where there are none. */
void cs_view_add_places(const struct cs_view *view, enum cs_part part, const size_t *position, struct cs_text *text);
/* "name [unit]" of the metric at a place, and of a dimension. `absolute`: between bars. */
void cs_view_add_metric(const struct cs_view *view, const size_t *position, bool absolute, struct cs_text *text);
void cs_view_add_axis(const struct cs_slice *slice, struct cs_text *text);
/* Adds what was left out to the notes, and moves them, title and kind into the figure. */
int cs_view_finish(struct cs_view *view, struct cs_figure *figure, struct cs_error *error);

/* Are [count] positive numbers spread like those of a logarithmic axis? */
bool cs_figure_is_log(const double *values, size_t count);

/* ---- pieces */

/* A figure with so many empty panels, NULL when memory is short. `across`: 0 for what suits the number. */
struct cs_figure *cs_figure_begin(const char *kind, size_t panels, size_t across);
/* The same with a panel for every place of the view's panels, titled. */
int cs_figure_begin_view(const char *kind, struct cs_view *view, struct cs_figure **figure, struct cs_error *error);
/* Adds the lines of `more` that the notes have not got. */
void cs_figure_add_notes(const char *more, struct cs_text *notes);
/* A curve with room for [points]; NULL when memory is short. `title` (may be NULL) is copied. */
struct cs_figure_curve *cs_figure_add_curve(struct cs_figure_panel *panel, size_t points, const char *title);
int cs_figure_add_label(struct cs_figure_panel *panel, double x, double y, const char *text);
/* Are the ends of a range one number but for rounding, so that it has to be widened? */
bool cs_figure_is_flat(double least, double most);
/* Sets the ranges of x and y of all panels from their curves: x is common, y where the labels are alike. Values that
 * would press the others together stay out of the range; notes say so. */
void cs_figure_set_ranges(struct cs_figure *figure, struct cs_text *notes);

/* The slice along which x runs: asked for, else of the fitted axis or of the nature that suits. */
int cs_figure_choose_x(struct cs_view *view, struct cs_slice **x, struct cs_error *error);
/* The array with the metric's fitted orders; NULL: none. Number of the slice along which they were fitted, which has
 * several positions left; `slices` where there is none. */
const struct cs_array *cs_figure_orders(const struct cs_table *table, const char *metric);
size_t cs_figure_fitted(const struct cs_view *view);

/* ---- kinds; each makes *figure, which is freed by the caller also on failure */

/* `kind`: convergence, lines or points. */
int cs_figure_lines(const struct cs_table *table, const struct cs_figure_request *request, const char *kind,
                    struct cs_figure **figure, struct cs_error *error);
int cs_figure_cost(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                   struct cs_error *error);
int cs_figure_map_of(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                     struct cs_error *error);
int cs_figure_trace(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                    struct cs_error *error);
/* The panels of a trace, their ranges not set; at most so many signals in a panel, and of those that are drawn. */
int cs_figure_course(const struct cs_table *table, const struct cs_figure_request *request, size_t most,
                     struct cs_figure **figure, struct cs_error *error);

#endif
