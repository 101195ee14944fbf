#include "sweep_case.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[] = "/tmp/cosweep-sweep-XXXXXX";

static const char model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"description\": \"two lags in a ring\",\n"
    " \"parameters\": {\"p\": 1, \"q\": 2},\n"
    " \"subsystems\": [\n"
    "  {\"name\": \"a\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "   \"A\": [[\"-1/p\"]], \"B\": [[1]], \"C\": [[1]]},\n"
    "  {\"name\": \"b\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"],\n"
    "   \"A\": [[\"-q\"]], \"B\": [[1]], \"C\": [[1]]}],\n"
    " \"connections\": [{\"from\": \"a.y\", \"to\": \"b.u\"}, {\"from\": \"b.y\", \"to\": \"a.u\"}]}\n";

void sweep_case_write(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  cr_assert_not_null(file);
  cr_assert_geq(fputs(text, file), 0);
  cr_assert_eq(fclose(file), 0);
}

void sweep_case_open(void) {
  cr_assert_not_null(mkdtemp(directory));
  cr_assert_eq(chdir(directory), 0);
  sweep_case_write("model.json", model);
}

void sweep_case_close(void) {
  remove("model.json");
  remove("s.json");
  remove("printed.json");
  remove("t.csv");
  cr_expect_eq(chdir("/"), 0);
  cr_expect_eq(rmdir(directory), 0);
}

void sweep_case_compose(const char *method, const char *axes, const char *rest) {
  struct cs_text text = {0};
  cs_text_add(&text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 1,\n");
  cs_text_add(&text, "\"method\": {\"step\": {\"size\": 0.1}%s\n%s},\n", *method ? "," : "", method);
  cs_text_add(&text, "\"axes\": [\n%s]%s\n%s}\n", axes, *rest ? "," : "", rest);
  cr_assert_not(text.failed);
  sweep_case_write("s.json", text.data);
  cs_text_free(&text);
}

void sweep_case_compose_step(const char *step, const char *method, const char *axes) {
  struct cs_text text = {0};
  cs_text_add(&text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", \"t_end\": 2,\n");
  cs_text_add(&text, "\"method\": {\"step\": {%s}%s\n%s},\n\"axes\": [%s]}\n", step, *method ? "," : "", method, axes);
  cr_assert_not(text.failed);
  sweep_case_write("s.json", text.data);
  cs_text_free(&text);
}

struct cs_sweep *sweep_case_load(const char *method, const char *axes, const char *rest) {
  struct cs_error error = {0};
  struct cs_sweep *sweep = NULL;
  sweep_case_compose(method, axes, rest);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
  return sweep;
}
