#include "method.h"

#include <string.h>

#include "index.h"
#include "setting.h"

bool cs_method_equal(size_t subsystems, const struct cs_method *a, const struct cs_method *b) {
#define EQUAL(name, setting) a->name == b->name &&
  return CS_METHOD_FIELDS(EQUAL) memcmp(a->subsystem, b->subsystem, subsystems * sizeof *a->subsystem) == 0;
#undef EQUAL
}

uint64_t cs_method_hash(size_t subsystems, const struct cs_method *method) {
  uint64_t hash = CS_INDEX_SEED;
#define MIX(name, setting) hash = cs_index_hash(hash, &method->name, sizeof method->name);
  CS_METHOD_FIELDS(MIX)
#undef MIX
  return cs_index_hash(hash, method->subsystem, subsystems * sizeof *method->subsystem);
}

size_t cs_method_repetitions(const struct cs_method *method) {
  return method->iterations == CS_CONVERGED || cs_method_tolerates(method) ? 1 : method->iterations;
}

bool cs_method_sends_slopes(const struct cs_method *method) {
  return method->hold == CS_TAYLOR || method->hold == CS_HERMITE;
}

bool cs_method_relaxes(const struct cs_method *method) {
  return method->iterations > 0 && method->iterations != CS_CONVERGED;
}

bool cs_method_tolerates(const struct cs_method *method) {
  return method->iterations == CS_TOLERANCE;
}

bool cs_method_fits(const struct cs_method *method) {
  return method->hold == CS_LEAST_SQUARES;
}

bool cs_method_has_rates(const struct cs_model *model, const struct cs_method *method) {
  bool found = false;
  for (size_t s = 0; s < model->subsystems; s++)
    found = found || method->subsystem[s].rate > 1;
  return found;
}

bool cs_method_waves(const struct cs_method *method) {
  return method->lines == CS_LINES_WAVES;
}

bool cs_method_compensates(const struct cs_model *model, const struct cs_method *method) {
  bool found = false;
  for (size_t s = 0; s < model->subsystems; s++)
    found = found || method->subsystem[s].compensates;
  return found;
}

bool cs_method_remembers(unsigned solver) {
  return solver == CS_AB2 || solver == CS_BDF2;
}

bool cs_method_adapts(const struct cs_model *model, const struct cs_method *method, size_t s) {
  return method->subsystem[s].solver == CS_DOPRI5 && model->subsystem[s].states > 0;
}

const char *cs_method_control_name(enum cs_control control) {
  return control < CS_USER_CONTROL ? cs_setting_table[CS_SETTING_CONTROL].words[control] : "user-defined";
}
