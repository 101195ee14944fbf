/* Strict JSON (RFC 8259 in UTF-8): checks a text and locates its values. Beyond the grammar, numbers must be within the
 * range of double, strings without NUL and nesting bounded. */
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
  struct cs_place key; /* of an object's member; else equal to `value` */
};

struct cs_places {
  size_t count;
  struct cs_value_place *item; /* one per value, in the order in which the values begin */
};

/* Checks `text` of `length` bytes. CS_INPUT with NAME:LINE:COLUMN if it is not strict JSON. Fills `places`
 * (zero-initialised by the caller, who frees it also on failure). */
int cs_scan(const char *name, const char *text, size_t length, struct cs_places *places, struct cs_error *error);
void cs_scan_free(struct cs_places *places);

#endif
