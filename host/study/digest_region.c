#include "digest.h"

void cs_digest_add_region(const struct cs_digest *d, const struct cs_digest_failure *f, struct cs_text *text) {
  const size_t start = text->length;
  for (size_t a = 0; a < d->axes; a++) {
    const struct cs_dimension *axis = d->axis[a].dimension;
    if (f->last[a] - f->first[a] + 1 == axis->length) continue;
    cs_text_add(text, "%s%s ", text->length > start ? ", " : "all of them within ", axis->name);
    for (size_t end = 0; end < 2 && (end == 0 || f->first[a] < f->last[a]); end++) {
      const size_t at = end == 0 ? f->first[a] : f->last[a];
      if (axis->labels != NULL)
        cs_text_add(text, "%s%s", end == 1 ? " ... " : "", axis->labels[at]);
      else
        cs_text_add(text, "%s%.4g", end == 1 ? " ... " : "", axis->values[at]);
    }
  }
}
