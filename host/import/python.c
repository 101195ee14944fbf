#define _XOPEN_SOURCE 700
#include "python.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "text.h"

static const struct cs_python_kind kinds[] = {{".fmu", "FMUs", "its code", true},
                                              {".ssp", "SSP files", "the code of its FMUs", true},
                                              {".ssd", "SSP files", "the code of its FMUs", true},
                                              {".npz", "NumPy archives", NULL, false},
                                              {".py", "Python files", "it", false}};

const struct cs_python_kind *cs_python_kind(const char *file) {
  const char *dot = strrchr(file, '.');
  for (size_t i = 0; dot != NULL && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(dot, kinds[i].extension) == 0) return &kinds[i];
  return NULL;
}

int cs_python_fail(const char *file, struct cs_error *error) {
  const struct cs_python_kind *kind = cs_python_kind(file);
  return cs_error_set(error, CS_IO, "%s: %s are read by the Python package: pip install cosweep%s", file, kind->plural,
                      kind->fmus ? "[fmi]" : "");
}

/* ---- in the process */

static bool is_working_directory(const char *folder) {
  struct stat one, other;
  return stat(folder, &one) == 0 && stat(".", &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* PYTHONPATH without the working directory, from which Python would take even what it starts with. */
static bool clean_path(void) {
  const char *folders = getenv("PYTHONPATH");
  struct cs_text kept = {0};
  while (folders != NULL && *folders != '\0') {
    const size_t length = strcspn(folders, ":");
    char *folder = cs_text_copy_part(folders, length);
    if (folder == NULL) kept.failed = 1;
    if (folder != NULL && length > 0 && !is_working_directory(folder))
      cs_text_add(&kept, "%s%s", kept.length > 0 ? ":" : "", folder);
    free(folder);
    folders += length + (folders[length] == ':');
  }
  const bool done = !kept.failed && setenv("PYTHONPATH", cs_text_string(&kept), 1) == 0;
  cs_text_free(&kept);
  return done;
}

/* The package runs this program for what Python files ask of it. Threads of linear algebra take memory for nothing. */
static bool set_environment(const char *scratch) {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length > 0) self[length] = '\0';
  char *place = realpath(scratch, NULL); /* which may be below a TMPDIR in the working directory */
  return clean_path() && (length <= 0 || setenv("COSWEEP", self, 1) == 0) && place != NULL &&
         setenv("TMPDIR", place, 1) == 0 && setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0 &&
         setenv("OMP_NUM_THREADS", "1", 1) == 0;
}

int cs_python_become(const char *file, const char *scratch, const struct cs_python_wish *wish, int to,
                     struct cs_error *error) {
  static const char start[] =
      "import sys\n"
      "sys.path[:] = [folder for folder in sys.path if folder]\n"
      "try:\n"
      "  from cosweep.reader import main\n"
      "except ModuleNotFoundError:\n"
      "  sys.exit(97)\n"
      "main(*sys.argv[1:])\n";
  const char *chosen = getenv("COSWEEP_PYTHON"), *python = chosen != NULL && *chosen != '\0' ? chosen : "python3";
  const char *const option[] = {wish->identify, wish->states, wish->at, wish->step};
  const char *word[] = {python, "-c", start, NULL, file, NULL, NULL, NULL, NULL, NULL};
  char number[16];
  snprintf(number, sizeof number, "%d", to);
  word[3] = number;
  for (size_t i = 0; i < 4; i++)
    word[5 + i] = option[i] != NULL ? option[i] : "";
  if (!set_environment(scratch)) return cs_error_memory(error);
  cs_child_limit_memory(wish->memory);
  cs_child_limit_wait(wish->seconds);
  cs_child_leave();
  execvp(python, (char *const *)word);
  if (errno == ENOENT && python != chosen) return cs_python_fail(file, error);
  return cs_error_set(error, CS_IO, "%s: %s, which reads it, cannot be started: %s", file, python, strerror(errno));
}
