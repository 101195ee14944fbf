/* Shared by device.c and device_list.c. */
#ifndef COSWEEP_DEVICE_PRIVATE_H
#define COSWEEP_DEVICE_PRIVATE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "device.h"

/* Devices of all platforms, by index. */
struct cs_inventory {
  struct cs_device_info *info;
  cl_device_id *id;
  size_t count;
  char trouble[512]; /* why a platform could not list its devices; "" if all could */
};

/* The caller clears `inventory`, also on failure. It is no error if there is no platform. */
int cs_device_take_inventory(struct cs_inventory *inventory, struct cs_error *error);
void cs_device_clear_inventory(struct cs_inventory *inventory);

/* The standard's name of a status that users may see, otherwise "OpenCL status"; messages add the number. */
const char *cs_device_status(cl_int status);

/* A property that is unavailable, or a text that does not fit, becomes "" or zero. */
void cs_device_ask_platform(cl_platform_id platform, cl_platform_info what, char *text, size_t size);
void cs_device_ask(cl_device_id id, cl_device_info what, void *value, size_t size);

#endif
