/* The layout of figures: no text over another one or over the data, whatever the names, numbers of panels and widths.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure_case.h"
#include "figure_private.h"
#include "gnuplot.h"
#include "page.h"

static struct cs_error error;

static struct cs_figure *draw(const struct cs_table *table, const struct cs_figure_request *request) {
  struct cs_figure *figure = NULL;
  cr_assert_eq(cs_figure_new(table, request, &figure, &error), CS_OK, "%s", error.message);
  return figure;
}

static bool inside_page(const struct cs_page *page, const struct cs_box *box) {
  return box->x >= 0.0 && box->y >= 0.0 && box->x + box->width <= page->width + 0.5 &&
         box->y + box->height <= page->height + 0.5;
}

static bool overlap(const struct cs_box *a, const struct cs_box *b) {
  const double room = 0.5;
  return a->x + room < b->x + b->width && b->x + room < a->x + a->width && a->y + room < b->y + b->height &&
         b->y + room < a->y + a->height;
}

static bool contains(const struct cs_box *a, const struct cs_box *b) {
  return b->x >= a->x && b->y >= a->y && b->x + b->width <= a->x + a->width && b->y + b->height <= a->y + a->height;
}

enum { MOST_BOXES = 2000 };

struct boxes {
  size_t count;
  struct {
    struct cs_box box;
    char what[80];
  } item[MOST_BOXES];
};

static void add_box(struct boxes *boxes, const struct cs_box *box, const char *what) {
  if (box->width <= 0.0 || box->height <= 0.0) return;
  cr_assert_lt(boxes->count, MOST_BOXES);
  boxes->item[boxes->count].box = *box;
  snprintf(boxes->item[boxes->count++].what, sizeof boxes->item->what, "%s", what);
}

static void add_list(struct boxes *boxes, const struct cs_page_list *list, const struct cs_box *area) {
  for (size_t i = 0; i < list->texts; i++)
    if (area == NULL || !contains(area, &list->text[i].box)) /* legends inside are checked against curves */
      add_box(boxes, &list->text[i].box, list->text[i].line.data);
  for (size_t i = 0; i < list->samples; i++)
    if (area == NULL || !contains(area, &list->sample[i].box)) add_box(boxes, &list->sample[i].box, "sample");
}

/* No text overlaps another one, an area or the edge of the page, and every listed curve is in the legend with all of
 * its words, or what is left of 120 characters. */
static void check_layout(const struct cs_figure *figure, const char *name) {
  static struct boxes boxes;
  struct cs_page page;
  boxes.count = 0;
  cr_assert_eq(cs_page_plan(figure, &page, &error), CS_OK, "%s: %s", name, error.message);
  if (figure->style.width > 0.0) cr_assert_eq(page.width, figure->style.width, "%s", name);
  for (size_t f = 0; f < CS_FONTS; f++)
    cr_assert_geq(page.font[f], 7.0 * 96.0 / 72.0 - 1e-9, "%s", name);
  add_list(&boxes, &page.list, NULL);
  size_t samples = page.list.samples, listed = 0;
  for (size_t p = 0; p < figure->panels; p++) {
    const struct cs_page_panel *panel = &page.panel[p];
    add_box(&boxes, &panel->area, "area");
    add_box(&boxes, &panel->bar, "bar");
    add_box(&boxes, &panel->x_ticks, "numbers along x");
    add_box(&boxes, &panel->y_ticks, "numbers along y");
    add_box(&boxes, &panel->bar_ticks, "numbers of the colours");
    add_list(&boxes, &panel->list, &panel->area);
    samples += panel->list.samples;
    for (size_t i = 0; i < panel->list.samples && page.apart; i++) /* of slopes in a corner */
      samples -= contains(&panel->area, &panel->list.sample[i].box);
    for (size_t c = 0; c < figure->panel[p].curves && (p == 0 || !page.one_key); c++)
      listed += cs_figure_is_listed(&figure->panel[p].curve[c]);
  }
  cr_assert_eq(samples, listed, "%s: %zu of %zu curves in the legend", name, samples, listed);
  for (size_t i = 0; i < boxes.count; i++) {
    const struct cs_box *a = &boxes.item[i].box;
    cr_assert(inside_page(&page, a), "%s, %g pixels: %s leaves the page: %g, %g, %g x %g of %g x %g", name,
              figure->style.width, boxes.item[i].what, a->x, a->y, a->width, a->height, page.width, page.height);
    for (size_t k = 0; k < i; k++)
      cr_assert_not(overlap(a, &boxes.item[k].box), "%s, %g pixels: %s over %s", name, figure->style.width,
                    boxes.item[i].what, boxes.item[k].what);
  }
  cs_page_close(&page);
}

#define LONG "a_rather_long_name_of_some_thing_that_goes_on"

/* A figure with `panels` panels of `curves` curves, with texts of some length. */
static struct cs_figure *make_figure(size_t panels, size_t across, size_t curves, const char *word, int kind) {
  struct cs_figure *figure = cs_figure_begin("lines", panels, across);
  cr_assert_not_null(figure);
  figure->stacked = kind == 1;
  figure->one_scale = true;
  figure->title =
      cs_text_copy("A title of several words that is long enough to be broken into two lines or more of them");
  figure->notes =
      cs_text_copy("the first note\nthe second one, which has many words and is broken too if it must be, as here\n");
  for (size_t p = 0; p < panels; p++) {
    struct cs_figure_panel *panel = &figure->panel[p];
    struct cs_text text[3] = {0};
    cs_text_add(&text[0], "%s, %s %zu", word, word, p);
    cs_text_add(&text[1], "%s [N m s/rad]", word);
    cs_text_add(&text[2], "|%s %zu| [m/s]", word, p % 3);
    panel->title = text[0].data;
    panel->x.label = text[1].data;
    panel->y.label = text[2].data;
    panel->x.log = kind == 2;
    panel->x.least = 1e-5;
    panel->x.most = 1.0;
    panel->y.least = -1.2e-4;
    panel->y.most = 1.00012;
    if (kind == 3) {
      panel->x.ticks = 24;
      panel->x.least = -0.5;
      panel->x.most = 23.5;
      panel->x.tick = calloc(panel->x.ticks, sizeof *panel->x.tick);
      for (size_t i = 0; i < panel->x.ticks; i++)
        panel->x.tick[i] = cs_text_copy(word);
    }
    if (kind == 4) {
      panel->map = calloc(1, sizeof *panel->map);
      panel->map->rows = panel->map->columns = 1;
      panel->map->value = calloc(1, sizeof(double));
      panel->map->divide = NAN;
      panel->z = (struct cs_figure_axis){.label = cs_text_copy(word), .least = 0.0, .most = 1.0};
    }
    for (size_t c = 0; c < curves; c++) {
      struct cs_text title = {0};
      cs_text_add(&title, "%s = %zu: slope %zu", word, c, p);
      struct cs_figure_curve *curve = cs_figure_add_curve(panel, 3, title.data);
      curve->series = c;
      for (size_t i = 0; i < 3; i++) {
        curve->x[i] = kind == 3 ? 11.0 * (double)i : 0.5 * (double)i + 1e-5;
        curve->y[i] = (i % 2 == c % 2) ? 1.0 : 0.0;
      }
      cs_text_free(&title);
    }
  }
  return figure;
}

Test(page, texts_do_not_collide) {
  static const size_t panels[] = {1, 2, 4, 6, 12}, curves[] = {0, 1, 5, 16};
  static const char *const words[] = {"H", "exact, order 1", LONG};
  static const double widths[] = {0.0, 85.0 * 96.0 / 25.4, 170.0 * 96.0 / 25.4};
  for (size_t p = 0; p < 5; p++)
    for (size_t c = 0; c < 4; c++)
      for (size_t w = 0; w < 3; w++)
        for (int kind = 0; kind < 5; kind++)
          for (size_t k = 0; k < 3; k++) {
            char name[120];
            struct cs_figure *figure = make_figure(panels[p], kind == 1 ? 1 : 0, curves[c], words[w], kind);
            figure->style.width = widths[k];
            snprintf(name, sizeof name, "%zu panels, %zu curves, \"%.20s\", kind %d", panels[p], curves[c], words[w],
                     kind);
            check_layout(figure, name);
            cs_figure_free(figure);
          }
}

/* The figures of tables, with legends inside that cover no curve. */
Test(page, texts_of_tables_do_not_collide) {
  static const struct cs_figure_request request[] = {{0},
                                                     {.kind = "lines"},
                                                     {.kind = "points", .x = "solver"},
                                                     {.kind = "map", .x = "H", .y = "order"},
                                                     {.curve = "solver,order"}};
  for (size_t i = 0; i < sizeof request / sizeof *request; i++)
    for (double width = 0.0; width < 400.0; width += 85.0 * 96.0 / 25.4) {
      struct cs_table *table = figure_case_table(true);
      struct cs_figure *figure = draw(table, &request[i]);
      figure->style.width = width;
      check_layout(figure, figure->kind);
      cs_figure_free(figure);
      cs_table_free(table);
    }
}

Test(page, too_narrow) {
  struct cs_page page;
  struct cs_figure *figure = make_figure(1, 1, 3, LONG, 0);
  figure->style.width = 30.0 * 96.0 / 25.4;
  cr_expect_eq(cs_page_plan(figure, &page, &error), CS_USAGE);
  cr_expect_str_eq(error.message,
                   "--width 30mm: too narrow for labels and legend; want a larger one, or a smaller --font");
  cs_page_close(&page);
  cs_figure_free(figure);
}

/* Two curves that end apart, and two that end together: names stand where they end, below each other, while the lines
 * of a legend fit; elsewhere, and of curves in another order, the legend is one block. */
Test(page, names_at_the_ends_of_curves) {
  static const double ends[] = {1e0, 1e-4, 0.9e-4, 1e-8};
  for (int way = 0; way < 3; way++) {
    struct cs_page page;
    struct cs_figure *figure = cs_figure_begin("cost", 1, 0);
    cr_assert_not_null(figure);
    struct cs_figure_panel *panel = &figure->panel[0];
    figure->title = calloc(1, 1);
    figure->notes = calloc(1, 1);
    panel->title = calloc(1, 1);
    panel->x.label = calloc(1, 1);
    panel->y.label = calloc(1, 1);
    panel->x.log = panel->y.log = true;
    for (size_t c = 0; c < 4; c++) {
      char title[] = {(char)('a' + c), '\0'};
      struct cs_figure_curve *curve = cs_figure_add_curve(panel, 2, title);
      curve->x[0] = 1.0;
      curve->x[1] = 10.0;
      curve->y[0] = 1.0;
      curve->y[1] = way == 2 ? 1e-8 : ends[c];
    }
    figure->by_ends = way != 1;
    cs_figure_set_ranges(figure, &(struct cs_text){0});
    cr_assert_eq(cs_page_plan(figure, &page, &error), CS_OK);
    cr_expect_eq(page.at_ends, way == 0);
    const struct cs_page_list *list = &page.panel[0].list;
    const struct cs_box *area = &page.panel[0].area;
    cr_assert_eq(list->samples, 4u);
    for (size_t i = 0; i < 4 && way == 0; i++) {
      const struct cs_box *box = &list->sample[i].box;
      const double end = area->y + area->height * (1.0 - cs_page_part(&panel->y, ends[i]));
      cr_expect(fabs(box->y + 0.5 * box->height - end) <= box->height, "%zu: %g beside %g", i, box->y, end);
      if (i > 0) cr_expect_geq(box->y, list->sample[i - 1].box.y + box->height - 1e-9);
    }
    check_layout(figure, "ends");
    cs_page_close(&page);
    cs_figure_free(figure);
  }
}

/* ---- scripts */

/* In single quotes gnuplot obeys nothing, in double ones no octal numbers: whatever the title says, it stays one. */
Test(page, texts_stay_texts_in_scripts) {
  struct cs_table *table = figure_case_table(false);
  struct cs_text script = {0}, numbers = {0};
  free(table->title);
  table->title = cs_text_copy("'Tom's' `ls` \\ $x\a 'end'");
  struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
  cr_assert_eq(cs_gnuplot_script(figure, "svg", "o'ut", "d'at", &script, &numbers, &error), CS_OK, "%s", error.message);
  static const char *const parts[] = {
      "set label 1000 \"\\047Tom\\047s\\047 \\140ls\\140 \\134 \\044x\357\277\275 \\047end\\047\" at ",
      "folder.\"o\\047ut\"\n", "folder.\"d\\047at\"\n"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    cr_expect(strstr(cs_text_string(&script), parts[i]), "%s is not in\n%.1500s", parts[i], cs_text_string(&script));
  cs_text_free(&script);
  cs_text_free(&numbers);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* A line is hidden behind the hollow symbols on it, in the panel and in its legend. */
Test(page, hollow_symbols) {
  for (size_t series = 4; series < 6; series++) {
    struct cs_figure *figure = cs_figure_begin("lines", 1, 1);
    struct cs_text script = {0}, numbers = {0};
    cr_assert_not_null(figure);
    figure->title = cs_text_copy("");
    figure->notes = cs_text_copy("");
    struct cs_figure_curve *curve = cs_figure_add_curve(&figure->panel[0], 2, "one");
    cr_assert_not_null(curve);
    curve->draw = CS_DRAW_BOTH;
    curve->series = series;
    curve->x[0] = curve->y[0] = 0.0;
    curve->x[1] = curve->y[1] = figure->panel[0].x.most = figure->panel[0].y.most = 1.0;
    cr_assert_eq(cs_gnuplot_script(figure, "svg", "o", "d", &script, &numbers, &error), CS_OK, "%s", error.message);
    const char *filling = strstr(cs_text_string(&script), " linestyle 6 pointtype 7 linecolor rgb '#ffffff'");
    cr_expect_eq(filling != NULL && strstr(filling + 1, "pointtype 7 linecolor rgb '#ffffff'") != NULL, series == 5,
                 "series %zu: %s", series, cs_text_string(&script));
    cs_text_free(&script);
    cs_text_free(&numbers);
    cs_figure_free(figure);
  }
}

static size_t count_texts(const struct cs_page *page, const char *word) {
  size_t count = 0;
  for (size_t p = 0; p <= page->figure->panels; p++) {
    const struct cs_page_list *list = p < page->figure->panels ? &page->panel[p].list : &page->list;
    for (size_t i = 0; i < list->texts; i++)
      count += strstr(list->text[i].line.data, word) != NULL;
  }
  return count;
}

/* Panels whose legends differ by slopes alone have one legend, and the slopes in a corner of their own. */
Test(page, one_legend) {
  for (double width = 0.0; width < 800.0; width += 700.0) {
    struct cs_table *table = figure_case_table(true);
    struct cs_figure *figure = draw(table, &(struct cs_figure_request){0});
    struct cs_page page;
    figure->style.width = width;
    cr_assert_eq(figure->panels, SOLVERS * OUTPUTS);
    cr_assert_eq(cs_page_plan(figure, &page, &error), CS_OK);
    cr_expect(page.one_key && page.apart);
    for (size_t c = 0; c < ORDERS; c++) {
      char name[16];
      snprintf(name, sizeof name, "order %zu", c);
      cr_expect_eq(count_texts(&page, name), 1, "%s: %zu", name, count_texts(&page, name));
    }
    cr_expect_eq(count_texts(&page, "slope"), figure->panels * ORDERS - 2, "%zu", count_texts(&page, "slope"));
    cr_expect_eq(count_texts(&page, "zero"), 2);
    cs_page_close(&page);
    cs_figure_free(figure);
    cs_table_free(table);
  }
}

/* Below each other, a legend that says all that another would is not repeated. */
Test(page, legends_of_a_column) {
  static const char *const title[][2] = {{"one", "two"}, {"two", NULL}, {"one", "three"}, {"one", "two"}};
  static const size_t samples[] = {2, 0, 2, 0};
  for (double width = 0.0; width < 800.0; width += 300.0) {
    struct cs_figure *figure = cs_figure_begin("trace", 4, 1);
    struct cs_page page;
    cr_assert_not_null(figure);
    figure->stacked = true;
    figure->title = cs_text_copy("");
    figure->notes = cs_text_copy("");
    figure->style.width = width;
    for (size_t p = 0; p < 4; p++)
      for (size_t c = 0; c < 2 && title[p][c] != NULL; c++) {
        struct cs_figure_curve *curve = cs_figure_add_curve(&figure->panel[p], 2, title[p][c]);
        cr_assert_not_null(curve);
        curve->series = title[p][c][0] == 'o' ? 0 : 1;
        curve->draw = CS_DRAW_LINE;
        curve->x[0] = curve->y[0] = 0.0;
        curve->x[1] = curve->y[1] = 1.0;
        figure->panel[p].x.most = figure->panel[p].y.most = 1.0;
      }
    cr_assert_eq(cs_page_plan(figure, &page, &error), CS_OK, "%s", error.message);
    for (size_t p = 0; p < 4; p++)
      cr_expect_eq(page.panel[p].list.samples, samples[p], "%g pixels, panel %zu: %zu", width, p,
                   page.panel[p].list.samples);
    cs_page_close(&page);
    cs_figure_free(figure);
  }
}
