#define _GNU_SOURCE
#include "builder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache.h"
#include "cache_place.h"
#include "text.h"

/* The two processes talk through a socket, in the words of one program: the number of the device and of programs; of
 * each program its kernels and the lengths of options and source, then these. The answer is the text of an error. */
struct request {
  uint32_t device, programs;
};

struct program {
  uint64_t kernels, options, source;
  struct cs_builder_kernel kernel[CS_BUILDER_KERNELS];
};

struct cs_builder {
  pid_t process;
  int socket;
  bool ended;
  int status;
};

bool cs_builder_serves(void) {
  const struct cs_cache_place *place = cs_cache_place();
  return (place->kept != NULL && place->scratch != NULL) || place->shared != NULL;
}

bool cs_builder_knows(const struct cs_device *device) {
  return cs_builder_serves() && (cs_cache_place()->shared == NULL || !cs_device_is_pocl(cs_device_info(device)));
}

/* ---- here -------------------------------------------------------------------------------------------------------- */

static bool send_all(int to, const void *bytes, size_t length) {
  for (const char *at = bytes; length > 0;) {
    const ssize_t sent = send(to, at, length, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    length -= (size_t)sent;
  }
  return true;
}

static bool ask(int to, const struct cs_device *device, const struct cs_builder_program *program, size_t programs) {
  const struct request request = {(uint32_t)cs_device_info(device)->index, (uint32_t)programs};
  bool good = send_all(to, &request, sizeof request);
  for (size_t i = 0; i < programs && good; i++) {
    struct program p = {
        .kernels = program[i].kernels, .options = strlen(program[i].options), .source = strlen(program[i].source)};
    memcpy(p.kernel, program[i].kernel, sizeof p.kernel);
    good = send_all(to, &p, sizeof p) && send_all(to, program[i].options, p.options) &&
           send_all(to, program[i].source, p.source);
  }
  return good;
}

/* It works in a directory of its own, not in the one that this process has told PoCL. */
static char **environment(void) {
  extern char **environ;
  size_t count = 0, kept = 0;
  while (environ[count] != NULL)
    count++;
  char **list = calloc(count + 1, sizeof *list);
  for (size_t i = 0; list != NULL && i < count; i++)
    if (cs_cache_place()->scratch == NULL || strncmp(environ[i], "POCL_CACHE_DIR=", strlen("POCL_CACHE_DIR=")) != 0)
      list[kept++] = environ[i];
  return list;
}

/* What it prints is its driver's, and its error comes another way. */
static int start(const char *file, int socket, pid_t *process) {
  char word[] = CS_BUILDER_WORD, name[] = "cosweep", *const words[] = {name, word, NULL};
  char **settings = environment();
  posix_spawn_file_actions_t actions;
  int reason = settings != NULL ? posix_spawn_file_actions_init(&actions) : ENOMEM;
  if (reason != 0) {
    free(settings);
    return reason;
  }
  reason = posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  if (reason == 0) reason = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (reason == 0) reason = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (reason == 0) reason = posix_spawn(process, file, &actions, NULL, words, settings);
  posix_spawn_file_actions_destroy(&actions);
  free(settings);
  return reason;
}

int cs_builder_open(const char *file, const struct cs_device *device, const struct cs_builder_program *program,
                    size_t programs, struct cs_builder **builder, struct cs_error *error) {
  int ends[2] = {-1, -1};
  struct cs_builder *new = calloc(1, sizeof *new);
  *builder = NULL;
  if (new == NULL) return cs_error_memory(error);
  int reason = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : errno;
  if (reason == 0) reason = start(file, ends[1], &new->process);
  if (ends[1] >= 0) close(ends[1]);
  if (reason != 0) {
    if (ends[0] >= 0) close(ends[0]);
    free(new);
    return cs_error_set(error, CS_DEVICE, "cannot start a process to build programs in: %s", strerror(reason));
  }
  new->socket = ends[0];
  ask(new->socket, device, program, programs); /* if it cannot read, it has failed, and that shows when it ends */
  *builder = new;
  return CS_OK;
}

bool cs_builder_has_ended(struct cs_builder *b, int *code, struct cs_error *error) {
  char text[sizeof error->message] = "";
  size_t length = 0;
  *code = CS_OK;
  if (!b->ended) {
    const pid_t answer = waitpid(b->process, &b->status, WNOHANG);
    if (answer == 0 || (answer < 0 && errno == EINTR)) return false;
    b->ended = true;
    if (answer < 0) b->status = -1;
  }
  if (b->status == 0) return true;
  for (ssize_t got; length + 1 < sizeof text; length += (size_t)got)
    if ((got = recv(b->socket, text + length, sizeof text - 1 - length, MSG_DONTWAIT)) <= 0) break;
  *code = cs_error_set(error, CS_DEVICE, "%s", length > 0 ? text : "the process that built it ended early");
  return true;
}

void cs_builder_close(struct cs_builder *b) {
  if (b == NULL) return;
  close(b->socket);
  while (!b->ended && waitpid(b->process, &b->status, 0) < 0 && errno == EINTR) {
  }
  free(b);
}

/* ---- in the other process ---------------------------------------------------------------------------------------- */

static bool receive(void *bytes, size_t length) {
  for (char *at = bytes; length > 0;) {
    const ssize_t got = read(STDIN_FILENO, at, length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    length -= (size_t)got;
  }
  return true;
}

static char *receive_text(uint64_t length) {
  char *text = calloc(length + 1, 1);
  if (text != NULL && receive(text, length)) return text;
  free(text);
  return NULL;
}

/* Nothing more is said: the end of the socket means that nobody waits. */
static void *wait_for_end(void *context) {
  char nothing;
  (void)context;
  while (read(STDIN_FILENO, &nothing, 1) > 0 || errno == EINTR) {
  }
  kill(getpid(), SIGTERM);
  return NULL;
}

/* A program that was asked for. */
struct wanted {
  struct program shape;
  char *options, *source;
};

static bool receive_program(struct wanted *wanted) {
  if (!receive(&wanted->shape, sizeof wanted->shape) || wanted->shape.kernels > CS_BUILDER_KERNELS) return false;
  wanted->options = receive_text(wanted->shape.options);
  if (wanted->options != NULL) wanted->source = receive_text(wanted->shape.source);
  return wanted->source != NULL;
}

static int launch(struct cs_program *program, const struct cs_builder_kernel *shape, struct cs_error *error) {
  struct cs_kernel *kernel = NULL;
  int code = cs_device_kernel_open(program, shape->name, &kernel, error);
  if (code == CS_OK) code = cs_device_kernel_idle(kernel, shape->buffers, shape->numbers, shape->dimensions, 1, error);
  cs_device_kernel_free(kernel);
  return code;
}

static int build(struct cs_device *device, const struct wanted *wanted, struct cs_error *error) {
  struct cs_program *program = NULL;
  int code = cs_device_program_open(device, wanted->source, wanted->options, NULL, &program, error);
  for (uint64_t i = 0; i < wanted->shape.kernels && code == CS_OK; i++)
    code = launch(program, &wanted->shape.kernel[i], error);
  if (code == CS_OK) cs_device_program_keep(program);
  cs_device_program_free(program);
  return code;
}

static int build_all(uint32_t number, const struct wanted *wanted, uint32_t count, struct cs_error *error) {
  struct cs_device *device = NULL;
  pthread_t thread;
  char choice[16];
  snprintf(choice, sizeof choice, "%u", number);
  if (pthread_create(&thread, NULL, wait_for_end, NULL) != 0)
    return cs_error_set(error, CS_DEVICE, "cannot start a thread: out of resources");
  pthread_detach(thread);
  int code = cs_device_open(choice, &device, error);
  for (uint32_t i = 0; i < count && code == CS_OK; i++)
    code = build(device, &wanted[i], error);
  cs_device_close(device);
  return code;
}

int cs_builder_serve(struct cs_error *error) {
  struct request request = {0};
  struct wanted wanted[CS_BUILDER_PROGRAMS] = {{.options = NULL}};
  bool good = receive(&request, sizeof request) && request.programs <= CS_BUILDER_PROGRAMS;
  for (uint32_t i = 0; i < request.programs && good; i++)
    good = receive_program(&wanted[i]);
  int code = good ? build_all(request.device, wanted, request.programs, error)
                  : cs_error_set(error, CS_DEVICE, "standard input asks for no programs");
  if (code != CS_OK) send_all(STDIN_FILENO, error->message, strlen(error->message));
  for (int i = 0; i < CS_BUILDER_PROGRAMS; i++) {
    free(wanted[i].options);
    free(wanted[i].source);
  }
  return code;
}
