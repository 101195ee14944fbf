/* Whether this machine has a font. */
#ifndef COSWEEP_FONT_H
#define COSWEEP_FONT_H

#include <stdbool.h>

#include "text.h"

/* False, with what is taken in its place, if fontconfig knows no font of that family; true also if it cannot be asked,
 * and for families that name a style, such as serif. */
bool cs_font_exists(const char *family, struct cs_text *instead);

#endif
