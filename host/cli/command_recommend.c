#define _XOPEN_SOURCE 700
/* cosweep recommend: the cheapest setting for an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "recommend.h"
#include "subject.h"
#include "word_list.h"

static int read_wish(const struct cs_arguments *arguments, struct cs_recommend_wish *wish, struct cs_word_list *names,
                     struct cs_error *error) {
  const char *cost = arguments->text[CS_OPTION_COST], *signal = arguments->text[CS_OPTION_SIGNAL];
  wish->error = arguments->given[CS_OPTION_ERROR] ? arguments->real[CS_OPTION_ERROR] : 1e-3;
  wish->t_end = arguments->real[CS_OPTION_T_END];
  if (!(wish->error < 1.0))
    return cs_error_set(error, CS_USAGE, "--error %s: want a number between 0 and 1", arguments->text[CS_OPTION_ERROR]);
  for (int i = 0; cost != NULL && i < CS_COSTS; i++)
    if (strcmp(cost, cs_recommend_cost_name(i)) == 0) wish->cost = i;
  int code = signal != NULL ? cs_word_list_read(signal, names, error) : CS_OK;
  wish->signal = names->word;
  wish->signals = names->count;
  if (code != CS_OK) return code;
  return cs_subject_read_can(arguments, &wish->derivatives, &wish->rollback, &wish->integrals, error);
}

/* The model's path as a file at `output` names it: as it is if both are given from here, else in full. */
static int locate(const char *model, const char *output, struct cs_text *path, struct cs_error *error) {
  char *whole = NULL;
  if (cs_command_folder(output) > 0 && *model != '/') {
    whole = realpath(model, NULL);
    if (whole == NULL) return cs_error_set(error, CS_IO, "%s: cannot be found by the sweep %s", model, output);
  }
  cs_text_add(path, "%s", whole != NULL ? whole : model);
  free(whole);
  return path->failed ? cs_error_memory(error) : CS_OK;
}

/* Nonlinear models are not simulated: what concerns errors has no meaning. */
static int check_linearised(const struct cs_arguments *arguments, const struct cs_model *model,
                            struct cs_error *error) {
  static const struct {
    int option;
    const char *name;
  } of_errors[] = {{CS_OPTION_ERROR, "error"}, {CS_OPTION_T_END, "t-end"}, {CS_OPTION_SIGNAL, "signal"}};
  for (size_t i = 0; i < sizeof of_errors / sizeof *of_errors && model->equations > 0; i++)
    if (arguments->given[of_errors[i].option])
      return cs_error_set(error, CS_USAGE,
                          "--%s: %s is nonlinear, and only linear models are simulated; want it left out, for the "
                          "largest stable steps",
                          of_errors[i].name, arguments->operand[0]);
  return CS_OK;
}

static int write_sweep(const struct cs_arguments *arguments, const struct cs_recommendation *r, const char *output,
                       struct cs_error *error) {
  struct cs_text model = {0}, sweep = {0};
  int code = locate(arguments->operand[0], output, &model, error);
  if (code == CS_OK) code = cs_recommend_add_sweep(r, model.data, &sweep, error);
  if (code == CS_OK) code = cs_command_write(output, arguments->given[CS_OPTION_FORCE], &sweep, error);
  cs_text_free(&model);
  cs_text_free(&sweep);
  return code;
}

static int print(const struct cs_arguments *arguments, const struct cs_recommendation *r, const char *output,
                 struct cs_error *error) {
  struct cs_text text = {0};
  if (arguments->given[CS_OPTION_JSON])
    cs_recommend_add_json(r, output, &text);
  else
    cs_recommend_add_text(r, &text);
  if (!arguments->given[CS_OPTION_JSON])
    cs_text_add(&text, "wrote %s, to be given to cosweep run, and the result to cosweep plot\n", output);
  return cs_command_print(&text, error);
}

/* The file to write: that of -o, or the model's name + _recommended.json. */
static int choose_output(const struct cs_arguments *arguments, const struct cs_model *model, struct cs_text *output,
                         struct cs_error *error) {
  const char *given = arguments->text[CS_OPTION_OUTPUT];
  if (given != NULL && strcmp(given, "-") == 0)
    return cs_error_set(error, CS_USAGE, "-o -: the table goes to standard output; want the name of a sweep file");
  cs_text_add(output, "%s%s", given != NULL ? given : model->name, given != NULL ? "" : "_recommended.json");
  const int code =
      output->failed ? cs_error_memory(error) : cs_command_check_output(arguments, output->data, "recommend", error);
  return code == CS_OK ? cs_command_absent(arguments, output->data, error) : code;
}

int cs_command_recommend(const struct cs_arguments *arguments, struct cs_error *error) {
  struct cs_subject subject = {0};
  struct cs_recommend_wish wish = {0};
  struct cs_recommendation recommendation = {0};
  struct cs_word_list names = {0};
  struct cs_text output = {0};
  struct cs_progress_bar bar;
  int code = read_wish(arguments, &wish, &names, error);
  if (code == CS_OK) code = cs_subject_load(arguments, &subject, error);
  if (code == CS_OK) code = check_linearised(arguments, subject.model, error);
  if (code == CS_OK) code = choose_output(arguments, subject.model, &output, error);
  if (code == CS_OK) code = cs_subject_begin(arguments, &subject, &bar, error);
  if (code == CS_OK) {
    wish.experiment = subject.experiment;
    code = cs_recommend_open(subject.model, &wish, &recommendation, error);
    cs_progress_close(&bar);
  }
  if (code == CS_OK) code = write_sweep(arguments, &recommendation, output.data, error);
  if (code == CS_OK) code = print(arguments, &recommendation, output.data, error);
  cs_recommend_close(&recommendation);
  cs_subject_close(&subject);
  cs_word_list_free(&names);
  cs_text_free(&output);
  return code;
}
