#ifndef COSWEEP_JOURNAL_PRIVATE_H
#define COSWEEP_JOURNAL_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "checksum.h"
#include "journal.h"
#include "text.h"

#define CS_JOURNAL_MAGIC "cosweep journal1"

enum { CS_JOURNAL_MAGIC_BYTES = 16, CS_JOURNAL_MARK = 0x4A575343 };
enum cs_journal_kind { CS_JOURNAL_PLAN = 1, CS_JOURNAL_SESSION, CS_JOURNAL_RESULTS, CS_JOURNAL_DAMAGED };

struct cs_journal_head {
  uint32_t mark, kind;
  uint64_t bytes, own, body; /* checksums of what stands before, and of the body */
};

/* Where a record of results is, and what it has. */
struct cs_journal_place {
  off_t at;
  uint64_t least, most; /* runs of all passes */
  unsigned passes;      /* bits by enum cs_journal_pass */
};

/* From a whole record to the next one, or to the end of the file: what does not count. */
struct cs_journal_gap {
  off_t at, next;
};

struct cs_journal {
  char *path, *plan, *session;
  char *part;      /* what the file is called until it has its plan */
  int fd;          /* -1: there is no file yet */
  bool planless;   /* its plan was not whole when it was opened */
  off_t first;     /* place of the record behind the plan */
  off_t end, size; /* of the last whole record; when the journal was opened */
  uint64_t seed;
  size_t found[CS_PASSES];
  struct cs_journal_place *place; /* [places] records of results when it was opened */
  size_t places;
  double bytes;               /* in these */
  struct cs_journal_gap *gap; /* [gaps] when it was opened */
  size_t gaps;
  atomic_size_t kept;
  struct cs_checksum reading, writer_sum; /* their tables: of who reads the file, and of who writes it */

  bool writes; /* the thread is there */
  double seconds, start, synced;
  bool unsynced; /* something was written since; of the writer, like the file */
  pthread_t writer;
  pthread_mutex_t lock;            /* protects what follows */
  pthread_cond_t wake;             /* of the writer */
  pthread_cond_t room;             /* for those that add */
  struct cs_text pending, writing; /* entries; `writing` belongs to the writer while it is `busy` */
  size_t pending_runs;
  bool busy, ends, hurries, begins; /* hurries: write and sync now; begins: even if there is nothing to write */
  atomic_bool failed;
  struct cs_error error;
};

/* The head of a record at place `at` of the file. `sum`: one of the journal's; `body` NULL: without its checksum. */
struct cs_journal_head cs_journal_make_head(const struct cs_journal *journal, struct cs_checksum *sum,
                                            enum cs_journal_kind kind, const void *body, size_t bytes, off_t at);
/* Fills `error` with the journal's path and errno. */
int cs_journal_fail(const struct cs_journal *journal, struct cs_error *error);

int cs_journal_begin_writing(struct cs_journal *journal, struct cs_error *error);
void cs_journal_end_writing(struct cs_journal *journal);

#endif
