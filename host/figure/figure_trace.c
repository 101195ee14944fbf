/* The time histories of a run: signals, their errors and defects, step sizes and their error estimate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "history.h"
#include "word_list.h"

static const char step_size[] = "H";

static const struct cs_history_kind signals[] = {
    {"y", "outputs y", "", "y_exact", "output_error", "y_after", NULL, false},
    {"x", "states x", "", "x_exact", "state_error", "x_after", NULL, true},
    {"u", "inputs u", "", NULL, "input_error", NULL, "u_start", false},
    {"monitor_value", "monitors", "", NULL, NULL, NULL, NULL, false}};

/* Whether a figure may show an array of a trace alone: it has a number, or one for each signal, in every row. */
static bool is_recorded(const struct cs_table *table, const struct cs_array *array) {
  const struct cs_dimension *t = cs_table_find_dimension(table, "t");
  return array != NULL && array->type != CS_TEXT && array->dimensions > 0 && array->dimensions <= 2 &&
         &table->dimension[array->dimension[0]] == t;
}

static bool is_signals(const char *name) {
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (strcmp(signals[i].name, name) == 0) return true;
  return false;
}

/* Signals with all that belongs to them first, then single quantities. */
void cs_figure_trace_add_metrics(const struct cs_table *table, struct cs_text *lines) {
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (cs_table_find(table, signals[i].name) != NULL) cs_text_add(lines, "%s\n", signals[i].name);
  for (size_t i = 0; i < table->arrays; i++)
    if (is_recorded(table, &table->array[i]) && !is_signals(table->array[i].name))
      cs_text_add(lines, "%s\n", table->array[i].name);
}

static int fail_kind(const struct cs_history *c, struct cs_error *error) {
  const char *metric = c->request->metric;
  struct cs_text lines = {0}, names = {0};
  cs_figure_trace_add_metrics(c->table, &lines);
  for (char *line = lines.data; line != NULL && *line != '\0';) {
    char *end = strchr(line, '\n');
    *end = '\0';
    cs_text_add_name(&names, line);
    line = end + 1;
  }
  const int code = cs_error_set(error, CS_USAGE, "--metric \"%s\"; a trace has other quantities; want one of: %s",
                                metric != NULL ? metric : "", cs_text_string(&names));
  cs_text_free(&lines);
  cs_text_free(&names);
  return code;
}

/* Signals, or a single quantity, which is then in `alone`. */
static int find_kind(struct cs_history *c, const struct cs_history_kind **kind, struct cs_history_kind *alone,
                     struct cs_error *error) {
  const char *metric = c->request->metric;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (cs_history_find(c, signals[i].name) != NULL && (metric == NULL || strcmp(metric, signals[i].name) == 0)) {
      *kind = &signals[i];
      return CS_OK;
    }
  if (metric == NULL || !is_recorded(c->table, cs_table_find(c->table, metric))) return fail_kind(c, error);
  cs_text_free(&c->of);
  cs_text_add(&c->of, "%s of ", metric);
  *alone = (struct cs_history_kind){.name = metric, .label = metric, .of = cs_text_string(&c->of)};
  *kind = alone;
  return c->of.failed ? cs_error_memory(error) : CS_OK;
}

static int check_request(const struct cs_history *c, const struct cs_history_kind *kind, struct cs_error *error) {
  const struct cs_figure_request *r = c->request;
  const char *const option[] = {r->x, r->y, r->curve, r->panel, r->wheres > 0 ? r->where[0] : NULL};
  static const char *const name[] = {"x", "y", "curve", "panel", "where"};
  const struct cs_dimension *d = cs_history_signals(c, cs_history_find(c, kind->name));
  struct cs_text names = {0};
  bool known = r->signal == NULL;
  for (size_t i = 0; i < sizeof option / sizeof *option; i++)
    if (option[i] != NULL)
      return cs_error_set(error, CS_USAGE, "--%s \"%s\"; a trace is one run over t, want --metric and --signal alone",
                          name[i], option[i]);
  for (size_t i = 0; d != NULL && d->labels != NULL && i < d->length; i++) {
    known = known || strcmp(d->labels[i], r->signal) == 0;
    cs_text_add_name(&names, d->labels[i]);
  }
  const int code = known ? CS_OK
                         : cs_error_set(error, CS_USAGE, "--signal \"%s\"; want one of: %s", r->signal,
                                        names.data != NULL ? names.data : "(it has none)");
  cs_text_free(&names);
  return code;
}

static int finish(struct cs_history *c, struct cs_error *error) {
  if (c->thinned) cs_text_add(&c->notes, "too many steps to draw each: curves show the extremes of short intervals\n");
  if (c->crowded) cs_text_add(&c->notes, "ticks for the first %d events\n", CS_HISTORY_MARKS);
  c->figure->title = cs_text_copy(c->table->title);
  c->figure->notes = cs_text_copy(cs_text_string(&c->notes));
  return c->notes.failed || c->figure->title == NULL || c->figure->notes == NULL ? cs_error_memory(error) : CS_OK;
}

static const char local_error[] = "local_error", estimate[] = "local_error_estimate";

/* Errors, defects and step sizes below the signals. */
static int add_companions(struct cs_history *c, const struct cs_history_kind *kind, struct cs_error *error) {
  const bool errs = cs_history_find(c, local_error) != NULL, halves = cs_history_find(c, "degree") != NULL;
  int code = cs_history_add_measure(c, kind->error, "error", NULL, error);
  if (code == CS_OK) code = cs_history_add_measure(c, "connection_defect", NULL, NULL, error);
  if (code == CS_OK) code = cs_history_add_measure(c, "output_defect", NULL, NULL, error);
  if (code == CS_OK && errs) code = cs_history_add_measure(c, local_error, NULL, estimate, error);
  if (code == CS_OK && !errs && !halves) code = cs_history_add_measure(c, estimate, NULL, NULL, error); /* no eps */
  if (code == CS_OK) code = cs_history_add_control(c, step_size, step_size, true, error);
  if (code == CS_OK) code = cs_history_add_control(c, "eps", "error estimate", false, error);
  return code;
}

/* Panels of what one name of --metric asks for, or of the usual signals; with all that belongs to them if they are
 * `single`. */
static int add_metric(struct cs_history *c, const char *name, bool single, struct cs_error *error) {
  const struct cs_figure_request *whole = c->request;
  struct cs_figure_request request = *whole;
  const struct cs_history_kind *kind = NULL;
  struct cs_history_kind alone;
  request.metric = name;
  c->request = &request;
  int code = find_kind(c, &kind, &alone, error);
  if (code == CS_OK) code = check_request(c, kind, error);
  if (code == CS_OK && strcmp(kind->name, local_error) == 0)
    code = cs_history_add_measure(c, local_error, NULL, estimate, error);
  else if (code == CS_OK)
    code = cs_history_add_signals(c, kind, error);
  if (code == CS_OK && single && kind != &alone) code = add_companions(c, kind, error);
  c->request = whole;
  return code;
}

/* Those of one word of --metric: quantities with "+" between them share a panel where they have one unit. */
static int add_word(struct cs_history *c, const char *word, bool single, struct cs_error *error) {
  const size_t first = c->figure->panels;
  int code = CS_OK;
  for (size_t length; word != NULL && code == CS_OK; word = word[length] == '+' ? word + length + 1 : NULL) {
    const size_t next = c->figure->panels;
    struct cs_text name = {0};
    length = strcspn(word, "+");
    cs_text_append(&name, word, length);
    code = name.failed ? cs_error_memory(error)
                       : add_metric(c, cs_text_string(&name), single && next == first && word[length] == '\0', error);
    if (code == CS_OK) code = cs_history_join(c, first, next, error);
    cs_text_free(&name);
  }
  return code;
}

/* Those of all words, separated by commas. */
static int add_metrics(struct cs_history *c, struct cs_error *error) {
  struct cs_word_list names;
  if (c->request->metric == NULL) return add_metric(c, NULL, true, error);
  int code = cs_word_list_read(c->request->metric, &names, error);
  for (size_t i = 0; i < names.count && code == CS_OK; i++)
    code = add_word(c, names.word[i], names.count == 1, error);
  cs_word_list_free(&names);
  return code;
}

int cs_figure_course(const struct cs_table *table, const struct cs_figure_request *request, size_t most,
                     struct cs_figure **figure, struct cs_error *error) {
  struct cs_history c = {.table = table,
                         .request = request,
                         .most = most,
                         .t = cs_table_find_dimension(table, "t"),
                         .accepted = cs_table_find(table, "accepted")};
  if (c.t == NULL || c.accepted == NULL || c.t->values == NULL)
    return cs_error_set(error, CS_USAGE, "--kind trace: the file is not a trace; want one written by cosweep trace");
  c.figure = *figure = cs_figure_begin("trace", 0, 1);
  if (c.figure == NULL) return cs_error_memory(error);
  c.figure->stacked = true;
  int code = add_metrics(&c, error);
  if (code == CS_OK) code = finish(&c, error);
  cs_text_free(&c.notes);
  cs_text_free(&c.of);
  return code;
}

/* ---- panels that say nothing */

/* Whether all steps of a panel have one size, and none was tried in vain; *size is that. */
static bool is_constant(const struct cs_figure_panel *panel, double *size) {
  *size = NAN;
  for (size_t k = 0; k < panel->curves; k++)
    for (size_t i = 0; i < panel->curve[k].points; i++) {
      if (isnan(*size)) *size = panel->curve[k].y[i];
      if (panel->curve[k].ink != CS_INK_SERIES ||
          fabs(panel->curve[k].y[i] - *size) > 1e-9 * fabs(*size)) /* up to rounding of communication points */
        return false;
    }
  return !isnan(*size);
}

void cs_figure_drop_constant_steps(struct cs_figure *figure, struct cs_text *notes) {
  for (size_t p = figure->panels; p-- > 0 && figure->panels > 1;) {
    struct cs_figure_panel *panel = &figure->panel[p];
    const size_t length = strlen(step_size);
    double size;
    if (strncmp(panel->y.label, step_size, length) != 0 || panel->y.label[length] != ' ') continue;
    if (!is_constant(panel, &size)) continue;
    cs_text_add(notes, "H = %.6g s in every step\n", size);
    cs_figure_free_panel(panel);
    memmove(panel, panel + 1, (figure->panels - p - 1) * sizeof *panel);
    figure->panels--;
  }
}

int cs_figure_trace(const struct cs_table *table, const struct cs_figure_request *request, struct cs_figure **figure,
                    struct cs_error *error) {
  struct cs_text notes = {0}, place = {0};
  int code = cs_figure_course(table, request, CS_FIGURE_CURVES, figure, error);
  if (code != CS_OK) return code;
  cs_digest_add_trace_place(table, &place);
  if (place.length > 0) {
    cs_text_add(&notes, "run: ");
    cs_figure_add_settings(place.data, place.length, CS_FIGURE_DIGITS, &notes);
    cs_text_add(&notes, "\n");
  }
  notes.failed = notes.failed || place.failed;
  cs_text_free(&place);
  cs_text_add(&notes, "%s", (*figure)->notes);
  cs_figure_drop_constant_steps(*figure, &notes);
  cs_figure_set_ranges(*figure, &notes);
  if (notes.failed) {
    cs_text_free(&notes);
    return cs_error_memory(error);
  }
  free((*figure)->notes);
  (*figure)->notes = notes.data;
  return CS_OK;
}
