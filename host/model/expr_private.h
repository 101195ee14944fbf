/* Expressions as code; shared by expr*.c. */
#ifndef COSWEEP_EXPR_PRIVATE_H
#define COSWEEP_EXPR_PRIVATE_H

#include "expr.h"

enum { CS_EXPR_STACK = 256 }; /* values that wait for an operation while an expression is evaluated */

enum cs_operation {
  NUMBER,
  PARAMETER,
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  POWER,
  MIN,
  MAX,
  NEGATE,
  SQRT,
  EXP,
  LOG,
  SIN,
  COS,
  TAN,
  ABS
};

struct cs_step {
  enum cs_operation operation;
  double number;
  size_t parameter;
};

/* Postfix code: every step pushes a value or replaces one or two by their result. */
struct cs_expr {
  size_t count;
  struct cs_step step[];
};

struct cs_expr *cs_expr_new(const struct cs_step *step, size_t count); /* a copy; NULL when out of memory */

#endif
