#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "json.h"

static struct cs_json *json;
static struct cs_error error;

static void set_up(void) {
  json = NULL;
  error = (struct cs_error){0};
}

static void tear_down(void) {
  cs_json_free(json);
}

TestSuite(json, .init = set_up, .fini = tear_down);

static void parse(const char *text) {
  cr_assert_eq(cs_json_parse("f", text, strlen(text), &json, &error), CS_OK, "%s", error.message);
}

static void expect_print(const char *want) {
  struct cs_text text = {0};
  cs_json_print(cs_json_root(json), &text);
  cr_expect_str_eq(text.data, want);
  cs_text_free(&text);
}

Test(json, bad_texts_are_refused_with_their_place) {
#define PAIR "want a pair \\uD800-\\uDBFF \\uDC00-\\uDFFF"
#define NUMBER "want a number such as 1, -0.5 or 1e-3"
#define RANGE "want 0 or a magnitude from 5e-324 to 1.79e308"
#define ESCAPES "want one of: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"
  static const char *const cases[][2] = {
      {"", "f:1:1: empty file; want a JSON value"},
      {" \n ", "f:1:1: empty file; want a JSON value"},
      {"\xEF\xBB\xBF{", "f:1:2: unexpected end of file; want a key in double quotes or }"},
      {" \xEF\xBB\xBF{}", "f:1:2: unexpected byte 0xEF; want a value"},
      {"\xFF\xFE{", "f:1:1: unexpected byte 0xFF; want a value"},
      {"{} x", "f:1:4: unexpected x; want the end of the file"},
      {"{}\n{}", "f:2:1: unexpected {; want the end of the file"},
      {"{\"a\": 1,}", "f:1:8: trailing comma before }"},
      {"[1, 2,]", "f:1:6: trailing comma before ]"},
      {"[,1]", "f:1:2: unexpected ,; want a value or ]"},
      {"[1 2]", "f:1:4: unexpected 2; want , or ]"},
      {"[1}", "f:1:3: unexpected }; want , or ]"},
      {"{\"a\" 1}", "f:1:6: unexpected 1; want : after the key"},
      {"{'a': 1}", "f:1:2: unexpected '; want a key in double quotes or }"},
      {"{\"a\":}", "f:1:6: unexpected }; want a value"},
      {"{\"a\": 1", "f:1:8: unexpected end of file; want , or }"},
      {"[“a”]", "f:1:2: unexpected “; want a value or ]"},
      {"[1, // one\n2]", "f:1:5: unexpected /: JSON has no comments; want a value"},
      {"/* one */ 1", "f:1:1: unexpected /: JSON has no comments; want a value"},
      {"[\v1]", "f:1:2: unexpected byte 0x0B; want a value or ]"},
      {"{\n \"a\": 1,\n \"b\": 2, \"a\": 3}", "f:3:10: a: duplicate key, first at 2:2; want each key once"},
      {"{\"s\": {\"a\": 1, \"\\u0061\": 3}}", "f:1:16: s.a: duplicate key, first at 1:8; want each key once"},
      {"[\"\xC3\"]", "f:1:3: byte 0xC3 in a string is not UTF-8; want text in UTF-8"},
      {"[\"é\xC0\xAF\"]", "f:1:4: byte 0xC0 in a string is not UTF-8; want text in UTF-8"},
      {"[\"\xED\xA0\x80\"]", "f:1:3: byte 0xED in a string is not UTF-8; want text in UTF-8"},
      {"[\"\xF4\x90\x80\x80\"]", "f:1:3: byte 0xF4 in a string is not UTF-8; want text in UTF-8"},
      {"[\"\xE0\x80\x80\"]", "f:1:3: byte 0xE0 in a string is not UTF-8; want text in UTF-8"},
      {"[\"a\tb\"]", "f:1:4: control character 0x09 in a string; want it escaped as \\u0009"},
      {"[\"a\nb\"]", "f:1:4: control character 0x0A in a string; want it escaped as \\u000A"},
      {"[\"a", "f:1:2: unterminated string; want a closing \""},
      {"[\"\\q\"]", "f:1:3: bad escape in a string; " ESCAPES},
      {"[\"\\u12G4\"]", "f:1:3: bad escape in a string; want \\u followed by four hexadecimal digits"},
      {"[\"\\ud800\"]", "f:1:3: lone surrogate in a string; " PAIR},
      {"[\"\\ud800\\u0041\"]", "f:1:3: lone surrogate in a string; " PAIR},
      {"[\"\\udc00\"]", "f:1:3: lone surrogate in a string; " PAIR},
      {"[\"\\u0000\"]", "f:1:3: \\u0000 in a string; want text without NUL"},
      {"[01]", "f:1:2: bad number 01: leading zero; " NUMBER},
      {"[-]", "f:1:2: bad number -: no digit at the start; " NUMBER},
      {"[1.]", "f:1:2: bad number 1.: no digit after the point; " NUMBER},
      {"[.5]", "f:1:2: bad number .5: no digit at the start; " NUMBER},
      {"[+1]", "f:1:2: bad number +1: no digit at the start; " NUMBER},
      {"[1e]", "f:1:2: bad number 1e: no digit in the exponent; " NUMBER},
      {"[0x10]", "f:1:2: bad number 0x10: not a decimal number; " NUMBER},
      {"[1e999]", "f:1:2: number 1e999 is out of range; " RANGE},
      {"[-1e999]", "f:1:2: number -1e999 is out of range; " RANGE},
      {"[1e-999]", "f:1:2: number 1e-999 is out of range; " RANGE},
      {"[0.0000000000000000000000000000000000000000000000000000000000000001]",
       "f:1:2: number too long; want at most 63 characters"},
      {"[NaN]", "f:1:2: unknown word NaN; want a value or ]"},
      {"[-Infinity]", "f:1:2: bad number -Infinity: no digit at the start; " NUMBER},
      {"[True]", "f:1:2: unknown word True; want a value or ]"},
      {"[truex]", "f:1:2: unknown word truex; want a value or ]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int code = cs_json_parse("f", cases[i][0], strlen(cases[i][0]), &json, &error);
    cr_assert_eq(code, CS_INPUT, "accepted: %s", cases[i][0]);
    cr_expect_eq(error.code, CS_INPUT);
    cr_expect_str_eq(error.message, cases[i][1]);
    cr_expect_null(json);
  }
}

Test(json, a_zero_byte_is_refused) {
  cr_expect_eq(cs_json_parse("f", "[1]\0", 4, &json, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:1:4: unexpected byte 0x00; want the end of the file");
  cr_expect_eq(cs_json_parse("f", "[\"\0\"]", 5, &json, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:1:3: control character 0x00 in a string; want it escaped as \\u0000");
}

Test(json, nesting_is_bounded) {
  char text[200001];
  memset(text, '[', 64);
  memset(text + 64, ']', 64);
  cr_expect_eq(cs_json_parse("f", text, 128, &json, &error), CS_OK);
  cs_json_free(json);
  memset(text, '[', 200000);
  cr_expect_eq(cs_json_parse("f", text, 200000, &json, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:1:65: nested deeper than 64 levels; want at most 64");
}

Test(json, values_read_back) {
  parse(
      "{\"n\": -1.5e-3, \"s\": \"a\\u00e9\\ud83d\\ude00\\\"\", \"l\": [true, false, null], \"o\": {\"k\": 7}, \"e\": "
      "[]}");
  const struct cs_node *root = cs_json_root(json), *list = cs_json_get(root, "l");
  cr_expect_eq(cs_json_kind(root), CS_OBJECT);
  cr_expect_eq(cs_json_length(root), 5);
  cr_expect_eq(cs_json_number(cs_json_get(root, "n")), -1.5e-3);
  cr_expect_str_eq(cs_json_string(cs_json_get(root, "s")), "aé😀\"");
  cr_expect_eq(cs_json_length(list), 3);
  cr_expect_eq(cs_json_kind(cs_json_at(list, 0)), CS_BOOL);
  cr_expect(cs_json_bool(cs_json_at(list, 0)));
  cr_expect_not(cs_json_bool(cs_json_at(list, 1)));
  cr_expect_eq(cs_json_kind(cs_json_at(list, 2)), CS_NULL);
  cr_expect_null(cs_json_at(list, 3));
  cr_expect_null(cs_json_key(cs_json_at(list, 0)));
  cr_expect_str_eq(cs_json_key(cs_json_at(root, 3)), "o");
  cr_expect_null(cs_json_get(root, "N"));
  cr_expect_null(cs_json_get(list, "n"));
  cr_expect_eq(cs_json_length(cs_json_get(root, "e")), 0);
}

Test(json, messages_name_place_and_path) {
  parse("{\n  \"é\": {\"A\": [[1, 2],\n    [3, \"x\"]]}}");
  const struct cs_node *root = cs_json_root(json), *a = cs_json_get(cs_json_at(root, 0), "A");
  cr_expect_eq(cs_json_fail(json, cs_json_at(cs_json_at(a, 1), 1), &error, "bad %d; want less", 7), CS_INPUT);
  cr_expect_str_eq(error.message, "f:3:9: é.A[1][1]: bad 7; want less");
  cs_json_fail_key(json, a, &error, "odd key");
  cr_expect_str_eq(error.message, "f:2:9: é.A: odd key");
  cs_json_fail(json, a, &error, "odd");
  cr_expect_str_eq(error.message, "f:2:14: é.A: odd");
  cs_json_fail(json, root, &error, "two\nlines");
  cr_expect_str_eq(error.message, "f:1:1: two?lines");
}

Test(json, what_is_needed_and_missing_is_said) {
  static const char *const legal[] = {"name", "axes", NULL};
  const struct cs_node *node;
  const char *text;
  parse("{\"name\": 1, \"axes\": \"H\", \"step\": {\"siez\": 1}}");
  const struct cs_node *root = cs_json_root(json);
  cr_expect_eq(cs_json_check_keys(json, root, legal, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:1:26: step: unknown key; want one of: name, axes");
  cr_expect_eq(cs_json_check_keys(json, cs_json_get(root, "name"), legal, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:1:10: name: found a number; want an object");
  cr_expect_eq(cs_json_need_string(json, root, "name", &text, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:1:10: name: found a number; want a string");
  cr_expect_eq(cs_json_need_list(json, root, "axes", &node, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:1:21: axes: found a string; want a list");
  cr_expect_eq(cs_json_need(json, cs_json_get(root, "step"), "size", &node, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:1:34: step: missing key \"size\"; want a value");
  cr_expect_eq(cs_json_need_string(json, root, "model", &text, &error), CS_INPUT);
  cr_expect_str_eq(error.message, "f:1:1: missing key \"model\"; want a string");
  cr_expect_eq(cs_json_need_string(json, root, "axes", &text, &error), CS_OK);
  cr_expect_str_eq(text, "H");
}

Test(json, overrides_replace_and_add_scalars) {
  parse("{\"method\": {\"solver\": \"exact\", \"x\": null}, \"axes\": [{\"unit\": \"s\"}, 5]}");
  static const char *const sets[][2] = {{"method.solver", "euler"}, {"method.x", "1e-3"},      {"axes.0.unit", "\"1\""},
                                        {"axes.1", "true"},         {"method.step.size", "2"}, {"note", "1e999"}};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    cr_expect_eq(cs_json_set(json, sets[i][0], sets[i][1], &error), CS_OK, "%s", error.message);
  expect_print(
      "{\n  \"method\": {\n    \"solver\": \"euler\",\n    \"x\": 0.001,\n    \"step\": {\n      \"size\": 2\n    }\n"
      "  },\n  \"axes\": [\n    {\n      \"unit\": \"1\"\n    },\n    true\n  ],\n  \"note\": \"1e999\"\n}");
  const struct cs_node *method = cs_json_get(cs_json_root(json), "method");
  cs_json_fail(json, cs_json_get(method, "solver"), &error, "unknown");
  cr_expect_str_eq(error.message, "--set method.solver: unknown");
  cs_json_fail(json, cs_json_get(method, "step"), &error, "odd");
  cr_expect_str_eq(error.message, "--set method.step.size: method.step: odd");
  cs_json_fail(json, method, &error, "odd");
  cr_expect_str_eq(error.message, "f:1:12: method: odd");
}

Test(json, overrides_want_the_path_of_a_scalar) {
  parse("{\"a\": [1, 2], \"b\": {\"c\": 3}}");
  static const char *const cases[][3] = {
      {"a", "1", "--set a: leads to a list; want the path of a scalar"},
      {"b", "1", "--set b: leads to an object; want the path of a scalar"},
      {"a.2", "1", "--set a.2: no item 2 in a list of 2; want an index from 0"},
      {"a.x", "1", "--set a.x: no item x in a list of 2; want an index from 0"},
      {"a.-1", "1", "--set a.-1: no item -1 in a list of 2; want an index from 0"},
      {"b.c.d", "1", "--set b.c.d: d is looked up in a number; want the path of a scalar"},
      {"", "1", "--set : not a path; want at most 64 names joined by dots, such as method.step.size"},
      {"b..c", "1", "--set b..c: not a path; want at most 64 names joined by dots, such as method.step.size"},
      {"b.", "1", "--set b.: not a path; want at most 64 names joined by dots, such as method.step.size"},
      {"b.c", "[1]", "--set b.c: the value is a list; want a number, true, false, null or a string"},
      {"b.c", "\xFF", "--set b.c: the value is not UTF-8; want text in UTF-8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cr_expect_eq(cs_json_set(json, cases[i][0], cases[i][1], &error), CS_USAGE);
    cr_expect_str_eq(error.message, cases[i][2]);
  }
  expect_print("{\n  \"a\": [1, 2],\n  \"b\": {\n    \"c\": 3\n  }\n}");
}

Test(json, printing_keeps_every_bit_and_character) {
  parse("[0.30000000000000004, 0.1, 1e300, -0.0, 123456789012, \"\\\"\\\\\\n\\u0001é\", {}, []]");
  expect_print(
      "[\n  0.30000000000000004,\n  0.1,\n  1e+300,\n  -0,\n  123456789012,\n  \"\\\"\\\\\\n\\u0001é\",\n  {},\n  "
      "[]\n]");
}

Test(json, files_that_cannot_be_read_are_io_errors) {
  cr_expect_eq(cs_json_load("/nonexistent/a.json", &json, &error), CS_IO);
  cr_expect_str_eq(error.message,
                   "/nonexistent/a.json: cannot be opened: No such file or directory; want a readable JSON file");
  cr_expect_eq(cs_json_load("/", &json, &error), CS_IO);
  cr_expect_str_eq(error.message, "/: cannot be read: Is a directory; want a readable JSON file");
}

Test(json, devices_and_huge_files_are_refused) {
  char path[] = "/tmp/cosweep-test-XXXXXX";
  struct cs_text want = {0};
  cr_expect_eq(cs_json_load("/dev/zero", &json, &error), CS_IO);
  cr_expect_str_eq(error.message, "/dev/zero: is neither a regular file nor a pipe; want a readable JSON file");
  const int file = mkstemp(path);
  cr_assert(file >= 0 && ftruncate(file, (64 << 20) + 1048576) == 0);
  cs_text_add(&want, "%s: has 65.0 MiB; want a JSON file of at most 64 MiB", path);
  cr_expect_eq(cs_json_load(path, &json, &error), CS_IO);
  cr_expect_str_eq(error.message, want.data);
  close(file);
  unlink(path);
  cs_text_free(&want);
}

/* As /dev/stdin and what shells make of <(command). */
Test(json, pipes_are_read) {
  int end[2];
  char path[32];
  cr_assert_eq(pipe(end), 0);
  cr_assert_eq(write(end[1], "[1]", 3), 3);
  close(end[1]);
  snprintf(path, sizeof path, "/dev/fd/%d", end[0]);
  cr_expect_eq(cs_json_load(path, &json, &error), CS_OK, "%s", error.message);
}

/* A file of zeros would take a hundred times its size. */
Test(json, values_must_fit_the_memory) {
#if !defined(__SANITIZE_ADDRESS__) /* which reserves terabytes of addresses */
  const struct rlimit limit = {(rlim_t)200 << 20, RLIM_INFINITY};
  struct cs_text text = {0};
  cs_text_add(&text, "[0");
  for (int i = 0; i < 1000000; i++)
    cs_text_append(&text, ",0", 2);
  cs_text_add(&text, "]");
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
  cr_expect_eq(cs_json_parse("a", text.data, text.length, &json, &error), CS_DEVICE);
  cr_expect(strncmp(error.message, "a: 1,000,002 values need ", 25) == 0, "%s", error.message);
  cs_text_free(&text);
#endif
}

Test(json, files_are_read_whole) {
  char path[] = "/tmp/cosweep-test-XXXXXX";
  int file = mkstemp(path);
  cr_assert_geq(file, 0);
  FILE *stream = fdopen(file, "w");
  fputs("[0", stream);
  for (int i = 1; i < 50000; i++)
    fprintf(stream, ",\n%d", i);
  fputs("]\n", stream);
  fclose(stream);
  cr_assert_eq(cs_json_load(path, &json, &error), CS_OK, "%s", error.message);
  cr_expect_eq(cs_json_length(cs_json_root(json)), 50000);
  cr_expect_eq(cs_json_number(cs_json_at(cs_json_root(json), 49999)), 49999);
  cs_json_fail(json, cs_json_at(cs_json_root(json), 49999), &error, "last");
  cr_expect(strstr(error.message, ":50000:1: [49999]: last"), "%s", error.message);
  unlink(path);
}

Test(json, long_messages_end_in_dots_between_characters) {
  char text[20000];
  size_t length = 0;
  while (length + 2 < sizeof text) {
    memcpy(text + length, "é", 2);
    length += 2;
  }
  text[length] = '\0';
  for (int shift = 0; shift < 2; shift++) {
    cr_expect_eq(cs_error_set(&error, CS_IO, "%s%s", shift ? "x" : "", text), CS_IO);
    size_t end = strlen(error.message);
    cr_expect_geq(end, sizeof error.message - 3);
    cr_expect_str_eq(error.message + end - 3, "...");
    cr_expect_eq((unsigned char)error.message[end - 4], 0xA9);
  }
  cs_error_set(&error, CS_IO, "short");
  cs_error_set(&error, CS_INPUT, "%s, wrapped", error.message);
  cr_expect_str_eq(error.message, "short, wrapped");
}
