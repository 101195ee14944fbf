/* Lists devices and chooses among them. */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"
#include "child.h"
#include "device_private.h"
#include "list.h"
#include "text.h"

const char *cs_device_status(cl_int status) {
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

/* A property that a device does not tell is zero, and its trouble. */
#define ASK(info, id, what, value) \
  take_answer(info, #what, clGetDeviceInfo(id, what, sizeof *(value), value, NULL), value, sizeof *(value))
#define ASK_PLATFORM(info, id, what, value) \
  take_answer(info, #what, clGetPlatformInfo(id, what, sizeof *(value), value, NULL), value, sizeof *(value))

static void take_answer(struct cs_device_info *info, const char *what, cl_int status, void *value, size_t size) {
  if (status == CL_SUCCESS) return;
  memset(value, 0, size);
  if (info->trouble[0] == '\0')
    snprintf(info->trouble, sizeof info->trouble, "%s could not be asked: %s (%d)", what, cs_device_status(status),
             (int)status);
}

static bool has_fp64(struct cs_device_info *info, cl_device_id id) {
  cl_device_fp_config config = 0;
  /* Before OpenCL 1.2 only devices with the extension know of it. */
  if (clGetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL) == CL_SUCCESS && config)
    return true;
  char extensions[16384];
  ASK(info, id, CL_DEVICE_EXTENSIONS, &extensions);
  return strstr(extensions, "cl_khr_fp64") != NULL;
}

/* What no device of the standard tells. NVIDIA's tell their generation: its processors for doubles in a unit; of the
 * others what most cards have. */
static unsigned double_units_of(cl_device_id id, const struct cs_device_info *info) {
  enum { USUAL = 4, FEW = 2 };
  static const unsigned many[][3] = {{6, 0, 32}, {7, 0, 32}, {8, 0, 32}, {9, 0, 64}, {10, 0, 64}}; /* major, minor */
  cl_uint major = 0, minor = 0;
  if (!info->fp64) return 0;
  if (info->cpu) return 2 * info->native_width;
  if (clGetDeviceInfo(id, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, sizeof major, &major, NULL) != CL_SUCCESS ||
      clGetDeviceInfo(id, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, sizeof minor, &minor, NULL) != CL_SUCCESS)
    return USUAL;
  for (size_t i = 0; i < sizeof many / sizeof *many; i++)
    if (major == many[i][0] && minor == many[i][1]) return many[i][2];
  return FEW;
}

static struct cs_device_info describe(cl_platform_id platform, cl_device_id id, size_t index) {
  struct cs_device_info info = {.index = (int)index};
  cl_device_type type = 0;
  cl_uint units = 0, width = 0, clock = 0;
  cl_ulong memory = 0, largest = 0;
  size_t group = 0;
  ASK(&info, id, CL_DEVICE_NAME, &info.name);
  ASK(&info, id, CL_DRIVER_VERSION, &info.driver);
  ASK(&info, id, CL_DEVICE_VERSION, &info.version);
  ASK_PLATFORM(&info, platform, CL_PLATFORM_NAME, &info.platform);
  ASK_PLATFORM(&info, platform, CL_PLATFORM_VERSION, &info.platform_version);
  ASK(&info, id, CL_DEVICE_TYPE, &type);
  ASK(&info, id, CL_DEVICE_MAX_COMPUTE_UNITS, &units);
  ASK(&info, id, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, &width);
  ASK(&info, id, CL_DEVICE_MAX_CLOCK_FREQUENCY, &clock);
  ASK(&info, id, CL_DEVICE_MAX_WORK_GROUP_SIZE, &group);
  ASK(&info, id, CL_DEVICE_GLOBAL_MEM_SIZE, &memory);
  ASK(&info, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &largest);
  info.fp64 = has_fp64(&info, id);
  info.cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  info.gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  info.units = units;
  info.clock = clock;
  info.group = group;
  info.native_width = info.fp64 ? width : 0;
  info.double_units = double_units_of(id, &info);
  info.memory = memory;
  info.largest_buffer = largest;
  return info;
}

bool cs_device_is_pocl(const struct cs_device_info *info) {
  return strcmp(info->platform, "Portable Computing Language") == 0;
}

/* A platform that fails does not hide the devices of others: the failure is noted in `trouble`. */
static int add_platform(struct cs_inventory *inventory, cl_platform_id platform, struct cs_error *error) {
  cl_uint found = 0;
  cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &found);
  if (status == CL_DEVICE_NOT_FOUND || (status == CL_SUCCESS && found == 0)) return CS_OK;
  size_t total = inventory->count + found;
  if (status == CL_SUCCESS) {
    if (!cs_list_reserve(&inventory->id, total, sizeof *inventory->id) ||
        !cs_list_reserve(&inventory->info, total, sizeof *inventory->info))
      return cs_error_memory(error);
    status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, found, inventory->id + inventory->count, NULL);
  }
  if (status != CL_SUCCESS) {
    struct cs_device_info info = {0};
    ASK_PLATFORM(&info, platform, CL_PLATFORM_NAME, &info.platform);
    snprintf(inventory->trouble, sizeof inventory->trouble, "%s: %s (%d)", info.platform, cs_device_status(status),
             (int)status);
    return CS_OK;
  }
  for (size_t i = inventory->count; i < total; i++)
    inventory->info[i] = describe(platform, inventory->id[i], i);
  inventory->count = total;
  return CS_OK;
}

void cs_device_clear_inventory(struct cs_inventory *inventory) {
  free(inventory->info);
  free(inventory->id);
}

#define TROUBLE "device %d (%s): %s"

static int fail_trouble(const struct cs_device_info *info, struct cs_error *error) {
  return cs_error_set(error, CS_DEVICE, TROUBLE, info->index, info->name, info->trouble);
}

/* Gives threads that drivers start from now on the stack `bytes`, and says what it was. Where the process has less, as
 * after `ulimit -s 256`, private memory of work-items, which PoCL keeps there, would end it. */
static size_t give_stack(size_t bytes) {
  pthread_attr_t attributes;
  size_t before = bytes;
  if (pthread_getattr_default_np(&attributes) != 0) return before;
  pthread_attr_getstacksize(&attributes, &before);
  if (pthread_attr_setstacksize(&attributes, bytes) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  return before;
}

/* Devices of OpenCL. */
static int take_platforms(struct cs_inventory *inventory, struct cs_error *error) {
  cl_uint platforms = 0;
  cl_int status = clGetPlatformIDs(0, NULL, &platforms);
  if (status == CL_PLATFORM_NOT_FOUND_KHR || (status == CL_SUCCESS && platforms == 0)) return CS_OK;
  cl_platform_id *platform = calloc(platforms ? platforms : 1, sizeof *platform);
  if (platform == NULL) return cs_error_memory(error);
  int code = CS_OK;
  if (status == CL_SUCCESS) status = clGetPlatformIDs(platforms, platform, NULL);
  if (status != CL_SUCCESS) {
    code = cs_error_set(error, CS_DEVICE, "OpenCL: listing the platforms failed: %s (%d)", cs_device_status(status),
                        (int)status);
    goto out;
  }
  for (cl_uint i = 0; i < platforms && code == CS_OK; i++)
    code = add_platform(inventory, platform[i], error);
  if (code == CS_OK && inventory->count == 0) code = cs_device_troubles(inventory, error);
out:
  free(platform);
  return code;
}

static void ask(FILE *to, void *inventory) {
  cs_child_leave();
  if (take_platforms(inventory, NULL) >= 0) fwrite(".", 1, 1, to);
}

/* Whether drivers can be asked without an end of the process: PoCL's aborts where it finds no /sys, as in some roots
 * of build daemons. So another process asks first there. */
static bool drivers_live(void) {
  struct cs_inventory inventory = {0};
  struct cs_child child;
  struct cs_text why = {0};
  if (access("/sys/devices/system/cpu", F_OK) == 0 || cs_child_open(ask, &inventory, &child, NULL) != CS_OK)
    return true;
  const bool lives = fgetc(child.from) != EOF;
  cs_child_close(&child, &why);
  cs_text_free(&why);
  return lives;
}

/* The last device is the host, which needs no driver. */
static int add_host(struct cs_inventory *inventory, struct cs_error *error) {
  if (!cs_list_reserve(&inventory->id, inventory->count + 1, sizeof *inventory->id) ||
      !cs_list_reserve(&inventory->info, inventory->count + 1, sizeof *inventory->info))
    return cs_error_memory(error);
  inventory->id[inventory->count] = NULL;
  inventory->info[inventory->count] = cs_device_host_info((int)inventory->count);
  inventory->count++;
  return CS_OK;
}

int cs_device_take_host(struct cs_inventory *inventory, struct cs_error *error) {
  *inventory = (struct cs_inventory){0};
  return add_host(inventory, error);
}

int cs_device_take_inventory(struct cs_inventory *inventory, struct cs_error *error) {
  *inventory = (struct cs_inventory){0};
  cs_cache_prepare();
  const bool live = drivers_live();
  const size_t before = give_stack(CS_DEVICE_STACK);
  const int code = live ? take_platforms(inventory, error) : CS_OK;
  give_stack(before);
  if (!live)
    snprintf(inventory->trouble, sizeof inventory->trouble,
             "a driver ended the process that asked it, as PoCL without /sys");
  return code == CS_OK ? add_host(inventory, error) : code;
}

int cs_device_troubles(const struct cs_inventory *inventory, struct cs_error *error) {
  if (inventory->trouble[0])
    return cs_error_set(error, CS_DEVICE, "OpenCL: listing the devices failed: %s", inventory->trouble);
  for (size_t i = 0; i < inventory->count; i++)
    if (inventory->info[i].trouble[0]) return fail_trouble(&inventory->info[i], error);
  return CS_OK;
}

static void tell_troubles(const struct cs_inventory *inventory, struct cs_text *troubles) {
  if (inventory->trouble[0]) cs_text_add(troubles, "OpenCL: listing the devices failed: %s\n", inventory->trouble);
  for (size_t i = 0; i < inventory->count; i++) {
    const struct cs_device_info *info = &inventory->info[i];
    if (info->trouble[0]) cs_text_add(troubles, TROUBLE "\n", info->index, info->name, info->trouble);
  }
}

int cs_device_list(struct cs_device_info **list, size_t *count, struct cs_text *troubles, struct cs_error *error) {
  *list = NULL;
  *count = 0;
  struct cs_inventory inventory;
  int code = cs_device_take_inventory(&inventory, error);
  if (code == CS_OK) {
    if (troubles != NULL) tell_troubles(&inventory, troubles);
    *list = inventory.info;
    *count = inventory.count;
    inventory.info = NULL;
  }
  cs_device_clear_inventory(&inventory);
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

bool cs_device_fits(const struct cs_device_info *info, const char *choice) {
  if (choice == NULL) return !info->host;
  if (strcmp(choice, "host") == 0) return info->host;
  if (strcmp(choice, "cpu") == 0) return info->cpu && !info->host;
  if (strcmp(choice, "gpu") == 0) return info->gpu;
  if (is_index(choice)) {
    errno = 0;
    unsigned long index = strtoul(choice, NULL, 10);
    return errno == 0 && index == (unsigned long)info->index;
  }
  return choice[0] && !info->host && (contains(info->name, choice) || contains(info->platform, choice));
}

static int fail_no_match(const struct cs_device_info *list, size_t count, const char *choice, struct cs_error *error) {
  struct cs_text text = {0};
  for (size_t i = 0; i < count; i++)
    cs_text_add(&text, "%s%d (%s%s%s)", i ? ", " : "", list[i].index, list[i].name, list[i].trouble[0] ? ", " : "",
                list[i].trouble[0] ? list[i].trouble
                : list[i].fp64     ? ""
                                   : ", no fp64");
  int code = text.failed
                 ? cs_error_memory(error)
                 : cs_error_set(error, CS_DEVICE,
                                "device: nothing matches \"%s\"; want auto, cpu, gpu, part of a name or one of: %s",
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

const char *cs_device_wanted(const char *choice) {
  const char *named = getenv("COSWEEP_DEVICE");
  return choice != NULL || named == NULL || named[0] == '\0' ? choice : named;
}

bool cs_device_is_automatic(const char *choice) {
  const char *wanted = cs_device_wanted(choice);
  return wanted == NULL || strcmp(wanted, "auto") == 0;
}

double cs_device_rate(const struct cs_device_info *info) {
  /* What a run needs at a time is more than the registers of one of a GPU's work-items: it waits for memory. */
  const double share = info->cpu ? 0.5 : 0.05, usual_clock = 1500.0;
  if (!info->fp64 || info->trouble[0]) return 0.0;
  return share * info->units * info->double_units * 1e6 * (info->clock > 0 ? info->clock : usual_clock);
}

/* Drivers of one CPU tell its clock and width in their own ways. */
static bool is_better(const struct cs_device_info *one, const struct cs_device_info *other) {
  const bool pocl = cs_device_is_pocl(one), others = cs_device_is_pocl(other);
  if (one->cpu && other->cpu && pocl != others) return pocl;
  return cs_device_rate(one) > cs_device_rate(other);
}

int cs_device_choose(const struct cs_device_info *list, size_t count, const char *choice, size_t *index,
                     struct cs_error *error) {
  if ((count == 0 || list[0].host) && (choice == NULL || strcmp(choice, "host") != 0))
    return cs_error_set(error, CS_DEVICE,
                        "device: no OpenCL device found; install the package pocl-opencl-icd to compute on the CPU, "
                        "or the OpenCL driver of your GPU; or want --device host");
  const struct cs_device_info *best = NULL;
  int best_rank = -1;
  for (size_t i = 0; i < count; i++) {
    int rank = (list[i].trouble[0] ? 0 : 4) + (list[i].fp64 ? 2 : 0) + (choice == NULL && list[i].cpu ? 1 : 0);
    if (!cs_device_fits(&list[i], choice) || rank < best_rank) continue;
    if (rank == best_rank && !is_better(&list[i], best)) continue;
    best = &list[i];
    best_rank = rank;
  }
  if (best == NULL) return fail_no_match(list, count, choice, error);
  if (best->trouble[0]) return fail_trouble(best, error);
  if (!best->fp64) return fail_no_fp64(list, count, best, error);
  *index = (size_t)(best - list);
  return CS_OK;
}

bool cs_device_choose_best(const struct cs_device_info *list, size_t count, size_t *index) {
  const struct cs_device_info *best = NULL;
  for (size_t i = 0; i < count; i++)
    if (!list[i].host && cs_device_rate(&list[i]) > 0.0 && (best == NULL || is_better(&list[i], best))) best = &list[i];
  if (best != NULL) *index = (size_t)(best - list);
  return best != NULL;
}

int cs_device_choose_usual(const struct cs_device_info *list, size_t count, size_t *index, struct cs_error *error) {
  return cs_device_choose(list, count, cs_device_is_automatic(NULL) ? "host" : cs_device_wanted(NULL), index, error);
}

/* "all": every device with double precision, none of which may be in trouble. */
static int choose_all(const struct cs_device_info *list, size_t count, size_t *index, size_t *chosen,
                      struct cs_error *error) {
  for (size_t i = 0; i < count; i++) {
    if (list[i].trouble[0]) return fail_trouble(&list[i], error);
    if (list[i].fp64 && !list[i].host) index[(*chosen)++] = i;
  }
  return *chosen > 0 ? CS_OK : cs_device_choose(list, count, NULL, index, error);
}

int cs_device_choose_many(const struct cs_device_info *list, size_t count, const char *choice, size_t *index,
                          size_t *chosen, struct cs_error *error) {
  *chosen = 0;
  if (choice != NULL && strcmp(choice, "all") == 0) return choose_all(list, count, index, chosen, error);
  char *words = cs_text_copy(choice != NULL ? choice : "");
  int code = words != NULL ? CS_OK : cs_error_memory(error);
  for (char *word = words, *next; word != NULL && code == CS_OK; word = next) {
    next = strchr(word, ',');
    if (next != NULL) *next++ = '\0';
    size_t found = 0;
    if (choice != NULL && strcmp(word, "all") == 0)
      code = cs_error_set(error, CS_DEVICE, "device: \"all\" in the list \"%s\"; want it alone, or a list without it",
                          choice);
    if (code == CS_OK) code = cs_device_choose(list, count, choice != NULL ? word : NULL, &found, error);
    for (size_t i = 0; i < *chosen && code == CS_OK; i++)
      if (index[i] == found)
        code = cs_error_set(error, CS_DEVICE, "device %d (%s): named twice in \"%s\"; want every device once",
                            list[found].index, list[found].name, choice);
    if (code == CS_OK) index[(*chosen)++] = found;
  }
  free(words);
  return code;
}
