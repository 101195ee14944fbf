/* Devices of OpenCL. */
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

static int open_device(struct cs_device *device, const struct cs_device *twin, struct cs_error *error) {
  cl_int status = CL_SUCCESS;
  if (twin == NULL)
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
  else if (clRetainContext(twin->context) == CL_SUCCESS)
    device->context = twin->context;
  return status == CL_SUCCESS ? open_queue(device, error) : fail(error, device, "opening a context", status);
}

static void close_device(struct cs_device *device) {
  if (device->queue != NULL) clReleaseCommandQueue(device->queue);
  if (device->context != NULL) clReleaseContext(device->context);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

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

/* Declarations in place of the driver's, which cost more than most programs: for the versions of PoCL with which this
 * was tried. NULL elsewhere. */
static const char *declarations(const struct cs_device_info *info, const char *options) {
  const bool few = options != NULL && strstr(options, CS_DEVICE_FEW_FUNCTIONS) != NULL;
  const bool known = cs_device_is_pocl(info) && strstr(info->platform_version, " PoCL 3.1") != NULL;
  return few && known ? cs_device_text("declared.cl") : NULL;
}

/* Leaves out those of PoCL. */
#define UNDECLARED " -D_OPENCL_H_"

static int build_source(struct cs_program *program, const char *source, const char *options, struct cs_error *error) {
  const char *declared = declarations(&program->device->info, options), *text[] = {source, NULL};
  struct cs_text all = {0};
  cl_int status = CL_SUCCESS;
  cs_text_add(&all, "%s%s", options, declared != NULL ? UNDECLARED : "");
  if (all.failed) return cs_error_memory(error);
  if (declared != NULL) {
    text[0] = declared;
    text[1] = source;
  }
  program->program = clCreateProgramWithSource(program->device->context, declared != NULL ? 2 : 1, text, NULL, &status);
  const bool made = status == CL_SUCCESS;
  if (made) status = clBuildProgram(program->program, 1, &program->device->id, all.data, NULL, NULL);
  cs_text_free(&all);
  if (!made) return fail(error, program->device, "taking the kernel's source", status);
  return status == CL_SUCCESS ? CS_OK : fail_build(program, status, error);
}

/* False if the driver does not take what is kept, which may be of another state of it. */
static bool build_kept(struct cs_program *program, const char *options) {
  cl_int status = CL_SUCCESS, answer = CL_SUCCESS;
  size_t bytes = 0;
  const char *kept = cs_cache_binary(program->entry, &bytes);
  const unsigned char *binary = (const unsigned char *)kept;
  program->program =
      clCreateProgramWithBinary(program->device->context, 1, &program->device->id, &bytes, &binary, &answer, &status);
  if (status == CL_SUCCESS) status = answer;
  if (status == CL_SUCCESS) status = clBuildProgram(program->program, 1, &program->device->id, options, NULL, NULL);
  if (status == CL_SUCCESS) return true;
  if (program->program != NULL) clReleaseProgram(program->program);
  program->program = NULL;
  return false;
}

/* Takes `entry`, also on failure. */
static int build(struct cs_device *device, const char *source, const char *options, struct cs_cache_entry *entry,
                 struct cs_program **program, struct cs_error *error) {
  size_t bytes;
  struct cs_text all = {0};
  struct cs_program *new = calloc(1, sizeof *new);
  *program = new;
  if (new == NULL) {
    cs_cache_close(entry);
    return cs_error_memory(error);
  }
  new->device = device;
  new->entry = entry;
  cs_text_add(&all, "-cl-std=CL1.2 %s", options != NULL ? options : "");
  int code = all.failed ? cs_error_memory(error) : CS_OK;
  const bool has = code == CS_OK && entry != NULL && cs_cache_binary(entry, &bytes) != NULL;
  const bool taken = has && build_kept(new, all.data);
  if (has && !taken) cs_cache_refuse(entry);
  if (code == CS_OK && !taken) code = build_source(new, source, all.data, error);
  new->origin = entry != NULL &&cs_cache_gave(entry) ? CS_PROGRAM_KEPT : CS_PROGRAM_BUILT;
  cs_text_free(&all);
  if (code == CS_OK) return CS_OK;
  cs_device_program_free(new);
  *program = NULL;
  return code;
}

int cs_device_program_build(struct cs_device *device, const char *source, const char *options,
                            struct cs_program **program, struct cs_error *error) {
  return build(device, source, options, NULL, program, error);
}

/* Why PoCL's own files: docs/internals.md. */
static enum cs_cache_form form_of(const struct cs_device *device) {
  return cs_device_is_pocl(&device->info) ? CS_CACHE_FILES : CS_CACHE_BINARY;
}

/* Appends everything that the built program depends on. */
static void add_key(const struct cs_device *device, const char *source, const char *options, struct cs_text *key) {
  const struct cs_device_info *info = &device->info;
  cs_text_add(key, "cosweep %s\n%s\n%s\n%s\n%s\n%s\n%s\n", CS_VERSION, info->platform, info->platform_version,
              info->name, info->version, info->driver, options != NULL ? options : "");
  if (declarations(info, options) != NULL) cs_text_add(key, "%s", declarations(info, options));
  cs_text_append(key, source, strlen(source));
}

int cs_device_program_open(struct cs_device *device, const char *source, const char *options,
                           const volatile sig_atomic_t *stop, struct cs_program **program, struct cs_error *error) {
  struct cs_cache_entry *entry = NULL;
  struct cs_text key = {0};
  add_key(device, source, options, &key);
  int code = key.failed ? cs_error_memory(error) : CS_OK;
  *program = code == CS_OK ? cs_device_opened_known(device, key.data) : NULL;
  if (code != CS_OK || *program != NULL) goto out;
  code = cs_cache_open(key.data, form_of(device), stop, &entry, error);
  if (code == CS_OK) code = build(device, source, options, entry, program, error);
  if (code != CS_OK) goto out;
  cs_device_opened_add(*program, key.data);
  key = (struct cs_text){0};
out:
  cs_text_free(&key);
  return code;
}

bool cs_device_program_is_kept(struct cs_device *device, const char *source, const char *options) {
  struct cs_text key = {0};
  add_key(device, source, options, &key);
  const bool kept = !key.failed && (cs_device_opened_has(device, key.data) || cs_cache_has(key.data, form_of(device)));
  cs_text_free(&key);
  return kept;
}

/* The binary as the driver gives it out, for the caller to free; NULL if it gives none. */
static unsigned char *binary_of(cl_program program, size_t *bytes) {
  unsigned char *binary = NULL;
  cl_uint devices = 0;
  cl_int status = clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL);
  if (status == CL_SUCCESS && devices == 1)
    status = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL);
  if (status == CL_SUCCESS && devices == 1 && *bytes > 0) binary = malloc(*bytes);
  if (binary != NULL && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) != CL_SUCCESS) {
    free(binary);
    binary = NULL;
  }
  return binary;
}

static void keep_program(struct cs_program *program) {
  if (form_of(program->device) == CS_CACHE_FILES) {
    cs_cache_keep(program->entry);
  } else if (program->entry != NULL) {
    size_t bytes = 0;
    unsigned char *binary = cs_cache_gave(program->entry) ? NULL : binary_of(program->program, &bytes);
    cs_cache_keep_binary(program->entry, (const char *)binary, bytes);
    free(binary);
  }
}

static void close_program(struct cs_program *program) {
  cs_cache_close(program->entry);
  if (program->program != NULL) clReleaseProgram(program->program);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static int open_kernel(struct cs_kernel *kernel, const struct cs_program *program, struct cs_error *error) {
  const struct cs_device_info *info = &program->device->info;
  cl_int status = CL_SUCCESS;
  kernel->kernel = clCreateKernel(program->program, kernel->name, &status);
  if (status == CL_SUCCESS)
    status = clGetKernelWorkGroupInfo(kernel->kernel, program->device->id, CL_KERNEL_WORK_GROUP_SIZE,
                                      sizeof kernel->group, &kernel->group, NULL);
  if (status == CL_SUCCESS) return CS_OK;
  return cs_error_set(error, CS_DEVICE, "device %d (%s): no kernel \"%s\" in the program: %s (%d)", info->index,
                      info->name, kernel->name, cs_device_status(status), (int)status);
}

static void close_kernel(struct cs_kernel *kernel) {
  if (kernel->kernel != NULL) clReleaseKernel(kernel->kernel);
}

static int set_argument(struct cs_kernel *kernel, unsigned index, size_t size, const void *value,
                        struct cs_error *error) {
  cl_int status = clSetKernelArg(kernel->kernel, index, size, value);
  if (status == CL_SUCCESS) return CS_OK;
  return cs_error_set(error, CS_DEVICE, "device %d (%s): kernel %s: argument %u was refused: %s (%d)",
                      kernel->device->info.index, kernel->device->info.name, kernel->name, index,
                      cs_device_status(status), (int)status);
}

static int set_buffer(struct cs_kernel *kernel, unsigned index, struct cs_buffer *buffer, struct cs_error *error) {
  return set_argument(kernel, index, sizeof(cl_mem), buffer != NULL ? &buffer->memory : NULL, error);
}

static int set_long(struct cs_kernel *kernel, unsigned index, int64_t value, struct cs_error *error) {
  const cl_long argument = value;
  return set_argument(kernel, index, sizeof argument, &argument, error);
}

static int set_local(struct cs_kernel *kernel, unsigned index, size_t bytes, struct cs_error *error) {
  return set_argument(kernel, index, bytes, NULL, error);
}

static int fail_kernel(const struct cs_kernel *kernel, const char *what, cl_int status, struct cs_error *error) {
  return cs_error_set(error, CS_DEVICE, "device %d (%s): kernel %s: %s failed: %s (%d)", kernel->device->info.index,
                      kernel->device->info.name, kernel->name, what, cs_device_status(status), (int)status);
}

static int run(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, const size_t *local,
               struct cs_span *span, struct cs_error *error) {
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

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

static int open_buffer(struct cs_buffer *buffer, struct cs_error *error) {
  cl_int status = CL_SUCCESS;
  char what[64];
  buffer->memory = clCreateBuffer(buffer->device->context, CL_MEM_READ_WRITE, buffer->bytes, NULL, &status);
  if (status == CL_SUCCESS) return CS_OK;
  snprintf(what, sizeof what, "reserving a buffer of %.1f MiB", (double)buffer->bytes / 1048576);
  return fail(error, buffer->device, what, status);
}

static void close_buffer(struct cs_buffer *buffer) {
  if (buffer->memory != NULL) clReleaseMemObject(buffer->memory);
}

static int write_buffer(struct cs_buffer *buffer, size_t offset, size_t bytes, const void *data,
                        struct cs_error *error) {
  const cl_int status =
      clEnqueueWriteBuffer(buffer->device->queue, buffer->memory, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
  return status == CL_SUCCESS ? CS_OK : fail(error, buffer->device, "writing to a buffer", status);
}

static int read_buffer(struct cs_buffer *buffer, size_t offset, size_t bytes, void *data, struct cs_error *error) {
  const cl_int status =
      clEnqueueReadBuffer(buffer->device->queue, buffer->memory, CL_TRUE, offset, bytes, data, 0, NULL, NULL);
  return status == CL_SUCCESS ? CS_OK : fail(error, buffer->device, "reading from a buffer", status);
}

const struct cs_device_kind cs_device_opencl = {open_device,  close_device, keep_program, close_program, open_kernel,
                                                close_kernel, set_buffer,   set_long,     set_local,     run,
                                                open_buffer,  close_buffer, write_buffer, read_buffer};
