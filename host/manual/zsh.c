/* Completion for zsh. */
#include "complete.h"
#include "manual.h"

/* Appends help between single quotes and brackets, where colons and brackets have to be escaped. */
static void add_help(struct cs_text *text, const char *help) {
  for (; *help != '\0'; help++)
    if (*help == '\'')
      cs_text_add(text, "'\\''");
    else if (*help == '[' || *help == ']' || *help == ':' || *help == '\\')
      cs_text_add(text, "\\%c", *help);
    else
      cs_text_append(text, help, 1);
}

/* Appends what completes values of a kind. `name` of an option, `words` and `extensions` as in the row of an option or
 * operand. */
static void add_action(struct cs_text *text, enum cs_value kind, const char *name, const char *const *words,
                       const char *extensions) {
  switch (kind) {
    case CS_VALUE_FILE:
      cs_text_add(text, "_files -g \"*.(");
      for (const char *p = extensions; *p != '\0'; p++)
        cs_text_append(text, *p == ' ' ? "|" : p, 1);
      cs_text_add(text, ")(-.)\"");
      break;
    case CS_VALUE_DIRECTORY:
      cs_text_add(text, "_files -/");
      break;
    case CS_VALUE_SETTING:
    case CS_VALUE_POINT:
    case CS_VALUE_AXIS:
    case CS_VALUE_METRIC:
    case CS_VALUE_METHOD:
    case CS_VALUE_SIGNAL:
      cs_text_add(text, " _cosweep_ask --%s", name);
      break;
    default:
      cs_text_add(text, words[0] != NULL ? "(" : " ");
      cs_option_add_words(words, " ", " ", text);
      cs_text_add(text, words[0] != NULL ? ")" : "");
  }
}

/* One argument of _arguments for an option. */
static void add_option(struct cs_text *text, const struct cs_option_use *use) {
  const struct cs_option_row *row = cs_option_row(use->option);
  const char *equals = row->value != NULL ? "=" : "";
  struct cs_text phrase = {0};
  cs_text_add(text, " \\\n        ");
  if (row->repeated)
    cs_text_add(text, "'*--%s%s", row->name, equals);
  else if (row->letter != '\0')
    cs_text_add(text, "'(-%c --%s)'{-%c%s,--%s%s}'", row->letter, row->name, row->letter, row->value != NULL ? "+" : "",
                row->name, equals);
  else
    cs_text_add(text, "'--%s%s", row->name, equals);
  cs_option_add_phrase(use, &phrase);
  cs_text_add(text, "[");
  add_help(text, cs_text_string(&phrase));
  cs_text_add(text, "]");
  if (row->value != NULL) {
    cs_text_add(text, ":%s:", row->value);
    add_action(text, row->kind, row->name, row->words, use->extensions);
  }
  cs_text_add(text, "'");
  text->failed |= phrase.failed;
  cs_text_free(&phrase);
}

static void add_operand(struct cs_text *text, const struct cs_operand *operand) {
  if (operand->kind == CS_VALUE_NONE) return;
  cs_text_add(text, " \\\n        '%s:", operand->several || operand->pair ? "*" : "");
  add_help(text, operand->what);
  cs_text_add(text, ":");
  add_action(text, operand->kind, "", operand->words, operand->extensions);
  cs_text_add(text, "'");
}

/* What the program knows of an option with the files of the command line. */
static const char helper[] =
    "_cosweep_ask() {\n"
    "  local name=''\n"
    "  if compset -P '*='; then name=${${IPREFIX%=}##*=}; fi\n"
    "  local -a lines=(${(f)\"$(_call_program values ${(q)program} " CS_COMPLETE_WORD
    " $words[1] $1 ${(qq)name} ${(M)words:#*.(json|h5)})\"})\n"
    "  compadd -S '' -- ${(M)lines:#*[=.]}\n"
    "  compadd -- ${lines:#*[=.]}\n"
    "}\n\n";

void manual_zsh(struct cs_text *text) {
  size_t count;
  const struct cs_command *command = cs_cli_commands(&count);
  cs_text_add(text, "#compdef cosweep\n# Completion of cosweep for zsh, written when cosweep was built.\n\n");
  cs_text_add(text,
              "%s_cosweep() {\n  local context state state_descr line program=${(Q)words[1]}\n  typeset -A opt_args\n"
              "  local -a commands=(\n",
              helper);
  for (size_t i = 0; i < count; i++) {
    cs_text_add(text, "    '%s:", command[i].name);
    add_help(text, command[i].help);
    cs_text_add(text, "'\n");
  }
  cs_text_add(text,
              "  )\n  _arguments -C '(- *)'{-h,--help}'[print the commands]' '(- *)--version[print the version]' \\\n"
              "    '1: :->command' '*:: :->rest'\n"
              "  case $state in\n    command) _describe command commands ;;\n"
              "    rest) case $words[1] in\n");
  for (size_t i = 0; i < count; i++) {
    cs_text_add(text, "      %s) _arguments -S", command[i].name);
    for (size_t use = 0; use < command[i].uses; use++)
      add_option(text, &command[i].use[use]);
    add_operand(text, &command[i].operand);
    cs_text_add(text, " ;;\n");
  }
  cs_text_add(text, "    esac ;;\n  esac\n}\n\n_cosweep \"$@\"\n");
}
