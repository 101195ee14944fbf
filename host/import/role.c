#include "role.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "ascii.h"

static struct cs_role find_read(const char *name) {
  if (strcmp(name, "connections") == 0) return (struct cs_role){CS_ROLE_CONNECTIONS, 0};
  for (int p = 0; p < CS_DRAFT_PARTS; p++)
    if (strcmp(strcmp(name, "X0") == 0 ? "x0" : name, cs_draft_part_name(p)) == 0)
      return (struct cs_role){CS_ROLE_PART, p};
  for (int s = 0; s < CS_DRAFT_SIDES; s++) {
    if (strcmp(name, cs_draft_names_key(s, false)) == 0) return (struct cs_role){CS_ROLE_NAMES, s};
    if (strcmp(name, cs_draft_names_key(s, true)) == 0) return (struct cs_role){CS_ROLE_UNITS, s};
  }
  if (name[0] >= 'a' && name[0] <= 'd' && name[1] == '\0')
    return (struct cs_role){CS_ROLE_SMALL, CS_DRAFT_A + (name[0] - 'a')};
  return (struct cs_role){CS_ROLE_NONE, 0};
}

/* Rows of the table: a pattern and a word. */
static enum cs_role_kind find_refused(const char *name) {
  static const struct {
    const char *word;
    enum cs_role_kind kind;
  } kinds[] = {{"sampling", CS_ROLE_SAMPLING}, {"delay", CS_ROLE_DELAY}, {"time-unit", CS_ROLE_TIME_UNIT}};
  char plain[64], pattern[64], word[64];
  size_t length = 0;
  for (; *name != '\0' && length + 1 < sizeof plain; name++)
    if (*name != '_' && *name != ' ') plain[length++] = (char)(cs_ascii_is_letter(*name) ? *name | 0x20 : *name);
  plain[length] = '\0';
  for (const char *row = cs_role_carried("meanings.txt"); *row != '\0'; row += strcspn(row, "\n"), row += *row == '\n')
    if (sscanf(row, "%63s %63s", pattern, word) == 2 && fnmatch(pattern, plain, 0) == 0)
      for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, kinds[i].word) == 0) return kinds[i].kind;
  return CS_ROLE_NONE;
}

struct cs_role cs_role_of(const char *name) {
  struct cs_role role = find_read(name);
  if (role.kind == CS_ROLE_NONE) role.kind = find_refused(name);
  return role;
}
