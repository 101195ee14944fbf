#define _XOPEN_SOURCE 700
/* A table through a stream: whole, broken off anywhere, and with nonsense in it. */
#include "stream.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static struct cs_error error;

static struct cs_table *make_table(void) {
  static const char *const names[] = {"a", "b"}, *const notes[] = {"one", "two"};
  static const double values[] = {1, 2, 3};
  const size_t both[] = {0, 1};
  struct cs_table *table = cs_table_new("title", "source", "history"), *group;
  struct cs_array *array;
  int code = cs_table_add_dimension(table, "name", "1", "names", 2, NULL, names, NULL, &error);
  code |= cs_table_add_dimension(table, "value", "s", "values", 3, values, NULL, NULL, &error);
  code |= cs_table_add_array(table, "number", "m", "numbers", CS_FLOAT64, 2, both, &array, &error);
  array->data.float64[4] = 0.1;
  code |= cs_table_add_array(table, "flag", "1", "", CS_UINT8, 1, both, &array, &error);
  array->flag_meanings = cs_text_copy("no yes");
  code |= cs_table_add_array(table, "text", "1", "", CS_TEXT, 1, both, &array, &error);
  array->data.text[1] = cs_text_copy("second");
  code |= cs_table_add_group(table, "group", "more", &group, &error);
  code |= cs_table_add_dimension(group, "point", "1", "", 3, values, NULL, NULL, &error);
  code |= cs_table_add_array(group, "count", "1", "", CS_INT64, 1, both, &array, &error);
  array->data.int64[2] = INT64_C(1) << 60;
  code |= cs_table_add_text(table, "list", 2, 0, notes, &error);
  code |= cs_table_add_number(table, "seconds", CS_FLOAT64, 1.5, 0, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  return table;
}

/* In two blocks where it is long enough. */
static void put_array(FILE *to, const struct cs_array *array) {
  const size_t first = array->count > 4 ? 4 : array->count;
  cs_stream_put_array(to, array);
  cs_stream_put_items(to, array->type, array->data.uint8, first);
  if (first < array->count) cs_stream_put_items(to, array->type, array->data.float64 + first, array->count - first);
}

static void put_contents(FILE *to, const struct cs_table *table) {
  for (size_t i = 0; i < table->dimensions; i++)
    cs_stream_put_dimension(to, &table->dimension[i]);
  for (size_t i = 0; i < table->arrays; i++)
    put_array(to, &table->array[i]);
}

/* The records of the table, [*size]. */
static char *put(int code, size_t *size) {
  struct cs_table *table = make_table();
  const struct cs_error failure = {.code = code, .message = "why"};
  char *bytes;
  FILE *to = open_memstream(&bytes, size);
  cs_stream_put_table(to, table);
  put_contents(to, table);
  cs_stream_put_group(to, table->group);
  put_contents(to, table->group);
  for (size_t i = 0; i < table->notes; i++)
    cs_stream_put_note(to, &table->note[i]);
  cs_stream_put_end(to, code, &failure);
  fclose(to);
  cs_table_free(table);
  return bytes;
}

static bool take(char *bytes, size_t size, struct cs_table **table, int *code) {
  FILE *from = fmemopen(bytes, size, "rb");
  error = (struct cs_error){0};
  const bool answered = cs_stream_take(from, table, code, &error);
  fclose(from);
  return answered;
}

Test(stream, a_table_arrives_whole) {
  struct cs_table *table;
  size_t size;
  int code;
  char *bytes = put(CS_OK, &size);
  cr_assert(take(bytes, size, &table, &code) && code == CS_OK, "%s", error.message);
  cr_expect_str_eq(table->history, "history");
  cr_expect_eq(cs_table_find(table, "number")->data.float64[4], 0.1);
  cr_expect_str_eq(cs_table_find(table, "flag")->flag_meanings, "no yes");
  cr_expect_str_eq(cs_table_find(table, "text")->data.text[1], "second");
  cr_expect_str_eq(table->dimension[0].labels[1], "b");
  cr_expect_eq(table->dimension[1].values[2], 3);
  cr_expect_eq(cs_table_find(table->group, "count")->data.int64[2], INT64_C(1) << 60);
  cr_expect_str_eq(cs_table_find_note(table, "list")->text[1], "two");
  cr_expect_eq(cs_table_find_note(table, "seconds")->float64, 1.5);
  cs_table_free(table);
  free(bytes);
}

Test(stream, an_error_takes_the_place_of_the_table) {
  struct cs_table *table;
  size_t size;
  int code;
  char *bytes = put(CS_IO, &size);
  cr_expect(take(bytes, size, &table, &code) && code == CS_IO && table == NULL);
  cr_expect_str_eq(error.message, "why");
  free(bytes);
}

Test(stream, an_error_has_a_code_and_a_message) {
  static const struct {
    size_t code;
    const char *message;
    bool good;
  } ends[] = {{CS_INPUT, "why", true}, {CS_IO, "why", true},     {CS_OK, "", true},           {CS_IO, "", false},
              {77, "why", false},      {SIZE_MAX, "why", false}, {CS_NO_RESULT, "why", false}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    char *bytes;
    size_t size;
    int code = CS_OK;
    FILE *to = open_memstream(&bytes, &size);
    cs_stream_put_count(to, ends[i].code);
    cs_stream_put_text(to, ends[i].message);
    fclose(to);
    FILE *from = fmemopen(bytes, size, "rb");
    cr_expect_eq(cs_stream_take_outcome(from, &code, &error), ends[i].good, "end %zu", i);
    cr_expect_eq(code, ends[i].good ? (int)ends[i].code : CS_OK, "end %zu", i);
    fclose(from);
    free(bytes);
  }
}

/* An array whose items break off, and the end. */
static char *put_broken(int code, bool more, size_t *size) {
  struct cs_table *table = make_table();
  const struct cs_error failure = {.code = code, .message = "unreadable"};
  char *bytes;
  FILE *to = open_memstream(&bytes, size);
  cs_stream_put_table(to, table);
  for (size_t i = 0; i < table->dimensions; i++)
    cs_stream_put_dimension(to, &table->dimension[i]);
  cs_stream_put_array(to, &table->array[0]);
  cs_stream_put_items(to, CS_FLOAT64, table->array[0].data.float64, 2);
  cs_stream_put_items(to, CS_FLOAT64, NULL, 0);
  if (more) put_array(to, &table->array[1]);
  cs_stream_put_end(to, code, &failure);
  fclose(to);
  cs_table_free(table);
  return bytes;
}

Test(stream, items_that_break_off_need_a_reason) {
  struct cs_table *table;
  size_t size;
  int code;
  char *bytes = put_broken(CS_IO, false, &size);
  cr_expect(take(bytes, size, &table, &code) && code == CS_IO && table == NULL);
  cr_expect_str_eq(error.message, "unreadable");
  free(bytes);
  bytes = put_broken(CS_OK, false, &size);
  cr_expect(!take(bytes, size, &table, &code) && table == NULL);
  free(bytes);
  bytes = put_broken(CS_IO, true, &size);
  cr_expect(!take(bytes, size, &table, &code) && table == NULL);
  free(bytes);
}

Test(stream, what_breaks_off_is_no_answer) {
  size_t size;
  char *bytes = put(CS_OK, &size);
  for (size_t length = 1; length < size; length++) {
    struct cs_table *table;
    int code;
    cr_expect_not(take(bytes, length, &table, &code), "%zu of %zu bytes", length, size);
    cr_expect_null(table);
  }
  free(bytes);
}

/* A process that damaged bytes have led astray may say anything. */
Test(stream, nonsense_harms_nobody) {
  size_t size;
  char *bytes = put(CS_OK, &size);
  for (size_t i = 0; i < size; i++)
    for (int value = 0; value < 256; value += 51) {
      struct cs_table *table;
      int code;
      const char before = bytes[i];
      bytes[i] = (char)value;
      cr_expect(!take(bytes, size, &table, &code) || (code == CS_OK) == (table != NULL), "byte %zu", i);
      cs_table_free(table);
      bytes[i] = before;
    }
  free(bytes);
}
