/* Several processes that compute one sweep: rank 0 has the plan's results and writes them, all compute tiles, which
 * rank 0 hands out one by one. What carries it is behind these functions (host/farm/). Every process has the same plan.
 */
#ifndef COSWEEP_FARM_H
#define COSWEEP_FARM_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum { CS_FARM_NONE = -1 }; /* no tile is left */

/* A result on its way to rank 0; numbers [items]. */
struct cs_farm_result {
  uint64_t run;
  uint32_t way, items;
};

/* What rank 0 does with results and with tiles that other ranks have computed; called from one thread. A failure, of
 * what cannot be a result, is that of the rank. */
struct cs_farm_receiver {
  int (*enter)(void *context, const struct cs_farm_result *result, const double *numbers, struct cs_error *error);
  void (*done)(void *context, size_t tile);
  void *context;
};

struct cs_farm {
  size_t rank, ranks, neighbours; /* neighbours: ranks that may use the same processors, this
                                    one included */

  /* Gives data [bytes] of rank 0 to all ranks, which call it in the same order. */
  int (*share)(struct cs_farm *farm, void *data, size_t bytes, struct cs_error *error);
  /* Begins a pass over tiles first to last - 1. */
  int (*begin)(struct cs_farm *farm, size_t first, size_t last, const struct cs_farm_receiver *receiver,
               struct cs_error *error);
  /* The next tile for this process, or CS_FARM_NONE. From any thread. */
  long (*take)(struct cs_farm *farm);
  /* On ranks above 0, from any thread: a result for rank 0, numbers pitch apart; and that all those of a tile were
   * sent. */
  void (*send)(struct cs_farm *farm, const struct cs_farm_result *result, const double *numbers, size_t pitch);
  void (*sent)(struct cs_farm *farm, size_t tile);
  /* Ends a pass with this rank's code, also one that it could not begin: on rank 0 after all results have come, with
   * the failure of another rank. */
  int (*end)(struct cs_farm *farm, int code, struct cs_error *error);
};

#endif
