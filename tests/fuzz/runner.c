/* A subject under inputs that are damaged here. Best built with AddressSanitizer and UndefinedBehaviorSanitizer.
 *
 * usage: fuzz_NAME COUNT SOURCE [FIRST]
 *        fuzz_NAME --seeds FOLDER SOURCE
 *
 * SOURCE: the source tree, whose models and sweeps are mutated, and the files in its tests/fuzz/corpus/NAME/. Input
 * number i is always the same. The inputs are read in a child process; where it ends by a signal, a sanitizer or after
 * LONGEST seconds, the number is printed, the next one is tried, and the exit status is 1: `fuzz_NAME 1 SOURCE i`
 * repeats it, with what it prints, and leaves it in the file fuzz_NAME.txt. --seeds writes the inputs without damage
 * into a folder, for libFuzzer, and FOLDER.dict, its dictionary. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#define _XOPEN_SOURCE 700
#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

enum { LONGEST = 30, MOST_WRONG = 20 };

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

static const char *const tokens[] = {"\f",
                                     "0",
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

/* The common ones and those of the subject. */
static void collect_words(void) {
  for (size_t i = 0; i < TOKENS; i++)
    fuzz_word(tokens[i]);
  if (fuzz_subject.words != NULL) fuzz_subject.words();
}

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
  enum { SHORT = 40, PIECE = 200 };
  if (text->length == 0) cs_text_append(text, " ", 1);
  const size_t at = below(text->length + 1), rest = text->length - at;
  const char *word = fuzz_words[below(fuzz_word_count)];
  const struct cs_text *other = &fuzz_seeds[below(fuzz_seed_count)];
  const size_t from = below(other->length + 1), piece = other->length - from;
  const size_t number = at + strcspn(text->data + at, "0123456789");
  char byte = (char)draw();
  if (fuzz_subject.change != NULL && below(8) > 0) {
    fuzz_subject.change(text, below);
    return;
  }
  switch (below(7)) {
    case 0:
      splice(text, at, rest > 0, &byte, 1);
      return;
    case 1:
      splice(text, at, below(rest < SHORT ? rest + 1 : SHORT), "", 0);
      return;
    case 2:
      splice(text, at, 0, text->data + at, below(rest < PIECE ? rest + 1 : PIECE));
      return;
    case 3:
      splice(text, at, 0, cs_text_string(other) + from, below(piece < PIECE ? piece + 1 : PIECE));
      return;
    case 4:
      splice(text, at, strcspn(text->data + at, ",:]} \n"), word, strlen(word));
      return;
    default: /* a number or a word is replaced by another word, which often leaves the syntax right */
      splice(text, number, strspn(text->data + number, "0123456789.e-"), word, strlen(word));
  }
}

/* The input of that number: the seeds and the corpus first, as they are. */
static struct cs_text make_input(long number) {
  struct cs_text text = {0};
  begin_input(number);
  const bool whole = (size_t)number < fuzz_seed_count;
  const struct cs_text *from = &fuzz_seeds[whole ? (size_t)number : below(fuzz_seed_count)];
  cs_text_append(&text, cs_text_string(from), from->length);
  for (size_t i = whole ? 0 : 1 + below(4); i > 0; i--)
    mutate(&text);
  return text;
}

/* ---- the whole */

#if defined __has_feature /* clang */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#if defined __SANITIZE_ADDRESS__
const char *__asan_default_options(void);
const char *__asan_default_options(void) { /* a file may ask for any amount of memory */
  return "allocator_may_return_null=1:max_allocation_size_mb=256:exitcode=99";
}
#endif

/* In a child: the inputs from `next` on. */
static void work(volatile long *next, long end) {
  if (freopen("/dev/null", "w", stdout) == NULL) _exit(99);
  if (fuzz_subject.prints && end - *next > 1 && freopen("/dev/null", "w", stderr) == NULL) _exit(99);
  for (; *next < end; ++*next) {
    struct cs_text input = make_input(*next);
    alarm(LONGEST);
    fuzz_take(cs_text_string(&input), input.length);
    cs_text_free(&input);
  }
  exit(0);
}

static int fail(const char *what) {
  perror(what);
  return 2;
}

static int try_inputs(long first, long end) {
  int wrong = 0;
  volatile long *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (next == MAP_FAILED) return fail("mmap");
  for (*next = first; *next < end && wrong < MOST_WRONG; ++*next) {
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) work(next, end);
    if (child < 0 || waitpid(child, &status, 0) != child) return fail("fork");
    if (status == 0) break;
    printf("%s: input %ld: %s %d\n", FUZZ_NAME, *next, WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    wrong++;
  }
  printf("%s: %ld inputs, %d wrong\n", FUZZ_NAME, *next - first, wrong);
  return wrong > 0;
}

static int put_file(const char *name, const struct cs_text *text) {
  FILE *file = fopen(name, "wb");
  const bool good = file != NULL && fwrite(cs_text_string(text), 1, text->length, file) == text->length;
  return file != NULL && fclose(file) == 0 && good ? 0 : fail(name);
}

static int put_input(int folder, long number) {
  struct cs_text input = make_input(number);
  const int failed = fchdir(folder) != 0 ? fail("folder") : put_file("fuzz_" FUZZ_NAME ".txt", &input);
  cs_text_free(&input);
  return failed;
}

static void add_entry(struct cs_text *text, const char *word) {
  cs_text_add(text, "\"");
  for (; *word != '\0'; word++)
    cs_text_add(text, isalnum((unsigned char)*word) || *word == '_' ? "%c" : "\\x%02X", (unsigned char)*word);
  cs_text_add(text, "\"\n");
}

static int put_seeds(const char *folder) {
  struct cs_text dictionary = {0}, name = {0};
  int failed = 0;
  mkdir(folder, 0777);
  for (size_t i = 0; i < fuzz_seed_count && failed == 0; i++) {
    cs_text_free(&name);
    cs_text_add(&name, "%s/seed%zu", folder, i);
    failed = put_file(name.data, &fuzz_seeds[i]);
  }
  for (size_t i = 0; i < fuzz_word_count; i++)
    if (fuzz_words[i][0] != '\0') add_entry(&dictionary, fuzz_words[i]);
  cs_text_free(&name);
  cs_text_add(&name, "%s.dict", folder);
  if (failed == 0) failed = put_file(name.data, &dictionary);
  cs_text_free(&dictionary);
  cs_text_free(&name);
  return failed;
}

int main(int words, char **word) {
  const bool seeds = words == 4 && strcmp(word[1], "--seeds") == 0;
  if (words < 3 || words > 4 || (words == 4 && !seeds && atol(word[1]) <= 0)) {
    fputs("usage: fuzz_" FUZZ_NAME " COUNT SOURCE [FIRST] | fuzz_" FUZZ_NAME " --seeds FOLDER SOURCE\n", stderr);
    return 2;
  }
  const long first = words == 4 ? atol(word[3]) : 0, count = atol(word[1]);
  const int here = open(".", O_RDONLY | O_DIRECTORY);
  fuzz_begin(word[seeds ? 3 : 2]);
  fuzz_subject.seed();
  collect_words();
  int failed;
  if (seeds) {
    failed = fchdir(here) != 0 ? fail("folder") : put_seeds(word[2]);
  } else {
    fuzz_seed_files("tests/fuzz/corpus/" FUZZ_NAME "/*");
    failed = try_inputs(first, first + count);
    if (count == 1) put_input(here, first);
  }
  fuzz_end();
  return failed;
}
