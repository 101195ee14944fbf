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
  struct cs_wide dense[CS_OPERATORS]; /* those that are needed here */
  struct cs_wide y;                   /* [outputs][exact] */
  bool apart;                         /* modes in coordinates of their own */
  struct cs_separation separation;
  struct cs_separated whole, part; /* M; A of the current subsystem */
};

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Where a part is, from its place `at` on. */
static double *part_of(struct work *w, enum cs_modes_part part, size_t at) {
  return w->modes + cs_mode_places_at(w->l, part) + at;
}

static void put(struct work *w, enum cs_modes_part part, size_t at, size_t count, struct cs_wide from) {
  memcpy(part_of(w, part, at), from.hi, count * sizeof *w->modes);
}

/* The operators that the parts are made of, as dense matrices. */
static void unpack(struct work *w) {
  const double *from = w->packed + w->l->dims.states;
  for (int op = 0; op < CS_OPERATORS; op++) {
    const struct cs_pattern *p = &w->l->pattern[op];
    for (size_t i = 0; i < p->rows * p->columns; i++) {
      const double value = cs_layout_unpack(p, i, &from);
      if (w->dense[op].hi != NULL) cs_wide_put(w->dense[op], i, value);
    }
  }
}

/* M and Y, with more digits than the network's numbers have. False without an exact solution (study stability with a
 * singular loop). */
static bool solve(struct work *w) {
  const struct cs_layout *l = w->l;
  const size_t x = l->dims.states, u = l->dims.inputs, o = l->dims.outputs, r = l->dims.exact;
  const struct cs_wide loop = w->separation.scratch, s = cs_wide_at(loop, o * o), gain = cs_wide_at(s, o * o);
  cs_wide_diagonal(o, -1.0, loop);
  cs_wide_add_product(o, u, o, w->dense[CS_OP_D], u, w->dense[CS_OP_L], loop); /* D L - I */
  if (!cs_wide_invert(o, loop, s)) return false;
  cs_wide_clear(o * r, gain);
  for (size_t i = 0; i < o * x; i++)
    cs_wide_put(gain, i / x * r + i % x, -w->dense[CS_OP_C].hi[i]);
  cs_wide_product(o, o, r, s, o, gain, w->y);
  for (size_t i = 0; i < o && r > x; i++)
    cs_wide_put(w->y, i * r + x, w->dense[CS_OP_Y].hi[i * r + x]);
  cs_wide_clear(u * r, gain);
  for (size_t i = 0; i < u && r > x; i++)
    cs_wide_put(gain, i * r + x, w->dense[CS_OP_BIAS].hi[i]);
  cs_wide_add_product(u, o, r, w->dense[CS_OP_L], o, w->y, gain);
  cs_wide_clear(r * r, w->whole.a);
  for (size_t i = 0; i < x * r; i++)
    cs_wide_put(w->whole.a, i, i % r < x ? w->dense[CS_OP_A].hi[i / r * x + i % r] : w->dense[CS_OP_E].hi[i / r]);
  cs_wide_add_product(x, u, r, w->dense[CS_OP_B], u, gain, w->whole.a);
  return true;
}

static int separate(struct work *w, struct cs_separated *s, double narrow, struct cs_error *error) {
  if (w->apart) return cs_separate(&w->separation, s, narrow, error);
  cs_separate_nothing(&w->separation, s);
  return CS_OK;
}

/* Coordinates of r, still with the states in the model's own coordinates. */
static int put_whole(struct work *w, struct cs_error *error) {
  const struct cs_layout *l = w->l;
  const size_t r = l->dims.exact, o = l->dims.outputs;
  w->whole.n = r;
  const bool exact = solve(w);
  if (!exact) {
    cs_wide_clear(r * r, w->whole.a);
    cs_wide_clear(o * r, w->y);
  }
  const int code = separate(w, &w->whole, 1.0, error);
  if (code != CS_OK) return code;
  cs_wide_product(o, r, r, w->y, r, w->whole.t, w->separation.scratch);
  put(w, CS_MODES_Y, 0, o * r, w->separation.scratch);
  put(w, CS_MODES_M, 0, r * r, w->whole.a);
  put(w, CS_MODES_T, 0, r * r, w->whole.t);
  put(w, CS_MODES_I, 0, r * r, w->whole.inverse);
  memcpy(part_of(w, CS_MODES_RATE, 0), w->whole.rate, r * sizeof *w->modes);
  for (size_t i = 0; i < r; i++)
    *part_of(w, CS_MODES_SLOW, i) = 1.0;
  return CS_OK;
}

/* Rows first to first + n of a matrix [][columns], multiplied from the left by the inverse coordinates of a subsystem.
 */
static void put_rows(struct work *w, enum cs_modes_part part, struct cs_wide from, size_t first, size_t columns) {
  const size_t n = w->part.n;
  cs_wide_product(n, n, columns, w->part.inverse, n, cs_wide_at(from, first * columns), w->separation.scratch);
  put(w, part, first * columns, n * columns, w->separation.scratch);
}

static int put_subsystem(struct work *w, const struct cs_subsystem *sub, struct cs_error *error) {
  const struct cs_layout *l = w->l;
  const size_t n = sub->states, first = sub->first_state, x = l->dims.states, width = l->dims.largest;
  w->part.n = n;
  for (size_t i = 0; i < n * n; i++)
    cs_wide_put(w->part.a, i, w->dense[CS_OP_A].hi[(first + i / n) * x + first + i % n]);
  const int code = separate(w, &w->part, NARROW, error);
  if (code != CS_OK) return code;
  double most = 0.0;
  for (size_t i = 0; i < n; i++)
    most = fmax(most, w->part.rate[i]);
  for (size_t i = 0; i < n; i++)
    *part_of(w, CS_MODES_RATE_A, first + i) = most;
  for (size_t i = 0; i < n; i++) {
    const size_t at = (first + i) * width;
    put(w, CS_MODES_A, at, n, cs_wide_at(w->part.a, i * n));
    put(w, CS_MODES_OWN, at, n, cs_wide_at(w->part.t, i * n));
    put(w, CS_MODES_OWN_I, at, n, cs_wide_at(w->part.inverse, i * n));
  }
  put_rows(w, CS_MODES_B, w->dense[CS_OP_B], first, l->dims.inputs);
  put_rows(w, CS_MODES_E, w->dense[CS_OP_E], first, 1);
  put_rows(w, CS_MODES_T, w->whole.t, first, l->dims.exact);
  cs_wide_product(l->dims.outputs, n, n, cs_wide_at(w->dense[CS_OP_C], first), x, w->part.t, w->separation.scratch);
  for (size_t i = 0; i < l->dims.outputs; i++)
    put(w, CS_MODES_C, i * x + first, n, cs_wide_at(w->separation.scratch, i * n));
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
  return sizeof(double) * (n * n * (2 * 5 + 5) + 2 * 3 * (l->dims.exact * l->dims.exact + own * own) + 2 * x * x);
}

/* Rods of 100 and 200 cells and a structure of 270 states took 0.07e-7 to 1.1e-7 s times the cube. */
double cs_modes_seconds(const struct cs_layout *l) {
  return 0.3e-7 * pow((double)most_of(l), 3.0);
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
    w->dense[used[i]] = cs_wide_take(p->rows * p->columns, &failed);
  }
  w->y = cs_wide_take(l->dims.outputs * l->dims.exact, &failed);
  w->separation.other = l->kind.other;
  return failed ? cs_error_memory(error) : CS_OK;
}

static void work_free(struct work *w) {
  cs_separate_free(&w->whole);
  cs_separate_free(&w->part);
  for (int op = 0; op < CS_OPERATORS; op++)
    cs_wide_free(w->dense[op]);
  cs_wide_free(w->y);
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
    w->separation.small[i] = exact ? w->whole.a.hi[i] : 0.0;
  int code = add_need(r, w->separation.small, re, re + r, need, error);
  memcpy(w->separation.small, w->dense[CS_OP_A].hi, x * x * sizeof *w->modes);
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

bool cs_modes_apart(const struct cs_layout *l, double norm) {
  return !l->kind.stability || norm > 1e5;
}

uint64_t cs_modes_kind(const struct cs_layout *l, bool apart) {
  return (uint64_t)l->dims.exact << 3 | (uint64_t)apart << 2 | (uint64_t)l->kind.other << 1 | finds_panels(l);
}

/* What kernels find the panels of a step from. */
static int put_need(struct work *w, struct cs_error *error) {
  struct need need = {.always = CS_MODES_OCTAVE_LEAST};
  const int code = find_need(w, &need, error);
  w->modes[cs_mode_places_at(w->l, CS_MODES_OCTAVE_ALWAYS)] = ceil(need.always);
  w->modes[cs_mode_places_at(w->l, CS_MODES_TURN)] = need.turn;
  return code;
}

int cs_modes_fill(const struct cs_layout *l, const double *packed, bool apart, double *modes, struct cs_error *error) {
  struct work w = {.l = l, .packed = packed, .apart = apart, .modes = modes};
  int code = work_new(&w, error);
  if (code == CS_OK) {
    memset(modes, 0, cs_mode_places_at(l, CS_MODES) * sizeof *modes);
    unpack(&w);
    code = put_whole(&w, error);
  }
  if (code == CS_OK && finds_panels(l)) code = put_need(&w, error);
  for (size_t s = 0; s < l->model->subsystems && code == CS_OK; s++)
    if (l->model->subsystem[s].states > 0) code = put_subsystem(&w, &l->model->subsystem[s], error);
  work_free(&w);
  return code;
}
