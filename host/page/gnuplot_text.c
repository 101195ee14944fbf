/* Strings of gnuplot scripts. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "gnuplot_private.h"
#include "letters.h"

/* Between double quotes gnuplot obeys backslashes, and runs what is between backquotes: whatever is not a letter or
 * blank is written as its octal number there, digits too, which would prolong the number before them. */
static void add_octal(struct cs_text *text, const char *line) {
  cs_text_add(text, "\"");
  for (; *line != '\0'; line++) {
    const unsigned char c = (unsigned char)*line;
    if (c == ' ' || c >= 0x80 || isalpha(c))
      cs_text_append(text, line, 1);
    else
      cs_text_add(text, "\\%03o", (unsigned)c);
  }
  cs_text_add(text, "\"");
}

/* Between single quotes nothing is special but single quotes themselves, and two of them side by side are not read as
 * they should be. */
void cs_gnuplot_add_string(struct cs_text *text, const char *string, size_t most) {
  struct cs_text line = {0};
  cs_text_append(&line, "", 0);
  cs_letters_add_plain(&line, string, strlen(string), most);
  text->failed |= line.failed;
  if (line.failed || strchr(line.data, '\'') != NULL)
    add_octal(text, cs_text_string(&line));
  else
    cs_text_add(text, "'%s'", line.data);
  cs_text_free(&line);
}

void cs_gnuplot_add_path(struct cs_text *text, const char *path) {
  bool plain = true;
  for (const char *c = path; *c != '\0'; c++)
    plain = plain && *c != '\'' && (unsigned char)*c >= 0x20;
  if (plain)
    cs_text_add(text, "'%s'", path);
  else
    add_octal(text, path);
}
