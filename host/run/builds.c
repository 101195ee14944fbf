#include "builds.h"

#include <stdlib.h>

#include "list.h"

enum { ROW = 4 }; /* variants that a process is asked for at once, at most */

struct cs_builds {
  struct cs_builder **builder; /* [builders] that have not ended */
  size_t builders;
  size_t next; /* tile: variants of those before it were looked at */
  bool *asked; /* [variants] */
  size_t variants;
};

/* ---- what is missing --------------------------------------------------------------------------------------------- */

void cs_builds_free_request(struct cs_builds_request *request) {
  for (size_t i = 0; i < request->variants; i++)
    cs_programs_free_text(&request->text[i]);
  free(request->text);
  free(request->program);
  *request = (struct cs_builds_request){0};
}

/* The kernels of a part, and of those that are joined to it. */
static void add_kernels(const struct cs_worker_setup *setup, const struct cs_device_info *device, uint32_t variant,
                        const struct cs_programs_text *text, int part, struct cs_builder_program *program) {
  for (int i = 0; i < CS_PARTS; i++)
    if (i == part || (part == CS_PART_METHOD && text->joined[i]))
      program->kernels +=
          cs_worker_kernels(setup, variant, device, (enum cs_part)i, program->kernel + program->kernels);
}

int cs_builds_ask(const struct cs_worker_setup *setup, struct cs_device *device, unsigned lanes, uint32_t variant,
                  bool quick, struct cs_builds_request *request, struct cs_error *error) {
  const struct cs_device_info *info = cs_device_info(device);
  bool part[CS_PARTS];
  if (!cs_list_grow(&request->text, request->variants, sizeof *request->text)) return cs_error_memory(error);
  struct cs_programs_text *text = &request->text[request->variants++];
  cs_worker_parts(setup, variant, info, part);
  int code = cs_programs_write(device, setup->plan->variant[variant], lanes, part, quick, text, error);
  for (int i = 0; i < CS_PARTS && code == CS_OK; i++) {
    if (text->source[i].data == NULL || text->kept[i]) continue;
    if (!cs_list_grow(&request->program, request->programs, sizeof *request->program)) return cs_error_memory(error);
    struct cs_builder_program *program = &request->program[request->programs++];
    *program = (struct cs_builder_program){.source = text->source[i].data, .options = text->options[i]};
    add_kernels(setup, info, variant, text, i, program);
  }
  return code;
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

int cs_builds_new(size_t variants, struct cs_builds **builds, struct cs_error *error) {
  struct cs_builds *x = calloc(1, sizeof *x);
  *builds = x;
  if (x == NULL) return cs_error_memory(error);
  x->variants = variants;
  x->asked = calloc(variants + 1, sizeof *x->asked);
  return x->asked != NULL ? CS_OK : cs_error_memory(error);
}

void cs_builds_free(struct cs_builds *x) {
  if (x == NULL) return;
  for (size_t i = 0; i < x->builders; i++)
    cs_builder_close(x->builder[i]);
  free(x->builder);
  free(x->asked);
  free(x);
}

void cs_builds_begin(struct cs_builds *x) {
  for (size_t i = 0; i < x->variants; i++)
    x->asked[i] = false;
  x->next = 0;
}

bool cs_builds_asked(const struct cs_builds *x, uint32_t variant) {
  return x->asked[variant];
}

/* What the others found wrong this process finds itself. */
static void look_after(struct cs_builds *x) {
  struct cs_error error;
  int code;
  for (size_t i = x->builders; i-- > 0;) {
    if (!cs_builder_has_ended(x->builder[i], &code, &error)) continue;
    cs_builder_close(x->builder[i]);
    x->builder[i] = x->builder[--x->builders];
  }
}

/* A variant of which something is missing. */
struct share {
  uint32_t variant;
  struct cs_builds_request request;
};

/* The next such variants, at most `most`. */
static int collect(struct cs_builds *x, const struct cs_builds_setup *s, struct share *share, size_t most,
                   size_t *count, struct cs_error *error) {
  const struct cs_plan *plan = s->worker.plan;
  int code = CS_OK;
  for (; x->next < plan->tiles && *count < most && code == CS_OK; x->next++) {
    const uint32_t variant = plan->tile[x->next].variant;
    struct cs_builds_request *request = &share[*count].request;
    if (x->next > 0 && plan->tile[x->next - 1].variant == variant) continue;
    share[*count].variant = variant;
    code = cs_builds_ask(&s->worker, s->device, s->lanes, variant, s->quick(s->context, variant), request, error);
    if (request->programs > 0)
      ++*count;
    else
      cs_builds_free_request(request);
  }
  return code;
}

/* Starts a process for every `step`th of these variants, the last one first: this process comes from the other end. */
static int start(struct cs_builds *x, const struct cs_builds_setup *s, const struct share *share, size_t count,
                 size_t step, struct cs_error *error) {
  struct cs_builder_program program[CS_BUILDER_PROGRAMS];
  size_t programs = 0;
  for (size_t i = count; i > 0; i = i > step ? i - step : 0) {
    const struct cs_builds_request *request = &share[i - 1].request;
    for (size_t k = 0; k < request->programs && programs < CS_BUILDER_PROGRAMS; k++)
      program[programs++] = request->program[k];
    x->asked[share[i - 1].variant] = true;
  }
  if (!cs_list_grow(&x->builder, x->builders, sizeof(struct cs_builder *))) return cs_error_memory(error);
  const int code =
      cs_builder_open(s->worker.options->builder, s->device, program, programs, &x->builder[x->builders], error);
  x->builders += code == CS_OK;
  return code;
}

void cs_builds_beside(struct cs_builds *x, const struct cs_builds_setup *s, size_t next) {
  const size_t processors = cs_device_processors();
  struct cs_error error;
  if (s->worker.options->builder == NULL || !cs_builder_knows(s->device)) return;
  look_after(x);
  if (x->next < next) x->next = next;
  if (x->builders + 1 >= processors) return;
  const size_t others = processors - 1 - x->builders, most = ROW * (others + 1);
  struct share *share = calloc(most, sizeof *share);
  size_t count = 0;
  int code = share != NULL ? collect(x, s, share, most, &count, &error) : CS_DEVICE;
  const size_t own = count / (others + 1); /* the first of them are for this process, beside the one it builds now */
  for (size_t i = 0; i < others && i < count - own && code == CS_OK; i++)
    code = start(x, s, share + own, count - own - i, others, &error);
  for (size_t i = 0; i < most && share != NULL; i++)
    cs_builds_free_request(&share[i].request);
  free(share);
}
