/* Units by the base units of SI. */
#ifndef COSWEEP_UNIT_H
#define COSWEEP_UNIT_H

#include <stdbool.h>

enum { CS_UNIT_BASES = 8 };
/* "kg", "m", "s", "A", "K", "mol", "cd", "rad". */
const char *cs_unit_base(int base);

/* A value v in the unit is factor * v + offset in base units with these exponents. */
struct cs_unit {
  int exponent[CS_UNIT_BASES];
  double factor, offset;
};

/* Reads "N m", "kg.m2/s", "rad/s", "m^-1", "1/(N m)": symbols of SI with prefixes, and units in use beside it; a blank
 * behind a division, "W/m K", could mean two things. False for that and for all that is not understood. */
bool cs_unit_read(const char *text, struct cs_unit *unit);

#endif
