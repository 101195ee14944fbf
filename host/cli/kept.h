/* What cosweep run keeps of a sweep that does not end, and what shards leave for cosweep merge: journals. */
#ifndef COSWEEP_KEPT_H
#define COSWEEP_KEPT_H

#include "engine.h"
#include "journal.h"
#include "option.h"

struct cs_kept {
  struct cs_journal **journal; /* [journals]; the first is that of this process */
  size_t journals;
  size_t runs; /* of the sweep */
};

/* Whether --journal says that there is none. */
bool cs_kept_is_off(const struct cs_arguments *arguments);
/* The shard that --shard names, as I and N; 0 and 0 without it. CS_USAGE. */
int cs_kept_shard(const struct cs_arguments *arguments, size_t *shard, size_t *shards, struct cs_error *error);

/* Opens the journal of `result` as --journal and --fresh say, gives it to `options`, and says what it has. From now on
 * an interruption says what stays. Close also on failure. */
int cs_kept_open(const struct cs_arguments *arguments, const struct cs_sweep *sweep, const char *result,
                 const struct cs_device_info *device, struct cs_engine_options *options, struct cs_kept *kept,
                 struct cs_error *error);
/* Removes what a process that was killed at its end has left beside a result: journal and lock. CS_IO if another one is
 * writing it. */
int cs_kept_remove(const char *result, struct cs_error *error);

/* Appends what of a journal does not count. */
void cs_kept_add_damage(const struct cs_journal *journal, struct cs_text *text);

/* N of the files RESULT.IofN.journal that are there; CS_IO if there are none, or of several N. */
int cs_kept_count_shards(const char *result, size_t *shards, struct cs_error *error);
/* Appends RESULT.IofN. */
void cs_kept_add_shard(const char *result, size_t shard, size_t shards, struct cs_text *path);
/* After cs_kept_open: adds the journals of options->shards shards. CS_IO if one is missing, unless the options ask to
 * complete it, or of another plan. */
int cs_kept_open_shards(const struct cs_sweep *sweep, const char *result, const struct cs_device_info *device,
                        struct cs_engine_options *options, struct cs_kept *kept, struct cs_error *error);
/* `done`: the result is there, and the first journal is removed. */
void cs_kept_close(struct cs_kept *kept, bool done);

#endif
