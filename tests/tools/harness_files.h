/* Files of the source directory, as texts and as tables. Whatever goes wrong here fails the running test. */
#ifndef COSWEEP_TESTS_HARNESS_FILES_H
#define COSWEEP_TESTS_HARNESS_FILES_H

#include <stddef.h>

enum { HARNESS_FILES_PATH = 64 };

/* Makes a temporary directory and says its name, [HARNESS_FILES_PATH]; empties and removes it, but for hidden files. */
void harness_files_open(char *directory);
void harness_files_close(const char *directory);

/* Whole text of a file; the caller frees it. */
char *harness_read(const char *path);
/* `path` below the source directory; the caller frees it. */
char *harness_source_path(const char *path);

/* A CSV file: lines that start with '#' are skipped, the first of the others names the columns. */
struct harness_csv {
  char *text;
  size_t rows, columns;
  char **name; /* [columns] */
  char **cell; /* [rows][columns] */
};

void harness_csv_load(const char *path, struct harness_csv *csv);
void harness_csv_free(struct harness_csv *csv);
const char *harness_csv_text(const struct harness_csv *csv, size_t row, const char *column);
double harness_csv_number(const struct harness_csv *csv, size_t row, const char *column);

#endif
