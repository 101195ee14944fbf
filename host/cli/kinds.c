#include "kinds.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "json.h"

enum kind { OTHER, RESULT, SWEEP, MODEL };

/* Of a JSON file, by its "format". */
static enum kind kind_of_json(const char *path) {
  struct cs_json *json = NULL;
  enum kind kind = OTHER;
  if (cs_json_load(path, &json, NULL) == CS_OK && cs_json_need_format(json, cs_json_root(json), "sweep", NULL) == CS_OK)
    kind = SWEEP;
  else if (json != NULL && cs_json_need_format(json, cs_json_root(json), "model", NULL) == CS_OK)
    kind = MODEL;
  cs_json_free(json);
  return kind;
}

static enum kind kind_of(const char *path) {
  static const char hdf5[] = "\x89HDF\r\n\x1a\n";
  char begin[sizeof hdf5] = "";
  struct stat found;
  if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) return OTHER;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return OTHER;
  const size_t length = fread(begin, 1, sizeof hdf5 - 1, file);
  fclose(file);
  if (length == sizeof hdf5 - 1 && memcmp(begin, hdf5, length) == 0) return RESULT;
  return begin[strspn(begin, " \t\r\n")] == '{' ? kind_of_json(path) : OTHER;
}

int cs_kinds_check(const struct cs_command *command, const struct cs_arguments *arguments, struct cs_error *error) {
  const char *name = command->operand.name;
  const bool result = name != NULL && strcmp(name, "FILE.h5") == 0, sweep = name != NULL && strcmp(name, "SWEEP") == 0;
  const bool model = name != NULL && strcmp(name, "MODEL") == 0;
  for (size_t i = 0; i < arguments->operands && (result || sweep || model); i++) {
    const char *path = arguments->operand[i];
    const enum kind kind = kind_of(path);
    if (result && kind == SWEEP)
      return cs_error_set(error, CS_IO, "%s: is a sweep; %s takes its result: cosweep run %s", path, command->name,
                          path);
    if (result && kind == MODEL)
      return cs_error_set(error, CS_IO, "%s: is a model; %s takes the result of a sweep", path, command->name);
    if (sweep && (kind == RESULT || kind == MODEL))
      return cs_error_set(error, CS_INPUT, "%s: is a %s; %s takes a sweep", path, kind == MODEL ? "model" : "result",
                          command->name);
    if (model && kind == SWEEP)
      return cs_error_set(error, CS_INPUT, "%s: is a sweep; %s takes a model, whose settings go into --set", path,
                          command->name);
    if (model && kind == RESULT)
      return cs_error_set(error, CS_INPUT, "%s: is a result; %s takes a model", path, command->name);
  }
  return CS_OK;
}
