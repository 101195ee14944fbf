/* A model as FMUs see it: numbers, and an input variable for every connection. */
#ifndef COSWEEP_WIRING_H
#define COSWEEP_WIRING_H

#include "model.h"
#include "text.h"

enum { CS_WIRING_NUMBERS = CS_BIAS + 1 };

/* An input variable: an input of the model that one connection with gain 1 reaches, or none; else one connection of
 * the input, with its gain inside the FMU. */
struct cs_wire {
  size_t input, from;  /* of the model; from: output, or SIZE_MAX: it stays at `start` */
  double gain, start;  /* what its value is multiplied by; the value that it has unless it is set */
  struct cs_text name; /* "u.phi", "u.phi.2" */
};

struct cs_wiring {
  const struct cs_model *model;
  double *number[CS_WIRING_NUMBERS]; /* as of cs_model_numbers; e and f with what constants add to connected inputs */
  struct cs_wire *wire;              /* in the order of the inputs, so that those of a subsystem stand together */
  size_t wires, *first;              /* [subsystems + 1] into wire */
  double step;                       /* s */
};

/* With the parameters of the file. step: 0 for a tenth of the shortest time constant of a subsystem, rounded down to
 * one digit (0.01 where none has any). CS_INPUT for a model with events. Close also on failure. */
int cs_wiring_open(const struct cs_model *model, double step, struct cs_wiring *wiring, struct cs_error *error);
void cs_wiring_close(struct cs_wiring *wiring);

/* The signal's name without its subsystem. */
const char *cs_wiring_name(const struct cs_signal *signal);
/* The wire's unit: what it receives. */
const char *cs_wiring_unit(const struct cs_wiring *wiring, const struct cs_wire *wire);
/* Entry of A, B, C or D in a row of the model, for a state of the model or a wire. */
double cs_wiring_by_state(const struct cs_wiring *wiring, enum cs_matrix matrix, size_t row, size_t state);
double cs_wiring_by_wire(const struct cs_wiring *wiring, enum cs_matrix matrix, size_t row, size_t wire);

#endif
