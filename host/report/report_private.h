/* Internals of report.h. All functions append HTML. */
#ifndef COSWEEP_REPORT_PRIVATE_H
#define COSWEEP_REPORT_PRIVATE_H

#include "document.h"
#include "report.h"

extern const char cs_report_style[]; /* CSS */

/* Text with special characters escaped; bytes that are not valid XML characters become U+FFFD. */
void cs_report_add_words(struct cs_text *page, const char *words);
/* <TAG CLASS>words</TAG>; `class` may be NULL. */
void cs_report_add_element(struct cs_text *page, const char *tag, const char *class, const char *words);
/* Links to the sections of the document and of the page itself, of which `again` says how to reproduce it; nothing if
 * no section has a link. */
void cs_report_add_links(struct cs_text *page, const struct cs_document *document, bool figures, bool again);
/* All blocks of the document, with the figures at their place. */
void cs_report_add_document(struct cs_text *page, const struct cs_document *document,
                            const struct cs_report_figures *figures);

#endif
