/* Settings of step size control that are neither words nor numbers: power bonds of `pi_ecco`, ratios of `cycle` and
 * fragments of user-defined controllers (docs/formats.md section 2, docs/controllers.md). */
#ifndef COSWEEP_CONTROL_H
#define COSWEEP_CONTROL_H

#include <stddef.h>

#include "json.h"
#include "model.h"
#include "user_fragment.h"

/* Power bond of [K]: an input and an output on each of the sides a and b, whose product is the power. */
struct cs_bond {
  size_t input[2], output[2]; /* of sides a and b */
  double sign;                /* residual |P_a + sign P_b| H */
};

struct cs_bond_list {
  size_t bonds;
  struct cs_bond *bond; /* [bonds] */
};

/* Macro steps of `cycle`, divided by its step size, repeated in this order. There is room for a list twice, after which
 * a sequence that alternates repeats, too. */
enum { CS_MOST_RATIOS = 16 };
struct cs_ratio_list {
  size_t ratios;
  double ratio[2 * CS_MOST_RATIOS];
};

struct cs_controls {
  const struct cs_model *model; /* borrowed */
  const char *sweep;            /* path of the sweep file (borrowed), to which paths of fragments are relative */
  size_t lists;
  struct cs_bond_list *list; /* [lists]; list 0 is empty */
  size_t cycles;
  struct cs_ratio_list *cycle; /* [cycles]; cycle 0 is empty */
  struct cs_user_fragments user;
};

int cs_controls_new(const struct cs_model *model, const char *sweep, struct cs_controls *controls,
                    struct cs_error *error);
void cs_controls_free(struct cs_controls *controls);

/* Bonds of the longest list, and the name of bond `bond` in results: "one.input | other.input" if all lists that have
 * this bond agree on it and no other bond has that name, else "bond0", "bond1", ... */
size_t cs_controls_bonds(const struct cs_controls *controls);
void cs_controls_name_bond(const struct cs_controls *controls, size_t bond, struct cs_text *text);

/* Index of the output that `node` names, "subsystem.output". */
int cs_controls_read_signal(const struct cs_controls *controls, const struct cs_json *json, const struct cs_node *node,
                            double *number, struct cs_error *error);
/* Index of the list of bonds in `node`, [{"a": [input, output], "b": [input, output], "sign": number}, ...]. */
int cs_controls_read_bonds(struct cs_controls *controls, const struct cs_json *json, const struct cs_node *node,
                           double *number, struct cs_error *error);
/* Index of the list of ratios in `node`, [r, ...]. */
int cs_controls_read_ratios(struct cs_controls *controls, const struct cs_json *json, const struct cs_node *node,
                            double *number, struct cs_error *error);
/* Index of the user-defined controller in `node`, {"kernel": path, "memory": count}; reads the fragment. */
int cs_controls_read_user(struct cs_controls *controls, const struct cs_json *json, const struct cs_node *node,
                          double *number, struct cs_error *error);

#endif
