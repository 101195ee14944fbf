/* Datasets of a result file that is being read: texts, attributes, shapes and numbers, each within what a file of its
 * size can hold. The source of all errors is the file: CS_IO, with its path and the dataset's name. */
#ifndef COSWEEP_STORE_DATASET_H
#define COSWEEP_STORE_DATASET_H

#include <stdint.h>
#include <stdio.h>

#include "hdf5_door.h"
#include "table.h"

struct cs_judging; /* store_read.c */
struct cs_staying; /* store_stay.h */

/* An open file and its error record. Contents are passed on as they are read; the table keeps all but the items of
 * arrays. */
struct cs_reader {
  hid_t file;
  hid_t text, transfer; /* the type of all texts, and how they are read */
  const char *path;
  FILE *to;
  struct cs_allowance *allowance;
  struct cs_judging *judging; /* NULL: contents are wanted, and the first fault ends it */
  struct cs_staying *staying; /* NULL: no numbers stay in the file */
  struct cs_table *table;
  struct cs_error *error;
};

/* What a file of its size may hold when unpacked: a thousandth of it at best is what gzip makes of anything. */
struct cs_allowance {
  double file, taken; /* bytes */
};

/* Shape and type of a dataset. */
struct cs_shape {
  int dimensions;
  hsize_t length[CS_MAX_DIMENSIONS];
  size_t count;
  enum cs_type type;
  uint8_t most; /* the largest number of a flag */
};

/* Before data are read: limits their amount, and the time that all may take, to what the file can be meant to hold. */
int cs_store_dataset_allow(const struct cs_reader *reader, const char *name, double bytes);

/* A block of so many bytes is read later, in a time of its own. */
void cs_store_dataset_limit_time(size_t bytes);

/* "PATH: cannot DOING NAME: HDF5's reason". */
int cs_store_dataset_fail(const struct cs_reader *reader, const char *doing, const char *name);
/* "PATH: "NAME" WHAT; want a result file of cosweep". */
int cs_store_dataset_fail_foreign(const struct cs_reader *reader, const char *name, const char *what);

/* All texts of a dataset; *text is owned by the caller, who knows the count. */
int cs_store_dataset_texts(const struct cs_reader *reader, hid_t dataset, const char *name, size_t count, char ***text);
void cs_store_dataset_free_texts(char **text, size_t count);
/* A text attribute of an object, "" where there is none. *text is owned by the caller. */
int cs_store_dataset_attribute(const struct cs_reader *reader, hid_t object, const char *name, char **text);

int cs_store_dataset_shape(const struct cs_reader *reader, hid_t dataset, const char *name, struct cs_shape *shape);
/* All numbers, converted to `type`. */
int cs_store_dataset_numbers(const struct cs_reader *reader, hid_t dataset, const char *name, enum cs_type type,
                             void *data);
/* Those of a part with its corner at start[dimensions]. */
int cs_store_dataset_part(const struct cs_reader *reader, hid_t dataset, const char *name, const struct cs_shape *shape,
                          const hsize_t *start, const hsize_t *length, void *data);
/* Fails where one of `count` flags that were read means nothing. */
int cs_store_dataset_check_flags(const struct cs_reader *reader, hid_t dataset, const struct cs_shape *shape,
                                 const void *data, size_t count);

#endif
