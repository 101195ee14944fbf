/* Reading in a process of its own: damaged bytes can make HDF5 crash or run for ever. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"
#include "list.h"
#include "seal.h"
#include "shape.h"
#include "store_private.h"
#include "store_stay.h"
#include "stream.h"

/* Names that no table can have are faults of the file; the table does not know where they come from. */
static int read_file(FILE *to, const struct cs_store_task *task, struct cs_error *error) {
  struct cs_error why = {0};
  const int code = cs_store_read_file(to, task, &why);
  if (code == CS_INPUT) return cs_error_set(error, CS_IO, "%s: %s", task->path, why.message);
  *error = why;
  return code;
}

/* Appends to `why` what became of the process if it gave no answer. */
static int fail_process(const char *path, const struct cs_text *why, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "%s: is damaged: reading it %s", path,
                      why->length > 0 ? cs_text_string(why) : "broke off");
}

/* What a process that was listened to has left of its answer. */
struct silence {
  bool read;  /* all that it wrote */
  bool ended; /* it wrote no more */
  bool wrote; /* all that it had to say */
  int reason; /* errno of reading */
};

/* Right after the last reading. */
static struct silence end_process(struct cs_child *child, struct cs_text *why) {
  struct silence silence = {.reason = errno, .read = !ferror(child->from), .ended = feof(child->from) != 0};
  silence.wrote = cs_child_close(child, why);
  return silence;
}

/* The error where nobody knows what the file has done: the pipe failed, or memory. */
static int fail_pipe(const char *path, const struct silence *silence, struct cs_error *error) {
  if (silence->read && silence->wrote) return cs_error_memory(error);
  return cs_error_set(error, CS_IO, "%s: cannot pass on what is read: %s", path,
                      silence->read ? "a pipe cannot be written" : strerror(silence->reason));
}

/* ---- contents */

static void pass_contents(FILE *to, void *context) {
  const struct cs_store_task *task = context;
  struct cs_error error = {0};
  if (task->ask >= 0) close(task->ask);
  const int code = read_file(to, context, &error);
  cs_stream_put_end(to, code, &error);
}

/* ---- numbers that stay in the file */

/* The process that has the file open, and how to ask it. */
struct paging {
  struct cs_child child;
  int ask;
  char *path;
};

static void ask(const struct paging *p, size_t array, size_t block) {
  const struct cs_store_request request = {array, block};
  while (send(p->ask, &request, sizeof request, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

static int load_block(void *context, size_t array, size_t block, void *items, size_t bytes, struct cs_error *error) {
  struct paging *p = context;
  size_t good = 0;
  ask(p, array, block);
  if (cs_stream_take_count(p->child.from, &good) && good && fread(items, 1, bytes, p->child.from) == bytes)
    return CS_OK;
  char *message = feof(p->child.from) || ferror(p->child.from) || good ? NULL : cs_stream_take_text(p->child.from);
  const int code = message != NULL ? cs_error_set(error, CS_IO, "%s", message)
                                   : cs_error_set(error, CS_IO, "%s: is damaged: reading it broke off", p->path);
  free(message);
  return code;
}

/* It is told to end: other processes may hold the other end of its socket. */
static void end_paging(struct paging *p) {
  struct cs_text why = {0};
  ask(p, SIZE_MAX, 0);
  close(p->ask);
  cs_child_close(&p->child, &why);
  cs_text_free(&why);
  free(p->path);
}

static void close_paging(void *context) {
  end_paging(context);
  free(context);
}

/* Lets arrays without data have theirs from the process. Takes ownership of both in any case. */
static int attach(struct cs_table *table, const struct cs_child *child, const struct cs_store_task *task,
                  struct cs_error *error) {
  struct paging paging = {.child = *child, .ask = task->ask}, *p = calloc(1, sizeof *p);
  size_t number = 0;
  if (p == NULL) {
    end_paging(&paging);
    return cs_error_memory(error);
  }
  *p = paging;
  p->path = cs_text_copy(task->path);
  fcntl(fileno(p->child.from), F_SETFD, FD_CLOEXEC);
  table->lazy = cs_lazy_new(&(struct cs_lazy_source){load_block, close_paging, p});
  if (table->lazy == NULL || p->path == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < table->arrays; i++) {
    struct cs_array *array = &table->array[i];
    if (array->data.uint8 != NULL) continue;
    array->lazy = calloc(1, sizeof *array->lazy);
    if (array->lazy == NULL) return cs_error_memory(error);
    cs_store_stay_blocks(table, array, array->lazy);
    array->lazy->of = table->lazy;
    array->lazy->number = number++;
  }
  return CS_OK;
}

static bool has_absent(const struct cs_table *table) {
  for (size_t i = 0; table != NULL && i < table->arrays; i++)
    if (table->array[i].data.uint8 == NULL) return true;
  return false;
}

static int close_sockets(const struct cs_store_task *task, int code) {
  if (task->ask >= 0) close(task->ask);
  if (task->answer >= 0) close(task->answer);
  return code;
}

static int open_sockets(struct cs_store_task *task, struct cs_error *error) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    return cs_error_set(error, CS_IO, "cannot talk to a process that reads files: %s", strerror(errno));
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  task->ask = ends[0];
  task->answer = ends[1];
  return CS_OK;
}

static int take_contents(struct cs_store_task *task, struct cs_table **table, struct cs_error *error) {
  struct cs_child child;
  struct cs_text why = {0};
  int code = cs_child_open(pass_contents, task, &child, error);
  if (code != CS_OK) return close_sockets(task, code);
  if (task->answer >= 0) close(task->answer);
  const bool taken = cs_stream_take(child.from, table, &code, error), stays = taken && has_absent(*table);
  const bool answered = taken && (!stays || task->least > 0);
  if (answered && stays) return attach(*table, &child, task, error);
  if (task->ask >= 0) close(task->ask);
  const struct silence silence = end_process(&child, &why);
  if (!answered && silence.ended && silence.wrote)
    code = fail_process(task->path, &why, error);
  else if (!answered)
    code = fail_pipe(task->path, &silence, error);
  cs_text_free(&why);
  return code;
}

int cs_store_read(const char *path, struct cs_table **table, struct cs_error *error) {
  return cs_store_read_lazily(path, 0, table, error);
}

int cs_store_read_lazily(const char *path, size_t least, struct cs_table **table, struct cs_error *error) {
  struct cs_store_task task = {.path = path, .least = least, .ask = -1, .answer = -1};
  enum cs_seal seal;
  *table = NULL;
  int code = cs_seal_check(path, &seal, &task.size, error);
  if (code == CS_OK && seal == CS_SEAL_WRONG)
    code = cs_error_set(error, CS_IO, "%s: is damaged: its bytes differ from their checksum (see: cosweep verify %s)",
                        path, path);
  if (code == CS_OK && least > 0) code = open_sockets(&task, error);
  if (code == CS_OK) code = take_contents(&task, table, error);
  if (code == CS_OK) code = cs_shape_check(*table, path, error);
  if (code == CS_OK) return CS_OK;
  cs_table_free(*table);
  *table = NULL;
  return code;
}

/* ---- verdicts */

static void pass_verdicts(FILE *to, void *context) {
  struct cs_error error = {0};
  const int code = read_file(to, context, &error);
  cs_stream_put_text(to, ""); /* no dataset's name */
  cs_stream_put_outcome(to, code, &error);
}

/* Takes ownership of the texts; false if memory is short. */
static bool add_part(struct cs_store_verdict *v, char *name, size_t state, char *reason) {
  const bool good = name != NULL && reason != NULL && cs_list_grow(&v->part, v->parts, sizeof *v->part);
  if (good) {
    v->part[v->parts++] = (struct cs_store_part){name, (enum cs_store_state)state, reason};
    return true;
  }
  free(name);
  free(reason);
  return false;
}

/* What the process that judges says. */
struct answer {
  bool whole; /* it came to its end, with `code` */
  int code;
  char *name;    /* else: of the dataset that it was reading, NULL if none */
  size_t number; /* and its number */
};

static struct answer take_verdicts(FILE *from, struct cs_store_verdict *v, struct cs_error *error) {
  struct answer answer = {0};
  while ((answer.name = cs_stream_take_text(from)) != NULL) {
    size_t state = 0;
    if (answer.name[0] == '\0') {
      answer.whole = cs_stream_take_outcome(from, &answer.code, error);
      free(answer.name);
      answer.name = NULL;
      return answer;
    }
    if (!cs_stream_take_count(from, &answer.number) || !cs_stream_take_count(from, &state)) return answer;
    if (state == CS_STORE_UNJUDGED) {
      free(answer.name);
      continue;
    }
    char *reason = cs_stream_take_text(from);
    if (reason == NULL || state > CS_STORE_DAMAGED) {
      free(reason);
      return answer;
    }
    if (!add_part(v, answer.name, state, reason)) {
      answer = (struct answer){.whole = true, .code = cs_error_memory(error)};
      return answer;
    }
  }
  return answer;
}

enum { MOST_CRASHES = 16 };

/* Judges all datasets but those that made earlier processes crash; if it is another one, adds it to the verdict. */
static int judge_rest(struct cs_store_task *task, size_t *skip, bool *again, struct cs_store_verdict *v,
                      struct cs_error *error) {
  struct cs_child child;
  struct cs_text why = {0};
  *again = false;
  int code = cs_child_open(pass_verdicts, task, &child, error);
  if (code != CS_OK) return code;
  struct answer answer = take_verdicts(child.from, v, error);
  const struct silence silence = end_process(&child, &why);
  code = answer.code;
  if (!answer.whole && !(silence.ended && silence.wrote)) {
    code = fail_pipe(task->path, &silence, error);
  } else if (!answer.whole && (answer.name == NULL || task->skips == MOST_CRASHES)) {
    task->broken = true;
    code = fail_process(task->path, &why, error);
  } else if (!answer.whole) {
    struct cs_text reason = {0};
    cs_text_add(&reason, "reading it %s", why.length > 0 ? cs_text_string(&why) : "broke off");
    skip[task->skips++] = answer.number;
    *again = add_part(v, answer.name, CS_STORE_DAMAGED, reason.data);
    answer.name = NULL;
    task->broken = *again && child.late; /* no other process after one that took all its time */
    if (!*again) code = cs_error_memory(error);
    if (task->broken) code = fail_process(task->path, &why, error);
    *again = *again && !task->broken;
  }
  free(answer.name);
  cs_text_free(&why);
  return code;
}

/* Drops the verdicts of a process that crashed, but not those of what made it crash, which are put first. */
static void drop_parts(struct cs_store_verdict *v, size_t crashes) {
  const struct cs_store_part last = v->part[v->parts - 1];
  for (size_t i = crashes - 1; i + 1 < v->parts; i++) {
    free(v->part[i].name);
    free(v->part[i].reason);
  }
  v->part[crashes - 1] = last;
  v->parts = crashes;
}

int cs_store_verify(const char *path, struct cs_store_verdict *verdict, struct cs_error *error) {
  size_t skip[MOST_CRASHES];
  struct cs_store_task task = {.path = path, .judges = true, .skip = skip};
  enum cs_seal seal = CS_SEAL_NONE;
  bool again = true;
  *verdict = (struct cs_store_verdict){0};
  int code = cs_seal_check(path, &seal, &task.size, error);
  while (code == CS_OK && again) {
    code = judge_rest(&task, skip, &again, verdict, error);
    if (again) drop_parts(verdict, task.skips);
  }
  for (size_t i = 0; i < verdict->parts && seal == CS_SEAL_RIGHT; i++)
    if (verdict->part[i].state == CS_STORE_READABLE) verdict->part[i].state = CS_STORE_OK;
  if (code == CS_IO && seal == CS_SEAL_WRONG && !task.broken) {
    const struct cs_error why = *error;
    code =
        cs_error_set(error, CS_IO, "%s: is damaged: its bytes differ from their checksum, and it cannot be read (%s)",
                     path, why.message);
  }
  verdict->whole = seal == CS_SEAL_RIGHT ? CS_STORE_OK : seal == CS_SEAL_WRONG ? CS_STORE_DAMAGED : CS_STORE_READABLE;
  return code;
}

void cs_store_free_verdict(struct cs_store_verdict *verdict) {
  for (size_t i = 0; i < verdict->parts; i++) {
    free(verdict->part[i].name);
    free(verdict->part[i].reason);
  }
  free(verdict->part);
  *verdict = (struct cs_store_verdict){0};
}
