/* A figure as a gnuplot script and its numbers. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "page.h"

/* ---- texts */

/* Appends `length` bytes of a text as one line that can be shown, at most CS_PAGE_LETTERS of it. */
static void add_line(struct cs_text *text, const char *string, size_t length) {
  for (size_t letters = 0; length > 0; letters++) {
    const size_t plain = cs_text_plain_length(string, length), whole = cs_text_utf8_length(string, length);
    const size_t step = plain > 0 ? plain : whole > 0 ? whole : 1;
    if (letters == CS_PAGE_LETTERS) {
      cs_text_add(text, "\342\200\246");
      return;
    }
    if (plain > 0)
      cs_text_append(text, string, plain);
    else
      cs_text_add(text, *string == '\n' || *string == '\t' ? " " : "\357\277\275");
    string += step;
    length -= step;
  }
}

/* Between double quotes gnuplot obeys backslashes, and runs what is between backquotes: whatever is not a letter or
 * blank is written as its octal number there, digits too, which would prolong the number before them. */
static void add_octal(struct cs_text *text, const char *line) {
  cs_text_add(text, "\"");
  for (; *line != '\0'; line++) {
    const unsigned char c = (unsigned char)*line;
    if (c == ' ' || c >= 0x80 || isalpha(c))
      cs_text_append(text, line, 1);
    else
      cs_text_add(text, "\\%03o", (unsigned)c);
  }
  cs_text_add(text, "\"");
}

/* A string constant: between single quotes nothing is special but single quotes themselves, and two of them side by
 * side are not read as they should be. */
static void add_quoted(struct cs_text *text, const char *string, size_t length) {
  struct cs_text line = {0};
  cs_text_append(&line, "", 0);
  add_line(&line, string, length);
  text->failed |= line.failed;
  if (line.failed || strchr(line.data, '\'') != NULL)
    add_octal(text, cs_text_string(&line));
  else
    cs_text_add(text, "'%s'", line.data);
  cs_text_free(&line);
}

/* A path as a string constant, with every byte as it is. */
static void add_path(struct cs_text *text, const char *path) {
  bool plain = true;
  for (const char *c = path; *c != '\0'; c++)
    plain = plain && *c != '\'' && (unsigned char)*c >= 0x20;
  if (plain)
    cs_text_add(text, "'%s'", path);
  else
    add_octal(text, path);
}

static void add_string(struct cs_text *text, const char *string) {
  add_quoted(text, string, strlen(string));
}

/* Lines of text starting `y` pixels below the top. Returns the number of the next label. */
static int add_lines(const struct cs_page *page, const char *string, int number, int y, int pitch, const char *font,
                     size_t most, struct cs_text *text) {
  for (int line = 0; *string != '\0' && line < CS_PAGE_LINES; line++) {
    const size_t length = cs_page_line(string, most);
    cs_text_add(text, "set label %d ", number++);
    add_quoted(text, string, length);
    cs_text_add(text, " at screen %.5f,%.5f font '%s' noenhanced\n", 10.0 / page->width, 1.0 - (double)y / page->height,
                font);
    string += length;
    string += *string == ' ' || *string == '\n';
    y += pitch;
  }
  return number;
}

/* ---- head */

/* Okabe-Ito colours, dashes and symbols, distinguishable in print and by colour-blind readers. */
static const struct style {
  const char *colour, *dash;
  int point;
} styles[CS_FIGURE_CURVES] = {{"#0072B2", "solid", 7},       {"#D55E00", "(8,3)", 5},   {"#009E73", "(3,3)", 9},
                              {"#CC79A7", "(10,3,2,3)", 13}, {"#E69F00", "(14,4)", 11}, {"#56B4E9", "(2,2)", 6},
                              {"#000000", "(6,2,2,2)", 4},   {"#888888", "(4,6)", 8}};

static void add_styles(struct cs_text *text) {
  for (int i = 0; i < 2 * CS_FIGURE_CURVES; i++) {
    const struct style *s = &styles[i % CS_FIGURE_CURVES];
    const bool again = i >= CS_FIGURE_CURVES;
    cs_text_add(text, "set style line %d linecolor rgb '%s' dashtype %s linewidth %s pointtype %d pointsize 0.6\n",
                i + 1, s->colour,
                again && i > CS_FIGURE_CURVES ? "solid"
                : again                       ? "(8,3)"
                                              : s->dash,
                again ? "0.9" : "1.6", again ? (s->point % 2 == 1 ? s->point - 1 : s->point + 1) : s->point);
  }
  cs_text_add(text, "set style line 21 linecolor rgb '#000000' dashtype (6,4) linewidth 1 pointtype 1 pointsize 0.4\n");
  cs_text_add(text, "set style line 22 linecolor rgb '#c8c8c8' linewidth 7 pointtype 7 pointsize 0.9\n");
  cs_text_add(text, "set style line 23 linecolor rgb '#000000' linewidth 1.8 pointtype 7 pointsize 0.15\n");
  cs_text_add(text, "set style line 24 linecolor rgb '#555555' linewidth 0.8 pointtype 1 pointsize 0.4\n");
  cs_text_add(text, "set style line 25 linecolor rgb '#D55E00' linewidth 1.4 pointtype 2 pointsize 0.7\n");
}

static int style_of(const struct cs_figure_curve *curve) {
  return curve->ink == CS_INK_SERIES ? 1 + (int)(curve->series % (2 * CS_FIGURE_CURVES)) : 20 + (int)curve->ink;
}

static int add_terminal(const struct cs_page *page, const char *format, struct cs_text *text, struct cs_error *error) {
  const double inch = 96.0;
  if (strcmp(format, "svg") == 0)
    cs_text_add(text, "set terminal svg size %d,%d enhanced font 'sans-serif,12' background rgb 'white'\n", page->width,
                page->height);
  else if (strcmp(format, "png") == 0)
    cs_text_add(text,
                "set terminal pngcairo size %d,%d enhanced font 'Sans,9' fontscale 2 linewidth 2 pointscale 2 "
                "background rgb 'white'\n",
                2 * page->width, 2 * page->height);
  else if (strcmp(format, "pdf") == 0)
    cs_text_add(text, "set terminal pdfcairo size %.4fin,%.4fin enhanced font 'Sans,9' background rgb 'white'\n",
                page->width / inch, page->height / inch);
  else
    return cs_error_set(error, CS_USAGE, "format \"%s\"; want one of: svg, png, pdf", format);
  return CS_OK;
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
  add_path(text, output);
  cs_text_add(text, "\nnumbers = folder.");
  add_path(text, data);
  cs_text_add(text, "\n");
  add_styles(text);
  cs_text_add(text, "set border linewidth 0.8\nset tics scale 0.7\nset grid linecolor rgb '#dddddd' linewidth 0.6\n");
  cs_text_add(text, "set multiplot\n");
  const int next = add_lines(page, page->figure->title, 1, 18, 20, page->title_font, cs_page_title_letters(page), text);
  const int notes = CS_PAGE_LINE * cs_page_lines(page->figure->notes, cs_page_note_letters(page));
  add_lines(page, page->figure->notes, next, page->height - notes + 4, CS_PAGE_LINE, page->note_font,
            cs_page_note_letters(page), text);
  return CS_OK;
}

/* ---- panels */

enum { MOST_TICKS = 100 }; /* upper bound for any range */

/* Ticks of a logarithmic axis too short for powers of ten: 1, 2, 5 of each decade, or equidistant ones. */
static void add_short_ticks(const char *letter, const struct cs_figure_axis *axis, double most, struct cs_text *text) {
  static const double multiples[] = {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0}, few[] = {1.0, 2.0, 5.0};
  const bool all = axis->most < 12.0 * axis->least;
  const double *multiple = all ? multiples : few;
  const size_t count = all ? sizeof multiples / sizeof *multiples : sizeof few / sizeof *few;
  const char *separator = "";
  cs_text_add(text, "set %stics norotate (", letter);
  if (axis->most < 4.0 * axis->least) {
    const double step = cs_page_step(axis, most);
    const double first = ceil(axis->least / step);
    for (int i = 0; i <= MOST_TICKS && (first + i) * step <= axis->most; i++, separator = ", ")
      cs_text_add(text, "%s%.6g", separator, (first + i) * step);
  } else {
    for (double decade = pow(10.0, floor(log10(axis->least))); decade <= axis->most; decade *= 10.0)
      for (size_t i = 0; i < count; i++) {
        if (multiple[i] * decade < axis->least || multiple[i] * decade > axis->most) continue;
        cs_text_add(text, "%s%.6g", separator, multiple[i] * decade);
        separator = ", ";
      }
  }
  cs_text_add(text, ")\nset format %s '%%g'\n", letter);
}

/* The text of a tick is a format of its position. */
static void add_tick(struct cs_text *text, const char *tick) {
  struct cs_text format = {0};
  cs_text_append(&format, "", 0);
  for (; *tick != '\0'; tick++)
    cs_text_append(&format, *tick == '%' ? "%%" : tick, *tick == '%' ? 2 : 1);
  text->failed |= format.failed;
  add_string(text, cs_text_string(&format));
  cs_text_free(&format);
}

/* Range, scale, label and ticks; `most`: number of ticks that fit. */
static void add_axis(const char *letter, const struct cs_figure_axis *axis, bool labelled, bool ticked, double most,
                     struct cs_text *text) {
  cs_text_add(text, "%s logscale %s\n", axis->log ? "set" : "unset", letter);
  cs_text_add(text, "set %srange [%.12g:%.12g]\nset %slabel ", letter, axis->least, axis->most, letter);
  add_string(text, labelled && axis->label != NULL ? axis->label : "");
  cs_text_add(text, letter[0] == 'c' ? " noenhanced offset 1.5,0\n" : " noenhanced\n");
  if (axis->ticks > 0) {
    cs_text_add(text, "set %stics noenhanced rotate by -25 (", letter);
    for (size_t i = 0; i < axis->ticks; i++) {
      cs_text_add(text, i > 0 ? ", " : "");
      add_tick(text, axis->tick[i]);
      cs_text_add(text, " %zu", i);
    }
    cs_text_add(text, ")\n");
  } else if (axis->log && axis->most < 50.0 * axis->least) {
    add_short_ticks(letter, axis, most, text);
  } else if (axis->log) {
    cs_text_add(text, "set %stics autofreq norotate\nset format %s '10^{%%T}'\n", letter, letter);
  } else {
    const double step = cs_page_step(axis, most);
    cs_text_add(text, "set %stics %.6g norotate\nset format %s '%%.%dg'\n", letter, step, letter,
                cs_page_digits(axis, step, 6));
  }
  if (!ticked) cs_text_add(text, "set format %s ''\n", letter);
}

static void add_place(const struct cs_page *page, size_t panel, int x, int y, struct cs_text *text) {
  const double w = page->width, h = page->height;
  const int bar = page->figure->panel[panel].map != NULL ? CS_PAGE_BAR : 0;
  const enum cs_key_place key = cs_page_key(page, panel);
  cs_text_add(text, "set lmargin at screen %.5f\nset rmargin at screen %.5f\n", x / w, (x + page->panel_width) / w);
  cs_text_add(text, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n", 1.0 - y / h,
              1.0 - (y + page->panel_height) / h);
  if (key == CS_KEY_NONE)
    cs_text_add(text, "unset key\n");
  else if (key == CS_KEY_BESIDE)
    cs_text_add(text, "set key at screen %.5f,%.5f left top Left reverse vertical noenhanced samplen 2.2 spacing 1.1\n",
                (x + page->panel_width + 10 + bar) / w, 1.0 - (y - 4) / h);
  else
    cs_text_add(text, "set key inside %s Left reverse vertical noenhanced samplen 1.6 spacing 1 font '%s'\n",
                key == CS_KEY_LOWER_RIGHT ? "bottom right" : "top left", page->note_font);
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

static void add_map(const struct cs_page *page, const struct cs_figure_panel *panel, int x, int y, bool bar,
                    struct cs_text *text) {
  const double w = page->width, h = page->height;
  add_palette(panel, text);
  cs_text_add(text,
              "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#c4c4c4' fillstyle solid "
              "noborder\n");
  cs_text_add(text, "set x2range [0:1]\nset y2range [0:1]\nunset grid\n");
  add_axis("cb", &panel->z, bar, true, cs_page_ticks(page), text);
  if (bar)
    cs_text_add(text, "set colorbox user origin screen %.5f,%.5f size screen %.5f,%.5f\n",
                (x + page->panel_width + 12) / w, 1.0 - (y + page->panel_height) / h, 14 / w, page->panel_height / h);
  else
    cs_text_add(text, "unset colorbox\n");
}

static void add_labels(const struct cs_figure_panel *panel, const char *font, struct cs_text *text) {
  for (size_t i = 0; i < panel->labels; i++) {
    const struct cs_figure_label *label = &panel->label[i];
    cs_text_add(text, "set label %zu ", 100 + i);
    add_string(text, label->text);
    cs_text_add(text, " at %.9g,%.9g left font '%s' noenhanced\n", label->x, label->y, font);
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
    cs_text_add(text, "%snumbers index %zu using 1:2 with %s linestyle %d ", separator, (*index)++, with[curve->draw],
                style_of(curve));
    if (curve->ink == CS_INK_REJECTED && curve->series > 0)
      cs_text_add(text, "linecolor rgb '%s' ", styles[(curve->series - 1) % CS_FIGURE_CURVES].colour);
    if (curve->title != NULL && curve->title[0] != '\0') {
      cs_text_add(text, "title ");
      add_string(text, curve->title);
    } else {
      cs_text_add(text, "notitle");
    }
    separator = ", \\\n  ";
  }
  if (strcmp(separator, "plot ") == 0) cs_text_add(text, "plot NaN notitle");
  cs_text_add(text, "\n");
}

static bool same_label(const struct cs_figure_axis *a, const struct cs_figure_axis *b) {
  return a->label != NULL && b->label != NULL && strcmp(a->label, b->label) == 0;
}

static void add_panel(const struct cs_page *page, size_t p, size_t *index, struct cs_text *text) {
  const struct cs_figure *figure = page->figure;
  const struct cs_figure_panel *panel = &figure->panel[p];
  const bool lowest = p + figure->across >= figure->panels;
  int x, y;
  cs_page_place(page, p, &x, &y);
  cs_text_add(text, "\n# panel %zu\nset title ", p + 1);
  add_string(text, panel->title != NULL && !figure->stacked ? panel->title : "");
  cs_text_add(text, " noenhanced offset 0,-0.5\n");
  add_place(page, p, x, y, text);
  const bool named = panel->x.ticks > 0;
  const bool under = lowest || !same_label(&panel->x, &figure->panel[p + figure->across].x);
  const bool outer = p % figure->across == 0 || !same_label(&panel->y, &figure->panel[p - 1].y);
  add_axis("x", &panel->x, figure->stacked ? lowest : under && !named, !figure->stacked || lowest,
           page->panel_width / 55.0, text);
  add_axis("y", &panel->y, outer, true, cs_page_ticks(page), text);
  if (panel->map != NULL) add_map(page, panel, x, y, cs_page_has_bar(page, p), text);
  add_labels(panel, page->note_font, text);
  add_marks(panel, text);
  add_plot(panel, index, text);
  cs_text_add(text, "unset label\n");
  if (panel->marks > 0) cs_text_add(text, "unset arrow\n");
}

/* ---- numbers */

static void add_value(struct cs_text *text, double value) {
  cs_text_add(text, isnan(value) ? "NaN" : "%.12g", value);
}

/* The rest of a line; `string` may be NULL. */
static void add_comment(struct cs_text *text, const char *string) {
  if (string != NULL) add_line(text, string, strlen(string));
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
    add_comment(text, curve->title);
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
  cs_page_plan(figure, format, &page);
  const int code = add_head(&page, format, output, data, script, error);
  if (code != CS_OK) return code;
  for (size_t p = 0; p < figure->panels; p++) {
    add_panel(&page, p, &index, script);
    add_numbers(&figure->panel[p], p, numbers);
  }
  cs_text_add(script, "unset multiplot\nunset output\n");
  cs_text_add(numbers, "%s", "");
  return script->failed || numbers->failed ? cs_error_memory(error) : CS_OK;
}
