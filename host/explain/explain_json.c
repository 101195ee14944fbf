/* An explanation as one JSON object (docs/formats.md section 5). */
#include <math.h>
#include <string.h>

#include "explain_private.h"

static void write_complex(struct cs_writer *w, struct cs_complex value) {
  cs_writer_list(w, NULL);
  cs_writer_number(w, NULL, value.re);
  cs_writer_number(w, NULL, value.im);
  cs_writer_end(w);
}

static void write_shares(const struct cs_explanation *e, const double *share, struct cs_writer *w) {
  cs_writer_object(w, "shares");
  for (size_t i = 0; i < e->network.parts; i++)
    cs_writer_number(w, e->network.part[i].name, share[i]);
  cs_writer_end(w);
}

static void write_network(const struct cs_explanation *e, struct cs_writer *w) {
  cs_writer_object(w, "network");
  cs_writer_count(w, "subsystems", e->network.parts);
  cs_writer_count(w, "states", e->network.states);
  cs_writer_count(w, "inputs", e->network.inputs);
  cs_writer_count(w, "outputs", e->network.outputs);
  cs_writer_count(w, "connections", e->network.links);
  cs_writer_end(w);
  if (e->network.point == NULL) return;
  cs_writer_object(w, "linearised_at");
  cs_writer_string(w, "point", e->network.initial ? "initial" : "equilibrium");
  for (size_t i = 0; i < e->network.states; i++)
    cs_writer_number(w, e->model->state[i].name, e->network.point[i]);
  cs_writer_end(w);
}

static void write_direct(const struct cs_explanation *e, struct cs_writer *w) {
  const struct cs_snapshot *s = &e->network;
  cs_writer_list(w, "direct");
  for (size_t i = 0; i < s->outputs; i++)
    for (size_t j = 0; j < s->inputs; j++) {
      if (s->d[i * s->inputs + j] == 0.0) continue;
      cs_writer_list(w, NULL);
      cs_writer_string(w, NULL, e->model->output[i].name);
      cs_writer_string(w, NULL, e->model->input[j].name);
      cs_writer_end(w);
    }
  cs_writer_end(w);
}

static void write_feedthrough(const struct cs_explanation *e, struct cs_writer *w) {
  cs_writer_object(w, "feedthrough");
  write_direct(e, w);
  cs_writer_list(w, "loops");
  for (size_t k = 1; k <= e->loops; k++) {
    cs_writer_list(w, NULL);
    for (size_t i = 0; i < e->network.outputs; i++)
      if (e->loop[i] == k) cs_writer_string(w, NULL, e->model->output[i].name);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  cs_writer_list(w, "eigenvalues");
  for (size_t i = 0; i < e->network.outputs; i++)
    write_complex(w, e->direct[i]);
  cs_writer_end(w);
  cs_writer_number(w, "reciprocal_condition", e->rcond);
  cs_writer_list(w, "zero_stability");
  cs_writer_lines(w);
  for (size_t i = 0; i < e->zeros; i++) {
    cs_writer_object(w, NULL);
    cs_writer_string(w, "feedthrough", "explicit");
    cs_experiment_write_approach(w, &e->network, &e->zero[i].approach, e->zero[i].order);
    cs_writer_number(w, "factor", e->zero[i].factor);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  cs_writer_end(w);
}

static void write_modes(const struct cs_explanation *e, struct cs_writer *w) {
  cs_writer_list(w, "modes");
  cs_writer_lines(w);
  for (size_t i = 0; i < e->network.states; i++) {
    cs_writer_object(w, NULL);
    cs_writer_number(w, "re", e->mode[i].lambda.re);
    cs_writer_number(w, "im", e->mode[i].lambda.im);
    write_shares(e, e->mode[i].share, w);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

static void write_limits(const struct cs_explanation *e, struct cs_writer *w) {
  cs_writer_list(w, "limits");
  cs_writer_lines(w);
  for (size_t r = 0; r < e->rows; r++)
    for (unsigned m = 0; m < CS_EXPLAIN_ORDERS; m++) {
      const struct cs_explain_limit *limit = &e->row[r].order[m];
      if (!limit->there) continue;
      cs_writer_object(w, NULL);
      cs_experiment_write_approach(w, &e->network, &e->row[r].approach, m);
      if (!isnan(limit->excess)) {
        cs_writer_number(w, "H", e->small);
        cs_writer_number(w, "excess_growth_rate", limit->excess);
      } else {
        cs_writer_bool(w, "stable_at_first", limit->stable_at_first);
        cs_writer_list(w, "changes");
        for (size_t i = 0; i < limit->changes; i++)
          cs_writer_number(w, NULL, limit->change[i]);
        cs_writer_end(w);
      }
      cs_writer_end(w);
    }
  cs_writer_end(w);
}

static void write_leading(const struct cs_explanation *e, const struct cs_explain_leading *l, struct cs_writer *w) {
  struct cs_text setting = {0};
  cs_text_add(&setting, "%s,%s,%u", cs_experiment_master(&e->wish->approach), cs_experiment_hold(&e->wish->approach),
              e->wish->order);
  cs_writer_object(w, NULL);
  cs_writer_number(w, "H", l->H);
  cs_writer_string(w, "setting", cs_text_string(&setting));
  cs_writer_number(w, "re", l->lambda.re);
  cs_writer_number(w, "im", l->lambda.im);
  cs_writer_number(w, "growth_rate", cs_explain_growth(l));
  cs_writer_number(w, "frequency", cs_explain_frequency(l));
  cs_writer_list(w, "sensitivity");
  cs_writer_lines(w);
  for (size_t k = 0; k < e->network.links; k++) {
    cs_writer_object(w, NULL);
    cs_writer_string(w, "from", e->model->output[e->network.link[k].from].name);
    cs_writer_string(w, "to", e->model->input[e->network.link[k].to].name);
    cs_writer_number(w, "value", l->sensitivity[k]);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  write_shares(e, l->share, w);
  cs_writer_end(w);
  w->text->failed |= setting.failed;
  cs_text_free(&setting);
}

static void write_repetitions(const struct cs_explanation *e, struct cs_writer *w) {
  if (e->repetitions == 0) return;
  cs_writer_list(w, "repetitions");
  for (size_t i = 0; i < e->repetitions; i++) {
    const struct cs_explain_repetition *r = &e->repetition[i];
    cs_writer_object(w, NULL);
    cs_writer_number(w, "H", r->H);
    cs_writer_object(w, "contraction");
    cs_writer_number(w, "jacobi", r->contraction[0]);
    cs_writer_number(w, "gauss_seidel", r->contraction[1]);
    cs_writer_end(w);
    cs_writer_number(w, "relaxation", r->relaxation);
    cs_writer_number(w, "relaxed", r->relaxed);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  cs_writer_line(w);
}

static void write_merges(const struct cs_explanation *e, struct cs_writer *w) {
  cs_writer_list(w, "merged");
  for (size_t i = 0; i < e->merges; i++) {
    cs_writer_object(w, NULL);
    cs_writer_list(w, "subsystems");
    cs_writer_string(w, NULL, e->network.part[e->merge[i].i].name);
    cs_writer_string(w, NULL, e->network.part[e->merge[i].j].name);
    cs_writer_end(w);
    cs_writer_number(w, "limit", cs_explain_first(&e->merge[i].limit)); /* null: there is none */
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

static void write_advice(const struct cs_explanation *e, struct cs_writer *w) {
  struct cs_text advice = {0};
  cs_explain_add_advice(e, &advice);
  cs_writer_list(w, "advice");
  for (const char *line = cs_text_string(&advice); *line != '\0'; line += strcspn(line, "\n") + 1) {
    struct cs_text one = {0};
    cs_text_append(&one, line, strcspn(line, "\n"));
    cs_writer_string(w, NULL, cs_text_string(&one));
    w->text->failed |= one.failed;
    cs_text_free(&one);
  }
  cs_writer_end(w);
  w->text->failed |= advice.failed;
  cs_text_free(&advice);
}

static void write_steps(const struct cs_explanation *e, struct cs_writer *w) {
  if (e->patterns == 0) return;
  cs_writer_line(w);
  cs_writer_object(w, "steps");
  cs_writer_number(w, "a", e->wish->steps[0]);
  cs_writer_number(w, "b", e->wish->steps[1]);
  cs_writer_count(w, "patterns", e->patterns);
  cs_writer_string(w, "worst", e->worst.name);
  cs_writer_number(w, "spectral_radius", e->worst.radius);
  cs_writer_number(w, "growth_rate", e->worst.rate);
  cs_writer_end(w);
}

static void write_gain(const struct cs_explanation *e, const char *defect, const double *gain,
                       const struct cs_signal *source, size_t sources, struct cs_writer *w) {
  for (size_t i = 0; i < e->network.outputs; i++)
    for (size_t j = 0; j < sources; j++) {
      cs_writer_object(w, NULL);
      cs_writer_string(w, "defect", defect);
      cs_writer_string(w, "source", source[j].name);
      cs_writer_string(w, "output", e->model->output[i].name);
      cs_writer_number(w, "gain", gain[i * sources + j]);
      cs_writer_end(w);
    }
}

static void write_gains(const struct cs_explanation *e, struct cs_writer *w) {
  const struct cs_snapshot *s = &e->network;
  if (e->gains.connection == NULL) return;
  cs_writer_line(w);
  cs_writer_object(w, "gains");
  cs_writer_number(w, "t_end", e->gains.T);
  cs_writer_list(w, "gains");
  cs_writer_lines(w);
  write_gain(e, "connection", e->gains.connection, e->model->input, s->inputs, w);
  write_gain(e, "output", e->gains.output, e->model->output, s->outputs, w);
  write_gain(e, "integration", e->gains.integration, e->model->state, s->states, w);
  cs_writer_end(w);
  cs_writer_end(w);
}

void cs_explain_add_json(const struct cs_explanation *e, struct cs_text *text) {
  struct cs_writer w = {.text = text};
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "kind", "explanation");
  cs_writer_string(&w, "model", e->model->name);
  write_network(e, &w);
  cs_writer_line(&w);
  write_feedthrough(e, &w);
  cs_writer_line(&w);
  write_modes(e, &w);
  if (e->growth == CS_GROWTH_GROWS) cs_writer_number(&w, "grows", e->grows);
  cs_writer_line(&w);
  write_limits(e, &w);
  cs_writer_line(&w);
  if (e->growth == CS_GROWTH_DAMPED && e->fastest > 0.0) {
    cs_writer_object(&w, "scan");
    cs_writer_number(&w, "first", e->first);
    cs_writer_number(&w, "last", e->last);
    cs_writer_count(&w, "per_decade", cs_explain_per_decade(e));
    cs_writer_end(&w);
    cs_writer_line(&w);
  }
  cs_writer_list(&w, "leading");
  for (size_t i = 0; i < e->leadings; i++)
    write_leading(e, &e->leading[i], &w);
  cs_writer_end(&w);
  cs_writer_line(&w);
  write_repetitions(e, &w);
  write_merges(e, &w);
  write_steps(e, &w);
  write_gains(e, &w);
  cs_writer_line(&w);
  write_advice(e, &w);
  cs_writer_end(&w);
  cs_text_add(text, "\n");
}
