#include "modes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout_private.h"
#include "linalg.h"

/* Coordinates and what is computed in them: ||M|| H times the rounding of these numbers has to stay below that of the
 * results. Where long double has 64 bits, compilers have a type with 113. */
#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 wide;
#else
typedef long double wide;
#endif

static wide size_of(wide a) {
  return a < 0 ? -a : a;
}

static wide larger(wide a, wide b) {
  return a > b ? a : b;
}

/* Modes of a subsystem within this factor of each other need no coordinates of their own. */
#define NARROW 1e2

/* A square matrix and coordinates x = t z in which it is block diagonal. */
struct separated {
  size_t n;
  wide *a, *t, *inverse; /* [n][n] the matrix, then in the coordinates; the coordinates; their inverse */
  double *rate;          /* [n] bound of the block of each coordinate */
  size_t *block;         /* [n] number of the block of each coordinate */
};

struct work {
  const struct cs_layout *l;
  const double *packed;
  double *modes;
  wide *dense[CS_OPERATORS];    /* those that are needed here */
  wide *y, *scratch;            /* [outputs][exact]; a square of the largest dimension, four times */
  wide *original;               /* the same, once */
  size_t *number;               /* [largest dimension] */
  double *small;                /* the same, as double, five times */
  struct separated whole, part; /* M; A of the current subsystem */
  struct cs_component *component;
  double *scale; /* [largest dimension] of a balanced block */
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
                                  [CS_MODES_OCTAVE] = 1};
  size_t at = 0;
  for (int i = 0; i < (int)part; i++)
    at += count[i];
  return at;
}

/* ---- matrices --------------------------------------------------------------------------------------------- */

/* c += a b */
static void add_product(size_t rows, size_t inner, size_t columns, const wide *a, const wide *b, wide *c) {
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < inner; k++)
      for (size_t j = 0; a[i * inner + k] != 0.0 && j < columns; j++)
        c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

/* c = a b */
static void product(size_t rows, size_t inner, size_t columns, const wide *a, const wide *b, wide *c) {
  memset(c, 0, rows * columns * sizeof *c);
  add_product(rows, inner, columns, a, b, c);
}

static void swap_rows(wide *a, size_t n, size_t i, size_t j) {
  for (size_t k = 0; k < n && i != j; k++) {
    const wide other = a[i * n + k];
    a[i * n + k] = a[j * n + k];
    a[j * n + k] = other;
  }
}

/* The row with the largest entry of column p, relative to the row's largest one. */
static size_t pivot_of(const wide *a, size_t n, size_t p) {
  wide most = -1.0;
  size_t best = p;
  for (size_t i = p; i < n; i++) {
    wide size = 0.0;
    for (size_t j = 0; j < n; j++)
      size = larger(size, size_of(a[i * n + j]));
    const wide share = size > 0.0 ? size_of(a[i * n + p]) / size : 0.0;
    if (share > most) {
      most = share;
      best = i;
    }
  }
  return best;
}

/* inverse = a^-1 by Gauss-Jordan elimination, which changes a. False if a is singular. */
static bool invert(size_t n, wide *a, wide *inverse) {
  for (size_t i = 0; i < n * n; i++)
    inverse[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
  for (size_t p = 0; p < n; p++) {
    const size_t best = pivot_of(a, n, p);
    swap_rows(a, n, p, best);
    swap_rows(inverse, n, p, best);
    if (a[p * n + p] == 0.0) return false;
    const wide factor = 1.0 / a[p * n + p];
    for (size_t j = 0; j < n; j++) {
      a[p * n + j] *= factor;
      inverse[p * n + j] *= factor;
    }
    for (size_t i = 0; i < n; i++) {
      const wide other = a[i * n + p];
      for (size_t j = 0; i != p && other != 0.0 && j < n; j++) {
        a[i * n + j] -= other * a[p * n + j];
        inverse[i * n + j] -= other * inverse[p * n + j];
      }
    }
  }
  return true;
}

/* ---- separation -------------------------------------------------------------------------------------------------- */

static void identity(struct separated *s) {
  for (size_t i = 0; i < s->n * s->n; i++)
    s->t[i] = s->inverse[i] = i % (s->n + 1) == 0 ? 1.0 : 0.0;
  for (size_t i = 0; i < s->n; i++)
    s->block[i] = 0;
}

/* Bounds of the diagonal blocks. */
static void set_rates(struct work *w, struct separated *s) {
  for (size_t first = 0, end; first < s->n; first = end) {
    for (end = first; end < s->n && s->block[end] == s->block[first];)
      end++;
    const size_t size = end - first;
    for (size_t i = 0; i < size * size; i++)
      w->small[i] = (double)size_of(s->a[(first + i / size) * s->n + first + i % size]);
    cs_component_find(w->component, size, w->small);
    cs_linalg_balance(w->component, w->small, w->scale);
    const double rate = cs_linalg_balanced_norm(w->component, w->small, w->scale);
    for (size_t i = first; i < end; i++)
      s->rate[i] = rate;
  }
}

/* The largest rate over the smallest. */
static double spread(const struct separated *s) {
  double least = INFINITY, most = 0.0;
  for (size_t i = 0; i < s->n; i++) {
    least = fmin(least, s->rate[i]);
    most = fmax(most, s->rate[i]);
  }
  return most > 0.0 ? most / least : 1.0;
}

/* a = t^-1 original t. */
static bool change_coordinates(struct work *w, struct separated *s) {
  const size_t n = s->n;
  memcpy(w->scratch, s->t, n * n * sizeof *w->scratch);
  if (!invert(n, w->scratch, s->inverse)) return false;
  product(n, n, n, w->original, s->t, w->scratch);
  product(n, n, n, s->inverse, w->scratch, s->a);
  return true;
}

/* inverse = that of the diagonal blocks of a, 0 for singular ones; room [2][n][n]. */
static void invert_blocks(const struct separated *s, wide *room, wide *inverse) {
  const size_t n = s->n;
  memset(inverse, 0, n * n * sizeof *inverse);
  for (size_t first = 0, end; first < n; first = end) {
    for (end = first; end < n && s->block[end] == s->block[first];)
      end++;
    const size_t size = end - first;
    for (size_t i = 0; i < size * size; i++)
      room[i] = s->a[(first + i / size) * n + first + i % size];
    if (!invert(size, room, room + n * n)) continue;
    for (size_t i = 0; i < size * size; i++)
      inverse[(first + i / size) * n + first + i % size] = room[n * n + i];
  }
}

/* Sweeps of the iteration for each correction, and corrections. */
enum { SWEEPS = 8, CORRECTIONS = 4 };

/* The removal of couplings of a = t^-1 original t to first order, each [n][n]: they are so small that the precision of
 * double is enough for X. */
struct removal {
  size_t n;
  double *a, *inverse; /* of its diagonal blocks */
  double *x, *right, *room;
};

/* One sweep for a_ii X - X a_jj = -a_ij over all pairs of blocks i and j. It converges as the ratio of their rates. */
static void sweep(const struct separated *s, struct removal *m) {
  const size_t n = m->n;
  for (size_t i = 0; i < n * n; i++) {
    const size_t row = i / n, column = i % n;
    const bool faster = s->rate[row] > s->rate[column];
    m->right[i] = faster ? -m->a[i] : m->a[i];
    for (size_t k = 0; k < n; k++) /* X is 0 within blocks */
      if (faster && s->block[k] == s->block[column])
        m->right[i] += m->x[row * n + k] * m->a[k * n + column];
      else if (!faster && s->block[k] == s->block[row])
        m->right[i] += m->a[row * n + k] * m->x[k * n + column];
    if (s->block[row] == s->block[column]) m->right[i] = 0.0;
  }
  memset(m->room, 0, n * n * sizeof *m->room);
  memset(m->x, 0, n * n * sizeof *m->x);
  cs_linalg_add_product(n, n, n, m->inverse, m->right, m->room);
  cs_linalg_add_product(n, n, n, m->right, m->inverse, m->x);
  for (size_t i = 0; i < n * n; i++)
    if (s->rate[i / n] > s->rate[i % n]) m->x[i] = m->room[i];
}

/* t becomes t (I + X), where X removes the couplings of a to first order. */
static void correct(struct work *w, struct separated *s) {
  const size_t n = s->n, square = n * n;
  double *at = w->small;
  struct removal m = {n, at, at + square, at + 2 * square, at + 3 * square, at + 4 * square};
  invert_blocks(s, w->scratch, s->inverse);
  for (size_t i = 0; i < square; i++) {
    m.a[i] = (double)s->a[i];
    m.inverse[i] = (double)s->inverse[i];
    m.x[i] = 0.0;
  }
  for (int i = 0; i < SWEEPS; i++)
    sweep(s, &m);
  for (size_t i = 0; i < square; i++) {
    long double sum = 0.0L;
    for (size_t k = 0; k < n; k++)
      sum += (long double)s->t[i / n * n + k] * m.x[k * n + i % n];
    w->scratch[i] = s->t[i] + sum;
  }
  memcpy(s->t, w->scratch, square * sizeof *s->t);
}

/* The largest coupling, relative to the rate of the faster of the two. */
static wide coupling(const struct separated *s) {
  wide most = 0.0;
  for (size_t i = 0; i < s->n * s->n; i++) {
    const double rate = fmax(s->rate[i / s->n], s->rate[i % s->n]);
    if (s->block[i / s->n] != s->block[i % s->n] && rate > 0.0) most = larger(most, size_of(s->a[i]) / rate);
  }
  return most;
}

/* In t and its balanced copy: column p is multiplied by a factor. */
static void scale_column(struct separated *s, wide *copy, size_t p, wide factor) {
  for (size_t i = 0; i < s->n; i++) {
    s->t[i * s->n + p] *= factor;
    copy[i * s->n + p] *= factor;
  }
}

/* Column p gets `factor` times column q. */
static void add_column(struct separated *s, wide *copy, size_t p, size_t q, wide factor) {
  for (size_t i = 0; i < s->n; i++) {
    s->t[i * s->n + p] += factor * s->t[i * s->n + q];
    copy[i * s->n + p] += factor * copy[i * s->n + q];
  }
}

static void swap_columns(struct separated *s, wide *copy, size_t p, size_t q) {
  for (size_t i = 0; i < s->n && p != q; i++) {
    const wide other = s->t[i * s->n + p], balanced = copy[i * s->n + p];
    s->t[i * s->n + p] = s->t[i * s->n + q];
    copy[i * s->n + p] = copy[i * s->n + q];
    s->t[i * s->n + q] = other;
    copy[i * s->n + q] = balanced;
  }
}

/* Makes the coordinates of the block [first, end) parts of as many states: those by which the block is told best in
 * balanced units. A state of a small size in a fast oscillation of a large one would else be the difference of two
 * coordinates. balanced [n][n]: t with balanced rows, which is changed with it. */
static void align_block(struct separated *s, size_t first, size_t end, wide *balanced) {
  const size_t n = s->n;
  for (size_t p = first; p < end; p++) {
    size_t row = 0, column = p;
    wide most = 0.0;
    for (size_t i = 0; i < n; i++)
      for (size_t q = p; q < end; q++)
        if (size_of(balanced[i * n + q]) > most) {
          most = size_of(balanced[i * n + q]);
          row = i;
          column = q;
        }
    if (!(most > 0.0)) return;
    swap_columns(s, balanced, p, column);
    scale_column(s, balanced, p, 1.0 / s->t[row * n + p]);
    s->t[row * n + p] = 1.0;
    for (size_t q = first; q < end; q++) {
      if (q == p) continue;
      add_column(s, balanced, q, p, -s->t[row * n + q]);
      s->t[row * n + q] = balanced[row * n + q] = 0.0;
    }
  }
}

static void align(struct work *w, struct separated *s) {
  const size_t n = s->n;
  for (size_t i = 0; i < n * n; i++)
    w->small[i] = (double)size_of(w->original[i]);
  cs_component_find(w->component, n, w->small);
  cs_linalg_balance(w->component, w->small, w->scale);
  for (size_t i = 0; i < n * n; i++)
    w->scratch[i] = s->t[i] / w->scale[i / n];
  for (size_t first = 0, end; first < n; first = end) {
    for (end = first; end < n && s->block[end] == s->block[first];)
      end++;
    align_block(s, first, end, w->scratch);
  }
  for (size_t i = 0; i < n * n && w->l->kind.other; i++) /* any factors that no power of 2 relates */
    s->t[i] *= 1.0 + 0.7 * (wide)(i % n + 1) / (wide)(n + 1);
}

/* Replaces a by t^-1 a t. Coordinates as the double precision of the Schur form has them leave couplings of 2^-53 times
 * the fastest rate, by which a fast component that its input sustains would drive slow ones: t is corrected first. */
static bool decouple(struct work *w, struct separated *s) {
  const size_t n = s->n;
  wide least = INFINITY;
  for (int i = 0; i <= CORRECTIONS; i++) {
    if (!change_coordinates(w, s)) return false;
    set_rates(w, s);
    const wide now = coupling(s);
    if (!(now < 0.5 * least) || i == CORRECTIONS) break;
    least = now;
    correct(w, s);
  }
  align(w, s);
  if (!change_coordinates(w, s)) return false;
  for (size_t i = 0; i < n * n; i++)
    if (s->block[i / n] != s->block[i % n]) s->a[i] = 0.0;
  return true;
}

/* Replaces the first `active` coordinates by t [active][active], of which those from `last` on form a block of their
 * own. */
static bool split_off(struct work *w, struct separated *s, size_t active, size_t last, const double *t) {
  const size_t n = s->n, most = active * active;
  wide *to = w->scratch, *inverse = to + most, *sub = inverse + most, *room = sub + most;
  for (size_t i = 0; i < most; i++)
    room[i] = t[i];
  if (!invert(active, room, inverse)) return false;
  for (size_t i = 0; i < most; i++) {
    room[i] = t[i];
    sub[i] = s->a[i / active * n + i % active];
  }
  product(active, active, active, sub, room, to);
  product(active, active, active, inverse, to, sub);
  for (size_t i = 0; i < most; i++)
    s->a[i / active * n + i % active] = (i / active < last) == (i % active < last) ? sub[i] : 0.0;
  for (size_t row = 0; row < n; row++) {
    product(1, active, active, s->t + row * n, room, to);
    memcpy(s->t + row * n, to, active * sizeof *to);
  }
  return true;
}

/* Coordinates t and blocks of s->a, which is overwritten. The fastest block goes first, since the rounding of the Schur
 * form, relative to the fastest, must not couple slower ones. */
static int find_blocks(struct work *w, struct separated *s, struct cs_error *error) {
  int code = CS_OK;
  double *a = w->small, *t = a + s->n * s->n;
  identity(s);
  for (size_t active = s->n, last, level = s->n; active > 0 && code == CS_OK; active = last, level--) {
    for (size_t i = 0; i < active * active; i++)
      a[i] = (double)s->a[i / active * s->n + i % active];
    code = cs_linalg_separate(active, a, t, w->number, error);
    for (last = active; last > 0 && w->number[last - 1] == w->number[active - 1];)
      last--;
    if (code == CS_OK && last > 0 && !split_off(w, s, active, last, t)) last = 0;
    for (size_t i = last; i < active; i++)
      s->block[i] = level;
  }
  return code;
}

/* Separates the modes of s->a unless all their rates lie within `narrow`. */
static int separate(struct work *w, struct separated *s, double narrow, struct cs_error *error) {
  const size_t bytes = s->n * s->n * sizeof *s->a;
  memcpy(w->original, s->a, bytes);
  const int code = find_blocks(w, s, error);
  if (code != CS_OK) return code;
  const bool good = decouple(w, s);
  if (good) set_rates(w, s);
  if (good && spread(s) > narrow) return CS_OK;
  memcpy(s->a, w->original, bytes);
  identity(s);
  set_rates(w, s);
  return CS_OK;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void put(struct work *w, enum cs_modes_part part, size_t at, wide value) {
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
  wide *loop = w->scratch, *s = loop + o * o, *gain = s + o * o;
  product(o, u, o, w->dense[CS_OP_D], w->dense[CS_OP_L], loop);
  for (size_t i = 0; i < o * o; i++)
    loop[i] = (i % (o + 1) == 0 ? 1.0 : 0.0) - loop[i];
  if (!invert(o, loop, s)) return false;
  memset(gain, 0, o * r * sizeof *gain);
  for (size_t i = 0; i < o * x; i++)
    gain[i / x * r + i % x] = w->dense[CS_OP_C][i];
  product(o, o, r, s, gain, w->y);
  for (size_t i = 0; i < o && r > x; i++)
    w->y[i * r + x] = w->dense[CS_OP_Y][i * r + x];
  memset(w->whole.a, 0, r * r * sizeof *w->whole.a);
  for (size_t i = 0; i < x * r; i++)
    w->whole.a[i] = i % r < x ? w->dense[CS_OP_A][i / r * x + i % r] : w->dense[CS_OP_E][i / r];
  product(u, o, r, w->dense[CS_OP_L], w->y, gain);
  for (size_t i = 0; i < u && r > x; i++)
    gain[i * r + x] += w->dense[CS_OP_BIAS][i];
  add_product(x, u, r, w->dense[CS_OP_B], gain, w->whole.a);
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
  const int code = separate(w, &w->whole, 1.0, error);
  if (code != CS_OK) return code;
  product(o, r, r, w->y, w->whole.t, w->scratch);
  for (size_t i = 0; i < o * r; i++)
    put(w, CS_MODES_Y, i, w->scratch[i]);
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
static void put_rows(struct work *w, enum cs_modes_part part, const wide *from, size_t first, size_t columns) {
  const size_t n = w->part.n;
  product(n, n, columns, w->part.inverse, from + first * columns, w->scratch);
  for (size_t i = 0; i < n * columns; i++)
    put(w, part, first * columns + i, w->scratch[i]);
}

static int put_subsystem(struct work *w, const struct cs_subsystem *sub, struct cs_error *error) {
  const struct cs_layout *l = w->l;
  const size_t n = sub->states, first = sub->first_state, x = l->dims.states, width = l->dims.largest;
  w->part.n = n;
  for (size_t i = 0; i < n * n; i++)
    w->part.a[i] = w->dense[CS_OP_A][(first + i / n) * x + first + i % n];
  const int code = separate(w, &w->part, NARROW, error);
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
  for (size_t o = 0; o < l->dims.outputs; o++) {
    product(1, n, n, w->dense[CS_OP_C] + o * x + first, w->part.t, w->scratch);
    for (size_t i = 0; i < n; i++)
      put(w, CS_MODES_C, o * x + first + i, w->scratch[i]);
  }
  return CS_OK;
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

static void separated_take(struct separated *s, size_t n, bool *failed) {
  s->a = cs_layout_take(n * n, sizeof *s->a, failed);
  s->t = cs_layout_take(n * n, sizeof *s->t, failed);
  s->inverse = cs_layout_take(n * n, sizeof *s->inverse, failed);
  s->rate = cs_layout_take(n, sizeof *s->rate, failed);
  s->block = cs_layout_take(n, sizeof *s->block, failed);
}

static void separated_free(struct separated *s) {
  free(s->a);
  free(s->t);
  free(s->inverse);
  free(s->rate);
  free(s->block);
}

static int work_new(struct work *w, struct cs_error *error) {
  static const enum cs_operator used[] = {CS_OP_Y, CS_OP_A, CS_OP_B, CS_OP_C, CS_OP_D, CS_OP_L, CS_OP_BIAS, CS_OP_E};
  const struct cs_layout *l = w->l;
  const size_t most = cs_max_size(l->dims.exact, cs_max_size(l->dims.outputs, l->dims.inputs));
  bool failed = false;
  separated_take(&w->whole, l->dims.exact, &failed);
  separated_take(&w->part, l->dims.largest, &failed);
  for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
    const struct cs_pattern *p = &l->pattern[used[i]];
    w->dense[used[i]] = cs_layout_take(p->rows * p->columns, sizeof *w->dense[0], &failed);
  }
  w->y = cs_layout_take(l->dims.outputs * l->dims.exact, sizeof *w->y, &failed);
  w->scratch = cs_layout_take(4 * most * most, sizeof *w->scratch, &failed);
  w->original = cs_layout_take(most * most, sizeof *w->original, &failed);
  w->small = cs_layout_take(5 * most * most, sizeof *w->small, &failed);
  w->number = cs_layout_take(most, sizeof *w->number, &failed);
  w->scale = cs_layout_take(most, sizeof *w->scale, &failed);
  return failed ? cs_error_memory(error) : cs_component_new(most, &w->component, error);
}

static void work_free(struct work *w) {
  separated_free(&w->whole);
  separated_free(&w->part);
  for (int op = 0; op < CS_OPERATORS; op++)
    free(w->dense[op]);
  free(w->y);
  free(w->scratch);
  free(w->small);
  free(w->scale);
  free(w->original);
  free(w->number);
  cs_component_free(w->component);
}

/* Radians that a panel resolves, and the exponent of a decay after which nothing counts. */
#define PANEL_TURN 6.0
#define GONE 14.0

/* Raises *panels to those that the modes of a [n][n], which is overwritten, need. */
static int count_panels(size_t n, double *a, double *re, double *im, double H, double *panels, struct cs_error *error) {
  const int code = cs_linalg_eigenvalues(n, a, re, im, error);
  for (size_t i = 0; i < n && code == CS_OK; i++) {
    if (im[i] == 0.0) continue;
    const double turn = fabs(im[i]) * (-re[i] * H > GONE ? GONE / -re[i] : H);
    *panels = fmax(*panels, ceil(turn / PANEL_TURN));
  }
  return code;
}

int cs_modes_octave(const struct cs_layout *l, const double *packed, double H, double *panels, struct cs_error *error) {
  struct work w = {.l = l, .packed = packed};
  const size_t r = l->dims.exact, x = l->dims.states;
  double *re = calloc(2 * r + 1, sizeof *re);
  int code = re == NULL ? cs_error_memory(error) : work_new(&w, error);
  *panels = CS_MODES_OCTAVE_LEAST;
  if (code == CS_OK) {
    unpack(&w);
    const bool exact = solve(&w);
    for (size_t i = 0; i < r * r; i++)
      w.small[i] = exact ? (double)w.whole.a[i] : 0.0;
    code = count_panels(r, w.small, re, re + r, H, panels, error);
  }
  if (code == CS_OK) {
    for (size_t i = 0; i < x * x; i++)
      w.small[i] = (double)w.dense[CS_OP_A][i];
    code = count_panels(x, w.small, re, re + r, H, panels, error);
  }
  work_free(&w);
  free(re);
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
  for (size_t s = 0; s < l->model->subsystems && code == CS_OK; s++)
    if (l->model->subsystem[s].states > 0) code = put_subsystem(&w, &l->model->subsystem[s], error);
  work_free(&w);
  return code;
}
