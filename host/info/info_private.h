/* Internals of info.h. */
#ifndef COSWEEP_INFO_PRIVATE_H
#define COSWEEP_INFO_PRIVATE_H

#include "info.h"

struct cs_json;

/* ---- info_head.c */

/* The text of that name in the file as JSON, which the caller frees; NULL if there is none or it is not JSON. */
struct cs_json *cs_info_parse(struct cs_document *document, const struct cs_table *table, const char *name);

/* ---- info_model.c */

/* On a page: subsystems, connections and parameters. */
void cs_info_add_model(struct cs_document *document, const struct cs_table *table);

/* ---- info_tables.c */

void cs_info_add_axes(struct cs_document *document, const struct cs_digest *digest);
void cs_info_add_metrics(struct cs_document *document, const struct cs_digest *digest);
void cs_info_add_best(struct cs_document *document, const struct cs_digest *digest);
/* Columns for the settings that differ between runs, and the cells of a run; axis number `without` is omitted
 * (CS_DIGEST_NONE: none). */
void cs_info_add_setting_heads(struct cs_grid *grid, const struct cs_digest *digest, size_t without);
void cs_info_add_settings(struct cs_grid *grid, const struct cs_digest *digest, size_t run, size_t without);
/* Whether a column is among them. */
bool cs_info_shows(const struct cs_digest *digest, size_t column, size_t without);
/* Adds that `count` more items are not shown. */
void cs_info_add_rest(struct cs_document *document, int indent, size_t count);

/* ---- info_failures.c */

void cs_info_add_failures(struct cs_document *document, const struct cs_digest *digest);

/* ---- info_limits.c */

/* Limits of stability along an axis, for every combination of the others, a row. */
struct cs_info_limits {
  size_t axis, rows, each;
  const double *first, *crossing; /* [rows], [rows][each] */
  double end;                     /* the largest value of the axis */
};

/* False if the axis was not searched. */
bool cs_info_find_limits(const struct cs_digest *digest, size_t axis, struct cs_info_limits *limits);
/* How many changes a row has. */
size_t cs_info_limits_changes(const struct cs_info_limits *limits, size_t row);
/* Whether a row is unstable at the first value of the axis, up to a limit stable, or up to the last value. */
enum cs_info_reach { CS_REACH_NONE, CS_REACH_LIMIT, CS_REACH_END };
enum cs_info_reach cs_info_limits_reach(const struct cs_info_limits *limits, size_t row);
void cs_info_add_boundaries(struct cs_document *document, const struct cs_digest *digest);

/* ---- info_effects.c */

/* Nothing where runs have no cost, or fewer than two axes compete. */
void cs_info_add_effects(struct cs_document *document, const struct cs_digest *digest);

/* ---- info_events.c */

void cs_info_add_events(struct cs_document *document, const struct cs_digest *digest);
/* Appends the event that happened most often in a run: "most often bounce, 60 times"; nothing if none is counted. */
void cs_info_add_frequent(const struct cs_digest *digest, size_t run, struct cs_text *text);

/* ---- info_orders.c */

void cs_info_add_orders(struct cs_document *document, const struct cs_digest *digest);

#endif
