/* A document as HTML: sections that close, numbers with powers of ten, cells with a second line and a hint. */
#include <criterion/criterion.h>
#include <string.h>

#include "report_private.h"

static struct cs_document document;
static struct cs_text page;
static const struct cs_report_figures none;

static void set_up(void) {
  document = (struct cs_document){.medium = CS_PAGE};
  page = (struct cs_text){0};
}

static void tear_down(void) {
  cs_document_free(&document);
  cs_text_free(&page);
}

TestSuite(report_html, .init = set_up, .fini = tear_down);

static void expect(const char *want) {
  cs_report_add_document(&page, &document, &none);
  cr_expect_str_eq(cs_text_string(&page), want);
}

Test(report_html, sections_close) {
  char missing[] = "a < b";
  const struct cs_report_figures figures = {.missing = missing};
  cs_document_section(&document, "one", "first", "heading");
  cs_document_term(&document, "a", "1");
  cs_document_term(&document, "b", "x\ny");
  cs_document_figures(&document);
  cs_document_section(&document, "two", NULL, "next");
  cs_document_part(&document, "part");
  cs_document_words(&document, CS_TONE_DIM, 2, "a & b");
  cs_report_add_document(&page, &document, &figures);
  cr_expect_str_eq(
      page.data,
      "<section id=\"one\"><h2>Heading</h2>\n<dl><dt>a</dt><dd>1</dd>\n<dt>b</dt><dd>x<br/>y</dd>\n</dl>\n</section>\n"
      "<section id=\"figures\"><h2>Figures</h2>\n<p class=\"note\">a &lt; b</p></section>\n"
      "<section id=\"two\"><h2>Next</h2>\n<h3>part</h3>\n<p class=\"dim\">a &amp; b</p>\n</section>\n");
}

Test(report_html, numbers) {
  cs_document_words(&document, CS_TONE_PLAIN, 2, "%s",
                    "1.5e-08, -2 ... 1e+100 inf 1,234 e5 v1.2 . -o 1e 2026-11-22 1.5e-08:");
  expect("<p>1.5·10<sup>−8</sup>, −2 … 1·10<sup>100</sup> ∞ 1,234 e5 v1.2 . -o 1e 2026-11-22 1.5e-08:</p>\n");
}

Test(report_html, table) {
  struct cs_grid grid = {0};
  struct cs_text more = {0}, hint = {0};
  cs_grid_head(&grid, CS_GRID_LEFT, "a<");
  cs_grid_head(&grid, CS_GRID_RIGHT_DIM, "b");
  cs_grid_head(&grid, CS_GRID_LEFT_CODE, "c");
  cs_grid_add(&grid, "%s", "");
  cs_text_add(&more, "below");
  cs_grid_more(&grid, &more);
  cs_grid_add(&grid, "-");
  cs_text_add(&hint, "\"why\"");
  cs_grid_hint(&grid, &hint);
  grid.cell[grid.cells - 1].marked = true;
  cs_grid_add(&grid, "1e-3");
  cs_document_table(&document, &grid, "all of it");
  expect(
      "<details><summary>all of it</summary>\n<div class=\"scroll\"><table><tr><th>a&lt;</th><th class=\"n\">b</th>"
      "<th>c</th></tr>\n<tr><td><span class=\"dim\">below</span></td>"
      "<td class=\"n dim deviates\" title=\"&quot;why&quot;\">–</td><td><code>1e-3</code></td></tr>\n"
      "</table></div></details>\n");
}

Test(report_html, links) {
  cs_document_section(&document, "one", NULL, "heading");
  cs_report_add_links(&page, &document, true, true);
  cr_expect_str_eq(cs_text_string(&page), "");
  cs_document_section(&document, "two", "second", "heading");
  cs_document_figures(&document);
  cs_report_add_links(&page, &document, true, true);
  cr_expect_str_eq(page.data,
                   "<nav><a href=\"#two\">Second</a>\n<a href=\"#figures\">Figures</a>\n"
                   "<a href=\"#again\">To reproduce</a>\n</nav>");
}
