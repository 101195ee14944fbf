/* What cosweep info and cosweep report say of a result or a trace. */
#ifndef COSWEEP_INFO_H
#define COSWEEP_INFO_H

#include "digest.h"
#include "document.h"

/* All of it: what was run, axes, metrics, boundaries, orders, best, worst and failed runs, for the document's medium.
 * `path`: the file's, which heads the text of a terminal. */
void cs_info_add_result(struct cs_document *document, const char *path, const struct cs_digest *digest);
void cs_info_add_trace(struct cs_document *document, const char *path, const struct cs_digest_trace *trace);

/* All of it as one JSON object. `path`: the file's. */
void cs_info_add_json(const char *path, const struct cs_digest *digest, struct cs_text *text);
void cs_info_add_trace_json(const char *path, const struct cs_digest_trace *trace, struct cs_text *text);

#endif
