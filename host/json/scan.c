#include "scan.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "list.h"
#include "text.h"

/* cJSON copies a number into a buffer of 64 bytes. */
enum { MAX_NUMBER = 63 };

struct scanner {
  const char *name, *text;
  size_t length, at, depth;
  struct cs_place here;
  struct cs_places *places;
  struct cs_error *error;
};

static int scan_value(struct scanner *s, struct cs_place key, const char *want);

/* Byte `ahead` of the current one, or -1 past the end. */
static int peek(const struct scanner *s, size_t ahead) {
  return ahead < s->length - s->at ? (unsigned char)s->text[s->at + ahead] : -1;
}

static void advance(struct scanner *s, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    unsigned char byte = (unsigned char)s->text[s->at++];
    if (byte == '\n') {
      s->here.line++;
      s->here.column = 1;
    } else if ((byte & 0xC0u) != 0x80u) {
      s->here.column++;
    }
  }
}

static void skip_blanks(struct scanner *s) {
  for (int c = peek(s, 0); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek(s, 0))
    advance(s, 1);
}

static int fail_at(struct scanner *s, struct cs_place place, const char *message) {
  return cs_error_set(s->error, CS_INPUT, "%s:%zu:%zu: %s", s->name, place.line, place.column, message);
}

/* Fails at the current byte, which is not legal here. */
static int fail_unexpected(struct scanner *s, const char *want) {
  int c = peek(s, 0);
  struct cs_text message = {0};
  size_t size = cs_text_utf8_length(s->text + s->at, s->length - s->at);
  if (c < 0)
    cs_text_add(&message, "unexpected end of file");
  else if (c == '/')
    cs_text_add(&message, "unexpected /: JSON has no comments");
  else if (size == 0 || c < 0x20 || c == 0x7F || cs_text_mark_length(s->text + s->at, size) > 0)
    cs_text_add(&message, "unexpected byte 0x%02X", (unsigned)c);
  else
    cs_text_add(&message, "unexpected %.*s", (int)size, s->text + s->at);
  cs_text_add(&message, "; want %s", want);
  int code = message.failed ? cs_error_memory(s->error) : fail_at(s, s->here, message.data);
  cs_text_free(&message);
  return code;
}

/* Value of the four hexadecimal digits `ahead` of the current byte, or -1. */
static long hex4(const struct scanner *s, size_t ahead) {
  long value = 0;
  for (size_t i = 0; i < 4; i++) {
    int c = peek(s, ahead + i);
    int digit = cs_ascii_is_digit(c)     ? c - '0'
                : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                         : -1;
    if (digit < 0) return -1;
    value = 16 * value + digit;
  }
  return value;
}

/* At a backslash inside a string. */
static int scan_escape(struct scanner *s) {
  int c = peek(s, 1);
  if (c != 'u') {
    if (c <= 0 || strchr("\"\\/bfnrt", c) == NULL)
      return fail_at(s, s->here, "bad escape in a string; want one of: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    advance(s, 2);
    return CS_OK;
  }
  long unit = hex4(s, 2);
  if (unit < 0) return fail_at(s, s->here, "bad escape in a string; want \\u followed by four hexadecimal digits");
  if (unit == 0) return fail_at(s, s->here, "\\u0000 in a string; want text without NUL");
  if (unit < 0xD800 || unit > 0xDFFF) {
    advance(s, 6);
    return CS_OK;
  }
  long low = peek(s, 6) == '\\' && peek(s, 7) == 'u' ? hex4(s, 8) : -1;
  if (unit > 0xDBFF || low < 0xDC00 || low > 0xDFFF)
    return fail_at(s, s->here, "lone surrogate in a string; want a pair \\uD800-\\uDBFF \\uDC00-\\uDFFF");
  advance(s, 12);
  return CS_OK;
}

/* At a quote. */
static int scan_string(struct scanner *s) {
  struct cs_place start = s->here;
  advance(s, 1);
  for (int c = peek(s, 0); c != '"'; c = peek(s, 0)) {
    size_t size = cs_text_utf8_length(s->text + s->at, s->length - s->at);
    if (c < 0) return fail_at(s, start, "unterminated string; want a closing \"");
    if (c < 0x20) {
      return cs_error_set(s->error, CS_INPUT,
                          "%s:%zu:%zu: control character 0x%02X in a string; want it escaped as \\u%04X", s->name,
                          s->here.line, s->here.column, (unsigned)c, (unsigned)c);
    }
    if (size == 0) {
      return cs_error_set(s->error, CS_INPUT, "%s:%zu:%zu: byte 0x%02X in a string is not UTF-8; want text in UTF-8",
                          s->name, s->here.line, s->here.column, (unsigned)c);
    }
    if (c != '\\') {
      advance(s, size);
      continue;
    }
    int code = scan_escape(s);
    if (code != CS_OK) return code;
  }
  advance(s, 1);
  return CS_OK;
}

/* Why `text` is not a JSON number, or NULL. */
static const char *number_flaw(const char *text) {
  const char *p = text + (*text == '-');
  if (!cs_ascii_is_digit(*p)) return "no digit at the start";
  if (p[0] == '0' && cs_ascii_is_digit(p[1])) return "leading zero";
  p += strspn(p, "0123456789");
  if (*p == '.') {
    size_t digits = strspn(++p, "0123456789");
    if (digits == 0) return "no digit after the point";
    p += digits;
  }
  if (*p == 'e' || *p == 'E') {
    p += 1 + (p[1] == '+' || p[1] == '-');
    size_t digits = strspn(p, "0123456789");
    if (digits == 0) return "no digit in the exponent";
    p += digits;
  }
  return *p ? "not a decimal number" : NULL;
}

static int scan_number(struct scanner *s) {
  char number[MAX_NUMBER + 1];
  size_t length = 0;
  for (int c = peek(s, 0); cs_ascii_is_digit(c) || cs_ascii_is_letter(c) || c == '+' || c == '-' || c == '.';
       c = peek(s, length)) {
    if (length == MAX_NUMBER) return fail_at(s, s->here, "number too long; want at most 63 characters");
    number[length++] = (char)c;
  }
  number[length] = '\0';
  const char *flaw = number_flaw(number);
  if (flaw != NULL) {
    return cs_error_set(s->error, CS_INPUT, "%s:%zu:%zu: bad number %s: %s; want a number such as 1, -0.5 or 1e-3",
                        s->name, s->here.line, s->here.column, number, flaw);
  }
  double value = strtod(number, NULL);
  bool lost = value == 0 && strcspn(number, "123456789") < strcspn(number, "eE");
  if (!isfinite(value) || lost) {
    return cs_error_set(s->error, CS_INPUT,
                        "%s:%zu:%zu: number %s is out of range; want 0 or a magnitude from 5e-324 to 1.79e308", s->name,
                        s->here.line, s->here.column, number);
  }
  advance(s, length);
  return CS_OK;
}

static int scan_word(struct scanner *s, const char *want) {
  static const char *const words[] = {"true", "false", "null"};
  size_t length = 0;
  while (cs_ascii_is_letter(peek(s, length)))
    length++;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (length == strlen(words[i]) && memcmp(s->text + s->at, words[i], length) == 0) {
      advance(s, length);
      return CS_OK;
    }
  }
  int shown = length < 40 ? (int)length : 40;
  return cs_error_set(s->error, CS_INPUT, "%s:%zu:%zu: unknown word %.*s; want %s", s->name, s->here.line,
                      s->here.column, shown, s->text + s->at, want);
}

/* At an opening bracket. `close` is its counterpart; members of an object have keys. */
static int scan_container(struct scanner *s, char close) {
  const char *want = close == '}' ? "a key in double quotes" : "a value";
  if (++s->depth > CS_MAX_DEPTH) return fail_at(s, s->here, "nested deeper than 64 levels; want at most 64");
  struct cs_place comma = s->here;
  advance(s, 1);
  skip_blanks(s);
  for (bool first = true; peek(s, 0) != close || !first; first = false) {
    struct cs_place key = s->here;
    if (!first && peek(s, 0) == close)
      return fail_at(s, comma, close == '}' ? "trailing comma before }" : "trailing comma before ]");
    if (close == '}') {
      if (peek(s, 0) != '"') return fail_unexpected(s, first ? "a key in double quotes or }" : want);
      int code = scan_string(s);
      if (code != CS_OK) return code;
      skip_blanks(s);
      if (peek(s, 0) != ':') return fail_unexpected(s, ": after the key");
      advance(s, 1);
      skip_blanks(s);
    }
    int code = scan_value(s, key, close == ']' && first ? "a value or ]" : "a value");
    if (code != CS_OK) return code;
    skip_blanks(s);
    if (peek(s, 0) == close) break;
    if (peek(s, 0) != ',') return fail_unexpected(s, close == '}' ? ", or }" : ", or ]");
    comma = s->here;
    advance(s, 1);
    skip_blanks(s);
  }
  advance(s, 1);
  s->depth--;
  return CS_OK;
}

static int add_place(struct scanner *s, struct cs_place key) {
  struct cs_places *places = s->places;
  if (!cs_list_grow(&places->item, places->count, sizeof *places->item)) return cs_error_memory(s->error);
  places->item[places->count++] = (struct cs_value_place){.value = s->here, .key = key};
  return CS_OK;
}

static int scan_value(struct scanner *s, struct cs_place key, const char *want) {
  int code = add_place(s, key);
  if (code != CS_OK) return code;
  int c = peek(s, 0);
  if (c == '{' || c == '[') return scan_container(s, c == '{' ? '}' : ']');
  if (c == '"') return scan_string(s);
  if (cs_ascii_is_digit(c) || c == '-' || c == '+' || c == '.') return scan_number(s);
  return cs_ascii_is_letter(c) ? scan_word(s, want) : fail_unexpected(s, want);
}

int cs_scan(const char *name, const char *text, size_t length, struct cs_places *places, struct cs_error *error) {
  struct scanner s = {.name = name, .text = text, .length = length, .here = {1, 1}, .places = places, .error = error};
  s.at = cs_text_mark_length(text, length);
  skip_blanks(&s);
  if (s.at == length) return fail_at(&s, (struct cs_place){1, 1}, "empty file; want a JSON value");
  int code = scan_value(&s, s.here, "a value");
  if (code != CS_OK) return code;
  skip_blanks(&s);
  return s.at < length ? fail_unexpected(&s, "the end of the file") : CS_OK;
}

void cs_scan_free(struct cs_places *places) {
  free(places->item);
  *places = (struct cs_places){0};
}
