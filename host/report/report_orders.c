/* Fitted orders beside theory, in a report. */
#include <math.h>

#include "report_private.h"

enum { MOST_OPEN = 40, MOST_ROWS = 1000 };

static void add_expected(double expected, struct cs_text *page) {
  if (isinf(expected))
    cs_text_add(page, "zero");
  else if (isnan(expected))
    cs_text_add(page, "\342\200\223");
  else
    cs_text_add(page, "%.3g", expected);
}

/* The order, and as a hint the range it was fitted over. */
static void add_order(const struct cs_digest_order *o, struct cs_text *page) {
  cs_text_add(page, "<td class=\"n%s\"", o->verdict == CS_VERDICT_DEVIATES ? " deviates" : "");
  if (o->points > 0)
    cs_text_add(page, " title=\"%ld points from %.4g to %.4g, R\302\262 = %.6g\"", o->points, o->first, o->last, o->r2);
  cs_text_add(page, ">");
  if (o->verdict == CS_VERDICT_DEVIATES) cs_text_add(page, "! ");
  if (isnan(o->order))
    cs_text_add(page, "\342\200\223");
  else
    cs_text_add(page, "%.2f", o->order);
  cs_text_add(page, "</td>");
}

static void add_theory(double expected, struct cs_text *page) {
  cs_text_add(page, "<td class=\"n dim\">");
  add_expected(expected, page);
  cs_text_add(page, "</td>");
}

/* Whether theory says the same of all signals of every row. */
static bool expects_alike(const struct cs_digest_fit *f) {
  for (size_t i = 0; i < f->rows * f->columns; i++) {
    const double here = f->order[i].expected, first = f->order[i / f->columns * f->columns].expected;
    if (!(here == first || (isnan(here) && isnan(first)))) return false;
  }
  return true;
}

static void add_row(const struct cs_digest *d, const struct cs_digest_fit *f, size_t row, bool alike,
                    struct cs_text *page) {
  cs_text_add(page, "<tr>");
  cs_report_add_settings(d, f->run[row], f->axis, page);
  for (size_t s = 0; s < f->columns; s++) {
    add_order(&f->order[row * f->columns + s], page);
    if (!alike || s + 1 == f->columns) add_theory(f->order[row * f->columns + s].expected, page);
  }
  cs_text_add(page, "</tr>\n");
}

static bool deviates(const struct cs_digest_fit *f, size_t row) {
  for (size_t s = 0; s < f->columns; s++)
    if (f->order[row * f->columns + s].verdict == CS_VERDICT_DEVIATES) return true;
  return false;
}

/* All rows, or those that deviate. */
static void add_table(const struct cs_digest *d, const struct cs_digest_fit *f, bool all, struct cs_text *page) {
  const bool alike = expects_alike(f);
  size_t rows = 0;
  cs_text_add(page, "<div class=\"scroll\"><table><tr>");
  cs_report_add_setting_heads(d, f->axis, page);
  for (size_t s = 0; s < f->columns; s++) {
    cs_report_add_element(page, "th", "n",
                          f->signals != NULL && f->signals->labels != NULL ? f->signals->labels[s] : "order");
    if (!alike || s + 1 == f->columns) cs_text_add(page, "<th class=\"n\">theory</th>");
  }
  cs_text_add(page, "</tr>\n");
  for (size_t row = 0; row < f->rows && rows < MOST_ROWS; row++) {
    if (!all && !deviates(f, row)) continue;
    add_row(d, f, row, alike, page);
    rows++;
  }
  cs_text_add(page, "</table></div>\n");
  if (rows == MOST_ROWS)
    cs_text_add(page, "<p class=\"dim\">The first %d; <code>cosweep info --json</code> lists all.</p>\n", MOST_ROWS);
}

static void add_fit(const struct cs_digest *d, const struct cs_digest_fit *f, struct cs_text *page) {
  cs_text_add(page, "<h3>%s along ", f->metric->name);
  cs_report_add_words(page, d->axis[f->axis].dimension->name);
  cs_text_add(page, "</h3>\n<p class=\"dim\">%zu of %zu orders agree with theory, %zu deviate",
              f->verdicts[CS_VERDICT_AGREES], f->rows * f->columns, f->verdicts[CS_VERDICT_DEVIATES]);
  if (f->verdicts[CS_VERDICT_UNKNOWN] > 0)
    cs_text_add(page, ", %zu could not be fitted", f->verdicts[CS_VERDICT_UNKNOWN]);
  if (f->verdicts[CS_VERDICT_NONE] > 0) cs_text_add(page, "; theory says nothing of %zu", f->verdicts[CS_VERDICT_NONE]);
  cs_text_add(page, ".</p>\n");
  if (f->rows <= MOST_OPEN) {
    add_table(d, f, true, page);
    return;
  }
  if (f->verdicts[CS_VERDICT_DEVIATES] > 0) add_table(d, f, false, page);
  cs_text_add(page, "<details><summary>all %zu combinations</summary>\n", f->rows);
  add_table(d, f, true, page);
  cs_text_add(page, "</details>\n");
}

void cs_report_add_orders(const struct cs_digest *d, struct cs_text *page) {
  size_t deviate = 0;
  if (d->fits == 0) return;
  cs_text_add(page,
              "<section id=\"orders\"><h2>Orders of convergence</h2>\n<p class=\"dim\">Least-squares slopes of the "
              "logarithms over the asymptotic range, beside the order that theory expects.</p>\n");
  for (size_t i = 0; i < d->fits; i++) {
    add_fit(d, &d->fit[i], page);
    deviate += d->fit[i].verdicts[CS_VERDICT_DEVIATES];
  }
  if (deviate > 0)
    cs_text_add(page,
                "<p class=\"note\">! is more than 0.15 from theory: the steps are not small enough yet, the values "
                "are at the floor of rounding, few points were fitted, or (above theory) the leading term of "
                "this signal vanishes.</p>\n");
  cs_text_add(page, "</section>\n");
}
