/* Parts of an explanation; each fills its fields (explain.h). */
#ifndef COSWEEP_EXPLAIN_PRIVATE_H
#define COSWEEP_EXPLAIN_PRIVATE_H

#include "explain.h"
#include "grid.h"

#define PI 3.14159265358979323846

/* The network with the settings of `wish`, its modes and the range of H that they suggest. command: as of
 * cs_experiment_check. Close also on failure. */
int cs_explain_open_modes(const struct cs_model *model, const struct cs_explain_wish *wish, const char *command,
                          struct cs_explanation *explanation, struct cs_error *error);

int cs_explain_fill_loops(struct cs_explanation *explanation, struct cs_error *error);
int cs_explain_fill_limits(struct cs_explanation *explanation, struct cs_error *error);
int cs_explain_fill_leading(struct cs_explanation *explanation, struct cs_error *error);
int cs_explain_fill_steps(struct cs_explanation *explanation, struct cs_error *error);
int cs_explain_fill_repetitions(struct cs_explanation *explanation, struct cs_error *error);
int cs_explain_fill_merges(struct cs_explanation *explanation, struct cs_error *error);

/* The value of so many digits. */
double cs_explain_round(double value, int digits);
/* A run in which all that decays has decayed: five times the slowest time constant, else ten turns of the slowest mode
 * (s), in 2 digits. Needs the modes, of which one moves. */
double cs_explain_time_span(const struct cs_explanation *explanation);
int cs_explain_fill_gains(struct cs_explanation *explanation, struct cs_error *error);
/* Step sizes in every decade of H at which limits are looked for. */
size_t cs_explain_per_decade(const struct cs_explanation *explanation);

/* Limits of `count` orders from `first` on, in the network `snapshot`: limit [count]. */
int cs_explain_scan(const struct cs_explanation *explanation, const struct cs_snapshot *snapshot,
                    const struct cs_approach *approach, unsigned first, unsigned count, struct cs_explain_limit *limit,
                    struct cs_error *error);
/* cs_explain_first of an order, whose scan ends where it is found: beyond 40 states step sizes are scanned a decade at
 * a time. */
int cs_explain_scan_first(const struct cs_explanation *explanation, const struct cs_approach *approach, unsigned order,
                          double *first, struct cs_error *error);

/* Subsystems that follow each other in a step, in the longer of the two orders of an alternating sequence. room
 * [2 subsystems]. */
size_t cs_explain_stages(const struct cs_explanation *explanation, const struct cs_approach *approach, size_t *room);

/* The rows of the table of limits, without their limits. */
int cs_explain_list_rows(struct cs_explanation *explanation, struct cs_error *error);
/* Appends the setting of --for: "jacobi, lagrange 1". */
void cs_explain_add_setting(const struct cs_explanation *explanation, struct cs_text *text);

/* Pieces of text: a complex number or a pair, "-0.9622+-1.8271i"; subsystems with shares of 5 % or more; a connection;
 * the loops; what a leading mode does. */
void cs_explain_add_complex(struct cs_text *text, struct cs_complex value);
void cs_explain_add_shares(const struct cs_snapshot *snapshot, const double *share, struct cs_text *text);
void cs_explain_add_link(const struct cs_explanation *explanation, size_t link, const char *arrow,
                         struct cs_text *text);
void cs_explain_add_loops(const struct cs_explanation *explanation, struct cs_text *text);
void cs_explain_add_leading(const struct cs_explanation *explanation, const struct cs_explain_leading *leading,
                            struct cs_text *text);
/* "1.106", "-", "0", "1.2e-05": a limit, or the excess growth of an undamped model. */
void cs_explain_add_limit(const struct cs_explanation *explanation, const struct cs_explain_limit *limit,
                          struct cs_text *text);
/* Appends a line as a paragraph, nothing of an empty one, and frees it. */
void cs_explain_take_line(struct cs_text *text, struct cs_text *line);
/* A sentence on where a nonlinear model was linearised; nothing of a linear one. */
void cs_explain_add_point(const struct cs_explanation *explanation, struct cs_text *text);
/* A sentence on the worst pattern of two step sizes. */
void cs_explain_add_steps(const struct cs_explanation *explanation, struct cs_text *text);
/* How many passes of a step quasi-Newton repetitions take at most. */
size_t cs_explain_most_passes(const struct cs_explanation *explanation);
/* Repetitions as a table, and sentences on those that diverge. */
void cs_explain_grid_repetitions(const struct cs_explanation *explanation, struct cs_grid *grid);
void cs_explain_advise_repetitions(const struct cs_explanation *explanation, struct cs_text *text);
/* Begins a picture for the page; the network as one, false if it has none or too many subsystems. */
void cs_explain_begin_picture(double width, double height, struct cs_text *svg);
bool cs_explain_draw_network(const struct cs_explanation *explanation, struct cs_text *svg);
/* A signal with its unit, "motor.tau [N m]", as a column's head or a row's cell. */
void cs_explain_head_signal(struct cs_grid *grid, const struct cs_signal *signal);
void cs_explain_take_signal(struct cs_grid *grid, const struct cs_signal *signal);
/* Whether all inputs have one unit, so that gains of their defects may be added up. */
bool cs_explain_adds_up(const struct cs_explanation *explanation);
/* The largest number of three digits that is not above the value, which is above 0. */
double cs_explain_below(double value);
/* Whether the coupling is stable again beyond its first limit. */
bool cs_explain_is_marked(const struct cs_explain_limit *limit);

/* Numbers by falling absolute value: */
struct cs_explain_rank {
  size_t index;
  double value; /* absolute */
};
/* The order of value [count]; what is equal within 1e-6 of the largest is equal and keeps its order. NULL if memory is
 * short. */
struct cs_explain_rank *cs_explain_sort(size_t count, const double *value);

#endif
