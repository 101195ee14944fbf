/* Text of manual pages in addition to the tables of commands and options. */
#include <string.h>

#include "manual.h"

#define EXAMPLES (const char *const[])

static const struct manual_about table[] = {
    {"",
     "cosweep runs parameter sweeps of co-simulations: thousands of runs of a network of coupled linear subsystems, "
     "each with its own step size, extrapolation order, solver or parameters, in a single command.\n"
     "A model is a JSON file of subsystems and their connections; a sweep is a JSON file of settings and axes. The "
     "result is one HDF5 file with named axes, units and provenance, readable as netCDF-4. Runs are computed by "
     "OpenCL on CPUs (PoCL) or GPUs, in double precision.\n"
     "Errors are integrated as variables in their own right rather than computed as differences of nearly equal "
     "numbers, so that convergence orders remain readable down to errors of 1e-20.\n"
     "Errors in a file are reported with file, line and column and with the allowed values.",
     EXAMPLES{"From nothing to a first result:",
              "cosweep new demo\ncd demo\ncosweep run sweep.json\ncosweep info sweep.h5", NULL}},
    {"run",
     "Runs every sweep and writes its result. If any of the files is invalid, nothing is written. A result file is "
     "either complete or absent: it is written under a temporary name and then renamed.\n"
     "The names of the results go to standard output, everything else to standard error: a progress bar on a "
     "terminal, otherwise a line every 30 seconds. Failed runs keep their place in the result, with a status that "
     "gives the reason.\n"
     "After `--journal` seconds finished runs are kept in FILE.journal until the result is there: after Ctrl-C, a "
     "power cut or a full disk the same command goes on from them, and the result has the same bytes. `--shard I/N` "
     "computes a part of the sweep into a journal of its own, for `cosweep merge`.\n"
     "The first run of a sweep builds its kernels, which takes a few seconds on a CPU; later runs reuse them.",
     EXAMPLES{"The sweep as it is, and with another method:",
              "cosweep run mine.json\ncosweep run mine.json --set method.hold=taylor -o mine_taylor.h5",
              "Several sweeps on all devices, with the results in one directory:",
              "cosweep run sweeps/*.json --device all -o results", NULL}},
    {"merge",
     "Makes the result of a sweep whose shards were computed by `cosweep run --shard`, from their journals beside the "
     "result. It has the bytes of a single run. Boundaries and refined points are computed here. A shard that is "
     "missing or not complete is an error that names it, unless `--complete` is given.",
     EXAMPLES{"Two shards, on one machine or on two:",
              "cosweep run mine.json -o mine.h5 --shard 1/2\ncosweep run mine.json -o mine.h5 --shard 2/2\n"
              "cosweep merge mine.json -o mine.h5",
              NULL}},
    {"trace",
     "Writes the states, inputs, outputs, exact solution, defects, errors and step sizes of one run, with one row per "
     "macro step, including rejected steps. `--at` selects the run by its values along the axes, `--run` by its "
     "number.",
     EXAMPLES{"One run of a sweep over orders and step sizes:",
              "cosweep trace mine.json --at order=1 --at H=0.1 -o one.h5", NULL}},
    {"check",
     "Reads model and sweep files as `cosweep run` does and shows what they contain: the subsystems and signals of a "
     "model; the axes, metrics, runs, steps and kernels of a sweep, its memory and the size of its result. Nothing is "
     "run or written. `--matrices` prints the matrices of every subsystem, which are found from its equations where it "
     "is given by these.",
     EXAMPLES{"Test an override before running it:", "cosweep check mine.json --set method.order=2", NULL}},
    {"explain",
     "Says of a model whether and why its coupling is stable: loops of direct feed-through and whether they diverge at "
     "H = 0, the modes of the coupled model and the subsystems that they belong to, the largest stable step size for "
     "every master and order, the mode that becomes unstable first at a step size with the connections that make it "
     "grow, what "
     "merging two subsystems would change, which pattern of two step sizes grows fastest, and what follows from it.\n"
     "`--set` changes parameters of the model and settings of the method other than master, hold, order and sequence.",
     EXAMPLES{"A model as it is, and what happens beyond its limit:",
              "cosweep explain model.json\ncosweep explain model.json --for gauss_seidel,lagrange,2 --H 0.5",
              "Whether steps of two sizes in turn are stable where equal ones are:",
              "cosweep explain model.json --for jacobi,lagrange,1 --steps 0.05:0.1", NULL}},
    {"recommend",
     "Runs a model with every master, sequence, hold and order over 121 step sizes, and says which setting keeps the "
     "RMS error of every output below a fraction of its RMS value at least cost, with the largest step size that does, "
     "and how far that is from the limit of stability. Larger step sizes at which the error is small by chance do not "
     "count.\n"
     "The best three settings are written as a sweep around the step size found, ready for `cosweep run` and `cosweep "
     "plot`. Exit status 1: no setting reaches the error.\n"
     "A nonlinear model is not simulated: the settings are those with the largest stable steps of its linearisation at "
     "the operating point, and the sweep is one of study stability around the best one's.",
     EXAMPLES{"The cheapest way to an error of 0.1 %, and the sweep that shows it:",
              "cosweep recommend model.json --error 1e-3\ncosweep run NAME_recommended.json", NULL}},
    {"info",
     "Shows the contents of a result: axes, ranges of the metrics, convergence orders, failed runs and provenance.\n"
     "With `--rank`, the runs are compared by an error and a cost: which combinations of settings reach a given error "
     "at least cost, and which give the smallest error at a given cost.",
     EXAMPLES{"The contents, and the cheapest way to reach an error of 0.001:",
              "cosweep info mine.h5\ncosweep info mine.h5 --rank output_error --error 1e-3", NULL}},
    {"plot",
     "Draws a result or a trace with gnuplot. By default the kind of figure is chosen from the file: errors and "
     "defects against the step size with their orders, stability maps with their boundary, errors against cost, or "
     "the time histories of a trace. Axes that do not fit into the figure become panels. Of many methods or curves the "
     "best are in colour and all others grey. Several traces, or results over the same axes, are overlaid.\n"
     "`--script` keeps the gnuplot script and its data beside the figure, for manual editing.",
     EXAMPLES{"The default figure, and a chosen one:",
              "cosweep plot mine.h5\ncosweep plot mine.h5 --metric output_error --x H --curve order -o error.pdf",
              "Error against cost, with some methods in colour, and with slopes:",
              "cosweep plot mine.h5 --kind cost --highlight hold=taylor,order=2 --highlight order=1\n"
              "cosweep plot mine.h5 --kind cost --slopes -o slopes.svg",
              NULL}},
    {"report",
     "Writes one self-contained HTML page: what was run and on which device, axes, convergence orders compared with "
     "theory, figures, failed runs, provenance and the command that reproduces the result. It links to the page of "
     "`explore` where that lies beside it.",
     EXAMPLES{"A page to send to a colleague:", "cosweep report mine.h5 -o mine.html", NULL}},
    {"explore",
     "Writes one self-contained HTML page with all numbers of a result, in which they can be looked at from all sides: "
     "curves, maps, cost, all runs side by side, a table. Metrics, axes and slices are chosen in the page, the pointer "
     "shows runs, a click pins one with all its metrics and the command that traces it. The page needs a browser, no "
     "server and no network. Two results over the same axes share a page, with a switch between them and their ratio.",
     EXAMPLES{"Look around:", "cosweep explore mine.h5 --open",
              "Before and after:", "cosweep explore before.h5 after.h5 -o changed.html", NULL}},
    {"export",
     "Writes the numbers of a result for other programs: CSV with one row per value, a file for MATLAB and Octave, or "
     "an XDMF description through which ParaView reads the result itself.\n"
     "The subsystems of a model become FMUs (FMI 2.0, co-simulation and model exchange) that other programs run: files "
     "of their own (fmu), with a system description for the Open Simulation Platform (osp), or in one archive (ssp). "
     "Steps of these FMUs are exact for inputs that are polynomials; they need no compiler and no cosweep.",
     EXAMPLES{"One metric as CSV, and everything for MATLAB:",
              "cosweep export mine.h5 --metric output_error -o mine.csv\ncosweep export mine.h5 --format matlab",
              "A model for other co-simulation programs:", "cosweep export model.json --format ssp -o mine.ssp", NULL}},
    {"compare",
     "Compares two results, or two traces, over the same axes: the settings, the model, the program and the device "
     "that "
     "they were made with, and for every variable the largest difference, absolute and relative to the variable's "
     "largest value, with its place. Values that are NaN in both are the same.\n"
     "Exit status 1: a variable differs by more than the tolerance.",
     EXAMPLES{"Whether another device gives the same numbers, and what another method changes:",
              "cosweep compare host.h5 gpu.h5 --tolerance 1e-12\ncosweep compare jacobi.h5 gauss_seidel.h5", NULL}},
    {"verify",
     "Compares a result with the checksum in its last line, which covers every bit of the file, and reads every "
     "dataset, in a process of its own. For each dataset it prints `ok`, `damaged`, or, if the file has no checksum or "
     "another one and the dataset none of its own, `readable`. The exit status is 0 only if the whole file is as it "
     "was written. Commands that read results do the same comparison first; a file without a checksum they accept.\n"
     "\n"
     "--recompute N also computes N runs again, one drawn at random from each N-th of the sweep, by the model and the "
     "sweep in the file, and compares every number of theirs byte by byte, and axes, signals and units; of each run "
     "that differs the first such number is printed, and the exit status is 5. That takes the version, the device and "
     "the fragments that the result was computed with: where one "
     "of them is another, it is named, and the exit status is 4. Then fitted orders are compared with those of the "
     "metrics in the file, the boundary is computed again on the lines through the runs, and so are as many refined "
     "points, for which the file has to have the metric spectral_radius; a line says so of each.",
     EXAMPLES{"Ten runs of a result computed again, others with every seed:",
              "cosweep verify orders.h5 --recompute 10 --seed 42", "After copying results to another machine:",
              "for file in results/*.h5; do cosweep verify --quiet \"$file\" || echo \"copy $file again\"; done",
              NULL}},
    {"new",
     "Writes a model, a sweep and a README.md that explains both into a directory, which is created if missing. If no "
     "directory is given, the files go into the working directory, which must be empty. No file is replaced.",
     EXAMPLES{"A model and a sweep that can be run at once:", "cosweep new demo\ncd demo\ncosweep run sweep.json",
              NULL}},
    {"import",
     "Makes a model of linear subsystems that other programs have written: OpenModelica's linearized models (.mo), and "
     "JSON files with matrices (.json), an object with A, B, C, D or an object of such objects with their connections, "
     "MAT-files (.mat) with such structures, HDF5 files (.h5) with such groups, and results of cosweep. FMUs (.fmu), "
     "systems of them (.ssp, .ssd), archives of NumPy (.npz) and Python files (.py) are read by the Python package, "
     "which `python3`, or the program that the environment variable COSWEEP_PYTHON names, has to find. FMUs and Python "
     "files are code and are run, in a process of its own, with limits of time and memory; --no-code refuses them. "
     "Several files make one model. Names become letters, digits and _; what they were stands in the descriptions.\n"
     "An input without source gets a constant, its operating value or 0, and is named on standard error. The model is "
     "checked and summed up as by `cosweep check`.",
     EXAMPLES{"Two linearized models, connected by name, and what their coupling does:",
              "cosweep import linear_motor.mo linear_load.mo --match --name drive\ncosweep explain drive.json", NULL}},
    {"schema",
     "Prints the JSON Schema of model or sweep files, which editors use to complete and validate them. A file names "
     "its schema with the key `$schema`, which cosweep itself ignores.",
     EXAMPLES{"A schema beside a sweep:", "cosweep schema sweep > sweep.schema.json", NULL}},
    {"devices",
     "Lists the devices, those of OpenCL and last the host, with index, name, type, memory, driver, whether they "
     "support double precision, which cosweep requires, and the rate to expect of them: multiply-adds of doubles a "
     "second, a first guess from units and clock. The option `--device` of other commands takes the index, `cpu`, "
     "`gpu`, `host`, part of a name, `all`, or `auto`: the host computes at once, and where a program built for the "
     "sweep would save more time than building it takes, the device of OpenCL with the highest rate computes too: a "
     "CPU in place of the host's kernels, any other beside them. A word that fits several devices means the one of "
     "them "
     "that `auto` would take.",
     NULL},
};

const struct manual_about *manual_about(const char *command) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, command) == 0) return &table[i];
  return NULL;
}
