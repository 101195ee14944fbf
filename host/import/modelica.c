#include "modelica.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "list.h"
#include "role.h"
#include "variables.h"

enum kind { END, WORD, NUMBER, STRING, SIGN };

struct token {
  enum kind kind;
  size_t at, length; /* in the text; of names and strings without quotes */
  size_t line;
  double number;
};

/* A whole number that sizes may refer to: "parameter Integer n = 2". */
struct count {
  char *name;
  double value;
};

/* Numbers of a parameter as they stand in the file. */
struct values {
  size_t rows, columns, count; /* columns: of the first row */
  bool ragged;                 /* another row has another number */
  double *number;
};

/* "[p, n]" behind the name of a parameter, as words and as numbers. */
struct shape {
  size_t dimensions, size[2];
  struct cs_text words;
};

struct parser {
  const char *file, *text;
  size_t length, next, line;
  struct token token; /* the one looked at */
  struct count *count;
  size_t counts;
  struct cs_variable system;
  char *model;
  size_t names[CS_DRAFT_SIDES];
  char **name[CS_DRAFT_SIDES]; /* [CS_DRAFT_MOST], NULL: not given; up to the last one of [names] */
  struct cs_error *error;
};

/* ---- words */

static void skip_to(struct parser *p, const char *end) {
  const size_t length = strlen(end);
  while (p->next < p->length && (p->length - p->next < length || memcmp(p->text + p->next, end, length) != 0))
    p->line += p->text[p->next++] == '\n';
}

static void skip_blanks(struct parser *p) {
  while (p->next < p->length) {
    const char c = p->text[p->next], d = p->next + 1 < p->length ? p->text[p->next + 1] : '\0';
    if (c == '/' && (d == '/' || d == '*')) {
      p->next += 2;
      skip_to(p, d == '/' ? "\n" : "*/");
      if (d == '*' && p->next < p->length) p->next += 2;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      p->line += c == '\n';
      p->next++;
    } else {
      return;
    }
  }
}

/* A name or a text in quotes, with backslashes before quotes inside. */
static void take_quoted(struct parser *p, char quote) {
  p->token.at = ++p->next;
  while (p->next < p->length && p->text[p->next] != quote) {
    if (p->text[p->next] == '\\' && p->next + 1 < p->length) p->next++;
    p->line += p->text[p->next++] == '\n';
  }
  p->token.length = p->next - p->token.at;
  p->next += p->next < p->length;
  p->token.kind = quote == '"' ? STRING : WORD;
}

static bool take_number(struct parser *p) {
  char digits[64], *end;
  const size_t left = p->length - p->next;
  size_t length = 0;
  while (length < left && length + 1 < sizeof digits && strchr("0123456789.eE+-", p->text[p->next + length]) != NULL &&
         p->text[p->next + length] != '\0')
    digits[length] = p->text[p->next + length], length++;
  digits[length] = '\0';
  p->token.number = strtod(digits, &end);
  if (end == digits) return false;
  p->token.kind = NUMBER;
  p->token.length = (size_t)(end - digits);
  p->next += p->token.length;
  return true;
}

static void advance(struct parser *p) {
  skip_blanks(p);
  p->token = (struct token){.kind = END, .at = p->next, .line = p->line};
  if (p->next >= p->length) return;
  const char c = p->text[p->next];
  if (c == '\'' || c == '"') {
    take_quoted(p, c);
    return;
  }
  if (((c >= '0' && c <= '9') || c == '.') && take_number(p)) return;
  p->token.kind = cs_ascii_is_word(c) ? WORD : SIGN;
  p->token.length = 1;
  p->next++;
  while (p->token.kind == WORD && p->next < p->length && cs_ascii_is_word(p->text[p->next]))
    p->next++, p->token.length++;
}

static bool is(const struct parser *p, const char *text) {
  const struct token *t = &p->token;
  return (t->kind == WORD || t->kind == SIGN) && strlen(text) == t->length &&
         memcmp(p->text + t->at, text, t->length) == 0;
}

static bool take(struct parser *p, const char *text) {
  const bool there = is(p, text);
  if (there) advance(p);
  return there;
}

/* "FILE:LINE: NAME: found FOUND; want WANT" */
static int fail(const struct parser *p, const char *name, const char *want) {
  enum { SHOWN = 40 };
  const struct token *t = &p->token;
  if (t->kind == END)
    return cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: the file ends; want %s", p->file, t->line, name, want);
  struct cs_text found = {0};
  char *text = cs_text_copy_part(p->text + t->at, t->length < SHOWN ? t->length : SHOWN);
  if (text != NULL) cs_text_add_plain(&found, text);
  const int code = text == NULL || found.failed ? cs_error_memory(p->error)
                                                : cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: found %s; want %s",
                                                               p->file, t->line, name, cs_text_string(&found), want);
  free(text);
  cs_text_free(&found);
  return code;
}

/* ---- values */

/* A whole number, or the name of one. */
static int take_size(struct parser *p, const char *name, size_t *size) {
  const struct token token = p->token;
  struct cs_text want = {0};
  double value = token.kind == NUMBER ? token.number : -1.0;
  for (size_t i = 0; i < p->counts; i++) {
    cs_text_add_name(&want, p->count[i].name);
    if (token.kind == WORD && is(p, p->count[i].name)) value = p->count[i].value;
  }
  cs_text_add(&want, "%sa whole number up to %d", p->counts > 0 ? " or " : "", CS_DRAFT_MOST);
  const bool legal = value >= 0.0 && value <= CS_DRAFT_MOST && value == floor(value);
  int code = want.failed ? cs_error_memory(p->error) : CS_OK;
  if (code == CS_OK && value > CS_DRAFT_MOST)
    code = cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: a size of %.17g; want at most %d", p->file, token.line, name,
                        value, CS_DRAFT_MOST);
  else if (code == CS_OK && !legal)
    code = fail(p, name, want.data);
  cs_text_free(&want);
  if (code != CS_OK) return code;
  *size = (size_t)value;
  advance(p);
  return CS_OK;
}

static int add_value(struct parser *p, struct values *values, double value) {
  if (!cs_list_grow(&values->number, values->count, sizeof *values->number)) return cs_error_memory(p->error);
  values->number[values->count++] = value;
  return CS_OK;
}

/* "-1.5e3" */
static int take_value(struct parser *p, const char *name, struct values *values) {
  double sign = 1.0;
  while (is(p, "-") || is(p, "+"))
    sign = take(p, "-") ? -sign : (advance(p), sign);
  if (p->token.kind != NUMBER || !isfinite(p->token.number)) return fail(p, name, "a number");
  const int code = add_value(p, values, sign * p->token.number);
  advance(p);
  return code;
}

static void end_row(struct values *values, size_t before) {
  if (values->rows++ == 0) values->columns = values->count - before;
  values->ragged |= values->count - before != values->columns;
}

/* "zeros(n, m)" */
static int take_zeros(struct parser *p, const char *name, struct values *values) {
  size_t columns = 1;
  advance(p);
  if (!take(p, "(")) return fail(p, name, "(");
  int code = take_size(p, name, &values->rows);
  if (code == CS_OK && take(p, ",")) code = take_size(p, name, &columns);
  if (code != CS_OK) return code;
  if (!take(p, ")")) return fail(p, name, ")");
  values->columns = columns;
  values->count = 0;
  free(values->number);
  values->number = NULL;
  for (size_t i = 0; i < values->rows * columns && code == CS_OK; i++)
    code = add_value(p, values, 0.0);
  return code;
}

/* "[1, 2; 3, 4]" */
static int take_rows(struct parser *p, const char *name, struct values *values) {
  advance(p);
  while (!take(p, "]")) {
    const size_t before = values->count;
    int code = take_value(p, name, values);
    while (code == CS_OK && take(p, ","))
      code = take_value(p, name, values);
    if (code != CS_OK) return code;
    end_row(values, before);
    if (!take(p, ";") && !is(p, "]")) return fail(p, name, ", ; or ]");
  }
  return CS_OK;
}

/* "{1, 2}", or "{{1, 2}, {3, 4}}" */
static int take_list(struct parser *p, const char *name, struct values *values, bool outer) {
  const size_t before = values->count;
  bool nested = false;
  advance(p);
  while (!take(p, "}")) {
    nested = outer && is(p, "{");
    const int code = nested ? take_list(p, name, values, false) : take_value(p, name, values);
    if (code != CS_OK) return code;
    if (outer && !nested) end_row(values, values->count - 1);
    if (!take(p, ",") && !is(p, "}")) return fail(p, name, ", or }");
  }
  if (!outer) end_row(values, before);
  return CS_OK;
}

/* "{...}", "[...; ...]", "zeros(...)", or a number. */
static int take_values(struct parser *p, const char *name, struct values *values) {
  if (is(p, "[")) return take_rows(p, name, values);
  if (is(p, "{")) return take_list(p, name, values, true);
  if (is(p, "zeros")) return take_zeros(p, name, values);
  if (p->token.kind != NUMBER && !is(p, "-") && !is(p, "+")) return fail(p, name, "{...}, [...; ...] or zeros(...)");
  const int code = take_value(p, name, values);
  if (code == CS_OK) end_row(values, 0);
  return code;
}

/* ---- declarations */

static void skip_statement(struct parser *p) {
  while (p->token.kind != END && !is(p, ";"))
    advance(p);
}

/* "n = 2" after "Integer"; what is no number is no size. */
static int take_integer(struct parser *p) {
  const struct token name = p->token;
  advance(p);
  if (name.kind != WORD || !take(p, "=") || p->token.kind != NUMBER) return CS_OK;
  if (!cs_list_grow(&p->count, p->counts, sizeof *p->count)) return cs_error_memory(p->error);
  p->count[p->counts] = (struct count){cs_text_copy_part(p->text + name.at, name.length), p->token.number};
  return p->count[p->counts].name != NULL ? (p->counts++, CS_OK) : cs_error_memory(p->error);
}

/* "[p, n]", if there is one. */
static int take_shape(struct parser *p, const char *name, struct shape *shape) {
  int code = CS_OK;
  if (!take(p, "[")) return CS_OK;
  while (code == CS_OK && shape->dimensions < 2) {
    cs_text_add(&shape->words, shape->dimensions > 0 ? " x " : "");
    cs_text_append(&shape->words, p->text + p->token.at, p->token.length);
    code = take_size(p, name, &shape->size[shape->dimensions++]);
    if (code == CS_OK && !take(p, ",")) break;
  }
  if (code == CS_OK && !take(p, "]")) code = fail(p, name, "]");
  if (shape->dimensions == 1) shape->size[1] = 1;
  return code;
}

/* "linear.mo:7: C: 4 numbers, want p x n = 1 x 2" */
static int check_shape(const struct parser *p, const char *name, size_t line, const struct values *values,
                       const struct shape *shape) {
  const size_t rows = shape->size[0], columns = shape->size[1];
  const bool rowless = shape->dimensions < 2 || rows * columns == 0;
  struct cs_text want = {0};
  if (shape->dimensions == 0) return CS_OK;
  cs_text_add(&want, "%s = %zu", cs_text_string(&shape->words), rows);
  if (shape->dimensions > 1) cs_text_add(&want, " x %zu", columns);
  int code = want.failed || shape->words.failed ? cs_error_memory(p->error) : CS_OK;
  if (code == CS_OK && values->count != rows * columns)
    code = cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: %zu numbers, want %s", p->file, line, name, values->count,
                        want.data);
  else if (code == CS_OK && !rowless && (values->rows != rows || values->ragged))
    code = cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: %zu rows%s, want %s", p->file, line, name, values->rows,
                        values->ragged ? " of different lengths" : "", want.data);
  cs_text_free(&want);
  return code;
}

/* The numbers as a variable, in the declared shape if there is one. */
static int keep(struct parser *p, const char *name, size_t line, const struct values *values,
                const struct shape *shape) {
  const bool declared = shape->dimensions > 0;
  if (!declared && values->ragged)
    return cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: rows of different lengths", p->file, line, name);
  struct cs_variable *v = cs_variable_add(&p->system, name);
  if (v == NULL ||
      !cs_variable_give(v, declared ? shape->size[0] : values->rows, declared ? shape->size[1] : values->columns))
    return cs_error_memory(p->error);
  v->line = line;
  if (values->count > 0) memcpy(v->number, values->number, values->count * sizeof *v->number);
  return CS_OK;
}

/* "A[n, n] = ..." after "parameter Real". What the name means is decided with all others. */
static int take_parameter(struct parser *p) {
  const size_t line = p->token.line;
  char *name = p->token.kind == WORD ? cs_text_copy_part(p->text + p->token.at, p->token.length) : cs_text_copy("");
  struct values values = {0};
  struct shape shape = {0};
  int code = name != NULL ? CS_OK : cs_error_memory(p->error);
  if (code != CS_OK || cs_role_of(name).kind == CS_ROLE_NONE) goto out;
  const struct cs_variable *first = cs_variable_find(&p->system, name);
  if (first != NULL)
    code = cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: twice, first in line %zu", p->file, line, name, first->line);
  advance(p);
  if (code == CS_OK) code = take_shape(p, name, &shape);
  while (code == CS_OK && p->token.kind != END && !is(p, "=") && !is(p, ";"))
    advance(p);
  if (code == CS_OK && !take(p, "=")) code = fail(p, name, "=");
  if (code == CS_OK) code = take_values(p, name, &values);
  if (code == CS_OK && !is(p, ";") && !is(p, "annotation") && p->token.kind != STRING) code = fail(p, name, ";");
  if (code == CS_OK) code = check_shape(p, name, line, &values, &shape);
  if (code == CS_OK) code = keep(p, name, line, &values, &shape);
out:
  free(values.number);
  cs_text_free(&shape.words);
  free(name);
  return code;
}

/* "'x_NAME' = x[1]" after "Real"; all else is no name. */
static int take_name(struct parser *p) {
  static const char *const array[CS_DRAFT_SIDES] = {"x", "u", "y"};
  const struct token name = p->token;
  int side = 0;
  advance(p);
  if (name.kind != WORD || !take(p, "=")) return CS_OK;
  while (side < CS_DRAFT_SIDES && !is(p, array[side]))
    side++;
  if (side == CS_DRAFT_SIDES) return CS_OK;
  advance(p);
  if (!take(p, "[") || p->token.kind != NUMBER) return CS_OK;
  const double at = p->token.number;
  if (!(at >= 1.0 && at <= CS_DRAFT_MOST && at == floor(at))) return CS_OK;
  const char *text = p->text + name.at;
  const bool prefix = name.length > 2 && text[0] == array[side][0] && text[1] == '_';
  char **to = &p->name[side][(size_t)at - 1];
  free(*to);
  *to = cs_text_copy_part(prefix ? text + 2 : text, prefix ? name.length - 2 : name.length);
  if (at > (double)p->names[side]) p->names[side] = (size_t)at;
  return *to != NULL ? CS_OK : cs_error_memory(p->error);
}

/* "Real", "Modelica.Units.SI.Time" */
static void take_type(struct parser *p) {
  do
    advance(p);
  while (take(p, ".") && p->token.kind == WORD);
}

static int take_statement(struct parser *p) {
  int code = CS_OK;
  if (p->model == NULL && take(p, "model")) {
    if (p->token.kind != WORD) return fail(p, "model", "a name");
    p->model = cs_text_copy_part(p->text + p->token.at, p->token.length);
    advance(p);
    if (p->token.kind == STRING) advance(p);
    return p->model != NULL ? CS_OK : cs_error_memory(p->error);
  }
  while (take(p, "public") || take(p, "protected") || take(p, "final"))
    continue;
  const bool parameter = take(p, "parameter");
  if (!parameter && !take(p, "input")) take(p, "output");
  if (parameter && take(p, "Integer"))
    code = take_integer(p);
  else if (parameter && p->token.kind == WORD)
    code = (take_type(p), take_parameter(p));
  else if (take(p, "Real"))
    code = take_name(p);
  if (code != CS_OK) return code;
  skip_statement(p);
  take(p, ";");
  return CS_OK;
}

/* ---- the whole */

/* Names of all signals of a side, of which the file may name some; none where it names none. */
static int give_names(struct parser *p, enum cs_draft_side side, size_t signals) {
  struct cs_variable *v = p->names[side] > 0 ? cs_variable_add(&p->system, cs_draft_names_key(side, false)) : NULL;
  const size_t names = p->names[side] > signals ? p->names[side] : signals;
  if (p->names[side] > 0 && v == NULL) return cs_error_memory(p->error);
  for (size_t i = 0; v != NULL && i < names; i++) {
    struct cs_variable *text = cs_variable_add(v, "");
    const char *name = p->name[side][i] != NULL ? p->name[side][i] : "";
    if (text == NULL || !cs_variable_say(text, CS_VARIABLE_TEXT, name)) return cs_error_memory(p->error);
  }
  if (v == NULL) return CS_OK;
  v->kind = CS_VARIABLE_CELLS;
  v->rows = names;
  v->columns = 1;
  return CS_OK;
}

/* Rows or columns of a matrix; 0 without it. */
static size_t size_of(const struct parser *p, const char *matrix, bool columns) {
  const struct cs_variable *v = cs_variable_find(&p->system, matrix);
  return v == NULL ? 0 : columns ? v->columns : v->rows;
}

/* The name of the model without "linear_". */
static int finish(struct parser *p, struct cs_draft *draft) {
  const char *model = p->model != NULL ? p->model : "subsystem";
  const size_t cut = strncmp(model, "linear_", 7) == 0 ? 7 : 0;
  if (cs_variable_find(&p->system, "A") == NULL)
    return cs_error_set(p->error, CS_INPUT,
                        "%s: no \"parameter Real A\"; want a file written by OpenModelica's linearize", p->file);
  p->system.kind = CS_VARIABLE_STRUCT;
  p->system.rows = p->system.columns = 1;
  int code = give_names(p, CS_DRAFT_STATE, size_of(p, "A", false));
  if (code == CS_OK) code = give_names(p, CS_DRAFT_INPUT, size_of(p, "B", true));
  if (code == CS_OK) code = give_names(p, CS_DRAFT_OUTPUT, size_of(p, "C", false));
  if (code == CS_OK) code = cs_variables_read(p->file, model + cut, &p->system, draft, p->error);
  if (code != CS_OK) return code;
  struct cs_draft_system *system = &draft->system[draft->systems - 1];
  free(system->original);
  system->original = cs_text_copy(model);
  if (system->original == NULL) return cs_error_memory(p->error);
  cs_text_add(&draft->warnings,
              "%s: offsets at the point of linearisation are not in the file; where the model is not at rest there, "
              "add e\n",
              p->file);
  return CS_OK;
}

static void close_parser(struct parser *p) {
  for (int s = 0; s < CS_DRAFT_SIDES; s++) {
    for (size_t i = 0; p->name[s] != NULL && i < CS_DRAFT_MOST; i++)
      free(p->name[s][i]);
    free(p->name[s]);
  }
  for (size_t i = 0; i < p->counts; i++)
    free(p->count[i].name);
  free(p->count);
  cs_variable_free(&p->system);
  free(p->model);
}

int cs_modelica_parse(const char *file, const char *text, size_t length, struct cs_draft *draft,
                      struct cs_error *error) {
  const size_t mark = cs_text_mark_length(text, length);
  struct parser p = {.file = file, .text = text, .length = length, .next = mark, .line = 1, .error = error};
  int code = CS_OK;
  for (int s = 0; s < CS_DRAFT_SIDES; s++) {
    p.name[s] = calloc(CS_DRAFT_MOST, sizeof *p.name[s]);
    if (p.name[s] == NULL) code = cs_error_memory(error);
  }
  if (code == CS_OK) advance(&p);
  while (code == CS_OK && p.token.kind != END)
    code = take_statement(&p);
  if (code == CS_OK) code = finish(&p, draft);
  close_parser(&p);
  return code;
}

int cs_modelica_read(const char *file, struct cs_draft *draft, struct cs_error *error) {
  struct cs_text text = {0};
  int code = cs_text_read(&text, file, "Modelica file", error);
  if (code == CS_OK) code = cs_modelica_parse(file, cs_text_string(&text), text.length, draft, error);
  cs_text_free(&text);
  return code;
}
