/* Figures drawn by gnuplot, a program of its own that is looked for when it is needed. */
#ifndef COSWEEP_GNUPLOT_H
#define COSWEEP_GNUPLOT_H

#include "figure.h"
#include "text.h"

/* "svg", "png" or "pdf" by how the name ends; NULL: it ends otherwise. */
const char *cs_gnuplot_format(const char *name);

/* The script that draws the figure into the file `output` from the numbers in the file `data`, both beside the script,
 * and these numbers. The same figure gives the same texts. */
int cs_gnuplot_script(const struct cs_figure *figure, const char *format, const char *output, const char *data,
                      struct cs_text *script, struct cs_text *numbers, struct cs_error *error);

/* Draws it: complete or absent, written beside `path` and renamed. Replaces an existing file. CS_IO where gnuplot is
 * not installed, with the package to install, or fails. */
int cs_gnuplot_render(const struct cs_figure *figure, const char *format, const char *path, struct cs_error *error);

/* The same as the text of an SVG. */
int cs_gnuplot_svg(const struct cs_figure *figure, struct cs_text *svg, struct cs_error *error);

#endif
