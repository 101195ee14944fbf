#include "skip.h"

#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "near.h"

enum { SHOWN = 12 }; /* values listed in a message */

void cs_skips_free(struct cs_skips *skips) {
  for (size_t i = 0; i < skips->count; i++) {
    for (size_t c = 0; c < skips->skip[i].conditions; c++)
      free(skips->skip[i].condition[c].match);
    free(skips->skip[i].condition);
  }
  free(skips->skip);
}

bool cs_skips_match(const struct cs_skips *skips, size_t run) {
  for (size_t i = 0; i < skips->count; i++) {
    const struct cs_skip *skip = &skips->skip[i];
    size_t c = 0;
    while (c < skip->conditions &&
           skip->condition[c].match[run / skip->condition[c].stride % skip->condition[c].length])
      c++;
    if (c == skip->conditions) return true;
  }
  return false;
}

static int fail_axis(const struct cs_json *json, const struct cs_node *member, const struct cs_axis *axes, size_t count,
                     struct cs_error *error) {
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "unknown axis; want %s", count ? "one of: " : "none, the sweep has no axes");
  for (size_t a = 0; a < count; a++)
    cs_text_add(&wrong, "%s%s", a ? ", " : "", axes[a].name);
  cs_near_suggest(&wrong, cs_json_key(member));
  return cs_json_fail_text(json, member, true, &wrong, error);
}

static int fail_value(const struct cs_json *json, const struct cs_node *node, const struct cs_axis *axis,
                      struct cs_error *error) {
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "not a value of axis \"%s\"; want one of: ", axis->name);
  for (size_t i = 0; i < axis->length && i < SHOWN; i++) {
    cs_text_add(&wrong, "%s", i ? ", " : "");
    cs_axis_add_value(axis, i, &wrong);
  }
  cs_text_add(&wrong, "%s", axis->length > SHOWN ? ", ..." : "");
  return cs_json_fail_text(json, node, false, &wrong, error);
}

/* Marks the values of the axis that equal the one in `node`. */
static int read_condition(const struct cs_json *json, const struct cs_node *node, const struct cs_axis *axis,
                          struct cs_skip_condition *condition, struct cs_error *error) {
  int code = cs_json_want(json, node, axis->labels != NULL ? CS_STRING : CS_NUMBER, error);
  if (code != CS_OK) return code;
  condition->match = calloc(axis->length, sizeof *condition->match);
  if (condition->match == NULL) return cs_error_memory(error);
  bool any = false;
  for (size_t i = 0; i < axis->length; i++) {
    bool equal = axis->labels != NULL ? strcmp(axis->labels[i], cs_json_string(node)) == 0
                                      : axis->values[i] == cs_json_number(node);
    condition->match[i] = equal;
    any = any || equal;
  }
  return any ? CS_OK : fail_value(json, node, axis, error);
}

static int read_skip(const struct cs_json *json, const struct cs_node *node, const struct cs_axis *axes, size_t count,
                     struct cs_skip *skip, struct cs_error *error) {
  int code = cs_json_want(json, node, CS_OBJECT, error);
  if (code == CS_OK && cs_json_length(node) == 0)
    code = cs_json_fail(json, node, error, "found an empty object, which would skip every run; want at least one axis");
  if (code != CS_OK) return code;
  skip->condition = calloc(cs_json_length(node), sizeof *skip->condition);
  if (skip->condition == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < cs_json_length(node) && code == CS_OK; i++) {
    const struct cs_node *member = cs_json_at(node, i);
    size_t a = 0;
    while (a < count && strcmp(axes[a].name, cs_json_key(member)) != 0)
      a++;
    if (a == count) return fail_axis(json, member, axes, count, error);
    skip->condition[i] =
        (struct cs_skip_condition){.axis = a, .stride = cs_axis_stride(axes, count, a), .length = axes[a].length};
    skip->conditions = i + 1;
    code = read_condition(json, member, &axes[a], &skip->condition[i], error);
  }
  return code;
}

int cs_skips_read(const struct cs_json *json, const struct cs_node *list, const struct cs_axis *axes, size_t count,
                  struct cs_skips *skips, struct cs_error *error) {
  int code = list != NULL ? cs_json_want(json, list, CS_LIST, error) : CS_OK;
  if (code != CS_OK || list == NULL || cs_json_length(list) == 0) return code;
  skips->skip = calloc(cs_json_length(list), sizeof *skips->skip);
  if (skips->skip == NULL) return cs_error_memory(error);
  skips->count = cs_json_length(list);
  for (size_t i = 0; i < skips->count && cs_json_goes_on(json, code); i++)
    code = cs_json_also(json, code, read_skip(json, cs_json_at(list, i), axes, count, &skips->skip[i], error), error);
  return code;
}
