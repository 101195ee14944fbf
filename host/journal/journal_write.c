/* Writing a journal: others add results to a list, and a thread writes them, so that nobody waits for the disk. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "journal_private.h"
#include "litter.h"

/* Bytes that may wait to be written, and s in which what is added becomes one record. */
enum { MOST_PENDING = 64 << 20 };
#define GATHERING 0.05

/* Writing begins when half of the room is used. */
size_t cs_journal_memory(size_t bytes) {
  return bytes < MOST_PENDING / 2 ? bytes : MOST_PENDING / 2;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static bool put(int fd, const void *from, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t put = write(fd, (const char *)from + done, bytes - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    done += (size_t)put;
  }
  return true;
}

static int fail_write(const struct cs_journal *j, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "%s: %s; %zu runs are kept there: make room and give the same command again",
                      j->path, strerror(errno), cs_journal_kept(j));
}

/* What was written of a record that failed is cut off, or else dropped by whoever reads it next. */
static int write_record(struct cs_journal *j, enum cs_journal_kind kind, const void *body, size_t bytes,
                        struct cs_error *error) {
  const struct cs_journal_head head = cs_journal_make_head(j, &j->writer_sum, kind, body, bytes, j->end);
  if (lseek(j->fd, j->end, SEEK_SET) >= 0 && put(j->fd, &head, sizeof head) && put(j->fd, body, bytes)) {
    j->end += (off_t)(sizeof head + bytes);
    return CS_OK;
  }
  const int code = fail_write(j, error);
  (void)!ftruncate(j->fd, j->end);
  return code;
}

/* So that the name of a file is on the disk too. */
static int sync_folder(const struct cs_journal *j, struct cs_error *error) {
  const char *slash = strrchr(j->path, '/');
  char *folder = slash == NULL ? cs_text_copy(".") : cs_text_copy_part(j->path, (size_t)(slash - j->path) + 1);
  if (folder == NULL) return cs_error_memory(error);
  const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  /* some file systems cannot sync folders */
  const int code = fd >= 0 && fsync(fd) != 0 && errno != EINVAL ? fail_write(j, error) : CS_OK;
  if (fd >= 0) close(fd);
  free(folder);
  return code;
}

static int open_part(struct cs_journal *j, struct cs_error *error) {
  cs_litter_begin();
  j->fd = open(j->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (j->fd >= 0) cs_litter_note(j->part);
  cs_litter_end();
  return j->fd >= 0 ? CS_OK : fail_write(j, error);
}

static int name_part(struct cs_journal *j, struct cs_error *error) {
  cs_litter_begin();
  const int code = rename(j->part, j->path) == 0 ? CS_OK : fail_write(j, error);
  if (code == CS_OK) cs_litter_forget(j->part);
  cs_litter_end();
  return code == CS_OK ? sync_folder(j, error) : code;
}

static void drop_part(struct cs_journal *j) {
  cs_litter_begin();
  unlink(j->part);
  cs_litter_forget(j->part);
  cs_litter_end();
  close(j->fd);
  j->fd = -1;
}

/* Under a name of its own until it has its plan, so that whatever is called a journal has one. */
static int begin_file(struct cs_journal *j, struct cs_error *error) {
  int code = open_part(j, error);
  if (code != CS_OK) return code;
  j->end = CS_JOURNAL_MAGIC_BYTES;
  code = put(j->fd, CS_JOURNAL_MAGIC, CS_JOURNAL_MAGIC_BYTES) ? CS_OK : fail_write(j, error);
  if (code == CS_OK) code = write_record(j, CS_JOURNAL_PLAN, j->plan, strlen(j->plan), error);
  if (code == CS_OK && fdatasync(j->fd) != 0) code = fail_write(j, error);
  if (code == CS_OK) code = name_part(j, error);
  if (code != CS_OK) drop_part(j);
  return code;
}

/* Writes what the writer has taken, `runs` of the sweep's. */
static int write_taken(struct cs_journal *j, size_t runs, struct cs_error *error) {
  int code = j->fd < 0 ? begin_file(j, error) : CS_OK;
  if (code == CS_OK && j->session != NULL) {
    code = write_record(j, CS_JOURNAL_SESSION, j->session, strlen(j->session), error);
    free(j->session);
    j->session = NULL;
  }
  if (code == CS_OK && j->writing.length > 0)
    code = write_record(j, CS_JOURNAL_RESULTS, j->writing.data, j->writing.length, error);
  if (code == CS_OK) j->kept += runs;
  j->unsynced = true;
  j->writing.length = 0;
  return code;
}

static int sync_file(struct cs_journal *j, struct cs_error *error) {
  j->synced = cs_clock_seconds();
  j->unsynced = false;
  /* What could not be synced may be gone even if the next attempt succeeds: there is none. */
  return fdatasync(j->fd) == 0 ? CS_OK : fail_write(j, error);
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

/* Waits for at most `seconds`. Called with the lock. */
static void wait_for(struct cs_journal *j, double seconds) {
  struct timespec until;
  if (seconds <= 0.0) return;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const double nanoseconds = (double)until.tv_nsec + 1e9 * (seconds < 3600.0 ? seconds : 3600.0);
  until.tv_sec += (time_t)(nanoseconds / 1e9);
  until.tv_nsec = (long)(nanoseconds - 1e9 * (double)(time_t)(nanoseconds / 1e9));
  pthread_cond_timedwait(&j->wake, &j->lock, &until);
}

/* s until there is something to do; 0: now. Called with the lock. */
static double patience(const struct cs_journal *j) {
  const double now = cs_clock_seconds();
  if (j->hurries || (j->pending.length > MOST_PENDING / 2 && !j->failed)) return 0.0;
  const double due = j->fd < 0 ? j->start + j->seconds : j->synced + j->seconds;
  if (j->failed || (j->pending.length == 0 && !j->unsynced)) return 3600.0;
  return due > now ? due - now : 0.0;
}

/* Writes all that is pending, and syncs it if it is time. Called with the lock, which is free meanwhile. */
static void write_pending(struct cs_journal *j) {
  const struct cs_text empty = j->writing;
  const size_t runs = j->pending_runs;
  const bool sync = j->hurries || cs_clock_seconds() >= j->synced + j->seconds;
  struct cs_error error;
  int code = CS_OK;
  j->writing = j->pending;
  j->pending = empty;
  j->pending_runs = 0;
  j->busy = true;
  pthread_mutex_unlock(&j->lock);
  if (!j->failed && (j->writing.length > 0 || (j->begins && j->fd < 0))) code = write_taken(j, runs, &error);
  if (code == CS_OK && !j->failed && sync && j->fd >= 0) code = sync_file(j, &error);
  pthread_mutex_lock(&j->lock);
  j->busy = false;
  if (code != CS_OK && !j->failed) j->error = error;
  if (code != CS_OK) j->failed = true;
  pthread_cond_broadcast(&j->room);
}

static void *work(void *context) {
  struct cs_journal *j = context;
  pthread_mutex_lock(&j->lock);
  while (!j->ends) {
    const bool begun = j->fd >= 0;
    const double seconds = patience(j);
    if (begun && j->pending.length > 0 && !j->hurries && !j->failed) {
      wait_for(j, seconds < GATHERING ? seconds : GATHERING);
      write_pending(j);
    } else if (seconds > 0.0) {
      wait_for(j, seconds);
    } else {
      write_pending(j);
      j->hurries = false;
    }
  }
  pthread_mutex_unlock(&j->lock);
  return NULL;
}

int cs_journal_begin_writing(struct cs_journal *j, struct cs_error *error) {
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_destroy(&j->wake);
  pthread_cond_init(&j->wake, &clock);
  pthread_condattr_destroy(&clock);
  j->start = j->synced = cs_clock_seconds();
  j->writes = pthread_create(&j->writer, NULL, work, j) == 0;
  return j->writes ? CS_OK : cs_error_set(error, CS_DEVICE, "cannot start a thread: out of resources");
}

void cs_journal_end_writing(struct cs_journal *j) {
  pthread_mutex_lock(&j->lock);
  j->ends = true;
  pthread_cond_signal(&j->wake);
  pthread_mutex_unlock(&j->lock);
  pthread_join(j->writer, NULL);
}

/* ---- from other threads ------------------------------------------------------------------------------------------ */

/* Numbers that lie apart, beside each other. */
static void append_numbers(struct cs_text *text, const double *numbers, size_t count, size_t pitch) {
  enum { AT_ONCE = 64 };
  double part[AT_ONCE];
  for (size_t first = 0; first < count; first += AT_ONCE) {
    const size_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
    for (size_t i = 0; i < some; i++)
      part[i] = numbers[(first + i) * pitch];
    cs_text_append(text, (const char *)part, some * sizeof *part);
  }
}

void cs_journal_add(struct cs_journal *j, const struct cs_journal_entry *entry, const double *numbers, size_t pitch) {
  pthread_mutex_lock(&j->lock);
  while (j->pending.length > MOST_PENDING && !j->failed)
    pthread_cond_wait(&j->room, &j->lock);
  if (!j->failed) {
    if (j->pending.length == 0) pthread_cond_signal(&j->wake);
    cs_text_append(&j->pending, (const char *)entry, sizeof *entry);
    append_numbers(&j->pending, numbers, entry->items, pitch);
    j->pending_runs += entry->pass == CS_PASS_RUNS;
    if (j->pending.failed) {
      cs_error_memory(&j->error);
      j->failed = true;
    }
    if (j->pending.length > MOST_PENDING / 2) pthread_cond_signal(&j->wake);
  }
  pthread_mutex_unlock(&j->lock);
}

bool cs_journal_failed(const struct cs_journal *j) {
  return j->failed;
}

int cs_journal_sync(struct cs_journal *j, bool begin, struct cs_error *error) {
  pthread_mutex_lock(&j->lock);
  if (!j->failed && (j->fd >= 0 || j->busy || begin)) {
    j->hurries = true;
    j->begins = begin;
    pthread_cond_signal(&j->wake);
    while (j->hurries)
      pthread_cond_wait(&j->room, &j->lock);
  }
  const int code = j->failed ? j->error.code : CS_OK;
  if (code != CS_OK) cs_error_set(error, code, "%s", j->error.message);
  pthread_mutex_unlock(&j->lock);
  return code;
}
