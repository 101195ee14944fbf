/* Programs built in another process, which only fills the cache (cache.h): this one computes meanwhile, and opens them
 * when they are there. The process is this program again, with CS_BUILDER_WORD as its only argument; it ends when its
 * builder is closed or its parent dies, and removes what it has left then. */
#ifndef COSWEEP_BUILDER_H
#define COSWEEP_BUILDER_H

#include "device.h"

/* A kernel and what it takes to launch it: buffers, then long integers; work-items in `dimensions`. */
struct cs_builder_kernel {
  char name[32];
  uint32_t buffers, numbers, dimensions;
};

enum { CS_BUILDER_KERNELS = 8, CS_BUILDER_PROGRAMS = 32 }; /* of a program, and of a builder, at most */

struct cs_builder_program {
  const char *source, *options;
  size_t kernels;
  struct cs_builder_kernel kernel[CS_BUILDER_KERNELS]; /* those to be built, not only compiled */
};

struct cs_builder;

/* Whether programs built elsewhere would be found here: if they are kept. */
bool cs_builder_serves(void);
/* The same, and whether it can be told here which of the device's are kept: not where PoCL keeps them itself. */
bool cs_builder_knows(const struct cs_device *device);

/* Starts `file`, a program that calls cs_builder_serve when it is told to, to build for a device that the caller knows
 * by its number. CS_DEVICE if no process can be started. */
int cs_builder_open(const char *file, const struct cs_device *device, const struct cs_builder_program *program,
                    size_t programs, struct cs_builder **builder, struct cs_error *error);
/* Whether it has ended, with *code CS_OK if all programs are kept now, else CS_DEVICE and the reason. */
bool cs_builder_has_ended(struct cs_builder *builder, int *code, struct cs_error *error);
/* Ends it if it has not ended. */
void cs_builder_close(struct cs_builder *builder);

#define CS_BUILDER_WORD "--build-programs"

/* The other process: builds what its standard input asks for. To be called when signals are watched for, as SIGTERM
 * comes when nobody waits for it any more. */
int cs_builder_serve(struct cs_error *error);

#endif
