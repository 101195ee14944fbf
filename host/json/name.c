#include "name.h"

#include <string.h>

enum { SHOWN = 24 }; /* characters shown of a name that is too long */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

int cs_name_check(const struct cs_json *json, const struct cs_node *node, bool key, const char *name,
                  struct cs_error *error) {
  const size_t length = strlen(name);
  struct cs_text wrong = {0};
  if (strspn(name, LETTERS) == 0 || name[strspn(name, LETTERS "0123456789_")] != '\0')
    cs_text_add(&wrong, "\"%s\" is not a name; want a letter followed by letters, digits or _", name);
  else if (length > CS_NAME_MOST)
    cs_text_add(&wrong, "\"%.*s...\" has %zu characters; want at most %d", SHOWN, name, length, CS_NAME_MOST);
  else
    return CS_OK;
  return cs_json_fail_text(json, node, key, &wrong, error);
}
