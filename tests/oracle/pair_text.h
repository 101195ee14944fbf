/* A random network and a sweep of one run for a row of pairs. */
#ifndef COSWEEP_TESTS_PAIR_TEXT_H
#define COSWEEP_TESTS_PAIR_TEXT_H

#include "pair_table.h"
#include "sweep.h"

struct pair_texts {
  struct cs_text model, sweep;
};

/* Draws from `seed`; steps are `shrink` times as long as the network's own. */
void pair_draw(const struct pair_table *table, const unsigned char *row, uint64_t seed, double shrink,
               struct pair_texts *texts);
void pair_texts_free(struct pair_texts *texts);
/* The sweep of the texts, or NULL where the program refuses it, which the error says. */
struct cs_sweep *pair_load(const struct pair_texts *texts, struct cs_error *error);
/* Whether the program accepts a row, with any network of its kind. */
bool pair_is_accepted(const struct pair_table *table, const unsigned char *row);

#endif
