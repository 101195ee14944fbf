/* The assignment of dimensions to curves and panels, and the names of positions along them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "digest.h"
#include "metric.h"
#include "view.h"

/* ---- places */

size_t cs_view_count(const struct cs_view *view, enum cs_part part) {
  size_t count = 1;
  for (size_t i = 0; i < view->slices; i++)
    if (view->slice[i].part == part) count *= view->slice[i].count;
  return count;
}

void cs_view_place(const struct cs_view *view, enum cs_part part, size_t index, size_t *position) {
  const bool turned = view->turned && part == CS_PART_PANEL;
  for (size_t k = view->slices; k-- > 0;) {
    const size_t i = turned ? view->slices - 1 - k : k;
    const struct cs_slice *slice = &view->slice[i];
    if (slice->part != part) continue;
    position[i] = slice->kept[index % slice->count];
    index /= slice->count;
  }
}

double cs_view_signal(const struct cs_view *view, const size_t *position) {
  const struct cs_array *exact = cs_table_find(view->table, "output_exact");
  size_t at[CS_MAX_DIMENSIONS], all = 1;
  double most = 0.0;
  if (strcmp(view->metric->name, "output_error_relative") == 0) return 1.0;
  if (strcmp(view->metric->name, "output_error") != 0 || exact == NULL) return 0.0;
  memcpy(at, position, view->slices * sizeof *at);
  for (size_t s = 0; s < view->slices; s++)
    all *= view->slice[s].part != CS_PART_PANEL ? view->slice[s].count : 1;
  for (size_t i = 0; i < all; i++) {
    size_t rest = i;
    for (size_t s = 0; s < view->slices; s++) {
      const struct cs_slice *slice = &view->slice[s];
      if (slice->part == CS_PART_PANEL) continue;
      at[s] = slice->kept[rest % slice->count];
      rest /= slice->count;
    }
    const double value = cs_table_number(exact, cs_view_item(view, exact, at));
    if (isfinite(value)) most = fmax(most, value); /* NaN: of a run that failed */
  }
  return most;
}

/* ---- names */

static const char *unit_of(const char *unit) {
  return unit != NULL && strcmp(unit, "1") != 0 ? unit : "";
}

/* The name of the setting if the array holds one of several changed together along the slice; NULL otherwise. */
static const char *setting_of(const struct cs_view *view, const struct cs_slice *slice, const struct cs_array *a) {
  return cs_runs_setting(&view->runs, view->metric->dimension[slice - view->slice], a);
}

static bool same_value(const struct cs_array *a, size_t i, size_t k) {
  return a->type == CS_TEXT ? strcmp(a->data.text[i], a->data.text[k]) == 0
                            : cs_table_number(a, i) == cs_table_number(a, k);
}

/* Whether the settings that are names distinguish all positions along the slice. */
static bool names_suffice(const struct cs_view *view, const struct cs_slice *slice) {
  enum { MOST = 64 }; /* positions that a figure can name */
  if (slice->dimension->length > MOST) return false;
  for (size_t i = 0; i < slice->dimension->length; i++)
    for (size_t k = 0; k < i; k++) {
      bool apart = false;
      for (size_t n = 0; n < view->table->arrays && !apart; n++) {
        const struct cs_array *a = &view->table->array[n];
        apart = a->type == CS_TEXT && setting_of(view, slice, a) != NULL && !same_value(a, i, k);
      }
      if (!apart) return false;
    }
  return true;
}

/* Whether it is the same along the whole slice. */
static bool is_constant(const struct cs_array *a) {
  for (size_t i = 1; i < a->count; i++)
    if (!same_value(a, 0, i)) return false;
  return a->count > 1;
}

const double *cs_view_numbers(const struct cs_slice *slice) {
  if (slice->column != NULL) return slice->column->data.float64;
  return slice->nature != CS_NATURE_WORD ? slice->dimension->values : NULL;
}

/* Whether `said` is how a user calls a setting: by its name, its array or its path. */
static bool is_called(const struct cs_view *view, const struct cs_slice *slice, const struct cs_array *a,
                      const char *said) {
  const char *setting = setting_of(view, slice, a), *path;
  const struct cs_node *axis = view->runs.dimension[view->metric->dimension[slice - view->slice]].axis;
  if (setting == NULL) return false;
  if (strcmp(setting, said) == 0 || strcmp(a->name, said) == 0) return true;
  for (size_t i = 0; (path = cs_runs_path(axis, i)) != NULL; i++) {
    const char *dot = strrchr(path, '.');
    if (strcmp(path, said) == 0 && strcmp(dot != NULL ? dot + 1 : path, setting) == 0) return true;
  }
  return false;
}

struct cs_slice *cs_view_find_setting(struct cs_view *view, const char *setting) {
  for (size_t s = 0; s < view->slices; s++)
    for (size_t i = 0; i < view->table->arrays; i++) {
      const struct cs_array *a = &view->table->array[i];
      if (a->type != CS_FLOAT64 || !is_called(view, &view->slice[s], a, setting)) continue;
      view->slice[s].column = a;
      return &view->slice[s];
    }
  return NULL;
}

size_t cs_view_moved(const struct cs_view *view, const struct cs_slice *slice, const struct cs_array **first) {
  size_t count = 0;
  *first = NULL;
  if (slice->nature != CS_NATURE_WORD || slice->dimension->labels != NULL || names_suffice(view, slice)) return 0;
  for (size_t i = 0; i < view->table->arrays; i++) {
    const struct cs_array *a = &view->table->array[i];
    if (a->type != CS_FLOAT64 || setting_of(view, slice, a) == NULL || is_constant(a)) continue;
    if (count++ == 0) *first = a;
  }
  return count;
}

/* The next array from number *i on with words of a setting that vary along the slice; NULL after the last. */
static const struct cs_array *next_words(const struct cs_view *view, const struct cs_slice *slice, size_t *i) {
  while (*i < view->table->arrays) {
    const struct cs_array *a = &view->table->array[(*i)++];
    if (a->type == CS_TEXT && setting_of(view, slice, a) != NULL && !is_constant(a)) return a;
  }
  return NULL;
}

static bool same_group(const struct cs_view *view, const struct cs_slice *slice, size_t a, size_t b) {
  const struct cs_array *words;
  for (size_t i = 0; (words = next_words(view, slice, &i)) != NULL;)
    if (!same_value(words, a, b)) return false;
  return true;
}

size_t cs_view_groups(const struct cs_view *view, const struct cs_slice *slice, size_t *group) {
  size_t first[CS_FIGURE_CURVES], groups = 0;
  for (size_t at = 0; at < slice->dimension->length; at++) {
    size_t g = 0;
    while (g < groups && !same_group(view, slice, first[g], at))
      g++;
    if (g == CS_FIGURE_CURVES) break;
    if (g == groups) first[groups++] = at;
    group[at] = g;
    if (at + 1 == slice->dimension->length) return groups;
  }
  memset(group, 0, slice->dimension->length * sizeof *group);
  return 1;
}

bool cs_view_is_grouped(const struct cs_view *view, const struct cs_slice *slice) {
  const struct cs_array *first;
  size_t i = 0;
  return cs_view_moved(view, slice, &first) > 0 && next_words(view, slice, &i) != NULL;
}

void cs_view_add_group(const struct cs_view *view, const struct cs_slice *slice, size_t at, struct cs_text *text) {
  const struct cs_array *words;
  const size_t start = text->length;
  for (size_t i = 0; (words = next_words(view, slice, &i)) != NULL;)
    cs_text_add(text, "%s%s", text->length > start ? ", " : "", words->data.text[at]);
}

void cs_view_choose_column(struct cs_view *view, struct cs_slice *slice) {
  const struct cs_array *first;
  if (slice->column != NULL || cs_view_moved(view, slice, &first) == 0) return;
  slice->column = first;
  cs_text_add(&view->notes, "%s moves several settings and is drawn over %s; --x SETTING chooses\n",
              slice->dimension->name, setting_of(view, slice, slice->column));
}

/* The values of settings changed together, "refresh, zero"; numbers only if needed to distinguish the positions. */
static bool add_columns(const struct cs_view *view, const struct cs_slice *slice, size_t at, struct cs_text *text) {
  const size_t start = text->length;
  const bool names = names_suffice(view, slice);
  for (size_t i = 0; i < view->table->arrays; i++) {
    const struct cs_array *a = &view->table->array[i];
    const char *setting = setting_of(view, slice, a);
    if (setting == NULL || is_constant(a) || (names && a->type != CS_TEXT)) continue;
    if (cs_runs_is_idle(&view->runs, view->metric->dimension[slice - view->slice], setting, at)) continue;
    cs_text_add(text, text->length > start ? ", " : "");
    if (a->type == CS_TEXT)
      cs_text_add(text, "%s", a->data.text[at]);
    else
      cs_text_add(text, "%s %.4g", setting, cs_table_number(a, at));
  }
  return text->length > start;
}

void cs_view_add_place(const struct cs_view *view, const struct cs_slice *slice, size_t at, struct cs_text *text) {
  const struct cs_dimension *d = slice->dimension;
  const char *unit = unit_of(d->unit);
  if (d->labels != NULL)
    cs_text_add(text, "%s", d->labels[at]);
  else if (slice->nature == CS_NATURE_WORD && add_columns(view, slice, at, text))
    return;
  else if (slice->nature == CS_NATURE_ORDER)
    cs_text_add(text, "%s %.4g", d->name, d->values[at]);
  else
    cs_text_add(text, "%s = %.4g%s%s", d->name, d->values[at], unit[0] != '\0' ? " " : "", unit);
}

void cs_view_add_places(const struct cs_view *view, enum cs_part part, const size_t *position, struct cs_text *text) {
  const size_t start = text->length;
  for (size_t i = 0; i < view->slices; i++) {
    const struct cs_slice *slice = &view->slice[i];
    if (slice->part != part || slice->count < 2) continue;
    cs_text_add(text, text->length > start ? ", " : "");
    cs_view_add_place(view, slice, position[i], text);
  }
}

/* The unit of the metric for the signal at `position`, or "units differ" if the panel has several. */
static const char *metric_unit(const struct cs_view *view, const size_t *position) {
  const char *unit = unit_of(view->metric->unit);
  if (strncmp(unit, "see ", 4) != 0) return unit;
  unit = "";
  for (size_t i = 0; i < view->slices; i++) {
    const struct cs_slice *slice = &view->slice[i];
    if (slice->nature != CS_NATURE_SIGNAL) continue;
    const struct cs_array *units = cs_runs_units(view->table, slice->dimension);
    if (units == NULL) continue;
    unit = unit_of(units->data.text[position[i]]);
    const bool mixed = slice->part == CS_PART_CURVE || slice->part == CS_PART_X;
    for (size_t k = 0; mixed && k < slice->count; k++)
      if (strcmp(units->data.text[slice->kept[k]], units->data.text[slice->kept[0]]) != 0) unit = "units differ";
  }
  return unit;
}

/* The words for the numbers that occur: " (0=ok, 1=diverged)". */
static void add_statuses(const struct cs_view *view, struct cs_text *text) {
  bool met[UINT8_MAX + 1] = {false}, some = false;
  for (size_t i = 0; i < view->status->count; i++)
    met[view->status->data.uint8[i]] = true;
  for (int i = 0; i <= UINT8_MAX; i++) {
    if (!met[i] || cs_digest_status(i)[0] == '\0') continue;
    cs_text_add(text, "%s%d=%s", some ? ", " : " (", i, cs_digest_status(i));
    some = true;
  }
  cs_text_add(text, "%s", some ? ")" : "");
}

/* Whether a figure shows one signal of several, which the name of the metric then says. */
static bool is_one_signal(const struct cs_slice *slice) {
  return slice->nature == CS_NATURE_SIGNAL && slice->part != CS_PART_X && slice->count == 1 &&
         slice->dimension->length > 1;
}

void cs_view_add_metric(const struct cs_view *view, const size_t *position, bool absolute, struct cs_text *text) {
  const char *unit = metric_unit(view, position), *bar = absolute ? "|" : "";
  cs_text_add(text, "%s", bar);
  cs_metric_add_label(view->metric->name, text);
  for (size_t i = 0; i < view->slices; i++) {
    if (!is_one_signal(&view->slice[i])) continue;
    cs_text_add(text, " of ");
    cs_view_add_place(view, &view->slice[i], position[i], text);
  }
  cs_text_add(text, "%s", bar);
  if (view->metric == view->status) add_statuses(view, text);
  if (unit[0] != '\0') cs_text_add(text, " [%s%s]", unit, strstr(view->metric->unit, "per s") != NULL ? "/s" : "");
}

void cs_view_add_unit(const struct cs_view *view, const struct cs_slice *slice, size_t at, struct cs_text *text) {
  const struct cs_array *units = cs_runs_units(view->table, slice->dimension);
  if (slice->nature != CS_NATURE_SIGNAL || units == NULL || strncmp(view->metric->unit, "see ", 4) != 0) return;
  const char *unit = unit_of(units->data.text[at]);
  if (unit[0] != '\0') cs_text_add(text, " [%s]", unit);
}

/* Whether the sentence contains the name as a word of its own. */
static bool has_word(const char *sentence, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = sentence; (at = strstr(at, name)) != NULL; at++)
    if ((at == sentence || !cs_ascii_is_word(at[-1])) && !cs_ascii_is_word(at[length])) return true;
  return false;
}

void cs_view_add_axis(const struct cs_slice *slice, struct cs_text *text) {
  const struct cs_dimension *d = slice->dimension;
  const char *unit = unit_of(d->unit);
  enum { ROOM = 32 };          /* characters along a small panel */
  if (slice->column != NULL) { /* "<axis>_<setting>" */
    unit = unit_of(slice->column->unit);
    cs_text_add(text, "%s", slice->column->name + strlen(d->name) + 1);
    if (unit[0] != '\0') cs_text_add(text, " [%s]", unit);
    return;
  }
  const char *sentence = d->long_name != NULL ? d->long_name : "";
  if (strchr(sentence, ' ') == NULL) sentence = ""; /* the path, if the sweep has no description of the axis */
  if (has_word(sentence, d->name) && strlen(sentence) + strlen(unit) <= ROOM)
    cs_text_add(text, "%s", sentence);
  else if (sentence[0] != '\0' && strlen(sentence) + strlen(d->name) + strlen(unit) <= ROOM)
    cs_text_add(text, "%s %s", sentence, d->name);
  else
    cs_text_add(text, "%s", d->name);
  if (unit[0] != '\0') cs_text_add(text, " [%s]", unit);
}

/* ---- sharing */

/* Keeps `most` of the positions, evenly spaced from first to last; a single one is the middle of numbers, else the
 * first. */
static void thin(struct cs_view *view, struct cs_slice *slice, size_t most) {
  const size_t of = slice->count;
  if (slice->chosen) return; /* too many are an error */
  if (most == 0) most = 1;
  if (of <= most) return;
  for (size_t i = 0; i < most; i++) {
    const bool middle = most == 1 && slice->nature == CS_NATURE_NUMBER;
    slice->kept[i] = slice->kept[middle ? of / 2 : most == 1 ? 0 : (i * (of - 1) + (most - 1) / 2) / (most - 1)];
  }
  slice->count = most;
  cs_text_add(&view->notes, "%zu of %zu values of %s", most, of, slice->dimension->name);
  if (most == 1) {
    cs_text_add(&view->notes, ": ");
    cs_view_add_place(view, slice, slice->kept[0], &view->notes);
  }
  cs_text_add(&view->notes, "; --where %s=VALUE chooses\n", slice->dimension->name);
}

static bool is_free(const struct cs_slice *slice) {
  return slice->part == CS_PART_NONE && slice->count > 1;
}

static struct cs_slice *first_free(struct cs_view *view, enum cs_nature nature, size_t most) {
  for (size_t i = 0; i < view->slices; i++)
    if (is_free(&view->slice[i]) && view->slice[i].nature == nature && view->slice[i].count <= most)
      return &view->slice[i];
  return NULL;
}

/* Signals with the same unit can share an axis. */
static bool alike(const struct cs_view *view) {
  return strncmp(view->metric->unit, "see ", 4) != 0;
}

/* The dimension of the curves in a panel if the request names none. */
static struct cs_slice *choose_curve(struct cs_view *view) {
  static const enum cs_nature wanted[] = {CS_NATURE_ORDER, CS_NATURE_WORD, CS_NATURE_NUMBER, CS_NATURE_STEP};
  struct cs_slice *slice = NULL;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted && slice == NULL; i++)
    slice = first_free(view, wanted[i], CS_FIGURE_CURVES);
  if (slice == NULL && alike(view)) slice = first_free(view, CS_NATURE_SIGNAL, CS_FIGURE_CURVES);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted && slice == NULL; i++)
    slice = first_free(view, wanted[i], SIZE_MAX);
  return slice;
}

static int check_count(const struct cs_view *view, enum cs_part part, size_t most, const char *what,
                       struct cs_error *error) {
  const size_t count = cs_view_count(view, part);
  struct cs_text names = {0};
  if (count <= most) return CS_OK;
  for (size_t i = 0; i < view->slices; i++)
    if (view->slice[i].part == part && view->slice[i].count > 1)
      cs_text_add(&names, "%s%s (%zu)", names.length > 0 ? ", " : "", view->slice[i].dimension->name,
                  view->slice[i].count);
  const int code = cs_error_set(error, CS_USAGE, "%zu %ss by %s; want at most %zu: --where AXIS=VALUE chooses", count,
                                what, cs_text_string(&names), most);
  cs_text_free(&names);
  return code;
}

int cs_view_share(struct cs_view *view, bool curves, struct cs_error *error) {
  static const enum cs_nature wanted[] = {CS_NATURE_WORD, CS_NATURE_SIGNAL, CS_NATURE_ORDER, CS_NATURE_NUMBER,
                                          CS_NATURE_STEP};
  const struct cs_figure_request *request = view->request;
  struct cs_slice *slice;
  int code = cs_view_assign(view, "curve", request->curve, CS_PART_CURVE, error);
  if (code == CS_OK) code = cs_view_assign(view, "panel", request->panel, CS_PART_PANEL, error);
  if (code == CS_OK) code = check_count(view, CS_PART_CURVE, CS_FIGURE_LINES, "curve", error);
  if (code == CS_OK) code = check_count(view, CS_PART_PANEL, CS_FIGURE_PANELS, "panel", error);
  if (code == CS_OK && curves && request->curve == NULL && (slice = choose_curve(view)) != NULL) {
    const bool family = slice->nature == CS_NATURE_NUMBER || slice->nature == CS_NATURE_STEP;
    slice->part = CS_PART_CURVE;
    thin(view, slice, slice->nature == CS_NATURE_NUMBER ? 5 : family ? CS_FIGURE_CURVES : CS_FIGURE_LINES);
  }
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted && code == CS_OK; i++)
    while ((slice = first_free(view, wanted[i], SIZE_MAX)) != NULL) {
      const size_t panels = cs_view_count(view, CS_PART_PANEL), room = CS_FIGURE_PANELS / (panels > 0 ? panels : 1);
      slice->part = CS_PART_PANEL;
      thin(view, slice, slice->nature == CS_NATURE_NUMBER && room > 3 ? 3 : room);
    }
  if (code == CS_OK) code = check_count(view, CS_PART_CURVE, CS_FIGURE_LINES, "curve", error);
  if (code == CS_OK) code = check_count(view, CS_PART_PANEL, CS_FIGURE_PANELS, "panel", error);
  return code;
}

/* ---- the end */

/* Notes dimensions reduced to a single value: "only solver = exact, H = 0.1 s"; not a signal, which the axis names. */
static void add_chosen(struct cs_view *view) {
  const char *separator = "only ";
  for (size_t i = 0; i < view->slices; i++) {
    const struct cs_slice *slice = &view->slice[i];
    if (!slice->chosen || slice->count != 1 || slice->dimension->length == 1 || is_one_signal(slice)) continue;
    cs_text_add(&view->notes, "%s", separator);
    if (slice->dimension->labels != NULL) cs_text_add(&view->notes, "%s = ", slice->dimension->name);
    cs_view_add_place(view, slice, slice->kept[0], &view->notes);
    separator = ", ";
  }
  if (separator[0] == ',') cs_text_add(&view->notes, "\n");
}

static void add_lost(struct cs_view *view, size_t values, const char *why) {
  if (values > 0) cs_text_add(&view->notes, "%zu value%s not drawn: %s\n", values, values == 1 ? "" : "s", why);
}

int cs_view_finish(struct cs_view *view, struct cs_figure *figure, struct cs_error *error) {
  add_chosen(view);
  add_lost(view, view->lost.failed, "the run failed");
  add_lost(view, view->lost.skipped, "the run was skipped");
  add_lost(view, view->lost.outside, "--where leaves the run out");
  if (view->zeros > 0)
    cs_text_add(&view->notes, "%zu value%s of 0 or less not drawn on the logarithmic axis\n", view->zeros,
                view->zeros == 1 ? "" : "s");
  figure->title = cs_text_copy(view->table->title != NULL ? view->table->title : "");
  figure->notes = cs_text_copy(cs_text_string(&view->notes));
  return figure->title == NULL || figure->notes == NULL || view->notes.failed ? cs_error_memory(error) : CS_OK;
}
