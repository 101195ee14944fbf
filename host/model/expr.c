#include "expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "expr_private.h"
#include "list.h"
#include "near.h"

enum { MAX_NESTING = 64 };

static const struct {
  const char *name;
  enum cs_operation operation;
} functions[] = {{"sqrt", SQRT}, {"exp", EXP}, {"log", LOG}, {"sin", SIN}, {"cos", COS},
                 {"tan", TAN},   {"abs", ABS}, {"min", MIN}, {"max", MAX}};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

struct parser {
  const char *text;
  size_t at, depth, stack, count, names;
  const char *const *name;
  struct cs_step *step;
  const char *unknown; /* name */
  struct cs_error *error;
};

static int parse_sum(struct parser *p);

/* Appends the expression to the message if it is short. */
static int fail(struct parser *p, const char *what, const char *want) {
  bool shown = strlen(p->text) <= 80;
  return cs_error_set(p->error, CS_INPUT, "%s%s%s%s; want %s", what, shown ? " in \"" : "", shown ? p->text : "",
                      shown ? "\"" : "", want);
}

static int fail_unexpected(struct parser *p, const char *want) {
  const char *here = p->text + p->at;
  char what[64] = "unexpected end";
  size_t size = cs_text_utf8_length(here, strlen(here));
  if (size > 0) snprintf(what, sizeof what, "unexpected %.*s at character %zu", (int)size, here, p->at + 1);
  return fail(p, what, want);
}

static char next_character(struct parser *p) {
  p->at += strspn(p->text + p->at, " \t\r\n");
  return p->text[p->at];
}

static int emit(struct parser *p, struct cs_step step) {
  if (!cs_list_grow(&p->step, p->count, sizeof *p->step)) return cs_error_memory(p->error);
  p->step[p->count++] = step;
  if (step.operation <= PARAMETER)
    p->stack++;
  else if (step.operation < NEGATE)
    p->stack--;
  return p->stack > CS_EXPR_STACK ? fail(p, "too many open operations", "a simpler expression") : CS_OK;
}

static int parse_number(struct parser *p) {
  const char *start = p->text + p->at;
  size_t length = strspn(start, "0123456789");
  size_t digits = length;
  if (start[length] == '.') {
    size_t fraction = strspn(start + length + 1, "0123456789");
    length += 1 + fraction;
    digits += fraction;
  }
  if (digits == 0) return fail_unexpected(p, "a digit before or after the point");
  if (start[length] == 'e' || start[length] == 'E') {
    size_t sign = start[length + 1] == '+' || start[length + 1] == '-';
    size_t exponent = strspn(start + length + 1 + sign, "0123456789");
    length += exponent > 0 ? 1 + sign + exponent : 0;
  }
  char *end;
  double value = strtod(start, &end);
  if (!isfinite(value)) return fail(p, "number out of range", "a magnitude up to 1.79e308");
  if (end != start + length) { /* strtod accepts hexadecimal numbers */
    p->at += length;
    return fail_unexpected(p, "a decimal number");
  }
  p->at += length;
  return emit(p, (struct cs_step){.operation = NUMBER, .number = value});
}

/* One argument in parentheses, or at least two of min and max. */
static int parse_call(struct parser *p, enum cs_operation operation) {
  bool several = operation == MIN || operation == MAX;
  if (next_character(p) != '(') return fail_unexpected(p, "( after the name of a function");
  p->at++;
  int code = parse_sum(p);
  size_t arguments = 1;
  while (code == CS_OK && several && next_character(p) == ',') {
    p->at++;
    arguments++;
    code = parse_sum(p);
    if (code == CS_OK) code = emit(p, (struct cs_step){.operation = operation});
  }
  if (code != CS_OK) return code;
  if (next_character(p) != ')') return fail_unexpected(p, several ? ", or )" : ")");
  if (several && arguments == 1)
    return fail(p, operation == MIN ? "one argument of min" : "one argument of max", "two or more");
  p->at++;
  return several ? CS_OK : emit(p, (struct cs_step){.operation = operation});
}

static int fail_unknown(struct parser *p, const char *name, size_t length) {
  struct cs_text message = {0}, word = {0};
  const bool shown = strlen(p->text) <= 80;
  p->unknown = name;
  cs_text_append(&word, name, length < 200 ? length : 200);
  cs_text_add(&message, "unknown name \"%s\"%s%s%s; want one of: ", cs_text_string(&word), shown ? " in \"" : "",
              shown ? p->text : "", shown ? "\"" : "");
  for (size_t i = 0; i < p->names; i++)
    cs_text_add(&message, "%s, ", p->name[i]);
  cs_text_add(&message, "pi");
  for (size_t i = 0; i < FUNCTIONS; i++)
    cs_text_add(&message, ", %s", functions[i].name);
  cs_near_suggest(&message, cs_text_string(&word));
  const bool failed = message.failed || word.failed;
  const int code = failed ? cs_error_memory(p->error) : cs_error_set(p->error, CS_INPUT, "%s", message.data);
  cs_text_free(&message);
  cs_text_free(&word);
  return code;
}

static bool same(const char *name, const char *start, size_t length) {
  return strncmp(name, start, length) == 0 && name[length] == '\0';
}

static int parse_name(struct parser *p) {
  const char *start = p->text + p->at;
  size_t length = 0;
  while (cs_ascii_is_word(start[length]))
    length++;
  p->at += length;
  for (size_t i = 0; i < p->names; i++)
    if (same(p->name[i], start, length)) return emit(p, (struct cs_step){.operation = PARAMETER, .parameter = i});
  if (same("pi", start, length))
    return emit(p, (struct cs_step){.operation = NUMBER, .number = 3.14159265358979323846});
  for (size_t i = 0; i < FUNCTIONS; i++)
    if (same(functions[i].name, start, length)) return parse_call(p, functions[i].operation);
  return fail_unknown(p, start, length);
}

static int parse_atom(struct parser *p) {
  char c = next_character(p);
  if (cs_ascii_is_digit(c) || c == '.') return parse_number(p);
  if (cs_ascii_is_letter(c)) return parse_name(p);
  if (c != '(') return fail_unexpected(p, "a number, a name, - or (");
  p->at++;
  int code = parse_sum(p);
  if (code != CS_OK) return code;
  if (next_character(p) != ')') return fail_unexpected(p, "an operator or )");
  p->at++;
  return CS_OK;
}

/* unary = "-" unary | atom [ "^" unary ]: -a^-b^c is -(a^(-(b^c))). */
static int parse_unary(struct parser *p) {
  if (++p->depth > MAX_NESTING) return fail(p, "nested deeper than 64 levels", "a simpler expression");
  int code;
  if (next_character(p) == '-') {
    p->at++;
    code = parse_unary(p);
    if (code == CS_OK) code = emit(p, (struct cs_step){.operation = NEGATE});
  } else {
    code = parse_atom(p);
    if (code == CS_OK && next_character(p) == '^') {
      p->at++;
      code = parse_unary(p);
      if (code == CS_OK) code = emit(p, (struct cs_step){.operation = POWER});
    }
  }
  p->depth--;
  return code;
}

static int parse_product(struct parser *p) {
  int code = parse_unary(p);
  while (code == CS_OK) {
    char c = next_character(p);
    if (c != '*' && c != '/') break;
    p->at++;
    code = parse_unary(p);
    if (code == CS_OK) code = emit(p, (struct cs_step){.operation = c == '*' ? MULTIPLY : DIVIDE});
  }
  return code;
}

static int parse_sum(struct parser *p) {
  int code = parse_product(p);
  while (code == CS_OK) {
    char c = next_character(p);
    if (c != '+' && c != '-') break;
    p->at++;
    code = parse_product(p);
    if (code == CS_OK) code = emit(p, (struct cs_step){.operation = c == '+' ? ADD : SUBTRACT});
  }
  return code;
}

struct cs_expr *cs_expr_new(const struct cs_step *step, size_t count) {
  struct cs_expr *expr = malloc(sizeof *expr + count * sizeof *step);
  if (expr != NULL) {
    expr->count = count;
    memcpy(expr->step, step, count * sizeof *step);
  }
  return expr;
}

int cs_expr_parse(const char *text, const char *const *names, size_t count, struct cs_expr **expr, const char **unknown,
                  struct cs_error *error) {
  struct parser p = {.text = text, .name = names, .names = count, .error = error};
  *expr = NULL;
  int code = parse_sum(&p);
  if (code == CS_OK && next_character(&p) != '\0') code = fail_unexpected(&p, "an operator or the end");
  if (code == CS_OK) {
    *expr = cs_expr_new(p.step, p.count);
    code = *expr != NULL ? CS_OK : cs_error_memory(error);
  }
  free(p.step);
  *unknown = p.unknown;
  return code;
}

bool cs_expr_is_reserved(const char *name) {
  for (size_t i = 0; i < FUNCTIONS; i++)
    if (strcmp(functions[i].name, name) == 0) return true;
  return strcmp(name, "pi") == 0;
}

struct cs_expr *cs_expr_number(double value) {
  return cs_expr_new(&(struct cs_step){.operation = NUMBER, .number = value}, 1);
}

void cs_expr_free(struct cs_expr *expr) {
  free(expr);
}

/* Fails with the reason why `operation` on a (and b) is not finite. */
static int fail_value(enum cs_operation operation, double a, double b, struct cs_error *error) {
  static const char *const names[] = {[NUMBER] = "number", [PARAMETER] = "parameter",
                                      [ADD] = "+",         [SUBTRACT] = "-",
                                      [MULTIPLY] = "*",    [DIVIDE] = "/",
                                      [POWER] = "^",       [MIN] = "min",
                                      [MAX] = "max",       [NEGATE] = "-",
                                      [SQRT] = "sqrt",     [EXP] = "exp",
                                      [LOG] = "log",       [SIN] = "sin",
                                      [COS] = "cos",       [TAN] = "tan",
                                      [ABS] = "abs"};
  if ((operation == DIVIDE && b == 0) || (operation == POWER && a == 0))
    return cs_error_set(error, CS_INPUT, "division by zero");
  if (operation == POWER && a < 0 && b != floor(b))
    return cs_error_set(error, CS_INPUT, "power %g of the negative number %g", b, a);
  if (operation == SQRT || operation == LOG) return cs_error_set(error, CS_INPUT, "%s of %g", names[operation], a);
  if (operation <= PARAMETER) return cs_error_set(error, CS_INPUT, "not finite: a %s is %g", names[operation], a);
  if (operation < NEGATE) return cs_error_set(error, CS_INPUT, "not finite: %g %s %g", a, names[operation], b);
  return cs_error_set(error, CS_INPUT, "not finite: %s of %g", names[operation], a);
}

static double unary(enum cs_operation operation, double a) {
  switch (operation) {
    case NEGATE:
      return -a;
    case SQRT:
      return sqrt(a);
    case EXP:
      return exp(a);
    case LOG:
      return log(a);
    case SIN:
      return sin(a);
    case COS:
      return cos(a);
    case TAN:
      return tan(a);
    default:
      return fabs(a);
  }
}

static double binary(enum cs_operation operation, double a, double b) {
  switch (operation) {
    case ADD:
      return a + b;
    case SUBTRACT:
      return a - b;
    case MULTIPLY:
      return a * b;
    case DIVIDE:
      return a / b;
    case POWER:
      return pow(a, b);
    case MIN:
      return a < b ? a : b;
    default:
      return a > b ? a : b;
  }
}

int cs_expr_value(const struct cs_expr *expr, const double *parameters, double *value, struct cs_error *error) {
  double stack[CS_EXPR_STACK];
  size_t top = 0;
  if (expr->count == 1) { /* most entries of matrices are a number or a parameter */
    const struct cs_step *only = expr->step;
    *value = only->operation == NUMBER ? only->number : parameters[only->parameter];
    return isfinite(*value) ? CS_OK : fail_value(only->operation, *value, 0, error);
  }
  for (size_t i = 0; i < expr->count; i++) {
    const struct cs_step *step = &expr->step[i];
    double a, b = 0, result;
    if (step->operation <= PARAMETER) {
      result = a = step->operation == NUMBER ? step->number : parameters[step->parameter];
    } else if (step->operation < NEGATE) {
      b = stack[--top];
      a = stack[--top];
      result = binary(step->operation, a, b);
    } else {
      a = stack[--top];
      result = unary(step->operation, a);
    }
    if (!isfinite(result)) return fail_value(step->operation, a, b, error);
    stack[top++] = result;
  }
  *value = stack[0];
  return CS_OK;
}

bool cs_expr_is_zero(const struct cs_expr *expr) {
  return expr->count == 1 && expr->step[0].operation == NUMBER && expr->step[0].number == 0;
}

bool cs_expr_uses(const struct cs_expr *expr, size_t parameter) {
  for (size_t i = 0; i < expr->count; i++)
    if (expr->step[i].operation == PARAMETER && expr->step[i].parameter == parameter) return true;
  return false;
}

bool cs_expr_uses_from(const struct cs_expr *expr, size_t first) {
  for (size_t i = 0; i < expr->count; i++)
    if (expr->step[i].operation == PARAMETER && expr->step[i].parameter >= first) return true;
  return false;
}

void cs_expr_renumber(struct cs_expr *expr, const size_t *number) {
  for (size_t i = 0; i < expr->count; i++)
    if (expr->step[i].operation == PARAMETER) expr->step[i].parameter = number[expr->step[i].parameter];
}
