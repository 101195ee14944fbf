#include "kept.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claim.h"
#include "command.h"
#include "interrupt.h"
#include "provenance.h"
#include "resume.h"
#include "shard.h"

/* ---- options ----------------------------------------------------------------------------------------------------- */

bool cs_kept_is_off(const struct cs_arguments *arguments) {
  return arguments->given[CS_OPTION_JOURNAL] && strcmp(arguments->text[CS_OPTION_JOURNAL], "off") == 0;
}

/* SECONDS of --journal; negative: off. */
static int read_journal(const struct cs_arguments *arguments, size_t shards, double *seconds, struct cs_error *error) {
  const char *said = arguments->text[CS_OPTION_JOURNAL];
  char *end = NULL;
  *seconds = 5.0;
  if (!arguments->given[CS_OPTION_JOURNAL]) return CS_OK;
  if (cs_kept_is_off(arguments)) {
    *seconds = -1.0;
    if (shards == 0) return CS_OK;
    return cs_error_set(error, CS_USAGE, "--journal off: shards are journals; want a number of seconds from 0");
  }
  *seconds = strtod(said, &end);
  if (end != said && *end == '\0' && *seconds >= 0.0 && isfinite(*seconds)) return CS_OK;
  return cs_error_set(error, CS_USAGE, "--journal %s: want a number of seconds from 0, or off", said);
}

/* Digits up to `end`; 0 for anything else. */
static size_t read_count(const char *text, const char **end) {
  size_t value = 0;
  const char *p = text;
  for (; isdigit((unsigned char)*p) && value <= CS_SHARDS; p++)
    value = 10 * value + (size_t)(*p - '0');
  *end = p;
  return p > text && text[0] != '0' ? value : 0;
}

int cs_kept_shard(const struct cs_arguments *arguments, size_t *shard, size_t *shards, struct cs_error *error) {
  const char *said = arguments->text[CS_OPTION_SHARD], *end;
  *shard = *shards = 0;
  if (!arguments->given[CS_OPTION_SHARD]) return CS_OK;
  *shard = read_count(said, &end);
  if (*end == '/') *shards = read_count(end + 1, &end);
  if (*end == '\0' && *shard >= 1 && *shard <= *shards && *shards <= CS_SHARDS) return CS_OK;
  return cs_error_set(error, CS_USAGE, "--shard %s: want I/N with 1 <= I <= N <= %d, such as 3/8", said, CS_SHARDS);
}

/* ---- what is said ------------------------------------------------------------------------------------------------ */

static void add_runs(struct cs_text *text, size_t done, size_t runs) {
  cs_words_add_count(text, (double)done);
  cs_text_add(text, " of ");
  cs_words_add_count(text, (double)runs);
  cs_text_add(text, " runs");
}

void cs_kept_add_damage(const struct cs_journal *journal, struct cs_text *text) {
  cs_words_add_count(text, (double)cs_journal_dropped(journal));
  cs_text_add(text, " bytes are of no whole record");
  if (cs_journal_lost(journal) == 0) return;
  cs_text_add(text, ": about ");
  cs_words_add_count(text, (double)cs_journal_lost(journal));
  cs_text_add(text, " runs have to be computed again");
}

static void add_damage(const struct cs_journal *journal, struct cs_text *text) {
  if (cs_journal_dropped(journal) == 0) return;
  cs_text_add(text, "%s: ", cs_journal_path(journal));
  cs_kept_add_damage(journal, text);
  cs_text_add(text, "\n");
}

/* Says that the sweep goes on from what a run before has kept. */
static void tell(const struct cs_sweep *sweep, const struct cs_journal *journal) {
  struct cs_text text = {0};
  add_damage(journal, &text);
  if (cs_journal_found(journal, CS_PASS_RUNS) > 0) {
    cs_text_add(&text, "%s: goes on from %s: ", sweep->name, cs_journal_path(journal));
    add_runs(&text, cs_journal_found(journal, CS_PASS_RUNS), sweep->runs);
    cs_text_add(&text, " are done\n");
  }
  cs_command_tell(&text);
}

/* For an interruption. */
static void tell_what_stays(void *context, struct cs_text *text) {
  const struct cs_kept *kept = context;
  const struct cs_journal *journal = kept->journal[0];
  if (cs_journal_kept(journal) == 0) return;
  add_runs(text, cs_journal_kept(journal), kept->runs);
  cs_text_add(text, " are kept in %s; the same command goes on from there", cs_journal_path(journal));
}

/* ---- journals ---------------------------------------------------------------------------------------------------- */

static int describe_session(const struct cs_device_info *device, const struct cs_engine_options *options,
                            struct cs_text *session, struct cs_error *error) {
  char started[CS_TIME_STAMP], host[256] = "";
  struct cs_writer w = {.text = session};
  cs_provenance_stamp(started);
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  cs_writer_object(&w, NULL);
  cs_writer_string(&w, "started", started);
  cs_writer_string(&w, "host", host);
  cs_writer_count(&w, "process", (size_t)getpid());
  cs_writer_string(&w, "device", device->name);
  cs_writer_string(&w, "command", options->command);
  cs_writer_end(&w);
  return session->failed ? cs_error_memory(error) : CS_OK;
}

/* What the plan of a shard begins with. */
static void add_shard(size_t shard, size_t shards, struct cs_text *plan) {
  cs_text_add(plan, "shard %zu of %zu\n", shard, shards);
}

static int open_own(const struct cs_arguments *arguments, const char *path, double seconds,
                    const struct cs_device_info *device, const struct cs_sweep *sweep,
                    const struct cs_engine_options *options, struct cs_journal **journal, struct cs_error *error) {
  struct cs_text plan = {0}, session = {0};
  struct cs_journal_setup setup = {.path = path, .seconds = seconds, .fresh = arguments->given[CS_OPTION_FRESH]};
  if (options->shard > 0) add_shard(options->shard, options->shards, &plan);
  int code = cs_resume_describe(sweep, device, options, &plan, error);
  if (code == CS_OK) code = describe_session(device, options, &session, error);
  setup.plan = plan.data;
  setup.session = session.data;
  if (code == CS_OK) code = cs_journal_open(&setup, journal, error);
  if (code == CS_OK) tell(sweep, *journal);
  cs_text_free(&plan);
  cs_text_free(&session);
  return code;
}

int cs_kept_open(const struct cs_arguments *arguments, const struct cs_sweep *sweep, const char *result,
                 const struct cs_device_info *device, struct cs_engine_options *options, struct cs_kept *kept,
                 struct cs_error *error) {
  struct cs_text path = {0};
  double seconds;
  *kept = (struct cs_kept){.runs = sweep->runs};
  int code = read_journal(arguments, options->shards, &seconds, error);
  if (code != CS_OK || seconds < 0.0) return code;
  kept->journal = calloc(options->shards + 1, sizeof *kept->journal); /* room for those of shards */
  cs_text_add(&path, "%s" CS_JOURNAL_SUFFIX, result);
  code = kept->journal == NULL || path.failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK) code = open_own(arguments, path.data, seconds, device, sweep, options, &kept->journal[0], error);
  cs_text_free(&path);
  if (code != CS_OK) return code;
  kept->journals = 1;
  options->journal = kept->journal;
  options->journals = 1;
  cs_interrupt_leave(tell_what_stays, kept);
  return CS_OK;
}

void cs_kept_close(struct cs_kept *kept, bool done) {
  cs_interrupt_leave(NULL, NULL);
  for (size_t i = 0; i < kept->journals; i++)
    cs_journal_close(kept->journal[i], i == 0 && done);
  free(kept->journal);
  *kept = (struct cs_kept){0};
}

int cs_kept_remove(const char *result, struct cs_error *error) {
  struct cs_claim *claim = NULL;
  struct cs_text path = {0}, lock = {0};
  cs_text_add(&path, "%s" CS_JOURNAL_SUFFIX, result);
  cs_text_add(&lock, "%s" CS_CLAIM_LOCK, result);
  int code = path.failed || lock.failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK && (access(path.data, F_OK) == 0 || access(lock.data, F_OK) == 0)) {
    code = cs_claim_open(result, true, &claim, error);
    if (code == CS_OK) code = cs_journal_remove(path.data, error);
    cs_claim_close(claim);
  }
  cs_text_free(&path);
  cs_text_free(&lock);
  return code;
}

/* ---- shards ------------------------------------------------------------------------------------------------------ */

/* N of a name RESULT.IofN.journal; 0 for any other. */
static size_t shards_of(const char *name, const char *result) {
  const size_t length = strlen(result);
  const char *end;
  if (strncmp(name, result, length) != 0 || name[length] != '.') return 0;
  const size_t shard = read_count(name + length + 1, &end);
  if (shard == 0 || strncmp(end, "of", 2) != 0) return 0;
  const size_t shards = read_count(end + 2, &end);
  return shard <= shards && strcmp(end, CS_JOURNAL_SUFFIX) == 0 ? shards : 0;
}

int cs_kept_count_shards(const char *result, size_t *shards, struct cs_error *error) {
  const size_t folder = cs_command_folder(result);
  char *path = folder > 0 ? cs_text_copy_part(result, folder) : cs_text_copy(".");
  DIR *list = path != NULL ? opendir(path) : NULL;
  int code = path == NULL ? cs_error_memory(error) : CS_OK;
  *shards = 0;
  if (code == CS_OK && list == NULL) code = cs_error_set(error, CS_IO, "%s: %s", path, strerror(errno));
  for (const struct dirent *item; code == CS_OK && (item = readdir(list)) != NULL;) {
    const size_t found = shards_of(item->d_name, result + folder);
    if (found > 0 && *shards > 0 && found != *shards)
      code = cs_error_set(error, CS_IO, "%s: there are shards of %zu and of %zu; want those of one number", result,
                          *shards, found);
    if (found > 0) *shards = found;
  }
  if (list != NULL) closedir(list);
  free(path);
  if (code == CS_OK && *shards == 0)
    code = cs_error_set(error, CS_IO,
                        "%s: there is no shard of it; want files %s.1ofN" CS_JOURNAL_SUFFIX
                        ", ... of cosweep run --shard 1/N",
                        result, result);
  return code;
}

void cs_kept_add_shard(const char *result, size_t shard, size_t shards, struct cs_text *path) {
  cs_text_add(path, "%s.%zuof%zu", result, shard, shards);
}

/* `whole`: the plan without the shard. */
static int open_shard(const char *result, const struct cs_text *whole, const struct cs_engine_options *options,
                      size_t shard, struct cs_journal **journal, struct cs_error *error) {
  struct cs_text path = {0}, plan = {0}, told = {0};
  cs_kept_add_shard(result, shard, options->shards, &path);
  cs_text_add(&path, CS_JOURNAL_SUFFIX);
  add_shard(shard, options->shards, &plan);
  cs_text_append(&plan, whole->data, whole->length);
  int code = path.failed || plan.failed ? cs_error_memory(error) : CS_OK;
  if (code == CS_OK && access(path.data, F_OK) != 0) {
    code = cs_error_set(error, CS_IO, "%s: there is no such file: shard %zu of %zu is missing", path.data, shard,
                        options->shards);
    if (options->complete) code = CS_OK;
  } else if (code == CS_OK) {
    code = cs_journal_read(path.data, plan.data, journal, error);
    if (code == CS_OK) add_damage(*journal, &told);
  }
  cs_command_tell(&told);
  cs_text_free(&path);
  cs_text_free(&plan);
  return code;
}

int cs_kept_open_shards(const struct cs_sweep *sweep, const char *result, const struct cs_device_info *device,
                        struct cs_engine_options *options, struct cs_kept *kept, struct cs_error *error) {
  struct cs_text whole = {0};
  int code = cs_resume_describe(sweep, device, options, &whole, error);
  for (size_t shard = 1; shard <= options->shards && code == CS_OK; shard++) {
    struct cs_journal *journal = NULL;
    code = open_shard(result, &whole, options, shard, &journal, error);
    if (code == CS_OK && journal != NULL) kept->journal[kept->journals++] = journal;
  }
  options->journals = kept->journals;
  cs_text_free(&whole);
  return code;
}
