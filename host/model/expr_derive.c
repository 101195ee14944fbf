/* Derivatives of expressions, by their code: an operand is a run of steps that ends with its operation. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr_private.h"
#include "list.h"

enum { MAX_RESULT = 1 << 20 }; /* steps of a derivative */

struct derivation {
  const struct cs_step *step;
  size_t *first; /* where the operand that ends at a step begins */
  size_t *last;  /* 1 + the last step up to this one that is a variable; 0: there is none */
  struct cs_step *out;
  size_t count;
  bool memory; /* was not enough */
};

/* Whether the operand that ends at step i depends on a variable. */
static bool varies(const struct derivation *d, size_t i) {
  return d->last[i] > d->first[i];
}

/* The operands of the operation at step i end here. */
static size_t right_of(size_t i) {
  return i - 1;
}

static size_t left_of(const struct derivation *d, size_t i) {
  return d->step[i].operation < NEGATE ? d->first[i - 1] - 1 : i - 1;
}

/* ---- what is written */

static void push(struct derivation *d, struct cs_step step) {
  if (d->count > MAX_RESULT || d->memory) return;
  d->memory = !cs_list_grow(&d->out, d->count, sizeof *d->out);
  if (!d->memory) d->out[d->count++] = step;
}

static void number(struct derivation *d, double value) {
  push(d, (struct cs_step){.operation = NUMBER, .number = value});
}

static void operate(struct derivation *d, enum cs_operation operation) {
  push(d, (struct cs_step){.operation = operation});
}

static void copy(struct derivation *d, size_t i) {
  for (size_t k = d->first[i]; k <= i; k++)
    push(d, d->step[k]);
}

/* Whether what was written from `from` to `to` is one number, and this one. */
static bool is(const struct derivation *d, size_t from, size_t to, double value) {
  return to == from + 1 && d->out[from].operation == NUMBER && d->out[from].number == value;
}

static void negate(struct derivation *d, size_t mark) {
  if (d->count == mark + 1 && d->out[mark].operation == NUMBER)
    d->out[mark].number = 0.0 - d->out[mark].number;
  else
    operate(d, NEGATE);
}

/* What was written from `mark` on times, or divided by, the operand that ends at step i. */
static void times(struct derivation *d, size_t mark, size_t i) {
  const bool one = is(d, mark, d->count, 1), minus = is(d, mark, d->count, -1);
  if (is(d, mark, d->count, 0)) return;
  if (one || minus) d->count = mark;
  copy(d, i);
  if (minus)
    negate(d, mark);
  else if (!one)
    operate(d, MULTIPLY);
}

static void divide(struct derivation *d, size_t mark, size_t i) {
  if (is(d, mark, d->count, 0)) return;
  copy(d, i);
  operate(d, DIVIDE);
}

/* The sum or difference of what was written from `left` and from `right` on. */
static void join(struct derivation *d, size_t left, size_t right, enum cs_operation operation) {
  if (is(d, right, d->count, 0)) {
    d->count = right;
  } else if (is(d, left, right, 0)) {
    memmove(d->out + left, d->out + right, (d->count - right) * sizeof *d->out);
    d->count -= right - left;
    if (operation == SUBTRACT) negate(d, left);
  } else {
    operate(d, operation);
  }
}

/* ---- derivatives */

static void differentiate(struct derivation *d, size_t i);

static void differentiate_product(struct derivation *d, size_t i) {
  const size_t left = d->count;
  differentiate(d, left_of(d, i));
  times(d, left, right_of(i));
  const size_t right = d->count;
  differentiate(d, right_of(i));
  times(d, right, left_of(d, i));
  join(d, left, right, ADD);
}

/* (a/b)' = (a' - (a/b) b') / b */
static void differentiate_quotient(struct derivation *d, size_t i) {
  const size_t left = d->count;
  differentiate(d, left_of(d, i));
  const size_t right = d->count;
  differentiate(d, right_of(i));
  times(d, right, i);
  join(d, left, right, SUBTRACT);
  divide(d, left, right_of(i));
}

/* (a^c)' = a' c a^(c-1) */
static void differentiate_power(struct derivation *d, size_t i) {
  const size_t mark = d->count, a = left_of(d, i), c = right_of(i);
  differentiate(d, a);
  if (is(d, mark, d->count, 0)) return;
  times(d, mark, c);
  copy(d, a);
  if (d->first[c] == c && d->step[c].operation == NUMBER) {
    number(d, d->step[c].number - 1.0);
  } else {
    copy(d, c);
    number(d, 1);
    operate(d, SUBTRACT);
  }
  operate(d, POWER);
  operate(d, MULTIPLY);
}

/* Times the derivative of a function of one argument, which ends at step a. */
static void differentiate_function(struct derivation *d, size_t i, size_t mark) {
  const size_t a = right_of(i);
  if (is(d, mark, d->count, 0)) return;
  switch (d->step[i].operation) {
    case SQRT:
      number(d, 2);
      copy(d, i);
      operate(d, MULTIPLY);
      operate(d, DIVIDE);
      break;
    case EXP:
      times(d, mark, i);
      break;
    case LOG:
      divide(d, mark, a);
      break;
    case SIN:
    case COS:
      copy(d, a);
      operate(d, d->step[i].operation == SIN ? COS : SIN);
      operate(d, MULTIPLY);
      if (d->step[i].operation == COS) negate(d, mark);
      break;
    default: /* tan' = 1 + tan^2 */
      number(d, 1);
      copy(d, i);
      number(d, 2);
      operate(d, POWER);
      operate(d, ADD);
      operate(d, MULTIPLY);
  }
}

/* Writes the derivative of the operand that ends at step i. */
static void differentiate(struct derivation *d, size_t i) {
  const size_t mark = d->count;
  const enum cs_operation operation = d->step[i].operation;
  if (!varies(d, i)) {
    number(d, 0);
  } else if (operation == PARAMETER) {
    number(d, 1);
  } else if (operation == ADD || operation == SUBTRACT) {
    differentiate(d, left_of(d, i));
    const size_t right = d->count;
    differentiate(d, right_of(i));
    join(d, mark, right, operation);
  } else if (operation == MULTIPLY) {
    differentiate_product(d, i);
  } else if (operation == DIVIDE) {
    differentiate_quotient(d, i);
  } else if (operation == POWER) {
    differentiate_power(d, i);
  } else {
    differentiate(d, right_of(i));
    if (operation == NEGATE)
      negate(d, mark);
    else
      differentiate_function(d, i, mark);
  }
}

/* ---- constants */

/* Writes the operand that ends at step i with 0 for the variables. */
static void leave_out(struct derivation *d, size_t i) {
  const size_t mark = d->count;
  const enum cs_operation operation = d->step[i].operation;
  if (!varies(d, i)) {
    copy(d, i);
  } else if (operation == PARAMETER) {
    number(d, 0);
  } else if (operation < NEGATE) {
    leave_out(d, left_of(d, i));
    const size_t right = d->count;
    const bool nothing = is(d, mark, right, 0);
    if (nothing && (operation == MULTIPLY || operation == DIVIDE)) return;
    leave_out(d, right_of(i));
    if (operation == ADD || operation == SUBTRACT) {
      join(d, mark, right, operation);
    } else if (operation == MULTIPLY && is(d, right, d->count, 0)) {
      d->count = mark;
      number(d, 0);
    } else {
      operate(d, operation);
    }
  } else {
    leave_out(d, right_of(i));
    if (operation == NEGATE)
      negate(d, mark);
    else
      operate(d, operation);
  }
}

/* ---- what is asked for */

/* Finds the operands of every step, and the variables: the parameters from `from` up to `to`. */
static int open_derivation(struct derivation *d, const struct cs_expr *expr, size_t from, size_t to,
                           struct cs_error *error) {
  size_t begins[CS_EXPR_STACK], top = 0, variable = 0;
  *d = (struct derivation){.step = expr->step};
  if (expr->count > CS_EXPR_LONGEST)
    return cs_error_set(error, CS_INPUT, "an expression of %zu operations; want at most %d", expr->count,
                        CS_EXPR_LONGEST);
  d->first = calloc(2 * expr->count, sizeof *d->first);
  if (d->first == NULL) return cs_error_memory(error);
  d->last = d->first + expr->count;
  for (size_t i = 0; i < expr->count; i++) {
    const struct cs_step *step = &expr->step[i];
    if (step->operation <= PARAMETER)
      begins[top++] = i;
    else if (step->operation < NEGATE)
      top--;
    d->first[i] = begins[top - 1];
    if (step->operation == PARAMETER && step->parameter >= from && step->parameter <= to) variable = i + 1;
    d->last[i] = variable;
    if (!varies(d, i)) continue;
    if (step->operation == ABS || step->operation == MIN || step->operation == MAX)
      return cs_error_set(error, CS_INPUT,
                          "abs, min or max of a state or an input is not smooth; want modes and events");
    if (step->operation == POWER && varies(d, i - 1))
      return cs_error_set(error, CS_INPUT,
                          "a state or an input in an exponent; want a constant exponent, or exp(b*log(a)) for a^b");
  }
  return CS_OK;
}

/* What was written becomes an expression, which can be evaluated. */
static int close_derivation(struct derivation *d, int code, struct cs_expr **expr, struct cs_error *error) {
  size_t waiting = 0, most = 0;
  *expr = NULL;
  for (size_t i = 0; i < d->count; i++)
    if (d->out[i].operation <= PARAMETER)
      most = ++waiting > most ? waiting : most;
    else if (d->out[i].operation < NEGATE)
      waiting--;
  if (code == CS_OK && (d->count > MAX_RESULT || most > CS_EXPR_STACK))
    code = cs_error_set(error, CS_INPUT, "its derivative is too long; want a simpler expression");
  if (code == CS_OK && !d->memory) *expr = cs_expr_new(d->out, d->count);
  if (code == CS_OK && *expr == NULL) code = cs_error_memory(error);
  free(d->first);
  free(d->out);
  return code;
}

int cs_expr_derivative(const struct cs_expr *expr, size_t parameter, struct cs_expr **derivative,
                       struct cs_error *error) {
  struct derivation d;
  const int code = open_derivation(&d, expr, parameter, parameter, error);
  if (code == CS_OK) differentiate(&d, expr->count - 1);
  return close_derivation(&d, code, derivative, error);
}

int cs_expr_constant(const struct cs_expr *expr, size_t first, struct cs_expr **constant, struct cs_error *error) {
  struct derivation d;
  const int code = open_derivation(&d, expr, first, SIZE_MAX, error);
  if (code == CS_OK) leave_out(&d, expr->count - 1);
  return close_derivation(&d, code, constant, error);
}
