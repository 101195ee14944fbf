#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "opencl.h"

static struct cs_error error;

/* Choosing needs no device: it is a function of the list. */
static const struct cs_device_info some[] = {
    {.index = 0, .name = "Small GPU", .gpu = true, .fp64 = false},
    {.index = 1, .name = "Big GPU", .gpu = true, .fp64 = true},
    {.index = 2, .name = "cpu-zen4", .platform = "Zen Platform", .cpu = true, .fp64 = true},
    {.index = 3, .name = "cpu-old", .cpu = true, .fp64 = false},
    {.index = 4, .name = "Big GPU", .gpu = true, .fp64 = true},
};

Test(choose, takes_the_device_meant) {
  const struct {
    const char *choice;
    size_t first, count, index; /* of the devices above, those given */
  } row[] = {
      {NULL, 0, 5, 2},                                                        /* the CPU before the others */
      {NULL, 0, 2, 1},                                                        /* no CPU: the first with fp64 */
      {NULL, 3, 2, 1},                                                        /* a CPU without fp64 is none */
      {"1", 0, 5, 1},   {"4", 0, 5, 4},   {"cpu", 0, 5, 2}, {"gpu", 0, 5, 1}, /* passes over what has no fp64 */
      {"cpu", 2, 3, 0}, {"big", 0, 5, 1}, {"GPU", 0, 5, 1}, {"zen4", 0, 5, 2}, {"platform", 0, 5, 2},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    size_t index = 99;
    int code = cs_device_choose(some + row[i].first, row[i].count, row[i].choice, &index, &error);
    cr_expect_eq(code, CS_OK, "row %zu: %s", i, error.message);
    cr_expect_eq(index, row[i].index, "row %zu: device %zu", i, index);
  }
}

Test(choose, says_what_is_wrong) {
  const struct {
    const char *choice;
    size_t count;
    const char *message, *also;
  } row[] = {
      {"0", 3, "device 0 (Small GPU): no double precision", "--device 1 (Big GPU)"},
      {"small", 3, "device 0 (Small GPU): no double precision", "--device 1 (Big GPU)"},
      {NULL, 1, "device 0 (Small GPU): no double precision", "pocl-opencl-icd"},
      {"cpu", 2, "nothing matches \"cpu\"", "0 (Small GPU, no fp64), 1 (Big GPU)"},
      {"3", 3, "nothing matches \"3\"", "2 (cpu-zen4)"},
      {"99999999999999999999", 3, "nothing matches", "2 (cpu-zen4)"},
      {"", 3, "nothing matches \"\"", "2 (cpu-zen4)"},
      {"-1", 3, "nothing matches \"-1\"", "2 (cpu-zen4)"},
      {NULL, 0, "no OpenCL device found", "pocl-opencl-icd"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    size_t index = 99;
    cr_expect_eq(cs_device_choose(some, row[i].count, row[i].choice, &index, &error), CS_DEVICE, "row %zu", i);
    cr_expect(strstr(error.message, row[i].message), "row %zu: %s", i, error.message);
    cr_expect(strstr(error.message, row[i].also), "row %zu: %s", i, error.message);
    cr_expect_eq(index, 99);
  }
}

/* Cards for computing before a processor, cards for screens after it; among processors PoCL's driver. Words that fit
 * several devices mean the same one. */
Test(choose, takes_the_best_for_auto) {
  static const struct cs_device_info
      host = {.name = "host", .cpu = true, .fp64 = true, .host = true, .units = 64, .double_units = 16},
      screen = {.name = "screen", .gpu = true, .fp64 = true, .units = 46, .double_units = 2, .clock = 1700},
      card = {.name = "card", .gpu = true, .fp64 = true, .units = 132, .double_units = 64, .clock = 1700},
      blind = {.name = "blind", .gpu = true, .units = 132, .double_units = 64, .clock = 1700},
      broken = {.name = "broken", .gpu = true, .fp64 = true, .units = 132, .double_units = 64, .trouble = "silent"},
      intel = {.name = "cpu",
               .platform = "Intel",
               .cpu = true,
               .fp64 = true,
               .units = 8,
               .double_units = 16,
               .clock = 4000},
      pocl = {.name = "cpu",
              .platform = "Portable Computing Language",
              .cpu = true,
              .fp64 = true,
              .units = 8,
              .double_units = 8,
              .clock = 2000};
  const struct cs_device_info *const row[][4] = {
      {&card, &pocl, &host},    {&pocl, &card, &host},  /* first is best */
      {&pocl, &screen, &host},  {&pocl, &intel, &host}, /* */
      {&intel, &screen, &host}, {&pocl, &blind, &broken, &host}, {&screen, &blind, &host},
  };
  static const size_t best[] = {0, 1, 0, 0, 0, 0, 0};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_device_info list[4];
    size_t count = 0, index = 99;
    while (count < 4 && row[i][count] != NULL) {
      list[count] = *row[i][count];
      count++;
    }
    cr_expect(cs_device_choose_best(list, count, &index), "row %zu", i);
    cr_expect_eq(index, best[i], "row %zu: device %zu", i, index);
  }
  const struct cs_device_info words[] = {intel, pocl, screen, card, host};
  static const char *const choice[] = {"cpu", "c", "gpu", "intel"};
  static const size_t meant[] = {1, 3, 3, 0};
  size_t index = 99;
  for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
    cr_expect_eq(cs_device_choose(words, 5, choice[i], &index, &error), CS_OK, "%s", error.message);
    cr_expect_eq(index, meant[i], "%s: device %zu", choice[i], index);
  }
  cr_expect_not(cs_device_choose_best(&host, 1, &index));
  cr_expect_not(cs_device_choose_best(&blind, 1, &index));
}

Test(device, no_driver_leaves_the_host_and_a_sentence) {
  char directory[] = "/tmp/cosweep-vendors-XXXXXX";
  cr_assert_not_null(mkdtemp(directory));
  setenv("OCL_ICD_VENDORS", directory, 1);
  unsetenv("COSWEEP_DEVICE");
  struct cs_device_info *list = NULL;
  size_t count = 99;
  cr_expect_eq(cs_device_list(&list, &count, NULL, &error), CS_OK, "%s", error.message);
  cr_expect(count == 1 && list[0].host && list[0].fp64);
  free(list);
  struct cs_device *device = NULL;
  cr_expect_eq(cs_device_open("cpu", &device, &error), CS_DEVICE);
  cr_expect(strstr(error.message, "pocl-opencl-icd"), "%s", error.message);
  cr_expect_null(device);
  cr_assert_eq(cs_device_open(NULL, &device, &error), CS_OK, "%s", error.message);
  cr_expect(cs_device_info(device)->host && cs_device_info(device)->automatic);
  struct cs_device *beside = device;
  cr_expect_eq(cs_device_beside(device, &beside, &error), CS_OK, "%s", error.message);
  cr_expect_null(beside);
  cs_device_close(device);
  rmdir(directory);
}

static struct cs_device *device;

/* Tests run at the same time in processes of their own, which must not share a cache of programs being built. */
static void open_device(void) {
  opencl_needed();
  setenv("COSWEEP_DEVICE", "cpu", 1);
  setenv("POCL_KERNEL_CACHE", "0", 1);
  error = (struct cs_error){0};
  cr_assert_eq(cs_device_open(NULL, &device, &error), CS_OK, "%s", error.message);
}

static void close_device(void) {
  cs_device_close(device);
}

TestSuite(opencl, .init = open_device, .fini = close_device);

Test(opencl, list_describes_the_opened_device) {
  struct cs_device_info *list = NULL;
  size_t count = 0;
  cr_assert_eq(cs_device_list(&list, &count, NULL, &error), CS_OK, "%s", error.message);
  const struct cs_device_info *info = cs_device_info(device);
  cr_assert_lt((size_t)info->index, count);
  const struct cs_device_info *same = &list[info->index];
  cr_expect_eq(same->index, info->index);
  cr_expect_str_eq(same->name, info->name);
  cr_expect(info->fp64);
  cr_expect_gt(strlen(info->name), 0);
  cr_expect_gt(strlen(info->platform), 0);
  cr_expect_gt(strlen(info->driver), 0);
  cr_expect_gt(info->units, 0);
  cr_expect_gt(info->native_width, 0);
  cr_expect_gt(info->memory, 0);
  cr_expect_leq(info->largest_buffer, info->memory);
  free(list);
}

static const char *const source =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "__kernel void scale(__global double *y, long factor, __global const double *x) {\n"
    "  size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
    "  y[i] = OFFSET + (double)factor * x[i];\n"
    "}\n";

Test(opencl, a_kernel_computes_in_one_and_two_dimensions) {
  enum { COUNT = 96 };
  struct cs_program *program = NULL;
  struct cs_kernel *kernel = NULL;
  struct cs_buffer *x = NULL, *y = NULL;
  double in[COUNT], out[COUNT];
  for (int i = 0; i < COUNT; i++)
    in[i] = 0.25 * i;
  cr_assert_eq(cs_device_program_build(device, source, "-DOFFSET=0.5", &program, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_kernel_open(program, "scale", &kernel, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_buffer_new(device, sizeof in, &x, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_buffer_new(device, sizeof out, &y, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_buffer_write(x, 0, sizeof in, in, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_kernel_set_buffer(kernel, 0, y, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_kernel_set_buffer(kernel, 2, x, &error), CS_OK, "%s", error.message);
  const size_t global[][2] = {{COUNT, 1}, {8, COUNT / 8}}, local[] = {4, 2};
  for (unsigned dimensions = 1; dimensions <= 2; dimensions++) {
    int64_t factor = (INT64_C(1) << 40) + dimensions; /* does not fit 32 bits */
    struct cs_span span = {0, -1};
    cr_assert_eq(cs_device_kernel_set_long(kernel, 1, factor, &error), CS_OK, "%s", error.message);
    cr_assert_eq(
        cs_device_kernel_run(kernel, dimensions, global[dimensions - 1], dimensions == 2 ? local : NULL, &span, &error),
        CS_OK, "%s", error.message);
    cr_expect_geq(span.end, span.begin);
    cr_expect_lt(span.end - span.begin, 100);
    cr_assert_eq(cs_device_buffer_read(y, 0, sizeof out, out, &error), CS_OK, "%s", error.message);
    for (int i = 0; i < COUNT; i++)
      cr_expect_eq(out[i], 0.5 + (double)factor * in[i], "item %d: %g", i, out[i]);
  }
  cs_device_buffer_free(x);
  cs_device_buffer_free(y);
  cs_device_kernel_free(kernel);
  cs_device_program_free(program);
}

static struct cs_program *open_program(struct cs_device *on, const char *options, enum cs_program_origin *origin) {
  struct cs_program *program = NULL;
  cr_assert_eq(cs_device_program_open(on, source, options, NULL, &program, &error), CS_OK, "%s", error.message);
  *origin = cs_device_program_origin(program);
  return program;
}

Test(opencl, a_program_that_is_whole_is_opened_once) {
  enum cs_program_origin origin;
  struct cs_device *other = NULL;
  struct cs_program *first = open_program(device, "-DOFFSET=1", &origin);
  cr_expect_neq(origin, CS_PROGRAM_SHARED);
  struct cs_program *unfinished = open_program(device, "-DOFFSET=1", &origin);
  cr_expect(unfinished != first && origin != CS_PROGRAM_SHARED, "its kernels were not launched yet");
  cs_device_program_free(unfinished);
  cs_device_program_keep(first);
  cr_expect_eq(open_program(device, "-DOFFSET=1", &origin), first);
  cr_expect_eq(origin, CS_PROGRAM_SHARED);
  cs_device_program_free(first);
  cs_device_program_free(first); /* nobody uses it now */
  cr_expect_eq(open_program(device, "-DOFFSET=1", &origin), first);
  cr_expect_eq(origin, CS_PROGRAM_SHARED);
  struct cs_program *second = open_program(device, "-DOFFSET=2", &origin);
  cr_expect(second != first && origin != CS_PROGRAM_SHARED, "another one");
  cs_device_program_free(second);
  cs_device_program_free(open_program(device, "-DOFFSET=2", &origin));
  cr_expect_neq(origin, CS_PROGRAM_SHARED, "it was freed before it was whole");
  cs_device_program_free(first);
  cr_assert_eq(cs_device_open("cpu", &other, &error), CS_OK, "%s", error.message);
  cs_device_program_free(open_program(other, "-DOFFSET=1", &origin));
  cr_expect_neq(origin, CS_PROGRAM_SHARED, "another device");
  cs_device_close(other);
}

/* Options of 3 MB, so that two programs without users stay open, the last used ones. */
Test(opencl, programs_without_users_do_not_pile_up) {
  enum { LONG = 3 << 20 };
  enum cs_program_origin origin;
  char *options = malloc(LONG + 32);
  cr_assert_not_null(options);
  memset(options, ' ', LONG);
  for (int i = 0; i < 3; i++) {
    snprintf(options + LONG, 32, "-DOFFSET=%d", i);
    struct cs_program *program = open_program(device, options, &origin);
    cr_expect_neq(origin, CS_PROGRAM_SHARED);
    cs_device_program_keep(program);
    cs_device_program_free(program);
  }
  for (int i = 2; i >= 0; i--) {
    snprintf(options + LONG, 32, "-DOFFSET=%d", i);
    cs_device_program_free(open_program(device, options, &origin));
    cr_expect_eq(origin == CS_PROGRAM_SHARED, i > 0, "program %d", i);
  }
  free(options);
}

Test(opencl, buffers_are_read_and_written_in_parts) {
  struct cs_buffer *buffer = NULL;
  const char in[] = "abcdefgh";
  char out[9] = "";
  cr_assert_eq(cs_device_buffer_new(device, 8, &buffer, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_buffer_write(buffer, 0, 8, in, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_buffer_write(buffer, 2, 3, "XYZ", &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_buffer_write(buffer, 8, 0, NULL, &error), CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_buffer_read(buffer, 1, 6, out, &error), CS_OK, "%s", error.message);
  cr_expect_str_eq(out, "bXYZfg");
  cs_device_buffer_free(buffer);
}

Test(opencl, a_build_that_fails_shows_the_compiler) {
  struct cs_program *program = NULL;
  const char *wrong = "#line 7 \"step.clh\"\n__kernel void step(__global double *x) { x[0] = nonsense; }\n";
  cr_expect_eq(cs_device_program_build(device, wrong, NULL, &program, &error), CS_DEVICE);
  cr_expect_null(program);
  cr_expect(strstr(error.message, "building the kernel failed"), "%s", error.message);
  cr_expect(strstr(error.message, "step.clh:7"), "%s", error.message);
  cr_expect(strstr(error.message, "nonsense"), "%s", error.message);
}

Test(opencl, a_long_build_log_starts_with_the_first_error_and_ends_with_a_line) {
  static char wrong[65536];
  char name[900] = "";
  memset(name, 'n', sizeof name - 1);
  size_t used = 0;
  for (int i = 0; i < 100; i++)
    used += (size_t)snprintf(wrong + used, sizeof wrong - used, "#warning warned %d, which takes room in a log\n", i);
  used += (size_t)snprintf(wrong + used, sizeof wrong - used, "__kernel void step(void) {\n");
  for (int i = 0; i < 15; i++)
    used += (size_t)snprintf(wrong + used, sizeof wrong - used, "  int a%d = first%d%s;\n", i, i, name);
  snprintf(wrong + used, sizeof wrong - used, "}\n");
  struct cs_program *program = NULL;
  cr_expect_eq(cs_device_program_build(device, wrong, NULL, &program, &error), CS_DEVICE);
  size_t length = strlen(error.message);
  cr_expect_gt(length, 4000);
  cr_expect_lt(length, sizeof error.message - 4);
  cr_expect(strstr(error.message, "first0n"), "%s", error.message);
  cr_expect_null(strstr(error.message, "warned 0,"), "%s", error.message);
  cr_expect_str_eq(error.message + length - 4, "\n...", "%s", error.message);
}

Test(opencl, what_cannot_be_is_refused) {
  struct cs_program *program = NULL;
  struct cs_kernel *kernel = NULL;
  struct cs_buffer *buffer = NULL;
  cr_assert_eq(cs_device_program_build(device, source, "-DOFFSET=0", &program, &error), CS_OK, "%s", error.message);
  cr_expect_eq(cs_device_kernel_open(program, "scala", &kernel, &error), CS_DEVICE);
  cr_expect_null(kernel);
  cr_expect(strstr(error.message, "no kernel \"scala\""), "%s", error.message);
  cr_assert_eq(cs_device_kernel_open(program, "scale", &kernel, &error), CS_OK, "%s", error.message);
  cr_expect_eq(cs_device_kernel_set_long(kernel, 3, 1, &error), CS_DEVICE);
  cr_expect(strstr(error.message, "kernel scale: argument 3"), "%s", error.message);
  cr_expect_eq(cs_device_kernel_run(kernel, 1, (const size_t[]){1}, NULL, NULL, &error), CS_DEVICE,
               "arguments are not set");
  cr_expect(strstr(error.message, "kernel scale: launching failed"), "%s", error.message);
  cr_expect_eq(cs_device_buffer_new(device, (size_t)cs_device_info(device)->largest_buffer + 1, &buffer, &error),
               CS_DEVICE);
  cr_expect(strstr(error.message, "too large; want at most"), "%s", error.message);
  cr_expect_null(buffer);
  cs_device_kernel_free(kernel);
  cs_device_program_free(program);
}

Test(opencl, freeing_nothing_is_fine) {
  cs_device_buffer_free(NULL);
  cs_device_kernel_free(NULL);
  cs_device_program_free(NULL);
  cs_device_close(NULL);
}

/* ---- devices in trouble */

Test(choose, names_what_a_device_does_not_tell) {
  struct cs_device_info broken[3] = {{.index = 0, .name = "cpu-zen4"}, some[1], some[2]};
  const char *const trouble = "CL_DEVICE_TYPE could not be asked: CL_OUT_OF_RESOURCES (-5)";
  snprintf(broken[0].trouble, sizeof broken[0].trouble, "%s", trouble);
  const char *const choice[] = {"0", "all", "fpga"};
  size_t index[3], chosen;
  for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
    cr_expect_eq(cs_device_choose_many(broken, 3, choice[i], index, &chosen, &error), CS_DEVICE, "row %zu", i);
    cr_expect(strstr(error.message, trouble), "row %zu: %s", i, error.message);
  }
  cr_expect_eq(cs_device_choose(broken, 3, "zen4", index, &error), CS_OK, "%s", error.message);
  cr_expect_eq(index[0], 2, "passes over the one in trouble");
}

/* ---- several devices */

Test(choose, takes_every_device_meant_once) {
  static const struct {
    const char *choice;
    size_t chosen, index[5];
  } good[] = {{"all", 3, {1, 2, 4}}, {"4,cpu", 2, {4, 2}}, {"1", 1, {1}}, {NULL, 1, {2}}, {"4,1,2", 3, {4, 1, 2}}};
  static const struct {
    const char *choice, *message;
  } bad[] = {{"cpu,zen4", "device 2 (cpu-zen4): named twice in \"cpu,zen4\"; want every device once"},
             {"4,1,big", "device 1 (Big GPU): named twice"},
             {"1,0", "device 0 (Small GPU): no double precision"},
             {"1,", "nothing matches \"\""},
             {"1,all", "device: \"all\" in the list \"1,all\"; want it alone, or a list without it"},
             {"all,1", "device: \"all\" in the list \"all,1\""},
             {"1,every", "nothing matches \"every\""}};
  size_t index[5], chosen;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    cr_expect_eq(cs_device_choose_many(some, 5, good[i].choice, index, &chosen, &error), CS_OK, "%s", error.message);
    cr_expect_eq(chosen, good[i].chosen, "row %zu: %zu devices", i, chosen);
    for (size_t k = 0; k < chosen; k++)
      cr_expect_eq(index[k], good[i].index[k], "row %zu: device %zu", i, index[k]);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cr_expect_eq(cs_device_choose_many(some, 5, bad[i].choice, index, &chosen, &error), CS_DEVICE, "row %zu", i);
    cr_expect(strstr(error.message, bad[i].message), "row %zu: %s", i, error.message);
  }
  cr_expect_eq(cs_device_choose_many(some, 1, "all", index, &chosen, &error), CS_DEVICE);
}
