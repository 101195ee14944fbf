/* Parts of a report. All append HTML. */
#ifndef COSWEEP_REPORT_PRIVATE_H
#define COSWEEP_REPORT_PRIVATE_H

#include "document.h"
#include "report.h"

extern const char cs_report_style[]; /* CSS */

/* Text with the characters escaped that mean something; what is no character of XML becomes U+FFFD. */
void cs_report_add_words(struct cs_text *page, const char *words);
/* <TAG CLASS>words</TAG>; `class` may be NULL. */
void cs_report_add_element(struct cs_text *page, const char *tag, const char *class, const char *words);
/* Links to the sections, those of the page's own among them; nothing where no section wants one. */
void cs_report_add_links(struct cs_text *page, const struct cs_document *document, bool figures);
/* All blocks, sections closed, with the figures in their place. */
void cs_report_add_document(struct cs_text *page, const struct cs_document *document,
                            const struct cs_report_figures *figures);

#endif
