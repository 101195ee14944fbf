#include "claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "litter.h"
#include "lock.h"
#include "print.h"
#include "text.h"

struct cs_claim {
  char *path, *part, *lock, *directory;
  int lock_fd, part_fd; /* -1 while closed */
  int force;
  int unfinished; /* the .part file exists */
  int failure;    /* errno of the first call on it that failed; 0 while all is well */
  uint64_t size;  /* bytes behind which nothing was written */
};

/* Of the process. */
static atomic_size_t expected = 1, committed;

enum { WRITE_AT_ONCE = 1 << 30 }; /* bytes; some systems write at most 2 GiB per call */

/* Both return NULL when out of memory. */
static char *directory_of(const char *path) {
  struct cs_text text = {0};
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    cs_text_add(&text, ".");
  else
    cs_text_append(&text, path, slash == path ? 1 : (size_t)(slash - path));
  if (text.failed) cs_text_free(&text);
  return text.data;
}

static char *with_suffix(const char *path, const char *suffix) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s%s", path, suffix);
  if (text.failed) cs_text_free(&text);
  return text.data;
}

/* Fails unless the path is free or may be overwritten. */
static int check_target(const struct cs_claim *claim, struct cs_error *error) {
  struct stat target;
  if (stat(claim->path, &target) != 0) return CS_OK;
  if (S_ISDIR(target.st_mode))
    return cs_error_set(error, CS_IO, "%s: is a directory; want the name of a file", claim->path);
  if (!S_ISREG(target.st_mode))
    return cs_error_set(error, CS_IO, "%s: is not a regular file; want the name of a file", claim->path);
  if (!claim->force) return cs_error_set(error, CS_IO, "%s: exists; --force overwrites it", claim->path);
  return CS_OK;
}

static int fail_create(const struct cs_claim *claim, const char *file, struct cs_error *error) {
  int reason = errno;
  if (reason == ENOENT || reason == ENOTDIR)
    return cs_error_set(error, CS_IO, "%s: there is no directory \"%s\"; want one that exists", claim->path,
                        claim->directory);
  if (reason == EACCES || reason == EROFS || reason == EPERM)
    return cs_error_set(error, CS_IO, "%s: cannot create %s (%s); want a directory that can be written", claim->path,
                        file, strerror(reason));
  return cs_error_set(error, CS_IO, "%s: cannot create %s: %s", claim->path, file, strerror(reason));
}

/* Whether `name` still refers to the file open as `fd`. */
static int same_file(int fd, const char *name) {
  struct stat held, named;
  return fstat(fd, &held) == 0 && stat(name, &named) == 0 && held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* A file that this process has `made` for a lock that cannot be had is removed; one of another process is not. */
static int fail_lock(const struct cs_claim *claim, int fd, bool made, struct cs_error *error) {
  const int reason = errno;
  struct cs_text holder = {0};
  int code;
  cs_lock_add_holder(fd, &holder);
  if (made && reason != EWOULDBLOCK && same_file(fd, claim->lock)) unlink(claim->lock);
  close(fd);
  if (reason == EWOULDBLOCK)
    code = cs_error_set(error, CS_IO, "%s: another process is writing it (%s); want another name, or wait", claim->path,
                        cs_text_string(&holder));
  else if (cs_lock_is_unknown(reason))
    code = cs_error_set(error, CS_IO,
                        "%s: left by %s, or in use: this file system has no locks; want it removed if that process is "
                        "gone",
                        claim->lock, cs_text_string(&holder));
  else
    code = cs_error_set(error, CS_IO, "%s: cannot lock %s: %s; want a file system with locks", claim->path, claim->lock,
                        strerror(reason));
  cs_text_free(&holder);
  return code;
}

/* Opens the lock file; *made: this process has made it. -1 with errno. */
static int open_lock(const struct cs_claim *claim, bool *made) {
  enum { FLAGS = O_RDWR | O_CLOEXEC | O_NOFOLLOW };
  int fd;
  do { /* it may be removed between the two */
    fd = open(claim->lock, FLAGS | O_CREAT | O_EXCL, 0666);
    *made = fd >= 0;
    if (fd < 0 && errno == EEXIST) fd = open(claim->lock, FLAGS);
  } while (fd < 0 && errno == ENOENT && access(claim->directory, F_OK) == 0);
  return fd;
}

/* The owner removes the lock file while it holds the lock. A process that opened the file before and locks it
 * afterwards has locked a file without a name: hence the check and the retry. Where the file system has no locks, that
 * the file is there stands in for one. */
static int take_lock(struct cs_claim *claim, struct cs_error *error) {
  for (;;) {
    bool made;
    int fd = open_lock(claim, &made), locked;
    if (fd < 0) return fail_create(claim, claim->lock, error);
    do
      locked = flock(fd, LOCK_EX | LOCK_NB);
    while (locked != 0 && errno == EINTR);
    const bool stands_in = locked != 0 && made && cs_lock_is_unknown(errno);
    if (locked != 0 && !stands_in) return fail_lock(claim, fd, made, error);
    if (stands_in)
      cs_print_message("cosweep: %s: this file system has no locks; the file %s stands in for one\n", claim->path,
                       claim->lock);
    if (stands_in || same_file(fd, claim->lock)) {
      cs_lock_sign(fd);
      claim->lock_fd = fd;
      cs_litter_note(claim->lock);
      return CS_OK;
    }
    close(fd);
  }
}

/* Under the lock an existing .part has no owner. It is removed and created anew, so that no link is followed. */
static int make_part(struct cs_claim *claim, struct cs_error *error) {
  if (unlink(claim->part) != 0 && errno != ENOENT)
    return cs_error_set(error, CS_IO, "%s: cannot remove the unfinished %s: %s", claim->path, claim->part,
                        strerror(errno));
  claim->part_fd = open(claim->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (claim->part_fd < 0) return fail_create(claim, claim->part, error);
  claim->unfinished = 1;
  cs_litter_note(claim->part);
  return CS_OK;
}

/* Makes both files. */
static int make_files(struct cs_claim *claim, struct cs_error *error) {
  cs_litter_begin();
  int code = take_lock(claim, error);
  if (code == CS_OK) code = check_target(claim, error);
  if (code == CS_OK) code = make_part(claim, error);
  cs_litter_end();
  return code;
}

int cs_claim_open(const char *path, int force, struct cs_claim **claim, struct cs_error *error) {
  *claim = NULL;
  struct cs_claim *new = calloc(1, sizeof *new);
  if (new == NULL) return cs_error_memory(error);
  int code = CS_OK;
  new->lock_fd = new->part_fd = -1;
  new->force = force;
  new->path = cs_text_copy(path);
  new->part = with_suffix(path, CS_CLAIM_PART);
  new->lock = with_suffix(path, CS_CLAIM_LOCK);
  new->directory = directory_of(path);
  if (new->path == NULL || new->part == NULL || new->lock == NULL || new->directory == NULL) {
    code = cs_error_memory(error);
    goto out;
  }
  if (path[0] == '\0') {
    code = cs_error_set(error, CS_IO, "\"\": is not a file name; want the name of a file");
    goto out;
  }
  /* Checked before locking, so that no lock file is created in vain, and again under the lock, because its previous
   * holder may have finished the file. */
  code = check_target(new, error);
  if (code == CS_OK) code = make_files(new, error);
  if (code != CS_OK) goto out;
  *claim = new;
  new = NULL;
out:
  cs_claim_close(new);
  return code;
}

const char *cs_claim_path(const struct cs_claim *claim) {
  return claim->path;
}

static int fail_write(const struct cs_claim *claim, const char *file, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "%s: cannot write %s: %s", claim->path, file, strerror(errno));
}

void cs_claim_put(struct cs_claim *claim, uint64_t at, const void *data, size_t bytes) {
  const char *next = data;
  while (bytes > 0 && claim->failure == 0) {
    const ssize_t put = pwrite(claim->part_fd, next, bytes < WRITE_AT_ONCE ? bytes : WRITE_AT_ONCE, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      claim->failure = errno;
      return;
    }
    next += put;
    at += (uint64_t)put;
    bytes -= (size_t)put;
    if (at > claim->size) claim->size = at;
  }
}

void cs_claim_get(struct cs_claim *claim, uint64_t at, void *data, size_t bytes) {
  char *next = data;
  while (bytes > 0 && claim->failure == 0) {
    const ssize_t got = pread(claim->part_fd, next, bytes, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) claim->failure = errno;
    if (got <= 0) break;
    next += got;
    at += (uint64_t)got;
    bytes -= (size_t)got;
  }
  memset(next, 0, bytes);
}

void cs_claim_cut(struct cs_claim *claim, uint64_t size) {
  if (claim->failure != 0 || size == claim->size) return;
  if (ftruncate(claim->part_fd, (off_t)size) != 0)
    claim->failure = errno;
  else
    claim->size = size;
}

uint64_t cs_claim_size(const struct cs_claim *claim) {
  return claim->size;
}

int cs_claim_check(const struct cs_claim *claim, struct cs_error *error) {
  if (claim->failure == 0) return CS_OK;
  errno = claim->failure;
  return fail_write(claim, claim->part, error);
}

int cs_claim_append(struct cs_claim *claim, const void *data, size_t bytes, struct cs_error *error) {
  cs_claim_put(claim, claim->size, data, bytes);
  return cs_claim_check(claim, error);
}

static int write_part(struct cs_claim *claim, const void *data, size_t bytes, struct cs_error *error) {
  const int code = cs_claim_append(claim, data, bytes, error);
  if (code != CS_OK) return code;
  if (fsync(claim->part_fd) != 0) return fail_write(claim, claim->part, error);
  int closed = close(claim->part_fd);
  claim->part_fd = -1;
  return closed == 0 ? CS_OK : fail_write(claim, claim->part, error);
}

/* Makes the rename survive a power failure, where the directory can be read and its file system can do that. Without it
 * the file is complete and new all the same: a failure would not be the truth. */
static void sync_directory(const struct cs_claim *claim) {
  int fd = open(claim->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

/* A file that is replaced keeps who may read and write it; to be called before there is anything in the new one. */
static int keep_mode(const struct cs_claim *claim, struct cs_error *error) {
  struct stat old;
  if (stat(claim->path, &old) != 0) return CS_OK;
  return fchmod(claim->part_fd, old.st_mode & 0777) == 0 ? CS_OK : fail_write(claim, claim->part, error);
}

int cs_claim_commit(struct cs_claim *claim, const void *data, size_t bytes, struct cs_error *error) {
  int code = keep_mode(claim, error);
  if (code == CS_OK) code = write_part(claim, data, bytes, error);
  if (code == CS_OK) code = check_target(claim, error);
  if (code != CS_OK) return code;
  cs_litter_begin();
  if (rename(claim->part, claim->path) != 0)
    code = cs_error_set(error, CS_IO, "%s: cannot rename %s: %s", claim->path, claim->part, strerror(errno));
  else
    claim->unfinished = 0;
  if (code == CS_OK) {
    cs_litter_forget(claim->part);
    committed++;
  }
  cs_litter_end();
  if (code == CS_OK) sync_directory(claim);
  return code;
}

void cs_claim_expect(size_t files) {
  expected = files;
}

bool cs_claim_is_met(void) {
  return committed > 0 && committed >= expected;
}

static void remove_noted(const char *path) {
  unlink(path);
  cs_litter_forget(path);
}

void cs_claim_close(struct cs_claim *claim) {
  if (claim == NULL) return;
  cs_litter_begin();
  if (claim->unfinished) remove_noted(claim->part);
  if (claim->part_fd >= 0) close(claim->part_fd);
  if (claim->lock_fd >= 0) {
    remove_noted(claim->lock); /* while it is locked: see take_lock */
    close(claim->lock_fd);
  }
  cs_litter_end();
  free(claim->path);
  free(claim->part);
  free(claim->lock);
  free(claim->directory);
  free(claim);
}
