/* cosweep devices: lists devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* Widths of columns. */
struct widths {
  int name, memory;
};

/* In 10^9 multiply-adds a second. */
static void add_rate(struct cs_text *text, const struct cs_device_info *device) {
  const double rate = 1e-9 * cs_device_rate(device);
  if (rate >= 1.0)
    cs_text_add(text, "%5.0f G/s", rate);
  else
    cs_text_add(text, "%9s", rate > 0.0 ? "< 1 G/s" : "none");
}

/* Why `auto` takes this one. */
static const char *reason_of(const struct cs_device_info *list, size_t count, const struct cs_device_info *best) {
  size_t cpus = 0;
  if (!best->cpu) return "computes beside it, as it has the highest rate.";
  for (size_t i = 0; i < count; i++)
    cpus += list[i].cpu && !list[i].host && cs_device_rate(&list[i]) > 0.0;
  if (cpus > 1 && cs_device_is_pocl(best))
    return "takes over, as it is PoCL's, which goes before other drivers of a CPU.";
  return "takes over, as no other has a higher rate and it is a CPU.";
}

/* What a word means that fits several of them. */
static void add_word(struct cs_text *text, const char *word, const struct cs_device_info *list, size_t count) {
  size_t fit = 0, chosen;
  struct cs_error error;
  for (size_t i = 0; i < count; i++)
    fit += cs_device_fits(&list[i], word);
  if (fit < 2 || cs_device_choose(list, count, word, &chosen, &error) != CS_OK) return;
  cs_text_add(text, "--device %s: device %d, of the %zu that it fits the one that auto would take; --device INDEX\n",
              word, list[chosen].index, fit);
  cs_text_add(text, "or a part of a driver's name chooses another.\n");
}

/* What `auto` does with these, and why. */
static void add_automatic(struct cs_text *text, const struct cs_device_info *list, size_t count) {
  size_t best;
  cs_text_add(text, "\nauto: the host computes at once");
  if (!cs_device_choose_best(list, count, &best)) {
    cs_text_add(text, ", alone: no device of OpenCL has double precision.\n");
    return;
  }
  cs_text_add(text, "; where more than about 10 s of work are left, device %d\n", list[best].index);
  cs_text_add(text, "%s\n", reason_of(list, count, &list[best]));
  add_word(text, "cpu", list, count);
  add_word(text, "gpu", list, count);
}

static void add_memory(struct cs_text *text, const struct cs_device_info *device) {
  cs_words_add_bytes(text, (double)device->memory);
}

/* `text->failed` is set when out of memory. */
static void measure(const struct cs_device_info *list, size_t count, struct widths *widths, struct cs_text *text) {
  *widths = (struct widths){(int)strlen("name"), (int)strlen("memory")};
  for (size_t i = 0; i < count; i++) {
    struct cs_text memory = {0};
    add_memory(&memory, &list[i]);
    if ((int)strlen(list[i].name) > widths->name) widths->name = (int)strlen(list[i].name);
    if ((int)memory.length > widths->memory) widths->memory = (int)memory.length;
    text->failed |= memory.failed;
    cs_text_free(&memory);
  }
}

static void add_row(struct cs_text *text, const struct widths *widths, const struct cs_device_info *device,
                    bool is_default) {
  struct cs_text memory = {0};
  add_memory(&memory, device);
  cs_text_add(text, "%c %5d  %-*s  %-5s  %-4s  %5u  %*s  ", is_default ? '*' : ' ', device->index, widths->name,
              device->name,
              device->trouble[0] ? "?"
              : device->cpu      ? "cpu"
              : device->gpu      ? "gpu"
                                 : "other",
              device->fp64 ? "yes" : "no", device->units, widths->memory, cs_text_string(&memory));
  add_rate(text, device);
  cs_text_add(text, "  %s %s\n", device->platform, device->driver);
  text->failed |= memory.failed;
  cs_text_free(&memory);
}

int cs_command_devices(const struct cs_arguments *arguments, struct cs_error *error) {
  (void)arguments;
  struct cs_device_info *list = NULL;
  struct cs_text text = {0}, troubles = {0};
  struct widths widths;
  size_t count = 0, usual = 0;
  int code = cs_device_list(&list, &count, &troubles, error);
  if (code == CS_OK && troubles.failed) code = cs_error_memory(error);
  if (code != CS_OK) goto out;
  cs_command_tell(&troubles);
  code = cs_device_choose_usual(list, count, &usual, error);
  if (count == 0) goto out;
  measure(list, count, &widths, &text);
  cs_text_add(&text, "  index  %-*s  type   fp64  units  %*s       rate  driver\n", widths.name, "name", widths.memory,
              "memory");
  for (size_t i = 0; i < count; i++)
    add_row(&text, &widths, &list[i], code == CS_OK && i == usual);
  add_automatic(&text, list, count);
  /* Devices are listed even if none is usable; the message then says what is missing. */
  if (cs_command_print(&text, code == CS_OK ? error : NULL) != CS_OK && code == CS_OK) code = CS_DEVICE;
out:
  cs_text_free(&troubles);
  free(list);
  return code;
}
