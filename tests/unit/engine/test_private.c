/* The predicted private memory of a work-item of vary.cl is about the size of its structures. */
#include <criterion/criterion.h>

#include "emit.h"
#include "engine_case.h"

/* Behind the program of a variant. */
static const char sizes_kernel[] =
    "\n__kernel void sizes(__global long *to) {\n"
    "#if HALVES\n  to[0] = 3 * sizeof(struct tried);\n#else\n  to[0] = sizeof(struct tried);\n#endif\n"
    "  to[0] += sizeof(struct lanes) + sizeof(struct control) + NUMBERS * sizeof(V);\n"
    "#if ACROSS\n  to[0] += COEFFICIENTS * sizeof(V);\n#endif\n}\n";

static double measure(struct harness *harness, const struct cs_layout *l) {
  struct cs_error error;
  struct cs_text source = {0};
  struct cs_program *program;
  struct cs_kernel *kernel;
  struct cs_buffer *buffer;
  int64_t bytes = 0;
  const size_t one[] = {1, 1};
  cr_assert_eq(cs_emit(l, 1, CS_PART_METHOD, &source, &error), CS_OK);
  cs_text_add(&source, "%s", sizes_kernel);
  int code = cs_device_program_build(harness->device, source.data, "-cl-std=CL1.2 -w", &program, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_kernel_open(program, "sizes", &kernel, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_buffer_new(harness->device, sizeof bytes, &buffer, &error), CS_OK);
  code = cs_device_kernel_set_buffer(kernel, 0, buffer, &error);
  if (code == CS_OK) code = cs_device_kernel_run(kernel, 1, one, one, NULL, &error);
  if (code == CS_OK) code = cs_device_buffer_read(buffer, 0, sizeof bytes, &bytes, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  cs_device_buffer_free(buffer);
  cs_device_kernel_free(kernel);
  cs_device_program_free(program);
  cs_text_free(&source);
  return (double)bytes;
}

static void compare(struct harness *harness, const char *method) {
  struct cs_error error;
  struct cs_settings settings;
  struct cs_layout *layout;
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"private\", \"model\": \"model.json\", \"t_end\": 1,\n"
              "\"method\": {%s}, \"metrics\": " ENGINE_CASE_METRICS "}\n",
              method);
  harness_load(harness, text.data);
  cr_assert_eq(cs_settings_new(harness->sweep, &settings, &error), CS_OK);
  cs_settings_of(harness->sweep, 0, &settings);
  cr_assert_eq(cs_layout_new(harness->sweep, &settings.method, CS_SIMULATION, false, false, &layout, &error), CS_OK);
  cr_assert(layout->kind.varies);
  const double said = (double)cs_layout_private_bytes(layout), taken = measure(harness, layout);
  cr_expect(said > taken / 1.25 && said < taken * 1.25, "%s: said %g, taken %g", method, said, taken);
  cs_layout_free(layout);
  cs_settings_free(&settings);
  cs_text_free(&text);
}

static const char *const methods[] = {
    "\"step\": {\"control\": \"pi_defect\", \"initial\": 0.1, \"max\": 0.5, \"tolerance\": 1e-3}",
    "\"hold\": \"lagrange\", \"order\": 2, \"step\": {\"control\": \"richardson\", \"initial\": 0.1, \"max\": 0.5, "
    "\"atol\": "
    "1e-3, \"rtol\": 1e-3}",
    "\"hold\": \"lagrange\", \"order\": 3, \"solver\": \"heun\", \"micro_steps\": 2, \"step\": {\"control\": "
    "\"pi_defect\", "
    "\"initial\": 0.1, \"max\": 0.5, \"tolerance\": 1e-3}",
    "\"solver\": \"dopri5\", \"step\": {\"size\": 0.1}"};

Test(private, memory_is_about_what_the_host_says) {
  struct harness harness;
  harness_open_opencl(&harness);
  engine_case_model(&harness, "models/ring/model.json");
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    compare(&harness, methods[i]);
  harness_close(&harness);
}
