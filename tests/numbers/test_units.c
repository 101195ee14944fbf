/* Units are a convention: random networks in other units of states and signals, by factors of 10^-8 to 10^8, have the
 * same results in those units and the same statuses, and so have networks with their subsystems in another order. All
 * are parameter sets of one model, three subsystems with two states, an input and an output each. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine_case.h"
#include "random_draw.h"

enum { SUBSYSTEMS = 3, STATES = 2, NETWORKS = 100, WAYS = 3, MOST = 64 };
enum way { GIVEN, OTHER_UNITS, OTHER_ORDER };

/* Units of states, inputs, outputs, and of the constant 1. */
enum { INPUT = SUBSYSTEMS * STATES, OUTPUT = INPUT + SUBSYSTEMS, ONE = OUTPUT + SUBSYSTEMS, UNITS };

/* A parameter: an entry that takes what has unit `from` to what has unit `to`. */
struct entry {
  char name[16];
  size_t to, from;
};

struct shape {
  struct entry entry[MOST];
  size_t count;
};

static size_t state(size_t s, size_t i) {
  return STATES * s + i;
}

static void add(struct shape *shape, const char *kind, size_t to, size_t from) {
  struct entry *e = &shape->entry[shape->count++];
  snprintf(e->name, sizeof e->name, "%s_%zu_%zu", kind, to, from);
  e->to = to;
  e->from = from;
}

static void make_shape(struct shape *shape) {
  shape->count = 0;
  for (size_t s = 0; s < SUBSYSTEMS; s++) {
    for (size_t i = 0; i < STATES; i++) {
      for (size_t j = 0; j < STATES; j++)
        add(shape, "A", state(s, i), state(s, j));
      add(shape, "B", state(s, i), INPUT + s);
      add(shape, "C", OUTPUT + s, state(s, i));
      add(shape, "e", state(s, i), ONE);
      add(shape, "x0", state(s, i), ONE);
    }
    add(shape, "D", OUTPUT + s, INPUT + s);
    add(shape, "f", OUTPUT + s, ONE);
    add(shape, "b", INPUT + s, ONE);
    for (size_t t = 0; t < SUBSYSTEMS; t++)
      add(shape, "L", INPUT + s, OUTPUT + t);
  }
  cr_assert_leq(shape->count, MOST);
}

static double *value_of(const struct shape *shape, double *value, const char *kind, size_t to, size_t from) {
  char name[16];
  snprintf(name, sizeof name, "%s_%zu_%zu", kind, to, from);
  for (size_t i = 0; i < shape->count; i++)
    if (strcmp(shape->entry[i].name, name) == 0) return &value[i];
  cr_assert_fail("no %s", name);
  return NULL;
}

/* ---- networks */

enum kind { DENSE, CASCADE, CHAIN, LOOP, SPARSE, SINGULAR, KINDS };

static double uniform(uint64_t *random) {
  return (double)random_draw(random, 2000001) / 1e6 - 1.0;
}

/* Whether an entry is 0 in a network of the kind. */
static bool is_absent(const struct entry *e, enum kind kind, uint64_t *random) {
  const bool constant = e->from == ONE, feedthrough = e->name[0] == 'D';
  if (kind == SPARSE) return random_draw(random, 3) == 0;
  if (kind == DENSE || kind == SINGULAR) return feedthrough;
  if (kind == LOOP || constant) return false;
  if (e->name[0] == 'L') return e->from - OUTPUT <= e->to - INPUT;
  if (e->name[0] == 'A') return kind == CHAIN ? e->from >= e->to : e->from > e->to;
  return feedthrough && kind == CHAIN;
}

/* Subsystem s has modes of rates about `rate` to the power of s, all of which decay, unless that is 1. */
static double rate_of(const struct entry *e, double rate, double value) {
  const bool own = e->name[0] == 'A';
  if ((!own && e->name[0] != 'B') || rate == 1.0) return value;
  return pow(rate, (double)(e->to / STATES)) * (value - (own && e->to == e->from ? 2.0 : 0.0));
}

static void draw_network(const struct shape *shape, enum kind kind, double rate, uint64_t *random, double *value) {
  for (size_t i = 0; i < shape->count; i++) {
    const double v = uniform(random);
    value[i] = rate_of(&shape->entry[i], rate, is_absent(&shape->entry[i], kind, random) ? 0.0 : v);
  }
  if (kind != SINGULAR) return;
  *value_of(shape, value, "D", OUTPUT, INPUT) = *value_of(shape, value, "D", OUTPUT + 1, INPUT + 1) = 1.0;
  *value_of(shape, value, "L", INPUT, OUTPUT + 1) = *value_of(shape, value, "L", INPUT + 1, OUTPUT) = 1.0;
  *value_of(shape, value, "L", INPUT, OUTPUT) = *value_of(shape, value, "L", INPUT + 1, OUTPUT + 1) = 0.0;
}

static void draw_units(uint64_t *random, double *unit) {
  for (size_t i = 0; i < UNITS; i++)
    unit[i] = i == ONE ? 1.0 : pow(10.0, (double)random_draw(random, 17) - 8.0);
}

/* Where a state or signal is in the other order: subsystems 1, 2, 3 as 3, 1, 2. */
static size_t moved(size_t unit) {
  if (unit == ONE) return ONE;
  const size_t width = unit < INPUT ? STATES : 1, first = unit < INPUT ? 0 : unit < OUTPUT ? INPUT : OUTPUT;
  const size_t s = (unit - first) / width, i = (unit - first) % width;
  return first + (s + 2) % SUBSYSTEMS * width + i;
}

struct population {
  size_t networks;
  struct shape shape;
  double value[NETWORKS * WAYS][MOST], unit[NETWORKS][UNITS];
};

static void populate(size_t networks, double rate, struct population *p) {
  uint64_t random = 20;
  p->networks = networks;
  make_shape(&p->shape);
  for (size_t n = 0; n < p->networks; n++) {
    double *given = p->value[n * WAYS];
    draw_network(&p->shape, (enum kind)(n % KINDS), rate, &random, given);
    draw_units(&random, p->unit[n]);
    for (size_t i = 0; i < p->shape.count; i++) {
      const struct entry *e = &p->shape.entry[i];
      char kind[4];
      sscanf(e->name, "%3[^_]", kind);
      p->value[n * WAYS + OTHER_UNITS][i] = given[i] * (p->unit[n][e->to] / p->unit[n][e->from]);
      *value_of(&p->shape, p->value[n * WAYS + OTHER_ORDER], kind, moved(e->to), moved(e->from)) = given[i];
    }
  }
}

/* ---- files */

static void write_model(struct harness *harness, const struct shape *shape) {
  struct cs_text t = {0};
  cs_text_add(&t, "{\"format\": \"cosweep-model/1\", \"name\": \"units\", \"parameters\": {");
  for (size_t i = 0; i < shape->count; i++)
    cs_text_add(&t, "%s\"%s\": 0", i > 0 ? ", " : "", shape->entry[i].name);
  cs_text_add(&t, "},\n\"subsystems\": [\n");
  for (size_t s = 0; s < SUBSYSTEMS; s++) {
    const size_t x = state(s, 0), y = state(s, 1), u = INPUT + s, o = OUTPUT + s;
    cs_text_add(&t, "%s{\"name\": \"s%zu\", \"states\": [\"x\", \"y\"], \"inputs\": [\"u\"], \"outputs\": [\"o\"],\n",
                s > 0 ? ",\n" : "", s);
    cs_text_add(&t, "\"A\": [[\"A_%zu_%zu\", \"A_%zu_%zu\"], [\"A_%zu_%zu\", \"A_%zu_%zu\"]],\n", x, x, x, y, y, x, y,
                y);
    cs_text_add(&t, "\"B\": [[\"B_%zu_%zu\"], [\"B_%zu_%zu\"]], \"C\": [[\"C_%zu_%zu\", \"C_%zu_%zu\"]],\n", x, u, y, u,
                o, x, o, y);
    cs_text_add(&t, "\"D\": [[\"D_%zu_%zu\"]], \"f\": [\"f_%zu_%d\"],\n", o, u, o, ONE);
    cs_text_add(&t, "\"e\": [\"e_%zu_%d\", \"e_%zu_%d\"], \"x0\": [\"x0_%zu_%d\", \"x0_%zu_%d\"]}", x, ONE, y, ONE, x,
                ONE, y, ONE);
  }
  cs_text_add(&t, "],\n\"connections\": [");
  for (size_t s = 0; s < SUBSYSTEMS; s++) {
    cs_text_add(&t, "%s{\"to\": \"s%zu.u\", \"value\": \"b_%zu_%d\"}", s > 0 ? ",\n" : "", s, INPUT + s, ONE);
    for (size_t o = 0; o < SUBSYSTEMS; o++)
      cs_text_add(&t, ",\n{\"from\": \"s%zu.o\", \"to\": \"s%zu.u\", \"gain\": \"L_%zu_%zu\"}", o, s, INPUT + s,
                  OUTPUT + o);
  }
  cs_text_add(&t, "]}\n");
  cr_assert(!t.failed);
  harness_write(harness, "model.json", t.data);
  cs_text_free(&t);
}

/* Runs all parameter sets: run n WAYS + way. */
static void run(struct harness *harness, const struct population *p, const char *study, const char *method,
                const char *metrics, struct engine_case *result) {
  struct cs_text t = {0};
  cs_text_add(&t,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"units\", \"model\": \"model.json\", %s,\n"
              "\"method\": {%s},\n\"metrics\": %s, \"axes\": [{\"name\": \"set\", \"zip\": {\n",
              study, method, metrics);
  for (size_t i = 0; i < p->shape.count; i++) {
    cs_text_add(&t, "%s\"parameters.%s\": [", i > 0 ? ",\n" : "", p->shape.entry[i].name);
    for (size_t n = 0; n < p->networks * WAYS; n++)
      cs_text_add(&t, "%s%.17g", n > 0 ? ", " : "", p->value[n][i]);
    cs_text_add(&t, "]");
  }
  cs_text_add(&t, "}}]}\n");
  cr_assert(!t.failed);
  write_model(harness, &p->shape);
  engine_case_run(harness, t.data, 0, 0, result);
  cs_text_free(&t);
}

/* ---- comparison */

static const struct {
  const char *name;
  size_t first; /* unit of the first signal; ONE: of all */
} metrics[] = {{"output_error", OUTPUT},  {"input_error", INPUT},
               {"state_error", 0},        {"output_error_final", OUTPUT},
               {"state_error_final", 0},  {"connection_defect", INPUT},
               {"output_defect", OUTPUT}, {"output_exact", OUTPUT},
               {"error_bound", OUTPUT},   {"t_final", ONE}};

/* A metric of run `way` of network n beside that of the network as given: to 1e-9, or 1e-13 of its largest value and of
 * `floor`. */
static void compare_metric(const struct population *p, const struct engine_case *result, size_t n, enum way way,
                           size_t m, double floor, struct harness_check *check) {
  size_t signals;
  const double *given = engine_case_values(result, metrics[m].name, n * WAYS, &signals);
  const double *other = engine_case_values(result, metrics[m].name, n * WAYS + way, &signals);
  double largest = floor;
  for (size_t i = 0; i < signals; i++)
    largest = fmax(largest, fabs(given[i]));
  for (size_t i = 0; i < signals; i++) {
    const size_t unit = metrics[m].first == ONE ? ONE : metrics[m].first + i;
    const size_t at = way == OTHER_ORDER && unit != ONE ? moved(unit) - metrics[m].first : i;
    const double value = way == OTHER_UNITS ? other[at] / p->unit[n][unit] : other[at];
    harness_compare(check, value, given[i], 1e-9, 1e-13 * largest, "%s[%zu] of network %zu, way %d", metrics[m].name, i,
                    n, (int)way);
  }
}

/* Bounds of a run hold, but for rounding of states of size 1. */
static void expect_bounds(const struct engine_case *result, size_t run) {
  size_t signals;
  const double *error = engine_case_values(result, "output_error", run, &signals);
  const double *bound = engine_case_values(result, "error_bound", run, &signals);
  for (size_t i = 0; i < signals; i++)
    cr_expect(error[i] <= bound[i] * (1.0 + 1e-9) + 1e-13, "run %zu, output %zu: error %g, bound %g", run, i, error[i],
              bound[i]);
}

#define METRICS                                                                                          \
  "[\"output_error\", \"input_error\", \"state_error\", \"output_error_final\", \"state_error_final\", " \
  "\"connection_defect\", \"output_defect\", \"output_exact\", \"error_bound\", \"t_final\", \"steps\"]"

static void expect_same(size_t networks, double rate, const char *method, enum way last) {
  static struct population p;
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case result;
  size_t ended = 0;
  populate(networks, rate, &p);
  harness_open(&harness);
  run(&harness, &p, "\"study\": \"simulation\", \"t_end\": 2", method, METRICS, &result);
  for (size_t n = 0; n < networks; n++)
    for (enum way way = OTHER_UNITS; way <= last; way++) {
      const int status = engine_case_status(&result, n * WAYS);
      cr_expect_eq(engine_case_status(&result, n * WAYS + way), status, "network %zu, way %d", n, (int)way);
      ended += status == 0;
      cr_expect_eq(status == 4, n % KINDS == SINGULAR, "network %zu: %d", n, status);
      if (status != 0) continue;
      cr_expect_eq(engine_case_steps(&result, n * WAYS + way), engine_case_steps(&result, n * WAYS));
      for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++)
        compare_metric(&p, &result, n, way, m, rate == 1.0 ? 0.0 : 1.0, &check);
      if (way == OTHER_UNITS) expect_bounds(&result, n * WAYS);
    }
  harness_finish(&check, "units");
  cr_expect_gt(ended, networks / 2);
  engine_case_free(&result);
  harness_close(&harness);
}

Test(units, stepped) {
  expect_same(NETWORKS, 1, "\"hold\": \"lagrange\", \"order\": 1, \"engine\": \"step\", \"step\": {\"size\": 0.25}",
              OTHER_ORDER);
}

Test(units, doubled_with_a_solver) {
  expect_same(NETWORKS, 1,
              "\"hold\": \"taylor\", \"order\": 2, \"feedthrough\": \"explicit\", \"master\": \"gauss_seidel\", "
              "\"solver\": \"heun\", \"engine\": \"double\", \"step\": {\"size\": 0.125}",
              OTHER_UNITS);
}

Test(units, in_brief_runs) {
  expect_same(NETWORKS, 1, "\"hold\": \"lagrange\", \"order\": 0, \"step\": {\"size\": 1}", OTHER_ORDER);
}

Test(units, variable_steps) {
  expect_same(NETWORKS, 1,
              "\"hold\": \"lagrange\", \"order\": 1, \"step\": {\"control\": \"richardson\", \"initial\": 0.1, "
              "\"atol\": 0, \"rtol\": 1e-3, \"min\": 0.01, \"max\": 0.5, \"accept\": 1e9}",
              OTHER_UNITS);
}

/* Rates up to 10^6 /s. Errors of fast states, which follow their inputs, are rounding of states of size 1; gains have
 * the digits that rounding of the fastest mode leaves of slow ones. */
Test(units, stiff_networks) {
  expect_same(
      24, 1e3,
      "\"hold\": \"lagrange\", \"order\": 1, \"start\": \"ramp\", \"engine\": \"step\", \"step\": {\"size\": 0.25}",
      OTHER_ORDER);
  expect_same(24, 1e3,
              "\"hold\": \"taylor\", \"order\": 1, \"start\": \"ramp\", \"feedthrough\": \"explicit\", "
              "\"solver\": \"implicit_euler\", \"engine\": \"double\", \"step\": {\"size\": 0.25}",
              OTHER_UNITS);
}

/* ---- chains */

/* Twelve integrators in units that differ by q each, y = t^11/11!, another that receives y, and a slow lag of rate
 * `lag` which the others do not see. A feedback of `back` closes the chain. */
static void write_chain(struct harness *harness) {
  enum { LEVELS = 12 };
  struct cs_text t = {0};
  cs_text_add(&t,
              "{\"format\": \"cosweep-model/1\", \"name\": \"chain\", \"parameters\": {\"q\": 1, \"x\": 1, \"lag\": 0, "
              "\"back\": 0},\n"
              "\"subsystems\": [{\"name\": \"source\", \"states\": [");
  for (size_t i = 0; i < LEVELS; i++)
    cs_text_add(&t, "\"x%zu\", ", i);
  cs_text_add(&t, "\"slow\"], \"inputs\": [], \"outputs\": [\"y\"], \"A\": [");
  for (size_t i = 0; i <= LEVELS; i++) {
    cs_text_add(&t, "%s[", i > 0 ? ", " : "");
    for (size_t j = 0; j <= LEVELS; j++)
      cs_text_add(&t, "%s%s", j > 0 ? ", " : "",
                  i == LEVELS && j == LEVELS  ? "\"-lag\""
                  : i == LEVELS - 1 && j == 0 ? "\"back*x\""
                  : j < LEVELS && j == i + 1  ? "\"q\""
                                              : "0");
    cs_text_add(&t, "]");
  }
  cs_text_add(
      &t,
      "],\n\"C\": [[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]], \"x0\": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \"x\", 1]},\n"
      "{\"name\": \"sink\", \"states\": [\"z\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[0]], "
      "\"B\": [[\"q\"]], \"C\": [[\"1/q\"]]}],\n"
      "\"connections\": [{\"from\": \"source.y\", \"to\": \"sink.u\"}]}\n");
  cr_assert(!t.failed);
  harness_write(harness, "model.json", t.data);
  cs_text_free(&t);
}

/* By rational arithmetic, from 0 in all states but one, four steps. They are brief for a feedback of 1e-30, which has
 * no effect. */
Test(units, chains_are_exact) {
  static const char *const step[] = {
      "\"engine\": \"step\", \"step\": {\"size\": 1}", "\"engine\": \"double\", \"step\": {\"size\": 1}",
      "\"step\": {\"control\": \"threshold\", \"signal\": \"source.y\", \"threshold\": 0, \"above\": 1, \"below\": 1}"};
  const double input = 0.020240597777792576, final = 0.030536148522259634;
  struct harness harness;
  struct harness_check check = {0};
  harness_open(&harness);
  write_chain(&harness);
  for (size_t s = 0; s < sizeof step / sizeof *step; s++) {
    struct engine_case result;
    struct cs_text t = {0};
    size_t signals;
    cs_text_add(
        &t,
        "{\"format\": \"cosweep-sweep/1\", \"name\": \"chain\", \"model\": \"model.json\", \"t_end\": 4,\n"
        "\"method\": {\"hold\": \"lagrange\", \"order\": 0, %s},\n"
        "\"metrics\": [\"input_error\", \"output_error_final\"], \"axes\": [\n"
        "{\"name\": \"kind\", \"zip\": {\"parameters.lag\": [0, 0.02, 0], \"parameters.back\": [0, 0, 1e-30]}},\n"
        "{\"name\": \"q\", \"zip\": {\"parameters.q\": [1, 1e-6], \"parameters.x\": [1, 1e66]}}]}\n",
        step[s]);
    cr_assert(!t.failed);
    engine_case_run(&harness, t.data, 0, 0, &result);
    for (size_t i = 0; i < 6; i++) {
      harness_compare(&check, engine_case_values(&result, "input_error", i, &signals)[0], input, 1e-11, 0,
                      "input error of run %zu, way %zu", i, s);
      harness_compare(&check, engine_case_values(&result, "output_error_final", i, &signals)[1], final, 1e-11, 0,
                      "error at the end of run %zu, way %zu", i, s);
    }
    engine_case_free(&result);
    cs_text_free(&t);
  }
  harness_finish(&check, "chains");
  harness_close(&harness);
}

/* ---- stability */

Test(units, stability) {
  static struct population p;
  struct harness harness;
  struct harness_check check = {0};
  struct engine_case result;
  populate(NETWORKS, 1, &p);
  harness_open(&harness);
  run(&harness, &p, "\"study\": \"stability\"", "\"hold\": \"lagrange\", \"order\": 1, \"step\": {\"size\": 0.5}",
      "[\"spectral_radius\", \"spectral_radius_exact\", \"spectral_radius_decaying\"]", &result);
  for (size_t n = 0; n < p.networks; n++)
    for (enum way way = OTHER_UNITS; way <= OTHER_ORDER; way++) {
      static const char *const names[] = {"spectral_radius", "spectral_radius_exact", "spectral_radius_decaying"};
      size_t signals;
      cr_expect_eq(engine_case_status(&result, n * WAYS + way), engine_case_status(&result, n * WAYS));
      for (size_t m = 0; m < 3 && engine_case_status(&result, n * WAYS) == 0; m++) {
        const double given = engine_case_values(&result, names[m], n * WAYS, &signals)[0];
        const double other = engine_case_values(&result, names[m], n * WAYS + way, &signals)[0];
        harness_compare(&check, other, given, 1e-9, 0, "%s of network %zu, way %d", names[m], n, (int)way);
      }
    }
  harness_finish(&check, "stability");
  engine_case_free(&result);
  harness_close(&harness);
}
