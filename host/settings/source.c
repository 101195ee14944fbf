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

static size_t line_of(const char *text, const char *at) {
  size_t line = 1;
  for (const char *c = text; c < at; c++)
    line += *c == '\n';
  return line;
}

size_t cs_source_open_comment(const char *text) {
  const char *at = text;
  while (*at != '\0' && !(at[0] == '/' && at[1] == '*' && strstr(at + 2, "*/") == NULL)) {
    const char *next = behind(at);
    at = next == at ? at + 1 : next;
  }
  return *at != '\0' ? line_of(text, at) : 0;
}

/* ---- beyond the text --------------------------------------------------------------------------------------------- */

/* The text with lines joined that a backslash continues, also with blanks behind it, and every end of a line as \n. The
 * ends that go stand behind the joined line, so that those that follow keep their numbers. */
static void join_lines(const char *text, struct cs_text *joined) {
  size_t gone = 0;
  cs_text_add(joined, "%s", "");
  while (*text != '\0') {
    const size_t plain = strcspn(text, "\\\r\n");
    cs_text_append(joined, text, plain);
    text += plain;
    const size_t behind_backslash = *text == '\\' ? 1 + strspn(text + 1, " \t\f\v") : 0;
    const char *end = text + behind_backslash;
    if (*end != '\r' && *end != '\n') {
      cs_text_append(joined, text, *text != '\0');
      text += *text != '\0';
      continue;
    }
    text = end + (end[0] == '\r' && end[1] == '\n' ? 2 : 1);
    gone++;
    for (; gone > 0 && behind_backslash == 0; gone--)
      cs_text_append(joined, "\n", 1);
  }
}

static bool is_in(const char *const *list, const char *word, size_t length) {
  while (*list != NULL && (strncmp(*list, word, length) != 0 || (*list)[length] != '\0'))
    list++;
  return *list != NULL;
}

/* Bytes of a "#" that begins a directive, or joins two words where there are two. */
static size_t hash_at(const char *at) {
  return at[0] == '#' ? 1 : at[0] == '%' && at[1] == ':' ? 2 : 0;
}

/* Not what ends a line. Compilers take some characters beyond ASCII for blanks. */
static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\f' || c == '\v' || (unsigned char)c >= 0x80u;
}

static const char *behind_blanks(const char *at) {
  while (is_blank(*at) || (at[0] == '/' && behind(at) != at))
    at = is_blank(*at) ? at + 1 : behind(at);
  return at;
}

static size_t word_at(const char *at) {
  size_t length = 0;
  while (in_word(at[length]))
    length++;
  return length;
}

/* Whether the directive whose name is at `at` reads a file, or asks for one; #error and #warning are quoted to the end
 * of their line, whatever that has of comments: *end. */
static bool reads_file(const char *at, const char **end) {
  static const char *const reads[] = {"include", "include_next", "import", "embed", "__include_macros", NULL};
  static const char *const quotes[] = {"error", "warning", NULL}, *const asks[] = {"dependency", "module", NULL};
  const size_t length = word_at(at);
  *end = at + length;
  if (is_in(quotes, at, length)) *end += strcspn(*end, "\n");
  if (length != strlen("pragma") || strncmp(at, "pragma", length) != 0) return is_in(reads, at, length);
  size_t found = 0;
  const char *const line_end = at + strcspn(at, "\n"), *word = at;
  while ((word = cs_source_word(word + found, &found)) != NULL && word < line_end)
    if (is_in(asks, word, found)) return true;
  return false;
}

/* Names of what is not in the text. */
static const char *const beyond[] = {"__has_include", "__has_include_next", "__has_embed", "__TIME__",
                                     "__DATE__",      "__TIMESTAMP__",      "__FILE__",    "__BASE_FILE__",
                                     "_Pragma",       "__builtin_FILE",     NULL};

/* Whether ## can make one of the names of this word. */
static bool begins_name(const char *word, size_t length) {
  size_t i = 0;
  while (beyond[i] != NULL && strncmp(beyond[i], word, length) != 0)
    i++;
  return beyond[i] != NULL;
}

/* What is found, and where; NULL. */
static const char *find_beyond(const char *text, struct cs_text *found) {
  const char *begins = NULL, *joins = NULL, *next; /* a word that begins a name; ## */
  bool first = true;                               /* nothing stands before on the line */
  for (const char *at = text; *at != '\0'; at = next) {
    const size_t hash = hash_at(at), length = word_at(at);
    next = behind(at);
    if (next != at) {
      first = first && *at == '/';
    } else if (*at == '\n' || is_blank(*at)) {
      first = first || *at == '\n';
      next = at + 1;
    } else if (hash > 0 && first) {
      const char *name = behind_blanks(at + hash);
      if (reads_file(name, &next)) {
        cs_text_add(found, "#%.*s", (int)word_at(name), name);
        return at;
      }
      first = false;
    } else {
      if (hash > 0 && hash_at(at + hash) > 0) joins = at;
      if (length > 0 && begins_name(at, length)) begins = at;
      if (is_in(beyond, at, length)) {
        cs_text_add(found, "%.*s", (int)length, at);
        return at;
      }
      first = false;
      next = at + (length > 0 ? length : hash > 0 ? hash : 1);
    }
  }
  if (begins == NULL || joins == NULL) return NULL;
  cs_text_add(found, "## beside %.*s", (int)word_at(begins), begins);
  return joins;
}

size_t cs_source_beyond(const char *text, struct cs_text *found) {
  /* some compilers read these as # \ ^ */
  static const char *const trigraphs[] = {"\?\?=", "\?\?/", "\?\?'"};
  struct cs_text joined = {0};
  join_lines(text, &joined);
  const char *at = NULL;
  for (size_t i = 0; at == NULL && i < sizeof trigraphs / sizeof *trigraphs; i++) {
    at = strstr(cs_text_string(&joined), trigraphs[i]);
    if (at != NULL) cs_text_add(found, "%s", trigraphs[i]);
  }
  if (at == NULL) at = find_beyond(cs_text_string(&joined), found);
  const size_t line = at != NULL ? line_of(joined.data, at) : 0;
  found->failed |= joined.failed;
  cs_text_free(&joined);
  return line;
}
