/* Files to import, each a part: matrices in JSON where it begins so, else a linearized model of OpenModelica. The model
 * that is written is one that can be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "import.h"
#include "read_again.h"

enum { MOST_FILES = 3, NAME = 32 };

static void take(const char *bytes, size_t size) {
  char *part[MOST_FILES], name[MOST_FILES][NAME];
  const char *file[MOST_FILES];
  struct cs_text model = {0}, warnings = {0};
  struct cs_error error;
  const size_t parts = fuzz_split(bytes, size, part, MOST_FILES);
  for (size_t i = 0; i < parts; i++) {
    const char *end = i + 1 < parts ? part[i + 1] - 1 : part[0] + size;
    const bool json = part[i][strspn(part[i], " \n\t")] == '{';
    snprintf(name[i], NAME, "fuzz%zu.%s", i, json ? "json" : "mo");
    fuzz_write(name[i], part[i], (size_t)(end - part[i]));
    file[i] = name[i];
  }
  const struct cs_import_wish wish = {.file = file, .files = parts, .match = true};
  if (cs_import_write(&wish, &model, &warnings, &error) == CS_OK) read_again(&model);
  cs_text_free(&model);
  cs_text_free(&warnings);
  for (size_t i = 0; i < parts; i++)
    remove(name[i]);
  free(part[0]);
}

static void seed(void) {
  fuzz_seed_files("tests/data/import/*.mo");
  fuzz_seed_files("tests/data/import/motor_load.json");
  fuzz_seed_text(
      "{\"a\": {\"A\": [[-1]], \"B\": [[1]], \"C\": [[1]], \"InputName\": [\"u\"], \"OutputName\": [\"y\"]}, "
      "\"b\": {\"D\": [[2]], \"InputName\": [\"y\"], \"x0\": []}, \"connections\": [[\"a.y\", \"b.y\", -1]]}"
      "\f{\"A\": [[0, 1], [-1, 0]], \"C\": [[1, 0]], \"e\": [1, 2], \"StateUnit\": [\"m\", \"m/s\"]}");
}

static void words(void) {
  static const char *const list[] = {"parameter ",
                                     "Integer n = ",
                                     "Real A[n, n] = ",
                                     "[1, 2; 3, 4]",
                                     "Real 'x_a' = x[1];",
                                     "{1, 2}",
                                     "fill(0, n)",
                                     "zeros(n, m)",
                                     "model ",
                                     "equation",
                                     "end ",
                                     "der(x)",
                                     "StateName",
                                     "InputName",
                                     "OutputUnit",
                                     "connections",
                                     "dt",
                                     "Ts",
                                     "x0",
                                     "u0",
                                     "\"E\": [[2, 1], [0, 3]]",
                                     "Real E[n, n] = ",
                                     "Integer k = 1",
                                     "InputDelay",
                                     "sample_time",
                                     "TimeUnit",
                                     "\"a\"",
                                     "null",
                                     "true",
                                     "->"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    fuzz_word(list[i]);
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed, .words = words};
