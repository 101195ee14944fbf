#include "faults.h"

#include <stdlib.h>
#include <string.h>

void cs_faults_add(struct cs_faults *faults, const char *message) {
  if (faults->count > 0 && strcmp(cs_text_string(&faults->lines) + faults->last, message) == 0) return;
  if (faults->count++ > 0) cs_text_add(&faults->lines, "\n");
  faults->last = faults->lines.length;
  cs_text_add(&faults->lines, "%s", message);
}

void cs_faults_free(struct cs_faults *faults) {
  if (faults != NULL) cs_text_free(&faults->lines);
  free(faults);
}
