/* Words of a figure as the user wants them: labels of axes, names of curves and panels. */
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "near.h"

static int set(char **text, const char *with, struct cs_error *error) {
  free(*text);
  *text = cs_text_copy(with);
  return *text != NULL ? CS_OK : cs_error_memory(error);
}

int cs_figure_label_axes(struct cs_figure *figure, bool of_y, const char *label, struct cs_error *error) {
  const char *option = of_y ? "ylabel" : "xlabel";
  int code = CS_OK;
  for (size_t p = 0; p < figure->panels && code == CS_OK; p++) {
    const struct cs_figure_axis *axis = of_y ? &figure->panel[p].y : &figure->panel[p].x,
                                *first = of_y ? &figure->panel[0].y : &figure->panel[0].x;
    if (axis->ticks > 0) code = cs_error_set(error, CS_USAGE, "--%s: the axis has names; want --label OLD=NEW", option);
    if (code == CS_OK && axis->label != NULL && first->label != NULL && strcmp(axis->label, first->label) != 0)
      code = cs_error_set(error, CS_USAGE,
                          "--%s: panels show %s and %s; want --metric, --signal or --where that leave one of them",
                          option, first->label, axis->label);
  }
  for (size_t p = 0; p < figure->panels && code == CS_OK; p++)
    code = set(of_y ? &figure->panel[p].y.label : &figure->panel[p].x.label, label, error);
  return code;
}

/* What is renamed, and by what; names of parts that there are. */
struct renaming {
  const char *old, *new;
  size_t length; /* of the old name */
  bool done;
  struct cs_text names;
};

/* Adds a name to the list unless it is there. */
static void list(struct renaming *r, const char *name, size_t length) {
  const char *at = r->names.data;
  for (; at != NULL && (at = strstr(at, name)) != NULL; at++)
    if ((at == r->names.data || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0')) return;
  cs_text_add_name(&r->names, name);
}

/* Renames a text, or a part of it between commas: "gauss_seidel, order 1". */
static int rename_text(struct renaming *r, char **text, struct cs_error *error) {
  struct cs_text made = {0};
  bool found = false;
  if (*text == NULL || (*text)[0] == '\0') return CS_OK;
  for (const char *part = *text; part != NULL;) {
    const char *comma = strstr(part, ", ");
    const size_t length = comma != NULL ? (size_t)(comma - part) : strlen(part);
    const bool same = length == r->length && memcmp(part, r->old, length) == 0;
    struct cs_text name = {0};
    cs_text_append(&name, part, length);
    list(r, cs_text_string(&name), length);
    cs_text_add(&made, "%s%s", part == *text ? "" : ", ", same ? r->new : cs_text_string(&name));
    made.failed |= name.failed;
    cs_text_free(&name);
    found = found || same;
    part = comma != NULL ? comma + 2 : NULL;
  }
  if (strlen(*text) == r->length && memcmp(*text, r->old, r->length) == 0) { /* a name with commas */
    cs_text_free(&made);
    cs_text_add(&made, "%s", r->new);
    found = true;
  }
  r->done = r->done || found;
  const int code = made.failed || r->names.failed ? cs_error_memory(error)
                   : found                        ? set(text, cs_text_string(&made), error)
                                                  : CS_OK;
  cs_text_free(&made);
  return code;
}

int cs_figure_rename(struct cs_figure *figure, const char *said, struct cs_error *error) {
  const char *equals = strchr(said, '=');
  if (equals == NULL || equals == said)
    return cs_error_set(error, CS_USAGE, "--label \"%s\"; want OLD=NEW, for example gauss_seidel=Gauss-Seidel", said);
  struct renaming r = {.old = said, .new = equals + 1, .length = (size_t)(equals - said)};
  int code = CS_OK;
  for (size_t p = 0; p < figure->panels && code == CS_OK; p++) {
    struct cs_figure_panel *panel = &figure->panel[p];
    code = rename_text(&r, &panel->title, error);
    for (size_t c = 0; c < panel->curves && code == CS_OK; c++)
      code = rename_text(&r, &panel->curve[c].title, error);
    for (size_t i = 0; i < panel->x.ticks && code == CS_OK; i++)
      code = rename_text(&r, &panel->x.tick[i], error);
    for (size_t i = 0; i < panel->y.ticks && code == CS_OK; i++)
      code = rename_text(&r, &panel->y.tick[i], error);
  }
  if (code == CS_OK && !r.done) {
    struct cs_text wrong = {0}, old = {0};
    cs_text_append(&old, said, r.length);
    cs_text_add(&wrong, "--label \"%s\": nothing is called that; want OLD=NEW with OLD one of: %s", said,
                cs_text_string(&r.names));
    if (!wrong.failed && !old.failed) cs_near_suggest(&wrong, cs_text_string(&old));
    code = wrong.failed || old.failed ? cs_error_memory(error)
                                      : cs_error_set(error, CS_USAGE, "%s", cs_text_string(&wrong));
    cs_text_free(&wrong);
    cs_text_free(&old);
  }
  cs_text_free(&r.names);
  return code;
}
