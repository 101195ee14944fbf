#include "programs.h"

#include "emit.h"
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

int cs_programs_emit(const struct cs_layout *layout, unsigned lanes, struct cs_text source[2], size_t *count,
                     struct cs_error *error) {
  *count = layout->kind.stability ? 2 : 1;
  source[0] = source[1] = (struct cs_text){0};
  const int code = cs_emit(layout, lanes, &source[0], error);
  return code == CS_OK && *count > 1 ? cs_emit_spectrum(lanes, &source[1], error) : code;
}

bool cs_programs_are_kept(struct cs_device *device, const struct cs_text source[2], size_t count, bool quick) {
  bool kept = true;
  for (size_t i = 0; i < count && kept; i++)
    kept = cs_device_program_is_kept(device, source[i].data, quick ? CS_QUICK_OPTIONS : CS_BUILD_OPTIONS);
  return kept;
}

static int open_built(struct cs_device *device, const struct cs_layout *layout, unsigned lanes, bool quick,
                      const struct cs_engine_options *options, struct cs_programs *programs, struct cs_error *error) {
  struct cs_text source[2];
  size_t count;
  int code = cs_programs_emit(layout, lanes, source, &count, error);
  for (size_t i = 0; i < count && code == CS_OK; i++) {
    const bool brief = quick && !cs_programs_are_kept(device, &source[i], 1, false);
    code = cs_device_program_open(device, source[i].data, brief ? CS_QUICK_OPTIONS : CS_BUILD_OPTIONS, options->stop,
                                  i == 0 ? &programs->own : &programs->spectrum, error);
  }
  cs_text_free(&source[0]);
  cs_text_free(&source[1]);
  return code;
}

int cs_programs_open(struct cs_device *device, const struct cs_layout *layout, unsigned lanes, bool quick,
                     const struct cs_engine_options *options, struct cs_programs *programs, struct cs_error *error) {
  int code;
  *programs = (struct cs_programs){NULL, NULL};
  if (cs_device_info(device)->host) {
    code = open_native(device, layout, false, &programs->own, error);
    if (code == CS_OK && layout->kind.stability) code = open_native(device, layout, true, &programs->spectrum, error);
  } else {
    code = open_built(device, layout, lanes, quick, options, programs, error);
  }
  if (code != CS_OK) cs_programs_free(programs);
  return code;
}

void cs_programs_keep(struct cs_programs *programs) {
  cs_device_program_keep(programs->own);
  if (programs->spectrum != NULL) cs_device_program_keep(programs->spectrum);
}

void cs_programs_free(struct cs_programs *programs) {
  cs_device_program_free(programs->own);
  cs_device_program_free(programs->spectrum);
  *programs = (struct cs_programs){NULL, NULL};
}
