/* Studies that explanations and recommendations run: sweeps written for the purpose, kept in memory. */
#ifndef COSWEEP_EXPERIMENT_H
#define COSWEEP_EXPERIMENT_H

#include "engine.h"
#include "method.h"
#include "snapshot.h"
#include "writer.h"

/* A master with what belongs to it. */
struct cs_approach {
  enum cs_master master;
  enum cs_hold hold;
  size_t *sequence; /* [subsystems] their numbers in the order of `gauss_seidel`; NULL: the model's, or none */
  /* or CS_CONVERGED, whose master is jacobi: it does not matter; or CS_TOLERANCE, by quasi-Newton */
  unsigned iterations;
  bool compensated; /* compensation 1 */
  bool alternating; /* the sequence is the model's, and its reverse in every second step */
};

struct cs_experiment {
  const char *path;             /* of the model file: the name in messages */
  const struct cs_text *source; /* what the file contains */
  const char *const *set;       /* [sets] "path=value", as of the command line */
  size_t sets;
  struct cs_device *const *device;
  size_t devices;
  const struct cs_engine_options *options;
};

/* CS_USAGE unless every `set` is a parameter, a mode or a setting of the method that the command does not vary itself
 * (master, hold, orders, sequence, step size). command: "explain", for messages. */
int cs_experiment_check(const struct cs_experiment *experiment, const char *command, struct cs_error *error);

/* The model's numbers with the parameters and modes set, and cs_engine_jumping with the settings. Close *snapshot also
 * on failure. */
int cs_experiment_freeze(const struct cs_experiment *experiment, const struct cs_model *model,
                         struct cs_snapshot *snapshot, const char **jumping, struct cs_error *error);

/* Begins a sweep file: all up to "method", which stays open behind master, hold, sequence, iterations and step size,
 * the latter if it is above 0. approach, with its snapshot for the names in the sequence: NULL: left to the axes. */
void cs_experiment_begin(struct cs_writer *writer, const char *study, const struct cs_approach *approach,
                         const struct cs_snapshot *snapshot, double H);
/* What iterations a master that can take steps back is tried with: number i of CS_EXPERIMENT_REPEATED. */
enum { CS_EXPERIMENT_REPEATED = 3 };
unsigned cs_experiment_iterations(size_t i);
/* The first order from which on a hold is tried, up to CS_EXPLAIN_ORDERS - 1: order 0 of taylor is that of lagrange,
 * and hermite has order 3. */
unsigned cs_experiment_first_order(enum cs_hold hold);
/* "jacobi" and "lagrange" of an approach. */
const char *cs_experiment_master(const struct cs_approach *approach);
const char *cs_experiment_hold(const struct cs_approach *approach);
/* Members of the open object: master, sequence (null: it has none), hold, order, iterations, and compensation if there
 * is some. */
void cs_experiment_write_approach(struct cs_writer *writer, const struct cs_snapshot *snapshot,
                                  const struct cs_approach *approach, unsigned order);
/* Whether the settings of the command line leave sequence alternating legal. */
bool cs_experiment_alternates(const struct cs_experiment *experiment);
/* Whether they leave repetitions and relaxation to the command. */
bool cs_experiment_repeats(const struct cs_experiment *experiment);
/* Whether they do so and leave repetitions to a tolerance legal. */
bool cs_experiment_accelerates(const struct cs_experiment *experiment);
/* Whether an output depends directly on an input. */
bool cs_experiment_is_direct(const struct cs_snapshot *snapshot);
/* A number of iterations, or "converged" or "tolerance"; the word of `acceleration` that belongs to them. */
void cs_experiment_write_iterations(struct cs_writer *writer, const char *key, unsigned iterations);
const char *cs_experiment_acceleration(unsigned iterations);
/* Ends the method and begins the list of axes; ends the axes. */
void cs_experiment_axes(struct cs_writer *writer);
void cs_experiment_end_axes(struct cs_writer *writer);
/* The axis H (s): `count` values from first to last, logarithmic. */
void cs_experiment_sizes(struct cs_writer *writer, double first, double last, size_t count);
/* The list of metrics. */
void cs_experiment_metrics(struct cs_writer *writer, const char *const *metric, size_t count);

/* Runs the finished sweep `text`, which is freed, with a model written from `snapshot`, or with the model itself if
 * that is NULL, and all settings of the method that are set. */
int cs_experiment_run(const struct cs_experiment *experiment, const struct cs_snapshot *snapshot,
                      enum cs_snapshot_as as, struct cs_text *text, struct cs_table **table, struct cs_error *error);

/* Appends "gauss_seidel cell1 first" with the iterations if there are some, or "converged"; `whole`: more than two
 * subsystems are all named, "gauss_seidel cell1-cell3-cell2". */
void cs_experiment_add_approach(const struct cs_snapshot *snapshot, const struct cs_approach *approach, bool whole,
                                struct cs_text *text);
/* The same in words that hold for any tool: "all subsystems in parallel (Jacobi), inputs held constant (order 0)". */
void cs_experiment_add_practice(const struct cs_snapshot *snapshot, const struct cs_approach *approach, unsigned order,
                                struct cs_text *text);

#endif
