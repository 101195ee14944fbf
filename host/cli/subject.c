#include "subject.h"

#include <string.h>

#include "interrupt.h"
#include "word_list.h"

int cs_subject_load(const struct cs_arguments *arguments, struct cs_subject *s, struct cs_error *error) {
  struct cs_json *json = NULL;
  *s = (struct cs_subject){.experiment = {.path = arguments->operand[0],
                                          .source = &s->source,
                                          .set = arguments->list[CS_OPTION_SET].text,
                                          .sets = arguments->list[CS_OPTION_SET].count,
                                          .options = &s->options},
                           .options = {.stop = cs_interrupt_catch()}};
  int code = cs_text_read(&s->source, arguments->operand[0], "JSON file", error);
  if (code == CS_OK)
    code = cs_json_parse(arguments->operand[0], cs_text_string(&s->source), s->source.length, &json, error);
  return code == CS_OK ? cs_model_read(json, &s->model, error) : code;
}

int cs_subject_begin(const struct cs_arguments *arguments, struct cs_subject *s, struct cs_progress_bar *bar,
                     struct cs_error *error) {
  const int code = cs_devices_open(arguments->text[CS_OPTION_DEVICE], &s->devices, error);
  s->experiment.device = s->devices.device;
  s->experiment.devices = s->devices.count;
  if (code == CS_OK) cs_progress_open(bar, s->model->name, arguments->given[CS_OPTION_QUIET], &s->options);
  return code;
}

void cs_subject_close(struct cs_subject *s) {
  cs_devices_close(&s->devices);
  cs_model_free(s->model);
  cs_text_free(&s->source);
}

int cs_subject_read_can(const struct cs_arguments *arguments, bool *derivatives, bool *rollback, bool *integrals,
                        struct cs_error *error) {
  struct cs_word_list words = {0};
  if (!arguments->given[CS_OPTION_CAN]) return CS_OK;
  int code = cs_word_list_read(arguments->text[CS_OPTION_CAN], &words, error);
  for (size_t i = 0; i < words.count && code == CS_OK; i++) {
    bool *known = strcmp(words.word[i], "derivatives") == 0 ? derivatives
                  : strcmp(words.word[i], "rollback") == 0  ? rollback
                  : strcmp(words.word[i], "integrals") == 0 ? integrals
                                                            : NULL;
    if (known != NULL)
      *known = true;
    else
      code =
          cs_error_set(error, CS_USAGE, "--can %s: unknown word \"%s\"; want some of: derivatives, rollback, integrals",
                       arguments->text[CS_OPTION_CAN], words.word[i]);
  }
  cs_word_list_free(&words);
  return code;
}
