/* Growing lists: the owner keeps the pointer to the items and their count; these functions manage the memory. */
#ifndef COSWEEP_LIST_H
#define COSWEEP_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for one more item after `count` items of `size` bytes. `list` is the address of the pointer to the first
 * item (NULL while there is none), which is updated when the items move. False when out of memory or when the size
 * overflows, with the items unchanged. The capacity is a power of two that follows from `count`: grow a list from count
 * 0, by this function only. */
bool cs_list_grow(void *list, size_t count, size_t size);
/* The same for `room` items in all, no fewer than the list has. */
bool cs_list_reserve(void *list, size_t room, size_t size);

#endif
