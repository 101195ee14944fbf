/* Two results, or two traces, over the same axes: what differs, and by how much (docs/formats.md section 5). */
#ifndef COSWEEP_DIFFERENCE_H
#define COSWEEP_DIFFERENCE_H

#include <stdbool.h>

#include "table.h"
#include "text.h"

/* A variable of both. */
struct cs_difference_row {
  const struct cs_array *array; /* in the first */
  size_t values, differing;     /* numbers compared; those that are not the same, NaN being the same as NaN */
  size_t unmatched;             /* of these, not finite in one of both, or in both in other ways */
  double largest, scale;        /* largest difference; largest finite absolute value in either */
  size_t at;                    /* item of the largest difference, or of the first that is unmatched */
};

/* A setting of the sweeps that differs, or a note of the provenance: "method.master", "jacobi", "gauss_seidel". */
struct cs_difference_setting {
  char *path, *first, *second; /* "" where one has none */
};

struct cs_difference {
  const struct cs_table *first, *second;
  struct cs_difference_row *row; /* [rows] in the order of the first file */
  size_t rows;
  struct cs_difference_setting *setting; /* [settings] */
  size_t settings;
  struct cs_text only[2]; /* names of variables of one of both only, separated by commas */
};

/* CS_IO if both are not of one kind over the same axes, with what differs. name: of the files, for messages. */
int cs_difference_check_axes(const struct cs_table *first, const struct cs_table *second, const char *const *name,
                             struct cs_error *error);
/* CS_IO if both are not of one kind over the same axes, with what differs. name: of the files, for messages. Close it
 * also on failure. */
int cs_difference_open(const struct cs_table *first, const struct cs_table *second, const char *const *name,
                       struct cs_difference *difference, struct cs_error *error);
void cs_difference_close(struct cs_difference *difference);

/* Whether two dimensions have one name and the same coordinates. */
bool cs_difference_same_dimension(const struct cs_dimension *a, const struct cs_dimension *b);

/* largest / scale; 0 if nothing differs, infinite if there are unmatched values or codes (statuses, flags) differ. */
double cs_difference_relative(const struct cs_difference_row *row);
/* Appends the place of the item: "order 1, H 0.1, output motor.w". */
void cs_difference_add_place(const struct cs_difference *difference, const struct cs_difference_row *row,
                             struct cs_text *text);

#endif
