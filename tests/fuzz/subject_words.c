/* Command lines, a word in each line. None of the files that they name exists. */
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "cli.h"
#include "fuzz.h"

enum { MOST_WORDS = 12 };

/* Commands that make files, or that look for devices or requests. */
static bool is_left_out(const char *command) {
  return strcmp(command, "new") == 0 || strcmp(command, "devices") == 0 || strcmp(command, CS_BUILDER_WORD) == 0;
}

static void take(const char *bytes, size_t size) {
  char *copy = malloc(size + 1), *word[MOST_WORDS + 1] = {copy};
  size_t words = 1;
  memcpy(copy, bytes, size + 1);
  for (char *c = copy; *c != '\0' && words < MOST_WORDS; c++) {
    if (*c == '/') *c = '_'; /* files below the folder only */
    if (*c != '\n') continue;
    *c = '\0';
    word[words++] = c + 1;
  }
  if (strchr(word[words - 1], '/') == NULL && !is_left_out(word[0])) cs_cli((int)words, word);
  free(copy);
}

static const char *value_of(const struct cs_option_row *row, const struct cs_option_use *use) {
  if (row->words[0] != NULL) return row->words[0];
  switch (row->kind) {
    case CS_VALUE_COUNT:
      return "4";
    case CS_VALUE_NUMBER:
      return "1e-3";
    case CS_VALUE_SETTING:
      return "t_end=1";
    case CS_VALUE_POINT:
      return "H=0.1";
    default:
      return use->extensions != NULL ? "a.svg" : "output_error";
  }
}

/* Each command alone, with each of its options, and with all of them. */
static void seed(void) {
  size_t commands;
  const struct cs_command *command = cs_cli_commands(&commands);
  for (size_t i = 0; i < commands; i++) {
    struct cs_text all = {0};
    cs_text_add(&all, "%s\na.%.2s", command[i].name,
                command[i].operand.extensions != NULL ? command[i].operand.extensions : "");
    for (size_t k = 0; k < command[i].uses; k++) {
      const struct cs_option_row *row = cs_option_row((int)command[i].use[k].option);
      struct cs_text one = {0};
      cs_text_add(&one, "%s\na.h5\n--%s", command[i].name, row->name);
      if (row->kind != CS_VALUE_NONE) cs_text_add(&one, "\n%s", value_of(row, &command[i].use[k]));
      fuzz_seed(one.data, one.length);
      cs_text_add(&all, "\n--%s", row->name);
      if (row->kind != CS_VALUE_NONE) cs_text_add(&all, "=%s", value_of(row, &command[i].use[k]));
      cs_text_free(&one);
    }
    fuzz_seed(all.data, all.length);
    cs_text_free(&all);
  }
  fuzz_seed_text("--version");
  fuzz_seed_text("--help");
  fuzz_seed_text("-\n--\n\n-q");
}

static void words(void) {
  size_t commands;
  const struct cs_command *command = cs_cli_commands(&commands);
  for (size_t i = 0; i < commands; i++)
    fuzz_word(command[i].name);
  for (int i = 0; i < CS_OPTIONS; i++) {
    const struct cs_option_row *row = cs_option_row(i);
    struct cs_text text = {0};
    cs_text_add(&text, "--%s", row->name);
    fuzz_word(text.data);
    cs_text_free(&text);
    for (size_t k = 0; row->words[k] != NULL; k++)
      fuzz_word(row->words[k]);
  }
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed, .words = words, .prints = true};
