/* Pieces of figures of all kinds. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure_private.h"
#include "list.h"

/* Panels in a row if nothing else suits better. */
static size_t usual_across(size_t panels) {
  return panels <= 3 ? panels : panels == 4 ? 2 : panels <= 9 ? 3 : 4;
}

struct cs_figure *cs_figure_begin(const char *kind, size_t panels, size_t across) {
  struct cs_figure *figure = calloc(1, sizeof *figure);
  if (figure == NULL) return NULL;
  figure->kind = kind;
  figure->panel = calloc(panels + 1, sizeof *figure->panel);
  if (figure->panel == NULL) {
    free(figure);
    return NULL;
  }
  figure->panels = panels;
  figure->across = across > 0 ? across : usual_across(panels);
  for (size_t i = 0; i < panels; i++) {
    struct cs_figure_panel *p = &figure->panel[i];
    p->x.least = p->y.least = p->z.least = 0.0;
    p->x.most = p->y.most = p->z.most = 1.0;
  }
  return figure;
}

int cs_figure_begin_view(const char *kind, struct cs_view *view, struct cs_figure **figure, struct cs_error *error) {
  const size_t panels = cs_view_count(view, CS_PART_PANEL);
  enum { WIDE = 4, HIGH = 4, LONG = 6 };
  size_t position[CS_MAX_DIMENSIONS] = {0}, across = 0, down = 0, dimensions = 0;
  for (size_t i = 0; i < view->slices; i++)
    if (view->slice[i].part == CS_PART_PANEL && view->slice[i].count > 1) {
      down = across;
      across = view->slice[i].count;
      dimensions++;
    }
  view->turned = dimensions == 2 && across > WIDE && across <= LONG && down <= WIDE;
  const bool grid = dimensions > 1 && across <= WIDE && panels / across <= HIGH;
  *figure = cs_figure_begin(kind, panels, view->turned ? down : grid ? across : 0);
  if (*figure == NULL) return cs_error_memory(error);
  for (size_t p = 0; p < panels; p++) {
    struct cs_text title = {0};
    cs_text_add(&title, "%s", "");
    cs_view_place(view, CS_PART_PANEL, p, position);
    cs_view_add_places(view, CS_PART_PANEL, position, &title);
    (*figure)->panel[p].title = title.data;
    if (title.failed) return cs_error_memory(error);
  }
  return CS_OK;
}

struct cs_figure_curve *cs_figure_add_curve(struct cs_figure_panel *panel, size_t points, const char *title) {
  if (!cs_list_reserve(&panel->curve, panel->curves + 1, sizeof *panel->curve)) return NULL;
  struct cs_figure_curve *curve = &panel->curve[panel->curves];
  *curve = (struct cs_figure_curve){.order = NAN, .fitted_from = -INFINITY, .fitted_to = INFINITY, .points = points};
  curve->title = title != NULL ? cs_text_copy(title) : NULL;
  curve->x = malloc((points + 1) * sizeof *curve->x);
  curve->y = malloc((points + 1) * sizeof *curve->y);
  panel->curves++; /* freed with the panel even if out of memory */
  if (curve->x != NULL && curve->y != NULL && (title == NULL || curve->title != NULL)) return curve;
  curve->points = 0;
  return NULL;
}

static bool is_named(const struct cs_figure_curve *curve) {
  return curve->title != NULL && curve->title[0] != '\0';
}

bool cs_figure_is_listed(const struct cs_figure_curve *curve) {
  return curve->points > 0 && !curve->more && (is_named(curve) || curve->zero || isfinite(curve->order));
}

void cs_figure_add_entry(const struct cs_figure_curve *curve, bool name, bool slope, struct cs_text *text) {
  const char *separator = name && is_named(curve) ? ": " : "";
  cs_text_add(text, "%s", name && is_named(curve) ? curve->title : "");
  if (slope && curve->zero)
    cs_text_add(text, "%szero", separator);
  else if (slope && isfinite(curve->order))
    cs_text_add(text, "%sslope %.2f", separator, curve->order);
}

void cs_figure_drop_curve(struct cs_figure_panel *panel) {
  const struct cs_figure_curve *last = &panel->curve[--panel->curves];
  free(last->title);
  free(last->x);
  free(last->y);
}

int cs_figure_add_label(struct cs_figure_panel *panel, double x, double y, const char *text) {
  if (!cs_list_reserve(&panel->label, panel->labels + 1, sizeof *panel->label)) return CS_DEVICE;
  struct cs_figure_label *label = &panel->label[panel->labels++];
  *label = (struct cs_figure_label){.text = cs_text_copy(text), .x = x, .y = y};
  return label->text != NULL ? CS_OK : CS_DEVICE;
}

static void free_axis(struct cs_figure_axis *axis) {
  free(axis->label);
  for (size_t i = 0; axis->tick != NULL && i < axis->ticks; i++)
    free(axis->tick[i]);
  free(axis->tick);
}

void cs_figure_free_panel(struct cs_figure_panel *panel) {
  for (size_t i = 0; i < panel->curves; i++) {
    free(panel->curve[i].title);
    free(panel->curve[i].x);
    free(panel->curve[i].y);
  }
  for (size_t i = 0; i < panel->labels; i++)
    free(panel->label[i].text);
  if (panel->map != NULL) free(panel->map->value);
  free(panel->map);
  free(panel->curve);
  free(panel->label);
  free(panel->mark);
  free(panel->title);
  free_axis(&panel->x);
  free_axis(&panel->y);
  free_axis(&panel->z);
}

void cs_figure_free(struct cs_figure *figure) {
  if (figure == NULL) return;
  for (size_t i = 0; i < figure->panels; i++)
    cs_figure_free_panel(&figure->panel[i]);
  free(figure->panel);
  free(figure->title);
  free(figure->notes);
  free(figure);
}

static bool is_empty(const struct cs_figure_panel *panel) {
  for (size_t c = 0; c < panel->curves; c++)
    for (size_t i = 0; i < panel->curve[c].points; i++)
      if (isfinite(panel->curve[c].x[i]) && isfinite(panel->curve[c].y[i])) return false;
  return true;
}

void cs_figure_drop_empty(struct cs_figure *figure, struct cs_text *notes) {
  size_t full = 0, all = figure->panels;
  for (size_t p = 0; p < all; p++)
    full += !is_empty(&figure->panel[p]);
  if (full == 0 || full == all) return;
  for (size_t p = 0, kept = 0; p < all; p++)
    if (is_empty(&figure->panel[p]))
      cs_figure_free_panel(&figure->panel[p]);
    else
      figure->panel[kept++] = figure->panel[p];
  cs_text_add(notes, "%zu of %zu panels not drawn: they have no values\n", all - full, all);
  figure->panels = full;
  figure->across = usual_across(full);
}

/* ---- ranges */

/* Widens [least, most] by the points of a panel's curves that are drawn: those with both numbers. */
static void widen(const struct cs_figure_panel *panel, bool of_y, double *least, double *most) {
  for (size_t c = 0; c < panel->curves; c++) {
    const struct cs_figure_curve *curve = &panel->curve[c];
    for (size_t i = 0; i < curve->points; i++) {
      if (!isfinite(curve->x[i]) || !isfinite(curve->y[i])) continue;
      *least = fmin(*least, of_y ? curve->y[i] : curve->x[i]);
      *most = fmax(*most, of_y ? curve->y[i] : curve->x[i]);
    }
  }
}

bool cs_figure_is_flat(double least, double most) {
  return most - least <= 1e-9 * fmax(fabs(least), fabs(most));
}

void cs_figure_set_range(struct cs_figure_axis *axis, double least, double most) {
  if (!(least <= most)) {
    least = axis->log ? 0.1 : 0.0;
    most = 1.0;
  }
  if (axis->ticks > 0) {
    axis->least = -0.5;
    axis->most = (double)axis->ticks - 0.5;
  } else if (axis->log) {
    const double room = cs_figure_is_flat(least, most) ? 2.0 : pow(most / least, 0.04);
    axis->least = fmax(least / room, DBL_MIN);
    axis->most = fmin(most * room, DBL_MAX);
  } else {
    const double room = !cs_figure_is_flat(least, most) ? 0.04 * (most - least) : most != 0.0 ? 0.5 * fabs(most) : 1.0;
    axis->least = least - room;
    axis->most = most + room;
  }
}

static int compare_numbers(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* All values of the panels with that label, ascending; NULL if out of memory. */
static double *sort_values(const struct cs_figure *figure, const char *label, size_t *count) {
  size_t most = 0;
  for (size_t p = 0; p < figure->panels; p++)
    for (size_t c = 0; c < figure->panel[p].curves; c++)
      most += figure->panel[p].curve[c].points;
  double *values = malloc((most + 1) * sizeof *values);
  *count = 0;
  for (size_t p = 0; values != NULL && p < figure->panels; p++) {
    const struct cs_figure_panel *panel = &figure->panel[p];
    for (size_t c = 0; c < panel->curves && strcmp(panel->y.label, label) == 0; c++)
      for (size_t i = 0; i < panel->curve[c].points; i++)
        if (isfinite(panel->curve[c].y[i])) values[(*count)++] = panel->curve[c].y[i];
  }
  if (values != NULL) qsort(values, *count, sizeof *values, compare_numbers);
  return values;
}

static const char diverging[] = "diverging values above the axis are not shown\n";

/* Errors of runs that diverge: a range that ends a decade above the signals, if errors are below. */
static bool bound_by_signal(const struct cs_figure *figure, const char *label, double least, double *most) {
  const double far = 100.0, above = 10.0;
  double signal = 0.0;
  for (size_t p = 0; p < figure->panels; p++)
    if (strcmp(figure->panel[p].y.label, label) == 0) signal = fmax(signal, figure->panel[p].signal);
  if (!(signal > 0.0 && *most > far * signal && least < signal)) return false;
  *most = above * signal;
  return true;
}

/* Limits a logarithmic range, so that bounded values remain distinguishable if others grow without bound, single runs
 * about to do so do not compress the lines of many, and single values near rounding not the time histories of a trace.
 */
static void bound(const struct cs_figure *figure, const char *label, double *least, double *most,
                  struct cs_text *notes) {
  const double decades = 1e15, room = 1e4, gap = 1e-5, above = 30.0;
  enum { MANY = 50 };
  size_t count;
  if (bound_by_signal(figure, label, *least, most)) {
    cs_figure_add_notes(diverging, notes);
    return;
  }
  if (!(*most > fmin(decades, 1.0 / gap) * *least)) return;
  double *values = sort_values(figure, label, &count);
  notes->failed |= values == NULL;
  if (values == NULL || count == 0) {
    free(values);
    return;
  }
  const double high = room * values[(size_t)(0.7 * (double)(count - 1))], low = values[count / MANY];
  if (*most > decades * *least && high < *most) {
    *most = high;
    cs_figure_add_notes(diverging, notes);
  }
  const double crowd = above * values[(size_t)(0.9 * (double)(count - 1))];
  if (figure->by_ends && *most > above * crowd) {
    *most = crowd;
    cs_figure_add_notes("the largest values are above the axis and not shown\n", notes);
  }
  if (figure->stacked && count >= MANY && *least < gap * low) {
    *least = 0.1 * low;
    cs_figure_add_notes("single values far below the others are not shown\n", notes);
  }
  free(values);
}

void cs_figure_set_ranges(struct cs_figure *figure, struct cs_text *notes) {
  double x_least = INFINITY, x_most = -INFINITY;
  for (size_t i = 0; i < figure->panels; i++)
    widen(&figure->panel[i], false, &x_least, &x_most);
  for (size_t i = 0; i < figure->panels; i++) {
    struct cs_figure_panel *panel = &figure->panel[i];
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < figure->panels; k++)
      if (strcmp(figure->panel[k].y.label, panel->y.label) == 0) widen(&figure->panel[k], true, &least, &most);
    if (panel->y.log) bound(figure, panel->y.label, &least, &most, notes);
    cs_figure_set_range(&panel->x, x_least, x_most);
    cs_figure_set_range(&panel->y, least, most);
  }
}

void cs_figure_add_settings(const char *settings, size_t length, int digits, struct cs_text *text) {
  const char *end = settings + length;
  while (settings < end) {
    const char *equal = memchr(settings, '=', (size_t)(end - settings));
    const size_t name = equal != NULL ? (size_t)(equal + 1 - settings) : (size_t)(end - settings);
    cs_text_append(text, settings, name);
    settings += name;
    char *after = NULL;
    const double value = settings < end ? strtod(settings, &after) : NAN;
    if (after == NULL || after == settings || after > end || (after < end && *after != ',')) continue;
    cs_text_add(text, "%.*g", digits, value);
    settings = after;
  }
}

void cs_figure_add_notes(const char *more, struct cs_text *notes) {
  while (*more != '\0') {
    struct cs_text line = {0};
    const size_t length = strcspn(more, "\n") + 1;
    cs_text_append(&line, more, length);
    notes->failed |= line.failed;
    if (!notes->failed && (notes->data == NULL || strstr(notes->data, line.data) == NULL))
      cs_text_append(notes, more, length);
    cs_text_free(&line);
    more += length;
  }
}
