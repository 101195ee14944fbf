/* Tiles and results over MPI. Calls of MPI that wait keep a processor busy: here everybody asks from time to time and
 * sleeps in between, for at most a millisecond. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "farm_mpi.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "print.h"
#include "text.h"

enum tag { ASK, TILE, RESULTS, DONE, END };

/* Bytes of results that are sent at once, s after which fewer are, and of the message of a failure. */
enum { MOST_BYTES = 4 << 20, MESSAGE = 1024 };
#define OLDEST 1.0

struct end {
  int code;
  char message[MESSAGE];
};

struct mpi_farm {
  struct cs_farm farm;
  MPI_Comm shared, work; /* for what all ranks do together, and for messages */
  pthread_mutex_t asking, sending;
  struct cs_text results; /* of ranks above 0, to be sent */
  double since;           /* when the first of them came */

  pthread_mutex_t lock; /* protects what follows, on rank 0 */
  size_t next, last;
  struct cs_farm_receiver receiver;
  pthread_t thread;
  bool serves;
  size_t ended; /* ranks */
  struct end failure;
  size_t failed; /* its rank */
};

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void sleep_a_while(long *nanoseconds) {
  enum { FIRST = 20000, LONGEST = 1000000 };
  *nanoseconds = *nanoseconds == 0 ? FIRST : *nanoseconds < LONGEST / 2 ? 2 * *nanoseconds : LONGEST;
  nanosleep(&(struct timespec){.tv_nsec = *nanoseconds}, NULL);
}

static void wait_for(MPI_Request *request) {
  long pause = 0;
  for (int done = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done;)
    sleep_a_while(&pause);
}

static void send_to(struct mpi_farm *f, const void *data, size_t bytes, int rank, enum tag tag) {
  MPI_Request request;
  MPI_Isend(data, (int)bytes, MPI_BYTE, rank, tag, f->work, &request);
  wait_for(&request);
}

static void receive_from(struct mpi_farm *f, void *data, size_t bytes, int rank, enum tag tag) {
  MPI_Request request;
  MPI_Irecv(data, (int)bytes, MPI_BYTE, rank, tag, f->work, &request);
  wait_for(&request);
}

static int share(struct cs_farm *farm, void *data, size_t bytes, struct cs_error *error) {
  enum { AT_ONCE = 1 << 30 };
  struct mpi_farm *f = (struct mpi_farm *)farm;
  (void)error; /* MPI ends all processes where it fails */
  for (size_t done = 0; done < bytes; done += AT_ONCE) {
    const size_t some = bytes - done < AT_ONCE ? bytes - done : AT_ONCE;
    MPI_Request request;
    MPI_Ibcast((char *)data + done, (int)some, MPI_BYTE, 0, f->shared, &request);
    wait_for(&request);
  }
  return CS_OK;
}

/* ---- rank 0 ------------------------------------------------------------------------------------------------------ */

static long next_tile(struct mpi_farm *f) {
  pthread_mutex_lock(&f->lock);
  const long tile = f->next < f->last ? (long)f->next++ : CS_FARM_NONE;
  pthread_mutex_unlock(&f->lock);
  return tile;
}

/* Hands tiles out no longer. */
static void stop(struct mpi_farm *f) {
  pthread_mutex_lock(&f->lock);
  f->next = f->last;
  pthread_mutex_unlock(&f->lock);
}

/* What keeps a rank's results from counting, or its own failure. */
static void note_failure(struct mpi_farm *f, int rank, const struct end *end) {
  stop(f);
  pthread_mutex_lock(&f->lock);
  if (f->failure.code == CS_OK) {
    f->failure = *end;
    f->failed = (size_t)rank;
  }
  pthread_mutex_unlock(&f->lock);
}

static int enter_all(const struct mpi_farm *f, const char *bytes, size_t count, struct cs_error *error) {
  int code = CS_OK;
  for (size_t at = 0; at < count && code == CS_OK;) {
    struct cs_farm_result result = {0};
    if (count - at >= sizeof result) memcpy(&result, bytes + at, sizeof result);
    at += sizeof result; /* all sizes are multiples of eight bytes */
    if (at > count || (count - at) / sizeof(double) < result.items)
      return cs_error_set(error, CS_IO, "has sent results that are not whole");
    code = f->receiver.enter(f->receiver.context, &result, (const double *)(const void *)(bytes + at), error);
    at += result.items * sizeof(double);
  }
  return code;
}

static void take_results(struct mpi_farm *f, int rank, const char *bytes, size_t count) {
  struct cs_error error;
  struct end end = {.code = enter_all(f, bytes, count, &error)};
  if (end.code == CS_OK) return;
  snprintf(end.message, sizeof end.message, "%.*s", MESSAGE - 1, error.message);
  note_failure(f, rank, &end);
}

/* Where other ranks wait for this one, there is no going on without memory: what has come is in the journal. */
static void *memory_for(size_t bytes, const char *what) {
  void *memory = malloc(bytes + 1);
  if (memory != NULL) return memory;
  cs_print_message("out of memory for %zu bytes of %s\n", bytes, what);
  MPI_Abort(MPI_COMM_WORLD, CS_DEVICE);
  abort();
}

static void answer(struct mpi_farm *f, int rank, enum tag tag, size_t bytes) {
  char *body = memory_for(bytes, "results of other ranks");
  receive_from(f, body, bytes, rank, tag);
  if (tag == ASK) {
    const long tile = next_tile(f);
    send_to(f, &tile, sizeof tile, rank, TILE);
  } else if (tag == RESULTS) {
    take_results(f, rank, body, bytes);
  } else if (tag == DONE) {
    size_t tile;
    memcpy(&tile, body, sizeof tile);
    f->receiver.done(f->receiver.context, tile);
  } else {
    struct end end;
    memcpy(&end, body, sizeof end);
    if (end.code != CS_OK) note_failure(f, rank, &end);
    pthread_mutex_lock(&f->lock);
    f->ended++;
    pthread_mutex_unlock(&f->lock);
  }
  free(body);
}

/* Answers other ranks until all have ended the pass. */
static void *serve(void *context) {
  struct mpi_farm *f = context;
  long pause = 0;
  while (f->ended + 1 < f->farm.ranks) {
    int found = 0, bytes = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, f->work, &found, &status);
    if (!found) {
      sleep_a_while(&pause);
      continue;
    }
    pause = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    answer(f, status.MPI_SOURCE, (enum tag)status.MPI_TAG, (size_t)bytes);
  }
  return NULL;
}

/* ---- all ranks --------------------------------------------------------------------------------------------------- */

static int begin(struct cs_farm *farm, size_t first, size_t last, const struct cs_farm_receiver *receiver,
                 struct cs_error *error) {
  struct mpi_farm *f = (struct mpi_farm *)farm;
  if (farm->rank > 0) return CS_OK;
  f->next = first;
  f->last = last;
  f->receiver = *receiver;
  f->serves = pthread_create(&f->thread, NULL, serve, f) == 0;
  return f->serves ? CS_OK : cs_error_set(error, CS_DEVICE, "cannot start a thread: out of resources");
}

static long take(struct cs_farm *farm) {
  struct mpi_farm *f = (struct mpi_farm *)farm;
  if (farm->rank == 0) return next_tile(f);
  long tile;
  pthread_mutex_lock(&f->asking);
  send_to(f, "", 0, 0, ASK);
  receive_from(f, &tile, sizeof tile, 0, TILE);
  pthread_mutex_unlock(&f->asking);
  return tile;
}

/* Called with the lock `sending`. */
static void flush(struct mpi_farm *f) {
  if (f->results.failed) {
    cs_print_message("out of memory for results\n");
    MPI_Abort(MPI_COMM_WORLD, CS_DEVICE);
  }
  if (f->results.length > 0) send_to(f, f->results.data, f->results.length, 0, RESULTS);
  f->results.length = 0;
}

static void send(struct cs_farm *farm, const struct cs_farm_result *result, const double *numbers, size_t pitch) {
  struct mpi_farm *f = (struct mpi_farm *)farm;
  pthread_mutex_lock(&f->sending);
  if (f->results.length == 0) f->since = cs_clock_seconds();
  cs_text_append(&f->results, (const char *)result, sizeof *result);
  for (uint32_t i = 0; i < result->items; i++)
    cs_text_append(&f->results, (const char *)&numbers[i * pitch], sizeof *numbers);
  if (f->results.length > MOST_BYTES || cs_clock_seconds() > f->since + OLDEST) flush(f);
  pthread_mutex_unlock(&f->sending);
}

static void sent(struct cs_farm *farm, size_t tile) {
  struct mpi_farm *f = (struct mpi_farm *)farm;
  pthread_mutex_lock(&f->sending);
  flush(f);
  send_to(f, &tile, sizeof tile, 0, DONE);
  pthread_mutex_unlock(&f->sending);
}

/* On rank 0: waits for the others, who ask also where it could not begin. */
static int gather_ends(struct mpi_farm *f, int code, struct cs_error *error) {
  stop(f);
  if (f->serves)
    pthread_join(f->thread, NULL);
  else
    serve(f);
  const struct end failure = f->failure;
  f->serves = false;
  f->ended = 0;
  f->failure.code = CS_OK;
  if (code != CS_OK || failure.code == CS_OK) return code;
  if (failure.code == CS_INTERRUPTED) return cs_error_interrupted(error);
  return cs_error_set(error, failure.code, "rank %zu: %s", f->failed, failure.message);
}

static int end(struct cs_farm *farm, int code, struct cs_error *error) {
  struct mpi_farm *f = (struct mpi_farm *)farm;
  struct end own = {.code = code};
  if (farm->rank == 0) return gather_ends(f, code, error);
  if (code != CS_OK) snprintf(own.message, sizeof own.message, "%.*s", MESSAGE - 1, error->message);
  pthread_mutex_lock(&f->sending);
  if (code == CS_OK) flush(f);
  f->results.length = 0;
  pthread_mutex_unlock(&f->sending);
  send_to(f, &own, sizeof own, 0, END);
  return code;
}

/* Processes of this machine that may use the same processors, this one included. */
static int processes_beside(MPI_Comm machine) {
  int count = 1, same = 0;
  cpu_set_t own;
  MPI_Comm_size(machine, &count);
  cpu_set_t *all = memory_for((size_t)count * sizeof *all, "processors of other ranks");
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, machine);
  for (int i = 0; i < count; i++)
    same += CPU_EQUAL(&own, &all[i]) != 0;
  free(all);
  return same;
}

int cs_farm_mpi_open(int *argc, char ***argv, struct cs_farm **farm, struct cs_error *error) {
  struct mpi_farm *f = calloc(1, sizeof *f);
  int level = MPI_THREAD_SINGLE, rank = 0, ranks = 1, neighbours = 1;
  MPI_Comm machine;
  *farm = NULL;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
  if (f == NULL) return cs_error_memory(error);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &f->shared);
  MPI_Comm_dup(MPI_COMM_WORLD, &f->work);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
  neighbours = processes_beside(machine);
  MPI_Comm_free(&machine);
  pthread_mutex_init(&f->asking, NULL);
  pthread_mutex_init(&f->sending, NULL);
  pthread_mutex_init(&f->lock, NULL);
  f->farm = (struct cs_farm){(size_t)rank, (size_t)ranks, (size_t)neighbours, share, begin, take, send, sent, end};
  *farm = &f->farm;
  if (ranks == 1 || level >= MPI_THREAD_MULTIPLE) return CS_OK;
  return cs_error_set(error, CS_DEVICE, "this MPI cannot serve several threads; want one with MPI_THREAD_MULTIPLE");
}

void cs_farm_mpi_close(struct cs_farm *farm, int code) {
  struct mpi_farm *f = (struct mpi_farm *)farm;
  const bool awaited = farm == NULL || farm->rank > 0; /* rank 0 has said that it ends */
  if (awaited && code != CS_OK && code != CS_INTERRUPTED) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  if (f != NULL) cs_text_free(&f->results);
  free(f);
}
