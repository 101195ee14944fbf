#include "digest_case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "text.h"

const char digest_case_model[] =
    "{\"format\": \"cosweep-model/1\", \"name\": \"m\", \"subsystems\": ["
    "{\"name\": \"a\", \"states\": [\"x\", \"v\"], \"inputs\": [\"u\"], \"outputs\": [\"x\", \"v\"],"
    " \"A\": [[0, 1], [0, -1]], \"B\": [[0], [1]], \"C\": [[1, 0], [0, 1]]},"
    "{\"name\": \"b\", \"states\": [\"z\"], \"inputs\": [\"v\"], \"outputs\": [\"w\"],"
    " \"A\": [[-2]], \"B\": [[1]], \"C\": [[1]], \"D\": [[0.5]]}],"
    " \"connections\": [{\"from\": \"a.v\", \"to\": \"b.v\"}, {\"from\": \"b.w\", \"to\": \"a.u\"}]%s}";

void digest_case_note(struct cs_table *table, const char *name, const char *text) {
  struct cs_error error;
  cr_assert_eq(cs_table_add_text(table, name, 1, 1, &text, &error), CS_OK, "%s", error.message);
}

struct cs_table *digest_case_result(void) {
  static const char sweep[] =
      "{\"method\": {\"master\": \"jacobi\", \"iterations\": 0, \"hold\": \"taylor\", \"input_order\": 0, "
      "\"output_order\": 1, "
      "\"feedthrough\": \"explicit\", \"start\": \"consistent\", \"solver\": \"exact\", \"step\": {\"control\": "
      "\"fixed\"}}, \"axes\": ["
      "{\"name\": \"case\", \"zip\": {\"method.input_order\": [0, 1], \"method.start\": [\"consistent\", \"zero\"]}},"
      "{\"name\": \"H\", \"path\": \"method.step.size\", \"logspace\": [0.1, 0.8, 4]}]}";
  static const char *const starts[] = {"consistent", "zero"}, *const outputs[] = {"a.x", "a.v", "b.w"};
  const double cases[] = {0, 1}, sizes[] = {0.1, 0.2, 0.4, 0.8};
  struct cs_error error;
  size_t axis[3];
  struct cs_array *array;
  struct cs_text text = {0};
  struct cs_table *table = cs_table_new("title", "", "");
  cs_text_add(&text, digest_case_model, "");
  digest_case_note(table, "model", text.data);
  digest_case_note(table, "sweep", sweep);
  cs_text_free(&text);
  cs_table_add_dimension(table, "case", "1", "", SETTINGS, cases, NULL, &axis[0], &error);
  cs_table_add_dimension(table, "H", "s", "", SIZES, sizes, NULL, &axis[1], &error);
  cs_table_add_dimension(table, "output", "1", "", OUTPUTS, NULL, outputs, &axis[2], &error);
  cs_table_add_array(table, "case_input_order", "1", "", CS_FLOAT64, 1, axis, &array, &error);
  memcpy(array->data.float64, cases, sizeof cases);
  cs_table_add_array(table, "case_start", "1", "", CS_TEXT, 1, axis, &array, &error);
  for (size_t i = 0; i < SETTINGS; i++)
    array->data.text[i] = cs_text_copy(starts[i]);
  cs_table_add_array(table, "status", "1", "", CS_UINT8, 2, axis, &array, &error);
  array->data.uint8[3] = 1;
  array->data.uint8[7] = 7;
  cs_table_add_array(table, "output_error", "m", "", CS_FLOAT64, 3, axis, &array, &error);
  for (size_t i = 0; i < RUNS * OUTPUTS; i++)
    array->data.float64[i] = (double)((i / OUTPUTS + 1) * (i % OUTPUTS + 1));
  array->data.float64[1] = NAN;
  cs_table_add_array(table, "steps", "1", "", CS_INT64, 2, axis, &array, &error);
  const size_t fitted[] = {axis[0], axis[2]};
  static const double orders[] = {1.01, 1.16, NAN, 2.14, 1.9, 1.5};
  cs_table_add_array(table, "output_error_order", "1", "", CS_FLOAT64, 2, fitted, &array, &error);
  memcpy(array->data.float64, orders, sizeof orders);
  return table;
}
