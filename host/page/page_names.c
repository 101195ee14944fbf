/* Names along an axis, in lines that fit between ticks or upwards. */
#include <math.h>
#include <string.h>

#include "letters.h"
#include "page_private.h"

enum { TICK_LINES = 3 };

/* How the names along an axis are written: in lines that fit between ticks, or upwards; each, or only some. */
struct names {
  bool upwards;
  size_t every;
  double width, depth;
};

static struct names arrange_names(const struct cs_page *page, const struct cs_figure_axis *axis, double wide) {
  const double longest = 130.0, pitch = cs_page_line(page, CS_FONT_SMALL), apart = wide / (double)axis->ticks;
  struct names names = {.every = 1, .width = apart - 6.0};
  size_t lines = 1;
  for (size_t i = 0; i < axis->ticks && !names.upwards; i++) {
    const char *rest = axis->tick[i];
    size_t count = 0;
    for (; *rest != '\0' && !names.upwards; count++) {
      const size_t length = cs_letters_line(rest, page->font[CS_FONT_SMALL], names.width);
      const size_t skip = cs_letters_skip(rest + length);
      names.upwards = rest[length] != '\0' && skip == 0; /* a word would be broken */
      names.upwards |= cs_letters_width(rest, length, page->font[CS_FONT_SMALL]) > names.width;
      rest += length + skip;
    }
    names.upwards |= count > TICK_LINES;
    if (count > lines) lines = count;
  }
  names.depth = pitch * (double)lines;
  if (!names.upwards) return names;
  names.width = 0.0;
  for (size_t i = 0; i < axis->ticks; i++)
    names.width = fmax(names.width, cs_letters_width(axis->tick[i], strlen(axis->tick[i]), page->font[CS_FONT_SMALL]));
  names.width = fmin(names.width + 0.5, longest);
  names.depth = names.width;
  while (apart * (double)names.every < pitch)
    names.every++;
  return names;
}

double cs_page_names_depth(const struct cs_page *page, const struct cs_figure_axis *axis, double wide) {
  return arrange_names(page, axis, wide).depth;
}

bool cs_page_add_names(const struct cs_page *page, struct cs_page_panel *place, const struct cs_figure_axis *axis) {
  const struct names names = arrange_names(page, axis, place->area.width);
  const double y = place->area.y + place->area.height + CS_PAGE_TICK_GAP,
               half = 0.5 * cs_page_line(page, CS_FONT_SMALL);
  bool good = true;
  for (size_t i = 0; i < axis->ticks && good; i += names.every) {
    const double x = place->area.x + place->area.width * cs_page_part(axis, (double)i);
    good = names.upwards ? cs_page_add_lines(page, &place->list, CS_FONT_SMALL, CS_ANCHOR_RIGHT, true, x, y,
                                             axis->tick[i], names.width, 1)
                         : cs_page_add_lines(page, &place->list, CS_FONT_SMALL, CS_ANCHOR_CENTRE, false, x,
                                             y + half - 2.0, axis->tick[i], names.width, TICK_LINES);
  }
  return good;
}
