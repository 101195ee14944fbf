/* Going on from a journal: what it is the journal of, and the results that it has. */
#ifndef COSWEEP_RESUME_H
#define COSWEEP_RESUME_H

#include "journal.h"
#include "pool.h"
#include "serve.h"

/* Appends what the bits of a result depend on: program, device, sweep, model, fragments. */
int cs_resume_describe(const struct cs_sweep *sweep, const struct cs_device_info *device,
                       const struct cs_engine_options *options, struct cs_text *text, struct cs_error *error);

/* The checksum of that, which results have as note "plan". */
enum { CS_RESUME_DIGEST = 17 };
int cs_resume_digest(const struct cs_sweep *sweep, const struct cs_device_info *device,
                     const struct cs_engine_options *options, char digest[CS_RESUME_DIGEST], struct cs_error *error);
/* Whether the result in a table has the digest. */
int cs_resume_is_result(const struct cs_sweep *sweep, const struct cs_device_info *device,
                        const struct cs_engine_options *options, const struct cs_table *table, bool *same,
                        struct cs_error *error);

struct cs_resume {
  const struct cs_engine_options *options;
  uint32_t *shard; /* of each block of runs (shard.h); NULL where there are no shards */
  size_t block;
  size_t runs;  /* of the whole sweep */
  size_t asked; /* points so far */
  size_t most;  /* points that a journal may have */
  size_t known; /* room for points that are kept */
  struct cs_resume_point *point;
};

/* `class`: of the blocks of all runs (cs_shard_classes); NULL where there are no shards. Close also on failure. */
int cs_resume_open(const struct cs_engine_options *options, size_t runs, const int *class, struct cs_resume *resume,
                   struct cs_error *error);
void cs_resume_close(struct cs_resume *resume);

/* cs_pool_run without what journals of the options have, which is entered at once, and with all that is computed added
 * to the first; without journals, cs_pool_run. For all passes but points. The plan may be of a part of the sweep. Of a
 * shard, its own runs; where shards are merged, CS_IO if some have not computed theirs, unless the options ask to
 * complete them. */
int cs_resume_run(const struct cs_resume *resume, struct cs_pool *pool, struct cs_plan *plan, enum cs_journal_pass pass,
                  cs_worker_enter *enter, void *context, struct cs_error *error);

/* The same for a plan of points (cs_plan_points), which are asked for in the same order each time. Fills radius
 * [points]. */
int cs_resume_radii(struct cs_resume *resume, struct cs_pool *pool, struct cs_plan *plan,
                    const struct cs_serve_points *points, double *radius, struct cs_error *error);

#endif
