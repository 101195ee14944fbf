/* The layout of a figure: panels, legends, title and notes. */
#ifndef COSWEEP_PAGE_H
#define COSWEEP_PAGE_H

#include "figure.h"

/* Lengths in SVG pixels, which the other formats scale: height of a line of notes, width of a colour scale. */
enum { CS_PAGE_LINE = 16, CS_PAGE_BAR = 86 };
/* Most characters of a label, and lines of title or notes, that a figure shows. */
enum { CS_PAGE_LETTERS = 120, CS_PAGE_LINES = 40 };

enum cs_key_place { CS_KEY_NONE, CS_KEY_BESIDE, CS_KEY_LOWER_RIGHT, CS_KEY_UPPER_LEFT };

struct cs_page {
  const struct cs_figure *figure;
  const char *title_font, *note_font; /* ",14" */
  int width, height;                  /* of the whole */
  int panel_width, panel_height;      /* of the area inside the axes */
  int pitch_x, pitch_y, top;          /* distances between panels; height of the title */
  int left;                           /* room for tick labels and axis label left of a panel */
  bool one_key;                       /* all panels have the same legend, shown once beside the first row */
  bool inside;                        /* each panel has its legend in a free corner */
  bool has_map;
};

void cs_page_plan(const struct cs_figure *figure, const char *format, struct cs_page *page);
/* Upper left corner of the plot area of a panel. */
void cs_page_place(const struct cs_page *page, size_t panel, int *x, int *y);
/* The place of the legend of a panel. */
enum cs_key_place cs_page_key(const struct cs_page *page, size_t panel);
/* Whether a panel has a colour scale beside it. */
bool cs_page_has_bar(const struct cs_page *page, size_t panel);

/* Position of `value` along an axis, as a fraction of its range. */
double cs_page_part(const struct cs_figure_axis *axis, double value);
/* Number of ticks that fit on a vertical axis; the step between at most `most` ticks of a linear axis, 1, 2 or 5 times
 * a power of ten; digits needed to distinguish numbers that differ by `step`, at least `least`. */
double cs_page_ticks(const struct cs_page *page);
double cs_page_step(const struct cs_figure_axis *axis, double most);
int cs_page_digits(const struct cs_figure_axis *axis, double step, int least);
/* Characters in a line of the title or of the notes. */
size_t cs_page_title_letters(const struct cs_page *page);
size_t cs_page_note_letters(const struct cs_page *page);
/* Bytes of the first line of `string` with at most `most` characters, broken at a blank if possible; number of lines,
 * at most CS_PAGE_LINES. */
size_t cs_page_line(const char *string, size_t most);
int cs_page_lines(const char *string, size_t most);

#endif
