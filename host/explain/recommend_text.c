/* A recommendation for a terminal and as JSON. */
#include <math.h>

#include "explain_private.h"
#include "recommend.h"
#include "words.h"

static void add_setting(const struct cs_recommendation *r, const struct cs_candidate *c, struct cs_text *text) {
  cs_experiment_add_approach(&r->base.network, &c->approach, true, text);
  cs_text_add(text, ", %s %u", cs_experiment_hold(&c->approach), c->order);
}

/* "  1          330     330  0.000767  0.406175  4.0  gauss_seidel ..." */
static void add_candidate(const struct cs_recommendation *r, size_t i, struct cs_text *text) {
  const struct cs_candidate *c = &r->candidate[i];
  cs_text_add(text, "%3zu  ", i + 1);
  if (isnan(c->H)) {
    cs_text_add(text, "%11s  %6s  %-8s  %-8s  %-6s  ", "-", "-", "-", "-", "-");
    add_setting(r, c, text);
    cs_text_add(text, ": not reached, not even with H = %g\n", r->first);
    return;
  }
  cs_text_add(text, "%11.0f  %6.0f  %-8.3g  %-8.6g  ", c->cost[CS_COST_EVALUATIONS], c->cost[CS_COST_STAGES], c->error,
              c->H);
  if (c->limit == INFINITY)
    cs_text_add(text, "%-6s  ", "always");
  else if (isnan(c->limit))
    cs_text_add(text, "%-6s  ", "-");
  else
    cs_text_add(text, c->limit / c->H < 99.5 ? "%-6.2g  " : "%-6.0f  ", c->limit / c->H);
  add_setting(r, c, text);
  cs_text_add(text, "\n");
}

/* What the settings of the command line cost all combinations. */
static void add_advice(const struct cs_recommendation *r, struct cs_text *text) {
  if (r->base.jumping != NULL) cs_text_add(text, "With these settings %s.", r->base.jumping);
}

/* The best setting, as other tools name it, and advice. */
static void add_practice(const struct cs_recommendation *r, struct cs_text *text) {
  const struct cs_candidate *best = r->candidate;
  struct cs_text line = {0};
  cs_text_add(&line, "In other tools: a communication step %s %#.3g s, ", r->simulated ? "of" : "below",
              cs_explain_below(best->H));
  cs_experiment_add_practice(&r->base.network, &best->approach, best->order, &line);
  cs_text_add(&line, ".");
  cs_explain_take_line(text, &line);
  add_advice(r, &line);
  cs_explain_take_line(text, &line);
}

/* "  1         10000   10000  0.0002    gauss_seidel ..." */
static void add_limit(const struct cs_recommendation *r, size_t i, struct cs_text *text) {
  const struct cs_candidate *c = &r->candidate[i];
  cs_text_add(text, "%3zu  ", i + 1);
  if (isnan(c->H))
    cs_text_add(text, "%13s  %8s  %-9s  ", "-", "-", "-");
  else
    cs_text_add(text, "%13.4g  %8.4g  %-9.4g  ", c->cost[CS_COST_EVALUATIONS], c->cost[CS_COST_STAGES], c->H);
  add_setting(r, c, text);
  cs_text_add(text,
              isnan(c->H)            ? ": not stable, not even with H = %.3g\n"
              : c->limit == INFINITY ? ": stable up to the longest step looked at\n"
                                     : "\n",
              r->first);
}

static void add_limits(const struct cs_recommendation *r, struct cs_text *text) {
  struct cs_text line = {0};
  cs_text_add(text, "%s, largest stable steps; nonlinear models are not simulated, so errors are unknown\n",
              r->model->name);
  cs_explain_add_point(&r->base, &line);
  cs_explain_take_line(text, &line);
  add_practice(r, text);
  cs_text_add(text, "\n  #  evaluations/s  stages/s  H (s)      setting\n");
  for (size_t i = 0; i < r->candidates; i++)
    add_limit(r, i, text);
  cs_text_add(text,
              "  H: largest stable step; evaluations/s: steps of all subsystems for a second of the run with it;\n"
              "  stages/s: those that follow each other\n");
}

void cs_recommend_add_text(const struct cs_recommendation *r, struct cs_text *text) {
  struct cs_text left = {0}, counted = {0};
  if (!r->simulated) {
    add_limits(r, text);
    return;
  }
  for (size_t i = 0; i < r->base.network.outputs; i++)
    cs_text_add_name(r->counts[i] ? &counted : &left, r->model->output[i].name);
  cs_text_add(text, "%s, t_end %g s, error of %s at most %g of its RMS\n", r->model->name, r->t_end,
              r->wish->signals > 0 ? cs_text_string(&counted)
              : left.length == 0   ? "every output"
                                   : "every output that moves",
              r->wish->error);
  if (left.length > 0 && r->wish->signals == 0) cs_text_add(text, "  left out: %s\n", left.data);
  add_practice(r, text);
  cs_text_add(text, "\n  #  evaluations  stages  error     H         safety  setting\n");
  for (size_t i = 0; i < r->candidates; i++)
    add_candidate(r, i, text);
  cs_text_add(text,
              "  evaluations: steps of all subsystems; stages: those that follow each other; error: largest of an\n"
              "  output, relative to its RMS; safety: largest stable H over H\n");
  text->failed |= left.failed | counted.failed;
  cs_text_free(&left);
  cs_text_free(&counted);
}

static void write_candidate(const struct cs_recommendation *r, const struct cs_candidate *c, struct cs_writer *w) {
  cs_writer_object(w, NULL);
  cs_experiment_write_approach(w, &r->base.network, &c->approach, c->order);
  cs_writer_number(w, "H", c->H);
  cs_writer_number(w, "error", c->error);
  for (int i = 0; i < CS_COSTS; i++)
    cs_writer_number(w, cs_recommend_cost_name(i), isnan(c->H) ? NAN : c->cost[i]);
  cs_writer_number(w, "spectral_radius", c->radius);
  cs_writer_number(w, "limit", c->limit);
  cs_writer_number(w, "lowest_error", c->lowest);
  cs_writer_end(w);
}

void cs_recommend_add_json(const struct cs_recommendation *r, const char *sweep, struct cs_text *text) {
  struct cs_writer w = {.text = text};
  struct cs_text advice = {0};
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "kind", "recommendation");
  cs_writer_string(&w, "model", r->model->name);
  if (!r->simulated) cs_writer_string(&w, "linearised", cs_model_linearised(r->base.network.initial));
  cs_writer_number(&w, "error", r->simulated ? r->wish->error : NAN);
  cs_writer_number(&w, "t_end", r->t_end);
  cs_writer_list(&w, "H");
  cs_writer_number(&w, NULL, r->first);
  cs_writer_number(&w, NULL, r->last);
  cs_writer_end(&w);
  cs_writer_object(&w, "output_exact");
  for (size_t i = 0; i < r->base.network.outputs; i++)
    if (r->counts[i]) cs_writer_number(&w, r->model->output[i].name, r->exact[i]);
  cs_writer_end(&w);
  cs_writer_list(&w, "left_out");
  for (size_t i = 0; i < r->base.network.outputs; i++)
    if (!r->counts[i]) cs_writer_string(&w, NULL, r->model->output[i].name);
  cs_writer_end(&w);
  cs_writer_line(&w);
  cs_writer_list(&w, "combinations");
  cs_writer_lines(&w);
  for (size_t i = 0; i < r->candidates; i++)
    write_candidate(r, &r->candidate[i], &w);
  cs_writer_end(&w);
  cs_writer_line(&w);
  cs_writer_list(&w, "advice");
  add_advice(r, &advice);
  if (advice.length > 0) cs_writer_string(&w, NULL, cs_text_string(&advice));
  cs_writer_end(&w);
  if (sweep != NULL)
    cs_writer_string(&w, "sweep", sweep);
  else
    cs_writer_null(&w, "sweep");
  cs_writer_end(&w);
  cs_text_add(text, "\n");
  text->failed |= advice.failed;
  cs_text_free(&advice);
}
