/* Ranges of axes that the user wants. */
#include <stdlib.h>
#include <string.h>

#include "figure.h"

/* Labels of triangles outside the range would stand outside the panel. */
static void drop_labels(struct cs_figure_panel *panel) {
  size_t kept = 0;
  for (size_t i = 0; i < panel->labels; i++) {
    struct cs_figure_label *label = &panel->label[i];
    const bool inside = label->x >= panel->x.least && label->x <= panel->x.most && label->y >= panel->y.least &&
                        label->y <= panel->y.most;
    const struct cs_figure_label copy = *label;
    if (inside) {
      *label = panel->label[kept];
      panel->label[kept++] = copy;
    }
  }
  for (size_t i = kept; i < panel->labels; i++)
    free(panel->label[i].text);
  panel->labels = kept;
}

int cs_figure_limit(struct cs_figure *figure, bool of_y, double least, double most, struct cs_error *error) {
  const char *option = of_y ? "yrange" : "xrange";
  for (size_t p = 0; p < figure->panels; p++) {
    const struct cs_figure_panel *panel = &figure->panel[p];
    const struct cs_figure_axis *axis = of_y ? &panel->y : &panel->x;
    if (panel->map != NULL)
      return cs_error_set(error, CS_USAGE, "--%s: a map shows its axes as a whole; want --where, or another --kind",
                          option);
    if (axis->ticks > 0) return cs_error_set(error, CS_USAGE, "--%s: the axis has names; want --where", option);
    if (axis->log && !(least > 0.0))
      return cs_error_set(error, CS_USAGE, "--%s %g:%g: the axis is logarithmic; want numbers above 0", option, least,
                          most);
    if (of_y && strcmp(axis->label, figure->panel[0].y.label) != 0)
      return cs_error_set(error, CS_USAGE,
                          "--%s: panels show %s and %s; want --metric and --signal that leave one of them", option,
                          figure->panel[0].y.label, axis->label);
  }
  for (size_t p = 0; p < figure->panels; p++) {
    struct cs_figure_axis *axis = of_y ? &figure->panel[p].y : &figure->panel[p].x;
    axis->least = least;
    axis->most = most;
    drop_labels(&figure->panel[p]);
  }
  return CS_OK;
}
