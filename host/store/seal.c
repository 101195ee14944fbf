#include "seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 18 };

/* The line break before it keeps it apart in the output of tail. */
void cs_seal_print(const struct cs_checksum *sum, char seal[CS_SEAL_BYTES + 1]) {
  snprintf(seal, CS_SEAL_BYTES + 1, "\ncosweep crc64 %016" PRIx64 "\n", sum->value);
}

static int is_seal(const char *end) {
  static const char start[] = "\ncosweep crc64 ";
  return memcmp(end, start, sizeof start - 1) == 0;
}

/* Adds `count` bytes of the file from its beginning; the number of bytes that were there, or -1. */
static ssize_t add_bytes(int fd, size_t count, struct cs_checksum *sum) {
  unsigned char *block = malloc(BLOCK);
  size_t done = 0;
  ssize_t got = block == NULL ? -1 : 1;
  while (done < count && got > 0) {
    got = pread(fd, block, count - done < BLOCK ? count - done : BLOCK, (off_t)done);
    if (got < 0 && errno == EINTR)
      got = 1;
    else if (got > 0)
      cs_checksum_add(sum, block, (size_t)got), done += (size_t)got;
  }
  free(block);
  return got < 0 ? -1 : (ssize_t)done;
}

static int compare(int fd, size_t size, enum cs_seal *seal) {
  char end[CS_SEAL_BYTES + 1], want[CS_SEAL_BYTES + 1];
  struct cs_checksum sum;
  *seal = CS_SEAL_NONE;
  if (size < CS_SEAL_BYTES) return 0;
  const size_t count = size - CS_SEAL_BYTES;
  if (pread(fd, end, CS_SEAL_BYTES, (off_t)count) != CS_SEAL_BYTES) return -1;
  if (!is_seal(end)) return 0;
  cs_checksum_begin(&sum);
  if (add_bytes(fd, count, &sum) != (ssize_t)count) return -1;
  cs_seal_print(&sum, want);
  *seal = memcmp(end, want, CS_SEAL_BYTES) == 0 ? CS_SEAL_RIGHT : CS_SEAL_WRONG;
  return 0;
}

int cs_seal_check(const char *path, enum cs_seal *seal, size_t *size, struct cs_error *error) {
  struct stat state;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer would wait for it */
  if (fd < 0 || fstat(fd, &state) != 0) {
    const int reason = errno;
    if (fd >= 0) close(fd);
    return cs_error_set(error, CS_IO, "%s: cannot open: %s", path, strerror(reason));
  }
  int code = CS_OK;
  if (!S_ISREG(state.st_mode))
    code = cs_error_set(error, CS_IO, "%s: is not a regular file; want a result file of cosweep", path);
  *size = (size_t)state.st_size;
  if (code == CS_OK && compare(fd, *size, seal) != 0)
    code = errno == ENOMEM ? cs_error_memory(error)
                           : cs_error_set(error, CS_IO, "%s: cannot be read: %s", path, strerror(errno));
  close(fd);
  return code;
}
