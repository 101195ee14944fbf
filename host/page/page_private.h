/* What the parts of the layout share. */
#ifndef COSWEEP_PAGE_PRIVATE_H
#define COSWEEP_PAGE_PRIVATE_H

#include "page.h"

/* Height of a line of a font. */
double cs_page_line(const struct cs_page *page, enum cs_font font);
/* Adds a line; false if out of memory. */
bool cs_page_add(const struct cs_page *page, struct cs_page_list *list, enum cs_font font, enum cs_anchor anchor,
                 bool upwards, double x, double y, const char *string);
/* Number of lines that a text takes in a width, at most `most`. */
size_t cs_page_count(const struct cs_page *page, enum cs_font font, const char *string, double width, size_t most);
/* Adds the lines of a text, the middle of the first at (x, y), the next below or, upwards, to the right. */
bool cs_page_add_lines(const struct cs_page *page, struct cs_page_list *list, enum cs_font font, enum cs_anchor anchor,
                       bool upwards, double x, double y, const char *string, double width, size_t most);
bool cs_page_overlap(const struct cs_box *a, const struct cs_box *b);

/* ---- names along x */

enum { CS_PAGE_TICK_GAP = 8 }; /* between axes and what stands at their ticks */
/* Height of the names below an area of that width. */
double cs_page_names_depth(const struct cs_page *page, const struct cs_figure_axis *axis, double wide);
bool cs_page_add_names(const struct cs_page *page, struct cs_page_panel *place, const struct cs_figure_axis *axis);

/* ---- legends */

/* Curves in the legend of a panel, and whether two panels have the same one. */
size_t cs_page_key_rows(const struct cs_figure_panel *panel);
bool cs_page_same_key(const struct cs_figure_panel *a, const struct cs_figure_panel *b, bool slopes);
/* Whether the legend of `b` says all that the one of `a` would. */
bool cs_page_key_within(const struct cs_figure_panel *a, const struct cs_figure_panel *b);
/* Size of the legend of a panel in a width; `columns`: at most this many beside each other. */
void cs_page_measure_key(const struct cs_page *page, size_t panel, double width, size_t columns, struct cs_box *box);
/* Adds it at the upper left corner of `box`, which was measured in the same width. */
bool cs_page_add_key(const struct cs_page *page, struct cs_page_list *list, size_t panel, double width, size_t columns,
                     const struct cs_box *box);
/* Adds the slopes of a panel's curves in a free corner of it, if there is one. */
bool cs_page_add_slopes(const struct cs_page *page, struct cs_page_list *list, size_t panel);
enum { CS_PAGE_ENDS = 32 };
/* Where the entries of a legend begin below the upper edge of an area of that height, [CS_PAGE_ENDS], so that each is
 * at the end of its curve; false if some would be far from it. */
bool cs_page_find_ends(const struct cs_page *page, size_t panel, double width, double high, double *top);
/* The corner of the panel's area, of that size, where a box of that size covers no curve, triangle or label. */
bool cs_page_corner(const struct cs_figure_panel *panel, const struct cs_box *area, double small, struct cs_box *box);

#endif
