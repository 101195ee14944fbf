/* Devices: list, open, build programs, launch kernels. OpenCL's, of which only device*.c include CL/cl.h, and the host
 * itself, whose kernels are functions. */
#ifndef COSWEEP_DEVICE_H
#define COSWEEP_DEVICE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct cs_device_info {
  int index;
  char name[256], platform[256], platform_version[256], driver[256], version[256];
  bool cpu, gpu, fp64;
  bool host;                       /* this program's own kernels on the processor, without OpenCL */
  bool automatic;                  /* opened as `auto`: the host, with an OpenCL device beside it (cs_device_beside) */
  unsigned double_units;           /* multiply-adds of doubles that a compute unit begins in a cycle */
  unsigned units;                  /* compute units */
  unsigned clock;                  /* MHz; 0: not told */
  unsigned native_width;           /* doubles in a native vector; 0 without fp64 */
  size_t group;                    /* work-items in a work-group, at most */
  uint64_t memory, largest_buffer; /* bytes */
  char trouble[128];               /* why it cannot be used: a property that it does not tell; "" if there is none */
};

struct cs_text;

/* All devices of all platforms, the last one the host; the caller frees *list. `troubles` gets a line for each platform
 * and device that cannot be used, unless it is NULL. */
int cs_device_list(struct cs_device_info **list, size_t *count, struct cs_text *troubles, struct cs_error *error);

/* Whether the device is PoCL's. */
bool cs_device_is_pocl(const struct cs_device_info *info);

struct cs_device;
struct cs_program;
struct cs_kernel;
struct cs_buffer;

/* `choice`: NULL (of OpenCL's devices a CPU with fp64, otherwise one with fp64), an index, "cpu", "gpu", "host", or
 * part of its name or its platform's, ignoring case; if several devices match, that of them which `auto` would take.
 * CS_DEVICE if nothing matches, with a list of the devices; if the device does not tell what it is; or if it has no
 * fp64, naming one that has. */
int cs_device_choose(const struct cs_device_info *list, size_t count, const char *choice, size_t *index,
                     struct cs_error *error);
/* Whether a choice fits a device; NULL fits all of OpenCL's. */
bool cs_device_fits(const struct cs_device_info *info, const char *choice);
/* Multiply-adds of doubles a second that the device may be expected to reach, a first guess: units, their double
 * precision, clock. 0 without fp64, or in trouble. */
double cs_device_rate(const struct cs_device_info *info);
/* Of OpenCL's devices the one with the largest rate, of equal ones PoCL's, then the first. False if none has a rate. */
bool cs_device_choose_best(const struct cs_device_info *list, size_t count, size_t *index);
/* The one that is used if none is named: of COSWEEP_DEVICE, otherwise the host. */
int cs_device_choose_usual(const struct cs_device_info *list, size_t count, size_t *index, struct cs_error *error);
/* Several devices: "all" (those with fp64), or choices as above separated by commas, each a different device. index
 * [count] gets the *chosen ones. */
int cs_device_choose_many(const struct cs_device_info *list, size_t count, const char *choice, size_t *index,
                          size_t *chosen, struct cs_error *error);
/* In the functions below `choice` may also be "auto", and NULL is the device that the environment variable
 * COSWEEP_DEVICE names, otherwise "auto": the host, and where programs of OpenCL pay or the host has no kernels, the
 * best device of OpenCL beside it. "auto" and "host" call no OpenCL. */
bool cs_device_is_automatic(const char *choice);
/* The first device that `choice` names. */
int cs_device_describe(const char *choice, struct cs_device_info *info, struct cs_error *error);
int cs_device_open(const char *choice, struct cs_device **device, struct cs_error *error);
/* The OpenCL device beside one that was opened as "auto", opened by the first call, closed with `device`: that of
 * cs_device_choose_best. NULL if this machine has none. CS_DEVICE, for every call, if it cannot be opened. Not from
 * several threads at once. */
int cs_device_beside(struct cs_device *device, struct cs_device **beside, struct cs_error *error);
/* Says that so many processes share the processors that this one may use: CPUs that are opened from now on are used as
 * if they had their part of them. */
void cs_device_share(size_t processes);
/* Processors that this process may use. */
size_t cs_device_processors(void);

/* The same device with a separate queue, for another thread; programs are shared. Close it before `device`. */
int cs_device_twin(const struct cs_device *device, struct cs_device **twin, struct cs_error *error);
void cs_device_close(struct cs_device *device);
struct cs_devices {
  struct cs_device **device;
  size_t count;
};
int cs_devices_open(const char *choice, struct cs_devices *devices, struct cs_error *error);
void cs_devices_close(struct cs_devices *devices);
const struct cs_device_info *cs_device_info(const struct cs_device *device);

/* Bytes of stack, where private memory of work-items is, that threads of drivers of OpenCL have on CPUs. */
enum { CS_DEVICE_STACK = 8 << 20 };

/* Among options: the source uses no functions of OpenCL but those of declared.cl, and may be built without the others.
 */
#define CS_DEVICE_FEW_FUNCTIONS " -DFEW_FUNCTIONS"
/* Builds OpenCL C 1.2. On failure the compiler's messages are in `error`, shortened to fit. `options` may be NULL. */
int cs_device_program_build(struct cs_device *device, const char *source, const char *options,
                            struct cs_program **program, struct cs_error *error);
/* The same, but uses the program that is still open on the device, or else the one kept in the cache (cache.h) if there
 * is one. Otherwise this process builds it, and others that need it wait until cs_device_program_keep, to be called
 * after every kernel was launched once, because drivers finish building then. cs_device_program_free without
 * cs_device_program_keep lets another process build it; after it, the program may stay open until the device is closed,
 * as opening it takes 50 ms or more even if it was kept. */
int cs_device_program_open(struct cs_device *device, const char *source, const char *options,
                           const volatile sig_atomic_t *stop, struct cs_program **program, struct cs_error *error);
/* Where a program that was opened came from: it was built, the cache had it, or it was still open on the device. */
enum cs_program_origin { CS_PROGRAM_BUILT, CS_PROGRAM_KEPT, CS_PROGRAM_SHARED };
enum cs_program_origin cs_device_program_origin(const struct cs_program *program);
/* Whether the program is still open on the device, or the cache has it. */
bool cs_device_program_is_kept(struct cs_device *device, const char *source, const char *options);
/* A program of the host's kernels. find: the function of a kernel, which gets `variant`, pointers to its arguments
 * (buffers, whose data are aligned to CS_HOST_ALIGNMENT, and numbers), and a range of the work-items of `size`; NULL if
 * there is none of that name. release(made) is called when the program is freed, or at once on failure. */
enum { CS_HOST_ALIGNMENT = 64 };
typedef void cs_host_kernel(const void *variant, void *const *argument, const size_t *first, const size_t *end,
                            const size_t *size, void *memory);
struct cs_host_program {
  void *made;
  const void *variant;
  cs_host_kernel *(*find)(const void *made, const char *name);
  void (*release)(void *made);
  size_t stack, memory; /* bytes that a thread needs: of its stack, and to work in */
};
int cs_device_program_host(struct cs_device *device, const struct cs_host_program *host, struct cs_program **program,
                           struct cs_error *error);
void cs_device_program_keep(struct cs_program *program);
void cs_device_program_free(struct cs_program *program);
int cs_device_kernel_open(struct cs_program *program, const char *name, struct cs_kernel **kernel,
                          struct cs_error *error);
/* Launches go to the queue of `device`, the program's device or a twin of it. */
void cs_device_kernel_use(struct cs_kernel *kernel, struct cs_device *device);
void cs_device_kernel_free(struct cs_kernel *kernel);
/* Work-items of a work-group of the kernel: as many as wanted, halved until it allows them (it may need more registers
 * than so many work-items have). */
size_t cs_device_kernel_side(const struct cs_kernel *kernel, size_t wanted);

int cs_device_buffer_new(struct cs_device *device, size_t bytes, struct cs_buffer **buffer, struct cs_error *error);
void cs_device_buffer_free(struct cs_buffer *buffer);
/* Blocking copies. */
int cs_device_buffer_write(struct cs_buffer *buffer, size_t offset, size_t bytes, const void *data,
                           struct cs_error *error);
int cs_device_buffer_read(struct cs_buffer *buffer, size_t offset, size_t bytes, void *data, struct cs_error *error);

int cs_device_kernel_set_buffer(struct cs_kernel *kernel, unsigned index, struct cs_buffer *buffer,
                                struct cs_error *error);
int cs_device_kernel_set_long(struct cs_kernel *kernel, unsigned index, int64_t value, struct cs_error *error);
/* Local memory of a work-group. */
int cs_device_kernel_set_local(struct cs_kernel *kernel, unsigned index, size_t bytes, struct cs_error *error);
/* Seconds on the device's clock. */
struct cs_span {
  double begin, end;
};
/* Runs a kernel of so many buffers, then long integers, on nothing, in one work-group of `side`: drivers finish
 * building it then. */
int cs_device_kernel_idle(struct cs_kernel *kernel, unsigned buffers, unsigned numbers, unsigned dimensions,
                          size_t side, struct cs_error *error);
/* Enqueues and waits; `dimensions` 1 or 2; local may be NULL. *span (may be NULL) gets the time of execution. */
int cs_device_kernel_run(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, const size_t *local,
                         struct cs_span *span, struct cs_error *error);

#endif
