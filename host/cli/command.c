#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cs_command_device(const char *choice, struct cs_device_info *device, struct cs_error *error) {
  struct cs_device_info *list = NULL;
  size_t count = 0, chosen = 0;
  int code = cs_device_list(&list, &count, error);
  size_t *index = calloc(count + 1, sizeof *index);
  if (code == CS_OK && index == NULL) code = cs_error_memory(error);
  if (code == CS_OK) code = cs_device_choose_many(list, count, choice, index, &chosen, error);
  if (code == CS_OK) *device = list[index[0]];
  free(index);
  free(list);
  return code;
}

struct cs_engine_options cs_command_engine(const struct cs_arguments *arguments) {
  return (struct cs_engine_options){.lanes = (unsigned)arguments->number[CS_OPTION_LANES],
                                    .tile_runs = arguments->number[CS_OPTION_TILE_RUNS],
                                    .memory = arguments->number[CS_OPTION_MEMORY] * 1000000};
}

int cs_command_print(struct cs_text *text, struct cs_error *error) {
  const int code = text->failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK && text->data != NULL) fputs(text->data, stdout);
  cs_text_free(text);
  return code;
}

/* ---- command lines */

static void add_words(struct cs_text *text, const char *option, const char *const *word, size_t words) {
  for (size_t i = 0; i < words; i++) {
    cs_text_add(text, " %s", option);
    cs_add_word(text, word[i]);
  }
}

void cs_add_command(struct cs_text *text, const char *command, const struct cs_arguments *arguments) {
  static const struct {
    enum cs_option option;
    const char *name;
  } kept[] = {{CS_OPTION_RUN, "--run"},     {CS_OPTION_MOST, "--most"},           {CS_OPTION_DEVICE, "--device"},
              {CS_OPTION_LANES, "--lanes"}, {CS_OPTION_TILE_RUNS, "--tile-runs"}, {CS_OPTION_MEMORY, "--memory"},
              {CS_OPTION_OUTPUT, "-o"}};
  cs_text_add(text, "cosweep %s", command);
  for (size_t i = 0; i < arguments->operands; i++)
    cs_add_word(text, arguments->operand[i]);
  add_words(text, "--set", arguments->set, arguments->sets);
  add_words(text, "--at", arguments->at, arguments->ats);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (arguments->given[kept[i].option]) add_words(text, kept[i].name, &arguments->text[kept[i].option], 1);
}

/* ---- forecasts */

void cs_add_forecast(struct cs_text *text, const struct cs_forecast *forecast) {
  cs_text_add(text, "  runs      ");
  cs_add_count(text, (double)forecast->runs);
  if (forecast->skipped > 0) cs_text_add(text, ", %zu of them skipped", forecast->skipped);
  if (forecast->invalid > 0) cs_text_add(text, ", %zu invalid", forecast->invalid);
  cs_text_add(text, forecast->analyses > 0 ? "\n  analyses  " : "\n  steps     ");
  if (forecast->varied == 0 || forecast->steps > 0.0)
    cs_add_count(text, forecast->analyses > 0 ? (double)forecast->analyses : forecast->steps);
  if (forecast->varied > 0) {
    cs_text_add(text, "%s", forecast->steps > 0.0 ? ", and those of " : "known at the end: ");
    cs_add_count(text, (double)forecast->varied);
    cs_text_add(text, " runs choose their own");
  }
  cs_text_add(text, "\n  kernels   %zu, in ", forecast->variants);
  cs_add_number(text, forecast->tiles, "tile");
  cs_text_add(text, forecast->varied > 0 ? " and at least " : " and ");
  cs_add_number(text, forecast->launches, "kernel call");
  cs_text_add(text, "\n  memory    ");
  cs_add_bytes(text, (double)forecast->device_memory);
  cs_text_add(text, " on the device, ");
  cs_add_bytes(text, (double)forecast->host_memory);
  cs_text_add(text, " on the host\n  result    ");
  cs_add_bytes(text, (double)forecast->file_size);
  cs_text_add(text, "\n");
}

void cs_add_forecast_json(struct cs_writer *w, const struct cs_forecast *forecast) {
  cs_writer_count(w, "variants", forecast->variants);
  cs_writer_count(w, "runs", forecast->runs);
  cs_writer_count(w, "skipped", forecast->skipped);
  cs_writer_count(w, "invalid", forecast->invalid);
  cs_writer_number(w, "steps", forecast->steps);
  if (forecast->varied > 0) cs_writer_count(w, "varied", forecast->varied);
  if (forecast->analyses > 0) cs_writer_count(w, "analyses", forecast->analyses);
  cs_writer_count(w, "tiles", forecast->tiles);
  cs_writer_count(w, "launches", forecast->launches);
  cs_writer_count(w, "device_memory", forecast->device_memory);
  cs_writer_count(w, "host_memory", forecast->host_memory);
  cs_writer_count(w, "file_size", forecast->file_size);
}
