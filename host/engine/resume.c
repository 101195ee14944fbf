#include "resume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "fragment.h"
#include "programs.h"
#include "provenance.h"
#include "shard.h"
#include "sizing.h"
#include "version.h"

/* ---- what a journal is of ---------------------------------------------------------------------------------------- */

/* Of all fragments that kernels are made of. */
static uint64_t fragments_checksum(void) {
  struct cs_checksum sum;
  const char *text;
  cs_checksum_begin(&sum);
  for (size_t i = 0; (text = cs_fragment_at(i)) != NULL; i++)
    cs_checksum_add(&sum, text, strlen(text) + 1);
  return sum.value;
}

int cs_resume_describe(const struct cs_sweep *sweep, const struct cs_device_info *device,
                       const struct cs_engine_options *options, struct cs_text *text, struct cs_error *error) {
  const struct cs_user_fragments *users[] = {&sweep->masters->user, &sweep->controls->user};
  cs_text_add(text, "cosweep %s, kernels %016llx, %s\n", CS_VERSION, (unsigned long long)fragments_checksum(),
              CS_BUILD_OPTIONS);
  cs_text_add(text, "device %s, driver %s, lanes %u, team %u\n", device->name, device->driver,
              cs_sizing_lanes(device, options, sweep->model), options->team);
  cs_text_add(text, "sweep %s\n", sweep->name);
  cs_sweep_print(sweep, text);
  cs_json_print(cs_json_root(sweep->model->json), text);
  for (size_t k = 0; k < 2; k++)
    for (size_t i = 0; i < users[k]->count; i++)
      cs_text_add(text, "\n%s", users[k]->item[i].text);
  cs_text_add(text, "\nruns %zu\n", sweep->runs);
  return text->failed ? cs_error_memory(error) : CS_OK;
}

int cs_resume_digest(const struct cs_sweep *sweep, const struct cs_device_info *device,
                     const struct cs_engine_options *options, char digest[CS_RESUME_DIGEST], struct cs_error *error) {
  struct cs_text text = {0};
  struct cs_checksum sum;
  const int code = cs_resume_describe(sweep, device, options, &text, error);
  cs_checksum_begin(&sum);
  cs_checksum_add(&sum, cs_text_string(&text), text.length);
  snprintf(digest, CS_RESUME_DIGEST, "%016llx", (unsigned long long)sum.value);
  cs_text_free(&text);
  return code;
}

int cs_resume_is_result(const struct cs_sweep *sweep, const struct cs_device_info *device,
                        const struct cs_engine_options *options, const struct cs_table *table, bool *same,
                        struct cs_error *error) {
  const struct cs_note *plan = cs_table_find_note(table, "plan");
  char digest[CS_RESUME_DIGEST];
  const int code = cs_resume_digest(sweep, device, options, digest, error);
  *same = code == CS_OK && plan != NULL && plan->count == 1 && strcmp(plan->text[0], digest) == 0;
  return code;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

int cs_resume_open(const struct cs_engine_options *options, size_t runs, const int *class, struct cs_resume *resume,
                   struct cs_error *error) {
  *resume = (struct cs_resume){.options = options, .runs = runs};
  if (class == NULL) return CS_OK;
  resume->block = cs_shard_block(runs, options->shards);
  return cs_shard_deal(class, (runs + resume->block - 1) / resume->block, options->shards, &resume->shard, error);
}

void cs_resume_close(struct cs_resume *resume) {
  free(resume->shard);
  free(resume->point);
}

struct pass {
  const struct cs_resume *of;
  struct cs_plan *plan;
  enum cs_journal_pass pass;
  cs_worker_enter *enter;
  void *context;
  bool *done;                 /* [runs] */
  bool *asked;                /* [runs] to be repeated; NULL: the pass is not of these alone */
  struct cs_journal *journal; /* that is replayed */
};

static size_t items_of(const struct pass *r, size_t run) {
  return r->plan->variant[r->plan->run[run].variant]->state.items;
}

/* Where the plan's first run is in the sweep. */
static size_t first_of(const struct pass *r) {
  return r->plan->sweep->first;
}

static int fail_unknown(const struct pass *r, uint64_t run, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "%s: has run %llu, which is none that is computed; want --fresh, or it moved away",
                      cs_journal_path(r->journal), (unsigned long long)run);
}

/* `what`: "run", "point". */
static int fail_wrong(const struct cs_journal *journal, const char *what, uint64_t number, const struct cs_text *wrong,
                      struct cs_error *error) {
  return wrong->failed
             ? cs_error_memory(error)
             : cs_error_set(error, CS_IO, "%s: %s %llu has %s, which no kernel gives; want --fresh, or it moved away",
                            cs_journal_path(journal), what, (unsigned long long)number, wrong->data);
}

/* A result has to be of a run that the plan computes, with the numbers of its kernel. */
static int take(void *context, const struct cs_journal_entry *entry, const double *numbers, struct cs_error *error) {
  struct pass *r = context;
  const struct cs_plan *plan = r->plan;
  const size_t run = (size_t)entry->run - first_of(r);
  const bool known = run < plan->runs && plan->run[run].status == CS_STATUS_OK && entry->items == items_of(r, run);
  if (!known || (r->asked != NULL && !r->asked[run])) return fail_unknown(r, entry->run, error);
  struct cs_text wrong = {0};
  const bool right = cs_result_check(plan, run, entry->way, numbers, &wrong);
  const int code = right ? CS_OK : fail_wrong(r->journal, "run", entry->run, &wrong, error);
  cs_text_free(&wrong);
  if (code != CS_OK) return code;
  if (!r->done[run]) r->enter(r->context, run, (enum cs_way)entry->way, numbers, 1);
  r->done[run] = true;
  return CS_OK;
}

/* The sweep has no such run. */
static int refuse(void *context, const struct cs_journal_entry *entry, const double *numbers, struct cs_error *error) {
  (void)numbers;
  return fail_unknown(context, entry->run, error);
}

static void keep(void *context, size_t run, enum cs_way way, const double *state, size_t pitch) {
  const struct pass *r = context;
  const struct cs_journal_entry entry = {first_of(r) + run, (uint16_t)r->pass, (uint16_t)way,
                                         (uint32_t)items_of(r, run)};
  if (r->of->options->journals > 0) cs_journal_add(r->of->options->journal[0], &entry, state, pitch);
  r->enter(r->context, run, way, state, pitch);
}

static size_t shard_of(const struct pass *r, size_t run) {
  return r->of->shard[(first_of(r) + run) / r->of->block];
}

/* Runs of other shards are done elsewhere. */
static void leave_to_others(struct pass *r) {
  for (size_t run = 0; run < r->plan->runs; run++)
    if (shard_of(r, run) != r->of->options->shard) r->done[run] = true;
}

/* Which of the sweep's runs a count is of; "" for all of them. */
static const char *where_of(const struct pass *r, char *where, size_t bytes) {
  where[0] = '\0';
  if (r->plan->runs < r->of->runs)
    snprintf(where, bytes, " from number %zu to %zu", first_of(r), first_of(r) + r->plan->runs - 1);
  return where;
}

/* CS_IO if a shard has runs left. */
static int want_all(const struct pass *r, struct cs_error *error) {
  const struct cs_plan *plan = r->plan;
  const size_t *order = plan->again != NULL ? plan->again : plan->order;
  const size_t shards = r->of->options->shards, runs = plan->again != NULL ? plan->repeats : plan->ordered;
  size_t *left = calloc(2 * (shards + 1), sizeof *left), *all = left + shards + 1;
  char where[64];
  int code = left == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t i = 0; code == CS_OK && i < runs; i++) {
    all[shard_of(r, order[i])]++;
    left[shard_of(r, order[i])] += !r->done[order[i]];
  }
  for (size_t s = 1; code == CS_OK && s <= shards; s++)
    if (left[s] > 0)
      code = cs_error_set(error, CS_IO,
                          "shard %zu of %zu has %zu of its %zu %s%s; want it to be completed, or --complete, which "
                          "computes the others here",
                          s, shards, all[s] - left[s], all[s], r->pass == CS_PASS_SPECTRA ? "spectra" : "runs",
                          where_of(r, where, sizeof where));
  free(left);
  return code;
}

/* Where the journal could not be written, that is why the runs have ended. */
static int failure_of(const struct cs_engine_options *options, int code, struct cs_error *error) {
  const bool failed = options->journals > 0 && cs_journal_failed(options->journal[0]);
  return failed ? cs_journal_sync(options->journal[0], false, error) : code;
}

static int run_left(struct pass *r, struct cs_pool *pool, struct cs_error *error) {
  const struct cs_engine_options *o = r->of->options;
  int code = CS_OK;
  for (size_t i = 0; i < o->journals && code == CS_OK; i++) {
    r->journal = o->journal[i];
    code = cs_journal_replay(r->journal, r->pass, first_of(r), r->plan->runs, take, r, error);
    if (code == CS_OK)
      code = cs_journal_replay(r->journal, r->pass, r->of->runs, UINT64_MAX - r->of->runs, refuse, r, error);
  }
  if (code == CS_OK && o->shard > 0) leave_to_others(r);
  if (code == CS_OK && o->shards > 0 && o->shard == 0 && !o->complete) code = want_all(r, error);
  if (code == CS_OK) code = cs_plan_drop(r->plan, r->done, error);
  if (code == CS_OK) code = cs_serve_announce(o->farm, r->pass, r->plan, r->done, NULL, error);
  if (code == CS_OK) code = cs_pool_run(pool, r->plan, keep, r, error);
  return failure_of(o, code, error);
}

int cs_resume_run(const struct cs_resume *resume, struct cs_pool *pool, struct cs_plan *plan, enum cs_journal_pass pass,
                  cs_worker_enter *enter, void *context, struct cs_error *error) {
  const struct cs_engine_options *o = resume->options;
  if (o->journals == 0 && o->farm == NULL) return cs_pool_run(pool, plan, enter, context, error);
  struct pass r = {.of = resume, .plan = plan, .pass = pass, .enter = enter, .context = context};
  const bool again = plan->again != NULL;
  r.done = calloc(plan->runs + 1, sizeof *r.done);
  r.asked = again ? calloc(plan->runs + 1, sizeof *r.asked) : NULL;
  for (size_t i = 0; r.asked != NULL && i < plan->repeats; i++)
    r.asked[plan->again[i]] = true;
  const bool memory = r.done != NULL && (r.asked != NULL || !again);
  const int code = memory ? run_left(&r, pool, error) : cs_error_memory(error);
  free(r.done);
  free(r.asked);
  return code;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* What is kept of a point: where it is, and its radius. */
struct cs_resume_point {
  double value[2], radius;
  bool found;
};

enum { POINT_ITEMS = 3 };

static int take_point(void *context, const struct cs_journal_entry *entry, const double *numbers,
                      struct cs_error *error) {
  struct cs_resume *p = context;
  struct cs_text wrong = {0};
  if (entry->items != POINT_ITEMS)
    cs_text_add(&wrong, "%u numbers", (unsigned)entry->items);
  else if (numbers[2] < 0.0 || isinf(numbers[2]))
    cs_text_add(&wrong, "spectral radius %g", numbers[2]);
  if (wrong.length > 0 || wrong.failed) {
    const int code = fail_wrong(p->options->journal[0], "point", entry->run, &wrong, error);
    cs_text_free(&wrong);
    return code;
  }
  if (entry->run >= p->known) {
    const size_t room = p->most < 2 * (size_t)entry->run + 64 ? p->most : 2 * (size_t)entry->run + 64;
    struct cs_resume_point *grown = realloc(p->point, room * sizeof *grown);
    if (grown == NULL) return cs_error_memory(error);
    memset(grown + p->known, 0, (room - p->known) * sizeof *grown);
    p->point = grown;
    p->known = room;
  }
  p->point[entry->run] = (struct cs_resume_point){{numbers[0], numbers[1]}, numbers[2], true};
  return CS_OK;
}

/* Points are numbered as they are asked for, and those in the works of all workers, two slices each, may be missing
 * below those that are kept: what is numbered far beyond the count of the kept ones is no point of this plan. */
static size_t most_points(const struct cs_journal *journal) {
  enum { SPARE = 1 << 20 };
  return 2 * cs_journal_found(journal, CS_PASS_POINTS) + SPARE;
}

struct entering {
  struct cs_journal *journal; /* NULL: none */
  const struct cs_point *point;
  size_t first; /* number of the first of these points */
  double *radius;
};

static void enter_point(void *context, size_t i, enum cs_way way, const double *state, size_t pitch) {
  const struct entering *e = context;
  e->radius[i] = cs_result_radius(state, pitch);
  if (e->journal == NULL) return;
  const struct cs_journal_entry entry = {e->first + i, CS_PASS_POINTS, (uint16_t)way, POINT_ITEMS};
  const double numbers[POINT_ITEMS] = {e->point[i].value[0], e->point[i].value[1], e->radius[i]};
  cs_journal_add(e->journal, &entry, numbers, 1);
}

/* Points whose radius was found at the same place. */
static void find_known(const struct cs_resume *p, const struct cs_plan *plan, const struct cs_point *point,
                       double *radius, bool *done) {
  for (size_t i = 0; i < plan->runs && p->asked + i < p->known; i++) {
    const struct cs_resume_point *known = &p->point[p->asked + i];
    done[i] = known->found && memcmp(known->value, point[i].value, sizeof known->value) == 0;
    if (done[i]) radius[i] = known->radius;
  }
}

int cs_resume_radii(struct cs_resume *p, struct cs_pool *pool, struct cs_plan *plan,
                    const struct cs_serve_points *points, double *radius, struct cs_error *error) {
  const struct cs_engine_options *o = p->options;
  struct cs_journal *own = o->journals > 0 ? o->journal[0] : NULL;
  struct entering entering = {own, points->point, p->asked, radius};
  bool *done = calloc(plan->runs + 1, sizeof *done);
  int code = done == NULL ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK && own != NULL && p->asked == 0) {
    p->most = most_points(own);
    code = cs_journal_replay(own, CS_PASS_POINTS, 0, p->most, take_point, p, error);
  }
  if (code == CS_OK) find_known(p, plan, points->point, radius, done);
  if (code == CS_OK) code = cs_plan_drop(plan, done, error);
  if (code == CS_OK) code = cs_serve_announce(o->farm, CS_PASS_POINTS, plan, done, points, error);
  if (code == CS_OK) code = cs_pool_run(pool, plan, enter_point, &entering, error);
  p->asked += plan->runs;
  free(done);
  return failure_of(o, code, error);
}
