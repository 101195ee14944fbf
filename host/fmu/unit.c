#include "unit.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum base { KG, M, S, A, K, MOL, CD, RAD };

const char *cs_unit_base(int base) {
  static const char *const names[CS_UNIT_BASES] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  return names[base];
}

struct symbol {
  const char *name;
  struct cs_unit unit;
  bool plain; /* takes no prefix */
};

static const double pi = 3.14159265358979323846;

/* Not C and F, which stand for degrees as often. */
static const struct symbol symbols[] = {
    {"1", {{0}, 1.0, 0.0}, true},
    {"kg", {{[KG] = 1}, 1.0, 0.0}, true},
    {"g", {{[KG] = 1}, 1e-3, 0.0}, false},
    {"m", {{[M] = 1}, 1.0, 0.0}, false},
    {"s", {{[S] = 1}, 1.0, 0.0}, false},
    {"min", {{[S] = 1}, 60.0, 0.0}, true},
    {"h", {{[S] = 1}, 3600.0, 0.0}, true},
    {"A", {{[A] = 1}, 1.0, 0.0}, false},
    {"K", {{[K] = 1}, 1.0, 0.0}, false},
    {"degC", {{[K] = 1}, 1.0, 273.15}, true},
    {"mol", {{[MOL] = 1}, 1.0, 0.0}, false},
    {"cd", {{[CD] = 1}, 1.0, 0.0}, true},
    {"rad", {{[RAD] = 1}, 1.0, 0.0}, false},
    {"deg", {{[RAD] = 1}, pi / 180.0, 0.0}, true},
    {"Hz", {{[S] = -1}, 1.0, 0.0}, false},
    {"N", {{[KG] = 1, [M] = 1, [S] = -2}, 1.0, 0.0}, false},
    {"Pa", {{[KG] = 1, [M] = -1, [S] = -2}, 1.0, 0.0}, false},
    {"bar", {{[KG] = 1, [M] = -1, [S] = -2}, 1e5, 0.0}, false},
    {"J", {{[KG] = 1, [M] = 2, [S] = -2}, 1.0, 0.0}, false},
    {"W", {{[KG] = 1, [M] = 2, [S] = -3}, 1.0, 0.0}, false},
    {"V", {{[KG] = 1, [M] = 2, [S] = -3, [A] = -1}, 1.0, 0.0}, false},
    {"Ohm", {{[KG] = 1, [M] = 2, [S] = -3, [A] = -2}, 1.0, 0.0}, false},
    {"H", {{[KG] = 1, [M] = 2, [S] = -2, [A] = -2}, 1.0, 0.0}, false},
    {"Wb", {{[KG] = 1, [M] = 2, [S] = -2, [A] = -1}, 1.0, 0.0}, false},
    {"T", {{[KG] = 1, [S] = -2, [A] = -1}, 1.0, 0.0}, false},
};

static const struct {
  const char *name;
  double factor;
} prefixes[] = {{"p", 1e-12}, {"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"c", 1e-2},
                {"d", 1e-1},  {"k", 1e3},  {"M", 1e6},  {"G", 1e9}};

static const struct symbol *find(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (strlen(symbols[i].name) == length && strncmp(symbols[i].name, name, length) == 0) return &symbols[i];
  return NULL;
}

/* A symbol, or one with a prefix. */
static bool find_unit(const char *name, size_t length, struct cs_unit *unit) {
  const struct symbol *whole = find(name, length);
  if (whole != NULL) *unit = whole->unit;
  for (size_t i = 0; whole == NULL && i < sizeof prefixes / sizeof *prefixes; i++) {
    const struct symbol *rest = length > 1 && name[0] == prefixes[i].name[0] ? find(name + 1, length - 1) : NULL;
    if (rest == NULL || rest->plain) continue;
    *unit = rest->unit;
    unit->factor *= prefixes[i].factor;
    return true;
  }
  return whole != NULL;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "2", "^-1", or nothing, which is 1; 0 if it is no exponent from 1 to 9. */
static int take_exponent(const char **at) {
  const bool marked = **at == '^';
  const char *c = *at + marked;
  const int sign = *c == '-' ? -1 : 1;
  c += *c == '-' || *c == '+';
  if (*c < '0' || *c > '9') return marked || c > *at ? 0 : 1;
  *at = c + 1;
  return c[1] >= '0' && c[1] <= '9' ? 0 : sign * (*c - '0');
}

static bool take_factor(const char **at, int power, struct cs_unit *unit) {
  const char *name = *at;
  struct cs_unit one;
  if (**at == '1')
    ++*at;
  else
    while (is_letter(**at))
      ++*at;
  if (!find_unit(name, (size_t)(*at - name), &one)) return false;
  power *= name[0] == '1' ? 1 : take_exponent(at);
  for (int b = 0; b < CS_UNIT_BASES; b++)
    unit->exponent[b] += power * one.exponent[b];
  unit->factor *= pow(one.factor, power);
  unit->offset += one.offset;
  return power != 0;
}

static void skip_blanks(const char **at) {
  while (**at == ' ')
    ++*at;
}

/* Factors up to the end, or to the closing bracket of what a division takes whole. */
static bool take_product(const char **at, int power, bool inside, struct cs_unit *unit) {
  bool divides = false, divided = false;
  for (;;) {
    skip_blanks(at);
    const bool bracket = divides && !inside && **at == '(';
    if (bracket) ++*at;
    if (bracket ? !take_product(at, -power, true, unit) : !take_factor(at, divides ? -power : power, unit))
      return false;
    skip_blanks(at);
    divided = divided || divides;
    if (**at == '\0') return !inside;
    if (**at == ')') {
      ++*at;
      return inside;
    }
    divides = **at == '/';
    if ((divided && !divides) || (inside && divides)) return false;
    if (divides || **at == '.' || **at == '*') ++*at;
  }
}

bool cs_unit_read(const char *text, struct cs_unit *unit) {
  const char *at = text;
  *unit = (struct cs_unit){.factor = 1.0};
  if (!take_product(&at, 1, false, unit)) return false;
  /* A temperature with its own zero stands alone, or is a difference. */
  if (unit->offset != 0.0 && strcmp(text, "degC") != 0) unit->offset = 0.0;
  return isfinite(unit->factor) && unit->factor > 0.0;
}
