/* Figures drawn by gnuplot, an external program that is looked up when needed. */
#ifndef COSWEEP_GNUPLOT_H
#define COSWEEP_GNUPLOT_H

#include "figure.h"
#include "text.h"

/* "svg", "png" or "pdf" by the ending of the name; NULL for any other. */
const char *cs_gnuplot_format(const char *name);

/* The script that draws the figure into the file `output` from the numbers in the file `data`, both in the folder of
 * the script, and these numbers. The texts depend on the figure only. CS_USAGE for an unknown format. */
int cs_gnuplot_script(const struct cs_figure *figure, const char *format, const char *output, const char *data,
                      struct cs_text *script, struct cs_text *numbers, struct cs_error *error);

/* Draws the figure into `path` atomically (claim.h); replaces an existing file. CS_IO
 * if gnuplot fails or is not installed; the message then names the package. */
int cs_gnuplot_render(const struct cs_figure *figure, const char *format, const char *path, struct cs_error *error);

/* The same, as the text of an SVG file. */
int cs_gnuplot_svg(const struct cs_figure *figure, struct cs_text *svg, struct cs_error *error);

#endif
