/* Step size control on random networks: every control with every hold and both masters, most of the cases with events,
 * over orders, starts, solvers, feed-throughs and inputs that do not jump, against tests/oracle/plain_vary.c. Networks
 * are those of tests/data/random; into every other one each input receives from all subsystems, its own included.
 *
 * Tolerance: 1e-10 relative, or 1e-15 of the signal's RMS: a controller hands rounding on to the step sizes. Counts are
 * equal. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_cases.h"
#include "random_draw.h"

enum {
  CONTROLS = 5,
  HOLDS = 3,
  MASTERS = 2,
  CASES = CONTROLS * HOLDS * MASTERS,
  CYCLES = HOLDS * MASTERS, /* cases of control `cycle`, after all others */
  ATTEMPTS = 300
};

/* What a case is made of, besides what is drawn. */
struct kind {
  size_t number, control, hold, master;
};

static struct kind kind_of(size_t number) {
  if (number >= CASES) return (struct kind){number, CS_CYCLE, number % HOLDS, (number - CASES) / HOLDS};
  return (struct kind){number, number % CONTROLS, number / CONTROLS % HOLDS, number / CONTROLS / HOLDS};
}

/* ---- model */

/* The text of a model with events, and with a flow for its one monitor. */
static void write_model(uint64_t *state, const struct kind *kind, const struct cs_model *model, const char *text,
                        double t_end, struct harness *harness) {
  static const char key[] = "\"monitors\":[{";
  struct cs_text changed = {0};
  char *mixed = kind->number % 2 ? random_mix_sources(state, model, text) : NULL;
  const char *from = mixed != NULL ? mixed : text, *at = strstr(from, key);
  cr_assert(*from == '{' && at != NULL);
  cs_text_add(&changed, "{");
  if (kind->control == CS_FIXED || kind->control == CS_RICHARDSON || random_draw(state, 2))
    random_add_events(state, model, t_end, &changed);
  cs_text_append(&changed, from + 1, (size_t)(at - from) - 1);
  cs_text_add(&changed, "%s\"flow\": \"%s\", %s", key, model->output[random_draw(state, model->outputs)].name,
              at + sizeof key - 1);
  cr_assert(!changed.failed);
  harness_write(harness, "model.json", changed.data);
  cs_text_free(&changed);
  free(mixed);
}

/* ---- sweep */

static void add_step(uint64_t *state, const struct kind *kind, const struct cs_model *model, double H, bool explicit,
                     struct cs_text *text) {
  static const char *const controls[] = {"fixed", "pi_defect", "pi_ecco", "threshold", "richardson", "cycle"};
  static const char *const ends[] = {"exact", "overshoot"}, *const norms[] = {"rms", "thesis"};
  static const char *const estimates[] = {"plain", "corrected"};
  const double initial = H * (double)(3 + random_draw(state, 8)) / 10;
  cs_text_add(text, "\"step\": {\"control\": \"%s\"", controls[kind->control]);
  if (kind->control != CS_FIXED && kind->control != CS_CYCLE) {
    cs_text_add(text, ", \"end\": \"%s\", \"min\": %.17g, \"max\": %.17g, \"max_steps\": 2000",
                random_word(state, ends, 2), 0.05 * H, 2 * H);
  }
  switch (kind->control) {
    case CS_FIXED:
      cs_text_add(text, ", \"size\": %.17g", initial);
      break;
    case CS_CYCLE:
      cs_text_add(text, ", \"size\": %.17g, \"ratios\": [1", initial);
      for (size_t i = 1 + random_draw(state, 3); i > 0; i--)
        cs_text_add(text, ", %.17g", pow(10, ((double)random_draw(state, 13) - 6) / 10));
      cs_text_add(text, "]");
      break;
    case CS_PI_DEFECT:
      cs_text_add(text, ", \"initial\": %.17g, \"tolerance\": %.17g", initial,
                  pow(10, -1 - (double)random_draw(state, 30) / 10));
      break;
    case CS_PI_ECCO:
      cs_text_add(text, ", \"initial\": %.17g, \"kp\": 0.1, \"ki\": 0.05, \"atol\": %.17g, \"rtol\": 0.01", initial,
                  pow(10, -1 - (double)random_draw(state, 20) / 10));
      random_add_bonds(state, model, 1 + random_draw(state, 3), text);
      break;
    case CS_THRESHOLD:
      cs_text_add(text, ", \"signal\": \"%s\", \"threshold\": %g, \"above\": %.17g, \"below\": %.17g",
                  model->output[random_draw(state, model->outputs)].name, ((double)random_draw(state, 41) - 20) / 20,
                  initial, 0.7 * H);
      break;
    default:
      cs_text_add(
          text, ", \"initial\": %.17g, \"atol\": %.17g, \"rtol\": %.17g, \"norm\": \"%s\", \"estimate\": \"%s\"",
          initial, pow(10, -1 - (double)random_draw(state, 30) / 10), pow(10, -1 - (double)random_draw(state, 30) / 10),
          random_word(state, norms, 2), random_word(state, estimates, explicit ? 2 : 1));
  }
  cs_text_add(text, "}");
}

static void add_method(uint64_t *state, const struct kind *kind, const struct cs_model *model, double H,
                       struct cs_text *text) {
  static const char *const holds[] = {"taylor", "lagrange", "backward_difference"};
  static const char *const starts[] = {"consistent", "ramp", "zero"};
  static const char *const feedthroughs[] = {"explicit", "solved", "refresh"};
  static const char *const places[] = {"continuous", "points"};
  const size_t iterations = random_draw(state, 6);
  const bool refreshes = kind->master == CS_JACOBI && kind->hold == CS_TAYLOR && iterations > 2;
  const char *feedthrough = random_word(state, feedthroughs, refreshes ? 3 : 2);
  cs_text_add(text, "\"master\": \"%s\", \"iterations\": %zu, \"hold\": \"%s\", \"input_order\": %zu, ",
              kind->master ? "gauss_seidel" : "jacobi", iterations > 2 ? 0 : iterations, holds[kind->hold],
              kind->control == CS_RICHARDSON ? 1 + random_draw(state, 3) : random_draw(state, 4));
  cs_text_add(text, "\"output_order\": %zu, \"feedthrough\": \"%s\", \"start\": \"%s\", ", random_draw(state, 4),
              feedthrough, random_word(state, starts, 3));
  cs_text_add(text, "\"solver\": \"%s\", \"error_at\": \"%s\"",
              random_draw(state, 2) ? "exact" : random_word(state, random_solvers, RANDOM_SOLVERS),
              random_word(state, places, 2));
  if (strcmp(feedthrough, "refresh") != 0 && random_draw(state, 2))
    cs_text_add(text, ", \"continuity\": \"c%zu\"", random_draw(state, 2));
  if (kind->master && random_draw(state, 4) > 0) random_add_sequence(state, model, text);
  if (random_draw(state, 3) == 0) random_add_override(state, model, text);
  cs_text_add(text, ",\n");
  add_step(state, kind, model, H, strcmp(feedthrough, "explicit") == 0, text);
}

/* Whether inputs can be given back what they lacked, also after events. */
static bool may_compensate(const char *text) {
  return strstr(text, "\"master\": \"jacobi\", \"iterations\": 0, \"hold\": \"lagrange\"") != NULL &&
         strstr(text, "continuity") == NULL && strstr(text, "corrected") == NULL;
}

static void write_sweep(uint64_t *state, const struct kind *kind, const struct cs_model *model, double H, double t_end,
                        struct cs_text *text) {
  cs_text_add(text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"variable\", \"model\": \"model.json\",\n"
              "\"study\": \"simulation\", \"t_end\": %.17g, \"metrics\": [\"output_defect\", \"output_defect_true\",\n"
              "\"connection_defect\", \"integration_defect\", \"output_error\", \"input_error\", \"state_error\",\n"
              "\"output_error_max\", \"input_error_max\", \"state_error_max\", \"output_error_final\",\n"
              "\"input_error_final\", \"state_error_final\", \"monitor_rms\", \"monitor_max\", \"monitor_final\",\n"
              "\"monitor_predicted\", \"steps\", \"rejected_steps\", \"evaluations\", \"step_min\", \"step_mean\",\n"
              "\"step_max\", \"t_final\"%s],\n\"method\": {",
              t_end, kind->control == CS_PI_ECCO ? ", \"bond_share\"" : "");
  add_method(state, kind, model, H, text);
  if (may_compensate(text->data)) cs_text_add(text, ", \"compensation\": %g", (double)random_draw(state, 5) / 4);
  cs_text_add(text, "}}\n");
  cr_assert(!text->failed);
}

/* ---- cases */

/* Whether a run says something: it behaves, and its steps vary. */
static bool says_something(const struct kind *kind, const struct cs_model *model, const struct plain_result *result) {
  const real least = result->metric[CS_STEP_MIN][0], most = result->metric[CS_STEP_MAX][0];
  return result->status == 0 && result->steps >= 8 && (kind->control == CS_FIXED || most > 1.1L * least) &&
         (kind->control != CS_RICHARDSON || kind->number % 2 || result->metric[CS_REJECTED_STEPS][0] > 0) &&
         random_well_behaved(model, result);
}

/* Draws model and sweep until they do, with the reference's values; the text of the sweep, to be freed, lies in
 * `sweep`. */
static void draw_case(const struct random_cases *cases, const struct kind *kind, struct harness *harness,
                      struct plain_result *result, struct cs_text *sweep) {
  bool found = false;
  for (uint64_t attempt = 0; attempt < ATTEMPTS && !found; attempt++) {
    uint64_t state = 1000 * attempt + kind->number;
    struct cs_settings settings;
    struct cs_error error;
    const size_t network = random_draw(&state, cases->count);
    random_cases_open(cases, network, harness);
    cr_assert_eq(cs_settings_new(harness->sweep, &settings, &error), CS_OK);
    cs_settings_of(harness->sweep, 0, &settings);
    const double H = settings.step_size, t_end = (double)(12 + random_draw(&state, 20)) * H;
    cs_settings_free(&settings);
    cs_text_free(sweep);
    write_sweep(&state, kind, harness->sweep->model, H, t_end, sweep);
    write_model(&state, kind, harness->sweep->model, cases->model[network], t_end, harness);
    harness_load(harness, sweep->data);
    plain_run(harness->sweep, 0, NULL, NULL, result);
    found = says_something(kind, harness->sweep->model, result);
  }
  cr_assert(found, "case %zu", kind->number);
}

/* What no signal has: counts, step sizes, and the monitor, a plain sum of signals. */
static void compare_run(const struct harness *harness, const struct plain_result *result, struct harness_check *check,
                        const char *name) {
  for (size_t m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    const bool monitor = info->over == CS_OVER_MONITOR;
    if ((info->over == CS_OVER_NOTHING || monitor) && cs_table_find(harness->table, info->name) != NULL) {
      harness_compare(check, harness_value(harness->table, info->name, NULL, monitor ? "mix" : NULL),
                      (double)result->metric[m][0], info->reduction == CS_COUNT ? 0 : 1e-10, monitor ? 1e-13 : 0,
                      "%s: %s", name, info->name);
    }
  }
}

/* Every bond's share; the names of bonds are no matter of this test. */
static void compare_bonds(const struct harness *harness, const struct plain_result *result, struct harness_check *check,
                          const char *name) {
  const struct cs_array *array = cs_table_find(harness->table, "bond_share");
  for (size_t i = 0; array != NULL && i < array->count; i++) {
    harness_compare(check, array->data.float64[i], (double)result->metric[CS_BOND_SHARE][i], 1e-10, 1e-15,
                    "%s: bond_share %zu", name, i);
  }
}

static void compare_cases(size_t first, size_t end, const char *title) {
  struct random_cases cases;
  struct harness harness;
  struct harness_check check = {0};
  struct plain_result *result = malloc(sizeof *result);
  cr_assert(result != NULL);
  random_cases_load(&cases);
  harness_open(&harness);
  for (size_t i = first; i < end; i++) {
    struct cs_text sweep = {0}, name = {0};
    const struct kind kind = kind_of(i);
    draw_case(&cases, &kind, &harness, result, &sweep);
    cs_text_add(&name, "case %zu: %s", i, strstr(sweep.data, "\"master\""));
    harness_run(&harness);
    cr_expect_eq(harness_value(harness.table, "status", NULL, NULL), 0, "%s", name.data);
    plain_compare(&harness, NULL, result, 1e-10, 1e-15, &check, name.data);
    compare_run(&harness, result, &check, name.data);
    compare_bonds(&harness, result, &check, name.data);
    cs_text_free(&name);
    cs_text_free(&sweep);
  }
  harness_finish(&check, title);
  free(result);
  harness_close(&harness);
  random_cases_free(&cases);
}

Test(random_variable, controls_under_jacobi_match_the_reference) {
  compare_cases(0, CASES / 2, "step size control on random networks, jacobi");
}

Test(random_variable, controls_under_gauss_seidel_match_the_reference) {
  compare_cases(CASES / 2, CASES, "step size control on random networks, gauss_seidel");
}

Test(random_variable, cycles_match_the_reference) {
  compare_cases(CASES, CASES + CYCLES, "cycles of steps on random networks");
}
