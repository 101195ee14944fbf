/* Built programs, kept for the next process. For PoCL alone: drivers of GPUs keep their programs themselves.
 *
 * PoCL works in a directory of this process alone, so that processes never meet in it; it is removed at exit. What PoCL
 * puts there for one program is one file of the cache,
 *   $XDG_CACHE_HOME/cosweep/cosweep-<hash>.program (or below $HOME/.cache/cosweep),
 * with its complete key and a checksum; a file that is not as it should be is ignored and written anew. Processes that
 * want the same program at once wait for the one that builds it, 60 s at most.
 * A file is 0.3 to 1 MB; files that nobody used for 90 days are removed.
 *
 * Environment:
 *   COSWEEP_CACHE=DIR     keeps programs in DIR
 *   COSWEEP_CACHE=off     keeps none
 *   POCL_CACHE_DIR=DIR    without COSWEEP_CACHE=DIR: PoCL keeps its programs there as it does for every program;
 *                         processes of cosweep take turns at a program
 * Where nothing can be written, programs are built anew each time: no error, but cs_cache_warning. */
#ifndef COSWEEP_CACHE_H
#define COSWEEP_CACHE_H

#include <signal.h>
#include <stddef.h>

/* To be called before the first call of OpenCL in a process, for PoCL reads POCL_CACHE_DIR then. Further calls do
 * nothing. */
void cs_cache_prepare(void);

/* One line that says why programs are not kept; NULL where they are, or are not meant to be. */
const char *cs_cache_warning(void);

/* A program's place in the cache while it is in use; NULL stands for a program that is not kept. */
struct cs_cache_entry;

/* To be called before the program is built. Gives PoCL what is kept for `key` (any text), or makes this process the one
 * that builds it; waits for another one that does, until *stop is not 0 (may be NULL). NULL where programs are not
 * kept. */
struct cs_cache_entry *cs_cache_open(const char *key, const volatile sig_atomic_t *stop);
/* Keeps what PoCL has built since cs_cache_open, and lets others have it: after the first launch of every kernel. */
void cs_cache_keep(struct cs_cache_entry *entry);
/* Without cs_cache_keep before it nothing is kept; after it, also what PoCL has built later. */
void cs_cache_close(struct cs_cache_entry *entry);

#endif
