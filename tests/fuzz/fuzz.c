#define _XOPEN_SOURCE 700
#include "fuzz.h"

#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "list.h"

static char *folder, *tree;

struct cs_text *fuzz_seeds;
size_t fuzz_seed_count;
char **fuzz_words;
size_t fuzz_word_count;

/* The tests themselves have failed. */
static void fail(const char *what) {
  perror(what);
  exit(2);
}

/* ---- the working directory */

static char *path_of(const char *name) {
  struct cs_text path = {0};
  cs_text_add(&path, "%s/%s", tree, name);
  return path.data;
}

/* A file or folder of the source tree, at the same place. */
static void link_source(const char *name) {
  char *path = path_of(name);
  if (symlink(path, name) != 0) fail(name);
  free(path);
}

/* In memory, where there is such a place: files are written and synced by the thousand. */
static const char *temporary(void) {
  static const char memory[] = "/dev/shm";
  const char *given = getenv("TMPDIR");
  return given != NULL ? given : access(memory, W_OK) == 0 ? memory : "/tmp";
}

void fuzz_begin(const char *source) {
  struct cs_text name = {0};
  cs_text_add(&name, "%s/cosweep-fuzz-XXXXXX", temporary());
  folder = name.data;
  tree = realpath(source, NULL);
  setenv("COSWEEP_DEVICE", "host", 1);
  if (tree == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("sweeps", 0700) != 0) fail(source);
  link_source("models");
  link_source("sweeps/moving_average.clh");
  link_source("sweeps/filter.clh");
}

static int remove_file(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)kind;
  (void)place;
  return remove(path);
}

void fuzz_end(void) {
  enum { OPEN = 8 };
  if (nftw(folder, remove_file, OPEN, FTW_DEPTH | FTW_PHYS) != 0) perror(folder);
  free(folder);
  free(tree);
}

void fuzz_take(const char *bytes, size_t size) {
  char *copy = malloc(size + 1);
  if (copy == NULL) fail("memory");
  memcpy(copy, bytes, size);
  copy[size] = '\0';
  fuzz_subject.take(copy, size);
  free(copy);
}

/* ---- seeds */

void fuzz_seed(const char *bytes, size_t size) {
  struct cs_text text = {0};
  cs_text_append(&text, bytes, size);
  if (text.failed || !cs_list_grow(&fuzz_seeds, fuzz_seed_count, sizeof *fuzz_seeds)) fail("memory");
  fuzz_seeds[fuzz_seed_count++] = text;
}

void fuzz_seed_text(const char *text) {
  fuzz_seed(text, strlen(text));
}

void fuzz_seed_files(const char *pattern) {
  char *all = path_of(pattern);
  glob_t found;
  const int missing = glob(all, 0, NULL, &found);
  if (missing != 0) fail(pattern);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    struct cs_text text = {0};
    if (cs_text_read(&text, found.gl_pathv[i], "file", NULL) != CS_OK) fail(found.gl_pathv[i]);
    fuzz_seed(cs_text_string(&text), text.length);
    cs_text_free(&text);
  }
  globfree(&found);
  free(all);
}

static void add_word(const char *word, size_t length) {
  char *copy = cs_text_copy_part(word, length);
  for (size_t i = 0; i < fuzz_word_count && copy != NULL; i++)
    if (strcmp(fuzz_words[i], copy) == 0) {
      free(copy);
      return;
    }
  if (copy == NULL || !cs_list_grow(&fuzz_words, fuzz_word_count, sizeof *fuzz_words)) fail("memory");
  fuzz_words[fuzz_word_count++] = copy;
}

void fuzz_word(const char *word) {
  add_word(word, strlen(word));
}

void fuzz_words_of(const char *text) {
  enum { LONGEST = 24 };
  for (const char *quote = strchr(text, '"'); quote != NULL; quote = strchr(quote + 1, '"')) {
    const size_t length = strcspn(quote + 1, "\" \\$#/");
    if (length > 0 && length <= LONGEST && quote[length + 1] == '"') add_word(quote + 1, length);
  }
}

/* ---- for subjects */

void fuzz_write(const char *name, const char *bytes, size_t size) {
  unlink(name); /* a file that is cut to nothing is synced when it is closed, by some file systems */
  FILE *file = fopen(name, "wb");
  if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) fail(name);
}

void fuzz_want(bool holds, const char *what, const char *more) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", what, more);
  abort();
}

size_t fuzz_split(const char *bytes, size_t size, char **part, size_t most) {
  char *rest = malloc(size + 1);
  if (rest == NULL) fail("memory");
  memcpy(rest, bytes, size + 1);
  part[0] = rest;
  size_t parts = 1;
  while (parts < most && (rest = strchr(rest, FUZZ_APART)) != NULL) {
    *rest++ = '\0';
    part[parts++] = rest;
  }
  return parts;
}
