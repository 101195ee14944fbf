#include "exam.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"
#include "sizing.h"
#include "tally.h"

/* Of a tile: runs, and steps of each. */
enum { RUNS = 8, STEPS = 16 };

/* Of drivers whose mathematical functions are not those of the host: relative, and of the largest number of the run. */
#define NEAR 1e-6
#define NEAR_LARGEST 1e-12

/* Numbers that runs leave. */
struct answers {
  size_t runs, items;
  double *state; /* [runs][items] */
  bool *came;    /* [runs] */
};

static int open_answers(size_t runs, size_t items, struct answers *a, struct cs_error *error) {
  *a = (struct answers){.runs = runs, .items = items};
  a->state = calloc(runs * items + 1, sizeof *a->state);
  a->came = calloc(runs + 1, sizeof *a->came);
  return a->state != NULL && a->came != NULL ? CS_OK : cs_error_memory(error);
}

static void close_answers(struct answers *a) {
  free(a->state);
  free(a->came);
}

static void keep(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  struct answers *a = context;
  (void)way;
  for (size_t i = 0; i < a->items; i++)
    a->state[run * a->items + i] = state[i * pitch];
  a->came[run] = true;
}

static int ignore_rows(void *context, const double *rows, size_t count, struct cs_error *error) {
  (void)context, (void)rows, (void)count, (void)error;
  return CS_OK;
}

/* Computes a tile of a plan by programs that are open. */
static int answer(const struct cs_plan *plan, const struct cs_tile *tile, const struct cs_worker_setup *setup,
                  struct cs_programs *programs, struct answers *answers, struct cs_error *error) {
  struct cs_engine_options quiet = *setup->options;
  struct cs_worker_setup own = *setup;
  struct cs_worker *worker = NULL;
  quiet.progress = NULL;
  own.plan = plan;
  own.options = &quiet;
  own.index = 0;
  own.tally = NULL;
  own.enter = keep;
  own.record = ignore_rows;
  own.context = answers;
  int code = cs_tally_new(plan, &quiet, 1, 1, &own.tally, error);
  if (code == CS_OK) code = cs_worker_new(&own, &worker, error);
  if (code == CS_OK) code = cs_worker_use(worker, programs, tile->variant, error);
  if (code == CS_OK) code = cs_worker_tile(worker, tile, error);
  cs_worker_free(worker);
  cs_tally_free(own.tally);
  return code;
}

/* The same by the kernels of the host. */
static int answer_by_host(const struct cs_plan *plan, const struct cs_tile *tile, const struct cs_worker_setup *setup,
                          struct answers *answers, struct cs_error *error) {
  struct cs_device *host = NULL;
  struct cs_programs programs = {.setup = {NULL}};
  struct cs_worker_setup own = *setup;
  int code = cs_device_open("host", &host, error);
  own.device = host;
  own.lanes = cs_native_lanes(plan->sweep->model);
  const struct cs_programs_setup how = {
      .device = host, .layout = plan->variant[tile->variant], .lanes = own.lanes, .options = own.options};
  if (code == CS_OK) code = cs_programs_open(&how, NULL, &programs, error);
  if (code == CS_OK) code = answer(plan, tile, &own, &programs, answers, error);
  cs_programs_free(&programs);
  cs_device_close(host);
  return code;
}

/* ---- the host ---------------------------------------------------------------------------------------------------- */

/* x' = -x, x(0) = 1, and an integrator of x, which it holds over steps of 0.5 s: after 8 of them it is by 0.5 (sum of
 * e^(-k/2), k < 8) - (1 - e^-4) too large. */
static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"exam\", \"subsystems\": ["
    "{\"name\": \"lag\", \"states\": [\"x\"], \"inputs\": [], \"outputs\": [\"y\"], \"A\": [[-1]], \"C\": [[1]], "
    "\"x0\": [1]}, "
    "{\"name\": \"sum\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[0]], \"B\": [[1]], "
    "\"C\": [[1]]}], \"connections\": [{\"from\": \"lag.y\", \"to\": \"sum.u\"}]}";
static const char sweep[] =
    "{\"format\": \"cosweep-sweep/1\", \"name\": \"exam\", \"model\": \"\", \"t_end\": 4, "
    "\"method\": {\"hold\": \"lagrange\", \"order\": 0, \"step\": {\"size\": 0.5}}, "
    "\"axes\": [{\"name\": \"engine\", \"path\": \"method.engine\", \"values\": [\"step\", \"double\"]}], "
    "\"metrics\": [\"state_error_final\"]}";

static int read_exam(struct cs_sweep **read, struct cs_error *error) {
  struct cs_json *json[2] = {NULL, NULL};
  struct cs_model *made = NULL;
  int code = cs_json_parse("exam", model, strlen(model), &json[0], error);
  if (code == CS_OK) code = cs_model_read(json[0], &made, error);
  if (code == CS_OK) code = cs_json_parse("exam", sweep, strlen(sweep), &json[1], error);
  if (code != CS_OK) {
    cs_model_free(made);
    return code;
  }
  return cs_sweep_read("exam", json[1], made, NULL, 0, read, error);
}

/* Enters the answers as results of the plan, and compares those with what they have to be. */
static int mark_host(const struct cs_plan *plan, const struct answers *answers, struct cs_error *error) {
  const struct cs_result_home home = {CS_IN_MEMORY, NULL};
  const double right = 0.5 * expm1(-4.0) / expm1(-0.5) + expm1(-4.0);
  struct cs_table *table = NULL;
  struct cs_result result;
  int code = cs_result_new(plan->sweep, plan->modes, home, NULL, "", &table, error);
  if (code == CS_OK) cs_result_open(plan, table, &result);
  for (size_t run = 0; run < plan->runs && code == CS_OK; run++) {
    cs_result_enter(&result, run, CS_WAY_STEP, answers->state + run * answers->items, 1);
    const double found = cs_table_float64(result.metric[CS_STATE_ERROR_FINAL], 2 * run + 1);
    if (!(fabs(found - right) <= 1e-13))
      code = cs_error_set(error, CS_DEVICE,
                          "device host: computes wrong numbers: an error of %.17g, where it is %.17g; is the program "
                          "damaged, or the machine?",
                          found, right);
  }
  cs_table_free(table);
  return code;
}

static int examine_host(struct cs_error *error) {
  const struct cs_engine_options options = {0};
  struct cs_sweep *read = NULL;
  struct cs_plan *plan = NULL;
  struct cs_device_info info;
  struct answers answers = {0};
  int code = cs_device_describe("host", &info, error);
  const struct cs_device_info *device = &info;
  const struct cs_worker_setup setup = {.options = &options};
  if (code == CS_OK) code = read_exam(&read, error);
  if (code == CS_OK) code = cs_sizing_plan(read, &device, 1, &options, &plan, error);
  if (code == CS_OK) code = open_answers(plan->runs, plan->variant[0]->state.items, &answers, error);
  for (size_t i = 0; code == CS_OK && i < plan->tiles; i++)
    code = answer_by_host(plan, &plan->tile[i], &setup, &answers, error);
  if (code == CS_OK) code = mark_host(plan, &answers, error);
  close_answers(&answers);
  cs_plan_free(plan);
  cs_sweep_free(read);
  return code;
}

int cs_exam_host(struct cs_error *error) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static bool passed;
  pthread_mutex_lock(&lock);
  const int code = passed ? CS_OK : examine_host(error);
  passed = code == CS_OK;
  pthread_mutex_unlock(&lock);
  return code;
}

/* ---- devices of OpenCL ------------------------------------------------------------------------------------------- */

/* Part of a tile: its first runs, which end early unless they are doubled. */
struct part {
  struct cs_plan plan;
  struct cs_run run[RUNS];
  uint32_t paced[RUNS];
  size_t order[RUNS];
  struct cs_tile tile;
};

static int open_part(const struct cs_plan *plan, const struct cs_tile *tile, struct part *part,
                     struct cs_error *error) {
  const size_t most = plan->options.records ? 1 : RUNS, runs = tile->count < most ? tile->count : most;
  const size_t items = plan->pacing.items;
  double *number = malloc((runs * items + 1) * sizeof *number);
  *part = (struct part){.plan = *plan, .tile = *tile};
  part->plan.pacing.number = number;
  if (number == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < runs; i++) {
    part->order[i] = i;
    part->run[i] = plan->run[tile->run[i]];
    if (!tile->doubled) part->run[i].steps = fmin(part->run[i].steps, STEPS);
    part->paced[i] = (uint32_t)i;
    if (plan->paced == NULL) continue;
    memcpy(number + i * items, cs_pacing_numbers(&plan->pacing, plan->paced[tile->run[i]]), items * sizeof *number);
    number[i * items + CS_CONTROL_MOST] = fmin(number[i * items + CS_CONTROL_MOST], STEPS);
  }
  part->tile.run = part->order;
  part->tile.count = runs;
  part->plan.runs = part->plan.ordered = runs;
  part->plan.run = part->run;
  part->plan.order = part->order;
  part->plan.paced = plan->paced != NULL ? part->paced : NULL;
  part->plan.pacing.count = runs;
  part->plan.tile = &part->tile;
  part->plan.tiles = 1;
  part->plan.done = part->plan.dropped = 0;
  memset(part->plan.status, 0, sizeof part->plan.status);
  return CS_OK;
}

static bool is_near(double found, double right, double largest) {
  if (isnan(found) || isnan(right)) return isnan(found) && isnan(right);
  return found == right || fabs(found - right) <= NEAR * fabs(right) + NEAR_LARGEST * largest;
}

/* NaN is NaN. */
static bool is_same(double found, double right) {
  return memcmp(&found, &right, sizeof found) == 0 || (isnan(found) && isnan(right));
}

static double largest_of(const double *state, size_t items) {
  double largest = 0.0;
  for (size_t i = 0; i < items; i++)
    if (isfinite(state[i])) largest = fmax(largest, fabs(state[i]));
  return largest;
}

/* Other numbers of lanes round in another way, as do teams, which have one, and the host's kernels of large models. */
static bool has_same_bits(const struct cs_worker_setup *setup) {
  const struct cs_model *of = setup->plan->sweep->model;
  return setup->alike || (cs_device_is_pocl(cs_device_info(setup->device)) && !cs_layout_is_large(of) &&
                          setup->lanes == cs_native_lanes(of));
}

/* Whether the answers are right; if not, what is wrong with the first that is not. */
static bool mark(const struct cs_worker_setup *setup, const struct cs_tile *tile, const struct answers *found,
                 const struct answers *right, struct cs_error *error) {
  const struct cs_sweep *of = setup->plan->sweep;
  const struct cs_layout *layout = setup->plan->variant[tile->variant];
  const bool same_bits = has_same_bits(setup);
  const size_t items = right->items;
  /* where events are looked for follows rounding, what is measured does not */
  const size_t first = same_bits || layout->kind.stability ? 0 : layout->state.sums;
  for (size_t run = 0; run < right->runs; run++) {
    const double *a = found->state + run * items, *b = right->state + run * items;
    const double largest = largest_of(b, items);
    size_t i = first;
    while (i < items && (same_bits ? is_same(a[i], b[i]) : is_near(a[i], b[i], largest)))
      i++;
    if (found->came[run] == right->came[run] && i == items) continue;
    struct cs_text text = {0};
    cs_sweep_describe_run(of, tile->run[run], &text);
    cs_error_set(error, CS_DEVICE,
                 "device %s: computes wrong numbers: of run %zu (%s) %.17g, where the host has %.17g; it is not used",
                 cs_device_info(setup->device)->name, of->first + tile->run[run], cs_text_string(&text),
                 i < items ? a[i] : NAN, i < items ? b[i] : NAN);
    cs_text_free(&text);
    return false;
  }
  return true;
}

int cs_exam_device(const struct cs_worker_setup *setup, struct cs_programs *programs, const struct cs_tile *tile,
                   bool *passed, struct cs_error *error) {
  const struct cs_layout *layout = setup->plan->variant[tile->variant];
  struct answers found = {0}, right = {0};
  struct part part = {.plan = {0}};
  *passed = true;
  if (cs_native_check(layout, NULL) != CS_OK) return CS_OK;
  int code = open_part(setup->plan, tile, &part, error);
  if (code == CS_OK) code = open_answers(part.tile.count, layout->state.items, &found, error);
  if (code == CS_OK) code = open_answers(part.tile.count, layout->state.items, &right, error);
  if (code == CS_OK) code = answer_by_host(&part.plan, &part.tile, setup, &right, error);
  if (code == CS_OK) code = answer(&part.plan, &part.tile, setup, programs, &found, error);
  if (code == CS_OK) *passed = mark(setup, tile, &found, &right, error);
  close_answers(&found);
  close_answers(&right);
  free(part.plan.pacing.number);
  return code;
}
