/* Runs gnuplot in a temporary folder. */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "claim.h"
#include "litter.h"
#include "stamp.h"

const char *cs_gnuplot_format(const char *name) {
  static const char *const formats[] = {"svg", "png", "pdf"};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof *formats; i++)
    if (strcmp(dot + 1, formats[i]) == 0) return formats[i];
  return NULL;
}

/* ---- files of the folder */

enum { SCRIPT, NUMBERS, OUTPUT, MESSAGES, NAMES };
static const char *const names[NAMES] = {"figure.gp", "figure.dat", "figure.out", "figure.err"};

static void add_path(struct cs_text *path, const char *folder, int name) {
  cs_text_add(path, "%s/%s", folder, names[name]);
}

static int fail_file(const char *path, const char *what, struct cs_error *error) {
  if (errno == ENOMEM) return cs_error_memory(error);
  return cs_error_set(error, CS_IO, "%s: cannot be %s: %s", path, what, strerror(errno));
}

static int write_file(const char *folder, int name, const struct cs_text *text, struct cs_error *error) {
  struct cs_text path = {0};
  add_path(&path, folder, name);
  if (path.failed) return cs_error_memory(error);
  FILE *file = fopen(path.data, "wb");
  int code = file == NULL ? fail_file(path.data, "written", error) : CS_OK;
  if (file != NULL && fwrite(text->data, 1, text->length, file) != text->length)
    code = fail_file(path.data, "written", error);
  if (file != NULL && fclose(file) != 0 && code == CS_OK) code = fail_file(path.data, "written", error);
  cs_text_free(&path);
  return code;
}

/* ---- the process */

enum { NOT_FOUND = 127 };

/* In the child: runs gnuplot in the folder, with its output in a file and without the user's start-up file. */
static void become_gnuplot(const char *folder) {
  const int nothing = open("/dev/null", O_RDWR);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL); /* it ends with the program */
  if (chdir(folder) != 0 || nothing < 0) _exit(NOT_FOUND - 1);
  const int messages = open(names[MESSAGES], O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (messages < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(messages, 2) < 0) _exit(NOT_FOUND - 1);
  execlp("gnuplot", "gnuplot", "-d", names[SCRIPT], (char *)NULL);
  _exit(errno == ENOENT ? NOT_FOUND : NOT_FOUND - 1);
}

/* The output of gnuplot, as one line. */
static void read_messages(const char *folder, struct cs_text *text) {
  struct cs_text path = {0};
  add_path(&path, folder, MESSAGES);
  if (!path.failed) cs_text_read(text, path.data, "file", NULL);
  for (size_t i = 0; i < text->length; i++)
    if (text->data[i] == '\n' || text->data[i] == '\t') text->data[i] = ' ';
  cs_text_free(&path);
}

static int run(const char *folder, struct cs_error *error) {
  int status = 0;
  const pid_t child = fork();
  if (child < 0 && errno == ENOMEM) return cs_error_memory(error);
  if (child < 0) return cs_error_set(error, CS_IO, "gnuplot cannot be started: %s", strerror(errno));
  if (child == 0) become_gnuplot(folder);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CS_OK;
  if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
    return cs_error_set(error, CS_IO,
                        "gnuplot is not installed, and figures are drawn by it; on Debian: apt-get install "
                        "gnuplot-nox");
  struct cs_text said = {0};
  read_messages(folder, &said);
  const int code = cs_error_set(error, CS_IO, "gnuplot failed: %s", said.data != NULL ? said.data : "it said nothing");
  cs_text_free(&said);
  return code;
}

/* Draws into the folder; sets `output` to the path of the file. */
static int draw(const struct cs_figure *figure, const char *format, const char *folder, struct cs_text *output,
                struct cs_error *error) {
  struct cs_text script = {0}, numbers = {0};
  struct stat state;
  int code = cs_gnuplot_script(figure, format, names[OUTPUT], names[NUMBERS], &script, &numbers, error);
  if (code == CS_OK) code = write_file(folder, SCRIPT, &script, error);
  if (code == CS_OK) code = write_file(folder, NUMBERS, &numbers, error);
  if (code == CS_OK) code = run(folder, error);
  add_path(output, folder, OUTPUT);
  if (code == CS_OK && output->failed) code = cs_error_memory(error);
  if (code == CS_OK && (stat(output->data, &state) != 0 || state.st_size == 0))
    code = cs_error_set(error, CS_IO, "gnuplot drew nothing; want a gnuplot of version 5.2 or later with %s",
                        strcmp(format, "svg") == 0 ? "terminal svg" : "cairo terminals");
  cs_text_free(&script);
  cs_text_free(&numbers);
  return code;
}

/* Reads what was drawn, and says in it where it is from. */
static int read_figure(const struct cs_figure *figure, const char *format, const char *path, struct cs_text *bytes,
                       struct cs_error *error) {
  const struct cs_stamp stamp = {.title = figure->title[0] != '\0' ? figure->title : figure->kind,
                                 .command = figure->command,
                                 .data = figure->data};
  const int code = cs_text_read(bytes, path, "figure", error);
  return code == CS_OK ? cs_stamp_add(format, &stamp, bytes, error) : code;
}

/* The file that gnuplot draws, in a folder among temporary files. */
static int make(const struct cs_figure *figure, const char *format, struct cs_text *bytes, struct cs_error *error) {
  struct cs_text folder = {0}, output = {0};
  int code;
  if (cs_litter_make_folder(cs_litter_place(), &folder)) {
    code = draw(figure, format, folder.data, &output, error);
    if (code == CS_OK) code = read_figure(figure, format, output.data, bytes, error);
    cs_litter_drop_folder(folder.data);
  } else {
    code = fail_file(cs_litter_place(), "written to (TMPDIR)", error);
  }
  cs_text_free(&folder);
  cs_text_free(&output);
  return code;
}

int cs_gnuplot_render(const struct cs_figure *figure, const char *format, const char *path, struct cs_error *error) {
  struct cs_text bytes = {0};
  struct cs_claim *claim = NULL;
  int code = cs_claim_open(path, 1, &claim, error);
  if (code == CS_OK) code = make(figure, format, &bytes, error);
  if (code == CS_OK) code = cs_claim_commit(claim, bytes.data, bytes.length, error);
  cs_claim_close(claim);
  cs_text_free(&bytes);
  return code;
}

int cs_gnuplot_svg(const struct cs_figure *figure, struct cs_text *svg, struct cs_error *error) {
  return make(figure, "svg", svg, error);
}
