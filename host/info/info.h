/* Parts of cosweep info. */
#ifndef COSWEEP_COMMAND_INFO_H
#define COSWEEP_COMMAND_INFO_H

#include "digest.h"

/* Axes, metrics, boundaries, orders, best, worst and failed runs as text within 80 columns; headings begin a line. */
void cs_info_add_result(const struct cs_digest *digest, struct cs_text *text);
void cs_info_add_orders(const struct cs_digest *digest, struct cs_text *text);
void cs_info_add_trace(const struct cs_digest_trace *trace, struct cs_text *text);

/* All of it as one JSON object. `path`: the file's. */
void cs_info_add_json(const char *path, const struct cs_digest *digest, struct cs_text *text);
void cs_info_add_trace_json(const char *path, const struct cs_digest_trace *trace, struct cs_text *text);

#endif
