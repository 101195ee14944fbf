/* Where built programs are kept and where PoCL works, chosen once per process. Only for cache.c. */
#ifndef COSWEEP_CACHE_PLACE_H
#define COSWEEP_CACHE_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

struct cs_cache_place {
  char *kept;        /* directory of kept programs; NULL: none are kept, but for PoCL's where it is told so */
  char *scratch;     /* PoCL's directory, private to this process; NULL: PoCL works elsewhere */
  char *shared;      /* PoCL's directory as the user set it, for its programs in place of `kept`; NULL: not set */
  double room;       /* bytes that kept programs may take */
  char warning[512]; /* "" if there is none */
  bool no_memory;    /* memory was short while this was chosen */
};

/* The first call chooses, and sets POCL_CACHE_DIR. */
const struct cs_cache_place *cs_cache_place(void);
/* The same for those who keep programs of other drivers: `kept` is chosen also where PoCL's are in `shared`. */
const struct cs_cache_place *cs_cache_place_of_binaries(void);
/* Removes the programs that were not used for the longest time, until the others have room. */
void cs_cache_place_trim(void);
/* Sets the warning, unless there is one already. */
void cs_cache_place_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* directory/name, owned by the caller; NULL when memory is short. */
char *cs_cache_place_join(const char *directory, const char *name);
/* Makes a directory and its parents, accessible to this user only; 0 if it exists afterwards, else -1 and errno, which
 * is ENOMEM when memory is short. */
int cs_cache_place_make(const char *path);
/* Calls `visit` for everything below `path`; for a directory after its contents. */
void cs_cache_place_walk(const char *path, void (*visit)(const char *path, const struct stat *status, void *context),
                         void *context);

#endif
