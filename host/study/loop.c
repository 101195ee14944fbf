#include "loop.h"

#include <math.h>

/* Sets `to` to |m| from; false if an entry is not finite. */
static bool multiply(const struct cs_entries *m, const double *parameters, const double *from, double *to) {
  struct cs_error error;
  double value;
  for (size_t i = 0; i < m->rows; i++)
    to[i] = 0.0;
  for (size_t i = 0; i < m->count; i++) {
    if (cs_expr_value(m->entry[i].expr, parameters, &value, &error) != CS_OK) return false;
    to[m->entry[i].row] += fabs(value) * from[m->entry[i].column];
  }
  return true;
}

/* The k-th root of the norm of the k-th power is never less than the radius. */
double cs_loop_gain(const struct cs_model *model, const double *parameters, double *room) {
  const size_t turns = model->outputs + 100;
  double *input = room, *output = room + model->inputs, logarithm = 0.0;
  for (size_t i = 0; i < model->outputs; i++)
    output[i] = 1.0;
  for (size_t k = 0; k < turns; k++) {
    double norm = 0.0;
    if (!multiply(&model->matrix[CS_L], parameters, output, input) ||
        !multiply(&model->matrix[CS_D], parameters, input, output))
      return NAN;
    for (size_t i = 0; i < model->outputs; i++)
      norm = fmax(norm, output[i]);
    if (norm == 0.0) return 0.0;
    logarithm += log(norm);
    for (size_t i = 0; i < model->outputs; i++)
      output[i] /= norm;
  }
  return exp(logarithm / (double)turns);
}
