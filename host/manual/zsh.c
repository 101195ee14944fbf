/* Completion for zsh. */
#include <string.h>

#include "manual.h"
#include "metric.h"
#include "setting.h"

/* Help in one line, for a place between single quotes and brackets, where colons and brackets mean something. */
static void add_help(struct cs_text *text, const char *help) {
  for (; help != NULL && *help != '\0'; help++)
    if (*help == '\'')
      cs_text_add(text, "'\\''");
    else if (*help == '[' || *help == ']' || *help == ':' || *help == '\\')
      cs_text_add(text, "\\%c", *help);
    else
      cs_text_append(text, *help == '\n' ? " " : help, 1);
}

static void add_action(struct cs_text *text, int option) {
  const struct cs_option_text info = cs_option_text(option);
  const char *words = manual_words(option);
  cs_text_add(text, ":%s:", info.value);
  if (option == CS_OPTION_OUTPUT)
    cs_text_add(text, "_files");
  else if (option == CS_OPTION_SET)
    cs_text_add(text, "_cosweep_settings");
  else if (strcmp(info.value, "METRIC") == 0) {
    cs_text_add(text, "(");
    for (int m = 0; m < CS_METRICS; m++)
      cs_text_add(text, "%s%s", m > 0 ? " " : "", cs_metric_table[m].name);
    cs_text_add(text, ")");
  } else if (words[0] != '\0')
    cs_text_add(text, "(%s)", words);
  else
    cs_text_add(text, " ");
}

/* One argument of _arguments for an option. */
static void add_option(struct cs_text *text, const struct cs_command *command, int option) {
  const struct cs_option_text info = cs_option_text(option);
  const char *equals = info.value != NULL ? "=" : "";
  cs_text_add(text, " \\\n        ");
  if (manual_repeats(command, option))
    cs_text_add(text, "'*--%s%s", info.name, equals);
  else if (info.letter != '\0')
    cs_text_add(text, "'(-%c --%s)'{-%c%s,--%s%s}'", info.letter, info.name, info.letter, info.value != NULL ? "+" : "",
                info.name, equals);
  else
    cs_text_add(text, "'--%s%s", info.name, equals);
  cs_text_add(text, "[");
  add_help(text, cs_command_option_help(command, option));
  cs_text_add(text, "]");
  if (info.value != NULL) add_action(text, option);
  cs_text_add(text, "'");
}

static void add_operands(struct cs_text *text, const struct cs_command *command) {
  const char *star = command->single ? "" : "*";
  struct cs_text words = {0};
  const enum manual_operand kind = manual_operand(command, &words);
  if (kind != MANUAL_NOTHING) {
    cs_text_add(text, " \\\n        '%s:", star);
    add_help(text, command->needs);
  }
  if (kind == MANUAL_JSON) cs_text_add(text, ":_files -g \"*.json(-.)\"'");
  if (kind == MANUAL_RESULT) cs_text_add(text, ":_files -g \"*.h5(-.)\"'");
  if (kind == MANUAL_DIRECTORY) cs_text_add(text, ":_files -/'");
  if (kind == MANUAL_WORDS) cs_text_add(text, ":(%s)'", cs_text_string(&words));
  cs_text_free(&words);
}

static void add_settings(struct cs_text *text) {
  cs_text_add(text, "_cosweep_settings() {\n  if compset -P '*='; then\n    case $IPREFIX in\n");
  for (int i = 0; i < CS_SETTINGS; i++) {
    if (cs_setting_table[i].words[0] == NULL) continue;
    cs_text_add(text, "      *%s=) compadd --", cs_setting_table[i].path);
    for (size_t w = 0; cs_setting_table[i].words[w] != NULL; w++)
      cs_text_add(text, " %s", cs_setting_table[i].words[w]);
    cs_text_add(text, " ;;\n");
  }
  cs_text_add(text, "    esac\n  else\n    compadd -S = --");
  for (int i = 0; i < CS_SETTINGS; i++)
    cs_text_add(text, " %s", cs_setting_table[i].path);
  cs_text_add(text, " method.order\n    compadd -S '' -- parameters.\n  fi\n}\n\n");
}

void manual_zsh(struct cs_text *text) {
  size_t count;
  const struct cs_command *command = cs_commands(&count);
  cs_text_add(text, "#compdef cosweep\n# Completion of cosweep for zsh, written when cosweep was built.\n\n");
  add_settings(text);
  cs_text_add(text,
              "_cosweep() {\n  local context state state_descr line\n  typeset -A opt_args\n"
              "  local -a commands=(\n");
  for (size_t i = 0; i < count; i++) {
    cs_text_add(text, "    '%s:", command[i].name);
    add_help(text, command[i].help);
    cs_text_add(text, "'\n");
  }
  cs_text_add(text,
              "  )\n  _arguments -C '(- *)'{-h,--help}'[what there is]' '(- *)--version[print the version]' \\\n"
              "    '1: :->command' '*:: :->rest'\n"
              "  case $state in\n    command) _describe command commands ;;\n"
              "    rest) case $words[1] in\n");
  for (size_t i = 0; i < count; i++) {
    cs_text_add(text, "      %s) _arguments -S", command[i].name);
    for (int option = 0; option < CS_OPTIONS; option++)
      if ((command[i].options & CS_OPTION_BIT(option)) != 0) add_option(text, &command[i], option);
    add_operands(text, &command[i]);
    cs_text_add(text, " ;;\n");
  }
  cs_text_add(text, "    esac ;;\n  esac\n}\n\n_cosweep \"$@\"\n");
}
