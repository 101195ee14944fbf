/* Parts of the page of a result. */
#ifndef COSWEEP_EXPLORE_PRIVATE_H
#define COSWEEP_EXPLORE_PRIVATE_H

#include "chunk.h"
#include "digest.h"
#include "explore.h"
#include "export.h"
#include "writer.h"

/* A file of page/, or "d3.min.js"; NULL if there is none. */
const char *cs_explore_page(const char *name);

/* A block of numbers on the page: an array, or what theory expects of fitted orders, at the chosen positions. */
struct cs_explore_item {
  const struct cs_array *array;       /* whose dimensions it has */
  const struct cs_digest_fit *theory; /* whose expectations the numbers are; NULL: the array's own */
};

/* Tables of a file: its result, the points of a refined map, traces. */
struct cs_explore_part {
  struct cs_export export;
  struct cs_explore_item *item; /* [items] */
  size_t items, run;            /* run: of a trace */
};

struct cs_explore_result {
  const struct cs_explore_file *file;
  struct cs_digest digest;
  struct cs_explore_part *part; /* [parts]: the result, then its group if it has one, then its traces */
  size_t parts;
};

/* cs_explore_close is needed even on failure. */
int cs_explore_open(const struct cs_explore_file *file, const struct cs_explore_wish *wish,
                    struct cs_explore_result *result, struct cs_error *error);
void cs_explore_close(struct cs_explore_result *result);

/* A member of an open list: what the result is and has. *block: number of its first block, then that of the next. */
int cs_explore_add_head(struct cs_writer *w, const struct cs_explore_result *result, size_t *block,
                        struct cs_error *error);

/* A block in base64: the numbers shuffled (all first bytes, all second ones, ...) and deflated. */
int cs_explore_add_numbers(const struct cs_export *from, const struct cs_explore_item *item, struct cs_chunk *chunk,
                           struct cs_text *text, struct cs_error *error);

#endif
