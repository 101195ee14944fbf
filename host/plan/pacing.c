#include "pacing.h"

#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "list.h"

const double *cs_pacing_numbers(const struct cs_pacing *pacing, uint32_t set) {
  return pacing->number + set * pacing->items;
}

size_t cs_pacing_start(const struct cs_pacing *pacing, uint32_t set) {
  return (size_t)cs_pacing_numbers(pacing, set)[pacing->compensation - 1];
}

int cs_pacing_find(struct cs_pacing *pacing, const struct cs_sweep *sweep, const struct cs_settings *settings,
                   uint32_t *set, struct cs_error *error) {
  const size_t subsystems = sweep->model->subsystems, events = CS_PACING_TOLERANCES + subsystems;
  const bool eventful = cs_sweep_is_eventful(sweep);
  pacing->compensation = events + (eventful ? CS_EVENT_NUMBERS + 1 : 0);
  pacing->repetition = pacing->compensation + subsystems;
  pacing->items = pacing->repetition + CS_REPETITION_NUMBERS;
  const size_t bytes = pacing->items * sizeof(double);
  if (!cs_list_grow(&pacing->number, pacing->count, bytes)) return cs_error_memory(error);
  double *to = pacing->number + pacing->count * pacing->items;
  memcpy(to, settings->control, CS_CONTROL_NUMBERS * sizeof *to);
  to[CS_PACING_T_END] = settings->t_end;
  memcpy(to + CS_PACING_TOLERANCES, settings->tolerance, subsystems * sizeof *to);
  if (eventful) {
    memcpy(to + events, settings->event, CS_EVENT_NUMBERS * sizeof *to);
    to[events + CS_EVENT_NUMBERS] = (double)cs_course_start(sweep, settings);
  }
  memcpy(to + pacing->compensation, settings->compensation, subsystems * sizeof *to);
  memcpy(to + pacing->repetition, settings->repetition, CS_REPETITION_NUMBERS * sizeof *to);
  const uint64_t hash = cs_index_hash(CS_INDEX_SEED, to, bytes);
  for (size_t probe = 0, item; (item = cs_index_next(&pacing->index, hash, &probe)) != CS_INDEX_NONE;)
    if (memcmp(cs_pacing_numbers(pacing, (uint32_t)item), to, bytes) == 0) {
      *set = (uint32_t)item;
      return CS_OK;
    }
  *set = (uint32_t)pacing->count++;
  return cs_index_add(&pacing->index, hash, *set) ? CS_OK : cs_error_memory(error);
}

void cs_pacing_clear(struct cs_pacing *pacing) {
  free(pacing->number);
  cs_index_clear(&pacing->index);
}
