/* Operating points of nonlinear models: the initial states, or the equilibrium that Newton's method reaches from them.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg.h"
#include "model.h"

enum { ROUNDS = 50, HALVINGS = 40 };

/* A step this small, beside what its state has been, is the last one: the next would be its square. States that stay
 * near 0 are measured by this part of the largest. */
#define LAST_STEP 1e-8
#define REST_SCALE 1e-4

struct operation {
  const struct cs_model *model;
  double *values, *x, *u; /* of the operating point; x and u behind the parameters */
  double *matrix[CS_BIAS + 1];
  double most;                                                    /* of scale */
  double *y, *slope, *before, *step, *scale, *m, *effect, *chain; /* effect, chain: [outputs][states] */
  struct cs_component *component;
};

static int operation_open(struct operation *o, const struct cs_model *model, double *values, struct cs_error *error) {
  const size_t nx = model->states, nu = model->inputs, ny = model->outputs;
  *o = (struct operation){
      .model = model, .values = values, .x = values + model->parameters, .u = values + model->parameters + nx};
  bool good = true;
  for (int m = 0; m <= CS_BIAS; m++) {
    o->matrix[m] = calloc(model->matrix[m].rows * model->matrix[m].columns + 1, sizeof(double));
    good = good && o->matrix[m] != NULL;
  }
  o->y = calloc(2 * ny + nu + 4 * nx + nx * nx + 2 * (ny + nu) * nx + 1, sizeof(double));
  o->slope = o->y + 2 * ny + nu;
  o->before = o->slope + nx;
  o->step = o->before + nx;
  o->scale = o->step + nx;
  o->m = o->scale + nx;
  o->effect = o->m + nx * nx;
  o->chain = o->effect + (ny + nu) * nx;
  return good && o->y != NULL ? cs_component_new(nx, &o->component, error) : cs_error_memory(error);
}

static void operation_close(struct operation *o) {
  for (int m = 0; m <= CS_BIAS; m++)
    free(o->matrix[m]);
  free(o->y);
  cs_component_free(o->component);
}

/* Of the matrices those up to CS_D are derivatives; the others, initial states, connections and constants, stay. */
static int read_matrices(struct operation *o, enum cs_matrix first, enum cs_matrix last, struct cs_error *error) {
  int code = CS_OK;
  for (int m = first; m <= (int)last && code == CS_OK; m++)
    code = cs_model_numbers(o->model, (enum cs_matrix)m, NULL, o->values, o->matrix[m], error);
  return code;
}

/* Adds the entries of a matrix whose rows belong to linear subsystems, times x, to y. */
static int add_linear(const struct cs_model *model, const double *values, enum cs_matrix matrix, const double *x,
                      double *y, struct cs_error *error) {
  const struct cs_entries *entries = &model->matrix[matrix];
  const struct cs_signal *signal = matrix == CS_A || matrix == CS_B || matrix == CS_E ? model->state : model->output;
  for (size_t i = 0; i < entries->count; i++) {
    const struct cs_entry *entry = &entries->entry[i];
    double value;
    if (model->subsystem[signal[entry->row].subsystem].nonlinear) continue;
    const int code = cs_expr_value(entry->expr, values, &value, error);
    if (code != CS_OK) return code;
    y[entry->row] += value * (x != NULL ? x[entry->column] : 1.0);
  }
  return CS_OK;
}

/* The equations of states, or of outputs, in y, with the parameters, states and inputs in `values`; 0 where one has no
 * value, which fails. */
static int evaluate(const struct cs_model *model, const double *values, bool output, double *y,
                    struct cs_error *error) {
  const double *x = values + model->parameters, *u = x + model->states;
  memset(y, 0, (output ? model->outputs : model->states) * sizeof *y);
  int code = add_linear(model, values, output ? CS_C : CS_A, x, y, error);
  if (code == CS_OK) code = add_linear(model, values, output ? CS_D : CS_B, u, y, error);
  if (code == CS_OK) code = add_linear(model, values, output ? CS_F : CS_E, NULL, y, error);
  for (size_t i = 0; i < model->equations; i++) {
    const struct cs_equation *equation = &model->equation[i];
    struct cs_error reason;
    if (equation->output != output) continue;
    const int good = cs_expr_value(equation->expr, values, &y[equation->row], &reason);
    if (good == CS_OK) continue;
    y[equation->row] = 0.0;
    if (code == CS_OK)
      code = cs_json_fail(model->json, equation->node, error, "%s at the operating point", reason.message);
  }
  return code;
}

/* Inputs and outputs for these states: outputs depend on each other in no loop, so that passing them on ends. */
static int exchange(struct operation *o, struct cs_error *error) {
  const size_t nu = o->model->inputs, ny = o->model->outputs;
  double *u = o->y + 2 * ny;
  memset(o->u, 0, nu * sizeof *u);
  for (size_t pass = 0; pass <= ny + 1; pass++) {
    const int code = evaluate(o->model, o->values, true, o->y, error);
    /* What later passes correct need not be finite: the value 0 of an input that is not known yet. */
    if (code != CS_OK && pass > o->model->subsystems) return code;
    memcpy(u, o->matrix[CS_BIAS], nu * sizeof *u);
    cs_linalg_add_product(nu, ny, 1, o->matrix[CS_L], o->y, u);
    if (code == CS_OK && memcmp(u, o->u, nu * sizeof *u) == 0) return CS_OK;
    memcpy(o->u, u, nu * sizeof *u);
  }
  return CS_OK;
}

static int find_slopes(struct operation *o, struct cs_error *error) {
  const int code = exchange(o, error);
  return code != CS_OK ? code : evaluate(o->model, o->values, false, o->slope, error);
}

/* The Jacobian A + B dU/dX of the coupled model. */
static int find_jacobian(struct operation *o, struct cs_error *error) {
  const size_t nx = o->model->states, nu = o->model->inputs, ny = o->model->outputs;
  double *const y = o->effect, *const u = o->effect + ny * nx, *const next = o->chain;
  const int code = read_matrices(o, CS_A, CS_D, error);
  if (code != CS_OK) return code;
  memcpy(y, o->matrix[CS_C], ny * nx * sizeof *y);
  for (size_t pass = 0; pass <= ny; pass++) {
    memset(u, 0, nu * nx * sizeof *u);
    cs_linalg_add_product(nu, ny, nx, o->matrix[CS_L], y, u);
    memcpy(next, o->matrix[CS_C], ny * nx * sizeof *y);
    cs_linalg_add_product(ny, nu, nx, o->matrix[CS_D], u, next);
    if (memcmp(next, y, ny * nx * sizeof *y) == 0) break;
    memcpy(y, next, ny * nx * sizeof *y);
  }
  memcpy(o->m, o->matrix[CS_A], nx * nx * sizeof *o->m);
  cs_linalg_add_product(nx, nu, nx, o->matrix[CS_B], u, o->m);
  return CS_OK;
}

static double norm_of(size_t n, const double *weight, const double *x) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++)
    sum += weight[i] * x[i] * weight[i] * x[i];
  return sqrt(sum);
}

/* Newton's step; CS_INPUT where the Jacobian is singular. */
static int find_step(struct operation *o, struct cs_error *error) {
  const size_t nx = o->model->states;
  double norm, inverse;
  int code = find_jacobian(o, error);
  if (code != CS_OK) return code;
  cs_component_find(o->component, nx, o->m);
  code = cs_linalg_solve(o->component, o->m, 1, o->slope, o->step, &norm, &inverse, error);
  if (code == CS_OK && !(norm * inverse <= 1.0 / CS_LINALG_SINGULAR))
    return cs_error_set(error, CS_INPUT,
                        "no equilibrium was found from the initial states: the Jacobian is singular, so that there is "
                        "none or many beside each other");
  return code;
}

static double size_of(const struct operation *o, size_t state) {
  return fmax(o->scale[state], REST_SCALE * o->most);
}

static void remember_sizes(struct operation *o, const double *of) {
  for (size_t i = 0; i < o->model->states; i++) {
    o->scale[i] = fmax(o->scale[i], fabs(of[i]));
    o->most = fmax(o->most, o->scale[i]);
  }
}

/* Whether a step is the last one; remembers the sizes of states. */
static bool is_last(struct operation *o) {
  bool last = true;
  remember_sizes(o, o->x);
  for (size_t i = 0; i < o->model->states; i++)
    last = last && fabs(o->step[i]) <= LAST_STEP * size_of(o, i);
  remember_sizes(o, o->step);
  return last;
}

/* Goes along the step, or a part of it that brings the slopes down; false: none does. */
static bool advance(struct operation *o, bool last) {
  const size_t nx = o->model->states;
  double *const weight = o->chain; /* rows of the Jacobian, of any unit, count alike */
  struct cs_error ignored;
  for (size_t i = 0; i < nx; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < nx; j++)
      sum += fabs(o->m[i * nx + j]) * fmax(size_of(o, j), DBL_MIN);
    weight[i] = sum > 0.0 ? 1.0 / sum : 1.0;
  }
  const double from = norm_of(nx, weight, o->slope);
  memcpy(o->before, o->x, nx * sizeof *o->x);
  double part = 1.0;
  for (size_t halving = 0; halving < HALVINGS; halving++, part /= 2.0) {
    for (size_t i = 0; i < nx; i++)
      o->x[i] = o->before[i] - part * o->step[i];
    if (find_slopes(o, &ignored) == CS_OK && (norm_of(nx, weight, o->slope) < from || last)) return true;
  }
  return false;
}

static bool is_rest(const struct operation *o) {
  for (size_t i = 0; i < o->model->states; i++)
    if (o->slope[i] != 0.0) return false;
  return true;
}

static int find_equilibrium(struct operation *o, struct cs_error *error) {
  bool last = false;
  for (size_t round = 0; round < ROUNDS && !last && !is_rest(o); round++) {
    const int code = find_step(o, error);
    if (code != CS_OK) return code;
    last = is_last(o);
    if (!advance(o, last)) break;
  }
  if (last || is_rest(o)) return CS_OK;
  return cs_error_set(error, CS_INPUT,
                      "no equilibrium was found from the initial states within %d rounds of Newton's method", ROUNDS);
}

const char *cs_model_linearised(bool initial) {
  return initial ? "at the initial states" : "at the equilibrium that is reached from the initial states";
}

int cs_model_operate(const struct cs_model *model, bool initial, double *values, struct cs_error *error) {
  struct operation o;
  if (model->equations == 0) return CS_OK;
  int code = operation_open(&o, model, values, error);
  if (code == CS_OK) code = read_matrices(&o, CS_E, CS_BIAS, error);
  if (code == CS_OK) {
    memcpy(o.x, o.matrix[CS_X0], model->states * sizeof *o.x);
    code = find_slopes(&o, error);
  }
  if (code == CS_OK && !initial) code = find_equilibrium(&o, error);
  operation_close(&o);
  return code;
}

int cs_model_slopes(const struct cs_model *model, const double *values, double *slope, struct cs_error *error) {
  return evaluate(model, values, false, slope, error);
}
