#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "letters.h"
#include "list.h"
#include "page_private.h"

/* Pixels: edge of the page, between panels, between axes and numbers, colour scale and its distance. */
enum { EDGE = 10, BETWEEN = 14, BAR_GAP = 12, BAR = 14 };
enum { MOST = 2 * CS_FIGURE_PANELS, LABEL_LINES = 3, TITLE_LINES = 3 };

/* Distances that belong to columns and rows. */
struct grid {
  size_t down;
  double wide, high;              /* of each panel's area */
  double left[MOST], right[MOST]; /* of columns: labels; colour scales and legends */
  double head[MOST], foot[MOST];  /* of rows: titles and legends; labels */
  double key_width;               /* of legends beside panels */
};

/* ---- what panels show */

static bool same_label(const struct cs_figure_axis *a, const struct cs_figure_axis *b) {
  return a->label != NULL && b->label != NULL && strcmp(a->label, b->label) == 0;
}

static bool is_lowest(const struct cs_page *page, size_t p) {
  return p + page->across >= page->figure->panels;
}

/* A label that the panel below or to the left has too is shown once. */
static const char *x_label(const struct cs_page *page, size_t p) {
  const struct cs_figure_panel *panel = &page->figure->panel[p];
  if (panel->x.label == NULL || panel->x.ticks > 0) return "";
  const bool shown = is_lowest(page, p) ||
                     (!page->figure->stacked && !same_label(&panel->x, &page->figure->panel[p + page->across].x));
  return shown ? panel->x.label : "";
}

static const char *y_label(const struct cs_page *page, size_t p) {
  const struct cs_figure_panel *panel = &page->figure->panel[p];
  if (panel->y.label == NULL) return "";
  return p % page->across == 0 || !same_label(&panel->y, &page->figure->panel[p - 1].y) ? panel->y.label : "";
}

static const char *title_of(const struct cs_page *page, size_t p) {
  const char *title = page->figure->panel[p].title;
  return title != NULL && !page->figure->stacked ? title : "";
}

/* The last panel of the first row, beside which there is what all panels have in common. */
static size_t corner_panel(const struct cs_page *page) {
  return (page->across < page->figure->panels ? page->across : page->figure->panels) - 1;
}

static bool has_bar(const struct cs_page *page, size_t p) {
  return page->figure->panel[p].map != NULL && (!page->figure->one_scale || p == corner_panel(page));
}

/* Whether a panel of the same column, above this one, explains all of its curves. */
static bool is_explained(const struct cs_page *page, size_t p) {
  for (size_t i = 0; i < p && page->figure->stacked; i++)
    if (cs_page_key_within(&page->figure->panel[p], &page->figure->panel[i])) return true;
  return false;
}

static bool has_key(const struct cs_page *page, size_t p) {
  return cs_page_key_rows(&page->figure->panel[p]) > 0 &&
         (page->one_key ? p == corner_panel(page) : !is_explained(page, p));
}

static bool is_ticked(const struct cs_page *page, size_t p) {
  return !page->figure->stacked || is_lowest(page, p);
}

/* ---- distances */

/* Room for the label and the numbers left of a panel. */
static double left_of(const struct cs_page *page, size_t p, double high) {
  const struct cs_figure_panel *panel = &page->figure->panel[p];
  const double most = high / (2.0 * page->font[CS_FONT_LABEL]);
  const double ticks = cs_page_widest_tick(&panel->y, most, page->font[CS_FONT_LABEL]);
  const size_t lines = cs_page_count(page, CS_FONT_LABEL, y_label(page, p), high, LABEL_LINES);
  return ceil(ticks + CS_PAGE_TICK_GAP + (double)lines * cs_page_line(page, CS_FONT_LABEL) + (lines > 0 ? 6.0 : 0.0));
}

static double bar_of(const struct cs_page *page, size_t p, double high) {
  const struct cs_figure_panel *panel = &page->figure->panel[p];
  if (!has_bar(page, p)) return 0.0;
  const double most = high / (2.0 * page->font[CS_FONT_LABEL]);
  const double ticks = cs_page_widest_tick(&panel->z, most, page->font[CS_FONT_LABEL]);
  const char *label = panel->z.label != NULL ? panel->z.label : "";
  const size_t lines = cs_page_count(page, CS_FONT_LABEL, label, high, LABEL_LINES);
  return ceil(BAR_GAP + BAR + CS_PAGE_TICK_GAP + ticks + 6.0 + (double)lines * cs_page_line(page, CS_FONT_LABEL));
}

static double foot_of(const struct cs_page *page, size_t p, double wide) {
  const struct cs_figure_axis *axis = &page->figure->panel[p].x;
  const double line = cs_page_line(page, CS_FONT_LABEL);
  const size_t lines = cs_page_count(page, CS_FONT_LABEL, x_label(page, p), wide, LABEL_LINES);
  const double ticks = !is_ticked(page, p) ? 0.0
                       : axis->ticks > 0   ? CS_PAGE_TICK_GAP + cs_page_names_depth(page, axis, wide)
                                           : CS_PAGE_TICK_GAP - 2.0 + line;
  return ticks + (double)lines * line + 4.0;
}

static double head_of(const struct cs_page *page, size_t p, double wide) {
  const size_t lines = cs_page_count(page, CS_FONT_LABEL, title_of(page, p), wide, TITLE_LINES);
  double head = lines > 0 ? (double)lines * cs_page_line(page, CS_FONT_LABEL) + 6.0 : 6.0;
  struct cs_box key = {0};
  if (page->key == CS_KEY_ABOVE && !page->one_key && has_key(page, p)) cs_page_measure_key(page, p, wide, 4, &key);
  if (key.height > 0.0) head += key.height + 4.0;
  return head;
}

/* Half of the last number along x may stand out to the right. */
static double overhang(const struct cs_page *page, size_t p, double wide) {
  const struct cs_figure_axis *axis = &page->figure->panel[p].x;
  const double size = page->font[CS_FONT_LABEL], most = cs_page_most_ticks(axis, wide, size);
  return is_ticked(page, p) ? 0.5 * cs_page_widest_tick(axis, most, size) : 0.0;
}

/* All distances for areas of that size. */
static void measure(const struct cs_page *page, double wide, double high, struct grid *grid) {
  const struct cs_figure *figure = page->figure;
  *grid = (struct grid){.down = (figure->panels + page->across - 1) / page->across,
                        .wide = wide,
                        .high = high,
                        .key_width = grid->key_width};
  for (size_t p = 0; p < figure->panels; p++) {
    const size_t column = p % page->across, row = p / page->across;
    const bool beside = page->key == CS_KEY_BESIDE && has_key(page, p);
    double right = fmax(bar_of(page, p, high), overhang(page, p, wide));
    if (beside) right = fmax(BETWEEN - 4.0, right) + grid->key_width;
    grid->left[column] = fmax(grid->left[column], left_of(page, p, high) + (column > 0 ? BETWEEN : 0.0));
    grid->right[column] = fmax(grid->right[column], right);
    grid->head[row] = fmax(grid->head[row], head_of(page, p, wide));
    grid->foot[row] = fmax(grid->foot[row], foot_of(page, p, wide) + (figure->stacked ? 2.0 : 6.0));
  }
}

static double width_of(const struct cs_page *page, const struct grid *grid) {
  double width = 2.0 * EDGE;
  for (size_t c = 0; c < page->across; c++)
    width += grid->left[c] + grid->wide + grid->right[c];
  return width;
}

/* ---- legends */

/* Width of the widest legend in one column, wrapped beyond `most`. */
static double widest_key(const struct cs_page *page, double most) {
  double widest = 0.0;
  for (size_t p = 0; p < page->figure->panels; p++) {
    struct cs_box key;
    if (!has_key(page, p)) continue;
    cs_page_measure_key(page, p, most, 1, &key);
    widest = fmax(widest, key.width);
  }
  return widest;
}

static double tallest_key(const struct cs_page *page, double most) {
  double tallest = 0.0;
  for (size_t p = 0; p < page->figure->panels; p++) {
    struct cs_box key;
    if (!has_key(page, p)) continue;
    cs_page_measure_key(page, p, most, 1, &key);
    tallest = fmax(tallest, key.height);
  }
  return tallest;
}

static const double inside_part = 0.7; /* of a panel's width for a legend inside it */

/* Whether every panel of that size has room for its legend inside. */
static bool fit_inside(const struct cs_page *page, double wide, double high) {
  const struct cs_figure *figure = page->figure;
  const struct cs_box area = {0, 0, wide, high};
  bool fit = !figure->stacked && !page->has_map && !(page->one_key && figure->panels > 1);
  for (size_t p = 0; p < figure->panels && fit; p++) {
    struct cs_box key;
    cs_page_measure_key(page, p, inside_part * wide, 1, &key);
    fit = cs_page_key_rows(&figure->panel[p]) == 0 ||
          cs_page_corner(&figure->panel[p], &area, page->font[CS_FONT_SMALL], &key);
  }
  return fit;
}

/* Whether the entries of all legends find room beside the ends of their curves. */
static bool fit_ends(const struct cs_page *page, double most, double high) {
  bool fit = page->figure->by_ends && page->across == 1;
  for (size_t p = 0; p < page->figure->panels && fit; p++) {
    double top[CS_PAGE_ENDS];
    fit = !has_key(page, p) || cs_page_find_ends(page, p, most, high, top);
  }
  return fit;
}

/* ---- sizes */

/* Areas and legends of a figure whose width may be chosen. */
static void choose_freely(struct cs_page *page, struct grid *grid) {
  static const double width[] = {500, 340, 270, 230}, height[] = {340, 240, 200, 170};
  const struct cs_figure *figure = page->figure;
  const double longest = 300.0; /* of entries beside panels */
  const size_t size = page->across < 4 ? page->across - 1 : 3;
  double wide = figure->stacked ? 640 : width[size],
         high = figure->stacked ? figure->panels > 4 ? 120 : 150 : height[size];
  const double tried[][2] = {{wide, high}, {width[1], high}, {width[1], height[1]}};
  page->at_ends = fit_ends(page, longest, high);
  if (page->at_ends) page->key = CS_KEY_BESIDE;
  for (size_t i = 0; i < sizeof tried / sizeof *tried && page->key == CS_KEY_NONE && !page->one_key; i++) {
    if (tried[i][0] < wide || tried[i][1] < high || !fit_inside(page, tried[i][0], tried[i][1])) continue;
    page->key = CS_KEY_INSIDE;
    wide = tried[i][0];
    high = tried[i][1];
  }
  grid->key_width = widest_key(page, longest);
  if (page->key == CS_KEY_NONE) {
    const bool beside = page->one_key || figure->stacked || grid->key_width <= 0.8 * wide;
    page->key = beside ? CS_KEY_BESIDE : CS_KEY_ABOVE;
    if (beside) high = fmax(high, tallest_key(page, longest));
  }
  measure(page, wide, high, grid);
}

/* Areas and legends in a given width: fewer panels in a row if they would be too small. */
static int choose_within(struct cs_page *page, struct grid *grid, struct cs_error *error) {
  const struct cs_figure *figure = page->figure;
  const double enough = 170.0, least = 80.0, tiny = 20.0, width = figure->style.width;
  for (page->across = figure->across;; page->across--) {
    double wide = fmax(width / (double)page->across - 70.0, tiny);
    for (int i = 0; i < 3; i++) { /* distances depend on sizes, little */
      const double high =
          figure->stacked ? fmin(fmax(0.35 * wide, 90.0), 150.0) : fmin(fmax(0.72 * wide, 110.0), 340.0);
      grid->key_width = widest_key(page, 0.25 * width);
      const bool beside =
          grid->key_width > 0.0 && grid->key_width < 0.24 * width && tallest_key(page, 0.25 * width) <= high;
      page->at_ends = beside && fit_ends(page, grid->key_width, high);
      page->key = !page->at_ends && fit_inside(page, wide, high) ? CS_KEY_INSIDE
                  : beside                                       ? CS_KEY_BESIDE
                                                                 : CS_KEY_ABOVE;
      measure(page, wide, high, grid);
      wide = fmax(wide + (width - width_of(page, grid)) / (double)page->across, tiny);
    }
    if (wide < enough && page->across > 1) continue;
    if (wide < least)
      return cs_error_set(error, CS_USAGE,
                          "--width %.0fmm: too narrow for labels and legend; want a larger one, or a smaller --font",
                          width * 25.4 / 96.0);
    measure(page, wide, grid->high, grid);
    return CS_OK;
  }
}

/* ---- the page */

static bool add_labels(const struct cs_page *page, const struct grid *grid, size_t p) {
  struct cs_page_panel *place = &page->panel[p];
  const struct cs_figure_panel *panel = &page->figure->panel[p];
  const struct cs_box *area = &place->area;
  const double line = cs_page_line(page, CS_FONT_LABEL), middle = area->x + 0.5 * area->width;
  const double below = area->y + area->height;
  const size_t lines = cs_page_count(page, CS_FONT_LABEL, title_of(page, p), area->width, TITLE_LINES);
  const size_t at_left = cs_page_count(page, CS_FONT_LABEL, y_label(page, p), area->height, LABEL_LINES);
  const double y_at = area->x - left_of(page, p, grid->high) + 0.5 * line;
  bool good =
      cs_page_add_lines(page, &place->list, CS_FONT_LABEL, CS_ANCHOR_CENTRE, false, middle,
                        area->y - 6.0 - ((double)lines - 0.5) * line, title_of(page, p), area->width, TITLE_LINES);
  good = good &&
         (at_left == 0 || cs_page_add_lines(page, &place->list, CS_FONT_LABEL, CS_ANCHOR_CENTRE, true, y_at,
                                            area->y + 0.5 * area->height, y_label(page, p), area->height, LABEL_LINES));
  const double ticks = panel->x.ticks > 0 ? 0.0 : CS_PAGE_TICK_GAP - 2.0 + line;
  good = good && cs_page_add_lines(page, &place->list, CS_FONT_LABEL, CS_ANCHOR_CENTRE, false, middle,
                                   below + ticks + 0.5 * line, x_label(page, p), area->width, LABEL_LINES);
  if (panel->x.ticks > 0 && is_ticked(page, p)) good = good && cs_page_add_names(page, place, &panel->x);
  struct cs_box key = {0};
  if (page->key == CS_KEY_ABOVE && !page->one_key && has_key(page, p)) {
    cs_page_measure_key(page, p, area->width, 4, &key);
    key.x = area->x;
    key.y = area->y - 8.0 - (double)lines * line - (lines > 0 ? 2.0 : 0.0) - key.height + (lines > 0 ? 0.0 : 4.0);
    good = good && cs_page_add_key(page, &place->list, p, area->width, 4, &key);
  } else if (page->key == CS_KEY_INSIDE) {
    cs_page_measure_key(page, p, inside_part * area->width, 1, &key);
    good = good && (!cs_page_corner(panel, area, page->font[CS_FONT_SMALL], &key) ||
                    cs_page_add_key(page, &place->list, p, inside_part * area->width, 1, &key));
  } else if (page->key == CS_KEY_BESIDE && has_key(page, p)) {
    const double bar = place->bar.width > 0.0 ? bar_of(page, p, grid->high) : 0.0;
    key.x = area->x + area->width + fmax(BETWEEN - 4.0, fmax(bar, overhang(page, p, area->width)));
    key.y = area->y;
    good = good && cs_page_add_key(page, &place->list, p, grid->key_width + 1.0, 1, &key);
  }
  return good && (!page->apart || cs_page_add_slopes(page, &place->list, p));
}

/* Boxes of numbers, and the colour scale with its label. */
static bool add_ticks(const struct cs_page *page, size_t p) {
  struct cs_page_panel *place = &page->panel[p];
  const struct cs_figure_panel *panel = &page->figure->panel[p];
  const struct cs_box *area = &place->area;
  const double size = page->font[CS_FONT_LABEL], line = cs_page_line(page, CS_FONT_LABEL);
  place->y_most = area->height / (2.0 * size);
  place->x_most = cs_page_most_ticks(&panel->x, area->width, size);
  place->x_ticked = is_ticked(page, p);
  const double y_wide = cs_page_widest_tick(&panel->y, place->y_most, size);
  place->y_ticks = (struct cs_box){area->x - CS_PAGE_TICK_GAP - y_wide, area->y, y_wide, area->height};
  if (place->x_ticked && panel->x.ticks == 0)
    place->x_ticks = (struct cs_box){area->x, area->y + area->height + CS_PAGE_TICK_GAP - 4.0, area->width, line - 2.0};
  if (!has_bar(page, p)) return true;
  const double z_wide = cs_page_widest_tick(&panel->z, place->y_most, size);
  place->bar = (struct cs_box){area->x + area->width + BAR_GAP, area->y, BAR, area->height};
  place->bar_ticks = (struct cs_box){place->bar.x + BAR + CS_PAGE_TICK_GAP, area->y, z_wide, area->height};
  return cs_page_add_lines(page, &place->list, CS_FONT_LABEL, CS_ANCHOR_CENTRE, true,
                           place->bar_ticks.x + z_wide + 6.0 + 0.5 * line, area->y + 0.5 * area->height,
                           panel->z.label != NULL ? panel->z.label : "", area->height, LABEL_LINES);
}

/* Width in which the title has as many lines as in `inner`, of about one length: no word is left over. */
static double balance_title(const struct cs_page *page, double inner) {
  const size_t lines = cs_page_count(page, CS_FONT_TITLE, page->figure->title, inner, SIZE_MAX);
  double width = inner;
  while (lines > 1 && width > 0.5 * inner &&
         cs_page_count(page, CS_FONT_TITLE, page->figure->title, 0.95 * width, SIZE_MAX) == lines)
    width *= 0.95;
  return width;
}

/* Title, panels, notes from above. */
static bool place_all(struct cs_page *page, const struct grid *grid) {
  const struct cs_figure *figure = page->figure;
  const double inner = page->width - 2.0 * EDGE;
  const double title = cs_page_line(page, CS_FONT_TITLE), note = cs_page_line(page, CS_FONT_SMALL);
  double y = EDGE;
  const double balanced = balance_title(page, inner);
  const size_t titles = cs_page_count(page, CS_FONT_TITLE, figure->title, balanced, SIZE_MAX);
  bool good = cs_page_add_lines(page, &page->list, CS_FONT_TITLE, CS_ANCHOR_LEFT, false, EDGE, y + 0.5 * title,
                                figure->title, balanced, SIZE_MAX);
  y += (double)titles * title + (titles > 0 ? 4.0 : 0.0);
  if (page->key == CS_KEY_ABOVE && page->one_key && figure->panels > 0) {
    struct cs_box key;
    cs_page_measure_key(page, 0, inner, 8, &key);
    key.x = EDGE;
    key.y = y;
    good = good && cs_page_add_key(page, &page->list, 0, inner, 8, &key);
    y += key.height > 0.0 ? key.height + 4.0 : 0.0;
  }
  for (size_t row = 0; row < grid->down; row++) {
    double x = EDGE;
    y += grid->head[row];
    for (size_t column = 0; column < page->across && row * page->across + column < figure->panels; column++) {
      const size_t p = row * page->across + column;
      x += grid->left[column];
      page->panel[p].area = (struct cs_box){x, y, grid->wide, grid->high};
      good = good && add_ticks(page, p) && add_labels(page, grid, p);
      x += grid->wide + grid->right[column];
    }
    y += grid->high + grid->foot[row];
  }
  y += 4.0;
  good = good && cs_page_add_lines(page, &page->list, CS_FONT_SMALL, CS_ANCHOR_LEFT, false, EDGE, y + 0.5 * note,
                                   figure->notes, inner, SIZE_MAX);
  page->height = ceil(y + note * (double)cs_page_count(page, CS_FONT_SMALL, figure->notes, inner, SIZE_MAX) + 4.0);
  return good;
}

/* Room for the samples of the legends, which are counted before they are placed. */
static bool reserve(struct cs_page *page) {
  for (size_t p = 0; p < page->figure->panels; p++) {
    const size_t rows = cs_page_key_rows(&page->figure->panel[p]);
    if (!cs_list_reserve(&page->panel[p].list.sample, 2 * rows + 1, /* slopes of its own beside the legend of all */
                         sizeof(struct cs_page_sample)))
      return false;
  }
  return cs_list_reserve(&page->list.sample,
                         page->figure->panels > 0 ? cs_page_key_rows(&page->figure->panel[0]) + 1 : 1,
                         sizeof(struct cs_page_sample));
}

int cs_page_plan(const struct cs_figure *figure, struct cs_page *page, struct cs_error *error) {
  const struct cs_figure_style *style = &figure->style;
  const double pt = 96.0 / 72.0, least = 7.0; /* pt: smaller texts are not read in print */
  const double size = style->size > 0.0 ? style->size : 9.0;
  struct grid grid = {0};
  bool unmeasured = false;
  *page = (struct cs_page){
      .figure = figure, .across = figure->across, .one_key = figure->panels > 1, .unmeasured = &unmeasured};
  page->font[CS_FONT_LABEL] = pt * size;
  page->font[CS_FONT_SMALL] = pt * fmax(least, size * 7.5 / 9.0);
  page->font[CS_FONT_TITLE] = pt * size * 7.0 / 6.0;
  if (figure->panels > MOST) return cs_error_set(error, CS_USAGE, "%zu panels; want at most %d", figure->panels, MOST);
  page->panel = calloc(figure->panels + 1, sizeof *page->panel);
  if (page->panel == NULL || !reserve(page)) return cs_error_memory(error);
  for (size_t p = 0; p < figure->panels; p++) {
    const bool same = cs_page_same_key(&figure->panel[0], &figure->panel[p], true);
    page->one_key = page->one_key && (same || cs_page_same_key(&figure->panel[0], &figure->panel[p], false));
    page->apart = page->apart || !same;
    page->has_map = page->has_map || figure->panel[p].map != NULL;
  }
  page->apart = page->apart && page->one_key;
  int code = CS_OK;
  if (style->width > 0.0)
    code = choose_within(page, &grid, error);
  else
    choose_freely(page, &grid);
  page->width = style->width > 0.0 ? style->width : ceil(width_of(page, &grid));
  if (code == CS_OK && !place_all(page, &grid)) code = cs_error_memory(error);
  page->unmeasured = NULL;
  return unmeasured ? cs_error_memory(error) : code;
}

static void free_list(struct cs_page_list *list) {
  for (size_t i = 0; i < list->texts; i++)
    cs_text_free(&list->text[i].line);
  free(list->text);
  free(list->sample);
  *list = (struct cs_page_list){0};
}

void cs_page_close(struct cs_page *page) {
  for (size_t p = 0; page->panel != NULL && p < page->figure->panels; p++)
    free_list(&page->panel[p].list);
  free(page->panel);
  page->panel = NULL;
  free_list(&page->list);
}
