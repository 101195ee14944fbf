/* Claims of file names: what is on the disk, and when. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "claim.h"

static char directory[] = "/tmp/cosweep-claim-XXXXXX", path[64];
static struct cs_error error;
static int files, directories, failing, failing_directory;

/* In place of the system's: what is synchronised while which file is there. */
int fsync(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) return -1;
  const int final = access(path, F_OK) == 0;
  if (S_ISDIR(status.st_mode))
    directories += final;
  else
    files += !final && status.st_size > 0;
  errno = EIO;
  return failing || (failing_directory && S_ISDIR(status.st_mode)) ? -1 : 0;
}

static void open_case(void) {
  cr_assert_not_null(mkdtemp(directory));
  snprintf(path, sizeof path, "%s/out", directory);
}

static void close_case(void) {
  remove(path);
  cr_expect_eq(rmdir(directory), 0, "something was left: %s", strerror(errno));
}

TestSuite(claim, .init = open_case, .fini = close_case);

/* Otherwise a power cut leaves an empty file of the new name. */
Test(claim, data_come_before_the_name_and_the_name_before_success) {
  struct cs_claim *claim;
  cr_assert_eq(cs_claim_open(path, 0, &claim, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_claim_commit(claim, "data", 4, &error), CS_OK, "%s", error.message);
  cs_claim_close(claim);
  cr_expect_eq(files, 1, "%d times data", files);
  cr_expect_eq(directories, 1, "%d times the directory", directories);
}

Test(claim, data_that_do_not_reach_the_disk_have_no_name) {
  struct cs_claim *claim;
  failing = 1;
  cr_assert_eq(cs_claim_open(path, 0, &claim, &error), CS_OK, "%s", error.message);
  cr_expect_eq(cs_claim_commit(claim, "data", 4, &error), CS_IO);
  cr_expect(strstr(error.message, "cannot write"), "%s", error.message);
  cs_claim_close(claim);
  cr_expect_neq(access(path, F_OK), 0);
}

static void write_claimed(const char *data) {
  struct cs_claim *claim;
  cr_assert_eq(cs_claim_open(path, 1, &claim, &error), CS_OK, "%s", error.message);
  cr_expect_eq(cs_claim_commit(claim, data, strlen(data), &error), CS_OK, "%s", error.message);
  cs_claim_close(claim);
  struct stat status;
  cr_assert_eq(stat(path, &status), 0);
  cr_expect_eq(status.st_size, (off_t)strlen(data));
}

/* The file is there, complete and new. */
Test(claim, a_name_that_may_not_last_is_no_failure) {
  failing_directory = 1;
  write_claimed("data");
}

Test(claim, a_replaced_file_keeps_its_permissions) {
  struct stat status;
  write_claimed("old");
  cr_assert_eq(chmod(path, 0600), 0);
  write_claimed("new data");
  cr_assert_eq(stat(path, &status), 0);
  cr_expect_eq(status.st_mode & 0777, 0600);
}
