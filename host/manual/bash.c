/* Completion for bash. */
#include <string.h>

#include "manual.h"
#include "metric.h"
#include "setting.h"

/* Names of the commands, or of a command's options, separated by blanks. */
static void add_commands(struct cs_text *text) {
  size_t count;
  const struct cs_command *command = cs_commands(&count);
  for (size_t i = 0; i < count; i++)
    cs_text_add(text, "%s%s", i > 0 ? " " : "", command[i].name);
}

static void add_options(struct cs_text *text, const struct cs_command *command) {
  const char *separator = "";
  for (int option = 0; option < CS_OPTIONS; option++) {
    if ((command->options & CS_OPTION_BIT(option)) == 0) continue;
    cs_text_add(text, "%s--%s", separator, cs_option_text(option).name);
    separator = " ";
  }
}

static void add_metrics(struct cs_text *text) {
  for (int m = 0; m < CS_METRICS; m++)
    cs_text_add(text, "%s%s", m > 0 ? " " : "", cs_metric_table[m].name);
}

/* Case by case what follows an option. */
static void add_values(struct cs_text *text) {
  for (int option = 0; option < CS_OPTIONS; option++) {
    const struct cs_option_text info = cs_option_text(option);
    const char *words = manual_words(option);
    if (info.value == NULL) continue;
    if (info.letter != '\0')
      cs_text_add(text, "    -%c | --%s) ", info.letter, info.name);
    else
      cs_text_add(text, "    --%s) ", info.name);
    if (option == CS_OPTION_OUTPUT)
      cs_text_add(text, "_cosweep_files '' ;;\n");
    else if (option == CS_OPTION_SET)
      cs_text_add(text, "_cosweep_settings ;;\n");
    else if (strcmp(info.value, "METRIC") == 0) {
      cs_text_add(text, "_cosweep_words '");
      add_metrics(text);
      cs_text_add(text, "' ;;\n");
    } else
      cs_text_add(text, "_cosweep_words '%s' ;;\n", words);
  }
}

/* The paths that --set may name, and the words that stand for their values. */
static void add_settings(struct cs_text *text) {
  cs_text_add(text, "_cosweep_settings() {\n  case $setting in\n    '')\n      _cosweep_words '");
  for (int i = 0; i < CS_SETTINGS; i++)
    cs_text_add(text, "%s%s=", i > 0 ? " " : "", cs_setting_table[i].path);
  cs_text_add(text, " method.order= parameters.'\n      compopt -o nospace 2> /dev/null ;;\n");
  for (int i = 0; i < CS_SETTINGS; i++) {
    if (cs_setting_table[i].words[0] == NULL) continue;
    cs_text_add(text, "    %s) _cosweep_words '", cs_setting_table[i].path);
    for (size_t w = 0; cs_setting_table[i].words[w] != NULL; w++)
      cs_text_add(text, "%s%s", w > 0 ? " " : "", cs_setting_table[i].words[w]);
    cs_text_add(text, "' ;;\n");
  }
  cs_text_add(text, "  esac\n}\n\n");
}

static void add_operands(struct cs_text *text, const struct cs_command *command) {
  struct cs_text words = {0};
  switch (manual_operand(command, &words)) {
    case MANUAL_JSON:
      cs_text_add(text, "_cosweep_files '*.json'");
      break;
    case MANUAL_RESULT:
      cs_text_add(text, "_cosweep_files '*.h5'");
      break;
    case MANUAL_DIRECTORY:
      cs_text_add(text, "_cosweep_files '/'");
      break;
    case MANUAL_WORDS:
      cs_text_add(text, "_cosweep_words '%s'", cs_text_string(&words));
      break;
    case MANUAL_NOTHING:
      cs_text_add(text, ":");
      break;
  }
  cs_text_free(&words);
}

/* Files that match a pattern, and directories; "" is any file, "/" directories alone. */
static const char helpers[] =
    "_cosweep_words() {\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\")\n"
    "}\n\n"
    "_cosweep_files() {\n"
    "  compopt -o filenames 2> /dev/null\n"
    "  if [[ $1 != / ]]; then mapfile -t COMPREPLY < <(compgen -f -X \"${1:+!$1}\" -- \"$current\"); fi\n"
    "  if [[ $1 ]]; then\n"
    "    local directory\n"
    "    while IFS= read -r directory; do COMPREPLY+=(\"$directory\"); done < <(compgen -d -- \"$current\")\n"
    "  fi\n"
    "}\n\n";

/* bash takes "--set path=word" apart at the "=". */
static const char body[] =
    "_cosweep() {\n"
    "  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} setting='' "
    "command=${COMP_WORDS[1]}\n"
    "  local -i equals=0\n"
    "  COMPREPLY=()\n"
    "  if [[ $current == = ]]; then\n"
    "    current='' equals=COMP_CWORD\n"
    "  elif [[ $option == = ]]; then\n"
    "    equals=COMP_CWORD-1\n"
    "  fi\n"
    "  if ((equals > 1)); then\n"
    "    option=${COMP_WORDS[equals - 1]}\n"
    "    if [[ $option != --* ]]; then\n"
    "      setting=$option option=${COMP_WORDS[equals - 2]}\n"
    "      if [[ $option == = ]]; then option=${COMP_WORDS[equals - 3]}; fi\n"
    "    fi\n"
    "  fi\n"
    "  if ((COMP_CWORD == 1)); then\n";

void manual_bash(struct cs_text *text) {
  size_t count;
  const struct cs_command *command = cs_commands(&count);
  cs_text_add(text, "# Completion of cosweep for bash, written when cosweep was built.\n\n%s", helpers);
  add_settings(text);
  cs_text_add(text, "%s    _cosweep_words '--help --version ", body);
  add_commands(text);
  cs_text_add(text, "'\n    return\n  fi\n  case $option in\n");
  add_values(text);
  cs_text_add(text,
              "    *) _cosweep_operands ;;\n  esac\n}\n\n_cosweep_operands() {\n"
              "  if ((equals > 0)); then return; fi\n  case $command:$current in\n");
  for (size_t i = 0; i < count; i++) {
    cs_text_add(text, "    %s:-*) _cosweep_words '", command[i].name);
    add_options(text, &command[i]);
    cs_text_add(text, "' ;;\n    %s:*) ", command[i].name);
    add_operands(text, &command[i]);
    cs_text_add(text, " ;;\n");
  }
  cs_text_add(text, "  esac\n}\n\ncomplete -F _cosweep cosweep\n");
}
