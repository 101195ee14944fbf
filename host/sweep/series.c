/* Values along an axis: lists, linspace, logspace. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "series.h"

enum { MAX_LENGTH = 1 << 26 }; /* half a GiB of coordinates */

static int series_new(size_t length, bool labelled, struct cs_series *series, struct cs_error *error) {
  *series = (struct cs_series){.length = length, .values = calloc(length, sizeof *series->values)};
  if (labelled) series->labels = calloc(length, sizeof *series->labels);
  if (series->values == NULL || (labelled && series->labels == NULL)) {
    cs_series_free(series);
    return cs_error_memory(error);
  }
  return CS_OK;
}

void cs_series_free(struct cs_series *series) {
  for (size_t i = 0; series->labels != NULL && i < series->length; i++)
    free(series->labels[i]);
  free(series->labels);
  free(series->values);
  *series = (struct cs_series){0};
}

/* Whether some value has a label, or is the word of a setting of integers. */
static bool holds_labels(const struct cs_node *list, const struct cs_setting_info *info) {
  for (size_t i = 0; i < cs_json_length(list); i++) {
    const enum cs_kind kind = cs_json_kind(cs_json_at(list, i));
    if (kind == CS_OBJECT || (kind == CS_STRING && info->worth != 0)) return true;
  }
  return false;
}

/* The label of a value without one: the word, or the integer beside words. */
static char *own_label(const struct cs_node *value) {
  struct cs_text text = {0};
  if (cs_json_kind(value) == CS_STRING)
    cs_text_add(&text, "%s", cs_json_string(value));
  else
    cs_text_add_number(&text, cs_json_number(value));
  if (text.failed) cs_text_free(&text);
  return text.data;
}

/* Value number i: a scalar, or {"label": ..., "value": scalar}. */
static int read_value(const struct cs_json *json, const struct cs_node *item, const struct cs_setting_info *info,
                      struct cs_setting_lists *lists, size_t i, struct cs_series *series, struct cs_error *error) {
  static const char *const keys[] = {"label", "value", NULL};
  const struct cs_node *value = item;
  const char *label = NULL;
  if (cs_json_kind(item) == CS_OBJECT) {
    int code = cs_json_check_keys(json, item, keys, error);
    if (code == CS_OK) code = cs_json_need_string(json, item, "label", &label, error);
    if (code == CS_OK) code = cs_json_need(json, item, "value", &value, error);
    if (code != CS_OK) return code;
    if (*label == '\0') return cs_json_fail(json, item, error, "the label is empty; want some text");
  }
  int code = cs_setting_read(json, value, info, true, lists, &series->values[i], error);
  if (code != CS_OK || series->labels == NULL) return code;
  if (label == NULL && cs_json_kind(value) == CS_LIST)
    return cs_json_fail(json, item, error, "found a list without label; want {\"label\": text, \"value\": list}");
  if (label == NULL && !cs_setting_is_named(info) && info->worth == 0) {
    return cs_json_fail(json, item, error,
                        "found a value without label among labelled ones; want "
                        "{\"label\": text, \"value\": number} for all or for none");
  }
  series->labels[i] = label != NULL ? cs_text_copy(label) : own_label(value);
  return series->labels[i] != NULL ? CS_OK : cs_error_memory(error);
}

int cs_series_read(const struct cs_json *json, const struct cs_node *list, const struct cs_setting_info *info,
                   struct cs_setting_lists *lists, struct cs_series *series, struct cs_error *error) {
  int code = cs_json_want(json, list, CS_LIST, error);
  if (code != CS_OK) return code;
  if (cs_json_length(list) == 0) return cs_json_fail(json, list, error, "found an empty list; want at least one value");
  bool labelled = cs_setting_is_named(info) || holds_labels(list, info);
  code = series_new(cs_json_length(list), labelled, series, error);
  for (size_t i = 0; i < series->length && code == CS_OK; i++)
    code = read_value(json, cs_json_at(list, i), info, lists, i, series, error);
  if (code != CS_OK) cs_series_free(series);
  return code;
}

static int fail_number(const struct cs_json *json, const struct cs_node *node, const char *want,
                       struct cs_error *error) {
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "found ");
  cs_text_add_number(&wrong, cs_json_number(node));
  cs_text_add(&wrong, "; want %s", want);
  return cs_json_fail_text(json, node, false, &wrong, error);
}

/* Checks [first, last, count]. */
static int check_space(const struct cs_json *json, const struct cs_node *list, bool logarithmic,
                       struct cs_error *error) {
  int code = cs_json_want(json, list, CS_LIST, error);
  if (code == CS_OK && cs_json_length(list) != 3)
    code = cs_json_fail(json, list, error, "found %zu items; want [first, last, count]", cs_json_length(list));
  for (size_t i = 0; i < 3 && code == CS_OK; i++)
    code = cs_json_want(json, cs_json_at(list, i), CS_NUMBER, error);
  for (size_t i = 0; i < 2 && code == CS_OK && logarithmic; i++)
    if (cs_json_number(cs_json_at(list, i)) <= 0)
      code = fail_number(json, cs_json_at(list, i), "a number > 0 as end of logspace", error);
  if (code != CS_OK) return code;
  double first = cs_json_number(cs_json_at(list, 0)), last = cs_json_number(cs_json_at(list, 1));
  double count = cs_json_number(cs_json_at(list, 2));
  if (count != floor(count) || count < 1 || count > MAX_LENGTH) {
    char want[64];
    snprintf(want, sizeof want, "a count, an integer from 1 to %d", MAX_LENGTH);
    return fail_number(json, cs_json_at(list, 2), want, error);
  }
  if (count == 1 && first != last) {
    return cs_json_fail(json, cs_json_at(list, 2), error,
                        "a single value cannot have two ends; want a count of at least 2, or equal ends");
  }
  return CS_OK;
}

/* Both ends are exact, and so are whole decades of logspace, which exp and log would round. */
static double space_value(double first, double last, size_t i, size_t count, bool logarithmic) {
  if (i == 0 || first == last) return first;
  if (i + 1 == count) return last;
  double part = (double)i, whole = (double)(count - 1);
  if (logarithmic) return pow(10, log10(first) + (log10(last) - log10(first)) * part / whole);
  double across = (last - first) * part;
  return isfinite(across) ? first + across / whole : first * (1 - part / whole) + last * (part / whole);
}

/* The message for numbers given for a setting that takes none. */
static void add_names_wanted(const struct cs_setting_info *info, struct cs_text *wrong) {
  static const struct {
    enum cs_setting setting;
    const char *value;
  } lists[] = {{CS_SETTING_SEQUENCE, "list of all subsystems"},
               {CS_SETTING_MASTER, "{\"kernel\": file}"},
               {CS_SETTING_CONTROL, "{\"kernel\": file}"},
               {CS_SETTING_BONDS, "list of power bonds"},
               {CS_SETTING_RATIOS, "list of ratios"}};
  const char *separator = "";
  cs_text_add(wrong, "%s takes no numbers; want \"values\" with some of: ", cs_setting_name(info));
  if (info->kind == CS_SETTING_OUTPUT) cs_text_add(wrong, "\"subsystem.output\"");
  if (info->kind == CS_SETTING_MODE) cs_setting_add_modes(info, wrong);
  for (int w = 0; info->words[w] != NULL; w++) {
    cs_text_add(wrong, "%s%s", separator, info->words[w]);
    separator = ", ";
  }
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (info == &cs_setting_table[lists[i].setting])
      cs_text_add(wrong, "%s{\"label\": text, \"value\": %s}", separator, lists[i].value);
}

int cs_series_space(const struct cs_json *json, const struct cs_node *list, const struct cs_setting_info *info,
                    bool logarithmic, struct cs_series *series, struct cs_error *error) {
  struct cs_text wrong = {0};
  if (cs_setting_is_named(info)) {
    add_names_wanted(info, &wrong);
    return cs_json_fail_text(json, list, true, &wrong, error);
  }
  int code = check_space(json, list, logarithmic, error);
  if (code != CS_OK) return code;
  double first = cs_json_number(cs_json_at(list, 0)), last = cs_json_number(cs_json_at(list, 1));
  code = series_new((size_t)cs_json_number(cs_json_at(list, 2)), false, series, error);
  for (size_t i = 0; i < series->length && code == CS_OK; i++) {
    double value = space_value(first, last, i, series->length, logarithmic), whole = rint(value);
    bool rounding = info->kind == CS_SETTING_INTEGER && fabs(value - whole) < 1e-9 * fabs(whole);
    series->values[i] = rounding ? whole : value;
    if (!cs_setting_accepts(info, series->values[i], true)) {
      cs_text_add(&wrong, "value %zu of %zu is ", i + 1, series->length);
      cs_text_add_number(&wrong, series->values[i]);
      cs_text_add(&wrong, "; want ");
      cs_setting_want(info, true, &wrong);
      code = cs_json_fail_text(json, list, false, &wrong, error);
    }
  }
  if (code != CS_OK) cs_series_free(series);
  return code;
}
