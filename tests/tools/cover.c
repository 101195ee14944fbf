#include "cover.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "random_draw.h"

enum { VALUES = 16, COMPANIES = 16, COMPANIONS = 4, MOST = COVER_FACTORS * VALUES };

/* Values of several factors. */
struct company {
  size_t size;
  unsigned char factor[COMPANIONS], value[COMPANIONS];
};

/* A value of a factor: with which companies it is accepted among standards. */
struct literal {
  unsigned char factor, value;
  size_t companies;
  struct company company[COMPANIES];
};

enum { OPEN_PAIR, COVERED, REFUSED };

struct cover {
  cover_judge *judge;
  void *context;
  uint64_t state;
  bool patient;
  size_t factors, literals, asked, at; /* at: the next pair of `order` */
  size_t first[COVER_FACTORS], values[COVER_FACTORS];
  struct literal literal[MOST];
  unsigned char *pair, *marked; /* [literals][literals] */
  size_t *order, pairs;
  size_t *witness; /* [literals][literals]: 1 + a row with both, of any array; 0: there was none */
  unsigned char (*row)[COVER_FACTORS];
  size_t rows;
};

/* A row in the making: factors whose values are settled. */
struct making {
  unsigned char row[COVER_FACTORS];
  bool settled[COVER_FACTORS];
};

static bool ask(struct cover *c, const unsigned char *row) {
  c->asked++;
  return c->judge(c->context, row);
}

static size_t place_of(const struct cover *c, size_t a, size_t b) {
  return a < b ? a * c->literals + b : b * c->literals + a;
}

static unsigned char *pair_of(const struct cover *c, size_t a, size_t b) {
  return &c->pair[place_of(c, a, b)];
}

static size_t number_of(const struct cover *c, size_t factor, size_t value) {
  return c->first[factor] + value;
}

/* ---- values and their companions */

/* False where another value is settled. */
static bool settle(struct making *m, size_t factor, size_t value) {
  if (m->settled[factor] && m->row[factor] != value) return false;
  m->row[factor] = (unsigned char)value;
  m->settled[factor] = true;
  return true;
}

static bool settle_literal(struct making *m, const struct literal *a) {
  return settle(m, a->factor, a->value);
}

static bool settle_company(struct making *m, const struct company *company) {
  bool good = true;
  for (size_t i = 0; i < company->size; i++)
    good = good && settle(m, company->factor[i], company->value[i]);
  return good;
}

static bool is_accepted_with(struct cover *c, const struct literal *a, const struct company *company) {
  struct making m = {{0}, {false}};
  return settle_literal(&m, a) && settle_company(&m, company) && ask(c, m.row);
}

/* Another value, with companions of its own. */
static void find_companies_with(struct cover *c, struct literal *a, const struct literal *other) {
  for (size_t i = 0; i < other->companies && a->companies < COMPANIES; i++) {
    struct company company = other->company[i];
    if (company.size == COMPANIONS) continue;
    company.factor[company.size] = other->factor;
    company.value[company.size++] = other->value;
    if (is_accepted_with(c, a, &company)) a->company[a->companies++] = company;
  }
}

static void find_companies(struct cover *c, struct literal *a, const bool *known) {
  for (size_t i = 0; i < c->literals; i++)
    if (known[i] && c->literal[i].value > 0) find_companies_with(c, a, &c->literal[i]);
}

static void find_all_companies(struct cover *c) {
  bool known[MOST] = {false}, found = true;
  for (size_t i = 0; i < c->literals; i++) {
    c->literal[i].companies = is_accepted_with(c, &c->literal[i], &c->literal[i].company[0]);
    known[i] = c->literal[i].companies > 0;
  }
  while (found) {
    bool before[MOST];
    memcpy(before, known, sizeof before);
    found = false;
    for (size_t i = 0; i < c->literals; i++) {
      if (before[i]) continue;
      find_companies(c, &c->literal[i], before);
      known[i] = c->literal[i].companies > 0;
      found = found || known[i];
    }
  }
}

/* ---- pairs */

/* A row of an array before with both values. */
static bool begin_again(const struct cover *c, const struct literal *a, const struct literal *b, struct making *m) {
  const size_t witness = c->witness[place_of(c, number_of(c, a->factor, a->value), number_of(c, b->factor, b->value))];
  *m = (struct making){{0}, {false}};
  if (witness == 0) return false;
  memcpy(m->row, c->row[witness - 1], sizeof m->row);
  m->settled[a->factor] = m->settled[b->factor] = true;
  return true;
}

/* A row of standards with both values, if there is one: with companions, and if need be with one more value. */
static bool begin_anew(struct cover *c, const struct literal *a, const struct literal *b, struct making *m) {
  const size_t more = c->patient ? c->literals : 1;
  for (size_t extra = 0; extra < more; extra++) {
    const struct literal *other = &c->literal[extra];
    if (other->companies == 0 || (extra > 0 && other->value == 0)) continue;
    for (size_t i = 0; i < a->companies; i++) {
      for (size_t j = 0; j < b->companies; j++) {
        *m = (struct making){{0}, {false}};
        const bool can = settle_literal(m, a) && settle_literal(m, b) && settle_company(m, &a->company[i]) &&
                         settle_company(m, &b->company[j]) &&
                         (extra == 0 || (settle_literal(m, other) && settle_company(m, &other->company[0])));
        if (can && ask(c, m->row)) return true;
      }
    }
  }
  return false;
}

/* How many pairs of a value with the row's others are new; none if one of them is refused. */
static size_t gain_of(const struct cover *c, const unsigned char *row, size_t factor, size_t value) {
  size_t gain = 0;
  for (size_t g = 0; g < c->factors; g++) {
    if (g == factor) continue;
    const unsigned char state = *pair_of(c, number_of(c, factor, value), number_of(c, g, row[g]));
    if (state == REFUSED) return 0;
    gain += state == OPEN_PAIR;
  }
  return gain;
}

/* The value of a factor that brings most, among those accepted. */
static void improve(struct cover *c, struct making *m, size_t factor) {
  const unsigned char old = m->row[factor];
  bool tried[VALUES] = {false};
  for (;;) {
    size_t best = old, most = gain_of(c, m->row, factor, old);
    for (size_t v = 0; v < c->values[factor]; v++) {
      const size_t gain = tried[v] ? 0 : gain_of(c, m->row, factor, v);
      if (gain <= most) continue;
      most = gain;
      best = v;
    }
    m->row[factor] = (unsigned char)best;
    if (best == old || ask(c, m->row)) return;
    m->row[factor] = old;
    tried[best] = true;
  }
}

static void shuffle(uint64_t *state, size_t *list, size_t count) {
  for (size_t i = count; i > 1; i--) {
    const size_t at = random_draw(state, i), item = list[at];
    list[at] = list[i - 1];
    list[i - 1] = item;
  }
}

/* Twice, as some values are accepted only after another. */
static void extend(struct cover *c, struct making *m) {
  size_t order[COVER_FACTORS];
  for (size_t f = 0; f < c->factors; f++)
    order[f] = f;
  shuffle(&c->state, order, c->factors);
  for (size_t i = 0; i < 2 * c->factors; i++) {
    const size_t f = order[i % c->factors];
    if (!m->settled[f] && (i < c->factors || m->row[f] == 0)) improve(c, m, f);
  }
}

static void take(struct cover *c, const unsigned char *row) {
  c->row = realloc(c->row, (c->rows + 1) * sizeof *c->row);
  cr_assert_not_null(c->row);
  memcpy(c->row[c->rows++], row, sizeof *c->row);
  for (size_t f = 0; f < c->factors; f++) {
    for (size_t g = f + 1; g < c->factors; g++) {
      const size_t place = place_of(c, number_of(c, f, row[f]), number_of(c, g, row[g]));
      c->pair[place] = COVERED;
      c->witness[place] = c->rows;
    }
  }
}

/* ---- use */

static void list_pairs(struct cover *c) {
  for (size_t a = 0; a < c->literals; a++)
    for (size_t b = a + 1; b < c->literals; b++)
      if (c->literal[a].factor != c->literal[b].factor) c->order[c->pairs++] = a * c->literals + b;
  shuffle(&c->state, c->order, c->pairs);
}

struct cover *cover_new(const size_t *values, size_t factors, uint64_t seed, bool patient, cover_judge *judge,
                        void *context) {
  static const unsigned char standards[COVER_FACTORS];
  struct cover *c = calloc(1, sizeof *c);
  cr_assert(c != NULL && factors <= COVER_FACTORS);
  *c = (struct cover){.judge = judge, .context = context, .state = seed, .patient = patient, .factors = factors};
  for (size_t f = 0; f < factors; f++) {
    cr_assert_leq(values[f], VALUES);
    c->values[f] = values[f];
    c->first[f] = c->literals;
    for (size_t v = 0; v < values[f]; v++)
      c->literal[c->literals++] = (struct literal){.factor = (unsigned char)f, .value = (unsigned char)v};
  }
  cr_assert(ask(c, standards), "the row of standards is refused");
  find_all_companies(c);
  c->pair = calloc(c->literals * c->literals, sizeof *c->pair);
  c->order = calloc(c->literals * c->literals, sizeof *c->order);
  c->marked = calloc(c->literals * c->literals, sizeof *c->marked);
  c->witness = calloc(c->literals * c->literals, sizeof *c->witness);
  cr_assert(c->pair != NULL && c->marked != NULL && c->order != NULL && c->witness != NULL);
  list_pairs(c);
  return c;
}

void cover_free(struct cover *c) {
  free(c->pair);
  free(c->order);
  free(c->marked);
  free(c->witness);
  free(c->row);
  free(c);
}

bool cover_next(struct cover *c, unsigned char *row) {
  for (; c->at < c->pairs; c->at++) {
    unsigned char *pair = &c->pair[c->order[c->at]];
    struct making m;
    if (*pair != OPEN_PAIR) continue;
    const struct literal *a = &c->literal[c->order[c->at] / c->literals];
    const struct literal *b = &c->literal[c->order[c->at] % c->literals];
    *pair = REFUSED;
    if (!begin_again(c, a, b, &m) && !begin_anew(c, a, b, &m)) continue;
    extend(c, &m);
    take(c, m.row);
    memcpy(row, m.row, c->factors);
    return true;
  }
  return false;
}

void cover_again(struct cover *c) {
  memset(c->pair, OPEN_PAIR, c->literals * c->literals);
  shuffle(&c->state, c->order, c->pairs);
  c->at = 0;
}

void cover_mark(struct cover *c, const unsigned char *row) {
  for (size_t f = 0; f < c->factors; f++)
    for (size_t g = f + 1; g < c->factors; g++)
      c->marked[place_of(c, number_of(c, f, row[f]), number_of(c, g, row[g]))] = 1;
}

struct cover_counts cover_counted(const struct cover *c) {
  struct cover_counts n = {.pairs = c->pairs, .asked = c->asked};
  for (size_t i = 0; i < c->pairs; i++) {
    n.covered += c->pair[c->order[i]] == COVERED;
    n.refused += c->pair[c->order[i]] == REFUSED;
    n.met += c->witness[c->order[i]] > 0;
    n.marked += c->marked[c->order[i]];
  }
  return n;
}

bool cover_refused(const struct cover *c, size_t factor, size_t value, size_t other, size_t with) {
  return *pair_of(c, number_of(c, factor, value), number_of(c, other, with)) == REFUSED;
}
