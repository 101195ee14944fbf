/* Several traces in one figure: which curves come into which panel, exact solutions once, names in the legend, and
 * files that do not go together. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_case.h"
#include "figure.h"
#include "figure_case.h"
#include "gnuplot.h"
#include "store.h"

static struct cs_error error;

/* Rows 0 to `steps` at t = i / steps with the signals a.y = t + bias and a.z = 2 t, exact where bias is 0, and a step
 * that was rejected where `rejected`. `at`: the run; NULL: none is said. */
static struct cs_table *make(size_t steps, double bias, bool rejected, const char *at) {
  static const char *const outputs[] = {"a.y", "a.z"}, *const units[] = {"V", "V"};
  static const size_t all[] = {0, 1};
  const size_t rows = steps + 1 + rejected;
  double t[64];
  struct cs_array *accepted, *H, *y, *exact, *unit;
  struct cs_table *table = cs_table_new("A trace: run 3", "test", "none");
  for (size_t i = 0; i < rows; i++)
    t[i] = fmin(1.0, (double)i / (double)steps);
  cr_assert_eq(cs_table_add_dimension(table, "t", "s", "", rows, t, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "output", "", "", 2, NULL, outputs, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "output_units", "", "", CS_TEXT, 1, &all[1], &unit, &error), CS_OK);
  for (size_t i = 0; i < 2; i++)
    unit->data.text[i] = strdup(units[i]);
  cr_assert_eq(cs_table_add_array(table, "accepted", "1", "", CS_UINT8, 1, all, &accepted, &error), CS_OK);
  memset(accepted->data.uint8, 1, rows);
  if (rejected) accepted->data.uint8[rows - 1] = 0;
  cr_assert_eq(cs_table_add_array(table, "H", "s", "", CS_FLOAT64, 1, all, &H, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "y", "see output_units", "", CS_FLOAT64, 2, all, &y, &error), CS_OK);
  cr_assert_eq(cs_table_add_array(table, "y_exact", "see output_units", "", CS_FLOAT64, 2, all, &exact, &error), CS_OK);
  H = cs_table_find(table, "H"), y = cs_table_find(table, "y");
  for (size_t i = 0; i < rows; i++) {
    H->data.float64[i] = i == 0 ? NAN : 1.0 / (double)steps;
    exact->data.float64[2 * i] = t[i];
    exact->data.float64[2 * i + 1] = y->data.float64[2 * i + 1] = 2.0 * t[i];
    y->data.float64[2 * i] = t[i] + bias;
  }
  if (at != NULL) cr_assert_eq(cs_table_add_text(table, "at", 1, 1, &at, &error), CS_OK);
  return table;
}

static struct cs_figure *draw(const struct cs_figure_file *file, size_t files,
                              const struct cs_figure_request *request) {
  struct cs_figure *figure = NULL;
  cr_assert_eq(cs_figure_compare(file, files, request, &figure, &error), CS_OK, "%s", error.message);
  return figure;
}

static size_t count_exact(const struct cs_figure_panel *panel) {
  size_t count = 0;
  for (size_t i = 0; i < panel->curves; i++)
    count += panel->curve[i].ink == CS_INK_EXACT;
  return count;
}

/* Symbols where steps are few; lines alone where symbols would hide them. */
Test(figure_traces, symbols) {
  for (size_t steps = 39; steps <= 59; steps += 20) {
    struct cs_table *table = make(steps, 0.1, true, NULL);
    struct cs_figure *figure = draw(&(struct cs_figure_file){table, "a.h5"}, 1, &(struct cs_figure_request){0});
    const enum cs_figure_draw want = steps == 39 ? CS_DRAW_BOTH : CS_DRAW_LINE;
    cr_assert_eq(figure->panels, 2);
    cr_expect_eq(figure->panel[0].curve[0].draw, want);
    cr_expect_eq(figure->panel[1].curve[0].draw, CS_DRAW_LINE, "stairs");
    cr_expect(figure->panel[1].curve[1].ink == CS_INK_REJECTED && figure->panel[1].curve[1].draw == CS_DRAW_POINTS);
    cs_figure_free(figure);
    cs_table_free(table);
  }
}

/* A curve per file and signal, files apart by colour before signals, the finer of equal exact solutions once and over
 * the rest, rejected steps in the colour of their file. */
Test(figure_traces, curves) {
  static const struct {
    const char *title;
    enum cs_figure_ink ink;
    size_t series, points;
  } want[] = {{"control=fixed: a.y", CS_INK_SERIES, 0, 11},
              {"control=pi_ecco: a.y", CS_INK_SERIES, 1, 21},
              {"control=fixed: a.z", CS_INK_SERIES, 2, 11},
              {"control=pi_ecco: a.z", CS_INK_SERIES, 3, 21},
              {"exact solution", CS_INK_EXACT, 0, 21},
              {"control=fixed", CS_INK_SERIES, 0, 2},
              {"control=fixed, rejected", CS_INK_REJECTED, 1, 0},
              {"control=pi_ecco", CS_INK_SERIES, 1, 2},
              {"control=pi_ecco, rejected", CS_INK_REJECTED, 2, 1}};
  struct cs_table *fixed = make(10, 0.1, false, "control=fixed, v0=1");
  struct cs_table *controlled = make(20, 0.2, true, "control=pi_ecco, v0=1");
  const struct cs_figure_file file[] = {{fixed, "a.h5"}, {controlled, "b.h5"}};
  struct cs_figure *figure = draw(file, 2, &(struct cs_figure_request){0});
  cr_expect_str_eq(figure->title, "A trace");
  cr_expect_str_eq(figure->notes, "runs: v0=1\n");
  cr_assert_eq(figure->panels, 2);
  cr_assert_eq(figure->panel[0].curves, 5, "that of a.z cannot be told from the co-simulation");
  cr_assert_eq(figure->panel[1].curves, 4);
  for (size_t i = 0; i < 9; i++) {
    const struct cs_figure_curve *curve = i < 5 ? &figure->panel[0].curve[i] : &figure->panel[1].curve[i - 5];
    cr_expect(curve->ink == want[i].ink && curve->points == want[i].points, "%zu: %zu points", i, curve->points);
    if (want[i].ink != CS_INK_EXACT) cr_expect_eq(curve->series, want[i].series, "%zu: %zu", i, curve->series);
    if (want[i].title == NULL || want[i].points == 0)
      cr_expect_null(curve->title);
    else
      cr_expect_str_eq(curve->title, want[i].title);
  }
  cr_expect_eq(figure->panel[0].curve[1].y[20], 1.2);
  cr_expect(figure->panel[0].y.most > 2.0 && figure->panel[1].y.least < 0.05 && figure->panel[1].y.most > 0.1);
  cs_figure_free(figure);
  figure = draw(file, 2, &(struct cs_figure_request){.signal = "a.z"});
  cr_assert_eq(figure->panel[0].curves, 2);
  cr_expect_eq(count_exact(&figure->panel[0]), 0);
  cr_expect_str_eq(figure->panel[0].y.label, "a.z [V]");
  cr_expect_str_eq(figure->panel[0].curve[1].title, "control=pi_ecco");
  cs_figure_free(figure);
  cs_table_free(fixed);
  cs_table_free(controlled);
}

/* Exact solutions that differ are all drawn, one of them named. */
Test(figure_traces, exact_solutions_that_differ) {
  struct cs_table *a = make(10, 0.5, false, "v0=0"), *b = make(10, 0.5, false, "v0=1");
  struct cs_array *exact = cs_table_find(b, "y_exact");
  for (size_t i = 0; i < exact->count; i++)
    exact->data.float64[i] += 0.1;
  const struct cs_figure_file file[] = {{a, "a.h5"}, {b, "b.h5"}};
  struct cs_figure *figure = draw(file, 2, &(struct cs_figure_request){0});
  size_t named = 0;
  cr_expect_eq(count_exact(&figure->panel[0]), 3);
  for (size_t i = 0; i < figure->panel[0].curves; i++)
    named += figure->panel[0].curve[i].ink == CS_INK_EXACT && figure->panel[0].curve[i].title != NULL;
  cr_expect_eq(named, 1);
  cs_figure_free(figure);
  cs_table_free(a);
  cs_table_free(b);
}

/* The legend: what differs in the runs, else the files' names, else their paths; notes say the rest. */
Test(figure_traces, names) {
  static const struct {
    const char *at[2], *path[2], *name[2], *notes;
  } row[] = {
      {{"v0=1, H=0.1", "v0=1, H=0.2"}, {"a.h5", "b.h5"}, {"H=0.1", "H=0.2"}, "runs: v0=1\n"},
      {{"v0=1, H=0.1", "v0=2, H=0.2"}, {"a.h5", "b.h5"}, {"v0=1, H=0.1", "v0=2, H=0.2"}, ""},
      {{"kp=0.12345678, H=0.0015811388300841895", "kp=0.12345678, H=5e-4"},
       {"a.h5", "b.h5"},
       {"H=0.00158114", "H=0.0005"},
       "runs: kp=0.123457\n"},
      {{"H=0.10000001", "H=0.1"}, {"a.h5", "b.h5"}, {"H=0.10000001", "H=0.10000000000000001"}, ""},
      {{"H=0.1", "H=0.1"}, {"d/a.h5", "b.x.h5"}, {"a", "b.x"}, "a: H=0.1\nb.x: H=0.1\n"},
      {{"H=0.1", "tol=0.1"}, {"a.h5", "b.h5"}, {"a", "b"}, "a: H=0.1\nb: tol=0.1\n"},
      {{"H=0.1", ""}, {"a.h5", "b.h5"}, {"a", "b"}, "a: H=0.1\n"},
      {{NULL, NULL}, {"x/a.h5", "y/a.h5"}, {"x/a.h5", "y/a.h5"}, ""},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_table *table[2];
    struct cs_figure_file file[2];
    for (size_t k = 0; k < 2; k++) {
      table[k] = make(10 + 10 * k, 0.1, false, row[i].at[k]);
      file[k] = (struct cs_figure_file){table[k], row[i].path[k]};
    }
    struct cs_figure *figure = draw(file, 2, &(struct cs_figure_request){0});
    for (size_t k = 0; k < 2; k++)
      cr_expect_str_eq(figure->panel[1].curve[2 * k].title, row[i].name[k], "row %zu: %s", i,
                       figure->panel[1].curve[2 * k].title);
    cr_expect_str_eq(figure->notes, row[i].notes, "row %zu: %s", i, figure->notes);
    cs_figure_free(figure);
    cs_table_free(table[0]);
    cs_table_free(table[1]);
  }
}

/* Settings moved together are called by their own names, whatever the sweep in the file looks like otherwise. */
Test(figure_traces, names_of_settings_moved_together) {
  static const struct {
    const char *sweep, *name;
  } row[] = {
      {"{\"axes\": [{\"name\": \"fine\", \"zip\": {\"method.step.size\": [0.5, 0.25], \"method.master\": [\"jacobi\", "
       "{\"label\": \"mine\", \"value\": \"m.clh\"}]}}]}",
       "size=0.25, master=mine"},
      {"{\"axes\": [{\"name\": \"fine\", \"zip\": {\"method.step.size\": [0.5]}}]}", "fine=1"},
      {"{\"axes\": [{\"name\": \"fine\", \"zip\": {\"method.step.size\": [0.5, [1]]}}]}", "fine=1"},
      {"{\"axes\": [{\"name\": \"fine\", \"zip\": {}}]}", "fine=1"},
      {"{\"axes\": [{\"name\": \"fine\", \"zip\": 3}]}", "fine=1"},
      {"{\"axes\": [{\"name\": \"fine\", \"path\": \"parameters.k\"}]}", "fine=1"},
      {"{\"axes\": 3}", "fine=1"},
      {"{\"axes\": [", "fine=1"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_table *a = make(10, 0.1, false, "k=1, fine=1"), *b = make(20, 0.1, false, "k=1, fine=0");
    cr_assert_eq(cs_table_add_text(a, "sweep", 1, 1, &row[i].sweep, &error), CS_OK);
    struct cs_figure *figure =
        draw((struct cs_figure_file[]){{a, "a.h5"}, {b, "b.h5"}}, 2, &(struct cs_figure_request){.signal = "a.z"});
    struct cs_figure *one = draw((struct cs_figure_file[]){{a, "a.h5"}}, 1, &(struct cs_figure_request){0});
    const bool comparable = strncmp(row[i].name, "fine", 4) == 0; /* by the same settings */
    char note[80];
    cr_expect_str_eq(figure->panel[0].curve[0].title, comparable ? row[i].name : "a", "row %zu: %s", i,
                     figure->panel[0].curve[0].title);
    snprintf(note, sizeof note, "run: k=1, %s\n", row[i].name);
    cr_expect_eq(strncmp(one->notes, note, strlen(note)), 0, "row %zu: %s", i, one->notes);
    cs_figure_free(figure);
    cs_figure_free(one);
    cs_table_free(a);
    cs_table_free(b);
  }
}

/* A panel that only one file has stands where it stands there. Of an axis that one of the files wants logarithmic,
 * values of 0 are left out. */
Test(figure_traces, panels_of_one_file) {
  static const size_t all[] = {0, 1};
  struct cs_table *a = make(10, 0.1, false, "k=1"), *b = make(10, 0.1, false, "k=2");
  struct cs_array *defect;
  cr_assert_eq(cs_table_add_array(b, "output_defect", "V", "", CS_FLOAT64, 2, all, &defect, &error), CS_OK);
  for (size_t i = 0; i < defect->count; i++)
    defect->data.float64[i] = 1.0 + (double)i;
  cs_table_find(a, "H")->data.float64[3] = 0.0;
  cs_table_find(b, "H")->data.float64[3] = 1e-4;
  struct cs_figure *figure = draw((struct cs_figure_file[]){{a, "a"}, {b, "b"}}, 2, &(struct cs_figure_request){0});
  cr_assert_eq(figure->panels, 3);
  cr_expect_str_eq(figure->panel[1].y.label, "output defect [V]");
  cr_expect_str_eq(figure->panel[1].curve[0].title, "k=2: a.y");
  cr_expect_str_eq(figure->panel[2].y.label, "H [s]");
  cr_expect(figure->panel[2].y.log && figure->panel[2].y.least > 0.0);
  cr_expect(isnan(figure->panel[2].curve[0].y[2]));
  cs_figure_free(figure);
  cs_table_free(a);
  cs_table_free(b);
}

/* Single values near rounding do not press the course of a defect together; many do. */
Test(figure_traces, values_near_rounding) {
  static const size_t all[] = {0, 1};
  for (size_t many = 0; many < 2; many++) {
    struct cs_table *table = make(59, 0.1, false, NULL);
    struct cs_array *defect;
    cr_assert_eq(cs_table_add_array(table, "output_defect", "V", "", CS_FLOAT64, 2, all, &defect, &error), CS_OK);
    for (size_t i = 0; i < defect->count; i++)
      defect->data.float64[i] = i < (many ? 40 : 1) ? 1e-17 : 1e-3 * (double)(1 + i % 3);
    struct cs_figure *figure = draw(&(struct cs_figure_file){table, "a.h5"}, 1, &(struct cs_figure_request){0});
    const struct cs_figure_panel *panel = &figure->panel[1];
    cr_assert(panel->y.log);
    cr_expect(many ? panel->y.least < 1e-17 : panel->y.least > 5e-5 && panel->y.least < 1e-3, "%g", panel->y.least);
    cr_expect_eq(panel->curve[0].y[0], 1e-17);
    cr_expect_eq(strstr(figure->notes, "far below the others") != NULL, !many, "%s", figure->notes);
    cs_figure_free(figure);
    cs_table_free(table);
  }
}

Test(figure_traces, wrong_files) {
  static const char kind[] = "--kind \"map\"; traces are drawn over t";
  struct cs_table *trace = make(10, 0.1, false, NULL), *result = figure_case_table(false);
  const struct cs_figure_file file[] = {{trace, "a"}, {result, "d/b.h5"}, {trace, "c"}, {trace, "d"},
                                        {trace, "e"}, {trace, "f"},       {trace, "g"}};
  struct cs_figure *figure = NULL;
  cr_expect_eq(cs_figure_compare(file, 7, &(struct cs_figure_request){0}, &figure, &error), CS_USAGE);
  cr_expect_str_eq(error.message, "7 files; want at most 6 in a figure");
  cr_expect_eq(cs_figure_compare(file, 2, &(struct cs_figure_request){0}, &figure, &error), CS_USAGE);
  cr_expect_str_eq(error.message, "a is a trace and d/b.h5 a result; want files of one kind");
  cr_expect_eq(cs_figure_compare(&file[2], 2, &(struct cs_figure_request){.kind = "map"}, &figure, &error), CS_USAGE);
  cr_expect_str_eq(error.message, kind);
  cr_expect_eq(cs_figure_compare(&file[2], 2, &(struct cs_figure_request){.signal = "y"}, &figure, &error), CS_USAGE);
  cr_expect_str_eq(error.message, "--signal \"y\"; want one of: a.y, a.z");
  cr_expect_null(figure);
  cs_table_free(trace);
  cs_table_free(result);
}

/* ---- results */

/* Curves of both results, named by their files; triangles once; ranges that hold both. */
Test(figure_traces, results) {
  struct cs_table *a = figure_case_table(false), *b = figure_case_table(false);
  struct cs_array *value = cs_table_find(b, "output_error");
  for (size_t i = 0; i < value->count; i++)
    value->data.float64[i] *= 100.0;
  const struct cs_figure_file file[] = {{a, "d/a.h5"}, {b, "b.h5"}};
  struct cs_figure *one = draw(file, 1, &(struct cs_figure_request){0});
  struct cs_figure *both = draw(file, 2, &(struct cs_figure_request){0});
  cr_assert_eq(both->panels, one->panels);
  const struct cs_figure_panel *panel = &both->panel[0];
  size_t series = 0;
  cr_assert_eq(panel->curves, one->panel[0].curves + ORDERS);
  for (size_t c = 0; c < panel->curves; c++) {
    const struct cs_figure_curve *curve = &panel->curve[c];
    if (curve->ink != CS_INK_SERIES) continue;
    const size_t i = series / ORDERS, k = series % ORDERS;
    char want[40];
    snprintf(want, sizeof want, "%s: order %zu: slope %.2f", i == 0 ? "a" : "b", k, (double)k + 1.0);
    cr_expect_str_eq(figure_case_entry(curve), want);
    cr_expect_eq(curve->series, 2 * k + i);
    cr_expect_eq(curve->y[0], (i == 0 ? 1.0 : 100.0) * one->panel[0].curve[k].y[0]);
    series++;
  }
  cr_expect_eq(series, 2 * ORDERS);
  cr_expect(panel->y.most > 50.0 * one->panel[0].y.most && panel->y.least <= one->panel[0].y.least);
  cr_expect_str_eq(both->title, "A title");
  cs_figure_free(one);
  cs_figure_free(both);
  cs_table_free(a);
  cs_table_free(b);
}

Test(figure_traces, results_that_differ) {
  static const struct {
    struct cs_figure_request request;
    const char *want;
  } row[] = {
      {{0},
       "a has metric \"RMS output error [m]\" and b \"RMS output error [km]\"; want results over the same axes, or "
       "--metric"},
      {{.x = "order", .kind = "lines", .metric = "status"},
       "a has axis \"order\" and b \"order [s]\"; want results over the same"},
      {{.x = "H", .y = "order"}, "maps cannot be laid over each other; want --kind lines, or one file"},
      {{.x = "H", .kind = "lines", .curve = "order,solver", .panel = "output", .methods = 6},
       "more than 16 curves in a panel; --where chooses, or fewer files"},
  };
  struct cs_table *a = figure_case_table(false), *b = figure_case_table(false);
  struct cs_array *units = cs_table_find(b, "output_units");
  free(units->data.text[0]);
  units->data.text[0] = strdup("km");
  for (size_t i = 0; i < b->dimensions; i++)
    if (strcmp(b->dimension[i].name, "order") == 0) free(b->dimension[i].unit), b->dimension[i].unit = strdup("s");
  const struct cs_figure_file file[] = {{a, "a"}, {b, "b"}}, alike[] = {{a, "a"}, {a, "b"}, {a, "c"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_figure *figure = NULL;
    cr_expect_eq(cs_figure_compare(i < 2 ? file : alike, i < 2 ? 2 : 3, &row[i].request, &figure, &error), CS_USAGE,
                 "row %zu", i);
    cr_expect_eq(strncmp(error.message, row[i].want, strlen(row[i].want)), 0, "row %zu: %s", i, error.message);
    cr_expect_null(figure);
  }
  cs_table_free(a);
  cs_table_free(b);
}

/* ---- the command */

static void save(struct cs_table *table, const char *path) {
  struct cs_store *store = NULL;
  cr_assert_eq(cs_store_open(path, 0, &store, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_store_commit(store, table, &error), CS_OK, "%s", error.message);
  cs_store_close(store);
  cs_table_free(table);
}

static void expect(const char *words, int status, const char *out, const char *err) {
  struct cli_result result = cli_run(words);
  cr_expect_eq(result.status, status, "%s: %d", words, result.status);
  cr_expect_str_eq(result.out, out, "%s: %s", words, result.out);
  cr_expect_str_eq(result.err, err, "%s: %s", words, result.err);
  cli_free(&result);
}

static void expect_texts(const char *path, const char *with, const char *without) {
  struct cs_text svg = {0};
  cr_assert_eq(cs_text_read(&svg, path, "SVG", &error), CS_OK);
  cr_expect_not_null(strstr(svg.data, with), "%s: %s", path, with);
  cr_expect_null(strstr(svg.data, without), "%s: %s", path, without);
  cs_text_free(&svg);
}

Test(figure_traces, command, .init = cli_case_open, .fini = cli_case_close, .timeout = 120) {
  cr_assert_eq(system("mkdir d"), 0);
  save(make(10, 0.1, false, "H=0.1"), "d/a.h5");
  save(make(20, 0.1, true, "H=0.05"), "b.h5");
  expect("plot d/a.h5 b.h5", 0, "a_b.svg\n", "");
  expect_texts("a_b.svg", "H=0.05, rejected", ">d/a");
  expect_texts("a_b.svg", ">A trace<", ": run 3");
  expect("plot d/a.h5 b.h5 -o c.svg --title Courses", 0, "c.svg\n", "");
  expect_texts("c.svg", ">Courses<", "A trace");
  expect("plot b.h5 --title=", 0, "b.svg\n", "");
  expect_texts("b.svg", "a.z", "A trace");
  expect("plot b.h5 d/a.h5 --kind lines -o e.svg", 2, "",
         "cosweep plot: --kind \"lines\"; traces are drawn over t (see: cosweep plot "
         "--help)\n");
  expect("plot b.h5 b.h5 b.h5 b.h5 b.h5 b.h5 b.h5 -o e.svg", 2, "",
         "cosweep plot: 7 files; want at most 6 in a figure (see: cosweep plot --help)\n");
}
