/* Completion for bash. */
#include "complete.h"
#include "manual.h"

/* Appends the call that completes values of a kind. `name` of an option, `words` and `extensions` as in the row of an
 * option or operand. */
static void add_offer(struct cs_text *text, enum cs_value kind, const char *name, const char *const *words,
                      const char *extensions) {
  switch (kind) {
    case CS_VALUE_FILE:
      cs_text_add(text, "_cosweep_files %s", extensions);
      break;
    case CS_VALUE_DIRECTORY:
      cs_text_add(text, "_cosweep_files");
      break;
    case CS_VALUE_SETTING:
    case CS_VALUE_POINT:
    case CS_VALUE_AXIS:
    case CS_VALUE_METRIC:
    case CS_VALUE_METHOD:
    case CS_VALUE_SIGNAL:
      cs_text_add(text, "_cosweep_ask --%s", name);
      break;
    default:
      if (words[0] == NULL) cs_text_add(text, ":");
      if (words[0] == NULL) break;
      cs_text_add(text, "_cosweep_words '");
      cs_option_add_words(words, " ", " ", text);
      cs_text_add(text, "'");
  }
}

/* The values of the options of a command. */
static void add_values(struct cs_text *text, const struct cs_command *command) {
  for (size_t i = 0; i < command->uses; i++) {
    const struct cs_option_use *use = &command->use[i];
    const struct cs_option_row *row = cs_option_row(use->option);
    if (row->kind == CS_VALUE_NONE) continue;
    cs_text_add(text, "    ");
    if (row->letter != '\0') cs_text_add(text, "%s:-%c | ", command->name, row->letter);
    cs_text_add(text, "%s:--%s) ", command->name, row->name);
    add_offer(text, row->kind, row->name, row->words, use->extensions);
    cs_text_add(text, " ;;\n");
  }
}

/* The options of a command, and its operands. */
static void add_words(struct cs_text *text, const struct cs_command *command) {
  cs_text_add(text, "    %s:-*) _cosweep_words '", command->name);
  for (size_t i = 0; i < command->uses; i++)
    cs_text_add(text, "%s--%s", i > 0 ? " " : "", cs_option_row(command->use[i].option)->name);
  cs_text_add(text, "' ;;\n    %s:*) ", command->name);
  add_offer(text, command->operand.kind, "", command->operand.words, command->operand.extensions);
  cs_text_add(text, " ;;\n");
}

/* Words of a list; files with one of the extensions, and directories; what the program knows of an option with the
 * files of the command line, whose texts the shell must not expand. */
static const char helpers[] =
    "_cosweep_words() {\n"
    "  mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\")\n"
    "}\n\n"
    "_cosweep_files() {\n"
    "  local extension file\n"
    "  compopt -o filenames 2> /dev/null\n"
    "  for extension; do\n"
    "    while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -f -X \"!*.$extension\" -- "
    "\"$current\")\n"
    "  done\n"
    "  while IFS= read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -d -- \"$current\")\n"
    "}\n\n"
    "_cosweep_ask() {\n"
    "  local word line\n"
    "  local -a files=()\n"
    "  for word in \"${COMP_WORDS[@]:2}\"; do\n"
    "    if [[ $word == *.json || $word == *.h5 ]]; then\n"
    "      word=${word//\\\\/}\n"
    "      files+=(\"${word/#~\\//$HOME/}\")\n"
    "    fi\n"
    "  done\n"
    "  while IFS= read -r line; do\n"
    "    if [[ $line == *[=.] ]]; then compopt -o nospace 2> /dev/null; fi\n"
    "    if [[ $line == \"$current\"* ]]; then COMPREPLY+=(\"$(printf %q \"$line\")\"); fi\n"
    "  done < <(command \"${COMP_WORDS[0]}\" " CS_COMPLETE_WORD
    " \"$command\" \"$1\" \"$setting\" \"${files[@]}\" "
    "2> /dev/null)\n"
    "}\n\n";

/* bash splits "--set path=word" at the "=". */
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
  const struct cs_command *command = cs_cli_commands(&count);
  cs_text_add(text, "# Completion of cosweep for bash, written when cosweep was built.\n\n%s", helpers);
  cs_text_add(text, "%s    _cosweep_words '--help --version", body);
  for (size_t i = 0; i < count; i++)
    cs_text_add(text, " %s", command[i].name);
  cs_text_add(text, "'\n    return\n  fi\n  case $command:$option in\n");
  for (size_t i = 0; i < count; i++)
    add_values(text, &command[i]);
  cs_text_add(text,
              "    *) _cosweep_operands ;;\n  esac\n}\n\n_cosweep_operands() {\n"
              "  if ((equals > 0)); then return; fi\n  case $command:$current in\n");
  for (size_t i = 0; i < count; i++)
    add_words(text, &command[i]);
  cs_text_add(text, "  esac\n}\n\ncomplete -F _cosweep cosweep\n");
}
