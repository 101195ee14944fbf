/* The numbers of a linear subsystem, and its exact step: x(t + h) = F(h) (x, u, u', u'', u''', 1) with the matrix
 * exponential F. */
#include "linear.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000, TERMS = 18 }; /* states; terms of the exponential's series, below 1e-24 at norm 1/4 */

static double *room(size_t count) {
  return calloc(count > 0 ? count : 1, sizeof(double));
}

/* ---- reading */

/* The path of a URI, in which %20 is a blank; cut to `size`. */
static void copy_path(char *path, size_t size, const char *uri) {
  size_t length = 0;
  unsigned code = 0;
  if (strncmp(uri, "file://", 7) == 0)
    uri += 7;
  else if (strncmp(uri, "file:", 5) == 0)
    uri += 5;
  for (; *uri != '\0' && length + 1 < size; length++)
    if (*uri == '%' && isxdigit((unsigned char)uri[1]) && isxdigit((unsigned char)uri[2])) {
      sscanf(uri + 1, "%2x", &code);
      path[length] = (char)code;
      uri += 3;
    } else {
      path[length] = *uri++;
    }
  path[length] = '\0';
}

static bool read_numbers(struct linear *s, FILE *file) {
  size_t n, m, p;
  if (fscanf(file, "%zu %zu %zu", &n, &m, &p) != 3 || n > MOST || m > MOST || p > MOST) return false;
  s->states = n, s->inputs = m, s->outputs = p;
  s->width = n + m * POWERS + 1;
  const size_t length[] = {n * n, n * m, p * n, p * m, n, p, n, m};
  const double **const place[] = {&s->A, &s->B, &s->C, &s->D, &s->e, &s->f, &s->x0, &s->u0};
  size_t count = 0;
  for (size_t i = 0; i < 8; i++)
    count += length[i];
  s->number = room(count);
  for (size_t i = 0; i < count; i++)
    if (s->number == NULL || fscanf(file, "%lf", &s->number[i]) != 1) return false;
  const double *at = s->number;
  for (size_t i = 0; i < 8; at += length[i++])
    *place[i] = at;
  return true;
}

/* Numbers have points as decimal signs, whatever the locale of the program that has loaded this. */
static bool read_file(struct linear *s, const char *path) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  FILE *file = fopen(path, "r");
  bool good = false;
  if (plain != (locale_t)0 && file != NULL) {
    const locale_t before = uselocale(plain);
    good = read_numbers(s, file);
    uselocale(before);
  }
  if (file != NULL) fclose(file);
  if (plain != (locale_t)0) freelocale(plain);
  return good;
}

void linear_reset(struct linear *s) {
  memcpy(s->x, s->x0, s->states * sizeof *s->x);
  memset(s->u, 0, s->inputs * POWERS * sizeof *s->u);
  memcpy(s->u, s->u0, s->inputs * sizeof *s->u);
  s->time = 0.0;
}

static bool make(struct linear *s) {
  s->x = room(s->states);
  s->u = room(s->inputs * POWERS);
  s->next = room(s->states);
  s->F = room(s->states * s->width);
  bool good = s->x != NULL && s->u != NULL && s->next != NULL && s->F != NULL;
  for (size_t i = 0; i < 3; i++) {
    s->W[i] = room(s->width * s->width);
    good = good && s->W[i] != NULL;
  }
  if (good) linear_reset(s);
  return good;
}

/* ---- a step */

double linear_dot(size_t count, const double *a, const double *b) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

/* out = scale (a b + factor c); out is none of them. */
static void multiply(size_t n, const double *a, const double *b, const double *c, double factor, double scale,
                     double *out) {
  for (size_t i = 0; i < n; i++) {
    double *row = out + i * n;
    for (size_t j = 0; j < n; j++)
      row[j] = factor * c[i * n + j];
    for (size_t k = 0; k < n; k++)
      if (a[i * n + k] != 0.0)
        for (size_t j = 0; j < n; j++)
          row[j] += a[i * n + k] * b[k * n + j];
    for (size_t j = 0; j < n; j++)
      row[j] *= scale;
  }
}

/* W = h times the generator of (x, u, u', u'', u''', 1), halved until its norm is at most 1/4; the number of halvings.
 */
static int fill(const struct linear *s, double h, double *W) {
  const size_t n = s->states, m = s->inputs, N = s->width;
  double norm = 0.0;
  int halvings = 0;
  memset(W, 0, N * N * sizeof *W);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      W[i * N + j] = h * s->A[i * n + j];
    for (size_t j = 0; j < m; j++)
      W[i * N + n + j] = h * s->B[i * m + j];
    W[i * N + N - 1] = h * s->e[i];
  }
  for (size_t j = 0; j < m * DEGREE; j++)
    W[(n + j) * N + n + m + j] = h;
  for (size_t i = 0; i < N; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < N; j++)
      sum += fabs(W[i * N + j]);
    norm = fmax(norm, sum);
  }
  for (; norm > 0.25 && isfinite(norm); norm /= 2.0)
    halvings++;
  for (size_t i = 0; i < N * N; i++)
    W[i] = ldexp(W[i], -halvings);
  return halvings;
}

/* F of step size h, as exp(W) - I: its series by Horner's rule, then (I + T)^2 - I = 2 T + T^2 for every halving. */
static bool prepare(struct linear *s, double h) {
  const size_t N = s->width;
  double *W = s->W[0], *T = s->W[1], *other = s->W[2];
  if (s->h == h) return true;
  int halvings = fill(s, h, W);
  memset(T, 0, N * N * sizeof *T);
  for (int k = TERMS; k >= 1; k--) {
    multiply(N, W, T, W, 1.0, 1.0 / k, other);
    double *swap = T;
    T = other, other = swap;
  }
  for (; halvings > 0; halvings--) {
    multiply(N, T, T, T, 2.0, 1.0, other);
    double *swap = T;
    T = other, other = swap;
  }
  memcpy(s->F, T, s->states * N * sizeof *T);
  for (size_t i = 0; i < s->states * N; i++)
    if (!isfinite(s->F[i])) return false;
  s->h = h;
  return true;
}

static void advance(struct linear *s, double h) {
  const size_t n = s->states, m = s->inputs;
  for (size_t i = 0; i < n; i++) {
    const double *row = s->F + i * s->width;
    s->next[i] = s->x[i] + (linear_dot(n, row, s->x) + linear_dot(m * POWERS, row + n, s->u) + row[s->width - 1]);
  }
  memcpy(s->x, s->next, n * sizeof *s->x);
  for (size_t k = 0; k < DEGREE; k++) /* Taylor's formula; higher derivatives are still those before the step */
    for (size_t j = 0; j < m; j++) {
      double sum = 0.0;
      for (size_t d = DEGREE; d > k; d--)
        sum = (sum + s->u[d * m + j]) * h / (double)(d - k);
      s->u[k * m + j] += sum;
    }
}

double linear_slope(const struct linear *s, size_t i) {
  return s->e[i] + linear_dot(s->states, s->A + i * s->states, s->x) +
         linear_dot(s->inputs, s->B + i * s->inputs, s->u);
}

double linear_output(const struct linear *s, size_t i) {
  return s->f[i] + linear_dot(s->states, s->C + i * s->states, s->x) +
         linear_dot(s->inputs, s->D + i * s->inputs, s->u);
}

/* ---- the whole */

bool linear_open(struct linear *s, const char *uri, char *path, size_t size) {
  static const char *const name = "/linear.txt";
  *s = (struct linear){.h = -1.0};
  copy_path(path, size - strlen(name), uri);
  strcat(path, name);
  return read_file(s, path) && make(s);
}

void linear_close(struct linear *s) {
  free(s->number);
  free(s->x);
  free(s->u);
  free(s->next);
  free(s->F);
  for (size_t i = 0; i < 3; i++)
    free(s->W[i]);
}

bool linear_step(struct linear *s, double h) {
  if (!(h >= 0.0) || !isfinite(h) || !prepare(s, h)) return false;
  advance(s, h);
  return true;
}
