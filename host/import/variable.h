/* Variables of a file, as MATLAB knows them: the form in which files of all kinds are read. */
#ifndef COSWEEP_VARIABLE_H
#define COSWEEP_VARIABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum cs_variable_kind {
  CS_VARIABLE_NUMBERS,
  CS_VARIABLE_TEXT,
  CS_VARIABLE_CELLS,  /* also the rows of a matrix of characters */
  CS_VARIABLE_STRUCT, /* of an array of structures the first */
  CS_VARIABLE_OBJECT, /* of a class */
  CS_VARIABLE_OTHER,  /* nothing that can be read, or without a meaning */
  CS_VARIABLE_KINDS
};

struct cs_variable {
  char *name;          /* "" for a cell */
  size_t line, column; /* in a text; 0: in none */
  enum cs_variable_kind kind;
  size_t rows, columns;     /* of all but texts and objects */
  bool list;                /* of one dimension, which is a column */
  double *number;           /* [rows][columns]; NULL where that is nothing */
  char *text;               /* TEXT: itself; OBJECT: its class, "" if unknown; OTHER: what it is; else NULL */
  size_t parts;             /* STRUCT: fields; CELLS: rows * columns */
  struct cs_variable *part; /* [parts], cells [rows][columns] */
};

enum { CS_VARIABLE_DEEPEST = 4 }; /* variables in each other, the root being the first */

/* A new part, the last; NULL when out of memory. */
struct cs_variable *cs_variable_add(struct cs_variable *whole, const char *name);
/* Room for rows x columns zeros, at most CS_DRAFT_MOST each; `number` is there also if these are none. */
bool cs_variable_give(struct cs_variable *variable, size_t rows, size_t columns);
/* Makes it a TEXT, an OBJECT or OTHER, with a copy of the text. */
bool cs_variable_say(struct cs_variable *variable, enum cs_variable_kind kind, const char *text);
/* The same for OTHER: "2x3x4; want a matrix", "3000x1; want at most 2000 rows and columns" where the dimensions are no
 * matrix that is read. *fits says whether they are one. */
bool cs_variable_fit(struct cs_variable *variable, size_t dimensions, const size_t *dimension, bool *fits);
/* The field of a struct; NULL if there is none. */
const struct cs_variable *cs_variable_find(const struct cs_variable *variable, const char *name);
void cs_variable_free(struct cs_variable *variable);

/* Into a pipe, and out of it; false if it breaks off or makes no sense, or when out of memory, which is *memory. */
void cs_variable_put(FILE *to, const struct cs_variable *variable);
bool cs_variable_take(FILE *from, struct cs_variable *variable, bool *memory);

#endif
