/* Legends: their size, and corners that are free for them. */
#include <math.h>
#include <string.h>

#include "letters.h"
#include "page_private.h"

enum { SAMPLE = 28, GAP = 6, MOST_LINES = 6 };

static bool is_listed(const struct cs_figure_curve *curve) {
  return curve->title != NULL && curve->title[0] != '\0' && curve->points > 0;
}

size_t cs_page_key_rows(const struct cs_figure_panel *panel) {
  size_t rows = 0;
  for (size_t c = 0; c < panel->curves; c++)
    rows += is_listed(&panel->curve[c]);
  return rows;
}

bool cs_page_same_key(const struct cs_figure_panel *a, const struct cs_figure_panel *b) {
  size_t i = 0, k = 0;
  for (;; i++, k++) {
    while (i < a->curves && !is_listed(&a->curve[i]))
      i++;
    while (k < b->curves && !is_listed(&b->curve[k]))
      k++;
    if (i == a->curves || k == b->curves) return i == a->curves && k == b->curves;
    const struct cs_figure_curve *left = &a->curve[i], *right = &b->curve[k];
    if (strcmp(left->title, right->title) != 0 || left->ink != right->ink || left->series != right->series)
      return false;
  }
}

/* ---- size */

struct grid {
  size_t columns;
  double entry; /* width of a column */
};

static double width_of(const struct cs_page *page, const char *title) {
  return cs_letters_width(title, strlen(title), page->font[CS_FONT_SMALL]);
}

/* As many columns as the longest entry leaves room for. */
static struct grid choose_grid(const struct cs_page *page, const struct cs_figure_panel *panel, double width,
                               size_t columns) {
  double longest = 0.0;
  for (size_t c = 0; c < panel->curves; c++)
    if (is_listed(&panel->curve[c])) longest = fmax(longest, width_of(page, panel->curve[c].title));
  const double entry = SAMPLE + 2 * GAP + longest;
  struct grid grid = {.columns = (size_t)fmax(1.0, floor(width / entry)), .entry = fmin(entry, width)};
  if (grid.columns > columns) grid.columns = columns;
  if (grid.columns > cs_page_key_rows(panel)) grid.columns = cs_page_key_rows(panel);
  return grid;
}

/* The listed curves in their order, those in grey last: number `i`, curves if there are no more. */
static size_t entry_at(const struct cs_figure_panel *panel, size_t i) {
  for (int last = 0; last < 2; last++)
    for (size_t c = 0; c < panel->curves; c++)
      if (is_listed(&panel->curve[c]) && (panel->curve[c].ink == CS_INK_OTHERS) == (last == 1) && i-- == 0) return c;
  return panel->curves;
}

bool cs_page_find_ends(const struct cs_page *page, size_t panel, double width, double high, double *top) {
  const struct cs_figure_panel *p = &page->figure->panel[panel];
  const double line = cs_page_line(page, CS_FONT_SMALL), far = 2.5 * line;
  const size_t rows = cs_page_key_rows(p);
  double tall[CS_PAGE_ENDS], end[CS_PAGE_ENDS], below = 0.0;
  if (rows == 0 || rows > CS_PAGE_ENDS) return false;
  for (size_t i = 0; i < rows; i++) {
    const struct cs_figure_curve *curve = &p->curve[entry_at(p, i)];
    size_t last = curve->points;
    while (last > 0 && isnan(curve->y[last - 1]))
      last--;
    const bool named = curve->ink != CS_INK_OTHERS && last > 0; /* else where there is room */
    tall[i] = line * (double)cs_page_count(page, CS_FONT_SMALL, curve->title, width - SAMPLE - 2 * GAP, MOST_LINES);
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
    const char *title = panel->curve[c].title;
    const double left = x + (double)column * grid->entry;
    const size_t lines = cs_page_count(page, CS_FONT_SMALL, title, room, MOST_LINES);
    if (at_ends) y = top + ends[i];
    if (list != NULL) {
      struct cs_page_sample *sample = &list->sample[list->samples++];
      *sample = (struct cs_page_sample){p, c, {left + 2, y, SAMPLE - 4, line}};
      if (!cs_page_add_lines(page, list, CS_FONT_SMALL, CS_ANCHOR_LEFT, false, left + SAMPLE + GAP, y + 0.5 * line,
                             title, room, MOST_LINES))
        return -1.0;
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
  const struct grid grid = choose_grid(page, &page->figure->panel[panel], width, columns);
  box->width = grid.entry * (double)grid.columns;
  box->height = walk(page, NULL, panel, &grid, 0.0, 0.0);
}

bool cs_page_add_key(const struct cs_page *page, struct cs_page_list *list, size_t panel, double width, size_t columns,
                     const struct cs_box *box) {
  if (cs_page_key_rows(&page->figure->panel[panel]) == 0) return true;
  const struct grid grid = choose_grid(page, &page->figure->panel[panel], width, columns);
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
