#include "near.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST = 127, FAR = 1000 };

/* Edit distance of two words of at most LONGEST bytes. */
static size_t distance(const char *a, size_t m, const char *b, size_t n) {
  size_t row[LONGEST + 1];
  for (size_t j = 0; j <= n; j++)
    row[j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      const size_t shorter = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
      diagonal = row[j];
      row[j] = replaced < shorter ? replaced : shorter;
    }
  }
  return row[n];
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
    if (here >= least) continue;
    least = here;
    best = item;
    chosen = length;
  }
  if (best == NULL) return;
  struct cs_text told = {0};
  cs_text_append(&told, message->data, (size_t)(want - message->data));
  cs_text_add(&told, "; did you mean \"%.*s\"?", (int)chosen, best);
  if (items <= SHORT || strlen(word) < SURE) cs_text_add(&told, "%s", want + 1);
  cs_text_free(message);
  *message = told;
}
