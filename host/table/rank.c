#include "rank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool takes_part(const struct cs_rank_runs *runs, size_t run) {
  return !isnan(runs->cost[run]) && !isnan(runs->error[run]);
}

/* ---- fronts */

static int compare_points(const void *left, const void *right) {
  const struct cs_rank_point *a = left, *b = right;
  if (a->of_case != b->of_case) return a->of_case < b->of_case ? -1 : 1;
  if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
  if (a->error != b->error) return a->error < b->error ? -1 : 1;
  return (a->run > b->run) - (a->run < b->run);
}

/* Keeps the sorted points whose error is below that of all earlier ones of their case; equal points become ties. */
static size_t keep_fronts(struct cs_rank_point *point, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct cs_rank_point *last = kept > 0 && point[kept - 1].of_case == point[i].of_case ? &point[kept - 1] : NULL;
    if (last != NULL && point[i].cost == last->cost && point[i].error == last->error)
      last->ties++;
    else if (last == NULL || point[i].error < last->error)
      point[kept++] = point[i];
  }
  return kept;
}

int cs_rank_fronts(const struct cs_rank_runs *runs, struct cs_rank_point **front, size_t **start,
                   struct cs_error *error) {
  size_t count = 0;
  *front = malloc((runs->runs + 1) * sizeof **front);
  *start = calloc(runs->cases + 1, sizeof **start);
  if (*front == NULL || *start == NULL) {
    free(*front);
    free(*start);
    *front = NULL;
    *start = NULL;
    return cs_error_memory(error);
  }
  for (size_t i = 0; i < runs->runs; i++)
    if (takes_part(runs, i))
      (*front)[count++] =
          (struct cs_rank_point){.cost = runs->cost[i], .error = runs->error[i], .run = i, .of_case = runs->case_of[i]};
  qsort(*front, count, sizeof **front, compare_points);
  count = keep_fronts(*front, count);
  for (size_t i = 0; i < count; i++)
    (*start)[(*front)[i].of_case + 1]++;
  for (size_t i = 0; i < runs->cases; i++)
    (*start)[i + 1] += (*start)[i];
  return CS_OK;
}

/* ---- choices */

/* The limited quantity, and the minimised one. */
static const double *limited(const struct cs_rank_runs *runs, enum cs_rank_by by) {
  return by == CS_RANK_AT_ERROR ? runs->error : runs->cost;
}

static const double *wanted(const struct cs_rank_runs *runs, enum cs_rank_by by) {
  return by == CS_RANK_AT_ERROR ? runs->cost : runs->error;
}

static size_t place(const struct cs_rank_runs *runs, size_t run) {
  return runs->case_of[run] * runs->combinations + runs->combination_of[run];
}

void cs_rank_choose(const struct cs_rank_runs *runs, enum cs_rank_by by, double limit, struct cs_rank_choice *choice) {
  const double *under = limited(runs, by), *value = wanted(runs, by);
  for (size_t i = 0; i < runs->cases * runs->combinations; i++)
    choice[i] = (struct cs_rank_choice){.run = CS_RANK_NONE};
  for (size_t i = 0; i < runs->runs; i++) {
    if (!takes_part(runs, i) || !(under[i] <= limit)) continue;
    struct cs_rank_choice *c = &choice[place(runs, i)];
    const size_t best = c->run;
    if (best == CS_RANK_NONE || value[i] < value[best] || (value[i] == value[best] && under[i] < under[best]))
      *c = (struct cs_rank_choice){.run = i, .last = true};
  }
  for (size_t i = 0; i < runs->runs; i++) {
    struct cs_rank_choice *c = &choice[place(runs, i)];
    if (takes_part(runs, i) && c->run != CS_RANK_NONE && value[i] < value[c->run]) c->last = false;
  }
}

/* ---- standings */

/* Value divided by the best; 1 if they are equal, zeros included. */
static double ratio(double value, double best) {
  return value == best ? 1.0 : value / best;
}

static int compare_numbers(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double best_of_case(const struct cs_rank_runs *runs, const double *value, const struct cs_rank_choice *choice) {
  double best = INFINITY;
  for (size_t i = 0; i < runs->combinations; i++)
    if (choice[i].run != CS_RANK_NONE) best = fmin(best, value[choice[i].run]);
  return best;
}

/* One combination over all cases; `room`: workspace, [cases]. */
static struct cs_rank_standing stand(const struct cs_rank_runs *runs, size_t combination, const double *value,
                                     const struct cs_rank_choice *choice, const double *best, double *room) {
  struct cs_rank_standing s = {.combination = combination, .median = NAN, .worst = NAN};
  for (size_t i = 0; i < runs->cases; i++) {
    const struct cs_rank_choice *c = &choice[i * runs->combinations + combination];
    if (c->run == CS_RANK_NONE) continue;
    room[s.reached++] = ratio(value[c->run], best[i]);
    s.wins += value[c->run] == best[i];
    s.last += c->last;
  }
  qsort(room, s.reached, sizeof *room, compare_numbers);
  if (s.reached > 0) {
    s.median = room[(s.reached - 1) / 2];
    s.worst = room[s.reached - 1];
  }
  return s;
}

/* A standing and its last criterion. */
struct entry {
  struct cs_rank_standing standing;
  double second;
};

static int compare_entries(const void *left, const void *right) {
  const struct entry *x = left, *y = right;
  const struct cs_rank_standing *a = &x->standing, *b = &y->standing;
  if (a->reached != b->reached) return a->reached > b->reached ? -1 : 1;
  if (a->reached > 0 && a->median != b->median) return a->median < b->median ? -1 : 1;
  if (a->wins != b->wins) return a->wins > b->wins ? -1 : 1;
  if (a->reached > 0 && a->worst != b->worst) return a->worst < b->worst ? -1 : 1;
  if (x->second != y->second) return x->second < y->second ? -1 : 1;
  return (a->combination > b->combination) - (a->combination < b->combination);
}

int cs_rank_standings(const struct cs_rank_runs *runs, enum cs_rank_by by, const struct cs_rank_choice *choice,
                      struct cs_rank_standing *standing, struct cs_error *error) {
  const double *value = wanted(runs, by), *under = limited(runs, by);
  int code = CS_OK;
  double *best = malloc((runs->cases + 1) * sizeof *best), *room = malloc((runs->cases + 1) * sizeof *room);
  struct entry *entry = calloc(runs->combinations + 1, sizeof *entry);
  if (best == NULL || room == NULL || entry == NULL) {
    code = cs_error_memory(error);
    goto out;
  }
  for (size_t i = 0; i < runs->cases; i++)
    best[i] = best_of_case(runs, value, choice + i * runs->combinations);
  for (size_t i = 0; i < runs->combinations; i++) {
    entry[i].standing = stand(runs, i, value, choice, best, room);
    if (runs->cases == 1 && choice[i].run != CS_RANK_NONE) entry[i].second = under[choice[i].run];
  }
  qsort(entry, runs->combinations, sizeof *entry, compare_entries);
  for (size_t i = 0; i < runs->combinations; i++)
    standing[i] = entry[i].standing;
out:
  free(best);
  free(room);
  free(entry);
  return code;
}

/* ---- order */

struct share {
  size_t combination, points, reached;
  double dearer; /* median of cost over that of the front */
};

static int compare_shares(const void *left, const void *right) {
  const struct share *a = left, *b = right;
  if (a->points != b->points) return a->points > b->points ? -1 : 1;
  if (a->dearer != b->dearer) return a->dearer < b->dearer ? -1 : 1;
  if (a->reached != b->reached) return a->reached > b->reached ? -1 : 1;
  return (a->combination > b->combination) - (a->combination < b->combination);
}

/* The costs at which a combination's own front reaches the points of the case's, divided by theirs; returns how many it
 * reaches, the first of them: errors of both decrease. */
static size_t reach(const struct cs_rank_point *front, size_t points, const struct cs_rank_point *own, size_t runs,
                    double *ratios) {
  size_t k = 0;
  for (size_t i = 0; i < points; i++) {
    while (k < runs && own[k].error > front[i].error)
      k++;
    if (k == runs) return i;
    ratios[i] = ratio(own[k].cost, front[i].cost);
  }
  return points;
}

/* The fronts of all cases, and in `own` those of each combination in each case, as if it was a case. */
struct fronts {
  struct cs_rank_point *common, *own;
  size_t *start, *begin;
};

static int find_fronts(const struct cs_rank_runs *runs, struct fronts *fronts, struct cs_error *error) {
  struct cs_rank_runs cells = *runs;
  size_t *cell = malloc((runs->runs + 1) * sizeof *cell);
  if (cell == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < runs->runs; i++)
    cell[i] = place(runs, i);
  cells.cases = runs->cases * runs->combinations;
  cells.case_of = cell;
  int code = cs_rank_fronts(runs, &fronts->common, &fronts->start, error);
  if (code == CS_OK) code = cs_rank_fronts(&cells, &fronts->own, &fronts->begin, error);
  free(cell);
  return code;
}

/* `room`: workspace, as many as the common fronts have points. */
static void share_fronts(const struct cs_rank_runs *runs, const struct fronts *f, struct share *share, double *room) {
  const size_t points = f->start[runs->cases];
  for (size_t i = 0; i < points; i++)
    share[runs->combination_of[f->common[i].run]].points++;
  for (size_t c = 0; c < runs->combinations; c++) {
    share[c].combination = c;
    for (size_t i = 0; i < runs->cases; i++) {
      const size_t own = i * runs->combinations + c;
      share[c].reached += reach(f->common + f->start[i], f->start[i + 1] - f->start[i], f->own + f->begin[own],
                                f->begin[own + 1] - f->begin[own], room + share[c].reached);
    }
    qsort(room, share[c].reached, sizeof *room, compare_numbers);
    share[c].dearer = 2 * share[c].reached >= points && points > 0 ? room[(points - 1) / 2] : INFINITY;
  }
}

int cs_rank_order(const struct cs_rank_runs *runs, size_t *order, struct cs_error *error) {
  struct fronts fronts = {0};
  struct share *share = calloc(runs->combinations + 1, sizeof *share);
  double *room = NULL;
  int code = share != NULL ? find_fronts(runs, &fronts, error) : cs_error_memory(error);
  if (code == CS_OK) {
    room = malloc((fronts.start[runs->cases] + 1) * sizeof *room);
    if (room == NULL) code = cs_error_memory(error);
  }
  if (code == CS_OK) {
    share_fronts(runs, &fronts, share, room);
    qsort(share, runs->combinations, sizeof *share, compare_shares);
  }
  for (size_t i = 0; code == CS_OK && i < runs->combinations; i++)
    order[i] = share[i].combination;
  free(fronts.common);
  free(fronts.start);
  free(fronts.own);
  free(fronts.begin);
  free(share);
  free(room);
  return code;
}

/* ---- limits */

int cs_rank_median(const struct cs_rank_runs *runs, const double *values, double *median, struct cs_error *error) {
  size_t count = 0;
  double *sorted = malloc((runs->runs + 1) * sizeof *sorted);
  if (sorted == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < runs->runs; i++)
    if (takes_part(runs, i) && values[i] > 0) sorted[count++] = values[i];
  qsort(sorted, count, sizeof *sorted, compare_numbers);
  *median = count > 0 ? sorted[(count - 1) / 2] : 0.0;
  free(sorted);
  return CS_OK;
}

double cs_rank_round_up(double value) {
  char digits[32];
  int tenths, exponent;
  char lead;
  if (!(value > 0) || !isfinite(value)) return value;
  snprintf(digits, sizeof digits, "%.1e", value);
  if (strtod(digits, NULL) >= value || sscanf(digits, "%c.%de%d", &lead, &tenths, &exponent) != 3)
    return strtod(digits, NULL);
  snprintf(digits, sizeof digits, "%de%d", 10 * (lead - '0') + tenths + 1, exponent - 1);
  return strtod(digits, NULL);
}
