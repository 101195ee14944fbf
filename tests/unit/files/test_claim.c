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

static int refusing; /* errno of pwrite, which then fails */

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  errno = refusing;
  return refusing != 0 || lseek(fd, at, SEEK_SET) != at ? -1 : write(fd, data, size);
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

Test(claim, what_is_put_can_be_had_and_the_rest_are_zeros) {
  struct cs_claim *claim;
  char back[8];
  cr_assert_eq(cs_claim_open(path, 0, &claim, &error), CS_OK, "%s", error.message);
  cs_claim_put(claim, 3, "345", 3);
  cs_claim_put(claim, 1, "1", 1);
  memset(back, 'x', sizeof back);
  cs_claim_get(claim, 0, back, sizeof back);
  cr_expect_arr_eq(back,
                   "\0001\0"
                   "345\0\0",
                   sizeof back);
  cs_claim_cut(claim, 4);
  cr_expect_eq(cs_claim_size(claim), 4);
  cr_expect_eq(cs_claim_append(claim, "4", 1, &error), CS_OK);
  cs_claim_get(claim, 0, back, sizeof back);
  cr_expect_arr_eq(back,
                   "\0001\0"
                   "34\0\0\0",
                   sizeof back);
  cs_claim_close(claim);
}

Test(claim, keeps_the_first_failure_and_writes_no_more) {
  struct cs_claim *claim;
  char back[4] = "xxx";
  cr_assert_eq(cs_claim_open(path, 0, &claim, &error), CS_OK, "%s", error.message);
  cs_claim_put(claim, 0, "ab", 2);
  cr_expect_eq(cs_claim_check(claim, &error), CS_OK);
  refusing = ENOSPC;
  cs_claim_put(claim, 2, "cd", 2);
  refusing = EIO;
  cs_claim_put(claim, 4, "ef", 2);
  refusing = 0;
  cs_claim_put(claim, 6, "gh", 2);
  cs_claim_cut(claim, 0);
  cr_expect_eq(cs_claim_size(claim), 2);
  cs_claim_get(claim, 0, back, sizeof back);
  cr_expect_arr_eq(back, "\0\0\0\0", sizeof back);
  cr_expect_eq(cs_claim_check(claim, &error), CS_IO);
  cr_expect(strstr(error.message, strerror(ENOSPC)), "%s", error.message);
  cr_expect_eq(cs_claim_commit(claim, "ij", 2, &error), CS_IO);
  cs_claim_close(claim);
  cr_expect_neq(access(path, F_OK), 0);
}
