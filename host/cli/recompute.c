#include "recompute.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "follow.h"
#include "interrupt.h"
#include "origin.h"
#include "result.h"
#include "resume.h"
#include "sizing.h"
#include "store.h"
#include "version.h"

enum { TOLD = 10 }; /* runs that differ and are told */

struct again {
  const char *path;
  struct cs_table *table;
  struct cs_sweep *sweep;
  struct cs_engine_options options;
  struct cs_text device; /* the choice of the one that computes again */
  uint64_t seed;
  size_t *run, runs; /* [runs], ascending */
  size_t differing;
  struct cs_text *text;
};

/* ---- its device -------------------------------------------------------------------------------------------------- */

/* What is known of the device while it is looked for. */
struct search {
  struct cs_device_info device; /* the one tried last */
  bool found, here;             /* it has the plan of the result; one of them is called like that of the result */
};

static int try_device(struct again *a, const char *choice, struct search *s, struct cs_error *error) {
  const char *name = cs_table_text(a->table, "device");
  const int code = cs_resume_is_result(a->sweep, &s->device, &a->options, a->table, &s->found, error);
  const unsigned lanes = cs_sizing_lanes(&s->device, &a->options, a->sweep->model);
  if (a->options.lanes != 0 && lanes != a->options.lanes) s->found = false;
  s->here = s->here || (name != NULL && strcmp(name, s->device.name) == 0);
  if (code == CS_OK && s->found) cs_text_add(&a->device, "%s", choice);
  return code;
}

/* Tries the devices of OpenCL and the host, one after the other. */
static int try_all(struct again *a, struct search *s, struct cs_error *error) {
  struct cs_device_info *list = NULL;
  size_t count = 0;
  int code = cs_device_list(&list, &count, NULL, error);
  for (size_t i = 0; i < count && code == CS_OK && !s->found; i++) {
    char choice[32];
    snprintf(choice, sizeof choice, "%d", list[i].index);
    s->device = list[i];
    code = try_device(a, choice, s, error);
  }
  free(list);
  return code;
}

/* Why no device has the plan of the result. */
static int refuse(const struct again *a, bool here, struct cs_error *error) {
  const char *version = cs_table_text(a->table, "version"), *device = cs_table_text(a->table, "device");
  if (version == NULL || strcmp(version, CS_VERSION) != 0)
    return cs_error_set(error, CS_DEVICE,
                        "%s: cannot be computed again: it is of cosweep %s, this is %s; want the same version", a->path,
                        version != NULL ? version : "of no known version", CS_VERSION);
  if (cs_table_text(a->table, "plan") == NULL)
    return cs_error_set(error, CS_DEVICE, "%s: cannot be computed again: it has no checksum of its plan", a->path);
  if (!here)
    return cs_error_set(error, CS_DEVICE, "%s: cannot be computed again: it was computed on %s; want this device",
                        a->path, device != NULL ? device : "a device without a name");
  return cs_error_set(error, CS_DEVICE,
                      "%s: cannot be computed again on %s: its driver or lanes, the kernels of this program, the "
                      "fragments, the sweep or the model are not those of the result",
                      a->path, device);
}

/* Another device than the first that computed the sweep with it, which may round in another way: which run was whose,
 * nobody knows. NULL if there is none. */
static const char *find_other(const struct again *a) {
  const struct cs_note *names = cs_table_find_note(a->table, "device");
  for (size_t i = 1; names != NULL && names->type == CS_TEXT && i < names->count; i++)
    if (strcmp(names->text[i], names->text[0]) != 0) return names->text[i];
  return NULL;
}

static int find_device(struct again *a, const struct cs_arguments *arguments, struct cs_error *error) {
  const char *choice = arguments->given[CS_OPTION_DEVICE] ? arguments->text[CS_OPTION_DEVICE] : "auto";
  const struct cs_note *lanes = cs_table_find_note(a->table, "lanes");
  struct search s = {0};
  if (lanes != NULL && lanes->type == CS_INT64 && !arguments->given[CS_OPTION_LANES])
    a->options.lanes = (unsigned)lanes->int64;
  int code = cs_device_describe(choice, &s.device, error);
  if (code == CS_OK) code = try_device(a, choice, &s, error);
  if (code == CS_OK && !s.found && !arguments->given[CS_OPTION_DEVICE]) code = try_all(a, &s, error);
  return code == CS_OK && !s.found ? refuse(a, s.here, error) : code;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static int draw(struct again *a, const struct cs_arguments *arguments, struct cs_error *error) {
  const size_t all = a->sweep->runs, wanted = arguments->number[CS_OPTION_RECOMPUTE];
  a->seed = arguments->given[CS_OPTION_SEED] ? arguments->number[CS_OPTION_SEED] : 1;
  a->runs = wanted < all ? wanted : all;
  a->run = malloc((a->runs + 1) * sizeof *a->run);
  return a->run != NULL ? cs_follow_draw(a->seed, all, a->runs, a->run, error) : cs_error_memory(error);
}

/* ---- what is known without runs --------------------------------------------------------------------------------- */

static bool is_text(const char *a, const char *b) {
  return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool is_dimension(const struct cs_dimension *kept, const struct cs_dimension *d) {
  bool same = kept != NULL && kept->length == d->length && is_text(kept->unit, d->unit) &&
              (d->labels != NULL ? kept->labels != NULL : kept->values != NULL);
  for (size_t i = 0; i < d->length && same; i++)
    same = d->labels != NULL ? is_text(kept->labels[i], d->labels[i]) : kept->values[i] == d->values[i];
  return same;
}

/* Arrays over the runs have no numbers yet. */
static bool is_array(const struct cs_array *kept, const struct cs_array *array) {
  bool same =
      kept != NULL && kept->type == array->type && kept->count == array->count && is_text(kept->unit, array->unit);
  for (size_t i = 0; array->data.uint8 != NULL && i < array->count && same; i++)
    same = array->type == CS_TEXT ? is_text(kept->data.text[i], array->data.text[i])
                                  : cs_follow_is_equal(kept, i, array, i);
  return same;
}

/* Axes, signals and units, and which variables there are. */
static int compare_outline(const struct again *a, struct cs_error *error) {
  const struct cs_dimension *modes = cs_table_find_dimension(a->table, cs_metric_over_name(CS_OVER_MODE));
  const struct cs_result_home home = {CS_NOWHERE, NULL};
  const char *wrong = NULL;
  struct cs_table *outline = NULL;
  int code = cs_result_new(a->sweep, modes != NULL ? modes->length : 0, home, NULL, "", &outline, error);
  if (code != CS_OK) return code;
  for (size_t i = 0; i < outline->dimensions && wrong == NULL; i++) {
    const struct cs_dimension *d = &outline->dimension[i];
    if (!is_dimension(cs_table_find_dimension(a->table, d->name), d)) wrong = d->name;
  }
  for (size_t i = 0; i < outline->arrays && wrong == NULL; i++)
    if (!is_array(cs_table_find(a->table, outline->array[i].name), &outline->array[i])) wrong = outline->array[i].name;
  if (wrong != NULL)
    code = cs_error_set(error, CS_IO, "%s: %s is not that of the sweep and the model in it", a->path, wrong);
  cs_table_free(outline);
  return code;
}

/* ---- runs computed again ----------------------------------------------------------------------------------------- */

/* Appends the first number of a run that differs, and counts all of them. */
static int compare(const struct again *a, size_t run, const struct cs_array *computed, size_t *differing,
                   struct cs_text *text, struct cs_error *error) {
  const struct cs_array *kept = cs_table_find(a->table, computed->name);
  const size_t inner = computed->count;
  if (kept == NULL || kept->type != computed->type || kept->count != inner * a->sweep->runs)
    return cs_error_set(error, CS_IO, "%s: has no variable %s of all its runs, which the sweep has", a->path,
                        computed->name);
  for (size_t i = 0; i < inner; i++) {
    if (cs_follow_is_equal(kept, run * inner + i, computed, i) || (*differing)++ > 0) continue;
    cs_text_add(text, inner > 1 ? "%s[%zu]: " : "%s: ", computed->name, i);
    cs_text_add(text, "%.17g in the file, %.17g computed", cs_table_number(kept, run * inner + i),
                cs_table_number(computed, i));
  }
  return CS_OK;
}

static int receive(void *context, size_t run, const struct cs_table *table, struct cs_error *error) {
  struct again *a = context;
  struct cs_text first = {0};
  size_t differing = 0;
  int code = CS_OK;
  for (size_t i = 0; i < table->arrays && code == CS_OK; i++)
    code = compare(a, run, &table->array[i], &differing, &first, error);
  if (differing > 0 && a->differing++ < TOLD) {
    cs_text_add(a->text, "differs   run %zu (", run);
    cs_sweep_describe_run(a->sweep, run, a->text);
    cs_text_add(a->text, "): %s", cs_text_string(&first));
    cs_text_add(a->text, differing > 1 ? "; %zu numbers differ\n" : "\n", differing);
  }
  cs_text_free(&first);
  return code;
}

/* What was found of the runs. */
static int conclude(struct again *a, const char *device, struct cs_error *error) {
  const char *other = find_other(a);
  if (a->differing > TOLD) cs_text_add(a->text, "differs   %zu runs more\n", a->differing - TOLD);
  if (a->differing > 0)
    return cs_error_set(error, other == NULL ? CS_IO : CS_DEVICE,
                        "%s: %zu of %zu runs, drawn by seed %llu, differ where they are computed again%s%s", a->path,
                        a->differing, a->runs, (unsigned long long)a->seed,
                        other == NULL ? "" : ": they may be those of ", other == NULL ? "" : other);
  cs_text_add(a->text, "ok        %zu of %zu runs, drawn by seed %llu, computed again on %s: every byte is the same\n",
              a->runs, a->sweep->runs, (unsigned long long)a->seed, device);
  return CS_OK;
}

/* The runs, and what follows from them. */
static int compute(struct again *a, struct cs_error *error) {
  const struct cs_dimension *modes = cs_table_find_dimension(a->table, cs_metric_over_name(CS_OVER_MODE));
  struct cs_outcome outcome = {0};
  struct cs_devices devices = {0};
  struct cs_text beside = {0};
  struct cs_follow follow = {.path = a->path,
                             .table = a->table,
                             .sweep = a->sweep,
                             .modes = modes != NULL ? modes->length : 0,
                             .seed = a->seed,
                             .run = a->run,
                             .runs = a->runs,
                             .text = &beside};
  const struct cs_engine_again again = {
      .receive = receive, .between = cs_follow_between, .context = a, .between_context = &follow};
  int code = compare_outline(a, error);
  if (code == CS_OK) code = cs_devices_open(a->device.data, &devices, error);
  if (code == CS_OK)
    code =
        cs_engine_again(a->sweep, devices.device, devices.count, &a->options, a->run, a->runs, &again, &outcome, error);
  if (code == CS_OK) code = cs_table_check(a->table, error);
  if (code == CS_OK) code = conclude(a, cs_device_info(devices.device[0])->name, error);
  if (code == CS_OK) code = cs_follow_conclude(&follow, error);
  cs_text_add(a->text, "%s", cs_text_string(&beside));
  cs_text_free(&beside);
  cs_devices_close(&devices);
  cs_outcome_free(&outcome);
  return code;
}

int cs_recompute(const char *path, const struct cs_arguments *arguments, struct cs_text *text, struct cs_error *error) {
  struct again a = {.path = path, .text = text, .options = cs_command_engine(arguments)};
  a.options.builder = NULL; /* nothing is built for runs that are not computed */
  a.options.stop = cs_interrupt_catch();
  int code = cs_store_read_lazily(path, CS_STORE_LARGE, &a.table, error);
  if (code == CS_OK) code = cs_origin_sweep(a.path, a.table, arguments, &a.sweep, error);
  if (code == CS_OK) code = find_device(&a, arguments, error);
  if (code == CS_OK) code = draw(&a, arguments, error);
  if (code == CS_OK && !arguments->given[CS_OPTION_QUIET]) cs_command_tell_fragments(a.sweep);
  if (code == CS_OK) code = compute(&a, error);
  free(a.run);
  cs_text_free(&a.device);
  cs_sweep_free(a.sweep);
  cs_table_free(a.table);
  return code;
}
