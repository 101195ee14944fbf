#include "litter.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "list.h"
#include "text.h"

static struct {
  pthread_mutex_t lock;
  char **path; /* [count] */
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

void cs_litter_note(const char *path) {
  char *copy = cs_text_copy(path);
  if (copy != NULL && cs_list_grow(&noted.path, noted.count, sizeof *noted.path))
    noted.path[noted.count++] = copy;
  else
    free(copy);
}

void cs_litter_forget(const char *path) {
  size_t kept = 0;
  for (size_t i = 0; i < noted.count; i++)
    if (strcmp(noted.path[i], path) == 0)
      free(noted.path[i]);
    else
      noted.path[kept++] = noted.path[i];
  noted.count = kept;
  if (kept > 0) return;
  free(noted.path);
  noted.path = NULL;
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

void cs_litter_remove_tree(const char *path) {
  if (unlink(path) == 0) return;
  DIR *list = opendir(path);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    struct cs_text name = {0};
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    cs_text_add(&name, "%s/%s", path, entry->d_name);
    if (!name.failed) cs_litter_remove_tree(name.data);
    cs_text_free(&name);
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

bool cs_litter_make_folder(char *path) {
  cs_litter_begin();
  const bool made = mkdtemp(path) != NULL;
  if (made) cs_litter_note(path);
  cs_litter_end();
  return made;
}

void cs_litter_drop_folder(const char *path) {
  cs_litter_begin();
  remove_surely(path);
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
  while (noted.count > 0)
    remove_surely(noted.path[--noted.count]);
}
