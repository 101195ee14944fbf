#include "random_draw.h"

#include <criterion/criterion.h>
#include <string.h>

/* splitmix64 */
static uint64_t draw_bits(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

size_t random_draw(uint64_t *state, size_t count) {
  return (size_t)(draw_bits(state) >> 11) % count;
}

double random_uniform(uint64_t *state, double low, double high) {
  const size_t steps = (size_t)1 << 40;
  return low + (high - low) * (double)random_draw(state, steps) / (double)steps;
}

double random_sign(uint64_t *state, double low, double high) {
  return (random_draw(state, 2) ? -1 : 1) * random_uniform(state, low, high);
}

const char *random_word(uint64_t *state, const char *const *words, size_t count) {
  return words[random_draw(state, count)];
}

char *random_mix_sources(uint64_t *state, const struct cs_model *model, const char *text) {
  static const char key[] = "\"connections\":[";
  const char *at = strstr(text, key);
  struct cs_text mixed = {0};
  cr_assert(at != NULL);
  cs_text_append(&mixed, text, (size_t)(at - text) + sizeof key - 1);
  for (size_t i = 0; i < model->inputs; i++) {
    for (size_t s = 0; s < model->subsystems; s++) {
      const struct cs_subsystem *sub = &model->subsystem[s];
      const size_t output = sub->first_output + random_draw(state, sub->outputs);
      cs_text_add(&mixed, "{\"from\": \"%s\", \"to\": \"%s\", \"gain\": %g},\n", model->output[output].name,
                  model->input[i].name, ((double)random_draw(state, 61) - 30) / 100);
    }
  }
  cs_text_add(&mixed, "%s", at + sizeof key - 1);
  cr_assert(!mixed.failed);
  return mixed.data;
}

void random_add_sequence(uint64_t *state, const struct cs_model *model, struct cs_text *text) {
  size_t order[PLAIN_MAX];
  for (size_t i = 0; i < model->subsystems; i++) {
    const size_t at = random_draw(state, i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  for (size_t i = 0; i < model->subsystems; i++)
    cs_text_add(text, "%s\"%s\"", i ? ", " : ", \"sequence\": [", model->subsystem[order[i]].name);
  cs_text_add(text, "]");
}

const char *const random_solvers[RANDOM_SOLVERS] = {"exact", "euler", "heun", "rk4", "implicit_euler", "trapezoidal"};

void random_add_override(uint64_t *state, const struct cs_model *model, struct cs_text *text) {
  const char *name = model->subsystem[random_draw(state, model->subsystems)].name;
  cs_text_add(text, ", \"subsystems\": {\"%s\": {\"input_order\": %zu, \"output_order\": %zu, \"solver\": \"%s\"}}",
              name, random_draw(state, 4), random_draw(state, 4), random_word(state, random_solvers, RANDOM_SOLVERS));
}

void random_add_bonds(uint64_t *state, const struct cs_model *model, size_t bonds, struct cs_text *text) {
  cs_text_add(text, ", \"bonds\": [");
  for (size_t i = 0; i < bonds; i++) {
    cs_text_add(text, "%s{", i ? ", " : "");
    for (int side = 0; side < 2; side++) {
      const size_t input = random_draw(state, model->inputs);
      const struct cs_subsystem *sub = &model->subsystem[model->input[input].subsystem];
      const size_t output = sub->first_output + random_draw(state, sub->outputs);
      cs_text_add(text, "\"%s\": [\"%s\", \"%s\"], ", side ? "b" : "a", model->input[input].name,
                  model->output[output].name);
    }
    cs_text_add(text, "\"sign\": %d}", random_draw(state, 2) ? 1 : -1);
  }
  cs_text_add(text, "]");
}

void random_add_events(uint64_t *state, const struct cs_model *model, double t_end, struct cs_text *text) {
  const size_t events = 1 + random_draw(state, 3);
  cs_text_add(text, "\"events\": [");
  for (size_t i = 0; i < events; i++) {
    const double t = t_end * (double)(1 + random_draw(state, 9)) / 10;
    const double value = ((double)random_draw(state, 81) - 40) / 100;
    cs_text_add(text, "%s{\"name\": \"e%zu\", \"t\": %.17g, \"%s\": {\"%s\": %g}}", i ? ", " : "", i, t,
                random_draw(state, 2) ? "set" : "add", model->state[random_draw(state, model->states)].name, value);
  }
  cs_text_add(text, "],\n");
}

bool random_well_behaved(const struct cs_model *model, const struct plain_result *result) {
  static const struct {
    enum cs_over over;
    enum cs_metric error;
  } kinds[] = {{CS_OVER_OUTPUT, CS_OUTPUT_ERROR}, {CS_OVER_INPUT, CS_INPUT_ERROR}, {CS_OVER_STATE, CS_STATE_ERROR}};
  for (size_t kind = 0; kind < 3; kind++) {
    const struct plain_signals signals = plain_signals_of(model, result, kinds[kind].over);
    for (size_t i = 0; i < signals.count; i++) {
      const real rms = signals.rms[i];
      if (!(rms > 1e-2L && rms < 30 && result->metric[kinds[kind].error][i] < 0.5L * rms)) return false;
    }
  }
  return true;
}
