/* The results of a comparison, as cosweep info --rank prints them. */
#ifndef COSWEEP_RANKING_H
#define COSWEEP_RANKING_H

#include "effects.h"
#include "text.h"

struct cs_ranking {
  const char *path; /* of the file */
  bool given[2];    /* by enum cs_rank_by: the user has set the limit */
  const struct cs_comparison *c;
  double limit[2];                      /* by enum cs_rank_by */
  struct cs_rank_choice *choice[2];     /* [cases][combinations] */
  struct cs_rank_standing *standing[2]; /* [combinations] */
  struct cs_rank_point *front;          /* as from cs_rank_fronts */
  size_t *start;
  struct cs_effects effects;
};

/* Stores the settings that the axes of a role change; returns their number, at most `room`. */
size_t cs_ranking_columns(const struct cs_comparison *c, enum cs_role role, struct cs_runs_column *column, size_t room);

/* Within 80 columns. */
void cs_ranking_add_text(const struct cs_ranking *r, struct cs_text *text);
/* One JSON object, see docs/formats.md section 5. */
void cs_ranking_add_json(const struct cs_ranking *r, struct cs_text *text);

#endif
