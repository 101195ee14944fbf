/* Lines of a model file: springs between two outputs, flows, and two inputs, efforts (docs/formats.md section 1). Each
 * is a subsystem behind the others, with its force as its state, and its connections. */
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "model_read.h"

static const char *const end_keys[] = {"a", "b"};

/* The signal "line.suffix" of the last subsystem. */
static int add_signal(const struct cs_reader *reader, const char *suffix, struct cs_signal **signal, size_t *signals) {
  const struct cs_model *model = reader->model;
  if (!cs_list_grow(signal, *signals, sizeof **signal)) return cs_error_memory(reader->error);
  struct cs_signal *made = &(*signal)[(*signals)++];
  struct cs_text full = {0};
  *made = (struct cs_signal){.subsystem = model->subsystems - 1};
  cs_text_add(&full, "%s.%s", model->subsystem[model->subsystems - 1].name, suffix);
  made->name = full.data;
  return full.failed ? cs_error_memory(reader->error) : cs_model_read_copy(reader, "", &made->unit);
}

static int add_signals(const struct cs_reader *reader, struct cs_subsystem *made) {
  struct cs_model *model = reader->model;
  int code = add_signal(reader, "force", &model->state, &model->states);
  for (int end = 0; end < 2 && code == CS_OK; end++)
    code = add_signal(reader, end == 0 ? "flow_a" : "flow_b", &model->input, &model->inputs);
  for (int end = 0; end < 2 && code == CS_OK; end++)
    code = add_signal(reader, end == 0 ? "effort_a" : "effort_b", &model->output, &model->outputs);
  made->states = 1;
  made->inputs = made->outputs = 2;
  return code;
}

/* Its names. */
static int read_line(const struct cs_reader *reader, const struct cs_node *node) {
  static const char *const keys[] = {"name", "description", "a", "b", "stiffness", "x0", "sign", NULL};
  struct cs_model *model = reader->model;
  if (!cs_list_grow(&model->line, model->lines, sizeof *model->line) ||
      !cs_list_grow(&model->subsystem, model->subsystems, sizeof *model->subsystem))
    return cs_error_memory(reader->error);
  const size_t index = model->subsystems++;
  struct cs_subsystem *made = &model->subsystem[index];
  model->line[model->lines++] = (struct cs_line){.subsystem = index};
  *made =
      (struct cs_subsystem){.first_state = model->states, .first_input = model->inputs, .first_output = model->outputs};
  int code = cs_json_check_keys(reader->json, node, keys, reader->error);
  if (code == CS_OK)
    code = cs_model_read_item_name(reader, node, "subsystems", model->subsystem, sizeof *made, index, &made->name);
  if (code == CS_OK) code = cs_model_read_text(reader, node, "description", &made->description);
  return code != CS_OK ? code : add_signals(reader, made);
}

int cs_model_read_line_names(const struct cs_reader *reader, const struct cs_node *root) {
  return cs_model_read_each(reader, root, "lines", read_line);
}

/* Names a unit that no file gives. */
static int take_unit(const struct cs_reader *reader, const char *unit, struct cs_signal *signal) {
  free(signal->unit);
  signal->unit = NULL;
  return cs_model_read_copy(reader, unit, &signal->unit);
}

/* The line's signals have the units of those at its ends. */
static int take_units(const struct cs_reader *reader, const struct cs_line *line) {
  struct cs_model *model = reader->model;
  const struct cs_subsystem *own = &model->subsystem[line->subsystem];
  int code = take_unit(reader, model->input[line->effort[0]].unit, &model->state[own->first_state]);
  for (size_t end = 0; end < 2 && code == CS_OK; end++) {
    code = take_unit(reader, model->output[line->flow[end]].unit, &model->input[own->first_input + end]);
    if (code == CS_OK)
      code = take_unit(reader, model->input[line->effort[end]].unit, &model->output[own->first_output + end]);
  }
  return code;
}

/* An end: which output flows in, which input receives the effort. */
static int read_end(const struct cs_reader *reader, const struct cs_node *node, struct cs_line *line, size_t end) {
  static const char *const keys[] = {"flow", "effort", NULL};
  const struct cs_node *item;
  const char *flow, *effort;
  int code = cs_json_need_as(reader->json, node, end_keys[end],
                             "an object with \"flow\", an output, and \"effort\", an input", &item, reader->error);
  if (code == CS_OK) code = cs_json_want(reader->json, item, CS_OBJECT, reader->error);
  if (code == CS_OK) code = cs_json_check_keys(reader->json, item, keys, reader->error);
  if (code == CS_OK) code = cs_json_need_string(reader->json, item, "flow", &flow, reader->error);
  if (code == CS_OK) code = cs_json_need_string(reader->json, item, "effort", &effort, reader->error);
  if (code == CS_OK)
    code = cs_model_read_signal(reader, cs_json_get(item, "flow"), false, flow, CS_OVER_OUTPUT, &line->flow[end]);
  if (code == CS_OK)
    code = cs_model_read_signal(reader, cs_json_get(item, "effort"), false, effort, CS_OVER_INPUT, &line->effort[end]);
  const struct cs_model *model = reader->model;
  if (code == CS_OK && cs_model_is_line(model, model->output[line->flow[end]].subsystem))
    code = cs_json_fail(reader->json, cs_json_get(item, "flow"), reader->error,
                        "%s is of a line; want an output of a subsystem of the list", flow);
  if (code == CS_OK && model->output[line->flow[end]].subsystem != model->input[line->effort[end]].subsystem)
    code = cs_json_fail(reader->json, item, reader->error,
                        "%s and %s are of two subsystems; want a flow and an effort of one", flow, effort);
  return code;
}

/* What the line adds to the matrices: F' = k (w_a + w_b), u = sign F at both ends. */
static int add_entries(const struct cs_reader *reader, const struct cs_node *node, const struct cs_line *line) {
  const struct cs_subsystem *own = &reader->model->subsystem[line->subsystem];
  const struct cs_node *stiffness, *start = cs_json_get(node, "x0");
  int code = cs_json_need_as(reader->json, node, "stiffness", "a number or an expression", &stiffness, reader->error);
  for (size_t end = 0; end < 2 && code == CS_OK; end++) {
    code = cs_model_read_entry(reader, CS_B, own->first_state, own->first_input + end, stiffness);
    if (code == CS_OK)
      code = cs_model_read_add(reader, CS_C, own->first_output + end, own->first_state, cs_expr_number(1), node);
    if (code == CS_OK)
      code = cs_model_read_add(reader, CS_L, own->first_input + end, line->flow[end], cs_expr_number(1), node);
    if (code == CS_OK)
      code =
          cs_model_read_add(reader, CS_L, line->effort[end], own->first_output + end, cs_expr_number(line->sign), node);
  }
  return code != CS_OK || start == NULL ? code : cs_model_read_entry(reader, CS_X0, own->first_state, 0, start);
}

/* An input that a line reaches has no other connection. */
static int reach(const struct cs_reader *reader, const struct cs_node *node, const struct cs_line *line, size_t end,
                 unsigned char *reached) {
  const size_t effort = line->effort[end];
  if (reached[effort])
    return cs_json_fail(reader->json, cs_json_get(cs_json_get(node, end_keys[end]), "effort"), reader->error,
                        "%s has another connection; want an input that only this end reaches",
                        reader->model->input[effort].name);
  reached[effort] = 1;
  reached[reader->model->subsystem[line->subsystem].first_input + end] = 1;
  return CS_OK;
}

static int read_sign(const struct cs_reader *reader, const struct cs_node *node, struct cs_line *line) {
  const struct cs_node *sign = cs_json_get(node, "sign");
  line->sign = -1;
  if (sign == NULL) return CS_OK;
  const int code = cs_json_want(reader->json, sign, CS_NUMBER, reader->error);
  if (code != CS_OK) return code;
  line->sign = cs_json_number(sign);
  return line->sign == 1 || line->sign == -1
             ? CS_OK
             : cs_json_fail(reader->json, sign, reader->error, "found %g; want 1 or -1", line->sign);
}

int cs_model_read_lines(const struct cs_reader *reader, const struct cs_node *root, unsigned char *reached) {
  const struct cs_node *list = cs_json_get(root, "lines");
  int code = CS_OK;
  for (size_t i = 0; i < reader->model->lines && code == CS_OK; i++) {
    struct cs_line *line = &reader->model->line[i];
    const struct cs_node *node = cs_json_at(list, i);
    code = read_sign(reader, node, line);
    for (size_t end = 0; end < 2 && code == CS_OK; end++) {
      code = read_end(reader, node, line, end);
      if (code == CS_OK) code = reach(reader, node, line, end, reached);
    }
    if (code == CS_OK) code = take_units(reader, line);
    if (code == CS_OK) code = add_entries(reader, node, line);
  }
  return code;
}
