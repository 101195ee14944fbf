#include "modelica.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "list.h"

enum kind { END, WORD, NUMBER, STRING, SIGN };

struct token {
  enum kind kind;
  size_t at, length; /* in the text; of names and strings without quotes */
  size_t line;
  double number;
};

/* Numbers of a parameter as they stand in the file. */
struct values {
  size_t line, rows, columns, count; /* line 0: not in the file; columns: of the first row */
  bool ragged;                       /* another row has another number */
  double *number;
};

/* What files call the numbers of states, inputs and outputs. */
static const char *const sizes[CS_DRAFT_SIDES] = {
    [CS_DRAFT_STATE] = "n", [CS_DRAFT_INPUT] = "m", [CS_DRAFT_OUTPUT] = "p"};

struct parser {
  const char *file, *text;
  size_t length, next, line;
  struct token token;        /* the one looked at */
  long size[CS_DRAFT_SIDES]; /* -1: not yet given */
  struct values values[CS_DRAFT_PARTS];
  char *model;
  char **name[CS_DRAFT_SIDES]; /* [CS_DRAFT_MOST], NULL: not given */
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

/* The side whose size a word stands for, or -1. */
static int size_of(const struct parser *p) {
  for (int side = 0; side < CS_DRAFT_SIDES; side++)
    if (is(p, sizes[side])) return side;
  return -1;
}

/* A whole number or one of n, m, p. */
static int take_size(struct parser *p, const char *name, size_t *size) {
  const int which = p->token.kind == WORD ? size_of(p) : -1;
  const double value = p->token.kind == NUMBER ? p->token.number : which >= 0 ? (double)p->size[which] : -1.0;
  if (!(value >= 0.0 && value <= CS_DRAFT_MOST && value == floor(value)))
    return fail(p, name, "n, m, p or a whole number up to 2000");
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

static int take_values(struct parser *p, enum cs_draft_part part, size_t line) {
  struct values *values = &p->values[part];
  const char *name = cs_draft_part_name(part);
  if (values->line > 0)
    return cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: twice, first in line %zu", p->file, line, name, values->line);
  values->line = line;
  if (is(p, "[")) return take_rows(p, name, values);
  if (is(p, "{")) return take_list(p, name, values, true);
  return is(p, "zeros") ? take_zeros(p, name, values) : fail(p, name, "{...}, [...; ...] or zeros(...)");
}

/* ---- declarations */

static void skip_statement(struct parser *p) {
  while (p->token.kind != END && !is(p, ";"))
    advance(p);
}

/* "n = 2" after "Integer" */
static int take_integer(struct parser *p) {
  const int which = size_of(p);
  size_t size;
  if (which < 0) return CS_OK;
  advance(p);
  if (!take(p, "=")) return fail(p, sizes[which], "=");
  if (p->token.kind == NUMBER && p->token.number > CS_DRAFT_MOST)
    return cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: %.17g; want at most %d", p->file, p->token.line, sizes[which],
                        p->token.number, CS_DRAFT_MOST);
  if (p->token.kind != NUMBER) return fail(p, sizes[which], "a whole number");
  const int code = take_size(p, sizes[which], &size);
  if (code == CS_OK) p->size[which] = (long)size;
  return code;
}

static bool is_in_files(int part) {
  return part != CS_DRAFT_E && part != CS_DRAFT_F;
}

/* "A[n, n] = ..." after "parameter Real" */
static int take_parameter(struct parser *p) {
  const size_t line = p->token.line;
  int part = 0;
  while (part < CS_DRAFT_PARTS && (!is_in_files(part) || !is(p, cs_draft_part_name(part))))
    part++;
  if (part == CS_DRAFT_PARTS) return CS_OK;
  advance(p);
  while (p->token.kind != END && !is(p, "=") && !is(p, ";"))
    advance(p);
  if (!take(p, "=")) return fail(p, cs_draft_part_name(part), "=");
  return take_values(p, part, line);
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
  return *to != NULL ? CS_OK : cs_error_memory(p->error);
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
  else if (take(p, "Real"))
    code = parameter ? take_parameter(p) : take_name(p);
  if (code != CS_OK) return code;
  skip_statement(p);
  take(p, ";");
  return CS_OK;
}

/* ---- the whole */

static int check_sizes(const struct parser *p) {
  for (int i = 0; i < CS_DRAFT_SIDES; i++)
    if (p->size[i] < 0)
      return cs_error_set(p->error, CS_INPUT,
                          "%s: no \"parameter Integer %s\"; want a file written by OpenModelica's linearize", p->file,
                          sizes[i]);
  if (p->values[CS_DRAFT_A].line == 0)
    return cs_error_set(p->error, CS_INPUT,
                        "%s: no \"parameter Real A\"; want a file written by OpenModelica's "
                        "linearize",
                        p->file);
  return CS_OK;
}

/* "linear.mo:7: C: 4 numbers, want p x n = 1 x 2" */
static int give(const struct parser *p, enum cs_draft_part part, struct cs_draft_system *system) {
  if (!is_in_files(part)) return CS_OK;
  const struct values *values = &p->values[part];
  const int down = cs_draft_part_side(part, false), across = cs_draft_part_side(part, true);
  const size_t rows = (size_t)p->size[down], columns = across < 0 ? 1 : (size_t)p->size[across], count = rows * columns;
  struct cs_text want = {0};
  int code = CS_OK;
  if (across < 0)
    cs_text_add(&want, "%s = %zu", sizes[down], rows);
  else
    cs_text_add(&want, "%s x %s = %zu x %zu", sizes[down], sizes[across], rows, columns);
  if (want.failed || !cs_draft_give(&system->part[part], rows, columns))
    code = cs_error_memory(p->error);
  else if (values->line > 0 && values->count != count)
    code = cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: %zu numbers, want %s", p->file, values->line,
                        cs_draft_part_name(part), values->count, want.data);
  else if (count > 0 && values->line > 0 && across >= 0 && (values->rows != rows || values->ragged))
    code =
        cs_error_set(p->error, CS_INPUT, "%s:%zu: %s: %zu rows%s, want %s", p->file, values->line,
                     cs_draft_part_name(part), values->rows, values->ragged ? " of different lengths" : "", want.data);
  else if (count > 0 && values->line > 0)
    memcpy(system->part[part].value, values->number, count * sizeof *values->number);
  cs_text_free(&want);
  return code;
}

static int give_names(const struct parser *p, struct cs_draft_system *system) {
  for (int s = 0; s < CS_DRAFT_SIDES; s++)
    for (long i = 0; i < p->size[s]; i++)
      if (!cs_draft_add_text(&system->names[s], p->name[s][i] != NULL ? p->name[s][i] : ""))
        return cs_error_memory(p->error);
  return CS_OK;
}

/* The name of the model without "linear_". */
static int finish(const struct parser *p, struct cs_draft *draft) {
  const char *model = p->model != NULL ? p->model : "subsystem";
  const size_t cut = strncmp(model, "linear_", 7) == 0 ? 7 : 0;
  struct cs_draft_system *system = cs_draft_add_system(draft, model);
  int code = system != NULL ? CS_OK : cs_error_memory(p->error);
  for (int part = 0; part < CS_DRAFT_PARTS && code == CS_OK; part++)
    code = give(p, part, system);
  if (code == CS_OK) code = give_names(p, system);
  if (code != CS_OK) return code;
  struct cs_error wrong = {0};
  code = cs_draft_finish(draft, model + cut, &wrong);
  if (code != CS_OK) return cs_error_set(p->error, code, "%s: %s", p->file, wrong.message);
  cs_text_add(&draft->warnings,
              "%s: offsets at the point of linearisation are not in the file; where the model is not at rest there, "
              "add e\n",
              p->file);
  return CS_OK;
}

static void close_parser(struct parser *p) {
  for (int part = 0; part < CS_DRAFT_PARTS; part++)
    free(p->values[part].number);
  for (int s = 0; s < CS_DRAFT_SIDES; s++) {
    for (size_t i = 0; p->name[s] != NULL && i < CS_DRAFT_MOST; i++)
      free(p->name[s][i]);
    free(p->name[s]);
  }
  free(p->model);
}

int cs_modelica_parse(const char *file, const char *text, size_t length, struct cs_draft *draft,
                      struct cs_error *error) {
  struct parser p = {.file = file, .text = text, .length = length, .line = 1, .size = {-1, -1, -1}, .error = error};
  int code = CS_OK;
  for (int s = 0; s < CS_DRAFT_SIDES; s++) {
    p.name[s] = calloc(CS_DRAFT_MOST, sizeof *p.name[s]);
    if (p.name[s] == NULL) code = cs_error_memory(error);
  }
  if (code == CS_OK) advance(&p);
  while (code == CS_OK && p.token.kind != END)
    code = take_statement(&p);
  if (code == CS_OK) code = check_sizes(&p);
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
