/* cosweep verify: whether a result is as it was written, and as it is computed now. */
#include "command.h"
#include "recompute.h"
#include "store.h"

static void add_parts(const struct cs_store_verdict *verdict, struct cs_text *text) {
  static const char *const words[] = {"ok", "readable", "damaged"};
  for (size_t i = 0; i < verdict->parts; i++) {
    const struct cs_store_part *part = &verdict->part[i];
    cs_text_add(text, "%-8s  %s%s%s\n", words[part->state], part->name, part->reason[0] != '\0' ? ": " : "",
                part->reason);
  }
}

static size_t count(const struct cs_store_verdict *verdict, enum cs_store_state state) {
  size_t found = 0;
  for (size_t i = 0; i < verdict->parts; i++)
    found += verdict->part[i].state == state;
  return found;
}

/* The verdict on the whole: CS_IO unless every byte is known to be as it was written. */
static int conclude(const char *path, const struct cs_store_verdict *verdict, struct cs_error *error) {
  const size_t damaged = count(verdict, CS_STORE_DAMAGED);
  if (damaged > 0)
    return cs_error_set(error, CS_IO, "%s: is damaged: %zu of %zu datasets", path, damaged, verdict->parts);
  if (verdict->whole == CS_STORE_DAMAGED)
    return cs_error_set(error, CS_IO,
                        "%s: is damaged: its bytes differ from their checksum, though every dataset reads", path);
  if (verdict->whole == CS_STORE_READABLE)
    return cs_error_set(error, CS_IO,
                        "%s: has no checksum at its end: it was written by another program or an earlier version, or "
                        "its end is missing; every dataset reads",
                        path);
  return CS_OK;
}

int cs_command_verify(const struct cs_arguments *arguments, struct cs_error *error) {
  const char *path = arguments->operand[0];
  struct cs_store_verdict verdict;
  struct cs_text text = {0};
  int code = cs_store_verify(path, &verdict, error);
  add_parts(&verdict, &text);
  if (code == CS_OK) code = conclude(path, &verdict, error);
  if (code == CS_OK && arguments->given[CS_OPTION_RECOMPUTE]) code = cs_recompute(path, arguments, &text, error);
  if (code != CS_OK || !arguments->given[CS_OPTION_QUIET]) {
    const int printed = cs_command_print(&text, code == CS_OK ? error : NULL);
    if (code == CS_OK) code = printed;
  }
  cs_text_free(&text);
  cs_store_free_verdict(&verdict);
  return code;
}
