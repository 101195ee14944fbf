/* What kernels compiled ahead (kernels.c) know of a variant: its named numbers and tables, its operators. */
#ifndef COSWEEP_VARIANT_H
#define COSWEEP_VARIANT_H

#include <stddef.h>
#include <stdint.h>

#include "facts.h"
#include "names.h"
#include "native.h"
#include "operator.h"

/* Largest numbers of states, and of each kind of signals, subsystems, monitors and bonds, of the kernels that take
 * several runs at once, and of those for large models, which take one. Their private memory has room for so many, and
 * for what follows from these: of accumulators and rows of measures, and of coordinates. */
enum { CS_NATIVE_MOST = CS_MOST_SMALL, CS_NATIVE_PARTS = 3 };
#define CS_NATIVE_ROWS(states, signals) (4 * (states) + 12 * (signals))
#define CS_NATIVE_COORDINATES(states, signals) (1 + 3 * (states) + ((CS_NATIVE_PARTS + 1) * 4 + 1) * (signals))
#define CS_NATIVE_COURSE(states) (32 + 20 * CS_NATIVE_EVENTS + 4 * (states) + 4 * CS_NATIVE_TABLE)

/* Of state events and what runs keep of them, and of the small models with kernels of their own. */
enum {
  CS_NATIVE_MEMORY = 8,
  CS_NATIVE_SMALL_SIGNALS = 2, /* inputs, and outputs */
  CS_NATIVE_SMALL_ROWS = 64,   /* rows of their maps, with measures and monitors, at most */
  CS_NATIVE_EVENTS = 64,
  CS_NATIVE_TABLE = 256
};

/* Memory of a thread that computes large models, in numbers: with fast modes what transfer.clh keeps, in its order,
 * then inverses of implicit solvers. */
enum {
  CS_NATIVE_INVERSES = 4,
  CS_NATIVE_SQUARES = 6,
  CS_NATIVE_HOP_TERMS = 20,
  CS_NATIVE_HEAD = 8,
  CS_NATIVE_SLOT = 5
};
struct cs_native_sizes {
  size_t states, exact, largest, inputs, own_most; /* own_most: most inputs of a subsystem */
};
static inline size_t cs_native_square(const struct cs_native_sizes *s) {
  size_t side = s->exact;
  if (s->largest > side) side = s->largest;
  if (s->inputs > side) side = s->inputs;
  return side * side;
}
static inline size_t cs_native_transfer(const struct cs_native_sizes *s) {
  return s->states * s->largest + CS_NATIVE_HOP_TERMS * s->states * s->own_most + s->exact * s->exact;
}
/* Lengths whose matrices are kept: many of small ones, some of the largest. */
static inline size_t cs_native_slots(const struct cs_native_sizes *s) {
  const size_t room = ((size_t)32 << 20) / cs_native_transfer(s);
  return room < 24 ? 24 : room > 1024 ? 1024 : room;
}
/* What matrices of a length follow from. */
static inline size_t cs_native_network(const struct cs_native_sizes *s) {
  return s->states * (s->largest + s->inputs + 2) + s->exact * (s->exact + 1);
}
static inline size_t cs_native_memory(const struct cs_native_sizes *s, int stiff) {
  const size_t blocks = s->states * s->largest, slots = cs_native_slots(s);
  const size_t kept = CS_NATIVE_HEAD + cs_native_network(s) + s->states + s->exact +
                      CS_NATIVE_SQUARES * cs_native_square(s) + 5 * blocks +
                      slots * (CS_NATIVE_SLOT + cs_native_transfer(s));
  return CS_NATIVE_INVERSES * blocks + (stiff ? kept : 0);
}

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
  struct cs_native_sizes sizes;
  int *part;                      /* [entries of L] part of the network they belong to */
  int hold, feedthrough, control; /* the method's */
};

/* The kernels of an instruction set, by the names they have in kernels/; the last name is NULL. */
struct cs_native_entry {
  const char *name;
  cs_native_run *run;
};

#endif
