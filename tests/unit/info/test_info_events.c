/* What cosweep info says of state events, from a table made here: the best and the worst run, counts that the file does
 * not have, the event of runs with too many. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "digest_case.h"
#include "info.h"
#include "metric.h"
#include "status.h"

enum { POSITIONS = 6, EVENTS = 2 };

static struct cs_error error;
static struct cs_table *table;
static struct cs_digest digest;
static struct cs_document document;
static struct cs_text text;

/* One event is right everywhere; of the other one run 2 misses one and 3 has one too many, 0 and 1 differ in time; the
 * last one of run 1 comes after the end. Run 4 has too many, run 5 none at all. */
static const int64_t events[] = {1, 4, 1, 4, 1, 3, 1, 5, 50, 40, 1, 0}, exact[] = {1, 4, 1, 5, 1, 4, 1, 4, 1, 57, 1, 0},
                     missed[] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, spurious[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0},
                     late[] = {0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0};
static const double largest[] = {2e-3, 1e-3, 1e-3, 1.5e-3, 0, 0, 9, NAN, NAN, NAN, 9, NAN};
static const int status[] = {0, 0, 0, 0, CS_STATUS_EVENT_LIMIT, CS_STATUS_DIVERGED};

static void add_counts(const size_t *over, enum cs_metric metric, const int64_t *values) {
  struct cs_array *array;
  cs_table_add_array(table, cs_metric_table[metric].name, "1", "", CS_INT64, 2, over, &array, &error);
  memcpy(array->data.int64, values, POSITIONS * EVENTS * sizeof *values);
}

static void open_table(bool counts) {
  static const char *const names[] = {"ceiling", "collision"};
  const double values[POSITIONS] = {0, 1, 2, 3, 4, 5};
  struct cs_text model = {0};
  struct cs_array *array;
  size_t over[2];
  table = cs_table_new("title", "", "");
  cs_text_add(&model, digest_case_model, "");
  digest_case_note(table, "model", model.data);
  digest_case_note(table, "sweep", "{\"axes\": [{\"name\": \"p\", \"path\": \"parameters.p\"}]}");
  cs_table_add_dimension(table, "p", "1", "", POSITIONS, values, NULL, &over[0], &error);
  cs_table_add_dimension(table, "event", "1", "", EVENTS, NULL, names, &over[1], &error);
  cs_table_add_array(table, "status", "1", "", CS_UINT8, 1, over, &array, &error);
  for (size_t i = 0; i < POSITIONS; i++)
    array->data.uint8[i] = (unsigned char)status[i];
  if (counts) {
    add_counts(over, CS_EVENTS, events);
    add_counts(over, CS_EXACT_EVENTS, exact);
    add_counts(over, CS_LATE_EVENTS, late);
    add_counts(over, CS_MISSED_EVENTS, missed);
    add_counts(over, CS_SPURIOUS_EVENTS, spurious);
  }
  const enum cs_metric metric = counts ? CS_EVENT_TIME_ERROR_MAX : CS_EVENT_TIME_ERROR;
  cs_table_add_array(table, cs_metric_table[metric].name, "s", "", CS_FLOAT64, 2, over, &array, &error);
  memcpy(array->data.float64, largest, sizeof largest);
  cs_text_free(&model);
  cr_assert_eq(cs_digest_open(table, &digest, &error), CS_OK, "%s", error.message);
}

static void close_table(void) {
  cs_document_free(&document);
  cs_text_free(&text);
  cs_digest_free(&digest);
  cs_table_free(table);
}

TestSuite(info_events, .fini = close_table);

static void expect_says(const char *want) {
  cr_expect(strstr(cs_text_string(&text), want) != NULL, "no \"%s\" in\n%s", want, cs_text_string(&text));
}

/* Events without partner count before errors of time; of runs 2 and 3, with one each, 3 has the larger error. */
Test(info_events, best_and_worst) {
  open_table(true);
  cs_info_add_result(&document, "f.h5", &digest);
  cs_document_print(&document, &text);
  expect_says(
      "state events\n  best, run 1: p 1\n    ceiling: 1 of 1 matched, largest time error 0.001 s; collision: 4 of 5\n"
      "    matched, largest time error 0.0015 s\n");
  expect_says(
      "  worst, run 3: p 3\n    ceiling: 1 of 1 matched, largest time error 9 s; collision: 4 of 4 matched,\n"
      "    1 spurious\n");
  expect_says("    run 4: p 4, most often collision, 57 times in the exact solution\n");
  expect_says("    run 5: p 5\n");
}

Test(info_events, counts) {
  open_table(true);
  const struct cs_digest_event e = cs_digest_event(&digest, 2, 1);
  cr_expect_eq(e.events, 3);
  cr_expect_eq(e.exact, 4);
  cr_expect_eq(e.matched, 3);
  cr_expect_eq(e.late, 2);
  cr_expect_eq(e.missed, 1);
  cr_expect_eq(e.spurious, 0);
  cr_expect_eq(cs_digest_event(&digest, 3, 1).matched, 4);
  cs_info_add_json("f.h5", &digest, &text);
  expect_says(
      "{\"event\": \"collision\", \"events\": 4, \"exact_events\": 5, \"matched\": 4, \"late\": 0, \"missed\": 0, "
      "\"spurious\": 0, \"largest_time_error\": 0.0015}");
  expect_says("\"worst\": {\"run\": 3, \"settings\": {\"p\": 3}");
  expect_says("{\"run\": 4, \"event\": \"collision\", \"events\": 40, \"exact_events\": 57, \"settings\": {\"p\": 4}}");
  expect_says("{\"run\": 5, \"settings\": {\"p\": 5}}");
}

/* Without counts the errors of time alone decide. */
Test(info_events, without_counts) {
  open_table(false);
  cs_info_add_result(&document, "f.h5", &digest);
  cs_document_print(&document, &text);
  expect_says("  best, run 2: p 2\n    ceiling: RMS time error 0 s; collision: RMS time error 0 s\n");
  expect_says("  worst, run 3: p 3\n    ceiling: RMS time error 9 s; collision: none\n");
  expect_says("    run 4: p 4\n");
  cs_info_add_json("f.h5", &digest, &text);
  expect_says("{\"event\": \"ceiling\", \"rms_time_error\": 0}");
}
