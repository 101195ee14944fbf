/* What cosweep run says of a sweep that it has run. */
#ifndef COSWEEP_RAN_H
#define COSWEEP_RAN_H

#include "journal.h"
#include "options.h"
#include "outcome.h"
#include "sweep.h"
#include "table.h"

/* Prints warnings and failures on stderr, also with --quiet. */
void cs_ran_complain(const struct cs_sweep *sweep, const struct cs_table *table, const struct cs_outcome *outcome);
/* Prints how many runs took how long on stderr. */
void cs_ran_summarise(const struct cs_sweep *sweep, const struct cs_outcome *outcome);
/* Prints an object about the result file `output` on stdout. cores: core-seconds. */
int cs_ran_print_json(const struct cs_sweep *sweep, const char *output, const struct cs_table *table,
                      const struct cs_outcome *outcome, double cores, struct cs_error *error);

/* The same of a shard, whose runs are in the journal: its path, or an object, on stdout, the rest on stderr. */
int cs_ran_shard(const struct cs_sweep *sweep, const struct cs_journal *journal,
                 const struct cs_engine_options *options, const struct cs_outcome *outcome, bool quiet, bool json,
                 struct cs_error *error);

#endif
