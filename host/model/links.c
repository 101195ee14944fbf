#include "links.h"

#include <string.h>

static const struct cs_node *list_of(const struct cs_model *model) {
  return cs_json_get(cs_json_root(model->json), "connections");
}

size_t cs_links_room(const struct cs_model *model) {
  const struct cs_node *list = list_of(model);
  return (list != NULL ? cs_json_length(list) : 0) + 4 * model->lines;
}

/* Number of the signal that member `key` of an item names; `count` if it has none. */
static size_t find_end(const struct cs_node *item, const char *key, const struct cs_signal *signal, size_t count) {
  const struct cs_node *name = cs_json_get(item, key);
  size_t i = name != NULL ? 0 : count;
  while (i < count && strcmp(signal[i].name, cs_json_string(name)) != 0)
    i++;
  return i;
}

/* The gain of an item; one that is the literal 0 has no entry. */
static int read_gain(const struct cs_model *model, const struct cs_node *item, const double *parameters, double *gain,
                     struct cs_error *error) {
  const struct cs_node *given = cs_json_get(item, "gain");
  const struct cs_entries *entries = &model->matrix[CS_L];
  *gain = 0.0;
  for (size_t i = 0; i < entries->count; i++)
    if (entries->entry[i].node == item || (given != NULL && entries->entry[i].node == given))
      return cs_expr_value(entries->entry[i].expr, parameters, gain, error);
  return CS_OK;
}

/* Those of the lines, both ways at each end. */
static void add_lines(const struct cs_model *model, struct cs_link *link, size_t *count) {
  for (size_t i = 0; i < model->lines; i++) {
    const struct cs_line *line = &model->line[i];
    const struct cs_subsystem *own = &model->subsystem[line->subsystem];
    for (size_t end = 0; end < 2; end++) {
      link[(*count)++] = (struct cs_link){line->flow[end], own->first_input + end, 1.0};
      link[(*count)++] = (struct cs_link){own->first_output + end, line->effort[end], line->sign};
    }
  }
}

int cs_links_read(const struct cs_model *model, const double *parameters, struct cs_link *link, size_t *count,
                  struct cs_error *error) {
  const size_t listed = cs_links_room(model) - 4 * model->lines;
  int code = CS_OK;
  *count = 0;
  for (size_t i = 0; i < listed && code == CS_OK; i++) {
    const struct cs_node *item = cs_json_at(list_of(model), i);
    struct cs_link *to = &link[*count];
    to->from = find_end(item, "from", model->output, model->outputs);
    to->to = find_end(item, "to", model->input, model->inputs);
    if (to->from == model->outputs) continue; /* a constant */
    code = read_gain(model, item, parameters, &to->gain, error);
    ++*count;
  }
  add_lines(model, link, count);
  return code;
}
