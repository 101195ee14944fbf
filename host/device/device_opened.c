/* Programs that are open on a device, for all who need the same ones: those of the windows of a sweep, of its spectra,
 * or of several sweeps. */
#include <stdlib.h>
#include <string.h>

#include "device_private.h"

/* Of the texts of programs that stay open without users. PoCL takes 20 to 25 times as much for a program. */
#define UNUSED_BYTES ((size_t)8 << 20)

/* The functions below are called with the device's lock. */

static void take_out(struct cs_program *program) {
  struct cs_program **link = &program->device->opened;
  while (*link != program)
    link = &(*link)->next;
  *link = program->next;
}

static void put_first(struct cs_program *program) {
  program->next = program->device->opened;
  program->device->opened = program;
}

/* Takes those out of the list that nobody uses, beyond `bytes` of them; the last used ones stay. */
static struct cs_program *trim(struct cs_device *device, size_t bytes) {
  struct cs_program *out = NULL;
  size_t sum = 0;
  for (struct cs_program *p = device->opened, *next; p != NULL; p = next) {
    next = p->next;
    if (p->users > 0) continue;
    sum += strlen(p->key);
    if (p->whole && sum <= bytes) continue;
    take_out(p);
    p->next = out;
    out = p;
  }
  return out;
}

static void close_all(struct cs_program *list) {
  for (struct cs_program *next; list != NULL; list = next) {
    next = list->next;
    cs_device_program_close(list);
  }
}

/* With the device's lock. */
static struct cs_program *find_whole(const struct cs_device *device, const char *key) {
  struct cs_program *p = device->opened;
  while (p != NULL && (!p->whole || strcmp(p->key, key) != 0))
    p = p->next;
  return p;
}

bool cs_device_opened_has(struct cs_device *device, const char *key) {
  pthread_mutex_lock(&device->lock);
  const bool has = find_whole(device, key) != NULL;
  pthread_mutex_unlock(&device->lock);
  return has;
}

struct cs_program *cs_device_opened_known(struct cs_device *device, const char *key) {
  pthread_mutex_lock(&device->lock);
  struct cs_program *p = find_whole(device, key);
  if (p != NULL) {
    p->users++;
    p->origin = CS_PROGRAM_SHARED;
    take_out(p);
    put_first(p);
  }
  pthread_mutex_unlock(&device->lock);
  return p;
}

void cs_device_opened_add(struct cs_program *program, char *key) {
  pthread_mutex_lock(&program->device->lock);
  program->key = key;
  program->users = 1;
  put_first(program);
  pthread_mutex_unlock(&program->device->lock);
}

void cs_device_opened_leave(struct cs_program *program) {
  struct cs_device *device = program->device;
  pthread_mutex_lock(&device->lock);
  program->users--;
  struct cs_program *out = trim(device, UNUSED_BYTES);
  pthread_mutex_unlock(&device->lock);
  close_all(out);
}

void cs_device_opened_clear(struct cs_device *device) {
  close_all(trim(device, 0));
}
