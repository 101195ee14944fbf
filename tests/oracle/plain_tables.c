#include "plain_tables.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "linalg.h"

enum { ENTRIES = 16384 }; /* kept at most by one system */

/* Over time t: z -> E z + sum_j phi[j] v_j, for z' = A z + sum_j v_j t^j. */
struct entry {
  real t;
  real *E, *phi[PLAIN_POWERS]; /* [n][n] */
};

struct system {
  size_t n, powers; /* powers: 0 where nothing drives it */
  real *A, norm;
  double *modes; /* [n][2]: real and imaginary parts, to double precision */
  struct entry **entry;
  size_t entries, next; /* next: where a search begins */
};

struct plain_tables {
  size_t systems; /* subsystems, then the whole network */
  struct system *system;
};

/* ---- matrices [n][n] */

static void *clear_memory(size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  cr_assert(memory != NULL);
  return memory;
}

static void add_product(size_t n, const real *a, const real *b, real *c) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n && a[i * n + k] != 0; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void add_scaled(size_t n, real factor, const real *a, real *b) {
  for (size_t i = 0; i < n * n; i++)
    b[i] += factor * a[i];
}

static void add_applied(size_t n, const real *a, const real *x, real *y) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      y[i] += a[i * n + j] * x[j];
}

/* ---- entries */

static struct entry *new_entry(const struct system *system, real t) {
  struct entry *entry = clear_memory(1, sizeof *entry);
  entry->t = t;
  entry->E = clear_memory(system->n * system->n, sizeof(real));
  for (size_t j = 0; j < system->powers; j++)
    entry->phi[j] = clear_memory(system->n * system->n, sizeof(real));
  return entry;
}

static void forget(struct system *system) {
  for (size_t i = 0; i < system->entries; i++) {
    free(system->entry[i]->E);
    for (size_t j = 0; j < system->powers; j++)
      free(system->entry[i]->phi[j]);
    free(system->entry[i]);
  }
  system->entries = 0;
}

/* E = sum_k (A t)^k/k!, phi_j = sum_k (A t)^k t^(j+1) j!/(k+j+1)! */
static void by_series(const struct system *system, struct entry *entry) {
  enum { TERMS = 30 }; /* 0.5^30 / 30! is below 1e-41 */
  const size_t n = system->n;
  real *term = clear_memory(n * n, sizeof *term), *next = clear_memory(n * n, sizeof *next);
  for (size_t i = 0; i < n; i++)
    term[i * n + i] = 1;
  for (int k = 0; k < TERMS; k++) {
    real weight = entry->t;
    add_scaled(n, 1, term, entry->E);
    for (size_t j = 0; j < system->powers; j++) {
      weight *= (j == 0 ? 1 : (real)j * entry->t) / (real)(k + (int)j + 1); /* t^(j+1) k! j!/(k+j+1)! */
      add_scaled(n, weight, term, entry->phi[j]);
    }
    memset(next, 0, n * n * sizeof *next);
    add_product(n, system->A, term, next);
    memset(term, 0, n * n * sizeof *term);
    add_scaled(n, entry->t / (k + 1), next, term);
  }
  free(term);
  free(next);
}

/* The flow of `half` twice: phi_j(2 t) = E phi_j(t) + sum_i C(j, i) t^(j-i) phi_i(t). */
static void by_doubling(const struct system *system, const struct entry *half, struct entry *entry) {
  static const real binomial[PLAIN_POWERS][PLAIN_POWERS] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};
  add_product(system->n, half->E, half->E, entry->E);
  for (size_t j = 0; j < system->powers; j++) {
    add_product(system->n, half->E, half->phi[j], entry->phi[j]);
    real power = 1;
    for (size_t i = j + 1; i-- > 0; power *= half->t)
      add_scaled(system->n, binomial[j][i] * power, half->phi[i], entry->phi[j]);
  }
}

static const struct entry *find(struct system *system, real t) {
  for (size_t i = 0; i < system->entries; i++) {
    system->next = system->next + 1 < system->entries ? system->next + 1 : 0;
    if (system->entry[system->next]->t == t) return system->entry[system->next];
  }
  struct entry *entry = new_entry(system, t);
  if (system->norm * fabs(t) <= 0.5L)
    by_series(system, entry);
  else
    by_doubling(system, find(system, t / 2), entry);
  cr_assert_lt(system->entries, ENTRIES);
  system->entry[system->entries++] = entry;
  return entry;
}

/* As find, where entries may be given up first. */
static const struct entry *look_up(struct system *system, real t) {
  if (system->entries > ENTRIES / 2) forget(system);
  return find(system, t);
}

/* ---- systems */

static void find_modes(struct system *system) {
  struct cs_error error;
  const size_t n = system->n;
  double *a = clear_memory(n * n, sizeof *a);
  system->modes = clear_memory(2 * n, sizeof *system->modes);
  for (size_t i = 0; i < n * n; i++)
    a[i] = (double)system->A[i];
  if (n > 0) cr_assert_eq(cs_linalg_eigenvalues(n, a, system->modes, system->modes + n, &error), CS_OK);
  free(a);
}

static void open_system(struct system *system, const struct plain_matrix *A, size_t first, size_t n, size_t powers) {
  *system = (struct system){.n = n, .powers = powers};
  system->A = clear_memory(n * n, sizeof(real));
  system->entry = clear_memory(ENTRIES, sizeof *system->entry);
  for (size_t i = 0; i < n; i++) {
    real sum = 0;
    for (size_t j = 0; j < n; j++) {
      system->A[i * n + j] = A->at[first + i][first + j];
      sum += fabs(system->A[i * n + j]);
    }
    system->norm = fmax(system->norm, sum);
  }
  find_modes(system);
}

struct plain_tables *plain_tables_new(const struct plain_network *network) {
  struct plain_tables *tables = clear_memory(1, sizeof *tables);
  const size_t subsystems = network->model->subsystems;
  tables->systems = subsystems + 1;
  tables->system = clear_memory(tables->systems, sizeof *tables->system);
  for (size_t i = 0; i < subsystems; i++) {
    const struct cs_subsystem *sub = &network->model->subsystem[i];
    open_system(&tables->system[i], &network->A, sub->first_state, sub->states, PLAIN_POWERS);
  }
  open_system(&tables->system[subsystems], &network->M, 0, network->states + 1, 0);
  return tables;
}

void plain_tables_free(struct plain_tables *tables) {
  if (tables == NULL) return;
  for (size_t i = 0; i < tables->systems; i++) {
    forget(&tables->system[i]);
    free(tables->system[i].A);
    free(tables->system[i].modes);
    free(tables->system[i].entry);
  }
  free(tables->system);
  free(tables);
}

/* ---- use */

void plain_tables_exact(struct plain_tables *tables, real t, real *r) {
  struct system *whole = &tables->system[tables->systems - 1];
  real result[PLAIN_MAX] = {0};
  add_applied(whole->n, look_up(whole, t)->E, r, result);
  memcpy(r, result, whole->n * sizeof *r);
}

void plain_tables_subsystem(struct plain_tables *tables, size_t subsystem, real t, real H,
                            real v[PLAIN_POWERS][PLAIN_MAX], const real *x, real *result) {
  struct system *system = &tables->system[subsystem];
  const struct entry *entry = look_up(system, t);
  real power = 1, sum[PLAIN_MAX] = {0};
  add_applied(system->n, entry->E, x, sum);
  for (size_t j = 0; j < PLAIN_POWERS; j++, power *= H) {
    real scaled[PLAIN_MAX];
    for (size_t i = 0; i < system->n; i++)
      scaled[i] = v[j][i] / power;
    add_applied(system->n, entry->phi[j], scaled, sum);
  }
  memcpy(result, sum, system->n * sizeof *result);
}

/* Gauss-Legendre sums over [a, 2 a] are right for the square of a decaying mode however fast; an oscillating one wants
 * parts, as many as its phase turns while it lasts. */
struct plain_cuts plain_tables_cuts(const struct plain_tables *tables, real H) {
  struct plain_cuts cuts = {0, 1};
  for (size_t i = 0; i < tables->systems; i++) {
    const struct system *system = &tables->system[i];
    for (size_t k = 0; k < system->n; k++) {
      const double re = system->modes[k] * (double)H, im = system->modes[system->n + k] * (double)H;
      const double size = hypot(re, im), turns = size / fmax(-re, 4.0);
      while (size > 2 * ldexp(1.0, (int)cuts.halvings))
        cuts.halvings++;
      while (size > 2 && im != 0 && turns > (double)cuts.parts)
        cuts.parts *= 2;
    }
  }
  return cuts;
}
