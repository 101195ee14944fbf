/* What was run on what, and what traces tell: the head of a report. */
#include <math.h>
#include <string.h>

#include "json.h"
#include "report_private.h"

enum { MOST_COURSES = 200 }; /* signals of a trace */

static void add_term(const char *term, const char *words, struct cs_text *page) {
  if (words[0] == '\0') return;
  cs_report_add_element(page, "dt", NULL, term);
  cs_report_add_element(page, "dd", NULL, words);
}

/* All texts of a list. */
static void add_list(const struct cs_table *table, const char *term, const char *name, struct cs_text *page) {
  const struct cs_note *note = cs_table_find_note(table, name);
  if (note == NULL || note->type != CS_TEXT || note->count == 0) return;
  cs_report_add_element(page, "dt", NULL, term);
  cs_text_add(page, "<dd>");
  for (size_t i = 0; i < note->count; i++) {
    cs_text_add(page, "%s", i > 0 ? "<br/>" : "");
    cs_report_add_words(page, note->text[i]);
  }
  cs_text_add(page, "</dd>\n");
}

static void add_count(const struct cs_table *table, const char *term, const char *name, struct cs_text *page) {
  const double count = cs_digest_number(table, name);
  if (isnan(count)) return;
  cs_text_add(page, "<dt>%s</dt><dd>", term);
  cs_report_add_count(page, count);
  cs_text_add(page, "</dd>\n");
}

static void add_cost(const struct cs_table *table, struct cs_text *page) {
  const double wall = cs_digest_number(table, "wall_seconds"), device = cs_digest_number(table, "device_seconds");
  if (isnan(wall)) return;
  cs_text_add(page, "<dt>took</dt><dd>");
  cs_report_add_duration(page, wall);
  if (!isnan(device)) {
    cs_text_add(page, ", ");
    cs_report_add_duration(page, device);
    cs_text_add(page, " of it on the device");
  }
  cs_text_add(page, "</dd>\n");
}

/* Name and description of the model, where the file has them. */
static void add_model(const struct cs_table *table, struct cs_text *page) {
  static const char *const keys[] = {"name", "description", "reference"};
  static const char *const terms[] = {"model", "", "after"};
  const char *text = cs_digest_text(table, "model");
  struct cs_json *json = NULL;
  if (text[0] == '\0' || cs_json_parse("model", text, strlen(text), &json, NULL) != CS_OK) return;
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const struct cs_node *node = cs_node_get(cs_json_root(json), keys[i]);
    if (node != NULL && cs_node_kind(node) == CS_STRING) add_term(terms[i], cs_node_string(node), page);
  }
  cs_json_free(json);
}

static const char *text_of(const struct cs_node *node) {
  return cs_node_kind(node) == CS_STRING ? cs_node_string(node) : "";
}

/* Whether the axis moves `path` of the sweep file. */
static bool moves(const struct cs_node *axis, const char *path) {
  const struct cs_node *one = cs_node_get(axis, "path"), *several = cs_node_get(axis, "paths");
  const struct cs_node *zip = cs_node_get(axis, "zip");
  bool found = (one != NULL && strcmp(text_of(one), path) == 0) || (zip != NULL && cs_node_get(zip, path) != NULL);
  for (size_t i = 0; several != NULL && i < cs_node_length(several); i++)
    found = found || strcmp(text_of(cs_node_at(several, i)), path) == 0;
  return found;
}

/* Whether some axis moves member `key` of what `prefix` leads to. "order" moves both orders. */
static bool is_moved(const struct cs_node *axes, const char *prefix, const char *key) {
  const bool order = strcmp(key, "input_order") == 0 || strcmp(key, "output_order") == 0;
  struct cs_text path = {0};
  bool found = false;
  cs_text_add(&path, "%s%s", prefix, key);
  for (size_t i = 0; axes != NULL && i < cs_node_length(axes) && !path.failed; i++)
    found = found || moves(cs_node_at(axes, i), path.data) || (order && moves(cs_node_at(axes, i), "method.order"));
  cs_text_free(&path);
  return found;
}

/* Settings of an object of the sweep file that are one word or number and no axis moves: "hold taylor, order 1". */
static void add_members(const struct cs_node *axes, const struct cs_node *object, const char *prefix,
                        struct cs_text *line) {
  for (size_t i = 0; object != NULL && cs_node_kind(object) == CS_OBJECT && i < cs_node_length(object); i++) {
    const struct cs_node *member = cs_node_at(object, i);
    const char *key = cs_node_key(member), *separator = line->length > 0 ? ", " : "";
    const char *step = strcmp(prefix, "method.step.") == 0 ? "step." : "";
    if (is_moved(axes, prefix, key)) continue;
    if (cs_node_kind(member) == CS_STRING)
      cs_text_add(line, "%s%s%s %s", separator, step, key, cs_node_string(member));
    else if (cs_node_kind(member) == CS_NUMBER)
      cs_text_add(line, "%s%s%s %.6g", separator, step, key, cs_node_number(member));
  }
}

/* What all runs of the sweep share. */
static void add_settings(const char *term, const struct cs_table *table, struct cs_text *page) {
  const char *text = cs_digest_text(table, "sweep");
  struct cs_json *json = NULL;
  struct cs_text line = {0};
  if (text[0] == '\0' || cs_json_parse("sweep", text, strlen(text), &json, NULL) != CS_OK) return;
  const struct cs_node *root = cs_json_root(json), *method = cs_node_get(root, "method");
  const struct cs_node *end = cs_node_get(root, "t_end"), *axes = cs_node_get(root, "axes");
  if (end != NULL && cs_node_kind(end) == CS_NUMBER && !is_moved(axes, "", "t_end"))
    cs_text_add(&line, "t_end %.6g s", cs_node_number(end));
  add_members(axes, method, "method.", &line);
  if (method != NULL) add_members(axes, cs_node_get(method, "step"), "method.step.", &line);
  add_members(axes, cs_node_get(root, "parameters"), "parameters.", &line);
  add_term(term, cs_text_string(&line), page);
  page->failed |= line.failed;
  cs_text_free(&line);
  cs_json_free(json);
}

static void add_device(const struct cs_table *table, struct cs_text *page) {
  add_list(table, "device", "device", page);
  add_list(table, "platform", "platform", page);
  add_list(table, "driver", "driver", page);
  add_term("started", cs_digest_text(table, "started"), page);
  add_cost(table, page);
  add_term("by", table->source, page);
}

/* How much of a map is stable. */
static void add_stable(const struct cs_digest *d, struct cs_text *page) {
  const size_t stable = cs_digest_stable(d);
  if (stable == CS_DIGEST_NONE) return;
  cs_text_add(page, "<dt>stable</dt><dd>");
  cs_report_add_count(page, (double)stable);
  cs_text_add(page, "</dd>\n");
}

void cs_report_add_result_head(const struct cs_digest *d, struct cs_text *page) {
  cs_text_add(page, "<section id=\"what\"><h2>What was run</h2>\n<dl>");
  add_model(d->table, page);
  add_term("study", cs_digest_text(d->table, "study"), page);
  cs_text_add(page, "<dt>runs</dt><dd>");
  cs_report_add_count(page, (double)d->runs);
  cs_text_add(page, ", of which ");
  cs_report_add_count(page, (double)d->good);
  cs_text_add(page, " succeeded</dd>\n");
  add_stable(d, page);
  add_count(d->table, "steps", "steps", page);
  add_settings("all runs have", d->table, page);
  add_device(d->table, page);
  cs_text_add(page, "</dl></section>\n");
}

/* ---- traces */

void cs_report_add_trace_head(const struct cs_digest_trace *t, struct cs_text *page) {
  cs_text_add(page, "<section id=\"what\"><h2>What was run</h2>\n<dl>");
  add_model(t->table, page);
  cs_text_add(page, "<dt>run</dt><dd>%.0f", cs_digest_number(t->table, "run"));
  if (cs_digest_text(t->table, "at")[0] != '\0') cs_text_add(page, ": ");
  cs_report_add_words(page, cs_digest_text(t->table, "at"));
  cs_text_add(page, "</dd>\n<dt>ended</dt><dd>%s at t = %.6g s", cs_digest_status(t->status), t->t_last);
  if (t->status != 0) cs_text_add(page, ": ");
  if (t->status != 0) cs_report_add_words(page, cs_digest_reason(t->status));
  cs_text_add(page, "</dd>\n<dt>steps</dt><dd>%zu taken, %zu rejected</dd>\n", t->steps, t->rejected);
  if (t->steps > 0) {
    cs_text_add(page, "<dt>H</dt><dd>");
    cs_report_add_number(page, t->least);
    if (t->largest - t->least > 1e-9 * t->largest) {
      cs_text_add(page, " \342\200\246 ");
      cs_report_add_number(page, t->largest);
      cs_text_add(page, " s, mean ");
      cs_report_add_number(page, t->mean);
    }
    cs_text_add(page, " s</dd>\n");
  }
  add_settings("settings", t->table, page);
  add_device(t->table, page);
  cs_text_add(page, "</dl></section>\n");
}

void cs_report_add_courses(const struct cs_digest_trace *t, struct cs_text *page) {
  cs_text_add(page,
              "<section id=\"courses\"><h2>Courses</h2>\n<div class=\"scroll\"><table><tr><th>variable</th>"
              "<th>of</th><th class=\"n\">at the end</th><th class=\"n\">largest |.|</th><th class=\"n\">at t (s)"
              "</th></tr>\n");
  for (size_t i = 0; i < t->courses && i < MOST_COURSES; i++) {
    const struct cs_digest_course *c = &t->course[i];
    cs_text_add(page, "<tr><td>%s</td>", c->signal == 0 ? c->array->name : "");
    cs_report_add_element(page, "td", NULL,
                          c->signals != NULL && c->signals->labels != NULL ? c->signals->labels[c->signal] : "");
    cs_report_add_number_cell(page, c->end);
    cs_report_add_number_cell(page, c->largest);
    cs_report_add_number_cell(page, c->at);
    cs_text_add(page, "</tr>\n");
  }
  cs_text_add(page, "</table></div>\n");
  if (t->courses > MOST_COURSES) cs_text_add(page, "<p class=\"dim\">and %zu more.</p>\n", t->courses - MOST_COURSES);
  cs_text_add(page, "</section>\n");
}
