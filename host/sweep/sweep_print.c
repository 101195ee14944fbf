/* A sweep as text: the JSON it stands for, and its runs. */
#include <ctype.h>
#include <string.h>

#include "sweep_private.h"

/* Begins a member of an object whose members stand `indent` blanks in. */
static void add_key(struct cs_text *text, int indent, const char *key, bool *first) {
  cs_text_add(text, "%s\n%*s\"%s\": ", *first ? "" : ",", indent, "", key);
  *first = false;
}

/* A value as given; its further lines are moved in by `indent`. No string of JSON holds a line break. */
static void add_node(struct cs_text *text, int indent, const struct cs_node *node) {
  struct cs_text lines = {0};
  cs_json_print(node, &lines);
  text->failed |= lines.failed;
  for (const char *line = lines.failed ? NULL : lines.data; line != NULL;) {
    const char *end = strchr(line, '\n');
    cs_text_append(text, line, end != NULL ? (size_t)(end - line) : strlen(line));
    if (end != NULL) cs_text_add(text, "\n%*s", indent, "");
    line = end != NULL ? end + 1 : NULL;
  }
  cs_text_free(&lines);
}

/* A member of the file as given, or else the JSON text `initial`. */
static void add_member(struct cs_text *text, int indent, const struct cs_node *object, const char *key,
                       const char *initial, bool *first) {
  const struct cs_node *node = cs_node_get(object, key);
  add_key(text, indent, key, first);
  if (node != NULL)
    add_node(text, indent, node);
  else
    cs_text_add(text, "%s", initial);
}

/* The default of a setting as JSON text: the one that all controls of the sweep share, or else the word that stands for
 * each one's own; NULL: there is none. */
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

/* All settings below `prefix` in the slots from `first_slot` on. Where the file gives none, the global ones have
 * their default; one without default is an axis's and is left out. */
static void add_settings(struct cs_text *text, int indent, const struct cs_slots *all, const struct cs_slot *slots,
                         const char *prefix, bool defaults, bool *first) {
  size_t length = strlen(prefix);
  for (size_t i = 0; i < CS_SETTINGS; i++) {
    const struct cs_setting_info *info = &cs_setting_table[i];
    bool here = cs_slots_take(all, (enum cs_setting)i) && strncmp(info->path, prefix, length) == 0 &&
                strchr(info->path + length, '.') == NULL;
    const char *initial = defaults && cs_slots_use(all, i) ? default_text(all, info) : NULL;
    if (!here || !(slots[i].node != NULL || initial != NULL)) continue;
    add_key(text, indent, info->path + length, first);
    if (slots[i].node != NULL) {
      add_node(text, indent, slots[i].node);
    } else {
      const char *quote = isalpha((unsigned char)initial[0]) ? "\"" : "";
      cs_text_add(text, "%s%s%s", quote, initial, quote);
    }
  }
}

static void add_method(struct cs_text *text, const struct cs_sweep *sweep) {
  const struct cs_slots *slots = &sweep->private_->slots;
  bool first = true, step = true, subsystems = true;
  cs_text_add(text, "{");
  add_settings(text, 4, slots, slots->slot, "method.", true, &first);
  add_key(text, 4, "step", &first);
  cs_text_add(text, "{");
  add_settings(text, 6, slots, slots->slot, "method.step.", true, &step);
  cs_text_add(text, "\n    }");
  add_key(text, 4, "subsystems", &first);
  cs_text_add(text, "{");
  for (size_t s = 0; s < sweep->model->subsystems; s++) {
    bool own = true;
    add_key(text, 6, sweep->model->subsystem[s].name, &subsystems);
    cs_text_add(text, "{");
    add_settings(text, 8, slots, &slots->slot[cs_slots_subsystem(s, 0)], "method.", false, &own);
    cs_text_add(text, own ? "}" : "\n      }");
  }
  cs_text_add(text, "\n    }\n  }");
}

static void add_axis(struct cs_text *text, const struct cs_node *node, const struct cs_axis *axis) {
  bool first = true;
  cs_text_add(text, "{");
  for (size_t i = 0; i < cs_node_length(node); i++) {
    const struct cs_node *member = cs_node_at(node, i);
    add_key(text, 6, cs_node_key(member), &first);
    add_node(text, 6, member);
  }
  if (cs_node_get(node, "unit") == NULL) {
    add_key(text, 6, "unit", &first);
    cs_text_add(text, "\"%s\"", axis->unit);
  }
  if (cs_node_get(node, "description") == NULL) {
    add_key(text, 6, "description", &first);
    cs_text_add(text, "\"%s\"", axis->long_name);
  }
  cs_text_add(text, "\n    }");
}

static void add_metrics(struct cs_text *text, const bool *chosen) {
  const char *separator = "[";
  for (int m = 0; m < CS_METRICS; m++) {
    if (chosen[m] && cs_metric_begins(m)) {
      cs_text_add(text, "%s\"%s\"", separator, cs_metric_word(m));
      separator = ", ";
    }
  }
  cs_text_add(text, "]");
}

static void add_fits(struct cs_text *text, const struct cs_sweep *sweep) {
  cs_text_add(text, "[");
  for (size_t f = 0; f < sweep->fits; f++) {
    const struct cs_sweep_fit *fit = &sweep->fit[f];
    cs_text_add(text, "%s\n    {\"along\": \"%s\", \"metrics\": ", f ? "," : "", sweep->axis[fit->axis].name);
    add_metrics(text, fit->metric);
    cs_text_add(text, "}");
  }
  cs_text_add(text, sweep->fits ? "\n  ]" : "]");
}

void cs_sweep_print(const struct cs_sweep *sweep, struct cs_text *text) {
  const struct cs_node *root = cs_json_root(sweep->json), *axes = cs_node_get(root, "axes");
  bool first = true;
  cs_text_add(text, "{");
  add_member(text, 2, root, "format", "", &first);
  add_member(text, 2, root, "name", "", &first);
  add_member(text, 2, root, "description", "\"\"", &first);
  add_member(text, 2, root, "model", "", &first);
  add_member(text, 2, root, "study", "\"simulation\"", &first);
  add_settings(text, 2, &sweep->private_->slots, sweep->private_->slots.slot, "", false, &first);
  add_member(text, 2, root, "parameters", "{}", &first);
  add_key(text, 2, "method", &first);
  add_method(text, sweep);
  add_key(text, 2, "axes", &first);
  cs_text_add(text, "[");
  for (size_t a = 0; a < sweep->axes; a++) {
    cs_text_add(text, "%s\n    ", a ? "," : "");
    add_axis(text, cs_node_at(axes, a), &sweep->axis[a]);
  }
  cs_text_add(text, sweep->axes ? "\n  ]" : "]");
  add_member(text, 2, root, "skip", "[]", &first);
  add_key(text, 2, "metrics", &first);
  add_metrics(text, sweep->metric);
  add_key(text, 2, "fits", &first);
  add_fits(text, sweep);
  if (sweep->boundary >= 0) add_member(text, 2, root, "boundary", "", &first);
  if (sweep->refine > 0) add_member(text, 2, root, "refine", "", &first);
  cs_text_add(text, "\n}\n");
}

void cs_sweep_describe_run(const struct cs_sweep *sweep, size_t run, struct cs_text *text) {
  if (sweep->axes == 0) cs_text_add(text, "the only run");
  size_t stride = sweep->runs;
  for (size_t a = 0; a < sweep->axes; a++) {
    const struct cs_axis *axis = &sweep->axis[a];
    stride /= axis->length;
    size_t i = run / stride % axis->length;
    cs_text_add(text, "%s%s=", a ? ", " : "", axis->name);
    if (axis->labels != NULL)
      cs_text_add(text, "%s", axis->labels[i]);
    else
      cs_text_add_number(text, axis->values[i]);
  }
}
