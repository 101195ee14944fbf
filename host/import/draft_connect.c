/* Connections: from names to numbers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "list.h"
#include "near.h"

int cs_draft_add_wish(struct cs_draft *draft, const char *place, const char *from, const char *to, double gain,
                      struct cs_error *error) {
  if (!cs_list_grow(&draft->wish, draft->wishes, sizeof *draft->wish)) return cs_error_memory(error);
  struct cs_draft_wish *wish = &draft->wish[draft->wishes++];
  *wish = (struct cs_draft_wish){from != NULL ? cs_text_copy(from) : NULL, cs_text_copy(to), cs_text_copy(place), gain};
  if (wish->from != NULL) cs_text_make_line(wish->from);
  if (wish->to != NULL) cs_text_make_line(wish->to);
  return (wish->from != NULL || from == NULL) && wish->to != NULL && wish->place != NULL ? CS_OK
                                                                                         : cs_error_memory(error);
}

bool cs_draft_is_fed(const struct cs_draft *draft, size_t system, size_t input) {
  for (size_t i = 0; i < draft->links; i++)
    if (draft->link[i].to_system == system && draft->link[i].to == input) return true;
  return false;
}

/* What follows "SYSTEM." in a text, or NULL. */
static const char *after(const char *text, const char *system) {
  const size_t length = strlen(system);
  return strncmp(text, system, length) == 0 && text[length] == '.' ? text + length + 1 : NULL;
}

static size_t find_signal(const struct cs_draft_system *system, enum cs_draft_side side, const char *name) {
  size_t i = 0;
  while (i < system->signals[side] && strcmp(system->signal[side][i], name) != 0 &&
         (!system->names[side].given || strcmp(system->names[side].text[i], name) != 0))
    i++;
  return i;
}

static int fail_name(const struct cs_draft *draft, const char *place, enum cs_draft_side side, const char *name,
                     struct cs_error *error) {
  enum { SHOWN = 20 };
  struct cs_text text = {0};
  size_t shown = 0, all = 0;
  const char *word = side == CS_DRAFT_OUTPUT ? "output" : "input";
  cs_text_add(&text, "%s: no %s \"%s\"; want one of: ", place, word, name);
  for (size_t s = 0; s < draft->systems; s++)
    for (size_t i = 0; i < draft->system[s].signals[side]; i++, all++)
      if (shown < SHOWN)
        cs_text_add(&text, "%s%s.%s", shown++ > 0 ? ", " : "", draft->system[s].name, draft->system[s].signal[side][i]);
  if (all == 0) cs_text_add(&text, "(there is none)");
  if (all > shown)
    cs_text_add(&text, ", ... (%zu in all)", all);
  else
    cs_near_suggest(&text, name);
  const int code = text.failed ? cs_error_memory(error) : cs_error_set(error, CS_INPUT, "%s", text.data);
  cs_text_free(&text);
  return code;
}

/* "subsystem.signal", either part with the file's name or the model's. */
static int find(const struct cs_draft *draft, const char *place, enum cs_draft_side side, const char *name,
                size_t *system, size_t *signal, struct cs_error *error) {
  for (*system = 0; *system < draft->systems; ++*system) {
    const struct cs_draft_system *s = &draft->system[*system];
    const char *const call[] = {after(name, s->name), after(name, s->original)};
    for (int k = 0; k < 2; k++) {
      *signal = call[k] != NULL ? find_signal(s, side, call[k]) : s->signals[side];
      if (*signal < s->signals[side]) return CS_OK;
    }
  }
  return fail_name(draft, place, side, name, error);
}

static int add_link(struct cs_draft *draft, const struct cs_draft_link *link, struct cs_error *error) {
  if (!cs_list_grow(&draft->link, draft->links, sizeof *draft->link)) return cs_error_memory(error);
  draft->link[draft->links++] = *link;
  return CS_OK;
}

static int resolve(struct cs_draft *draft, const struct cs_draft_wish *wish, struct cs_error *error) {
  struct cs_draft_link link = {.from_system = SIZE_MAX, .gain = wish->gain};
  const bool constant = wish->from == NULL;
  if (!isfinite(wish->gain))
    return cs_error_set(error, CS_INPUT, "%s: %s -> %s: the gain is not finite", wish->place,
                        constant ? "constant" : wish->from, wish->to);
  int code = CS_OK;
  if (!constant) code = find(draft, wish->place, CS_DRAFT_OUTPUT, wish->from, &link.from_system, &link.from, error);
  if (code == CS_OK) code = find(draft, wish->place, CS_DRAFT_INPUT, wish->to, &link.to_system, &link.to, error);
  return code == CS_OK ? add_link(draft, &link, error) : code;
}

static int match_input(struct cs_draft *draft, size_t system, size_t input, struct cs_error *error) {
  const struct cs_draft_system *to = &draft->system[system];
  const char *name = to->signal[CS_DRAFT_INPUT][input], *first = NULL;
  struct cs_draft_link link = {0, 0, system, input, 1.0};
  for (size_t s = 0; s < draft->systems; s++) {
    const struct cs_draft_system *from = &draft->system[s];
    for (size_t i = 0; s != system && i < from->signals[CS_DRAFT_OUTPUT]; i++) {
      if (strcmp(from->signal[CS_DRAFT_OUTPUT][i], name) != 0) continue;
      if (first != NULL)
        return cs_error_set(error, CS_INPUT,
                            "--match: %s.%s and %s.%s would feed %s.%s; want --connect for one of them", first, name,
                            from->name, name, to->name, name);
      first = from->name;
      link.from_system = s;
      link.from = i;
    }
  }
  return first != NULL ? add_link(draft, &link, error) : CS_OK;
}

int cs_draft_connect(struct cs_draft *draft, bool match, struct cs_error *error) {
  int code = CS_OK;
  for (size_t i = 0; i < draft->wishes && code == CS_OK; i++)
    code = resolve(draft, &draft->wish[i], error);
  for (size_t s = 0; match && s < draft->systems; s++)
    for (size_t i = 0; i < draft->system[s].signals[CS_DRAFT_INPUT] && code == CS_OK; i++)
      if (!cs_draft_is_fed(draft, s, i)) code = match_input(draft, s, i, error);
  return code;
}
