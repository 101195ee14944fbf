#include "stiff_draw.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "random_draw.h"

enum { MOST = 3 }; /* subsystems, states of each */

struct plan {
  size_t subsystems, states[MOST];
  bool direct[MOST]; /* with feed-through */
  size_t connections, from[MOST], to[MOST];
};

static const struct plan plans[STIFF_SHAPES] = {
    {2, {2, 1}, {false, false}, 2, {0, 1}, {1, 0}},
    {2, {3, 1}, {false, true}, 2, {0, 1}, {1, 0}},
    {3, {3, 2, 1}, {true, false, false}, 3, {0, 1, 2}, {1, 2, 0}},
};

/* ---- shapes */

/* Appends the next parameter, in quotes or as its declaration's name. */
static const char *next_name(struct stiff_shape *shape, const char *kind, size_t subsystem, size_t row, size_t column) {
  cr_assert_lt(shape->numbers, STIFF_NUMBERS);
  char *name = shape->name[shape->numbers++];
  snprintf(name, sizeof shape->name[0], "%s_%zu_%zu_%zu", kind, subsystem, row, column);
  return name;
}

static void add_entries(struct stiff_shape *shape, const char *kind, size_t subsystem, size_t rows, size_t columns,
                        struct cs_text *text) {
  for (size_t i = 0; i < rows; i++) {
    cs_text_add(text, "%s[", i ? ", " : "");
    for (size_t j = 0; j < columns; j++)
      cs_text_add(text, "%s\"%s\"", j ? ", " : "", next_name(shape, kind, subsystem, i, j));
    cs_text_add(text, "]");
  }
}

/* A, B, C, D, e, x0: in this order the numbers of a subsystem are drawn. */
static void add_subsystem(struct stiff_shape *shape, const struct plan *plan, size_t i, struct cs_text *text) {
  const size_t n = plan->states[i];
  cs_text_add(text, "%s{\"name\": \"s%zu\", \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"states\": [", i ? ",\n" : "",
              i);
  for (size_t q = 0; q < n; q++)
    cs_text_add(text, "%s\"x%zu\"", q ? ", " : "", q);
  cs_text_add(text, "], \"A\": [");
  add_entries(shape, "a", i, n, n, text);
  cs_text_add(text, "], \"B\": [");
  add_entries(shape, "b", i, n, 1, text);
  cs_text_add(text, "], \"C\": [");
  add_entries(shape, "c", i, 1, n, text);
  if (plan->direct[i]) {
    cs_text_add(text, "], \"D\": [");
    add_entries(shape, "d", i, 1, 1, text);
  }
  cs_text_add(text, "], \"e\": ");
  add_entries(shape, "e", i, 1, n, text);
  cs_text_add(text, ", \"x0\": ");
  add_entries(shape, "x", i, 1, n, text);
  cs_text_add(text, "}");
}

void stiff_shape_open(size_t number, struct stiff_shape *shape) {
  const struct plan *plan = &plans[number];
  struct cs_text body = {0};
  *shape = (struct stiff_shape){.numbers = 0};
  for (size_t i = 0; i < plan->subsystems; i++)
    add_subsystem(shape, plan, i, &body);
  cs_text_add(&body, "],\n\"connections\": [");
  for (size_t i = 0; i < plan->connections; i++)
    cs_text_add(&body, "%s{\"from\": \"s%zu.y\", \"to\": \"s%zu.u\", \"gain\": \"%s\"}", i ? ", " : "", plan->from[i],
                plan->to[i], next_name(shape, "g", i, 0, 0));
  cs_text_add(&shape->model, "{\"format\": \"cosweep-model/1\", \"name\": \"stiff\", \"parameters\": {");
  for (size_t i = 0; i < shape->numbers; i++)
    cs_text_add(&shape->model, "%s\"%s\": 0", i ? ", " : "", shape->name[i]);
  cs_text_add(&shape->model, "},\n\"subsystems\": [%s]}\n", body.data);
  cr_assert(!shape->model.failed && !body.failed);
  cs_text_free(&body);
}

void stiff_shape_free(struct stiff_shape *shape) {
  cs_text_free(&shape->model);
}

/* ---- numbers */

/* A subsystem by its modes, before they are mixed: x' = A x + B u + e. */
struct modes {
  size_t n;
  double A[MOST][MOST], B[MOST], e[MOST];
};

/* Every mode answers a constant input with about as much, and is at rest somewhere near 0. */
static void draw_drive(uint64_t *state, struct modes *m) {
  double input[MOST], rest[MOST];
  const bool affine = random_draw(state, 2);
  for (size_t i = 0; i < m->n; i++) {
    input[i] = random_sign(state, 0.2, 1);
    rest[i] = affine ? random_uniform(state, -0.5, 0.5) : 0;
  }
  for (size_t i = 0; i < m->n; i++) {
    m->B[i] = m->e[i] = 0;
    for (size_t j = 0; j < m->n; j++) {
      m->B[i] -= m->A[i][j] * input[j];
      m->e[i] -= m->A[i][j] * rest[j];
    }
  }
}

/* Slow lags, but for the first mode or the first two. */
static void draw_modes(uint64_t *state, enum stiff_kind kind, double fast, double H, struct modes *m) {
  memset(m->A, 0, sizeof m->A);
  for (size_t i = 0; i < m->n; i++)
    m->A[i][i] = -random_uniform(state, 0.1, 1) / H;
  if (kind == STIFF_OSCILLATOR && m->n > 1) {
    const double damping = random_uniform(state, 0.4, 0.9);
    m->A[0][0] = m->A[1][1] = -damping * fast;
    m->A[0][1] = fast * sqrt(1 - damping * damping);
    m->A[1][0] = -m->A[0][1];
  } else if (kind != STIFF_GAIN) {
    m->A[0][0] = -fast;
  }
  draw_drive(state, m);
}

/* A <- S A S^-1, B <- S B, e <- S e by elementary mixings: row i gets f times row j, column j loses f times column i.
 */
static void mix(uint64_t *state, struct modes *m) {
  for (size_t i = 0; i < m->n; i++) {
    for (size_t j = 0; j < m->n; j++) {
      const double f = random_sign(state, 0.2, 0.8);
      for (size_t q = 0; q < m->n && i != j; q++)
        m->A[i][q] += f * m->A[j][q];
      for (size_t q = 0; q < m->n && i != j; q++)
        m->A[q][j] -= f * m->A[q][i];
      m->B[i] += i != j ? f * m->B[j] : 0;
      m->e[i] += i != j ? f * m->e[j] : 0;
    }
  }
}

/* What a subsystem passes on at once: y' = passed u + ..., or y = direct u + ... */
struct gains {
  double passed, direct;
};

/* Of the subsystem `i`, from `value` on. Returns the place behind. */
static double *put_subsystem(uint64_t *state, const struct plan *plan, size_t i, const struct modes *m, double *next,
                             struct gains *gains) {
  gains->passed = gains->direct = 0;
  for (size_t p = 0; p < m->n; p++)
    for (size_t q = 0; q < m->n; q++)
      *next++ = m->A[p][q];
  for (size_t p = 0; p < m->n; p++)
    *next++ = m->B[p];
  for (size_t p = 0; p < m->n; p++) {
    *next = random_sign(state, 0.2, 1) / (double)m->n;
    gains->passed += *next++ * m->B[p];
  }
  if (plan->direct[i]) gains->direct = *next++ = random_sign(state, 0.1, 0.6);
  for (size_t p = 0; p < m->n; p++)
    *next++ = m->e[p];
  for (size_t p = 0; p < m->n; p++)
    *next++ = random_sign(state, 0.2, 1);
  return next;
}

/* What the connection between the last two subsystems has to be for a fast mode of the loop that decays and that no
 * subsystem has: a lag through feed-through, else a damped oscillator of a lag as fast and a slow subsystem. */
static double stiff_gain(uint64_t *state, const struct plan *plan, const struct gains *gains, const double *gain,
                         double fast) {
  double loop = 1;
  bool lag = false;
  for (size_t i = 0; i < plan->subsystems; i++) {
    loop *= plan->direct[i] ? gains[i].direct : gains[i].passed;
    loop *= i + 2 == plan->subsystems ? 1 : gain[i];
  }
  for (size_t i = 0; i < plan->subsystems; i++)
    lag = lag || (plan->direct[i] && plan->subsystems == 2);
  return -(lag ? fast : random_uniform(state, 0.3, 0.6) * fast * fast) / loop;
}

/* Some networks are coupled one way only. */
void stiff_draw(uint64_t *state, size_t shape, double rate, double H, struct stiff_network *network) {
  const struct plan *plan = &plans[shape];
  struct gains gains[MOST];
  double *next = network->value;
  network->kind = (enum stiff_kind)random_draw(state, STIFF_KINDS);
  network->rate = rate;
  const bool by_gain = network->kind == STIFF_GAIN, all = random_draw(state, 4) == 0;
  const size_t last = plan->subsystems - 1, fast = by_gain ? last : random_draw(state, plan->subsystems);
  for (size_t i = 0; i < plan->subsystems; i++) {
    struct modes m = {.n = plan->states[i]};
    const bool is_fast = by_gain ? i == last && !plan->direct[i] : i == fast || all;
    draw_modes(state, !is_fast ? STIFF_GAIN : by_gain ? STIFF_LAG : network->kind, rate / H, H, &m);
    mix(state, &m);
    next = put_subsystem(state, plan, i, &m, next, &gains[i]);
  }
  const bool one_way = random_draw(state, 3) == 0;
  for (size_t i = 0; i < plan->connections; i++)
    next[i] = random_sign(state, 0.2, 0.8);
  if (by_gain)
    next[last - 1] = stiff_gain(state, plan, gains, next, rate / H);
  else if (one_way)
    next[last] = 0;
}
