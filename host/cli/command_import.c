/* cosweep import: a model from files of other programs. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "import.h"
#include "list.h"

/* ---- files that Python reads */

enum { NO_PACKAGE = 97, NO_PYTHON = 127, FAILED = 126 };

/* What files of such an extension are called; NULL for those that are read here. */
static const char *kind_of(const char *file) {
  static const char *const kinds[][2] = {{".fmu", "FMUs"},
                                         {".ssp", "SSP files"},
                                         {".ssd", "SSP files"},
                                         {".npz", "NumPy archives"},
                                         {".py", "Python files"}};
  const char *dot = strrchr(file, '.');
  for (size_t i = 0; dot != NULL && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(dot, kinds[i][0]) == 0) return kinds[i][1];
  return NULL;
}

/* The command line after the program's name, borrowed. */
static bool add_words(const struct cs_arguments *arguments, const char ***word, size_t *words) {
  static const struct {
    enum cs_option option;
    const char *name;
  } options[] = {{CS_OPTION_OUTPUT, "--output"}, {CS_OPTION_NAME, "--name"},  {CS_OPTION_IDENTIFY, "--identify"},
                 {CS_OPTION_STATES, "--states"}, {CS_OPTION_STEP, "--step"},  {CS_OPTION_TIME, "--at"},
                 {CS_OPTION_MATCH, "--match"},   {CS_OPTION_FORCE, "--force"}};
  static const char start[] =
      "import sys\n"
      "try:\n"
      "  from cosweep.cli import main\n"
      "except ImportError:\n"
      "  sys.exit(97)\n"
      "sys.exit(main(sys.argv[1:]))\n";
  const struct cs_values *connect = &arguments->list[CS_OPTION_CONNECT];
  if (!cs_list_reserve(word, 32 + arguments->operands + 2 * connect->count, sizeof **word)) return false;
  (*word)[(*words)++] = "python3";
  (*word)[(*words)++] = "-c";
  (*word)[(*words)++] = start;
  (*word)[(*words)++] = "import";
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (!arguments->given[options[i].option]) continue;
    (*word)[(*words)++] = options[i].name;
    if (arguments->text[options[i].option] != NULL) (*word)[(*words)++] = arguments->text[options[i].option];
  }
  for (size_t i = 0; i < connect->count; i++) {
    (*word)[(*words)++] = "--connect";
    (*word)[(*words)++] = connect->text[i];
  }
  (*word)[(*words)++] = "--";
  for (size_t i = 0; i < arguments->operands; i++)
    (*word)[(*words)++] = arguments->operand[i];
  (*word)[*words] = NULL;
  return true;
}

/* In the child. The package calls this program for what it has read. */
static void become_python(const char **word) {
  char self[4096];
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL); /* it ends with the program */
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length > 0) {
    self[length] = '\0';
    setenv("COSWEEP", self, 1);
  }
  execvp(word[0], (char *const *)word);
  _exit(errno == ENOENT ? NO_PYTHON : FAILED);
}

static int run_python(const char **word, const char *file, const char *kind, struct cs_error *error) {
  int status = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child < 0 && errno == ENOMEM) return cs_error_memory(error);
  if (child < 0) return cs_error_set(error, CS_IO, "python3 cannot be started: %s", strerror(errno));
  if (child == 0) become_python(word);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
  if (code == NO_PACKAGE || code == NO_PYTHON)
    return cs_error_set(error, CS_IO, "%s: %s are read by the Python package: pip install cosweep%s", file, kind,
                        strcmp(kind, "FMUs") == 0 || strcmp(kind, "SSP files") == 0 ? "[fmi]" : "");
  if (code <= CS_IO) return code; /* it has said what is wrong */
  return cs_error_set(error, CS_IO, "%s: python3, which reads it, failed", file);
}

static int import_by_python(const struct cs_arguments *arguments, const char *file, const char *kind,
                            struct cs_error *error) {
  const char **word = NULL;
  size_t words = 0;
  const int code = add_words(arguments, &word, &words) ? run_python(word, file, kind, error) : cs_error_memory(error);
  free(word);
  return code;
}

/* An option for files that none of the operands is. */
static int check_options(const struct cs_arguments *arguments, struct cs_error *error) {
  static const enum cs_option options[] = {CS_OPTION_IDENTIFY, CS_OPTION_STATES, CS_OPTION_TIME, CS_OPTION_STEP};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (arguments->given[options[i]])
      return cs_error_set(error, CS_USAGE, "--%s: means nothing without FMUs", cs_option_row(options[i])->name);
  return CS_OK;
}

/* ---- the others */

/* The file to write: that of -o, or the model's name + .json. */
static int choose_output(const struct cs_arguments *arguments, struct cs_text *output, struct cs_error *error) {
  const char *given = arguments->text[CS_OPTION_OUTPUT], *name = arguments->text[CS_OPTION_NAME];
  if (given != NULL && strcmp(given, "-") == 0)
    return cs_error_set(error, CS_USAGE, "-o -: the summary goes to standard output; want the name of a model file");
  if (given == NULL && name == NULL)
    cs_import_add_name(output, arguments->operand[0]);
  else
    cs_text_add(output, "%s", given != NULL ? given : name);
  if (given == NULL) cs_text_add(output, ".json");
  const int code =
      output->failed ? cs_error_memory(error) : cs_command_check_output(arguments, output->data, "import", error);
  return code == CS_OK ? cs_command_absent(arguments, output->data, error) : code;
}

/* What came out, as `check` sees it. */
static int summarise(const char *output, const struct cs_text *bytes, struct cs_text *text, struct cs_error *error) {
  struct cs_json *json = NULL;
  struct cs_model *model = NULL;
  int code = cs_json_parse(output, bytes->data, bytes->length, &json, error);
  if (code == CS_OK) code = cs_model_read(json, &model, error);
  if (code == CS_OK) code = cs_model_check_values(model, error);
  if (code == CS_OK) code = cs_command_add_model(output, model, text, error);
  if (code == CS_OK) code = cs_import_add_summary(model, text, error);
  if (code == CS_OK) cs_command_add_next(output, text);
  cs_model_free(model);
  return code;
}

int cs_command_import(const struct cs_arguments *arguments, struct cs_error *error) {
  const struct cs_values *connect = &arguments->list[CS_OPTION_CONNECT];
  const struct cs_import_wish wish = {.file = arguments->operand,
                                      .files = arguments->operands,
                                      .connect = connect->text,
                                      .connects = connect->count,
                                      .name = arguments->text[CS_OPTION_NAME],
                                      .match = arguments->given[CS_OPTION_MATCH]};
  struct cs_text output = {0}, model = {0}, warnings = {0}, text = {0};
  for (size_t i = 0; i < arguments->operands; i++) {
    const char *kind = kind_of(arguments->operand[i]);
    if (kind != NULL) return import_by_python(arguments, arguments->operand[i], kind, error);
  }
  int code = check_options(arguments, error);
  if (code == CS_OK) code = choose_output(arguments, &output, error);
  if (code == CS_OK) code = cs_import_write(&wish, &model, &warnings, error);
  if (code == CS_OK) code = summarise(output.data, &model, &text, error);
  if (code == CS_OK) code = cs_command_write(output.data, arguments->given[CS_OPTION_FORCE], &model, error);
  if (code == CS_OK) {
    cs_text_make_plain(&warnings);
    cs_command_tell(&warnings);
    cs_text_make_plain(&text);
    code = cs_command_print(&text, error);
  } else {
    cs_text_free(&warnings);
    cs_text_free(&text);
  }
  cs_text_free(&model);
  cs_text_free(&output);
  return code;
}
