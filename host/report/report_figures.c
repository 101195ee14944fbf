/* The figures of a report: chosen to suit the table, drawn by gnuplot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "figure.h"
#include "gnuplot.h"
#include "list.h"
#include "metric.h"
#include "report.h"

enum { MOST_CONVERGENCE = 4 };

/* Takes ownership of the SVG text. */
static int add_figure(struct cs_report_figures *figures, const char *caption, struct cs_text *svg,
                      struct cs_error *error) {
  if (!cs_list_grow(&figures->figure, figures->count, sizeof *figures->figure)) return cs_error_memory(error);
  struct cs_report_figure *figure = &figures->figure[figures->count++];
  *figure = (struct cs_report_figure){.caption = cs_text_copy(caption), .svg = svg->data};
  *svg = (struct cs_text){0};
  return figure->caption != NULL ? CS_OK : cs_error_memory(error);
}

/* Caption of a figure whose kind was chosen automatically. */
static const char *caption_of(const struct cs_figure *figure) {
  static const struct {
    const char *kind, *caption;
  } list[] = {{"convergence", "Convergence, with fitted slopes."},
              {"cost", "Error against cost: of each method the runs that no other of its own beats in both."},
              {"trace", "The run over time, with its errors."},
              {"points", "Every run."}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(figure->kind, list[i].kind) == 0) return list[i].caption;
  if (strcmp(figure->kind, "map") != 0) return "Along an axis.";
  const struct cs_figure_map *map = figure->panels > 0 ? figure->panel[0].map : NULL;
  return map == NULL || isnan(map->divide) ? "Over two axes."
                                           : "A map over two axes; the colours change at the stability limit.";
}

/* Draws a figure; adds none if the table has nothing to draw. After a failure of gnuplot, no further figure is tried.
 * `caption` may be NULL. */
static int draw(const struct cs_table *table, const char *kind, const char *metric, const char *caption,
                struct cs_report_figures *figures, struct cs_error *error) {
  const struct cs_figure_request request = {.kind = kind, .metric = metric};
  struct cs_figure *figure = NULL;
  struct cs_text svg = {0};
  struct cs_error why = {0};
  if (figures->missing != NULL) return CS_OK;
  int code = cs_figure_new(table, &request, &figure, &why);
  if (code == CS_USAGE || code == CS_NO_RESULT) return CS_OK;
  if (code == CS_OK && kind == NULL && strcmp(figure->kind, "cost") == 0) figures->cost_drawn = true;
  if (code == CS_OK) figure->title[0] = '\0'; /* the page has it already */
  if (code == CS_OK) code = cs_gnuplot_svg(figure, &svg, &why);
  if (code == CS_OK) {
    code = add_figure(figures, caption != NULL ? caption : caption_of(figure), &svg, error);
  } else if (code == CS_IO) {
    figures->missing = cs_text_copy(why.message);
    code = figures->missing != NULL ? CS_OK : cs_error_memory(error);
  } else {
    cs_error_set(error, code, "%s", why.message);
  }
  cs_figure_free(figure);
  cs_text_free(&svg);
  return code;
}

static bool has_good_runs(const struct cs_table *table) {
  const struct cs_array *status = cs_table_find(table, "status");
  for (size_t run = 0; status != NULL && status->type == CS_UINT8 && run < status->count; run++)
    if (cs_table_uint8(status, run) == 0) return true;
  return false;
}

/* Convergence of errors first, then of defects. */
static int draw_convergence(const struct cs_table *table, struct cs_report_figures *figures, struct cs_error *error) {
  int code = CS_OK;
  long m;
  for (size_t place = 1; (m = cs_metric_usual(CS_USE_CONVERGENCE, place)) >= 0 && code == CS_OK; place++) {
    const char *name = cs_metric_table[m].name;
    struct cs_text caption = {0};
    if (figures->count >= MOST_CONVERGENCE || cs_table_find(table, name) == NULL ||
        cs_runs_find(table, name, "_order", CS_FLOAT64) == NULL)
      continue;
    cs_text_add(&caption, "Convergence of %s: %s.", name, cs_metric_table[m].long_name);
    code = caption.failed ? cs_error_memory(error) : draw(table, "convergence", name, caption.data, figures, error);
    cs_text_free(&caption);
  }
  return code;
}

int cs_report_draw(const struct cs_table *table, struct cs_report_figures *figures, struct cs_error *error) {
  *figures = (struct cs_report_figures){0};
  if (cs_digest_is_trace(table)) return draw(table, NULL, NULL, NULL, figures, error);
  if (!has_good_runs(table)) return CS_OK;
  int code = draw_convergence(table, figures, error);
  if (code == CS_OK && figures->count == 0) code = draw(table, NULL, NULL, NULL, figures, error);
  if (code == CS_OK && cs_runs_usual(table, CS_USE_COST) != NULL && !figures->cost_drawn)
    code = draw(table, "cost", NULL, NULL, figures, error);
  return code;
}

void cs_report_free_figures(struct cs_report_figures *figures) {
  for (size_t i = 0; i < figures->count; i++) {
    free(figures->figure[i].caption);
    free(figures->figure[i].svg);
  }
  free(figures->figure);
  free(figures->missing);
  *figures = (struct cs_report_figures){0};
}
