#include "pair_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_cases.h"
#include "random_draw.h"
#include "stiff_draw.h"

enum { EVENTFUL = 10 }; /* models in tests/data/events */

struct draw {
  uint64_t state;
  const struct pair_table *table;
  const unsigned char *row;
  double H;
  const struct cs_model *model;
};

static size_t below(struct draw *d, size_t count) {
  return random_draw(&d->state, count);
}

static const char *value_of(const struct draw *d, enum pair_kind kind, size_t number) {
  return pair_value(d->table, d->row, kind, number);
}

static struct cs_model *read_model(const struct cs_text *text) {
  struct cs_error error;
  struct cs_json *json = NULL;
  struct cs_model *model = NULL;
  cr_assert_eq(cs_json_parse("model.json", text->data, text->length, &json, &error), CS_OK, "%s\n%s", error.message,
               text->data);
  cr_assert_eq(cs_model_read(json, &model, &error), CS_OK, "%s\n%s", error.message, text->data);
  return model;
}

/* ---- models */

/* The same for a network that is drawn, kept until the next one is: the judge asks for the same again and again. */
static const struct cs_model *read_network(const struct cs_text *text) {
  static struct cs_model *model;
  static struct cs_text read;
  if (model != NULL && strcmp(read.data, text->data) == 0) return model;
  cs_model_free(model);
  cs_text_free(&read);
  cs_text_add(&read, "%s", text->data);
  return model = read_model(text);
}

static const struct random_cases *networks(void) {
  static struct random_cases cases;
  if (cases.count == 0) random_cases_load(&cases);
  return &cases;
}

static bool has(const struct draw *d, enum cs_setting setting, const char *text) {
  const char *own = value_of(d, PAIR_OWN_SETTING, setting);
  return strcmp(value_of(d, PAIR_SETTING, setting), text) == 0 || (own != NULL && strcmp(own, text) == 0);
}

static bool is_late(const struct draw *d) {
  const char *own = value_of(d, PAIR_OWN_SETTING, CS_SETTING_LATENCY);
  return strcmp(value_of(d, PAIR_SETTING, CS_SETTING_LATENCY), "0") != 0 || (own != NULL && strcmp(own, "0") != 0);
}

/* How fast the fastest mode of a stiff network may be, times H, for explicit solvers to be stable and for the reference
 * to keep its digits: hold taylor hands on derivatives, and an exact past of values grows. */
static double fastest(const struct draw *d) {
  const bool local =
      value_of(d, PAIR_METRIC, CS_LOCAL_ERROR) != NULL || value_of(d, PAIR_METRIC, CS_LOCAL_ERROR_ESTIMATE) != NULL;
  const bool past = local || strcmp(value_of(d, PAIR_SETTING, CS_SETTING_START), "\"consistent\"") == 0;
  if (has(d, CS_SETTING_SOLVER, "\"euler\"") || has(d, CS_SETTING_SOLVER, "\"heun\"") ||
      has(d, CS_SETTING_SOLVER, "\"rk4\""))
    return 2;
  if (past && strcmp(value_of(d, PAIR_SETTING, CS_SETTING_HOLD), "\"taylor\"") != 0) return 6;
  if (past && is_late(d)) return 2;
  return has(d, CS_SETTING_SOLVER, "\"dopri5\"") ? 10 : 1e4;
}

/* Of the random networks: the model's text without D. */
static void add_without_direct(const char *text, struct cs_text *model) {
  const char *at;
  for (; (at = strstr(text, ",\"D\":")) != NULL; text = strstr(at, "]]") + 2)
    cs_text_append(model, text, (size_t)(at - text));
  cs_text_add(model, "%s", text);
}

/* Before what follows a key, which the text has. */
static void insert(struct cs_text *text, const char *key, const char *more) {
  char *at = strstr(text->data, key);
  cr_assert_not_null(at, "%s", key);
  at += strlen(key);
  struct cs_text whole = {0};
  cs_text_append(&whole, text->data, (size_t)(at - text->data));
  cs_text_add(&whole, "%s%s", more, at);
  cs_text_free(text);
  *text = whole;
}

static const char *any_output(struct draw *d) {
  return d->model->output[below(d, d->model->outputs)].name;
}

static void draw_random(struct draw *d, enum pair_network kind, struct cs_text *model) {
  const struct random_cases *cases = networks();
  const size_t number = below(d, cases->count);
  struct cs_text more = {0};
  d->H *= strtod(strstr(cases->sweep[number], "\"size\":") + 7, NULL);
  if (kind == PAIR_STRICT)
    add_without_direct(cases->model[number], model);
  else
    cs_text_add(model, "%s", cases->model[number]);
  d->model = read_network(model);
  if (kind == PAIR_MIXED) {
    char *mixed = random_mix_sources(&d->state, d->model, model->data);
    cs_text_free(model);
    cs_text_add(model, "%s", mixed);
    free(mixed);
  }
  if (kind == PAIR_TIMED) random_add_events(&d->state, d->model, 19.3 * d->H, &more);
  if (kind == PAIR_TIMED) insert(model, "{", more.data);
  cs_text_free(&more);
  cs_text_add(&more, "\"flow\": \"%s\", ", any_output(d));
  insert(model, "\"monitors\":[{", more.data);
  cs_text_free(&more);
}

/* A monitor with a flow, for a model that has none. */
static void add_monitor(struct draw *d, struct cs_text *model) {
  struct cs_text more = {0};
  cs_text_add(&more, "\"monitors\": [{\"name\": \"mix\", \"flow\": \"%s\", \"constant\": %g, \"terms\": {",
              any_output(d), random_sign(&d->state, 0.1, 1));
  const struct cs_signal *x = &d->model->state[below(d, d->model->states)];
  const struct cs_signal *u = &d->model->input[below(d, d->model->inputs)];
  const struct cs_signal *signals[] = {x, u};
  for (size_t i = 0; i < 2; i++) {
    const char *dot = strrchr(signals[i]->name, '.');
    cs_text_add(&more, "%s\"%.*s.%s%s\": %g", i ? ", " : "", (int)(dot - signals[i]->name), signals[i]->name,
                i ? "u" : "x", dot, random_sign(&d->state, 0.5, 2));
  }
  cs_text_add(&more, "}}],\n");
  insert(model, "{", more.data);
  cs_text_free(&more);
}

/* Of the networks with state events: with feed-through everywhere, another one in the mode of s2, and events that look
 * at outputs in place of states, which the inputs of others receive. */
static void add_direct(struct draw *d, const char *text, struct cs_text *model) {
  static const char direct[] = "\"D\":", state[] = "\"x.";
  const char *const events = strstr(text, "\"events\":");
  struct cs_text mode = {0};
  int depth = -1; /* of brackets in D */
  for (const char *at = text; *at != 0; at++) {
    if (strncmp(at, direct, sizeof direct - 1) == 0) depth = 0;
    if (depth >= 0) depth += (*at == '[') - (*at == ']');
    if (depth == 0 && *at == ']') depth = -1;
    if (depth == 2 && strncmp(at - 1, " 0", 2) == 0 && strchr(",\n", at[1]) != NULL)
      cs_text_add(model, "%.3f", random_sign(&d->state, 0.02, 0.12));
    else if (at > events && strncmp(at, state, sizeof state - 1) == 0)
      cs_text_add(model, "\"y."), at += sizeof state - 2;
    else
      cs_text_append(model, at, 1);
  }
  cs_text_add(&mode, " \"D\": ");
  for (size_t i = 0; i < 8; i++)
    cs_text_add(&mode, "%s%.3f", i == 0 ? "[[" : i == 4 ? "], [" : ", ", random_sign(&d->state, 0.02, 0.12));
  cs_text_add(&mode, "]],");
  insert(model, "\"name\": \"stiff\",", mode.data);
  cs_text_free(&mode);
}

/* With time events that change a mode, and back. */
static void draw_eventful(struct draw *d, bool direct, struct cs_text *model) {
  struct cs_text path = {0}, more = {0};
  cs_text_add(&path, "tests/data/events/model_%02zu.json", below(d, EVENTFUL));
  char *text = harness_read(path.data);
  d->H *= random_uniform(&d->state, 0.02, 0.06);
  if (direct)
    add_direct(d, text, model);
  else
    cs_text_add(model, "%s", text);
  d->model = read_network(model);
  for (size_t i = 0; i < 2; i++)
    cs_text_add(&more, "{\"name\": \"clock%zu\", \"t\": %.17g, \"in\": {\"s2\": \"%s\"}, \"to\": {\"s2\": \"%s\"}},\n",
                i, d->H * random_uniform(&d->state, 3, 40), i ? "stiff" : "soft", i ? "soft" : "stiff");
  if (below(d, 2)) insert(model, "\"events\": [", more.data);
  add_monitor(d, model);
  cs_text_free(&path);
  cs_text_free(&more);
  free(text);
}

/* The numbers of a stiff network stand in the sweep, as parameters. */
static void draw_stiff(struct draw *d, bool loop, struct cs_text *model, struct cs_text *parameters) {
  const size_t number = loop ? 1 + below(d, 2) : 0;
  struct stiff_shape shape;
  struct stiff_network network;
  d->H *= 0.125;
  stiff_shape_open(number, &shape);
  stiff_draw(&d->state, number, pow(10, random_uniform(&d->state, 0, log10(fastest(d)))), d->H, &network);
  cs_text_add(model, "%s", shape.model.data);
  cs_text_add(parameters, "\"parameters\": {");
  for (size_t i = 0; i < shape.numbers; i++)
    cs_text_add(parameters, "%s\"%s\": %.17g", i ? ", " : "", shape.name[i], network.value[i]);
  cs_text_add(parameters, "},\n");
  d->model = read_network(model);
  add_monitor(d, model);
  stiff_shape_free(&shape);
}

/* ---- sweeps */

/* An item of a method that is drawn: "@sequence", "@output", "@bond", "@bonds". */
static void add_drawn(struct draw *d, const char *value, struct cs_text *text) {
  struct cs_text member = {0};
  if (strcmp(value, "@sequence") == 0)
    random_add_sequence(&d->state, d->model, &member);
  else if (strcmp(value, "@output") == 0)
    cs_text_add(&member, ": \"%s\"", any_output(d));
  else
    random_add_bonds(&d->state, d->model, value[5] == 's' ? 3 : 1, &member);
  cs_text_add(text, "%s", strchr(member.data, ':') + 1);
  cs_text_free(&member);
}

/* State events take their time; hold hermite with latency and explicit outputs grows from step to step, however small
 * these are. */
static double scale_of(const struct draw *d, size_t setting) {
  const bool grows = has(d, CS_SETTING_HOLD, "\"hermite\"") && is_late(d);
  if (setting != CS_SETTING_T_END) return d->H;
  return d->H * (pair_is_eventful(pair_network_of(d->table, d->row)) ? 3 : grows ? 0.4 : 1);
}

/* A control that takes what has no default is given it. */
static bool is_given(const struct draw *d, enum pair_kind kind, size_t setting) {
  const struct cs_setting_info *info = &cs_setting_table[setting];
  const size_t f = pair_find(d->table, kind, setting), control = pair_find(d->table, PAIR_SETTING, CS_SETTING_CONTROL);
  if (f == d->table->factors || d->table->factor[f].value[d->row[f]] == NULL) return false;
  if (kind == PAIR_OWN_SETTING || !info->by_control || d->row[f] > 0) return true;
  const char *word = d->table->factor[control].value[d->row[control]];
  for (size_t c = 0; c < CS_CONTROLS; c++) {
    const char *name = cs_setting_table[CS_SETTING_CONTROL].words[c];
    if (name != NULL && strncmp(word + 1, name, strlen(name)) == 0 && word[1 + strlen(name)] == '"')
      return info->with[c] != NULL;
  }
  return false;
}

/* Settings whose path is `prefix` and a name. Returns how many. */
static size_t add_settings(struct draw *d, enum pair_kind kind, const char *prefix, struct cs_text *text) {
  size_t count = 0;
  for (size_t s = 0; s < CS_SETTINGS; s++) {
    const char *path = cs_setting_table[s].path, *value = value_of(d, kind, s);
    const size_t length = strlen(prefix);
    if (!is_given(d, kind, s) || strncmp(path, prefix, length) != 0 || strchr(path + length, '.') != NULL) continue;
    char *end;
    const double number = strtod(value, &end);
    cs_text_add(text, "%s\"%s\": ", count++ ? ", " : "", path + length);
    if (strcmp(end, " H") == 0)
      cs_text_add(text, "%.17g", number * scale_of(d, s));
    else if (value[0] == '@')
      add_drawn(d, value, text);
    else
      cs_text_add(text, "%s", value);
  }
  return count;
}

/* An object after other members. */
static void add_object(struct draw *d, enum pair_kind kind, const char *open, const char *prefix, const char *close,
                       struct cs_text *text) {
  struct cs_text members = {0};
  if (add_settings(d, kind, prefix, &members) > 0) cs_text_add(text, "%s{%s}%s", open, members.data, close);
  cs_text_free(&members);
}

static void add_sweep(struct draw *d, const char *parameters, struct cs_text *text) {
  struct cs_text own = {0};
  const char *separator = ",\n\"metrics\": [";
  cs_text_add(text, "{\"format\": \"cosweep-sweep/1\", \"name\": \"pairs\", \"model\": \"model.json\",\n%s",
              parameters);
  add_settings(d, PAIR_SETTING, "", text);
  cs_text_add(text, ",\n\"method\": {");
  add_settings(d, PAIR_SETTING, "method.", text);
  add_object(d, PAIR_SETTING, ",\n\"step\": ", "method.step.", "", text);
  add_object(d, PAIR_SETTING, ",\n\"events\": ", "method.events.", "", text);
  cs_text_add(&own, ",\n\"subsystems\": {\"%s\": ", d->model->subsystem[below(d, d->model->subsystems)].name);
  add_object(d, PAIR_OWN_SETTING, own.data, "method.", "}", text);
  cs_text_free(&own);
  cs_text_add(text, "}");
  for (size_t m = 0; m < CS_METRICS; m++) {
    if (value_of(d, PAIR_METRIC, m) == NULL) continue;
    cs_text_add(text, "%s\"%s\"", separator, cs_metric_table[m].name);
    separator = ", ";
  }
  cs_text_add(text, "%s}\n", strcmp(separator, ", ") == 0 ? "]" : "");
}

/* ---- use */

void pair_draw(const struct pair_table *table, const unsigned char *row, uint64_t seed, double shrink,
               struct pair_texts *texts) {
  struct draw d = {.state = seed, .table = table, .row = row, .H = shrink};
  struct cs_text parameters = {0};
  const enum pair_network kind = pair_network_of(table, row);
  *texts = (struct pair_texts){0};
  cs_text_add(&parameters, "%s", "");
  if (pair_is_eventful(kind))
    draw_eventful(&d, kind == PAIR_EVENTFUL_DIRECT, &texts->model);
  else if (kind >= PAIR_STIFF)
    draw_stiff(&d, kind == PAIR_STIFF_LOOP, &texts->model, &parameters);
  else
    draw_random(&d, kind, &texts->model);
  add_sweep(&d, parameters.data, &texts->sweep);
  cr_assert(!texts->model.failed && !texts->sweep.failed);
  cs_text_free(&parameters);
}

void pair_texts_free(struct pair_texts *texts) {
  cs_text_free(&texts->model);
  cs_text_free(&texts->sweep);
}

struct cs_sweep *pair_load(const struct pair_texts *texts, struct cs_error *error) {
  struct cs_json *json = NULL;
  struct cs_sweep *sweep = NULL;
  struct cs_model *model = read_model(&texts->model);
  cr_assert_eq(cs_json_parse("sweep.json", texts->sweep.data, texts->sweep.length, &json, error), CS_OK, "%s\n%s",
               error->message, texts->sweep.data);
  return cs_sweep_read("sweep.json", json, model, NULL, 0, &sweep, error) == CS_OK ? sweep : NULL;
}

bool pair_is_accepted(const struct pair_table *table, const unsigned char *row) {
  struct pair_texts texts;
  struct cs_error error;
  pair_draw(table, row, 1, 1, &texts);
  struct cs_sweep *sweep = pair_load(&texts, &error);
  const bool accepted = sweep != NULL;
  cs_sweep_free(sweep);
  pair_texts_free(&texts);
  return accepted;
}
