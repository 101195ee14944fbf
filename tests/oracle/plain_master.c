#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "plain_step.h"

/* ---- the passes of a macro step, docs/methods.md section 2 */

/* What inputs are given of the outputs of a subsystem (SIZE_MAX: of all) becomes the samples in `now`, or with
 * relaxation a mean of them and of what it was `before`. */
static void hand_on(struct plain_simulation *sim, size_t subsystem, real before[PLAIN_MAX][PLAIN_ORDERS][PLAIN_MAX]) {
  const real w = sim->relaxation;
  for (size_t l = 0; l < sim->n.outputs; l++)
    for (size_t i = 0; i < sim->n.inputs; i++)
      for (size_t j = 0; j < PLAIN_ORDERS && (subsystem == SIZE_MAX || sim->n.model->output[l].subsystem == subsystem);
           j++)
        sim->handed[i][j][l] = (1 - w) * before[i][j][l] + w * sim->now[j][l];
}

/* One pass, from the state at T_{k-1}. In a sequence the outputs of a subsystem are new to those after it; in a
 * repeated pass what the pass before handed on takes the place of what is not new yet. */
static void pass_once(struct plain_simulation *sim, const size_t *sequence, int repeated) {
  const size_t subsystems = sim->n.model->subsystems;
  const int wave = plain_wave(sim) > 0, solved = sim->method->feedthrough == CS_SOLVED && !wave;
  real before[PLAIN_MAX][PLAIN_ORDERS][PLAIN_MAX];
  int is_new[PLAIN_MAX] = {0}; /* by output */
  memcpy(before, sim->handed, sizeof before);
  for (size_t l = 0; l < sim->n.outputs; l++)
    is_new[l] = repeated;
  for (size_t p = 0; p < subsystems; p++) {
    const size_t subsystem = sequence != NULL ? sequence[p] : p;
    plain_hold(sim, subsystem, is_new);
    plain_advance_subsystem(sim, subsystem);
    if (sequence == NULL) continue;
    if (wave)
      plain_sample_nodes(sim, subsystem);
    else
      plain_sample_outputs(sim, 0, subsystem);
    hand_on(sim, subsystem, before);
    for (size_t l = 0; l < sim->n.outputs; l++)
      is_new[l] = is_new[l] || sim->n.model->output[l].subsystem == subsystem;
  }
  if (wave)
    plain_sample_nodes(sim, SIZE_MAX);
  else
    plain_sample_outputs(sim, solved, SIZE_MAX);
  if (sequence == NULL || solved) hand_on(sim, SIZE_MAX, before);
}

/* ---- repetitions as a map, y -> S y + b, docs/methods.md section 2 */

/* What a pass hands on: derivative j of an output. */
struct slot {
  size_t output, j;
};

/* The largest derivative of an output that some input uses, or without `used` that is sent; -1: none. */
static long derivatives(const struct plain_simulation *sim, size_t output, int used) {
  const size_t n = sim->method->subsystem[sim->n.model->output[output].subsystem].output_order;
  long most = used ? -1 : (long)n;
  for (size_t i = 0; i < sim->n.inputs && used; i++) {
    const size_t m = sim->method->subsystem[sim->n.model->input[i].subsystem].input_order;
    if (sim->n.L.at[i][output] != 0) most = (long)fmax((real)most, (real)(m < n ? m : n));
  }
  if (plain_wave(sim) > 0) return most < 0 ? most : (long)plain_wave(sim) - 1;
  return sim->method->hold == CS_TAYLOR ? most : most < 0 ? most : sim->method->hold == CS_HERMITE;
}

static size_t list_slots(const struct plain_simulation *sim, int used, struct slot *slots) {
  size_t count = 0;
  for (size_t l = 0; l < sim->n.outputs; l++)
    for (long j = 0; j <= derivatives(sim, l, used); j++)
      slots[count++] = (struct slot){l, (size_t)j};
  return count;
}

/* What a repetition hands on, or records, where `given` has been handed on before it. */
static void repeat(struct plain_simulation *sim, const struct slot *slots, size_t n, const real *given, int recorded,
                   real *result) {
  memset(sim->handed, 0, sizeof sim->handed);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < sim->n.inputs; i++)
      sim->handed[i][slots[k].j][slots[k].output] = given[k];
  pass_once(sim, sim->method->iterations == CS_CONVERGED ? NULL : sim->sequence, 1);
  for (size_t k = 0; k < n; k++)
    result[k] = recorded ? sim->now[slots[k].j][slots[k].output] : sim->handed[0][slots[k].j][slots[k].output];
}

/* b and S, [n][n], column by column. */
static void map_of(struct plain_simulation *sim, const struct slot *slots, size_t n, int recorded, real *S, real *b) {
  real *unit = calloc(2 * n, sizeof *unit), *image = unit + n;
  cr_assert(unit != NULL);
  repeat(sim, slots, n, unit, recorded, b);
  for (size_t k = 0; k < n; k++) {
    unit[k] = 1;
    repeat(sim, slots, n, unit, recorded, image);
    unit[k] = 0;
    for (size_t i = 0; i < n; i++)
      S[i * n + k] = image[i] - b[i];
  }
  free(unit);
}

/* Solves a x = x by elimination with partial pivoting; a [n][n] is destroyed. */
static void eliminate(real *a, size_t n, real *x) {
  for (size_t k = 0; k < n; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
    for (size_t j = 0; j <= n; j++) {
      real *one = j < n ? &a[k * n + j] : &x[k], *other = j < n ? &a[pivot * n + j] : &x[pivot], value = *one;
      *one = *other;
      *other = value;
    }
    for (size_t i = k + 1; i < n; i++) {
      const real factor = a[i * n + k] / a[k * n + k];
      for (size_t j = k; j < n && factor != 0; j++)
        a[i * n + j] -= factor * a[k * n + j];
      x[i] -= factor * x[k];
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n; j++)
      x[i] -= a[i * n + j] * x[j];
    x[i] /= a[i * n + i];
  }
}

/* The pass that hands on what it was given: (I - S) y = b. */
static void converge(struct plain_simulation *sim) {
  struct slot slots[PLAIN_MAX * PLAIN_ORDERS];
  const size_t n = list_slots(sim, 0, slots);
  real *S = calloc(n * n + 2 * n, sizeof *S), *b = S + n * n;
  cr_assert(S != NULL);
  map_of(sim, slots, n, 1, S, b);
  for (size_t k = 0; k < n * n; k++)
    S[k] = (k % n == k / n) - S[k];
  eliminate(S, n, b);
  repeat(sim, slots, n, b, 1, b + n);
  free(S);
}

/* ---- repetitions to a tolerance */

enum { PLAIN_COLUMNS = 20 };

/* Passes of a step so far: residuals and what the passes gave, of all outputs. */
struct passes {
  size_t n, count;
  real (*r)[PLAIN_MAX], (*s)[PLAIN_MAX];
};

static real dot(const real *a, const real *b, size_t n) {
  real sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* The pass that starts from w; whether it gives what is near enough to it. */
static int pass_from(struct plain_simulation *sim, const real *w, struct passes *p) {
  real *r = p->r[p->count], *s = p->s[p->count];
  for (size_t i = 0; i < sim->n.inputs; i++)
    memcpy(sim->handed[i][0], w, p->n * sizeof *w);
  pass_once(sim, sim->sequence, 1);
  for (size_t l = 0; l < p->n; l++) {
    s[l] = sim->now[0][l];
    r[l] = s[l] - w[l];
  }
  p->count++;
  return sqrt(dot(r, r, p->n)) <= (real)sim->repetition[CS_REPETITION_TOLERANCE] * fmax(sqrt(dot(s, s, p->n)), 1e-12L);
}

/* Quasi-Newton: the least squares problem of secants by normal equations of an orthogonalised basis, newest first. */
static void by_secants(const struct passes *p, real *w) {
  const size_t n = p->n, last = p->count - 1, most = 2 * n < PLAIN_COLUMNS ? 2 * n : PLAIN_COLUMNS;
  real v[PLAIN_COLUMNS][PLAIN_MAX], W[PLAIN_COLUMNS][PLAIN_MAX], Q[PLAIN_COLUMNS][PLAIN_MAX];
  real R[PLAIN_COLUMNS][PLAIN_COLUMNS] = {{0}}, alpha[PLAIN_COLUMNS];
  size_t columns = 0;
  for (size_t back = 1; back <= last && back <= most && columns < n; back++) {
    real *q = Q[columns];
    for (size_t l = 0; l < n; l++) {
      v[columns][l] = q[l] = p->r[last - back][l] - p->r[last][l];
      W[columns][l] = p->s[last - back][l] - p->s[last][l];
    }
    for (size_t i = 0; i < columns; i++) {
      R[i][columns] = dot(Q[i], v[columns], n);
      for (size_t l = 0; l < n; l++)
        q[l] -= R[i][columns] * Q[i][l];
    }
    const real length = sqrt(dot(q, q, n));
    if (!(length > 1e-12L * sqrt(dot(v[columns], v[columns], n)))) continue;
    R[columns][columns] = length;
    for (size_t l = 0; l < n; l++)
      q[l] /= length;
    columns++;
  }
  memcpy(w, p->s[last], n * sizeof *w);
  for (size_t i = columns; i-- > 0;) {
    alpha[i] = -dot(Q[i], p->r[last], n);
    for (size_t j = i + 1; j < columns; j++)
      alpha[i] -= R[i][j] * alpha[j];
    alpha[i] /= R[i][i];
    for (size_t l = 0; l < n; l++)
      w[l] += alpha[i] * W[i][l];
  }
}

/* Where the next pass starts. */
static void start_again(const struct plain_simulation *sim, const struct passes *p, real *omega, real *w) {
  const size_t last = p->count - 1;
  real change[PLAIN_MAX];
  if (sim->method->acceleration == CS_QUASI_NEWTON && last > 0) {
    by_secants(p, w);
    return;
  }
  for (size_t l = 0; l < p->n && last > 0; l++)
    change[l] = p->r[last][l] - p->r[last - 1][l];
  if (sim->method->acceleration == CS_AITKEN && last > 0 && dot(change, change, p->n) > 0)
    *omega *= -dot(p->r[last - 1], change, p->n) / dot(change, change, p->n);
  for (size_t l = 0; l < p->n; l++)
    w[l] += *omega * p->r[last][l];
}

static void repeat_to_tolerance(struct plain_simulation *sim) {
  const size_t most = (size_t)sim->repetition[CS_REPETITION_MOST];
  struct passes p = {sim->n.outputs, 0, malloc(most * sizeof *p.r), malloc(most * sizeof *p.s)};
  const real relaxation = sim->relaxation;
  real omega = relaxation, w[PLAIN_MAX] = {0};
  int converged = 0;
  cr_assert(p.r != NULL && p.s != NULL);
  for (size_t l = 0; l < p.n; l++) {
    real coefficients[PLAIN_ORDERS];
    plain_reconstruct(sim, l, coefficients);
    for (size_t j = 0; j < PLAIN_ORDERS; j++)
      w[l] += coefficients[j];
  }
  sim->relaxation = 1; /* within a pass */
  while (!converged && p.count < most) {
    if (p.count > 0) start_again(sim, &p, &omega, w);
    converged = pass_from(sim, w, &p);
  }
  sim->relaxation = relaxation;
  sim->passes += p.count;
  sim->most_passes = p.count > sim->most_passes ? p.count : sim->most_passes;
  sim->unconverged += !converged;
  free(p.r);
  free(p.s);
}

/* ---- contraction */

/* The spectral radius: of the powers S^(2^k) the root of the norm. S is destroyed. */
static real radius(real *S, size_t n) {
  enum { SQUARINGS = 56 };
  real *square = calloc(n * n, sizeof *square), logarithm = 0, share = 1;
  cr_assert(square != NULL);
  for (int k = 0; k < SQUARINGS; k++, share /= 2) {
    real norm = 0;
    for (size_t i = 0; i < n * n; i++)
      norm = fmax(norm, fabs(S[i]));
    logarithm += share * log(norm);
    for (size_t i = 0; i < n * n && norm > 0; i++)
      S[i] /= norm;
    memset(square, 0, n * n * sizeof *square);
    for (size_t i = 0; i < n; i++)
      for (size_t q = 0; q < n; q++)
        for (size_t j = 0; j < n && S[i * n + q] != 0; j++)
          square[i * n + j] += S[i * n + q] * S[q * n + j];
    memcpy(S, square, n * n * sizeof *S);
  }
  free(square);
  return exp(logarithm);
}

/* ---- corrections by an interface Jacobian, docs/methods.md section 2 */

/* A pass in which inputs end with v: what outputs are then with these very inputs becomes `now`. An input's polynomial
 * adds up what it is handed, so that one of its outputs can bring what v differs by. */
static void pass_with(struct plain_simulation *sim, const real *v) {
  int all[PLAIN_MAX];
  memset(sim->handed, 0, sizeof sim->handed);
  for (size_t l = 0; l < sim->n.outputs; l++)
    all[l] = 1;
  for (size_t i = 0; i < sim->n.inputs; i++)
    for (size_t l = 0, found = 0; l < sim->n.outputs && !found; l++) {
      found = sim->n.L.at[i][l] != 0;
      if (found) sim->handed[i][0][l] = (v[i] - sim->n.b[i]) / sim->n.L.at[i][l];
    }
  for (size_t s = 0; s < sim->n.model->subsystems; s++) {
    plain_hold(sim, s, all);
    plain_advance_subsystem(sim, s);
  }
  plain_sample_outputs(sim, 0, SIZE_MAX);
}

/* What of a unit in input q at T_k reaches the outputs: all of it, or as far as method.jacobian goes: [outputs]. */
static void felt(struct plain_simulation *sim, size_t q, int all, real *column) {
  real v[PLAIN_MAX] = {0}, zero[PLAIN_ORDERS] = {0}, mean = 0;
  memcpy(v, sim->n.b, sizeof v);
  pass_with(sim, v);
  for (size_t j = 0; j < PLAIN_ORDERS; j++)
    zero[j] = sim->held[j][q];
  memcpy(column, sim->now[0], sim->n.outputs * sizeof *column);
  v[q] += 1;
  pass_with(sim, v);
  for (size_t j = 0; j < PLAIN_ORDERS; j++)
    mean += (sim->held[j][q] - zero[j]) / (real)(j + 1);
  for (size_t l = 0; l < sim->n.outputs; l++) {
    column[l] = sim->now[0][l] - column[l];
    if (all) continue;
    column[l] = sim->n.D.at[l][q];
    for (size_t a = 0; a < sim->n.states && sim->method->jacobian == CS_JACOBIAN_FIRST; a++)
      column[l] += sim->H * mean * sim->n.C.at[l][a] * sim->n.B.at[a][q];
  }
}

/* M [outputs][inputs]; `all`: what repetitions feel, else what the master knows of it. */
static void feel(struct plain_simulation *sim, int all, struct plain_matrix *M) {
  real column[PLAIN_MAX];
  for (size_t q = 0; q < sim->n.inputs; q++) {
    int received = 0;
    for (size_t l = 0; l < sim->n.outputs; l++)
      received = received || sim->n.L.at[q][l] != 0;
    memset(column, 0, sizeof column);
    if (received) felt(sim, q, all || sim->method->jacobian == CS_JACOBIAN_EXACT, column);
    for (size_t l = 0; l < sim->n.outputs; l++)
      M->at[l][q] = column[l];
  }
}

/* v <- v + w (I - L M)^-1 (L y + b - v), from what inputs extrapolate. */
static void correct(struct plain_simulation *sim) {
  const size_t n = sim->n.inputs;
  struct plain_matrix M;
  real v[PLAIN_MAX] = {0}, *a = calloc(n * n + n, sizeof *a), *change = a + n * n;
  cr_assert(a != NULL);
  feel(sim, 0, &M);
  plain_hand_on(sim);
  for (size_t i = 0; i < n; i++) {
    v[i] = sim->n.b[i];
    for (size_t l = 0; l < sim->n.outputs; l++)
      v[i] += sim->n.L.at[i][l] * sim->handed[i][0][l];
  }
  pass_with(sim, v);
  for (size_t k = 0; k < sim->method->iterations; k++) {
    for (size_t i = 0; i < n; i++) {
      change[i] = sim->n.b[i] - v[i];
      for (size_t l = 0; l < sim->n.outputs; l++)
        change[i] += sim->n.L.at[i][l] * sim->now[0][l];
      for (size_t q = 0; q < n; q++) {
        a[i * n + q] = i == q;
        for (size_t l = 0; l < sim->n.outputs; l++)
          a[i * n + q] -= sim->n.L.at[i][l] * M.at[l][q];
      }
    }
    eliminate(a, n, change);
    for (size_t i = 0; i < n; i++)
      v[i] += sim->relaxation * change[i];
    pass_with(sim, v);
  }
  plain_sample_outputs(sim, sim->method->feedthrough == CS_SOLVED, SIZE_MAX);
  free(a);
}

/* I - w (I - M L)^-1 (I - S) of the n outputs that inputs use: [n][n]. */
static void map_of_corrections(struct plain_simulation *sim, const struct slot *used, size_t n, real *S) {
  const size_t outputs = sim->n.outputs;
  struct plain_matrix known, all;
  real *a = calloc(outputs * outputs + outputs, sizeof *a), *column = a + outputs * outputs;
  cr_assert(a != NULL);
  feel(sim, 0, &known);
  feel(sim, 1, &all);
  for (size_t k = 0; k < n; k++) {
    for (size_t l = 0; l < outputs; l++) {
      column[l] = l == used[k].output;
      for (size_t p = 0; p < outputs; p++)
        a[l * outputs + p] = l == p;
      for (size_t q = 0; q < sim->n.inputs; q++) {
        column[l] -= all.at[l][q] * sim->n.L.at[q][used[k].output];
        for (size_t p = 0; p < outputs; p++)
          a[l * outputs + p] -= known.at[l][q] * sim->n.L.at[q][p];
      }
    }
    eliminate(a, outputs, column);
    for (size_t i = 0; i < n; i++)
      S[i * n + k] = (i == k) - sim->relaxation * column[used[i].output];
  }
  free(a);
}

real plain_contraction(struct plain_simulation *sim) {
  struct slot slots[PLAIN_MAX * PLAIN_ORDERS];
  const size_t n = list_slots(sim, 1, slots), points = sim->memory.points;
  real *S = calloc(n * n + n, sizeof *S);
  cr_assert(S != NULL);
  sim->stepped = 1;
  sim->memory.points = PLAIN_PAST;
  if (sim->method->jacobian > 0)
    map_of_corrections(sim, slots, n, S);
  else
    map_of(sim, slots, n, 0, S, S + n * n);
  sim->memory.points = points;
  const real result = radius(S, n);
  free(S);
  return result;
}

void plain_alternate(struct plain_simulation *sim, size_t step) {
  const size_t n = sim->n.model->subsystems;
  if (sim->sequence == NULL || sim->method->sequence != CS_SEQUENCE_ALTERNATING) return;
  for (size_t i = 0; i < n; i++)
    sim->order[i] = step % 2 == 0 ? i : n - 1 - i;
  sim->sequence = sim->order;
}

void plain_advance(struct plain_simulation *sim) {
  sim->stepped = 1;
  if (cs_method_tolerates(sim->method)) {
    repeat_to_tolerance(sim);
    return;
  }
  if (sim->method->jacobian > 0) {
    correct(sim);
    return;
  }
  if (sim->method->iterations == CS_CONVERGED) converge(sim);
  if (sim->relaxation != 1) plain_hand_on(sim);
  for (size_t pass = 0; pass <= sim->method->iterations && sim->method->iterations != CS_CONVERGED; pass++)
    pass_once(sim, sim->sequence, pass > 0);
  if (plain_wave(sim) > 0) plain_sample_outputs(sim, sim->method->feedthrough == CS_SOLVED, SIZE_MAX);
}
