/* What the benchmark programs share: clocks, the processor's name, and work spread over threads. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stddef.h>

enum { MAX_THREADS = 256 };

struct measured {
  double seconds, core_seconds; /* wall clock; processor time of all threads */
};

/* Calls work(context, item) for item = 0..items-1 on `threads` threads (1..MAX_THREADS), each taking the next item
 * when it is free. Returns 0, or -1 when a thread could not be started. */
int measure_threads(unsigned threads, size_t items, void (*work)(void *context, size_t item), void *context,
                    struct measured *measured);

/* The processor's name, without characters that JSON would escape; "unknown" where the system does not tell. */
void measure_device(char *name, size_t size);

/* A whole number from `first` to `last`, or -1. */
long measure_count(const char *text, long first, long last);

/* Processors online, at least 1. */
unsigned measure_processors(void);

#endif
