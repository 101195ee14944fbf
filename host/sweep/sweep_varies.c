/* Whether runs of a sweep are computed with individual macro steps. */
#include <string.h>

#include "sweep_private.h"

/* Independent of the method. Metrics monitor_predicted and bond_energy are sums over single steps, of products. */
static bool varies_anyhow(const struct cs_sweep *sweep) {
  return sweep->model->events > 0 || sweep->metric[CS_MONITOR_PREDICTED] || sweep->metric[CS_BOND_ENERGY];
}

bool cs_sweep_varies_with(const struct cs_sweep *sweep, const struct cs_method *method) {
  bool varies = varies_anyhow(sweep) || method->control != CS_FIXED || method->sequence == CS_SEQUENCE_ALTERNATING ||
                cs_method_tolerates(method);
  for (size_t s = 0; s < sweep->model->subsystems; s++)
    varies = varies || cs_method_adapts(sweep->model, method, s);
  return varies;
}

bool cs_sweep_varies(const struct cs_sweep *sweep) {
  const struct cs_slots *slots = &sweep->private_->slots;
  bool varies = varies_anyhow(sweep) || cs_slots_controls(slots) != 1U << CS_FIXED ||
                cs_slots_may_be(slots, CS_SETTING_SEQUENCE, CS_SEQUENCE_ALTERNATING) ||
                cs_slots_may_be(slots, CS_SETTING_ITERATIONS, CS_TOLERANCE);
  for (size_t s = 0; s < sweep->model->subsystems; s++)
    varies = varies || cs_slots_adapt(slots, s);
  return varies;
}

bool cs_sweep_sets_relaxation(const struct cs_sweep *sweep) {
  return cs_slots_set(&sweep->private_->slots, CS_SETTING_RELAXATION);
}

bool cs_sweep_is_eventful(const struct cs_sweep *sweep) {
  return cs_slots_are_eventful(&sweep->private_->slots);
}

/* Whether the axis moves a parameter, or a mode that runs begin in. */
static bool moves_network(const struct cs_sweep *sweep, const struct cs_axis *axis) {
  const struct cs_slots *slots = &sweep->private_->slots;
  for (size_t i = cs_slots_parameter(slots, 0); i < cs_slots_own(slots, 0); i++)
    if (slots->slot[i].axis != NULL && strcmp(slots->slot[i].axis, axis->name) == 0) return true;
  return false;
}

double cs_sweep_sets(const struct cs_sweep *sweep) {
  double sets = 1.0;
  for (size_t a = 0; a < sweep->axes; a++)
    if (moves_network(sweep, &sweep->axis[a])) sets *= (double)sweep->axis[a].length;
  return sets;
}

bool cs_sweep_sets_differ(const struct cs_sweep *sweep) {
  bool differ = true;
  for (size_t a = 0; a < sweep->axes; a++)
    differ = differ && (sweep->axis[a].length == 1 || moves_network(sweep, &sweep->axis[a]));
  return differ;
}

bool cs_sweep_waves(const struct cs_sweep *sweep) {
  return cs_slots_may_be(&sweep->private_->slots, CS_SETTING_LINES, CS_LINES_WAVES);
}
