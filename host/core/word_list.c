#include "word_list.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

int cs_word_list_read(const char *list, struct cs_word_list *words, struct cs_error *error) {
  size_t count = 1;
  for (const char *p = list; *p != '\0'; p++)
    count += *p == ',';
  *words = (struct cs_word_list){.copy = cs_text_copy(list), .word = malloc(count * sizeof *words->word)};
  if (words->copy == NULL || words->word == NULL) return cs_error_memory(error);
  for (char *p = words->copy; p != NULL;) {
    words->word[words->count++] = p;
    p = strchr(p, ',');
    if (p != NULL) *p++ = '\0';
  }
  return CS_OK;
}

void cs_word_list_free(struct cs_word_list *words) {
  free(words->copy);
  free(words->word);
  *words = (struct cs_word_list){0};
}
