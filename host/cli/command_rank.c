/* cosweep info --rank: which settings reach a small error at least cost. */
#include <stdlib.h>

#include "command.h"
#include "ranking.h"
#include "word_list.h"

static double default_limit(const struct cs_comparison *c, enum cs_rank_by by, int *code, struct cs_error *error) {
  double median = 0.0;
  if (*code == CS_OK)
    *code = cs_rank_median(&c->runs, by == CS_RANK_AT_ERROR ? c->runs.error : c->runs.cost, &median, error);
  return by == CS_RANK_AT_ERROR ? cs_rank_round_up(median) : median;
}

static int rank(struct cs_ranking *r, enum cs_rank_by by, struct cs_error *error) {
  const struct cs_rank_runs *runs = &r->c->runs;
  int code = CS_OK;
  if (!r->given[by]) r->limit[by] = default_limit(r->c, by, &code, error);
  if (code != CS_OK) return code;
  r->choice[by] = malloc((runs->cases * runs->combinations + 1) * sizeof *r->choice[by]);
  r->standing[by] = malloc((runs->combinations + 1) * sizeof *r->standing[by]);
  if (r->choice[by] == NULL || r->standing[by] == NULL) return cs_error_memory(error);
  cs_rank_choose(runs, by, r->limit[by], r->choice[by]);
  return cs_rank_standings(runs, by, r->choice[by], r->standing[by], error);
}

static int show(const struct cs_arguments *arguments, const struct cs_table *table, const struct cs_word_list *ranked,
                struct cs_error *error) {
  const struct cs_comparison_wish wish = {.path = arguments->operand[0],
                                          .metric = arguments->text[CS_OPTION_RANK],
                                          .cost = arguments->text[CS_OPTION_COST],
                                          .signal = arguments->text[CS_OPTION_SIGNAL],
                                          .at = arguments->list[CS_OPTION_AT].text,
                                          .ats = arguments->list[CS_OPTION_AT].count,
                                          .by = ranked->word,
                                          .bys = ranked->count};
  struct cs_comparison comparison;
  struct cs_text text = {0};
  struct cs_ranking r = {.path = wish.path,
                         .given = {arguments->given[CS_OPTION_ERROR], arguments->given[CS_OPTION_BUDGET]},
                         .limit = {arguments->real[CS_OPTION_ERROR], arguments->real[CS_OPTION_BUDGET]},
                         .c = &comparison};
  int code = cs_comparison_open(table, &wish, &comparison, error);
  if (code == CS_OK) code = cs_table_check(table, error);
  if (code == CS_OK && comparison.failed + comparison.not_finite == comparison.selected)
    code = cs_error_set(error, CS_NO_RESULT, "%s: none of %zu runs succeeded", wish.path, comparison.selected);
  if (code == CS_OK) code = rank(&r, CS_RANK_AT_ERROR, error);
  if (code == CS_OK) code = rank(&r, CS_RANK_AT_COST, error);
  if (code == CS_OK) code = cs_rank_fronts(&comparison.fronts, &r.front, &r.start, error);
  if (code == CS_OK) code = cs_effects_find(&comparison, &r.effects, error);
  if (code != CS_OK) goto out;
  if (arguments->given[CS_OPTION_JSON])
    cs_ranking_add_json(&r, &text);
  else
    cs_ranking_add_text(&r, &text);
  code = cs_command_print(&text, error);
out:
  for (int by = 0; by < 2; by++) {
    free(r.choice[by]);
    free(r.standing[by]);
  }
  free(r.front);
  free(r.start);
  cs_comparison_free(&comparison);
  return code;
}

int cs_command_rank(const struct cs_arguments *arguments, const struct cs_table *table, struct cs_error *error) {
  struct cs_word_list by = {0};
  const char *said = arguments->text[CS_OPTION_BY];
  int code = said != NULL ? cs_word_list_read(said, &by, error) : CS_OK;
  if (code == CS_OK) code = show(arguments, table, &by, error);
  cs_word_list_free(&by);
  return code;
}
