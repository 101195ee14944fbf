/* cosweep compare: what differs between two results. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "difference.h"
#include "info.h"
#include "store.h"

/* Whether a row says what was computed; engine_used says how. */
static bool counts(const struct cs_difference_row *row) {
  return row->differing > 0 && strcmp(row->array->name, "engine_used") != 0;
}

/* CS_NO_RESULT if a variable differs by more than the tolerance, relative to its largest value. */
static int judge(const struct cs_arguments *arguments, const struct cs_difference *d, struct cs_error *error) {
  const double tolerance = arguments->real[CS_OPTION_TOLERANCE];
  const struct cs_difference_row *worst = NULL;
  for (size_t i = 0; i < d->rows; i++)
    if (counts(&d->row[i]) && (worst == NULL || cs_difference_relative(&d->row[i]) > cs_difference_relative(worst)))
      worst = &d->row[i];
  if (worst == NULL || cs_difference_relative(worst) <= tolerance) return CS_OK;
  if (isinf(cs_difference_relative(worst)))
    return cs_error_set(error, CS_NO_RESULT, "%s and %s differ: %s %s in %zu value%s", arguments->operand[0],
                        arguments->operand[1], worst->array->name,
                        worst->unmatched > 0 ? "is finite in one of them only," : "differs",
                        worst->unmatched > 0 ? worst->unmatched : worst->differing,
                        (worst->unmatched > 0 ? worst->unmatched : worst->differing) == 1 ? "" : "s");
  return cs_error_set(error, CS_NO_RESULT, "%s and %s differ: %s by %.3g of its largest value, tolerance %g",
                      arguments->operand[0], arguments->operand[1], worst->array->name, cs_difference_relative(worst),
                      tolerance);
}

static int print(const struct cs_arguments *arguments, const struct cs_difference *d, struct cs_error *error) {
  struct cs_text text = {0};
  if (arguments->given[CS_OPTION_JSON]) {
    cs_info_add_difference_json(arguments->operand, d, &text);
  } else {
    struct cs_document document = {.medium = CS_TERMINAL};
    cs_info_add_difference(&document, arguments->operand, d);
    cs_document_print(&document, &text);
    text.failed |= document.failed;
    cs_document_free(&document);
  }
  return cs_command_print(&text, error);
}

int cs_command_compare(const struct cs_arguments *arguments, struct cs_error *error) {
  struct cs_table *table[2] = {NULL, NULL};
  struct cs_difference difference = {0};
  int code = CS_OK;
  for (int i = 0; i < 2 && code == CS_OK; i++)
    code = cs_store_read_lazily(arguments->operand[i], CS_STORE_LARGE, &table[i], error);
  if (code == CS_OK) code = cs_difference_open(table[0], table[1], arguments->operand, &difference, error);
  for (int i = 0; i < 2 && code == CS_OK; i++)
    code = cs_table_check(table[i], error);
  if (code == CS_OK) code = print(arguments, &difference, error);
  if (code == CS_OK) code = judge(arguments, &difference, error);
  cs_difference_close(&difference);
  cs_table_free(table[0]);
  cs_table_free(table[1]);
  return code;
}
