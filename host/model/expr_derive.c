/* Derivatives of expressions, by their code: an operand is a run of steps that ends with its operation. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr_private.h"

enum { MAX_RESULT = 1 << 20 }; /* steps of a derivative */

struct cs_derivation {
  const struct cs_step *step;
  size_t steps;
  size_t *first; /* where the operand that ends at a step begins */
  size_t *last;  /* 1 + the last step up to this one that is a variable; 0: there is none */
  /* of the longest sum, of which most derivatives need few terms */
  size_t *term;          /* the step at which the term ends that a step belongs to */
  size_t sum, base;      /* where it ends, and where its first term does */
  size_t *place, places; /* the steps that are variables, by variable */
  const size_t *at;      /* those of the variable at hand, */
  size_t times;          /* so many */
  struct cs_step *out;
  size_t count, room;
  bool memory; /* was not enough */
};

/* Whether the operand that ends at step i depends on any variable. */
static bool depends(const struct cs_derivation *d, size_t i) {
  return d->last[i] > d->first[i];
}

/* Whether it depends on the one at hand: the last place up to step i is in it. */
static bool varies(const struct cs_derivation *d, size_t i) {
  size_t low = 0, high = d->times;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (d->at[middle] <= i)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && d->at[low - 1] >= d->first[i];
}

/* The operands of the operation at step i end here. */
static size_t right_of(size_t i) {
  return i - 1;
}

static size_t left_of(const struct cs_derivation *d, size_t i) {
  return d->step[i].operation < NEGATE ? d->first[i - 1] - 1 : i - 1;
}

/* ---- what is written */

static void push(struct cs_derivation *d, struct cs_step step) {
  if (d->count > MAX_RESULT || d->memory) return;
  if (d->count == d->room) { /* kept for the next derivative */
    const size_t room = d->room > 0 ? 2 * d->room : 64;
    struct cs_step *out = realloc(d->out, room * sizeof *out);
    d->memory = out == NULL;
    if (d->memory) return;
    d->out = out;
    d->room = room;
  }
  d->out[d->count++] = step;
}

static void number(struct cs_derivation *d, double value) {
  push(d, (struct cs_step){.operation = NUMBER, .number = value});
}

static void operate(struct cs_derivation *d, enum cs_operation operation) {
  push(d, (struct cs_step){.operation = operation});
}

static void copy(struct cs_derivation *d, size_t i) {
  for (size_t k = d->first[i]; k <= i; k++)
    push(d, d->step[k]);
}

/* Whether what was written from `from` to `to` is one number, and this one. */
static bool is(const struct cs_derivation *d, size_t from, size_t to, double value) {
  return to == from + 1 && d->out[from].operation == NUMBER && d->out[from].number == value;
}

static void negate(struct cs_derivation *d, size_t mark) {
  if (d->count == mark + 1 && d->out[mark].operation == NUMBER)
    d->out[mark].number = 0.0 - d->out[mark].number;
  else
    operate(d, NEGATE);
}

/* What was written from `mark` on times, or divided by, the operand that ends at step i. */
static void times(struct cs_derivation *d, size_t mark, size_t i) {
  const bool one = is(d, mark, d->count, 1), minus = is(d, mark, d->count, -1);
  if (is(d, mark, d->count, 0)) return;
  if (one || minus) d->count = mark;
  copy(d, i);
  if (minus)
    negate(d, mark);
  else if (!one)
    operate(d, MULTIPLY);
}

static void divide(struct cs_derivation *d, size_t mark, size_t i) {
  if (is(d, mark, d->count, 0)) return;
  copy(d, i);
  operate(d, DIVIDE);
}

/* The sum or difference of what was written from `left` and from `right` on. */
static void join(struct cs_derivation *d, size_t left, size_t right, enum cs_operation operation) {
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

static void differentiate(struct cs_derivation *d, size_t i);

/* Terms without the variable are zeros that join leaves out; of the longest sum they are not visited. */
static void differentiate_sum(struct cs_derivation *d, size_t i) {
  const size_t mark = d->count;
  if (i != d->sum) {
    differentiate(d, left_of(d, i));
    const size_t right = d->count;
    differentiate(d, right_of(i));
    join(d, mark, right, d->step[i].operation);
    return;
  }
  number(d, 0);
  for (size_t k = 0, end = SIZE_MAX; k < d->times; k++) {
    if (d->at[k] < d->first[i] || d->at[k] > i || d->term[d->at[k]] == end) continue;
    end = d->term[d->at[k]];
    const size_t right = d->count;
    differentiate(d, end);
    join(d, mark, right, end == d->base ? ADD : d->step[end + 1].operation);
  }
}

static void differentiate_product(struct cs_derivation *d, size_t i) {
  const size_t left = d->count;
  differentiate(d, left_of(d, i));
  times(d, left, right_of(i));
  const size_t right = d->count;
  differentiate(d, right_of(i));
  times(d, right, left_of(d, i));
  join(d, left, right, ADD);
}

/* (a/b)' = (a' - (a/b) b') / b */
static void differentiate_quotient(struct cs_derivation *d, size_t i) {
  const size_t left = d->count;
  differentiate(d, left_of(d, i));
  const size_t right = d->count;
  differentiate(d, right_of(i));
  times(d, right, i);
  join(d, left, right, SUBTRACT);
  divide(d, left, right_of(i));
}

/* (a^c)' = a' c a^(c-1) */
static void differentiate_power(struct cs_derivation *d, size_t i) {
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
static void differentiate_function(struct cs_derivation *d, size_t i, size_t mark) {
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
static void differentiate(struct cs_derivation *d, size_t i) {
  const size_t mark = d->count;
  const enum cs_operation operation = d->step[i].operation;
  if (!varies(d, i)) {
    number(d, 0);
  } else if (operation == PARAMETER) {
    number(d, 1);
  } else if (operation == ADD || operation == SUBTRACT) {
    differentiate_sum(d, i);
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
static void leave_out(struct cs_derivation *d, size_t i) {
  const size_t mark = d->count;
  const enum cs_operation operation = d->step[i].operation;
  if (!depends(d, i)) {
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

static bool is_sum(enum cs_operation operation) {
  return operation == ADD || operation == SUBTRACT;
}

/* Variables are the parameters from `from` up to `to`. */
static bool is_variable(const struct cs_step *step, size_t from, size_t to) {
  return step->operation == PARAMETER && step->parameter >= from && step->parameter <= to;
}

/* Finds the operands of every step, and whether they depend on variables. */
static int find_operands(struct cs_derivation *d, size_t from, size_t to, struct cs_error *error) {
  size_t begins[CS_EXPR_STACK], top = 0, variable = 0;
  for (size_t i = 0; i < d->steps; i++) {
    const struct cs_step *step = &d->step[i];
    if (step->operation <= PARAMETER)
      begins[top++] = i;
    else if (step->operation < NEGATE)
      top--;
    d->first[i] = begins[top - 1];
    if (is_variable(step, from, to)) {
      d->place[d->places++] = i;
      variable = i + 1;
    }
    d->last[i] = variable;
    if (!depends(d, i)) continue;
    if (step->operation == ABS || step->operation == MIN || step->operation == MAX)
      return cs_error_set(error, CS_INPUT,
                          "abs, min or max of a state or an input is not smooth; want modes and events");
    if (step->operation == POWER && depends(d, i - 1))
      return cs_error_set(error, CS_INPUT,
                          "a state or an input in an exponent; want a constant exponent, or exp(b*log(a)) for a^b");
  }
  return CS_OK;
}

/* Finds the longest sum and its terms. */
static void find_sum(struct cs_derivation *d) {
  size_t *const terms = d->term, most = 0; /* of the sum that ends at a step, at first */
  d->sum = SIZE_MAX;
  for (size_t i = 0; i < d->steps; i++) {
    terms[i] = is_sum(d->step[i].operation) ? terms[left_of(d, i)] + 1 : 0;
    if (terms[i] <= most) continue;
    most = terms[i];
    d->sum = i;
  }
  size_t i = d->sum;
  for (size_t end; i != SIZE_MAX && is_sum(d->step[i].operation); i = left_of(d, i)) {
    end = right_of(i);
    for (size_t k = d->first[end]; k <= end; k++)
      d->term[k] = end;
  }
  d->base = i;
  for (size_t k = i != SIZE_MAX ? d->first[i] : 0; i != SIZE_MAX && k <= i; k++)
    d->term[k] = i;
}

/* Sorts places, which are in order, by variable. */
static void sort_places(struct cs_derivation *d, size_t *room) {
  for (size_t width = 1; width < d->places; width *= 2) { /* merges runs of so many */
    for (size_t from = 0; from < d->places; from += 2 * width) {
      const size_t middle = from + width < d->places ? from + width : d->places;
      const size_t end = middle + width < d->places ? middle + width : d->places;
      for (size_t k = from, a = from, b = middle; k < end; k++) {
        const bool left = b == end || (a < middle && d->step[d->place[a]].parameter <= d->step[d->place[b]].parameter);
        room[k] = d->place[left ? a++ : b++];
      }
    }
    memcpy(d->place, room, d->places * sizeof *room);
  }
}

int cs_expr_open_derivation(const struct cs_expr *expr, size_t from, size_t to, struct cs_derivation **derivation,
                            struct cs_error *error) {
  struct cs_derivation *d = calloc(1, sizeof *d);
  *derivation = d;
  if (expr->count > CS_EXPR_LONGEST)
    return cs_error_set(error, CS_INPUT, "an expression of %zu operations; want at most %d", expr->count,
                        CS_EXPR_LONGEST);
  size_t *room = malloc(5 * expr->count * sizeof *room);
  if (d == NULL || room == NULL) {
    free(room);
    return cs_error_memory(error);
  }
  d->step = expr->step;
  d->steps = expr->count;
  d->first = room;
  d->last = room + expr->count;
  d->term = room + 2 * expr->count;
  d->place = room + 3 * expr->count;
  const int code = find_operands(d, from, to, error);
  if (code != CS_OK) return code;
  find_sum(d);
  sort_places(d, room + 4 * expr->count);
  return CS_OK;
}

void cs_expr_close_derivation(struct cs_derivation *d) {
  if (d == NULL) return;
  free(d->first);
  free(d->out);
  free(d);
}

/* The first of the places whose variable is not below this one. */
static size_t find_place(const struct cs_derivation *d, size_t parameter) {
  size_t low = 0, high = d->places;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (d->step[d->place[middle]].parameter < parameter)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

size_t cs_expr_next_variable(const struct cs_derivation *d, size_t parameter) {
  const size_t place = find_place(d, parameter);
  return place < d->places ? d->step[d->place[place]].parameter : SIZE_MAX;
}

/* What was written becomes an expression, which can be evaluated. */
static int finish(struct cs_derivation *d, struct cs_expr **expr, struct cs_error *error) {
  size_t waiting = 0, most = 0;
  *expr = NULL;
  for (size_t i = 0; i < d->count; i++)
    if (d->out[i].operation <= PARAMETER)
      most = ++waiting > most ? waiting : most;
    else if (d->out[i].operation < NEGATE)
      waiting--;
  if (d->count > MAX_RESULT || most > CS_EXPR_STACK)
    return cs_error_set(error, CS_INPUT, "its derivative is too long; want a simpler expression");
  if (!d->memory) *expr = cs_expr_new(d->out, d->count);
  return *expr != NULL ? CS_OK : cs_error_memory(error);
}

int cs_expr_derivative(struct cs_derivation *d, size_t parameter, struct cs_expr **derivative, struct cs_error *error) {
  const size_t place = find_place(d, parameter);
  d->at = d->place + place;
  d->times = find_place(d, parameter + 1) - place;
  d->count = 0;
  differentiate(d, d->steps - 1);
  return finish(d, derivative, error);
}

int cs_expr_constant(struct cs_derivation *d, struct cs_expr **constant, struct cs_error *error) {
  d->count = 0;
  leave_out(d, d->steps - 1);
  return finish(d, constant, error);
}
