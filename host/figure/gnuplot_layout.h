/* Where the parts of a figure stand on its page: panels, legends, title and notes. */
#ifndef COSWEEP_GNUPLOT_LAYOUT_H
#define COSWEEP_GNUPLOT_LAYOUT_H

#include "figure.h"

/* Lengths in pixels of the SVG, which the other formats scale: a line of notes, room left of a panel and for the scale
 * of colours. */
enum { CS_PAGE_LINE = 16, CS_PAGE_BAR = 86 };

enum cs_key_place { CS_KEY_NONE, CS_KEY_BESIDE, CS_KEY_LOWER_RIGHT, CS_KEY_UPPER_LEFT };

struct cs_page {
  const struct cs_figure *figure;
  const char *title_font, *note_font; /* ",14" */
  int width, height;                  /* of the whole */
  int panel_width, panel_height;      /* of the area inside the axes */
  int pitch_x, pitch_y, top;          /* from panel to panel; height of the figure's title */
  int left;                           /* of the area inside the axes: numbers and label */
  bool one_key;                       /* all panels have the same legend: it stands beside the first row */
  bool inside;                        /* each panel's own legend stands in a corner of it that is free */
  bool has_map;
};

void cs_page_plan(const struct cs_figure *figure, const char *format, struct cs_page *page);
/* Upper left corner of a panel, inside its axes. */
void cs_page_place(const struct cs_page *page, size_t panel, int *x, int *y);
/* Where a panel has its legend. */
enum cs_key_place cs_page_key(const struct cs_page *page, size_t panel);
/* Whether a panel has the scale of colours beside it. */
bool cs_page_has_bar(const struct cs_page *page, size_t panel);

/* Part of the range at which an axis has `value`. */
double cs_page_part(const struct cs_figure_axis *axis, double value);
/* How many ticks there is room for upwards; the step between the ticks of an axis that is not logarithmic, 1, 2 or 5 of
 * a decade, so that there are at most so many; digits with which numbers that lie `step` apart are told apart. */
double cs_page_ticks(const struct cs_page *page);
double cs_page_step(const struct cs_figure_axis *axis, double most);
int cs_page_digits(const struct cs_figure_axis *axis, double step, int least);
/* Letters in a line of the title or of the notes. */
size_t cs_page_title_letters(const struct cs_page *page);
size_t cs_page_note_letters(const struct cs_page *page);
/* Bytes of the first line of `string` within `most` letters, broken at a blank where there is one; lines in all. */
size_t cs_page_line(const char *string, size_t most);
int cs_page_lines(const char *string, size_t most);

#endif
