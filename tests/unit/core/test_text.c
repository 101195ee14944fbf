/* Texts that grow: what is added is all there, however much room there was. */
#include <criterion/criterion.h>
#include <string.h>

#include "text.h"

Test(text, additions_of_any_length_behind_any_length_are_whole) {
  enum { MOST = 200 };
  char letters[2 * MOST + 1];
  for (size_t i = 0; i < sizeof letters - 1; i++)
    letters[i] = (char)('a' + i % 26);
  letters[sizeof letters - 1] = '\0';
  for (size_t first = 0; first <= MOST; first++)
    for (size_t second = 0; second <= MOST; second++) {
      struct cs_text text = {0};
      cs_text_add(&text, "%.*s", (int)first, letters);
      cs_text_add(&text, "%.*s", (int)second, letters + first);
      cr_assert(!text.failed);
      cr_assert_eq(text.length, first + second);
      cr_assert_eq(strlen(text.data), first + second, "%zu and %zu", first, second);
      cr_assert_eq(memcmp(text.data, letters, first + second), 0, "%zu and %zu", first, second);
      cs_text_free(&text);
    }
}
