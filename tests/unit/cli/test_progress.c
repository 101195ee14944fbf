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
                                           .steps = 1e9,
                                           .steps_done = 331e6,
                                           .remaining = 64.5};

/* As the engine tells the bar that hooked itself into its options. */
static void show(const struct cs_engine_options *options, double seconds, size_t building) {
  struct cs_progress p = halfway;
  p.seconds = seconds;
  p.building = building;
  options->progress(&p, options->context);
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
  fflush(stderr);
  FILE *shown = cr_get_redirected_stderr();
  const size_t length = fread(text, 1, sizeof text - 1, shown);
  text[length] = '\0';
  cr_expect_str_eq(text,
                   "sweep:  41 %  12,290 of 100,000 runs  33.1 M steps/s  1,229 runs/s  1 min 5 s left\n"
                   "sweep:  41 %  12,290 of 100,000 runs  building kernel 1 of 2  1 min 5 s left\n");
}
