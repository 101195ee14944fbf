/* cosweep explain: why a coupling is stable or not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "explain.h"
#include "interrupt.h"
#include "progress.h"

/* The next word of a list separated by commas; returns what follows, NULL after the last. */
static const char *next_word(const char *list, char *word, size_t room) {
  const size_t length = strcspn(list, ",");
  snprintf(word, room, "%.*s", (int)length, list);
  return list[length] == ',' ? list + length + 1 : NULL;
}

static int read_sizes(const char *list, struct cs_explain_wish *wish, double **sizes, struct cs_error *error) {
  const char *all = list;
  size_t count = 1;
  for (const char *p = list; *p != '\0'; p++)
    count += *p == ',';
  wish->H = *sizes = malloc(count * sizeof **sizes);
  if (*sizes == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < count; i++) {
    char word[64], *end;
    list = next_word(list, word, sizeof word);
    (*sizes)[i] = strtod(word, &end);
    if (*word == '\0' || *end != '\0' || !((*sizes)[i] > 0.0) || !isfinite((*sizes)[i]))
      return cs_error_set(error, CS_USAGE, "--H %s: \"%s\" is no step size; want numbers above 0, separated by commas",
                          all, word);
  }
  wish->Hs = count;
  return CS_OK;
}

/* Among words [count]; NULL if there is none. */
static const char *find_word(const char *word, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(word, words[i]) == 0) return words[i];
  return NULL;
}

static int read_for(const char *said, struct cs_explain_wish *wish, struct cs_error *error) {
  static const char *const masters[] = {"jacobi", "gauss_seidel"}, *const holds[] = {"lagrange", "taylor"},
                           *const orders[] = {"0", "1", "2", "3"};
  char word[3][32] = {"", "", ""};
  const char *rest = said;
  for (int i = 0; i < 3 && rest != NULL; i++)
    rest = next_word(rest, word[i], sizeof word[i]);
  wish->master = find_word(word[0], masters, 2);
  wish->hold = find_word(word[1], holds, 2);
  const char *order = find_word(word[2], orders, CS_EXPLAIN_ORDERS);
  if (rest != NULL || wish->master == NULL || wish->hold == NULL || order == NULL)
    return cs_error_set(error, CS_USAGE,
                        "--for %s: want MASTER,HOLD,ORDER with jacobi or gauss_seidel, lagrange or taylor, 0 to 3, "
                        "such as jacobi,lagrange,1",
                        said);
  wish->order = (unsigned)(*order - '0');
  return CS_OK;
}

static int read_wish(const struct cs_arguments *arguments, struct cs_explain_wish *wish, double **sizes,
                     struct cs_error *error) {
  int code = CS_OK;
  wish->t_end = arguments->real[CS_OPTION_T_END];
  wish->master = "jacobi", wish->hold = "lagrange", wish->order = 1;
  if (arguments->given[CS_OPTION_SIZES]) code = read_sizes(arguments->text[CS_OPTION_SIZES], wish, sizes, error);
  if (code == CS_OK && arguments->given[CS_OPTION_FOR]) code = read_for(arguments->text[CS_OPTION_FOR], wish, error);
  if (code == CS_OK) code = cs_command_read_can(arguments, &wish->derivatives, &wish->rollback, error);
  if (code == CS_OK && strcmp(wish->hold, "taylor") == 0) wish->derivatives = true;
  return code;
}

/* ---- what recommend needs as well */

int cs_command_read_can(const struct cs_arguments *arguments, bool *derivatives, bool *rollback,
                        struct cs_error *error) {
  for (const char *rest = arguments->text[CS_OPTION_CAN]; rest != NULL;) {
    char word[32];
    rest = next_word(rest, word, sizeof word);
    if (strcmp(word, "derivatives") == 0)
      *derivatives = true;
    else if (strcmp(word, "rollback") == 0)
      *rollback = true;
    else
      return cs_error_set(error, CS_USAGE, "--can %s: unknown word \"%s\"; want derivatives, rollback or both",
                          arguments->text[CS_OPTION_CAN], word);
  }
  return CS_OK;
}

int cs_command_load_model(const char *path, const char *command, struct cs_text *source, struct cs_model **model,
                          struct cs_error *error) {
  struct cs_json *json = NULL;
  int code = cs_text_read(source, path, "JSON file", error);
  if (code == CS_OK) code = cs_json_parse(path, cs_text_string(source), source->length, &json, error);
  if (code != CS_OK) return code;
  const struct cs_node *root = cs_json_root(json);
  const struct cs_node *format = cs_json_kind(root) == CS_OBJECT ? cs_json_get(root, "format") : NULL;
  if (format == NULL || cs_json_kind(format) != CS_STRING ||
      strncmp(cs_json_string(format), "cosweep-sweep/", strlen("cosweep-sweep/")) != 0)
    return cs_model_read(json, model, error);
  cs_json_free(json);
  return cs_error_set(error, CS_INPUT, "%s: %s takes a model; its settings go into --set", path, command);
}

/* ---- the command */

/* On stdout, or as a page in the file of -o. */
static int show(const struct cs_arguments *arguments, const struct cs_explanation *explanation,
                struct cs_error *error) {
  const char *output = arguments->text[CS_OPTION_OUTPUT];
  struct cs_text text = {0};
  if (output == NULL || arguments->given[CS_OPTION_JSON]) {
    (arguments->given[CS_OPTION_JSON] ? cs_explain_add_json : cs_explain_add_text)(explanation, &text);
    cs_text_make_plain(&text);
    const int code = cs_command_print(&text, error);
    if (code != CS_OK || output == NULL) return code;
  }
  int code = cs_explain_add_page(explanation, &text, error);
  if (code == CS_OK) code = cs_command_write(output, arguments->given[CS_OPTION_FORCE], &text, error);
  if (code == CS_OK && !arguments->given[CS_OPTION_JSON] && strcmp(output, "-") != 0) puts(output);
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
  struct cs_engine_options options = {.stop = cs_interrupt_catch()};
  struct cs_text source = {0};
  struct cs_explain_wish wish = {.experiment = {.path = arguments->operand[0],
                                                .source = &source,
                                                .set = arguments->list[CS_OPTION_SET].text,
                                                .sets = arguments->list[CS_OPTION_SET].count,
                                                .options = &options}};
  struct cs_explanation explanation = {0};
  struct cs_devices devices = {0};
  struct cs_model *model = NULL;
  double *sizes = NULL;
  int code = read_wish(arguments, &wish, &sizes, error);
  if (code == CS_OK) code = check_output(arguments, error);
  if (code == CS_OK) code = cs_command_load_model(arguments->operand[0], "explain", &source, &model, error);
  if (code == CS_OK) code = cs_devices_open(arguments->text[CS_OPTION_DEVICE], &devices, error);
  wish.experiment.device = devices.device;
  wish.experiment.devices = devices.count;
  if (code == CS_OK) {
    struct cs_progress_bar bar;
    cs_progress_open(&bar, model->name, arguments->given[CS_OPTION_QUIET], &options);
    code = cs_explain_open(model, &wish, &explanation, error);
    cs_progress_close(&bar);
  }
  if (code == CS_OK) code = show(arguments, &explanation, error);
  cs_explain_close(&explanation);
  cs_text_free(&source);
  cs_devices_close(&devices);
  cs_model_free(model);
  free(sizes);
  return code;
}
