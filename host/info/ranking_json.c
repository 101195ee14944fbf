/* Settings of a comparison's runs as columns, and the comparison as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "ranking.h"
#include "words.h"

/* ---- settings as columns */

/* Variables along an axis that moves several settings together: "<axis>_<setting>". */
static const struct cs_array *next_setting(const struct cs_comparison *c, size_t axis, size_t *from) {
  const char *name = cs_comparison_axis(c, axis)->name;
  const size_t length = strlen(name);
  while (*from < c->table->arrays) {
    const struct cs_array *a = &c->table->array[(*from)++];
    if (strncmp(a->name, name, length) == 0 && a->name[length] == '_' && a->dimensions == 1 &&
        a->dimension[0] == c->status->dimension[axis] && cs_metric_find(a->name) < 0 &&
        (a->type == CS_TEXT || a->type == CS_FLOAT64))
      return a;
  }
  return NULL;
}

size_t cs_setting_columns(const struct cs_comparison *c, enum cs_role role, struct cs_setting_column *column,
                          size_t room) {
  size_t count = 0;
  for (size_t axis = 0; axis < c->status->dimensions; axis++) {
    size_t from = 0, before = count;
    if (c->role[axis] != role) continue;
    const size_t length = strlen(cs_comparison_axis(c, axis)->name) + 1;
    for (const struct cs_array *a; count < room && (a = next_setting(c, axis, &from)) != NULL;)
      column[count++] = (struct cs_setting_column){.name = a->name + length, .axis = axis, .array = a};
    if (count == before && count < room)
      column[count++] = (struct cs_setting_column){.name = cs_comparison_axis(c, axis)->name, .axis = axis};
  }
  return count;
}

bool cs_setting_is_word(const struct cs_comparison *c, const struct cs_setting_column *column) {
  return column->array != NULL ? column->array->type == CS_TEXT : cs_comparison_axis(c, column->axis)->labels != NULL;
}

const char *cs_setting_word(const struct cs_comparison *c, const struct cs_setting_column *column, size_t run) {
  const size_t i = cs_comparison_position(c, run, column->axis);
  return column->array != NULL ? column->array->data.text[i] : cs_comparison_axis(c, column->axis)->labels[i];
}

double cs_setting_number(const struct cs_comparison *c, const struct cs_setting_column *column, size_t run) {
  const size_t i = cs_comparison_position(c, run, column->axis);
  return column->array != NULL ? column->array->data.float64[i] : cs_comparison_axis(c, column->axis)->values[i];
}

/* ---- JSON */

static void add_number(struct cs_text *text, double value) {
  if (isfinite(value))
    cs_text_add(text, "%.17g", value);
  else
    cs_text_add(text, "null");
}

/* Members of the settings of a run along the axes of a role. */
static void add_members(const struct cs_comparison *c, enum cs_role role, size_t run, bool *first,
                        struct cs_text *text) {
  struct cs_setting_column column[CS_SETTING_COLUMNS];
  const size_t columns = cs_setting_columns(c, role, column, CS_SETTING_COLUMNS);
  for (size_t i = 0; i < columns; i++) {
    cs_text_add(text, "%s", *first ? "" : ", ");
    cs_add_json(text, column[i].name);
    cs_text_add(text, ": ");
    if (cs_setting_is_word(c, &column[i]))
      cs_add_json(text, cs_setting_word(c, &column[i], run));
    else
      add_number(text, cs_setting_number(c, &column[i], run));
    *first = false;
  }
}

/* An object of the settings of a run along the axes of two roles; the same role twice is taken once. */
static void add_settings(const struct cs_comparison *c, enum cs_role one, enum cs_role other, size_t run,
                         struct cs_text *text) {
  bool first = true;
  cs_text_add(text, "{");
  add_members(c, one, run, &first, text);
  if (other != one) add_members(c, other, run, &first, text);
  cs_text_add(text, "}");
}

static void add_front(const struct cs_ranking *r, size_t of_case, struct cs_text *text) {
  const struct cs_comparison *c = r->c;
  cs_text_add(text, "%s\n  {\"at\": ", of_case > 0 ? "," : "");
  add_settings(c, CS_ROLE_CASE, CS_ROLE_CASE, cs_comparison_member(c, CS_ROLE_CASE, of_case), text);
  cs_text_add(text, ", \"front\": [");
  for (size_t i = r->start[of_case]; i < r->start[of_case + 1]; i++) {
    const struct cs_rank_point *p = &r->front[i];
    cs_text_add(text, "%s\n   {\"run\": %zu, \"cost\": %.17g, \"error\": %.17g, \"alike\": %zu, \"settings\": ",
                i > r->start[of_case] ? "," : "", p->run, p->cost, p->error, p->ties);
    add_settings(c, CS_ROLE_COMBINATION, CS_ROLE_KNOB, p->run, text);
    cs_text_add(text, "}");
  }
  cs_text_add(text, "]}");
}

/* What a combination offers in each case, null where nothing. */
static void add_choices(const struct cs_ranking *r, enum cs_rank_by by, size_t combination, struct cs_text *text) {
  const struct cs_rank_runs *runs = &r->c->runs;
  for (size_t i = 0; i < runs->cases; i++) {
    const struct cs_rank_choice *choice = &r->choice[by][i * runs->combinations + combination];
    cs_text_add(text, "%s", i > 0 ? ", " : "");
    if (choice->run == CS_RANK_NONE) {
      cs_text_add(text, "null");
      continue;
    }
    cs_text_add(text, "{\"run\": %zu, \"cost\": %.17g, \"error\": %.17g, \"last\": %s, \"settings\": ", choice->run,
                runs->cost[choice->run], runs->error[choice->run], choice->last ? "true" : "false");
    add_settings(r->c, CS_ROLE_KNOB, CS_ROLE_KNOB, choice->run, text);
    cs_text_add(text, "}");
  }
}

static void add_ranking(const struct cs_ranking *r, enum cs_rank_by by, struct cs_text *text) {
  const struct cs_comparison *c = r->c;
  for (size_t i = 0; i < c->runs.combinations; i++) {
    const struct cs_rank_standing *s = &r->standing[by][i];
    cs_text_add(text, "%s\n  {\"settings\": ", i > 0 ? "," : "");
    add_settings(c, CS_ROLE_COMBINATION, CS_ROLE_COMBINATION,
                 cs_comparison_member(c, CS_ROLE_COMBINATION, s->combination), text);
    cs_text_add(text, ", \"reached\": %zu, \"best\": %zu, \"median\": ", s->reached, s->wins);
    add_number(text, s->median);
    cs_text_add(text, ", \"worst\": ");
    add_number(text, s->worst);
    cs_text_add(text, ",\n   \"cases\": [");
    add_choices(r, by, s->combination, text);
    cs_text_add(text, "]}");
  }
}

void cs_ranking_add_json(const struct cs_ranking *r, struct cs_text *text) {
  const struct cs_comparison *c = r->c;
  cs_text_add(text, "{\"file\": ");
  cs_add_json(text, r->path);
  cs_text_add(text, ", \"metric\": \"%s\", \"signal\": ", c->metric->name);
  if (c->signal != SIZE_MAX)
    cs_add_json(text, c->signals->labels[c->signal]);
  else
    cs_text_add(text, "null");
  cs_text_add(text,
              ", \"cost\": \"%s\",\n \"runs\": %zu, \"failed\": %zu, \"not_finite\": %zu, \"at\": ", c->cost->name,
              c->selected, c->failed, c->not_finite);
  add_settings(c, CS_ROLE_FIXED, CS_ROLE_FIXED, cs_comparison_member(c, CS_ROLE_FIXED, 0), text);
  cs_text_add(text, ",\n \"cases\": [");
  for (size_t i = 0; i < c->runs.cases; i++)
    add_front(r, i, text);
  cs_text_add(text, "],\n \"error\": %.17g, \"equal_error\": [", r->limit[CS_RANK_AT_ERROR]);
  add_ranking(r, CS_RANK_AT_ERROR, text);
  cs_text_add(text, "],\n \"budget\": %.17g, \"equal_cost\": [", r->limit[CS_RANK_AT_COST]);
  add_ranking(r, CS_RANK_AT_COST, text);
  cs_text_add(text, "]}\n");
}
