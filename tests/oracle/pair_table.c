#include "pair_table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "pair_text.h"

/* Numbers of settings, and their standards, which are what most others go with. Where there is no number at all, or
 * only the standard, the program's words and its range of integers follow. Control richardson is given no alpha^(p+2)
 * above accept: steps would converge to one that is rejected, and end when rounding says so. */
static const char *const levels[CS_SETTINGS][5] = {
    [CS_SETTING_MASTER] = {"\"gauss_seidel\""},
    [CS_SETTING_SEQUENCE] = {NULL, "@sequence", "\"alternating\""},
    [CS_SETTING_ITERATIONS] = {"0", "1", "2", "5"},
    [CS_SETTING_RELAXATION] = {NULL, "0.7", "1.2"},
    [CS_SETTING_ACCELERATION] = {NULL, "\"none\""},
    [CS_SETTING_TOLERANCE_ITERATIONS] = {NULL, "1e-3", "1e-8"},
    [CS_SETTING_ITERATIONS_MAX] = {NULL, "2", "5"},
    [CS_SETTING_COMPENSATION] = {NULL, "1", "0.4"},
    [CS_SETTING_POINTS] = {NULL, "1", "4", "8"},
    [CS_SETTING_WEIGHT] = {NULL, "1", "0.5"},
    [CS_SETTING_LINES] = {NULL, "\"subsystem\""},
    [CS_SETTING_INPUT_ORDER] = {"3"},
    [CS_SETTING_OUTPUT_ORDER] = {"3"},
    [CS_SETTING_LATENCY] = {"0", "1", "2", "8"},
    [CS_SETTING_RATE] = {NULL, "1", "2", "3", "5"},
    [CS_SETTING_MICRO_STEPS] = {"\"auto\"", "1", "2", "4", "8"},
    [CS_SETTING_MEMORY] = {NULL, "\"keep\""},
    [CS_SETTING_TOLERANCE] = {NULL, "1e-3", "1e-6", "1e-9"},
    [CS_SETTING_ERROR_AT] = {"\"points\""},
    [CS_SETTING_STEP_SIZE] = {"1 H", "0.6 H"},
    [CS_SETTING_RATIOS] = {"[1, 0.5, 1.4]", "[1, 2]"},
    [CS_SETTING_INITIAL] = {"0.5 H", "1 H"},
    [CS_SETTING_MIN] = {NULL, "0", "0.05 H"},
    [CS_SETTING_MAX] = {NULL, "2 H", "0.8 H"},
    [CS_SETTING_MAX_STEPS] = {"300", "150"},
    [CS_SETTING_UNDERFLOW] = {NULL, "0", "1e-9 H"},
    [CS_SETTING_STEP_TOLERANCE] = {"0.02", "0.002"},
    [CS_SETTING_KP] = {NULL, "0.1", "0"},
    [CS_SETTING_KI] = {NULL, "0.05", "0.1"},
    [CS_SETTING_ALPHA] = {NULL, "0.8", "0.95"},
    [CS_SETTING_GROWTH_MAX] = {NULL, "1.5", "4"},
    [CS_SETTING_SHRINK_MAX] = {NULL, "0.1", "0.5"},
    [CS_SETTING_ATOL] = {NULL, "0", "1e-3", "0.05"},
    [CS_SETTING_RTOL] = {NULL, "1e-3", "0.02"},
    [CS_SETTING_ACCEPT] = {NULL, "1.5", "1.1"},
    [CS_SETTING_BONDS] = {"@bond", "@bonds"},
    [CS_SETTING_SIGNAL] = {"@output"},
    [CS_SETTING_THRESHOLD] = {"0", "0.3"},
    [CS_SETTING_ABOVE] = {"1 H"},
    [CS_SETTING_BELOW] = {"0.55 H", "1.2 H"},
    [CS_SETTING_INTERRUPTION] = {NULL, "0", "0.1 H"},
    [CS_SETTING_HORIZON] = {NULL, "0", "3"},
    [CS_SETTING_RESTART] = {NULL, "0.4 H"},
    [CS_SETTING_WINDOW] = {NULL, "0.4 H", "3 H"},
    [CS_SETTING_AT_ONCE] = {NULL, "8", "32"},
    [CS_SETTING_EVENTS_MOST] = {NULL, "60", "10000"},
    [CS_SETTING_TABLE] = {NULL, "0", "4", "16"},
    [CS_SETTING_T_END] = {"14 H", "21.3 H"},
};

static const char *const networks[PAIR_NETWORKS] = {
    [PAIR_STRICT] = "strict", [PAIR_DIRECT] = "direct",         [PAIR_MIXED] = "mixed",
    [PAIR_TIMED] = "timed",   [PAIR_EVENTFUL] = "eventful",     [PAIR_EVENTFUL_DIRECT] = "eventful direct",
    [PAIR_STIFF] = "stiff",   [PAIR_STIFF_LOOP] = "stiff loop",
};

bool pair_is_known(int m) {
  switch (m) {
    case CS_ROUNDING: /* of the engine's own formulations */
      return false;
    default:
      return cs_metric_table[m].study == CS_SIMULATION || m == CS_CONTRACTION;
  }
}

static struct pair_factor *add_factor(struct pair_table *table, const char *name, enum pair_kind kind, size_t number) {
  cr_assert_lt(table->factors, COVER_FACTORS);
  cr_assert_lt(number, COVER_FACTORS);
  struct pair_factor *factor = &table->factor[table->factors++];
  table->place[kind][number] = (unsigned char)table->factors;
  *factor = (struct pair_factor){.name = name, .kind = kind, .number = number};
  return factor;
}

static void add_value(struct pair_factor *factor, const char *text) {
  for (size_t i = 0; i < factor->values; i++)
    if (factor->value[i] == text || (text != NULL && factor->value[i] != NULL && strcmp(factor->value[i], text) == 0))
      return;
  cr_assert_lt(factor->values, PAIR_VALUES, "%s", factor->name);
  factor->value[factor->values++] = text;
}

/* In quotes; kept for the life of the process. */
static const char *quoted(const char *word) {
  static char texts[256][24];
  static size_t count;
  char text[24];
  snprintf(text, sizeof text, "\"%s\"", word);
  for (size_t i = 0; i < count; i++)
    if (strcmp(texts[i], text) == 0) return texts[i];
  cr_assert_lt(count, sizeof texts / sizeof *texts);
  return strcpy(texts[count++], text);
}

static void add_values(struct pair_factor *factor, enum cs_setting setting, bool own) {
  static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  const struct cs_setting_info *info = &cs_setting_table[setting];
  const char *const *level = levels[setting];
  size_t count = sizeof *levels / sizeof **levels;
  while (count > 0 && level[count - 1] == NULL)
    count--;
  if (own || (level[0] == NULL && (info->by_control || info->events != CS_SETTING_ANYWAY))) add_value(factor, NULL);
  for (size_t i = 0; i < count; i++)
    add_value(factor, level[i]);
  for (size_t i = 0; i < sizeof info->words / sizeof *info->words && info->words[i] != NULL; i++)
    add_value(factor, quoted(info->words[i]));
  if (info->kind != CS_SETTING_INTEGER || count > 1) return;
  cr_assert_lt(info->most, sizeof digits / sizeof *digits, "%s has no values in the table of pairs", info->path);
  for (size_t v = (size_t)info->least; v <= (size_t)info->most; v++)
    add_value(factor, digits[v]);
}

static void add_settings(struct pair_table *table) {
  for (size_t s = 0; s < CS_SETTINGS; s++) {
    const struct cs_setting_info *info = &cs_setting_table[s];
    if (!info->only_subsystem) add_values(add_factor(table, info->path, PAIR_SETTING, s), (enum cs_setting)s, false);
    if (info->per_subsystem) add_values(add_factor(table, info->path, PAIR_OWN_SETTING, s), (enum cs_setting)s, true);
  }
  for (size_t f = 0; f < table->factors; f++)
    cr_assert(table->factor[f].values > 1 || table->factor[f].value[0] != NULL,
              "%s has no values in the table of pairs", table->factor[f].name);
}

void pair_table_open(struct pair_table *table) {
  memset(table, 0, sizeof *table);
  add_settings(table);
  for (int m = 0; m < CS_METRICS; m++) {
    if (!pair_is_known(m)) continue;
    struct pair_factor *factor = add_factor(table, cs_metric_table[m].name, PAIR_METRIC, (size_t)m);
    add_value(factor, NULL);
    add_value(factor, "asked");
  }
  struct pair_factor *factor = add_factor(table, "network", PAIR_NETWORK, 0);
  for (size_t i = 0; i < PAIR_NETWORKS; i++)
    add_value(factor, networks[i]);
}

size_t pair_find(const struct pair_table *table, enum pair_kind kind, size_t number) {
  const size_t place = table->place[kind][number];
  return place > 0 ? place - 1 : table->factors;
}

const char *pair_value(const struct pair_table *table, const unsigned char *row, enum pair_kind kind, size_t number) {
  const size_t f = pair_find(table, kind, number);
  return f < table->factors ? table->factor[f].value[row[f]] : NULL;
}

enum pair_network pair_network_of(const struct pair_table *table, const unsigned char *row) {
  return (enum pair_network)row[pair_find(table, PAIR_NETWORK, 0)];
}

void pair_describe(const struct pair_table *table, const unsigned char *row, struct cs_text *text) {
  const char *separator = "";
  for (size_t f = 0; f < table->factors; f++) {
    const struct pair_factor *factor = &table->factor[f];
    if (row[f] == 0) continue;
    cs_text_add(text, "%s%s%s", separator, factor->kind == PAIR_OWN_SETTING ? "own " : "", factor->name);
    if (factor->kind != PAIR_METRIC) cs_text_add(text, "=%s", factor->value[row[f]]);
    separator = ", ";
  }
}

static bool judge(void *context, const unsigned char *row) {
  return pair_is_accepted(context, row);
}

struct cover *pair_cover(struct pair_table *table, uint64_t seed, bool patient) {
  size_t values[COVER_FACTORS];
  for (size_t f = 0; f < table->factors; f++)
    values[f] = table->factor[f].values;
  return cover_new(values, table->factors, seed, patient, judge, table);
}
