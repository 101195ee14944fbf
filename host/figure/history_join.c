/* Quantities of a trace in one panel. */
#include <stdlib.h>
#include <string.h>

#include "history.h"

/* "[m]" at the end of the label of a panel of signals; "" if they have no unit. */
static const char *unit_of(const struct cs_figure_panel *panel) {
  const char *unit = strstr(panel->y.label, " [");
  return unit != NULL ? unit : "";
}

static void add_name(const struct cs_figure_panel *panel, struct cs_text *text) {
  cs_text_append(text, panel->y.label, strlen(panel->y.label) - strlen(unit_of(panel)));
}

static bool has_title(const struct cs_figure_panel *panel, const char *title) {
  for (size_t i = 0; i < panel->curves; i++)
    if (panel->curve[i].title != NULL && strcmp(panel->curve[i].title, title) == 0) return true;
  return false;
}

/* Names the signals of `panel` as they are called among those of `others`, and numbers them from *series on: a single
 * one by its panel, one of a name that is there already by its quantity too. */
static int name_signals(struct cs_figure_panel *panel, const struct cs_figure_panel *others, size_t *series,
                        struct cs_error *error) {
  for (size_t i = 0; i < panel->curves; i++) {
    struct cs_figure_curve *curve = &panel->curve[i];
    if (curve->ink != CS_INK_SERIES) continue;
    curve->series = (*series)++;
    if (curve->title == NULL || (curve->title[0] != '\0' && !has_title(others, curve->title))) continue;
    struct cs_text title = {0};
    add_name(panel, &title);
    if (curve->title[0] != '\0') cs_text_add(&title, ": %s", curve->title);
    if (title.failed) return cs_error_memory(error);
    free(curve->title);
    curve->title = title.data;
  }
  return CS_OK;
}

/* Moves what a panel shows into another, whose unit it has, and leaves it empty. */
static int join_panel(struct cs_figure_panel *to, struct cs_figure_panel *from, struct cs_error *error) {
  static const struct cs_figure_panel none = {0};
  size_t series = 0;
  struct cs_text label = {0};
  int code = name_signals(to, &none, &series, error);
  if (code == CS_OK) code = name_signals(from, to, &series, error);
  if (code != CS_OK) return code;
  add_name(to, &label);
  cs_text_add(&label, ", ");
  add_name(from, &label);
  cs_text_add(&label, "%s", unit_of(to));
  if (label.failed) return cs_error_memory(error);
  free(to->y.label);
  to->y.label = label.data;
  from->marks = 0; /* events are those of the run */
  return cs_figure_merge_panel(to, from, error);
}

int cs_history_join(struct cs_history *c, size_t first, size_t next, struct cs_error *error) {
  struct cs_figure *figure = c->figure;
  int code = CS_OK;
  for (size_t p = next; p < figure->panels && code == CS_OK;) {
    struct cs_figure_panel *panel = &figure->panel[p];
    size_t same = first;
    while (same < next && strcmp(unit_of(&figure->panel[same]), unit_of(panel)) != 0)
      same++;
    if (same == next) {
      p++;
      continue;
    }
    code = join_panel(&figure->panel[same], panel, error);
    cs_figure_free_panel(panel);
    memmove(panel, panel + 1, (--figure->panels - p) * sizeof *panel);
  }
  return code;
}
