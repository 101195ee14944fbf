#include "drawn.h"

#include <criterion/criterion.h>

struct cs_figure *draw(const struct cs_table *table, const struct cs_figure_request *request) {
  struct cs_figure *figure = NULL;
  struct cs_error error;
  cr_assert_eq(cs_figure_new(table, request, &figure, &error), CS_OK, "%s", error.message);
  return figure;
}

size_t count_series(const struct cs_figure_panel *panel) {
  size_t count = 0;
  for (size_t i = 0; i < panel->curves; i++)
    count += panel->curve[i].ink == CS_INK_SERIES;
  return count;
}

const struct cs_figure_curve *find_ink(const struct cs_figure_panel *panel, enum cs_figure_ink ink) {
  for (size_t i = 0; i < panel->curves; i++)
    if (panel->curve[i].ink == ink) return &panel->curve[i];
  return NULL;
}

void expect_entry(const struct cs_figure_curve *curve, const char *want) {
  struct cs_text entry = {0};
  cs_figure_add_entry(curve, true, true, &entry);
  cr_expect_str_eq(cs_text_string(&entry), want);
  cs_text_free(&entry);
}
