#include "emit_model.h"

static const char *name_of(const struct cs_layout *l, enum cs_operator op, size_t row) {
  switch (op) {
    case CS_OP_M:
      return row < l->dims.states ? l->model->state[row].name : "1";
    case CS_OP_A:
    case CS_OP_B:
    case CS_OP_E:
      return l->model->state[row].name;
    case CS_OP_L:
    case CS_OP_BIAS:
      return l->model->input[row].name;
    case CS_OP_MX:
    case CS_OP_MU:
    case CS_OP_MY:
    case CS_OP_MC:
      return l->model->monitor[row].name;
    default:
      return l->model->output[row].name;
  }
}

/* y[row] = or += sum of coefficient * x[column] over the row's entries; prints nothing for += with an empty row. */
static void print_row(const struct cs_layout *l, struct cs_text *t, enum cs_operator op, size_t row, size_t *place,
                      const char *x, const char *y, bool add) {
  const struct cs_pattern *p = &l->pattern[op];
  bool any = false;
  for (size_t j = 0; j < p->columns; j++)
    any = any || p->set[row * p->columns + j];
  if (!any) {
    if (!add) cs_text_add(t, "  %s[%zu] = (V)0.0; /* %s */\n", y, row, name_of(l, op, row));
    return;
  }
  bool first = true;
  for (size_t j = 0; j < p->columns; j++) {
    if (!p->set[row * p->columns + j]) continue;
    if (first && !add)
      cs_text_add(t, "  %s[%zu] = k[%zu] * %s[%zu]; /* %s */\n", y, row, *place, x, j, name_of(l, op, row));
    else
      cs_text_add(t, "  %s[%zu] = FMA(k[%zu], %s[%zu], %s[%zu]);%s%s%s\n", y, row, *place, x, j, y, row,
                  first ? " /* " : "", first ? name_of(l, op, row) : "", first ? " */" : "");
    first = false;
    ++*place;
  }
}

/* Part 0 of L contains the outputs whose new values the input does not receive yet, part 1 the others. */
static void print_part(const struct cs_layout *l, struct cs_text *t, size_t part) {
  const struct cs_pattern *p = &l->pattern[CS_OP_L];
  size_t place = cs_layout_first_coefficient(l, CS_OP_L);
  cs_text_add(t, "static void mul_L_%zu(const V *k, const V *x, V *y) {\n", part);
  for (size_t i = 0; i < p->rows; i++) {
    cs_text_add(t, "  y[%zu] = (V)0.0; /* %s */\n", i, name_of(l, CS_OP_L, i));
    for (size_t j = 0; j < p->columns; j++) {
      if (!p->set[i * p->columns + j]) continue;
      if (cs_layout_part(l, i, j) == part) cs_text_add(t, "  y[%zu] = FMA(k[%zu], x[%zu], y[%zu]);\n", i, place, j, i);
      place++;
    }
  }
  cs_text_add(t, "}\n");
}

static void print_parts(const struct cs_layout *l, struct cs_text *t) {
  const size_t parts = l->master.parts;
  for (size_t part = 0; parts > 1 && part < parts; part++)
    print_part(l, t, part);
  cs_text_add(t, "static void mul_L_part(const V *k, int part, const V *x, V *y) {\n");
  if (parts == 1) cs_text_add(t, "  mul_L(k, x, y);\n");
  for (size_t part = 0; parts > 1 && part < parts; part++)
    cs_text_add(t, "  if (part == %zu) mul_L_%zu(k, x, y);\n", part, part);
  cs_text_add(t, "}\n");
}

static void print_operator(const struct cs_layout *l, struct cs_text *t, const char *name, enum cs_operator op,
                           bool add) {
  size_t place = cs_layout_first_coefficient(l, op);
  cs_text_add(t, "static void %s(const V *k, const V *x, V *y) {\n", name);
  for (size_t i = 0; i < l->pattern[op].rows; i++)
    print_row(l, t, op, i, &place, "x", "y", add);
  cs_text_add(t, "}\n");
}

/* b and e act on the constant component of r. */
static void print_affine(const struct cs_layout *l, struct cs_text *t, const char *name, enum cs_operator op) {
  size_t place = cs_layout_first_coefficient(l, op);
  cs_text_add(t, "static void %s(const V *k, const V *r, V *y) {\n", name);
  for (size_t i = 0; i < l->pattern[op].rows; i++)
    if (l->pattern[op].set[i])
      cs_text_add(t, "  y[%zu] = FMA(k[%zu], constant_of(k, r), y[%zu]); /* %s */\n", i, place++, i, name_of(l, op, i));
  cs_text_add(t, "}\n");
}

/* Input by input, in place: u = sum L (C x + D u); derivatives that are not sent are 0, an error of -U_j. See
 * exchange_refresh.clh. */
static void print_refresh(const struct cs_layout *l, struct cs_text *t) {
  size_t gain = cs_layout_first_coefficient(l, CS_OP_L);
  const struct cs_pattern *d = &l->pattern[CS_OP_D];
  cs_text_add(t,
              "static void refresh_inputs(const V *k, int j, const V *cx, const V *exact, V *u) {\n"
              "  V y, sum, absent;\n");
  for (size_t i = 0; i < l->dims.inputs; i++) {
    cs_text_add(t, "  sum = absent = (V)0.0; /* %s */\n", l->model->input[i].name);
    for (size_t o = 0; o < l->dims.outputs; o++) {
      if (!l->pattern[CS_OP_L].set[i * l->dims.outputs + o]) continue;
      size_t place = cs_layout_first_coefficient(l, CS_OP_D);
      cs_text_add(t, "  y = cx[%zu]; /* %s */\n", o, l->model->output[o].name);
      for (size_t e = 0; e < d->rows * d->columns; e++) {
        if (!d->set[e]) continue;
        if (e / d->columns == o) cs_text_add(t, "  y = FMA(k[%zu], u[%zu], y);\n", place, e % d->columns);
        place++;
      }
      cs_text_add(t, "  sum = FMA(k[%zu], j <= OUTPUT_ORDER[%zu] ? y : -exact[%zu], sum);\n", gain, o, o);
      cs_text_add(t, "  absent = FMA(k[%zu], -exact[%zu], absent);\n", gain++, o);
    }
    cs_text_add(t, "  u[%zu] = j <= INPUT_ORDER[%zu] ? sum : absent;\n", i, i);
  }
  cs_text_add(t, "}\n");
}

/* m = MX x~ + MU u~ + MY y~ at T_k, from the exact r and the errors x, c, y. */
static void print_monitors(const struct cs_layout *l, struct cs_text *t) {
  size_t mx = cs_layout_first_coefficient(l, CS_OP_MX), mu = cs_layout_first_coefficient(l, CS_OP_MU),
         my = cs_layout_first_coefficient(l, CS_OP_MY);
  size_t mc = cs_layout_first_coefficient(l, CS_OP_MC);
  cs_text_add(t,
              "static void monitors(const V *k, const V *r, const V *x, const V *c, const V *y, V *m) {\n"
              "  V xs[NX], ys[NY1], us[NU1];\n"
              "  STATES(k, r, exact);\n  for (int a = 0; a < NX; a++) xs[a] = exact[a] + x[a];\n"
              "  own_states(k, xs);\n"
              "  mul_Y(k, r, ys);\n  mul_L(k, ys, us);\n  add_bias(k, r, us);\n"
              "  for (int l = 0; l < NY; l++) ys[l] += y[l];\n"
              "  for (int q = 0; q < NU; q++) us[q] += c[q];\n");
  for (size_t i = 0; i < l->dims.monitors; i++) {
    if (l->kind.affine)
      cs_text_add(t, "  m[%zu] = k[%zu] * constant_of(k, r);\n", i, mc++);
    else
      cs_text_add(t, "  m[%zu] = (V)0.0;\n", i);
    print_row(l, t, CS_OP_MX, i, &mx, "xs", "m", true);
    print_row(l, t, CS_OP_MU, i, &mu, "us", "m", true);
    print_row(l, t, CS_OP_MY, i, &my, "ys", "m", true);
  }
  cs_text_add(t, "}\n");
}

void cs_emit_model(const struct cs_layout *l, struct cs_text *t) {
  cs_text_add(t, "/* x' = A x + B u + e, y = C x + D u + f, u = L y + b; exact solution r' = M r, y = Y r */\n");
  if (!l->kind.stiff) { /* modes.clh has those of stiff networks */
    print_operator(l, t, "mul_M", CS_OP_M, false);
    print_operator(l, t, "mul_Y", CS_OP_Y, false);
    print_operator(l, t, "mul_A", CS_OP_A, false);
    print_operator(l, t, "add_B", CS_OP_B, true);
    print_operator(l, t, "mul_C", CS_OP_C, false);
    print_affine(l, t, "add_E", CS_OP_E);
  }
  if (l->kind.eventful) print_affine(l, t, "add_F", CS_OP_F);
  print_operator(l, t, "add_D", CS_OP_D, true);
  print_operator(l, t, "mul_L", CS_OP_L, false);
  print_parts(l, t);
  print_affine(l, t, "add_bias", CS_OP_BIAS);
  if (l->method.feedthrough == CS_SOLVED) print_operator(l, t, "mul_S", CS_OP_S, false);
  if (l->method.feedthrough == CS_REFRESH) print_refresh(l, t);
  print_monitors(l, t);
}
