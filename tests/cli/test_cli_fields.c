/* The rows of options and commands: what their fields say is what the program does, and what its help, the manual pages
 * and the completion scripts show. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "cli_case.h"
#include "metric.h"
#include "trace.h"
#include "words.h"

TestSuite(cli_fields, .init = cli_case_open, .fini = cli_case_close, .timeout = 300);

/* ---- what there is to look into */

/* A file that the build wrote beside the program, in manual/pages/. */
static void read_page(const char *name, struct cs_text *text) {
  const char *program = COSWEEP_PROGRAM, *slash = strrchr(program, '/');
  struct cs_text path = {0};
  struct cs_error error;
  cs_text_add(&path, "%.*s/manual/pages/%s", (int)(slash - program), program, name);
  cr_assert_eq(cs_text_read(text, path.data, "page", &error), CS_OK, "%s", error.message);
  cs_text_free(&path);
}

/* A manual page as it is read: without what roff wants before signs. */
static void read_man(const char *command, struct cs_text *text) {
  static const char *const sign[][2] = {{"\\-", "-"}, {"\\(aq", "'"}, {"\\(ti", "~"}, {"\\fB", ""}, {"\\fR", ""}};
  struct cs_text raw = {0}, name = {0};
  cs_text_add(&name, "man1/cosweep-%s.1", command);
  read_page(name.data, &raw);
  for (const char *at = raw.data; *at != '\0';) {
    size_t s = 0;
    while (s < sizeof sign / sizeof *sign && strncmp(at, sign[s][0], strlen(sign[s][0])) != 0)
      s++;
    const bool known = s < sizeof sign / sizeof *sign;
    cs_text_append(text, known ? sign[s][1] : at, known ? strlen(sign[s][1]) : 1);
    at += known ? strlen(sign[s][0]) : 1;
  }
  cs_text_free(&raw);
  cs_text_free(&name);
}

/* From `head` to the end of its line. */
static void copy_line(const struct cs_text *text, const char *head, struct cs_text *line) {
  const char *at = strstr(cs_text_string(text), head);
  cr_assert_not_null(at, "nothing begins with \"%s\"", head);
  cs_text_append(line, at, strcspn(at, "\n"));
}

/* The part of the zsh script that is about a command. */
static void copy_zsh(const struct cs_text *script, const char *command, struct cs_text *part) {
  struct cs_text head = {0};
  cs_text_add(&head, "\n      %s) _arguments", command);
  const char *at = strstr(cs_text_string(script), head.data);
  cr_assert_not_null(at, "zsh knows no %s", command);
  cs_text_append(part, at, (size_t)(strstr(at, ";;") - at));
  cs_text_free(&head);
}

static void expect_in(const struct cs_text *text, const char *part, const char *option) {
  cr_expect(strstr(cs_text_string(text), part), "--%s: no \"%s\" in: %s", option, part, cs_text_string(text));
}

static void expect_words(const struct cs_text *text, const char *const *words, const char *option) {
  for (size_t w = 0; words[w] != NULL; w++)
    expect_in(text, words[w], option);
}

static void expect_extensions(const struct cs_text *text, const char *extensions, const char *option) {
  char list[64], *rest = NULL;
  snprintf(list, sizeof list, "%s", extensions != NULL ? extensions : "");
  for (char *one = strtok_r(list, " ", &rest); one != NULL; one = strtok_r(NULL, " ", &rest))
    expect_in(text, one, option);
}

/* ---- options */

/* A row does not contradict itself. */
static void check_row(const struct cs_option_use *use) {
  const struct cs_option_row *row = cs_option_row(use->option);
  cr_expect_eq(row->kind == CS_VALUE_NONE, row->value == NULL, "--%s: kind and value", row->name);
  cr_expect(row->kind != CS_VALUE_WORD || row->words[0] != NULL, "--%s: no words", row->name);
  cr_expect_eq(row->kind == CS_VALUE_FILE, use->extensions != NULL, "--%s: extensions", row->name);
  cr_expect(use->help != NULL || row->help != NULL, "--%s: no help", row->name);
  cr_expect(row->kind != CS_VALUE_NONE || !(row->repeated || use->listed), "--%s: a flag is given once", row->name);
}

static void check_phrase(const struct cs_option_use *use) {
  const struct cs_option_row *row = cs_option_row(use->option);
  const char *initial = use->initial != NULL ? use->initial : row->initial;
  struct cs_text phrase = {0};
  cs_option_add_phrase(use, &phrase);
  expect_words(&phrase, row->words, row->name);
  if (row->others != NULL) expect_in(&phrase, row->others, row->name);
  if (initial != NULL) expect_in(&phrase, initial, row->name);
  if (use->extensions != NULL && strchr(use->extensions, ' ') != NULL)
    expect_extensions(&phrase, use->extensions, row->name);
  cr_expect_eq(strstr(phrase.data, "default: ") != NULL, initial != NULL, "%s", phrase.data);
  cr_expect_eq(strstr(phrase.data, "may be repeated") != NULL, row->repeated, "%s", phrase.data);
  cr_expect_eq(strstr(phrase.data, "separated by commas") != NULL, use->listed, "%s", phrase.data);
  cs_text_free(&phrase);
}

static void check_completion(const char *command, const struct cs_option_use *use, const struct cs_text *bash,
                             const struct cs_text *zsh) {
  const struct cs_option_row *row = cs_option_row(use->option);
  struct cs_text line = {0}, argument = {0}, head = {0};
  cs_text_add(&head, "--%s%s[", row->name, row->value != NULL ? "=" : "");
  if (row->letter == '\0')
    copy_line(zsh, head.data, &argument);
  else
    cs_text_add(&argument, "%s", zsh->data);
  cs_text_free(&head);
  cs_text_add(&head, "'*--%s=", row->name);
  cr_expect_eq(strstr(zsh->data, head.data) != NULL, row->repeated, "zsh: %s --%s", command, row->name);
  cs_text_free(&head);
  cs_text_add(&head, "%s:--%s) ", command, row->name);
  if (row->value != NULL)
    copy_line(bash, head.data, &line);
  else
    cr_expect_null(strstr(bash->data, head.data), "bash: %s --%s takes a value", command, row->name);
  expect_words(&argument, row->words, row->name);
  expect_extensions(&argument, use->extensions, row->name);
  expect_words(&line, row->words, row->name);
  expect_extensions(&line, use->extensions, row->name);
  const bool asked = row->kind == CS_VALUE_METRIC || row->kind == CS_VALUE_SETTING || row->kind == CS_VALUE_POINT ||
                     row->kind == CS_VALUE_AXIS || row->kind == CS_VALUE_SIGNAL;
  if (asked) expect_in(&line, "_cosweep_ask --", row->name);
  if (asked) expect_in(&argument, "_cosweep_ask --", row->name);
  cs_text_free(&line);
  cs_text_free(&argument);
  cs_text_free(&head);
}

/* What help and manual page say of an option, words apart: its name with letter and value, then the phrase. */
static void check_pages(const char *command, const struct cs_option_use *use, const struct cs_text *man) {
  const struct cs_option_row *row = cs_option_row(use->option);
  struct cs_text help = {0}, phrase = {0}, label = {0};
  if (row->letter != '\0') cs_text_add(&label, "-%c, ", row->letter);
  cs_text_add(&label, "--%s", row->name);
  if (row->value != NULL) cs_text_add(&label, " %s", row->value);
  cs_option_add_phrase(use, &phrase);
  cs_option_add_help(use, &help);
  expect_in(&help, label.data, command);
  expect_in(man, phrase.data, command);
  cs_text_free(&label);
  cs_text_add(&label, "--%s", row->name);
  expect_in(man, label.data, command);
  cs_text_free(&help);
  cs_text_free(&phrase);
  cs_text_free(&label);
}

Test(cli_fields, options) {
  struct cs_text bash = {0}, script = {0};
  size_t count;
  const struct cs_command *command = cs_cli_commands(&count);
  bool used[CS_OPTIONS] = {false};
  read_page("cosweep.bash", &bash);
  read_page("_cosweep", &script);
  for (size_t c = 0; c < count; c++) {
    struct cs_text man = {0}, zsh = {0};
    read_man(command[c].name, &man);
    copy_zsh(&script, command[c].name, &zsh);
    for (size_t i = 0; i < command[c].uses; i++) {
      const struct cs_option_use *use = &command[c].use[i];
      used[use->option] = true;
      check_row(use);
      check_phrase(use);
      check_completion(command[c].name, use, &bash, &zsh);
      check_pages(command[c].name, use, &man);
      for (size_t j = 0; j < i; j++)
        cr_expect_neq(use->option, command[c].use[j].option, "%s has an option twice", command[c].name);
    }
    cr_expect_eq(command[c].use[command[c].uses - 1].option, CS_OPTION_HELP, "%s: no --help", command[c].name);
    cs_text_free(&man);
    cs_text_free(&zsh);
  }
  for (int option = 0; option < CS_OPTIONS; option++)
    cr_expect(used[option], "no command has --%s", cs_option_row(option)->name);
  cs_text_free(&bash);
  cs_text_free(&script);
}

/* Words that other rooms keep as well. */
Test(cli_fields, words_are_those_of_the_rooms) {
  const char *const *words = cs_option_row(CS_OPTION_COST)->words;
  size_t costs = 0;
  for (int m = 0; m < CS_METRICS; m++) {
    const unsigned char place = cs_metric_table[m].use[CS_USE_COST];
    if (place > 0) cr_expect_str_eq(words[place - 1], cs_metric_table[m].name);
    costs += place > 0;
  }
  cr_expect_null(words[costs]);
  cr_expect_eq(strtoul(cs_option_row(CS_OPTION_MOST)->initial, NULL, 10), CS_TRACE_MOST);
}

/* A value that the option takes. */
static const char *sample(const struct cs_option_row *row) {
  if (row->words[0] != NULL) return row->words[0];
  if (row->kind == CS_VALUE_COUNT || row->kind == CS_VALUE_SIZE) return row->zero ? "0" : "1";
  return row->kind == CS_VALUE_NUMBER ? "0.5" : "a=1";
}

/* Every value of an option that may be repeated is kept, of the others the last one. */
Test(cli_fields, options_are_read_as_their_rows_say) {
  for (int option = 0; option < CS_OPTIONS; option++) {
    const struct cs_option_row *row = cs_option_row(option);
    const struct cs_option_use use = {.option = (enum cs_option)option};
    struct cs_arguments arguments;
    struct cs_error error;
    char name[64], value[64];
    snprintf(name, sizeof name, "--%s", row->name);
    snprintf(value, sizeof value, "%s", row->value != NULL ? sample(row) : name);
    char *words[] = {name, value, name, value};
    cr_assert_eq(cs_option_read_arguments("x", &use, 1, 4, words, &arguments, &error), CS_OK, "%s", error.message);
    cr_expect(arguments.given[option]);
    cr_expect_eq(arguments.operands, 0);
    cr_expect_eq(arguments.list[option].count, row->repeated ? 2 : 0, "--%s", row->name);
    cr_expect_eq(arguments.text[option], row->value != NULL ? value : NULL);
    cs_option_free_arguments(&arguments);
    if (row->kind != CS_VALUE_COUNT && row->kind != CS_VALUE_NUMBER && row->kind != CS_VALUE_SIZE &&
        row->kind != CS_VALUE_SETTING)
      continue;
    snprintf(value, sizeof value, "=3");
    cr_expect_eq(cs_option_read_arguments("x", &use, 1, 2, words, &arguments, &error), CS_USAGE, "--%s =3", row->name);
    cs_option_free_arguments(&arguments);
  }
}

/* ---- commands */

static void check_operand(const struct cs_command *command, const struct cs_text *bash, const struct cs_text *zsh) {
  const struct cs_operand *operand = &command->operand;
  struct cs_text head = {0}, line = {0};
  cs_text_add(&head, "    %s:*) ", command->name);
  copy_line(bash, head.data, &line);
  expect_words(&line, operand->words, command->name);
  expect_extensions(&line, operand->extensions, command->name);
  cs_text_free(&head);
  if (operand->kind != CS_VALUE_NONE) {
    cs_text_add(&head, "'%s:%s:", operand->several || operand->pair ? "*" : "", operand->what);
    expect_in(zsh, head.data, command->name);
    expect_words(zsh, operand->words, command->name);
    expect_extensions(zsh, operand->extensions, command->name);
  }
  cs_text_free(&head);
  cs_text_free(&line);
}

/* --help and the page name the operand and the exit statuses of the command, and no others. */
static void check_command(const struct cs_command *command) {
  struct cs_text words = {0}, man = {0}, usage = {0}, out = {0};
  size_t count;
  const struct cs_exit *exit = cs_cli_exits(&count);
  read_man(command->name, &man);
  cs_text_add(&words, "%s --help", command->name);
  struct cli_result help = cli_run(words.data);
  cs_words_add_paragraph(&out, 0, help.out); /* in lines of its own */
  for (char *p = out.data; *p != '\0'; p++)
    *p = *p == '\n' ? ' ' : *p;
  cs_text_add(&usage, "usage: cosweep ");
  cs_cli_add_usage(command, &usage);
  expect_in(&out, usage.data, command->name);
  expect_in(&man, usage.data + strlen("usage: cosweep ") + strlen(command->name), command->name);
  for (size_t i = 0; i < count; i++) {
    struct cs_text line = {0}, entry = {0};
    const bool ends = cs_cli_ends_with(command, &exit[i]);
    cs_text_add(&line, " %d %s", exit[i].status, exit[i].meaning);
    cs_text_add(&entry, ".TP\n%d\n%s\n", exit[i].status, exit[i].meaning);
    cr_expect_eq(strstr(out.data, line.data) != NULL, ends, "%s --help: status %d", command->name, exit[i].status);
    cr_expect_eq(strstr(man.data, entry.data) != NULL, ends, "page of %s: status %d", command->name, exit[i].status);
    cs_text_free(&line);
    cs_text_free(&entry);
  }
  cli_free(&help);
  cs_text_free(&words);
  cs_text_free(&man);
  cs_text_free(&usage);
  cs_text_free(&out);
}

/* Too few and too many operands. */
static void check_count(const struct cs_command *command) {
  struct cs_text words = {0};
  cs_text_add(&words, "%s", command->name);
  if (command->operand.kind != CS_VALUE_NONE && !command->operand.optional) {
    struct cli_result none = cli_run(words.data);
    cr_expect_eq(none.status, CS_USAGE, "%s: exit status %d", words.data, none.status);
    cr_expect(strstr(none.err, command->operand.what), "%s: %s", words.data, none.err);
    cli_free(&none);
  }
  cs_text_add(&words, " a.none b.none");
  struct cli_result two = cli_run(words.data);
  cr_expect_eq(strstr(two.err, "unexpected argument") == NULL, command->operand.several || command->operand.pair, "%s",
               two.err);
  cli_free(&two);
  cs_text_free(&words);
}

Test(cli_fields, commands) {
  struct cs_text bash = {0}, script = {0};
  size_t count;
  const struct cs_command *command = cs_cli_commands(&count);
  read_page("cosweep.bash", &bash);
  read_page("_cosweep", &script);
  for (size_t c = 0; c < count; c++) {
    struct cs_text zsh = {0};
    copy_zsh(&script, command[c].name, &zsh);
    check_operand(&command[c], &bash, &zsh);
    check_command(&command[c]);
    check_count(&command[c]);
    cs_text_free(&zsh);
  }
  cs_text_free(&bash);
  cs_text_free(&script);
}
