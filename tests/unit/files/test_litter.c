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
  struct cs_text folder = {0}, again = {0}, noted = {0};
  char inner[64];
  cr_assert(cs_litter_make_folder(".", &folder));
  cr_expect_eq(strncmp(folder.data, "./cosweep-litter-", 17), 0, "%s", folder.data);
  snprintf(inner, sizeof inner, "%s/file", folder.data);
  make(inner);
  cs_litter_drop_folder(folder.data);
  cr_expect_neq(access(folder.data, F_OK), 0);
  cr_expect(!cs_litter_make_folder("none", &again));
  cr_assert(cs_litter_make_folder(".", &noted));
  cs_litter_remove();
  cr_expect_neq(access(noted.data, F_OK), 0);
  cs_text_free(&folder);
  cs_text_free(&again);
  cs_text_free(&noted);
}

/* Another process makes a folder with something in it, says its name, and lives on until it is killed. */
static pid_t start_owner(struct cs_text *folder) {
  int ends[2];
  char name[64], inner[80];
  cr_assert_eq(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    struct cs_text own = {0};
    if (!cs_litter_make_folder(".", &own)) _exit(1);
    snprintf(inner, sizeof inner, "%s/inner", own.data);
    mkdir(inner, 0700);
    if (write(ends[1], own.data, own.length) != (ssize_t)own.length) _exit(1);
    for (;;)
      pause();
  }
  close(ends[1]);
  const ssize_t got = read(ends[0], name, sizeof name - 1);
  close(ends[0]);
  cr_assert_gt(got, 0);
  cs_text_append(folder, name, (size_t)got);
  return child;
}

/* Those of the living stay, and what only has such a name. */
Test(litter, folders_of_killed_processes_go_with_the_next_one) {
  struct cs_text killed = {0}, living = {0}, own = {0}, next = {0};
  cr_assert_eq(mkdir("cosweep-litter-models", 0700) + mkdir("cosweep-litter-model", 0700), 0);
  cr_assert_eq(mkdir("cosweep-litter-link00.d", 0700), 0);
  make("target");
  cr_assert_eq(symlink("target", "cosweep-litter-link00"), 0);
  make("cosweep-litter-gone00"); /* a process that was killed before it made the folder */
  const pid_t first = start_owner(&killed), second = start_owner(&living);
  cr_assert(cs_litter_make_folder(".", &own));
  kill(first, SIGKILL);
  waitpid(first, NULL, 0);
  cr_expect_eq(access(killed.data, F_OK), 0);
  cr_assert(cs_litter_make_folder(".", &next));
  cr_expect_neq(access(killed.data, F_OK), 0, "what was left stays");
  cr_expect_eq(access(living.data, F_OK), 0, "a folder in use is gone");
  cr_expect_eq(access(own.data, F_OK), 0, "an own folder is gone");
  cr_expect_neq(access("cosweep-litter-gone00", F_OK), 0);
  cr_expect_eq(access("cosweep-litter-models", F_OK) + access("cosweep-litter-model", F_OK), 0);
  cr_expect_eq(access("cosweep-litter-link00.d", F_OK) + access("target", F_OK), 0);
  kill(second, SIGKILL);
  waitpid(second, NULL, 0);
  cs_litter_drop_folder(own.data);
  cs_litter_drop_folder(next.data);
  cs_text_free(&killed);
  cs_text_free(&living);
  cs_text_free(&own);
  cs_text_free(&next);
}

/* It would make the folder anew. */
Test(litter, processes_end_before_folders_are_removed) {
  struct cs_text made = {0};
  char inner[64];
  int status = 0;
  cr_assert(cs_litter_make_folder(".", &made));
  const char *folder = made.data;
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
  cs_text_free(&made);
}
