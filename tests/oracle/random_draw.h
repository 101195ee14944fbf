/* Drawing networks and settings for comparisons with the plain reference. */
#ifndef COSWEEP_TESTS_RANDOM_DRAW_H
#define COSWEEP_TESTS_RANDOM_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plain_compare.h"
#include "text.h"

/* A number below `count`, and one of `count` words. */
size_t random_draw(uint64_t *state, size_t count);
const char *random_word(uint64_t *state, const char *const *words, size_t count);

enum { RANDOM_SOLVERS = 6 };
extern const char *const random_solvers[RANDOM_SOLVERS];

/* Connections from an output of every subsystem to every input, with gains up to 0.3, before those of the text. The
 * caller frees the text. */
char *random_mix_sources(uint64_t *state, const struct cs_model *model, const char *text);
/* A random order of all subsystems: ", "sequence": [...]". */
void random_add_sequence(uint64_t *state, const struct cs_model *model, struct cs_text *text);
/* One subsystem with orders and a solver of its own: ", "subsystems": {...}". */
void random_add_override(uint64_t *state, const struct cs_model *model, struct cs_text *text);
/* Whether signals and errors are of a size that rounding does not grow in. */
bool random_well_behaved(const struct cs_model *model, const struct plain_result *result);

#endif
