/* An explanation for a terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain_private.h"
#include "words.h"

/* ---- numbers and names */

/* Blanks up to `column` of the line, at least one. */
static void pad(struct cs_text *text, size_t column) {
  const char *all = cs_text_string(text), *newline = strrchr(all, '\n');
  size_t length = 0;
  for (const char *p = newline != NULL ? newline + 1 : all; *p != '\0'; p++)
    length += ((unsigned char)*p & 0xc0) != 0x80;
  cs_text_add(text, "%*s", (int)(length < column ? column - length : 1), "");
}

void cs_explain_add_approach(const struct cs_explanation *e, const struct cs_approach *approach, struct cs_text *text) {
  cs_experiment_add_approach(&e->network, approach, false, text);
  if (approach->hold != CS_LAGRANGE) cs_text_add(text, " %s", cs_experiment_hold(approach));
}

/* ---- sections */

static void add_head(const struct cs_explanation *e, struct cs_text *text) {
  const struct cs_snapshot *s = &e->network;
  const size_t count[] = {s->parts, s->states, s->inputs, s->outputs, s->links};
  static const char *const what[] = {"subsystem", "state", "input", "output", "connection"};
  cs_text_add(text, "%s: ", e->model->name);
  for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
    cs_text_add(text, i > 0 ? ", " : "");
    cs_words_add_number(text, count[i], what[i]);
  }
  cs_text_add(text, "\n");
  struct cs_text line = {0};
  cs_explain_add_point(e, &line);
  cs_explain_take_line(text, &line);
}

/* Eigenvalues of D L, those of a pair and equal ones once. */
static void add_direct(const struct cs_explanation *e, struct cs_text *text) {
  static const char *const times[] = {"", "", " twice", " three times"};
  const size_t n = e->network.outputs;
  const double largest = hypot(e->direct->re, e->direct->im), enough = 1e-9 * largest;
  cs_text_add(text, "  DL        ");
  for (size_t i = 0; i < n; i++) {
    size_t same = 0, before = 0;
    for (size_t j = 0; j < n; j++) {
      const struct cs_complex *a = &e->direct[i], *b = &e->direct[j];
      if (!(hypot(a->re - b->re, fabs(a->im) - fabs(b->im)) <= enough)) continue;
      same += b->im >= 0.0;
      before += j < i;
    }
    if (before > 0 || !(hypot(e->direct[i].re, e->direct[i].im) > enough)) continue;
    cs_explain_add_complex(text, e->direct[i]);
    if (same > 3)
      cs_text_add(text, " %zu times", same);
    else
      cs_text_add(text, "%s", times[same]);
    cs_text_add(text, "  ");
  }
  cs_text_add(text, "   largest %.4g\n", largest);
}

/* The factors of jacobi; the others are in the JSON object. */
static void add_zeros(const struct cs_explanation *e, struct cs_text *text) {
  cs_text_add(text, "  at H = 0  solved: always stable");
  for (size_t i = 0; i < e->zeros; i++) {
    const struct cs_explain_zero *zero = &e->zero[i];
    if (zero->approach.sequence != NULL) continue;
    if (i == 0 || zero->order <= e->zero[i - 1].order)
      cs_text_add(text, "\n            explicit, %s", cs_experiment_hold(&zero->approach));
    cs_text_add(text, "  %u: %.3f%s", zero->order, zero->factor, zero->factor > 1.0 ? " !" : "");
  }
  cs_text_add(text, "\n");
}

static void add_feedthrough(const struct cs_explanation *e, struct cs_text *text) {
  size_t outputs = 0;
  for (size_t i = 0; i < e->network.outputs; i++) {
    bool depends = false;
    for (size_t j = 0; j < e->network.inputs; j++)
      depends = depends || e->network.d[i * e->network.inputs + j] != 0.0;
    outputs += depends;
  }
  cs_text_add(text, "\nfeed-through: ");
  if (outputs == 0) {
    cs_text_add(text, "none; no loop: nothing to diverge at H = 0\n");
    return;
  }
  if (e->loops == 0) {
    cs_words_add_number(text, outputs, "output");
    cs_text_add(text, " depend%s directly on inputs; no loop: nothing to diverge at H = 0\n", outputs == 1 ? "s" : "");
    return;
  }
  cs_explain_add_loops(e, text);
  cs_text_add(text, "\n");
  add_direct(e, text);
  add_zeros(e, text);
  if (e->rcond < 1e-6)
    cs_text_add(text, "  I - DL has the reciprocal condition number %.1e: the loop is nearly singular\n", e->rcond);
}

static void add_modes(const struct cs_explanation *e, struct cs_text *text) {
  cs_text_add(text, "\nmodes                  time     frequency  damping  in\n");
  for (size_t i = 0; i < e->network.states; i++) {
    const struct cs_explain_mode *mode = &e->mode[i];
    const bool neutral = cs_explain_is_neutral(e, mode), real = mode->lambda.im == 0.0;
    const double size = hypot(mode->lambda.re, mode->lambda.im);
    if (mode->lambda.im < 0.0) continue; /* the other one of a pair */
    cs_text_add(text, "  ");
    cs_explain_add_complex(text, neutral ? (struct cs_complex){0.0, 0.0} : mode->lambda);
    char value[32] = "-";
    if (!neutral && mode->lambda.re != 0.0)
      snprintf(value, sizeof value, mode->lambda.re > 0.0 ? "grows" : "%.3g s", -1.0 / mode->lambda.re);
    pad(text, 29 - strlen(value) - 2 * (strcmp(value, "-") == 0));
    cs_text_add(text, "%s", value);
    snprintf(value, sizeof value, real || neutral ? "-" : "%#.4g Hz", fabs(mode->lambda.im) / (2.0 * PI));
    pad(text, real || neutral ? 37 : 32);
    cs_text_add(text, "%s", value);
    pad(text, 43);
    cs_text_add(text, neutral ? "-" : "%.3g", mode->lambda.re == 0.0 ? 0.0 : -mode->lambda.re / size);
    pad(text, 52);
    cs_explain_add_shares(&e->network, mode->share, text);
    cs_text_add(text, "\n");
  }
}

static size_t width_of_labels(const struct cs_explanation *e) {
  size_t width = 28;
  for (size_t r = 0; r < e->rows; r++) {
    struct cs_text label = {0};
    cs_explain_add_approach(e, &e->row[r].approach, &label);
    if (label.length + 4 > width) width = label.length + 4;
    cs_text_free(&label);
  }
  return width;
}

/* A limit with its mark, in a column of `width` before it. */
static void add_limit(const struct cs_explanation *e, const struct cs_explain_limit *limit, int width,
                      struct cs_text *text) {
  struct cs_text value = {0};
  cs_explain_add_limit(e, limit, &value);
  cs_text_add(text, "%*s%c", width, cs_text_string(&value), cs_explain_is_marked(limit) ? '*' : ' ');
  text->failed |= value.failed;
  cs_text_free(&value);
}

/* Removes blanks at the end of the last line. */
static void end_line(struct cs_text *text) {
  while (text->length > 0 && text->data[text->length - 1] == ' ')
    text->data[--text->length] = '\0';
  cs_text_add(text, "\n");
}

/* The longest limit that is printed, at least 7 characters. */
static int width_of_limits(const struct cs_explanation *e) {
  size_t width = 7;
  for (size_t r = 0; r < e->rows; r++)
    for (int m = 0; m < CS_EXPLAIN_ORDERS; m++) {
      struct cs_text value = {0};
      cs_explain_add_limit(e, &e->row[r].order[m], &value);
      if (value.length + 1 > width) width = value.length + 1;
      cs_text_free(&value);
    }
  return (int)width;
}

static void add_limits(const struct cs_explanation *e, struct cs_text *text) {
  const size_t width = width_of_labels(e);
  const bool undamped = e->growth == CS_GROWTH_UNDAMPED;
  const int of = width_of_limits(e);
  bool again = false, none = false;
  cs_text_add(text, "\n");
  if (!(e->fastest > 0.0)) {
    cs_text_add(text, "the coupled model has no mode that moves: no step size is too large or too small\n");
    return;
  }
  if (e->growth == CS_GROWTH_GROWS) {
    cs_text_add(text, "the coupled model itself grows by %.3g 1/s: limits of stability say nothing; see recommend\n",
                e->grows);
    return;
  }
  if (undamped) {
    cs_text_add(text, "the coupled model is not damped: what the coupling adds to its growth at H = %.3g s (1/s)\n",
                e->small);
    pad(text, width);
    cs_text_add(text, "%11s%11s%11s%11s\n", "order 0", "1", "2", "3");
  } else {
    cs_text_add(text, "largest stable H (s)");
    pad(text, width);
    cs_text_add(text, "%*s%*s%*s%*s\n", of + 1, "order 0", of + 1, "1", of + 1, "2", of + 1, "3");
  }
  for (size_t r = 0; r < e->rows; r++) {
    cs_text_add(text, "  ");
    cs_explain_add_approach(e, &e->row[r].approach, text);
    pad(text, width);
    for (int m = 0; m < CS_EXPLAIN_ORDERS; m++) {
      const struct cs_explain_limit *limit = &e->row[r].order[m];
      add_limit(e, limit, undamped ? 10 : m == 0 ? of + 1 : of, text);
      again = again || cs_explain_is_marked(limit);
      none = none || cs_explain_first(limit) == INFINITY;
    }
    end_line(text);
  }
  if (again) cs_text_add(text, "  * stable again beyond\n");
  if (none)
    cs_text_add(text, "  - none from %.3g to %.3g s, at %zu step sizes in each decade\n", e->first, e->last,
                cs_explain_per_decade(e));
}

/* Connections by what they contribute; those of one loop alone contribute the same. */
static void add_sensitivities(const struct cs_explanation *e, const struct cs_explain_leading *l,
                              struct cs_text *text) {
  const size_t count = e->network.links;
  struct cs_explain_rank *rank = cs_explain_sort(count, l->sensitivity);
  size_t width = 0, shown = 0;
  if (rank == NULL) {
    text->failed = 1;
    return;
  }
  for (; shown < count && rank[shown].value > 0.0 && rank[shown].value >= 0.05 * rank->value; shown++) {
    struct cs_text name = {0};
    cs_explain_add_link(e, rank[shown].index, " -> ", &name);
    if (name.length > width) width = name.length;
    cs_text_free(&name);
  }
  for (size_t i = 0; i < shown; i++) {
    const bool before = i > 0 && rank[i - 1].value == rank[i].value;
    const bool after = i + 1 < shown && rank[i + 1].value == rank[i].value;
    cs_text_add(text, "  ");
    cs_explain_add_link(e, rank[i].index, " -> ", text);
    pad(text, width + 4);
    cs_text_add(text, "%6.3f%s\n", l->sensitivity[rank[i].index], before ? "   }" : after ? "   } the same loop" : "");
  }
  free(rank);
}

static void add_leading(const struct cs_explanation *e, const struct cs_explain_leading *l, struct cs_text *text) {
  struct cs_text line = {0};
  cs_text_add(text, "\n");
  cs_explain_add_leading(e, l, &line);
  cs_explain_take_line(text, &line);
  add_sensitivities(e, l, text);
}

static void add_repetitions(const struct cs_explanation *e, struct cs_text *text) {
  struct cs_grid grid = {0};
  if (e->repetitions == 0) return;
  cs_text_add(text, "\nrepetitions of a step: what each leaves of a change of outputs (contraction), %s %u\n",
              cs_experiment_hold(&e->wish->approach), e->wish->order);
  cs_explain_grid_repetitions(e, &grid);
  cs_grid_print(&grid, text);
  text->failed |= grid.failed;
  cs_grid_free(&grid);
}

static void add_merges(const struct cs_explanation *e, struct cs_text *text) {
  if (e->merges == 0) return;
  if (e->leadings == 0) {
    cs_text_add(text, "\n");
    cs_explain_add_setting(e, text);
    cs_text_add(text, "\n");
  }
  cs_text_add(text, "merged:");
  for (size_t i = 0; i < e->merges; i++) {
    const double first = cs_explain_first(&e->merge[i].limit);
    cs_text_add(text, "%s%s+%s ", i > 0 ? "   " : " ", e->network.part[e->merge[i].i].name,
                e->network.part[e->merge[i].j].name);
    cs_text_add(text, first == INFINITY ? "none" : "%.3g", first);
  }
  cs_text_add(text, "\n");
}

static void add_steps(const struct cs_explanation *e, struct cs_text *text) {
  struct cs_text line = {0};
  if (e->patterns == 0) return;
  cs_explain_add_steps(e, &line);
  cs_text_add(text, "\n");
  cs_explain_take_line(text, &line);
}

/* Units of signals, one after the other: "V, A, V"; those that are equal throughout once. */
static void add_units(const struct cs_signal *signal, size_t count, struct cs_text *text) {
  size_t shown = 1;
  for (size_t i = 1; i < count; i++)
    if (strcmp(signal[i].unit, signal[0].unit) != 0) shown = count;
  for (size_t i = 0; i < shown; i++) {
    cs_text_add(text, "%s", i > 0 ? ", " : "");
    cs_text_add_line(text, signal[i].unit[0] != '\0' ? signal[i].unit : "-");
  }
}

/* Rows are outputs, columns inputs. */
static void add_gains(const struct cs_explanation *e, struct cs_text *text) {
  enum { MOST = 7 }; /* inputs */
  const struct cs_snapshot *s = &e->network;
  struct cs_grid grid = {0};
  if (e->gains.connection == NULL || s->outputs == 0 || s->inputs == 0 || s->inputs > MOST) return;
  cs_text_add(text, "\noutput errors are bounded by these gains times the connection defects (RMS over %g s)\n",
              e->gains.T);
  cs_grid_head(&grid, CS_GRID_LEFT, "%s", "");
  for (size_t j = 0; j < s->inputs; j++)
    cs_grid_head(&grid, CS_GRID_RIGHT, "%s", e->model->input[j].name);
  cs_grid_head(&grid, CS_GRID_RIGHT, "sum");
  grid.firm = 1;
  for (size_t i = 0; i < s->outputs; i++) {
    double sum = 0.0;
    cs_grid_add(&grid, "%s", e->model->output[i].name);
    for (size_t j = 0; j < s->inputs; j++) {
      cs_grid_add(&grid, "%.4g", e->gains.connection[i * s->inputs + j]);
      sum += e->gains.connection[i * s->inputs + j];
    }
    cs_grid_add(&grid, "%.4g", sum);
  }
  cs_grid_print(&grid, text);
  cs_grid_free(&grid);
  cs_text_add(text, "  units: errors ");
  add_units(e->model->output, s->outputs, text);
  cs_text_add(text, "; defects ");
  add_units(e->model->input, s->inputs, text);
  cs_text_add(text, "\n");
  cs_text_add(text, "  with pi_defect%s a tolerance of E / sum keeps an output's error below E\n",
              cs_explain_adds_up(e) ? "" : ", which compares defects as numbers,");
}

void cs_explain_add_text(const struct cs_explanation *e, struct cs_text *text) {
  struct cs_text advice = {0};
  add_head(e, text);
  add_feedthrough(e, text);
  add_modes(e, text);
  add_limits(e, text);
  for (size_t i = 0; i < e->leadings; i++)
    add_leading(e, &e->leading[i], text);
  add_repetitions(e, text);
  add_merges(e, text);
  add_steps(e, text);
  cs_explain_add_advice(e, &advice);
  if (advice.length > 0) cs_text_add(text, "\n");
  for (const char *line = cs_text_string(&advice); *line != '\0'; line += strcspn(line, "\n") + 1)
    cs_text_add(text, "- %.*s\n", (int)strcspn(line, "\n"), line);
  text->failed |= advice.failed;
  cs_text_free(&advice);
  add_gains(e, text);
}
