/* cosweep info --json: the digest of a result, or of a trace, as one JSON object. */
#include <math.h>
#include <string.h>

#include "info.h"
#include "words.h"

static void add_number(struct cs_text *text, double value) {
  if (isfinite(value))
    cs_text_add(text, "%.17g", value);
  else
    cs_text_add(text, "null");
}

static void add_member(struct cs_text *text, const char *name, const char *string) {
  cs_text_add(text, ", \"%s\": ", name);
  cs_add_json(text, string);
}

static void add_number_member(struct cs_text *text, const char *name, double value) {
  cs_text_add(text, ", \"%s\": ", name);
  add_number(text, value);
}

/* Whole numbers, which the file may not have. */
static void add_note(const struct cs_table *table, const char *name, struct cs_text *text) {
  add_number_member(text, name, cs_digest_number(table, name));
}

static void add_provenance(const struct cs_table *table, struct cs_text *text) {
  static const char *const texts[] = {"study",   "engine", "command",  "started",
                                      "version", "device", "platform", "driver"};
  static const char *const numbers[] = {"wall_seconds", "device_seconds", "steps", "lanes", "occupancy"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (cs_table_find_note(table, texts[i]) != NULL) add_member(text, texts[i], cs_digest_text(table, texts[i]));
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (cs_table_find_note(table, numbers[i]) != NULL) add_note(table, numbers[i], text);
}

static void add_head(const char *path, const char *kind, const struct cs_table *table, struct cs_text *text) {
  cs_text_add(text, "{\"file\": ");
  cs_add_json(text, path);
  add_member(text, "kind", kind);
  add_member(text, "title", table->title);
  add_provenance(table, text);
}

/* ---- results */

static void add_list(size_t length, const double *values, char *const *labels, struct cs_text *text) {
  cs_text_add(text, "[");
  for (size_t i = 0; i < length; i++) {
    cs_text_add(text, "%s", i > 0 ? ", " : "");
    if (labels != NULL)
      cs_add_json(text, labels[i]);
    else
      add_number(text, values[i]);
  }
  cs_text_add(text, "]");
}

/* "settings": {"solver": "exact", "H": 0.1}; without those along axis number `without`. */
static void add_settings(const struct cs_digest *d, size_t run, size_t without, struct cs_text *text) {
  const char *separator = "";
  cs_text_add(text, ", \"settings\": {");
  for (size_t c = 0; c < d->columns; c++) {
    const struct cs_digest_column *column = &d->column[c];
    const struct cs_dimension *axis = d->axis[column->axis].dimension;
    const size_t at = cs_digest_position(d, run, column->axis);
    if (column->axis == without) continue;
    cs_text_add(text, "%s", separator);
    cs_add_json(text, column->name);
    cs_text_add(text, ": ");
    if (column->array != NULL && column->array->type == CS_TEXT)
      cs_add_json(text, column->array->data.text[at]);
    else if (column->array != NULL)
      add_number(text, column->array->data.float64[at]);
    else if (axis->labels != NULL)
      cs_add_json(text, axis->labels[at]);
    else
      add_number(text, axis->values[at]);
    separator = ", ";
  }
  cs_text_add(text, "}");
}

static void add_axes(const struct cs_digest *d, struct cs_text *text) {
  cs_text_add(text, ",\n \"axes\": [");
  for (size_t i = 0; i < d->axes; i++) {
    const struct cs_digest_axis *axis = &d->axis[i];
    cs_text_add(text, "%s\n  {\"name\": ", i > 0 ? "," : "");
    cs_add_json(text, axis->dimension->name);
    add_member(text, "paths", axis->paths);
    add_member(text, "unit", axis->dimension->unit);
    add_member(text, "description", axis->dimension->long_name);
    add_member(text, "spacing", cs_digest_spacing(axis->spacing));
    cs_text_add(text, ", \"values\": ");
    add_list(axis->dimension->length, axis->dimension->values, axis->dimension->labels, text);
    for (size_t c = 0; c < d->columns; c++) {
      const struct cs_array *array = d->column[c].array;
      if (d->column[c].axis != i || array == NULL) continue;
      cs_text_add(text, ", ");
      cs_add_json(text, array->name);
      cs_text_add(text, ": ");
      add_list(array->count, array->type == CS_TEXT ? NULL : array->data.float64,
               array->type == CS_TEXT ? array->data.text : NULL, text);
    }
    cs_text_add(text, "}");
  }
  cs_text_add(text, "]");
}

static void add_signal(const struct cs_dimension *signals, size_t signal, struct cs_text *text) {
  if (signals == NULL || signal == CS_DIGEST_NONE) return;
  if (signals->labels != NULL)
    add_member(text, "signal", signals->labels[signal]);
  else
    add_number_member(text, "signal", signals->values[signal]);
}

static void add_point(const struct cs_digest *d, const struct cs_dimension *signals,
                      const struct cs_digest_point *point, struct cs_text *text) {
  cs_text_add(text, "{\"value\": ");
  add_number(text, point->value);
  add_signal(signals, point->signal, text);
  cs_text_add(text, ", \"run\": %zu", point->run);
  add_settings(d, point->run, CS_DIGEST_NONE, text);
  cs_text_add(text, "}");
}

static void add_metrics(const struct cs_digest *d, struct cs_text *text) {
  cs_text_add(text, ",\n \"metrics\": [");
  for (size_t i = 0; i < d->metrics; i++) {
    const struct cs_digest_metric *m = &d->metric[i];
    cs_text_add(text, "%s\n  {\"name\": \"%s\"", i > 0 ? "," : "", m->array->name);
    add_member(text, "unit", m->array->unit);
    add_member(text, "description", m->array->long_name);
    cs_text_add(text, ", \"numbers\": %zu", m->numbers);
    if (m->numbers > 0) {
      cs_text_add(text, ",\n   \"least\": ");
      add_point(d, m->signals, &m->least, text);
      cs_text_add(text, ",\n   \"largest\": ");
      add_point(d, m->signals, &m->largest, text);
    }
    cs_text_add(text, "}");
  }
  cs_text_add(text, "]");
}

/* `expected`: null where theory says nothing, "zero" where there is nothing to fit. */
static void add_order(const struct cs_digest *d, const struct cs_digest_fit *f, size_t i, struct cs_text *text) {
  const struct cs_digest_order *o = &f->order[i];
  cs_text_add(text, "{\"order\": ");
  add_number(text, o->order);
  if (isinf(o->expected))
    add_member(text, "expected", "zero");
  else
    add_number_member(text, "expected", o->expected);
  add_member(text, "verdict", cs_digest_verdict(o->verdict));
  add_signal(f->signals, f->signals != NULL ? i % f->columns : CS_DIGEST_NONE, text);
  add_number_member(text, "r2", o->r2);
  add_number_member(text, "first", o->first);
  add_number_member(text, "last", o->last);
  cs_text_add(text, ", \"points\": %ld", o->points);
  add_settings(d, f->run[i / f->columns], f->axis, text);
  cs_text_add(text, "}");
}

static void add_fits(const struct cs_digest *d, struct cs_text *text) {
  cs_text_add(text, ",\n \"fits\": [");
  for (size_t i = 0; i < d->fits; i++) {
    const struct cs_digest_fit *f = &d->fit[i];
    cs_text_add(text, "%s\n  {\"metric\": \"%s\"", i > 0 ? "," : "", f->metric->name);
    add_member(text, "along", d->axis[f->axis].dimension->name);
    cs_text_add(text, ", \"agree\": %zu, \"deviate\": %zu, \"not_fitted\": %zu, \"no_expectation\": %zu, \"orders\": [",
                f->verdicts[CS_VERDICT_AGREES], f->verdicts[CS_VERDICT_DEVIATES], f->verdicts[CS_VERDICT_UNKNOWN],
                f->verdicts[CS_VERDICT_NONE]);
    for (size_t o = 0; o < f->rows * f->columns; o++) {
      cs_text_add(text, "%s\n   ", o > 0 ? "," : "");
      add_order(d, f, o, text);
    }
    cs_text_add(text, "]}");
  }
  cs_text_add(text, "]");
}

static void add_ranked(const struct cs_digest *d, const char *name, const struct cs_digest_point *list,
                       struct cs_text *text) {
  const struct cs_dimension *signals =
      d->judge->dimensions > d->axes ? &d->table->dimension[d->judge->dimension[d->axes]] : NULL;
  cs_text_add(text, ",\n  \"%s\": [", name);
  for (size_t i = 0; i < d->ranked; i++) {
    cs_text_add(text, "%s\n   ", i > 0 ? "," : "");
    add_point(d, signals, &list[i], text);
  }
  cs_text_add(text, "]");
}

static void add_failures(const struct cs_digest *d, struct cs_text *text) {
  cs_text_add(text, ",\n \"failures\": [");
  for (size_t i = 0; i < d->failures; i++) {
    const struct cs_digest_failure *f = &d->failure[i];
    cs_text_add(text, "%s\n  {\"status\": %d", i > 0 ? "," : "", f->status);
    add_member(text, "name", cs_digest_status(f->status));
    add_member(text, "reason", cs_digest_reason(f->status));
    cs_text_add(text, ", \"count\": %zu, \"runs\": [", f->count);
    for (size_t r = 0; r < f->count; r++) {
      cs_text_add(text, "%s\n   {\"run\": %zu", r > 0 ? "," : "", f->run[r]);
      if (cs_digest_steps(d, f->run[r]) >= 0)
        cs_text_add(text, ", \"steps\": %lld", (long long)cs_digest_steps(d, f->run[r]));
      add_settings(d, f->run[r], CS_DIGEST_NONE, text);
      cs_text_add(text, "}");
    }
    cs_text_add(text, "]}");
  }
  cs_text_add(text, "]");
}

void cs_info_add_json(const char *path, const struct cs_digest *d, struct cs_text *text) {
  add_head(path, "result", d->table, text);
  cs_text_add(text, ",\n \"runs\": %zu, \"succeeded\": %zu", d->runs, d->good);
  if (cs_digest_stable(d) != CS_DIGEST_NONE) cs_text_add(text, ", \"stable\": %zu", cs_digest_stable(d));
  add_axes(d, text);
  add_metrics(d, text);
  add_fits(d, text);
  if (d->ranked > 0) {
    cs_text_add(text, ",\n \"ranked_by\": {\"metric\": \"%s\"", d->judge->name);
    add_ranked(d, "best", d->best, text);
    add_ranked(d, "worst", d->worst, text);
    cs_text_add(text, "}");
  }
  add_failures(d, text);
  cs_text_add(text, "}\n");
}

/* ---- traces */

void cs_info_add_trace_json(const char *path, const struct cs_digest_trace *t, struct cs_text *text) {
  add_head(path, "trace", t->table, text);
  add_note(t->table, "run", text);
  add_member(text, "at", cs_digest_text(t->table, "at"));
  cs_text_add(text, ",\n \"status\": %d, \"status_name\": \"%s\", \"taken\": %zu, \"rejected\": %zu, \"events\": %zu",
              t->status, cs_digest_status(t->status), t->steps, t->rejected, t->events);
  add_number_member(text, "t_first", t->t_first);
  add_number_member(text, "t_last", t->t_last);
  add_number_member(text, "step_min", t->least);
  add_number_member(text, "step_mean", t->mean);
  add_number_member(text, "step_max", t->largest);
  cs_text_add(text, ",\n \"courses\": [");
  for (size_t i = 0; i < t->courses; i++) {
    const struct cs_digest_course *c = &t->course[i];
    cs_text_add(text, "%s\n  {\"name\": \"%s\"", i > 0 ? "," : "", c->array->name);
    add_signal(c->signals, c->signal, text);
    add_number_member(text, "end", c->end);
    add_number_member(text, "largest", c->largest);
    add_number_member(text, "at", c->at);
    cs_text_add(text, "}");
  }
  cs_text_add(text, "]}\n");
}
