/* The page of a report: what it says, that nothing of a result can break out of its place, and that figures beside
 * each other keep their ids apart. Whether it is well-formed and what a browser makes of it: report.sh. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "cli_case.h"
#include "digest_case.h"
#include "report.h"
#include "store.h"

static struct cs_error error;
static struct cs_table *table;
static struct cs_text page;

static void open_page(void) {
  page = (struct cs_text){0};
  table = digest_case_result();
}

static void close_page(void) {
  cs_text_free(&page);
  cs_table_free(table);
}

TestSuite(report, .init = open_page, .fini = close_page);

static void write_page(const struct cs_report_figures *figures) {
  cr_assert_eq(cs_report_write(table, "a & b.h5", NULL, figures, &page, &error), CS_OK, "%s", error.message);
}

static void expect_part(const char *part) {
  cr_expect(strstr(page.data, part), "no %s", part);
}

static size_t count(const char *part) {
  size_t found = 0;
  for (const char *at = page.data; (at = strstr(at, part)) != NULL; at++)
    found++;
  return found;
}

Test(report, orders_beside_theory) {
  const struct cs_report_figures none = {0};
  write_page(&none);
  expect_part("4 of 6 orders are within 0.15 of theory, 1 could not be fitted");
  expect_part("<td class=\"n deviates\">! 1.16</td>");
  expect_part("<td class=\"n\">1.50</td><td class=\"n dim\">1.5</td>");
  cr_expect_eq(count("! 1.16"), 1);
  expect_part("<p class=\"note\">! more than 0.15 from theory");
}

Test(report, runs_and_settings) {
  const struct cs_report_figures none = {0};
  write_page(&none);
  expect_part("<dt>runs</dt><dd>8: 6 ok, 1 diverged, 1 invalid</dd>");
  expect_part("<h3>diverged: 1 run</h3>");
  expect_part("<h3>invalid: 1 run</h3>");
  expect_part("<td>zero</td><td class=\"n\">0.8</td>");
  /* What all runs share, without what axes move. */
  expect_part(
      "<dd>master jacobi, hold taylor, output_order 1, feedthrough explicit, solver exact, "
      "step.control fixed</dd>");
}

Test(report, words_are_escaped) {
  const struct cs_report_figures none = {0};
  digest_case_note(table, "command", "cosweep run '<script>alert(1)</script>' \"&\" \001 \377");
  write_page(&none);
  expect_part("<p>a &amp; b.h5</p>");
  expect_part("'&lt;script&gt;alert(1)&lt;/script&gt;' &quot;&amp;&quot; \357\277\275 \357\277\275</pre>");
  cr_expect_eq(count("<script"), 0);
}

static void replace_note(const char *name, const char *text) {
  for (size_t i = 0; i < table->notes; i++)
    if (strcmp(table->note[i].name, name) == 0) {
      free(table->note[i].text[0]);
      table->note[i].text[0] = strdup(text);
    }
}

Test(report, short_descriptions_are_headings) {
  const struct cs_report_figures none = {0};
  char title[2][200] = {"Limits <of> a servo"};
  memset(title[1], 'x', 150);
  for (size_t i = 0; i < 2; i++) {
    free(table->title);
    table->title = strdup(title[i]);
    write_page(&none);
    expect_part(i == 0 ? "<h1>Limits &lt;of&gt; a servo</h1>\n<p>a &amp; b.h5</p>" : "<h1>a &amp; b.h5</h1>\n<p>xxx");
  }
}

/* Subsystems, connections with what some of them have, parameters; what is none of these says nothing. */
Test(report, model_is_listed) {
  const struct cs_report_figures none = {0};
  replace_note("model",
               "{\"name\": \"m\", \"subsystems\": [{\"name\": \"a<\", \"states\": [{\"name\": \"x\", \"unit\": \"m\"}, "
               "{\"name\": \"v\"}, \"w\"], \"outputs\": [3]}], \"connections\": [{\"from\": \"a.y\", \"to\": \"a.u\", "
               "\"gain\": \"-k/2\"}, {\"from\": \"a.y\", \"to\": \"a.w\"}], \"parameters\": {\"k\": {\"value\": 2.5, "
               "\"unit\": \"N/m\", \"description\": \"stiffness\"}, \"d\": 3}}");
  write_page(&none);
  expect_part("<h2>The model</h2>");
  expect_part("<td>a&lt;</td><td>x [m], v, w</td><td></td><td></td>");
  expect_part("<td>a.y</td><td class=\"n\">-k/2</td><td>a.u</td>");
  expect_part("<td>a.y</td><td class=\"n\"></td><td>a.w</td>");
  expect_part("<td>k</td><td class=\"n\">2.5</td><td>N/m</td><td class=\"dim\">stiffness</td>");
  expect_part("<td>d</td><td class=\"n\">3</td><td></td>");
}

/* A file of another's, whose settings are a list. */
Test(report, settings_that_are_no_object) {
  const struct cs_report_figures none = {0};
  replace_note("sweep", "{\"axes\": [{\"name\": \"H\"}], \"method\": [1, \"x\"], \"parameters\": 2}");
  write_page(&none);
  expect_part("<dt>runs</dt><dd>8: 6 ok, 1 diverged, 1 invalid</dd>");
}

/* Two figures with the same ids. */
Test(report, ids_of_figures_are_kept_apart) {
  char svg[] =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg xmlns='http://www.w3.org/2000/svg'><defs><path "
      "id=\"dot\"/><clipPath id='cut'/></defs><use href=\"#dot\" clip-path=\"url(#cut)\"/></svg>";
  char one[] = "one", two[] = "two";
  struct cs_report_figure list[] = {{.caption = one, .svg = svg}, {.caption = two, .svg = svg}};
  const struct cs_report_figures figures = {.count = 2, .figure = list};
  write_page(&figures);
  cr_expect_eq(count("<?xml"), 0);
  cr_expect_eq(count("<!DOCTYPE"), 1);
  cr_expect_eq(count("id=\"f1-dot\""), 1);
  cr_expect_eq(count("href=\"#f1-dot\" clip-path=\"url(#f1-cut)\""), 1);
  cr_expect_eq(count("href=\"#f2-dot\" clip-path=\"url(#f2-cut)\""), 1);
  cr_expect_eq(count("id='f2-cut'"), 1);
  cr_expect_eq(count("\"#dot\""), 0);
}

Test(report, says_why_there_are_no_figures) {
  char missing[] = "gnuplot is not installed";
  const struct cs_report_figures figures = {.missing = missing};
  write_page(&figures);
  expect_part("<p class=\"note\">gnuplot is not installed</p>");
}

Test(report, of_a_foreign_file) {
  const struct cs_report_figures none = {0};
  struct cs_table *other = cs_table_new("", "", "");
  cr_expect_eq(cs_report_write(other, "x.h5", NULL, &none, &page, &error), CS_IO);
  cr_expect(strstr(error.message, "want a result of cosweep"), "%s", error.message);
  cs_table_free(other);
}

/* ---- the command */

static void expect_run(const char *words, const struct cli_how *how, int status, const char *part) {
  struct cli_result r = cli_run_how(words, how);
  cr_expect_eq(r.status, status, "%s: exit status %d, %s", words, r.status, r.err);
  cr_expect(strstr(r.err, part) || strstr(r.out, part), "%s: no \"%s\" in: %s%s", words, part, r.out, r.err);
  cli_free(&r);
}

/* result.h5 and foreign.h5, which has no status, in the working directory. */
static void open_files(void) {
  struct cs_store *store = NULL;
  struct cs_table *other = cs_table_new("", "", "");
  open_page();
  cli_case_open();
  cr_assert_eq(cs_store_open("result.h5", 0, &store, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_store_commit(store, table, &error), CS_OK, "%s", error.message);
  cs_store_close(store);
  cr_assert_eq(cs_store_open("foreign.h5", 0, &store, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_store_commit(store, other, &error), CS_OK, "%s", error.message);
  cs_store_close(store);
  cs_table_free(other);
}

static void close_files(void) {
  cli_case_close();
  close_page();
}

TestSuite(report_command, .init = open_files, .fini = close_files);

/* A page that is there stays, unless --force says otherwise. Nothing is left behind by what fails. */
Test(report_command, writes_a_page) {
  expect_run("report result.h5", NULL, 0, "result.html\n");
  expect_run("report result.h5", NULL, 5, "result.html: exists; --force overwrites it");
  expect_run("report result.h5 --force", NULL, 0, "result.html\n");
  expect_run("report result.h5 -o none/page.html", NULL, 5, "none/page.html: there is no directory \"none\"");
  cr_assert_eq(symlink("/dev/null", "nothing.html"), 0);
  expect_run("report result.h5 -o nothing.html --force", NULL, 5, "nothing.html: is not a regular file");
  cr_assert_eq(unlink("nothing.html"), 0);
  expect_run("report result.h5 -o -", NULL, 0, "<!DOCTYPE html>\n");
  expect_run("report foreign.h5", NULL, 5, "foreign.h5: ");
  expect_run("report absent.h5", NULL, 5, "absent.h5");
  expect_run("report", NULL, 2, "want a result file");
  char *files = cli_case_files();
  cr_expect_str_eq(files, "foreign.h5 model.json result.h5 result.html sweep.json");
  free(files);
}

/* The page of explore is linked to where it lies beside the report, by a name that is part of an address; an older one
 * is of another result, and stdout has no place. */
Test(report_command, links_to_the_page_of_explore) {
  struct utimbuf before = {.actime = 1000000000, .modtime = 1000000000};
  expect_run("report result.h5 -o -", NULL, 0, "</header>");
  cr_assert_eq(rename("result.h5", "my result.h5"), 0);
  cr_assert_eq(symlink("my result.h5", "my#result.h5"), 0);
  cli_case_write("my#result_explore.html", "a page");
  expect_run("report my#result.h5", NULL, 0, "my#result.html\n");
  cs_text_read(&page, "my#result.html", "page", &error);
  expect_part("<p>To look around in it: <a href=\"./my%23result_explore.html\">my#result_explore.html</a></p>");
  cs_text_free(&page);
  cr_assert_eq(utime("my#result_explore.html", &before), 0);
  expect_run("report my#result.h5 --force", NULL, 0, "my#result.html\n");
  cs_text_read(&page, "my#result.html", "page", &error);
  cr_expect_eq(count("explore"), 0);
}

/* A gnuplot that stops its caller: neither a page nor the folder it drew in is left. */
Test(report_command, interrupted) {
  char folder[4096], path[5000];
  cr_assert_not_null(getcwd(folder, sizeof folder));
  snprintf(path, sizeof path, "PATH=%s:/usr/bin:/bin", folder);
  cli_case_write("gnuplot", "#!/bin/sh\npwd > \"${0%/*}/place\"\nkill -TERM $PPID\nexit 1\n");
  cr_assert_eq(chmod("gnuplot", 0700), 0);
  const struct cli_how how = {.environment = path};
  expect_run("report result.h5", &how, 130, "interrupted");
  cr_expect_neq(access("result.html", F_OK), 0);
  cs_text_read(&page, "place", "file", &error);
  page.data[strcspn(page.data, "\n")] = '\0';
  cr_expect_neq(access(page.data, F_OK), 0, "%s is left", page.data);
}

Test(report_command, without_gnuplot) {
  const struct cli_how nothing = {.environment = "PATH=/nonexistent"};
  expect_run("report result.h5", &nothing, 0, "result.html: no figures: gnuplot");
  cs_text_read(&page, "result.html", "page", &error);
  expect_part("apt-get install gnuplot-nox</p>");
  cr_expect_eq(count("<svg"), 0);
}
