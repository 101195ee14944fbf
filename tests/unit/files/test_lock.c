/* Claims where another process has the lock, and where the file system has none. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "claim.h"

static char folder[] = "/tmp/cosweep-lock-XXXXXX", path[64], lock[64];
static int reason; /* of flock() to fail; 0: it does not */
static struct cs_error error;

/* In place of the C library's. */
int flock(int fd, int how) {
  errno = reason;
  return reason != 0 ? -1 : (int)syscall(SYS_flock, fd, how);
}

static void begin_case(void) {
  cr_redirect_stderr();
  cr_assert_not_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a", folder);
  snprintf(lock, sizeof lock, "%s/a.lock", folder);
}

static void end_case(void) {
  unlink(lock);
  cr_expect_eq(rmdir(folder), 0, "something is left");
}

TestSuite(lock, .init = begin_case, .fini = end_case);

static struct cs_claim *opened(void) {
  struct cs_claim *claim = NULL;
  error = (struct cs_error){0};
  cs_claim_open(path, 0, &claim, &error);
  return claim;
}

static bool names_this_process(void) {
  char host[64] = "", want[128];
  gethostname(host, sizeof host - 1);
  snprintf(want, sizeof want, "%s, process %ld, since 20", host, (long)getpid());
  return strstr(error.message, want) != NULL;
}

Test(lock, a_refusal_names_the_holder) {
  struct cs_claim *claim = opened();
  cr_assert_not_null(claim, "%s", error.message);
  cr_expect_null(opened());
  cr_expect(strstr(error.message, "a: another process is writing it ("), "%s", error.message);
  cr_expect(names_this_process(), "%s", error.message);
  cs_claim_close(claim);
  cr_expect_neq(access(lock, F_OK), 0);
}

Test(lock, what_a_killed_process_left_is_taken_over) {
  FILE *file = fopen(lock, "w");
  cr_assert_not_null(file);
  fputs("elsewhere, process 1, since ever, and much more than this process has to say of itself here\n", file);
  fclose(file);
  struct cs_claim *claim = opened();
  cr_assert_not_null(claim, "%s", error.message);
  cr_expect_null(opened());
  cr_expect(names_this_process() && strstr(error.message, "ever") == NULL, "%s", error.message);
  cs_claim_close(claim);
}

Test(lock, the_file_stands_in_where_there_are_no_locks) {
  static const int none[] = {ENOSYS, ENOTSUP, EOPNOTSUPP, ENOLCK};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    reason = none[i];
    struct cs_claim *claim = opened();
    cr_assert_not_null(claim, "%s", error.message);
    cr_expect_null(opened());
    cr_expect(strstr(error.message, "a.lock: left by ") && names_this_process(), "%s", error.message);
    cr_expect(strstr(error.message, "or in use: this file system has no locks"), "%s", error.message);
    cs_claim_close(claim);
    cr_expect_neq(access(lock, F_OK), 0, "the next one would be refused");
  }
}

Test(lock, another_failure_is_one) {
  reason = EIO;
  cr_expect_null(opened());
  cr_expect(strstr(error.message, "cannot lock"), "%s", error.message);
}
