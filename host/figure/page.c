#include "page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 76, BELOW = 50, TITLE = 22, GAP = 14, KEY_SAMPLE = 50 };

/* Mean character widths of the three font sizes, and height of a line in a legend. */
static const double title_letter = 7.6, key_letter = 6.6, note_letter = 5.5;
enum { KEY_LINE = 18, SMALL_LINE = 14 };

/* Largest fraction of a panel's width for a legend inside it. */
static const double key_part = 0.7;

/* ---- texts */

static size_t letters(const char *string, size_t bytes) {
  size_t count = 0;
  for (size_t i = 0; i < bytes; i++)
    count += ((unsigned char)string[i] & 0xc0) != 0x80;
  return count;
}

size_t cs_page_line(const char *string, size_t most) {
  size_t best = 0, i = 0, count = 0;
  for (; string[i] != '\0' && string[i] != '\n'; i++) {
    if (string[i] == ' ') best = i;
    count += ((unsigned char)string[i] & 0xc0) != 0x80;
    if (count > most && i > 0) return best > 0 ? best : i;
  }
  return i;
}

int cs_page_lines(const char *string, size_t most) {
  int lines = 0;
  while (*string != '\0' && lines < CS_PAGE_LINES) {
    string += cs_page_line(string, most);
    string += *string == ' ' || *string == '\n';
    lines++;
  }
  return lines;
}

size_t cs_page_title_letters(const struct cs_page *page) {
  return (size_t)((page->width - 20) / title_letter);
}

size_t cs_page_note_letters(const struct cs_page *page) {
  return (size_t)((page->width - 20) / note_letter);
}

/* ---- legends */

static bool same_titles(const struct cs_figure_panel *a, const struct cs_figure_panel *b) {
  size_t i = 0, k = 0;
  for (;; i++, k++) {
    while (i < a->curves && a->curve[i].title == NULL)
      i++;
    while (k < b->curves && b->curve[k].title == NULL)
      k++;
    if (i == a->curves || k == b->curves) return i == a->curves && k == b->curves;
    if (strcmp(a->curve[i].title, b->curve[k].title) != 0) return false;
  }
}

/* Curves in the longest legend. */
static int key_rows(const struct cs_figure *figure) {
  int most = 0;
  for (size_t p = 0; p < figure->panels; p++) {
    int rows = 0;
    for (size_t c = 0; c < figure->panel[p].curves; c++)
      rows += figure->panel[p].curve[c].title != NULL;
    if (rows > most) most = rows;
  }
  return most;
}

/* Characters in the longest entry of the legends. */
static double longest_key(const struct cs_figure *figure) {
  size_t longest = 0;
  for (size_t p = 0; p < figure->panels; p++)
    for (size_t c = 0; c < figure->panel[p].curves; c++) {
      const char *title = figure->panel[p].curve[c].title;
      const size_t count = title != NULL ? letters(title, strlen(title)) : 0;
      if (count > longest) longest = count;
    }
  return longest < CS_PAGE_LETTERS ? (double)longest : CS_PAGE_LETTERS;
}

/* Width of the legends beside a panel, and inside it. */
static int key_width(const struct cs_page *page) {
  const double longest = longest_key(page->figure);
  return longest > 0.0 ? KEY_SAMPLE + (int)(key_letter * longest) : 0;
}

static double small_key_width(const struct cs_page *page) {
  return 0.7 * KEY_SAMPLE + 1.05 * note_letter * longest_key(page->figure);
}

/* ---- legends inside */

double cs_page_part(const struct cs_figure_axis *axis, double value) {
  return axis->log ? log(value / axis->least) / log(axis->most / axis->least)
                   : (value - axis->least) / (axis->most - axis->least);
}

/* Whether a line between two points, in fractions of the ranges, enters a corner of that size. */
static bool comes_into(double x0, double y0, double x1, double y1, bool lower_right, double wide, double high) {
  enum { SAMPLES = 16 };
  for (int i = 0; i <= SAMPLES; i++) {
    const double x = x0 + (x1 - x0) * i / SAMPLES, y = y0 + (y1 - y0) * i / SAMPLES;
    if (lower_right ? x > 1.0 - wide && y < high : x < wide && y > 1.0 - high) return true;
  }
  return false;
}

/* Whether a corner of the size of the panel's legend is free of curves and triangles. */
static bool is_free(const struct cs_page *page, const struct cs_figure_panel *panel, bool lower_right) {
  const double wide = (small_key_width(page) + 6.0) / page->panel_width;
  const double high = (SMALL_LINE * key_rows(page->figure) + 10.0) / page->panel_height;
  for (size_t c = 0; c < panel->curves; c++) {
    const struct cs_figure_curve *curve = &panel->curve[c];
    for (size_t i = 1; i < curve->points; i++) {
      const double x0 = cs_page_part(&panel->x, curve->x[i - 1]), y0 = cs_page_part(&panel->y, curve->y[i - 1]);
      const double x1 = cs_page_part(&panel->x, curve->x[i]), y1 = cs_page_part(&panel->y, curve->y[i]);
      if (comes_into(x0, y0, x1, y1, lower_right, wide, high)) return false;
    }
  }
  return small_key_width(page) < key_part * page->panel_width;
}

/* Whether every panel has room for its legend inside. */
static bool fit_inside(const struct cs_page *page) {
  bool fit = !page->one_key && !page->has_map && !page->figure->stacked;
  for (size_t p = 0; p < page->figure->panels && fit; p++)
    fit = is_free(page, &page->figure->panel[p], true) || is_free(page, &page->figure->panel[p], false);
  return fit;
}

/* Moves the legends inside, enlarging the panels up to these sizes if necessary. */
static void choose_inside(struct cs_page *page, int widest, int highest) {
  const int width = page->panel_width, height = page->panel_height;
  const int wider = 1 + (int)(small_key_width(page) / key_part);
  const int tried[][2] = {{wider, height}, {wider, highest}, {widest, highest}};
  for (size_t i = 0; i < sizeof tried / sizeof *tried && !page->inside; i++) {
    page->panel_width = tried[i][0] > width && tried[i][0] <= widest ? tried[i][0] : width;
    page->panel_height = tried[i][1] > height ? tried[i][1] : height;
    page->inside = fit_inside(page);
  }
  if (page->inside) return;
  page->panel_width = width;
  page->panel_height = height;
}

enum cs_key_place cs_page_key(const struct cs_page *page, size_t panel) {
  const struct cs_figure *figure = page->figure;
  if (page->inside) return is_free(page, &figure->panel[panel], true) ? CS_KEY_LOWER_RIGHT : CS_KEY_UPPER_LEFT;
  return !page->one_key || panel + 1 == (figure->across < figure->panels ? figure->across : figure->panels)
             ? CS_KEY_BESIDE
             : CS_KEY_NONE;
}

bool cs_page_has_bar(const struct cs_page *page, size_t panel) {
  const struct cs_figure *figure = page->figure;
  if (figure->panel[panel].map == NULL) return false;
  return !figure->one_scale || panel + 1 == (figure->across < figure->panels ? figure->across : figure->panels);
}

void cs_page_place(const struct cs_page *page, size_t panel, int *x, int *y) {
  const int column = (int)(panel % page->figure->across), row = (int)(panel / page->figure->across);
  *x = column * page->pitch_x + page->left;
  *y = page->top + row * page->pitch_y + (page->figure->stacked ? 6 : TITLE);
}

/* ---- ticks */

double cs_page_ticks(const struct cs_page *page) {
  return page->panel_height / 24.0;
}

double cs_page_step(const struct cs_figure_axis *axis, double most) {
  const double least = (axis->most - axis->least) / most, decade = pow(10.0, floor(log10(least)));
  const double step = least <= decade         ? decade
                      : least <= 2.0 * decade ? 2.0 * decade
                      : least <= 5.0 * decade ? 5.0 * decade
                                              : 10.0 * decade;
  return axis->whole ? fmax(step, 1.0) : step;
}

int cs_page_digits(const struct cs_figure_axis *axis, double step, int least) {
  const double needed = 1.0 + ceil(log10(fmax(fabs(axis->least), fabs(axis->most)) / step));
  return needed > 15.0 ? 15 : needed > least ? (int)needed : least;
}

/* Characters of the widest tick label of a vertical axis. */
static int widest_tick(const struct cs_page *page, const struct cs_figure_axis *axis) {
  char text[40];
  if (axis->log) return axis->most < 50.0 * axis->least ? snprintf(text, sizeof text, "%.2g", axis->least) : 0;
  const double step = cs_page_step(axis, cs_page_ticks(page)), first = ceil(axis->least / step);
  const int digits = cs_page_digits(axis, step, 6);
  int widest = 0;
  for (int i = 0; (first + i) * step <= axis->most; i++) {
    const int width = snprintf(text, sizeof text, "%.*g", digits, (first + i) * step);
    if (width > widest) widest = width;
  }
  return widest;
}

/* Room for tick labels and axis label left of the panels. */
static int left_of(const struct cs_page *page) {
  enum { USUAL = 6 }; /* characters that LEFT has room for */
  int widest = USUAL;
  for (size_t p = 0; p < page->figure->panels; p++) {
    const int width = widest_tick(page, &page->figure->panel[p].y);
    if (width > widest) widest = width;
  }
  return LEFT + (int)(key_letter * (widest - USUAL));
}

/* ---- the page */

void cs_page_plan(const struct cs_figure *figure, const char *format, struct cs_page *page) {
  static const int width[] = {500, 340, 270, 230}, height[] = {340, 240, 200, 170};
  const size_t size = figure->across < 4 ? figure->across - 1 : 3;
  const int across = (int)figure->across, down = (int)((figure->panels + figure->across - 1) / figure->across);
  const bool svg = strcmp(format, "svg") == 0; /* whose points are pixels */
  *page = (struct cs_page){
      .figure = figure, .title_font = svg ? ",14" : ",10.5", .note_font = svg ? ",10" : ",7.5", .one_key = true};
  page->panel_width = figure->stacked ? 640 : width[size];
  page->panel_height = figure->stacked ? (figure->panels > 4 ? 120 : 150) : height[size];
  const int needed = KEY_LINE * key_rows(figure); /* a legend must fit in the height of its panel */
  if (needed > page->panel_height) page->panel_height = needed;
  for (size_t p = 0; p < figure->panels; p++) {
    page->one_key = page->one_key && same_titles(&figure->panel[0], &figure->panel[p]);
    page->has_map = page->has_map || figure->panel[p].map != NULL;
  }
  choose_inside(page, width[1], height[1]);
  const int key = (page->inside ? 0 : key_width(page)) + (page->has_map ? CS_PAGE_BAR : 0);
  const bool once = page->one_key && (!page->has_map || figure->one_scale);
  page->left = left_of(page);
  page->pitch_x = page->left + page->panel_width + (once ? GAP : GAP + key);
  page->pitch_y = (figure->stacked ? GAP : BELOW) + page->panel_height + (figure->stacked ? 6 : TITLE);
  page->width = across * page->pitch_x + GAP + (once ? key : 0);
  page->top = 10 + 20 * cs_page_lines(figure->title, cs_page_title_letters(page)) + 4;
  page->height = page->top + down * page->pitch_y + (figure->stacked ? BELOW : 6) +
                 CS_PAGE_LINE * cs_page_lines(figure->notes, cs_page_note_letters(page)) + 4;
}
