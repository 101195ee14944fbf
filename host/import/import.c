#include "import.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "component.h"
#include "foreign.h"
#include "linalg.h"
#include "matrices.h"
#include "modelica.h"
#include "words.h"
#include "writer.h"

/* ---- reading */

static const char *base_of(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash != NULL ? slash + 1 : file;
}

static const char *extension_of(const char *file) {
  const char *dot = strrchr(base_of(file), '.');
  return dot != NULL ? dot : "";
}

/* The file's name without folder and extension. */
static void add_stem(struct cs_text *text, const char *file) {
  const char *base = base_of(file);
  cs_text_append(text, base, strlen(base) - strlen(extension_of(file)));
  cs_text_add(text, "%s", "");
}

void cs_import_add_name(struct cs_text *text, const char *file) {
  struct cs_text stem = {0};
  add_stem(&stem, file);
  cs_draft_add_name(text, cs_text_string(&stem), "imported");
  text->failed |= stem.failed;
  cs_text_free(&stem);
}

/* Files with one subsystem or several; `name` stands for one alone. */
static int read_named(const char *file, const char *name, const struct cs_import_wish *wish, struct cs_draft *draft,
                      bool *result, struct cs_error *error) {
  if (strcmp(extension_of(file), ".json") == 0) return cs_matrices_read(file, name, draft, error);
  return cs_foreign_read(file, name, &wish->python, draft, result, error);
}

static int read_file(const char *file, const struct cs_import_wish *wish, struct cs_draft *draft, bool *result,
                     struct cs_error *error) {
  static const char *const extensions[] = {".json", ".mat", ".h5"};
  struct cs_text stem = {0};
  size_t i = 0;
  if (strcmp(extension_of(file), ".mo") == 0) return cs_modelica_read(file, draft, error);
  while (i < 3 && strcmp(extension_of(file), extensions[i]) != 0)
    i++;
  if (i == 3 && cs_python_kind(file) == NULL)
    return cs_error_set(error, CS_IO,
                        "%s: unknown kind of file; want one of: .mo, .json, .mat, .h5, .fmu, .ssp, .ssd, .npz, .py",
                        file);
  add_stem(&stem, file);
  const int code =
      stem.failed ? cs_error_memory(error) : read_named(file, cs_text_string(&stem), wish, draft, result, error);
  cs_text_free(&stem);
  return code;
}

/* The model of a result of cosweep is whole: nothing can be put together with it. */
static int write_result(const struct cs_import_wish *wish, const char *file, struct cs_text *model,
                        struct cs_error *error) {
  struct cs_text text = {0}, name = {0};
  struct cs_writer writer = {.text = &name};
  struct cs_json *json = NULL;
  if (wish->files > 1 || wish->connects > 0 || wish->match)
    return cs_error_set(error, CS_INPUT,
                        "%s: a result of cosweep has a whole model in it; import it alone, without --connect and "
                        "--match",
                        file);
  int code = cs_foreign_read_result(file, &text, error);
  if (code == CS_OK) code = cs_json_parse(file, text.data, text.length, &json, error);
  const struct cs_node *old = code == CS_OK ? cs_json_get(cs_json_root(json), "name") : NULL;
  if (old != NULL && wish->name != NULL) {
    cs_writer_string(&writer, NULL, wish->name);
    code = name.failed ? cs_error_memory(error) : cs_json_replace(json, old, "name", name.data, error);
  }
  if (code == CS_OK) {
    cs_json_print(cs_json_root(json), model);
    cs_text_add(model, "\n");
    if (model->failed) code = cs_error_memory(error);
  }
  cs_json_free(json);
  cs_text_free(&text);
  cs_text_free(&name);
  return code;
}

/* Without the blanks at both ends; owned by the caller. */
static char *trimmed(const char *text, size_t length) {
  while (length > 0 && *text == ' ')
    text++, length--;
  while (length > 0 && text[length - 1] == ' ')
    length--;
  return cs_text_copy_part(text, length);
}

/* "a.y -> b.u * gain" */
static int read_connect(const char *text, struct cs_draft *draft, struct cs_error *error) {
  const char *arrow = strstr(text, "->"), *star = arrow != NULL ? strrchr(arrow, '*') : NULL;
  double gain = 1.0;
  char *end = NULL;
  if (star != NULL) gain = strtod(star + 1, &end);
  if (arrow == NULL || (star != NULL && (end == star + 1 || end[strspn(end, " ")] != '\0')))
    return cs_error_set(error, CS_USAGE, "--connect \"%s\": want \"a.y -> b.u\" or \"a.y -> b.u * gain\"", text);
  char *from = trimmed(text, (size_t)(arrow - text));
  char *to = trimmed(arrow + 2, star != NULL ? (size_t)(star - arrow) - 2 : strlen(arrow + 2));
  const int code = from != NULL && to != NULL ? cs_draft_add_wish(draft, "--connect", from, to, gain, error)
                                              : cs_error_memory(error);
  free(from);
  free(to);
  return code;
}

/* ---- writing */

static bool has(const struct cs_draft_matrix *matrix) {
  for (size_t i = 0; i < matrix->rows * matrix->columns; i++)
    if (matrix->value[i] != 0.0) return true;
  return false;
}

static void write_signal(struct cs_writer *w, const struct cs_draft_system *system, int side, size_t i) {
  const struct cs_draft_names *names = &system->names[side], *units = &system->units[side];
  const char *name = system->signal[side][i], *original = names->given ? names->text[i] : "";
  const bool renamed = *original != '\0' && strcmp(name, original) != 0;
  const bool unit = units->given && units->text[i][0] != '\0';
  if (!renamed && !unit) {
    cs_writer_string(w, NULL, name);
    return;
  }
  cs_writer_object(w, NULL);
  cs_writer_string(w, "name", name);
  if (unit) cs_writer_string(w, "unit", units->text[i]);
  if (renamed) cs_writer_string(w, "description", original);
  cs_writer_end(w);
}

static void write_matrix(struct cs_writer *w, const char *key, const struct cs_draft_matrix *matrix) {
  cs_writer_list(w, key);
  cs_writer_lines(w);
  for (size_t i = 0; i < matrix->rows; i++) {
    cs_writer_list(w, NULL);
    for (size_t k = 0; k < matrix->columns; k++)
      cs_writer_shortest(w, NULL, matrix->value[i * matrix->columns + k]);
    cs_writer_end(w);
  }
  cs_writer_end(w);
}

static void write_vector(struct cs_writer *w, const char *key, const struct cs_draft_matrix *vector) {
  if (!has(vector)) return;
  cs_writer_list(w, key);
  for (size_t i = 0; i < vector->rows; i++)
    cs_writer_shortest(w, NULL, vector->value[i]);
  cs_writer_end(w);
}

static void write_system(struct cs_writer *w, const struct cs_draft_system *system) {
  static const char *const keys[CS_DRAFT_SIDES] = {"states", "inputs", "outputs"};
  cs_writer_object(w, NULL);
  cs_writer_lines(w);
  cs_writer_string(w, "name", system->name);
  if (strcmp(system->name, system->original) != 0) cs_writer_string(w, "description", system->original);
  for (int s = 0; s < CS_DRAFT_SIDES; s++) {
    cs_writer_list(w, keys[s]);
    for (size_t i = 0; i < system->signals[s]; i++)
      write_signal(w, system, s, i);
    cs_writer_end(w);
  }
  for (int p = CS_DRAFT_A; p <= CS_DRAFT_D; p++)
    if (p == CS_DRAFT_D ? has(&system->part[p]) : p != CS_DRAFT_B || system->signals[CS_DRAFT_INPUT] > 0)
      write_matrix(w, cs_draft_part_name(p), &system->part[p]);
  for (int p = CS_DRAFT_E; p <= CS_DRAFT_X0; p++)
    write_vector(w, cs_draft_part_name(p), &system->part[p]);
  cs_writer_end(w);
}

static void add_signal(struct cs_text *text, const struct cs_draft *draft, size_t system, int side, size_t signal) {
  cs_text_add(text, "%s.%s", draft->system[system].name, draft->system[system].signal[side][signal]);
}

static void write_link(struct cs_writer *w, const struct cs_draft *draft, const struct cs_draft_link *link) {
  struct cs_text from = {0}, to = {0};
  const bool constant = link->from_system == SIZE_MAX;
  if (!constant) add_signal(&from, draft, link->from_system, CS_DRAFT_OUTPUT, link->from);
  add_signal(&to, draft, link->to_system, CS_DRAFT_INPUT, link->to);
  cs_writer_object(w, NULL);
  if (!constant) cs_writer_string(w, "from", cs_text_string(&from));
  cs_writer_string(w, "to", cs_text_string(&to));
  if (constant)
    cs_writer_shortest(w, "value", link->gain);
  else if (link->gain != 1.0)
    cs_writer_shortest(w, "gain", link->gain);
  cs_writer_end(w);
  w->text->failed |= from.failed || to.failed;
  cs_text_free(&from);
  cs_text_free(&to);
}

/* An input without source keeps its operating value, and is named. */
static void write_constant(struct cs_writer *w, const struct cs_draft *draft, size_t system, size_t input,
                           struct cs_text *named) {
  const struct cs_draft_matrix *u0 = &draft->system[system].part[CS_DRAFT_U0];
  const double value = u0->given && u0->value != NULL ? u0->value[input] : 0.0;
  struct cs_text to = {0};
  add_signal(&to, draft, system, CS_DRAFT_INPUT, input);
  cs_writer_object(w, NULL);
  cs_writer_string(w, "to", cs_text_string(&to));
  cs_writer_shortest(w, "value", value);
  cs_writer_end(w);
  cs_text_add(named, "no source: %s, constantly ", cs_text_string(&to));
  cs_text_add_number(named, value);
  cs_text_add(named, "\n");
  w->text->failed |= to.failed;
  cs_text_free(&to);
}

static void write_model(const struct cs_import_wish *wish, const char *name, const struct cs_draft *draft,
                        struct cs_text *model, struct cs_text *warnings) {
  struct cs_writer w = {.text = model, .spread = true};
  struct cs_text origin = {0};
  cs_text_add(&origin, "imported from ");
  for (size_t i = 0; i < wish->files; i++)
    cs_text_add(&origin, "%s%s", i > 0 ? ", " : "", base_of(wish->file[i]));
  cs_writer_object(&w, NULL);
  cs_writer_lines(&w);
  cs_writer_string(&w, "format", "cosweep-model/1");
  cs_writer_string(&w, "name", name);
  cs_writer_string(&w, "description", cs_text_string(&origin));
  cs_writer_list(&w, "subsystems");
  cs_writer_lines(&w);
  for (size_t s = 0; s < draft->systems; s++)
    write_system(&w, &draft->system[s]);
  cs_writer_end(&w);
  cs_writer_list(&w, "connections");
  cs_writer_lines(&w);
  for (size_t i = 0; i < draft->links; i++)
    write_link(&w, draft, &draft->link[i]);
  for (size_t s = 0; s < draft->systems; s++)
    for (size_t i = 0; i < draft->system[s].signals[CS_DRAFT_INPUT]; i++)
      if (!cs_draft_is_fed(draft, s, i)) write_constant(&w, draft, s, i, warnings);
  cs_writer_end(&w);
  cs_writer_end(&w);
  cs_text_add(model, "\n");
  model->failed |= origin.failed;
  cs_text_free(&origin);
}

int cs_import_write(const struct cs_import_wish *wish, struct cs_text *model, struct cs_text *warnings,
                    struct cs_error *error) {
  struct cs_draft draft = {0};
  struct cs_text name = {0};
  int code = CS_OK;
  for (size_t i = 0; i < wish->files && code == CS_OK; i++) {
    bool result = false;
    code = read_file(wish->file[i], wish, &draft, &result, error);
    if (code != CS_OK || !result) continue;
    cs_draft_free(&draft);
    return write_result(wish, wish->file[i], model, error);
  }
  for (size_t i = 0; i < wish->connects && code == CS_OK; i++)
    code = read_connect(wish->connect[i], &draft, error);
  if (code == CS_OK && draft.systems == 0)
    code = cs_error_set(error, CS_INPUT, "%s: no subsystem; want objects with the matrices A, B, C and D%s%s",
                        wish->file[0], draft.unread.length > 0 ? "; found " : "", cs_text_string(&draft.unread));
  if (code == CS_OK) code = cs_draft_connect(&draft, wish->match, error);
  if (code == CS_OK) {
    if (wish->name != NULL)
      cs_text_add(&name, "%s", wish->name);
    else
      cs_import_add_name(&name, wish->file[0]);
    cs_text_add(warnings, "%s", cs_text_string(&draft.warnings));
    write_model(wish, cs_text_string(&name), &draft, model, warnings);
    if (name.failed || model->failed || warnings->failed || draft.warnings.failed) code = cs_error_memory(error);
  }
  cs_text_free(&name);
  cs_draft_free(&draft);
  return code;
}

/* ---- what came out */

/* Loops of D L. */
static int count_loops(size_t outputs, const double *dl, size_t *loops, struct cs_error *error) {
  struct cs_component *component = NULL;
  const int code = cs_component_new(outputs, &component, error);
  if (code != CS_OK) return code;
  cs_component_find(component, outputs, dl);
  for (size_t k = 0; k < component->count; k++)
    *loops += cs_component_is_loop(component, k, dl);
  cs_component_free(component);
  return CS_OK;
}

int cs_import_add_summary(const struct cs_model *model, struct cs_text *text, struct cs_error *error) {
  const size_t room = model->outputs * (model->inputs + 1) + 1;
  double *d = calloc(room, sizeof *d), *l = calloc(room, sizeof *l);
  double *dl = calloc(model->outputs * model->outputs + 1, sizeof *dl);
  double *parameters = calloc(model->values + 1, sizeof *parameters);
  size_t loops = 0;
  int code = d != NULL && l != NULL && dl != NULL && parameters != NULL ? CS_OK : cs_error_memory(error);
  if (code == CS_OK) code = cs_model_parameters(model, NULL, NULL, parameters, error);
  if (code == CS_OK) code = cs_model_numbers(model, CS_D, NULL, parameters, d, error);
  if (code == CS_OK) code = cs_model_numbers(model, CS_L, NULL, parameters, l, error);
  if (code == CS_OK) cs_linalg_add_product(model->outputs, model->inputs, model->outputs, d, l, dl);
  if (code == CS_OK) code = count_loops(model->outputs, dl, &loops, error);
  cs_text_add(text, "  ");
  cs_words_add_number(text, model->matrix[CS_D].count, "direct feed-through");
  cs_text_add(text, ", ");
  cs_words_add_number(text, loops, "algebraic loop");
  cs_text_add(text, "\n");
  free(d);
  free(l);
  free(dl);
  free(parameters);
  return code;
}
