/* Sweep files with settings of the command line behind them; small ones up to the text of their kernel. */
#include <stdlib.h>
#include <string.h>

#include "carried.h"
#include "engine.h"
#include "fuzz.h"
#include "sweep.h"

enum { MOST_PARTS = 4, MOST_RUNS = 200 };

/* A kernel, if there are few runs to plan. */
static void plan(const struct cs_sweep *sweep) {
  struct cs_device_info host;
  struct cs_text source = {0};
  struct cs_error error;
  const struct cs_engine_options options = {.lanes = 4};
  if (sweep->runs > MOST_RUNS || cs_device_describe("host", &host, &error) != CS_OK) return;
  cs_engine_kernel(sweep, &host, &options, 0, &source, &error);
  cs_text_free(&source);
}

static void take(const char *bytes, size_t size) {
  char *part[MOST_PARTS];
  const size_t parts = fuzz_split(bytes, size, part, MOST_PARTS);
  const size_t length = parts > 1 ? (size_t)(part[1] - part[0]) - 1 : size;
  struct cs_json *json = NULL;
  struct cs_sweep *sweep = NULL;
  struct cs_error error;
  int code = cs_json_parse("sweeps/fuzz.json", part[0], length, &json, &error);
  if (code == CS_OK)
    code = cs_sweep_read("sweeps/fuzz.json", json, NULL, (const char *const *)part + 1, parts - 1, &sweep, &error);
  if (code == CS_OK) {
    struct cs_text printed = {0};
    cs_sweep_print(sweep, &printed);
    cs_text_free(&printed);
    plan(sweep);
  }
  cs_sweep_free(sweep);
  free(part[0]);
}

static void seed(void) {
  static const char *const settings[] = {"method.hold=lagrange",
                                         "method.order=2",
                                         "method.step.size=0.1",
                                         "t_end=1e3",
                                         "parameters.dk=3",
                                         "method.step.control=pi_defect",
                                         "method.solver=rk4",
                                         "method.step.tolerance=1e-3",
                                         "axes=3",
                                         "boundary.along=H",
                                         "study=stability",
                                         "method.master=gauss_seidel",
                                         "method.engine=double",
                                         "name=a/b"};
  fuzz_seed_files("sweeps/*.json");
  const size_t files = fuzz_seed_count;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    struct cs_text text = {0};
    cs_text_add(&text, "%s%c%s", cs_text_string(&fuzz_seeds[i % files]), FUZZ_APART, settings[i]);
    fuzz_seed(text.data, text.length);
    cs_text_free(&text);
  }
}

static void words(void) {
  fuzz_words_of(cs_carried_schema("sweep.schema.json"));
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed, .words = words};
