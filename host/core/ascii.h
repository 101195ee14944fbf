/* Characters of names and numbers, whatever the locale. */
#ifndef COSWEEP_ASCII_H
#define COSWEEP_ASCII_H

#include <stdbool.h>

static inline bool cs_ascii_is_digit(int c) {
  return c >= '0' && c <= '9';
}

static inline bool cs_ascii_is_letter(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A letter, a digit or _. */
static inline bool cs_ascii_is_word(int c) {
  return cs_ascii_is_letter(c) || cs_ascii_is_digit(c) || c == '_';
}

#endif
