#include "design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "sheet.h"
#include "source.h"
#include "writer.h"

enum { MOST_POINTS = 1 << 26 };

/* ---- samples */

/* One path of a sample: between both ends, evenly or by their logarithms. */
struct range {
  double low, high;
  bool log;
};

static int read_ends(const struct cs_json *json, const struct cs_node *list, struct range *range,
                     struct cs_error *error) {
  int code = cs_json_want(json, list, CS_LIST, error);
  if (code == CS_OK && cs_json_length(list) != 2)
    code = cs_json_fail(json, list, error, "found %zu items; want [low, high]", cs_json_length(list));
  for (size_t i = 0; i < 2 && code == CS_OK; i++)
    code = cs_json_want(json, cs_json_at(list, i), CS_NUMBER, error);
  if (code != CS_OK) return code;
  range->low = cs_json_number(cs_json_at(list, 0));
  range->high = cs_json_number(cs_json_at(list, 1));
  if (!(range->low < range->high))
    return cs_json_fail(json, list, error, "found %g and %g; want [low, high] with low below high", range->low,
                        range->high);
  if (!isfinite(range->high - range->low) || (range->log && range->low > 0.0 && !isfinite(range->high / range->low)))
    return cs_json_fail(json, list, error, "found %g and %g, too far apart for a double", range->low, range->high);
  if (range->log && !(range->low > 0.0))
    return cs_json_fail(json, list, error, "found %g; want numbers > 0 with log", range->low);
  return CS_OK;
}

/* [low, high] or {"log": [low, high]}. */
static int read_range(const struct cs_json *json, const struct cs_node *node, struct range *range,
                      struct cs_error *error) {
  static const char *const keys[] = {"log", NULL};
  const struct cs_node *ends = node;
  range->log = cs_json_kind(node) == CS_OBJECT;
  int code = range->log ? cs_json_check_keys(json, node, keys, error) : CS_OK;
  if (code == CS_OK && range->log) code = cs_json_need(json, node, "log", &ends, error);
  return code == CS_OK ? read_ends(json, ends, range, error) : code;
}

static int read_integer(const struct cs_json *json, const struct cs_node *node, double least, double most,
                        double *value, struct cs_error *error) {
  const int code = cs_json_want(json, node, CS_NUMBER, error);
  if (code != CS_OK) return code;
  *value = cs_json_number(node);
  if (*value == floor(*value) && *value >= least && *value <= most) return CS_OK;
  return cs_json_fail(json, node, error, "found %.17g; want an integer from %.0f to %.0f", *value, least, most);
}

struct sample {
  enum cs_sample kind;
  double count, seed;
  const struct cs_node *over; /* object: path, range */
};

static int read_sample(const struct cs_json *json, const struct cs_node *node, struct sample *s,
                       struct cs_error *error) {
  static const char *const keys[] = {"lhs", "sobol", "random", "seed", "over", NULL};
  const struct cs_node *count = NULL, *seed = cs_json_get(node, "seed");
  *s = (struct sample){0};
  int code = cs_json_check_keys(json, node, keys, error);
  for (int k = 0; k < CS_SAMPLES && code == CS_OK; k++) {
    const struct cs_node *found = cs_json_get(node, cs_sample_name((enum cs_sample)k));
    if (found == NULL) continue;
    if (count != NULL)
      return cs_json_fail_key(json, found, error, "given together with \"%s\"; want one of: lhs, sobol, random",
                              cs_json_key(count));
    count = found;
    s->kind = (enum cs_sample)k;
  }
  if (code == CS_OK && count == NULL)
    code = cs_json_fail(json, node, error, "want one of the keys: lhs, sobol, random, with the number of points");
  if (code == CS_OK) code = read_integer(json, count, 1, MOST_POINTS, &s->count, error);
  if (code == CS_OK && seed != NULL) code = read_integer(json, seed, 0, 9007199254740992.0, &s->seed, error);
  if (code == CS_OK) code = cs_json_need(json, node, "over", &s->over, error);
  if (code == CS_OK) code = cs_json_want(json, s->over, CS_OBJECT, error);
  const size_t paths = code == CS_OK ? cs_json_length(s->over) : 1;
  if (paths == 0) return cs_json_fail(json, s->over, error, "found an empty object; want {path: [low, high]}");
  if (s->kind == CS_SAMPLE_SOBOL && paths > CS_SOBOL_DIMENSIONS)
    return cs_json_fail(json, s->over, error, "found %zu paths; want at most %d with sobol, or lhs", paths,
                        CS_SOBOL_DIMENSIONS);
  return code;
}

/* The point at `at`, 0 to 1. With `log` low (high/low)^at is a product of square roots, one for each bit of `at`: other
 * than pow, whose last bit depends on the library, they are the same on every machine. */
static double point_in(const struct range *r, double at) {
  double point = r->low, root = r->high / r->low;
  if (!r->log) return fmin(r->low + (r->high - r->low) * at, r->high);
  for (; at > 0.0; at -= floor(at)) {
    root = sqrt(root);
    at *= 2.0;
    if (at >= 1.0) point *= root;
  }
  return fmin(point, r->high);
}

static int write_sample(const struct cs_json *json, const struct sample *s, struct cs_text *text,
                        struct cs_error *error) {
  struct cs_writer w = {.text = text};
  const size_t paths = cs_json_length(s->over), count = (size_t)s->count;
  double *point = malloc(paths * count * sizeof *point);
  int code =
      point != NULL ? cs_sample_fill(s->kind, (uint64_t)s->seed, paths, count, point, error) : cs_error_memory(error);
  cs_writer_object(&w, NULL);
  for (size_t p = 0; p < paths && code == CS_OK; p++) {
    struct range range;
    code = read_range(json, cs_json_at(s->over, p), &range, error);
    cs_writer_list(&w, cs_json_key(cs_json_at(s->over, p)));
    for (size_t i = 0; i < count && code == CS_OK; i++)
      cs_writer_shortest(&w, NULL, point_in(&range, point[p * count + i]));
    cs_writer_end(&w);
  }
  cs_writer_end(&w);
  free(point);
  return code;
}

/* ---- tables */

/* Parameters are numbers, and words do not begin like them; what other paths take is checked with the axis. */
static int check_numbers(const char *path, const struct cs_sheet *sheet, struct cs_error *error) {
  static const char parameters[] = "parameters.";
  double value;
  for (size_t i = sheet->columns; i < sheet->cells; i++) {
    const char *head = sheet->cell[i % sheet->columns], *cell = sheet->cell[i];
    const bool digit = cell[strspn(cell, "+-.,")] >= '0' && cell[strspn(cell, "+-.,")] <= '9';
    if ((digit || strncmp(head, parameters, sizeof parameters - 1) == 0) && !cs_sheet_number(sheet, cell, &value))
      return cs_error_set(error, CS_INPUT, "%s:%zu: %s: found \"%s\"; want a decimal number", path,
                          sheet->line[i / sheet->columns], head, cell);
  }
  return CS_OK;
}

/* Numbers as such, everything else as words. */
static void write_sheet(const struct cs_sheet *sheet, struct cs_text *text) {
  struct cs_writer w = {.text = text};
  cs_writer_object(&w, NULL);
  for (size_t c = 0; c < sheet->columns; c++) {
    cs_writer_list(&w, sheet->cell[c]);
    for (size_t r = 1; r < sheet->rows; r++) {
      const char *cell = sheet->cell[r * sheet->columns + c];
      double value;
      if (cs_sheet_number(sheet, cell, &value))
        cs_writer_number(&w, NULL, value);
      else
        cs_writer_string(&w, NULL, cell);
    }
    cs_writer_end(&w);
  }
  cs_writer_end(&w);
}

static int write_table(const struct cs_json *json, const char *path, const struct cs_node *node, struct cs_text *found,
                       struct cs_sheet *sheet, struct cs_text *text, struct cs_error *error) {
  struct cs_error inner = {0};
  int code = cs_text_read(found, path, "CSV file", &inner);
  if (code == CS_OK && (found->length == 0 || strlen(found->data) != found->length))
    code = cs_error_set(&inner, CS_INPUT, "%s: %s; want a CSV file, a line of paths and lines of values", path,
                        found->length == 0 ? "is empty" : "is not a text");
  if (code == CS_OK) code = cs_sheet_read(path, found->data, sheet, &inner);
  if (code == CS_OK) code = check_numbers(path, sheet, &inner);
  if (code == CS_IO || code == CS_INPUT) return cs_json_fail(json, node, error, "%s", inner.message);
  if (code != CS_OK) return cs_error_memory(error);
  write_sheet(sheet, text);
  return CS_OK;
}

/* Lets faults of a column name the line of the table. */
static int name_lines(const struct cs_node *zip, const char *path, const struct cs_sheet *sheet,
                      struct cs_error *error) {
  int code = CS_OK;
  for (size_t c = 0; c < sheet->columns && code == CS_OK; c++) {
    struct cs_text before = {0}, after = {0};
    cs_json_add_path(zip, &before);
    cs_text_add(&before, ": %s:", path);
    cs_text_add(&after, ": %s", sheet->cell[c]);
    const struct cs_json_origin origin = {before.data, after.data, sheet->line, cs_json_place(zip)};
    code =
        before.failed || after.failed ? cs_error_memory(error) : cs_json_stand_for(cs_json_at(zip, c), &origin, error);
    cs_text_free(&before);
    cs_text_free(&after);
  }
  return code;
}

static int replace_table(struct cs_json *json, const char *sweep, const struct cs_node *axis,
                         const struct cs_node *node, struct cs_error *error) {
  struct cs_text path = {0}, found = {0}, text = {0};
  struct cs_sheet sheet = {0};
  cs_source_locate(sweep, cs_json_string(node), &path);
  int code = path.failed ? cs_error_memory(error) : write_table(json, path.data, node, &found, &sheet, &text, error);
  if (code == CS_OK && text.failed) code = cs_error_memory(error);
  if (code == CS_OK) code = cs_json_replace(json, node, "zip", text.data, error);
  if (code == CS_OK) code = name_lines(cs_json_get(axis, "zip"), path.data, &sheet, error);
  cs_sheet_free(&sheet);
  cs_text_free(&path);
  cs_text_free(&found);
  cs_text_free(&text);
  return code;
}

/* ---- axes */

/* What an axis may not have beside a sample. */
static int check_alone(const struct cs_json *json, const struct cs_node *axis, struct cs_error *error) {
  static const char *const bindings[] = {"path", "paths", "zip"}, *const values[] = {"values", "linspace", "logspace"};
  for (size_t i = 0; i < 3; i++) {
    const struct cs_node *binding = cs_json_get(axis, bindings[i]), *value = cs_json_get(axis, values[i]);
    if (binding != NULL)
      return cs_json_fail_key(json, binding, error,
                              "given together with \"sample\"; want one of: path, paths, zip, sample");
    if (value != NULL)
      return cs_json_fail_key(json, value, error, "given together with \"sample\"; want the ranges in sample.over");
  }
  return CS_OK;
}

static int replace_sample(struct cs_json *json, const struct cs_node *axis, const struct cs_node *node,
                          struct cs_error *error) {
  struct cs_text text = {0};
  struct sample s;
  int code = check_alone(json, axis, error);
  if (code == CS_OK) code = read_sample(json, node, &s, error);
  if (code == CS_OK) code = write_sample(json, &s, &text, error);
  if (code == CS_OK && text.failed) code = cs_error_memory(error);
  const size_t paths = code == CS_OK ? cs_json_length(s.over) : 0;
  struct cs_text *said = calloc(paths + 1, sizeof *said); /* the ranges go with the sample */
  struct cs_value_place *place = calloc(paths + 1, sizeof *place);
  if (code == CS_OK && (said == NULL || place == NULL)) code = cs_error_memory(error);
  for (size_t i = 0; i < paths && code == CS_OK; i++) {
    cs_json_add_path(cs_json_at(s.over, i), &said[i]);
    place[i] = cs_json_place(cs_json_at(s.over, i));
    if (said[i].failed) code = cs_error_memory(error);
  }
  if (code == CS_OK) code = cs_json_replace(json, node, "zip", text.data, error);
  for (size_t i = 0; i < paths && code == CS_OK; i++) {
    const struct cs_json_origin origin = {said[i].data, "", NULL, place[i]};
    code = cs_json_stand_for(cs_json_at(cs_json_get(axis, "zip"), i), &origin, error);
  }
  for (size_t i = 0; i < paths && said != NULL; i++)
    cs_text_free(&said[i]);
  free(said);
  free(place);
  cs_text_free(&text);
  return code;
}

static int write_out(struct cs_json *json, const char *sweep, const struct cs_node *axis, struct cs_writer *designs,
                     struct cs_error *error) {
  const struct cs_node *sample = cs_json_get(axis, "sample"), *zip = cs_json_get(axis, "zip");
  const struct cs_node *name = cs_json_get(axis, "name"), *design = sample != NULL ? sample : zip;
  if (sample == NULL && (zip == NULL || cs_json_kind(zip) != CS_STRING)) return CS_OK;
  if (name != NULL && cs_json_kind(name) == CS_STRING) {
    if (designs->depth == 0) cs_writer_object(designs, NULL);
    cs_json_write(designs, cs_json_string(name), design);
  }
  return sample != NULL ? replace_sample(json, axis, sample, error) : replace_table(json, sweep, axis, zip, error);
}

int cs_design_write_out(struct cs_json *json, const char *sweep, struct cs_text *designs, struct cs_error *error) {
  const struct cs_node *axes = cs_json_get(cs_json_root(json), "axes");
  struct cs_writer w = {.text = designs};
  int code = CS_OK;
  for (size_t i = 0; axes != NULL && i < cs_json_length(axes) && cs_json_goes_on(json, code); i++)
    if (cs_json_kind(cs_json_at(axes, i)) == CS_OBJECT)
      code = cs_json_also(json, code, write_out(json, sweep, cs_json_at(axes, i), &w, error), error);
  if (w.depth > 0) cs_writer_end(&w);
  return code == CS_OK && designs->failed ? cs_error_memory(error) : code;
}
