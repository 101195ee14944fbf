/* A sweep and its runs as text. */
#include <ctype.h>
#include <string.h>

#include "axis.h"
#include "sweep_private.h"

/* A member as the file gives it, or else the JSON text `initial`. */
static void add_member(struct cs_writer *w, const struct cs_node *object, const char *key, const char *initial) {
  const struct cs_node *node = cs_json_get(object, key);
  if (node != NULL)
    cs_json_write(w, key, node);
  else
    cs_writer_token(w, key, "%s", initial);
}

/* The default of a setting as JSON text: that shared by all controls of the sweep, or else the word for an automatic
 * choice; NULL: there is none. */
static const char *default_text(const struct cs_slots *slots, const struct cs_setting_info *info) {
  const unsigned controls = cs_slots_controls(slots);
  const char *shared = NULL;
  bool own = false;
  for (int c = 0; c < CS_CONTROLS; c++) {
    const char *with = controls >> c & 1 ? info->with[c] : NULL;
    own = own || (with != NULL && shared != NULL && strcmp(with, shared) != 0);
    shared = with != NULL ? with : shared;
  }
  if (!info->by_control) return info->initial;
  bool said = shared != NULL && *shared && !own && strcmp(shared, "inf") != 0 && strcmp(shared, "nan") != 0;
  return said ? shared : shared != NULL && *shared ? info->words[0] : NULL;
}

/* All settings below `prefix` of `slots`: as in the file, else with `defaults` the default, if there is one; without
 * either an axis gives the setting. */
static void add_settings(struct cs_writer *w, const struct cs_slots *all, const struct cs_slot *slots,
                         const char *prefix, bool defaults) {
  size_t length = strlen(prefix);
  for (size_t i = 0; i < CS_SETTINGS; i++) {
    const struct cs_setting_info *info = &cs_setting_table[i];
    bool here = !(defaults && info->only_subsystem) && cs_slots_take(all, (enum cs_setting)i) &&
                strncmp(info->path, prefix, length) == 0 && strchr(info->path + length, '.') == NULL;
    const char *initial = defaults && cs_slots_use(all, i) ? default_text(all, info) : NULL;
    if (!here || !(slots[i].node != NULL || initial != NULL)) continue;
    if (slots[i].node != NULL)
      cs_json_write(w, info->path + length, slots[i].node);
    else if (isalpha((unsigned char)initial[0]))
      cs_writer_string(w, info->path + length, initial);
    else
      cs_writer_token(w, info->path + length, "%s", initial);
  }
}

/* An object whose members each begin a line. */
static void begin_object(struct cs_writer *w, const char *key) {
  cs_writer_object(w, key);
  cs_writer_lines(w);
}

static void add_method(struct cs_writer *w, const struct cs_sweep *sweep) {
  const struct cs_slots *slots = &sweep->private_->slots;
  begin_object(w, "method");
  add_settings(w, slots, slots->slot, "method.", true);
  begin_object(w, "step");
  add_settings(w, slots, slots->slot, "method.step.", true);
  cs_writer_end(w);
  if (cs_slots_take(slots, CS_SETTING_DETECT) && sweep->model->events > 0) {
    begin_object(w, "events");
    add_settings(w, slots, slots->slot, "method.events.", true);
    cs_writer_end(w);
  }
  begin_object(w, "subsystems");
  for (size_t s = 0; s < sweep->model->subsystems; s++) {
    begin_object(w, sweep->model->subsystem[s].name);
    add_settings(w, slots, &slots->slot[cs_slots_subsystem(s, 0)], "method.", false);
    cs_writer_end(w);
  }
  cs_writer_end(w);
  cs_writer_end(w);
}

static void add_modes(struct cs_writer *w, const struct cs_sweep *sweep) {
  const struct cs_slots *slots = &sweep->private_->slots;
  const struct cs_model *model = sweep->model;
  begin_object(w, "modes");
  for (size_t s = 0; s < model->subsystems; s++) {
    const struct cs_slot *slot = &slots->slot[cs_slots_mode(slots, s)];
    if (model->subsystem[s].modes > 0 && slot->axis == NULL)
      cs_writer_string(w, model->subsystem[s].name, model->mode[(size_t)slot->value].name);
  }
  cs_writer_end(w);
}

static void add_axes(struct cs_writer *w, const struct cs_sweep *sweep, const struct cs_node *axes) {
  cs_writer_list(w, "axes");
  cs_writer_lines(w);
  for (size_t a = 0; a < sweep->axes; a++) {
    const struct cs_node *node = cs_json_at(axes, a);
    begin_object(w, NULL);
    for (size_t i = 0; i < cs_json_length(node); i++)
      cs_json_write(w, cs_json_key(cs_json_at(node, i)), cs_json_at(node, i));
    if (cs_json_get(node, "unit") == NULL) cs_writer_string(w, "unit", sweep->axis[a].unit);
    if (cs_json_get(node, "description") == NULL) cs_writer_string(w, "description", sweep->axis[a].long_name);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

static void add_metrics(struct cs_writer *w, const bool *chosen) {
  cs_writer_list(w, "metrics");
  for (int m = 0; m < CS_METRICS; m++)
    if (chosen[m] && cs_metric_begins(m)) cs_writer_string(w, NULL, cs_metric_word(m));
  cs_writer_end(w);
}

static void add_fits(struct cs_writer *w, const struct cs_sweep *sweep) {
  cs_writer_list(w, "fits");
  cs_writer_lines(w);
  for (size_t f = 0; f < sweep->fits; f++) {
    cs_writer_object(w, NULL);
    cs_writer_string(w, "along", sweep->axis[sweep->fit[f].axis].name);
    add_metrics(w, sweep->fit[f].metric);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

void cs_sweep_print(const struct cs_sweep *sweep, struct cs_text *text) {
  const struct cs_node *root = cs_json_root(sweep->json);
  struct cs_writer writer = {.text = text, .spread = true}, *w = &writer;
  begin_object(w, NULL);
  add_member(w, root, "format", "");
  add_member(w, root, "name", "");
  add_member(w, root, "description", "\"\"");
  add_member(w, root, "model", "");
  add_member(w, root, "study", "\"simulation\"");
  if (sweep->model->equations > 0) add_member(w, root, "operating_point", "\"equilibrium\"");
  add_settings(w, &sweep->private_->slots, sweep->private_->slots.slot, "", false);
  add_member(w, root, "parameters", "{}");
  if (sweep->model->modes > 0) add_modes(w, sweep);
  add_method(w, sweep);
  add_axes(w, sweep, cs_json_get(root, "axes"));
  add_member(w, root, "skip", "[]");
  add_metrics(w, sweep->metric);
  add_fits(w, sweep);
  if (sweep->boundary >= 0) add_member(w, root, "boundary", "");
  if (sweep->refine > 0) add_member(w, root, "refine", "");
  cs_writer_end(w);
  cs_text_add(text, "\n");
}

/* Runs of all values of the axes. */
static size_t whole_of(const struct cs_sweep *sweep) {
  size_t runs = 1;
  for (size_t a = 0; a < sweep->axes; a++)
    runs *= sweep->axis[a].length;
  return runs;
}

void cs_sweep_describe_run(const struct cs_sweep *sweep, size_t run, struct cs_text *text) {
  if (sweep->axes == 0) cs_text_add(text, "the only run");
  size_t stride = whole_of(sweep);
  for (size_t a = 0; a < sweep->axes; a++) {
    const struct cs_axis *axis = &sweep->axis[a];
    stride /= axis->length;
    cs_text_add(text, "%s%s=", a ? ", " : "", axis->name);
    cs_axis_add_value(axis, (sweep->first + run) / stride % axis->length, text);
  }
}

static void add_number(double value, bool rounded, struct cs_text *text) {
  if (rounded)
    cs_text_add(text, "%.4g", value);
  else
    cs_text_add_number(text, value);
}

/* "size=0.1, order=1": the settings of an axis with `zip`, of which MOST are said. */
static void add_columns(const struct cs_axis *axis, size_t at, bool rounded, struct cs_text *text) {
  enum { MOST = 6 };
  for (size_t i = 0; i < axis->columns && i < MOST; i++) {
    const struct cs_axis_column *column = &axis->column[i];
    cs_text_add(text, "%s%s=", i > 0 ? ", " : "", column->name + strlen(axis->name) + 1);
    if (column->labels != NULL)
      cs_text_add_line(text, column->labels[at]);
    else
      add_number(column->values[at], rounded, text);
  }
  if (axis->columns > MOST) cs_text_add(text, ", ...");
}

void cs_sweep_describe_settings(const struct cs_sweep *sweep, size_t run, bool rounded, struct cs_text *text) {
  if (sweep->axes == 0) cs_text_add(text, "the only run");
  size_t stride = whole_of(sweep);
  for (size_t a = 0; a < sweep->axes; a++) {
    const struct cs_axis *axis = &sweep->axis[a];
    stride /= axis->length;
    const size_t at = (sweep->first + run) / stride % axis->length;
    if (a > 0) cs_text_add(text, ", ");
    if (axis->columns > 0)
      add_columns(axis, at, rounded, text);
    else
      cs_text_add(text, "%s=", axis->name);
    if (axis->columns > 0) continue;
    if (axis->labels != NULL)
      cs_text_add_line(text, axis->labels[at]);
    else
      add_number(axis->values[at], rounded, text);
  }
}
