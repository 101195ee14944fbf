/* cosweep check: what a model or sweep file contains and what running it would take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "complaint.h"
#include "configurations.h"
#include "links.h"
#include "machine.h"
#include "numbers.h"
#include "print.h"

/* ---- models */

static void add_further(struct cs_text *text, size_t count, const char *one) {
  cs_text_add(text, ", ");
  cs_words_add_number(text, count, one);
}

static void add_sizes(struct cs_text *text, const struct cs_model *model) {
  cs_words_add_number(text, model->subsystems, "subsystem");
  if (model->lines > 0) cs_text_add(text, ", %zu of them lines", model->lines);
  add_further(text, model->states, "state");
  add_further(text, model->inputs, "input");
  add_further(text, model->outputs, "output");
}

/* State events, private ones of one subsystem and those that several share, and time events. */
static void add_events(struct cs_text *text, const struct cs_model *model) {
  size_t shared = 0;
  for (size_t e = 0; e < model->events; e++) {
    const struct cs_event *event = &model->event[e];
    const struct cs_condition *first = model->condition + event->first_condition;
    shared += event->conditions > 0 && first[event->conditions - 1].subsystem != first->subsystem;
  }
  cs_words_add_number(text, model->state_events, "state event");
  cs_text_add(text, " (%zu private, %zu shared)", model->state_events - shared, shared);
  if (model->events > model->state_events) add_further(text, model->events - model->state_events, "time event");
}

/* The modes of every subsystem that has some, and how many configurations events lead to. */
static int add_modes(struct cs_text *text, const struct cs_model *model, struct cs_error *error) {
  struct cs_configurations all;
  const int code = cs_configurations_find(model, NULL, 0, &all, error);
  const char *before = "modes: ";
  for (size_t i = 0; i < model->subsystems; i++) {
    const struct cs_subsystem *s = &model->subsystem[i];
    for (size_t m = 0; m < s->modes; m++)
      cs_text_add(text, "%s%s%s%s", m == 0 ? before : "/", m == 0 ? s->name : "", m == 0 ? " " : "",
                  model->mode[s->first_mode + m].name);
    if (s->modes > 0) before = ", ";
  }
  if (code != CS_OK) return code;
  cs_text_add(text, "; ");
  cs_words_add_number(text, all.count, "configuration");
  cs_configurations_free(&all);
  return CS_OK;
}

/* Connections with gain 1 between signals whose units differ: a gain may convert them, but 1 does not. */
static int add_units(struct cs_text *text, const struct cs_model *model, struct cs_error *error) {
  double *parameters = calloc(model->parameters + 1, sizeof *parameters);
  unsigned char *given = calloc(model->parameters + 1, sizeof *given);
  struct cs_link *link = calloc(cs_links_room(model) + 1, sizeof *link);
  size_t links = 0;
  int code = parameters != NULL && given != NULL && link != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = cs_model_parameters(model, parameters, given, parameters, error);
  if (code == CS_OK) code = cs_links_read(model, parameters, link, &links, error);
  for (size_t i = 0; i < links && code == CS_OK; i++) {
    const struct cs_signal *from = &model->output[link[i].from], *to = &model->input[link[i].to];
    if (link[i].gain != 1.0 || from->unit[0] == '\0' || to->unit[0] == '\0' || strcmp(from->unit, to->unit) == 0)
      continue;
    cs_text_add(text, "    units differ: %s (", from->name);
    cs_text_add_line(text, from->unit);
    cs_text_add(text, ") -> %s (", to->name);
    cs_text_add_line(text, to->unit);
    cs_text_add(text, ") with gain 1\n");
  }
  free(parameters);
  free(given);
  free(link);
  return code;
}

/* What an event that changes nothing does all the same: `begins` begins the line. */
static void add_idle_event(struct cs_text *text, const char *begins, const struct cs_event *event) {
  cs_text_add(text, "%sevent %s changes nothing%s\n", begins, event->name,
              event->timed ? " but ends steps and begins polynomials anew"
                           : ": where its conditions hold they go on to hold, which ends the run with status 5");
}

static int add_idle_events(struct cs_text *text, const struct cs_model *model, struct cs_error *error) {
  unsigned char *given = calloc(model->parameters + 1, sizeof *given);
  struct cs_numbers *numbers = NULL;
  int code = given == NULL ? cs_error_memory(error) : cs_numbers_new(model, &numbers, error);
  if (code == CS_OK) code = cs_numbers_find(numbers, numbers->parameters, given, NULL, error);
  for (size_t e = 0; e < model->events && code == CS_OK; e++)
    if (!cs_numbers_act(numbers, e)) add_idle_event(text, "    ", &model->event[e]);
  cs_numbers_free(numbers);
  free(given);
  return code;
}

/* Where a nonlinear model rests with the parameters of the file, or why it does not. */
static int add_operating_point(const struct cs_model *model, struct cs_text *text, struct cs_error *error) {
  double *values = calloc(model->values + 1, sizeof *values);
  struct cs_error reason;
  int code = values == NULL ? cs_error_memory(error) : cs_model_parameters(model, NULL, NULL, values, error);
  const bool found = code == CS_OK && cs_model_operate(model, false, values, &reason) == CS_OK;
  if (code == CS_OK && !found) cs_text_add(text, "  nonlinear: %s", reason.message);
  if (found) cs_text_add(text, "  nonlinear, in equilibrium at ");
  for (size_t i = 0; found && i < model->states; i++)
    cs_text_add(text, "%s%s = %.6g", i > 0 ? ", " : "", model->state[i].name, values[model->parameters + i]);
  cs_text_add(text, "\n");
  free(values);
  return code;
}

void cs_command_add_next(const char *path, struct cs_text *text) {
  cs_text_add(text, "  cosweep explain %s: modes, feed-through, largest stable steps\n", path);
}

int cs_command_add_model(const char *path, const struct cs_model *model, struct cs_text *text, struct cs_error *error) {
  int code = CS_OK;
  cs_text_add(text, "%s: model %s\n", path, model->name);
  cs_words_add_paragraph(text, 2, model->description);
  cs_text_add(text, "  ");
  add_sizes(text, model);
  add_further(text, model->parameters, "parameter");
  add_further(text, model->monitors, "monitor");
  if (model->events > 0 && model->state_events == 0) add_further(text, model->events, "event");
  cs_text_add(text, "\n");
  if (model->state_events + model->modes > 0) {
    cs_text_add(text, "  ");
    if (model->state_events > 0) add_events(text, model);
    if (model->state_events > 0 && model->modes > 0) cs_text_add(text, "; ");
    if (model->modes > 0) code = add_modes(text, model, error);
    cs_text_add(text, "\n");
  }
  if (model->equations > 0 && code == CS_OK) code = add_operating_point(model, text, error);
  for (size_t i = 0; i < model->subsystems; i++) {
    const struct cs_subsystem *s = &model->subsystem[i];
    cs_text_add(text, "    %s: %s", s->name, s->nonlinear ? "nonlinear, " : "");
    cs_words_add_number(text, s->states, "state");
    add_further(text, s->inputs, "input");
    add_further(text, s->outputs, "output");
    cs_text_add(text, "\n");
  }
  if (code == CS_OK) code = add_units(text, model, error);
  if (code == CS_OK && model->events > 0) code = add_idle_events(text, model, error);
  return code;
}

/* A block of a stacked matrix, "      A = [[0, 1], [-2, 0]]"; nothing where it is empty, or zero throughout. */
static void add_block(struct cs_text *text, char name, const double *number, size_t stride, size_t rows,
                      size_t columns) {
  const bool vector = name >= 'a';
  bool any = false;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      any = any || number[i * stride + j] != 0.0;
  if (!any) return;
  cs_text_add(text, "      %c = [", name);
  for (size_t i = 0; i < rows; i++) {
    cs_text_add(text, "%s%s", i > 0 ? ", " : "", vector ? "" : "[");
    for (size_t j = 0; j < columns; j++)
      cs_text_add(text, "%s%.12g", j > 0 ? ", " : "", number[i * stride + j] + 0.0);
    cs_text_add(text, "%s", vector ? "" : "]");
  }
  cs_text_add(text, "]\n");
}

/* The matrices of every subsystem, with the parameters of the file and in the first modes. */
static int add_matrices(const struct cs_model *model, struct cs_text *text, struct cs_error *error) {
  unsigned char *given = calloc(model->parameters + 1, sizeof *given);
  struct cs_numbers *numbers = NULL;
  int code = given == NULL ? cs_error_memory(error) : cs_numbers_new(model, &numbers, error);
  if (code == CS_OK) code = cs_numbers_find(numbers, numbers->parameters, given, NULL, error);
  for (size_t i = 0; i < model->subsystems && code == CS_OK; i++) {
    const struct cs_subsystem *s = &model->subsystem[i];
    cs_text_add(text, "  %s\n", s->name);
    const struct {
      char name;
      enum cs_matrix matrix;
      size_t row, column, rows, columns;
    } blocks[] = {{'A', CS_A, s->first_state, s->first_state, s->states, s->states},
                  {'B', CS_B, s->first_state, s->first_input, s->states, s->inputs},
                  {'C', CS_C, s->first_output, s->first_state, s->outputs, s->states},
                  {'D', CS_D, s->first_output, s->first_input, s->outputs, s->inputs},
                  {'e', CS_E, s->first_state, 0, s->states, 1},
                  {'f', CS_F, s->first_output, 0, s->outputs, 1}};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
      const size_t stride = model->matrix[blocks[b].matrix].columns;
      add_block(text, blocks[b].name,
                numbers->matrix[blocks[b].matrix].numbers + blocks[b].row * stride + blocks[b].column, stride,
                blocks[b].rows, blocks[b].columns);
    }
  }
  cs_numbers_free(numbers);
  free(given);
  return code;
}

static int check_model(const char *path, struct cs_json *json, bool matrices, struct cs_text *text,
                       struct cs_error *error) {
  struct cs_model *model = NULL;
  int code = cs_model_read(json, &model, error);
  if (code == CS_OK) code = cs_command_add_model(path, model, text, error);
  if (code == CS_OK && matrices) code = add_matrices(model, text, error);
  if (code == CS_OK) cs_command_add_next(path, text);
  cs_model_free(model);
  return code;
}

/* ---- sweeps */

static void add_axes(const struct cs_sweep *sweep, struct cs_text *text) {
  int width = 6;
  for (size_t i = 0; i < sweep->axes; i++)
    if ((int)strlen(sweep->axis[i].name) > width) width = (int)strlen(sweep->axis[i].name);
  cs_text_add(text, "  axes%s\n", sweep->axes == 0 ? ": none" : "");
  for (size_t i = 0; i < sweep->axes; i++) {
    const struct cs_axis *axis = &sweep->axis[i];
    cs_text_add(text, "  ");
    cs_words_add_axis(text, width, axis->name, axis->length, axis->values, axis->labels, axis->unit, axis->long_name);
  }
}

static void add_metrics(const struct cs_sweep *sweep, struct cs_text *text) {
  struct cs_text list = {0};
  cs_text_add(&list, "metrics:");
  for (int i = 0; i < CS_METRICS; i++)
    if (sweep->metric[i] && cs_metric_begins(i)) cs_text_add(&list, " %s", cs_metric_word(i));
  if (sweep->fits > 0) cs_text_add(&list, "; orders along");
  for (size_t i = 0; i < sweep->fits; i++)
    cs_text_add(&list, " %s", sweep->axis[sweep->fit[i].axis].name);
  if (!list.failed) cs_words_add_paragraph(text, 2, list.data);
  text->failed |= list.failed;
  cs_text_free(&list);
}

static void add_boundaries(const struct cs_sweep *sweep, struct cs_text *text) {
  if (sweep->boundary >= 0)
    cs_text_add(text, "  boundary  along %s, by bisection\n", sweep->axis[sweep->boundary].name);
  if (sweep->refine > 0)
    cs_text_add(text, "  refine    around boundaries in the plane of %s and %s, %u level%s\n",
                sweep->axis[sweep->refined[0]].name, sweep->axis[sweep->refined[1]].name, sweep->refine,
                sweep->refine > 1 ? "s" : "");
}

static int check_sweep(const char *path, struct cs_json *json, const struct cs_arguments *arguments,
                       struct cs_text *text, struct cs_error *error) {
  const struct cs_values *set = &arguments->list[CS_OPTION_SET];
  struct cs_engine_options options = cs_command_engine(arguments);
  struct cs_device_info device;
  struct cs_forecast forecast;
  struct cs_sweep *sweep = NULL;
  bool *idle = NULL;
  int code = cs_sweep_read(path, json, NULL, set->text, set->count, &sweep, error);
  if (code == CS_OK) code = cs_command_check_fragments(path, arguments, sweep, error);
  options.beside = path; /* of a result, as run has one */
  if (code == CS_OK) code = cs_device_describe(arguments->text[CS_OPTION_DEVICE], &device, error);
  if (code == CS_OK) code = cs_engine_forecast(sweep, &device, &options, &forecast, error);
  if (code == CS_OK && (idle = calloc(sweep->model->events + 1, sizeof *idle)) == NULL) code = cs_error_memory(error);
  if (code == CS_OK) code = cs_engine_idle_events(sweep, &options, idle, error);
  if (code != CS_OK) goto out;
  cs_text_add(text, "%s: sweep %s\n", path, sweep->name);
  if (sweep->description != NULL) cs_words_add_paragraph(text, 2, sweep->description);
  cs_text_add(text, "  model     %s: ", sweep->model->name);
  add_sizes(text, sweep->model);
  cs_text_add(text, "\n  study     %s", cs_metric_study_name(sweep->study));
  if (sweep->model->equations > 0) cs_text_add(text, ", linearised %s", cs_model_linearised(sweep->initial));
  cs_text_add(text, "\n");
  add_axes(sweep, text);
  add_metrics(sweep, text);
  add_boundaries(sweep, text);
  cs_command_add_forecast(text, &forecast);
  cs_text_add(text, "  for       %s", device.name);
  if (device.automatic && forecast.builds_for[0] != '\0') cs_text_add(text, ", with %s beside it", forecast.builds_for);
  cs_text_add(text, "\n");
  for (size_t a = 0; a < sweep->axes; a++)
    if (forecast.idle[a])
      cs_text_add(text, "  note      axis %s changes nothing: its runs are equal\n", sweep->axis[a].name);
  if (forecast.jumping != NULL) cs_text_add(text, "  note      %s\n", forecast.jumping);
  for (size_t e = 0; e < sweep->model->events; e++)
    if (idle[e]) add_idle_event(text, "  note      ", &sweep->model->event[e]);
out:
  free(idle);
  cs_sweep_free(sweep);
  return code;
}

/* ---- either */

/* A file, or with "-" what comes in. */
static int load(const char *path, struct cs_json **json, struct cs_error *error) {
  struct cs_text text = {0};
  if (strcmp(path, "-") != 0) return cs_json_load(path, json, error);
  int code = cs_text_read(&text, "/dev/stdin", "JSON file", error);
  if (code == CS_OK) code = cs_json_parse(path, cs_text_string(&text), text.length, json, error);
  cs_text_free(&text);
  return code;
}

/* Whether a file is a model or a sweep, by its "format". */
static int is_model(const struct cs_json *json, bool *model, struct cs_error *error) {
  const char *format = NULL;
  int code = cs_json_want(json, cs_json_root(json), CS_OBJECT, error);
  if (code == CS_OK) code = cs_json_need_string(json, cs_json_root(json), "format", &format, error);
  if (code != CS_OK) return code;
  *model = strncmp(format, "cosweep-model/", strlen("cosweep-model/")) == 0;
  if (*model || strncmp(format, "cosweep-sweep/", strlen("cosweep-sweep/")) == 0) return CS_OK;
  return cs_json_fail(json, cs_json_get(cs_json_root(json), "format"), error,
                      "unknown format \"%s\"; want one of: cosweep-model/1, cosweep-sweep/1", format);
}

static int check(const char *path, const struct cs_arguments *arguments, struct cs_text *text, struct cs_error *error) {
  struct cs_json *json = NULL;
  bool model = false;
  int code = load(path, &json, error);
  if (code == CS_OK) code = is_model(json, &model, error);
  if (code == CS_OK && model && arguments->given[CS_OPTION_SET])
    code = cs_error_set(error, CS_USAGE, "%s: is a model; --set applies to sweep files only", path);
  if (code == CS_OK && !model && arguments->given[CS_OPTION_MATRICES])
    code = cs_error_set(error, CS_USAGE, "%s: is a sweep; --matrices applies to model files only", path);
  if (code != CS_OK) {
    cs_json_free(json);
    return code;
  }
  if (!model) return check_sweep(path, json, arguments, text, error);
  return check_model(path, json, arguments->given[CS_OPTION_MATRICES], text, error);
}

/* Checks all files, continuing after invalid ones; their messages are printed in place. */
int cs_command_check(const struct cs_arguments *arguments, struct cs_error *error) {
  int result = CS_OK;
  for (size_t i = 0; i < arguments->operands; i++) {
    struct cs_error wrong = {0};
    struct cs_text text = {0};
    cs_machine_forget_most(); /* of the file before */
    const int code = check(arguments->operand[i], arguments, &text, &wrong);
    if (code == CS_OK) {
      const int printed = cs_command_print(&text, error);
      if (printed != CS_OK) return printed;
      continue;
    }
    cs_text_free(&text);
    cs_print_flush();
    cs_complaint_print(&wrong);
    if (result == CS_OK || code == CS_INPUT) result = code;
  }
  return result;
}
