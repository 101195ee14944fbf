#include "words.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void cs_words_add_word(struct cs_text *text, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  cs_text_add(text, " ");
  if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
    cs_text_add(text, "%s", word);
    return;
  }
  cs_text_add(text, "'");
  for (; *word != '\0'; word++)
    cs_text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
  cs_text_add(text, "'");
}

/* ---- numbers */

void cs_words_add_count(struct cs_text *text, double count) {
  char digits[32];
  if (!(count < 1e15)) {
    cs_text_add(text, "%.2g", count);
    return;
  }
  const int length = snprintf(digits, sizeof digits, "%.0f", floor(count));
  for (int i = 0; i < length; i++)
    cs_text_add(text, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

void cs_words_add_number(struct cs_text *text, size_t count, const char *one) {
  cs_text_add(text, "%zu %s%s", count, one, count == 1 ? "" : "s");
}

void cs_words_add_bytes(struct cs_text *text, double bytes) {
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
  size_t i = 0;
  for (; bytes >= 1000.0 && i + 1 < sizeof unit / sizeof *unit; i++)
    bytes /= 1000.0;
  cs_text_add(text, i == 0 || bytes >= 100.0 ? "%.0f %s" : "%.1f %s", bytes, unit[i]);
}

void cs_words_add_duration(struct cs_text *text, double seconds) {
  if (seconds < 0.1)
    cs_text_add(text, "%.3g ms", 1e3 * seconds);
  else if (seconds < 60.0)
    cs_text_add(text, "%.3g s", seconds);
  else if (seconds < 3600.0)
    cs_text_add(text, "%.0f min %.0f s", floor(seconds / 60.0), floor(fmod(seconds, 60.0)));
  else
    cs_text_add(text, "%.0f h %.0f min", floor(seconds / 3600.0), floor(fmod(seconds, 3600.0) / 60.0));
}

/* ---- texts */

static size_t columns_of(const char *word, size_t bytes) {
  size_t columns = 0;
  for (size_t i = 0; i < bytes; i++)
    columns += ((unsigned char)word[i] & 0xc0) != 0x80;
  return columns;
}

void cs_words_add_paragraph(struct cs_text *text, int indent, const char *words) {
  enum { WIDEST = 79 };
  size_t used = 0;
  words += strspn(words, " \n\t");
  while (*words != '\0') {
    const size_t bytes = strcspn(words, " \n\t"), columns = columns_of(words, bytes);
    if (used > 0 && used + 1 + columns > WIDEST) {
      cs_text_add(text, "\n");
      used = 0;
    }
    cs_text_add(text, "%*s%.*s", used == 0 ? indent : 1, "", (int)bytes, words);
    used += (used == 0 ? (size_t)indent : 1) + columns;
    words += bytes + strspn(words + bytes, " \n\t");
  }
  if (used > 0) cs_text_add(text, "\n");
}

/* ---- axes */

/* Appends all labels or numbers; appends nothing and returns false if they are too long. */
static bool list_values(struct cs_text *what, size_t length, const double *values, char *const *labels) {
  enum { MOST = 8, ROOM = 44 };
  const size_t start = what->length;
  if (length > MOST) return false;
  for (size_t i = 0; i < length; i++)
    if (labels != NULL)
      cs_text_add(what, "%s%s", i > 0 ? ", " : "", labels[i]);
    else
      cs_text_add(what, "%s%.6g", i > 0 ? ", " : "", values[i]);
  if (what->length - start <= ROOM) return true;
  what->length = start;
  return false;
}

void cs_words_add_axis(struct cs_text *text, int width, const char *name, size_t length, const double *values,
                       char *const *labels, const char *unit, const char *long_name) {
  struct cs_text what = {0};
  if (!list_values(&what, length, values, labels) && length > 0) {
    cs_text_free(&what);
    if (labels != NULL)
      cs_text_add(&what, "%s ... %s", labels[0], labels[length - 1]);
    else
      cs_text_add(&what, "%.6g ... %.6g", values[0], values[length - 1]);
  }
  if (unit != NULL && unit[0] != '\0' && strcmp(unit, "1") != 0) cs_text_add(&what, " %s", unit);
  cs_text_add(text, "  %-*s %6zu  ", width, name, length);
  cs_text_add_line(text, cs_text_string(&what));
  const size_t used = (size_t)width + 11 + what.length;
  if (long_name != NULL && strcmp(long_name, name) != 0 && used + 2 + strlen(long_name) <= 79)
    cs_text_add(text, "  "), cs_text_add_line(text, long_name);
  cs_text_add(text, "\n");
  text->failed |= what.failed;
  cs_text_free(&what);
}
