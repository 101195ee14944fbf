/* A belt as an FMU 3.0 for model exchange and co-simulation, with arrays, to test imports with:
 * x1' = -x1 + 2 x2 + u1 - c x1^3 + slope t, x2' = -3 x2 + gain u2 + 1/2, outputs x and y = x1 + x2 + k u1; the gain is
 * doubled if `steep`, and once more in mode 2. Value references: see the enumeration; `wrong` adds to the directional
 * derivatives.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { X = 1, DX, U, Y, K, C, WRONG, STEEP, GAIN, MODE, SLOPE = 13 };
enum { OK, ERROR = 3, STEPS = 100 };

struct belt {
  double x[2], u[2], k, c, wrong, slope, time;
  bool steep;
  int32_t gain;
  int64_t mode;
};

static void differentiate(const struct belt *b, double time, const double x[2], double rate[2]) {
  rate[0] = -x[0] + 2.0 * x[1] + b->u[0] - b->c * pow(x[0], 3.0) + b->slope * time;
  rate[1] = -3.0 * x[1] + (b->steep ? 2 : 1) * (double)(b->mode * b->gain) * b->u[1] + 0.5;
}

static void *begin(void) {
  struct belt *b = calloc(1, sizeof *b);
  if (b != NULL) *b = (struct belt){.x = {0.5, 0.25}, .k = 0.5, .gain = 1, .mode = 1};
  return b;
}

void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, void *environment, void (*logger)(void)) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)logger;
  return begin();
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                  bool logging, bool events, bool early, const uint32_t required[], size_t count,
                                  void *environment, void (*logger)(void), void (*update)(void)) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)events, (void)early;
  (void)required, (void)count, (void)environment, (void)logger, (void)update;
  return begin();
}

void fmi3FreeInstance(void *belt) {
  free(belt);
}

/* How many numbers a variable has, and where they are; NULL: it is computed. */
static size_t find(struct belt *b, uint32_t reference, double **place) {
  double *const own[] = {[X] = b->x, [U] = b->u, [K] = &b->k, [C] = &b->c, [WRONG] = &b->wrong};
  *place = reference == SLOPE ? &b->slope : reference <= WRONG ? own[reference] : NULL;
  return reference == X || reference == DX || reference == U ? 2 : 1;
}

int fmi3GetFloat64(void *belt, const uint32_t reference[], size_t count, double value[], size_t values) {
  struct belt *b = belt;
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    double *place, rate[2], y = b->x[0] + b->x[1] + b->k * b->u[0];
    const size_t length = find(b, reference[i], &place);
    differentiate(b, b->time, b->x, rate);
    if (place == NULL) place = reference[i] == DX ? rate : &y;
    if (at + length > values) return ERROR;
    memcpy(value + at, place, length * sizeof *value);
    at += length;
  }
  return at == values ? OK : ERROR;
}

int fmi3SetFloat64(void *belt, const uint32_t reference[], size_t count, const double value[], size_t values) {
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    double *place;
    const size_t length = find(belt, reference[i], &place);
    if (place == NULL || at + length > values) return ERROR;
    memcpy(place, value + at, length * sizeof *value);
    at += length;
  }
  return at == values ? OK : ERROR;
}

int fmi3SetBoolean(void *belt, const uint32_t reference[], size_t count, const bool value[], size_t values) {
  if (count != 1 || values != 1 || reference[0] != STEEP) return ERROR;
  ((struct belt *)belt)->steep = value[0];
  return OK;
}

int fmi3SetInt32(void *belt, const uint32_t reference[], size_t count, const int32_t value[], size_t values) {
  if (count != 1 || values != 1 || reference[0] != GAIN) return ERROR;
  ((struct belt *)belt)->gain = value[0];
  return OK;
}

int fmi3SetInt64(void *belt, const uint32_t reference[], size_t count, const int64_t value[], size_t values) {
  if (count != 1 || values != 1 || reference[0] != MODE) return ERROR;
  ((struct belt *)belt)->mode = value[0];
  return OK;
}

/* Of the output x it gives 0, as several FMUs do. */
int fmi3GetDirectionalDerivative(void *belt, const uint32_t unknown[], size_t unknowns, const uint32_t known[],
                                 size_t knowns, const double seed[], size_t seeds, double value[], size_t values) {
  const struct belt *b = belt;
  double dx[2] = {0}, du[2] = {0};
  if (knowns != 1 || seeds != 2) return ERROR;
  memcpy(known[0] == X ? dx : du, seed, sizeof dx);
  const double rows[][2] = {[X] = {0, 0},
                            [DX] = {(-1.0 - 3.0 * b->c * b->x[0] * b->x[0] + b->wrong) * dx[0] + 2.0 * dx[1] + du[0],
                                    -3.0 * dx[1] + (b->steep ? 2 : 1) * (double)(b->mode * b->gain) * du[1]},
                            [Y] = {dx[0] + dx[1] + b->k * du[0], 0}};
  size_t at = 0;
  for (size_t i = 0; i < unknowns; i++)
    for (size_t k = 0; k < (unknown[i] == Y ? 1 : 2); k++) {
      if (at == values) return ERROR;
      value[at++] = rows[unknown[i]][k];
    }
  return at == values ? OK : ERROR;
}

int fmi3SetTime(void *belt, double time) {
  ((struct belt *)belt)->time = time;
  return OK;
}

int fmi3GetContinuousStates(void *belt, double x[], size_t states) {
  memcpy(x, ((struct belt *)belt)->x, states * sizeof *x);
  return OK;
}

int fmi3SetContinuousStates(void *belt, const double x[], size_t states) {
  memcpy(((struct belt *)belt)->x, x, states * sizeof *x);
  return OK;
}

int fmi3GetContinuousStateDerivatives(void *belt, double rate[], size_t states) {
  struct belt *b = belt;
  if (states != 2) return ERROR;
  differentiate(b, b->time, b->x, rate);
  return OK;
}

/* Runge's and Kutta's method with steps so short that only rounding is left. */
int fmi3DoStep(void *belt, double time, double step, bool keep, bool *event, bool *end, bool *early, double *last) {
  struct belt *b = belt;
  const double h = step / STEPS, part[] = {0, h / 2, h / 2, h}, weight[] = {h / 6, h / 3, h / 3, h / 6};
  (void)keep;
  for (size_t i = 0; i < STEPS; i++) {
    double rate[2] = {0}, sum[2] = {b->x[0], b->x[1]};
    for (size_t stage = 0; stage < 4; stage++) {
      const double there[] = {b->x[0] + part[stage] * rate[0], b->x[1] + part[stage] * rate[1]};
      differentiate(b, b->time + part[stage], there, rate);
      sum[0] += weight[stage] * rate[0];
      sum[1] += weight[stage] * rate[1];
    }
    memcpy(b->x, sum, sizeof sum);
    b->time += h;
  }
  *event = *end = *early = false;
  *last = time + step;
  return OK;
}

int fmi3UpdateDiscreteStates(void *belt, bool *again, bool *end, bool *nominals, bool *values, bool *defined,
                             double *next) {
  (void)belt;
  *again = *end = *nominals = *values = *defined = false;
  *next = 0.0;
  return OK;
}
