/* Arithmetic expressions of model files (docs/formats.md section 1): + - * / ^, parentheses, unary minus, numbers,
 * pi, parameters, sqrt exp log sin cos tan abs min max. '^' is right-associative and binds tighter than unary minus. */
#ifndef COSWEEP_EXPR_H
#define COSWEEP_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

struct cs_expr;

/* Parses `text`; names are looked up in `names` (count `count`) and become indices. On failure error->message says what
 * is wrong, without a place, which the caller adds; where a name is unknown *unknown is the place of it in the text,
 * otherwise NULL. */
int cs_expr_parse(const char *text, const char *const *names, size_t count, struct cs_expr **expr, const char **unknown,
                  struct cs_error *error);
struct cs_expr *cs_expr_number(double value); /* NULL when out of memory */
void cs_expr_free(struct cs_expr *expr);

/* Value for `parameters` (in the order of `names`). Returns CS_OK or CS_INPUT with a reason such as
 * "sqrt of -1", "division by zero", "not finite". */
int cs_expr_value(const struct cs_expr *expr, const double *parameters, double *value, struct cs_error *error);

bool cs_expr_is_reserved(const char *name);       /* pi or a function: not allowed as a parameter name */
bool cs_expr_is_zero(const struct cs_expr *expr); /* the literal 0: structurally absent */
bool cs_expr_uses(const struct cs_expr *expr, size_t parameter);
void cs_expr_renumber(struct cs_expr *expr, const size_t *number); /* parameter i becomes number[i] */
bool cs_expr_uses_from(const struct cs_expr *expr, size_t first);  /* parameter `first` or a later one */

/* Derivatives by variables, the parameters from `from` up to `to`; borrows the expression. CS_INPUT with the reason
 * where there are none: abs, min or max of a variable, an exponent with one, or an expression of more than
 * CS_EXPR_LONGEST operations. Close also on failure. */
enum { CS_EXPR_LONGEST = 10000 };
struct cs_derivation;
int cs_expr_open_derivation(const struct cs_expr *expr, size_t from, size_t to, struct cs_derivation **derivation,
                            struct cs_error *error);
void cs_expr_close_derivation(struct cs_derivation *derivation);
/* The first variable from `parameter` on that the expression uses; SIZE_MAX: there is none. */
size_t cs_expr_next_variable(const struct cs_derivation *derivation, size_t parameter);
/* The derivative by a variable. Factors of 0 and 1 and terms of 0 are left out, so that the derivative of a x by x is
 * a, with the bits of a. CS_INPUT: it is too long. */
int cs_expr_derivative(struct cs_derivation *derivation, size_t parameter, struct cs_expr **derivative,
                       struct cs_error *error);
/* What is left where all variables are 0: the constant of an expression that is linear in them. Errors as above. */
int cs_expr_constant(struct cs_derivation *derivation, struct cs_expr **constant, struct cs_error *error);

#endif
