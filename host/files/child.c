#define _XOPEN_SOURCE 700
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "litter.h"

/* AddressSanitizer reserves terabytes. */
#if defined(__SANITIZE_ADDRESS__)
enum { LIMITS_MEMORY = 0 };
#else
enum { LIMITS_MEMORY = 1 };
#endif

/* Bytes of addresses in use; 0 where the system does not say. */
static size_t addresses(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  unsigned long long pages = 0;
  if (file != NULL && fscanf(file, "%llu", &pages) != 1) pages = 0;
  if (file != NULL) fclose(file);
  return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Never above what the user allows. */
static void limit(int resource, rlim_t value) {
  struct rlimit limits;
  if (getrlimit(resource, &limits) != 0 || (limits.rlim_max != RLIM_INFINITY && value > limits.rlim_max)) return;
  limits.rlim_cur = value;
  setrlimit(resource, &limits);
}

void cs_child_limit_memory(size_t bytes) {
  const size_t used = addresses();
  if (LIMITS_MEMORY && used > 0) limit(RLIMIT_AS, (rlim_t)(used + bytes));
}

void cs_child_limit_time(double seconds) {
  struct rusage used;
  if (getrusage(RUSAGE_SELF, &used) != 0) return;
  limit(RLIMIT_CPU, (rlim_t)(ceil(seconds) + (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec + 1.0));
}

void cs_child_limit_wait(double seconds) {
  alarm(seconds < UINT_MAX ? (unsigned)ceil(seconds) : UINT_MAX);
}

void cs_child_leave(void) {
  sigset_t none;
  const int nothing = open("/dev/null", O_RDWR);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setsid();
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
    dup2(nothing, i);
  if (nothing > STDERR_FILENO) close(nothing);
}

/* The parent may wait for these signals instead of being ended by them (interrupt.c); limits of time must end. */
static void let_time_end(void) {
  sigset_t times;
  sigemptyset(&times);
  sigaddset(&times, SIGALRM);
  sigaddset(&times, SIGXCPU);
  sigprocmask(SIG_UNBLOCK, &times, NULL);
}

static void be_child(int to, void (*work)(FILE *to, void *context), void *context) {
  static const int defaults[] = {SIGINT,  SIGTERM, SIGHUP,  SIGPIPE, SIGALRM, SIGXCPU,
                                 SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,  SIGILL};
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
    signal(defaults[i], SIG_DFL);
  let_time_end();
  limit(RLIMIT_CORE, 0);
  FILE *file = fdopen(to, "wb");
  if (file == NULL) _exit(1);
  work(file, context);
  const bool whole = !ferror(file);
  _exit(fclose(file) == 0 && whole ? 0 : 1); /* without what the parent does at its end */
}

int cs_child_open(void (*work)(FILE *to, void *context), void *context, struct cs_child *child,
                  struct cs_error *error) {
  int ends[2] = {-1, -1};
  *child = (struct cs_child){.process = -1};
  if (pipe(ends) == 0) child->from = fdopen(ends[0], "rb");
  cs_litter_begin();
  if (child->from != NULL) child->process = fork();
  if (child->process > 0) cs_litter_note_process(child->process);
  if (child->process != 0) cs_litter_end();
  if (child->process == 0) {
    close(ends[0]);
    be_child(ends[1], work, context);
  }
  const int reason = errno;
  if (ends[1] >= 0) close(ends[1]);
  if (child->process > 0) return CS_OK;
  if (child->from != NULL)
    fclose(child->from);
  else if (ends[0] >= 0)
    close(ends[0]);
  if (reason == ENOMEM) return cs_error_memory(error);
  return cs_error_set(error, CS_IO, "cannot start a process to read files in: %s", strerror(reason));
}

bool cs_child_close(struct cs_child *child, struct cs_text *why) {
  int status = 0;
  siginfo_t end;
  fclose(child->from); /* first: it may still be writing */
  while (waitid(P_PID, (id_t)child->process, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  kill(-child->process, SIGKILL);
  cs_litter_begin();
  cs_litter_forget_process(child->process);
  cs_litter_end();
  while (waitpid(child->process, &status, 0) < 0)
    if (errno != EINTR) return true;
  child->late = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM);
  child->exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (child->late)
    cs_text_add(why, "did not come to an end");
  else if (WIFSIGNALED(status))
    cs_text_add(why, "crashed (%s)", strsignal(WTERMSIG(status)));
  return WIFSIGNALED(status) || WEXITSTATUS(status) == 0;
}
