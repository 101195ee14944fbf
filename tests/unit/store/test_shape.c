/* What the variables of a result have to look like, by tables of what is changed in a good one and the message. */
#include "shape.h"

#include <criterion/criterion.h>
#include <string.h>

static struct cs_error error;

/* A variable over the dimensions named, separated by blanks; `over` NULL: none of that name. */
struct variable {
  const char *name;
  enum cs_type type;
  const char *over;
};

static const struct variable result[] = {{"status", CS_UINT8, "order H"},
                                         {"engine_used", CS_UINT8, "order H"},
                                         {"output_error", CS_FLOAT64, "order H output"},
                                         {"output_error_order", CS_FLOAT64, "order output"},
                                         {"output_error_order_r2", CS_FLOAT64, "order output"},
                                         {"output_error_order_points", CS_INT64, "order output"},
                                         {"steps", CS_INT64, "order H"},
                                         {"stable", CS_UINT8, "order H"},
                                         {"eigenvalue_re", CS_FLOAT64, "order H mode"},
                                         {"H_stable_first", CS_FLOAT64, "order"},
                                         {"H_stable_max", CS_FLOAT64, "order"},
                                         {"H_crossings", CS_FLOAT64, "order crossing"},
                                         {"H_crossing_count", CS_INT64, "order"},
                                         {"output_units", CS_TEXT, "output"},
                                         {"order_crossings", CS_TEXT, "order"}, /* a setting of axis order */
                                         {"anything", CS_INT64, "output H"}};
static const struct variable trace[] = {
    {"accepted", CS_UINT8, "t"},   {"status", CS_UINT8, "t"},           {"H", CS_FLOAT64, "t"},
    {"y", CS_FLOAT64, "t output"}, {"y_exact", CS_FLOAT64, "t output"}, {"output_error", CS_FLOAT64, "t output"},
    {"degree", CS_FLOAT64, "t"}};
static const struct variable group[] = {{"H", CS_FLOAT64, "point"},
                                        {"output", CS_TEXT, "point"},
                                        {"stable", CS_UINT8, "point"},
                                        {"level", CS_INT64, "point"}};

#define COUNT(list) (sizeof list / sizeof *list)

static void add_variable(struct cs_table *table, const struct variable *v) {
  size_t dimension[4], count = 0;
  for (const char *word = v->over; *word != '\0'; word += strspn(word, " ")) {
    char name[16] = "";
    strncat(name, word, strcspn(word, " "));
    dimension[count++] = (size_t)(cs_table_find_dimension(table, name) - table->dimension);
    word += strlen(name);
  }
  cr_assert_eq(cs_table_add_array(table, v->name, "1", "", v->type, count, dimension, NULL, &error), CS_OK, "%s",
               error.message);
}

/* Adds the variables of the list, with `instead` in place of the one of its name, or behind them. */
static void add_variables(struct cs_table *table, const struct variable *list, size_t count,
                          const struct variable *instead) {
  bool done = instead == NULL;
  for (size_t i = 0; i < count; i++) {
    const bool this = instead != NULL && strcmp(instead->name, list[i].name) == 0;
    const struct variable *v = this ? instead : &list[i];
    done = done || this;
    if (v->over != NULL) add_variable(table, v);
  }
  if (!done) add_variable(table, instead);
}

/* Dimensions of 2 or 3 values, whichever a table may have; axes first. */
static void add_dimensions(struct cs_table *table, const char *const *names, size_t count) {
  static const char *const labels[] = {"a", "b"};
  static const double values[] = {1, 2, 3};
  for (size_t i = 0; i < count; i++) {
    const bool named = strcmp(names[i], "output") == 0 || strcmp(names[i], "state") == 0;
    cr_assert_eq(cs_table_add_dimension(table, names[i], "1", "", named ? 2 : 3, named ? NULL : values,
                                        named ? labels : NULL, NULL, &error),
                 CS_OK, "%s", error.message);
  }
}

static struct cs_table *make_result(const struct variable *instead) {
  static const char *const names[] = {"order", "H", "output", "mode", "crossing"};
  struct cs_table *table = cs_table_new("", "", "");
  add_dimensions(table, names, COUNT(names));
  add_variables(table, result, COUNT(result), instead);
  return table;
}

static struct cs_table *make_trace(const struct variable *instead) {
  static const char *const names[] = {"t", "output", "state"};
  struct cs_table *table = cs_table_new("", "", "");
  add_dimensions(table, names, COUNT(names));
  add_variables(table, trace, COUNT(trace), instead);
  return table;
}

static struct cs_table *make_refined(const struct variable *instead) {
  static const char *const names[] = {"point", "other"};
  struct cs_table *table = make_result(NULL), *points;
  cr_assert_eq(cs_table_add_group(table, "refined", "", &points, &error), CS_OK);
  add_dimensions(points, names, instead != NULL && strstr(instead->over, "other") != NULL ? 2 : 1);
  add_variables(points, group, COUNT(group), instead);
  return table;
}

static struct cs_table *(*const make[])(const struct variable *instead) = {make_result, make_trace, make_refined};

Test(shape, what_is_written_is_accepted) {
  for (size_t i = 0; i < COUNT(make); i++) {
    struct cs_table *table = make[i](NULL);
    cr_expect_eq(cs_shape_check(table, "a.h5", &error), CS_OK, "%s", error.message);
    cs_table_free(table);
  }
}

Test(shape, what_readers_rely_on_is_checked) {
  enum { RESULT, TRACE, REFINED };
  static const struct {
    int base;
    struct variable instead;
    const char *message; /* of the variable, "" for none */
  } row[] = {
      {RESULT, {"status", CS_UINT8, NULL}, "has no variable \"status\""},
      {RESULT, {"status", CS_INT64, "order H"}, "\"status\": want uint8 over (order, H)"},
      {RESULT, {"engine_used", CS_UINT8, "order"}, "\"engine_used\": want uint8 over (order, H)"},
      {RESULT, {"output_error", CS_FLOAT64, "order H"}, "\"output_error\": want float64 over (order, H, output)"},
      {RESULT, {"output_error", CS_FLOAT64, "H order output"}, "\"output_error\": want float64 over"},
      {RESULT, {"output_error", CS_FLOAT64, "order H mode"}, "\"output_error\": want float64 over"},
      {RESULT, {"output_error", CS_INT64, "order H output"}, "\"output_error\": want float64 over"},
      {RESULT, {"output_error", CS_FLOAT64, NULL}, ""},
      {RESULT, {"state_error", CS_FLOAT64, "order H output"}, "\"state_error\": want a dimension \"state\" of names"},
      {RESULT,
       {"output_error_order", CS_FLOAT64, "H order"},
       "\"output_error_order\": want float64 over the dimensions"},
      {RESULT,
       {"output_error_order", CS_FLOAT64, "order H"},
       "\"output_error_order\": want float64 over the dimensions"},
      {RESULT, {"output_error_order", CS_INT64, "order output"}, "\"output_error_order\": want float64 over the dim"},
      {RESULT,
       {"output_error_order", CS_FLOAT64, "H output"},
       "\"output_error_order_r2\": want float64 over (H, output)"},
      {RESULT, {"output_error_order_r2", CS_FLOAT64, "output"}, "\"output_error_order_r2\": want float64"},
      {RESULT,
       {"output_error_order_points", CS_FLOAT64, "order output"},
       "_order_points\": want int64 over (order, out"},
      {RESULT, {"steps", CS_FLOAT64, "order H"}, "\"steps\": want int64 over (order, H)"},
      {RESULT, {"stable", CS_UINT8, "H"}, "\"stable\": want uint8 over (order, H)"},
      {RESULT, {"eigenvalue_re", CS_FLOAT64, "order H"}, "\"eigenvalue_re\": want float64 over (order, H, mode)"},
      {RESULT, {"H_stable_first", CS_INT64, "order"}, "\"H_stable_first\": want float64"},
      {RESULT, {"H_stable_max", CS_FLOAT64, "order H"}, "\"H_stable_max\": want float64 over (order)"},
      {RESULT, {"H_crossings", CS_FLOAT64, "order"}, "\"H_crossings\": want float64 over (order, crossing)"},
      {RESULT, {"H_crossings", CS_INT64, "order crossing"}, "\"H_crossings\": want float64"},
      {RESULT, {"H_crossing_count", CS_INT64, "crossing"}, "\"H_crossing_count\": want int64 over (order)"},
      {RESULT, {"anything", CS_FLOAT64, "H H"}, "\"anything\": want each dimension once"},
      {TRACE, {"accepted", CS_INT64, "t"}, "\"accepted\": want uint8 over (t)"},
      {TRACE, {"accepted", CS_UINT8, "output"}, "\"accepted\": want uint8 over (t)"},
      {TRACE, {"status", CS_UINT8, "output"}, "\"status\": want uint8 over (t)"},
      {TRACE, {"H", CS_FLOAT64, NULL}, "want a variable \"H\" beside it"},
      {TRACE, {"H", CS_INT64, "t"}, "\"H\": want float64 over (t)"},
      {TRACE, {"y", CS_FLOAT64, "t"}, "\"y\": want float64 over (t, output)"},
      {TRACE, {"y", CS_FLOAT64, ""}, "\"y\": want float64 over (t, output)"},
      {TRACE, {"y", CS_FLOAT64, "t state"}, "\"y\": want float64 over (t, output)"},
      {TRACE, {"y_exact", CS_FLOAT64, "output t"}, "\"y_exact\": want float64 over (t, output)"},
      {TRACE, {"u", CS_FLOAT64, "t output"}, "\"u\": want a dimension \"input\" of names"},
      {TRACE, {"x", CS_TEXT, "t state"}, "\"x\": want float64 over (t, state)"},
      {TRACE, {"output_error", CS_FLOAT64, "t"}, "\"output_error\": want float64 over (t, output)"},
      {REFINED, {"stable", CS_FLOAT64, "point"}, "\"stable\": want uint8 over (point)"},
      {REFINED, {"level", CS_INT64, ""}, "\"level\": want int64 over (point)"},
      {REFINED, {"H", CS_TEXT, "point"}, "\"H\": want float64 over (point)"},
      {REFINED, {"output", CS_FLOAT64, "point"}, "\"output\": want texts over (point)"},
      {REFINED, {"level", CS_INT64, "other"}, "\"level\": want int64 over (point)"},
      {REFINED, {"level", CS_INT64, "point other"}, ""},
      {REFINED, {"level", CS_INT64, "point point"}, "\"level\": want each dimension once"},
      {REFINED, {"stable", CS_UINT8, "point other"}, "\"stable\": want uint8 over (point)"},
      {REFINED, {"H", CS_FLOAT64, "point other"}, "\"H\": want float64 over (point)"},
      {REFINED, {"output", CS_TEXT, "other"}, "\"output\": want texts over (point)"},
      {REFINED, {"level", CS_INT64, "other point"}, "\"level\": want int64 over (point, point)"},
  };
  for (size_t i = 0; i < COUNT(row); i++) {
    struct cs_table *table = make[row[i].base](&row[i].instead);
    error = (struct cs_error){0};
    cr_expect_eq(cs_shape_check(table, "a.h5", &error), row[i].message[0] != '\0' ? CS_IO : CS_OK, "row %zu: %s", i,
                 error.message);
    cr_expect(strstr(error.message, row[i].message), "row %zu: %s", i, error.message);
    cs_table_free(table);
  }
}
