/* A result or a trace as one page of HTML that needs nothing else: no network, no scripts, figures as SVG inside. The
 * page is well-formed XML too. */
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
  bool cost_drawn; /* one of them shows error against cost */
  char *missing;   /* what kept figures from being drawn, as where gnuplot is not installed; NULL: nothing */
};

/* Draws the figures that suit the table. Where gnuplot is missing or fails, `missing` says so. */
int cs_report_draw(const struct cs_table *table, struct cs_report_figures *figures, struct cs_error *error);
void cs_report_free_figures(struct cs_report_figures *figures);

/* Appends the page. `name`: of the file, as readers know it. CS_IO where the table is no result of cosweep. */
int cs_report_write(const struct cs_table *table, const char *name, const struct cs_report_figures *figures,
                    struct cs_text *page, struct cs_error *error);

#endif
