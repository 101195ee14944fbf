/* The binary of every FMU that cosweep exports: a linear subsystem for model exchange and for co-simulation, whose
 * numbers are in resources/linear.txt. Value references: inputs u, outputs y, states x, derivatives x', each in the
 * order of that file. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2.h"
#include "linear.h"

/* ---- values */

/* The row of (C, D) or (A, B) that a value reference means; false if it is no output or derivative. */
static bool find_row(const struct linear *s, size_t r, const double **by_state, const double **by_input) {
  const size_t n = s->states, m = s->inputs, p = s->outputs;
  const bool is_output = r >= m && r < m + p, is_slope = r >= m + p + n && r < m + p + 2 * n;
  if (!is_output && !is_slope) return false;
  const size_t i = is_output ? r - m : r - m - p - n;
  *by_state = (is_output ? s->C : s->A) + i * n;
  *by_input = (is_output ? s->D : s->B) + i * m;
  return true;
}

fmi2Status fmi2GetReal(fmi2Component c, LIST, fmi2Real value[]) {
  const struct linear *s = c;
  const size_t n = s->states, m = s->inputs, p = s->outputs;
  for (size_t i = 0; i < count; i++) {
    const size_t r = reference[i];
    if (r >= m + p + 2 * n) return fmi2Error;
    value[i] = r < m           ? s->u[r]
               : r < m + p     ? linear_output(s, r - m)
               : r < m + p + n ? s->x[r - m - p]
                               : linear_slope(s, r - m - p - n);
  }
  return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, LIST, const fmi2Real value[]) {
  struct linear *s = c;
  const size_t n = s->states, m = s->inputs, p = s->outputs;
  for (size_t i = 0; i < count; i++) {
    const size_t r = reference[i];
    if (r < m) {
      s->u[r] = value[i];
      for (size_t d = 1; d < POWERS; d++)
        s->u[d * m + r] = 0.0;
    } else if (r >= m + p && r < m + p + n) {
      s->x[r - m - p] = value[i];
    } else {
      return fmi2Error;
    }
  }
  return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, LIST, const fmi2Integer order[], const fmi2Real value[]) {
  struct linear *s = c;
  for (size_t i = 0; i < count; i++) {
    if (order[i] < 1 || order[i] > DEGREE || reference[i] >= s->inputs) return fmi2Error;
    s->u[(size_t)order[i] * s->inputs + reference[i]] = value[i];
  }
  return fmi2OK;
}

/* y^(k) = C x^(k) + D u^(k), with x^(k+1) = A x^(k) + B u^(k), and e for k = 0. */
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, LIST, const fmi2Integer order[], fmi2Real value[]) {
  const struct linear *s = c;
  const size_t n = s->states, m = s->inputs;
  double *now = calloc(2 * n + 1, sizeof *now), *next = now + n;
  fmi2Status status = now != NULL ? fmi2OK : fmi2Error;
  for (size_t i = 0; i < count && status == fmi2OK; i++) {
    const size_t y = (size_t)reference[i] - m;
    if (reference[i] < m || y >= s->outputs || order[i] < 1 || order[i] > DEGREE) {
      status = fmi2Error;
      break;
    }
    memcpy(now, s->x, n * sizeof *now);
    for (size_t k = 0; k < (size_t)order[i]; k++) {
      for (size_t j = 0; j < n; j++)
        next[j] =
            (k == 0 ? s->e[j] : 0.0) + linear_dot(n, s->A + j * n, now) + linear_dot(m, s->B + j * m, s->u + k * m);
      memcpy(now, next, n * sizeof *now);
    }
    value[i] = linear_dot(n, s->C + y * n, now) + linear_dot(m, s->D + y * m, s->u + (size_t)order[i] * m);
  }
  free(now);
  return status;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[]) {
  const struct linear *s = c;
  const size_t first_state = s->inputs + s->outputs;
  const double *by_state, *by_input;
  for (size_t i = 0; i < unknowns; i++) {
    if (!find_row(s, unknown[i], &by_state, &by_input)) return fmi2Error;
    sensitivity[i] = 0.0;
    for (size_t j = 0; j < knowns; j++) {
      const size_t r = known[j];
      if (r >= s->inputs && (r < first_state || r >= first_state + s->states)) return fmi2Error;
      sensitivity[i] += (r < s->inputs ? by_input[r] : by_state[r - first_state]) * seed[j];
    }
  }
  return fmi2OK;
}

/* There are real variables only. */
#define NONE(TYPE)                                                            \
  fmi2Status fmi2Get##TYPE(fmi2Component c, LIST, fmi2##TYPE value[]) {       \
    (void)c, (void)reference, (void)value;                                    \
    return count > 0 ? fmi2Error : fmi2OK;                                    \
  }                                                                           \
  fmi2Status fmi2Set##TYPE(fmi2Component c, LIST, const fmi2##TYPE value[]) { \
    (void)c, (void)reference, (void)value;                                    \
    return count > 0 ? fmi2Error : fmi2OK;                                    \
  }
NONE(Integer)
NONE(Boolean)
NONE(String)

/* ---- life of an instance */

const char *fmi2GetTypesPlatform(void) {
  return "default";
}

const char *fmi2GetVersion(void) {
  return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t categories, const fmi2String category[]) {
  (void)c, (void)on, (void)categories, (void)category;
  return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
  (void)type, (void)guid, (void)visible, (void)logging;
  struct linear *s = calloc(1, sizeof *s);
  char path[4096] = "";
  if (s != NULL && linear_open(s, resources != NULL ? resources : "", path, sizeof path)) return s;
  if (callbacks != NULL && callbacks->logger != NULL)
    callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError", "cannot read %s", path);
  fmi2FreeInstance(s);
  return NULL;
}

void fmi2FreeInstance(fmi2Component c) {
  if (c != NULL) linear_close(c);
  free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real begin,
                               fmi2Boolean has_stop, fmi2Real stop) {
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  ((struct linear *)c)->time = begin;
  return fmi2OK;
}

/* Calls that change nothing here. */
#define NOTHING(NAME)                \
  fmi2Status NAME(fmi2Component c) { \
    (void)c;                         \
    return fmi2OK;                   \
  }
NOTHING(fmi2EnterInitializationMode)
NOTHING(fmi2ExitInitializationMode)
NOTHING(fmi2Terminate)
NOTHING(fmi2EnterEventMode)
NOTHING(fmi2EnterContinuousTimeMode)

fmi2Status fmi2Reset(fmi2Component c) {
  linear_reset(c);
  return fmi2OK;
}

/* ---- the state as a whole: time, x, u and its derivatives */

static size_t state_size(const struct linear *s) {
  return (1 + s->states + s->inputs * POWERS) * sizeof(double);
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
  const struct linear *s = c;
  double *to = *state != NULL ? *state : malloc(state_size(s));
  if (to == NULL) return fmi2Error;
  to[0] = s->time;
  memcpy(to + 1, s->x, s->states * sizeof *to);
  memcpy(to + 1 + s->states, s->u, s->inputs * POWERS * sizeof *to);
  *state = to;
  return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  struct linear *s = c;
  const double *from = state;
  if (from == NULL) return fmi2Error;
  s->time = from[0];
  memcpy(s->x, from + 1, s->states * sizeof *from);
  memcpy(s->u, from + 1 + s->states, s->inputs * POWERS * sizeof *from);
  return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
  (void)c;
  free(*state);
  *state = NULL;
  return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
  (void)state;
  *size = state_size(c);
  return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  if (state == NULL || size < state_size(c)) return fmi2Error;
  memcpy(bytes, state, state_size(c));
  return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
  if (size != state_size(c)) return fmi2Error;
  if (*state == NULL) *state = malloc(size);
  if (*state == NULL) return fmi2Error;
  memcpy(*state, bytes, size);
  return fmi2OK;
}

/* ---- model exchange */

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  (void)c;
  *info = (fmi2EventInfo){0};
  return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean last, fmi2Boolean *event, fmi2Boolean *terminate) {
  (void)c, (void)last;
  *event = *terminate = 0;
  return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
  ((struct linear *)c)->time = time;
  return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t states) {
  struct linear *s = c;
  if (states != s->states) return fmi2Error;
  memcpy(s->x, x, states * sizeof *x);
  return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t states) {
  const struct linear *s = c;
  if (states != s->states) return fmi2Error;
  memcpy(x, s->x, states * sizeof *x);
  return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t states) {
  const struct linear *s = c;
  if (states != s->states) return fmi2Error;
  for (size_t i = 0; i < states; i++)
    derivatives[i] = linear_slope(s, i);
  return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t count) {
  (void)c, (void)indicators;
  return count > 0 ? fmi2Error : fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t states) {
  (void)c;
  for (size_t i = 0; i < states; i++)
    nominal[i] = 1.0;
  return fmi2OK;
}

/* ---- co-simulation */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_return) {
  (void)no_return;
  struct linear *s = c;
  if (!linear_step(s, step)) return fmi2Error;
  s->time = time + step;
  return fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c) {
  (void)c;
  return fmi2Error; /* steps are never pending */
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = ((struct linear *)c)->time;
  return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
  (void)c;
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = 0;
  return fmi2OK;
}

#define UNKNOWN(NAME, TYPE)                                                  \
  fmi2Status NAME(fmi2Component c, const fmi2StatusKind kind, TYPE *value) { \
    (void)c, (void)kind, (void)value;                                        \
    return fmi2Discard;                                                      \
  }
UNKNOWN(fmi2GetStatus, fmi2Status)
UNKNOWN(fmi2GetIntegerStatus, fmi2Integer)
UNKNOWN(fmi2GetStringStatus, fmi2String)
