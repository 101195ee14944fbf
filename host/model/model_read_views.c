/* What events must fulfil together: few configurations, and views of one event that the exact solution, where u = L y +
 * b, gives the same values. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "configurations.h"
#include "linalg.h"
#include "model_read.h"
#include "views.h"

/* The network in one configuration: y = Y r, u = U r with r = (x, 1), and conditions as rows over r. */
struct views {
  const struct cs_model *model;
  size_t r; /* states + 1 */
  double *parameters;
  double *matrix[CS_MATRICES];
  double *loop, *y, *u; /* I - D L; [outputs][r], [inputs][r] */
  struct cs_component *component;
  double *row; /* [conditions][r] */
};

static int views_open(struct views *v, const struct cs_model *model, struct cs_error *error) {
  bool good = true;
  *v = (struct views){.model = model, .r = model->states + 1};
  for (int m = 0; m < CS_MATRICES; m++) {
    v->matrix[m] = calloc(model->matrix[m].rows * model->matrix[m].columns + 1, sizeof(double));
    good = good && v->matrix[m] != NULL;
  }
  v->parameters = calloc(model->parameters + 1, sizeof *v->parameters);
  v->loop = calloc(2 * model->outputs * model->outputs + 1, sizeof *v->loop);
  v->y = calloc(2 * model->outputs * v->r + 1, sizeof *v->y);
  v->u = calloc(model->inputs * v->r + 1, sizeof *v->u);
  v->row = calloc(model->conditions * v->r + 1, sizeof *v->row);
  good = good && v->parameters != NULL && v->loop != NULL && v->y != NULL && v->u != NULL && v->row != NULL;
  return good ? cs_component_new(model->outputs, &v->component, error) : cs_error_memory(error);
}

static void views_close(struct views *v) {
  for (int m = 0; m < CS_MATRICES; m++)
    free(v->matrix[m]);
  free(v->parameters);
  free(v->loop);
  free(v->y);
  free(v->u);
  free(v->row);
  cs_component_free(v->component);
}

static int views_evaluate(struct views *v, const size_t *mode, struct cs_error *error) {
  int code = cs_model_parameters(v->model, NULL, NULL, v->parameters, error);
  for (int m = 0; m < CS_MATRICES && code == CS_OK; m++)
    code = cs_model_numbers(v->model, (enum cs_matrix)m, mode, v->parameters, v->matrix[m], error);
  return code;
}

/* Y = (I - D L)^-1 (C, D b + f) and U = (L Y, + b); *solved: the loop is not singular. */
static int views_solve(struct views *v, bool *solved, struct cs_error *error) {
  const size_t ny = v->model->outputs, nu = v->model->inputs, nx = v->model->states;
  double *const gain = v->y + ny * v->r, *const product = v->loop + ny * ny;
  double norm, inverse;
  memset(product, 0, ny * ny * sizeof *product);
  cs_linalg_add_product(ny, nu, ny, v->matrix[CS_D], v->matrix[CS_L], product);
  for (size_t i = 0; i < ny * ny; i++)
    v->loop[i] = (i % (ny + 1) == 0 ? 1.0 : 0.0) - product[i];
  for (size_t i = 0; i < ny; i++) {
    for (size_t j = 0; j < nx; j++)
      gain[i * v->r + j] = v->matrix[CS_C][i * nx + j];
    gain[i * v->r + nx] = v->matrix[CS_F][i];
    for (size_t j = 0; j < nu; j++)
      gain[i * v->r + nx] += v->matrix[CS_D][i * nu + j] * v->matrix[CS_BIAS][j];
  }
  cs_component_find(v->component, ny, v->loop);
  const int code = cs_linalg_solve(v->component, v->loop, v->r, gain, v->y, &norm, &inverse, error);
  *solved = fmax(norm, 1.0) * inverse < 1e13;
  memset(v->u, 0, nu * v->r * sizeof *v->u);
  for (size_t i = 0; i < nu; i++)
    v->u[i * v->r + nx] = v->matrix[CS_BIAS][i];
  cs_linalg_add_product(nu, ny, v->r, v->matrix[CS_L], v->y, v->u);
  return code;
}

/* Conditions as rows over r, those above their bound and those below it with the same direction. */
static void views_rows(struct views *v) {
  const struct cs_model *m = v->model;
  memset(v->row, 0, m->conditions * v->r * sizeof *v->row);
  cs_linalg_add_product(m->conditions, m->inputs, v->r, v->matrix[CS_WHEN_U], v->u, v->row);
  cs_linalg_add_product(m->conditions, m->outputs, v->r, v->matrix[CS_WHEN_Y], v->y, v->row);
  for (size_t i = 0; i < m->conditions; i++) {
    for (size_t j = 0; j < m->states; j++)
      v->row[i * v->r + j] += v->matrix[CS_WHEN_X][i * m->states + j];
    v->row[i * v->r + m->states] -= v->matrix[CS_WHEN_BOUND][i];
    for (size_t j = 0; j < v->r && !m->condition[i].above; j++)
      v->row[i * v->r + j] *= -1.0;
  }
}

/* The views of one event, all against the first one; `rows`: whether their values are known. */
static int check_views(const struct cs_reader *reader, const struct views *v, size_t e, bool rows) {
  const struct cs_model *model = reader->model;
  const struct cs_event *event = &model->event[e];
  const size_t first = event->first_condition, end = first + event->conditions, next = cs_views_end(model, first, end);
  const struct cs_node *list = cs_json_get(cs_json_root(reader->json), "events");
  const struct cs_node *when = cs_json_get(cs_json_at(list, e), "when");
  struct cs_views_gap gap;
  for (size_t from = next, to; from < end; from = to) {
    to = cs_views_end(model, from, end);
    if (to - from != next - first)
      return cs_json_fail(reader->json, when, reader->error,
                          "the views of %s and %s have %zu and %zu conditions; want as many in each",
                          model->subsystem[model->condition[first].subsystem].name,
                          model->subsystem[model->condition[from].subsystem].name, next - first, to - from);
  }
  if (!rows || !cs_views_differ(model, e, v->row, &gap)) return CS_OK;
  return cs_json_fail(reader->json, when, reader->error,
                      "the views of %s and %s differ in condition %zu: the exact solution gives them different values; "
                      "want the same",
                      gap.one, gap.other, gap.condition);
}

/* Views are compared where their event can happen alone, their lengths anywhere. */
static int check_configuration(const struct cs_reader *reader, struct views *v, const struct cs_configurations *all,
                               size_t index) {
  bool rows = false;
  int code = views_evaluate(v, all->mode + index * all->subsystems, reader->error);
  if (code == CS_OK) code = views_solve(v, &rows, reader->error);
  if (rows) views_rows(v);
  for (size_t e = 0; e < reader->model->events && code == CS_OK; e++)
    code = check_views(reader, v, e, rows && cs_configurations_after(all, reader->model, index, e) != SIZE_MAX);
  return code;
}

static int check_count(const struct cs_reader *reader, const struct cs_configurations *all) {
  const struct cs_node *list = cs_json_get(cs_json_root(reader->json), "subsystems");
  size_t s = 0;
  if (all->count <= CS_CONFIGURATIONS_MOST) return CS_OK;
  while (reader->model->subsystem[s].modes == 0)
    s++;
  return cs_json_fail(reader->json, cs_json_get(cs_json_at(list, s), "modes"), reader->error,
                      "events lead to %s%zu configurations of modes; want at most %d",
                      all->count >= CS_CONFIGURATIONS_ENOUGH ? "at least " : "", all->count, CS_CONFIGURATIONS_MOST);
}

int cs_model_read_views(const struct cs_reader *reader) {
  struct cs_configurations all = {0};
  struct views views;
  if (reader->model->conditions == 0 && reader->model->modes == 0) return CS_OK;
  int code = views_open(&views, reader->model, reader->error);
  if (code == CS_OK) code = cs_configurations_find(reader->model, NULL, 0, &all, reader->error);
  if (code == CS_OK) code = check_count(reader, &all);
  for (size_t i = 0; i < all.count && code == CS_OK; i++)
    code = check_configuration(reader, &views, &all, i);
  cs_configurations_free(&all);
  views_close(&views);
  return code;
}
