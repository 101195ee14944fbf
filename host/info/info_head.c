/* What was run and where it was made; the summary of a trace. */
#include <math.h>
#include <string.h>

#include "info_private.h"
#include "json.h"
#include "words.h"

/* ---- the settings that all runs share */

struct cs_json *cs_info_parse(struct cs_document *document, const struct cs_table *table, const char *name) {
  const char *text = cs_digest_text(table, name);
  struct cs_json *json = NULL;
  if (text[0] != '\0') document->failed |= cs_json_parse(name, text, strlen(text), &json, NULL) == CS_DEVICE;
  return json;
}

/* Name, description and reference of the model, as far as present. */
static void add_model(struct cs_document *document, const struct cs_table *table) {
  static const char *const keys[] = {"name", "description", "reference"};
  static const char *const terms[] = {"model", "", "after"};
  struct cs_json *json = cs_info_parse(document, table, "model");
  if (json == NULL) return;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const struct cs_node *node = cs_json_get(cs_json_root(json), keys[i]);
    if (node != NULL && cs_json_kind(node) == CS_STRING)
      cs_document_term(document, terms[i], "%s", cs_json_string(node));
  }
  cs_json_free(json);
}

/* Whether the axis changes path `prefix``key` of the sweep file. */
static bool moves(const struct cs_node *axis, const char *prefix, const char *key) {
  const size_t length = strlen(prefix);
  const char *path;
  for (size_t i = 0; (path = cs_runs_path(axis, i)) != NULL; i++)
    if (strncmp(path, prefix, length) == 0 && strcmp(path + length, key) == 0) return true;
  return false;
}

/* Whether any axis does. "order" changes both orders. */
static bool is_moved(const struct cs_node *axes, const char *prefix, const char *key) {
  const bool order = strcmp(key, "input_order") == 0 || strcmp(key, "output_order") == 0;
  for (size_t i = 0; axes != NULL && i < cs_json_length(axes); i++) {
    const struct cs_node *axis = cs_json_at(axes, i);
    if (moves(axis, prefix, key) || (order && moves(axis, "", "method.order"))) return true;
  }
  return false;
}

/* Whether a setting says that nothing special is done: "continuity none", "latency 0". Order 0 is a method. */
static bool says_nothing(const struct cs_node *member, const char *key) {
  if (cs_json_kind(member) == CS_NUMBER) return cs_json_number(member) == 0.0 && strstr(key, "order") == NULL;
  return cs_json_kind(member) == CS_STRING &&
         (strcmp(cs_json_string(member), "auto") == 0 || strcmp(cs_json_string(member), "none") == 0);
}

/* The words and numbers in an object of the sweep file that no axis changes and that say something: "hold taylor,
 * order 1". */
static void add_members(const struct cs_node *axes, const struct cs_node *object, const char *prefix,
                        struct cs_text *line) {
  for (size_t i = 0; object != NULL && cs_json_kind(object) == CS_OBJECT && i < cs_json_length(object); i++) {
    const struct cs_node *member = cs_json_at(object, i);
    const char *key = cs_json_key(member), *separator = line->length > 0 ? ", " : "";
    const char *group = strcmp(prefix, "method.step.") == 0     ? "step."
                        : strcmp(prefix, "method.events.") == 0 ? "events."
                                                                : "";
    if (is_moved(axes, prefix, key) || (strncmp(prefix, "method.", 7) == 0 && says_nothing(member, key))) continue;
    if (cs_json_kind(member) == CS_STRING)
      cs_text_add(line, "%s%s%s %s", separator, group, key, cs_json_string(member));
    else if (cs_json_kind(member) == CS_NUMBER)
      cs_text_add(line, "%s%s%s %.6g", separator, group, key, cs_json_number(member));
  }
}

/* The settings shared by all runs of the sweep. */
static void add_settings(struct cs_document *document, const char *term, const struct cs_table *table) {
  struct cs_json *json = cs_info_parse(document, table, "sweep");
  struct cs_text line = {0};
  if (json == NULL) return;
  const struct cs_node *root = cs_json_root(json), *method = cs_json_get(root, "method");
  const struct cs_node *end = cs_json_get(root, "t_end"), *axes = cs_json_get(root, "axes");
  if (end != NULL && cs_json_kind(end) == CS_NUMBER && !is_moved(axes, "", "t_end"))
    cs_text_add(&line, "t_end %.6g s", cs_json_number(end));
  add_members(axes, method, "method.", &line);
  if (method != NULL) add_members(axes, cs_json_get(method, "step"), "method.step.", &line);
  if (method != NULL) add_members(axes, cs_json_get(method, "events"), "method.events.", &line);
  add_members(axes, cs_json_get(root, "modes"), "modes.", &line);
  add_members(axes, cs_json_get(root, "parameters"), "parameters.", &line);
  cs_document_term(document, term, "%s", cs_text_string(&line));
  cs_document_free_text(document, &line);
  cs_json_free(json);
}

/* ---- where it was made */

/* A term with all texts of a note, one per line. */
static void add_list(struct cs_document *document, const char *name, const struct cs_table *table) {
  const struct cs_note *note = cs_table_find_note(table, name);
  struct cs_text list = {0};
  for (size_t i = 0; note != NULL && note->type == CS_TEXT && i < note->count; i++)
    cs_text_add(&list, "%s%s", i > 0 ? "\n" : "", note->text[i]);
  cs_document_term(document, name, "%s", cs_text_string(&list));
  cs_document_free_text(document, &list);
}

static void add_provenance(struct cs_document *document, const struct cs_table *table) {
  if (document->medium == CS_TERMINAL) cs_document_line(document, "%s", "");
  cs_document_term(document, "made by", "%s, started %s", table->source, cs_digest_text(table, "started"));
  if (document->medium == CS_TERMINAL) {
    cs_document_term(document, "device", "%s", cs_digest_text(table, "device"));
    cs_document_term(document, "driver", "%s %s", cs_digest_text(table, "platform"), cs_digest_text(table, "driver"));
    cs_document_term(document, "command", "%s", cs_digest_text(table, "command"));
  } else {
    add_list(document, "device", table);
    add_list(document, "platform", table);
    add_list(document, "driver", table);
  }
}

static void add_took(struct cs_document *document, const struct cs_table *table) {
  struct cs_text took = {0};
  if (isnan(cs_digest_number(table, "wall_seconds"))) return;
  cs_digest_add_took(table, &took);
  cs_document_term(document, "took", "%s", cs_text_string(&took));
  cs_document_free_text(document, &took);
}

/* File and title; a page has them in its header. */
static void begin(struct cs_document *document, const char *path, const struct cs_table *table) {
  if (document->medium == CS_TERMINAL) {
    cs_document_line(document, "%s", path);
    cs_document_words(document, CS_TONE_PLAIN, 2, "%s", table->title);
    cs_document_line(document, "%s", "");
  } else {
    cs_document_section(document, "what", NULL, "what was run");
    add_model(document, table);
  }
}

/* ---- results */

/* "96: 92 ok, 4 diverged". */
static void add_statuses(struct cs_document *document, const struct cs_digest *d) {
  const char *separator = ": ";
  struct cs_text runs = {0};
  cs_words_add_count(&runs, (double)d->runs);
  for (size_t i = 0; i <= d->failures; i++) {
    const size_t count = i == 0 ? d->good : d->failure[i - 1].count;
    if (count == 0) continue;
    cs_text_add(&runs, "%s", separator);
    cs_words_add_count(&runs, (double)count);
    cs_text_add(&runs, " %s", i == 0 ? "ok" : cs_digest_status(d->failure[i - 1].status));
    separator = ", ";
  }
  cs_document_term(document, "runs", "%s", cs_text_string(&runs));
  cs_document_free_text(document, &runs);
}

static void add_count(struct cs_document *document, const char *term, double count) {
  struct cs_text words = {0};
  cs_words_add_count(&words, count);
  cs_document_term(document, term, "%s", cs_text_string(&words));
  cs_document_free_text(document, &words);
}

/* Runs of study stability in which the exact solution grows, so that no coupling can be stable. */
static void add_growing(struct cs_document *document, const struct cs_digest *d) {
  const struct cs_array *exact = cs_table_find(d->table, cs_metric_table[CS_SPECTRAL_RADIUS_EXACT].name);
  struct cs_text words = {0};
  size_t count = 0;
  if (exact == NULL || exact->type != CS_FLOAT64 || exact->count != d->runs) return;
  for (size_t i = 0; i < d->runs; i++)
    count += cs_table_number(exact, i) > 1.0 + 1e-9;
  if (count == 0) return;
  cs_words_add_count(&words, (double)count);
  cs_document_term(document, "grows", "%s: there the model itself does, and no coupling is to blame",
                   cs_text_string(&words));
  cs_document_free_text(document, &words);
}

static void add_repeats(struct cs_document *document, const struct cs_table *table) {
  const double repeats = cs_digest_number(table, "repeats");
  struct cs_text words = {0};
  if (isnan(repeats)) return;
  cs_words_add_count(&words, repeats);
  cs_document_term(document, "repeated",
                   "%s runs, from their start by other kernels: steps became long for the network",
                   cs_text_string(&words));
  cs_document_free_text(document, &words);
}

static void add_head(struct cs_document *document, const char *path, const struct cs_digest *d) {
  const double steps = cs_digest_number(d->table, "steps");
  begin(document, path, d->table);
  add_statuses(document, d);
  cs_document_term(document, "study", "%s", cs_digest_text(d->table, "study"));
  const char *point = cs_digest_text(d->table, "linearised");
  if (point[0] != '\0') cs_document_term(document, "point", "linearised %s", point);
  if (cs_digest_stable(d) != CS_DIGEST_NONE) add_count(document, "stable", (double)cs_digest_stable(d));
  add_growing(document, d);
  if (!isnan(steps)) add_count(document, "steps", steps);
  add_repeats(document, d->table);
  add_took(document, d->table);
}

void cs_info_add_result(struct cs_document *document, const char *path, const struct cs_digest *d) {
  add_head(document, path, d);
  if (document->medium == CS_TERMINAL) {
    cs_info_add_axes(document, d);
    cs_info_add_metrics(document, d);
    cs_info_add_boundaries(document, d);
    cs_info_add_orders(document, d);
  } else {
    add_settings(document, "all runs have", d->table);
    add_provenance(document, d->table);
    cs_info_add_axes(document, d);
    cs_document_figures(document);
    cs_info_add_orders(document, d);
    cs_info_add_boundaries(document, d);
    cs_info_add_metrics(document, d);
  }
  cs_info_add_best(document, d);
  cs_info_add_effects(document, d);
  cs_info_add_events(document, d);
  cs_info_add_failures(document, d);
  if (document->medium == CS_PAGE) cs_info_add_model(document, d->table);
  if (document->medium == CS_TERMINAL) add_provenance(document, d->table);
}

/* ---- traces */

static void add_end(struct cs_document *document, const struct cs_digest_trace *t) {
  if (t->status == 0)
    cs_document_term(document, "ended", "%s", cs_digest_status(t->status));
  else if (document->medium == CS_PAGE)
    cs_document_term(document, "ended", "%s: %s", cs_digest_status(t->status), cs_digest_reason(t->status));
  else
    cs_document_term(document, "ended", "%s:", cs_digest_status(t->status));
  if (t->status != 0 && document->medium == CS_TERMINAL)
    cs_document_words(document, CS_TONE_PLAIN, 12, "%s", cs_digest_reason(t->status));
}

static void add_steps(struct cs_document *document, const struct cs_digest_trace *t) {
  struct cs_text steps = {0}, place = {0};
  cs_digest_add_trace_place(t->table, &place);
  if (place.length > 0 || document->medium == CS_PAGE)
    cs_document_term(document, "run", "%.0f%s%s", cs_digest_number(t->table, "run"), place.length > 0 ? ": " : "",
                     cs_text_string(&place));
  cs_document_free_text(document, &place);
  cs_document_term(document, "time", "%.6g ... %.6g s", t->t_first, t->t_last);
  add_end(document, t);
  cs_words_add_count(&steps, (double)t->steps);
  cs_text_add(&steps, " taken, ");
  cs_words_add_count(&steps, (double)t->rejected);
  cs_text_add(&steps, " rejected");
  if (t->given_up > 0) cs_text_add(&steps, ", %zu given up at events", t->given_up);
  if (t->events > 0) cs_text_add(&steps, ", events at %zu point%s", t->events, t->events == 1 ? "" : "s");
  cs_document_term(document, "steps", "%s", cs_text_string(&steps));
  cs_document_free_text(document, &steps);
  if (t->steps > 0 && t->largest - t->least <= 1e-9 * t->largest)
    cs_document_term(document, "H", "%.6g s", t->largest);
  else if (t->steps > 0)
    cs_document_term(document, "H", "%.4g s (to t = %.4g) ... %.4g s (to t = %.4g), mean %.4g s", t->least, t->least_at,
                     t->largest, t->largest_at, t->mean);
}

static void add_value(struct cs_grid *grid, int digits, double value) {
  if (isnan(value))
    cs_grid_add(grid, "-");
  else
    cs_grid_add(grid, "%.*g", digits, value);
}

static void add_courses(struct cs_document *document, const struct cs_digest_trace *t) {
  const size_t most = document->medium == CS_PAGE ? 200 : 40;
  struct cs_grid grid = {0};
  cs_document_section(document, "courses", NULL, "time histories");
  cs_grid_head(&grid, CS_GRID_LEFT, "variable");
  cs_grid_head(&grid, CS_GRID_LEFT, "of");
  cs_grid_head(&grid, CS_GRID_RIGHT, "at the end");
  cs_grid_head(&grid, CS_GRID_RIGHT, "largest |.|");
  cs_grid_head(&grid, CS_GRID_RIGHT, "%s", document->medium == CS_PAGE ? "at t (s)" : "at t");
  grid.firm = grid.columns;
  for (size_t i = 0; i < t->courses && i < most; i++) {
    const struct cs_digest_course *c = &t->course[i];
    cs_grid_add(&grid, "%s", c->signal == 0 ? c->array->name : "");
    cs_grid_add(&grid, "%s", c->signals != NULL && c->signals->labels != NULL ? c->signals->labels[c->signal] : "");
    add_value(&grid, 6, c->end);
    add_value(&grid, 4, c->largest);
    add_value(&grid, 4, c->at);
  }
  cs_document_table(document, &grid, NULL);
  if (t->courses > most) cs_info_add_rest(document, 2, t->courses - most);
}

void cs_info_add_trace(struct cs_document *document, const char *path, const struct cs_digest_trace *t) {
  begin(document, path, t->table);
  add_steps(document, t);
  if (document->medium == CS_PAGE) {
    add_took(document, t->table);
    add_settings(document, "settings", t->table);
    add_provenance(document, t->table);
    cs_document_figures(document);
  }
  add_courses(document, t);
  if (document->medium == CS_PAGE) cs_info_add_model(document, t->table);
  if (document->medium == CS_TERMINAL) add_provenance(document, t->table);
}
