#include <stdint.h>

#include "configurations.h"
#include "patched.h"

/* a has modes p, q, r and b has s, t; c none. a goes round; b follows once a has left p. `tick` is a time event. */
static const char text[] =
    "{'format': 'cosweep-model/1', 'name': 'net', 'subsystems': [\n"
    "  {'name': 'a', 'states': ['x'], 'A': [[0]], 'modes': [{'name': 'p'}, {'name': 'q', 'A': [[1]]}, {'name': "
    "'r'}]},\n"
    "  {'name': 'c', 'states': ['x'], 'A': [[0]]},\n"
    "  {'name': 'b', 'states': ['x'], 'A': [[0]], 'modes': [{'name': 's'}, {'name': 't', 'e': [2]}]}],\n"
    " 'events': [\n"
    "  {'name': 'pq', 'in': {'a': 'p'}, 'when': {'a': [{'terms': {'x': 1}, 'above': 1}]}, 'to': {'a': 'q'}},\n"
    "  {'name': 'tick', 't': 1, 'in': {'a': ['q', 'r']}, 'to': {'b': 't'}},\n"
    "  {'name': 'jump', 't': 2, 'set': {'c.x': 1}},\n"
    "  {'name': 'qr', 'in': {'a': 'q', 'b': 't'}, 't': 3, 'to': {'a': 'r', 'b': 's'}}]}\n";

static struct cs_model *model;
static struct cs_error error;
static struct cs_configurations found;

static void set_up(void) {
  cr_assert_eq(read_patched_text(text, "net", "net", &model, &error), CS_OK, "%s", error.message);
}

static void tear_down(void) {
  cs_configurations_free(&found);
  cs_model_free(model);
}

TestSuite(configurations, .init = set_up, .fini = tear_down);

static void expect_found(size_t count, size_t (*want)[3]) {
  cr_assert_eq(found.subsystems, 3);
  cr_assert_eq(found.count, count, "%zu", found.count);
  for (size_t i = 0; i < count; i++)
    for (size_t s = 0; s < 3; s++)
      cr_expect_eq(found.mode[3 * i + s], want[i][s], "configuration %zu, subsystem %zu", i, s);
}

enum { P, Q, R, S, T };

Test(configurations, are_those_that_events_lead_to) {
  cr_assert_eq(cs_configurations_find(model, NULL, 0, &found, &error), CS_OK);
  expect_found(5,
               (size_t[][3]){{P, SIZE_MAX, S}, {Q, SIZE_MAX, S}, {Q, SIZE_MAX, T}, {R, SIZE_MAX, S}, {R, SIZE_MAX, T}});
}

Test(configurations, starts_come_first) {
  const size_t starts[] = {R, SIZE_MAX, T, Q, SIZE_MAX, S};
  cr_assert_eq(cs_configurations_find(model, starts, 2, &found, &error), CS_OK);
  expect_found(4, (size_t[][3]){{R, SIZE_MAX, T}, {Q, SIZE_MAX, S}, {Q, SIZE_MAX, T}, {R, SIZE_MAX, S}});
}

Test(configurations, events_lead_from_one_to_another) {
  enum { PQ, TICK, JUMP, QR };
  static const size_t want[5][4] = {{1, SIZE_MAX, 0, SIZE_MAX},
                                    {SIZE_MAX, 2, 1, SIZE_MAX},
                                    {SIZE_MAX, 2, 2, 3},
                                    {SIZE_MAX, 4, 3, SIZE_MAX},
                                    {SIZE_MAX, 4, 4, SIZE_MAX}};
  cr_assert_eq(cs_configurations_find(model, NULL, 0, &found, &error), CS_OK);
  for (size_t c = 0; c < found.count; c++)
    for (size_t e = PQ; e <= QR; e++)
      cr_expect_eq(cs_configurations_after(&found, model, c, e), want[c][e], "from %zu, event %zu", c, e);
}

Test(configurations, matrices_have_entries_for_every_mode_where_one_replaces_them) {
  static const size_t a[][3] = {{0, 0, P}, {0, 0, Q}, {0, 0, R}};
  const struct cs_entries *A = &model->matrix[CS_A], *e = &model->matrix[CS_E];
  double parameters[1], numbers[9];
  cr_assert_eq(A->count, 1, "a literal 0 is absent");
  cr_expect_eq(A->entry[0].mode, Q);
  cr_assert_eq(e->count, 1);
  cr_expect_eq(e->entry[0].mode, T);
  for (size_t m = 0; m < 3; m++) {
    const size_t mode[3] = {a[m][2], SIZE_MAX, m == 1 ? T : S};
    cr_assert_eq(cs_model_numbers(model, CS_A, mode, parameters, numbers, &error), CS_OK);
    cr_expect_eq(numbers[0], m == 1 ? 1.0 : 0.0);
    cr_assert_eq(cs_model_numbers(model, CS_E, mode, parameters, numbers, &error), CS_OK);
    cr_expect_eq(numbers[2], m == 1 ? 2.0 : 0.0);
  }
  cr_assert_eq(cs_model_numbers(model, CS_A, NULL, parameters, numbers, &error), CS_OK);
  cr_expect_eq(numbers[0], 0.0, "runs begin in the first mode");
}
