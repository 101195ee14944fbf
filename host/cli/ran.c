#include "ran.h"

#include <string.h>

#include "command.h"
#include "digest.h"

static bool is_failure(int status) {
  return status != CS_STATUS_OK && status != CS_STATUS_SKIPPED;
}

/* Indented copies of lines. */
static void add_lines(struct cs_text *text, const struct cs_text *lines) {
  for (const char *line = lines->data; line != NULL && *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    cs_text_add(text, "  %.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
}

/* A line for each status, where its runs are, and an example of each reason. */
static void add_failures(const struct cs_sweep *sweep, const struct cs_table *table, const struct cs_outcome *outcome,
                         size_t failed, struct cs_text *text) {
  struct cs_digest d;
  struct cs_error error;
  const int code = cs_digest_open(table, &d, &error);
  cs_text_add(text, "%s: ", sweep->name);
  cs_words_add_count(text, (double)failed);
  cs_text_add(text, " of ");
  cs_words_add_count(text, (double)sweep->runs);
  cs_text_add(text, " runs failed\n");
  for (size_t i = 0; code == CS_OK && i < d.failures; i++) {
    struct cs_text region = {0};
    if (!is_failure(d.failure[i].status)) continue;
    cs_text_add(text, "  %s: ", cs_digest_status(d.failure[i].status));
    cs_words_add_count(text, (double)d.failure[i].count);
    if (d.failure[i].count > 1) cs_digest_add_region(&d, &d.failure[i], &region);
    cs_text_add(text, "%s%s\n", region.length > 0 ? ", " : "", cs_text_string(&region));
    cs_text_free(&region);
  }
  cs_digest_free(&d);
  add_lines(text, &outcome->failures);
}

void cs_ran_complain(const struct cs_sweep *sweep, const struct cs_table *table, const struct cs_outcome *outcome) {
  struct cs_text text = {0};
  size_t failed = 0;
  for (int i = 0; i < CS_STATUSES; i++)
    failed += is_failure(i) ? outcome->status[i] : 0;
  if (outcome->warnings.length > 0) {
    cs_text_add(&text, "%s: warning\n", sweep->name);
    add_lines(&text, &outcome->warnings);
  }
  if (failed > 0) add_failures(sweep, table, outcome, failed, &text);
  cs_command_tell(&text);
}

void cs_ran_summarise(const struct cs_sweep *sweep, const struct cs_outcome *outcome) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s: ", sweep->name);
  cs_words_add_count(&text, (double)sweep->runs);
  cs_text_add(&text, sweep->runs == 1 ? " run" : " runs");
  if (sweep->model->equations > 0) cs_text_add(&text, ", linearised %s,", cs_model_linearised(sweep->initial));
  if (sweep->study == CS_SIMULATION) {
    cs_text_add(&text, ", ");
    cs_words_add_count(&text, outcome->steps);
    cs_text_add(&text, " steps");
  }
  if (outcome->repeats > 0) {
    cs_text_add(&text, ", ");
    cs_words_add_count(&text, (double)outcome->repeats);
    cs_text_add(&text, " runs again for steps that are long for the network,");
  }
  if (outcome->points > 0) {
    cs_text_add(&text, " and ");
    cs_words_add_count(&text, (double)outcome->points);
    cs_text_add(&text, " boundary points");
  }
  cs_text_add(&text, " in ");
  cs_command_add_took(&text, outcome->wall_seconds, &outcome->programs, outcome->device_seconds);
  cs_text_add(&text, "\n");
  cs_command_tell(&text);
}

int cs_ran_print_json(const struct cs_sweep *sweep, const char *output, const struct cs_table *table,
                      const struct cs_outcome *outcome, double cores, struct cs_error *error) {
  const struct cs_note *kernels = cs_table_find_note(table, "kernel");
  struct cs_text text = {0};
  struct cs_writer w = {.text = &text};
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "output", output);
  cs_command_write_device(&w, table);
  cs_writer_count(&w, "variants", kernels != NULL ? kernels->count : 0);
  cs_writer_count(&w, "runs", sweep->runs);
  if (sweep->model->equations > 0) cs_writer_string(&w, "linearised", cs_model_linearised(sweep->initial));
  cs_writer_number(&w, "steps", outcome->steps);
  if (outcome->points > 0) cs_writer_count(&w, "points", outcome->points);
  if (outcome->repeats > 0) cs_writer_count(&w, "repeats", outcome->repeats);
  cs_writer_token(&w, "seconds", "%.6g", outcome->wall_seconds);
  if (outcome->programs.built + outcome->programs.kept > 0) {
    cs_writer_token(&w, "build_seconds", "%.6g", outcome->programs.seconds);
    cs_writer_count(&w, "kernels_built", outcome->programs.built);
    cs_writer_count(&w, "kernels_kept", outcome->programs.kept);
  }
  cs_writer_token(&w, "device_seconds", "%.6g", outcome->device_seconds);
  cs_writer_token(&w, "core_seconds", "%.6g", cores);
  cs_writer_object(&w, "status");
  for (int i = 0; i < CS_STATUSES; i++)
    cs_writer_count(&w, cs_digest_status(i), outcome->status[i]);
  cs_writer_end(&w);
  cs_writer_end(&w);
  cs_text_add(&text, "\n");
  return cs_command_print(&text, error);
}

int cs_ran_shard(const struct cs_sweep *sweep, const struct cs_journal *journal,
                 const struct cs_engine_options *options, const struct cs_outcome *outcome, bool quiet, bool json,
                 struct cs_error *error) {
  struct cs_text text = {0}, told = {0};
  if (json) {
    struct cs_writer w = {.text = &text};
    cs_writer_object(&w, NULL);
    cs_writer_string(&w, "journal", cs_journal_path(journal));
    cs_writer_count(&w, "shard", options->shard);
    cs_writer_count(&w, "shards", options->shards);
    cs_writer_count(&w, "runs", cs_journal_kept(journal));
    cs_writer_token(&w, "seconds", "%.6g", outcome->wall_seconds);
    cs_writer_end(&w);
    cs_text_add(&text, "\n");
  } else {
    cs_text_add(&text, "%s\n", cs_journal_path(journal));
  }
  cs_text_add(&told, "%s: shard %zu of %zu is done: ", sweep->name, options->shard, options->shards);
  cs_words_add_count(&told, (double)cs_journal_kept(journal));
  cs_text_add(&told, " runs in ");
  cs_command_add_took(&told, outcome->wall_seconds, &outcome->programs, outcome->device_seconds);
  cs_text_add(&told, "\n");
  if (!quiet) cs_command_tell(&told);
  cs_text_free(&told);
  return cs_command_print(&text, error);
}
