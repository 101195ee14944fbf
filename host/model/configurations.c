#include "configurations.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

static bool can_happen(const struct cs_model *model, const size_t *mode, const struct cs_event *event) {
  for (size_t s = 0; s < model->subsystems; s++)
    if (mode[s] != SIZE_MAX && !event->in[mode[s]]) return false;
  return true;
}

/* Index of the configuration mode [subsystems], or the count. */
static size_t find(const struct cs_configurations *all, const size_t *mode) {
  size_t i = 0;
  while (i < all->count && memcmp(all->mode + i * all->subsystems, mode, all->subsystems * sizeof *mode) != 0)
    i++;
  return i;
}

static bool add(struct cs_configurations *all, const size_t *mode) {
  if (!cs_list_grow(&all->mode, all->count, all->subsystems * sizeof *all->mode)) return false;
  memcpy(all->mode + all->count++ * all->subsystems, mode, all->subsystems * sizeof *mode);
  return true;
}

/* to [subsystems] = the modes after an event in modes `from`. */
static void change(const struct cs_model *model, const size_t *from, const struct cs_event *event, size_t *to) {
  for (size_t s = 0; s < model->subsystems; s++)
    to[s] = event->to[s] >= 0 ? (size_t)event->to[s] : from[s];
}

int cs_configurations_find(const struct cs_model *model, const size_t *start, size_t starts,
                           struct cs_configurations *found, struct cs_error *error) {
  *found = (struct cs_configurations){.subsystems = model->subsystems};
  size_t *mode = malloc(2 * model->subsystems * sizeof *mode);
  bool good = mode != NULL;
  for (size_t s = 0; good && s < model->subsystems; s++)
    mode[s] = model->subsystem[s].modes > 0 ? model->subsystem[s].first_mode : SIZE_MAX;
  for (size_t i = 0; good && i < (start != NULL ? starts : 1); i++)
    good = add(found, start != NULL ? start + i * model->subsystems : mode);
  for (size_t i = 0; good && i < found->count && found->count < CS_CONFIGURATIONS_ENOUGH; i++)
    for (size_t e = 0; good && e < model->events && found->count < CS_CONFIGURATIONS_ENOUGH; e++) {
      memcpy(mode, found->mode + i * model->subsystems, model->subsystems * sizeof *mode);
      if (!can_happen(model, mode, &model->event[e])) continue;
      change(model, mode, &model->event[e], mode + model->subsystems);
      if (find(found, mode + model->subsystems) == found->count) good = add(found, mode + model->subsystems);
    }
  free(mode);
  if (good) return CS_OK;
  cs_configurations_free(found);
  return cs_error_memory(error);
}

void cs_configurations_free(struct cs_configurations *found) {
  free(found->mode);
  *found = (struct cs_configurations){0};
}

size_t cs_configurations_after(const struct cs_configurations *all, const struct cs_model *model, size_t from,
                               size_t event) {
  const size_t *mode = all->mode + from * all->subsystems;
  const struct cs_event *what = &model->event[event];
  if (!can_happen(model, mode, what)) return SIZE_MAX;
  for (size_t i = 0; i < all->count; i++) {
    bool same = true;
    for (size_t s = 0; s < all->subsystems; s++)
      same = same && all->mode[i * all->subsystems + s] == (what->to[s] >= 0 ? (size_t)what->to[s] : mode[s]);
    if (same) return i;
  }
  return SIZE_MAX;
}
