/* Results as CSV, MAT-file and XDMF: what stands in them, and what may be asked for. That other programs read the same
 * numbers is tested by scripts: octave/check_matlab.m, python/check_xdmf.py and the snippets of docs/results.md. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_case.h"
#include "export.h"

static struct cs_table *table;
static struct cs_error error;

enum { SOLVER, H, OUTPUT, INPUT };

static struct cs_array *add(const char *name, enum cs_type type, size_t dimensions, const size_t *dimension) {
  struct cs_array *array;
  cr_assert_eq(cs_table_add_array(table, name, "1", "", type, dimensions, dimension, &array, &error), CS_OK);
  return array;
}

static void add_numbers(const char *name, size_t dimensions, const size_t *dimension, double first) {
  struct cs_array *array = add(name, CS_FLOAT64, dimensions, dimension);
  for (size_t i = 0; i < array->count; i++)
    array->data.float64[i] = first + (double)i;
}

/* Two solvers, one of an awkward name, by two step sizes. */
static void set_up(void) {
  static const double sizes[] = {0.1, 1.0 / 3.0};
  static const char *const solvers[] = {"exact", "my \"own\", new"}, *const outputs[] = {"a.y", "b.y"},
                           *const inputs[] = {"a.u"};
  static const size_t by_output[] = {SOLVER, H, OUTPUT}, by_input[] = {SOLVER, H, INPUT}, fit[] = {SOLVER, OUTPUT};
  table = cs_table_new("title", "cosweep", "history");
  cr_assert_not_null(table);
  cr_assert_eq(cs_table_add_dimension(table, "solver", "1", "", 2, NULL, solvers, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "H", "s", "step", 2, sizes, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "output", "", "", 2, NULL, outputs, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(table, "input", "", "", 1, NULL, inputs, NULL, &error), CS_OK);
  static const char *const sweep =
      "{\"axes\": [{\"name\": \"solver\", \"path\": \"method.solver\"}, "
      "{\"name\": \"H\", \"zip\": {\"method.step.size\": [], \"parameters.label\": []}}]}";
  cr_assert_eq(cs_table_add_text(table, "sweep", 1, 1, &sweep, &error), CS_OK);
  struct cs_array *sizes_label = add("H_label", CS_TEXT, 1, (size_t[]){H});
  sizes_label->data.text[0] = cs_text_copy("fine");
  sizes_label->data.text[1] = cs_text_copy("coarse");
  add_numbers("output_error", 3, by_output, 10.0);
  add_numbers("connection_defect", 3, by_input, 20.0);
  add("steps", CS_INT64, 2, by_output)->data.int64[3] = 9007199254740993;
  add("status", CS_UINT8, 2, by_output)->data.uint8[1] = 7;
  add_numbers("output_error_order", 2, fit, 30.0);
}

static void tear_down(void) {
  cs_table_free(table);
}

TestSuite(export, .init = set_up, .fini = tear_down);

/* `words`: pairs of an option's first letter and its value, "m", "steps", "w", "H=0.1"; NULL at the end. */
static int open_export(struct cs_export *export, const char *const *words) {
  const char *metric[4], *where[4];
  struct cs_export_wish wish = {.path = "out.h5", .metric = metric, .where = where};
  for (; *words != NULL; words += 2)
    if (words[0][0] == 'm')
      metric[wish.metrics++] = words[1];
    else if (words[0][0] == 'w')
      where[wish.wheres++] = words[1];
    else
      wish.group = words[1];
  return cs_export_open(table, &wish, export, &error);
}

static void expect_csv(const char *const *words, const char *expected) {
  struct cs_export export;
  struct cs_text text = {0};
  cr_assert_eq(open_export(&export, words), CS_OK, "%s", error.message);
  cr_assert_eq(cs_export_csv(&export, &text, &error), CS_OK);
  cr_expect_str_eq(text.data, expected);
  cs_export_close(&export);
  cs_text_free(&text);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(export, a_row_for_every_run_and_signal) {
  cs_table_find(table, "output_error")->data.float64[0] = NAN;
  cs_table_find(table, "output_error")->data.float64[1] = -INFINITY;
  expect_csv(WORDS(NULL),
             "run,solver,H,H_label,signal_kind,signal,output_error,connection_defect,steps,status\n"
             "0,exact,0.1,fine,output,a.y,NaN,,0,0\n"
             "0,exact,0.1,fine,output,b.y,-Inf,,0,0\n"
             "0,exact,0.1,fine,input,a.u,,20,0,0\n"
             "1,exact,0.3333333333333333,coarse,output,a.y,12,,0,7\n"
             "1,exact,0.3333333333333333,coarse,output,b.y,13,,0,7\n"
             "1,exact,0.3333333333333333,coarse,input,a.u,,21,0,7\n"
             "2,\"my \"\"own\"\", new\",0.1,fine,output,a.y,14,,0,0\n"
             "2,\"my \"\"own\"\", new\",0.1,fine,output,b.y,15,,0,0\n"
             "2,\"my \"\"own\"\", new\",0.1,fine,input,a.u,,22,0,0\n"
             "3,\"my \"\"own\"\", new\",0.3333333333333333,coarse,output,a.y,16,,9007199254740993,0\n"
             "3,\"my \"\"own\"\", new\",0.3333333333333333,coarse,output,b.y,17,,9007199254740993,0\n"
             "3,\"my \"\"own\"\", new\",0.3333333333333333,coarse,input,a.u,,23,9007199254740993,0\n");
}

Test(export, rows_are_those_of_what_is_asked_for) {
  expect_csv(WORDS("m", "steps"),
             "run,solver,H,H_label,steps\n"
             "0,exact,0.1,fine,0\n1,exact,0.3333333333333333,coarse,0\n"
             "2,\"my \"\"own\"\", new\",0.1,fine,0\n"
             "3,\"my \"\"own\"\", new\",0.3333333333333333,coarse,9007199254740993\n");
  expect_csv(WORDS("m", "output_error_order", "w", "solver=exact"),
             "solver,signal_kind,signal,output_error_order\n"
             "exact,output,a.y,30\nexact,output,b.y,31\n");
  expect_csv(WORDS("m", "steps", "w", "H=0.3333", "w", "H=0.1", "w", "H=0.1", "w", "solver=exact"),
             "run,solver,H,H_label,steps\n0,exact,0.1,fine,0\n1,exact,0.3333333333333333,coarse,0\n");
  expect_csv(WORDS("m", "output_error", "m", "output_error_order", "w", "output=b.y", "w", "H=0.3333"),
             "run,solver,H,H_label,signal_kind,signal,output_error,output_error_order\n"
             "1,exact,0.3333333333333333,coarse,output,b.y,13,31\n"
             "3,\"my \"\"own\"\", new\",0.3333333333333333,coarse,output,b.y,17,33\n");
}

/* Settings that an axis moves together are known from the sweep only; without one they are arrays like any other. */
Test(export, sweep_that_is_not_json) {
  const struct cs_note *sweep = cs_table_find_note(table, "sweep");
  sweep->text[0][0] = '?';
  expect_csv(WORDS("m", "steps", "m", "H_label", "w", "solver=exact"),
             "run,solver,H,H_label,steps\n0,exact,0.1,fine,0\n1,exact,0.3333333333333333,coarse,0\n");
  expect_csv(WORDS("m", "steps", "w", "solver=exact"),
             "run,solver,H,steps\n0,exact,0.1,0\n1,exact,0.3333333333333333,0\n");
}

/* Every number reads back as the same. */
Test(export, digits_are_enough) {
  static const double hard[] = {5e-324, 1.7976931348623157e308, 0.1, 2.0 / 3.0, -1e-20, 123456789.123456789};
  struct cs_array *array = cs_table_find(table, "output_error");
  memcpy(array->data.float64, hard, sizeof hard);
  struct cs_export export;
  struct cs_text text = {0};
  cr_assert_eq(open_export(&export, WORDS("m", "output_error")), CS_OK);
  cr_assert_eq(cs_export_csv(&export, &text, &error), CS_OK);
  const char *line = text.data;
  for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
    line = strchr(line + 1, '\n');
    const char *field = strchr(line + 1, '\n');
    while (field[-1] != ',')
      field--;
    cr_expect_eq(strtod(field, NULL), hard[i]);
  }
  cs_export_close(&export);
  cs_text_free(&text);
}

/* A trace: its rows are steps and no runs. What begins with "t_" is no column of the axis. */
Test(export, rows_of_a_trace_are_steps) {
  static const double t[] = {0, 0.5};
  cs_table_free(table);
  table = cs_table_new("title", "cosweep", "history");
  cr_assert_eq(cs_table_add_dimension(table, "t", "s", "", 2, t, NULL, NULL, &error), CS_OK);
  cr_assert_eq(cs_table_add_number(table, "run", CS_INT64, 0.0, 26, &error), CS_OK);
  add_numbers("t_start", 1, (size_t[]){0}, 1.0);
  add("status", CS_UINT8, 1, (size_t[]){0});
  add_numbers("eps", 1, (size_t[]){0}, 2.0);
  expect_csv(WORDS(NULL), "t,t_start,status,eps\n0,1,0,2\n0.5,2,0,3\n");
  expect_csv(WORDS("m", "eps", "w", "t=0.5"), "t,eps\n0.5,3\n");
}

Test(export, points_of_a_group_keep_their_coordinates) {
  static const double point[] = {0, 1};
  struct cs_table *group, *root = table;
  cr_assert_eq(cs_table_add_group(table, "refined", "near", &group, &error), CS_OK);
  cr_assert_eq(cs_table_add_dimension(group, "point", "1", "", 2, point, NULL, NULL, &error), CS_OK);
  table = group;
  add_numbers("H", 1, (size_t[]){0}, 0.5);
  add_numbers("spectral_radius", 1, (size_t[]){0}, 1.5);
  add_numbers("level", 1, (size_t[]){0}, 1.0);
  table = root;
  expect_csv(WORDS("g", "refined"), "point,H,spectral_radius,level\n0,0.5,1.5,1\n1,1.5,2.5,2\n");
  expect_csv(WORDS("g", "refined", "m", "level"), "point,H,level\n0,0.5,1\n1,1.5,2\n");
  struct cs_export export;
  struct cs_text text = {0};
  cr_assert_eq(open_export(&export, WORDS("g", "refined")), CS_OK);
  cr_expect_eq(cs_export_xdmf(&export, "a.h5", &text, &error), CS_USAGE);
  cr_expect(strstr(error.message, "the points of group refined have no mesh"), "%s", error.message);
  cs_export_close(&export);
}

/* Where the file has a name that a column of ours would have, ours has another. */
Test(export, no_two_columns_of_one_name) {
  static const double run[] = {4};
  cs_table_free(table);
  table = cs_table_new("title", "cosweep", "history");
  cr_assert_eq(cs_table_add_dimension(table, "run", "1", "", 1, run, NULL, NULL, &error), CS_OK);
  add("status", CS_UINT8, 1, (size_t[]){0});
  expect_csv(WORDS(NULL), "run_,run,status\n0,4,0\n");
}

Test(export, wishes_that_cannot_be_fulfilled) {
  static const struct {
    const char *words[5], *message;
  } list[] = {
      {{"m", "steps,stepz"},
       "--metric \"stepz\"; did you mean \"steps\"? want one of: H_label, output_error, connection_defect, steps, "
       "status, "},
      {{"m", "stepz"},
       "--metric \"stepz\"; did you mean \"steps\"? want one of: H_label, output_error, connection_defect, steps, "
       "status, "},
      {{"w", "h=1"}, "--where \"h=1\"; want AXIS=VALUE with AXIS one of: solver, H, output, input (see"},
      {{"w", "H"}, "--where \"H\"; want AXIS=VALUE"},
      {{"w", "H=0.2"}, "--where \"H=0.2\"; want one of: 0.1, 0.333"},
      {{"w", "solver=own"}, "--where \"solver=own\"; want one of: exact, my \"own\", new"},
      {{"m", "output_error_order", "w", "H=0.1"}, "with AXIS one of: solver, output (see"},
      {{"g", "refined"}, "--group \"refined\"; want one of: (the file has none)"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    struct cs_export export;
    cr_expect_eq(open_export(&export, list[i].words), CS_USAGE);
    cr_expect(strstr(error.message, list[i].message), "%s", error.message);
    cs_export_close(&export);
  }
}

/* Memory that was used before: nothing of it may come into a file. */
static void use_memory(void) {
  void *used[48];
  for (size_t i = 0; i < 48; i++) {
    const size_t bytes = (size_t)64 << i % 6;
    used[i] = memset(malloc(bytes), 0xaa, bytes);
  }
  for (size_t i = 0; i < 48; i++)
    free(used[i]);
}

/* The names of a struct's fields have 64 bytes each, zeros behind the name. */
Test(export, matlab_names_end_in_zeros) {
  enum { FIELD = 64 };
  struct cs_export export;
  struct cs_text bytes = {0};
  size_t names = 0;
  use_memory();
  cr_assert_eq(open_export(&export, WORDS(NULL)), CS_OK);
  cr_assert_eq(cs_export_matlab(&export, &bytes, &error), CS_OK);
  for (size_t at = 128; at + 8 < bytes.length; at += 8) {
    uint32_t tag[2];
    memcpy(tag, bytes.data + at, sizeof tag);
    if (tag[0] != 1 || tag[1] < FIELD || tag[1] % FIELD != 0 || tag[1] > bytes.length - at - 8) continue;
    for (size_t i = 0; i < tag[1]; i++) {
      const char *name = bytes.data + at + 8 + i / FIELD * FIELD;
      cr_expect(i % FIELD <= strlen(name) || name[i % FIELD] == 0, "byte %zu behind %s", i % FIELD, name);
    }
    names += tag[1] / FIELD;
  }
  cr_expect_geq(names, 3 * 6, "%zu", names); /* units, long_names and dimensions name every array */
  cs_export_close(&export);
  cs_text_free(&bytes);
}

/* Header, then elements of whole multiples of 8 bytes that end where the file does. */
Test(export, matlab_elements_fill_the_file) {
  struct cs_export export;
  struct cs_text bytes = {0};
  size_t variables = 0, at = 128;
  cr_assert_eq(open_export(&export, WORDS(NULL)), CS_OK);
  cr_assert_eq(cs_export_matlab(&export, &bytes, &error), CS_OK);
  cr_assert_gt(bytes.length, 128);
  cr_expect(strncmp(bytes.data, "MATLAB 5.0 MAT-file", 19) == 0);
  for (uint32_t tag[2]; at < bytes.length; at += sizeof tag + tag[1], variables++) {
    memcpy(tag, bytes.data + at, sizeof tag);
    cr_assert_eq(tag[0], 14);
    cr_assert_eq(tag[1] % 8, 0);
  }
  cr_expect_eq(at, bytes.length);
  cr_expect_eq(variables, 4 + 6 + 5, "%zu", variables); /* dimensions, arrays, units ... provenance */
  cs_export_close(&export);
  cs_text_free(&bytes);
}

struct taken {
  struct cs_text all;
  size_t times, most;
};

static int take(void *context, struct cs_text *text, struct cs_error *why) {
  struct taken *taken = context;
  (void)why;
  cs_text_append(&taken->all, text->data, text->length);
  taken->times++;
  if (text->length > taken->most) taken->most = text->length;
  text->length = 0;
  return CS_OK;
}

/* Numbers of variables are handed over as they come, those of a group are fields of one, which comes as a whole. */
Test(export, large_matlab_files_come_in_parts) {
  enum { PLACES = 500000 };
  struct cs_export export;
  struct cs_text whole = {0}, rest = {0};
  struct taken taken = {0};
  struct cs_table *root = table, *group;
  size_t place;
  cr_assert_eq(cs_table_add_numbers(table, "place", "place", PLACES, &place, &error), CS_OK);
  add_numbers("large", 1, &place, 0.0);
  cr_assert_eq(cs_table_add_group(table, "refined", "", &group, &error), CS_OK);
  table = group;
  cr_assert_eq(cs_table_add_numbers(table, "point", "point", PLACES / 2, &place, &error), CS_OK);
  add_numbers("small", 1, &place, 0.5);
  table = root;
  cr_assert_eq(open_export(&export, WORDS(NULL)), CS_OK);
  cr_assert_eq(cs_export_matlab(&export, &whole, &error), CS_OK);
  export.take = take;
  export.context = &taken;
  cr_assert_eq(cs_export_matlab(&export, &rest, &error), CS_OK);
  cs_text_append(&taken.all, rest.data, rest.length);
  cr_expect_geq(taken.times, 3);
  cr_expect_lt(taken.most, 6 << 20, "%zu", taken.most); /* the dimension, which is large too, and a block */
  cr_expect_lt(rest.length, 6 << 20, "%zu", rest.length);
  cr_assert_eq(taken.all.length, whole.length);
  cr_expect(memcmp(taken.all.data, whole.data, whole.length) == 0, "other bytes");
  cs_export_close(&export);
  cs_text_free(&whole);
  cs_text_free(&rest);
  cs_text_free(&taken.all);
}

Test(export, xdmf_refers_to_the_result) {
  struct cs_export export;
  struct cs_text text = {0};
  cr_assert_eq(open_export(&export, WORDS("m", "output_error")), CS_OK);
  cr_assert_eq(cs_export_xdmf(&export, "a&b.h5", &text, &error), CS_OK);
  cr_expect(strstr(text.data, "Name=\"solver=my &quot;own&quot;, new\""), "%s", text.data);
  cr_expect(strstr(text.data, ">a&amp;b.h5:/H<"));
  cr_expect(strstr(text.data, "Name=\"output_error b.y\""));
  cr_expect(strstr(text.data, ">1 0 1  1 1 1  1 2 1</DataItem>"));
  cr_expect(strstr(text.data,
                   "<DataItem Dimensions=\"2 2 2\" NumberType=\"Float\" Precision=\"8\" "
                   "Format=\"HDF\">a&amp;b.h5:/output_error<"));
  cs_export_close(&export);
  cs_text_free(&text);
  cr_assert_eq(open_export(&export, WORDS("m", "output_error_order")), CS_OK);
  cr_expect_eq(cs_export_xdmf(&export, "a.h5", &text, &error), CS_USAGE);
  cr_expect(strstr(error.message, "no array has an axis of several numbers"), "%s", error.message);
  cs_export_close(&export);
  cs_text_free(&text);
}

/* ---- the command */

TestSuite(cli_export, .init = cli_case_open, .fini = cli_case_close, .timeout = 300);

static void expect_run(const char *words, int status, const char *out, const char *err) {
  struct cli_result r = cli_run(words);
  cr_expect_eq(r.status, status, "%s: exit status %d, %s", words, r.status, r.err);
  cr_expect(strncmp(r.out, out, strlen(out)) == 0, "%s: %s", words, r.out);
  cr_expect(err[0] != '\0' ? strstr(r.err, err) != NULL : r.err[0] == '\0', "%s: %s", words, r.err);
  cli_free(&r);
}

Test(cli_export, files_beside_the_result) {
  expect_run("run sweep.json --quiet", 0, "small.h5\n", "");
  expect_run("export small.h5", 0, "small.csv\n", "");
  expect_run("export small.h5 --format matlab", 0, "small.mat\n", "");
  expect_run("export small.h5 --format xdmf", 0, "small.xmf\n", "");
  expect_run("export small.h5", 5, "", "small.csv: exists; --force overwrites it");
  expect_run("export small.h5 --force --metric steps", 0, "small.csv\n", "");
  expect_run("export small.h5 -o - --metric steps,status --where p=3", 0, "run,p,steps,status\n2,3,10,0\n", "");
  expect_run("export small.h5 -o - --metric steps --where p=3", 0, "run,p,steps\n2,3,10\n", "");
  expect_run("export small.h5 -o - --format xdmf", 0, "<?xml version=\"1.0\"?>\n", "");
  expect_run("export small.h5 --format netcdf", 2, "", "a result already is a netCDF-4 file");
  expect_run("export small.mat", 5, "", "small.mat: is not an HDF5 file; want a result file of cosweep");
  expect_run("info small.xmf", 5, "", "small.xmf: is not an HDF5 file; want a result file of cosweep");
  expect_run("export", 2, "", "want a result or a model file");
  expect_run("export small.h5 -o nowhere/small.csv", 5, "", "nowhere");
  char *files = cli_case_files();
  cr_expect_str_eq(files, "model.json small.csv small.h5 small.mat small.xmf sweep.json");
  free(files);
}
