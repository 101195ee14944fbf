/* Further masters and holds on random networks: converged and relaxed repetitions, inputs without jumps, hold hermite,
 * subsystems with rates and with latency, alone and combined, compensation, solvers with memory, over all other
 * settings, against tests/oracle. Networks and step sizes are those of tests/data/random; into every other one each
 * input receives from all subsystems, its own included.
 *
 * Tolerance: 1e-11 relative, or 1e-15 of the signal's RMS, as in test_solvers.c; with step size control 1e-10, for a
 * controller hands rounding on to the step sizes, with compensation 1e-9, which leaves it smaller differences to judge;
 * energies of bonds 1e-11 or 1e-15 of the energies of both sides. Doubling sums up products of all signals: a value
 * that is zero to the reference's own digits may be 1e-15 of the largest RMS. Where derivatives are handed on, the
 * repetition has eigenvalues that differ by O(H) alone, and those of a matrix that is right to 1e-16 are right to 1e-8:
 * contraction to 1e-7 there. Hold hermite with latency grows with explicit outputs, however small H is, and long double
 * loses what it has above double in some twenty steps: such runs are short; `judge`, in quadruple precision, agrees on
 * longer ones. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_cases.h"
#include "random_draw.h"

enum feature { CONVERGED, RELAXED, JOINED, CUBIC, RATED, LATE, FEATURES, COMPENSATED = FEATURES, REMEMBERED };
enum {
  ROUNDS = 8, /* of all features, by default */
  ATTEMPTS = 300
};

/* What a case is made of, besides what is drawn. */
struct kind {
  size_t number;
  enum feature feature;
  bool varies; /* the size of steps */
  bool doubles;
};

/* ---- sweep */

struct draw {
  uint64_t state;
  const struct cs_model *model;
  const struct kind *kind;
  struct cs_text text;
  bool cubic, interpolates, explicit, in_turn; /* in_turn: rates under gauss_seidel */
};

static size_t below(struct draw *d, size_t count) {
  return random_draw(&d->state, count);
}

static bool is(const struct draw *d, enum feature feature) {
  return d->kind->feature == feature;
}

static void add_hold(struct draw *d) {
  static const char *const holds[] = {"taylor", "lagrange", "backward_difference"};
  cs_text_add(&d->text, "\"hold\": \"%s\"",
              d->cubic                           ? "hermite"
              : is(d, COMPENSATED) || d->in_turn ? "lagrange"
                                                 : random_word(&d->state, holds, is(d, RATED) ? 2 : 3));
  for (int out = 0; out < 2; out++)
    cs_text_add(&d->text, ", \"%s\": %zu", out ? "output_order" : "input_order", d->cubic ? 3 : below(d, 4));
  if (is(d, JOINED) || (!is(d, RATED) && !is(d, COMPENSATED) && below(d, 3) == 0))
    cs_text_add(&d->text, ", \"continuity\": \"c%zu\"", below(d, 2));
}

static void add_master(struct draw *d) {
  const size_t ways = is(d, CONVERGED)                                    ? 0
                      : is(d, RELAXED)                                    ? 1
                      : is(d, RATED) || is(d, LATE) || is(d, COMPENSATED) ? 2
                      : is(d, REMEMBERED)                                 ? below(d, 3)
                                                                          : 1 + below(d, 2);
  const bool sweeps = d->in_turn || (ways != 2 && below(d, 2) > 0);
  d->interpolates = sweeps || ways < 2;
  cs_text_add(&d->text, ", \"master\": \"%s\"", sweeps ? "gauss_seidel" : "jacobi");
  if (sweeps && below(d, 4) > 0) random_add_sequence(&d->state, d->model, &d->text);
  if (ways == 0) cs_text_add(&d->text, ", \"iterations\": \"converged\"");
  if (ways == 1) cs_text_add(&d->text, ", \"iterations\": %zu", 1 + below(d, 4));
  if (is(d, RELAXED)) cs_text_add(&d->text, ", \"relaxation\": %g", (double)(1 + below(d, 15)) / 10);
}

/* Solvers with memory, which steps of different sizes begin anew. */
static void add_memory(struct draw *d) {
  static const char *const solvers[] = {"ab2", "bdf2"};
  cs_text_add(&d->text, ", \"solver\": \"%s\", \"memory\": \"%s\", \"micro_steps\": %zu",
              random_word(&d->state, solvers, 2), d->kind->varies || below(d, 3) == 0 ? "restart" : "keep",
              2 + 2 * below(d, 3));
}

/* Solvers, latency and rates: of all subsystems, and of one, or of each. */
static void add_subsystems(struct draw *d) {
  const size_t one = below(d, d->model->subsystems);
  const char *separator = "";
  if (is(d, LATE) && below(d, 2)) cs_text_add(&d->text, ", \"latency\": %zu", below(d, d->cubic ? 2 : 5));
  if (is(d, COMPENSATED)) cs_text_add(&d->text, ", \"compensation\": %g", (double)below(d, 3) / 2);
  if (is(d, REMEMBERED) || (is(d, COMPENSATED) && below(d, 3) == 0))
    add_memory(d);
  else if (!is(d, RATED))
    cs_text_add(&d->text, ", \"solver\": \"%s\"", random_word(&d->state, random_solvers, RANDOM_SOLVERS));
  cs_text_add(&d->text, ", \"subsystems\": {");
  for (size_t i = 0; i < d->model->subsystems; i++) {
    const char *comma = "";
    if (!is(d, RATED) && i != one) continue;
    cs_text_add(&d->text, "%s\"%s\": {", separator, d->model->subsystem[i].name);
    if (is(d, RATED)) cs_text_add(&d->text, "\"rate\": %zu", 1 + below(d, 6)), comma = ", ";
    if (is(d, LATE)) cs_text_add(&d->text, "\"latency\": %zu", 1 + below(d, d->cubic ? 1 : 8)), comma = ", ";
    if (is(d, COMPENSATED))
      cs_text_add(&d->text, "\"compensation\": %g", (double)(1 + below(d, 10)) / 10), comma = ", ";
    if (!d->cubic && i == one && below(d, 2))
      cs_text_add(&d->text, "%s\"input_order\": %zu, \"output_order\": %zu", comma, below(d, 4), below(d, 4)),
          comma = ", ";
    if (is(d, REMEMBERED) && below(d, 2))
      cs_text_add(&d->text, "%s\"solver\": \"%s\"", comma, random_word(&d->state, random_solvers, RANDOM_SOLVERS));
    cs_text_add(&d->text, "}");
    separator = ", ";
  }
  cs_text_add(&d->text, "}");
}

/* Whether the degree of inputs is one of every subsystem. */
static bool all_receive(const struct cs_model *model) {
  for (size_t i = 0; i < model->subsystems; i++)
    if (model->subsystem[i].inputs == 0) return false;
  return true;
}

static void add_step(struct draw *d, double H) {
  const size_t control = d->kind->varies ? 1 + below(d, is(d, LATE) ? 3 : 4) : 0;
  cs_text_add(&d->text, ", \"step\": {");
  if (control == 0) cs_text_add(&d->text, "\"size\": %.17g", H);
  if (control == 1)
    cs_text_add(&d->text, "\"control\": \"cycle\", \"size\": %.17g, \"ratios\": [1, %g, %g]", H / 2,
                0.3 + (double)below(d, 20) / 10, 0.3 + (double)below(d, 20) / 10);
  if (control == 2)
    cs_text_add(&d->text,
                "\"control\": \"threshold\", \"signal\": \"%s\", \"threshold\": %g, \"above\": %.17g, \"below\": %.17g",
                d->model->output[below(d, d->model->outputs)].name, ((double)below(d, 41) - 20) / 20, 0.6 * H, H);
  if (control == 3)
    cs_text_add(&d->text, "\"control\": \"pi_defect\", \"initial\": %.17g, \"tolerance\": %g, \"max\": %.17g", H / 2,
                below(d, 2) ? 0.01 : 0.001, 2 * H);
  if (control == 4)
    cs_text_add(&d->text,
                "\"control\": \"richardson\", \"initial\": %.17g, \"atol\": %g, \"rtol\": 0.001, \"estimate\": \"%s\"",
                H / 2, below(d, 2) ? 0.01 : 0.001,
                d->explicit && !d->cubic && !is(d, COMPENSATED) && all_receive(d->model) ? "corrected" : "plain");
  if (control > 1) cs_text_add(&d->text, ", \"min\": %.17g, \"max_steps\": 200", 0.05 * H);
  if (!is(d, RATED) && !d->kind->doubles) random_add_bonds(&d->state, d->model, 1, &d->text);
  cs_text_add(&d->text, "}");
}

static void write_sweep(struct draw *d, double size) {
  static const char *const starts[] = {"consistent", "ramp", "zero"}, *const places[] = {"continuous", "points"};
  d->in_turn = is(d, RATED) && below(d, 2) > 0;
  d->cubic = is(d, CUBIC) || (!is(d, RATED) && !is(d, COMPENSATED) && below(d, 6) == 0);
  const bool grows = d->cubic && is(d, LATE);
  const double H = grows ? size / 10 : size, t_end = (double)(grows ? 6 + below(d, 3) : 12 + below(d, 20)) * H;
  cs_text_add(&d->text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"methods\", \"model\": \"model.json\",\n"
              "\"study\": \"simulation\", \"t_end\": %.17g, \"metrics\": [%s\n"
              "\"output_error\", \"input_error\", \"state_error\", \"output_error_max\", \"input_error_max\",\n"
              "\"state_error_max\", \"output_error_final\", \"input_error_final\", \"state_error_final\"%s%s],\n"
              "\"method\": {",
              t_end,
              is(d, RATED) ? ""
                           : "\"output_defect\", \"output_defect_true\", \"connection_defect\", "
                             "\"integration_defect\",",
              is(d, RATED) || d->kind->doubles ? "" : ", \"bond_energy\"",
              (is(d, CONVERGED) || is(d, RELAXED)) && !d->kind->varies ? ", \"contraction\"" : "");
  add_hold(d);
  add_master(d);
  d->explicit = is(d, LATE) || below(d, 2);
  cs_text_add(&d->text, ", \"feedthrough\": \"%s\", \"start\": \"%s\", \"error_at\": \"%s\"",
              d->explicit ? "explicit" : "solved", random_word(&d->state, starts, d->cubic ? 2 : 3),
              is(d, RATED) ? "points" : random_word(&d->state, places, 2));
  add_subsystems(d);
  add_step(d, H);
  cs_text_add(&d->text, "}}\n");
  cr_assert(!d->text.failed);
}

/* ---- cases */

static double step_size_of(const struct cs_sweep *sweep) {
  struct cs_settings settings;
  struct cs_error error;
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  cs_settings_of(sweep, 0, &settings);
  const double H = settings.step_size;
  cs_settings_free(&settings);
  return H;
}

/* Draws model and sweep until they behave, with the reference's values; the text of the sweep is to be freed. */
static struct cs_text draw_case(const struct random_cases *cases, const struct kind *kind, struct harness *harness,
                                struct plain_result *result) {
  for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
    struct draw d = {.state = 1000 * attempt + kind->number, .kind = kind};
    const size_t network = random_draw(&d.state, cases->count);
    random_cases_open(cases, network, harness);
    d.model = harness->sweep->model;
    write_sweep(&d, step_size_of(harness->sweep));
    if (kind->number % 2) {
      char *mixed = random_mix_sources(&d.state, harness->sweep->model, cases->model[network]);
      harness_write(harness, "model.json", mixed);
      free(mixed);
    }
    harness_load(harness, d.text.data);
    plain_run(harness->sweep, 0, NULL, NULL, result);
    if (result->status == 0 && random_well_behaved(harness->sweep->model, result)) return d.text;
    cs_text_free(&d.text);
  }
  cr_assert_fail("case %zu", kind->number);
  return (struct cs_text){0};
}

/* Whether points alone are handed on. */
static bool holds_points(const char *sweep) {
  return strstr(sweep, "lagrange") != NULL || strstr(sweep, "backward_difference") != NULL;
}

/* What no signal has. */
static void compare_run(const struct harness *harness, const struct plain_result *result, bool slopes, double relative,
                        struct harness_check *check, const char *name) {
  static const enum cs_metric of_run[] = {CS_CONTRACTION, CS_STEPS, CS_REJECTED_STEPS};
  const struct cs_array *energy = cs_table_find(harness->table, cs_metric_table[CS_BOND_ENERGY].name);
  for (size_t i = 0; i < sizeof of_run / sizeof *of_run; i++) {
    const char *metric = cs_metric_table[of_run[i]].name;
    const bool close = slopes && of_run[i] == CS_CONTRACTION;
    if (harness->sweep->metric[of_run[i]])
      harness_compare(check, harness_value(harness->table, metric, NULL, NULL), (double)result->metric[of_run[i]][0],
                      close ? 1e-7 : relative, close ? 1e-7 : 1e-15, "%s: %s", name, metric);
  }
  if (energy != NULL)
    harness_compare(check, energy->data.float64[0], (double)result->metric[CS_BOND_ENERGY][0], relative,
                    1e-15 * (double)result->bond_terms[0], "%s: bond_energy", name);
}

static void compare_case(const struct random_cases *cases, const struct kind *kind, struct harness *harness,
                         struct plain_result *result, struct harness_check *check) {
  struct cs_text name = {0}, sweep = draw_case(cases, kind, harness, result);
  const double relative = !kind->varies ? 1e-11 : kind->feature == COMPENSATED ? 1e-9 : 1e-10;
  const size_t failed = check->failed;
  if (!kind->varies) harness_load_engine(harness, sweep.data, kind->doubles ? "double" : "step");
  cs_text_add(&name, "case %zu", kind->number);
  harness_run(harness);
  cr_expect_eq(harness_value(harness->table, "status", NULL, NULL), 0, "%s", name.data);
  (kind->doubles ? plain_compare_doubled : plain_compare)(harness, NULL, result, relative, 1e-15, check, name.data);
  compare_run(harness, result, !holds_points(sweep.data), relative, check, name.data);
  if (check->failed > failed) fprintf(stderr, "%s: %s", name.data, sweep.data);
  cs_text_free(&name);
  cs_text_free(&sweep);
}

/* As many rounds of all features as COSWEEP_ROUNDS says. */
static size_t rounds(void) {
  const char *more = getenv("COSWEEP_ROUNDS");
  return more != NULL ? (size_t)strtoul(more, NULL, 10) : ROUNDS;
}

/* Of all features in turn, or of one, whose cases come behind theirs. */
static void compare_cases(bool varies, bool doubles, enum feature one, const char *title) {
  struct random_cases cases;
  struct harness harness;
  struct harness_check check = {0};
  struct plain_result *result = malloc(sizeof *result);
  cr_assert(result != NULL);
  random_cases_load(&cases);
  harness_open(&harness);
  const bool all = one == CONVERGED;
  for (size_t i = 0; i < FEATURES * rounds(); i++) {
    const struct kind kind = {all ? i : 100000 + i, all ? (enum feature)(i % FEATURES) : one, varies, doubles};
    if (!varies || kind.feature != RATED) compare_case(&cases, &kind, &harness, result, &check);
  }
  harness_finish(&check, title);
  free(result);
  harness_close(&harness);
  random_cases_free(&cases);
}

Test(random_methods, match_the_reference_by_stepping) {
  compare_cases(false, false, CONVERGED, "methods on random networks, step");
}

Test(random_methods, match_the_reference_by_doubling) {
  compare_cases(false, true, CONVERGED, "methods on random networks, double");
}

Test(random_methods, match_the_reference_with_steps_that_vary) {
  compare_cases(true, false, CONVERGED, "methods on random networks, steps that vary");
}

Test(random_methods, compensation_matches_the_reference_by_stepping) {
  compare_cases(false, false, COMPENSATED, "compensation on random networks, step");
}

Test(random_methods, compensation_matches_the_reference_by_doubling) {
  compare_cases(false, true, COMPENSATED, "compensation on random networks, double");
}

Test(random_methods, compensation_matches_the_reference_with_steps_that_vary) {
  compare_cases(true, false, COMPENSATED, "compensation on random networks, steps that vary");
}

Test(random_methods, memory_matches_the_reference_by_stepping) {
  compare_cases(false, false, REMEMBERED, "solvers with memory on random networks, step");
}

Test(random_methods, memory_matches_the_reference_by_doubling) {
  compare_cases(false, true, REMEMBERED, "solvers with memory on random networks, double");
}

Test(random_methods, memory_matches_the_reference_with_steps_that_vary) {
  compare_cases(true, false, REMEMBERED, "solvers with memory on random networks, steps that vary");
}
