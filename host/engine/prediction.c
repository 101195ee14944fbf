#include "prediction.h"

#include <string.h>

#include "machine.h"
#include "result.h"
#include "store.h"
#include "window.h"
#include "words.h"

/* Of a run in a plan: its numbers, its place in the order and its key while it is sorted. */
enum { RUN_BYTES = 100 };

/* Bytes that the table of results may take: a quarter of what the user allows, as much again as plans and a window's
 * part of it; else half of what there is. */
static double table_room(const struct cs_engine_options *options) {
  return options->memory > 0 ? (double)options->memory / 4.0 : cs_machine_memory() / 2.0;
}

void cs_prediction_make(const struct cs_sweep *sweep, const struct cs_engine_options *options,
                        struct cs_prediction *prediction) {
  const double runs = (double)sweep->runs;
  *prediction = (struct cs_prediction){.plan = (double)cs_window_runs(sweep, options) * RUN_BYTES,
                                       .table = runs,
                                       .radii = sweep->boundary >= 0 || sweep->refine > 0 ? 8.0 * runs : 0.0,
                                       .file = cs_store_estimate_numbers(CS_UINT8, runs)};
  for (int m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    if (!sweep->metric[m]) continue;
    const double count = runs * (double)cs_sweep_signals(sweep, info->over); /* of modes at least */
    const enum cs_type type = cs_metric_type(m);
    prediction->table += count * (type == CS_UINT8 ? 1.0 : 8.0);
    prediction->file += cs_store_estimate_numbers(type, count);
  }
  prediction->spills = options->beside != NULL && prediction->table > table_room(options);
}

static void add_sizes(const struct cs_sweep *sweep, const struct cs_engine_options *options,
                      const struct cs_table *table, struct cs_prediction_sizes *sizes) {
  struct cs_prediction prediction;
  cs_prediction_make(sweep, options, &prediction);
  *sizes = (struct cs_prediction_sizes){.file = cs_store_estimate(table), .numbers = (size_t)prediction.radii};
  for (size_t i = 0; i < table->arrays; i++) {
    const struct cs_array *array = &table->array[i];
    if (array->type != CS_TEXT && !prediction.spills) sizes->numbers += array->count * cs_table_item_size(array->type);
    for (size_t j = 0; array->type == CS_TEXT && j < array->count; j++)
      sizes->texts += array->data.text[j] != NULL ? strlen(array->data.text[j]) : 0;
  }
  for (size_t i = 0; i < table->notes; i++)
    for (size_t j = 0; j < table->note[i].count; j++)
      sizes->texts += strlen(table->note[i].text[j]);
}

/* Builds the outline of the table, with all its texts. */
int cs_prediction_result(const struct cs_sweep *sweep, const struct cs_device_info *device,
                         const struct cs_engine_options *options, size_t modes, const struct cs_kernels *kernels,
                         struct cs_prediction_sizes *sizes, struct cs_error *error) {
  struct cs_table *table = NULL;
  const struct cs_provenance p = {.sweep = sweep,
                                  .kernels = kernels,
                                  .device = &device,
                                  .devices = 1,
                                  .options = options,
                                  .engine = "none",
                                  .started = ""};
  int code =
      cs_result_new(sweep, modes, (struct cs_result_home){CS_NOWHERE, NULL}, options->command, "", &table, error);
  if (code == CS_OK) code = cs_result_fit(sweep, modes, table, table, error);
  if (code == CS_OK) code = cs_provenance_add(&p, table, error);
  if (code == CS_OK) add_sizes(sweep, options, table, sizes);
  cs_table_free(table);
  return code;
}

int cs_prediction_check_memory(const struct cs_sweep *sweep, const struct cs_engine_options *options,
                               struct cs_error *error) {
  struct cs_prediction p;
  struct cs_text text = {0};
  const double room = cs_machine_memory();
  cs_prediction_make(sweep, options, &p);
  const double need = p.plan + p.radii + (p.spills ? 0.0 : p.table);
  if (need <= room) return CS_OK;
  cs_text_add(&text, "%s: ", sweep->path);
  cs_words_add_count(&text, (double)sweep->runs);
  cs_text_add(&text, " runs need at least ");
  cs_words_add_bytes(&text, need);
  cs_text_add(&text, " of memory, there are ");
  cs_words_add_bytes(&text, room);
  cs_text_add(&text, "; want fewer or shorter axes");
  const int code = text.failed ? cs_error_memory(error) : cs_error_set(error, CS_DEVICE, "%s", text.data);
  cs_text_free(&text);
  return code;
}
