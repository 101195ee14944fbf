/* What manual pages say beyond the tables of commands and options. */
#include <string.h>

#include "manual.h"

#define EXAMPLES (const char *const[])

static const struct manual_about table[] = {
    {"",
     "cosweep runs parameter sweeps of co-simulations: thousands of runs of a network of coupled linear subsystems, "
     "each "
     "with its own step size, extrapolation order, solver or parameter, in one command.\n"
     "A model is a JSON file of subsystems and their connections, a sweep is a JSON file that names settings and axes; "
     "the result is one HDF5 file with named axes, units and its own provenance, which reads as netCDF-4. Runs are "
     "computed by OpenCL, on processors (PoCL) or GPUs, in double precision.\n"
     "Errors are carried as variables of their own and never come out of subtracting two nearly equal numbers, so that "
     "orders of convergence can be read off down to errors of 1e-20.\n"
     "A mistake in a file is answered with file, line and column, and with what is legal there.",
     EXAMPLES{"From nothing to the first result:",
              "cosweep new demo\ncd demo\ncosweep run sweep.json\ncosweep info sweep.h5", NULL}},
    {"run",
     "Runs every sweep and writes its result. Nothing is written where one of the files is wrong, and a result file is "
     "complete or absent: it is written beside its final name and renamed into place.\n"
     "Names of results go to standard output, all else to standard error: a progress bar on terminals, a line now and "
     "then elsewhere. Failed runs keep their place in the result, with a status that says why.\n"
     "The first run of a sweep builds its kernels, which takes some seconds on a processor; they are kept for the next "
     "time.",
     EXAMPLES{"The sweep as it is, and with another method:",
              "cosweep run mine.json\ncosweep run mine.json --set method.hold=taylor -o mine_taylor.h5",
              "Several sweeps on all devices, into one directory:", "cosweep run sweeps/*.json --device all -o results",
              NULL}},
    {"trace",
     "Writes states, inputs, outputs, the exact solution beside them, defects, errors and step sizes of one run, with "
     "a "
     "row for every macro step, rejected ones too. `--at` names the run by its values along the axes, `--run` by its "
     "number.",
     EXAMPLES{"One of the runs of a sweep over orders and step sizes:",
              "cosweep trace mine.json --at order=1 --at H=0.1 -o one.h5", NULL}},
    {"check",
     "Reads model and sweep files as `cosweep run` would and says what they would do: subsystems and signals; axes, "
     "metrics, runs, steps, kernels, memory and the size of the result. Nothing is run or written.",
     EXAMPLES{"Before an override is worth a run:", "cosweep check mine.json --set method.order=2", NULL}},
    {"info",
     "Shows what is in a result: axes, ranges of the metrics, orders of convergence, failed runs, provenance.\n"
     "With `--rank` the runs are compared by an error and a cost: which combinations of settings reach a given error "
     "at "
     "least cost, and which the least error at a given cost.",
     EXAMPLES{"The contents, and the cheapest way to an error of 0.001:",
              "cosweep info mine.h5\ncosweep info mine.h5 --rank output_error --error 1e-3", NULL}},
    {"plot",
     "Draws a result or a trace with gnuplot. Without options the figure is what suits the file: errors and defects "
     "against the step size with their orders, maps of stability with their boundary, errors against cost, or the "
     "course of a trace. Axes that have no place in the figure become panels. Several traces are drawn over each "
     "other.\n"
     "`--script` keeps the script and the numbers beside the figure, to be changed by hand.",
     EXAMPLES{"The figure that suits the result, and one chosen:",
              "cosweep plot mine.h5\ncosweep plot mine.h5 --metric output_error --x H --curve order -o error.pdf",
              NULL}},
    {"report",
     "Writes one HTML page that needs nothing else: what was run on what, axes, orders of convergence beside those of "
     "theory, figures, failed runs, provenance and the command to reproduce the result.",
     EXAMPLES{"A page to send to a colleague:", "cosweep report mine.h5 -o mine.html", NULL}},
    {"export",
     "Writes the numbers of a result for other programs: one row per value as CSV, a file that MATLAB and Octave load, "
     "or a description by which ParaView reads the result itself.",
     EXAMPLES{"One metric as CSV, and all of it for MATLAB:",
              "cosweep export mine.h5 --metric output_error -o mine.csv\ncosweep export mine.h5 --format matlab",
              NULL}},
    {"new",
     "Writes a model, a sweep and a README.md about both into a directory, which is made if missing. Without a name "
     "they go into the working directory, which has to be empty then. No file is replaced.",
     EXAMPLES{"A model and a sweep that run at once:", "cosweep new demo\ncd demo\ncosweep run sweep.json", NULL}},
    {"schema",
     "Prints the JSON Schema of model or of sweep files, by which editors complete and check them. A file names its "
     "schema with the key `$schema`, which cosweep itself ignores.",
     EXAMPLES{"A schema beside a sweep:", "cosweep schema sweep > sweep.schema.json", NULL}},
    {"devices",
     "Lists OpenCL devices with their index, name, type, memory and driver, and whether they have double precision, "
     "which cosweep needs. `--device` of other commands takes the index, `cpu`, `gpu`, part of a name, or `all`.",
     NULL},
};

const struct manual_about *manual_about(const char *command) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, command) == 0) return &table[i];
  return NULL;
}
