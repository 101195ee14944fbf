/* Journals, as they are and with checksums that hold: what is read is passed on, and more can follow; and those of some
 * sweeps, with other numbers, are entered as a result: a whole one, or one shard of two beside another that is right.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "engine.h"
#include "fuzz.h"
#include "journal_private.h"

#define FILE_NAME "fuzz.h5.journal"

/* ---- results that are entered */

#define HEAD "{\"format\": \"cosweep-sweep/1\", \"name\": \"journal\", \"model\": \"../models/"

/* With fixed and variable steps, doubling, events, eigenvalues beside them, another formulation, boundaries. */
static const char *const sweeps[] = {
    HEAD
    "two_mass_oscillator/model.json\", \"t_end\": 2, \"method\": {\"hold\": \"lagrange\", \"order\": 1}, \"axes\": "
    "[{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.01, 0.1]}], \"metrics\": "
    "[\"output_error\", \"steps\", \"spectral_radius\", \"rounding\"]}",
    HEAD
    "two_mass_oscillator/model.json\", \"t_end\": 1, \"method\": {\"step\": {\"control\": \"pi_defect\", "
    "\"initial\": 0.05}}, \"axes\": [{\"name\": \"tol\", \"path\": \"method.step.tolerance\", \"values\": [1e-3, "
    "1e-2]}], \"metrics\": [\"output_error\", \"output_error_max\", \"steps\", \"evaluations\"]}",
    HEAD
    "thermostat/model.json\", \"t_end\": 3600, \"method\": {\"events\": {\"window\": 300, \"table\": 4}}, \"axes\": "
    "[{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [100, 300]}], \"metrics\": [\"output_error\", "
    "\"events\", \"event_kind\", \"event_time_error\", \"rollbacks\", \"steps\"]}",
    HEAD
    "two_mass_oscillator/model.json\", \"study\": \"stability\", \"axes\": [{\"name\": \"H\", \"path\": "
    "\"method.step.size\", \"values\": [0.1, 1]}]}"};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps };
#define PLAN "cosweep 1, fuzz sweep "
#define SHARD "cosweep 1, fuzz shard "
#define OTHER_NAME "other.h5.journal"

static struct cs_text others[SWEEPS]; /* journals of the second of two shards */

static struct cs_sweep *sweep_of(int number) {
  static struct cs_sweep *loaded[SWEEPS];
  struct cs_error error = {0};
  struct cs_json *json = NULL;
  if (loaded[number] != NULL) return loaded[number];
  int code = cs_json_parse("sweeps/journal.json", sweeps[number], strlen(sweeps[number]), &json, &error);
  if (code == CS_OK) code = cs_sweep_read("sweeps/journal.json", json, NULL, NULL, 0, &loaded[number], &error);
  fuzz_want(code == CS_OK, "the sweep of the tests", error.message);
  return loaded[number];
}

static struct cs_device *host(void) {
  static struct cs_device *device;
  struct cs_error error = {0};
  if (device == NULL) fuzz_want(cs_device_open("host", &device, &error) == CS_OK, "the host", error.message);
  return device;
}

/* Runs a sweep, with what journals have; `shards`: which have to be all, or with `shard` the one to be filled. */
static int run_with(int number, struct cs_journal **journal, size_t journals, size_t shard, size_t shards,
                    struct cs_table **table, struct cs_error *error) {
  const struct cs_engine_options options = {.journal = journal, .journals = journals, .shard = shard, .shards = shards};
  return cs_engine_run(sweep_of(number), host(), &options, table, NULL, error);
}

static void check_entered(const struct cs_table *table) {
  const struct cs_array *status = cs_table_find(table, "status"), *engine = cs_table_find(table, "engine_used");
  const struct cs_array *steps = cs_table_find(table, "steps");
  for (size_t i = 0; status != NULL && i < status->count; i++) {
    fuzz_want(status->data.uint8[i] < CS_STATUSES, "entered", "a status that is none");
    fuzz_want(engine == NULL || (engine->data.uint8[i] > 0 && engine->data.uint8[i] < 3), "entered",
              "a way that is none");
    fuzz_want(steps == NULL || (steps->data.int64[i] >= 0 && steps->data.int64[i] <= INT64_C(1) << 53), "entered",
              "steps that are none");
  }
}

/* What is entered is refused, or makes sense. */
static void enter(struct cs_journal *journal) {
  const char *plan = cs_journal_plan(journal);
  const bool shard = strncmp(plan, SHARD, strlen(SHARD)) == 0;
  if (!shard && strncmp(plan, PLAN, strlen(PLAN)) != 0) return;
  const int number = plan[strlen(PLAN)] - '0';
  if (number < 0 || number >= SWEEPS) return;
  struct cs_journal *both[] = {journal, NULL};
  struct cs_table *table = NULL;
  struct cs_error error = {0};
  if (shard) {
    fuzz_write(OTHER_NAME, cs_text_string(&others[number]), others[number].length);
    fuzz_want(cs_journal_read(OTHER_NAME, NULL, &both[1], &error) == CS_OK, "the other shard", error.message);
  }
  const int code = run_with(number, both, 1 + shard, 0, 1 + shard, &table, &error);
  fuzz_want(code == CS_OK || code == CS_IO, "entered: another exit status", error.message);
  if (code == CS_OK) check_entered(table);
  cs_table_free(table);
  cs_journal_close(both[1], false);
}

/* ---- records */

static int count(void *context, const struct cs_journal_entry *entry, const double *numbers, struct cs_error *error) {
  size_t *found = context;
  double sum = 0.0;
  (void)error;
  for (uint32_t i = 0; i < entry->items; i++)
    sum += numbers[i];
  *found += 1 + (sum > 0.0 && sum < 0.0);
  return CS_OK;
}

/* The results of a pass, which are as many as it says. */
static size_t read_pass(struct cs_journal *journal, int pass) {
  struct cs_error error;
  size_t found = 0;
  fuzz_want(cs_journal_replay(journal, (enum cs_journal_pass)pass, 0, UINT64_MAX, count, &found, &error) == CS_OK,
            "replay", error.message);
  fuzz_want(found == cs_journal_found(journal, (enum cs_journal_pass)pass), "replay", "other results than were found");
  return found;
}

static struct cs_journal *open_journal(const char *plan) {
  const struct cs_journal_setup setup = {FILE_NAME, plan, "{\"started\": \"now\"}", 1e9, false};
  struct cs_journal *journal = NULL;
  struct cs_error error;
  fuzz_want(cs_journal_open(&setup, &journal, &error) == CS_OK, "cannot go on", error.message);
  return journal;
}

/* Goes on from it with a result, and reads that too. */
static void go_on(const char *plan, size_t runs) {
  static const struct cs_journal_entry entry = {.run = 7, .items = 2};
  const double numbers[] = {1.0, 2.0};
  struct cs_error error;
  struct cs_journal *journal = open_journal(plan);
  fuzz_want(cs_journal_found(journal, CS_PASS_RUNS) == runs, "opened", "other runs than were read");
  cs_journal_add(journal, &entry, numbers, 1);
  fuzz_want(cs_journal_sync(journal, true, &error) == CS_OK, "sync", error.message);
  cs_journal_close(journal, false);
  fuzz_want(cs_journal_read(FILE_NAME, plan, &journal, &error) == CS_OK, "cannot be read again", error.message);
  fuzz_want(cs_journal_dropped(journal) == 0 && read_pass(journal, CS_PASS_RUNS) == runs + 1, "read again",
            "other runs than were written");
  cs_journal_close(journal, false);
}

static void read_file(void) {
  struct cs_journal *journal = NULL;
  struct cs_error error = {0};
  for (int json = 0; json < 2; json++) {
    const int code = cs_command_journal(FILE_NAME, json != 0, &error);
    fuzz_want(code == CS_OK || code == CS_IO, "info: another exit status", error.message);
  }
  if (cs_journal_read(FILE_NAME, NULL, &journal, &error) != CS_OK) return;
  enter(journal);
  size_t runs = read_pass(journal, CS_PASS_RUNS);
  for (int pass = CS_PASS_RUNS + 1; pass < CS_PASSES; pass++)
    read_pass(journal, pass);
  char *plan = strdup(cs_journal_plan(journal));
  cs_journal_close(journal, false);
  go_on(plan, runs);
  free(plan);
}

/* Gives every record whose head is there its checksums. */
static void seal(char *bytes, size_t size) {
  struct cs_journal j = {.fd = -1};
  struct cs_journal_head head;
  cs_checksum_begin(&j.reading);
  for (size_t at = CS_JOURNAL_MAGIC_BYTES; at + sizeof head <= size; at += sizeof head + head.bytes) {
    memcpy(&head, bytes + at, sizeof head);
    if (head.bytes > size - at - sizeof head) return;
    head = cs_journal_make_head(&j, &j.reading, (enum cs_journal_kind)head.kind, bytes + at + sizeof head, head.bytes,
                                (off_t)at);
    if (at == CS_JOURNAL_MAGIC_BYTES) j.seed = head.body;
    memcpy(bytes + at, &head, sizeof head);
  }
}

/* The journal of a sweep, or of one of two shards. */
static void write_sweep(int number, size_t shard, struct cs_text *text) {
  struct cs_text plan = {0};
  struct cs_error error = {0};
  struct cs_table *table = NULL;
  cs_text_add(&plan, "%s%d\n", shard > 0 ? SHARD : PLAN, number);
  struct cs_journal *journal = open_journal(plan.data);
  fuzz_want(run_with(number, &journal, 1, shard, shard > 0 ? 2 : 0, &table, &error) == CS_OK, "seed", error.message);
  fuzz_want(cs_journal_sync(journal, true, &error) == CS_OK, "seed", error.message);
  cs_journal_close(journal, false);
  cs_table_free(table);
  fuzz_want(cs_text_read(text, FILE_NAME, "journal", &error) == CS_OK, "seed", error.message);
  cs_text_free(&plan);
  unlink(FILE_NAME);
}

static void take(const char *bytes, size_t size) {
  for (int i = 0; i < SWEEPS; i++)
    if (others[i].length == 0) write_sweep(i, 2, &others[i]);
  char *sealed = malloc(size + 1);
  memcpy(sealed, bytes, size);
  seal(sealed, size);
  fuzz_write(FILE_NAME, bytes, size);
  read_file();
  if (memcmp(bytes, sealed, size) != 0) {
    fuzz_write(FILE_NAME, sealed, size);
    read_file();
  }
  unlink(FILE_NAME);
  free(sealed);
}

/* So many results of all passes, some of them in a record. */
static void add_seed(size_t results) {
  double numbers[] = {0.5, -1e300, 3.0};
  struct cs_text text = {0};
  struct cs_error error;
  struct cs_journal *journal =
      open_journal("cosweep 1, kernels 0\ndevice host\nshard 1 of 2\nsweep a\n{\"name\": \"a\"}\nruns 40\n");
  for (size_t run = 0; run < results; run++) {
    const struct cs_journal_entry entry = {run, (uint16_t)(run % CS_PASSES), 1, 3};
    cs_journal_add(journal, &entry, numbers, 1);
    if (run % 3 == 2) cs_journal_sync(journal, true, &error);
  }
  cs_journal_sync(journal, true, &error);
  cs_journal_close(journal, false);
  fuzz_want(cs_text_read(&text, FILE_NAME, "journal", &error) == CS_OK, "seed", error.message);
  fuzz_seed(text.data, text.length);
  cs_text_free(&text);
  unlink(FILE_NAME);
}

static void add_sweep(int number, size_t shard) {
  struct cs_text text = {0};
  write_sweep(number, shard, &text);
  fuzz_seed(text.data, text.length);
  cs_text_free(&text);
}

static void seed(void) {
  add_seed(0);
  add_seed(1);
  add_seed(11);
  for (int i = 0; i < SWEEPS; i++) {
    add_sweep(i, 0);
    add_sweep(i, 1);
  }
}

/* ---- changes */

/* Another number, pass, way or run in an entry of some record; its checksums are mended when it is taken. */
static void change_entry(char *entry, size_t (*below)(size_t count)) {
  static const double values[] = {-1.0, 0.0, 0.5, 1.0, 2.0, 5.0, 12.0, 100.0, 1000.0, 1e9, 1e300, -1e300, 1e-300};
  struct cs_journal_entry head;
  memcpy(&head, entry, sizeof head);
  double value = values[below(sizeof values / sizeof *values)];
  if (below(6) == 0) value = below(2) == 0 ? (double)NAN : (double)INFINITY;
  if (head.items > 0 && below(8) > 0) {
    char *number = entry + sizeof head + below(head.items) * sizeof value;
    if (below(4) == 0) /* some bit */
      number[below(sizeof value)] ^= (char)(1 << below(8));
    else
      memcpy(number, &value, sizeof value);
    return;
  }
  if (below(3) == 0)
    head.run = below(4);
  else if (below(2) == 0)
    head.pass = (uint16_t)below(CS_PASSES);
  else
    head.way = (uint16_t)below(5);
  memcpy(entry, &head, sizeof head);
}

static void change(struct cs_text *text, size_t (*below)(size_t count)) {
  struct cs_journal_head head;
  struct cs_journal_entry entry;
  size_t found = 0;
  char *chosen = NULL;
  for (size_t at = CS_JOURNAL_MAGIC_BYTES; at + sizeof head <= text->length; at += sizeof head + head.bytes) {
    memcpy(&head, text->data + at, sizeof head);
    if (head.bytes > text->length - at - sizeof head) break;
    const size_t end = at + sizeof head + head.bytes;
    for (size_t i = at + sizeof head; head.kind == CS_JOURNAL_RESULTS && end - i >= sizeof entry && i < end;) {
      memcpy(&entry, text->data + i, sizeof entry);
      if ((end - i - sizeof entry) / sizeof(double) < entry.items) break;
      if (below(++found) == 0) chosen = text->data + i; /* each with the same chance */
      i += sizeof entry + entry.items * sizeof(double);
    }
  }
  if (chosen != NULL) change_entry(chosen, below);
}

static void words(void) {
  fuzz_word("WSCJ");
  fuzz_word("\nruns ");
  fuzz_word("{\"started\": \"now\", \"process\": {\"host\": \"a\"}}");
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed, .words = words, .change = change, .prints = true};
