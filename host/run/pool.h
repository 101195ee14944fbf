/* Runs plans on devices: threads that each take the next tile when they are free, and the programs they need, each
 * built once per device. */
#ifndef COSWEEP_POOL_H
#define COSWEEP_POOL_H

#include "outcome.h"
#include "tiers.h"
#include "worker.h"

struct cs_pool_setup {
  struct cs_device *const *device; /* [devices] */
  size_t devices, variants;        /* variants: the same in all plans */
  const struct cs_engine_options *options;
  struct cs_tiers *tiers;   /* where cs_tiers_serve: borrowed, of several pools that run one at a time; NULL: its own */
  double windows;           /* plans of as many runs that follow one another; 0: 1 */
  bool keep;                /* keep programs for further plans; otherwise each is freed after its last tile */
  cs_worker_record *record; /* for a trace, otherwise NULL; called with the context given to cs_pool_run */
};

struct cs_pool;

int cs_pool_open(const struct cs_pool_setup *setup, struct cs_pool **pool, struct cs_error *error);
/* For the runs of a plan, and for those that are repeated by the variants for stiff networks; `variants` follows. */
int cs_pool_open_for(const struct cs_plan *plan, struct cs_pool_setup setup, struct cs_pool **pool,
                     struct cs_error *error);
/* Whether it has room for the variants of a plan, to which some were added. */
bool cs_pool_has_room(const struct cs_pool *pool, const struct cs_plan *plan);
void cs_pool_close(struct cs_pool *pool);

/* Computes all tiles of a plan. Every device is tested first with known answers, by each variant's programs (exam.h):
 * one of several that gives others computes nothing more, a single one is CS_DEVICE. A plan of points reports no
 * progress. */
int cs_pool_run(struct cs_pool *pool, const struct cs_plan *plan, cs_worker_enter *enter, void *context,
                struct cs_error *error);

/* Share of the vector lanes that were in use in runs with step size control: steps tried / steps that the vectors had
 * room for; NaN if there were no such runs. */
double cs_pool_occupancy(const struct cs_pool *pool);
/* Adds what it is the ratio of; nothing for NULL. */
void cs_pool_add_occupancy(const struct cs_pool *pool, double *tried, double *room);

/* The devices, or with `auto` those that have computed a tile, at least one: info [devices + 1]. */
size_t cs_pool_devices(const struct cs_pool *pool, const struct cs_device_info **info);
/* A line about each device that has failed, though nothing is missing; NULL if there is none, or for NULL. */
const char *cs_pool_warning(const struct cs_pool *pool);

/* Seconds during which devices were busy, summed over devices and plans; 0 for NULL. */
double cs_pool_device_seconds(const struct cs_pool *pool);
/* Adds what it has taken to prepare programs; nothing for NULL. */
void cs_pool_add_preparation(const struct cs_pool *pool, struct cs_preparation *preparation);

#endif
