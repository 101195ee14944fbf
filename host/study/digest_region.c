/* Where runs failed: ranges that hold all of them. */
#include <math.h>

#include "digest.h"

static void begin(size_t start, struct cs_text *text) {
  cs_text_add(text, "%s", text->length > start ? ", " : "all at ");
}

/* The range of a setting that an axis moves with others, in no order; of words nothing is said. */
static void add_column(const struct cs_digest *d, const struct cs_runs_column *column,
                       const struct cs_digest_failure *f, size_t start, struct cs_text *text) {
  double least = INFINITY, largest = -INFINITY, lowest = INFINITY, highest = -INFINITY;
  for (size_t i = 0; column->values != NULL && i < column->array->count; i++) {
    lowest = fmin(lowest, column->values[i]);
    highest = fmax(highest, column->values[i]);
  }
  for (size_t r = 0; column->values != NULL && r < f->count; r++) {
    const double value = column->values[cs_runs_position(&d->over, f->run[r], column->axis)];
    least = fmin(least, value);
    largest = fmax(largest, value);
  }
  if (!(least > lowest || largest < highest)) return;
  begin(start, text);
  cs_text_add(text, "%s %.4g", column->name, least);
  if (least < largest) cs_text_add(text, " ... %.4g", largest);
}

static void add_axis(const struct cs_digest *d, size_t a, const struct cs_digest_failure *f, size_t start,
                     struct cs_text *text) {
  const struct cs_dimension *axis = d->axis[a].dimension;
  if (f->last[a] - f->first[a] + 1 == axis->length) return;
  begin(start, text);
  cs_text_add(text, "%s ", axis->name);
  for (size_t end = 0; end < 2 && (end == 0 || f->first[a] < f->last[a]); end++) {
    const size_t at = end == 0 ? f->first[a] : f->last[a];
    if (axis->labels != NULL)
      cs_text_add(text, "%s%s", end == 1 ? " ... " : "", axis->labels[at]);
    else
      cs_text_add(text, "%s%.4g", end == 1 ? " ... " : "", axis->values[at]);
  }
}

void cs_digest_add_region(const struct cs_digest *d, const struct cs_digest_failure *f, struct cs_text *text) {
  const size_t start = text->length;
  for (size_t a = 0; a < d->axes; a++) {
    size_t columns = 0;
    for (size_t c = 0; c < d->columns; c++) {
      if (d->column[c].axis != a || d->column[c].array == NULL) continue;
      add_column(d, &d->column[c], f, start, text);
      columns++;
    }
    if (columns == 0) add_axis(d, a, f, start, text);
  }
}
