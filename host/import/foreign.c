#include "foreign.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "child.h"
#include "hdf5file.h"
#include "matfile.h"
#include "store.h"
#include "stream.h"
#include "variables.h"

/* Enough for every subsystem that is read, and for what stands beside them. */
enum { PACE = 1 << 21 }; /* bytes/s, slow */
static const size_t most_memory = (size_t)2 << 30;

struct task {
  const char *file;
  double size; /* bytes */
  bool hdf5;
};

/* ---- in the process */

static void pass(FILE *to, void *context) {
  const struct task *task = context;
  struct cs_variable root = {0};
  struct cs_error error = {0};
  cs_child_limit_memory(most_memory);
  cs_child_limit_time(1.0 + task->size / PACE);
  const int code =
      task->hdf5 ? cs_hdf5file_read(task->file, &root, &error) : cs_matfile_read(task->file, &root, &error);
  cs_stream_put_count(to, (size_t)code);
  if (code == CS_OK)
    cs_variable_put(to, &root);
  else
    cs_stream_put_text(to, error.message);
}

/* ---- outside of it */

/* False if the answer breaks off or makes no sense. */
static bool take(FILE *from, struct cs_variable *root, int *code, struct cs_error *error) {
  size_t got = 0;
  bool memory = false;
  if (!cs_stream_take_count(from, &got)) return false;
  if (got == CS_OK) {
    const bool whole = cs_variable_take(from, root, &memory);
    *code = memory ? cs_error_memory(error) : CS_OK;
    return whole || memory;
  }
  char *message = cs_stream_take_text(from);
  if (message != NULL) *code = cs_error_set(error, (int)got, "%s", message);
  free(message);
  return message != NULL;
}

static int read_apart(struct task *task, struct cs_variable *root, struct cs_error *error) {
  struct cs_child child;
  struct cs_text why = {0};
  int code = cs_child_open(pass, task, &child, error);
  if (code != CS_OK) return code;
  const bool answered = take(child.from, root, &code, error);
  const bool ended = feof(child.from) != 0, broken = ferror(child.from) != 0;
  const bool wrote = cs_child_close(&child, &why);
  if (!answered && ended)
    code = cs_error_set(error, CS_IO, "%s: is damaged: reading it %s", task->file,
                        why.length > 0 ? cs_text_string(&why) : "broke off");
  else if (!answered && (broken || !wrote))
    code = cs_error_set(error, CS_IO, "%s: cannot pass on what is read", task->file);
  else if (!answered)
    code = cs_error_memory(error);
  else if (code == CS_DEVICE)
    code = cs_error_set(error, CS_DEVICE, "%s: out of memory: it is damaged, or needs more than %zu GB", task->file,
                        most_memory >> 30);
  cs_text_free(&why);
  return code;
}

int cs_foreign_read(const char *file, const char *name, struct cs_draft *draft, bool *result, struct cs_error *error) {
  struct stat state;
  struct cs_variable root = {0};
  struct task task = {.file = file, .hdf5 = cs_hdf5file_is_one(file)};
  *result = false;
  if (stat(file, &state) == 0) task.size = (double)state.st_size;
  int code = read_apart(&task, &root, error);
  *result = code == CS_OK && root.kind == CS_VARIABLE_TEXT;
  if (code == CS_OK && !*result) code = cs_variables_read(file, name, &root, draft, error);
  cs_variable_free(&root);
  return code;
}

int cs_foreign_read_result(const char *file, struct cs_text *model, struct cs_error *error) {
  struct cs_table *table = NULL;
  int code = cs_store_read(file, &table, error);
  const struct cs_note *note = code == CS_OK ? cs_table_find_note(table, "model") : NULL;
  if (code == CS_OK && (note == NULL || note->type != CS_TEXT || note->count != 1))
    code = cs_error_set(error, CS_IO, "%s: no model in its provenance", file);
  if (code == CS_OK) cs_text_add(model, "%s", note->text[0]);
  if (code == CS_OK && model->failed) code = cs_error_memory(error);
  cs_table_free(table);
  return code;
}
