/* Lists that grow: an owner keeps the pointer to the items and their count, and these two keep the room. */
#ifndef COSWEEP_LIST_H
#define COSWEEP_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* Room for one item more behind `count` items of `size` bytes. `list` is the address of the pointer to the first of
 * them (NULL where there is none yet), which follows when the items move. False when memory is short or its size
 * overflows; the items stay as they are. Rooms are powers of two, so that a list grows by this function alone, from
 * count 0. */
bool cs_list_grow(void *list, size_t count, size_t size);
/* Room for `room` items, no fewer than there are. The same otherwise. */
bool cs_list_reserve(void *list, size_t room, size_t size);

#endif
