/* Drawing networks and settings for comparisons with the plain reference. */
#ifndef COSWEEP_TESTS_RANDOM_DRAW_H
#define COSWEEP_TESTS_RANDOM_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plain_compare.h"
#include "text.h"

/* A number below `count`. */
size_t random_draw(uint64_t *state, size_t count);
/* A number in [low, high), and one of a size in it, of either sign. */
double random_uniform(uint64_t *state, double low, double high);
double random_sign(uint64_t *state, double low, double high);
/* One of `count` words. */
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
/* Power bonds, on each side of which are an input and an output of one subsystem: ", "bonds": [...]". */
void random_add_bonds(uint64_t *state, const struct cs_model *model, size_t bonds, struct cs_text *text);
/* Up to three events at up to three times before t_end, each of which sets a state or adds to one:
 * ""events": [...],\n". */
void random_add_events(uint64_t *state, const struct cs_model *model, double t_end, struct cs_text *text);
/* Whether signals and errors are of a size that rounding does not grow in. */
bool random_well_behaved(const struct cs_model *model, const struct plain_result *result);

#endif
