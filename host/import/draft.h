/* A model in the making: subsystems and connections as files of other programs give them. */
#ifndef COSWEEP_DRAFT_H
#define COSWEEP_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "text.h"

/* n states, m inputs, p outputs: A, E [n][n], B [n][m], C [p][n], D [p][m], e, x0 [n], f [p], u0 [m]. */
enum cs_draft_part {
  CS_DRAFT_A,
  CS_DRAFT_B,
  CS_DRAFT_C,
  CS_DRAFT_D,
  CS_DRAFT_E,
  CS_DRAFT_F,
  CS_DRAFT_X0,
  CS_DRAFT_U0,
  CS_DRAFT_DESCRIPTOR, /* E of E x' = A x + B u + e */
  CS_DRAFT_PARTS
};
enum cs_draft_side { CS_DRAFT_STATE, CS_DRAFT_INPUT, CS_DRAFT_OUTPUT, CS_DRAFT_SIDES };

enum { CS_DRAFT_MOST = 2000 }; /* states, inputs or outputs of a subsystem */

struct cs_draft_matrix {
  bool given;
  size_t rows, columns; /* vectors have one column */
  bool list;            /* the file has one dimension */
  double *value;        /* [rows][columns]; NULL where that is nothing */
};

struct cs_draft_names {
  bool given;
  size_t count;
  char **text;
};

struct cs_draft_system {
  char *name, *original; /* a legal name of its own in the model, and the file's */
  struct cs_draft_matrix part[CS_DRAFT_PARTS];
  struct cs_draft_names names[CS_DRAFT_SIDES], units[CS_DRAFT_SIDES]; /* the file's; not given: none */
  size_t signals[CS_DRAFT_SIDES];
  char **signal[CS_DRAFT_SIDES]; /* legal names, [signals] */
  bool solved;                   /* A, B and e are those of the file, solved for x' */
};

struct cs_draft_link {
  size_t from_system, from, to_system, to; /* output, input; from_system SIZE_MAX: a constant */
  double gain;                             /* or the constant */
};

/* A connection by names, as a file or the command line gives it; resolved when all files are read. */
struct cs_draft_wish {
  char *from, *to, *place; /* from: NULL for a constant; place: of messages */
  double gain;             /* or the constant */
};

struct cs_draft {
  size_t systems, wishes, links;
  struct cs_draft_system *system;
  struct cs_draft_wish *wish;
  struct cs_draft_link *link;
  struct cs_text warnings; /* lines */
  struct cs_text unread;   /* names of what stands outside of subsystems, "a, b" */
};

/* The side that its rows or its columns belong to; -1: a vector, which has one column. */
int cs_draft_part_side(enum cs_draft_part part, bool columns);
/* "A", "x0"; "StateName" or "StateUnit". */
const char *cs_draft_part_name(enum cs_draft_part part);
const char *cs_draft_names_key(enum cs_draft_side side, bool units);

/* Room for rows x columns zeros; false when out of memory. */
bool cs_draft_give(struct cs_draft_matrix *matrix, size_t rows, size_t columns);
/* Appends a copy of a text. */
bool cs_draft_add_text(struct cs_draft_names *names, const char *text);

/* A new subsystem, the last of the list; NULL when out of memory. */
struct cs_draft_system *cs_draft_add_system(struct cs_draft *draft, const char *original);
/* Checks what was filled in, solves for x' where E is given and not the identity, and gives the subsystem, called
 * `name` where that is legal and free, and its signals their names. CS_INPUT with a message without place: "B has 2
 * rows, A 3".
 */
int cs_draft_finish(struct cs_draft *draft, const char *name, struct cs_error *error);
/* from NULL: a constant, gain, for an input. */
int cs_draft_add_wish(struct cs_draft *draft, const char *place, const char *from, const char *to, double gain,
                      struct cs_error *error);

/* Resolves the wishes; then, if `match`, connects outputs to equally named inputs, without source, of other subsystems.
 * CS_INPUT: a name that is not there, or two outputs for an input. */
int cs_draft_connect(struct cs_draft *draft, bool match, struct cs_error *error);
bool cs_draft_is_fed(const struct cs_draft *draft, size_t system, size_t input);

/* Appends a legal name: other characters become _, several _ one; x before a digit, `empty` if nothing is left. */
void cs_draft_add_name(struct cs_text *text, const char *original, const char *empty);

void cs_draft_free(struct cs_draft *draft);

#endif
