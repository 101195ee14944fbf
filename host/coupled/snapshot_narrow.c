/* Fewer inputs: a subsystem sees of its inputs only B u and D u. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

/* Relative to the largest of a column: what is left of one that depends on others, and what counts of a factor. */
#define LEFT 1e-13
#define COUNTS 1e-14

/* A subsystem's inputs and what replaces them: v = factor u, so that B u = B' v with the columns of B that are kept. */
struct narrowing {
  size_t *kept;   /* [inputs] those that are, in the order of the network; the first `count` */
  size_t count;   /* of all subsystems so far */
  double *factor; /* [inputs][inputs] of all: row i belongs to kept[i] */
};

/* The columns B and D of a subsystem, [states + outputs][inputs], rows and columns relative to their largest entries;
 * scale [inputs]: what a column was divided by, 0 of one without entries. */
static void load(const struct cs_snapshot *s, const struct cs_part *p, double *w, double *scale) {
  const size_t k = p->inputs;
  for (size_t i = 0; i < p->states + p->outputs; i++) {
    const double *from =
        i < p->states ? s->b + (p->first_state + i) * s->inputs : s->d + (p->first_output + i - p->states) * s->inputs;
    double most = 0.0;
    for (size_t j = 0; j < k; j++)
      most = fmax(most, fabs(from[p->first_input + j]));
    for (size_t j = 0; j < k; j++)
      w[i * k + j] = most > 0.0 ? from[p->first_input + j] / most : 0.0;
  }
  for (size_t j = 0; j < k; j++) {
    scale[j] = 0.0;
    for (size_t i = 0; i < p->states + p->outputs; i++)
      scale[j] = fmax(scale[j], fabs(w[i * k + j]));
    for (size_t i = 0; i < p->states + p->outputs && scale[j] > 0.0; i++)
      w[i * k + j] /= scale[j];
  }
}

static void swap_rows(double *w, size_t k, size_t a, size_t b) {
  for (size_t j = 0; j < k; j++) {
    const double other = w[a * k + j];
    w[a * k + j] = w[b * k + j];
    w[b * k + j] = other;
  }
}

/* Gauss-Jordan elimination with complete pivoting: row i in the end says how the columns consist of column pivot[i],
 * and of the others that have a row. Returns how many do. */
static size_t eliminate(double *w, size_t rows, size_t k, size_t *pivot) {
  size_t rank = 0;
  for (; rank < rows && rank < k; rank++) {
    size_t row = rank, column = 0;
    for (size_t i = rank; i < rows; i++)
      for (size_t j = 0; j < k; j++)
        if (fabs(w[i * k + j]) > fabs(w[row * k + column])) row = i, column = j;
    if (!(fabs(w[row * k + column]) > LEFT)) break;
    pivot[rank] = column;
    swap_rows(w, k, rank, row);
    const double by = 1.0 / w[rank * k + column];
    for (size_t j = 0; j < k; j++)
      w[rank * k + j] *= by;
    for (size_t i = 0; i < rows; i++) {
      const double own = i == rank ? 0.0 : w[i * k + column];
      for (size_t j = 0; j < k && own != 0.0; j++)
        w[i * k + j] -= own * w[rank * k + j];
      if (i != rank) w[i * k + column] = 0.0;
    }
  }
  return rank;
}

/* Whether a link from a subsystem goes to an input of p that has an effect. */
static bool hears(const struct cs_snapshot *s, const struct cs_part *p, const double *scale, size_t from) {
  bool any = false;
  for (size_t k = 0; k < s->links; k++) {
    const size_t to = s->link[k].to;
    any = any || (to >= p->first_input && to < p->first_input + p->inputs && scale[to - p->first_input] > 0.0 &&
                  cs_snapshot_of_output(s, s->link[k].from) == from);
  }
  return any;
}

/* Whether input j, which has no effect, is the only one that tells the order of two subsystems. */
static bool is_needed(const struct cs_snapshot *s, const struct cs_part *p, const double *scale, size_t j) {
  bool needed = false;
  for (size_t k = 0; k < s->links; k++)
    needed = needed ||
             (s->link[k].to == p->first_input + j && !hears(s, p, scale, cs_snapshot_of_output(s, s->link[k].from)));
  return needed;
}

static void keep(const struct cs_snapshot *s, const struct cs_part *p, const double *w, const double *scale,
                 const size_t *pivot, size_t rank, struct narrowing *to) {
  const size_t k = p->inputs;
  for (size_t j = 0; j < k; j++) {
    size_t i = 0;
    while (i < rank && pivot[i] != j)
      i++;
    if (i == rank && (scale[j] > 0.0 || !is_needed(s, p, scale, j))) continue;
    double *factor = to->factor + to->count * s->inputs + p->first_input;
    to->kept[to->count++] = p->first_input + j;
    factor[j] = 1.0;
    for (size_t c = 0; c < k && i < rank; c++)
      if (c != j && fabs(w[i * k + c]) > COUNTS) factor[c] = w[i * k + c] * (scale[c] / scale[j]);
  }
}

static int narrow_part(const struct cs_snapshot *s, const struct cs_part *p, struct narrowing *to,
                       struct cs_error *error) {
  const size_t rows = p->states + p->outputs, k = p->inputs;
  double *w = malloc((rows * k + 1) * sizeof *w), *scale = malloc((k + 1) * sizeof *scale);
  size_t *pivot = malloc((k + 1) * sizeof *pivot);
  int code = w != NULL && scale != NULL && pivot != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) {
    load(s, p, w, scale);
    keep(s, p, w, scale, pivot, eliminate(w, rows, k, pivot), to);
  }
  free(w);
  free(scale);
  free(pivot);
  return code;
}

static double *gather_columns(const double *from, size_t rows, size_t columns, const struct narrowing *by) {
  double *to = malloc((rows * by->count + 1) * sizeof *to);
  for (size_t i = 0; i < rows && to != NULL; i++)
    for (size_t j = 0; j < by->count; j++)
      to[i * by->count + j] = from[i * columns + by->kept[j]];
  return to;
}

static void copy_links(const struct cs_snapshot *s, const struct narrowing *by, struct cs_snapshot *out) {
  out->links = 0;
  for (size_t k = 0; k < s->links; k++)
    for (size_t v = 0; v < by->count; v++) {
      const double factor = by->factor[v * s->inputs + s->link[k].to];
      if (factor != 0.0) out->link[out->links++] = (struct cs_link){s->link[k].from, v, factor * s->link[k].gain};
    }
}

static int replace(struct cs_snapshot *s, const struct narrowing *by, struct cs_error *error) {
  struct cs_snapshot to = *s;
  to.b = gather_columns(s->b, s->states, s->inputs, by);
  to.d = gather_columns(s->d, s->outputs, s->inputs, by);
  to.bias = calloc(by->count + 1, sizeof *to.bias);
  to.link = malloc((s->links * by->count + 1) * sizeof *to.link);
  if (to.b == NULL || to.d == NULL || to.bias == NULL || to.link == NULL) {
    free(to.b), free(to.d), free(to.bias), free(to.link);
    return cs_error_memory(error);
  }
  copy_links(s, by, &to);
  for (size_t v = 0; v < by->count; v++)
    for (size_t i = 0; i < s->inputs; i++)
      to.bias[v] += by->factor[v * s->inputs + i] * s->bias[i];
  free(s->b), free(s->d), free(s->bias), free(s->link);
  *s = to;
  s->inputs = by->count;
  return CS_OK;
}

int cs_snapshot_narrow(struct cs_snapshot *s, struct cs_error *error) {
  struct narrowing by = {.kept = malloc((s->inputs + 1) * sizeof *by.kept),
                         .factor = calloc(s->inputs * s->inputs + 1, sizeof *by.factor)};
  size_t *first = malloc((s->parts + 1) * sizeof *first);
  const bool good = by.kept != NULL && by.factor != NULL && first != NULL;
  int code = good ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; i < s->parts && code == CS_OK; i++) {
    first[i] = by.count;
    code = narrow_part(s, &s->part[i], &by, error);
  }
  if (code == CS_OK) code = replace(s, &by, error);
  for (size_t i = 0; i < s->parts && code == CS_OK; i++) {
    s->part[i].first_input = first[i];
    s->part[i].inputs = (i + 1 < s->parts ? first[i + 1] : s->inputs) - first[i];
  }
  free(by.kept);
  free(by.factor);
  free(first);
  return code;
}
