#include "zip.h"

#include <stdint.h>
#include <string.h>

enum { VERSION = 20, UNIX = 3 << 8, FIRST_OF_1980 = 1 << 5 | 1 };

static uint32_t checksum(const char *data, size_t length) {
  uint32_t rest = 0xffffffffu;
  for (size_t i = 0; i < length; i++) {
    rest ^= (unsigned char)data[i];
    for (int bit = 0; bit < 8; bit++)
      rest = rest >> 1 ^ (rest & 1u ? 0xedb88320u : 0u);
  }
  return ~rest;
}

static void add(struct cs_text *text, uint32_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    cs_text_append(text, &(char){(char)(value >> 8 * i & 0xffu)}, 1);
}

/* What an entry and its line of the directory have in common. */
static void add_facts(struct cs_text *text, uint32_t sum, size_t length, size_t name) {
  add(text, VERSION, 2);
  add(text, 0, 2); /* flags */
  add(text, 0, 2); /* stored */
  add(text, 0, 2); /* midnight */
  add(text, FIRST_OF_1980, 2);
  add(text, sum, 4);
  add(text, (uint32_t)length, 4);
  add(text, (uint32_t)length, 4);
  add(text, (uint32_t)name, 2);
  add(text, 0, 2); /* no further fields */
}

void cs_zip_add(struct cs_zip *zip, const char *name, const char *data, size_t length) {
  const uint32_t sum = checksum(data, length);
  const size_t at = zip->bytes.length;
  if (length > UINT32_MAX || at > UINT32_MAX - length || zip->entries == UINT16_MAX) zip->bytes.failed = 1;
  add(&zip->bytes, 0x04034b50u, 4);
  add_facts(&zip->bytes, sum, length, strlen(name));
  cs_text_add(&zip->bytes, "%s", name);
  cs_text_append(&zip->bytes, data, length);
  add(&zip->directory, 0x02014b50u, 4);
  add(&zip->directory, UNIX | VERSION, 2);
  add_facts(&zip->directory, sum, length, strlen(name));
  add(&zip->directory, 0, 2); /* no comment */
  add(&zip->directory, 0, 4); /* first disk, bytes */
  add(&zip->directory, 0100644u << 16, 4);
  add(&zip->directory, (uint32_t)at, 4);
  cs_text_add(&zip->directory, "%s", name);
  zip->entries++;
}

void cs_zip_end(struct cs_zip *zip, struct cs_text *bytes) {
  const size_t at = zip->bytes.length, length = zip->directory.length;
  if (zip->directory.failed) zip->bytes.failed = 1;
  cs_text_append(&zip->bytes, cs_text_string(&zip->directory), length);
  add(&zip->bytes, 0x06054b50u, 4);
  add(&zip->bytes, 0, 4); /* one disk */
  add(&zip->bytes, zip->entries, 2);
  add(&zip->bytes, zip->entries, 2);
  add(&zip->bytes, (uint32_t)length, 4);
  add(&zip->bytes, (uint32_t)at, 4);
  add(&zip->bytes, 0, 2); /* no comment */
  cs_text_free(&zip->directory);
  *bytes = zip->bytes;
  *zip = (struct cs_zip){0};
}
