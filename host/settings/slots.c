#include "slots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"

int cs_slots_new(const struct cs_model *model, const char *sweep, enum cs_study study, struct cs_slots *slots,
                 struct cs_error *error) {
  size_t count = (1 + model->subsystems) * CS_SETTINGS + model->parameters + model->subsystems + CS_MOST_OWN;
  *slots = (struct cs_slots){.model = model,
                             .study = study,
                             .count = count,
                             .slot = calloc(count, sizeof *slots->slot),
                             .mode = calloc(model->subsystems + 1, sizeof *slots->mode)};
  if (slots->slot == NULL || slots->mode == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < CS_SETTINGS; i++) {
    slots->slot[i].value = cs_setting_initial(&cs_setting_table[i]);
    for (int c = 0; c < CS_CONTROLS; c++)
      slots->with[i][c] = cs_setting_initial_with(&cs_setting_table[i], (enum cs_control)c);
  }
  for (size_t s = 0; s < model->subsystems; s++) {
    const struct cs_subsystem *subsystem = &model->subsystem[s];
    slots->mode[s] =
        (struct cs_setting_info){.path = subsystem->name, .kind = CS_SETTING_MODE, .model = model, .subsystem = s};
    slots->slot[cs_slots_mode(slots, s)].value = subsystem->modes > 0 ? (double)subsystem->first_mode : NAN;
  }
  int code = cs_masters_new(model, sweep, &slots->lists.masters, error);
  return code != CS_OK ? code : cs_controls_new(model, sweep, &slots->lists.controls, error);
}

void cs_slots_free(struct cs_slots *slots) {
  free(slots->slot);
  free(slots->mode);
  cs_masters_free(&slots->lists.masters);
  cs_controls_free(&slots->lists.controls);
}

size_t cs_slots_subsystem(size_t subsystem, enum cs_setting setting) {
  return (1 + subsystem) * CS_SETTINGS + setting;
}

size_t cs_slots_parameter(const struct cs_slots *slots, size_t parameter) {
  return (1 + slots->model->subsystems) * CS_SETTINGS + parameter;
}

const char *cs_slots_unit(const struct cs_slots *slots, size_t slot) {
  const size_t first = cs_slots_parameter(slots, 0), parameter = slot - first;
  if (slot >= cs_slots_own(slots, 0)) return NULL;
  if (slot >= first + slots->model->parameters) return "1"; /* a mode */
  if (slot >= first) {
    const char *unit = slots->model->parameter[parameter].unit;
    return unit != NULL && unit[0] != '\0' ? unit : NULL;
  }
  const struct cs_setting_info *info = &cs_setting_table[slot % CS_SETTINGS];
  const bool real = info->kind >= CS_SETTING_POSITIVE && info->kind <= CS_SETTING_REAL;
  return info->unit != NULL || real ? info->unit : "1";
}

size_t cs_slots_mode(const struct cs_slots *slots, size_t subsystem) {
  return cs_slots_parameter(slots, slots->model->parameters) + subsystem;
}

size_t cs_slots_own(const struct cs_slots *slots, size_t name) {
  return cs_slots_mode(slots, slots->model->subsystems) + name;
}

size_t cs_slots_deciding(const struct cs_slots *slots, size_t subsystem, enum cs_setting setting) {
  size_t own = cs_slots_subsystem(subsystem, setting);
  return cs_slot_given(&slots->slot[own]) ? own : (size_t)setting;
}

bool cs_slots_take(const struct cs_slots *slots, enum cs_setting setting) {
  return slots->study == CS_SIMULATION || !cs_setting_table[setting].of_runs;
}

const struct cs_setting_info *cs_slots_info(const struct cs_slots *slots, enum cs_setting setting) {
  bool zero = slots->study == CS_STABILITY && setting == CS_SETTING_STEP_SIZE;
  return zero ? &cs_setting_step_size_or_0 : &cs_setting_table[setting];
}

/* The setting whose path is `prefix` followed by `key`, or CS_SETTINGS. */
static size_t find_setting(const char *prefix, const char *key) {
  size_t length = strlen(prefix), i = 0;
  while (i < CS_SETTINGS && (strncmp(cs_setting_table[i].path, prefix, length) != 0 ||
                             strcmp(cs_setting_table[i].path + length, key) != 0))
    i++;
  return i;
}

static long find_subsystem(const struct cs_model *model, const char *name, size_t length) {
  for (size_t s = 0; s < model->subsystems; s++) {
    const char *candidate = model->subsystem[s].name;
    if (strlen(candidate) == length && memcmp(candidate, name, length) == 0) return (long)s;
  }
  return -1;
}

static void add_subsystems(const struct cs_model *model, struct cs_text *text) {
  for (size_t s = 0; s < model->subsystems; s++)
    cs_text_add(text, "%s%s", s ? ", " : "", model->subsystem[s].name);
}

static void add_parameters(const struct cs_model *model, struct cs_text *text) {
  cs_text_add(text, "%s", model->parameters ? "one of: " : "none, the model has no parameters");
  for (size_t p = 0; p < model->parameters; p++)
    cs_text_add(text, "%s%s", p ? ", " : "", model->parameter[p].name);
}

static void add_paths(const struct cs_slots *slots, struct cs_text *text) {
  cs_text_add(text, "one of: parameters.<name>, modes.<name>, method.order");
  for (size_t i = 0; i < CS_SETTINGS; i++)
    if (cs_slots_take(slots, (enum cs_setting)i) && !cs_setting_table[i].of_sweep &&
        cs_setting_is_in(&cs_setting_table[i], false))
      cs_text_add(text, ", %s", cs_setting_table[i].path);
  for (size_t i = 0; i < CS_SETTINGS; i++)
    if (cs_setting_table[i].per_subsystem && cs_slots_take(slots, (enum cs_setting)i))
      cs_text_add(text, ", method.subsystems.<name>.%s", cs_setting_name(&cs_setting_table[i]));
}

/* Whether the study has method.events. */
static bool has_events(const struct cs_slots *slots) {
  return cs_slots_take(slots, CS_SETTING_DETECT);
}

/* Why a key that is legal elsewhere is not legal here; NULL: it is legal here or nowhere. */
static const char *absence(const struct cs_slots *slots, const char *prefix, const char *key, bool per_subsystem) {
  size_t setting = per_subsystem ? CS_SETTINGS : find_setting(prefix, key);
  const bool events =
      !has_events(slots) && !per_subsystem && strcmp(prefix, "method.") == 0 && strcmp(key, "events") == 0;
  if (events || (setting < CS_SETTINGS && !cs_slots_take(slots, (enum cs_setting)setting)))
    return "does not apply to study stability, which simulates no steps";
  return NULL;
}

/* The members of an object of `method` must be settings below `prefix` or in `groups`; keys legal in the other study
 * get their own message. */
static int check_keys(const struct cs_slots *slots, const struct cs_json *json, const struct cs_node *object,
                      const char *prefix, const char *const *groups, bool per_subsystem, struct cs_error *error) {
  const char *legal[CS_SETTINGS + 4] = {0};
  size_t count = 0, length = strlen(prefix);
  for (size_t i = 0; i < CS_SETTINGS; i++) {
    const struct cs_setting_info *info = &cs_setting_table[i];
    bool here = strncmp(info->path, prefix, length) == 0 && strchr(info->path + length, '.') == NULL;
    if (here && cs_setting_is_in(info, per_subsystem) && cs_slots_take(slots, (enum cs_setting)i))
      legal[count++] = info->path + length;
  }
  for (; *groups != NULL; groups++)
    legal[count++] = *groups;
  int code = cs_json_want(json, object, CS_OBJECT, error);
  for (size_t i = 0; i < cs_json_length(object) && code == CS_OK; i++) {
    const struct cs_node *member = cs_json_at(object, i);
    const char *absent = absence(slots, prefix, cs_json_key(member), per_subsystem);
    if (absent != NULL) {
      struct cs_text wrong = {0};
      cs_text_add(&wrong, "%s; want one of: ", absent);
      for (size_t k = 0; k < count; k++)
        cs_text_add(&wrong, "%s%s", k ? ", " : "", legal[k]);
      return cs_json_fail_text(json, member, true, &wrong, error);
    }
  }
  return code != CS_OK ? code : cs_json_check_keys(json, object, legal, error);
}

static int read_slot(struct cs_slots *slots, size_t slot, const struct cs_setting_info *info,
                     const struct cs_json *json, const struct cs_node *node, struct cs_error *error) {
  slots->slot[slot].node = node;
  return cs_setting_read(json, node, info, false, &slots->lists, &slots->slot[slot].value, error);
}

/* Settings among the members of an object of `method`, whose keys are checked; what is no object has none. */
static int read_settings(struct cs_slots *slots, size_t first, const char *prefix, const struct cs_json *json,
                         const struct cs_node *object, struct cs_error *error) {
  const size_t members = cs_json_kind(object) == CS_OBJECT ? cs_json_length(object) : 0;
  int code = CS_OK;
  for (size_t i = 0; i < members && cs_json_goes_on(json, code); i++) {
    const struct cs_node *member = cs_json_at(object, i);
    size_t setting = find_setting(prefix, cs_json_key(member));
    if (setting == CS_SETTINGS) continue;
    const struct cs_setting_info *info = cs_slots_info(slots, (enum cs_setting)setting);
    code = cs_json_also(json, code, read_slot(slots, first + setting, info, json, member, error), error);
  }
  return code;
}

/* `order` stands for input_order and output_order. */
static int read_order(struct cs_slots *slots, const struct cs_json *json, const struct cs_node *method,
                      struct cs_error *error) {
  const struct cs_node *order = cs_json_get(method, "order");
  if (order == NULL) return CS_OK;
  if (cs_json_get(method, "input_order") != NULL || cs_json_get(method, "output_order") != NULL) {
    return cs_json_fail_key(
        json, order, error,
        "given together with the orders it sets; want either order, or input_order and output_order");
  }
  int code = CS_OK;
  static const enum cs_setting both[] = {CS_SETTING_INPUT_ORDER, CS_SETTING_OUTPUT_ORDER};
  for (size_t i = 0; i < 2 && code == CS_OK; i++)
    code = read_slot(slots, both[i], &cs_setting_table[both[i]], json, order, error);
  return code;
}

/* Calls `read` for every member of an object. */
static int read_members(struct cs_slots *slots, const struct cs_json *json, const struct cs_node *object,
                        int (*read)(struct cs_slots *, const struct cs_json *, const struct cs_node *,
                                    struct cs_error *),
                        struct cs_error *error) {
  int code = cs_json_want(json, object, CS_OBJECT, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < cs_json_length(object) && cs_json_goes_on(json, code); i++)
    code = cs_json_also(json, code, read(slots, json, cs_json_at(object, i), error), error);
  return code;
}

static int read_subsystem(struct cs_slots *slots, const struct cs_json *json, const struct cs_node *member,
                          struct cs_error *error) {
  static const char *const no_groups[] = {NULL};
  const char *name = cs_json_key(member);
  const long subsystem = find_subsystem(slots->model, name, strlen(name));
  if (subsystem < 0) {
    struct cs_text wrong = {0};
    cs_text_add(&wrong, "unknown subsystem; want one of: ");
    add_subsystems(slots->model, &wrong);
    cs_near_suggest(&wrong, name);
    return cs_json_fail_text(json, member, true, &wrong, error);
  }
  int code = check_keys(slots, json, member, "method.", no_groups, true, error);
  const size_t first = cs_slots_subsystem((size_t)subsystem, 0);
  if (cs_json_goes_on(json, code))
    code = cs_json_also(json, code, read_settings(slots, first, "method.", json, member, error), error);
  return code;
}

static int read_method(struct cs_slots *slots, const struct cs_json *json, const struct cs_node *method,
                       struct cs_error *error) {
  static const char *const all_groups[] = {"events", "order", "step", "subsystems", NULL};
  static const char *const no_groups[] = {NULL};
  const char *const *groups = all_groups + !has_events(slots);
  int code = cs_json_also(json, CS_OK, check_keys(slots, json, method, "method.", groups, false, error), error);
  if (cs_json_goes_on(json, code))
    code = cs_json_also(json, code, read_settings(slots, 0, "method.", json, method, error), error);
  if (cs_json_goes_on(json, code)) code = cs_json_also(json, code, read_order(slots, json, method, error), error);
  static const struct {
    const char *key, *prefix;
  } objects[] = {{"step", "method.step."}, {"events", "method.events."}};
  for (size_t i = 0; i < sizeof objects / sizeof *objects && cs_json_goes_on(json, code); i++) {
    const struct cs_node *object = cs_json_get(method, objects[i].key);
    if (object == NULL) continue;
    code = cs_json_also(json, code, check_keys(slots, json, object, objects[i].prefix, no_groups, false, error), error);
    if (cs_json_goes_on(json, code))
      code = cs_json_also(json, code, read_settings(slots, 0, objects[i].prefix, json, object, error), error);
  }
  const struct cs_node *subsystems = cs_json_get(method, "subsystems");
  if (subsystems != NULL && cs_json_goes_on(json, code))
    code = cs_json_also(json, code, read_members(slots, json, subsystems, read_subsystem, error), error);
  return code;
}

static int read_parameter(struct cs_slots *slots, const struct cs_json *json, const struct cs_node *member,
                          struct cs_error *error) {
  const long parameter = cs_model_parameter(slots->model, cs_json_key(member));
  if (parameter < 0) {
    struct cs_text wrong = {0};
    cs_text_add(&wrong, "unknown parameter; want ");
    add_parameters(slots->model, &wrong);
    cs_near_suggest(&wrong, cs_json_key(member));
    return cs_json_fail_text(json, member, true, &wrong, error);
  }
  const size_t slot = cs_slots_parameter(slots, (size_t)parameter);
  return read_slot(slots, slot, &cs_setting_parameter, json, member, error);
}

static void add_subsystems_with_modes(const struct cs_model *model, struct cs_text *text) {
  const char *separator = "one of: ";
  if (model->modes == 0) cs_text_add(text, "none, the model has no modes");
  for (size_t s = 0; s < model->subsystems; s++) {
    if (model->subsystem[s].modes == 0) continue;
    cs_text_add(text, "%s%s", separator, model->subsystem[s].name);
    separator = ", ";
  }
}

/* The subsystem whose mode is `name`; -1 if there is none, with the reason in `wrong`. */
static long find_with_modes(const struct cs_model *model, const char *name, struct cs_text *wrong) {
  const long subsystem = find_subsystem(model, name, strlen(name));
  if (subsystem >= 0 && model->subsystem[subsystem].modes > 0) return subsystem;
  if (subsystem >= 0)
    cs_text_add(wrong, "subsystem %s has no modes; want ", name);
  else
    cs_text_add(wrong, "unknown subsystem \"%s\"; want ", name);
  add_subsystems_with_modes(model, wrong);
  if (subsystem < 0) cs_near_suggest(wrong, name);
  return -1;
}

static int read_mode(struct cs_slots *slots, const struct cs_json *json, const struct cs_node *member,
                     struct cs_error *error) {
  struct cs_text wrong = {0};
  const long subsystem = find_with_modes(slots->model, cs_json_key(member), &wrong);
  if (subsystem < 0) return cs_json_fail_text(json, member, true, &wrong, error);
  return read_slot(slots, cs_slots_mode(slots, (size_t)subsystem), &slots->mode[subsystem], json, member, error);
}

static int read_t_end(struct cs_slots *slots, const struct cs_json *json, const struct cs_node *t_end,
                      struct cs_error *error) {
  if (cs_slots_take(slots, CS_SETTING_T_END))
    return read_slot(slots, CS_SETTING_T_END, &cs_setting_table[CS_SETTING_T_END], json, t_end, error);
  return cs_json_fail_key(json, t_end, error,
                          "does not apply to study stability, which simulates no steps; want no t_end, or study "
                          "simulation");
}

/* Whether the file requests a metric. */
static bool requests(const struct cs_node *root, enum cs_metric metric) {
  const struct cs_node *list = cs_json_get(root, "metrics");
  bool found = false;
  for (size_t i = 0; list != NULL && cs_json_kind(list) == CS_LIST && i < cs_json_length(list); i++) {
    const struct cs_node *item = cs_json_at(list, i);
    found =
        found || (cs_json_kind(item) == CS_STRING && strcmp(cs_json_string(item), cs_metric_word((int)metric)) == 0);
  }
  return found;
}

int cs_slots_read(struct cs_slots *slots, const struct cs_json *json, struct cs_error *error) {
  const struct cs_node *root = cs_json_root(json);
  const struct cs_node *parameters = cs_json_get(root, "parameters"), *method = cs_json_get(root, "method");
  const struct cs_node *t_end = cs_json_get(root, "t_end"), *modes = cs_json_get(root, "modes");
  int code = CS_OK;
  slots->energies = requests(root, CS_BOND_ENERGY);
  code = cs_user_fragment_find_names(&slots->lists.masters.user, json, root, error);
  if (code != CS_OK) return code;
  if (parameters != NULL)
    code = cs_json_also(json, code, read_members(slots, json, parameters, read_parameter, error), error);
  if (t_end != NULL && cs_json_goes_on(json, code))
    code = cs_json_also(json, code, read_t_end(slots, json, t_end, error), error);
  if (modes != NULL && cs_json_goes_on(json, code))
    code = cs_json_also(json, code, read_members(slots, json, modes, read_mode, error), error);
  if (method != NULL && cs_json_goes_on(json, code))
    code = cs_json_also(json, code, read_method(slots, json, method, error), error);
  return code;
}

/* "NAME.KEY" below method.subsystems. */
static bool find_in_subsystem(const struct cs_slots *slots, const char *rest, struct cs_target *target,
                              struct cs_text *wrong) {
  size_t length = strcspn(rest, ".");
  const char *key = rest[length] ? rest + length + 1 : "";
  long subsystem = find_subsystem(slots->model, rest, length);
  if (subsystem < 0) {
    cs_text_add(wrong, "unknown subsystem in \"method.subsystems.%s\"; want one of: ", rest);
    add_subsystems(slots->model, wrong);
    return false;
  }
  size_t setting = find_setting("method.", key);
  if (setting < CS_SETTINGS && cs_setting_table[setting].per_subsystem &&
      cs_slots_take(slots, (enum cs_setting)setting)) {
    size_t slot = cs_slots_subsystem((size_t)subsystem, (enum cs_setting)setting);
    *target = (struct cs_target){.info = &cs_setting_table[setting], .slots = 1, .slot = {slot}};
    return true;
  }
  cs_text_add(wrong, "unknown path \"method.subsystems.%s\"; want ", rest);
  add_paths(slots, wrong);
  cs_near_suggest(wrong, key);
  return false;
}

static bool find_parameter(const struct cs_slots *slots, const char *name, struct cs_target *target,
                           struct cs_text *wrong) {
  long parameter = cs_model_parameter(slots->model, name);
  if (parameter < 0) {
    cs_text_add(wrong, "unknown parameter \"%s\"; want ", name);
    add_parameters(slots->model, wrong);
    cs_near_suggest(wrong, name);
    return false;
  }
  size_t slot = cs_slots_parameter(slots, (size_t)parameter);
  *target = (struct cs_target){.info = &cs_setting_parameter, .slots = 1, .slot = {slot}};
  return true;
}

static bool find_mode(const struct cs_slots *slots, const char *name, struct cs_target *target, struct cs_text *wrong) {
  const long subsystem = find_with_modes(slots->model, name, wrong);
  if (subsystem < 0) return false;
  const size_t slot = cs_slots_mode(slots, (size_t)subsystem);
  *target = (struct cs_target){.info = &slots->mode[subsystem], .slots = 1, .slot = {slot}};
  return true;
}

static bool find_own(const struct cs_slots *slots, const char *name, struct cs_target *target, struct cs_text *wrong) {
  const struct cs_user_fragments *user = &slots->lists.masters.user;
  for (size_t i = 0; i < user->names; i++) {
    if (strcmp(user->name[i], name) != 0) continue;
    *target = (struct cs_target){.info = &cs_setting_parameter, .slots = 1, .slot = {cs_slots_own(slots, i)}};
    return true;
  }
  cs_text_add(wrong, "no master has a parameter \"%s\"; want %s", name,
              user->names > 0 ? "one of: " : "{\"kernel\": file, \"parameters\": {...}} as master");
  for (size_t i = 0; i < user->names; i++)
    cs_text_add(wrong, "%s%s", i ? ", " : "", user->name[i]);
  cs_near_suggest(wrong, name);
  return false;
}

/* What follows `prefix` in `path`, or NULL. */
static const char *after(const char *path, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(path, prefix, length) == 0 ? path + length : NULL;
}

bool cs_slots_find(const struct cs_slots *slots, const char *path, struct cs_target *target, struct cs_text *wrong) {
  const char *parameter = after(path, "parameters."), *subsystem = after(path, "method.subsystems."),
             *mode = after(path, "modes."), *own = after(path, "method.master.parameters.");
  if (parameter != NULL) return find_parameter(slots, parameter, target, wrong);
  if (subsystem != NULL) return find_in_subsystem(slots, subsystem, target, wrong);
  if (mode != NULL) return find_mode(slots, mode, target, wrong);
  if (own != NULL) return find_own(slots, own, target, wrong);
  if (strcmp(path, "method.order") == 0) {
    *target = (struct cs_target){.info = &cs_setting_table[CS_SETTING_INPUT_ORDER],
                                 .slots = 2,
                                 .slot = {CS_SETTING_INPUT_ORDER, CS_SETTING_OUTPUT_ORDER}};
    return true;
  }
  size_t setting = find_setting("", path);
  if (setting < CS_SETTINGS && !cs_setting_is_in(&cs_setting_table[setting], false)) setting = CS_SETTINGS;
  const bool of_sweep = setting < CS_SETTINGS && cs_setting_table[setting].of_sweep;
  if (setting < CS_SETTINGS && !of_sweep && cs_slots_take(slots, (enum cs_setting)setting)) {
    const struct cs_setting_info *info = cs_slots_info(slots, (enum cs_setting)setting);
    *target = (struct cs_target){.info = info, .slots = 1, .slot = {setting}};
    return true;
  }
  if (of_sweep && cs_slots_take(slots, (enum cs_setting)setting))
    cs_text_add(wrong, "path \"%s\" is one number of the whole sweep; want ", path);
  else if (setting < CS_SETTINGS)
    cs_text_add(wrong, "path \"%s\" does not apply to study stability, which simulates no steps; want ", path);
  else
    cs_text_add(wrong, "unknown path \"%s\"; want ", path);
  add_paths(slots, wrong);
  if (setting == CS_SETTINGS) cs_near_suggest(wrong, path);
  return false;
}
