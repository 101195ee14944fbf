/* cosweep new: a directory with a model and a sweep to start from. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "carried.h"
#include "claim.h"
#include "command.h"
#include "interrupt.h"
#include "print.h"

/* The directory's files: those of host/cli/starter and, in schemas/, those of docs/schemas. */
static const char *const file[] = {"model.json", "sweep.json", "README.md", "schemas/model.schema.json",
                                   "schemas/sweep.schema.json"};
enum { FILES = sizeof file / sizeof *file };

static const char *text_of(const char *path) {
  return strncmp(path, "schemas/", 8) == 0 ? cs_carried_schema(path + 8) : cs_carried_starter(path);
}

struct place {
  struct cs_text path[FILES], schemas;
  bool made, made_schemas; /* the directory and schemas/ below it */
  size_t written;
};

static void place_free(struct place *place) {
  for (size_t i = 0; i < FILES; i++)
    cs_text_free(&place->path[i]);
  cs_text_free(&place->schemas);
}

static int name_files(const char *directory, struct place *place, struct cs_error *error) {
  const char *slash = directory[0] == '\0' || directory[strlen(directory) - 1] == '/' ? "" : "/";
  bool failed = false;
  for (size_t i = 0; i < FILES; i++) {
    cs_text_add(&place->path[i], "%s%s%s", directory, slash, file[i]);
    failed = failed || place->path[i].failed;
  }
  cs_text_add(&place->schemas, "%s%sschemas", directory, slash);
  return failed || place->schemas.failed ? cs_error_memory(error) : CS_OK;
}

/* If no directory is given, the working directory must be empty except for hidden files. */
static int check_empty(struct cs_error *error) {
  DIR *list = opendir(".");
  int code = CS_OK;
  if (list == NULL) return cs_error_set(error, CS_IO, "cosweep new: the working directory: %s", strerror(errno));
  for (struct dirent *entry; (entry = readdir(list)) != NULL && code == CS_OK;)
    if (entry->d_name[0] != '.')
      code = cs_error_set(error, CS_IO,
                          "cosweep new: the working directory is not empty, it contains \"%s\"; want a directory: "
                          "cosweep new DIR",
                          entry->d_name);
  closedir(list);
  return code;
}

static int check_free(const struct place *place, struct cs_error *error) {
  struct stat status;
  for (size_t i = 0; i < FILES; i++)
    if (lstat(place->path[i].data, &status) == 0)
      return cs_error_set(error, CS_IO, "%s: exists, and cosweep new never replaces files; want another directory",
                          place->path[i].data);
  return CS_OK;
}

static int write_file(const char *path, const char *text, struct cs_error *error) {
  struct cs_text bytes = {0};
  cs_text_add(&bytes, "%s", text);
  const int code = bytes.failed ? cs_error_memory(error) : cs_command_write(path, false, &bytes, error);
  cs_text_free(&bytes);
  return code;
}

/* Removes what was written before a failure. */
static void undo(const char *directory, const struct place *place) {
  for (size_t i = 0; i < place->written; i++)
    remove(place->path[i].data);
  if (place->made_schemas) rmdir(place->schemas.data);
  if (place->made) rmdir(directory);
}

static void say_next(const char *directory) {
  struct cs_text text = {0};
  cs_text_add(&text, "next:\n");
  if (directory[0] != '\0') {
    cs_text_add(&text, "  cd");
    cs_words_add_word(&text, directory);
    cs_text_add(&text, "\n");
  }
  cs_text_add(&text,
              "  cosweep check sweep.json     # show what it would run\n"
              "  cosweep run sweep.json       # write the result, sweep.h5\n"
              "  cosweep info sweep.h5        # summarise the result\n"
              "  cosweep plot sweep.h5        # draw a figure\n"
              "README.md explains the files and suggests first changes.\n");
  cs_command_tell(&text);
}

int cs_command_new(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *directory = arguments->operands > 0 ? arguments->operand[0] : "";
  const volatile sig_atomic_t *stop = cs_interrupt_catch();
  struct place place = {0};
  int code = name_files(directory, &place, error);
  if (code == CS_OK && arguments->operands == 0) code = check_empty(error);
  if (code == CS_OK) code = check_free(&place, error);
  if (code == CS_OK && arguments->operands > 0) code = cs_command_make_directory(directory, &place.made, error);
  if (code == CS_OK) code = cs_command_make_directory(place.schemas.data, &place.made_schemas, error);
  cs_claim_expect(FILES);
  for (; place.written < FILES && code == CS_OK; place.written += code == CS_OK)
    code = *stop != 0 ? cs_error_interrupted(error)
                      : write_file(place.path[place.written].data, text_of(file[place.written]), error);
  if (code != CS_OK) undo(directory, &place);
  for (size_t i = 0; i < FILES && code == CS_OK; i++)
    cs_print_path(place.path[i].data);
  cs_print_flush();
  if (code == CS_OK && !arguments->given[CS_OPTION_QUIET]) say_next(directory);
  place_free(&place);
  return code;
}
