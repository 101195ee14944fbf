/* A figure as a gnuplot script and its numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "gnuplot_private.h"
#include "letters.h"
#include "page.h"

/* ---- head */

/* Okabe-Ito colours, dashes and symbols, distinguishable in print and by colour-blind readers. */
static const struct style {
  const char *colour, *dash;
  int point;
} styles[CS_FIGURE_CURVES] = {{"#0072B2", "solid", 7},       {"#D55E00", "(8,3)", 5},   {"#009E73", "(3,3)", 9},
                              {"#CC79A7", "(10,3,2,3)", 13}, {"#E69F00", "(14,4)", 11}, {"#56B4E9", "(2,2)", 6},
                              {"#000000", "(6,2,2,2)", 4},   {"#7A3DB8", "(4,6)", 8}};

/* The symbol of a series; from CS_FIGURE_CURVES on filled ones are hollow and hollow ones filled, which alternate. */
static int symbol_of(size_t series) {
  const int point = styles[series % CS_FIGURE_CURVES].point;
  return series < CS_FIGURE_CURVES ? point : point % 2 == 1 ? point - 1 : point + 1;
}

/* A symbol through which its own line would be seen; the next number is the filled one. */
static bool is_hollow(const struct cs_figure_curve *curve) {
  return curve->ink == CS_INK_SERIES && !curve->more && curve->draw == CS_DRAW_BOTH &&
         symbol_of(curve->series % (2 * CS_FIGURE_CURVES)) % 2 == 0;
}

static void add_styles(struct cs_text *text) {
  for (int i = 0; i < 2 * CS_FIGURE_CURVES; i++) {
    const struct style *s = &styles[i % CS_FIGURE_CURVES];
    const bool again = i >= CS_FIGURE_CURVES;
    cs_text_add(text, "set style line %d linecolor rgb '%s' dashtype %s linewidth %s pointtype %d pointsize 0.6\n",
                i + 1, s->colour,
                again && i > CS_FIGURE_CURVES ? "solid"
                : again                       ? "(8,3)"
                                              : s->dash,
                again ? "0.9" : "1.6", symbol_of((size_t)i));
  }
  cs_text_add(text, "set style line 21 linecolor rgb '#000000' dashtype (6,4) linewidth 1 pointtype 1 pointsize 0.4\n");
  cs_text_add(text, "set style line 22 linecolor rgb '#c0c0c0' linewidth 0.7 pointtype 7 pointsize 0.2\n");
  cs_text_add(text, "set style line 23 linecolor rgb '#000000' linewidth 1.8 pointtype 7 pointsize 0.15\n");
  cs_text_add(text, "set style line 24 linecolor rgb '#555555' linewidth 0.8 pointtype 1 pointsize 0.4\n");
  cs_text_add(text, "set style line 25 linecolor rgb '#D55E00' linewidth 1.4 pointtype 2 pointsize 0.7\n");
  cs_text_add(text, "set style line 26 linecolor rgb '#555555' linewidth 1 pointtype 8 pointsize 0.7\n");
}

static void add_style(const struct cs_figure_curve *curve, struct cs_text *text) {
  const bool series = curve->ink == CS_INK_SERIES;
  cs_text_add(text, "linestyle %d", series ? 1 + (int)(curve->series % (2 * CS_FIGURE_CURVES)) : 20 + (int)curve->ink);
  if (curve->more) cs_text_add(text, " pointtype 6 pointsize 1.1");
  if ((curve->ink == CS_INK_REJECTED || curve->ink == CS_INK_GIVEN_UP) && curve->series > 0)
    cs_text_add(text, " linecolor rgb '%s'", styles[(curve->series - 1) % CS_FIGURE_CURVES].colour);
}

/* What hides a line behind a hollow symbol. */
static void add_filling(const struct cs_figure_curve *curve, struct cs_text *text) {
  add_style(curve, text);
  cs_text_add(text, " pointtype %d linecolor rgb '#ffffff'", symbol_of(curve->series % (2 * CS_FIGURE_CURVES)) + 1);
}

static const double pt = 0.75; /* of a pixel */

static int add_terminal(const struct cs_page *page, const char *format, struct cs_text *text, struct cs_error *error) {
  const double size = page->font[CS_FONT_LABEL], inch = 96.0;
  const char *family = page->figure->style.family;
  struct cs_text font = {0};
  const bool svg = strcmp(format, "svg") == 0; /* whose points are pixels */
  cs_text_add(&font, "%s,%.4g", family != NULL ? family : svg ? "sans-serif" : "Sans", svg ? size : pt * size);
  if (svg)
    cs_text_add(text, "set terminal svg size %.0f,%.0f enhanced", page->width, page->height);
  else if (strcmp(format, "png") == 0)
    cs_text_add(text, "set terminal pngcairo size %.0f,%.0f enhanced fontscale 2 linewidth 2 pointscale 2",
                2.0 * page->width, 2.0 * page->height);
  else if (strcmp(format, "pdf") == 0) /* whose fonts gnuplot halves, at 96 dots of 1/72 inch: 0.75 is their size */
    cs_text_add(text, "set terminal pdfcairo size %.4fin,%.4fin enhanced fontscale 0.75 linewidth 1.5",
                page->width / inch, page->height / inch);
  else
    cs_error_set(error, CS_USAGE, "format \"%s\"; want one of: svg, png, pdf", format);
  const bool known = svg || strcmp(format, "png") == 0 || strcmp(format, "pdf") == 0;
  cs_text_add(text, " background rgb 'white' font ");
  cs_gnuplot_add_path(text, cs_text_string(&font));
  cs_text_add(text, "\n");
  text->failed = text->failed || font.failed;
  cs_text_free(&font);
  return known ? CS_OK : CS_USAGE;
}

/* ---- what the layout says */

/* ",9": the size of a font in the unit of the format. */
static void add_font(const struct cs_page *page, const char *format, enum cs_font font, struct cs_text *text) {
  cs_text_add(text, " font ',%.4g'", strcmp(format, "svg") == 0 ? page->font[font] : pt * page->font[font]);
}

static void add_point(const struct cs_page *page, double x, double y, struct cs_text *text) {
  cs_text_add(text, "screen %.6f,%.6f", x / page->width, 1.0 - y / page->height);
}

/* Texts and samples of legends, numbered from `number` on. */
static void add_list(const struct cs_page *page, const char *format, const struct cs_page_list *list, size_t number,
                     struct cs_text *text) {
  static const char *const anchor[] = {"left", "center", "right"};
  for (size_t i = 0; i < list->texts; i++) {
    const struct cs_page_text *t = &list->text[i];
    cs_text_add(text, "set label %zu ", number++);
    cs_gnuplot_add_string(text, cs_text_string(&t->line), CS_LETTERS_LINE);
    cs_text_add(text, " at ");
    add_point(page, t->x, t->y, text);
    cs_text_add(text, " %s%s", anchor[t->anchor], t->upwards ? " rotate by 90" : "");
    add_font(page, format, t->font, text);
    cs_text_add(text, " noenhanced front\n");
  }
  for (size_t i = 0; i < list->samples; i++) {
    const struct cs_page_sample *s = &list->sample[i];
    const struct cs_figure_curve *curve = &page->figure->panel[s->panel].curve[s->curve];
    const double middle = s->box.y + 0.5 * s->box.height;
    if (curve->draw != CS_DRAW_POINTS) {
      cs_text_add(text, "set arrow %zu from ", number++);
      add_point(page, s->box.x, middle, text);
      cs_text_add(text, " to ");
      add_point(page, s->box.x + s->box.width, middle, text);
      cs_text_add(text, " nohead front ");
      add_style(curve, text);
      cs_text_add(text, "\n");
    }
    for (int filling = is_hollow(curve) ? 1 : 0; filling >= 0 && curve->draw != CS_DRAW_LINE; filling--) {
      cs_text_add(text, "set label %zu '' at ", number++);
      add_point(page, s->box.x + 0.5 * s->box.width, middle, text);
      cs_text_add(text, " point ");
      if (filling > 0)
        add_filling(curve, text);
      else
        add_style(curve, text);
      cs_text_add(text, " front\n");
    }
  }
}

static int add_head(const struct cs_page *page, const char *format, const char *output, const char *data,
                    struct cs_text *text, struct cs_error *error) {
  cs_text_add(text, "# gnuplot draws this figure again; the numbers are in the file beside.\nreset\n");
  cs_text_add(text, "set encoding utf8\n");
  const int code = add_terminal(page, format, text, error);
  if (code != CS_OK) return code;
  cs_text_add(text, "folder = exists('ARG0') ? ARG0 : ''\n");
  cs_text_add(text, "while (strlen(folder) > 0 && folder[strlen(folder):] ne '/') {\n");
  cs_text_add(text, "  folder = folder[1:strlen(folder)-1]\n}\nset output folder.");
  cs_gnuplot_add_path(text, output);
  cs_text_add(text, "\nnumbers = folder.");
  cs_gnuplot_add_path(text, data);
  cs_text_add(text, "\n");
  add_styles(text);
  cs_text_add(
      text,
      "set border linewidth 0.8\nset tics scale 0.7\nset grid linecolor rgb '#dddddd' linewidth 0.6\nunset key\n");
  cs_text_add(text, "set multiplot\n");
  return CS_OK;
}

/* ---- panels */

/* Range, scale and ticks; `most`: number of ticks that fit along `length` pixels, in a font of that size. */
static void add_axis(const char *letter, const struct cs_figure_axis *axis, double most, double length, double size,
                     struct cs_text *text) {
  double tick[CS_PAGE_TICKS];
  const size_t ticks = cs_page_short_ticks(axis, length, size, tick);
  cs_text_add(text, "%s logscale %s\n", axis->log ? "set" : "unset", letter);
  cs_text_add(text, "set %srange [%.12g:%.12g]\n", letter, axis->least, axis->most);
  if (axis->ticks > 0 || ticks > 0) {
    cs_text_add(text, "set %stics norotate (", letter);
    for (size_t i = 0; i < ticks; i++)
      cs_text_add(text, "%s%.6g", i > 0 ? ", " : "", tick[i]);
    for (size_t i = 0; i < axis->ticks; i++) /* names stand below */
      cs_text_add(text, "%s'' %zu", i > 0 ? ", " : "", i);
    cs_text_add(text, ")\nset format %s '%%g'\n", letter);
  } else if (axis->log) {
    const double decades = log10(axis->most / axis->least), step = fmax(1.0, ceil(decades / most));
    const double first = step * ceil(log10(axis->least) / step);
    if (step > 1.0)
      cs_text_add(text, "set %stics norotate 1e%.0f, 1e%.0f\n", letter, first, step);
    else
      cs_text_add(text, "set %stics autofreq norotate\n", letter);
    const double readable = 7.1 / (0.8 * pt * size); /* exponents have 0.8 of the size, and no less than 7 pt */
    if (readable > 1.0)
      cs_text_add(text, "set format %s '10^{/*%.3f %%T}'\n", letter, readable);
    else
      cs_text_add(text, "set format %s '10^{%%T}'\n", letter);
  } else {
    const double step = cs_page_step(axis, most);
    cs_text_add(text, "set %stics %.6g norotate\nset format %s '%%.%dh'\n", letter, step, letter,
                cs_page_digits(axis, step, 6));
  }
}

static void add_place(const struct cs_page *page, const struct cs_box *area, struct cs_text *text) {
  cs_text_add(text, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", area->x / page->width,
              (area->x + area->width) / page->width);
  cs_text_add(text, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", 1.0 - area->y / page->height,
              1.0 - (area->y + area->height) / page->height);
}

/* Perceptually uniform, or blue below and orange above the dividing value. */
static void add_palette(const struct cs_figure_panel *panel, struct cs_text *text) {
  const double f = isnan(panel->map->divide) ? NAN : cs_page_part(&panel->z, panel->map->divide);
  if (isnan(f))
    cs_text_add(text,
                "set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', "
                "5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')\n");
  else if (f <= 0.0)
    cs_text_add(text, "set palette defined (0 '#fde3c8', 1 '#e8853a', 2 '#7a2a00')\n");
  else if (f >= 1.0)
    cs_text_add(text, "set palette defined (0 '#0b3c6f', 1 '#4f94c9', 2 '#dcebf7')\n");
  else
    cs_text_add(text,
                "set palette defined (0 '#0b3c6f', %.6f '#4f94c9', %.6f '#dcebf7', %.6f '#fde3c8', %.6f '#e8853a', "
                "1 '#7a2a00')\n",
                0.5 * f, f, f, 0.5 * (1.0 + f));
}

static void add_map(const struct cs_page *page, size_t p, struct cs_text *text) {
  const struct cs_figure_panel *panel = &page->figure->panel[p];
  const struct cs_page_panel *place = &page->panel[p];
  add_palette(panel, text);
  cs_text_add(text,
              "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#c4c4c4' fillstyle solid "
              "noborder\n");
  cs_text_add(text, "set x2range [0:1]\nset y2range [0:1]\nunset grid\n");
  add_axis("cb", &panel->z, place->y_most, place->area.height, page->font[CS_FONT_LABEL], text);
  if (place->bar.width > 0.0)
    cs_text_add(text, "set colorbox user origin screen %.6f,%.6f size screen %.6f,%.6f\n", place->bar.x / page->width,
                1.0 - (place->bar.y + place->bar.height) / page->height, place->bar.width / page->width,
                place->bar.height / page->height);
  else
    cs_text_add(text, "unset colorbox\n");
}

static void add_labels(const struct cs_page *page, const char *format, const struct cs_figure_panel *panel,
                       struct cs_text *text) {
  for (size_t i = 0; i < panel->labels; i++) {
    const struct cs_figure_label *label = &panel->label[i];
    cs_text_add(text, "set label %zu ", 100 + i);
    cs_gnuplot_add_string(text, label->text, CS_LETTERS_MOST);
    cs_text_add(text, " at %.9g,%.9g left", label->x, label->y);
    add_font(page, format, CS_FONT_SMALL, text);
    cs_text_add(text, " noenhanced\n");
  }
}

/* Ticks at the frame, in the foreground. */
static void add_marks(const struct cs_figure_panel *panel, struct cs_text *text) {
  for (size_t i = 0; i < panel->marks; i++) {
    const struct cs_figure_mark *mark = &panel->mark[i];
    cs_text_add(text, "set arrow %zu from first %.12g, graph %s to first %.12g, graph %s nohead front linewidth 1.4 ",
                1 + i, mark->x, mark->above ? "1" : "0", mark->x, mark->above ? "0.955" : "0.045");
    cs_text_add(text, "linecolor rgb '%s'\n", mark->alone ? styles[1].colour : "#000000");
  }
}

/* The plot command; `index`: number of the next block of numbers. */
static void add_plot(const struct cs_figure_panel *panel, size_t *index, struct cs_text *text) {
  static const char *const with[] = {"lines", "points", "linespoints"};
  const char *separator = "plot ";
  if (panel->map != NULL) {
    cs_text_add(text,
                "plot numbers index %zu matrix using (($1+0.5)/%zu):(($2+0.5)/%zu):3 axes x2y2 with image notitle",
                (*index)++, panel->map->columns, panel->map->rows);
    separator = ", \\\n  ";
  }
  for (size_t i = 0; i < panel->curves; i++) {
    const struct cs_figure_curve *curve = &panel->curve[i];
    if (curve->points == 0) continue;
    const bool hollow = is_hollow(curve);
    cs_text_add(text, "%snumbers index %zu using 1:2 with %s ", separator, *index,
                hollow ? "lines" : with[curve->draw]);
    if (hollow) {
      add_style(curve, text);
      cs_text_add(text, " notitle, \\\n  numbers index %zu using 1:2 with points ", *index);
      add_filling(curve, text);
      cs_text_add(text, " notitle, \\\n  numbers index %zu using 1:2 with points ", *index);
    }
    add_style(curve, text);
    ++*index;
    cs_text_add(text, " ");
    struct cs_text entry = {0};
    if (cs_figure_is_listed(curve)) cs_figure_add_entry(curve, true, true, &entry);
    cs_text_add(text, entry.length > 0 ? "title " : "notitle");
    if (entry.length > 0) {
      cs_gnuplot_add_string(text, entry.data, CS_LETTERS_MOST);
      cs_text_add(text, " noenhanced");
    }
    text->failed |= entry.failed;
    cs_text_free(&entry);
    separator = ", \\\n  ";
  }
  if (strcmp(separator, "plot ") == 0) cs_text_add(text, "plot NaN notitle");
  cs_text_add(text, "\n");
}

static void add_panel(const struct cs_page *page, const char *format, size_t p, size_t *index, struct cs_text *text) {
  const struct cs_figure_panel *panel = &page->figure->panel[p];
  const struct cs_page_panel *place = &page->panel[p];
  const double size = page->font[CS_FONT_LABEL];
  cs_text_add(text, "\n# panel %zu\n", p + 1);
  if (p == 0) add_list(page, format, &page->list, 1000, text);
  add_place(page, &place->area, text);
  add_axis("x", &panel->x, place->x_most, place->area.width, size, text);
  if (!place->x_ticked) cs_text_add(text, "set format x ''\n");
  add_axis("y", &panel->y, place->y_most, 0.0, size, text);
  if (panel->map != NULL) add_map(page, p, text);
  add_list(page, format, &place->list, 10000, text);
  add_labels(page, format, panel, text);
  add_marks(panel, text);
  add_plot(panel, index, text);
  cs_text_add(text, "unset label\nunset arrow\n");
}

/* ---- numbers */

static void add_value(struct cs_text *text, double value) {
  cs_text_add(text, isnan(value) ? "NaN" : "%.12g", value);
}

/* The rest of a line; `string` may be NULL. */
static void add_comment(struct cs_text *text, const char *string) {
  if (string != NULL) cs_letters_add_plain(text, string, strlen(string), CS_LETTERS_MOST);
  cs_text_add(text, "\n");
}

static void add_numbers(const struct cs_figure_panel *panel, size_t p, struct cs_text *text) {
  if (panel->map != NULL) {
    cs_text_add(text, "# panel %zu, rows from below, columns from the left: ", p + 1);
    add_comment(text, panel->z.label);
    const int digits = cs_page_digits(&panel->z, 1e-3 * (panel->z.most - panel->z.least), 4);
    for (size_t i = 0; i < panel->map->rows * panel->map->columns; i++) {
      if (isnan(panel->map->value[i]))
        cs_text_add(text, "NaN");
      else
        cs_text_add(text, "%.*g", digits, panel->map->value[i]);
      cs_text_add(text, (i + 1) % panel->map->columns == 0 ? "\n" : " ");
    }
    cs_text_add(text, "\n\n");
  }
  for (size_t i = 0; i < panel->curves; i++) {
    const struct cs_figure_curve *curve = &panel->curve[i];
    if (curve->points == 0) continue;
    cs_text_add(text, "# panel %zu: ", p + 1);
    struct cs_text entry = {0};
    cs_figure_add_entry(curve, true, true, &entry);
    add_comment(text, cs_text_string(&entry));
    text->failed |= entry.failed;
    cs_text_free(&entry);
    for (size_t k = 0; k < curve->points; k++) {
      add_value(text, curve->x[k]);
      cs_text_add(text, " ");
      add_value(text, curve->y[k]);
      cs_text_add(text, "\n");
    }
    cs_text_add(text, "\n\n");
  }
}

int cs_gnuplot_script(const struct cs_figure *figure, const char *format, const char *output, const char *data,
                      struct cs_text *script, struct cs_text *numbers, struct cs_error *error) {
  struct cs_page page;
  size_t index = 0;
  int code = cs_page_plan(figure, &page, error);
  if (code == CS_OK) code = add_head(&page, format, output, data, script, error);
  for (size_t p = 0; p < figure->panels && code == CS_OK; p++) {
    add_panel(&page, format, p, &index, script);
    add_numbers(&figure->panel[p], p, numbers);
  }
  cs_page_close(&page);
  if (code != CS_OK) return code;
  cs_text_add(script, "unset multiplot\nunset output\n");
  cs_text_add(numbers, "%s", "");
  return script->failed || numbers->failed ? cs_error_memory(error) : CS_OK;
}
