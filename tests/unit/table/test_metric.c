/* The table of metrics beside the one of docs/formats.md section 3, and the places of metrics that nobody names. */
#include "metric.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { MOST_NAMES = 8 };

/* A row of the page: names in backquotes, the dimension of each, what is said of them. */
struct row {
  enum cs_study study;
  char name[MOST_NAMES][64], over[MOST_NAMES][16];
  size_t names;
  const char *meaning;
};

static size_t times[CS_METRICS]; /* a row of the page is about this one */

static struct cs_text read_page(void) {
  struct cs_text text = {0};
  struct cs_error error;
  cr_assert_eq(cs_text_read(&text, COSWEEP_SOURCE_DIR "/docs/formats.md", "page", &error), CS_OK, "%s", error.message);
  return text;
}

/* The next cell of a line; `*line` moves behind it. */
static char *next_cell(char **line) {
  char *cell = *line + strspn(*line, "| "), *end = strstr(cell, " |");
  cr_assert(end != NULL, "%s", cell);
  *end = '\0';
  *line = end + 2;
  return cell;
}

static void read_names(char *cell, struct row *row) {
  row->names = 0;
  for (char *name = strtok(cell, "`, "); name != NULL; name = strtok(NULL, "`, ")) {
    cr_assert_lt(row->names, MOST_NAMES);
    snprintf(row->name[row->names++], sizeof *row->name, "%s", name);
  }
}

/* One dimension for each name or one for all; "same": those of the row before. */
static void read_over(char *cell, struct row *row) {
  size_t count = 0;
  if (strcmp(cell, "same") == 0) return;
  for (char *over = strtok(cell, ", "); over != NULL && count < MOST_NAMES; over = strtok(NULL, ", "))
    snprintf(row->over[count++], sizeof *row->over, "%s", strcmp(over, "–") == 0 ? "" : over);
  for (size_t i = count; i < MOST_NAMES; i++)
    strcpy(row->over[i], row->over[count - 1]);
}

/* The row of the table that a sweep asks for by this word. */
static int find_word(const char *word) {
  for (int m = 0; m < CS_METRICS; m++)
    if (strcmp(cs_metric_word(m), word) == 0) return m;
  return -1;
}

static void expect_row(const struct row *row) {
  bool on_request = false, rms = false, count = false, per_second = false;
  for (size_t i = 0; i < row->names; i++) {
    const int m = find_word(row->name[i]);
    if (strcmp(row->name[i], "status") == 0) continue;
    cr_assert(m >= 0, "the table of metrics has no %s", row->name[i]);
    const struct cs_metric_info *info = &cs_metric_table[m];
    times[m]++;
    cr_expect_eq(info->study, row->study, "%s: study", row->name[i]);
    cr_expect_str_eq(cs_metric_over_name(info->over), row->over[i], "%s", row->name[i]);
    on_request |= info->on_request;
    rms |= info->reduction == CS_RMS;
    count |= info->reduction == CS_COUNT;
    per_second |= info->unit != NULL && strcmp(info->unit, "1/s") == 0;
  }
  cr_expect_eq(on_request, strstr(row->meaning, "on request") != NULL, "%s: on request", row->name[0]);
  if (row->study == CS_STABILITY) {
    cr_expect_eq(per_second, strstr(row->meaning, "(1/s)") != NULL, "%s: unit", row->name[0]);
    return;
  }
  cr_expect(strstr(row->name[0], "_max") != NULL || rms == (strstr(row->meaning, "RMS") != NULL), "%s: RMS",
            row->name[0]);
  cr_expect_eq(count, strncmp(row->meaning, "counts", 6) == 0, "%s: counts", row->name[0]);
}

Test(metric, the_page_of_formats_says_the_same) {
  struct cs_text page = read_page();
  struct row row = {0};
  char *line = strstr(page.data, "\nStudy simulation:\n"), *end = strstr(page.data, "\n| status | meaning |\n");
  cr_assert(line != NULL && end != NULL && line < end);
  *end = '\0';
  while (line != NULL && *++line != '\0') {
    char *next = strchr(line, '\n');
    if (next != NULL) *next = '\0';
    if (strncmp(line, "Study stability", 15) == 0) row.study = CS_STABILITY;
    if (strncmp(line, "| `", 3) == 0) {
      read_names(next_cell(&line), &row);
      read_over(next_cell(&line), &row);
      row.meaning = next_cell(&line);
      expect_row(&row);
    }
    line = next;
  }
  for (int m = 0; m < CS_METRICS; m++)
    if (cs_metric_begins(m))
      cr_expect_eq(times[m], 1, "%zu rows of the page are about %s", times[m], cs_metric_word(m));
  cs_text_free(&page);
}

/* Places of a use are 1, 2, ... without gaps, each of one metric. */
Test(metric, uses_have_every_place_once) {
  for (int use = 0; use < CS_USES; use++) {
    size_t metrics = 0, places = 0;
    for (int m = 0; m < CS_METRICS; m++)
      metrics += cs_metric_table[m].use[use] > 0;
    while (cs_metric_usual((enum cs_use)use, places + 1) >= 0)
      places++;
    cr_expect_gt(places, 0);
    cr_expect_eq(places, metrics, "use %d", use);
  }
  cr_expect_eq(cs_metric_usual(CS_USE_COST, 1), CS_EVALUATIONS);
}

/* Costs are counts of runs; what judges runs or shows convergence can be compared or fitted. */
Test(metric, uses_suit_the_metrics) {
  for (int m = 0; m < CS_METRICS; m++) {
    const struct cs_metric_info *info = &cs_metric_table[m];
    cr_expect(info->use[CS_USE_COST] == 0 || info->reduction == CS_COUNT, "%s", info->name);
    cr_expect(info->use[CS_USE_JUDGE] == 0 || info->ranked || info->radius, "%s", info->name);
    cr_expect(info->use[CS_USE_CONVERGENCE] == 0 || info->fitted, "%s", info->name);
    cr_expect_eq(info->reduction == CS_OF_THE_MAP, info->study == CS_STABILITY, "%s", info->name);
    cr_expect(info->order == CS_ORDER_NONE || info->fitted, "%s has an order but is not fitted", info->name);
  }
}

/* What figures call them: the reduction in a word, then the name in words. */
Test(metric, labels) {
  static const char *const row[][2] = {{"output_error", "RMS output error"},
                                       {"state_error_max", "largest state error"},
                                       {"input_error_final", "final input error"},
                                       {"monitor_rms", "RMS monitor"},
                                       {"step_min", "smallest step"},
                                       {"step_mean", "mean step"},
                                       {"event_time_error_first", "first event time error"},
                                       {"t_final", "t final"},
                                       {"output_error_relative", "RMS output error relative"},
                                       {"spectral_radius", "spectral radius"},
                                       {"evaluations", "evaluations"},
                                       {"H_stable_first", "stable up to H"},
                                       {"H_stable_max", "last stable H, islands included"},
                                       {"output_error_order", "output_error_order"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_text label = {0};
    cs_metric_add_label(row[i][0], &label);
    cr_expect_str_eq(label.data, row[i][1], "%s: %s", row[i][0], label.data);
    cs_text_free(&label);
  }
}
