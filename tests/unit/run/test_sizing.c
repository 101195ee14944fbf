/* What runs take on a device is within what may be used, matrices included. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sizing.h"
#include "sweep_case.h"

static struct cs_sweep *sweep;
static struct cs_plan *plan;
static struct cs_error error;

static void tear_down(void) {
  cs_plan_free(plan);
  cs_sweep_free(sweep);
  sweep_case_close();
}

TestSuite(sizing, .init = sweep_case_open, .fini = tear_down);

static void load(const char *rest) {
  char text[1024];
  snprintf(text, sizeof text,
           "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", %s, \"axes\": [{\"name\": "
           "\"H\", \"path\": \"method.step.size\", \"linspace\": [0.001, 0.05, 3000]}]}",
           rest);
  sweep_case_write("s.json", text);
  cr_assert_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_OK, "%s", error.message);
}

static int make_plan(const struct cs_device_info *device, size_t memory) {
  const struct cs_engine_options options = {.memory = memory};
  cs_plan_free(plan);
  plan = NULL;
  return cs_sizing_plan(sweep, &device, 1, &options, &plan, &error);
}

/* Bytes of a tile and the matrices beside it, of both workers. */
static size_t bytes_of(const struct cs_device_info *device, const struct cs_tile *tile, size_t memory) {
  const struct cs_engine_options options = {.memory = memory};
  const struct cs_layout *l = plan->variant[tile->variant];
  const unsigned lanes = cs_sizing_lanes(device, &options, sweep->model);
  const size_t groups = (tile->count + lanes - 1) / lanes;
  const size_t matrices = tile->doubled || l->kind.stability ? cs_sizing_workers(device, &options, l, lanes, groups) *
                                                                   lanes * cs_layout_workspace(l, lanes)
                                                             : 0;
  return CS_WORKERS_PER_DEVICE * (cs_plan_tile_bytes(&plan->options, l, tile->count, tile->nodes) + matrices);
}

static void expect_within(const struct cs_device_info *device, size_t memory) {
  size_t runs = 0;
  for (size_t i = 0; i < plan->tiles; i++) {
    const size_t bytes = bytes_of(device, &plan->tile[i], memory);
    cr_expect_leq(bytes, memory, "tile %zu takes %zu of %zu bytes", i, bytes, memory);
    runs += plan->tile[i].count;
  }
  cr_expect_eq(runs, 3000);
}

/* What the message asks for is enough, and a megabyte less is not. */
static void expect_honest_message(const struct cs_device_info *device, size_t memory) {
  const char *said = strstr(error.message, "needs ");
  cr_assert_not_null(said, "%s", error.message);
  const size_t need = strtoul(said + strlen("needs "), NULL, 10);
  cr_expect_gt(need * 1000000, memory, "%s", error.message);
  cr_expect_eq(make_plan(device, need * 1000000), CS_OK, "%s", error.message);
  cr_expect(need == 1 || make_plan(device, (need - 1) * 1000000) == CS_DEVICE, "less than %zu MB are enough", need);
}

Test(sizing, tiles_and_matrices_are_within_the_memory) {
  static const char *const sweeps[] = {
      "\"t_end\": 10, \"metrics\": [\"output_error\"], \"method\": {\"engine\": \"double\"}",
      "\"t_end\": 10, \"metrics\": [\"output_error\"], \"method\": {\"engine\": \"step\"}",
      "\"study\": \"stability\", \"metrics\": [\"spectral_radius\"]"};
  const struct cs_device_info devices[] = {
      {.name = "processor", .cpu = true, .native_width = 8, .units = 64, .memory = 1 << 30, .largest_buffer = 1 << 29},
      {.name = "card", .units = 64, .memory = 1 << 30, .largest_buffer = 1 << 29}};
  for (size_t s = 0; s < sizeof sweeps / sizeof *sweeps; s++) {
    load(sweeps[s]);
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
      size_t fitted = 0;
      for (size_t memory = 10000; memory < 200000000; memory += memory / 3)
        if (make_plan(&devices[d], memory) == CS_OK)
          expect_within(&devices[d], memory), fitted++;
        else
          expect_honest_message(&devices[d], memory);
      cr_expect_gt(fitted, 10);
    }
    cs_sweep_free(sweep);
    sweep = NULL;
  }
}
