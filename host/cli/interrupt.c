#include "interrupt.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "claim.h"
#include "litter.h"
#include "print.h"

static const struct {
  int number;
  const char *message;
  bool keeps_ignored; /* as nohup wants it */
} caught[] = {
    {SIGINT, "interrupted", false},
    {SIGTERM, "interrupted by SIGTERM", false},
    {SIGHUP, "interrupted by SIGHUP: the terminal was closed", true},
    {SIGXCPU, "interrupted by SIGXCPU: the limit of processor time is reached", false},
    {SIGXFSZ, "interrupted by SIGXFSZ: the limit of file size is reached", false},
};
enum { CAUGHT = sizeof caught / sizeof *caught };

enum { PATIENCE = 500000000, PAUSE = 20000000, RUNNING = -1 }; /* ns */

/* Of the process, as signals are. */
static volatile sig_atomic_t first; /* the first signal */
static sigset_t awaited;
static atomic_bool stops_itself, silent;
static atomic_int status = RUNNING;
static sem_t watching; /* the thread has begun */
static pid_t watched;  /* the process that has it: those that it forks have none */
static struct {
  pthread_mutex_t lock;
  void (*add)(void *context, struct cs_text *text);
  void *context;
  struct cs_text text; /* what it appended at last */
} left = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *message_of(int signal) {
  size_t i = 0;
  while (i + 1 < CAUGHT && caught[i].number != signal)
    i++;
  return caught[i].message;
}

/* The message, and what is left behind. */
static void add_message(int signal, struct cs_text *text) {
  pthread_mutex_lock(&left.lock);
  if (left.add != NULL) {
    cs_text_free(&left.text);
    left.add(left.context, &left.text);
  }
  cs_text_add(text, "%s%s%s", message_of(signal), left.text.length > 0 ? ": " : "", cs_text_string(&left.text));
  pthread_mutex_unlock(&left.lock);
}

static void say(int signal) {
  struct cs_text text = {0};
  if (status != RUNNING || silent || cs_claim_is_met()) return;
  add_message(signal, &text);
  cs_print_message("%s%s\n", isatty(STDERR_FILENO) == 1 ? "\n" : "", text.failed ? message_of(signal) : text.data);
  cs_text_free(&text);
}

/* The thread that ends the process. Nothing can stop a compiler that another thread is in, and no signal handler may do
 * what is to be done here. */
static void *watch(void *context) {
  const struct timespec patience = {.tv_nsec = PATIENCE};
  int signal = 0;
  (void)context;
  sem_post(&watching);
  while (sigwait(&awaited, &signal) != 0) {
  }
  first = signal;
  if (stops_itself || cs_claim_is_met())
    while (sigtimedwait(&awaited, NULL, &patience) < 0 && errno == EINTR) {
    }
  cs_litter_remove();
  say(signal);
  _exit(status != RUNNING ? status : cs_claim_is_met() ? CS_OK : CS_INTERRUPTED);
}

/* Not before the thread has begun: it may hold a lock of the memory's until then, which a process that is forked now
 * would wait for in vain (child.h). */
static bool begin_watch(void) {
  pthread_t thread;
  if (sem_init(&watching, 0, 0) != 0 || pthread_create(&thread, NULL, watch, NULL) != 0) return false;
  while (sem_wait(&watching) != 0) {
  }
  watched = getpid();
  return pthread_detach(thread) == 0;
}

/* Compilers install handlers of their own, which remove their files and swallow the signal. Hence these signals are
 * blocked in all threads, which inherit that from this one, and waited for. A handler is set nevertheless, because
 * signals that are ignored may never arrive. */
static void do_nothing(int signal) {
  (void)signal;
}

int cs_interrupt_watch(struct cs_error *error) {
  if (watched == getpid()) return CS_OK;
  struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART}, old;
  sigemptyset(&action.sa_mask);
  sigemptyset(&awaited);
  for (size_t i = 0; i < CAUGHT; i++) {
    if (caught[i].keeps_ignored && sigaction(caught[i].number, NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue;
    sigaction(caught[i].number, &action, NULL);
    sigaddset(&awaited, caught[i].number);
  }
  if (pthread_sigmask(SIG_BLOCK, &awaited, NULL) == 0 && begin_watch()) return CS_OK;
  return cs_error_set(error, CS_DEVICE, "cannot start a thread: out of resources");
}

void cs_interrupt_block(void) {
  sigset_t all;
  sigemptyset(&all);
  for (size_t i = 0; i < CAUGHT; i++)
    sigaddset(&all, caught[i].number);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
}

const volatile sig_atomic_t *cs_interrupt_catch(void) {
  stops_itself = true;
  return &first;
}

bool cs_interrupt_came(void) {
  const struct timespec pause = {.tv_nsec = PAUSE};
  do
    nanosleep(&pause, NULL);
  while (first != 0 && !stops_itself); /* the process is being ended */
  return first != 0;
}

void cs_interrupt_silence(void) {
  silent = true;
}

void cs_interrupt_leave(void (*add)(void *context, struct cs_text *text), void *context) {
  pthread_mutex_lock(&left.lock);
  cs_text_free(&left.text);
  if (left.add != NULL && first != 0) left.add(left.context, &left.text);
  left.add = add;
  left.context = context;
  pthread_mutex_unlock(&left.lock);
}

void cs_interrupt_describe(struct cs_error *error) {
  struct cs_text text = {0};
  if (first == 0) return;
  add_message(first, &text);
  cs_error_set(error, CS_INTERRUPTED, "%s", text.failed ? message_of(first) : text.data);
  cs_text_free(&text);
}

void cs_interrupt_finish(int code) {
  status = code;
}
