#include <criterion/criterion.h>
#include <string.h>

#include "near.h"

static const char *const words[] = {"method.master", "method.hold", "output_error", "exact",
                                    "euler",         "x0",          "from",         "run"};
enum { WORDS = sizeof words / sizeof *words };

Test(near, finds_what_was_meant) {
  static const struct {
    const char *word, *found;
  } row[] = {{"master", "method.master"},
             {"method.mastr", "method.master"},
             {"error", "output_error"},
             {"exat", "exact"},
             {"form", "from"},
             {"x1", "x0"},
             {"rnu", "run"}, /* two letters changed places: one mistake */
             {"exact", "exact"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    cr_expect_str_eq(cs_near_find(row[i].word, words, WORDS), row[i].found, "%s", row[i].word);
}

Test(near, finds_nothing_far) {
  static const char *const row[] = {"", "q", "linear", "method.order", "exponential", "y9"};
  char longest[300];
  memset(longest, 'e', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    cr_expect_null(cs_near_find(row[i], words, WORDS), "%s", row[i]);
  cr_expect_null(cs_near_find(longest, words, WORDS));
}

static void expect(const char *message, const char *word, const char *wanted) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s", message);
  cs_near_suggest(&text, word);
  cr_expect_str_eq(cs_text_string(&text), wanted);
  cs_text_free(&text);
}

/* The list follows, unless it is long; descriptions in it are no words. */
Test(near, suggests) {
#define LONG "a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, k1, solver, m1"
  expect("unknown hold \"taylr\"; want one of: lagrange, taylor", "taylr",
         "unknown hold \"taylr\"; did you mean \"taylor\"? want one of: lagrange, taylor");
  expect("unknown key; want one of: " LONG, "solvr", "unknown key; did you mean \"solver\"?");
  expect("unknown key; want one of: " LONG, "n1", "unknown key; did you mean \"a1\"? want one of: " LONG);
  expect("unknown key; want one of: " LONG, "other", "unknown key; want one of: " LONG);
  expect("unknown key; want one of: " LONG ", growth_max, max, a_maximum", "max_factor",
         "unknown key; want one of: growth_max, max, and 14 others");
  expect("x; want one of: " LONG ", method.step.growth_max, method.step.a, method.max", "method.step.factor",
         "x; want one of: method.step.growth_max, method.step.a, and 14 others");
  expect("unknown key; want one of: growth_max, a", "max_factor", "unknown key; want one of: growth_max, a");
  expect("x; want one of: {\"kernel\": file}, or file", "file}", "x; want one of: {\"kernel\": file}, or file");
  expect("found 3; want a number", "3", "found 3; want a number");
  expect("", "a", "");
}
