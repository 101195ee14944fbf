/* Modes that the runs of a sweep begin in. */
#include <stdlib.h>
#include <string.h>

#include "configurations.h"
#include "sweep_private.h"

/* The distinct modes that a subsystem begins in over all runs. */
struct choice {
  size_t count;
  size_t *mode; /* [count] */
};

static void add_distinct(struct choice *choice, size_t mode) {
  size_t i = 0;
  while (i < choice->count && choice->mode[i] != mode)
    i++;
  if (i == choice->count) choice->mode[choice->count++] = mode;
}

static int choose(const struct cs_slots *slots, size_t s, struct choice *choice, struct cs_error *error) {
  const struct cs_slot *slot = &slots->slot[cs_slots_mode(slots, s)];
  const size_t modes = slots->model->subsystem[s].modes;
  choice->mode = calloc(modes + 1, sizeof *choice->mode);
  if (choice->mode == NULL) return cs_error_memory(error);
  if (modes == 0) add_distinct(choice, SIZE_MAX);
  for (size_t i = 0; modes > 0 && i < (slot->values != NULL ? slot->length : 1); i++)
    add_distinct(choice, (size_t)(slot->values != NULL ? slot->values[i] : slot->value));
  return CS_OK;
}

/* The place of the first subsystem whose mode the sweep gives. */
static int fail_at_modes(const struct cs_sweep *sweep, struct cs_text *wrong, struct cs_error *error) {
  const struct cs_slots *slots = &sweep->private_->slots;
  const struct cs_node *place = cs_json_root(sweep->json);
  bool key = false;
  for (size_t s = sweep->model->subsystems; s-- > 0;) {
    const struct cs_slot *slot = &slots->slot[cs_slots_mode(slots, s)];
    if (!cs_slot_given(slot)) continue;
    place = slot->axis != NULL ? slot->path : slot->node;
    key = slot->axis != NULL && cs_json_kind(place) != CS_STRING;
  }
  return cs_json_fail_text(sweep->json, place, key, wrong, error);
}

/* All combinations, the last subsystem fastest. */
static int combine(struct cs_sweep *sweep, const struct choice *choice, struct cs_error *error) {
  const size_t subsystems = sweep->model->subsystems;
  double count = 1;
  for (size_t s = 0; s < subsystems; s++)
    count *= (double)choice[s].count;
  if (count > CS_CONFIGURATIONS_MOST) {
    struct cs_text wrong = {0};
    cs_text_add(&wrong, "runs begin in %.0f configurations of modes; want at most %d", count, CS_CONFIGURATIONS_MOST);
    return fail_at_modes(sweep, &wrong, error);
  }
  sweep->starts = (size_t)count;
  sweep->start = calloc(sweep->starts * subsystems + 1, sizeof *sweep->start);
  if (sweep->start == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < sweep->starts; i++) {
    size_t rest = i;
    for (size_t s = subsystems; s-- > 0; rest /= choice[s].count)
      sweep->start[i * subsystems + s] = choice[s].mode[rest % choice[s].count];
  }
  return CS_OK;
}

/* Fails if events lead to more configurations than a kernel holds. Those from where runs begin by the model file alone
 * were counted when that was read. */
static int check_configurations(const struct cs_sweep *sweep, struct cs_error *error) {
  struct cs_configurations found = {0};
  int code = cs_configurations_find(sweep->model, sweep->start, sweep->starts, &found, error);
  if (code == CS_OK && found.count > CS_CONFIGURATIONS_MOST) {
    struct cs_text wrong = {0};
    cs_text_add(&wrong, "events lead to %zu configurations of modes from where runs begin; want at most %d",
                found.count, CS_CONFIGURATIONS_MOST);
    code = fail_at_modes(sweep, &wrong, error);
  }
  cs_configurations_free(&found);
  return code;
}

int cs_sweep_read_starts(struct cs_sweep *sweep, struct cs_error *error) {
  const size_t subsystems = sweep->model->subsystems;
  struct choice *choice = calloc(subsystems + 1, sizeof *choice);
  int code = choice != NULL ? CS_OK : cs_error_memory(error);
  for (size_t s = 0; s < subsystems && code == CS_OK; s++)
    code = choose(&sweep->private_->slots, s, &choice[s], error);
  if (code == CS_OK) code = combine(sweep, choice, error);
  if (code == CS_OK && sweep->model->modes > 0) code = check_configurations(sweep, error);
  for (size_t s = 0; choice != NULL && s < subsystems; s++)
    free(choice[s].mode);
  free(choice);
  return code;
}
