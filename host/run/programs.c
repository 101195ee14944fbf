#include "programs.h"

#include "native.h"

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

void cs_programs_free_text(struct cs_programs_text *text) {
  for (int i = 0; i < CS_PARTS; i++)
    cs_text_free(&text->source[i]);
}

static bool is_kept(struct cs_device *device, const struct cs_text *source, const char *options) {
  return device != NULL && cs_device_program_is_kept(device, source->data, options);
}

/* In place of those that can be joined one program, if there are several, not all of which are kept. */
static int join(const struct cs_layout *layout, unsigned lanes, const bool part[CS_PARTS],
                struct cs_programs_text *text, struct cs_error *error) {
  bool all = true;
  size_t count = 0;
  for (int i = 0; i < CS_PARTS; i++) {
    if (!part[i] || !cs_emit_joins((enum cs_part)i)) continue;
    all = all && text->kept[i];
    count++;
  }
  if (all || count < 2 || !part[CS_PART_METHOD]) return CS_OK;
  for (int i = 0; i < CS_PARTS; i++) {
    if (!part[i] || !cs_emit_joins((enum cs_part)i)) continue;
    cs_text_free(&text->source[i]);
    text->kept[i] = false;
    text->joined[i] = i != CS_PART_METHOD;
  }
  return cs_emit_joint(layout, lanes, part, &text->source[CS_PART_METHOD], error);
}

/* Of OpenCL's compiler. Users' fragments may call any function. */
static const char *options_for(const struct cs_layout *l, bool quick) {
  const bool users = l->master.user != NULL || (l->kind.varies && l->method.control == CS_USER_CONTROL);
  if (users) return quick ? CS_QUICK_OPTIONS : CS_BUILD_OPTIONS;
  return quick ? CS_QUICK_OPTIONS CS_DEVICE_FEW_FUNCTIONS : CS_BUILD_OPTIONS CS_DEVICE_FEW_FUNCTIONS;
}

int cs_programs_write(struct cs_device *device, const struct cs_layout *layout, unsigned lanes,
                      const bool part[CS_PARTS], bool quick, struct cs_programs_text *text, struct cs_error *error) {
  int code = CS_OK;
  *text = (struct cs_programs_text){.joined = {false}};
  for (int i = 0; i < CS_PARTS && code == CS_OK; i++) {
    if (part[i]) code = cs_emit(layout, lanes, (enum cs_part)i, &text->source[i], error);
    text->options[i] = options_for(layout, false);
    if (part[i] && code == CS_OK) text->kept[i] = is_kept(device, &text->source[i], text->options[i]);
  }
  if (code == CS_OK && quick) code = join(layout, lanes, part, text, error);
  for (int i = 0; i < CS_PARTS && code == CS_OK && quick; i++) {
    if (text->source[i].data == NULL || text->kept[i]) continue;
    text->options[i] = options_for(layout, true);
    text->kept[i] = is_kept(device, &text->source[i], text->options[i]);
  }
  return code;
}

static bool is_missing(const struct cs_programs_text *text) {
  bool missing = false;
  for (int i = 0; i < CS_PARTS; i++)
    missing = missing || (text->source[i].data != NULL && !text->kept[i]);
  return missing;
}

static int open_built(const struct cs_programs_setup *s, const bool part[CS_PARTS], struct cs_programs *programs,
                      struct cs_error *error) {
  struct cs_programs_text text;
  int code = cs_programs_write(s->device, s->layout, s->lanes, part, s->quick, &text, error);
  if (code == CS_OK && s->missing != NULL && is_missing(&text)) s->missing(s->context);
  for (int i = 0; i < CS_PARTS && code == CS_OK; i++)
    if (text.source[i].data != NULL)
      code = cs_device_program_open(s->device, text.source[i].data, text.options[i], s->options->stop,
                                    &programs->part[i], error);
    else if (text.joined[i])
      programs->part[i] = programs->part[CS_PART_METHOD];
  cs_programs_free_text(&text);
  return code;
}

/* Kernels of the host are in two programs. */
static int open_host(const struct cs_programs_setup *s, struct cs_programs *programs, struct cs_error *error) {
  int code = open_native(s->device, s->layout, false, &programs->part[CS_PART_METHOD], error);
  if (code == CS_OK && s->layout->kind.stability)
    code = open_native(s->device, s->layout, true, &programs->part[CS_PART_SPECTRUM], error);
  return code;
}

int cs_programs_open(const struct cs_programs_setup *setup, const bool part[CS_PARTS], struct cs_programs *programs,
                     struct cs_error *error) {
  *programs = (struct cs_programs){.setup = *setup};
  const int code = cs_device_info(setup->device)->host ? open_host(setup, programs, error)
                                                       : open_built(setup, part, programs, error);
  if (code != CS_OK) cs_programs_free(programs);
  return code;
}

int cs_programs_enter(struct cs_programs *programs, const struct cs_layout *layout, enum cs_part part,
                      struct cs_error *error) {
  if (programs->setup.lock != NULL) pthread_mutex_lock(programs->setup.lock);
  if (cs_programs_of(programs, part) != NULL) return CS_OK;
  bool only[CS_PARTS] = {false};
  only[part] = true;
  programs->setup.layout = layout;
  programs->setup.missing = NULL;
  return open_built(&programs->setup, only, programs, error);
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

/* Whether a part has a program, and not that of CS_PART_METHOD. */
static bool is_own(const struct cs_programs *programs, int i) {
  return programs->part[i] != NULL && (i == CS_PART_METHOD || programs->part[i] != programs->part[CS_PART_METHOD]);
}

void cs_programs_count(const struct cs_programs *programs, size_t *built, size_t *kept) {
  for (int i = 0; i < CS_PARTS; i++) {
    if (!is_own(programs, i) || cs_device_info(programs->setup.device)->host) continue;
    const enum cs_program_origin origin = cs_device_program_origin(programs->part[i]);
    *built += origin == CS_PROGRAM_BUILT;
    *kept += origin == CS_PROGRAM_KEPT;
  }
}

void cs_programs_keep(struct cs_programs *programs) {
  for (int i = 0; i < CS_PARTS; i++)
    if (is_own(programs, i)) cs_device_program_keep(programs->part[i]);
}

void cs_programs_free(struct cs_programs *programs) {
  for (int i = 0; i < CS_PARTS; i++)
    if (is_own(programs, i)) cs_device_program_free(programs->part[i]);
  *programs = (struct cs_programs){.setup = {NULL}};
}
