/* Journals: what is read is what was written, or a part of it, whatever the file has been through. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal_private.h"

enum { RESULTS = 40, ITEMS = 5, DAMAGES = 1500 };

static char folder[] = "/tmp/cosweep-journal-XXXXXX", path[64], other[64];
static struct cs_error error;

static const char plan[] = "cosweep 1\nsweep a\nruns 40\n";

static void begin_case(void) {
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.journal", folder);
  snprintf(other, sizeof other, "%s/b.journal", folder);
}

static void end_case(void) {
  unlink(path);
  unlink(other);
  cr_expect_eq(rmdir(folder), 0, "something is left");
}

TestSuite(journal, .init = begin_case, .fini = end_case);

static struct cs_journal *opened(const char *of, double seconds, bool fresh) {
  const struct cs_journal_setup setup = {path, of, "{\"started\": \"now\"}", seconds, fresh};
  struct cs_journal *journal = NULL;
  error.message[0] = '\0';
  cs_journal_open(&setup, &journal, &error);
  return journal;
}

static double number_of(uint64_t run, uint32_t item) {
  return (double)run + 0.125 * item;
}

/* Results `first` to `last` - 1; two numbers apart. */
static void add(struct cs_journal *journal, uint64_t first, uint64_t last) {
  double numbers[2 * ITEMS];
  for (uint64_t run = first; run < last; run++) {
    const struct cs_journal_entry entry = {run, run % 4 == 3 ? CS_PASS_SPECTRA : CS_PASS_RUNS, 1, ITEMS};
    for (uint32_t i = 0; i < ITEMS; i++)
      numbers[2 * i] = number_of(run, i);
    cs_journal_add(journal, &entry, numbers, 2);
    if (run % 7 == 6) cs_journal_sync(journal, true, NULL); /* ends a record */
  }
}

/* A journal of the first results. */
static void write_journal(uint64_t results) {
  struct cs_journal *journal = opened(plan, 0.0, false);
  cr_assert_not_null(journal, "%s", error.message);
  add(journal, 0, results);
  cs_journal_sync(journal, true, &error);
  cs_journal_close(journal, false);
}

struct seen {
  uint64_t run[2 * RESULTS];
  size_t count, wrong;
};

static int see(void *context, const struct cs_journal_entry *entry, const double *numbers, struct cs_error *ignored) {
  struct seen *s = context;
  (void)ignored;
  if (s->count < 2 * RESULTS) s->run[s->count++] = entry->run;
  s->wrong += entry->items != ITEMS || entry->way != 1;
  for (uint32_t i = 0; i < entry->items; i++)
    s->wrong += i >= ITEMS || numbers[i] != number_of(entry->run, i);
  return CS_OK;
}

/* Reads all, which are results that were added, in their order; their number, and which. */
static size_t read_which(const char *file, bool which[RESULTS]) {
  struct cs_journal *journal = NULL;
  size_t total = 0;
  memset(which, 0, RESULTS * sizeof *which);
  if (cs_journal_read(file, plan, &journal, &error) != CS_OK) return 0;
  struct seen seen[2] = {{.count = 0}};
  const enum cs_journal_pass pass[2] = {CS_PASS_RUNS, CS_PASS_SPECTRA};
  for (int k = 0; k < 2; k++) {
    cr_assert_eq(cs_journal_replay(journal, pass[k], 0, UINT64_MAX, see, &seen[k], &error), CS_OK, "%s", error.message);
    cr_assert_eq(seen[k].wrong, 0);
    cr_assert_eq(seen[k].count, cs_journal_found(journal, pass[k]));
    total += seen[k].count;
    for (size_t i = 0; i < seen[k].count; i++) {
      cr_assert(seen[k].run[i] < RESULTS && seen[k].run[i] % 4 / 3 == (uint64_t)k);
      cr_assert(i == 0 || seen[k].run[i - 1] < seen[k].run[i], "result %zu", (size_t)seen[k].run[i]);
      which[seen[k].run[i]] = true;
    }
  }
  cs_journal_close(journal, false);
  return total;
}

static size_t read_all(const char *file) {
  bool which[RESULTS];
  const size_t total = read_which(file, which);
  for (size_t run = 0; run < total; run++)
    cr_assert(which[run], "result %zu", run);
  return total;
}

static char *bytes_of(const char *file, size_t *size) {
  struct stat status;
  FILE *in = fopen(file, "rb");
  cr_assert(in != NULL && fstat(fileno(in), &status) == 0);
  char *bytes = malloc((size_t)status.st_size + 1);
  cr_assert(bytes != NULL);
  *size = fread(bytes, 1, (size_t)status.st_size, in);
  fclose(in);
  return bytes;
}

static void put_bytes(const char *file, const char *bytes, size_t size) {
  FILE *out = fopen(file, "wb");
  cr_assert(out != NULL && fwrite(bytes, 1, size, out) == size);
  fclose(out);
}

Test(journal, a_run_that_ends_soon_leaves_no_file) {
  struct cs_journal *journal = opened(plan, 100.0, false);
  cr_assert_not_null(journal, "%s", error.message);
  add(journal, 0, 3);
  cr_expect_eq(cs_journal_sync(journal, false, &error), CS_OK);
  cr_expect_eq(cs_journal_kept(journal), 0);
  cr_expect_neq(access(path, F_OK), 0);
  cs_journal_close(journal, false);
}

Test(journal, what_a_killed_process_had_begun_goes) {
  char part[80];
  snprintf(part, sizeof part, "%s.part", path);
  put_bytes(part, "cosweep jour", 12);
  struct cs_journal *journal = opened(plan, 100.0, false);
  cr_assert_not_null(journal, "%s", error.message);
  cs_journal_close(journal, false);
  cr_expect_neq(access(part, F_OK), 0, "a run that ends soon leaves it");
  cr_assert_eq(mkdir(part, 0777), 0);
  cr_expect_null(opened(plan, 100.0, false));
  cr_expect(strstr(error.message, "a.journal.part: Is a directory; want it moved away"), "%s", error.message);
  rmdir(part);
}

Test(journal, what_was_added_is_found_and_more_follows) {
  struct cs_journal *journal = opened(plan, 0.0, false);
  cr_assert_not_null(journal, "%s", error.message);
  add(journal, 0, 20);
  cr_expect_eq(cs_journal_sync(journal, true, &error), CS_OK);
  cr_expect_eq(cs_journal_kept(journal), 15, "%zu", cs_journal_kept(journal));
  cs_journal_close(journal, false);
  cr_expect_eq(read_all(path), 20);
  journal = opened(plan, 0.0, false);
  cr_assert_not_null(journal, "%s", error.message);
  cr_expect_eq(cs_journal_found(journal, CS_PASS_RUNS), 15);
  cr_expect_eq(cs_journal_found(journal, CS_PASS_SPECTRA), 5);
  add(journal, 20, RESULTS);
  cr_expect_eq(cs_journal_sync(journal, true, &error), CS_OK);
  cs_journal_close(journal, false);
  cr_expect_eq(read_all(path), RESULTS);
  journal = opened(plan, 0.0, false);
  cs_journal_close(journal, true);
  cr_expect_neq(access(path, F_OK), 0, "a journal whose result is there stays");
}

Test(journal, another_plan_is_refused_with_its_first_difference) {
  write_journal(20);
  cr_expect_null(opened("cosweep 1\nsweep b\nruns 40\n", 0.0, false));
  cr_expect(strstr(error.message, "has 15 runs of another sweep, program or device: was \"sweep a\", is \"sweep b\""),
            "%s", error.message);
  cr_expect_eq(read_all(path), 20, "it was touched");
  struct cs_journal *journal = opened("cosweep 1\nsweep b\nruns 40\n", 0.0, true);
  cr_assert_not_null(journal, "%s", error.message);
  cr_expect_eq(cs_journal_found(journal, CS_PASS_RUNS), 0);
  cs_journal_close(journal, false);
}

Test(journal, what_is_no_journal_is_not_touched) {
  put_bytes(path, "my thesis", 9);
  for (int fresh = 0; fresh < 2; fresh++) {
    cr_expect_null(opened(plan, 0.0, fresh));
    cr_expect(strstr(error.message, "is no journal of cosweep"), "%s", error.message);
  }
  size_t size;
  char *bytes = bytes_of(path, &size);
  cr_expect(size == 9 && memcmp(bytes, "my thesis", 9) == 0);
  free(bytes);
}

Test(journal, a_torn_end_is_cut_off_before_more_follows) {
  write_journal(14);
  size_t size;
  char *bytes = bytes_of(path, &size);
  put_bytes(path, bytes, size - 3);
  free(bytes);
  const size_t whole = read_all(path);
  cr_expect(whole >= 7 && whole < 14, "%zu", whole);
  struct cs_journal *journal = opened(plan, 0.0, false);
  cr_assert_not_null(journal, "%s", error.message);
  cr_expect(cs_journal_dropped(journal) > 0);
  add(journal, whole, RESULTS);
  cs_journal_sync(journal, true, &error);
  cs_journal_close(journal, false);
  cr_expect_eq(read_all(path), RESULTS);
}

/* Bytes of the last record. */
static size_t last_record(const char *bytes, size_t size) {
  size_t length = 0;
  for (size_t at = CS_JOURNAL_MAGIC_BYTES; at < size; at += length) {
    struct cs_journal_head head;
    memcpy(&head, bytes + at, sizeof head);
    length = sizeof head + (size_t)head.bytes;
  }
  return length;
}

/* Blocks of another journal, which come back after a power cut, and records at another place. */
Test(journal, records_count_at_their_place_in_their_journal_only) {
  write_journal(14);
  size_t size;
  char *bytes = bytes_of(path, &size);
  const size_t record = last_record(bytes, size);
  char *twice = malloc(size + record);
  memcpy(twice, bytes, size);
  memcpy(twice + size, bytes + size - record, record);
  put_bytes(path, twice, size + record);
  cr_expect_eq(read_all(path), 14);
  struct cs_journal other_plan = {.fd = -1};
  cs_checksum_begin(&other_plan.reading);
  char *its = twice + CS_JOURNAL_MAGIC_BYTES + sizeof(struct cs_journal_head);
  its[strlen("cosweep 1\nsweep ")] = 'b';
  const struct cs_journal_head head =
      cs_journal_make_head(&other_plan, &other_plan.reading, CS_JOURNAL_PLAN, its, strlen(plan), 0);
  memcpy(twice + CS_JOURNAL_MAGIC_BYTES, &head, sizeof head);
  put_bytes(path, twice, size);
  struct cs_journal *read = NULL;
  cr_assert_eq(cs_journal_read(path, NULL, &read, &error), CS_OK, "%s", error.message);
  cr_expect_eq(cs_journal_found(read, CS_PASS_RUNS), 0);
  cs_journal_close(read, false);
  free(bytes);
  free(twice);
}

/* Goes on from a journal with `length` damaged bytes that had results from `first` to `last` - 1 of 21. */
static void go_on_behind(size_t length, uint64_t first, uint64_t last) {
  struct cs_journal *journal = opened(plan, 0.0, false);
  cr_assert_not_null(journal, "%s", error.message);
  cr_assert_eq(cs_journal_dropped(journal), length);
  /* of 21 results 16 are runs */
  cr_assert(fabs((double)cs_journal_lost(journal) - 16.0 / 21.0 * (double)(last - first)) < 1.5 || first == last);
  add(journal, first, last);
  cs_journal_sync(journal, true, &error);
  cs_journal_close(journal, false);
  cr_assert_eq(cs_journal_read(path, plan, &journal, &error), CS_OK, "%s", error.message);
  cr_assert(cs_journal_dropped(journal) == 0 && cs_journal_found(journal, CS_PASS_RUNS) == 16);
  cs_journal_close(journal, false);
}

/* Whatever byte of a record is damaged, the others count. */
Test(journal, goes_on_behind_a_damaged_record) {
  write_journal(21);
  size_t size, length;
  char *bytes = bytes_of(path, &size);
  for (size_t at = CS_JOURNAL_MAGIC_BYTES; at < size; at += length) {
    struct cs_journal_head head;
    struct cs_journal_entry entry = {.run = 0};
    memcpy(&head, bytes + at, sizeof head);
    length = sizeof head + (size_t)head.bytes;
    const size_t held = head.kind == CS_JOURNAL_RESULTS ? head.bytes / cs_journal_result_bytes(ITEMS) : 0;
    if (held > 0) memcpy(&entry, bytes + at + sizeof head, sizeof entry);
    for (size_t i = at; i < at + length; i++) {
      bytes[i] ^= 0x10;
      put_bytes(path, bytes, size);
      bytes[i] ^= 0x10;
      bool which[RESULTS];
      cr_assert_eq(read_which(path, which), 21 - held, "byte %zu", i);
      for (size_t run = 0; run < 21; run++)
        cr_assert_eq(which[run], run < entry.run || run >= entry.run + held, "byte %zu: result %zu", i, run);
      if ((i - at) % 200 == 0) go_on_behind(length, entry.run, entry.run + held);
    }
  }
  free(bytes);
}

Test(journal, a_damaged_plan_has_to_be_known) {
  write_journal(14);
  size_t size;
  char *bytes = bytes_of(path, &size);
  struct cs_journal *read = NULL;
  bytes[CS_JOURNAL_MAGIC_BYTES + sizeof(struct cs_journal_head)] ^= 1;
  put_bytes(path, bytes, size);
  cr_expect_eq(cs_journal_read(path, NULL, &read, &error), CS_IO);
  cr_expect(strstr(error.message, "is damaged: its plan cannot be read"), "%s", error.message);
  cr_expect_eq(cs_journal_read(path, "cosweep 1\nsweep b\nruns 40\n", &read, &error), CS_IO);
  cr_expect(strstr(error.message, "is damaged: its plan cannot be read"), "%s", error.message);
  cr_expect_eq(read_all(path), 14);
  free(bytes);
}

static uint64_t state = 88172645463325252;

static size_t below(size_t most) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (size_t)(state >> 11) % most;
}

/* Bytes changed, zeroed by blocks, moved or cut off. */
static size_t damage(char *bytes, size_t size) {
  for (size_t times = 1 + below(3); times > 0; times--)
    switch (below(5)) {
      case 0:
        bytes[below(size)] ^= (char)(1 << below(8));
        break;
      case 1:
        size = 1 + below(size);
        break;
      case 2: {
        const size_t from = below(size), count = below(size - from) % 512;
        memset(bytes + from, 0, count);
        break;
      }
      case 3: {
        const size_t count = below(size) / 2, from = below(size - count), to = below(size - count);
        memmove(bytes + to, bytes + from, count);
        break;
      }
      default:
        memcpy(bytes + (below(size) & ~(size_t)7), &(uint32_t){(uint32_t)below(UINT32_MAX)}, size > 16 ? 4 : 0);
    }
  return size;
}

Test(journal, damage_costs_results_at_most) {
  write_journal(RESULTS);
  size_t size, shorter = 0;
  bool which[RESULTS];
  char *bytes = bytes_of(path, &size), *damaged = malloc(size + 16);
  for (int i = 0; i < DAMAGES; i++) {
    memcpy(damaged, bytes, size);
    put_bytes(other, damaged, damage(damaged, size));
    shorter += read_which(other, which) < RESULTS;
  }
  cr_expect(shorter > DAMAGES / 2, "%zu of %d were found damaged", shorter, DAMAGES);
  free(bytes);
  free(damaged);
}

/* Records whose checksums hold, but which are not what their kind says. */
/* Of a process that was killed while it began the file, too. */
Test(journal, what_is_left_is_removed) {
  char part[128];
  snprintf(part, sizeof part, "%s.part", path);
  for (int i = 0; i < 2; i++) { /* the second time there is nothing */
    if (i == 0) fclose(fopen(path, "w")), fclose(fopen(part, "w"));
    cr_expect_eq(cs_journal_remove(path, &error), CS_OK, "%s", error.message);
    cr_expect(access(path, F_OK) != 0 && access(part, F_OK) != 0);
  }
}

Test(journal, contents_are_not_trusted) {
  struct cs_journal *journal = opened(plan, 0.0, false);
  add(journal, 0, 7);
  cs_journal_sync(journal, true, &error);
  size_t size;
  char *bytes = bytes_of(path, &size);
  for (int i = 0; i < DAMAGES; i++) {
    uint64_t body[16];
    const size_t count = below(sizeof body);
    for (size_t k = 0; k < 16; k++)
      body[k] = below(3) > 0 ? below(8) : below(SIZE_MAX);
    const enum cs_journal_kind kind = below(4) > 0 ? CS_JOURNAL_RESULTS : (enum cs_journal_kind)below(6);
    const struct cs_journal_head head =
        cs_journal_make_head(journal, &journal->reading, kind, body, count, (off_t)size);
    char *longer = malloc(size + sizeof head + sizeof body);
    memcpy(longer, bytes, size);
    memcpy(longer + size, &head, sizeof head);
    memcpy(longer + size + sizeof head, body, sizeof body);
    put_bytes(other, longer, size + sizeof head + count);
    struct cs_journal *read = NULL;
    cr_assert_eq(cs_journal_read(other, plan, &read, &error), CS_OK, "%s", error.message);
    cr_assert(cs_journal_found(read, CS_PASS_RUNS) >= 6);
    for (int pass = 0; pass < CS_PASSES; pass++) {
      struct seen seen = {.count = 0};
      cr_assert_eq(cs_journal_replay(read, (enum cs_journal_pass)pass, 0, UINT64_MAX, see, &seen, &error), CS_OK, "%s",
                   error.message);
    }
    cs_journal_close(read, false);
    free(longer);
  }
  cs_journal_close(journal, false);
  free(bytes);
}
