#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal_private.h"
#include "list.h"

#define PART ".part" /* of the name, until the file has its plan */

struct cs_journal_head cs_journal_make_head(const struct cs_journal *j, struct cs_checksum *sum,
                                            enum cs_journal_kind kind, const void *body, size_t bytes, off_t at) {
  struct cs_journal_head head = {.mark = CS_JOURNAL_MARK, .kind = kind, .bytes = bytes};
  const uint64_t seed = kind == CS_JOURNAL_PLAN ? 0 : j->seed + (uint64_t)at;
  sum->value = seed;
  cs_checksum_add(sum, &head, offsetof(struct cs_journal_head, own));
  head.own = sum->value;
  sum->value = seed;
  cs_checksum_add(sum, body, bytes);
  head.body = sum->value;
  return head;
}

int cs_journal_fail(const struct cs_journal *j, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "%s: %s", j->path, strerror(errno));
}

size_t cs_journal_empty_bytes(size_t plan) {
  return CS_JOURNAL_MAGIC_BYTES + sizeof(struct cs_journal_head) + plan;
}

size_t cs_journal_result_bytes(size_t items) {
  return sizeof(struct cs_journal_entry) + items * sizeof(double);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* A record that is read. */
struct record {
  struct cs_journal_head head;
  char *body; /* zero-terminated */
  size_t room;
};

/* Reads as many bytes from place `at` on, if there are so many: *whole. Where the file's position is does not matter,
 * nor does it change: another thread may be writing. */
static int take(const struct cs_journal *j, void *to, size_t bytes, off_t at, bool *whole, struct cs_error *error) {
  *whole = false;
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = pread(j->fd, (char *)to + done, bytes - done, at + (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cs_journal_fail(j, error);
    if (got == 0) return CS_OK;
    done += (size_t)got;
  }
  *whole = true;
  return CS_OK;
}

/* The record at `at`, if it is *whole; what cannot be read, or finds no memory, is a failure. */
static int read_record(struct cs_journal *j, off_t at, struct record *r, bool *whole, struct cs_error *error) {
  const off_t left = j->size - at - (off_t)sizeof r->head;
  *whole = false;
  if (left < 0) return CS_OK;
  int code = take(j, &r->head, sizeof r->head, at, whole, error);
  if (!*whole) return code;
  *whole = r->head.mark == CS_JOURNAL_MARK && r->head.bytes <= (uint64_t)left;
  if (!*whole) return CS_OK;
  if (r->head.bytes >= r->room) {
    char *body = realloc(r->body, r->head.bytes + 1);
    if (body == NULL) return cs_error_memory(error);
    r->body = body;
    r->room = r->head.bytes + 1;
  }
  code = take(j, r->body, r->head.bytes, at + (off_t)sizeof r->head, whole, error);
  if (!*whole) return code;
  r->body[r->head.bytes] = '\0';
  const struct cs_journal_head want = cs_journal_make_head(j, &j->reading, r->head.kind, r->body, r->head.bytes, at);
  *whole = memcmp(&want, &r->head, sizeof want) == 0;
  return CS_OK;
}

/* What is done with the results of a record. */
struct visit {
  int pass;             /* whose results are taken; all are counted */
  uint64_t first, runs; /* that are taken */
  cs_journal_take *take;
  void *context;
  size_t found[CS_PASSES];
  struct cs_journal_place place; /* of the record */
};

static void note_entry(struct visit *v, const struct cs_journal_entry *entry) {
  struct cs_journal_place *p = &v->place;
  if (p->passes == 0 || entry->run < p->least) p->least = entry->run;
  if (p->passes == 0 || entry->run > p->most) p->most = entry->run;
  p->passes |= 1U << entry->pass;
  v->found[entry->pass]++;
}

/* Goes through the results in a record; CS_INPUT if they do not fill it. */
static int each_result(const struct record *r, struct visit *v, struct cs_error *error) {
  size_t at = 0;
  int code = CS_OK;
  while (at < r->head.bytes && code == CS_OK) {
    struct cs_journal_entry entry;
    if (r->head.bytes - at < sizeof entry) return CS_INPUT;
    memcpy(&entry, r->body + at, sizeof entry);
    at += sizeof entry;
    if ((r->head.bytes - at) / sizeof(double) < entry.items || entry.pass >= CS_PASSES) return CS_INPUT;
    note_entry(v, &entry);
    if (v->take != NULL && entry.pass == v->pass && entry.run >= v->first && entry.run - v->first < v->runs)
      /* malloc aligns the body, and all in it has eights of bytes */
      code = v->take(v->context, &entry, (const double *)(const void *)(r->body + at), error);
    at += entry.items * sizeof(double);
  }
  return code;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* The first line in which two texts differ: "was ..., is ...". */
static int fail_plan(const struct cs_journal *j, const char *was, const char *is, struct cs_error *error) {
  enum { MOST = 120 };
  while (*was != '\0' && *is != '\0') {
    const size_t a = strcspn(was, "\n"), b = strcspn(is, "\n");
    if (a != b || memcmp(was, is, a) != 0) break;
    was += a + (was[a] == '\n');
    is += b + (is[b] == '\n');
  }
  was += strspn(was, " ");
  is += strspn(is, " ");
  const size_t a = strcspn(was, "\n"), b = strcspn(is, "\n");
  return cs_error_set(error, CS_IO,
                      "%s: has %zu runs of another sweep, program or device: was \"%.*s\", is \"%.*s\"; want the same "
                      "files and settings, another -o, or --fresh, which throws these runs away",
                      j->path, j->found[CS_PASS_RUNS], (int)(a < MOST ? a : MOST), was, (int)(b < MOST ? b : MOST), is);
}

static int read_plan(struct cs_journal *j, struct record *r, struct cs_error *error) {
  char begin[CS_JOURNAL_MAGIC_BYTES];
  bool whole;
  int code = take(j, begin, sizeof begin, 0, &whole, error);
  if (code != CS_OK) return code;
  if (!whole || memcmp(begin, CS_JOURNAL_MAGIC, sizeof begin) != 0)
    return cs_error_set(error, CS_IO, "%s: is no journal of cosweep; want it moved away", j->path);
  code = read_record(j, sizeof begin, r, &whole, error);
  if (code != CS_OK) return code;
  if (!whole || r->head.kind != CS_JOURNAL_PLAN)
    return cs_error_set(error, CS_IO, "%s: is damaged: its plan cannot be read; want it moved away", j->path);
  j->seed = r->head.body;
  j->first = j->end = (off_t)(sizeof begin + sizeof r->head + r->head.bytes);
  return CS_OK;
}

/* Goes through all records from *end, behind the plan, as far as they are whole. */
static int each_record(struct cs_journal *j, off_t *end,
                       int (*take_record)(void *context, const struct record *record, struct cs_error *error),
                       void *context, struct cs_error *error) {
  struct record r = {0};
  bool whole = true;
  int code = CS_OK;
  while (code == CS_OK && whole) {
    code = read_record(j, *end, &r, &whole, error);
    if (code == CS_OK && whole) code = take_record(context, &r, error);
    if (code == CS_OK && whole) *end += (off_t)(sizeof r.head + r.head.bytes);
  }
  free(r.body);
  return code;
}

static int count(void *context, const struct record *r, struct cs_error *error) {
  struct cs_journal *j = context;
  struct visit v = {.pass = -1, .place.at = j->end};
  if (r->head.kind != CS_JOURNAL_RESULTS) return CS_OK;
  const int code = each_result(r, &v, error);
  if (code != CS_OK) return code;
  if (!cs_list_grow(&j->place, j->places, sizeof *j->place)) return cs_error_memory(error);
  j->place[j->places++] = v.place;
  for (int pass = 0; pass < CS_PASSES; pass++)
    j->found[pass] += v.found[pass];
  return CS_OK;
}

/* Reads a journal that is there; `plan` NULL: of any plan. */
static int recover(struct cs_journal *j, const char *plan, struct cs_error *error) {
  struct record r = {0};
  int code = read_plan(j, &r, error);
  if (code == CS_OK) code = each_record(j, &j->end, count, j, error);
  if (code == CS_INPUT) code = CS_OK; /* a record that does not hold what its kind says ends it too */
  j->kept = j->found[CS_PASS_RUNS];
  j->dropped = (size_t)(j->size - j->end);
  j->size = j->end;
  if (code == CS_OK && plan != NULL && strcmp(r.body, plan) != 0) code = fail_plan(j, r.body, plan, error);
  if (code == CS_OK && (j->plan = cs_text_copy(r.body)) == NULL) code = cs_error_memory(error);
  free(r.body);
  return code;
}

static int look(struct cs_journal *j, struct cs_error *error) {
  struct stat there;
  if (fstat(j->fd, &there) != 0) return cs_journal_fail(j, error);
  if (!S_ISREG(there.st_mode))
    return cs_error_set(error, CS_IO, "%s: is not a regular file; want it moved away", j->path);
  j->size = there.st_size;
  return CS_OK;
}

static int new_journal(const char *path, struct cs_journal **journal, struct cs_error *error) {
  struct cs_journal *j = calloc(1, sizeof *j);
  *journal = j;
  if (j == NULL) return cs_error_memory(error);
  j->fd = -1;
  pthread_mutex_init(&j->lock, NULL);
  pthread_cond_init(&j->wake, NULL);
  pthread_cond_init(&j->room, NULL);
  cs_checksum_begin(&j->reading);
  cs_checksum_begin(&j->writer_sum);
  struct cs_text part = {0};
  cs_text_add(&part, "%s" PART, path);
  j->path = cs_text_copy(path);
  j->part = part.data;
  return j->path != NULL && !part.failed ? CS_OK : cs_error_memory(error);
}

/* The plan of a journal that has no file yet. */
static int take_plan(struct cs_journal *j, const char *plan, struct cs_error *error) {
  j->plan = cs_text_copy(plan);
  if (j->plan == NULL) return cs_error_memory(error);
  j->seed = cs_journal_make_head(j, &j->reading, CS_JOURNAL_PLAN, plan, strlen(plan), 0).body;
  return CS_OK;
}

static int open_file(struct cs_journal *j, const struct cs_journal_setup *setup, struct cs_error *error) {
  if (setup->fresh) {
    struct cs_journal *old = NULL; /* what is no journal is not thrown away */
    const int code = cs_journal_read(j->path, NULL, &old, error);
    cs_journal_close(old, false);
    if (code != CS_OK && access(j->path, F_OK) == 0) return code;
    if (unlink(j->path) != 0 && errno != ENOENT) return cs_journal_fail(j, error);
  }
  /* Of a process that was killed: the result's lock is held. */
  if (unlink(j->part) != 0 && errno != ENOENT)
    return cs_error_set(error, CS_IO, "%s: %s; want it moved away", j->part, strerror(errno));
  j->fd = open(j->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (j->fd < 0) return errno == ENOENT ? take_plan(j, setup->plan, error) : cs_journal_fail(j, error);
  int code = look(j, error);
  if (code == CS_OK) code = recover(j, setup->plan, error);
  if (code == CS_OK && j->dropped > 0 && ftruncate(j->fd, j->end) != 0) code = cs_journal_fail(j, error);
  return code;
}

int cs_journal_open(const struct cs_journal_setup *setup, struct cs_journal **journal, struct cs_error *error) {
  struct cs_journal *j;
  int code = new_journal(setup->path, &j, error);
  if (code == CS_OK && (j->session = cs_text_copy(setup->session)) == NULL) code = cs_error_memory(error);
  if (code == CS_OK) code = open_file(j, setup, error);
  if (code == CS_OK) j->seconds = setup->seconds;
  if (code == CS_OK) code = cs_journal_begin_writing(j, error);
  *journal = code == CS_OK ? j : NULL;
  if (code != CS_OK) cs_journal_close(j, false);
  return code;
}

bool cs_journal_is(const char *path) {
  char begin[CS_JOURNAL_MAGIC_BYTES] = "";
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool is = fd >= 0 && read(fd, begin, sizeof begin) == (ssize_t)sizeof begin &&
                  memcmp(begin, CS_JOURNAL_MAGIC, sizeof begin) == 0;
  if (fd >= 0) close(fd);
  return is;
}

int cs_journal_read(const char *path, const char *plan, struct cs_journal **journal, struct cs_error *error) {
  struct cs_journal *j;
  int code = new_journal(path, &j, error);
  if (code == CS_OK && (j->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) < 0) code = cs_journal_fail(j, error);
  if (code == CS_OK) code = look(j, error);
  if (code == CS_OK) code = recover(j, plan, error);
  *journal = code == CS_OK ? j : NULL;
  if (code != CS_OK) cs_journal_close(j, false);
  return code;
}

static int remove_file(const char *path, struct cs_error *error) {
  return unlink(path) == 0 || errno == ENOENT ? CS_OK : cs_error_set(error, CS_IO, "%s: %s", path, strerror(errno));
}

int cs_journal_remove(const char *path, struct cs_error *error) {
  struct cs_text part = {0};
  cs_text_add(&part, "%s" PART, path);
  int code = part.failed ? cs_error_memory(error) : remove_file(path, error);
  if (code == CS_OK) code = remove_file(part.data, error);
  cs_text_free(&part);
  return code;
}

void cs_journal_close(struct cs_journal *j, bool done) {
  if (j == NULL) return;
  if (j->writes) cs_journal_end_writing(j);
  if (j->fd >= 0) close(j->fd);
  if (j->fd >= 0 && done) unlink(j->path);
  pthread_mutex_destroy(&j->lock);
  pthread_cond_destroy(&j->wake);
  pthread_cond_destroy(&j->room);
  cs_text_free(&j->pending);
  cs_text_free(&j->writing);
  free(j->path);
  free(j->part);
  free(j->plan);
  free(j->session);
  free(j->place);
  free(j);
}

/* ---- what it has ------------------------------------------------------------------------------------------------- */

const char *cs_journal_path(const struct cs_journal *j) {
  return j->path;
}

const char *cs_journal_plan(const struct cs_journal *j) {
  return j->plan;
}

size_t cs_journal_found(const struct cs_journal *j, enum cs_journal_pass pass) {
  return j->found[pass];
}

size_t cs_journal_dropped(const struct cs_journal *j) {
  return j->dropped;
}

size_t cs_journal_bytes(const struct cs_journal *j) {
  return (size_t)j->size;
}

size_t cs_journal_kept(const struct cs_journal *j) {
  return j->kept;
}

/* Whether a record may have results that are asked for. */
static bool has(const struct cs_journal_place *p, const struct visit *v) {
  return (p->passes >> v->pass & 1U) != 0 && p->most >= v->first &&
         (p->least < v->first || p->least - v->first < v->runs);
}

int cs_journal_replay(struct cs_journal *j, enum cs_journal_pass pass, uint64_t first, uint64_t runs,
                      cs_journal_take *take_result, void *context, struct cs_error *error) {
  struct visit v = {.pass = (int)pass, .first = first, .runs = runs, .take = take_result, .context = context};
  struct record r = {0};
  int code = CS_OK;
  for (size_t i = 0; i < j->places && code == CS_OK; i++) {
    bool whole;
    if (!has(&j->place[i], &v)) continue;
    code = read_record(j, j->place[i].at, &r, &whole, error);
    if (code == CS_OK && whole) code = each_result(&r, &v, error);
    if (code == CS_OK && !whole)
      code = cs_error_set(error, CS_IO, "%s: was changed by another program meanwhile; want it left alone", j->path);
  }
  free(r.body);
  return code;
}

struct sessions {
  cs_journal_session *take;
  void *context;
};

static int take_session(void *context, const struct record *r, struct cs_error *error) {
  const struct sessions *s = context;
  return r->head.kind == CS_JOURNAL_SESSION ? s->take(s->context, r->body, error) : CS_OK;
}

int cs_journal_sessions(struct cs_journal *j, cs_journal_session *take_text, void *context, struct cs_error *error) {
  struct sessions s = {take_text, context};
  off_t end = j->first;
  return each_record(j, &end, take_session, &s, error);
}
