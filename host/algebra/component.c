#include "component.h"

#include <stdint.h>
#include <stdlib.h>

/* Rows in `work`, each of as many numbers as there is room for. */
enum part { OF, ROW, PARENT, VISIT, NUMBER, LOW, NEXT, STACK, FIRST, PARTS };

int cs_component_new(size_t room, struct cs_component **components, struct cs_error *error) {
  struct cs_component *c = calloc(1, sizeof *c);
  *components = c;
  if (c == NULL) return cs_error_memory(error);
  c->room = room;
  c->work = calloc(PARTS * room + 1, sizeof *c->work);
  c->number = calloc(room + 1, sizeof *c->number);
  if (c->work == NULL || c->number == NULL) {
    cs_component_free(c);
    *components = NULL;
    return cs_error_memory(error);
  }
  c->of = c->work + OF * room;
  c->row = c->work + ROW * room;
  c->parent = c->work + PARENT * room;
  c->visit = c->work + VISIT * room;
  c->first = c->work + FIRST * room;
  return CS_OK;
}

void cs_component_free(struct cs_component *c) {
  if (c == NULL) return;
  free(c->work);
  free(c->number);
  free(c);
}

static size_t *part(struct cs_component *c, enum part which) {
  return c->work + which * c->room;
}

/* The open rows from i upwards on the stack are a component. */
static void close_component(struct cs_component *c, size_t i, size_t *open) {
  size_t placed = c->first[c->count];
  const size_t *stack = part(c, STACK);
  size_t j;
  do {
    j = stack[--*open];
    c->of[j] = c->count;
    c->row[placed++] = j;
  } while (j != i);
  c->first[++c->count] = placed;
}

/* Tarjan's search from `start`, without recursion: a row's parent is where it returns to. */
static void search(struct cs_component *c, const double *a, size_t start, size_t *visited, size_t *open) {
  size_t *number = part(c, NUMBER), *low = part(c, LOW), *next = part(c, NEXT), *stack = part(c, STACK);
  const size_t n = c->rows;
  size_t i = start, from = start;
  for (;;) {
    if (number[i] == SIZE_MAX) {
      c->parent[i] = from;
      c->visit[*visited] = i;
      number[i] = low[i] = (*visited)++;
      next[i] = 0;
      stack[(*open)++] = i;
    }
    size_t j = next[i];
    for (; j < n; j++) {
      if (j == i || a[i * n + j] == 0.0) continue;
      if (number[j] == SIZE_MAX) break;
      if (c->of[j] == SIZE_MAX && number[j] < low[i]) low[i] = number[j];
    }
    next[i] = j;
    if (j < n) {
      from = i;
      i = j;
      continue;
    }
    if (low[i] == number[i]) close_component(c, i, open);
    if (i == start) return;
    const size_t back = c->parent[i];
    if (low[i] < low[back]) low[back] = low[i];
    i = back;
  }
}

void cs_component_find(struct cs_component *c, size_t n, const double *a) {
  size_t visited = 0, open = 0;
  c->rows = n;
  c->count = 0;
  c->first[0] = 0;
  for (size_t i = 0; i < n; i++)
    part(c, NUMBER)[i] = c->of[i] = SIZE_MAX;
  for (size_t i = 0; i < n; i++)
    if (c->of[i] == SIZE_MAX) search(c, a, i, &visited, &open);
}

bool cs_component_is_loop(const struct cs_component *c, size_t k, const double *a) {
  const size_t first = c->row[c->first[k]];
  return c->first[k + 1] - c->first[k] > 1 || a[first * c->rows + first] != 0.0;
}

size_t cs_component_chain(struct cs_component *c, const double *a) {
  size_t *length = part(c, NEXT), most = 0;
  for (size_t k = 0; k < c->count; k++) {
    length[k] = 0;
    for (size_t p = c->first[k]; p < c->first[k + 1]; p++)
      for (size_t j = 0; j < c->rows; j++) {
        if (a[c->row[p] * c->rows + j] == 0.0 || c->of[j] == k) continue;
        if (length[c->of[j]] + 1 > length[k]) length[k] = length[c->of[j]] + 1;
      }
    if (length[k] > most) most = length[k];
  }
  return most;
}
