/* cosweep explain: why a coupling is stable or not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "explain.h"
#include "near.h"
#include "print.h"
#include "setting.h"
#include "subject.h"
#include "word_list.h"

static int read_sizes(const char *list, struct cs_explain_wish *wish, double **sizes, struct cs_error *error) {
  struct cs_word_list words;
  int code = cs_word_list_read(list, &words, error);
  if (code == CS_OK) {
    wish->H = *sizes = malloc(words.count * sizeof **sizes);
    wish->Hs = words.count;
    if (*sizes == NULL) code = cs_error_memory(error);
  }
  for (size_t i = 0; i < words.count && code == CS_OK; i++) {
    char *end;
    (*sizes)[i] = strtod(words.word[i], &end);
    if (end == words.word[i] || *end != '\0' || !((*sizes)[i] > 0.0) || !isfinite((*sizes)[i]))
      code = cs_error_set(error, CS_USAGE, "--H %s: \"%s\" is no step size; want numbers above 0, separated by commas",
                          list, words.word[i]);
  }
  cs_word_list_free(&words);
  return code;
}

static int read_steps(const char *said, double step[2], struct cs_error *error) {
  char *colon = NULL, *end = NULL;
  step[0] = strtod(said, &colon);
  if (colon != said && *colon == ':') step[1] = strtod(colon + 1, &end);
  const bool good = end != NULL && end != colon + 1 && *end == '\0' && step[0] > 0.0 && step[1] > 0.0 &&
                    isfinite(step[0]) && isfinite(step[1]) && step[0] != step[1] && step[1] / step[0] > 0.0 &&
                    isfinite(step[1] / step[0]);
  if (good) return CS_OK;
  return cs_error_set(error, CS_USAGE, "--steps %s: want A:B, two different step sizes above 0, such as 0.05:0.1",
                      said);
}

/* Word number `at` of --for: the number of one of `words` [count]. */
static int read_choice(const char *said, const struct cs_word_list *list, size_t at, const char *what,
                       const char *const *words, size_t count, unsigned *found, struct cs_error *error) {
  for (*found = 0; *found < count; ++*found)
    if (strcmp(list->word[at], words[*found]) == 0) return CS_OK;
  struct cs_text wrong = {0};
  cs_text_add(&wrong, "--for %s: unknown %s \"%s\"; want one of: ", said, what, list->word[at]);
  for (size_t i = 0; i < count; i++)
    cs_text_add(&wrong, "%s%s", i > 0 ? ", " : "", words[i]);
  cs_near_suggest(&wrong, list->word[at]);
  const int code = cs_error_set(error, CS_USAGE, "%s", cs_text_string(&wrong));
  cs_text_free(&wrong);
  return code;
}

static int read_for(const char *said, struct cs_explain_wish *wish, struct cs_error *error) {
  static const enum cs_hold hold[] = {CS_LAGRANGE, CS_TAYLOR, CS_HERMITE};
  enum { HOLDS = sizeof hold / sizeof *hold };
  static const char *const orders[] = {"0", "1", "2", "3"};
  const char *holds[HOLDS];
  struct cs_word_list words;
  unsigned master = 0, chosen = 0;
  for (size_t i = 0; i < HOLDS; i++)
    holds[i] = cs_setting_word(CS_SETTING_HOLD, hold[i]);
  int code = cs_word_list_read(said, &words, error);
  if (code == CS_OK && words.count != 3)
    code = cs_error_set(error, CS_USAGE, "--for %s: want MASTER,HOLD,ORDER, such as jacobi,lagrange,1", said);
  if (code == CS_OK)
    code = read_choice(said, &words, 0, "master", cs_setting_table[CS_SETTING_MASTER].words, CS_USER, &master, error);
  if (code == CS_OK) code = read_choice(said, &words, 1, "hold", holds, HOLDS, &chosen, error);
  if (code == CS_OK) code = read_choice(said, &words, 2, "order", orders, CS_EXPLAIN_ORDERS, &wish->order, error);
  cs_word_list_free(&words);
  if (code != CS_OK) return code;
  wish->approach = (struct cs_approach){.master = (enum cs_master)master, .hold = hold[chosen]};
  if (wish->approach.hold == CS_HERMITE && wish->order != 3)
    return cs_error_set(error, CS_USAGE, "--for %s: hold hermite has order 3; want %s,hermite,3", said,
                        cs_experiment_master(&wish->approach));
  return CS_OK;
}

static int read_wish(const struct cs_arguments *arguments, struct cs_explain_wish *wish, double **sizes,
                     struct cs_error *error) {
  int code = CS_OK;
  wish->t_end = arguments->real[CS_OPTION_T_END];
  wish->approach = (struct cs_approach){.master = CS_JACOBI, .hold = CS_LAGRANGE};
  wish->order = 1;
  if (arguments->given[CS_OPTION_SIZES]) code = read_sizes(arguments->text[CS_OPTION_SIZES], wish, sizes, error);
  if (code == CS_OK && arguments->given[CS_OPTION_PATTERNS])
    code = read_steps(arguments->text[CS_OPTION_PATTERNS], wish->steps, error);
  if (code == CS_OK && arguments->given[CS_OPTION_FOR]) code = read_for(arguments->text[CS_OPTION_FOR], wish, error);
  if (code == CS_OK)
    code = cs_subject_read_can(arguments, &wish->derivatives, &wish->rollback, &wish->integrals, error);
  if (code == CS_OK && wish->approach.hold == CS_TAYLOR) wish->derivatives = true;
  return code;
}

/* ---- the command */

/* On stdout, or as a page in the file of -o. */
static int show(const struct cs_arguments *arguments, const struct cs_explanation *explanation,
                struct cs_error *error) {
  const char *output = arguments->text[CS_OPTION_OUTPUT];
  struct cs_text text = {0};
  if (output == NULL || arguments->given[CS_OPTION_JSON]) {
    (arguments->given[CS_OPTION_JSON] ? cs_explain_add_json : cs_explain_add_text)(explanation, &text);
    const int code = cs_command_print(&text, error);
    if (code != CS_OK || output == NULL) return code;
  }
  int code = cs_explain_add_page(explanation, &text, error);
  if (code == CS_OK) code = cs_command_write(output, arguments->given[CS_OPTION_FORCE], &text, error);
  if (code == CS_OK && !arguments->given[CS_OPTION_JSON] && strcmp(output, "-") != 0) cs_print_path(output);
  cs_text_free(&text);
  return code;
}

/* Whether the page may be written, before anything is computed. */
static int check_output(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *output = arguments->text[CS_OPTION_OUTPUT];
  if (output == NULL) return CS_OK;
  const int code = cs_command_check_output(arguments, output, "explain", error);
  return code == CS_OK ? cs_command_absent(arguments, output, error) : code;
}

int cs_command_explain(const struct cs_arguments *arguments, struct cs_error *error) {
  struct cs_subject subject = {0};
  struct cs_explain_wish wish = {0};
  struct cs_explanation explanation = {0};
  struct cs_progress_bar bar;
  double *sizes = NULL;
  int code = read_wish(arguments, &wish, &sizes, error);
  if (code == CS_OK) code = check_output(arguments, error);
  if (code == CS_OK) code = cs_subject_load(arguments, &subject, error);
  if (code == CS_OK) code = cs_subject_begin(arguments, &subject, &bar, error);
  if (code == CS_OK) {
    wish.experiment = subject.experiment;
    code = cs_explain_open(subject.model, &wish, &explanation, error);
    cs_progress_close(&bar);
  }
  if (code == CS_OK) code = show(arguments, &explanation, error);
  cs_explain_close(&explanation);
  cs_subject_close(&subject);
  free(sizes);
  return code;
}
