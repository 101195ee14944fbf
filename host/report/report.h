/* A result or a trace as a self-contained HTML page: no network access, no scripts, figures as inline SVG. The page is
 * also well-formed XML. */
#ifndef COSWEEP_REPORT_H
#define COSWEEP_REPORT_H

#include <stdbool.h>

#include "table.h"
#include "text.h"

struct cs_report_figure {
  char *caption, *svg;
};

struct cs_report_figures {
  size_t count;
  struct cs_report_figure *figure;
  bool cost_drawn; /* one of the figures shows error against cost */
  char *missing;   /* why figures could not be drawn, for example gnuplot not installed; NULL: none failed */
};

/* Draws the figures that suit the table. If gnuplot is missing or fails, sets `missing` and returns CS_OK. */
int cs_report_draw(const struct cs_table *table, struct cs_report_figures *figures, struct cs_error *error);
void cs_report_free_figures(struct cs_report_figures *figures);

/* Appends the page. `name`: of the file, as shown to readers; `explore`: name of the page of `cosweep explore` beside
 * it, NULL: there is none. CS_IO if the table is not a result of cosweep. */
int cs_report_write(const struct cs_table *table, const char *name, const char *explore,
                    const struct cs_report_figures *figures, struct cs_text *page, struct cs_error *error);

/* Appends a page with the heading `name`, `about` below it, and a document. */
struct cs_document;
int cs_report_write_document(const char *name, const char *about, const struct cs_document *document,
                             const struct cs_report_figures *figures, struct cs_text *page, struct cs_error *error);

#endif
