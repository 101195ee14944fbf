/* cosweep info --rank as text within 80 columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "ranking.h"
#include "words.h"

/* "dk 2, ck 0.5": the settings of a run along the axes of a role. */
static void add_place(const struct cs_comparison *c, enum cs_role role, size_t run, struct cs_text *text) {
  struct cs_runs_column column[CS_RUNS_COLUMNS];
  const size_t columns = cs_ranking_columns(c, role, column, CS_RUNS_COLUMNS);
  for (size_t i = 0; i < columns; i++) {
    cs_text_add(text, "%s%s ", i > 0 ? ", " : "", column[i].name);
    cs_runs_add_value(&c->over, &column[i], run, text);
  }
}

/* ---- grids */

enum { MOST_ROWS = 24, MOST_FRONTS = 4 };

/* A grid with columns of numbers followed by columns of settings. */
struct view {
  const struct cs_comparison *c;
  struct cs_grid grid;
  struct cs_runs_column column[CS_RUNS_COLUMNS];
  size_t columns;
};

/* `heads`: of the numbers, separated by blanks. `knobs`: also the axes along which each combination takes its best run.
 */
static void begin_view(struct view *view, const struct cs_comparison *c, const char *heads, bool knobs) {
  *view = (struct view){.c = c};
  view->columns = cs_ranking_columns(c, CS_ROLE_COMBINATION, view->column, CS_RUNS_COLUMNS);
  if (knobs)
    view->columns += cs_ranking_columns(c, CS_ROLE_KNOB, view->column + view->columns, CS_RUNS_COLUMNS - view->columns);
  for (size_t length; *heads != '\0'; heads += length + strspn(heads + length, " ")) {
    length = strcspn(heads, " ");
    cs_grid_head(&view->grid, CS_GRID_RIGHT, "%.*s", (int)length, heads);
  }
  view->grid.firm = view->grid.columns;
  for (size_t i = 0; i < view->columns; i++)
    cs_grid_head(&view->grid, view->column[i].labels != NULL ? CS_GRID_LEFT : CS_GRID_RIGHT, "%s",
                 view->column[i].name);
}

/* Prints and frees the grid. */
static void end_view(struct view *view, struct cs_text *text) {
  cs_grid_print(&view->grid, text);
  cs_grid_free(&view->grid);
}

static void add_setting(struct cs_grid *grid, const struct cs_comparison *c, const struct cs_runs_column *column,
                        size_t run) {
  struct cs_text value = {0};
  cs_runs_add_value(&c->over, column, run, &value);
  cs_grid_take(grid, &value);
}

/* The settings of a run; without `knobs`, "-" for the axes along which a combination has no run. */
static void add_settings(struct view *view, size_t run, bool knobs) {
  for (size_t i = 0; i < view->columns; i++) {
    const struct cs_runs_column *column = &view->column[i];
    if (!knobs && view->c->role[column->axis] == CS_ROLE_KNOB)
      cs_grid_add(&view->grid, "-");
    else
      add_setting(&view->grid, view->c, column, run);
  }
}

static void add_cost(struct view *view, double cost, const char *mark) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s", mark);
  cs_words_add_count(&text, cost);
  cs_grid_take(&view->grid, &text);
}

/* A ratio of at least 1. */
static void add_ratio(struct view *view, double ratio) {
  if (ratio >= 1e3 && ratio < 1e7)
    add_cost(view, round(ratio), "");
  else
    cs_grid_add(&view->grid, isnan(ratio) ? "-" : "%.3g", ratio);
}

/* ---- head */

static void add_head(const struct cs_ranking *r, struct cs_text *text) {
  const struct cs_comparison *c = r->c;
  struct cs_text line = {0};
  cs_text_add(text, "%s\n", r->path);
  const bool differ = strncmp(c->metric->unit, "see ", 4) == 0;
  if (c->signal != SIZE_MAX)
    cs_text_add(&line, "%s of %s", c->metric->name, c->signals->labels[c->signal]);
  else
    cs_text_add(&line, "%s (largest of %zu %s%s%s)", c->metric->name, c->signals->length, c->signals->name,
                c->signals->length == 1 ? "" : "s", differ ? ", units differ" : "");
  if (!differ && strcmp(c->metric->unit, "1") != 0) cs_text_add(&line, " in %s", c->metric->unit);
  cs_text_add(&line, " against %s", c->cost->name);
  cs_words_add_paragraph(text, 2, cs_text_string(&line));
  text->failed |= line.failed;
  cs_text_free(&line);
}

/* One or more lines after a label; frees `words`. Nothing if these are empty. */
static void add_line(const char *label, struct cs_text *words, struct cs_text *text) {
  const size_t start = text->length;
  text->failed |= words->failed;
  if (words->data != NULL) cs_words_add_paragraph(text, 10, words->data);
  if (text->length > start && !text->failed) memcpy(text->data + start, label, strlen(label));
  cs_text_free(words);
}

static void add_names(const struct cs_comparison *c, enum cs_role role, struct cs_text *words) {
  for (size_t axis = 0, count = 0; axis < c->status->dimensions; axis++)
    if (c->role[axis] == role) cs_text_add(words, "%s%s", count++ > 0 ? ", " : "", cs_runs_axis(&c->over, axis)->name);
}

static void add_summary(const struct cs_ranking *r, struct cs_text *text) {
  const struct cs_comparison *c = r->c;
  struct cs_text runs = {0}, at = {0}, cases = {0}, ranked = {0}, best = {0};
  cs_words_add_count(&runs, (double)(c->selected - c->failed - c->not_finite));
  cs_text_add(&runs, " compared");
  if (c->failed > 0) cs_text_add(&runs, ", %zu without success", c->failed);
  if (c->not_finite > 0) cs_text_add(&runs, ", %zu not finite", c->not_finite);
  if (c->unstable > 0) cs_text_add(&runs, ", %zu unstable", c->unstable);
  if (c->above > 0) cs_text_add(&runs, ", %zu with an error above the signal", c->above);
  if (c->unstable + c->above > 0) cs_text_add(&runs, ", left out of fronts and effects");
  if (!c->judged)
    cs_text_add(&runs,
                "; unstable ones may be among them: without metrics spectral_radius and output_exact the file does "
                "not tell");
  add_place(c, CS_ROLE_FIXED, cs_comparison_member(c, CS_ROLE_FIXED, 0), &at);
  if (c->runs.cases > 1) {
    cs_text_add(&cases, "%zu; runs compete at equal ", c->runs.cases);
    add_names(c, CS_ROLE_CASE, &cases);
  }
  add_names(c, CS_ROLE_COMBINATION, &ranked);
  if (c->problems) cs_text_add(&ranked, ", whose points are different problems");
  if (cs_comparison_axes(c, CS_ROLE_KNOB) > 0) {
    cs_text_add(&best, "over ");
    add_names(c, CS_ROLE_KNOB, &best);
  }
  cs_text_add(text, "\n");
  add_line("runs", &runs, text);
  add_line("at", &at, text);
  add_line("cases", &cases, text);
  add_line("ranked", &ranked, text);
  add_line("best", &best, text);
}

/* ---- fronts */

/* Item of the row number `row` shown: evenly spaced, with both ends. */
static size_t spread(size_t row, size_t shown, size_t count) {
  return shown > 1 ? row * (count - 1) / (shown - 1) : 0;
}

static void add_front(const struct cs_ranking *r, size_t of_case, struct cs_text *text) {
  const struct cs_comparison *c = r->c;
  const struct cs_rank_point *front = r->front + r->start[of_case];
  const size_t count = r->start[of_case + 1] - r->start[of_case], shown = count < MOST_ROWS ? count : MOST_ROWS;
  struct view view;
  cs_text_add(text, "\nPareto front");
  if (c->runs.cases > 1) {
    cs_text_add(text, " at ");
    add_place(c, CS_ROLE_CASE, cs_comparison_member(c, CS_ROLE_CASE, of_case), text);
  }
  cs_text_add(text, ": no run is cheaper and as accurate\n");
  if (shown < count) cs_text_add(text, "%zu of %zu points; --json has all\n", shown, count);
  begin_view(&view, c, "cost error alike", true);
  for (size_t i = 0; i < shown; i++) {
    const struct cs_rank_point *point = &front[spread(i, shown, count)];
    add_cost(&view, point->cost, "");
    cs_grid_add(&view.grid, "%.3g", point->error);
    cs_grid_add(&view.grid, point->ties > 0 ? "+%zu" : "", point->ties);
    add_settings(&view, point->run, true);
  }
  end_view(&view, text);
}

static void add_fronts(const struct cs_ranking *r, struct cs_text *text) {
  if (r->c->runs.cases > MOST_FRONTS)
    cs_text_add(text, "\nPareto fronts: one per case; --at AXIS=VALUE shows one, --json has all\n");
  for (size_t i = 0; i < r->c->runs.cases && r->c->runs.cases <= MOST_FRONTS; i++)
    add_front(r, i, text);
}

/* ---- rankings */

static void add_title(const struct cs_ranking *r, enum cs_rank_by by, struct cs_text *text) {
  const bool given = r->given[by];
  cs_text_add(text,
              by == CS_RANK_AT_ERROR ? "\nequal error: least cost of an error <= %.6g"
                                     : "\nequal cost: least error of a cost <= %.15g",
              r->limit[by]);
  cs_text_add(text, "%s\n",
              given                    ? ""
              : by == CS_RANK_AT_ERROR ? " (the median; --error sets it)"
                                       : " (the median; --budget sets it)");
}

/* A single case: the choice of each combination. Returns the number of marked ones. */
static size_t add_choices(const struct cs_ranking *r, enum cs_rank_by by, size_t shown, struct cs_text *text) {
  const struct cs_comparison *c = r->c;
  const bool at_error = by == CS_RANK_AT_ERROR, knobs = cs_comparison_axes(c, CS_ROLE_KNOB) > 0;
  struct view view;
  size_t marked = 0;
  begin_view(&view, c, at_error ? "# cost times error" : "# error times cost", true);
  for (size_t i = 0; i < shown; i++) {
    const struct cs_rank_standing *s = &r->standing[by][i];
    const struct cs_rank_choice *choice = &r->choice[by][s->combination];
    const bool none = choice->run == CS_RANK_NONE;
    const bool last = knobs && choice->last;
    const char *mark = last ? "*" : "";
    marked += last;
    cs_grid_add(&view.grid, "%zu", i + 1);
    if (none) {
      for (int j = 0; j < 3; j++)
        cs_grid_add(&view.grid, "-");
    } else if (at_error) {
      add_cost(&view, c->runs.cost[choice->run], mark);
      add_ratio(&view, s->median);
      cs_grid_add(&view.grid, "%.3g", c->runs.error[choice->run]);
    } else {
      cs_grid_add(&view.grid, "%s%.3g", mark, c->runs.error[choice->run]);
      add_ratio(&view, s->median);
      add_cost(&view, c->runs.cost[choice->run], "");
    }
    add_settings(&view, none ? cs_comparison_member(c, CS_ROLE_COMBINATION, s->combination) : choice->run, !none);
  }
  end_view(&view, text);
  return marked;
}

/* Several cases: the standing of each combination over them. */
static void add_standings(const struct cs_ranking *r, enum cs_rank_by by, size_t shown, struct cs_text *text) {
  const struct cs_comparison *c = r->c;
  struct view view;
  begin_view(&view, c, "# reached best median worst", false);
  for (size_t i = 0; i < shown; i++) {
    const struct cs_rank_standing *s = &r->standing[by][i];
    cs_grid_add(&view.grid, "%zu", i + 1);
    cs_grid_add(&view.grid, "%zu", s->reached);
    cs_grid_add(&view.grid, "%zu", s->wins);
    add_ratio(&view, s->median);
    add_ratio(&view, s->worst);
    add_settings(&view, cs_comparison_member(c, CS_ROLE_COMBINATION, s->combination), true);
  }
  end_view(&view, text);
}

static void add_ranking(const struct cs_ranking *r, enum cs_rank_by by, struct cs_text *text) {
  const size_t count = r->c->runs.combinations, shown = count < MOST_ROWS ? count : MOST_ROWS;
  const char *what = by == CS_RANK_AT_ERROR ? "cost" : "error";
  add_title(r, by, text);
  if (r->c->runs.cases == 1) {
    const size_t marked = add_choices(r, by, shown, text);
    if (marked > 0)
      cs_text_add(text, "  * the %s run of this combination in the file\n",
                  by == CS_RANK_AT_ERROR ? "cheapest" : "most accurate");
  } else {
    add_standings(r, by, shown, text);
    cs_text_add(text, "  reached: cases within the limit; best: cases it wins;\n");
    cs_text_add(text, "  median, worst: its %s over the best of the case, in the cases reached\n", what);
  }
  if (shown < count) cs_text_add(text, "  %zu more combinations; --json has all\n", count - shown);
}

void cs_ranking_add_text(const struct cs_ranking *r, struct cs_text *text) {
  add_head(r, text);
  add_summary(r, text);
  add_fronts(r, text);
  if (r->c->runs.combinations > 1) {
    add_ranking(r, CS_RANK_AT_ERROR, text);
    add_ranking(r, CS_RANK_AT_COST, text);
  } else {
    cs_text_add(text, "\nNothing to rank: all axes are numeric; --by AXIS,AXIS compares their values.\n");
  }
  if (r->effects.count > 0) {
    struct cs_text effects = {0};
    cs_effects_add(r->c, &r->effects, &effects);
    cs_text_add(text, "\nmain effects: shares of the variance of log error at equal cost, of %zu runs\n",
                r->effects.runs);
    cs_words_add_paragraph(text, 2, cs_text_string(&effects));
    text->failed |= effects.failed;
    cs_text_free(&effects);
  }
}
