/* What of a file a page has. */
#include <stdlib.h>
#include <string.h>

#include "explore_private.h"

/* Whether the page can show it: numbers over something. */
static bool is_shown(const struct cs_export *export, const struct cs_array *array) {
  return array->type != CS_TEXT && array->dimensions > 0 && array->count > 0 &&
         (export->table != export->root || !cs_export_is_place(export, array));
}

static const struct cs_digest_fit *fit_of(const struct cs_digest *digest, const struct cs_array *array) {
  for (size_t i = 0; digest != NULL && i < digest->fits; i++)
    if (digest->fit[i].orders == array) return &digest->fit[i];
  return NULL;
}

/* `digest`: NULL for tables without fits. */
static int open_part(const struct cs_table *root, const struct cs_export_wish *wish, const struct cs_digest *digest,
                     struct cs_explore_part *part, struct cs_error *error) {
  const int code = cs_export_open(root, wish, &part->export, error);
  if (code != CS_OK) return code;
  const struct cs_export *export = &part->export;
  part->item = calloc(2 * export->arrays + 2, sizeof *part->item);
  if (part->item == NULL) return cs_error_memory(error);
  bool has_status = false;
  for (size_t i = 0; i < export->arrays; i++) {
    const struct cs_array *array = export->array[i];
    if (!is_shown(export, array)) continue;
    const struct cs_digest_fit *fit = fit_of(digest, array);
    part->item[part->items++].array = array;
    if (fit != NULL) part->item[part->items++] = (struct cs_explore_item){array, fit};
    has_status = has_status || (digest != NULL && array == digest->status);
  }
  if (digest != NULL && !has_status) part->item[part->items++].array = digest->status;
  return CS_OK;
}

int cs_explore_open(const struct cs_explore_file *file, const struct cs_explore_wish *wish,
                    struct cs_explore_result *result, struct cs_error *error) {
  const struct cs_table *group = file->table->group;
  const struct cs_export_wish all = {.path = file->path, .command = "explore"},
                              points = {.path = file->path,
                                        .command = "explore",
                                        .group = group != NULL ? group->name : NULL},
                              chosen = {.path = file->path,
                                        .command = "explore",
                                        .metric = wish->metric,
                                        .metrics = wish->metrics,
                                        .where = wish->where,
                                        .wheres = wish->wheres};
  *result = (struct cs_explore_result){.file = file};
  if (cs_digest_is_trace(file->table))
    return cs_error_set(error, CS_USAGE, "cosweep explore: %s is a trace; want a result of cosweep run", file->path);
  int code = cs_digest_open(file->table, &result->digest, error);
  result->part = calloc(2 + file->traces, sizeof *result->part);
  if (code == CS_OK && result->part == NULL) code = cs_error_memory(error);
  if (code == CS_OK) code = open_part(file->table, &chosen, &result->digest, &result->part[result->parts++], error);
  if (code == CS_OK && group != NULL)
    code = open_part(file->table, &points, NULL, &result->part[result->parts++], error);
  for (size_t i = 0; i < file->traces && code == CS_OK; i++) {
    result->part[result->parts].run = file->trace[i].run;
    code = open_part(file->trace[i].table, &all, NULL, &result->part[result->parts++], error);
  }
  return code;
}

void cs_explore_close(struct cs_explore_result *result) {
  for (size_t i = 0; i < result->parts; i++) {
    cs_export_close(&result->part[i].export);
    free(result->part[i].item);
  }
  free(result->part);
  cs_digest_free(&result->digest);
  *result = (struct cs_explore_result){0};
}
