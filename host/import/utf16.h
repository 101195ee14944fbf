/* Texts of 16-bit units, as MATLAB has them. */
#ifndef COSWEEP_UTF16_H
#define COSWEEP_UTF16_H

#include <stdint.h>

#include "text.h"

/* Appends them as UTF-8; half a pair of surrogates becomes U+FFFD. */
void cs_utf16_add(struct cs_text *text, const uint16_t *unit, size_t count);

#endif
