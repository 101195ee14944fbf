#include "wiring.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linalg.h"
#include "links.h"

const char *cs_wiring_name(const struct cs_signal *signal) {
  return strchr(signal->name, '.') + 1;
}

const char *cs_wiring_unit(const struct cs_wiring *wiring, const struct cs_wire *wire) {
  const struct cs_model *model = wiring->model;
  const bool known = wire->from != SIZE_MAX && model->output[wire->from].unit[0] != '\0';
  return known ? model->output[wire->from].unit : model->input[wire->input].unit;
}

double cs_wiring_by_state(const struct cs_wiring *wiring, enum cs_matrix matrix, size_t row, size_t state) {
  return wiring->number[matrix][row * wiring->model->states + state];
}

double cs_wiring_by_wire(const struct cs_wiring *wiring, enum cs_matrix matrix, size_t row, size_t wire) {
  const struct cs_wire *w = &wiring->wire[wire];
  return wiring->number[matrix][row * wiring->model->inputs + w->input] * w->gain;
}

/* ---- numbers */

static int read_numbers(const double *parameters, struct cs_wiring *wiring, struct cs_error *error) {
  static const enum cs_matrix wanted[] = {CS_A, CS_B, CS_C, CS_D, CS_E, CS_F, CS_X0, CS_BIAS};
  int code = CS_OK;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted && code == CS_OK; i++) {
    const struct cs_entries *entries = &wiring->model->matrix[wanted[i]];
    double *number = calloc(entries->rows * entries->columns + 1, sizeof *number);
    wiring->number[wanted[i]] = number;
    code = number == NULL ? cs_error_memory(error)
                          : cs_model_numbers(wiring->model, wanted[i], NULL, parameters, number, error);
  }
  return code;
}

/* The constant at an input that connections reach as well goes into e and f. */
static void add_constant(struct cs_wiring *wiring, size_t input) {
  const struct cs_model *model = wiring->model;
  const double value = wiring->number[CS_BIAS][input];
  for (size_t i = 0; i < model->states; i++)
    wiring->number[CS_E][i] += wiring->number[CS_B][i * model->inputs + input] * value;
  for (size_t i = 0; i < model->outputs; i++)
    wiring->number[CS_F][i] += wiring->number[CS_D][i * model->inputs + input] * value;
}

/* ---- wires */

static int add_wires(struct cs_wiring *wiring, const struct cs_link *link, size_t links, size_t input,
                     struct cs_error *error) {
  const struct cs_signal *signal = &wiring->model->input[input];
  const double constant = wiring->number[CS_BIAS][input];
  struct cs_wire *first = &wiring->wire[wiring->wires];
  size_t count = 0;
  bool failed = false;
  for (size_t i = 0; i < links; i++)
    if (link[i].to == input && link[i].gain != 0.0)
      first[count++] = (struct cs_wire){.input = input, .from = link[i].from, .gain = link[i].gain};
  const bool connected = count > 0, one = count == 1 && first->gain == 1.0;
  if (connected)
    add_constant(wiring, input);
  else
    first[count++] = (struct cs_wire){.input = input, .from = SIZE_MAX, .gain = 1.0, .start = constant};
  for (size_t i = 0; i < count; i++) {
    cs_text_add(&first[i].name, "u.%s", cs_wiring_name(signal));
    if (connected && !one) cs_text_add(&first[i].name, ".%zu", i + 1);
    failed = failed || first[i].name.failed;
  }
  wiring->wires += count;
  return failed ? cs_error_memory(error) : CS_OK;
}

static int read_wires(const double *parameters, struct cs_wiring *wiring, struct cs_error *error) {
  const struct cs_model *model = wiring->model;
  struct cs_link *link = calloc(cs_links_room(model) + 1, sizeof *link);
  size_t links = 0;
  wiring->wire = calloc(cs_links_room(model) + model->inputs + 1, sizeof *wiring->wire);
  wiring->first = calloc(model->subsystems + 1, sizeof *wiring->first);
  int code = link == NULL || wiring->wire == NULL || wiring->first == NULL
                 ? cs_error_memory(error)
                 : cs_links_read(model, parameters, link, &links, error);
  for (size_t s = 0; s < model->subsystems && code == CS_OK; s++) {
    const struct cs_subsystem *subsystem = &model->subsystem[s];
    for (size_t i = 0; i < subsystem->inputs && code == CS_OK; i++)
      code = add_wires(wiring, link, links, subsystem->first_input + i, error);
    wiring->first[s + 1] = wiring->wires;
  }
  free(link);
  return code;
}

/* ---- the step size */

/* The largest |lambda| of a subsystem, 1/s. */
static int find_fastest(const struct cs_wiring *wiring, double *fastest, struct cs_error *error) {
  const size_t n = wiring->model->states;
  double *a = malloc((n * n + 2 * n + 1) * sizeof *a);
  if (a == NULL) return cs_error_memory(error);
  memcpy(a, wiring->number[CS_A], n * n * sizeof *a); /* the stacked matrix is block diagonal */
  const int code = n > 0 ? cs_linalg_eigenvalues(n, a, a + n * n, a + n * n + n, error) : CS_OK;
  for (size_t i = 0; i < n && code == CS_OK; i++)
    *fastest = fmax(*fastest, hypot(a[n * n + i], a[n * n + n + i]));
  free(a);
  return code;
}

static int choose_step(struct cs_wiring *wiring, double step, struct cs_error *error) {
  double fastest = 0.0;
  int code = CS_OK;
  wiring->step = step;
  if (step > 0.0) return CS_OK;
  code = find_fastest(wiring, &fastest, error);
  wiring->step = 0.01;
  if (code == CS_OK && fastest > 0.0) {
    const double wanted = 0.1 / fastest, decade = floor(log10(wanted)), power = pow(10.0, fabs(decade));
    wiring->step = decade < 0.0 ? floor(wanted * power) / power : floor(wanted / power) * power;
  }
  return code;
}

/* ---- the whole */

int cs_wiring_open(const struct cs_model *model, double step, struct cs_wiring *wiring, struct cs_error *error) {
  *wiring = (struct cs_wiring){.model = model};
  if (model->events > 0 || model->modes > 0)
    return cs_json_fail(model->json,
                        cs_json_get(cs_json_root(model->json), model->events > 0 ? "events" : "subsystems"), error,
                        "FMUs have no events and no modes; want a model without");
  if (model->equations > 0)
    return cs_json_fail(model->json, model->equation[0].node, error,
                        "not linear, and FMUs are written of linear models; want a linear equation");
  double *parameters = calloc(model->parameters + 1, sizeof *parameters);
  int code = parameters == NULL ? cs_error_memory(error) : cs_model_parameters(model, NULL, NULL, parameters, error);
  if (code == CS_OK) code = read_numbers(parameters, wiring, error);
  if (code == CS_OK) code = read_wires(parameters, wiring, error);
  if (code == CS_OK) code = choose_step(wiring, step, error);
  free(parameters);
  return code;
}

void cs_wiring_close(struct cs_wiring *wiring) {
  for (size_t i = 0; i < CS_WIRING_NUMBERS; i++)
    free(wiring->number[i]);
  for (size_t i = 0; i < wiring->wires; i++)
    cs_text_free(&wiring->wire[i].name);
  free(wiring->wire);
  free(wiring->first);
  *wiring = (struct cs_wiring){0};
}
