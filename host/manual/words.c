/* Words used by both completion scripts. */
#include "manual.h"
#include "metric.h"

void manual_add_metrics(struct cs_text *text) {
  for (int m = 0; m < CS_METRICS; m++)
    cs_text_add(text, "%s%s", m > 0 ? " " : "", cs_metric_table[m].name);
}
