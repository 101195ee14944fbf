#include "modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout_private.h"
#include "linalg.h"
#include "separate.h"

/* Modes of a subsystem within this factor of each other need no coordinates of their own. */
#define NARROW 1e2

struct work {
  const struct cs_layout *l;
  const double *packed;
  double *modes;
  cs_wide *dense[CS_OPERATORS]; /* those that are needed here */
  cs_wide *y;                   /* [outputs][exact] */
  struct cs_separation separation;
  struct cs_separated whole, part; /* M; A of the current subsystem */
};

size_t cs_modes_place(const struct cs_layout *l, enum cs_modes_part part) {
  const size_t r = l->dims.exact, x = l->dims.states, blocks = x * l->dims.largest;
  const size_t count[CS_MODES] = {[CS_MODES_M] = r * r,
                                  [CS_MODES_Y] = l->dims.outputs * r,
                                  [CS_MODES_T] = r * r,
                                  [CS_MODES_I] = r * r,
                                  [CS_MODES_RATE] = r,
                                  [CS_MODES_SLOW] = r,
                                  [CS_MODES_A] = blocks,
                                  [CS_MODES_B] = x * l->dims.inputs,
                                  [CS_MODES_C] = l->dims.outputs * x,
                                  [CS_MODES_E] = x,
                                  [CS_MODES_OWN] = blocks,
                                  [CS_MODES_OWN_I] = blocks,
                                  [CS_MODES_RATE_A] = x,
                                  [CS_MODES_OCTAVE] = 1,
                                  [CS_MODES_OCTAVE_ALWAYS] = 1,
                                  [CS_MODES_TURN] = 1};
  size_t at = 0;
  for (int i = 0; i < (int)part; i++)
    at += count[i];
  return at;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void put(struct work *w, enum cs_modes_part part, size_t at, cs_wide value) {
  w->modes[cs_modes_place(w->l, part) + at] = (double)value;
}

/* The operators that the parts are made of, as dense matrices. */
static void unpack(struct work *w) {
  const double *from = w->packed + w->l->dims.states;
  for (int op = 0; op < CS_OPERATORS; op++) {
    const struct cs_pattern *p = &w->l->pattern[op];
    for (size_t i = 0; i < p->rows * p->columns; i++) {
      const double value = cs_layout_unpack(p, i, &from);
      if (w->dense[op] != NULL) w->dense[op][i] = value;
    }
  }
}

/* M and Y, with more digits than the network's numbers have. False without an exact solution (study stability with a
 * singular loop). */
static bool solve(struct work *w) {
  const struct cs_layout *l = w->l;
  const size_t x = l->dims.states, u = l->dims.inputs, o = l->dims.outputs, r = l->dims.exact;
  cs_wide *loop = w->separation.scratch, *s = loop + o * o, *gain = s + o * o;
  double *room = w->separation.room;
  cs_wide_product(o, u, o, w->dense[CS_OP_D], u, w->dense[CS_OP_L], loop, room);
  for (size_t i = 0; i < o * o; i++)
    loop[i] = (i % (o + 1) == 0 ? 1.0 : 0.0) - loop[i];
  if (!cs_wide_invert(o, loop, s, room)) return false;
  memset(gain, 0, o * r * sizeof *gain);
  for (size_t i = 0; i < o * x; i++)
    gain[i / x * r + i % x] = w->dense[CS_OP_C][i];
  cs_wide_product(o, o, r, s, o, gain, w->y, room);
  for (size_t i = 0; i < o && r > x; i++)
    w->y[i * r + x] = w->dense[CS_OP_Y][i * r + x];
  memset(w->whole.a, 0, r * r * sizeof *w->whole.a);
  for (size_t i = 0; i < x * r; i++)
    w->whole.a[i] = i % r < x ? w->dense[CS_OP_A][i / r * x + i % r] : w->dense[CS_OP_E][i / r];
  cs_wide_product(u, o, r, w->dense[CS_OP_L], o, w->y, gain, room);
  for (size_t i = 0; i < u && r > x; i++)
    gain[i * r + x] += w->dense[CS_OP_BIAS][i];
  cs_wide_add_product(x, u, r, w->dense[CS_OP_B], u, gain, w->whole.a, room);
  return true;
}

/* Coordinates of r, still with the states in the model's own coordinates. */
static int put_whole(struct work *w, struct cs_error *error) {
  const struct cs_layout *l = w->l;
  const size_t r = l->dims.exact, o = l->dims.outputs;
  w->whole.n = r;
  const bool exact = solve(w);
  if (!exact) {
    memset(w->whole.a, 0, r * r * sizeof *w->whole.a);
    memset(w->y, 0, o * r * sizeof *w->y);
  }
  const int code = cs_separate(&w->separation, &w->whole, 1.0, error);
  if (code != CS_OK) return code;
  cs_wide_product(o, r, r, w->y, r, w->whole.t, w->separation.scratch, w->separation.room);
  for (size_t i = 0; i < o * r; i++)
    put(w, CS_MODES_Y, i, w->separation.scratch[i]);
  for (size_t i = 0; i < r * r; i++) {
    put(w, CS_MODES_M, i, w->whole.a[i]);
    put(w, CS_MODES_T, i, w->whole.t[i]);
    put(w, CS_MODES_I, i, w->whole.inverse[i]);
  }
  for (size_t i = 0; i < r; i++) {
    put(w, CS_MODES_RATE, i, w->whole.rate[i]);
    put(w, CS_MODES_SLOW, i, 1.0);
  }
  return CS_OK;
}

/* Rows first to first + n of a matrix [][columns], multiplied from the left by the inverse coordinates of a subsystem.
 */
static void put_rows(struct work *w, enum cs_modes_part part, const cs_wide *from, size_t first, size_t columns) {
  const size_t n = w->part.n;
  cs_wide_product(n, n, columns, w->part.inverse, n, from + first * columns, w->separation.scratch, w->separation.room);
  for (size_t i = 0; i < n * columns; i++)
    put(w, part, first * columns + i, w->separation.scratch[i]);
}

static int put_subsystem(struct work *w, const struct cs_subsystem *sub, struct cs_error *error) {
  const struct cs_layout *l = w->l;
  const size_t n = sub->states, first = sub->first_state, x = l->dims.states, width = l->dims.largest;
  w->part.n = n;
  for (size_t i = 0; i < n * n; i++)
    w->part.a[i] = w->dense[CS_OP_A][(first + i / n) * x + first + i % n];
  const int code = cs_separate(&w->separation, &w->part, NARROW, error);
  if (code != CS_OK) return code;
  double most = 0.0;
  for (size_t i = 0; i < n; i++)
    most = fmax(most, w->part.rate[i]);
  for (size_t i = 0; i < n; i++)
    put(w, CS_MODES_RATE_A, first + i, most);
  for (size_t i = 0; i < n * n; i++) {
    const size_t at = (first + i / n) * width + i % n;
    put(w, CS_MODES_A, at, w->part.a[i]);
    put(w, CS_MODES_OWN, at, w->part.t[i]);
    put(w, CS_MODES_OWN_I, at, w->part.inverse[i]);
  }
  put_rows(w, CS_MODES_B, w->dense[CS_OP_B], first, l->dims.inputs);
  put_rows(w, CS_MODES_E, w->dense[CS_OP_E], first, 1);
  put_rows(w, CS_MODES_T, w->whole.t, first, l->dims.exact);
  cs_wide_product(l->dims.outputs, n, n, w->dense[CS_OP_C] + first, x, w->part.t, w->separation.scratch,
                  w->separation.room);
  for (size_t i = 0; i < l->dims.outputs * n; i++)
    put(w, CS_MODES_C, i / n * x + first + i % n, w->separation.scratch[i]);
  return CS_OK;
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

/* The largest dimension. */
static size_t most_of(const struct cs_layout *l) {
  return cs_max_size(l->dims.exact, cs_max_size(l->dims.outputs, l->dims.inputs));
}

/* The matrices of cs_separate_open, of cs_separate_take for the whole and the largest subsystem, and A. */
size_t cs_modes_bytes(const struct cs_layout *l) {
  const size_t n = most_of(l), own = l->dims.largest, x = l->dims.states;
  return n * n * (5 * sizeof(cs_wide) + 5 * sizeof(double)) + cs_wide_room(n) * sizeof(double) +
         3 * (l->dims.exact * l->dims.exact + own * own) * sizeof(cs_wide) + x * x * sizeof(cs_wide);
}

/* Rods of 100 and 200 cells and structures of 270 and 1,000 states took 0.2e-7 to 2e-7 s times the cube. */
double cs_modes_seconds(const struct cs_layout *l) {
  return 0.6e-7 * pow((double)most_of(l), 3.0);
}

static int work_new(struct work *w, struct cs_error *error) {
  static const enum cs_operator used[] = {CS_OP_Y, CS_OP_A, CS_OP_B, CS_OP_C, CS_OP_D, CS_OP_L, CS_OP_BIAS, CS_OP_E};
  const struct cs_layout *l = w->l;
  const size_t most = most_of(l);
  bool failed = cs_separate_open(most, &w->separation, error) != CS_OK;
  cs_separate_take(&w->whole, l->dims.exact, &failed);
  cs_separate_take(&w->part, l->dims.largest, &failed);
  for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
    const struct cs_pattern *p = &l->pattern[used[i]];
    w->dense[used[i]] = cs_layout_take(p->rows * p->columns, sizeof *w->dense[0], &failed);
  }
  w->y = cs_layout_take(l->dims.outputs * l->dims.exact, sizeof *w->y, &failed);
  w->separation.other = l->kind.other;
  return failed ? cs_error_memory(error) : CS_OK;
}

static void work_free(struct work *w) {
  cs_separate_free(&w->whole);
  cs_separate_free(&w->part);
  for (int op = 0; op < CS_OPERATORS; op++)
    free(w->dense[op]);
  free(w->y);
  cs_separate_close(&w->separation);
}

/* Radians that a panel resolves, and the exponent of a decay after which nothing counts. */
#define PANEL_TURN 6.0
#define GONE 14.0

/* What the modes of a network and of its subsystems need: panels of a step H; of steps of any size, but for modes that
 * are not resolved in all of them; and of those in a step of 1 s. */
struct need {
  double H, panels, always, turn;
};

/* Of the modes of a [n][n], which is overwritten. */
static int add_need(size_t n, double *a, double *re, double *im, struct need *need, struct cs_error *error) {
  const int code = cs_linalg_eigenvalues(n, a, re, im, error);
  for (size_t i = 0; i < n && code == CS_OK; i++) {
    if (im[i] == 0.0) continue;
    const double turn = fabs(im[i]) / PANEL_TURN, decay = re[i] < 0.0 ? GONE / -re[i] : INFINITY;
    need->panels = fmax(need->panels, turn * fmin(decay, need->H));
    if (turn * decay <= CS_MODES_OCTAVE_MOST)
      need->always = fmax(need->always, turn * decay);
    else
      need->turn = fmax(need->turn, turn);
  }
  return code;
}

/* `w`: with the network unpacked. */
static int find_need(struct work *w, struct need *need, struct cs_error *error) {
  const size_t r = w->l->dims.exact, x = w->l->dims.states;
  double *re = calloc(2 * r + 1, sizeof *re);
  if (re == NULL) return cs_error_memory(error);
  const bool exact = solve(w);
  for (size_t i = 0; i < r * r; i++)
    w->separation.small[i] = exact ? (double)w->whole.a[i] : 0.0;
  int code = add_need(r, w->separation.small, re, re + r, need, error);
  for (size_t i = 0; i < x * x; i++)
    w->separation.small[i] = (double)w->dense[CS_OP_A][i];
  if (code == CS_OK) code = add_need(x, w->separation.small, re, re + r, need, error);
  free(re);
  return code;
}

int cs_modes_octave(const struct cs_layout *l, const double *packed, double H, double *panels, struct cs_error *error) {
  struct work w = {.l = l, .packed = packed};
  struct need need = {.H = H, .panels = CS_MODES_OCTAVE_LEAST};
  int code = work_new(&w, error);
  if (code == CS_OK) {
    unpack(&w);
    code = find_need(&w, &need, error);
  }
  *panels = ceil(need.panels);
  work_free(&w);
  return code;
}

/* Whether kernels find the panels of each step themselves. */
static bool finds_panels(const struct cs_layout *l) {
  return l->kind.varies && cs_layout_is_graded(l);
}

uint64_t cs_modes_kind(const struct cs_layout *l) {
  return (uint64_t)l->dims.exact << 2 | (uint64_t)l->kind.other << 1 | finds_panels(l);
}

/* What kernels find the panels of a step from. */
static int put_need(struct work *w, struct cs_error *error) {
  struct need need = {.always = CS_MODES_OCTAVE_LEAST};
  const int code = find_need(w, &need, error);
  w->modes[cs_modes_place(w->l, CS_MODES_OCTAVE_ALWAYS)] = ceil(need.always);
  w->modes[cs_modes_place(w->l, CS_MODES_TURN)] = need.turn;
  return code;
}

int cs_modes_fill(const struct cs_layout *l, const double *packed, double *modes, struct cs_error *error) {
  struct work w = {.l = l, .packed = packed, .modes = modes};
  int code = work_new(&w, error);
  if (code == CS_OK) {
    memset(modes, 0, cs_modes_place(l, CS_MODES) * sizeof *modes);
    unpack(&w);
    code = put_whole(&w, error);
  }
  if (code == CS_OK && finds_panels(l)) code = put_need(&w, error);
  for (size_t s = 0; s < l->model->subsystems && code == CS_OK; s++)
    if (l->model->subsystem[s].states > 0) code = put_subsystem(&w, &l->model->subsystem[s], error);
  work_free(&w);
  return code;
}
