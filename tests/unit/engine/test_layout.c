/* Zeros of the assembled map that the layout takes for granted: with a layout in which every row touches every block,
 * exactly zero stands there, and the other entries are the same. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine_case.h"
#include "network.h"
#include "programs.h"
#include "random_cases.h"
#include "sizing.h"

/* Lets every row touch every block. Returns the number of items. */
static size_t fill_rows(struct cs_row *row, size_t rows, const struct cs_layout *l) {
  size_t items = 0;
  for (size_t i = 0; i < rows; i++) {
    for (size_t b = 0; b < l->dims.blocks; b++) {
      row[i].entry[b] = (int)items;
      items += l->at.block[b + 1] - l->at.block[b];
    }
  }
  return items;
}

static void touch_all(struct cs_layout *l) {
  l->map.point_items = fill_rows(l->map.row, l->map.rows, l);
  l->map.inside_items = fill_rows(l->map.inside, l->map.inside_rows, l);
}

/* ---- the assembled map of one lane */

/* A buffer in which every lane has the values. */
static struct cs_buffer *buffer(struct harness *harness, unsigned lanes, size_t count, const double *values) {
  struct cs_error error;
  struct cs_buffer *b;
  double *all = malloc(count * lanes * sizeof *all);
  cr_assert(all != NULL);
  for (size_t i = 0; i < count * lanes; i++)
    all[i] = values[i / lanes];
  cr_assert_eq(cs_device_buffer_new(harness->device, count * lanes * sizeof *all, &b, &error), CS_OK, "%s",
               error.message);
  cr_assert_eq(cs_device_buffer_write(b, 0, count * lanes * sizeof *all, all, &error), CS_OK, "%s", error.message);
  free(all);
  return b;
}

/* Coefficients of the first network of the sweep for steps of size H; the caller frees them. Gives the nodes. */
static double *coefficients(const struct harness *harness, const struct cs_layout *l, double H, size_t *nodes) {
  struct cs_error error;
  struct cs_settings settings;
  struct cs_networks *networks;
  size_t index, *places = malloc(l->coefficients.count * sizeof *places);
  double *k = calloc(l->coefficients.count, sizeof *k);
  cr_assert(places != NULL && k != NULL);
  cr_assert_eq(cs_settings_new(harness->sweep, &settings, &error), CS_OK);
  cs_settings_of(harness->sweep, 0, &settings);
  cr_assert_eq(cs_networks_new(l, &networks, &error), CS_OK);
  cr_assert_eq(cs_networks_find(networks, settings.parameters, settings.given, 0, &index, &error), CS_OK);
  cr_assert_eq(networks->status[index], 0);
  cs_networks_places(l, places);
  for (size_t i = CS_K_X0; i < l->coefficients.estimate_at; i++)
    k[i] = networks->numbers[index * networks->packed + places[i - CS_K_X0]];
  k[CS_K_H] = H;
  k[CS_K_NORM] = H * networks->norm[index];
  k[CS_K_CHAIN] = cs_layout_chain(l, networks->chain[index]);
  *nodes = cs_layout_quadrature(l, k[CS_K_NORM], k[CS_K_CHAIN], 1.0, &k[CS_K_PANELS], &k[CS_K_LEVELS],
                                &k[CS_K_FIRST_PANEL], &k[CS_K_NODES]);
  cs_networks_free(networks);
  cs_settings_free(&settings);
  free(places);
  return k;
}

/* The map as assembled on the device, [items]; what is not written stays NaN. */
static double *assemble(struct harness *harness, const struct cs_layout *l, const double *k, size_t items) {
  const struct cs_engine_options options = {0};
  const unsigned lanes = cs_sizing_lanes(cs_device_info(harness->device), &options, l->model);
  struct cs_error error;
  struct cs_programs programs;
  struct cs_kernel *kernel;
  double *data = malloc(items * lanes * sizeof *data);
  cr_assert(data != NULL);
  for (size_t i = 0; i < items; i++)
    data[i] = NAN;
  const struct cs_programs_setup setup = {.device = harness->device, .layout = l, .lanes = lanes, .options = &options};
  const bool part[CS_PARTS] = {[CS_PART_METHOD] = true};
  int code = cs_programs_open(&setup, part, &programs, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  cr_assert_eq(cs_device_kernel_open(programs.part[CS_PART_METHOD], "assemble_map", &kernel, &error), CS_OK);
  struct cs_buffer *coefficient_buffer = buffer(harness, lanes, l->coefficients.count, k),
                   *map = buffer(harness, lanes, items, data);
  const int64_t numbers[] = {(int64_t)items, CS_STEADY, 1, 0, (int64_t)l->dims.coordinates, 0, 1};
  code = cs_device_kernel_set_buffer(kernel, 0, coefficient_buffer, &error);
  if (code == CS_OK) code = cs_device_kernel_set_buffer(kernel, 1, map, &error);
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers && code == CS_OK; i++)
    code = cs_device_kernel_set_long(kernel, 2 + i, numbers[i], &error);
  const size_t global[] = {1, 1}, local[] = {1, 1};
  if (code == CS_OK) code = cs_device_kernel_run(kernel, 2, global, local, NULL, &error);
  if (code == CS_OK) code = cs_device_buffer_read(map, 0, items * lanes * sizeof *data, data, &error);
  cr_assert_eq(code, CS_OK, "%s", error.message);
  for (size_t i = 0; i < items; i++)
    data[i] = data[i * lanes];
  cs_device_buffer_free(map);
  cs_device_buffer_free(coefficient_buffer);
  cs_device_kernel_free(kernel);
  cs_programs_free(&programs);
  return data;
}

/* ---- comparison */

struct maps {
  const struct cs_layout *sparse, *full;
  const double *sparse_map; /* NULL: only the zeros are compared */
  const double *full_map;
  size_t zeros; /* entries found to be structural zeros */
};

/* One row of both maps, whose items start at the given places. */
static void compare_row(struct maps *maps, const struct cs_row *sparse, const struct cs_row *full, size_t sparse_base,
                        size_t full_base, size_t row) {
  const struct cs_layout *l = maps->sparse;
  for (size_t b = 0; b < l->dims.blocks; b++) {
    for (size_t j = 0; j < l->at.block[b + 1] - l->at.block[b]; j++) {
      const double value = maps->full_map[full_base + (size_t)full->entry[b] + j];
      double expected = 0;
      if (sparse->entry[b] >= 0 && maps->sparse_map == NULL) continue;
      if (sparse->entry[b] >= 0) expected = maps->sparse_map[sparse_base + (size_t)sparse->entry[b] + j];
      cr_assert(fabs(value - expected) <= 1e-13 * fabs(expected),
                "row %zu (group %d, signal %zu), block %zu, column %zu: %g, and %g in the layout with zeros", row,
                (int)sparse->group, sparse->signal, b, j, value, expected);
      maps->zeros += sparse->entry[b] < 0;
    }
  }
}

static void compare_maps(struct maps *maps, size_t nodes) {
  const struct cs_layout *s = maps->sparse, *f = maps->full;
  for (size_t i = 0; i < s->map.rows; i++)
    compare_row(maps, &s->map.row[i], &f->map.row[i], 0, 0, i);
  for (size_t node = 0; node < nodes; node++) {
    for (size_t i = 0; i < s->map.inside_rows; i++) {
      compare_row(maps, &s->map.inside[i], &f->map.inside[i], s->map.point_items + node * s->map.inside_items,
                  f->map.point_items + node * f->map.inside_items, i);
    }
  }
}

/* The loaded sweep's method; `both`: assembles both layouts, not only the full one. Returns the number of structural
 * zeros. */
static size_t compare_layouts(struct harness *harness, double H, bool both) {
  struct cs_error error;
  struct cs_settings settings;
  struct cs_layout *sparse, *full;
  size_t nodes;
  cr_assert_eq(cs_settings_new(harness->sweep, &settings, &error), CS_OK);
  cs_settings_of(harness->sweep, 0, &settings);
  cr_assert_eq(cs_layout_new(harness->sweep, &settings.method, CS_SIMULATION, false, false, &sparse, &error), CS_OK);
  cr_assert_eq(cs_layout_new(harness->sweep, &settings.method, CS_SIMULATION, false, false, &full, &error), CS_OK);
  touch_all(full);
  double *k = coefficients(harness, sparse, H, &nodes);
  double *full_map = assemble(harness, full, k, full->map.point_items + nodes * full->map.inside_items),
         *sparse_map = NULL;
  if (both) sparse_map = assemble(harness, sparse, k, sparse->map.point_items + nodes * sparse->map.inside_items);
  struct maps maps = {.sparse = sparse, .full = full, .sparse_map = sparse_map, .full_map = full_map};
  compare_maps(&maps, nodes);
  free(k);
  free(sparse_map);
  free(full_map);
  cs_layout_free(sparse);
  cs_layout_free(full);
  cs_settings_free(&settings);
  return maps.zeros;
}

/* ---- networks and methods */

static const struct {
  const char *hold, *feedthrough;
} couplings[] = {{"taylor", "explicit"},           {"taylor", "solved"},   {"taylor", "refresh"},
                 {"lagrange", "explicit"},         {"lagrange", "solved"}, {"backward_difference", "explicit"},
                 {"backward_difference", "solved"}};

static void load_method(struct harness *harness, const char *hold, const char *feedthrough, int input_order,
                        const char *more) {
  struct cs_text text = {0};
  cs_text_add(&text,
              "{\"format\": \"cosweep-sweep/1\", \"name\": \"layout\", \"model\": \"model.json\", \"t_end\": 1,\n"
              "\"method\": {\"hold\": \"%s\", \"feedthrough\": \"%s\", \"input_order\": %d, \"output_order\": %d,\n"
              "%s\"step\": {\"size\": 0.1}}, \"metrics\": %s}\n",
              hold, feedthrough, input_order, 3 - input_order, more, ENGINE_CASE_METRICS);
  cr_assert(!text.failed);
  harness_load(harness, text.data);
  cs_text_free(&text);
}

/* Orders (1, 2) and (2, 1) in turn. */
static void compare_couplings(struct harness *harness, int first_order, bool both) {
  for (size_t i = 0; i < sizeof couplings / sizeof *couplings; i++) {
    load_method(harness, couplings[i].hold, couplings[i].feedthrough, 1 + (first_order + (int)i) % 2, "");
    const size_t zeros = compare_layouts(harness, 0.1, both);
    cr_expect(zeros > 0, "%s, %s: no zeros", couplings[i].hold, couplings[i].feedthrough);
  }
}

/* In a ring of three every cell touches two others, but not at once in every row. */
Test(layout, ring_has_the_zeros_it_claims) {
  struct harness harness;
  harness_open(&harness);
  engine_case_model(&harness, "models/ring/model.json");
  compare_couplings(&harness, 0, true);
  harness_close(&harness);
}

Test(layout, random_networks_have_the_zeros_they_claim) {
  static const size_t chosen[] = {0, 28};
  struct random_cases cases;
  struct harness harness;
  random_cases_load(&cases);
  harness_open(&harness);
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
    harness_write(&harness, "model.json", cases.model[chosen[i]]);
    compare_couplings(&harness, 1 - (int)i, false);
  }
  harness_close(&harness);
  random_cases_free(&cases);
}

Test(layout, solvers_stay_in_their_subsystem) {
  struct harness harness;
  harness_open(&harness);
  engine_case_model(&harness, "models/ring/model.json");
  load_method(&harness, "taylor", "explicit", 2,
              "\"subsystems\": {\"cell1\": {\"solver\": \"trapezoidal\"}, \"cell2\": {\"solver\": \"euler\"}, "
              "\"cell3\": {\"solver\": \"heun\", \"micro_steps\": 4}}, ");
  cr_expect_gt(compare_layouts(&harness, 0.1, false), 0);
  harness_close(&harness);
}
