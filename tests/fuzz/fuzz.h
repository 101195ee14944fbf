/* Damaged input: a file subject_NAME.c says what the program does with bytes of a kind, which may be any. Two programs
 * are made of it: fuzz_NAME (runner.c) changes inputs by itself, fuzzer_NAME (libfuzzer.c) leaves that to libFuzzer. */
#ifndef COSWEEP_TESTS_FUZZ_H
#define COSWEEP_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

struct fuzz_subject {
  /* Has to come back, whatever the bytes are; bytes[size] is 0. The working directory has models/ and sweeps/, whose
   * files may be read, and what fuzz_write() puts there. */
  void (*take)(const char *bytes, size_t size);
  void (*seed)(void);  /* calls fuzz_seed() for inputs that are right */
  void (*words)(void); /* calls fuzz_word() for pieces of such inputs; NULL: none but the common ones */
  /* Another input like this one, with a change that bytes changed by chance seldom make; NULL: there is none.
   * below(n): a number below n by chance, 0 for 0. */
  void (*change)(struct cs_text *bytes, size_t (*below)(size_t count));
  bool prints; /* on stderr */
};
extern const struct fuzz_subject fuzz_subject;

/* Makes the working directory; and removes it, with a message if that is not possible. */
void fuzz_begin(const char *source);
void fuzz_end(void);
/* The subject with a copy of the bytes that ends where they end. */
void fuzz_take(const char *bytes, size_t size);

/* ---- for subjects */

void fuzz_seed(const char *bytes, size_t size);
void fuzz_seed_text(const char *text);
void fuzz_seed_files(const char *pattern); /* below the source tree */
void fuzz_word(const char *word);
/* All short texts in double quotes. */
void fuzz_words_of(const char *text);

void fuzz_write(const char *name, const char *bytes, size_t size);
/* Ends the process with the message: something holds for every input, and does not hold. */
void fuzz_want(bool holds, const char *what, const char *more);

/* An input of several parts has FUZZ_APART between them. Splits a copy, which the caller frees as the first part;
 * returns their number, at most `most`, of which the last one has the rest. */
#define FUZZ_APART '\f'
size_t fuzz_split(const char *bytes, size_t size, char **part, size_t most);

/* ---- for the runner */

extern struct cs_text *fuzz_seeds; /* [fuzz_seed_count] */
extern size_t fuzz_seed_count;
extern char **fuzz_words; /* [fuzz_word_count] */
extern size_t fuzz_word_count;

#endif
