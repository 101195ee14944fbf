/* Values of options that are lists. */
#ifndef COSWEEP_WORD_LIST_H
#define COSWEEP_WORD_LIST_H

#include <stddef.h>

#include "error.h"

/* A list separated by commas: word [count] points into the copy. Free also on failure. */
struct cs_word_list {
  char *copy;
  const char **word;
  size_t count;
};
int cs_word_list_read(const char *list, struct cs_word_list *words, struct cs_error *error);
void cs_word_list_free(struct cs_word_list *words);

#endif
