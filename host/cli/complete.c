#include "complete.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "command.h"
#include "figure.h"
#include "print.h"
#include "runs.h"
#include "setting.h"
#include "store.h"

struct question {
  const char *command, *option, *name; /* the option without its dashes */
  enum cs_value kind;
  const char *path; /* of the file */
};

/* ---- coordinates */

static void add_values(size_t length, const double *values, char *const *labels, struct cs_text *lines) {
  for (size_t i = 0; i < length; i++) {
    if (labels != NULL)
      cs_text_add(lines, "%s", labels[i]);
    else
      cs_text_add_number(lines, values[i]);
    cs_text_add(lines, "\n");
  }
}

/* The name of an axis, or if that is already given its values. */
static void add_point(const struct question *q, const char *axis, size_t length, const double *values,
                      char *const *labels, struct cs_text *lines) {
  if (q->name[0] == '\0')
    cs_text_add(lines, "%s=\n", axis);
  else if (strcmp(q->name, axis) == 0)
    add_values(length, values, labels, lines);
}

/* ---- results */

static bool is_signal(const struct cs_runs *runs, size_t dimension) {
  return runs->dimension[dimension].nature == CS_NATURE_SIGNAL;
}

/* Metrics that info --rank compares; all arrays for export. */
static void add_metrics(const struct question *q, const struct cs_table *table, struct cs_text *lines) {
  if (strcmp(q->command, "plot") == 0) {
    cs_figure_add_metrics(table, lines);
    return;
  }
  for (size_t i = 0; i < table->arrays; i++) {
    const long m = cs_metric_find(table->array[i].name);
    if (strcmp(q->option, "rank") != 0 || (m >= 0 && cs_metric_table[m].ranked))
      cs_text_add(lines, "%s\n", table->array[i].name);
  }
}

static void ask_table(const struct question *q, const struct cs_table *table, struct cs_text *lines) {
  struct cs_runs runs;
  if (q->kind == CS_VALUE_METRIC) {
    add_metrics(q, table, lines);
    return;
  }
  cs_runs_open(table, &runs, NULL);
  for (size_t i = 0; i < table->dimensions; i++) {
    const struct cs_dimension *d = &table->dimension[i];
    const bool signal = is_signal(&runs, i), named = d->labels != NULL;
    if (q->kind == CS_VALUE_AXIS) cs_text_add(lines, "%s\n", d->name);
    if (q->kind == CS_VALUE_SIGNAL && signal && named) add_values(d->length, NULL, d->labels, lines);
    if (q->kind == CS_VALUE_POINT && (!signal || (named && strcmp(q->option, "where") == 0)))
      add_point(q, d->name, d->length, d->values, d->labels, lines);
  }
  cs_runs_close(&runs);
}

/* ---- sweeps and models */

static void add_paths(const struct cs_text *paths, struct cs_text *lines) {
  for (const char *path = cs_text_string(paths); *path != '\0'; path += strcspn(path, "\n") + 1)
    cs_text_add(lines, "%.*s=\n", (int)strcspn(path, "\n"), path);
}

static void ask_sweep(const struct question *q, const struct cs_sweep *sweep, struct cs_text *lines) {
  struct cs_text paths = {0};
  for (size_t i = 0; i < sweep->axes && q->kind == CS_VALUE_POINT; i++) {
    const struct cs_axis *axis = &sweep->axis[i];
    add_point(q, axis->name, axis->length, axis->values, axis->labels, lines);
  }
  if (q->kind != CS_VALUE_SETTING) return;
  if (q->name[0] != '\0') {
    cs_sweep_add_words(sweep, q->name, lines);
    return;
  }
  cs_sweep_add_paths(sweep, &paths);
  add_paths(&paths, lines);
  cs_text_free(&paths);
}

static void ask_model(const struct question *q, const struct cs_model *model, struct cs_text *lines) {
  for (size_t p = 0; p < model->parameters && q->name[0] == '\0'; p++)
    cs_text_add(lines, "parameters.%s=\n", model->parameter[p].name);
  if (model->equations > 0 && q->name[0] == '\0') cs_text_add(lines, "operating_point=\n");
  if (model->equations > 0 && strcmp(q->name, "operating_point") == 0) cs_text_add(lines, "equilibrium\ninitial\n");
}

static void ask_json(const struct question *q, struct cs_text *lines) {
  struct cs_sweep *sweep = NULL;
  struct cs_model *model = NULL;
  if (cs_sweep_load(q->path, NULL, 0, &sweep, NULL) == CS_OK)
    ask_sweep(q, sweep, lines);
  else if (q->kind == CS_VALUE_SETTING && cs_model_load(q->path, &model, NULL) == CS_OK)
    ask_model(q, model, lines);
  cs_sweep_free(sweep);
  cs_model_free(model);
}

/* ---- without a file */

static void add_methods(struct cs_text *lines) {
  static const char *const masters[] = {"jacobi", "gauss_seidel"}, *const holds[] = {"lagrange", "taylor"};
  for (size_t m = 0; m < 2; m++) {
    for (size_t h = 0; h < 2; h++)
      for (int order = 0; order <= CS_MAX_ORDER; order++)
        cs_text_add(lines, "%s,%s,%d\n", masters[m], holds[h], order);
    cs_text_add(lines, "%s,hermite,3\n", masters[m]);
  }
}

static void add_general(const struct question *q, struct cs_text *lines) {
  if (q->kind == CS_VALUE_METHOD) add_methods(lines);
  for (int i = 0; i < CS_METRICS && q->kind == CS_VALUE_METRIC; i++)
    cs_text_add(lines, "%s\n", cs_metric_table[i].name);
  for (int i = 0; i < CS_SETTINGS && q->kind == CS_VALUE_SETTING; i++) {
    const struct cs_setting_info *info = &cs_setting_table[i];
    if (q->name[0] == '\0' && cs_setting_is_in(info, false)) cs_text_add(lines, "%s=\n", info->path);
    for (size_t w = 0; strcmp(q->name, info->path) == 0 && info->words[w] != NULL; w++)
      cs_text_add(lines, "%s\n", info->words[w]);
  }
  if (q->kind == CS_VALUE_SETTING && q->name[0] == '\0') cs_text_add(lines, "method.order=\nparameters.\nmodes.\n");
}

/* ---- the whole */

static bool ends_in(const char *path, const char *ending) {
  const size_t length = strlen(path), own = strlen(ending);
  return length > own && strcmp(path + length - own, ending) == 0;
}

/* The values of one option of one command. */
static bool find_kind(struct question *q) {
  size_t commands;
  const struct cs_command *command = cs_cli_commands(&commands);
  for (size_t i = 0; i < commands; i++) {
    for (size_t k = 0; k < command[i].uses && strcmp(command[i].name, q->command) == 0; k++) {
      const struct cs_option_row *row = cs_option_row(command[i].use[k].option);
      q->kind = row->kind;
      if (strcmp(row->name, q->option) == 0) return true;
    }
  }
  return false;
}

int cs_complete(int words, char **word) {
  if (words < 3 || strncmp(word[1], "--", 2) != 0) return CS_OK;
  struct question q = {.command = word[0], .option = word[1] + 2, .name = word[2]};
  struct cs_text lines = {0};
  if (!find_kind(&q)) return CS_OK;
  for (int i = 3; i < words && lines.length == 0; i++) {
    struct cs_table *table = NULL;
    q.path = word[i];
    if (ends_in(q.path, ".json")) ask_json(&q, &lines);
    if (ends_in(q.path, ".h5") && cs_store_read_lazily(q.path, CS_STORE_LARGE, &table, NULL) == CS_OK)
      ask_table(&q, table, &lines);
    cs_table_free(table);
  }
  if (lines.length == 0) add_general(&q, &lines);
  if (!lines.failed) cs_print_text(cs_text_string(&lines));
  cs_text_free(&lines);
  return CS_OK;
}
