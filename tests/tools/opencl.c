#define CL_TARGET_OPENCL_VERSION 120
#include "opencl.h"

#include <CL/cl.h>
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Files that name drivers, where the loader looks for them. */
static size_t installed(const char **where) {
  char pattern[512];
  glob_t found;
  const char *given = getenv("OCL_ICD_VENDORS");
  *where = given != NULL ? given : "/etc/OpenCL/vendors";
  snprintf(pattern, sizeof pattern, "%s/*.icd", *where);
  const size_t files = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
  if (files > 0) globfree(&found);
  return files;
}

/* In a process of its own: drivers stay where they are loaded, with threads of theirs. */
static bool loader_finds_one(void) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    cl_uint platforms = 0;
    _exit(clGetPlatformIDs(0, NULL, &platforms) == CL_SUCCESS && platforms > 0 ? 0 : 1);
  }
  cr_assert(child > 0 && waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool opencl_is_there(void) {
  const char *where;
  if (loader_finds_one()) return true;
  cr_assert_eq(installed(&where), 0, "drivers are installed in %s, and the loader of OpenCL finds none", where);
  return false;
}

void opencl_skipped(const char *what) {
  const struct criterion_test *test = criterion_current_test;
  fprintf(stderr, "skipped: %s::%s%s%s: no OpenCL driver is installed\n", test->category, test->name,
          what[0] != '\0' ? ", " : "", what);
}

void opencl_needed(void) {
  if (opencl_is_there()) return;
  opencl_skipped("");
  cr_skip("no OpenCL driver is installed");
}
