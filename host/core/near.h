/* The word that was probably meant: for messages about unknown names. */
#ifndef COSWEEP_NEAR_H
#define COSWEEP_NEAR_H

#include "text.h"

/* The word of `list` ([count]) nearest to `word`, NULL if none is near: a third of its letters, rounded up, may differ
 * (insert, delete, replace, two that changed places), and what precedes the last '.' or '_' may be left out ("master"
 * for "method.master"). */
const char *cs_near_find(const char *word, const char *const *list, size_t count);

/* For a message that ends in "; want ... one of: a, b, c": if one of them is near to `word`, puts "did you mean "b"?"
 * before "want", in its place if the list is long. If none is near, a long list is cut to the names that share a part
 * with its last one, else to those of its path: "growth_max, step_max, and 21 others" for "max_factor". */
void cs_near_suggest(struct cs_text *message, const char *word);

#endif
