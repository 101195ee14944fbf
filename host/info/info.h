/* The document that cosweep info and cosweep report print of a result or a trace. */
#ifndef COSWEEP_INFO_H
#define COSWEEP_INFO_H

#include "difference.h"
#include "digest.h"
#include "document.h"

/* Adds what was run, axes, metrics, stability boundaries, orders, best, worst and failed runs, as suits the document's
 * medium. `path`: of the file; the first line on a terminal. */
void cs_info_add_result(struct cs_document *document, const char *path, const struct cs_digest *digest);
void cs_info_add_trace(struct cs_document *document, const char *path, const struct cs_digest_trace *trace);

/* Appends the same as one JSON object. `path`: of the file. */
void cs_info_add_json(const char *path, const struct cs_digest *digest, struct cs_text *text);
void cs_info_add_trace_json(const char *path, const struct cs_digest_trace *trace, struct cs_text *text);

/* What differs between two files; name: of both. */
void cs_info_add_difference(struct cs_document *document, const char *const *name,
                            const struct cs_difference *difference);
void cs_info_add_difference_json(const char *const *name, const struct cs_difference *difference, struct cs_text *text);

#endif
