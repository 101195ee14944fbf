/* Designs made elsewhere: CSV files of a sweep. */
#include <stddef.h>

#include "fuzz.h"
#include "sweep.h"

static void take(const char *bytes, size_t size) {
  static const char sweep_file[] =
      "{\"format\": \"cosweep-sweep/1\", \"name\": \"design\", \"study\": \"simulation\", \"t_end\": 1, "
      "\"model\": \"../models/linear_feedthrough/model.json\", \"axes\": [{\"name\": \"a\", \"zip\": \"fuzz.csv\"}]}";
  struct cs_json *json = NULL;
  struct cs_sweep *sweep = NULL;
  struct cs_error error;
  fuzz_write("sweeps/fuzz.csv", bytes, size);
  int code = cs_json_parse("sweeps/fuzz.json", sweep_file, sizeof sweep_file - 1, &json, &error);
  fuzz_want(code == CS_OK, "the sweep of the tests", error.message);
  code = cs_sweep_read("sweeps/fuzz.json", json, NULL, NULL, 0, &sweep, &error);
  if (code == CS_OK) {
    struct cs_text printed = {0};
    cs_sweep_print(sweep, &printed);
    cs_sweep_describe_settings(sweep, sweep->runs - 1, true, &printed);
    cs_text_free(&printed);
  }
  cs_sweep_free(sweep);
}

static void seed(void) {
  fuzz_seed_text("method.order,method.step.size\n0,0.1\n1,0.2\n2,0.05\n");
  fuzz_seed_text("method.hold,parameters.dk\r\n\"extrapolation\",3\r\nlagrange,1e-3\r\n");
  fuzz_seed_text("\"method.step.size\"\n\"0.1\"\n0.2");
  fuzz_seed_text("parameters.dk , parameters.dd\n-1 , 2.5\n");
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed};
