/* Model files of the tests: texts with apostrophes for quotes, and parts of them replaced. */
#ifndef COSWEEP_TEST_PATCHED_H
#define COSWEEP_TEST_PATCHED_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* `text` with its first `from` replaced by `to` and with quotes for apostrophes; the caller frees it. */
static inline char *patch(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  cr_assert_not_null(at, "nothing to replace: %s", from);
  struct cs_text made = {0};
  cs_text_append(&made, text, (size_t)(at - text));
  cs_text_add(&made, "%s%s", to, at + strlen(from));
  for (char *p = made.data; *p; p++)
    *p = *p == '\'' ? '"' : *p;
  return made.data;
}

/* Reads that as the model file "f". */
static inline int read_patched_text(const char *text, const char *from, const char *to, struct cs_model **model,
                                    struct cs_error *error) {
  char *made = patch(text, from, to);
  struct cs_json *json;
  const int code = cs_json_parse("f", made, strlen(made), &json, error);
  free(made);
  cr_assert_eq(code, CS_OK, "%s", error->message);
  return cs_model_read(json, model, error);
}

/* What to replace in a good model, by what, and the message that follows. */
struct bad {
  const char *from, *to, *message;
};

static inline void expect_refused_in(const char *text, const struct bad *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct cs_model *model = NULL;
    struct cs_error error = {0};
    cr_expect_eq(read_patched_text(text, cases[i].from, cases[i].to, &model, &error), CS_INPUT, "accepted: %s",
                 cases[i].to);
    cr_expect_null(model);
    char *want = patch(cases[i].message, "", "");
    cr_expect_str_eq(error.message, want);
    free(want);
    cs_model_free(model);
  }
}

#endif
