#include "inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "claim.h"
#include "list.h"

struct cs_input {
  char *path;
  dev_t device;
  ino_t inode;
};

static int add(struct cs_inputs *inputs, const char *path, struct cs_error *error) {
  struct stat file;
  if (stat(path, &file) != 0) return CS_OK;
  struct cs_input input = {cs_text_copy(path), file.st_dev, file.st_ino};
  if (input.path == NULL || !cs_list_grow(&inputs->input, inputs->count, sizeof *inputs->input)) {
    free(input.path);
    return cs_error_memory(error);
  }
  inputs->input[inputs->count++] = input;
  return CS_OK;
}

int cs_inputs_add_operands(struct cs_inputs *inputs, const struct cs_arguments *arguments, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < arguments->operands && code == CS_OK; i++)
    code = add(inputs, arguments->operand[i], error);
  return code;
}

int cs_inputs_add_sweep(struct cs_inputs *inputs, const struct cs_sweep *sweep, struct cs_error *error) {
  int code = CS_OK;
  const char *path;
  for (size_t i = 0; code == CS_OK && (path = cs_sweep_file(sweep, i)) != NULL; i++)
    code = add(inputs, path, error);
  return code;
}

/* The input that a name leads to, or NULL. */
static const struct cs_input *find(const struct cs_inputs *inputs, const char *name) {
  struct stat file;
  if (stat(name, &file) != 0) return NULL;
  for (size_t i = 0; i < inputs->count; i++)
    if (inputs->input[i].device == file.st_dev && inputs->input[i].inode == file.st_ino) return &inputs->input[i];
  return NULL;
}

int cs_inputs_check(const struct cs_inputs *inputs, const char *output, const char *command, struct cs_error *error) {
  static const char *const suffix[] = {"", CS_CLAIM_PART, CS_CLAIM_LOCK};
  int code = CS_OK;
  for (size_t i = 0; i < sizeof suffix / sizeof *suffix && code == CS_OK && strcmp(output, "-") != 0; i++) {
    struct cs_text name = {0};
    cs_text_add(&name, "%s%s", output, suffix[i]);
    const struct cs_input *input = name.failed ? NULL : find(inputs, name.data);
    if (name.failed)
      code = cs_error_memory(error);
    else if (input != NULL)
      code =
          cs_error_set(error, CS_USAGE, "cosweep %s: writing %s would overwrite %s, which is read; want another name",
                       command, name.data, input->path);
    cs_text_free(&name);
  }
  return code;
}

void cs_inputs_free(struct cs_inputs *inputs) {
  for (size_t i = 0; i < inputs->count; i++)
    free(inputs->input[i].path);
  free(inputs->input);
  *inputs = (struct cs_inputs){0};
}
