/* A view: the part of a table that a figure draws, an array with what runs along x, curves and panels. */
#ifndef COSWEEP_VIEW_H
#define COSWEEP_VIEW_H

#include "figure.h"
#include "runs.h"
#include "text.h"

enum cs_part { CS_PART_NONE, CS_PART_X, CS_PART_Y, CS_PART_CURVE, CS_PART_PANEL };

struct cs_slice {
  const struct cs_dimension *dimension;
  enum cs_nature nature;
  bool problem; /* its values define different problems: parameters, modes, t_end, error_at, window of events */
  enum cs_part part;
  size_t *kept; /* [count] positions to draw, ascending */
  size_t count;
  bool chosen;                   /* by the user */
  const struct cs_array *column; /* of settings moved together, the numbers along x; NULL: the dimension's own */
};

enum { CS_VIEW_FILTERS = 8 };

/* An array of the table, and the part of it that is drawn. */
struct cs_view {
  const struct cs_table *table;
  const struct cs_figure_request *request;
  struct cs_runs runs;
  const struct cs_array *metric, *status; /* status may be NULL */
  bool turned;                            /* panels: the first of two dimensions is the fastest */
  size_t slices;                          /* the metric's dimensions, slowest first */
  struct cs_slice slice[CS_MAX_DIMENSIONS];
  struct cs_text notes;
  size_t filters;
  struct cs_view_filter {
    const struct cs_array *metric; /* with one number for each run */
    double least, most;
  } filter[CS_VIEW_FILTERS]; /* values of other runs are not drawn */
  struct cs_view_lost {
    size_t failed, skipped, outside;
  } lost;       /* values not drawn: of runs that failed, that were not run, and that a filter leaves out */
  size_t zeros; /* the same, not positive on a logarithmic axis */
};

/* Whether the array has numbers and at least one dimension. */
bool cs_view_can_draw(const struct cs_array *array);
/* Whether the metric is a spectral radius, at most 1 for stable runs. */
bool cs_view_is_radius(const struct cs_view *view);
/* Where the file says that stability changes along the slice of an axis; NULL if that was not searched. */
const struct cs_array *cs_view_crossings(const struct cs_view *view, const struct cs_slice *slice);
/* The values on the line through `position`; returns how many, 0 with crossings NULL. */
size_t cs_view_crossings_at(const struct cs_view *view, const struct cs_array *crossings, const size_t *position,
                            const double **value);
/* Opens a view of the array named `metric`, restricted by the request's --where and --signal. cs_view_close is needed
 * even on failure. */
int cs_view_open(const struct cs_table *table, const struct cs_figure_request *request, const char *metric,
                 struct cs_view *view, struct cs_error *error);
void cs_view_close(struct cs_view *view);

/* The slice of a dimension; NULL if the metric has none of that name. */
struct cs_slice *cs_view_find(struct cs_view *view, const char *dimension);
/* The same; CS_USAGE if --option names no dimension of the metric. */
int cs_view_need(struct cs_view *view, const char *option, const char *name, struct cs_slice **slice,
                 struct cs_error *error);
/* The numbers along a slice: its column's, else those of its dimension; NULL for names. */
const double *cs_view_numbers(const struct cs_slice *slice);
/* Finds the slice of a setting that is moved with others, "k", "sample_k" or "parameters.k", and makes it its column;
 * NULL if there is none. */
struct cs_slice *cs_view_find_setting(struct cs_view *view, const char *setting);
/* The number of settings that are numbers and vary along the slice together, and the first of them; 0 if names tell
 * its positions apart. */
size_t cs_view_moved(const struct cs_view *view, const struct cs_slice *slice, const struct cs_array **first);
/* Makes the first setting that is a number and varies the slice's column, with a note, unless names tell the positions
 * apart. */
void cs_view_choose_column(struct cs_view *view, struct cs_slice *slice);
/* Stores for each position along the dimension of a slice the number of its group: those with the same words among
 * settings that are moved together, such as a control. Returns the number of groups; 1 where there are no words, or too
 * many to draw each. */
size_t cs_view_groups(const struct cs_view *view, const struct cs_slice *slice, size_t *group);
/* Whether words vary among settings that are moved together, and numbers within their groups. */
bool cs_view_is_grouped(const struct cs_view *view, const struct cs_slice *slice);
/* Appends the words of the group of a position, "fixed, explicit". */
void cs_view_add_group(const struct cs_view *view, const struct cs_slice *slice, size_t at, struct cs_text *text);
/* Assigns a part to the dimensions listed in `names`, separated by commas. */
int cs_view_assign(struct cs_view *view, const char *option, const char *names, enum cs_part part,
                   struct cs_error *error);
/* Distributes the remaining dimensions over curves and panels, first as requested, then as suits: at most
 * CS_FIGURE_CURVES and CS_FIGURE_PANELS. The notes name omitted values; too many requested ones are an error. */
int cs_view_share(struct cs_view *view, bool curves, struct cs_error *error);
/* Number of curves or panels, and the positions of number `index` along the slices of that part, the last fastest, in
 * position [slices]. */
size_t cs_view_count(const struct cs_view *view, enum cs_part part);
void cs_view_place(const struct cs_view *view, enum cs_part part, size_t index, size_t *position);
/* Index of the item of an array at a position; 0 along dimensions that the metric does not have. */
size_t cs_view_item(const struct cs_view *view, const struct cs_array *array, const size_t *position);
/* The value at a position; NaN if the run failed or was skipped. */
double cs_view_value(struct cs_view *view, const size_t *position);
/* Of errors the largest exact signal at a position and all others but of other panels; 0 if the file does not say. */
double cs_view_signal(const struct cs_view *view, const size_t *position);
/* Whether the run at a position failed or was skipped, or a filter leaves it out. */
bool cs_view_failed(const struct cs_view *view, const size_t *position);

/* Appends a position along a dimension: "H = 0.1 s", "jacobi", "order 1". */
void cs_view_add_place(const struct cs_view *view, const struct cs_slice *slice, size_t at, struct cs_text *text);
/* The same for all slices of a part with several positions, separated by commas. */
void cs_view_add_places(const struct cs_view *view, enum cs_part part, const size_t *position, struct cs_text *text);
/* Appends "name of signal [unit]" of the metric at a position, and of a dimension. `absolute`: "|name|". */
void cs_view_add_metric(const struct cs_view *view, const size_t *position, bool absolute, struct cs_text *text);
/* Appends " [unit]" of a signal if units differ between signals. */
void cs_view_add_unit(const struct cs_view *view, const struct cs_slice *slice, size_t at, struct cs_text *text);
void cs_view_add_axis(const struct cs_slice *slice, struct cs_text *text);
/* Notes what was left out, and moves notes and title into the figure. */
int cs_view_finish(struct cs_view *view, struct cs_figure *figure, struct cs_error *error);

/* Whether [count] positive ascending or descending values are better spread on a logarithmic axis. */
bool cs_view_is_log(const double *values, size_t count);

#endif
