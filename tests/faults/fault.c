/* To be preloaded into the program: makes the n-th call of a function fail, and repeats the program from the moment
 * before main() as often as its standard input asks.
 *
 * FAULT: functions, or groups of them (`group` below), separated by commas. FAULT_FROM: only calls from objects whose
 * names contain one of these words, separated by commas; default is the program itself. FAULT_LOAD: libraries that the
 * program will load, loaded beforehand once for all repetitions, separated by commas. A line "n folder function" on
 * standard input runs the program in `folder`, with out.txt and err.txt beside that folder as standard output and
 * error, and the n-th call of `function` fails; n 0: none. A fourth word is "full": standard output on a full device;
 * "kill": the n-th call ends the process as kill -9 does; or "half": a write() of which half is written does. The
 * answer is a line with the status of waitpid and, if n is 0, the number of calls of each function of FAULT. With
 * FAULT_WHERE set, where.txt says what led to the call that failed. Times are constant, so that results have the same
 * bytes.
 *
 * With FAULT_AT set to n, the program runs once, where it is, and the n-th call of the first function of FAULT fails; n
 * 0: none, and the numbers of calls are written to the file FAULT_CALLS; n -1: none. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Functions that fail together, by the name of the group. */
static const struct {
  const char *function, *group;
} groups[] = {{"malloc", "memory"},
              {"calloc", "memory"},
              {"realloc", "memory"},
              {"pwrite", "write"},
              {"fwrite", "write"},
              {"posix_fallocate", "write"},
              {"pread", "read"},
              {"fread", "read"},
              {"fopen", "open"},
              {"opendir", "open"},
              {"mkstemp", "open"},
              {"fdatasync", "fsync"},
              {"fclose", "close"},
              {"rmdir", "unlink"},
              {"remove", "unlink"},
              {"mkdtemp", "mkdir"},
              {"lstat", "stat"},
              {"fstat", "stat"},
              {"access", "stat"},
              {"clGetPlatformInfo", "query"},
              {"clGetDeviceInfo", "query"},
              {"fork", "process"},
              {"pthread_create", "process"}};

enum { RANGES = 64, LONGEST_SECONDS = 300, DEEPEST = 32, LISTED = 32, LONGEST_NAME = 32 };

/* Shared by all repetitions. */
static struct shared { atomic_long calls[LISTED]; } * shared;

static struct { uintptr_t begin, end; } range[RANGES];
static size_t ranges;
static char list[LISTED][LONGEST_NAME]; /* FAULT */
static size_t listed;
static size_t wanted = LISTED; /* the function that fails; LISTED: none, and nothing is counted */
static long chosen;            /* the call of it that fails; 0: none, and all functions of the list are counted */
static bool kills, halves;     /* or kills the process, as kill -9 does; after half of a write */
static bool interrupts;        /* or succeeds, and is followed by a Ctrl-C */
static _Thread_local bool struck;
static char where[4200]; /* path of where.txt */

/* ---- which calls count */

/* Copies the first word of a list, of which it returns the rest; NULL behind the last. */
static const char *take_word(const char *words, char *word, size_t size) {
  const size_t length = strcspn(words, ",");
  if (*words == '\0') return NULL;
  snprintf(word, size, "%.*s", (int)length, words);
  return words + length + (words[length] == ',');
}

static bool names_object(const char *words, const char *object) {
  char word[64];
  while ((words = take_word(words, word, sizeof word)) != NULL)
    if (strstr(object, word) != NULL) return true;
  return false;
}

/* The first object of all is the program, without a name. */
static int note_object(struct dl_phdr_info *info, size_t size, void *words) {
  (void)size;
  const bool program = info->dlpi_name[0] == '\0' && ranges == 0;
  if (!program && (words == NULL || !names_object(words, info->dlpi_name))) return 0;
  for (int i = 0; i < info->dlpi_phnum && ranges < RANGES; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    range[ranges].begin = info->dlpi_addr + part->p_vaddr;
    range[ranges++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
  }
  return 0;
}

static bool counts(const void *caller) {
  for (size_t i = 0; i < ranges; i++)
    if ((uintptr_t)caller >= range[i].begin && (uintptr_t)caller < range[i].end) return true;
  return false;
}

/* Group `opencl`: all functions of OpenCL that are in no other group. */
static bool is_of(const char *function, size_t name) {
  const char *group = strncmp(function, "cl", 2) == 0 && strchr("BCEGRSW", function[2]) != NULL ? "opencl" : "";
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    if (strcmp(groups[i].function, function) == 0) group = groups[i].group;
  return strcmp(list[name], function) == 0 || strcmp(list[name], group) == 0;
}

/* Notes who called, as symbols of objects: where.txt beside the folder. */
static void trace(void) {
  void *address[DEEPEST];
  const int fd = open(where, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0) return;
  backtrace_symbols_fd(address, backtrace(address, DEEPEST), fd);
  close(fd);
}

/* Whether this call of `function` has to fail. */
static bool fails(const char *function, const void *caller) {
  if (wanted == LISTED || !counts(caller) || (chosen > 0 && !is_of(function, wanted))) return false;
  if (chosen == 0) {
    for (size_t i = 0; i < listed; i++)
      if (is_of(function, i)) atomic_fetch_add(&shared->calls[i], 1);
    return false;
  }
  if (atomic_fetch_add(&shared->calls[wanted], 1) + 1 != chosen) return false;
  if (getenv("FAULT_WHERE") != NULL) trace();
  if (kills) kill(getpid(), SIGKILL);
  struck = interrupts;
  return !interrupts;
}

/* After a call that succeeded: the signal, if it is the chosen one, with time for whoever waits for it. */
static void interrupt(void) {
  const struct timespec pause = {.tv_nsec = 100000000};
  const int reason = errno;
  if (!struck) return;
  struck = false;
  kill(getpid(), SIGINT);
  nanosleep(&pause, NULL);
  errno = reason;
}

#define FAILS(function) fails(function, __builtin_return_address(0))

/* The function of that name that the program would call. */
static void *real(const char *function) {
  void *address = dlsym(RTLD_NEXT, function);
  if (address == NULL) abort();
  return address;
}

/* Defines `function` as itself, except that the chosen call returns `failed` with errno `reason`. */
#define FAULTY(type, function, parameters, arguments, failed, reason) \
  type function parameters {                                          \
    static type(*next) parameters;                                    \
    if (FAILS(#function)) {                                           \
      errno = reason;                                                 \
      return failed;                                                  \
    }                                                                 \
    if (next == NULL) *(void **)&next = real(#function);              \
    type result = next arguments;                                     \
    interrupt();                                                      \
    return result;                                                    \
  }

/* ---- memory: dlsym allocates, so these are called by their other names */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static void *no_memory(void) {
  errno = ENOMEM;
  return NULL;
}

void *malloc(size_t size) {
  return FAILS("malloc") ? no_memory() : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return FAILS("calloc") ? no_memory() : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  return FAILS("realloc") ? no_memory() : __libc_realloc(old, size);
}

/* ---- files */

/* Kind `half`: of what the chosen call has to write, half is written before the process is killed. */
ssize_t write(int fd, const void *data, size_t size) {
  static ssize_t (*next)(int, const void *, size_t);
  if (next == NULL) *(void **)&next = real("write");
  if (!FAILS("write")) return next(fd, data, size);
  if (halves && next(fd, data, size / 2) >= 0) kill(getpid(), SIGKILL);
  errno = ENOSPC;
  return -1;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  static ssize_t (*next)(int, const void *, size_t, off_t);
  if (next == NULL) *(void **)&next = real("pwrite");
  if (!FAILS("pwrite")) return next(fd, data, size, at);
  if (halves && next(fd, data, size / 2, at) >= 0) kill(getpid(), SIGKILL);
  errno = ENOSPC;
  return -1;
}

FAULTY(ssize_t, read, (int fd, void *data, size_t size), (fd, data, size), -1, EIO)
FAULTY(ssize_t, pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at), -1, EIO)
FAULTY(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
FAULTY(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
FAULTY(int, mkstemp, (char *path), (path), -1, EMFILE)
FAULTY(int, fsync, (int fd), (fd), -1, EIO)
FAULTY(int, fdatasync, (int fd), (fd), -1, EIO)
FAULTY(int, ftruncate, (int fd, off_t size), (fd, size), -1, EIO)
FAULTY(int, posix_fallocate, (int fd, off_t at, off_t bytes), (fd, at, bytes), ENOSPC, ENOSPC)
FAULTY(int, rename, (const char *from, const char *to), (from, to), -1, EACCES)
FAULTY(int, unlink, (const char *path), (path), -1, EACCES)
FAULTY(int, rmdir, (const char *path), (path), -1, EACCES)
FAULTY(int, remove, (const char *path), (path), -1, EACCES)
FAULTY(int, flock, (int fd, int how), (fd, how), -1, ENOLCK)
FAULTY(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC)
FAULTY(char *, mkdtemp, (char *path), (path), NULL, ENOSPC)
FAULTY(int, stat, (const char *path, struct stat *status), (path, status), -1, EACCES)
FAULTY(int, lstat, (const char *path, struct stat *status), (path, status), -1, EACCES)
FAULTY(int, fstat, (int fd, struct stat *status), (fd, status), -1, EIO)
FAULTY(int, access, (const char *path, int how), (path, how), -1, EACCES)
FAULTY(void *, mmap, (void *at, size_t size, int may, int how, int fd, off_t from), (at, size, may, how, fd, from),
       MAP_FAILED, ENOMEM)
FAULTY(pid_t, fork, (void), (), -1, EAGAIN)
FAULTY(int, pthread_create, (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *context),
       (thread, how, run, context), EAGAIN, EAGAIN)

int open(const char *path, int flags, ...) {
  static int (*next)(const char *, int, ...);
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (FAILS("open")) {
    errno = EMFILE;
    return -1;
  }
  if (next == NULL) *(void **)&next = real("open");
  return next(path, flags, mode);
}

/* Closed all the same, as on Linux. */
int close(int fd) {
  static int (*next)(int);
  const bool failed = FAILS("close");
  if (next == NULL) *(void **)&next = real("close");
  const int result = next(fd);
  if (failed) errno = EIO;
  return failed ? -1 : result;
}

int fclose(FILE *file) {
  static int (*next)(FILE *);
  const bool failed = FAILS("fclose");
  if (next == NULL) *(void **)&next = real("fclose");
  const int result = next(file);
  if (failed) errno = EIO;
  return failed ? EOF : result;
}

enum { ERROR_SEEN = 0x20 }; /* the flag of FILE that ferror() reads */

size_t fread(void *data, size_t size, size_t count, FILE *file) {
  static size_t (*next)(void *, size_t, size_t, FILE *);
  if (next == NULL) *(void **)&next = real("fread");
  if (!FAILS("fread")) return next(data, size, count, file);
  file->_flags |= ERROR_SEEN;
  errno = EIO;
  return 0;
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *file) {
  static size_t (*next)(const void *, size_t, size_t, FILE *);
  if (next == NULL) *(void **)&next = real("fwrite");
  if (!FAILS("fwrite")) return next(data, size, count, file);
  file->_flags |= ERROR_SEEN;
  errno = ENOSPC;
  return 0;
}

/* ---- time: of the program's own calls. CLOCK_REALTIME, by which threads wait for a second, is .99 s behind: they wait
 * hundredths. At a constant time in the past they would be as busy as those that compute. */

time_t time(time_t *place) {
  static time_t (*next)(time_t *);
  if (next == NULL) *(void **)&next = real("time");
  const time_t now = counts(__builtin_return_address(0)) ? 1000000000 : next(NULL);
  if (place != NULL) *place = now;
  return now;
}

enum { BEHIND = 990000000 }; /* ns */

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*next)(clockid_t, struct timespec *);
  if (next == NULL) *(void **)&next = real("clock_gettime");
  if (interrupts || !counts(__builtin_return_address(0))) return next(clock, now);
  if (clock == CLOCK_REALTIME) {
    if (next(clock, now) != 0) return -1;
    now->tv_sec -= now->tv_nsec < BEHIND;
    now->tv_nsec += now->tv_nsec < BEHIND ? 1000000000 - BEHIND : -BEHIND;
    return 0;
  }
  *now = (struct timespec){.tv_sec = 1000000000};
  return 0;
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
  (void)who;
  *usage = (struct rusage){0};
  return 0;
}

/* ---- OpenCL */

#define FAULTY_CL(function, parameters, arguments, reason) \
  FAULTY(CL_API_ENTRY cl_int CL_API_CALL, function, parameters, arguments, reason, 0)
#define FAULTY_RELEASE(noun, type) FAULTY_CL(clRelease##noun, (type object), (object), CL_OUT_OF_RESOURCES)

FAULTY_CL(clGetPlatformIDs, (cl_uint most, cl_platform_id *id, cl_uint *count), (most, id, count),
          CL_OUT_OF_HOST_MEMORY)
FAULTY_CL(clGetPlatformInfo, (cl_platform_id id, cl_platform_info what, size_t size, void *value, size_t *needed),
          (id, what, size, value, needed), CL_OUT_OF_HOST_MEMORY)
FAULTY_CL(clGetDeviceIDs,
          (cl_platform_id platform, cl_device_type type, cl_uint most, cl_device_id *id, cl_uint *count),
          (platform, type, most, id, count), CL_OUT_OF_HOST_MEMORY)
FAULTY_CL(clGetDeviceInfo, (cl_device_id id, cl_device_info what, size_t size, void *value, size_t *needed),
          (id, what, size, value, needed), CL_OUT_OF_HOST_MEMORY)
FAULTY_CL(clBuildProgram,
          (cl_program program, cl_uint devices, const cl_device_id *device, const char *options,
           void(CL_CALLBACK *done)(cl_program, void *), void *context),
          (program, devices, device, options, done, context), CL_OUT_OF_HOST_MEMORY)
FAULTY_CL(clGetProgramBuildInfo,
          (cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *value,
           size_t *needed),
          (program, device, what, size, value, needed), CL_OUT_OF_HOST_MEMORY)
FAULTY_CL(clGetProgramInfo, (cl_program program, cl_program_info what, size_t size, void *value, size_t *needed),
          (program, what, size, value, needed), CL_OUT_OF_HOST_MEMORY)
FAULTY_CL(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
          (kernel, index, size, value), CL_OUT_OF_HOST_MEMORY)
FAULTY_CL(clEnqueueNDRangeKernel,
          (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *from, const size_t *global,
           const size_t *local, cl_uint waits, const cl_event *wait, cl_event *event),
          (queue, kernel, dimensions, from, global, local, waits, wait, event), CL_OUT_OF_RESOURCES)
FAULTY_CL(clEnqueueReadBuffer,
          (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t from, size_t size, void *data, cl_uint waits,
           const cl_event *wait, cl_event *event),
          (queue, buffer, blocking, from, size, data, waits, wait, event), CL_OUT_OF_RESOURCES)
FAULTY_CL(clEnqueueWriteBuffer,
          (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t from, size_t size, const void *data,
           cl_uint waits, const cl_event *wait, cl_event *event),
          (queue, buffer, blocking, from, size, data, waits, wait, event), CL_OUT_OF_RESOURCES)
FAULTY_CL(clWaitForEvents, (cl_uint events, const cl_event *event), (events, event), CL_OUT_OF_RESOURCES)
FAULTY_CL(clRetainContext, (cl_context context), (context), CL_OUT_OF_RESOURCES)
FAULTY_RELEASE(CommandQueue, cl_command_queue)
FAULTY_RELEASE(Context, cl_context)
FAULTY_RELEASE(Event, cl_event)
FAULTY_RELEASE(Kernel, cl_kernel)
FAULTY_RELEASE(MemObject, cl_mem)
FAULTY_RELEASE(Program, cl_program)

/* Times of the device are constant too. */
CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size,
                                                        void *value, size_t *needed) {
  (void)event;
  (void)what;
  (void)needed;
  if (FAILS("clGetEventProfilingInfo")) return CL_OUT_OF_HOST_MEMORY;
  memset(value, 0, size);
  return CL_SUCCESS;
}

/* The same for functions that return an object, and a status through their last argument. */
#define FAULTY_OBJECT(type, function, parameters, arguments) \
  CL_API_ENTRY type CL_API_CALL function parameters {        \
    static type(*next) parameters;                           \
    if (next == NULL) *(void **)&next = real(#function);     \
    if (!FAILS(#function)) return next arguments;            \
    if (status != NULL) *status = CL_OUT_OF_HOST_MEMORY;     \
    return NULL;                                             \
  }

FAULTY_OBJECT(cl_context, clCreateContext,
              (const cl_context_properties *property, cl_uint devices, const cl_device_id *device,
               void(CL_CALLBACK *told)(const char *, const void *, size_t, void *), void *context, cl_int *status),
              (property, devices, device, told, context, status))
FAULTY_OBJECT(cl_command_queue, clCreateCommandQueue,
              (cl_context context, cl_device_id device, cl_command_queue_properties property, cl_int *status),
              (context, device, property, status))
FAULTY_OBJECT(cl_program, clCreateProgramWithSource,
              (cl_context context, cl_uint count, const char **text, const size_t *length, cl_int *status),
              (context, count, text, length, status))
FAULTY_OBJECT(cl_program, clCreateProgramWithBinary,
              (cl_context context, cl_uint devices, const cl_device_id *device, const size_t *length,
               const unsigned char **binary, cl_int *answer, cl_int *status),
              (context, devices, device, length, binary, answer, status))
FAULTY_OBJECT(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *status),
              (program, name, status))
FAULTY_OBJECT(cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t size, void *data, cl_int *status),
              (context, flags, size, data, status))

/* ---- repetitions */

static void redirect(const char *path, int flags, int to) {
  const int fd = open(path, flags, 0666);
  if (fd < 0 || dup2(fd, to) < 0) _exit(99);
  if (fd != to) close(fd);
}

/* In the child: what main() will find. */
static void prepare(const char *folder, bool full) {
  if (chdir(folder) != 0) _exit(99);
  snprintf(where, sizeof where, "%s/../where.txt", folder);
  redirect("/dev/null", O_RDONLY, 0);
  redirect(full ? "/dev/full" : "../out.txt", full ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC, 1);
  redirect("../err.txt", O_WRONLY | O_CREAT | O_TRUNC, 2);
  setpgid(0, 0);
  alarm(LONGEST_SECONDS);
}

/* Reads a line without stdio, whose buffers children would share. */
static bool read_line(char *line, size_t size) {
  size_t length = 0;
  while (length + 1 < size && read(0, line + length, 1) == 1 && line[length] != '\n')
    length++;
  line[length] = '\0';
  return length > 0;
}

static size_t find(const char *function) {
  for (size_t i = 0; i < listed; i++)
    if (strcmp(list[i], function) == 0) return i;
  _exit(99);
}

static void answer(int status, bool clean) {
  char line[4096];
  int length = snprintf(line, sizeof line, "%d", status);
  for (size_t i = 0; clean && i < listed; i++)
    length += snprintf(line + length, sizeof line - (size_t)length, " %ld", atomic_load(&shared->calls[i]));
  line[length++] = '\n';
  if (write(1, line, (size_t)length) != length) _exit(99);
}

/* Returns in children only. */
static void serve(void) {
  char line[4096], folder[4000], function[LONGEST_NAME], kind[16] = "";
  while (read_line(line, sizeof line)) {
    long n = 0;
    const int words = sscanf(line, "%ld %3999s %31s %15s", &n, folder, function, kind);
    if (words < 3) _exit(99);
    if (words < 4) kind[0] = '\0';
    for (size_t i = 0; i < listed; i++)
      atomic_store(&shared->calls[i], 0);
    const pid_t child = fork();
    if (child < 0) _exit(99);
    if (child == 0) {
      prepare(folder, strcmp(kind, "full") == 0);
      kills = strcmp(kind, "kill") == 0;
      halves = strcmp(kind, "half") == 0;
      interrupts = strcmp(kind, "signal") == 0;
      chosen = n;
      wanted = find(function);
      return;
    }
    int status = 0;
    waitpid(child, &status, 0);
    kill(-child, SIGKILL); /* what it started and left */
    answer(status, n == 0);
  }
  _exit(0);
}

/* Without a server. */
static void run_once(const char *at) {
  chosen = strtol(at, NULL, 10);
  wanted = chosen < 0 ? LISTED : 0;
}

__attribute__((destructor)) static void tell_calls(void) {
  const char *path = getenv("FAULT_CALLS");
  const bool tells = wanted != LISTED && path != NULL;
  wanted = LISTED;
  FILE *file = tells ? fopen(path, "w") : NULL;
  for (size_t i = 0; file != NULL && i < listed; i++)
    fprintf(file, "%ld\n", atomic_load(&shared->calls[i]));
  if (file != NULL) fclose(file);
}

static void load_all(const char *words) {
  char word[4096];
  while (words != NULL && (words = take_word(words, word, sizeof word)) != NULL)
    dlopen(word, RTLD_NOW); /* the program says what is missing */
}

/* Starts HDF5 once for all repetitions, as it would start when it is called first, where its own calls are not to fail.
 */
static void start_hdf5(void) {
  static const char *const step[] = {"H5dont_atexit", "H5open"};
  for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
    int (*call)(void) = NULL;
    *(void **)&call = dlsym(RTLD_DEFAULT, step[i]);
    if (call != NULL) call();
  }
}

__attribute__((constructor)) static void begin(void) {
  const char *words = getenv("FAULT");
  unsetenv("LD_PRELOAD");
  if (words == NULL) return;
  while (listed < LISTED && (words = take_word(words, list[listed], sizeof list[listed])) != NULL)
    listed++;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) _exit(99);
  dl_iterate_phdr(note_object, getenv("FAULT_FROM"));
  if (getenv("FAULT_AT") != NULL) {
    run_once(getenv("FAULT_AT"));
    return;
  }
  load_all(getenv("FAULT_LOAD"));
  if (getenv("FAULT_FROM") == NULL) start_hdf5();
  serve();
}
