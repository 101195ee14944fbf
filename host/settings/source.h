/* Files that a sweep names, and the words of a C source text outside comments and literals. */
#ifndef COSWEEP_SOURCE_H
#define COSWEEP_SOURCE_H

#include <stddef.h>

#include "text.h"

/* Appends the path of a file that the sweep file `sweep` names as `given`: relative to the sweep file's folder. */
void cs_source_locate(const char *sweep, const char *given, struct cs_text *path);

/* Next identifier or number from `at` on, with its length; NULL at the end. */
const char *cs_source_word(const char *at, size_t *length);

/* How often the word occurs in the text. */
size_t cs_source_count(const char *text, const char *word, size_t length);

/* Line of an unterminated comment, from 1; 0 if there is none. */
size_t cs_source_open_comment(const char *text);

/* What a text would be more by than itself, were it compiled: files that it includes or asks for, its own name, the
 * time. `found` gets the first such thing, "#include", "__TIME__"; returns its line, from 1, or 0 if there is none.
 * found->failed: out of memory. */
size_t cs_source_beyond(const char *text, struct cs_text *found);

#endif
