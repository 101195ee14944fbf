#include "fmu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "describe.h"
#include "fmu_binary.h"
#include "wiring.h"
#include "zip.h"

/* Where FMI 2.0 has binaries; it names none but x86, others as FMI 3.0 does. */
#if defined(__x86_64__)
#define FOLDER "binaries/linux64/"
#elif defined(__aarch64__)
#define FOLDER "binaries/aarch64-linux/"
#else
#define FOLDER "binaries/other-linux/"
#endif

/* ---- resources/linear.txt: dimensions, A B C D e f x0 and the inputs' values at the start */

static void add_matrix(const struct cs_wiring *wiring, size_t s, enum cs_matrix by_state, enum cs_matrix by_input,
                       struct cs_text *state_part, struct cs_text *input_part) {
  const struct cs_subsystem *subsystem = &wiring->model->subsystem[s];
  const size_t rows = by_state == CS_A ? subsystem->states : subsystem->outputs;
  const size_t first = by_state == CS_A ? subsystem->first_state : subsystem->first_output;
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < subsystem->states; j++) {
      cs_text_add_number(state_part, cs_wiring_by_state(wiring, by_state, first + i, subsystem->first_state + j));
      cs_text_add(state_part, " ");
    }
    for (size_t j = wiring->first[s]; j < wiring->first[s + 1]; j++) {
      cs_text_add_number(input_part, cs_wiring_by_wire(wiring, by_input, first + i, j));
      cs_text_add(input_part, " ");
    }
  }
}

static void add_part(struct cs_text *text, struct cs_text *part) {
  cs_text_add(text, "%s\n", cs_text_string(part));
  text->failed |= part->failed;
  cs_text_free(part);
}

static void add_vector(struct cs_text *text, size_t count, const double *number) {
  for (size_t i = 0; i < count; i++) {
    cs_text_add_number(text, number[i]);
    cs_text_add(text, i + 1 < count ? " " : "");
  }
  cs_text_add(text, "\n");
}

static void add_numbers(const struct cs_wiring *wiring, size_t s, struct cs_text *text) {
  const struct cs_subsystem *subsystem = &wiring->model->subsystem[s];
  struct cs_text states = {0}, inputs = {0};
  cs_text_add(text, "%zu %zu %zu\n", subsystem->states, wiring->first[s + 1] - wiring->first[s], subsystem->outputs);
  add_matrix(wiring, s, CS_A, CS_B, &states, &inputs);
  add_part(text, &states);
  add_part(text, &inputs);
  add_matrix(wiring, s, CS_C, CS_D, &states, &inputs);
  add_part(text, &states);
  add_part(text, &inputs);
  add_vector(text, subsystem->states, wiring->number[CS_E] + subsystem->first_state);
  add_vector(text, subsystem->outputs, wiring->number[CS_F] + subsystem->first_output);
  add_vector(text, subsystem->states, wiring->number[CS_X0] + subsystem->first_state);
  for (size_t i = wiring->first[s]; i < wiring->first[s + 1]; i++)
    add_vector(text, 1, &wiring->wire[i].start);
}

/* ---- archives */

/* The same for the same subsystem, of which the description without it says everything but the numbers. */
static void add_guid(const struct cs_wiring *wiring, size_t s, const struct cs_text *numbers, struct cs_text *guid) {
  struct cs_checksum one, other;
  struct cs_text words = {0};
  cs_describe_subsystem(wiring, s, "", &words);
  cs_checksum_begin(&one);
  cs_checksum_add(&one, cs_text_string(numbers), numbers->length);
  cs_checksum_begin(&other);
  cs_checksum_add(&other, cs_text_string(&words), words.length);
  cs_text_add(guid, "{%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64 "}", one.value >> 32,
              one.value >> 16 & 0xffff, one.value & 0xffff, other.value >> 48, other.value & 0xffffffffffff);
  guid->failed |= words.failed;
  cs_text_free(&words);
}

static void add_text(struct cs_zip *zip, const char *name, struct cs_text *text) {
  cs_zip_add(zip, name, cs_text_string(text), text->length);
  zip->bytes.failed |= text->failed;
  cs_text_free(text);
}

static void pack(const struct cs_wiring *wiring, size_t s, struct cs_text *bytes) {
  struct cs_text numbers = {0}, guid = {0}, words = {0};
  struct cs_zip zip = {0};
  add_numbers(wiring, s, &numbers);
  add_guid(wiring, s, &numbers, &guid);
  cs_describe_subsystem(wiring, s, cs_text_string(&guid), &words);
  add_text(&zip, "modelDescription.xml", &words);
  cs_zip_add(&zip, FOLDER CS_DESCRIBE_IDENTIFIER ".so", (const char *)cs_fmu_binary, cs_fmu_binary_size);
  add_text(&zip, "resources/linear.txt", &numbers);
  cs_zip_end(&zip, bytes);
  bytes->failed |= guid.failed;
  cs_text_free(&guid);
}

static void pack_ssp(const struct cs_wiring *wiring, struct cs_text *bytes) {
  struct cs_text words = {0};
  struct cs_zip zip = {0};
  cs_describe_ssd(wiring, &words);
  add_text(&zip, "SystemStructure.ssd", &words);
  for (size_t s = 0; s < wiring->model->subsystems; s++) {
    struct cs_text name = {0}, fmu = {0};
    cs_text_add(&name, "resources/%s.fmu", wiring->model->subsystem[s].name);
    pack(wiring, s, &fmu);
    add_text(&zip, cs_text_string(&name), &fmu);
    zip.bytes.failed |= name.failed;
    cs_text_free(&name);
  }
  cs_zip_end(&zip, bytes);
}

/* ---- files */

static void write_files(const struct cs_wiring *wiring, enum cs_fmu_kind kind, struct cs_fmu_files *files) {
  const struct cs_model *model = wiring->model;
  if (kind == CS_FMU_SSP) {
    struct cs_fmu_file *file = &files->file[files->count++];
    cs_text_add(&file->name, "%s.ssp", model->name);
    pack_ssp(wiring, &file->bytes);
    return;
  }
  for (size_t s = 0; s < model->subsystems; s++) {
    struct cs_fmu_file *file = &files->file[files->count++];
    cs_text_add(&file->name, "%s.fmu", model->subsystem[s].name);
    pack(wiring, s, &file->bytes);
  }
  if (kind == CS_FMU_OSP) {
    struct cs_fmu_file *file = &files->file[files->count++];
    cs_text_add(&file->name, "OspSystemStructure.xml");
    cs_describe_osp(wiring, &file->bytes);
  }
}

int cs_fmu_export(const struct cs_model *model, enum cs_fmu_kind kind, double step, struct cs_fmu_files *files,
                  struct cs_error *error) {
  struct cs_wiring wiring;
  int code = cs_wiring_open(model, step, &wiring, error);
  *files = (struct cs_fmu_files){.file = calloc(model->subsystems + 1, sizeof *files->file)};
  if (code == CS_OK && files->file == NULL) code = cs_error_memory(error);
  if (code == CS_OK) write_files(&wiring, kind, files);
  for (size_t i = 0; i < files->count && code == CS_OK; i++)
    if (files->file[i].name.failed || files->file[i].bytes.failed) code = cs_error_memory(error);
  cs_wiring_close(&wiring);
  return code;
}

void cs_fmu_free(struct cs_fmu_files *files) {
  for (size_t i = 0; i < files->count; i++) {
    cs_text_free(&files->file[i].name);
    cs_text_free(&files->file[i].bytes);
  }
  free(files->file);
  *files = (struct cs_fmu_files){0};
}
