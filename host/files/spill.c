#define _GNU_SOURCE /* O_TMPFILE */
#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"
#include "litter.h"
#include "text.h"
#include "words.h"

struct cs_spill {
  char *beside;
  int file;
  uint64_t size;
  uint64_t *part; /* [parts] where each begins */
  size_t parts;
};

static int fail(const struct cs_spill *spill, const char *what, int reason, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "%s: cannot %s the file beside it that has the results meanwhile: %s",
                      spill->beside, what, strerror(reason));
}

/* A file without a name in the folder of `beside`; -1 where the file system makes none. */
static int make_nameless(const char *beside) {
  const char *slash = strrchr(beside, '/');
  struct cs_text folder = {0};
  cs_text_append(&folder, beside, slash == NULL ? 0 : (size_t)(slash - beside) + 1);
  cs_text_add(&folder, ".");
  const int file = folder.failed ? -1 : open(folder.data, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  cs_text_free(&folder);
  return file;
}

/* A file that loses its name at once. */
static int make_and_unlink(const char *beside) {
  struct cs_text name = {0};
  int file = -1;
  cs_text_add(&name, "%s" CS_SPILL_SUFFIX, beside);
  errno = ENOMEM;
  if (!name.failed) {
    cs_litter_begin();
    unlink(name.data); /* of a process that was killed between the two */
    file = open(name.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) unlink(name.data);
    cs_litter_end();
  }
  cs_text_free(&name);
  return file;
}

int cs_spill_open(const char *beside, struct cs_spill **spill, struct cs_error *error) {
  struct cs_spill *new = calloc(1, sizeof *new);
  *spill = NULL;
  if (new == NULL || (new->beside = cs_text_copy(beside)) == NULL) {
    free(new);
    return cs_error_memory(error);
  }
  new->file = make_nameless(beside);
  if (new->file < 0) new->file = make_and_unlink(beside);
  if (new->file < 0) {
    const int code = fail(new, "create", errno, error);
    cs_spill_close(new);
    return code;
  }
  *spill = new;
  return CS_OK;
}

void cs_spill_close(struct cs_spill *spill) {
  if (spill == NULL) return;
  if (spill->file >= 0) close(spill->file);
  free(spill->part);
  free(spill->beside);
  free(spill);
}

/* Where the file system cannot promise room, a write that finds none fails in its turn. */
static int reserve(const struct cs_spill *spill, uint64_t bytes) {
  int reason;
  do
    reason = posix_fallocate(spill->file, (off_t)spill->size, (off_t)bytes);
  while (reason == EINTR);
  if (reason != EINVAL && reason != EOPNOTSUPP && reason != ENODEV) return reason;
  return ftruncate(spill->file, (off_t)(spill->size + bytes)) == 0 ? 0 : errno;
}

int cs_spill_add(struct cs_spill *spill, uint64_t bytes, size_t *part, struct cs_error *error) {
  if (!cs_list_grow(&spill->part, spill->parts, sizeof *spill->part)) return cs_error_memory(error);
  const int reason = reserve(spill, bytes);
  if (reason != 0) {
    struct cs_text room = {0};
    cs_words_add_bytes(&room, (double)bytes);
    const int code =
        cs_error_set(error, CS_IO, "%s: no room beside it for %s of results, which --memory leaves out: %s",
                     spill->beside, cs_text_string(&room), strerror(reason));
    cs_text_free(&room);
    return code;
  }
  *part = spill->parts;
  spill->part[spill->parts++] = spill->size;
  spill->size += bytes;
  return CS_OK;
}

int cs_spill_put(const struct cs_spill *spill, size_t part, uint64_t first, const void *data, size_t bytes,
                 struct cs_error *error) {
  const char *next = data;
  uint64_t at = spill->part[part] + first;
  while (bytes > 0) {
    const ssize_t put = pwrite(spill->file, next, bytes, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(spill, "write", errno, error);
    next += put;
    at += (uint64_t)put;
    bytes -= (size_t)put;
  }
  return CS_OK;
}

int cs_spill_get(const struct cs_spill *spill, size_t part, uint64_t first, void *data, size_t bytes,
                 struct cs_error *error) {
  char *next = data;
  uint64_t at = spill->part[part] + first;
  while (bytes > 0) {
    const ssize_t got = pread(spill->file, next, bytes, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(spill, "read", got < 0 ? errno : EIO, error);
    next += got;
    at += (uint64_t)got;
    bytes -= (size_t)got;
  }
  return CS_OK;
}
