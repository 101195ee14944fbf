/* Fragments of kernels, as masters and as controllers of a sweep. */
#include <stddef.h>

#include "fuzz.h"
#include "sweep.h"

static void read_sweep(const char *method) {
  struct cs_text text = {0};
  struct cs_json *json = NULL;
  struct cs_sweep *sweep = NULL;
  struct cs_error error;
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"fragment\", \"study\": \"simulation\", \"t_end\": 1, "
              "\"model\": \"../models/linear_feedthrough/model.json\", \"method\": {%s}}",
              method);
  const int code = cs_json_parse("sweeps/fuzz.json", text.data, text.length, &json, &error);
  fuzz_want(code == CS_OK, "the sweep of the tests", error.message);
  cs_sweep_read("sweeps/fuzz.json", json, NULL, NULL, 0, &sweep, &error);
  cs_sweep_free(sweep);
  cs_text_free(&text);
}

static void take(const char *bytes, size_t size) {
  fuzz_write("sweeps/fuzz.clh", bytes, size);
  read_sweep("\"master\": {\"kernel\": \"fuzz.clh\", \"memory\": 2, \"passes\": 2}");
  read_sweep("\"step\": {\"control\": {\"kernel\": \"fuzz.clh\", \"memory\": 1}, \"initial\": 0.1}");
}

static void seed(void) {
  fuzz_seed_files("sweeps/*.clh");
}

static void words(void) {
  static const char *const list[] = {"/*",       "*/",       "//",       "\\\n",     "\"",   "'",
                                     "\\\"",     "#define ", "#if 0\n",  "#endif\n", "(",    "{",
                                     "#include", "%:",       "__TIME__", "##",       "\\ \r"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    fuzz_word(list[i]);
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed, .words = words};
