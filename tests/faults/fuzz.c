/* Parsers under damaged input: mutates texts that are right, and has the parsers of the program read them. Best built
 * with AddressSanitizer and UndefinedBehaviorSanitizer.
 *
 * usage: fuzz SUBJECT COUNT SOURCE [FIRST]
 *
 * SUBJECT: expression, model, sweep, words (command lines). SOURCE: the source tree, whose models and sweeps are
 * mutated. Input number i is always the same. The inputs are read in a child process; where it ends by a signal, a
 * sanitizer or after LONGEST seconds, the number is printed, the next one is tried, and the exit status is 1: `fuzz
 * SUBJECT 1 SOURCE i` repeats it and leaves its text in the folder that it names. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#define _XOPEN_SOURCE 700
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "expr.h"
#include "model.h"
#include "modelica.h"
#include "sweep.h"
#include "text.h"

enum { LONGEST = 30, MOST_WRONG = 20, MOST_WORDS = 12, SEEDS = 64 };

static char folder[] = "/tmp/cosweep-fuzz-XXXXXX";
static char *seed_text[SEEDS];
static size_t seeds;
static bool single; /* one input only */

/* ---- chance */

static uint64_t state;

static uint64_t draw(void) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * UINT64_C(0x2545F4914F6CDD1D);
}

static size_t below(size_t count) {
  return count > 0 ? (size_t)(draw() >> 11) % count : 0;
}

static void begin_input(long number) {
  state = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(number + 1);
  for (int i = 0; i < 4; i++)
    draw();
}

/* ---- mutations */

static const char *const tokens[] = {"0",
                                     "-1",
                                     "1e308",
                                     "1e-320",
                                     "1e999",
                                     "NaN",
                                     "null",
                                     "true",
                                     "{}",
                                     "[]",
                                     "[[]]",
                                     "\"\"",
                                     "\"a\"",
                                     "\\u0000",
                                     "\\ud800",
                                     "{\"\":0}",
                                     ",",
                                     ":",
                                     "/*",
                                     "//",
                                     "\xff",
                                     "\xc3",
                                     "\xe2\x82",
                                     "18446744073709551616",
                                     "9007199254740993",
                                     "(",
                                     ")",
                                     "^",
                                     "--",
                                     "sqrt(",
                                     "min(1,",
                                     "pi",
                                     "p",
                                     "1/0",
                                     "%s%n",
                                     "'",
                                     "../",
                                     "method.",
                                     "parameters.",
                                     "axes",
                                     "zip",
                                     "values",
                                     "linspace",
                                     "logspace",
                                     "paths",
                                     "step",
                                     "size",
                                     "order",
                                     "kernel",
                                     "label",
                                     "value",
                                     "\n",
                                     "\t",
                                     " "};
enum { TOKENS = sizeof tokens / sizeof *tokens };

/* Replaces `gone` bytes at `at`. */
static void splice(struct cs_text *text, size_t at, size_t gone, const char *new, size_t length) {
  struct cs_text whole = {0};
  cs_text_append(&whole, text->data, at);
  cs_text_append(&whole, new, length);
  cs_text_append(&whole, text->data + at + gone, text->length - at - gone);
  cs_text_free(text);
  *text = whole;
}

static void mutate(struct cs_text *text) {
  const size_t at = below(text->length + 1), rest = text->length - at;
  const char *token = tokens[below(TOKENS)], *other = seed_text[below(seeds)];
  const size_t from = below(strlen(other) + 1);
  char byte = (char)draw();
  switch (below(7)) {
    case 0:
      splice(text, at, rest > 0, &byte, 1);
      return;
    case 1:
      splice(text, at, below(rest < 40 ? rest + 1 : 40), "", 0);
      return;
    case 2:
      splice(text, at, 0, text->data + at, below(rest < 200 ? rest + 1 : 200));
      return;
    case 3:
      splice(text, at, 0, other + from, below(strlen(other + from) < 200 ? strlen(other + from) + 1 : 200));
      return;
    case 4:
      splice(text, at, strcspn(text->data + at, ",:]} \n"), token, strlen(token));
      return;
    default: /* a number or a word is replaced by a token, which often leaves the syntax right */
      splice(text, at + strcspn(text->data + at, "0123456789"),
             strspn(text->data + at + strcspn(text->data + at, "0123456789"), "0123456789.e-"), token, strlen(token));
  }
}

/* A mutated seed, owned by the caller. */
static struct cs_text take(void) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s", seed_text[below(seeds)]);
  for (size_t i = 1 + below(4); i > 0; i--)
    mutate(&text);
  return text;
}

static void save(const char *name, const struct cs_text *text) {
  FILE *file = fopen(name, "wb");
  if (file == NULL || fwrite(text->data, 1, text->length, file) != text->length || fclose(file) != 0) _exit(99);
}

/* Of a single input. */
static void keep(const struct cs_text *text) {
  if (single) save("fuzz.txt", text);
}

/* ---- subjects */

static void try_expression(void) {
  static const char *const names[] = {"p", "q", "omega"};
  static const double values[] = {2.0, -0.5, 1e9};
  struct cs_text text = take();
  struct cs_expr *expr = NULL;
  struct cs_error error;
  double value;
  keep(&text);
  if (strlen(text.data) == text.length && cs_expr_parse(text.data, names, 3, &expr, &error) == CS_OK)
    cs_expr_value(expr, values, &value, &error);
  cs_expr_free(expr);
  cs_text_free(&text);
}

static void try_model(void) {
  struct cs_text text = take();
  struct cs_json *json = NULL;
  struct cs_model *model = NULL;
  struct cs_error error;
  keep(&text);
  int code = cs_json_parse("model.json", text.data, text.length, &json, &error);
  if (code == CS_OK) code = cs_model_read(json, &model, &error);
  if (code == CS_OK) cs_model_check_values(model, &error);
  cs_model_free(model);
  cs_text_free(&text);
}

/* A linearized model of OpenModelica. */
static void try_modelica(void) {
  struct cs_text text = take();
  struct cs_draft draft = {0};
  struct cs_error error;
  keep(&text);
  cs_modelica_parse("model.mo", text.data, text.length, &draft, &error);
  cs_draft_free(&draft);
  cs_text_free(&text);
}

/* A sweep, mutated or with mutated settings. */
static void try_sweep(void) {
  static const char *const settings[] = {"method.hold=lagrange",
                                         "method.order=2",
                                         "method.step.size=0.1",
                                         "t_end=1e3",
                                         "parameters.dk=3",
                                         "method.step.control=pi_defect",
                                         "method.solver=rk4",
                                         "method.step.tolerance=1e-3",
                                         "axes=3",
                                         "boundary.along=H",
                                         "study=stability",
                                         "method.master=gauss_seidel",
                                         "method.engine=double",
                                         "name=a/b"};
  struct cs_text text = {0}, set[2] = {{0}};
  struct cs_sweep *sweep = NULL;
  struct cs_error error;
  const char *list[2];
  const size_t sets = below(3);
  cs_text_add(&text, "%s", seed_text[below(seeds)]);
  for (size_t i = sets == 0 ? 1 + below(4) : below(2); i > 0; i--)
    mutate(&text);
  for (size_t i = 0; i < sets; i++) {
    cs_text_add(&set[i], "%s", settings[below(sizeof settings / sizeof *settings)]);
    if (below(2) == 0) mutate(&set[i]);
    list[i] = set[i].data;
  }
  save("sweeps/fuzz.txt", &text);
  if (cs_sweep_load("sweeps/fuzz.txt", list, sets, &sweep, &error) == CS_OK) {
    struct cs_text printed = {0};
    cs_sweep_print(sweep, &printed);
    cs_text_free(&printed);
  }
  cs_sweep_free(sweep);
  cs_text_free(&text);
  for (size_t i = 0; i < sets; i++)
    cs_text_free(&set[i]);
}

/* A command line. None of the files that it names exists. */
static void try_words(void) {
  struct cs_text list[MOST_WORDS] = {{0}}, whole = {0};
  char *word[MOST_WORDS + 1] = {0};
  const size_t words = below(MOST_WORDS);
  for (size_t i = 0; i < words; i++) {
    cs_text_add(&list[i], "%s", seed_text[below(seeds)]);
    if (below(4) == 0) mutate(&list[i]);
    for (char *c = list[i].data; *c != '\0'; c++)
      if (*c == '/') *c = '_'; /* files below the folder only */
    word[i] = list[i].data;
    cs_text_add(&whole, "%s\n", word[i]);
  }
  keep(&whole);
  cs_text_free(&whole);
  if (words == 0 || strstr(word[0], "new") == NULL) cs_cli((int)words, word);
  for (size_t i = 0; i < words; i++)
    cs_text_free(&list[i]);
}

/* ---- seeds */

static void add_seed(const char *text) {
  if (seeds < SEEDS) seed_text[seeds++] = strdup(text);
}

static void add_files(const char *source, const char *pattern) {
  struct cs_text all = {0};
  glob_t found;
  cs_text_add(&all, "%s/%s", source, pattern);
  if (glob(all.data, 0, NULL, &found) != 0) exit(2);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    struct cs_text text = {0};
    if (cs_text_read(&text, found.gl_pathv[i], "file", NULL) != CS_OK) exit(2);
    add_seed(text.data);
    cs_text_free(&text);
  }
  globfree(&found);
  cs_text_free(&all);
}

static void add_list(const char *const *text, size_t count) {
  for (size_t i = 0; i < count; i++)
    add_seed(text[i]);
}

static void link_source(const char *source, const char *pattern, const char *to) {
  struct cs_text path = {0};
  cs_text_add(&path, "%s/%s", source, pattern);
  if (symlink(path.data, to) != 0) exit(2);
  cs_text_free(&path);
}

static const struct subject {
  const char *name;
  void (*try)(void);
  const char *files; /* seeds, or NULL */
} subjects[] = {{"expression", try_expression, NULL},
                {"model", try_model, "models/*/model.json"},
                {"sweep", try_sweep, "sweeps/*.json"},
                {"modelica", try_modelica, "tests/data/import/*.mo"},
                {"words", try_words, NULL}};

static void prepare(const struct subject *subject, const char *source) {
  static const char *const expressions[] = {"sqrt(p^2 + q^2) / (2 * pi)",
                                            "-p^-q^2",
                                            "max(min(p, q), abs(omega))",
                                            "1e-3",
                                            "exp(-p) * sin(omega) + cos(q) - tan(1)",
                                            "((((p))))",
                                            "log(p)/q",
                                            "2 ^ 3 ^ 2"};
  static const char *const words[] = {
      "run",         "check",    "trace",      "info",    "plot",         "report",  "export",
      "schema",      "devices",  "a.json",     "b.h5",    "-o",           "c.svg",   "--set",
      "t_end=1",     "--json",   "--quiet",    "--force", "--dry-run",    "--lanes", "4",
      "--tile-runs", "--memory", "0",          "--rank",  "output_error", "--at",    "H=0.1",
      "--run",       "--where",  "--format",   "csv",     "matlab",       "--help",  "--version",
      "--device",    "cpu",      "--error",    "1e-3",    "-q",           "-h",      "--",
      "-",           "",         "--signal=x", "--kind",  "map",          "model",   "sweep"};
  if (mkdtemp(folder) == NULL || chdir(folder) != 0 || mkdir("sweeps", 0700) != 0) exit(2);
  if (subject->files != NULL) add_files(source, subject->files);
  if (subject->try == try_expression) add_list(expressions, sizeof expressions / sizeof *expressions);
  if (subject->try == try_words) add_list(words, sizeof words / sizeof *words);
  link_source(source, "models", "models");
  link_source(source, "sweeps/moving_average.clh", "sweeps/moving_average.clh");
  link_source(source, "sweeps/filter.clh", "sweeps/filter.clh");
}

static void clear(void) {
  static const char *const left[] = {"fuzz.txt",          "sweeps/fuzz.txt", "sweeps/moving_average.clh",
                                     "sweeps/filter.clh", "sweeps",          "models"};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    remove(left[i]);
  if (rmdir(folder) != 0) fprintf(stderr, "%s: something is left there\n", folder);
}

/* ---- the whole */

#if defined __SANITIZE_ADDRESS__
const char *__asan_default_options(void);
const char *__asan_default_options(void) { /* a file may ask for any amount of memory */
  return "allocator_may_return_null=1:max_allocation_size_mb=256:exitcode=99";
}
#endif

/* In a child: the inputs from `next` on. */
static void work(const struct subject *subject, volatile long *next, long end) {
  if (freopen("/dev/null", "w", stdout) == NULL) _exit(99);
  if (subject->try == try_words && freopen("/dev/null", "w", stderr) == NULL) _exit(99);
  for (; *next < end; ++*next) {
    alarm(LONGEST);
    begin_input(*next);
    subject->try();
  }
  exit(0);
}

int main(int words, char **word) {
  const struct subject *subject = NULL;
  for (size_t i = 0; words >= 4 && i < sizeof subjects / sizeof *subjects; i++)
    if (strcmp(word[1], subjects[i].name) == 0) subject = &subjects[i];
  if (subject == NULL) {
    fputs("usage: fuzz expression|model|sweep|modelica|words COUNT SOURCE [FIRST]\n", stderr);
    return 2;
  }
  const long first = words > 4 ? atol(word[4]) : 0, end = first + atol(word[2]);
  volatile long *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (next == MAP_FAILED) return 2;
  single = end == first + 1;
  prepare(subject, word[3]);
  int wrong = 0;
  for (*next = first; *next < end && wrong < MOST_WRONG; ++*next) {
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) work(subject, next, end);
    if (child < 0 || waitpid(child, &status, 0) != child) return 2;
    if (status == 0) break;
    printf("%s: input %ld: %s %d\n", subject->name, *next, WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    wrong++;
  }
  printf("%s: %ld inputs, %d wrong\n", subject->name, *next - first, wrong);
  if (single)
    printf("its text: %s\n", folder);
  else
    clear();
  return wrong > 0;
}
