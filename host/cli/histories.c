#include "histories.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "digest.h"
#include "interrupt.h"
#include "origin.h"
#include "trace.h"
#include "word_list.h"

/* ---- which runs -------------------------------------------------------------------------------------------------- */

static int add_run(struct cs_histories *h, size_t run, struct cs_error *error) {
  for (size_t i = 0; i < h->count; i++)
    if (h->run[i] == run) return CS_OK;
  if (h->count == CS_HISTORIES_MOST)
    return cs_error_set(error, CS_USAGE, "--trace: more than %d runs", CS_HISTORIES_MOST);
  h->run[h->count++] = run;
  return CS_OK;
}

static int add_ranked(struct cs_histories *h, const struct cs_digest *digest, const struct cs_digest_point *point,
                      struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < digest->ranked && code == CS_OK; i++)
    code = add_run(h, point[i].run, error);
  return code;
}

/* One word of the list. */
static int add_word(struct cs_histories *h, const struct cs_digest *digest, const char *word, struct cs_error *error) {
  if (strcmp(word, "best") == 0) return add_ranked(h, digest, digest->best, error);
  if (strcmp(word, "worst") == 0) return add_ranked(h, digest, digest->worst, error);
  errno = 0;
  const unsigned long long run = strtoull(word, NULL, 10);
  if (word[0] != '\0' && strspn(word, "0123456789") == strlen(word) && errno == 0 && run < digest->runs)
    return add_run(h, (size_t)run, error);
  return cs_error_set(error, CS_USAGE, "--trace \"%s\"; want a run, 0 to %zu, best or worst", word, digest->runs - 1);
}

static int choose(const struct cs_table *table, const char *list, struct cs_histories *h, struct cs_error *error) {
  struct cs_digest digest = {0};
  struct cs_word_list words = {0};
  int code = cs_digest_open(table, &digest, error);
  if (code == CS_OK) code = cs_word_list_read(list, &words, error);
  for (size_t i = 0; i < words.count && code == CS_OK; i++)
    code = add_word(h, &digest, words.word[i], error);
  cs_word_list_free(&words);
  cs_digest_free(&digest);
  return cs_error_usage(error, code, "explore");
}

/* ---- their traces ------------------------------------------------------------------------------------------------ */

static int compute(const struct cs_sweep *sweep, const struct cs_arguments *arguments, struct cs_histories *h,
                   struct cs_error *error) {
  struct cs_engine_options options = cs_command_engine(arguments);
  struct cs_devices devices = {0};
  struct cs_trace_report report = {0};
  options.stop = cs_interrupt_catch();
  int code = cs_devices_open("host", &devices, error);
  for (size_t i = 0; i < h->count && code == CS_OK; i++) {
    code = cs_trace_run(sweep, h->run[i], CS_TRACE_MOST, devices.device[0], &options, &h->table[i], &report, error);
    cs_trace_report_free(&report);
    report = (struct cs_trace_report){0};
  }
  cs_devices_close(&devices);
  return code;
}

int cs_histories_compute(const char *path, const struct cs_table *table, const struct cs_arguments *arguments,
                         struct cs_histories *histories, struct cs_error *error) {
  struct cs_sweep *sweep = NULL;
  *histories = (struct cs_histories){.count = 0};
  int code = choose(table, arguments->text[CS_OPTION_TRACE], histories, error);
  if (code == CS_OK) code = cs_origin_sweep(path, table, arguments, &sweep, error);
  if (code == CS_OK) cs_command_tell_fragments(sweep);
  if (code == CS_OK) code = compute(sweep, arguments, histories, error);
  cs_sweep_free(sweep);
  return code;
}

void cs_histories_free(struct cs_histories *histories) {
  for (size_t i = 0; i < histories->count; i++)
    cs_table_free(histories->table[i]);
  histories->count = 0;
}
