/* OpenCL: list, open, build, launch. The only module (device*.c) that includes CL/cl.h. */
#ifndef COSWEEP_DEVICE_H
#define COSWEEP_DEVICE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct cs_device_info {
  int index;
  char name[256], platform[256], driver[256], version[256];
  bool cpu, gpu, fp64;
  unsigned units;                  /* compute units */
  unsigned native_width;           /* doubles in a native vector; 0 without fp64 */
  uint64_t memory, largest_buffer; /* bytes */
};

/* All devices of all platforms; *list is owned by the caller (free). No device is not an error here: *count is 0. */
int cs_device_list(struct cs_device_info **list, size_t *count, struct cs_error *error);

/* Its programs are kept in cosweep's own cache; other drivers keep theirs themselves. */
bool cs_device_is_pocl(const struct cs_device_info *info);

struct cs_device;
struct cs_program;
struct cs_kernel;
struct cs_buffer;

/* `choice`: NULL (the first CPU device, else the first with fp64), an index, "cpu", "gpu", or part of a name, in which
 * capitals do not matter; where several devices match, the first with fp64.
 * CS_DEVICE when nothing matches, with the list of devices; when the device has no fp64, naming one that has. */
int cs_device_choose(const struct cs_device_info *list, size_t count, const char *choice, size_t *index,
                     struct cs_error *error);
/* Several: "all" (with fp64), or such choices with commas between them, each another device; index [count]. */
int cs_device_choose_many(const struct cs_device_info *list, size_t count, const char *choice, size_t *index,
                          size_t *chosen, struct cs_error *error);
int cs_device_open(const char *choice, struct cs_device **device, struct cs_error *error);
/* The same device with a queue of its own, for another thread; programs are shared. To be closed before `device`. */
int cs_device_twin(const struct cs_device *device, struct cs_device **twin, struct cs_error *error);
void cs_device_close(struct cs_device *device);
struct cs_devices {
  struct cs_device **device;
  size_t count;
};
int cs_devices_open(const char *choice, struct cs_devices *devices, struct cs_error *error);
void cs_devices_close(struct cs_devices *devices);
const struct cs_device_info *cs_device_info(const struct cs_device *device);

/* Builds OpenCL C 1.2. On failure the compiler's own messages are in error (shortened to fit). */
int cs_program_build(struct cs_device *device, const char *source, const char *options, struct cs_program **program,
                     struct cs_error *error);
/* The same, but a program that was kept (cache.h) is not built again. Else this process is the one that builds it, and
 * others wait for it, until cs_program_keep: to be called when every kernel was launched once, for drivers finish
 * building then. cs_program_free without it leaves the program to others. */
int cs_program_open(struct cs_device *device, const char *source, const char *options,
                    const volatile sig_atomic_t *stop, struct cs_program **program, struct cs_error *error);
void cs_program_keep(struct cs_program *program);
void cs_program_free(struct cs_program *program);
int cs_kernel_open(struct cs_program *program, const char *name, struct cs_kernel **kernel, struct cs_error *error);
/* Launches go to the queue of `device`, a twin of the program's device. */
void cs_kernel_use(struct cs_kernel *kernel, struct cs_device *device);
void cs_kernel_free(struct cs_kernel *kernel);

int cs_buffer_new(struct cs_device *device, size_t bytes, struct cs_buffer **buffer, struct cs_error *error);
void cs_buffer_free(struct cs_buffer *buffer);
/* Blocking copies. */
int cs_buffer_write(struct cs_buffer *buffer, size_t offset, size_t bytes, const void *data, struct cs_error *error);
int cs_buffer_read(struct cs_buffer *buffer, size_t offset, size_t bytes, void *data, struct cs_error *error);

int cs_kernel_set_buffer(struct cs_kernel *kernel, unsigned index, struct cs_buffer *buffer, struct cs_error *error);
int cs_kernel_set_long(struct cs_kernel *kernel, unsigned index, int64_t value, struct cs_error *error);
/* Local memory of a work-group. */
int cs_kernel_set_local(struct cs_kernel *kernel, unsigned index, size_t bytes, struct cs_error *error);
/* Seconds of a device's own clock. */
struct cs_span {
  double begin, end;
};
/* Enqueues and waits; `dimensions` 1 or 2; local may be NULL. *span (may be NULL) gets when the device was at it. */
int cs_kernel_run(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, const size_t *local,
                  struct cs_span *span, struct cs_error *error);

#endif
