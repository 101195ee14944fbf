#include "ahead.h"

/* The part that is planned next. */
static struct cs_sweep *next(struct cs_ahead *a) {
  return &a->part[!a->turn];
}

static void *make(void *context) {
  struct cs_ahead *a = context;
  a->code = cs_sizing_plan(next(a), a->sweep->study, a->device, a->devices, a->options, &a->plan, &a->error);
  return NULL;
}

void cs_ahead_begin(struct cs_ahead *a, size_t first, size_t runs) {
  if (first >= a->sweep->runs) return;
  if (runs > a->sweep->runs - first) runs = a->sweep->runs - first;
  *next(a) = cs_sweep_part(a->sweep, first, runs);
  a->plan = NULL;
  a->begun = a->threaded = pthread_create(&a->thread, NULL, make, a) == 0; /* else it is made when it is taken */
}

/* Waits for the plan that was begun. */
static void join(struct cs_ahead *a) {
  if (a->threaded) pthread_join(a->thread, NULL);
  a->threaded = false;
}

int cs_ahead_take(struct cs_ahead *a, size_t first, size_t runs, struct cs_plan **plan, struct cs_error *error) {
  const struct cs_sweep part = cs_sweep_part(a->sweep, first, runs);
  join(a);
  if (!a->begun || next(a)->first != part.first || next(a)->runs != runs) {
    cs_ahead_end(a);
    *next(a) = part;
    make(a);
  }
  *plan = a->plan;
  if (a->code != CS_OK) *error = a->error;
  a->turn = !a->turn;
  a->begun = false;
  a->plan = NULL;
  return a->code;
}

void cs_ahead_end(struct cs_ahead *a) {
  join(a);
  if (a->begun) cs_plan_free(a->plan);
  a->begun = false;
  a->plan = NULL;
}
