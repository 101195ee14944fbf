#include "numbers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Which parameters the entries of matrix m use, and whether modes choose between them. */
static bool find_uses(struct cs_numbers *all, int m) {
  const struct cs_entries *entries = &all->model->matrix[m];
  bool *uses = calloc(all->model->values + 1, sizeof *uses);
  all->matrix[m].uses = uses;
  all->matrix[m].numbers = calloc(entries->rows * entries->columns + 1, sizeof *all->matrix[m].numbers);
  for (size_t i = 0; uses != NULL && i < entries->count; i++) {
    all->matrix[m].moded |= entries->entry[i].mode >= 0;
    for (size_t p = 0; p < all->model->values; p++)
      uses[p] |= cs_expr_uses(entries->entry[i].expr, p);
  }
  return uses != NULL && all->matrix[m].numbers != NULL;
}

int cs_numbers_new(const struct cs_model *model, struct cs_numbers **numbers, struct cs_error *error) {
  struct cs_numbers *all = calloc(1, sizeof *all);
  *numbers = all;
  if (all == NULL) return cs_error_memory(error);
  all->model = model;
  all->parameters = calloc(model->values + 1, sizeof *all->parameters);
  all->before = calloc(model->values + 1, sizeof *all->before);
  bool good = all->parameters != NULL && all->before != NULL;
  for (int m = 0; m < CS_MATRICES; m++)
    good = good && find_uses(all, m);
  if (good) return CS_OK;
  cs_numbers_free(all);
  *numbers = NULL;
  return cs_error_memory(error);
}

void cs_numbers_free(struct cs_numbers *all) {
  if (all == NULL) return;
  for (int m = 0; m < CS_MATRICES; m++) {
    free(all->matrix[m].numbers);
    free(all->matrix[m].uses);
  }
  free(all->parameters);
  free(all->before);
  free(all);
}

/* Marks the matrices that are not those of the last set. */
static void find_changed(struct cs_numbers *all) {
  for (int m = 0; m < CS_MATRICES; m++)
    all->matrix[m].changed = !all->fresh || all->matrix[m].moded;
  for (size_t p = 0; all->fresh && p < all->model->values; p++) {
    if (all->parameters[p] == all->before[p]) continue;
    for (int m = 0; m < CS_MATRICES; m++)
      all->matrix[m].changed |= all->matrix[m].uses[p];
  }
}

int cs_numbers_find(struct cs_numbers *all, const double *overrides, const unsigned char *given, const size_t *mode,
                    struct cs_error *error) {
  int code = cs_model_parameters(all->model, overrides, given, all->parameters, error);
  if (code == CS_OK) code = cs_model_operate(all->model, all->initial, all->parameters, error);
  if (code != CS_OK) return code;
  find_changed(all);
  for (int m = 0; m < CS_MATRICES && code == CS_OK; m++)
    if (all->matrix[m].changed)
      code = cs_model_numbers(all->model, (enum cs_matrix)m, mode, all->parameters, all->matrix[m].numbers, error);
  memcpy(all->before, all->parameters, all->model->values * sizeof *all->before);
  all->fresh = code == CS_OK;
  return code;
}

/* Whether a row of one of the matrices is 0 but for a 1 in column `one`; SIZE_MAX: all of it is 0. */
static bool is_unit(const struct cs_numbers *all, enum cs_matrix matrix, size_t row, size_t one) {
  const size_t columns = all->model->matrix[matrix].columns;
  for (size_t j = 0; j < columns; j++)
    if (all->matrix[matrix].numbers[row * columns + j] != (j == one ? 1.0 : 0.0)) return false;
  return true;
}

bool cs_numbers_act(const struct cs_numbers *all, size_t event) {
  const struct cs_model *model = all->model;
  const struct cs_event *e = &model->event[event];
  for (size_t s = 0; s < model->subsystems; s++)
    if (e->to[s] >= 0) return true;
  for (size_t c = e->first_change; c < e->first_change + e->changes; c++) {
    const struct cs_change *change = &model->change[c];
    const enum cs_matrix constants = change->adds ? CS_EVENT_ADD : CS_EVENT_SET;
    if (all->matrix[constants].numbers[event * model->states + change->state] != 0.0 ||
        !is_unit(all, CS_CHANGE_X, c, change->adds ? SIZE_MAX : change->state) ||
        !is_unit(all, CS_CHANGE_U, c, SIZE_MAX) || !is_unit(all, CS_CHANGE_Y, c, SIZE_MAX))
      return true;
  }
  return false;
}
