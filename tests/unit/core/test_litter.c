/* What is removed when a signal ends the process. */
#include "litter.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

Test(litter, a_folder_is_made_and_dropped_with_what_is_in_it) {
  char folder[] = "scratch-XXXXXX", again[] = "none/scratch-XXXXXX", inner[64];
  cr_assert(cs_litter_make_folder(folder));
  cr_expect_neq(strcmp(folder, "scratch-XXXXXX"), 0);
  snprintf(inner, sizeof inner, "%s/file", folder);
  make(inner);
  cs_litter_drop_folder(folder);
  cr_expect_neq(access(folder, F_OK), 0);
  cr_expect(!cs_litter_make_folder(again));
  char noted[] = "scratch-XXXXXX";
  cr_assert(cs_litter_make_folder(noted));
  cs_litter_remove();
  cr_expect_neq(access(noted, F_OK), 0);
}

/* It would make the folder anew. */
Test(litter, processes_end_before_folders_are_removed) {
  char folder[] = "scratch-XXXXXX", inner[64];
  int status = 0;
  cr_assert(cs_litter_make_folder(folder));
  snprintf(inner, sizeof inner, "%s/file", folder);
  const pid_t child = fork();
  for (FILE *file; child == 0;) {
    mkdir(folder, 0700);
    if ((file = fopen(inner, "w")) != NULL) fclose(file);
  }
  cs_litter_begin();
  cs_litter_note_process(child);
  cs_litter_note_process(getpid());
  cs_litter_forget_process(getpid());
  cs_litter_end();
  while (access(inner, F_OK) != 0) {
  }
  cs_litter_remove();
  kill(child, SIGTERM); /* in vain */
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  cr_expect_neq(access(folder, F_OK), 0);
}
