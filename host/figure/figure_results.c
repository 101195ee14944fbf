/* Several results in one figure: the curves of all of them in the panels of the first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"
#include "list.h"

static bool same_text(const char *a, const char *b) {
  return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* Whether figures of two results have the same axes, metrics and panels. */
static int check_same(const struct cs_figure *a, const struct cs_figure *b, const char *a_path, const char *b_path,
                      struct cs_error *error) {
  static const char want[] =
      "want results over the same axes, or --metric, --x, --curve, --panel and --where that leave equal ones";
  if (strcmp(a->kind, "map") == 0)
    return cs_error_set(error, CS_USAGE, "maps cannot be laid over each other; want --kind lines, or one file");
  if (a->panels != b->panels)
    return cs_error_set(error, CS_USAGE, "%s has %zu panels and %s %zu; %s", a_path, a->panels, b_path, b->panels,
                        want);
  for (size_t p = 0; p < a->panels; p++) {
    const struct cs_figure_panel *left = &a->panel[p], *right = &b->panel[p];
    const char *const pair[][3] = {{left->x.label, right->x.label, "axis"},
                                   {left->y.label, right->y.label, "metric"},
                                   {left->title, right->title, "panel"}};
    for (size_t i = 0; i < 3; i++)
      if (!same_text(pair[i][0], pair[i][1]))
        return cs_error_set(error, CS_USAGE, "%s has %s \"%s\" and %s \"%s\"; %s", a_path, pair[i][2], pair[i][0],
                            b_path, pair[i][1], want);
    bool same = left->x.ticks == right->x.ticks;
    for (size_t i = 0; same && i < left->x.ticks; i++)
      same = same_text(left->x.tick[i], right->x.tick[i]);
    if (!same) return cs_error_set(error, CS_USAGE, "%s and %s have other names along x; %s", a_path, b_path, want);
  }
  return CS_OK;
}

/* Names the curves of file `i`, and numbers them so that colours distinguish files before other settings. */
static int mark(struct cs_figure *figure, const char *name, size_t i, size_t files, struct cs_error *error) {
  for (size_t p = 0; p < figure->panels; p++)
    for (size_t c = 0; c < figure->panel[p].curves; c++) {
      struct cs_figure_curve *curve = &figure->panel[p].curve[c];
      struct cs_text title = {0};
      if (curve->ink == CS_INK_REFERENCE) continue;
      if (curve->ink == CS_INK_SERIES) curve->series = curve->series * files + i;
      if (curve->more) continue;
      if (curve->series >= 2 * CS_FIGURE_CURVES)
        return cs_error_set(error, CS_USAGE, "more than %d curves in a panel; --where chooses, or fewer files",
                            2 * CS_FIGURE_CURVES);
      const bool titled = curve->title != NULL && curve->title[0] != '\0';
      cs_text_add(&title, "%s%s%s", name, titled ? ": " : "", titled ? curve->title : "");
      if (title.failed) return cs_error_memory(error);
      free(curve->title);
      curve->title = title.data;
    }
  return CS_OK;
}

/* Moves the curves of `from` into `to`; triangles and limits are those of the first file. */
static int merge(struct cs_figure *to, struct cs_figure *from, struct cs_error *error) {
  for (size_t p = 0; p < to->panels; p++) {
    struct cs_figure_panel *panel = &to->panel[p], *more = &from->panel[p];
    if (!cs_list_reserve(&panel->curve, panel->curves + more->curves, sizeof *panel->curve))
      return cs_error_memory(error);
    for (size_t c = 0; c < more->curves; c++) {
      if (more->curve[c].ink == CS_INK_REFERENCE) continue;
      panel->curve[panel->curves++] = more->curve[c];
      more->curve[c] = (struct cs_figure_curve){0}; /* owned there now */
    }
    panel->x.log = panel->x.log && more->x.log;
    panel->y.log = panel->y.log || more->y.log;
    for (size_t c = 0; panel->y.log && c < panel->curves; c++)
      for (size_t i = 0; i < panel->curve[c].points; i++)
        if (panel->curve[c].y[i] <= 0.0) panel->curve[c].y[i] = NAN;
  }
  return CS_OK;
}

static void set_text(char **text, const struct cs_text *with) {
  free(*text);
  *text = cs_text_copy(cs_text_string(with));
}

int cs_figure_results(const struct cs_figure_file *file, size_t files, const struct cs_text *name,
                      const struct cs_figure_request *request, struct cs_figure **figure, struct cs_error *error) {
  struct cs_text title = {0}, notes = {0};
  struct cs_figure_request same = *request;
  const bool several = request->metric != NULL && strchr(request->metric, ',') != NULL;
  int code = several ? CS_OK : cs_figure_complete(file[0].table, &same, error); /* one signal of costs for all */
  const size_t most = 2 * CS_FIGURE_CURVES / files;
  if (same.methods == 0 && most < CS_FIGURE_CURVES && code == CS_OK &&
      strcmp(same.kind != NULL ? same.kind : "", "map") != 0)
    same.methods = most;
  for (size_t i = 0; i < files && code == CS_OK; i++) {
    struct cs_figure *next = NULL;
    code = cs_figure_new(file[i].table, &same, &next, error);
    if (code == CS_OK) same.kind = next->kind;
    if (code == CS_OK) code = check_same(*figure != NULL ? *figure : next, next, file[0].path, file[i].path, error);
    if (code == CS_OK) code = mark(next, name[i].data, i, files, error);
    if (code == CS_OK && (title.length == 0 || strstr(title.data, next->title) == NULL))
      cs_text_add(&title, "%s%s", title.length > 0 ? "; " : "", next->title);
    if (code == CS_OK) cs_figure_add_notes(next->notes, &notes);
    if (code == CS_OK && *figure != NULL) code = merge(*figure, next, error);
    if (*figure == NULL)
      *figure = next;
    else
      cs_figure_free(next);
  }
  if (code == CS_OK) {
    cs_figure_set_ranges(*figure, &notes);
    set_text(&(*figure)->title, &title);
    set_text(&(*figure)->notes, &notes);
    if (title.failed || notes.failed || (*figure)->title == NULL || (*figure)->notes == NULL)
      code = cs_error_memory(error);
  }
  cs_text_free(&title);
  cs_text_free(&notes);
  return code;
}
