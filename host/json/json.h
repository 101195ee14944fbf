/* JSON as the formats of cosweep require it: strict (RFC 8259, UTF-8, no duplicate keys, no trailing text, finite
 * numbers), with the place of every value. Errors read
 *   FILE:LINE:COLUMN: PATH: what is wrong; want ...
 * Columns count characters, from 1. */
#ifndef COSWEEP_JSON_H
#define COSWEEP_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "scan.h"
#include "text.h"
#include "writer.h"

struct cs_json; /* a parsed file, owns its nodes and their places */
struct cs_node; /* a value inside it (borrowed) */

enum cs_kind { CS_NULL, CS_BOOL, CS_NUMBER, CS_STRING, CS_LIST, CS_OBJECT };

/* Reads a file (CS_IO if it cannot be read, CS_INPUT if it is not strict JSON). */
int cs_json_load(const char *path, struct cs_json **json, struct cs_error *error);
/* The same from memory; `name` stands for the file in messages. */
int cs_json_parse(const char *name, const char *text, size_t length, struct cs_json **json, struct cs_error *error);
void cs_json_free(struct cs_json *json);

const struct cs_node *cs_json_root(const struct cs_json *json);

enum cs_kind cs_json_kind(const struct cs_node *node);
size_t cs_json_length(const struct cs_node *node);                          /* of a list or an object */
const struct cs_node *cs_json_at(const struct cs_node *node, size_t index); /* item of a list, member of an object */
const struct cs_node *cs_json_get(const struct cs_node *node, const char *key); /* NULL when absent */
const char *cs_json_key(const struct cs_node *node);                            /* of a member; NULL elsewhere */
double cs_json_number(const struct cs_node *node);
const char *cs_json_string(const struct cs_node *node);
bool cs_json_bool(const struct cs_node *node);

const char *cs_json_kind_name(enum cs_kind kind); /* "a string": for messages */

/* Fills `error` with place and path of `node` and the given text; returns CS_INPUT. A node that was set from the
 * command line has the place "--set PATH". */
int cs_json_fail(const struct cs_json *json, const struct cs_node *node, struct cs_error *error, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));
/* The same at the place of the member's key. */
int cs_json_fail_key(const struct cs_json *json, const struct cs_node *member, struct cs_error *error,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* cs_json_fail, or cs_json_fail_key if `key`, with a prepared text, which is freed. */
int cs_json_fail_text(const struct cs_json *json, const struct cs_node *node, bool key, struct cs_text *text,
                      struct cs_error *error);

/* Readers go on after a fault, so that one call names all that are independent of each other, at most 20:
 *   for (i = 0; i < count && cs_json_goes_on(json, code); i++)
 *     code = cs_json_also(json, code, read(..., error), error);
 *   return cs_json_tell(json, code, error);
 * cs_json_also keeps the message in `error` where `next` is CS_INPUT, and returns the code so far; any other code but
 * CS_OK ends the loop. cs_json_tell, of the outermost reader, leaves in `error` a line for each fault. */
int cs_json_also(const struct cs_json *json, int code, int next, const struct cs_error *error);
bool cs_json_goes_on(const struct cs_json *json, int code);
int cs_json_tell(const struct cs_json *json, int code, struct cs_error *error);

/* Fails unless `node` is of that kind: "found a number; want a string". */
int cs_json_want(const struct cs_json *json, const struct cs_node *node, enum cs_kind kind, struct cs_error *error);
/* Fails unless `node` is an object whose keys are all in `legal` (NULL-terminated); the message lists them. */
int cs_json_check_keys(const struct cs_json *json, const struct cs_node *node, const char *const *legal,
                       struct cs_error *error);
/* Required members of an object. */
int cs_json_need(const struct cs_json *json, const struct cs_node *object, const char *key, const struct cs_node **out,
                 struct cs_error *error);
/* The same, with what is wanted where there is none. */
int cs_json_need_as(const struct cs_json *json, const struct cs_node *object, const char *key, const char *want,
                    const struct cs_node **out, struct cs_error *error);
int cs_json_need_string(const struct cs_json *json, const struct cs_node *object, const char *key, const char **out,
                        struct cs_error *error);
int cs_json_need_list(const struct cs_json *json, const struct cs_node *object, const char *key,
                      const struct cs_node **out, struct cs_error *error);

/* Fails unless the member "format" of `root` is "cosweep-KIND/1", KIND being `want`; says so where it is another kind.
 */
int cs_json_need_format(const struct cs_json *json, const struct cs_node *root, const char *want,
                        struct cs_error *error);

/* Overrides the scalar at `path` ("method.step.size", "axes.0.unit", "parameters.dk") with `value`: a JSON scalar, or,
 * if that does not parse, a string. Missing objects on the path are created. CS_USAGE if the path does not lead to a
 * scalar. */
int cs_json_set(struct cs_json *json, const char *path, const char *value, struct cs_error *error);

/* Replaces a member of an object by one of that key, with the value that `text` gives as JSON, which has no key twice.
 * Everything in it has the place of the old value. */
int cs_json_replace(struct cs_json *json, const struct cs_node *member, const char *key, const char *text,
                    struct cs_error *error);

/* Where the value of a member of a replaced object, a list, comes from: in messages `before`, the line, and `after`
 * stand for its path, as in "axes[0].zip: table.csv:7: t_end", and `place` for its place. */
struct cs_json_origin {
  const char *before, *after;
  const size_t *line; /* [1 + items] of the member itself and of each item; NULL: none */
  struct cs_value_place place;
};
int cs_json_stand_for(const struct cs_node *member, const struct cs_json_origin *origin, struct cs_error *error);
/* Path ("axes[0].zip") and place of a node. */
void cs_json_add_path(const struct cs_node *node, struct cs_text *text);
struct cs_value_place cs_json_place(const struct cs_node *node);

/* The same as cs_json_set from one text, "path=value"; CS_USAGE if it has no "=". */
int cs_json_assign(struct cs_json *json, const char *text, struct cs_error *error);

/* Writes the value, numbers with up to 17 digits; members of objects and items of lists with containers begin lines. */
void cs_json_write(struct cs_writer *writer, const char *key, const struct cs_node *node);
/* Appends the value as JSON text, indented. */
void cs_json_print(const struct cs_node *node, struct cs_text *text);

#endif
