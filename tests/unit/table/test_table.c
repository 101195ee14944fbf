#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "text.h"

static struct cs_table *table;
static struct cs_error error;

static void set_up(void) {
  error = (struct cs_error){0};
  table = cs_table_new("title", "cosweep 0.1", "history");
  cr_assert_not_null(table);
}

static void tear_down(void) {
  cs_table_free(table);
}

TestSuite(table, .init = set_up, .fini = tear_down);

Test(table, texts_and_values_are_copied) {
  char name[] = "H";
  double values[] = {0.1, 0.2, 0.4};
  char label[] = "euler";
  const char *labels[] = {label, "exact"};
  size_t h = 9, solver = 9;
  cr_assert_eq(cs_table_add_dimension(table, name, "s", "macro step", 3, values, NULL, &h, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "solver", "1", "", 2, NULL, labels, &solver, &error), CS_OK);
  name[0] = 'X';
  values[1] = -1;
  label[0] = 'X';
  cr_expect_eq(h, 0);
  cr_expect_eq(solver, 1);
  const struct cs_dimension *found = cs_table_find_dimension(table, "H");
  cr_assert_not_null(found);
  cr_expect_str_eq(found->unit, "s");
  cr_expect_str_eq(found->long_name, "macro step");
  cr_expect_eq(found->values[1], 0.2);
  cr_expect_null(found->labels);
  cr_expect_str_eq(table->dimension[solver].labels[0], "euler");
  cr_expect_null(table->dimension[solver].values);
  cr_expect_null(cs_table_find_dimension(table, "order"));
}

Test(table, items_are_numbered_from_0) {
  size_t index = 9;
  cr_assert_eq(cs_table_add_numbers(table, "mode", "eigenvalue", 3, &index, &error), CS_OK);
  cr_assert_eq(index, 0);
  const struct cs_dimension *mode = &table->dimension[index];
  cr_expect_str_eq(mode->name, "mode");
  cr_expect_str_eq(mode->unit, "1");
  cr_expect_str_eq(mode->long_name, "number of the eigenvalue, from 0");
  for (size_t i = 0; i < 3; i++)
    cr_expect_eq(mode->values[i], (double)i);
  cr_expect_eq(cs_table_add_numbers(table, "none", "nothing", 0, NULL, &error), CS_INPUT);
}

Test(table, arrays_start_as_said) {
  double values[] = {1, 2, 3};
  const char *labels[] = {"a.y", "b.y"};
  size_t h, output;
  cs_table_add_dimension(table, "H", "s", "", 3, values, NULL, &h, &error);
  cs_table_add_dimension(table, "output", "1", "", 2, NULL, labels, &output, &error);
  const size_t both[] = {h, output};
  struct cs_array *array = NULL;
  cr_assert_eq(cs_table_add_array(table, "error", "m", "sentence", CS_FLOAT64, 2, both, &array, &error), CS_OK);
  cr_expect_eq(array->count, 6);
  cr_expect_eq(array->dimension[1], output);
  for (size_t i = 0; i < 6; i++)
    cr_expect(isnan(array->data.float64[i]));
  cr_assert_eq(cs_table_add_array(table, "steps", "1", "", CS_INT64, 1, &h, &array, &error), CS_OK);
  for (size_t i = 0; i < 3; i++)
    cr_expect_eq(array->data.int64[i], 0);
  cr_assert_eq(cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, &h, &array, &error), CS_OK);
  for (size_t i = 0; i < 3; i++)
    cr_expect_eq(array->data.uint8[i], 0);
  array->flag_meanings = cs_text_copy("ok diverged");
  cr_assert_eq(cs_table_add_array(table, "output_units", "", "", CS_TEXT, 1, &output, &array, &error), CS_OK);
  for (size_t i = 0; i < 2; i++)
    cr_expect_null(array->data.text[i]);
  array->data.text[1] = cs_text_copy("N m");
  cr_assert_eq(cs_table_add_array(table, "scalar", "1", "", CS_FLOAT64, 0, NULL, &array, &error), CS_OK);
  cr_expect_eq(array->count, 1);
  cr_expect_eq(cs_table_find(table, "steps")->type, CS_INT64);
  cr_expect_null(cs_table_find(table, "H"));
}

Test(table, a_name_stands_for_one_variable) {
  double value = 1;
  cs_table_add_dimension(table, "H", "s", "", 1, &value, NULL, NULL, &error);
  cs_table_add_array(table, "steps", "1", "", CS_INT64, 0, NULL, NULL, &error);
  const struct {
    const char *name, *message;
  } bad[] = {
      {"H", "two variables are named \"H\""},    {"steps", "two variables are named \"steps\""},
      {"provenance", "\"provenance\" is taken"}, {"a/b", "\"a/b\" cannot name a variable"},
      {"", "\"\" cannot name a variable"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cr_expect_eq(cs_table_add_array(table, bad[i].name, "", "", CS_INT64, 0, NULL, NULL, &error), CS_INPUT);
    cr_expect(strstr(error.message, bad[i].message), "%s", error.message);
    cr_expect_eq(cs_table_add_dimension(table, bad[i].name, "", "", 1, &value, NULL, NULL, &error), CS_INPUT);
    cr_expect(strstr(error.message, bad[i].message), "%s", error.message);
  }
  cr_expect_eq(table->arrays, 1);
  cr_expect_eq(table->dimensions, 1);
}

Test(table, sizes_that_cannot_be_are_refused) {
  double value = 1;
  cr_expect_eq(cs_table_add_dimension(table, "H", "s", "", 0, &value, NULL, NULL, &error), CS_INPUT);
  cr_expect(strstr(error.message, "length 0"), "%s", error.message);
  double values[4096] = {0};
  size_t axes[6];
  for (size_t i = 0; i < 6; i++) {
    char name[] = {(char)('a' + i), '\0'};
    cr_assert_eq(cs_table_add_dimension(table, name, "", "", 4096, values, NULL, &axes[i], &error), CS_OK);
  }
  cr_expect_eq(cs_table_add_array(table, "huge", "", "", CS_FLOAT64, 6, axes, NULL, &error), CS_DEVICE,
               "4096^6 items do not fit 64 bits");
  size_t many[CS_MAX_DIMENSIONS + 1] = {0};
  cr_expect_eq(cs_table_add_array(table, "deep", "", "", CS_UINT8, CS_MAX_DIMENSIONS + 1, many, NULL, &error),
               CS_INPUT);
  cr_expect_eq(table->arrays, 0);
}

Test(table, notes_are_texts_lists_and_numbers) {
  const char *kernels[] = {"kernel one", "kernel two"};
  const char *device = "cpu";
  cr_assert_eq(cs_table_add_text(table, "kernel", 2, 0, kernels, &error), CS_OK);
  cr_assert_eq(cs_table_add_text(table, "device", 1, 1, &device, &error), CS_OK);
  cr_assert_eq(cs_table_add_number(table, "wall_seconds", CS_FLOAT64, 1.5, 0, &error), CS_OK);
  cr_assert_eq(cs_table_add_number(table, "runs", CS_INT64, 0, 4096, &error), CS_OK);
  cr_expect_str_eq(cs_table_find_note(table, "kernel")->text[1], "kernel two");
  cr_expect_not(cs_table_find_note(table, "kernel")->scalar);
  cr_expect(cs_table_find_note(table, "device")->scalar);
  cr_expect_eq(cs_table_find_note(table, "wall_seconds")->float64, 1.5);
  cr_expect_eq(cs_table_find_note(table, "runs")->int64, 4096);
  cr_expect_null(cs_table_find_note(table, "driver"));
  cr_expect_eq(cs_table_add_text(table, "device", 1, 1, &device, &error), CS_INPUT, "a note's name is its own");
  cr_expect_eq(cs_table_add_text(table, "none", 0, 0, kernels, &error), CS_INPUT, "an empty list");
  cr_expect_eq(table->notes, 4);
}

Test(table, freeing_nothing_is_fine) {
  cs_table_free(NULL);
}
