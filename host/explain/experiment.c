#include "experiment.h"

#include <stdlib.h>
#include <string.h>

#include "setting.h"
#include "settings.h"
#include "sizing.h"
#include "sweep.h"

/* ---- settings of the command line */

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

int cs_experiment_check(const struct cs_experiment *e, const char *command, struct cs_error *error) {
  static const char *const varied[] = {"method.master",      "method.hold",         "method.order",
                                       "method.input_order", "method.output_order", "method.sequence",
                                       "method.step.size"};
  for (size_t i = 0; i < e->sets; i++) {
    const size_t length = strcspn(e->set[i], "=");
    for (size_t v = 0; v < sizeof varied / sizeof *varied; v++)
      if (strlen(varied[v]) == length && begins(e->set[i], varied[v]))
        return cs_error_set(error, CS_USAGE, "--set %s: %s varies %s itself", e->set[i], command, varied[v]);
    const bool bare = memchr(e->set[i], '.', length) == NULL; /* the name of a parameter alone */
    if (begins(e->set[i], "operating_point=")) continue;
    if (!begins(e->set[i], "parameters.") && !begins(e->set[i], "modes.") && !begins(e->set[i], "method."))
      return cs_error_set(error, CS_USAGE, "--set %s: want parameters.NAME=, modes.NAME= or method.PATH=%s%.*s%s",
                          e->set[i], bare ? "; did you mean \"parameters." : "", bare ? (int)length : 0, e->set[i],
                          bare ? "\"?" : "");
  }
  return CS_OK;
}

/* Whether no setting begins with one of `with` [count]. */
static bool are_without(const struct cs_experiment *e, const char *const *with, size_t count) {
  bool none = true;
  for (size_t i = 0; i < e->sets; i++)
    for (size_t w = 0; w < count; w++)
      none = none && (!begins(e->set[i], with[w]) || strcmp(e->set[i], "method.iterations=0") == 0);
  return none;
}

bool cs_experiment_alternates(const struct cs_experiment *e) {
  return are_without(e, (const char *const[]){"method.iterations=", "method.engine=double"}, 2);
}

bool cs_experiment_repeats(const struct cs_experiment *e) {
  return are_without(e, (const char *const[]){"method.iterations=", "method.relaxation=", "method.jacobian="}, 3);
}

bool cs_experiment_accelerates(const struct cs_experiment *e) {
  static const char *const with[] = {"method.engine=double", "method.acceleration=", "method.tolerance_iterations="};
  return cs_experiment_repeats(e) && are_without(e, with, sizeof with / sizeof *with);
}

/* The settings that a sweep of this network gets: all, or those of the method that concern subsystems it has. */
static int choose_sets(const struct cs_experiment *e, const struct cs_snapshot *s, const char ***chosen, size_t *count,
                       struct cs_error *error) {
  static const char own[] = "method.subsystems.";
  *count = 0;
  *chosen = malloc((e->sets + 1) * sizeof **chosen);
  if (*chosen == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < e->sets; i++) {
    bool wanted = s == NULL || begins(e->set[i], "method.");
    if (s != NULL && begins(e->set[i], own)) {
      const char *name = e->set[i] + strlen(own), *merged;
      const size_t length = strcspn(name, ".=");
      for (size_t p = 0; p < s->parts; p++)
        if ((merged = strchr(s->part[p].name, '+')) != NULL && strlen(merged + 1) == length &&
            strncmp(merged + 1, name, length) == 0)
          wanted = false;
    }
    if (wanted) (*chosen)[(*count)++] = e->set[i];
  }
  return CS_OK;
}

/* ---- sweeps */

const char *cs_experiment_master(const struct cs_approach *approach) {
  return cs_setting_word(CS_SETTING_MASTER, approach->master);
}

const char *cs_experiment_hold(const struct cs_approach *approach) {
  return cs_setting_word(CS_SETTING_HOLD, approach->hold);
}

/* Of merged subsystems, "a+b", the name of the first. */
static void write_sequence(struct cs_writer *w, const struct cs_snapshot *s, const struct cs_approach *approach) {
  if (approach->alternating) {
    cs_writer_string(w, "sequence", cs_setting_word(CS_SETTING_SEQUENCE, CS_SEQUENCE_ALTERNATING));
    return;
  }
  cs_writer_list(w, "sequence");
  for (size_t i = 0; i < s->parts; i++) {
    const char *name = s->part[approach->sequence[i]].name;
    cs_writer_token(w, NULL, "\"%.*s\"", (int)strcspn(name, "+"), name);
  }
  cs_writer_end(w);
}

void cs_experiment_write_approach(struct cs_writer *w, const struct cs_snapshot *s, const struct cs_approach *approach,
                                  unsigned order) {
  cs_writer_string(w, "master", cs_experiment_master(approach));
  if (approach->sequence != NULL)
    write_sequence(w, s, approach);
  else
    cs_writer_null(w, "sequence");
  cs_writer_string(w, "hold", cs_experiment_hold(approach));
  cs_writer_count(w, "order", order);
  cs_experiment_write_iterations(w, "iterations", approach->iterations);
  if (approach->iterations == CS_TOLERANCE)
    cs_writer_string(w, "acceleration", cs_experiment_acceleration(approach->iterations));
  if (approach->compensated) cs_writer_count(w, "compensation", 1);
}

void cs_experiment_begin(struct cs_writer *w, const char *study, const struct cs_approach *approach,
                         const struct cs_snapshot *s, double H) {
  cs_writer_object(w, NULL);
  cs_writer_string(w, "format", "cosweep-sweep/1");
  cs_writer_string(w, "name", "experiment");
  cs_writer_string(w, "model", "model");
  cs_writer_string(w, "study", study);
  cs_writer_object(w, "method");
  if (approach != NULL) {
    cs_writer_string(w, "master", cs_experiment_master(approach));
    cs_writer_string(w, "hold", cs_experiment_hold(approach));
    if (approach->iterations > 0) cs_experiment_write_iterations(w, "iterations", approach->iterations);
    if (approach->compensated) cs_writer_count(w, "compensation", 1);
  }
  if (approach != NULL && approach->sequence != NULL) write_sequence(w, s, approach);
  if (!(H > 0.0)) return;
  cs_writer_object(w, "step");
  cs_writer_number(w, "size", H);
  cs_writer_end(w);
}

unsigned cs_experiment_iterations(size_t i) {
  static const unsigned list[CS_EXPERIMENT_REPEATED] = {0, 1, CS_CONVERGED};
  return list[i];
}

unsigned cs_experiment_first_order(enum cs_hold hold) {
  return hold == CS_HERMITE ? 3 : hold == CS_TAYLOR;
}

void cs_experiment_write_iterations(struct cs_writer *w, const char *key, unsigned iterations) {
  if (iterations == CS_CONVERGED)
    cs_writer_string(w, key, "converged");
  else if (iterations == CS_TOLERANCE)
    cs_writer_string(w, key, "tolerance");
  else
    cs_writer_count(w, key, iterations);
}

const char *cs_experiment_acceleration(unsigned iterations) {
  return cs_setting_word(CS_SETTING_ACCELERATION, iterations == CS_TOLERANCE ? CS_QUASI_NEWTON : CS_ACCELERATION_NONE);
}

bool cs_experiment_is_direct(const struct cs_snapshot *s) {
  bool direct = false;
  for (size_t i = 0; i < s->outputs * s->inputs; i++)
    direct = direct || s->d[i] != 0.0;
  return direct;
}

void cs_experiment_axes(struct cs_writer *w) {
  cs_writer_end(w);
  cs_writer_list(w, "axes");
}

void cs_experiment_end_axes(struct cs_writer *w) {
  cs_writer_end(w);
}

void cs_experiment_sizes(struct cs_writer *w, double first, double last, size_t count) {
  cs_writer_object(w, NULL);
  cs_writer_string(w, "name", "H");
  cs_writer_string(w, "path", "method.step.size");
  cs_writer_list(w, "logspace");
  cs_writer_shortest(w, NULL, first);
  cs_writer_shortest(w, NULL, last);
  cs_writer_count(w, NULL, count);
  cs_writer_end(w);
  cs_writer_string(w, "unit", "s");
  cs_writer_end(w);
}

void cs_experiment_metrics(struct cs_writer *w, const char *const *metric, size_t count) {
  cs_writer_list(w, "metrics");
  for (size_t i = 0; i < count; i++)
    cs_writer_string(w, NULL, metric[i]);
  cs_writer_end(w);
}

static int read_model(const struct cs_experiment *e, const struct cs_snapshot *s, enum cs_snapshot_as as,
                      struct cs_model **model, struct cs_error *error) {
  struct cs_text text = {0};
  struct cs_json *json = NULL;
  const struct cs_text *from = s == NULL ? e->source : &text;
  if (s != NULL) cs_snapshot_print(s, as, &text);
  int code = from->failed ? cs_error_memory(error) : cs_json_parse(e->path, from->data, from->length, &json, error);
  if (code == CS_OK) code = cs_model_read(json, model, error);
  cs_text_free(&text);
  return code;
}

static int load(const struct cs_experiment *e, const struct cs_snapshot *s, enum cs_snapshot_as as,
                const struct cs_text *text, struct cs_sweep **sweep, struct cs_error *error) {
  const char **set = NULL;
  struct cs_json *json = NULL;
  struct cs_model *model = NULL;
  size_t sets = 0;
  *sweep = NULL;
  int code = text->failed ? cs_error_memory(error) : choose_sets(e, s, &set, &sets, error);
  if (code == CS_OK) code = cs_json_parse(e->path, text->data, text->length, &json, error);
  if (code == CS_OK && (code = read_model(e, s, as, &model, error)) != CS_OK) cs_json_free(json);
  if (code == CS_OK) code = cs_sweep_read(e->path, json, model, set, sets, sweep, error);
  free(set);
  return code;
}

int cs_experiment_run(const struct cs_experiment *e, const struct cs_snapshot *s, enum cs_snapshot_as as,
                      struct cs_text *text, struct cs_table **table, struct cs_error *error) {
  struct cs_sweep *sweep = NULL;
  *table = NULL;
  int code = load(e, s, as, text, &sweep, error);
  if (code == CS_OK) code = cs_engine_run_on(sweep, e->device, e->devices, e->options, table, NULL, error);
  cs_sweep_free(sweep);
  cs_text_free(text);
  return code;
}

/* ---- the model's numbers */

int cs_experiment_freeze(const struct cs_experiment *e, const struct cs_model *model, struct cs_snapshot *s,
                         const char **jumping, struct cs_error *error) {
  struct cs_text text = {0};
  struct cs_writer w = {.text = &text};
  struct cs_sweep *sweep = NULL;
  struct cs_settings settings = {0};
  double *parameters = calloc(model->values + 1, sizeof *parameters);
  *s = (struct cs_snapshot){0};
  cs_experiment_begin(&w, "stability", NULL, NULL, 1.0);
  cs_writer_end(&w);
  cs_writer_end(&w);
  int code = parameters != NULL ? load(e, NULL, CS_SNAPSHOT_BARE, &text, &sweep, error) : cs_error_memory(error);
  if (code == CS_OK) code = cs_sizing_check_model(sweep, error);
  if (code == CS_OK) code = cs_settings_new(sweep, &settings, error);
  if (code == CS_OK) {
    cs_settings_of(sweep, 0, &settings);
    *jumping = cs_engine_jumping(model, &settings.method);
    code = cs_model_parameters(model, settings.parameters, settings.given, parameters, error);
  }
  if (code == CS_OK) code = cs_model_operate(model, sweep->initial, parameters, error);
  if (code == CS_OK) code = cs_snapshot_open(model, settings.mode, parameters, s, error);
  if (code == CS_OK) code = cs_snapshot_add_constants(model, settings.mode, parameters, s, error);
  s->initial = code == CS_OK && sweep->initial;
  cs_settings_free(&settings);
  cs_sweep_free(sweep);
  cs_text_free(&text);
  free(parameters);
  return code;
}

void cs_experiment_add_approach(const struct cs_snapshot *s, const struct cs_approach *approach, bool whole,
                                struct cs_text *text) {
  if (approach->iterations == CS_CONVERGED) {
    cs_text_add(text, "converged");
    return;
  }
  cs_text_add(text, "%s", cs_experiment_master(approach));
  if (approach->alternating) cs_text_add(text, " %s", cs_setting_word(CS_SETTING_SEQUENCE, CS_SEQUENCE_ALTERNATING));
  const size_t shown = approach->sequence == NULL || approach->alternating ? 0 : whole && s->parts > 2 ? s->parts : 1;
  for (size_t i = 0; i < shown; i++)
    cs_text_add(text, "%s%s", i == 0 ? " " : "-", s->part[approach->sequence[i]].name);
  if (shown == 1) cs_text_add(text, " first");
  if (approach->iterations == CS_TOLERANCE)
    cs_text_add(text, " %s", cs_experiment_acceleration(approach->iterations));
  else if (approach->iterations > 0)
    cs_text_add(text, " iterations %u", approach->iterations);
  if (approach->compensated) cs_text_add(text, " compensation 1");
}

void cs_experiment_add_practice(const struct cs_snapshot *s, const struct cs_approach *approach, unsigned order,
                                struct cs_text *text) {
  static const char *const held[] = {"held constant", "extrapolated linearly", "extrapolated by parabolas",
                                     "extrapolated by cubics"};
  if (approach->sequence == NULL) cs_text_add(text, "all subsystems in parallel (Jacobi)");
  for (size_t i = 0; approach->sequence != NULL && i < s->parts; i++)
    cs_text_add(text, "%s%s", i == 0 ? "the subsystems in the order " : ", ", s->part[approach->sequence[i]].name);
  if (approach->alternating) cs_text_add(text, ", in every second step backwards");
  if (approach->sequence != NULL) cs_text_add(text, " (Gauss-Seidel)");
  if (approach->hold == CS_LAGRANGE)
    cs_text_add(text, ", inputs %s (order %u)", held[order], order);
  else
    cs_text_add(text, ", inputs with their derivatives (%s, order %u)", cs_experiment_hold(approach), order);
  if (approach->compensated) cs_text_add(text, ", given back in each step what they lacked in the one before (NEPCE)");
  if (approach->iterations == CS_CONVERGED)
    cs_text_add(text, ", each step repeated until its values agree");
  else if (approach->iterations == CS_TOLERANCE)
    cs_text_add(text,
                ", each step repeated until its outputs agree to a tolerance, accelerated by quasi-Newton (IQN-ILS)");
  else if (approach->iterations > 0)
    cs_text_add(text, ", each step computed %u times", approach->iterations + 1);
  if (cs_experiment_is_direct(s)) cs_text_add(text, ", feed-through solved");
}
