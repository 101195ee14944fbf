#include <criterion/criterion.h>
#include <stdlib.h>

#include "scale.h"

static const double values[] = {0.1, 0.1001, 1.0 / 3.0, -2, 0, 1e6};
enum { VALUES = sizeof values / sizeof *values };

/* Of several values that a rounded number may mean, the nearest. */
Test(scale, the_nearest_value_counts) {
  static const double close[] = {1.0004, 1, 1.0003};
  cr_expect_eq(cs_scale_position(3, close, NULL, "1.0001"), 1);
  cr_expect_eq(cs_scale_position(3, close, NULL, "1.00034"), 2);
  cr_expect_eq(cs_scale_position(3, close, NULL, "1.0004"), 0);
}

/* A number as it is printed with 4 digits means the value it was printed from, and nothing further away. */
Test(scale, numbers_may_be_rounded_to_four_digits) {
  static const struct {
    const char *text;
    size_t position;
  } row[] = {{"0.1", 0},          {"0.10004", 0},      {"0.10006", 1},     {"0.1001", 1},     {"0.10011", 1},
             {"0.3333", 2},       {"0.3334", 2},       {"0.3336", VALUES}, {"0.333", VALUES}, {"0.34", VALUES},
             {"-2.0009", 3},      {"-2.0011", VALUES}, {"-2.05", VALUES},  {"2", VALUES},     {"0", 4},
             {"nan", VALUES},     {"-nan", VALUES},    {"inf", VALUES},    {"1e-9", VALUES},  {"1000400", 5},
             {"1000600", VALUES}, {"1.02e6", VALUES}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const size_t position = cs_scale_position(VALUES, values, NULL, row[i].text);
    cr_expect_eq(position, row[i].position, "%s: position %zu, want %zu", row[i].text, position, row[i].position);
  }
}

Test(scale, what_is_no_number_means_no_value) {
  static const char *const text[] = {"", "x", "0.1x", "0.1 "};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++)
    cr_expect_eq(cs_scale_position(VALUES, values, NULL, text[i]), VALUES, "\"%s\"", text[i]);
}

Test(scale, labels_are_taken_letter_by_letter) {
  char exact[] = "exact", euler[] = "euler", *const labels[] = {exact, euler};
  cr_expect_eq(cs_scale_position(2, NULL, labels, "euler"), 1);
  cr_expect_eq(cs_scale_position(2, NULL, labels, "Euler"), 2);
  cr_expect_eq(cs_scale_position(2, NULL, labels, "eule"), 2);
  cr_expect_eq(cs_scale_position(2, NULL, labels, "0"), 2);
}

Test(scale, few_values_are_listed_and_many_have_a_range) {
  double many[25];
  for (size_t i = 0; i < 25; i++)
    many[i] = 0.5 * (double)i;
  struct cs_text few = {0}, range = {0};
  cs_scale_list(3, values, NULL, &few);
  cr_expect_str_eq(cs_text_string(&few), "0.1, 0.1001, 0.333333");
  cs_scale_list(25, many, NULL, &range);
  cr_expect_str_eq(cs_text_string(&range), "the 25 values from 0 to 12");
  cs_text_free(&few);
  cs_text_free(&range);
}

static int take(void *of, size_t at, struct cs_error *error) {
  (void)error;
  cs_text_add(of, "%zu ", at);
  return CS_OK;
}

/* Both ends belong to a range, and may be rounded or left out; what has names has no ranges. */
Test(scale, ranges_take_all_values_within) {
  static const struct {
    const char *value, *taken;
  } row[] = {{"0.1:0.3333", "0 1 2 "}, {"-2:0", "3 4 "},      {":0", "3 4 "},
             {"0.2:", "2 5 "},         {":", "0 1 2 3 4 5 "}, {"0.1", "0 "},
             {"1e3:1e5", NULL},        {"1:0", NULL},         {"a:1", NULL},
             {"0:1x", NULL},           {"nan:1", NULL}};
  double numbers[VALUES];
  for (size_t i = 0; i < VALUES; i++)
    numbers[i] = values[i];
  char exact[] = "exact", odd[] = "1:2", *labels[] = {exact, odd};
  const struct cs_dimension d = {.length = VALUES, .values = numbers}, named = {.length = 2, .labels = labels};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_text taken = {0};
    const int code = cs_scale_take(&d, row[i].value, "where", row[i].value, take, &taken, NULL);
    cr_expect_eq(code, row[i].taken != NULL ? CS_OK : CS_USAGE, "%s", row[i].value);
    if (row[i].taken != NULL) cr_expect_str_eq(cs_text_string(&taken), row[i].taken, "%s", row[i].value);
    cs_text_free(&taken);
  }
  struct cs_text taken = {0};
  cr_expect_eq(cs_scale_take(&named, "1:2", "where", "axis=1:2", take, &taken, NULL), CS_OK);
  cr_expect_str_eq(cs_text_string(&taken), "1 ");
  cs_text_free(&taken);
}
