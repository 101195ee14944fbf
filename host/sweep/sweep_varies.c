/* Whether runs of a sweep are computed as those are that have macro steps of their own. */
#include "sweep_private.h"

/* Whatever the method: metric monitor_predicted is a sum over steps of what was sent before each. */
static bool varies_anyhow(const struct cs_sweep *sweep) {
  return sweep->model->events > 0 || sweep->metric[CS_MONITOR_PREDICTED];
}

bool cs_sweep_varies_with(const struct cs_sweep *sweep, const struct cs_method *method) {
  bool varies = varies_anyhow(sweep) || method->control != CS_FIXED;
  for (size_t s = 0; s < sweep->model->subsystems; s++)
    varies = varies || cs_method_adapts(sweep->model, method, s);
  return varies;
}

bool cs_sweep_varies(const struct cs_sweep *sweep) {
  const struct cs_slots *slots = &sweep->private_->slots;
  bool varies = varies_anyhow(sweep) || cs_slots_controls(slots) != 1U << CS_FIXED;
  for (size_t s = 0; s < sweep->model->subsystems; s++)
    varies = varies || cs_slots_adapt(slots, s);
  return varies;
}
