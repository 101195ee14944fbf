/* What completion knows beyond the tables: the words that values and operands may be. */
#include <ctype.h>
#include <string.h>

#include "manual.h"

const char *manual_words(int option) {
  static const char *const words[][2] = {{"device", "cpu gpu all"},
                                         {"cost", "evaluations stages steps"},
                                         {"format", "csv matlab xdmf"},
                                         {"kind", "convergence map cost trace lines points"}};
  const struct cs_option_text info = cs_option_text(option);
  if (info.legal != NULL) return info.legal + strspn(info.legal, " ");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i][0], info.name) == 0) return words[i][1];
  return "";
}

bool manual_repeats(const struct cs_command *command, int option) {
  const char *help = cs_command_option_help(command, option);
  return help != NULL && strstr(help, "repeated") != NULL;
}

/* The table names operands as the help does: " SWEEP...", " FILE.h5", " [DIR]", " model|sweep". */
enum manual_operand manual_operand(const struct cs_command *command, struct cs_text *words) {
  const char *names = command->operands;
  if (names[0] == '\0') return MANUAL_NOTHING;
  if (strstr(names, ".h5") != NULL) return MANUAL_RESULT;
  if (strstr(names, "DIR") != NULL) return MANUAL_DIRECTORY;
  if (!islower((unsigned char)names[1])) return MANUAL_JSON;
  for (const char *p = names + 1; *p != '\0'; p++)
    cs_text_append(words, *p == '|' ? " " : p, 1);
  return MANUAL_WORDS;
}
