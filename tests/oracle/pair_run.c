#include "pair_run.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine.h"
#include "harness.h"
#include "pair_text.h"
#include "plain_judge.h"
#include "random_draw.h"

enum { ATTEMPTS = 60, SHOWN = 8 };

#ifdef PLAIN_QUAD
enum { QUAD = 1 };
#else
enum { QUAD = 0 };
#endif

struct tally {
  struct pair_table table;
  struct cover *cover; /* marked: the pairs of runs that came to their end */
  struct cs_device *device;
  size_t runs, undrawn, left; /* compared; for which no run behaved; for the other precision */
  size_t sensitive;           /* runs left out as the reference itself moves with rounding */
  size_t values, wrong, wrong_runs;
  size_t status[CS_STATUSES]; /* runs by their end */
  size_t of[CS_METRICS], wrong_of[CS_METRICS];
  double worst; /* of what is allowed */
  char worst_case[256];
};

struct pair {
  struct tally *tally;
  const unsigned char *row;
  uint64_t seed;
  struct pair_texts texts;
  struct cs_sweep *sweep;
  struct cs_settings settings;
  struct plain_result *result, *other; /* other: of steps of slightly another size */
  struct cs_table *table;
  enum pair_network network;
  bool doubled;
  size_t wrong, shown, moved;
};

/* ---- what is allowed: as in the tests of single subjects */

/* Of a value and of the signals behind it. */
struct allowed {
  double relative, floor;
};

static struct allowed allowed_by(const struct pair *p) {
  if (p->network >= PAIR_STIFF) return (struct allowed){1e-9, 100 * DBL_EPSILON};
  if (cs_sweep_is_eventful(p->sweep)) return (struct allowed){1e-9, 1e-11};
  return (struct allowed){cs_sweep_varies(p->sweep) ? 1e-10 : 1e-11, 1e-15};
}

/* What a metric's value is measured by beside itself. */
static double size_of(const struct pair *p, enum cs_metric m, size_t i) {
  const struct plain_result *r = p->result;
  const struct plain_signals signals = plain_signals_of(p->sweep->model, r, cs_metric_table[m].over);
  const double expected = fabs((double)r->metric[m][i]);
  if (m == CS_BOND_ENERGY) return (double)r->bond_terms[i];
  if (signals.count == 0) return 1;
  if (p->network >= PAIR_STIFF) return plain_size_of(r, m, &signals, i);
  const bool zero = p->doubled && expected < 1e-18 * (double)signals.rms[i];
  return (double)(zero ? plain_largest_rms(p->sweep->model, r) : signals.rms[i]);
}

/* Contraction: two eigenvalues that meet, where nothing is fed back, are as right as the root of the product of what
 * they are apart from there: from 0, and with relaxation from 1 - w. */
static double allowed_of(const struct pair *p, enum cs_metric m, size_t i, double actual) {
  const struct allowed a = allowed_by(p);
  const double expected = fabs((double)p->result->metric[m][i]), size = size_of(p, m, i);
  const double apart = p->settings.method.iterations == CS_CONVERGED ? 0 : fabs(1 - p->settings.relaxation);
  if (cs_metric_type(m) != CS_FLOAT64) return 0;
  if (m == CS_CONTRACTION && !cs_method_sends_slopes(&p->settings.method))
    return fmax(a.relative * expected, a.floor / (fabs(actual - apart) + fabs(expected - apart)));
  if (m == CS_CONTRACTION) return 1e-7;
  return fmax(a.relative * expected,
              size * (cs_metric_table[m].over == CS_OVER_MONITOR ? fmax(a.floor, 1e-13) : a.floor));
}

/* ---- comparing */

static bool is_within(const struct pair *p, enum cs_metric m, size_t i, double actual) {
  const double expected = (double)p->result->metric[m][i];
  if (isnan(actual) && isnan(expected)) return true;
  if (m == CS_ERROR_BOUND) return actual >= expected - allowed_of(p, m, i, actual);
  return actual == expected || fabs(actual - expected) <= allowed_of(p, m, i, actual); /* false for NaN */
}

static void compare(struct pair *p, enum cs_metric m, size_t i, double actual) {
  struct tally *t = p->tally;
  const bool good = is_within(p, m, i, actual);
  const double expected = (double)p->result->metric[m][i], difference = fabs(actual - expected);
  const double allowed = allowed_of(p, m, i, actual);
  t->values++;
  t->of[m]++;
  t->wrong += !good;
  t->wrong_of[m] += !good;
  if (!good && p->shown++ < SHOWN)
    fprintf(stderr, "  %s %zu: %.17g, want %.17g (off by %.3g, allowed %.3g)\n", cs_metric_table[m].name, i, actual,
            expected, difference, allowed);
  if (!good || m == CS_ERROR_BOUND || !(difference > t->worst * allowed)) return;
  t->worst = difference / allowed;
  snprintf(t->worst_case, sizeof t->worst_case, "seed %llu, %s %zu: %.17g, want %.17g", (unsigned long long)p->seed,
           cs_metric_table[m].name, i, actual, expected);
}

/* Calls `look` for every value that the reference has; of a run that did not end well, for counts alone. */
static void look_at_all(struct pair *p, void (*look)(struct pair *p, enum cs_metric m, size_t i, double actual)) {
  for (int m = 0; m < CS_METRICS; m++) {
    const struct cs_array *array = cs_table_find(p->table, cs_metric_table[m].name);
    const bool tabled = QUAD && (m == CS_OUTPUT_EXACT || m == CS_OUTPUT_ERROR_RELATIVE); /* there are none of these */
    if (array == NULL || !pair_is_known(m) || tabled) continue;
    if (p->result->status != 0 && cs_metric_table[m].reduction != CS_COUNT) continue;
    for (size_t i = 0; i < array->count; i++)
      look(p, (enum cs_metric)m, i, cs_table_number(array, i));
  }
}

static void count_wrong(struct pair *p, enum cs_metric m, size_t i, double actual) {
  p->wrong += !is_within(p, m, i, actual);
}

static void count_moved(struct pair *p, enum cs_metric m, size_t i, double actual) {
  (void)actual;
  p->moved += !is_within(p, m, i, (double)p->other->metric[m][i]);
}

/* Whether the reference moves beyond the tolerance where steps are longer or shorter by `by` of themselves. */
static bool moves(struct pair *p, double by) {
  struct cs_settings moved = p->settings;
  moved.step_size *= 1 + by;
  moved.control[CS_CONTROL_INITIAL] *= 1 + by;
  moved.control[CS_CONTROL_MAX] *= 1 + by;
  moved.control[CS_CONTROL_ABOVE] *= 1 + by;
  moved.control[CS_CONTROL_BELOW] *= 1 + by;
  plain_run_settings(p->sweep, &moved, NULL, p->other);
  p->moved = p->other->status != p->result->status;
  look_at_all(p, count_moved);
  return p->moved > 0;
}

/* Controllers and events can hand rounding on without end. Power bonds that repetitions have closed leave control
 * pi_ecco nothing but rounding to judge by. */
static bool is_sensitive(struct pair *p) {
  const bool closed = p->settings.method.control == CS_PI_ECCO && p->settings.method.iterations > 0;
  return closed || moves(p, 1e-13) || moves(p, -1e-13);
}

/* What was wrong: the row and its texts. */
static void show(const struct pair *p) {
  struct cs_text row = {0};
  pair_describe(&p->tally->table, p->row, &row);
  fprintf(stderr, "seed %llu: %s\n%s", (unsigned long long)p->seed, row.data, p->texts.sweep.data);
  const char *folder = getenv("COSWEEP_PAIRS");
  for (int i = 0; folder != NULL && i < 2; i++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%llu", folder, (unsigned long long)p->seed);
    mkdir(path, 0777);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/%s.json", i ? "sweep" : "model");
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(i ? p->texts.sweep.data : p->texts.model.data, file);
    fclose(file);
  }
  cs_text_free(&row);
}

/* Whether the run says something. */
static bool judge(struct pair *p) {
  struct tally *t = p->tally;
  const double status = harness_value(p->table, "status", NULL, NULL);
  p->doubled = harness_value(p->table, "engine_used", NULL, NULL) == 1;
  p->wrong = status != p->result->status;
  if (p->wrong == 0) look_at_all(p, count_wrong);
  if (p->wrong > 0 && cs_sweep_varies(p->sweep) && is_sensitive(p)) {
    t->sensitive++;
    return false;
  }
  t->runs++;
  t->status[p->result->status]++;
  if (status == p->result->status)
    look_at_all(p, compare);
  else
    t->wrong += fprintf(stderr, "  status %g, want %d\n", status, p->result->status) > 0;
  if (p->wrong > 0) show(p);
  t->wrong_runs += p->wrong > 0;
  if (p->wrong == 0 && p->result->status == 0) cover_mark(t->cover, p->row);
  return true;
}

/* ---- a run */

/* Whether signals and errors are of a size that rounding does not grow in, where it is not compared with their size as
 * of stiff networks; with state events, that there are some. Of settings with which no run comes to its end, how it
 * ends. */
static bool behaves(const struct pair *p, size_t attempt) {
  real events = 0;
  if (p->result->degenerate) return false;
  if (p->result->status != 0) return p->result->status != 1 && attempt >= 3;
  if (p->network >= PAIR_STIFF) return true;
  if (plain_largest_rms(p->sweep->model, p->result) == 0) return true; /* counts alone are asked for */
  if (!pair_is_eventful(p->network)) return random_well_behaved(p->sweep->model, p->result);
  for (size_t i = 0; i < p->sweep->model->state_events; i++)
    events += p->result->metric[CS_EVENTS][i];
  return events > 0;
}

/* What the judge has accepted is accepted with every network of the kind. */
static void open_run(struct pair *p, size_t attempt) {
  struct cs_error error;
  p->seed = p->seed / 1000 * 1000 + attempt;
  pair_draw(&p->tally->table, p->row, p->seed, pow(0.95, (double)attempt), &p->texts);
  p->sweep = pair_load(&p->texts, &error);
  cr_assert_not_null(p->sweep, "%s\n%s", error.message, p->texts.sweep.data);
  cr_assert_eq(cs_settings_new(p->sweep, &p->settings, &error), CS_OK);
  cs_settings_of(p->sweep, 0, &p->settings);
}

static void close_run(struct pair *p) {
  cs_settings_free(&p->settings);
  cs_table_free(p->table);
  cs_sweep_free(p->sweep);
  pair_texts_free(&p->texts);
  p->table = NULL;
}

/* Stiff networks; and extrapolation over many steps, whose weights of alternating signs cost long double what it has
 * above double. */
static bool needs_quad(const struct tally *t, const unsigned char *row) {
  for (int own = 0; own < 2; own++) {
    const char *late = pair_value(&t->table, row, own ? PAIR_OWN_SETTING : PAIR_SETTING, CS_SETTING_LATENCY);
    if (late != NULL && strcmp(late, "8") == 0) return true;
  }
  return pair_network_of(&t->table, row) >= PAIR_STIFF;
}

static void run_row(struct tally *t, const unsigned char *row, size_t seed, struct plain_result *results) {
  struct pair p = {.tally = t, .row = row, .seed = 1000 * seed, .result = results, .other = results + 1};
  const struct cs_engine_options options = {.builder = harness_program(), .build_pays = harness_build_pays(t->device)};
  struct cs_error error;
  bool good = false;
  p.network = pair_network_of(&t->table, row);
  const bool other = needs_quad(t, row) != QUAD;
  t->left += other;
  for (size_t attempt = 0; attempt < ATTEMPTS && !good && !other; attempt++) {
    open_run(&p, attempt);
    plain_run(p.sweep, 0, NULL, NULL, p.result);
    good = behaves(&p, attempt);
    if (good) {
      cr_assert_eq(cs_engine_run(p.sweep, t->device, &options, &p.table, NULL, &error), CS_OK, "%s\n%s", error.message,
                   p.texts.sweep.data);
      good = judge(&p);
    }
    if (!good && attempt + 1 == ATTEMPTS) {
      fprintf(stderr, "no run behaves (status %d), ", p.result->status);
      show(&p);
    }
    close_run(&p);
  }
  t->undrawn += !good && !other;
}

/* ---- all */

static void print(const struct tally *t, size_t rows) {
  static const char words[] = CS_STATUS_WORDS;
  fprintf(stderr,
          "%zu rows: %zu runs compared, %zu not drawn, %zu left out as sensitive, %zu for the other precision; ends:",
          rows, t->runs, t->undrawn, t->sensitive, t->left);
  const char *word = words;
  for (size_t i = 0; i < CS_STATUSES; i++) {
    const int length = (int)strcspn(word, " ");
    if (t->status[i] > 0) fprintf(stderr, " %zu %.*s", t->status[i], length, word);
    word += length + (word[length] == ' ');
  }
  fprintf(stderr, "\n%zu values, %zu beyond tolerance in %zu runs; worst of those within %.3g of it, %s\n", t->values,
          t->wrong, t->wrong_runs, t->worst, t->worst_case);
  for (int m = 0; m < CS_METRICS; m++)
    if (t->of[m] > 0)
      fprintf(stderr, "  %-24s %7zu values, %zu beyond\n", cs_metric_table[m].name, t->of[m], t->wrong_of[m]);
}

static void print_array(const struct tally *t, size_t row) {
  const struct cover_counts n = cover_counted(t->cover);
  fprintf(stderr, "an array after %zu rows: %zu pairs, %zu covered, %zu refused (%zu sweeps asked)\n", row, n.pairs,
          n.covered, n.refused, n.asked);
}

/* What was compared, and what nothing here compares. */
static void print_cover(const struct tally *t) {
  const struct cover_counts n = cover_counted(t->cover);
  fprintf(stderr, "%zu pairs: %zu in a row, %zu of these in a run that was compared and came to its end\n", n.pairs,
          n.met, n.marked);
  fprintf(stderr, "not here: fragments of users, study stability;");
  for (int m = 0; m < CS_METRICS; m++)
    if (!pair_is_known(m)) fprintf(stderr, " %s", cs_metric_table[m].name);
  fprintf(stderr, "\n");
}

static size_t number(const char *name, size_t otherwise) {
  const char *given = getenv(name);
  return given != NULL ? strtoul(given, NULL, 10) : otherwise;
}

void pair_compare(size_t usual) {
  const size_t rows = number("COSWEEP_ROUNDS", usual), first = number("COSWEEP_FIRST", 0);
  const size_t seed = number("COSWEEP_SEED", 1);
  struct tally *t = calloc(1, sizeof *t);
  struct plain_result *results = malloc(2 * sizeof *results);
  struct cs_error error;
  cr_assert(t != NULL && results != NULL);
  cr_assert_eq(cs_device_open(NULL, &t->device, &error), CS_OK, "%s", error.message);
  pair_table_open(&t->table);
  t->cover = pair_cover(&t->table, seed, false);
  unsigned char row[COVER_FACTORS];
  size_t i = 0;
  for (bool more = true; more; i += more) {
    more = rows == 0 || i < first + rows;
    if (more && !cover_next(t->cover, row)) {
      print_array(t, i);
      more = rows > 0;
      cover_again(t->cover);
      if (more) more = cover_next(t->cover, row);
    }
    if (more && i >= first) run_row(t, row, 100000 * seed + i, results);
  }
  print(t, i - first);
  print_cover(t);
  cr_expect_eq(t->wrong, 0, "%zu values beyond tolerance", t->wrong);
  cr_expect_eq(t->undrawn, 0, "%zu rows without a run", t->undrawn);
  cr_expect_gt(t->runs, 0);
  cover_free(t->cover);
  cs_device_close(t->device);
  free(results);
  free(t);
}
