/* Tiles of a plan: how many runs of an order a device computes at once, within its memory. */
#include <math.h>
#include <stdlib.h>

#include "list.h"
#include "plan.h"

enum { TILE_RUNS = 8192 };

/* Nodes for which a group of lanes of one variant needs room: largest panel count times largest node count, see
 * inside.clh; 0 where nothing is measured there. */
static size_t room_for(const struct cs_plan *plan, const size_t *order, size_t count, unsigned lanes) {
  const struct cs_layout *l = plan->variant[plan->run[order[0]].variant];
  size_t room = 0;
  for (size_t i = 0; i < count && l->map.inside_items > 0; i += lanes) {
    double panels = 0.0, nodes = 0.0;
    for (size_t j = i; j < i + lanes && j < count; j++) {
      double p, levels, first, n;
      const struct cs_run *run = &plan->run[order[j]];
      cs_layout_quadrature(l, run->norm, run->chain, run->octave, &p, &levels, &first, &n);
      panels = fmax(panels, p + levels);
      nodes = fmax(nodes, n);
    }
    const size_t group = l->step.pieces * (size_t)(panels * nodes);
    if (group > room) room = group;
  }
  return room;
}

/* Bytes per lane of a tile. */
static size_t lane_bytes(const struct cs_plan_options *options, const struct cs_layout *l, size_t nodes) {
  const size_t in = l->kind.varies ? cs_layout_lane_numbers(l) : l->coefficients.count, out = l->state.items;
  const size_t staged = !options->staged ? 0 : in > out ? in : out;
  if (l->kind.varies) return 8 * (in + out + CS_MARKS + staged) + 4;
  return 8 * (in + out + staged + l->map.point_items + nodes * l->map.inside_items);
}

static int add_tile(struct cs_plan *plan, const struct cs_tile *tile, struct cs_error *error) {
  if (!cs_list_grow(&plan->tile, plan->tiles, sizeof *plan->tile)) return cs_error_memory(error);
  plan->tile[plan->tiles++] = *tile;
  return CS_OK;
}

size_t cs_plan_tile_bytes(const struct cs_plan_options *options, const struct cs_layout *l, size_t count,
                          size_t nodes) {
  const size_t lanes = options->lanes;
  return (count + lanes - 1) / lanes * lanes * lane_bytes(options, l, nodes);
}

size_t cs_plan_matrix_bytes(size_t memory, const struct cs_layout *l, size_t group, unsigned lanes) {
  const size_t least = group * lanes * cs_layout_workspace(l, lanes);
  return memory / 4 > least ? memory / 4 : least;
}

/* What matrices leave to a tile; 0 if they leave nothing. */
static size_t tile_memory(const struct cs_plan_options *options, const struct cs_layout *l, bool doubled) {
  if (!doubled && !l->kind.stability) return options->memory;
  const size_t group = options->group > 0 ? options->group : 1;
  const size_t matrices = cs_plan_matrix_bytes(options->memory, l, group, options->lanes);
  return matrices < options->memory ? options->memory - matrices : 0;
}

/* In megabytes, rounded up, of all workers. */
static size_t shared_megabytes(const struct cs_plan_options *options, size_t bytes) {
  return (bytes * (options->workers > 0 ? options->workers : 1) + 999999) / 1000000;
}

static int fail_memory(const struct cs_plan_options *options, const struct cs_layout *l, size_t vector, bool doubled,
                       struct cs_error *error) {
  const bool matrices = doubled || l->kind.stability;
  const size_t group = options->group > 0 ? options->group : 1;
  const size_t least = matrices ? group * options->lanes * cs_layout_workspace(l, options->lanes) : 0;
  /* where matrices take a quarter, the rest is to hold the vector */
  const size_t need = !matrices ? vector : vector > 3 * least ? (4 * vector + 2) / 3 : vector + least;
  return cs_error_set(
      error, CS_DEVICE,
      "one vector of %u runs%s needs %zu MB of memory; %zu MB may be used; want a larger --memory or fewer metrics",
      options->lanes, matrices ? " and its matrices" : "", shared_megabytes(options, need),
      options->memory * (options->workers > 0 ? options->workers : 1) / 1000000);
}

/* Predicted work of runs whose steps are taken one by one; 0 for others. */
static double stepping_work(const struct cs_plan *plan, const size_t *order, size_t count) {
  double work = 0.0;
  for (size_t i = 0; i < count; i++) {
    const struct cs_run *run = &plan->run[order[i]];
    if (!run->doubled) work += run->steps * cs_layout_step_work(plan->variant[run->variant], run->nodes);
  }
  return work;
}

int cs_plan_cut(struct cs_plan *plan, const size_t *order, size_t ordered, struct cs_error *error) {
  const struct cs_plan_options *options = &plan->options;
  for (size_t first = 0; first < ordered;) {
    const uint32_t variant = plan->run[order[first]].variant;
    const bool doubled = plan->run[order[first]].doubled;
    const struct cs_layout *l = plan->variant[variant];
    size_t count = options->tile_runs > 0 ? options->tile_runs : TILE_RUNS;
    for (size_t i = 0; i < count; i++)
      if (first + i == ordered || plan->run[order[first + i]].variant != variant ||
          plan->run[order[first + i]].doubled != doubled)
        count = i;
    while (options->tile_work > 0.0 && count > options->tile_least &&
           stepping_work(plan, order + first, count) > options->tile_work)
      count = (count + 1) / 2;
    const size_t memory = tile_memory(options, l, doubled);
    size_t room = room_for(plan, order + first, count, options->lanes);
    while (count > options->lanes && cs_plan_tile_bytes(options, l, count, room) > memory) {
      count = (count + 1) / 2;
      room = room_for(plan, order + first, count, options->lanes);
    }
    const size_t bytes = cs_plan_tile_bytes(options, l, count, room);
    if (bytes > memory) return fail_memory(options, l, bytes, doubled, error);
    struct cs_tile tile = {.run = order + first, .count = count, .variant = variant, .nodes = room, .doubled = doubled};
    for (size_t i = first; i < first + count; i++) {
      const struct cs_run *run = &plan->run[order[i]];
      tile.steps += run->steps;
    }
    if (!l->kind.varies) plan->steps += tile.steps; /* variable steps are counted when they are done */
    const int code = add_tile(plan, &tile, error);
    if (code != CS_OK) return code;
    first += count;
  }
  return CS_OK;
}

int cs_plan_drop(struct cs_plan *plan, const bool *done, struct cs_error *error) {
  const double steps = plan->steps; /* of all runs */
  const size_t *from = plan->again != NULL ? plan->again : plan->order;
  const size_t count = plan->again != NULL ? plan->repeats : plan->ordered;
  size_t left = 0;
  free(plan->left);
  plan->left = malloc((count + 1) * sizeof *plan->left);
  if (plan->left == NULL) return cs_error_memory(error);
  for (size_t i = 0; i < count; i++)
    if (!done[from[i]]) plan->left[left++] = from[i];
  plan->dropped = count - left;
  plan->tiles = plan->done;
  const int code = cs_plan_cut(plan, plan->left, left, error);
  plan->steps = steps;
  return code;
}
