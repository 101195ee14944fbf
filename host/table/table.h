/* Named N-dimensional arrays with dimensions, units and descriptions: the content of a result file, without HDF5. */
#ifndef COSWEEP_TABLE_H
#define COSWEEP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lazy.h"

enum cs_type { CS_FLOAT64, CS_INT64, CS_UINT8, CS_TEXT };

enum { CS_MAX_DIMENSIONS = 32 };

/* Bytes of a number of that type. */
size_t cs_table_item_size(enum cs_type type);

struct cs_dimension {
  char *name, *unit, *long_name;
  size_t length;
  double *values; /* [length], numeric scale; NULL for a scale of names */
  char **labels;  /* [length], scale of names; NULL for a numeric one */
  int unlimited;  /* extensible in the file; set after the dimension is added */
};

struct cs_array {
  char *name, *unit, *long_name;
  enum cs_type type;
  size_t dimensions;
  size_t dimension[CS_MAX_DIMENSIONS]; /* indices into the table's dimensions, slowest first */
  size_t count;                        /* product of the lengths */
  union {
    double *float64;
    int64_t *int64;
    uint8_t *uint8;
    char **text;
  } data;
  char *flag_meanings;        /* uint8 flags: words separated by blanks, values 0, 1, 2, ...; NULL otherwise */
  struct cs_lazy_array *lazy; /* where the numbers are if `data` are not there; NULL: they are */
};

/* Text or number of the group /provenance. */
struct cs_note {
  char *name;
  enum cs_type type; /* CS_TEXT (scalar or list), CS_FLOAT64 or CS_INT64 (scalar) */
  size_t count;      /* of texts */
  int scalar;
  char **text;
  double float64;
  int64_t int64;
};

/* Where arrays over the runs have their numbers: in memory; in a file (spill.h); or they have none, and the table is
 * the outline of one. */
enum cs_home { CS_IN_MEMORY, CS_IN_FILE, CS_NOWHERE };

struct cs_table {
  char *title, *source, *history; /* root attributes */
  size_t dimensions, arrays, notes;
  struct cs_dimension *dimension;
  struct cs_array *array;
  struct cs_note *note;
  char *name;             /* of a group; NULL for the root */
  struct cs_table *group; /* the root's only group besides /provenance (owned), or NULL; has no notes */
  struct cs_lazy *lazy;   /* of arrays whose numbers are elsewhere (owned), or NULL */
  enum cs_home home;
  struct cs_spill *spill; /* with CS_IN_FILE (owned by `lazy`) */
};

struct cs_table *cs_table_new(const char *title, const char *source, const char *history);
void cs_table_free(struct cs_table *table);

/* Adds the group: a table with dimensions and arrays of its own. */
int cs_table_add_group(struct cs_table *table, const char *name, const char *title, struct cs_table **group,
                       struct cs_error *error);

/* All texts are copied. Return the index in *index (may be NULL). */
int cs_table_add_dimension(struct cs_table *table, const char *name, const char *unit, const char *long_name,
                           size_t length, const double *values, const char *const *labels, size_t *index,
                           struct cs_error *error);
/* A dimension numbered from 0, with the long name "number of the <what>, from 0". */
int cs_table_add_numbers(struct cs_table *table, const char *name, const char *what, size_t length, size_t *index,
                         struct cs_error *error);
/* Data starts as NaN (float64), 0 (integers) or NULL (text, written as ""). *array (may be NULL) points into the table
 * until the next array is added; flag_meanings and texts set there are owned by the table. */
int cs_table_add_array(struct cs_table *table, const char *name, const char *unit, const char *long_name,
                       enum cs_type type, size_t dimensions, const size_t *dimension, struct cs_array **array,
                       struct cs_error *error);
/* The same without data: those are NULL until the caller allocates them. */
int cs_table_declare_array(struct cs_table *table, const char *name, const char *unit, const char *long_name,
                           enum cs_type type, size_t dimensions, const size_t *dimension, struct cs_array **array,
                           struct cs_error *error);
/* Arrays over the runs are to be in a file beside the one of that name. To be called before there are any. */
int cs_table_spill(struct cs_table *table, const char *beside, struct cs_error *error);
/* cs_table_add_array of an array over the runs, with its numbers where the table has those. In a file they are zeros
 * until cs_table_put. */
int cs_table_add_homed(struct cs_table *table, const char *name, const char *unit, const char *long_name,
                       enum cs_type type, size_t dimensions, const size_t *dimension, struct cs_array **array,
                       struct cs_error *error);
/* `count` numbers of an array from number `first` on, in memory or in the table's file. Those in a file are put before
 * any of them is asked for by cs_table_float64 and the like. */
int cs_table_put(const struct cs_table *table, struct cs_array *array, size_t first, const void *items, size_t count,
                 struct cs_error *error);
int cs_table_get(const struct cs_table *table, const struct cs_array *array, size_t first, void *items, size_t count,
                 struct cs_error *error);
int cs_table_add_text(struct cs_table *table, const char *name, size_t count, int scalar, const char *const *text,
                      struct cs_error *error);
int cs_table_add_number(struct cs_table *table, const char *name, enum cs_type type, double float64, int64_t int64,
                        struct cs_error *error);
/* Item i of an array over the runs, wherever it is. What was read counts only if cs_table_check says CS_OK afterwards.
 */
static inline double cs_table_float64(const struct cs_array *array, size_t i) {
  return array->lazy == NULL ? array->data.float64[i] : *(const double *)cs_lazy_item(array->lazy, i);
}
static inline int64_t cs_table_int64(const struct cs_array *array, size_t i) {
  return array->lazy == NULL ? array->data.int64[i] : *(const int64_t *)cs_lazy_item(array->lazy, i);
}
static inline uint8_t cs_table_uint8(const struct cs_array *array, size_t i) {
  return array->lazy == NULL ? array->data.uint8[i] : *(const uint8_t *)cs_lazy_item(array->lazy, i);
}
/* Why numbers that are elsewhere could not be had. */
int cs_table_check(const struct cs_table *table, struct cs_error *error);
/* Item i of an array as a number; NaN for texts. */
double cs_table_number(const struct cs_array *array, size_t i);
struct cs_array *cs_table_find(const struct cs_table *table, const char *name); /* NULL if absent */
const struct cs_dimension *cs_table_find_dimension(const struct cs_table *table, const char *name);
const struct cs_note *cs_table_find_note(const struct cs_table *table, const char *name);
/* The text of a note, of a list the first; NULL if there is none. */
const char *cs_table_text(const struct cs_table *table, const char *name);

#endif
