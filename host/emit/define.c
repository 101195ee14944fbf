#include "define.h"

#include <math.h>

#include "facts.h"

void cs_define_number(struct cs_text *t, const char *name, long value) {
  cs_text_add(t, "#define %s %ld\n", name, value);
}

void cs_define_size(struct cs_text *t, const char *name, size_t value) {
  cs_text_add(t, "#define %s %zu\n", name, value);
}

void cs_define_count(struct cs_text *t, const char *name, size_t count) {
  cs_text_add(t, "#define %s %zu\n#define %s1 %zu\n", name, count, name, count > 0 ? count : 1);
}

void cs_define_sizes(struct cs_text *t, const struct cs_size *list, size_t sizes) {
  for (size_t i = 0; i < sizes; i++)
    cs_define_size(t, list[i].name, list[i].value);
}

void cs_define_facts(struct cs_text *t, enum cs_facts which) {
  struct fact {
    const char *name;
    long value;
  };
#define ROW(name, value) {#name, value},
#define FACTS(LIST)       \
  (const struct fact[]) { \
    LIST(ROW) {           \
      NULL, 0             \
    }                     \
  }
  const struct fact *const lists[] = {
      [CS_FACTS_LANE] = FACTS(CS_LANE_FACTS),         [CS_FACTS_STEP] = FACTS(CS_STEP_FACTS),
      [CS_FACTS_DOUBLING] = FACTS(CS_DOUBLING_FACTS), [CS_FACTS_SOLVER] = FACTS(CS_SOLVER_FACTS),
      [CS_FACTS_DOPRI5] = FACTS(CS_DOPRI5_FACTS),     [CS_FACTS_SPECTRUM] = FACTS(CS_SPECTRUM_FACTS),
      [CS_FACTS_VARY] = FACTS(CS_VARY_FACTS),         [CS_FACTS_PI_DEFECT] = FACTS(CS_PI_DEFECT_FACTS),
      [CS_FACTS_PI_ECCO] = FACTS(CS_PI_ECCO_FACTS)};
  for (const struct fact *fact = lists[which]; fact->name != NULL; fact++)
    cs_define_number(t, fact->name, fact->value);
}

void cs_define_integers(struct cs_text *t, const char *name, size_t count, const size_t *values) {
  cs_text_add(t, "__constant int %s[] = {", name);
  for (size_t i = 0; i < count; i++)
    cs_text_add(t, "%s%ld", i > 0 ? ", " : "", (long)values[i]);
  cs_text_add(t, "%s};\n", count == 0 ? "0" : "");
}

void cs_define_reals(struct cs_text *t, const char *name, size_t count, const double *values) {
  cs_text_add(t, "__constant double %s[] = {", name);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) cs_text_append(t, ", ", 2);
    if (values[i] == 0.0 && !signbit(values[i])) /* most of them: printing is slow */
      cs_text_append(t, "0.0", 3);
    else
      cs_text_add(t, values[i] == floor(values[i]) && fabs(values[i]) < 1e15 ? "%.17g.0" : "%.17g", values[i]);
  }
  cs_text_add(t, "%s};\n", count == 0 ? "0.0" : "");
}
