/* The order in which a master advances the subsystems: which new values each receives within a step, which subsystems
 * it waits for, and the resulting dependences. */
#include <stdlib.h>
#include <string.h>

#include "layout_private.h"

/* Gauss-Seidel: a subsystem receives the new values of those before it in the sequence. */
static void find_newer(struct cs_layout *l) {
  const size_t n = l->model->subsystems, *sequence = l->sweep->masters->sequence[l->method.sequence];
  for (size_t i = 0; l->method.master == CS_GAUSS_SEIDEL && i < n; i++)
    for (size_t j = 0; j < i; j++)
      l->master.newer[sequence[i] * n + sequence[j]] = 1;
}

static bool feeds(const struct cs_layout *l, size_t from, size_t to) {
  for (size_t i = 0; i < l->dims.inputs; i++)
    for (size_t o = 0; o < l->dims.outputs && l->model->input[i].subsystem == to; o++)
      if (l->model->output[o].subsystem == from && cs_layout_connected(l, i, o)) return true;
  return false;
}

/* Length of the longest chain of subsystems each of which waits for the previous one. */
static int count_stages(struct cs_layout *l, struct cs_error *error) {
  const size_t n = l->model->subsystems, *sequence = l->sweep->masters->sequence[l->method.sequence];
  bool failed = false;
  size_t *stage = cs_layout_take(n, sizeof *stage, &failed);
  if (failed) return cs_error_memory(error);
  l->master.stages = 1;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const size_t to = sequence[i], from = sequence[j];
      if (!l->master.newer[to * n + from] || !feeds(l, from, to)) continue;
      l->master.parts = 2;
      stage[to] = cs_max_size(stage[to], stage[from] + 1);
      l->master.stages = cs_max_size(l->master.stages, stage[to] + 1);
    }
  free(stage);
  return CS_OK;
}

/* Recorded samples depend on the subsystems that the step of their own subsystem depends on; with `solved` also on
 * those coupled by (I - D L)^-1, and on all of them if derivatives of the solved network are sent. */
void cs_layout_recorded(const struct cs_layout *l, unsigned char *of_output) {
  const size_t n = l->model->subsystems;
  const bool solved = l->method.feedthrough == CS_SOLVED;
  const bool everything = solved && l->method.hold == CS_TAYLOR && l->dims.powers > 1;
  memset(of_output, 0, l->dims.outputs * n);
  for (size_t o = 0; o < l->dims.outputs; o++)
    for (size_t p = 0; p < l->dims.outputs; p++) {
      if (p != o && !(solved && l->pattern[CS_OP_S].set[o * l->dims.outputs + p])) continue;
      for (size_t s = 0; s < n; s++)
        of_output[o * n + s] |= everything || l->master.reach[l->model->output[p].subsystem * n + s];
    }
}

/* One round of stages: every subsystem takes over the dependences of its inputs. New values have those of this round's
 * steps, others those of the samples `recorded` [outputs][subsystems]; NULL: of the subsystem's own memories. */
static void reach_round(struct cs_layout *l, const unsigned char *recorded) {
  const size_t n = l->model->subsystems;
  for (size_t stage = 0; stage < l->master.stages; stage++)
    for (size_t i = 0; i < l->dims.inputs; i++)
      for (size_t o = 0; o < l->dims.outputs; o++) {
        const size_t to = l->model->input[i].subsystem, from = l->model->output[o].subsystem;
        if (!cs_layout_connected(l, i, o)) continue;
        for (size_t s = 0; s < n; s++)
          if (l->master.newer[to * n + from] ? l->master.reach[from * n + s] : recorded != NULL && recorded[o * n + s])
            l->master.reach[to * n + s] = 1;
      }
}

static int find_reach(struct cs_layout *l, struct cs_error *error) {
  const size_t n = l->model->subsystems;
  bool failed = false;
  unsigned char *recorded = cs_layout_take(l->dims.outputs * n, 1, &failed);
  if (failed) return cs_error_memory(error);
  for (size_t s = 0; s < n; s++)
    l->master.reach[s * n + s] = 1;
  if (l->master.user != NULL) memset(l->master.reach, 1, n * n);
  reach_round(l, NULL);
  for (size_t i = 0; i < l->method.iterations && i < n; i++) {
    cs_layout_recorded(l, recorded);
    reach_round(l, recorded);
  }
  free(recorded);
  return CS_OK;
}

int cs_layout_master(struct cs_layout *l, struct cs_error *error) {
  const size_t n = l->model->subsystems;
  bool failed = false;
  l->master.newer = cs_layout_take(n * n, 1, &failed);
  l->master.reach = cs_layout_take(n * n, 1, &failed);
  if (failed) return cs_error_memory(error);
  l->master.parts = 1;
  if (l->method.master == CS_USER) {
    l->master.user = &l->sweep->masters->user.item[l->method.user];
    l->master.memory = l->master.user->memory * l->dims.inputs;
    l->dims.blocks += l->master.memory > 0;
  }
  find_newer(l);
  const int code = count_stages(l, error);
  return code == CS_OK ? find_reach(l, error) : code;
}

size_t cs_layout_evaluations(const struct cs_layout *l) {
  return l->model->subsystems * (l->master.user != NULL ? l->master.user->passes : 1 + (size_t)l->method.iterations);
}

size_t cs_layout_stages(const struct cs_layout *l) {
  return l->master.user != NULL ? l->master.user->passes : l->master.stages * (1 + (size_t)l->method.iterations);
}
