#include "plain_course.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#define NEAR 1e-9L

enum { SAMPLES = 24, ROUNDS = 66 };

/* Views of an event: those of one subsystem, any, or the first alone. */
#define ANY_VIEW SIZE_MAX
#define FIRST_VIEW (SIZE_MAX - 1)

struct signals {
  real x[PLAIN_MAX], u[PLAIN_MAX], y[PLAIN_MAX];
};

typedef void signals_fn(void *context, real s, struct signals *at);

/* ---- conditions */

static int allowed(const struct cs_model *model, const struct cs_event *event, const size_t *mode) {
  for (size_t i = 0; i < model->subsystems; i++)
    if (model->subsystem[i].modes > 0 && !event->in[mode[i]]) return 0;
  return 1;
}

/* At least 0 where the condition holds; `slack` times the size of its terms is given to it. */
static real condition_value(const struct plain_course *c, size_t k, int above, real slack, const struct signals *at) {
  real value = -c->bound[k], size = fabs(c->bound[k]);
  for (size_t i = 0; i < PLAIN_MAX; i++) {
    const real term[3] = {c->when_x.at[k][i] * at->x[i], c->when_u.at[k][i] * at->u[i], c->when_y.at[k][i] * at->y[i]};
    for (int j = 0; j < 3; j++) {
      value += term[j];
      size += fabs(term[j]);
    }
  }
  return (above ? value : -value) + slack * size;
}

/* At least 0 where one of the views holds. */
static real event_value(const struct plain_course *c, const struct cs_event *event, size_t who, real slack,
                        const struct signals *at) {
  const struct cs_model *model = c->exact.model;
  real most = -INFINITY;
  for (size_t k = event->first_condition, end = k + event->conditions; k < end;) {
    const size_t subsystem = model->condition[k].subsystem;
    real least = INFINITY;
    for (; k < end && model->condition[k].subsystem == subsystem; k++)
      least = fmin(least, condition_value(c, k, model->condition[k].above, slack, at));
    if (who == ANY_VIEW || who == FIRST_VIEW || who == subsystem) most = fmax(most, least);
    if (who == FIRST_VIEW) break;
  }
  return most;
}

/* ---- search */

struct search {
  const struct plain_course *course;
  signals_fn *signals;
  void *context;
  struct signals sample[SAMPLES + 1];
};

static void search_open(struct search *search) {
  for (size_t j = 0; j <= SAMPLES; j++)
    search->signals(search->context, (real)j / SAMPLES, &search->sample[j]);
}

static real value_at(const struct search *search, const struct cs_event *event, size_t who, real s) {
  struct signals at;
  memset(&at, 0, sizeof at);
  search->signals(search->context, s, &at);
  return event_value(search->course, event, who, 0, &at);
}

static real bisect(const struct search *search, const struct cs_event *event, size_t who, real low, real high) {
  for (int i = 0; i < ROUNDS; i++) {
    const real middle = (low + high) / 2;
    if (value_at(search, event, who, middle) >= 0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* Where the value is largest between low and high. */
static real summit(const struct search *search, const struct cs_event *event, size_t who, real low, real high) {
  for (int i = 0; i < ROUNDS; i++) {
    const real a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (value_at(search, event, who, a) < value_at(search, event, who, b))
      low = a;
    else
      high = b;
  }
  return (low + high) / 2;
}

/* The first s in [0, 1] at which a view of the event holds; 2: nowhere. */
static real first_time(const struct search *search, const struct cs_event *event, size_t who) {
  real v[SAMPLES + 1];
  for (size_t j = 0; j <= SAMPLES; j++)
    v[j] = event_value(search->course, event, who, 0, &search->sample[j]);
  if (v[0] == -INFINITY) return 2; /* it has no view of this subsystem */
  if (v[0] >= 0) return 0;
  for (size_t j = 1; j <= SAMPLES; j++) {
    const real before = (real)(j - 1) / SAMPLES;
    if (v[j] >= 0) return bisect(search, event, who, before, (real)j / SAMPLES);
    if (j == SAMPLES || v[j] < v[j - 1] || v[j] < v[j + 1]) continue;
    if (v[j] + 2 * (2 * v[j] - v[j - 1] - v[j + 1]) < 0) continue;
    const real top = summit(search, event, who, before, (real)(j + 1) / SAMPLES);
    if (value_at(search, event, who, top) >= 0) return bisect(search, event, who, before, top);
  }
  return 2;
}

/* ---- what happens */

static void read_network(const struct plain_course *c, const size_t *mode, struct plain_network *network) {
  plain_network_read_modes(network->model, mode, c->parameters, network);
}

/* Counts an event at t; 0: it is one too many. */
static int count_event(struct plain_course *c, struct plain_happened *h, size_t event, real t) {
  const double *number = c->settings->event;
  h->row = t - h->last <= NEAR * c->settings->t_end ? h->row + 1 : 1;
  h->cascades |= h->row == 1 && t - h->last <= 1e-6L * c->settings->t_end;
  h->cascades |= h->row > 1 && t > h->last;
  h->last = t;
  h->over |= (double)h->row > number[CS_EVENT_AT_ONCE] || (double)h->total >= number[CS_EVENT_MOST];
  if (h->over) return 0;
  if (h->total < PLAIN_LISTED) {
    h->time[h->total] = t;
    h->kind[h->total] = event;
  }
  h->total++;
  h->count[event]++;
  return 1;
}

/* x after the event, and the modes in h; `network` with the numbers of these. */
static void change(const struct plain_course *c, struct plain_network *network, size_t number, struct plain_happened *h,
                   const struct signals *at, real *x) {
  const struct cs_model *model = network->model;
  const struct cs_event *event = &model->event[number];
  for (size_t k = event->first_change; k < event->first_change + event->changes; k++) {
    const struct cs_change *what = &model->change[k];
    real value = (what->adds ? &network->event_add : &network->event_set)->at[number][what->state];
    for (size_t i = 0; i < PLAIN_MAX; i++)
      value += c->change_x.at[k][i] * at->x[i] + c->change_u.at[k][i] * at->u[i] + c->change_y.at[k][i] * at->y[i];
    x[what->state] = value + (what->adds ? at->x[what->state] : 0);
  }
  int moved = 0;
  for (size_t i = 0; i < model->subsystems; i++) {
    if (event->to[i] < 0) continue;
    h->mode[i] = (size_t)event->to[i];
    moved = 1;
  }
  if (moved) read_network(c, h->mode, network);
}

/* ---- matching */

static void unmatched(struct plain_course *c, size_t event, int own, real t) {
  if (t > (real)c->settings->t_end - (real)c->settings->event[CS_EVENT_WINDOW]) return;
  (own ? c->spurious : c->missed)[event]++;
  c->divergence = fmin(c->divergence, t);
}

static real take_oldest(struct plain_waiting *w) {
  const real oldest = w->time[0];
  w->count--;
  memmove(w->time, w->time + 1, w->count * sizeof *w->time);
  return oldest;
}

static void match(struct plain_course *c, size_t event, int own, real t) {
  struct plain_waiting *w = &c->waiting[event];
  while (w->count > 0 && w->own != own) {
    const real other = w->time[0], gap = fabs(t - other);
    if (gap <= (real)c->settings->event[CS_EVENT_WINDOW]) {
      take_oldest(w);
      if (c->pairs[event]++ == 0) c->first[event] = gap;
      c->squares[event] += gap * gap;
      c->most[event] = fmax(c->most[event], gap);
      return;
    }
    if (t < other) {
      unmatched(c, event, own, t);
      return;
    }
    unmatched(c, event, w->own, take_oldest(w));
  }
  w->own = own;
  w->time[w->count++] = t;
  if (w->count > PLAIN_QUEUE) unmatched(c, event, own, take_oldest(w));
}

/* Those that wait since before `until` are without partner. */
static void retire(struct plain_course *c, real until) {
  for (size_t i = 0; i < c->exact.model->events; i++) {
    struct plain_waiting *w = &c->waiting[i];
    while (w->count > 0 && w->time[0] < until)
      unmatched(c, i, w->own, take_oldest(w));
  }
}

static int together(const struct plain_course *c) {
  for (size_t i = 0; i < c->exact.model->events; i++)
    if (c->waiting[i].count > 0) return 0;
  return c->divergence == INFINITY;
}

/* ---- the exact solution */

static void exact_signals(const struct plain_network *n, const real *r, struct signals *at) {
  memset(at, 0, sizeof *at);
  memcpy(at->x, r, n->states * sizeof *r);
  plain_multiply_add(&n->Y, n->outputs, n->states + 1, r, at->y);
  plain_multiply_add(&n->U, n->inputs, n->states + 1, r, at->u);
}

struct leg {
  const struct plain_course *course;
  real length;
};

static void signals_on_leg(void *context, real s, struct signals *at) {
  const struct leg *leg = context;
  real r[PLAIN_MAX];
  memcpy(r, leg->course->r, sizeof r);
  plain_flow(&leg->course->exact.M, leg->course->exact.states + 1, s * leg->length, r);
  exact_signals(&leg->course->exact, r, at);
}

static void exact_happen(struct plain_course *c, size_t event, real t) {
  struct signals at;
  real x[PLAIN_MAX];
  const int state_event = !c->exact.model->event[event].timed;
  if (state_event && !count_event(c, &c->other, event, t)) return;
  exact_signals(&c->exact, c->r, &at);
  memcpy(x, c->r, sizeof x);
  change(c, &c->exact, event, &c->other, &at, x);
  memcpy(c->r, x, c->exact.states * sizeof *x);
  if (state_event) match(c, event, 0, t);
}

/* The first event of the file that holds; `events`: none. */
static size_t holding(const struct plain_course *c, const size_t *mode, size_t who, const struct signals *at) {
  const struct cs_model *model = c->exact.model;
  for (size_t i = 0; i < model->events; i++) {
    const struct cs_event *event = &model->event[i];
    if (!event->timed && allowed(model, event, mode) && event_value(c, event, who, 0x1p-44L, at) >= 0) return i;
  }
  return model->events;
}

static void exact_settle(struct plain_course *c, real t) {
  while (!c->other.over) {
    struct signals at;
    exact_signals(&c->exact, c->r, &at);
    const size_t event = holding(c, c->other.mode, FIRST_VIEW, &at);
    if (event == c->exact.model->events) return;
    exact_happen(c, event, t);
  }
}

/* ---- errors */

/* Of outputs, inputs and states at s of the step, where the exact solution's are `exact`. */
static void errors_at(struct plain_simulation *sim, real s, const struct signals *exact, real error[][PLAIN_MAX]) {
  real x[PLAIN_MAX] = {0}, slope[PLAIN_MAX], u[PLAIN_MAX] = {0};
  plain_states(sim, s, x, slope);
  plain_held(sim, s, u);
  for (size_t i = 0; i < sim->n.outputs; i++)
    error[0][i] = plain_polynomial(sim->recorded, i, s - 1) - exact->y[i];
  for (size_t i = 0; i < sim->n.inputs; i++)
    error[1][i] = u[i] - exact->u[i];
  for (size_t i = 0; i < sim->n.states; i++)
    error[2][i] = x[i] - exact->x[i];
}

/* Adds a leg of the exact solution of the given length from t, between two breaks of the step. */
static void add_errors(struct plain_simulation *sim, real t, const struct leg *leg, real low, real high) {
  struct plain_course *c = sim->course;
  const real first = fmax(low, (t - c->now) / sim->H), end = fmin(high, (t + leg->length - c->now) / sim->H);
  for (size_t q = 0; q < PLAIN_NODES && end > first; q++) {
    const real s = first + (end - first) * sim->node[q], w = (end - first) * sim->weight[q] * sim->H;
    real error[PLAIN_KINDS][PLAIN_MAX] = {{0}};
    struct signals exact;
    signals_on_leg((void *)leg, (c->now + s * sim->H - t) / leg->length, &exact);
    errors_at(sim, s, &exact, error);
    for (size_t kind = 0; kind < PLAIN_KINDS; kind++) {
      for (size_t i = 0; i < PLAIN_MAX; i++) {
        if (sim->method->error_at == CS_CONTINUOUS) c->error[kind][i] += w * error[kind][i] * error[kind][i];
        if (together(c)) c->between[kind][i] += w * error[kind][i] * error[kind][i];
      }
    }
  }
}

static void measure_leg(struct plain_simulation *sim, real t, const struct leg *leg) {
  size_t breaks;
  real *at_break = plain_breaks(sim, &breaks);
  for (size_t i = 0; i + 1 < breaks; i++)
    add_errors(sim, t, leg, at_break[i], at_break[i + 1]);
  if (together(sim->course)) sim->course->together += leg->length;
  free(at_break);
}

/* The first event of the exact solution within a leg, at *s; `events`: none. */
static size_t exact_first(const struct plain_course *c, const struct leg *leg, real *s) {
  const struct cs_model *model = c->exact.model;
  struct search *search = calloc(1, sizeof *search);
  size_t found = model->events;
  cr_assert(search != NULL);
  *search = (struct search){.course = c, .signals = signals_on_leg, .context = (void *)leg};
  search_open(search);
  *s = 2;
  for (size_t i = 0; i < model->events; i++) {
    if (model->event[i].timed || !allowed(model, &model->event[i], c->other.mode)) continue;
    const real when = first_time(search, &model->event[i], FIRST_VIEW);
    if (when < *s) {
      *s = when;
      found = i;
    }
  }
  free(search);
  return found;
}

void plain_course_measure(struct plain_simulation *sim) {
  struct plain_course *c = sim->course;
  const real end = c->now + sim->H;
  real t = c->now;
  struct signals at;
  while (t < end && !c->other.over) {
    real s;
    struct leg leg = {c, end - t};
    const size_t event = exact_first(c, &leg, &s);
    const int happens = s <= 1 && t + s * leg.length < (real)c->settings->t_end * (1 - 1e-13L);
    leg.length *= happens ? s : 1;
    if (leg.length > 0) measure_leg(sim, t, &leg);
    plain_flow(&c->exact.M, c->exact.states + 1, leg.length, c->r);
    t = happens ? t + leg.length : end;
    exact_signals(&c->exact, c->r, &at);
    errors_at(sim, 1, &at, c->final);
    if (happens) {
      exact_happen(c, event, t);
      exact_settle(c, t);
    }
  }
  for (size_t kind = 0; kind < PLAIN_KINDS; kind++) {
    for (size_t i = 0; i < PLAIN_MAX; i++) {
      const real error = fabs(c->final[kind][i]);
      c->largest[kind][i] = fmax(c->largest[kind][i], error);
      if (sim->method->error_at == CS_POINTS) c->error[kind][i] += sim->H * error * error;
    }
  }
  c->now = end;
}

/* ---- the co-simulation */

/* Whether an input of the subsystem receives the source's new values within the step. */
static int is_new(const struct plain_simulation *sim, size_t subsystem, size_t source) {
  if (sim->method->iterations > 0) return 1;
  for (size_t i = 0; sim->sequence != NULL && sim->sequence[i] != subsystem; i++)
    if (sim->sequence[i] == source) return 1;
  return 0;
}

static int looks(const struct plain_simulation *sim, size_t subsystem) {
  const struct cs_model *model = sim->n.model;
  if (sim->course->one_stage) return 0;
  for (size_t i = 0; i < model->inputs; i++) {
    for (size_t l = 0; l < model->outputs; l++) {
      const size_t source = model->output[l].subsystem;
      if (model->input[i].subsystem != subsystem || sim->n.L.at[i][l] == 0 || !is_new(sim, subsystem, source)) continue;
      const int held = sim->method->subsystem[subsystem].input_order == 0 ||
                       (sim->method->hold == CS_TAYLOR && sim->method->subsystem[source].output_order == 0);
      if (sim->method->detect == CS_DETECT_FIRST || held) return 0;
    }
  }
  return sim->method->detect != CS_DETECT_POINTS;
}

static void signals_of_step(void *context, real s, struct signals *at) {
  struct plain_simulation *sim = context;
  const struct plain_network *n = &sim->n;
  real slope[PLAIN_MAX];
  memset(at, 0, sizeof *at);
  plain_states(sim, s, at->x, slope);
  plain_held(sim, s, at->u);
  memcpy(at->y, n->f, sizeof at->y);
  plain_multiply_add(&n->C, n->outputs, n->states, at->x, at->y);
  plain_multiply_add(&n->D, n->outputs, n->inputs, at->u, at->y);
}

/* Subsystems that had gone beyond an event that one of them found. */
static size_t beyond(const struct plain_simulation *sim, size_t finder) {
  const size_t subsystems = sim->n.model->subsystems;
  size_t place = 0;
  if (sim->method->iterations > 0) return (1 + cs_method_repetitions(sim->method)) * subsystems - 1;
  if (sim->sequence == NULL) return subsystems - 1;
  while (sim->sequence[place] != finder)
    place++;
  return place;
}

int plain_course_look(struct plain_simulation *sim) {
  struct plain_course *c = sim->course;
  const struct cs_model *model = sim->n.model;
  real first = 2;
  size_t finder = 0, event = 0;
  if (!c->looks || c->found || c->event != SIZE_MAX) return c->found;
  struct search *search = calloc(1, sizeof *search);
  cr_assert(search != NULL);
  *search = (struct search){.course = c, .signals = signals_of_step, .context = sim};
  search_open(search);
  for (size_t i = 0; i < model->events; i++) {
    for (size_t who = 0; who < model->subsystems; who++) {
      if (model->event[i].timed || !allowed(model, &model->event[i], c->own.mode) || !looks(sim, who)) continue;
      const real s = first_time(search, &model->event[i], who);
      if (s >= first) continue;
      first = s;
      finder = who;
      event = i;
    }
  }
  free(search);
  c->offset = fmax(c->now + first * sim->H - c->start, NEAR * c->h);
  if (first > 1 || c->start + c->offset >= (real)c->settings->t_end * (1 - 1e-13L)) return 0;
  c->event = event;
  c->found = c->offset < c->h * (1 - 1e-15L);
  if (c->found) {
    c->rollbacks += beyond(sim, finder);
    c->rolled += beyond(sim, finder) > 0;
    c->given_up++;
  }
  return c->found;
}

real plain_course_size(const struct plain_course *c, real T, real H) {
  if (c->aim > 0) return c->aim;
  if (c->laps) return (real)c->settings->event[CS_EVENT_INTERRUPTION];
  return c->settings->method.grid == CS_GRID_KEEP ? (floor(T / H + NEAR) + 1) * H - T : H;
}

void plain_course_try(struct plain_course *c, real T, real h) {
  c->looks = !c->laps && c->aim == 0;
  c->found = 0;
  if (c->looks || c->laps) c->event = SIZE_MAX;
  c->start = c->now = T;
  c->h = h;
}

/* Outputs as recorded and the inputs received. */
static void received(struct plain_simulation *sim, struct signals *at) {
  memset(at, 0, sizeof *at);
  plain_sample_now(sim);
  memcpy(at->x, sim->x, sizeof at->x);
  memcpy(at->y, sim->now[0], sizeof at->y);
  memcpy(at->u, sim->n.b, sizeof at->u);
  plain_multiply_add(&sim->n.L, sim->n.inputs, sim->n.outputs, at->y, at->u);
}

static int own_happen(struct plain_simulation *sim, size_t event, real T, int extrapolated) {
  struct plain_course *c = sim->course;
  const int state_event = !sim->n.model->event[event].timed;
  struct signals at;
  if (state_event && !count_event(c, &c->own, event, T)) return 0;
  received(sim, &at);
  if (extrapolated) plain_held(sim, 1, at.u);
  change(c, &sim->n, event, &c->own, &at, sim->x);
  if (state_event) match(c, event, 1, T);
  return 1;
}

/* What has happened to the exact solution at T_0. Whether anything has. */
static int begin(struct plain_simulation *sim) {
  struct plain_course *c = sim->course;
  c->own = c->other;
  memcpy(c->pairs, c->own.count, sizeof c->pairs);
  memset(c->waiting, 0, sizeof c->waiting);
  sim->n = c->exact;
  memcpy(sim->x, c->r, sim->n.states * sizeof *sim->x);
  return c->own.total > 0;
}

/* All that happens at T > 0. Whether anything did. */
static int happen(struct plain_simulation *sim, real T, int due) {
  struct plain_course *c = sim->course;
  const struct cs_model *model = sim->n.model;
  int happened = 0;
  for (size_t i = 0; i < model->events; i++) {
    if (!model->event[i].timed || !due || sim->n.event_time[i] != T) continue;
    if (allowed(model, &model->event[i], c->other.mode)) exact_happen(c, i, T);
  }
  if (due) exact_settle(c, T);
  for (size_t i = 0; i < model->events; i++) {
    if (!model->event[i].timed || !due || sim->n.event_time[i] != T) continue;
    if (allowed(model, &model->event[i], c->own.mode)) happened |= own_happen(sim, i, T, 0);
  }
  if (c->event != SIZE_MAX) happened |= own_happen(sim, c->event, T, sim->method->reset == CS_RESET_EXTRAPOLATED);
  while (!c->own.over) {
    struct signals at;
    received(sim, &at);
    const size_t event = holding(c, c->own.mode, ANY_VIEW, &at);
    if (event == model->events) return happened;
    c->late[event] += !happened;
    happened |= own_happen(sim, event, T, 0);
  }
  return happened;
}

int plain_course_over(const struct plain_course *c) {
  return c->own.over || c->other.over;
}

int plain_course_happen(struct plain_simulation *sim, real T, int due) {
  struct plain_course *c = sim->course;
  const int happened = T > 0 ? happen(sim, T, due) : begin(sim);
  c->event = SIZE_MAX;
  c->aim = 0;
  c->happened = happened;
  c->laps = happened && T > 0 && c->settings->event[CS_EVENT_INTERRUPTION] > 0;
  if (happened) {
    plain_sample_again(sim);
    memcpy(sim->r, sim->x, sim->n.states * sizeof *sim->r);
  }
  retire(c, T - (real)c->settings->event[CS_EVENT_WINDOW]);
  return happened;
}

/* ---- the first subsystem, predicted */

/* The first time within [0, horizon] at which all conditions of an event hold on straight lines. */
static real line_time(const struct plain_course *c, const struct cs_event *event, const struct signals *at,
                      const struct signals *rate, real horizon) {
  real low = 0, high = horizon;
  for (size_t k = event->first_condition; k < event->first_condition + event->conditions; k++) {
    const int above = c->exact.model->condition[k].above;
    const real sum = condition_value(c, k, above, 0, rate), p = condition_value(c, k, above, 0, at);
    const real d = sum + (above ? c->bound[k] : -c->bound[k]); /* rates have no bound */
    if (d > 0)
      low = fmax(low, -p / d);
    else if (d < 0)
      high = fmin(high, -p / d);
    else if (p < 0)
      return INFINITY;
  }
  return low <= high ? low : INFINITY;
}

/* Whether all conditions of a view hold somewhere on straight lines through their values `before` and `now`, in between
 * which `interval` went by; at T_0 there is one value. */
static int holds_ahead(const struct plain_course *c, const struct cs_event *event, size_t who, const real *now,
                       real interval, real horizon) {
  const struct cs_model *model = c->exact.model;
  real low = 0, high = horizon;
  int any = 0;
  for (size_t k = event->first_condition; k < event->first_condition + event->conditions; k++) {
    const real sign = model->condition[k].above ? 1 : -1;
    const real p = sign * now[k], d = interval > 0 ? sign * (now[k] - c->before[k]) / interval : 0;
    if (model->condition[k].subsystem != who) continue;
    any = 1;
    if (d > 0) low = fmax(low, -p / d);
    if (d < 0) high = fmin(high, -p / d);
    if (d == 0 && p < 0) return 0;
  }
  return any && low <= high;
}

/* All subsystems at once, if on these lines no event happens within the horizon; not after an event. */
static void parallel_or_not(struct plain_simulation *sim, real T, real H) {
  struct plain_course *c = sim->course;
  const struct cs_model *model = sim->n.model;
  const real horizon = (real)c->settings->event[CS_EVENT_HORIZON] * H;
  real now[PLAIN_MAX];
  struct signals at;
  received(sim, &at);
  for (size_t k = 0; k < model->conditions; k++)
    now[k] = condition_value(c, k, 1, 0, &at);
  int expected = c->happened;
  for (size_t i = 0; i < model->events; i++) {
    const struct cs_event *event = &model->event[i];
    if (event->timed || !allowed(model, event, c->own.mode)) continue;
    for (size_t who = 0; who < model->subsystems; who++)
      expected |= holds_ahead(c, event, who, now, T - c->sampled, horizon);
  }
  memcpy(c->before, now, sizeof now);
  c->sampled = T;
  c->one_stage = !expected;
  sim->sequence = c->one_stage ? NULL : sim->order;
}

void plain_course_order(struct plain_simulation *sim, real T, real H) {
  struct plain_course *c = sim->course;
  const struct plain_network *n = &sim->n;
  const struct cs_model *model = n->model;
  real when[PLAIN_MAX];
  struct signals at, rate;
  if (sim->method->first == CS_FIRST_PARALLEL) parallel_or_not(sim, T, H);
  if (sim->method->first != CS_FIRST_PREDICTED) return;
  received(sim, &at);
  memset(&rate, 0, sizeof rate);
  memcpy(rate.x, n->e, sizeof rate.x);
  plain_multiply_add(&n->A, n->states, n->states, at.x, rate.x);
  plain_multiply_add(&n->B, n->states, n->inputs, at.u, rate.x);
  plain_multiply_add(&n->C, n->outputs, n->states, rate.x, rate.y);
  for (size_t i = 0; i < PLAIN_MAX; i++)
    when[i] = INFINITY;
  for (size_t i = 0; i < model->events; i++) {
    const struct cs_event *event = &model->event[i];
    if (event->timed || !allowed(model, event, c->own.mode)) continue;
    const struct cs_condition *first = &model->condition[event->first_condition];
    if (first->subsystem != first[event->conditions - 1].subsystem) continue;
    const real horizon = (real)c->settings->event[CS_EVENT_HORIZON] * H;
    when[first->subsystem] = fmin(when[first->subsystem], line_time(c, event, &at, &rate, horizon));
  }
  size_t best = sim->sequence[0];
  for (size_t i = 0; i < model->subsystems; i++)
    if (when[c->sequence[i]] < when[best]) best = c->sequence[i];
  c->changes += best != sim->sequence[0];
  size_t *order = (size_t *)sim->order;
  order[0] = best;
  for (size_t i = 0, place = 1; i < model->subsystems; i++)
    if (c->sequence[i] != best) order[place++] = c->sequence[i];
}

/* ---- the run */

static void read_matrix(const struct cs_model *model, enum cs_matrix kind, const double *parameters,
                        struct plain_matrix *matrix) {
  const size_t rows = model->matrix[kind].rows, columns = model->matrix[kind].columns;
  double values[PLAIN_MAX * PLAIN_MAX];
  struct cs_error error;
  cr_assert(rows <= PLAIN_MAX && columns <= PLAIN_MAX);
  cr_assert_eq(cs_model_numbers(model, kind, NULL, parameters, values, &error), CS_OK, "%s", error.message);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      matrix->at[i][j] = values[i * columns + j];
}

static void read_conditions(struct plain_course *c, const struct cs_model *model) {
  struct plain_matrix bound = {{{0}}};
  read_matrix(model, CS_WHEN_X, c->parameters, &c->when_x);
  read_matrix(model, CS_WHEN_U, c->parameters, &c->when_u);
  read_matrix(model, CS_WHEN_Y, c->parameters, &c->when_y);
  read_matrix(model, CS_WHEN_BOUND, c->parameters, &bound);
  read_matrix(model, CS_CHANGE_X, c->parameters, &c->change_x);
  read_matrix(model, CS_CHANGE_U, c->parameters, &c->change_u);
  read_matrix(model, CS_CHANGE_Y, c->parameters, &c->change_y);
  for (size_t k = 0; k < PLAIN_MAX; k++)
    c->bound[k] = bound.at[k][0];
}

struct plain_course *plain_course_new(struct plain_simulation *sim, const struct cs_settings *settings,
                                      const double *parameters) {
  struct plain_course *c = calloc(1, sizeof *c);
  struct signals at;
  cr_assert(c != NULL);
  c->settings = settings;
  c->parameters = parameters;
  c->event = SIZE_MAX;
  c->divergence = INFINITY;
  c->own.last = c->other.last = -INFINITY;
  memcpy(c->own.mode, settings->mode, sim->n.model->subsystems * sizeof *settings->mode);
  memcpy(c->other.mode, c->own.mode, sizeof c->own.mode);
  read_network(c, c->own.mode, &sim->n);
  c->exact = sim->n;
  read_conditions(c, sim->n.model);
  memcpy(c->r, sim->r, sizeof c->r);
  if (sim->sequence != NULL) {
    memcpy(c->sequence, sim->sequence, sim->n.model->subsystems * sizeof *c->sequence);
    memcpy(sim->order, c->sequence, sizeof sim->order);
    sim->sequence = sim->order;
  }
  exact_signals(&sim->n, sim->r, &at);
  memcpy(sim->held[0], at.u, sizeof at.u);
  sim->H = 1;
  sim->course = c;
  exact_settle(c, 0);
  return c;
}

static void count_metrics(const struct plain_course *c, struct plain_result *result) {
  const struct cs_model *model = c->exact.model;
  for (size_t i = 0, t = 0; i < model->events; i++) {
    if (model->event[i].timed) continue;
    result->metric[CS_EVENTS][t] = (real)c->own.count[i];
    result->metric[CS_EXACT_EVENTS][t] = (real)c->other.count[i];
    result->metric[CS_LATE_EVENTS][t] = (real)c->late[i];
    result->metric[CS_MISSED_EVENTS][t] = (real)c->missed[i];
    result->metric[CS_SPURIOUS_EVENTS][t] = (real)c->spurious[i];
    result->metric[CS_EVENT_TIME_ERROR_FIRST][t] = c->pairs[i] > 0 ? c->first[i] : NAN;
    result->metric[CS_EVENT_TIME_ERROR][t] = c->pairs[i] > 0 ? sqrt(c->squares[i] / (real)c->pairs[i]) : NAN;
    result->metric[CS_EVENT_TIME_ERROR_MAX][t++] = c->pairs[i] > 0 ? c->most[i] : NAN;
  }
}

static void list_events(const struct plain_happened *h, const struct cs_model *model, real *time, real *kind) {
  for (size_t i = 0; i < PLAIN_LISTED; i++) {
    size_t number = 0;
    for (size_t e = 0; i < h->total && e < h->kind[i]; e++)
      number += !model->event[e].timed;
    time[i] = i < h->total ? h->time[i] : NAN;
    kind[i] = i < h->total ? (real)number : -1;
  }
}

void plain_course_finish(struct plain_simulation *sim, real T, struct plain_result *result) {
  static const enum cs_metric rms[] = {CS_OUTPUT_ERROR, CS_INPUT_ERROR, CS_STATE_ERROR};
  static const enum cs_metric between[] = {CS_OUTPUT_ERROR_BETWEEN, CS_INPUT_ERROR_BETWEEN, CS_STATE_ERROR_BETWEEN};
  static const enum cs_metric largest[] = {CS_OUTPUT_ERROR_MAX, CS_INPUT_ERROR_MAX, CS_STATE_ERROR_MAX};
  static const enum cs_metric final[] = {CS_OUTPUT_ERROR_FINAL, CS_INPUT_ERROR_FINAL, CS_STATE_ERROR_FINAL};
  struct plain_course *c = sim->course;
  if (result->status == 0) retire(c, INFINITY); /* else what waits is not known to have no partner */
  for (size_t kind = 0; kind < PLAIN_KINDS; kind++) {
    for (size_t i = 0; i < PLAIN_MAX; i++) {
      result->metric[rms[kind]][i] = sqrt(c->error[kind][i] / T);
      result->metric[between[kind]][i] = sqrt(c->between[kind][i] / c->together);
      result->metric[largest[kind]][i] = c->largest[kind][i];
      result->metric[final[kind]][i] = fabs(c->final[kind][i]);
    }
  }
  count_metrics(c, result);
  list_events(&c->own, sim->n.model, result->metric[CS_EVENT_TIMES], result->metric[CS_EVENT_KINDS]);
  list_events(&c->other, sim->n.model, result->metric[CS_EXACT_EVENT_TIMES], result->metric[CS_EXACT_EVENT_KINDS]);
  result->metric[CS_TIME_BETWEEN][0] = c->together;
  result->metric[CS_FIRST_DIVERGENCE][0] = c->divergence < INFINITY ? c->divergence : NAN;
  result->metric[CS_ROLLBACKS][0] = (real)c->rollbacks;
  result->degenerate |= c->own.cascades || c->other.cascades;
  result->metric[CS_SEQUENCE_CHANGES][0] = (real)c->changes;
  result->metric[CS_PARALLEL_STEPS][0] = (real)c->parallel;
}
