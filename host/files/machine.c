#include "machine.h"

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "words.h"

/* A limit from one line of a file; without one, INFINITY. */
static double limit_in(const char *path) {
  double bytes = INFINITY;
  FILE *file = fopen(path, "r");
  if (file == NULL) return bytes;
  if (fscanf(file, "%lf", &bytes) != 1) bytes = INFINITY; /* "max" */
  fclose(file);
  return bytes;
}

static double limit_of(int resource) {
  struct rlimit limit;
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? (double)limit.rlim_cur : INFINITY;
}

double cs_machine_memory(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  double bytes = pages > 0 && size > 0 ? (double)pages * (double)size : INFINITY;
  bytes = fmin(bytes, limit_in("/sys/fs/cgroup/memory.max"));
  bytes = fmin(bytes, limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
  return fmin(bytes, limit_of(RLIMIT_AS));
}

struct cs_machine_use cs_machine_use(void) {
  struct cs_machine_use use = {0.0, 0.0};
  char line[128];
  FILE *file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    double kilobytes;
    if (sscanf(line, "VmRSS: %lf", &kilobytes) == 1) use.now = 1024.0 * kilobytes;
    if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1) use.most = 1024.0 * kilobytes;
  }
  if (file != NULL) fclose(file);
  return use;
}

void cs_machine_forget_most(void) {
  const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)!write(file, "5", 1);
  close(file);
}

void cs_machine_give_back(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static int fail(const char *path, double bytes, double room, const char *what, struct cs_error *error) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s: takes about ", path);
  cs_words_add_bytes(&text, bytes);
  cs_text_add(&text, "; %s ", what);
  cs_words_add_bytes(&text, room);
  const int code = text.failed ? cs_error_memory(error) : cs_error_set(error, CS_IO, "%s", text.data);
  cs_text_free(&text);
  return code;
}

int cs_machine_check_file(const char *path, double bytes, struct cs_error *error) {
  const double limit = limit_of(RLIMIT_FSIZE);
  return bytes > limit ? fail(path, bytes, limit, "the limit of file size (ulimit -f) is", error) : CS_OK;
}

int cs_machine_check_space(const char *path, double bytes, struct cs_error *error) {
  const char *slash = strrchr(path, '/');
  struct cs_text folder = {0};
  struct statvfs there;
  int code = CS_OK;
  cs_text_append(&folder, path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
  cs_text_add(&folder, ".");
  if (folder.failed) code = cs_error_memory(error);
  if (code == CS_OK && statvfs(folder.data, &there) == 0) { /* a folder that is not there is found when it is written */
    const double room = (double)there.f_bavail * (double)there.f_frsize;
    if (bytes > room) code = fail(path, bytes, room, "the free space there is", error);
  }
  cs_text_free(&folder);
  return code;
}
