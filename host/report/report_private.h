/* Parts of a report. All append HTML. */
#ifndef COSWEEP_REPORT_PRIVATE_H
#define COSWEEP_REPORT_PRIVATE_H

#include "digest.h"
#include "report.h"

/* ---- report_html.c */

extern const char cs_report_style[]; /* CSS */

/* Text with the characters escaped that mean something; what is no character of XML becomes U+FFFD. */
void cs_report_add_words(struct cs_text *page, const char *words);
/* "3.8·10⁻⁹" as HTML; "–" for NaN. */
void cs_report_add_number(struct cs_text *page, double value);
void cs_report_add_count(struct cs_text *page, double count);      /* "100,000" */
void cs_report_add_duration(struct cs_text *page, double seconds); /* "1 min 5 s" */
/* <TAG CLASS>words</TAG>; `class` may be NULL. */
void cs_report_add_element(struct cs_text *page, const char *tag, const char *class, const char *words);
void cs_report_add_number_cell(struct cs_text *page, double value);
/* The SVG without what only stands before a file, its ids beginning with "fN-", so that several do not clash, and with
 * the caption for readers who do not see it. */
void cs_report_add_svg(struct cs_text *page, const char *svg, size_t number, const char *caption);

/* ---- report_head.c */

void cs_report_add_result_head(const struct cs_digest *digest, struct cs_text *page);
void cs_report_add_trace_head(const struct cs_digest_trace *trace, struct cs_text *page);
void cs_report_add_courses(const struct cs_digest_trace *trace, struct cs_text *page);

/* ---- report_tables.c */

void cs_report_add_axes(const struct cs_digest *digest, struct cs_text *page);
void cs_report_add_metrics(const struct cs_digest *digest, struct cs_text *page);
void cs_report_add_limits(const struct cs_digest *digest, struct cs_text *page);
void cs_report_add_best(const struct cs_digest *digest, struct cs_text *page);
void cs_report_add_failures(const struct cs_digest *digest, struct cs_text *page);
/* Heads of the columns of settings, and their cells for a run; without those along axis number `without`. */
void cs_report_add_setting_heads(const struct cs_digest *digest, size_t without, struct cs_text *page);
void cs_report_add_settings(const struct cs_digest *digest, size_t run, size_t without, struct cs_text *page);

/* ---- report_orders.c */

void cs_report_add_orders(const struct cs_digest *digest, struct cs_text *page);

#endif
