#include "source.h"

#include <stdbool.h>
#include <string.h>

void cs_source_locate(const char *sweep, const char *given, struct cs_text *path) {
  const char *slash = strrchr(sweep, '/');
  if (slash != NULL && given[0] != '/') cs_text_append(path, sweep, (size_t)(slash - sweep) + 1);
  cs_text_add(path, "%s", given);
}

static bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The end of the comment or literal that begins at `at`, or of the text if unterminated; `at` if none begins. */
static const char *behind(const char *at) {
  const char *end = at;
  if (at[0] == '/' && at[1] == '*')
    end = strstr(at + 2, "*/");
  else if (at[0] == '/' && at[1] == '/')
    return at + strcspn(at, "\n");
  else if (at[0] == '"' || at[0] == '\'') {
    const char quote = *at++;
    while (*at != quote && *at != '\n' && *at != '\0')
      at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    return at + (*at == quote);
  }
  return end == NULL ? at + strlen(at) : end == at ? at : end + 2;
}

const char *cs_source_word(const char *at, size_t *length) {
  while (*at != '\0' && !in_word(*at)) {
    const char *next = behind(at);
    at = next == at ? at + 1 : next;
  }
  for (*length = 0; in_word(at[*length]);)
    (*length)++;
  return *length > 0 ? at : NULL;
}

size_t cs_source_count(const char *text, const char *word, size_t length) {
  size_t found, count = 0;
  for (const char *at = cs_source_word(text, &found); at != NULL; at = cs_source_word(at + found, &found))
    count += found == length && strncmp(at, word, length) == 0;
  return count;
}

size_t cs_source_open_comment(const char *text) {
  const char *at = text;
  while (*at != '\0' && !(at[0] == '/' && at[1] == '*' && strstr(at + 2, "*/") == NULL)) {
    const char *next = behind(at);
    at = next == at ? at + 1 : next;
  }
  if (*at == '\0') return 0;
  size_t line = 1;
  for (const char *c = text; c < at; c++)
    line += *c == '\n';
  return line;
}
