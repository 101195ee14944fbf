/* The dimensions of a result: axes of its runs, as the sweep in the provenance defines them, or signals. */
#ifndef COSWEEP_RUNS_H
#define COSWEEP_RUNS_H

#include <stddef.h>

#include "metric.h"
#include "table.h"
#include "text.h"

struct cs_json;
struct cs_node;

/* What varies along a dimension. */
enum cs_nature {
  CS_NATURE_STEP,   /* step sizes and tolerances */
  CS_NATURE_ORDER,  /* orders of holds */
  CS_NATURE_NUMBER, /* other numbers */
  CS_NATURE_WORD,   /* names, and several settings changed together */
  CS_NATURE_SIGNAL  /* not an axis: outputs, monitors, modes, crossings */
};

/* The role of an axis in a comparison of runs. */
enum cs_role {
  CS_ROLE_FIXED,       /* a single value; in a comparison only */
  CS_ROLE_CASE,        /* defines the problem: parameters, modes, t_end, error_at, window of events */
  CS_ROLE_COMBINATION, /* defines the method: names, orders and other settings */
  CS_ROLE_KNOB /* numbers of method.step and method.events, tolerances: each combination is judged at its best value */
};

struct cs_runs_dimension {
  const struct cs_node *axis; /* its entry in the sweep; NULL if there is none of that name */
  char *paths;                /* the paths it changes, "method.input_order, method.output_order"; "" without an entry */
  enum cs_nature nature;
  enum cs_role role; /* not CS_ROLE_FIXED */
};

struct cs_runs {
  const struct cs_table *table;        /* borrowed */
  const struct cs_array *status;       /* over the axes, uint8; NULL if absent */
  struct cs_json *sweep;               /* NULL if the provenance has none */
  struct cs_json *designs;             /* samples and tables that axes were made of; NULL without any */
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
/* CS_IO if there is no status or no sweep, so that the table is not a result of cosweep. */
int cs_runs_check(const struct cs_runs *runs, struct cs_error *error);

/* Coordinates and meaning of axis number `axis`. */
const struct cs_dimension *cs_runs_axis(const struct cs_runs *runs, size_t axis);
const struct cs_runs_dimension *cs_runs_about(const struct cs_runs *runs, size_t axis);
/* Whether an axis changes several settings together, so that its own values are numbers of its points. */
bool cs_runs_is_zip(const struct cs_runs *runs, size_t axis);
/* The role of an axis that changes this path alone; not CS_ROLE_FIXED. */
enum cs_role cs_runs_role_of(const char *path);
/* Stores for each position along a dimension the number of its method, and how many there are: positions that differ in
 * problems and in numbers to tune alone, step sizes and tolerances, have the same one. */
int cs_runs_methods(const struct cs_runs *runs, size_t dimension, size_t *method, size_t *methods,
                    struct cs_error *error);
/* Position of run number `run` along axis number `axis`. */
size_t cs_runs_position(const struct cs_runs *runs, size_t run, size_t axis);
/* Row number `row` of an array over all axes but number `axis`: the run at the first value of that axis. */
size_t cs_runs_of_row(const struct cs_runs *runs, size_t axis, size_t row);

/* The "sample" of the sweep file that the axis was made of, an object, or the file name of its table, a string; NULL if
 * it has its own values. */
const struct cs_node *cs_runs_design(const struct cs_runs *runs, const char *axis);

/* The first array present among the metrics of a use; NULL if there is none. */
const struct cs_array *cs_runs_usual(const struct cs_table *table, enum cs_use use);

/* Path number `index` of an axis entry (may be NULL), from "path", "paths" or "zip"; NULL beyond the last, "" if it is
 * not a string. */
const char *cs_runs_path(const struct cs_node *axis, size_t index);
/* If the array holds one of several settings changed together along dimension number `dimension` of the table,
 * "<axis>_<setting>": the name of the setting (part of the array's name). NULL otherwise. */
const char *cs_runs_setting(const struct cs_runs *runs, size_t dimension, const struct cs_array *array);
/* Whether such a setting does nothing at position `at`: the sequence of subsystems under jacobi. */
bool cs_runs_is_idle(const struct cs_runs *runs, size_t dimension, const char *setting, size_t at);
/* Stores the columns of axis number `axis`, at most `room`; returns their number. */
size_t cs_runs_columns(const struct cs_runs *runs, size_t axis, struct cs_runs_column *column, size_t room);
/* Appends the value of a run: a label, or a number with 4 digits. */
void cs_runs_add_value(const struct cs_runs *runs, const struct cs_runs_column *column, size_t run,
                       struct cs_text *text);

/* A setting of a run: a word or a number; neither if the sweep does not have it, or if it is an object or a list. */
struct cs_runs_value {
  const char *word; /* NULL: none */
  double number;    /* NaN: none */
};
/* The setting of that path in a run, from an axis that moves it or else from the sweep itself. Of method.order, which
 * sets both orders, method.input_order and method.output_order. */
struct cs_runs_value cs_runs_value(const struct cs_runs *runs, size_t run, const char *path);
/* The same where it is a list, with or without a label; NULL if it is none. */
const struct cs_node *cs_runs_list(const struct cs_runs *runs, size_t run, const char *path);

/* The array "<name><ending>" of a type; NULL if absent. */
const struct cs_array *cs_runs_find(const struct cs_table *table, const char *name, const char *ending,
                                    enum cs_type type);
/* The units of signals, texts in "<dimension>_units"; NULL if the table has none for them. */
const struct cs_array *cs_runs_units(const struct cs_table *table, const struct cs_dimension *signals);

#endif
