/* Manual pages and completion scripts, written when the program is built, from the tables that --help reads. */
#ifndef COSWEEP_MANUAL_H
#define COSWEEP_MANUAL_H

#include "cli.h"

/* What the tables do not say of a command. Texts: paragraphs separated by newlines, `literal` between backquotes. */
struct manual_about {
  const char *name; /* of the command; "" for the program itself */
  const char *text;
  const char *const *examples; /* command lines, each after what it does; ends with NULL */
};
const struct manual_about *manual_about(const char *command); /* NULL: there is none */

/* The words that an option's value may be, separated by blanks; "" where they are not known. */
const char *manual_words(int option);
/* Whether an option may be given again and again. */
bool manual_repeats(const struct cs_command *command, int option);

/* What a command's operands are. */
enum manual_operand { MANUAL_NOTHING, MANUAL_JSON, MANUAL_RESULT, MANUAL_DIRECTORY, MANUAL_WORDS };
/* `words` gets those of MANUAL_WORDS, separated by blanks. */
enum manual_operand manual_operand(const struct cs_command *command, struct cs_text *words);

/* Append a whole page or script. */
void manual_program_page(struct cs_text *text);
void manual_command_page(const struct cs_command *command, struct cs_text *text);
void manual_bash(struct cs_text *text);
void manual_zsh(struct cs_text *text);

#endif
