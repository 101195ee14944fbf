/* Which programs a sweep needs: spectra beside a simulation come from the simulation's own, metrics that measure
 * nothing change none, and traces have one. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "programs.h"
#include "sizing.h"
#include "sweep_case.h"
#include "worker.h"

static struct cs_sweep *sweep;
static struct cs_plan *plan, *beside;
static struct cs_table *one, *other;
static struct cs_error error;

static void tear_down(void) {
  cs_plan_free(plan);
  cs_plan_free(beside);
  cs_table_free(one);
  cs_table_free(other);
  cs_sweep_free(sweep);
  sweep_case_close();
}

TestSuite(programs, .init = sweep_case_open, .fini = tear_down);

#define SPECTRAL "\"spectral_radius\", \"contraction\", \"growth_rate\""
/* Fixed steps, with all that sizes depend on: reconstructions with memories, values handed on, micro steps, stiffness.
 */
#define METHODS                                                                                        \
  "{\"name\": \"hold\", \"path\": \"method.hold\", \"values\": [\"taylor\", \"lagrange\"]},\n"         \
  "{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 2]},\n"                           \
  "{\"name\": \"master\", \"path\": \"method.master\", \"values\": [\"jacobi\", \"gauss_seidel\"]},\n" \
  "{\"name\": \"iterations\", \"path\": \"method.iterations\", \"values\": [0, 2]},\n"                 \
  "{\"name\": \"solver\", \"path\": \"method.solver\", \"values\": [\"exact\", \"heun\"]},\n"          \
  "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.01, 0.25]},\n"                     \
  "{\"name\": \"k\", \"path\": \"parameters.ck\", \"values\": [10, 1e8]}"

static void load(const char *study, const char *settings, const char *metrics, const char *axes) {
  char text[4096];
  snprintf(text, sizeof text,
           "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"" COSWEEP_SOURCE_DIR
           "/models/two_mass_oscillator/model.json\", \"study\": \"%s\", \"method\": {%s}%s, \"metrics\": [%s],\n"
           "\"axes\": [%s]}",
           study, settings, strcmp(study, "simulation") == 0 ? ", \"t_end\": 10" : "", metrics, axes);
  sweep_case_write("s.json", text);
  cs_sweep_free(sweep);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
}

static const struct cs_device_info card = {
    .name = "card", .units = 64, .group = 256, .memory = 1 << 30, .largest_buffer = 1 << 29};

static void make_plans(void) {
  const struct cs_engine_options options = {0};
  const struct cs_device_info *device = &card;
  cs_plan_free(plan);
  cs_plan_free(beside);
  plan = beside = NULL;
  cr_assert_eq(cs_sizing_plan(sweep, &device, 1, &options, &plan, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_sizing_plan_beside(plan, sweep, &device, 1, &options, &beside, &error), CS_OK, "%s", error.message);
}

static struct cs_text program_of(const struct cs_layout *layout) {
  struct cs_text source = {0};
  cr_assert_eq(cs_emit(layout, 1, CS_PART_METHOD, &source, &error), CS_OK);
  cr_assert_eq(cs_emit_has(layout, 1, CS_PART_SPECTRUM), layout->kind.stability);
  return source;
}

static bool has_program(const struct cs_text *programs, size_t count, const struct cs_text *program) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(programs[i].data, program->data) == 0) return true;
  return false;
}

/* Returns how many of them use doubling. */
static size_t compare_programs(const char *metrics) {
  size_t doubling = 0;
  make_plans();
  cr_assert_gt(beside->variants, 32);
  struct cs_text *programs = calloc(plan->variants, sizeof *programs);
  for (size_t v = 0; v < plan->variants; v++)
    programs[v] = program_of(plan->variant[v]);
  for (size_t v = 0; v < beside->variants; v++) {
    struct cs_text program = program_of(beside->variant[v]);
    cr_expect(has_program(programs, plan->variants, &program), "metrics %s: variant %zu has a program of its own",
              metrics, v);
    doubling += beside->variant[v]->kind.doubles;
    cs_text_free(&program);
  }
  for (size_t v = 0; v < plan->variants; v++)
    cs_text_free(&programs[v]);
  free(programs);
  return doubling;
}

Test(programs, of_spectra_are_those_of_the_simulation) {
  load("simulation", "\"micro_steps\": 2", SPECTRAL, METHODS);
  cr_expect_gt(compare_programs("of study stability alone"), 0);
  load("simulation", "\"micro_steps\": 2", "\"connection_defect\", \"output_error\", " SPECTRAL, METHODS);
  cr_expect_gt(compare_programs("inside steps"), 0);
  load("simulation", "\"micro_steps\": 2", "\"output_error_max\", \"local_error\", " SPECTRAL, METHODS);
  cr_expect_eq(compare_programs("of every step"), 0);
}

static struct cs_table *compute(void) {
  struct cs_device *device;
  struct cs_table *table;
  cr_assert_eq(cs_device_open("host", &device, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_engine_run(sweep, device, NULL, &table, NULL, &error), CS_OK, "%s", error.message);
  cs_device_close(device);
  return table;
}

/* The program of study stability has other sizes, and no reconstructions. */
Test(programs, give_the_spectra_of_study_stability) {
  static const char *const metrics[] = {"spectral_radius", "contraction", "growth_rate"};
  size_t compared = 0;
  load("simulation", "\"micro_steps\": 2", "\"output_error\", " SPECTRAL, METHODS);
  one = compute();
  load("stability", "\"micro_steps\": 2", SPECTRAL, METHODS);
  other = compute();
  for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
    const struct cs_array *a = cs_table_find(one, metrics[m]), *b = cs_table_find(other, metrics[m]);
    for (size_t run = 0; run < sweep->runs; run++) {
      const double x = a->data.float64[run], y = b->data.float64[run];
      const double digits =
          run % 4 == 3 ? 1e-9 : 1e-11; /* k H is 2.5e7, which each of the two cuts in its own pieces */
      cr_expect(isnan(x) == isnan(y) && !(fabs(x - y) > digits * fmax(1.0, fabs(y))), "%s of run %zu: %.17g and %.17g",
                metrics[m], run, x, y);
      compared += isfinite(x);
    }
  }
  cr_expect_gt(compared, 2 * sweep->runs);
}

/* ---- metrics and traces ------------------------------------------------------------------------------------------ */

#define FIXED "\"order\": 1, \"step\": {\"size\": 0.01}"
#define VARIABLE "\"order\": 1, \"step\": {\"control\": \"pi_defect\", \"tolerance\": 0.001, \"initial\": 0.01}"
#define ONE "{\"name\": \"k\", \"path\": \"parameters.ck\", \"values\": [10, 20]}"

/* The only program of a run, or of its trace. */
static struct cs_text only_program(const char *settings, const char *metrics, bool trace) {
  const struct cs_engine_options options = {0};
  const struct cs_device_info *device = &card;
  load("simulation", settings, metrics, ONE);
  const struct cs_sweep part = cs_sweep_part(sweep, 0, 1);
  cs_plan_free(plan);
  plan = NULL;
  const int code = trace ? cs_sizing_plan_trace(&part, 1000, device, &options, &plan, &error)
                         : cs_sizing_plan(&part, &device, 1, &options, &plan, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  cr_assert_eq(plan->variants, 1);
  struct cs_text text = program_of(plan->variant[0]);
  cs_plan_free(plan); /* of a part that ends here */
  plan = NULL;
  return text;
}

static bool same_program(const char *settings, const char *metrics, const char *others, bool trace) {
  struct cs_text a = only_program(settings, metrics, trace), b = only_program(settings, others, trace);
  const bool same = strcmp(a.data, b.data) == 0;
  cs_text_free(&a);
  cs_text_free(&b);
  return same;
}

#define COUNTS "\"connection_defect\", \"steps\", \"evaluations\", \"stages\", \"output_exact\", \"rounding\""

Test(programs, metrics_that_measure_nothing_need_no_other_program) {
  cr_expect(same_program(FIXED, "\"connection_defect\"", COUNTS ", \"stable\"", false));
  cr_expect(same_program(VARIABLE, "\"connection_defect\"", COUNTS ", \"rejected_steps\", \"step_mean\"", false));
  cr_expect_not(same_program(FIXED, "\"connection_defect\"", "\"output_defect\"", false));
}

Test(programs, traces_have_one_whatever_the_metrics) {
  cr_expect(same_program(FIXED, "\"connection_defect\"", "\"output_error\", \"steps\"", true));
  cr_expect_not(same_program(FIXED, "\"connection_defect\"", "\"local_error\"", true)); /* recorded where wanted */
  cr_expect(same_program(VARIABLE, "\"connection_defect\"", "\"output_error_max\", \"input_error\", \"steps\"", true));
}

/* ---- parts of a variant's programs --------------------------------------------------------------------------------
 */

/* Parts that the only variant of fixed steps needs on a device, as letters. */
static const char *parts_on(const struct cs_device_info *device, const char *engine) {
  static const char letter[CS_PARTS] = {
      [CS_PART_METHOD] = 'm',      [CS_PART_STEP] = 's',      [CS_PART_DOUBLE] = 'd',   [CS_PART_ROOT] = 'r',
      [CS_PART_DOUBLE_TEAM] = 't', [CS_PART_STEP_TEAM] = 'p', [CS_PART_SPECTRUM] = 'e', [CS_PART_VARY_TEAM] = 'v'};
  static char found[CS_PARTS + 1];
  const struct cs_engine_options options = {0};
  bool part[CS_PARTS];
  char settings[128];
  size_t count = 0;
  snprintf(settings, sizeof settings, "\"order\": 1, \"step\": {\"size\": 0.001}, \"engine\": \"%s\"", engine);
  load("simulation", settings, "\"output_error\"", ONE);
  cs_plan_free(plan);
  plan = NULL;
  cr_assert_eq(cs_sizing_plan(sweep, &device, 1, &options, &plan, &error), CS_OK, "%s", error.message);
  cr_assert_eq(plan->variants, 1);
  const struct cs_worker_setup setup = {.plan = plan, .options = &options};
  cs_worker_parts(&setup, 0, device, part);
  for (int i = 0; i < CS_PARTS; i++) {
    cr_expect(!part[i] || cs_emit_has(plan->variant[0], 1, (enum cs_part)i));
    if (part[i]) found[count++] = letter[i];
  }
  found[count] = '\0';
  return found;
}

Test(programs, are_those_of_kernels_that_are_launched) {
  const struct cs_device_info processor = {
      .name = "processor", .cpu = true, .units = 2, .native_width = 8, .memory = 1 << 30, .largest_buffer = 1 << 29};
  cr_expect_str_eq(parts_on(&processor, "step"), "ms");
  cr_expect_str_eq(parts_on(&processor, "double"), "md");
  cr_expect_str_eq(parts_on(&card, "step"), "mp");
  cr_expect_str_eq(parts_on(&card, "double"), "mt");
}

static size_t count_kernels(const char *text) {
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, "__kernel void ")) != NULL; at++)
    count++;
  return count;
}

/* Each has its own kernels, and the text of methods is in one alone. */
Test(programs, have_what_their_kernels_use) {
  static const size_t kernels[CS_PARTS] = {2, 1, 1, 1, 1, 2, 0}; /* the macro of doubling is one more */
  parts_on(&card, "double");
  for (int i = 0; i < CS_PART_SPECTRUM; i++) {
    struct cs_text source = {0};
    if (!cs_emit_has(plan->variant[0], 1, (enum cs_part)i)) continue;
    cr_assert_eq(cs_emit(plan->variant[0], 1, (enum cs_part)i, &source, &error), CS_OK);
    cr_expect_eq(count_kernels(source.data), kernels[i], "part %d has %zu", i, count_kernels(source.data));
    cr_expect_eq(strstr(source.data, "kernels/step/macro.clh") != NULL, i == CS_PART_METHOD);
    cs_text_free(&source);
  }
}

/* What is built without optimisation, in one program. */
Test(programs, are_joined_where_they_are_built_quickly) {
  static const bool part[CS_PARTS] = {[CS_PART_METHOD] = true, [CS_PART_STEP] = true, [CS_PART_DOUBLE] = true};
  static const bool maps[CS_PARTS] = {[CS_PART_METHOD] = true}, late[CS_PARTS] = {[CS_PART_ROOT] = true};
  struct cs_programs_text text;
  parts_on(&card, "double");
  const struct cs_layout *layout = plan->variant[0];
  cr_assert_eq(cs_programs_write(NULL, layout, 1, part, true, &text, &error), CS_OK);
  cr_expect_eq(count_kernels(text.source[CS_PART_METHOD].data), 4);
  for (int i = CS_PART_METHOD + 1; i < CS_PARTS; i++) {
    cr_expect_null(text.source[i].data, "part %d", i);
    cr_expect_eq(text.joined[i], part[i], "part %d", i);
  }
  cs_programs_free_text(&text);
  cr_assert_eq(cs_programs_write(NULL, layout, 1, part, false, &text, &error), CS_OK);
  for (int i = 0; i < CS_PARTS; i++)
    cr_expect(!text.joined[i] && (text.source[i].data != NULL) == part[i], "part %d", i);
  cs_programs_free_text(&text);
  cr_assert_eq(cs_programs_write(NULL, layout, 1, maps, true, &text, &error), CS_OK);
  cr_expect_eq(count_kernels(text.source[CS_PART_METHOD].data), 2);
  cs_programs_free_text(&text);
  cr_assert_eq(cs_programs_write(NULL, layout, 1, late, true, &text, &error), CS_OK);
  cr_expect_null(text.source[CS_PART_METHOD].data);
  cr_expect_eq(count_kernels(text.source[CS_PART_ROOT].data), 1);
  cs_programs_free_text(&text);
}
