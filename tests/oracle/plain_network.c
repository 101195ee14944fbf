#include "plain_network.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

void plain_multiply_add(const struct plain_matrix *matrix, size_t rows, size_t columns, const real *x, real *y) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      y[i] += matrix->at[i][j] * x[j];
}

int plain_is_connected(const struct plain_network *network, size_t input, size_t output) {
  const struct cs_entries *links = &network->model->matrix[CS_L];
  for (size_t i = 0; i < links->count; i++)
    if (links->entry[i].row == input && links->entry[i].column == output) return 1;
  return 0;
}

static void swap_rows(struct plain_matrix *matrix, real *x, size_t a, size_t b) {
  real row[PLAIN_MAX];
  memcpy(row, matrix->at[a], sizeof row);
  memcpy(matrix->at[a], matrix->at[b], sizeof row);
  memcpy(matrix->at[b], row, sizeof row);
  real value = x[a];
  x[a] = x[b];
  x[b] = value;
}

void plain_solve(struct plain_matrix *matrix, size_t size, real *x) {
  for (size_t k = 0; k < size; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < size; i++)
      if (fabs(matrix->at[i][k]) > fabs(matrix->at[pivot][k])) pivot = i;
    swap_rows(matrix, x, k, pivot);
    for (size_t i = k + 1; i < size; i++) {
      real factor = matrix->at[i][k] / matrix->at[k][k];
      for (size_t j = k; j < size; j++)
        matrix->at[i][j] -= factor * matrix->at[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (size_t i = size; i-- > 0;) {
    for (size_t j = i + 1; j < size; j++)
      x[i] -= matrix->at[i][j] * x[j];
    x[i] /= matrix->at[i][i];
  }
}

static real row_sum_norm(const struct plain_matrix *matrix, size_t size) {
  real norm = 0;
  for (size_t i = 0; i < size; i++) {
    real sum = 0;
    for (size_t j = 0; j < size; j++)
      sum += fabs(matrix->at[i][j]);
    norm = fmax(norm, sum);
  }
  return norm;
}

/* The entries of a matrix that are not 0, row by row: most are, and every term of the series goes through all. */
struct entries {
  size_t end[PLAIN_MAX]; /* of a row's */
  size_t column[PLAIN_MAX * PLAIN_MAX];
  real value[PLAIN_MAX * PLAIN_MAX];
};

static void list_entries(const struct plain_matrix *matrix, size_t size, struct entries *entries) {
  size_t count = 0;
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j < size; j++) {
      if (matrix->at[i][j] == 0) continue;
      entries->column[count] = j;
      entries->value[count++] = matrix->at[i][j];
    }
    entries->end[i] = count;
  }
}

void plain_flow(const struct plain_matrix *matrix, size_t size, real t, real *x) {
  enum { TERMS = 24 }; /* 0.5^24 / 24! is below 1e-30 */
  struct entries entries;
  const int pieces = (int)ceil(row_sum_norm(matrix, size) * fabs(t) / 0.5L);
  real over[TERMS + 1]; /* of a piece's length by k: divisions are slow */
  list_entries(matrix, size, &entries);
  for (int k = 1; k <= TERMS && pieces > 0; k++)
    over[k] = t / pieces / k;
  for (int piece = 0; piece < pieces; piece++) {
    real term[PLAIN_MAX], next[PLAIN_MAX];
    memcpy(term, x, size * sizeof *term);
    for (int k = 1, idle = 0; k <= TERMS && idle < 2; k++) { /* until two terms in a row change nothing */
      idle++;
      for (size_t i = 0, at = 0; i < size; i++) {
        next[i] = 0;
        for (; at < entries.end[i]; at++)
          next[i] += entries.value[at] * term[entries.column[at]];
      }
      for (size_t i = 0; i < size; i++) {
        const real before = x[i];
        term[i] = next[i] * over[k];
        x[i] += term[i];
        if (x[i] != before) idle = 0;
      }
    }
  }
}

/* ---- reading */

static void numbers(const struct cs_model *model, enum cs_matrix kind, const size_t *mode, const double *parameters,
                    double *values) {
  struct cs_error error;
  cr_assert_eq(cs_model_numbers(model, kind, mode, parameters, values, &error), CS_OK, "%s", error.message);
}

static void read_matrix(const struct cs_model *model, enum cs_matrix kind, const size_t *mode, const double *parameters,
                        size_t rows, size_t columns, struct plain_matrix *matrix) {
  double values[PLAIN_MAX * PLAIN_MAX];
  numbers(model, kind, mode, parameters, values);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      matrix->at[i][j] = values[i * columns + j];
}

static void read_vector(const struct cs_model *model, enum cs_matrix kind, const size_t *mode, const double *parameters,
                        size_t rows, real *vector) {
  double values[PLAIN_MAX];
  numbers(model, kind, mode, parameters, values);
  for (size_t i = 0; i < rows; i++)
    vector[i] = values[i];
}

/* S = (I - D L)^-1, column by column. */
static void invert_loop(struct plain_network *n) {
  struct plain_matrix loop = {{{0}}};
  for (size_t i = 0; i < n->outputs; i++) {
    for (size_t j = 0; j < n->outputs; j++) {
      loop.at[i][j] = i == j;
      for (size_t k = 0; k < n->inputs; k++)
        loop.at[i][j] -= n->D.at[i][k] * n->L.at[k][j];
    }
  }
  for (size_t j = 0; j < n->outputs; j++) {
    struct plain_matrix work = loop;
    real column[PLAIN_MAX] = {0};
    column[j] = 1;
    plain_solve(&work, n->outputs, column);
    for (size_t i = 0; i < n->outputs; i++)
      n->S.at[i][j] = column[i];
  }
}

/* Column `column` of Y, U and M: the response to state `column`, or to the constant 1 when it is `states`. */
static void exact_column(struct plain_network *n, size_t column) {
  int constant = column == n->states;
  real direct[PLAIN_MAX] = {0}, y[PLAIN_MAX] = {0}, u[PLAIN_MAX] = {0}, slope[PLAIN_MAX] = {0};
  for (size_t i = 0; i < n->outputs; i++)
    direct[i] = constant ? n->f[i] : n->C.at[i][column];
  if (constant) {
    plain_multiply_add(&n->D, n->outputs, n->inputs, n->b, direct);
    memcpy(u, n->b, sizeof u);
    memcpy(slope, n->e, sizeof slope);
  }
  plain_multiply_add(&n->S, n->outputs, n->outputs, direct, y);
  plain_multiply_add(&n->L, n->inputs, n->outputs, y, u);
  plain_multiply_add(&n->B, n->states, n->inputs, u, slope);
  for (size_t i = 0; i < n->outputs; i++)
    n->Y.at[i][column] = y[i];
  for (size_t i = 0; i < n->inputs; i++)
    n->U.at[i][column] = u[i];
  for (size_t i = 0; i < n->states; i++)
    n->M.at[i][column] = slope[i] + (constant ? 0 : n->A.at[i][column]);
}

void plain_network_read_modes(const struct cs_model *model, const size_t *mode, const double *parameters,
                              struct plain_network *network) {
  memset(network, 0, sizeof *network);
  size_t nx = network->states = model->states, nu = network->inputs = model->inputs,
         ny = network->outputs = model->outputs;
  cr_assert(nx + 4 <= PLAIN_MAX && nu <= PLAIN_MAX && ny <= PLAIN_MAX);
  network->model = model;
  network->monitors = model->monitors;
  cr_assert_leq(model->monitors, PLAIN_MAX);
  read_matrix(model, CS_A, mode, parameters, nx, nx, &network->A);
  read_matrix(model, CS_B, mode, parameters, nx, nu, &network->B);
  read_matrix(model, CS_C, mode, parameters, ny, nx, &network->C);
  read_matrix(model, CS_D, mode, parameters, ny, nu, &network->D);
  read_matrix(model, CS_L, mode, parameters, nu, ny, &network->L);
  read_matrix(model, CS_MX, mode, parameters, model->monitors, nx, &network->MX);
  read_matrix(model, CS_MU, mode, parameters, model->monitors, nu, &network->MU);
  read_matrix(model, CS_MY, mode, parameters, model->monitors, ny, &network->MY);
  read_vector(model, CS_MC, mode, parameters, model->monitors, network->mc);
  read_vector(model, CS_E, mode, parameters, nx, network->e);
  read_vector(model, CS_F, mode, parameters, ny, network->f);
  read_vector(model, CS_BIAS, mode, parameters, nu, network->b);
  read_vector(model, CS_X0, mode, parameters, nx, network->x0);
  if (model->events > 0) {
    cr_assert_leq(model->events, PLAIN_MAX);
    read_vector(model, CS_EVENT_TIME, mode, parameters, model->events, network->event_time);
    read_matrix(model, CS_EVENT_SET, mode, parameters, model->events, nx, &network->event_set);
    read_matrix(model, CS_EVENT_ADD, mode, parameters, model->events, nx, &network->event_add);
  }
  invert_loop(network);
  for (size_t column = 0; column <= nx; column++)
    exact_column(network, column);
}

void plain_network_read(const struct cs_model *model, const double *parameters, struct plain_network *network) {
  plain_network_read_modes(model, NULL, parameters, network);
}
