/* Shared by device.c and device_list.c. */
#ifndef COSWEEP_DEVICE_PRIVATE_H
#define COSWEEP_DEVICE_PRIVATE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "device.h"

struct cs_device {
  struct cs_device_info info;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  struct cs_device *beside; /* cs_device_beside, once it was called; closed with this one */
  bool sought;              /* it was */
  int code;                 /* of opening it */
  struct cs_error error;
};

struct cs_program {
  struct cs_device *device; /* borrowed, as in buffers */
  cl_program program;
  struct cs_cache_entry *entry; /* NULL: not kept */
  struct cs_host_program host;  /* on the host, in place of both */
};

enum { CS_ARGUMENTS = 16 }; /* of a kernel, at most */

struct cs_kernel {
  struct cs_device *device;
  cl_kernel kernel;
  char *name;
  /* on the host: the function, and what its arguments point to */
  cs_host_kernel *run;
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

/* The host as a device (device_host.c). */
struct cs_device_info cs_device_host_info(int index);
int cs_device_host_kernel(struct cs_kernel *kernel, const struct cs_program *program, struct cs_error *error);
int cs_device_host_run(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, struct cs_span *span,
                       struct cs_error *error);

/* Devices of all platforms, by index. */
struct cs_inventory {
  struct cs_device_info *info;
  cl_device_id *id;
  size_t count;
  char trouble[512]; /* why a platform could not list its devices; "" if all could */
};

/* The caller clears `inventory`, also on failure. It is no error if there is no platform. */
int cs_device_take_inventory(struct cs_inventory *inventory, struct cs_error *error);
/* The host alone, without OpenCL. */
int cs_device_take_host(struct cs_inventory *inventory, struct cs_error *error);
/* `choice`, or where it is NULL what COSWEEP_DEVICE says; NULL if that is not set. */
const char *cs_device_wanted(const char *choice);
void cs_device_clear_inventory(struct cs_inventory *inventory);

/* The standard's name of a status that users may see, otherwise "OpenCL status"; messages add the number. */
const char *cs_device_status(cl_int status);

/* A property that is unavailable, or a text that does not fit, becomes "" or zero. */
void cs_device_ask_platform(cl_platform_id platform, cl_platform_info what, char *text, size_t size);
void cs_device_ask(cl_device_id id, cl_device_info what, void *value, size_t size);

#endif
