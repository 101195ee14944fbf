/* Shared by device*.c. */
#ifndef COSWEEP_DEVICE_PRIVATE_H
#define COSWEEP_DEVICE_PRIVATE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>

#include "device.h"

/* What devices of a kind do. Whoever calls has checked indices and ranges, and frees what could not be opened. */
struct cs_device_kind {
  int (*open)(struct cs_device *device, const struct cs_device *twin, struct cs_error *error); /* twin: or NULL */
  void (*close)(struct cs_device *device);
  void (*keep_program)(struct cs_program *program);
  void (*close_program)(struct cs_program *program);
  int (*open_kernel)(struct cs_kernel *kernel, const struct cs_program *program, struct cs_error *error);
  void (*close_kernel)(struct cs_kernel *kernel);
  int (*set_buffer)(struct cs_kernel *kernel, unsigned index, struct cs_buffer *buffer, struct cs_error *error);
  int (*set_long)(struct cs_kernel *kernel, unsigned index, int64_t value, struct cs_error *error);
  int (*set_local)(struct cs_kernel *kernel, unsigned index, size_t bytes, struct cs_error *error);
  int (*run)(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, const size_t *local,
             struct cs_span *span, struct cs_error *error);
  int (*open_buffer)(struct cs_buffer *buffer, struct cs_error *error);
  void (*close_buffer)(struct cs_buffer *buffer);
  int (*write)(struct cs_buffer *buffer, size_t offset, size_t bytes, const void *data, struct cs_error *error);
  int (*read)(struct cs_buffer *buffer, size_t offset, size_t bytes, void *data, struct cs_error *error);
};
extern const struct cs_device_kind cs_device_opencl, cs_device_host;

struct cs_device {
  const struct cs_device_kind *kind;
  struct cs_device_info info;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  struct cs_device *beside; /* cs_device_beside, once it was called; closed with this one */
  bool sought;              /* it was */
  int code;                 /* of opening it */
  struct cs_error error;
  pthread_mutex_t lock;      /* for the list of programs, and what they say of their users */
  struct cs_program *opened; /* programs that can be shared (device_opened.c), the one used last first */
};

struct cs_program {
  struct cs_device *device; /* borrowed, as in buffers */
  cl_program program;
  struct cs_cache_entry *entry; /* NULL: not kept */
  struct cs_host_program host;  /* on the host, in place of both */
  enum cs_program_origin origin;
  /* in the list of programs that can be shared: */
  char *key; /* NULL: not in it */
  size_t users;
  bool whole; /* cs_device_program_keep was called */
  struct cs_program *next;
};

enum { CS_ARGUMENTS = 16 }; /* of a kernel, at most */

struct cs_kernel {
  struct cs_device *device;
  cl_kernel kernel;
  char *name;
  size_t group; /* work-items in a work-group, at most; 0: any number */
  /* on the host: the function, and what its arguments point to */
  cs_host_kernel *run;
  size_t stack, memory;
  const void *variant;
  void *argument[CS_ARGUMENTS];
  int64_t number[CS_ARGUMENTS];
};

struct cs_buffer {
  struct cs_device *device;
  cl_mem memory;
  size_t bytes;
  char *data; /* on the host */
};

/* device_host.c. */
struct cs_device_info cs_device_host_info(int index);

/* device_opened.c: programs stay open for others who need the same, also for a while after their last user. */
/* The device's program with that key, with one more user; NULL if none is open that is whole. */
struct cs_program *cs_device_opened_known(struct cs_device *device, const char *key);
/* Whether there is such a program. */
bool cs_device_opened_has(struct cs_device *device, const char *key);
/* Puts a program with one user into the list, which owns `key` from then on. */
void cs_device_opened_add(struct cs_program *program, char *key);
/* Frees a program that is in no list. */
void cs_device_program_close(struct cs_program *program);
/* Takes a user from a program that is in the list. */
void cs_device_opened_leave(struct cs_program *program);
/* Closes the programs that nobody uses. */
void cs_device_opened_clear(struct cs_device *device);

/* Devices of all platforms, by index. */
struct cs_inventory {
  struct cs_device_info *info;
  cl_device_id *id;
  size_t count;
  char trouble[512]; /* why the last platform that failed could not list its devices; "" if all could */
};

/* The caller clears `inventory`, also on failure. It is no error if there is no platform. */
int cs_device_take_inventory(struct cs_inventory *inventory, struct cs_error *error);
/* The host alone, without OpenCL. */
int cs_device_take_host(struct cs_inventory *inventory, struct cs_error *error);
/* `choice`, or where it is NULL what COSWEEP_DEVICE says; NULL if that is not set. */
const char *cs_device_wanted(const char *choice);
void cs_device_clear_inventory(struct cs_inventory *inventory);

/* Text of a file in this folder, which the program carries. */
const char *cs_device_text(const char *name);

/* The standard's name of a status that users may see, otherwise "OpenCL status"; messages add the number. */
const char *cs_device_status(cl_int status);

/* Records the first trouble of those devices, if they have any; CS_DEVICE then. */
int cs_device_troubles(const struct cs_inventory *inventory, struct cs_error *error);

#endif
