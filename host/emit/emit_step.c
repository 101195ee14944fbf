#include "emit_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *group_name(enum cs_rows group) {
  static const char *const names[CS_ROWS_GROUPS] = {
      [CS_ROWS_MAP] = "map",
      [CS_ROWS_OUTPUT_DEFECT] = "output defect",
      [CS_ROWS_CONNECTION_DEFECT] = "connection defect",
      [CS_ROWS_OUTPUT_POINT] = "output error at T_k",
      [CS_ROWS_INPUT_POINT] = "input error at T_k",
      [CS_ROWS_STATE_POINT] = "state error at T_k",
      [CS_ROWS_MONITOR] = "monitor",
      [CS_ROWS_LOCAL_ERROR] = "local error",
      [CS_ROWS_LOCAL_ESTIMATE] = "estimated local error",
      [CS_ROWS_OUTPUT_ERROR] = "output error",
      [CS_ROWS_INPUT_ERROR] = "input error",
      [CS_ROWS_STATE_ERROR] = "state error",
      [CS_ROWS_OUTPUT_DEFECT_TRUE] = "true output defect",
      [CS_ROWS_INTEGRATION_DEFECT] = "integration defect",
  };
  return names[group];
}

static const char *signal_name(const struct cs_layout *l, const struct cs_row *row) {
  switch (row->group) {
    case CS_ROWS_CONNECTION_DEFECT:
    case CS_ROWS_INPUT_POINT:
    case CS_ROWS_INPUT_ERROR:
      return l->model->input[row->signal].name;
    case CS_ROWS_STATE_POINT:
    case CS_ROWS_STATE_ERROR:
    case CS_ROWS_INTEGRATION_DEFECT:
      return l->model->state[row->signal].name;
    case CS_ROWS_MONITOR:
      return l->model->monitor[row->signal].name;
    default:
      return l->model->output[row->signal].name;
  }
}

/* e = sum over the row's entries of AT(p, base + place) * z[column]; the part of the exact solution comes first, as it
 * does not depend on the rest of the previous step. */
static void print_dot(const struct cs_layout *l, struct cs_text *t, const struct cs_row *row, const char *base) {
  bool first = true;
  for (size_t b = 0; b < l->dims.blocks; b++) {
    if (row->entry[b] < 0) continue;
    for (size_t j = l->at.block[b]; j < l->at.block[b + 1]; j++) {
      const size_t place = (size_t)row->entry[b] + j - l->at.block[b];
      if (first)
        cs_text_add(t, "  e = AT(p, %s%zu) * z[%zu];\n", base, place, j);
      else
        cs_text_add(t, "  e = FMA(AT(p, %s%zu), z[%zu], e);\n", base, place, j);
      first = false;
    }
  }
  if (first) cs_text_add(t, "  e = (V)0.0;\n");
}

/* Rows of r and the states are increments (Psi - I), those of memories new values. */
static bool is_increment(const struct cs_layout *l, size_t i) {
  if (i < l->dims.exact) return true;
  for (size_t a = 0; a < l->dims.states; a++)
    if (l->at.state[a] == i) return true;
  return false;
}

static void print_advance(const struct cs_layout *l, struct cs_text *t) {
  cs_text_add(t, "INLINE void advance(__global const double *p, const size_t stride, const V *z, V *next) {\n  V e;\n");
  for (size_t i = 0; i < l->dims.coordinates; i++) {
    print_dot(l, t, &l->map.row[i], "");
    if (is_increment(l, i))
      cs_text_add(t, "  next[%zu] = z[%zu] + e;\n", i, i);
    else
      cs_text_add(t, "  next[%zu] = e;\n", i);
  }
  cs_text_add(t, "}\n");
}

static void print_measured(const struct cs_layout *l, struct cs_text *t, const struct cs_row *row, const char *base) {
  cs_text_add(t, "  /* %s of %s */\n", group_name(row->group), signal_name(l, row));
  print_dot(l, t, row, base);
  if (row->sum >= 0) cs_text_add(t, "  sum[%d] = FMA(e * w, e, sum[%d]);\n", row->sum, row->sum);
  if (row->top >= 0) cs_text_add(t, "  top[%d] = fmax(top[%d], fabs(e) * w);\n", row->top, row->top);
}

/* Rows inside the step: straight-line code for the few nodes of short steps, a loop for the others. */
static void print_inside(const struct cs_layout *l, struct cs_text *t) {
  char base[64];
  if (!l->kind.inexact && l->step.few * l->map.inside_items <= CS_FEW_ITEMS) {
    cs_text_add(t, "  if (nodes == NODES_FEW) {\n");
    for (size_t node = 0; node < l->step.few; node++)
      for (size_t i = 0; i < l->map.inside_rows; i++) {
        snprintf(base, sizeof base, "%zu + ", l->map.point_items + node * l->map.inside_items);
        print_measured(l, t, &l->map.inside[i], base);
      }
    cs_text_add(t, "  } else {\n");
  } else {
    cs_text_add(t, "  {\n");
  }
  cs_text_add(t, "  for (int node = 0; node < nodes; node++) {\n  const int at = POINT_ITEMS + node * INSIDE_ITEMS;\n");
  for (size_t i = 0; i < l->map.inside_rows; i++)
    print_measured(l, t, &l->map.inside[i], "at + ");
  cs_text_add(t, "  }\n  }\n");
}

static void print_measure(const struct cs_layout *l, struct cs_text *t) {
  cs_text_add(t,
              "\n/* adds the squares of the measures (weight w: 1 or 0) and updates the maxima */\n"
              "INLINE void measure(__global const double *p, const size_t stride, const int nodes, const V *z, V *sum, "
              "V *top, V w) {\n  V e;\n");
  for (size_t i = l->dims.coordinates; i < l->map.rows; i++)
    if (l->map.row[i].sum >= 0 || l->map.row[i].top >= 0) print_measured(l, t, &l->map.row[i], "");
  if (l->map.inside_rows > 0) print_inside(l, t);
  cs_text_add(t, "}\n");
}

static void print_finals(const struct cs_layout *l, struct cs_text *t) {
  cs_text_add(t,
              "\nINLINE void final_values(__global const double *p, const size_t stride, const V *z, const V *next, "
              "V *value) {\n  V e;\n");
  for (size_t i = l->dims.coordinates; i < l->map.rows; i++) {
    if (l->map.row[i].final < 0) continue;
    print_dot(l, t, &l->map.row[i], "");
    cs_text_add(t, "  value[%d] = e;\n", l->map.row[i].final);
  }
  const long states = l->measures.states;
  for (size_t a = 0; states >= 0 && a < l->dims.states; a++)
    cs_text_add(t, "  value[%zu] = next[%zu]; /* %s */\n", (size_t)states + a, l->at.state[a], l->model->state[a].name);
  cs_text_add(t, "}\n");
}

enum which { SUM, TOP, FINAL };

static void accumulators(struct cs_define *t, const char *name, size_t count, const struct cs_row *row,
                         enum which which) {
  struct cs_define_list list = {0};
  for (size_t i = 0; i < count; i++)
    cs_define_add(&list, which == SUM ? row[i].sum : which == TOP ? row[i].top : row[i].final);
  cs_define_list(t, name, &list, -1);
}

void cs_emit_step_rows(const struct cs_layout *l, struct cs_define *t) {
  const size_t points = l->map.rows - l->dims.coordinates;
  const struct cs_row *row = l->map.row + l->dims.coordinates;
  struct cs_define_list increment = {0};
  accumulators(t, "POINT_SUM", points, row, SUM);
  accumulators(t, "POINT_TOP", points, row, TOP);
  accumulators(t, "POINT_FINAL", points, row, FINAL);
  accumulators(t, "INSIDE_SUM", l->map.inside_rows, l->map.inside, SUM);
  for (size_t i = 0; i < l->dims.coordinates; i++)
    cs_define_add(&increment, is_increment(l, i));
  cs_define_list(t, "IS_INCREMENT", &increment, 0);
}

/* Number of consecutive rows from `number` on, at most 4, that have the same columns and are contiguous in memory, all
 * of them increments or none. Of 5 rows the first 3. */
static size_t bundle(const struct cs_layout *l, const struct cs_row *row, size_t number, size_t end) {
  const bool in_map = row == l->map.row;
  size_t i = number + 1;
  while (i < end && i < number + 6 && memcmp(row[i].block, row[number].block, l->dims.blocks) == 0 &&
         (!in_map || is_increment(l, i) == is_increment(l, number)))
    i++;
  const size_t same = i - number;
  return same == 5 ? 3 : same < 4 ? same : 4;
}

/* Tables of rolled.clh. */
enum { RUN_ROW, RUN_ROWS, RUN_LENGTH, RUN_PLACE, RUN_SEGMENT, SEGMENT_FIRST, SEGMENT_END, TABLES };

static void add_bundle(const struct cs_layout *l, const struct cs_row *row, size_t number, size_t rows,
                       struct cs_define_list *to) {
  size_t length = 0;
  long place = -1;
  cs_define_add(&to[RUN_SEGMENT], (long)to[SEGMENT_END].count);
  for (size_t b = 0; b < l->dims.blocks; b++) {
    if (row->entry[b] < 0) continue;
    if (place < 0) place = row->entry[b];
    const size_t first = b;
    while (first > 0 && b + 1 < l->dims.blocks && row->entry[b + 1] >= 0) /* neighbours are one, but for r */
      b++;
    cs_define_add(&to[SEGMENT_FIRST], (long)l->at.block[first]);
    cs_define_add(&to[SEGMENT_END], (long)l->at.block[b + 1]);
    length += l->at.block[b + 1] - l->at.block[first];
  }
  cs_define_add(&to[RUN_ROW], (long)number);
  cs_define_add(&to[RUN_ROWS], (long)rows);
  cs_define_add(&to[RUN_LENGTH], (long)length);
  cs_define_add(&to[RUN_PLACE], place < 0 ? 0 : place);
}

/* Those of the rows from one to another; `name`: how many there are then. */
static void add_bundles(const struct cs_layout *l, const struct cs_row *row, size_t from, size_t to, const char *name,
                        struct cs_define_list *bundles, struct cs_define *t) {
  for (size_t i = from, rows; i < to; i += rows) {
    rows = bundle(l, row, i, to);
    add_bundle(l, &row[i], i, rows, bundles);
  }
  cs_define_size(t, name, bundles[RUN_ROW].count);
}

static void bundles(const struct cs_layout *l, struct cs_define *t) {
  static const char *const name[TABLES] = {"RUN_ROW",     "RUN_ROWS",      "RUN_LENGTH", "RUN_PLACE",
                                           "RUN_SEGMENT", "SEGMENT_FIRST", "SEGMENT_END"};
  struct cs_define_list list[TABLES] = {0};
  add_bundles(l, l->map.row, 0, l->dims.exact, "EXACT_RUNS", list, t);
  add_bundles(l, l->map.row, l->dims.exact, l->dims.coordinates, "MAP_RUNS", list, t);
  add_bundles(l, l->map.row, l->dims.coordinates, l->map.rows, "POINT_RUNS", list, t);
  add_bundles(l, l->map.inside, 0, l->map.inside_rows, "ALL_RUNS", list, t);
  cs_define_add(&list[RUN_SEGMENT], (long)list[SEGMENT_END].count);
  cs_define_lists(t, name, list, TABLES);
}

/* EACH_...(F): F(0) F(1) ... written out to keep arrays in registers; a loop for large models. */
static void print_each(struct cs_text *t, const char *name, size_t count, bool unrolled) {
  cs_text_add(t, "#define %s(F)", name);
  if (!unrolled) cs_text_add(t, " for (int each = 0; each < %zu; each++) { F(each) }", count);
  for (size_t i = 0; unrolled && i < count; i++)
    cs_text_add(t, " F(%zu)", i);
  cs_text_add(t, "\n");
}

/* The units of a team, a row of the map or the rows of one sum, go to its items in turn. */
void cs_emit_step_team(const struct cs_layout *l, struct cs_define *t) {
  const size_t items = cs_layout_step_team(l).items, slots = cs_layout_step_team(l).slots;
  size_t *slot = malloc(items * slots * sizeof *slot), *used = calloc(items, sizeof *used), unit = 0;
  t->failed |= slot == NULL || used == NULL;
  cs_emit_step_rows(l, t);
  for (size_t i = 0; !t->failed && i < items * slots; i++)
    slot[i] = (size_t)-1;
  for (size_t i = 0; !t->failed && i < l->map.rows + l->map.inside_rows; i++) {
    if (!cs_layout_is_measured(l, i)) continue;
    const size_t item = ((unit += cs_layout_begins_unit(l, i)) - 1) % items;
    slot[item * slots + used[item]++] = i;
  }
  cs_define_count(t, "STEP_TEAM", items);
  cs_define_count(t, "TEAM_SLOTS", slots);
  if (!t->failed) cs_define_integers(t, "TEAM_ROW", items * slots, slot);
  free(slot);
  free(used);
}

void cs_emit_step_tables(const struct cs_layout *l, struct cs_define *t) {
  cs_emit_step_rows(l, t);
  bundles(l, t);
}

void cs_emit_step(const struct cs_layout *l, struct cs_text *t) {
  const bool unrolled = cs_layout_unrolled(l);
  cs_text_add(t, "#define STEP_OPERATIONS %.0f /* floating-point operations of a step without nodes inside it */\n",
              cs_layout_step_operations(l));
  print_each(t, "EACH_Z", l->dims.coordinates, unrolled);
  print_each(t, "EACH_SUM", l->measures.sums, unrolled);
  print_each(t, "EACH_TOP", l->measures.tops, unrolled);
  print_each(t, "EACH_FINAL", l->measures.finals, unrolled);
  struct cs_define to = {.text = t};
  if (!unrolled || l->kind.doubles) cs_emit_step_rows(l, &to);
  if (!unrolled) bundles(l, &to);
  t->failed |= to.failed;
  if (!unrolled) return;
  cs_text_add(t, "/* z of the next step: Psi - I for the exact solution and the states, Psi for the memories */\n");
  print_advance(l, t);
  print_measure(l, t);
  print_finals(l, t);
}
