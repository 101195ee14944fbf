/* A pendulum with a torque, as an FMU 2.0 for model exchange that is not linear, to test imports with: phi' = w,
 * w' = -g sin(phi) - d w + u + 2; y1 = phi (the state itself), y2 = w + k u. Value references: 0 phi, 1 w, 2 phi',
 * 3 w', 4 u, 5 y2, 6 g, 7 d, 8 k, 9 wrong: adds to the directional derivative of w'. As FMUs of OpenModelica do, it
 * computes outputs only when something was set since derivatives or variables were last asked for. */
#include <math.h>
#include <stdlib.h>

#include "fmi2.h"

enum { PHI, W, DPHI, DW, U, Y, G, D, K, WRONG, CHANGED, VALUES };

static void evaluate(double *v, int outputs) {
  if (!v[CHANGED]) return;
  v[DPHI] = v[W];
  v[DW] = -v[G] * sin(v[PHI]) - v[D] * v[W] + v[U] + 2.0;
  if (outputs) v[Y] = v[W] + v[K] * v[U];
  v[CHANGED] = 0.0;
}

const char *fmi2GetTypesPlatform(void) {
  return "default";
}

const char *fmi2GetVersion(void) {
  return "2.0";
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
  double *v = calloc(VALUES, sizeof *v);
  (void)name, (void)type, (void)guid, (void)resources, (void)callbacks, (void)visible, (void)logging;
  if (v == NULL) return NULL;
  v[PHI] = 1.2;
  v[W] = 0.25;
  v[G] = 9.81;
  v[D] = 0.1;
  v[K] = 0.5;
  v[CHANGED] = 1.0;
  return v;
}

void fmi2FreeInstance(fmi2Component c) {
  free(c);
}

fmi2Status fmi2GetReal(fmi2Component c, LIST, fmi2Real value[]) {
  evaluate(c, 1);
  for (size_t i = 0; i < count; i++)
    value[i] = ((double *)c)[reference[i]];
  return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, LIST, const fmi2Real value[]) {
  for (size_t i = 0; i < count; i++)
    ((double *)c)[reference[i]] = value[i];
  ((double *)c)[CHANGED] = 1.0;
  return fmi2OK;
}

/* Of the output phi it gives 0, as several FMUs do. */
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[]) {
  const double *v = c;
  double d[VALUES] = {0};
  for (size_t i = 0; i < knowns; i++)
    d[known[i]] = seed[i];
  const double row[VALUES] = {
      [DPHI] = d[W], [DW] = (-v[G] * cos(v[PHI]) + v[WRONG]) * d[PHI] - v[D] * d[W] + d[U], [Y] = d[W] + v[K] * d[U]};
  for (size_t i = 0; i < unknowns; i++)
    sensitivity[i] = row[unknown[i]];
  return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t states) {
  for (size_t i = 0; i < states; i++)
    x[i] = ((double *)c)[i];
  return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t states) {
  for (size_t i = 0; i < states; i++)
    ((double *)c)[i] = x[i];
  ((double *)c)[CHANGED] = 1.0;
  return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t states) {
  evaluate(c, 0);
  for (size_t i = 0; i < states; i++)
    derivatives[i] = ((double *)c)[DPHI + i];
  return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
  (void)c;
  *info = (fmi2EventInfo){0};
  return fmi2OK;
}

/* ---- nothing to do */

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop) {
  (void)c, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  (void)c;
  return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  (void)c;
  return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  (void)c;
  return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c) {
  (void)c;
  return fmi2OK;
}
