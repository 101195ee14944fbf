/* Manual pages and completion scripts, written when the program is built, from the rows that --help reads. */
#ifndef COSWEEP_MANUAL_H
#define COSWEEP_MANUAL_H

#include "cli.h"

/* What the rows do not say of a command. Texts: paragraphs separated by newlines, `literal` between backquotes. */
struct manual_about {
  const char *name; /* of the command; "" for the program itself */
  const char *text;
  const char *const *examples; /* command lines, each after what it does; ends with NULL */
};
const struct manual_about *manual_about(const char *command); /* NULL: there is none */

/* Appends the names of all metrics, separated by blanks. */
void manual_add_metrics(struct cs_text *text);

/* Append a whole page or script. */
void manual_program_page(struct cs_text *text);
void manual_command_page(const struct cs_command *command, struct cs_text *text);
void manual_bash(struct cs_text *text);
void manual_zsh(struct cs_text *text);

#endif
