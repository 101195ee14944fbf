/* cosweep info --json: the digest of a result, or of a trace, as one JSON object. */
#include <math.h>
#include <string.h>

#include "info_private.h"
#include "json.h"
#include "status.h"
#include "writer.h"

static void add_provenance(struct cs_writer *w, const struct cs_table *table) {
  static const char *const texts[] = {"study",   "linearised", "engine",   "command", "started",
                                      "version", "device",     "platform", "driver"};
  static const char *const numbers[] = {"wall_seconds", "build_seconds", "device_seconds", "steps",
                                        "repeats",      "lanes",         "occupancy"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (cs_table_find_note(table, texts[i]) != NULL) cs_writer_string(w, texts[i], cs_digest_text(table, texts[i]));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (cs_table_find_note(table, numbers[i]) != NULL)
      cs_writer_number(w, numbers[i], cs_digest_number(table, numbers[i]));
}

static void begin(struct cs_writer *w, const char *path, const char *kind, const struct cs_table *table) {
  cs_writer_object(w, NULL);
  cs_writer_string(w, "file", path);
  cs_writer_string(w, "kind", kind);
  cs_writer_string(w, "title", table->title);
  add_provenance(w, table);
}

static void end(struct cs_writer *w) {
  cs_writer_end(w);
  cs_text_add(w->text, "\n");
}

/* A list on a new line, with every item on a line of its own. */
static void begin_list(struct cs_writer *w, const char *key) {
  cs_writer_line(w);
  cs_writer_list(w, key);
  cs_writer_lines(w);
}

/* The label, or the number if there are no labels. */
static void add_value(struct cs_writer *w, const char *key, const double *values, char *const *labels, size_t at) {
  if (labels != NULL)
    cs_writer_string(w, key, labels[at]);
  else
    cs_writer_number(w, key, values[at]);
}

/* ---- results */

/* "settings": {"solver": "exact", "H": 0.1}, without those of axis number `without`. */
static void add_settings(struct cs_writer *w, const struct cs_digest *d, size_t run, size_t without) {
  cs_writer_object(w, "settings");
  for (size_t c = 0; c < d->columns; c++) {
    const struct cs_runs_column *column = &d->column[c];
    if (column->axis != without)
      add_value(w, column->name, column->values, column->labels, cs_runs_position(&d->over, run, column->axis));
  }
  cs_writer_end(w);
}

static void add_values(struct cs_writer *w, const char *key, size_t length, const double *values, char *const *labels) {
  cs_writer_list(w, key);
  for (size_t i = 0; i < length; i++)
    add_value(w, NULL, values, labels, i);
  cs_writer_end(w);
}

static void add_axes(struct cs_writer *w, const struct cs_digest *d) {
  begin_list(w, "axes");
  for (size_t i = 0; i < d->axes; i++) {
    const struct cs_digest_axis *axis = &d->axis[i];
    cs_writer_object(w, NULL);
    cs_writer_string(w, "name", axis->dimension->name);
    cs_writer_string(w, "paths", axis->paths);
    cs_writer_string(w, "unit", axis->dimension->unit);
    cs_writer_string(w, "description", axis->dimension->long_name);
    cs_writer_string(w, "spacing", cs_digest_spacing(axis->spacing));
    if (axis->design != NULL) cs_json_write(w, "design", axis->design);
    add_values(w, "values", axis->dimension->length, axis->dimension->values, axis->dimension->labels);
    for (size_t c = 0; c < d->columns; c++)
      if (d->column[c].axis == i && d->column[c].array != NULL)
        add_values(w, d->column[c].array->name, axis->dimension->length, d->column[c].values, d->column[c].labels);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

static void add_signal(struct cs_writer *w, const struct cs_dimension *signals, size_t signal) {
  if (signals != NULL && signal != CS_DIGEST_NONE) add_value(w, "signal", signals->values, signals->labels, signal);
}

static void add_point(struct cs_writer *w, const char *key, const struct cs_digest *d,
                      const struct cs_dimension *signals, const struct cs_digest_point *point) {
  cs_writer_object(w, key);
  cs_writer_number(w, "value", point->value);
  add_signal(w, signals, point->signal);
  cs_writer_count(w, "run", point->run);
  add_settings(w, d, point->run, CS_DIGEST_NONE);
  cs_writer_end(w);
}

static void add_metrics(struct cs_writer *w, const struct cs_digest *d) {
  begin_list(w, "metrics");
  for (size_t i = 0; i < d->metrics; i++) {
    const struct cs_digest_metric *m = &d->metric[i];
    cs_writer_object(w, NULL);
    cs_writer_string(w, "name", m->array->name);
    cs_writer_string(w, "unit", m->array->unit);
    cs_writer_string(w, "description", m->array->long_name);
    cs_writer_count(w, "numbers", m->numbers);
    if (m->numbers > 0) {
      cs_writer_line(w);
      add_point(w, "least", d, m->signals, &m->least);
      cs_writer_line(w);
      add_point(w, "largest", d, m->signals, &m->largest);
    }
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

/* `expected`: null without an expectation, "zero" if the metric is zero. */
static void add_order(struct cs_writer *w, const struct cs_digest *d, const struct cs_digest_fit *f, size_t i) {
  const struct cs_digest_order *o = &f->order[i];
  cs_writer_object(w, NULL);
  cs_writer_number(w, "order", o->order);
  if (isinf(o->expected))
    cs_writer_string(w, "expected", "zero");
  else
    cs_writer_number(w, "expected", o->expected);
  cs_writer_string(w, "verdict", cs_digest_verdict(o->verdict));
  add_signal(w, f->signals, i % f->columns);
  cs_writer_number(w, "r2", o->r2);
  cs_writer_number(w, "first", o->first);
  cs_writer_number(w, "last", o->last);
  cs_writer_token(w, "points", "%ld", o->points);
  add_settings(w, d, f->run[i / f->columns], f->axis);
  cs_writer_end(w);
}

static void add_fits(struct cs_writer *w, const struct cs_digest *d) {
  begin_list(w, "fits");
  for (size_t i = 0; i < d->fits; i++) {
    const struct cs_digest_fit *f = &d->fit[i];
    cs_writer_object(w, NULL);
    cs_writer_string(w, "metric", f->metric->name);
    cs_writer_string(w, "along", d->axis[f->axis].dimension->name);
    cs_writer_count(w, "agree", f->verdicts[CS_VERDICT_AGREES]);
    cs_writer_count(w, "deviate", f->verdicts[CS_VERDICT_DEVIATES]);
    cs_writer_count(w, "not_fitted", f->verdicts[CS_VERDICT_UNKNOWN]);
    cs_writer_count(w, "no_expectation", f->verdicts[CS_VERDICT_NONE]);
    cs_writer_list(w, "orders");
    cs_writer_lines(w);
    for (size_t o = 0; o < f->rows * f->columns; o++)
      add_order(w, d, f, o);
    cs_writer_end(w);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

/* "stable_first": null where the first value of the axis is unstable. */
static void add_limit(struct cs_writer *w, const struct cs_digest *d, const struct cs_info_limits *l, size_t row) {
  cs_writer_object(w, NULL);
  cs_writer_number(w, "stable_first", l->first[row]);
  cs_writer_bool(w, "limit", cs_info_limits_reach(l, row) == CS_REACH_LIMIT);
  cs_writer_list(w, "crossings");
  for (size_t i = 0; i < cs_info_limits_changes(l, row); i++)
    cs_writer_number(w, NULL, l->crossing[row * l->each + i]);
  cs_writer_end(w);
  add_settings(w, d, cs_runs_of_row(&d->over, l->axis, row), l->axis);
  cs_writer_end(w);
}

static void add_limits(struct cs_writer *w, const struct cs_digest *d) {
  struct cs_info_limits limits;
  for (size_t axis = 0; axis < d->axes; axis++) {
    if (!cs_info_find_limits(d, axis, &limits)) continue;
    cs_writer_line(w);
    cs_writer_object(w, "boundary");
    cs_writer_string(w, "along", d->axis[axis].dimension->name);
    cs_writer_list(w, "limits");
    cs_writer_lines(w);
    for (size_t row = 0; row < limits.rows; row++)
      add_limit(w, d, &limits, row);
    cs_writer_end(w);
    cs_writer_end(w);
    return;
  }
}

static void add_ranked(struct cs_writer *w, const char *key, const struct cs_digest *d,
                       const struct cs_digest_point *list) {
  const struct cs_dimension *signals =
      d->judge->dimensions > d->axes ? &d->table->dimension[d->judge->dimension[d->axes]] : NULL;
  begin_list(w, key);
  for (size_t i = 0; i < d->ranked; i++)
    add_point(w, NULL, d, signals, &list[i]);
  cs_writer_end(w);
}

/* Members of an event; counts that the file does not have are left out. */
static void add_event(struct cs_writer *w, const struct cs_digest *d, size_t run, size_t event) {
  const struct cs_digest_event e = cs_digest_event(d, run, event);
  const struct {
    const char *key;
    int64_t count;
  } list[] = {{"events", e.events}, {"exact_events", e.exact}, {"matched", e.matched},
              {"late", e.late},     {"missed", e.missed},      {"spurious", e.spurious}};
  cs_writer_object(w, NULL);
  add_value(w, "event", d->events->values, d->events->labels, event);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (list[i].count >= 0) cs_writer_count(w, list[i].key, (size_t)list[i].count);
  cs_writer_number(w, d->largest ? "largest_time_error" : "rms_time_error", e.error);
  cs_writer_end(w);
}

static void add_events_of(struct cs_writer *w, const char *key, const struct cs_digest *d, size_t run) {
  cs_writer_line(w);
  cs_writer_object(w, key);
  cs_writer_count(w, "run", run);
  add_settings(w, d, run, CS_DIGEST_NONE);
  begin_list(w, "events");
  for (size_t i = 0; i < d->events->length; i++)
    add_event(w, d, run, i);
  cs_writer_end(w);
  cs_writer_end(w);
}

static void add_events(struct cs_writer *w, const struct cs_digest *d) {
  if (d->right == CS_DIGEST_NONE) return;
  cs_writer_line(w);
  cs_writer_object(w, "state_events");
  add_events_of(w, "best", d, d->right);
  add_events_of(w, "worst", d, d->wrong);
  cs_writer_end(w);
}

/* The event that happened most often before the run ended because of too many. */
static void add_frequent(struct cs_writer *w, const struct cs_digest *d, size_t run) {
  const size_t event = cs_digest_frequent(d, run);
  if (event == CS_DIGEST_NONE) return;
  const struct cs_digest_event e = cs_digest_event(d, run, event);
  add_value(w, "event", d->events->values, d->events->labels, event);
  if (e.events >= 0) cs_writer_count(w, "events", (size_t)e.events);
  if (e.exact >= 0) cs_writer_count(w, "exact_events", (size_t)e.exact);
}

static void add_failures(struct cs_writer *w, const struct cs_digest *d) {
  begin_list(w, "failures");
  for (size_t i = 0; i < d->failures; i++) {
    const struct cs_digest_failure *f = &d->failure[i];
    cs_writer_object(w, NULL);
    cs_writer_token(w, "status", "%d", f->status);
    cs_writer_string(w, "name", cs_digest_status(f->status));
    cs_writer_string(w, "reason", cs_digest_reason(f->status));
    cs_writer_count(w, "count", f->count);
    cs_writer_list(w, "runs");
    cs_writer_lines(w);
    for (size_t r = 0; r < f->count; r++) {
      const int64_t steps = cs_digest_steps(d, f->run[r]);
      cs_writer_object(w, NULL);
      cs_writer_count(w, "run", f->run[r]);
      if (steps >= 0) cs_writer_count(w, "steps", (size_t)steps);
      if (f->status == CS_STATUS_EVENT_LIMIT) add_frequent(w, d, f->run[r]);
      add_settings(w, d, f->run[r], CS_DIGEST_NONE);
      cs_writer_end(w);
    }
    cs_writer_end(w);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

void cs_info_add_json(const char *path, const struct cs_digest *d, struct cs_text *text) {
  struct cs_writer writer = {.text = text}, *w = &writer;
  begin(w, path, "result", d->table);
  cs_writer_line(w);
  cs_writer_count(w, "runs", d->runs);
  cs_writer_count(w, "succeeded", d->good);
  if (cs_digest_stable(d) != CS_DIGEST_NONE) cs_writer_count(w, "stable", cs_digest_stable(d));
  add_axes(w, d);
  add_metrics(w, d);
  add_fits(w, d);
  add_limits(w, d);
  if (d->ranked > 0) {
    cs_writer_line(w);
    cs_writer_object(w, "ranked_by");
    cs_writer_string(w, "metric", d->judge->name);
    cs_writer_count(w, "tied", d->tied);
    add_ranked(w, "best", d, d->best);
    add_ranked(w, "worst", d, d->worst);
    cs_writer_end(w);
  }
  add_events(w, d);
  add_failures(w, d);
  end(w);
}

/* ---- traces */

void cs_info_add_trace_json(const char *path, const struct cs_digest_trace *t, struct cs_text *text) {
  struct cs_writer writer = {.text = text}, *w = &writer;
  begin(w, path, "trace", t->table);
  cs_writer_number(w, "run", cs_digest_number(t->table, "run"));
  cs_writer_string(w, "at", cs_digest_text(t->table, "at"));
  cs_writer_line(w);
  cs_writer_token(w, "status", "%d", t->status);
  cs_writer_string(w, "status_name", cs_digest_status(t->status));
  cs_writer_count(w, "taken", t->steps);
  cs_writer_count(w, "rejected", t->rejected);
  cs_writer_count(w, "given_up", t->given_up);
  cs_writer_count(w, "events", t->events);
  cs_writer_number(w, "t_first", t->t_first);
  cs_writer_number(w, "t_last", t->t_last);
  cs_writer_number(w, "step_min", t->least);
  cs_writer_number(w, "step_mean", t->mean);
  cs_writer_number(w, "step_max", t->largest);
  begin_list(w, "courses");
  for (size_t i = 0; i < t->courses; i++) {
    const struct cs_digest_course *c = &t->course[i];
    cs_writer_object(w, NULL);
    cs_writer_string(w, "name", c->array->name);
    add_signal(w, c->signals, c->signal);
    cs_writer_number(w, "end", c->end);
    cs_writer_number(w, "largest", c->largest);
    cs_writer_number(w, "at", c->at);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  end(w);
}
