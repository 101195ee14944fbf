/* JSON text: commas, quotes, lines and their indentation in both layouts. */
#include <criterion/criterion.h>
#include <math.h>

#include "writer.h"

static struct cs_text text;

static void set_up(void) {
  text = (struct cs_text){0};
}

static void tear_down(void) {
  cs_text_free(&text);
}

TestSuite(writer, .init = set_up, .fini = tear_down);

Test(writer, values) {
  struct cs_writer w = {.text = &text};
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "s", "a\"b\\c\n\t\377 é");
  cs_writer_number(&w, "n", 0.1);
  cs_writer_number(&w, "nan", NAN);
  cs_writer_number(&w, "inf", -INFINITY);
  cs_writer_shortest(&w, "short", 0.1);
  cs_writer_count(&w, "count", 7);
  cs_writer_bool(&w, "yes", true);
  cs_writer_null(&w, "none");
  cs_writer_token(&w, "token", "%.3g", 1.23456);
  cs_writer_list(&w, "empty");
  cs_writer_end(&w);
  cs_writer_object(&w, "hollow");
  cs_writer_end(&w);
  cs_writer_end(&w);
  cr_expect_str_eq(
      cs_text_string(&text),
      "{\"s\": \"a\\\"b\\\\c\\n\\u0009\\ufffd é\", \"n\": 0.10000000000000001, \"nan\": null, \"inf\": null, "
      "\"short\": 0.1, \"count\": 7, \"yes\": true, \"none\": null, \"token\": 1.23, \"empty\": [], "
      "\"hollow\": {}}");
}

/* A list of objects, one of which goes on over a line and holds a list with lines. */
static void write_lines(struct cs_writer *w) {
  cs_writer_object(w, NULL);
  cs_writer_count(w, "a", 1);
  cs_writer_line(w);
  cs_writer_list(w, "b");
  cs_writer_lines(w);
  cs_writer_object(w, NULL);
  cs_writer_count(w, "c", 2);
  cs_writer_line(w);
  cs_writer_count(w, "d", 3);
  cs_writer_list(w, "e");
  cs_writer_lines(w);
  cs_writer_count(w, NULL, 4);
  cs_writer_count(w, NULL, 5);
  cs_writer_end(w);
  cs_writer_end(w);
  cs_writer_count(w, NULL, 6);
  cs_writer_end(w);
  cs_writer_count(w, "f", 7);
  cs_writer_end(w);
}

Test(writer, lines) {
  struct cs_writer w = {.text = &text};
  write_lines(&w);
  cr_expect_str_eq(cs_text_string(&text),
                   "{\"a\": 1,\n \"b\": [\n  {\"c\": 2,\n   \"d\": 3, \"e\": [\n    4,\n    5]},\n  6], \"f\": 7}");
}

Test(writer, spread) {
  struct cs_writer w = {.text = &text, .spread = true};
  write_lines(&w);
  cr_expect_str_eq(cs_text_string(&text),
                   "{\"a\": 1,\n  \"b\": [\n    {\"c\": 2,\n      \"d\": 3, \"e\": [\n        4,\n        5\n      ]\n"
                   "    },\n    6\n  ], \"f\": 7\n}");
}

Test(writer, too_deep) {
  struct cs_writer w = {.text = &text};
  for (int i = 0; i <= CS_WRITER_DEPTH; i++)
    cs_writer_list(&w, NULL);
  cr_expect(text.failed);
  cs_writer_end(&w);
}
