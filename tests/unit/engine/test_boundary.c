/* Searching for boundaries without a device: radii are a function of the sweep's numbers. */
#include "boundary.h"
#include "refine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_case.h"

static struct cs_sweep *sweep;
static struct cs_table *table;
static struct cs_settings settings;
static struct cs_error error;
static double *radius;
static double (*function)(const struct cs_settings *settings);
static size_t points, rounds;

static void tear_down(void) {
  cs_settings_free(&settings);
  cs_table_free(table);
  cs_sweep_free(sweep);
  free(radius);
  sweep_case_close();
}

TestSuite(boundary, .init = sweep_case_open, .fini = tear_down);

static int evaluate(void *context, const size_t *axis, size_t axes, const struct cs_point *point, size_t count,
                    double *to, struct cs_error *wrong) {
  (void)context;
  (void)wrong;
  rounds++;
  points += count;
  for (size_t i = 0; i < count; i++) {
    cs_settings_at(sweep, point[i].run, axis, point[i].value, axes, &settings);
    to[i] = function(&settings);
  }
  return CS_OK;
}

/* Loads a sweep, gives its table the axes, and its runs their radii. */
static void open_sweep(const char *axes, const char *rest, double (*of)(const struct cs_settings *settings)) {
  struct cs_text text = {0};
  cs_text_add(&text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\",\n");
  cs_text_add(&text, "\"study\": \"stability\", \"method\": {\"step\": {\"size\": 1}}, \"axes\": [%s], %s}", axes,
              rest);
  sweep_case_write("s.json", text.data);
  cs_text_free(&text);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_settings_new(sweep, &settings, &error), CS_OK);
  table = cs_table_new("t", "s", "h");
  for (size_t a = 0; a < sweep->axes; a++) {
    const struct cs_axis *axis = &sweep->axis[a];
    cr_assert_eq(cs_table_add_dimension(table, axis->name, axis->unit, axis->long_name, axis->length, axis->values,
                                        (const char *const *)axis->labels, NULL, &error),
                 CS_OK);
  }
  function = of;
  radius = malloc(sweep->runs * sizeof *radius);
  for (size_t run = 0; run < sweep->runs; run++) {
    cs_settings_of(sweep, run, &settings);
    radius[run] = function(&settings);
  }
}

static void search(void) {
  cr_assert_eq(cs_boundary_search(sweep, radius, evaluate, NULL, table, &error), CS_OK, "%s", error.message);
}

static double *numbers(const char *name) {
  struct cs_array *array = cs_table_find(table, name);
  cr_assert(array != NULL && array->type == CS_FLOAT64, "no numbers %s", name);
  return array->data.float64;
}

/* ---- along an axis */

/* Stable below 0.3 + q/10, between 2 and 3, and from 5 on. */
static double several(const struct cs_settings *s) {
  const double x = s->step_size, first = 0.3 + s->parameters[1] / 10;
  return x <= first || (x >= 2 && x <= 3) || x >= 5 ? 0.5 : 2;
}

Test(boundary, every_crossing_of_every_line) {
  open_sweep(
      "{\"name\": \"q\", \"path\": \"parameters.q\", \"values\": [0, 1, 40]},\n"
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.7, 0.1, 2.5, 1.5, 6, 4]},\n"
      "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 2]}",
      "\"boundary\": {\"along\": \"H\"}", several);
  search();
  const struct cs_array *crossings = cs_table_find(table, "H_crossings"),
                        *count = cs_table_find(table, "H_crossing_count");
  cr_assert(crossings->dimensions == 3 && crossings->dimension[0] == 0 && crossings->dimension[1] == 2);
  cr_assert_eq(crossings->count, 3 * 2 * 4);
  for (size_t line = 0; line < 6; line++) {
    const double expected[] = {0.3 + (double)(line / 2) / 10, 2, 3, 5};
    const double *found = crossings->data.float64 + line * 4;
    cr_expect_eq(numbers("H_stable_max")[line], 6);
    cr_expect_float_eq(numbers("H_stable_first")[line], line < 4 ? expected[0] : 6, 1e-9);
    cr_expect_eq(count->data.int64[line], line < 4 ? 4 : 0);
    for (size_t i = 0; i < 4 && line < 4; i++)
      cr_expect_float_eq(found[i], expected[i], 1e-10 * 6, "line %zu, crossing %zu: %.17g", line, i, found[i]);
    for (size_t i = 0; i < 4 && line >= 4; i++)
      cr_expect(isnan(found[i]), "line %zu has crossings", line);
  }
  cr_expect_lt(rounds, 40, "%zu rounds", rounds);
}

static double below_one(const struct cs_settings *s) {
  return s->parameters[0] <= 1e-4 ? 1 : 1 + 1.1e-9;
}

Test(boundary, last_stable_value_and_small_numbers) {
  open_sweep("{\"name\": \"p\", \"path\": \"parameters.p\", \"logspace\": [1e-6, 1, 4]}",
             "\"boundary\": {\"along\": \"p\"}", below_one);
  search();
  cr_expect_eq(cs_table_find(table, "p_stable_max")->dimensions, 0);
  cr_expect_float_eq(numbers("p_stable_max")[0], 1e-4, 1e-12);
  cr_expect_float_eq(numbers("p_crossings")[0], 1e-4, 1e-12);
}

static double island(const struct cs_settings *s) {
  return fabs(s->parameters[0] - 0.5) < 0.1 ? 0.5 : 2;
}

Test(boundary, an_island_is_no_limit_of_what_begins_unstable) {
  open_sweep("{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [0, 1, 21]}",
             "\"boundary\": {\"along\": \"p\"}", island);
  search();
  cr_expect(isnan(numbers("p_stable_first")[0]));
  cr_expect_float_eq(numbers("p_stable_max")[0], 0.6, 1e-9);
}

/* Rises from p = 0 on with decreasing slope. */
static double flattening(const struct cs_settings *s) {
  const double p = s->parameters[0];
  return p > 0 ? 1 + 1e-5 * sqrt(p) : 1;
}

Test(boundary, no_limit_lies_outside_the_scan) {
  open_sweep("{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1, 0]}", "\"boundary\": {\"along\": \"p\"}",
             flattening);
  search();
  cr_expect_eq(numbers("p_crossings")[0], 0, "%.17g", numbers("p_crossings")[0]);
  cr_expect_eq(numbers("p_stable_max")[0], 0);
}

static double never(const struct cs_settings *s) {
  return 2 + fabs(s->parameters[0]);
}

Test(boundary, where_nothing_is_stable_there_is_no_largest) {
  open_sweep("{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [-1, 1, 5]}",
             "\"boundary\": {\"along\": \"p\"}", never);
  radius[0] = NAN;
  search();
  cr_expect(isnan(numbers("p_stable_max")[0]) && isnan(numbers("p_stable_first")[0]));
  cr_expect_eq(cs_table_find(table, "p_crossing_count")->data.int64[0], 0);
  cr_expect_eq(points, 0);
}

/* Between 0.4 and 0.6 there is no radius; such points do not count as stable. */
static double unknown_between(const struct cs_settings *s) {
  const double p = s->parameters[0];
  return p > 0.4 && p < 0.6 ? NAN : p < 0.5 ? 0 : 2;
}

Test(boundary, what_has_no_radius_is_passed_over) {
  open_sweep("{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [0, 1, 11]}",
             "\"boundary\": {\"along\": \"p\"}", unknown_between);
  search();
  cr_expect_eq(cs_table_find(table, "p_crossing_count")->data.int64[0], 1);
  cr_expect_float_eq(numbers("p_stable_max")[0], 0.4, 1e-10);
}

/* A model so large that each point is much work. */
static void write_large_model(void) {
  enum { STATES = 41 };
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"connections\": [], \"subsystems\": [{"
              "\"name\": \"a\", \"inputs\": [], \"outputs\": [], \"states\": [");
  for (int i = 0; i < STATES; i++)
    cs_text_add(&text, "%s\"x%d\"", i > 0 ? ", " : "", i);
  cs_text_add(&text, "], \"A\": [");
  for (int i = 0; i < STATES * STATES; i++)
    cs_text_add(&text, "%s%d%s", i % STATES == 0 ? "[" : "", -(i % (STATES + 1) == 0),
                i == STATES * STATES - 1   ? "]"
                : i % STATES == STATES - 1 ? "], "
                                           : ", ");
  cs_text_add(&text, "], \"x0\": [");
  for (int i = 0; i < STATES; i++)
    cs_text_add(&text, "%s1", i > 0 ? ", " : "");
  cs_text_add(&text, "]}]}");
  sweep_case_write("model.json", text.data);
  cs_text_free(&text);
}

/* Stable with a radius that hardly moves below 0.7 and from 5 on; another eigenvalue is beyond 1 between, and jumps
 * at 3.
 */
static double bent(const struct cs_settings *s) {
  const double H = s->step_size, grows = H < 3 ? exp(2 * (H - 0.7)) : 1 + (5 - H) * (5 - H) * 1e-3 * (H < 5);
  return fmax(1 - 1e-7 * H, H > 0.7 && H < 5 ? grows : 0);
}

Test(boundary, few_points_are_taken_where_each_is_much_work) {
  write_large_model();
  open_sweep("{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.4, 1, 2]}",
             "\"boundary\": {\"along\": \"H\"}", bent);
  search();
  cr_expect_eq(cs_table_find(table, "H_crossing_count")->data.int64[0], 1);
  cr_expect_float_eq(numbers("H_crossings")[0], 0.7, 1e-9, "%.12g", numbers("H_crossings")[0]);
  cr_expect_lt(points, 14, "%zu points", points);
}

Test(boundary, much_work_is_done_where_a_line_leads_nowhere) {
  write_large_model();
  open_sweep("{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.4, 1, 4, 8]}",
             "\"boundary\": {\"along\": \"H\"}", bent);
  search();
  cr_expect_eq(cs_table_find(table, "H_crossing_count")->data.int64[0], 2);
  cr_expect_float_eq(numbers("H_crossings")[0], 0.7, 1e-9, "%.12g", numbers("H_crossings")[0]);
  cr_expect_float_eq(numbers("H_crossings")[1], 5, 2e-3, "%.12g", numbers("H_crossings")[1]); /* a double root */
}

/* ---- maps */

/* Stable inside a circle, which moves with the first axis. */
static double circle(const struct cs_settings *s) {
  return hypot(s->parameters[0] - 0.1 * s->method.subsystem[0].input_order, s->parameters[1]);
}

static void open_map(const char *levels) {
  char rest[32] = "\"refine\": ";
  open_sweep(
      "{\"name\": \"q\", \"path\": \"parameters.q\", \"linspace\": [1.55, -1.45, 13]},\n"
      "{\"name\": \"m\", \"path\": \"method.input_order\", \"values\": [0, 1]},\n"
      "{\"name\": \"p\", \"path\": \"parameters.p\", \"linspace\": [-1.5, 1.6, 17]}",
      strcat(rest, levels), circle);
  cr_assert_eq(cs_refine_maps(sweep, radius, evaluate, NULL, table, &error), CS_OK, "%s", error.message);
}

static const struct cs_array *in_group(const char *name) {
  cr_assert_not_null(table->group);
  const struct cs_array *array = cs_table_find(table->group, name);
  cr_assert_not_null(array, "no %s in the group", name);
  return array;
}

Test(boundary, a_refined_map_has_points_along_its_boundary_only) {
  open_map("3");
  const double *p = in_group("p")->data.float64, *q = in_group("q")->data.float64, *m = in_group("m")->data.float64;
  const double *found = in_group("spectral_radius")->data.float64;
  const int64_t *level = in_group("level")->data.int64;
  const size_t count = in_group("p")->count;
  size_t of_level[4] = {0};
  cr_expect_eq(count, points, "%zu points, of %zu", count, points);
  cr_expect_eq(rounds, 3);
  for (size_t i = 0; i < count; i++) {
    const double size = hypot(3.0 / 12, 3.1 / 16) / (double)(1 << (level[i] - 1));
    const double at = hypot(p[i] - 0.1 * m[i], q[i]);
    cr_assert(level[i] >= 1 && level[i] <= 3 && (m[i] == 0 || m[i] == 1));
    of_level[level[i]]++;
    cr_expect_eq(found[i], at);
    cr_expect_eq(in_group("stable")->data.uint8[i], at <= 1 + 1e-9);
    cr_expect_leq(fabs(at - 1), size, "level %d, point (%g, %g)", (int)level[i], p[i], q[i]);
  }
  cr_expect(of_level[2] > 3 * of_level[1] / 2 && of_level[3] > 3 * of_level[2] / 2);
}

static int compare(const void *left, const void *right) {
  return memcmp(left, right, 3 * sizeof(double));
}

Test(boundary, no_point_twice_and_none_of_the_map) {
  open_map("4");
  const size_t count = in_group("p")->count;
  double *all = malloc((count + sweep->runs) * 3 * sizeof *all);
  for (size_t i = 0; i < count + sweep->runs; i++) {
    if (i < count) {
      all[3 * i] = in_group("p")->data.float64[i];
      all[3 * i + 1] = in_group("q")->data.float64[i];
      all[3 * i + 2] = in_group("m")->data.float64[i];
    } else {
      cs_settings_of(sweep, i - count, &settings);
      all[3 * i] = settings.parameters[0];
      all[3 * i + 1] = settings.parameters[1];
      all[3 * i + 2] = settings.method.subsystem[0].input_order;
    }
  }
  qsort(all, count + sweep->runs, 3 * sizeof *all, compare);
  for (size_t i = 1; i < count + sweep->runs; i++)
    cr_expect(memcmp(all + 3 * i, all + 3 * i - 3, 3 * sizeof *all) != 0, "(%g, %g) twice", all[3 * i], all[3 * i + 1]);
  free(all);
}

/* On the finest level the boundary passes between points: every cell of that size that it crosses has its corners. */
Test(boundary, the_boundary_is_nowhere_lost) {
  open_map("2");
  const double *p = in_group("p")->data.float64, *q = in_group("q")->data.float64, *m = in_group("m")->data.float64;
  const double reach = hypot(3.0 / 12, 3.1 / 16) / 4;
  for (int order = 0; order < 2; order++)
    for (int degree = 0; degree < 360; degree++) {
      const double x = 0.1 * order + cos(degree * 0.017453292519943295), y = sin(degree * 0.017453292519943295);
      double nearest = INFINITY;
      for (size_t i = 0; i < in_group("p")->count; i++)
        if (m[i] == order) nearest = fmin(nearest, hypot(p[i] - x, q[i] - y));
      cr_expect_leq(nearest, 2 * reach, "no point near %d degrees", degree);
    }
}

Test(boundary, without_a_boundary_there_is_no_group) {
  open_sweep(
      "{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [0, 1]}, "
      "{\"name\": \"q\", \"path\": \"parameters.q\", \"values\": [0, 1]}",
      "\"refine\": 3", never);
  cr_assert_eq(cs_refine_maps(sweep, radius, evaluate, NULL, table, &error), CS_OK);
  cr_expect_null(table->group);
  cr_expect_eq(points, 0);
}
