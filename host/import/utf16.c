#include "utf16.h"

#include <stdbool.h>

static void add_code(struct cs_text *text, uint32_t code) {
  const unsigned char bytes[4] = {0xF0 | code >> 18, 0x80 | (code >> 12 & 0x3F), 0x80 | (code >> 6 & 0x3F),
                                  0x80 | (code & 0x3F)};
  const unsigned char three = 0xE0 | code >> 12, two = 0xC0 | code >> 6;
  const size_t tail = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const unsigned char first = tail == 0 ? code : tail == 1 ? two : tail == 2 ? three : bytes[0];
  cs_text_append(text, (const char *)&first, 1);
  cs_text_append(text, (const char *)bytes + 4 - tail, tail);
}

static bool is_surrogate(uint16_t unit, uint16_t first) {
  return (unit & 0xFC00) == first;
}

void cs_utf16_add(struct cs_text *text, const uint16_t *unit, size_t count) {
  enum { HIGH = 0xD800, LOW = 0xDC00, UNKNOWN = 0xFFFD };
  for (size_t i = 0; i < count; i++) {
    const bool pair = is_surrogate(unit[i], HIGH) && i + 1 < count && is_surrogate(unit[i + 1], LOW);
    if (pair) {
      add_code(text, 0x10000 + ((uint32_t)(unit[i] - HIGH) << 10) + (unit[i + 1] - LOW));
      i++;
    } else {
      add_code(text, is_surrogate(unit[i], HIGH) || is_surrogate(unit[i], LOW) ? UNKNOWN : unit[i]);
    }
  }
}
