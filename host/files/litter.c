#include "litter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "list.h"
#include "lock.h"
#include "text.h"

/* A folder NAME.d belongs to a file NAME, which is there before and after it, locked by its owner. */
#define NAME "cosweep-litter-"
#define NAME_ENDS "XXXXXX"
#define FOLDER_ENDS ".d"

struct note {
  char *path;
  int lock; /* of the file that it belongs to; else -1 */
};

static struct {
  pthread_mutex_t lock;
  struct note *item; /* [count] */
  size_t count;
  pid_t *process; /* [processes] */
  size_t processes;
} noted = {.lock = PTHREAD_MUTEX_INITIALIZER};

void cs_litter_begin(void) {
  pthread_mutex_lock(&noted.lock);
}

void cs_litter_end(void) {
  pthread_mutex_unlock(&noted.lock);
}

static void note(const char *path, int lock) {
  char *copy = cs_text_copy(path);
  if (copy != NULL && cs_list_grow(&noted.item, noted.count, sizeof *noted.item))
    noted.item[noted.count++] = (struct note){copy, lock};
  else
    free(copy);
}

void cs_litter_note(const char *path) {
  note(path, -1);
}

void cs_litter_forget(const char *path) {
  size_t kept = 0;
  for (size_t i = 0; i < noted.count; i++) {
    const struct note item = noted.item[i];
    if (strcmp(item.path, path) != 0) {
      noted.item[kept++] = item;
      continue;
    }
    if (item.lock >= 0) close(item.lock);
    free(item.path);
  }
  noted.count = kept;
  if (kept > 0) return;
  free(noted.item);
  noted.item = NULL;
}

void cs_litter_note_process(pid_t process) {
  if (cs_list_grow(&noted.process, noted.processes, sizeof *noted.process)) noted.process[noted.processes++] = process;
}

void cs_litter_forget_process(pid_t process) {
  size_t kept = 0;
  for (size_t i = 0; i < noted.processes; i++)
    if (noted.process[i] != process) noted.process[kept++] = noted.process[i];
  noted.processes = kept;
  if (kept > 0) return;
  free(noted.process);
  noted.process = NULL;
}

static void add_inner(struct cs_text *path, const char *folder, const char *name) {
  cs_text_add(path, "%s/%s", folder, name);
}

void cs_litter_remove_tree(const char *path) {
  if (unlink(path) == 0) return;
  struct cs_text name = {0};
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW); /* not to where somebody's link leads */
  DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
  if (list == NULL && fd >= 0) close(fd);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL; cs_text_free(&name)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    add_inner(&name, path, entry->d_name);
    if (!name.failed) cs_litter_remove_tree(name.data);
  }
  if (list != NULL) closedir(list);
  rmdir(path);
}

/* A compiler that is still at work may make files in a folder while it is emptied, and memory may be short for a
 * moment. */
static void remove_surely(const char *path) {
  const struct timespec pause = {.tv_nsec = 5000000};
  for (int i = 0; i < 20; i++) {
    cs_litter_remove_tree(path);
    if (access(path, F_OK) != 0) return;
    nanosleep(&pause, NULL);
  }
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

static void remove_folder(const char *path) {
  char file[PATH_MAX]; /* also where there is no memory */
  snprintf(file, sizeof file, "%.*s", (int)(strlen(path) - strlen(FOLDER_ENDS)), path);
  remove_surely(path);
  unlink(file);
}

/* Removes a file that nobody has locked any more, and its folder first. */
static void remove_left(const char *path) {
  struct stat file;
  struct cs_text folder = {0};
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  cs_text_add(&folder, "%s" FOLDER_ENDS, path);
  if (fd >= 0 && !folder.failed && fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
      flock(fd, LOCK_EX | LOCK_NB) == 0)
    remove_folder(folder.data);
  if (fd >= 0) close(fd);
  cs_text_free(&folder);
}

/* The same for all that processes which were killed have left in a folder. */
static void remove_all_left(const char *place) {
  DIR *list = opendir(place);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    struct cs_text path = {0};
    const char *name = entry->d_name;
    if (strncmp(name, NAME, strlen(NAME)) != 0 || strlen(name) != strlen(NAME NAME_ENDS)) continue;
    add_inner(&path, place, name);
    if (!path.failed) remove_left(path.data);
    cs_text_free(&path);
  }
  if (list != NULL) closedir(list);
}

/* A new file that is locked; EAGAIN: another process has removed it before that, as one that nobody has locked. Where
 * the file system has no locks nobody does that. */
static int make_file(char *path) {
  struct stat file;
  const int fd = mkstemp(path);
  if (fd < 0) return -1;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
  if (fstat(fd, &file) == 0 && file.st_nlink > 0) return fd;
  unlink(path);
  close(fd);
  errno = EAGAIN;
  return -1;
}

static bool make_noted(const char *place, struct cs_text *path) {
  struct cs_text file = {0};
  cs_text_add(&file, "%s/" NAME NAME_ENDS, place);
  const int fd = file.failed ? -1 : make_file(file.data);
  bool made = false;
  if (fd >= 0) {
    cs_lock_sign(fd);
    cs_text_add(path, "%s" FOLDER_ENDS, file.data);
    made = !path->failed && mkdir(path->data, 0700) == 0;
    const int reason = errno;
    if (made) {
      note(path->data, fd);
    } else {
      unlink(file.data);
      close(fd);
    }
    errno = reason;
  }
  cs_text_free(&file);
  return made;
}

bool cs_litter_make_folder(const char *place, struct cs_text *path) {
  bool made;
  remove_all_left(place);
  cs_litter_begin();
  do
    made = make_noted(place, path);
  while (!made && errno == EAGAIN);
  cs_litter_end();
  return made;
}

void cs_litter_drop_folder(const char *path) {
  cs_litter_begin();
  remove_folder(path);
  cs_litter_forget(path);
  cs_litter_end();
}

const char *cs_litter_place(void) {
  const char *place = getenv("TMPDIR");
  return place != NULL && place[0] != '\0' ? place : "/tmp";
}

/* A thread that is stuck in a file system does not keep the process from ending. */
void cs_litter_remove(void) {
  struct timespec patience;
  clock_gettime(CLOCK_REALTIME, &patience);
  patience.tv_sec++;
  if (pthread_mutex_timedlock(&noted.lock, &patience) != 0) return;
  for (size_t i = 0; i < noted.processes; i++) {
    kill(noted.process[i], SIGKILL);
    kill(-noted.process[i], SIGKILL);
  }
  while (noted.count > 0) {
    const struct note *item = &noted.item[--noted.count];
    (item->lock >= 0 ? remove_folder : remove_surely)(item->path);
  }
}
