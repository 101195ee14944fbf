/* A result or a trace as one page of HTML that needs nothing else: no network, no scripts, figures as SVG inside. The
 * page is well-formed XML too. */
#ifndef COSWEEP_REPORT_H
#define COSWEEP_REPORT_H

#include "table.h"
#include "text.h"

struct cs_report_figure {
  char *caption;
  char *svg; /* NULL: it could not be drawn */
  char *why; /* then the reason */
};

struct cs_report_figures {
  size_t count;
  struct cs_report_figure *figure;
  char *missing; /* what keeps all figures from being drawn, as where gnuplot is not installed; NULL: nothing */
};

/* Draws the figures that suit the table. Where gnuplot is missing or fails, the figures say so, and `missing`. */
int cs_report_draw(const struct cs_table *table, struct cs_report_figures *figures, struct cs_error *error);
void cs_report_free_figures(struct cs_report_figures *figures);

/* Appends the page. `name`: of the file, as readers know it. CS_IO where the table is no result of cosweep. */
int cs_report_write(const struct cs_table *table, const char *name, const struct cs_report_figures *figures,
                    struct cs_text *page, struct cs_error *error);

#endif
