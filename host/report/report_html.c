/* How a report writes words, numbers and figures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_private.h"

const char cs_report_style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--dim:#5b6470;--page:#fff;--line:#d7dce2;--soft:#f4f6f8;"
    "--mark:#8a4b00;--mark-soft:#fff3df;--link:#0b57a4}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e5e9ee;--dim:#9aa5b1;--page:#14181d;--line:#333b44;"
    "--soft:#1d232a;--mark:#ffc46b;--mark-soft:#3a2b12;--link:#7db8f5}}\n"
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
    ".scroll{overflow-x:auto}\n"
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
    "h2,h3{break-after:avoid}.scroll,pre{overflow:visible}pre{white-space:pre-wrap}}\n";

/* ---- words and numbers */

void cs_report_add_words(struct cs_text *page, const char *words) {
  for (size_t left = strlen(words); left > 0;) {
    const unsigned char c = (unsigned char)*words;
    const size_t length = cs_utf8_length(words, left);
    if (c == '&')
      cs_text_add(page, "&amp;");
    else if (c == '<')
      cs_text_add(page, "&lt;");
    else if (c == '>')
      cs_text_add(page, "&gt;");
    else if (c == '"')
      cs_text_add(page, "&quot;");
    else if (length == 0 || (c < 0x20 && c != '\n' && c != '\t') || memcmp(words, "\357\277\276", length) == 0)
      cs_text_add(page, "\357\277\275");
    else
      cs_text_append(page, words, length);
    words += length > 0 ? length : 1;
    left -= length > 0 ? length : 1;
  }
}

void cs_report_add_number(struct cs_text *page, double value) {
  char digits[32];
  if (isnan(value)) {
    cs_text_add(page, "\342\200\223");
    return;
  }
  if (isinf(value)) {
    cs_text_add(page, value > 0 ? "\342\210\236" : "\342\210\222\342\210\236");
    return;
  }
  snprintf(digits, sizeof digits, "%.4g", value);
  char *power = strchr(digits, 'e');
  if (power != NULL) *power++ = '\0';
  cs_text_add(page, "%s%s", value < 0 ? "\342\210\222" : "", digits + (digits[0] == '-'));
  if (power == NULL) return;
  const size_t zeros = strspn(power + 1, "0");
  cs_text_add(page, "\302\26710<sup>%s%s</sup>", power[0] == '-' ? "\342\210\222" : "", power + 1 + zeros);
}

void cs_report_add_count(struct cs_text *page, double count) {
  char digits[32];
  if (!(count < 1e15)) {
    cs_report_add_number(page, count);
    return;
  }
  const int length = snprintf(digits, sizeof digits, "%.0f", count);
  for (int i = 0; i < length; i++)
    cs_text_add(page, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

void cs_report_add_duration(struct cs_text *page, double seconds) {
  if (seconds < 0.1)
    cs_text_add(page, "%.3g ms", 1e3 * seconds);
  else if (seconds < 60.0)
    cs_text_add(page, "%.3g s", seconds);
  else if (seconds < 3600.0)
    cs_text_add(page, "%.0f min %.0f s", floor(seconds / 60.0), floor(fmod(seconds, 60.0)));
  else
    cs_text_add(page, "%.0f h %.0f min", floor(seconds / 3600.0), floor(fmod(seconds, 3600.0) / 60.0));
}

void cs_report_add_element(struct cs_text *page, const char *tag, const char *class, const char *words) {
  cs_text_add(page, "<%s", tag);
  if (class != NULL) cs_text_add(page, " class=\"%s\"", class);
  cs_text_add(page, ">");
  cs_report_add_words(page, words);
  cs_text_add(page, "</%s>", tag);
}

void cs_report_add_number_cell(struct cs_text *page, double value) {
  cs_text_add(page, "<td class=\"n\">");
  cs_report_add_number(page, value);
  cs_text_add(page, "</td>");
}

/* ---- figures */

/* Skips the XML declaration, a document type and comments. */
static const char *root_of(const char *svg) {
  const char *root = strstr(svg, "<svg");
  return root != NULL ? root : svg;
}

/* What gnuplot says about itself, which browsers would show beside the pointer. */
static size_t skipped(const char *at) {
  static const char *const parts[][2] = {{"<title>Gnuplot</title>", "</title>"}, {"<desc>", "</desc>"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const char *end = strncmp(at, parts[i][0], strlen(parts[i][0])) == 0 ? strstr(at, parts[i][1]) : NULL;
    if (end != NULL) return (size_t)(end - at) + strlen(parts[i][1]);
  }
  return 0;
}

void cs_report_add_svg(struct cs_text *page, const char *svg, size_t number, const char *caption) {
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
