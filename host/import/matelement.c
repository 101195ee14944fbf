#include "matelement.h"

#include "variable.h"

uint32_t cs_matelement_number(const unsigned char *byte, bool big) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++)
    value |= (uint32_t)byte[big ? 3 - i : i] << 8 * i;
  return value;
}

/* It may hold up to four bytes beside its type; all others but matrices are padded to eight bytes. */
bool cs_matelement_take(struct cs_matelement *bytes, uint32_t *type, struct cs_matelement *part) {
  enum { TAG = 8, SHORT = 4 };
  if (bytes->length < TAG) return false;
  const uint32_t tag = cs_matelement_number(bytes->at, bytes->big), brief = tag >> 16;
  const size_t from = brief > 0 ? SHORT : TAG, most = bytes->length - from;
  const size_t size = brief > 0 ? brief : cs_matelement_number(bytes->at + SHORT, bytes->big);
  if (brief > SHORT || size > most) return false;
  const size_t padded = tag == CS_MATELEMENT_MATRIX ? size : brief > 0 ? SHORT : (size + 7) / 8 * 8;
  *type = tag & 0xFFFF;
  *part = (struct cs_matelement){bytes->at + from, size, bytes->big};
  bytes->at += from + (padded < most ? padded : most);
  bytes->length -= from + (padded < most ? padded : most);
  return true;
}

bool cs_matelement_begin(struct cs_matelement *contents, uint32_t *flags, struct cs_matelement *dimensions) {
  enum { INT32 = 5, UINT32 };
  struct cs_matelement part;
  uint32_t type;
  if (!cs_matelement_take(contents, &type, &part) || type != UINT32 || part.length != 8) return false;
  *flags = cs_matelement_number(part.at, part.big);
  if ((*flags & 0xFF) == CS_MATELEMENT_OPAQUE) return true;
  return cs_matelement_take(contents, &type, dimensions) && type == INT32 && dimensions->length >= 8 &&
         dimensions->length % 4 == 0;
}

/* Bytes of a number of that type, or of a part of a character; 0: there is no such type. */
static size_t size_of(uint32_t type, bool characters) {
  static const unsigned char sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1, 2, 4};
  enum { UTF8 = 16 };
  return type < sizeof sizes && (characters || type < UTF8) ? sizes[type] : 0;
}

static bool has_items(struct cs_matelement *bytes, uint64_t count, bool characters) {
  struct cs_matelement part;
  uint32_t type;
  if (count == 0) return true;
  if (!cs_matelement_take(bytes, &type, &part)) return false;
  const size_t size = size_of(type, characters);
  return size > 0 && part.length / size >= count;
}

static bool is_whole(struct cs_matelement bytes, int deep);

static bool has_matrices(struct cs_matelement *bytes, uint64_t count, int deep) {
  struct cs_matelement part;
  uint32_t type;
  for (uint64_t i = 0; i < count; i++)
    if (!cs_matelement_take(bytes, &type, &part) || type != CS_MATELEMENT_MATRIX || !is_whole(part, deep)) return false;
  return true;
}

/* Length of a field's name, names, then fields. */
static bool has_fields(struct cs_matelement *bytes, uint64_t count, int deep) {
  struct cs_matelement length, names;
  uint32_t type;
  if (!cs_matelement_take(bytes, &type, &length) || length.length < 4 || !cs_matelement_take(bytes, &type, &names))
    return false;
  const uint32_t longest = cs_matelement_number(length.at, bytes->big);
  return longest == 0 || has_matrices(bytes, count * (names.length / longest), deep);
}

/* Three lists, whose lengths matfile.c compares. */
static bool has_lists(struct cs_matelement *bytes) {
  struct cs_matelement part;
  uint32_t type;
  for (int i = 0; i < 3; i++)
    if (!cs_matelement_take(bytes, &type, &part) || size_of(type, false) == 0) return false;
  return true;
}

/* The product of the dimensions, or more than a file has where that is larger. */
static uint64_t count_items(const struct cs_matelement *dimensions) {
  uint64_t items = 1;
  for (size_t i = 0; i < dimensions->length; i += 4) {
    const uint32_t dimension = cs_matelement_number(dimensions->at + i, dimensions->big);
    items = dimension == 0 ? 0 : items > UINT32_MAX ? items : items * dimension;
  }
  return items;
}

/* Flags, dimensions, name, contents. */
static bool is_whole(struct cs_matelement bytes, int deep) {
  enum { COMPLEX = 0x800 };
  struct cs_matelement dimensions, name;
  uint32_t flags, type;
  if (bytes.length == 0 || deep == 0) return true; /* nothing; or too deep to be read */
  if (!cs_matelement_begin(&bytes, &flags, &dimensions)) return false;
  const uint32_t class = flags & 0xFF;
  if (class == CS_MATELEMENT_OBJECT || class == CS_MATELEMENT_FUNCTION || class == CS_MATELEMENT_OPAQUE) return true;
  if (!cs_matelement_take(&bytes, &type, &name)) return false;
  const uint64_t items = count_items(&dimensions);
  if (class == CS_MATELEMENT_CELL) return has_matrices(&bytes, items, deep - 1);
  if (class == CS_MATELEMENT_STRUCT) return has_fields(&bytes, items, deep - 1);
  if (class == CS_MATELEMENT_SPARSE) return has_lists(&bytes);
  const bool characters = class == CS_MATELEMENT_CHARACTERS;
  return has_items(&bytes, items, characters) && ((flags & COMPLEX) == 0 || has_items(&bytes, items, characters));
}

bool cs_matelement_is_whole(struct cs_matelement contents) {
  return is_whole(contents, CS_VARIABLE_DEEPEST);
}
