#include "matextent.h"

#if COSWEEP_MATIO /* else nobody asks */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <zlib.h>

enum { HEADER = 128, BYTE_ORDER_AT = 126 };

static uint32_t number(const unsigned char *byte, bool big) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++)
    value |= (uint32_t)byte[big ? 3 - i : i] << 8 * i;
  return value;
}

/* ---- version 5: tag and length; data that are not compressed are padded to eight bytes by their own length */

static uint64_t length_5(const unsigned char *tag, bool big) {
  return 8 + (uint64_t)number(tag + 4, big);
}

enum { COMPRESSED = 15, MATRIX = 14, OPAQUE = 17, BEGINNING = 1024 };

/* The first bytes of what a compressed element holds; 0: none. */
static size_t unpack(const unsigned char *packed, size_t length, unsigned char *out, size_t room) {
  z_stream stream = {
      .next_in = (unsigned char *)packed, .avail_in = (uInt)length, .next_out = out, .avail_out = (uInt)room};
  if (inflateInit(&stream) != Z_OK) return 0;
  const int code = inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR ? room - stream.avail_out : 0;
}

/* The text of a part, whose length stands beside its type where it is short; *at moves behind it. */
static bool take_text(const unsigned char *bytes, size_t length, bool big, size_t *at, char text[64]) {
  if (*at + 8 > length) return false;
  const uint32_t tag = number(bytes + *at, big), small = tag >> 16,
                 size = small > 0 ? small : number(bytes + *at + 4, big);
  const size_t from = *at + (small > 0 ? 4 : 8);
  if (size >= 64 || from + size > length || (small > 4)) return false;
  memcpy(text, bytes + from, size);
  text[size] = '\0';
  *at = small > 0 ? *at + 8 : from + (size + 7) / 8 * 8;
  return true;
}

/* Flags, name, "MCOS", class: what MATLAB writes of an object. */
static bool find_object(const unsigned char *bytes, size_t length, bool big, char name[64], char class[64]) {
  char system[64];
  size_t at = 24;
  return length > at && number(bytes, big) == MATRIX && (number(bytes + 16, big) & 0xFF) == OPAQUE &&
         take_text(bytes, length, big, &at, name) && take_text(bytes, length, big, &at, system) &&
         take_text(bytes, length, big, &at, class) && name[0] != '\0';
}

static int look(FILE *file, uint64_t at, bool big, struct cs_variable *root, struct cs_error *error) {
  unsigned char bytes[BEGINNING], plain[BEGINNING];
  char name[64], class[64];
  size_t length = fseek(file, (long)at, SEEK_SET) == 0 ? fread(bytes, 1, sizeof bytes, file) : 0;
  const bool packed = length > 8 && number(bytes, big) == COMPRESSED;
  if (packed) length = unpack(bytes + 8, length - 8, plain, sizeof plain);
  if (!find_object(packed ? plain : bytes, length, big, name, class)) return CS_OK;
  struct cs_variable *v = cs_variable_add(root, name);
  return v != NULL && cs_variable_say(v, CS_VARIABLE_OBJECT, class) ? CS_OK : cs_error_memory(error);
}

/* ---- version 4: type MOPT, rows, columns, complex, length of the name */

static bool is_header_4(const unsigned char *header, bool big) {
  const uint32_t type = number(header, big);
  return type < 5000 && type / 1000 == big && type / 100 % 10 == 0 && type / 10 % 10 < 6 && type % 10 < 3 &&
         number(header + 12, big) < 2 && number(header + 16, big) > 0;
}

static uint64_t length_4(const unsigned char *header, bool big) {
  static const uint64_t sizes[] = {8, 4, 4, 2, 2, 1};
  const uint64_t items = (uint64_t)number(header + 4, big) * number(header + 8, big);
  const uint64_t size = sizes[number(header, big) / 10 % 10] << number(header + 12, big);
  return items > UINT32_MAX ? UINT64_MAX / 2 : 20 + number(header + 16, big) + items * size;
}

/* ---- both */

enum version { NONE, VERSION_4, VERSION_5 };

static enum version find_version(const unsigned char *header, size_t length, bool *big) {
  const unsigned char *order = header + BYTE_ORDER_AT;
  if (length == HEADER && (memcmp(order, "IM", 2) == 0 || memcmp(order, "MI", 2) == 0)) {
    *big = order[0] == 'M';
    return VERSION_5;
  }
  for (int k = 0; k < 2 && length >= 20; k++) {
    *big = k > 0;
    if (is_header_4(header, *big)) return VERSION_4;
  }
  return NONE;
}

static int read_extent(FILE *file, size_t *variables, struct cs_variable *root, struct cs_error *error) {
  unsigned char header[HEADER];
  bool big = false;
  const enum version version = find_version(header, fread(header, 1, sizeof header, file), &big);
  if (version == NONE || fseek(file, 0, SEEK_END) != 0) return cs_error_set(error, CS_IO, "is no MAT-file");
  const uint64_t size = (uint64_t)ftell(file), least = version == VERSION_4 ? 20 : 8;
  uint64_t at = version == VERSION_4 ? 0 : HEADER;
  for (*variables = 0; at < size; ++*variables) {
    const bool read =
        at + least <= size && fseek(file, (long)at, SEEK_SET) == 0 && fread(header, 1, least, file) == least;
    if (!read || (version == VERSION_4 && !is_header_4(header, big)))
      return cs_error_set(error, CS_IO, "is damaged after %zu variables", *variables);
    const int code = version == VERSION_5 ? look(file, at, big, root, error) : CS_OK;
    if (code != CS_OK) return code;
    at += version == VERSION_4 ? length_4(header, big) : length_5(header, big);
  }
  if (at != size) return cs_error_set(error, CS_IO, "is damaged: ends within the last of %zu variables", *variables);
  return CS_OK;
}

int cs_matextent_read(const char *path, size_t *variables, struct cs_variable *root, struct cs_error *error) {
  *variables = 0;
  FILE *file = fopen(path, "rb");
  if (file == NULL) return cs_error_set(error, CS_IO, "cannot be opened: %s", strerror(errno));
  const int code = read_extent(file, variables, root, error);
  fclose(file);
  return code;
}

#endif
