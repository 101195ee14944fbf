#include "snapshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "component.h"
#include "gains.h"
#include "linalg.h"
#include "writer.h"

/* ---- from a model */

static int make_room(struct cs_snapshot *s, struct cs_error *error) {
  s->part = calloc(s->parts + 1, sizeof *s->part);
  s->link = calloc(s->links + 1, sizeof *s->link);
  s->a = calloc(s->states * s->states + 1, sizeof *s->a);
  s->b = calloc(s->states * s->inputs + 1, sizeof *s->b);
  s->c = calloc(s->outputs * s->states + 1, sizeof *s->c);
  s->d = calloc(s->outputs * s->inputs + 1, sizeof *s->d);
  const bool good = s->part != NULL && s->link != NULL && s->a != NULL && s->b != NULL && s->c != NULL && s->d != NULL;
  return good ? CS_OK : cs_error_memory(error);
}

int cs_snapshot_add_constants(const struct cs_model *model, const size_t *mode, const double *parameters,
                              struct cs_snapshot *s, struct cs_error *error) {
  double **const to[] = {&s->e, &s->f, &s->start, &s->bias};
  static const enum cs_matrix matrix[] = {CS_E, CS_F, CS_X0, CS_BIAS};
  int code = CS_OK;
  for (size_t i = 0; i < sizeof to / sizeof *to && code == CS_OK; i++) {
    *to[i] = calloc(model->matrix[matrix[i]].rows + 1, sizeof **to[i]);
    code =
        *to[i] == NULL ? cs_error_memory(error) : cs_model_numbers(model, matrix[i], mode, parameters, *to[i], error);
  }
  return code;
}

int cs_snapshot_open(const struct cs_model *model, const size_t *mode, const double *parameters, struct cs_snapshot *s,
                     struct cs_error *error) {
  *s = (struct cs_snapshot){.parts = model->subsystems,
                            .states = model->states,
                            .inputs = model->inputs,
                            .outputs = model->outputs,
                            .links = cs_links_room(model)};
  int code = make_room(s, error);
  for (size_t i = 0; i < s->parts && code == CS_OK; i++) {
    const struct cs_subsystem *from = &model->subsystem[i];
    s->part[i] = (struct cs_part){cs_text_copy(from->name), from->states,      from->inputs,      from->outputs,
                                  from->first_state,        from->first_input, from->first_output};
    if (s->part[i].name == NULL) code = cs_error_memory(error);
  }
  if (code == CS_OK && model->equations > 0) {
    s->point = calloc(s->states + 1, sizeof *s->point);
    if (s->point == NULL) code = cs_error_memory(error);
    for (size_t i = 0; i < s->states && code == CS_OK; i++)
      s->point[i] = parameters[model->parameters + i];
  }
  if (code == CS_OK) code = cs_model_numbers(model, CS_A, mode, parameters, s->a, error);
  if (code == CS_OK) code = cs_model_numbers(model, CS_B, mode, parameters, s->b, error);
  if (code == CS_OK) code = cs_model_numbers(model, CS_C, mode, parameters, s->c, error);
  if (code == CS_OK) code = cs_model_numbers(model, CS_D, mode, parameters, s->d, error);
  s->links = 0;
  if (code == CS_OK) code = cs_links_read(model, parameters, s->link, &s->links, error);
  return code;
}

void cs_snapshot_close(struct cs_snapshot *s) {
  for (size_t i = 0; s->part != NULL && i < s->parts; i++)
    free(s->part[i].name);
  free(s->part);
  free(s->link);
  free(s->point);
  free(s->a);
  free(s->b);
  free(s->c);
  free(s->d);
  free(s->e);
  free(s->f);
  free(s->start);
  free(s->bias);
  *s = (struct cs_snapshot){0};
}

size_t cs_snapshot_of_output(const struct cs_snapshot *s, size_t output) {
  size_t i = 0;
  while (output >= s->part[i].first_output + s->part[i].outputs)
    i++;
  return i;
}

size_t cs_snapshot_of_input(const struct cs_snapshot *s, size_t input) {
  size_t i = 0;
  while (input >= s->part[i].first_input + s->part[i].inputs)
    i++;
  return i;
}

bool cs_snapshot_joined(const struct cs_snapshot *s, size_t i, size_t j) {
  for (size_t k = 0; k < s->links; k++) {
    const size_t from = cs_snapshot_of_output(s, s->link[k].from), to = cs_snapshot_of_input(s, s->link[k].to);
    if ((from == i && to == j) || (from == j && to == i)) return true;
  }
  return false;
}

/* ---- the coupled network */

/* out [rows][outputs] += left [rows][inputs] L. */
static void add_through_links(const struct cs_snapshot *s, size_t rows, const double *left, double *out) {
  for (size_t k = 0; k < s->links; k++)
    for (size_t i = 0; i < rows; i++)
      out[i * s->outputs + s->link[k].from] += left[i * s->inputs + s->link[k].to] * s->link[k].gain;
}

void cs_snapshot_loop(const struct cs_snapshot *s, double *dl) {
  memset(dl, 0, s->outputs * s->outputs * sizeof *dl);
  add_through_links(s, s->outputs, s->d, dl);
}

/* x [outputs][columns] = (I - D L)^-1 right. */
static int solve_loop(const struct cs_snapshot *s, size_t columns, const double *right, double *x, double *rcond,
                      struct cs_error *error) {
  const size_t n = s->outputs;
  double *loop = malloc((n * n + 1) * sizeof *loop), norm = 1.0, inverse = 1.0;
  struct cs_component *component = NULL;
  int code = loop != NULL ? cs_component_new(n, &component, error) : cs_error_memory(error);
  if (code != CS_OK) goto out;
  cs_snapshot_loop(s, loop);
  for (size_t i = 0; i < n * n; i++)
    loop[i] = (i % (n + 1) == 0 ? 1.0 : 0.0) - loop[i];
  cs_component_find(component, n, loop);
  code = cs_linalg_solve(component, loop, columns, right, x, &norm, &inverse, error);
  *rcond = n > 0 ? 1.0 / (norm * inverse) : 1.0;
  if (code == CS_OK && !(*rcond >= CS_LINALG_SINGULAR))
    code = cs_error_set(error, CS_INPUT, "the algebraic loop I - D L is singular: the coupled model has no solution");
out:
  cs_component_free(component);
  free(loop);
  return code;
}

int cs_snapshot_couple(const struct cs_snapshot *s, size_t columns, const double *a, const double *c, double *y,
                       double *m, double *rcond, struct cs_error *error) {
  double *bl = calloc(s->states * s->outputs + 1, sizeof *bl);
  int code = bl != NULL ? solve_loop(s, columns, c, y, rcond, error) : cs_error_memory(error);
  if (code == CS_OK) {
    memcpy(m, a, s->states * columns * sizeof *m);
    add_through_links(s, s->states, s->b, bl);
    cs_linalg_add_product(s->states, s->outputs, columns, bl, y, m);
  }
  free(bl);
  return code;
}

/* With S = (I - D L)^-1: errors answer to connection defects by S D at once and by Y e^(Ms) (B + B L S D), to output
 * defects by S and Y e^(Ms) B L S, to integration defects by Y e^(Ms). */
int cs_snapshot_gains(const struct cs_snapshot *s, double T, double *connection, double *output, double *integration,
                      struct cs_error *error) {
  const size_t n = s->states, inputs = s->inputs, outputs = s->outputs, columns = n + inputs + outputs;
  double *right = calloc(outputs * columns + 1, sizeof *right), *left = calloc(outputs * columns + 1, sizeof *left);
  double *y = calloc(outputs * n + 1, sizeof *y), *m = calloc(n * n + 1, sizeof *m), rcond;
  double *ab = calloc(n * columns + 1, sizeof *ab), *e = calloc(n * columns + 1, sizeof *e);
  double *gain = calloc(outputs * columns + 1, sizeof *gain);
  const bool good = right != NULL && left != NULL && y != NULL && m != NULL && ab != NULL && e != NULL && gain != NULL;
  int code = good ? CS_OK : cs_error_memory(error);
  for (size_t i = 0; code == CS_OK && i < outputs; i++) {
    memcpy(right + i * columns, s->c + i * n, n * sizeof *right);
    memcpy(right + i * columns + n, s->d + i * inputs, inputs * sizeof *right);
    right[i * columns + n + inputs + i] = 1.0;
  }
  for (size_t i = 0; code == CS_OK && i < n; i++) {
    memcpy(ab + i * columns, s->a + i * n, n * sizeof *ab);
    memcpy(ab + i * columns + n, s->b + i * inputs, inputs * sizeof *ab);
  }
  /* S (C, D, I) and (M, B + B L S D, B L S) */
  if (code == CS_OK) code = cs_snapshot_couple(s, columns, ab, right, left, e, &rcond, error);
  for (size_t i = 0; code == CS_OK && i < outputs; i++) {
    const double *row = left + i * columns;
    memcpy(y + i * n, row, n * sizeof *y);
    for (size_t j = n; j < columns; j++)
      gain[i * columns + j] = fabs(row[j]);
  }
  for (size_t i = 0; code == CS_OK && i < n; i++) {
    memcpy(m + i * n, e + i * columns, n * sizeof *m);
    for (size_t j = 0; j < n; j++)
      e[i * columns + j] = i == j;
  }
  if (code == CS_OK) code = cs_gains_add(n, m, outputs, y, columns, e, T, gain, error);
  for (size_t i = 0; code == CS_OK && i < outputs; i++) {
    memcpy(integration + i * n, gain + i * columns, n * sizeof *gain);
    memcpy(connection + i * inputs, gain + i * columns + n, inputs * sizeof *gain);
    memcpy(output + i * outputs, gain + i * columns + n + inputs, outputs * sizeof *gain);
  }
  free(right);
  free(left);
  free(y);
  free(m);
  free(ab);
  free(e);
  free(gain);
  return code;
}

/* ---- merging */

/* Where the signals of the merged network come from. */
struct origin {
  size_t *state, *input, *output; /* [states], [inputs], [outputs]: numbers in the original */
};

static void append(size_t *list, size_t *count, size_t first, size_t length) {
  for (size_t i = 0; i < length; i++)
    list[(*count)++] = first + i;
}

/* The merged network's subsystems, and where their signals come from. */
static int arrange(const struct cs_snapshot *s, size_t i, size_t j, struct cs_snapshot *out, struct origin *from,
                   struct cs_error *error) {
  size_t states = 0, inputs = 0, outputs = 0, parts = 0;
  for (size_t p = 0; p < s->parts; p++) {
    if (p == j) continue;
    struct cs_part *to = &out->part[parts++];
    struct cs_text name = {0};
    *to = (struct cs_part){.first_state = states, .first_input = inputs, .first_output = outputs};
    cs_text_add(&name, "%s", s->part[p].name);
    for (size_t q = p;; q = j) {
      const struct cs_part *own = &s->part[q];
      append(from->state, &states, own->first_state, own->states);
      append(from->input, &inputs, own->first_input, own->inputs);
      append(from->output, &outputs, own->first_output, own->outputs);
      if (p != i || q == j) break;
      cs_text_add(&name, "+%s", s->part[j].name);
    }
    to->states = states - to->first_state;
    to->inputs = inputs - to->first_input;
    to->outputs = outputs - to->first_output;
    to->name = name.data;
    if (name.failed) return cs_error_memory(error);
  }
  return CS_OK;
}

static void gather(const double *from, size_t width, const size_t *row, size_t rows, const size_t *column,
                   size_t columns, double *to) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      to[i * columns + j] = from[row[i] * width + column[j]];
}

static size_t place_of(const size_t *list, size_t value) {
  size_t i = 0;
  while (list[i] != value)
    i++;
  return i;
}

/* Moves the links within part p of `out` into its matrices: with K = (I - D L)^-1 there,
 * A + B L K C, B (I + L K D), K C, K D. */
static int close_inside(struct cs_snapshot *out, size_t p, const struct cs_link *inside, size_t count,
                        struct cs_error *error) {
  struct cs_snapshot only = *out;
  const struct cs_part *part = &out->part[p];
  const size_t columns = out->states + out->inputs;
  double rcond, *right = calloc(out->outputs * columns + 1, sizeof *right),
                *y = calloc(out->outputs * columns + 1, sizeof *y),
                *bl = calloc(out->states * out->outputs + 1, sizeof *bl);
  int code = right != NULL && y != NULL && bl != NULL ? CS_OK : cs_error_memory(error);
  only.link = (struct cs_link *)inside;
  only.links = count;
  for (size_t i = 0; code == CS_OK && i < out->outputs; i++) {
    memcpy(right + i * columns, out->c + i * out->states, out->states * sizeof *right);
    memcpy(right + i * columns + out->states, out->d + i * out->inputs, out->inputs * sizeof *right);
  }
  if (code == CS_OK) code = solve_loop(&only, columns, right, y, &rcond, error);
  if (code == CS_OK) add_through_links(&only, out->states, out->b, bl);
  for (size_t i = part->first_state; code == CS_OK && i < part->first_state + part->states; i++)
    for (size_t k = 0; k < out->outputs; k++) {
      const double factor = bl[i * out->outputs + k];
      for (size_t j = 0; factor != 0.0 && j < out->states; j++)
        out->a[i * out->states + j] += factor * y[k * columns + j];
      for (size_t j = 0; factor != 0.0 && j < out->inputs; j++)
        out->b[i * out->inputs + j] += factor * y[k * columns + out->states + j];
    }
  for (size_t i = part->first_output; code == CS_OK && i < part->first_output + part->outputs; i++) {
    memcpy(out->c + i * out->states, y + i * columns, out->states * sizeof *y);
    memcpy(out->d + i * out->inputs, y + i * columns + out->states, out->inputs * sizeof *y);
  }
  free(right);
  free(y);
  free(bl);
  return code;
}

int cs_snapshot_merge(const struct cs_snapshot *s, size_t i, size_t j, struct cs_snapshot *out,
                      struct cs_error *error) {
  *out = *s;
  out->part = NULL, out->link = NULL, out->a = out->b = out->c = out->d = NULL;
  out->point = out->e = out->f = out->start = out->bias = NULL;
  out->parts = s->parts - 1;
  struct origin from = {malloc((s->states + 1) * sizeof(size_t)), malloc((s->inputs + 1) * sizeof(size_t)),
                        malloc((s->outputs + 1) * sizeof(size_t))};
  struct cs_link *inside = calloc(s->links + 1, sizeof *inside);
  int code = make_room(out, error);
  if (code == CS_OK && (from.state == NULL || from.input == NULL || from.output == NULL || inside == NULL))
    code = cs_error_memory(error);
  if (code == CS_OK) code = arrange(s, i, j, out, &from, error);
  size_t within = 0;
  out->links = 0;
  for (size_t k = 0; code == CS_OK && k < s->links; k++) {
    const size_t a = cs_snapshot_of_output(s, s->link[k].from), b = cs_snapshot_of_input(s, s->link[k].to);
    const struct cs_link link = {place_of(from.output, s->link[k].from), place_of(from.input, s->link[k].to),
                                 s->link[k].gain};
    if ((a == i || a == j) && (b == i || b == j))
      inside[within++] = link;
    else
      out->link[out->links++] = link;
  }
  if (code == CS_OK) {
    gather(s->a, s->states, from.state, s->states, from.state, s->states, out->a);
    gather(s->b, s->inputs, from.state, s->states, from.input, s->inputs, out->b);
    gather(s->c, s->states, from.output, s->outputs, from.state, s->states, out->c);
    gather(s->d, s->inputs, from.output, s->outputs, from.input, s->inputs, out->d);
    code = close_inside(out, i, inside, within, error);
  }
  free(from.state);
  free(from.input);
  free(from.output);
  free(inside);
  return code;
}

/* ---- as a model file */

/* A block of a matrix; diagonal entries have the term `shift`, unless it is NULL. */
static void write_block(struct cs_writer *w, const char *key, const double *matrix, size_t width, size_t row,
                        size_t rows, size_t column, size_t columns, const char *shift) {
  cs_writer_line(w);
  cs_writer_list(w, key);
  for (size_t i = 0; i < rows; i++) {
    cs_writer_list(w, NULL);
    for (size_t j = 0; j < columns; j++) {
      const double value = matrix[(row + i) * width + column + j];
      if (shift != NULL && i == j)
        cs_writer_token(w, NULL, "\"%.17g+%s\"", value, shift);
      else
        cs_writer_shortest(w, NULL, value);
    }
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

static void write_names(struct cs_writer *w, const char *key, char letter, size_t count) {
  cs_writer_line(w);
  cs_writer_list(w, key);
  for (size_t i = 0; i < count; i++)
    cs_writer_token(w, NULL, "\"%c%zu\"", letter, i);
  cs_writer_end(w);
}

/* A name without what a merged subsystem adds. */
static int first_name(const struct cs_part *part) {
  return (int)strcspn(part->name, "+");
}

static void write_vector(struct cs_writer *w, const char *key, const double *from, size_t count) {
  cs_writer_line(w);
  cs_writer_list(w, key);
  for (size_t i = 0; i < count; i++)
    cs_writer_shortest(w, NULL, from[i]);
  cs_writer_end(w);
}

static void write_part(struct cs_writer *w, const struct cs_snapshot *s, size_t i, enum cs_snapshot_as as) {
  const struct cs_part *p = &s->part[i];
  char shift[32];
  snprintf(shift, sizeof shift, "shift_%zu", i);
  cs_writer_object(w, NULL);
  cs_writer_token(w, "name", "\"%.*s\"", first_name(p), p->name);
  write_names(w, "states", 'x', p->states);
  write_names(w, "inputs", 'u', p->inputs);
  write_names(w, "outputs", 'y', p->outputs);
  write_block(w, "A", s->a, s->states, p->first_state, p->states, p->first_state, p->states,
              as == CS_SNAPSHOT_VARIED ? shift : NULL);
  if (p->inputs > 0) {
    write_block(w, "B", s->b, s->inputs, p->first_state, p->states, p->first_input, p->inputs, NULL);
    write_block(w, "D", s->d, s->inputs, p->first_output, p->outputs, p->first_input, p->inputs, NULL);
  }
  write_block(w, "C", s->c, s->states, p->first_output, p->outputs, p->first_state, p->states, NULL);
  if (as == CS_SNAPSHOT_WHOLE) {
    write_vector(w, "e", s->e + p->first_state, p->states);
    write_vector(w, "f", s->f + p->first_output, p->outputs);
    write_vector(w, "x0", s->start + p->first_state, p->states);
  }
  cs_writer_end(w);
}

static void write_links(struct cs_writer *w, const struct cs_snapshot *s, enum cs_snapshot_as as) {
  for (size_t k = 0; k < s->links; k++) {
    const struct cs_link *link = &s->link[k];
    const struct cs_part *from = &s->part[cs_snapshot_of_output(s, link->from)],
                         *to = &s->part[cs_snapshot_of_input(s, link->to)];
    cs_writer_object(w, NULL);
    cs_writer_token(w, "from", "\"%.*s.y%zu\"", first_name(from), from->name, link->from - from->first_output);
    cs_writer_token(w, "to", "\"%.*s.u%zu\"", first_name(to), to->name, link->to - to->first_input);
    if (as == CS_SNAPSHOT_VARIED)
      cs_writer_token(w, "gain", "\"%.17g*gain_%zu\"", link->gain, k);
    else
      cs_writer_shortest(w, "gain", link->gain);
    cs_writer_end(w);
  }
  for (size_t u = 0; u < s->inputs; u++) {
    const struct cs_part *to = &s->part[cs_snapshot_of_input(s, u)];
    size_t reached = 0;
    for (size_t k = 0; k < s->links; k++)
      reached += s->link[k].to == u;
    const double bias = as == CS_SNAPSHOT_WHOLE ? s->bias[u] : 0.0;
    if (reached > 0 && bias == 0.0) continue;
    cs_writer_object(w, NULL);
    cs_writer_token(w, "to", "\"%.*s.u%zu\"", first_name(to), to->name, u - to->first_input);
    cs_writer_shortest(w, "value", bias);
    cs_writer_end(w);
  }
}

void cs_snapshot_print(const struct cs_snapshot *s, enum cs_snapshot_as as, struct cs_text *text) {
  struct cs_writer w = {.text = text};
  const bool varied = as == CS_SNAPSHOT_VARIED;
  char name[32];
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "format", "cosweep-model/1");
  cs_writer_string(&w, "name", "snapshot");
  cs_writer_line(&w);
  cs_writer_object(&w, "parameters");
  for (size_t k = 0; varied && k < s->links; k++) {
    snprintf(name, sizeof name, "gain_%zu", k);
    cs_writer_count(&w, name, 1);
  }
  for (size_t i = 0; varied && i < s->parts; i++) {
    snprintf(name, sizeof name, "shift_%zu", i);
    cs_writer_count(&w, name, 0);
  }
  cs_writer_end(&w);
  cs_writer_line(&w);
  cs_writer_list(&w, "subsystems");
  cs_writer_lines(&w);
  for (size_t i = 0; i < s->parts; i++)
    write_part(&w, s, i, as);
  cs_writer_end(&w);
  cs_writer_line(&w);
  cs_writer_list(&w, "connections");
  cs_writer_lines(&w);
  write_links(&w, s, as);
  cs_writer_end(&w);
  cs_writer_end(&w);
}
