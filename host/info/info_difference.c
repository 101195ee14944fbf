/* The difference of two results as text and as JSON. */
#include <math.h>
#include <string.h>

#include "info.h"
#include "metric.h"
#include "words.h"
#include "writer.h"

/* Settings shown on a terminal. */
enum { MOST = 20 };

static void add_settings(struct cs_document *document, const struct cs_difference *d) {
  struct cs_grid grid = {0};
  if (d->settings == 0) {
    cs_document_words(document, CS_TONE_PLAIN, 0, "made by the same program from the same sweep and model");
    return;
  }
  cs_document_section(document, "settings", NULL, "made with");
  cs_grid_head(&grid, CS_GRID_LEFT, "%s", "");
  cs_grid_head(&grid, CS_GRID_LEFT, "first");
  cs_grid_head(&grid, CS_GRID_LEFT, "second");
  for (size_t i = 0; i < d->settings && i < MOST; i++) {
    cs_grid_add(&grid, "%s", d->setting[i].path);
    cs_grid_add(&grid, "%s", d->setting[i].first);
    cs_grid_add(&grid, "%s", d->setting[i].second);
  }
  grid.firm = 1;
  cs_document_table(document, &grid, NULL);
  if (d->settings > MOST) cs_document_words(document, CS_TONE_DIM, 2, "and %zu more", d->settings - MOST);
}

static void add_row(struct cs_grid *grid, const struct cs_difference *d, const struct cs_difference_row *row) {
  struct cs_text place = {0}, count = {0};
  const double relative = cs_difference_relative(row);
  cs_grid_add(grid, "%s", row->array->name);
  cs_words_add_count(&count, (double)row->differing);
  cs_grid_take(grid, &count);
  cs_grid_add(grid, "%.3g", row->largest);
  cs_grid_add(grid, isfinite(relative) ? "%.3g" : row->unmatched > 0 ? "not finite" : "a code", relative);
  cs_difference_add_place(d, row, &place);
  cs_grid_take(grid, &place);
}

static void add_rows(struct cs_document *document, const struct cs_difference *d) {
  struct cs_grid grid = {0};
  struct cs_text same = {0};
  size_t differing = 0;
  for (size_t i = 0; i < d->rows; i++)
    if (d->row[i].differing == 0)
      cs_text_add_name(&same, d->row[i].array->name);
    else
      differing++;
  if (differing == 0) {
    cs_document_words(document, CS_TONE_PLAIN, 0, "no difference");
  } else {
    cs_document_section(document, "differences", NULL, "differences");
    cs_grid_head(&grid, CS_GRID_LEFT, "%s", "");
    cs_grid_head(&grid, CS_GRID_RIGHT, "values");
    cs_grid_head(&grid, CS_GRID_RIGHT, "largest");
    cs_grid_head(&grid, CS_GRID_RIGHT, "relative");
    cs_grid_head(&grid, CS_GRID_LEFT, "at");
    grid.firm = 4;
    for (size_t i = 0; i < d->rows; i++)
      if (d->row[i].differing > 0) add_row(&grid, d, &d->row[i]);
    cs_document_table(document, &grid, NULL);
    if (same.length > 0) cs_document_words(document, CS_TONE_PLAIN, 0, "no difference in %s", same.data);
  }
  cs_document_free_text(document, &same);
}

void cs_info_add_difference(struct cs_document *document, const char *const *name, const struct cs_difference *d) {
  cs_document_line(document, "%s and %s", name[0], name[1]);
  add_settings(document, d);
  add_rows(document, d);
  for (int i = 0; i < 2; i++)
    if (d->only[i].length > 0)
      cs_document_words(document, CS_TONE_PLAIN, 0, "only in %s, or over other signals: %s", name[i], d->only[i].data);
}

void cs_info_add_difference_json(const char *const *name, const struct cs_difference *d, struct cs_text *text) {
  struct cs_writer w = {.text = text};
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "kind", "difference");
  cs_writer_string(&w, "first", name[0]);
  cs_writer_string(&w, "second", name[1]);
  cs_writer_line(&w);
  cs_writer_list(&w, "settings");
  cs_writer_lines(&w);
  for (size_t i = 0; i < d->settings; i++) {
    cs_writer_object(&w, NULL);
    cs_writer_string(&w, "path", d->setting[i].path);
    cs_writer_string(&w, "first", d->setting[i].first);
    cs_writer_string(&w, "second", d->setting[i].second);
    cs_writer_end(&w);
  }
  cs_writer_end(&w);
  cs_writer_line(&w);
  cs_writer_list(&w, "variables");
  cs_writer_lines(&w);
  for (size_t i = 0; i < d->rows; i++) {
    const struct cs_difference_row *row = &d->row[i];
    struct cs_text place = {0};
    cs_difference_add_place(d, row, &place);
    cs_writer_object(&w, NULL);
    cs_writer_string(&w, "name", row->array->name);
    cs_writer_count(&w, "values", row->values);
    cs_writer_count(&w, "differing", row->differing);
    cs_writer_count(&w, "unmatched", row->unmatched);
    cs_writer_number(&w, "largest", row->largest);
    cs_writer_number(&w, "relative", cs_difference_relative(row));
    if (row->differing > 0) cs_writer_string(&w, "at", cs_text_string(&place));
    cs_writer_end(&w);
    text->failed |= place.failed;
    cs_text_free(&place);
  }
  cs_writer_end(&w);
  cs_writer_line(&w);
  cs_writer_string(&w, "only_first", cs_text_string(&d->only[0]));
  cs_writer_string(&w, "only_second", cs_text_string(&d->only[1]));
  cs_writer_end(&w);
  cs_text_add(text, "\n");
}
