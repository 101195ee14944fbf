#include "native.h"

#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "sets.h" /* CS_NATIVE_SETS: best first; CS_NATIVE_SMALL (CMakeLists.txt) */
#include "variant.h"

struct cs_native {
  struct cs_native_variant variant;
  const struct cs_native_entry *entry; /* its kernels, for this machine */
  bool large, stiff, varies;
  bool failed; /* no memory for a table */
};

/* ---- instruction sets -------------------------------------------------------------------------------------------- */

#define SET(set, here)                                                                                    \
  extern const struct cs_native_entry cs_native_##set##_plain[], cs_native_##set##_stiff[],               \
      cs_native_##set##_varied[], cs_native_##set##_varied_stiff[], cs_native_##set##_spectrum[],         \
      cs_native_##set##_large_plain[], cs_native_##set##_large_stiff[], cs_native_##set##_large_varied[], \
      cs_native_##set##_large_varied_stiff[], cs_native_##set##_large_spectrum[];                         \
  extern const unsigned cs_native_##set##_lanes;
CS_NATIVE_SETS(SET)
#undef SET
#define SMALL(set, states, powers) extern const struct cs_native_entry cs_native_##set##_varied_##states##_##powers[];
CS_NATIVE_SMALL(SMALL)
#undef SMALL

static const struct set {
  const char *name;
  const struct cs_native_entry *of[2][2][2], *spectrum[2]; /* of[large][varies][stiff] */
  const unsigned *lanes;
} sets[] = {
#define SET(set, here)                                                                                                \
  {#set,                                                                                                              \
   {{{cs_native_##set##_plain, cs_native_##set##_stiff}, {cs_native_##set##_varied, cs_native_##set##_varied_stiff}}, \
    {{cs_native_##set##_large_plain, cs_native_##set##_large_stiff},                                                  \
     {cs_native_##set##_large_varied, cs_native_##set##_large_varied_stiff}}},                                        \
   {cs_native_##set##_spectrum, cs_native_##set##_large_spectrum},                                                    \
   &cs_native_##set##_lanes},
    CS_NATIVE_SETS(SET)
#undef SET
};

static bool runs_here(const char *name) {
#define SET(set, here) \
  if (strcmp(name, #set) == 0) return here;
  CS_NATIVE_SETS(SET)
#undef SET
  return false;
}

/* The first that this machine has; the last one runs anywhere. */
static const struct set *own_set(void) {
  const struct set *set = sets;
  while (!runs_here(set->name))
    set++;
  return set;
}

const char *cs_native_set(void) {
  return own_set()->name;
}

unsigned cs_native_lanes(const struct cs_model *model) {
  return cs_layout_is_large(model) ? 1 : *own_set()->lanes;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

enum kind { NUMBER, INTEGERS, REALS };

struct name {
  const char *text;
  enum kind kind;
  size_t at; /* in struct cs_native_variant */
};

static const struct name names[] = {
#define NAME(name, kind) {#name, kind, offsetof(struct cs_native_variant, name)},
#define ROW(name) NAME(name, NUMBER)
    CS_ALL_NUMBERS(ROW)
#undef ROW
#define ROW(name) NAME(name, INTEGERS)
        CS_NAMED_INTEGERS(ROW) CS_VARIED_INTEGERS(ROW)
#undef ROW
#define ROW(name) NAME(name, REALS)
            CS_NAMED_REALS(ROW) CS_VARIED_REALS(ROW)
#undef ROW
#undef NAME
};

static const struct name *find(const char *text, enum kind kind) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].kind == kind && strcmp(names[i].text, text) == 0) return &names[i];
  return NULL;
}

static void take_number(void *context, const char *text, long value) {
  struct cs_native *x = context;
  const struct name *name = find(text, NUMBER);
  if (name != NULL) *(int *)((char *)&x->variant + name->at) = (int)value;
}

/* Memory for a table that has the name; NULL if none has, or if there is none. */
static void *take_table(struct cs_native *x, const char *text, enum kind kind, size_t count, size_t size) {
  const struct name *name = find(text, kind);
  if (name == NULL) return NULL;
  void *const table = malloc(count * size);
  memcpy((char *)&x->variant + name->at, &table, sizeof table);
  x->failed = x->failed || table == NULL;
  return table;
}

static void take_integers(void *context, const char *text, size_t count, const size_t *values) {
  int *table = take_table(context, text, INTEGERS, count, sizeof *table);
  for (size_t i = 0; table != NULL && i < count; i++)
    table[i] = (int)(long)values[i];
}

static void take_reals(void *context, const char *text, size_t count, const double *values) {
  double *table = take_table(context, text, REALS, count, sizeof *table);
  if (table != NULL) memcpy(table, values, count * sizeof *table);
}

static int take_names(struct cs_native *x, const struct cs_layout *l, struct cs_error *error) {
  struct cs_define to = {.number = take_number, .integers = take_integers, .reals = take_reals, .context = x};
  cs_emit_names(l, cs_native_lanes(l->model), &to);
  return to.failed || x->failed ? cs_error_memory(error) : CS_OK;
}

static void free_tables(struct cs_native *x) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void *table = NULL;
    if (names[i].kind == NUMBER) continue;
    memcpy(&table, (const char *)&x->variant + names[i].at, sizeof table);
    free(table);
  }
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static int read_operator(struct cs_native *x, const struct cs_layout *l, enum cs_operator op, struct cs_error *error) {
  const struct cs_pattern *p = &l->pattern[op];
  struct cs_native_operator *m = &x->variant.matrix[op];
  m->rows = (int)p->rows;
  m->first = (int)cs_layout_first_coefficient(l, op);
  m->row = calloc(p->rows + 1, sizeof *m->row);
  m->column = calloc(p->rows * p->columns + 1, sizeof *m->column);
  if (m->row == NULL || m->column == NULL) return cs_error_memory(error);
  int entries = 0;
  for (size_t i = 0; i < p->rows; i++) {
    m->row[i] = entries;
    for (size_t j = 0; j < p->columns; j++)
      if (p->set[i * p->columns + j]) {
        m->column[entries++] = (int)j;
        m->set |= (uint64_t)1 << (i * p->columns + j) % 64;
      }
  }
  m->row[p->rows] = entries;
  return CS_OK;
}

/* Which part of the network the entries of L belong to. */
static int read_parts(struct cs_native *x, const struct cs_layout *l, struct cs_error *error) {
  const struct cs_native_operator *m = &x->variant.matrix[CS_OP_L];
  x->variant.part = calloc((size_t)m->row[m->rows] + 1, sizeof *x->variant.part);
  if (x->variant.part == NULL) return cs_error_memory(error);
  for (int i = 0; i < m->rows && l->master.parts > 1; i++)
    for (int e = m->row[i]; e < m->row[i + 1]; e++)
      x->variant.part[e] = (int)cs_layout_part(l, (size_t)i, (size_t)m->column[e]);
  return CS_OK;
}

/* ---- small models ------------------------------------------------------------------------------------------------ */

/* Kernels for variable steps in which the sizes are constants. */
static const struct small {
  const char *set;
  int states, powers;
  const struct cs_native_entry *entry;
} smalls[] = {
#define SMALL(set, states, powers) {#set, states, powers, cs_native_##set##_varied_##states##_##powers},
    CS_NATIVE_SMALL(SMALL)
#undef SMALL
        {0}};

/* Whether everything but NX and NQ has the value that it has in them, and there is room for the rest. */
static bool is_plain(const struct cs_native_variant *v) {
#define IS_ONE(name) v->name == 1 &&
#define IS_ZERO(name) v->name == 0 &&
  const bool sizes = v->NR == v->NX && v->NU == CS_NATIVE_SMALL_SIGNALS && v->NY == CS_NATIVE_SMALL_SIGNALS;
  const bool room = v->ROWS <= CS_NATIVE_SMALL_ROWS && v->SUMS <= CS_NATIVE_SMALL_ROWS &&
                    v->TOPS <= CS_NATIVE_SMALL_ROWS && v->FINALS <= CS_NATIVE_SMALL_ROWS &&
                    v->NM <= CS_NATIVE_SMALL_ROWS;
  return sizes && room &&
         CS_SMALL_ONES(IS_ONE) CS_SMALL_VARIED_ONES(IS_ONE) CS_SMALL_ZEROS(IS_ZERO) CS_SMALL_VARIED_ZEROS(IS_ZERO) true;
#undef IS_ONE
#undef IS_ZERO
}

static const struct cs_native_entry *entry_of(const struct cs_native_variant *v, const struct cs_layout *l) {
  const struct set *set = own_set();
  if (l->kind.varies && !l->kind.stiff && is_plain(v))
    for (const struct small *small = smalls; small->set != NULL; small++)
      if (strcmp(small->set, set->name) == 0 && small->states == v->NX && small->powers == v->NQ) return small->entry;
  return set->of[cs_layout_is_large(l->model)][l->kind.varies][l->kind.stiff];
}

/* ---- variants ---------------------------------------------------------------------------------------------------- */

static int fail_fragment(const struct cs_user_fragment *user, struct cs_error *why) {
  return cs_error_set(why, CS_DEVICE, "%s is a fragment of OpenCL", user->path);
}

int cs_native_check(const struct cs_layout *l, struct cs_error *why) {
  const struct cs_layout_dims *d = &l->dims;
  const bool large = cs_layout_is_large(l->model);
  const size_t most = cs_layout_signals(l->model), states = large ? CS_NATIVE_MOST_STATES : CS_NATIVE_MOST,
               signals = large ? CS_NATIVE_MOST_SIGNALS : CS_NATIVE_MOST, rows = CS_NATIVE_ROWS(states, signals);
  if (l->master.user != NULL) return fail_fragment(l->master.user, why);
  if (l->kind.varies && l->method.control == CS_USER_CONTROL)
    return fail_fragment(&l->sweep->controls->user.item[l->method.user_control], why);
  if (l->master.parts > CS_NATIVE_PARTS)
    return cs_error_set(why, CS_DEVICE, "inputs receive from up to %zu subsystems, and room is for %d", l->master.parts,
                        CS_NATIVE_PARTS);
  if (d->coordinates > CS_NATIVE_COORDINATES(states, signals))
    return cs_error_set(why, CS_DEVICE, "runs have %zu coordinates, and room is for %zu", d->coordinates,
                        CS_NATIVE_COORDINATES(states, signals));
  if (d->states > states || most > signals || l->control.bonds > signals)
    return cs_error_set(why, CS_DEVICE,
                        "the model has %zu states and %zu inputs, outputs, monitors or subsystems, and room is for %zu "
                        "and %zu",
                        d->states, most, states, signals);
  if (l->measures.sums > rows || l->measures.tops > rows || l->measures.finals > rows ||
      l->map.rows - d->coordinates > rows || l->map.inside_rows > rows)
    return cs_error_set(why, CS_DEVICE, "a step has more than %zu rows of measures, for which there is room", rows);
  return CS_OK;
}

static size_t most_own_inputs(const struct cs_model *m) {
  size_t most = 1;
  for (size_t s = 0; s < m->subsystems; s++)
    if (m->subsystem[s].inputs > most) most = m->subsystem[s].inputs;
  return most;
}

int cs_native_new(const struct cs_layout *l, struct cs_native **native, struct cs_error *error) {
  struct cs_error why;
  *native = NULL;
  int code = cs_native_check(l, &why);
  if (code != CS_OK) return cs_error_set(error, code, "device host: %s; want --device auto or cpu", why.message);
  struct cs_native *x = calloc(1, sizeof *x);
  if (x == NULL) return cs_error_memory(error);
  x->variant.hold = l->method.hold;
  x->variant.feedthrough = l->method.feedthrough;
  x->variant.control = l->method.control;
  code = take_names(x, l, error);
  x->entry = entry_of(&x->variant, l);
  for (int op = 0; op < CS_OPERATORS && code == CS_OK; op++)
    code = read_operator(x, l, (enum cs_operator)op, error);
  if (code == CS_OK) code = read_parts(x, l, error);
  x->large = cs_layout_is_large(l->model);
  x->stiff = l->kind.stiff;
  x->varies = l->kind.varies;
  x->variant.sizes = (struct cs_native_sizes){l->dims.states, l->dims.exact, l->dims.largest, l->dims.inputs,
                                              most_own_inputs(l->model)};
  if (code == CS_OK)
    *native = x;
  else
    cs_native_free(x);
  return code;
}

int cs_native_spectrum(const struct cs_model *model, struct cs_native **native, struct cs_error *error) {
  *native = calloc(1, sizeof **native);
  if (*native == NULL) return cs_error_memory(error);
  (*native)->entry = own_set()->spectrum[cs_layout_is_large(model)];
  return CS_OK;
}

void cs_native_free(struct cs_native *x) {
  if (x == NULL) return;
  for (int op = 0; op < CS_OPERATORS; op++) {
    free(x->variant.matrix[op].row);
    free(x->variant.matrix[op].column);
  }
  free(x->variant.part);
  free_tables(x);
  free(x);
}

cs_native_run *cs_native_find(const struct cs_native *x, const char *name) {
  for (const struct cs_native_entry *entry = x->entry; entry->name != NULL; entry++)
    if (strcmp(entry->name, name) == 0) return entry->run;
  return NULL;
}

const void *cs_native_variant(const struct cs_native *x) {
  return &x->variant;
}

/* Runs with variable steps fill the room of lengths, and little of that for maps: seen with 240 to 1,000 states. */
size_t cs_native_uses(const struct cs_native *x) {
  const struct cs_native_sizes *s = &x->variant.sizes;
  const size_t lengths = x->varies ? 24 : 2, length = CS_NATIVE_SLOT + cs_native_transfer(s);
  if (!x->large || !x->stiff) return 0;
  if (x->varies) return sizeof(double) * (cs_native_network(s) + lengths * length);
  return sizeof(double) * (cs_native_memory(s, true) - (cs_native_slots(s) - lengths) * length);
}

/* Private memory is on the stack, of which only what a model needs is ever touched. */
#define STACK_BYTES ((size_t)64 << 20)

void cs_native_needs(const struct cs_native *x, size_t *stack, size_t *memory) {
  const struct cs_native_variant *v = &x->variant;
  *stack = STACK_BYTES;
  *memory = 0;
  if (!x->large) return;
  *memory = sizeof(double) * cs_native_memory(&v->sizes, x->stiff);
  *stack += sizeof(double) * 2 * (size_t)v->NUMBERS + sizeof(double) * 12 * cs_native_square(&v->sizes);
}
