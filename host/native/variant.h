/* What kernels compiled ahead (kernels.c) know of a variant: its named numbers and tables, its operators. */
#ifndef COSWEEP_VARIANT_H
#define COSWEEP_VARIANT_H

#include <stddef.h>
#include <stdint.h>

#include "names.h"
#include "native.h"
#include "operator.h"

/* Largest numbers of states, of inputs, of outputs, of sums or maxima, of state events and of what runs keep of them:
 * private memory is reserved for these. */
enum {
  CS_NATIVE_MOST = 40,
  CS_NATIVE_PARTS = 2,
  CS_NATIVE_ROWS = 16 * CS_NATIVE_MOST,
  CS_NATIVE_COORDINATES = 1 + 2 * CS_NATIVE_MOST + (CS_NATIVE_PARTS + 1) * 4 * CS_NATIVE_MOST,
  CS_NATIVE_MEMORY = 8,
  CS_NATIVE_SMALL_SIGNALS = 2, /* inputs, and outputs, of the small models with kernels of their own */
  CS_NATIVE_SMALL_ROWS = 64,   /* rows of their maps, with measures and monitors, at most */
  CS_NATIVE_EVENTS = 64,
  CS_NATIVE_TABLE = 256,
  CS_NATIVE_COURSE = 32 + 20 * CS_NATIVE_EVENTS + 4 * CS_NATIVE_MOST + 4 * CS_NATIVE_TABLE
};

/* Entries of a matrix row by row: row [rows + 1] the first entry of each, column [entries]; coefficient number `first`
 * belongs to the first entry. Bit i columns + j of `set`: whether there is entry (i, j), of small matrices. */
struct cs_native_operator {
  int rows, first;
  uint64_t set;
  int *row, *column;
};

struct cs_native_variant {
#define NUMBER(name) int name;
#define INTEGERS(name) int *name;
#define REALS(name) double *name;
  CS_ALL_NUMBERS(NUMBER)
  CS_NAMED_INTEGERS(INTEGERS)
  CS_NAMED_REALS(REALS)
  CS_VARIED_INTEGERS(INTEGERS)
  CS_VARIED_REALS(REALS)
#undef NUMBER
#undef INTEGERS
#undef REALS
  struct cs_native_operator matrix[CS_OPERATORS];
  int *part;                      /* [entries of L] part of the network they belong to */
  int hold, feedthrough, control; /* the method's */
};

/* The kernels of an instruction set, by the names they have in kernels/; the last name is NULL. */
struct cs_native_entry {
  const char *name;
  cs_native_run *run;
};

#endif
