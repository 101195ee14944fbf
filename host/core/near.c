#include "near.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST = 127, FAR = 1000 };

static size_t least_of(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Edit distance of two words of at most LONGEST bytes; two letters that changed places count as one. */
static size_t distance(const char *a, size_t m, const char *b, size_t n) {
  size_t row[3][LONGEST + 1];
  for (size_t j = 0; j <= n; j++)
    row[0][j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t *here = row[i % 3];
    const size_t *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    here[0] = i;
    for (size_t j = 1; j <= n; j++) {
      here[j] = least_of(above[j - 1] + (a[i - 1] != b[j - 1]), 1 + least_of(above[j], here[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        here[j] = least_of(here[j], before[j - 2] + 1);
    }
  }
  return row[m % 3][n];
}

/* Length of what follows the last '.' of a word. */
static size_t last_part(const char *word, size_t length) {
  size_t part = 0;
  while (part < length && word[length - part - 1] != '.')
    part++;
  return part;
}

/* How far `item` is from what `word` says; FAR if that is too much. */
static size_t far_from(const char *word, const char *item, size_t length) {
  const size_t letters = strlen(word);
  if (letters == 0 || letters > LONGEST || length > LONGEST) return FAR;
  if (length > letters && memcmp(item + length - letters, word, letters) == 0 &&
      strchr("._", item[length - letters - 1]) != NULL)
    return 1;
  const size_t mine = last_part(word, letters), other = last_part(item, length);
  const size_t whole = distance(word, letters, item, length);
  const size_t last = distance(word + letters - mine, mine, item + length - other, other);
  return whole <= (mine + 2) / 3 && last < mine ? whole : FAR; /* one letter alone is no typing error */
}

const char *cs_near_find(const char *word, const char *const *list, size_t count) {
  const char *best = NULL;
  size_t least = FAR;
  for (size_t i = 0; i < count; i++) {
    const size_t here = far_from(word, list[i], strlen(list[i]));
    if (here < least) {
      least = here;
      best = list[i];
    }
  }
  return best;
}

/* Whether an item of a list is a name and not a description such as "or a list". */
static bool is_name(const char *item, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (strchr(" \"<>{}", item[i]) != NULL) return false;
  return length > 0;
}

/* The last place of `part` in `text`, or NULL. */
static char *last_of(char *text, const char *part) {
  char *found = NULL;
  for (char *at = text; (at = strstr(at, part)) != NULL; at++)
    found = at;
  return found;
}

/* Whether a part of a name, between two '_', is one of another one too: of three letters or more. */
static bool shares_part(const char *name, const char *item, size_t length) {
  enum { LEAST = 3 };
  for (const char *part = name; *part != '\0';) {
    const size_t letters = strcspn(part, "_");
    for (size_t i = 0; letters >= LEAST && i + letters <= length; i++)
      if (memcmp(item + i, part, letters) == 0 && (i == 0 || item[i - 1] == '_') &&
          (i + letters == length || item[i + letters] == '_'))
        return true;
    part += letters + (part[letters] != '\0');
  }
  return false;
}

/* Of a list those that are like a word, "growth_max, step_max, and 21 others": by a part of its name, else by the path
 * before that. Appends nothing if none is. */
static void add_like(const char *list, const char *word, bool by_path, struct cs_text *text) {
  const size_t letters = strlen(word), path = letters - last_part(word, letters);
  size_t others = 0, like = 0;
  for (const char *item = list, *end; *item != '\0'; item = *end != '\0' ? end + 2 : end) {
    end = strstr(item, ", ");
    end = end != NULL ? end : item + strlen(item);
    const size_t length = (size_t)(end - item), own = last_part(item, length);
    const bool chosen = !is_name(item, length) ? false
                        : by_path              ? path > 0 && length > path && memcmp(item, word, path) == 0
                                               : shares_part(word + path, end - own, own);
    if (chosen) cs_text_add(text, "%s%.*s", like > 0 ? ", " : "", (int)length, item);
    like += chosen;
    others += !chosen;
  }
  if (like > 0 && others > 0) cs_text_add(text, ", and %zu others", others);
  if (like == 0 && !by_path) add_like(list, word, true, text);
}

/* The message up to `place`, and what follows in place of the rest. */
static void replace_rest(struct cs_text *message, const char *place, struct cs_text *rest) {
  struct cs_text told = {0};
  cs_text_append(&told, message->data, (size_t)(place - message->data));
  cs_text_add(&told, "%s", cs_text_string(rest));
  told.failed |= rest->failed;
  cs_text_free(rest);
  cs_text_free(message);
  *message = told;
}

void cs_near_suggest(struct cs_text *message, const char *word) {
  enum { SHORT = 12, SURE = 3 }; /* items; letters, of a word that is hardly mistaken for another one */
  static const char begin[] = "one of: ";
  char *const want = message->failed || message->data == NULL ? NULL : last_of(message->data, "; want ");
  const char *list = want != NULL ? strstr(want, begin) : NULL, *best = NULL;
  size_t items = 0, least = FAR, chosen = 0;
  if (list == NULL) return;
  for (const char *item = list + strlen(begin), *end; *item != '\0'; item = *end != '\0' ? end + 2 : end) {
    end = strstr(item, ", ");
    end = end != NULL ? end : item + strlen(item);
    const size_t length = (size_t)(end - item), here = is_name(item, length) ? far_from(word, item, length) : FAR;
    items++;
    if (here == 0) return; /* known: something else is wrong */
    if (here >= least) continue;
    least = here;
    best = item;
    chosen = length;
  }
  struct cs_text rest = {0};
  if (best == NULL && items > SHORT) {
    add_like(list + strlen(begin), word, false, &rest);
    if (rest.length > 0) replace_rest(message, list + strlen(begin), &rest);
  } else if (best != NULL) {
    cs_text_add(&rest, "; did you mean \"%.*s\"?", (int)chosen, best);
    if (items <= SHORT || strlen(word) < SURE) cs_text_add(&rest, "%s", want + 1);
    replace_rest(message, want, &rest);
  }
}
