/* An explanation as a page: tables, limits as bars, eigenvalues in the complex plane. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "explain_private.h"
#include "report.h"

/* ---- tables */

static void take(struct cs_grid *grid, void (*add)(struct cs_text *, struct cs_complex), struct cs_complex value) {
  struct cs_text text = {0};
  add(&text, value);
  cs_grid_take(grid, &text);
}

static void add_modes(const struct cs_explanation *e, struct cs_document *d) {
  struct cs_grid grid = {0};
  cs_document_section(d, "modes", "Modes", "Modes of the coupled model");
  cs_grid_head(&grid, CS_GRID_LEFT, "\316\273 (1/s)");
  cs_grid_head(&grid, CS_GRID_RIGHT, "time constant (s)");
  cs_grid_head(&grid, CS_GRID_RIGHT, "frequency (Hz)");
  cs_grid_head(&grid, CS_GRID_RIGHT, "damping");
  cs_grid_head(&grid, CS_GRID_LEFT, "in");
  for (size_t i = 0; i < e->network.states; i++) {
    const struct cs_complex l = e->mode[i].lambda;
    const bool neutral = cs_explain_is_neutral(e, &e->mode[i]);
    struct cs_text shares = {0};
    if (l.im < 0.0) continue;
    take(&grid, cs_explain_add_complex, neutral ? (struct cs_complex){0.0, 0.0} : l);
    cs_grid_add(&grid, neutral || l.re >= 0.0 ? "-" : "%.3g", -1.0 / l.re);
    cs_grid_add(&grid, neutral || l.im == 0.0 ? "-" : "%.4g", l.im / (2.0 * PI));
    cs_grid_add(&grid, neutral ? "-" : "%.3g", -l.re / hypot(l.re, l.im));
    cs_explain_add_shares(&e->network, e->mode[i].share, &shares);
    cs_grid_take(&grid, &shares);
  }
  cs_document_table(d, &grid, NULL);
}

static void add_feedthrough(const struct cs_explanation *e, struct cs_document *d) {
  struct cs_text loops = {0};
  struct cs_grid grid = {0};
  cs_document_section(d, "loops", "Feed-through", "Feed-through");
  if (e->loops == 0) {
    cs_document_words(d, CS_TONE_PLAIN, 0, "No loop: nothing to diverge at H = 0.");
    return;
  }
  cs_explain_add_loops(e, &loops);
  cs_document_words(d, CS_TONE_PLAIN, 0, "%s; largest eigenvalue of D L: %.4g.", cs_text_string(&loops),
                    hypot(e->direct->re, e->direct->im));
  cs_document_free_text(d, &loops);
  cs_document_words(d, CS_TONE_DIM, 0,
                    "Factor by which differences of exchanged values go on at H = 0 with explicit outputs. Above 1 the "
                    "coupling diverges however small H is; with solved outputs it never does.");
  cs_grid_head(&grid, CS_GRID_LEFT, "master");
  for (int m = 0; m < CS_EXPLAIN_ORDERS; m++)
    cs_grid_head(&grid, CS_GRID_RIGHT, "order %d", m);
  for (size_t i = 0; i < e->zeros; i++) {
    struct cs_text name = {0};
    const bool first = i == 0 || e->zero[i].order <= e->zero[i - 1].order;
    cs_explain_add_approach(e, &e->zero[i].approach, &name);
    if (first) cs_grid_take(&grid, &name);
    for (unsigned m = 0; first && m < e->zero[i].order; m++)
      cs_grid_add(&grid, "%s", "");
    cs_text_free(&name);
    cs_grid_add(&grid, "%.3f", e->zero[i].factor);
    grid.cell[grid.cells - 1].marked = e->zero[i].factor > 1.0;
  }
  cs_document_table(d, &grid, NULL);
}

static void add_limits(const struct cs_explanation *e, struct cs_document *d) {
  struct cs_grid grid = {0};
  cs_document_section(d, "limits", "Limits", "Largest stable macro step");
  if (!(e->fastest > 0.0) || e->growth == CS_GROWTH_GROWS) {
    cs_document_words(d, CS_TONE_NOTE, 0,
                      e->fastest > 0.0 ? "The coupled model itself grows by %.3g 1/s: limits of stability say nothing."
                                       : "The coupled model has no mode that moves: no step is too large.",
                      e->grows);
    return;
  }
  if (e->growth == CS_GROWTH_UNDAMPED)
    cs_document_words(d, CS_TONE_PLAIN, 0,
                      "The coupled model is not damped: what the coupling adds to its growth at H = %.3g s (1/s).",
                      e->small);
  else
    cs_document_words(
        d, CS_TONE_DIM, 0,
        "First change from stable to unstable (s) from %.3g to %.3g s, at %zu step sizes in each decade; - "
        "none; * stable again beyond.",
        e->first, e->last, cs_explain_per_decade(e));
  cs_grid_head(&grid, CS_GRID_LEFT, "master");
  for (int m = 0; m < CS_EXPLAIN_ORDERS; m++)
    cs_grid_head(&grid, CS_GRID_RIGHT, "order %d", m);
  for (size_t r = 0; r < e->rows; r++) {
    struct cs_text name = {0};
    cs_explain_add_approach(e, &e->row[r].approach, &name);
    cs_grid_take(&grid, &name);
    for (int m = 0; m < CS_EXPLAIN_ORDERS; m++) {
      struct cs_text limit = {0};
      cs_explain_add_limit(e, &e->row[r].order[m], &limit);
      if (cs_explain_is_marked(&e->row[r].order[m])) cs_text_add(&limit, "*");
      if (limit.length == 0) cs_text_add(&limit, " ");
      cs_grid_take(&grid, &limit);
    }
  }
  cs_document_table(d, &grid, NULL);
}

static void add_leading(const struct cs_explanation *e, const struct cs_explain_leading *l, struct cs_document *d) {
  struct cs_text words = {0};
  struct cs_grid grid = {0};
  struct cs_explain_rank *rank = cs_explain_sort(e->network.links, l->sensitivity);
  if (rank == NULL) {
    d->failed = 1;
    return;
  }
  cs_document_part(d, "The mode that becomes unstable first, at H = %.6g s", l->H);
  cs_explain_add_leading(e, l, &words);
  cs_document_words(d, CS_TONE_PLAIN, 0, "%s", cs_text_string(&words));
  cs_document_free_text(d, &words);
  cs_grid_head(&grid, CS_GRID_LEFT, "connection");
  cs_grid_head(&grid, CS_GRID_RIGHT, "\342\210\202 ln|\316\273| / \342\210\202 ln gain");
  for (size_t i = 0; i < e->network.links; i++) {
    struct cs_text name = {0};
    cs_explain_add_link(e, rank[i].index, " \342\206\222 ", &name);
    cs_grid_take(&grid, &name);
    cs_grid_add(&grid, "%.4f", l->sensitivity[rank[i].index]);
  }
  free(rank);
  cs_document_table(d, &grid, NULL);
}

static void add_repetitions(const struct cs_explanation *e, struct cs_document *d) {
  struct cs_grid grid = {0};
  if (e->repetitions == 0) return;
  cs_document_section(d, "repetitions", "Repetitions", "Repetitions of a step");
  cs_document_words(d, CS_TONE_DIM, 0,
                    "What each leaves of a change of outputs, the contraction, with %s %u; below 1 they converge. The "
                    "best relaxation is that of jacobi.",
                    cs_experiment_hold(&e->wish->approach), e->wish->order);
  cs_explain_grid_repetitions(e, &grid);
  cs_document_table(d, &grid, NULL);
}

static void add_merges(const struct cs_explanation *e, struct cs_document *d) {
  struct cs_text setting = {0};
  struct cs_grid grid = {0};
  if (e->merges == 0) return;
  cs_document_section(d, "merged", "Merges", "First limit with two subsystems merged");
  cs_grid_head(&grid, CS_GRID_LEFT, "merged");
  cs_explain_add_setting(e, &setting);
  cs_grid_head(&grid, CS_GRID_RIGHT, "%s (s)", cs_text_string(&setting));
  cs_document_free_text(d, &setting);
  for (size_t i = 0; i < e->merges; i++) {
    struct cs_text limit = {0};
    cs_grid_add(&grid, "%s + %s", e->network.part[e->merge[i].i].name, e->network.part[e->merge[i].j].name);
    cs_explain_add_limit(e, &e->merge[i].limit, &limit);
    cs_grid_take(&grid, &limit);
  }
  cs_document_table(d, &grid, NULL);
}

static void add_steps(const struct cs_explanation *e, struct cs_document *d) {
  struct cs_text line = {0};
  if (e->patterns == 0) return;
  cs_explain_add_steps(e, &line);
  cs_document_section(d, "steps", "Steps", "Patterns of two step sizes");
  cs_document_words(d, CS_TONE_PLAIN, 0, "%s", cs_text_string(&line));
  cs_document_free_text(d, &line);
}

static void add_gains(const struct cs_explanation *e, struct cs_document *d) {
  enum { MOST = 12 }; /* inputs */
  const struct cs_snapshot *s = &e->network;
  struct cs_grid grid = {0};
  if (e->gains.connection == NULL || s->outputs == 0 || s->inputs == 0 || s->inputs > MOST) return;
  cs_document_section(d, "gains", "Gains", "From connection defects to output errors");
  cs_document_words(d, CS_TONE_DIM, 0,
                    "An output error is at most the sum of these gains times the connection defects, RMS over %g s. "
                    "A gain has the unit of its output over that of its input.",
                    e->gains.T);
  cs_grid_head(&grid, CS_GRID_LEFT, "output");
  for (size_t j = 0; j < s->inputs; j++)
    cs_explain_head_signal(&grid, &e->model->input[j]);
  for (size_t i = 0; i < s->outputs; i++) {
    cs_explain_take_signal(&grid, &e->model->output[i]);
    for (size_t j = 0; j < s->inputs; j++)
      cs_grid_add(&grid, "%.4g", e->gains.connection[i * s->inputs + j]);
  }
  cs_document_table(d, &grid, NULL);
}

static void add_point(const struct cs_explanation *e, struct cs_document *d) {
  struct cs_text line = {0};
  cs_explain_add_point(e, &line);
  if (line.length > 0) {
    cs_document_section(d, "point", "Operating point", "Operating point");
    cs_document_words(d, CS_TONE_NOTE, 0, "%s", cs_text_string(&line));
  }
  cs_document_free_text(d, &line);
}

static void add_advice(const struct cs_explanation *e, struct cs_document *d) {
  struct cs_text advice = {0};
  cs_explain_add_advice(e, &advice);
  if (advice.length > 0) cs_document_section(d, "advice", "Advice", "What follows");
  for (const char *line = cs_text_string(&advice); *line != '\0'; line += strcspn(line, "\n") + 1)
    cs_document_words(d, CS_TONE_PLAIN, 0, "%.*s", (int)strcspn(line, "\n"), line);
  cs_document_free_text(d, &advice);
}

/* ---- figures */

enum { LABELS = 230, LEFT = 250, WIDTH = 620, BAR = 13, GAP = 5, TOP = 12 };

/* Place of H on the logarithmic axis. */
static double place(const struct cs_explanation *e, double H) {
  const double at = log(H / e->first) / log(e->last / e->first);
  return LEFT + (WIDTH - LEFT - 10) * fmin(fmax(at, 0.0), 1.0);
}

static void add_bar(double from, double to, double y, bool stable, struct cs_text *svg) {
  cs_text_add(svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", from, y, to - from, BAR,
              stable ? "#0072b2" : "#b8bec6");
}

/* A bar of one order: its stable parts blue, the others grey. */
static void add_row(const struct cs_explanation *e, const struct cs_explain_limit *limit, double y,
                    struct cs_text *svg) {
  bool stable = limit->stable_at_first;
  double from = e->first;
  for (size_t i = 0; i <= limit->changes; i++) {
    const double to = i < limit->changes ? limit->change[i] : e->last;
    add_bar(place(e, from), place(e, to), y, stable, svg);
    from = to;
    stable = !stable;
  }
}

static void add_axis(const struct cs_explanation *e, double y, struct cs_text *svg) {
  for (int p = (int)ceil(log10(e->first)); p <= (int)floor(log10(e->last)); p++) {
    const double x = place(e, pow(10.0, p));
    cs_text_add(svg,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\" stroke=\"#888\" stroke-width=\"0.6\"/>\n"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n",
                x, x, TOP, y + 4.0, x, y + 17.0, pow(10.0, p));
  }
  cs_text_add(svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">H (s)</text>\n", 0.5 * (LEFT + WIDTH), y + 33.0);
}

void cs_explain_begin_picture(double width, double height, struct cs_text *svg) {
  cs_text_add(svg,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
              "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#1b1f24\">\n",
              width, height, width, height);
}

static void draw_limits(const struct cs_explanation *e, struct cs_text *svg) {
  double y = TOP;
  size_t bars = 0;
  for (size_t r = 0; r < e->rows; r++)
    for (int m = 0; m < CS_EXPLAIN_ORDERS; m++)
      bars += e->row[r].order[m].there;
  const double height = TOP + (double)bars * (BAR + 2) + (double)e->rows * GAP + 42.0;
  cs_explain_begin_picture(WIDTH, height, svg);
  for (size_t r = 0; r < e->rows; r++) {
    cs_text_add(svg, "<text x=\"4\" y=\"%.1f\">", y + BAR - 2.0);
    cs_explain_add_approach(e, &e->row[r].approach, svg);
    cs_text_add(svg, "</text>\n");
    for (int m = 0; m < CS_EXPLAIN_ORDERS; m++) {
      if (!e->row[r].order[m].there) continue;
      cs_text_add(svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">order %d</text>\n", LABELS + 12, y + BAR - 2.0,
                  m);
      add_row(e, &e->row[r].order[m], y, svg);
      y += BAR + 2;
    }
    y += GAP;
  }
  add_axis(e, y, svg);
  cs_text_add(svg, "</svg>\n");
}

/* All eigenvalues of a step, the unit circle, and the pair that becomes unstable first filled. */
static void draw_eigenvalues(const struct cs_explain_leading *l, struct cs_text *svg) {
  enum { SIZE = 360, RADIUS = 140 };
  double most = 1.0;
  for (size_t i = 0; i < l->eigenvalues; i++)
    most = fmax(most, hypot(l->all[i].re, l->all[i].im));
  const double scale = RADIUS / most, middle = SIZE / 2.0;
  cs_explain_begin_picture(SIZE, SIZE, svg);
  cs_text_add(svg,
              "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"none\" stroke=\"#888\"/>\n"
              "<line x1=\"10\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#888\" stroke-width=\"0.6\"/>\n"
              "<line y1=\"10\" y2=\"%d\" x1=\"%.1f\" x2=\"%.1f\" stroke=\"#888\" stroke-width=\"0.6\"/>\n"
              "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">Re \316\273</text>\n"
              "<text x=\"%.1f\" y=\"20\">Im \316\273</text>\n",
              middle, middle, scale, SIZE - 10, middle, middle, SIZE - 10, middle, middle, SIZE - 12, middle - 6.0,
              middle + 6.0);
  for (size_t i = 0; i < l->eigenvalues; i++) {
    if (isnan(l->all[i].re)) continue;
    const bool first = l->all[i].re == l->lambda.re && fabs(l->all[i].im) == l->lambda.im;
    cs_text_add(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"%s\" stroke=\"%s\" stroke-width=\"1.5\"/>\n",
                middle + scale * l->all[i].re, middle - scale * l->all[i].im, first ? "#d55e00" : "none",
                first ? "#d55e00" : "#0072b2");
  }
  cs_text_add(svg, "</svg>\n");
}

static int add_figure(struct cs_report_figures *figures, struct cs_text *svg, const char *caption,
                      struct cs_error *error) {
  struct cs_report_figure *to = &figures->figure[figures->count++];
  *to = (struct cs_report_figure){cs_text_copy(caption), svg->data};
  return to->caption != NULL && !svg->failed ? CS_OK : cs_error_memory(error);
}

static int draw(const struct cs_explanation *e, struct cs_report_figures *figures, struct cs_error *error) {
  int code = CS_OK;
  figures->figure = calloc(2 + e->leadings, sizeof *figures->figure);
  if (figures->figure == NULL) return cs_error_memory(error);
  struct cs_text network = {0};
  if (cs_explain_draw_network(e, &network))
    code = add_figure(figures, &network,
                      e->leadings > 0 ? "The network; red: the connections on which the mode that becomes unstable "
                                        "first depends most"
                                      : "The network",
                      error);
  if (code == CS_OK && e->growth == CS_GROWTH_DAMPED && e->fastest > 0.0) {
    struct cs_text svg = {0};
    draw_limits(e, &svg);
    code = add_figure(figures, &svg, "Stability over the macro step size: blue where stable, grey where not", error);
  }
  for (size_t i = 0; i < e->leadings && code == CS_OK; i++) {
    struct cs_text svg = {0};
    char caption[120];
    snprintf(caption, sizeof caption,
             "Eigenvalues of a macro step of %.6g s; filled: the mode that becomes unstable first", e->leading[i].H);
    draw_eigenvalues(&e->leading[i], &svg);
    code = add_figure(figures, &svg, caption, error);
  }
  return code;
}

int cs_explain_add_page(const struct cs_explanation *e, struct cs_text *page, struct cs_error *error) {
  struct cs_document d = {.medium = CS_PAGE};
  struct cs_report_figures figures = {0};
  add_point(e, &d);
  add_advice(e, &d);
  cs_document_figures(&d);
  add_limits(e, &d);
  for (size_t i = 0; i < e->leadings; i++)
    add_leading(e, &e->leading[i], &d);
  add_repetitions(e, &d);
  add_merges(e, &d);
  add_steps(e, &d);
  add_gains(e, &d);
  add_modes(e, &d);
  add_feedthrough(e, &d);
  int code = draw(e, &figures, error);
  if (code == CS_OK && d.failed) code = cs_error_memory(error);
  if (code == CS_OK) code = cs_report_write_document(e->model->name, e->model->description, &d, &figures, page, error);
  cs_report_free_figures(&figures);
  cs_document_free(&d);
  return code;
}
