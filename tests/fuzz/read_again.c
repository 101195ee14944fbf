#include "read_again.h"

#include "fuzz.h"
#include "model.h"

void read_again(const struct cs_text *text) {
  struct cs_json *json = NULL;
  struct cs_model *model = NULL;
  struct cs_error error;
  int code = cs_json_parse("imported.json", cs_text_string(text), text->length, &json, &error);
  if (code == CS_OK) code = cs_model_read(json, &model, &error);
  if (code == CS_OK) code = cs_model_check_values(model, &error);
  fuzz_want(code == CS_OK || code == CS_DEVICE, "an imported model is refused", error.message);
  cs_model_free(model);
}
