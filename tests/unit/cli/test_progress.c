/* Progress without a terminal: a line every 30 seconds. */
#include "progress.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct cs_progress halfway = {.what = "runs",
                                           .work = 200,
                                           .work_done = 83,
                                           .runs = 100000,
                                           .runs_done = 12290,
                                           .kernels = 2,
                                           .steps_rate = 132.4e6,
                                           .runs_rate = 4916,
                                           .remaining = 64.5};

/* As the engine tells the bar that hooked itself into its options. */
static void show(const struct cs_engine_options *options, double seconds, size_t building) {
  struct cs_progress p = halfway;
  p.seconds = seconds;
  p.building = building;
  options->progress(&p, options->context);
}

/* What the bar has written to standard error. */
static void read_shown(char *text, size_t room) {
  fflush(stderr);
  text[fread(text, 1, room - 1, cr_get_redirected_stderr())] = '\0';
}

/* What the bar says when it is told of one kernel after the other, on a terminal of that width or none (0). */
static void expect_builds(int columns, const char *wanted) {
  struct cs_engine_options options = {0};
  struct cs_progress_bar bar;
  char text[2048];
  cr_redirect_stderr();
  cs_progress_open(&bar, "sweep", false, &options);
  bar.terminal = columns > 0;
  if (columns > 0) bar.columns = columns;
  show(&options, 0.1, 1);
  show(&options, 2.5, 0);
  show(&options, 2.6, 2);
  cs_progress_close(&bar);
  read_shown(text, sizeof text);
  if (columns == 0)
    cr_expect_str_eq(text, wanted);
  else
    cr_expect_not_null(strstr(text, wanted), "%s", text);
}

/* The second kernel shows that they take long. */
Test(progress, kernels_in_a_file) {
  expect_builds(0, "sweep:  41 %  12,290 of 100,000 runs  building kernel 2 of 2  1 min 5 s left\n");
}

/* Where there is no room for rates, they are left out rather than the time that is left. */
Test(progress, rates_on_a_terminal) {
  expect_builds(120, " 41 %  12,290 of 100,000 runs  132 M steps/s  4,916 runs/s  1 min 5 s left ");
}

Test(progress, narrow_terminal) {
  expect_builds(80, " 41 %  12,290 of 100,000 runs  1 min 5 s left ");
}

/* The bar gives way to the words, and goes where there is no room for it. */
Test(progress, narrow_terminal_with_a_build) {
  expect_builds(80, "[##.....]  41 %  12,290 of 100,000 runs  building kernel 2 of 2  1 min 5 s left");
}

Test(progress, narrower_terminal_with_a_build) {
  expect_builds(72, "\r 41 %  12,290 of 100,000 runs  building kernel 2 of 2  1 min 5 s left ");
}

/* No estimate before there is one, and none of nothing. */
Test(progress, nothing_left) {
  struct cs_engine_options options = {0};
  struct cs_progress_bar bar;
  char text[512];
  cr_redirect_stderr();
  cs_progress_open(&bar, "sweep", false, &options);
  struct cs_progress p = halfway;
  p.seconds = 11;
  p.remaining = 0;
  options.progress(&p, options.context);
  p.seconds = 60;
  p.remaining = NAN;
  options.progress(&p, options.context);
  read_shown(text, sizeof text);
  cr_expect_null(strstr(text, "left"), "%s", text);
}

/* What has begun is seen to move. */
Test(progress, tenths) {
  struct cs_engine_options options = {0};
  struct cs_progress_bar bar;
  char text[512];
  cr_redirect_stderr();
  cs_progress_open(&bar, "sweep", false, &options);
  struct cs_progress p = halfway;
  p.building = 1;
  p.remaining = NAN;
  for (int i = 0; i < 4; i++) {
    p.seconds = 11 + 31 * i;
    p.work_done = (const double[]){0, 0.5, 19.9, 20}[i];
    options.progress(&p, options.context);
  }
  read_shown(text, sizeof text);
  for (int i = 0; i < 4; i++)
    cr_expect_not_null(strstr(text, (const char *[]){" 0.0 %", " 0.2 %", " 9.9 %", "  10 %"}[i]), "%s", text);
}

/* The first line after 10 s, the next ones 30 s apart. */
Test(progress, lines) {
  struct cs_engine_options options = {0};
  struct cs_progress_bar bar;
  char text[512];
  cr_redirect_stderr();
  cs_progress_open(&bar, "sweep", false, &options);
  show(&options, 9.9, 0);
  show(&options, 10, 0);
  show(&options, 39.9, 0);
  show(&options, 40, 1);
  cs_progress_close(&bar);
  read_shown(text, sizeof text);
  cr_expect_str_eq(text,
                   "sweep:  41 %  12,290 of 100,000 runs  132 M steps/s  4,916 runs/s  1 min 5 s left\n"
                   "sweep:  41 %  12,290 of 100,000 runs  building kernel 1 of 2  1 min 5 s left\n");
}
