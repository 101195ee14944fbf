/* Lists of values along an axis, as the file gives them. */
#ifndef COSWEEP_SERIES_H
#define COSWEEP_SERIES_H

#include "setting.h"

/* Values along an axis: numbers (of words, their index) and, if the coordinate is a word or a label, its texts. */
struct cs_series {
  size_t length;
  double *values; /* [length] */
  char **labels;  /* [length], or NULL */
};

/* Reads a list of values for a setting. On failure `series` is empty. */
int cs_series_read(const struct cs_json *json, const struct cs_node *list, const struct cs_setting_info *info,
                   struct cs_setting_lists *lists, struct cs_series *series, struct cs_error *error);
/* The same from [first, last, count]; logarithmic or linear. */
int cs_series_space(const struct cs_json *json, const struct cs_node *list, const struct cs_setting_info *info,
                    bool logarithmic, struct cs_series *series, struct cs_error *error);
void cs_series_free(struct cs_series *series);

#endif
