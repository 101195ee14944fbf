/* What the parts of the model's reader share; private to model*.c. */
#ifndef COSWEEP_MODEL_READ_H
#define COSWEEP_MODEL_READ_H

#include <stdbool.h>

#include "model.h"

struct cs_reader {
  struct cs_model *model;
  const struct cs_json *json;
  const char **name; /* of all parameters, for expressions */
  size_t names;
  struct cs_error *error;
};

int cs_reader_check_name(const struct cs_reader *reader, const struct cs_node *node);
int cs_reader_copy(const struct cs_reader *reader, const char *text, char **out);
/* The required "name" of an object, checked; *out is owned by the caller. */
int cs_reader_name(const struct cs_reader *reader, const struct cs_node *object, char **out);
/* The same of an item of "list", of which `count` items of `size` bytes were read: they begin
 * with their names, and no two may be alike. */
int cs_reader_item_name(const struct cs_reader *reader, const struct cs_node *item, const char *list, const void *items,
                        size_t size, size_t count, char **out);
/* Fails where an optional member is no text: one that the file alone keeps. */
int cs_reader_check_text(const struct cs_reader *reader, const struct cs_node *object, const char *key);
/* An optional text, "" where it is absent; *out is owned by the caller. */
int cs_reader_text(const struct cs_reader *reader, const struct cs_node *object, const char *key, char **out);
/* Reads the items of an optional list, in their order. */
int cs_reader_each(const struct cs_reader *reader, const struct cs_node *root, const char *key,
                   int (*read)(const struct cs_reader *reader, const struct cs_node *item));
/* A number or an expression over the parameters; *out is owned by the caller. */
int cs_reader_expr(const struct cs_reader *reader, const struct cs_node *node, struct cs_expr **out);
/* Puts `expr` into a matrix, in order, unless it is the literal 0 (events keep that); takes it, also on failure (NULL:
 * no memory). `place` is where messages point to. */
int cs_reader_add(const struct cs_reader *reader, enum cs_matrix matrix, size_t row, size_t column,
                  struct cs_expr *expr, const struct cs_node *place);
/* The same with the value at `node`. */
int cs_reader_entry(const struct cs_reader *reader, enum cs_matrix matrix, size_t row, size_t column,
                    const struct cs_node *node);

/* Index of the state, input or output "subsystem.name"; fails at the value of `node`, or at its key. */
int cs_reader_signal(const struct cs_reader *reader, const struct cs_node *node, bool key, const char *name,
                     enum cs_over over, size_t *index);

/* The lists "connections", "monitors" and "events", when all subsystems are known. */
int cs_reader_connections(const struct cs_reader *reader, const struct cs_node *root);
int cs_reader_monitors(const struct cs_reader *reader, const struct cs_node *root);
int cs_reader_events(const struct cs_reader *reader, const struct cs_node *root);

/* Evaluates every value of the file once, with the file's own parameters; fails where one is not finite. */
int cs_model_check_values(const struct cs_model *model, struct cs_error *error);

#endif
