/* What is wrong in a file, in the order found; private to json*.c. */
#ifndef COSWEEP_FAULTS_H
#define COSWEEP_FAULTS_H

#include "text.h"

struct cs_faults {
  size_t count, last;   /* last: where the last message begins */
  struct cs_text lines; /* the messages, a line each */
};

/* Adds a message once, though every loop around a fault asks for that. */
void cs_faults_add(struct cs_faults *faults, const char *message);
void cs_faults_free(struct cs_faults *faults); /* and its memory */

#endif
