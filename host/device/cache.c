#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache_place.h"
#include "litter.h"
#include "text.h"

enum {
  WAIT_ROUNDS = 3000, /* of 20 ms: then the program is built here as well, as the other process may never finish */
  USED_SECONDS = 60,  /* a file says when it was used to as much */
  LARGEST = 1 << 30   /* bytes; no program's file is larger */
};

/* A program's file: this header, the key, then the binary, or for every file of PoCL the lengths of path and content,
 * path, content. */
struct header {
  char magic[16];
  uint64_t key_bytes, content_bytes, checksum;
};

static const char magic[16] = {'c', 'o', 's', 'w', 'e', 'e', 'p', ' ', 'p', 'r', 'o', 'g', 'r', 'a', 'm', '1'};

struct cs_cache_entry {
  enum cs_cache_form form;
  bool keeps; /* in a file of its own; not where PoCL keeps programs itself */
  char *key, *path, *lock_path;
  int lock;              /* -1: not ours */
  struct cs_text before; /* PoCL's files that were there before: "\npath\npath\n" */
  struct cs_text own;    /* the program's directories, known once it was loaded, or from cs_cache_keep on: files added
                            there later belong to the program, other new files do not */
  size_t kept_files;     /* in the program's file; 1 for a binary */
  struct cs_text file;   /* with a binary that was kept */
  bool complete;         /* cs_cache_keep was called */
  bool twin;             /* another entry of this process has the lock and keeps the program */
  bool no_memory;        /* memory was short while the program was loaded */
};

void cs_cache_prepare(void) {
  cs_cache_place();
}

const char *cs_cache_warning(void) {
  const char *warning = cs_cache_place()->warning;
  return warning[0] != '\0' ? warning : NULL;
}

/* FNV-1a, going on from `hash`. */
static uint64_t hash_on(uint64_t hash, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static uint64_t hash_of(const char *bytes, size_t length) {
  return hash_on(UINT64_C(0xcbf29ce484222325), bytes, length);
}

/* ---- PoCL's files ------------------------------------------------------------------------------------------------ */

struct files {
  const struct cs_cache_entry *entry; /* NULL: all files */
  struct cs_text list, content;
  size_t count;
};

/* A file's path below PoCL's directory; NULL for files directly in it, which belong to no program. */
static const char *inner_path(const char *path) {
  const char *inner = path + strlen(cs_cache_place()->scratch) + 1;
  return strchr(inner, '/') != NULL ? inner : NULL;
}

static bool was_there(const struct cs_cache_entry *entry, const char *inner) {
  struct cs_text line = {0};
  cs_text_add(&line, "\n%s\n", inner);
  const bool there = line.failed || (entry->before.data != NULL && strstr(entry->before.data, line.data) != NULL);
  cs_text_free(&line);
  return there;
}

/* Length of a file's directory, with its slash: PoCL has one for every program, two names deep. */
static size_t directory_of(const char *inner) {
  const char *first = strchr(inner, '/'), *second = strchr(first + 1, '/');
  return (size_t)((second != NULL ? second : first) + 1 - inner);
}

/* As a line "directory/\n". */
static bool is_own(const struct cs_cache_entry *entry, const char *inner) {
  struct cs_text line = {0};
  cs_text_add(&line, "%.*s\n", (int)directory_of(inner), inner);
  const bool own = !line.failed && entry->own.data != NULL && strstr(entry->own.data, line.data) != NULL;
  cs_text_free(&line);
  return own;
}

static void add_own(struct cs_cache_entry *entry, const char *inner) {
  if (!is_own(entry, inner)) cs_text_add(&entry->own, "%.*s\n", (int)directory_of(inner), inner);
}

static void list_file(const char *path, const struct stat *status, void *context) {
  struct files *files = context;
  const char *inner = inner_path(path);
  if (!S_ISREG(status->st_mode) || inner == NULL) return;
  if (files->entry != NULL && was_there(files->entry, inner)) return;
  cs_text_add(&files->list, "%s%s\n", files->list.length == 0 ? "\n" : "", inner);
  files->count++;
}

/* Appends a whole file; false when it cannot be read. */
static bool append_file(int fd, struct cs_text *text) {
  char block[16384];
  ssize_t length;
  while ((length = read(fd, block, sizeof block)) > 0)
    cs_text_append(text, block, (size_t)length);
  return length == 0 && !text->failed;
}

static bool pack_file(const char *inner, struct cs_text *content) {
  struct cs_text bytes = {0};
  char *path = cs_cache_place_join(cs_cache_place()->scratch, inner);
  const bool good = path != NULL && cs_text_read(&bytes, path, "file", NULL) == CS_OK;
  const uint64_t length[2] = {strlen(inner), bytes.length};
  if (good) {
    cs_text_append(content, (const char *)length, sizeof length);
    cs_text_append(content, inner, strlen(inner));
    cs_text_append(content, bytes.data, bytes.length);
  }
  free(path);
  cs_text_free(&bytes);
  return good;
}

/* Packs the files in the list into `content`; destroys the list. */
static bool pack(struct files *files) {
  char *rest = files->list.data;
  bool good = !files->list.failed;
  for (char *inner; good && (inner = strtok_r(rest, "\n", &rest)) != NULL;)
    good = pack_file(inner, &files->content);
  return good && !files->content.failed;
}

static bool write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    const ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    length -= (size_t)written;
  }
  return true;
}

/* Writes a file into PoCL's directory unless it exists. */
static bool unpack_file(const char *inner, const char *bytes, size_t length, bool *no_memory) {
  char *path = cs_cache_place_join(cs_cache_place()->scratch, inner);
  *no_memory |= path == NULL;
  if (path == NULL) return false;
  char *slash = strrchr(path, '/');
  *slash = '\0';
  bool good = cs_cache_place_make(path) == 0;
  *no_memory |= !good && errno == ENOMEM;
  *slash = '/';
  const int fd = good ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700) : -1;
  if (fd < 0) {
    good = good && errno == EEXIST;
  } else {
    good = write_all(fd, bytes, length);
    good = close(fd) == 0 && good;
    if (!good) unlink(path);
  }
  free(path);
  return good;
}

static bool is_inside(const char *inner) {
  return inner[0] != '/' && strchr(inner, '/') != NULL && strstr(inner, "..") == NULL && strchr(inner, '\n') == NULL;
}

/* Unpacks into PoCL's directory and returns the number of files; 0 if the content is invalid: PoCL builds what is
 * missing. */
static size_t unpack(struct cs_cache_entry *entry, const char *content, size_t bytes) {
  size_t count = 0;
  while (bytes > 0) {
    uint64_t length[2];
    if (bytes < sizeof length) return 0;
    memcpy(length, content, sizeof length);
    content += sizeof length;
    bytes -= sizeof length;
    if (length[0] == 0 || length[0] > bytes || length[1] > bytes - length[0]) return 0;
    struct cs_text inner = {0};
    cs_text_append(&inner, content, length[0]);
    const bool good = !inner.failed && strlen(inner.data) == length[0] && is_inside(inner.data) &&
                      unpack_file(inner.data, content + length[0], length[1], &entry->no_memory);
    if (good) add_own(entry, inner.data);
    entry->no_memory |= inner.failed != 0;
    cs_text_free(&inner);
    if (!good) return 0;
    content += length[0] + length[1];
    bytes -= length[0] + length[1];
    count++;
  }
  return count;
}

/* ---- a program's file -------------------------------------------------------------------------------------------- */

/* Where a program's file has its content. */
static size_t content_at(const struct cs_cache_entry *entry) {
  return sizeof(struct header) + strlen(entry->key);
}

static bool is_whole(const struct cs_cache_entry *entry, const struct cs_text *file) {
  struct header header;
  if (file->length < sizeof header) return false;
  memcpy(&header, file->data, sizeof header);
  const size_t rest = file->length - sizeof header;
  if (memcmp(header.magic, magic, sizeof magic) != 0) return false;
  if (header.key_bytes != strlen(entry->key) || header.key_bytes > rest) return false;
  if (header.content_bytes != rest - header.key_bytes) return false;
  if (memcmp(file->data + sizeof header, entry->key, header.key_bytes) != 0) return false;
  return header.checksum == hash_of(file->data + sizeof header, rest);
}

/* Reads the program's file; false if there is none that is whole. */
static bool read_kept(const struct cs_cache_entry *entry, struct cs_text *file) {
  struct stat status;
  const int fd = entry->keeps ? open(entry->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  if (fd < 0) return false;
  const bool whole = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size < LARGEST &&
                     append_file(fd, file) && is_whole(entry, file);
  /* in use: what removes programs relies on it */
  if (whole && time(NULL) - status.st_mtime > USED_SECONDS) futimens(fd, NULL);
  close(fd);
  return whole;
}

/* Gives PoCL the files kept, or reads the binary; false if there are none. */
static bool load(struct cs_cache_entry *entry) {
  const size_t skip = content_at(entry);
  struct cs_text file = {0};
  if (read_kept(entry, &file))
    entry->kept_files = entry->form == CS_CACHE_BINARY ? 1 : unpack(entry, file.data + skip, file.length - skip);
  entry->no_memory |= file.failed != 0;
  if (entry->kept_files == 0) cs_text_free(&entry->own);
  if (entry->form == CS_CACHE_BINARY && entry->kept_files > 0)
    entry->file = file;
  else
    cs_text_free(&file);
  return entry->kept_files > 0;
}

/* Writes under another name first, so that the file is never seen incomplete. */
static bool write_file(const struct cs_cache_entry *entry, const char *content, size_t bytes) {
  struct header header = {.key_bytes = strlen(entry->key), .content_bytes = bytes};
  struct cs_text part = {0};
  memcpy(header.magic, magic, sizeof magic);
  header.checksum = hash_on(hash_of(entry->key, header.key_bytes), content, bytes);
  cs_text_add(&part, "%s.part-XXXXXX", entry->path);
  cs_litter_begin();
  const int fd = part.failed ? -1 : mkstemp(part.data);
  if (fd >= 0) cs_litter_note(part.data);
  cs_litter_end();
  bool good = fd >= 0;
  int reason = errno;
  if (fd >= 0) {
    good = write_all(fd, (const char *)&header, sizeof header) && write_all(fd, entry->key, header.key_bytes) &&
           write_all(fd, content, bytes) && fsync(fd) == 0;
    reason = errno;
    close(fd);
    cs_litter_begin();
    if (good) {
      good = rename(part.data, entry->path) == 0;
      reason = errno;
    }
    if (!good) unlink(part.data);
    cs_litter_forget(part.data);
    cs_litter_end();
  }
  cs_text_free(&part);
  errno = reason;
  return good;
}

static void store_content(struct cs_cache_entry *entry, const char *content, size_t bytes, size_t files) {
  if (write_file(entry, content, bytes)) {
    entry->kept_files = files;
    cs_cache_place_trim();
  } else {
    cs_cache_place_warn("built programs are not kept: %s: %s", cs_cache_place()->kept, strerror(errno));
  }
}

/* PoCL's files. */
static void store(struct cs_cache_entry *entry) {
  if (entry->form != CS_CACHE_FILES || !entry->keeps || entry->twin) return;
  struct files files = {.entry = entry};
  const char *rest = cs_text_string(&entry->own);
  for (const char *end; (end = strchr(rest, '\n')) != NULL; rest = end + 1) {
    struct cs_text path = {0};
    cs_text_add(&path, "%s/%.*s", cs_cache_place()->scratch, (int)(end - rest) - 1, rest);
    if (!path.failed) cs_cache_place_walk(path.data, list_file, &files);
    files.list.failed |= path.failed;
    cs_text_free(&path);
  }
  if (files.count > entry->kept_files && pack(&files))
    store_content(entry, files.content.data, files.content.length, files.count);
  cs_text_free(&files.list);
  cs_text_free(&files.content);
}

/* ---- taking turns ------------------------------------------------------------------------------------------------ */

/* The lock's file contains the process id of its owner, so that no process waits for itself. */
static void sign(int fd) {
  char text[24];
  const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
  if (ftruncate(fd, 0) == 0) write_all(fd, text, (size_t)length);
}

static bool is_signed_by_us(int fd) {
  char text[24] = "";
  return pread(fd, text, sizeof text - 1, 0) > 0 && strtol(text, NULL, 10) == (long)getpid();
}

/* 1: the lock is ours; 0: another process has it; -1: it cannot be had. */
static int lock_noted(struct cs_cache_entry *entry) {
  struct stat here, there;
  const int fd = open(entry->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  int answer = flock(fd, LOCK_EX | LOCK_NB) == 0 ? 1 : errno == EWOULDBLOCK ? 0 : -1;
  /* Owners remove the file when they unlock it: a lock on a removed file is void. */
  if (answer == 1 && (fstat(fd, &here) != 0 || stat(entry->lock_path, &there) != 0 || here.st_ino != there.st_ino))
    answer = 0;
  if (answer == 1) {
    sign(fd);
    entry->lock = fd;
    cs_litter_note(entry->lock_path);
    return answer;
  }
  entry->twin = answer == 0 && is_signed_by_us(fd);
  close(fd);
  return entry->twin ? -1 : answer;
}

static int try_lock(struct cs_cache_entry *entry) {
  cs_litter_begin();
  const int answer = lock_noted(entry);
  cs_litter_end();
  return answer;
}

static void unlock(struct cs_cache_entry *entry) {
  if (entry->lock < 0) return;
  cs_litter_begin();
  unlink(entry->lock_path);
  cs_litter_forget(entry->lock_path);
  cs_litter_end();
  close(entry->lock);
  entry->lock = -1;
}

/* Waits until the program is loaded, its lock is ours, or the user asks to stop. */
static void load_or_lock(struct cs_cache_entry *entry, const volatile sig_atomic_t *stop) {
  const struct timespec pause = {.tv_nsec = 20000000};
  struct files files = {.entry = NULL};
  if (load(entry) || entry->no_memory) return;
  if (entry->form == CS_CACHE_FILES && entry->keeps) cs_cache_place_walk(cs_cache_place()->scratch, list_file, &files);
  entry->before = files.list;
  entry->no_memory |= files.list.failed != 0;
  for (int i = 0; i < WAIT_ROUNDS && !entry->no_memory; i++) {
    const int answer = try_lock(entry);
    const bool loaded = load(entry);
    if (answer > 0 && loaded) unlock(entry);
    if (answer != 0 || loaded || nanosleep(&pause, NULL) != 0 || (stop != NULL && *stop != 0)) break;
  }
}

static void free_entry(struct cs_cache_entry *entry) {
  if (entry == NULL) return;
  free(entry->key);
  free(entry->path);
  free(entry->lock_path);
  cs_text_free(&entry->file);
  cs_text_free(&entry->before);
  cs_text_free(&entry->own);
  free(entry);
}

/* *made is NULL if programs are not kept. */
static int new_entry(const char *key, enum cs_cache_form form, struct cs_cache_entry **made, struct cs_error *error) {
  const bool files = form == CS_CACHE_FILES;
  const struct cs_cache_place *place = files ? cs_cache_place() : cs_cache_place_of_binaries();
  const char *shared = files ? place->shared : NULL, *directory = shared != NULL ? shared : place->kept;
  *made = NULL;
  if (place->no_memory) return cs_error_memory(error);
  if (directory == NULL || (files && shared == NULL && place->scratch == NULL)) return CS_OK;
  struct cs_cache_entry *entry = calloc(1, sizeof *entry);
  if (entry == NULL) return cs_error_memory(error);
  entry->form = form;
  entry->keeps = shared == NULL;
  entry->lock = -1;
  entry->key = cs_text_copy(key);
  char name[64];
  snprintf(name, sizeof name, "cosweep-%016" PRIx64 ".program", hash_of(key, strlen(key)));
  entry->path = cs_cache_place_join(directory, name);
  snprintf(name, sizeof name, "cosweep-%016" PRIx64 ".lock", hash_of(key, strlen(key)));
  entry->lock_path = cs_cache_place_join(directory, name);
  if (entry->key != NULL && entry->path != NULL && entry->lock_path != NULL) {
    *made = entry;
    return CS_OK;
  }
  free_entry(entry);
  return cs_error_memory(error);
}

bool cs_cache_has(const char *key, enum cs_cache_form form) {
  struct cs_cache_entry *entry;
  struct cs_error error;
  struct cs_text file = {0};
  const bool there = new_entry(key, form, &entry, &error) == CS_OK && entry != NULL && read_kept(entry, &file);
  cs_text_free(&file);
  free_entry(entry);
  return there;
}

int cs_cache_open(const char *key, enum cs_cache_form form, const volatile sig_atomic_t *stop,
                  struct cs_cache_entry **opened, struct cs_error *error) {
  struct cs_cache_entry *entry;
  *opened = NULL;
  const int code = new_entry(key, form, &entry, error);
  if (code != CS_OK || entry == NULL) return code;
  load_or_lock(entry, stop);
  if (entry->no_memory) {
    cs_cache_close(entry);
    return cs_error_memory(error);
  }
  *opened = entry;
  return CS_OK;
}

bool cs_cache_gave(const struct cs_cache_entry *entry) {
  return entry->lock < 0 && entry->kept_files > 0;
}

const char *cs_cache_binary(const struct cs_cache_entry *entry, size_t *bytes) {
  if (entry->file.data == NULL) return NULL;
  *bytes = entry->file.length - content_at(entry);
  return entry->file.data + content_at(entry);
}

void cs_cache_refuse(struct cs_cache_entry *entry) {
  cs_text_free(&entry->file);
  entry->kept_files = 0;
  unlink(entry->path);
  try_lock(entry);
}

/* Finds the directories of the files built since the entry was opened. */
static void find_own(struct cs_cache_entry *entry) {
  struct files files = {.entry = entry};
  if (!entry->keeps || entry->own.data != NULL) return;
  cs_cache_place_walk(cs_cache_place()->scratch, list_file, &files);
  char *rest = files.list.data;
  for (char *inner; !files.list.failed && rest != NULL && (inner = strtok_r(rest, "\n", &rest)) != NULL;)
    add_own(entry, inner);
  cs_text_free(&files.list);
}

void cs_cache_keep(struct cs_cache_entry *entry) {
  if (entry == NULL) return;
  entry->complete = true;
  find_own(entry);
  store(entry);
  unlock(entry);
}

void cs_cache_keep_binary(struct cs_cache_entry *entry, const char *binary, size_t bytes) {
  if (entry == NULL) return;
  if (binary != NULL && entry->kept_files == 0 && !entry->twin) store_content(entry, binary, bytes, 1);
  unlock(entry);
}

void cs_cache_close(struct cs_cache_entry *entry) {
  if (entry == NULL) return;
  if (entry->complete) store(entry);
  unlock(entry);
  free_entry(entry);
}
