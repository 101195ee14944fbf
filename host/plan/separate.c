#include "separate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout_private.h"
#include "linalg.h"

static void identity(struct cs_separated *s) {
  cs_wide_diagonal(s->n, 1.0, s->t);
  cs_wide_diagonal(s->n, 1.0, s->inverse);
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
      w->small[i] = fabs(s->a.hi[(first + i / size) * s->n + first + i % size]);
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
  cs_wide_copy(n * n, s->t, w->scratch);
  if (!cs_wide_invert(n, w->scratch, s->inverse)) return false;
  cs_wide_product(n, n, n, w->original, n, s->t, w->scratch);
  cs_wide_product(n, n, n, s->inverse, n, w->scratch, s->a);
  return true;
}

/* inverse [n][n]: that of the diagonal blocks of a, 0 for singular ones, to the digits of double. */
static void invert_blocks(const struct cs_separation *w, const struct cs_separated *s, double *inverse) {
  const size_t n = s->n;
  const struct cs_wide block = w->scratch, own = cs_wide_at(block, n * n);
  memset(inverse, 0, n * n * sizeof *inverse);
  for (size_t first = 0, end; first < n; first = end) {
    end = end_of(s, first);
    const size_t size = end - first;
    for (size_t i = 0; i < size; i++)
      cs_wide_copy(size, cs_wide_at(s->a, (first + i) * n + first), cs_wide_at(block, i * size));
    if (!cs_wide_invert(size, block, own)) continue;
    for (size_t i = 0; i < size; i++)
      memcpy(inverse + (first + i) * n + first, own.hi + i * size, size * sizeof *inverse);
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
  invert_blocks(w, s, m.inverse);
  memcpy(m.a, s->a.hi, square * sizeof *m.a);
  memset(m.x, 0, square * sizeof *m.x);
  for (int i = 0; i < SWEEPS; i++)
    sweep(s, &m);
  for (size_t i = 0; i < square; i++) /* X is 0 within blocks */
    cs_wide_put(w->scratch, i, i % (n + 1) == 0 ? 1.0 : m.x[i]);
  cs_wide_product(n, n, n, s->t, n, w->scratch, s->a);
  cs_wide_copy(square, s->a, s->t);
}

/* The largest coupling, relative to the rate of the faster of the two. */
static double coupling(const struct cs_separated *s) {
  double most = 0.0;
  for (size_t i = 0; i < s->n * s->n; i++) {
    const double rate = fmax(s->rate[i / s->n], s->rate[i % s->n]);
    if (s->block[i / s->n] != s->block[i % s->n] && rate > 0.0) most = fmax(most, fabs(s->a.hi[i]) / rate);
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

/* Makes the coordinates of the block [first, end) parts of as many states: those by which the block is told best in
 * balanced units. A state of a small size in a fast oscillation of a large one would else be the difference of two
 * coordinates. t [n][n]; balanced [n][n]: with balanced rows, to as many digits as choosing takes. */
static void align_block(size_t n, size_t first, size_t end, const double *unit, struct cs_wide t, double *balanced,
                        struct cs_wide factor) {
  const struct cs_wide number = cs_wide_at(factor, n);
  for (size_t p = first; p < end; p++) {
    size_t row = n, column = p;
    find_largest(n, balanced, p, end, &row, &column);
    if (row == n) return;
    for (size_t i = 0; i < n && column != p; i++)
      cs_wide_swap(t, i * n + p, i * n + column);
    /* the row becomes a unit vector within the block */
    cs_wide_reciprocal(cs_wide_at(t, row * n + p), number);
    cs_wide_copy(end - first, cs_wide_at(t, row * n + first), factor);
    cs_wide_scale(end - first, number, factor);
    for (size_t q = 0; q < end - first; q++) {
      factor.hi[q] = first + q == p ? 0.0 : -factor.hi[q];
      factor.lo[q] = first + q == p ? 0.0 : -factor.lo[q];
    }
    for (size_t i = 0; i < n; i++) {
      cs_wide_add(end - first, cs_wide_at(t, i * n + p), factor, cs_wide_at(t, i * n + first));
      cs_wide_scale(1, number, cs_wide_at(t, i * n + p));
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
  for (size_t i = 0; i < n * n; i++)
    w->small[i] = s->t.hi[i] / w->unit[i / n];
  for (size_t first = 0, end; first < n; first = end) {
    end = end_of(s, first);
    align_block(n, first, end, w->unit, s->t, w->small, w->scratch);
  }
  for (size_t i = 0; i < n * n && w->other; i++) { /* any factors that no power of 2 relates */
    cs_wide_put(w->scratch, 0, 1.0 + 0.7 * (double)(i % n + 1) / (double)(n + 1));
    cs_wide_scale(1, w->scratch, cs_wide_at(s->t, i));
  }
}

/* Replaces a by t^-1 a t. Coordinates as the double precision of the Schur form has them leave couplings of 2^-53 times
 * the fastest rate, by which a fast component that its input sustains would drive slow ones: t is corrected first. */
static bool decouple(struct cs_separation *w, struct cs_separated *s) {
  const size_t n = s->n;
  double least = INFINITY;
  for (int i = 0; i <= CORRECTIONS; i++) {
    if (!change_coordinates(w, s)) return false;
    set_rates(w, s);
    const double now = coupling(s);
    if (!(now < 0.5 * least) || i == CORRECTIONS) break;
    least = now;
    correct(w, s);
  }
  align(w, s);
  if (!change_coordinates(w, s)) return false;
  for (size_t i = 0; i < n * n; i++)
    if (s->block[i / n] != s->block[i % n]) cs_wide_put(s->a, i, 0.0);
  return true;
}

/* Replaces the first `active` coordinates by t [active][active], of which those from `last` on form a block of their
 * own. */
static bool split_off(struct cs_separation *w, struct cs_separated *s, size_t active, size_t last, const double *t) {
  const size_t n = s->n, most = active * active;
  const struct cs_wide to = w->scratch, sub = cs_wide_at(to, n * active), own = cs_wide_at(sub, most),
                       inverse = cs_wide_at(own, most);
  for (size_t i = 0; i < most; i++)
    cs_wide_put(to, i, t[i]);
  cs_wide_copy(most, to, own);
  if (!cs_wide_invert(active, to, inverse)) return false;
  cs_wide_product(active, active, active, s->a, n, own, to);
  cs_wide_product(active, active, active, inverse, active, to, sub);
  for (size_t i = 0; i < most; i++) {
    const bool kept = (i / active < last) == (i % active < last);
    s->a.hi[i / active * n + i % active] = kept ? sub.hi[i] : 0.0;
    s->a.lo[i / active * n + i % active] = kept ? sub.lo[i] : 0.0;
  }
  cs_wide_product(n, active, active, s->t, n, own, to);
  for (size_t i = 0; i < n; i++)
    cs_wide_copy(active, cs_wide_at(to, i * active), cs_wide_at(s->t, i * n));
  return true;
}

/* Coordinates t and blocks of s->a, which is overwritten. The fastest block goes first, since the rounding of the Schur
 * form, relative to the fastest, must not couple slower ones. */
static int find_blocks(struct cs_separation *w, struct cs_separated *s, struct cs_error *error) {
  double *a = w->small, *t = a + s->n * s->n;
  memcpy(a, s->a.hi, s->n * s->n * sizeof *a);
  int code = cs_linalg_units(s->n, a, w->unit, error);
  identity(s);
  for (size_t i = 0; i < s->n; i++)
    w->scale[i] = w->unit[i];
  for (size_t active = s->n, last, level = s->n; active > 0 && code == CS_OK; active = last, level--) {
    for (size_t i = 0; i < active; i++)
      memcpy(a + i * active, s->a.hi + i * s->n, active * sizeof *a);
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

void cs_separate_nothing(struct cs_separation *w, struct cs_separated *s) {
  identity(s);
  set_rates(w, s);
}

/* Separates the modes of s->a unless all their rates lie within `narrow`. */
int cs_separate(struct cs_separation *w, struct cs_separated *s, double narrow, struct cs_error *error) {
  cs_wide_copy(s->n * s->n, s->a, w->original);
  const int code = find_blocks(w, s, error);
  if (code != CS_OK) return code;
  const bool good = decouple(w, s);
  if (good) set_rates(w, s);
  if (good && spread(s) > narrow) return CS_OK;
  cs_wide_copy(s->n * s->n, w->original, s->a);
  cs_separate_nothing(w, s);
  return CS_OK;
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

int cs_separate_open(size_t most, struct cs_separation *w, struct cs_error *error) {
  bool failed = false;
  *w = (struct cs_separation){.scratch = cs_wide_take(4 * most * most, &failed)};
  w->original = cs_wide_take(most * most, &failed);
  w->small = cs_layout_take(5 * most * most, sizeof *w->small, &failed);
  w->scale = cs_layout_take(most, sizeof *w->scale, &failed);
  w->unit = cs_layout_take(most, sizeof *w->unit, &failed);
  w->number = cs_layout_take(most, sizeof *w->number, &failed);
  return failed ? cs_error_memory(error) : cs_component_new(most, &w->component, error);
}

void cs_separate_close(struct cs_separation *w) {
  cs_wide_free(w->scratch);
  cs_wide_free(w->original);
  free(w->small);
  free(w->scale);
  free(w->unit);
  free(w->number);
  cs_component_free(w->component);
}

void cs_separate_take(struct cs_separated *s, size_t n, bool *failed) {
  s->a = cs_wide_take(n * n, failed);
  s->t = cs_wide_take(n * n, failed);
  s->inverse = cs_wide_take(n * n, failed);
  s->rate = cs_layout_take(n, sizeof *s->rate, failed);
  s->block = cs_layout_take(n, sizeof *s->block, failed);
}

void cs_separate_free(struct cs_separated *s) {
  cs_wide_free(s->a);
  cs_wide_free(s->t);
  cs_wide_free(s->inverse);
  free(s->rate);
  free(s->block);
}
