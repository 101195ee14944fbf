#include "device.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "device_private.h"
#include "text.h"

static int open_new(struct cs_device_info info, cl_device_id id, const struct cs_device *twin,
                    struct cs_device **device, struct cs_error *error) {
  struct cs_device *new = calloc(1, sizeof *new);
  *device = NULL;
  if (new == NULL) return cs_error_memory(error);
  pthread_mutex_init(&new->lock, NULL);
  new->info = info;
  new->id = id;
  new->kind = info.host ? &cs_device_host : &cs_device_opencl;
  const int code = new->kind->open(new, twin, error);
  if (code != CS_OK)
    cs_device_close(new);
  else
    *device = new;
  return code;
}

int cs_device_twin(const struct cs_device *device, struct cs_device **twin, struct cs_error *error) {
  return open_new(device->info, device->id, device, twin, error);
}

static int open_one(const struct cs_inventory *inventory, size_t index, struct cs_device **device,
                    struct cs_error *error) {
  return open_new(inventory->info[index], inventory->id[index], NULL, device, error);
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
  if (!cs_device_is_automatic(choice)) {
    const char *wanted = cs_device_wanted(choice);
    const bool all = strcmp(wanted, "all") == 0;
    const int code = all ? cs_device_troubles(inventory, error) : CS_OK;
    return code != CS_OK ? code
                         : cs_device_choose_many(inventory->info, inventory->count, wanted, index, chosen, error);
  }
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
  if (code == CS_OK && cs_device_choose_best(inventory.info, inventory.count, &index))
    code = open_one(&inventory, index, &device->beside, error);
  else if (code == CS_OK)
    code = cs_device_troubles(&inventory, error);
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
  cs_device_opened_clear(device);
  device->kind->close(device);
  pthread_mutex_destroy(&device->lock);
  free(device);
}

const struct cs_device_info *cs_device_info(const struct cs_device *device) {
  return &device->info;
}

void cs_device_program_keep(struct cs_program *program) {
  program->device->kind->keep_program(program);
  pthread_mutex_lock(&program->device->lock);
  program->whole = true;
  pthread_mutex_unlock(&program->device->lock);
}

enum cs_program_origin cs_device_program_origin(const struct cs_program *program) {
  return program->origin;
}

void cs_device_program_close(struct cs_program *program) {
  program->device->kind->close_program(program);
  free(program->key);
  free(program);
}

void cs_device_program_free(struct cs_program *program) {
  if (program == NULL) return;
  if (program->key != NULL)
    cs_device_opened_leave(program);
  else
    cs_device_program_close(program);
}

int cs_device_kernel_open(struct cs_program *program, const char *name, struct cs_kernel **kernel,
                          struct cs_error *error) {
  *kernel = NULL;
  struct cs_kernel *new = calloc(1, sizeof *new);
  if (new == NULL) return cs_error_memory(error);
  new->device = program->device;
  new->name = cs_text_copy(name);
  const int code = new->name != NULL ? new->device->kind->open_kernel(new, program, error) : cs_error_memory(error);
  if (code != CS_OK)
    cs_device_kernel_free(new);
  else
    *kernel = new;
  return code;
}

void cs_device_kernel_use(struct cs_kernel *kernel, struct cs_device *device) {
  kernel->device = device;
}

void cs_device_kernel_free(struct cs_kernel *kernel) {
  if (kernel == NULL) return;
  kernel->device->kind->close_kernel(kernel);
  free(kernel->name);
  free(kernel);
}

size_t cs_device_kernel_side(const struct cs_kernel *kernel, size_t wanted) {
  while (kernel->group > 0 && wanted > kernel->group)
    wanted /= 2;
  return wanted > 0 ? wanted : 1;
}

int cs_device_kernel_set_buffer(struct cs_kernel *kernel, unsigned index, struct cs_buffer *buffer,
                                struct cs_error *error) {
  assert(index < CS_ARGUMENTS);
  return kernel->device->kind->set_buffer(kernel, index, buffer, error);
}

int cs_device_kernel_set_long(struct cs_kernel *kernel, unsigned index, int64_t value, struct cs_error *error) {
  assert(index < CS_ARGUMENTS);
  return kernel->device->kind->set_long(kernel, index, value, error);
}

int cs_device_kernel_set_local(struct cs_kernel *kernel, unsigned index, size_t bytes, struct cs_error *error) {
  return kernel->device->kind->set_local(kernel, index, bytes, error);
}

int cs_device_kernel_run(struct cs_kernel *kernel, unsigned dimensions, const size_t *global, const size_t *local,
                         struct cs_span *span, struct cs_error *error) {
  assert(dimensions == 1 || dimensions == 2);
  return kernel->device->kind->run(kernel, dimensions, global, local, span, error);
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
  new->device = device;
  new->bytes = bytes;
  const int code = device->kind->open_buffer(new, error);
  if (code != CS_OK)
    free(new);
  else
    *buffer = new;
  return code;
}

void cs_device_buffer_free(struct cs_buffer *buffer) {
  if (buffer == NULL) return;
  buffer->device->kind->close_buffer(buffer);
  free(buffer);
}

int cs_device_buffer_write(struct cs_buffer *buffer, size_t offset, size_t bytes, const void *data,
                           struct cs_error *error) {
  assert(offset <= buffer->bytes && bytes <= buffer->bytes - offset);
  return bytes == 0 ? CS_OK : buffer->device->kind->write(buffer, offset, bytes, data, error);
}

int cs_device_buffer_read(struct cs_buffer *buffer, size_t offset, size_t bytes, void *data, struct cs_error *error) {
  assert(offset <= buffer->bytes && bytes <= buffer->bytes - offset);
  return bytes == 0 ? CS_OK : buffer->device->kind->read(buffer, offset, bytes, data, error);
}
