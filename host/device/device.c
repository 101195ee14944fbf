#include "device.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "device_private.h"
#include "text.h"
#include "version.h"

static int fail(struct cs_error *error, const struct cs_device *device, const char *what, cl_int status) {
  return cs_error_set(error, CS_DEVICE, "device %d (%s): %s failed: %s (%d)", device->info.index, device->info.name,
                      what, cs_device_status(status), (int)status);
}

static int open_queue(struct cs_device *device, struct cs_error *error) {
  cl_int status = CL_SUCCESS;
  device->queue = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &status);
  return status == CL_SUCCESS ? CS_OK : fail(error, device, "opening a command queue", status);
}

int cs_device_twin(const struct cs_device *device, struct cs_device **twin, struct cs_error *error) {
  struct cs_device *new = calloc(1, sizeof *new);
  *twin = NULL;
  if (new == NULL) return cs_error_memory(error);
  new->info = device->info;
  new->id = device->id;
  if (new->info.host) {
    *twin = new;
    return CS_OK;
  }
  if (clRetainContext(device->context) == CL_SUCCESS) new->context = device->context;
  const int code = open_queue(new, error);
  if (code != CS_OK)
    cs_device_close(new);
  else
    *twin = new;
  return code;
}

static int open_one(const struct cs_inventory *inventory, size_t index, struct cs_device **device,
                    struct cs_error *error) {
  cl_int status = CL_SUCCESS;
  struct cs_device *new = calloc(1, sizeof *new);
  if (new == NULL) return cs_error_memory(error);
  new->info = inventory->info[index];
  new->id = inventory->id[index];
  if (new->info.host) {
    *device = new;
    return CS_OK;
  }
  new->context = clCreateContext(NULL, 1, &new->id, NULL, NULL, &status);
  const int code = status == CL_SUCCESS ? open_queue(new, error) : fail(error, new, "opening a context", status);
  if (code != CS_OK)
    cs_device_close(new);
  else
    *device = new;
  return code;
}

/* The devices that `choice` may name: without OpenCL where it names none of its. */
static int take(const char *choice, struct cs_inventory *inventory, struct cs_error *error) {
  const char *wanted = cs_device_wanted(choice);
  const bool host = cs_device_is_automatic(choice) || strcmp(wanted, "host") == 0;
  return host ? cs_device_take_host(inventory, error) : cs_device_take_inventory(inventory, error);
}

/* index [count]: those chosen. */
static int choose(const char *choice, struct cs_inventory *inventory, size_t *index, size_t *chosen,
                  struct cs_error *error) {
  if (!cs_device_is_automatic(choice))
    return cs_device_choose_many(inventory->info, inventory->count, cs_device_wanted(choice), index, chosen, error);
  inventory->info[0].automatic = true;
  index[0] = 0;
  *chosen = 1;
  return CS_OK;
}

int cs_devices_open(const char *choice, struct cs_devices *devices, struct cs_error *error) {
  struct cs_inventory inventory;
  size_t *index = NULL, chosen = 0;
  *devices = (struct cs_devices){0};
  int code = take(choice, &inventory, error);
  if (code == CS_OK) {
    index = calloc(inventory.count + 1, sizeof *index);
    devices->device = calloc(inventory.count + 1, sizeof(struct cs_device *));
    if (index == NULL || devices->device == NULL) code = cs_error_memory(error);
  }
  if (code == CS_OK) code = choose(choice, &inventory, index, &chosen, error);
  for (size_t i = 0; i < chosen && code == CS_OK; i++) {
    code = open_one(&inventory, index[i], &devices->device[i], error);
    devices->count += code == CS_OK;
  }
  if (code != CS_OK) cs_devices_close(devices);
  free(index);
  cs_device_clear_inventory(&inventory);
  return code;
}

int cs_device_describe(const char *choice, struct cs_device_info *info, struct cs_error *error) {
  struct cs_inventory inventory;
  size_t *index = NULL, chosen = 0;
  int code = take(choice, &inventory, error);
  if (code == CS_OK) index = calloc(inventory.count + 1, sizeof *index);
  if (code == CS_OK && index == NULL) code = cs_error_memory(error);
  if (code == CS_OK) code = choose(choice, &inventory, index, &chosen, error);
  if (code == CS_OK) *info = inventory.info[index[0]];
  free(index);
  cs_device_clear_inventory(&inventory);
  return code;
}

int cs_device_open(const char *choice, struct cs_device **device, struct cs_error *error) {
  struct cs_inventory inventory;
  size_t index = 0;
  *device = NULL;
  int code = take(choice, &inventory, error);
  if (code == CS_OK && cs_device_is_automatic(choice))
    inventory.info[0].automatic = true;
  else if (code == CS_OK)
    code = cs_device_choose(inventory.info, inventory.count, cs_device_wanted(choice), &index, error);
  if (code == CS_OK) code = open_one(&inventory, index, device, error);
  cs_device_clear_inventory(&inventory);
  return code;
}

static int open_beside(struct cs_device *device, struct cs_error *error) {
  struct cs_inventory inventory;
  size_t index = 0;
  int code = cs_device_take_inventory(&inventory, error);
  if (code == CS_OK && cs_device_choose(inventory.info, inventory.count, "cpu", &index, NULL) == CS_OK)
    code = open_one(&inventory, index, &device->beside, error);
  cs_device_clear_inventory(&inventory);
  return code;
}

int cs_device_beside(struct cs_device *device, struct cs_device **beside, struct cs_error *error) {
  assert(device->info.automatic);
  if (!device->sought) device->code = open_beside(device, &device->error);
  device->sought = true;
  *beside = device->beside;
  if (device->code != CS_OK) *error = device->error;
  return device->code;
}

void cs_devices_close(struct cs_devices *devices) {
  for (size_t i = 0; i < devices->count; i++)
    cs_device_close(devices->device[i]);
  free(devices->device);
  *devices = (struct cs_devices){0};
}

void cs_device_close(struct cs_device *device) {
  if (device == NULL) return;
  cs_device_close(device->beside);
  if (device->queue != NULL) clReleaseCommandQueue(device->queue);
  if (device->context != NULL) clReleaseContext(device->context);
  free(device);
}

const struct cs_device_info *cs_device_info(const struct cs_device *device) {
  return &device->info;
}

enum { LOG_SHOWN = 6000 }; /* bytes of a build log in a message; leaves room for the text before it */

/* The first line with an error, or the whole log: warnings before it would fill the message. */
static const char *first_error(const char *log) {
  const char *found = strstr(log, "error:");
  while (found != NULL && found > log && found[-1] != '\n')
    found--;
  return found != NULL ? found : log;
}

static int fail_build(const struct cs_program *program, cl_int status, struct cs_error *error) {
  const struct cs_device *device = program->device;
  size_t size = 0;
  char *log = NULL;
  if (clGetProgramBuildInfo(program->program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS && size)
    log = calloc(size + 1, 1);
  if (log == NULL || clGetProgramBuildInfo(program->program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL)) {
    free(log);
    return fail(error, device, "building the kernel", status);
  }
  const char *shown = strlen(log) > LOG_SHOWN ? first_error(log) : log;
  size_t length = strlen(shown), cut = length;
  if (length > LOG_SHOWN) {
    cut = LOG_SHOWN;
    while (cut > 0 && shown[cut - 1] != '\n')
      cut--; /* whole lines */
    if (cut == 0) cut = LOG_SHOWN;
  }
  while (cut > 0 && isspace((unsigned char)shown[cut - 1]))
    cut--;
  int code =
      cs_error_set(error, CS_DEVICE, "device %d (%s): building the kernel failed: %s\n%.*s%s", device->info.index,
                   device->info.name, cs_device_status(status), (int)cut, shown, length > LOG_SHOWN ? "\n..." : "");
  free(log);
  return code;
}

int cs_device_program_build(struct cs_device *device, const char *source, const char *options,
                            struct cs_program **program, struct cs_error *error) {
  *program = NULL;
  int code = CS_OK;
  cl_int status = CL_SUCCESS;
  struct cs_text all = {0};
  struct cs_program *new = calloc(1, sizeof *new);
  cs_text_add(&all, "-cl-std=CL1.2 %s", options != NULL ? options : "");
  if (new == NULL || all.failed) {
    code = cs_error_memory(error);
    goto out;
  }
  new->device = device;
  new->program = clCreateProgramWithSource(device->context, 1, &source, NULL, &status);
  if (status != CL_SUCCESS) {
    code = fail(error, device, "taking the kernel's source", status);
    goto out;
  }
  status = clBuildProgram(new->program, 1, &device->id, all.data, NULL, NULL);
  if (status != CL_SUCCESS) {
    code = fail_build(new, status, error);
    goto out;
  }
  *program = new;
  new = NULL;
out:
  cs_device_program_free(new);
  cs_text_free(&all);
  return code;
}

/* Appends everything that the built program depends on. */
static void add_key(const struct cs_device *device, const char *source, const char *options, struct cs_text *key) {
  const struct cs_device_info *info = &device->info;
  cl_platform_id platform = NULL;
  char version[256] = "";
  cs_device_ask(device->id, CL_DEVICE_PLATFORM, &platform, sizeof platform);
  if (platform != NULL) cs_device_ask_platform(platform, CL_PLATFORM_VERSION, version, sizeof version);
  cs_text_add(key, "cosweep %s\n%s\n%s\n%s\n%s\n%s\n%s\n", CS_VERSION, info->platform, version, info->name,
              info->version, info->driver, options != NULL ? options : "");
  cs_text_append(key, source, strlen(source));
}

int cs_device_program_open(struct cs_device *device, const char *source, const char *options,
                           const volatile sig_atomic_t *stop, struct cs_program **program, struct cs_error *error) {
  *program = NULL;
  struct cs_cache_entry *entry = NULL;
  struct cs_text key = {0};
  /* Drivers of GPUs keep programs themselves. */
  if (cs_device_is_pocl(&device->info)) add_key(device, source, options, &key);
  if (key.data != NULL && !key.failed) entry = cs_cache_open(key.data, stop);
  cs_text_free(&key);
  int code = cs_device_program_build(device, source, options, program, error);
  if (code == CS_OK)
    (*program)->entry = entry;
  else
    cs_cache_close(entry);
  return code;
}

bool cs_device_program_is_kept(const struct cs_device *device, const char *source, const char *options) {
  struct cs_text key = {0};
  if (cs_device_is_pocl(&device->info)) add_key(device, source, options, &key);
  const bool kept = key.data != NULL && !key.failed && cs_cache_has(key.data);
  cs_text_free(&key);
  return kept;
}

int cs_device_program_host(struct cs_device *device, const struct cs_host_program *host, struct cs_program **program,
                           struct cs_error *error) {
  *program = calloc(1, sizeof **program);
  if (*program == NULL) {
    host->release(host->made);
    return cs_error_memory(error);
  }
  (*program)->device = device;
  (*program)->host = *host;
  return CS_OK;
}

void cs_device_program_keep(struct cs_program *program) {
  cs_cache_keep(program->entry);
}

void cs_device_program_free(struct cs_program *program) {
  if (program == NULL) return;
  cs_cache_close(program->entry);
  if (program->host.release != NULL) program->host.release(program->host.made);
  if (program->program != NULL) clReleaseProgram(program->program);
  free(program);
}

int cs_device_kernel_open(struct cs_program *program, const char *name, struct cs_kernel **kernel,
                          struct cs_error *error) {
  *kernel = NULL;
  struct cs_kernel *new = calloc(1, sizeof *new);
  if (new == NULL) return cs_error_memory(error);
  new->device = program->device;
  new->name = cs_text_copy(name);
  if (new->name == NULL) {
    cs_device_kernel_free(new);
    return cs_error_memory(error);
  }
  if (program->device->info.host) {
    const int code = cs_device_host_kernel(new, program, error);
    if (code != CS_OK)
      cs_device_kernel_free(new);
    else
      *kernel = new;
    return code;
  }
  cl_int status = CL_SUCCESS;
  new->kernel = clCreateKernel(program->program, name, &status);
  if (status != CL_SUCCESS) {
    cs_device_kernel_free(new);
    return cs_error_set(error, CS_DEVICE, "device %d (%s): no kernel \"%s\" in the program: %s (%d)",
                        program->device->info.index, program->device->info.name, name, cs_device_status(status),
                        (int)status);
  }
  *kernel = new;
  return CS_OK;
}

void cs_device_kernel_use(struct cs_kernel *kernel, struct cs_device *device) {
  kernel->device = device;
}

void cs_device_kernel_free(struct cs_kernel *kernel) {
  if (kernel == NULL) return;
  if (kernel->kernel != NULL) clReleaseKernel(kernel->kernel);
  free(kernel->name);
  free(kernel);
}

static int set_argument(struct cs_kernel *kernel, unsigned index, size_t size, const void *value,
                        struct cs_error *error) {
  cl_int status = clSetKernelArg(kernel->kernel, index, size, value);
  if (status == CL_SUCCESS) return CS_OK;
  return cs_error_set(error, CS_DEVICE, "device %d (%s): kernel %s: argument %u was refused: %s (%d)",
                      kernel->device->info.index, kernel->device->info.name, kernel->name, index,
                      cs_device_status(status), (int)status);
}

int cs_device_kernel_set_buffer(struct cs_kernel *kernel, unsigned index, struct cs_buffer *buffer,
                                struct cs_error *error) {
  if (kernel->device->info.host) {
    assert(index < CS_ARGUMENTS);
    kernel->argument[index] = buffer != NULL ? buffer->data : NULL;
    return CS_OK;
  }
  return set_argument(kernel, index, sizeof(cl_mem), buffer != NULL ? &buffer->memory : NULL, error);
}

int cs_device_kernel_set_long(struct cs_kernel *kernel, unsigned index, int64_t value, struct cs_error *error) {
  cl_long argument = value;
  if (kernel->device->info.host) {
    assert(index < CS_ARGUMENTS);
    kernel->number[index] = value;
    kernel->argument[index] = &kernel->number[index];
    return CS_OK;
  }
  return set_argument(kernel, index, sizeof argument, &argument, error);
}

int cs_device_kernel_set_local(struct cs_kernel *kernel, unsigned index, size_t bytes, struct cs_error *error) {
  return set_argument(kernel, index, bytes, NULL, error);
}

static int fail_kernel(const struct cs_kernel *kernel, const char *what, cl_int status, struct cs_error *error) {
  return cs_error_set(error, CS_DEVICE, "device %d (%s): kernel %s: %s failed: %s (%d)", kernel->device->info.index,
                      kernel->device->info.name, kernel->name, what, cs_device_status(status), (int)status);
}

int cs_device_kernel_run(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, const size_t *local,
                         struct cs_span *span, struct cs_error *error) {
  assert(dimensions == 1 || dimensions == 2);
  if (kernel->device->info.host) return cs_device_host_run(kernel, dimensions, global, span, error);
  cl_event event = NULL;
  cl_ulong begin = 0, end = 0;
  int code = CS_OK;
  cl_int status =
      clEnqueueNDRangeKernel(kernel->device->queue, kernel->kernel, dimensions, NULL, global, local, 0, NULL, &event);
  if (status != CL_SUCCESS) return fail_kernel(kernel, "launching", status, error);
  status = clWaitForEvents(1, &event);
  if (status != CL_SUCCESS) {
    code = fail_kernel(kernel, "running", status, error);
    clFinish(kernel->device->queue); /* it may still run, on buffers that are freed next */
    goto out;
  }
  if (span != NULL) {
    status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
    if (status == CL_SUCCESS) status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (status != CL_SUCCESS) {
      code = fail_kernel(kernel, "reading the device's clock", status, error);
      goto out;
    }
    *span = (struct cs_span){1e-9 * (double)begin, 1e-9 * (double)end};
  }
out:
  clReleaseEvent(event);
  return code;
}

int cs_device_kernel_idle(struct cs_kernel *kernel, unsigned buffers, unsigned numbers, unsigned dimensions,
                          size_t side, struct cs_error *error) {
  const size_t global[2] = {side, 1}, local[2] = {side, 1};
  struct cs_buffer *nothing = NULL;
  int code = cs_device_buffer_new(kernel->device, sizeof(double), &nothing, error);
  for (unsigned i = 0; i < buffers && code == CS_OK; i++)
    code = cs_device_kernel_set_buffer(kernel, i, nothing, error);
  for (unsigned i = 0; i < numbers && code == CS_OK; i++)
    code = cs_device_kernel_set_long(kernel, buffers + i, 0, error);
  if (code == CS_OK) code = cs_device_kernel_run(kernel, dimensions, global, local, NULL, error);
  cs_device_buffer_free(nothing);
  return code;
}

int cs_device_buffer_new(struct cs_device *device, size_t bytes, struct cs_buffer **buffer, struct cs_error *error) {
  *buffer = NULL;
  if (bytes > device->info.largest_buffer)
    return cs_error_set(error, CS_DEVICE, "device %d (%s): a buffer of %.1f MiB is too large; want at most %.1f MiB",
                        device->info.index, device->info.name, (double)bytes / 1048576,
                        (double)device->info.largest_buffer / 1048576);
  struct cs_buffer *new = calloc(1, sizeof *new);
  if (new == NULL) return cs_error_memory(error);
  cl_int status = CL_SUCCESS;
  new->device = device;
  new->bytes = bytes;
  if (device->info.host) {
    const size_t whole = (bytes + CS_HOST_ALIGNMENT) / CS_HOST_ALIGNMENT * CS_HOST_ALIGNMENT;
    new->data = aligned_alloc(CS_HOST_ALIGNMENT, whole);
    if (new->data == NULL) {
      free(new);
      return cs_error_memory(error);
    }
    *buffer = new;
    return CS_OK;
  }
  new->memory = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
  if (status != CL_SUCCESS) {
    free(new);
    char what[64];
    snprintf(what, sizeof what, "reserving a buffer of %.1f MiB", (double)bytes / 1048576);
    return fail(error, device, what, status);
  }
  *buffer = new;
  return CS_OK;
}

void cs_device_buffer_free(struct cs_buffer *buffer) {
  if (buffer == NULL) return;
  if (buffer->memory != NULL) clReleaseMemObject(buffer->memory);
  free(buffer->data);
  free(buffer);
}

int cs_device_buffer_write(struct cs_buffer *buffer, size_t offset, size_t bytes, const void *data,
                           struct cs_error *error) {
  assert(offset <= buffer->bytes && bytes <= buffer->bytes - offset);
  if (bytes == 0) return CS_OK;
  if (buffer->data != NULL) {
    memcpy(buffer->data + offset, data, bytes);
    return CS_OK;
  }
  cl_int status =
      clEnqueueWriteBuffer(buffer->device->queue, buffer->memory, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
  return status == CL_SUCCESS ? CS_OK : fail(error, buffer->device, "writing to a buffer", status);
}

int cs_device_buffer_read(struct cs_buffer *buffer, size_t offset, size_t bytes, void *data, struct cs_error *error) {
  assert(offset <= buffer->bytes && bytes <= buffer->bytes - offset);
  if (bytes == 0) return CS_OK;
  if (buffer->data != NULL) {
    memcpy(data, buffer->data + offset, bytes);
    return CS_OK;
  }
  cl_int status =
      clEnqueueReadBuffer(buffer->device->queue, buffer->memory, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
  return status == CL_SUCCESS ? CS_OK : fail(error, buffer->device, "reading from a buffer", status);
}
