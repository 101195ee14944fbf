/* What the numbers of a page are: names, units, settings, and what may be said of them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore_private.h"
#include "figure.h"
#include "metric.h"
#include "status.h"

static const char *const natures[] = {"step", "order", "number", "word", "signal"};
static const char *const roles[] = {"fixed", "case", "combination", "knob"};

/* Without what browsers and terminals obey. */
static void add_text(struct cs_writer *w, const char *key, const char *string) {
  struct cs_text plain = {0};
  cs_text_add_plain(&plain, string != NULL ? string : "");
  w->text->failed |= plain.failed;
  cs_writer_string(w, key, cs_text_string(&plain));
  cs_text_free(&plain);
}

/* ---- dimensions -------------------------------------------------------------------------------------------------- */

/* Numbers or words at the chosen positions along a dimension. */
static void add_scale(struct cs_writer *w, const struct cs_export *export, size_t d, const double *values,
                      char *const *labels) {
  cs_writer_list(w, values != NULL ? "values" : "labels");
  for (size_t i = 0; i < export->table->dimension[d].length; i++) {
    if (!cs_export_has(export, d, i)) continue;
    if (values != NULL)
      cs_writer_number(w, NULL, values[i]);
    else
      add_text(w, NULL, labels[i]);
  }
  cs_writer_end(w);
}

/* Where the chosen positions are among all. */
static void add_places(struct cs_writer *w, const struct cs_export *export, size_t d) {
  if (export->chosen[d] == NULL) return;
  cs_writer_list(w, "at");
  for (size_t i = 0; i < export->table->dimension[d].length; i++)
    if (export->chosen[d][i]) cs_writer_count(w, NULL, i);
  cs_writer_end(w);
}

/* Whether a setting does nothing at the chosen positions, if there are such. */
static void add_idle(struct cs_writer *w, const struct cs_export *export, size_t d, const char *setting) {
  const size_t length = export->table->dimension[d].length;
  bool any = false;
  for (size_t i = 0; i < length && !any; i++)
    any = cs_export_has(export, d, i) && cs_runs_is_idle(&export->runs, d, setting, i);
  if (!any) return;
  cs_writer_list(w, "idle");
  for (size_t i = 0; i < length; i++)
    if (cs_export_has(export, d, i)) cs_writer_bool(w, NULL, cs_runs_is_idle(&export->runs, d, setting, i));
  cs_writer_end(w);
}

/* Settings that the axis changes together. */
static void add_columns(struct cs_writer *w, const struct cs_export *export, size_t d, size_t axis) {
  struct cs_runs_column column[CS_RUNS_COLUMNS];
  const size_t columns = cs_runs_columns(&export->runs, axis, column, CS_RUNS_COLUMNS);
  cs_writer_list(w, "columns");
  for (size_t i = 0; i < columns; i++) {
    if (column[i].array == NULL) continue;
    cs_writer_object(w, NULL);
    add_text(w, "name", column[i].name);
    add_text(w, "unit", column[i].array->unit);
    add_scale(w, export, d, column[i].values, column[i].labels);
    add_idle(w, export, d, column[i].name);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

/* The methods that the chosen positions along an axis belong to. */
static void add_methods(struct cs_writer *w, const struct cs_export *export, size_t d) {
  const size_t length = export->table->dimension[d].length;
  size_t *method = malloc((length + 1) * sizeof *method), methods;
  struct cs_error error;
  if (method == NULL || cs_runs_methods(&export->runs, d, method, &methods, &error) != CS_OK) {
    w->text->failed = true;
    free(method);
    return;
  }
  cs_writer_list(w, "methods");
  for (size_t i = 0; i < length; i++)
    if (cs_export_has(export, d, i)) cs_writer_count(w, NULL, method[i]);
  cs_writer_end(w);
  free(method);
}

/* What an axis of the runs varies; nothing for other dimensions. */
static void add_axis(struct cs_writer *w, const struct cs_export *export, size_t d) {
  const struct cs_array *status = export->runs.status;
  for (size_t i = 0; status != NULL && i < status->dimensions; i++) {
    if (status->dimension[i] != d) continue;
    const struct cs_runs_dimension *about = cs_runs_about(&export->runs, i);
    add_text(w, "nature", natures[about->nature]);
    add_text(w, "role", roles[about->role]);
    add_text(w, "paths", about->paths);
    cs_writer_bool(w, "design", cs_runs_design(&export->runs, export->table->dimension[d].name) != NULL);
    if (!cs_runs_is_zip(&export->runs, i)) continue;
    add_columns(w, export, d, i);
    if (about->role == CS_ROLE_COMBINATION) add_methods(w, export, d);
  }
}

static void add_dimension(struct cs_writer *w, const struct cs_export *export, size_t d) {
  const struct cs_dimension *dimension = &export->table->dimension[d];
  const struct cs_array *units = cs_runs_units(export->table, dimension);
  cs_writer_object(w, NULL);
  add_text(w, "name", dimension->name);
  add_text(w, "unit", dimension->unit);
  add_text(w, "long", dimension->long_name);
  cs_writer_count(w, "length", dimension->length);
  add_places(w, export, d);
  if (dimension->values != NULL || dimension->labels != NULL)
    add_scale(w, export, d, dimension->values, dimension->labels);
  if (units != NULL) {
    cs_writer_object(w, "units");
    add_scale(w, export, d, NULL, units->data.text);
    cs_writer_end(w);
  }
  add_axis(w, export, d);
  cs_writer_end(w);
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* What the table of metrics knows. */
static void add_metric(struct cs_writer *w, const struct cs_table *table, const char *name) {
  const long m = cs_metric_find(name);
  struct cs_figure_request request = {.metric = name};
  struct cs_error error;
  if (m < 0) return;
  const struct cs_metric_info *info = &cs_metric_table[m];
  cs_writer_bool(w, "ranked", info->ranked);
  cs_writer_bool(w, "radius", info->radius);
  cs_writer_bool(w, "count", info->reduction == CS_COUNT && !info->numbered);
  cs_writer_count(w, "cost", info->use[CS_USE_COST]);
  if (info->flags != NULL) add_text(w, "flags", info->flags);
  if (!info->ranked) return;
  if (cs_figure_choose_signal(table, &request, &error) != CS_OK) w->text->failed = true;
  if (request.signal != NULL) add_text(w, "usual_signal", request.signal);
}

static void add_array(struct cs_writer *w, const struct cs_table *table, const struct cs_explore_item *item,
                      size_t block) {
  const struct cs_array *array = item->array;
  struct cs_text label = {0};
  cs_metric_add_label(array->name, &label);
  w->text->failed |= label.failed;
  cs_writer_object(w, NULL);
  add_text(w, "name", array->name);
  add_text(w, "label", cs_text_string(&label));
  add_text(w, "long", array->long_name);
  add_text(w, "unit", array->unit);
  add_text(w, "type", array->type == CS_UINT8 ? "byte" : "double");
  cs_writer_list(w, "dimensions");
  for (size_t i = 0; i < array->dimensions; i++)
    cs_writer_count(w, NULL, array->dimension[i]);
  cs_writer_end(w);
  cs_writer_count(w, "block", block);
  if (item->theory != NULL) {
    add_text(w, "expected_of", item->theory->metric->name);
    cs_writer_count(w, "along", item->theory->metric->dimension[item->theory->axis]);
  } else {
    add_metric(w, table, array->name);
  }
  cs_writer_end(w);
  cs_text_free(&label);
}

static void add_part(struct cs_writer *w, const struct cs_explore_part *part, size_t *block) {
  const struct cs_table *table = part->export.table;
  cs_writer_list(w, "dimensions");
  for (size_t d = 0; d < table->dimensions; d++)
    add_dimension(w, &part->export, d);
  cs_writer_end(w);
  cs_writer_list(w, "arrays");
  for (size_t i = 0; i < part->items; i++)
    add_array(w, table, &part->item[i], (*block)++);
  cs_writer_end(w);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void add_statuses(struct cs_writer *w) {
  cs_writer_list(w, "statuses");
  for (int status = 0; status < CS_STATUSES; status++) {
    cs_writer_object(w, NULL);
    add_text(w, "word", cs_digest_status(status));
    add_text(w, "reason", cs_digest_reason(status));
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

/* The command of a trace, but for its run: that of the runs without the name of their file. "" where none is known. */
static void add_trace_command(struct cs_writer *w, const char *command) {
  static const char run[] = "cosweep run ", output[] = " -o ";
  struct cs_text trace = {0};
  if (strncmp(command, run, strlen(run)) == 0) {
    const char *rest = command + strlen(run), *at = strstr(rest, output), *end = at;
    if (at != NULL) { /* a word, quoted as for a shell */
      end += strlen(output);
      for (bool quoted = false; *end != '\0' && (quoted || *end != ' '); end++)
        if (*end == '\\' && !quoted && end[1] != '\0')
          end++;
        else if (*end == '\'')
          quoted = !quoted;
    }
    cs_text_add(&trace, "cosweep trace ");
    cs_text_append(&trace, rest, at != NULL ? (size_t)(at - rest) : strlen(rest));
    if (end != NULL) cs_text_add(&trace, "%s", end);
    w->text->failed |= trace.failed;
  }
  add_text(w, "trace", cs_text_string(&trace));
  cs_text_free(&trace);
}

/* The kind and the metric that a figure has at first. */
static int add_start(struct cs_writer *w, const struct cs_table *table, struct cs_error *error) {
  struct cs_figure_request request = {0};
  const int code = cs_figure_complete(table, &request, error);
  cs_writer_object(w, "start");
  if (code == CS_OK) {
    add_text(w, "kind", request.kind);
    add_text(w, "metric", request.metric);
  }
  cs_writer_end(w);
  return code == CS_USAGE ? CS_OK : code; /* nothing that a figure could draw */
}

int cs_explore_add_head(struct cs_writer *w, const struct cs_explore_result *result, size_t *block,
                        struct cs_error *error) {
  const struct cs_table *table = result->file->table, *group = table->group;
  const char *slash = strrchr(result->file->path, '/');
  cs_writer_object(w, NULL);
  add_text(w, "name", slash != NULL ? slash + 1 : result->file->path);
  add_text(w, "title", table->title);
  add_text(w, "study", cs_digest_text(table, "study"));
  add_text(w, "linearised", cs_digest_text(table, "linearised"));
  add_text(w, "command", cs_digest_text(table, "command"));
  add_trace_command(w, cs_digest_text(table, "command"));
  const int code = add_start(w, table, error);
  add_statuses(w);
  add_part(w, &result->part[0], block);
  if (group != NULL) {
    cs_writer_object(w, "points");
    add_part(w, &result->part[1], block);
    cs_writer_end(w);
  }
  cs_writer_list(w, "traces");
  for (size_t i = group != NULL ? 2 : 1; i < result->parts; i++) {
    cs_writer_object(w, NULL);
    cs_writer_count(w, "run", result->part[i].run);
    add_part(w, &result->part[i], block);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  cs_writer_end(w);
  return code;
}
