#include "plain_vary.h"

real plain_next_event(const struct plain_network *network, real T, real end) {
  real next = end;
  for (size_t i = 0; i < network->model->events; i++)
    if (network->event_time[i] > T && network->event_time[i] < next) next = network->event_time[i];
  return next;
}

/* Changes one state by what an event says of it in `matrix`. */
static void change(const struct plain_network *network, enum cs_matrix matrix, size_t event, real *x) {
  const struct cs_entries *entries = &network->model->matrix[matrix];
  for (size_t i = 0; i < entries->count; i++) {
    const size_t state = entries->entry[i].column;
    if (entries->entry[i].row == event && matrix == CS_EVENT_SET)
      x[state] = network->event_set.at[event][state];
    else if (entries->entry[i].row == event)
      x[state] += network->event_add.at[event][state];
  }
}

int plain_jump(struct plain_simulation *sim, real T) {
  int jumped = 0;
  for (size_t i = 0; i < sim->n.model->events; i++) {
    if (sim->n.event_time[i] != T) continue;
    for (int kind = 0; kind < 2; kind++) {
      const enum cs_matrix matrix = kind == 0 ? CS_EVENT_SET : CS_EVENT_ADD;
      change(&sim->n, matrix, i, sim->x);
      change(&sim->n, matrix, i, sim->r);
    }
    jumped = 1;
  }
  if (jumped) plain_sample_again(sim);
  return jumped;
}
