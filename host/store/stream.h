/* A table as a sequence of records in a file or a pipe, between processes of this program on one machine. */
#ifndef COSWEEP_STREAM_H
#define COSWEEP_STREAM_H

#include <stdbool.h>
#include <stdio.h>

#include "table.h"

/* Each writes one record; an error of the file stays in it, for ferror. The table comes first, then its dimensions,
 * arrays, each with its items, and notes; after a group, dimensions and arrays are the group's. */
void cs_stream_put_table(FILE *to, const struct cs_table *table);
void cs_stream_put_dimension(FILE *to, const struct cs_dimension *dimension);
void cs_stream_put_array(FILE *to, const struct cs_array *array);
/* Its items stay where they are, and none follow: whoever takes the array gets it without data. */
void cs_stream_put_absent(FILE *to, const struct cs_array *array);
/* The next `count` items of the array, numbers of its type or texts. None: they break off here, and the end follows,
 * with the reason. */
void cs_stream_put_items(FILE *to, enum cs_type type, const void *items, size_t count);
void cs_stream_put_group(FILE *to, const struct cs_table *group);
void cs_stream_put_note(FILE *to, const struct cs_note *note);
/* Ends the sequence: all is there, or `error` says why not. */
void cs_stream_put_end(FILE *to, int code, const struct cs_error *error);

/* Reads records up to the end. False if they break off or make no sense; else *code and `error` are those of the end,
 * or of a lack of memory. *table is NULL unless *code is CS_OK. */
bool cs_stream_take(FILE *from, struct cs_table **table, int *code, struct cs_error *error);

/* Pieces, also for other records. */
void cs_stream_put_count(FILE *to, size_t count);
void cs_stream_put_text(FILE *to, const char *text);
bool cs_stream_take_count(FILE *from, size_t *count);
char *cs_stream_take_text(FILE *from); /* owned by the caller; NULL if it breaks off or out of memory */
/* How something ended: CS_OK, or the code of an error with its message. Taking it is false where it breaks off or is
 * neither; a lack of memory is a code. */
void cs_stream_put_outcome(FILE *to, int code, const struct cs_error *error);
bool cs_stream_take_outcome(FILE *from, int *code, struct cs_error *error);

#endif
