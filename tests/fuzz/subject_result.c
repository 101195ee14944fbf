/* Results and traces: what the process that reads a file says of it (stream.h), as all commands that read results meet
 * it. The bytes of HDF5 itself, in which damage stays in that process, are the matter of damage.py. */
#include <string.h>

#include "command.h"
#include "difference.h"
#include "edit_table.h"
#include "engine.h"
#include "export.h"
#include "fuzz.h"
#include "gnuplot.h"
#include "info.h"
#include "report.h"
#include "shape.h"
#include "trace.h"

#define FILE_NAME "fuzz.h5"

/* ---- readers */

static void info_trace(const struct cs_table *table, struct cs_text *text) {
  struct cs_document document = {.medium = CS_TERMINAL};
  struct cs_digest_trace trace;
  struct cs_error error;
  if (cs_digest_open_trace(table, &trace, &error) == CS_OK) {
    cs_info_add_trace_json(FILE_NAME, &trace, text);
    cs_info_add_trace(&document, FILE_NAME, &trace);
    cs_document_print(&document, text);
  }
  cs_document_free(&document);
  cs_digest_free_trace(&trace);
}

static void info_result(const struct cs_table *table, struct cs_text *text) {
  struct cs_document document = {.medium = CS_TERMINAL};
  struct cs_digest digest;
  struct cs_error error;
  if (cs_digest_open(table, &digest, &error) == CS_OK) {
    cs_info_add_json(FILE_NAME, &digest, text);
    cs_info_add_result(&document, FILE_NAME, &digest);
    cs_document_print(&document, text);
  }
  cs_document_free(&document);
  cs_digest_free(&digest);
}

static void rank(const struct cs_table *table) {
  const char *path = FILE_NAME;
  struct cs_error error;
  const struct cs_arguments arguments = {
      .operand = &path, .operands = 1, .text[CS_OPTION_RANK] = "output_error", .given[CS_OPTION_RANK] = true};
  cs_command_rank(&arguments, table, &error);
}

static void plot(const struct cs_table *table) {
  const char *const *kinds = cs_option_row(CS_OPTION_KIND)->words;
  for (size_t i = 0; i == 0 || kinds[i - 1] != NULL; i++) {
    const struct cs_figure_request request = {.kind = i > 0 ? kinds[i - 1] : NULL};
    struct cs_figure *figure = NULL;
    struct cs_text script = {0}, numbers = {0};
    struct cs_error error;
    if (cs_figure_new(table, &request, &figure, &error) == CS_OK)
      cs_gnuplot_script(figure, "svg", "a.svg", "a.dat", &script, &numbers, &error);
    cs_figure_free(figure);
    cs_text_free(&script);
    cs_text_free(&numbers);
  }
}

static void report(const struct cs_table *table) {
  const struct cs_report_figures figures = {.missing = NULL};
  struct cs_text page = {0};
  struct cs_error error;
  cs_report_write(table, FILE_NAME, NULL, &figures, &page, &error);
  cs_text_free(&page);
}

static void export(const struct cs_table *table, const char *group) {
  const struct cs_export_wish wish = {.path = FILE_NAME, .group = group};
  struct cs_export export = {0};
  struct cs_text text = {0};
  struct cs_error error;
  if (cs_export_open(table, &wish, &export, &error) == CS_OK) {
    cs_export_csv(&export, &text, &error);
    cs_export_matlab(&export, &text, &error);
    cs_export_xdmf(&export, FILE_NAME, &text, &error);
  }
  cs_export_close(&export);
  cs_text_free(&text);
}

/* A table differs from itself in nothing. */
static void compare(const struct cs_table *table) {
  static const char *const names[] = {FILE_NAME, FILE_NAME};
  struct cs_difference difference = {0};
  struct cs_text text = {0};
  struct cs_error error;
  if (cs_difference_open(table, table, names, &difference, &error) == CS_OK) {
    for (size_t i = 0; i < difference.rows; i++)
      fuzz_want(difference.row[i].differing == 0, "differs from itself", difference.row[i].array->name);
    cs_info_add_difference_json(names, &difference, &text);
  }
  cs_difference_close(&difference);
  cs_text_free(&text);
}

static void take(const char *bytes, size_t size) {
  struct cs_table *table = edit_table_take(bytes, size);
  struct cs_text text = {0};
  struct cs_error error;
  if (table != NULL && cs_shape_check(table, FILE_NAME, &error) == CS_OK) {
    if (cs_digest_is_trace(table))
      info_trace(table, &text);
    else
      info_result(table, &text);
    if (!cs_digest_is_trace(table)) rank(table);
    plot(table);
    report(table);
    export(table, NULL);
    export(table, "refined");
    compare(table);
  }
  cs_text_free(&text);
  cs_table_free(table);
}

static void change(struct cs_text *bytes, size_t (*below)(size_t count)) {
  struct cs_table *table = edit_table_take(cs_text_string(bytes), bytes->length);
  if (table == NULL) return;
  edit_table(table, below);
  cs_text_free(bytes);
  edit_table_put(table, bytes);
  cs_table_free(table);
}

/* ---- seeds */

/* Takes ownership. The texts of kernels, which nobody parses, are cut off. */
static void add_table(struct cs_table *table) {
  enum { KEPT = 16 };
  const struct cs_note *kernels = cs_table_find_note(table, "kernel");
  struct cs_text bytes = {0};
  for (size_t i = 0; kernels != NULL && i < kernels->count; i++)
    if (strlen(kernels->text[i]) > KEPT) kernels->text[i][KEPT] = '\0';
  edit_table_put(table, &bytes);
  fuzz_seed(cs_text_string(&bytes), bytes.length);
  cs_text_free(&bytes);
  cs_table_free(table);
}

static const char method[] =
    "\"model\": \"../models/two_mass_oscillator/model.json\", \"study\": \"simulation\", "
    "\"t_end\": 1, \"method\": {\"feedthrough\": \"explicit\", \"step\": {\"size\": 0.1}}";
static const char *const sweeps[] = {
    "\"axes\": [{\"name\": \"order\", \"path\": \"method.order\", \"values\": [0, 1]}, {\"name\": \"H\", \"path\": "
    "\"method.step.size\", \"values\": [0.05, 0.1, -1], \"unit\": \"s\"}], \"fits\": [{\"along\": \"H\"}]",
    "\"axes\": [{\"name\": \"m\", \"zip\": {\"method.order\": [0, 1], \"method.solver\": [\"exact\", \"rk4\"]}}], "
    "\"metrics\": [\"output_error\", \"spectral_radius\"]"};
static const char map[] =
    "\"study\": \"stability\", \"model\": \"../models/linear_feedthrough/model.json\", \"method\": {\"hold\": "
    "\"lagrange\", \"feedthrough\": \"explicit\", \"step\": {\"size\": 0.1}}, \"axes\": [{\"name\": \"d1\", \"path\": "
    "\"parameters.d1\", \"linspace\": [-1.9, 1.9, 3]}, {\"name\": \"d2\", \"path\": \"parameters.d2\", \"linspace\": "
    "[-1.9, 1.9, 3]}], \"metrics\": [\"spectral_radius\", \"stable\"], \"boundary\": {\"along\": \"d2\"}, \"refine\": "
    "1";

static struct cs_sweep *read_sweep(const char *some, const char *more) {
  struct cs_text text = {0};
  struct cs_json *json = NULL;
  struct cs_sweep *sweep = NULL;
  struct cs_error error;
  cs_text_add(&text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"a\", %s%s%s}", some, more[0] != '\0' ? ", " : "",
              more);
  int code = cs_json_parse("sweeps/fuzz.json", text.data, text.length, &json, &error);
  if (code == CS_OK) code = cs_sweep_read("sweeps/fuzz.json", json, NULL, NULL, 0, &sweep, &error);
  fuzz_want(code == CS_OK, "the sweep of the tests", error.message);
  cs_text_free(&text);
  return sweep;
}

static void seed(void) {
  struct cs_device *device = NULL;
  struct cs_error error;
  struct cs_trace_report told = {0};
  fuzz_want(cs_device_open("host", &device, &error) == CS_OK, "host", error.message);
  for (size_t i = 0; i < 4; i++) {
    struct cs_sweep *sweep = i < 2 ? read_sweep(method, sweeps[i]) : read_sweep(i == 2 ? map : method, "");
    struct cs_table *table = NULL;
    const int code = i < 3 ? cs_engine_run(sweep, device, NULL, &table, NULL, &error)
                           : cs_trace_run(sweep, 0, CS_TRACE_MOST, device, NULL, &table, &told, &error);
    fuzz_want(code == CS_OK, "a seed", error.message);
    add_table(table);
    cs_sweep_free(sweep);
  }
  cs_trace_report_free(&told);
  cs_device_close(device);
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed, .change = change, .prints = true};
