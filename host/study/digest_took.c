/* What computing a result took. */
#include <math.h>

#include "digest.h"
#include "words.h"

void cs_digest_add_took(const struct cs_table *table, struct cs_text *text) {
  const double build = cs_digest_number(table, "build_seconds"), device = cs_digest_number(table, "device_seconds");
  const char *separator = ": ";
  cs_words_add_duration(text, cs_digest_number(table, "wall_seconds"));
  if (!isnan(build)) {
    cs_text_add(text, "%s", separator);
    cs_words_add_duration(text, build);
    cs_text_add(text, " preparing kernels");
    separator = ", ";
  }
  if (isnan(device)) return;
  cs_text_add(text, "%s", separator);
  cs_words_add_duration(text, device);
  cs_text_add(text, " computing");
}
