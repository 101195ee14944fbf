#include "list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool cs_list_reserve(void *list, size_t room, size_t size) {
  void *items;
  memcpy(&items, list, sizeof items);
  if (size > 0 && room > SIZE_MAX / 2 / size) return false;
  const size_t bytes = room * size;
  items = realloc(items, bytes > 0 ? bytes : 1);
  if (items == NULL) return false;
  memcpy(list, &items, sizeof items);
  return true;
}

bool cs_list_grow(void *list, size_t count, size_t size) {
  if ((count & (count - 1)) != 0) return true; /* room for the next power of two */
  return count <= SIZE_MAX / 2 && cs_list_reserve(list, count == 0 ? 1 : 2 * count, size);
}
