#include "matextent.h"

#if COSWEEP_MATIO /* else nobody asks */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "matelement.h"
#include "role.h"
#include "text.h"

enum { HEADER = 128, BYTE_ORDER_AT = 126 };

/* ---- version 5: tag and length; data that are not compressed are padded to eight bytes by their own length */

static uint64_t length_5(const unsigned char *tag, bool big) {
  return 8 + (uint64_t)cs_matelement_number(tag + 4, big);
}

enum { BEGINNING = 1024, NAME = 64 }; /* bytes */

/* Unpacks up to about `most` bytes; *ended: that was all. */
static int unpack(const struct cs_text *packed, size_t most, struct cs_text *out, bool *ended, struct cs_error *error) {
  unsigned char piece[BEGINNING];
  z_stream stream = {.next_in = (unsigned char *)packed->data, .avail_in = (uInt)packed->length};
  if (inflateInit(&stream) != Z_OK) return cs_error_memory(error);
  int code = Z_OK;
  while (code == Z_OK && out->length < most && !out->failed) {
    stream.next_out = piece;
    stream.avail_out = sizeof piece;
    code = inflate(&stream, Z_NO_FLUSH);
    cs_text_append(out, (const char *)piece, sizeof piece - stream.avail_out);
  }
  inflateEnd(&stream);
  *ended = code == Z_STREAM_END;
  return out->failed ? cs_error_memory(error) : CS_OK;
}

/* Up to about `most` bytes of an element of `length` bytes, with type and length, unpacked where it is compressed.
 * *ended: it could be read, at least so far. */
static int read_element(FILE *file, uint64_t at, uint64_t length, bool big, size_t most, struct cs_text *out,
                        bool *ended, struct cs_error *error) {
  enum { TAG = 8 };
  char tag[TAG], piece[BEGINNING];
  const bool got = fseek(file, (long)at, SEEK_SET) == 0 && fread(tag, 1, TAG, file) == TAG;
  const bool packed = got && cs_matelement_number((unsigned char *)tag, big) == CS_MATELEMENT_COMPRESSED;
  struct cs_text bytes = {0};
  if (got && !packed) cs_text_append(&bytes, tag, TAG);
  for (uint64_t left = length - TAG; got && left > 0 && bytes.length < most && !bytes.failed;) {
    const size_t count = fread(piece, 1, left < sizeof piece ? (size_t)left : sizeof piece, file);
    cs_text_append(&bytes, piece, count);
    left = count > 0 ? left - count : 0;
  }
  int code = bytes.failed ? cs_error_memory(error) : CS_OK;
  *ended = got;
  if (code == CS_OK && packed) {
    code = unpack(&bytes, most, out, ended, error);
    cs_text_free(&bytes);
  } else {
    *out = bytes;
  }
  return code;
}

static bool take_text(struct cs_matelement *bytes, char text[NAME]) {
  struct cs_matelement part;
  uint32_t type;
  if (!cs_matelement_take(bytes, &type, &part) || part.length >= NAME) return false;
  memcpy(text, part.at, part.length);
  text[part.length] = '\0';
  return true;
}

/* What stands behind type and length of a matrix; nothing for other elements. */
static struct cs_matelement contents_of(const struct cs_text *bytes, bool big) {
  enum { TAG = 8 };
  const unsigned char *at = (const unsigned char *)bytes->data;
  struct cs_matelement contents = {NULL, 0, big};
  if (bytes->length < TAG || cs_matelement_number(at, big) != CS_MATELEMENT_MATRIX) return contents;
  const size_t length = cs_matelement_number(at + 4, big), most = bytes->length - TAG;
  contents.at = at + TAG;
  contents.length = length < most ? length : most;
  return contents;
}

/* Class and name of a variable; of an object, which MATLAB writes as flags, name, "MCOS", class, with the name of its
 * class. False if there is no such name. */
static bool find_name(struct cs_matelement bytes, uint32_t kind, char name[NAME], char class[NAME]) {
  char system[NAME];
  if (kind != CS_MATELEMENT_OPAQUE) return take_text(&bytes, name);
  return take_text(&bytes, name) && take_text(&bytes, system) && take_text(&bytes, class) && name[0] != '\0';
}

/* Of a variable that is read. */
static int check_whole(FILE *file, uint64_t at, uint64_t length, bool big, const char *name, struct cs_error *error) {
  struct cs_text bytes = {0};
  bool ended = false;
  int code = read_element(file, at, length, big, SIZE_MAX, &bytes, &ended, error);
  if (code == CS_OK && !ended)
    code = cs_error_set(error, CS_IO, "\"%s\" is damaged: it cannot be unpacked to its end", name);
  if (code == CS_OK && !cs_matelement_is_whole(contents_of(&bytes, big)))
    code = cs_error_set(error, CS_IO, "\"%s\" is damaged: it has fewer numbers than its dimensions say", name);
  cs_text_free(&bytes);
  return code;
}

static int look_at(FILE *file, uint64_t at, uint64_t length, struct cs_matelement contents, struct cs_variable *root,
                   struct cs_error *error) {
  struct cs_matelement dimensions;
  char name[NAME], class[NAME];
  uint32_t kind;
  if (contents.length == 0) return CS_OK;
  if (!cs_matelement_begin(&contents, &kind, &dimensions))
    return cs_error_set(error, CS_IO, "is damaged: holds a variable without flags and dimensions");
  kind &= 0xFF;
  const bool named = find_name(contents, kind, name, class);
  if (!named && kind == CS_MATELEMENT_OPAQUE) return CS_OK;
  if (!named) strcpy(name, "?");
  if (kind == CS_MATELEMENT_STRUCT || (kind != CS_MATELEMENT_OPAQUE && cs_role_of(name).kind != CS_ROLE_NONE))
    return check_whole(file, at, length, contents.big, name, error);
  if (kind != CS_MATELEMENT_OPAQUE) return CS_OK;
  struct cs_variable *v = cs_variable_add(root, name);
  return v != NULL && cs_variable_say(v, CS_VARIABLE_OBJECT, class) ? CS_OK : cs_error_memory(error);
}

static int look(FILE *file, uint64_t at, uint64_t length, bool big, struct cs_variable *root, struct cs_error *error) {
  struct cs_text bytes = {0};
  bool ended = false;
  int code = read_element(file, at, length, big, BEGINNING, &bytes, &ended, error);
  if (code == CS_OK) code = look_at(file, at, length, contents_of(&bytes, big), root, error);
  cs_text_free(&bytes);
  return code;
}

/* ---- version 4: type MOPT, rows, columns, complex, length of the name */

static bool is_header_4(const unsigned char *header, bool big) {
  const uint32_t type = cs_matelement_number(header, big);
  return type < 5000 && type / 1000 == big && type / 100 % 10 == 0 && type / 10 % 10 < 6 && type % 10 < 3 &&
         cs_matelement_number(header + 12, big) < 2 && cs_matelement_number(header + 16, big) > 0;
}

static uint64_t length_4(const unsigned char *header, bool big) {
  static const uint64_t sizes[] = {8, 4, 4, 2, 2, 1};
  const uint64_t items = (uint64_t)cs_matelement_number(header + 4, big) * cs_matelement_number(header + 8, big);
  const uint64_t size = sizes[cs_matelement_number(header, big) / 10 % 10] << cs_matelement_number(header + 12, big);
  return items > UINT32_MAX ? UINT64_MAX / 2 : 20 + cs_matelement_number(header + 16, big) + items * size;
}

/* ---- both */

enum version { NONE, VERSION_4, VERSION_5, VERSION_73 };

static enum version find_version(const unsigned char *header, size_t length, bool *big) {
  const unsigned char *order = header + BYTE_ORDER_AT;
  if (length == HEADER && (memcmp(order, "IM", 2) == 0 || memcmp(order, "MI", 2) == 0)) {
    *big = order[0] == 'M';
    const int major = order[*big ? -2 : -1];
    return major == 1 ? VERSION_5 : major == 2 ? VERSION_73 : NONE;
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
  if (version == VERSION_73)
    return cs_error_set(error, CS_IO, "is damaged: of version 7.3, but without HDF5's signature");
  const uint64_t size = (uint64_t)ftell(file), least = version == VERSION_4 ? 20 : 8;
  uint64_t at = version == VERSION_4 ? 0 : HEADER;
  for (*variables = 0; at < size; ++*variables) {
    const bool read =
        at + least <= size && fseek(file, (long)at, SEEK_SET) == 0 && fread(header, 1, least, file) == least;
    if (!read || (version == VERSION_4 && !is_header_4(header, big)))
      return cs_error_set(error, CS_IO, "is damaged after %zu variables", *variables);
    const uint64_t length = version == VERSION_4 ? length_4(header, big) : length_5(header, big);
    const bool looks = version == VERSION_5 && length <= size - at; /* else it ends the loop */
    const int code = looks ? look(file, at, length, big, root, error) : CS_OK;
    if (code != CS_OK) return code;
    at += length;
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
