/* A cache of built programs that outlives the process, in files
 *   $XDG_CACHE_HOME/cosweep/cosweep-<hash>.program (or below $HOME/.cache/cosweep),
 * each with its complete key and a checksum; an invalid file is ignored and rewritten. Processes that need the same
 * program at the same time wait for the one that builds it, for at most 60 s. A file has 0.3 to 2 MB; files unused for
 * 90 days are removed, and beyond 1000 MB those that were not used for the longest time.
 *
 * A file contains the program as its driver gives it out (CS_CACHE_BINARY), but of PoCL the files that this creates for
 * one program (CS_CACHE_FILES). PoCL works in a directory private to this process, so that processes cannot disturb
 * each other; it is removed at exit.
 *
 * Environment:
 *   COSWEEP_CACHE=DIR     keeps programs in DIR
 *   COSWEEP_CACHE=off     keeps none
 *   COSWEEP_CACHE_MB=N    keeps N MB
 *   POCL_CACHE_DIR=DIR    without COSWEEP_CACHE=DIR: PoCL keeps its programs there, as it does for any application;
 *                         processes of cosweep build a program one at a time. No matter for other drivers
 * If nothing can be written, programs are rebuilt each time: this is no error, but cs_cache_warning reports it. */
#ifndef COSWEEP_CACHE_H
#define COSWEEP_CACHE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* To be called before the process first calls OpenCL, because PoCL reads POCL_CACHE_DIR then. Further calls do nothing.
 */
void cs_cache_prepare(void);

/* One line that says why programs are not kept; NULL if they are, or if keeping them is off. */
const char *cs_cache_warning(void);

/* A program in the cache while it is in use; NULL: a program that is not kept. */
struct cs_cache_entry;

enum cs_cache_form { CS_CACHE_FILES, CS_CACHE_BINARY };

/* To be called before the program is built. Gives PoCL the files kept for `key` (any text), or the caller its binary,
 * or locks the key so that this process builds the program; while another process holds the lock, waits for it, until
 * *stop is not 0 (`stop` may be NULL). *entry is NULL if programs are not kept. Fails when memory is short, and then
 * alone. */
int cs_cache_open(const char *key, enum cs_cache_form form, const volatile sig_atomic_t *stop,
                  struct cs_cache_entry **entry, struct cs_error *error);
/* Whether a program is kept for `key`. */
bool cs_cache_has(const char *key, enum cs_cache_form form);
/* Whether cs_cache_open has given a program that was kept. */
bool cs_cache_gave(const struct cs_cache_entry *entry);
/* The binary that it gave; NULL if it gave none. */
const char *cs_cache_binary(const struct cs_cache_entry *entry, size_t *bytes);
/* The driver does not take the binary: it is gone, and this process builds the program. */
void cs_cache_refuse(struct cs_cache_entry *entry);
/* Keeps what PoCL has built since cs_cache_open and releases the lock. To be called after the first launch of every
 * kernel. */
void cs_cache_keep(struct cs_cache_entry *entry);
/* The same with a program's binary, unless it was given; NULL: there is none to be had. */
void cs_cache_keep_binary(struct cs_cache_entry *entry, const char *binary, size_t bytes);
/* After cs_cache_keep, also keeps what PoCL has built since; without it, keeps nothing. */
void cs_cache_close(struct cs_cache_entry *entry);

#endif
