#include <stdlib.h>

#include "explain_private.h"

const struct cs_explain_row *cs_explain_row_for(const struct cs_explanation *e) {
  const struct cs_approach *wish = &e->wish->approach;
  for (size_t r = 0; r < e->rows; r++) {
    const struct cs_approach *a = &e->row[r].approach;
    if (a->iterations == 0 && !a->compensated && a->master == wish->master && a->hold == wish->hold) return &e->row[r];
  }
  return NULL;
}

int cs_explain_open(const struct cs_model *model, const struct cs_explain_wish *wish, struct cs_explanation *e,
                    struct cs_error *error) {
  int code = cs_explain_open_modes(model, wish, "explain", e, error);
  if (code == CS_OK) code = cs_explain_list_rows(e, error);
  if (code == CS_OK) code = cs_explain_fill_loops(e, error);
  if (code == CS_OK) code = cs_explain_fill_limits(e, error);
  if (code == CS_OK) code = cs_explain_fill_leading(e, error);
  if (code == CS_OK) code = cs_explain_fill_repetitions(e, error);
  if (code == CS_OK) code = cs_explain_fill_merges(e, error);
  if (code == CS_OK) code = cs_explain_fill_steps(e, error);
  if (code == CS_OK) code = cs_explain_fill_gains(e, error);
  return code;
}

static void free_limit(struct cs_explain_limit *limit) {
  free(limit->change);
}

void cs_explain_close(struct cs_explanation *e) {
  for (size_t i = 0; e->mode != NULL && i < e->network.states; i++)
    free(e->mode[i].share);
  for (size_t r = 0; r < e->rows; r++) {
    free(e->row[r].approach.sequence);
    for (int m = 0; m < CS_EXPLAIN_ORDERS; m++)
      free_limit(&e->row[r].order[m]);
  }
  for (size_t i = 0; i < e->leadings; i++) {
    free(e->leading[i].sensitivity);
    free(e->leading[i].share);
    free(e->leading[i].all);
  }
  for (size_t i = 0; i < e->merges; i++)
    free_limit(&e->merge[i].limit);
  free(e->loop);
  free(e->direct);
  free(e->zero);
  free(e->mode);
  free(e->row);
  free(e->leading);
  free(e->repetition);
  free(e->merge);
  free(e->gains.connection);
  free(e->gains.output);
  free(e->gains.integration);
  cs_snapshot_close(&e->network);
  *e = (struct cs_explanation){0};
}
