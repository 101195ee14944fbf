/* Axes of designs of experiments: samples of parameters, and tables in CSV files. Before the axes are read they are
 * written out as axes with "zip", which is what results then hold (docs/formats.md section 2). */
#ifndef COSWEEP_DESIGN_H
#define COSWEEP_DESIGN_H

#include "json.h"

/* Writes out all axes of a sweep's root that have "sample", or a file name as "zip". sweep: path of the sweep file, to
 * which those of tables are relative. Errors at the places of these members. *designs: a JSON object of the axes' names
 * with what they had, {"design": {"lhs": 8, ...}, "table": "points.csv"}; empty if there were none. */
int cs_design_write_out(struct cs_json *json, const char *sweep, struct cs_text *designs, struct cs_error *error);

#endif
