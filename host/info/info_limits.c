/* Limits of stability along an axis: how far it is stable from its first value, and where it is stable again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "info_private.h"
#include "metric.h"
#include "words.h"

/* Rows on a terminal and on a page, and how many a page shows unfolded; stable ranges of a row. */
enum { MOST_LISTED = 20, MOST_ROWS = 1000, MOST_OPEN = 24, MOST_AGAIN = 3 };

bool cs_info_find_limits(const struct cs_digest *d, size_t axis, struct cs_info_limits *limits) {
  const char *name = d->axis[axis].dimension->name;
  const struct cs_array *first = cs_runs_find(d->table, name, cs_metric_limit[CS_LIMIT_FIRST].suffix, CS_FLOAT64);
  const struct cs_array *crossings =
      cs_runs_find(d->table, name, cs_metric_limit[CS_LIMIT_CROSSINGS].suffix, CS_FLOAT64);
  if (first == NULL || crossings == NULL || first->dimensions + 1 != d->axes || first->count == 0 ||
      crossings->count % first->count != 0 || d->axis[axis].dimension->values == NULL)
    return false;
  *limits = (struct cs_info_limits){.axis = axis,
                                    .rows = first->count,
                                    .each = crossings->count / first->count,
                                    .first = first->data.float64,
                                    .crossing = crossings->data.float64,
                                    .end = -INFINITY};
  for (size_t i = 0; i < d->axis[axis].dimension->length; i++)
    limits->end = fmax(limits->end, d->axis[axis].dimension->values[i]);
  return true;
}

size_t cs_info_limits_changes(const struct cs_info_limits *l, size_t row) {
  size_t count = 0;
  while (count < l->each && !isnan(l->crossing[row * l->each + count]))
    count++;
  return count;
}

enum cs_info_reach cs_info_limits_reach(const struct cs_info_limits *l, size_t row) {
  return isnan(l->first[row]) ? CS_REACH_NONE : cs_info_limits_changes(l, row) == 0 ? CS_REACH_END : CS_REACH_LIMIT;
}

static void add_first(struct cs_grid *grid, const struct cs_info_limits *l, size_t row) {
  const enum cs_info_reach reach = cs_info_limits_reach(l, row);
  cs_grid_add(grid, reach == CS_REACH_NONE ? "-" : reach == CS_REACH_END ? "no limit" : "%.6g", l->first[row]);
}

/* Ranges in which it is stable again: "0.04453 ... 0.04498, from 7.6". */
static void add_again(struct cs_grid *grid, const struct cs_info_limits *l, size_t row) {
  const double *c = l->crossing + row * l->each;
  const size_t changes = cs_info_limits_changes(l, row);
  struct cs_text list = {0};
  size_t shown = 0, ranges = 0;
  for (size_t i = isnan(l->first[row]) ? 0 : 1; i < changes; i += 2, ranges++) {
    if (shown == MOST_AGAIN) continue;
    cs_text_add(&list, "%s", shown++ > 0 ? ", " : "");
    if (i + 1 < changes)
      cs_text_add(&list, "%.4g ... %.4g", c[i], c[i + 1]);
    else
      cs_text_add(&list, "from %.4g", c[i]);
  }
  if (ranges > shown) cs_text_add(&list, " and %zu more", ranges - shown);
  cs_grid_take(grid, &list);
}

static void begin(struct cs_grid *grid, const struct cs_digest *d, const struct cs_info_limits *l) {
  cs_info_add_setting_heads(grid, d, l->axis);
  cs_grid_head(grid, CS_GRID_RIGHT, "stable up to");
  grid->firm = grid->columns;
  cs_grid_head(grid, CS_GRID_LEFT, "also stable in");
}

static void add_row(struct cs_grid *grid, const struct cs_digest *d, const struct cs_info_limits *l, size_t row) {
  cs_info_add_settings(grid, d, cs_runs_of_row(&d->over, l->axis, row), l->axis);
  add_first(grid, l, row);
  add_again(grid, l, row);
}

/* One row per combination of the other axes. */
static void add_all(struct cs_document *document, const struct cs_digest *d, const struct cs_info_limits *l) {
  struct cs_grid grid = {0};
  char summary[64];
  const size_t most = document->medium == CS_PAGE ? MOST_ROWS : MOST_LISTED;
  begin(&grid, d, l);
  for (size_t row = 0; row < l->rows && row < most; row++)
    add_row(&grid, d, l, row);
  snprintf(summary, sizeof summary, "%zu combinations", l->rows);
  cs_document_table(document, &grid, l->rows > MOST_OPEN ? summary : NULL);
  if (l->rows > most)
    cs_document_words(document, CS_TONE_DIM, 2, "The first %zu of %zu combinations; the file has all.", most, l->rows);
}

/* The smallest and the largest limit with their places, and how many combinations have none. */
static void add_extremes(struct cs_document *document, const struct cs_digest *d, const struct cs_info_limits *l) {
  struct cs_grid grid = {0};
  size_t least = l->rows, most = l->rows, none = 0, whole = 0;
  for (size_t row = 0; row < l->rows; row++) {
    const enum cs_info_reach reach = cs_info_limits_reach(l, row);
    none += reach == CS_REACH_NONE;
    whole += reach == CS_REACH_END;
    if (reach != CS_REACH_LIMIT) continue;
    if (least == l->rows || l->first[row] < l->first[least]) least = row;
    if (most == l->rows || l->first[row] > l->first[most]) most = row;
  }
  if (least < l->rows) {
    cs_grid_head(&grid, CS_GRID_LEFT, "%s", "");
    begin(&grid, d, l);
    cs_grid_add(&grid, "smallest");
    add_row(&grid, d, l, least);
    cs_grid_add(&grid, "largest");
    add_row(&grid, d, l, most);
    cs_document_table(document, &grid, NULL);
  }
  cs_document_words(document, CS_TONE_PLAIN, 2,
                    "Of %zu combinations %zu have a limit, %zu are stable up to the end of the scan, %zu are unstable "
                    "from its beginning.",
                    l->rows, l->rows - none - whole, whole, none);
}

static void add_limits(struct cs_document *document, const struct cs_digest *d, const struct cs_info_limits *l) {
  const struct cs_dimension *along = d->axis[l->axis].dimension;
  const char *unit = along->unit != NULL && strcmp(along->unit, "1") != 0 ? along->unit : "";
  cs_document_section(document, "limits", NULL, "limits of stability along %s%s%s%s", along->name,
                      *unit != '\0' ? " (" : "", unit, *unit != '\0' ? ")" : "");
  if (l->rows > MOST_LISTED) add_extremes(document, d, l);
  if (l->rows <= MOST_LISTED || document->medium == CS_PAGE) add_all(document, d, l);
}

/* Limits along an axis, and refined maps. */
void cs_info_add_boundaries(struct cs_document *document, const struct cs_digest *d) {
  const struct cs_table *group = d->table->group;
  struct cs_info_limits limits;
  for (size_t axis = 0; axis < d->axes; axis++)
    if (cs_info_find_limits(d, axis, &limits)) add_limits(document, d, &limits);
  if (group == NULL || group->dimensions == 0 || document->medium == CS_PAGE) return;
  struct cs_text count = {0};
  cs_words_add_count(&count, (double)group->dimension[0].length);
  cs_document_part(document, "group %s: %s %s", group->name, cs_text_string(&count), group->title);
  cs_document_free_text(document, &count);
}
