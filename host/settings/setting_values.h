/* The values that all settings have for one run: its method and its numbers. */
#ifndef COSWEEP_SETTING_VALUES_H
#define COSWEEP_SETTING_VALUES_H

#include "method.h"
#include "user_fragment.h"

/* Numbers of step size control (docs/methods.md section 7): data of a kernel, one set per run. */
enum cs_control_number {
  CS_CONTROL_INITIAL,   /* s; the step size of control `fixed` */
  CS_CONTROL_MIN,       /* s */
  CS_CONTROL_MAX,       /* s */
  CS_CONTROL_MOST,      /* max_steps */
  CS_CONTROL_UNDERFLOW, /* s */
  CS_CONTROL_TOLERANCE,
  CS_CONTROL_KP,
  CS_CONTROL_KI,
  CS_CONTROL_ALPHA,
  CS_CONTROL_GROWTH_MAX,
  CS_CONTROL_SHRINK_MAX,
  CS_CONTROL_ATOL,
  CS_CONTROL_RTOL,
  CS_CONTROL_ACCEPT,
  CS_CONTROL_THRESHOLD,
  CS_CONTROL_ABOVE, /* s */
  CS_CONTROL_BELOW, /* s */
  CS_CONTROL_NUMBERS
};

/* Numbers of events (docs/formats.md section 6): data of a kernel of a model with events. */
enum cs_event_number {
  CS_EVENT_INTERRUPTION, /* s */
  CS_EVENT_HORIZON,      /* macro steps */
  CS_EVENT_RESTART,      /* s; infinite: "none", and with control `fixed` */
  CS_EVENT_WINDOW,       /* s */
  CS_EVENT_AT_ONCE,
  CS_EVENT_MOST,
  CS_EVENT_NUMBERS
};

/* Numbers of iterations to a tolerance: data of a kernel. */
enum cs_repetition_number { CS_REPETITION_TOLERANCE, CS_REPETITION_MOST, CS_REPETITION_NUMBERS };

/* The arrays are allocated by cs_settings_new and reused. */
struct cs_settings {
  struct cs_method method; /* method.subsystem: [subsystems] */
  double step_size, t_end; /* s; step_size is NaN unless the control is `fixed` */
  double max_steps;
  double relaxation; /* 1 without iterations, or if they converge; weight of hold least_squares */
  double repetition[CS_REPETITION_NUMBERS]; /* 0 but with iterations to a tolerance */
  double control[CS_CONTROL_NUMBERS]; /* defaults filled in; NaN if the control does not use the number, but MIN 0 and
                                         MAX infinite */
  double event[CS_EVENT_NUMBERS];     /* defaults filled in */
  double *tolerance;                  /* of dopri5, [model->subsystems]; NaN for other solvers */
  double *compensation;               /* [model->subsystems] */
  double *parameters;                 /* overrides, [model->parameters] */
  unsigned char *given;               /* [model->parameters]: 1 where overridden */
  size_t *mode;                       /* that the run begins in, [model->subsystems], into model->mode; SIZE_MAX for a
                                         subsystem without modes */
  double own[CS_MOST_OWN];            /* parameters of a user-defined master; NaN: it has none of that name */
  bool skipped;                       /* status 6 */
  size_t known; /* number in the whole sweep, + 1, of the run that they were last filled for; else 0 */
};

#endif
