/* The answer of the process that reads a file to import: how it ends, then what it says, the records of foreign.c. For
 * a result of cosweep the bytes that are left are those of the process that reads its table (stream.h). Either becomes
 * an error, or a model that can be read. The linker puts the functions below in the place of those that start a
 * process. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "edit_table.h"
#include "fuzz.h"
#include "import.h"
#include "read_again.h"
#include "stream.h"
#include "variable.h"

enum { ABOUT, WARNING, VARIABLES, FAILURE }; /* host/import/foreign.c */

int __wrap_cs_child_open(void (*work)(FILE *to, void *context), void *context, struct cs_child *child,
                         struct cs_error *error);
bool __wrap_cs_child_close(struct cs_child *child, struct cs_text *why);

/* ---- the process */

static const char *answer; /* what it has not said yet */
static size_t answer_size;
static int ends;

enum { BY_ITSELF, WITH_STATUS, WITHOUT_PACKAGE, LATE, BY_SIGNAL, UNWRITTEN, ENDS };

int __wrap_cs_child_open(void (*work)(FILE *to, void *context), void *context, struct cs_child *child,
                         struct cs_error *error) {
  (void)work;
  (void)context;
  (void)error;
  FILE *from = answer_size > 0 ? fmemopen((char *)answer, answer_size, "rb") : fopen("/dev/null", "rb"); /* only read */
  fuzz_want(from != NULL, "the answer", "cannot be opened");
  *child = (struct cs_child){.from = from, .process = -1};
  return CS_OK;
}

bool __wrap_cs_child_close(struct cs_child *child, struct cs_text *why) {
  const long taken = answer_size > 0 ? ftell(child->from) : 0;
  answer += taken;
  answer_size -= (size_t)taken;
  fclose(child->from);
  child->late = ends == LATE;
  child->exit = ends == BY_SIGNAL || ends == LATE ? -1 : ends == WITHOUT_PACKAGE ? CS_PYTHON_NO_PACKAGE : ends;
  if (ends == LATE) cs_text_add(why, "did not come to an end");
  if (ends == BY_SIGNAL) cs_text_add(why, "crashed (Killed)");
  return ends != UNWRITTEN;
}

/* ---- its answers */

static void put_file(const char *name) {
  static const char none[1];
  fuzz_write(name, none, 0);
}

/* The first byte says how it ends, and of which kind of file. */
static void take(const char *bytes, size_t size) {
  static const char *const files[] = {"answer.mat", "answer.npz"};
  if (size == 0) return;
  const char *file = files[(unsigned char)bytes[0] / ENDS % 2];
  struct cs_text model = {0}, warnings = {0};
  struct cs_error error = {0};
  const struct cs_import_wish wish = {.file = &file, .files = 1, .python = {.seconds = 1, .memory = 1}};
  ends = (unsigned char)bytes[0] % ENDS;
  answer = bytes + 1;
  answer_size = size - 1;
  put_file(file);
  const int code = cs_import_write(&wish, &model, &warnings, &error);
  fuzz_want(code == CS_OK || (code >= CS_INPUT && code <= CS_IO), "another exit status", error.message);
  fuzz_want(code == CS_OK || error.message[0] != '\0', "an error", "without message");
  if (code == CS_OK) read_again(&model);
  cs_text_free(&model);
  cs_text_free(&warnings);
  remove(file);
}

/* ---- seeds */

static void give(struct cs_variable *whole, const char *name, size_t rows, size_t columns, const double *number) {
  struct cs_variable *part = cs_variable_add(whole, name);
  cs_variable_give(part, rows, columns);
  memcpy(part->number, number, rows * columns * sizeof *number);
}

static struct cs_variable *add(struct cs_variable *whole, const char *name, enum cs_variable_kind kind, size_t rows,
                               size_t columns) {
  struct cs_variable *part = cs_variable_add(whole, name);
  *part = (struct cs_variable){.name = part->name, .kind = kind, .rows = rows, .columns = columns};
  return part;
}

static void say(struct cs_variable *whole, const char *name, enum cs_variable_kind kind, const char *text) {
  cs_variable_say(cs_variable_add(whole, name), kind, text);
}

static void add_matrices(struct cs_variable *system) {
  static const double a[] = {0, 1, -4, -0.5}, b[] = {0, 2}, c[] = {1, 0}, e[] = {2, 0, 0, 1};
  give(system, "A", 2, 2, a);
  give(system, "B", 2, 1, b);
  give(system, "C", 1, 2, c);
  give(system, "E", 2, 2, e);
  give(system, "x0", 1, 2, b);
  struct cs_variable *names = add(system, "StateName", CS_VARIABLE_CELLS, 2, 1);
  say(names, "", CS_VARIABLE_TEXT, "phi");
  say(names, "", CS_VARIABLE_TEXT, "w m");
  say(system, "InputUnit", CS_VARIABLE_TEXT, "N");
}

/* Two subsystems with connections, and more that stands beside them. */
static void add_network(struct cs_variable *root) {
  static const double gain[] = {-2}, zero[] = {0};
  add_matrices(add(root, "motor", CS_VARIABLE_STRUCT, 1, 1));
  struct cs_variable *system = add(root, "load 1", CS_VARIABLE_STRUCT, 1, 1);
  add_matrices(system);
  give(system, "Ts", 1, 1, zero);
  say(system, "TimeUnit", CS_VARIABLE_TEXT, "seconds");
  say(system, "UserData", CS_VARIABLE_OBJECT, "containers.Map");
  struct cs_variable *rows = add(root, "connections", CS_VARIABLE_CELLS, 2, 3); /* from here on `system` is elsewhere */
  say(rows, "", CS_VARIABLE_TEXT, "motor.y1");
  say(rows, "", CS_VARIABLE_TEXT, "load_1.u1");
  give(rows, "", 1, 1, gain);
  give(rows, "", 1, 1, gain);
  say(rows, "", CS_VARIABLE_TEXT, "motor.u1");
  say(rows, "", CS_VARIABLE_TEXT, "");
  say(root, "log", CS_VARIABLE_OTHER, "3000x1; want at most 2000 rows and columns");
}

/* The records of an answer up to its end; root NULL: which is a failure. */
static void put(FILE *to, const struct cs_variable *root) {
  static const char *const texts[] = {"", "part", "a warning"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    cs_stream_put_count(to, i < 2 ? ABOUT : WARNING);
    cs_stream_put_text(to, texts[i]);
  }
  cs_stream_put_count(to, root != NULL ? VARIABLES : FAILURE);
  if (root != NULL) {
    cs_variable_put(to, root);
    return;
  }
  cs_stream_put_count(to, CS_INPUT);
  cs_stream_put_text(to, "answer.npz: is damaged");
}

/* Takes ownership of what is in `root`, NULL for a failure. more: what follows. */
static void add_seed(char first, struct cs_variable *root, const struct cs_text *more) {
  char *data = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&data, &size);
  fputc(first, to);
  put(to, root);
  if (more != NULL) fwrite(more->data, 1, more->length, to);
  fclose(to);
  fuzz_seed(data, size);
  free(data);
  if (root != NULL) cs_variable_free(root);
}

/* A result of cosweep, of which the model alone is read. */
static void add_result(void) {
  static const char *const text[] = {
      "{\"format\": \"cosweep-model/1\", \"name\": \"a\", \"subsystems\": [{\"name\": "
      "\"s\", \"states\": [\"x\"], \"A\": [[-1]], \"x0\": [1]}], \"connections\": []}"};
  static const double values[] = {0.1, 0.2};
  struct cs_variable root = {0};
  struct cs_text bytes = {0};
  struct cs_error error = {0};
  struct cs_table *table = cs_table_new("title", "source", "history");
  int code = cs_table_add_dimension(table, "H", "s", "step", 2, values, NULL, NULL, &error);
  if (code == CS_OK) code = cs_table_add_text(table, "model", 1, true, text, &error);
  fuzz_want(code == CS_OK, "seed", error.message);
  edit_table_put(table, &bytes);
  cs_variable_say(&root, CS_VARIABLE_TEXT, "result");
  add_seed(BY_ITSELF, &root, &bytes);
  cs_text_free(&bytes);
  cs_table_free(table);
}

static void seed(void) {
  struct cs_variable one = {.kind = CS_VARIABLE_STRUCT, .rows = 1, .columns = 1}, many = one;
  add_matrices(&one);
  add_network(&many);
  add_seed(BY_ITSELF, &one, NULL);
  add_seed(ENDS, &many, NULL);
  for (char end = 0; end < 2 * ENDS; end++)
    add_seed(end, NULL, NULL);
  add_result();
}

/* ---- changes */

typedef size_t chance(size_t count);

static const char *const wild[] = {"A",        "a",           "B",    "b",   "C",         "d",        "e",
                                   "E",        "x0",          "u0",   "Ts",  "StateName", "dt",       "InputDelay",
                                   "TimeUnit", "OutputUnit",  "",     "a.y", "\x1b",      "a\nb",     "minutes",
                                   "motor",    "connections", "%s%n", "ss",  "y1",        "motor.y1", "load_1.u1",
                                   "/",        "\xff\xfe",    "0x",   "time"};

static const char *some(chance *below) {
  return wild[below(sizeof wild / sizeof *wild)];
}

/* A number of rows that fits, or nonsense. */
static size_t some_count(chance *below) {
  static const size_t counts[] = {0, 1, 2, 3, 2000, 2001, 65536, (size_t)1 << 31, (size_t)1 << 62, SIZE_MAX};
  return counts[below(below(4) > 0 ? 4 : sizeof counts / sizeof *counts)];
}

static void edit_numbers(struct cs_variable *v, chance *below) {
  static const double numbers[] = {0.0, 1.0, -1.0, 1e308, 5e-324, -0.0, 0.5, 1e-17, HUGE_VAL, -HUGE_VAL};
  if (below(3) == 0) {
    cs_variable_give(v, below(4), below(4));
  } else if (v->number != NULL) {
    double *number = &v->number[below(v->rows * v->columns)];
    *number = numbers[below(sizeof numbers / sizeof *numbers)];
    if (below(8) == 0) *number = strtod("nan", NULL);
  }
}

static void drop(struct cs_variable *whole, size_t which) {
  cs_variable_free(&whole->part[which]);
  for (size_t i = which + 1; i < whole->parts; i++)
    whole->part[i - 1] = whole->part[i];
  whole->parts--;
}

/* As it stands, or with the parts that its rows and columns ask for. */
static void edit_shape(struct cs_variable *v, chance *below) {
  v->list = below(2) == 0;
  if (v->kind == CS_VARIABLE_NUMBERS) return;
  v->rows = some_count(below);
  v->columns = some_count(below);
  if (v->kind != CS_VARIABLE_CELLS || v->rows > 3 || v->columns > 3 || below(4) == 0) return;
  while (v->parts > v->rows * v->columns)
    drop(v, v->parts - 1);
  while (v->parts < v->rows * v->columns)
    say(v, "", CS_VARIABLE_TEXT, some(below));
}

static void edit(struct cs_variable *v, chance *below) {
  if (v->parts > 0 && below(4) > 0) {
    edit(&v->part[below(v->parts)], below);
    return;
  }
  switch (below(6)) {
    case 0: /* as another kind */
      v->kind = (enum cs_variable_kind)below(CS_VARIABLE_KINDS);
      if (v->kind == CS_VARIABLE_NUMBERS && v->number == NULL) cs_variable_give(v, below(3), below(3));
      break;
    case 1:
      free(v->name);
      v->name = strdup(some(below));
      break;
    case 2:
      edit_shape(v, below);
      break;
    case 3:
      if (v->parts > 0) drop(v, below(v->parts));
      break;
    case 4:
      say(v, some(below), (enum cs_variable_kind)(CS_VARIABLE_TEXT + below(CS_VARIABLE_KINDS - 1)), some(below));
      break;
    default:
      if (v->kind == CS_VARIABLE_NUMBERS)
        edit_numbers(v, below);
      else
        cs_variable_say(v, v->kind, some(below));
  }
}

/* Other variables; the bytes of whatever follows stay. */
static void change(struct cs_text *bytes, chance *below) {
  struct cs_variable root = {0};
  struct cs_text rest = {0};
  bool memory = false;
  const size_t size = bytes->length;
  size_t record = ABOUT;
  FILE *from = size > 1 ? fmemopen(bytes->data, size, "rb") : NULL;
  if (from == NULL) return;
  const int first = fgetc(from);
  while (record < VARIABLES && cs_stream_take_count(from, &record) && record < VARIABLES)
    free(cs_stream_take_text(from));
  const bool taken = record == VARIABLES && !feof(from) && cs_variable_take(from, &root, &memory);
  const long at = ftell(from);
  cs_text_append(&rest, bytes->data + at, size - (size_t)at);
  fclose(from);
  if (taken) {
    char *data = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&data, &length);
    edit(&root, below);
    fputc(below(4) > 0 ? first : (int)below(2 * ENDS), to);
    put(to, &root);
    fwrite(cs_text_string(&rest), 1, rest.length, to);
    fclose(to);
    cs_text_free(bytes);
    cs_text_append(bytes, data, length);
    free(data);
  }
  cs_text_free(&rest);
  cs_variable_free(&root);
}

const struct fuzz_subject fuzz_subject = {.take = take, .seed = seed, .change = change};
