/* What was derived is found again under the same numbers and the same way only. */
#include "recall.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { COUNT = 3, ITEMS = 5 };

static struct cs_recall *recall;
static struct cs_error error;

static void set_up(void) {
  cr_assert_eq(cs_recall_new(&recall, &error), CS_OK);
}

static void tear_down(void) {
  cs_recall_free(recall);
}

TestSuite(recall, .init = set_up, .fini = tear_down);

/* Of numbers that are derived: the first, and minus it as the last; 0: they cannot be. */
struct derived {
  double value;
  size_t items, times;
};

static int derive(void *context, double *derived, struct cs_error *wrong) {
  struct derived *d = context;
  d->times++;
  if (d->value == 0.0) return cs_error_set(wrong, CS_DEVICE, "none");
  for (size_t i = 0; i < d->items; i++)
    derived[i] = i == 0 ? d->value : i + 1 == d->items ? -d->value : 0.0;
  return CS_OK;
}

static void keep(uint64_t way, double first, double value) {
  const double number[COUNT] = {first, 2.0, 3.0};
  struct derived d = {value, ITEMS, 0};
  double derived[ITEMS];
  const struct cs_recall_key key = {way, number, COUNT};
  cr_assert_eq(cs_recall_get(recall, key, derived, ITEMS, derive, &d, &error), CS_OK);
}

/* The value that was kept; 0 if there is none. */
static double find(uint64_t way, double first, double last) {
  const double number[COUNT] = {first, 2.0, last};
  double derived[ITEMS] = {0.0};
  struct derived none = {0.0, ITEMS, 0};
  const struct cs_recall_key key = {way, number, COUNT};
  const bool found = cs_recall_get(recall, key, derived, ITEMS, derive, &none, &error) == CS_OK;
  cr_expect_eq(derived[ITEMS - 1], -derived[0]);
  cr_expect_eq(found, derived[0] != 0.0);
  return derived[0];
}

Test(recall, finds_what_was_kept) {
  cr_expect_eq(find(0, 1.0, 3.0), 0.0);
  keep(0, 1.0, 10.0);
  keep(1, 1.0, 20.0);
  keep(0, 4.0, 30.0);
  cr_expect_eq(find(0, 1.0, 3.0), 10.0);
  cr_expect_eq(find(1, 1.0, 3.0), 20.0);
  cr_expect_eq(find(0, 4.0, 3.0), 30.0);
  cr_expect_eq(find(1, 4.0, 3.0), 0.0);
  cr_expect_eq(find(0, 1.0, 3.5), 0.0);
  cr_expect_eq(find(2, 1.0, 3.0), 0.0);
}

/* More than there is room for, twice: what was kept last is there, what came first no more. So many that some have the
 * same hash. */
Test(recall, forgets_rather_than_grows) {
  enum { ROOM = (1 << 21) / (COUNT + ITEMS), KEPT = 3 * ROOM };
  for (size_t i = 0; i < KEPT; i++)
    keep(0, (double)i, 1.0 + (double)i);
  for (size_t i = 0; i < KEPT; i++)
    cr_assert_eq(find(0, (double)i, 3.0), i < 2 * ROOM ? 0.0 : 1.0 + (double)i, "%zu", i);
}

/* What is larger than all of the room is kept alone, until something else is. */
Test(recall, too_much_at_once) {
  enum { MANY = 1 << 21 };
  double *derived = calloc(MANY, sizeof *derived);
  const double number[COUNT] = {1.0, 2.0, 3.0};
  const struct cs_recall_key key = {3, number, COUNT};
  cr_assert_not_null(derived);
  struct derived d = {7.0, MANY, 0};
  cr_expect_eq(cs_recall_get(recall, key, derived, MANY, derive, &d, &error), CS_OK);
  derived[0] = 0.0;
  cr_expect_eq(cs_recall_get(recall, key, derived, MANY, derive, &d, &error), CS_OK);
  cr_expect_eq(derived[0], 7.0);
  cr_expect_eq(d.times, 1);
  keep(0, 1.0, 10.0);
  cr_expect_eq(find(0, 1.0, 3.0), 10.0);
  cr_expect_eq(cs_recall_get(recall, key, derived, MANY, derive, &d, &error), CS_OK);
  cr_expect_eq(d.times, 2);
  free(derived);
}

/* Several threads ask at once for what takes its time: one derives it; of what fails each tries. */
struct thread {
  pthread_t thread;
  double got;
};
static atomic_int derivations;
static double slow_value;

static int derive_slowly(void *context, double *derived, struct cs_error *wrong) {
  struct derived d = {slow_value, ITEMS, 0};
  (void)context;
  atomic_fetch_add(&derivations, 1);
  nanosleep(&(struct timespec){0, 50000000}, NULL);
  return derive(&d, derived, wrong);
}

static void *ask(void *context) {
  struct thread *t = context;
  const double number[COUNT] = {5.0, 2.0, 3.0};
  double derived[ITEMS] = {0.0};
  struct cs_error wrong;
  cs_recall_get(recall, (struct cs_recall_key){9, number, COUNT}, derived, ITEMS, derive_slowly, NULL, &wrong);
  t->got = derived[0];
  return NULL;
}

static void ask_at_once(double value, int want) {
  enum { THREADS = 4 };
  struct thread thread[THREADS];
  slow_value = value;
  atomic_store(&derivations, 0);
  for (int i = 0; i < THREADS; i++)
    cr_assert_eq(pthread_create(&thread[i].thread, NULL, ask, &thread[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i].thread, NULL);
    cr_expect_eq(thread[i].got, value);
  }
  cr_expect_eq(atomic_load(&derivations), want);
}

Test(recall, one_thread_derives_for_all) {
  ask_at_once(0.0, 4);
  ask_at_once(3.0, 1);
}
