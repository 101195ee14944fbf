#define CL_TARGET_OPENCL_VERSION 120
#include "device.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "text.h"
#include "version.h"

struct cs_device {
  struct cs_device_info info;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
};

struct cs_program {
  struct cs_device *device; /* borrowed, like the device of a buffer */
  cl_program program;
  struct cs_cache_entry *entry; /* NULL: not kept */
};

struct cs_kernel {
  struct cs_device *device;
  cl_kernel kernel;
  char *name;
};

struct cs_buffer {
  struct cs_device *device;
  cl_mem memory;
  size_t bytes;
};

/* Devices of all platforms, in the order of their numbers. */
struct inventory {
  struct cs_device_info *info;
  cl_device_id *id;
  size_t count;
  char trouble[512]; /* why a platform could not be asked for its devices; "" when all could */
};

/* The standard's name of a status that a user can meet; the number stands beside it in any case. */
static const char *status_name(cl_int status) {
#define NAME(code) \
  case code:       \
    return #code
  switch (status) {
    NAME(CL_DEVICE_NOT_FOUND);
    NAME(CL_DEVICE_NOT_AVAILABLE);
    NAME(CL_COMPILER_NOT_AVAILABLE);
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    NAME(CL_OUT_OF_RESOURCES);
    NAME(CL_OUT_OF_HOST_MEMORY);
    NAME(CL_BUILD_PROGRAM_FAILURE);
    NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    NAME(CL_INVALID_VALUE);
    NAME(CL_INVALID_BUILD_OPTIONS);
    NAME(CL_INVALID_KERNEL_NAME);
    NAME(CL_INVALID_ARG_VALUE);
    NAME(CL_INVALID_ARG_SIZE);
    NAME(CL_INVALID_KERNEL_ARGS);
    NAME(CL_INVALID_WORK_GROUP_SIZE);
    NAME(CL_INVALID_WORK_ITEM_SIZE);
    NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    NAME(CL_INVALID_BUFFER_SIZE);
    NAME(CL_INVALID_OPERATION);
    NAME(CL_PLATFORM_NOT_FOUND_KHR);
    default:
      return "OpenCL status";
  }
#undef NAME
}

static int fail(struct cs_error *error, const struct cs_device *device, const char *what, cl_int status) {
  return cs_error_set(error, CS_DEVICE, "device %d (%s): %s failed: %s (%d)", device->info.index, device->info.name,
                      what, status_name(status), (int)status);
}

/* Text properties; one that is not given or too long for its place is "". */
static void ask_platform(cl_platform_id platform, cl_platform_info what, char *text, size_t size) {
  if (clGetPlatformInfo(platform, what, size, text, NULL) != CL_SUCCESS) text[0] = '\0';
}

static void ask_text(cl_device_id id, cl_device_info what, char *text, size_t size) {
  if (clGetDeviceInfo(id, what, size, text, NULL) != CL_SUCCESS) text[0] = '\0';
}

/* Number properties; one that is not given leaves the zero that was there. */
static void ask(cl_device_id id, cl_device_info what, void *value, size_t size) {
  if (clGetDeviceInfo(id, what, size, value, NULL) != CL_SUCCESS) memset(value, 0, size);
}

static bool has_fp64(cl_device_id id) {
  cl_device_fp_config config = 0;
  ask(id, CL_DEVICE_DOUBLE_FP_CONFIG, &config, sizeof config);
  if (config) return true;
  char extensions[16384];
  ask_text(id, CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
  return strstr(extensions, "cl_khr_fp64") != NULL;
}

static struct cs_device_info describe(cl_platform_id platform, cl_device_id id, size_t index) {
  struct cs_device_info info = {.index = (int)index, .fp64 = has_fp64(id)};
  ask_text(id, CL_DEVICE_NAME, info.name, sizeof info.name);
  ask_text(id, CL_DRIVER_VERSION, info.driver, sizeof info.driver);
  ask_text(id, CL_DEVICE_VERSION, info.version, sizeof info.version);
  ask_platform(platform, CL_PLATFORM_NAME, info.platform, sizeof info.platform);
  cl_device_type type = 0;
  cl_uint units = 0, width = 0;
  cl_ulong memory = 0, largest = 0;
  ask(id, CL_DEVICE_TYPE, &type, sizeof type);
  ask(id, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units);
  ask(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, &width, sizeof width);
  ask(id, CL_DEVICE_GLOBAL_MEM_SIZE, &memory, sizeof memory);
  ask(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &largest, sizeof largest);
  info.cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  info.gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  info.units = units;
  info.native_width = info.fp64 ? width : 0;
  info.memory = memory;
  info.largest_buffer = largest;
  return info;
}

/* A platform that cannot be asked does not hide the devices of the others: it is noted as trouble. */
static int add_platform(struct inventory *inventory, cl_platform_id platform, struct cs_error *error) {
  cl_uint found = 0;
  cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &found);
  if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && found == 0)) return CS_OK;
  size_t total = inventory->count + found;
  if (status == CL_SUCCESS) {
    cl_device_id *ids = realloc(inventory->id, total * sizeof *ids);
    if (!ids) return cs_error_memory(error);
    inventory->id = ids;
    struct cs_device_info *infos = realloc(inventory->info, total * sizeof *infos);
    if (!infos) return cs_error_memory(error);
    inventory->info = infos;
    status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, found, inventory->id + inventory->count, NULL);
  }
  if (status != CL_SUCCESS) {
    char name[256];
    ask_platform(platform, CL_PLATFORM_NAME, name, sizeof name);
    snprintf(inventory->trouble, sizeof inventory->trouble, "%s: %s (%d)", name, status_name(status), (int)status);
    return CS_OK;
  }
  for (size_t i = inventory->count; i < total; i++)
    inventory->info[i] = describe(platform, inventory->id[i], i);
  inventory->count = total;
  return CS_OK;
}

static void clear_inventory(struct inventory *inventory) {
  free(inventory->info);
  free(inventory->id);
}

/* `inventory` is to be cleared by the caller, also on failure. No platform at all is no error. */
static int take_inventory(struct inventory *inventory, struct cs_error *error) {
  *inventory = (struct inventory){0};
  cs_cache_prepare();
  cl_uint platforms = 0;
  cl_int status = clGetPlatformIDs(0, NULL, &platforms);
  if (status == CL_PLATFORM_NOT_FOUND_KHR || (status == CL_SUCCESS && platforms == 0)) return CS_OK;
  cl_platform_id *platform = calloc(platforms ? platforms : 1, sizeof *platform);
  if (!platform) return cs_error_memory(error);
  int code = CS_OK;
  if (status == CL_SUCCESS) status = clGetPlatformIDs(platforms, platform, NULL);
  if (status != CL_SUCCESS) {
    code = cs_error_set(error, CS_DEVICE, "OpenCL: listing the platforms failed: %s (%d)", status_name(status),
                        (int)status);
    goto out;
  }
  for (cl_uint i = 0; i < platforms && code == CS_OK; i++)
    code = add_platform(inventory, platform[i], error);
  if (code == CS_OK && inventory->count == 0 && inventory->trouble[0])
    code = cs_error_set(error, CS_DEVICE, "OpenCL: listing the devices failed: %s", inventory->trouble);
out:
  free(platform);
  return code;
}

int cs_device_list(struct cs_device_info **list, size_t *count, struct cs_error *error) {
  *list = NULL;
  *count = 0;
  struct inventory inventory;
  int code = take_inventory(&inventory, error);
  if (code == CS_OK) {
    *list = inventory.info;
    *count = inventory.count;
    inventory.info = NULL;
  }
  clear_inventory(&inventory);
  return code;
}

static bool contains(const char *text, const char *part) {
  for (; *text; text++) {
    size_t i = 0;
    while (part[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
      i++;
    if (!part[i]) return true;
  }
  return false;
}

static bool is_index(const char *choice) {
  return choice[0] && choice[strspn(choice, "0123456789")] == '\0';
}

static bool matches(const struct cs_device_info *info, const char *choice) {
  if (!choice) return true;
  if (strcmp(choice, "cpu") == 0) return info->cpu;
  if (strcmp(choice, "gpu") == 0) return info->gpu;
  if (is_index(choice)) {
    errno = 0;
    unsigned long index = strtoul(choice, NULL, 10);
    return errno == 0 && index == (unsigned long)info->index;
  }
  return choice[0] && contains(info->name, choice);
}

static int fail_no_match(const struct cs_device_info *list, size_t count, const char *choice, struct cs_error *error) {
  struct cs_text text = {0};
  for (size_t i = 0; i < count; i++)
    cs_text_add(&text, "%s%d (%s%s)", i ? ", " : "", list[i].index, list[i].name, list[i].fp64 ? "" : ", no fp64");
  int code = text.failed ? cs_error_memory(error)
                         : cs_error_set(error, CS_DEVICE,
                                        "device: nothing matches \"%s\"; want cpu, gpu, part of a name or one of: %s",
                                        choice, text.data);
  cs_text_free(&text);
  return code;
}

static int fail_no_fp64(const struct cs_device_info *list, size_t count, const struct cs_device_info *chosen,
                        struct cs_error *error) {
  for (size_t i = 0; i < count; i++)
    if (list[i].fp64)
      return cs_error_set(error, CS_DEVICE,
                          "device %d (%s): no double precision (fp64); want a device that has it: --device %d (%s)",
                          chosen->index, chosen->name, list[i].index, list[i].name);
  return cs_error_set(error, CS_DEVICE,
                      "device %d (%s): no double precision (fp64), nor has any other device here; the package "
                      "pocl-opencl-icd makes the CPU one that has it",
                      chosen->index, chosen->name);
}

int cs_device_choose(const struct cs_device_info *list, size_t count, const char *choice, size_t *index,
                     struct cs_error *error) {
  if (count == 0)
    return cs_error_set(error, CS_DEVICE,
                        "device: no OpenCL device found; install the package pocl-opencl-icd to compute on the CPU, "
                        "or the OpenCL driver of your GPU");
  const struct cs_device_info *best = NULL;
  int best_rank = -1;
  for (size_t i = 0; i < count; i++) {
    int rank = (list[i].fp64 ? 2 : 0) + (!choice && list[i].cpu ? 1 : 0);
    if (matches(&list[i], choice) && rank > best_rank) {
      best = &list[i];
      best_rank = rank;
    }
  }
  if (!best) return fail_no_match(list, count, choice, error);
  if (!best->fp64) return fail_no_fp64(list, count, best, error);
  *index = (size_t)(best - list);
  return CS_OK;
}

static int open_queue(struct cs_device *device, struct cs_error *error) {
  cl_int status = CL_SUCCESS;
  device->queue = clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &status);
  return status == CL_SUCCESS ? CS_OK : fail(error, device, "opening a command queue", status);
}

int cs_device_twin(const struct cs_device *device, struct cs_device **twin, struct cs_error *error) {
  struct cs_device *new = calloc(1, sizeof *new);
  *twin = NULL;
  if (!new) return cs_error_memory(error);
  new->info = device->info;
  new->id = device->id;
  if (clRetainContext(device->context) == CL_SUCCESS) new->context = device->context;
  const int code = open_queue(new, error);
  if (code)
    cs_device_close(new);
  else
    *twin = new;
  return code;
}

int cs_device_open(const char *choice, struct cs_device **device, struct cs_error *error) {
  *device = NULL;
  struct cs_device *new = NULL;
  struct inventory inventory;
  size_t index = 0;
  cl_int status = CL_SUCCESS;
  int code = take_inventory(&inventory, error);
  if (code == CS_OK) code = cs_device_choose(inventory.info, inventory.count, choice, &index, error);
  if (code) goto out;
  new = calloc(1, sizeof *new);
  if (!new) {
    code = cs_error_memory(error);
    goto out;
  }
  new->info = inventory.info[index];
  new->id = inventory.id[index];
  new->context = clCreateContext(NULL, 1, &new->id, NULL, NULL, &status);
  if (status != CL_SUCCESS) {
    code = fail(error, new, "opening a context", status);
    goto out;
  }
  code = open_queue(new, error);
  if (code) goto out;
  *device = new;
  new = NULL;
out:
  cs_device_close(new);
  clear_inventory(&inventory);
  return code;
}

void cs_device_close(struct cs_device *device) {
  if (!device) return;
  if (device->queue) clReleaseCommandQueue(device->queue);
  if (device->context) clReleaseContext(device->context);
  free(device);
}

const struct cs_device_info *cs_device_info(const struct cs_device *device) {
  return &device->info;
}

enum { LOG_SHOWN = 6000 }; /* bytes of a build log in a message: leaves room for the sentence before it */

/* Start of the first line that speaks of an error, or of the log: warnings before it would use up the room. */
static const char *first_error(const char *log) {
  const char *found = strstr(log, "error:");
  while (found && found > log && found[-1] != '\n')
    found--;
  return found ? found : log;
}

static int fail_build(const struct cs_program *program, cl_int status, struct cs_error *error) {
  const struct cs_device *device = program->device;
  size_t size = 0;
  char *log = NULL;
  if (clGetProgramBuildInfo(program->program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS && size)
    log = calloc(size + 1, 1);
  if (!log || clGetProgramBuildInfo(program->program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL)) {
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
                   device->info.name, status_name(status), (int)cut, shown, length > LOG_SHOWN ? "\n..." : "");
  free(log);
  return code;
}

int cs_program_build(struct cs_device *device, const char *source, const char *options, struct cs_program **program,
                     struct cs_error *error) {
  *program = NULL;
  int code = CS_OK;
  cl_int status = CL_SUCCESS;
  struct cs_text all = {0};
  struct cs_program *new = calloc(1, sizeof *new);
  cs_text_add(&all, "-cl-std=CL1.2 %s", options ? options : "");
  if (!new || all.failed) {
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
  cs_program_free(new);
  cs_text_free(&all);
  return code;
}

/* All that the built program depends on. */
static void add_key(const struct cs_device *device, const char *source, const char *options, struct cs_text *key) {
  const struct cs_device_info *info = &device->info;
  cl_platform_id platform = NULL;
  char version[256] = "";
  ask(device->id, CL_DEVICE_PLATFORM, &platform, sizeof platform);
  if (platform) ask_platform(platform, CL_PLATFORM_VERSION, version, sizeof version);
  cs_text_add(key, "cosweep %s\n%s\n%s\n%s\n%s\n%s\n%s\n", CS_VERSION, info->platform, version, info->name,
              info->version, info->driver, options ? options : "");
  cs_text_append(key, source, strlen(source));
}

int cs_program_open(struct cs_device *device, const char *source, const char *options, struct cs_program **program,
                    struct cs_error *error) {
  *program = NULL;
  struct cs_cache_entry *entry = NULL;
  struct cs_text key = {0};
  /* Drivers of GPUs keep programs of their own accord. */
  if (strcmp(device->info.platform, "Portable Computing Language") == 0) add_key(device, source, options, &key);
  if (key.data && !key.failed) entry = cs_cache_open(key.data);
  cs_text_free(&key);
  int code = cs_program_build(device, source, options, program, error);
  if (code == CS_OK)
    (*program)->entry = entry;
  else
    cs_cache_close(entry);
  return code;
}

void cs_program_keep(struct cs_program *program) {
  cs_cache_keep(program->entry);
}

void cs_program_free(struct cs_program *program) {
  if (!program) return;
  cs_cache_close(program->entry);
  if (program->program) clReleaseProgram(program->program);
  free(program);
}

int cs_kernel_open(struct cs_program *program, const char *name, struct cs_kernel **kernel, struct cs_error *error) {
  *kernel = NULL;
  struct cs_kernel *new = calloc(1, sizeof *new);
  if (!new) return cs_error_memory(error);
  new->device = program->device;
  new->name = cs_text_copy(name);
  if (!new->name) {
    cs_kernel_free(new);
    return cs_error_memory(error);
  }
  cl_int status = CL_SUCCESS;
  new->kernel = clCreateKernel(program->program, name, &status);
  if (status != CL_SUCCESS) {
    cs_kernel_free(new);
    return cs_error_set(error, CS_DEVICE, "device %d (%s): no kernel \"%s\" in the program: %s (%d)",
                        program->device->info.index, program->device->info.name, name, status_name(status),
                        (int)status);
  }
  *kernel = new;
  return CS_OK;
}

void cs_kernel_use(struct cs_kernel *kernel, struct cs_device *device) {
  kernel->device = device;
}

void cs_kernel_free(struct cs_kernel *kernel) {
  if (!kernel) return;
  if (kernel->kernel) clReleaseKernel(kernel->kernel);
  free(kernel->name);
  free(kernel);
}

static int set_argument(struct cs_kernel *kernel, unsigned index, size_t size, const void *value,
                        struct cs_error *error) {
  cl_int status = clSetKernelArg(kernel->kernel, index, size, value);
  if (status == CL_SUCCESS) return CS_OK;
  return cs_error_set(error, CS_DEVICE, "device %d (%s): kernel %s: argument %u was refused: %s (%d)",
                      kernel->device->info.index, kernel->device->info.name, kernel->name, index, status_name(status),
                      (int)status);
}

int cs_kernel_set_buffer(struct cs_kernel *kernel, unsigned index, struct cs_buffer *buffer, struct cs_error *error) {
  return set_argument(kernel, index, sizeof(cl_mem), buffer ? &buffer->memory : NULL, error);
}

int cs_kernel_set_long(struct cs_kernel *kernel, unsigned index, int64_t value, struct cs_error *error) {
  cl_long argument = value;
  return set_argument(kernel, index, sizeof argument, &argument, error);
}

static int fail_kernel(const struct cs_kernel *kernel, const char *what, cl_int status, struct cs_error *error) {
  return cs_error_set(error, CS_DEVICE, "device %d (%s): kernel %s: %s failed: %s (%d)", kernel->device->info.index,
                      kernel->device->info.name, kernel->name, what, status_name(status), (int)status);
}

int cs_kernel_run(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, const size_t *local,
                  struct cs_span *span, struct cs_error *error) {
  assert(dimensions == 1 || dimensions == 2);
  cl_event event = NULL;
  cl_ulong begin = 0, end = 0;
  int code = CS_OK;
  cl_int status =
      clEnqueueNDRangeKernel(kernel->device->queue, kernel->kernel, dimensions, NULL, global, local, 0, NULL, &event);
  if (status != CL_SUCCESS) return fail_kernel(kernel, "launching", status, error);
  status = clWaitForEvents(1, &event);
  if (status != CL_SUCCESS) {
    code = fail_kernel(kernel, "running", status, error);
    goto out;
  }
  if (span) {
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

int cs_buffer_new(struct cs_device *device, size_t bytes, struct cs_buffer **buffer, struct cs_error *error) {
  *buffer = NULL;
  if (bytes > device->info.largest_buffer)
    return cs_error_set(error, CS_DEVICE, "device %d (%s): a buffer of %.1f MiB is too large; want at most %.1f MiB",
                        device->info.index, device->info.name, (double)bytes / 1048576,
                        (double)device->info.largest_buffer / 1048576);
  struct cs_buffer *new = calloc(1, sizeof *new);
  if (!new) return cs_error_memory(error);
  cl_int status = CL_SUCCESS;
  new->device = device;
  new->bytes = bytes;
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

void cs_buffer_free(struct cs_buffer *buffer) {
  if (!buffer) return;
  clReleaseMemObject(buffer->memory);
  free(buffer);
}

int cs_buffer_write(struct cs_buffer *buffer, size_t offset, size_t bytes, const void *data, struct cs_error *error) {
  assert(offset <= buffer->bytes && bytes <= buffer->bytes - offset);
  if (bytes == 0) return CS_OK;
  cl_int status =
      clEnqueueWriteBuffer(buffer->device->queue, buffer->memory, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
  return status == CL_SUCCESS ? CS_OK : fail(error, buffer->device, "writing to a buffer", status);
}

int cs_buffer_read(struct cs_buffer *buffer, size_t offset, size_t bytes, void *data, struct cs_error *error) {
  assert(offset <= buffer->bytes && bytes <= buffer->bytes - offset);
  if (bytes == 0) return CS_OK;
  cl_int status =
      clEnqueueReadBuffer(buffer->device->queue, buffer->memory, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
  return status == CL_SUCCESS ? CS_OK : fail(error, buffer->device, "reading from a buffer", status);
}
