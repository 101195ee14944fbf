/* Strict JSON (RFC 8259 in UTF-8): says whether a text is JSON, and where each of its values stands.
 * Beyond the grammar it wants numbers within the range of double, no NUL in strings, and a bounded depth. */
#ifndef COSWEEP_SCAN_H
#define COSWEEP_SCAN_H

#include <stddef.h>

#include "error.h"

enum { CS_MAX_DEPTH = 64 }; /* of nested lists and objects */

struct cs_place {
  size_t line, column; /* from 1; columns count characters */
};

struct cs_value_place {
  struct cs_place value;
  struct cs_place key; /* of an object's member; elsewhere that of the value */
};

struct cs_places {
  size_t count;
  struct cs_value_place *item; /* one per value, in the order in which the values begin */
};

/* Checks `text` of `length` bytes. CS_INPUT with NAME:LINE:COLUMN where it is not strict JSON. Fills `places`
 * (zero-initialised by the caller, who frees it also on failure). */
int cs_scan(const char *name, const char *text, size_t length, struct cs_places *places, struct cs_error *error);
void cs_places_free(struct cs_places *places);

#endif
