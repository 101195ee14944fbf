/* Whether runs of a sweep are computed as those are that have macro steps of their own. */
#include "sweep_private.h"

/* Whether a slot, or the axis that binds it, has this value. */
static bool slot_has(const struct cs_slot *slot, double value, bool others) {
  if (slot->values == NULL) return others ? slot->value > value : slot->value == value;
  for (size_t i = 0; i < slot->length; i++)
    if (others ? slot->values[i] > value : slot->values[i] == value) return true;
  return false;
}

bool cs_sweep_varies(const struct cs_sweep *sweep) {
  const struct cs_slots *slots = &sweep->private_->slots;
  if (sweep->metric[CS_MONITOR_PREDICTED]) return true;
  if (sweep->model->events > 0 || slot_has(&slots->slot[CS_SETTING_CONTROL], CS_FIXED, true)) return true;
  if (slot_has(&slots->slot[CS_SETTING_SOLVER], CS_DOPRI5, false)) return true;
  for (size_t s = 0; s < sweep->model->subsystems; s++)
    if (slot_has(&slots->slot[cs_slots_subsystem(s, CS_SETTING_SOLVER)], CS_DOPRI5, false)) return true;
  return false;
}
