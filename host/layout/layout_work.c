/* Predicted work of a variant in multiply-adds, from sizes and numbers of steps only. */
#include <math.h>

#include "facts.h"
#include "layout_private.h"

size_t cs_layout_signals(const struct cs_model *m) {
  return cs_max_size(cs_max_size(m->inputs, m->outputs), cs_max_size(m->monitors, m->subsystems));
}

bool cs_layout_is_large(const struct cs_model *m) {
  return m->states > CS_MOST_SMALL || cs_layout_signals(m) > CS_MOST_SMALL;
}

double cs_layout_step_work(const struct cs_layout *l, size_t nodes) {
  return (double)(l->map.handed_at + nodes * l->map.inside_items) + (double)l->measures.sums + (double)l->measures.tops;
}

double cs_layout_step_operations(const struct cs_layout *l) {
  size_t count = l->dims.exact + l->dims.states;
  for (size_t i = 0; i < l->map.rows; i++) {
    size_t length = 0;
    for (size_t b = 0; b < l->dims.blocks; b++)
      if (l->map.row[i].entry[b] >= 0) length += l->at.block[b + 1] - l->at.block[b];
    if (i < l->dims.coordinates || l->map.row[i].sum >= 0 || l->map.row[i].top >= 0)
      count += length > 0 ? 2 * length - 1 : 0;
    if (l->map.row[i].sum >= 0) count += 2;
    if (l->map.row[i].top >= 0) count += 1;
  }
  return (double)count;
}

double cs_layout_hops(const struct cs_layout *l, double norm, size_t nodes) {
  const double pieces = l->kind.stiff ? log2(fmax(norm, 1.0)) : norm; /* flow/stiff.clh doubles their length */
  return (double)(l->step.segments + nodes) + ceil(pieces);
}

size_t cs_layout_columns(const struct cs_layout *l) {
  return l->kind.stability ? l->dims.coordinates - l->dims.exact + l->dims.handed : l->dims.coordinates;
}

/* Whether every column goes through the nodes inside a step by itself, with its states. */
static bool walks(const struct cs_layout *l) {
  return l->map.wanted[CS_ROWS_STATE_ERROR] || l->map.wanted[CS_ROWS_OUTPUT_DEFECT_TRUE] ||
         l->map.wanted[CS_ROWS_INTEGRATION_DEFECT] || l->kind.inexact || l->kind.adaptive;
}

/* With fast modes it is multiplied there by matrices of the subsystems and of the whole, loaded anew for each column.
 */
static double dense_hop(const struct cs_layout *l) {
  double entries = (double)(l->dims.exact * l->dims.exact);
  for (size_t i = 0; i < l->model->subsystems; i++)
    entries += pow((double)l->model->subsystem[i].states, 2.0);
  return 1e4 + 4.5 * entries;
}

double cs_layout_assembly_work(const struct cs_layout *l, double hops) {
  size_t entries = 0;
  for (int op = 0; op <= CS_OP_L; op++)
    for (size_t i = 0; i < l->pattern[op].rows * l->pattern[op].columns; i++)
      entries += l->pattern[op].set[i];
  const bool local = l->map.wanted[CS_ROWS_LOCAL_ERROR] || l->map.wanted[CS_ROWS_LOCAL_ESTIMATE];
  const double passes =
      (double)(cs_layout_has_rates(l) ? cs_layout_points(l, NULL, NULL) * l->master.stages : cs_layout_stages(l));
  const bool solved = l->method.iterations == CS_CONVERGED || l->method.jacobian == CS_JACOBIAN_EXACT;
  const double columns = (double)cs_layout_columns(l) + (local ? 3.0 * (double)l->dims.exact : 0.0) +
                         (solved ? (double)cs_layout_samples(l) : 0.0);
  if (l->kind.stiff && walks(l) && cs_layout_is_large(l->model)) return columns * passes * hops * dense_hop(l);
  return columns * passes * hops * 14.0 *
         (double)(entries + l->dims.exact + l->dims.states + l->dims.powers * (l->dims.inputs + l->dims.outputs));
}

size_t cs_layout_exact_modes(const struct cs_layout *l) {
  const bool *m = l->sweep->metric;
  return m[CS_SPECTRAL_RADIUS_EXACT] || m[CS_EXCESS_GROWTH_RATE] ? l->dims.states : 0;
}

double cs_layout_spectrum_work(const struct cs_layout *l) {
  const double n = (double)l->dims.modes, x = (double)cs_layout_exact_modes(l), s = (double)l->dims.handed;
  return 15.0 * (n * n * n + x * x * x + s * s * s);
}

static size_t padded(size_t count, size_t tile) {
  return (count + tile - 1) / tile * tile;
}

/* Product of two block lower triangular matrices, with r rows in the first and w in the second block. */
static double triangular_product(double r, double w) {
  return r * r * r + w * r * (r + w) + w * w * w;
}

/* One level: G + P G P^T, P^2, D_1 (P), z z^T and P z. */
static double level_work(double r, double w) {
  const double n = r + w;
  return r * n * r + w * n * n + 0.5 * n * n * (r * r / n + w) + 2.0 * triangular_product(r, w) + 2.5 * n * n;
}

/* Register tile for a block of `count` rows and columns, with little padding and few tiles. A tile of R x C keeps R C
 * accumulators and C operands in registers; there are 32 for vectors of 8, 16 for shorter ones. Columns divide rows, so
 * that the padded block is a whole number of tiles in both directions. */
static void choose_tile(size_t count, unsigned lanes, size_t *rows, size_t *columns) {
  static const size_t tiles[][2] = {{9, 3}, {6, 3}, {5, 5}, {4, 4}, {3, 3}, {8, 2}, {6, 2}, {4, 2}, {2, 2}};
  const size_t registers = lanes == 2 || lanes == 4 ? 16 : 32;
  double least = INFINITY;
  for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++) {
    const size_t r = tiles[i][0], c = tiles[i][1];
    if (r * c + c >= registers) continue;
    const double work = (double)padded(count, r) * (1.0 + 1.0 / (double)(r * c));
    if (work >= least) continue;
    least = work;
    *rows = r;
    *columns = c;
  }
}

struct cs_tiling cs_layout_tiling(const struct cs_layout *l, unsigned lanes) {
  struct cs_tiling t;
  choose_tile(l->dims.exact, lanes, &t.rows_r, &t.columns_r);
  choose_tile(l->dims.kept - l->dims.exact, lanes, &t.rows_w, &t.columns_w);
  t.padded_r = padded(l->dims.exact, t.rows_r);
  t.padded = t.padded_r + padded(l->dims.kept - l->dims.exact, t.rows_w);
  return t;
}

size_t cs_layout_doubling_items(const struct cs_layout *l, unsigned lanes) {
  const size_t n = cs_layout_tiling(l, lanes).padded;
  return CS_DOUBLING_MATRICES * n * n + (l->dims.coordinates - l->dims.kept) * l->dims.states;
}

size_t cs_layout_workspace(const struct cs_layout *l, unsigned lanes) {
  const size_t rows = cs_max_size(l->dims.modes, l->dims.handed);
  if (l->kind.stability) return 8 * rows * ((rows | 1) + 3); /* SPECTRUM_ITEMS of spectrum.clh */
  return 8 * cs_layout_doubling_items(l, lanes);
}

/* f G f^T for one row f, using the lower triangle of G. */
static double row_work(const struct cs_layout *l, const struct cs_row *row) {
  const double columns = (double)l->dims.kept;
  return row->sum < 0 ? 0.0 : 0.5 * columns * (columns + 3.0);
}

struct cs_team cs_layout_team(const struct cs_layout *l) {
  struct cs_team team = {.z = CS_DOUBLING_MATRICES * l->dims.kept * l->dims.kept};
  team.next = team.z + l->dims.kept;
  team.again = team.next + l->dims.kept;
  team.items = team.again + 1;
  return team;
}

size_t cs_layout_team_bytes(const struct cs_layout *l) {
  const size_t bytes = sizeof(double) * cs_layout_team(l).items;
  return l->kind.doubles && bytes <= 32768 ? bytes : 0;
}

static const struct cs_row *row_of(const struct cs_layout *l, size_t i) {
  return i < l->map.rows ? &l->map.row[i] : &l->map.inside[i - l->map.rows];
}

bool cs_layout_is_measured(const struct cs_layout *l, size_t i) {
  return i < l->dims.coordinates || row_of(l, i)->sum >= 0 || row_of(l, i)->top >= 0;
}

bool cs_layout_begins_unit(const struct cs_layout *l, size_t i) {
  if (i <= l->dims.coordinates) return true;
  const struct cs_row *row = row_of(l, i), *before = row_of(l, i - 1);
  return row->sum != before->sum || row->top != before->top;
}

struct cs_step_team cs_layout_step_team(const struct cs_layout *l) {
  enum { LEAST = 32, MOST = 128 };
  size_t rows[MOST] = {0}, units = 0, unit = 0;
  struct cs_step_team team = {LEAST, 1};
  const size_t all = l->map.rows + l->map.inside_rows;
  if (l->kind.varies || l->kind.stability || l->kind.lean) return (struct cs_step_team){0, 0};
  for (size_t i = 0; i < all; i++)
    units += cs_layout_is_measured(l, i) && cs_layout_begins_unit(l, i);
  while (team.items < units && team.items < MOST)
    team.items *= 2;
  for (size_t i = 0; i < all; i++) {
    if (!cs_layout_is_measured(l, i)) continue;
    const size_t item = ((unit += cs_layout_begins_unit(l, i)) - 1) % team.items;
    if (++rows[item] > team.slots) team.slots = rows[item];
  }
  return team;
}

size_t cs_layout_first_coefficient(const struct cs_layout *l, enum cs_operator op) {
  const size_t fixed = CS_K_X0 + l->dims.states;
  for (size_t i = 0; i + fixed < l->coefficients.estimate_at; i++)
    if (l->coefficients.list[i].from == op) return fixed + i;
  return l->coefficients.estimate_at;
}

size_t cs_layout_coefficient(const struct cs_layout *l, enum cs_operator op, size_t row, size_t column) {
  const size_t fixed = CS_K_X0 + l->dims.states;
  size_t at = cs_layout_first_coefficient(l, op);
  while (l->coefficients.list[at - fixed].row != row || l->coefficients.list[at - fixed].column != column)
    at++;
  return at;
}

bool cs_layout_unrolled(const struct cs_layout *l) {
  enum { MOST_ITEMS = 1000 };
  return l->map.handed_at + l->map.inside_items <= MOST_ITEMS;
}

double cs_layout_double_weight(const struct cs_layout *l) {
  if (cs_layout_is_large(l->model)) return l->measures.sums > 0 ? 0.8 : 0.3;
  return cs_layout_unrolled(l) ? 1.5 : 0.7;
}

double cs_layout_double_work(const struct cs_layout *l, double steps, size_t nodes) {
  const double r = (double)l->dims.exact, w = (double)(l->dims.kept - l->dims.exact);
  const double levels = steps > 1.0 ? floor(log2(steps)) + 1.0 : 1.0;
  double work = levels * level_work(r, w) + 4.0 * (r + w) * (r + w);
  for (size_t i = l->dims.coordinates; i < l->map.rows; i++)
    work += row_work(l, &l->map.row[i]);
  for (size_t i = 0; i < l->map.inside_rows; i++)
    work += (double)nodes * row_work(l, &l->map.inside[i]);
  return work;
}

bool cs_layout_doubles(const struct cs_layout *l, double steps, size_t nodes) {
  if (!l->kind.doubles) return false;
  if (l->method.engine == CS_DOUBLE) return true;
  return (steps - (double)l->step.ramp) * cs_layout_step_work(l, nodes) >
         cs_layout_double_weight(l) * cs_layout_double_work(l, steps, nodes);
}
