#define _XOPEN_SOURCE 700
#include "lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 160 };

void cs_lock_sign(int fd) {
  char host[64] = "", since[32] = "", text[LONGEST];
  const time_t now = time(NULL);
  struct tm utc;
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  if (gmtime_r(&now, &utc) != NULL) strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", &utc);
  const int length = snprintf(text, sizeof text, "%s, process %ld, since %s\n", host, (long)getpid(), since);
  if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)length, 0) < length) (void)ftruncate(fd, 0);
}

void cs_lock_add_holder(int fd, struct cs_text *text) {
  char said[LONGEST];
  const ssize_t got = pread(fd, said, sizeof said - 1, 0);
  said[got > 0 ? got : 0] = '\0';
  said[strcspn(said, "\n")] = '\0';
  if (said[0] != '\0')
    cs_text_add_plain(text, said);
  else
    cs_text_add(text, "a process");
}

bool cs_lock_is_unknown(int reason) {
  return reason == ENOSYS || reason == ENOTSUP || reason == EOPNOTSUPP || reason == ENOLCK;
}
