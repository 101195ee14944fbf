/* Programs of OpenCL that other processes build (builder.h): what they are asked for, and those that a plan needs, side
 * by side. While this process builds those of a variant and of some that follow, others build those of the variants
 * after these, the last ones first; this process finds them in the cache, or waits for them there. */
#ifndef COSWEEP_BUILDS_H
#define COSWEEP_BUILDS_H

#include "builder.h"
#include "programs.h"
#include "worker.h"

/* What of the programs of some variants is missing. */
struct cs_builds_request {
  struct cs_programs_text *text; /* [variants] */
  size_t variants;
  struct cs_builder_program *program; /* [programs] */
  size_t programs;
};

/* Adds what is missing of a variant's programs for a device; nothing if all is kept. `setup` as for cs_worker_parts.
 * The caller frees *request, also on failure. */
int cs_builds_ask(const struct cs_worker_setup *setup, struct cs_device *device, unsigned lanes, uint32_t variant,
                  bool quick, struct cs_builds_request *request, struct cs_error *error);
void cs_builds_free_request(struct cs_builds_request *request);

struct cs_builds;

/* For plans of at most so many variants. Freed by cs_builds_free, also on failure. */
int cs_builds_new(size_t variants, struct cs_builds **builds, struct cs_error *error);
/* Ends what is still being built. */
void cs_builds_free(struct cs_builds *builds);

/* How the variants of a plan are built for a device. */
struct cs_builds_setup {
  struct cs_worker_setup worker; /* as for cs_worker_parts */
  struct cs_device *device;
  unsigned lanes;
  bool (*quick)(const void *context, uint32_t variant);
  const void *context;
};

/* To be called when a plan's tiles are about to be taken. */
void cs_builds_begin(struct cs_builds *builds);
/* To be called when this process is about to build a program: starts others for the tiles from `next` on. Where that
 * fails this process builds them all. From one thread at a time. */
void cs_builds_beside(struct cs_builds *builds, const struct cs_builds_setup *setup, size_t next);
/* Whether another process was asked for programs of the variant, since cs_builds_begin. */
bool cs_builds_asked(const struct cs_builds *builds, uint32_t variant);

#endif
