/* manual DIRECTORY: writes DIRECTORY/man1/cosweep.1, a page for each command, and the completion scripts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "manual.h"

/* Writes `text` and frees it; prints errors. */
static int write_text(const char *directory, const char *name, struct cs_text *text) {
  struct cs_text path = {0};
  cs_text_add(&path, "%s/%s", directory, name);
  FILE *out = text->failed || path.failed ? NULL : fopen(path.data, "w");
  bool good = out != NULL && fputs(text->data, out) >= 0;
  good = out != NULL && fclose(out) == 0 && good;
  if (!good) fprintf(stderr, "%s/%s: %s\n", directory, name, errno != 0 ? strerror(errno) : "out of memory");
  cs_text_free(&path);
  cs_text_free(text);
  return good ? 0 : 1;
}

static int write_pages(const char *directory) {
  size_t count;
  const struct cs_command *command = cs_cli_commands(&count);
  struct cs_text text = {0};
  manual_program_page(&text);
  int code = write_text(directory, "man1/cosweep.1", &text);
  for (size_t i = 0; i < count && code == 0; i++) {
    char name[64];
    snprintf(name, sizeof name, "man1/cosweep-%s.1", command[i].name);
    manual_command_page(&command[i], &text);
    code = write_text(directory, name, &text);
  }
  return code;
}

int main(int argc, char **argv) {
  struct cs_text text = {0};
  if (argc != 2) {
    fprintf(stderr, "usage: manual DIRECTORY\n");
    return CS_USAGE;
  }
  cs_text_add(&text, "%s/man1", argv[1]);
  if (text.failed || (mkdir(argv[1], 0777) != 0 && errno != EEXIST) ||
      (mkdir(text.data, 0777) != 0 && errno != EEXIST)) {
    fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
    return CS_IO;
  }
  cs_text_free(&text);
  errno = 0;
  int code = write_pages(argv[1]);
  manual_bash(&text);
  if (code == 0) code = write_text(argv[1], "cosweep.bash", &text);
  manual_zsh(&text);
  if (code == 0) code = write_text(argv[1], "_cosweep", &text);
  cs_text_free(&text);
  return code == 0 ? CS_OK : CS_IO;
}
