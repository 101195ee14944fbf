/* What pairs of settings are made of: every setting of the program, of the method and of one subsystem, but for the
 * fragments of users; every metric that the plain reference has; kinds of networks. Words and short ranges are those of
 * the program's own tables; other numbers are chosen here, and a setting without any fails the running test. */
#ifndef COSWEEP_TESTS_PAIR_TABLE_H
#define COSWEEP_TESTS_PAIR_TABLE_H

#include "cover.h"
#include "metric.h"
#include "setting.h"
#include "text.h"

/* Without feed-through; with it; every input mixed from all subsystems; with time events; with state events, modes and
 * a time event that changes one, without and with feed-through; stiff ones, without and with a loop of feed-through. */
enum pair_network {
  PAIR_STRICT,
  PAIR_DIRECT,
  PAIR_MIXED,
  PAIR_TIMED,
  PAIR_EVENTFUL,
  PAIR_EVENTFUL_DIRECT,
  PAIR_STIFF,
  PAIR_STIFF_LOOP,
  PAIR_NETWORKS
};

static inline bool pair_is_eventful(enum pair_network network) {
  return network == PAIR_EVENTFUL || network == PAIR_EVENTFUL_DIRECT;
}

enum pair_kind { PAIR_SETTING, PAIR_OWN_SETTING, PAIR_METRIC, PAIR_NETWORK, PAIR_KINDS };

enum { PAIR_VALUES = 16 };

struct pair_factor {
  const char *name;
  enum pair_kind kind;
  size_t number; /* of the setting or metric */
  size_t values;
  const char *value[PAIR_VALUES]; /* JSON, where "H" after a number stands for the network's own step; "@..." is drawn;
                                     NULL: not given. The first is the standard. */
};

struct pair_table {
  size_t factors;
  struct pair_factor factor[COVER_FACTORS];
  unsigned char place[PAIR_KINDS][COVER_FACTORS]; /* 1 + the factor of a kind and number, which are asked for often */
};

/* Whether the plain reference has a metric. */
bool pair_is_known(int metric);
void pair_table_open(struct pair_table *table);
/* Index of a factor; `factors` if there is none. */
size_t pair_find(const struct pair_table *table, enum pair_kind kind, size_t number);
/* A value of a row. */
const char *pair_value(const struct pair_table *table, const unsigned char *row, enum pair_kind kind, size_t number);
enum pair_network pair_network_of(const struct pair_table *table, const unsigned char *row);
/* "hold=taylor, ...": what a row has beside standards. */
void pair_describe(const struct pair_table *table, const unsigned char *row, struct cs_text *text);
/* A covering array of the table; `patient` as for cover_new. */
struct cover *pair_cover(struct pair_table *table, uint64_t seed, bool patient);

#endif
