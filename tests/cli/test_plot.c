/* cosweep plot: figures of all formats that their readers take, scripts that draw the same again, and what is said
 * where no figure can be drawn. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli_case.h"
#include "figure.h"
#include "figure_case.h"
#include "gnuplot.h"
#include "letters.h"
#include "option.h"
#include "page.h"
#include "store.h"

static struct cs_error error;

/* result.h5 in the working directory, with a title that XML, gnuplot and shells would read otherwise. */
static const char title[] = "a_b^2 <c> & 'd' \"e\" {/Symbol f} \\n $g %h Ω";

static void open_case(void) {
  struct cs_store *store = NULL;
  cli_case_open();
  struct cs_table *table = figure_case_table(true);
  free(table->title);
  table->title = strdup(title);
  cr_assert_eq(cs_store_open("result.h5", 0, &store, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_store_commit(store, table, &error), CS_OK, "%s", error.message);
  cs_store_close(store);
  cs_table_free(table);
}

static char *read_bytes(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  cr_assert_not_null(file, "%s", path);
  cr_assert_eq(fseek(file, 0, SEEK_END), 0);
  *length = (size_t)ftell(file);
  rewind(file);
  char *bytes = calloc(*length + 1, 1);
  cr_assert_eq(fread(bytes, 1, *length, file), *length);
  fclose(file);
  return bytes;
}

/* Runs a command line that has to print `out` and nothing else. */
static void expect_output(const char *words, const char *out) {
  struct cli_result result = cli_run(words);
  cr_expect_eq(result.status, 0, "%s: %d", words, result.status);
  cr_expect_str_eq(result.out, out, "%s: %s", words, result.out);
  cr_expect_str_empty(result.err, "%s: %s", words, result.err);
  cli_free(&result);
}

static void expect_error(const char *words, const struct cli_how *how, int status, const char *message) {
  struct cli_result result = cli_run_how(words, how);
  cr_expect_eq(result.status, status, "%s: %d", words, result.status);
  cr_expect_str_empty(result.out);
  cr_expect(strncmp(result.err, message, strlen(message)) == 0, "%s: %s", words, result.err);
  cli_free(&result);
}

TestSuite(plot, .init = open_case, .fini = cli_case_close, .timeout = 120);

/* The name is the result's; texts reach the figure as they are. */
Test(plot, svg_is_well_formed) {
  size_t length;
  expect_output("plot result.h5", "result.svg\n");
  cr_assert_eq(system("xmllint --noout result.svg"), 0, "xmllint (libxml2-utils) takes it");
  char *svg = read_bytes("result.svg", &length);
  cr_expect_not_null(strstr(svg, "a_b^2 &lt;c> &amp; 'd'"));
  cr_expect_not_null(strstr(svg, "{/Symbol f} \\n $g %h Ω"));
  cr_expect_not_null(strstr(svg, "body.x_1"));
  cr_expect_not_null(strstr(svg, "RMS output error [m]"));
  cr_expect_not_null(strstr(svg, "order 1: slope 2.00"));
  free(svg);
}

Test(plot, a_replaced_figure_keeps_its_permissions) {
  struct stat file;
  cli_case_write("result.svg", "old");
  cr_assert_eq(chmod("result.svg", 0600), 0);
  expect_output("plot result.h5 --force", "result.svg\n");
  cr_assert_eq(stat("result.svg", &file), 0);
  cr_expect(file.st_size > 1000 && (file.st_mode & 0777) == 0600, "mode %o", (unsigned)file.st_mode);
}

Test(plot, png_and_pdf) {
  static const struct {
    const char *words, *name, *start;
  } row[] = {{"plot result.h5 -o a.png", "a.png", "\x89PNG\r\n"}, {"plot result.h5 -o a.pdf", "a.pdf", "%PDF-"}};
  for (size_t i = 0; i < 2; i++) {
    char want[16];
    size_t length;
    snprintf(want, sizeof want, "%s\n", row[i].name);
    expect_output(row[i].words, want);
    char *bytes = read_bytes(row[i].name, &length);
    cr_expect_gt(length, 4000);
    cr_expect_eq(memcmp(bytes, row[i].start, strlen(row[i].start)), 0, "%s", row[i].name);
    free(bytes);
  }
}

/* Nothing but the figure is left behind. */
Test(plot, leaves_no_other_file) {
  char *before = cli_case_files();
  expect_output("plot result.h5 -o b.svg", "b.svg\n");
  cr_assert_eq(remove("b.svg"), 0);
  remove("cli_result.out"), remove("cli_result.err");
  char *after = cli_case_files();
  cr_expect_str_eq(before, after);
  free(before);
  free(after);
}

/* What is drawn, without the head that says where it is from. */
static bool same_drawing(const char *a, const char *b) {
  const char *left = strstr(a, "<g id=\"gnuplot_canvas\">"), *right = strstr(b, "<g id=\"gnuplot_canvas\">");
  return left != NULL && right != NULL && strcmp(left, right) == 0;
}

/* The script that is kept draws the same, from whatever folder it is called. */
Test(plot, script_draws_the_same) {
  size_t first, second;
  cr_assert_eq(system("mkdir sub"), 0);
  expect_output("plot result.h5 -o sub/a.svg --script", "sub/a.gp\nsub/a.dat\nsub/a.svg\n");
  char *svg = read_bytes("sub/a.svg", &first);
  cr_assert_eq(remove("sub/a.svg"), 0);
  cr_assert_eq(system("gnuplot sub/a.gp"), 0);
  char *again = read_bytes("sub/a.svg", &second);
  cr_expect(same_drawing(svg, again), "%zu, %zu bytes", first, second);
  free(again);
  cr_assert_eq(remove("sub/a.svg"), 0);
  cr_assert_eq(system("cd sub && gnuplot a.gp"), 0);
  again = read_bytes("sub/a.svg", &second);
  cr_expect(same_drawing(svg, again), "%zu, %zu bytes", first, second);
  free(again);
  free(svg);
}

Test(plot, without_gnuplot) {
  const struct cli_how how = {.environment = "PATH=/nonexistent"};
  expect_error("plot result.h5", &how, 5,
               "gnuplot is not installed, and figures are drawn by it; on Debian: apt-get "
               "install gnuplot-nox\n");
  cr_expect_neq(access("result.svg", F_OK), 0);
}

/* A figure that cosweep made is replaced; nothing else is without --force. */
Test(plot, replaces_its_own_figures) {
  static const char *const names[] = {"a.svg", "a.png", "a.pdf"};
  for (size_t i = 0; i < 3; i++) {
    char words[80], out[16], want[80];
    snprintf(words, sizeof words, "plot result.h5 --width 85mm -o %s", names[i]);
    snprintf(out, sizeof out, "%s\n", names[i]);
    snprintf(want, sizeof want, "%s: exists; --force overwrites it\n", names[i]);
    cli_case_write(names[i], i == 0 ? "<svg><title>mine</title></svg>" : "mine");
    expect_error(words, NULL, 5, want);
    cr_assert_eq(remove(names[i]), 0);
    expect_output(words, out);
    expect_output(words, out);
  }
  cli_case_write("b.svg", "");
  expect_error("plot result.h5 -o b.svg", NULL, 5, "b.svg: exists; --force overwrites it\n");
}

/* Program, command and data are in the file. */
Test(plot, origin_in_the_file) {
  size_t length;
  expect_output("plot result.h5 -o a.svg --where order=1 --slopes", "a.svg\n");
  char *svg = read_bytes("a.svg", &length);
  cr_expect_not_null(strstr(svg, "<metadata>program: cosweep "));
  cr_expect_not_null(
      strstr(svg, "\ncommand: cosweep plot result.h5 -o a.svg --slopes --where order=1\ndata: result.h5</metadata>"));
  cr_expect_null(strstr(svg, "<title>Gnuplot</title>"));
  cr_assert_eq(system("xmllint --noout a.svg"), 0);
  free(svg);
}

/* A column of a journal: as wide as it says. */
Test(plot, width_and_font) {
  size_t length;
  expect_output("plot result.h5 -o a.svg --width 85mm --font Serif,8", "a.svg\n");
  char *svg = read_bytes("a.svg", &length);
  cr_expect_not_null(strstr(svg, "width=\"321\""));
  cr_expect_not_null(strstr(svg, "font-family=\"Serif\""));
  for (const char *at = svg; (at = strstr(at, "font-size=\"")) != NULL; at++)
    cr_assert_geq(strtod(at + strlen("font-size=\""), NULL), 7.0 * 96.0 / 72.0 - 0.02, "%.20s", at);
  free(svg);
  expect_output("plot result.h5 -o b.svg --kind lines --signal body.f --xrange 0.01:0.02 --yrange 1e-3:1", "b.svg\n");
}

Test(plot, wrong_looks) {
  static const char *const row[][2] = {
      {"--width 85", "--width 85; want a length from 30mm to 2000mm in mm, cm or in, for example 85mm"},
      {"--width 5mm", "--width 5mm; want a length"},
      {"--width nan", "--width nan; want a length"},
      {"--width x", "--width x; want a length"},
      {"--font Times,3", "--font Times,3; want NAME, NAME,SIZE or SIZE, from 7 to 36 pt"},
      {"--font 99", "--font 99; want NAME"},
      {"--font Times,", "--font Times,; want NAME"},
      {"--font a<b", "--font a<b; want a name without quotes"},
      {"--xrange 1", "--xrange 1; want A:B with A below B, for example 0:0.5"},
      {"--xrange 2:1", "--xrange 2:1; want A:B"},
      {"--xrange 1:2x", "--xrange 1:2x; want A:B"},
      {"--xrange 0:1", "--xrange 0:1: the axis is logarithmic; want numbers above 0"},
      {"--yrange 1:2",
       "--yrange: panels show RMS output error [m] and RMS output error [N]; want --metric and --signal that"},
      {"--kind map --x H --y order --xrange 1:2", "--xrange: a map shows its axes as a whole; want --where"},
      {"--label exakt=x", "--label \"exakt=x\": nothing is called that; did you mean \"exact\"?"},
      {"--label exact", "--label \"exact\"; want OLD=NEW"},
      {"--ylabel y", "--ylabel: panels show RMS output error [m] and RMS output error [N]; want --metric"},
      {"--kind points --x solver --xlabel x", "--xlabel: the axis has names; want --label OLD=NEW"},
      {"--kind points --x solver --xrange 1:2", "--xrange: the axis has names; want --where"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char words[120], want[160];
    snprintf(words, sizeof words, "plot result.h5 -o c.svg %s", row[i][0]);
    snprintf(want, sizeof want, "cosweep plot: %s", row[i][1]);
    expect_error(words, NULL, 2, want);
  }
}

Test(plot, errors) {
  expect_output("plot result.h5", "result.svg\n");
  expect_output("plot result.h5", "result.svg\n");
  expect_error("plot result.h5 --script -o figure.h5", NULL, 2,
               "cosweep plot: --output figure.h5; want a name ending in .svg");
  expect_error("plot none.h5 -o a.svg", NULL, 5, "none.h5: ");
  expect_error("plot result.h5 -o none/a.svg", NULL, 5, "none/a.svg: there is no directory \"none\"");
  expect_error("plot result.h5 -o a.svg --x h", NULL, 2,
               "cosweep plot: --x \"h\"; want one of: solver, order, H, output "
               "(see: cosweep plot --help)\n");
  expect_error("plot result.h5 -o a.svg --kin map", NULL, 2,
               "cosweep plot: unknown option \"--kin\"; did you mean \"--kind\"?");
}

/* The words that completion offers for --kind are those that figures know. */
Test(plot, kinds_are_those_of_the_figures) {
  struct cs_text message = {0};
  cs_text_add(&message, "cosweep plot: --kind \"pie\"; want one of: ");
  cs_option_add_words(cs_option_row(CS_OPTION_KIND)->words, ", ", ", ", &message);
  cs_text_add(&message, " (see: cosweep plot --help)\n");
  expect_error("plot result.h5 -o a.svg --kind pie", NULL, 2, message.data);
  cs_text_free(&message);
}

/* What the library gives is the drawing of the file. */
Test(plot, svg_from_the_library) {
  struct cs_table *table = NULL;
  struct cs_figure *figure = NULL;
  struct cs_text svg = {0};
  size_t length;
  expect_output("plot result.h5", "result.svg\n");
  cr_assert_eq(cs_store_read("result.h5", &table, &error), CS_OK);
  cr_assert_eq(cs_figure_new(table, &(struct cs_figure_request){0}, &figure, &error), CS_OK);
  cr_assert_eq(cs_gnuplot_svg(figure, &svg, &error), CS_OK, "%s", error.message);
  char *file = read_bytes("result.svg", &length);
  cr_expect(same_drawing(svg.data, file));
  free(file);
  cs_text_free(&svg);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Where the legend of a panel begins, in fractions of its area; beyond 1: beside it. */
static struct cs_box key_place(const struct cs_page *page, size_t p) {
  const struct cs_page_panel *panel = &page->panel[p];
  cr_assert_gt(panel->list.samples, 0);
  const struct cs_box *key = &panel->list.sample[0].box, *area = &panel->area;
  return (struct cs_box){.x = (key->x - area->x) / area->width, .y = (key->y - area->y) / area->height};
}

/* --where takes metrics of runs too, and --signal is of those metrics that have signals. */
Test(plot, runs_by_a_metric) {
  cli_case_write("sweep.json",
                 "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"" COSWEEP_SOURCE_DIR
                 "/models/ring/model.json\", \"t_end\": 1, \"method\": {\"hold\": \"lagrange\"}, \"axes\": ["
                 "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.01, 0.02, 0.05, 0.1]}], "
                 "\"metrics\": [\"output_error\", \"steps\"], \"fits\": []}");
  struct cli_result r = cli_run("run sweep.json --device host -o s.h5 -q");
  cr_expect_eq(r.status, 0, "%s", r.err);
  cli_free(&r);
  static const struct {
    const char *options;
    int status;
    const char *said;
  } cases[] = {
      {"--metric output_error --signal cell1.v_left --where steps=20:50", 0, "2 values not drawn: --where leaves"},
      {"--metric output_error --signal cell1.v_left --where steps=50", 0, "3 values not drawn: --where leaves"},
      {"--metric output_error,steps --signal cell1.v_left", 0, "RMS output error of cell1.v_left"},
      {"--metric steps --signal cell1.v_left", 2, "--signal \"cell1.v_left\"; steps has no signals"},
      {"--where steps=few", 2, "--where \"steps=few\"; want steps=NUMBER or steps=FROM:TO"},
      {"--where step=5", 2, "did you mean \"steps\"? want AXIS=VALUE with AXIS one of: H, output, steps"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char command[256];
    size_t length;
    snprintf(command, sizeof command, "plot s.h5 --force -o a.svg %s", cases[i].options);
    r = cli_run(command);
    cr_expect_eq(r.status, cases[i].status, "%s: %s", cases[i].options, r.err);
    char *said = r.status == 0 ? read_bytes("a.svg", &length) : r.err;
    cr_expect_not_null(strstr(said, cases[i].said), "%s: %s", cases[i].options, r.err);
    if (r.status == 0) free(said);
    cli_free(&r);
  }
}

/* Legends of panels of their own stand inside, in a corner without curves, and beside the panels where one has none. */
Test(plot, places_of_legends) {
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = NULL;
  struct cs_page page;
  cr_assert_eq(cs_figure_new(table, &(struct cs_figure_request){0}, &figure, &error), CS_OK);
  figure->panel[0].curve[0].title[0] = 'O'; /* legends differ */
  cr_assert_eq(cs_page_plan(figure, &page, &error), CS_OK);
  cr_expect(page.key == CS_KEY_INSIDE && !page.one_key);
  const double width = page.width;
  cr_expect(key_place(&page, 0).x > 0.4 && key_place(&page, 0).y > 0.5);
  cs_page_close(&page);
  const struct cs_figure_panel *panel = &figure->panel[0];
  for (size_t i = 0; i < STEPS; i++) /* the uppermost curve moves down there */
    panel->curve[0].y[i] = panel->y.least;
  cr_assert_eq(cs_page_plan(figure, &page, &error), CS_OK);
  cr_expect_lt(key_place(&page, 0).y, 0.1);
  cr_expect(key_place(&page, 1).x > 0.4 && key_place(&page, 1).y > 0.5);
  cs_page_close(&page);
  panel->curve[0].y[0] = panel->curve[0].y[STEPS - 1] = panel->y.most;
  cr_assert_eq(cs_page_plan(figure, &page, &error), CS_OK);
  cr_expect_eq(page.key, CS_KEY_BESIDE);
  cr_expect_gt(key_place(&page, 1).x, 1.0);
  cr_expect_gt(page.width, width);
  cs_page_close(&page);
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Labels, names and notes as the user wants them; a font that is not there is named. */
Test(plot, words) {
  static const char *const said[] = {">step<", ">error/N<", ">precise<", ">Euler<"};
  size_t length;
  expect_output(
      "plot result.h5 -o w.svg --signal body.f --no-notes --xlabel step --ylabel error/N --label "
      "exact=precise --label euler=Euler",
      "w.svg\n");
  char *svg = read_bytes("w.svg", &length);
  for (size_t i = 0; i < sizeof said / sizeof *said; i++)
    cr_expect_not_null(strstr(svg, said[i]), "%s", said[i]);
  cr_expect_null(strstr(svg, "of body.f")); /* labels of the user replace the name of the signal */
  free(svg);
  struct cli_result r = cli_run("plot result.h5 -o f.svg --font Nonexistent,8");
  cr_expect_eq(r.status, 0);
  const bool asked = system("command -v fc-match > fc.out") == 0;
  cr_expect(!asked || strstr(r.err, "--font Nonexistent: this machine has no such font, ") != NULL, "%s", r.err);
  cli_free(&r);
}

/* Values that are one number but for rounding, or all alike, are drawn like any others: gnuplot takes no empty range.
 */
Test(plot, values_without_a_range) {
  static const double spreads[] = {0.0, 1e-14, 1e-8};
  static const struct cs_figure_request request[] = {{.kind = "lines"},
                                                     {.kind = "convergence"},
                                                     {.kind = "map", .x = "H", .y = "order"},
                                                     {.kind = "points", .x = "solver"}};
  for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++)
    for (size_t k = 0; k < sizeof request / sizeof *request; k++) {
      struct cs_table *table = figure_case_table(false);
      struct cs_figure *figure = NULL;
      struct cs_text svg = {0};
      struct cs_array *value = cs_table_find(table, "output_error");
      for (size_t v = 0; v < value->count; v++)
        value->data.float64[v] = 0.01 * (1.0 + (v % 4 == 0 ? spreads[i] : 0.0));
      cr_assert_eq(cs_figure_new(table, &request[k], &figure, &error), CS_OK, "%s", error.message);
      const struct cs_figure_panel *panel = &figure->panel[0];
      const struct cs_figure_axis *axis = panel->map != NULL ? &panel->z : &panel->y;
      const bool flat = spreads[i] < 1e-9;
      cr_expect(flat ? axis->most > 1.05 * axis->least : axis->most < (1.0 + 2.0 * spreads[i]) * axis->least,
                "%s, %g: %.17g to %.17g", figure->kind, spreads[i], axis->least, axis->most);
      cr_expect_eq(cs_gnuplot_svg(figure, &svg, &error), CS_OK, "%s, %g: %s", figure->kind, spreads[i], error.message);
      cs_text_free(&svg);
      cs_figure_free(figure);
      cs_table_free(table);
    }
}

/* A panel of a map without any run that succeeded is grey beside others; one position along an axis is a cell. */
Test(plot, maps_without_values) {
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = NULL;
  struct cs_text svg = {0};
  struct cs_array *status = cs_table_find(table, "status");
  memset(status->data.uint8 + status->count / 2, 1, status->count / 2);
  const struct cs_figure_request request = {
      .kind = "map", .x = "H", .y = "order", .where = (const char *const[]){"order=2"}, .wheres = 1};
  cr_assert_eq(cs_figure_new(table, &request, &figure, &error), CS_OK, "%s", error.message);
  cr_assert_eq(figure->panels, 4);
  cr_expect(figure->panel[0].y.least == 1.0 && figure->panel[0].y.most == 3.0);
  cr_expect_eq(cs_gnuplot_svg(figure, &svg, &error), CS_OK, "%s", error.message);
  cr_expect_not_null(strstr(svg.data, "grey: 18 failed runs"));
  cs_text_free(&svg);
  cs_figure_free(figure);
  memset(status->data.uint8, 1, status->count);
  cr_expect_eq(cs_figure_new(table, &request, &figure, &error), CS_NO_RESULT);
  cs_table_free(table);
}

/* Wide numbers along an axis leave room for its label. */
Test(plot, room_for_numbers) {
  static const struct {
    double least, most;
    const char *widest, *exponent; /* in a smaller font */
  } row[] = {{0.0, 1.0, "0.1", ""},
             {-0.00047, 0.00017, "-0.0004", ""},
             {1.0, 1.00000002, "1.000000002", ""},
             {-1.2e-12, 1.2e-12, "-2\303\22710", "-13"}};
  struct cs_table *table = figure_case_table(false);
  struct cs_figure *figure = NULL;
  double usual = 0.0, narrow = 0.0;
  cr_assert_eq(cs_figure_new(table, &(struct cs_figure_request){.kind = "lines"}, &figure, &error), CS_OK);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_page page;
    for (size_t p = 0; p < figure->panels; p++) {
      figure->panel[p].y.log = false;
      figure->panel[p].y.least = row[i].least;
      figure->panel[p].y.most = row[i].most;
    }
    cr_assert_eq(cs_page_plan(figure, &page, &error), CS_OK);
    const double size = page.font[CS_FONT_LABEL];
    const double width = cs_letters_width(row[i].widest, strlen(row[i].widest), size) +
                         0.8 * cs_letters_width(row[i].exponent, strlen(row[i].exponent), size);
    if (i == 0) usual = page.panel[0].area.x, narrow = width;
    cr_expect(fabs(page.panel[0].area.x - usual - width + narrow) < 1.01, "row %zu: %g for %g", i,
              page.panel[0].area.x - usual, width - narrow);
    cs_page_close(&page);
  }
  cs_figure_free(figure);
  cs_table_free(table);
}

/* Cells that are not all of one width take pixels of their own number, fewer where there are more panels: a figure of
 * many of them is still drawn in seconds. */
Test(plot, pixels_of_uneven_cells) {
  struct cs_table *table = figure_case_table(false);
  for (size_t i = 0; i < table->dimensions; i++)
    if (strcmp(table->dimension[i].name, "order") == 0) table->dimension[i].values[2] = 5.0;
  static const char *const one[] = {"solver=exact"};
  for (size_t panels = 1; panels <= 4; panels += 3) {
    struct cs_figure *figure = NULL;
    const struct cs_figure_request request = {.kind = "map",
                                              .x = "H",
                                              .y = "order",
                                              .where = one,
                                              .wheres = panels == 1,
                                              .signal = panels == 1 ? "body.f" : NULL};
    cr_assert_eq(cs_figure_new(table, &request, &figure, &error), CS_OK, "%s", error.message);
    cr_assert_eq(figure->panels, panels);
    cr_expect_eq(figure->panel[0].map->rows, panels == 1 ? 640 : 400);
    cr_expect_eq(figure->panel[0].map->columns % STEPS, 0);
    cs_figure_free(figure);
  }
  cs_table_free(table);
}
