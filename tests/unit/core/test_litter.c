/* What is removed when a signal ends the process. */
#include "litter.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/cosweep-litter-XXXXXX";

static void make(const char *name) {
  FILE *file = fopen(name, "w");
  cr_assert_not_null(file);
  fclose(file);
}

static void open_case(void) {
  cr_assert_not_null(mkdtemp(directory));
  cr_assert_eq(chdir(directory), 0);
}

static void close_case(void) {
  cs_litter_remove_tree(directory);
  cr_expect_neq(access(directory, F_OK), 0);
}

TestSuite(litter, .init = open_case, .fini = close_case, .timeout = 60);

Test(litter, only_what_is_noted_is_removed) {
  cr_assert_eq(mkdir("folder", 0700) + mkdir("folder/inner", 0700), 0);
  make("folder/inner/file");
  make("outside");
  cr_assert_eq(symlink("../outside", "folder/link"), 0);
  make("kept");
  make("file");
  cs_litter_begin();
  cs_litter_note("folder");
  cs_litter_note("kept");
  cs_litter_note("file");
  cs_litter_note("absent");
  cs_litter_forget("kept");
  cs_litter_end();
  cs_litter_remove();
  cr_expect(access("folder", F_OK) != 0 && access("file", F_OK) != 0);
  cr_expect(access("outside", F_OK) == 0 && access("kept", F_OK) == 0);
}
