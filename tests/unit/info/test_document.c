/* A document as text: headings, terms, paragraphs within 80 columns, and tables that go below where they are too wide.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "document.h"

static struct cs_document document;
static struct cs_text text;

static void set_up(void) {
  document = (struct cs_document){.medium = CS_TERMINAL};
  text = (struct cs_text){0};
}

static void tear_down(void) {
  cs_document_free(&document);
  cs_text_free(&text);
}

TestSuite(document, .init = set_up, .fini = tear_down);

static void expect(const char *want) {
  cs_document_print(&document, &text);
  cr_expect_str_eq(cs_text_string(&text), want);
}

Test(document, blocks) {
  cs_document_line(&document, "%s.h5", "result");
  cs_document_words(&document, CS_TONE_DIM, 2, "%s", "two words");
  cs_document_section(&document, "id", "link", "heading %d", 1);
  cs_document_term(&document, "runs", "%d", 7);
  cs_document_term(&document, "none", "%s", "");
  cs_document_figures(&document);
  cs_document_part(&document, "part");
  expect("result.h5\n  two words\n\nheading 1\nruns      7\n\npart\n");
}

Test(document, long_terms_go_on_behind_their_word) {
  cs_document_term(&document, "command", "%s",
                   "one two three four five six seven eight nine ten eleven twelve 13 14 15 16");
  expect("command   one two three four five six seven eight nine ten eleven twelve 13 14\n          15 16\n");
}

/* Names to the left, numbers to the right, a column with nothing but a head left out, no blanks at the end. */
Test(document, table) {
  struct cs_grid grid = {0};
  cs_grid_head(&grid, CS_GRID_LEFT, "name");
  cs_grid_head(&grid, CS_GRID_RIGHT, "n");
  cs_grid_head(&grid, CS_GRID_LEFT_DIM, "empty");
  cs_grid_head(&grid, CS_GRID_LEFT_CODE, "what");
  grid.firm = grid.columns;
  cs_grid_add(&grid, "%s", "ä");
  cs_grid_add(&grid, "%d", 100);
  cs_grid_add(&grid, "%s", "");
  cs_grid_add(&grid, "%s", "x");
  struct cs_text more = {0}, hint = {0};
  cs_text_add(&more, "on a page alone");
  cs_text_add(&hint, "there too");
  cs_grid_more(&grid, &more);
  cs_grid_hint(&grid, &hint);
  for (int i = 0; i < 4; i++)
    cs_grid_add(&grid, "%s", i == 2 ? "" : i == 1 ? "2" : "longer");
  cs_document_table(&document, &grid, NULL);
  cr_expect_eq(grid.cells, 0, "the document has taken the table over");
  expect("  name      n  what\n  ä       100  x\n  longer    2  longer\n");
}

Test(document, wide_table) {
  struct cs_grid grid = {0};
  cs_grid_head(&grid, CS_GRID_RIGHT, "n");
  cs_grid_head(&grid, CS_GRID_LEFT, "a");
  cs_grid_head(&grid, CS_GRID_LEFT, "b");
  grid.firm = 1;
  cs_grid_add(&grid, "1");
  cs_grid_add(&grid, "a word of some forty characters, no fewer");
  cs_grid_add(&grid, "another one of thirty-nine or more ones");
  cs_document_table(&document, &grid, NULL);
  expect(
      "  n\n  1\n        a a word of some forty characters, no fewer, b another one of\n"
      "        thirty-nine or more ones\n");
}

/* More columns than a terminal has room for, as of a network of many signals. */
Test(document, many_columns) {
  struct cs_grid grid = {.firm = 1};
  for (int i = 0; i < 200; i++)
    cs_grid_head(&grid, CS_GRID_RIGHT, "c%d", i);
  for (int i = 0; i < 200; i++)
    cs_grid_add(&grid, "%d", i);
  cs_document_table(&document, &grid, "folded");
  cs_document_print(&document, &text);
  cr_expect_not(text.failed);
  cr_expect(strstr(text.data, ", c199\n        199\n"), "%s", text.data);
}
