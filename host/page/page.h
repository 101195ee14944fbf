/* The layout of a figure: where panels, legends, labels, title and notes are, from measured texts. */
#ifndef COSWEEP_PAGE_H
#define COSWEEP_PAGE_H

#include "figure.h"
#include "text.h"

/* Lengths in pixels of 1/96 inch = 0.75 pt, y downwards from the upper edge. */
struct cs_box {
  double x, y, width, height;
};

enum cs_font { CS_FONT_TITLE, CS_FONT_LABEL, CS_FONT_SMALL, CS_FONTS };
enum cs_anchor { CS_ANCHOR_LEFT, CS_ANCHOR_CENTRE, CS_ANCHOR_RIGHT };

/* A line of text. */
struct cs_page_text {
  struct cs_text line;
  enum cs_font font;
  enum cs_anchor anchor;
  bool upwards;      /* turned by 90 degrees */
  double x, y;       /* of the anchor, in the middle of the line's height */
  struct cs_box box; /* what it covers */
};

/* A piece of a curve in a legend. */
struct cs_page_sample {
  size_t panel, curve;
  struct cs_box box;
};

/* Texts and samples of a part of the page. */
struct cs_page_list {
  struct cs_page_text *text;
  struct cs_page_sample *sample;
  size_t texts, samples;
};

struct cs_page_panel {
  struct cs_box area, bar;                   /* inside the axes; the colour scale, of width 0 if there is none */
  struct cs_box x_ticks, y_ticks, bar_ticks; /* what numbers along the axes cover */
  bool x_ticked;                             /* with numbers along x */
  double x_most, y_most;                     /* ticks along linear axes */
  struct cs_page_list list;
};

enum cs_key { CS_KEY_NONE, CS_KEY_BESIDE, CS_KEY_ABOVE, CS_KEY_INSIDE };

struct cs_page {
  const struct cs_figure *figure;
  double font[CS_FONTS]; /* sizes */
  size_t across;         /* panels in a row */
  double width, height;
  enum cs_key key;
  bool one_key; /* all panels have the same legend, shown once */
  bool apart;   /* but for slopes, which stand in the panels that have room */
  bool at_ends; /* legends beside panels have their entries at the ends of the curves */
  bool has_map;
  struct cs_page_panel *panel; /* [figure->panels] */
  struct cs_page_list list;    /* title, notes, the legend of all panels */
  bool *unmeasured;            /* while it is planned: set where memory was short for measuring a text */
};

/* cs_page_close is needed even on failure. CS_USAGE if the width is too small. */
int cs_page_plan(const struct cs_figure *figure, struct cs_page *page, struct cs_error *error);
void cs_page_close(struct cs_page *page);

/* ---- axes */

/* Position of `value` along an axis, as a fraction of its range. */
double cs_page_part(const struct cs_figure_axis *axis, double value);
/* Step between at most `most` ticks of a linear axis, 1, 2 or 5 times a power of ten; digits needed to distinguish
 * numbers that differ by `step`, at least `least`. */
double cs_page_step(const struct cs_figure_axis *axis, double most);
int cs_page_digits(const struct cs_figure_axis *axis, double step, int least);

enum { CS_PAGE_TICKS = 100 }; /* upper bound for any range */
/* Ticks of a logarithmic axis too short for powers of ten, without those that would touch along `length` pixels in a
 * font of that size (0: all of them); their number, 0 for other axes. */
size_t cs_page_short_ticks(const struct cs_figure_axis *axis, double length, double size, double *tick);
/* Most ticks along a linear axis of `length` pixels whose numbers do not touch; width of the widest number. */
double cs_page_most_ticks(const struct cs_figure_axis *axis, double length, double size);
double cs_page_widest_tick(const struct cs_figure_axis *axis, double most, double size);

#endif
