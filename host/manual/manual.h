/* Manual pages and completion scripts, generated during the build from the tables that --help uses. */
#ifndef COSWEEP_MANUAL_H
#define COSWEEP_MANUAL_H

#include "cli.h"

/* Additional text on a command. Texts: paragraphs separated by newlines, `literal` between backquotes. */
struct manual_about {
  const char *name; /* of the command; "" for the program itself */
  const char *text;
  const char *const *examples; /* pairs of a description and command lines; ends with NULL; may be NULL */
};
const struct manual_about *manual_about(const char *command); /* NULL if there is none */

/* Append a complete page or script. */
void manual_program_page(struct cs_text *text);
void manual_command_page(const struct cs_command *command, struct cs_text *text);
void manual_bash(struct cs_text *text);
void manual_zsh(struct cs_text *text);

#endif
