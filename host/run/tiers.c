#include "tiers.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "builds.h"
#include "clock.h"
#include "index.h"
#include "list.h"
#include "native.h"
#include "settings.h"
#include "sizing.h"
#include "tally.h"

/* What the host takes, in core seconds: for every run; for every predicted multiply-add, in one lane of its vectors, or
 * for a large model. Only a first guess, fitted to the shipped sweeps; what it has taken for tiles of a variant
 * corrects it. */
#define SECONDS_PER_RUN 3.5e-6
#define SECONDS_PER_WORK 0.6e-9
#define SECONDS_PER_LARGE_WORK 0.2e-9
#define SPECTRUM_WEIGHT 0.25 /* of eigenvalues, in lanes */

/* What has to be left for the host, in seconds: for a program to be built; for OpenCL to be started and a program that
 * is kept to be opened. */
#define BUILD_PAYS (2.0 * CS_TIERS_BUILD_SECONDS)
#define OPEN_PAYS 0.5
/* For a program to be built with optimisation for a device that was named, in core seconds of the host; where the
 * number of steps is a guess, a tenth. On a CPU a program without it takes two to five times what the host takes, with
 * it half to an eighth, and one to three seconds more to build; nobody has measured how much longer it takes on a GPU.
 */
#define OPTIMISING_PAYS 0.5
#define OPTIMISING_PAYS_APART 0.02
/* So many times that, for quick programs to compute until it is built: they cost one to two seconds more in all, since
 * both are built, and results come so much sooner. */
#define BEGINNING_PAYS 20.0

/* Later runs whose methods are looked at. */
enum { SAMPLES = 64 };

/* Of tiles that a device apart takes at once: runs, and the part of the tiles left that it leaves to others. */
enum { APART_RUNS = 8192, APART_SHARE = 4 };

enum state { FIRST, BUILDING, BUILT, GIVEN_UP };

/* Tiles that were computed: the host's core seconds as predicted, and what they took. */
struct speed {
  double predicted, measured;
};

/* What is known of the variants of plans with the same hash, which have the same kernels. */
struct tier {
  uint64_t hash, method; /* of the kernels, of the method alone */
  enum state state;
  bool sought;                /* in the cache */
  struct cs_builder *builder; /* while it is being built */
  double whole, left; /* predicted core seconds of the plan's tiles, of those not taken; and of runs that follow */
  size_t runs;        /* of the plan, in tiles that were not computed before */
  double later;       /* runs with its method among those that follow */
  struct speed host, apart; /* core seconds of the host; seconds of the device that is apart */
};

struct cs_tiers {
  struct cs_device *device, *beside;
  const struct cs_engine_options *options;
  struct cs_sweep later; /* the runs that follow */
  const struct cs_plan *plan;
  double began, had; /* the clock when its tiles were begun, and the core seconds that the process had computed then */
  double *seconds;   /* [plan->tiles] predicted */
  size_t *of;        /* [plan->variants] the tier of a variant */
  struct tier *tier; /* [tiers] */
  size_t tiers, building;
  bool given_up;           /* all are, those of plans to come too */
  struct cs_error warning; /* "" if there is none */
  pthread_mutex_t lock;    /* for all of it but `plan` and `seconds` */
};

bool cs_tiers_has_host(const struct cs_layout *layout, const struct cs_engine_options *options) {
  return (options->lanes == 0 || options->lanes == cs_native_lanes(layout->model)) &&
         cs_native_check(layout, NULL) == CS_OK;
}

/* Programs of OpenCL add up in the order of the kernels that take several runs at once, not of those for large models,
 * and need minutes to build for them. */
static bool stays_on_host(const struct cs_layout *layout, const struct cs_engine_options *options) {
  return cs_layout_is_large(layout->model) && cs_tiers_has_host(layout, options);
}

static double seconds_of_tile(const struct cs_plan *plan, const struct cs_tile *tile) {
  const struct cs_layout *l = plan->variant[tile->variant];
  const double assembly = cs_tally_assembly_work(plan, tile), after = cs_sizing_tile_work(plan, tile);
  const double runs = SECONDS_PER_RUN * (double)tile->count;
  const double maps = l->kind.stability ? (double)cs_layout_phases(l) : 1.0 + (double)l->step.ramp;
  if (cs_layout_is_large(l->model)) return runs + SECONDS_PER_LARGE_WORK * (maps * assembly + after);
  const double weight = l->kind.stability ? SPECTRUM_WEIGHT : 1.0;
  return runs + SECONDS_PER_WORK / plan->options.lanes * (assembly + weight * after);
}

/* Core seconds of a variant's tiles from which a device that was named optimises. */
static double optimising_pays(const struct cs_layout *l, const struct cs_device_info *device,
                              const struct cs_engine_options *options) {
  const double usual = device->cpu ? OPTIMISING_PAYS : OPTIMISING_PAYS_APART;
  const double pays = options->build_pays > 0.0 ? options->build_pays : usual;
  const bool guessed = l->kind.varies && !cs_layout_knows_steps(l);
  return guessed ? 0.1 * pays : pays;
}

/* `seconds`: of all tiles of the variant. */
static bool is_brief(const struct cs_layout *l, double seconds, const struct cs_device_info *device,
                     const struct cs_engine_options *options) {
  return !device->host && seconds < optimising_pays(l, device, options);
}

bool cs_tiers_is_brief(const struct cs_plan *plan, uint32_t variant, const struct cs_device_info *device,
                       const struct cs_engine_options *options, double windows) {
  double seconds = 0.0;
  for (size_t i = 0; i < plan->tiles; i++)
    if (plan->tile[i].variant == variant) seconds += seconds_of_tile(plan, &plan->tile[i]);
  return is_brief(plan->variant[variant], windows * seconds, device, options);
}

bool cs_tiers_serve(struct cs_device *const *device, size_t devices, const struct cs_engine_options *options) {
  const struct cs_device_info *info = cs_device_info(device[0]);
  if (info->automatic || info->host) return info->automatic;
  return devices == 1 && info->cpu && options->builder != NULL && cs_builder_knows(device[0]);
}

int cs_tiers_open(struct cs_device *device, const struct cs_engine_options *options, struct cs_tiers **tiers,
                  struct cs_error *error) {
  struct cs_tiers *x = calloc(1, sizeof *x);
  *tiers = x;
  if (x == NULL) return cs_error_memory(error);
  x->device = device;
  if (!cs_device_info(device)->automatic) x->beside = device;
  x->options = options;
  pthread_mutex_init(&x->lock, NULL);
  return CS_OK;
}

void cs_tiers_close(struct cs_tiers *x) {
  if (x == NULL) return;
  for (size_t i = 0; i < x->tiers; i++)
    cs_builder_close(x->tier[i].builder);
  pthread_mutex_destroy(&x->lock);
  free(x->tier);
  free(x->of);
  free(x->seconds);
  free(x);
}

void cs_tiers_follow(struct cs_tiers *x, struct cs_sweep later) {
  x->later = later;
}

/* Whether the device is one of OpenCL, which computes alone. */
static bool is_named(const struct cs_tiers *x) {
  return x->beside == x->device;
}

static bool has_host(const struct cs_tiers *x, uint32_t variant) {
  return !is_named(x) && cs_tiers_has_host(x->plan->variant[variant], x->options);
}

static struct tier *tier_of(const struct cs_tiers *x, uint32_t variant) {
  return &x->tier[x->of[variant]];
}

/* Finds the tier of a variant, or adds it. */
static int find_tier(struct cs_tiers *x, const struct cs_layout *layout, size_t *found, struct cs_error *error) {
  const bool kind[] = {layout->kind.stability, layout->kind.varies,  layout->kind.stiff,
                       layout->kind.other,     layout->kind.records, layout->kind.doubles};
  const uint64_t method = cs_method_hash(layout->sweep->model->subsystems, &layout->method);
  const uint64_t hash = cs_index_hash(method, kind, sizeof kind);
  for (*found = 0; *found < x->tiers; ++*found)
    if (x->tier[*found].hash == hash) return CS_OK;
  if (!cs_list_grow(&x->tier, x->tiers, sizeof *x->tier)) return cs_error_memory(error);
  const bool stays = x->given_up || (!is_named(x) && stays_on_host(layout, x->options));
  x->tier[x->tiers++] = (struct tier){.hash = hash, .method = method, .state = stays ? GIVEN_UP : FIRST};
  return CS_OK;
}

/* Looks at the methods of some of the runs that follow, each of which stands for `share` runs. */
static int look_ahead(struct cs_tiers *x, double share, struct cs_error *error) {
  struct cs_settings settings;
  const int code = cs_settings_new(&x->later, &settings, error);
  if (code != CS_OK) return code;
  for (size_t s = 0; s < SAMPLES; s++) {
    cs_settings_of(&x->later, (size_t)(((double)s + 0.5) / SAMPLES * (double)x->later.runs), &settings);
    const uint64_t method = cs_method_hash(x->later.model->subsystems, &settings.method);
    for (size_t i = 0; i < x->tiers && !settings.skipped; i++)
      if (x->tier[i].method == method) x->tier[i].later += share;
  }
  cs_settings_free(&settings);
  return CS_OK;
}

/* Adds what the runs that follow will take: the same as those of the plan with their methods, if as many of them are
 * computed as of the plan's. */
static int add_later(struct cs_tiers *x, struct cs_error *error) {
  size_t runs = 0;
  for (size_t i = 0; i < x->tiers; i++)
    runs += x->tier[i].runs;
  if (x->later.runs == 0 || x->plan->of_points || runs == 0) return CS_OK;
  const int code = look_ahead(x, (double)x->later.runs / SAMPLES * (double)runs / (double)x->plan->runs, error);
  for (size_t i = 0; i < x->tiers && code == CS_OK; i++) {
    double alike = 0.0; /* variants of one method */
    for (size_t k = 0; k < x->tiers; k++)
      if (x->tier[k].method == x->tier[i].method) alike += (double)x->tier[k].runs;
    if (x->tier[i].runs > 0) x->tier[i].left *= 1.0 + x->tier[i].later / alike;
  }
  return code;
}

int cs_tiers_begin(struct cs_tiers *x, const struct cs_plan *plan, struct cs_error *error) {
  if (!cs_list_reserve(&x->seconds, plan->tiles + 1, sizeof *x->seconds)) return cs_error_memory(error);
  if (!cs_list_reserve(&x->of, plan->variants + 1, sizeof *x->of)) return cs_error_memory(error);
  x->plan = plan;
  x->began = cs_clock_seconds();
  x->had = cs_clock_core_seconds();
  int code = CS_OK;
  for (size_t i = 0; i < plan->variants && code == CS_OK; i++)
    code = find_tier(x, plan->variant[i], &x->of[i], error);
  for (size_t i = 0; i < x->tiers; i++) {
    x->tier[i].left = 0.0;
    x->tier[i].runs = 0;
    x->tier[i].later = 0.0;
  }
  for (size_t i = plan->done; i < plan->tiles && code == CS_OK; i++) {
    struct tier *tier = tier_of(x, plan->tile[i].variant);
    x->seconds[i] = seconds_of_tile(plan, &plan->tile[i]);
    tier->left += x->seconds[i];
    tier->runs += plan->tile[i].count;
  }
  if (code == CS_OK) code = add_later(x, error);
  for (size_t i = 0; i < x->tiers; i++)
    x->tier[i].whole = x->tier[i].left;
  return code;
}

/* Core seconds of the host, as they turned out so far. */
static double corrected(const struct tier *tier, double predicted) {
  return tier->host.predicted > 0.0 ? tier->host.measured / tier->host.predicted * predicted : predicted;
}

/* Whether an optimised program is to compute a tile, though none is built yet. */
static bool waits(const struct cs_tiers *x, size_t tile) {
  const uint32_t variant = x->plan->tile[tile].variant;
  const double pays = optimising_pays(x->plan->variant[variant], cs_device_info(x->device), x->options);
  const double whole = tier_of(x, variant)->whole;
  return is_named(x) && whole > pays && (x->seconds[tile] > pays || whole < BEGINNING_PAYS * pays);
}

static double build_pays(const struct cs_engine_options *options) {
  return options->build_pays > 0.0 ? options->build_pays : BUILD_PAYS;
}

/* The time that they take. */
static double seconds_of(const struct cs_tiers *x, double core_seconds) {
  return core_seconds / cs_device_info(x->device)->units;
}

/* Whether programs can be built elsewhere, and what is built first can hence be replaced. */
static bool has_builder(const struct cs_tiers *x) {
  return x->options->builder != NULL && cs_builder_serves();
}

enum cs_tier cs_tiers_first(const struct cs_tiers *x, uint32_t variant) {
  if (has_host(x, variant)) return CS_TIER_HOST;
  return has_builder(x) && x->beside != NULL ? CS_TIER_QUICK : CS_TIER_BUILT;
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* With the lock. */
static void give_up_all(struct cs_tiers *x, const struct cs_error *why) {
  x->given_up = true;
  for (size_t i = 0; i < x->tiers; i++)
    x->tier[i].state = GIVEN_UP;
  if (why != NULL && x->warning.message[0] == '\0')
    cs_error_set(&x->warning, CS_DEVICE, "computed without optimised programs: %s", why->message);
}

bool cs_tiers_give_up(struct cs_tiers *x, uint32_t variant, enum cs_tier tier, const struct cs_error *why) {
  const bool goes_on = tier != cs_tiers_first(x, variant);
  pthread_mutex_lock(&x->lock);
  if (goes_on) give_up_all(x, why);
  pthread_mutex_unlock(&x->lock);
  return goes_on;
}

/* ---- preparing --------------------------------------------------------------------------------------------------- */

static int fail_without(const struct cs_layout *layout, struct cs_error *error) {
  static const char advice[] = "OpenCL has no device here; install the package pocl-opencl-icd";
  struct cs_error why;
  if (cs_native_check(layout, &why) == CS_OK) return cs_error_set(error, CS_DEVICE, "device: %s", advice);
  return cs_error_set(error, CS_DEVICE, "device: the host cannot compute this, as %s, and %s", why.message, advice);
}

/* The device of OpenCL, where only its programs will do. */
static int open_needed(struct cs_tiers *x, uint32_t variant, struct cs_error *error) {
  int code = cs_device_beside(x->device, &x->beside, error);
  if (code == CS_OK && x->beside == NULL) return fail_without(x->plan->variant[variant], error);
  const struct cs_device_info *info = code == CS_OK ? cs_device_info(x->beside) : NULL;
  return code == CS_OK ? cs_sizing_check(x->plan, &info, 1, x->options, error) : code;
}

/* Where they are a choice: false if there is none whose results have the same bits. */
static bool open_wanted(struct cs_tiers *x) {
  struct cs_error error = {0};
  struct cs_device *beside = NULL;
  if (is_named(x)) return true;
  int code = cs_device_beside(x->device, &beside, &error);
  const struct cs_device_info *info = beside != NULL ? cs_device_info(beside) : NULL;
  bool good = code == CS_OK && info != NULL;
  good = good && cs_sizing_check(x->plan, &info, 1, x->options, NULL) == CS_OK;
  pthread_mutex_lock(&x->lock);
  if (good)
    x->beside = beside;
  else
    give_up_all(x, code != CS_OK ? &error : NULL);
  pthread_mutex_unlock(&x->lock);
  return good;
}

/* Opens a builder for what is emitted; finds out first whether it is all kept. */
static int seek(struct cs_tiers *x, uint32_t variant, bool build, enum state *state, struct cs_builder **builder,
                struct cs_error *error) {
  const struct cs_device_info *own = cs_device_info(x->device), *beside = cs_device_info(x->beside);
  const unsigned lanes = cs_sizing_lanes_beside(own, beside, x->options, x->plan->sweep->model);
  const struct cs_worker_setup setup = {.plan = x->plan, .options = x->options, .alike = !is_named(x)};
  struct cs_builds_request request = {0};
  int code = cs_builds_ask(&setup, x->beside, lanes, variant, false, &request, error);
  if (code == CS_OK && request.programs == 0) {
    *state = BUILT;
  } else if (code == CS_OK && build) {
    code = cs_builder_open(x->options->builder, x->beside, request.program, request.programs, builder, error);
    if (code == CS_OK) *state = BUILDING;
  }
  cs_builds_free_request(&request);
  return code;
}

/* Processors for builders: all but one. */
static size_t room(const struct cs_tiers *x) {
  const unsigned units = cs_device_info(x->device)->units;
  return units > 1 ? units - 1 : 1;
}

int cs_tiers_prepare(struct cs_tiers *x, size_t tile, struct cs_error *error) {
  const uint32_t variant = x->plan->tile[tile].variant;
  struct tier *tier = tier_of(x, variant);
  const struct cs_layout *layout = x->plan->variant[variant];
  const bool needed = !has_host(x, variant);
  if (needed && x->beside == NULL) {
    const int code = open_needed(x, variant, error);
    if (code != CS_OK) return code;
  }
  if (cs_tiers_first(x, variant) == CS_TIER_BUILT || waits(x, tile)) return CS_OK;
  pthread_mutex_lock(&x->lock);
  const double left = corrected(tier, tier->left), after = corrected(tier, tier->left - x->seconds[tile]);
  const bool pays = is_named(x) ? after > optimising_pays(layout, cs_device_info(x->device), x->options)
                                : seconds_of(x, after) > build_pays(x->options);
  const bool build = pays && x->building < room(x);
  const bool open =
      !tier->sought && !is_named(x) && (needed || seconds_of(x, left) > fmin(OPEN_PAYS, build_pays(x->options)));
  const bool idle = tier->state == FIRST;
  pthread_mutex_unlock(&x->lock);
  if (!idle || (!build && !open) || !has_builder(x) || !open_wanted(x))
    return CS_OK; /* the cache last: it makes folders */
  enum state state = FIRST;
  struct cs_builder *builder = NULL;
  struct cs_error why = {0};
  const int code = seek(x, variant, build, &state, &builder, &why);
  pthread_mutex_lock(&x->lock);
  tier->sought = true;
  tier->state = state;
  tier->builder = builder;
  x->building += builder != NULL;
  if (code != CS_OK) give_up_all(x, &why);
  pthread_mutex_unlock(&x->lock);
  return CS_OK;
}

/* ---- tiles ------------------------------------------------------------------------------------------------------- */

/* With the lock. */
static void look_after(struct cs_tiers *x, struct tier *tier) {
  struct cs_error why = {0};
  int code;
  if (tier->builder == NULL || !cs_builder_has_ended(tier->builder, &code, &why)) return;
  cs_builder_close(tier->builder);
  tier->builder = NULL;
  x->building--;
  if (tier->state == BUILDING) tier->state = BUILT;
  if (code != CS_OK) give_up_all(x, &why);
}

/* With the lock. */
static bool is_apart(const struct cs_tiers *x) {
  return x->beside != NULL && !cs_device_info(x->beside)->cpu;
}

bool cs_tiers_is_apart(struct cs_tiers *x) {
  pthread_mutex_lock(&x->lock);
  const bool apart = is_apart(x);
  pthread_mutex_unlock(&x->lock);
  return apart;
}

/* With the lock. */
static void look_after_all(struct cs_tiers *x) {
  for (size_t i = 0; i < x->tiers && x->building > 0; i++)
    look_after(x, &x->tier[i]);
}

enum cs_tier cs_tiers_take(struct cs_tiers *x, size_t tile) {
  const uint32_t variant = x->plan->tile[tile].variant;
  struct tier *tier = tier_of(x, variant);
  pthread_mutex_lock(&x->lock);
  tier->left -= x->seconds[tile];
  look_after_all(x);
  const bool built = (tier->state == BUILT && !is_apart(x)) || (tier->state != GIVEN_UP && waits(x, tile));
  pthread_mutex_unlock(&x->lock);
  return built ? CS_TIER_BUILT : cs_tiers_first(x, variant);
}

/* Adds the tile that follows, if both can be computed as one. */
static bool join(const struct cs_tiers *x, struct cs_tile *joined, const struct cs_tile *next) {
  struct cs_tile all = *joined;
  if (next->variant != all.variant || next->doubled != all.doubled || next->run != all.run + all.count) return false;
  all.count += next->count;
  all.steps += next->steps;
  if (next->nodes > all.nodes) all.nodes = next->nodes;
  if (all.count > APART_RUNS || !cs_sizing_fits(x->plan, &all, cs_device_info(x->beside), x->options)) return false;
  *joined = all;
  return true;
}

/* With the lock: seconds that the device apart takes for what is predicted, before it has computed anything by what
 * devices of its kind can do. */
static double seconds_apart(const struct cs_tiers *x, const struct tier *tier, double predicted) {
  const struct cs_device_info *host = cs_device_info(x->device);
  const struct speed *speed = &tier->apart;
  if (speed->predicted > 0.0) return speed->measured / speed->predicted * predicted;
  return predicted * cs_device_rate(host) / host->units / cs_device_rate(cs_device_info(x->beside));
}

/* With the lock: seconds in which the host would compute all that is left. */
static double seconds_left(const struct cs_tiers *x) {
  double left = 0.0;
  for (size_t i = 0; i < x->tiers; i++)
    left += corrected(&x->tier[i], x->tier[i].left);
  return seconds_of(x, left);
}

size_t cs_tiers_take_apart(struct cs_tiers *x, size_t first, struct cs_tile *joined) {
  const struct cs_plan *plan = x->plan;
  struct tier *tier = tier_of(x, plan->tile[first].variant);
  const size_t most = (plan->tiles - first) / APART_SHARE + 1;
  double predicted = x->seconds[first];
  size_t count = 1;
  *joined = plan->tile[first];
  if (!cs_sizing_fits(plan, joined, cs_device_info(x->beside), x->options)) return 0;
  for (; count < most && join(x, joined, &plan->tile[first + count]); count++)
    predicted += x->seconds[first + count];
  pthread_mutex_lock(&x->lock);
  look_after_all(x);
  const bool built = tier->state == BUILT || cs_tiers_first(x, plan->tile[first].variant) == CS_TIER_BUILT;
  if (!built || x->given_up || seconds_apart(x, tier, predicted) > seconds_left(x)) count = 0;
  if (count > 0) tier->left -= predicted;
  pthread_mutex_unlock(&x->lock);
  return count;
}

/* With the lock: the part of its processors that this process has had, since the rest of a busy machine is no reason to
 * build for the same ones. A device that is apart has its own, and saves the time that the host would wait. */
static double share_of(const struct cs_tiers *x) {
  if (is_apart(x)) return 1.0;
  const double room = (cs_clock_seconds() - x->began) * cs_device_info(x->device)->units;
  return fmin(1.0, (cs_clock_core_seconds() - x->had) / room);
}

void cs_tiers_record(struct cs_tiers *x, size_t first, size_t count, enum cs_tier of, double seconds) {
  struct tier *tier = tier_of(x, x->plan->tile[first].variant);
  struct speed *speed = of == CS_TIER_BUILT ? &tier->apart : &tier->host;
  const double threads = fmax(1.0, (double)cs_device_info(x->device)->units / CS_WORKERS_PER_DEVICE);
  pthread_mutex_lock(&x->lock);
  for (size_t i = 0; i < count; i++)
    speed->predicted += x->seconds[first + i];
  speed->measured += of == CS_TIER_BUILT ? seconds : seconds * threads * share_of(x);
  pthread_mutex_unlock(&x->lock);
}

struct cs_device *cs_tiers_device(const struct cs_tiers *x) {
  return x->beside;
}

const char *cs_tiers_warning(const struct cs_tiers *x) {
  return x->warning.message[0] != '\0' ? x->warning.message : NULL;
}

void cs_tiers_forecast(const struct cs_plan *plan, const struct cs_device_info *device,
                       const struct cs_engine_options *options, double windows, unsigned char *fate,
                       double *core_seconds) {
  double seconds = 0.0;
  *core_seconds = 0.0;
  memset(fate, CS_FATE_NONE, plan->variants);
  for (size_t i = 0; i < plan->tiles; i++) {
    const uint32_t variant = plan->tile[i].variant;
    const bool last = i + 1 == plan->tiles || plan->tile[i + 1].variant != variant;
    seconds += seconds_of_tile(plan, &plan->tile[i]);
    if (!last) continue;
    const bool needed = !device->host || (device->automatic && !cs_tiers_has_host(plan->variant[variant], options));
    const bool pays = device->automatic && !stays_on_host(plan->variant[variant], options) &&
                      windows * seconds / device->units > build_pays(options);
    const bool quick =
        device->automatic ? needed : is_brief(plan->variant[variant], windows * seconds, device, options);
    const unsigned char found = quick ? CS_FATE_QUICK : needed || pays ? CS_FATE_BUILT : CS_FATE_HOST;
    if (found > fate[variant]) fate[variant] = found;
    *core_seconds += CS_TIERS_VARIANT_SECONDS + seconds;
    seconds = 0.0;
  }
}
