#include "report.h"

#include <stdio.h>
#include <string.h>

#include "ascii.h"
#include "info.h"
#include "report_private.h"

enum { MOST_KERNEL = 1 << 20 }; /* bytes of kernels on a page */

/* ---- how to reproduce it */

static void add_details(const char *summary, const char *text, struct cs_text *page) {
  if (text[0] == '\0') return;
  cs_text_add(page, "<details><summary>%s</summary><pre>", summary);
  cs_report_add_words(page, text);
  cs_text_add(page, "</pre></details>\n");
}

static void add_kernels(const struct cs_table *table, struct cs_text *page) {
  const struct cs_note *note = cs_table_find_note(table, "kernel");
  size_t bytes = 0, shown = 0;
  if (note == NULL || note->type != CS_TEXT) return;
  for (; shown < note->count && (shown == 0 || bytes + strlen(note->text[shown]) <= MOST_KERNEL); shown++) {
    char summary[80];
    snprintf(summary, sizeof summary, "kernel %zu of %zu (OpenCL C)", shown + 1, note->count);
    add_details(summary, note->text[shown], page);
    bytes += strlen(note->text[shown]);
  }
  if (shown < note->count)
    cs_text_add(page, "<p class=\"dim\">%zu more kernels are in the file, in <code>/provenance/kernel</code>.</p>\n",
                note->count - shown);
}

static void add_provenance(const struct cs_table *table, const char *name, struct cs_text *page) {
  cs_text_add(page, "<section id=\"again\"><h2>To reproduce</h2>\n<pre class=\"wrap\">");
  cs_report_add_words(page, cs_digest_text(table, "command"));
  cs_text_add(
      page,
      "</pre>\n<p class=\"dim\">Or with the sweep and the model below, as they were run, with all overrides applied "
      "and all defaults written out. Saved as two files, with the sweep's <code>model</code> set to the name of the "
      "other, they give the same numbers, bit for bit on an identical device; a custom master or controller also "
      "needs its file. The results themselves are in ");
  cs_report_add_words(page, name);
  cs_text_add(page, ".</p>\n");
  add_details("sweep", cs_digest_text(table, "sweep"), page);
  add_details("model", cs_digest_text(table, "model"), page);
  add_kernels(table, page);
  cs_text_add(page, "</section>\n");
}

/* ---- the page */

/* The policy forbids scripts and network access. `heading`: above `about`. */
static void begin(const char *name, const char *heading, const char *about, struct cs_text *page) {
  cs_text_add(page,
              "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
              "<meta charset=\"utf-8\"/>\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
              "'unsafe-inline'; img-src data:\"/>\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
  cs_report_add_words(page, name);
  cs_text_add(page, " \342\200\223 cosweep</title>\n<style>\n%s</style>\n</head>\n<body>\n<header><h1>",
              cs_report_style);
  cs_report_add_words(page, heading);
  cs_text_add(page, "</h1>\n");
  cs_report_add_element(page, "p", NULL, about);
}

/* A short description is the heading of a result; otherwise it stands below the name of the file. */
static void begin_result(const char *name, const char *about, struct cs_text *page) {
  enum { HEADING = 120 }; /* bytes */
  const bool heads = about[0] != '\0' && strlen(about) <= HEADING;
  begin(name, heads ? about : name, heads ? name : about, page);
}

static int describe(const struct cs_table *table, const char *name, struct cs_document *document,
                    struct cs_error *error) {
  struct cs_digest digest = {0};
  struct cs_digest_trace trace = {0};
  const bool is_trace = cs_digest_is_trace(table);
  const int code = is_trace ? cs_digest_open_trace(table, &trace, error) : cs_digest_open(table, &digest, error);
  if (code == CS_OK && is_trace) cs_info_add_trace(document, name, &trace);
  if (code == CS_OK && !is_trace) cs_info_add_result(document, name, &digest);
  cs_digest_free(&digest);
  cs_digest_free_trace(&trace);
  return code;
}

/* A link to a file beside the page: its name as part of an address. */
static void add_beside(const char *file, struct cs_text *page) {
  cs_text_add(page, "<p>To look around in it: <a href=\"./");
  for (const char *at = file; *at != '\0'; at++)
    if (cs_ascii_is_word(*at) || *at == '.' || *at == '-')
      cs_text_append(page, at, 1);
    else
      cs_text_add(page, "%%%02X", (unsigned)(unsigned char)*at);
  cs_text_add(page, "\">");
  cs_report_add_words(page, file);
  cs_text_add(page, "</a></p>\n");
}

int cs_report_write(const struct cs_table *table, const char *name, const char *explore,
                    const struct cs_report_figures *figures, struct cs_text *page, struct cs_error *error) {
  struct cs_document document = {.medium = CS_PAGE};
  int code = describe(table, name, &document, error);
  if (code == CS_OK && document.failed) code = cs_error_memory(error);
  if (code == CS_OK) {
    begin_result(name, table->title, page);
    if (explore != NULL) add_beside(explore, page);
    cs_report_add_links(page, &document, figures->count > 0, true);
    cs_text_add(page, "</header>\n<main>\n");
    cs_report_add_document(page, &document, figures);
    add_provenance(table, name, page);
    cs_text_add(page, "</main>\n</body>\n</html>\n");
  }
  cs_document_free(&document);
  return code == CS_OK && page->failed ? cs_error_memory(error) : code;
}

int cs_report_write_document(const char *name, const char *about, const struct cs_document *document,
                             const struct cs_report_figures *figures, struct cs_text *page, struct cs_error *error) {
  begin(name, name, about, page);
  cs_report_add_links(page, document, figures->count > 0, false);
  cs_text_add(page, "</header>\n<main>\n");
  cs_report_add_document(page, document, figures);
  cs_text_add(page, "</main>\n</body>\n</html>\n");
  return page->failed ? cs_error_memory(error) : CS_OK;
}
