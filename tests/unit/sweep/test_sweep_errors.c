/* Wrong sweep files and what is said about them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "sweep_case.h"

TestSuite(sweep_errors, .init = sweep_case_open, .fini = sweep_case_close);

static void expect_error(const char *set, int code, const char *message) {
  struct cs_error error = {0};
  struct cs_sweep *sweep = NULL;
  cr_expect_eq(cs_sweep_load("s.json", &set, set != NULL, &sweep, &error), code);
  cr_expect_str_eq(error.message, message);
  cr_expect_null(sweep);
  cs_sweep_free(sweep);
}

#define STEP_PATHS                                                                                                     \
  "method.step.control, method.step.size, method.step.ratios, method.step.initial, method.step.min, method.step.max, " \
  "method.step.max_steps, method.step.underflow, method.step.end, method.step.tolerance, method.step.kp, "             \
  "method.step.ki, method.step.alpha, method.step.growth_max, method.step.shrink_max, method.step.atol, "              \
  "method.step.rtol, method.step.estimate, method.step.norm, method.step.defects, method.step.accept, "                \
  "method.step.bonds, "                                                                                                \
  "method.step.signal, method.step.threshold, "                                                                        \
  "method.step.above, method.step.below"
#define STEP_KEYS                                                                                               \
  "control, size, ratios, initial, min, max, max_steps, underflow, end, tolerance, kp, ki, alpha, growth_max, " \
  "shrink_max, "                                                                                                \
  "atol, rtol, estimate, norm, defects, accept, bonds, signal, threshold, above, below"
#define EVENT_PATHS                                                                                                  \
  "method.events.detect, method.events.reset, method.events.interruption, method.events.grid, method.events.first, " \
  "method.events.horizon, method.events.restart, method.events.window, method.events.at_once, method.events.max"
#define PATHS                                                                                                         \
  "parameters.<name>, modes.<name>, method.order, method.master, method.sequence, method.iterations, "                \
  "method.relaxation, method.acceleration, method.tolerance_iterations, method.iterations_max, method.jacobian, "     \
  "method.hold, "                                                                                                     \
  "method.nodes, method.points, method.weight, method.lines, "                                                        \
  "method.input_order, method.output_order, method.continuity, method.compensation, method.latency, "                 \
  "method.feedthrough, method.start, method.solver, "                                                                 \
  "method.micro_steps, method.memory, method.tolerance, method.error_at, method.engine, " STEP_PATHS ", " EVENT_PATHS \
  ", t_end, method.subsystems.<name>.input_order, method.subsystems.<name>.output_order, "                            \
  "method.subsystems.<name>.compensation, method.subsystems.<name>.latency, method.subsystems.<name>.rate, "          \
  "method.subsystems.<name>.solver, "                                                                                 \
  "method.subsystems.<name>.micro_steps, method.subsystems.<name>.memory, "                                           \
  "method.subsystems.<name>.tolerance"
#define KEYS                                                                                                       \
  "master, sequence, iterations, relaxation, acceleration, tolerance_iterations, iterations_max, jacobian, hold, " \
  "nodes, points, weight, lines, "                                                                                 \
  "input_order, output_order, continuity, compensation, "                                                          \
  "latency, "                                                                                                      \
  "feedthrough, "                                                                                                  \
  "start, "                                                                                                        \
  "solver, "                                                                                                       \
  "micro_steps, memory, "                                                                                          \
  "tolerance, error_at, engine, events, order, step, subsystems"
#define SOLVERS "exact, euler, heun, rk4, implicit_euler, trapezoidal, dopri5, ab2, bdf2"
#define METRICS                                                                                                       \
  "output_defect, output_defect_true, connection_defect, integration_defect, output_error, "                          \
  "input_error, state_error, output_error_max, input_error_max, state_error_max, "                                    \
  "output_error_final, input_error_final, state_error_final, output_exact, output_error_relative, error_bound, "      \
  "local_error, "                                                                                                     \
  "local_error_estimate, steps, rejected_steps, evaluations, stages, repeated_steps, step_min, step_mean, step_max, " \
  "t_final, rounding, "                                                                                               \
  "spectral_radius, spectral_radius_exact, spectral_radius_decaying, growth_rate, "                                   \
  "excess_growth_rate, stable"
#define DEFAULTS                                                                      \
  "output_defect, connection_defect, output_error, input_error, state_error, "        \
  "output_error_final, input_error_final, state_error_final, steps, rejected_steps, " \
  "evaluations, stages, repeated_steps, step_min, step_mean, step_max, t_final"
#define H_AXIS "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [0.1, 0.2]}"
#define N63 "abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrstuvwxyz_123456789"
#define NO_MODEL "s.json:1:1: missing key \"model\"; want a string"
#define HEAD "{\"format\": \"cosweep-sweep/1\", \"name\": \"s\", \"model\": \"model.json\", "

/* Members of method (line 3), axes (line 5) and the sweep (line 6) beside those of sweep_case_compose. */
static const struct {
  const char *method, *axes, *rest, *message;
} members[] = {
    {"\"solvr\": \"exact\"", "", "", "s.json:3:1: method.solvr: unknown key; did you mean \"solver\"?"},
    {"\"solver\": \"exat\"", "", "",
     "s.json:3:11: method.solver: unknown solver \"exat\"; did you mean \"exact\"? want one of: " SOLVERS},
    {"\"solver\": 4", "", "", "s.json:3:11: method.solver: found a number; want one of: " SOLVERS},
    {"\"solver\": [\"exact\"]", "", "", "s.json:3:11: method.solver: found a list; want one of: " SOLVERS},
    {"\"master\": \"gauss_sidel\"", "", "",
     "s.json:3:11: method.master: unknown master \"gauss_sidel\"; did you mean \"gauss_seidel\"? want one of: jacobi, "
     "gauss_seidel, or "
     "{\"kernel\": file} for a user-defined one"},
    {"\"engine\": \"doubling\"", "", "",
     "s.json:3:11: method.engine: unknown engine \"doubling\"; did you mean \"double\"? want one of: auto, step, "
     "double"},
    {"\"engine\": \"double\"", "", "\"metrics\": [\"output_error\", \"output_error_max\"]",
     "s.json:3:11: method.engine: engine double sums squares without visiting single steps, which metric "
     "output_error_max needs; want engine auto or step, or other metrics"},
    {"", "{\"name\": \"x\", \"path\": \"method.engine\", \"values\": [\"step\", \"double\"]}",
     "\"metrics\": [\"state_error_max\"]",
     "s.json:5:23: axes[0].path: engine double sums squares without visiting single steps, which metric "
     "state_error_max needs; want engine auto or step, or other metrics, or the combination in \"skip\" (x=double)"},
    {"\"iterations\": 101", "", "",
     "s.json:3:15: method.iterations: found 101; want an integer from 0 to 100, or \"converged\" or \"tolerance\""},
    {"\"rate\": 2", "", "", "s.json:3:1: method.rate: unknown key; want one of: " KEYS},
    {"\"subsystems\": {\"a\": {\"rate\": 65}}", "", "",
     "s.json:3:30: method.subsystems.a.rate: found 65; want an integer from 1 to 64"},
    {"\"subsystems\": {\"a\": {\"rate\": 2}}", "", "",
     "s.json:3:30: method.subsystems.a.rate: needs error_at points; want that, or rate 1"},
    {"\"sequence\": [\"a\", \"c\"]", "", "",
     "s.json:3:19: method.sequence[1]: unknown subsystem \"c\"; want each subsystem once: a, b"},
    {"\"tolerance\": 1e-6", "", "",
     "s.json:3:1: method.tolerance: has no effect without solver dopri5; want none, or solver dopri5"},
    {"\"input_order\": 4", "", "", "s.json:3:16: method.input_order: found 4; want an integer from 0 to 3"},
    {"\"output_order\": -1", "", "", "s.json:3:17: method.output_order: found -1; want an integer from 0 to 3"},
    {"\"input_order\": 1.5", "", "", "s.json:3:16: method.input_order: found 1.5; want an integer from 0 to 3"},
    {"\"order\": 4", "", "", "s.json:3:10: method.order: found 4; want an integer from 0 to 3"},
    {"\"order\": 1, \"input_order\": 1", "", "",
     "s.json:3:1: method.order: given together with the orders it sets; want either order, or input_order and "
     "output_order"},
    {"\"micro_steps\": 3", "", "",
     "s.json:3:16: method.micro_steps: found 3; want 1 or an even integer up to 65534, or \"auto\""},
    {"\"micro_steps\": 0", "", "",
     "s.json:3:16: method.micro_steps: found 0; want 1 or an even integer up to 65534, or \"auto\""},
    {"\"micro_steps\": \"two\"", "", "",
     "s.json:3:16: method.micro_steps: unknown micro_steps \"two\"; want 1 or an even integer up to 65534, or "
     "\"auto\""},
    {"\"solver\": \"rk4\", \"micro_steps\": 1", "", "",
     "s.json:3:33: method.micro_steps: one micro step has no midpoint with solver rk4 of subsystem a; want an even "
     "number"},
    {"\"hold\": \"lagrange\", \"feedthrough\": \"refresh\"", "", "",
     "s.json:3:36: method.feedthrough: feedthrough refresh has no meaning with hold lagrange; want hold taylor"},
    {"\"start\": null", "", "", "s.json:3:10: method.start: found null; want one of: consistent, ramp, zero"},
    {"\"error_at\": true", "", "",
     "s.json:3:13: method.error_at: found true or false; want one of: continuous, points"},
    {"\"solver\": \"ab2\", \"memory\": \"forget\"", "", "",
     "s.json:3:28: method.memory: unknown memory \"forget\"; want one of: restart, keep"},
    {"\"solver\": \"heun\", \"memory\": \"keep\"", "", "",
     "s.json:3:19: method.memory: has no effect without solver ab2 or bdf2; want none, or one of these"},
    {"\"subsystems\": {\"c\": {}}", "", "", "s.json:3:16: method.subsystems.c: unknown subsystem; want one of: a, b"},
    {"\"subsystems\": {\"a\": {\"hold\": \"taylor\"}}", "", "",
     "s.json:3:22: method.subsystems.a.hold: unknown key; want one of: input_order, output_order, compensation, "
     "latency, rate, "
     "solver, "
     "micro_steps, memory, "
     "tolerance"},
    {"\"subsystems\": {\"a\": {\"tolerance\": 1e-6}}", "", "",
     "s.json:3:22: method.subsystems.a.tolerance: has no effect without solver dopri5; want none, or solver dopri5"},
    {"\"subsystems\": {\"b\": {\"input_order\": 7}}", "", "",
     "s.json:3:37: method.subsystems.b.input_order: found 7; want an integer from 0 to 3"},
    {"\"subsystems\": {\"b\": 1}", "", "", "s.json:3:21: method.subsystems.b: found a number; want an object"},
    {"\"subsystems\": {\"b\": [7]}", "", "", "s.json:3:21: method.subsystems.b: found a list; want an object"},
    {"\"solver\": \"heun\", \"micro_steps\": 2, \"subsystems\": {\"b\": {\"micro_steps\": 1}}", "", "",
     "s.json:3:73: method.subsystems.b.micro_steps: one micro step has no midpoint with solver heun of subsystem b; "
     "want an even number"},
    {"", "{\"name\": \"x\", \"path\": \"method.solvr\", \"values\": [1]}", "",
     "s.json:5:23: axes[0].path: unknown path \"method.solvr\"; did you mean \"method.solver\"?"},
    {"", "{\"name\": \"x\", \"path\": \"method.step.tolerance\", \"values\": [1]}", "",
     "s.json:5:23: axes[0].path: path \"method.step.tolerance\" has no effect with control fixed; want one of: "
     "method.step.control, method.step.size, method.step.max_steps, method.step.underflow, method.step.estimate"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.r\", \"values\": [1]}", "",
     "s.json:5:23: axes[0].path: unknown parameter \"r\"; want one of: p, q"},
    {"", "{\"name\": \"x\", \"path\": \"method.subsystems.c.solver\", \"values\": [\"exact\"]}", "",
     "s.json:5:23: axes[0].path: unknown subsystem in \"method.subsystems.c.solver\"; want one of: a, b"},
    {"", "{\"name\": \"x\", \"path\": \"method.subsystems.a.hold\", \"values\": [\"taylor\"]}", "",
     "s.json:5:23: axes[0].path: unknown path \"method.subsystems.a.hold\"; did you mean \"method.hold\"?"},
    {"", "{\"name\": \"x\", \"path\": \"method.subsystems.a.tolerance\", \"values\": [1]}", "",
     "s.json:5:23: axes[0].path: path \"method.subsystems.a.tolerance\" has no effect without solver dopri5; want "
     "none, or solver dopri5"},
    {"", "{\"name\": \"x\", \"path\": \"t_start\", \"values\": [1]}", "",
     "s.json:5:23: axes[0].path: unknown path \"t_start\"; want one of: method.start, and 74 others"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": []}", "",
     "s.json:5:49: axes[0].values: found an empty list; want at least one value"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": 3}", "",
     "s.json:5:49: axes[0].values: found a number; want a list"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": [1, true]}", "",
     "s.json:5:53: axes[0].values[1]: found true or false; want a number"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": [null]}", "",
     "s.json:5:50: axes[0].values[0]: found null; want a number"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": [\"1\"]}", "",
     "s.json:5:50: axes[0].values[0]: found a string; want a number"},
    {"", "{\"name\": \"x\", \"path\": \"method.solver\", \"values\": [\"exact\", \"exat\"]}", "",
     "s.json:5:60: axes[0].values[1]: unknown solver \"exat\"; did you mean \"exact\"? want one of: " SOLVERS},
    {"", "{\"name\": \"x\", \"path\": \"method.solver\", \"values\": [\"exact\", \"exact\"]}", "",
     "s.json:5:50: axes[0].values: \"exact\" is listed twice; want each name once"},
    {"", "{\"name\": \"x\", \"path\": \"method.solver\", \"values\": [1]}", "",
     "s.json:5:51: axes[0].values[0]: found a number; want one of: " SOLVERS},
    {"", "{\"name\": \"x\", \"path\": \"method.solver\", \"linspace\": [0, 1, 2]}", "",
     "s.json:5:40: axes[0].linspace: solver takes no numbers; want \"values\" with some of: " SOLVERS},
    {"", "{\"name\": \"x\", \"path\": \"method.sequence\", \"linspace\": [0, 1, 2]}", "",
     "s.json:5:42: axes[0].linspace: sequence takes no numbers; want \"values\" with some of: model, "
     "alternating, {\"label\": text, \"value\": list of all subsystems}"},
    {"", "{\"name\": \"x\", \"path\": \"method.order\", \"values\": [0, 4]}", "",
     "s.json:5:53: axes[0].values[1]: found 4; want an integer from 0 to 3"},
    {"", "{\"name\": \"x\", \"path\": \"method.input_order\", \"linspace\": [0, 1, 3]}", "",
     "s.json:5:57: axes[0].linspace: value 2 of 3 is 0.5; want an integer from 0 to 3"},
    {"", "{\"name\": \"x\", \"path\": \"method.micro_steps\", \"values\": [\"auto\"]}", "",
     "s.json:5:56: axes[0].values[0]: found a string; want 1 or an even integer up to 65534"},
    {"", "{\"name\": \"x\", \"path\": \"method.micro_steps\", \"values\": [2, 3]}", "",
     "s.json:5:59: axes[0].values[1]: found 3; want 1 or an even integer up to 65534"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": [{\"label\": \"a\", \"value\": 1}, 2]}", "",
     "s.json:5:78: axes[0].values[1]: found a value without label among labelled ones; want {\"label\": text, "
     "\"value\": number} for all or for none"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": [{\"label\": \"\", \"value\": 1}]}", "",
     "s.json:5:50: axes[0].values[0]: the label is empty; want some text"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": [{\"label\": \"a\", \"valu\": 1}]}", "",
     "s.json:5:65: axes[0].values[0].valu: unknown key; did you mean \"value\"? want one of: label, value"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": [{\"label\": \"a\"}]}", "",
     "s.json:5:50: axes[0].values[0]: missing key \"value\"; want a value"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"linspace\": [0, 1]}", "",
     "s.json:5:51: axes[0].linspace: found 2 items; want [first, last, count]"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"linspace\": [0, 1, 0]}", "",
     "s.json:5:58: axes[0].linspace[2]: found 0; want a count, an integer from 1 to 67108864"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"linspace\": [0, 1, 2.5]}", "",
     "s.json:5:58: axes[0].linspace[2]: found 2.5; want a count, an integer from 1 to 67108864"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"linspace\": [0, 1, 1]}", "",
     "s.json:5:58: axes[0].linspace[2]: a single value cannot have two ends; want a count of at least 2, or equal "
     "ends"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"linspace\": [0, 1, 1e9]}", "",
     "s.json:5:58: axes[0].linspace[2]: found 1000000000; want a count, an integer from 1 to 67108864"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"logspace\": [0, 1, 3]}", "",
     "s.json:5:52: axes[0].logspace[0]: found 0; want a number > 0 as end of logspace"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"logspace\": [1, \"2\", 3]}", "",
     "s.json:5:55: axes[0].logspace[1]: found a string; want a number"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\"}", "",
     "s.json:5:1: axes[0]: want one of the keys: values, linspace, logspace"},
    {"", "{\"name\": \"x\", \"values\": [1]}", "",
     "s.json:5:1: axes[0]: want one of the keys: path, paths, zip, sample"},
    {"", "{\"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:1: axes[0]: missing key \"name\"; want a string"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": [1], \"linspace\": [0, 1, 2]}", "",
     "s.json:5:54: axes[0].linspace: given together with \"values\"; want one of: values, linspace, logspace"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"zip\": {\"parameters.q\": [1]}}", "",
     "s.json:5:39: axes[0].zip: given together with \"path\"; want one of: path, paths, zip, sample"},
    {"", "{\"name\": \"x\", \"paths\": [], \"values\": [1]}", "",
     "s.json:5:24: axes[0].paths: found an empty list; want at least one path"},
    {"", "{\"name\": \"x\", \"paths\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:24: axes[0].paths: found a string; want a list"},
    {"", "{\"name\": \"x\", \"path\": 3, \"values\": [1]}", "",
     "s.json:5:23: axes[0].path: found a number; want a string"},
    {"", "{\"name\": \"x\", \"pats\": [], \"values\": [1]}", "",
     "s.json:5:15: axes[0].pats: unknown key; did you mean \"path\"? want one of: name, path, paths, zip, sample, "
     "values, "
     "linspace, logspace, unit, "
     "description"},
    {"", "7", "", "s.json:5:1: axes[0]: found a number; want an object"},
    {"", "{\"name\": \"x\", \"paths\": [\"parameters.p\", \"method.solver\"], \"values\": [1]}", "",
     "s.json:5:70: axes[0].values[0]: found a number; want one of: " SOLVERS},
    {"", "{\"name\": \"x\", \"paths\": [\"method.order\", \"method.input_order\"], \"values\": [1]}", "",
     "s.json:5:41: axes[0].paths[1]: \"method.input_order\" is already bound by axis \"x\"; want each path once"},
    {"",
     "{\"name\": \"x\", \"path\": \"method.order\", \"values\": [1]},\n{\"name\": \"y\", \"path\": "
     "\"method.output_order\", \"values\": [1]}",
     "", "s.json:6:23: axes[1].path: \"method.output_order\" is already bound by axis \"x\"; want each path once"},
    {"", H_AXIS ",\n{\"name\": \"x\", \"path\": \"method.step.size\", \"values\": [1]}", "",
     "s.json:6:23: axes[1].path: \"method.step.size\" is already bound by axis \"H\"; want each path once"},
    {"", H_AXIS ",\n{\"name\": \"H\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:6:10: axes[1].name: \"H\" is already the name of another axis; want another name"},
    {"", "{\"name\": \"1x\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"1x\" is not a name; want a letter followed by letters, digits or _"},
    {"", "{\"name\": \"" N63 "0\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"abcdefghijklmnopqrstuvwx...\" has 64 characters; want at most 63"},
    {"", "{\"name\": \"" N63 "\", \"zip\": {\"parameters.p\": [1]}}", "",
     "s.json:5:85: axes[0].zip.parameters.p: \"abcdefghijklmnopqrstuvwx...\" has 65 characters; want at most 63"},
    {"", "{\"name\": \"state_error\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"state_error\" is already the name of a metric; want another name"},
    {"", "{\"name\": \"state_error_order_r2\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"state_error_order_r2\" is already the name of a fit; want another name"},
    {"", "{\"name\": \"events\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"events\" is already the name of a metric; want another name"},
    {"", "{\"name\": \"status\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"status\" is already the name of a metric; want another name"},
    {"", "{\"name\": \"output\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"output\" is already the name of a signal dimension; want another name"},
    {"", "{\"name\": \"event\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"event\" is already the name of a signal dimension; want another name"},
    {"", "{\"name\": \"occurrence\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"occurrence\" is already the name of a signal dimension; want another name"},
    {"", "{\"name\": \"input_units\", \"path\": \"parameters.p\", \"values\": [1]}", "",
     "s.json:5:10: axes[0].name: \"input_units\" is already a name of the result file; want another name"},
    {"", "{\"name\": \"x\", \"zip\": {}}", "",
     "s.json:5:22: axes[0].zip: found an empty object; want at least one path"},
    {"", "{\"name\": \"x\", \"zip\": [1]}", "", "s.json:5:22: axes[0].zip: found a list; want an object"},
    {"", "{\"name\": \"x\", \"zip\": {\"parameters.p\": [1, 2], \"parameters.q\": [1]}}", "",
     "s.json:5:63: axes[0].zip.parameters.q: found a list of 1; want 2 values, as for \"parameters.p\""},
    {"", "{\"name\": \"x\", \"zip\": {\"parameters.p\": [1]}, \"values\": [1]}", "",
     "s.json:5:45: axes[0].values: given together with \"zip\"; want the values in zip"},
    {"", "{\"name\": \"x\", \"zip\": {\"parameters.p\": [1], \"parameters.r\": [1]}}", "",
     "s.json:5:44: axes[0].zip.parameters.r: unknown parameter \"r\"; want one of: p, q"},
    {"",
     "{\"name\": \"x\", \"zip\": {\"method.subsystems.a.solver\": [\"exact\"], \"method.subsystems.b.solver\": "
     "[\"exact\"]}}",
     "",
     "s.json:5:64: axes[0].zip.method.subsystems.b.solver: \"x_solver\" is already the name of a column of a zip axis; "
     "want another name for the axis or other last parts of the paths"},
    {"",
     "{\"name\": \"x_q\", \"path\": \"parameters.p\", \"values\": [1]},\n{\"name\": \"x\", \"zip\": {\"parameters.q\": "
     "[1]}}",
     "",
     "s.json:6:23: axes[1].zip.parameters.q: \"x_q\" is already the name of another axis; want another name for the "
     "axis or other last parts of the paths"},
    {"",
     "{\"name\": \"x\", \"zip\": {\"parameters.q\": [1]}},\n{\"name\": \"x_q\", \"path\": \"parameters.p\", "
     "\"values\": [1]}",
     "", "s.json:6:10: axes[1].name: \"x_q\" is already the name of a column of a zip axis; want another name"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"values\": [1], \"unit\": 1}", "",
     "s.json:5:62: axes[0].unit: found a number; want a string"},
    {"", "{\"name\": \"H\", \"path\": \"method.step.size\", \"values\": [1], \"unit\": \"ms\"}", "",
     "s.json:5:66: axes[0].unit: found \"ms\"; want \"s\", the unit of method.step.size: values are not converted"},
    {"", "{\"name\": \"x\", \"path\": \"method.order\", \"values\": [1], \"unit\": \"s\"}", "",
     "s.json:5:62: axes[0].unit: found \"s\"; want \"1\", the unit of method.order: values are not converted"},
    {"", "{\"name\": \"x\", \"paths\": [\"parameters.p\", \"t_end\"], \"values\": [1], \"unit\": \"kg\"}", "",
     "s.json:5:74: axes[0].unit: found \"kg\"; want \"s\", the unit of t_end: values are not converted"},
    {"", "{\"name\": \"x\", \"unit\": \"s\", \"zip\": {\"t_end\": [1]}}", "",
     "s.json:5:23: axes[0].unit: found \"s\"; want none: points have numbers, and settings their own units"},
    {"",
     "{\"name\": \"y\", \"path\": \"method.feedthrough\", \"values\": [\"explicit\", \"refresh\"]},\n{\"name\": \"x\", "
     "\"path\": \"method.hold\", \"values\": [\"taylor\", \"lagrange\"]}",
     "",
     "s.json:5:23: axes[0].path: feedthrough refresh has no meaning with hold lagrange; want hold taylor, or the "
     "combination in \"skip\" (y=refresh, x=lagrange)"},
    {"", "{\"name\": \"x\", \"zip\": {\"method.micro_steps\": [1, 1], \"method.solver\": [\"euler\", \"rk4\"]}}", "",
     "s.json:5:23: axes[0].zip.method.micro_steps: one micro step has no midpoint with solver rk4 of subsystem a; want "
     "an even number, or the combination in \"skip\" (x=1)"},
    {"",
     "{\"name\": \"x\", \"path\": \"parameters.p\", \"linspace\": [0, 1, 1048577]},\n{\"name\": \"y\", \"path\": "
     "\"parameters.q\", \"linspace\": [0, 1, 1048576]}",
     "", "s.json:4:9: axes: more than 2^40 runs; want fewer or shorter axes"},
    {"", "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0", "",
     "s.json:4:9: axes: found 32 axes; want at most 31"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"logspace\": [-0.1, 1, 3]}", "",
     "s.json:5:52: axes[0].logspace[0]: found -0.1; want a number > 0 as end of logspace"},
    {"", H_AXIS, "\"skip\": {}", "s.json:6:9: skip: found an object; want a list"},
    {"", H_AXIS, "\"skip\": [{}]",
     "s.json:6:10: skip[0]: found an empty object, which would skip every run; want at least one axis"},
    {"", H_AXIS, "\"skip\": [{\"h\": 0.1}]", "s.json:6:11: skip[0].h: unknown axis; want one of: H"},
    {"", "", "\"skip\": [{\"h\": 0.1}]", "s.json:6:11: skip[0].h: unknown axis; want none, the sweep has no axes"},
    {"", H_AXIS, "\"skip\": [{\"H\": 0.3}]",
     "s.json:6:16: skip[0].H: not a value of axis \"H\"; want one of: 0.1, 0.2"},
    {"", H_AXIS, "\"skip\": [{\"H\": \"0.1\"}]", "s.json:6:16: skip[0].H: found a string; want a number"},
    {"", "{\"name\": \"x\", \"path\": \"parameters.p\", \"linspace\": [0, 20, 21]}", "\"skip\": [{\"x\": 0.5}]",
     "s.json:6:16: skip[0].x: not a value of axis \"x\"; want one of: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ..."},
    {"", "{\"name\": \"x\", \"path\": \"method.solver\", \"values\": [\"exact\", \"rk4\"]}",
     "\"skip\": [{\"x\": \"euler\"}]", "s.json:6:16: skip[0].x: not a value of axis \"x\"; want one of: exact, rk4"},
    {"", "", "\"metrics\": [\"output_defct\"]",
     "s.json:6:13: metrics[0]: unknown metric \"output_defct\"; did you mean \"output_defect\"?"},
    {"", "", "\"metrics\": [\"events\"]",
     "s.json:6:13: metrics[0]: \"events\" is not available: the model has no state events; want one of: " METRICS},
    {"", "", "\"metrics\": [\"eigenvalue\"]",
     "s.json:6:13: metrics[0]: \"eigenvalue\" is available in study stability only; want one of: " METRICS},
    {"", "", "\"metrics\": [\"contraction\"]",
     "s.json:6:13: metrics[0]: \"contraction\" is not available: no run has iterations; want one of: " METRICS},
    {"", "", "\"metrics\": [\"status\"]",
     "s.json:6:13: metrics[0]: \"status\" is always written and need not be asked for; want one of: " METRICS},
    {"", "", "\"metrics\": [\"steps\", \"steps\"]",
     "s.json:6:22: metrics[1]: \"steps\" is listed twice; want each metric once"},
    {"", "", "\"metrics\": [\"monitor_rms\"]",
     "s.json:6:13: metrics[0]: \"monitor_rms\" is not available: the model has no such signals; want one of: " METRICS},
    {"", "", "\"metrics\": [\"monitor_predicted\"]",
     "s.json:6:13: metrics[0]: \"monitor_predicted\" is not available: no monitor of the model has a \"flow\"; want "
     "one "
     "of: " METRICS},
    {"", "", "\"metrics\": [\"bond_energy\"]",
     "s.json:6:13: metrics[0]: \"bond_energy\" is not available: no run has method.step.bonds; want one "
     "of: " METRICS},
    {"", "", "\"metrics\": [\"bond_share\"]",
     "s.json:6:13: metrics[0]: \"bond_share\" is not available: no run has step control pi_ecco; want one "
     "of: " METRICS},
    {"", "", "\"metrics\": []",
     "s.json:6:12: metrics: found an empty list; want at least one metric, or no list for the default"},
    {"", "", "\"metrics\": \"steps\"", "s.json:6:12: metrics: found a string; want a list"},
    {"", "", "\"metrics\": [1]", "s.json:6:13: metrics[0]: found a number; want a string"},
    {"", H_AXIS, "\"fits\": [{\"along\": \"h\"}]",
     "s.json:6:20: fits[0].along: unknown axis \"h\"; want an axis of numbers, one of: H"},
    {"", "", "\"fits\": [{\"along\": \"h\"}]",
     "s.json:6:20: fits[0].along: unknown axis \"h\"; want an axis of numbers"},
    {"", "{\"name\": \"x\", \"path\": \"method.solver\", \"values\": [\"exact\", \"rk4\"]},\n" H_AXIS,
     "\"fits\": [{\"along\": \"x\"}]",
     "s.json:7:20: fits[0].along: axis of labels \"x\"; want an axis of numbers, one of: H"},
    {"", "{\"name\": \"z\", \"zip\": {\"parameters.q\": [1]}},\n" H_AXIS, "\"fits\": [{\"along\": \"z\"}]",
     "s.json:7:20: fits[0].along: zip axis \"z\"; want an axis of numbers, one of: H"},
    {"", H_AXIS, "\"fits\": [{\"along\": \"H\", \"metrics\": [\"output_defect_true\"]}]",
     "s.json:6:37: fits[0].metrics[0]: \"output_defect_true\" is not among the metrics written; want one "
     "of: " DEFAULTS},
    {"", H_AXIS, "\"metrics\": [\"steps\"], \"fits\": [{\"along\": \"H\"}]",
     "s.json:6:32: fits[0]: no defect or error is among the metrics written; want one to fit"},
    {"", H_AXIS, "\"fits\": [{\"along\": \"H\"}, {\"along\": \"H\"}]",
     "s.json:6:26: fits[1]: output_defect is already fitted along \"H\"; want each metric once"},
    {"", H_AXIS, "\"fits\": [{\"metrics\": []}]", "s.json:6:10: fits[0]: missing key \"along\"; want a string"},
    {"", H_AXIS, "\"fits\": [{\"along\": \"H\", \"metric\": []}]",
     "s.json:6:25: fits[0].metric: unknown key; did you mean \"metrics\"? want one of: along, metrics"},
    {"", "", "\"parameters\": {\"r\": 1}", "s.json:6:16: parameters.r: unknown parameter; want one of: p, q"},
    {"", "", "\"parameters\": {\"p\": \"1\"}", "s.json:6:21: parameters.p: found a string; want a number"},
    {"", "", "\"parameters\": [1]", "s.json:6:15: parameters: found a list; want an object"},
    {"", "", "\"study\": \"stability\"",
     "s.json:1:67: t_end: does not apply to study stability, which simulates no steps; want no t_end, or study "
     "simulation"},
    {"", H_AXIS, "\"boundary\": {\"along\": \"H\"}",
     "s.json:6:1: boundary: applies to study stability only, not to study simulation; want none, or study stability"},
    {"", H_AXIS, "\"refine\": 2",
     "s.json:6:1: refine: applies to study stability only, not to study simulation; want none, or study stability"},
    {"", "", "\"study\": \"x\"", "s.json:6:10: study: unknown study \"x\"; want one of: simulation, stability"},
    {"", "", "\"metric\": []", "s.json:6:1: metric: unknown key; did you mean \"metrics\"?"},
    {"", "", "\"$schema\": 3", "s.json:6:12: $schema: found a number; want a string"},
    {"", "", "\"description\": 3", "s.json:6:16: description: found a number; want a string"},
    {"", "", "\"parameters\": {\"p\": 0}",
     "s.json:6:15: parameters: model.json:5:11: subsystems[0].A[0][0]: division by zero; want a finite number"},
};

Test(sweep_errors, wrong_members) {
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    sweep_case_compose(members[i].method, members[i].axes, members[i].rest);
    expect_error(NULL, CS_INPUT, members[i].message);
  }
}

static const struct {
  const char *text, *message;
} files[] = {
    {"[]", "s.json:1:1: found a list; want an object"},
    {"{}", "s.json:1:1: missing key \"format\"; want a string"},
    {"{\"format\": \"cosweep-sweep/2\"}",
     "s.json:1:12: format: unknown format \"cosweep-sweep/2\"; want \"cosweep-sweep/1\""},
    {"{\"format\": \"cosweep-sweep/1\"}", "s.json:1:1: missing key \"name\"; want a string\n" NO_MODEL},
    {"{\"format\": \"cosweep-sweep/1\", \"name\": \"a/b\"}",
     "s.json:1:39: name: \"a/b\" cannot name a result file; want a letter or digit followed by letters, digits, _, - "
     "or .\n" NO_MODEL},
    {"{\"format\": \"cosweep-sweep/1\", \"name\": \"\"}",
     "s.json:1:39: name: \"\" cannot name a result file; want a letter or digit followed by letters, digits, _, - or "
     ".\n" NO_MODEL},
    {"{\"format\": \"cosweep-sweep/1\", \"name\": \"s\"}", NO_MODEL},
    {"{\"format\": \"cosweep-sweep/1\", \"name\": \"s\",\n \"model\": \"none.json\"}",
     "s.json:2:11: model: none.json: cannot be opened: No such file or directory; want a readable JSON file"},
    {"{\"format\": \"cosweep-sweep/1\", \"name\": \"s\",\n \"model\": 3}",
     "s.json:2:11: model: found a number; want a string"},
    {HEAD "\"t_end\": 1}", "s.json:1:1: method.step.size is not given; want a number > 0, or an axis over it"},
    {HEAD "\"method\": {\"step\": {\"size\": 0.1}}}",
     "s.json:1:1: t_end is not given; want a number > 0, or an axis over it"},
    {HEAD "\"t_end\": 0, \"method\": {\"step\": {\"size\": 0.1}}}", "s.json:1:76: t_end: found 0; want a number > 0"},
    {HEAD "\"t_end\": 1, \"method\": {\"step\": {\"size\": 0}}}",
     "s.json:1:107: method.step.size: found 0; want a number > 0"},
    {HEAD "\"t_end\": 1, \"method\": {\"step\": {\"size\": -0.1}}}",
     "s.json:1:107: method.step.size: found -0.1; want a number > 0"},
    {HEAD "\"t_end\": \"1\"}", "s.json:1:76: t_end: found a string; want a number > 0"},
    {HEAD "\"t_end\": 1, \"method\": {\"step\": {\"size\": 0.1, \"max_steps\": 0}}}",
     "s.json:1:125: method.step.max_steps: found 0; want an integer from 1 to 9007199254740992"},
    {HEAD "\"t_end\": 1, \"method\": {\"step\": {\"size\": 0.1, \"max_steps\": 1.5}}}",
     "s.json:1:125: method.step.max_steps: found 1.5; want an integer from 1 to 9007199254740992"},
    {HEAD "\"t_end\": 1, \"method\": {\"step\": {\"siz\": 1e-3}}}",
     "s.json:1:99: method.step.siz: unknown key; did you mean \"size\"?"},
    {HEAD "\"t_end\": 1, \"method\": {\"step\": 0.1}}", "s.json:1:98: method.step: found a number; want an object"},
    {HEAD "\"t_end\": 1, \"method\": \"jacobi\"}", "s.json:1:89: method: found a string; want an object"},
    {HEAD "\"t_end\": 1, \"method\": [7]}", "s.json:1:89: method: found a list; want an object"},
    {HEAD "\"t_end\": 1, \"method\": {\"step\": [7]}}", "s.json:1:98: method.step: found a list; want an object"},
    {HEAD "\"axes\": {}}", "s.json:1:75: axes: found an object; want a list"},
    {HEAD "\"name\": 1}", "s.json:1:67: name: duplicate key, first at 1:31; want each key once"},
};

Test(sweep_errors, wrong_files) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    sweep_case_write("s.json", files[i].text);
    expect_error(NULL, CS_INPUT, files[i].message);
  }
}

#define STABILITY_METRICS                                                                                       \
  "spectral_radius, spectral_radius_exact, spectral_radius_decaying, growth_rate, excess_growth_rate, stable, " \
  "eigenvalue"
#define STABILITY_KEYS                                                                                             \
  "master, sequence, iterations, relaxation, acceleration, tolerance_iterations, iterations_max, jacobian, hold, " \
  "nodes, points, weight, lines, "                                                                                 \
  "input_order, output_order, continuity, compensation, "                                                          \
  "latency, "                                                                                                      \
  "feedthrough, "                                                                                                  \
  "solver, "                                                                                                       \
  "micro_steps, memory, "                                                                                          \
  "order, step, subsystems"
#define STABILITY_PATHS                                                                                           \
  "parameters.<name>, modes.<name>, method.order, method.master, method.sequence, method.iterations, "            \
  "method.relaxation, method.acceleration, method.tolerance_iterations, method.iterations_max, method.jacobian, " \
  "method.hold, "                                                                                                 \
  "method.nodes, method.points, method.weight, method.lines, "                                                    \
  "method.input_order, method.output_order, method.continuity, method.compensation, method.latency, "             \
  "method.feedthrough, method.solver, "                                                                           \
  "method.micro_steps, method.memory, "                                                                           \
  "method.step.control, method.step.size, method.step.ratios, method.subsystems.<name>.input_order, "             \
  "method.subsystems.<name>.output_order, method.subsystems.<name>.compensation, "                                \
  "method.subsystems.<name>.latency, method.subsystems.<name>.rate, "                                             \
  "method.subsystems.<name>.solver, "                                                                             \
  "method.subsystems.<name>.micro_steps, method.subsystems.<name>.memory"
#define NO_STEPS "does not apply to study stability, which simulates no steps; want "

/* Members of method (line 2) and of the sweep (line 3) in study stability. */
static const struct {
  const char *method, *rest, *message;
} stability[] = {
    {"\"start\": \"ramp\", \"step\": {\"size\": 1}", "",
     "s.json:2:12: method.start: " NO_STEPS "one of: " STABILITY_KEYS},
    {"\"error_at\": \"points\", \"step\": {\"size\": 1}", "",
     "s.json:2:12: method.error_at: " NO_STEPS "one of: " STABILITY_KEYS},
    {"\"engine\": \"step\", \"step\": {\"size\": 1}", "",
     "s.json:2:12: method.engine: " NO_STEPS "one of: " STABILITY_KEYS},
    {"\"events\": {}, \"step\": {\"size\": 1}", "", "s.json:2:12: method.events: " NO_STEPS "one of: " STABILITY_KEYS},
    {"\"step\": {\"size\": 1}",
     "\"axes\": [{\"name\": \"T\", \"path\": \"method.events.grid\", \"values\": [\"keep\"]}]",
     "s.json:3:32: axes[0].path: path \"method.events.grid\" " NO_STEPS "one of: " STABILITY_PATHS},
    {"\"step\": {\"size\": 1, \"max_steps\": 5}", "",
     "s.json:2:32: method.step.max_steps: " NO_STEPS "one of: control, size, ratios"},
    {"\"step\": {\"size\": -1}", "", "s.json:2:29: method.step.size: found -1; want a number >= 0"},
    {"\"step\": {}", "", "s.json:1:1: method.step.size is not given; want a number >= 0, or an axis over it"},
    {"\"step\": {\"size\": 1}, \"subsystems\": {\"a\": {\"start\": \"ramp\"}}", "",
     "s.json:2:54: method.subsystems.a.start: unknown key; want one of: input_order, output_order, compensation, "
     "latency, rate, "
     "solver, "
     "micro_steps, memory"},
    {"\"step\": {\"size\": 1}", "\"t_end\": 1", "s.json:3:1: t_end: " NO_STEPS "no t_end, or study simulation"},
    {"\"step\": {\"size\": 1}", "\"axes\": [{\"name\": \"T\", \"path\": \"t_end\", \"values\": [1]}]",
     "s.json:3:32: axes[0].path: path \"t_end\" " NO_STEPS "one of: " STABILITY_PATHS},
    {"\"step\": {\"size\": 1}", "\"axes\": [{\"name\": \"x\", \"path\": \"method.start\", \"values\": [\"zero\"]}]",
     "s.json:3:32: axes[0].path: path \"method.start\" " NO_STEPS "one of: " STABILITY_PATHS},
    {"\"step\": {\"size\": 1}", "\"axes\": [{\"name\": \"eigenvalue\", \"path\": \"parameters.p\", \"values\": [1]}]",
     "s.json:3:19: axes[0].name: \"eigenvalue\" is already the name of a metric; want another name"},
    {"\"step\": {\"size\": 1}", "\"metrics\": [\"steps\"]",
     "s.json:3:13: metrics[0]: \"steps\" is available in study simulation only; want one of: " STABILITY_METRICS},
    {"\"step\": {\"size\": 1}",
     "\"axes\": [{\"name\": \"mode\", \"path\": \"parameters.p\", \"values\": [1]}], \"metrics\": [\"eigenvalue\"]",
     "s.json:3:19: axes[0].name: \"mode\" is the signal dimension of metric eigenvalue; want another name"},
    {"\"step\": {\"size\": 1}", "\"metrics\": [\"eigenvalue_re\"]",
     "s.json:3:13: metrics[0]: unknown metric \"eigenvalue_re\"; did you mean \"eigenvalue\"? want one "
     "of: " STABILITY_METRICS},
    {"\"step\": {\"size\": 1}", "\"metrics\": [\"eigenvalue\", \"eigenvalue\"]",
     "s.json:3:27: metrics[1]: \"eigenvalue\" is listed twice; want each metric once"},
    {"\"step\": {\"size\": 1}", "\"fits\": [{\"along\": \"H\"}]",
     "s.json:3:1: fits: study stability has no defects or errors to fit; want no fits, or study simulation"},
    {"\"step\": {\"size\": 1}", "\"boundary\": \"H\"", "s.json:3:13: boundary: found a string; want an object"},
    {"\"step\": {\"size\": 1}", "\"boundary\": {\"along\": \"H\"}",
     "s.json:3:23: boundary.along: unknown axis \"H\"; want an axis of real numbers"},
    {"\"step\": {\"size\": 1}", "\"boundary\": {\"axis\": \"H\"}",
     "s.json:3:14: boundary.axis: unknown key; want one of: along"},
    {"\"hold\": \"taylor\"",
     "\"boundary\": {\"along\": \"m\"}, \"axes\": [" H_AXIS
     ",\n{\"name\": \"m\", \"path\": \"method.order\", \"values\": "
     "[0, 1]}]",
     "s.json:3:23: boundary.along: axis of whole numbers \"m\"; want an axis of real numbers, one of: H"},
    {"\"hold\": \"taylor\"",
     "\"boundary\": {\"along\": \"s\"}, \"axes\": [" H_AXIS
     ",\n{\"name\": \"s\", \"path\": \"method.hold\", \"values\": "
     "[\"taylor\"]}]",
     "s.json:3:23: boundary.along: axis of labels \"s\"; want an axis of real numbers, one of: H"},
    {"\"step\": {\"size\": 1}",
     "\"boundary\": {\"along\": \"p\"}, \"axes\": [{\"name\": \"p\", \"path\": \"parameters.p\", \"values\": [1]}]",
     "s.json:3:23: boundary.along: axis \"p\" has one value; want at least 2 to search between"},
    {"\"hold\": \"taylor\"",
     "\"boundary\": {\"along\": \"H\"}, \"axes\": [" H_AXIS
     ",\n{\"name\": \"H_crossings\", \"path\": \"parameters.p\", \"values\": [1]}]",
     "s.json:3:1: boundary: its results need the name \"H_crossings\", which axis \"H_crossings\" has; want another "
     "name "
     "for the axis"},
    {"\"hold\": \"taylor\"", "\"refine\": 2, \"axes\": [" H_AXIS "]",
     "s.json:3:1: refine: found 1 axes of several real numbers; want 2, which span a map"},
    {"\"hold\": \"taylor\"", "\"refine\": 0, \"axes\": [" H_AXIS "]",
     "s.json:3:11: refine: found 0; want an integer from 1 to 10"},
    {"\"hold\": \"taylor\"",
     "\"refine\": 2, \"axes\": [" H_AXIS ",\n{\"name\": \"level\", \"path\": \"parameters.p\", \"values\": [1, 2]}]",
     "s.json:3:1: refine: its results need the name \"level\", which axis \"level\" has; want another name for the "
     "axis"},
};

Test(sweep_errors, wrong_members_in_study_stability) {
  for (size_t i = 0; i < sizeof stability / sizeof *stability; i++) {
    struct cs_text text = {0};
    cs_text_add(&text, HEAD "\"study\": \"stability\",\n\"method\": {%s}%s\n%s}", stability[i].method,
                *stability[i].rest ? "," : "", stability[i].rest);
    sweep_case_write("s.json", text.data);
    cs_text_free(&text);
    expect_error(NULL, CS_INPUT, stability[i].message);
  }
}

static const struct {
  const char *set;
  int code;
  const char *message;
} overrides[] = {
    {"t_end", CS_USAGE, "--set t_end: no '='; want path=value, such as method.step.size=0.01"},
    {"method.solver=exat", CS_INPUT,
     "--set method.solver: unknown solver \"exat\"; did you mean \"exact\"? want one of: " SOLVERS},
    {"method.step.size=0", CS_INPUT, "--set method.step.size: found 0; want a number > 0"},
    {"method.step=1", CS_USAGE, "--set method.step: leads to an object; want the path of a scalar"},
    {"axes.0.name=x", CS_USAGE, "--set axes.0.name: no item 0 in a list of 0; want an index from 0"},
    {"method.step.size=fast", CS_INPUT, "--set method.step.size: found a string; want a number > 0"},
    {"parameters.r=1", CS_INPUT, "--set parameters.r: unknown parameter; want one of: p, q"},
};

Test(sweep_errors, wrong_overrides) {
  for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
    sweep_case_compose("", "", "");
    expect_error(overrides[i].set, overrides[i].code, overrides[i].message);
  }
}

/* A bound of errors over time says nothing of those at communication points. */
Test(sweep_errors, bounds_need_errors_over_time_and_steps_that_are_linear) {
  static const char *const row[][3] = {
      {"\"error_at\": \"points\"", "", "some run has error_at points, and the bound is one over time"},
      {"", "{\"name\": \"at\", \"path\": \"method.error_at\", \"values\": [\"continuous\", \"points\"]}",
       "some run has error_at points, and the bound is one over time"},
      {"\"solver\": \"dopri5\"", "", "some run has solver dopri5"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    struct cs_error error = {0};
    struct cs_sweep *sweep = NULL;
    struct cs_text want = {0};
    sweep_case_compose(row[i][0], row[i][1], "\"metrics\": [\"error_bound\"]");
    cs_text_add(&want, "metrics[0]: \"error_bound\" is not available: %s; want one of: ", row[i][2]);
    cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_INPUT);
    cr_expect_not_null(strstr(error.message, want.data), "%s", error.message);
    cr_expect_null(strstr(error.message + strlen(want.data), "error_bound"), "%s", error.message);
    cs_text_free(&want);
  }
}

Test(sweep_errors, a_missing_file_is_named) {
  expect_error(NULL, CS_IO, "s.json: cannot be opened: No such file or directory; want a readable JSON file");
}

/* All faults that are independent of each other are named at once, those that follow from another one are not. */
Test(sweep_errors, several_faults) {
  static const struct {
    const char *method, *axes, *rest, *message;
  } row[] = {
      {"\"solver\": \"exat\", \"hold\": 1, \"stepp\": {}",
       "{\"name\": \"x\", \"path\": \"solver\", \"values\": [\"exact\"]}",
       "\"metrics\": [\"output_defct\"], \"fit\": []",
       "s.json:6:30: fit: unknown key; did you mean \"fits\"?\n"
       "s.json:3:30: method.stepp: unknown key; did you mean \"step\"?\n"
       "s.json:3:11: method.solver: unknown solver \"exat\"; did you mean \"exact\"? want one of: " SOLVERS "\n"
       "s.json:3:27: method.hold: found a number; want one of: taylor, lagrange, backward_difference, hermite, "
       "waveform, least_squares\n"
       "s.json:5:23: axes[0].path: unknown path \"solver\"; did you mean \"method.solver\"?\n"
       "s.json:6:13: metrics[0]: unknown metric \"output_defct\"; did you mean \"output_defect\"?"},
      /* a metric that depends on what is at fault, fits and skips along it */
      {"\"engine\": 2", "{\"name\": \"x\", \"path\": \"method.oder\", \"values\": [1]}",
       "\"metrics\": [\"bond_share\"], \"fits\": [{\"along\": \"x\"}], \"skip\": [{\"x\": 1}]",
       "s.json:3:11: method.engine: found a number; want one of: auto, step, double\n"
       "s.json:5:23: axes[0].path: unknown path \"method.oder\"; did you mean \"method.order\"?"},
      {"", "{\"name\": \"x\", \"path\": \"method.order\", \"values\": [1]}",
       "\"metrics\": [\"output_defct\"], \"fits\": [{\"along\": \"x\"}], \"skip\": [{\"y\": 1}, {\"x\": 2}]",
       "s.json:6:13: metrics[0]: unknown metric \"output_defct\"; did you mean \"output_defect\"?\n"
       "s.json:6:66: skip[0].y: unknown axis; want one of: x\n"
       "s.json:6:81: skip[1].x: not a value of axis \"x\"; want one of: 1"},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    sweep_case_compose(row[i].method, row[i].axes, row[i].rest);
    expect_error(NULL, CS_INPUT, row[i].message);
  }
}

/* Twenty are enough. */
Test(sweep_errors, very_many_faults) {
  char method[1024] = "";
  struct cs_error error = {0};
  struct cs_sweep *sweep = NULL;
  size_t lines = 1;
  for (int i = 0; i < 30; i++)
    snprintf(method + strlen(method), sizeof method - strlen(method), "%s\"wrong%d\": 1", i > 0 ? ", " : "", i);
  sweep_case_compose(method, "", "");
  cr_expect_eq(cs_sweep_load("s.json", NULL, 0, &sweep, &error), CS_INPUT);
  for (const char *p = error.message; (p = strchr(p, '\n')) != NULL; p++)
    lines++;
  cr_expect_eq(lines, 20, "%s", error.message);
}
