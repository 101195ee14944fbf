/* What the pixels of a map and the lines over them share. */
#ifndef COSWEEP_FIGURE_MAP_H
#define COSWEEP_FIGURE_MAP_H

#include "figure_private.h"

/* One side of a map: the values drawn, ascending, and the edges of their cells on the axis as drawn. */
struct cs_map_side {
  struct cs_slice *slice;
  size_t at; /* number of that slice */
  bool log;
  size_t count, pixels;
  size_t *position; /* [count] along the dimension */
  double *value;    /* [count] as drawn: logarithms on a logarithmic axis */
  double *edge;     /* [count + 1], as drawn */
  size_t *cell;     /* [pixels] cell of each pixel */
};

struct cs_map {
  struct cs_view *view;
  struct cs_map_side x, y;
  bool log_z, radius;
  bool vanishes;                   /* a decaying part of 0 is one that is gone, not one that is not there */
  const struct cs_array *decaying; /* what colours the stable side of spectral_radius; NULL: nothing else */
  size_t missing;                  /* successful runs without a value */
  double least, most;              /* of the values drawn */
  double divide;                   /* value at which the colours change hue; NaN: none */
  double zero, usual;              /* of both signs: absolute values that count as 0, geometric mean of the others */
};

/* Points that refinement has added. */
struct cs_map_points {
  const double *x, *y, *value;
  double *along[CS_MAX_DIMENSIONS]; /* coordinates along the other axes, borrowed; NULL if the group has none */
  char **name[CS_MAX_DIMENSIONS];   /* the same for axes of names */
  size_t count, finer;              /* finer: cells along a side of a refined cell */
};

/* Where the map ends: from, to of x, from, to of y. */
void cs_figure_map_frame(const struct cs_map *map, double frame[4]);
/* The value of a run, NaN if it failed. position: of the panel, changed along x and y. */
double cs_figure_map_value(const struct cs_map *map, size_t *position, size_t column, size_t row);
/* Of the run at `position`, the radius of the part that decays; NaN if the file does not say. */
double cs_figure_map_decaying(const struct cs_map *map, const size_t *position);
/* Whether a run whose radius is 1 is on the boundary, not one with a neutral mode: others next to it decay, or, where
 * nothing of it decays, one grows and of none everything is gone. */
bool cs_figure_map_is_limit(const struct cs_map *map, size_t *position, size_t column, size_t row);
/* Whether point number `i` belongs to the panel at `position`. */
bool cs_figure_map_has_point(const struct cs_map *map, const struct cs_map_points *points, size_t i,
                             const size_t *position);
/* Adds the boundary of stability and that of the model itself, or the line at 0 of values of both signs. */
int cs_figure_map_add_lines(const struct cs_map *map, const struct cs_map_points *points, struct cs_figure_panel *panel,
                            size_t *position, struct cs_error *error);
/* Adds what the lines of all panels are. */
void cs_figure_map_explain_lines(const struct cs_map *map, const struct cs_figure *figure, struct cs_text *notes);

#endif
