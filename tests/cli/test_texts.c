/* Names, units and descriptions with what gnuplot, XML and terminals would read otherwise: shown as they are by all
 * commands that read a result, or as U+FFFD where nothing can show them. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_case.h"
#include "figure.h"
#include "gnuplot.h"
#include "store.h"
#include "text.h"

#define SHOWN "\357\277\275" /* U+FFFD */
#define X60 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* What is written into the result, and how it stands in a figure's SVG. */
static const struct {
  const char *text, *svg;
} words[] = {{"it's", "it's"},
             {"two''quotes", "two''quotes"},
             {"'lead", "'lead"},
             {"trail'", "trail'"},
             {"'", "'"},
             {"back\\slash\\n", "back\\slash\\n"},
             {"end\\", "end\\"},
             {"{brace}^2_3@x~y", "{brace}^2_3@x~y"},
             {"50% %g %%", "50% %g %%"},
             {"'50%", "'50%"},
             {"`date` $(date)", "`date` $(date)"},
             {"'`date` \\140", "'`date` \\140"},
             {"\"double\"", "\"double\""},
             {"a & <b>", "a &amp; &lt;b>"},
             {"# no comment", "# no comment"},
             {"\033[31mred", SHOWN "[31mred"},
             {"C1 \302\233 DEL \177", "C1 " SHOWN " DEL " SHOWN},
             {"two\nlines", "two lines"},
             {"half \303", "half " SHOWN},
             {"Ω é 中", "Ω é 中"},
             {X60 X60 X60, X60 X60 "\342\200\246"},
             {"", ""}};
enum { WORDS = sizeof words / sizeof *words, SIZES = 3, AT_ONCE = 6 };

static struct cs_error error;

/* An axis of all words and one of numbers; the title, a unit and a description are word number `other`. */
static struct cs_table *make_table(size_t other) {
  static const char sweep[] =
      "{\"axes\": [{\"name\": \"word\", \"path\": \"method.hold\"}, "
      "{\"name\": \"H\", \"path\": \"method.step.size\"}]}";
  static const double sizes[SIZES] = {0.1, 0.2, 0.4};
  static const char *const model = "{}", *const outputs[] = {"y"};
  const char *names[WORDS], *const text = words[other].text, *const said = sweep;
  const size_t all[] = {0, 1, 2};
  struct cs_array *array;
  struct cs_table *table = cs_table_new(text, text, text);
  for (size_t i = 0; i < WORDS; i++)
    names[i] = words[i].text;
  int code = cs_table_add_dimension(table, "word", text, text, WORDS, NULL, names, NULL, &error);
  code |= cs_table_add_dimension(table, "H", text, text, SIZES, sizes, NULL, NULL, &error);
  code |= cs_table_add_dimension(table, "output", "", "output", 1, NULL, outputs, NULL, &error);
  code |= cs_table_add_array(table, "status", "1", "", CS_UINT8, 2, all, NULL, &error);
  code |= cs_table_add_array(table, "output_error", text, text, CS_FLOAT64, 3, all, &array, &error);
  for (size_t i = 0; i < array->count; i++)
    array->data.float64[i] = (double)(i + 1);
  code |= cs_table_add_text(table, "sweep", 1, 1, &said, &error);
  code |= cs_table_add_text(table, "model", 1, 1, &model, &error);
  code |= cs_table_add_text(table, "device", 1, 1, &text, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  return table;
}

static void draw(const struct cs_table *table, const struct cs_figure_request *request, struct cs_text *svg) {
  struct cs_figure *figure = NULL;
  cr_assert_eq(cs_figure_new(table, request, &figure, &error), CS_OK, "%s", error.message);
  cr_expect_eq(cs_gnuplot_svg(figure, svg, &error), CS_OK, "%s", error.message);
  cs_figure_free(figure);
}

static void expect_xml(const char *name, const struct cs_text *text) {
  struct cs_text command = {0};
  FILE *file = fopen(name, "wb");
  cr_assert(file != NULL && fwrite(cs_text_string(text), 1, text->length, file) == text->length && fclose(file) == 0);
  cs_text_add(&command, "xmllint --noout --huge %s", name);
  cr_expect_eq(system(command.data), 0, "%s is no XML", name);
  cs_text_free(&command);
}

TestSuite(texts, .init = cli_case_open, .fini = cli_case_close, .timeout = 300);

/* Legends, and ticks. */
Test(texts, figures_show_names_as_they_are) {
  struct cs_table *table = make_table(0);
  for (size_t first = 0; first < WORDS; first += AT_ONCE) {
    struct cs_text where[AT_ONCE] = {{0}};
    const char *list[AT_ONCE];
    size_t count = 0;
    for (; count < AT_ONCE && first + count < WORDS; count++) {
      cs_text_add(&where[count], "word=%s", words[first + count].text);
      list[count] = where[count].data;
    }
    const struct cs_figure_request legend = {.kind = "lines",
                                             .x = "H",
                                             .curve = "word",
                                             .where = list,
                                             .wheres = count},
                                   ticks = {.kind = "points", .x = "word", .where = list, .wheres = count};
    struct cs_text svg[2] = {{0}};
    draw(table, &legend, &svg[0]);
    draw(table, &ticks, &svg[1]);
    for (size_t k = 0; k < 2; k++) {
      expect_xml("figure.svg", &svg[k]);
      for (size_t i = first; i < first + count; i++)
        cr_expect((k == 1 && strlen(words[i].text) > 60) || /* a tick is shortened to what it has room for */
                      strstr(cs_text_string(&svg[k]), words[i].svg),
                  "%s: %s", k == 0 ? "legend" : "ticks", words[i].text);
      cs_text_free(&svg[k]);
    }
    for (size_t i = 0; i < count; i++)
      cs_text_free(&where[i]);
  }
  cs_table_free(table);
}

static void write_result(size_t other) {
  struct cs_table *table = make_table(other);
  struct cs_store *store = NULL;
  int code = cs_store_open("odd.h5", 1, &store, &error);
  if (code == CS_OK) code = cs_store_commit(store, table, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  cs_store_close(store);
  cs_table_free(table);
}

/* Nothing that a terminal obeys. */
static bool is_plain(const char *text) {
  for (size_t left = strlen(text), length; left > 0; text += length, left -= length)
    if ((length = cs_text_plain_length(text, left)) == 0 && (length = *text == '\n') == 0) return false;
  return true;
}

static void expect_plain(const char *line) {
  struct cli_result result = cli_run(line);
  cr_expect_eq(result.status, 0, "%s: %d: %s", line, result.status, result.err);
  cr_expect(result.err[0] == '\0', "%s: %s", line, result.err);
  cr_expect(is_plain(result.out), "%s", line);
  cli_free(&result);
}

Test(texts, every_command_takes_them) {
  static const size_t others[] = {2, 10, 13, 15, 17, 18, 20, 21};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    write_result(others[i]);
    expect_plain("info odd.h5");
    expect_plain("info --json odd.h5");
    expect_plain("verify odd.h5");
    expect_plain("export odd.h5 --format xdmf --force");
    cr_expect_eq(system("xmllint --noout odd.xmf"), 0);
  }
}

Test(texts, figures_and_pages_are_well_formed) {
  static const size_t others[] = {1, 15};
  for (size_t i = 0; i < 2; i++) {
    write_result(others[i]);
    expect_plain("plot odd.h5 --force --script");
    expect_plain("report odd.h5 --force");
    cr_expect_eq(system("xmllint --noout odd.svg odd.html"), 0);
    cr_expect_eq(system("gnuplot odd.gp"), 0);
  }
}
