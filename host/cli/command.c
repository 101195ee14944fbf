#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "scan.h"

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

void cs_add_word(struct cs_text *text, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  cs_text_add(text, " ");
  if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
    cs_text_add(text, "%s", word);
    return;
  }
  cs_text_add(text, "'");
  for (; *word != '\0'; word++)
    cs_text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
  cs_text_add(text, "'");
}

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

const char *cs_status_name(int status, size_t *length) {
  const char *word = CS_STATUS_WORDS;
  for (int i = 0; i < status; i++) {
    word += strcspn(word, " ");
    word += strspn(word, " ");
  }
  *length = strcspn(word, " ");
  return word;
}

/* ---- numbers */

void cs_add_count(struct cs_text *text, double count) {
  char digits[32];
  if (!(count < 1e15)) {
    cs_text_add(text, "%.2g", count);
    return;
  }
  const int length = snprintf(digits, sizeof digits, "%.0f", floor(count));
  for (int i = 0; i < length; i++)
    cs_text_add(text, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

void cs_add_number(struct cs_text *text, size_t count, const char *one) {
  cs_text_add(text, "%zu %s%s", count, one, count == 1 ? "" : "s");
}

void cs_add_bytes(struct cs_text *text, double bytes) {
  static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
  size_t i = 0;
  for (; bytes >= 1000.0 && i + 1 < sizeof unit / sizeof *unit; i++)
    bytes /= 1000.0;
  cs_text_add(text, i == 0 || bytes >= 100.0 ? "%.0f %s" : "%.1f %s", bytes, unit[i]);
}

void cs_add_duration(struct cs_text *text, double seconds) {
  if (seconds < 0.1)
    cs_text_add(text, "%.3g ms", 1e3 * seconds);
  else if (seconds < 60.0)
    cs_text_add(text, "%.3g s", seconds);
  else if (seconds < 3600.0)
    cs_text_add(text, "%.0f min %.0f s", floor(seconds / 60.0), floor(fmod(seconds, 60.0)));
  else
    cs_text_add(text, "%.0f h %.0f min", floor(seconds / 3600.0), floor(fmod(seconds, 3600.0) / 60.0));
}

/* ---- texts */

void cs_add_json(struct cs_text *text, const char *string) {
  cs_text_add(text, "\"");
  for (size_t left = strlen(string); left > 0;) {
    const unsigned char c = (unsigned char)*string;
    const size_t length = cs_utf8_length(string, left);
    if (c == '"' || c == '\\')
      cs_text_add(text, "\\%c", c);
    else if (c < 0x20)
      cs_text_add(text, "\\u%04x", c);
    else if (length == 0) /* a file name may be any bytes, JSON may not */
      cs_text_add(text, "\\ufffd");
    else
      cs_text_append(text, string, length);
    string += length > 0 ? length : 1;
    left -= length > 0 ? length : 1;
  }
  cs_text_add(text, "\"");
}

static size_t columns_of(const char *word, size_t bytes) {
  size_t columns = 0;
  for (size_t i = 0; i < bytes; i++)
    columns += ((unsigned char)word[i] & 0xc0) != 0x80;
  return columns;
}

void cs_add_paragraph(struct cs_text *text, int indent, const char *words) {
  enum { WIDEST = 79 };
  size_t used = 0;
  words += strspn(words, " \n\t");
  while (*words != '\0') {
    const size_t bytes = strcspn(words, " \n\t"), columns = columns_of(words, bytes);
    if (used > 0 && used + 1 + columns > WIDEST) {
      cs_text_add(text, "\n");
      used = 0;
    }
    cs_text_add(text, "%*s%.*s", used == 0 ? indent : 1, "", (int)bytes, words);
    used += (used == 0 ? (size_t)indent : 1) + columns;
    words += bytes + strspn(words + bytes, " \n\t");
  }
  if (used > 0) cs_text_add(text, "\n");
}

/* ---- axes */

/* Labels or numbers one after the other; `what` gets nothing and false is returned where they take too much room. */
static bool list_values(struct cs_text *what, size_t length, const double *values, char *const *labels) {
  enum { MOST = 8, ROOM = 44 };
  const size_t start = what->length;
  if (length > MOST) return false;
  for (size_t i = 0; i < length; i++) {
    if (labels != NULL)
      cs_text_add(what, "%s%s", i > 0 ? ", " : "", labels[i]);
    else
      cs_text_add(what, "%s%.6g", i > 0 ? ", " : "", values[i]);
  }
  if (what->length - start <= ROOM) return true;
  what->length = start;
  return false;
}

void cs_add_axis(struct cs_text *text, int width, const char *name, size_t length, const double *values,
                 char *const *labels, const char *unit, const char *long_name) {
  struct cs_text what = {0};
  if (!list_values(&what, length, values, labels) && length > 0) {
    cs_text_free(&what);
    if (labels != NULL)
      cs_text_add(&what, "%s ... %s", labels[0], labels[length - 1]);
    else
      cs_text_add(&what, "%.6g ... %.6g", values[0], values[length - 1]);
  }
  if (unit != NULL && unit[0] != '\0' && strcmp(unit, "1") != 0) cs_text_add(&what, " %s", unit);
  cs_text_add(text, "  %-*s %6zu  %s", width, name, length, what.data != NULL ? what.data : "");
  const size_t used = (size_t)width + 11 + what.length;
  if (long_name != NULL && strcmp(long_name, name) != 0 && used + 2 + strlen(long_name) <= 79)
    cs_text_add(text, "  %s", long_name);
  cs_text_add(text, "\n");
  cs_text_free(&what);
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

void cs_add_forecast_json(struct cs_text *text, const struct cs_forecast *forecast) {
  cs_text_add(text, "\"variants\": %zu, \"runs\": %zu, \"skipped\": %zu, \"invalid\": %zu, \"steps\": %.17g, ",
              forecast->variants, forecast->runs, forecast->skipped, forecast->invalid, forecast->steps);
  if (forecast->varied > 0) cs_text_add(text, "\"varied\": %zu, ", forecast->varied);
  if (forecast->analyses > 0) cs_text_add(text, "\"analyses\": %zu, ", forecast->analyses);
  cs_text_add(text,
              "\"tiles\": %zu, \"launches\": %zu, \"device_memory\": %zu, \"host_memory\": %zu, \"file_size\": %zu",
              forecast->tiles, forecast->launches, forecast->device_memory, forecast->host_memory, forecast->file_size);
}
