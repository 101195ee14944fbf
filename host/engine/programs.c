#include "programs.h"

#include "native.h"
#include "provenance.h"

static cs_host_kernel *find_native(const void *made, const char *name) {
  return cs_native_find(made, name);
}

static void release_native(void *made) {
  cs_native_free(made);
}

static int open_native(struct cs_device *device, const struct cs_layout *layout, bool spectrum,
                       struct cs_program **program, struct cs_error *error) {
  struct cs_native *native = NULL;
  const int code = spectrum ? cs_native_spectrum(layout->model, &native, error) : cs_native_new(layout, &native, error);
  if (code != CS_OK) return code;
  struct cs_host_program host = {
      .made = native, .variant = cs_native_variant(native), .find = find_native, .release = release_native};
  cs_native_needs(native, &host.stack, &host.memory);
  return cs_device_program_host(device, &host, program, error);
}

int cs_programs_emit(const struct cs_layout *layout, unsigned lanes, const bool part[CS_PARTS],
                     struct cs_text source[CS_PARTS], struct cs_error *error) {
  int code = CS_OK;
  for (int i = 0; i < CS_PARTS; i++)
    source[i] = (struct cs_text){0};
  for (int i = 0; i < CS_PARTS && code == CS_OK; i++)
    if (part[i]) code = cs_emit(layout, lanes, (enum cs_part)i, &source[i], error);
  return code;
}

void cs_programs_free_sources(struct cs_text source[CS_PARTS]) {
  for (int i = 0; i < CS_PARTS; i++)
    cs_text_free(&source[i]);
}

bool cs_programs_is_kept(struct cs_device *device, const struct cs_text *source, bool quick) {
  return cs_device_program_is_kept(device, source->data, quick ? CS_QUICK_OPTIONS : CS_BUILD_OPTIONS);
}

static int open_built(const struct cs_programs_setup *s, enum cs_part part, struct cs_program **program,
                      struct cs_error *error) {
  struct cs_text source = {0};
  int code = cs_emit(s->layout, s->lanes, part, &source, error);
  if (code == CS_OK) {
    const bool quick = s->quick && !cs_programs_is_kept(s->device, &source, false);
    code = cs_device_program_open(s->device, source.data, quick ? CS_QUICK_OPTIONS : CS_BUILD_OPTIONS, s->options->stop,
                                  program, error);
  }
  cs_text_free(&source);
  return code;
}

/* Kernels of the host are in two programs. */
static bool is_needed(const struct cs_programs_setup *s, const bool part[CS_PARTS], int i) {
  if (!cs_device_info(s->device)->host) return part[i];
  return i == CS_PART_METHOD || (i == CS_PART_SPECTRUM && s->layout->kind.stability);
}

int cs_programs_open(const struct cs_programs_setup *setup, const bool part[CS_PARTS], struct cs_programs *programs,
                     struct cs_error *error) {
  int code = CS_OK;
  *programs = (struct cs_programs){.setup = *setup};
  for (int i = 0; i < CS_PARTS && code == CS_OK; i++) {
    if (!is_needed(setup, part, i)) continue;
    code = cs_device_info(setup->device)->host
               ? open_native(setup->device, setup->layout, i == CS_PART_SPECTRUM, &programs->part[i], error)
               : open_built(setup, (enum cs_part)i, &programs->part[i], error);
  }
  if (code != CS_OK) cs_programs_free(programs);
  return code;
}

int cs_programs_enter(struct cs_programs *programs, const struct cs_layout *layout, enum cs_part part,
                      struct cs_error *error) {
  if (programs->setup.lock != NULL) pthread_mutex_lock(programs->setup.lock);
  if (cs_programs_of(programs, part) != NULL) return CS_OK;
  programs->setup.layout = layout;
  return open_built(&programs->setup, part, &programs->part[part], error);
}

void cs_programs_leave(struct cs_programs *programs, enum cs_part part, bool launched) {
  if (launched) cs_device_program_keep(cs_programs_of(programs, part));
  if (programs->setup.lock != NULL) pthread_mutex_unlock(programs->setup.lock);
}

struct cs_program *cs_programs_of(const struct cs_programs *programs, enum cs_part part) {
  const bool host = programs->setup.device != NULL && cs_device_info(programs->setup.device)->host;
  return programs->part[host && part != CS_PART_SPECTRUM ? CS_PART_METHOD : part];
}

bool cs_programs_are_open(const struct cs_programs *programs) {
  return programs->setup.device != NULL;
}

void cs_programs_count(const struct cs_programs *programs, size_t *built, size_t *kept) {
  for (int i = 0; i < CS_PARTS; i++) {
    if (programs->part[i] == NULL || cs_device_info(programs->setup.device)->host) continue;
    const enum cs_program_origin origin = cs_device_program_origin(programs->part[i]);
    *built += origin == CS_PROGRAM_BUILT;
    *kept += origin == CS_PROGRAM_KEPT;
  }
}

void cs_programs_keep(struct cs_programs *programs) {
  for (int i = 0; i < CS_PARTS; i++)
    if (programs->part[i] != NULL) cs_device_program_keep(programs->part[i]);
}

void cs_programs_free(struct cs_programs *programs) {
  for (int i = 0; i < CS_PARTS; i++)
    cs_device_program_free(programs->part[i]);
  *programs = (struct cs_programs){.setup = {NULL}};
}
