/* Clocks, threads, the processor's name. */
#include "measure.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct queue {
  atomic_size_t next;
  size_t items;
  void (*work)(void *context, size_t item);
  void *context;
};

static void *serve(void *argument) {
  struct queue *queue = argument;
  for (size_t item; (item = atomic_fetch_add(&queue->next, 1)) < queue->items;)
    queue->work(queue->context, item);
  return NULL;
}

static double clock_seconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int measure_threads(unsigned threads, size_t items, void (*work)(void *context, size_t item), void *context,
                    struct measured *measured) {
  struct queue queue = {.items = items, .work = work, .context = context};
  pthread_t thread[MAX_THREADS];
  const double wall = clock_seconds(CLOCK_MONOTONIC), core = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  unsigned started = 0;
  while (started < threads && pthread_create(&thread[started], NULL, serve, &queue) == 0)
    started++;
  for (unsigned i = 0; i < started; i++)
    pthread_join(thread[i], NULL);
  measured->seconds = clock_seconds(CLOCK_MONOTONIC) - wall;
  measured->core_seconds = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - core;
  return started == threads ? 0 : -1;
}

void measure_device(char *name, size_t size) {
  snprintf(name, size, "unknown");
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (!file) return;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    size_t length = 0;
    for (const char *from = colon + 1 + strspn(colon + 1, " \t"); *from && length + 1 < size; from++)
      if (*from != '"' && *from != '\\' && *from >= ' ') name[length++] = *from;
    name[length] = '\0';
    break;
  }
  fclose(file);
}

long measure_count(const char *text, long first, long last) {
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  return errno || end == text || *end || value < first || value > last ? -1 : value;
}

unsigned measure_processors(void) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  if (online < 1) return 1;
  return online < MAX_THREADS ? (unsigned)online : MAX_THREADS;
}
