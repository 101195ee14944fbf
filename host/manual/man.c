/* Manual pages, in the man macros of roff. */
#include <ctype.h>
#include <string.h>

#include "manual.h"
#include "version.h"

/* ---- roff */

static void add_character(struct cs_text *text, char c) {
  if (c == '\\')
    cs_text_add(text, "\\e");
  else if (c == '-')
    cs_text_add(text, "\\-");
  else if (c == '~')
    cs_text_add(text, "\\(ti");
  else if (c == '^')
    cs_text_add(text, "\\(ha");
  else if (c == '`')
    cs_text_add(text, "\\(ga");
  else if (c == '\'')
    cs_text_add(text, "\\(aq");
  else
    cs_text_append(text, &c, 1);
}

static void add_literal(struct cs_text *text, const char *words) {
  for (; *words != '\0'; words++)
    add_character(text, *words);
}

/* Appends `length` bytes of text as one line, `literal` in bold, escaped so that it is not taken for a request. */
static void add_prose(struct cs_text *text, const char *words, size_t length) {
  bool bold = false;
  if (length > 0 && (words[0] == '.' || words[0] == '\'')) cs_text_add(text, "\\&");
  for (size_t i = 0; i < length; i++) {
    if (words[i] == '`') {
      bold = !bold;
      cs_text_add(text, bold ? "\\fB" : "\\fR");
    } else {
      add_character(text, words[i] == '\n' ? ' ' : words[i]);
    }
  }
  cs_text_add(text, "\n");
}

static void add_section(struct cs_text *text, const char *name) {
  cs_text_add(text, ".SH %s\n", name);
}

/* Each line of `paragraphs` is a paragraph. */
static void add_paragraphs(struct cs_text *text, const char *paragraphs) {
  for (bool first = true; *paragraphs != '\0'; first = false) {
    const size_t length = strcspn(paragraphs, "\n");
    if (!first) cs_text_add(text, ".PP\n");
    add_prose(text, paragraphs, length);
    paragraphs += length + (paragraphs[length] == '\n');
  }
}

static void add_title(struct cs_text *text, const char *name, const char *help) {
  cs_text_add(text, ".TH ");
  for (const char *p = name; *p != '\0'; p++)
    add_character(text, (char)toupper((unsigned char)*p));
  cs_text_add(text, " 1 \"\" \"cosweep %s\" \"User Commands\"\n", CS_VERSION);
  add_section(text, "NAME");
  add_literal(text, name);
  cs_text_add(text, " \\- ");
  add_prose(text, help, strlen(help));
}

/* ---- parts shared by pages */

static void add_examples(struct cs_text *text, const struct manual_about *about) {
  if (about == NULL || about->examples == NULL) return;
  add_section(text, "EXAMPLES");
  for (const char *const *example = about->examples; *example != NULL; example += 2) {
    if (example != about->examples) cs_text_add(text, ".PP\n");
    add_prose(text, example[0], strlen(example[0]));
    cs_text_add(text, ".PP\n.RS 4\n.EX\n");
    for (const char *line = example[1]; *line != '\0';) {
      const size_t length = strcspn(line, "\n");
      for (size_t i = 0; i < length; i++)
        add_character(text, line[i]);
      cs_text_add(text, "\n");
      line += length + (line[length] == '\n');
    }
    cs_text_add(text, ".EE\n.RE\n");
  }
}

/* Of a command, or for NULL of any command. */
static void add_exit_status(struct cs_text *text, const struct cs_command *command) {
  size_t count;
  const struct cs_exit *exit = cs_cli_exits(&count);
  add_section(text, "EXIT STATUS");
  for (size_t i = 0; i < count; i++) {
    if (!cs_cli_ends_with(command, &exit[i])) continue;
    cs_text_add(text, ".TP\n\\fB%d\\fR\n", exit[i].status);
    add_prose(text, exit[i].meaning, strlen(exit[i].meaning));
  }
}

static void add_see_also(struct cs_text *text, const char *but) {
  size_t count;
  const struct cs_command *command = cs_cli_commands(&count);
  const char *separator = "";
  add_section(text, "SEE ALSO");
  if (but[0] != '\0') {
    cs_text_add(text, ".BR cosweep (1)");
    separator = ",\n";
  }
  for (size_t i = 0; i < count; i++) {
    if (strcmp(command[i].name, but) == 0) continue;
    cs_text_add(text, "%s.BR cosweep\\-%s (1)", separator, command[i].name);
    separator = ",\n";
  }
  cs_text_add(text, "\n");
}

static void add_option(struct cs_text *text, const struct cs_option_use *use) {
  const struct cs_option_row *row = cs_option_row(use->option);
  struct cs_text phrase = {0};
  cs_text_add(text, ".TP\n");
  if (row->letter != '\0') cs_text_add(text, "\\fB\\-%c\\fR, ", row->letter);
  cs_text_add(text, "\\fB\\-\\-");
  add_literal(text, row->name);
  cs_text_add(text, "\\fR");
  if (row->value != NULL) {
    cs_text_add(text, " \\fI");
    add_literal(text, row->value);
    cs_text_add(text, "\\fR");
  }
  cs_text_add(text, "\n");
  cs_option_add_phrase(use, &phrase);
  add_prose(text, cs_text_string(&phrase), phrase.length);
  text->failed |= phrase.failed;
  cs_text_free(&phrase);
}

/* ---- pages */

void manual_command_page(const struct cs_command *command, struct cs_text *text) {
  const struct manual_about *about = manual_about(command->name);
  struct cs_text name = {0}, usage = {0};
  cs_text_add(&name, "cosweep-%s", command->name);
  cs_cli_add_usage(command, &usage);
  add_title(text, cs_text_string(&name), command->help);
  add_section(text, "SYNOPSIS");
  cs_text_add(text, ".B cosweep ");
  add_literal(text, command->name);
  cs_text_add(text, "\n");
  if (usage.length > strlen(command->name)) {
    cs_text_add(text, ".I ");
    add_literal(text, usage.data + strlen(command->name) + 1);
    cs_text_add(text, "\n");
  }
  cs_text_add(text, ".RI [ options ]\n");
  if (about != NULL) {
    add_section(text, "DESCRIPTION");
    add_paragraphs(text, about->text);
  }
  add_section(text, "OPTIONS");
  for (size_t i = 0; i < command->uses; i++)
    add_option(text, &command->use[i]);
  add_exit_status(text, command);
  add_examples(text, about);
  add_see_also(text, command->name);
  text->failed |= usage.failed;
  cs_text_free(&name);
  cs_text_free(&usage);
}

static void add_environment(struct cs_text *text) {
  static const char *const variable[][2] = {
      {"COSWEEP_CACHE",
       "directory that keeps built kernels, `off` to keep none. Default: `$XDG_CACHE_HOME/cosweep`, or "
       "`~/.cache/cosweep`"},
      {"POCL_CACHE_DIR", "directory in which PoCL itself keeps its own if `COSWEEP_CACHE` is not set"},
      {"OCL_ICD_VENDORS", "directory of the OpenCL drivers to use"},
      {"NO_COLOR", "if set and not empty, the progress bar and `info` use no colours"}};
  add_section(text, "ENVIRONMENT");
  for (size_t i = 0; i < sizeof variable / sizeof *variable; i++) {
    cs_text_add(text, ".TP\n.B %s\n", variable[i][0]);
    add_prose(text, variable[i][1], strlen(variable[i][1]));
  }
}

void manual_program_page(struct cs_text *text) {
  size_t count;
  const struct cs_command *command = cs_cli_commands(&count);
  const struct manual_about *about = manual_about("");
  add_title(text, "cosweep", "batch experiments on co-simulations");
  add_section(text, "SYNOPSIS");
  cs_text_add(text,
              ".B cosweep\n.I command\n.RI [ options ]\n.br\n.B cosweep\n.I command\n.B \\-\\-help\n.br\n"
              ".B cosweep \\-\\-version\n");
  add_section(text, "DESCRIPTION");
  add_paragraphs(text, about->text);
  add_section(text, "COMMANDS");
  for (size_t i = 0; i < count; i++) {
    cs_text_add(text, ".TP\n.BR cosweep\\-%s (1)\n", command[i].name);
    add_prose(text, command[i].help, strlen(command[i].help));
  }
  add_exit_status(text, NULL);
  add_environment(text);
  add_examples(text, about);
  add_see_also(text, "");
}
