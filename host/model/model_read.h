/* Shared by the parts of the model reader; private to model*.c. */
#ifndef COSWEEP_MODEL_READ_H
#define COSWEEP_MODEL_READ_H

#include <stdbool.h>

#include "model.h"

enum { CS_READER_NOWHERE = -2 };

struct cs_reader {
  struct cs_model *model;
  const struct cs_json *json;
  const char **name; /* of all parameters, for expressions */
  size_t names;
  bool timeless; /* expressions of states, in which users look for the time */
  long mode;     /* that entries belong to, into model->mode; -1: all; CS_READER_NOWHERE: read and left out */
  struct cs_error *error;
};

int cs_model_read_check_name(const struct cs_reader *reader, const struct cs_node *node);
int cs_model_read_copy(const struct cs_reader *reader, const char *text, char **out);
/* The required "name" of an object, checked; *out is owned by the caller. */
int cs_model_read_name(const struct cs_reader *reader, const struct cs_node *object, char **out);
/* The same for the next item of `list`. The `count` items read before, of `size` bytes each, begin with their names;
 * fails if one has the same name. */
int cs_model_read_item_name(const struct cs_reader *reader, const struct cs_node *item, const char *list,
                            const void *items, size_t size, size_t count, char **out);
/* Fails if an optional member is not a string; for members that are not stored. */
int cs_model_read_check_text(const struct cs_reader *reader, const struct cs_node *object, const char *key);
/* An optional text, "" if absent; *out is owned by the caller. */
int cs_model_read_text(const struct cs_reader *reader, const struct cs_node *object, const char *key, char **out);
/* Reads the items of an optional list, in their order. */
int cs_model_read_each(const struct cs_reader *reader, const struct cs_node *root, const char *key,
                       int (*read)(const struct cs_reader *reader, const struct cs_node *item));
/* A number or an expression over the parameters; *out is owned by the caller. */
int cs_model_read_expr(const struct cs_reader *reader, const struct cs_node *node, struct cs_expr **out);
/* Inserts `expr` into the sorted entries of a matrix; a literal 0 is dropped, except in events. Takes ownership, also
 * on failure (NULL: out of memory). `place`: for messages. */
int cs_model_read_add(const struct cs_reader *reader, enum cs_matrix matrix, size_t row, size_t column,
                      struct cs_expr *expr, const struct cs_node *place);
/* The same with the value at `node`. */
int cs_model_read_entry(const struct cs_reader *reader, enum cs_matrix matrix, size_t row, size_t column,
                        const struct cs_node *node);

/* Fails if a list has not `want` items, called `what`, one per `per`. */
int cs_model_read_length(const struct cs_reader *reader, const struct cs_node *list, size_t want, const char *what,
                         const char *per);

/* Whether a subsystem is given by equations, "f" and "g", in place of matrices; then these, all but "x0". */
bool cs_model_read_is_by_equations(const struct cs_node *subsystem);
/* Reads nothing; what nonlinear models must not have, once all is read. */
int cs_model_read_nonlinear(const struct cs_reader *reader, const struct cs_node *root);
int cs_model_read_equations(const struct cs_reader *reader, const struct cs_node *node, const struct cs_subsystem *s);

/* Index of the state, input or output "subsystem.name"; errors are at the key of `node` if `key`, else at its value. */
int cs_model_read_signal(const struct cs_reader *reader, const struct cs_node *node, bool key, const char *name,
                         enum cs_over over, size_t *index);

/* The modes of the last subsystem, all but their matrices. */
int cs_model_read_modes(const struct cs_reader *reader, const struct cs_node *subsystem);
/* Index of the mode of `subsystem` that a string names. */
int cs_model_read_mode(const struct cs_reader *reader, const struct cs_node *node, size_t subsystem, size_t *mode);

/* Index of the subsystem that the key of a member names. */
int cs_model_read_subsystem_key(const struct cs_reader *reader, const struct cs_node *member, size_t *subsystem);
/* A combination of a subsystem's own signals, "x.NAME", "u.NAME", "y.NAME" or NAME alone: row `row` of three matrices
 * over states, inputs and outputs, of which `states` is the first. */
int cs_model_read_own_terms(const struct cs_reader *reader, const struct cs_node *terms, size_t subsystem,
                            enum cs_matrix states, size_t row);
/* The conditions "when" of the last event. */
int cs_model_read_when(const struct cs_reader *reader, const struct cs_node *when);

/* The list "lines": its subsystems, and once all signals are known their ends and entries; marks reached inputs. */
int cs_model_read_line_names(const struct cs_reader *reader, const struct cs_node *root);
int cs_model_read_lines(const struct cs_reader *reader, const struct cs_node *root, unsigned char *reached);

/* The lists "connections", "monitors" and "events"; read after all subsystems. */
int cs_model_read_connections(const struct cs_reader *reader, const struct cs_node *root);
int cs_model_read_monitors(const struct cs_reader *reader, const struct cs_node *root);
int cs_model_read_events(const struct cs_reader *reader, const struct cs_node *root);

/* What all values together must fulfil: at most CS_CONFIGURATIONS_MOST configurations, and views of one event that the
 * exact solution gives the same values. */
int cs_model_read_views(const struct cs_reader *reader);

#endif
