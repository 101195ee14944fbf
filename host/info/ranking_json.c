/* cosweep info --rank as JSON, and the columns of settings for both forms. */
#include <string.h>

#include "ranking.h"
#include "writer.h"

/* ---- settings as columns */

size_t cs_ranking_columns(const struct cs_comparison *c, enum cs_role role, struct cs_runs_column *column,
                          size_t room) {
  size_t count = 0;
  for (size_t axis = 0; axis < c->status->dimensions; axis++)
    if (c->role[axis] == role) count += cs_runs_columns(&c->over, axis, column + count, room - count);
  return count;
}

/* ---- JSON */

/* Members of the settings of a run along the axes of a role. */
static void add_members(struct cs_writer *w, const struct cs_comparison *c, enum cs_role role, size_t run) {
  struct cs_runs_column column[CS_RUNS_COLUMNS];
  const size_t columns = cs_ranking_columns(c, role, column, CS_RUNS_COLUMNS);
  for (size_t i = 0; i < columns; i++) {
    const size_t at = cs_runs_position(&c->over, run, column[i].axis);
    if (column[i].labels != NULL)
      cs_writer_string(w, column[i].name, column[i].labels[at]);
    else
      cs_writer_number(w, column[i].name, column[i].values[at]);
  }
}

/* An object with the settings of a run along the axes of two roles, which may be the same. */
static void add_settings(struct cs_writer *w, const char *key, const struct cs_comparison *c, enum cs_role one,
                         enum cs_role other, size_t run) {
  cs_writer_object(w, key);
  add_members(w, c, one, run);
  if (other != one) add_members(w, c, other, run);
  cs_writer_end(w);
}

static void add_front(struct cs_writer *w, const struct cs_ranking *r, size_t of_case) {
  const struct cs_comparison *c = r->c;
  cs_writer_object(w, NULL);
  add_settings(w, "at", c, CS_ROLE_CASE, CS_ROLE_CASE, cs_comparison_member(c, CS_ROLE_CASE, of_case));
  cs_writer_list(w, "front");
  cs_writer_lines(w);
  for (size_t i = r->start[of_case]; i < r->start[of_case + 1]; i++) {
    const struct cs_rank_point *p = &r->front[i];
    cs_writer_object(w, NULL);
    cs_writer_count(w, "run", p->run);
    cs_writer_number(w, "cost", p->cost);
    cs_writer_number(w, "error", p->error);
    cs_writer_count(w, "alike", p->ties);
    add_settings(w, "settings", c, CS_ROLE_COMBINATION, CS_ROLE_KNOB, p->run);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  cs_writer_end(w);
}

/* The choice of a combination in each case; null if it has none. */
static void add_choices(struct cs_writer *w, const struct cs_ranking *r, enum cs_rank_by by, size_t combination) {
  const struct cs_rank_runs *runs = &r->c->runs;
  cs_writer_line(w);
  cs_writer_list(w, "cases");
  for (size_t i = 0; i < runs->cases; i++) {
    const struct cs_rank_choice *choice = &r->choice[by][i * runs->combinations + combination];
    if (choice->run == CS_RANK_NONE) {
      cs_writer_null(w, NULL);
      continue;
    }
    cs_writer_object(w, NULL);
    cs_writer_count(w, "run", choice->run);
    cs_writer_number(w, "cost", runs->cost[choice->run]);
    cs_writer_number(w, "error", runs->error[choice->run]);
    cs_writer_bool(w, "last", choice->last);
    add_settings(w, "settings", r->c, CS_ROLE_KNOB, CS_ROLE_KNOB, choice->run);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

static void add_ranking(struct cs_writer *w, const char *key, const struct cs_ranking *r, enum cs_rank_by by) {
  const struct cs_comparison *c = r->c;
  cs_writer_list(w, key);
  cs_writer_lines(w);
  for (size_t i = 0; i < c->runs.combinations; i++) {
    const struct cs_rank_standing *s = &r->standing[by][i];
    cs_writer_object(w, NULL);
    add_settings(w, "settings", c, CS_ROLE_COMBINATION, CS_ROLE_COMBINATION,
                 cs_comparison_member(c, CS_ROLE_COMBINATION, s->combination));
    cs_writer_count(w, "reached", s->reached);
    cs_writer_count(w, "best", s->wins);
    cs_writer_number(w, "median", s->median);
    cs_writer_number(w, "worst", s->worst);
    add_choices(w, r, by, s->combination);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

void cs_ranking_add_json(const struct cs_ranking *r, struct cs_text *text) {
  const struct cs_comparison *c = r->c;
  struct cs_writer writer = {.text = text}, *w = &writer;
  cs_writer_object(w, NULL);
  cs_writer_string(w, "file", r->path);
  cs_writer_string(w, "metric", c->metric->name);
  if (c->signal != SIZE_MAX)
    cs_writer_string(w, "signal", c->signals->labels[c->signal]);
  else
    cs_writer_null(w, "signal");
  cs_writer_string(w, "cost", c->cost->name);
  cs_writer_line(w);
  cs_writer_count(w, "runs", c->selected);
  cs_writer_count(w, "failed", c->failed);
  cs_writer_count(w, "not_finite", c->not_finite);
  cs_writer_count(w, "unstable", c->unstable);
  cs_writer_count(w, "above_signal", c->above);
  add_settings(w, "at", c, CS_ROLE_FIXED, CS_ROLE_FIXED, cs_comparison_member(c, CS_ROLE_FIXED, 0));
  cs_writer_line(w);
  cs_writer_list(w, "cases");
  cs_writer_lines(w);
  for (size_t i = 0; i < c->runs.cases; i++)
    add_front(w, r, i);
  cs_writer_end(w);
  cs_writer_line(w);
  cs_writer_number(w, "error", r->limit[CS_RANK_AT_ERROR]);
  add_ranking(w, "equal_error", r, CS_RANK_AT_ERROR);
  cs_writer_line(w);
  cs_writer_number(w, "budget", r->limit[CS_RANK_AT_COST]);
  add_ranking(w, "equal_cost", r, CS_RANK_AT_COST);
  cs_writer_line(w);
  cs_writer_object(w, "main_effects");
  for (size_t i = 0; i < r->effects.count; i++)
    cs_writer_number(w, cs_runs_axis(&c->over, r->effects.effect[i].axis)->name, r->effects.effect[i].share);
  cs_writer_end(w);
  cs_writer_end(w);
  cs_text_add(text, "\n");
}
