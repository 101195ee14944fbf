/* Contours of a field over a grid: marching squares, by halves where points were added to a cell, and through crossings
 * where these are known. */
#include <math.h>
#include <stdlib.h>

#include "figure_private.h"

/* Cells are divided at most four times: into LATTICE x LATTICE parts. */
enum { LATTICE = 16, NODES = LATTICE + 1 };

/* The points in and around a cell, as lists over the points' numbers. */
struct bucket {
  size_t *head;         /* [cells] first entry of a cell, SIZE_MAX: none */
  size_t *point, *next; /* [entries] */
  size_t entries;
};

/* One cell of the grid with its lattice. */
struct cell {
  const struct cs_contour *field;
  size_t column, row;
  double value[NODES][NODES]; /* [row][column] */
  bool known[NODES][NODES];
  struct cs_figure_curve *curve;
};

/* ---- points by cells */

/* The cell along a side that contains a value, and in *on whether the value is the cell's first. Values outside: false.
 */
static bool find_cell(const double *edge, size_t count, double value, size_t *cell, bool *on) {
  size_t low = 0, high = count - 1;
  if (!(value >= edge[0] && value <= edge[count - 1])) return false;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    *(edge[middle] <= value ? &low : &high) = middle;
  }
  if (value == edge[high]) low = high;
  *cell = low;
  *on = value == edge[low];
  return true;
}

static void put(struct bucket *b, size_t cell, size_t point) {
  b->point[b->entries] = point;
  b->next[b->entries] = b->head[cell];
  b->head[cell] = b->entries++;
}

/* A point on an edge belongs to the cells on both sides. */
static void sort_point(const struct cs_contour *f, size_t point, struct bucket *b) {
  size_t column, row;
  bool on_x, on_y;
  if (!find_cell(f->x, f->columns, f->point[point].x, &column, &on_x) ||
      !find_cell(f->y, f->rows, f->point[point].y, &row, &on_y))
    return;
  for (size_t i = 0; i <= (size_t)on_x; i++)
    for (size_t j = 0; j <= (size_t)on_y; j++)
      if (column >= i && row >= j && column - i + 1 < f->columns && row - j + 1 < f->rows)
        put(b, (row - j) * (f->columns - 1) + column - i, point);
}

static bool open_bucket(const struct cs_contour *f, struct bucket *b) {
  const size_t cells = (f->columns - 1) * (f->rows - 1);
  *b = (struct bucket){.head = malloc((cells + 1) * sizeof *b->head),
                       .point = malloc((4 * f->points + 1) * sizeof *b->point),
                       .next = malloc((4 * f->points + 1) * sizeof *b->next)};
  if (b->head == NULL || b->point == NULL || b->next == NULL) return false;
  for (size_t i = 0; i < cells; i++)
    b->head[i] = SIZE_MAX;
  for (size_t i = 0; i < f->points; i++)
    sort_point(f, i, b);
  return true;
}

static void close_bucket(struct bucket *b) {
  free(b->head);
  free(b->point);
  free(b->next);
}

/* ---- one cell */

static double place(double from, double to, size_t at) {
  return from + (to - from) * ((double)at / LATTICE);
}

static double node_x(const struct cell *c, size_t i) {
  return place(c->field->x[c->column], c->field->x[c->column + 1], i);
}

static double node_y(const struct cell *c, size_t j) {
  return place(c->field->y[c->row], c->field->y[c->row + 1], j);
}

/* The node nearest to a part of the cell; NODES if there is none within rounding. */
static size_t node_of(double part) {
  const double at = part * LATTICE, nearest = round(at);
  return nearest >= 0.0 && nearest <= LATTICE && fabs(at - nearest) < 1e-6 ? (size_t)nearest : NODES;
}

static void open_cell(const struct bucket *b, struct cell *c) {
  const struct cs_contour *f = c->field;
  for (size_t j = 0; j < NODES; j++)
    for (size_t i = 0; i < NODES; i++)
      c->known[j][i] = false;
  for (size_t k = 0; k < 4; k++) {
    const size_t i = k % 2, j = k / 2;
    c->value[j * LATTICE][i * LATTICE] = f->value[(c->row + j) * f->columns + c->column + i];
    c->known[j * LATTICE][i * LATTICE] = true;
  }
  for (size_t e = b->head[c->row * (f->columns - 1) + c->column]; e != SIZE_MAX; e = b->next[e]) {
    const struct cs_contour_point *p = &f->point[b->point[e]];
    const double *x = f->x + c->column, *y = f->y + c->row;
    const size_t i = node_of((p->x - x[0]) / (x[1] - x[0])), j = node_of((p->y - y[0]) / (y[1] - y[0]));
    if (i == NODES || j == NODES) continue;
    c->value[j][i] = p->value;
    c->known[j][i] = true;
  }
}

/* Between two values: linear in what is drawn. */
static double between(double a, double b, double part, bool log_scale) {
  return log_scale ? exp(log(a) + part * (log(b) - log(a))) : a + part * (b - a);
}

/* From a to b as drawn. */
static double distance(double a, double b, bool log_scale) {
  return log_scale ? log(b / a) : b - a;
}

/* An edge between two nodes on different sides of the line. Along the axis `upwards` names it goes from `from` to `to`,
 * at `across` of the other axis. */
struct edge {
  const size_t *inside, *outside;
  bool upwards;
  double from, to, across;
};

static struct edge edge_between(const struct cell *c, const size_t *a, const size_t *b) {
  const bool first = c->value[a[1]][a[0]] <= 0.0, upwards = a[0] == b[0];
  const size_t *inside = first ? a : b, *outside = first ? b : a;
  return upwards ? (struct edge){inside, outside, true, node_y(c, inside[1]), node_y(c, outside[1]), node_x(c, a[0])}
                 : (struct edge){inside, outside, false, node_x(c, inside[0]), node_x(c, outside[0]), node_y(c, a[1])};
}

/* The crossing on an edge that lies on a line of the grid; NaN if that is not known. */
static double crossing_on(const struct cell *c, const struct edge *e) {
  const struct cs_contour *f = c->field;
  const size_t at = e->inside[!e->upwards];
  if (at % LATTICE != 0) return NAN;
  return f->crossing(f->context, e->upwards, (e->upwards ? c->column : c->row) + at / LATTICE, e->from, e->to);
}

static double within(const struct edge *e, double at) {
  return fmin(fmax(at, fmin(e->from, e->to)), fmax(e->from, e->to));
}

/* The nearer of two crossings to `from`, and in *of which of the two it is. */
static double nearest(double from, const double crossing[2], int *of) {
  *of = isnan(crossing[0]) || fabs(crossing[1] - from) < fabs(crossing[0] - from);
  return crossing[*of];
}

/* Where the line between two columns or rows meets an edge that leads from the one to the other: on one of them the
 * inside begins or ends before the edge, on the other behind it, and nothing changes between the two crossings. NaN if
 * both are on one line, of which a part ends there, or there is only one. */
static double joined_across(const struct cell *c, const struct edge *e, bool columns) {
  const struct cs_contour *f = c->field;
  const size_t first = columns ? c->column : c->row;
  const double *line = (columns ? f->x : f->y) + first;
  const bool log_over = columns ? f->log_x : f->log_y, log_along = columns ? f->log_y : f->log_x;
  double end[2];
  int of[2];
  for (int k = 0; k < 2; k++) {
    const double to = k == 0 ? -INFINITY : INFINITY;
    end[k] = nearest(e->across,
                     (double[]){f->crossing(f->context, columns, first, e->across, to),
                                f->crossing(f->context, columns, first + 1, e->across, to)},
                     &of[k]);
  }
  if (isnan(end[0]) || isnan(end[1]) || of[0] == of[1] || end[0] == end[1]) return NAN;
  const double part = distance(end[0], e->across, log_along) / distance(end[0], end[1], log_along);
  return within(e, between(line[of[0]], line[of[1]], part, log_over));
}

/* Where the straight line from a crossing of one column or row to one of the next meets an edge between the two, which
 * is parallel to them; NaN if no crossings are known, or none within a cell of each other if `near`. Of the crossings
 * next to the edge in both directions those count whose line is nearest. */
static double joined_along(const struct cell *c, const struct edge *e, bool columns, bool near) {
  const struct cs_contour *f = c->field;
  const size_t first = columns ? c->column : c->row;
  const double *line = (columns ? f->x : f->y) + first;
  const bool log_over = columns ? f->log_x : f->log_y, log_along = columns ? f->log_y : f->log_x;
  const double *side = columns ? f->y + c->row : f->x + c->column;
  const double reach = near ? fabs(distance(side[0], side[1], log_along)) * (1.0 + 1e-9) : INFINITY;
  const double middle = between(e->from, e->to, 0.5, log_along);
  const double part = distance(line[0], e->across, log_over) / distance(line[0], line[1], log_over);
  double met = NAN, least = INFINITY;
  for (size_t k = 0; k < 4; k++) {
    const double low = f->crossing(f->context, columns, first, middle, k % 2 ? INFINITY : -INFINITY);
    const double high = f->crossing(f->context, columns, first + 1, middle, k / 2 ? INFINITY : -INFINITY);
    const double at = between(low, high, part, log_along), far = fabs(distance(middle, at, log_along));
    if (!(far < least && fabs(distance(low, high, log_along)) <= reach)) continue;
    least = far;
    met = at;
  }
  return isnan(met) ? NAN : within(e, met);
}

/* The value at a node, which may be a corner of a cell next to this one; NaN if there is none. */
static double value_beyond(const struct cell *c, const size_t *node, const size_t *from) {
  const struct cs_contour *f = c->field;
  const size_t i = 2 * node[0] - from[0], j = 2 * node[1] - from[1]; /* below 0: larger than any */
  if (i < NODES && j < NODES) return c->known[j][i] ? c->value[j][i] : NAN;
  const size_t column = c->column + (i + LATTICE) / LATTICE - 1, row = c->row + (j + LATTICE) / LATTICE - 1;
  const bool corner = (i + LATTICE) % LATTICE == 0 && (j + LATTICE) % LATTICE == 0;
  return corner && column < f->columns && row < f->rows ? f->value[row * f->columns + column] : NAN;
}

/* The part of an edge that is inside, by the straight line through its values. */
static double part_between(double inside, double outside) {
  return isinf(inside) || isinf(outside) ? 0.5 : inside / (inside - outside);
}

/* The same by the straight line through its value outside and the next one there; NaN where that does not lead inside.
 */
static double part_before(double outside, double beyond) {
  return beyond > outside && !isinf(beyond) ? fmax(1.0 - outside / (beyond - outside), 0.0) : NAN;
}

/* Where known crossings put the line on an edge; NaN if they do not. `straight`: values can be trusted more than
 * crossings far from each other. */
static double known_point(const struct cell *c, const struct edge *e, bool straight) {
  if (c->field->crossing == NULL) return NAN;
  double at = crossing_on(c, e);
  if (isnan(at)) at = joined_across(c, e, !e->upwards);
  for (int near = 1; near >= straight && isnan(at); near--)
    at = joined_along(c, e, e->upwards, near);
  return at;
}

/* The point of the line on the edge between two nodes, whose values differ in side. */
static void add_point(struct cell *c, const size_t *a, const size_t *b) {
  const struct cs_contour *f = c->field;
  const struct edge e = edge_between(c, a, b);
  const double inside = c->value[e.inside[1]][e.inside[0]], outside = c->value[e.outside[1]][e.outside[0]];
  const double part = part_between(inside, outside);
  const double before = f->bent ? part_before(outside, value_beyond(c, e.outside, e.inside)) : part;
  const bool straight = fabs(before - part) < 0.25 && !isinf(inside);
  double at = known_point(c, &e, straight);
  if (isnan(at))
    at = between(e.from, e.to, f->crossing == NULL && !straight ? fmax(part, before) : part,
                 e.upwards ? f->log_y : f->log_x);
  c->curve->x[c->curve->points] = e.upwards ? e.across : at;
  c->curve->y[c->curve->points++] = e.upwards ? at : e.across;
}

/* Beyond the outermost nodes a line goes straight on to the frame of the map: from the point with number `point`, which
 * is on the edge between the nodes a and b, on from the one with number `from`. */
static void add_rest(struct cell *c, const size_t *a, const size_t *b, size_t from, size_t point) {
  const struct cs_contour *f = c->field;
  struct cs_figure_curve *curve = c->curve;
  const bool upwards = a[0] == b[0]; /* along a column, which the line leaves sideways */
  const size_t at = a[!upwards], first = upwards ? c->column : c->row, lines = upwards ? f->columns : f->rows;
  const bool begins = first == 0 && at == 0, ends = first + 2 == lines && at == LATTICE;
  if (f->frame == NULL || !(begins || ends)) return;
  const bool log_over = upwards ? f->log_x : f->log_y, log_along = upwards ? f->log_y : f->log_x;
  const double *over = upwards ? curve->x : curve->y, *along = upwards ? curve->y : curve->x;
  const double *cell = upwards ? f->y + c->row : f->x + c->column, *side = f->frame + 2 * upwards;
  const double frame = f->frame[2 * !upwards + ends];
  const double times = distance(over[point], frame, log_over) / distance(over[from], over[point], log_over);
  const double most = distance(cell[0], cell[1], log_along); /* steeper is not known from here */
  const double aside = fmin(fmax(times * distance(along[from], along[point], log_along), -most), most);
  const double moved = log_along ? along[point] * exp(aside) : along[point] + aside;
  const double met = fmin(fmax(isnan(moved) ? along[point] : moved, side[0]), side[1]);
  const double x[3] = {curve->x[point], upwards ? frame : met, NAN},
               y[3] = {curve->y[point], upwards ? met : frame, NAN};
  for (size_t k = 0; k < 3; k++) {
    curve->x[curve->points] = x[k];
    curve->y[curve->points++] = y[k];
  }
}

/* Segments through the square of `size` with the lower left node (i, j). Where all four edges are crossed, the mean
 * decides which two corners belong together. */
static void cut_square(struct cell *c, size_t i, size_t j, size_t size) {
  const size_t corner[4][2] = {{i, j}, {i + size, j}, {i + size, j + size}, {i, j + size}};
  size_t edge[4], found = 0;
  double sum = 0.0;
  for (size_t k = 0; k < 4; k++) {
    const double a = c->value[corner[k][1]][corner[k][0]];
    const double b = c->value[corner[(k + 1) % 4][1]][corner[(k + 1) % 4][0]];
    sum += fmin(fmax(a, -1e3), 1e3);
    if (!isnan(a) && !isnan(b) && (a <= 0.0) != (b <= 0.0)) edge[found++] = k;
  }
  if (found < 2) return;
  if (found == 4 && (sum <= 0.0) != (c->value[corner[0][1]][corner[0][0]] <= 0.0)) {
    /* corners 1 and 3 belong together: lines cut off 0 and 2 */
    edge[0] = 3, edge[1] = 0, edge[2] = 1, edge[3] = 2;
  }
  for (size_t k = 0; k + 1 < found; k += 2) {
    const size_t first = c->curve->points;
    for (size_t m = k; m < k + 2; m++)
      add_point(c, corner[edge[m]], corner[(edge[m] + 1) % 4]);
    c->curve->x[c->curve->points] = c->curve->y[c->curve->points] = NAN;
    c->curve->points++;
    for (size_t m = k; m < k + 2; m++)
      add_rest(c, corner[edge[m]], corner[(edge[m] + 1) % 4], first + (m == k), first + (m != k));
  }
}

static void cut(struct cell *c, size_t i, size_t j, size_t size) {
  const size_t half = size / 2;
  const bool divided = half > 0 && c->known[j][i + half] && c->known[j + size][i + half] && c->known[j + half][i] &&
                       c->known[j + half][i + size] && c->known[j + half][i + half];
  if (!divided) {
    cut_square(c, i, j, size);
    return;
  }
  for (size_t k = 0; k < 4; k++)
    cut(c, i + k % 2 * half, j + k / 2 * half, half);
}

int cs_figure_add_contour(const struct cs_contour *f, struct cs_figure_panel *panel, enum cs_figure_ink ink,
                          struct cs_error *error) {
  struct bucket bucket = {0};
  if (f->columns < 2 || f->rows < 2) return CS_OK;
  struct cell *c = malloc(sizeof *c);
  struct cs_figure_curve *curve =
      cs_figure_add_curve(panel, 6 * (f->columns * f->rows + f->columns + f->rows + 8 * f->points), "");
  const bool good = c != NULL && curve != NULL && open_bucket(f, &bucket);
  if (good) {
    curve->points = 0;
    curve->ink = ink;
    curve->draw = CS_DRAW_LINE;
    c->field = f;
    c->curve = curve;
    for (c->row = 0; c->row + 1 < f->rows; c->row++)
      for (c->column = 0; c->column + 1 < f->columns; c->column++) {
        open_cell(&bucket, c);
        cut(c, 0, 0, LATTICE);
      }
    if (curve->points == 0) /* nothing to draw, nothing for the legend */
      cs_figure_drop_curve(panel);
  }
  close_bucket(&bucket);
  free(c);
  return good ? CS_OK : cs_error_memory(error);
}
