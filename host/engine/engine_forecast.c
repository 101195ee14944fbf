/* Forecasts of a run, without a device: --dry-run, check, --print-kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit.h"
#include "engine.h"
#include "programs.h"
#include "provenance.h"
#include "result.h"
#include "resume.h"
#include "rounding.h"
#include "sizing.h"
#include "store.h"
#include "tiers.h"

/* Builds the table of the result, including kernel sources, to find its size on disk and in memory. */
static int forecast_table(const struct cs_plan *plan, const struct cs_device_info *device,
                          const struct cs_engine_options *options, struct cs_forecast *forecast,
                          struct cs_error *error) {
  struct cs_table *table = NULL;
  const struct cs_provenance p = {.plan = plan, .device = &device, .devices = 1, .options = options, .started = ""};
  int code = cs_result_new(plan, options->command, "", &table, error);
  if (code == CS_OK) code = cs_result_fit(plan, table, error);
  if (code == CS_OK) code = cs_provenance_add(&p, table, error);
  if (code == CS_OK) {
    forecast->file_size = cs_store_estimate(table);
    forecast->host_memory += forecast->file_size;
    for (size_t i = 0; i < table->arrays; i++)
      forecast->host_memory += 8 * table->array[i].count;
  }
  cs_table_free(table);
  return code;
}

/* Device memory of a tile: buffers, and the matrices of doubling or of the eigenvalues. */
static size_t tile_bytes(const struct cs_plan *plan, const struct cs_tile *tile, const struct cs_device_info *device,
                         const struct cs_engine_options *options, unsigned lanes) {
  const struct cs_layout *l = plan->variant[tile->variant];
  const size_t bytes = cs_plan_tile_bytes(&plan->options, l, tile->count, tile->nodes);
  const size_t groups = (tile->count + lanes - 1) / lanes;
  if (!tile->doubled && !l->kind.stability) return bytes;
  return bytes + cs_sizing_workers(device, options, l, lanes, groups) * lanes * cs_layout_workspace(l, lanes);
}

/* Bytes that the runs of a plan take in a journal. */
static size_t results_bytes(const struct cs_plan *plan) {
  size_t bytes = 0;
  for (size_t i = 0; i < plan->ordered; i++)
    bytes += cs_journal_result_bytes(plan->variant[plan->run[plan->order[i]].variant]->state.items);
  return bytes;
}

/* Adds what a journal begins with. */
static int begin_journal(const struct cs_plan *plan, const struct cs_device_info *device,
                         const struct cs_engine_options *options, struct cs_forecast *forecast,
                         struct cs_error *error) {
  struct cs_text text = {0};
  const int code = cs_resume_describe(plan->sweep, device, options, &text, error);
  forecast->journal_size += cs_journal_empty_bytes(text.length);
  forecast->journal_grows = plan->paced != NULL || plan->sweep->boundary >= 0 || plan->sweep->refine > 0;
  cs_text_free(&text);
  return code;
}

/* The device that programs of OpenCL are built for; NULL if there is none, which then is no matter of a forecast. */
static struct cs_device *open_builder(const struct cs_device_info *device) {
  struct cs_device *opened = NULL;
  char index[32];
  snprintf(index, sizeof index, "%d", device->index);
  return cs_device_open(device->host ? "cpu" : index, &opened, NULL) == CS_OK ? opened : NULL;
}

static int is_kept(const struct cs_device *device, const struct cs_layout *layout, unsigned lanes, bool *kept,
                   struct cs_error *error) {
  struct cs_text source[2];
  size_t count;
  int code = cs_programs_emit(layout, lanes, source, &count, error);
  *kept = code == CS_OK;
  for (size_t i = 0; i < count && *kept; i++)
    *kept = cs_device_program_is_kept(device, source[i].data, CS_BUILD_OPTIONS);
  cs_text_free(&source[0]);
  cs_text_free(&source[1]);
  return code;
}

/* Adds the variants of a plan, and what their programs and tiles take. */
static int add_variants(const struct cs_plan *plan, const struct cs_device_info *device,
                        const struct cs_engine_options *options, struct cs_forecast *forecast, struct cs_error *error) {
  unsigned char *fate = calloc(plan->variants + 1, 1);
  struct cs_device *builder = NULL;
  double core_seconds = 0.0;
  int code = fate == NULL ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) cs_tiers_forecast(plan, device, options, fate, &core_seconds);
  for (size_t i = 0; i < plan->variants && code == CS_OK; i++) {
    bool kept = false;
    forecast->variants += fate[i] != CS_FATE_NONE;
    if (fate[i] < CS_FATE_BUILT) continue;
    forecast->built++;
    if (builder == NULL) builder = open_builder(device);
    if (builder != NULL) code = is_kept(builder, plan->variant[i], cs_sizing_lanes(device, options), &kept, error);
    forecast->kept += kept;
    if (!kept && fate[i] == CS_FATE_QUICK) forecast->build_seconds += CS_TIERS_QUICK_SECONDS;
    if (!kept && !device->automatic) forecast->build_seconds += CS_TIERS_BUILD_SECONDS;
  }
  forecast->compute_seconds += device->host || device->cpu ? core_seconds / fmax(1.0, device->units) : NAN;
  cs_device_close(builder);
  free(fate);
  return code;
}

/* Adds tiles, kernel calls, device memory and what the journal has of a plan. */
static int add_tiles(const struct cs_plan *plan, const struct cs_device_info *device,
                     const struct cs_engine_options *options, struct cs_forecast *forecast, struct cs_error *error) {
  const unsigned lanes = cs_sizing_lanes(device, options);
  size_t most = 0;
  for (size_t i = 0; i < plan->tiles; i++) {
    const struct cs_tile *tile = &plan->tile[i];
    const size_t bytes = tile_bytes(plan, tile, device, options, lanes);
    if (bytes > most) most = bytes;
    forecast->launches += cs_sizing_launches(plan, tile);
  }
  most *= plan->tiles < CS_WORKERS_PER_DEVICE ? plan->tiles : CS_WORKERS_PER_DEVICE;
  if (most > forecast->device_memory) forecast->device_memory = most;
  forecast->tiles += plan->tiles;
  forecast->journal_size += results_bytes(plan);
  return add_variants(plan, device, options, forecast, error);
}

/* Adds what follows a simulation: the stability analysis, or another formulation for the rounding. */
static int add_more(const struct cs_sweep *sweep, bool spectra, const struct cs_device_info *device,
                    const struct cs_engine_options *options, struct cs_forecast *forecast, struct cs_error *error) {
  struct cs_plan *plan = NULL;
  int code = spectra ? cs_sizing_plan(sweep, CS_STABILITY, &device, 1, options, &plan, error)
                     : cs_sizing_plan_other(sweep, &device, 1, options, &plan, error);
  if (code != CS_OK) return code;
  code = add_tiles(plan, device, options, forecast, error);
  cs_plan_free(plan);
  return code;
}

/* Adds the steps of a run that plan->steps does not count. */
static void add_steps(const struct cs_plan *plan, const struct cs_run *run, struct cs_forecast *forecast) {
  const struct cs_layout *l = plan->variant[run->variant];
  if (!l->kind.varies) return;
  forecast->paced = true;
  if (cs_layout_knows_steps(l)) {
    forecast->steps += run->steps;
  } else {
    forecast->varied++;
    forecast->controlled += l->method.control != CS_FIXED && l->method.control != CS_CYCLE;
  }
}

int cs_engine_forecast(const struct cs_sweep *sweep, const struct cs_device_info *device,
                       const struct cs_engine_options *options, struct cs_forecast *forecast, struct cs_error *error) {
  struct cs_plan *plan = NULL;
  *forecast = (struct cs_forecast){0};
  int code = cs_sizing_plan(sweep, sweep->study, &device, 1, options, &plan, error);
  if (code != CS_OK) return code;
  forecast->runs = plan->runs;
  forecast->skipped = plan->status[CS_STATUS_SKIPPED];
  forecast->invalid = plan->runs - plan->ordered - plan->copies - forecast->skipped;
  forecast->steps = plan->steps;
  forecast->analyses = sweep->study == CS_STABILITY ? plan->ordered : 0;
  for (size_t i = 0; i < plan->ordered; i++)
    add_steps(plan, &plan->run[plan->order[i]], forecast);
  code = begin_journal(plan, device, options, forecast, error);
  if (code == CS_OK) code = add_tiles(plan, device, options, forecast, error);
  if (plan->networks != NULL) forecast->host_memory = plan->networks->room * plan->networks->packed * 8;
  forecast->host_memory +=
      plan->runs * sizeof *plan->run + plan->ordered * sizeof *plan->order + forecast->device_memory;
  if (code == CS_OK) code = forecast_table(plan, device, options, forecast, error);
  if (code == CS_OK && sweep->study == CS_SIMULATION && cs_rounding_is_wanted(plan))
    code = add_more(sweep, false, device, options, forecast, error);
  if (code == CS_OK && cs_sweep_has_spectra_beside(sweep))
    code = add_more(sweep, true, device, options, forecast, error);
  cs_plan_free(plan);
  return code;
}

int cs_engine_kernel(const struct cs_sweep *sweep, const struct cs_device_info *device,
                     const struct cs_engine_options *options, size_t index, struct cs_text *source,
                     struct cs_error *error) {
  struct cs_plan *plan = NULL;
  int code = cs_sizing_plan(sweep, sweep->study, &device, 1, options, &plan, error);
  if (code != CS_OK) return code;
  if (index >= plan->variants)
    code = cs_error_set(error, CS_INPUT, "variant %zu; the sweep has %zu", index, plan->variants);
  else
    code = cs_emit_all(plan->variant[index], cs_sizing_lanes(device, options), source, error);
  cs_plan_free(plan);
  return code;
}
