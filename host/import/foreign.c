#include "foreign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "child.h"
#include "hdf5file.h"
#include "litter.h"
#include "matfile.h"
#include "store.h"
#include "stream.h"
#include "variables.h"

/* Enough for every subsystem that is read, and for what stands beside them. */
enum { PACE = 1 << 21 }; /* bytes/s, slow */
static const size_t most_memory = (size_t)2 << 30;

/* What the process says: any number of the first two, each with a text, then one of the others. */
enum record {
  ABOUT, /* code of this part of the file runs from now on; "": of the file */
  WARNING,
  VARIABLES, /* all that was read */
  FAILURE,   /* an exit status, and a text */
  RECORDS
};

struct task {
  const char *file, *scratch;          /* scratch: a folder for temporary files */
  const struct cs_python_wish *python; /* NULL: it is read here */
  double size;                         /* bytes */
  bool hdf5;
};

/* ---- in the process */

static int read_here(const struct task *task, struct cs_variable *root, struct cs_error *error) {
  cs_child_limit_memory(most_memory);
  cs_child_limit_time(1.0 + task->size / PACE);
  return task->hdf5 ? cs_hdf5file_read(task->file, root, error) : cs_matfile_read(task->file, root, error);
}

static void pass(FILE *to, void *context) {
  const struct task *task = context;
  struct cs_variable root = {0};
  struct cs_error error = {0};
  const int code = task->python != NULL ? cs_python_become(task->file, task->scratch, task->python, fileno(to), &error)
                                        : read_here(task, &root, &error);
  cs_stream_put_count(to, code == CS_OK ? VARIABLES : FAILURE);
  if (code == CS_OK) {
    cs_variable_put(to, &root);
    return;
  }
  cs_stream_put_outcome(to, code, &error);
}

/* ---- outside of it */

struct answer {
  struct cs_variable *root;
  struct cs_text about, *warnings; /* about: whose code has run at last, as "FILE: its code"; empty: none has */
  int code;
  struct cs_error *error;
};

static bool take_text(FILE *from, const char *file, size_t record, struct answer *answer, bool *memory) {
  char *text = cs_stream_take_text(from);
  const bool good = text != NULL;
  *memory = !good && !feof(from) && !ferror(from);
  if (good && record == WARNING) cs_text_add(answer->warnings, "%s\n", text);
  if (good && record == ABOUT) {
    cs_text_free(&answer->about);
    cs_text_add(&answer->about, "%s: %s%sits code", file, text, text[0] != '\0' ? ": " : "");
  }
  free(text);
  return good;
}

/* False if the answer breaks off or makes no sense. */
static bool take(FILE *from, const char *file, struct answer *answer) {
  size_t record = ABOUT;
  bool memory = false, good = true;
  while (good && record < VARIABLES)
    good = cs_stream_take_count(from, &record) && record < RECORDS &&
           (record >= VARIABLES || take_text(from, file, record, answer, &memory));
  if (good && record == VARIABLES) good = cs_variable_take(from, answer->root, &memory);
  if (good && record == FAILURE)
    good = cs_stream_take_outcome(from, &answer->code, answer->error) && answer->code != CS_OK;
  if (memory) answer->code = cs_error_memory(answer->error);
  return good || memory;
}

/* The process has ended without an answer, by itself unless `why` says how. */
static int fail(const struct task *task, const struct cs_child *child, const struct answer *answer,
                const struct cs_text *why, struct cs_error *error) {
  struct cs_text what = {0};
  int code = CS_INPUT;
  if (task->python == NULL)
    return cs_error_set(error, CS_IO, "%s: is damaged: reading it %s", task->file,
                        why->length > 0 ? cs_text_string(why) : "broke off");
  if (answer->about.length == 0 && child->exit == CS_PYTHON_NO_PACKAGE) return cs_python_fail(task->file, error);
  if (answer->about.length > 0)
    cs_text_add(&what, "%s %s", cs_text_string(&answer->about), cs_text_string(why));
  else
    cs_text_add(&what, "%s: Python, which reads it, %s", task->file, cs_text_string(why));
  if (child->late)
    cs_text_add(&what, " within %g s; --time-limit allows more", task->python->seconds);
  else if (why->length == 0)
    cs_text_add(&what, "ended its process, with exit status %d", child->exit);
  code = what.failed ? cs_error_memory(error) : cs_error_set(error, code, "%s", what.data);
  cs_text_free(&what);
  return code;
}

static int read_apart(struct task *task, struct cs_variable *root, struct cs_text *warnings, struct cs_error *error) {
  struct cs_child child;
  struct cs_text why = {0};
  struct answer answer = {.root = root, .warnings = warnings, .error = error};
  int code = cs_child_open(pass, task, &child, error);
  if (code != CS_OK) return code;
  const bool answered = take(child.from, task->file, &answer);
  const bool ended = feof(child.from) != 0, broken = ferror(child.from) != 0;
  cs_child_close(&child, &why);
  code = answer.code;
  if (!answered && !ended) { /* whatever became of it once nobody listened */
    cs_text_free(&why);
    cs_text_add(&why, "gave nonsense");
    child.late = false;
  }
  if (!answered && broken)
    code = cs_error_set(error, CS_IO, "%s: cannot pass on what is read", task->file);
  else if (!answered)
    code = fail(task, &child, &answer, &why, error);
  else if (code == CS_DEVICE && task->python == NULL)
    code = cs_error_set(error, CS_DEVICE, "%s: out of memory: it is damaged, or needs more than %zu GB", task->file,
                        most_memory >> 30);
  cs_text_free(&answer.about);
  cs_text_free(&why);
  return code;
}

/* Of what Python reads, with a folder that is removed however it ends. */
static int read_scratching(struct task *task, struct cs_variable *root, struct cs_text *warnings,
                           struct cs_error *error) {
  struct cs_text folder = {0};
  int code;
  if (cs_litter_make_folder(cs_litter_place(), &folder)) {
    task->scratch = folder.data;
    code = read_apart(task, root, warnings, error);
    cs_litter_drop_folder(folder.data);
  } else if (errno == ENOMEM) {
    code = cs_error_memory(error);
  } else {
    code = cs_error_set(error, CS_IO, "%s: cannot be written to (TMPDIR): %s", cs_litter_place(), strerror(errno));
  }
  cs_text_free(&folder);
  return code;
}

int cs_foreign_read(const char *file, const char *name, const struct cs_python_wish *python, struct cs_draft *draft,
                    bool *result, struct cs_error *error) {
  struct stat state;
  struct cs_variable root = {0};
  struct task task = {.file = file, .python = cs_python_kind(file) != NULL ? python : NULL};
  *result = false;
  if (stat(file, &state) == 0) task.size = (double)state.st_size;
  task.hdf5 = task.python == NULL && cs_hdf5file_is_one(file);
  int code = task.python != NULL ? read_scratching(&task, &root, &draft->warnings, error)
                                 : read_apart(&task, &root, &draft->warnings, error);
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
