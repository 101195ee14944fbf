#include "outcome.h"

void cs_outcome_free(struct cs_outcome *outcome) {
  if (outcome == NULL) return;
  cs_text_free(&outcome->warnings);
  cs_text_free(&outcome->failures);
}
