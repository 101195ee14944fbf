#include "separate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout_private.h"
#include "linalg.h"

static void identity(struct cs_separated *s) {
  for (size_t i = 0; i < s->n * s->n; i++)
    s->t[i] = s->inverse[i] = i % (s->n + 1) == 0 ? 1.0 : 0.0;
  for (size_t i = 0; i < s->n; i++)
    s->block[i] = 0;
}

/* The end of the block that begins with coordinate `first`. */
static size_t end_of(const struct cs_separated *s, size_t first) {
  size_t end = first;
  while (end < s->n && s->block[end] == s->block[first])
    end++;
  return end;
}

/* Balances w->small [n][n]: its scale is in w->scale. */
static void balance(struct cs_separation *w, size_t n) {
  cs_component_find(w->component, n, w->small);
  cs_linalg_balance(w->component, w->small, w->scale);
}

/* Bounds of the diagonal blocks. */
static void set_rates(struct cs_separation *w, struct cs_separated *s) {
  for (size_t first = 0, end; first < s->n; first = end) {
    end = end_of(s, first);
    const size_t size = end - first;
    for (size_t i = 0; i < size * size; i++)
      w->small[i] = (double)cs_wide_size(s->a[(first + i / size) * s->n + first + i % size]);
    balance(w, size);
    const double rate = cs_linalg_balanced_norm(w->component, w->small, w->scale);
    for (size_t i = first; i < end; i++)
      s->rate[i] = rate;
  }
}

/* The largest rate over the smallest. */
static double spread(const struct cs_separated *s) {
  double least = INFINITY, most = 0.0;
  for (size_t i = 0; i < s->n; i++) {
    least = fmin(least, s->rate[i]);
    most = fmax(most, s->rate[i]);
  }
  return most > 0.0 ? most / least : 1.0;
}

/* a = t^-1 original t. */
static bool change_coordinates(struct cs_separation *w, struct cs_separated *s) {
  const size_t n = s->n;
  if (!cs_wide_invert(n, s->t, s->inverse, w->room)) return false;
  cs_wide_product(n, n, n, w->original, n, s->t, w->scratch, w->room);
  cs_wide_product(n, n, n, s->inverse, n, w->scratch, s->a, w->room);
  return true;
}

/* inverse = that of the diagonal blocks of a, 0 for singular ones. */
static void invert_blocks(const struct cs_separation *w, const struct cs_separated *s, cs_wide *inverse) {
  const size_t n = s->n;
  cs_wide *const block = w->scratch, *const own = block + n * n;
  memset(inverse, 0, n * n * sizeof *inverse);
  for (size_t first = 0, end; first < n; first = end) {
    end = end_of(s, first);
    const size_t size = end - first;
    for (size_t i = 0; i < size * size; i++)
      block[i] = s->a[(first + i / size) * n + first + i % size];
    if (!cs_wide_invert(size, block, own, w->room)) continue;
    for (size_t i = 0; i < size * size; i++)
      inverse[(first + i / size) * n + first + i % size] = own[i];
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

/* sum [size] += factor row. */
static void add_row(size_t size, double factor, const double *row, double *sum) {
  for (size_t j = 0; j < size; j++)
    sum[j] += factor * row[j];
}

/* One sweep for a_ii X - X a_jj = -a_ij over all pairs of blocks i and j. It converges as the ratio of their rates. */
static void sweep(const struct cs_separated *s, struct removal *m) {
  const size_t n = m->n;
  memset(m->right, 0, n * n * sizeof *m->right); /* X is 0 within blocks */
  for (size_t i = 0, own = 0; i < n; i++) {
    if (s->block[i] != s->block[own]) own = i; /* where its block begins */
    const size_t own_end = end_of(s, own);
    for (size_t first = 0, end; first < n; first = end) {
      end = end_of(s, first);
      double *const right = m->right + i * n + first;
      if (first == own) continue;
      const bool faster = s->rate[i] > s->rate[first];
      for (size_t j = first; j < end; j++)
        right[j - first] = faster ? -m->a[i * n + j] : m->a[i * n + j];
      for (size_t k = first; k < end && faster; k++)
        add_row(end - first, m->x[i * n + k], m->a + k * n + first, right);
      for (size_t k = own; k < own_end && !faster; k++)
        add_row(end - first, m->a[i * n + k], m->x + k * n + first, right);
    }
  }
  memset(m->room, 0, n * n * sizeof *m->room);
  memset(m->x, 0, n * n * sizeof *m->x);
  cs_linalg_add_product(n, n, n, m->inverse, m->right, m->room);
  cs_linalg_add_product(n, n, n, m->right, m->inverse, m->x);
  for (size_t i = 0; i < n * n; i++)
    if (s->rate[i / n] > s->rate[i % n]) m->x[i] = m->room[i];
}

/* t becomes t (I + X), where X removes the couplings of a to first order. */
static void correct(struct cs_separation *w, struct cs_separated *s) {
  const size_t n = s->n, square = n * n;
  double *at = w->small;
  struct removal m = {n, at, at + square, at + 2 * square, at + 3 * square, at + 4 * square};
  invert_blocks(w, s, s->inverse);
  for (size_t i = 0; i < square; i++) {
    m.a[i] = (double)s->a[i];
    m.inverse[i] = (double)s->inverse[i];
    m.x[i] = 0.0;
  }
  for (int i = 0; i < SWEEPS; i++)
    sweep(s, &m);
  for (size_t i = 0; i < square; i++)
    w->scratch[i] = m.x[i] + (i % (n + 1) == 0 ? 1.0 : 0.0);
  cs_wide_product(n, n, n, s->t, n, w->scratch, s->a, w->room);
  memcpy(s->t, s->a, square * sizeof *s->t);
}

/* The largest coupling, relative to the rate of the faster of the two. */
static cs_wide coupling(const struct cs_separated *s) {
  cs_wide most = 0.0;
  for (size_t i = 0; i < s->n * s->n; i++) {
    const double rate = fmax(s->rate[i / s->n], s->rate[i % s->n]);
    if (s->block[i / s->n] != s->block[i % s->n] && rate > 0.0)
      most = cs_wide_larger(most, cs_wide_size(s->a[i]) / rate);
  }
  return most;
}

/* The largest balanced entry of the columns [p, end). */
static void find_largest(size_t n, const double *balanced, size_t p, size_t end, size_t *row, size_t *column) {
  double most = 0.0;
  for (size_t i = 0; i < n; i++)
    for (size_t q = p; q < end; q++)
      if (fabs(balanced[i * n + q]) > most) {
        most = fabs(balanced[i * n + q]);
        *row = i;
        *column = q;
      }
}

static void swap_columns(size_t n, double *t, size_t p, size_t q) {
  for (size_t i = 0; i < n && p != q; i++) {
    const double other = t[i * n + p];
    t[i * n + p] = t[i * n + q];
    t[i * n + q] = other;
  }
}

/* Makes the coordinates of the block [first, end) parts of as many states: those by which the block is told best in
 * balanced units. A state of a small size in a fast oscillation of a large one would else be the difference of two
 * coordinates. t [n][n]; balanced [n][n]: with balanced rows, to as many digits as choosing takes. */
static void align_block(size_t n, size_t first, size_t end, const double *unit, struct cs_wide_pairs t,
                        double *balanced, struct cs_wide_pairs factor) {
  for (size_t p = first; p < end; p++) {
    size_t row = n, column = p;
    find_largest(n, balanced, p, end, &row, &column);
    if (row == n) return;
    swap_columns(n, t.hi, p, column);
    swap_columns(n, t.lo, p, column);
    /* the row becomes a unit vector within the block */
    const cs_wide own = 1.0 / cs_wide_get(t, row * n + p);
    for (size_t q = first; q < end; q++)
      cs_wide_put(factor, q, q == p ? 0.0 : -own * cs_wide_get(t, row * n + q));
    for (size_t i = 0; i < n; i++) {
      const double hi = t.hi[i * n + p], lo = t.lo[i * n + p];
      cs_wide_add(end - first, hi, lo, cs_wide_at(factor, first), cs_wide_at(t, i * n + first));
      cs_wide_scale(1, own, cs_wide_at(t, i * n + p));
    }
    for (size_t q = first; q < end; q++)
      cs_wide_put(t, row * n + q, q == p);
    for (size_t i = 0; i < n; i++)
      for (size_t q = first; q < end; q++)
        balanced[i * n + q] = t.hi[i * n + q] / unit[i];
  }
}

static void align(struct cs_separation *w, struct cs_separated *s) {
  const size_t n = s->n;
  const struct cs_wide_pairs t = cs_wide_split(n * n, s->t, w->room), factor = {w->small + n * n, w->small + 2 * n * n};
  for (size_t i = 0; i < n * n; i++)
    w->small[i] = t.hi[i] / w->unit[i / n];
  for (size_t first = 0, end; first < n; first = end) {
    end = end_of(s, first);
    align_block(n, first, end, w->unit, t, w->small, factor);
  }
  cs_wide_join(n * n, t, s->t);
  for (size_t i = 0; i < n * n && w->other; i++) /* any factors that no power of 2 relates */
    s->t[i] *= 1.0 + 0.7 * (cs_wide)(i % n + 1) / (cs_wide)(n + 1);
}

/* Replaces a by t^-1 a t. Coordinates as the double precision of the Schur form has them leave couplings of 2^-53 times
 * the fastest rate, by which a fast component that its input sustains would drive slow ones: t is corrected first. */
static bool decouple(struct cs_separation *w, struct cs_separated *s) {
  const size_t n = s->n;
  cs_wide least = INFINITY;
  for (int i = 0; i <= CORRECTIONS; i++) {
    if (!change_coordinates(w, s)) return false;
    set_rates(w, s);
    const cs_wide now = coupling(s);
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
static bool split_off(struct cs_separation *w, struct cs_separated *s, size_t active, size_t last, const double *t) {
  const size_t n = s->n, most = active * active;
  cs_wide *to = w->scratch, *inverse = to + n * active, *sub = inverse + most, *own = sub + most;
  for (size_t i = 0; i < most; i++) {
    own[i] = t[i];
    sub[i] = s->a[i / active * n + i % active];
  }
  if (!cs_wide_invert(active, own, inverse, w->room)) return false;
  cs_wide_product(active, active, active, sub, active, own, to, w->room);
  cs_wide_product(active, active, active, inverse, active, to, sub, w->room);
  for (size_t i = 0; i < most; i++)
    s->a[i / active * n + i % active] = (i / active < last) == (i % active < last) ? sub[i] : 0.0;
  cs_wide_product(n, active, active, s->t, n, own, to, w->room);
  for (size_t i = 0; i < n; i++)
    memcpy(s->t + i * n, to + i * active, active * sizeof *to);
  return true;
}

/* Coordinates t and blocks of s->a, which is overwritten. The fastest block goes first, since the rounding of the Schur
 * form, relative to the fastest, must not couple slower ones. */
static int find_blocks(struct cs_separation *w, struct cs_separated *s, struct cs_error *error) {
  double *a = w->small, *t = a + s->n * s->n;
  for (size_t i = 0; i < s->n * s->n; i++)
    a[i] = (double)s->a[i];
  int code = cs_linalg_units(s->n, a, w->unit, error);
  identity(s);
  for (size_t i = 0; i < s->n; i++)
    w->scale[i] = w->unit[i];
  for (size_t active = s->n, last, level = s->n; active > 0 && code == CS_OK; active = last, level--) {
    for (size_t i = 0; i < active * active; i++)
      a[i] = (double)s->a[i / active * s->n + i % active];
    code = cs_linalg_separate(active, a, w->scale, t, w->number, error);
    for (last = active; last > 0 && w->number[last - 1] == w->number[active - 1];)
      last--;
    if (code == CS_OK && last > 0 && !split_off(w, s, active, last, t)) last = 0;
    for (size_t i = last; i < active; i++)
      s->block[i] = level;
    for (size_t i = 0; i < s->n; i++)
      w->scale[i] = 1.0; /* coordinates have none */
  }
  return code;
}

/* Separates the modes of s->a unless all their rates lie within `narrow`. */
int cs_separate(struct cs_separation *w, struct cs_separated *s, double narrow, struct cs_error *error) {
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

/* ---- room -------------------------------------------------------------------------------------------------------- */

int cs_separate_open(size_t most, struct cs_separation *w, struct cs_error *error) {
  bool failed = false;
  *w = (struct cs_separation){.scratch = cs_layout_take(4 * most * most, sizeof *w->scratch, &failed)};
  w->original = cs_layout_take(most * most, sizeof *w->original, &failed);
  w->small = cs_layout_take(5 * most * most, sizeof *w->small, &failed);
  w->room = cs_layout_take(cs_wide_room(most), sizeof *w->room, &failed);
  w->scale = cs_layout_take(most, sizeof *w->scale, &failed);
  w->unit = cs_layout_take(most, sizeof *w->unit, &failed);
  w->number = cs_layout_take(most, sizeof *w->number, &failed);
  return failed ? cs_error_memory(error) : cs_component_new(most, &w->component, error);
}

void cs_separate_close(struct cs_separation *w) {
  free(w->scratch);
  free(w->original);
  free(w->small);
  free(w->room);
  free(w->scale);
  free(w->unit);
  free(w->number);
  cs_component_free(w->component);
}

void cs_separate_take(struct cs_separated *s, size_t n, bool *failed) {
  s->a = cs_layout_take(n * n, sizeof *s->a, failed);
  s->t = cs_layout_take(n * n, sizeof *s->t, failed);
  s->inverse = cs_layout_take(n * n, sizeof *s->inverse, failed);
  s->rate = cs_layout_take(n, sizeof *s->rate, failed);
  s->block = cs_layout_take(n, sizeof *s->block, failed);
}

void cs_separate_free(struct cs_separated *s) {
  free(s->a);
  free(s->t);
  free(s->inverse);
  free(s->rate);
  free(s->block);
}
