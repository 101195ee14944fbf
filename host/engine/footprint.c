#include "footprint.h"

#include <math.h>

#include "journal.h"
#include "machine.h"
#include "modes.h"
#include "native.h"
#include "recall.h"
#include "sizing.h"
#include "window.h"

/* What only a run touches of the program and its libraries, and of threads: seen with the smallest sweeps. */
#define RUNNING_BYTES 7e6

void cs_footprint_begin(struct cs_footprint *m, const struct cs_sweep *sweep, size_t part,
                        const struct cs_engine_options *options) {
  const size_t window = cs_window_runs(sweep, options);
  const double plans = sweep->runs > window ? 2.0 : 1.0; /* the next window is planned meanwhile */
  *m = (struct cs_footprint){.plans = cs_window_bytes(sweep, window) / 2.0 * (plans - (double)part / (double)window)};
}

/* Of a tile: buffers, what goes to and from them, and the matrices and places of doubling or of the eigenvalues. */
static double tile_bytes(const struct cs_plan *plan, const struct cs_tile *tile, const struct cs_device_info *device,
                         const struct cs_engine_options *options) {
  const struct cs_layout *l = plan->variant[tile->variant];
  const unsigned lanes = cs_sizing_lanes(device, options, plan->sweep->model);
  const size_t groups = (tile->count + lanes - 1) / lanes;
  double bytes = (double)cs_plan_tile_bytes(&plan->options, l, tile->count, tile->nodes);
  if (tile->doubled || l->kind.stability)
    bytes += (double)(cs_sizing_workers(device, options, l, lanes, groups) * lanes * cs_layout_workspace(l, lanes));
  return l->kind.stability ? bytes + (double)(cs_layout_spectrum_places(l) * sizeof(int64_t)) : bytes;
}

/* A thread's, for modes, and on the host for the matrices of large models; a run with variable steps fills the room of
 * these when its modes are known, step by step. */
static int thread_bytes(const struct cs_layout *l, const struct cs_device_info *device, double *bytes,
                        struct cs_error *error) {
  struct cs_native *native = NULL;
  int code = CS_OK;
  *bytes = l->kind.stiff ? (double)cs_modes_bytes(l) : 0.0;
  if (!device->host || !cs_layout_is_large(l->model) || cs_native_check(l, NULL) != CS_OK) return CS_OK;
  code = cs_native_new(l, &native, error);
  const double uses = code == CS_OK ? (double)cs_native_uses(native) : 0.0;
  *bytes = l->kind.varies ? fmax(*bytes, uses) : *bytes + uses;
  cs_native_free(native);
  return code;
}

/* Numbers derived from those of networks, which workers keep. */
static double kept_bytes(const struct cs_plan *plan, const struct cs_layout *l) {
  if (plan->networks == NULL) return 0.0;
  const size_t derived = l->coefficients.control_at - l->coefficients.estimate_at;
  return derived > 0 ? cs_recall_bytes(plan->networks->count, plan->networks->packed + derived) : 0.0;
}

int cs_footprint_add(struct cs_footprint *m, const struct cs_plan *plan, const struct cs_device_info *device,
                     const struct cs_engine_options *options, struct cs_error *error) {
  const size_t workers = plan->tiles < CS_WORKERS_PER_DEVICE ? plan->tiles : CS_WORKERS_PER_DEVICE;
  const size_t units = device->host ? device->units : 1; /* a worker derives the numbers of other devices */
  double tiles = 0.0, host = 0.0, own = 0.0;
  int code = CS_OK;
  for (size_t i = 0; i < plan->tiles && code == CS_OK; i++) {
    const struct cs_tile *tile = &plan->tile[i];
    const struct cs_layout *l = plan->variant[tile->variant];
    if (i == 0 || tile->variant != plan->tile[i - 1].variant) code = thread_bytes(l, device, &own, error);
    const size_t threads = tile->count < units ? tile->count : units;
    tiles = fmax(tiles, tile_bytes(plan, tile, device, options));
    host = fmax(host, (double)threads * own + kept_bytes(plan, l));
  }
  m->tiles = fmax(m->tiles, (double)workers * tiles);
  m->host = fmax(m->host, host);
  return code;
}

void cs_footprint_look(struct cs_footprint *m) {
  m->base = fmax(m->base, cs_machine_use().now);
}

double cs_footprint_most(const struct cs_footprint *m, const struct cs_device_info *device,
                         const struct cs_prediction_sizes *result, size_t journal) {
  /* texts are copied and written when tiles are gone */
  const double tiles = device->cpu ? m->tiles : 0.0, texts = 2.0 * (double)result->texts;
  const double running = m->plans + m->host + fmax(tiles, texts) + (double)result->numbers;
  return fmax(cs_machine_use().most, m->base + RUNNING_BYTES + running + (double)cs_journal_memory(journal));
}
