/* Summary of a trace: its steps, and the time history of every signal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"

bool cs_digest_is_trace(const struct cs_table *table) {
  const struct cs_array *accepted = cs_table_find(table, "accepted"), *size = cs_table_find(table, "H");
  const struct cs_dimension *t = cs_table_find_dimension(table, "t");
  return accepted != NULL && accepted->type == CS_UINT8 && accepted->dimensions == 1 && size != NULL &&
         size->type == CS_FLOAT64 && size->count == accepted->count && t != NULL && t->values != NULL &&
         t->length == accepted->count;
}

static void take_steps(struct cs_digest_trace *t, const double *time, const uint8_t *accepted) {
  const struct cs_array *found = cs_table_find(t->table, "found");
  const bool known = found != NULL && found->type == CS_UINT8 && found->count == t->rows;
  const double *size = cs_table_find(t->table, "H")->data.float64;
  t->least = t->largest = t->least_at = t->largest_at = NAN;
  for (size_t row = 1; row < t->rows; row++) { /* row 0 is the start */
    if (!accepted[row]) {
      const bool given_up = known && found->data.uint8[row] != 0;
      t->given_up += given_up;
      t->rejected += !given_up;
      continue;
    }
    if (isnan(t->least) || size[row] < t->least) t->least = size[row], t->least_at = time[row];
    if (isnan(t->largest) || size[row] > t->largest) t->largest = size[row], t->largest_at = time[row];
    t->steps++;
    t->t_last = time[row];
  }
  t->mean = t->steps > 0 ? (t->t_last - t->t_first) / (double)t->steps : NAN;
}

static void take_course(const struct cs_digest_trace *t, const double *time, const uint8_t *accepted,
                        struct cs_digest_course *c) {
  const size_t inner = c->array->count / t->rows;
  c->end = c->largest = c->at = NAN;
  for (size_t row = 0; row < t->rows; row++) {
    const double value = c->array->data.float64[row * inner + (c->signals != NULL ? c->signal : 0)];
    if (isnan(value) || (row > 0 && !accepted[row])) continue;
    c->end = value;
    if (!isnan(c->largest) && fabs(value) <= c->largest) continue;
    c->largest = fabs(value);
    c->at = time[row];
  }
}

static bool has_courses(const struct cs_digest_trace *t, const struct cs_array *array) {
  static const char *const names[] = {"x",
                                      "y",
                                      "u",
                                      "state_error",
                                      "input_error",
                                      "output_error",
                                      "connection_defect",
                                      "output_defect",
                                      "eps",
                                      "local_error",
                                      "local_error_estimate",
                                      "monitor_value"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(array->name, names[i]) == 0)
      return array->type == CS_FLOAT64 && array->dimensions >= 1 && array->dimensions <= 2 &&
             array->count % t->rows == 0;
  return false;
}

int cs_digest_open_trace(const struct cs_table *table, struct cs_digest_trace *trace, struct cs_error *error) {
  struct cs_digest_trace *t = trace;
  const struct cs_array *accepted = cs_table_find(table, "accepted"), *status = cs_table_find(table, "status"),
                        *event = cs_table_find(table, "event");
  const double *time = cs_table_find_dimension(table, "t")->values;
  size_t room = 0;
  *t = (struct cs_digest_trace){.table = table, .rows = accepted->count, .t_first = time[0], .t_last = time[0]};
  if (status != NULL && status->type == CS_UINT8) t->status = status->data.uint8[t->rows - 1];
  for (size_t row = 0; event != NULL && event->type == CS_UINT8 && row < t->rows; row++)
    t->events += event->data.uint8[row] != 0;
  take_steps(t, time, accepted->data.uint8);
  for (size_t i = 0; i < table->arrays; i++)
    if (has_courses(t, &table->array[i])) room += table->array[i].count / t->rows;
  t->course = calloc(room + 1, sizeof *t->course);
  if (t->course == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *array = &table->array[i];
    const size_t inner = has_courses(t, array) ? array->count / t->rows : 0;
    for (size_t signal = 0; signal < inner; signal++) {
      struct cs_digest_course *c = &t->course[t->courses++];
      *c = (struct cs_digest_course){.array = array, .signal = signal};
      if (array->dimensions > 1) c->signals = &table->dimension[array->dimension[1]];
      take_course(t, time, accepted->data.uint8, c);
    }
  }
  return CS_OK;
}

void cs_digest_free_trace(struct cs_digest_trace *trace) {
  free(trace->course);
  *trace = (struct cs_digest_trace){0};
}
