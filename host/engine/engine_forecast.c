/* Forecasts of a run, without a device: --dry-run, check, --print-kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derived.h"
#include "emit.h"
#include "engine.h"
#include "footprint.h"
#include "index.h"
#include "modes.h"
#include "network.h"
#include "numbers.h"
#include "prediction.h"
#include "programs.h"
#include "provenance.h"
#include "resume.h"
#include "rounding.h"
#include "sizing.h"
#include "tiers.h"
#include "window.h"
#include "worker.h"

/* Parts of a sweep that are planned, evenly spread: all of it, or of a large sweep so many runs in all. */
struct parts {
  size_t sweep_runs, runs, parts; /* `runs`: of each but the last */
};

enum { SURVEY_RUNS = 1 << 18, SURVEY_PARTS = 32, SURVEY_LARGE = 1 << 21 /* runs of a sweep that is */ };

static struct parts parts_of(const struct cs_sweep *sweep, const struct cs_engine_options *options) {
  const size_t window = cs_window_runs(sweep, options), share = SURVEY_RUNS / SURVEY_PARTS;
  if (sweep->runs > SURVEY_LARGE) return (struct parts){sweep->runs, window < share ? window : share, SURVEY_PARTS};
  return (struct parts){sweep->runs, window, (sweep->runs + window - 1) / window};
}

/* Part number i; the first one begins with the first run, the last one ends with the last. */
static struct cs_sweep part_of(const struct cs_sweep *sweep, const struct parts *p, size_t i) {
  const bool all = p->runs * p->parts >= p->sweep_runs;
  const size_t last = p->sweep_runs - p->runs;
  const size_t first = all ? i * p->runs : last / (p->parts - 1) * i + last % (p->parts - 1) * i / (p->parts - 1);
  return cs_sweep_part(sweep, first, p->runs);
}

/* What a forecast is made for and of. */
struct survey {
  const struct cs_device_info *device;
  const struct cs_engine_options *options;
  struct cs_forecast *forecast;
  struct cs_index seen, programs;       /* of variants, which several parts may have, and of what is built for them */
  double windows;                       /* a window that is computed is so many parts */
  struct cs_footprint footprint, again; /* with runs that are repeated */
  enum cs_plan_effect effect[CS_MAX_DIMENSIONS];
};

/* The size of the result on disk, and what all takes in memory. */
static int forecast_table(const struct survey *s, const struct cs_sweep *sweep, size_t modes,
                          const struct cs_kernels *kernels, struct cs_error *error) {
  struct cs_prediction_sizes sizes = {0};
  const int code = cs_prediction_result(sweep, s->device, s->options, modes, kernels, &sizes, error);
  s->forecast->file_size = sizes.file;
  s->forecast->device_memory = (size_t)s->footprint.tiles;
  s->forecast->host_memory = (size_t)cs_footprint_most(&s->footprint, s->device, &sizes, s->forecast->journal_size);
  s->forecast->again_memory = (size_t)cs_footprint_most(&s->again, s->device, &sizes, s->forecast->journal_size);
  return code;
}

/* Bytes that the runs of a plan take in a journal. */
static size_t results_bytes(const struct cs_plan *plan) {
  size_t bytes = 0;
  for (size_t i = 0; i < plan->ordered; i++)
    bytes += cs_journal_result_bytes(plan->variant[plan->run[plan->order[i]].variant]->state.items);
  return bytes;
}

/* Adds what a journal begins with. */
static int begin_journal(const struct survey *s, const struct cs_sweep *sweep, struct cs_error *error) {
  struct cs_text text = {0};
  const int code = cs_resume_describe(sweep, s->device, s->options, &text, error);
  s->forecast->journal_size += cs_journal_empty_bytes(text.length);
  s->forecast->journal_grows = s->forecast->journal_grows || sweep->boundary >= 0 || sweep->refine > 0;
  cs_text_free(&text);
  return code;
}

/* What programs of OpenCL are built for. */
struct target {
  struct cs_device *own, *builds; /* `builds` NULL: there is none, which is no matter of a forecast; else `own`, or the
                                     device beside it */
};

static void open_target(const struct cs_device_info *device, struct target *target) {
  char index[32];
  if (target->own != NULL) return;
  snprintf(index, sizeof index, "%d", device->index);
  if (cs_device_open(device->automatic ? "auto" : index, &target->own, NULL) != CS_OK) return;
  target->builds = target->own;
  if (device->automatic && cs_device_beside(target->own, &target->builds, NULL) != CS_OK) target->builds = NULL;
}

/* Adds one program of OpenCL, unless another variant has the same. */
static int add_program(struct survey *s, const struct cs_text *source, bool kept, struct cs_error *error) {
  const uint64_t hash = cs_index_hash(CS_INDEX_SEED, source->data, source->length);
  size_t probe = 0;
  if (cs_index_next(&s->programs, hash, &probe) != CS_INDEX_NONE) return CS_OK;
  if (!cs_index_add(&s->programs, hash, s->forecast->programs++)) return cs_error_memory(error);
  s->forecast->kept += kept;
  return CS_OK;
}

/* `device`: or NULL. */
static int add_programs(struct survey *s, const struct cs_plan *plan, uint32_t variant, struct cs_device *device,
                        bool quick, struct cs_error *error) {
  const struct cs_device_info *info = device != NULL ? cs_device_info(device) : s->device;
  const unsigned lanes = cs_sizing_lanes_beside(s->device, info, s->options, plan->sweep->model);
  const struct cs_worker_setup setup = {.plan = plan, .options = s->options, .alike = s->device->automatic};
  struct cs_programs_text text;
  bool part[CS_PARTS];
  cs_worker_parts(&setup, variant, info, part);
  int code = cs_programs_write(device, plan->variant[variant], lanes, part, quick, &text, error);
  for (int i = 0; i < CS_PARTS && code == CS_OK; i++)
    if (text.source[i].data != NULL) code = add_program(s, &text.source[i], text.kept[i], error);
  cs_programs_free_text(&text);
  return code;
}

/* What a variant of a plan adds to those before: nothing, a program, or itself as well. */
enum addition { NOTHING, PROGRAM, VARIANT };

static uint64_t hash_of(const struct cs_plan *plan, size_t variant, enum cs_tiers_fate fate) {
  const struct cs_layout *l = plan->variant[variant];
  const int kind[] = {l->kind.stiff, plan->options.other, l->kind.lean, fate};
  return cs_index_hash(cs_method_hash(plan->sweep->model->subsystems, &l->method), kind, sizeof kind);
}

static bool is_seen(const struct survey *s, uint64_t hash) {
  size_t probe = 0;
  return cs_index_next(&s->seen, hash, &probe) != CS_INDEX_NONE;
}

/* Spectra beside a simulation have the programs of its variants. An optimised program serves wherever it is there. */
static int note_variant(struct survey *s, const struct cs_plan *plan, size_t variant, enum cs_tiers_fate fate,
                        enum addition *adds, struct cs_error *error) {
  const bool host = is_seen(s, hash_of(plan, variant, CS_FATE_HOST));
  const bool quick = is_seen(s, hash_of(plan, variant, CS_FATE_QUICK));
  const bool built = is_seen(s, hash_of(plan, variant, CS_FATE_BUILT));
  const bool served = built || (quick && fate != CS_FATE_BUILT) || (host && fate == CS_FATE_HOST);
  *adds = served ? NOTHING : host || quick ? PROGRAM : VARIANT;
  return served || cs_index_add(&s->seen, hash_of(plan, variant, fate), variant) ? CS_OK : cs_error_memory(error);
}

const char *cs_engine_jumping(const struct cs_model *model, const struct cs_method *method) {
  bool kept = false;
  for (size_t s = 0; s < model->subsystems; s++)
    kept = kept || (method->subsystem[s].keeps && model->subsystem[s].states > 0);
  return !kept || method->continuity != CS_JUMPS
             ? NULL
             : "a solver keeps its memory over inputs that jump: order 1 in its micro steps, 2 with memory restart or "
               "continuity c0";
}

/* Adds a variant, and what its programs take. */
static int add_variant(struct survey *s, const struct cs_plan *plan, size_t variant, enum cs_tiers_fate fate,
                       enum addition adds, struct target *target, struct cs_error *error) {
  struct cs_forecast *forecast = s->forecast;
  const size_t missing = forecast->programs - forecast->kept;
  forecast->variants += adds == VARIANT;
  if (forecast->jumping == NULL)
    forecast->jumping = cs_engine_jumping(plan->sweep->model, &plan->variant[variant]->method);
  if (fate < CS_FATE_BUILT) return CS_OK;
  forecast->built++;
  open_target(s->device, target);
  if (target->builds != NULL)
    snprintf(forecast->builds_for, sizeof forecast->builds_for, "%s", cs_device_info(target->builds)->name);
  const int code = add_programs(s, plan, (uint32_t)variant, target->builds, fate == CS_FATE_QUICK, error);
  const bool kept = forecast->programs - forecast->kept == missing;
  if (!kept && fate == CS_FATE_QUICK) forecast->build_seconds += CS_TIERS_QUICK_SECONDS;
  if (!kept && fate == CS_FATE_BUILT && !s->device->automatic) forecast->build_seconds += CS_TIERS_BUILD_SECONDS;
  return code;
}

/* Modes are separated once for each network, whatever the number of variants. */
static double modes_seconds(const struct cs_plan *plan) {
  double most = 0.0;
  for (size_t i = 0; i < plan->ordered; i++) {
    const struct cs_run *run = &plan->run[plan->order[i]];
    const struct cs_layout *l = plan->variant[run->variant];
    if (l->kind.stiff && cs_sizing_apart(l, run)) most = fmax(most, cs_modes_seconds(l));
  }
  return plan->networks != NULL ? most * (double)plan->networks->count : 0.0;
}

/* Adds the variants of a plan, and what their tiles take. */
static int add_variants(struct survey *s, const struct cs_plan *plan, struct cs_error *error) {
  unsigned char *fate = calloc(plan->variants + 1, 1);
  struct target target = {NULL, NULL};
  double core_seconds = 0.0;
  int code = fate == NULL ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) cs_tiers_forecast(plan, s->device, s->options, s->windows, fate, &core_seconds);
  core_seconds += modes_seconds(plan);
  for (size_t i = 0; i < plan->variants && code == CS_OK; i++) {
    const enum cs_tiers_fate own = (enum cs_tiers_fate)fate[i];
    enum addition adds = NOTHING;
    if (own != CS_FATE_NONE) code = note_variant(s, plan, i, own, &adds, error);
    if (code == CS_OK && adds != NOTHING) code = add_variant(s, plan, i, own, adds, &target, error);
  }
  s->forecast->compute_seconds += s->device->host || s->device->cpu ? core_seconds / fmax(1.0, s->device->units) : NAN;
  s->forecast->compute_seconds += cs_derived_seconds(plan);
  cs_device_close(target.own);
  free(fate);
  return code;
}

/* Adds tiles, kernel calls, memory and what the journal has of a plan. */
static int add_tiles(struct survey *s, const struct cs_plan *plan, struct cs_error *error) {
  struct cs_forecast *forecast = s->forecast;
  const int code = cs_footprint_add(&s->footprint, plan, s->device, s->options, error);
  for (size_t i = 0; i < plan->tiles; i++)
    forecast->launches += cs_sizing_launches(plan, &plan->tile[i]);
  forecast->tiles += plan->tiles;
  forecast->journal_size += results_bytes(plan);
  return code == CS_OK ? add_variants(s, plan, error) : code;
}

/* Adds what follows a simulation: the stability analysis, or another formulation for the rounding. */
static int add_more(struct survey *s, const struct cs_plan *simulation, bool spectra, struct cs_error *error) {
  const struct cs_sweep *sweep = simulation->sweep;
  struct cs_plan *plan = NULL;
  int code = spectra ? cs_sizing_plan_beside(simulation, sweep, &s->device, 1, s->options, &plan, error)
                     : cs_sizing_plan_other(sweep, &s->device, 1, s->options, &plan, error);
  if (code != CS_OK) return code;
  code = add_tiles(s, plan, error);
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

/* Adds a part. */
static int add_plan(struct survey *s, const struct cs_plan *plan, struct cs_error *error) {
  const struct cs_sweep *sweep = plan->sweep;
  struct cs_forecast *forecast = s->forecast;
  const size_t skipped = plan->status[CS_STATUS_SKIPPED];
  forecast->runs += plan->runs;
  forecast->skipped += skipped;
  forecast->invalid += plan->runs - plan->ordered - skipped;
  forecast->steps += plan->steps;
  forecast->analyses += sweep->study == CS_STABILITY ? plan->ordered : 0;
  forecast->journal_grows = forecast->journal_grows || plan->paced != NULL;
  cs_plan_note_effects(plan, s->effect);
  for (size_t i = 0; i < plan->ordered; i++)
    add_steps(plan, &plan->run[plan->order[i]], forecast);
  int code = add_tiles(s, plan, error);
  if (code == CS_OK && sweep->study == CS_SIMULATION && cs_rounding_is_wanted(plan))
    code = add_more(s, plan, false, error);
  if (code == CS_OK && cs_sweep_has_spectra_beside(sweep)) code = add_more(s, plan, true, error);
  return code;
}

/* Whether a run's steps may become long for its network, so that it is repeated by the variant for stiff ones. */
static bool may_repeat(const struct cs_plan *plan, const struct cs_run *run) {
  const struct cs_layout *l = plan->variant[run->variant];
  return l->kind.varies && !l->kind.stiff && !l->kind.eventful && !cs_layout_knows_steps(l) &&
         run->norm * run->steps > CS_STIFF_NORM;
}

/* Adds the memory of a large network's runs that may be repeated; the plan is then one of these. */
static int add_again(struct survey *s, struct cs_plan *plan, struct cs_error *error) {
  size_t *run = malloc((plan->ordered + 1) * sizeof *run), runs = 0;
  int code = run != NULL ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; i < plan->ordered && code == CS_OK && cs_layout_is_large(plan->sweep->model); i++)
    if (may_repeat(plan, &plan->run[plan->order[i]])) run[runs++] = plan->order[i];
  if (code == CS_OK && runs > 0) code = cs_plan_again(plan, run, runs, error);
  if (code == CS_OK) code = cs_footprint_add(&s->again, plan, s->device, s->options, error);
  free(run);
  return code;
}

/* From the runs that were planned to all of them. */
static void scale_up(struct cs_forecast *forecast, size_t runs) {
  const double ratio = (double)runs / (double)forecast->runs;
  size_t *const count[] = {&forecast->skipped, &forecast->invalid,    &forecast->tiles,    &forecast->launches,
                           &forecast->varied,  &forecast->controlled, &forecast->analyses, &forecast->journal_size};
  forecast->planned = forecast->runs;
  forecast->runs = runs;
  if (forecast->planned == runs) return;
  for (size_t i = 0; i < sizeof count / sizeof *count; i++)
    *count[i] = (size_t)((double)*count[i] * ratio);
  forecast->steps *= ratio;
  forecast->compute_seconds *= ratio;
}

/* Plans one part after the other. */
static int survey(struct survey *s, const struct cs_sweep *sweep, struct cs_error *error) {
  const struct parts parts = parts_of(sweep, s->options);
  struct cs_kernels kernels = {0};
  size_t modes = 0;
  int code = cs_prediction_check_memory(sweep, s->options, error);
  s->windows = (double)cs_window_runs(sweep, s->options) / (double)parts.runs;
  cs_footprint_begin(&s->footprint, sweep, parts.runs, s->options);
  cs_footprint_begin(&s->again, sweep, parts.runs, s->options);
  for (size_t i = 0; i < parts.parts && code == CS_OK; i++) {
    const struct cs_sweep part = part_of(sweep, &parts, i);
    struct cs_plan *plan = NULL;
    code = cs_sizing_plan(&part, &s->device, 1, s->options, &plan, error);
    if (code == CS_OK) code = add_plan(s, plan, error);
    if (code == CS_OK) code = cs_provenance_add_kernels(sweep, plan, &kernels, error);
    if (plan != NULL && plan->modes > modes) modes = plan->modes;
    if (code == CS_OK) code = add_again(s, plan, error);
    cs_footprint_look(&s->footprint);
    cs_footprint_look(&s->again);
    cs_plan_free(plan);
  }
  if (code == CS_OK) scale_up(s->forecast, sweep->runs);
  if (code == CS_OK) code = begin_journal(s, sweep, error);
  if (code == CS_OK) code = forecast_table(s, sweep, modes, &kernels, error);
  cs_provenance_free_kernels(&kernels);
  return code;
}

int cs_engine_forecast(const struct cs_sweep *sweep, const struct cs_device_info *device,
                       const struct cs_engine_options *options, struct cs_forecast *forecast, struct cs_error *error) {
  struct survey s = {.device = device, .options = options, .forecast = forecast};
  *forecast = (struct cs_forecast){.apart = !device->cpu};
  const int code = survey(&s, sweep, error);
  for (size_t a = 0; a < sweep->axes; a++)
    forecast->idle[a] = s.effect[a] == CS_EFFECT_NONE;
  cs_index_clear(&s.seen);
  cs_index_clear(&s.programs);
  return code;
}

/* What runs have of an event: nothing yet, an event that changes nothing, or one that does. */
enum event_kind { UNSEEN, IDLE, ACTING };

/* Goes on with the events of a part's runs until all are acting. Numbers of runs that are not finite make these
 * invalid. */
static int look_at_events(const struct cs_sweep *part, struct cs_numbers *numbers, unsigned char *kind,
                          struct cs_error *error) {
  const struct cs_model *model = part->model;
  const double *time = numbers->matrix[CS_EVENT_TIME].numbers;
  struct cs_settings settings;
  int code = cs_settings_new(part, &settings, error);
  if (code != CS_OK) return code;
  size_t acting = 0;
  for (size_t i = 0; i < part->runs && acting < model->events; i++) {
    struct cs_error invalid;
    cs_settings_of(part, i, &settings);
    if (settings.skipped ||
        cs_numbers_find(numbers, settings.parameters, settings.given, settings.mode, &invalid) != CS_OK)
      continue;
    acting = 0;
    for (size_t e = 0; e < model->events; e++) {
      const bool happens = !model->event[e].timed || time[e] < settings.t_end;
      if (happens && kind[e] != ACTING) kind[e] = cs_numbers_act(numbers, e) ? ACTING : IDLE;
      acting += kind[e] == ACTING;
    }
  }
  cs_settings_free(&settings);
  return CS_OK;
}

int cs_engine_idle_events(const struct cs_sweep *sweep, const struct cs_engine_options *options, bool *idle,
                          struct cs_error *error) {
  const size_t events = sweep->study == CS_SIMULATION ? sweep->model->events : 0;
  const struct parts parts = parts_of(sweep, options);
  unsigned char *kind = calloc(events + 1, sizeof *kind);
  struct cs_numbers *numbers = NULL;
  int code = kind == NULL ? cs_error_memory(error) : CS_OK;
  memset(idle, 0, sweep->model->events * sizeof *idle);
  if (code == CS_OK && events > 0) code = cs_numbers_new(sweep->model, &numbers, error);
  for (size_t i = 0; i < parts.parts && events > 0 && code == CS_OK; i++) {
    const struct cs_sweep part = part_of(sweep, &parts, i);
    code = look_at_events(&part, numbers, kind, error);
  }
  for (size_t e = 0; e < events && code == CS_OK; e++)
    idle[e] = kind[e] == IDLE;
  cs_numbers_free(numbers);
  free(kind);
  return code;
}

/* The source of variant number *index of those that no part before had, from 0, which counts down to it: *found. */
static int find_kernel(struct survey *s, const struct cs_plan *plan, size_t *index, bool *found, struct cs_text *source,
                       struct cs_error *error) {
  int code = CS_OK;
  for (size_t v = 0; v < plan->variants && code == CS_OK && !*found; v++) {
    enum addition adds = NOTHING;
    code = note_variant(s, plan, v, CS_FATE_BUILT, &adds, error);
    if (code != CS_OK || adds == NOTHING) continue;
    *found = *index == 0;
    if (*found)
      code = cs_emit_all(plan->variant[v], cs_sizing_lanes(s->device, s->options, plan->sweep->model), source, error);
    if (!*found) --*index;
  }
  return code;
}

int cs_engine_kernel(const struct cs_sweep *sweep, const struct cs_device_info *device,
                     const struct cs_engine_options *options, size_t index, struct cs_text *source,
                     struct cs_error *error) {
  const struct parts parts = parts_of(sweep, options);
  const size_t wanted = index;
  struct survey s = {.device = device, .options = options};
  bool found = false;
  int code = cs_prediction_check_memory(sweep, options, error);
  for (size_t i = 0; i < parts.parts && code == CS_OK && !found; i++) {
    const struct cs_sweep part = part_of(sweep, &parts, i);
    struct cs_plan *plan = NULL;
    code = cs_sizing_plan(&part, &device, 1, options, &plan, error);
    if (code == CS_OK) code = find_kernel(&s, plan, &index, &found, source, error);
    cs_plan_free(plan);
  }
  if (code == CS_OK && !found)
    code = cs_error_set(error, CS_INPUT, "variant %zu; the sweep has %zu", wanted, wanted - index);
  cs_index_clear(&s.seen);
  return code;
}
