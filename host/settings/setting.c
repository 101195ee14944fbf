#include "setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"

const char *cs_setting_word(enum cs_setting setting, unsigned value) {
  return cs_setting_table[setting].words[value];
}

const char *cs_setting_name(const struct cs_setting_info *info) {
  const char *dot = strrchr(info->path, '.');
  return dot != NULL ? dot + 1 : info->path;
}

/* Index of `word` among the legal words, or -1. */
static int find_word(const struct cs_setting_info *info, const char *word) {
  for (int w = 0; info->words[w] != NULL; w++)
    if (strcmp(info->words[w], word) == 0) return w;
  return -1;
}

static double word_value(const struct cs_setting_info *info, int word) {
  return info->kind == CS_SETTING_WORD ? word : info->kind == CS_SETTING_INTEGER ? info->worth + word : NAN;
}

/* Value of a default of the table. */
static double text_value(const struct cs_setting_info *info, const char *text) {
  int word = find_word(info, text);
  return word >= 0 ? word_value(info, word) : strtod(text, NULL);
}

double cs_setting_initial(const struct cs_setting_info *info) {
  if (info->initial == NULL) return NAN;
  return text_value(info, info->initial);
}

double cs_setting_initial_with(const struct cs_setting_info *info, enum cs_control control) {
  const char *text = info->with[control];
  return text != NULL && *text ? text_value(info, text) : NAN;
}

bool cs_setting_accepts(const struct cs_setting_info *info, double value, bool on_axis) {
  bool ranged = !on_axis || info->structural;
  switch (info->kind) {
    case CS_SETTING_INTEGER:
      return value == floor(value) && (!ranged || (value >= info->least && value <= info->most)) &&
             (!info->even || value == 1 || fmod(value, 2) == 0);
    case CS_SETTING_POSITIVE:
      return !ranged || (value > 0 && !(info->most > 0 && value >= info->most));
    case CS_SETTING_NOT_NEGATIVE:
      return !ranged || value >= 0;
    case CS_SETTING_SHARE:
      return !ranged || (value >= 0 && value <= 1);
    case CS_SETTING_WEIGHED:
      return !ranged || (value > 0 && value <= 1);
    default:
      return true;
  }
}

/* Whether it takes a word in place of a number. */
static bool takes_word(const struct cs_setting_info *info, bool on_axis) {
  return info->words[0] != NULL && (!on_axis || info->worth != 0);
}

void cs_setting_add_modes(const struct cs_setting_info *info, struct cs_text *text) {
  const struct cs_subsystem *subsystem = &info->model->subsystem[info->subsystem];
  for (size_t m = 0; m < subsystem->modes; m++)
    cs_text_add(text, "%s%s", m ? ", " : "", info->model->mode[subsystem->first_mode + m].name);
}

/* Index of a mode of the subsystem in the model, or -1. */
static long find_mode(const struct cs_setting_info *info, const char *name) {
  const struct cs_subsystem *subsystem = &info->model->subsystem[info->subsystem];
  for (size_t m = subsystem->first_mode; m < subsystem->first_mode + subsystem->modes; m++)
    if (strcmp(info->model->mode[m].name, name) == 0) return (long)m;
  return -1;
}

void cs_setting_want(const struct cs_setting_info *info, bool on_axis, struct cs_text *text) {
  bool ranged = !on_axis || info->structural;
  switch (info->kind) {
    case CS_SETTING_WORD:
      cs_text_add(text, "one of: ");
      for (int w = 0; info->words[w] != NULL; w++)
        cs_text_add(text, "%s%s", w ? ", " : "", info->words[w]);
      if (info == &cs_setting_table[CS_SETTING_MASTER] || info == &cs_setting_table[CS_SETTING_CONTROL])
        cs_text_add(text, ", or {\"kernel\": file} for a user-defined one");
      else if (info == &cs_setting_table[CS_SETTING_SEQUENCE])
        cs_text_add(text, ", or a list of the names of all subsystems");
      break;
    case CS_SETTING_INTEGER:
      cs_text_add(text, "%s", info->even ? "1 or an even integer" : "an integer");
      if (ranged) {
        cs_text_add(text, " %s ", info->even ? "up to" : "from");
        if (!info->even) cs_text_add(text, "%.0f to ", info->least);
        cs_text_add(text, "%.0f", info->most);
      }
      break;
    case CS_SETTING_POSITIVE:
      cs_text_add(text, "a number%s", ranged ? " > 0" : "");
      if (ranged && info->most > 0) cs_text_add(text, " and < %g", info->most);
      break;
    case CS_SETTING_NOT_NEGATIVE:
      cs_text_add(text, "a number%s", ranged ? " >= 0" : "");
      break;
    case CS_SETTING_SHARE:
      cs_text_add(text, "a number%s", ranged ? " from 0 to 1" : "");
      break;
    case CS_SETTING_WEIGHED:
      cs_text_add(text, "a number%s", ranged ? " > 0 and <= 1" : "");
      break;
    case CS_SETTING_REAL:
      cs_text_add(text, "a number");
      break;
    case CS_SETTING_OUTPUT:
      cs_text_add(text, "an output, \"subsystem.output\"");
      break;
    case CS_SETTING_MODE:
      cs_text_add(text, "one of: ");
      cs_setting_add_modes(info, text);
      break;
    case CS_SETTING_RATIO_LIST:
      cs_text_add(text, "a list of 1 to %d numbers > 0, [1, 2]", CS_MOST_RATIOS);
      break;
    case CS_SETTING_BOND_LIST:
      cs_text_add(text, "a list of power bonds, [{\"a\": [input, output], \"b\": [input, output]}, ...]");
      break;
  }
  for (int w = 0; !cs_setting_is_named(info) && takes_word(info, on_axis) && info->words[w] != NULL; w++)
    cs_text_add(text, "%sor \"%s\"", w == 0 ? ", " : " ", info->words[w]);
}

bool cs_setting_is_named(const struct cs_setting_info *info) {
  return info->kind == CS_SETTING_WORD || info->kind == CS_SETTING_OUTPUT || info->kind == CS_SETTING_BOND_LIST ||
         info->kind == CS_SETTING_RATIO_LIST || info->kind == CS_SETTING_MODE;
}

/* Whether `node` is a value of the setting that is neither a word nor a number; if so, reads it. */
static bool is_listed(const struct cs_json *json, const struct cs_node *node, const struct cs_setting_info *info,
                      struct cs_setting_lists *lists, double *value, int *code, struct cs_error *error) {
  const enum cs_kind kind = cs_json_kind(node);
  if (kind == CS_LIST && info == &cs_setting_table[CS_SETTING_SEQUENCE]) {
    *code = cs_masters_read_sequence(&lists->masters, json, node, value, error);
  } else if (kind == CS_OBJECT && info == &cs_setting_table[CS_SETTING_MASTER]) {
    *code = cs_masters_read_user(&lists->masters, json, node, value, error);
    *value += CS_USER;
  } else if (kind == CS_OBJECT && info == &cs_setting_table[CS_SETTING_CONTROL]) {
    *code = cs_controls_read_user(&lists->controls, json, node, value, error);
    *value += CS_USER_CONTROL;
  } else if (kind == CS_LIST && info->kind == CS_SETTING_BOND_LIST) {
    *code = cs_controls_read_bonds(&lists->controls, json, node, value, error);
  } else if (kind == CS_LIST && info->kind == CS_SETTING_RATIO_LIST) {
    *code = cs_controls_read_ratios(&lists->controls, json, node, value, error);
  } else if (kind == CS_STRING && info->kind == CS_SETTING_OUTPUT) {
    *code = cs_controls_read_signal(&lists->controls, json, node, value, error);
  } else {
    return false;
  }
  return true;
}

int cs_setting_read(const struct cs_json *json, const struct cs_node *node, const struct cs_setting_info *info,
                    bool on_axis, struct cs_setting_lists *lists, double *value, struct cs_error *error) {
  enum cs_kind kind = cs_json_kind(node);
  int code = CS_OK;
  if (is_listed(json, node, info, lists, value, &code, error)) return code;
  bool worded = info->kind == CS_SETTING_WORD || takes_word(info, on_axis);
  struct cs_text wrong = {0};
  if (kind == CS_STRING && info->kind == CS_SETTING_MODE) {
    const long mode = find_mode(info, cs_json_string(node));
    *value = (double)mode;
    if (mode >= 0) return CS_OK;
    cs_text_add(&wrong, "unknown mode \"%s\" of %s", cs_json_string(node), cs_setting_name(info));
  } else if (kind == CS_STRING && worded) {
    const char *word = cs_json_string(node);
    int found = find_word(info, word);
    if (found >= 0) {
      *value = word_value(info, found);
      return CS_OK;
    }
    if (info->later != NULL && cs_setting_word_listed(info->later, word))
      cs_text_add(&wrong, "%s \"%s\" is not available in this version", cs_setting_name(info), word);
    else
      cs_text_add(&wrong, "unknown %s \"%s\"", cs_setting_name(info), word);
  } else if (kind == CS_NUMBER && !cs_setting_is_named(info)) {
    *value = cs_json_number(node);
    if (cs_setting_accepts(info, *value, on_axis)) return CS_OK;
    cs_text_add(&wrong, "found ");
    cs_text_add_number(&wrong, *value);
  } else {
    cs_text_add(&wrong, "found %s", cs_json_kind_name(kind));
  }
  cs_text_add(&wrong, "; want ");
  cs_setting_want(info, on_axis, &wrong);
  if (kind == CS_STRING) cs_near_suggest(&wrong, cs_json_string(node));
  return cs_json_fail_text(json, node, false, &wrong, error);
}

bool cs_setting_word_listed(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; length > 0 && (at = strstr(at, word)) != NULL; at += length) {
    bool begins = at == list || at[-1] == ' ', ends = at[length] == ' ' || at[length] == '\0';
    if (begins && ends) return true;
  }
  return false;
}
