/* The run of a trace in words. */
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "json.h"

/* The entry of an axis in the sweep; NULL if there is none with `zip`. */
static const struct cs_node *find_zip(const struct cs_json *sweep, const char *name, size_t length) {
  const struct cs_node *axes = cs_json_get(cs_json_root(sweep), "axes");
  for (size_t i = 0; axes != NULL && i < cs_json_length(axes); i++) {
    const struct cs_node *said = cs_json_get(cs_json_at(axes, i), "name");
    if (said == NULL || cs_json_kind(said) != CS_STRING || strlen(cs_json_string(said)) != length ||
        memcmp(cs_json_string(said), name, length) != 0)
      continue;
    const struct cs_node *zip = cs_json_get(cs_json_at(axes, i), "zip");
    return zip != NULL && cs_json_kind(zip) == CS_OBJECT ? zip : NULL;
  }
  return NULL;
}

static bool add_value(const struct cs_node *value, struct cs_text *text) {
  const struct cs_node *label = cs_json_kind(value) == CS_OBJECT ? cs_json_get(value, "label") : value;
  if (label != NULL && cs_json_kind(label) == CS_STRING)
    cs_text_add(text, "%s", cs_json_string(label));
  else if (label != NULL && cs_json_kind(label) == CS_NUMBER)
    cs_text_add(text, "%.4g", cs_json_number(label));
  else
    return false;
  return true;
}

/* "size=0.002, tolerance=0.003" for position `at` of the settings; false if one of them cannot be named. */
static bool add_settings(const struct cs_node *zip, size_t at, struct cs_text *text) {
  const size_t settings = cs_json_length(zip);
  for (size_t i = 0; i < settings; i++) {
    const struct cs_node *list = cs_json_at(zip, i);
    const char *path = cs_json_key(list), *dot = strrchr(path, '.');
    if (cs_json_kind(list) != CS_LIST || at >= cs_json_length(list)) return false;
    cs_text_add(text, "%s%s=", i > 0 ? ", " : "", dot != NULL ? dot + 1 : path);
    if (!add_value(cs_json_at(list, at), text)) return false;
  }
  return settings > 0;
}

/* One "axis=value". */
static void add_part(const struct cs_json *sweep, const char *part, size_t length, struct cs_text *text) {
  const char *equal = memchr(part, '=', length);
  const struct cs_node *zip = equal != NULL && sweep != NULL ? find_zip(sweep, part, (size_t)(equal - part)) : NULL;
  struct cs_text settings = {0};
  char *end = NULL;
  const unsigned long at = zip != NULL ? strtoul(equal + 1, &end, 10) : 0;
  if (zip != NULL && end == part + length && end != equal + 1 && add_settings(zip, at, &settings))
    cs_text_add(text, "%s", cs_text_string(&settings));
  else
    cs_text_append(text, part, length);
  text->failed = text->failed || settings.failed;
  cs_text_free(&settings);
}

void cs_digest_add_trace_place(const struct cs_table *table, struct cs_text *text) {
  const char *at = cs_table_text(table, "at"), *note = cs_table_text(table, "sweep");
  struct cs_json *sweep = NULL;
  struct cs_error ignored;
  cs_text_append(text, "", 0);
  if (at == NULL) return;
  if (note != NULL && cs_json_parse("provenance/sweep", note, strlen(note), &sweep, &ignored) != CS_OK)
    sweep = NULL; /* the axes' own values are said then */
  for (const char *place = at; *place != '\0';) {
    const char *comma = strstr(place, ", ");
    const size_t length = comma != NULL ? (size_t)(comma - place) : strlen(place);
    add_part(sweep, place, length, text);
    if (comma != NULL) cs_text_add(text, ", ");
    place += length + (comma != NULL ? 2 : 0);
  }
  cs_json_free(sweep);
}
