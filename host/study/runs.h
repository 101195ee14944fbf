/* What the dimensions of a result are: axes of its runs, as the sweep in its provenance has them, or signals. */
#ifndef COSWEEP_RUNS_H
#define COSWEEP_RUNS_H

#include <stddef.h>

#include "metric.h"
#include "table.h"
#include "text.h"

struct cs_json;
struct cs_node;

/* What moves along a dimension. */
enum cs_nature {
  CS_NATURE_STEP,   /* step sizes and tolerances: fine or coarse */
  CS_NATURE_ORDER,  /* orders of holds */
  CS_NATURE_NUMBER, /* other numbers */
  CS_NATURE_WORD,   /* names, and settings that move together */
  CS_NATURE_SIGNAL  /* it is no axis: outputs, monitors, modes, crossings */
};

/* What an axis is where runs are compared. */
enum cs_role {
  CS_ROLE_FIXED,       /* one value is left; of a comparison */
  CS_ROLE_CASE,        /* poses the problem: parameters, t_end, error_at */
  CS_ROLE_COMBINATION, /* a way to solve it: names, orders and other settings of the method */
  CS_ROLE_KNOB         /* numbers of method.step and tolerances: a combination takes the best along it */
};

struct cs_runs_dimension {
  const struct cs_node *axis; /* its entry in the sweep; NULL where that has none of its name */
  char *paths;                /* what the entry moves, "method.input_order, method.output_order"; "" without one */
  enum cs_nature nature;
  enum cs_role role; /* not CS_ROLE_FIXED */
};

struct cs_runs {
  const struct cs_table *table;        /* borrowed */
  const struct cs_array *status;       /* over the axes, uint8; NULL where there is none */
  struct cs_json *sweep;               /* NULL where provenance has none */
  struct cs_runs_dimension *dimension; /* [table->dimensions] */
};

/* A setting that an axis changes: the axis itself, or one of those that it changes together. */
struct cs_runs_column {
  const char *name;
  size_t axis;
  const struct cs_array *array; /* "<axis>_<setting>"; NULL: the axis itself */
  char *const *labels;          /* along the axis; NULL for numbers */
  const double *values;         /* NULL for labels */
};

enum { CS_RUNS_COLUMNS = 64 };

/* CS_IO if the sweep is not valid JSON; the runs are then open as if the table had no sweep. cs_runs_close is needed
 * even on failure. */
int cs_runs_open(const struct cs_table *table, struct cs_runs *runs, struct cs_error *error);
void cs_runs_close(struct cs_runs *runs);
/* CS_IO where there is no status or no sweep: the table is no result of cosweep. */
int cs_runs_check(const struct cs_runs *runs, struct cs_error *error);

/* Axis number `axis` of the runs: its coordinates, and what it is. */
const struct cs_dimension *cs_runs_axis(const struct cs_runs *runs, size_t axis);
const struct cs_runs_dimension *cs_runs_about(const struct cs_runs *runs, size_t axis);
/* Position of run number `run` along axis number `axis`. */
size_t cs_runs_position(const struct cs_runs *runs, size_t run, size_t axis);

/* The first array there is of the metrics of a use; NULL: none. */
const struct cs_array *cs_runs_usual(const struct cs_table *table, enum cs_use use);

/* Path number `index` of an entry (may be NULL), of its "path", "paths" or "zip"; NULL beyond the last, "" where it is
 * no text. */
const char *cs_runs_path(const struct cs_node *axis, size_t index);
/* The array holds one of the settings that move together along dimension number `dimension` of the table,
 * "<axis>_<setting>": the name of the setting, part of the array's. NULL elsewhere. */
const char *cs_runs_setting(const struct cs_runs *runs, size_t dimension, const struct cs_array *array);
/* Stores the columns of axis number `axis`, at most `room`; returns their number. */
size_t cs_runs_columns(const struct cs_runs *runs, size_t axis, struct cs_runs_column *column, size_t room);
/* Appends the value of a run: a label, or a number with 4 digits. */
void cs_runs_add_value(const struct cs_runs *runs, const struct cs_runs_column *column, size_t run,
                       struct cs_text *text);

/* The units of signals, texts in "<dimension>_units"; NULL if the table has none for them. */
const struct cs_array *cs_runs_units(const struct cs_table *table, const struct cs_dimension *signals);

#endif
