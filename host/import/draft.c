#include "draft.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "linalg.h"
#include "list.h"

/* The side of a part's rows and columns. */
static const struct part {
  const char *name;
  int rows, columns; /* -1: one column */
} parts[CS_DRAFT_PARTS] = {
    [CS_DRAFT_A] = {"A", CS_DRAFT_STATE, CS_DRAFT_STATE},
    [CS_DRAFT_B] = {"B", CS_DRAFT_STATE, CS_DRAFT_INPUT},
    [CS_DRAFT_C] = {"C", CS_DRAFT_OUTPUT, CS_DRAFT_STATE},
    [CS_DRAFT_D] = {"D", CS_DRAFT_OUTPUT, CS_DRAFT_INPUT},
    [CS_DRAFT_E] = {"e", CS_DRAFT_STATE, -1},
    [CS_DRAFT_F] = {"f", CS_DRAFT_OUTPUT, -1},
    [CS_DRAFT_X0] = {"x0", CS_DRAFT_STATE, -1},
    [CS_DRAFT_U0] = {"u0", CS_DRAFT_INPUT, -1},
    [CS_DRAFT_DESCRIPTOR] = {"E", CS_DRAFT_STATE, CS_DRAFT_STATE},
};

/* origin: the matrices that determine the number of a side, the first given counts. */
static const struct side {
  const char *names, *units, *word, *empty;
  struct origin {
    enum cs_draft_part part;
    bool columns;
  } origin[2];
} sides[CS_DRAFT_SIDES] = {
    [CS_DRAFT_STATE] = {"StateName", "StateUnit", "state", "x", {{CS_DRAFT_A, false}, {CS_DRAFT_A, false}}},
    [CS_DRAFT_INPUT] = {"InputName", "InputUnit", "input", "u", {{CS_DRAFT_B, true}, {CS_DRAFT_D, true}}},
    [CS_DRAFT_OUTPUT] = {"OutputName", "OutputUnit", "output", "y", {{CS_DRAFT_C, false}, {CS_DRAFT_D, false}}},
};

int cs_draft_part_side(enum cs_draft_part part, bool columns) {
  return columns ? parts[part].columns : parts[part].rows;
}

const char *cs_draft_part_name(enum cs_draft_part part) {
  return parts[part].name;
}

const char *cs_draft_names_key(enum cs_draft_side side, bool units) {
  return units ? sides[side].units : sides[side].names;
}

bool cs_draft_give(struct cs_draft_matrix *matrix, size_t rows, size_t columns) {
  free(matrix->value);
  *matrix = (struct cs_draft_matrix){.given = true, .rows = rows, .columns = columns};
  if (rows == 0 || columns == 0) return true;
  matrix->value = calloc(rows, columns * sizeof *matrix->value);
  return matrix->value != NULL;
}

bool cs_draft_add_text(struct cs_draft_names *names, const char *text) {
  char *copy = cs_text_copy(text);
  if (copy == NULL || !cs_list_grow(&names->text, names->count, sizeof *names->text)) {
    free(copy);
    return false;
  }
  names->given = true;
  names->text[names->count++] = copy;
  return true;
}

struct cs_draft_system *cs_draft_add_system(struct cs_draft *draft, const char *original) {
  if (!cs_list_grow(&draft->system, draft->systems, sizeof *draft->system)) return NULL;
  struct cs_draft_system *system = &draft->system[draft->systems];
  *system = (struct cs_draft_system){.original = cs_text_copy(original)};
  if (system->original == NULL) return NULL;
  draft->systems++;
  return system;
}

/* ---- what a subsystem must fulfil */

static void count_signals(struct cs_draft_system *system) {
  for (int s = 0; s < CS_DRAFT_SIDES; s++)
    for (int k = 1; k >= 0; k--) {
      const struct origin *origin = &sides[s].origin[k];
      const struct cs_draft_matrix *matrix = &system->part[origin->part];
      if (matrix->given) system->signals[s] = origin->columns ? matrix->columns : matrix->rows;
    }
}

/* The matrix that determines the number of a side; the first of the two if none is given. */
static const struct origin *origin_of(const struct cs_draft_system *system, int side) {
  const struct origin *origin = sides[side].origin;
  return !system->part[origin[0].part].given && system->part[origin[1].part].given ? &origin[1] : origin;
}

static const char *plural(size_t count) {
  return count == 1 ? "" : "s";
}

/* "B has 2 rows, A 3": where a dimension of a part is not that of its side. */
static int check_size(const struct cs_draft_system *system, enum cs_draft_part part, bool columns,
                      struct cs_error *error) {
  const struct cs_draft_matrix *matrix = &system->part[part];
  const int at = cs_draft_part_side(part, columns);
  const size_t found = columns ? matrix->columns : matrix->rows, want = at < 0 ? 1 : system->signals[at];
  if (found == want) return CS_OK;
  if (at < 0)
    return cs_error_set(error, CS_INPUT, "%s is %zux%zu; want a vector", parts[part].name, matrix->rows,
                        matrix->columns);
  const struct origin *origin = origin_of(system, at);
  const char *of = parts[origin->part].name, *name = parts[part].name;
  if (parts[part].columns < 0)
    return cs_error_set(error, CS_INPUT, "%s has %zu number%s, %s %zu %s%s", name, found, plural(found), of, want,
                        sides[at].word, plural(want));
  return cs_error_set(error, CS_INPUT, "%s has %zu %s%s, %s %zu%s", name, found, columns ? "column" : "row",
                      plural(found), of, want,
                      origin->columns == columns || at == CS_DRAFT_STATE ? ""
                      : origin->columns                                  ? " columns"
                                                                         : " rows");
}

static int check_part(const struct cs_draft_system *system, enum cs_draft_part part, struct cs_error *error) {
  const struct cs_draft_matrix *matrix = &system->part[part];
  if (!matrix->given) return CS_OK;
  if (part == CS_DRAFT_A && matrix->rows != matrix->columns)
    return cs_error_set(error, CS_INPUT, "A is %zux%zu; want as many columns as rows", matrix->rows, matrix->columns);
  int code = check_size(system, part, false, error);
  if (code == CS_OK) code = check_size(system, part, true, error);
  for (size_t i = 0; code == CS_OK && i < matrix->rows * matrix->columns; i++)
    if (!isfinite(matrix->value[i]))
      return cs_error_set(error, CS_INPUT, "%s has a number that is not finite, in row %zu", parts[part].name,
                          i / matrix->columns + 1);
  return code;
}

static int check_names(const struct cs_draft_system *system, enum cs_draft_side side, bool units,
                       struct cs_error *error) {
  const struct cs_draft_names *names = units ? &system->units[side] : &system->names[side];
  const struct origin *origin = origin_of(system, side);
  if (!names->given || names->count == system->signals[side]) return CS_OK;
  return cs_error_set(error, CS_INPUT, "%s has %zu %s%s, %s %zu %s%s", cs_draft_names_key(side, units), names->count,
                      units ? "unit" : "name", plural(names->count), parts[origin->part].name, system->signals[side],
                      sides[side].word, plural(system->signals[side]));
}

static int check(const struct cs_draft_system *system, struct cs_error *error) {
  const struct cs_draft_matrix *part = system->part;
  const bool gain = part[CS_DRAFT_D].given && !part[CS_DRAFT_B].given && !part[CS_DRAFT_C].given;
  int code = CS_OK;
  if (!part[CS_DRAFT_A].given && !gain) return cs_error_set(error, CS_INPUT, "no A; want the matrices A, B, C and D");
  for (int p = 0; p < CS_DRAFT_PARTS && code == CS_OK; p++)
    code = check_part(system, p, error);
  for (int s = 0; s < CS_DRAFT_SIDES && code == CS_OK; s++) {
    if (system->signals[s] > CS_DRAFT_MOST)
      code =
          cs_error_set(error, CS_INPUT, "%zu %ss; want at most %d", system->signals[s], sides[s].word, CS_DRAFT_MOST);
    if (code == CS_OK) code = check_names(system, s, false, error);
    if (code == CS_OK) code = check_names(system, s, true, error);
  }
  return code;
}

/* A, B and C of a subsystem of which only D is given. */
static int complete(struct cs_draft_system *system, struct cs_error *error) {
  for (int p = CS_DRAFT_A; p <= CS_DRAFT_C; p++)
    if (!system->part[p].given &&
        !cs_draft_give(&system->part[p], system->signals[parts[p].rows], system->signals[parts[p].columns]))
      return cs_error_memory(error);
  return CS_OK;
}

/* ---- E x' = A x + B u + e */

static bool is_identity(const struct cs_draft_matrix *e) {
  for (size_t i = 0; i < e->rows * e->columns; i++)
    if (e->value[i] != (i % (e->columns + 1) == 0 ? 1.0 : 0.0)) return false;
  return true;
}

/* Copies A, B and e, side by side, into `all` [n][columns], or back. */
static void copy_right(struct cs_draft_system *system, double *all, size_t columns, bool back) {
  static const enum cs_draft_part right[] = {CS_DRAFT_A, CS_DRAFT_B, CS_DRAFT_E};
  for (size_t k = 0, at = 0; k < sizeof right / sizeof *right; k++) {
    const struct cs_draft_matrix *m = &system->part[right[k]];
    for (size_t i = 0; i < m->rows && m->columns > 0; i++)
      memcpy(back ? m->value + i * m->columns : all + i * columns + at,
             back ? all + i * columns + at : m->value + i * m->columns, m->columns * sizeof *all);
    at += m->columns;
  }
}

static int solve(struct cs_draft_system *system, struct cs_error *error) {
  static const double most = 1e8;
  const struct cs_draft_matrix *e = &system->part[CS_DRAFT_DESCRIPTOR];
  const size_t n = e->rows;
  const size_t columns = n + system->part[CS_DRAFT_B].columns + system->part[CS_DRAFT_E].columns;
  if (!e->given || is_identity(e)) return CS_OK;
  double *all = calloc(n, columns * sizeof *all), condition = INFINITY;
  if (all == NULL) return cs_error_memory(error);
  copy_right(system, all, columns, false);
  int code = cs_linalg_divide(n, e->value, columns, all, &condition, error);
  if (code == CS_OK && !(condition < 1.0 / DBL_EPSILON))
    code = cs_error_set(error, CS_INPUT, "E is singular: the equations are not solvable for x'; want E of full rank");
  else if (code == CS_OK && condition > most)
    code = cs_error_set(error, CS_INPUT, "E has a condition number of %.1e; want at most %.0e", condition, most);
  for (size_t i = 0; i < n * columns && code == CS_OK; i++)
    if (!isfinite(all[i])) code = cs_error_set(error, CS_INPUT, "solved for x' with E numbers are not finite");
  if (code == CS_OK) copy_right(system, all, columns, true);
  system->solved = code == CS_OK;
  free(all);
  return code;
}

/* ---- names */

void cs_draft_add_name(struct cs_text *text, const char *original, const char *empty) {
  struct cs_text name = {0};
  bool gap = false;
  for (const char *c = original; *c != '\0'; c++) {
    if (!cs_ascii_is_letter(*c) && !cs_ascii_is_digit(*c)) {
      gap = true;
      continue;
    }
    if (gap && name.length > 0) cs_text_add(&name, "_");
    if (name.length == 0 && cs_ascii_is_digit(*c)) cs_text_add(&name, "x");
    gap = false;
    cs_text_append(&name, c, 1);
  }
  if (name.length == 0) cs_text_add(&name, "%s", empty);
  cs_text_add(text, "%s", cs_text_string(&name));
  text->failed |= name.failed;
  cs_text_free(&name);
}

/* The name with _2, _3, ... if others have it, at most 63 bytes; NULL when out of memory. */
static char *choose(const char *name, size_t others, const char *(*other)(const void *list, size_t i),
                    const void *list) {
  enum { MOST = 63 };
  for (size_t copy = 1;; copy++) {
    struct cs_text text = {0}, end = {0};
    if (copy > 1) cs_text_add(&end, "_%zu", copy);
    const size_t room = MOST - end.length, length = strlen(name);
    cs_text_append(&text, name, length < room ? length : room);
    cs_text_add(&text, "%s", cs_text_string(&end));
    const bool failed = text.failed || end.failed;
    bool taken = false;
    for (size_t i = 0; i < others && !failed && !taken; i++)
      taken = strcmp(other(list, i), text.data) == 0;
    cs_text_free(&end);
    if (!failed && !taken) return text.data;
    cs_text_free(&text);
    if (failed) return NULL;
  }
}

static const char *name_of_signal(const void *list, size_t i) {
  return ((char *const *)list)[i];
}

static const char *name_of_system(const void *list, size_t i) {
  return ((const struct cs_draft_system *)list)[i].name;
}

static int name_signals(struct cs_draft_system *system, enum cs_draft_side side, struct cs_error *error) {
  const size_t count = system->signals[side];
  const struct cs_draft_names *names = &system->names[side];
  char **signal = system->signal[side] = calloc(count + 1, sizeof *signal);
  if (signal == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < count; i++) {
    struct cs_text number = {0}, text = {0};
    cs_text_add(&number, "%s%zu", sides[side].empty, i + 1);
    cs_draft_add_name(&text, names->given ? names->text[i] : "", cs_text_string(&number));
    if (!text.failed && !number.failed) signal[i] = choose(text.data, i, name_of_signal, signal);
    cs_text_free(&number);
    cs_text_free(&text);
    if (signal[i] == NULL) return cs_error_memory(error);
  }
  return CS_OK;
}

int cs_draft_finish(struct cs_draft *draft, const char *name, struct cs_error *error) {
  struct cs_draft_system *system = &draft->system[draft->systems - 1];
  struct cs_text text = {0};
  count_signals(system);
  int code = check(system, error);
  if (code == CS_OK) code = complete(system, error);
  if (code == CS_OK) code = solve(system, error);
  for (int s = 0; s < CS_DRAFT_SIDES && code == CS_OK; s++)
    code = name_signals(system, s, error);
  if (code != CS_OK) return code;
  cs_draft_add_name(&text, name, "subsystem");
  if (!text.failed) system->name = choose(text.data, draft->systems - 1, name_of_system, draft->system);
  cs_text_free(&text);
  return system->name != NULL ? CS_OK : cs_error_memory(error);
}

/* ---- memory */

static void free_names(struct cs_draft_names *names) {
  for (size_t i = 0; i < names->count; i++)
    free(names->text[i]);
  free(names->text);
}

static void free_system(struct cs_draft_system *system) {
  free(system->name);
  free(system->original);
  for (int p = 0; p < CS_DRAFT_PARTS; p++)
    free(system->part[p].value);
  for (int s = 0; s < CS_DRAFT_SIDES; s++) {
    free_names(&system->names[s]);
    free_names(&system->units[s]);
    for (size_t i = 0; system->signal[s] != NULL && i < system->signals[s]; i++)
      free(system->signal[s][i]);
    free(system->signal[s]);
  }
}

void cs_draft_free(struct cs_draft *draft) {
  for (size_t i = 0; i < draft->systems; i++)
    free_system(&draft->system[i]);
  for (size_t i = 0; i < draft->wishes; i++) {
    free(draft->wish[i].from);
    free(draft->wish[i].to);
    free(draft->wish[i].place);
  }
  free(draft->system);
  free(draft->wish);
  free(draft->link);
  cs_text_free(&draft->warnings);
  cs_text_free(&draft->unread);
}
