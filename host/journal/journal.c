#include <errno.h>
#include <fcntl.h>
#include <math.h>
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
  if (body != NULL) cs_checksum_add(sum, body, bytes);
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
  off_t at, next; /* where the next one begins; 0 if the head does not say so */
  struct cs_journal_head head;
  char *body; /* zero-terminated */
  size_t room;
  bool whole;
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

/* Whether a head is right for place `at`, and its record within the file. */
static bool is_head(struct cs_journal *j, const struct cs_journal_head *head, off_t at) {
  const off_t left = j->size - at - (off_t)sizeof *head;
  return head->mark == CS_JOURNAL_MARK && left >= 0 && head->bytes <= (uint64_t)left &&
         cs_journal_make_head(j, &j->reading, head->kind, NULL, head->bytes, at).own == head->own;
}

/* Reads the record at `at`, if it is whole; what cannot be read, or finds no memory, is a failure. */
static int read_record(struct cs_journal *j, off_t at, struct record *r, struct cs_error *error) {
  r->at = at;
  r->next = 0;
  int code = take(j, &r->head, sizeof r->head, at, &r->whole, error);
  r->whole = r->whole && is_head(j, &r->head, at);
  if (!r->whole) return code;
  r->next = at + (off_t)(sizeof r->head + r->head.bytes);
  if (r->head.bytes >= r->room) {
    char *body = realloc(r->body, r->head.bytes + 1);
    if (body == NULL) return cs_error_memory(error);
    r->body = body;
    r->room = r->head.bytes + 1;
  }
  code = take(j, r->body, r->head.bytes, at + (off_t)sizeof r->head, &r->whole, error);
  if (!r->whole) return code;
  r->body[r->head.bytes] = '\0';
  const struct cs_journal_head want = cs_journal_make_head(j, &j->reading, r->head.kind, r->body, r->head.bytes, at);
  r->whole = want.body == r->head.body;
  return CS_OK;
}

/* The first place from `at` on that has a right head; the end of the file if there is none. */
static int find_head(struct cs_journal *j, off_t at, off_t *found, struct cs_error *error) {
  enum { AT_ONCE = 1 << 16 };
  char bytes[AT_ONCE];
  struct cs_journal_head head;
  for (; j->size - at >= (off_t)sizeof head; at += AT_ONCE - (off_t)sizeof head + 1) {
    const size_t count = j->size - at < AT_ONCE ? (size_t)(j->size - at) : AT_ONCE;
    bool whole;
    const int code = take(j, bytes, count, at, &whole, error);
    if (code != CS_OK) return code;
    for (size_t i = 0; whole && i + sizeof head <= count; i++) {
      memcpy(&head, bytes + i, sizeof head);
      *found = at + (off_t)i;
      if (is_head(j, &head, *found)) return CS_OK;
    }
  }
  *found = j->size;
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

/* The plan of a journal, as it is or as it has to be. */
static int take_plan(struct cs_journal *j, const char *plan, struct cs_error *error) {
  j->plan = cs_text_copy(plan);
  if (j->plan == NULL) return cs_error_memory(error);
  j->seed = cs_journal_make_head(j, &j->reading, CS_JOURNAL_PLAN, plan, strlen(plan), 0).body;
  j->first = j->end = (off_t)cs_journal_empty_bytes(strlen(plan));
  return CS_OK;
}

static int fail_unreadable(const struct cs_journal *j, struct cs_error *error) {
  return cs_error_set(error, CS_IO, "%s: is damaged: its plan cannot be read; want it moved away", j->path);
}

/* Where the plan is not whole it is the one that is wanted, if any: records of another one do not count with it. */
static int read_plan(struct cs_journal *j, const char *want, struct cs_error *error) {
  char begin[CS_JOURNAL_MAGIC_BYTES];
  struct record r = {0};
  bool whole;
  int code = take(j, begin, sizeof begin, 0, &whole, error);
  if (code != CS_OK) return code;
  if (!whole || memcmp(begin, CS_JOURNAL_MAGIC, sizeof begin) != 0)
    return cs_error_set(error, CS_IO, "%s: is no journal of cosweep; want it moved away", j->path);
  code = read_record(j, sizeof begin, &r, error);
  j->planless = !r.whole || r.head.kind != CS_JOURNAL_PLAN || strlen(r.body) != r.head.bytes;
  if (!j->planless) want = r.body;
  if (code == CS_OK) code = want != NULL ? take_plan(j, want, error) : fail_unreadable(j, error);
  free(r.body);
  return code;
}

/* Goes through all records behind the plan that are whole, and are what their kind says: take_record() returns CS_INPUT
 * for those that are not. */
static int each_record(struct cs_journal *j,
                       int (*take_record)(void *context, const struct record *record, struct cs_error *error),
                       void *context, struct cs_error *error) {
  struct record r = {0};
  int code = CS_OK;
  for (off_t at = j->first; at < j->size && code == CS_OK; at = r.next) {
    code = read_record(j, at, &r, error);
    if (code == CS_OK && r.whole) code = take_record(context, &r, error);
    if (code == CS_INPUT) code = CS_OK;
    if (code == CS_OK && r.next == 0) code = find_head(j, at + (off_t)sizeof r.head, &r.next, error);
  }
  free(r.body);
  return code;
}

/* What stands behind the last whole record up to `next`, where another one begins or the file ends, does not count. */
static int drop(struct cs_journal *j, off_t next, struct cs_error *error) {
  if (next == j->end) return CS_OK;
  if (!cs_list_grow(&j->gap, j->gaps, sizeof *j->gap)) return cs_error_memory(error);
  j->gap[j->gaps++] = (struct cs_journal_gap){j->end, next};
  return CS_OK;
}

static int count(void *context, const struct record *r, struct cs_error *error) {
  struct cs_journal *j = context;
  struct visit v = {.pass = -1, .place.at = r->at};
  int code = r->head.kind == CS_JOURNAL_RESULTS ? each_result(r, &v, error) : CS_OK;
  if (code == CS_OK) code = drop(j, r->at, error);
  if (code != CS_OK) return code;
  j->end = r->next;
  if (r->head.kind != CS_JOURNAL_RESULTS) return CS_OK;
  if (!cs_list_grow(&j->place, j->places, sizeof *j->place)) return cs_error_memory(error);
  j->place[j->places++] = v.place;
  j->bytes += r->head.bytes;
  for (int pass = 0; pass < CS_PASSES; pass++)
    j->found[pass] += v.found[pass];
  return CS_OK;
}

/* Reads a journal that is there; `plan` NULL: of any plan. */
static int recover(struct cs_journal *j, const char *plan, struct cs_error *error) {
  int code = read_plan(j, plan, error);
  if (code == CS_OK) code = each_record(j, count, j, error);
  if (code == CS_OK && j->planless && j->end == j->first) code = fail_unreadable(j, error);
  if (code == CS_OK) code = drop(j, j->size, error);
  j->kept = j->found[CS_PASS_RUNS];
  j->size = j->end;
  if (code == CS_OK && plan != NULL && strcmp(j->plan, plan) != 0) code = fail_plan(j, j->plan, plan, error);
  return code;
}

/* Makes a record of `body` at `at`, over what is there. */
static int put_over(struct cs_journal *j, enum cs_journal_kind kind, const char *body, size_t bytes, off_t at,
                    struct cs_error *error) {
  const struct cs_journal_head head = cs_journal_make_head(j, &j->reading, kind, body, bytes, at);
  const bool done = pwrite(j->fd, &head, sizeof head, at) == (ssize_t)sizeof head &&
                    pwrite(j->fd, body, bytes, at + (off_t)sizeof head) == (ssize_t)bytes;
  return done ? CS_OK : cs_journal_fail(j, error);
}

static int cover(struct cs_journal *j, const struct cs_journal_gap *gap, struct cs_error *error) {
  const off_t at = gap->at + (off_t)sizeof(struct cs_journal_head);
  const size_t bytes = (size_t)(gap->next - at);
  bool whole;
  char *body = malloc(bytes + 1);
  int code = body == NULL ? cs_error_memory(error) : take(j, body, bytes, at, &whole, error);
  if (code == CS_OK) code = put_over(j, CS_JOURNAL_DAMAGED, body, bytes, gap->at, error);
  free(body);
  return code;
}

/* What does not count becomes a record that says so, and is cut off at the end: nobody meets it again. */
static int mend(struct cs_journal *j, struct cs_error *error) {
  int code = CS_OK;
  if (j->planless) code = put_over(j, CS_JOURNAL_PLAN, j->plan, strlen(j->plan), CS_JOURNAL_MAGIC_BYTES, error);
  for (size_t i = 0; i < j->gaps && code == CS_OK; i++)
    if (j->gap[i].at < j->end)
      code = cover(j, &j->gap[i], error);
    else if (ftruncate(j->fd, j->end) != 0)
      code = cs_journal_fail(j, error);
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
  if (code == CS_OK) code = mend(j, error);
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
  free(j->gap);
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
  size_t bytes = j->planless ? (size_t)j->first - CS_JOURNAL_MAGIC_BYTES : 0;
  for (size_t i = 0; i < j->gaps; i++)
    bytes += (size_t)(j->gap[i].next - j->gap[i].at);
  return bytes;
}

size_t cs_journal_lost(const struct cs_journal *j) {
  const size_t head = sizeof(struct cs_journal_head);
  double bytes = 0.0;
  for (size_t i = 0; i < j->gaps; i++)
    bytes += fmax(0.0, (double)(j->gap[i].next - j->gap[i].at) - (double)head);
  return j->bytes > 0.0 ? (size_t)lround(bytes * (double)j->found[CS_PASS_RUNS] / j->bytes) : 0;
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
    if (!has(&j->place[i], &v)) continue;
    code = read_record(j, j->place[i].at, &r, error);
    if (code == CS_OK && r.whole) code = each_result(&r, &v, error);
    if (code == CS_OK && !r.whole)
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
  return each_record(j, take_session, &s, error);
}
