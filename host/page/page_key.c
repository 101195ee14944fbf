/* Legends: their size, and corners that are free for them. */
#include <math.h>
#include <string.h>

#include "letters.h"
#include "page_private.h"

enum { SAMPLE = 28, GAP = 6, MOST_LINES = 6 };

static bool has_slope(const struct cs_figure_curve *curve) {
  return curve->zero || isfinite(curve->order);
}

size_t cs_page_key_rows(const struct cs_figure_panel *panel) {
  size_t rows = 0;
  for (size_t c = 0; c < panel->curves; c++)
    rows += cs_figure_is_listed(&panel->curve[c]);
  return rows;
}

static bool same_entry(const struct cs_figure_curve *a, const struct cs_figure_curve *b, bool slopes) {
  const char *left = a->title != NULL ? a->title : "", *right = b->title != NULL ? b->title : "";
  const bool slope = a->order == b->order || (isnan(a->order) && isnan(b->order));
  return strcmp(left, right) == 0 && a->ink == b->ink && a->series == b->series &&
         (slopes ? slope && a->zero == b->zero : left[0] != '\0');
}

bool cs_page_same_key(const struct cs_figure_panel *a, const struct cs_figure_panel *b, bool slopes) {
  size_t i = 0, k = 0;
  for (;; i++, k++) {
    while (i < a->curves && !cs_figure_is_listed(&a->curve[i]))
      i++;
    while (k < b->curves && !cs_figure_is_listed(&b->curve[k]))
      k++;
    if (i == a->curves || k == b->curves) return i == a->curves && k == b->curves;
    if (!same_entry(&a->curve[i], &b->curve[k], slopes)) return false;
  }
}

bool cs_page_key_within(const struct cs_figure_panel *a, const struct cs_figure_panel *b) {
  for (size_t i = 0; i < a->curves; i++) {
    bool found = !cs_figure_is_listed(&a->curve[i]);
    for (size_t k = 0; k < b->curves && !found; k++)
      found = cs_figure_is_listed(&b->curve[k]) && same_entry(&a->curve[i], &b->curve[k], true);
    if (!found) return false;
  }
  return true;
}

/* ---- size */

struct grid {
  bool name, slope; /* what entries say */
  size_t columns;
  double entry; /* width of a column */
};

/* What the legend says of a curve; "" where memory is short, which the page notes. */
static const char *say(const struct cs_page *page, const struct cs_figure_curve *curve, bool name, bool slope,
                       struct cs_text *text) {
  cs_figure_add_entry(curve, name, slope, text);
  if (text->failed && page->unmeasured != NULL) *page->unmeasured = true;
  return text->failed ? "" : cs_text_string(text);
}

static double width_of(const struct cs_page *page, const struct cs_figure_curve *curve, bool name, bool slope) {
  struct cs_text text = {0};
  const char *entry = say(page, curve, name, slope, &text);
  const double width = cs_letters_width(entry, strlen(entry), page->font[CS_FONT_SMALL]);
  cs_text_free(&text);
  return width;
}

static size_t count_lines(const struct cs_page *page, const struct cs_figure_curve *curve, const struct grid *grid) {
  struct cs_text text = {0};
  const char *entry = say(page, curve, grid->name, grid->slope, &text);
  const double room = grid->entry - SAMPLE - 2 * GAP + 0.5;
  const size_t lines = cs_page_count(page, CS_FONT_SMALL, entry, room, MOST_LINES);
  cs_text_free(&text);
  return lines;
}

/* As many columns as the longest entry leaves room for. */
static struct grid choose_grid(const struct cs_page *page, const struct cs_figure_panel *panel, double width,
                               size_t columns, bool name) {
  const bool slope = !name || !page->apart;
  double longest = 0.0;
  for (size_t c = 0; c < panel->curves; c++)
    if (cs_figure_is_listed(&panel->curve[c])) longest = fmax(longest, width_of(page, &panel->curve[c], name, slope));
  const double entry = SAMPLE + 2 * GAP + longest;
  struct grid grid = {
      .name = name, .slope = slope, .columns = (size_t)fmax(1.0, floor(width / entry)), .entry = fmin(entry, width)};
  if (grid.columns > columns) grid.columns = columns;
  if (grid.columns > cs_page_key_rows(panel)) grid.columns = cs_page_key_rows(panel);
  return grid;
}

/* The listed curves in their order, those in grey last: number `i`, curves if there are no more. */
static size_t entry_at(const struct cs_figure_panel *panel, size_t i) {
  for (int last = 0; last < 2; last++)
    for (size_t c = 0; c < panel->curves; c++)
      if (cs_figure_is_listed(&panel->curve[c]) && (panel->curve[c].ink == CS_INK_OTHERS) == (last == 1) && i-- == 0)
        return c;
  return panel->curves;
}

bool cs_page_find_ends(const struct cs_page *page, size_t panel, double width, double high, double *top) {
  const struct cs_figure_panel *p = &page->figure->panel[panel];
  const double line = cs_page_line(page, CS_FONT_SMALL), far = 2.5 * line;
  const size_t rows = cs_page_key_rows(p);
  const struct grid grid = {.name = true, .slope = !page->apart, .entry = width - 0.5};
  double tall[CS_PAGE_ENDS], end[CS_PAGE_ENDS], below = 0.0;
  if (rows == 0 || rows > CS_PAGE_ENDS) return false;
  for (size_t i = 0; i < rows; i++) {
    const struct cs_figure_curve *curve = &p->curve[entry_at(p, i)];
    size_t last = curve->points;
    while (last > 0 && isnan(curve->y[last - 1]))
      last--;
    const bool named = curve->ink != CS_INK_OTHERS && last > 0; /* else where there is room */
    tall[i] = line * (double)count_lines(page, curve, &grid);
    end[i] = named ? high * fmin(1.0, fmax(0.0, 1.0 - cs_page_part(&p->y, curve->y[last - 1]))) : NAN;
    top[i] = fmax(below, named ? end[i] - 0.5 * tall[i] : below);
    below = top[i] + tall[i];
  }
  for (size_t i = rows; i-- > 0;) { /* what stands out below moves up */
    top[i] = fmin(top[i], (i + 1 < rows ? top[i + 1] : high) - tall[i]);
    if (top[i] < 0.0 || fabs(top[i] + 0.5 * tall[i] - end[i]) > far) return false;
  }
  return true;
}

/* Walks through the entries row by row; adds them if `list` is given. Returns the height, negative if out of memory. */
static double walk(const struct cs_page *page, struct cs_page_list *list, size_t p, const struct grid *grid, double x,
                   double y) {
  const struct cs_figure_panel *panel = &page->figure->panel[p];
  const double line = cs_page_line(page, CS_FONT_SMALL), room = grid->entry - SAMPLE - 2 * GAP + 0.5, top = y;
  const double high = page->panel[p].area.height;
  double ends[CS_PAGE_ENDS];
  const bool at_ends = list != NULL && page->at_ends && cs_page_find_ends(page, p, grid->entry, high, ends);
  size_t column = 0, tallest = 0;
  for (size_t i = 0, c; (c = entry_at(panel, i)) < panel->curves; i++) {
    if (!grid->name && !has_slope(&panel->curve[c])) continue;
    const double left = x + (double)column * grid->entry;
    const size_t lines = count_lines(page, &panel->curve[c], grid);
    if (at_ends) y = top + ends[i];
    if (list != NULL) {
      struct cs_page_sample *sample = &list->sample[list->samples++];
      *sample = (struct cs_page_sample){p, c, {left + 2, y, SAMPLE - 4, line}};
      struct cs_text text = {0};
      const char *entry = say(page, &panel->curve[c], grid->name, grid->slope, &text);
      const bool good = cs_page_add_lines(page, list, CS_FONT_SMALL, CS_ANCHOR_LEFT, false, left + SAMPLE + GAP,
                                          y + 0.5 * line, entry, room, MOST_LINES);
      cs_text_free(&text);
      if (!good) return -1.0;
    }
    if (lines > tallest) tallest = lines;
    if (++column < grid->columns) continue;
    y += line * (double)tallest;
    column = tallest = 0;
  }
  return y + line * (double)tallest - top;
}

void cs_page_measure_key(const struct cs_page *page, size_t panel, double width, size_t columns, struct cs_box *box) {
  *box = (struct cs_box){0};
  if (cs_page_key_rows(&page->figure->panel[panel]) == 0) return;
  const struct grid grid = choose_grid(page, &page->figure->panel[panel], width, columns, true);
  box->width = grid.entry * (double)grid.columns;
  box->height = walk(page, NULL, panel, &grid, 0.0, 0.0);
}

bool cs_page_add_key(const struct cs_page *page, struct cs_page_list *list, size_t panel, double width, size_t columns,
                     const struct cs_box *box) {
  if (cs_page_key_rows(&page->figure->panel[panel]) == 0) return true;
  const struct grid grid = choose_grid(page, &page->figure->panel[panel], width, columns, true);
  return walk(page, list, panel, &grid, box->x, box->y) >= 0.0;
}

/* ---- corners */

/* Whether a straight line between two points enters the box. */
static bool enters(double x0, double y0, double x1, double y1, const struct cs_box *box) {
  enum { SAMPLES = 24 };
  for (int i = 0; i <= SAMPLES; i++) {
    const double x = x0 + (x1 - x0) * i / SAMPLES, y = y0 + (y1 - y0) * i / SAMPLES;
    if (x > box->x && x < box->x + box->width && y > box->y && y < box->y + box->height) return true;
  }
  return false;
}

/* Whether no curve, triangle or label of the panel comes into the box. */
static bool is_free(const struct cs_figure_panel *panel, const struct cs_box *area, double small,
                    const struct cs_box *box) {
  for (size_t c = 0; c < panel->curves; c++) {
    const struct cs_figure_curve *curve = &panel->curve[c];
    double x0 = NAN, y0 = NAN;
    for (size_t i = 0; i < curve->points; i++) {
      const double x1 = area->x + area->width * cs_page_part(&panel->x, curve->x[i]);
      const double y1 = area->y + area->height * (1.0 - cs_page_part(&panel->y, curve->y[i]));
      const bool joined = i > 0 && curve->draw != CS_DRAW_POINTS && !isnan(x0) && !isnan(y0);
      if (enters(joined ? x0 : x1, joined ? y0 : y1, x1, y1, box)) return false;
      x0 = x1;
      y0 = y1;
    }
  }
  for (size_t i = 0; i < panel->labels; i++) {
    const struct cs_figure_label *label = &panel->label[i];
    const struct cs_box text = {area->x + area->width * cs_page_part(&panel->x, label->x),
                                area->y + area->height * (1.0 - cs_page_part(&panel->y, label->y)) - 0.6 * small,
                                cs_letters_width(label->text, strlen(label->text), small), 1.2 * small};
    if (cs_page_overlap(&text, box)) return false;
  }
  return true;
}

bool cs_page_corner(const struct cs_figure_panel *panel, const struct cs_box *area, double small, struct cs_box *box) {
  enum { INSET = 5, ROOM = 6 };
  const double left = area->x + INSET, right = area->x + area->width - INSET - box->width;
  const double upper = area->y + INSET, lower = area->y + area->height - INSET - box->height;
  const double corner[][2] = {{right, lower}, {left, upper}, {right, upper}, {left, lower}};
  if (right < left || lower < upper) return false;
  for (size_t i = 0; i < sizeof corner / sizeof *corner; i++) {
    const struct cs_box around = {corner[i][0] - ROOM, corner[i][1] - ROOM, box->width + 2 * ROOM,
                                  box->height + 2 * ROOM};
    if (!is_free(panel, area, small, &around)) continue;
    box->x = corner[i][0];
    box->y = corner[i][1];
    return true;
  }
  return false;
}

bool cs_page_add_slopes(const struct cs_page *page, struct cs_page_list *list, size_t panel) {
  const struct cs_box *area = &page->panel[panel].area;
  const struct cs_figure_panel *of = &page->figure->panel[panel];
  if (cs_page_key_rows(of) == 0) return true;
  const struct grid grid = choose_grid(page, of, area->width, 1, false);
  struct cs_box box = {.width = grid.entry, .height = walk(page, NULL, panel, &grid, 0.0, 0.0)};
  if (!cs_page_corner(of, area, page->font[CS_FONT_SMALL], &box)) return true;
  return walk(page, list, panel, &grid, box.x, box.y) >= 0.0;
}
