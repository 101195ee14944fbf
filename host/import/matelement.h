/* Elements of MAT-files of version 5, and whether a variable has all numbers that its dimensions say: where there are
 * fewer, libmatio reads what follows, or leaves numbers as memory was. */
#ifndef COSWEEP_MATELEMENT_H
#define COSWEEP_MATELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cs_matelement_type { CS_MATELEMENT_MATRIX = 14, CS_MATELEMENT_COMPRESSED = 15 };
enum cs_matelement_class {
  CS_MATELEMENT_CELL = 1,
  CS_MATELEMENT_STRUCT,
  CS_MATELEMENT_OBJECT,
  CS_MATELEMENT_CHARACTERS,
  CS_MATELEMENT_SPARSE,
  CS_MATELEMENT_FUNCTION = 16,
  CS_MATELEMENT_OPAQUE
};

/* Bytes that are still to be read. */
struct cs_matelement {
  const unsigned char *at;
  size_t length;
  bool big; /* big-endian */
};

uint32_t cs_matelement_number(const unsigned char *byte, bool big);
/* The next part of an element; false if it does not end within it. */
bool cs_matelement_take(struct cs_matelement *bytes, uint32_t *type, struct cs_matelement *part);
/* How the contents of an element of type MATRIX begin: flags, of which the lowest byte is the class; for all but opaque
 * ones then the dimensions. */
bool cs_matelement_begin(struct cs_matelement *contents, uint32_t *flags, struct cs_matelement *dimensions);
/* The contents of an element of type MATRIX: also those of its cells and fields. True for what is not read, such as
 * objects. */
bool cs_matelement_is_whole(struct cs_matelement contents);

#endif
