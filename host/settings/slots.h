/* Slots: every scalar that a sweep can set, with the value from the file or the axis that binds it. */
#ifndef COSWEEP_SLOTS_H
#define COSWEEP_SLOTS_H

#include "setting.h"

struct cs_slot {
  double value;               /* from the file or the default; index of a word; NaN: neither */
  const struct cs_node *node; /* where the file gives it, or NULL */
  const char *axis;           /* name of the axis that binds it, or NULL */
  const struct cs_node *path; /* where that axis names it */
  const double *values;       /* along that axis, [length] (borrowed) */
  size_t stride, length;      /* index along that axis: run / stride % length */
};

struct cs_slots {
  const struct cs_model *model; /* borrowed */
  struct cs_setting_lists lists;
  bool energies; /* metric bond_energy is requested, for which power bonds matter with any control */
  enum cs_study study;
  size_t count;
  struct cs_slot *slot;                  /* all settings; all settings of each subsystem; the parameters; the modes; the
                                            parameters of masters */
  struct cs_setting_info *mode;          /* the mode of each subsystem as a setting, [model->subsystems] */
  double with[CS_SETTINGS][CS_CONTROLS]; /* defaults with each step size control, NaN if there is none */
};

/* Whether the file gives it or an axis binds it. */
static inline bool cs_slot_given(const struct cs_slot *slot) {
  return slot->node || slot->axis;
}

/* The target of a path: one slot, or two for method.order. */
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
/* Unit of the numbers of a slot: that of a parameter, or of a setting; "1" of words and whole numbers. NULL: nothing
 * says it, as of a parameter without unit or a tolerance of signals. */
const char *cs_slots_unit(const struct cs_slots *slots, size_t slot);
size_t cs_slots_mode(const struct cs_slots *slots, size_t subsystem);
/* Index of the slot of a parameter of user-defined masters, by its number among their names. */
size_t cs_slots_own(const struct cs_slots *slots, size_t name);
/* Index of the slot that determines a setting of a subsystem: its own if given, else the global one. */
size_t cs_slots_deciding(const struct cs_slots *slots, size_t subsystem, enum cs_setting setting);
/* Whether the study accepts a setting, and which values. */
bool cs_slots_take(const struct cs_slots *slots, enum cs_setting setting);
const struct cs_setting_info *cs_slots_info(const struct cs_slots *slots, enum cs_setting setting);

/* Reads t_end, parameters, modes and method of the sweep file whose root is given. */
int cs_slots_read(struct cs_slots *slots, const struct cs_json *json, struct cs_error *error);
/* Whether some run may have a value of a setting. */
bool cs_slots_may_be(const struct cs_slots *slots, enum cs_setting setting, double value);
/* Whether an axis moves a setting, or the file gives it another value than its default: written out, defaults change
 * nothing. */
bool cs_slots_set(const struct cs_slots *slots, enum cs_setting setting);
/* The step size controls that runs may have, as bits by enum cs_control. */
unsigned cs_slots_controls(const struct cs_slots *slots);
enum cs_setting cs_slots_control_setting(enum cs_control_number number); /* that gives the number */
enum cs_setting cs_slots_event_setting(enum cs_event_number number);
/* Whether some run may have a solver that keeps its memory from one macro step to the next. */
bool cs_slots_keep(const struct cs_slots *slots);
/* Whether events are more than constants at given times that the steps go on from: because of the model
 * (cs_model_is_eventful) or of settings of method.events. */
bool cs_slots_are_eventful(const struct cs_slots *slots);
/* Whether the steps of a subsystem are not a linear map in some run. */
bool cs_slots_adapt(const struct cs_slots *slots, size_t subsystem);
/* Whether some run may have iterations, converged or not, but not to a tolerance. */
bool cs_slots_repeat(const struct cs_slots *slots);
/* Whether some subsystem takes several steps in a macro step in some run. */
bool cs_slots_rate(const struct cs_slots *slots);
/* Whether some run may use the setting: its control, its solver or the model does. */
bool cs_slots_use(const struct cs_slots *slots, size_t slot);
/* Fails if a setting is given that no run uses, or if one without default is given by neither the file nor an axis. */
int cs_slots_require(const struct cs_slots *slots, const struct cs_json *json, struct cs_error *error);

/* Follows "method.step.size", "parameters.dk", ...; false if there is no such setting, with the reason in `wrong`. */
bool cs_slots_find(const struct cs_slots *slots, const char *path, struct cs_target *target, struct cs_text *wrong);

/* The shared part of the method and the numbers of step size control and of events. value [CS_SETTINGS]: as given, else
 * NaN. */
void cs_slots_control(const struct cs_slots *slots, const double *value, struct cs_settings *settings);
/* Whether the combination is meaningful; if not, the slot to blame and the reason. */
bool cs_slots_meaningful(const struct cs_slots *slots, const struct cs_method *method, size_t *blame,
                         struct cs_text *wrong);

#endif
