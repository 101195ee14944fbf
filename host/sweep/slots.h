/* Slots: every scalar that a sweep may set, with the value the file gives or the axis that binds it. */
#ifndef COSWEEP_SLOTS_H
#define COSWEEP_SLOTS_H

#include "setting.h"
#include "sweep.h"

struct cs_slot {
  double value;               /* of the file or the default; words by number; NaN: neither */
  const struct cs_node *node; /* where the file gives it; NULL: it does not */
  const char *axis;           /* name of the axis that binds it, or NULL */
  const struct cs_node *path; /* where that axis names it */
  const double *values;       /* along that axis, [length] (borrowed) */
  size_t stride, length;      /* index along that axis: run / stride % length */
};

struct cs_slots {
  const struct cs_model *model; /* borrowed */
  struct cs_setting_lists lists;
  enum cs_study study;
  size_t count;
  struct cs_slot *slot;                  /* all settings; then for each subsystem all settings; then the parameters */
  double with[CS_SETTINGS][CS_CONTROLS]; /* defaults with each step size control, NaN where there is none */
};

/* Whether the file gives it or an axis binds it. */
static inline bool cs_slot_given(const struct cs_slot *slot) {
  return slot->node || slot->axis;
}

/* What a path leads to: one slot, or two for method.order. */
struct cs_target {
  const struct cs_setting_info *info;
  size_t slots, slot[2];
};

/* `sweep`: path of the sweep file, borrowed. */
int cs_slots_new(const struct cs_model *model, const char *sweep, enum cs_study study, struct cs_slots *slots,
                 struct cs_error *error);
void cs_slots_free(struct cs_slots *slots);
size_t cs_slots_subsystem(size_t subsystem, enum cs_setting setting); /* index of its slot */
size_t cs_slots_parameter(const struct cs_slots *slots, size_t parameter);
/* Index of the slot that decides a setting of a subsystem: its own where that is given, else the global one. */
size_t cs_slots_deciding(const struct cs_slots *slots, size_t subsystem, enum cs_setting setting);
/* Whether the study takes a setting, and what it takes. */
bool cs_slots_take(const struct cs_slots *slots, enum cs_setting setting);
const struct cs_setting_info *cs_slots_info(const struct cs_slots *slots, enum cs_setting setting);

/* Reads t_end, parameters and method of the sweep file whose root is given. */
int cs_slots_read(struct cs_slots *slots, const struct cs_json *json, struct cs_error *error);
/* The step size controls that runs may have, as bits by enum cs_control. */
unsigned cs_slots_controls(const struct cs_slots *slots);
enum cs_setting cs_slots_control_setting(enum cs_control_number number); /* that gives the number */
/* Whether the steps of a subsystem are no linear map in some run. */
bool cs_slots_adapt(const struct cs_slots *slots, size_t subsystem);
/* Whether some run may use the setting: its control takes it, or its solver. */
bool cs_slots_use(const struct cs_slots *slots, size_t slot);
/* Fails where something is given that no run uses, and where neither the file nor an axis gives what has no default. */
int cs_slots_require(const struct cs_slots *slots, const struct cs_json *json, struct cs_error *error);

/* Follows "method.step.size", "parameters.dk", ...; false when it leads nowhere, with the reason in `wrong`. */
bool cs_slots_find(const struct cs_slots *slots, const char *path, struct cs_target *target, struct cs_text *wrong);

/* Everything in cs_settings but `skipped`. */
void cs_slots_settings(const struct cs_slots *slots, size_t run, struct cs_settings *settings);
/* The part of it that all subsystems share and that step size control has a say in: value [CS_SETTINGS] as given, NaN
 * where it is not. */
void cs_slots_control(const struct cs_slots *slots, const double *value, struct cs_settings *settings);
/* Whether the combination means anything; if not, the slot to blame and the reason. */
bool cs_slots_meaningful(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                         struct cs_text *wrong);

#endif
