/* Coordinates in which a matrix is block diagonal, with fast and slow modes in blocks of their own, to all digits of
 * struct cs_wide. */
#ifndef COSWEEP_SEPARATE_H
#define COSWEEP_SEPARATE_H

#include "component.h"
#include "error.h"
#include "wide.h"

/* A square matrix and coordinates x = t z in which it is block diagonal. */
struct cs_separated {
  size_t n;
  struct cs_wide a, t, inverse; /* [n][n] the matrix, then in the coordinates; the coordinates; their inverse */
  double *rate;                 /* [n] bound of the block of each coordinate */
  size_t *block;                /* [n] number of the block of each coordinate */
};

/* What separating needs; `most`: the largest dimension. */
struct cs_separation {
  bool other;              /* coordinates in other units, for other rounding errors */
  struct cs_wide scratch;  /* [4][most][most] */
  struct cs_wide original; /* [most][most] */
  double *small;           /* [5][most][most] */
  double *scale;           /* [most] of a balanced block */
  double *unit;            /* [most] of the rows of the matrix */
  size_t *number;          /* [most] */
  struct cs_component *component;
};

/* CS_DEVICE without memory; to be closed then, too. */
int cs_separate_open(size_t most, struct cs_separation *separation, struct cs_error *error);
void cs_separate_close(struct cs_separation *separation);

/* Room for matrices up to n; sets *failed if there is none. */
void cs_separate_take(struct cs_separated *separated, size_t n, bool *failed);
void cs_separate_free(struct cs_separated *separated);

/* Separates the modes of separated->a unless all their rates lie within `narrow` of each other: then the coordinates
 * are the matrix's own. */
int cs_separate(struct cs_separation *separation, struct cs_separated *separated, double narrow,
                struct cs_error *error);

/* Leaves separated->a as it is: one block, in its own coordinates. */
void cs_separate_nothing(struct cs_separation *separation, struct cs_separated *separated);

#endif
