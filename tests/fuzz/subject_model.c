/* Model files. */
#include "carried.h"
#include "fuzz.h"
#include "model.h"

static void take(const char *bytes, size_t size) {
  struct cs_json *json = NULL;
  struct cs_model *model = NULL;
  struct cs_error error;
  int code = cs_json_parse("model.json", bytes, size, &json, &error);
  if (code == CS_OK) code = cs_model_read(json, &model, &error);
  if (code == CS_OK) cs_model_check_values(model, &error);
  cs_model_free(model);
}

static void seed(void) {
  fuzz_seed_files("models/*/model.json");
}

static void words(void) {
  fuzz_words_of(cs_carried_schema("model.schema.json"));
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed, .words = words};
