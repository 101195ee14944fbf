#include "prediction.h"

#include "machine.h"
#include "store.h"
#include "words.h"

static double signals_of(const struct cs_sweep *sweep, enum cs_over over) {
  if (over == CS_OVER_MODE) return 1.0; /* at least; their number depends on the method */
  if (over == CS_OVER_BOND) return (double)cs_controls_bonds(sweep->controls);
  return (double)cs_model_signals(sweep->model, over);
}

void cs_prediction_make(const struct cs_sweep *sweep, struct cs_prediction *prediction) {
  const double runs = (double)sweep->runs;
  *prediction =
      (struct cs_prediction){.memory = runs * CS_SWEEP_RUN_BYTES, .file = cs_store_estimate_numbers(CS_UINT8, runs)};
  for (int m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    if (!sweep->metric[m]) continue;
    const double count = runs * signals_of(sweep, info->over);
    const enum cs_type type = info->flags != NULL ? CS_UINT8 : info->reduction == CS_COUNT ? CS_INT64 : CS_FLOAT64;
    prediction->memory += count * (type == CS_UINT8 ? 1.0 : 8.0);
    prediction->file += cs_store_estimate_numbers(type, count);
  }
  prediction->memory += prediction->file; /* it is made in memory */
}

int cs_prediction_check_memory(const struct cs_sweep *sweep, struct cs_error *error) {
  struct cs_prediction prediction;
  struct cs_text text = {0};
  const double room = cs_machine_memory();
  cs_prediction_make(sweep, &prediction);
  if (prediction.memory <= room) return CS_OK;
  cs_text_add(&text, "%s: ", sweep->path);
  cs_words_add_count(&text, (double)sweep->runs);
  cs_text_add(&text, " runs with these metrics need at least ");
  cs_words_add_bytes(&text, prediction.memory);
  cs_text_add(&text, " of memory; there are ");
  cs_words_add_bytes(&text, room);
  const int code = text.failed ? cs_error_memory(error) : cs_error_set(error, CS_DEVICE, "%s", text.data);
  cs_text_free(&text);
  return code;
}
