/* Ranges of axes that the user wants. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"

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

/* ---- y of what is visible ---------------------------------------------------------------------------------------- */

static void include(const struct cs_figure_axis *y, double value, double *low, double *high) {
  if (!isfinite(value) || (y->log && !(value > 0.0))) return;
  *low = fmin(*low, value);
  *high = fmax(*high, value);
}

/* Where the line from one point to the next passes x = `at`, as it is drawn. */
static double pass(const struct cs_figure_panel *panel, const struct cs_figure_curve *curve, size_t i, double at) {
  const bool x_log = panel->x.log, y_log = panel->y.log;
  const double from = x_log ? log(curve->x[i]) : curve->x[i], to = x_log ? log(curve->x[i + 1]) : curve->x[i + 1];
  const double f = ((x_log ? log(at) : at) - from) / (to - from), a = curve->y[i], b = curve->y[i + 1];
  return y_log ? a * pow(b / a, f) : a + (b - a) * f;
}

static void include_curve(const struct cs_figure_panel *panel, const struct cs_figure_curve *curve, double *low,
                          double *high) {
  const double ends[] = {panel->x.least, panel->x.most};
  for (size_t i = 0; i < curve->points; i++) {
    if (curve->x[i] >= ends[0] && curve->x[i] <= ends[1]) include(&panel->y, curve->y[i], low, high);
    for (size_t e = 0; e < 2 && i + 1 < curve->points && curve->draw != CS_DRAW_POINTS; e++)
      if ((curve->x[i] - ends[e]) * (curve->x[i + 1] - ends[e]) < 0.0)
        include(&panel->y, pass(panel, curve, i, ends[e]), low, high);
  }
}

/* Panels of one quantity have one range; without anything visible it stays. */
static void fit_y(struct cs_figure *figure) {
  for (size_t p = 0; p < figure->panels; p++) {
    struct cs_figure_panel *panel = &figure->panel[p];
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < figure->panels; k++)
      for (size_t c = 0; c < figure->panel[k].curves && strcmp(figure->panel[k].y.label, panel->y.label) == 0; c++)
        if (figure->panel[k].curve[c].ink != CS_INK_REFERENCE)
          include_curve(&figure->panel[k], &figure->panel[k].curve[c], &low, &high);
    if (low <= high) cs_figure_set_range(&panel->y, low, high);
  }
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

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
  }
  if (!of_y) fit_y(figure);
  for (size_t p = 0; p < figure->panels; p++)
    drop_labels(&figure->panel[p]);
  return CS_OK;
}
