#include "claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

struct cs_claim {
  char *path, *part, *lock, *directory;
  int fd; /* of the lock; -1 until it is ours */
  int force;
  int unfinished; /* the .part file is there */
};

/* These two return NULL when memory is short. */
static char *directory_of(const char *path) {
  struct cs_text text = {0};
  const char *slash = strrchr(path, '/');
  if (!slash)
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

/* Is the name free, or may what is there be overwritten? */
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

/* Is the file behind `fd` still the one of that name? */
static int same_file(int fd, const char *name) {
  struct stat held, named;
  return fstat(fd, &held) == 0 && stat(name, &named) == 0 && held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* The owner removes the lock file while holding it. Who opened that file before and locks it afterwards holds a lock
 * on nothing: hence the look at the name, and another try. */
static int take_lock(struct cs_claim *claim, struct cs_error *error) {
  for (;;) {
    int fd = open(claim->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return fail_create(claim, claim->lock, error);
    int locked;
    do
      locked = flock(fd, LOCK_EX | LOCK_NB);
    while (locked != 0 && errno == EINTR);
    if (locked != 0) {
      int reason = errno;
      close(fd);
      if (reason == EWOULDBLOCK)
        return cs_error_set(error, CS_IO, "%s: another process is writing it; want another name, or wait", claim->path);
      return cs_error_set(error, CS_IO, "%s: cannot lock %s: %s; want a file system with locks", claim->path,
                          claim->lock, strerror(reason));
    }
    if (same_file(fd, claim->lock)) {
      claim->fd = fd;
      return CS_OK;
    }
    close(fd);
  }
}

/* Under the lock any .part there is has no owner. It is made anew, so that a link in its place is not followed. */
static int make_part(struct cs_claim *claim, struct cs_error *error) {
  if (unlink(claim->part) != 0 && errno != ENOENT)
    return cs_error_set(error, CS_IO, "%s: cannot remove the unfinished %s: %s", claim->path, claim->part,
                        strerror(errno));
  int fd = open(claim->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) return fail_create(claim, claim->part, error);
  close(fd);
  claim->unfinished = 1;
  return CS_OK;
}

int cs_claim_open(const char *path, int force, struct cs_claim **claim, struct cs_error *error) {
  *claim = NULL;
  struct cs_claim *new = calloc(1, sizeof *new);
  if (!new) return cs_error_memory(error);
  int code = CS_OK;
  new->fd = -1;
  new->force = force;
  new->path = cs_text_copy(path);
  new->part = with_suffix(path, ".part");
  new->lock = with_suffix(path, ".lock");
  new->directory = directory_of(path);
  if (!new->path || !new->part || !new->lock || !new->directory) {
    code = cs_error_memory(error);
    goto out;
  }
  if (path[0] == '\0') {
    code = cs_error_set(error, CS_IO, "\"\": names no file; want the name of a file");
    goto out;
  }
  /* Before the lock, so that nothing is made where nothing may be written; and again under it, because the process
   * that had the lock until now has finished the file. */
  code = check_target(new, error);
  if (code == CS_OK) code = take_lock(new, error);
  if (code == CS_OK) code = check_target(new, error);
  if (code == CS_OK) code = make_part(new, error);
  if (code) goto out;
  *claim = new;
  new = NULL;
out:
  cs_claim_close(new);
  return code;
}

const char *cs_claim_path(const struct cs_claim *claim) {
  return claim->path;
}

const char *cs_claim_part(const struct cs_claim *claim) {
  return claim->part;
}

/* Waits until what was written under `name`, a file or a directory, is on the disk. */
static int sync_file(const struct cs_claim *claim, const char *name, int flags, struct cs_error *error) {
  int fd = open(name, flags | O_CLOEXEC);
  int failed = fd < 0 || fsync(fd) != 0;
  int reason = errno;
  if (fd >= 0 && close(fd) != 0 && !failed) {
    failed = 1;
    reason = errno;
  }
  /* Some file systems cannot sync a directory, and say so. */
  if (!failed || (reason == EINVAL && (flags & O_DIRECTORY))) return CS_OK;
  return cs_error_set(error, CS_IO, "%s: cannot write %s to the disk: %s", claim->path, name, strerror(reason));
}

int cs_claim_commit(struct cs_claim *claim, struct cs_error *error) {
  int code = sync_file(claim, claim->part, O_RDWR, error);
  if (code == CS_OK) code = check_target(claim, error);
  if (code) return code;
  if (rename(claim->part, claim->path) != 0)
    return cs_error_set(error, CS_IO, "%s: cannot rename %s: %s", claim->path, claim->part, strerror(errno));
  claim->unfinished = 0;
  return sync_file(claim, claim->directory, O_RDONLY | O_DIRECTORY, error);
}

void cs_claim_close(struct cs_claim *claim) {
  if (!claim) return;
  if (claim->unfinished) unlink(claim->part);
  if (claim->fd >= 0) {
    unlink(claim->lock); /* while it is locked: see take_lock */
    close(claim->fd);
  }
  free(claim->path);
  free(claim->part);
  free(claim->lock);
  free(claim->directory);
  free(claim);
}
