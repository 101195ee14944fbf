#include "ahead.h"

/* The part that is planned next. */
static struct cs_sweep *next(struct cs_ahead *a) {
  return &a->part[!a->turn];
}

static void *make(void *context) {
  struct cs_ahead *a = context;
  a->code = cs_sizing_plan(next(a), a->device, a->devices, a->options, &a->plan, &a->error);
  return NULL;
}

void cs_ahead_begin(struct cs_ahead *a, size_t first, size_t runs) {
  if (first >= a->sweep->runs) return;
  *next(a) = cs_sweep_part(a->sweep, first, runs);
  a->begun = pthread_create(&a->thread, NULL, make, a) == 0; /* else it is made when it is taken */
}

int cs_ahead_take(struct cs_ahead *a, size_t first, size_t runs, struct cs_plan **plan, struct cs_error *error) {
  const struct cs_sweep part = cs_sweep_part(a->sweep, first, runs);
  if (a->begun && next(a)->first == part.first && next(a)->runs == part.runs) {
    pthread_join(a->thread, NULL);
    a->begun = false;
  } else {
    cs_ahead_end(a);
    *next(a) = part;
    make(a);
  }
  *plan = a->plan;
  if (a->code != CS_OK) *error = a->error;
  a->turn = !a->turn;
  return a->code;
}

void cs_ahead_end(struct cs_ahead *a) {
  if (!a->begun) return;
  pthread_join(a->thread, NULL);
  cs_plan_free(a->plan);
  a->begun = false;
}
