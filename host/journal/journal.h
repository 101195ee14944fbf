/* Journals: what an unfinished sweep has computed, so that a run that was killed goes on where it was, and shards that
 * are merged later (docs/formats.md section 7).
 *
 * The file: 16 bytes "cosweep journal1", then records of a head of 32 bytes - mark "CSWJ" (u32), kind (u32), bytes of
 * the body (u64), CRC-64 of these 16 bytes and of the body (u64 each), both begun with the plan's checksum plus the
 * record's place in the file - and the body. Kind 1, first and once: the plan, a text, whose checksums are begun with
 * 0. Kind 2: a session, a text of JSON. Kind 3: results, each a struct cs_journal_entry and its numbers (f64). Kind 4:
 * what was damaged. Little endian. What is of no whole record is no part of the journal. */
#ifndef COSWEEP_JOURNAL_H
#define COSWEEP_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#define CS_JOURNAL_SUFFIX ".journal"

/* What a result belongs to. */
enum cs_journal_pass {
  CS_PASS_RUNS,    /* the sweep's runs */
  CS_PASS_AGAIN,   /* those that are repeated by the variants for stiff networks */
  CS_PASS_OTHER,   /* the runs in another formulation, for their rounding */
  CS_PASS_SPECTRA, /* eigenvalues of a simulation's runs */
  CS_PASS_POINTS,  /* points between the runs, in the order in which they are asked for */
  CS_PASSES
};

struct cs_journal_entry {
  uint64_t run;
  uint16_t pass, way; /* way: how it was computed */
  uint32_t items;     /* numbers that follow */
};

struct cs_journal;

struct cs_journal_setup {
  const char *path;
  const char *plan;    /* all that the results depend on */
  const char *session; /* of this process, an object of JSON */
  double seconds;      /* nothing is written before, and what is written is synced so often */
  bool fresh;          /* throw away what is there */
};

/* Opens a journal to go on with, or a new one. One that is there has to be of the same plan: otherwise CS_IO with the
 * first line that differs. What is of no whole record is made one of kind 4, and cut off at its end. */
int cs_journal_open(const struct cs_journal_setup *setup, struct cs_journal **journal, struct cs_error *error);
/* Whether a file that is there begins as a journal. */
bool cs_journal_is(const char *path);
/* Opens one that is there to read it; `plan` NULL: of any plan. */
int cs_journal_read(const char *path, const char *plan, struct cs_journal **journal, struct cs_error *error);
/* Removes what is left of one that nobody has open, also where it had only begun; none is no failure. */
int cs_journal_remove(const char *path, struct cs_error *error);
/* Ends writing; `done`: removes the file. NULL is allowed. */
void cs_journal_close(struct cs_journal *journal, bool done);

const char *cs_journal_path(const struct cs_journal *journal);
const char *cs_journal_plan(const struct cs_journal *journal);
/* When it was opened: results of a pass that it had, bytes of no whole record, about how many of the sweep's runs these
 * held, and bytes up to the end of the last whole record. */
size_t cs_journal_found(const struct cs_journal *journal, enum cs_journal_pass pass);
size_t cs_journal_dropped(const struct cs_journal *journal);
size_t cs_journal_lost(const struct cs_journal *journal);
size_t cs_journal_bytes(const struct cs_journal *journal);
/* Runs that are in the file by now; 0 if there is none. From any thread. */
size_t cs_journal_kept(const struct cs_journal *journal);

/* Bytes of a file that has a plan of so many and no results yet, and those of a result. */
size_t cs_journal_empty_bytes(size_t plan);
/* Bytes of memory that results take before they are written, of so many in all. */
size_t cs_journal_memory(size_t bytes);
size_t cs_journal_result_bytes(size_t items);

/* Calls take() for all results that were found of a pass, of runs from `first` to first + runs - 1; a code other than
 * CS_OK ends it. Records without such runs are not read. */
typedef int cs_journal_take(void *context, const struct cs_journal_entry *entry, const double *numbers,
                            struct cs_error *error);
int cs_journal_replay(struct cs_journal *journal, enum cs_journal_pass pass, uint64_t first, uint64_t runs,
                      cs_journal_take *take, void *context, struct cs_error *error);
/* Calls take() with the text of each session. */
typedef int cs_journal_session(void *context, const char *text, struct cs_error *error);
int cs_journal_sessions(struct cs_journal *journal, cs_journal_session *take, void *context, struct cs_error *error);

/* Adds a result: numbers [entry->items], pitch apart. From any thread; it waits while much is left to be written. */
void cs_journal_add(struct cs_journal *journal, const struct cs_journal_entry *entry, const double *numbers,
                    size_t pitch);
/* Whether writing has failed, so that to go on is of no use. From any thread. */
bool cs_journal_failed(const struct cs_journal *journal);
/* Writes and syncs all that was added; `begin`: even before its time. CS_IO if that or a write before failed: what was
 * written of the record is cut off. */
int cs_journal_sync(struct cs_journal *journal, bool begin, struct cs_error *error);

#endif
