/* What import has made, as check reads it. */
#ifndef COSWEEP_TESTS_READ_AGAIN_H
#define COSWEEP_TESTS_READ_AGAIN_H

#include "text.h"

/* Ends the process with a message where the text is no model that can be read. */
void read_again(const struct cs_text *text);

#endif
