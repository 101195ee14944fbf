/* Modes of the coupled exact model, and how much of each belongs to which subsystem. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "explain_private.h"
#include "linalg.h"

/* |lambda| of neutral modes, relative to the fastest. */
#define NEUTRAL 1e-9

static double size_of(const struct cs_explain_mode *mode) {
  return hypot(mode->lambda.re, mode->lambda.im);
}

static int compare_modes(const void *left, const void *right) {
  const struct cs_explain_mode *a = left, *b = right;
  const double d = size_of(b) - size_of(a);
  if (d != 0.0) return d < 0.0 ? -1 : 1;
  return a->lambda.im > b->lambda.im ? -1 : a->lambda.im < b->lambda.im;
}

/* Shares |sum over a subsystem's states of conj(w_k) v_k|, together 1. column: of the real parts; pair: the next column
 * has the imaginary parts. */
static void find_shares(const struct cs_snapshot *s, const double *left, const double *right, size_t column, bool pair,
                        double *share) {
  const size_t n = s->states;
  double sum = 0.0;
  for (size_t p = 0; p < s->parts; p++) {
    double re = 0.0, im = 0.0;
    for (size_t k = s->part[p].first_state; k < s->part[p].first_state + s->part[p].states; k++) {
      const double *w = left + k * n + column, *v = right + k * n + column;
      re += w[0] * v[0] + (pair ? w[1] * v[1] : 0.0);
      im += pair ? w[0] * v[1] - w[1] * v[0] : 0.0;
    }
    share[p] = hypot(re, im);
    sum += share[p];
  }
  for (size_t p = 0; p < s->parts; p++)
    share[p] /= sum;
}

/* What the modes together say. */
static void judge(struct cs_explanation *e) {
  const size_t n = e->network.states;
  double slowest = INFINITY, grows = -INFINITY;
  for (size_t i = 0; i < n; i++)
    e->fastest = fmax(e->fastest, size_of(&e->mode[i]));
  for (size_t i = 0; i < n; i++) {
    if (cs_explain_is_neutral(e, &e->mode[i])) continue;
    slowest = fmin(slowest, size_of(&e->mode[i]));
    grows = fmax(grows, e->mode[i].lambda.re);
  }
  e->slowest = isfinite(slowest) ? slowest : 0.0;
  e->grows = grows;
  e->growth = grows > NEUTRAL * e->fastest     ? CS_GROWTH_GROWS
              : grows >= -NEUTRAL * e->fastest ? CS_GROWTH_UNDAMPED
                                               : CS_GROWTH_DAMPED;
}

bool cs_explain_is_neutral(const struct cs_explanation *e, const struct cs_explain_mode *mode) {
  return !(size_of(mode) > NEUTRAL * e->fastest);
}

static int fill_modes(struct cs_explanation *e, struct cs_error *error) {
  const size_t n = e->network.states;
  double *room = malloc((3 * n * n + 2 * n + e->network.outputs * n + 1) * sizeof *room);
  e->mode = calloc(n + 1, sizeof *e->mode);
  if (room == NULL || e->mode == NULL) {
    free(room);
    return cs_error_memory(error);
  }
  double *m = room, *left = m + n * n, *right = left + n * n, *re = right + n * n, *im = re + n, *y = im + n;
  int code = cs_snapshot_couple(&e->network, n, e->network.a, e->network.c, y, m, &e->rcond, error);
  if (code == CS_OK) code = cs_linalg_eigenvectors(n, m, re, im, left, right, error);
  for (size_t i = 0; i < n && code == CS_OK; i++) {
    const bool pair = im[i] != 0.0;
    const bool undamped = fabs(re[i]) <= (double)n * DBL_EPSILON * fabs(im[i]); /* as far as rounding tells */
    e->mode[i].lambda = (struct cs_complex){undamped ? 0.0 : re[i], im[i]};
    e->mode[i].share = calloc(e->network.parts + 1, sizeof(double));
    if (e->mode[i].share == NULL)
      code = cs_error_memory(error);
    else
      find_shares(&e->network, left, right, i - (pair && im[i] < 0.0), pair, e->mode[i].share);
  }
  free(room);
  if (code != CS_OK) return code;
  judge(e);
  qsort(e->mode, n, sizeof *e->mode, compare_modes);
  return CS_OK;
}

int cs_explain_open_modes(const struct cs_model *model, const struct cs_explain_wish *wish, const char *command,
                          struct cs_explanation *e, struct cs_error *error) {
  *e = (struct cs_explanation){.model = model, .wish = wish};
  int code = cs_experiment_check(&wish->experiment, command, error);
  if (code == CS_OK) code = cs_experiment_freeze(&wish->experiment, model, &e->network, &e->jumping, error);
  if (code == CS_OK) code = fill_modes(e, error);
  if (code != CS_OK || !(e->fastest > 0.0)) return code;
  e->first = 0.01 / e->fastest;
  e->last = 2.0 * PI / e->slowest;
  e->small = 0.1 / e->fastest;
  return CS_OK;
}

double cs_explain_round(double value, int digits) {
  char text[32];
  snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return strtod(text, NULL);
}

double cs_explain_time_span(const struct cs_explanation *e) {
  double slowest = INFINITY;
  for (size_t i = 0; i < e->network.states; i++)
    if (!cs_explain_is_neutral(e, &e->mode[i]) && e->mode[i].lambda.re < -NEUTRAL * e->fastest)
      slowest = fmin(slowest, -e->mode[i].lambda.re);
  return cs_explain_round(isfinite(slowest) ? 5.0 / slowest : 20.0 * PI / e->slowest, 2);
}

int cs_explain_fill_gains(struct cs_explanation *e, struct cs_error *error) {
  const struct cs_snapshot *s = &e->network;
  struct cs_explain_gains *g = &e->gains;
  if (!(e->fastest > 0.0) || e->growth == CS_GROWTH_GROWS) return CS_OK;
  g->T = e->wish->t_end > 0.0 ? e->wish->t_end : cs_explain_time_span(e);
  g->connection = calloc(s->outputs * s->inputs + 1, sizeof(double));
  g->output = calloc(s->outputs * s->outputs + 1, sizeof(double));
  g->integration = calloc(s->outputs * s->states + 1, sizeof(double));
  if (g->connection == NULL || g->output == NULL || g->integration == NULL) return cs_error_memory(error);
  return cs_snapshot_gains(s, g->T, g->connection, g->output, g->integration, error);
}
