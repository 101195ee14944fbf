/* The paths of a sweep that --set takes, and the words that they take, for completion. */
#include <string.h>

#include "sweep_private.h"

static bool is_free(const struct cs_slots *slots, size_t slot) {
  return slots->slot[slot].axis == NULL;
}

static void add_of_subsystem(const struct cs_slots *slots, size_t s, struct cs_text *lines) {
  const struct cs_subsystem *subsystem = &slots->model->subsystem[s];
  if (subsystem->modes > 0 && is_free(slots, cs_slots_mode(slots, s)))
    cs_text_add(lines, "modes.%s\n", subsystem->name);
  for (int i = 0; i < CS_SETTINGS; i++)
    if (cs_setting_table[i].per_subsystem && is_free(slots, cs_slots_subsystem(s, (enum cs_setting)i)))
      cs_text_add(lines, "method.subsystems.%s.%s\n", subsystem->name, cs_setting_name(&cs_setting_table[i]));
}

void cs_sweep_add_paths(const struct cs_sweep *sweep, struct cs_text *lines) {
  const struct cs_slots *slots = &sweep->private_->slots;
  const struct cs_model *model = sweep->model;
  for (int i = 0; i < CS_SETTINGS; i++)
    if (cs_slots_take(slots, (enum cs_setting)i) && is_free(slots, (size_t)i) &&
        cs_setting_is_in(&cs_setting_table[i], false) && cs_setting_table[i].kind != CS_SETTING_BOND_LIST)
      cs_text_add(lines, "%s\n", cs_setting_table[i].path);
  if (is_free(slots, CS_SETTING_INPUT_ORDER) && is_free(slots, CS_SETTING_OUTPUT_ORDER))
    cs_text_add(lines, "method.order\n");
  for (size_t p = 0; p < model->parameters; p++)
    if (is_free(slots, cs_slots_parameter(slots, p))) cs_text_add(lines, "parameters.%s\n", model->parameter[p].name);
  for (size_t i = 0; i < sweep->masters->user.names; i++)
    if (is_free(slots, cs_slots_own(slots, i)) && slots->slot[CS_SETTING_MASTER].axis == NULL)
      cs_text_add(lines, "method.master.parameters.%s\n", sweep->masters->user.name[i]);
  for (size_t s = 0; s < model->subsystems; s++)
    add_of_subsystem(slots, s, lines);
  if (model->equations > 0) cs_text_add(lines, "operating_point\n");
}

void cs_sweep_add_words(const struct cs_sweep *sweep, const char *path, struct cs_text *lines) {
  const struct cs_model *model = sweep->model;
  struct cs_target target;
  struct cs_text wrong = {0};
  if (strcmp(path, "operating_point") == 0 && model->equations > 0) cs_text_add(lines, "equilibrium\ninitial\n");
  const bool known = cs_slots_find(&sweep->private_->slots, path, &target, &wrong);
  cs_text_free(&wrong);
  if (!known) return;
  for (size_t i = 0; target.info->words[i] != NULL; i++)
    cs_text_add(lines, "%s\n", target.info->words[i]);
  for (size_t i = 0; i < model->outputs && target.info->kind == CS_SETTING_OUTPUT; i++)
    cs_text_add(lines, "%s\n", model->output[i].name);
  if (target.info->kind != CS_SETTING_MODE) return;
  const struct cs_subsystem *s = &model->subsystem[target.info->subsystem];
  for (size_t i = 0; i < s->modes; i++)
    cs_text_add(lines, "%s\n", model->mode[s->first_mode + i].name);
}
