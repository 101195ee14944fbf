#include "window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shard.h"

/* Bytes that the plan of a window may take, unless an eighth of what the user allows is less. While a window is
 * computed there are two plans, its own and the next one's. */
#define PLAN_BYTES ((size_t)64 << 20)

/* In the two plans. Of a run: its numbers, its key while it is sorted, its place in the order. Of a set of parameters:
 * what is known of it, and its place in the index of sets. */
enum { RUN_BYTES = 320, SET_BYTES = 96, MOST_RUNS = 1 << 20, LEAST_RUNS = 1 << 12 };

/* A bound of what the sets of parameters of so many runs take: entries of matrices, and of those made of them, dense.
 */
static double set_bytes(const struct cs_sweep *sweep, size_t runs) {
  const struct cs_model *m = sweep->model;
  const double exact = (double)m->states + 1.0, outputs = (double)m->outputs;
  double numbers =
      exact * exact + outputs * exact + outputs * outputs + (double)(m->states + m->monitors + m->parameters);
  for (int i = 0; i < CS_MATRICES; i++)
    numbers += (double)m->matrix[i].count;
  double each = numbers * sizeof(double) + SET_BYTES;
  for (size_t s = 0; s < m->subsystems; s++)
    each *= fmax(1.0, (double)m->subsystem[s].modes);
  return each * fmin(cs_sweep_sets(sweep), (double)runs);
}

double cs_window_bytes(const struct cs_sweep *sweep, size_t runs) {
  return (double)runs * RUN_BYTES + set_bytes(sweep, runs);
}

size_t cs_window_runs(const struct cs_sweep *sweep, const struct cs_engine_options *options) {
  if (options->window > 0) return options->window < sweep->runs ? options->window : sweep->runs;
  const size_t bytes = options->memory > 0 && options->memory / 8 < PLAN_BYTES ? options->memory / 8 : PLAN_BYTES;
  const size_t block = cs_shard_block(sweep->runs, 1);
  size_t runs = MOST_RUNS;
  while (runs > LEAST_RUNS && runs > block && cs_window_bytes(sweep, runs) > (double)bytes)
    runs /= 2;
  return runs < sweep->runs ? runs : sweep->runs;
}

/* Whether an array has items for every run. */
static bool is_of_runs(const struct cs_array *array, size_t axes) {
  if (array->type == CS_TEXT || array->dimensions < axes) return false;
  for (size_t i = 0; i < axes; i++)
    if (array->dimension[i] != i) return false;
  return true;
}

/* Items of its own. */
static bool allocate(struct cs_array *array) {
  const size_t size = cs_table_item_size(array->type);
  array->data.uint8 = calloc(array->count, size);
  for (size_t i = 0; array->data.uint8 != NULL && array->type == CS_FLOAT64 && i < array->count; i++)
    array->data.float64[i] = NAN;
  return array->data.uint8 != NULL;
}

int cs_window_open(const struct cs_sweep *sweep, const struct cs_table *table, size_t first, size_t runs, bool apart,
                   struct cs_window *w, struct cs_error *error) {
  *w = (struct cs_window){.sweep = cs_sweep_part(sweep, first, runs), .owns = apart || table->home != CS_IN_MEMORY};
  w->table.array = calloc(table->arrays + 1, sizeof *w->table.array);
  if (w->table.array == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < table->arrays; i++) {
    if (!is_of_runs(&table->array[i], sweep->axes)) continue;
    struct cs_array *array = &w->table.array[w->table.arrays++];
    *array = table->array[i];
    const size_t inner = array->count / sweep->runs;
    array->count = inner * runs;
    array->lazy = NULL;
    if (!w->owns) array->data.uint8 += first * inner * cs_table_item_size(array->type);
    if (w->owns && !allocate(array)) {
      cs_window_close(w);
      return cs_error_memory(error);
    }
  }
  return CS_OK;
}

int cs_window_keep(const struct cs_window *w, struct cs_table *table, size_t first, struct cs_error *error) {
  int code = CS_OK;
  if (table->home != CS_IN_FILE) return CS_OK;
  for (size_t i = 0; i < w->table.arrays && code == CS_OK; i++) {
    const struct cs_array *own = &w->table.array[i];
    const size_t inner = own->count / w->sweep.runs;
    code = cs_table_put(table, cs_table_find(table, own->name), first * inner, own->data.uint8, own->count, error);
  }
  return code;
}

void cs_window_close(struct cs_window *w) {
  for (size_t i = 0; w->owns && i < w->table.arrays; i++)
    free(w->table.array[i].data.uint8);
  free(w->table.array);
  *w = (struct cs_window){0};
}
