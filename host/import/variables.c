#include "variables.h"

#include <stdlib.h>
#include <string.h>

struct reader {
  const char *file, *system; /* system: NULL for variables that stand alone */
  struct cs_draft *draft;
  struct cs_error *error;
};

/* FILE: SYSTEM: and a prepared message. */
static int fail(const struct reader *r, int code, struct cs_text *text) {
  const bool alone = r->system == NULL;
  if (text->failed)
    code = cs_error_memory(r->error);
  else
    cs_error_set(r->error, code, "%s: %s%s%s", r->file, alone ? "" : r->system, alone ? "" : ": ", text->data);
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
  return fail(r, CS_INPUT, &text);
}

/* ---- fields */

/* MATLAB writes [] where there is nothing. */
static bool is_nothing(const struct cs_variable *v) {
  return (v->kind == CS_VARIABLE_NUMBERS || v->kind == CS_VARIABLE_CELLS) && v->rows == 0 && v->columns == 0;
}

static int read_part(const struct reader *r, const struct cs_variable *v, enum cs_draft_part part,
                     struct cs_draft_matrix *matrix) {
  const bool vector = cs_draft_part_side(part, true) < 0;
  if (v->kind != CS_VARIABLE_NUMBERS)
    return fail_variable(r, v, vector ? "a vector of numbers" : "a matrix of numbers");
  if (is_nothing(v) && part != CS_DRAFT_A) return CS_OK;
  const bool row = vector && v->rows == 1; /* either way */
  if (!cs_draft_give(matrix, row ? v->columns : v->rows, row ? 1 : v->columns)) return cs_error_memory(r->error);
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
      return fail(r, CS_INPUT, &message);
    }
    if (!cs_draft_add_text(names, is_nothing(text) ? "" : text->text)) return cs_error_memory(r->error);
  }
  return CS_OK;
}

static bool is_sampling(const char *name) {
  return strcmp(name, "Ts") == 0 || strcmp(name, "dt") == 0;
}

static int read_sampling(const struct reader *r, const struct cs_variable *v) {
  struct cs_text text = {0};
  if (is_nothing(v)) return CS_OK;
  if (v->kind != CS_VARIABLE_NUMBERS || v->rows != 1 || v->columns != 1) return fail_variable(r, v, "a number");
  if (v->number[0] == 0.0) return CS_OK;
  cs_text_add(&text, "%s is %g: cosweep takes continuous subsystems (d2c)", v->name, v->number[0]);
  return fail(r, CS_INPUT, &text);
}

/* The part, or CS_DRAFT_PARTS. */
static enum cs_draft_part find_part(const char *name) {
  enum cs_draft_part p = CS_DRAFT_A;
  while (p < CS_DRAFT_PARTS && strcmp(strcmp(name, "X0") == 0 ? "x0" : name, cs_draft_part_name(p)) != 0)
    p++;
  return p;
}

/* Where texts of that name belong in the subsystem, or in none. */
static bool find_names(const char *name, int *side, bool *units) {
  for (*side = 0; *side < CS_DRAFT_SIDES; ++*side)
    for (int k = 0; k < 2; k++) {
      *units = k > 0;
      if (strcmp(name, cs_draft_names_key(*side, *units)) == 0) return true;
    }
  return false;
}

static const char connections[] = "connections";

bool cs_variables_has_meaning(const char *name) {
  int side;
  bool units;
  return find_part(name) != CS_DRAFT_PARTS || is_sampling(name) || strcmp(name, connections) == 0 ||
         find_names(name, &side, &units);
}

/* A variable that means nothing here is named, unless it stands outside of structures. */
static int read_field(const struct reader *r, const struct cs_variable *v, struct cs_draft_system *system) {
  const enum cs_draft_part part = find_part(v->name);
  int side;
  bool units;
  if (part != CS_DRAFT_PARTS) return read_part(r, v, part, &system->part[part]);
  if (find_names(v->name, &side, &units)) return read_names(r, v, units ? &system->units[side] : &system->names[side]);
  if (is_sampling(v->name)) return read_sampling(r, v);
  if (r->system != NULL) cs_text_add(&r->draft->warnings, "%s: %s: %s is not read\n", r->file, r->system, v->name);
  return CS_OK;
}

/* ---- subsystems */

/* Lists of numbers in other programs become rows in a MAT-file: the B of a single input may be one, and the C of a
 * single output a column, where nothing else can be meant. */
static void turn(const struct reader *r, struct cs_draft_system *system, enum cs_draft_part part) {
  struct cs_draft_matrix *m = &system->part[part];
  const size_t states = system->part[CS_DRAFT_A].rows, other = part == CS_DRAFT_B ? m->rows : m->columns;
  const size_t count = m->rows * m->columns;
  if (!m->given || states < 2 || other != 1 || count != states) return;
  const size_t rows = m->rows;
  m->rows = m->columns;
  m->columns = rows;
  cs_text_add(&r->draft->warnings, "%s: %s%s%s is %zux%zu: read as a %s\n", r->file, r->system != NULL ? r->system : "",
              r->system != NULL ? ": " : "", cs_draft_part_name(part), m->columns, m->rows,
              part == CS_DRAFT_B ? "column, of one input" : "row, of one output");
}

static int read_system(const struct reader *r, const char *name, const struct cs_variable *v) {
  struct cs_draft_system *system = cs_draft_add_system(r->draft, name);
  int code = system != NULL ? CS_OK : cs_error_memory(r->error);
  for (size_t i = 0; i < v->parts && code == CS_OK; i++)
    code = read_field(r, &v->part[i], system);
  if (code != CS_OK) return code;
  turn(r, system, CS_DRAFT_B);
  turn(r, system, CS_DRAFT_C);
  struct cs_error wrong = {0};
  struct cs_text text = {0};
  code = cs_draft_finish(r->draft, name, &wrong);
  if (code == CS_OK) return code;
  cs_text_add(&text, "%s", wrong.message);
  return fail(r, code, &text);
}

static int read_struct(const struct reader *r, const struct cs_variable *v) {
  struct cs_text text = {0};
  if (cs_variable_find(v, cs_draft_part_name(CS_DRAFT_A)) == NULL) return CS_OK;
  if (v->rows == 1 && v->columns == 1) return read_system(r, v->name, v);
  cs_text_add(&text, "an array of %zux%zu structures; want a variable of its own for each subsystem", v->rows,
              v->columns);
  return fail(r, CS_INPUT, &text);
}

/* Objects of other classes may stand beside subsystems. */
static int read_object(const struct reader *r, const struct cs_variable *v) {
  static const char *const systems[] = {"ss",     "tf",    "zpk", "frd",    "idss", "idtf",
                                        "idpoly", "genss", "uss", "sparss", ""};
  size_t i = 0;
  while (i < sizeof systems / sizeof *systems && strcmp(v->text, systems[i]) != 0)
    i++;
  if (i == sizeof systems / sizeof *systems) return CS_OK;
  struct cs_text text = {0};
  const char *slash = strrchr(r->file, '/'), *class = v->text[0] != '\0' ? v->text : "ss, tf or similar";
  cs_text_add(&text, "%s %s object; save matrices instead: [A,B,C,D] = ssdata(sys); save('%s','A','B','C','D','-v7')",
              strchr("tzgu", class[0]) != NULL ? "a" : "an", class, slash != NULL ? slash + 1 : r->file);
  return fail(r, CS_INPUT, &text);
}

/* ---- connections */

static bool is_row(const struct cs_variable *row, size_t columns) {
  if (row[0].kind != CS_VARIABLE_TEXT || row[1].kind != CS_VARIABLE_TEXT) return false;
  return columns == 2 || (row[2].kind == CS_VARIABLE_NUMBERS && row[2].rows == 1 && row[2].columns == 1);
}

static int read_connections(const struct reader *r, const struct cs_variable *v) {
  struct cs_text text = {0};
  if (is_nothing(v)) return CS_OK;
  if (v->kind != CS_VARIABLE_CELLS || v->columns < 2 || v->columns > 3) {
    cs_text_add(&text, "%s: want a cell array with rows {'a.y', 'b.u'} or {'a.y', 'b.u', gain}", v->name);
    return fail(r, CS_INPUT, &text);
  }
  int code = CS_OK;
  for (size_t i = 0; i < v->rows && code == CS_OK; i++) {
    const struct cs_variable *row = v->part + i * v->columns;
    if (!is_row(row, v->columns)) {
      cs_text_add(&text, "%s: row %zu: want {'a.y', 'b.u'} or {'a.y', 'b.u', gain}", v->name, i + 1);
      return fail(r, CS_INPUT, &text);
    }
    code = cs_draft_add_wish(r->draft, r->file, row[0].text, row[1].text, v->columns == 3 ? row[2].number[0] : 1.0,
                             r->error);
  }
  return code;
}

int cs_variables_read(const char *file, const char *name, const struct cs_variable *root, struct cs_draft *draft,
                      struct cs_error *error) {
  const struct reader alone = {file, NULL, draft, error};
  int code = CS_OK;
  for (size_t i = 0; i < root->parts && code == CS_OK; i++) {
    const struct cs_variable *v = &root->part[i];
    const struct reader reader = {file, v->name, draft, error};
    if (v->kind == CS_VARIABLE_STRUCT)
      code = read_struct(&reader, v);
    else if (v->kind == CS_VARIABLE_OBJECT)
      code = read_object(&reader, v);
    else if (strcmp(v->name, connections) == 0)
      code = read_connections(&alone, v);
  }
  if (code == CS_OK && cs_variable_find(root, cs_draft_part_name(CS_DRAFT_A)) != NULL)
    code = read_system(&alone, name, root);
  return code;
}
