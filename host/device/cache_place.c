#include "cache_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "list.h"
#include "litter.h"
#include "text.h"

enum {
  ROOM = 4 << 20,            /* bytes that must be free for a scratch directory; one program takes half a MiB */
  KEPT_SECONDS = 90 * 86400, /* programs unused for longer are removed */
  KEPT_MB = 1000,            /* that they may take, unless COSWEEP_CACHE_MB says */
  DEAD_SECONDS = 3600        /* older files of dead processes are removed */
};

/* One per process, because PoCL reads its environment once and then works in one directory. */
static struct cs_cache_place place;
static pthread_once_t chosen = PTHREAD_ONCE_INIT, chosen_for_binaries = PTHREAD_ONCE_INIT;
static pid_t owner;

void cs_cache_place_warn(const char *format, ...) {
  if (place.warning[0] != '\0') return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(place.warning, sizeof place.warning, format, arguments);
  va_end(arguments);
}

char *cs_cache_place_join(const char *directory, const char *name) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s/%s", directory, name);
  if (text.failed) cs_text_free(&text);
  return text.data;
}

int cs_cache_place_make(const char *path) {
  char *part = cs_text_copy(path);
  if (part == NULL) {
    errno = ENOMEM;
    return -1;
  }
  for (char *end = part; *end != '\0'; end++) {
    if (*end != '/' || end == part) continue;
    *end = '\0';
    mkdir(part, 0700); /* failures show when the last one is made */
    *end = '/';
  }
  struct stat status;
  int result = mkdir(part, 0700);
  if (result != 0 && errno == EEXIST) {
    result = stat(part, &status);
    if (result == 0 && !S_ISDIR(status.st_mode)) {
      errno = ENOTDIR;
      result = -1;
    }
  }
  free(part);
  return result;
}

void cs_cache_place_walk(const char *path, void (*visit)(const char *path, const struct stat *status, void *context),
                         void *context) {
  DIR *list = opendir(path);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    struct stat status;
    char *name = cs_cache_place_join(path, entry->d_name);
    if (name != NULL && lstat(name, &status) == 0) {
      if (S_ISDIR(status.st_mode)) cs_cache_place_walk(name, visit, context);
      visit(name, &status, context);
    }
    free(name);
  }
  if (list != NULL) closedir(list);
}

/* ---- PoCL's directory -------------------------------------------------------------------------------------------- */

/* Whether files can be written to a directory and code in them executed; PoCL ends the process if it cannot. */
static bool serves(const char *directory) {
  struct cs_text path = {0};
  struct rlimit limit;
  cs_text_add(&path, "%s/probe-XXXXXX", directory);
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < ROOM) path.failed = 1; /* trying ends in a signal */
  cs_litter_begin();
  const int fd = path.failed ? -1 : mkstemp(path.data);
  if (fd >= 0) cs_litter_note(path.data);
  cs_litter_end();
  bool good = false;
  if (fd >= 0) {
    good = posix_fallocate(fd, 0, ROOM) == 0;
    if (good) {
      void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
      good = code != MAP_FAILED;
      if (good) munmap(code, 4096);
    }
    cs_litter_begin();
    unlink(path.data);
    cs_litter_forget(path.data);
    cs_litter_end();
    close(fd);
  }
  cs_text_free(&path);
  return good;
}

static char *make_scratch(const char *parent) {
  struct cs_text path = {0};
  const bool made = cs_litter_make_folder(parent, &path);
  if (made && serves(path.data)) return path.data;
  if (made) cs_litter_drop_folder(path.data);
  cs_text_free(&path);
  return NULL;
}

static void remove_scratch(void) {
  if (getpid() == owner) cs_litter_drop_folder(place.scratch); /* not when a fork of the process ends */
}

/* Prefers the directory of kept programs to those for temporary files; a home may be full or not allow execution. */
static void choose_scratch(void) {
  char *beside = place.kept != NULL ? cs_cache_place_join(place.kept, "run") : NULL;
  place.no_memory |= place.kept != NULL && beside == NULL;
  if (beside != NULL && cs_cache_place_make(beside) == 0) place.scratch = make_scratch(beside);
  free(beside);
  const char *const other[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"};
  for (size_t i = 0; i < sizeof other / sizeof *other && place.scratch == NULL; i++)
    if (other[i] != NULL && other[i][0] == '/') place.scratch = make_scratch(other[i]);
  if (place.scratch == NULL) {
    cs_cache_place_warn("built programs are not kept: no directory has room for temporary files that can be run");
    return;
  }
  owner = getpid();
  setenv("POCL_CACHE_DIR", place.scratch, 1);
  atexit(remove_scratch);
}

/* ---- the kept programs' directory -------------------------------------------------------------------------------- */

/* Programs are code: only this user or root may be able to write them. */
static bool is_trusted(const struct stat *status) {
  return (status->st_uid == geteuid() || status->st_uid == 0) && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The path of a directory, independent of the working directory. */
static char *absolute(const char *path) {
  char here[4096];
  if (path[0] == '/') return cs_text_copy(path);
  return cs_cache_place_join(getcwd(here, sizeof here) != NULL ? here : ".", path);
}

static void choose_kept(const char *choice) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char *path = NULL;
  if (choice != NULL) {
    path = absolute(choice);
  } else if (cache != NULL && cache[0] == '/') {
    path = cs_cache_place_join(cache, "cosweep");
  } else if (home != NULL && home[0] == '/') {
    path = cs_cache_place_join(home, ".cache/cosweep");
  } else {
    cs_cache_place_warn("built programs are not kept: HOME is not set");
    return;
  }
  struct stat status;
  const bool made = path != NULL && cs_cache_place_make(path) == 0 && stat(path, &status) == 0;
  place.no_memory |= path == NULL || (!made && errno == ENOMEM);
  if (path == NULL) return;
  if (!made)
    cs_cache_place_warn("built programs are not kept: %s: %s", path, strerror(errno));
  else if (!is_trusted(&status))
    cs_cache_place_warn("built programs are not kept: %s: another user owns it or can write to it", path);
  else
    place.kept = path;
  if (place.kept != path) free(path);
}

static bool is_unlocked(const char *path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool unlocked = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return unlocked;
}

/* Seconds for which a file with that name is kept (cache.c); 0: not a file of the cache, as the directory may contain
 * others. */
static time_t life_of_file(const char *name) {
  enum { DIGITS = 16 };
  const char *hash = name + strlen("cosweep-");
  if (strncmp(name, "cosweep-", strlen("cosweep-")) != 0) return 0;
  if (strspn(hash, "0123456789abcdef") != DIGITS) return 0;
  const char *rest = hash + DIGITS;
  if (strcmp(rest, ".program") == 0 || strcmp(rest, ".lock") == 0) return KEPT_SECONDS;
  const size_t part = strlen(".program.part-");
  return strncmp(rest, ".program.part-", part) == 0 && strlen(rest) == part + 6 ? DEAD_SECONDS : 0;
}

/* Removes programs unused for long. */
static void clean(const char *directory) {
  const time_t now = time(NULL);
  DIR *list = opendir(directory);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    struct stat status;
    char *path = cs_cache_place_join(directory, entry->d_name);
    if (path != NULL && lstat(path, &status) == 0) {
      const time_t life = S_ISREG(status.st_mode) ? life_of_file(entry->d_name) : 0;
      if (life > 0 && now - status.st_mtime > life && is_unlocked(path)) unlink(path);
    }
    free(path);
  }
  if (list != NULL) closedir(list);
}

struct kept_file {
  char *path;
  struct timespec used;
  off_t bytes;
};

static int compare_use(const void *a, const void *b) {
  const struct timespec *x = &((const struct kept_file *)a)->used, *y = &((const struct kept_file *)b)->used;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? 1 : -1;
  return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

/* Another process that does the same at this moment removes the same ones; who has one open reads on. */
void cs_cache_place_trim(void) {
  struct kept_file *file = NULL;
  size_t files = 0;
  double bytes = 0.0;
  DIR *list = place.kept != NULL ? opendir(place.kept) : NULL;
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    struct stat status;
    const char *ending = strrchr(entry->d_name, '.');
    if (life_of_file(entry->d_name) == 0 || strcmp(ending, ".program") != 0) continue;
    char *path = cs_cache_place_join(place.kept, entry->d_name);
    if (path != NULL && lstat(path, &status) == 0 && S_ISREG(status.st_mode) &&
        cs_list_grow(&file, files, sizeof *file))
      file[files++] = (struct kept_file){path, status.st_mtim, status.st_size};
    else
      free(path);
  }
  if (list != NULL) closedir(list);
  if (files > 0) qsort(file, files, sizeof *file, compare_use);
  for (size_t i = 0; i < files; i++) {
    bytes += (double)file[i].bytes;
    if (bytes > place.room) unlink(file[i].path);
    free(file[i].path);
  }
  free(file);
}

/* False if there is no saying how much programs may take. */
static bool choose_room(void) {
  const char *choice = getenv("COSWEEP_CACHE_MB");
  char *end = NULL;
  place.room = choice != NULL && choice[0] != '\0' ? strtod(choice, &end) * 1e6 : KEPT_MB * 1e6;
  if (end == NULL || (*end == '\0' && choice[0] >= '0' && choice[0] <= '9' && place.room < 1e18)) return true;
  cs_cache_place_warn("built programs are not kept: COSWEEP_CACHE_MB=%s; want a number of MB", choice);
  return false;
}

static void keep_in(const char *choice) {
  if (choose_room()) choose_kept(choice);
  if (place.kept == NULL) return;
  clean(place.kept);
  cs_cache_place_trim();
}

static void choose(void) {
  const char *choice = getenv("COSWEEP_CACHE"), *pocl = getenv("POCL_CACHE_DIR");
  const bool off = choice != NULL && strcmp(choice, "off") == 0;
  if (choice != NULL && choice[0] == '\0') choice = NULL;
  if ((choice == NULL || off) && pocl != NULL && cs_cache_place_make(pocl) == 0 && serves(pocl)) {
    if (!off) place.shared = cs_text_copy(pocl);
    place.no_memory |= !off && place.shared == NULL;
    return;
  }
  if (!off) keep_in(choice);
  choose_scratch();
}

/* Only a folder of PoCL's was named (choose). */
static void choose_for_binaries(void) {
  if (place.shared != NULL) keep_in(NULL);
}

const struct cs_cache_place *cs_cache_place(void) {
  pthread_once(&chosen, choose);
  return &place;
}

const struct cs_cache_place *cs_cache_place_of_binaries(void) {
  pthread_once(&chosen, choose);
  pthread_once(&chosen_for_binaries, choose_for_binaries);
  return &place;
}
