#include "occurrences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "result.h"
#include "text.h"

enum { QUEUE = 8 }; /* as in kernels/vary/matching.clh */

static size_t items_of(const struct cs_layout *l) {
  return CS_OCCURRENCE_ITEMS + 2 * l->dims.states;
}

static int take_one(struct cs_occurrences *all, size_t items, const double *from, struct cs_error *error) {
  if (all->count == all->room) {
    const size_t room = 2 * all->room + 16;
    if (!cs_list_reserve(&all->item, room, items * sizeof *all->item)) return cs_error_memory(error);
    all->room = room;
  }
  memcpy(all->item + all->count++ * items, from, items * sizeof *from);
  return CS_OK;
}

int cs_occurrences_take(struct cs_occurrences *all, const struct cs_layout *l, const double *row, bool start,
                        struct cs_error *error) {
  const double *from = row + cs_record_place(l, CS_RECORD_OCCURRENCES);
  const size_t happened = (size_t)*from++, items = items_of(l);
  const size_t count = happened < CS_OCCURRENCES_MOST ? happened : CS_OCCURRENCES_MOST;
  int code = CS_OK;
  all->left_out += happened - count;
  for (size_t i = 0; i < count && code == CS_OK; i++, from += items) {
    code = take_one(all, items, from, error);
    if (code != CS_OK || !start) continue;
    code = take_one(all, items, from, error);
    if (code == CS_OK) all->item[(all->count - 1) * items + CS_OCCURRENCE_EXACT] = 0.0;
  }
  return code;
}

void cs_occurrences_free(struct cs_occurrences *all) {
  free(all->item);
}

/* ---- partners ---------------------------------------------------------------------------------------------------- */

/* Occurrences of one event that wait for a partner, of one solution. */
struct queue {
  size_t count, at[QUEUE];
  bool exact;
};

static void pop(struct queue *q) {
  memmove(q->at, q->at + 1, --q->count * sizeof *q->at);
}

/* Number i of all, of the event that the queue belongs to (docs/methods.md section 9). */
static void match(struct queue *q, const double *item, size_t items, size_t i, double window, int64_t *partner) {
  const double *own = item + i * items;
  const bool exact = own[CS_OCCURRENCE_EXACT] > 0.0;
  while (q->count > 0 && q->exact != exact) {
    const size_t other = q->at[0];
    const double apart = own[CS_OCCURRENCE_TIME] - item[other * items + CS_OCCURRENCE_TIME];
    if (apart < -window) return;
    pop(q);
    if (apart > window) continue;
    partner[i] = (int64_t)other;
    partner[other] = (int64_t)i;
    return;
  }
  if (q->count == QUEUE) pop(q);
  q->at[q->count++] = i;
  q->exact = exact;
}

static int find_partners(const struct cs_occurrences *all, const struct cs_layout *l, double window, int64_t *partner,
                         struct cs_error *error) {
  const size_t items = items_of(l);
  struct queue *queue = calloc(l->model->events, sizeof *queue);
  if (queue == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < all->count; i++)
    partner[i] = -1;
  for (size_t i = 0; i < all->count; i++) {
    const size_t event = (size_t)all->item[i * items + CS_OCCURRENCE_EVENT];
    if (!l->model->event[event].timed) match(&queue[event], all->item, items, i, window, partner);
  }
  free(queue);
  return CS_OK;
}

/* In the order of time, events of the exact solution first: few are out of place. */
static int sort(struct cs_occurrences *all, size_t items, struct cs_error *error) {
  double *one = malloc(items * sizeof *one);
  if (one == NULL) return cs_error_memory(error);
  for (size_t i = 1; i < all->count; i++) {
    size_t to = i;
    memcpy(one, all->item + i * items, items * sizeof *one);
    for (; to > 0; to--) {
      const double *before = all->item + (to - 1) * items;
      const double apart = before[CS_OCCURRENCE_TIME] - one[CS_OCCURRENCE_TIME];
      if (apart < 0.0 || (apart == 0.0 && before[CS_OCCURRENCE_EXACT] >= one[CS_OCCURRENCE_EXACT])) break;
      memcpy(all->item + to * items, before, items * sizeof *one);
    }
    memcpy(all->item + to * items, one, items * sizeof *one);
  }
  free(one);
  return CS_OK;
}

/* ---- the group --------------------------------------------------------------------------------------------------- */

static int add_dimensions(const struct cs_occurrences *all, const struct cs_model *m, struct cs_table *group,
                          struct cs_error *error) {
  size_t index;
  int code = cs_table_add_numbers(group, "occurrence", "event that happened", all->count, &index, error);
  if (code != CS_OK) return code;
  group->dimension[index].unlimited = 1;
  return cs_result_add_signals(m, CS_OVER_STATE, group, &index, error);
}

static int add_names(const struct cs_occurrences *all, const struct cs_layout *l, struct cs_table *group,
                     struct cs_error *error) {
  const size_t over = 0, items = items_of(l);
  struct cs_array *array;
  int code = cs_table_add_array(group, "event_name", "", "the event", CS_TEXT, 1, &over, &array, error);
  for (size_t i = 0; i < all->count && code == CS_OK; i++) {
    const size_t event = (size_t)all->item[i * items + CS_OCCURRENCE_EVENT];
    if ((array->data.text[i] = cs_text_copy(l->model->event[event].name)) == NULL) code = cs_error_memory(error);
  }
  return code;
}

/* One number of every occurrence, of type int64 or, for the time, float64. */
static int add_numbers(const struct cs_occurrences *all, size_t items, enum cs_occurrence_item item, const char *name,
                       const char *sentence, struct cs_table *group, struct cs_error *error) {
  const size_t over = 0;
  const bool time = item == CS_OCCURRENCE_TIME;
  struct cs_array *array;
  const int code = cs_table_add_array(group, name, time ? "s" : "1", sentence, time ? CS_FLOAT64 : CS_INT64, 1, &over,
                                      &array, error);
  for (size_t i = 0; i < all->count && code == CS_OK; i++) {
    const double value = all->item[i * items + item];
    if (time)
      array->data.float64[i] = value;
    else
      array->data.int64[i] = (int64_t)value;
  }
  return code;
}

static int add_flags(const struct cs_occurrences *all, size_t items, enum cs_occurrence_item item, const char *name,
                     const char *sentence, const char *flags, struct cs_table *group, struct cs_error *error) {
  const size_t over = 0;
  struct cs_array *array;
  const int code = cs_table_add_array(group, name, "1", sentence, CS_UINT8, 1, &over, &array, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < all->count; i++)
    array->data.uint8[i] = (uint8_t)all->item[i * items + item];
  array->flag_meanings = cs_text_copy(flags);
  return array->flag_meanings != NULL ? CS_OK : cs_error_memory(error);
}

/* Which of them were at a given time: they have no partners. */
static int add_timed(const struct cs_occurrences *all, const struct cs_layout *l, struct cs_table *group,
                     struct cs_error *error) {
  const size_t over = 0, items = items_of(l);
  struct cs_array *array;
  const int code =
      cs_table_add_array(group, "timed", "1", "whether the event has a given time", CS_UINT8, 1, &over, &array, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < all->count; i++)
    array->data.uint8[i] = l->model->event[(size_t)all->item[i * items + CS_OCCURRENCE_EVENT]].timed;
  array->flag_meanings = cs_text_copy("state_event time_event");
  return array->flag_meanings != NULL ? CS_OK : cs_error_memory(error);
}

static int add_partners(const struct cs_occurrences *all, const struct cs_layout *l, double window,
                        struct cs_table *group, struct cs_error *error) {
  const size_t over = 0;
  struct cs_array *array;
  const int code = cs_table_add_array(group, "partner", "1",
                                      "the occurrence in the other solution that this one is matched with, or -1",
                                      CS_INT64, 1, &over, &array, error);
  return code == CS_OK ? find_partners(all, l, window, array->data.int64, error) : code;
}

/* States before (side 0) or after (side 1). */
static int add_states(const struct cs_occurrences *all, const struct cs_layout *l, size_t side, struct cs_table *group,
                      struct cs_error *error) {
  static const char *const names[] = {"x_before", "x_after"}, *const sentences[] = {"states before the event",
                                                                                    "states after the event"};
  const size_t over[] = {0, 1}, states = l->dims.states, items = items_of(l);
  const char *unit = cs_result_common_unit(l->model, CS_OVER_STATE);
  struct cs_array *array;
  const int code = cs_table_add_array(group, names[side], unit != NULL ? unit : "see state_units", sentences[side],
                                      CS_FLOAT64, 2, over, &array, error);
  for (size_t i = 0; i < all->count && code == CS_OK; i++)
    memcpy(array->data.float64 + i * states, all->item + i * items + CS_OCCURRENCE_ITEMS + side * states,
           states * sizeof *all->item);
  return code;
}

int cs_occurrences_add(struct cs_occurrences *all, const struct cs_layout *l, double window, struct cs_table *table,
                       struct cs_error *error) {
  const size_t items = items_of(l);
  struct cs_table *group;
  if (all->count == 0) return CS_OK; /* a dimension has at least one item */
  int code = sort(all, items, error);
  if (code == CS_OK)
    code = cs_table_add_group(table, "events", "events of the co-simulation and of the exact solution", &group, error);
  if (code == CS_OK) code = add_dimensions(all, l->model, group, error);
  if (code == CS_OK) code = add_numbers(all, items, CS_OCCURRENCE_TIME, "time", "time of the event", group, error);
  if (code == CS_OK)
    code = add_numbers(all, items, CS_OCCURRENCE_EVENT, "event", "number of the event in the model file, from 0", group,
                       error);
  if (code == CS_OK) code = add_names(all, l, group, error);
  if (code == CS_OK)
    code = add_flags(all, items, CS_OCCURRENCE_EXACT, "solution", "the solution that it happened to",
                     "cosimulation exact", group, error);
  if (code == CS_OK)
    code = add_flags(all, items, CS_OCCURRENCE_LATE, "late", "whether it was seen at a communication point only",
                     "found late", group, error);
  if (code == CS_OK) code = add_timed(all, l, group, error);
  if (code == CS_OK) code = add_partners(all, l, window, group, error);
  if (code == CS_OK)
    code = add_numbers(all, items, CS_OCCURRENCE_CONFIGURATION, "configuration",
                       "number of the configuration of modes after it, from 0", group, error);
  for (size_t side = 0; side < 2 && code == CS_OK; side++)
    code = add_states(all, l, side, group, error);
  return code;
}
