/* The programs of a variant on a device: kernels compiled ahead on the host, built ones elsewhere. */
#ifndef COSWEEP_PROGRAMS_H
#define COSWEEP_PROGRAMS_H

#include <pthread.h>

#include "device.h"
#include "emit.h"
#include "layout.h"
#include "options.h"
#include "text.h"

/* How they are built. */
#define CS_BUILD_OPTIONS "-cl-std=CL1.2 -w"
/* The same bits from PoCL, in a fifth of the time, by code that takes ten times as long. */
#define CS_QUICK_OPTIONS CS_BUILD_OPTIONS " -cl-opt-disable"

/* Whose programs they are, and how they are built. */
struct cs_programs_setup {
  struct cs_device *device;
  const struct cs_layout *layout;
  unsigned lanes;
  bool quick; /* without optimisation */
  const struct cs_engine_options *options;
  pthread_mutex_t *lock;                /* recursive: of all who build on the device; NULL: nobody else does */
  void (*missing)(const void *context); /* called before one is built that is not kept; may be NULL */
  const void *context;
};

struct cs_programs {
  struct cs_programs_setup setup;
  struct cs_program *part[CS_PARTS]; /* those that are open, the same for parts that are joined; on the host
                                        CS_PART_METHOD stands for all but CS_PART_SPECTRUM */
};

/* Those of the parts. OpenCL's are built unless the cache has them, `quick` unless it has them with optimisation;
 * CS_DEVICE with the compiler's messages. On failure `programs` is empty. */
int cs_programs_open(const struct cs_programs_setup *setup, const bool part[CS_PARTS], struct cs_programs *programs,
                     struct cs_error *error);
/* One more, unless it is open, with the lock, which is left by cs_programs_leave, on failure as well: once its kernels
 * were launched, if that is so. `layout`: of the same variant, as that of `setup` may be gone. */
int cs_programs_enter(struct cs_programs *programs, const struct cs_layout *layout, enum cs_part part,
                      struct cs_error *error);
void cs_programs_leave(struct cs_programs *programs, enum cs_part part, bool launched);
/* The one that has the kernels of a part; NULL if it is not open. */
struct cs_program *cs_programs_of(const struct cs_programs *programs, enum cs_part part);
bool cs_programs_are_open(const struct cs_programs *programs);
/* Adds up where those of OpenCL came from. */
void cs_programs_count(const struct cs_programs *programs, size_t *built, size_t *kept);
/* After all kernels were launched. */
void cs_programs_keep(struct cs_programs *programs);
void cs_programs_free(struct cs_programs *programs);

/* OpenCL's programs of the parts of a variant, as they are to be built. */
struct cs_programs_text {
  struct cs_text source[CS_PARTS]; /* empty: none, or joined with that of CS_PART_METHOD */
  bool joined[CS_PARTS];           /* to it */
  const char *options[CS_PARTS];
  bool kept[CS_PARTS]; /* open on the device, or in the cache */
};
/* `quick`: without optimisation, unless they are kept with it. Nothing is kept of `device` NULL. The caller frees
 * *text, also on failure. */
int cs_programs_write(struct cs_device *device, const struct cs_layout *layout, unsigned lanes,
                      const bool part[CS_PARTS], bool quick, struct cs_programs_text *text, struct cs_error *error);
void cs_programs_free_text(struct cs_programs_text *text);

#endif
