/* A document as HTML: text, numbers, tables and figures. */
#include <ctype.h>
#include <string.h>

#include "report_private.h"

const char cs_report_style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--dim:#5b6470;--page:#fff;--line:#d7dce2;--soft:#f4f6f8;"
    "--mark:#8a4b00;--mark-soft:#fff3df;--link:#0b57a4}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e5e9ee;--dim:#9aa5b1;--page:#14181d;--line:#333b44;"
    "--soft:#1d232a;--mark:#ffc46b;--mark-soft:#3a2b12;--link:#7db8f5}"
    "figure .paper{filter:invert(.92) hue-rotate(180deg)}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:62rem;padding:1.5rem 1rem 4rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);"
    "background:var(--page)}\n"
    "h1{font-size:1.6rem;line-height:1.2;margin:0 0 .4rem}\n"
    "h2{font-size:1.2rem;margin:2.4rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}\n"
    "h3{font-size:1rem;margin:1.4rem 0 .4rem}\n"
    "p{margin:.4rem 0;max-width:46rem}\n"
    "a{color:var(--link)}sup{line-height:0}\n"
    "nav{margin:.8rem 0;font-size:.9rem}nav a{margin-right:1rem;white-space:nowrap}\n"
    ".dim{color:var(--dim)}\n"
    /* shadows where more is to the side; they scroll away with the edge of the table */
    ".scroll{overflow-x:auto;background:linear-gradient(90deg,var(--page) 40%,transparent) 0 0/3rem 100% no-repeat "
    "local,"
    "linear-gradient(270deg,var(--page) 40%,transparent) 100% 0/3rem 100% no-repeat local,"
    "linear-gradient(90deg,var(--line),transparent) 0 0/1rem 100% no-repeat,"
    "linear-gradient(270deg,var(--line),transparent) 100% 0/1rem 100% no-repeat}\n"
    "table{border-collapse:collapse;margin:.4rem 0;font-size:.9rem}\n"
    "th,td{padding:.2rem .7rem .2rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}\n"
    "th{font-weight:600;color:var(--dim)}\n"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "td.deviates{color:var(--mark);background:var(--mark-soft);font-weight:600}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.4rem 0}\n"
    "dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\n"
    "figure{width:max-content;max-width:min(100vw - 2rem,100rem);margin:1rem 0 1rem 50%;transform:translateX(-50%)}\n"
    "figure .paper{background:#fff;border:1px solid var(--line);border-radius:4px;padding:.5rem;"
    "overflow-x:auto}\n"
    "figure svg{display:block;max-width:100%;min-width:36rem;height:auto;margin:0 auto}\n"
    "figcaption{width:0;min-width:100%;font-size:.9rem;color:var(--dim);margin-top:.3rem}\n"
    ".note{border-left:4px solid var(--mark);background:var(--mark-soft);padding:.5rem .8rem;margin:.8rem 0}\n"
    "pre{background:var(--soft);border:1px solid var(--line);border-radius:4px;padding:.6rem;overflow-x:auto;"
    "font-size:.8rem;line-height:1.4}\n"
    "pre.wrap{white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "details{margin:.5rem 0}summary{cursor:pointer;color:var(--link)}\n"
    "@media (max-width:34rem){dl{grid-template-columns:1fr}dt{margin-top:.4rem}}\n"
    "@media print{:root{--ink:#000;--dim:#444;--page:#fff;--line:#bbb;--soft:#f6f6f6;--mark:#000;--mark-soft:#eee;"
    "--link:#000}body{max-width:none;padding:0;font-size:10pt}nav{display:none}figure "
    "svg{min-width:0}figure,tr{break-inside:avoid}"
    "h2,h3{break-after:avoid}.scroll,pre{overflow:visible}.scroll{background:none}pre{white-space:pre-wrap}}\n";

/* ---- words and numbers */

void cs_report_add_words(struct cs_text *page, const char *words) {
  cs_text_add_xml(page, words);
}

void cs_report_add_element(struct cs_text *page, const char *tag, const char *class, const char *words) {
  cs_text_add(page, "<%s", tag);
  if (class != NULL) cs_text_add(page, " class=\"%s\"", class);
  cs_text_add(page, ">");
  cs_report_add_words(page, words);
  cs_text_add(page, "</%s>", tag);
}

/* Whether the word is a number as printed by printf: "-1.5e-08". */
static bool is_number(const char *word, size_t length) {
  static const char digits[] = "0123456789";
  size_t at = word[0] == '-';
  if (strspn(word + at, digits) == 0) return false;
  at += strspn(word + at, "0123456789.");
  if (at == length || word[at] != 'e') return at == length;
  at += strspn(word + at + 1, "+-") == 1 ? 2 : 1;
  return strspn(word + at, digits) > 0 && at + strspn(word + at, digits) == length;
}

/* "3.8e-09" as "3.8·10⁻⁹". */
static void add_number(struct cs_text *page, const char *word, size_t length) {
  const char *power = memchr(word, 'e', length);
  const size_t before = power != NULL ? (size_t)(power - word) : length, minus = word[0] == '-';
  if (minus) cs_text_add(page, "\342\210\222");
  cs_text_append(page, word + minus, before - minus);
  if (power == NULL) return;
  power++;
  cs_text_add(page, "\302\26710<sup>%s", *power == '-' ? "\342\210\222" : "");
  power += strspn(power, "+-");
  power += strspn(power, "0");
  cs_text_append(page, power, (size_t)(word + length - power));
  cs_text_add(page, "</sup>");
}

/* Text with numbers as powers of ten, line breaks, and typographic characters instead of their ASCII forms. */
static void add_typeset(struct cs_text *page, const char *words) {
  if (strcmp(words, "-") == 0) words = "\342\200\223";
  while (*words != '\0') {
    const size_t blanks = strspn(words, " ,\n"), length = strcspn(words + blanks, " ,\n");
    const char *word = words + blanks;
    for (size_t i = 0; i < blanks; i++)
      cs_text_add(page, words[i] == '\n' ? "<br/>" : "%c", words[i]);
    if (is_number(word, length))
      add_number(page, word, length);
    else if (length == 3 && strncmp(word, "...", 3) == 0)
      cs_text_add(page, "\342\200\246");
    else if (length == 3 && strncmp(word, "inf", 3) == 0)
      cs_text_add(page, "\342\210\236");
    else
      cs_text_add_xml_part(page, word, length);
    words = word + length;
  }
}

/* ---- figures */

/* Skips the XML declaration, a document type and comments. */
static const char *root_of(const char *svg) {
  const char *root = strstr(svg, "<svg");
  return root != NULL ? root : svg;
}

/* Length of gnuplot's own title or description, which browsers would show as a tooltip; 0 elsewhere. */
static size_t skipped(const char *at) {
  static const char *const parts[][2] = {{"<title>Gnuplot</title>", "</title>"}, {"<desc>", "</desc>"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const char *end = strncmp(at, parts[i][0], strlen(parts[i][0])) == 0 ? strstr(at, parts[i][1]) : NULL;
    if (end != NULL) return (size_t)(end - at) + strlen(parts[i][1]);
  }
  return 0;
}

/* The SVG element without the file's prologue, its ids prefixed with "fN-" so that figures do not clash, and with the
 * caption for screen readers. */
static void add_svg(struct cs_text *page, const char *svg, size_t number, const char *caption) {
  static const char *const before[] = {" id=\"", " id='", "url(#", "href=\"#", "href='#"};
  const char *at = root_of(svg);
  if (strncmp(at, "<svg ", 5) == 0) {
    cs_text_add(page, "<svg role=\"img\" aria-label=\"");
    cs_report_add_words(page, caption);
    cs_text_add(page, "\" ");
    at += 5;
  }
  while (*at != '\0') {
    size_t length = 0;
    at += skipped(at);
    for (size_t i = 0; i < sizeof before / sizeof *before && length == 0; i++)
      if (strncmp(at, before[i], strlen(before[i])) == 0) length = strlen(before[i]);
    cs_text_append(page, at, length > 0 || *at == '\0' ? length : 1);
    if (length > 0) cs_text_add(page, "f%zu-", number);
    at += length > 0 || *at == '\0' ? length : 1;
  }
}

static void add_figures(struct cs_text *page, const struct cs_report_figures *figures) {
  if (figures->count == 0 && figures->missing == NULL) return;
  cs_text_add(page, "<section id=\"figures\"><h2>Figures</h2>\n");
  if (figures->missing != NULL) cs_report_add_element(page, "p", "note", figures->missing);
  for (size_t i = 0; i < figures->count; i++) {
    const struct cs_report_figure *figure = &figures->figure[i];
    cs_text_add(page, "<figure><div class=\"paper\">");
    add_svg(page, figure->svg, i + 1, figure->caption);
    cs_text_add(page, "</div>\n");
    cs_report_add_element(page, "figcaption", NULL, figure->caption);
    cs_text_add(page, "</figure>\n");
  }
  cs_text_add(page, "</section>\n");
}

/* ---- tables */

static void add_cell(struct cs_text *page, const char *tag, const struct cs_grid_cell *cell, enum cs_grid_style style) {
  const bool right = style == CS_GRID_RIGHT || style == CS_GRID_RIGHT_DIM, head = strcmp(tag, "th") == 0;
  const bool dim = !head && (style == CS_GRID_LEFT_DIM || style == CS_GRID_RIGHT_DIM);
  const bool code = !head && style == CS_GRID_LEFT_CODE;
  cs_text_add(page, "<%s", tag);
  if (right || dim)
    cs_text_add(page, " class=\"%s%s%s%s\"", right ? "n" : "", right && dim ? " " : "", dim ? "dim" : "",
                cell->marked ? " deviates" : "");
  if (cell->hint != NULL) {
    cs_text_add(page, " title=\"");
    cs_report_add_words(page, cell->hint);
    cs_text_add(page, "\"");
  }
  cs_text_add(page, ">");
  cs_text_add(page, code ? "<code>" : "");
  if (code)
    cs_report_add_words(page, cell->words);
  else
    add_typeset(page, cell->words);
  cs_text_add(page, code ? "</code>" : "");
  if (cell->more != NULL) {
    cs_text_add(page, "%s<span class=\"dim\">", cell->words[0] != '\0' ? "<br/>" : "");
    add_typeset(page, cell->more);
    cs_text_add(page, "</span>");
  }
  cs_text_add(page, "</%s>", tag);
}

static void add_table(struct cs_text *page, const struct cs_grid *grid, const char *folded) {
  if (folded != NULL) cs_text_add(page, "<details><summary>%s</summary>\n", folded);
  cs_text_add(page, "<div class=\"scroll\"><table>");
  for (size_t i = 0; i < grid->cells; i++) {
    const size_t column = i % grid->columns;
    cs_text_add(page, "%s", column == 0 ? "<tr>" : "");
    add_cell(page, i < grid->columns ? "th" : "td", &grid->cell[i], grid->cell[column].style);
    cs_text_add(page, "%s", column + 1 == grid->columns ? "</tr>\n" : "");
  }
  cs_text_add(page, "</table></div>%s\n", folded != NULL ? "</details>" : "");
}

/* ---- the whole */

void cs_report_add_links(struct cs_text *page, const struct cs_document *document, bool figures, bool again) {
  bool any = false;
  for (size_t i = 0; i < document->blocks; i++) {
    const struct cs_block *block = &document->block[i];
    if (block->link != NULL && !any) cs_text_add(page, "<nav>");
    any = any || block->link != NULL;
    if (block->link != NULL)
      cs_text_add(page, "<a href=\"#%s\">%c%s</a>\n", block->id, toupper((unsigned char)block->link[0]),
                  block->link + 1);
    if (block->kind == CS_BLOCK_FIGURES && figures && any) cs_text_add(page, "<a href=\"#figures\">Figures</a>\n");
  }
  if (any && again) cs_text_add(page, "<a href=\"#again\">To reproduce</a>\n");
  if (any) cs_text_add(page, "</nav>");
}

static void add_section(struct cs_text *page, const struct cs_block *block) {
  cs_text_add(page, "<section id=\"%s\"><h2>%c", block->id, toupper((unsigned char)block->words[0]));
  cs_report_add_words(page, block->words + 1);
  cs_text_add(page, "</h2>\n");
}

static void add_words_block(struct cs_text *page, const struct cs_block *block) {
  static const char *const tones[] = {"", " class=\"dim\"", " class=\"note\""};
  cs_text_add(page, "<p%s>", tones[block->tone]);
  add_typeset(page, block->words);
  cs_text_add(page, "</p>\n");
}

static void add_block(struct cs_text *page, const struct cs_block *block, const struct cs_report_figures *figures) {
  switch (block->kind) {
    case CS_BLOCK_SECTION:
      add_section(page, block);
      return;
    case CS_BLOCK_PART:
      cs_report_add_element(page, "h3", NULL, block->words);
      cs_text_add(page, "\n");
      return;
    case CS_BLOCK_TERM:
      cs_report_add_element(page, "dt", NULL, block->term);
      cs_text_add(page, "<dd>");
      add_typeset(page, block->words);
      cs_text_add(page, "</dd>\n");
      return;
    case CS_BLOCK_WORDS:
      add_words_block(page, block);
      return;
    case CS_BLOCK_TABLE:
      add_table(page, &block->table, block->words);
      return;
    case CS_BLOCK_FIGURES:
      add_figures(page, figures);
      return;
    case CS_BLOCK_LINE:
      return;
  }
}

void cs_report_add_document(struct cs_text *page, const struct cs_document *document,
                            const struct cs_report_figures *figures) {
  bool terms = false, section = false;
  for (size_t i = 0; i < document->blocks; i++) {
    const struct cs_block *block = &document->block[i];
    const bool term = block->kind == CS_BLOCK_TERM;
    const bool above = block->kind == CS_BLOCK_SECTION || block->kind == CS_BLOCK_FIGURES;
    if (terms && !term) cs_text_add(page, "</dl>\n");
    if (section && above) cs_text_add(page, "</section>\n");
    if (term && !terms) cs_text_add(page, "<dl>");
    section = block->kind == CS_BLOCK_SECTION || (section && !above);
    terms = term;
    add_block(page, block, figures);
  }
  cs_text_add(page, "%s%s", terms ? "</dl>\n" : "", section ? "</section>\n" : "");
  page->failed |= document->failed;
}
