/* Journals, as they are and with checksums that hold: what is read is passed on, and more can follow. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "fuzz.h"
#include "journal_private.h"

#define FILE_NAME "fuzz.h5.journal"

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

static void take(const char *bytes, size_t size) {
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

static void seed(void) {
  add_seed(0);
  add_seed(1);
  add_seed(11);
}

static void words(void) {
  fuzz_word("WSCJ");
  fuzz_word("\nruns ");
  fuzz_word("{\"started\": \"now\", \"process\": {\"host\": \"a\"}}");
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed, .words = words, .prints = true};
