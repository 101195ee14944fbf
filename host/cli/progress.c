#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "print.h"

static const double redraw_seconds = 0.1, first_line_seconds = 10.0, line_seconds = 30.0, long_build = 1.0;
enum { BAR = 20, SHORTEST_BAR = 5, NARROWEST = 20, WIDEST = 120 };

static int terminal_columns(void) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col < NARROWEST ? NARROWEST : size.ws_col > WIDEST ? WIDEST : size.ws_col;
}

/* "41 %, 12,288 of 100,000 runs, 33.1 M steps/s, 512 runs/s, 1 min 5 s left"; "0.0 %, 0 of 96 runs, building kernel 1
 * of 6": a beginning is seen to move by tenths */
static void describe(const struct cs_progress *p, double share, bool rates, struct cs_text *text) {
  const double scale = share < 0.1 ? 10.0 : 1.0;
  cs_text_add(text, "%3.*f %%  ", scale > 1.0 ? 1 : 0, floor(100.0 * scale * share) / scale);
  cs_words_add_count(text, (double)p->runs_done);
  cs_text_add(text, " of ");
  cs_words_add_count(text, (double)p->runs);
  cs_text_add(text, " %s", p->what);
  if (p->building > 0)
    cs_text_add(text, "  building kernel %zu of %zu", p->building, p->kernels);
  else if (p->separating >= 1.0)
    cs_text_add(text, "  separating modes, %.0f s of about %.0f s", p->separating, fmax(p->separate, p->separating));
  else if (rates && p->steps_rate > 0.0) {
    cs_text_add(text, "  %.3g M steps/s  ", 1e-6 * p->steps_rate);
    cs_words_add_count(text, p->runs_rate);
    cs_text_add(text, " runs/s");
  }
  if (isfinite(p->remaining) && ceil(p->remaining) > 0.0) {
    cs_text_add(text, "  ");
    cs_words_add_duration(text, ceil(p->remaining));
    cs_text_add(text, " left");
  }
}

/* Columns beside the bar and its brackets. The last column stays empty: some terminals wrap when it is written. */
static int room_for_words(const struct cs_progress_bar *bar, int blocks) {
  const int taken = blocks > 0 ? blocks + 4 : 1;
  return bar->columns > taken ? bar->columns - taken : 0;
}

/* Long words get the place of the bar. */
static int bar_beside(const struct cs_progress_bar *bar, size_t words) {
  int blocks = BAR;
  while (blocks > 0 && (size_t)room_for_words(bar, blocks) < words)
    blocks--;
  return blocks >= SHORTEST_BAR ? blocks : 0;
}

static void draw(struct cs_progress_bar *bar, double share, const struct cs_text *words) {
  char blocks[BAR + 1];
  const int length = bar_beside(bar, words->length), full = (int)(share * length);
  const int width = room_for_words(bar, length);
  for (int i = 0; i < length; i++)
    blocks[i] = i < full ? '#' : '.';
  blocks[length] = '\0';
  struct cs_text line = {0};
  cs_text_add(&line, "\r");
  if (length > 0) cs_text_add(&line, "%s[%s]%s ", bar->colour ? "\033[36m" : "", blocks, bar->colour ? "\033[0m" : "");
  cs_text_add(&line, "%-*.*s", width, width, words->data);
  cs_print_drawing(cs_text_string(&line));
  cs_text_free(&line);
  bar->drawn = true;
}

static void wait_for_first(struct cs_progress_bar *bar) {
  bar->due = bar->terminal ? 0.0 : first_line_seconds;
}

/* A cs_engine_options.progress. */
static void show(const struct cs_progress *progress, void *context) {
  struct cs_progress_bar *bar = context;
  if (bar->what == NULL || strcmp(progress->what, bar->what) != 0) wait_for_first(bar);
  bar->what = progress->what;
  /* A build takes long and reports nothing until it ends. Whether the first one does is not known: it may be kept. */
  const bool builds = progress->building > 1 && progress->seconds > long_build && bar->lines == 0;
  const bool turns = progress->building != bar->building && (bar->terminal || builds);
  bar->building = progress->building;
  if (bar->quiet || (progress->seconds < bar->due && !turns)) return;
  struct cs_text words = {0};
  const double share = progress->work > 0.0 ? fmin(fmax(progress->work_done / progress->work, 0.0), 1.0) : 0.0;
  describe(progress, share, true, &words);
  if (bar->terminal && words.length > (size_t)room_for_words(bar, BAR)) {
    cs_text_free(&words);
    describe(progress, share, false, &words);
  }
  bar->lines++;
  if (!words.failed && bar->terminal) draw(bar, share, &words);
  if (!words.failed && !bar->terminal) cs_print_message("%s: %s\n", bar->name, words.data);
  cs_text_free(&words);
  bar->due = progress->seconds + (bar->terminal ? redraw_seconds : line_seconds);
}

void cs_progress_open(struct cs_progress_bar *bar, const char *name, bool quiet, struct cs_engine_options *options) {
  const char *no_colour = getenv("NO_COLOR");
  *bar = (struct cs_progress_bar){.name = name, .quiet = quiet, .terminal = isatty(STDERR_FILENO) == 1};
  bar->colour = bar->terminal && (no_colour == NULL || no_colour[0] == '\0');
  bar->columns = bar->terminal ? terminal_columns() : WIDEST;
  wait_for_first(bar);
  options->progress = show;
  options->context = bar;
}

void cs_progress_close(struct cs_progress_bar *bar) {
  if (!bar->drawn) return;
  struct cs_text line = {0};
  cs_text_add(&line, "\r%*s\r", bar->columns - 1, "");
  cs_print_drawing(cs_text_string(&line));
  cs_text_free(&line);
  bar->drawn = false;
}
