#include "harness_files.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

#ifndef COSWEEP_SOURCE_DIR
#define COSWEEP_SOURCE_DIR "."
#endif

void harness_files_open(char *directory) {
  strcpy(directory, "/tmp/cosweep-test-XXXXXX");
  cr_assert(mkdtemp(directory) != NULL);
}

void harness_files_close(const char *directory) {
  DIR *list = opendir(directory);
  for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  if (list != NULL) closedir(list);
  rmdir(directory);
}

char *harness_source_path(const char *path) {
  struct cs_text text = {0};
  cs_text_add(&text, "%s/%s", COSWEEP_SOURCE_DIR, path);
  cr_assert(!text.failed);
  return text.data;
}

char *harness_read(const char *path) {
  char *full = harness_source_path(path), block[4096];
  FILE *file = fopen(full, "rb");
  cr_assert(file != NULL, "cannot read %s", full);
  struct cs_text text = {0};
  size_t length;
  while ((length = fread(block, 1, sizeof block, file)) > 0)
    cs_text_append(&text, block, length);
  fclose(file);
  free(full);
  cr_assert(!text.failed && text.data != NULL, "%s is empty", path);
  return text.data;
}

/* Splits a line in place; returns the number of cells. */
static size_t split_line(char *line, char **cells, size_t most) {
  size_t count = 0;
  for (char *next = line; next != NULL && count < most; count++) {
    cells[count] = next;
    next = strchr(next, ',');
    if (next != NULL) *next++ = '\0';
  }
  return count;
}

static size_t count_lines(const char *text) {
  size_t lines = 1;
  for (const char *p = text; *p; p++)
    lines += *p == '\n';
  return lines;
}

void harness_csv_load(const char *path, struct harness_csv *csv) {
  enum { MOST = 32 };
  char *text = harness_read(path);
  size_t lines = count_lines(text);
  *csv = (struct harness_csv){.text = text, .name = calloc(MOST, sizeof(char *))};
  cr_assert(csv->name != NULL);
  for (char *line = text, *end; line != NULL && *line; line = end) {
    end = strchr(line, '\n');
    if (end != NULL) *end++ = '\0';
    if (*line == '#') continue;
    if (csv->columns == 0) {
      csv->columns = split_line(line, csv->name, MOST);
      csv->cell = calloc(lines * csv->columns, sizeof(char *));
      cr_assert(csv->cell != NULL);
      continue;
    }
    size_t cells = split_line(line, csv->cell + csv->rows * csv->columns, csv->columns);
    cr_assert_eq(cells, csv->columns, "%s: data row %zu has %zu cells", path, csv->rows + 1, cells);
    csv->rows++;
  }
}

void harness_csv_free(struct harness_csv *csv) {
  free(csv->cell);
  free(csv->name);
  free(csv->text);
}

const char *harness_csv_text(const struct harness_csv *csv, size_t row, const char *column) {
  for (size_t i = 0; i < csv->columns; i++)
    if (strcmp(csv->name[i], column) == 0) return csv->cell[row * csv->columns + i];
  cr_assert_fail("no column %s", column);
  return NULL;
}

double harness_csv_number(const struct harness_csv *csv, size_t row, const char *column) {
  const char *text = harness_csv_text(csv, row, column);
  char *end;
  double value = strtod(text, &end);
  cr_assert(*text != '\0' && *end == '\0', "column %s: '%s' is no number", column, text);
  return value;
}
