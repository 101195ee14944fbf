#include "provenance.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emit.h"
#include "list.h"
#include "programs.h"
#include "resume.h"
#include "sizing.h"
#include "version.h"

static int note(struct cs_table *table, const char *name, const char *text, struct cs_error *error) {
  return cs_table_add_text(table, name, 1, 1, &text, error);
}

void cs_provenance_stamp(char text[CS_TIME_STAMP]) {
  const time_t seconds = time(NULL);
  struct tm utc;
  gmtime_r(&seconds, &utc);
  strftime(text, CS_TIME_STAMP, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* How the runs of the table were computed. */
static const char *engines(const struct cs_table *table) {
  static const char *const names[] = {"none", "step", "double", "step and double"};
  const struct cs_array *engine = cs_table_find(table, "engine_used");
  unsigned used = 0;
  for (size_t i = 0; engine != NULL && used != 3 && i < engine->count; i++)
    used |= cs_table_uint8(engine, i); /* CS_WAY_STEP and CS_WAY_DOUBLE are bits */
  return names[used & 3];
}

/* One text for one device, a list for several. */
static int add_devices(const struct cs_provenance *p, struct cs_table *table, struct cs_error *error) {
  const char **text = malloc((p->devices + 1) * sizeof *text);
  int code = text == NULL ? cs_error_memory(error) : CS_OK;
  static const char *const names[] = {"device", "driver", "platform"};
  for (size_t i = 0; i < sizeof names / sizeof names[0] && code == CS_OK; i++) {
    for (size_t d = 0; d < p->devices; d++)
      text[d] = i == 0 ? p->device[d]->name : i == 1 ? p->device[d]->driver : p->device[d]->platform;
    code = cs_table_add_text(table, names[i], p->devices, p->devices == 1, text, error);
  }
  free(text);
  return code;
}

static size_t find_kernel(const struct cs_sweep *sweep, const struct cs_kernels *kernels, const struct cs_layout *l) {
  size_t i = 0;
  while (i < kernels->count &&
         (kernels->variant[i].layout->kind.stiff != l->kind.stiff ||
          !cs_method_equal(sweep->model->subsystems, &kernels->variant[i].layout->method, &l->method)))
    i++;
  return i;
}

/* A layout of its own, because the plan has removed doubling from those that do not double in it. */
static int add_kernel(const struct cs_sweep *sweep, const struct cs_plan *plan, const struct cs_layout *l,
                      struct cs_kernels *kernels, struct cs_error *error) {
  if (!cs_list_grow(&kernels->variant, kernels->count, sizeof *kernels->variant)) return cs_error_memory(error);
  struct cs_kernel_of *new = &kernels->variant[kernels->count];
  *new = (struct cs_kernel_of){0};
  const int code =
      cs_layout_new(sweep, &l->method, plan->options.study, plan->options.records, l->kind.stiff, &new->layout, error);
  if (code != CS_OK) return code;
  new->layout->kind.other = plan->options.other;
  kernels->count++;
  return CS_OK;
}

int cs_provenance_add_kernels(const struct cs_sweep *sweep, const struct cs_plan *plan, struct cs_kernels *kernels,
                              struct cs_error *error) {
  size_t *place = malloc((plan->variants + 1) * sizeof *place);
  int code = place == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t i = 0; i < plan->variants && code == CS_OK; i++) {
    const struct cs_layout *l = plan->variant[i];
    place[i] = find_kernel(sweep, kernels, l);
    if (place[i] == kernels->count) code = add_kernel(sweep, plan, l, kernels, error);
    if (code == CS_OK && l->kind.has_doubled) kernels->variant[place[i]].layout->kind.has_doubled = true;
  }
  for (size_t i = 0; i < plan->ordered && code == CS_OK; i++)
    kernels->variant[place[plan->run[plan->order[i]].variant]].computed = true;
  free(place);
  return code;
}

void cs_provenance_free_kernels(struct cs_kernels *kernels) {
  for (size_t i = 0; i < kernels->count; i++)
    cs_layout_free(kernels->variant[i].layout);
  free(kernels->variant);
  *kernels = (struct cs_kernels){0};
}

/* Their sources, or a comment for variants without computed runs. */
static int add_sources(const struct cs_kernels *kernels, unsigned lanes, struct cs_table *table,
                       struct cs_error *error) {
  const char **text = malloc((kernels->count + 1) * sizeof *text);
  struct cs_text *source = calloc(kernels->count + 1, sizeof *source);
  int code = text == NULL || source == NULL ? cs_error_memory(error) : CS_OK;
  for (size_t i = 0; i < kernels->count && code == CS_OK; i++) {
    struct cs_layout *l = kernels->variant[i].layout;
    l->kind.doubles = l->kind.doubles && l->kind.has_doubled;
    if (kernels->variant[i].computed) code = cs_emit_all(l, lanes, &source[i], error);
    text[i] = kernels->variant[i].computed ? source[i].data : "/* no run of this variant was computed */";
  }
  if (code == CS_OK && kernels->count > 0) code = cs_table_add_text(table, "kernel", kernels->count, 0, text, error);
  for (size_t i = 0; source != NULL && i < kernels->count; i++)
    cs_text_free(&source[i]);
  free(source);
  free(text);
  return code;
}

/* A text for every line. */
static int add_failures(const char *lines, struct cs_table *table, struct cs_error *error) {
  struct cs_text copy = {0};
  const char **text = NULL;
  size_t count = 0;
  bool good = true;
  if (lines == NULL || lines[0] == '\0') return CS_OK;
  cs_text_add(&copy, "%s", lines);
  for (char *line = copy.data; good && !copy.failed && *line != '\0';) {
    char *end = line + strcspn(line, "\n");
    good = cs_list_grow(&text, count, sizeof *text);
    if (good) text[count++] = line;
    line = end + (*end == '\n');
    *end = '\0';
  }
  const int code =
      good && !copy.failed ? cs_table_add_text(table, "failures", count, 0, text, error) : cs_error_memory(error);
  free(text);
  cs_text_free(&copy);
  return code;
}

int cs_provenance_add(const struct cs_provenance *p, struct cs_table *table, struct cs_error *error) {
  const struct cs_sweep *sweep = p->sweep;
  const unsigned lanes = cs_sizing_lanes(p->device[0], p->options, sweep->model);
  const char *command = p->options->command != NULL ? p->options->command : "";
  const bool steps = sweep->study == CS_SIMULATION;
  struct cs_text model = {0}, text = {0};
  cs_json_print(cs_json_root(sweep->model->json), &model);
  cs_sweep_print(sweep, &text);
  int code = model.failed || text.failed ? cs_error_memory(error) : CS_OK;
  char digest[CS_RESUME_DIGEST];
  if (code == CS_OK && p->asked != NULL) {
    code = cs_resume_digest(sweep, p->asked, p->options, digest, error);
    if (code == CS_OK) code = note(table, "plan", digest, error);
  }
  if (code == CS_OK) code = note(table, "model", model.data, error);
  if (code == CS_OK) code = note(table, "sweep", text.data, error);
  if (code == CS_OK && sweep->designs != NULL) code = note(table, "designs", sweep->designs, error);
  if (code == CS_OK) code = add_sources(p->kernels, lanes, table, error);
  if (code == CS_OK) code = add_devices(p, table, error);
  if (code == CS_OK) code = note(table, "build_options", CS_BUILD_OPTIONS, error);
  if (code == CS_OK) code = note(table, "version", CS_VERSION, error);
  if (code == CS_OK) code = note(table, "study", cs_metric_study_name(sweep->study), error);
  if (code == CS_OK && sweep->model->equations > 0)
    code = note(table, "linearised", cs_model_linearised(sweep->initial), error);
  if (code == CS_OK && steps) code = note(table, "engine", p->engine != NULL ? p->engine : engines(table), error);
  if (code == CS_OK) code = note(table, "command", command, error);
  if (code == CS_OK) code = add_failures(p->failures, table, error);
  if (code == CS_OK) code = note(table, "started", p->started, error);
  if (code == CS_OK) code = cs_table_add_number(table, "wall_seconds", CS_FLOAT64, p->wall, 0, error);
  if (code == CS_OK) code = cs_table_add_number(table, "device_seconds", CS_FLOAT64, p->device_seconds, 0, error);
  if (code == CS_OK && p->build_seconds > 0.0)
    code = cs_table_add_number(table, "build_seconds", CS_FLOAT64, p->build_seconds, 0, error);
  if (code == CS_OK) code = cs_table_add_number(table, "runs", CS_INT64, 0.0, (int64_t)p->runs, error);
  if (code == CS_OK && (sweep->boundary >= 0 || sweep->refine > 0))
    code = cs_table_add_number(table, "points", CS_INT64, 0.0, (int64_t)p->points, error);
  if (code == CS_OK && p->repeats > 0)
    code = cs_table_add_number(table, "repeats", CS_INT64, 0.0, (int64_t)p->repeats, error);
  if (code == CS_OK && steps) code = cs_table_add_number(table, "steps", CS_INT64, 0.0, (int64_t)p->steps, error);
  if (code == CS_OK && cs_sweep_varies(sweep) && steps)
    code = cs_table_add_number(table, "occupancy", CS_FLOAT64, p->occupancy, 0, error);
  if (code == CS_OK) code = cs_table_add_number(table, "lanes", CS_INT64, 0.0, (int64_t)lanes, error);
  cs_text_free(&model);
  cs_text_free(&text);
  return code;
}
