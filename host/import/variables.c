#include "variables.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "role.h"

struct reader {
  const char *file, *system; /* system: NULL for variables that stand alone */
  struct cs_draft *draft;
  struct cs_error *error;
};

/* FILE:LINE:COLUMN: SYSTEM: and a prepared message. */
static int fail(const struct reader *r, const struct cs_variable *at, int code, struct cs_text *text) {
  struct cs_text place = {0};
  if (at->line > 0) cs_text_add(&place, ":%zu", at->line);
  if (at->column > 0) cs_text_add(&place, ":%zu", at->column);
  if (r->system != NULL) cs_text_add(&place, ": %s", r->system);
  if (text->failed || place.failed)
    code = cs_error_memory(r->error);
  else
    cs_error_set(r->error, code, "%s%s: %s", r->file, cs_text_string(&place), text->data);
  cs_text_free(&place);
  cs_text_free(text);
  return code;
}

static int fail_variable(const struct reader *r, const struct cs_variable *v, const char *want) {
  static const char *const kinds[CS_VARIABLE_KINDS] = {[CS_VARIABLE_NUMBERS] = "a matrix",
                                                       [CS_VARIABLE_TEXT] = "a text",
                                                       [CS_VARIABLE_CELLS] = "a cell array",
                                                       [CS_VARIABLE_STRUCT] = "a structure",
                                                       [CS_VARIABLE_OBJECT] = "an object"};
  struct cs_text text = {0};
  if (v->kind == CS_VARIABLE_OTHER)
    cs_text_add(&text, "%s is %s", v->name, v->text);
  else
    cs_text_add(&text, "%s is %s; want %s", v->name, kinds[v->kind], want);
  return fail(r, v, CS_INPUT, &text);
}

/* ---- fields */

/* [] as MATLAB writes it where there is nothing, or an empty list. */
static bool is_nothing(const struct cs_variable *v) {
  return (v->kind == CS_VARIABLE_NUMBERS || v->kind == CS_VARIABLE_CELLS) && v->rows == 0 && v->columns <= 1;
}

/* Without any number, text or field. */
static bool is_empty(const struct cs_variable *v) {
  if (v->kind == CS_VARIABLE_TEXT) return v->text[0] == '\0';
  if (v->kind == CS_VARIABLE_STRUCT) return v->parts == 0;
  return (v->kind == CS_VARIABLE_NUMBERS || v->kind == CS_VARIABLE_CELLS) && v->rows * v->columns == 0;
}

static int read_part(const struct reader *r, const struct cs_variable *v, enum cs_draft_part part,
                     struct cs_draft_matrix *matrix) {
  const bool vector = cs_draft_part_side(part, true) < 0;
  if (v->kind != CS_VARIABLE_NUMBERS)
    return fail_variable(r, v, vector ? "a vector of numbers" : "a matrix of numbers");
  if (part == CS_DRAFT_DESCRIPTOR ? is_empty(v) : is_nothing(v) && part != CS_DRAFT_A) return CS_OK;
  const bool row = vector && v->rows == 1; /* either way */
  const size_t columns = row ? 1 : is_nothing(v) ? 0 : v->columns;
  if (!cs_draft_give(matrix, row ? v->columns : v->rows, columns)) return cs_error_memory(r->error);
  matrix->list = v->list;
  if (matrix->value != NULL) memcpy(matrix->value, v->number, v->rows * v->columns * sizeof *v->number);
  return CS_OK;
}

static int read_names(const struct reader *r, const struct cs_variable *v, struct cs_draft_names *names) {
  const bool one = v->kind == CS_VARIABLE_TEXT;
  if (!one && v->kind != CS_VARIABLE_CELLS && !is_nothing(v)) return fail_variable(r, v, "a cell array of texts");
  for (size_t i = 0; i < (one ? 1 : v->parts); i++) {
    const struct cs_variable *text = one ? v : &v->part[i];
    struct cs_text message = {0};
    if (text->kind != CS_VARIABLE_TEXT && !is_nothing(text)) {
      cs_text_add(&message, "%s{%zu} is no text", v->name, i + 1);
      return fail(r, v, CS_INPUT, &message);
    }
    if (!cs_draft_add_text(names, is_nothing(text) ? "" : text->text)) return cs_error_memory(r->error);
  }
  return CS_OK;
}

/* Sample times and delays: nothing, or zeros. */
static int check_zero(const struct reader *r, const struct cs_variable *v, bool delay) {
  struct cs_text text = {0};
  size_t i = 0;
  if (is_empty(v)) return CS_OK;
  if (v->kind != CS_VARIABLE_NUMBERS) return fail_variable(r, v, "0");
  while (i < v->rows * v->columns && v->number[i] == 0.0)
    i++;
  if (i == v->rows * v->columns) return CS_OK;
  cs_text_add(&text, "%s is %g: cosweep takes %s", v->name, v->number[i],
              delay ? "subsystems without delays (pade)" : "continuous subsystems (d2c)");
  return fail(r, v, CS_INPUT, &text);
}

static int check_time_unit(const struct reader *r, const struct cs_variable *v) {
  static const char *const seconds[] = {"s", "sec", "second", "seconds"};
  struct cs_text text = {0};
  if (is_empty(v)) return CS_OK;
  if (v->kind != CS_VARIABLE_TEXT) return fail_variable(r, v, "seconds");
  for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
    if (strcasecmp(v->text, seconds[i]) == 0) return CS_OK;
  cs_text_add(&text, "%s is \"%s\"; want seconds (chgTimeUnit)", v->name, v->text);
  return fail(r, v, CS_INPUT, &text);
}

/* Whether a to d stand for the matrices. */
static bool is_small(const struct cs_variable *v) {
  const struct cs_variable *a = cs_variable_find(v, "a");
  return cs_variable_find(v, "A") == NULL && a != NULL && a->kind == CS_VARIABLE_NUMBERS &&
         (cs_variable_find(v, "b") != NULL || cs_variable_find(v, "c") != NULL || cs_variable_find(v, "d") != NULL);
}

/* D alone, a subsystem without states. */
static bool is_gain(const struct cs_variable *v) {
  const struct cs_variable *d = cs_variable_find(v, "D");
  return d != NULL && (d->kind == CS_VARIABLE_NUMBERS || d->kind == CS_VARIABLE_OTHER) &&
         cs_variable_find(v, "B") == NULL && cs_variable_find(v, "C") == NULL && cs_variable_find(v, "a") == NULL;
}

static bool is_system(const struct cs_variable *v) {
  return cs_variable_find(v, "A") != NULL || is_small(v) || is_gain(v);
}

static bool is_subsystem(const struct cs_variable *v) {
  return v->kind == CS_VARIABLE_STRUCT && is_system(v);
}

/* Whether the variables of a file are one. A D beside subsystems is none. */
static bool is_whole(const struct cs_variable *root) {
  for (size_t i = 0; i < root->parts; i++)
    if (is_subsystem(&root->part[i])) return cs_variable_find(root, "A") != NULL || is_small(root);
  return is_system(root);
}

/* What a field of `whole` is to the subsystem. Beside a, e is E. */
static struct cs_role role_in(const struct cs_variable *whole, const char *name) {
  const struct cs_role role = cs_role_of(name);
  if (role.kind == CS_ROLE_SMALL && is_small(whole)) return (struct cs_role){CS_ROLE_PART, role.index};
  if (role.kind == CS_ROLE_PART && role.index == CS_DRAFT_E && is_small(whole))
    return (struct cs_role){CS_ROLE_PART, CS_DRAFT_DESCRIPTOR};
  return role;
}

/* What changes the meaning of matrices. *other: it is something else. */
static int check(const struct reader *r, const struct cs_variable *v, enum cs_role_kind kind, bool *other) {
  *other = kind != CS_ROLE_SAMPLING && kind != CS_ROLE_DELAY && kind != CS_ROLE_TIME_UNIT;
  if (*other) return CS_OK;
  return kind == CS_ROLE_TIME_UNIT ? check_time_unit(r, v) : check_zero(r, v, kind == CS_ROLE_DELAY);
}

/* *unread: it has no meaning for the subsystem. */
static int read_field(const struct reader *r, const struct cs_variable *v, struct cs_role role,
                      struct cs_draft_system *system, bool *unread) {
  int code;
  *unread = false;
  switch (role.kind) {
    case CS_ROLE_PART:
      return read_part(r, v, (enum cs_draft_part)role.index, &system->part[role.index]);
    case CS_ROLE_NAMES:
      return read_names(r, v, &system->names[role.index]);
    case CS_ROLE_UNITS:
      return read_names(r, v, &system->units[role.index]);
    default:
      code = check(r, v, role.kind, unread);
      *unread = *unread && !is_empty(v);
      return code;
  }
}

/* ---- subsystems */

/* A line about the subsystem. */
static void warn(const struct reader *r, const char *text) {
  const bool alone = r->system == NULL;
  cs_text_add(&r->draft->warnings, "%s: %s%s%s\n", r->file, alone ? "" : r->system, alone ? "" : ": ", text);
}

/* Lists of numbers, which become rows in a MAT-file, are what fits where nothing else can be meant: the B of a single
 * input, or a list of a single state, the C of a single output, the D of either. */
static void turn(const struct reader *r, struct cs_draft_system *system, enum cs_draft_part part) {
  struct cs_draft_matrix *m = &system->part[part];
  const struct cs_draft_matrix *b = &system->part[CS_DRAFT_B], *c = &system->part[CS_DRAFT_C];
  const size_t states = system->part[CS_DRAFT_A].rows;
  const size_t rows = part == CS_DRAFT_B ? states : part == CS_DRAFT_C ? 1 : c->rows;
  const size_t inputs = states == 1 && m->list ? m->rows : 1;
  const size_t columns = part == CS_DRAFT_C ? states : part == CS_DRAFT_B ? inputs : b->columns;
  const bool list = m->rows == 1 || m->columns == 1, fits = m->rows == columns && m->columns == rows;
  struct cs_text text = {0};
  if (!m->given || states == 0 || !list || !fits || m->rows == m->columns ||
      (part == CS_DRAFT_D && (!b->given || !c->given)))
    return;
  cs_text_add(&text, "%s is %zux%zu: read as a ", cs_draft_part_name(part), m->rows, m->columns);
  m->rows = rows;
  m->columns = columns;
  if (columns == 1)
    cs_text_add(&text, "column, of one input");
  else if (part == CS_DRAFT_C || (part == CS_DRAFT_D && rows == 1))
    cs_text_add(&text, "row, of one output");
  else
    cs_text_add(&text, "row, of %zu inputs", columns);
  warn(r, cs_text_string(&text));
  r->draft->warnings.failed |= text.failed;
  cs_text_free(&text);
}

/* "a, b are not read" */
static void warn_unread(const struct reader *r, const struct cs_text *unread, size_t count) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s %s not read", cs_text_string(unread), count == 1 ? "is" : "are");
  if (count > 0) warn(r, cs_text_string(&text));
  r->draft->warnings.failed |= text.failed || unread->failed;
  cs_text_free(&text);
}

/* Adds a name to a list of at most 20, with what a structure lacks that would be a subsystem. */
static void add_unread(struct cs_text *unread, size_t *count, const struct cs_variable *v) {
  enum { SHOWN = 20 };
  bool other = false;
  for (size_t i = 0; i < v->parts && v->kind == CS_VARIABLE_STRUCT; i++)
    other |= cs_role_of(v->part[i].name).kind == CS_ROLE_PART;
  if (*count < SHOWN) cs_text_add_name(unread, v->name);
  if (*count < SHOWN && other) cs_text_add(unread, " (without A)");
  if (++*count == SHOWN + 1) cs_text_add(unread, ", ...");
}

static int read_system(const struct reader *r, const char *name, const struct cs_variable *v) {
  struct cs_draft_system *system = cs_draft_add_system(r->draft, name);
  struct cs_error wrong = {0};
  struct cs_text text = {0}, unread = {0};
  size_t count = 0;
  int code = system != NULL ? CS_OK : cs_error_memory(r->error);
  for (size_t i = 0; i < v->parts && code == CS_OK; i++) {
    bool other;
    if (r->system == NULL && is_subsystem(&v->part[i])) continue;
    code = read_field(r, &v->part[i], role_in(v, v->part[i].name), system, &other);
    if (other && r->system != NULL) add_unread(&unread, &count, &v->part[i]);
  }
  if (code == CS_OK) warn_unread(r, &unread, count);
  cs_text_free(&unread);
  if (code != CS_OK) return code;
  turn(r, system, CS_DRAFT_B);
  turn(r, system, CS_DRAFT_C);
  turn(r, system, CS_DRAFT_D);
  code = cs_draft_finish(r->draft, name, &wrong);
  if (code == CS_OK && system->solved) warn(r, "E x' = A x + B u is solved for x'");
  if (code == CS_OK) return code;
  cs_text_add(&text, "%s", wrong.message);
  return fail(r, v, code, &text);
}

static int read_struct(const struct reader *r, const struct cs_variable *v) {
  struct cs_text text = {0};
  if (v->rows == 1 && v->columns == 1) return read_system(r, v->name, v);
  cs_text_add(&text, "an array of %zux%zu structures; want a variable of its own for each subsystem", v->rows,
              v->columns);
  return fail(r, v, CS_INPUT, &text);
}

/* An object that would be a subsystem. Those of other classes may stand beside subsystems. */
static bool is_system_object(const struct cs_variable *v) {
  static const char *const systems[] = {"ss",     "tf",    "zpk", "frd",    "idss", "idtf",
                                        "idpoly", "genss", "uss", "sparss", ""};
  for (size_t i = 0; i < sizeof systems / sizeof *systems && v->kind == CS_VARIABLE_OBJECT; i++)
    if (strcmp(v->text, systems[i]) == 0) return true;
  return false;
}

static int fail_object(const struct reader *r, const struct cs_variable *v) {
  struct cs_text text = {0};
  const char *slash = strrchr(r->file, '/'), *class = v->text[0] != '\0' ? v->text : "ss, tf or similar";
  cs_text_add(&text, "%s %s object; save matrices instead: [A,B,C,D] = ssdata(sys); save('%s','A','B','C','D','-v7')",
              strchr("tzgu", class[0]) != NULL ? "a" : "an", class, slash != NULL ? slash + 1 : r->file);
  return fail(r, v, CS_INPUT, &text);
}

/* ---- connections */

/* A number, or a text that is one, as in files that have texts alone. */
static bool take_number(const struct cs_variable *v, double *number) {
  const bool text = v->kind == CS_VARIABLE_TEXT && v->text[0] != '\0';
  char *end = NULL;
  if (!text && (v->kind != CS_VARIABLE_NUMBERS || v->rows != 1 || v->columns != 1)) return false;
  const double value = text ? strtod(v->text, &end) : v->number[0];
  if (text && *end != '\0') return false;
  *number = value;
  return true;
}

/* {'a.y', 'b.u'}, with a gain behind, or {constant, 'b.u'}. */
static int read_connection(const struct reader *r, const struct cs_variable *v, size_t row) {
  const struct cs_variable *cell = v->part + row * v->columns, *third = v->columns == 3 ? &cell[2] : NULL;
  double value = 1.0;
  struct cs_text text = {0};
  const bool constant = take_number(&cell[0], &value), gain = third != NULL && !is_empty(third);
  if (cell[1].kind == CS_VARIABLE_TEXT && (constant ? !gain : cell[0].kind == CS_VARIABLE_TEXT) &&
      (!gain || take_number(third, &value)))
    return cs_draft_add_wish(r->draft, r->file, constant ? NULL : cell[0].text, cell[1].text, value, r->error);
  cs_text_add(&text, "%s: row %zu: want {'a.y', 'b.u'}, {'a.y', 'b.u', gain} or {constant, 'b.u'}", v->name, row + 1);
  return fail(r, v, CS_INPUT, &text);
}

static int read_connections(const struct reader *r, const struct cs_variable *v) {
  struct cs_text text = {0};
  if (is_empty(v)) return CS_OK;
  if (v->kind != CS_VARIABLE_CELLS || v->columns < 2 || v->columns > 3) {
    cs_text_add(&text, "%s: want a cell array with rows {'a.y', 'b.u'}, {'a.y', 'b.u', gain} or {constant, 'b.u'}",
                v->name);
    return fail(r, v, CS_INPUT, &text);
  }
  int code = CS_OK;
  for (size_t i = 0; i < v->rows && code == CS_OK; i++)
    code = read_connection(r, v, i);
  return code;
}

/* ---- the file */

int cs_variables_read(const char *file, const char *name, const struct cs_variable *root, struct cs_draft *draft,
                      struct cs_error *error) {
  const struct reader alone = {file, NULL, draft, error};
  const bool whole = is_whole(root);
  struct cs_text unread = {0};
  size_t count = 0;
  int code = CS_OK;
  for (size_t i = 0; i < root->parts && code == CS_OK; i++) {
    const struct cs_variable *v = &root->part[i];
    const struct reader reader = {file, v->name, draft, error};
    const enum cs_role_kind kind = role_in(root, v->name).kind;
    bool other = kind == CS_ROLE_NONE || kind == CS_ROLE_SMALL;
    if (is_subsystem(v))
      code = read_struct(&reader, v);
    else if (is_system_object(v))
      code = fail_object(&reader, v);
    else if (kind == CS_ROLE_CONNECTIONS)
      code = read_connections(&alone, v);
    else if (!whole)
      code = check(&alone, v, kind, &other); /* it would be of all subsystems */
    if (other && !is_subsystem(v) && !is_empty(v)) add_unread(&unread, &count, v);
  }
  if (code == CS_OK && whole) code = read_system(&alone, name, root);
  if (code == CS_OK) warn_unread(&alone, &unread, count);
  if (count > 0) cs_text_add_name(&draft->unread, cs_text_string(&unread));
  cs_text_free(&unread);
  return code;
}
