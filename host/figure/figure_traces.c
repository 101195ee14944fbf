/* Several traces in one figure: the panels of one, with a curve for every file and signal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "figure_private.h"
#include "list.h"

enum { ALL_DIGITS = 17 };

/* ---- names of files */

struct run {
  const char *path;
  struct cs_text place; /* "dk=2, H=0.1"; "" if the sweep has a single run */
};

static const char *place_of(const struct run *run) {
  return cs_text_string(&run->place);
}

/* The next "axis=value" of a run; advances *place past it. False at the end. */
static bool next_part(const char **place, const char **part, size_t *length) {
  const char *comma = strstr(*place, ", ");
  *part = *place;
  *length = comma != NULL ? (size_t)(comma - *place) : strlen(*place);
  *place += *length + (comma != NULL ? 2 : 0);
  return *length > 0;
}

static bool has_part(const char *place, const char *part, size_t length) {
  const char *other;
  size_t size;
  while (next_part(&place, &other, &size))
    if (size == length && memcmp(other, part, length) == 0) return true;
  return false;
}

/* Appends the settings of file `i` that it shares with all others, or those that differ, with so many digits. */
static void add_parts(const struct run *file, size_t files, size_t i, bool common, int digits, struct cs_text *text) {
  const char *place = place_of(&file[i]), *part;
  size_t length;
  while (next_part(&place, &part, &length)) {
    bool everywhere = true;
    for (size_t k = 0; k < files; k++)
      everywhere = everywhere && has_part(place_of(&file[k]), part, length);
    if (everywhere != common) continue;
    cs_text_add(text, text->length > 0 ? ", " : "");
    cs_figure_add_settings(part, length, digits, text);
  }
}

/* Whether two runs are given by the same axes. */
static bool same_axes(const char *a, const char *b) {
  const char *left, *right;
  size_t m, n;
  for (;;) {
    const bool more = next_part(&a, &left, &m);
    if (next_part(&b, &right, &n) != more) return false;
    if (!more) return true;
    const size_t name = strcspn(left, "=");
    if (name != strcspn(right, "=") || memcmp(left, right, name) != 0) return false;
  }
}

static void add_stem(const char *path, struct cs_text *text) {
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
  cs_text_append(text, name, dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name));
}

static bool any_failed(const struct cs_text *name, size_t files) {
  for (size_t i = 0; i < files; i++)
    if (name[i].failed) return true;
  return false;
}

static bool differ(const struct cs_text *name, size_t files) {
  for (size_t i = 0; i < files; i++) {
    if (name[i].length == 0) return false;
    for (size_t k = 0; k < i; k++)
      if (strcmp(name[i].data, name[k].data) == 0) return false;
  }
  return true;
}

/* Names that distinguish the files in the legend: the settings that differ, with all digits where fewer do not, else
 * the file names, else the paths. True if they are settings. */
static bool name_files(const struct run *file, size_t files, struct cs_text *name) {
  bool comparable = true;
  for (size_t i = 0; i < files; i++)
    comparable = comparable && same_axes(place_of(&file[0]), place_of(&file[i]));
  for (int way = comparable ? 0 : 2; way < 4; way++) {
    for (size_t i = 0; i < files; i++) {
      cs_text_free(&name[i]);
      if (way < 2)
        add_parts(file, files, i, false, way == 0 ? CS_FIGURE_DIGITS : ALL_DIGITS, &name[i]);
      else if (way == 2)
        add_stem(file[i].path, &name[i]);
      else
        cs_text_add(&name[i], "%s", file[i].path);
    }
    if (way == 3 || any_failed(name, files) || differ(name, files)) return way < 2;
  }
  return false;
}

/* ---- curves */

/* Names the curves of file `i`, and numbers them so that colours distinguish files before signals. */
static int mark(struct cs_figure *figure, const char *name, size_t i, size_t files, struct cs_error *error) {
  for (size_t p = 0; p < figure->panels; p++) {
    struct cs_figure_panel *panel = &figure->panel[p];
    size_t signals = 0;
    for (size_t c = 0; c < panel->curves; c++) {
      struct cs_figure_curve *curve = &panel->curve[c];
      if (curve->ink == CS_INK_EXACT) continue;
      const bool series = curve->ink == CS_INK_SERIES;
      curve->series = series ? signals++ * files + i : i + 1;
      if (curve->title == NULL) continue;
      struct cs_text title = {0};
      cs_text_add(&title, "%s%s%s", name, !series ? ", " : curve->title[0] != '\0' ? ": " : "", curve->title);
      if (title.failed) return cs_error_memory(error);
      free(curve->title);
      curve->title = title.data;
    }
  }
  return CS_OK;
}

/* Whether two time histories agree wherever both have points. */
static bool agree(const struct cs_figure_curve *a, const struct cs_figure_curve *b) {
  double scale = 0.0, end = 0.0;
  size_t common = 0;
  for (size_t i = 0; i < a->points; i++) {
    scale = fmax(scale, fabs(a->y[i]));
    end = fmax(end, fabs(a->x[i]));
  }
  for (size_t i = 0, k = 0; i < a->points && k < b->points;) {
    const double apart = a->x[i] - b->x[k];
    if (fabs(apart) > 1e-9 * end) {
      i += apart < 0.0;
      k += apart > 0.0;
      continue;
    }
    if (fabs(a->y[i++] - b->y[k++]) > 1e-6 * scale) return false;
    common++;
  }
  return common > 1;
}

static void swap(struct cs_figure_curve *a, struct cs_figure_curve *b) {
  const struct cs_figure_curve curve = *a;
  *a = *b;
  *b = curve;
}

/* Of equal exact solutions keeps the one with more points, with the legend entry of the first. True: `curve` is to be
 * dropped. */
static bool merge_exact(struct cs_figure_panel *panel, struct cs_figure_curve *curve) {
  for (size_t i = 0; i < panel->curves; i++) {
    struct cs_figure_curve *other = &panel->curve[i];
    if (other->ink != CS_INK_EXACT) continue;
    if (agree(other, curve)) {
      if (curve->points <= other->points) return true;
      char *title = curve->title;
      curve->title = other->title;
      other->title = title;
      swap(other, curve);
      return true;
    }
    free(curve->title);
    curve->title = NULL;
  }
  return false;
}

static size_t rank_of(const struct cs_figure_curve *curve) {
  if (curve->ink == CS_INK_EXACT) return SIZE_MAX;          /* drawn on top */
  return 2 * curve->series - (curve->ink != CS_INK_SERIES); /* rejected ones and those given up are numbered from 1 */
}

int cs_figure_merge_panel(struct cs_figure_panel *to, struct cs_figure_panel *from, struct cs_error *error) {
  if (!cs_list_reserve(&to->curve, to->curves + from->curves, sizeof *to->curve)) return cs_error_memory(error);
  struct cs_figure_curve *list = to->curve;
  for (size_t c = 0; c < from->curves; c++) {
    struct cs_figure_curve *curve = &from->curve[c];
    if (curve->ink == CS_INK_EXACT && merge_exact(to, curve)) continue;
    list[to->curves] = *curve;
    *curve = (struct cs_figure_curve){0}; /* owned there now */
    for (size_t i = to->curves++; i > 0 && rank_of(&list[i]) < rank_of(&list[i - 1]); i--)
      swap(&list[i], &list[i - 1]);
  }
  if (!cs_list_reserve(&to->mark, to->marks + from->marks, sizeof *to->mark)) return cs_error_memory(error);
  for (size_t i = 0; i < from->marks; i++)
    to->mark[to->marks++] = from->mark[i];
  to->y.log = to->y.log || from->y.log;
  for (size_t c = 0; to->y.log && c < to->curves; c++)
    for (size_t i = 0; i < list[c].points; i++)
      if (list[c].y[i] <= 0.0) list[c].y[i] = NAN;
  return CS_OK;
}

/* ---- panels */

/* Merges the panels of `from` into those of `to` with the same label, or inserts them after the previous one. */
static int merge(struct cs_figure *to, struct cs_figure *from, struct cs_error *error) {
  if (!cs_list_reserve(&to->panel, to->panels + from->panels, sizeof *to->panel)) return cs_error_memory(error);
  struct cs_figure_panel *list = to->panel;
  size_t next = 0;
  for (size_t p = 0; p < from->panels; p++) {
    struct cs_figure_panel *panel = &from->panel[p];
    size_t same = 0;
    while (same < to->panels && strcmp(list[same].y.label, panel->y.label) != 0)
      same++;
    if (same < to->panels) {
      const int code = cs_figure_merge_panel(&list[same], panel, error);
      if (code != CS_OK) return code;
      next = same + 1;
      continue;
    }
    memmove(&list[next + 1], &list[next], (to->panels - next) * sizeof *list);
    list[next++] = *panel;
    to->panels++;
    *panel = (struct cs_figure_panel){0};
  }
  if (to->panels <= CS_FIGURE_PANELS) return CS_OK;
  return cs_error_set(error, CS_USAGE, "%zu panels; want at most %d: --signal chooses, or fewer files", to->panels,
                      CS_FIGURE_PANELS);
}

/* ---- texts */

/* The titles without run numbers, each once. */
static void add_title(const char *title, struct cs_text *text) {
  const char *run = strstr(title, ": run "), *next = run;
  while (next != NULL && (next = strstr(run + 1, ": run ")) != NULL)
    run = next;
  struct cs_text line = {0};
  cs_text_append(&line, title, run != NULL ? (size_t)(run - title) : strlen(title));
  if (!line.failed && (text->length == 0 || strstr(text->data, line.data) == NULL))
    cs_text_add(text, "%s%s", text->length > 0 ? "; " : "", line.data);
  text->failed = text->failed || line.failed;
  cs_text_free(&line);
}

/* The common settings of the runs, which the legend does not show. */
static void add_runs(const struct run *file, size_t files, const struct cs_text *name, bool said,
                     struct cs_text *notes) {
  struct cs_text common = {0};
  add_parts(file, files, 0, true, CS_FIGURE_DIGITS, &common);
  if (said && common.length > 0) cs_text_add(notes, "runs: %s\n", common.data);
  for (size_t i = 0; i < files && !said; i++)
    if (place_of(&file[i])[0] != '\0') {
      cs_text_add(notes, "%s: ", name[i].data);
      cs_figure_add_settings(place_of(&file[i]), strlen(place_of(&file[i])), CS_FIGURE_DIGITS, notes);
      cs_text_add(notes, "\n");
    }
  notes->failed = notes->failed || common.failed;
  cs_text_free(&common);
}

/* ---- the whole */

/* Sets *traces if the files are traces; results and traces do not go together. */
static int check(const struct cs_figure_file *file, size_t files, const struct cs_figure_request *request, bool *traces,
                 struct cs_error *error) {
  if (files > CS_FIGURE_FILES)
    return cs_error_set(error, CS_USAGE, "%zu files; want at most %d in a figure", files, CS_FIGURE_FILES);
  *traces = cs_digest_is_trace(file[0].table);
  for (size_t i = 1; i < files; i++)
    if (cs_digest_is_trace(file[i].table) != *traces)
      return cs_error_set(error, CS_USAGE, "%s is a trace and %s a result; want files of one kind",
                          file[*traces ? 0 : i].path, file[*traces ? i : 0].path);
  if (*traces && request->kind != NULL && strcmp(request->kind, "trace") != 0)
    return cs_error_set(error, CS_USAGE, "--kind \"%s\"; traces are drawn over t", request->kind);
  return CS_OK;
}

/* Lays the figures of traces over each other. */
static int overlay(const struct cs_figure_file *file, size_t files, const struct run *run, const struct cs_text *name,
                   bool said, const struct cs_figure_request *request, struct cs_figure **figure,
                   struct cs_error *error) {
  struct cs_text title = {0}, notes = {0};
  int code = CS_OK;
  add_runs(run, files, name, said, &notes);
  for (size_t i = 0; i < files && code == CS_OK; i++) {
    struct cs_figure *next = NULL;
    const size_t most =
        2 * CS_FIGURE_CURVES / files < CS_FIGURE_CURVES ? 2 * CS_FIGURE_CURVES / files : CS_FIGURE_CURVES;
    code = name[i].failed ? cs_error_memory(error) : cs_figure_course(file[i].table, request, most, &next, error);
    if (code == CS_OK) code = mark(next, name[i].data, i, files, error);
    if (code == CS_OK) add_title(next->title, &title);
    if (code == CS_OK) cs_figure_add_notes(next->notes, &notes);
    if (code == CS_OK && *figure != NULL) code = merge(*figure, next, error);
    if (*figure == NULL)
      *figure = next;
    else
      cs_figure_free(next);
  }
  if (code == CS_OK) cs_figure_drop_constant_steps(*figure, &notes);
  if (code == CS_OK) cs_figure_set_ranges(*figure, &notes);
  if (code == CS_OK) {
    free((*figure)->title);
    free((*figure)->notes);
    (*figure)->title = cs_text_copy(cs_text_string(&title));
    (*figure)->notes = cs_text_copy(cs_text_string(&notes));
    if (title.failed || notes.failed || (*figure)->title == NULL || (*figure)->notes == NULL)
      code = cs_error_memory(error);
  }
  cs_text_free(&title);
  cs_text_free(&notes);
  return code;
}

int cs_figure_compare(const struct cs_figure_file *file, size_t files, const struct cs_figure_request *request,
                      struct cs_figure **figure, struct cs_error *error) {
  struct cs_text name[CS_FIGURE_FILES] = {0};
  struct run run[CS_FIGURE_FILES] = {0};
  bool traces = false, failed = false;
  *figure = NULL;
  if (files == 1) return cs_figure_new(file[0].table, request, figure, error);
  int code = check(file, files, request, &traces, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < files; i++) {
    run[i].path = file[i].path;
    cs_digest_add_trace_place(file[i].table, &run[i].place);
    failed = failed || run[i].place.failed;
  }
  const bool said = !failed && name_files(run, files, name);
  if (failed || any_failed(name, files))
    code = cs_error_memory(error);
  else
    code = traces ? overlay(file, files, run, name, said, request, figure, error)
                  : cs_figure_results(file, files, name, request, figure, error);
  for (size_t i = 0; i < files; i++) {
    cs_text_free(&name[i]);
    cs_text_free(&run[i].place);
  }
  if (code == CS_OK) return CS_OK;
  cs_figure_free(*figure);
  *figure = NULL;
  return code;
}
