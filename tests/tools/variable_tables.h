/* The tables of variable-step runs in tests/data as sweeps, run by the engine or by the plain reference. */
#ifndef COSWEEP_TESTS_VARIABLE_TABLES_H
#define COSWEEP_TESTS_VARIABLE_TABLES_H

#include "harness.h"
#include "plain.h"

/* Who runs a loaded sweep. */
struct variable_runner {
  struct harness *harness;
  struct plain_result *plain; /* of one run; NULL: the engine runs them all */
  size_t run;                 /* that it belongs to, or SIZE_MAX */
};

/* With a device, or by the plain reference without one. */
void variable_open(struct variable_runner *runner, struct harness *harness, bool plain);
void variable_close(struct variable_runner *runner);
/* Loads a sweep, as harness_load, and runs it. */
void variable_run(struct variable_runner *runner, const char *sweep);
/* As harness_value, where every axis has its position in `index`. */
double variable_value(struct variable_runner *runner, const char *name, const size_t *index, const char *signal);

/* Comparisons with every row, or every `stride`-th run, of
 *   glumac_variable.csv: counts exactly, the rest 1e-9 relative up to order 1, 1e-7 above;
 *   kyllingstad_ecco.csv, kyllingstad_reservoirs.csv: counts exactly, the rest 1e-12 absolute;
 *   quarter_car.csv: counts exactly, states 1e-11 absolute. */
void variable_compare_glumac(struct variable_runner *runner, size_t stride, struct harness_check *check);
void variable_compare_ecco(struct variable_runner *runner, size_t stride, struct harness_check *check);
void variable_compare_reservoirs(struct variable_runner *runner, struct harness_check *check);
void variable_compare_quarter_car(struct variable_runner *runner, struct harness_check *check);

/* One of them with the engine: opens, compares, fails the test where something is off. */
typedef void variable_compare_fn(struct variable_runner *runner, struct harness_check *check);
void variable_compare_engine(variable_compare_fn *table, const char *title);

/* Loads and runs what a row of quarter_car.csv says, with the row's settings. */
void variable_run_quarter_car(struct variable_runner *runner, const struct harness_csv *csv, size_t row);

#endif
