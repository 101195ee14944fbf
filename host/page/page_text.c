/* Lines of text on the page, with the room that they take. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "letters.h"
#include "list.h"
#include "page_private.h"

enum { MOST_LINES = 40 };

double cs_page_line(const struct cs_page *page, enum cs_font font) {
  return ceil(1.3 * page->font[font]);
}

bool cs_page_overlap(const struct cs_box *a, const struct cs_box *b) {
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height && b->y < a->y + a->height;
}

bool cs_page_add(const struct cs_page *page, struct cs_page_list *list, enum cs_font font, enum cs_anchor anchor,
                 bool upwards, double x, double y, const char *string) {
  if (!cs_list_reserve(&list->text, list->texts + 1, sizeof *list->text)) return false;
  struct cs_page_text *text = &list->text[list->texts++];
  *text = (struct cs_page_text){.font = font, .anchor = anchor, .upwards = upwards, .x = x, .y = y};
  cs_text_append(&text->line, "", 0);
  cs_letters_add_plain(&text->line, string, strlen(string), list == &page->list ? CS_LETTERS_LINE : CS_LETTERS_MOST);
  if (text->line.failed) return false;
  const double width = cs_letters_width(text->line.data, text->line.length, page->font[font]);
  const double high = 1.15 * page->font[font];
  const double before = anchor == CS_ANCHOR_LEFT ? 0.0 : anchor == CS_ANCHOR_CENTRE ? 0.5 * width : width;
  text->box = upwards ? (struct cs_box){x - 0.5 * high, y - width + before, high, width}
                      : (struct cs_box){x - before, y - 0.5 * high, width, high};
  return true;
}

/* Labels are single lines of what can be shown; titles and notes, of any number of lines, may have several. */
static bool make_plain(const char *string, size_t most, struct cs_text *plain) {
  cs_text_append(plain, "", 0);
  if (most == SIZE_MAX)
    cs_text_add(plain, "%s", string);
  else
    cs_letters_add_plain(plain, string, strlen(string), CS_LETTERS_MOST);
  return !plain->failed;
}

size_t cs_page_count(const struct cs_page *page, enum cs_font font, const char *string, double width, size_t most) {
  struct cs_text plain = {0};
  size_t lines = 0;
  if (!make_plain(string, most, &plain))
    *page->unmeasured = true;
  else
    for (const char *rest = plain.data; *rest != '\0' && lines < most && lines < MOST_LINES; lines++) {
      rest += cs_letters_line(rest, page->font[font], width);
      rest += cs_letters_skip(rest);
    }
  cs_text_free(&plain);
  return lines;
}

bool cs_page_add_lines(const struct cs_page *page, struct cs_page_list *list, enum cs_font font, enum cs_anchor anchor,
                       bool upwards, double x, double y, const char *string, double width, size_t most) {
  struct cs_text line[MOST_LINES] = {0}, plain = {0};
  const double pitch = cs_page_line(page, font);
  bool good = make_plain(string, most, &plain);
  const size_t lines =
      !good ? 0 : cs_letters_wrap(plain.data, page->font[font], width, most < MOST_LINES ? most : MOST_LINES, line);
  for (size_t i = 0; i < lines; i++) {
    const double along = (double)i * pitch;
    good = good && !line[i].failed &&
           cs_page_add(page, list, font, anchor, upwards, upwards ? x + along : x, upwards ? y : y + along,
                       cs_text_string(&line[i]));
    cs_text_free(&line[i]);
  }
  cs_text_free(&plain);
  return good;
}
