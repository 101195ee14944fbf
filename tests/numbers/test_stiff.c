/* Random stiff networks against the plain reference in quadruple precision: ||M||H log-uniform up to DRAWN_TO over
 * orders, holds, masters, starts, feed-throughs, solvers and controls, with both engines.
 *
 * Every value has to be right to 1e-9 of itself or to UNITS times the rounding of the signals that are subtracted. The
 * distribution of the deviation by what is allowed is printed. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain_judge.h"
#include "plain_quad.h"
#include "random_draw.h"
#include "stiff_draw.h"

enum { METHODS = 25, REMEMBERED = 4, SETS = 8, MOST_VALUES = 200000 };

#define DRAWN_TO 1e8
#define RELATIVE 1e-9
#define UNITS 100
#define SIZE 0.125 /* H */

/* ---- methods */

struct stiff_method {
  size_t shape;
  const char *hold, *start, *solver, *memory, *feedthrough, *error_at, *engine, *control;
  size_t order, iterations;
  bool sequence;
};

static const char *const holds[] = {"lagrange", "lagrange", "backward_difference", "taylor"};
static const char *const starts[] = {"ramp", "zero", "ramp", "consistent"};
static const char *const solvers[] = {"exact", "exact", "implicit_euler", "trapezoidal"};
static const char *const controls[] = {"pi_defect", "threshold", "richardson"};

static struct stiff_method draw_method(uint64_t *state, size_t number) {
  struct stiff_method m = {.shape = number % STIFF_SHAPES, .order = number / 3 % 4};
  m.engine = number % 2 ? "double" : "step";
  m.hold = random_word(state, holds, 4);
  m.start = random_word(state, starts, 4);
  m.solver = random_word(state, solvers, 4);
  m.error_at = random_draw(state, 2) ? "continuous" : "points";
  m.sequence = random_draw(state, 2);
  m.iterations = random_draw(state, 3) == 0;
  m.feedthrough = random_draw(state, 2) ? "solved" : "explicit";
  if (strcmp(m.hold, "taylor") == 0 && !m.sequence && random_draw(state, 2)) m.feedthrough = "refresh";
  if (strcmp(m.feedthrough, "refresh") == 0) m.iterations = 0;
  if (number % 5 == 4) {
    m.control = random_word(state, controls, 3);
    m.engine = "auto";
  }
  return m;
}

/* The largest rate that a method can be judged at: an exact past that grows as e^rate, or what derivatives leave of the
 * reference's digits. */
static double largest_rate(const struct stiff_method *m) {
  const bool taylor = strcmp(m->hold, "taylor") == 0;
  if (!taylor && m->order > 0 && strcmp(m->start, "consistent") == 0) return fmin(DRAWN_TO, 18.0 / (double)m->order);
  return taylor ? fmin(DRAWN_TO, pow(1e19, 1 / ((double)m->order + 1))) : DRAWN_TO;
}

static void add_control(const char *control, struct cs_text *text) {
  if (control == NULL)
    cs_text_add(text, "{\"control\": \"fixed\", \"size\": %.17g}", SIZE);
  else if (strcmp(control, "threshold") == 0)
    cs_text_add(text,
                "{\"control\": \"threshold\", \"signal\": \"s0.y\", \"threshold\": 0.1, \"above\": %.17g, \"below\": "
                "%.17g}",
                SIZE, SIZE / 3);
  else if (strcmp(control, "pi_defect") == 0)
    cs_text_add(text,
                "{\"control\": \"pi_defect\", \"initial\": %.17g, \"max\": %.17g, \"min\": %.17g, "
                "\"tolerance\": 0.01}",
                SIZE / 2, SIZE, SIZE / 4);
  else
    cs_text_add(text,
                "{\"control\": \"richardson\", \"initial\": %.17g, \"max\": %.17g, \"min\": %.17g, "
                "\"rtol\": 0.1, \"atol\": 0.1, \"accept\": 1e300}",
                SIZE, SIZE, SIZE / 4);
}

static char *write_sweep(const struct stiff_method *m, const struct stiff_shape *shape,
                         const struct stiff_network *networks) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"stiff\", \"model\": \"model.json\", \"t_end\": 1,\n"
              "\"method\": {\"master\": \"%s\", \"iterations\": %zu, \"hold\": \"%s\", \"order\": %zu, \"start\": "
              "\"%s\",\n\"solver\": \"%s\", \"feedthrough\": \"%s\", \"error_at\": \"%s\", \"engine\": \"%s\", ",
              m->sequence ? "gauss_seidel" : "jacobi", m->iterations, m->hold, m->order, m->start, m->solver,
              m->feedthrough, m->error_at, m->engine);
  if (m->memory != NULL) cs_text_add(&text, "\"memory\": \"%s\", \"micro_steps\": 2, ", m->memory);
  cs_text_add(&text, "\"step\": ");
  add_control(m->control, &text);
  cs_text_add(&text,
              "},\n\"metrics\": [\"output_defect\", \"output_defect_true\", \"connection_defect\", "
              "\"integration_defect\", \"output_error\", \"input_error\", \"state_error\", "
              "\"output_error_final\", \"input_error_final\", \"state_error_final\"%s],\n"
              "\"axes\": [{\"name\": \"set\", \"zip\": {",
              m->control != NULL ? ", \"steps\"" : "");
  for (size_t i = 0; i < shape->numbers; i++) {
    cs_text_add(&text, "%s\"parameters.%s\": [", i ? ",\n" : "", shape->name[i]);
    for (size_t set = 0; set < SETS; set++)
      cs_text_add(&text, "%s%.17g", set ? ", " : "", networks[set].value[i]);
    cs_text_add(&text, "]");
  }
  cs_text_add(&text, "}}]}\n");
  cr_assert(!text.failed);
  return text.data;
}

/* ---- judging */

/* Deviations by what is allowed, of all values or of a class of them. */
struct class {
  char name[64];
  double *value;
  size_t values, wrong;
};

enum { CLASSES = 64 };

struct judging {
  struct class class[CLASSES];
  size_t classes, wrong, runs, failed;
  const char *name[8]; /* classes of the run at hand */
  size_t names;
  char what[256];
};

static struct class *class_of(struct judging *j, const char *name) {
  size_t i = 0;
  while (i < j->classes && strcmp(j->class[i].name, name) != 0)
    i++;
  if (i == j->classes) {
    cr_assert_lt(j->classes++, CLASSES);
    snprintf(j->class[i].name, sizeof j->class[i].name, "%s", name);
    j->class[i].value = malloc(MOST_VALUES * sizeof(double));
    cr_assert_not_null(j->class[i].value);
  }
  return &j->class[i];
}

static void take(struct judging *j, const char *name, double ratio) {
  struct class *class = class_of(j, name);
  cr_assert_lt(class->values, MOST_VALUES);
  class->value[class->values++] = ratio;
  class->wrong += ratio > 1;
}

static void look(void *context, const struct plain_verdict *v) {
  struct judging *j = context;
  double ratio = fmin(v->relative / RELATIVE, v->units / UNITS);
  if (isnan(ratio) || isnan(v->actual)) ratio = INFINITY;
  take(j, "all", ratio);
  take(j, cs_metric_table[v->metric].name, ratio);
  for (size_t i = 0; i < j->names; i++)
    take(j, j->name[i], ratio);
  if (ratio > 1 && j->wrong++ < 20)
    fprintf(stderr, "%s: %s of %s: %.17g, want %.17g (size %.3g, %.3g of what is allowed)\n", j->what,
            cs_metric_table[v->metric].name, v->signal, v->actual, v->expected, v->size, ratio);
}

static int ascending(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void print(struct judging *j) {
  fprintf(stderr, "%zu runs, %zu not judged; deviation by what is allowed:\n%-24s %7s %9s %9s %9s %9s %7s\n", j->runs,
          j->failed, "", "values", "median", "90 %", "99 %", "worst", "beyond");
  for (size_t i = 0; i < j->classes; i++) {
    const struct class *c = &j->class[i];
    qsort(c->value, c->values, sizeof *c->value, ascending);
    fprintf(stderr, "%-24s %7zu %9.2g %9.2g %9.2g %9.2g %7zu\n", c->name, c->values, c->value[c->values / 2],
            c->value[c->values * 9 / 10], c->value[c->values * 99 / 100], c->value[c->values - 1], c->wrong);
    free(c->value);
  }
}

/* ---- runs */

static void judge_run(struct harness *harness, const struct stiff_method *m, size_t set,
                      const struct stiff_network *network, struct plain_result *result, struct judging *j) {
  static const char *const kinds[] = {"lag", "oscillator", "gain"};
  char rate[32], order[32];
  snprintf(rate, sizeof rate, "rate to 1e%d", (int)ceil(log10(fmax(network->rate, 1.01))));
  snprintf(order, sizeof order, "order %zu", m->order);
  j->names = 0;
  const char *names[] = {rate, order, m->hold, m->solver, m->engine, m->start, m->error_at, kinds[network->kind]};
  memcpy(j->name, names, sizeof names);
  j->names = sizeof names / sizeof *names;
  snprintf(j->what, sizeof j->what, "shape %zu, %s, %s %zu, %s, %s, %s, %s, %s%s, rate %.3g", m->shape, m->engine,
           m->hold, m->order, m->start, m->solver, m->feedthrough, m->control != NULL ? m->control : "fixed",
           m->sequence ? "gauss_seidel" : "jacobi", m->iterations ? " iterated" : "", network->rate);
  j->runs++;
  const double status = harness_value(harness->table, "status", &set, NULL);
  plain_run(harness->sweep, set, NULL, NULL, result);
  if (status == 0)
    plain_judge(harness->sweep, harness->table, set, result, look, j);
  else
    fprintf(stderr, "%s: status %g\n", j->what, status);
  j->failed += status != 0;
}

static void judge_method(struct harness *harness, uint64_t *state, const struct stiff_method *m,
                         struct plain_result *result, struct judging *j) {
  struct stiff_network networks[SETS];
  struct stiff_shape shape;
  stiff_shape_open(m->shape, &shape);
  for (size_t set = 0; set < SETS; set++)
    stiff_draw(state, m->shape, pow(10, random_uniform(state, 0, log10(largest_rate(m)))), SIZE, &networks[set]);
  char *sweep = write_sweep(m, &shape, networks);
  harness_write(harness, "model.json", shape.model.data);
  harness_load(harness, sweep);
  harness_run(harness);
  for (size_t set = 0; set < SETS; set++)
    judge_run(harness, m, set, &networks[set], result, j);
  free(sweep);
  stiff_shape_free(&shape);
}

static void judge_methods(struct harness *harness, uint64_t seed, size_t count, struct plain_result *result,
                          struct judging *j) {
  uint64_t state = seed;
  for (size_t i = 0; i < count; i++) {
    const struct stiff_method m = draw_method(&state, i);
    judge_method(harness, &state, &m, result, j);
  }
}

Test(stiff, networks_match_quadruple_precision) {
  struct harness harness;
  struct judging *j = calloc(1, sizeof *j);
  struct plain_result *result = malloc(sizeof *result);
  cr_assert(j != NULL && result != NULL);
  harness_open(&harness);
  judge_methods(&harness, 20, METHODS, result, j);
  judge_methods(&harness, 22, 1, result, j); /* a small state in a large fast oscillation */
  print(j);
  cr_assert_eq(j->wrong, 0, "%zu values", j->wrong);
  free(result);
  free(j);
  harness_close(&harness);
}

/* bdf2 goes on from plain values where micro steps are beyond the reach of series. */
Test(stiff, memory_of_solvers_matches_quadruple_precision) {
  struct harness harness;
  struct judging *j = calloc(1, sizeof *j);
  struct plain_result *result = malloc(sizeof *result);
  uint64_t state = 23;
  cr_assert(j != NULL && result != NULL);
  harness_open(&harness);
  for (size_t i = 0; i < REMEMBERED; i++) {
    struct stiff_method m = draw_method(&state, i);
    m.solver = "bdf2";
    m.memory = "keep";
    judge_method(&harness, &state, &m, result, j);
  }
  print(j);
  cr_assert_eq(j->wrong, 0, "%zu values", j->wrong);
  free(result);
  free(j);
  harness_close(&harness);
}

/* ---- loops of large gain */

static void count_wrong(void *context, const struct plain_verdict *v) {
  struct judging *j = context;
  j->runs++;
  if (v->relative <= RELATIVE || v->units <= UNITS) return;
  if (j->wrong++ < 20)
    fprintf(stderr, "%s: %s of %s: %.17g, want %.17g\n", j->what, cs_metric_table[v->metric].name, v->signal, v->actual,
            v->expected);
}

/* Converged iterations of a loop that has a gain of g. direct: what the first subsystem passes on directly; without,
 * the network is stiff. */
static void judge_loop(const char *direct, double H, struct plain_result *result) {
  struct harness harness;
  struct judging j = {.runs = 0};
  struct cs_text model = {0}, sweep = {0};
  cs_text_add(&model,
              "{\"format\": \"cosweep-model/1\", \"name\": \"loop\", \"parameters\": {\"g\": 1}, \"subsystems\": [\n"
              "{\"name\": \"a\", \"states\": [\"x\", \"v\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1, "
              "0.5], [-0.5, -2]], \"B\": [[2], [1]], \"C\": [[1, 1]], \"D\": [[%s]], \"x0\": [0.5, 0.25], \"e\": [1, "
              "0]},\n"
              "{\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-2]], "
              "\"B\": [[2]], \"C\": [[-0.75]], \"D\": [[-0.5]], \"x0\": [-0.5]}],\n"
              "\"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\", \"gain\": \"-g\"}, {\"from\": \"b.y\", "
              "\"to\": \"a.u\", \"gain\": -0.5}]}\n",
              direct);
  cs_text_add(&sweep,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 2, \"method\": "
              "{\"iterations\": \"converged\", \"hold\": \"taylor\", \"error_at\": \"points\", \"start\": \"ramp\", "
              "\"step\": {\"size\": %g}},\n\"axes\": [{\"name\": \"g\", \"path\": \"parameters.g\", \"values\": [5e3, "
              "2e5, 1e6]}, {\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1]}, {\"name\": \"f\", "
              "\"path\": \"method.feedthrough\", \"values\": [\"explicit\", \"solved\"]}],\n"
              "\"metrics\": [\"output_error\", \"input_error\", \"state_error\", \"output_error_final\"]}\n",
              H);
  harness_open(&harness);
  harness_write(&harness, "model.json", model.data);
  harness_load(&harness, sweep.data);
  harness_run(&harness);
  for (size_t run = 0; run < harness.sweep->runs; run++) {
    snprintf(j.what, sizeof j.what, "D %s, run %zu", direct, run);
    plain_run(harness.sweep, run, NULL, NULL, result);
    plain_judge(harness.sweep, harness.table, run, result, count_wrong, &j);
  }
  fprintf(stderr, "D %s: %zu values\n", direct, j.runs);
  cr_expect_eq(j.wrong, 0, "%zu values", j.wrong);
  cs_text_free(&model);
  cs_text_free(&sweep);
  harness_close(&harness);
}

Test(stiff, converged_loops_of_large_gain_match) {
  struct plain_result *result = malloc(sizeof *result);
  cr_assert_not_null(result);
  judge_loop("0", 0.2, result);
  judge_loop("-0.5", 0.2, result);
  free(result);
}
