/* The JSON Schemas against the program: every key, word, range, default and metric of one is in the other. Files that
 * validate and files that do not are in python/check_schemas.py. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr.h"
#include "harness.h"
#include "json.h"
#include "metric.h"
#include "name.h"
#include "setting.h"

TestSuite(schema, .timeout = 60);

static struct cs_json *load(const char *path) {
  struct cs_error error;
  struct cs_json *json;
  char *place = harness_source_path(path);
  cr_assert_eq(cs_json_load(place, &json, &error), CS_OK, "%s", error.message);
  free(place);
  return json;
}

static const struct cs_node *get(const struct cs_node *node, const char *key) {
  const struct cs_node *member = cs_json_get(node, key);
  cr_assert_not_null(member, "the schema has no \"%s\" here", key);
  return member;
}

static const struct cs_node *definition(const struct cs_json *json, const char *name) {
  return get(get(cs_json_root(json), "definitions"), name);
}

/* ---- settings */

/* What a definition says of words: its own "enum", or that of a member of "anyOf". NULL: nothing. */
static const struct cs_node *find_key(const struct cs_node *node, const char *key) {
  const struct cs_node *found = cs_json_get(node, key), *any = cs_json_get(node, "anyOf");
  for (size_t i = 0; found == NULL && any != NULL && i < cs_json_length(any); i++)
    found = cs_json_get(cs_json_at(any, i), key);
  return found;
}

static void expect_words(const struct cs_setting_info *info, const struct cs_node *node) {
  const struct cs_node *list = find_key(node, "enum");
  const size_t length = list != NULL ? cs_json_length(list) : 0;
  size_t words = 0;
  while (info->words[words] != NULL)
    words++;
  cr_expect_eq(length, words, "%s: %zu words, not %zu", info->path, length, words);
  for (size_t i = 0; i < words && i < length; i++)
    cr_expect_str_eq(cs_json_string(cs_json_at(list, i)), info->words[i], "%s", info->path);
}

static void expect_number(const struct cs_setting_info *info, const struct cs_node *node, const char *key,
                          double want) {
  const struct cs_node *number = find_key(node, key);
  cr_assert_not_null(number, "%s: no %s", info->path, key);
  cr_expect_eq(cs_json_number(number), want, "%s: %s", info->path, key);
}

static void expect_type(const struct cs_setting_info *info, const struct cs_node *node, const char *want) {
  const struct cs_node *type = find_key(node, "type");
  cr_assert_not_null(type, "%s: no type", info->path);
  cr_expect_str_eq(cs_json_string(type), want, "%s", info->path);
}

static void expect_range(const struct cs_setting_info *info, const struct cs_node *node) {
  switch (info->kind) {
    case CS_SETTING_INTEGER:
      expect_type(info, node, "integer");
      expect_number(info, node, "minimum", info->least);
      expect_number(info, node, "maximum", info->most);
      if (info->even) expect_number(info, node, "multipleOf", 2);
      cr_expect_eq(find_key(node, "multipleOf") != NULL, info->even, "%s", info->path);
      break;
    case CS_SETTING_POSITIVE:
      expect_type(info, node, "number");
      /* of size, study stability takes 0; the schema forbids it for the other study */
      expect_number(info, node, info == &cs_setting_table[CS_SETTING_STEP_SIZE] ? "minimum" : "exclusiveMinimum", 0);
      if (info->most > 0) expect_number(info, node, "exclusiveMaximum", info->most);
      cr_expect_eq(find_key(node, "exclusiveMaximum") != NULL, info->most > 0, "%s", info->path);
      break;
    case CS_SETTING_NOT_NEGATIVE:
      expect_type(info, node, "number");
      expect_number(info, node, "minimum", 0);
      break;
    case CS_SETTING_SHARE:
      expect_type(info, node, "number");
      expect_number(info, node, "minimum", 0);
      expect_number(info, node, "maximum", 1);
      break;
    case CS_SETTING_WEIGHED:
      expect_type(info, node, "number");
      expect_number(info, node, "exclusiveMinimum", 0);
      expect_number(info, node, "maximum", 1);
      break;
    case CS_SETTING_REAL:
      expect_type(info, node, "number");
      cr_expect(find_key(node, "minimum") == NULL && find_key(node, "exclusiveMinimum") == NULL, "%s", info->path);
      break;
    case CS_SETTING_OUTPUT:
      expect_type(info, node, "string");
      break;
    case CS_SETTING_BOND_LIST:
    case CS_SETTING_RATIO_LIST:
      expect_type(info, node, "array");
      break;
    case CS_SETTING_MODE: /* none of the table */
    case CS_SETTING_WORD:
      cr_expect_null(find_key(node, "type"), "%s", info->path);
      break;
  }
}

/* The default is that of the table; where controls have defaults of their own, it is there if they agree on it, and
 * "auto" where that stands for them. */
static void expect_default(const struct cs_setting_info *info, const struct cs_node *node) {
  const struct cs_node *given = cs_json_get(node, "default");
  const char *want = info->initial;
  for (int c = 0; c < CS_CONTROLS && want == NULL; c++)
    want = info->with[c];
  if (info->by_control && info->words[0] != NULL && info->kind != CS_SETTING_WORD) want = info->words[0];
  for (int c = 0; c < CS_CONTROLS && info->by_control && want != NULL && want != info->words[0]; c++)
    if (info->with[c] != NULL && strcmp(info->with[c], want) != 0) want = NULL;
  if (want != NULL && want[0] == '\0') want = NULL;
  cr_assert_eq(given != NULL, want != NULL, "%s: default %s", info->path, want != NULL ? want : "none");
  if (given == NULL) return;
  if (cs_json_kind(given) == CS_STRING)
    cr_expect_str_eq(cs_json_string(given), want, "%s", info->path);
  else
    cr_expect_eq(cs_json_number(given), strtod(want, NULL), "%s", info->path);
}

Test(schema, settings) {
  struct cs_json *json = load("docs/schemas/sweep.schema.json");
  for (int i = 0; i < CS_SETTINGS; i++) {
    const struct cs_setting_info *info = &cs_setting_table[i];
    const struct cs_node *node = definition(json, info->path);
    expect_words(info, node);
    expect_range(info, node);
    expect_default(info, node);
  }
  cs_json_free(json);
}

/* `properties` are the settings below `prefix` and what stands in `others`, each a reference to its definition. */
static void expect_settings(const struct cs_node *properties, const char *prefix, bool per_subsystem,
                            const char *others) {
  size_t count = 0;
  for (int i = 0; i < CS_SETTINGS; i++) {
    const struct cs_setting_info *info = &cs_setting_table[i];
    const char *name = info->path + strlen(prefix);
    char want[96];
    if (strncmp(info->path, prefix, strlen(prefix)) != 0 || strchr(name, '.') != NULL) continue;
    if (!cs_setting_is_in(info, per_subsystem)) continue;
    snprintf(want, sizeof want, "#/definitions/%s", info->path);
    cr_expect_str_eq(cs_json_string(get(get(properties, name), "$ref")), want);
    count++;
  }
  for (size_t i = 0; i < cs_json_length(properties); i++)
    count -= cs_setting_word_listed(others, cs_json_key(cs_json_at(properties, i)));
  cr_expect_eq(cs_json_length(properties), count, "%s: %zu keys, not %zu", prefix, cs_json_length(properties), count);
}

Test(schema, places_of_settings) {
  struct cs_json *json = load("docs/schemas/sweep.schema.json");
  const struct cs_node *method = get(definition(json, "method"), "properties");
  const struct cs_node *paths = get(cs_json_at(get(definition(json, "path"), "anyOf"), 0), "enum");
  size_t others = cs_json_length(method), at = 0;
  cr_expect_not_null(cs_json_get(method, "order"));
  cr_expect_not_null(cs_json_get(method, "step"));
  cr_expect_not_null(cs_json_get(method, "events"));
  cr_expect_not_null(cs_json_get(method, "subsystems"));
  for (int i = 0; i < CS_SETTINGS; i++) {
    const char *name = cs_setting_table[i].path + strlen("method.");
    if (!cs_setting_is_in(&cs_setting_table[i], false)) continue;
    others -= strncmp(cs_setting_table[i].path, "method.", 7) == 0 && strchr(name, '.') == NULL;
    if (cs_setting_table[i].of_sweep) continue;
    cr_expect_str_eq(cs_json_string(cs_json_at(paths, ++at)), cs_setting_table[i].path);
  }
  cr_expect_eq(others, 4);
  cr_expect_eq(cs_json_length(paths), at + 1);
  cr_expect_str_eq(cs_json_string(cs_json_at(paths, 0)), "method.order");
  expect_settings(get(definition(json, "step"), "properties"), "method.step.", false, "");
  expect_settings(get(definition(json, "events"), "properties"), "method.events.", false, "");
  expect_settings(get(definition(json, "subsystem"), "properties"), "method.", true, "");
  cs_json_free(json);
}

/* Study stability knows no settings of runs. */
Test(schema, settings_of_runs) {
  struct cs_json *json = load("docs/schemas/sweep.schema.json");
  const struct cs_node *stability = get(get(cs_json_root(json), "then"), "properties");
  const struct cs_node *method = get(get(stability, "method"), "properties");
  const struct cs_node *step = get(get(method, "step"), "properties");
  size_t of_method = 0, of_step = 0;
  cr_expect_not_null(cs_json_get(stability, "t_end"));
  for (int i = 0; i < CS_SETTINGS; i++) {
    const struct cs_setting_info *info = &cs_setting_table[i];
    const bool in_step = strncmp(info->path, "method.step.", 12) == 0;
    if (!info->of_runs || strcmp(info->path, "t_end") == 0 || strncmp(info->path, "method.events.", 14) == 0) continue;
    cr_expect_not_null(cs_json_get(in_step ? step : method, cs_setting_name(info)), "%s", info->path);
    of_step += in_step;
    of_method += !in_step;
  }
  cr_expect_eq(cs_json_length(step), of_step);
  cr_expect_not_null(cs_json_get(method, "events"));
  cr_expect_eq(cs_json_length(method), of_method + 3, "beside them: step, subsystems and events");
  cs_json_free(json);
}

/* Axes of words know the words: one condition each, in the order of the table. */
Test(schema, words_on_axes) {
  struct cs_json *json = load("docs/schemas/sweep.schema.json");
  const struct cs_node *conditions = get(definition(json, "axis"), "allOf");
  size_t at = 0;
  for (int i = 0; i < CS_SETTINGS; i++) {
    const struct cs_setting_info *info = &cs_setting_table[i];
    if (info->kind != CS_SETTING_WORD) continue;
    const struct cs_node *condition = cs_json_at(conditions, at++);
    cr_assert_not_null(condition, "no condition for %s", info->path);
    const struct cs_node *path = get(get(get(condition, "if"), "properties"), "path");
    const struct cs_node *values = get(get(get(condition, "then"), "properties"), "values");
    if (info->per_subsystem)
      cr_expect_not_null(strstr(cs_json_string(get(path, "pattern")), cs_setting_name(info)), "%s", info->path);
    else
      cr_expect_str_eq(cs_json_string(get(path, "const")), info->path);
    expect_words(info, get(values, "items"));
  }
  cr_expect_eq(cs_json_length(conditions), at);
  cs_json_free(json);
}

/* ---- metrics and other words */

static void expect_metrics(const struct cs_node *list, bool stability_only) {
  size_t at = 0;
  for (int m = 0; m < CS_METRICS; m++) {
    if (!cs_metric_begins(m) || (stability_only && cs_metric_table[m].study != CS_STABILITY)) continue;
    cr_assert_lt(at, cs_json_length(list), "%s is missing", cs_metric_word(m));
    cr_expect_str_eq(cs_json_string(cs_json_at(list, at++)), cs_metric_word(m));
  }
  cr_expect_eq(cs_json_length(list), at);
}

Test(schema, metrics) {
  struct cs_json *json = load("docs/schemas/sweep.schema.json");
  const struct cs_node *stability = get(get(cs_json_root(json), "then"), "properties");
  const struct cs_node *studies = get(get(get(cs_json_root(json), "properties"), "study"), "enum");
  expect_metrics(get(definition(json, "metric"), "enum"), false);
  expect_metrics(get(get(get(stability, "metrics"), "items"), "enum"), true);
  cr_expect_eq(cs_json_length(studies), 2);
  cr_expect_str_eq(cs_json_string(cs_json_at(studies, 0)), cs_metric_study_name(CS_SIMULATION));
  cr_expect_str_eq(cs_json_string(cs_json_at(studies, 1)), cs_metric_study_name(CS_STABILITY));
  cs_json_free(json);
}

/* docs/formats.md names the functions of expressions; all others are free to be parameters. */
Test(schema, reserved_names) {
  struct cs_json *json = load("docs/schemas/model.schema.json");
  const struct cs_node *names = get(get(cs_json_root(json), "properties"), "parameters");
  const struct cs_node *reserved = get(get(get(names, "propertyNames"), "not"), "enum");
  for (size_t i = 0; i < cs_json_length(reserved); i++)
    cr_expect(cs_expr_is_reserved(cs_json_string(cs_json_at(reserved, i))));
  cr_expect_eq(cs_json_length(reserved), 10);
  cs_json_free(json);
}

/* Counts the names below `node`, each of which has to be as short as the program wants it. */
static size_t expect_names(const struct cs_node *node) {
  const bool object = cs_json_kind(node) == CS_OBJECT;
  const struct cs_node *pattern = object ? cs_json_get(node, "pattern") : NULL;
  size_t count = 0;
  if (pattern != NULL && cs_json_kind(pattern) == CS_STRING &&
      strcmp(cs_json_string(pattern), "^[A-Za-z][A-Za-z0-9_]*$") == 0) {
    cr_expect_eq(cs_json_number(get(node, "maxLength")), CS_NAME_MOST);
    count++;
  }
  for (size_t i = 0; i < cs_json_length(node); i++)
    count += expect_names(cs_json_at(node, i));
  return count;
}

Test(schema, names) {
  static const char *const files[] = {"docs/schemas/model.schema.json", "docs/schemas/sweep.schema.json"};
  for (size_t i = 0; i < 2; i++) {
    struct cs_json *json = load(files[i]);
    cr_expect_gt(expect_names(cs_json_root(json)), 1);
    cs_json_free(json);
  }
}

/* ---- keys, as the program lists them where it meets one that it does not know */

#define MODEL_HEAD "{\"format\": \"cosweep-model/1\", \"name\": \"m\", "
#define ONE "\"subsystems\": [{\"name\": \"s\", \"states\": [\"x\"], \"outputs\": [\"y\"], \"A\": [[1]], \"C\": [[1]]}]"
#define LOOP                                                                                                           \
  "\"subsystems\": [{\"name\": \"s\", \"states\": [\"x\"], \"inputs\": [\"u\"], \"outputs\": [\"y\"], \"A\": [[-1]], " \
  "\"B\": [[1]], \"C\": [[1]]}], "
#define JOINED LOOP "\"connections\": [{\"from\": \"s.y\", \"to\": \"s.u\"}], "
#define SWEEP_HEAD "{\"format\": \"cosweep-sweep/1\", \"name\": \"a\", \"model\": \"model.json\", \"t_end\": 1, "
#define H "\"method\": {\"step\": {\"size\": 0.1}}, "

static const struct {
  const char *schema, *place; /* properties there, below definitions; "" is the file itself */
  const char *text;
} object[] = {
    {"model", "", MODEL_HEAD "\"@\": 0}"},
    {"model", "parameter", MODEL_HEAD "\"parameters\": {\"p\": {\"@\": 0}}, " ONE "}"},
    {"model", "subsystem", MODEL_HEAD "\"subsystems\": [{\"@\": 0}]}"},
    {"model", "described_signal", MODEL_HEAD "\"subsystems\": [{\"name\": \"s\", \"states\": [{\"@\": 0}]}]}"},
    {"model", "connection", MODEL_HEAD LOOP "\"connections\": [{\"@\": 0}]}"},
    {"model", "monitor", MODEL_HEAD ONE ", \"monitors\": [{\"@\": 0}]}"},
    {"model", "event", MODEL_HEAD ONE ", \"events\": [{\"@\": 0}]}"},
    {"sweep", "", SWEEP_HEAD "\"@\": 0}"},
    {"sweep", "method", SWEEP_HEAD "\"method\": {\"@\": 0}}"},
    {"sweep", "step", SWEEP_HEAD "\"method\": {\"step\": {\"@\": 0}}}"},
    {"sweep", "events", SWEEP_HEAD "\"method\": {\"events\": {\"@\": 0}}}"},
    {"sweep", "subsystem", SWEEP_HEAD "\"method\": {\"subsystems\": {\"s\": {\"@\": 0}}}}"},
    {"sweep", "axis", SWEEP_HEAD H "\"axes\": [{\"@\": 0}]}"},
    {"sweep", "labelled",
     SWEEP_HEAD H "\"axes\": [{\"name\": \"h\", \"path\": \"method.hold\", \"values\": [{\"@\": 0}]}]}"},
    {"sweep", "fit", SWEEP_HEAD H "\"fits\": [{\"@\": 0}]}"},
    {"sweep", "user_master", SWEEP_HEAD "\"method\": {\"master\": {\"@\": 0}}}"},
    {"sweep", "user_control", SWEEP_HEAD "\"method\": {\"step\": {\"control\": {\"@\": 0}}}}"},
    {"sweep", "bond", SWEEP_HEAD "\"method\": {\"step\": {\"bonds\": [{\"@\": 0}]}}}"},
    {"sweep", "properties.boundary",
     "{\"format\": \"cosweep-sweep/1\", \"name\": \"a\", \"model\": \"model.json\", \"study\": \"stability\", " H
     "\"boundary\": {\"@\": 0}}"},
};

static void expect_keys(const struct cs_json *schema, size_t row, const char *message) {
  const char *place = object[row].place, *list = strstr(message, "unknown key; want one of: ");
  const struct cs_node *node = cs_json_root(schema);
  size_t keys = 0;
  cr_assert_not_null(list, "%s: %s", object[row].text, message);
  if (strncmp(place, "properties.", 11) == 0)
    node = get(get(node, "properties"), place + 11);
  else if (place[0] != '\0')
    node = definition(schema, place);
  node = get(node, "properties");
  for (list += strlen("unknown key; want one of: "); *list != '\0' && *list != '\n'; keys++) {
    const size_t length = strcspn(list, ",\n");
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)length, list);
    cr_expect_not_null(cs_json_get(node, key), "%s.%s has no \"%s\"", object[row].schema, place, key);
    list += length + (list[length] == ',' ? 2 : 0);
  }
  cr_expect_eq(cs_json_length(node), keys, "%s.%s has %zu keys, the program %zu", object[row].schema, place,
               cs_json_length(node), keys);
}

Test(schema, keys) {
  struct harness harness;
  struct cs_json *model_schema = load("docs/schemas/model.schema.json"),
                 *sweep_schema = load("docs/schemas/sweep.schema.json");
  harness_directory(&harness);
  harness_write(&harness, "model.json", MODEL_HEAD JOINED "\"parameters\": {\"p\": 1}}");
  for (size_t i = 0; i < sizeof object / sizeof *object; i++) {
    const bool is_model = strcmp(object[i].schema, "model") == 0;
    struct cs_error error = {0};
    struct cs_model *model = NULL;
    struct cs_sweep *sweep = NULL;
    char path[128];
    snprintf(path, sizeof path, "%s/file.json", harness.directory);
    harness_write(&harness, "file.json", object[i].text);
    const int code = is_model ? cs_model_load(path, &model, &error) : cs_sweep_load(path, NULL, 0, &sweep, &error);
    cr_assert_eq(code, CS_INPUT, "%s: %s", object[i].text, error.message);
    expect_keys(is_model ? model_schema : sweep_schema, i, error.message);
  }
  cs_json_free(model_schema);
  cs_json_free(sweep_schema);
  harness_close(&harness);
}
