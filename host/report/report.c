#include "report.h"

#include <stdio.h>
#include <string.h>

#include "report_private.h"

enum { MOST_KERNEL = 1 << 20 }; /* bytes of kernels on a page */

/* ---- figures */

static void add_figures(const struct cs_report_figures *figures, struct cs_text *page) {
  if (figures->count == 0 && figures->missing == NULL) return;
  cs_text_add(page, "<section id=\"figures\"><h2>Figures</h2>\n");
  if (figures->missing != NULL) cs_report_add_element(page, "p", "note", figures->missing);
  for (size_t i = 0; i < figures->count; i++) {
    const struct cs_report_figure *figure = &figures->figure[i];
    cs_text_add(page, "<figure><div class=\"paper\">");
    cs_report_add_svg(page, figure->svg, i + 1, figure->caption);
    cs_text_add(page, "</div>\n");
    cs_report_add_element(page, "figcaption", NULL, figure->caption);
    cs_text_add(page, "</figure>\n");
  }
  cs_text_add(page, "</section>\n");
}

/* ---- how to do it again */

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
    cs_text_add(page, "<p class=\"dim\">%zu more kernels stand in the file, in <code>/provenance/kernel</code>.</p>\n",
                note->count - shown);
}

static void add_provenance(const struct cs_table *table, const char *name, struct cs_text *page) {
  cs_text_add(page, "<section id=\"again\"><h2>To reproduce</h2>\n<pre class=\"wrap\">");
  cs_report_add_words(page, cs_digest_text(table, "command"));
  cs_text_add(
      page,
      "</pre>\n<p class=\"dim\">Or from what stands below: sweep and model as they were run, all overrides applied "
      "and all defaults written out. Saved as two files, the sweep's <code>model</code> naming the other, "
      "they give the same numbers, on a device alike bit for bit; a master or controller of the user's "
      "own needs its file as well. The numbers themselves are in ");
  cs_report_add_words(page, name);
  cs_text_add(page, ".</p>\n");
  add_details("sweep", cs_digest_text(table, "sweep"), page);
  add_details("model", cs_digest_text(table, "model"), page);
  add_kernels(table, page);
  cs_text_add(page, "</section>\n");
}

/* ---- the page */

/* Nothing on the page may reach out: no scripts, no network. */
static void begin(const struct cs_table *table, const char *name, struct cs_text *page) {
  cs_text_add(page,
              "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
              "<meta charset=\"utf-8\"/>\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
              "'unsafe-inline'; img-src data:\"/>\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
  cs_report_add_words(page, name);
  cs_text_add(page, " \342\200\223 cosweep</title>\n<style>\n%s</style>\n</head>\n<body>\n<header><h1>",
              cs_report_style);
  cs_report_add_words(page, name);
  cs_text_add(page, "</h1>\n");
  cs_report_add_element(page, "p", NULL, table->title);
}

static void add_link(const char *to, const char *words, struct cs_text *page) {
  cs_text_add(page, "<a href=\"#%s\">%s</a>\n", to, words);
}

static int add_result(const struct cs_table *table, const char *name, const struct cs_report_figures *figures,
                      struct cs_text *page, struct cs_error *error) {
  struct cs_digest digest;
  const int code = cs_digest_open(table, &digest, error);
  if (code == CS_OK) {
    begin(table, name, page);
    cs_text_add(page, "<nav>");
    add_link("axes", "axes", page);
    if (figures->count > 0) add_link("figures", "figures", page);
    if (digest.fits > 0) add_link("orders", "orders", page);
    add_link("metrics", "metrics", page);
    if (digest.ranked > 0) add_link("runs", "best and worst", page);
    add_link("failures", "failed runs", page);
    add_link("again", "to reproduce", page);
    cs_text_add(page, "</nav></header>\n<main>\n");
    cs_report_add_result_head(&digest, page);
    cs_report_add_axes(&digest, page);
    add_figures(figures, page);
    cs_report_add_orders(&digest, page);
    cs_report_add_limits(&digest, page);
    cs_report_add_metrics(&digest, page);
    cs_report_add_best(&digest, page);
    cs_report_add_failures(&digest, page);
  }
  cs_digest_free(&digest);
  return code;
}

static int add_trace(const struct cs_table *table, const char *name, const struct cs_report_figures *figures,
                     struct cs_text *page, struct cs_error *error) {
  struct cs_digest_trace trace;
  const int code = cs_digest_open_trace(table, &trace, error);
  if (code == CS_OK) {
    begin(table, name, page);
    cs_text_add(page, "</header>\n<main>\n");
    cs_report_add_trace_head(&trace, page);
    add_figures(figures, page);
    cs_report_add_courses(&trace, page);
  }
  cs_digest_free_trace(&trace);
  return code;
}

int cs_report_write(const struct cs_table *table, const char *name, const struct cs_report_figures *figures,
                    struct cs_text *page, struct cs_error *error) {
  const int code = cs_digest_is_trace(table) ? add_trace(table, name, figures, page, error)
                                             : add_result(table, name, figures, page, error);
  if (code != CS_OK) return code;
  add_provenance(table, name, page);
  cs_text_add(page, "</main>\n</body>\n</html>\n");
  return page->failed ? cs_error_memory(error) : CS_OK;
}
