/* What there is room for, on a machine whose system calls are the test's. */
#include "machine.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

static struct cs_error error;
static char asked[64];

/* In place of the system's: 10 MB that only root may use, 3 MB for everybody. */
int statvfs(const char *path, struct statvfs *there) {
  if (strncmp(path, "absent", 6) == 0) return -1;
  strncpy(asked, path, sizeof asked - 1);
  *there = (struct statvfs){.f_bsize = 7, .f_frsize = 1000, .f_bfree = 13000, .f_bavail = 3000};
  return 0;
}

Test(machine, free_space_of_the_folder) {
  cr_expect_eq(cs_machine_check_space("some/where/a.h5", 2.9e6, &error), CS_OK);
  cr_expect_str_eq(asked, "some/where/.");
  cr_expect_eq(cs_machine_check_space("a.h5", 3.1e6, &error), CS_IO);
  cr_expect_str_eq(asked, ".");
  cr_expect_str_eq(error.message, "a.h5: takes about 3.1 MB; the free space there is 3.0 MB");
  cr_expect_eq(cs_machine_check_space("absent/a.h5", 3.1e6, &error), CS_OK);
}

Test(machine, limit_of_file_size) {
  const struct rlimit limit = {2000000, RLIM_INFINITY};
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  cr_expect_eq(cs_machine_check_file("a.h5", 1.9e6, &error), CS_OK);
  cr_expect_eq(cs_machine_check_file("a.h5", 2.1e6, &error), CS_IO);
  cr_expect_str_eq(error.message, "a.h5: takes about 2.1 MB; the limit of file size (ulimit -f) is 2.0 MB");
}

Test(machine, memory_is_limited_by_the_process) {
  const double machine = cs_machine_memory();
  cr_expect(machine > 1e8 && isfinite(machine), "%g", machine);
  const struct rlimit limit = {(rlim_t)1 << 30, RLIM_INFINITY};
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
  cr_expect_leq(cs_machine_memory(), 1 << 30);
}
